package local_test

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/stretchr/testify/require"

	"context"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/catalog"
)

// Many groups are merged in partitions, where an accumulator is asked to pass over the groups of the others. Every aggregate gives what one goroutine gives.
func TestAggregatesOfManyGroups(t *testing.T) {
	in := expr.Read("many", &hooked{fields: hookedFields, rows: func(context.Context) connector.Batches {
		return func(yield func(arrow.RecordBatch, error) bool) {
			for from := 0; from < 40_000; from += 4_000 {
				if !yield(numbered(from, 8_000), nil) { // each number comes twice
					return
				}
			}
		}
	}})
	var calls []expr.Value
	for _, f := range catalog.All() {
		if f.Kind != catalog.Aggregate || f.SparkOnly != "" || f.Name == "collect_list" || f.Name == "corr" { // a correlation of one value divides by zero, as on Spark
			continue
		}
		for _, args := range [][]any{{in.Num("k")}, {in.Num("k"), in.Num("k")}, {in.Num("k"), 0.5}} {
			if v := expr.Call[expr.AnyValue](f.Name, args...).As(f.Name); in.GroupBy("k").Agg(v).Err() == nil {
				calls = append(calls, v)
				break
			}
		}
	}
	require.Greater(t, len(calls), 30)
	table := in.GroupBy("k").Agg(calls...)
	require.NoError(t, table.Err())
	one := sorted(collect(t, open(t, local.Parallelism(1)), table))
	require.Len(t, one, 44_000)
	require.Equal(t, one, sorted(collect(t, open(t, local.Parallelism(4)), table)))
}
