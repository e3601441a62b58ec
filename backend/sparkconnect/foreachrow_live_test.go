//go:build conformance

package sparkconnect_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// event is a row of the input of the tests.
type event struct {
	TS *time.Time
	K  *string
	V  *int32
}

// log is what writers were asked, and what they do in the second epoch, where it is set.
type log struct {
	mu      sync.Mutex
	calls   []string
	open    func(ctx context.Context) (bool, error)
	process func(ctx context.Context) error
	end     func(ctx context.Context, failure error) error
}

func (l *log) add(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = append(l.calls, fmt.Sprintf(format, args...))
}

func (l *log) sink() connectors.RowSink {
	return connectors.Foreach(func() expr.RowWriter[event] { return &entry{l: l} })
}

// entry is a writer that writes into a log.
type entry struct {
	l     *log
	epoch int64
}

func (e *entry) Open(ctx context.Context, partition, epoch int64) (bool, error) {
	e.epoch = epoch
	e.l.add("open %d/%d", partition, epoch)
	if epoch == 1 && e.l.open != nil {
		return e.l.open(ctx)
	}
	return true, nil
}

func (e *entry) Process(ctx context.Context, row event) error {
	e.l.add("%s %d", *row.K, *row.V)
	if e.epoch == 1 && e.l.process != nil {
		return e.l.process(ctx)
	}
	return nil
}

func (e *entry) Close(ctx context.Context, failure error) error {
	e.l.add("close %d: %v", e.epoch, failure != nil)
	if e.epoch == 1 && e.l.end != nil {
		return e.l.end(ctx, failure)
	}
	return nil
}

// Each row comes to the writer, an epoch as one partition; one that is not wanted is left out.
func TestLiveForeach(t *testing.T) {
	ctx, s := connect(t)
	dir, in := batchInput(t)
	var l log
	l.open = func(context.Context) (bool, error) { return false, nil }
	q, err := s.Start(ctx, in.WriteTo(l.sink()).Checkpoint(dir+"/ck").Trigger(expr.AvailableNow()))
	require.NoError(t, err)
	require.NoError(t, q.AwaitTermination(ctx))
	require.Equal(t, []string{"open 0/0", "x 1", "y 2", "close 0: false", "open 0/1", "close 1: false"}, l.calls)
	p, err := q.LastProgress(ctx)
	require.NoError(t, err)
	require.Equal(t, "ForeachBatchSink", p.Sink.Description)

	// What does not fit is told before the query begins.
	_, err = s.Start(ctx, in.WriteTo(connectors.ForeachRow(func(context.Context, int64) error { return nil })))
	require.Equal(t, condition.CannotUpCast, condition.Of(err), "%v", err)
	require.ErrorContains(t, err, "foreachrow_live_test.go:")
}

// Each way to fail ends the query under the words of this process; started again, the epoch comes again.
func TestLiveForeachFails(t *testing.T) {
	broken := errors.New("no room in the 'archive'")
	hang := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	for name, c := range map[string]struct {
		l     *log
		limit time.Duration
		says  string
		is    error
		calls []string
	}{
		"open fails":     {&log{open: func(context.Context) (bool, error) { return false, broken }}, 0, "Open of Foreach failed with partition 0 of epoch 1: no room in the 'archive'", broken, nil},
		"open panics":    {&log{open: func(context.Context) (bool, error) { panic("ouch") }}, 0, "Open of Foreach panicked with partition 0 of epoch 1: ouch", nil, nil},
		"process fails":  {&log{process: func(context.Context) error { return broken }}, 0, "Process of Foreach failed with row 0 of partition 0 of epoch 1: no room", broken, []string{"y 3", "close 1: true"}},
		"process panics": {&log{process: func(context.Context) error { panic(broken) }}, 0, "Process of Foreach panicked with row 0 of partition 0 of epoch 1: no room", broken, []string{"y 3", "close 1: true"}},
		"process hangs":  {&log{process: hang}, time.Second, "Process of Foreach did not end with row 0 of partition 0 of epoch 1 within the 1s", context.DeadlineExceeded, []string{"y 3", "close 1: true"}},
		"close fails":    {&log{end: func(context.Context, error) error { return broken }}, 0, "Close of Foreach failed with partition 0 of epoch 1: no room", broken, []string{"y 3", "close 1: false"}},
		"close hangs":    {&log{end: func(ctx context.Context, _ error) error { return hang(ctx) }}, time.Second, "Close of Foreach did not end with partition 0 of epoch 1", context.DeadlineExceeded, []string{"y 3", "close 1: false"}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, s := connect(t)
			dir, in := batchInput(t)
			start := func(sink connectors.RowSink) backend.Query {
				q, err := s.Start(ctx, in.WriteTo(sink).Checkpoint(dir+"/ck").Trigger(expr.AvailableNow()))
				require.NoError(t, err)
				return q
			}
			sink := c.l.sink()
			if c.limit > 0 {
				sink = sink.Within(c.limit)
			}
			q := start(sink)
			err := q.AwaitTermination(ctx)
			require.Equal(t, condition.StreamFailed, condition.Of(err), "%v", err)
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, err, "FOREACH_USER_FUNCTION_ERROR")
			require.ErrorContains(t, err, "foreachrow_live_test.go:", "the place of the sink")
			if c.is != nil {
				require.ErrorIs(t, err, c.is)
			}
			failure, err := q.Exception(ctx)
			require.NoError(t, err)
			require.ErrorContains(t, failure, c.says)
			require.Equal(t, append([]string{"open 0/0", "x 1", "y 2", "close 0: false", "open 0/1"}, c.calls...), c.l.calls)
			if name != "process fails" {
				return // each start begins a process of Python's
			}
			var again log
			require.NoError(t, start(again.sink()).AwaitTermination(ctx))
			require.Equal(t, []string{"open 0/1", "y 3", "close 1: false"}, again.calls)
		})
	}
}

