package local_test

import (
	"strings"
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
	"github.com/spoonbill-go/spoonbill/expr/functions"
	"github.com/spoonbill-go/spoonbill/window"
)

// timeOf reads the time that a row begins with.
func timeOf(row string) time.Time {
	text, _, _ := strings.Cut(row, "|")
	t, err := time.Parse("2006-01-02 15:04:05.999999", text)
	if err != nil {
		panic(err)
	}
	return t
}

func byTime(row string, w time.Time) bool { return !timeOf(row).After(w) }

// bySecond is byTime where the rows' times are whole seconds.
func bySecond(row string, w time.Time) bool { return byTime(row, w.Truncate(time.Second)) }

// overShapes are windows over the rows of a stream, whose results are those of a batch.
var overShapes = []shape{
	{"over: running", expr.Append, func(p expr.Table) expr.Table {
		w := p.Watermark("createTime", 10*time.Second)
		by := window.Over().GroupBy("provinceId").OrderBy("createTime")
		all := by.Rows(window.Unbounded(), window.CurrentRow())
		amount := w.Num("payAmount")
		return w.Mutate(functions.RowNumber().Over(by).As("number"), functions.Rank().Over(by).As("rank"), functions.DenseRank().Over(by).As("dense"),
			amount.Sum().Over(all).As("sum"), expr.Count().Over(by).As("n"), amount.Mean().Over(by).As("mean"), amount.Max().Over(all).As("hi"), amount.First().Over(all).As("first"),
			expr.Where(expr.Count(), amount.Gt(3)).Over(all).As("great"), functions.NthValue(amount, 3).Over(by).As("third"), expr.IgnoreNulls(functions.NthValue(amount, 4)).Over(all).As("fourth"),
			expr.IgnoreNulls(amount.Last()).Over(all).As("latest"))
	}, byTime},
	{"over: rows and peers", expr.Append, func(p expr.Table) expr.Table {
		w := p.Mutate(functions.DateTrunc("second", p.Timestamp("createTime")).As("createTime")).Watermark("createTime", 10*time.Second)
		by := window.Over().GroupBy("provinceId").OrderBy("createTime", "payAmount")
		peers := window.Over().GroupBy("provinceId").OrderBy("createTime")
		amount := w.Num("payAmount")
		return w.Mutate(amount.Sum().Over(by.Rows(window.Preceding(3), window.CurrentRow())).As("last4"), amount.Max().Over(by.Rows(window.Preceding(4), window.Preceding(2))).As("before"),
			expr.Count().Over(by.Rows(window.CurrentRow(), window.CurrentRow())).As("one"), amount.Lag().Over(by).As("lag"), amount.Lag(5, -1.0).Over(by).As("lag5"),
			expr.IgnoreNulls(amount.Lag(2)).Over(by).As("known"), amount.Collect().Over(by.Rows(window.Preceding(2), window.CurrentRow())).As("list"),
			amount.Sum().Over(peers).As("sum"), functions.Rank().Over(peers).As("rank"), functions.DenseRank().Over(peers).As("dense"),
			functions.NthValue(amount, 2).Over(peers.Range(window.Unbounded(), window.CurrentRow())).As("second"))
	}, bySecond},
	{"over: ranges", expr.Append, func(p expr.Table) expr.Table {
		w := p.Mutate(functions.DateTrunc("second", p.Timestamp("createTime")).As("createTime")).Watermark("createTime", 10*time.Second)
		by := window.Over().GroupBy("provinceId").OrderBy("createTime")
		amount := w.Num("payAmount")
		return w.Mutate(amount.Sum().Over(by.Range(window.Preceding(5*time.Second), window.CurrentRow())).As("sum"), amount.Min().Over(by.Range(window.Preceding(20*time.Second), window.Preceding(2*time.Second))).As("lo"),
			expr.Count().Over(by.Range(window.CurrentRow(), window.CurrentRow())).As("peers"), expr.Count().Over(by.Range(window.Preceding(expr.Days(1)), window.CurrentRow())).As("day"),
			expr.Count().Over(by.Range(window.Preceding(expr.Months(1)), window.CurrentRow())).As("month"),
			expr.Count().Over(window.Over().OrderBy("createTime").Range(window.Preceding(3*time.Second), window.CurrentRow())).As("all"))
	}, bySecond},
	{"over: filter and nested", expr.Append, func(p expr.Table) expr.Table {
		w := p.Watermark("createTime", 10*time.Second)
		by := window.Over().GroupBy("provinceId").OrderBy("createTime")
		amount := w.Num("payAmount")
		f := w.Filter(amount.Gt(amount.Lag().Over(by)))
		return f.Mutate(f.Num("payAmount").Sum().Over(by).Lag(2).Over(by).As("before"))
	}, byTime},
	{"over: below and above windows of time", expr.Append, func(p expr.Table) expr.Table {
		w := p.Watermark("createTime", 10*time.Second)
		o := w.Mutate(w.Num("payAmount").Lag().Over(window.Over().GroupBy("provinceId").OrderBy("createTime")).As("before"))
		a := o.GroupBy(window.Tumbling(o.Timestamp("createTime"), 5*time.Second), "provinceId").Agg(o.Num("payAmount").Sum().As("sum"), o.Num("before").Sum().As("before"))
		by := window.Over().GroupBy("provinceId").OrderBy(a.Window("window").Time())
		return a.Mutate(a.Num("sum").Sum().Over(by).As("total"), a.Num("before").Lag().Over(by).As("earlier"))
	}, byWindowEnd},
}

