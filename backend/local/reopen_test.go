package local_test

import (
	"context"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/expr"
)

// A subquery that runs for each row of a table reads its source again, and does not open it again.
func TestSubqueryKeepsItsSource(t *testing.T) {
	opened, reads := 0, 0
	inner := expr.Read("inner", &hooked{fields: hookedFields, open: func() error { opened++; return nil }, rows: func(context.Context) connector.Batches {
		return func(yield func(arrow.RecordBatch, error) bool) {
			reads++
			yield(numbered(0, 100), nil)
		}
	}})
	outer := expr.Memtable("outer", []struct {
		K int32 `spoonbill:"k"`
	}{{3}, {7}, {11}, {11}, {400}})
	// Correlation below a limit stays row by row.
	next := inner.Filter(inner.Num("k").Gt(outer.Num("k"))).OrderBy("k").Limit(1).Select("k")
	table := outer.Select("k", next.AsScalar().As("next")).OrderBy("k")
	require.NoError(t, table.Err())
	require.Equal(t, []string{"3|4", "7|8", "11|12", "11|12", "400|NULL"}, collect(t, open(t), table))
	require.Greater(t, reads, 3)
	require.Equal(t, 1, opened)
}
