package expr

import (
	"context"
	"reflect"
)

// RowWriter does something with each row of a stream: it is told of the begin and the end of each partition of each epoch, and gets the rows between, in their order. backend.Decoder tells what T may be.
//
// A writer serves one partition of one epoch: a new one is made for each. An error of any of its methods, or a panic, fails the query, and the epoch comes again under the same number when the query
// is started again: so it does after a crash. Whoever keeps partition and epoch beside what was done, and looks for them in Open, does each once.
//
// The context ends when the query is stopped, and at the time limit of the sink. The methods may stop their own query and close its session, which then do not wait for them. connectors.Foreach makes a
// sink of it.
//
// Source: Spark's ForeachWriter.
type RowWriter[T any] interface {
	// Open begins a partition of an epoch. False leaves its rows out: Process is not called, Close is.
	Open(ctx context.Context, partition, epoch int64) (bool, error)
	// Process takes a row.
	Process(ctx context.Context, row T) error
	// Close ends the partition: with nil, or with why it failed, in Process, in the query or by its stop. It is called once for each Open that gave no error. A context that has ended before is
	// renewed for a few seconds, so that what was opened can be closed.
	Close(ctx context.Context, failure error) error
}

// AnyRowWriter makes the writers of a sink, without the type of their rows. Sessions call it.
type AnyRowWriter struct {
	// Row is the type of the rows, and what Process takes is a pointer to one.
	Row reflect.Type
	// New makes the writer for a partition of an epoch, nil where the user's function made none.
	New func() RowWriter[any]
}

// AnyRows is a function that makes writers, without the type of their rows.
func AnyRows[T any](make func() RowWriter[T]) AnyRowWriter {
	return AnyRowWriter{Row: reflect.TypeFor[T](), New: func() RowWriter[any] {
		w := make()
		if v := reflect.ValueOf(w); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
			return nil
		}
		return anyRows[T]{w}
	}}
}

// anyRows is a writer of rows of T that takes pointers to them.
type anyRows[T any] struct{ w RowWriter[T] }

// Open implements [RowWriter].
func (a anyRows[T]) Open(ctx context.Context, partition, epoch int64) (bool, error) {
	return a.w.Open(ctx, partition, epoch)
}

// Process implements [RowWriter].
func (a anyRows[T]) Process(ctx context.Context, row any) error { return a.w.Process(ctx, *row.(*T)) }

// Close implements [RowWriter].
func (a anyRows[T]) Close(ctx context.Context, failure error) error { return a.w.Close(ctx, failure) }
