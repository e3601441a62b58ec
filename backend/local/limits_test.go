package local_test

import (
	"context"
	"fmt"
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
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/functions"
	"github.com/spoonbill-go/spoonbill/expr/selectors"
	"github.com/spoonbill-go/spoonbill/window"
)

// bounded is what each of the large queries below may take to build, to print as SQL, to plan and to run, each: work that grows with the square of a
// thousand is within it on a busy machine, work that grows faster is not.
const bounded = time.Minute

// within builds a table, prints it, explains it and runs it, each in a bounded time, and gives the rows and the SQL.
func within(t *testing.T, name string, s backend.Session, build func() expr.Table) (rows []string, sql string) {
	t.Helper()
	var table expr.Table
	step := func(what string, f func() error) {
		t.Helper()
		from := time.Now()
		require.NoError(t, f(), "%s: %s", name, what)
		require.Less(t, time.Since(from), bounded, "%s: %s", name, what)
	}
	step("build", func() error { table = build(); return table.Err() })
	step("SQL", func() (err error) { sql, err = compiler.SQL(table); return err })
	step("plan", func() error {
		_, err := s.Explain(ctx, table, backend.ExplainOptions{Mode: backend.ExplainExtended})
		return err
	})
	step("run", func() (err error) { rows, err = tryCollect(s, table); return err })
	return rows, sql
}

