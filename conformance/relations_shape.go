package conformance

import (
	"math"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/selectors"
	"github.com/spoonbill-go/spoonbill/window"
)

// bags are two tables with duplicates, nulls, NaN and both zeros, for operations on sets of rows.
func bags() (a, b expr.Table) {
	neg := math.Copysign(0, -1)
	fields := mustFields("k INT, d DOUBLE")
	a = expr.MemtableRows("a", fields, [][]any{{1, 1.0}, {1, 1.0}, {1, 1.0}, {2, 2.0}, {nil, nil}, {nil, nil}, {3, math.NaN()}, {4, neg}, {4, 0.0}, {5, 5.0}})
	b = expr.MemtableRows("b", fields, [][]any{{1, 1.0}, {1, 1.0}, {nil, nil}, {3, math.NaN()}, {3, math.NaN()}, {4, 0.0}, {6, 6.0}})
	return a, b
}

// sales is a table to group on several levels, with a null that is one of the data.
func sales() expr.Table {
	return expr.MemtableRows("sales", mustFields("region STRING, year INT NOT NULL, product STRING, amount DECIMAL(10,2), at TIMESTAMP"), [][]any{
		{"north", 2023, "tea", "10.00", at("2023-05-01 10:00:10")},
		{"north", 2023, "mate", "4.50", at("2023-05-01 10:00:50")},
		{"north", 2024, "tea", nil, at("2024-05-01 10:01:10")},
		{"south", 2023, "tea", "7.25", at("2023-05-01 10:00:20")},
		{"south", 2024, nil, "1.00", nil},
		{nil, 2024, "tea", "3.00", at("2024-05-01 10:01:30")},
	})
}

// wideSales is a table with columns to make rows of.
func wideSales() expr.Table {
	return expr.MemtableRows("wide", mustFields("id INT NOT NULL, q1_2023 INT, q2_2023 BIGINT, q1_2024 INT, note STRING"), [][]any{
		{1, 10, int64(20), nil, "a"}, {2, nil, int64(5), 7, nil}, {3, 1, nil, 2, "c"},
	})
}

