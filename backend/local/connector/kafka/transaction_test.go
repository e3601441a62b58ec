package kafka

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
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

// openOnce opens a sink that writes exactly once, of a query.
func openOnce(t *testing.T, servers, topic, id, query string, opts ...connectors.Option) *sink {
	t.Helper()
	d, err := connectors.ToKafka(servers, topic, connectors.Codec{}, append(opts, connectors.ExactlyOnce(id))...).Sink()
	require.NoError(t, err)
	env := stream
	env.QueryID = query
	s, err := connector.OpenSink(t.Context(), env, d)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s.(*sink)
}

// writeEpoch writes values as an epoch.
func writeEpoch(t *testing.T, s *sink, epoch int64, values ...string) (int64, error) {
	t.Helper()
	return writeEpochFor(t.Context(), t, s, epoch, values...)
}

func writeEpochFor(ctx context.Context, t *testing.T, s *sink, epoch int64, values ...string) (int64, error) {
	t.Helper()
	var batches []string
	for _, v := range values {
		batches = append(batches, fmt.Sprintf(`[{"value":%q}]`, v))
	}
	fields, rows := jsonRows(t, "value STRING", batches...)
	return s.Write(ctx, epoch, tree.Append, fields, rows)
}

// committed reads what a reader of committed records sees of a topic, partition after partition.
func committed(t *testing.T, servers, topic string) []string {
	t.Helper()
	s := open(t, connector.Env{BatchRows: 1000}, servers, topic, connectors.ReadCommitted())
	start := initial(t, s)
	return values(t, s, start, latest(t, s, start))
}

func TestExactlyOnce(t *testing.T) {
	t.Parallel()
	_, servers := cluster(t, kfake.SeedTopics(1, "t"))
	s := openOnce(t, servers, "t", "totals", "query")
	for epoch, values := range [][]string{{"a", "b"}, {}, {"c"}} {
		n, err := writeEpoch(t, s, int64(epoch), values...)
		require.NoError(t, err)
		require.EqualValues(t, len(values), n)
	}
	require.Equal(t, []string{"a", "b", "c"}, committed(t, servers, "t"))

	// The same query, started again, does not write what the brokers have.
	s = openOnce(t, servers, "t", "totals", "query")
	n, err := writeEpoch(t, s, 2, "c")
	require.NoError(t, err)
	require.EqualValues(t, 1, n, "what was written then")
	// Other rows under its number would be lost.
	_, err = writeEpoch(t, openOnce(t, servers, "t", "totals", "query"), 2, "other", "rows", "now")
	requireCondition(t, err, condition.CheckpointMismatch, "Epoch 2 has 3 rows", "with 1", "totals")
	s = openOnce(t, servers, "t", "totals", "query")
	n, err = writeEpoch(t, s, 3, "d")
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	require.Equal(t, []string{"a", "b", "c", "d"}, committed(t, servers, "t"))

	// An epoch that failed half-way left nothing, and comes again.
	fields, rows := jsonRows(t, "value STRING", `[{"value":"half"}]`)
	broken := errors.New("the query failed")
	_, err = s.Write(t.Context(), 4, tree.Append, fields, func(yield func(arrow.RecordBatch, error) bool) {
		for rec := range rows {
			if !yield(rec, nil) {
				return
			}
		}
		require.NoError(t, s.client.kc.Flush(t.Context()))
		yield(nil, broken)
	})
	require.ErrorIs(t, err, broken)
	_, err = writeEpoch(t, s, 4, "e")
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b", "c", "d", "e"}, committed(t, servers, "t"))

	// A checkpoint that was set back is refused, since its epochs may be other rows than those that were written.
	_, err = writeEpoch(t, openOnce(t, servers, "t", "totals", "query"), 3, "x")
	requireCondition(t, err, condition.CheckpointMismatch, "epoch 3", "up to 4", "totals")

	// Another query begins anew, and what was left open by the one before it is ended.
	other := openOnce(t, servers, "t", "totals", "another")
	_, err = writeEpoch(t, other, 0, "f")
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b", "c", "d", "e", "f"}, committed(t, servers, "t"))
	// It has forgotten neither.
	n, err = writeEpoch(t, openOnce(t, servers, "t", "totals", "query"), 4, "x")
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	require.Equal(t, []string{"a", "b", "c", "d", "e", "f"}, committed(t, servers, "t"))
}

