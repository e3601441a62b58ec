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
	"github.com/spoonbill-go/spoonbill/window"
)

// eachOf starts a stream of the job's input, a file an epoch, into a function.
func eachOf(t *testing.T, s *local.Session, sink connectors.BatchSink, change func(expr.Write) expr.Write) (backend.Query, error) {
	t.Helper()
	p := expr.Read("payments", connectors.FromJSON("/in", connectors.RowsDDL("createTime TIMESTAMP, provinceId INT, payAmount DOUBLE"), connectors.MaxFilesPerTrigger(1)))
	w := p.WriteTo(sink).Checkpoint("/ckpt").Trigger(expr.AvailableNow())
	if change != nil {
		w = change(w)
	}
	return s.Start(ctx, w)
}

func TestForeachBatch(t *testing.T) {
	s := open(t, local.FileSystem(inputFiles(t, 3)))
	var (
		ids   []int64
		rows  int64
		kept  expr.Table
		names = expr.MemtableRows("names", []datatype.Field{{Name: "id", Type: datatype.Int}, {Name: "name", Type: datatype.String}}, [][]any{{0, "zero"}, {1, "one"}})
	)
	q, err := eachOf(t, s, connectors.ForeachBatch(func(ctx context.Context, batch expr.Table, id int64) error {
		ids, kept = append(ids, id), batch
		// It is read twice, joined, and written.
		for range 2 {
			n, err := backend.Count(ctx, s, batch)
			if err != nil {
				return err
			}
			rows += n
		}
		joined := batch.Join(names, batch.Num("provinceId").Eq(names.Num("id"))).Select("name", "payAmount")
		return s.Write(ctx, joined.WriteTo(connectors.ToJSON(fmt.Sprintf("/batches/%d", id))).SaveMode(expr.SaveOverwrite))
	}), nil)
	require.NoError(t, err)
	require.NoError(t, q.AwaitTermination(ctx))
	require.Equal(t, []int64{0, 1, 2}, ids)
	require.EqualValues(t, 2*120, rows)
	p, err := q.LastProgress(ctx)
	require.NoError(t, err)
	require.Equal(t, "ForeachBatchSink", p.Sink.Description)
	require.EqualValues(t, 40, p.Sink.NumOutputRows)
	_, err = backend.Collect[struct{ ProvinceID int }](ctx, s, kept.Select("provinceId"))
	require.Equal(t, condition.Closed, condition.Of(err))
	require.ErrorContains(t, err, "Batch 2 of the query was used after the function of ForeachBatch had ended")
}

// Windows in update mode: a batch is what changed.
func TestForeachBatchOfUpdates(t *testing.T) {
	f, p := payments(t)
	s := open(t)
	totals := map[string]float64{}
	w := p.Watermark("createTime", 10*time.Second)
	sums := w.GroupBy(window.Tumbling(w.Timestamp("createTime"), 10*time.Second)).Agg(w.Num("payAmount").Sum().As("total"))
	var sizes []int
	q, err := s.Start(ctx, sums.WriteTo(connectors.ForeachBatch(func(ctx context.Context, batch expr.Table, _ int64) error {
		type row struct {
			Start time.Time
			Total *float64
		}
		rows, err := backend.Collect[row](ctx, s, batch.Select(batch.Window("window").Start().As("start"), "total"))
		sizes = append(sizes, len(rows))
		for _, r := range rows {
			totals[r.Start.Format(time.TimeOnly)] = *r.Total
		}
		return err
	})).OutputMode(expr.Update))
	require.NoError(t, err)
	f.add([]any{clock("12:00:01"), 1, 1.5}, []any{clock("12:00:11"), 1, 2.0})
	require.NoError(t, q.ProcessAllAvailable(ctx))
	f.add([]any{clock("12:00:12"), 1, 3.0})
	require.NoError(t, q.ProcessAllAvailable(ctx))
	require.NoError(t, q.Stop(ctx))
	require.Equal(t, map[string]float64{"12:00:00": 1.5, "12:00:10": 5}, totals)
	require.Equal(t, 2, sizes[0])
	require.Contains(t, sizes[1:], 1)
}

