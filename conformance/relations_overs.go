package conformance

import (
	"math"
	"time"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/functions"
	"github.com/spoonbill-go/spoonbill/window"
)

// Ticks is a table for windows: two partitions and one of null, keys with ties and nulls, doubles with NaN, both zeros and infinities, days at
// the ends of months, and a column v with nulls to aggregate. No two rows have the same id, which makes an order total where a case needs it.
func Ticks() expr.Table {
	return tables("ticks", mustFields("id INT, g STRING, k INT, d DOUBLE, n DECIMAL(6,2), at TIMESTAMP, day DATE, v INT, ok BOOLEAN, s STRING"), [][]any{
		{1, "a", 1, 1.5, "1.00", at("2024-01-01 10:00:00"), at("2024-01-31 00:00:00"), 10, true, "x"},
		{2, "a", 1, math.NaN(), "1.50", at("2024-01-01 10:00:30"), at("2024-01-31 00:00:00"), nil, true, nil},
		{3, "a", 2, -1e300, "2.25", at("2024-01-01 10:01:00"), at("2024-02-29 00:00:00"), 30, false, "y"},
		{4, "a", nil, nil, nil, nil, nil, 40, nil, "z"},
		{5, "a", 4, math.Copysign(0, -1), "9999.99", at("2024-01-01 10:03:00"), at("2024-03-01 00:00:00"), 50, true, "x"},
		{6, "a", 7, 0.0, "-3.00", at("2024-01-01 12:00:00"), at("2024-03-31 00:00:00"), nil, false, "w"},
		{7, "b", 5, math.Inf(1), "0.00", at("2024-02-01 00:00:00"), at("2023-12-31 00:00:00"), 70, false, nil},
		{8, "b", 5, math.NaN(), "0.01", at("2024-02-01 00:00:00"), at("2024-01-01 00:00:00"), 80, false, "q"},
		{9, "b", 6, math.Inf(-1), "0.02", at("2024-02-01 00:00:01"), nil, -90, true, "r"},
		{10, nil, 0, 2.5, "5.00", at("2024-03-01 00:00:00"), at("2024-05-05 00:00:00"), 100, true, "only"},
		{11, nil, nil, 2.5, "5.00", nil, at("2024-05-06 00:00:00"), 110, nil, "only"},
		{12, "a", nil, math.NaN(), "1.00", nil, nil, 120, true, "u"},
	})
}

