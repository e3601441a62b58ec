package local_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// paidRow is a row of the job's input.
type paidRow struct {
	CreateTime *time.Time
	ProvinceID *int32 `spoonbill:"provinceId"`
	PayAmount  *float64
}

// diary is what the writers of a test were asked.
type diary struct {
	calls []string
	rows  map[int64]int
	// open, process and end are what the methods do, where they are set.
	open    func(ctx context.Context, epoch int64) (bool, error)
	process func(ctx context.Context, epoch int64, row int) error
	end     func(ctx context.Context, epoch int64, failure error) error
}

// page is a writer that writes into a diary.
type page struct {
	d     *diary
	epoch int64
	n     int
}

func (p *page) Open(ctx context.Context, partition, epoch int64) (bool, error) {
	p.epoch = epoch
	p.d.calls = append(p.d.calls, fmt.Sprintf("open %d/%d", partition, epoch))
	if p.d.open != nil {
		return p.d.open(ctx, epoch)
	}
	return true, nil
}

func (p *page) Process(ctx context.Context, _ paidRow) error {
	p.n++
	if p.d.process != nil {
		return p.d.process(ctx, p.epoch, p.n-1)
	}
	return nil
}

func (p *page) Close(ctx context.Context, failure error) error {
	if p.d.rows == nil {
		p.d.rows = map[int64]int{}
	}
	if failure == nil {
		p.d.rows[p.epoch] = p.n
	}
	p.d.calls = append(p.d.calls, fmt.Sprintf("close %d after %d: %v", p.epoch, p.n, failure != nil))
	if p.d.end != nil {
		return p.d.end(ctx, p.epoch, failure)
	}
	return nil
}

func (d *diary) sink() connectors.RowSink {
	return connectors.Foreach(func() expr.RowWriter[paidRow] { return &page{d: d} })
}

// startRows starts a stream of the job's input, a file an epoch, into a sink.
func startRows(s *local.Session, sink expr.Sink) (backend.Query, error) {
	p := expr.Read("payments", connectors.FromJSON("/in", connectors.RowsDDL("createTime TIMESTAMP, provinceId INT, payAmount DOUBLE"), connectors.MaxFilesPerTrigger(1)))
	return s.Start(ctx, p.WriteTo(sink).Checkpoint("/ckpt").Trigger(expr.AvailableNow()))
}

func TestForeach(t *testing.T) {
	s := open(t, local.FileSystem(inputFiles(t, 3)))
	var d diary
	// An epoch that is not wanted is left out, and closed.
	d.open = func(_ context.Context, epoch int64) (bool, error) { return epoch != 1, nil }
	q, err := startRows(s, d.sink())
	require.NoError(t, err)
	require.NoError(t, q.AwaitTermination(ctx))
	require.Equal(t, []string{"open 0/0", "close 0 after 40: false", "open 0/1", "close 1 after 0: false", "open 0/2", "close 2 after 40: false"}, d.calls)
	p, err := q.LastProgress(ctx)
	require.NoError(t, err)
	require.EqualValues(t, 40, p.Sink.NumOutputRows)
}

// A function takes rows too, of any Go type that rows can be.
func TestForeachRow(t *testing.T) {
	s := open(t)
	in := connectors.NewMemoryStreamDDL("id INT, name STRING")
	require.NoError(t, in.AddRows([]any{1, "one"}, []any{nil, nil}))
	var got []any
	q, err := s.Start(ctx, expr.Read("in", in).WriteTo(connectors.ForeachRow(func(_ context.Context, row map[string]any) error {
		got = append(got, row)
		return nil
	})).Trigger(expr.AvailableNow()))
	require.NoError(t, err)
	require.NoError(t, q.AwaitTermination(ctx))
	require.Equal(t, []any{map[string]any{"id": int32(1), "name": "one"}, map[string]any{"id": nil, "name": nil}}, got)
}

