package local_test

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/conformance"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/functions"
	"github.com/spoonbill-go/spoonbill/internal/golden"
	"github.com/spoonbill-go/spoonbill/window"
)

var measured = regexp.MustCompile(`(time|memory): [0-9.]+ ?[^ ,)]+`)

// masked replaces what differs from run to run.
func masked(s string) string { return measured.ReplaceAllString(s, "$1: …") }

func explain(t testing.TB, s backend.Session, table expr.Table, o backend.ExplainOptions) backend.Explanation {
	t.Helper()
	e, err := s.Explain(ctx, table, o)
	require.NoError(t, err)
	return e
}

// files is a session over files in memory: 40 orders of 4 customers in two files.
func files(t testing.TB, opts ...local.Option) (s *local.Session, orders, customers expr.Table) {
	s = open(t, append([]local.Option{local.FileSystem(vfs.NewMem()), local.Parallelism(2)}, opts...)...)
	rows := rowsOf(40, func(i int) []any { return []any{i, i % 4, float64(i)} })
	for i, path := range []string{"orders", "orders", "customers"} {
		table := memtable(t, "id INT, customer INT, amount DOUBLE", rows[i%2*20:i%2*20+20])
		if path == "customers" {
			table = memtable(t, "customer INT, name STRING", [][]any{{0, "Ada"}, {1, "Bo"}, {2, "Cy"}})
		}
		require.NoError(t, s.Write(ctx, table.WriteTo(connectors.ToParquet(path)).SaveMode(expr.SaveAppend)))
	}
	orders = expr.Read("orders", connectors.FromParquet("orders", connectors.RowsDDL("id INT, customer INT, amount DOUBLE")))
	customers = expr.Read("customers", connectors.FromParquet("customers", connectors.RowsDDL("customer INT, name STRING")))
	return s, orders, customers
}

func memtable(t testing.TB, ddl string, rows [][]any) expr.Table {
	fields, err := datatype.ParseFields(ddl)
	require.NoError(t, err)
	return expr.MemtableRows("m", fields, rows)
}

func rowsOf(n int, row func(i int) []any) (rows [][]any) {
	for i := range n {
		rows = append(rows, row(i))
	}
	return rows
}

// totals is the query of the document.
func totals(orders, customers expr.Table) expr.Table {
	return orders.Join(customers, "customer").
		Filter(expr.Num("amount").Gt(4)).
		GroupBy("name").Agg(expr.Num("amount").Sum().As("total"), expr.Count().As("n")).
		OrderBy(expr.Desc("total")).Limit(2)
}

func TestExplain(t *testing.T) {
	o, c := conformance.Orders(), conformance.Customers()
	w := o.Watermark("at", 10*time.Second)
	groups := o.GroupBy("customer").Agg(expr.Count().As("n"))
	cases := map[string]expr.Table{
		"watermark": w.GroupBy(window.Tumbling(w.Timestamp("at"), time.Minute)).Agg(w.Num("amount").Sum().As("total")),
		"shared":    groups.Union(groups.View()).OrderBy("customer", "n"),
		"subquery":  o.Filter(o.Num("amount").Gt(c.Filter(c.Num("customer").Eq(o.Num("customer"))).Agg(expr.Count().As("n")).AsScalar())),
		"joins":     o.Join(c, o.Num("customer").Eq(c.Num("customer")), o.Num("id").Lt(3)).LeftJoin(groups, "customer"),
		"cross":     o.CrossJoin(c).Limit(3, 1),
		"windows":   o.Mutate(o.Num("amount").Sum().Over(window.Over().GroupBy("customer").OrderBy("id")).As("running")).Distinct(),
		"pieces":    o.Select("id", o.Array("tags").As("tag")).Unnest("tag").Intersect(o.Select("id", expr.Lit("a").As("tag"))),
	}
	for name, table := range cases {
		s := open(t, local.Parallelism(2))
		var b strings.Builder
		for _, x := range []backend.ExplainOptions{{Mode: backend.ExplainExtended}, {Mode: backend.ExplainCost}, {Mode: backend.ExplainFormatted, Analyze: true}} {
			e := explain(t, s, table, x)
			b.WriteString("==== " + x.Mode.String() + "\n" + masked(e.String()) + "\n")
		}
		e := explain(t, s, table, backend.ExplainOptions{Mode: backend.ExplainExtended})
		b.WriteString("==== Mermaid\n" + e.Mermaid() + "\n==== DOT\n" + e.DOT())
		golden.Check(t, "testdata/explain/"+name+".txt", b.String())
	}
}

// The page of the document is what the engine says.
func TestExplainDocument(t *testing.T) {
	s, orders, customers := files(t)
	table := totals(orders, customers)
	doc, err := os.ReadFile("../../docs/explain.md")
	require.NoError(t, err)
	text := string(doc)
	for name, got := range map[string]string{
		"extended": explain(t, s, table, backend.ExplainOptions{Mode: backend.ExplainExtended}).String(),
		"analyze":  masked(explain(t, s, table, backend.ExplainOptions{Analyze: true}).String()),
		"mermaid":  explain(t, s, table, backend.ExplainOptions{}).Mermaid(),
	} {
		begin, end := "<!-- "+name+" -->\n```"+map[string]string{"mermaid": "mermaid"}[name]+"\n", "```\n<!-- end -->"
		before, rest, ok := strings.Cut(text, begin)
		require.True(t, ok, name)
		_, after, ok := strings.Cut(rest, end)
		require.True(t, ok, name)
		text = before + begin + got + end + after
	}
	golden.Check(t, "../../docs/explain.md", text)
}

