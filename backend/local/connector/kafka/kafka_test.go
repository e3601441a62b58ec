package kafka

import (
	"context"
	"fmt"
	"net"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	fmtjson "github.com/spoonbill-go/spoonbill/backend/local/format/json"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const providerDDL = "key BINARY, value BINARY, topic STRING NOT NULL, partition INT NOT NULL, offset BIGINT NOT NULL, timestamp TIMESTAMP NOT NULL, timestampType INT NOT NULL"

const headersDDL = ", headers ARRAY<STRUCT<key: STRING, value: BINARY>>"

func cluster(t testing.TB, opts ...kfake.Opt) (*kfake.Cluster, string) {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1)}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c, strings.Join(c.ListenAddrs(), ",")
}

func settings(servers string, kv ...string) tree.Options {
	o := tree.Options{}.With(tree.Option{Key: "kafka.bootstrap.servers", Value: servers})
	for i := 0; i < len(kv); i += 2 {
		o = o.With(tree.Option{Key: kv[i], Value: kv[i+1]})
	}
	return o
}

func fieldsOf(t testing.TB, ddl string) []datatype.Field {
	t.Helper()
	f, err := datatype.ParseFields(ddl)
	require.NoError(t, err)
	return f
}

func open(t testing.TB, env connector.Env, o tree.Options) connector.Source {
	t.Helper()
	s, err := connector.OpenSource(t.Context(), env, &tree.Source{Format: "kafka", Options: o, Fields: fieldsOf(t, providerDDL+headersDDL)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func produce(t testing.TB, servers string, recs ...*kgo.Record) {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(servers, ",")...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	require.NoError(t, err)
	defer cl.Close()
	require.NoError(t, cl.ProduceSync(t.Context(), recs...).FirstErr())
}

func rec(topic string, part int32, value string) *kgo.Record {
	return &kgo.Record{Topic: topic, Partition: part, Value: []byte(value)}
}

// values reads a range and gives topic-partition@offset=value, sorted.
func values(t testing.TB, s connector.Source, start, end connector.Offset) []string {
	t.Helper()
	b, err := s.Read(t.Context(), start, end, connector.Projection{})
	require.NoError(t, err)
	out, err := collect(b)
	require.NoError(t, err)
	sort.Strings(out)
	return out
}

func collect(b connector.Batches) ([]string, error) {
	var out []string
	for r, err := range b {
		if err != nil {
			return out, err
		}
		v, topic := r.Column(1).(*array.Binary), r.Column(2).(*array.String)
		part, off := r.Column(3).(*array.Int32), r.Column(4).(*array.Int64)
		for i := range int(r.NumRows()) {
			out = append(out, fmt.Sprintf("%s-%d@%d=%s", topic.Value(i), part.Value(i), off.Value(i), v.Value(i)))
		}
		r.Release()
	}
	return out, nil
}

func TestStream(t *testing.T) {
	c, servers := cluster(t, kfake.SeedTopics(2, "t"))
	produce(t, servers, rec("t", 0, "a"), rec("t", 0, "b"), rec("t", 1, "c"))
	s := open(t, connector.Env{Streaming: true}, settings(servers, "subscribe", "t", "startingOffsets", "earliest"))
	ctx := t.Context()
	at, err := s.Initial(ctx)
	require.NoError(t, err)
	require.Equal(t, `{"t":{"0":0,"1":0}}`, string(at))
	end, err := s.Latest(ctx, at, false)
	require.NoError(t, err)
	require.Equal(t, `{"t":{"0":2,"1":1}}`, string(end))
	first := values(t, s, at, end)
	require.Equal(t, []string{"t-0@0=a", "t-0@1=b", "t-1@0=c"}, first)
	require.NoError(t, s.Commit(ctx, end))

	// Nothing new: the same offset, byte for byte.
	same, err := s.Latest(ctx, end, false)
	require.NoError(t, err)
	require.Equal(t, string(end), string(same))

	// The next epoch goes on, and an epoch that is asked again gives the same rows.
	produce(t, servers, rec("t", 1, "d"), rec("t", 0, "e"))
	next, err := s.Latest(ctx, end, false)
	require.NoError(t, err)
	require.Equal(t, []string{"t-0@2=e", "t-1@1=d"}, values(t, s, end, next))
	require.Equal(t, first, values(t, s, at, end))
	require.Equal(t, []string{"t-0@2=e", "t-1@1=d"}, values(t, s, end, next))

	// A partition of a range alone: what lies beyond waits for its turn.
	require.Equal(t, []string{"t-0@0=a"}, values(t, s, at, connector.Offset(`{"t":{"0":1,"1":0}}`)))
	require.Equal(t, []string{"t-0@1=b"}, values(t, s, connector.Offset(`{"t":{"0":1,"1":0}}`), connector.Offset(`{"t":{"0":2,"1":0}}`)))
	require.Equal(t, []string{"t-1@0=c"}, values(t, s, connector.Offset(`{"t":{"0":2,"1":0}}`), end))

	m := s.Metrics()
	require.Equal(t, "0", m["maxOffsetsBehindLatest"])
	require.Equal(t, string(next), m["latestOffset"])
	require.Equal(t, "KafkaV2[Subscribe[t]]", s.Description())

	// New partitions are read from their beginning.
	cl, err := kgo.NewClient(kgo.SeedBrokers(servers))
	require.NoError(t, err)
	defer cl.Close()
	resp, err := kadm.NewClient(cl).CreatePartitions(ctx, 1, "t")
	require.NoError(t, err)
	require.NoError(t, resp.Error())
	produce(t, servers, rec("t", 2, "new"))
	// The client asks for the topic's shape every few seconds only.
	var grown connector.Offset
	require.Eventually(t, func() bool {
		grown, err = s.Latest(ctx, next, false)
		return err == nil && string(grown) == `{"t":{"0":3,"1":2,"2":1}}`
	}, 20*time.Second, 50*time.Millisecond)
	require.Equal(t, []string{"t-2@0=new"}, values(t, s, next, grown))
	_ = c
}

func TestColumnsAndHeaders(t *testing.T) {
	_, servers := cluster(t, kfake.SeedTopics(1, "t"))
	at := time.UnixMilli(1_700_000_000_123)
	produce(t, servers,
		&kgo.Record{Topic: "t", Key: []byte("k"), Value: []byte("v"), Timestamp: at, Headers: []kgo.RecordHeader{{Key: "h", Value: []byte("x")}, {Key: "h2"}}},
		&kgo.Record{Topic: "t", Timestamp: at})
	s := open(t, connector.Env{}, settings(servers, "subscribe", "t"))
	start, err := s.Initial(t.Context())
	require.NoError(t, err)
	end, err := s.Latest(t.Context(), start, true)
	require.NoError(t, err)
	b, err := s.Read(t.Context(), start, end, connector.Projection{})
	require.NoError(t, err)
	rows := 0
	for r, err := range b {
		require.NoError(t, err)
		rows += int(r.NumRows())
		key, value := r.Column(0).(*array.Binary), r.Column(1).(*array.Binary)
		require.Equal(t, "k", string(key.Value(0)))
		require.True(t, key.IsNull(1))
		require.True(t, value.IsNull(1), "a tombstone's value is null")
		require.EqualValues(t, at.UnixMicro(), r.Column(5).(*array.Timestamp).Value(0))
		require.EqualValues(t, 0, r.Column(6).(*array.Int32).Value(0))
		h := r.Column(7).(*array.List)
		require.True(t, h.IsNull(1), "no headers are null")
		from, to := h.ValueOffsets(0)
		require.EqualValues(t, 2, to-from)
		entries := h.ListValues().(*array.Struct)
		require.Equal(t, "h2", entries.Field(0).(*array.String).Value(1))
		require.True(t, entries.Field(1).IsNull(1))
		r.Release()
	}
	require.Equal(t, 2, rows)

	// What is not read is null, and only that.
	b, err = s.Read(t.Context(), start, end, connector.Projection{Columns: []int{4}})
	require.NoError(t, err)
	for r, err := range b {
		require.NoError(t, err)
		require.EqualValues(t, 2, r.Column(1).NullN())
		require.Zero(t, r.Column(4).NullN())
		r.Release()
	}
}

func TestRateLimitIsShared(t *testing.T) {
	_, servers := cluster(t, kfake.SeedTopics(3, "t"))
	var recs []*kgo.Record
	for i := range 100 {
		recs = append(recs, rec("t", 0, strconv.Itoa(i)))
	}
	for i := range 10 {
		recs = append(recs, rec("t", 1, strconv.Itoa(i)))
	}
	recs = append(recs, rec("t", 2, "x"))
	produce(t, servers, recs...)
	s := open(t, connector.Env{Streaming: true}, settings(servers, "subscribe", "t", "startingOffsets", "earliest", "maxOffsetsPerTrigger", "20"))
	at, err := s.Initial(t.Context())
	require.NoError(t, err)
	end, err := s.Latest(t.Context(), at, false)
	require.NoError(t, err)
	// 20 × 100/111 = 18.01, 20 × 10/111 = 1.8, 20 × 1/111 < 1: at least one.
	require.Equal(t, `{"t":{"0":18,"1":1,"2":1}}`, string(end))
	require.Equal(t, "91", s.Metrics()["offsetsBehindLatest"])
	require.Len(t, values(t, s, at, end), 20)
	all, err := s.Latest(t.Context(), at, true)
	require.NoError(t, err)
	require.Equal(t, `{"t":{"0":100,"1":10,"2":1}}`, string(all))
	require.Len(t, values(t, s, end, all), 91)

	// Available-now stops at what was there.
	a := open(t, connector.Env{Streaming: true}, settings(servers, "subscribe", "t", "startingOffsets", "earliest", "maxOffsetsPerTrigger", "60"))
	require.NoError(t, a.(connector.AvailableNow).PrepareAvailableNow(t.Context()))
	produce(t, servers, rec("t", 0, "late"))
	at, err = a.Initial(t.Context())
	require.NoError(t, err)
	seen, steps := 0, 0
	for {
		end, err := a.Latest(t.Context(), at, false)
		require.NoError(t, err)
		if string(end) == string(at) {
			break
		}
		seen += len(values(t, a, at, end))
		at = end
		steps++
	}
	require.Equal(t, 111, seen)
	require.Equal(t, 2, steps)
}

func TestMinOffsetsWait(t *testing.T) {
	_, servers := cluster(t, kfake.SeedTopics(1, "t"))
	now := time.Unix(1000, 0)
	s := open(t, connector.Env{Streaming: true, Now: func() time.Time { return now }}, settings(servers, "subscribe", "t", "startingOffsets", "earliest", "minOffsetsPerTrigger", "3", "maxTriggerDelay", "10s"))
	at, err := s.Initial(t.Context())
	require.NoError(t, err)
	produce(t, servers, rec("t", 0, "a"), rec("t", 0, "b"))
	end, err := s.Latest(t.Context(), at, false)
	require.NoError(t, err)
	require.Equal(t, string(at), string(end))
	now = now.Add(11 * time.Second)
	end, err = s.Latest(t.Context(), at, false)
	require.NoError(t, err)
	require.Equal(t, `{"t":{"0":2}}`, string(end))
}

func TestStartingAndEnding(t *testing.T) {
	_, servers := cluster(t, kfake.SeedTopics(2, "t"))
	stamp := func(p int32, v string, ms int64) *kgo.Record {
		r := rec("t", p, v)
		r.Timestamp = time.UnixMilli(ms)
		return r
	}
	produce(t, servers, stamp(0, "a", 1000), stamp(0, "b", 2000), stamp(0, "c", 3000), stamp(1, "d", 1500), stamp(1, "e", 2500))
	for _, c := range []struct {
		stream     bool
		kv         []string
		start, end string
	}{
		{false, nil, `{"t":{"0":0,"1":0}}`, `{"t":{"0":3,"1":2}}`},
		{true, nil, `{"t":{"0":3,"1":2}}`, `{"t":{"0":3,"1":2}}`},
		{false, []string{"startingOffsets", `{"t":{"0":1,"1":-2}}`, "endingOffsets", `{"t":{"0":2,"1":-1}}`}, `{"t":{"0":1,"1":0}}`, `{"t":{"0":2,"1":2}}`},
		{true, []string{"startingOffsets", `{"t":{"0":-1,"1":1}}`}, `{"t":{"0":3,"1":1}}`, `{"t":{"0":3,"1":2}}`},
		{false, []string{"startingTimestamp", "2000", "endingTimestamp", "2600"}, `{"t":{"0":1,"1":1}}`, `{"t":{"0":2,"1":2}}`},
		{false, []string{"startingOffsetsByTimestamp", `{"t":{"0":3000,"1":0}}`}, `{"t":{"0":2,"1":0}}`, `{"t":{"0":3,"1":2}}`},
		{false, []string{"startingTimestamp", "9000", "startingOffsetsByTimestampStrategy", "latest"}, `{"t":{"0":3,"1":2}}`, `{"t":{"0":3,"1":2}}`},
	} {
		s := open(t, connector.Env{Streaming: c.stream}, settings(servers, append([]string{"subscribe", "t"}, c.kv...)...))
		at, err := s.Initial(t.Context())
		require.NoError(t, err, "%v", c.kv)
		require.Equal(t, c.start, string(at), "%v", c.kv)
		end, err := s.Latest(t.Context(), at, true)
		require.NoError(t, err)
		require.Equal(t, c.end, string(end), "%v", c.kv)
	}
	for _, kv := range [][]string{
		{"startingTimestamp", "9000"}, {"startingOffsets", `{"t":{"0":1}}`}, {"startingOffsets", `{"t":{"0":1,"1":0,"2":0}}`}, {"startingOffsets", `{"u":{"0":1}}`},
	} {
		s := open(t, connector.Env{}, settings(servers, append([]string{"subscribe", "t"}, kv...)...))
		_, err := s.Initial(t.Context())
		require.Equal(t, condition.InvalidOption, condition.Of(err), "%v: %v", kv, err)
	}
}

func TestPatternAndAssign(t *testing.T) {
	_, servers := cluster(t, kfake.SeedTopics(1, "pay-1", "pay-2", "other"), kfake.SeedTopics(2, "two"))
	produce(t, servers, rec("pay-1", 0, "a"), rec("pay-2", 0, "b"), rec("other", 0, "c"), rec("two", 1, "d"))
	s := open(t, connector.Env{}, settings(servers, "subscribePattern", "pay-.*"))
	at, err := s.Initial(t.Context())
	require.NoError(t, err)
	end, err := s.Latest(t.Context(), at, true)
	require.NoError(t, err)
	require.Equal(t, []string{"pay-1-0@0=a", "pay-2-0@0=b"}, values(t, s, at, end))
	s = open(t, connector.Env{}, settings(servers, "assign", `{"two":[1]}`))
	at, err = s.Initial(t.Context())
	require.NoError(t, err)
	end, err = s.Latest(t.Context(), at, true)
	require.NoError(t, err)
	require.Equal(t, []string{"two-1@0=d"}, values(t, s, at, end))
	s = open(t, connector.Env{}, settings(servers, "assign", `{"two":[7]}`))
	_, err = s.Initial(t.Context())
	require.Equal(t, condition.UnknownTopic, condition.Of(err))
}

func TestUnknownTopic(t *testing.T) {
	_, servers := cluster(t)
	s := open(t, connector.Env{Streaming: true}, settings(servers, "subscribe", "nope"))
	_, err := s.Initial(t.Context())
	require.Equal(t, condition.UnknownTopic, condition.Of(err))
	require.Contains(t, err.Error(), "nope")
	require.Contains(t, err.Error(), "Create it")
}

func TestDeadBroker(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := l.Addr().String()
	require.NoError(t, l.Close())
	begin := time.Now()
	o := settings(addr, "subscribe", "t", "topic", "t", "kafka.default.api.timeout.ms", "1500", "kafka.max.block.ms", "1500")
	_, err = connector.OpenSource(t.Context(), connector.Env{}, &tree.Source{Format: "kafka", Options: o, Fields: fieldsOf(t, providerDDL)})
	require.Equal(t, condition.ConnectorFailed, condition.Of(err))
	require.Contains(t, err.Error(), addr)
	_, err = connector.OpenSink(t.Context(), connector.Env{}, &tree.Sink{Format: "kafka", Options: o})
	require.Equal(t, condition.ConnectorFailed, condition.Of(err))
	require.Less(t, time.Since(begin), 10*time.Second)
}

func TestDataLoss(t *testing.T) {
	for _, fail := range []bool{true, false} {
		c, servers := cluster(t, kfake.SeedTopics(1, "t"))
		for i := range 5 {
			produce(t, servers, rec("t", 0, strconv.Itoa(i)))
		}
		s := open(t, connector.Env{Streaming: true}, settings(servers, "subscribe", "t", "startingOffsets", "earliest", "failOnDataLoss", strconv.FormatBool(fail)))
		at, err := s.Initial(t.Context())
		require.NoError(t, err)
		end, err := s.Latest(t.Context(), at, false)
		require.NoError(t, err)
		require.NoError(t, c.DeleteRecords("t", 0, 3))
		b, err := s.Read(t.Context(), at, end, connector.Projection{})
		require.NoError(t, err)
		rows, err := collect(b)
		if fail {
			require.Equal(t, "KAFKA_DATA_LOSS.COULD_NOT_READ_OFFSET_RANGE", condition.Of(err))
			require.Contains(t, err.Error(), "failOnDataLoss")
		} else {
			require.NoError(t, err)
			require.Equal(t, []string{"t-0@3=3", "t-0@4=4"}, rows)
		}

		// The topic is made anew: its end lies before the position.
		require.NoError(t, c.DeleteTopic("t"))
		require.NoError(t, c.CreateTopic("t", 1, nil))
		s = open(t, connector.Env{Streaming: true}, settings(servers, "subscribe", "t", "failOnDataLoss", strconv.FormatBool(fail)))
		_, err = s.Latest(t.Context(), end, false)
		if fail {
			require.Equal(t, "KAFKA_DATA_LOSS.PARTITION_OFFSET_CHANGED", condition.Of(err))
		} else {
			require.NoError(t, err)
		}
	}
}

// TestBrokerComesBack stops the only broker while an epoch is read and starts it again with its data.
func TestBrokerComesBack(t *testing.T) {
	dir := t.TempDir()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "t"), kfake.DataDir(dir), kfake.SyncWrites())
	require.NoError(t, err)
	addr := c.ListenAddrs()[0]
	_, port, err := net.SplitHostPort(addr)
	require.NoError(t, err)
	number, err := strconv.Atoi(port)
	require.NoError(t, err)
	for i := range 10 {
		produce(t, addr, rec("t", 0, strconv.Itoa(i)))
	}
	s := open(t, connector.Env{Streaming: true, BatchRows: 2}, settings(addr, "subscribe", "t", "startingOffsets", "earliest"))
	at, err := s.Initial(t.Context())
	require.NoError(t, err)
	end, err := s.Latest(t.Context(), at, false)
	require.NoError(t, err)
	c.Close()
	back := make(chan *kfake.Cluster, 1)
	go func() {
		time.Sleep(700 * time.Millisecond)
		c2, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.Ports(number), kfake.DataDir(dir))
		if err != nil {
			close(back)
			return
		}
		back <- c2
	}()
	rows := values(t, s, at, end)
	require.Len(t, rows, 10)
	c2, ok := <-back
	require.True(t, ok, "the broker did not come back")
	defer c2.Close()
	produce(t, addr, rec("t", 0, "after"))
	next, err := s.Latest(t.Context(), end, false)
	require.NoError(t, err)
	require.Equal(t, []string{"t-0@10=after"}, values(t, s, end, next))
}

