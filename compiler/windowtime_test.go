package compiler_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/window"
)

// Spark takes window_time of its own windows only, so that of a cumulative one, however far up, is its end less a microsecond.
func TestWindowTimeOfACumulativeWindow(t *testing.T) {
	in := expr.CatalogTable(fields("at TIMESTAMP, k STRING"), "in")
	group := func(w expr.WindowValue) expr.Table { return in.GroupBy(w.As("w"), "k").Agg(expr.Count().As("n")) }
	cumulative := group(window.Cumulate(in.Timestamp("at"), time.Minute, 20*time.Second))
	tumbling := group(window.Tumbling(in.Timestamp("at"), time.Minute))
	for name, c := range map[string]struct {
		table expr.Table
		own   bool
	}{
		"directly":        {cumulative, false},
		"above a filter":  {cumulative.Filter(cumulative.Num("n").Gt(1)), false},
		"renamed":         {cumulative.Select(cumulative.Window("w").As("w"), "k"), false},
		"of a view":       {cumulative.View(), false},
		"of a union":      {cumulative.Union(cumulative.View()), false},
		"grouped again":   {cumulative.GroupBy("w").Agg(expr.Count().As("groups")), false},
		"tumbling":        {tumbling, true},
		"tumbling joined": {tumbling.Join(cumulative.Select(cumulative.Str("k").As("other")), expr.Str("k").Eq(expr.Str("other"))), true},
	} {
		sql, err := compiler.SQL(c.table.Select(c.table.Window("w").Time().As("moment")))
		require.NoError(t, err, name)
		if c.own {
			require.Contains(t, sql, "window_time(", name)
			continue
		}
		require.NotContains(t, sql, "window_time(", name)
		require.Contains(t, sql, "`end` - INTERVAL '0.000001' SECOND", name)
	}
}