// A sink that has rested for long makes itself known again before it writes, since brokers forget an id that nobody uses.
func TestExactlyOnceAfterARest(t *testing.T) {
	t.Parallel()
	c, servers := cluster(t, kfake.SeedTopics(1, "t"))
	inits := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.InitProducerID}, Observe: true, Count: -1})
	s := openOnce(t, servers, "t", "totals", "query")
	for epoch := range int64(3) {
		_, err := writeEpoch(t, s, epoch, fmt.Sprint(epoch))
		require.NoError(t, err)
	}
	before := inits.Hits()
	s.txn.begun = s.txn.begun.Add(-2 * renewAfter)
	_, err := writeEpoch(t, s, 3, "3")
	require.NoError(t, err)
	require.Equal(t, before+1, inits.Hits())
	require.Equal(t, []string{"0", "1", "2", "3"}, committed(t, servers, "t"))
}

// A batch is one transaction: what fails half-way leaves nothing.
func TestExactlyOnceBatch(t *testing.T) {
	t.Parallel()
	_, servers := cluster(t, kfake.SeedTopics(1, "t"))
	d, err := connectors.ToKafka(servers, "t", connectors.Codec{}, connectors.ExactlyOnce("batch")).Sink()
	require.NoError(t, err)
	opened, err := connector.OpenSink(t.Context(), connector.Env{}, d)
	require.NoError(t, err)
	defer opened.Close()
	_, err = writeEpoch(t, opened.(*sink), 0, "a")
	require.NoError(t, err)
	fields, rows := jsonRows(t, "value STRING, partition INT", `[{"value":"b","partition":0}]`, `[{"value":"c","partition":-1}]`)
	_, err = opened.Write(t.Context(), 0, tree.Append, fields, rows)
	requireCondition(t, err, condition.InvalidValue, "-1")
	_, err = writeEpoch(t, opened.(*sink), 0, "d")
	require.NoError(t, err)
	require.Equal(t, []string{"a", "d"}, committed(t, servers, "t"))
}

// Whoever starts later under an id ends the writes of whoever was first.
func TestExactlyOnceFences(t *testing.T) {
	t.Parallel()
	_, servers := cluster(t, kfake.SeedTopics(1, "t"))
	first, second := openOnce(t, servers, "t", "totals", "query"), openOnce(t, servers, "t", "totals", "query")
	_, err := writeEpoch(t, first, 0, "a")
	require.NoError(t, err)
	fields, rows := jsonRows(t, "value STRING", `[{"value":"zombie"}]`)
	_, err = first.Write(t.Context(), 1, tree.Append, fields, func(yield func(arrow.RecordBatch, error) bool) {
		for rec := range rows {
			if !yield(rec, nil) {
				return
			}
			require.NoError(t, first.client.kc.Flush(t.Context()))
			n, err := writeEpoch(t, second, 1, "b")
			require.NoError(t, err)
			require.EqualValues(t, 1, n)
		}
	})
	requireCondition(t, err, condition.ConcurrentStreamLog, "another producer", "totals", "one query at a time")
	require.Equal(t, []string{"a", "b"}, committed(t, servers, "t"))
}

func TestExactlyOnceRefuses(t *testing.T) {
	t.Parallel()
	c, servers := cluster(t, kfake.SeedTopics(1, "t", "plain"), kfake.SeedTopics(2, "wide"))
	for topic, want := range map[string]string{"plain": "cleanup.policy=", "wide": "2 partitions"} {
		_, err := writeEpoch(t, openOnce(t, servers, "t", "totals", "query", connectors.EpochTopic(topic)), 0, "a")
		requireCondition(t, err, condition.InvalidOption, topic, want, "connectors.EpochTopic")
	}
	require.NoError(t, c.CreateTopic("strange", 1, map[string]string{"cleanup.policy": "compact"}))
	produce(t, servers, &kgo.Record{Topic: "strange", Key: []byte("totals query"), Value: []byte("7")})
	_, err := writeEpoch(t, openOnce(t, servers, "t", "totals", "query", connectors.EpochTopic("strange")), 0, "a")
	requireCondition(t, err, condition.CheckpointCorrupt, "offset 0", "strange")

	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.InitProducerID}, Err: kerr.InvalidTransactionTimeout})
	_, err = writeEpoch(t, openOnce(t, servers, "t", "totals", "query", connectors.TransactionTimeout(time.Hour)), 0, "a")
	requireCondition(t, err, condition.ConnectorFailed, "1h0m0s", "transaction.max.timeout.ms")
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.InitProducerID}, Err: kerr.TransactionalIDAuthorizationFailed})
	_, err = writeEpoch(t, openOnce(t, servers, "t", "totals", "query"), 0, "a")
	requireCondition(t, err, condition.ConnectorFailed, "right", "totals")
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.CreateTopics}, Err: kerr.TopicAuthorizationFailed})
	_, err = writeEpoch(t, openOnce(t, servers, "t", "other", "query"), 0, "a")
	requireCondition(t, err, condition.ConnectorFailed, "other-epochs")
	require.Empty(t, committed(t, servers, "t"))
}

