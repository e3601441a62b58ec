package exec

import (
	"context"
	"sync/atomic"

	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// pieceRows is how many rows of a large batch an expression is evaluated over, or a column gives up, between two looks at the context: some milliseconds.
const pieceRows = 1 << 16

// evalWhole is Eval over a batch of any size, a piece at a time, so that a cancelled query ends between two.
func evalWhole(ctx context.Context, e *kernel.Expr, b *vec.Batch) (*vec.Vec, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if _, constant := e.Literal(); constant || e.Column() >= 0 || b.N <= pieceRows {
		return e.Eval(b)
	}
	var parts []*vec.Batch
	for lo := 0; lo < b.N; lo += pieceRows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(lo+pieceRows, b.N)
		v, err := e.Eval(b.Slice(lo, hi))
		if err != nil {
			return nil, err
		}
		parts = append(parts, vec.NewBatch([]*vec.Vec{v}, hi-lo, nil))
	}
	out, err := vec.ConcatBatches(ctx, []datatype.Type{e.Type}, parts)
	if err != nil {
		return nil, err
	}
	return out.Cols[0], nil
}

// moving tells for each column of a result what gives it: the rows at of a column, or, where at is nil, the column as it is.
type moving struct {
	v  *vec.Vec
	at []int32
}

// takePieces makes batches of n rows of columns, a piece at a time. A batch that columns stay parts of, unless nil, is taken over: it is released with the last of
// the pieces.
func takePieces(ctx context.Context, of *vec.Batch, cols []moving, n int) ([]*vec.Batch, error) {
	var left atomic.Int64
	left.Store(int64(n+pieceRows-1) / pieceRows)
	if n == 0 {
		of.Release()
	}
	var out []*vec.Batch
	for lo := 0; lo < n; lo += pieceRows {
		if err := ctx.Err(); err != nil {
			of.Release()
			return nil, err
		}
		hi := min(lo+pieceRows, n)
		some := make([]*vec.Vec, len(cols))
		for i, c := range cols {
			switch {
			case c.v == nil:
			case c.at == nil:
				some[i] = c.v.Slice(lo, hi)
			default:
				some[i] = vec.Take(c.v, c.at[lo:hi])
			}
		}
		out = append(out, vec.NewBatch(some, hi-lo, func() {
			if left.Add(-1) == 0 {
				of.Release()
			}
		}))
	}
	return out, nil
}

// splitAll is split of several batches.
func splitAll(batches []*vec.Batch, rows int) []*vec.Batch {
	var out []*vec.Batch
	for _, b := range batches {
		out = append(out, split(b, rows)...)
	}
	return out
}
