package kafka

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// brief makes calls give up within about a second.
var brief = []connectors.Option{
	connectors.Set("kafka.default.api.timeout.ms", "400"), connectors.Set("fetchOffset.numRetries", "2"), connectors.Set("fetchOffset.retryIntervalMs", "10"),
}

func TestBounds(t *testing.T) {
	s := open(t, stream, "localhost:1", "t")
	require.Equal(t, 30*time.Second, s.client.budget(), "a first contact")
	require.Equal(t, 30*time.Second, s.client.pollBudget())
	s.client.reached.Store(true)
	require.Equal(t, 2*time.Minute, s.client.budget(), "an outage later on")
	require.Equal(t, 2*time.Minute, s.client.pollBudget())
	s = open(t, stream, "localhost:1", "t", connectors.Set("fetchOffset.numRetries", "1"), connectors.PollTimeout(5*time.Second))
	require.Equal(t, 10*time.Second, s.client.budget())
	require.Equal(t, 5*time.Second, s.client.pollBudget())
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func TestDeadBroker(t *testing.T) {
	servers := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	s := open(t, stream, servers, "t", brief...)
	began := time.Now()
	_, err := s.Initial(t.Context())
	requireCondition(t, err, condition.ConnectorFailed, servers, "kafka.bootstrap.servers", "refused")
	require.Less(t, time.Since(began), 10*time.Second)
	_, err = s.Latest(t.Context(), offset(`{"t":{"0":0}}`), false)
	requireCondition(t, err, condition.ConnectorFailed, servers)
	s = open(t, stream, servers, "t", append(brief, connectors.PollTimeout(300*time.Millisecond))...)
	_, err = values2(t, s, `{"t":{"0":0}}`, `{"t":{"0":9}}`)
	requireCondition(t, err, condition.ConnectorFailed, servers, "t-0")

	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = open(t, stream, servers, "t").Initial(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded, "the caller's own bound goes first")
	requireCondition(t, err, condition.ConnectorFailed, servers, "topic t", "refused", "context")
	ctx, cancel = context.WithTimeout(t.Context(), 700*time.Millisecond)
	defer cancel()
	columns, one := jsonRows(t, "value STRING", `[{"value":"x"}]`)
	_, err = openTo(t, servers, "out").Write(ctx, 0, tree.Append, columns, one)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	requireCondition(t, err, condition.ConnectorFailed, servers, "topic out", "refused")
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	_, err = open(t, stream, servers, "t").Initial(ctx)
	require.Equal(t, context.Canceled, err, "who stops a call knows why")
}

func values2(t *testing.T, s *source, start, end string) ([]string, error) {
	t.Helper()
	return tryValues(t, s, offset(start), offset(end))
}

// TestSilentBroker connects to what accepts connections and answers nothing, as a wrong port often does.
func TestSilentBroker(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		var conns []net.Conn
		for {
			c, err := l.Accept()
			if err != nil {
				for _, c := range conns {
					_ = c.Close()
				}
				return
			}
			conns = append(conns, c)
		}
	}()
	defer func() { <-done }()
	defer l.Close()
	s := open(t, stream, l.Addr().String(), "t", brief...)
	began := time.Now()
	_, err = s.Initial(t.Context())
	requireCondition(t, err, condition.ConnectorFailed, l.Addr().String())
	require.Less(t, time.Since(began), 25*time.Second)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = open(t, stream, l.Addr().String(), "t").Initial(ctx)
	requireCondition(t, err, condition.ConnectorFailed, l.Addr().String(), "topic t")
}

func TestMissingTopic(t *testing.T) {
	c, servers := cluster(t, kfake.SeedTopics(1, "t"))
	began := time.Now()
	_, err := open(t, stream, servers, "t,absent").Initial(t.Context())
	requireCondition(t, err, condition.UnknownTopic, "UNKNOWN_TOPIC_OR_PARTITION", `"absent"`, servers, "Create it")
	require.Less(t, time.Since(began), 10*time.Second)
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Metadata}, Topic: "t", Err: kerr.InvalidTopicException})
	_, err = open(t, stream, servers, "t").Initial(t.Context())
	requireCondition(t, err, condition.InvalidOption, "name of a Kafka topic")
}

