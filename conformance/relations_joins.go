package conformance

import (
	"math"
	"time"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// joinSides are two tables whose keys are null, doubled and missing on either side, with a second key and a number to compare.
func joinSides() (left, right expr.Table) {
	left = expr.MemtableRows("lefts", mustFields("id INT, k INT, g STRING, x INT"), [][]any{
		{1, 1, "a", 5}, {2, 1, "a", 5}, {3, 1, "b", nil}, {4, 2, nil, 7}, {5, nil, "a", 1}, {6, nil, nil, 2}, {7, 9, "z", 0},
	})
	right = expr.MemtableRows("rights", mustFields("k BIGINT, g STRING, y INT, name STRING"), [][]any{
		{1, "a", 4, "one"}, {1, "a", 6, "one more"}, {1, "b", nil, nil}, {2, nil, 7, "two"}, {3, "c", 1, "three"}, {nil, "a", 0, "null"}, {nil, nil, 9, "nulls"},
	})
	return left, right
}

// joins are the kinds of joins over tables with nulls, doubled keys and empty sides.
func joins() []Case {
	l, r := joinSides()
	o, c, v := Orders(), Customers(), Values()
	noL, noR := l.Filter(l.Num("id").Lt(0)), r.Filter(r.Num("y").Gt(100))
	type join func(l, r expr.Table, on ...any) expr.Table
	kinds := []struct {
		name string
		join join
	}{
		{"inner join", func(l, r expr.Table, on ...any) expr.Table { return l.Join(r, on...) }},
		{"left join", func(l, r expr.Table, on ...any) expr.Table { return l.LeftJoin(r, on...) }},
		{"right join", func(l, r expr.Table, on ...any) expr.Table { return l.RightJoin(r, on...) }},
		{"outer join", func(l, r expr.Table, on ...any) expr.Table { return l.OuterJoin(r, on...) }},
		{"semi join", func(l, r expr.Table, on ...any) expr.Table { return l.SemiJoin(r, on...) }},
		{"anti join", func(l, r expr.Table, on ...any) expr.Table { return l.AntiJoin(r, on...) }},
		{"any join", func(l, r expr.Table, on ...any) expr.Table { return l.AnyJoin(r, on...) }},
		{"any left join", func(l, r expr.Table, on ...any) expr.Table { return l.AnyLeftJoin(r, on...) }},
	}
	var out []Case
	add := func(name string, t expr.Table) { out = append(out, Case{Name: "joins: " + name, Table: t}) }
	for _, k := range kinds {
		add(k.name+" on a key of two widths", k.join(l, r, "k"))
		add(k.name+" on two keys", k.join(l, r, "k", "g"))
		add(k.name+" on null-safe keys", k.join(l, r, l.Num("k").EqNullSafe(r.Num("k")), l.Str("g").EqNullSafe(r.Str("g"))))
		add(k.name+" with conditions on one side", k.join(l, r, "k", l.Num("x").Gt(1), r.Str("name").NotNull()))
		add(k.name+" with nothing on the right", k.join(l, noR, "k"))
		add(k.name+" with nothing on the left", k.join(noL, r, "k"))
		if k.name == "any join" || k.name == "any left join" {
			continue
		}
		add(k.name+" with a residual condition", k.join(l, r, "k", l.Num("x").Lt(r.Num("y"))))
		add(k.name+" without an equality", k.join(l, r, l.Num("x").Lt(r.Num("y"))))
	}
	add("cross join", l.Select("id").CrossJoin(r.Select("y")))
	add("cross join with clashing names", l.Select("id", "g").CrossJoin(r.Select("g", "k"), expr.LName("l_{name}"), expr.RName("r_{name}")))
	add("cross join with nothing", l.CrossJoin(noR))
	add("cross join of a self-join", func() expr.Table { w := l.View(); return l.CrossJoin(w).Select(l.Num("id"), w.Num("id").As("other")) }())
	add("clashing names by template", l.Join(r, l.Num("k").Eq(r.Num("k")), expr.LName("{name} of l"), expr.RName("r.`{name}`")))
	add("columns of two names", l.Join(r, [2]string{"x", "y"}))
	add("chain of three", func() expr.Table {
		j := o.Join(c, "customer").LeftJoin(r, o.Num("customer").Eq(r.Num("k").Mul(10)))
		return j.Select("id", "name", r.Str("name").As("number"), "g")
	}())
	add("chain with a filter and a choice between", func() expr.Table {
		j := o.Join(c, "customer")
		return j.Filter(j.Num("amount").Gt(1)).Select("id", j.Str("name").As("n")).SemiJoin(l, "id").AntiJoin(l.Filter(l.Num("x").Gt(5)), "id")
	}())
	add("chain that ends in a right join after a filter", func() expr.Table {
		j := l.Join(r, "k")
		f := j.Filter(j.Num("y").Gt(4))
		return f.RightJoin(o, f.Num("id").Eq(o.Num("id"))).Select(f.Num("y"), o.Num("id"))
	}())
	add("chain with an outer join", l.OuterJoin(r, "k").Select("id", "k", "k_right", "name").OuterJoin(c, "name"))
	add("chain with an any join", l.LeftJoin(o.Select("id", "note"), "id").AnyLeftJoin(r, "k").Select("id", "note", "name"))
	add("join whose right side is a join", o.Select("id", "customer").Join(c.Join(r.Select(r.Num("k").Mul(10).Cast(datatype.Int).As("customer"), r.Num("y")), "customer"), "customer"))
	add("any self-join", func() expr.Table {
		w := l.View()
		return l.AnyJoin(w, l.Num("k").Eq(w.Num("k"))).Select(l.Num("id"), w.Num("id").As("least"))
	}())
	add("any join with maps and nested values", v.Select("id", "i").AnyLeftJoin(v.Select(v.Num("i").As("j"), v.Map("m"), v.Array("a"), v.Struct("st")), [2]string{"i", "j"}))
	add("any join filtered by its partner", func() expr.Table {
		j := l.AnyLeftJoin(r, "k")
		return j.Filter(j.Num("y").Gt(4))
	}())
	add("any join on doubles", v.Select("id", "d").AnyJoin(v.Select("d", v.Num("id").As("other")), "d"))
	add("join on doubles", v.Select("id", "d").Join(v.Select("d", v.Num("id").As("other")), "d").Select("id", "other"))
	add("semi join then aggregate", func() expr.Table {
		s := l.SemiJoin(r, "k")
		return s.Agg(expr.Count().As("n"), s.Num("x").Sum().As("x"))
	}())
	add("outer join then group", func() expr.Table {
		j := l.OuterJoin(r, "k")
		return j.GroupBy("k", "k_right").Agg(expr.Count().As("n"))
	}())
	return append(out, asofJoins()...)
}

// asofJoins are as-of joins over quotes with doubled times, null times and null keys, and trades at, between and beyond them.
func asofJoins() []Case {
	trades := expr.MemtableRows("trades", mustFields("id INT, sym STRING, at TIMESTAMP, px DECIMAL(8,2)"), [][]any{
		{1, "A", at("2024-03-10 06:59:59"), "1.00"}, {2, "A", at("2024-03-10 07:00:00"), "2.00"}, {3, "A", at("2024-03-10 07:00:03"), "3.00"}, {4, "A", at("2024-03-10 07:00:03"), "3.00"},
		{5, "A", at("2024-03-10 09:00:00"), nil}, {6, "B", at("2024-03-10 07:00:07.5"), "6.00"}, {7, "C", at("2024-03-10 07:00:00"), "7.00"}, {8, nil, at("2024-03-10 07:00:02"), "8.00"},
		{9, "A", nil, "9.00"}, {10, nil, nil, nil},
	})
	quotes := expr.MemtableRows("quotes", mustFields("sym STRING, at TIMESTAMP, bid DECIMAL(8,2), note STRING"), [][]any{
		{"A", at("2024-03-10 07:00:00"), "10.00", "first"}, {"A", at("2024-03-10 07:00:02"), "11.00", "twice"}, {"A", at("2024-03-10 07:00:02"), "12.00", "twice"}, {"A", at("2024-03-10 07:00:02"), nil, "twice"},
		{"A", at("2024-03-10 07:00:04"), "13.00", nil}, {"A", at("2024-03-10 07:00:04"), "13.00", "x"}, {"B", at("2024-03-10 07:00:05"), "20.00", ""}, {"B", at("2024-03-10 07:00:10"), "21.00", ""},
		{nil, at("2024-03-10 07:00:01"), "30.00", "no key"}, {"A", nil, "40.00", "no time"}, {nil, nil, nil, nil},
	})
	numbers := func(ddl string, rows ...[]any) expr.Table { return expr.MemtableRows("n", mustFields(ddl), rows) }
	var out []Case
	add := func(name string, t expr.Table) { out = append(out, Case{Name: "as-of join: " + name, Table: t}) }
	for _, d := range []struct {
		name string
		opt  expr.JoinOption
	}{{"backward", expr.AsofBackward()}, {"forward", expr.AsofForward()}, {"nearest", expr.AsofNearest()}} {
		add(d.name, trades.AsofJoin(quotes, "at", "sym", d.opt))
		add(d.name+" strict", trades.AsofJoin(quotes, "at", "sym", d.opt, expr.AsofStrict()))
		add(d.name+" within a second", trades.AsofJoin(quotes, "at", "sym", d.opt, expr.AsofTolerance(time.Second)))
		add(d.name+" strictly within two hours", trades.AsofJoin(quotes, "at", "sym", d.opt, expr.AsofStrict(), expr.AsofTolerance(2*time.Hour)))
		add(d.name+" without keys", trades.AsofJoin(quotes, "at", d.opt))
		add(d.name+" with a null-safe key", trades.AsofJoin(quotes, "at", trades.Str("sym").EqNullSafe(quotes.Str("sym")), d.opt))
		add(d.name+" with nothing on the right", trades.AsofJoin(quotes.Filter(quotes.Num("bid").Lt(0)), "at", "sym", d.opt))
		add(d.name+" with nothing on the left", trades.Filter(trades.Num("id").Lt(0)).AsofJoin(quotes, "at", "sym", d.opt))
		ints := numbers("id INT, n INT", []any{1, 0}, []any{2, math.MaxInt32}, []any{3, math.MinInt32}, []any{4, 5}, []any{5, nil})
		longs := numbers("n BIGINT, w STRING", []any{int64(math.MinInt64), "least"}, []any{int64(math.MaxInt64), "most"}, []any{3, "three"}, []any{7, "seven"}, []any{7, "seven again"})
		add(d.name+" by numbers of two widths", ints.AsofJoin(longs, "n", d.opt))
		add(d.name+" by whole numbers within two", ints.AsofJoin(longs, "n", d.opt, expr.AsofTolerance(2)))
		doubles := numbers("id INT, d DOUBLE", []any{1, 0.5}, []any{2, math.NaN()}, []any{3, math.Inf(1)}, []any{4, math.Inf(-1)}, []any{5, math.Copysign(0, -1)}, []any{6, nil}, []any{7, 1e300})
		marks := numbers("d DOUBLE, w STRING", []any{0.0, "zero"}, []any{1.0, "one"}, []any{math.Inf(1), "inf"}, []any{math.NaN(), "nan"}, []any{nil, "null"})
		add(d.name+" by doubles", doubles.AsofJoin(marks, "d", d.opt))
		add(d.name+" by doubles within a half", doubles.AsofJoin(marks, "d", d.opt, expr.AsofTolerance(0.5)))
		add(d.name+" by decimals within a bound", trades.AsofJoin(quotes, [2]string{"px", "bid"}, d.opt, expr.AsofTolerance(expr.Decimal("5.50"))))
		days := numbers("id INT, dt DATE", []any{1, at("2024-02-28 00:00:00")}, []any{2, at("2024-03-02 00:00:00")}, []any{3, nil})
		feasts := numbers("dt DATE, w STRING", []any{at("2024-02-29 00:00:00"), "leap"}, []any{at("2024-03-01 00:00:00"), "first"}, []any{at("2023-12-25 00:00:00"), "old"})
		add(d.name+" by dates within a day and a half", days.AsofJoin(feasts, "dt", d.opt, expr.AsofTolerance(36*time.Hour)))
		local := func(t expr.Table) expr.Table { return t.Mutate(t.Timestamp("at").Cast(datatype.TimestampNTZ).As("at")) }
		add(d.name+" by times without a zone", local(trades).AsofJoin(local(quotes), "at", "sym", d.opt, expr.AsofTolerance(2*time.Second)))
	}
	add("by a comparison", trades.AsofJoin(quotes, trades.Timestamp("at").Gt(quotes.Timestamp("at")), "sym", expr.RName("quote {name}")))
	add("by a comparison turned round", trades.AsofJoin(quotes, quotes.Timestamp("at").Gt(trades.Timestamp("at")), "sym"))
	add("then filter and group", func() expr.Table {
		j := trades.AsofJoin(quotes, "at", "sym")
		f := j.Filter(j.Num("bid").Gt(10), j.Num("id").Gt(1))
		return f.GroupBy("sym", "note").Agg(expr.Count().As("n"), f.Num("bid").Max().As("bid"))
	}())
	add("of joins", func() expr.Table {
		left := trades.Join(trades.Select("id", trades.Num("px").Mul(2).As("twice")).View(), "id")
		right := quotes.LeftJoin(quotes.GroupBy("sym").Agg(quotes.Num("bid").Max().As("top")), "sym")
		return left.AsofJoin(right, "at", "sym").Select("id", "twice", "bid", "top")
	}())
	add("chained", trades.AsofJoin(quotes.Select("sym", "at", "bid"), "at", "sym", expr.RName("{name}_before")).AsofJoin(quotes.Select("sym", "at", "note"), "at", "sym", expr.AsofForward(), expr.RName("{name}_after")))
	add("of a table with itself", func() expr.Table {
		w := quotes.View()
		return quotes.AsofJoin(w, quotes.Timestamp("at").Gt(w.Timestamp("at")), "sym").Select(quotes.Timestamp("at"), quotes.Num("bid"), w.Num("bid").As("before"))
	}())
	add("with names that look like its own", func() expr.Table {
		l := numbers("l INT, r INT, `time` INT, side INT, key1 INT", []any{1, 2, 3, 4, 5}, []any{6, 7, 8, 9, 5})
		r := numbers("`time` INT, key1 INT, r STRUCT<l: INT>, `before``s` INT", []any{2, 5, []any{1}, 2}, []any{9, 5, []any{2}, 3})
		return l.AsofJoin(r, "time", "key1")
	}())
	add("with maps on the right", func() expr.Table {
		v := Values()
		return v.Select("id", "l").AsofJoin(v.Select("l", "m", "a"), "l", expr.AsofStrict())
	}())
	add("on keys of two types", func() expr.Table {
		l := numbers("k DATE, t INT", []any{at("2024-01-01 00:00:00"), 5}, []any{nil, 5})
		r := numbers("k TIMESTAMP, t DOUBLE, w STRING", []any{at("2024-01-01 00:00:00"), 4.5, "yes"}, []any{at("2024-01-01 00:00:01"), 5.0, "no"})
		return l.AsofJoin(r, "t", "k")
	}())
	return out
}

// joinStreams are joins of streams with tables and with streams, of every kind that Spark runs.
func joinStreams() []StreamCase {
	const delay = 30 * time.Second
	// bounded joins the two streams under a key and a bound of the time that holds both ways.
	bounded := func(in StreamInput, join func(l, r expr.Table, on ...any) expr.Table) expr.Table {
		l, r := in.Events.Watermark("at", delay), in.Other.Watermark("at", delay)
		on := []any{l.Str("k").Eq(r.Str("k")), r.Timestamp("at").Ge(l.Timestamp("at")), r.Timestamp("at").Le(l.Timestamp("at").Add(20 * time.Second))}
		return join(l, r, on...)
	}
	both := func(j expr.Table) expr.Table { return j.Select("id", "id_right") }
	return []StreamCase{
		{"right join with static", expr.Append, func(in StreamInput) expr.Table {
			return in.Labels.RightJoin(in.Events, "k").Select("label", "id")
		}},
		{"semi join with static", expr.Append, func(in StreamInput) expr.Table { return in.Events.SemiJoin(in.Labels, "k").Select("id", "k") }},
		{"anti join with static", expr.Append, func(in StreamInput) expr.Table { return in.Events.AntiJoin(in.Labels, "k").Select("id", "k") }},
		{"cross join with static", expr.Append, func(in StreamInput) expr.Table { return in.Labels.CrossJoin(in.Events.Select("id")) }},
		{"join with static on a null-safe key", expr.Append, func(in StreamInput) expr.Table {
			l := in.Labels.Union(in.Labels.Limit(1).Select(expr.Null(datatype.String).As("k"), expr.Lit("none").As("label")))
			return in.Events.Join(l, in.Events.Str("k").EqNullSafe(l.Str("k"))).Select("id", "label")
		}},
		{"join with an as-of join of tables", expr.Append, func(in StreamInput) expr.Table {
			l := in.Labels.Mutate(expr.Lit(1).As("n"))
			r := in.Labels.View().Select("k", expr.Lit(0).As("n"), expr.Str("label").As("greatest"))
			return in.Events.Join(l.AsofJoin(r, "n", "k").Select("k", "label", "greatest"), "k").Select("id", "label", "greatest")
		}},
		{"chain of joins with static", expr.Append, func(in StreamInput) expr.Table {
			return in.Events.Join(in.Labels, "k").AntiJoin(in.Labels.Filter(in.Labels.Str("label").Eq("Bravo")), "label").Select("id", "label")
		}},
		{"right join of streams", expr.Append, func(in StreamInput) expr.Table {
			return both(bounded(in, func(l, r expr.Table, on ...any) expr.Table { return l.RightJoin(r, on...) }))
		}},
		{"outer join of streams", expr.Append, func(in StreamInput) expr.Table {
			return both(bounded(in, func(l, r expr.Table, on ...any) expr.Table { return l.OuterJoin(r, on...) }))
		}},
		{"semi join of streams", expr.Append, func(in StreamInput) expr.Table {
			return bounded(in, func(l, r expr.Table, on ...any) expr.Table { return l.SemiJoin(r, on...) }).Select("id", "k")
		}},
	}
}
