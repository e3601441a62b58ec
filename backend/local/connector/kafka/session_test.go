package kafka_test

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
)

func send(t *testing.T, servers, topic string, from, until int) {
	t.Helper()
	kc, err := kgo.NewClient(kgo.SeedBrokers(servers), kgo.RecordPartitioner(kgo.RoundRobinPartitioner()))
	require.NoError(t, err)
	defer kc.Close()
	for i := from; i < until; i++ {
		require.NoError(t, kc.ProduceSync(t.Context(), &kgo.Record{Topic: topic, Value: fmt.Appendf(nil, `{"id":%d,"name":"n%d"}`, i, i)}).FirstErr())
	}
}

func ids(rows [][]any) []int {
	var out []int
	for _, r := range rows {
		out = append(out, int(r[0].(int64)))
	}
	sort.Ints(out)
	return out
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// TestSession reads and writes topics by way of a session, as a user does.
func TestSession(t *testing.T) {
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(3, "in"), kfake.SeedTopics(1, "out"))
	require.NoError(t, err)
	defer c.Close()
	servers := strings.Join(c.ListenAddrs(), ",")
	send(t, servers, "in", 0, 10)
	s, err := local.Open()
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	codec := connectors.JSONOf("id BIGINT, name STRING")
	checkpoint := t.TempDir()
	// Twice: the second run goes on where the first one ended.
	sink := connectors.NewMemorySink()
	for run := range 2 {
		if run == 1 {
			send(t, servers, "in", 10, 15)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		in := expr.Read("in", connectors.FromKafka(servers, "in", codec, connectors.StartingOffsets(connectors.Earliest), connectors.MaxOffsetsPerTrigger(4)))
		q, err := s.Start(ctx, in.WriteTo(sink).Checkpoint(checkpoint).Trigger(expr.AvailableNow()))
		require.NoError(t, err)
		require.NoError(t, q.AwaitTermination(ctx))
		p, err := q.LastProgress(ctx)
		require.NoError(t, err)
		require.Equal(t, "KafkaV2[Subscribe[in]]", p.Sources[0].Description)
		require.Equal(t, "0", p.Sources[0].Metrics["maxOffsetsBehindLatest"])
		require.Equal(t, string(p.Sources[0].EndOffset), string(p.Sources[0].LatestOffset))
		require.Equal(t, upTo([]int{10, 15}[run]), ids(sink.Rows()))
		cancel()
	}
	// A batch of all that there is, into a topic and out of it again.
	require.NoError(t, s.Write(t.Context(), expr.Read("in", connectors.FromKafka(servers, "in", codec).Envelope("")).WriteTo(connectors.ToKafka(servers, "out", codec).Key("name"))))
	got := connectors.NewMemorySink()
	require.NoError(t, s.Write(t.Context(), expr.Read("out", connectors.FromKafka(servers, "out", codec)).WriteTo(got)))
	require.Equal(t, upTo(15), ids(got.Rows()))

	// A stream without options begins at the latest offset.
	fresh := connectors.NewMemorySink()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	q, err := s.Start(ctx, expr.Read("in", connectors.FromKafka(servers, "in", codec)).WriteTo(fresh))
	require.NoError(t, err)
	require.NoError(t, q.ProcessAllAvailable(ctx))
	require.Empty(t, fresh.Rows())
	send(t, servers, "in", 15, 16)
	require.NoError(t, q.ProcessAllAvailable(ctx))
	require.Equal(t, []int{15}, ids(fresh.Rows()))
	require.NoError(t, q.Stop(ctx))
}
