package kafka

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// sink is an open Kafka sink. A row arrives at least once: an epoch that is repeated after a crash is written again. With transactions it arrives once for readers of
// committed records.
type sink struct {
	env    connector.Env
	cfg    *config
	client *client
	// topic is that of all rows; where it is empty each row names its own.
	topic string
	// known are the topics that the brokers were asked for.
	known map[string]bool
	// txn is nil for a sink that writes at least once.
	txn *transactions
}

func openSink(env connector.Env, d *tree.Sink) (*sink, error) {
	if !env.Streaming && (env.Save == tree.SaveOverwrite || env.Save == tree.SaveIgnore) {
		e := invalid("The save mode %s is not possible with Kafka, whose topics only grow.", env.Save)
		e.Hint = "Use append, or the default."
		return nil, e
	}
	cfg, err := parseConfig(d.Options, true)
	if err != nil {
		return nil, err
	}
	s := &sink{cfg: cfg, env: env}
	s.topic, _ = d.Options.Get("topic")
	if s.txn, err = newTransactions(env, cfg, d.Options); err != nil {
		return nil, err
	}
	if err := s.connect(); err != nil {
		return nil, err
	}
	return s, nil
}

// connect makes a producer. Idempotence, and with it the order of requests that are repeated, is its default.
func (s *sink) connect() error {
	opts := []kgo.Opt{
		kgo.RequiredAcks(kgo.AllISRAcks()), kgo.AllowAutoTopicCreation(), kgo.RecordDeliveryTimeout(s.cfg.deliveryTimeout),
		kgo.RecordPartitioner(partitioner{kgo.StickyKeyPartitioner(nil)}), kgo.UnknownTopicRetries(unknownTries),
	}
	c, err := newClient(s.env, s.cfg, append(opts, s.txn.options(s.cfg)...)...)
	if err != nil {
		return err
	}
	if s.cfg.maxBlock > 0 {
		c.attempts = 1
	}
	s.client, s.known = c, map[string]bool{}
	if s.txn != nil {
		s.txn.begun, s.txn.open = time.Time{}, false
	}
	return nil
}

// Description implements [connector.Sink].
func (s *sink) Description() string {
	return "org.apache.spark.sql.kafka010.KafkaSourceProvider$KafkaTable"
}

// Close implements [connector.Sink].
func (s *sink) Close() error {
	s.client.close()
	return nil
}

// layout says which column of the input is which part of a message; -1 for none.
type layout struct{ key, value, topic, partition, headers int }

// headersType is the type of the column headers.
var headersType = datatype.Array{Elem: datatype.Struct{Fields: []datatype.Field{{Name: "key", Type: datatype.String, Nullable: true}, {Name: "value", Type: datatype.Binary, Nullable: true}}}, ContainsNull: true}

// layoutOf finds the parts of a message among the columns.
//
// Source: Spark's KafkaWriter.validateQuery.
func layoutOf(fields []datatype.Field, topic string) (layout, error) {
	l := layout{-1, -1, -1, -1, -1}
	text := func(t datatype.Type) bool { return datatype.IsString(t) }
	for _, part := range []struct {
		name string
		at   *int
		fits func(datatype.Type) bool
		want string
	}{
		{"key", &l.key, func(t datatype.Type) bool { return text(t) || t.Kind() == datatype.KindBinary }, "STRING or BINARY"},
		{"value", &l.value, func(t datatype.Type) bool { return text(t) || t.Kind() == datatype.KindBinary }, "STRING or BINARY"},
		{"topic", &l.topic, text, "STRING"},
		{"partition", &l.partition, func(t datatype.Type) bool { return t.Kind() == datatype.KindInt }, "INT"},
		{"headers", &l.headers, isHeaders, headersType.String()},
	} {
		for i, f := range fields {
			if f.Name != part.name {
				continue
			}
			if part.name == "topic" && topic != "" {
				break // the option goes before the column, as in Spark
			}
			if !part.fits(f.Type) {
				e := condition.Newf(condition.InvalidValue, "The column %s of a Kafka sink must be %s, not %s.", part.name, part.want, f.Type)
				e.Hint = "Cast it, or rename it if it is no part of the message."
				return l, e
			}
			*part.at = i
			break
		}
	}
	if l.value < 0 {
		e := condition.Newf(condition.InvalidValue, "A Kafka sink needs a column value; the query has %s.", datatype.DDL(fields))
		e.Hint = "Name the column that is the message value, or give the sink a codec, which makes one of all columns."
		return l, e
	}
	if l.topic < 0 && topic == "" {
		e := condition.Newf(condition.InvalidValue, "A Kafka sink needs a topic: neither its option nor a column topic is there.")
		e.Hint = "Give the topic to ToKafka, or add a column topic."
		return l, e
	}
	return l, nil
}

func isHeaders(t datatype.Type) bool {
	a, ok := t.(datatype.Array)
	if !ok {
		return false
	}
	s, ok := a.Elem.(datatype.Struct)
	return ok && len(s.Fields) == 2 && s.Fields[0].Name == "key" && datatype.IsString(s.Fields[0].Type) && s.Fields[1].Name == "value" && s.Fields[1].Type.Kind() == datatype.KindBinary
}