// A row comes out when the watermark has passed it; late ones are dropped and told of, those without a time counted, and the state is no more than what later rows look at.
func TestOverOfAStream(t *testing.T) {
	f, p := payments(t)
	w := p.Watermark("createTime", 10*time.Second)
	by := window.Over().GroupBy("provinceId").OrderBy("createTime")
	table := w.Select("createTime", w.Num("payAmount").Sum().Over(by.Range(window.Preceding(time.Minute), window.CurrentRow())).As("sum"), w.Num("payAmount").Lag().Over(by).As("lag"))
	sink, late := newCollector(), newCollector()
	q, err := open(t).Start(ctx, table.WriteTo(sink).LateRows(late).Checkpoint(t.TempDir()))
	require.NoError(t, err)
	plan, err := q.Explain(ctx, backend.ExplainOptions{Mode: backend.ExplainExtended})
	require.NoError(t, err)
	require.Contains(t, plan.String(), "StreamOver [")
	state := func() (total, rows, dropped, untimed int64) {
		progress, err := q.RecentProgress(ctx)
		require.NoError(t, err)
		for _, x := range progress {
			op := x.StateOperators[0]
			require.Equal(t, "over", op.OperatorName)
			total, dropped, untimed = op.NumRowsTotal, dropped+op.NumRowsDroppedByWatermark, untimed+op.CustomMetrics["numRowsWithoutEventTime"]
			rows = op.CustomMetrics["numLateInputRows"]
		}
		return total, rows, dropped, untimed
	}
	add := func(rows ...[]any) {
		t.Helper()
		f.add(rows...)
		require.NoError(t, q.ProcessAllAvailable(ctx))
	}
	add([]any{clock("12:00:05"), 1, 2.0}, []any{clock("12:00:00"), 1, 1.0}, []any{nil, 1, 5.0}, []any{clock("12:00:07"), nil, 4.0}, []any{clock("12:00:08"), nil, nil})
	require.Empty(t, sink.rows())
	total, _, _, untimed := state()
	require.EqualValues(t, 4, total)
	require.EqualValues(t, 1, untimed)
	add([]any{clock("12:00:30"), 1, 8.0})
	require.Equal(t, []string{"2024-01-01 12:00:00|1.0|NULL", "2024-01-01 12:00:05|3.0|1.0", "2024-01-01 12:00:07|4.0|NULL", "2024-01-01 12:00:08|4.0|4.0"}, sink.rows())
	// Four rows for the range, two for LAG, one that waits.
	total, _, _, _ = state()
	require.EqualValues(t, 7, total)
	add([]any{clock("12:00:20"), 1, 16.0}, []any{clock("12:00:21"), 1, 32.0})
	_, _, dropped, _ := state()
	require.EqualValues(t, 1, dropped)
	require.Len(t, late.rows(), 1)
	require.Contains(t, late.rows()[0], `"payAmount":16.0`)
	// An hour later nothing but the newest row of each key is left, and what waits.
	add([]any{clock("13:00:00"), 1, 64.0})
	require.Contains(t, sink.rows(), "2024-01-01 12:00:30|43.0|32.0")
	total, _, _, _ = state()
	require.EqualValues(t, 3, total)
	require.NoError(t, q.Stop(ctx))
}

