package local_test

import (
	"fmt"
	"os"
	"sort"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/window"
)

type payment struct {
	CreateTime time.Time `json:"createTime"`
	Province   int32     `json:"province"`
	Amount     string    `spoonbill:"amount,decimal(12,2)"`
}

// TestKafkaToKafka runs windowed sums from topic to topic, stops half way and goes on from the checkpoint.
func TestKafkaToKafka(t *testing.T) {
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, "in"), kfake.SeedTopics(1, "out"))
	require.NoError(t, err)
	defer c.Close()
	servers := c.ListenAddrs()[0]
	cl, err := kgo.NewClient(kgo.SeedBrokers(servers), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	require.NoError(t, err)
	defer cl.Close()
	send := func(lines ...string) {
		for i, l := range lines {
			require.NoError(t, cl.ProduceSync(ctx, &kgo.Record{Topic: "in", Partition: int32(i % 2), Value: []byte(l)}).FirstErr())
		}
	}
	in := expr.Read("payments", connectors.FromKafka(servers, "in", connectors.JSON[payment](), connectors.StartingOffsets(connectors.Earliest)))
	w := in.Watermark("createTime", 10*time.Second)
	totals := w.GroupBy(window.Tumbling(w.Timestamp("createTime"), time.Minute), w.Col("province")).Agg(w.Num("amount").Sum().As("total"), expr.Count().As("n"))
	checkpoint := t.TempDir()
	run := func() {
		s := open(t)
		q, err := s.Start(ctx, totals.WriteTo(connectors.ToKafka(servers, "out", connectors.JSONOf("window STRUCT<start: TIMESTAMP, end: TIMESTAMP>, province INT, total DECIMAL(22,2), n BIGINT")).Key("province")).OutputMode(expr.Append).Checkpoint(checkpoint))
		require.NoError(t, err)
		require.NoError(t, q.ProcessAllAvailable(ctx))
		require.NoError(t, q.Stop(ctx))
	}
	send(`{"createTime":"2024-01-01T12:00:10Z","province":1,"amount":1.50}`, `{"createTime":"2024-01-01T12:00:20Z","province":2,"amount":"2.25"}`, `broken`, `{"createTime":"2024-01-01T12:00:30.5Z","province":1,"amount":0.10}`)
	run()
	send(`{"createTime":"2024-01-01T12:01:30Z","province":1,"amount":7}`, `{"createTime":"2024-01-01T12:00:59Z","province":1,"amount":0.40}`)
	run()
	send(`{"createTime":"2024-01-01T12:03:00Z","province":3,"amount":1}`)
	run()

	out := expr.Read("out", connectors.FromKafka(servers, "out", connectors.JSONOf("window STRUCT<start: TIMESTAMP, end: TIMESTAMP>, province INT, total DECIMAL(22,2), n BIGINT")))
	got := sorted(collect(t, open(t), out.Select(out.Struct("kafka").Field("key").Cast(datatype.String).As("key"), out.Col("province"), out.Col("total"), out.Col("n"))))
	require.Equal(t, []string{"1|1|2.00|3", "1|1|7.00|1", "2|2|2.25|1"}, got)
}

type event struct {
	ID   int64  `json:"id"`
	Kind string `json:"kind"`
}

// TestFilesToFiles streams JSON files into Parquet folders by kind, over restarts, and reads them back as a batch.
func TestFilesToFiles(t *testing.T) {
	in, out, checkpoint := t.TempDir(), t.TempDir(), t.TempDir()
	next := 0
	drop := func() {
		text := ""
		for range 10 {
			text += fmt.Sprintf("{\"id\":%d,\"kind\":\"k%d\"}\n", next, next%3)
			next++
		}
		require.NoError(t, os.WriteFile(fmt.Sprintf("%s/%04d.json", in, next), []byte(text), 0o644))
	}
	src := expr.Read("events", connectors.FromJSON(in, connectors.RowsOf[event](), connectors.MaxFilesPerTrigger(1)))
	even := src.Filter(src.Num("id").Mod(2).Eq(0))
	for range 3 {
		drop()
		drop()
		s := open(t, local.Parallelism(2))
		q, err := s.Start(ctx, even.WriteTo(connectors.ToParquet(out).PartitionBy("kind")).OutputMode(expr.Append).Checkpoint(checkpoint).Trigger(expr.AvailableNow()))
		require.NoError(t, err)
		require.NoError(t, q.AwaitTermination(ctx))
	}
	back := expr.Read("back", connectors.FromParquet(out, connectors.RowsDDL("id BIGINT, kind STRING")))
	got := collect(t, open(t), back)
	var want []string
	for i := 0; i < next; i += 2 {
		want = append(want, fmt.Sprintf("%d|k%d", i, i%3))
	}
	sort.Strings(want)
	require.Equal(t, want, sorted(got))
	require.Len(t, want, 30)
}