// shapeRelations are set operations, groupings on several levels, pivots, selectors and the other operations that change a table's shape.
func shapeRelations() []Case {
	o, c, v := Orders(), Customers(), Values()
	a, b := bags()
	s, w := sales(), wideSales()
	none := a.Filter(a.Num("k").Lt(0))
	structs := v.Select("id", v.Struct("st"), v.Bool("b"))
	tall := expr.MemtableRows("tall", mustFields("id INT, name STRING, value INT, w DOUBLE"), [][]any{
		{1, "x", 10, 1.0}, {1, "y", 20, 2.0}, {2, "x", 30, 3.0}, {3, nil, 40, 4.0}, {3, "y", nil, 5.0}, {nil, "x", 60, 6.0},
	})
	hostile := expr.MemtableRows("h", mustFields("`a``b` INT, `x y` INT, `${z}` INT, `select` STRING"), [][]any{{1, nil, 3, "it's"}, {nil, nil, nil, nil}})
	text := func(c expr.AnyValue) expr.AnyValue { return c.Cast(datatype.String) }
	out := []Case{
		// Sets of rows.
		{Name: "intersect", Table: a.Intersect(b)},
		{Name: "intersect all", Table: a.IntersectAll(b)},
		{Name: "intersect of three", Table: a.Intersect(b, a.Filter(a.Num("k").Lt(4)))},
		{Name: "intersect with nothing", Table: a.Intersect(none)},
		{Name: "intersect all with nothing", Table: none.IntersectAll(a)},
		{Name: "intersect with itself", Table: a.Intersect(a)},
		{Name: "intersect widens", Table: o.Select(o.Num("id").As("x")).Intersect(o.Select(o.Num("amount").As("y")))},
		{Name: "intersect of not null and null", Table: s.Select("year").Intersect(o.Select(o.Num("id").Add(2022).As("y")))},
		{Name: "intersect of arrays", Table: o.Select("tags").Intersect(o.Filter(o.Num("id").Lt(4)).Select("tags"))},
		{Name: "intersect of structs", Table: structs.Select("st").Intersect(structs.Filter(structs.Num("id").Lt(5)).Select("st"))},
		{Name: "difference", Table: a.Difference(b)},
		{Name: "difference all", Table: a.DifferenceAll(b)},
		{Name: "difference the other way", Table: b.DifferenceAll(a)},
		{Name: "difference of three", Table: a.Difference(b, a.Filter(a.Num("k").Eq(5)))},
		{Name: "difference with nothing", Table: a.Difference(none)},
		{Name: "difference all with nothing", Table: a.DifferenceAll(none)},
		{Name: "difference of nothing", Table: none.Difference(a)},
		{Name: "difference widens", Table: o.Select(o.Num("id").As("x")).Difference(o.Select(o.Num("amount").As("y")))},
		{Name: "difference of not null", Table: s.Select("year").Difference(o.Select("id"))},
		{Name: "union distinct", Table: a.UnionDistinct(b)},
		{Name: "union distinct of three", Table: o.Select("note").UnionDistinct(o.Select("note"), c.Select("name"))},
		{Name: "set operations nested", Table: a.Union(b).Intersect(b.Difference(a).Union(a))},
		{Name: "set operations from the left", Table: a.Difference(b).Union(a.IntersectAll(b)).UnionDistinct(b)},
		{Name: "set operation of limits", Ordered: true, Table: o.Select("id").OrderBy("id").Limit(4).Difference(o.Select("id").OrderBy("id").Limit(2)).OrderBy("id")},
		{Name: "set operation then group", Table: func() expr.Table {
			d := a.DifferenceAll(b)
			return d.GroupBy("k").Agg(expr.Count().As("n"))
		}()},
		{Name: "set operation filtered", Table: a.IntersectAll(b).Filter(expr.Num("k").Gt(1))},
		{Name: "set operation joined", Table: a.Intersect(b).Select("k").Join(b.View(), "k").Select("k", "d")},

		// Groupings.
		{Name: "having without a column", Table: o.GroupBy("customer").Having(expr.Count().Gt(1)).Agg(o.Num("amount").Sum().As("total"))},
		{Name: "having null", Table: o.GroupBy("customer").Having(o.Num("amount").Sum().Gt(0), expr.Num("customer").NotEq(99)).Agg(expr.Count().As("n"))},
		{Name: "having over one group that fails", Table: o.Agg(expr.Count().As("n")).Filter(expr.Num("n").Gt(100))},
		{Name: "having with or", Table: o.GroupBy("customer").Having(expr.Count().Gt(1).Or(o.Num("amount").Max().Lt(0))).Agg(expr.Count().As("n"))},
		{Name: "having then sort and limit", Ordered: true, Table: o.GroupBy("customer").Having(expr.Count().Ge(1)).Agg(expr.Count().As("n")).OrderBy(expr.Desc("n"), "customer").Limit(2)},
		{Name: "count of groups", Table: o.GroupBy("note").Count()},
		{Name: "size of groups of nothing", Table: o.Filter(o.Num("id").Lt(0)).GroupBy("note").Size()},
		{Name: "rollup", Table: s.GroupBy(expr.Rollup("region", "year")).Agg(s.Num("amount").Sum().As("total"), expr.Count().As("n"))},
		{Name: "rollup with grouping", Table: s.GroupBy(expr.Rollup("region", "year")).Agg(expr.Grouping("region").As("r"), expr.Grouping("year").As("y"), expr.GroupingID().As("id"), expr.Count().As("n"))},
		{Name: "rollup of one", Table: s.GroupBy(expr.Rollup("product")).Agg(expr.Count().As("n"), expr.Grouping("product").As("g"))},
		{Name: "rollup of nothing", Table: s.Filter(s.Num("year").Lt(0)).GroupBy(expr.Rollup("region")).Agg(expr.Count().As("n"))},
		{Name: "rollup of pairs", Table: s.GroupBy(expr.Rollup([]any{"region", "year"}, "product")).Agg(expr.Count().As("n"), expr.GroupingID().As("id"))},
		{Name: "cube", Table: s.GroupBy(expr.Cube("region", "product")).Agg(s.Num("amount").Sum().As("total"), expr.GroupingID().As("id"))},
		{Name: "cube of expressions", Table: s.GroupBy(expr.Cube(s.Num("year").Mod(2).As("odd"), s.Str("region").Upper().As("r"))).Agg(s.Num("amount").Max().As("m"), s.Num("year").Min().As("first"))},
		{Name: "grouping sets", Table: s.GroupBy(expr.GroupingSets([]any{"region", "year"}, "product", []any{})).Agg(expr.Count().As("n"), expr.GroupingID().As("id"), expr.Grouping("product").As("p"))},
		{Name: "grouping sets twice the same", Table: s.GroupBy(expr.GroupingSets("region", "region", []any{})).Agg(expr.Count().As("n"))},
		{Name: "grouping sets in another order", Table: s.GroupBy(expr.GroupingSets("year", []any{"region", "year"})).Agg(expr.Count().As("n"), expr.GroupingID().As("id"))},
		{Name: "grouping set of nothing over nothing", Table: s.Filter(s.Num("year").Lt(0)).GroupBy(expr.GroupingSets([]any{}, "year")).Agg(expr.Count().As("n"))},
		{Name: "plain key and rollup", Table: s.GroupBy("year", expr.Rollup("region")).Agg(s.Num("amount").Sum().As("total"), expr.Grouping("region").As("g"))},
		{Name: "rollup times cube", Table: s.GroupBy(expr.Rollup("region"), expr.Cube("year")).Agg(expr.Count().As("n"), expr.GroupingID().As("id"))},
		{Name: "rollup aggregates its keys", Table: s.GroupBy(expr.Rollup("year")).Agg(s.Num("year").Sum().As("s"), s.Num("year").Max().Add(expr.Count()).As("m"))},
		{Name: "rollup uses its keys", Table: s.GroupBy(expr.Rollup("region", "year")).Agg(s.Str("region").Concat("!").As("loud"), s.Num("year").Add(1).As("next"))},
		{Name: "rollup with having", Table: s.GroupBy(expr.Rollup("region", "year")).Having(expr.Grouping("year").Eq(1), expr.Count().Gt(1)).Agg(expr.Count().As("n"))},
		{Name: "rollup filtered by a key", Table: s.GroupBy(expr.Rollup("region", "year")).Agg(expr.Count().As("n")).Filter(expr.Num("year").IsNull())},
		{Name: "rollup of a window", Table: s.GroupBy(expr.Rollup(window.Tumbling(s.Timestamp("at"), time.Minute), "region")).Agg(expr.Count().As("n"), expr.GroupingID().As("id"))},
		{Name: "rollup then group", Table: func() expr.Table {
			r := s.GroupBy(expr.Rollup("region", "product")).Agg(expr.Count().As("n"), expr.GroupingID().As("level"))
			return r.GroupBy("level").Agg(r.Num("n").Sum().As("n"))
		}()},
		{Name: "cube with count distinct", Table: s.GroupBy(expr.Cube("region")).Agg(expr.CountDistinct(s.Str("product")).As("d"), expr.Where(expr.Count(), s.Num("amount").Gt(4)).As("n"))},

		// Numbers of rows.
		{Name: "head", Ordered: true, Table: o.OrderBy("id").Head().Select("id")},
		{Name: "head of two", Ordered: true, Table: o.OrderBy(expr.Desc("id")).Head(2).Select("id")},
		{Name: "limit computed", Ordered: true, Table: o.OrderBy("id").Limit(expr.Lit(1).AsNumeric().Add(2), expr.Lit(2).AsNumeric().Mul(2)).Select("id")},
		{Name: "limit computed below zero", Table: o.Limit(expr.Lit(1).AsNumeric().Sub(2))},
		{Name: "limit of a division", Table: o.OrderBy("id").Limit(expr.Lit(7).AsNumeric().Mod(0)).Select("id")},
		{Name: "offset alone", Ordered: true, Table: o.OrderBy("id").Limit(nil, 5).Select("id")},
		{Name: "sample all", Table: o.Sample(1, 7).Select("id")},
		{Name: "sample none", Table: o.Sample(0, 7).Select("id")},
		{Name: "sample is a part", Table: func() expr.Table {
			x := o.Sample(0.5, 42)
			return x.Difference(o).Count().Union(x.Agg(expr.Count().Le(7).Cast(datatype.Long).As("n")))
		}()},
		{Name: "count", Table: o.Count()},
		{Name: "count where", Table: o.Count(o.Num("amount").Gt(2), o.Str("note").NotNull())},
		{Name: "nunique", Table: a.NUnique()},
		{Name: "nunique of columns", Table: o.NUnique("customer", "note")},
		{Name: "value counts", Table: a.ValueCounts()},
		{Name: "value counts of a column", Table: o.ValueCounts("note")},
		{Name: "top k", Ordered: true, Table: o.TopK(3, "customer")},
		{Name: "top k of pairs", Ordered: true, Table: a.TopK(4)},

		// Shape.
		{Name: "pivot longer", Table: w.PivotLonger(selectors.Matches(`^q\d`))},
		{Name: "pivot longer by pattern", Table: w.PivotLonger(selectors.Matches(`^q\d`), expr.NamesPattern(`^q(\d)_(\d+)$`), expr.NamesTo("quarter", "year"), expr.ValuesTo("sold"), expr.NamesTransform("year", func(s string) any { return len(s) }))},
		{Name: "pivot longer transforms values", Table: w.PivotLonger([]any{"q1_2023", "note"}, expr.ValuesTransform(text), expr.NamesTo("what"))},
		{Name: "pivot longer without nulls", Table: w.PivotLonger(selectors.StartsWith("q1")).DropNull(expr.AnyNull, "value").Select("id", "name", "value")},
		{Name: "pivot longer of not null", Table: s.Select("region", "year", s.Num("year").Add(1).As("next")).PivotLonger([]any{"year", "next"})},
		{Name: "pivot longer of nothing", Table: w.Filter(w.Num("id").Lt(0)).PivotLonger(selectors.StartsWith("q"))},
		{Name: "pivot longer then wider", Table: w.Select(selectors.Numeric()).PivotLonger(selectors.StartsWith("q")).PivotWider(expr.PivotNames("q1_2023", "q2_2023", "q1_2024"), expr.ValuesAgg(expr.NumericValue.Max))},
		{Name: "pivot wider", Table: tall.Drop("w").PivotWider()},
		{Name: "pivot wider sorted and filled", Table: tall.Drop("w").PivotWider(expr.PivotNames("y", "x"), expr.NamesSort(), expr.NamesPrefix("v"), expr.ValuesFill(0), expr.ValuesAgg(expr.NumericValue.Sum))},
		{Name: "pivot wider of two values", Table: tall.PivotWider(expr.PivotNames("x", "y"), expr.ValuesFrom("value", "w"), expr.NamesSep("."), expr.ValuesAgg(expr.NumericValue.Max))},
		{Name: "pivot wider of two names", Table: s.PivotWider(expr.IDCols("region"), expr.NamesFrom("year", "product"), expr.ValuesFrom("amount"), expr.PivotNames([]any{2023, "tea"}, []any{2024, nil}, []any{1900, "mate"}), expr.ValuesAgg(expr.NumericValue.Sum))},
		{Name: "pivot wider of all rows", Table: s.PivotWider(expr.IDCols(), expr.NamesFrom("product"), expr.ValuesFrom("amount"), expr.PivotNames("tea", "mate"), expr.ValuesAgg(func(n expr.NumericValue) expr.NumericValue { return n.Max().Sub(n.Min()) }))},
		{Name: "unnest with position", Table: o.Unnest("tags", expr.WithPosition("at_")).Select("id", "tags", "at_")},
		{Name: "unnest outer with position", Table: o.Unnest("tags", expr.WithPosition("position"), expr.KeepEmpty())},
		{Name: "unnest with position and filter", Table: o.Filter(o.Num("id").Gt(1)).Unnest("tags", expr.WithPosition("i")).Filter(expr.Num("i").Gt(0), expr.Str("tags").NotNull()).Select("id", "i", "tags")},
		{Name: "unnest with position and group", Table: o.Unnest("tags", expr.WithPosition("i")).GroupBy("i").Agg(expr.Count().As("n"), expr.Str("tags").Max().As("m"))},
		{Name: "unnest with position joined", Table: o.Join(c, "customer").Unnest("tags", expr.WithPosition("i")).Select("id", "name", "tags", "i").Join(o.Select("id", "note"), "id")},
		{Name: "unpack", Table: structs.Unpack("st")},
		{Name: "unpack a window", Table: s.GroupBy(window.Tumbling(s.Timestamp("at"), time.Minute)).Agg(expr.Count().As("n")).Unpack("window")},
		{Name: "relocate", Ordered: true, Table: o.OrderBy("id").Relocate("note", o.Num("amount").As("price")).Head(2)},
		{Name: "relocate after", Ordered: true, Table: o.OrderBy("id").Relocate("id", expr.After(selectors.StartsWith("a"))).Head(2)},
		{Name: "relocate before", Ordered: true, Table: o.OrderBy("id").Relocate(selectors.OfType(datatype.String), expr.Before("customer")).Head(2)},
		{Name: "rename by", Table: expr.MemtableRows("r", mustFields("`unitPrice` INT, `HTTPServer` INT, `two words` INT, `kebab-case` INT, snake_case INT"), [][]any{{1, 2, 3, 4, 5}}).RenameBy(expr.SnakeCase)},
		{Name: "rename some", Table: c.RenameBy(strings.ToUpper, selectors.Contains("am"))},
		{Name: "cast columns", Table: c.Cast(map[string]datatype.Type{"customer": datatype.String, "since": datatype.Timestamp})},
		{Name: "cast that fails", Table: c.Cast(map[string]datatype.Type{"name": datatype.Int})},
		{Name: "try cast columns", Table: c.TryCast(map[string]datatype.Type{"name": datatype.Int, "customer": datatype.Byte})},
		{Name: "fill null with a number", Table: o.Select("id", "customer", "amount", "note").FillNull(0)},
		{Name: "fill null with a text", Table: o.Select("id", "customer", "note").FillNull("none")},
		{Name: "fill null by column", Table: o.Select("id", "customer", "amount", "at", "note").FillNull(map[string]any{"amount": expr.Decimal("0.5"), "note": "?", "at": at("1970-01-01 00:00:00")}).Select("id", "amount", "at", "note")},
		{Name: "drop any null", Table: o.DropNull(expr.AnyNull)},
		{Name: "drop null of some", Table: o.DropNull(expr.AnyNull, "customer", selectors.OfKind(datatype.KindDecimal)).Select("id")},
		{Name: "drop all null", Table: a.DropNull(expr.AllNull)},
		{Name: "drop all null keeps NaN", Table: v.Select("id", "d", "f").DropNull(expr.AllNull, "d", "f").Select("id")},
		{Name: "info", Table: v.Info()},
		{Name: "info of nothing", Table: none.Info()},
		{Name: "describe", Table: o.Select("id", "amount", "note", "tags").Describe().Select("name", "pos", "type", "count", "nulls", "unique", "mean", "min", "max")},
		{Name: "describe booleans and maps", Table: v.Select("b", "m", "i").Describe().Select("name", "count", "nulls", "unique", "mean", "min", "max")},
		{Name: "describe nothing", Table: none.Describe().Select("name", "count", "nulls", "unique", "mean", "min", "max")},

		// Selectors.
		{Name: "select numbers", Table: o.Select(selectors.Numeric())},
		{Name: "select by several", Table: v.Select(selectors.AnyOf(selectors.StartsWith("i"), selectors.OfType(datatype.Date)).And(selectors.EndsWith("8").Not()))},
		{Name: "select by place", Table: o.Select(selectors.Last(), selectors.Index(1, -2), selectors.Range(0, 1))},
		{Name: "drop by selector", Table: o.Drop(selectors.OfKind(datatype.KindArray, datatype.KindTimestamp), "note")},
		{Name: "drop none", Table: c.Drop(selectors.None())},
		{Name: "group by selector", Table: o.GroupBy(selectors.Cols("NOTE", "customer")).Agg(expr.Count().As("n"))},
		{Name: "order by selector", Ordered: true, Table: o.OrderBy(expr.Desc(selectors.Numeric()).NullsLast(), selectors.First()).Select("id", "customer", "amount")},
		{Name: "across in place", Table: o.Mutate(selectors.Across(selectors.OfType(datatype.String), expr.StringValue.Upper)).Select("id", "note")},
		{Name: "across in aggregates", Table: o.GroupBy("customer").Agg(selectors.Across(selectors.Cols("id", "amount"), expr.NumericValue.Max, "{col}_max"), selectors.Across(selectors.Cols("amount"), expr.NumericValue.Sum, "sum of {col}"))},
		{Name: "across of any type", Table: o.Select("id", selectors.Across(selectors.All(), expr.AnyValue.IsNull, "no_{col}"))},
		{Name: "across over everything", Table: o.Mutate(selectors.Across(selectors.Numeric(), func(n expr.NumericValue) expr.NumericValue { return n.Sub(n.Mean()) }, "{col}_off")).Select(selectors.EndsWith("_off"))},
		{Name: "if any", Table: o.Filter(selectors.IfAny(selectors.Cols("amount", "at", "note"), expr.AnyValue.IsNull)).Select("id")},
		{Name: "if all", Table: o.Filter(selectors.IfAll(selectors.Numeric(), func(n expr.NumericValue) expr.BooleanValue { return n.Gt(1) })).Select("id")},
		{Name: "if any within", Table: o.Mutate(selectors.IfAny(selectors.Numeric(), func(n expr.NumericValue) expr.BooleanValue { return n.Gt(10) }).Not().As("small")).Select("id", "small")},
		{Name: "hostile names", Table: hostile.Select(selectors.All(), selectors.Across(selectors.Numeric(), func(n expr.NumericValue) expr.NumericValue { return n.Add(1) }, "`{col}` + 1"))},
		{Name: "hostile names pivoted", Table: hostile.PivotLonger(selectors.Numeric(), expr.NamesTo("the `name`"), expr.ValuesTo("${v}"))},
		{Name: "hostile names grouped", Table: hostile.GroupBy(expr.Rollup("a`b", "x y")).Having(expr.GroupingID().Ge(0)).Agg(expr.Grouping("a`b").As("${g}"), expr.Count().As("it's"))},
	}
	for i := range out {
		out[i].Name = "shape: " + out[i].Name
	}
	return out
}