// A thousand operations in a row, and relations that are reached by millions of ways, are built, printed, planned and run like any other.
func TestManyOperations(t *testing.T) {
	t.Parallel()
	s := open(t, local.Parallelism(2))
	o := memtable(t, "a INT, b INT, c INT", [][]any{{1, 2, 3}, {4, 5, 6}})
	type step = func(x expr.Table, i int) expr.Table
	chain := func(n int, f step) func() expr.Table {
		return func() expr.Table {
			x := o
			for i := range n {
				x = f(x, i)
			}
			return x
		}
	}
	count := func(build func() expr.Table) func() expr.Table {
		return func() expr.Table { return build().Agg(expr.Count().As("n")) }
	}
	double := chain(40, func(x expr.Table, _ int) expr.Table { return x.Mutate(x.Num("a").Add(x.Num("a")).Mod(7).As("a")) })
	for _, c := range []struct {
		name  string
		build func() expr.Table
		want  []string
	}{
		{"filters", chain(1000, func(x expr.Table, i int) expr.Table { return x.Filter(x.Num("a").Gt(-i)) }), []string{"1|2|3", "4|5|6"}},
		{"mutations of a column", chain(1000, func(x expr.Table, _ int) expr.Table { return x.Mutate(x.Num("a").Add(1).As("a")) }), []string{"1001|2|3", "1004|5|6"}},
		{"mutations and filters", chain(500, func(x expr.Table, i int) expr.Table {
			return x.Filter(x.Num("a").Gt(-i)).Mutate(x.Num("a").Add(1).As("a"))
		}), []string{"501|2|3", "504|5|6"}},
		{"new columns", count(chain(300, func(x expr.Table, i int) expr.Table { return x.Mutate(x.Num("a").Add(i).As(fmt.Sprint("n", i))) })), []string{"2"}},
		{"unions", count(chain(1000, func(x expr.Table, _ int) expr.Table { return x.Union(o) })), []string{"2002"}},
		{"sorts", chain(1000, func(x expr.Table, _ int) expr.Table { return x.OrderBy(expr.Desc("a")) }), []string{"4|5|6", "1|2|3"}},
		{"limits", chain(1000, func(x expr.Table, i int) expr.Table { return x.Limit(5000 - i) }), []string{"1|2|3", "4|5|6"}},
		{"distinct", count(chain(1000, func(x expr.Table, _ int) expr.Table { return x.Distinct() })), []string{"2"}},
		{"groups", chain(300, func(x expr.Table, _ int) expr.Table {
			return x.GroupBy("a").Agg(expr.Num("a").Max().As("m"), expr.Count().As("n"))
		}), []string{"1|1|1", "4|4|1"}},
		{"renames", chain(500, func(x expr.Table, _ int) expr.Table {
			return x.Rename(map[string]string{"k": "a"}).Rename(map[string]string{"a": "k"})
		}), []string{"1|2|3", "4|5|6"}},
		{"joins", chain(100, func(x expr.Table, i int) expr.Table {
			return x.Join(o.Select("a", o.Num("b").As(fmt.Sprint("j", i))), "a").Drop(fmt.Sprint("j", i))
		}), []string{"1|2|3", "4|5|6"}},
		{"terms", func() expr.Table {
			v := o.Num("a")
			for range 1000 {
				v = v.Add(1)
			}
			return o.Select(v.As("v"))
		}, []string{"1001", "1004"}},
		{"conditions", func() expr.Table {
			v := o.Num("a").Eq(-1)
			for i := range 1000 {
				v = v.Or(o.Num("a").Eq(i + 2))
			}
			return o.Filter(v)
		}, []string{"4|5|6"}},
		{"values of a list", func() expr.Table {
			list := make([]any, 10_000)
			for i := range list {
				list[i] = i + 2
			}
			return o.Filter(o.Num("a").In(-1, list...))
		}, []string{"4|5|6"}},
		// Each reads the column before it twice, so its expression in terms of the first one has 2^40 nodes.
		{"a doubled column", double, []string{"2|2|3", "1|5|6"}},
		{"a filter over a doubled column", func() expr.Table { x := double(); return x.Filter(x.Num("a").Gt(1)) }, []string{"2|2|3"}},
		{"a group of a doubled column", func() expr.Table {
			return double().GroupBy("a").Agg(expr.Count().As("n")).Filter(expr.Num("a").Gt(1))
		}, []string{"2|1"}},
		{"a doubled column in a subquery", func() expr.Table { x := double(); return x.Filter(x.Num("a").InTable(double().Select("a"))) }, []string{"2|2|3", "1|5|6"}},
		{"a doubled column in a correlated subquery", func() expr.Table {
			x, v := double(), o.View()
			return v.Filter(expr.Exists(x.Filter(x.Num("a").Eq(v.Num("b")))))
		}, []string{"1|2|3"}},
		{"a table united with itself", count(chain(24, func(x expr.Table, _ int) expr.Table { return x.Union(x).Distinct() })), []string{"2"}},
		{"a table joined with itself", chain(24, func(x expr.Table, _ int) expr.Table { return x.Join(x.View().Select("a"), "a").Distinct() }), []string{"1|2|3", "4|5|6"}},
	} {
		got, sql := within(t, c.name, s, c.build)
		if c.name != "sorts" {
			got, c.want = sorted(got), sorted(c.want)
		}
		require.Equal(t, c.want, got, c.name)
		require.Less(t, len(sql), 2<<20, "%s: the SQL", c.name)
		require.NotContains(t, sql, strings.Repeat(" ", 80), "%s: so deep that nobody reads it", c.name)
	}
}

// wide gives n columns of integers from c0 on, and a row of them.
func wide(n int) (fields []datatype.Field, row []any) {
	for i := range n {
		fields, row = append(fields, datatype.Field{Name: fmt.Sprint("c", i), Type: datatype.Int, Nullable: true}), append(row, i)
	}
	return fields, row
}

