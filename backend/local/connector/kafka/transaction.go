package kafka

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// transactions is what a sink knows that writes each epoch in one transaction, together with a record of the epoch's number. Records of numbers have a topic of their own and
// not the offsets of a consumer group: brokers forget those of a group that nobody has used for a week (offsets.retention.minutes), and a query that was down for longer would then write its last
// epoch again.
type transactions struct {
	id      string
	topic   string
	timeout time.Duration
	// queryID is that of the checkpoint, "" for a batch, which has no epochs.
	queryID string
	// patience is how long a write that has failed tries to abort.
	patience time.Duration

	// begun is when the present client became the only producer of the id, zero for not yet.
	begun time.Time
	// last is the last epoch of the query that the brokers have committed; found is false for none.
	last  epochRecord
	found bool
	// open tells that records may be in a transaction that has not ended.
	open bool
	// plan is that of the epoch to write.
	plan string
}

// epochRecord is the value of a record in the topic of epochs; its key names the transactional id and the query.
type epochRecord struct {
	Query string `json:"query"`
	Epoch int64  `json:"epoch"`
	Rows  int64  `json:"rows"`
	// Plan tells the epoch from another one under its number; see [connector.Planned]. Records of earlier versions have none.
	Plan string `json:"plan,omitempty"`
}

// defaultTransactionTimeout is the most that brokers allow by default (transaction.max.timeout.ms): an epoch is computed while it is written, and may take long.
const defaultTransactionTimeout = 15 * time.Minute

// renewAfter is the age at which a sink makes itself known again before it writes: brokers forget an id that was not used for a week (transactional.id.expiration.ms).
const renewAfter = 24 * time.Hour

// abortWithin is how long a write that has failed tries to abort its transaction. Where that fails the next start does it, or the brokers do after the transaction's timeout.
const abortWithin = 3 * time.Second

// epochTopicConfig keeps the topic of epochs small: a start reads from its end to the query's last record.
var epochTopicConfig = map[string]*string{
	"cleanup.policy": kadm.StringPtr("compact"), "segment.bytes": kadm.StringPtr("1048576"), "min.cleanable.dirty.ratio": kadm.StringPtr("0.1"),
}

// newTransactions reads the options of a sink; nil where it writes at least once.
func newTransactions(env connector.Env, cfg *config, o tree.Options) (*transactions, error) {
	if cfg.transactionalID == "" {
		return nil, nil
	}
	t := &transactions{id: cfg.transactionalID, timeout: cfg.transactionTimeout, patience: abortWithin}
	if env.Streaming {
		t.queryID = env.QueryID
		if t.topic, _ = o.Get("epochTopic"); t.topic == "" {
			e := invalid("The sink writes in transactions (kafka.transactional.id) and has no topic for the numbers of its epochs (epochTopic).")
			e.Hint = "Use connectors.ExactlyOnce."
			return nil, e
		}
	}
	return t, nil
}

// options are those of the producer. A commit is tried for as long as a record: to give it up would end the query, and it cannot be asked for again.
func (t *transactions) options(cfg *config) []kgo.Opt {
	if t == nil {
		return nil
	}
	patience := func(key int16) time.Duration {
		switch kmsg.Key(key) {
		case kmsg.EndTxn, kmsg.AddPartitionsToTxn:
			return cfg.deliveryTimeout
		}
		return oneRequest
	}
	return []kgo.Opt{kgo.TransactionalID(t.id), kgo.TransactionTimeout(t.timeout), kgo.RetryTimeoutFn(patience)}
}

func (t *transactions) key() []byte { return []byte(t.id + " " + t.queryID) }

