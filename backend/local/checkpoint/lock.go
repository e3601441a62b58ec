package checkpoint

import (
	"errors"
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/spoonbill-go/spoonbill/backend/local/durable"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// Lock locks a folder, which must exist, for one user: a query, or a session with a warehouse. Another one is CONCURRENT_STREAM_LOG_UPDATE.
// The file that carries the lock stays and means nothing by itself.
func Lock(fs vfs.FS, dir string) (io.Closer, error) {
	l, err := durable.Lock(fs, dir)
	if errors.Is(err, durable.ErrHeld) {
		e := condition.Newf(condition.ConcurrentStreamLog, "Another query runs on the checkpoint %s.", dir)
		e.Hint = "Stop it first, or give this query a checkpoint of its own."
		e.Cause = err
		return nil, e
	}
	return l, err
}
