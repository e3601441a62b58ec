// Package durable writes small files so that a crash at any moment leaves the old file or the new one, whole.
package durable

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// category is what pebble's file systems ask of each new file; nothing here depends on it.
const category = vfs.DiskWriteCategory("spoonbill-checkpoint")

// Write puts data at path: a temporary file beside it, fsync, rename, fsync of the folder. The folder must exist.
func Write(fs vfs.FS, path string, data []byte) error {
	return Failed("write", path, write(fs, path, data))
}

func write(fs vfs.FS, path string, data []byte) error {
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
	return Failed("make the folder", dir, mkdir(fs, dir))
}

func mkdir(fs vfs.FS, dir string) error {
	if info, err := fs.Stat(dir); err == nil {
		if !info.IsDir() {
			return &os.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
		}
		return nil
	}
	parent := fs.PathDir(dir)
	if parent != dir && parent != "" && parent != "." {
		if err := mkdir(fs, parent); err != nil {
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
	if err == nil {
		err = d.Sync()
		if e := d.Close(); err == nil {
			err = e
		}
	}
	return Failed("sync the folder", dir, err)
}

// Real gives the absolute path that a path leads to through links of the machine's file system, of which the last parts need not be there. In another
// file system, and where it cannot be found out, it is the path itself.
func Real(fs vfs.FS, path string) string {
	if fs != vfs.Default {
		return path
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	rest := ""
	for dir := abs; ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		if dir == filepath.Dir(dir) {
			return abs
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

// Read reads a whole file. One that does not exist is os.ErrNotExist.
func Read(fs vfs.FS, path string) ([]byte, error) {
	f, err := fs.Open(path)
	if err != nil {
		return nil, Failed("read", path, err)
	}
	data, err := io.ReadAll(f)
	if e := f.Close(); err == nil {
		err = e
	}
	return data, Failed("read", path, err)
}

// List gives the names in a folder.
func List(fs vfs.FS, dir string) ([]string, error) {
	names, err := fs.List(dir)
	return names, Failed("list the folder", dir, err)
}

// Remove removes a file; one that is not there is no error.
func Remove(fs vfs.FS, path string) error {
	err := fs.Remove(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return Failed("remove", path, err)
}

// Cause gives the error of the file system below [Failed], for those who keep their own files by this package and have a condition of
// their own to tell.
func Cause(err error) error {
	if e, ok := err.(*condition.Error); ok && e.Condition == condition.CheckpointFailed && e.Cause != nil {
		return e.Cause
	}
	return err
}

// Failed makes SPOONBILL_CHECKPOINT_FAILED of an error of the file system, once.
func Failed(what, path string, err error) error {
	if err == nil || condition.Of(err) != "" {
		return err
	}
	e := condition.Newf(condition.CheckpointFailed, "The checkpoint cannot %s %s.", what, path)
	e.Hint = "Look at the rights and the health of the disk, then start the query again: it goes on where it was."
	if errors.Is(err, syscall.ENOSPC) {
		e.Hint = "The disk is full: make room and start the query again, it goes on where it was."
	}
	e.Cause = err
	return e
}
