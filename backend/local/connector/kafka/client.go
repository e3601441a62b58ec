package kafka

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/backend/local/fault"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// The bounds of a call. A broker that never answered is most likely a wrong address, so the first call gives up soon; one that did answer
// is most likely being restarted.
const (
	firstContact = 10 * time.Second
	laterContact = 40 * time.Second
	// defaultAttempts is Spark's default of fetchOffset.numRetries: with it the bounds are 30 s and 2 minutes.
	defaultAttempts = 3
	// oneRequest bounds a request to a broker that accepts and does not answer.
	oneRequest = 10 * time.Second
	// oneFetch bounds a fetch, which may bring much over a slow line.
	oneFetch = 30 * time.Second
	// unknownTries is how often a topic must be found missing: a new topic takes a moment to be known to all brokers.
	unknownTries = 4
)

// client asks brokers: their topics, offsets and records. It keeps what it learnt of topics until a broker contradicts. Every call is
// bounded and goes on through outages of the brokers. It is safe for concurrent use.
//
// Fetches are made request by request and not through the client's own consumer: an epoch is an exact range of offsets, which a
// consumer, made to run on, can only approach.
type client struct {
	cfg *config
	kc  *kgo.Client
	// attempts and interval are fetchOffset.numRetries and fetchOffset.retryIntervalMs.
	attempts int
	interval time.Duration
	// poll bounds the wait for a fetch (kafkaConsumer.pollTimeoutMs), 0 for the default.
	poll time.Duration
	// unpack keeps the decoders of compressed batches for further use.
	unpack kgo.Decompressor
	// reached is set when a broker has answered once.
	reached atomic.Bool
	// last is the last thing that went wrong, nil since a call has succeeded.
	last *lastError
	// waiting is that of the session.
	waiting func(what func() string) (over func())

	mu     sync.Mutex
	topics map[string]topic
	// perOffset is how many bytes an offset of a partition took in the last fetch.
	perOffset map[tp]float64
}

// topic is what the brokers say of a topic.
type topic struct {
	id       [16]byte
	leaders  map[int32]int32 // by partition, -1 for none
	internal bool
}

// lastError keeps the last failure to connect, which the client below may tell nobody while it tries again.
type lastError struct{ atomic.Pointer[error] }

var _ kgo.HookBrokerConnect = (*lastError)(nil)

// OnBrokerConnect implements kgo.HookBrokerConnect.
func (l *lastError) OnBrokerConnect(_ kgo.BrokerMetadata, _ time.Duration, _ net.Conn, err error) {
	if err != nil {
		l.Store(&err)
	}
}

func (l *lastError) get() error {
	if e := l.Load(); e != nil {
		return *e
	}
	return nil
}

func newClient(env connector.Env, cfg *config, opts ...kgo.Opt) (*client, error) {
	last := &lastError{}
	// The producer looks for a new leader as soon as the old one refuses, not five seconds later.
	all := append([]kgo.Opt{kgo.RetryTimeout(oneRequest), kgo.DialTimeout(oneRequest), kgo.MetadataMinAge(200 * time.Millisecond), kgo.WithHooks(last)}, cfg.opts...)
	kc, err := kgo.NewClient(append(all, opts...)...)
	if err != nil {
		e := condition.Newf(condition.InvalidOption, "The options of the Kafka client do not go together.")
		e.Cause = cfg.safe(err)
		return nil, e
	}
	return &client{cfg: cfg, kc: kc, last: last, waiting: env.Waiting, attempts: defaultAttempts, interval: time.Second, unpack: kgo.DefaultDecompressor(), topics: map[string]topic{}, perOffset: map[tp]float64{}}, nil
}

func (c *client) close() { c.kc.Close() }

// budget is how long a call may go on without an answer.
func (c *client) budget() time.Duration {
	attempt := laterContact
	if !c.reached.Load() {
		attempt = firstContact
	}
	if c.cfg.apiTimeout > 0 {
		attempt = c.cfg.apiTimeout
	}
	return time.Duration(c.attempts) * attempt
}

// pollBudget is how long a fetch may go on without an answer.
func (c *client) pollBudget() time.Duration {
	if c.poll > 0 {
		return c.poll
	}
	return c.budget()
}

// patience is how long a call may take before the query's status says what it waits for.
const patience = 500 * time.Millisecond

