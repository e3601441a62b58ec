package local_test

import (
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/window"
)

// Rows that a watermark drops go to a sink of their own, row by row, and are counted.
func TestLateRows(t *testing.T) {
	at := func(s string) time.Time { return clock(s) }
	for name, c := range map[string]struct {
		table func(p expr.Table) expr.Table
		late  []string
	}{
		"windows": {func(p expr.Table) expr.Table {
			return p.GroupBy(window.Sliding(p.Timestamp("createTime"), time.Minute, 30*time.Second), "provinceId").Agg(p.Num("payAmount").Sum().As("s"))
		}, []string{
			`1|0|2024-01-01 12:29:50|2024-01-01 12:00:30|{"createTime":"2024-01-01T12:00:01.000Z","provinceId":1,"payAmount":2.0}`,
			`1|0|2024-01-01 12:29:50|2024-01-01 12:01:00|{"createTime":"2024-01-01T12:00:01.000Z","provinceId":1,"payAmount":2.0}`,
		}},
		"dedup": {func(p expr.Table) expr.Table { return p.DropDuplicates("createTime", "provinceId") },
			[]string{`1|0|2024-01-01 12:29:50|2024-01-01 12:00:01|{"createTime":"2024-01-01T12:00:01.000Z","provinceId":1,"payAmount":2.0}`}},
		"process": {inTurn,
			[]string{`1|0|2024-01-01 12:29:50|2024-01-01 12:00:01|{"createTime":"2024-01-01T12:00:01.000Z","provinceId":1,"payAmount":2.0}`}},
		"pattern": {dips,
			[]string{`1|0|2024-01-01 12:29:50|2024-01-01 12:00:01|{"createTime":"2024-01-01T12:00:01.000Z","provinceId":1,"payAmount":2.0}`}},
		"sessions": {func(p expr.Table) expr.Table {
			return p.GroupBy(window.Session(p.Timestamp("createTime"), 10*time.Second), "provinceId").Agg(expr.Count().As("n"))
		}, []string{`1|0|2024-01-01 12:29:50|2024-01-01 12:00:11|`}},
	} {
		t.Run(name, func(t *testing.T) {
			f, p := payments(t)
			sink, late := newCollector(), newCollector()
			q, err := open(t).Start(ctx, c.table(p.Watermark("createTime", 10*time.Second)).WriteTo(sink).LateRows(late).Checkpoint(t.TempDir()))
			require.NoError(t, err)
			f.add([]any{at("12:30:00"), 1, 1.0})
			require.NoError(t, q.ProcessAllAvailable(ctx))
			// In the first epoch nothing is late yet; the one without data behind it has moved the bound.
			f.add([]any{at("12:00:01"), 1, 2.0}, []any{at("12:30:00"), 2, 1.0}, []any{nil, 1, 1.0})
			require.NoError(t, q.ProcessAllAvailable(ctx))
			require.NoError(t, q.Stop(ctx))
			got := late.rows()
			require.Len(t, got, len(c.late))
			for i, want := range c.late {
				require.Regexp(t, `^[12]\|`, got[i])
				require.Contains(t, got[i][1:], want[1:])
			}
			progress, err := q.RecentProgress(ctx)
			require.NoError(t, err)
			total := int64(0)
			for _, x := range progress {
				total += x.StateOperators[0].CustomMetrics["numLateInputRows"]
			}
			require.EqualValues(t, len(c.late), total)
		})
	}
}

