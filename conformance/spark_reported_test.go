//go:build conformance

package conformance

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/expr"
)

// What was reported of clients of Spark Connect: rows of later batches that are lost, columns in the order of a map, and results without rows that are no tables.
func TestReportedOfClients(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	type row struct {
		ID int64 `spoonbill:"id"`
	}
	for name, s := range both(t) {
		t.Run(name, func(t *testing.T) {
			three := expr.Memtable("three", []row{{1}, {2}, {3}})

			// Three batches of a row each.
			r, err := s.Batches(ctx, three.Repartition(3, "id").Union(three).Union(three))
			require.NoError(t, err)
			var seen []int64
			batches := 0
			for b, err := range r.Batches {
				require.NoError(t, err)
				batches++
				seen = append(seen, b.Column(0).(*array.Int64).Int64Values()...)
			}
			require.ElementsMatch(t, []int64{1, 2, 3, 1, 2, 3, 1, 2, 3}, seen)
			require.Greater(t, batches, 1)

			// Columns stand in the order in which they were named, each with its own values.
			wide := three
			want := []string{"id"}
			var columns []expr.Value
			for i := range 40 {
				name := fmt.Sprintf("c%d", (i*17)%40)
				want = append(want, name)
				columns = append(columns, expr.Num("id").Add((i*17)%40).As(name))
			}
			wide = wide.Mutate(columns...)
			r, err = s.Batches(ctx, wide)
			require.NoError(t, err)
			for b, err := range r.Batches {
				require.NoError(t, err)
				var names []string
				for i, f := range b.Schema().Fields() {
					names = append(names, f.Name)
					if i > 0 {
						var n int64
						_, err := fmt.Sscanf(f.Name, "c%d", &n)
						require.NoError(t, err)
						for j, v := range b.Column(i).(*array.Int64).Int64Values() {
							require.Equal(t, b.Column(0).(*array.Int64).Value(j)+n, v, f.Name)
						}
					}
				}
				require.Equal(t, want, names)
			}

			// No rows: the columns are there all the same.
			none := wide.Filter(expr.Num("id").Gt(10))
			r, err = s.Batches(ctx, none)
			require.NoError(t, err)
			require.Len(t, r.Fields, len(want))
			for b, err := range r.Batches {
				require.NoError(t, err)
				require.Zero(t, b.NumRows())
			}
			rows, err := backend.Collect[row](ctx, s, none.Select("id"))
			require.NoError(t, err)
			require.Empty(t, rows)
		})
	}
}