// begin makes sure that the sink is the only producer of its id and tells whether the brokers have committed an epoch before; then it is not to be written. Else a
// transaction is begun.
func (s *sink) begin(ctx context.Context, epoch int64) (committed bool, err error) {
	t := s.txn
	if !t.begun.IsZero() && time.Since(t.begun) > renewAfter {
		s.client.close()
		if err := s.connect(); err != nil {
			return false, err
		}
	}
	if t.begun.IsZero() {
		if err := s.takeOver(ctx); err != nil {
			return false, err
		}
	}
	if t.found && t.last.Epoch > epoch {
		e := condition.Newf(condition.CheckpointMismatch, "The query is to write epoch %d, and Kafka has its epochs up to %d under the transactional id %s: the checkpoint is older than what was written.", epoch, t.last.Epoch, t.id)
		e.Hint = "Go on with the newest copy of the checkpoint. To write the rows once more, start with a new checkpoint folder."
		return false, e
	}
	if t.found && t.last.Epoch == epoch {
		if t.last.Plan != "" && t.plan != "" && t.last.Plan != t.plan {
			e := condition.Newf(condition.CheckpointMismatch, "Epoch %d of the query reads other rows than the epoch %d that Kafka has under the transactional id %s: the checkpoint is older than what was written.", epoch, epoch, t.id)
			e.Hint = "Go on with the newest copy of the checkpoint. To write the rows once more, start with a new checkpoint folder."
			return false, e
		}
		return true, nil
	}
	if err := s.client.kc.BeginTransaction(); err != nil {
		return false, s.transactionFailed(ctx, "begin a transaction", err)
	}
	t.open = true
	return false, nil
}

// takeOver makes the sink the only producer of its id, which ends what an earlier one has left open, and then looks for the last epoch of the query: in this order, so that
// no other one can commit an epoch behind the look.
func (s *sink) takeOver(ctx context.Context) error {
	t := s.txn
	if t.queryID != "" {
		if err := s.epochTopic(ctx); err != nil {
			return err
		}
	}
	what := "take over the transactional id " + t.id
	err := s.client.retry(ctx, what, s.client.budget, oneRequest, func(ctx context.Context) error {
		_, _, err := s.client.kc.ProducerID(ctx)
		if errors.Is(err, kerr.ConcurrentTransactions) {
			return errors.New(err.Error()) // the end of the one before is under way
		}
		return err
	})
	if err != nil {
		return s.hinted(err)
	}
	if t.queryID != "" {
		if t.last, t.found, err = s.lastEpoch(ctx); err != nil {
			return err
		}
	}
	t.begun = time.Now()
	return nil
}

// hinted says the way out of a failure to take over the id.
func (s *sink) hinted(err error) error {
	var e *condition.Error
	if !errors.As(err, &e) {
		return err
	}
	c := *e
	switch {
	case errors.Is(err, kerr.InvalidTransactionTimeout):
		c.Message = fmt.Sprintf("The brokers do not allow a transaction of the sink to take %v.", s.txn.timeout)
		c.Hint = "Set connectors.TransactionTimeout to what transaction.max.timeout.ms of the brokers allows."
	case errors.Is(err, kerr.TransactionalIDAuthorizationFailed):
		c.Hint = fmt.Sprintf("Give the user the right to write under the transactional id %s.", s.txn.id)
	default:
		return err
	}
	return &c
}

// epochTopic makes the topic of epochs where it is missing, and refuses one of which the brokers may delete the last record.
func (s *sink) epochTopic(ctx context.Context) error {
	t := s.txn
	admin := kadm.NewClient(s.client.kc)
	return s.client.retry(ctx, "look up the topic of epochs "+t.topic, s.client.budget, oneRequest, func(ctx context.Context) error {
		known, err := s.client.metadata(ctx, []string{t.topic}, false)
		if condition.Of(err) == condition.UnknownTopic {
			if _, err := admin.CreateTopic(ctx, 1, -1, epochTopicConfig, t.topic); err != nil && !errors.Is(err, kerr.TopicAlreadyExists) {
				return fmt.Errorf("the topic %s could not be made: %w", t.topic, err)
			}
			known, err = s.client.metadata(ctx, []string{t.topic}, false)
		}
		if err != nil {
			return err
		}
		if n := len(known[t.topic].leaders); n != 1 {
			e := invalid("The topic of epochs %s has %d partitions and should have one.", t.topic, n)
			e.Hint = "Name another topic with connectors.EpochTopic; it is made where it is missing."
			return e
		}
		configs, err := admin.DescribeTopicConfigs(ctx, t.topic)
		if err != nil {
			return err
		}
		found, err := configs.On(t.topic, nil)
		if err == nil {
			err = found.Err
		}
		if err != nil {
			return fmt.Errorf("the settings of the topic %s: %w", t.topic, err)
		}
		policy := ""
		for _, c := range found.Configs {
			if c.Key == "cleanup.policy" {
				policy = c.MaybeValue()
			}
		}
		if policy != "compact" {
			e := invalid("The topic of epochs %s has cleanup.policy=%s, by which its last record would be deleted one day.", t.topic, policy)
			e.Hint = "Set its cleanup.policy to compact, or name another topic with connectors.EpochTopic; it is made where it is missing."
			return e
		}
		return nil
	})
}

