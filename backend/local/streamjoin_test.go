package local_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/window"
)

// clicks and views: a view is joined with the clicks of the following five seconds.
func twoStreams(t testing.TB) (views, clicks *feed, v, c expr.Table) {
	views, clicks = newFeed(t, "ad INT, seen TIMESTAMP, place STRING"), newFeed(t, "click INT, at TIMESTAMP, ad INT")
	return views, clicks, expr.Read("views", views).Watermark("seen", 10*time.Second), expr.Read("clicks", clicks).Watermark("at", 10*time.Second)
}

func soon(v, c expr.Table) []any {
	return []any{v.Num("ad").Eq(c.Num("ad")), c.Timestamp("at").Ge(v.Timestamp("seen")), c.Timestamp("at").Le(v.Timestamp("seen").Add(5 * time.Second))}
}

func selected(j, v, c expr.Table) expr.Table {
	return j.Select(v.Timestamp("seen"), v.Num("ad").As("ad"), v.Str("place"), c.Num("click"))
}

var joinShapes = []struct {
	name  string
	table func(v, c expr.Table) expr.Table
	outer bool
}{
	{"inner", func(v, c expr.Table) expr.Table { return selected(v.Join(c, soon(v, c)...), v, c) }, false},
	{"left outer", func(v, c expr.Table) expr.Table { return selected(v.LeftJoin(c, soon(v, c)...), v, c) }, true},
}

func joinRows(r *rand.Rand) (views, clicks [][]any) {
	base := clock("12:00:00")
	for i := range 150 {
		at := func() time.Time {
			return base.Add(time.Duration(i)*500*time.Millisecond - time.Duration(r.IntN(8000))*time.Millisecond)
		}
		var ad any = r.IntN(6)
		if r.IntN(12) == 0 {
			ad = nil
		}
		views = append(views, []any{ad, at(), string(rune('a' + r.IntN(3)))})
		clicks = append(clicks, []any{i, at(), r.IntN(6)})
	}
	return views, clicks
}

func TestStreamJoin(t *testing.T) {
	for _, sh := range joinShapes {
		t.Run(sh.name, func(t *testing.T) {
			for seed := range uint64(10) {
				r := rand.New(rand.NewPCG(seed, 21))
				vr, cr := joinRows(r)
				va, ca, v, c := twoStreams(t)
				va.add(vr...)
				ca.add(cr...)
				want := collect(t, open(t), sh.table(v, c))
				latest := func(rows [][]any, k int) (out time.Time) {
					for _, x := range rows {
						if at := x[k].(time.Time); at.After(out) {
							out = at
						}
					}
					return out
				}
				mark := latest(vr, 1)
				if l := latest(cr, 1); l.Before(mark) {
					mark = l
				}
				mark = mark.Add(-10 * time.Second).Truncate(time.Millisecond)
				// A view without a click comes out when the watermark has passed its five seconds.
				expected := []string{}
				for _, row := range want {
					at, err := time.Parse("2006-01-02 15:04:05.999999", strings.SplitN(row, "|", 2)[0])
					require.NoError(t, err)
					if !strings.HasSuffix(row, "|NULL") || !at.Add(5*time.Second).After(mark) {
						expected = append(expected, row)
					}
				}
				vb, cb, v2, c2 := twoStreams(t)
				for _, x := range cut(r, vr, 1+r.IntN(6)) {
					vb.add(x...)
				}
				for _, x := range cut(r, cr, 1+r.IntN(6)) {
					cb.add(x...)
				}
				vb.perRun, cb.perRun = 1, 1
				sink := newCollector()
				fs := vfs.NewMem()
				// With a resume in the middle for every other seed.
				if seed%2 == 1 {
					half := open(t, local.FileSystem(fs))
					q, err := half.Start(ctx, sh.table(v2, c2).WriteTo(sink).Checkpoint("c").Trigger(expr.Once()))
					require.NoError(t, err)
					require.NoError(t, q.AwaitTermination(ctx))
				}
				q, err := open(t, local.FileSystem(fs)).Start(ctx, sh.table(v2, c2).WriteTo(sink).Checkpoint("c").Trigger(expr.AvailableNow()))
				require.NoError(t, err)
				require.NoError(t, q.AwaitTermination(ctx))
				require.Equal(t, sorted(expected), sink.rows(), "seed %d", seed)
				p, err := q.LastProgress(ctx)
				require.NoError(t, err)
				if seed%2 == 0 {
					require.Equal(t, "symmetricHashJoin", p.StateOperators[0].OperatorName)
					require.Less(t, p.StateOperators[0].NumRowsTotal, int64(len(vr)+len(cr))/2, "the watermark bounds the state")
				}
			}
		})
	}
}