func TestCancelledRead(t *testing.T) {
	c, servers := cluster(t, kfake.SeedTopics(1, "t"))
	produce(t, servers, rec("t", 0, "a"))
	s := open(t, connector.Env{}, settings(servers, "subscribe", "t"))
	ctx, cancel := context.WithCancel(t.Context())
	// An end that never comes.
	b, err := s.Read(ctx, connector.Offset(`{"t":{"0":0}}`), connector.Offset(`{"t":{"0":5}}`), connector.Projection{})
	require.NoError(t, err)
	time.AfterFunc(100*time.Millisecond, cancel)
	_, err = collect(b)
	require.ErrorIs(t, err, context.Canceled)

	slow := open(t, connector.Env{}, settings(servers, "subscribe", "t", "kafkaConsumer.pollTimeoutMs", "300"))
	b, err = slow.Read(t.Context(), connector.Offset(`{"t":{"0":0}}`), connector.Offset(`{"t":{"0":5}}`), connector.Projection{})
	require.NoError(t, err)
	_, err = collect(b)
	require.Equal(t, condition.ConnectorFailed, condition.Of(err))
	require.Contains(t, err.Error(), `{"t":{"0":1}}`)
	_ = c
}

func batches(t testing.TB, fields []datatype.Field, rows ...string) connector.Batches {
	t.Helper()
	d, err := fmtjson.NewDecoder(fields, fmtjson.Options{}, nil)
	require.NoError(t, err)
	require.NoError(t, d.Lines([]byte(strings.Join(rows, "\n"))))
	r, err := d.Batch()
	require.NoError(t, err)
	return func(yield func(arrow.RecordBatch, error) bool) { yield(r, nil) }
}

