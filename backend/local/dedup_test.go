package local_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// dedup puts a deduplication of the tree over a table.
func dedup(t *testing.T, table expr.Table, within bool, keys ...int) tree.Relation {
	r, err := table.Relation()
	require.NoError(t, err)
	return &tree.Deduplicate{Node: tree.Node{Out: r.Schema()}, Input: r, Keys: keys, WithinWatermark: within}
}

func startTree(t *testing.T, s *local.Session, r tree.Relation, sink *collector) interface {
	ProcessAllAvailable(context.Context) error
	Stop(context.Context) error
} {
	desc, err := sink.Sink()
	require.NoError(t, err)
	q, err := s.StartTree(ctx, &tree.Write{Input: r, Sink: desc, Checkpoint: t.TempDir()})
	require.NoError(t, err)
	return q
}

func TestDeduplicateWithinWatermark(t *testing.T) {
	// (k,0), (k,9), (k,15) in turn under a delay of 10 s: the entry lives until the watermark passes 0 + 10 s.
	f := newFeed(t, "k STRING, at TIMESTAMP")
	p := expr.Read("in", f).Watermark("at", 10*time.Second)
	sink := newCollector()
	q := startTree(t, open(t), dedup(t, p, true, 0), sink)
	base := clock("12:00:00")
	for _, s := range []int{0, 9, 15} {
		f.add([]any{"k", base.Add(time.Duration(s) * time.Second)})
		require.NoError(t, q.ProcessAllAvailable(ctx))
	}
	require.Equal(t, []string{"k|2024-01-01 12:00:00"}, sink.rows())
	// Past it the key is new again.
	f.add([]any{"other", base.Add(40 * time.Second)})
	require.NoError(t, q.ProcessAllAvailable(ctx))
	f.add([]any{"k", base.Add(41 * time.Second)})
	require.NoError(t, q.ProcessAllAvailable(ctx))
	require.Contains(t, sink.rows(), "k|2024-01-01 12:00:41")
	require.NoError(t, q.Stop(ctx))
}

func TestDeduplicateByKeyAndTime(t *testing.T) {
	f := newFeed(t, "k STRING, at TIMESTAMP")
	p := expr.Read("in", f).Watermark("at", 10*time.Second)
	sink := newCollector()
	q := startTree(t, open(t), dedup(t, p, false, 0, 1), sink)
	a, b := clock("12:00:00"), clock("12:01:00")
	f.add([]any{"k", a}, []any{"k", a}, []any{nil, a}, []any{nil, a})
	require.NoError(t, q.ProcessAllAvailable(ctx))
	f.add([]any{"k", a}, []any{"k", b})
	require.NoError(t, q.ProcessAllAvailable(ctx))
	f.add([]any{"k", a}) // late: dropped
	require.NoError(t, q.ProcessAllAvailable(ctx))
	require.Equal(t, []string{"NULL|2024-01-01 12:00:00", "k|2024-01-01 12:00:00", "k|2024-01-01 12:01:00"}, sink.rows())
	require.NoError(t, q.Stop(ctx))
}

func TestBatchDeduplicate(t *testing.T) {
	f := newFeed(t, "k STRING, v INT")
	f.add([]any{"a", 1}, []any{"a", 2}, []any{nil, 3}, []any{nil, 4})
	res, err := open(t).Relation(ctx, dedup(t, expr.Read("in", f), false, 0))
	require.NoError(t, err)
	var out []string
	for rec, err := range res.Batches {
		require.NoError(t, err)
		out = append(out, lines(res.Fields, rec)...)
	}
	require.Equal(t, []string{"a|1", "NULL|3"}, out)
}

func TestCancel(t *testing.T) {
	f := newFeed(t, "n BIGINT")
	rows := make([][]any, 20_000)
	for i := range rows {
		rows[i] = []any{i}
	}
	f.add(rows...)
	n := expr.Read("n", f)
	// Four hundred million pairs that no row of passes: nothing comes out before the end.
	m := n.View()
	cross := n.Join(m, n.Num("n").Add(m.Num("n")).Lt(-1))
	for _, parallelism := range []int{1, 3} {
		s := open(t, local.Parallelism(parallelism), local.BatchRows(1000))
		for _, table := range []expr.Table{cross, cross.Agg(expr.Count().As("n"))} {
			c, cancel := context.WithCancel(ctx)
			res, err := s.Batches(c, table)
			require.NoError(t, err)
			done := make(chan error, 1)
			go func() {
				var last error
				for _, err := range res.Batches {
					last = err
				}
				done <- last
			}()
			time.Sleep(20 * time.Millisecond)
			cancel()
			select {
			case err := <-done:
				require.ErrorIs(t, err, context.Canceled)
			case <-time.After(5 * time.Second): // far less than the query would take
				t.Fatal("the query runs on")
			}
		}
	}
}

