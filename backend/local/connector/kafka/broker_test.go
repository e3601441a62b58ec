package kafka

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// broker gives the servers of a real Kafka, which KAFKA_BROKERS names, and a topic of its own.
func broker(t *testing.T, partitions int32) (servers, topic string, admin *kadm.Client) {
	t.Helper()
	servers = os.Getenv("KAFKA_BROKERS")
	if servers == "" {
		t.Skip("KAFKA_BROKERS names no Kafka")
	}
	cl, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(servers, ",")...))
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	admin = kadm.NewClient(cl)
	topic = fmt.Sprintf("spoonbill-io-%d", time.Now().UnixNano())
	made, err := admin.CreateTopic(t.Context(), partitions, 1, nil, topic)
	require.NoError(t, err)
	require.NoError(t, made.Err)
	t.Cleanup(func() { _, _ = admin.DeleteTopics(t.Context(), topic) })
	return servers, topic, admin
}

func TestRealBrokerRoundTrip(t *testing.T) {
	servers, topic, admin := broker(t, 3)
	fields := fieldsOf(t, "key STRING, value STRING")
	var rows []string
	for i := range 5000 {
		rows = append(rows, fmt.Sprintf(`{"key":"k%d","value":"v%d"}`, i%50, i))
	}
	sink := &tree.Sink{Format: "kafka", Options: settings(servers, "topic", topic, "kafka.compression.type", "zstd")}
	n, err := write(t, sink, fields, batches(t, fields, rows...))
	require.NoError(t, err)
	require.EqualValues(t, 5000, n)
	s := open(t, connector.Env{Streaming: true, BatchRows: 700}, settings(servers, "subscribe", topic, "startingOffsets", "earliest", "maxOffsetsPerTrigger", "900"))
	at, err := s.Initial(t.Context())
	require.NoError(t, err)
	seen := map[string]int{}
	epochs := 0
	for {
		end, err := s.Latest(t.Context(), at, false)
		require.NoError(t, err)
		if string(end) == string(at) {
			break
		}
		for _, v := range values(t, s, at, end) {
			seen[v[strings.IndexByte(v, '=')+1:]]++
		}
		at = end
		epochs++
	}
	require.Len(t, seen, 5000)
	require.Greater(t, epochs, 4)

	// Records are removed under a position.
	_, err = admin.DeleteRecords(t.Context(), kadm.Offsets{topic: {0: {Topic: topic, Partition: 0, At: 10}}})
	require.NoError(t, err)
	b, err := s.Read(t.Context(), connector.Offset(fmt.Sprintf(`{"%s":{"0":0}}`, topic)), connector.Offset(fmt.Sprintf(`{"%s":{"0":20}}`, topic)), connector.Projection{})
	require.NoError(t, err)
	_, err = collect(b)
	require.Equal(t, "KAFKA_DATA_LOSS.COULD_NOT_READ_OFFSET_RANGE", condition.Of(err))
}

// TestRealBrokerTransactions reads a topic whose offsets have gaps and whose end is a transaction's marker.
func TestRealBrokerTransactions(t *testing.T) {
	servers, topic, _ := broker(t, 1)
	cl, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(servers, ",")...), kgo.TransactionalID(topic), kgo.DefaultProduceTopic(topic))
	require.NoError(t, err)
	defer cl.Close()
	for i, commit := range []kgo.TransactionEndTry{kgo.TryCommit, kgo.TryAbort, kgo.TryCommit, kgo.TryAbort} {
		require.NoError(t, cl.BeginTransaction())
		require.NoError(t, cl.ProduceSync(t.Context(), kgo.StringRecord(fmt.Sprint("a", i)), kgo.StringRecord(fmt.Sprint("b", i))).FirstErr())
		require.NoError(t, cl.EndTransaction(t.Context(), commit))
	}
	for level, want := range map[string]int{"read_committed": 4, "read_uncommitted": 8} {
		s := open(t, connector.Env{}, settings(servers, "subscribe", topic, "kafka.isolation.level", level, "kafkaConsumer.pollTimeoutMs", "20000"))
		at, err := s.Initial(t.Context())
		require.NoError(t, err)
		// The marker of an abort may follow its answer a moment later.
		var end connector.Offset
		require.Eventually(t, func() bool {
			end, err = s.Latest(t.Context(), at, true)
			return err == nil && string(end) == fmt.Sprintf(`{"%s":{"0":12}}`, topic)
		}, 20*time.Second, 50*time.Millisecond)
		require.Len(t, values(t, s, at, end), want, level)
		// A range that ends inside the gaps.
		require.Len(t, values(t, s, connector.Offset(fmt.Sprintf(`{"%s":{"0":2}}`, topic)), connector.Offset(fmt.Sprintf(`{"%s":{"0":7}}`, topic))), map[string]int{"read_committed": 1, "read_uncommitted": 3}[level])
	}
}

func TestRealBrokerUnknownTopic(t *testing.T) {
	servers, topic, _ := broker(t, 1)
	s := open(t, connector.Env{Streaming: true}, settings(servers, "subscribe", topic+"-nope"))
	_, err := s.Initial(t.Context())
	require.Equal(t, condition.UnknownTopic, condition.Of(err))
}