// A pair that arrives in one epoch and leaves the state in it is joined and never comes out with nulls (SPARK-26154).
func TestOuterJoinInOneEpoch(t *testing.T) {
	views, clicks, v, c := twoStreams(t)
	sink := newCollector()
	q, err := open(t).Start(ctx, selected(v.LeftJoin(c, soon(v, c)...), v, c).WriteTo(sink).Checkpoint(t.TempDir()))
	require.NoError(t, err)
	views.add([]any{1, clock("12:00:00"), "x"})
	clicks.add([]any{7, clock("12:00:00"), 1})
	require.NoError(t, q.ProcessAllAvailable(ctx))
	views.add([]any{2, clock("13:00:00"), "y"})
	clicks.add([]any{8, clock("13:00:00"), 3})
	require.NoError(t, q.ProcessAllAvailable(ctx))
	require.Equal(t, []string{"2024-01-01 12:00:00|1|x|7"}, sink.rows())
	require.NoError(t, q.Stop(ctx))
}

// A stream is joined with a table; what the table's provider gives later is seen by the later epochs, as with Kafka on Spark.
func TestStreamWithTable(t *testing.T) {
	for _, left := range []bool{false, true} {
		f, names := newFeed(t, "k INT, v STRING"), newFeed(t, "k INT, name STRING")
		names.add([]any{1, "one"})
		s, n := expr.Read("in", f), expr.Static("names", names)
		table := s.Join(n, "k")
		if left {
			table = s.LeftJoin(n, "k")
		}
		sink := newCollector()
		q, err := open(t).Start(ctx, table.WriteTo(sink).Checkpoint(t.TempDir()))
		require.NoError(t, err)
		f.add([]any{1, "a"}, []any{2, "b"}, []any{nil, "c"})
		require.NoError(t, q.ProcessAllAvailable(ctx))
		names.add([]any{2, "two"})
		f.add([]any{2, "d"})
		require.NoError(t, q.ProcessAllAvailable(ctx))
		want := []string{"1|a|one", "2|d|two"}
		if left {
			want = []string{"1|a|one", "2|b|NULL", "2|d|two", "NULL|c|NULL"}
		}
		require.Equal(t, want, sink.rows())
		require.NoError(t, q.Stop(ctx))
	}
}

// Over a table in a stream's plan, aggregations, distinct and limits are those of a batch: they keep no state and give their rows in
// every mode and epoch.
func TestStreamWithAggregatedTable(t *testing.T) {
	f, sales := newFeed(t, "k INT, v STRING"), newFeed(t, "k INT, amount INT")
	sales.add([]any{1, 10}, []any{1, 5}, []any{2, 7}, []any{2, 7})
	s, n := expr.Read("in", f), expr.Static("sales", sales)
	d := n.Distinct().OrderBy("k", "amount").Limit(10)
	total := d.GroupBy("k").Agg(d.Num("amount").Sum().As("total"))
	sink := newCollector()
	q, err := open(t).Start(ctx, s.Join(total, "k").WriteTo(sink).Checkpoint(t.TempDir()))
	require.NoError(t, err)
	for _, v := range []string{"a", "b"} {
		f.add([]any{1, v}, []any{2, v})
		require.NoError(t, q.ProcessAllAvailable(ctx))
	}
	require.Equal(t, []string{"1|a|15", "1|b|15", "2|a|7", "2|b|7"}, sink.rows())
	p, err := q.LastProgress(ctx)
	require.NoError(t, err)
	require.Empty(t, p.StateOperators)
	require.NoError(t, q.Stop(ctx))
}

