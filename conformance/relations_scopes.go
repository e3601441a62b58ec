package conformance

import (
	"math"
	"time"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/window"
)

// scopes are tables whose SQL must say which column is meant: conditions of windows and subqueries over derived tables, subqueries over lateral views, conditions on
// windows of time, structs named by columns that a join has renamed. Sums that leave their type are with them.
func scopes() []Case {
	o, c := Orders(), Customers()
	var out []Case
	add := func(name string, t expr.Table) { out = append(out, Case{Name: "scopes: " + name, Table: t}) }

	// A window function and a subquery in one condition.
	ranked := func(t expr.Table) expr.BooleanValue {
		return fnOf("row_number").Over(window.Over().GroupBy("note").OrderBy("id")).Eq(1)
	}
	known := func(t expr.Table) expr.BooleanValue { return t.Num("customer").InTable(c.Select("customer")) }
	named := func(t expr.Table) expr.BooleanValue {
		return expr.Exists(c.Filter(c.Num("customer").Eq(t.Num("customer")), c.Str("name").NotEq(t.Str("note"))))
	}
	first := o.OrderBy("id").Limit(5)
	joined := o.Join(c, "customer")
	for _, in := range []struct {
		name string
		t    expr.Table
	}{{"a table", o}, {"a limited table", first}, {"a join", joined}, {"a sorted join", joined.OrderBy("id", "name").Limit(4)}, {"groups", o.GroupBy("customer", "note").Agg(o.Num("id").Max().As("id"))}, {"a computed column", o.Mutate(o.Num("id").Mul(2).As("id"))}} {
		add("window or subquery over "+in.name, in.t.Filter(ranked(in.t).Or(known(in.t))).Select("id"))
		add("window and correlated subquery over "+in.name, in.t.Filter(ranked(in.t).Or(named(in.t))).Select("note"))
		add("count behind window and subquery over "+in.name, in.t.Filter(ranked(in.t).And(known(in.t))).Agg(expr.Count().As("n")))
	}
	add("window and scalar subquery, all columns", first.Filter(ranked(first).Or(first.Num("amount").Gt(o.Num("amount").Mean().AsScalar()))))
	add("window and subquery, then a join", func() expr.Table {
		few := first.Filter(ranked(first).Or(known(first)))
		return few.Join(c, "customer").Select("id", "name")
	}())

	// A subquery over the rows of a lateral view.
	tagged := o.Unnest("tags", expr.WithPosition("place"))
	add("exists over a position", tagged.Filter(expr.Exists(c.Filter(c.Num("customer").Eq(tagged.Num("customer"))))).Select("id", "tags", "place"))
	add("scalar over a position", func() expr.Table {
		of := c.Filter(c.Num("customer").Eq(tagged.Num("customer"))).Agg(c.Str("name").Max().As("name"))
		return tagged.Select("id", "place", of.AsScalar().As("name"))
	}())
	add("in over a position", func() expr.Table {
		outer := o.Unnest("tags", expr.WithPosition("place"), expr.KeepEmpty())
		v := o.View()
		return outer.Filter(outer.Num("id").InTable(v.Filter(v.Num("customer").Eq(outer.Num("customer")), v.Num("id").Gt(outer.Num("place"))).Select("id"))).Select("id", "tags")
	}())

	// Conditions on windows of time.
	when := func(w expr.WindowValue) expr.BooleanValue {
		return w.Start().Ge(at("2024-01-01 10:01:00"))
	}
	tumbling, sliding := window.Tumbling(o.Timestamp("at"), time.Minute), window.Sliding(o.Timestamp("at"), 2*time.Minute, time.Minute)
	session := window.Session(o.Timestamp("at"), 45*time.Second)
	for _, w := range []struct {
		name string
		w    expr.WindowValue
	}{{"tumbling", tumbling}, {"sliding", sliding}, {"session", session}} {
		add("having of a "+w.name+" window", o.GroupBy(w.w).Having(when(w.w)).Agg(expr.Count().As("n")))
		add("having of a "+w.name+" window and an aggregate", o.GroupBy(w.w, "customer").Having(when(w.w).Or(o.Num("amount").Sum().Gt(6)), expr.Count().Lt(3), o.Num("customer").Gt(0)).Agg(o.Num("id").Max().As("last")))
	}

	// Structs whose fields have the names of columns.
	l := tables("l", mustFields("k INT, a ARRAY<INT>, b ARRAY<STRING>"), [][]any{{1, []int{1, 2}, []string{"x"}}, {2, nil, []string{"y"}}, {3, []any{nil}, []string{}}})
	r := tables("r", mustFields("k INT, a ARRAY<INT>, `b c` ARRAY<INT>"), [][]any{{1, []int{7}, []int{8, 9}}, {2, []int{}, nil}})
	both := l.Join(r, "k")
	add("zip of renamed columns", both.Select("k", fnOf("arrays_zip", both.Col("a"), both.Col("a_right")).As("z")))
	add("zip of columns and values", both.Select("k", fnOf("arrays_zip", both.Col("a_right"), fnOf("array", 1), both.Col("b c"), both.Col("a_right")).As("z")))
	add("zip of a renamed table", func() expr.Table {
		t := l.Rename(map[string]string{"first one": "a"})
		return t.Select(fnOf("arrays_zip", t.Col("first one"), t.Col("b")).As("z"), fnOf("size", fnOf("arrays_zip", t.Col("first one"), t.Col("first one"))).As("n"))
	}())
	add("zip within a function of elements", both.Select("k", both.Array("a").Map(func(e expr.AnyValue) expr.Value { return fnOf("arrays_zip", fnOf("array", e), both.Col("a_right")) }).As("z")))

	// Sums of intervals beyond their type.
	long := tables("spans", mustFields("k INT, m INTERVAL YEAR TO MONTH, s INTERVAL DAY TO SECOND"), [][]any{
		{1, expr.Months(math.MaxInt32), (math.MaxInt64 / time.Microsecond * time.Microsecond)}, {1, expr.Months(1), (math.MaxInt64 / time.Microsecond * time.Microsecond)}, {2, expr.Months(5), time.Second}, {2, nil, nil}})
	times := long.Col("s").AsInterval().Mul(700)
	for _, f := range []string{"sum", "avg"} {
		add(f+" of months", long.GroupBy("k").Agg(fnOf(f, long.Col("m")).As("x")))
		add(f+" of seconds", long.GroupBy("k").Agg(fnOf(f, times).As("x")))
		add(f+" of months over rows", long.Mutate(fnOf(f, long.Col("m")).Over(window.Over().GroupBy("k")).As("x")))
		add(f+" of months in a frame", long.Mutate(fnOf(f, long.Col("m")).Over(window.Over().OrderBy("k", "m").Rows(window.Preceding(1), window.CurrentRow())).As("x")))
		add(f+" of few months", long.Filter(long.Num("k").Eq(2)).Agg(fnOf(f, long.Col("m")).As("x"), fnOf(f, long.Col("s")).As("y")))
	}
	add("months of a type", long.Filter(long.Num("k").Eq(2)).Select(long.Col("m").Cast(datatype.YearToMonth).As("m")))
	return out
}
