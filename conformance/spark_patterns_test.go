//go:build conformance

package conformance

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// Spark does not read the clause that package pattern has the words of, so that tables with patterns are refused for it. When it does, this test tells that they need not be any more.
func TestSparkHasNoPatterns(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	sql := `SELECT * FROM VALUES (1, TIMESTAMP '2024-01-01 00:00:00') AS t(x, at)
MATCH_RECOGNIZE (ORDER BY at MEASURES FIRST(a.x) AS x ONE ROW PER MATCH PATTERN (a b*) DEFINE b AS b.x > PREV(b.x))`
	r, err := connect(t).Batches(ctx, expr.SQL(sql, mustFields("x INT"), nil))
	if err == nil {
		for _, e := range r.Batches {
			err = e
		}
	}
	require.ErrorIs(t, err, &condition.Error{Condition: condition.ParseSyntaxError})
}
