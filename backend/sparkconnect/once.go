package sparkconnect

import (
	"context"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/sparkconnect/internal/client"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// once lets a result be read a single time. One whose context ends before anyone reads it is given up, so that the server does not keep it.
func once(ctx context.Context, r *client.Result, c *client.Client) backend.Batches {
	var taken atomic.Bool
	stop := context.AfterFunc(ctx, func() {
		if taken.CompareAndSwap(false, true) {
			r.Close()
		}
	})
	return func(yield func(arrow.RecordBatch, error) bool) {
		if !taken.CompareAndSwap(false, true) {
			err := ctx.Err()
			if err == nil {
				e := condition.Newf(condition.Closed, "the rows of this result were read before.")
				e.Hint = "Ask the session for the table again."
				err = e
			}
			yield(nil, err)
			return
		}
		stop()
		r.Batches()(yield)
	}
}