// TestTopicThatComes creates the topic while the source looks for it.
func TestTopicThatComes(t *testing.T) {
	c, servers := cluster(t)
	s := open(t, stream, servers, "late")
	seen := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Metadata}, Observe: true, Count: -1})
	go func() {
		if seen.Wait(t.Context(), 1) == nil {
			_ = c.CreateTopic("late", 1, nil)
		}
	}()
	require.Equal(t, `{"late":{"0":0}}`, string(initial(t, s)))
}

// restartable starts brokers that can be stopped and started again with what they had.
func restartable(t *testing.T, opts ...kfake.Opt) (stop, start func(), servers string) {
	t.Helper()
	port, dir := freePort(t), t.TempDir()
	var c *kfake.Cluster
	stop = func() {
		if c != nil {
			c.Close()
			c = nil
		}
	}
	start = func() {
		var err error
		for range 50 { // the port may take a moment to be free
			if c, err = kfake.NewCluster(append([]kfake.Opt{kfake.Ports(port), kfake.DataDir(dir)}, opts...)...); err == nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Errorf("the brokers do not come back: %v", err)
	}
	start()
	t.Cleanup(func() { stop() })
	return stop, start, fmt.Sprintf("127.0.0.1:%d", port)
}

// TestBrokerComesBack stops the brokers while an epoch is read and before the next one is made.
func TestBrokerComesBack(t *testing.T) {
	stop, start, servers := restartable(t, kfake.SeedTopics(2, "t"))
	const n = 400
	for i := range 40 { // small batches, so that one fetch does not bring all
		fill(t, servers, "t", 0, i*n/40, n/40)
		fill(t, servers, "t", 1, i*n/40, n/40)
	}
	env := connector.Env{Streaming: true, BatchRows: 10, Parallelism: 2}
	s := open(t, env, servers, "t", connectors.StartingOffsets(connectors.Earliest), connectors.Set("kafka.max.partition.fetch.bytes", "500"))
	from := initial(t, s)
	until := latest(t, s, from)
	rows, err := s.Read(t.Context(), from, until, connector.Projection{})
	require.NoError(t, err)
	var got []string
	var stopped bool
	for rec, err := range rows {
		require.NoError(t, err)
		for _, l := range lines(rec, s.cols.names) {
			got = append(got, strings.Split(l, "|")[1])
		}
		rec.Release()
		if len(got) >= n/4 && !stopped {
			stopped = true
			stop()
			back := make(chan struct{})
			go func() {
				defer close(back)
				time.Sleep(400 * time.Millisecond)
				start()
			}()
			defer func() { <-back }()
		}
	}
	require.True(t, stopped)
	require.Equal(t, append(texts("t", 0, 0, n), texts("t", 1, 0, n)...), got, "nothing is lost and nothing doubled")

	stop()
	back := make(chan struct{})
	go func() {
		defer close(back)
		time.Sleep(300 * time.Millisecond)
		start()
	}()
	require.Equal(t, string(until), string(latest(t, s, until)))
	<-back
	fill(t, servers, "t", 1, n, 5)
	next := latest(t, s, until)
	require.Equal(t, texts("t", 1, n, n+5), values(t, s, until, next))
}

// TestFaults has brokers refuse requests for the reasons that pass.
func TestFaults(t *testing.T) {
	c, servers := cluster(t, kfake.NumBrokers(2), kfake.SeedTopics(2, "t"))
	fill(t, servers, "t", 0, 0, 10)
	fill(t, servers, "t", 1, 0, 10)
	want := append(texts("t", 0, 0, 10), texts("t", 1, 0, 10)...)
	for _, e := range []*kerr.Error{kerr.NotLeaderForPartition, kerr.LeaderNotAvailable, kerr.FencedLeaderEpoch, kerr.UnknownTopicOrPartition, kerr.KafkaStorageError, kerr.OffsetNotAvailable} {
		t.Run(e.Message, func(t *testing.T) {
			s := open(t, stream, servers, "t", connectors.StartingOffsets(connectors.Earliest))
			f := c.Fault(
				kfake.Fault{Keys: []kmsg.Key{kmsg.ListOffsets}, Topic: "t", Partitions: []int32{1}, Err: e, Count: 2},
				kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: "t", Err: e, Count: 2},
			)
			defer f.Remove()
			from := initial(t, s)
			require.Equal(t, want, values(t, s, from, latest(t, s, from)))
		})
	}
	t.Run("moved", func(t *testing.T) {
		s := open(t, stream, servers, "t", connectors.StartingOffsets(connectors.Earliest))
		from := initial(t, s)
		until := latest(t, s, from)
		for _, p := range c.PartitionInfos("t") {
			require.NoError(t, c.MoveTopicPartition("t", p.Partition, 1-p.Leader))
		}
		require.Equal(t, want, values(t, s, from, until))
	})
	t.Run("forbidden", func(t *testing.T) {
		s := open(t, stream, servers, "t")
		f := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Metadata, kmsg.ListOffsets}, Topic: "t", Err: kerr.TopicAuthorizationFailed, Count: -1})
		defer f.Remove()
		began := time.Now()
		_, err := s.Initial(t.Context())
		requireCondition(t, err, condition.ConnectorFailed, "TOPIC_AUTHORIZATION_FAILED", "rights")
		require.Less(t, time.Since(began), 10*time.Second)
	})
}

