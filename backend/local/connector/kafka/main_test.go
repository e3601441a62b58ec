package kafka

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// cluster starts brokers in this process.
func cluster(t *testing.T, opts ...kfake.Opt) (*kfake.Cluster, string) {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1)}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c, strings.Join(c.ListenAddrs(), ",")
}

// produce writes records in order; each goes to the partition that it names.
func produce(t *testing.T, servers string, records ...*kgo.Record) {
	t.Helper()
	kc, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(servers, ",")...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	require.NoError(t, err)
	defer kc.Close()
	require.NoError(t, kc.ProduceSync(t.Context(), records...).FirstErr())
}

// fill writes n records into a partition, whose values are "topic-partition/number" from the number first on.
func fill(t *testing.T, servers, topic string, partition int32, first, n int) {
	t.Helper()
	records := make([]*kgo.Record, n)
	for i := range records {
		records[i] = &kgo.Record{Topic: topic, Partition: partition, Value: fmt.Appendf(nil, "%s-%d/%d", topic, partition, first+i)}
	}
	produce(t, servers, records...)
}

func texts(topic string, partition, from, until int) []string {
	var out []string
	for i := from; i < until; i++ {
		out = append(out, fmt.Sprintf("%s-%d/%d", topic, partition, i))
	}
	return out
}

var stream = connector.Env{Streaming: true, BatchRows: 7, Parallelism: 3}

// open opens a source; its memory is checked at the end of the test.
func open(t *testing.T, env connector.Env, servers, topic string, opts ...connectors.Option) *source {
	t.Helper()
	s, err := tryOpen(env, servers, topic, opts...)
	require.NoError(t, err)
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	s.mem = mem
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		mem.AssertSize(t, 0)
	})
	return s
}

func tryOpen(env connector.Env, servers, topic string, opts ...connectors.Option) (*source, error) {
	d, err := connectors.FromKafka(servers, topic, connectors.Codec{}, opts...).Source()
	if err != nil {
		return nil, err
	}
	s, err := connector.OpenSource(context.Background(), env, d)
	if err != nil {
		return nil, err
	}
	return s.(*source), nil
}

// read gives the rows of a range as Spark's texts, the columns joined by "|".
func read(t *testing.T, s *source, start, end connector.Offset, p connector.Projection) ([]string, error) {
	t.Helper()
	rows, err := s.Read(t.Context(), start, end, p)
	if err != nil {
		return nil, err
	}
	var out []string
	for rec, err := range rows {
		if err != nil {
			return out, err
		}
		require.LessOrEqual(t, int(rec.NumRows()), s.env.BatchRows)
		out = append(out, lines(rec, s.cols.names)...)
		rec.Release()
	}
	return out, nil
}

func lines(rec arrow.RecordBatch, names []string) []string {
	out := make([]string, rec.NumRows())
	for i := range out {
		for j, name := range names {
			if j > 0 {
				out[i] += "|"
			}
			if backend.IsNull(rec.Column(j), i) {
				out[i] += "NULL"
				continue
			}
			for _, x := range fieldsOf(true) {
				if x.Name == name {
					out[i] += backend.Format(rec.Column(j), i, x.Type, time.UTC)
				}
			}
		}
	}
	return out
}

// values reads a range's values alone.
func values(t *testing.T, s *source, start, end connector.Offset) []string {
	t.Helper()
	out, err := tryValues(t, s, start, end)
	require.NoError(t, err)
	return out
}

func tryValues(t *testing.T, s *source, start, end connector.Offset) ([]string, error) {
	t.Helper()
	all, err := read(t, s, start, end, connector.Projection{Columns: []int{1}})
	for i := range all {
		all[i] = strings.Split(all[i], "|")[1]
	}
	return all, err
}

func initial(t *testing.T, s *source) connector.Offset {
	t.Helper()
	o, err := s.Initial(t.Context())
	require.NoError(t, err)
	return o
}

func latest(t *testing.T, s *source, start connector.Offset) connector.Offset {
	t.Helper()
	o, err := s.Latest(t.Context(), start, false)
	require.NoError(t, err)
	return o
}

func requireCondition(t *testing.T, err error, name string, parts ...string) {
	t.Helper()
	require.Error(t, err)
	require.Equal(t, name, condition.Of(err), "%v", err)
	for _, p := range parts {
		require.Contains(t, err.Error(), p)
	}
}

func offset(text string) connector.Offset { return connector.Offset(text) }
