package conformance

import (
	"time"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Subqueries are tables as values of other tables: scalars, IN and EXISTS, with and without columns from outside, and parameters.
func Subqueries() []Case {
	o, c, v := Orders(), Customers(), Values()
	n := tables("nums", mustFields("k INT, v INT, w DOUBLE"), [][]any{{1, 10, 1.5}, {1, 20, nil}, {2, nil, 0.0}, {3, 10, -1.0}, {nil, 5, 2.5}, {3, 10, -1.0}})
	e := tables("nothing", mustFields("k INT, v INT"), nil)
	one := tables("one", mustFields("x INT"), [][]any{{1}})
	ofCustomer := c.Filter(c.Num("customer").Eq(o.Num("customer")))
	ofK := n.Filter(n.Num("k").Eq(o.Num("id")))
	self := o.View()
	mates := self.Filter(self.Num("customer").Eq(o.Num("customer")))
	spent := o.GroupBy("customer").Agg(o.Num("amount").Sum().As("total"), expr.Count().As("n"))
	names := c.Select("name")
	return []Case{
		{Name: "scalar in filter", Table: o.Filter(o.Num("amount").Gt(o.View().Agg(expr.Num("amount").Mean().As("a")).AsScalar().AsNumeric())).Select("id")},
		{Name: "scalar of a value", Table: o.Filter(o.Num("amount").Gt(n.Num("v").Min().AsScalar())).Select("id")},
		{Name: "scalar in projection", Table: o.Select("id", n.Num("v").Max().AsScalar().As("m"), c.Agg(expr.Count().As("n")).AsScalar().As("n"))},
		{Name: "scalar keeps its column's name", Table: one.Select(c.Agg(expr.Count().As("n")).AsScalar())},
		{Name: "scalar in arithmetic", Table: o.Mutate(o.Num("amount").Sub(n.Num("w").Mean().AsScalar()).As("d")).Select("id", "d")},
		{Name: "scalar of one row", Table: one.Select(n.OrderBy(expr.Desc("v")).Limit(1).Select("k").AsScalar().As("k"))},
		{Name: "scalar of no row", Table: one.Select(e.Select("v").AsScalar().As("v"), e.Agg(expr.Count().As("n")).AsScalar().As("n"))},
		{Name: "scalar of many rows", Table: one.Select(n.Select("k").AsScalar().As("k"))},
		{Name: "scalar of a null", Table: o.Filter(o.Num("id").Gt(n.Filter(n.Num("k").Eq(2)).Select("v").AsScalar().AsNumeric()))},
		{Name: "scalar of a struct and an array", Table: one.Select(v.Filter(v.Num("id").Eq(1)).Select("st").AsScalar().As("st"), v.Filter(v.Num("id").Eq(3)).Select("a").AsScalar().As("a"))},
		{Name: "scalar in an aggregate", Table: o.GroupBy("customer").Agg(o.Num("id").Mul(n.Num("k").Max().AsScalar()).Sum().As("s"), expr.Count().Add(n.Num("k").Max().AsScalar()).As("n"))},
		{Name: "scalar as a grouping key", Table: o.GroupBy(o.Num("id").Gt(n.Num("k").Max().AsScalar()).As("big")).Agg(expr.Count().As("n"))},
		{Name: "scalar in order", Ordered: true, Table: o.OrderBy(o.Num("id").Mul(n.Num("w").Min().AsScalar())).Select("id")},
		{Name: "scalar in having", Table: spent.Filter(spent.Num("n").Ge(n.Num("k").Min().AsScalar().Add(1)))},
		{Name: "scalar within scalar", Table: one.Select(n.Filter(n.Num("v").Gt(n.View().Agg(expr.Num("v").Min().As("m")).AsScalar().AsNumeric())).Agg(expr.Count().As("n")).AsScalar().As("n"))},
		{Name: "in", Table: o.Filter(o.Num("customer").InTable(c.Select("customer"))).Select("id")},
		{Name: "in and more", Table: o.Filter(o.Num("customer").InTable(c.Select("customer")), o.Num("amount").Gt(2)).Select("id")},
		{Name: "in with doubles", Table: v.Filter(v.Num("d").InTable(v.View().Select("d"))).Select("id")},
		{Name: "in of other types", Table: o.Filter(o.Num("amount").InTable(n.Select("w"))).Select("id")},
		{Name: "in of text and number", Table: one.Select(expr.Lit("1").AsString().InTable(n.Select("k")).As("a"))},
		{Name: "in nothing", Table: o.Filter(o.Num("id").InTable(e.Select("k"))).Select("id")},
		{Name: "not in", Table: o.Filter(o.Num("id").InTable(n.Filter(n.Num("k").NotNull()).Select("k")).Not()).Select("id")},
		{Name: "not in with a null among them", Table: o.Filter(o.Num("id").InTable(n.Select("k")).Not()).Select("id")},
		{Name: "not in of a null", Table: o.Filter(o.Num("customer").InTable(c.Filter(c.Num("customer").NotNull()).Select("customer")).Not()).Select("id")},
		{Name: "not in nothing", Table: o.Filter(o.Num("customer").InTable(e.Select("k")).Not()).Select("id")},
		{Name: "in as a value", Table: o.Select("id", o.Num("customer").InTable(c.Select("customer")).As("known"), o.Num("customer").InTable(c.Select("customer")).Not().As("unknown"))},
		{Name: "in as a value, no nulls", Table: o.Select("id", o.Num("id").InTable(n.Filter(n.Num("k").NotNull()).Select("k")).As("a"), o.Num("id").InTable(n.Filter(n.Num("k").NotNull()).Select("k")).Not().As("b"))},
		{Name: "in under or", Table: o.Filter(o.Num("customer").InTable(c.Select("customer")).Or(o.Num("amount").Lt(0))).Select("id")},
		{Name: "not in under or", Table: o.Filter(o.Num("customer").InTable(c.Select("customer")).Not().Or(o.Num("id").Eq(1))).Select("id")},
		{Name: "in under not and or", Table: o.Select("id", o.Num("customer").InTable(c.Select("customer")).Or(o.Num("id").Eq(7)).Not().As("x"), o.Num("customer").InTable(c.Select("customer")).And(o.Num("id").Lt(7)).Not().As("y"), o.Num("customer").InTable(c.Select("customer")).IsNull().As("z"))},
		{Name: "in within a case", Table: o.Select("id", expr.If(o.Num("customer").InTable(c.Select("customer")), o.Str("note"), "stranger").As("x"))},
		{Name: "in within an aggregate", Table: o.GroupBy("note").Agg(expr.If(o.Num("customer").InTable(c.Select("customer")), o.Num("id"), 0).Sum().As("s"))},
		{Name: "in as a grouping key", Table: o.GroupBy(o.Num("customer").InTable(c.Select("customer")).As("known")).Agg(expr.Count().As("n"))},
		{Name: "in a grouped table", Table: o.Filter(o.Num("customer").InTable(spent.View().Filter(expr.Num("n").Gt(1)).Select("customer"))).Select("id")},
		{Name: "in a union", Table: o.Filter(o.Num("id").InTable(n.Select("k").Union(c.Select("customer")))).Select("id")},
		{Name: "in having", Table: spent.Filter(spent.Num("n").InTable(n.Select("k")))},
		{Name: "correlated in", Table: o.Filter(o.Str("note").InTable(mates.Filter(mates.Num("id").NotEq(o.Num("id"))).Select("note"))).Select("id")},
		{Name: "correlated not in", Table: o.Filter(o.Str("note").InTable(mates.Filter(mates.Num("id").Lt(o.Num("id"))).Select("note")).Not()).Select("id")},
		{Name: "correlated in as a value", Table: o.Select("id", o.Num("id").InTable(n.Filter(n.Num("v").Ge(o.Num("id"))).Select("k")).As("a"), o.Num("id").InTable(n.Filter(n.Num("v").Ge(o.Num("id"))).Select("k")).Not().As("b"))},
		{Name: "exists", Table: o.Filter(expr.Exists(ofCustomer)).Select("id")},
		{Name: "not exists", Table: o.Filter(expr.Exists(ofCustomer).Not()).Select("id")},
		{Name: "exists by inequality", Table: o.Filter(expr.Exists(n.Filter(n.Num("k").Lt(o.Num("id")), n.Num("v").Gt(o.Num("customer"))))).Select("id")},
		{Name: "not exists by inequality", Table: o.Filter(expr.Exists(n.Filter(n.Num("k").Lt(o.Num("id")), n.Num("v").Gt(o.Num("customer")))).Not()).Select("id")},
		{Name: "exists on two columns", Table: o.Filter(expr.Exists(self.Filter(self.Num("customer").Eq(o.Num("customer")), self.Str("note").Eq(o.Str("note")), self.Num("id").NotEq(o.Num("id"))))).Select("id")},
		{Name: "exists by null-safe equality", Table: o.Filter(expr.Exists(c.Filter(c.Num("customer").EqNullSafe(o.Num("customer"))))).Select("id")},
		{Name: "exists or", Table: o.Filter(expr.Exists(ofCustomer).Or(o.Num("id").Eq(7))).Select("id")},
		{Name: "exists as a value", Table: o.Select("id", expr.Exists(ofCustomer).As("has"), expr.Exists(ofCustomer).Not().As("has not"))},
		{Name: "exists at all", Table: o.Filter(expr.Exists(n.Filter(n.Num("v").Gt(15)))).Select("id")},
		{Name: "exists in nothing", Table: one.Select(expr.Exists(e).As("a"), expr.Exists(e).Not().As("b"))},
		{Name: "exists of a group", Table: o.Filter(expr.Exists(ofK.GroupBy("v").Agg(expr.Count().As("n")).Filter(expr.Num("n").Gt(1)))).Select("id")},
		{Name: "exists of an aggregate", Table: o.Filter(expr.Exists(ofK.Agg(expr.Count().As("n")))).Select("id")},
		{Name: "exists of distinct rows", Table: o.Filter(expr.Exists(ofK.Select("v").Distinct())).Select("id")},
		{Name: "exists of a join", Table: o.Filter(expr.Exists(ofK.Join(c, ofK.Num("v").Eq(c.Num("customer"))))).Select("id")},
		{Name: "exists of a union", Table: o.Filter(expr.Exists(ofK.Select("v").Union(e.Select("v")))).Select("id")},
		{Name: "exists of a limit", Table: o.Filter(expr.Exists(ofK.OrderBy("v").Limit(1))).Select("id")},
		{Name: "exists two deep", Table: o.Filter(expr.Exists(ofCustomer.Filter(expr.Exists(n.Filter(n.Num("v").Eq(ofCustomer.Num("customer"))))))).Select("id")},
		{Name: "in two deep", Table: o.Filter(o.Num("customer").InTable(c.Filter(c.Num("customer").InTable(n.Filter(n.Num("k").InTable(o.View().Select("id"))).Select("v"))).Select("customer"))).Select("id")},
		{Name: "exists within a grouped filter", Table: spent.Filter(expr.Exists(c.Filter(c.Num("customer").Eq(spent.Num("customer")), spent.Num("total").Gt(3))))},
		{Name: "exists within an aggregate", Table: o.GroupBy("note").Agg(expr.If(expr.Exists(ofCustomer), expr.Lit(1).AsNumeric(), 0).Sum().As("n"))},
		{Name: "correlated maximum", Table: o.Select("id", ofK.Agg(ofK.Num("v").Max().As("m")).AsScalar().As("m"))},
		{Name: "correlated count", Table: o.Select("id", ofK.Agg(expr.Count().As("n"), ofK.Num("v").Sum().As("s")).Select("n").AsScalar().As("n"))},
		{Name: "correlated expression over counts", Table: o.Select("id", ofK.Agg(ofK.Num("v").Count().Add(ofK.Num("w").Count()).As("n")).AsScalar().As("n"), ofK.Agg(expr.Count().As("n")).Select(expr.Num("n").Mul(10).Add(1).As("m")).AsScalar().As("m"))},
		{Name: "correlated list", Table: o.Select("id", ofK.Agg(ofK.Num("k").Collect().As("l")).AsScalar().As("l"))},
		{Name: "correlated count in filter", Table: o.Filter(ofCustomer.Agg(expr.Count().As("n")).AsScalar().AsNumeric().Eq(0)).Select("id")},
		{Name: "correlated count with having", Table: o.Select("id", func() expr.AnyValue {
			g := ofK.Agg(expr.Count().As("n"))
			return g.Filter(g.Num("n").Gt(1)).AsScalar()
		}().As("n"))},
		{Name: "correlated on two columns", Table: o.Select("id", self.Filter(self.Num("customer").Eq(o.Num("customer")), self.Str("note").Eq(o.Str("note"))).Agg(self.Num("amount").Sum().As("s")).AsScalar().As("s"))},
		{Name: "correlated by expressions", Table: o.Select("id", n.Filter(n.Num("v").Div(10).Eq(o.Num("id").Cast(datatype.Double).AsNumeric())).Agg(expr.Count().As("n")).AsScalar().As("n"))},
		{Name: "correlated by null-safe equality", Table: o.Select("id", c.Filter(c.Num("customer").EqNullSafe(o.Num("customer"))).Agg(expr.Count().As("n")).AsScalar().As("n"))},
		{Name: "correlated by inequality", Table: o.Select("id", n.Filter(n.Num("v").Gt(o.Num("id"))).Agg(expr.Count().As("n"), n.Num("v").Min().As("m")).Select("n").AsScalar().As("n"))},
		{Name: "correlated with itself", Table: o.Filter(o.Num("amount").Gt(mates.Agg(mates.Num("amount").Mean().As("a")).AsScalar().AsNumeric())).Select("id")},
		{Name: "correlated without aggregate", Table: o.Filter(o.Num("id").Gt(1)).Select("id", n.Filter(n.Num("v").Gt(10), n.Num("k").Lt(o.Num("id"))).Select("w").AsScalar().As("w"))},
		{Name: "correlated with many rows", Table: o.Select("id", ofK.Select("v").AsScalar().As("v"))},
		{Name: "correlated first row", Table: o.Select("id", ofK.OrderBy(expr.Desc("v")).Limit(1).Select("v").AsScalar().As("v"))},
		{Name: "correlated in an aggregate", Table: o.GroupBy("customer").Agg(ofK.Agg(expr.Count().As("n")).AsScalar().AsNumeric().Sum().As("n"))},
		{Name: "correlated two deep", Table: o.Select("id", func() expr.AnyValue {
			inner := n.Filter(n.Num("v").Eq(ofCustomer.Num("customer")))
			most := ofCustomer.Mutate(inner.Agg(expr.Count().As("n")).AsScalar().As("n"))
			return most.Agg(most.Num("n").Sum().As("s")).AsScalar()
		}().As("s"))},
		{Name: "correlated with an empty table", Table: e.Select("k", n.Filter(n.Num("k").Eq(e.Num("k"))).Agg(expr.Count().As("n")).AsScalar().As("n"))},
		{Name: "correlated over an empty table", Table: o.Select("id", e.Filter(e.Num("k").Eq(o.Num("id"))).Agg(expr.Count().As("n"), e.Num("v").Max().As("m")).Select("n").AsScalar().As("n"), e.Filter(e.Num("k").Eq(o.Num("id"))).Select("v").AsScalar().As("v"))},
		{Name: "value looked for is a scalar", Table: o.Filter(n.Num("k").Max().AsScalar().InTable(o.View().Filter(expr.Num("id").Gt(2)).Select("id"))).Select("id")},
		{Name: "names that clash", Table: func() expr.Table {
			a := tables("o", mustFields("o INT, `a``b` INT, `x y` STRING"), [][]any{{1, 2, "p"}, {2, 3, "q"}, {nil, nil, "r"}})
			b := tables("o2", mustFields("o INT, `a``b` INT, `x y` STRING"), [][]any{{2, 3, "${x}"}, {1, 3, "'"}})
			return a.Filter(expr.Exists(b.Filter(b.Num("a`b").Eq(a.Num("a`b")), b.Num("o").Eq(a.Num("o")), b.Str("x y").NotEq(a.Str("x y")))))
		}()},
		{Name: "names in no one's letters", Table: o.Select("id", names.Filter(names.Str("name").NotEq("Bo")).Agg(names.Str("name").Max().As("ID")).AsScalar().As("Name"))},
		{Name: "parameters", Table: func() expr.Table {
			least, note := expr.Param("least", datatype.Decimal{Precision: 10, Scale: 2}).AsNumeric(), expr.NullableParam("note", datatype.String).AsString()
			t := o.Filter(o.Num("amount").Ge(least), note.IsNull().Or(o.Str("note").Eq(note)))
			return t.Select("id", least.As("least")).Bind(expr.Params{"least": "1.25", "note": "third"})
		}()},
		{Name: "parameter that is null", Table: func() expr.Table {
			note := expr.NullableParam("note", datatype.String).AsString()
			return o.Filter(note.IsNull().Or(o.Str("note").Eq(note))).Select("id").Bind(expr.Params{"note": nil})
		}()},
		{Name: "parameters of every type", Table: one.Select(
			expr.Param("b", datatype.Boolean).As("b"), expr.Param("i8", datatype.Byte).As("i8"), expr.Param("i16", datatype.Short).As("i16"), expr.Param("i", datatype.Int).As("i"), expr.Param("l", datatype.Long).As("l"),
			expr.Param("f", datatype.Float).As("f"), expr.Param("d", datatype.Double).As("d"), expr.Param("n", datatype.Decimal{Precision: 12, Scale: 3}).As("n"), expr.Param("s", datatype.String).As("s"), expr.Param("bin", datatype.Binary).As("bin"),
			expr.Param("dt", datatype.Date).As("dt"), expr.Param("ts", datatype.Timestamp).As("ts"), expr.Param("ntz", datatype.TimestampNTZ).As("ntz"), expr.Param("span", datatype.DayToSecond).As("span"), expr.Param("months", datatype.YearToMonth).As("months"),
			expr.Param("days", datatype.DayTime{Start: datatype.Day, End: datatype.Day}).As("days")).
			Bind(expr.Params{"b": true, "i8": int8(-128), "i16": int16(7), "i": -1, "l": int64(1) << 60, "f": float32(1.5), "d": -2.5e-300, "n": "-12.345", "s": "it's ${x} :d \\ \n", "bin": []byte{0, 255},
				"dt": at("1582-10-10 00:00:00"), "ts": at("2024-02-29 12:34:56.5"), "ntz": at("1969-12-31 23:59:59.999999"), "span": -90 * time.Minute, "months": expr.Months(-14), "days": expr.Days(3)})},
		{Name: "parameter in a subquery", Table: o.Filter(o.Num("id").InTable(n.Filter(n.Num("v").Ge(expr.Param("v", datatype.Int).AsNumeric())).Select("k"))).Select("id").Bind(expr.Params{"v": 10})},
		{Name: "parameter in a correlated subquery", Table: o.Select("id", n.Filter(n.Num("k").Eq(o.Num("id")), n.Num("v").Ge(expr.Param("v", datatype.Int).AsNumeric())).Select("w").Limit(1).AsScalar().As("w")).Bind(expr.Params{"v": 15})},
		{Name: "bound and used again", Table: func() expr.Table {
			t := o.Filter(o.Num("id").Lt(expr.Param("top", datatype.Int).AsNumeric())).Bind(expr.Params{"top": 3})
			return t.Select(o.Num("id")).Union(t.Select("customer"))
		}()},
	}
}