func TestDataLoss(t *testing.T) {
	c, servers := cluster(t, kfake.SeedTopics(1, "t", "gone"))
	fill(t, servers, "t", 0, 0, 10)
	fill(t, servers, "t", 0, 10, 10)
	fill(t, servers, "gone", 0, 0, 5)
	strict := open(t, stream, servers, "t", brief...)
	tolerant := open(t, stream, servers, "t", append(brief, connectors.FailOnDataLoss(false))...)
	require.NoError(t, c.DeleteRecords("t", 0, 12))

	_, err := values2(t, strict, `{"t":{"0":3}}`, `{"t":{"0":15}}`)
	requireCondition(t, err, condition.KafkaRangeLost, "t-0", "[3, 15)", "[12, 20)", "failOnDataLoss")
	require.ErrorIs(t, err, &condition.Error{Condition: condition.KafkaDataLoss})
	got, err := values2(t, tolerant, `{"t":{"0":3}}`, `{"t":{"0":15}}`)
	require.NoError(t, err)
	require.Equal(t, texts("t", 0, 12, 15), got)
	got, err = values2(t, tolerant, `{"t":{"0":3}}`, `{"t":{"0":8}}`)
	require.NoError(t, err)
	require.Empty(t, got)

	// The topic has less than the checkpoint says: it was made anew.
	_, err = values2(t, strict, `{"t":{"0":30}}`, `{"t":{"0":40}}`)
	requireCondition(t, err, condition.KafkaRangeLost, "[30, 40)")
	got, err = values2(t, tolerant, `{"t":{"0":30}}`, `{"t":{"0":40}}`)
	require.NoError(t, err)
	require.Empty(t, got)
	end, err := strict.Latest(t.Context(), offset(`{"t":{"0":30}}`), false)
	require.NoError(t, err)
	_, err = values2(t, strict, `{"t":{"0":30}}`, string(end))
	requireCondition(t, err, condition.KafkaOffsetChanged, "30", "20")
	got, err = values2(t, tolerant, `{"t":{"0":30}}`, string(end))
	require.NoError(t, err)
	require.Empty(t, got)

	// Partitions that went, and one that came without its first records.
	_, err = values2(t, strict, `{"t":{"0":20},"old":{"0":1}}`, `{"t":{"0":20}}`)
	requireCondition(t, err, condition.KafkaPartitionDeleted, "old-0")
	got, err = values2(t, tolerant, `{"t":{"0":19},"old":{"0":1}}`, `{"t":{"0":20}}`)
	require.NoError(t, err)
	require.Equal(t, texts("t", 0, 19, 20), got)
	_, err = values2(t, strict, `{}`, `{"t":{"0":20}}`)
	requireCondition(t, err, condition.KafkaLateStart, "t-0", "12")
	got, err = values2(t, tolerant, `{}`, `{"t":{"0":20}}`)
	require.NoError(t, err)
	require.Equal(t, texts("t", 0, 12, 20), got)
	require.NoError(t, c.DeleteTopic("gone"))
	_, err = values2(t, strict, `{"gone":{"0":1}}`, `{"gone":{"0":5}}`)
	requireCondition(t, err, condition.KafkaPartitionDeleted, "gone-0", "[1, 5)")
	got, err = values2(t, tolerant, `{"gone":{"0":1},"t":{"0":19}}`, `{"gone":{"0":5},"t":{"0":20}}`)
	require.NoError(t, err)
	require.Equal(t, texts("t", 0, 19, 20), got)
	got, err = values2(t, tolerant, `{"t":{"0":19}}`, `{"gone":{"0":5},"t":{"0":20}}`)
	require.NoError(t, err)
	require.Equal(t, texts("t", 0, 19, 20), got)
	// A checkpoint that is none of ours.
	for _, text := range []string{`17`, `{"t":{"0":-1}}`, `{"t":{"x":1}}`} {
		_, err = values2(t, strict, text, `{"t":{"0":20}}`)
		requireCondition(t, err, condition.CheckpointCorrupt)
		_, err = strict.Latest(t.Context(), offset(text), false)
		requireCondition(t, err, condition.CheckpointCorrupt)
	}
}

