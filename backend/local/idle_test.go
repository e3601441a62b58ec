package local_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/window"
)

// BenchmarkEpochWithoutData is an epoch that closes a window and reads nothing, behind one with a row.
func BenchmarkEpochWithoutData(b *testing.B) {
	for _, store := range []int{0, 1} {
		b.Run([]string{"memory", "disk"}[store], func(b *testing.B) {
			f := newFeed(b, "at TIMESTAMP")
			p := expr.Read("in", f).Watermark("at", time.Second)
			table := p.GroupBy(window.Tumbling(p.Timestamp("at"), time.Second)).Agg(expr.Count().As("n"))
			q, err := open(b, storeOf(store)).Start(ctx, table.WriteTo(newCollector()).Checkpoint(b.TempDir()))
			require.NoError(b, err)
			at := clock("12:00:00")
			var took, epochs int64
			for b.Loop() {
				at = at.Add(10 * time.Second)
				f.add([]any{at})
				require.NoError(b, q.ProcessAllAvailable(ctx))
			}
			progress, err := q.RecentProgress(ctx)
			require.NoError(b, err)
			for _, x := range progress {
				if x.NumInputRows == 0 {
					took += x.BatchDuration
					epochs++
				}
			}
			b.ReportMetric(float64(took)/float64(max(epochs, 1)), "ms/epoch")
			require.NoError(b, q.Stop(ctx))
		})
	}
}
