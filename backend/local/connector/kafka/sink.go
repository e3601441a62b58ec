package kafka

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
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

// sink writes rows as records. An epoch is written when every replica in sync has its records; one that is written again after a
// restart comes again, as with Spark's Kafka sink.
type sink struct {
	env    connector.Env
	cfg    *config
	client *kgo.Client
	topic  string // the option topic, which goes before the column
	once   sync.Once
}

func openSink(ctx context.Context, env connector.Env, t *tree.Sink) (connector.Sink, error) {
	cfg, err := clientConfig(t.Options, true)
	if err != nil {
		return nil, err
	}
	s := &sink{env: env, cfg: cfg}
	s.topic, _ = t.Options.Get("topic")
	// As with Kafka's own producer, a topic that is not there comes into being when the server allows it.
	opts := append(cfg.opts, kgo.AllowAutoTopicCreation(), kgo.RequiredAcks(kgo.AllISRAcks()), kgo.RecordPartitioner(partitioner{kgo.StickyKeyPartitioner(nil)}), kgo.MaxBufferedRecords(50_000))
	if s.client, err = kgo.NewClient(opts...); err != nil {
		return nil, cfg.failed("the client cannot be made", err)
	}
	call, cancel := cfg.bounded(ctx)
	defer cancel()
	if err := s.client.Ping(call); err != nil {
		s.client.Close()
		return nil, cfg.failed("no server answered", err)
	}
	return s, nil
}

// partitioner sends a record where its row says, and the others as Kafka's own producer does: by the hash of the key.
type partitioner struct{ kgo.Partitioner }

type topicPartitioner struct{ kgo.TopicPartitioner }

// ForTopic implements [kgo.Partitioner].
func (p partitioner) ForTopic(t string) kgo.TopicPartitioner {
	return topicPartitioner{p.Partitioner.ForTopic(t)}
}

// RequiresConsistency implements [kgo.TopicPartitioner].
func (t topicPartitioner) RequiresConsistency(r *kgo.Record) bool {
	return r.Partition >= 0 || t.TopicPartitioner.RequiresConsistency(r)
}

// Partition implements [kgo.TopicPartitioner].
func (t topicPartitioner) Partition(r *kgo.Record, n int) int {
	if r.Partition >= 0 {
		return int(r.Partition)
	}
	return t.TopicPartitioner.Partition(r, n)
}

// OnNewBatch implements [kgo.TopicPartitionerOnNewBatch].
func (t topicPartitioner) OnNewBatch() {
	if b, ok := t.TopicPartitioner.(kgo.TopicPartitionerOnNewBatch); ok {
		b.OnNewBatch()
	}
}

// layout has the ordinals of the columns that make a record, -1 for none.
type layout struct{ key, value, headers, topic, partition int }

// layout checks the columns as Spark's KafkaWriter does. Where the description has a codec, the engine has packed the rows into key and value
// before they come here.
func (s *sink) layout(schema []datatype.Field) (layout, error) {
	l := layout{-1, -1, -1, -1, -1}
	find := func(name string) int {
		for i, f := range schema {
			if datatype.FoldName(f.Name) == name {
				return i
			}
		}
		return -1
	}
	wrong := func(i int, want string) error {
		e := condition.Newf(condition.DatatypeMismatch, "The column %s of a Kafka sink must be %s, not %s.", datatype.QuoteName(schema[i].Name), want, schema[i].Type)
		e.Hint = "Cast it, or give the sink a codec."
		return e
	}
	l.key, l.value, l.headers, l.topic, l.partition = find("key"), find("value"), find("headers"), find("topic"), find("partition")
	if l.value < 0 {
		e := condition.Newf(condition.UnresolvedColumn, "A Kafka sink needs a column named value, and the query has %s.", datatype.DDL(schema))
		e.Hint = "Name one so, or give the sink a codec that packs all columns."
		return l, e
	}
	for _, i := range []int{l.key, l.value} {
		if i >= 0 && !datatype.IsString(schema[i].Type) && schema[i].Type.Kind() != datatype.KindBinary {
			return l, wrong(i, "STRING or BINARY")
		}
	}
	if l.headers >= 0 {
		want, err := datatype.Parse("ARRAY<STRUCT<key: STRING, value: BINARY>>")
		if err != nil || !sameShape(schema[l.headers].Type, want) {
			return l, wrong(l.headers, "ARRAY<STRUCT<key: STRING, value: BINARY>>")
		}
	}
	if l.topic >= 0 && !datatype.IsString(schema[l.topic].Type) {
		return l, wrong(l.topic, "STRING")
	}
	if l.partition >= 0 && schema[l.partition].Type != datatype.Int {
		return l, wrong(l.partition, "INT")
	}
	if s.topic == "" && l.topic < 0 {
		e := condition.Newf(condition.InvalidOption, "A Kafka sink needs a topic.")
		e.Hint = "Name it in the description, or give each row one in a column named topic."
		return l, e
	}
	return l, nil
}

// sameShape compares types without regard to nullability and names of fields.
func sameShape(a, b datatype.Type) bool {
	switch x := a.(type) {
	case datatype.Array:
		y, ok := b.(datatype.Array)
		return ok && sameShape(x.Elem, y.Elem)
	case datatype.Struct:
		y, ok := b.(datatype.Struct)
		if !ok || len(x.Fields) != len(y.Fields) {
			return false
		}
		for i := range x.Fields {
			if !sameShape(x.Fields[i].Type, y.Fields[i].Type) {
				return false
			}
		}
		return true
	}
	return a.Kind() == b.Kind()
}