// What an analysed run tells agrees with the rows, and time is a part of what passed.
func TestExplainAnalyze(t *testing.T) {
	for _, n := range []int{1, 2, 4} {
		s := open(t, local.Parallelism(n))
		const rows = 300_000
		table := memtable(t, "k INT", rowsOf(rows/1000, func(i int) []any { return []any{i} }))
		table = table.Mutate(functions.Sequence(1, 1000).As("id")).Unnest("id")
		sums := table.GroupBy("k").Agg(expr.Num("id").Sum().As("s"))
		q := table.Join(sums, "k").OrderBy(expr.Desc("id"))
		from := time.Now()
		e := explain(t, s, q, backend.ExplainOptions{Analyze: true})
		took := time.Since(from)
		found := map[string]int64{}
		var sum time.Duration
		seen := map[*backend.PlanOperator]bool{}
		var visit func(o *backend.PlanOperator)
		visit = func(o *backend.PlanOperator) {
			if seen[o] {
				return
			}
			seen[o] = true
			name, _, _ := strings.Cut(strings.TrimLeft(o.Text, "*(0123456789) "), " ")
			m, ok := o.Metric(backend.MetricRows)
			require.True(t, ok, o.Text)
			found[name] += m.Value
			m, _ = o.Metric(backend.MetricElapsed)
			require.GreaterOrEqual(t, m.Value, int64(0))
			sum += time.Duration(m.Value)
			m, ok = o.Metric(backend.MetricMemory)
			switch name {
			case "Sort", "HashJoin", "HashAggregate":
				require.True(t, ok, name)
				require.Greater(t, m.Value, int64(8000), name)
			default:
				require.False(t, ok, name)
			}
			for _, in := range o.Inputs {
				visit(in)
			}
		}
		visit(e.Sections[len(e.Sections)-1].Root)
		require.EqualValues(t, rows, found["Sort"])
		require.EqualValues(t, rows, found["HashJoin"])
		require.EqualValues(t, 300, found["HashAggregate"])
		require.EqualValues(t, 2*rows, found["Unnest"])
		require.LessOrEqual(t, sum, time.Duration(n+3)*took, "more than all goroutines had") // the sources have goroutines of their own
		require.Greater(t, sum, took/4, "where the time went is told")
	}
}

func TestExplainRefusals(t *testing.T) {
	s := open(t)
	o := conformance.Orders()
	_, err := s.Explain(ctx, o, backend.ExplainOptions{Mode: backend.ExplainCodegen})
	require.Equal(t, condition.Unsupported, condition.Of(err))
	require.ErrorContains(t, err, "codegen")
	_, err = s.Explain(ctx, o, backend.ExplainOptions{Mode: 77})
	require.Equal(t, condition.InvalidOption, condition.Of(err))
	// An analysed query fails as the query does.
	_, err = s.Explain(ctx, o.Mutate(o.Num("id").Div(o.Num("id").Sub(1)).As("x")), backend.ExplainOptions{Analyze: true})
	require.Equal(t, "DIVIDE_BY_ZERO", condition.Of(err))
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = s.Explain(ended, o, backend.ExplainOptions{Analyze: true})
	require.ErrorIs(t, err, context.Canceled)
}

// A stream explains itself at any time; its next epoch can be analysed.
func TestExplainStream(t *testing.T) {
	s := open(t, local.Parallelism(2))
	f, p := payments(t)
	q, err := s.Start(ctx, perProvince(p).WriteTo(newCollector()).OutputMode(expr.Append).Checkpoint(t.TempDir()))
	require.NoError(t, err)
	e, err := q.Explain(ctx, backend.ExplainOptions{Mode: backend.ExplainExtended})
	require.NoError(t, err)
	golden.Check(t, "testdata/explain/stream.txt", e.String())

	type result struct {
		e   backend.Explanation
		err error
	}
	done := make(chan result, 1)
	go func() {
		e, err := q.Explain(ctx, backend.ExplainOptions{Analyze: true})
		done <- result{e, err}
	}()
	var r result
	for i := 0; r.e.Sections == nil; i++ {
		// Until the wait is known to the query an epoch may begin without it.
		f.add([]any{clock("12:00:10").Add(time.Duration(i) * time.Minute), 1, 1.5}, []any{clock("12:00:40").Add(time.Duration(i) * time.Minute), 1, 2.5})
		require.NoError(t, q.ProcessAllAvailable(ctx))
		select {
		case r = <-done:
			require.NoError(t, r.err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	require.Contains(t, r.e.String(), "StreamScan")
	require.Regexp(t, `Watermark.*rows: 2, batches: 1`, r.e.String())
	short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	_, err = q.Explain(short, backend.ExplainOptions{Analyze: true})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NoError(t, q.Stop(ctx))
	_, err = q.Explain(ctx, backend.ExplainOptions{Analyze: true})
	require.Equal(t, condition.Closed, condition.Of(err))
	_, err = q.Explain(ctx, backend.ExplainOptions{})
	require.NoError(t, err)
}
