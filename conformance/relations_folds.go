package conformance

import (
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/functions"
	"github.com/spoonbill-go/spoonbill/window"
)

// folds are tables whose SQL is fewer queries than the operations that made them: conditions of a join's sides in one WHERE, computed columns written where they
// are used, lists without what nobody reads. Their answers tell that it means the same.
func folds() []Case {
	l, r := joinSides()
	o := Orders()
	x, y, k := l.Num("x"), r.Num("y"), l.Num("k")
	some, few := l.Filter(x.Gt(1)), r.Filter(y.Gt(5))
	named := l.Select("id", x.Mul(2).As("x"), "k", "g")
	one := l.Mutate(expr.Lit(1).As("one"))
	var out []Case
	add := func(name string, t expr.Table) { out = append(out, Case{Name: "folds: " + name, Table: t}) }
	ordered := func(name string, t expr.Table) {
		out = append(out, Case{Name: "folds: " + name, Table: t, Ordered: true})
	}
	add("inner join of filtered sides", some.Join(few, "k"))
	add("left join of filtered sides", some.LeftJoin(few, "k"))
	add("right join of filtered sides", some.RightJoin(few, "k"))
	add("outer join of filtered sides", some.OuterJoin(few, "k"))
	add("semi join of filtered sides", some.SemiJoin(few, "k"))
	add("anti join of filtered sides", some.AntiJoin(few, "k"))
	add("cross join of filtered sides", some.Select("id").CrossJoin(few.Select("y")))
	add("any left join of filtered sides", some.AnyLeftJoin(few, "k"))
	add("as-of join of filtered and renamed sides", some.Select("id", l.Num("x").As("at")).AsofJoin(few.Select(y.As("at"), "name"), "at"))
	add("filtered sides of one table", func() expr.Table {
		w := some.View()
		return some.LeftJoin(w, some.Num("k").Eq(w.Num("k"))).Select(some.Num("id"), w.Num("id").As("other"))
	}())
	add("left join then a filter of the right side", some.LeftJoin(few, "k").Filter(y.IsNull()).Select("id"))
	add("chain with filters at each step", some.Join(r, "k").Filter(y.Lt(7)).LeftJoin(o.Filter(o.Num("amount").Gt(1)).Select("id", "amount"), "id").AntiJoin(few, "name").Select("id", "y", "amount"))
	add("chain that ends in a right join of a filtered side", some.Join(r, "k").RightJoin(few.Select("name", r.Num("y").As("z")), "name").Select("id", "y", "z"))
	add("side whose columns have other names", l.Join(r.Select(r.Num("k").As("x"), r.Num("y").As("rights")), "x").Select("id", "rights"))
	add("filter of a column that hides one", named.Filter(named.Num("x").Gt(8)).Select("id", "x"))
	add("group by a column that hides one", named.GroupBy("x").Agg(named.Num("x").Sum().As("s"), expr.Count().As("n")))
	add("having over a column that hides one", named.GroupBy("g").Having(named.Num("x").Max().Gt(10)).Agg(named.Num("x").Max().As("x")))
	add("having with a subquery", l.GroupBy("g").Having(x.Max().Gt(r.Agg(y.Min().As("least")).AsScalar().AsNumeric().Add(1)), k.Min().InTable(r.Select("k"))).Agg(expr.Count().As("n")))
	add("having of grouping sets over a key that is not chosen", func() expr.Table {
		c := l.GroupBy(expr.Cube("g", "k")).Agg(expr.Count().As("n"), expr.GroupingID().As("level"))
		return c.Filter(c.Str("g").NotNull(), c.Num("n").Gt(1)).Select("n", "level")
	}())
	ordered("having of grouping sets over a key below an order", func() expr.Table {
		c := l.GroupBy(expr.Rollup("g", "k")).Agg(expr.Count().As("n"), expr.GroupingID().As("level"))
		return c.Filter(c.Str("g").NotNull()).OrderBy(expr.Desc("n"), "level", "k").Limit(4).Select("n", "level")
	}())
	add("sum of a sum", named.Mutate(named.Num("x").Add(1).As("x")).Filter(expr.Num("x").NotNull()).Mutate(expr.Num("x").Mul(10).As("y")).Select("id", "y"))
	add("difference in a difference", l.Mutate(x.Sub(1).As("y")).Select("id", expr.Lit(10).AsNumeric().Sub(expr.Num("y")).As("z"), expr.Num("y").Negate().As("w")))
	add("constant beside a decimal", func() expr.Table {
		c := o.Mutate(expr.Lit(1).As("one"), expr.Lit("2024-01-01").As("day"))
		return c.Select("id", c.Num("amount").Add(c.Num("one")).As("a"), c.Num("one").Div(c.Num("amount").Add(100)).As("b"))
	}())
	add("group by a constant column", one.GroupBy("one").Agg(expr.Count().As("n")))
	ordered("order by a constant column", one.OrderBy("one", "id").Select("id"))
	add("struct of a renamed column", l.Select(x.As("n")).Select(functions.NamedStruct("n", expr.Num("n")).As("s")))
	add("struct of a computed column", l.Select(x.Add(1).As("n")).Select(functions.NamedStruct("n", expr.Num("n")).As("s")))
	add("zip of a computed column", o.Select("tags", functions.Reverse(o.Array("tags")).As("back")).Select(functions.ArraysZip(expr.Array("tags"), expr.Array("back")).As("z")))
	add("window over a computed column", named.Select("id", functions.RowNumber().Over(window.Over().GroupBy("g").OrderBy("x", "id")).As("n")))
	add("filter above a window above a computed column", named.Filter(functions.Rank().Over(window.Over().OrderBy("x")).Le(2)).Select("id"))
	ordered("order by what is not chosen", l.OrderBy(expr.Desc("x"), "id").Select("g"))
	ordered("order by what is chosen under another name", l.OrderBy("id").Select(l.Num("id").As("x"), x.As("id")))
	ordered("limit then a choice", l.OrderBy(expr.Desc("id")).Limit(3, 1).Select("x", "g"))
	ordered("order of groups that are not chosen", l.GroupBy("g").Agg(expr.Count().As("n"), x.Max().As("m")).OrderBy(expr.Desc("n"), "g").Select("m"))
	add("rows of an array that nobody reads", o.Select("id", "tags").Unnest("tags").OrderBy("id").Limit(4).Agg(expr.Count().As("n")))
	add("row of a sum that nobody reads", l.Select("id").CrossJoin(r.Agg(y.Sum().As("s"), y.Max().As("m"))).Select("id"))
	add("groups that nobody reads", l.GroupBy("g", "k").Agg(expr.Count().As("n")).Count())
	add("distinct rows of which one column is read", l.Select("k", "g").Distinct().Limit(100).GroupBy("k").Agg(expr.Count().As("n")))
	add("set operation of which one column is read", l.Select("k", "g").UnionDistinct(r.Select(r.Num("k").Cast(datatype.Int).As("k"), "g")).GroupBy("g").Agg(expr.Count().As("n")))
	add("exists beside a join of the same table", func() expr.Table {
		j, w := l.Join(r, "k"), l.View()
		return j.Filter(expr.Exists(w.Filter(w.Num("k").Eq(j.Num("k")), w.Num("id").NotEq(j.Num("id")), w.Num("x").Gt(j.Num("y"))))).Select("id", "name")
	}())
	add("correlated scalar beside a join", func() expr.Table {
		j, w := l.Join(r, "k"), r.View()
		least := w.Filter(w.Num("k").Eq(j.Num("k"))).Agg(w.Num("y").Min().As("least"))
		return j.Filter(j.Num("y").Eq(least.AsScalar())).Select("id", "y")
	}())
	add("not of comparisons by words", l.Select("id", k.Between(1, 2).Not().As("between"), k.In(1, 9).Not().As("in"), l.Str("g").Like("a%").Not().As("like"), k.IsNull().Not().As("null"), k.Eq(1).Not().As("eq")))
	add("long condition", l.Filter(k.Eq(1).And(l.Str("g").Eq("a")).And(x.Ge(5)).Or(k.Eq(2).And(x.Gt(1)).And(l.Str("g").IsNull())).Or(k.IsNull().And(x.Eq(1)).And(l.Str("g").Like("%a%")))).Select("id"))
	add("long case", l.Select("id", expr.Case().When(x.Gt(6).And(k.Gt(1)), "more than six").When(x.Gt(4), "more than four it's\n").When(x.IsNull(), "nothing at all").Else("some other number").As("c")))
	add("shared filter", some.GroupBy("g").Agg(expr.Count().As("n")).Join(some, "g").Select("id", "n"))
	return out
}