// The last epoch is found among those of other queries in one topic, also where one of them has a transaction open, which is not waited for.
func TestEpochsOfManyQueries(t *testing.T) {
	t.Parallel()
	_, servers := cluster(t, kfake.SeedTopics(1, "t"))
	epochsOfManyQueries(t, servers, "t", "epochs")
}

func epochsOfManyQueries(t *testing.T, servers, topic, epochs string) {
	t.Helper()
	shared := connectors.EpochTopic(epochs)
	mineID, otherID := topic+"-mine", topic+"-other"
	begin := time.Now()
	_, err := writeEpoch(t, openOnce(t, servers, topic, mineID, "query", shared), 7, "a")
	require.NoError(t, err)
	other := openOnce(t, servers, topic, otherID, "query", shared)
	for epoch := range int64(100) {
		_, err := writeEpoch(t, other, epoch, "o")
		require.NoError(t, err)
	}
	fields, rows := jsonRows(t, "value STRING", `[{"value":"o"}]`)
	_, err = other.Write(t.Context(), 100, tree.Append, fields, func(yield func(arrow.RecordBatch, error) bool) {
		for rec := range rows {
			if !yield(rec, nil) {
				return
			}
			r, err := other.epochRecordOf(100, 1)
			require.NoError(t, err)
			require.NoError(t, other.client.kc.ProduceSync(t.Context(), r).FirstErr())
			// The own last epoch is before what is open.
			mine := openOnce(t, servers, topic, mineID, "query", shared)
			n, err := writeEpoch(t, mine, 7, "again")
			require.NoError(t, err)
			require.EqualValues(t, 1, n)
			// One is committed behind it, and another one aborted.
			_, err = writeEpoch(t, mine, 8, "b")
			require.NoError(t, err)
			_, half := jsonRows(t, "value STRING", `[{"value":"half"}]`)
			_, err = mine.Write(t.Context(), 9, tree.Append, fields, func(yield func(arrow.RecordBatch, error) bool) {
				for rec := range half {
					if !yield(rec, nil) {
						return
					}
				}
				r, err := mine.epochRecordOf(9, 1)
				require.NoError(t, err)
				require.NoError(t, mine.client.kc.ProduceSync(t.Context(), r).FirstErr())
				yield(nil, errDead)
			})
			require.ErrorIs(t, err, errDead)
			again := openOnce(t, servers, topic, mineID, "query", shared)
			n, err = writeEpoch(t, again, 8, "again")
			require.NoError(t, err)
			require.EqualValues(t, 1, n)
			require.EqualValues(t, 8, again.txn.last.Epoch)
			_, err = writeEpoch(t, openOnce(t, servers, topic, mineID, "query", shared), 9, "c")
			require.NoError(t, err)
		}
	})
	require.NoError(t, err)
	n, err := writeEpoch(t, openOnce(t, servers, topic, mineID, "query", shared), 9, "again")
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	require.Equal(t, 104, len(committed(t, servers, topic)))
	require.Less(t, time.Since(begin), 2*time.Minute)
}

// An epoch is told from another one under its number by what it reads, not by the number of its rows. Records that do not have it are compared by that.
func TestEpochsByTheirPlans(t *testing.T) {
	t.Parallel()
	_, servers := cluster(t, kfake.SeedTopics(1, "t"))
	write := func(epoch int64, plan string, values ...string) (int64, error) {
		s := openOnce(t, servers, "t", "totals", "query")
		if plan != "" {
			s.Planned(plan)
		}
		return writeEpoch(t, s, epoch, values...)
	}
	n, err := write(0, "offsets 0 to 1", "a")
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	_, err = write(0, "offsets 0 to 2", "b")
	requireCondition(t, err, condition.CheckpointMismatch, "Epoch 0 of the query reads other rows", "totals")
	// The same epoch of a query with another filter, which may change, is written once too.
	n, err = write(0, "offsets 0 to 1", "a", "b")
	require.NoError(t, err)
	require.EqualValues(t, 2, n)
	_, err = write(0, "", "a", "b")
	requireCondition(t, err, condition.CheckpointMismatch, "Epoch 0 has 2 rows", "with 1")
	_, err = write(1, "", "c")
	require.NoError(t, err)
	_, err = write(1, "offsets 1 to 2", "c", "d")
	requireCondition(t, err, condition.CheckpointMismatch, "Epoch 1 has 2 rows", "with 1")
	require.Equal(t, []string{"a", "c"}, committed(t, servers, "t"))
}