// wait says in the query's status, from after patience on, what a call waits for, until over is called.
func (c *client) wait(what string) (over func()) {
	if c.waiting == nil {
		return func() {}
	}
	var (
		mu    sync.Mutex
		ended bool
		end   func()
	)
	t := time.AfterFunc(patience, func() {
		mu.Lock()
		defer mu.Unlock()
		if ended {
			return
		}
		end = c.waiting(func() string {
			text := fmt.Sprintf("Waiting for the Kafka brokers %s to %s", strings.Join(c.cfg.seeds, ", "), what)
			if err := c.last.get(); err != nil {
				text += ": " + c.cfg.safe(err).Error()
			}
			return text
		})
	})
	return func() {
		t.Stop()
		mu.Lock()
		defer mu.Unlock()
		if ended = true; end != nil {
			end()
		}
	}
}

// interrupted is the error of a call whose context has ended. One that ran out of time tells what it waited for; one that was stopped has nothing to tell.
func (c *client) interrupted(ctx context.Context, what string, err error, took time.Duration) error {
	ended := context.Cause(ctx)
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ended
	}
	if err == nil || errors.Is(err, context.DeadlineExceeded) {
		err = c.last.get()
	}
	e := condition.Newf(condition.ConnectorFailed, "The Kafka brokers %s did not let the query %s within %v, when the time of its context was over.", strings.Join(c.cfg.seeds, ", "), what, took.Round(time.Millisecond))
	e.Hint = "Check that they run and that kafka.bootstrap.servers names them, or give the context more time."
	e.Cause = ended
	if err != nil {
		e.Cause = fmt.Errorf("%w; the last error was: %w", ended, c.cfg.safe(err))
	}
	return e
}

// retry runs f until it succeeds, fails for good, or has failed for as long as budget says. Each run of f is bounded too. what goes on
// with "was to", for the error.
func (c *client) retry(ctx context.Context, what string, budget func() time.Duration, bound time.Duration, f func(ctx context.Context) error) error {
	for _, d := range []time.Duration{c.cfg.requestTimeout, c.cfg.apiTimeout} {
		if d > 0 {
			bound = min(bound, d)
		}
	}
	began := time.Now()
	defer c.wait(what)()
	wait := 50 * time.Millisecond
	unknown := 0
	var cause error
	for {
		one, cancel := context.WithTimeout(ctx, bound)
		err := f(one)
		cancel()
		if err == nil {
			c.reached.Store(true)
			c.last.Store(nil)
			return nil
		}
		if ctx.Err() != nil {
			return c.interrupted(ctx, what, cause, time.Since(began))
		}
		var known *condition.Error
		switch {
		case errors.As(err, &known):
			c.reached.Store(true)
			// What the brokers do not know yet they may know in a moment.
			if known.Condition != condition.UnknownTopic {
				return err
			}
			if unknown++; unknown >= unknownTries {
				return err
			}
		case permanent(err):
			return c.failed(what, err, 0)
		case cause == nil || !errors.Is(err, context.DeadlineExceeded):
			cause = err
			c.last.Store(&err)
		}
		if took := time.Since(began); known == nil && took+wait > budget() {
			return c.failed(what, cause, took)
		}
		t := time.NewTimer(wait)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return c.interrupted(ctx, what, cause, time.Since(began))
		}
		wait = min(2*wait, time.Second)
	}
}

// permanent tells errors that waiting does not mend.
func permanent(err error) bool {
	var k *kerr.Error
	if errors.As(err, &k) {
		return !k.Retriable
	}
	var (
		certificate *tls.CertificateVerificationError
		authority   x509.UnknownAuthorityError
		host        x509.HostnameError
		record      tls.RecordHeaderError
		tooLarge    *kgo.ErrDecompressTooLarge
	)
	return errors.Is(err, kgo.ErrClientClosed) || errors.As(err, &certificate) || errors.As(err, &authority) || errors.As(err, &host) ||
		errors.As(err, &record) || errors.As(err, &tooLarge)
}

