//go:build conformance

package kafka

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/internal/testenv"
)

// live is a real Kafka.
var live *testenv.Env

func TestMain(m *testing.M) { goleak.VerifyTestMain(testenv.Main(m, &live, testenv.WithoutSpark())) }

// broker gives the servers of the real Kafka, and a topic of its own.
func broker(t *testing.T, partitions int32) (servers, topic string, admin *kadm.Client) {
	t.Helper()
	servers = live.Kafka.Host
	kc, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(servers, ",")...))
	require.NoError(t, err)
	t.Cleanup(kc.Close)
	admin = kadm.NewClient(kc)
	topic = fmt.Sprintf("spoonbill-kafka-%d", time.Now().UnixNano())
	made, err := admin.CreateTopic(t.Context(), partitions, 1, nil, topic)
	require.NoError(t, err)
	require.NoError(t, made.Err)
	t.Cleanup(func() { _, _ = admin.DeleteTopics(t.Context(), topic) })
	return servers, topic, admin
}

func TestRealBrokerRoundTrip(t *testing.T) {
	servers, topic, admin := broker(t, 3)
	var rows []string
	for i := range 5000 {
		rows = append(rows, fmt.Sprintf(`{"key":"k%d","value":"v%d"}`, i%50, i))
	}
	n, err := write(t, openTo(t, servers, topic, connectors.Set("kafka.compression.type", "zstd")), "key STRING, value STRING", "["+strings.Join(rows, ",")+"]")
	require.NoError(t, err)
	require.EqualValues(t, 5000, n)
	env := connector.Env{Streaming: true, BatchRows: 700, Parallelism: 2}
	s := open(t, env, servers, topic, connectors.StartingOffsets(connectors.Earliest), connectors.MaxOffsetsPerTrigger(900))
	at := initial(t, s)
	seen := map[string]bool{}
	epochs := 0
	for {
		end := latest(t, s, at)
		if string(end) == string(at) {
			break
		}
		for _, v := range values(t, s, at, end) {
			require.False(t, seen[v])
			seen[v] = true
		}
		at = end
		epochs++
	}
	require.Len(t, seen, 5000)
	require.Greater(t, epochs, 4)

	// Records are removed under a position.
	_, err = admin.DeleteRecords(t.Context(), kadm.Offsets{topic: {0: {Topic: topic, Partition: 0, At: 10}}})
	require.NoError(t, err)
	_, err = values2(t, s, fmt.Sprintf(`{"%s":{"0":0}}`, topic), fmt.Sprintf(`{"%s":{"0":20}}`, topic))
	requireCondition(t, err, condition.KafkaRangeLost, "[0, 20)")
}

// TestRealBrokerTransactions reads a topic whose offsets have gaps and whose end is a transaction's marker.
func TestRealBrokerTransactions(t *testing.T) {
	servers, topic, _ := broker(t, 1)
	kc, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(servers, ",")...), kgo.TransactionalID(topic), kgo.DefaultProduceTopic(topic))
	require.NoError(t, err)
	defer kc.Close()
	for i, commit := range []kgo.TransactionEndTry{kgo.TryCommit, kgo.TryAbort, kgo.TryCommit, kgo.TryAbort} {
		require.NoError(t, kc.BeginTransaction())
		require.NoError(t, kc.ProduceSync(t.Context(), kgo.StringRecord(fmt.Sprint("a", i)), kgo.StringRecord(fmt.Sprint("b", i))).FirstErr())
		require.NoError(t, kc.EndTransaction(t.Context(), commit))
	}
	for level, want := range map[string][2]int{"read_committed": {4, 1}, "read_uncommitted": {8, 3}} {
		s := open(t, connector.Env{BatchRows: 100}, servers, topic, connectors.Set("kafka.isolation.level", level))
		at := initial(t, s)
		// The marker of an abort may follow its answer a moment later.
		var end connector.Offset
		require.Eventually(t, func() bool {
			end, err = s.Latest(t.Context(), at, true)
			return err == nil && string(end) == fmt.Sprintf(`{"%s":{"0":12}}`, topic)
		}, 20*time.Second, 50*time.Millisecond)
		require.Len(t, values(t, s, at, end), want[0], level)
		inside, err := values2(t, s, fmt.Sprintf(`{"%s":{"0":2}}`, topic), fmt.Sprintf(`{"%s":{"0":7}}`, topic))
		require.NoError(t, err)
		require.Len(t, inside, want[1], "a range that ends inside the gaps: %s", level)
	}
}

func TestRealBrokerUnknownTopic(t *testing.T) {
	servers, topic, _ := broker(t, 1)
	_, err := open(t, stream, servers, topic+"-nope").Initial(t.Context())
	requireCondition(t, err, condition.UnknownTopic, topic+"-nope")
}

// LiveKafka gives the servers of the real Kafka to the tests outside the package.
func LiveKafka() string { return live.Kafka.Host }

// The epochs of queries that share a topic: a start does not wait for the transaction of another query.
func TestRealBrokerEpochsOfManyQueries(t *testing.T) {
	servers, topic, admin := broker(t, 1)
	defer func() { _, _ = admin.DeleteTopics(context.Background(), topic+"-epochs") }()
	epochsOfManyQueries(t, servers, topic, topic+"-epochs")
}

// A sink that writes exactly once and is killed at its calls to a real Kafka.
func TestRealBrokerExactlyOnceKilledAnywhere(t *testing.T) {
	servers, topic, admin := broker(t, 1)
	killedAnywhere(t, servers, func(name string) {
		made, err := admin.CreateTopic(t.Context(), 1, 1, nil, name)
		require.NoError(t, err)
		require.NoError(t, made.Err)
		t.Cleanup(func() { _, _ = admin.DeleteTopics(context.Background(), name, name+"-epochs") })
	}, 5)

	// Two producers of one id, and a transaction that takes longer than it may.
	first, second := openOnce(t, servers, topic, topic, "query"), openOnce(t, servers, topic, topic, "query")
	t.Cleanup(func() { _, _ = admin.DeleteTopics(context.Background(), topic+"-epochs") })
	_, err := writeEpoch(t, first, 0, "a")
	require.NoError(t, err)
	_, err = writeEpoch(t, second, 1, "b")
	require.NoError(t, err)
	_, err = writeEpoch(t, first, 1, "zombie")
	requireCondition(t, err, condition.ConcurrentStreamLog, "another producer", topic)
	fields, rows := jsonRows(t, "value STRING", `[{"value":"slow"}]`, `[{"value":"er"}]`)
	_, err = openOnce(t, servers, topic, topic, "query", connectors.TransactionTimeout(time.Second)).Write(t.Context(), 2, tree.Append, fields, func(yield func(arrow.RecordBatch, error) bool) {
		for rec := range rows {
			if !yield(rec, nil) {
				return
			}
			time.Sleep(15 * time.Second) // brokers look every ten
		}
	})
	requireCondition(t, err, condition.ConcurrentStreamLog, "longer than 1s", "TransactionTimeout")
	require.Equal(t, []string{"a", "b"}, committed(t, servers, topic))
}