// lastEpoch finds the query's newest record in the topic of epochs: it reads pieces that grow, from the topic's end back.
//
// Transactions of other queries that share the topic may be open, for up to their timeout where their process was killed, and readers of committed records do not see behind the first of them. The
// query's own have ended, since its id was taken over before. So what is behind is read with the brokers' marks, which tell how the query's own ended, and nothing is waited for.
func (s *sink) lastEpoch(ctx context.Context) (last epochRecord, found bool, err error) {
	p := tp{s.txn.topic, 0}
	all, err := s.client.list(ctx, map[tp]int64{p: offsetLatest})
	if err != nil {
		return last, false, err
	}
	committed, done, err := s.epochReader(func(c *config) { c.isolation = 1 })
	if err != nil {
		return last, false, err
	}
	defer done()
	stable, err := committed.ends(ctx, []tp{p}, offsetLatest)
	if err != nil {
		return last, false, err
	}
	end := min(stable[p], all[p])
	if end < all[p] {
		if last, found, err = s.unstableEpoch(ctx, p, end); err != nil || found {
			return last, found, err
		}
	}
	first, err := committed.ends(ctx, []tp{p}, offsetEarliest)
	if err != nil {
		return last, false, err
	}
	for size := int64(64); end > first[p] && !found; size *= 8 {
		from := max(first[p], end-size)
		err := committed.readSpan(ctx, span{p, from, end}, func(records []*kgo.Record) error {
			for _, r := range records {
				x, own, err := s.readEpoch(r)
				if err != nil {
					return err
				}
				if own {
					last, found = x, true
				}
			}
			return nil
		})
		if err != nil {
			return last, false, err
		}
		end = from
	}
	return last, found, nil
}

// epochReader makes a reader of the topic of epochs.
func (s *sink) epochReader(change func(c *config)) (src *source, done func(), err error) {
	cfg := *s.cfg
	change(&cfg)
	c, err := newClient(s.env, &cfg, kgo.RequestRetries(0))
	if err != nil {
		return nil, nil, err
	}
	c.reached.Store(true)
	return &source{env: s.env, client: c, mem: memory.DefaultAllocator}, c.close, nil
}

// settleWithin is how long the end of an own transaction may take to be seen. Brokers have written it when they give the id to another producer, so this is for what lags behind.
const settleWithin = 10 * time.Second

// unstableEpoch finds the query's newest committed record from an offset on, where transactions of others are open.
func (s *sink) unstableEpoch(ctx context.Context, p tp, from int64) (last epochRecord, found bool, err error) {
	src, done, err := s.epochReader(func(c *config) { c.controls = true })
	if err != nil {
		return last, false, err
	}
	defer done()
	for began := time.Now(); ; {
		end, err := src.ends(ctx, []tp{p}, offsetLatest)
		if err != nil {
			return last, false, err
		}
		last, found, open, err := s.decided(ctx, src, span{p, from, end[p]})
		if err != nil || !open {
			return last, found, err
		}
		if time.Since(began) > settleWithin {
			e := condition.Newf(condition.ConcurrentStreamLog, "A transaction with an epoch of this query is open in the topic %s, and the transactional id %s has none.", p.topic, s.txn.id)
			e.Hint = "Run one query at a time under a transactional id (connectors.ExactlyOnce)."
			return last, false, e
		}
		timer := time.NewTimer(100 * time.Millisecond)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return last, false, context.Cause(ctx)
		}
	}
}