// TestTransactions reads ranges that end in control records, which are no rows.
func TestTransactions(t *testing.T) {
	_, servers := cluster(t, kfake.SeedTopics(1, "t"))
	kc, err := kgo.NewClient(kgo.SeedBrokers(servers), kgo.TransactionalID("x"), kgo.DefaultProduceTopic("t"))
	require.NoError(t, err)
	defer kc.Close()
	for i := range 4 {
		require.NoError(t, kc.BeginTransaction())
		require.NoError(t, kc.ProduceSync(t.Context(), kgo.StringRecord(fmt.Sprint(2*i)), kgo.StringRecord(fmt.Sprint(2*i+1))).FirstErr())
		require.NoError(t, kc.EndTransaction(t.Context(), kgo.TransactionEndTry(i != 2)))
	}
	all := open(t, stream, servers, "t", connectors.StartingOffsets(connectors.Earliest))
	from := initial(t, all)
	until := latest(t, all, from)
	require.Equal(t, `{"t":{"0":12}}`, string(until))
	require.Equal(t, []string{"0", "1", "2", "3", "4", "5", "6", "7"}, values(t, all, from, until))
	require.Empty(t, values(t, all, offset(`{"t":{"0":11}}`), until), "the last offset is a marker")
	committed := open(t, stream, servers, "t", connectors.Set("kafka.isolation.level", "read_committed"))
	require.Equal(t, []string{"0", "1", "2", "3", "6", "7"}, values(t, committed, from, until))
}

// compacted is a record batch of offsets 0 to 9 of which compaction left three.
func compacted(offsets ...int32) []byte {
	rb := kmsg.RecordBatch{PartitionLeaderEpoch: -1, Magic: 2, LastOffsetDelta: 9, ProducerID: -1, ProducerEpoch: -1, FirstSequence: -1, NumRecords: int32(len(offsets))}
	for _, o := range offsets {
		r := kmsg.Record{OffsetDelta: o, Value: fmt.Appendf(nil, "t-0/%d", o)}
		body := r.AppendTo(nil)
		r.Length = int32(len(body) - 1)
		rb.Records = r.AppendTo(rb.Records)
	}
	raw := rb.AppendTo(nil)
	rb.Length = int32(len(raw) - 12)
	raw = rb.AppendTo(nil)
	rb.CRC = int32(crc32.Checksum(raw[21:], crc32.MakeTable(crc32.Castagnoli)))
	return rb.AppendTo(nil)
}