// partitioner keeps the partition that a row names and leaves the others to the client, which hashes keys as Java's does.
type partitioner struct{ kgo.Partitioner }

// ForTopic implements kgo.Partitioner.
func (p partitioner) ForTopic(topic string) kgo.TopicPartitioner {
	return &topicPartitioner{p.Partitioner.ForTopic(topic)}
}

type topicPartitioner struct{ kgo.TopicPartitioner }

// RequiresConsistency implements kgo.TopicPartitioner.
func (p *topicPartitioner) RequiresConsistency(r *kgo.Record) bool {
	return r.Partition >= 0 || p.TopicPartitioner.RequiresConsistency(r)
}

// Partition implements kgo.TopicPartitioner.
func (p *topicPartitioner) Partition(r *kgo.Record, n int) int {
	if r.Partition >= 0 {
		return int(r.Partition)
	}
	return p.TopicPartitioner.Partition(r, n)
}

// OnNewBatch implements kgo.TopicPartitionerOnNewBatch.
func (p *topicPartitioner) OnNewBatch() {
	if x, ok := p.TopicPartitioner.(kgo.TopicPartitionerOnNewBatch); ok {
		x.OnNewBatch()
	}
}

// Write implements [connector.Sink]. It returns when all replicas have every record. With transactions an epoch that the brokers have committed before is only drained, and its
// rows count as written.
func (s *sink) Write(ctx context.Context, epoch int64, _ tree.OutputMode, fields []datatype.Field, rows connector.Batches) (int64, error) {
	began := time.Now()
	l, err := layoutOf(fields, s.topic)
	if err != nil {
		return 0, err
	}
	if s.topic != "" {
		if err := s.ensure(ctx, map[string]int32{s.topic: -1}); err != nil {
			return 0, err
		}
	}
	if s.txn != nil {
		committed, err := s.begin(ctx, epoch)
		if err != nil {
			s.reset(ctx)
			return 0, err
		}
		if committed {
			return s.drain(ctx, epoch, l, rows)
		}
	}
	var (
		mu    sync.Mutex
		first error
		n     int64
	)
	promise := func(_ *kgo.Record, err error) {
		mu.Lock()
		defer mu.Unlock()
		if err != nil && first == nil {
			first = err
		}
	}
	failure := func() error {
		mu.Lock()
		defer mu.Unlock()
		return first
	}
	err = func() error {
		for rec, err := range rows {
			if err != nil {
				return err
			}
			records, err := s.records(ctx, l, rec)
			rec.Release()
			if err != nil {
				return err
			}
			for _, r := range records {
				s.client.kc.Produce(ctx, r, promise)
			}
			n += int64(len(records))
			if err := failure(); err != nil {
				return s.writeFailed(ctx, err, began)
			}
		}
		if s.txn != nil && s.txn.queryID != "" && n > 0 {
			r, err := s.epochRecordOf(epoch, n)
			if err != nil {
				return err
			}
			s.client.kc.Produce(ctx, r, promise)
		}
		over := s.client.wait("write records of the epoch")
		err := s.client.kc.Flush(ctx)
		over()
		if err != nil {
			return s.writeFailed(ctx, err, began)
		}
		if err := failure(); err != nil {
			return s.writeFailed(ctx, err, began)
		}
		if s.txn != nil {
			return s.commit(ctx, epoch, n)
		}
		return nil
	}()
	if err != nil {
		s.reset(ctx)
		return 0, err
	}
	return n, nil
}

// Planned implements [connector.Planned].
func (s *sink) Planned(plan string) {
	if s.txn != nil {
		s.txn.plan = plan
	}
}

// drain reads an epoch that the brokers have committed before. Where a record of an earlier version does not tell whether it is the same epoch, it must have as many rows: a checkpoint that was set back
// to before the epoch was planned would else lose what has come since.
func (s *sink) drain(ctx context.Context, epoch int64, l layout, rows connector.Batches) (int64, error) {
	n := int64(0)
	for rec, err := range rows {
		if err != nil {
			return 0, err
		}
		records, err := s.records(ctx, l, rec)
		rec.Release()
		if err != nil {
			return 0, err
		}
		n += int64(len(records))
	}
	if t := s.txn; (t.last.Plan == "" || t.plan == "") && n != t.last.Rows {
		e := condition.Newf(condition.CheckpointMismatch, "Epoch %d has %d rows, and Kafka has it with %d under the transactional id %s: the checkpoint is older than what was written.", epoch, n, t.last.Rows, t.id)
		e.Hint = "Go on with the newest copy of the checkpoint. To write the rows once more, start with a new checkpoint folder."
		return 0, e
	}
	return n, nil
}

// reset makes a new client after a failure: what is still on its way must not arrive with a later epoch. Without transactions to abort it would mean to wait for brokers
// that may be gone.
func (s *sink) reset(ctx context.Context) {
	s.abandon(ctx)
	reached := s.client.reached.Load()
	s.client.close()
	if e := s.connect(); e == nil {
		s.client.reached.Store(reached)
	}
}

