//go:build conformance

package sparkconnect_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/sparkconnect"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/window"
)

func fieldsOf(t *testing.T, ddl string) []datatype.Field {
	t.Helper()
	fields, err := datatype.ParseFields(ddl)
	require.NoError(t, err)
	return fields
}

// batchInput is a stream of two files, a file a batch.
func batchInput(t *testing.T) (dir string, in expr.Table) {
	t.Helper()
	dir = env.Dir(t)
	require.NoError(t, os.Mkdir(dir+"/in", 0o777))
	require.NoError(t, os.Chmod(dir+"/in", 0o777))
	write(t, dir+"/in/a.json", "{\"ts\":\"2024-01-01T00:00:01Z\",\"k\":\"x\",\"v\":1}\n{\"ts\":\"2024-01-01T00:00:11Z\",\"k\":\"y\",\"v\":2}\n")
	early := time.Now().Add(-time.Minute)
	require.NoError(t, os.Chtimes(dir+"/in/a.json", early, early))
	write(t, dir+"/in/b.json", "{\"ts\":\"2024-01-01T00:00:12Z\",\"k\":\"y\",\"v\":3}\n")
	return dir, expr.Read("events", jsonFiles(t, dir+"/in", "ts TIMESTAMP, k STRING, v INT", tree.Option{Key: "maxFilesPerTrigger", Value: "1"}))
}

// A Go function gets each batch as a table, which it reads twice, joins and writes.
func TestLiveForeachBatch(t *testing.T) {
	ctx, s := connect(t)
	dir, in := batchInput(t)
	names := expr.MemtableRows("names", fieldsOf(t, "id STRING, name STRING"), [][]any{{"y", "ypsilon"}})
	seen := map[int64]int64{}
	var kept expr.Table
	start := func(f expr.BatchFunc) (backend.Query, error) {
		return s.Start(ctx, in.WriteTo(connectors.ForeachBatch(f)).Checkpoint(dir+"/ck").Trigger(expr.AvailableNow()))
	}
	broken := errors.New("no room in the 'archive'")
	var ids []int64
	f := func(fail bool) expr.BatchFunc {
		return func(ctx context.Context, batch expr.Table, id int64) error {
			ids, kept = append(ids, id), batch
			for range 2 {
				n, err := backend.Count(ctx, s, batch)
				if err != nil {
					return err
				}
				seen[id] = n
			}
			if fail && id == 1 {
				return broken
			}
			joined := batch.Join(names, batch.Str("k").Eq(names.Str("id"))).Select("name", "v")
			return s.Write(ctx, joined.WriteTo(parquetFiles(fmt.Sprintf("%s/out/%d", dir, id))).SaveMode(expr.SaveOverwrite))
		}
	}
	q, err := start(f(true))
	require.NoError(t, err)
	err = q.AwaitTermination(ctx)
	require.Equal(t, condition.StreamFailed, condition.Of(err), "%v", err)
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, "failed with batch 1: no room in the 'archive'")
	failure, err := q.Exception(ctx)
	require.NoError(t, err)
	require.ErrorIs(t, failure, broken)

	// Started again, the batch comes again under its number.
	q, err = start(f(false))
	require.NoError(t, err)
	require.NoError(t, q.AwaitTermination(ctx))
	require.Equal(t, []int64{0, 1, 1}, ids)
	require.Equal(t, map[int64]int64{0: 2, 1: 1}, seen)
	for id, want := range map[int]int32{0: 2, 1: 3} {
		type row struct {
			Name string
			V    int32
		}
		rows, err := backend.Collect[row](ctx, s, expr.Read("out", source{tree.Source{Format: "parquet", Path: fmt.Sprintf("%s/out/%d", dir, id), Fields: fieldsOf(t, "name STRING, v INT"), Batch: true}}))
		require.NoError(t, err)
		require.Equal(t, []row{{"ypsilon", want}}, rows)
	}
	_, err = backend.Count(ctx, s, kept)
	require.Equal(t, condition.TableNotFound, condition.Of(err), "behind the call the rows are gone: %v", err)
}

