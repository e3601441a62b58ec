//go:build conformance

package conformance

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/functions"
	"github.com/spoonbill-go/spoonbill/window"
)

// What is wrong with a window is found while it is built, and leaves no tree to force through: the same mistake in SQL has the same condition.
func TestSparkRefusesWindows(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s := connect(t)
	x := Ticks()
	n := expr.Count()
	for sql, table := range map[string]expr.Table{
		"SELECT rank() FROM VALUES (1) AS t(id)":                                                                                                                  x.Select(functions.Rank()),
		"SELECT rank() OVER () FROM VALUES (1) AS t(id)":                                                                                                          x.Select(functions.Rank().Over(window.Over())),
		"SELECT rank() OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM VALUES (1) AS t(id)":                                                      x.Select(functions.Rank().Over(window.Trailing(1).OrderBy("id"))),
		"SELECT lag(id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM VALUES (1) AS t(id)":                                                     x.Select(x.Num("id").Lag().Over(window.Trailing(1).OrderBy("id"))),
		"SELECT lag(id, id) OVER (ORDER BY id) FROM VALUES (1) AS t(id)":                                                                                          x.Select(x.Num("id").Lag(x.Num("id")).Over(window.Over().OrderBy("id"))),
		"SELECT lag(id, 1, true) OVER (ORDER BY id) FROM VALUES (1) AS t(id)":                                                                                     x.Select(x.Num("id").Lag(1, true).Over(window.Over().OrderBy("id"))),
		"SELECT ntile(0) OVER (ORDER BY id) FROM VALUES (1) AS t(id)":                                                                                             x.Select(x.Num("id").NTile(0)),
		"SELECT ntile(id) OVER (ORDER BY id) FROM VALUES (1) AS t(id)":                                                                                            x.Select(x.Num("id").NTile(x.Num("id"))),
		"SELECT nth_value(id, 0) OVER (ORDER BY id) FROM VALUES (1) AS t(id)":                                                                                     x.Select(x.Num("id").Nth(0).Over(window.Over().OrderBy("id"))),
		"SELECT sum(id) IGNORE NULLS OVER () FROM VALUES (1) AS t(id)":                                                                                            x.Select(expr.IgnoreNulls(x.Num("id").Sum())),
		"SELECT abs(id) OVER () FROM VALUES (1) AS t(id)":                                                                                                         x.Select(x.Num("id").Abs().Over(window.Over())),
		"SELECT count(*) OVER (ORDER BY id, k RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM VALUES (1, 2) AS t(id, k)":                                          x.Select(n.Over(window.TrailingRange(1).OrderBy("id", "k"))),
		"SELECT count(*) OVER (RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM VALUES (1) AS t(id)":                                                               x.Select(n.Over(window.TrailingRange(1))),
		"SELECT count(*) OVER (ORDER BY s RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM VALUES ('x') AS t(s)":                                                   x.Select(n.Over(window.TrailingRange(1).OrderBy("s"))),
		"SELECT count(*) OVER (ORDER BY ok RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM VALUES (true) AS t(ok)":                                                x.Select(n.Over(window.TrailingRange(1).OrderBy("ok"))),
		"SELECT count(*) OVER (ORDER BY at RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM VALUES (current_timestamp()) AS t(at)":                                 x.Select(n.Over(window.TrailingRange(1).OrderBy("at"))),
		"SELECT count(*) OVER (ORDER BY day RANGE BETWEEN INTERVAL '0 01' DAY TO HOUR PRECEDING AND CURRENT ROW) FROM VALUES (current_date()) AS t(day)":          x.Select(n.Over(window.TrailingRange(time.Hour).OrderBy("day"))),
		"SELECT count(*) OVER (ORDER BY at RANGE BETWEEN INTERVAL '1' MONTH PRECEDING AND INTERVAL '1' DAY FOLLOWING) FROM VALUES (current_timestamp()) AS t(at)": x.Select(n.Over(window.Over().OrderBy("at").Range(window.Preceding(expr.Months(1)), window.Following(expr.Days(1))))),
		"SELECT count(*) OVER (ROWS BETWEEN 2 FOLLOWING AND 1 FOLLOWING) FROM VALUES (1) AS t(id)":                                                                x.Select(n.Over(window.Over().Rows(window.Following(2), window.Following(1)))),
		"SELECT count(*) OVER (ROWS BETWEEN 1.5 PRECEDING AND CURRENT ROW) FROM VALUES (1) AS t(id)":                                                              x.Select(n.Over(window.Over().Rows(window.Preceding(1.5), window.CurrentRow()))),
		"SELECT count(DISTINCT id) OVER () FROM VALUES (1) AS t(id)":                                                                                              x.Select(expr.CountDistinct(x.Num("id")).Over(window.Over())),
		"SELECT sum(rank() OVER (ORDER BY id)) FROM VALUES (1) AS t(id)":                                                                                          x.Agg(x.Num("id").Rank().Sum()),
		"SELECT count(*) FROM VALUES (1) AS t(id) GROUP BY rank() OVER (ORDER BY id)":                                                                             x.GroupBy(x.Num("id").Rank()).Agg(n),
		"SELECT t.id FROM VALUES (1) AS t(id) JOIN VALUES (1) AS u(id) ON rank() OVER (ORDER BY t.id) = u.id":                                                     x.Join(x.View(), x.Num("id").Rank().Eq(1)),
	} {
		var ours, theirs *condition.Error
		require.ErrorAs(t, table.Err(), &ours, sql)
		program := &compiler.Program{Steps: []compiler.Step{compiler.QueryStep{SQL: sql}}, Mode: compiler.Batch}
		require.ErrorAs(t, force(ctx, t, program, s), &theirs, sql)
		require.Equal(t, theirs.Condition, ours.Condition, sql)
	}
}