func TestForeachBatchFails(t *testing.T) {
	broken := errors.New("no room in the archive")
	for name, c := range map[string]struct {
		f     expr.BatchFunc
		limit time.Duration
		says  string
		is    error
	}{
		"error":           {func(context.Context, expr.Table, int64) error { return broken }, 0, "failed with batch 1: no room in the archive", broken},
		"panic":           {func(context.Context, expr.Table, int64) error { panic("ouch") }, 0, "panicked with batch 1: ouch", nil},
		"panic of errors": {func(context.Context, expr.Table, int64) error { panic(broken) }, 0, "panicked with batch 1: no room", broken},
		"too long":        {func(ctx context.Context, _ expr.Table, _ int64) error { <-ctx.Done(); return ctx.Err() }, 5 * time.Millisecond, "did not end with batch 1 within 5ms", context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, local.FileSystem(inputFiles(t, 3)))
			var ids []int64
			fails := true
			sink := connectors.ForeachBatch(func(ctx context.Context, batch expr.Table, id int64) error {
				ids = append(ids, id)
				if id == 1 && fails {
					return c.f(ctx, batch, id)
				}
				return nil
			})
			if c.limit > 0 {
				sink = sink.Within(c.limit)
			}
			q, err := eachOf(t, s, sink, nil)
			require.NoError(t, err)
			err = q.AwaitTermination(ctx)
			require.Equal(t, condition.StreamFailed, condition.Of(err))
			require.ErrorContains(t, err, "FOREACH_BATCH_USER_FUNCTION_ERROR")
			require.ErrorContains(t, err, c.says)
			if c.is != nil {
				require.ErrorIs(t, err, c.is)
			}
			// Started again, the batch comes again under its number.
			fails = false
			q, err = eachOf(t, s, sink, nil)
			require.NoError(t, err)
			require.NoError(t, q.AwaitTermination(ctx))
			require.Equal(t, []int64{0, 1, 1, 2}, ids)
		})
	}
}

// A query that is stopped ends its function's context, and waits for it.
func TestForeachBatchStopped(t *testing.T) {
	s := open(t, local.FileSystem(inputFiles(t, 1)))
	begun, ended := make(chan struct{}), false
	q, err := eachOf(t, s, connectors.ForeachBatch(func(ctx context.Context, _ expr.Table, _ int64) error {
		close(begun)
		<-ctx.Done()
		ended = true
		return ctx.Err()
	}), nil)
	require.NoError(t, err)
	<-begun
	require.NoError(t, q.Stop(ctx))
	require.True(t, ended)
	require.NoError(t, q.AwaitTermination(ctx), "a query that was stopped has not failed")
}

// A function that stops its own query, or closes its session, does not wait for itself, however it asks.
func TestForeachBatchStopsItself(t *testing.T) {
	ways := map[string]func(ctx context.Context, s *local.Session, q backend.Query) error{
		"by its context": func(ctx context.Context, _ *local.Session, q backend.Query) error { return q.Stop(ctx) },
		"by another":     func(_ context.Context, _ *local.Session, q backend.Query) error { return q.Stop(context.Background()) },
		"by the session": func(_ context.Context, s *local.Session, _ backend.Query) error { return s.Close() },
		"on a goroutine": func(ctx context.Context, _ *local.Session, q backend.Query) error {
			done := make(chan error)
			go func() { done <- q.Stop(context.WithoutCancel(ctx)) }()
			return <-done
		},
	}
	for name, stop := range ways {
		t.Run(name, func(t *testing.T) {
			fs := inputFiles(t, 3)
			s := open(t, local.FileSystem(fs))
			var ids []int64
			self, ended := make(chan backend.Query, 1), make(chan bool, 1)
			q, err := eachOf(t, s, connectors.ForeachBatch(func(ctx context.Context, _ expr.Table, id int64) error {
				ids = append(ids, id)
				if id < 1 {
					return nil
				}
				err := stop(ctx, s, <-self)
				<-ctx.Done() // which the stop has ended
				ended <- true
				return err
			}), nil)
			require.NoError(t, err)
			self <- q
			limited, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			require.NoError(t, q.AwaitTermination(limited), "a query that was stopped has not failed")
			require.True(t, <-ended)
			require.Equal(t, []int64{0, 1}, ids)
			require.NoError(t, s.Close())
			// Started again, the batch comes again.
			again := open(t, local.FileSystem(fs))
			q, err = eachOf(t, again, connectors.ForeachBatch(func(_ context.Context, _ expr.Table, id int64) error {
				ids = append(ids, id)
				return nil
			}), nil)
			require.NoError(t, err)
			require.NoError(t, q.AwaitTermination(limited))
			require.Equal(t, []int64{0, 1, 1, 2}, ids)
		})
	}
}

