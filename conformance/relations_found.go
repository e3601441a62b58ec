package conformance

import (
	"math"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/functions"
	"github.com/spoonbill-go/spoonbill/window"
)

// treeCases are what longer runs of random trees have found, each in its smallest form.
func treeCases() []Case {
	one := tables("t", mustFields("i INT, l BIGINT, f FLOAT, n DECIMAL(22,2), x DECIMAL(38,6), y DECIMAL(38,10), b BOOLEAN"), [][]any{{16777217, int64(3), float32(16777216), "1.25", "1.5", "2.5", true}})
	i, f := one.Col("i"), one.Col("f")
	ints, floats := fnOf("array", i), fnOf("array", f)
	ofInt, ofFloat := fnOf("map", i, 1), fnOf("map", f, 1)
	o := Orders()
	none := o.Filter(o.Num("id").Lt(0))
	empty := tables("none", mustFields("a INT, b INT"), nil)
	total := func(t expr.Table, e expr.GroupingElement) expr.Table {
		return t.GroupBy(e).Agg(expr.Count().As("n"), expr.GroupingID().As("id"), fnOf("+", expr.GroupingID(), expr.Count()).As("both"))
	}
	months := tables("t", mustFields("y INT, d INT, s STRING"), [][]any{{1, 2, "a"}, {178956971, 2, "!"}, {1, 0, "YQ=="}, {nil, 1, nil}, {3, 2, "b"}})
	years := fnOf("make_ym_interval", months.Col("y"), 1)
	days := fnOf("make_dt_interval", fnOf("div", 1, months.Num("d")).Cast(datatype.Int))
	seconds := tables("t", mustFields("s DECIMAL(16,6)"), [][]any{{"601302.142082"}, {"4294.967296"}, {"4294967.296"}, {"2147.483648"}, {"-4294.967295"}, {"59.999999"}, {nil}})
	pairs := tables("l", mustFields("st STRUCT<x: INT, y: STRING>, k INT"), [][]any{{[]any{1, "one"}, 1}, {[]any{0, "a"}, 2}, {nil, 3}})
	same := tables("r", mustFields("k INT"), [][]any{{1}, {2}, {3}, {4}, {5}})
	texts := tables("s", mustFields("a ARRAY<STRING>, k INT"), [][]any{{[]string{"a", "b"}, 1}})
	small := tables("a", mustFields("k INT, i16 SMALLINT"), [][]any{{1, int16(2)}, {1, int16(1)}, {2, nil}})
	lists := small.GroupBy("k").Agg(fnOf("sort_array", fnOf("collect_list", small.Col("i16"))).As("a"), fnOf("map", "k", fnOf("count", small.Col("i16"))).As("m"), fnOf("named_struct", "x", fnOf("count", small.Col("i16"))).As("st"))
	infinite := tables("t", mustFields("k INT, y DOUBLE, x DOUBLE"), [][]any{{1, math.Inf(1), math.Inf(1)}, {2, 1.0, math.Inf(-1)}, {3, math.Inf(1), 1.0}, {4, 1.0, 2.0}, {5, 1.0, math.NaN()}, {6, nil, 1.0}, {7, 1.0, math.Inf(1)}, {7, 2.0, 3.0}})
	many := tables("m", mustFields("k INT, v INT"), [][]any{{1, 10}, {4, 40}, {5, 50}, {5, 51}})
	first := same.OrderBy(expr.Desc("k")).Limit(2)
	of := func(t expr.Table) expr.AnyValue {
		return many.Filter(many.Num("k").Eq(t.Num("k"))).Agg(fnOf("max", many.Col("v")).As("v")).AsScalar()
	}
	key := expr.If(one.Bool("b"), one.Num("l"), int64(7))
	rolled := one.GroupBy(expr.Rollup(key.As("k"), "i")).Agg(expr.Count().As("n"))
	return []Case{
		{Name: "FLOAT elements and whole numbers", Table: one.Select(fnOf("array_append", floats, i).As("append"), fnOf("array_prepend", ints, f).As("prepend"), fnOf("array_insert", floats, 1, i).As("insert"), fnOf("array_contains", floats, i).As("contains"),
			fnOf("array_position", ints, f).As("position"), fnOf("array_remove", floats, i).As("remove"), fnOf("array_union", floats, ints).As("union"), fnOf("array_except", ints, floats).As("except"), fnOf("array_intersect", floats, ints).As("intersect"),
			fnOf("arrays_overlap", floats, ints).As("overlap"), fnOf("concat", floats, ints).As("concat"), fnOf("=", floats, ints).As("equal"))},
		{Name: "FLOAT within elements and whole numbers", Table: one.Select(fnOf("array_union", fnOf("array", floats), fnOf("array", ints)).As("arrays"), fnOf("array_append", fnOf("array", functions.NamedStruct("a", f)), functions.NamedStruct("a", i)).As("structs"),
			fnOf("array_append", fnOf("array", fnOf("map", 1, f)), fnOf("map", 1, i)).As("maps"))},
		{Name: "FLOAT keys and whole numbers", Table: one.Select(fnOf("map_contains_key", ofFloat, i).As("a"), fnOf("map_contains_key", ofInt, f).As("b"), fnOf("element_at", ofFloat, i).As("c"), fnOf("map_zip_with", ofFloat, ofInt, func(k, a, b expr.AnyValue) expr.Value { return a }).As("d"))},
		{Name: "moments that overflow over windows", Table: func() expr.Table {
			big := tables("t", mustFields("k INT, x DOUBLE, y DOUBLE"), [][]any{{1, 1e300, 1.0}, {1, 1.0, 2.0}, {1, 2.0, 5.0}, {2, -1e200, 1e300}, {2, 3.0, nil}, {3, 1.0, 1.0}, {3, 2.0, 3.0}, {3, 4.0, 4.0}})
			whole, growing := window.Over().GroupBy("k"), window.Over().GroupBy("k").OrderBy("x")
			var out []any
			for _, name := range []string{"stddev", "var_pop", "skewness", "kurtosis"} {
				out = append(out, fnOf(name, big.Col("x")).Over(whole).As(name), fnOf(name, big.Col("x")).Over(growing).As(name+"_growing"))
			}
			for _, name := range []string{"covar_pop", "regr_slope", "regr_sxx"} {
				out = append(out, fnOf(name, big.Col("y"), big.Col("x")).Over(whole).As(name), fnOf(name, big.Col("y"), big.Col("x")).Over(growing).As(name+"_growing"))
			}
			return big.Select(append([]any{"k", "x"}, out...)...)
		}()},
		{Name: "a map with a null key over no rows beside some", Table: func() expr.Table {
			u := empty.Select("a").Union(same.Select(same.Col("k").As("a")))
			return u.Select("a", fnOf("map", u.Col("a"), 1).As("m"))
		}()},
		{Name: "total of nothing", Table: total(none, expr.GroupingSets([]any{}))},
		{Name: "total of no rows", Table: total(empty, expr.GroupingSets([]any{}))},
		{Name: "total of rows", Table: total(Orders(), expr.GroupingSets([]any{}))},
		{Name: "two totals of nothing", Table: total(none, expr.GroupingSets([]any{}, []any{}))},
		{Name: "two totals of rows", Table: total(Orders(), expr.GroupingSets([]any{}, []any{}))},
		{Name: "total and groups of nothing", Table: total(none, expr.GroupingSets([]any{}, []any{"customer"}))},
		{Name: "rollup of nothing", Table: total(none, expr.Rollup("customer"))},
		{Name: "cube of no rows", Table: total(empty, expr.Cube("a", "b"))},
		{Name: "total beside a key of nothing", Table: none.GroupBy("customer", expr.GroupingSets([]any{})).Agg(expr.Count().As("n"))},
		{Name: "total of nothing above a filter", Table: func() expr.Table {
			t := total(none, expr.GroupingSets([]any{}))
			return t.Filter(t.Num("n").Eq(0)).Select("n")
		}()},
		{Name: "intervals that cannot be made are null in try", Table: months.Select("y", "d", fnOf("try_interval_add", years, expr.Months(1)).As("add"), fnOf("try_interval_sub", expr.Months(1), years).As("sub"), fnOf("try_interval_mul", years, 2).As("mul"),
			fnOf("try_interval_div", years, 2).As("div"), fnOf("try_interval_div", days, months.Col("d")).As("days"), fnOf("try_interval_mul", years, fnOf("div", 4, months.Col("d"))).As("factor"))},
		{Name: "texts that cannot be made are null in try_to_binary", Table: months.Select("d", fnOf("try_to_binary", fnOf("div", 4, months.Num("d")).Cast(datatype.String), "utf-8").As("a"), fnOf("try_to_binary", months.Col("s"), "base64").As("b"))},
		{Name: "numbers that cannot be made raise in try_add", Table: months.Select(fnOf("try_add", fnOf("div", 4, months.Col("d")), 1).As("a"))},
		{Name: "seconds beyond 32 bits", Table: seconds.Select("s", fnOf("try_make_timestamp_ntz", 2024, 1, 1, 1, 1, seconds.Col("s")).As("ntz"), fnOf("try_make_timestamp", 2024, 1, 1, 1, 1, seconds.Col("s")).As("ts"), fnOf("try_make_timestamp_ltz", 2024, 1, 1, 1, 1, seconds.Col("s")).As("ltz"))},
		{Name: "seconds beyond 32 bits of make_timestamp", Table: seconds.Limit(1).Select(fnOf("make_timestamp", 2024, 1, 1, 1, 1, seconds.Col("s")).As("ts"))},
		{Name: "seconds beyond their digits", Table: one.Select(fnOf("try_make_timestamp_ntz", 2024, 1, 1, 1, 1, fnOf("*", one.Col("l"), int64(1<<34))).As("ts"))},
		{Name: "decimals of more digits than there are", Table: one.Select(expr.If(one.Bool("b"), one.Num("x"), one.Num("y")).As("if"), fnOf("coalesce", one.Col("y"), one.Col("x")).As("coalesce"), fnOf("array", one.Col("x"), one.Col("y")).As("array"), fnOf("greatest", one.Col("x"), one.Col("y")).As("greatest"),
			expr.If(one.Bool("b"), one.Num("x").Cast(datatype.Decimal{Precision: 38}), one.Num("n").Cast(datatype.Decimal{Precision: 10, Scale: 5})).As("whole"), one.Num("x").Lt(one.Num("y")).As("less"), fnOf("try_multiply", one.Col("y"), one.Col("l")).As("product"))},
		{Name: "union of decimals of more digits than there are", Table: one.Select("x").Union(one.Select("y"), one.Select("n"))},
		{Name: "null of a type of its own", Table: one.Select(expr.If(one.Bool("b"), fnOf("ceil", one.Col("n")), expr.Null(datatype.Decimal{Precision: 22, Scale: 2})).As("a"), expr.If(one.Bool("b"), one.Num("i"), expr.Null(datatype.Float)).As("b"), fnOf("coalesce", expr.Null(datatype.Float), one.Col("i")).As("c"),
			fnOf("array", one.Col("i"), expr.Null(datatype.Byte)).As("d"), expr.If(one.Bool("b"), one.Num("i"), expr.Null(datatype.Byte)).As("e"), fnOf("+", one.Col("i"), expr.Null(datatype.Float)).As("f"))},
		{Name: "union of lists without nulls", Table: lists.Union(tables("b", mustFields("k INT, a ARRAY<INT>, m MAP<STRING, INT>, st STRUCT<x: INT>"), [][]any{{7, []any{1, nil}, map[string]any{"a": nil}, []any{nil}}}))},
		{Name: "union of lists without nulls on both sides", Table: lists.Union(one.Select(one.Col("i"), fnOf("array", 5).As("a"), fnOf("map", "a", 5).As("m"), fnOf("named_struct", "x", 5).As("st")))},
		{Name: "rollup above a condition of a computed key", Table: rolled.Filter(rolled.Num("k").Gt(0)).Select("n", "k")},
		{Name: "rollup above conditions one by one", Table: func() expr.Table {
			t := rolled.Filter(rolled.Num("n").Gt(0))
			return t.Filter(t.Num("k").Add(1).Gt(1), t.Num("i").NotNull())
		}()},
		{Name: "cube of a computed key with its level", Table: func() expr.Table {
			t := one.GroupBy(expr.Cube(key.As("k"), "i")).Agg(expr.Count().As("n"), expr.Grouping(key).As("level"))
			return t.Filter(t.Num("level").Eq(0))
		}()},
		{Name: "cube above a condition of levels under other names", Table: func() expr.Table {
			t := one.GroupBy(expr.Cube("b", "i")).Agg(expr.Count().As("n"), expr.Grouping("b").As("level")).RenameBy(func(n string) string { return n + "_2" })
			return t.Filter(t.Num("level_2").Eq(0), t.Bool("b_2").NotNull())
		}()},
		{Name: "rollup of fields above a condition of levels", Table: func() expr.Table {
			t := pairs.GroupBy(expr.Rollup(pairs.Struct("st").Field("x").As("x"), "k")).Agg(expr.Count().As("n"), expr.GroupingID().As("id"))
			return t.Filter(t.Num("x").Ge(0), t.Num("id").Lt(2))
		}()},
		{Name: "join of rows with one constant struct and others", Table: pairs.AnyLeftJoin(pairs.Select("st", pairs.Num("k").As("other")).Union(same.Select(functions.NamedStruct("x", 0, "y", "a").As("c"), "k")), "st")},
		{Name: "regressions of one infinite pair", Table: infinite.GroupBy("k").Agg(fnOf("regr_intercept", infinite.Col("y"), infinite.Col("x")).As("intercept"), fnOf("regr_slope", infinite.Col("y"), infinite.Col("x")).As("slope"), fnOf("regr_r2", infinite.Col("y"), infinite.Col("x")).As("r2"))},
		{Name: "scalar subqueries beside the first rows of an order", Table: first.Mutate(of(first).As("most"), of(first).AsNumeric().Add(first.Num("k")).As("sum"))},
		{Name: "scalar subquery beside columns of the first rows", Table: func() expr.Table {
			t := same.OrderBy(expr.Desc("k")).Limit(2, 1).Select("k").Rename(map[string]string{"value_1": "k"})
			return t.Mutate(many.Filter(many.Num("k").Eq(t.Col("value_1"))).Agg(expr.Count().As("n")).AsScalar().As("n"))
		}()},
		{Name: "scalar subqueries above views and what is computed of the first rows", Table: func() expr.Table {
			t := first.View()
			t = t.Mutate(t.Num("k").Add(1).As("more"))
			return t.Mutate(of(t).As("most"))
		}()},
		{Name: "a literal null for a format", Table: one.Select(fnOf("to_binary", fnOf("date_format", fnOf("make_timestamp", 2024, 1, 1, 1, 1, fnOf("+", one.Col("i"), 1000)), "y"), nil).As("a"))},
		{Name: "dates whose number overflows", Table: one.Select(fnOf("make_date", fnOf("*", one.Col("i"), 0).AsNumeric().Add(900_000_000), 1, 1).As("d"))},
		{Name: "dates whose year has ten digits", Table: one.Select(fnOf("make_date", fnOf("*", one.Col("i"), 0).AsNumeric().Add(1_900_000_000), 1, 1).As("d"))},
		{Name: "lists of texts and of others", Table: one.Select(expr.If(one.Bool("b"), fnOf("split", "1,2", ","), ints).As("a"), fnOf("coalesce", fnOf("split", "true", ","), fnOf("array", one.Col("b"))).As("b"), fnOf("coalesce", fnOf("map", 1, "1"), fnOf("map", 1, one.Col("i"))).As("c"),
			fnOf("coalesce", fnOf("named_struct", "x", "1"), fnOf("named_struct", "x", one.Col("i"))).As("d"))},
		{Name: "sorted rows with one constant list and others", Ordered: true, Table: texts.Union(same.Select(fnOf("array", "x", "y", "z").As("c"), "k")).OrderBy("k", "a")},
	}
}