func TestTenThousandColumns(t *testing.T) {
	t.Parallel()
	const n = 10_000
	fields, row := wide(n)
	w := expr.MemtableRows("w", fields, [][]any{row, row})
	s := open(t, local.FileSystem(vfs.NewMem()), local.Parallelism(2))
	for name, c := range map[string]struct {
		build   func() expr.Table
		rows    int
		columns int
	}{
		"all":    {func() expr.Table { return w }, 2, n},
		"filter": {func() expr.Table { return w.Filter(w.Num("c5000").Gt(1)).Mutate(w.Num("c1").Add(1).As("x")) }, 2, n + 1},
		"across": {func() expr.Table {
			return w.Mutate(expr.Across(selectors.All(), func(v expr.NumericValue) expr.NumericValue { return v.Add(1) }))
		}, 2, n},
		"join": {func() expr.Table { v := w.View(); return w.Join(v, w.Num("c1").Eq(v.Num("c1"))) }, 4, 2*n - 1},
		"group": {func() expr.Table {
			return w.GroupBy(w.Num("c1").As("k")).Agg(expr.Across(selectors.All(), expr.NumericValue.Sum))
		}, 1, n + 1},
		"distinct": {func() expr.Table { return w.Distinct() }, 1, n},
		"sort":     {func() expr.Table { return w.OrderBy("c9999").Limit(1) }, 1, n},
		"union":    {func() expr.Table { return w.Union(w) }, 4, n},
		"rename":   {func() expr.Table { return w.Rename(map[string]string{"z": "c1"}).Drop("c2") }, 2, n - 1},
		"longer":   {func() expr.Table { return w.PivotLonger(selectors.All()) }, 2 * n, 2},
	} {
		rows, _ := within(t, name, s, c.build)
		require.Len(t, rows, c.rows, name)
		require.Equal(t, c.columns, strings.Count(rows[0], "|")+1, name)
	}
	ddl := connectors.RowsDDL(datatype.DDL(fields))
	for name, x := range map[string]struct {
		to   expr.Sink
		from expr.Source
	}{
		"parquet": {connectors.ToParquet("p"), connectors.FromParquet("p", ddl)},
		"csv":     {connectors.ToCSV("c"), connectors.FromCSV("c", ddl)},
		"json":    {connectors.ToJSON("j"), connectors.FromJSON("j", ddl)},
		"avro":    {connectors.ToAvro("a"), connectors.FromAvro("a", ddl)},
	} {
		from := time.Now()
		require.NoError(t, s.Write(ctx, w.WriteTo(x.to)), name)
		require.Equal(t, collect(t, s, w), collect(t, s, expr.Read("x", x.from)), name)
		require.Equal(t, []string{"9998", "9998"}, collect(t, s, expr.Read("x", x.from).Select("c9998")), name)
		require.Less(t, time.Since(from), bounded, name)
	}
}

// A value of 100 MB goes through every format and through operators that keep it.
func TestLargeText(t *testing.T) {
	t.Parallel()
	const size = 100 << 20
	s := open(t, local.FileSystem(vfs.NewMem()), local.Parallelism(2))
	big := expr.MemtableRows("b", []datatype.Field{{Name: "value", Type: datatype.String}}, [][]any{{strings.Repeat("x", size)}})
	rows := connectors.RowsDDL("value STRING")
	for name, x := range map[string]struct {
		to   expr.Sink
		from expr.Source
	}{
		"parquet": {connectors.ToParquet("p"), connectors.FromParquet("p", rows)},
		"csv":     {connectors.ToCSV("c"), connectors.FromCSV("c", rows)},
		"json":    {connectors.ToJSON("j"), connectors.FromJSON("j", rows, connectors.MaxStringLen(size))},
		"avro":    {connectors.ToAvro("a"), connectors.FromAvro("a", rows)},
		"text":    {connectors.ToText("t"), connectors.FromText("t")},
	} {
		require.NoError(t, s.Write(ctx, big.WriteTo(x.to)), name)
		table := expr.Read("x", x.from)
		require.Equal(t, []string{fmt.Sprint(size)}, collect(t, s, table.Select(table.Str("value").Length().As("n"))), name)
	}
	// Without the option JSON has Spark's bound, which is Jackson's: the record is malformed.
	table := expr.Read("x", connectors.FromJSON("j", rows))
	require.Equal(t, []string{"NULL"}, collect(t, s, table.Select(table.Str("value").Length().As("n"))))
	table = expr.Read("x", connectors.FromJSON("j", rows, connectors.Mode("FAILFAST")))
	_, err := backend.Collect[int](ctx, s, table.Select(table.Str("value").Length().As("n")))
	require.Equal(t, "FAILED_READ_FILE.NO_HINT", condition.Of(err))
	require.ErrorContains(t, err, "j/part-")

	table = expr.Read("x", connectors.FromText("t"))
	kept := table.GroupBy("value").Agg(expr.Count().As("k")).Join(table, "value").OrderBy("value")
	require.Equal(t, []string{fmt.Sprintf("%d|1", size)}, collect(t, s, kept.Select(expr.Str("value").Length().As("n"), "k")))
}