// errDead is the error of a connection of a process that has been killed.
var errDead = errors.New("killed")

// mortal makes connections that all die at the n-th call of any of them: a request or a part of it that is sent, or an answer that is waited for.
type mortal struct {
	left  int
	calls int
	// kill is called when they die.
	kill context.CancelFunc
	mu   sync.Mutex
	dead bool
	all  []net.Conn
}

func (m *mortal) dial(ctx context.Context, network, host string) (net.Conn, error) {
	if err := m.step(); err != nil {
		return nil, err
	}
	c, err := (&net.Dialer{}).DialContext(ctx, network, host)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all = append(m.all, c)
	return &mortalConn{c, m}, nil
}

func (m *mortal) step() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	if m.left--; m.left == 0 {
		m.dead = true
		for _, c := range m.all {
			_ = c.Close()
		}
		m.kill()
	}
	if m.dead {
		return errDead
	}
	return nil
}

type mortalConn struct {
	net.Conn
	m *mortal
}

func (c *mortalConn) Write(b []byte) (int, error) {
	if err := c.m.step(); err != nil {
		return 0, err
	}
	n, err := c.Conn.Write(b)
	if err == nil {
		err = c.m.step() // the request has gone out
	}
	return n, err
}

// job is a query that goes on after each kill, as far as a sink sees it: what has been committed in its checkpoint survives.
type job struct {
	servers, topic string
	epochs         int64
	next           int64 // the checkpoint
}

// values are those of an epoch; there are epochs without rows.
func (j *job) values(epoch int64) []string {
	var out []string
	for i := range epoch % 4 {
		out = append(out, fmt.Sprintf("%d.%d", epoch, i))
	}
	return out
}

// run goes on until it is killed at a call, or to its end. It tells how many calls there were.
func (j *job) run(t *testing.T, kill int, r *rand.Rand) (calls int, ended bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	m := &mortal{left: kill, kill: cancel}
	s := openOnce(t, j.servers, j.topic, j.topic, "query")
	s.cfg.opts = append(s.cfg.opts, kgo.Dialer(m.dial))
	s.txn.patience = time.Millisecond // a process that was killed aborts nothing
	s.client.close()
	require.NoError(t, s.connect())
	for ; j.next < j.epochs; j.next++ {
		if _, err := writeEpochFor(ctx, t, s, j.next, j.values(j.next)...); err != nil {
			require.Error(t, ctx.Err(), "killed, and nothing else: %v", err)
			return m.calls, false
		}
		if ctx.Err() != nil || kill > 0 && r.IntN(10) == 0 {
			return m.calls, false // between the sink and the checkpoint's commit
		}
	}
	return m.calls, true
}

// A kill at every call to the brokers, before a request and behind it, and more of them at random during the starts again: a reader of committed records sees each row once.
func TestExactlyOnceKilledAnywhere(t *testing.T) {
	t.Parallel()
	c, servers := cluster(t)
	step := 7
	if stress {
		step = 1
	}
	killedAnywhere(t, servers, func(topic string) { require.NoError(t, c.CreateTopic(topic, 1, nil)) }, step)
}

func killedAnywhere(t *testing.T, servers string, create func(topic string), step int) {
	t.Helper()
	name := fmt.Sprintf("calls-%d", time.Now().UnixNano())
	begin := func(suffix string) *job {
		create(name + suffix)
		return &job{servers: servers, topic: name + suffix, epochs: 6}
	}
	whole := begin("")
	calls, ended := whole.run(t, 0, nil)
	require.True(t, ended)
	var want []string
	for e := range whole.epochs {
		want = append(want, whole.values(e)...)
	}
	require.Equal(t, want, committed(t, servers, whole.topic))
	require.Greater(t, calls, 30)
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 8))
	kills := 0
	for at := 1; at <= calls; at += step {
		j := begin(fmt.Sprint("-", at))
		_, ended := j.run(t, at, r)
		for !ended {
			kills++
			again := 0
			if r.IntN(2) == 0 {
				again = 1 + r.IntN(calls)
			}
			_, ended = j.run(t, again, r)
		}
		require.Equal(t, want, committed(t, servers, j.topic), "killed at call %d, seed %d", at, seed)
	}
	t.Logf("%d kills, seed %d", kills, seed)
}