// A file sink has each late row once, over a crash at any call of the file system.
func TestLateRowsAfterCrashAnywhere(t *testing.T) {
	query := func() expr.Write {
		p := expr.Read("payments", connectors.FromJSON("/in", connectors.RowsDDL("createTime TIMESTAMP, provinceId INT, payAmount DOUBLE"), connectors.MaxFilesPerTrigger(1)))
		w := p.Watermark("createTime", time.Second)
		return w.GroupBy(window.Tumbling(w.Timestamp("createTime"), 4*time.Second)).Agg(expr.Count().As("n")).
			WriteTo(connectors.ToJSON("/out")).LateRows(connectors.ToJSON("/late")).Checkpoint("/ckpt").Trigger(expr.AvailableNow())
	}
	run := func(fs vfs.FS) error {
		s := open(t, local.FileSystem(fs), local.Parallelism(2), local.BatchRows(16))
		q, err := s.Start(ctx, query())
		if err != nil {
			return err
		}
		return q.AwaitTermination(ctx)
	}
	// A fourth file comes long behind the others.
	files := func() *vfs.MemFS {
		fs := inputFiles(t, 3)
		writeFile(t, fs, "/in/99.json", []byte(`{"createTime":"2024-01-01T10:00:00Z","provinceId":1,"payAmount":1}
{"createTime":"2024-01-01T10:00:01Z","provinceId":2,"payAmount":2}
`))
		dir, err := fs.OpenDir("/in")
		require.NoError(t, err)
		require.NoError(t, dir.Sync())
		require.NoError(t, dir.Close())
		return fs
	}
	fs, count := crashing(files(), 1<<60)
	require.NoError(t, run(fs))
	whole, late := plainRows(t, fs, "/out"), plainRows(t, fs, "/late")
	require.Len(t, late, 2)
	step := int64(3)
	if testing.Short() {
		step = 17
	}
	for n := int64(0); n < count.Load(); n += step {
		base := files()
		fs, _ := crashing(base, n)
		require.ErrorIs(t, run(fs), errCrash, "call %d", n)
		base = base.CrashClone(vfs.CrashCloneCfg{})
		require.NoError(t, run(base), "call %d", n)
		require.Equal(t, whole, plainRows(t, base, "/out"), "call %d", n)
		require.Equal(t, late, plainRows(t, base, "/late"), "call %d", n)
	}
}

func TestLateRowsAreRefusedOnSpark(t *testing.T) {
	p := expr.Read("p", connectors.FromJSON("/in", connectors.RowsDDL("at TIMESTAMP"))).Watermark("at", time.Second)
	w := p.DropDuplicates("at").WriteTo(connectors.ToJSON("/out")).Checkpoint("/c").LateRows(connectors.ToJSON("/late"))
	_, err := compiler.CompileWrite(w, compiler.Stream)
	require.Equal(t, condition.StreamingUnsupported, condition.Of(err))
	require.ErrorContains(t, err, "LateRows")
	require.ErrorContains(t, err, "numRowsDroppedByWatermark")
	require.ErrorContains(t, p.WriteTo(connectors.ToJSON("/out")).LateRows(nil).Err(), "The sink of late rows is nil")
}

// The windows of an event time say what they wait for, and which input holds the watermark back.
// What the state holds of a window is shown for the keys that are asked for, of windows, of a session, which has its bounds then, and of the time itself.
func TestExplainWindowOfKeys(t *testing.T) {
	f := newFeed(t, "k STRING, j INT, at TIMESTAMP")
	in := expr.Read("in", f).Watermark("at", 10*time.Second)
	count := expr.Count().As("n")
	start := func(table expr.Table) backend.Query {
		q, err := open(t).Start(ctx, table.WriteTo(connectors.Noop()))
		require.NoError(t, err)
		return q
	}
	windows := start(in.GroupBy("k", window.Tumbling(in.Timestamp("at"), time.Minute), "j").Agg(count))
	sessions := start(in.GroupBy(window.Session(in.Timestamp("at"), 5*time.Second), "k").Agg(count))
	times := start(in.GroupBy("at", "k").Agg(count))
	e, err := local.ExplainWindow(ctx, windows, clock("12:00:05"), "a")
	require.NoError(t, err)
	require.Equal(t, []string{}, e.Windows[0].Groups, "before the first epoch")
	f.add([]any{"a", 1, clock("12:00:05")}, []any{"a", 2, clock("12:00:06")}, []any{"a", 1, clock("12:00:08")}, []any{nil, 1, clock("12:00:05")}, []any{"b", 1, clock("12:00:30")})
	explain := func(q backend.Query, at string, keys ...any) local.WindowExplanation {
		t.Helper()
		require.NoError(t, q.ProcessAllAvailable(ctx))
		e, err := local.ExplainWindow(ctx, q, clock(at), keys...)
		require.NoError(t, err)
		require.Len(t, e.Windows, 1)
		return e
	}
	e = explain(windows, "12:00:59", "a")
	require.Len(t, e.Windows[0].Groups, 2)
	e = explain(windows, "12:00:59", "a", 1)
	require.Equal(t, []string{`{"k":"a","start":"2024-01-01T12:00:00.000Z","end":"2024-01-01T12:01:00.000Z","j":1,"n":2}`}, e.Windows[0].Groups)
	require.Contains(t, e.String(), `It holds {"k":"a",`)
	require.Len(t, explain(windows, "12:00:59", nil).Windows[0].Groups, 1)
	require.Contains(t, explain(windows, "12:01:00", "a").String(), "It holds nothing of these keys.")
	require.Nil(t, explain(windows, "12:00:59").Windows[0].Groups)

	e = explain(sessions, "12:00:32", "b")
	require.Equal(t, []time.Time{clock("12:00:30"), clock("12:00:35")}, []time.Time{e.Windows[0].Start, e.Windows[0].End})
	require.Equal(t, 15*time.Second, e.Windows[0].Missing)
	require.Len(t, e.Windows[0].Groups, 1)
	require.Empty(t, explain(sessions, "12:00:07", "a").Windows[0].Groups, "it was closed")
	require.Equal(t, []string{`{"at":"2024-01-01T12:00:30.000Z","k":"b","n":1}`}, explain(times, "12:00:30", "b").Windows[0].Groups)

	_, err = local.ExplainWindow(ctx, windows, clock("12:00:05"), "a", 1, 2)
	requireCondition(t, err, condition.InvalidValue, "has 3 keys", "groups by 2 beside the time: ")
	_, err = local.ExplainWindow(ctx, windows, clock("12:00:05"), 7.5)
	require.Error(t, err)
	for _, q := range []backend.Query{windows, sessions, times} {
		require.NoError(t, q.Stop(ctx))
	}
}

