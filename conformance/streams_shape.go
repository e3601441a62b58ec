package conformance

import (
	"time"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/selectors"
	"github.com/spoonbill-go/spoonbill/window"
)

// shapeStreams are groupings on several levels, and operations that change a table's shape, over streams.
func shapeStreams() []StreamCase {
	const delay = 30 * time.Second
	minute := func(t expr.Table) expr.WindowValue { return window.Tumbling(t.Timestamp("at"), time.Minute) }
	return []StreamCase{
		{"shape: rollup in update mode", expr.Update, func(in StreamInput) expr.Table {
			e := in.Events.Mutate(in.Events.Num("id").Mod(2).As("odd"))
			return e.GroupBy(expr.Rollup("k", "odd")).Agg(expr.Count().As("n"), expr.GroupingID().As("level"), e.Num("v").Sum().As("total"))
		}},
		{"shape: cube in complete mode", expr.Complete, func(in StreamInput) expr.Table {
			e := in.Events
			return e.GroupBy(expr.Cube("k", e.Num("id").Mod(3).As("third"))).Having(expr.Count().Gt(1)).Agg(expr.Count().As("n"), expr.Grouping("k").As("g"))
		}},
		{"shape: rollup within windows", expr.Append, func(in StreamInput) expr.Table {
			e := in.Events.Watermark("at", delay)
			return e.GroupBy(minute(e), expr.Rollup("k")).Agg(expr.Count().As("n"), expr.Grouping("k").As("g"))
		}},
		{"shape: having in update mode", expr.Update, func(in StreamInput) expr.Table {
			return in.Events.GroupBy("k").Having(expr.Count().Gt(2)).Agg(in.Events.Num("v").Max().As("most"))
		}},
		{"shape: union distinct in update mode", expr.Update, func(in StreamInput) expr.Table {
			return in.Events.Select("k").UnionDistinct(in.Other.Select("k"))
		}},
		{"shape: difference with a table in update mode", expr.Update, func(in StreamInput) expr.Table {
			return in.Events.Select("k").Difference(in.Labels.Select("k"))
		}},
		{"shape: difference of event time", expr.Append, func(in StreamInput) expr.Table {
			e := in.Events.Watermark("at", delay)
			return e.Select("at", "k").Difference(in.Labels.Select(expr.Lit(at("2024-01-01 10:00:05")).As("at"), "k"))
		}},
		{"shape: unnest with position", expr.Append, func(in StreamInput) expr.Table {
			return in.Events.Unnest("tags", expr.WithPosition("i"), expr.KeepEmpty()).Select("id", "tags", "i")
		}},
		{"shape: pivot longer", expr.Append, func(in StreamInput) expr.Table {
			e := in.Events.Watermark("at", delay)
			return e.Select("id", "at", "v").PivotLonger(selectors.Numeric(), expr.NamesTo("what")).DropNull(expr.AnyNull)
		}},
		{"shape: pivot wider in complete mode", expr.Complete, func(in StreamInput) expr.Table {
			e := in.Events.Select("k", "v", in.Events.Num("id").Mod(2).As("odd"))
			return e.PivotWider(expr.NamesFrom("k"), expr.ValuesFrom("v"), expr.PivotNames("a", "b", nil), expr.ValuesAgg(expr.NumericValue.Sum), expr.ValuesFill(0))
		}},
		{"shape: across and relocate", expr.Append, func(in StreamInput) expr.Table {
			e := in.Events.FillNull(map[string]any{"k": "none"}).Drop("tags")
			return e.Mutate(selectors.Across(selectors.OfType(e.Schema().Field(2).Type), expr.StringValue.Upper)).Relocate("k")
		}},
	}
}