// failed makes the error of a call that gave up.
func (c *client) failed(what string, err error, took time.Duration) error {
	if errors.Is(err, kgo.ErrClientClosed) {
		return condition.Newf(condition.Closed, "The Kafka connector was closed while it was to %s.", what)
	}
	brokers, unit := strings.Join(c.cfg.seeds, ", "), time.Second
	if took < unit {
		unit = time.Millisecond
	}
	e := condition.Newf(condition.ConnectorFailed, "The Kafka brokers %s did not let the query %s.", brokers, what)
	if errors.Is(err, errNothing) {
		e.Message = fmt.Sprintf("The Kafka brokers %s answered for %v without a record, when the query was to %s.", brokers, took.Round(unit), what)
	} else if took > 0 {
		e.Message = fmt.Sprintf("The Kafka brokers %s did not answer within %v, when the query was to %s.", brokers, took.Round(unit), what)
	}
	var first *kgo.ErrFirstReadEOF
	var k *kerr.Error
	switch {
	case c.cfg.sasl && errors.Is(err, io.EOF):
		e.Hint = "A broker that hangs up at once may refuse the user or the password, or want TLS: see kafka.sasl.jaas.config and kafka.security.protocol."
	case errors.As(err, &first):
		e.Hint = "A broker that hangs up at once often wants TLS or SASL: see kafka.security.protocol."
	case errors.As(err, &k) && strings.Contains(k.Message, "AUTH"):
		e.Hint = "Check the user, the password and the user's rights on the topic."
	case errors.Is(err, errNothing):
		e.Hint = "The partition's leader may not have taken over yet; kafkaConsumer.pollTimeoutMs says how long to wait."
	case took > 0:
		e.Hint = "Check that they run and that kafka.bootstrap.servers names them; kafkaConsumer.pollTimeoutMs and fetchOffset.numRetries say how long to wait."
	}
	e.Cause = c.cfg.safe(err)
	return e
}

// unknown is the error of a topic or partition that the brokers do not have.
func (c *config) unknown(format string, args ...any) *condition.Error {
	e := condition.Newf(condition.UnknownTopic, "UNKNOWN_TOPIC_OR_PARTITION: Kafka at %s has no %s.", strings.Join(c.seeds, ", "), fmt.Sprintf(format, args...))
	e.Hint = "Create it, or check its name; subscribePattern takes topics up when they appear."
	return e
}

// metadata asks for topics by name, or for all with nil. create lets a broker that makes topics by itself do so.
func (c *client) metadata(ctx context.Context, names []string, create bool) (map[string]topic, error) {
	req := kmsg.NewPtrMetadataRequest()
	req.AllowAutoTopicCreation = create
	if names != nil {
		req.Topics = []kmsg.MetadataRequestTopic{}
		for _, name := range names {
			t := kmsg.NewMetadataRequestTopic()
			t.Topic = kmsg.StringPtr(name)
			req.Topics = append(req.Topics, t)
		}
	}
	resp, err := req.RequestWith(ctx, c.kc)
	if err != nil {
		return nil, err
	}
	out := map[string]topic{}
	for _, t := range resp.Topics {
		if t.Topic == nil {
			continue
		}
		err := kerr.ErrorForCode(t.ErrorCode)
		switch {
		case errors.Is(err, kerr.UnknownTopicOrPartition):
			if names == nil { // it was deleted just now
				continue
			}
			return nil, c.cfg.unknown("topic %q", *t.Topic)
		case errors.Is(err, kerr.InvalidTopicException):
			return nil, invalid("%q is no name of a Kafka topic.", *t.Topic)
		case err != nil && names == nil && !errors.Is(err, kerr.LeaderNotAvailable):
			continue // a topic that the pattern may not even mean
		case err != nil:
			return nil, fmt.Errorf("topic %s: %w", *t.Topic, err)
		}
		x := topic{id: t.TopicID, leaders: map[int32]int32{}, internal: t.IsInternal}
		for _, p := range t.Partitions {
			x.leaders[p.Partition] = p.Leader
			if p.ErrorCode != 0 && errors.Is(kerr.ErrorForCode(p.ErrorCode), kerr.LeaderNotAvailable) {
				x.leaders[p.Partition] = -1
			}
		}
		out[*t.Topic] = x
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, t := range out {
		c.topics[name] = t
	}
	return out, nil
}

// leader gives the broker of a partition and the topic's identity; with fresh set it asks anew.
func (c *client) leader(ctx context.Context, p tp, fresh bool) (int32, [16]byte, error) {
	c.mu.Lock()
	t, ok := c.topics[p.topic]
	c.mu.Unlock()
	if !ok || fresh {
		all, err := c.metadata(ctx, []string{p.topic}, false)
		if err != nil {
			return 0, t.id, err
		}
		t = all[p.topic]
	}
	leader, ok := t.leaders[p.partition]
	switch {
	case !ok && !fresh:
		return c.leader(ctx, p, true)
	case !ok:
		return 0, t.id, c.cfg.unknown("partition %s", p)
	case leader < 0:
		return 0, t.id, fmt.Errorf("partition %s: %w", p, kerr.LeaderNotAvailable)
	}
	return leader, t.id, nil
}

// forget makes the next call ask for a topic's leaders.
func (c *client) forget(topic string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.topics, topic)
}