// TestCompaction reads a range whose last records compaction took.
func TestCompaction(t *testing.T) {
	c, servers := cluster(t, kfake.SeedTopics(1, "t"))
	fill(t, servers, "t", 0, 0, 10)
	s := open(t, stream, servers, "t", connectors.StartingOffsets(connectors.Earliest))
	c.ControlKey(int16(kmsg.Fetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		q := req.(*kmsg.FetchRequest)
		resp := q.ResponseKind().(*kmsg.FetchResponse)
		rt := kmsg.NewFetchResponseTopic()
		rt.Topic, rt.TopicID = q.Topics[0].Topic, q.Topics[0].TopicID
		rp := kmsg.NewFetchResponseTopicPartition()
		rp.HighWatermark, rp.LastStableOffset, rp.LogStartOffset = 10, 10, 0
		rp.RecordBatches = compacted(1, 4, 7)
		rt.Partitions = append(rt.Partitions, rp)
		resp.Topics = append(resp.Topics, rt)
		return resp, nil, true
	})
	require.Equal(t, []string{"t-0/1", "t-0/4", "t-0/7"}, values(t, s, offset(`{"t":{"0":0}}`), offset(`{"t":{"0":10}}`)))
	require.Equal(t, []string{"t-0/4"}, values(t, s, offset(`{"t":{"0":2}}`), offset(`{"t":{"0":6}}`)))
	require.Empty(t, values(t, s, offset(`{"t":{"0":8}}`), offset(`{"t":{"0":10}}`)))
}

// TestLeaderBehind asks a leader that has not got the last records yet, and one that never gets them.
func TestLeaderBehind(t *testing.T) {
	_, servers := cluster(t, kfake.SeedTopics(1, "t"))
	fill(t, servers, "t", 0, 0, 3)
	s := open(t, stream, servers, "t")
	go func() {
		time.Sleep(200 * time.Millisecond)
		fill(t, servers, "t", 0, 3, 3)
	}()
	require.Equal(t, texts("t", 0, 0, 6), values(t, s, offset(`{"t":{"0":0}}`), offset(`{"t":{"0":6}}`)))
	s = open(t, stream, servers, "t", connectors.PollTimeout(500*time.Millisecond))
	_, err := values2(t, s, `{"t":{"0":6}}`, `{"t":{"0":9}}`)
	requireCondition(t, err, condition.ConnectorFailed, "without a record", "[6, 9)")
	s = open(t, stream, servers, "t")
	began := time.Now()
	_, err = values2(t, s, `{"t":{"0":6}}`, `{"t":{"0":9}}`)
	requireCondition(t, err, condition.KafkaRangeLost, "[6, 9)", "[0, 6)")
	require.Less(t, time.Since(began), 20*time.Second)
}

func TestSASL(t *testing.T) {
	const secret = "s3cr\"et\\ pass;word"
	_, servers := cluster(t, kfake.EnableSASL(), kfake.SeedTopics(1, "t"), kfake.Superuser("PLAIN", "ann", secret), kfake.Superuser("SCRAM-SHA-256", "bob", secret), kfake.Superuser("SCRAM-SHA-512", "cy", secret))
	for _, x := range []struct {
		m    connectors.SASLMechanism
		user string
	}{{connectors.Plain, "ann"}, {connectors.ScramSHA256, "bob"}, {connectors.ScramSHA512, "cy"}} {
		t.Run(string(x.m), func(t *testing.T) {
			s := open(t, stream, servers, "t", connectors.SASL(x.m, x.user, secret, false)...)
			require.Equal(t, `{"t":{"0":0}}`, string(initial(t, s)))
			wrong := open(t, stream, servers, "t", append(brief, connectors.SASL(x.m, x.user, "wr0ng-"+secret, false)...)...)
			_, err := wrong.Initial(t.Context())
			requireCondition(t, err, condition.ConnectorFailed, "password")
			requireNoSecret(t, err, secret, "wr0ng")
		})
	}
	_, err := open(t, stream, servers, "t", brief...).Initial(t.Context())
	requireCondition(t, err, condition.ConnectorFailed, "kafka.security.protocol")
	broken := connectors.Set("kafka.sasl.jaas.config", `Module required username="ann" password="`+secret)
	for _, opts := range [][]connectors.Option{
		{connectors.Set("kafka.security.protocol", "SASL_SSL"), connectors.Set("kafka.sasl.mechanism", "PLAIN"), broken},
		{connectors.Set("kafka.security.protocol", "SASL_SSL"), connectors.Set("kafka.sasl.mechanism", "GSSAPI"), connectors.SASL(connectors.Plain, "ann", secret, true)[2]},
		{connectors.Set("kafka.security.protocol", "SASL_SSL"), broken},
		{connectors.Set("kafka.ssl.key.password", secret)},
	} {
		_, err := tryOpen(stream, servers, "t", opts...)
		requireCondition(t, err, condition.InvalidOption)
		requireNoSecret(t, err, secret)
	}
}