// Files of one folder may have other columns than the query, in another order and of narrower types; what does not fit is an error that names the file and the column.
func TestSchemaDrift(t *testing.T) {
	s := open(t, local.FileSystem(vfs.NewMem()), local.Parallelism(2))
	type format struct {
		to   func(string, ...connectors.Option) connectors.Files
		from func(string, connectors.Rows, ...connectors.Option) connectors.Files
	}
	first := memtable(t, "a INT, b STRING", [][]any{{1, "x"}})
	for name, f := range map[string]format{
		"parquet": {connectors.ToParquet, connectors.FromParquet}, "avro": {connectors.ToAvro, connectors.FromAvro}, "json": {connectors.ToJSON, connectors.FromJSON},
	} {
		write := func(table expr.Table) {
			require.NoError(t, s.Write(ctx, table.WriteTo(f.to(name)).SaveMode(expr.SaveAppend)), name)
		}
		read := func() ([]string, error) {
			rows, err := tryCollect(s, expr.Read("x", f.from(name, connectors.RowsDDL("a BIGINT, b STRING, c DOUBLE"))))
			return sorted(rows), err
		}
		write(first)
		write(memtable(t, "c DOUBLE, more INT, a BIGINT", [][]any{{2.5, 7, int64(1) << 40}}))
		write(memtable(t, "more INT", [][]any{{7}}))
		got, err := read()
		require.NoError(t, err, name)
		require.Equal(t, []string{"1099511627776|NULL|2.5", "1|x|NULL", "NULL|NULL|NULL"}, got, name)

		write(memtable(t, "a STRING", [][]any{{"no number"}}))
		got, err = read()
		if name == "json" { // a text that is no number is null in the mode PERMISSIVE
			require.NoError(t, err)
			require.Len(t, got, 4)
			continue
		}
		require.ErrorContains(t, err, name+"/part-", name)
		require.Regexp(t, `limits_test\.go:\d+: `, err.Error(), name)
		require.Regexp(t, `\ba\b`, err.Error(), "%s: the column", name)
	}
}

// inTime is how long a query may work on once its context has ended.
const inTime = 100 * time.Millisecond

// requirePrompt cancels a query after each of some times and holds that it ends soon. A busy machine makes any end late at times, so the least of several tries
// counts, and of each try the time that the process had a processor for: all of its goroutines together. By that time it is cancelled, too.
func requirePrompt(t *testing.T, s backend.Session, name string, table expr.Table) {
	t.Helper()
	require.NoError(t, table.Err(), name)
	for _, after := range []time.Duration{60 * time.Millisecond, 400 * time.Millisecond} {
		late := lateness(t, s, name, table, after)
		for try := 0; try < 4 && late >= inTime; try++ {
			late = min(late, lateness(t, s, name, table, after))
		}
		require.Less(t, late, inTime, "%s, cancelled after %s", name, after)
	}
}