func TestExplainWindow(t *testing.T) {
	a, b := newFeed(t, "at TIMESTAMP"), newFeed(t, "at TIMESTAMP")
	u := expr.Read("fast", a).Watermark("at", 10*time.Second).Union(expr.Read("slow", b).Watermark("at", 20*time.Second))
	table := u.GroupBy(window.Sliding(u.Timestamp("at"), time.Minute, 30*time.Second)).Agg(expr.Count().As("n"))
	s := open(t)
	q, err := s.Start(ctx, table.WriteTo(newCollector()).Checkpoint(t.TempDir()))
	require.NoError(t, err)
	require.NoError(t, q.ProcessAllAvailable(ctx))
	e, err := local.ExplainWindow(ctx, q, clock("12:00:40"))
	require.NoError(t, err)
	require.Contains(t, e.String(), "no row in this run")
	a.add([]any{clock("12:05:00")})
	b.add([]any{clock("12:01:00")})
	require.NoError(t, q.ProcessAllAvailable(ctx))
	e, err = local.ExplainWindow(ctx, q, clock("12:00:40"))
	require.NoError(t, err)
	require.Equal(t, clock("12:00:40"), e.Watermark)
	require.Len(t, e.Windows, 2)
	require.Equal(t, []bool{false, true}, []bool{e.Inputs[0].Holds, e.Inputs[1].Holds})
	require.Equal(t, 20*time.Second, e.Windows[0].Missing)
	require.Equal(t, 50*time.Second, e.Windows[1].Missing)
	require.Equal(t, `The window [2024-01-01 12:00:00, 2024-01-01 12:01:00) is open: the watermark 2024-01-01 12:00:40 is 20s before its end.
The window [2024-01-01 12:00:30, 2024-01-01 12:01:30) is open: the watermark 2024-01-01 12:00:40 is 50s before its end.
at of fast: the newest event time 2024-01-01 12:05:00, less 10s gives the watermark 2024-01-01 12:04:50.
at of slow: the newest event time 2024-01-01 12:01:00, less 20s gives the watermark 2024-01-01 12:00:40, which holds the query's back; a row at 2024-01-01 12:01:20 or later lets it pass 2024-01-01 12:01:00; a row at 2024-01-01 12:01:50 or later lets it pass 2024-01-01 12:01:30.
`, e.String())
	b.add([]any{clock("12:01:20")})
	require.NoError(t, q.ProcessAllAvailable(ctx))
	require.NoError(t, q.Stop(ctx))
	e, err = local.ExplainWindow(ctx, q, clock("12:00:40")) // of a query that has ended, too
	require.NoError(t, err)
	require.Equal(t, []bool{true, false}, []bool{e.Windows[0].Closed, e.Windows[1].Closed})
	none, err := s.Start(ctx, u.WriteTo(newCollector()).Checkpoint(t.TempDir()))
	require.NoError(t, err)
	_, err = local.ExplainWindow(ctx, none, clock("12:00:40"))
	requireCondition(t, err, condition.InvalidValue, "group by a window")
	require.NoError(t, none.Stop(ctx))
	_, err = local.ExplainWindow(ctx, nil, clock("12:00:40"))
	requireCondition(t, err, condition.Unsupported, "eventTime")
}