// decided finds the query's newest committed record in a span that is read with the brokers' marks. open tells that a transaction of the query has no end there.
func (s *sink) decided(ctx context.Context, src *source, sp span) (last epochRecord, found, open bool, err error) {
	// pending are the query's records in transactions whose end has not been read, by the number of the producer.
	pending := map[int64]epochRecord{}
	err = src.readSpan(ctx, sp, func(records []*kgo.Record) error {
		for _, r := range records {
			if r.Attrs.IsControl() {
				// The key has a version and then the kind, of which 1 is a commit.
				if x, own := pending[r.ProducerID]; own && len(r.Key) >= 4 && r.Key[2] == 0 && r.Key[3] == 1 {
					last, found = x, true
				}
				delete(pending, r.ProducerID)
				continue
			}
			x, own, err := s.readEpoch(r)
			if err != nil {
				return err
			}
			if own {
				pending[r.ProducerID] = x
			}
		}
		return nil
	})
	return last, found, len(pending) > 0, err
}

// readEpoch reads a record of the topic of epochs; own is false for one of another query.
func (s *sink) readEpoch(r *kgo.Record) (x epochRecord, own bool, err error) {
	t := s.txn
	if string(r.Key) != string(t.key()) {
		return x, false, nil
	}
	if err := json.Unmarshal(r.Value, &x); err != nil || x.Query != t.queryID {
		e := condition.Newf(condition.CheckpointCorrupt, "The record at offset %d of the topic of epochs %s is none of Spoonbill's.", r.Offset, t.topic)
		e.Hint = "Name another topic with connectors.EpochTopic, into which nothing else writes."
		return x, false, e
	}
	return x, true, nil
}

// commit commits the epoch, whose records have been written.
func (s *sink) commit(ctx context.Context, epoch, rows int64) error {
	t := s.txn
	defer s.client.wait("commit the transaction of the epoch")()
	// The client notes a new topic's partitions only behind the first records that it sends there, and the end of a transaction begins the sequence of each noted partition anew. All
	// records have been written, so that there is nothing to abort: what counts is that the call waits for the note.
	if err := s.client.kc.AbortBufferedRecords(ctx); err != nil {
		return s.transactionFailed(ctx, "commit a transaction", err)
	}
	if err := s.client.kc.EndTransaction(ctx, kgo.TryCommit); err != nil {
		return s.transactionFailed(ctx, "commit a transaction", err)
	}
	t.open = false
	if t.queryID != "" {
		t.last, t.found = epochRecord{t.queryID, epoch, rows, t.plan}, true
	}
	return nil
}

// abandon ends the transaction of a write that has failed. What is left open the next start ends, or the brokers do.
func (s *sink) abandon(ctx context.Context) {
	t := s.txn
	if t == nil || !t.open || !s.client.reached.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), t.patience)
	defer cancel()
	if s.client.kc.AbortBufferedRecords(ctx) == nil {
		_ = s.client.kc.EndTransaction(ctx, kgo.TryAbort) // the write's own error is the one to tell
	}
}

// epochRecordOf is the record that commits an epoch.
func (s *sink) epochRecordOf(epoch, rows int64) (*kgo.Record, error) {
	t := s.txn
	value, err := json.Marshal(epochRecord{t.queryID, epoch, rows, t.plan})
	return &kgo.Record{Topic: t.topic, Partition: 0, Key: t.key(), Value: value}, err
}

// fenced tells errors of a producer that is not the only one of its id any more.
func fenced(err error) bool {
	for _, k := range []error{kerr.ProducerFenced, kerr.InvalidProducerEpoch, kerr.InvalidProducerIDMapping} {
		if errors.Is(err, k) {
			return true
		}
	}
	return err != nil && strings.Contains(err.Error(), kerr.ProducerFenced.Message) // the client below keeps the text alone in places
}

// transactionFailed makes the error of a transaction that could not be begun or ended.
func (s *sink) transactionFailed(ctx context.Context, what string, err error) error {
	t := s.txn
	if ctx.Err() != nil {
		return s.client.interrupted(ctx, what, err, 0)
	}
	if fenced(err) || errors.Is(err, kerr.OperationNotAttempted) {
		e := condition.Newf(condition.ConcurrentStreamLog, "The brokers have ended the transaction of the sink: another producer has taken over the transactional id %s, or the epoch took longer than %v to write.", t.id, t.timeout)
		e.Hint = "Run one query at a time under a transactional id (connectors.ExactlyOnce). Where an epoch takes so long, write less in one, or raise connectors.TransactionTimeout and transaction.max.timeout.ms of the brokers."
		e.Cause = s.cfg.safe(err)
		return e
	}
	return s.client.failed(what, err, 0)
}