func write(t testing.TB, sink *tree.Sink, fields []datatype.Field, b connector.Batches) (int64, error) {
	t.Helper()
	s, err := connector.OpenSink(t.Context(), connector.Env{}, sink)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	return s.Write(t.Context(), 0, tree.Append, fields, b)
}

func TestSink(t *testing.T) {
	_, servers := cluster(t, kfake.SeedTopics(3, "t", "u"))
	fields := fieldsOf(t, "key STRING, value BINARY, topic STRING, partition INT, headers ARRAY<STRUCT<key: STRING, value: BINARY>>")
	n, err := write(t, &tree.Sink{Format: "kafka", Options: settings(servers)}, fields, batches(t, fields,
		`{"key":"k","value":"YQ==","topic":"t","partition":2,"headers":[{"key":"h","value":"eA=="},{"key":"n"}]}`,
		`{"value":"Yg==","topic":"u","partition":1}`, `{"key":"z","topic":"u","partition":0}`))
	require.NoError(t, err)
	require.EqualValues(t, 3, n)
	s := open(t, connector.Env{}, settings(servers, "subscribe", "t,u"))
	at, err := s.Initial(t.Context())
	require.NoError(t, err)
	end, err := s.Latest(t.Context(), at, true)
	require.NoError(t, err)
	require.Equal(t, []string{"t-2@0=a", "u-0@0=", "u-1@0=b"}, values(t, s, at, end))

	// The option goes before the column.
	_, err = write(t, &tree.Sink{Format: "kafka", Options: settings(servers, "topic", "u")}, fields, batches(t, fields, `{"value":"Yw==","topic":"t","partition":2}`))
	require.NoError(t, err)
	all, err := s.Latest(t.Context(), end, true)
	require.NoError(t, err)
	require.Equal(t, []string{"u-2@0=c"}, values(t, s, end, all))

	for _, c := range []struct{ ddl, row, cond string }{
		{"value STRING", `{"value":"x"}`, condition.InvalidOption},
		{"value STRING, topic STRING", `{"value":"x"}`, condition.InvalidValue},
		{"other STRING, topic STRING", `{"topic":"t"}`, condition.UnresolvedColumn},
		{"value INT, topic STRING", `{"topic":"t"}`, condition.DatatypeMismatch},
		{"value STRING, topic STRING, partition BIGINT", `{"topic":"t"}`, condition.DatatypeMismatch},
		{"value STRING, topic STRING, headers STRING", `{"topic":"t"}`, condition.DatatypeMismatch},
		{"value STRING, topic STRING, partition INT", `{"topic":"t","value":"x","partition":-4}`, condition.InvalidValue},
	} {
		f := fieldsOf(t, c.ddl)
		_, err := write(t, &tree.Sink{Format: "kafka", Options: settings(servers)}, f, batches(t, f, c.row))
		require.Equal(t, c.cond, condition.Of(err), c.ddl)
	}
}

