package durable

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// LockFile is the name of the file that carries a folder's lock. The lock is the system's and ends with the process, so the file means nothing by itself.
const LockFile = "_spoonbill.lock"

// ErrHeld says that somebody else has a folder's lock.
var ErrHeld = errors.New("the lock is held")

// Lock locks a folder, which must exist, until the closer is called. It does not wait: a lock that this or another process has is [ErrHeld].
func Lock(fs vfs.FS, dir string) (io.Closer, error) {
	path := fs.PathJoin(dir, LockFile)
	if fs == vfs.Default {
		// Within a process the lock goes by the file's name, so it must be the only one that the folder has.
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			real, err = filepath.Abs(real)
		}
		if err != nil {
			return nil, Failed("find the folder", dir, err)
		}
		path = filepath.Join(real, LockFile)
	}
	l, err := fs.Lock(path)
	if err != nil {
		// A file that cannot be made fails with its path, a lock that another has with a bare number or, in the same process, a text.
		_, file := errors.AsType[*os.PathError](err)
		_, number := errors.AsType[syscall.Errno](err)
		if !file && (number || strings.Contains(err.Error(), "held by current process")) {
			return nil, fmt.Errorf("%w: %w", ErrHeld, err)
		}
		return nil, Failed("lock", path, err)
	}
	return l, nil
}