// What looks ahead in a stream is refused by both, with what it lacks; what looks back by Spark alone.
func TestOverOfAStreamIsRefused(t *testing.T) {
	f, p := payments(t)
	_ = f
	w := p.Watermark("createTime", 10*time.Second)
	by := window.Over().GroupBy("provinceId").OrderBy("createTime")
	amount := w.Num("payAmount")
	ck := func(w expr.Write) expr.Write { return w.Checkpoint(t.TempDir()) }
	for text, write := range map[string]expr.Write{
		"means OVER ()":               ck(w.Mutate(amount.Sum().As("s")).WriteTo(connectors.Noop())),
		"has no order":                ck(w.GroupBy("provinceId").Mutate(amount.Sum().As("s")).WriteTo(connectors.Noop())),
		"which has no watermark":      ck(p.Mutate(p.Num("payAmount").Lag().Over(by).As("s")).WriteTo(connectors.Noop())),
		"begins with payAmount":       ck(w.Mutate(amount.Lag().Over(window.Over().OrderBy("payAmount", "createTime")).As("s")).WriteTo(connectors.Noop())),
		"runs backward":               ck(w.Mutate(amount.Lag().Over(window.Over().OrderBy(expr.Desc("createTime"))).As("s")).WriteTo(connectors.Noop())),
		"rows that come later":        ck(w.Mutate(amount.Lead().Over(by).As("s")).WriteTo(connectors.Noop())),
		"looks at rows":               ck(w.Mutate(amount.Sum().Over(by.Rows(window.Preceding(1), window.Following(1))).As("s")).WriteTo(connectors.Noop())),
		"at rows that come":           ck(w.Mutate(amount.Sum().Over(by.Range(window.CurrentRow(), window.Unbounded())).As("s")).WriteTo(connectors.Noop())),
		"all rows would have":         ck(w.Mutate(amount.Sum().Over(by.Rows(window.Unbounded(), window.Preceding(2))).As("s")).WriteTo(connectors.Noop())),
		"how many rows the partition": ck(w.Mutate(functions.PercentRank().Over(by).As("s")).WriteTo(connectors.Noop())),
		"in update mode":              ck(w.Mutate(amount.Lag().Over(by).As("s")).WriteTo(connectors.Noop()).OutputMode(expr.Update)),
		"Another one beside it is":    ck(w.Mutate(w.Timestamp("createTime").As("also")).Mutate(amount.Lag().Over(by).As("a"), amount.Lag().Over(by.OrderBy("provinceId")).As("b"), amount.Lag().Over(window.Over().OrderBy("also")).As("s")).WriteTo(connectors.Noop())),
	} {
		_, err := open(t).Start(ctx, write)
		require.ErrorIs(t, err, &condition.Error{Condition: condition.NonTimeWindow}, text)
		require.ErrorContains(t, err, text)
		require.ErrorContains(t, err, "streamover_test.go:")
		_, err = compiler.CompileWrite(write, compiler.Stream)
		require.ErrorContains(t, err, text)
	}
	good := ck(w.Mutate(amount.Lag().Over(by).As("s")).WriteTo(connectors.Noop()))
	_, err := compiler.CompileWrite(good, compiler.Stream)
	require.ErrorIs(t, err, &condition.Error{Condition: condition.NonTimeWindow})
	require.ErrorContains(t, err, "run the query offline")
	q, err := open(t, local.Parallelism(1)).Start(ctx, good.Trigger(expr.AvailableNow()))
	requireEnd(t, q, err)
}