// A state moves on by rows that nobody wants, as by others.
func TestForeachLeavesOutKeepsState(t *testing.T) {
	s := open(t)
	in := connectors.NewMemoryStreamDDL("k INT")
	type count struct {
		K int32
		N int64
	}
	var got []count
	rows := &counts[count]{wanted: func(epoch int64) bool { return epoch > 0 }, see: func(c count) { got = append(got, c) }}
	q, err := s.Start(ctx, expr.Read("in", in).GroupBy("k").Agg(expr.Count().As("n")).WriteTo(connectors.Foreach(func() expr.RowWriter[count] { return rows })).OutputMode(expr.Update))
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, in.AddRows([]any{7}))
		require.NoError(t, q.ProcessAllAvailable(ctx))
	}
	require.NoError(t, q.Stop(ctx))
	require.Equal(t, []count{{7, 2}}, got)
}

// counts is a writer that sees the rows of the epochs that it wants.
type counts[T any] struct {
	wanted func(epoch int64) bool
	see    func(T)
}

func (c *counts[T]) Open(_ context.Context, _, epoch int64) (bool, error) {
	return c.wanted(epoch), nil
}

func (c *counts[T]) Process(_ context.Context, row T) error {
	c.see(row)
	return nil
}

func (c *counts[T]) Close(context.Context, error) error { return nil }

func TestForeachFails(t *testing.T) {
	broken := errors.New("no room in the archive")
	hang := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	for name, c := range map[string]struct {
		d     diary
		limit time.Duration
		says  string
		is    error
		// closed tells that Close was called with a failure.
		closed bool
	}{
		"open fails":      {diary{open: func(context.Context, int64) (bool, error) { return false, broken }}, 0, "Open of Foreach failed with partition 0 of epoch 1: no room", broken, false},
		"open panics":     {diary{open: func(context.Context, int64) (bool, error) { panic("ouch") }}, 0, "Open of Foreach panicked with partition 0 of epoch 1: ouch", nil, false},
		"open hangs":      {diary{open: func(ctx context.Context, _ int64) (bool, error) { return false, hang(ctx) }}, 300 * time.Millisecond, "Open of Foreach did not end with partition 0 of epoch 1 within the 300ms", context.DeadlineExceeded, false},
		"process fails":   {diary{process: func(context.Context, int64, int) error { return broken }}, 0, "Process of Foreach failed with row 7 of partition 0 of epoch 1: no room", broken, true},
		"process panics":  {diary{process: func(context.Context, int64, int) error { panic(broken) }}, 0, "Process of Foreach panicked with row 7 of partition 0 of epoch 1: no room", broken, true},
		"process hangs":   {diary{process: func(ctx context.Context, _ int64, _ int) error { return hang(ctx) }}, 300 * time.Millisecond, "Process of Foreach did not end with row 7 of partition 0 of epoch 1 within the 300ms", context.DeadlineExceeded, true},
		"process is slow": {diary{process: func(context.Context, int64, int) error { time.Sleep(350 * time.Millisecond); return nil }}, 300 * time.Millisecond, "Process of Foreach did not end with row 8 of partition 0 of epoch 1 within the 300ms", context.DeadlineExceeded, true},
		"close fails":     {diary{end: func(context.Context, int64, error) error { return broken }}, 0, "Close of Foreach failed with partition 0 of epoch 1: no room", broken, false},
		"close panics":    {diary{end: func(context.Context, int64, error) error { panic("ouch") }}, 0, "Close of Foreach panicked with partition 0 of epoch 1: ouch", nil, false},
		"close hangs":     {diary{end: func(ctx context.Context, _ int64, _ error) error { return hang(ctx) }}, 300 * time.Millisecond, "Close of Foreach did not end with partition 0 of epoch 1 within the 300ms", context.DeadlineExceeded, false},
		"close too":       {diary{process: func(context.Context, int64, int) error { return errors.New("first") }, end: func(context.Context, int64, error) error { return broken }}, 0, "Process of Foreach failed with row 7 of partition 0 of epoch 1: first", broken, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fs := inputFiles(t, 3)
			s := open(t, local.FileSystem(fs))
			// Only epoch 1 fails, and of its rows the seventh.
			d := diary{}
			if f := c.d.open; f != nil {
				d.open = func(ctx context.Context, epoch int64) (bool, error) {
					if epoch != 1 {
						return true, nil
					}
					return f(ctx, epoch)
				}
			}
			if f := c.d.process; f != nil {
				d.process = func(ctx context.Context, epoch int64, row int) error {
					if epoch != 1 || row != 7 {
						return nil
					}
					return f(ctx, epoch, row)
				}
			}
			var failure error
			d.end = func(ctx context.Context, epoch int64, err error) error {
				if epoch != 1 {
					return nil
				}
				failure = err
				if err := ctx.Err(); err != nil {
					return fmt.Errorf("Close began without a context: %w", err)
				}
				if c.d.end != nil {
					return c.d.end(ctx, epoch, err)
				}
				return nil
			}
			sink := d.sink()
			if c.limit > 0 {
				sink = sink.Within(c.limit)
			}
			q, err := startRows(s, sink)
			require.NoError(t, err)
			err = q.AwaitTermination(ctx)
			require.Equal(t, condition.StreamFailed, condition.Of(err))
			require.ErrorContains(t, err, "FOREACH_USER_FUNCTION_ERROR")
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, err, "local/foreachrow_test.go:", "the place of the sink")
			if c.is != nil {
				require.ErrorIs(t, err, c.is)
			}
			require.Equal(t, c.closed, failure != nil, "%v", failure)
			// Started again, the epoch comes again under its number.
			var again diary
			q, err = startRows(s, again.sink())
			require.NoError(t, err)
			require.NoError(t, q.AwaitTermination(ctx))
			require.Equal(t, map[int64]int{1: 40, 2: 40}, again.rows)
		})
	}
}