// overRelations are window expressions: each function, frame and place where one can stand.
func overRelations() []Case {
	t := Ticks()
	none := t.Filter(t.Num("id").Lt(0))
	by := window.Over().GroupBy("g").OrderBy("id")
	byKey := window.Over().GroupBy("g").OrderBy("k")
	total := window.Over().GroupBy("g").OrderBy("k", "id")
	v, k := t.Num("v"), t.Num("k")
	number := functions.RowNumber().Over(by)
	// aggregates puts every aggregate over one window.
	aggregates := func(t expr.Table, w expr.WindowSpec) expr.Table {
		v, d := t.Num("v"), t.Num("d")
		return t.Select("id", expr.Count().Over(w).As("n"), v.Count().Over(w).As("nv"), v.Sum().Over(w).As("sum"), v.Mean().Over(w).As("mean"), v.Min().Over(w).As("min"), v.Max().Over(w).As("max"),
			d.Min().Over(w).As("dmin"), d.Max().Over(w).As("dmax"), t.Num("n").Sum().Over(w).As("nsum"), t.Num("n").Mean().Over(w).As("nmean"), t.Bool("ok").All().Over(w).As("all"), t.Bool("ok").Any().Over(w).As("any"),
			t.Bool("ok").CountTrue().Over(w).As("true"), t.Str("s").First().Over(w).As("first"), t.Str("s").Last().Over(w).As("last"), t.Str("s").Collect().Over(w).As("list"), t.Str("s").Min().Over(w).As("smin"),
			expr.IgnoreNulls(t.Str("s").First()).Over(w).As("first_value"), expr.IgnoreNulls(t.Str("s").Last()).Over(w).As("last_value"))
	}
	// framed are all aggregates over one frame, in the total order of ids where rows are counted, else in the order of a key; the lists of equal
	// keys have no order of their own, so ids break ties.
	rows := func(start, end expr.Bound) expr.Table { return aggregates(t, by.Rows(start, end)) }
	ranged := func(w expr.WindowSpec) expr.Table {
		return t.Select("id", expr.Count().Over(w).As("n"), v.Count().Over(w).As("nv"), v.Sum().Over(w).As("sum"), v.Min().Over(w).As("min"), v.Max().Over(w).As("max"), v.Mean().Over(w).As("mean"))
	}
	grouped := t.GroupBy("g").OrderBy("id")
	return []Case{
		{Name: "over: ranking", Table: t.Select("id", functions.RowNumber().Over(total).As("number"), functions.Rank().Over(byKey).As("rank"), functions.DenseRank().Over(byKey).As("dense"), functions.PercentRank().Over(byKey).As("percent"),
			functions.CumeDist().Over(byKey).As("dist"), functions.Ntile(2).Over(total).As("half"), functions.Ntile(4).Over(total).As("quarter"), functions.Ntile(100).Over(total).As("alone"))},
		{Name: "over: ranking in a descending order, nulls first", Table: func() expr.Table {
			w := window.Over().GroupBy("g").OrderBy(expr.Desc("k").NullsFirst())
			return t.Select("id", functions.Rank().Over(w).As("rank"), functions.DenseRank().Over(w).As("dense"), functions.PercentRank().Over(w).As("percent"), functions.CumeDist().Over(w).As("dist"))
		}()},
		{Name: "over: ranking of doubles", Table: t.Select("id", functions.Rank().Over(window.Over().OrderBy("d")).As("rank"), functions.DenseRank().Over(window.Over().OrderBy(expr.Desc("d"))).As("dense"))},
		{Name: "over: ranking by methods", Table: t.Select("id", k.Rank().As("rank"), t.Str("s").DenseRank().As("dense"), t.Num("d").PercentRank().As("percent"), t.Date("day").CumeDist().As("dist"), t.Num("id").NTile(5).As("tile"),
			k.Rank().Over(window.Over().GroupBy("g")).As("rank_of_group"))},
		{Name: "over: ranking of nothing", Table: none.Select("id", functions.RowNumber().Over(by).As("number"), functions.CumeDist().Over(byKey).As("dist"), t.Num("v").Lag().Over(by).As("lag"))},
		{Name: "over: lag and lead", Table: t.Select("id", v.Lag().Over(by).As("lag"), v.Lead().Over(by).As("lead"), v.Lag(2).Over(by).As("lag2"), v.Lead(2, -1).Over(by).As("lead2"), v.Lag(0).Over(by).As("lag0"), v.Lag(-1).Over(by).As("back"), v.Lead(-1).Over(by).As("forth"),
			v.Lag(100, 7).Over(by).As("far"), t.Str("s").Lag(1, "none").Over(by).As("text"), t.Str("s").Lag(1, t.Str("g")).Over(by).As("default"), t.Num("id").Lag(1, t.Num("id").Negate()).Over(by).As("id_lag"))},
		{Name: "over: lag and lead of widths", Table: t.Select("id", t.Num("id").Cast(datatype.Long).AsNumeric().Lag(1, 0).Over(by).As("l"), t.Num("id").Cast(datatype.Byte).AsNumeric().Lag(1, 5).Over(by).As("b"), t.Num("d").Lead(1, 0).Over(by).As("d"), t.Num("n").Lead(1, 1).Over(by).As("n"),
			t.Timestamp("at").Lag().Over(by).As("at"), functions.Array(t.Num("v")).Lag().Over(by).As("a"))},
		{Name: "over: lag and lead ignoring nulls", Table: t.Select("id", expr.IgnoreNulls(v.Lag().Over(by)).As("lag"), expr.IgnoreNulls(v.Lead()).Over(by).As("lead"), expr.IgnoreNulls(v.Lag(2, -2)).Over(by).As("lag2"), expr.IgnoreNulls(v.Lead(2, -2)).Over(by).As("lead2"), expr.IgnoreNulls(v.Lag(0)).Over(by).As("same"),
			expr.IgnoreNulls(v.Lag(-1)).Over(by).As("back"), expr.RespectNulls(v.Lag()).Over(by).As("respect"), expr.IgnoreNulls(t.Str("s").Lag(3, "x")).Over(by).As("far"))},
		{Name: "over: first, last and nth", Table: t.Select("id", v.First().Over(by).As("first"), v.Last().Over(by).As("last"), v.Nth(2).Over(by).As("second"), v.Nth(9).Over(by).As("ninth"), functions.FirstValue(t.Str("s")).Over(by).As("first_value"), functions.LastValue(t.Str("s")).Over(by).As("last_value"),
			t.Str("s").Nth(3).Over(by.Rows(window.Unbounded(), window.Unbounded())).As("third"), t.Str("s").Nth(2).Over(by.Rows(window.Preceding(1), window.Following(1))).As("middle"))},
		{Name: "over: first, last and nth ignoring nulls", Table: t.Select("id", expr.IgnoreNulls(v.First()).Over(by).As("first"), expr.IgnoreNulls(v.Last()).Over(by).As("last"), expr.IgnoreNulls(v.Nth(2)).Over(by).As("second"), expr.IgnoreNulls(t.Str("s").Nth(2)).Over(by.Rows(window.Preceding(2), window.CurrentRow())).As("sliding"),
			expr.IgnoreNulls(functions.FirstValue(v)).Over(by.Rows(window.CurrentRow(), window.Unbounded())).As("next"), expr.IgnoreNulls(functions.LastValue(v)).Over(by.Rows(window.Unbounded(), window.Preceding(1))).As("previous"))},
		{Name: "over: aggregates ignoring nulls in groups", Table: t.Filter(t.Str("g").IsNull()).GroupBy("g").Agg(expr.IgnoreNulls(t.Num("k").First()).As("first"), expr.IgnoreNulls(t.Num("k").Last()).As("last"), expr.IgnoreNulls(functions.LastValue(t.Bool("ok"))).As("ok"))},
		{Name: "over: whole table", Table: aggregates(t.Filter(t.Num("id").Eq(3)), window.Over())},
		{Name: "over: whole partitions", Table: ranged(window.Over().GroupBy("g"))},
		{Name: "over: partitions by two keys and doubles", Table: ranged(window.Over().GroupBy("ok", t.Num("d").Mul(0)))},
		{Name: "over: running by rows", Table: rows(window.Unbounded(), window.CurrentRow())},
		{Name: "over: running backwards", Table: rows(window.CurrentRow(), window.Unbounded())},
		{Name: "over: three rows", Table: rows(window.Preceding(1), window.Following(1))},
		{Name: "over: only before", Table: rows(window.Preceding(3), window.Preceding(2))},
		{Name: "over: only behind", Table: rows(window.Following(1), window.Following(2))},
		{Name: "over: behind to the end", Table: rows(window.Following(2), window.Unbounded())},
		{Name: "over: up to before", Table: rows(window.Unbounded(), window.Preceding(2))},
		{Name: "over: zero rows around", Table: rows(window.Preceding(0), window.Following(0))},
		{Name: "over: empty frame", Table: rows(window.CurrentRow(), window.Preceding(1))},
		{Name: "over: far beyond the ends", Table: rows(window.Preceding(math.MaxInt32), window.Following(math.MaxInt32))},
		{Name: "over: frames of nothing", Table: aggregates(none, by.Rows(window.Preceding(1), window.CurrentRow()))},
		{Name: "over: rows without an order", Table: t.Filter(t.Num("id").Eq(8)).Select(v.Sum().Over(window.Over().Rows(window.Preceding(1), window.CurrentRow())).As("s"))},
		{Name: "over: default frame has peers", Table: ranged(byKey)},
		{Name: "over: default frame by two keys", Table: ranged(window.Over().OrderBy("g", expr.Desc("k")))},
		{Name: "over: peers only", Table: ranged(byKey.Range(window.CurrentRow(), window.CurrentRow()))},
		{Name: "over: peers and behind", Table: ranged(byKey.Range(window.CurrentRow(), window.Unbounded()))},
		{Name: "over: peers of texts", Table: ranged(window.Over().OrderBy("s").Range(window.CurrentRow(), window.Unbounded()))},
		{Name: "over: range of integers", Table: ranged(byKey.Range(window.Preceding(1), window.Following(2)))},
		{Name: "over: range of integers, descending", Table: ranged(window.Over().GroupBy("g").OrderBy(expr.Desc("k")).Range(window.Preceding(1), window.Following(2)))},
		{Name: "over: range of integers, nulls last", Table: ranged(window.Over().GroupBy("g").OrderBy(expr.Asc("k").NullsLast()).Range(window.Preceding(2), window.CurrentRow()))},
		{Name: "over: range of integers, descending, nulls first", Table: ranged(window.Over().OrderBy(expr.Desc("k").NullsFirst()).Range(window.CurrentRow(), window.Following(1)))},
		{Name: "over: range before", Table: ranged(byKey.Range(window.Preceding(3), window.Preceding(1)))},
		{Name: "over: range behind", Table: ranged(byKey.Range(window.Following(1), window.Following(3)))},
		{Name: "over: range from the start", Table: ranged(byKey.Range(window.Unbounded(), window.Following(1)))},
		{Name: "over: range up to before", Table: ranged(byKey.Range(window.Unbounded(), window.Preceding(1)))},
		{Name: "over: range to the end", Table: ranged(byKey.Range(window.Preceding(1), window.Unbounded()))},
		{Name: "over: range behind to the end, descending", Table: ranged(window.Over().OrderBy(expr.Desc("k")).Range(window.Following(1), window.Unbounded()))},
		{Name: "over: range of doubles", Table: ranged(window.Over().OrderBy("d").Range(window.Preceding(1.5), window.Following(1)))},
		{Name: "over: range of doubles, descending", Table: ranged(window.Over().OrderBy(expr.Desc("d")).Range(window.Preceding(1), window.CurrentRow()))},
		{Name: "over: range of decimals", Table: ranged(window.Over().OrderBy("n").Range(window.Preceding(expr.Decimal("0.5")), window.Following(1)))},
		{Name: "over: range of bigints", Table: ranged(window.Over().OrderBy(k.Cast(datatype.Long)).Range(window.Preceding(1), window.Following(1)))},
		{Name: "over: range of time", Table: ranged(window.Over().OrderBy("at").Range(window.Preceding(time.Minute), window.CurrentRow()))},
		{Name: "over: range of time, descending", Table: ranged(window.Over().OrderBy(expr.Desc("at")).Range(window.Preceding(time.Hour), window.Following(expr.Days(30))))},
		{Name: "over: range of months of time", Table: ranged(window.Over().OrderBy("at").Range(window.Preceding(expr.Months(1)), window.CurrentRow()))},
		{Name: "over: range of days", Table: ranged(window.Over().OrderBy("day").Range(window.Preceding(1), window.Following(1)))},
		{Name: "over: range of days as an interval", Table: ranged(window.Over().OrderBy("day").Range(window.Preceding(expr.Days(30)), window.CurrentRow()))},
		{Name: "over: range of days as a duration", Table: ranged(window.Over().OrderBy("day").Range(window.Preceding(48*time.Hour), window.CurrentRow()))},
		{Name: "over: range of months", Table: ranged(window.Over().OrderBy("day").Range(window.Preceding(expr.Months(1)), window.Following(expr.Months(1))))},
		{Name: "over: range of intervals", Table: func() expr.Table {
			x := Values()
			return x.Select("id", expr.Count().Over(window.Over().OrderBy("span").Range(window.Preceding(time.Hour), window.CurrentRow())).As("n"), expr.Count().Over(window.Over().OrderBy("months").Range(window.Preceding(expr.Months(11)), window.Following(expr.Months(2)))).As("m"))
		}()},
		{Name: "over: range that overflows", Table: func() expr.Table {
			x := Values()
			return x.Select("id", expr.Count().Over(window.Over().OrderBy("i").Range(window.CurrentRow(), window.Following(1))).As("n"))
		}()},
		{Name: "over: range that overflows, descending", Table: func() expr.Table {
			x := Values()
			return x.Select("id", expr.Count().Over(window.Over().OrderBy(expr.Desc("i")).Range(window.Unbounded(), window.Following(1))).As("n"))
		}()},
		{Name: "over: sum that overflows", Table: func() expr.Table {
			x := Values()
			return x.Select("id", x.Num("l").Sum().Over(window.Over().OrderBy("l").Rows(window.Preceding(1), window.CurrentRow())).As("s"))
		}()},
		{Name: "over: sum that would overflow beyond the frame", Table: func() expr.Table {
			x := Values()
			return x.Filter(x.Num("l").Lt(0).Not()).Select("id", x.Num("l").Sum().Over(window.Over().OrderBy(expr.Desc("l")).Rows(window.CurrentRow(), window.CurrentRow())).As("s"), x.Num("l").Mean().Over(window.Over().OrderBy("l").Rows(window.Preceding(1), window.CurrentRow())).As("m"))
		}()},
		{Name: "over: sums of every type", Table: func() expr.Table {
			x, w := Values(), window.Over().OrderBy("id").Rows(window.Preceding(1), window.CurrentRow())
			return x.Select("id", x.Num("i8").Sum().Over(w).As("i8"), x.Num("i").Sum().Over(w).As("i"), x.Num("n").Sum().Over(w).As("n"), x.Interval("span").Sum().Over(w).As("span"), x.Interval("months").Sum().Over(w).As("months"), x.Interval("months").Mean().Over(w).As("mean"), x.Num("d").Sum().Over(w).As("d"), x.Num("f").Mean().Over(w).As("f"))
		}()},
		{Name: "over: extremes of every type", Table: func() expr.Table {
			x, w := Values(), window.Over().OrderBy("id").Rows(window.Preceding(2), window.Following(1))
			return x.Select("id", x.Num("i8").Max().Over(w).As("i8"), x.Num("n").Min().Over(w).As("n"), x.Num("f").Max().Over(w).As("f"), x.Num("d").Min().Over(w).As("d"), x.Str("s").Max().Over(w).As("s"), x.Binary("bin").Min().Over(w).As("bin"), x.Date("dt").Max().Over(w).As("dt"),
				x.Timestamp("ts").Min().Over(w).As("ts"), x.Array("a").Max().Over(w).As("a"), x.Bool("b").Max().Over(w).As("b"), x.Interval("span").Min().Over(w).As("span"))
		}()},
		{Name: "over: filtered aggregates", Table: t.Select("id", expr.Where(expr.Count(), v.Gt(20)).Over(by).As("n"), expr.Where(v.Sum(), t.Bool("ok")).Over(by).As("sum"), expr.Where(v.Max().Over(by.Rows(window.Preceding(2), window.CurrentRow())), t.Bool("ok")).As("max"),
			expr.Where(v.First(), t.Bool("ok").Not()).Over(by).As("first"), expr.Where(v.Mean(), v.Lt(0)).Over(window.Over().GroupBy("g")).As("mean"), expr.Where(t.Str("s").Collect(), k.Gt(1)).Over(by).As("list"))},
		{Name: "over: cumulative methods", Table: t.Select("id", v.CumSum().Over(window.Over().OrderBy("id")).As("sum"), v.CumMean().Over(window.Over().OrderBy("id")).As("mean"), v.CumMin().Over(by).As("min"), t.Str("s").CumMax().Over(by).As("max"), t.Bool("ok").CumAll().Over(by).As("all"), t.Bool("ok").CumAny().Over(by).As("any"))},
		{Name: "over: helpers", Table: t.Select("id", v.Sum().Over(window.Cumulative().OrderBy("id")).As("cumulative"), v.Sum().Over(window.Trailing(2).GroupBy("g").OrderBy("id")).As("trailing"), v.Sum().Over(window.TrailingRange(90*time.Second).OrderBy("at")).As("range"))},
		{Name: "over: arithmetic of windows", Table: t.Select("id", v.Sub(v.Mean()).Div(v.Max()).Over(window.Over().GroupBy("g")).As("share"), v.Sum().Over(by).Sub(v.Sum().Over(window.Over())).As("left"), v.Sub(v.Lag(1, 0)).Over(by).As("change"))},
		{Name: "over: window in a window", Table: t.Select("id", number.Sum().Over(window.Over().OrderBy("id")).As("numbers"), v.Sum().Over(window.Over().GroupBy(number)).As("across"), functions.Rank().Over(window.Over().OrderBy(expr.Desc(v.Sum().Over(window.Over().GroupBy("g"))))).As("rank"))},
		{Name: "over: aggregate outside Agg as the order", Table: t.Select("id", functions.Rank().Over(window.Over().OrderBy(v.Sub(v.Mean()))).As("rank"))},
		{Name: "over: named windows", Table: t.Select("id", v.Sum().Over(by).As("sum"), v.Min().Over(by).As("min"), v.Max().Over(byKey).As("max"), functions.Rank().Over(byKey).As("rank"), expr.Count().Over(window.Over()).As("all"))},
		{Name: "over: named windows, then a choice", Table: t.Select("id", v.Sum().Over(by).As("sum"), v.Min().Over(by).As("min"), expr.Count().Over(byKey).As("n")).Select("n", "sum")},
		{Name: "over: filter by a number", Table: t.Filter(number.Eq(1)).Select("id", "g")},
		{Name: "over: filter by several windows", Table: t.Filter(number.Gt(1), number.Lt(4), v.Sum().Over(window.Over().GroupBy("g")).Gt(100), k.NotNull()).Select("id")},
		{Name: "over: filter above a window column", Table: func() expr.Table {
			w := t.Mutate(number.As("number"))
			return w.Filter(w.Num("number").Le(2), w.Str("g").Eq("a")).Select("id", "number")
		}()},
		{Name: "over: sort by a window", Ordered: true, Table: t.OrderBy(expr.Desc(functions.Rank().Over(byKey)), "g", "id").Select("id", "g")},
		{Name: "over: window above groups", Table: func() expr.Table {
			s := t.GroupBy("g").Agg(v.Sum().As("total"))
			return s.Mutate(functions.Rank().Over(window.Over().OrderBy(expr.Desc("total"))).As("rank"), s.Num("total").Div(s.Num("total").Sum()).As("share"))
		}()},
		{Name: "over: groups above a window", Table: func() expr.Table {
			s := t.Mutate(number.As("number"))
			return s.GroupBy("number").Agg(s.Num("v").Sum().As("sum"), expr.Count().As("n"))
		}()},
		{Name: "over: window above a join", Table: func() expr.Table {
			o, c := Orders(), Customers()
			j := o.Join(c, "customer")
			return j.Select("id", "name", functions.RowNumber().Over(window.Over().GroupBy("customer").OrderBy("id", "name")).As("number"))
		}()},
		{Name: "over: distinct above a window", Table: t.Select("g", v.Sum().Over(window.Over().GroupBy("g")).As("sum")).Distinct()},
		{Name: "over: limit below a window", Table: t.OrderBy("id").Limit(4).Mutate(functions.RowNumber().Over(window.Over().OrderBy(expr.Desc("id"))).As("number")).Select("id", "number")},
		{Name: "over: hostile names", Table: t.Rename(map[string]string{"a `b` ${x}": "k", "over": "g", "rows": "v"}).Mutate(expr.Num("rows").Sum().Over(window.Over().GroupBy("over").OrderBy("a `b` ${x}", "id")).As("w")).Select("id", "w")},
		{Name: "over: hostile texts", Table: t.Select("id", expr.Lit("x OVER (PARTITION BY g ORDER BY id)").As("text"), v.Sum().Over(by).As("sum"), v.Max().Over(by).As("max"), t.Str("s").Eq("OVER w").As("eq"))},
		{Name: "over: grouped mutate", Table: grouped.Mutate(v.Sum().As("sum"), functions.RowNumber().As("number"), v.Sub(v.Lag()).As("change"), v.Mul(2).As("twice")).Select("id", "sum", "number", "change", "twice")},
		{Name: "over: grouped mutate without an order", Table: t.GroupBy("g", t.Num("id").Mod(2).As("odd")).Mutate(v.Sum().As("sum"), expr.Count().As("n")).Select("id", "sum", "n")},
		{Name: "over: grouped select", Table: grouped.Select("id", v.Mean().As("mean"), v.Sum().Over(window.Over().OrderBy(expr.Desc("id"))).As("mixed"))},
		{Name: "over: grouped with a frame", Table: t.GroupBy("g").Over(window.Trailing(1).OrderBy("id")).Select("id", v.Sum().As("sum"), v.Max().As("max"))},
		{Name: "over: first rows of groups", Table: t.GroupBy("g").OrderBy(expr.Desc("v"), "id").Limit(2).Select("id", "g", "v")},
		{Name: "over: any rows of groups", Table: t.GroupBy("g").Limit(1).Agg(expr.Count().As("n"))},
		{Name: "over: no rows of groups", Table: t.GroupBy("g").OrderBy("id").Limit(0).Select("id")},
		{Name: "over: distinct on, first", Table: t.DistinctOn("g").OrderBy("k", "id").Keep(expr.KeepFirst).Select("id", "g")},
		{Name: "over: distinct on, last", Table: t.DistinctOn("g").OrderBy("k", expr.Desc("id").NullsFirst()).Keep(expr.KeepLast).Select("id", "g")},
		{Name: "over: distinct on, none", Table: t.DistinctOn("k").Keep(expr.KeepNone).Select("id", "k")},
		{Name: "over: distinct on, any", Table: t.DistinctOn("g", t.Num("id").Mod(2)).Keep(expr.KeepFirst).Agg(expr.Count().As("n"))},
		{Name: "over: distinct on, any last", Table: t.DistinctOn("d").Keep(expr.KeepLast).Agg(expr.Count().As("n"))},
		{Name: "over: self join of a window", Table: func() expr.Table {
			w := t.Mutate(functions.RowNumber().Over(window.Over().OrderBy("id")).As("number"))
			u := w.View()
			return w.Join(u, w.Num("number").Eq(u.Num("number").Add(1))).Select(w.Num("id"), u.Num("id").As("before"))
		}()},
	}
}
