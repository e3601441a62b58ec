//go:build conformance

package sparkconnect_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/sparkconnect"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/window"
)

// Spark takes history in one epoch whatever the rate limit, drops none of it as late, and goes on from there with its state.
func TestLiveBackfill(t *testing.T) {
	ctx, s := connect(t, sparkconnect.Config("spark.sql.shuffle.partitions", "1"))
	dir := env.Dir(t)
	require.NoError(t, os.Mkdir(dir+"/in", 0o777))
	require.NoError(t, os.Chmod(dir+"/in", 0o777))
	put := func(name, text string, age time.Duration) {
		write(t, dir+"/in/"+name, text)
		at := time.Now().Add(-age)
		require.NoError(t, os.Chtimes(dir+"/in/"+name, at, at))
	}
	// The newest rows lie in the oldest files.
	put("a.json", "{\"ts\":\"2024-01-01T00:10:01Z\",\"v\":1}\n", 3*time.Minute)
	put("b.json", "{\"ts\":\"2024-01-01T00:10:02Z\",\"v\":1}\n", 2*time.Minute)
	put("c.json", "{\"ts\":\"2024-01-01T00:00:01Z\",\"v\":5}\n", time.Minute)
	in := expr.Read("events", jsonFiles(t, dir+"/in", "ts TIMESTAMP, v INT", tree.Option{Key: "maxFilesPerTrigger", Value: "1"})).Watermark("ts", 5*time.Second)
	sums := in.GroupBy(window.Tumbling(in.Timestamp("ts"), 10*time.Second)).Agg(in.Num("v").Sum().As("total"))
	q, err := backend.Backfill(ctx, s, sums.WriteTo(parquetFiles(dir+"/out")).Checkpoint(dir+"/ck"))
	require.NoError(t, err)
	put("d.json", "{\"ts\":\"2024-01-01T00:10:03Z\",\"v\":2}\n", 0)
	require.NoError(t, q.ProcessAllAvailable(ctx))
	put("e.json", "{\"ts\":\"2024-01-01T00:11:00Z\",\"v\":9}\n", 0)
	require.NoError(t, q.ProcessAllAvailable(ctx))
	recent, err := q.RecentProgress(ctx)
	require.NoError(t, err)
	require.EqualValues(t, 1, recent[0].BatchID, "batch 0 was the history's")
	rows := int64(0)
	for _, p := range recent {
		rows += p.NumInputRows
		for _, o := range p.StateOperators {
			require.Zero(t, o.NumRowsDroppedByWatermark)
		}
	}
	require.EqualValues(t, 2, rows, "of the two files that came behind the history")
	require.NoError(t, q.Stop(ctx))
	type row struct {
		Window struct{ Start, End time.Time }
		Total  int64
	}
	out, err := backend.Collect[row](ctx, s, expr.Read("out", source{tree.Source{Format: "parquet", Path: dir + "/out", Fields: fieldsOf(t, "`window` STRUCT<`start`: TIMESTAMP, `end`: TIMESTAMP>, total BIGINT"), Batch: true}}).OrderBy("window"))
	require.NoError(t, err)
	require.Len(t, out, 2)
	require.EqualValues(t, 5, out[0].Total)
	require.EqualValues(t, 4, out[1].Total, "with the state of the history")
}