// Another query is waited for, also within a function.
func TestForeachBatchStopsAnother(t *testing.T) {
	s := open(t, local.FileSystem(inputFiles(t, 1)))
	f, p := payments(t)
	f.add([]any{clock("12:00:01"), 1, 1.5})
	other, err := s.Start(ctx, p.WriteTo(connectors.Noop()))
	require.NoError(t, err)
	q, err := eachOf(t, s, connectors.ForeachBatch(func(ctx context.Context, _ expr.Table, _ int64) error {
		if err := other.Stop(ctx); err != nil {
			return err
		}
		if active, err := other.IsActive(ctx); err != nil || active {
			return fmt.Errorf("it still runs: %v", err)
		}
		return nil
	}), nil)
	require.NoError(t, err)
	require.NoError(t, q.AwaitTermination(ctx))
}

// Who keeps the number beside what a batch did does each batch once, over a crash at any call of the checkpoint.
func TestForeachBatchAfterCrash(t *testing.T) {
	run := func(fs vfs.FS, done map[int64]int64, seen *[]int64) error {
		s := open(t, local.FileSystem(fs), local.Parallelism(2))
		q, err := eachOf(t, s, connectors.ForeachBatch(func(ctx context.Context, batch expr.Table, id int64) error {
			*seen = append(*seen, id)
			n, err := backend.Count(ctx, s, batch)
			if was, ok := done[id]; ok && was != n {
				return fmt.Errorf("batch %d comes again with %d rows in the place of %d", id, n, was)
			}
			done[id] = n
			return err
		}), nil)
		if err != nil {
			return err
		}
		return q.AwaitTermination(ctx)
	}
	fs, calls := crashing(inputFiles(t, 3), 1<<60)
	require.NoError(t, run(fs, map[int64]int64{}, new([]int64)))
	again := 0
	for n := int64(0); n < calls.Load(); n += 3 {
		base, done, seen := inputFiles(t, 3), map[int64]int64{}, []int64{}
		fs, _ := crashing(base, n)
		require.ErrorIs(t, run(fs, done, &seen), errCrash, "call %d", n)
		require.NoError(t, run(base.CrashClone(vfs.CrashCloneCfg{}), done, &seen), "call %d", n)
		require.Equal(t, map[int64]int64{0: 40, 1: 40, 2: 40}, done, "call %d", n)
		require.True(t, slices.IsSorted(seen))
		again += len(seen) - 3
	}
	require.Greater(t, again, 0, "some batches came again")
}

func TestForeachBatchRefused(t *testing.T) {
	s := open(t, local.FileSystem(inputFiles(t, 1)))
	_, err := eachOf(t, s, connectors.ForeachBatch(nil), nil)
	require.Equal(t, condition.InvalidOption, condition.Of(err))
	require.ErrorContains(t, err, "nil")
	_, err = eachOf(t, s, connectors.BatchSink{}, nil)
	require.ErrorContains(t, err, "never made")
	_, err = eachOf(t, s, connectors.ForeachBatchSQL(), nil)
	require.ErrorContains(t, err, "needs a statement")
	_, err = eachOf(t, s, connectors.ForeachBatchSQL("SELECT 1", " "), nil)
	require.ErrorContains(t, err, "Statement 2")
	_, err = eachOf(t, s, connectors.ForeachBatchSQL("SELECT 1").Within(time.Second), nil)
	require.ErrorContains(t, err, "no time limit")
	nothing := func(context.Context, expr.Table, int64) error { return nil }
	_, err = eachOf(t, s, connectors.ForeachBatch(nothing).Within(time.Microsecond), nil)
	require.ErrorContains(t, err, "whole milliseconds")
	_, err = eachOf(t, s, connectors.ForeachBatchSQL("INSERT INTO t SELECT * FROM batch"), nil)
	require.Equal(t, condition.Unsupported, condition.Of(err))
	require.ErrorContains(t, err, "connectors.ForeachBatch")
	p := expr.Read("payments", connectors.FromJSON("/in", connectors.RowsDDL("a INT")))
	err = s.Write(ctx, p.WriteTo(connectors.ForeachBatch(nothing)))
	require.Error(t, err, "a batch has no batches")
}