// The state of windows over rows is a table: rows that wait, rows that others look back at, and the totals of each key.
func TestStateOfOver(t *testing.T) {
	for store := range 2 {
		f, p := payments(t)
		f.add([]any{clock("12:00:01"), 1, 1.0}, []any{clock("12:00:02"), nil, 2.0})
		f.add([]any{clock("12:00:20"), 1, 4.0})
		f.perRun = 1
		fs := vfs.NewMem()
		w := p.Watermark("createTime", 10*time.Second)
		by := window.Over().GroupBy("provinceId").OrderBy("createTime")
		table := w.Mutate(w.Num("payAmount").Lag().Over(by).As("lag"), w.Num("payAmount").Sum().Over(by).As("sum"))
		q, err := open(t, local.FileSystem(fs), storeOf(store)).Start(ctx, table.WriteTo(newCollector()).Checkpoint("c").Trigger(expr.AvailableNow()))
		requireEnd(t, q, err)
		s := open(t, local.FileSystem(fs))
		rows, err := s.State(ctx, "c", local.StateOptions{})
		require.NoError(t, err)
		var b strings.Builder
		require.NoError(t, backend.Show(&b, rows, backend.ShowOptions{Rows: 20, Zone: s.Zone()}))
		require.ElementsMatch(t, strings.Split(`
+-------+------+----------+------------------------------------------------------------------------+-------------------+
|kind   |window|number    |row                                                                     |expiry             |
+-------+------+----------+------------------------------------------------------------------------+-------------------+
|waiting|NULL  |4294967296|{"createTime":"2024-01-01T12:00:20.000Z","provinceId":1,"payAmount":4.0}|2024-01-01 12:00:20|
|before |0     |8589934592|{"createTime":"2024-01-01T12:00:01.000Z","provinceId":1,"payAmount":1.0}|NULL               |
|before |0     |8589934593|{"createTime":"2024-01-01T12:00:02.000Z","payAmount":2.0}               |NULL               |
|totals |1     |NULL      |{"provinceId":1}                                                        |NULL               |
|totals |1     |NULL      |{}                                                                      |NULL               |
+-------+------+----------+------------------------------------------------------------------------+-------------------+`[1:], "\n"), strings.Split(strings.TrimSpace(b.String()), "\n"))
	}
}

// A query that is stopped while rows wait goes on with them, and one whose windows keep other rows is refused.
func TestOverOfAStreamResumes(t *testing.T) {
	f, p := payments(t)
	var rows [][]any
	for i := range 20_000 {
		rows = append(rows, []any{clock("12:00:00").Add(time.Duration(i) * time.Second), i % 3, 1.0})
	}
	f.add(rows...)
	query := func(n int) expr.Table {
		w := p.Watermark("createTime", 10*time.Second)
		by := window.Over().GroupBy("provinceId").OrderBy("createTime")
		return w.Select("createTime", w.Num("payAmount").Sum().Over(by.Rows(window.Preceding(n), window.CurrentRow())).As("sum"))
	}
	fs, sink := vfs.NewMem(), newCollector()
	q, err := open(t, local.FileSystem(fs)).Start(ctx, query(2).WriteTo(sink).Checkpoint("c"))
	require.NoError(t, err)
	require.NoError(t, q.Stop(ctx)) // perhaps in the midst of the epoch
	err = runTo(t, fs, query(3).WriteTo(sink))
	requireCondition(t, err, condition.CheckpointMismatch, "+ state 0: windows over rows (createTime")
	require.NoError(t, runTo(t, fs, query(2).WriteTo(sink)))
	f.add()
	require.NoError(t, runTo(t, fs, query(2).WriteTo(sink)))
	require.Len(t, sink.rows(), len(rows)-10)
	require.Contains(t, sink.rows(), "2024-01-01 12:00:09|3.0")
}