// requireNoSecret looks for secrets in every way that an error or a source prints.
func requireNoSecret(t *testing.T, v any, secrets ...string) {
	t.Helper()
	var text strings.Builder
	for _, f := range []string{"%v", "%+v", "%#v", "%s"} {
		fmt.Fprintf(&text, f, v)
	}
	if err, ok := v.(error); ok {
		for ; err != nil; err = errors.Unwrap(err) {
			fmt.Fprintf(&text, "%v %#v", err, err)
		}
	}
	for _, s := range secrets {
		require.NotContains(t, text.String(), s)
	}
}

func TestSafe(t *testing.T) {
	c := &config{secrets: []string{"hunter2"}}
	require.Equal(t, "login failed for x:***", c.safe(errors.New("login failed for x:hunter2")).Error())
	require.Equal(t, io.EOF, c.safe(io.EOF))
	require.NoError(t, c.safe(nil))
}

func TestJAAS(t *testing.T) {
	for text, want := range map[string]map[string]string{
		`a.b.PlainLoginModule required username="ann" password="p";`:                   {"username": "ann", "password": "p"},
		"x required\n\tusername='an \"n' password=\"a\\\"b\\\\c;=d\" tokenauth=true ;": {"username": `an "n`, "password": `a"b\c;=d`, "tokenauth": "true"},
		`x required;`: {},
	} {
		got, err := parseJAAS(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got)
	}
	for _, text := range []string{"", "x", "x required username=a", `x required username="a;`, `x required username;`, `x required =a b;`} {
		_, err := parseJAAS(text)
		require.Error(t, err, text)
	}
}

func TestOptions(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none.pem")
	junk := filepath.Join(t.TempDir(), "junk.pem")
	require.NoError(t, os.WriteFile(junk, []byte("junk"), 0o600))
	for _, x := range []struct {
		opts []connectors.Option
		want string
	}{
		{[]connectors.Option{connectors.Set("kafka.sasl.login.callback.handler.class", "x.Y")}, "kafka.sasl.login.callback.handler.class"},
		{[]connectors.Option{connectors.Set("kafka.ssl.truststore.type", "JKS")}, "PEM"},
		{[]connectors.Option{connectors.Set("kafka.ssl.truststore.location", none)}, "kafka.ssl.truststore.location"},
		{[]connectors.Option{connectors.Set("kafka.ssl.ca", junk)}, "PEM"},
		{[]connectors.Option{connectors.Set("kafka.security.protocol", "KERBEROS")}, "kafka.security.protocol"},
		{[]connectors.Option{connectors.Set("kafka.isolation.level", "none")}, "kafka.isolation.level"},
		{[]connectors.Option{connectors.Set("kafka.fetch.max.bytes", "lots")}, "kafka.fetch.max.bytes"},
		{[]connectors.Option{connectors.Set("maxTriggerDelay", "soon")}, "maxTriggerDelay"},
		{[]connectors.Option{connectors.Raw("failOnDataLoss", "maybe")}, "failOnDataLoss"},
		{[]connectors.Option{connectors.Raw("maxOffsetsPerTrigger", "0")}, "maxOffsetsPerTrigger"},
		{[]connectors.Option{connectors.Raw("fetchOffset.numRetries", "x")}, "fetchOffset.numRetries"},
	} {
		_, err := tryOpen(stream, "h:1", "t", x.opts...)
		requireCondition(t, err, condition.InvalidOption, x.want)
	}
	_, err := tryOpen(stream, "h", "t")
	requireCondition(t, err, condition.InvalidOption, "host:port")
	s := open(t, stream, "h:1, g:2", "t", connectors.GroupID("g"), connectors.Set("kafka.CLIENT.id", "me"), connectors.Set("kafka.session.timeout.ms", "1000"),
		connectors.Set("kafka.fetch.max.bytes", "1000"), connectors.Set("kafka.max.partition.fetch.bytes", "700"), connectors.MinPartitions(4))
	require.Equal(t, []string{"h:1", "g:2"}, s.client.cfg.seeds)
	require.Equal(t, "me", s.client.cfg.clientID)
	require.Equal(t, int32(700), s.client.cfg.fetchBytes)
}