// lateness is how long a query goes on after its context has ended; 0 for one that was done before.
func lateness(t *testing.T, s backend.Session, name string, table expr.Table, after time.Duration) time.Duration {
	t.Helper()
	run, cancel := context.WithCancel(ctx)
	defer cancel()
	var cancelled time.Time
	var before time.Duration
	began, told := worked()
	clock := time.Now()
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		defer cancel()
		for run.Err() == nil && time.Since(clock) < unresponsive {
			time.Sleep(time.Millisecond)
			now, _ := worked()
			if told && now-began >= after || !told && time.Since(clock) >= after {
				before, cancelled = now, time.Now()
				return
			}
		}
	}()
	res, err := s.Batches(run, table)
	require.NoError(t, err, name)
	for _, e := range res.Batches {
		err = e
	}
	ended := time.Now()
	since, _ := worked()
	cancel()
	<-stopped // so that the times are written
	if cancelled.IsZero() {
		require.NoError(t, err, name)
		return 0
	}
	if err != nil {
		require.ErrorIs(t, err, context.Canceled, name)
	}
	late := ended.Sub(cancelled)
	require.Less(t, late, unresponsive, "%s, cancelled after %s", name, after)
	if told {
		late = min(late, since-before)
	}
	return late
}

// unresponsive is longer than any machine is too busy for.
const unresponsive = 10 * time.Second

// What holds many rows at once looks at its context all the while: the tables of joins, the merging of groups, windows, subqueries that run for each row.
func TestCancelledWithManyRows(t *testing.T) {
	// 3,000 rows in batches of 16 become 3,000,000 in batches of 16,000.
	n := memtable(t, "k BIGINT", rowsOf(3000, func(i int) []any { return []any{i} })).Mutate(functions.Sequence(1, 1000).As("i")).Unnest("i")
	n = n.Mutate(n.Num("k").Mul(1000).Add(n.Num("i")).Mul(7919).Mod(3_000_017).As("id"))
	text := n.Mutate(n.Num("id").Cast(datatype.String).As("s"))
	small := memtable(t, "k BIGINT, v BIGINT", rowsOf(3000, func(i int) []any { return []any{i, i} }))
	ids := n.Select("id", "i")
	s := open(t, local.Parallelism(2), local.BatchRows(16))
	plain := open(t, local.Parallelism(2), local.BatchRows(16), local.WithoutRules("decorrelate", "subquery-joins"))
	for name, table := range map[string]expr.Table{
		"sort by a text":     text.OrderBy("s"),
		"sort by two keys":   n.OrderBy(expr.Desc("i"), "id"),
		"table of a join":    small.LeftJoin(ids, small.Num("k").Eq(ids.Num("id"))),
		"table of texts":     small.Mutate(small.Num("k").Cast(datatype.String).As("s")).SemiJoin(text.Select("s"), "s"),
		"any join":           small.AnyLeftJoin(ids, small.Num("k").Eq(ids.Num("id"))),
		"as-of join":         small.Select("k", small.Num("v").As("t")).AsofJoin(n.Select("k", n.Num("id").As("t")), "t", "k"),
		"groups of all":      n.GroupBy("id").Agg(n.Num("i").Sum().As("n")),
		"groups of texts":    text.GroupBy("s").Agg(expr.Count().As("n")),
		"distinct":           text.Select("s", "i").Distinct(),
		"window of each key": n.Mutate(n.Num("id").Sum().Over(window.Over().GroupBy("k").OrderBy("id")).As("sum")),
		"window over all":    n.Mutate(n.Num("id").Max().Over(window.Over().OrderBy("id").Rows(window.Preceding(100), window.CurrentRow())).As("most")),
		"ranks":              n.Mutate(functions.RowNumber().Over(window.Over().GroupBy("i").OrderBy(expr.Desc("id"))).As("n")),
		"rows of neither":    ids.Select("id").Difference(text.Select(text.Num("k").Add(5_000_000).As("id"))),
		"one per key":        n.DistinctOn("i").OrderBy("id").Keep(expr.KeepLast),
	} {
		requirePrompt(t, s, name, table)
	}
	requirePrompt(t, plain, "mark", small.Filter(small.Num("k").InTable(ids.Select("id")).Or(small.Num("v").Lt(0))))
	v := small.View()
	requirePrompt(t, plain, "subquery for each row", v.Filter(v.Num("v").Lt(ids.Filter(ids.Num("id").Lt(v.Num("k"))).Agg(expr.Count().As("n")).AsScalar())))
}