// Windows in update mode; state is kept right, whatever the function reads.
func TestLiveForeachBatchOfUpdates(t *testing.T) {
	ctx, s := connect(t, sparkconnect.Config("spark.sql.shuffle.partitions", "1"))
	dir, in := batchInput(t)
	w := in.Watermark("ts", 5*time.Second)
	sums := w.GroupBy(window.Tumbling(w.Timestamp("ts"), 10*time.Second)).Agg(w.Num("v").Sum().As("total"))
	type row struct {
		Start time.Time
		Total int64
	}
	got := map[int64][]row{}
	q, err := s.Start(ctx, sums.WriteTo(connectors.ForeachBatch(func(ctx context.Context, batch expr.Table, id int64) error {
		rows, err := backend.Collect[row](ctx, s, batch.Select(batch.Window("window").Start().As("start"), "total").OrderBy("start"))
		got[id] = rows
		return err
	})).OutputMode(expr.Update).Checkpoint(dir+"/ck").Trigger(expr.AvailableNow()))
	require.NoError(t, err)
	require.NoError(t, q.AwaitTermination(ctx))
	at := func(second int) time.Time { return time.Date(2024, 1, 1, 0, 0, second, 0, time.UTC) }
	require.Equal(t, []row{{at(0), 1}, {at(10), 2}}, got[0])
	all := []row{}
	for id := int64(1); id < int64(len(got)); id++ {
		all = append(all, got[id]...)
	}
	require.Equal(t, []row{{at(10), 5}}, all)
}

func TestLiveForeachBatchPanics(t *testing.T) {
	ctx, s := connect(t)
	before := batchViews(ctx, t, s)
	dir, in := batchInput(t)
	q, err := s.Start(ctx, in.WriteTo(connectors.ForeachBatch(func(context.Context, expr.Table, int64) error { panic("ouch") })).Checkpoint(dir+"/ck"))
	require.NoError(t, err)
	err = q.AwaitTermination(ctx)
	require.ErrorContains(t, err, "panicked with batch 0: ouch")

	// A function that takes too long.
	q, err = s.Start(ctx, in.WriteTo(connectors.ForeachBatch(func(ctx context.Context, _ expr.Table, _ int64) error { <-ctx.Done(); return ctx.Err() }).Within(2*time.Second)).Checkpoint(dir+"/ck"))
	require.NoError(t, err)
	err = q.AwaitTermination(ctx)
	require.Equal(t, condition.StreamFailed, condition.Of(err), "%v", err)
	require.ErrorContains(t, err, "did not end with batch 0 within 2")

	// Stopping ends the function's context.
	begun, ended := make(chan struct{}), make(chan struct{})
	q, err = s.Start(ctx, in.WriteTo(connectors.ForeachBatch(func(ctx context.Context, _ expr.Table, _ int64) error {
		close(begun)
		<-ctx.Done()
		close(ended)
		return ctx.Err()
	})).Checkpoint(dir+"/ck"))
	require.NoError(t, err)
	<-begun
	require.NoError(t, q.Stop(ctx))
	<-ended
	require.NoError(t, q.AwaitTermination(ctx))
	active, err := q.IsActive(ctx)
	require.NoError(t, err)
	require.False(t, active)

	// Nothing of a batch stays behind.
	require.Equal(t, before, batchViews(ctx, t, s))

	// The end of the session ends a function that runs.
	running := make(chan struct{})
	_, err = s.Start(ctx, in.WriteTo(connectors.ForeachBatch(func(ctx context.Context, _ expr.Table, _ int64) error {
		close(running)
		<-ctx.Done()
		return ctx.Err()
	})).Checkpoint(dir+"/ck"))
	require.NoError(t, err)
	<-running
	require.NoError(t, s.Close())
	_, later := connect(t)
	require.Equal(t, before, batchViews(ctx, t, later))
}

// batchViews are the batches that stand in views of the server, whoever's they are: one that was killed leaves some.
func batchViews(ctx context.Context, t *testing.T, s *sparkconnect.Session) (names []string) {
	t.Helper()
	views, err := s.Catalog().ListTables(ctx, "*", "global_temp")
	require.NoError(t, err)
	for _, v := range views {
		if strings.HasPrefix(v.Name, "spoonbill_batch_") {
			names = append(names, v.Name)
		}
	}
	return names
}

