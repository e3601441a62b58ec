package conformance

import (
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/functions"
)

// nestedRelations are functions of elements and of arrays where the table around them matters: names that hide others, several rows to
// a batch, grouping, lazy branches; and the methods of arrays and maps that are made of several functions.
func nestedRelations() []Case {
	v := Values()
	hostile := tables("h", mustFields("x INT, i INT, `a b` ARRAY<INT>, `x2` INT, `Y` ARRAY<INT>, `t``->` ARRAY<STRING>"), [][]any{
		{1, 10, []int{1, 2}, 7, []int{5}, []string{"q", "${x}"}},
		{2, 20, []int{}, 8, []int{6, 6}, []any{nil}},
		{nil, nil, nil, nil, nil, nil},
	})
	h := hostile.Select("i", "a b", "x2", hostile.Col("x").As("k"), hostile.Col("t`->").As("t`->"))
	deep := expr.Call[expr.ArrayValue]("array", v.Array("a"), []int{1, 2}, v.Array("a"))
	words := v.Mutate(functions.Split(v.Str("s"), " ").As("words"), v.Array("a").Map(func(x num) value { return x.Mul(2) }).As("double"))
	grouped := v.GroupBy(v.Array("a").Filter(func(x num) value { return x.Gt(3) }).As("k")).Agg(expr.Count().As("n"), v.Num("id").Min().As("first"))
	return []Case{
		{Name: "nested: names that clash", Table: hostile.Select("x",
			expr.Array("a b").Map(func(x, i num) value { return x.Mul(100).Add(i.Mul(1000)).Add(expr.Num("x")).Add(expr.Num("i")) }).As("sum"),
			expr.Array("Y").Map(func(x num) value { return x.Add(expr.Num("x2")).Add(expr.Num("x")) }).As("two"),
			expr.Array("t`->").Map(func(x str) value { return x.Concat(expr.Num("x")) }).As("three"))},
		{Name: "nested: columns called by hostile names", Table: h.Select("k", expr.Array("t`->").Map(func(x str) value { return x.Upper() }).As("t`->"), expr.Array("a b").Filter(func(x num) value { return x.Eq(expr.Num("k")) }).As("a b"))},
		{Name: "nested: functions within functions", Ordered: true, Table: v.Select("id", deep.Map(func(x expr.ArrayValue, i num) value {
			return x.Map(func(y, j num) value {
				return y.Add(i.Mul(10)).Add(j.Mul(100)).Add(x.Size().Mul(1000)).Add(v.Num("id").Mul(10000)).Cast(datatype.Long)
			})
		}).As("r")).Filter(expr.Num("id").NotEq(2), expr.Num("id").NotEq(3)).OrderBy("id")},
		{Name: "nested: a function over a computed column", Ordered: true, Table: words.Select("id", words.Array("words").Filter(func(x str) value { return x.Length().Gt(2) }).As("long"), words.Array("double").Map(func(x num) value { return x.Add(words.Num("id")) }).As("plus")).Filter(expr.Num("id").NotEq(2)).OrderBy("id")},
		{Name: "nested: group by a function", Table: grouped},
		{Name: "nested: an error only where a branch is taken", Ordered: true, Table: v.Select("id", expr.If(v.Array("a").Contains(0), v.Array("a"), v.Array("a").Map(func(x num) value { return expr.Lit(60).AsNumeric().IntDiv(x).Cast(datatype.Int) })).As("r")).OrderBy("id")},
		{Name: "nested: a filter by a function", Ordered: true, Table: v.Filter(functions.Exists(v.Array("a"), func(x num) value { return x.Eq(v.Num("id").Sub(1)).Or(x.Gt(9)) })).Select("id", "a").OrderBy("id")},
		{Name: "nested: no rows", Table: v.Filter(v.Num("id").Lt(0)).Select(v.Array("a").Map(func(x num) value { return x.Add(v.Num("i")) }).As("r"), functions.Aggregate(v.Array("a"), 0, func(acc, x num) value { return acc.Add(x) }).As("s"))},
		{Name: "nested: shuffle keeps the elements", Ordered: true, Table: v.Select("id", functions.SortArray(functions.Shuffle(v.Array("a"))).As("r"), functions.ArraySize(functions.Shuffle(v.Array("a"))).As("n")).OrderBy("id")},
		{Name: "nested: zipped columns keep their names", Ordered: true, Table: func() expr.Table {
			t := v.Select("id", v.Array("a").As("left side"), v.Array("a").Map(func(x num) value { return x.IsNull() }).As("right"))
			return t.Select("id", functions.ArraysZip(t.Array("left side"), t.Array("right"), []int{1}).As("r")).OrderBy("id")
		}()},
		{Name: "nested: methods of arrays", Ordered: true, Table: v.Select("id", v.Array("a").At(0).As("first"), v.Array("a").At(-1).As("last"), v.Array("a").At(v.Num("i8")).As("at"), v.Array("a").Index(3).As("index"), v.Array("a").Repeat(2).As("twice"),
			functions.Split(v.Str("s"), " ").Join("|").As("joined"), expr.Lit([]string{}).AsArray().Join(",").As("none"), v.Array("a").Zip(v.Array("a"), expr.Lit([]string{"x"}).AsArray()).As("zipped"),
			functions.Array(v.Bool("b"), true, nil).Anys().As("any"), functions.Array(v.Bool("b"), true, nil).Alls().As("all"), v.Array("a").Sort().Unique().Reverse().As("order")).OrderBy("id")},
		{Name: "nested: methods of maps", Ordered: true, Table: v.Select("id", v.Map("m").Get("a").As("a"), v.Map("m").Get("a", -1).As("or"), v.Map("m").Get("k", 5).As("null value"), v.Map("m").Keys().As("keys"), v.Map("m").Values().As("values"), v.Map("m").Contains("x").As("has"),
			v.Map("m").Filter(func(k str, x num) value { return x.Gt(1) }).As("some"), v.Map("m").MapKeys(func(k str, x num) value { return k.Concat("!") }).As("loud"), v.Map("m").Size().As("n")).OrderBy("id")},
	}
}
