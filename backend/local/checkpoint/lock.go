package checkpoint

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/spoonbill-go/spoonbill/backend/local/durable"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// lockFile carries the lock of a checkpoint's folder. It stays and means nothing by itself: the lock is the system's and ends with the
// process.
const lockFile = "_spoonbill.lock"

// Lock locks a folder, which must exist, for one user: a query, or a session with a warehouse. Another one is CONCURRENT_STREAM_LOG_UPDATE.
func Lock(fs vfs.FS, dir string) (io.Closer, error) {
	path := fs.PathJoin(dir, lockFile)
	if fs == vfs.Default {
		// Within a process the lock goes by the file's name, so it must be the only one that the folder has.
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			real, err = filepath.Abs(real)
		}
		if err != nil {
			return nil, durable.Failed("find the folder", dir, err)
		}
		path = filepath.Join(real, lockFile)
	}
	l, err := fs.Lock(path)
	if err != nil {
		// A file that cannot be made fails with its path, a lock that another has with a bare number or, in the same process, a text.
		_, file := errors.AsType[*os.PathError](err)
		_, number := errors.AsType[syscall.Errno](err)
		if !file && (number || strings.Contains(err.Error(), "held by current process")) {
			e := condition.Newf(condition.ConcurrentStreamLog, "Another query runs on the checkpoint %s.", dir)
			e.Hint = "Stop it first, or give this query a checkpoint of its own."
			e.Cause = err
			return nil, e
		}
		return nil, durable.Failed("lock", path, err)
	}
	return l, nil
}