func TestSinkUnknownTopic(t *testing.T) {
	_, servers := cluster(t)
	fields := fieldsOf(t, "value STRING")
	_, err := write(t, &tree.Sink{Format: "kafka", Options: settings(servers, "topic", "nope")}, fields, batches(t, fields, `{"value":"x"}`))
	require.Equal(t, condition.UnknownTopic, condition.Of(err))
}

func TestSinkFailsTheEpoch(t *testing.T) {
	_, servers := cluster(t, kfake.SeedTopics(1, "t"))
	fields := fieldsOf(t, "value STRING")
	boom := condition.Newf(condition.DivideByZero, "Division by zero.")
	_, err := write(t, &tree.Sink{Format: "kafka", Options: settings(servers, "topic", "t")}, fields, func(yield func(arrow.RecordBatch, error) bool) { yield(nil, boom) })
	require.ErrorIs(t, err, boom)
}

func TestSASL(t *testing.T) {
	jaas := func(user, pass string) string {
		return fmt.Sprintf(`org.apache.kafka.common.security.scram.ScramLoginModule required username="%s" password="%s";`, user, pass)
	}
	for _, m := range []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"} {
		_, servers := cluster(t, kfake.EnableSASL(), kfake.Superuser(m, "joe", `se"cret`))
		o := settings(servers, "subscribe", "t", "kafka.security.protocol", "SASL_PLAINTEXT", "kafka.sasl.mechanism", m, "kafka.default.api.timeout.ms", "3000",
			"kafka.sasl.jaas.config", jaas("joe", `se\"cret`))
		s, err := connector.OpenSource(t.Context(), connector.Env{}, &tree.Source{Format: "kafka", Options: o, Fields: fieldsOf(t, providerDDL)})
		require.NoError(t, err, m)
		require.NoError(t, s.Close())
		o = o.With(tree.Option{Key: "kafka.sasl.jaas.config", Value: jaas("joe", "hunter22")})
		_, err = connector.OpenSource(t.Context(), connector.Env{}, &tree.Source{Format: "kafka", Options: o, Fields: fieldsOf(t, providerDDL)})
		require.Equal(t, condition.ConnectorFailed, condition.Of(err), m)
		require.NotContains(t, err.Error(), "hunter22")
	}
}