// list finds the offsets at times: offsetLatest and offsetEarliest for the ends, else milliseconds since 1970, for which the offset is -1
// where no record is as late. It asks again for what failed until all is known.
func (c *client) list(ctx context.Context, at map[tp]int64) (positions, error) {
	out := positions{}
	if len(at) == 0 {
		return out, nil
	}
	fresh := false
	err := c.retry(ctx, "look up offsets of "+topicsOf(at), c.budget, oneRequest, func(ctx context.Context) error {
		byLeader := map[int32]map[string][]kmsg.ListOffsetsRequestTopicPartition{}
		refreshed := map[string]bool{}
		for p, ts := range at {
			if _, done := out[p]; done {
				continue
			}
			leader, _, err := c.leader(ctx, p, fresh && !refreshed[p.topic])
			refreshed[p.topic] = true
			if err != nil {
				fresh = true
				return err
			}
			if byLeader[leader] == nil {
				byLeader[leader] = map[string][]kmsg.ListOffsetsRequestTopicPartition{}
			}
			x := kmsg.NewListOffsetsRequestTopicPartition()
			x.Partition, x.Timestamp = p.partition, ts
			byLeader[leader][p.topic] = append(byLeader[leader][p.topic], x)
		}
		fresh = true // should this try fail, the leaders may have changed
		var (
			mu    sync.Mutex
			wg    sync.WaitGroup
			first error
		)
		for leader, topics := range byLeader {
			wg.Go(func() {
				got, err := fault.Get(func() (positions, error) { return c.listFrom(ctx, leader, topics) })
				mu.Lock()
				defer mu.Unlock()
				for p, o := range got {
					out[p] = o
				}
				if err != nil && first == nil {
					first = err
				}
			})
		}
		wg.Wait()
		return first
	})
	return out, err
}

// topicsOf names the topics of partitions.
func topicsOf(at map[tp]int64) string {
	var names []string
	for p := range at {
		if !slices.Contains(names, p.topic) {
			names = append(names, p.topic)
		}
	}
	slices.Sort(names)
	return named(names)
}

// named lists topics for an error, the first of them where there are many.
func named(names []string) string {
	const shown = 5
	more := ""
	if n := len(names); n > shown {
		names, more = names[:shown], fmt.Sprintf(" and %d more", n-shown)
	}
	word := "topic "
	if len(names) > 1 {
		word = "topics "
	}
	return word + strings.Join(names, ", ") + more
}

func (c *client) listFrom(ctx context.Context, leader int32, topics map[string][]kmsg.ListOffsetsRequestTopicPartition) (positions, error) {
	req := kmsg.NewPtrListOffsetsRequest()
	req.ReplicaID, req.IsolationLevel = -1, c.cfg.isolation
	for name, parts := range topics {
		t := kmsg.NewListOffsetsRequestTopic()
		t.Topic, t.Partitions = name, parts
		req.Topics = append(req.Topics, t)
	}
	kresp, err := c.kc.Broker(int(leader)).Request(ctx, req)
	if err != nil {
		return nil, err
	}
	resp, ok := kresp.(*kmsg.ListOffsetsResponse)
	if !ok {
		return nil, fmt.Errorf("a broker answered a question for offsets with %T", kresp)
	}
	out := positions{}
	var first error
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			k := tp{t.Topic, p.Partition}
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				if errors.Is(err, kerr.UnknownTopicOrPartition) {
					err = c.cfg.unknown("partition %s", k)
				} else {
					err = fmt.Errorf("partition %s: %w", k, err)
				}
				if first == nil {
					first = err
				}
				continue
			}
			out[k] = p.Offset
		}
	}
	return out, first
}

