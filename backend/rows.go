package backend

import (
	"context"
	"iter"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// Rows runs a table as a batch and gives its rows as values of T, as they come; [Decoder] tells what T may be. The first error, of the expression, the
// schema, a row or the run, is the last element. Leaving the loop ends the work, on a server too.
func Rows[T any](ctx context.Context, s Session, t expr.Table) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		if s == nil {
			var zero T
			yield(zero, condition.Newf(condition.InvalidValue, "The session is nil."))
			return
		}
		r, err := s.Batches(ctx, t)
		if err != nil {
			var zero T
			yield(zero, err)
			return
		}
		Decode[T](r)(yield)
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
