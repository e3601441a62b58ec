package connectors

import (
	"context"
	"time"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// RowSink hands the rows of a stream one by one to a writer of this process.
type RowSink struct {
	each tree.Each
	err  error
}

// Foreach gives the rows of a stream to writers, which make makes: one for each partition of each epoch. It is on either backend; docs/foreach.md says how and within which limits. An epoch comes
// at least once: after a failure or a crash it comes again under the same number. On Spark all rows of an epoch come to this process, as one partition; ForeachBatch leaves them on the server. Only streams have
// epochs; a batch query is read with backend.Rows.
//
//	connectors.Foreach(func() expr.RowWriter[Payment] { return &archive{} })
func Foreach[T any](make func() expr.RowWriter[T]) RowSink {
	s := RowSink{each: tree.Each{At: condition.Here(1)}}
	if make == nil {
		e := invalid("The function of Foreach is nil.")
		e.Hint = "Pass func() expr.RowWriter[T] { return … }."
		s.err = e
		return s
	}
	s.each.Func = expr.AnyRows(make)
	return s
}

// ForeachRow is [Foreach] with a function in the place of a writer.
func ForeachRow[T any](process func(ctx context.Context, row T) error) RowSink {
	s := RowSink{each: tree.Each{At: condition.Here(1)}}
	if process == nil {
		e := invalid("The function of ForeachRow is nil.")
		e.Hint = "Pass func(ctx context.Context, row T) error."
		s.err = e
		return s
	}
	s.each.Func = expr.AnyRows(func() expr.RowWriter[T] { return rowFunc[T](process) })
	return s
}

// rowFunc is a function of a row as a writer.
type rowFunc[T any] func(ctx context.Context, row T) error

// Open implements [expr.RowWriter].
func (f rowFunc[T]) Open(context.Context, int64, int64) (bool, error) { return true, nil }

// Process implements [expr.RowWriter].
func (f rowFunc[T]) Process(ctx context.Context, row T) error { return f(ctx, row) }

// Close implements [expr.RowWriter].
func (f rowFunc[T]) Close(context.Context, error) error { return nil }

// Within sets how long an epoch may take from Open to the last row, in whole milliseconds; behind it the writer's context ends, and the query fails. On Spark, where a query must not wait for a
// process that is gone, it is 10 minutes where nothing is set; offline there is no limit.
func (s RowSink) Within(limit time.Duration) RowSink {
	if limit < time.Millisecond || limit%time.Millisecond != 0 {
		s.err = invalid("The time limit of an epoch is whole milliseconds, at least one, not %v.", limit)
	}
	s.each.Within = limit
	return s
}

// String prints the description.
func (s RowSink) String() string { return tree.Foreach }

// Sink implements expr.Sink.
func (s RowSink) Sink() (*tree.Sink, error) {
	if s.err != nil {
		return nil, s.err
	}
	if s.each.Func == nil {
		e := invalid("The sink was never made: it is the zero value of its type.")
		e.Hint = "Use connectors.Foreach or connectors.ForeachRow."
		return nil, e
	}
	each := s.each
	return &tree.Sink{Format: tree.Foreach, Each: &each, Stream: true, Modes: []tree.OutputMode{tree.Append, tree.Update, tree.Complete}}, nil
}