// fetched is a broker's answer to a fetch.
type fetched struct {
	records []*kgo.Record
	// next is behind the last record, seen or not: control records and those that compaction took count.
	next int64
	// logStart and end are the partition's first offset and that behind the last one that may be read.
	logStart, end int64
	// topic is the identity of the topic, which one that is made anew under the name has not.
	topic [16]byte
	// size is what all records of the answer take, in bytes, once it has been counted.
	size int
}

// errOutOfRange is a fetch of an offset that the partition has not.
var errOutOfRange = errors.New("the offset is out of the partition's range")

// leastFetch is the least that a fetch asks for, in bytes. A broker gives one batch of the producer's at least, whatever its size.
const leastFetch = 64 << 10

// fetchSize is how many bytes a fetch for a range asks for: not much more than it will use, since what comes must be unpacked.
func (c *client) fetchSize(p tp, offsets int64) int32 {
	c.mu.Lock()
	each, ok := c.perOffset[p]
	c.mu.Unlock()
	if !ok {
		each = 1 << 10
	}
	return int32(min(float64(c.cfg.fetchBytes), float64(offsets)*each*1.25+leastFetch))
}

// fetch asks once for records from an offset on, of which those before until will be used.
func (c *client) fetch(ctx context.Context, p tp, from, until int64, fresh bool) (fetched, error) {
	leader, id, err := c.leader(ctx, p, fresh)
	if err != nil {
		return fetched{}, err
	}
	req := kmsg.NewPtrFetchRequest()
	size := c.fetchSize(p, until-from)
	req.ReplicaID, req.MaxWaitMillis, req.MinBytes, req.MaxBytes, req.IsolationLevel = -1, 500, 1, size, c.cfg.isolation
	req.SessionID, req.SessionEpoch = 0, -1 // no session: the ranges of one epoch are not those of the next
	x := kmsg.NewFetchRequestTopicPartition()
	x.Partition, x.FetchOffset, x.PartitionMaxBytes, x.CurrentLeaderEpoch = p.partition, from, size, -1
	t := kmsg.NewFetchRequestTopic()
	t.Topic, t.TopicID, t.Partitions = p.topic, id, []kmsg.FetchRequestTopicPartition{x}
	req.Topics = []kmsg.FetchRequestTopic{t}
	kresp, err := c.kc.Broker(int(leader)).Request(ctx, req)
	if err != nil {
		return fetched{}, err
	}
	resp, ok := kresp.(*kmsg.FetchResponse)
	if !ok {
		return fetched{}, fmt.Errorf("a broker answered a fetch with %T", kresp)
	}
	if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
		return fetched{}, err
	}
	for i := range resp.Topics {
		for j := range resp.Topics[i].Partitions {
			rp := &resp.Topics[i].Partitions[j]
			if rp.Partition != p.partition {
				continue
			}
			o := kgo.ProcessFetchPartitionOpts{Offset: from, Topic: p.topic, Partition: p.partition, KeepControlRecords: c.cfg.controls}
			if c.cfg.isolation == 1 {
				o.IsolationLevel = kgo.ReadCommitted()
			}
			fp, next := kgo.ProcessFetchPartition(o, rp, c.unpack, nil)
			if next > from {
				c.mu.Lock()
				c.perOffset[p] = float64(len(rp.RecordBatches)) / float64(next-from)
				c.mu.Unlock()
			}
			switch {
			case errors.Is(fp.Err, kerr.OffsetOutOfRange):
				return fetched{}, errOutOfRange
			case errors.Is(fp.Err, kerr.UnknownTopicOrPartition), errors.Is(fp.Err, kerr.UnknownTopicID):
				c.forget(p.topic)
				return fetched{}, fmt.Errorf("partition %s: %w", p, fp.Err)
			case fp.Err != nil && len(fp.Records) == 0:
				return fetched{}, fmt.Errorf("partition %s at offset %d: %w", p, from, fp.Err)
			}
			end := fp.HighWatermark
			if c.cfg.isolation == 1 {
				end = fp.LastStableOffset
			}
			return fetched{records: fp.Records, next: next, logStart: fp.LogStartOffset, end: end, topic: id}, nil
		}
	}
	return fetched{}, fmt.Errorf("a broker's answer to a fetch leaves partition %s out", p)
}