// Write implements [connector.Sink].
func (s *sink) Write(ctx context.Context, _ int64, _ tree.OutputMode, schema []datatype.Field, rows connector.Batches) (int64, error) {
	l, err := s.layout(schema)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var acked atomic.Int64
	done := func(_ *kgo.Record, err error) {
		if err != nil {
			cancel(err)
		} else {
			acked.Add(1)
		}
	}
	for b, err := range rows {
		if err == nil {
			err = s.produce(ctx, l, b, done)
			b.Release()
		}
		if err != nil {
			cancel(err)
			// What is on its way must not run into the next try.
			s.abort()
			return 0, err
		}
		if ctx.Err() != nil {
			break
		}
	}
	if err := s.client.Flush(ctx); err != nil || ctx.Err() != nil {
		s.abort()
		return 0, s.writeFailed(ctx, err)
	}
	// The last record's callback may have failed between Flush and here.
	if ctx.Err() != nil {
		return 0, s.writeFailed(ctx, ctx.Err())
	}
	return acked.Load(), nil
}

// abort drops the records that are still on their way.
func (s *sink) abort() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = s.client.AbortBufferedRecords(ctx) // the error of the write is what counts
}

func (s *sink) writeFailed(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if condition.Of(err) != "" {
		return err
	}
	if errors.Is(err, kerr.UnknownTopicOrPartition) {
		e := condition.Newf(condition.UnknownTopic, "Kafka at %s does not have the topic %q, or not the partition that a row asks for.", strings.Join(s.cfg.servers, ","), s.topic)
		e.Cause = err
		e.Hint = "Create the topic before the query starts."
		return e
	}
	return s.cfg.failed("the records cannot be written", err)
}

// produce hands the rows of a batch to the client, which copies nothing: the bytes are copied here, for the batch ends before the
// records are sent.
func (s *sink) produce(ctx context.Context, l layout, b arrow.RecordBatch, done func(*kgo.Record, error)) error {
	n := int(b.NumRows())
	value, err := bytesOf(b.Column(l.value))
	if err != nil {
		return err
	}
	var key func(int) []byte
	if l.key >= 0 {
		if key, err = bytesOf(b.Column(l.key)); err != nil {
			return err
		}
	}
	var topic *array.String
	if l.topic >= 0 {
		topic, _ = b.Column(l.topic).(*array.String)
	}
	var part *array.Int32
	if l.partition >= 0 {
		part, _ = b.Column(l.partition).(*array.Int32)
	}
	var headers *array.List
	if l.headers >= 0 {
		headers, _ = b.Column(l.headers).(*array.List)
	}
	for i := range n {
		r := &kgo.Record{Topic: s.topic, Partition: -1, Value: value(i)}
		if key != nil {
			r.Key = key(i)
		}
		if s.topic == "" {
			if topic == nil || topic.IsNull(i) {
				e := condition.Newf(condition.InvalidValue, "A row for Kafka has no topic.")
				e.Hint = "Set a topic in the description of the sink for the rows whose column topic is null."
				return e
			}
			r.Topic = strings.Clone(topic.Value(i))
		}
		if part != nil && !part.IsNull(i) {
			if r.Partition = part.Value(i); r.Partition < 0 {
				return condition.Newf(condition.InvalidValue, "A row for Kafka asks for the partition %d.", r.Partition)
			}
		}
		if headers != nil && !headers.IsNull(i) {
			if r.Headers, err = headersOf(headers, i); err != nil {
				return err
			}
		}
		s.client.Produce(ctx, r, done)
		if i%1024 == 0 && ctx.Err() != nil {
			return s.writeFailed(ctx, ctx.Err())
		}
	}
	return nil
}

func headersOf(a *array.List, i int) ([]kgo.RecordHeader, error) {
	entries, ok := a.ListValues().(*array.Struct)
	if !ok {
		return nil, fmt.Errorf("headers are no structs")
	}
	keys, ok1 := entries.Field(0).(*array.String)
	values, ok2 := entries.Field(1).(*array.Binary)
	if !ok1 || !ok2 {
		return nil, fmt.Errorf("headers are no structs of STRING and BINARY")
	}
	from, to := a.ValueOffsets(i)
	out := make([]kgo.RecordHeader, 0, to-from)
	for j := int(from); j < int(to); j++ {
		h := kgo.RecordHeader{Key: strings.Clone(keys.Value(j))}
		if !values.IsNull(j) {
			h.Value = append([]byte{}, values.Value(j)...)
		}
		out = append(out, h)
	}
	return out, nil
}

// bytesOf gives the bytes of row i, nil for null.
func bytesOf(a arrow.Array) (func(int) []byte, error) {
	switch x := a.(type) {
	case *array.String:
		return func(i int) []byte {
			if x.IsNull(i) {
				return nil
			}
			return append([]byte{}, x.Value(i)...)
		}, nil
	case *array.Binary:
		return func(i int) []byte {
			if x.IsNull(i) {
				return nil
			}
			return append([]byte{}, x.Value(i)...)
		}, nil
	}
	return nil, condition.Newf(condition.DatatypeMismatch, "Kafka's key and value are STRING or BINARY, not %s.", a.DataType())
}

// Description implements [connector.Sink].
func (s *sink) Description() string {
	if s.topic == "" {
		return "KafkaSink[column topic]"
	}
	return "KafkaSink[" + s.topic + "]"
}

// Close implements [connector.Sink].
func (s *sink) Close() error {
	s.once.Do(s.client.Close)
	return nil
}