// A fault of the engine or a connector ends the query that met it, and nothing else.
func TestPanicIsAnError(t *testing.T) {
	f := newFeed(t, "n BIGINT")
	f.add([]any{1})
	f.panics = true
	n := expr.Read("n", f)
	_, err := tryCollect(open(t, local.Parallelism(2)), n.Agg(n.Num("n").Sum().As("s")))
	require.Equal(t, condition.InternalError, condition.Of(err))
	require.Contains(t, err.Error(), "a planted fault")
	q, err := open(t).Start(ctx, n.WriteTo(newCollector()).Checkpoint(t.TempDir()))
	require.NoError(t, err)
	err = q.AwaitTermination(ctx)
	require.Equal(t, condition.StreamFailed, condition.Of(err))
	require.Contains(t, err.Error(), "a planted fault")
}

func TestProcessingTime(t *testing.T) {
	f := newFeed(t, "n BIGINT")
	n := expr.Read("n", f)
	sink := newCollector()
	q, err := open(t).Start(ctx, n.WriteTo(sink).Checkpoint(t.TempDir()).Trigger(expr.ProcessingTime(time.Millisecond)))
	require.NoError(t, err)
	for i := range 3 {
		f.add([]any{i})
		require.NoError(t, q.ProcessAllAvailable(ctx))
	}
	require.Equal(t, []string{"0", "1", "2"}, sink.rows())
	require.NoError(t, q.Stop(ctx))
	status, err := q.Status(ctx)
	require.NoError(t, err)
	require.Equal(t, "Stopped", status.Message)
}

func TestClosedSession(t *testing.T) {
	f := newFeed(t, "n BIGINT")
	n := expr.Read("n", f)
	s, err := local.Open()
	require.NoError(t, err)
	q, err := s.Start(ctx, n.WriteTo(newCollector()).Checkpoint(t.TempDir()))
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.NoError(t, q.AwaitTermination(ctx))
	_, err = tryCollect(s, n)
	require.Equal(t, condition.Closed, condition.Of(err))
	for _, o := range []local.Option{local.TimeZone("Nowhere/Never"), local.Parallelism(0), local.BatchRows(-1)} {
		_, err := local.Open(o)
		require.Equal(t, condition.InvalidOption, condition.Of(err))
	}
}

// A session that is closed while a query starts leaves no query behind.
func TestCloseWhileAQueryStarts(t *testing.T) {
	f := newFeed(t, "n BIGINT")
	s, err := local.Open()
	require.NoError(t, err)
	closed := make(chan error)
	f.asked = func() {
		go func() { closed <- s.Close() }()
		for condition.Of(func() error { _, err := tryCollect(s, memtable(t, "n INT", [][]any{{1}})); return err }()) != condition.Closed {
			time.Sleep(time.Millisecond)
		}
	}
	q, err := s.Start(ctx, expr.Read("n", f).WriteTo(newCollector()).Checkpoint(t.TempDir()))
	require.Equal(t, condition.Closed, condition.Of(err))
	require.NoError(t, <-closed)
	require.Nil(t, q) // goroutines that are left behind fail the package
}

// Two running queries of a session have different names; the name is free again when its query has ended or did not start.
func TestNamesOfRunningQueries(t *testing.T) {
	f := newFeed(t, "n BIGINT")
	s := open(t)
	start := func(name, dir string) (backend.Query, error) {
		return s.Start(ctx, expr.Read("n", f).WriteTo(newCollector()).Checkpoint(dir).Name(name))
	}
	dir := t.TempDir()
	q, err := start("twin", dir)
	require.NoError(t, err)
	_, err = start("twin", t.TempDir())
	require.Equal(t, condition.InvalidOption, condition.Of(err))
	require.Contains(t, err.Error(), "Cannot start query with name twin as a query with that name is already active")
	_, err = start("other", dir)
	require.Equal(t, condition.ConcurrentStreamLog, condition.Of(err))
	other, err := start("other", t.TempDir())
	require.NoError(t, err)
	require.NoError(t, q.Stop(ctx))
	q, err = start("twin", t.TempDir())
	require.NoError(t, err)
	var inner error
	// While one of a name is started, another is refused too.
	f.asked = func() {
		f.asked = nil
		_, inner = start("third", t.TempDir())
	}
	third, err := start("third", t.TempDir())
	require.NoError(t, err)
	require.Equal(t, condition.InvalidOption, condition.Of(inner))
	for _, q := range []backend.Query{q, other, third} {
		require.NoError(t, q.Stop(ctx))
	}
}

// The rows of a result can be read once, as those of a Spark session.
func TestRowsAreReadOnce(t *testing.T) {
	f := newFeed(t, "n BIGINT")
	f.add([]any{1})
	res, err := open(t).Batches(ctx, expr.Read("n", f))
	require.NoError(t, err)
	read := func() (n int64, err error) {
		for rec, e := range res.Batches {
			if err = e; err == nil {
				n += rec.NumRows()
			}
		}
		return n, err
	}
	n, err := read()
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	n, err = read()
	require.Zero(t, n)
	require.Equal(t, condition.Closed, condition.Of(err))
}