// A stop ends the writer's context and waits for it; Close is told why, under a context that has not ended.
func TestForeachStopped(t *testing.T) {
	s := open(t, local.FileSystem(inputFiles(t, 1)))
	begun := make(chan struct{})
	var failure, closing error
	d := diary{
		process: func(ctx context.Context, _ int64, _ int) error { close(begun); <-ctx.Done(); return ctx.Err() },
		end:     func(ctx context.Context, _ int64, err error) error { failure, closing = err, ctx.Err(); return nil },
	}
	q, err := startRows(s, d.sink())
	require.NoError(t, err)
	<-begun
	require.NoError(t, q.Stop(ctx))
	require.ErrorIs(t, failure, context.Canceled)
	require.NoError(t, closing)
	require.NoError(t, q.AwaitTermination(ctx), "a query that was stopped has not failed")
}

// Each method may stop its own query or close its session, and does not wait for itself.
func TestForeachStopsItself(t *testing.T) {
	for _, method := range []string{"open", "process", "close"} {
		for name, stop := range map[string]func(ctx context.Context, s *local.Session, q backend.Query) error{
			"query": func(ctx context.Context, _ *local.Session, q backend.Query) error { return q.Stop(ctx) },
			"other": func(_ context.Context, _ *local.Session, q backend.Query) error { return q.Stop(context.Background()) },
			"session": func(ctx context.Context, s *local.Session, _ backend.Query) error {
				err := s.Close()
				<-ctx.Done() // which the end of the session has ended
				return err
			},
		} {
			t.Run(method+" "+name, func(t *testing.T) {
				t.Parallel()
				fs := inputFiles(t, 3)
				s := open(t, local.FileSystem(fs))
				self := make(chan backend.Query, 1)
				var d diary
				switch method {
				case "open":
					d.open = func(ctx context.Context, epoch int64) (bool, error) {
						if epoch == 1 {
							return true, stop(ctx, s, <-self)
						}
						return true, nil
					}
				case "process":
					d.process = func(ctx context.Context, epoch int64, row int) error {
						if epoch == 1 && row == 7 {
							return stop(ctx, s, <-self)
						}
						return nil
					}
				case "close":
					d.end = func(ctx context.Context, epoch int64, _ error) error {
						if epoch == 1 {
							return stop(ctx, s, <-self)
						}
						return nil
					}
				}
				q, err := startRows(s, d.sink())
				require.NoError(t, err)
				self <- q
				limited, cancel := context.WithTimeout(ctx, time.Minute)
				defer cancel()
				require.NoError(t, q.AwaitTermination(limited), "a query that was stopped has not failed")
				require.NoError(t, s.Close())
				var again diary
				q, err = startRows(open(t, local.FileSystem(fs)), again.sink())
				require.NoError(t, err)
				require.NoError(t, q.AwaitTermination(limited))
				require.Equal(t, map[int64]int{1: 40, 2: 40}, again.rows)
			})
		}
	}
}

