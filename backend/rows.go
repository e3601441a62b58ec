package backend

import (
	"context"
	"iter"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// Rows runs a table as a batch and gives its rows as values of T, as they come; [Decoder] tells what T may be. The first error, of the expression, the
// schema, a row or the run, is the last element; it names the place of this call where it has none of its own. Leaving the loop ends the work, on a
// server too.
func Rows[T any](ctx context.Context, s Session, t expr.Table) iter.Seq2[T, error] {
	at := condition.Here(1)
	return func(yield func(T, error) bool) {
		var (
			r   Result
			err error
		)
		if s == nil {
			err = condition.Newf(condition.InvalidValue, "The session is nil.")
		} else {
			r, err = s.Batches(ctx, t)
		}
		if err != nil {
			var zero T
			yield(zero, condition.At(err, at))
			return
		}
		decode(r, at, yield)
	}
}

// Collect gives all rows of a table at once. Nothing bounds their number: a table that may be large is read by [Rows].
func Collect[T any](ctx context.Context, s Session, t expr.Table) ([]T, error) {
	var out []T
	for v, err := range Rows[T](ctx, s, t) {
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}