func (s *sink) writeFailed(ctx context.Context, err error, began time.Time) error {
	if ctx.Err() != nil {
		return s.client.interrupted(ctx, "write records", err, time.Since(began))
	}
	switch {
	case s.txn != nil && fenced(err):
		return s.transactionFailed(ctx, "write records", err)
	case errors.Is(err, kerr.UnknownTopicOrPartition):
		return s.cfg.unknown("topic or partition that a row of the query goes to")
	case errors.Is(err, kerr.MessageTooLarge):
		e := condition.Newf(condition.ConnectorFailed, "A record is larger than Kafka takes.")
		e.Hint = "Raise max.message.bytes of the topic and kafka.max.request.size of the sink."
		e.Cause = s.client.cfg.safe(err)
		return e
	}
	took := time.Duration(0)
	if errors.Is(err, kgo.ErrRecordTimeout) {
		took = s.client.cfg.deliveryTimeout
	}
	return s.client.failed("write records", err, took)
}

// ensure makes sure that topics are there before anything is written to them, with the number of partitions that rows name. A broker that
// makes topics by itself (auto.create.topics.enable) makes them now.
func (s *sink) ensure(ctx context.Context, most map[string]int32) error {
	var names []string
	for t := range most {
		if !s.known[t] {
			names = append(names, t)
		}
	}
	if len(names) > 0 {
		err := s.client.retry(ctx, "look up "+named(names), s.client.budget, oneRequest, func(ctx context.Context) error {
			_, err := s.client.metadata(ctx, names, true)
			return err
		})
		if condition.Of(err) == condition.UnknownTopic {
			var e *condition.Error
			if errors.As(err, &e) {
				e.Hint = "Create it, or let the brokers make topics by themselves (auto.create.topics.enable)."
			}
		}
		if err != nil {
			return err
		}
		for _, t := range names {
			s.known[t] = true
		}
	}
	for t, p := range most {
		if p < 0 {
			continue
		}
		if _, _, err := s.client.leader(ctx, tp{t, p}, false); condition.Of(err) == condition.UnknownTopic {
			return err
		}
	}
	return nil
}

// records makes messages of a batch. Their bytes are copies: the batch is released before they are sent.
func (s *sink) records(ctx context.Context, l layout, rec arrow.RecordBatch) ([]*kgo.Record, error) {
	n := int(rec.NumRows())
	out := make([]*kgo.Record, n)
	all := make([]kgo.Record, n)
	most := map[string]int32{}
	column := func(i int) arrow.Array {
		if i < 0 {
			return nil
		}
		return rec.Column(i)
	}
	key, value, topic, partition, headers := column(l.key), column(l.value), column(l.topic), column(l.partition), column(l.headers)
	for i := range n {
		r := &all[i]
		r.Topic, r.Partition = s.topic, -1
		if topic != nil {
			t := bytesAt(topic, i)
			if t == nil {
				e := condition.Newf(condition.KafkaNullTopic, "The column topic is null in a row.")
				e.Hint = "Filter such rows, or give the topic to ToKafka."
				return nil, e
			}
			r.Topic = string(t)
		}
		r.Key, r.Value = bytesAt(key, i), bytesAt(value, i)
		if p, ok := partition.(*array.Int32); ok && !p.IsNull(i) {
			if r.Partition = p.Value(i); r.Partition < 0 {
				return nil, condition.Newf(condition.InvalidValue, "The column partition is %d in a row.", r.Partition)
			}
		}
		if headers != nil {
			var err error
			if r.Headers, err = headersAt(headers, i); err != nil {
				return nil, err
			}
		}
		if p, ok := most[r.Topic]; !ok || r.Partition > p {
			most[r.Topic] = r.Partition
		}
		out[i] = r
	}
	if n == 0 {
		return nil, nil
	}
	return out, s.ensure(ctx, most)
}

// bytesAt copies a text or a binary; nil for null.
func bytesAt(a arrow.Array, i int) []byte {
	if a == nil || a.IsNull(i) {
		return nil
	}
	switch x := a.(type) {
	case *array.Binary:
		return append([]byte{}, x.Value(i)...)
	case *array.String:
		return []byte(x.Value(i))
	case *array.LargeBinary:
		return append([]byte{}, x.Value(i)...)
	case *array.LargeString:
		return []byte(x.Value(i))
	}
	return nil
}

func headersAt(a arrow.Array, i int) ([]kgo.RecordHeader, error) {
	list, ok := a.(*array.List)
	if !ok || list.IsNull(i) {
		return nil, nil
	}
	entry, ok := list.ListValues().(*array.Struct)
	if !ok {
		return nil, nil
	}
	from, to := list.ValueOffsets(i)
	var out []kgo.RecordHeader
	for j := int(from); j < int(to); j++ {
		k := bytesAt(entry.Field(0), j)
		if entry.IsNull(j) || k == nil {
			return nil, condition.Newf(condition.InvalidValue, "A header without a key cannot be written to Kafka.")
		}
		out = append(out, kgo.RecordHeader{Key: string(k), Value: bytesAt(entry.Field(1), j)})
	}
	return out, nil
}