func TestOptions(t *testing.T) {
	for _, kv := range [][]string{
		nil, {"subscribe", "t", "assign", `{"t":[0]}`}, {"subscribe", " , "}, {"subscribePattern", "("}, {"assign", "[]"}, {"assign", `{"t":[-1]}`},
		{"subscribe", "t", "startingOffsets", "latest"}, {"subscribe", "t", "endingOffsets", "earliest"}, {"subscribe", "t", "endingOffsets", `{"t":{"0":-2}}`},
		{"subscribe", "t", "startingOffsets", `{"t":{"0":-3}}`}, {"subscribe", "t", "startingOffsets", "soon"}, {"subscribe", "t", "maxOffsetsPerTrigger", "-1"},
		{"subscribe", "t", "minOffsetsPerTrigger", "9", "maxOffsetsPerTrigger", "3"}, {"subscribe", "t", "failOnDataLoss", "maybe"},
		{"subscribe", "t", "kafka.nonsense", "1"}, {"subscribe", "t", "kafka.sasl.mechanism", "PLAIN"}, {"subscribe", "t", "kafka.security.protocol", "X"},
		{"subscribe", "t", "maxTriggerDelay", "x"}, {"subscribe", "t", "kafka.acks", "1"}, {"subscribe", "t", "kafka.compression.type", "x"},
	} {
		_, err := connector.OpenSource(t.Context(), connector.Env{}, &tree.Source{Format: "kafka", Options: settings("127.0.0.1:1", kv...), Fields: fieldsOf(t, providerDDL)})
		require.Equal(t, condition.InvalidOption, condition.Of(err), "%v", kv)
	}
}

func FuzzOffsets(f *testing.F) {
	f.Add([]byte(`{"topic":{"0":12,"1":-2}}`))
	f.Add([]byte(`{"a\"b":{"0":9223372036854775807}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		o, err := parseOffsets(text)
		if err != nil {
			return
		}
		again, err := parseOffsets(o.json())
		require.NoError(t, err)
		require.Equal(t, o, again)
	})
}