// A query is stopped from outside and from within each of the methods, and comes again with the epoch.
func TestLiveForeachStopped(t *testing.T) {
	for _, method := range []string{"outside", "open", "process", "close"} {
		t.Run(method, func(t *testing.T) {
			ctx, s := connect(t)
			dir, in := batchInput(t)
			self := make(chan backend.Query, 1)
			begun := make(chan struct{})
			stop := func(ctx context.Context) error { return (<-self).Stop(ctx) }
			var l log
			var failure error
			switch method {
			case "outside":
				l.process = func(ctx context.Context) error { close(begun); <-ctx.Done(); return ctx.Err() }
				l.end = func(ctx context.Context, err error) error { failure = err; return ctx.Err() }
			case "open":
				l.open = func(ctx context.Context) (bool, error) { return true, stop(ctx) }
			case "process":
				l.process = stop
			case "close":
				l.end = func(ctx context.Context, _ error) error { return stop(ctx) }
			}
			q, err := s.Start(ctx, in.WriteTo(l.sink()).Checkpoint(dir+"/ck"))
			require.NoError(t, err)
			if method == "outside" {
				<-begun
				require.NoError(t, q.Stop(ctx))
				require.ErrorIs(t, failure, context.Canceled)
			} else {
				self <- q
			}
			require.NoError(t, q.AwaitTermination(ctx), "a query that was stopped has not failed")
			if method != "process" {
				return
			}
			var again log
			q, err = s.Start(ctx, in.WriteTo(again.sink()).Checkpoint(dir+"/ck").Trigger(expr.AvailableNow()))
			require.NoError(t, err)
			require.NoError(t, q.AwaitTermination(ctx))
			require.Equal(t, []string{"open 0/1", "y 3", "close 1: false"}, again.calls)
		})
	}
}

// A session that ends and a process that is gone leave an epoch open: the next one has it again, in another session.
func TestLiveForeachAfterCrash(t *testing.T) {
	ctx, s := connect(t)
	dir, in := batchInput(t)
	begun := make(chan struct{})
	var l log
	l.process = func(ctx context.Context) error { close(begun); <-ctx.Done(); return ctx.Err() }
	_, err := s.Start(ctx, in.WriteTo(l.sink()).Checkpoint(dir+"/ck"))
	require.NoError(t, err)
	<-begun
	require.NoError(t, s.Close())
	ctx, s = connect(t)
	var again log
	q, err := s.Start(ctx, in.WriteTo(again.sink()).Checkpoint(dir+"/ck").Trigger(expr.AvailableNow()))
	require.NoError(t, err)
	require.NoError(t, q.AwaitTermination(ctx))
	require.Equal(t, []string{"open 0/1", "y 3", "close 1: false"}, again.calls)
}

// The state of a stateful query goes on by epochs that are left out too, and rows in update mode are those that changed.
func TestLiveForeachKeepsState(t *testing.T) {
	ctx, s := connect(t)
	dir, in := batchInput(t)
	type count struct {
		K string
		N int64
	}
	run := func(wanted bool) (got []count) {
		q, err := s.Start(ctx, in.GroupBy("k").Agg(expr.Count().As("n")).WriteTo(connectors.Foreach(func() expr.RowWriter[count] {
			return counted[count]{wanted, func(c count) { got = append(got, c) }}
		})).OutputMode(expr.Update).Checkpoint(dir+"/ck").Trigger(expr.AvailableNow()))
		require.NoError(t, err)
		require.NoError(t, q.AwaitTermination(ctx))
		return got
	}
	require.Empty(t, run(false))
	write(t, dir+"/in/c.json", "{\"ts\":\"2024-01-01T00:00:13Z\",\"k\":\"y\",\"v\":4}\n")
	require.Equal(t, []count{{"y", 3}}, run(true))
}

// counted is a writer that sees the rows where they are wanted.
type counted[T any] struct {
	wanted bool
	see    func(T)
}

func (c counted[T]) Open(context.Context, int64, int64) (bool, error) { return c.wanted, nil }

func (c counted[T]) Process(_ context.Context, row T) error {
	c.see(row)
	return nil
}

func (c counted[T]) Close(context.Context, error) error { return nil }
