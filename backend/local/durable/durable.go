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
	f, err := Create(fs, path)
	if err != nil {
		return err
	}
	if err := f.Write(data); err != nil {
		f.Abort()
		return err
	}
	return f.Commit()
}

// File is a file on its way: it has its name only when [File.Commit] has come back without an error. It ends with that or with [File.Abort].
type File struct {
	fs        vfs.FS
	f         vfs.File
	tmp, path string
}

// Create begins a file that will stand at path. What is there stays until the commit. The folder must exist.
func Create(fs vfs.FS, path string) (*File, error) {
	tmp := fs.PathJoin(fs.PathDir(path), "."+fs.PathBase(path)+".tmp")
	f, err := fs.Create(tmp, category)
	if err != nil {
		return nil, Failed("write", path, err)
	}
	return &File{fs, f, tmp, path}, nil
}

// Write appends data.
func (f *File) Write(data []byte) error {
	// vfs.File.Write may scribble over what it is given.
	_, err := f.f.Write(append([]byte(nil), data...))
	return Failed("write", f.path, err)
}

// Commit makes the content durable, gives the file its name and makes that durable.
func (f *File) Commit() error {
	err := f.f.Sync()
	if e := f.f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = f.fs.Rename(f.tmp, f.path)
	}
	if err == nil {
		err = SyncDir(f.fs, f.fs.PathDir(f.path))
	}
	return Failed("write", f.path, err)
}

// Abort gives the file up. What was written stays under the temporary name, which the next file for the same path begins anew.
func (f *File) Abort() { _ = f.f.Close() }

// Mkdir makes a folder and its parents, and makes their entries durable. So it does with the entry of a folder that is there, and with those in it: whoever wrote them may have
// ended before they were, and what is built on them must not outlive them.
func Mkdir(fs vfs.FS, dir string) error {
	return Failed("make the folder", dir, made(fs, dir, mkdir))
}

// MkdirAll makes a folder and its parents, which a crash may take again.
func MkdirAll(fs vfs.FS, dir string) error {
	return made(fs, dir, func(fs vfs.FS, dir string) error { return fs.MkdirAll(dir, 0o755) })
}

// attempts is how often a folder is made again that a neighbour, cleaning up behind itself, removed while it was empty.
const attempts = 100

// made makes a folder again as long as a neighbour takes it away meanwhile: the system says then that something is missing, or that the folder exists when it does no more.
func made(fs vfs.FS, dir string, make func(fs vfs.FS, dir string) error) error {
	err := make(fs, dir)
	for n := 0; n < attempts; n++ {
		switch cause := Cause(err); {
		case errors.Is(cause, os.ErrNotExist):
		case errors.Is(cause, os.ErrExist):
			if info, e := fs.Stat(dir); e == nil && !info.IsDir() {
				return err
			}
		default:
			return err
		}
		err = make(fs, dir)
	}
	return err
}

func mkdir(fs vfs.FS, dir string) error {
	if info, err := fs.Stat(dir); err == nil {
		if !info.IsDir() {
			return &os.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
		}
		if err := SyncDir(fs, dir); err != nil {
			return err
		}
		parent := fs.PathDir(dir)
		if parent == "" || parent == dir {
			return nil
		}
		// A folder above may be one that the process may pass through and not open.
		if err := SyncDir(fs, parent); !errors.Is(err, os.ErrPermission) {
			return err
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
	switch {
	case errors.Is(err, syscall.ENOSPC):
		e.Hint = "The disk is full: make room and start the query again, it goes on where it was."
	case errors.Is(err, syscall.ENOTDIR):
		e.Hint = "A file stands where a folder must be: remove it, or name another folder."
	case errors.Is(err, os.ErrPermission), errors.Is(err, syscall.EROFS):
		e.Hint = "The process may not do that there: change the folder's rights, or name another folder."
	default:
		e.Hint = "Look at the path and the health of the disk, then start the query again: it goes on where it was."
	}
	e.Cause = err
	return e
}
