package conformance

import (
	"time"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/window"
)

// windowStreams are windows of event time beyond tumbling and sliding ones.
func windowStreams() []StreamCase {
	const delay = 30 * time.Second
	return []StreamCase{
		{"windows: sessions", expr.Append, func(in StreamInput) expr.Table {
			e := in.Events.Watermark("at", delay)
			return e.GroupBy(window.Session(e.Timestamp("at"), 20*time.Second), "k").Agg(expr.Count().As("n"), e.Num("v").Sum().As("total"))
		}},
		{"windows: sessions that touch", expr.Append, func(in StreamInput) expr.Table {
			// 10:00:05, 10:00:35 and 10:00:40, 10:00:59 and 10:01:10 are as far apart as the gap or nearer.
			e := in.Events.Mutate(expr.Lit(1).As("one")).Watermark("at", delay)
			return e.GroupBy("one", window.Session(e.Timestamp("at"), 30*time.Second)).Agg(expr.Count().As("n"), e.Num("id").Min().As("least"), e.Num("id").Max().As("most"))
		}},
		{"windows: sessions by a gap of each row", expr.Append, func(in StreamInput) expr.Table {
			e := in.Events.Watermark("at", delay)
			gap := expr.If(e.Str("k").Eq("a"), expr.Lit(40*time.Second), expr.If(e.Str("k").Eq("b"), expr.Lit(5*time.Second), -time.Second))
			return e.GroupBy(window.SessionGap(e.Timestamp("at"), gap.AsInterval()).As("s"), "k").Agg(expr.Count().As("n"))
		}},
		{"windows: sessions in complete mode", expr.Complete, func(in StreamInput) expr.Table {
			e := in.Events.Watermark("at", delay)
			return e.GroupBy("k", window.Session(e.Timestamp("at"), time.Minute)).Agg(expr.Count().As("n"))
		}},
		{"windows: sessions longer than a day", expr.Append, func(in StreamInput) expr.Table {
			e := in.Events.Watermark("at", delay)
			return e.GroupBy("k", window.Session(e.Timestamp("at"), 36*time.Hour+90*time.Second)).Agg(expr.Count().As("n"))
		}},
		{"windows: tumbling windows of sessions", expr.Append, func(in StreamInput) expr.Table {
			e := in.Events.Watermark("at", delay)
			s := e.GroupBy(window.Session(e.Timestamp("at"), 20*time.Second).As("s"), "k").Agg(expr.Count().As("n"))
			return s.GroupBy(window.Tumbling(s.Window("s"), 5*time.Minute)).Agg(expr.Count().As("sessions"), s.Num("n").Sum().As("rows"))
		}},
		{"windows: cumulative", expr.Append, func(in StreamInput) expr.Table {
			e := in.Events.Watermark("at", delay)
			return e.GroupBy(window.Cumulate(e.Timestamp("at"), time.Minute, 20*time.Second)).Agg(expr.Count().As("n"), e.Num("v").Sum().As("total"))
		}},
		{"windows: cumulative by key with offset in update mode", expr.Update, func(in StreamInput) expr.Table {
			e := in.Events.Watermark("at", delay)
			return e.GroupBy("k", window.Cumulate(e.Timestamp("at"), time.Minute, 30*time.Second, 5*time.Second).As("upto")).Agg(expr.Count().As("n"))
		}},
		{"windows: having an end of a cumulative window", expr.Append, func(in StreamInput) expr.Table {
			e := in.Events.Watermark("at", delay)
			g := e.GroupBy(window.Cumulate(e.Timestamp("at"), time.Minute, 20*time.Second).As("w"), "k").Agg(expr.Count().As("n"))
			return g.Filter(g.Window("w").End().Gt(expr.Lit(at("2024-01-01 10:01:00"))))
		}},
		{"windows: having an end of a window and of a session", expr.Append, func(in StreamInput) expr.Table {
			e := in.Events.Watermark("at", delay)
			g := e.GroupBy(window.Session(e.Timestamp("at"), 20*time.Second).As("w"), "k").Agg(expr.Count().As("n"))
			return g.Filter(g.Window("w").End().Gt(expr.Lit(at("2024-01-01 10:01:00"))))
		}},
		{"windows: a tumbling window as a column", expr.Append, func(in StreamInput) expr.Table {
			e := in.Events.Mutate(window.Tumbling(in.Events.Timestamp("at"), time.Minute).As("w"))
			return e.Filter(e.Window("w").Start().Gt(expr.Lit(at("2024-01-01 10:00:00")))).Select("id", "w")
		}},
		{"windows: sliding windows as a column, grouped by", expr.Append, func(in StreamInput) expr.Table {
			e := in.Events.Watermark("at", delay)
			e = e.Mutate(window.Sliding(e.Timestamp("at"), time.Minute, 30*time.Second).As("w"))
			return e.GroupBy("w").Agg(expr.Count().As("n"))
		}},
		{"windows: window join", expr.Append, func(in StreamInput) expr.Table {
			l, r := windowed(in.Events.Watermark("at", delay)), windowed(in.Other.Watermark("at", delay))
			j := l.Join(r, "w", "k")
			return j.Select("id", "k", "w", "id_right")
		}},
		{"windows: window semi join", expr.Append, func(in StreamInput) expr.Table {
			l, r := windowed(in.Events.Watermark("at", delay)), windowed(in.Other.Watermark("at", delay))
			return l.SemiJoin(r, "w", "k").Select("id", "k")
		}},
		{"windows: window left join", expr.Append, func(in StreamInput) expr.Table {
			l, r := windowed(in.Events.Watermark("at", delay)), windowed(in.Other.Watermark("at", delay))
			return l.LeftJoin(r, "w", "k").Select("id", "k", "id_right")
		}},
		{"windows: window anti join", expr.Append, func(in StreamInput) expr.Table {
			l, r := windowed(in.Events.Watermark("at", delay)), windowed(in.Other.Watermark("at", delay))
			return l.AntiJoin(r, "w", "k").Select("id", "k")
		}},
		{"anti join of streams by time", expr.Append, func(in StreamInput) expr.Table {
			l, r := in.Events.Watermark("at", delay), in.Other.Watermark("at", delay)
			return l.AntiJoin(r, "k", r.Timestamp("at").Ge(l.Timestamp("at")), r.Timestamp("at").Le(l.Timestamp("at").Add(20*time.Second))).Select("id", "k")
		}},
		{"anti join of streams by a computed key", expr.Append, func(in StreamInput) expr.Table {
			l, r := in.Events.Watermark("at", delay), in.Other.Watermark("at", delay)
			return l.AntiJoin(r, l.Str("k").Upper().Eq(r.Str("k").Upper()), r.Timestamp("at").Ge(l.Timestamp("at")), r.Timestamp("at").Le(l.Timestamp("at").Add(20*time.Second))).Select("id", "k")
		}},
		{"drop duplicates by key", expr.Append, func(in StreamInput) expr.Table { return in.Events.DropDuplicates("k").Select("k") }},
		{"drop duplicates by key and time in update mode", expr.Update, func(in StreamInput) expr.Table {
			return in.Events.Watermark("at", delay).DropDuplicates("at", "k").Select("at", "k")
		}},
		{"drop duplicates within the watermark", expr.Append, func(in StreamInput) expr.Table {
			return in.Events.Watermark("at", delay).DropDuplicatesWithinWatermark("k").Select("at", "k")
		}},
		{"drop duplicates of whole rows", expr.Append, func(in StreamInput) expr.Table { return in.Events.Select("k", "v").DropDuplicates() }},
		{"windows: the latest two of each window", expr.Append, func(in StreamInput) expr.Table {
			e := in.Events.Watermark("at", delay)
			return e.GroupBy(window.Tumbling(e.Timestamp("at"), 5*time.Minute)).OrderBy(e.Timestamp("at").Desc(), "id").Limit(2)
		}},
		{"windows: the best of each key and window", expr.Append, func(in StreamInput) expr.Table {
			e := in.Events.Watermark("at", delay).Drop("tags")
			return e.GroupBy("k", window.Sliding(e.Timestamp("at"), 5*time.Minute, 150*time.Second).As("w")).OrderBy(e.Num("v").Desc().NullsFirst(), "id").Limit(1)
		}},
		{"windows: top of a chained aggregation", expr.Append, func(in StreamInput) expr.Table {
			e := in.Events.Watermark("at", delay)
			n := e.GroupBy(window.Tumbling(e.Timestamp("at"), time.Minute), "k").Agg(expr.Count().As("n"))
			return n.GroupBy("window").OrderBy(n.Num("n").Desc(), "k").Limit(1)
		}},
	}
}

// windowed puts each row into its minute.
func windowed(t expr.Table) expr.Table {
	return t.Mutate(window.Tumbling(t.Timestamp("at"), time.Minute).As("w"))
}