// Every kind of relation over a table, joined with a stream, gives over epochs and a restart what a batch gives, in append and in update
// mode: nothing of it is state.
func TestEveryRelationOverATable(t *testing.T) {
	type join struct {
		name  string
		table func(in, n expr.Table) expr.Table
	}
	named := func(name string, f func(n expr.Table) expr.Table) join {
		return join{name, func(in, n expr.Table) expr.Table { return in.Join(f(n), "k") }}
	}
	joins := []join{
		named("scan", func(n expr.Table) expr.Table { return n }),
		named("projection", func(n expr.Table) expr.Table { return n.Select("k", n.Num("amount").Mul(2).As("twice")) }),
		named("filter", func(n expr.Table) expr.Table { return n.Filter(n.Num("amount").Gt(5)) }),
		named("aggregation", func(n expr.Table) expr.Table {
			return n.GroupBy("k").Agg(expr.Count().As("n"), n.Num("amount").Sum().As("total"))
		}),
		named("filtered aggregation", func(n expr.Table) expr.Table {
			return n.GroupBy("k").Agg(expr.Count().As("n")).Filter(expr.Num("n").Gt(1))
		}),
		named("whole", func(n expr.Table) expr.Table { return n.Agg(n.Num("k").Max().As("k"), expr.Count().As("n")) }),
		named("windows", func(n expr.Table) expr.Table {
			w := n.Watermark("at", time.Second)
			return w.GroupBy(w.Col("k"), window.Tumbling(w.Timestamp("at"), time.Minute)).Agg(expr.Count().As("n"))
		}),
		named("aggregation of an aggregation", func(n expr.Table) expr.Table {
			return n.GroupBy("k", "amount").Agg(expr.Count().As("n")).GroupBy("k").Agg(expr.Count().As("n"))
		}),
		named("distinct", func(n expr.Table) expr.Table { return n.Distinct() }),
		named("sort", func(n expr.Table) expr.Table { return n.OrderBy("k", "amount") }),
		named("limit", func(n expr.Table) expr.Table { return n.OrderBy("amount", "k").Limit(2) }),
		named("union", func(n expr.Table) expr.Table { return n.Union(n.Filter(n.Num("k").Eq(1))) }),
		named("unnest", func(n expr.Table) expr.Table { return n.Select("k", expr.Array("list")).Unnest("list") }),
		named("window expression", func(n expr.Table) expr.Table { return n.Mutate(n.Num("amount").Sum().As("all")) }),
		named("join", func(n expr.Table) expr.Table {
			return n.Select("k", "amount").Join(n.GroupBy("k").Agg(expr.Count().As("n")), "k")
		}),
		named("values", func(n expr.Table) expr.Table { return n.Select("k").Distinct().Mutate(expr.Lit(7).As("seven")) }),
		{"outer", func(in, n expr.Table) expr.Table { return in.LeftJoin(n.GroupBy("k").Agg(expr.Count().As("n")), "k") }},
		{"table on the left", func(in, n expr.Table) expr.Table { return n.GroupBy("k").Agg(expr.Count().As("n")).Join(in, "k") }},
	}
	rows := [][]any{{1, 10, clock("12:00:00"), []any{int64(1), int64(2)}}, {1, 5, clock("12:00:10"), []any{int64(3)}}, {2, 7, clock("12:00:20"), []any{}}, {2, 7, clock("12:00:20"), []any{}}, {nil, 1, nil, nil}}
	chunks := [][][]any{{{1, "a"}, {2, "b"}}, {{1, "c"}, {3, "d"}}, {{2, "e"}, {nil, "f"}}, {{1, "g"}}}
	for _, j := range joins {
		for _, mode := range []tree.OutputMode{tree.Append, tree.Update} {
			t.Run(j.name+" "+mode.String(), func(t *testing.T) {
				whole, f, sales := newFeed(t, "k INT, v STRING"), newFeed(t, "k INT, v STRING"), newFeed(t, "k INT, amount INT, at TIMESTAMP, list ARRAY<INT>")
				sales.add(rows...)
				n := expr.Static("sales", sales)
				for _, c := range chunks {
					whole.add(c...)
				}
				want := collect(t, open(t), j.table(expr.Read("in", whole), n))
				require.NotEmpty(t, want)
				sink, fs := newCollector(), vfs.NewMem()
				for i := range chunks {
					f.add(chunks[i]...)
					if i%2 == 0 {
						continue // two epochs in each run, and a restart between
					}
					f.perRun = 1
					q, err := open(t, local.FileSystem(fs)).Start(ctx, j.table(expr.Read("in", f), n).WriteTo(sink).OutputMode(mode).Checkpoint("c").Trigger(expr.AvailableNow()))
					require.NoError(t, err)
					require.NoError(t, q.AwaitTermination(ctx))
					p, err := q.LastProgress(ctx)
					require.NoError(t, err)
					require.Empty(t, p.StateOperators)
				}
				require.Equal(t, sorted(want), sink.rows())
			})
		}
	}
}

// An outer join whose condition gives the engine no bound is refused when the query is started; it would keep its rows for ever.
func TestOuterJoinWithoutABound(t *testing.T) {
	_, _, v, c := twoStreams(t)
	same := v.Num("ad").Eq(c.Num("ad"))
	for name, on := range map[string]any{
		"months": c.Timestamp("at").Le(v.Timestamp("seen").Add(expr.Months(1))),
		"none":   c.Timestamp("at").Ge(v.Timestamp("seen")),
	} {
		_, err := open(t).Start(ctx, selected(v.LeftJoin(c, same, on), v, c).WriteTo(newCollector()).Checkpoint(t.TempDir()))
		require.Equal(t, condition.StreamingUnsupported, condition.Of(err), name)
		q, err := open(t).Start(ctx, selected(v.Join(c, same, on), v, c).WriteTo(newCollector()).Checkpoint(t.TempDir()))
		require.NoError(t, err, name)
		require.NoError(t, q.Stop(ctx))
	}
}