// Who keeps the number beside what an epoch did does each one once, over a crash at any call of the checkpoint.
func TestForeachAfterCrash(t *testing.T) {
	run := func(fs vfs.FS, d *diary) error {
		q, err := startRows(open(t, local.FileSystem(fs), local.Parallelism(2)), d.sink())
		if err != nil {
			return err
		}
		return q.AwaitTermination(ctx)
	}
	fs, calls := crashing(inputFiles(t, 3), 1<<60)
	require.NoError(t, run(fs, new(diary)))
	again := 0
	for n := int64(0); n < calls.Load(); n += 5 {
		base := inputFiles(t, 3)
		var d diary
		fs, _ := crashing(base, n)
		require.ErrorIs(t, run(fs, &d), errCrash, "call %d", n)
		require.NoError(t, run(base.CrashClone(vfs.CrashCloneCfg{}), &d), "call %d", n)
		require.Equal(t, map[int64]int{0: 40, 1: 40, 2: 40}, d.rows, "call %d", n)
		var opened []string
		for _, c := range d.calls {
			if c[0] == 'o' {
				opened = append(opened, c)
			}
		}
		require.True(t, slices.IsSorted(opened))
		again += len(opened) - 3
	}
	require.Greater(t, again, 0, "some epochs came again")
}

// A row that does not fit, and one that the query cannot compute, are told to Close and end the query under their own condition.
func TestForeachRowsFail(t *testing.T) {
	s := open(t)
	in := connectors.NewMemoryStreamDDL("id INT")
	require.NoError(t, in.AddRows([]any{1}, []any{nil}))
	var failure error
	closes := func(err error) { failure = err }
	run := func(table expr.Table) error {
		q, err := s.Start(ctx, table.WriteTo(connectors.Foreach(func() expr.RowWriter[int32] { return whole{closes} })).Trigger(expr.AvailableNow()))
		require.NoError(t, err)
		return q.AwaitTermination(ctx)
	}
	rows := expr.Read("in", in)
	err := run(rows)
	require.ErrorContains(t, err, "row 1: the column id is null")
	require.Equal(t, condition.NotNullViolation, condition.Of(failure))
	failure = nil
	err = run(rows.Select(rows.Num("id").IntDiv(0).Cast(datatype.Int).As("id")))
	require.ErrorContains(t, err, condition.DivideByZero)
	require.Equal(t, condition.DivideByZero, condition.Of(failure))
}

// whole is a writer of rows of one number.
type whole struct{ closes func(error) }

func (w whole) Open(context.Context, int64, int64) (bool, error) { return true, nil }
func (w whole) Process(context.Context, int32) error             { return nil }
func (w whole) Close(_ context.Context, failure error) error     { w.closes(failure); return failure }

func TestForeachRefused(t *testing.T) {
	s := open(t, local.FileSystem(inputFiles(t, 1)))
	_, err := startRows(s, connectors.Foreach[paidRow](nil))
	require.Equal(t, condition.InvalidOption, condition.Of(err))
	require.ErrorContains(t, err, "nil")
	_, err = startRows(s, connectors.ForeachRow[paidRow](nil))
	require.ErrorContains(t, err, "nil")
	_, err = startRows(s, connectors.RowSink{})
	require.ErrorContains(t, err, "never made")
	_, err = startRows(s, new(diary).sink().Within(time.Microsecond))
	require.ErrorContains(t, err, "whole milliseconds")
	_, err = startRows(s, connectors.ForeachRow(func(context.Context, int64) error { return nil }))
	require.Equal(t, condition.CannotUpCast, condition.Of(err), "a row that does not fit is told when the query begins: %v", err)
	require.ErrorContains(t, err, "local/foreachrow_test.go:")
	q, err := startRows(s, connectors.Foreach(func() expr.RowWriter[paidRow] { return nil }))
	require.NoError(t, err)
	require.ErrorContains(t, q.AwaitTermination(ctx), "made no writer")
	p := expr.Read("payments", connectors.FromJSON("/in", connectors.RowsDDL("a INT")))
	require.Error(t, s.Write(ctx, p.WriteTo(new(diary).sink())), "a batch has no epochs")
}
