package conformance

import (
	"slices"
	"time"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/functions"
	"github.com/spoonbill-go/spoonbill/window"
)

// Case is a table expression that every backend must answer alike.
type Case struct {
	Name string
	// Ordered keeps the order of the rows, which the expression fixes.
	Ordered bool
	Table   expr.Table
	// Stream is Table without the order at its end, which a stream cannot have; nil where Table has none.
	Stream *expr.Table
	// NoANSI runs the case with ANSI mode off, where nullability is not compared: an expression is typed under ANSI rules.
	NoANSI bool
}

// Relations are the table operations, on small tables with nulls, doubles and missing keys.
func Relations() []Case {
	o, c, v := Orders(), Customers(), Values()
	byHour := o.GroupBy(window.Tumbling(o.Timestamp("at"), time.Minute), "customer").Agg(expr.Count().As("n"), o.Num("amount").Sum().As("total"))
	spent := o.GroupBy("customer").Agg(o.Num("amount").Sum().As("total"), expr.Count().As("n"))
	positive := o.Filter(o.Num("amount").Gt(0))
	view := positive.View()
	cases := []Case{
		{Name: "everything", Ordered: true, Table: v.OrderBy("id")},
		{Name: "select and rename", Ordered: false, Table: o.Select("id", o.Num("amount").Mul(2).As("twice")).Rename(map[string]string{"double": "twice"})},
		{Name: "mutate in place", Ordered: false, Table: o.Mutate(o.Num("amount").Add(1).As("amount"), o.Str("note").Upper().As("loud"))},
		{Name: "drop", Ordered: false, Table: o.Drop("tags", "at")},
		{Name: "filter with null", Ordered: false, Table: o.Filter(o.Num("amount").Gt(2)).Select("id")},
		{Name: "filter twice", Ordered: false, Table: positive.Filter(expr.Str("note").NotEq("x")).Select("id", "note")},
		{Name: "filter false", Ordered: false, Table: o.Filter(o.Num("id").Lt(0))},
		{Name: "group", Ordered: false, Table: spent},
		{Name: "group by expression", Ordered: false, Table: o.GroupBy(o.Num("id").Mod(2).As("odd")).Agg(o.Num("amount").Max().As("m"), o.Str("note").Min().As("first"))},
		{Name: "group by two", Ordered: false, Table: o.GroupBy("customer", "note").Agg(expr.Count().As("n"))},
		{Name: "group by constant", Ordered: false, Table: o.GroupBy(expr.Lit(1).As("one")).Agg(expr.Count().As("n"))},
		{Name: "group by double", Ordered: false, Table: v.GroupBy("d").Agg(expr.Count().As("n"))},
		{Name: "group by float", Ordered: false, Table: v.GroupBy(v.Num("f").Mul(0).As("z")).Agg(expr.Count().As("n"))},
		{Name: "having", Ordered: false, Table: spent.Filter(spent.Num("n").Gt(1))},
		{Name: "filter over one group", Ordered: false, Table: func() expr.Table {
			all := o.Agg(expr.Count().As("n"))
			return all.Filter(all.Num("n").Gt(100))
		}()},
		{Name: "filter over one group that passes", Ordered: false, Table: func() expr.Table {
			all := o.Agg(expr.Count().As("n"), o.Num("amount").Sum().As("s"))
			return all.Filter(all.Num("n").Add(1).Gt(5), all.Num("s").Gt(0))
		}()},
		{Name: "having whose alias is an input column", Ordered: false, Table: func() expr.Table {
			g := o.GroupBy(o.Num("customer").As("k")).Agg(o.Num("id").Sum().As("customer"))
			return g.Filter(g.Num("customer").Gt(5), g.Num("k").Mul(2).Lt(100))
		}()},
		{Name: "having over a key that hides a column", Ordered: false, Table: func() expr.Table {
			g := o.GroupBy(o.Num("id").Mod(3).As("id")).Agg(expr.Count().As("n"))
			return g.Filter(g.Num("id").Add(1).Gt(1))
		}()},
		{Name: "filter above limit", Ordered: true, Table: func() expr.Table {
			l := o.OrderBy("id").Limit(4)
			return l.Filter(l.Num("amount").Gt(2)).OrderBy("id").Select("id")
		}()},
		{Name: "filter above top", Ordered: true, Table: func() expr.Table {
			l := o.OrderBy(expr.Desc("amount"), "id").Limit(3)
			return l.Filter(l.Num("amount").Lt(7)).OrderBy("id").Select("id")
		}()},
		{Name: "filter above distinct and union", Ordered: false, Table: func() expr.Table {
			u := o.Select("customer").Distinct().Union(o.Select("customer").Distinct())
			return u.Filter(u.Num("customer").Gt(15))
		}()},
		{Name: "filter above outer join", Ordered: false, Table: func() expr.Table {
			j := o.LeftJoin(c, "customer")
			return j.Filter(j.Str("name").IsNull(), j.Num("amount").Lt(3)).Select("id")
		}()},
		{Name: "keys of two widths", Ordered: false, Table: func() expr.Table {
			w := c.Mutate(c.Num("customer").Cast(datatype.Long).As("customer"))
			return o.Join(w, "customer").Select("id", "customer", "name")
		}()},
		{Name: "keys only", Ordered: false, Table: o.GroupBy("customer").Agg()},
		{Name: "aggregate of all", Ordered: false, Table: o.Agg(expr.Count().As("n"), o.Num("amount").Sum().As("s"), o.Num("amount").Mean().As("a"), o.Num("amount").Min().As("lo"), o.Num("amount").Max().As("hi"))},
		{Name: "aggregate of nothing", Ordered: false, Table: o.Filter(o.Num("id").Lt(0)).Agg(expr.Count().As("n"), o.Num("amount").Sum().As("s"), o.Str("note").Max().As("m"), o.Array("tags").Collect().As("l"))},
		{Name: "group of nothing", Ordered: false, Table: o.Filter(o.Num("id").Lt(0)).GroupBy("customer").Agg(expr.Count().As("n"))},
		{Name: "count distinct", Ordered: false, Table: o.GroupBy("customer").Agg(expr.CountDistinct(o.Str("note")).As("d"), expr.CountDistinct(o.Str("note"), o.Num("amount")).As("dd"), expr.Count().As("n"))},
		{Name: "filtered aggregates", Ordered: false, Table: o.GroupBy("customer").Agg(expr.Where(expr.Count(), o.Num("amount").Gt(2)).As("n"), expr.Where(o.Num("amount").Sum(), o.Str("note").NotNull()).As("s"))},
		{Name: "arithmetic over aggregates", Ordered: false, Table: o.GroupBy("customer").Agg(o.Num("amount").Sum().Div(expr.Count()).As("mean"))},
		{Name: "aggregate outside Agg", Ordered: false, Table: o.Mutate(o.Num("amount").Sum().As("all"), expr.Count().As("n")).Select("id", "all", "n")},
		{Name: "filter by aggregate", Ordered: false, Table: o.Filter(o.Num("amount").Gt(o.Num("amount").Mean())).Select("id")},
		{Name: "join", Ordered: false, Table: o.Join(c, "customer").Select("id", "customer", "name")},
		{Name: "join all columns", Ordered: false, Table: o.Select("id", "customer").Join(c, "customer")},
		{Name: "left join", Ordered: false, Table: o.LeftJoin(c, "customer").Select("id", "customer", "name", "since")},
		{Name: "join on inequality", Ordered: false, Table: o.Join(c, o.Num("customer").Eq(c.Num("customer")), o.Num("amount").Gt(2)).Select("id", "name")},
		{Name: "left join with residual", Ordered: false, Table: o.LeftJoin(c, o.Num("customer").Eq(c.Num("customer")), c.Date("since").NotNull()).Select("id", "name")},
		{Name: "join without equality", Ordered: false, Table: o.Join(c, o.Num("customer").Gt(c.Num("customer"))).Select(o.Num("id"), c.Str("name"))},
		{Name: "self join", Ordered: false, Table: positive.Join(view, positive.Num("customer").Eq(view.Num("customer")), positive.Num("id").Lt(view.Num("id"))).Select(positive.Num("id"), view.Num("id").As("other"))},
		{Name: "join then group", Table: func() expr.Table {
			j := o.Join(c, "customer")
			return j.GroupBy("name").Agg(j.Num("amount").Sum().As("total"))
		}()},
		{Name: "shared twice", Ordered: false, Table: spent.Union(spent.Filter(spent.Num("n").Gt(1)))},
		{Name: "order with nulls", Ordered: true, Table: o.OrderBy("amount", expr.Desc("id"))},
		{Name: "order desc nulls first", Ordered: true, Table: o.OrderBy(expr.Desc("customer").NullsFirst(), "id")},
		{Name: "order by expression", Ordered: true, Table: o.OrderBy(o.Num("amount").Mul(-1).Asc().NullsLast(), "id")},
		{Name: "order of doubles", Ordered: true, Table: v.Select("id", "d").OrderBy("d", "id")},
		{Name: "order then select", Ordered: true, Table: o.OrderBy("id").Select("id")},
		{Name: "limit", Ordered: true, Table: o.OrderBy("id").Limit(3).Select("id")},
		{Name: "limit with offset", Ordered: true, Table: o.OrderBy("id").Limit(2, 3)},
		{Name: "limit zero", Ordered: false, Table: o.Limit(0)},
		{Name: "limit of limit", Ordered: true, Table: o.OrderBy("id").Limit(5).Limit(2)},
		{Name: "sorted limit sorted", Ordered: true, Table: o.OrderBy("id").Limit(4).OrderBy(expr.Desc("id"))},
		{Name: "distinct", Ordered: false, Table: o.Select("customer", "note").Distinct()},
		{Name: "distinct then count", Ordered: false, Table: o.Select("note").Distinct().Agg(expr.Count().As("n"))},
		{Name: "distinct doubles", Ordered: false, Table: v.Select("d").Distinct()},
		{Name: "union", Ordered: false, Table: o.Select("id", "note").Union(c.Select("customer", "name"))},
		{Name: "union widens", Ordered: false, Table: o.Select(o.Num("id").As("x")).Union(o.Select(o.Num("amount").As("y")), v.Select(v.Num("l").As("z")).Filter(expr.Num("z").Lt(100)))},
		{Name: "union then filter", Ordered: false, Table: o.Select("id").Union(o.Select("id")).Filter(expr.Num("id").Gt(5))},
		{Name: "unnest", Ordered: false, Table: o.Unnest("tags").Select("id", "tags")},
		{Name: "unnest outer", Ordered: false, Table: o.UnnestOuter("tags").Select("id", "tags")},
		{Name: "unnest then group", Ordered: false, Table: func() expr.Table {
			u := o.Unnest("tags")
			return u.GroupBy("tags").Agg(expr.Count().As("n"))
		}()},
		{Name: "tumbling window", Ordered: false, Table: byHour},
		{Name: "window bounds", Ordered: false, Table: byHour.Select(byHour.Window("window").Start().As("from"), byHour.Window("window").End().As("to"), byHour.Window("window").Time().As("last"), byHour.Num("n"))},
		{Name: "sliding window", Ordered: false, Table: o.GroupBy(window.Sliding(o.Timestamp("at"), time.Minute, 20*time.Second)).Agg(expr.Count().As("n"))},
		{Name: "window with offset", Ordered: false, Table: o.GroupBy(window.Tumbling(o.Timestamp("at"), time.Minute, 15*time.Second).As("w")).Agg(expr.Count().As("n"))},
		{Name: "window with negative offset", Ordered: false, Table: o.GroupBy(window.Tumbling(o.Timestamp("at"), time.Minute, -15*time.Second)).Agg(expr.Count().As("n"))},
		{Name: "window of ancient times", Ordered: false, Table: v.GroupBy(window.Tumbling(v.Timestamp("ts"), 7*time.Minute)).Agg(expr.Count().As("n"))},
		{Name: "window over ntz", Ordered: false, Table: v.GroupBy(window.Tumbling(v.Timestamp("ntz"), time.Hour)).Agg(expr.Count().As("n"))},
		{Name: "window of window", Ordered: false, Table: func() expr.Table {
			return byHour.GroupBy(window.Tumbling(byHour.Window("window").Time(), 5*time.Minute)).Agg(byHour.Num("n").Sum().As("n"))
		}()},
		{Name: "watermark is inert in batch", Ordered: false, Table: func() expr.Table {
			w := o.Watermark("at", time.Second)
			return w.GroupBy(window.Tumbling(w.Timestamp("at"), time.Minute)).Agg(expr.Count().As("n"))
		}()},
		{Name: "case", Ordered: false, Table: o.Select("id", expr.Case().When(o.Num("amount").Gt(5), "much").When(o.Num("amount").IsNull(), "none").Else("little").As("c"), expr.If(o.Num("id").Gt(3), o.Num("amount"), 0).As("i"))},
		{Name: "logic with null", Ordered: false, Table: v.Select("id", v.Bool("b").And(v.Num("i").Gt(3)).As("a"), v.Bool("b").Or(v.Num("i").Gt(3)).As("o"), v.Bool("b").Not().As("n"))},
		{Name: "struct field", Ordered: false, Table: v.Select("id", v.Struct("st").Field("x").As("x"), v.Struct("st").Field("Y").As("y"))},
		{Name: "nested construction", Ordered: false, Table: o.Select("id", functions.NamedStruct("a", o.Num("amount"), "t", o.Array("tags")).As("s"), functions.Array(o.Num("id"), 0).As("l"))},
		{Name: "json round trip", Ordered: false, Table: o.Select("id", functions.FromJSON(functions.ToJSON(functions.NamedStruct("a", o.Num("amount"), "t", o.Timestamp("at"), "l", o.Array("tags"))), "a DECIMAL(10,2), t TIMESTAMP, l ARRAY<STRING>").As("back"))},
		{Name: "now is one instant", Ordered: false, Table: o.Select("id", functions.CurrentTimestamp().Eq(functions.CurrentTimestamp()).As("same"))},
		{Name: "literals", Table: tables("one", mustFields("x INT"), [][]any{{1}}).Select(
			expr.Lit(1).As("int"), expr.Lit(int64(1)).As("bigint"), expr.Lit(int8(1)).As("tinyint"), expr.Lit(1.5).As("double"), expr.Lit(float32(1.5)).As("float"), expr.Lit("x").As("string"), expr.Lit(true).As("bool"),
			expr.Lit([]byte{1, 2}).As("binary"), expr.Decimal("12.30").As("decimal"), expr.Decimal("0.05").As("small"), expr.Decimal("-100").As("whole"), expr.Lit(uint64(1<<63)).As("uint64"), expr.Lit(at("2024-02-29 12:34:56.5")).As("ts"),
			expr.TimestampNTZ(at("1582-10-10 00:00:00")).As("ntz"), expr.DateOf(1, 1, 1).As("date"), expr.Lit(90*time.Minute+time.Microsecond).As("span"), expr.Months(-14).As("months"), expr.Days(3).As("days"),
			expr.Lit(nil).As("null"), expr.Lit((*string)(nil)).As("nullstring"), expr.Null(datatype.Date).As("nulldate"), expr.Lit([]int{1, 2}).As("array"), expr.Lit([]string{}).As("empty"))},
		{Name: "empty memtable", Ordered: false, Table: tables("none", mustFields("a INT, b STRING, c ARRAY<INT>"), nil)},
		{Name: "casts with null", Ordered: false, Table: v.Select("id", v.Num("i").Cast(datatype.String).As("s"), v.Str("s").TryCast(datatype.Int).As("i"))},
	}
	return slices.Concat(cases, overRelations(), joins(), shapeRelations(), Subqueries(), nestedRelations())
}
