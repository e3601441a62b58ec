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
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// What is refused while an expression is built leaves no tree to force through, so the same slip is given to Spark as SQL: it is refused under
// the same condition.
func TestSparkRefusesShapes(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	s := connect(t)
	v := expr.MemtableRows("t", mustFields("k INT, v INT, m MAP<INT, INT>, a ARRAY<INT>"), nil)
	for name, c := range map[string]struct {
		table expr.Table
		sql   string
		// theirs is Spark's condition where it is another one.
		theirs string
	}{
		"grouping without sets":           {table: v.GroupBy("k").Agg(expr.Grouping("k")), sql: "SELECT grouping(k) FROM VALUES (1) AS t(k) GROUP BY k"},
		"grouping of what is no key":      {table: v.GroupBy(expr.Rollup("k")).Agg(expr.Grouping("v")), sql: "SELECT grouping(v) FROM VALUES (1, 2) AS t(k, v) GROUP BY ROLLUP (k)"},
		"limit by a column":               {table: v.Limit(v.Num("k")), sql: "SELECT * FROM VALUES (1) AS t(k) LIMIT k"},
		"limit by a BIGINT":               {table: v.Limit(expr.Lit(int64(1)).AsNumeric().Add(1)), sql: "SELECT * FROM VALUES (1) AS t(k) LIMIT 1L + 1"},
		"limit by NULL":                   {table: v.Limit(expr.Null(datatype.Int)), sql: "SELECT * FROM VALUES (1) AS t(k) LIMIT CAST(NULL AS INT)"},
		"limit below zero":                {table: v.Limit(-1), sql: "SELECT * FROM VALUES (1) AS t(k) LIMIT -1"},
		"set operation of other widths":   {table: v.Select("k").Difference(v.Select("k", "v")), sql: "SELECT 1 EXCEPT SELECT 1, 2"},
		"set operation of other types":    {table: v.Select("k").Intersect(v.Select("a")), sql: "SELECT 1 INTERSECT SELECT array(1)"},
		"set operation of maps":           {table: v.Select("m").IntersectAll(v.Select("m")), sql: "SELECT map(1, 2) INTERSECT ALL SELECT map(1, 2)"},
		"pivot of types that do not meet": {table: v.PivotLonger([]any{"k", "a"}), sql: "SELECT array(named_struct('v', 1), named_struct('v', array(1)))"},
		"cast that cannot be":             {table: v.Cast(map[string]datatype.Type{"a": datatype.Int}), sql: "SELECT CAST(array(1) AS INT)"},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.table.Err()
			require.Error(t, err)
			program := &compiler.Program{Steps: []compiler.Step{compiler.QueryStep{SQL: c.sql}}, Mode: compiler.Batch}
			theirs := force(ctx, t, program, s)
			require.Error(t, theirs, "Spark takes it")
			want := c.theirs
			if want == "" {
				want = condition.Of(err)
			}
			require.Equal(t, want, condition.Of(theirs), theirs.Error())
		})
	}
}
