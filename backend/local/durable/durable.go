// Package durable writes small files so that a crash at any moment leaves the old file or the new one, whole.
package durable

import (
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// category is what pebble's file systems ask of each new file; nothing here depends on it.
const category = vfs.DiskWriteCategory("spoonbill-checkpoint")

// Write puts data at path: a temporary file beside it, fsync, rename, fsync of the folder. The folder must exist.
func Write(fs vfs.FS, path string, data []byte) error {
	dir := fs.PathDir(path)
	tmp := fs.PathJoin(dir, "."+fs.PathBase(path)+".tmp")
	f, err := fs.Create(tmp, category)
	if err != nil {
		return err
	}
	// vfs.File.Write may scribble over what it is given.
	_, err = f.Write(append([]byte(nil), data...))
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = fs.Rename(tmp, path)
	}
	if err == nil {
		err = SyncDir(fs, dir)
	}
	return err
}

// Mkdir makes a folder and its parents, and makes their entries durable.
func Mkdir(fs vfs.FS, dir string) error {
	if _, err := fs.Stat(dir); err == nil {
		return nil
	}
	parent := fs.PathDir(dir)
	if parent != dir && parent != "" && parent != "." {
		if err := Mkdir(fs, parent); err != nil {
			return err
		}
	}
	if err := fs.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if parent == "" {
		return nil
	}
	return SyncDir(fs, parent)
}

// SyncDir makes the entries of a folder durable.
func SyncDir(fs vfs.FS, dir string) error {
	d, err := fs.OpenDir(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if e := d.Close(); err == nil {
		err = e
	}
	return err
}

// Read reads a whole file.
func Read(fs vfs.FS, path string) ([]byte, error) {
	f, err := fs.Open(path)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(f)
	if e := f.Close(); err == nil {
		err = e
	}
	return data, err
}