// A function stops its own query, by the handle of the start and by one that the session gives, or closes its session.
func TestLiveForeachBatchStopsItself(t *testing.T) {
	for name, stop := range map[string]func(ctx context.Context, s *sparkconnect.Session, q backend.Query) error{
		"query": func(_ context.Context, _ *sparkconnect.Session, q backend.Query) error {
			return q.Stop(context.Background())
		},
		"handle": func(ctx context.Context, s *sparkconnect.Session, q backend.Query) error {
			found, err := s.Streams().Query(ctx, q.ID())
			if err != nil {
				return err
			}
			return found.Stop(ctx)
		},
		"session": func(_ context.Context, s *sparkconnect.Session, _ backend.Query) error { return s.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, s := connect(t)
			before := batchViews(ctx, t, s)
			dir, in := batchInput(t)
			self, ended := make(chan backend.Query, 1), make(chan error, 1)
			var ids []int64
			q, err := s.Start(ctx, in.WriteTo(connectors.ForeachBatch(func(ctx context.Context, _ expr.Table, id int64) error {
				ids = append(ids, id)
				err := stop(ctx, s, <-self)
				<-ctx.Done()
				ended <- err
				return nil
			})).Checkpoint(dir+"/ck"))
			require.NoError(t, err)
			self <- q
			require.NoError(t, <-ended)
			if name != "session" {
				require.NoError(t, q.AwaitTermination(ctx))
				require.NoError(t, q.Stop(ctx))
			}
			require.Equal(t, []int64{0}, ids)
			_, later := connect(t)
			require.Equal(t, before, batchViews(ctx, t, later))
		})
	}
}

// Statements run on the server, with the number of the batch.
func TestLiveForeachBatchSQL(t *testing.T) {
	ctx, s := connect(t)
	dir, in := batchInput(t)
	name := fmt.Sprintf("each_%d", time.Now().UnixNano())
	empty := expr.MemtableRows("none", fieldsOf(t, "id BIGINT, k STRING, v INT"), nil)
	require.NoError(t, s.Write(ctx, empty.WriteTo(sink{tree.Sink{Format: "table", Path: name, Batch: true}})))
	q, err := s.Start(ctx, in.WriteTo(connectors.ForeachBatchSQL("INSERT INTO "+name+" SELECT session.batch_id, k, v FROM batch WHERE k = 'y'")).Checkpoint(dir+"/ck").Trigger(expr.AvailableNow()))
	require.NoError(t, err)
	require.NoError(t, q.AwaitTermination(ctx))
	table, err := s.Table(ctx, name)
	require.NoError(t, err)
	type row struct {
		ID int64
		K  string
		V  int32
	}
	rows, err := backend.Collect[row](ctx, s, table.OrderBy("id"))
	require.NoError(t, err)
	require.Equal(t, []row{{0, "y", 2}, {1, "y", 3}}, rows)

	q, err = s.Start(ctx, in.WriteTo(connectors.ForeachBatchSQL("INSERT INTO nowhere_at_all SELECT * FROM batch")).Trigger(expr.AvailableNow()))
	require.NoError(t, err)
	require.ErrorContains(t, q.AwaitTermination(ctx), "nowhere_at_all")
}

// A batch is computed once and to its end whatever the statements read of it: one that reads nothing of it leaves the state as it must be, and several read the same rows.
func TestLiveForeachBatchSQLKeepsState(t *testing.T) {
	ctx, s := connect(t)
	dir, in := batchInput(t)
	name := fmt.Sprintf("state_%d", time.Now().UnixNano())
	empty := expr.MemtableRows("none", fieldsOf(t, "id BIGINT, k STRING, n BIGINT"), nil)
	require.NoError(t, s.Write(ctx, empty.WriteTo(sink{tree.Sink{Format: "table", Path: name, Batch: true}})))
	counts := in.GroupBy("k").Agg(expr.Count().As("n"))
	run := func(statements ...string) {
		q, err := s.Start(ctx, counts.WriteTo(connectors.ForeachBatchSQL(statements...)).OutputMode(expr.Update).Checkpoint(dir+"/ck").Trigger(expr.AvailableNow()))
		require.NoError(t, err)
		require.NoError(t, q.AwaitTermination(ctx))
	}
	run("SELECT 1")
	write(t, dir+"/in/c.json", "{\"ts\":\"2024-01-01T00:00:13Z\",\"k\":\"y\",\"v\":4}\n")
	insert := "INSERT INTO " + name + " SELECT session.batch_id, k, n FROM batch"
	run(insert, insert)
	table, err := s.Table(ctx, name)
	require.NoError(t, err)
	type row struct {
		ID int64
		K  string
		N  int64
	}
	rows, err := backend.Collect[row](ctx, s, table)
	require.NoError(t, err)
	require.Equal(t, []row{{2, "y", 3}, {2, "y", 3}}, rows)
}

// The version of the server's Python is found from another one, and from its own.
func TestLivePython(t *testing.T) {
	ctx, s := connect(t)
	found, err := sparkconnect.AskPython(s, ctx, "3.7")
	require.NoError(t, err)
	require.Regexp(t, `^3\.\d+$`, found)
	require.NotEqual(t, "3.7", found)
	again, err := sparkconnect.AskPython(s, ctx, found)
	require.NoError(t, err)
	require.Equal(t, found, again)
}
