package sparkconnect

import (
	"context"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/sparkconnect/internal/client"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// once lets a result be read a single time; at is where it was asked for, which an error on the way names. One whose context ends before anyone reads it is given up, so that the server does not keep it.
func once(ctx context.Context, r *client.Result, at condition.Pos) backend.Batches {
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
		r.Batches()(func(rec arrow.RecordBatch, err error) bool { return yield(rec, condition.At(err, at)) })
	}
}
