package conformance

import (
	"math"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/window"
)

// foundCases are what random trees have found, each in its smallest form.
func foundCases() []Case {
	n := tables("t", mustFields("n INT, s STRING, x INT, a ARRAY<INT>, b BOOLEAN"), [][]any{{nil, nil, 0, nil, nil}})
	raises := fnOf("div", 1, n.Col("x"))
	one := tables("t", mustFields("i8 TINYINT, i16 SMALLINT, i INT, f FLOAT, d DOUBLE, n DECIMAL(12,2), s STRING, dt DATE, ts TIMESTAMP, day INTERVAL DAY, m INTERVAL MONTH, bin BINARY"), [][]any{
		{int8(1), int16(2), 3, float32(1.5), 2.5, "1.25", "a", at("2024-02-29 00:00:00"), at("2024-02-29 10:00:00"), expr.Days(1), expr.Months(2), []byte("a")}})
	big := tables("t", mustFields("a DECIMAL(38,0), b DECIMAL(2,1)"), [][]any{{"1000000000000000000000000000000", "0.5"}, {"1000000000000000000", "0.1"}})
	out := []Case{
		{Name: "operands behind null", Table: n.Select(fnOf("+", n.Col("n"), raises).As("add"), fnOf("*", n.Col("n"), raises).As("mul"), fnOf("=", n.Col("n"), raises).As("eq"), fnOf("<", n.Col("n"), raises).As("lt"), fnOf("power", n.Col("n"), raises).As("power"),
			fnOf("&", n.Col("n"), raises).As("and"), fnOf("/", raises, n.Col("n")).As("div"), fnOf("%", raises, n.Col("n")).As("mod"), fnOf("array_contains", n.Col("a"), raises).As("has"), fnOf("between", n.Col("n"), raises, 2).As("between"), fnOf("in", n.Col("n"), raises, 2).As("in"),
			fnOf("array_position", n.Col("a"), raises).As("position"), fnOf("array_append", n.Col("a"), raises).As("append"), fnOf("array_union", n.Col("a"), fnOf("array", raises)).As("union"), fnOf("get", n.Col("a"), raises.Cast(datatype.Int)).As("get"))},
		{Name: "bounds and lists that raise", Table: func() expr.Table {
			t := tables("t", mustFields("x INT, y INT"), [][]any{{1, 0}, {1, 1}})
			return t.Select(t.Num("x").Between(2, fnOf("div", 1, t.Col("y"))).As("a"), t.Num("x").In(1, fnOf("div", 1, t.Col("y"))).As("b"))
		}()},
		{Name: "division of null by zero", Table: n.Select(fnOf("/", n.Col("n"), n.Col("x")).As("a"), fnOf("%", n.Col("n"), n.Col("x")).As("b"), fnOf("div", n.Col("n"), n.Col("x")).As("c"))},
		{Name: "decimal div wraps", Table: big.Select(fnOf("div", big.Col("a"), big.Col("b")).As("q"))},
		{Name: "decimal div beyond its digits", Table: tables("t", mustFields("a DECIMAL(38,0), b DECIMAL(2,1)"), [][]any{{"10000000000000000000000000000000000000", "0.1"}}).Select(fnOf("div", expr.Col("a"), expr.Col("b")).As("q"))},
		{Name: "ceil of whole decimals", Table: one.Select(fnOf("ceil", one.Col("n")).As("a"), fnOf("ceil", one.Num("n").Cast(datatype.Decimal{Precision: 5})).As("b"), fnOf("floor", one.Num("n").Cast(datatype.Decimal{Precision: 38})).As("c"))},
		{Name: "trunc looks at its unit first", Table: one.Select(fnOf("trunc", one.Str("s").Cast(datatype.Date), "day").As("a"), fnOf("trunc", one.Str("s").Cast(datatype.Date), one.Str("s")).As("b"), fnOf("date_trunc", "nonsense", one.Str("s").Cast(datatype.Timestamp)).As("c"))},
		{Name: "decimals and whole literals", Table: one.Select(one.Num("n").Gt(1).As("a"), one.Num("n").Eq(int64(1)).As("b"), one.Num("n").Lt(int8(1)).As("c"), one.Num("n").EqNullSafe(1).As("d"), one.Num("n").Between(1, 2).As("e"), one.Num("n").In(1, 2).As("f"),
			fnOf("<", 1, one.Num("n")).As("g"), one.Num("n").Gt(1234567890).As("h"), one.Num("n").Gt(one.Num("i")).As("i"), one.Num("n").NotEq(int16(12345)).As("j"), one.Num("n").Ge(-1).As("k"))},
		{Name: "sums of intervals", Table: one.Agg(one.Col("day").AsInterval().Sum().As("a"), one.Col("m").AsInterval().Sum().As("b"), fnOf("avg", one.Col("day")).As("c"), fnOf("avg", one.Col("m")).As("d"))},
		{Name: "sums of intervals over rows", Table: one.Select(fnOf("sum", one.Col("day")).Over(window.Over()).As("e"), fnOf("avg", one.Col("m")).Over(window.Over()).As("f"))},
		{Name: "CASE with a branch always taken", Table: one.Select(expr.Case().When(expr.Lit(true).AsBoolean(), "a").End().As("a"), expr.Case().When(one.Num("i").Gt(5), "b").When(expr.Lit(true).AsBoolean(), "a").Else(nil).As("b"),
			expr.Case().When(expr.Lit(true).AsBoolean(), "a").When(one.Num("i").Gt(5), nil).End().As("c"), expr.Case().When(one.Num("i").Gt(5), nil).When(expr.Lit(true).AsBoolean(), "a").End().As("d"), expr.If(expr.Lit(true).AsBoolean(), expr.Lit("a").AsString(), nil).As("e"))},
		{Name: "no numbers as decimals", Table: tables("t", mustFields("d DOUBLE, f FLOAT"), [][]any{{math.NaN(), float32(math.Inf(1))}, {math.Inf(-1), float32(math.NaN())}, {1.5, float32(2.5)}}).Select(expr.Num("d").Cast(datatype.Decimal{Precision: 16, Scale: 6}).As("d"), expr.Num("f").Cast(datatype.Decimal{Precision: 16, Scale: 6}).As("f"))},
		{Name: "no numbers as times", Table: tables("t", mustFields("d DOUBLE"), [][]any{{math.NaN()}}).Select(expr.Num("d").Cast(datatype.Timestamp).As("ts"))},
		{Name: "null of a type without nulls", Table: one.Select(expr.Null(datatype.Array{Elem: datatype.Int}).As("a"), fnOf("coalesce", expr.Null(datatype.Array{Elem: datatype.Int}), fnOf("array", one.Col("i"))).As("b"))},
		{Name: "having of a renamed key", Table: func() expr.Table {
			g := Orders().GroupBy(expr.Rollup("customer", "note")).Agg(expr.Count().As("n"), expr.Grouping("customer").As("g"))
			return g.Filter(g.Num("g").Eq(0)).Select(g.Num("customer").As("c"), "n")
		}()},
		{Name: "FLOAT meets integers", Table: one.Select(one.Num("f").Add(one.Num("i8")).As("a"), one.Num("f").Sub(int16(2)).As("b"), expr.If(one.Num("i").Gt(1), one.Num("f"), one.Num("i8")).As("c"), fnOf("array", one.Col("f"), one.Col("i16")).As("d"), fnOf("coalesce", one.Col("i8"), one.Col("f")).As("e"))},
		{Name: "nullability of readings", Table: one.Select(fnOf("to_binary", one.Col("s"), "utf-8").As("a"), fnOf("try_to_timestamp", one.Col("dt")).As("b"), fnOf("try_to_date", one.Col("ts")).As("c"), fnOf("try_to_timestamp", one.Col("dt"), "yyyy").As("d"), fnOf("try_to_date", one.Col("s")).As("e"))},
		{Name: "nullability of elements", Table: func() expr.Table {
			t := tables("t", mustFields("a ARRAY<INT>, i INT"), [][]any{{[]int{1, 2}, 1}})
			a := t.Col("a")
			return t.Select(fnOf("element_at", a, 1).As("a"), fnOf("element_at", a, t.Col("i")).As("b"), fnOf("element_at", []int{1, 2}, -1).As("c"), fnOf("element_at", fnOf("array_compact", fnOf("array", t.Col("i"))), -1).As("d"),
				fnOf("element_at", fnOf("array_compact", fnOf("array", t.Col("i"))), t.Col("i")).As("e"))
		}()},
		{Name: "null arrays", Table: one.Select(fnOf("array_contains", expr.Null(datatype.Array{Elem: datatype.Int, ContainsNull: true}), int64(7)).As("a"))},
		{Name: "elements that are compared", Table: one.Select(fnOf("=", fnOf("array", one.Col("i")), fnOf("array", one.Col("d"))).As("a"), fnOf("<", fnOf("array", one.Col("dt")), fnOf("array", one.Col("ts"))).As("b"), fnOf("in", fnOf("array", one.Col("n")), fnOf("array", one.Col("i"))).As("c"))},
		{Name: "having of a key that is not selected", Table: func() expr.Table {
			g := Orders().GroupBy(expr.GroupingSets([]any{"customer", "note"}, []any{"note"})).Agg(expr.Count().As("n"))
			return g.Filter(g.Num("customer").Gt(5)).Select("note", "n")
		}()},
		{Name: "rows in both, with what may be null within", Table: func() expr.Table {
			a := tables("a", mustFields("st STRUCT<x: INT>, k INT"), [][]any{{[]any{1}, 1}, {[]any{2}, 2}})
			b := tables("b", mustFields("st STRUCT<x: INT>, k INT"), [][]any{{[]any{1}, 1}, {[]any{nil}, nil}})
			return a.Intersect(b)
		}()},
		{Name: "two correlated subqueries beside a shared one", Table: func() expr.Table {
			o := Orders()
			c := Customers()
			both := c.Select("customer").Union(c.Select("customer").Filter(expr.Num("customer").Gt(15)))
			t := o.Filter(expr.Exists(c.View().Filter(expr.Num("customer").Eq(o.Num("customer")))))
			return t.Filter(t.Num("customer").InTable(both.Filter(both.Num("customer").Eq(t.Num("customer")))))
		}()},
	}
	for _, f := range []string{"/", "%", "div", "pmod", "<=>", "concat"} {
		arg := n.Col("n")
		other := raises
		if f == "concat" {
			arg, other = n.Col("s"), raises.Cast(datatype.String)
		}
		out = append(out, Case{Name: "null " + f + " what raises", Table: n.Select(fnOf(f, arg, other).As("r"))})
	}
	return out
}
