package connectors

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// kafkaOptions are those of Spark's page "Structured Streaming + Kafka Integration Guide".
var kafkaOptions = map[string]spec{
	"subscribe":                          src(anything),
	"subscribePattern":                   src(pattern),
	"assign":                             src(jsonText),
	"startingOffsets":                    src(offsets("earliest", "latest")),
	"endingOffsets":                      src(offsets("latest")),
	"startingTimestamp":                  src(whole(0)),
	"endingTimestamp":                    src(whole(0)),
	"startingOffsetsByTimestamp":         src(jsonText),
	"endingOffsetsByTimestamp":           src(jsonText),
	"startingOffsetsByTimestampStrategy": src(oneOf("error", "latest")),
	"failOnDataLoss":                     src(truth),
	"kafkaConsumer.pollTimeoutMs":        src(whole(1)),
	"fetchOffset.numRetries":             src(whole(0)),
	"fetchOffset.retryIntervalMs":        src(whole(0)),
	"maxOffsetsPerTrigger":               src(whole(1)),
	"minOffsetsPerTrigger":               src(whole(1)),
	"maxTriggerDelay":                    src(anything),
	"minPartitions":                      src(whole(1)),
	"maxRecordsPerPartition":             src(whole(1)),
	"groupIdPrefix":                      src(anything),
	"includeHeaders":                     both(truth),
	"topic":                              snk(anything),
	"epochTopic":                         snk(topicName),
	"kafka.*":                            both(anything),
}

// kafkaForbidden are the consumer and producer settings that Spark sets itself and refuses from users.
var kafkaForbidden = map[string]string{
	"kafka.auto.offset.reset": "set startingOffsets instead", "kafka.key.deserializer": "keys are read as bytes", "kafka.value.deserializer": "values are read as bytes",
	"kafka.key.serializer": "keys are written as bytes or texts", "kafka.value.serializer": "values are written as bytes or texts",
	"kafka.enable.auto.commit": "the checkpoint keeps the offsets", "kafka.interceptor.classes": "it may break the query",
}

func pattern(v string) error {
	if _, err := regexp.Compile(v); err != nil {
		return fmt.Errorf("must be a regular expression (%v)", err)
	}
	return nil
}

func offsets(words ...string) func(string) error {
	return func(v string) error {
		if oneOf(words...)(v) == nil {
			return nil
		}
		var m map[string]map[string]int64
		if json.Unmarshal([]byte(v), &m) != nil {
			return fmt.Errorf("must be %s, or JSON such as {\"topic\":{\"0\":23,\"1\":-2}}", strings.Join(words, " or "))
		}
		return nil
	}
}

// topicName holds Kafka's rule for names of topics.
//
// Source: Kafka's Topic.validate.
func topicName(v string) error {
	if v == "" || v == "." || v == ".." || len(v) > 249 || strings.ContainsFunc(v, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r))
	}) {
		return errors.New("must be a topic's name: up to 249 of the letters a to z and A to Z, digits, points, underscores and hyphens")
	}
	return nil
}

// KafkaEnvelope is the column that keeps a message's own fields beside the payload's columns.
const KafkaEnvelope = "kafka"

// Kafka is a description of topics to read, or of a topic to write.
type Kafka struct {
	servers  string
	topic    string
	codec    Codec
	opts     []Option
	sink     bool
	envelope string
	key      string
}

// FromKafka reads a topic, or several joined by commas. With a codec the columns are the payload's, and the message's own fields (key, topic,
// partition, offset, timestamp, timestampType, and headers if asked for) are in the struct column kafka; with the zero Codec the columns are
// Kafka's, key and value as BINARY. It reads from the latest offset on as a stream and from the earliest as a batch, unless
// [StartingOffsets] or its kin say otherwise. Instead of a topic, leave it empty and give [SubscribePattern] or [Assign].
func FromKafka(servers, topic string, codec Codec, opts ...Option) Kafka {
	return Kafka{servers: servers, topic: topic, codec: codec, opts: opts, envelope: KafkaEnvelope}
}

// ToKafka writes into a topic. With a codec all columns become the message's value; [Key] names the column that becomes its key too. With the
// zero Codec the columns are Kafka's: value (STRING or BINARY, needed), and if present key, topic, partition and headers. A topic given
// here goes before a topic column; leave it empty for the column's. Rows arrive at least once: an epoch that is repeated after a crash is written again, unless
// [ExactlyOnce] is among the options.
func ToKafka(servers, topic string, codec Codec, opts ...Option) Kafka {
	return Kafka{servers: servers, topic: topic, codec: codec, opts: opts, sink: true}
}

// Envelope names the column that keeps a message's own fields; "" leaves them out.
func (k Kafka) Envelope(column string) Kafka { k.envelope = column; return k }

// Key names the column whose text becomes the message's key. The column stays in the payload.
func (k Kafka) Key(column string) Kafka { k.key = column; return k }

// String prints the description, secrets as ***.
func (k Kafka) String() string {
	o, err := k.options()
	if err != nil {
		return "kafka: " + err.Error()
	}
	return "kafka: " + o.String()
}

// GoString is String, so that %#v prints no secret either.
func (k Kafka) GoString() string { return k.String() }

func (k Kafka) options() (tree.Options, error) {
	at := "source"
	var base tree.Options
	if k.sink {
		at = "sink"
		if k.topic != "" {
			base = base.With(tree.Option{Key: "topic", Value: k.topic})
		}
	} else if k.topic != "" {
		base = base.With(tree.Option{Key: "subscribe", Value: k.topic})
	}
	if strings.TrimSpace(k.servers) == "" {
		e := invalid("The Kafka %s needs its servers.", at)
		e.Hint = "Give them as host:port, joined by commas."
		return nil, e
	}
	base = base.With(tree.Option{Key: "kafka.bootstrap.servers", Value: k.servers})
	o, err := build("kafka", at, kafkaOptions, base, k.opts)
	if err != nil {
		return nil, err
	}
	for _, x := range o {
		if why, ok := kafkaForbidden[strings.ToLower(x.Key)]; ok {
			return nil, invalid("Option %s cannot be set: %s.", x.Key, why)
		}
	}
	if k.sink {
		return exactlyOnce(o)
	}
	if _, ok := o.Get(tree.TransactionalID); ok {
		e := invalid("Option %s belongs to the kafka sink, not to the source.", tree.TransactionalID)
		e.Hint = "A source that reads what such a sink has written takes connectors.ReadCommitted()."
		return nil, e
	}
	n := 0
	for _, key := range []string{"subscribe", "subscribePattern", "assign"} {
		if has(o, key) {
			n++
		}
	}
	if n != 1 {
		e := invalid("A Kafka source reads by exactly one of subscribe, subscribePattern and assign; %d are given.", n)
		e.Hint = "Give a topic, or leave it empty and use SubscribePattern or Assign."
		return nil, e
	}
	lo, hasLo := o.Get("minOffsetsPerTrigger")
	hi, hasHi := o.Get("maxOffsetsPerTrigger")
	if a, b := atoi(lo), atoi(hi); hasLo && hasHi && a > b {
		return nil, invalid("minOffsetsPerTrigger (%d) is above maxOffsetsPerTrigger (%d).", a, b)
	}
	return o, nil
}

// epochTopicSuffix follows a transactional id in the name of its topic of epochs.
const epochTopicSuffix = "-epochs"

// exactlyOnce checks the options of [ExactlyOnce] and names the topic of epochs where they do not.
func exactlyOnce(o tree.Options) (tree.Options, error) {
	id, ok := o.Get(tree.TransactionalID)
	if !ok {
		for _, key := range []string{"epochTopic", "kafka.transaction.timeout.ms"} {
			if has(o, key) {
				e := invalid("Option %s belongs to transactions, and the sink has none.", key)
				e.Hint = "Add connectors.ExactlyOnce, or leave it out."
				return nil, e
			}
		}
		return o, nil
	}
	if strings.TrimSpace(id) == "" {
		e := invalid("The transactional id is empty.")
		e.Hint = "Name the query by it: it must be the same whenever the query is started, and no other producer's."
		return nil, e
	}
	epochs, ok := o.Get("epochTopic")
	if !ok {
		epochs = id + epochTopicSuffix
		if topicName(epochs) != nil {
			e := invalid("The topic of epochs of the transactional id %q cannot be named after it: %q is no topic's name.", id, epochs)
			e.Hint = "Name one with connectors.EpochTopic, or give the id letters, digits, points, underscores and hyphens only."
			return nil, e
		}
		o = o.With(tree.Option{Key: "epochTopic", Value: epochs})
	}
	if topic, _ := o.Get("topic"); topic == epochs {
		return nil, invalid("The topic %s cannot take both the rows and the epochs of the sink.", topic)
	}
	return o, nil
}

func atoi(s string) int64 { n, _ := strconv.ParseInt(s, 10, 64); return n }

// Source implements expr.Source.
func (k Kafka) Source() (*tree.Source, error) {
	if k.sink {
		return nil, invalid("ToKafka describes a sink; read with FromKafka.")
	}
	o, err := k.options()
	if err != nil {
		return nil, err
	}
	fields := []datatype.Field{
		{Name: "key", Type: datatype.Binary, Nullable: true}, {Name: "value", Type: datatype.Binary, Nullable: true}, {Name: "topic", Type: datatype.String, Nullable: true},
		{Name: "partition", Type: datatype.Int, Nullable: true}, {Name: "offset", Type: datatype.Long, Nullable: true}, {Name: "timestamp", Type: datatype.Timestamp, Nullable: true},
		{Name: "timestampType", Type: datatype.Int, Nullable: true},
	}
	if v, _ := o.Get("includeHeaders"); strings.EqualFold(v, "true") {
		header := datatype.Struct{Fields: []datatype.Field{{Name: "key", Type: datatype.String, Nullable: true}, {Name: "value", Type: datatype.Binary, Nullable: true}}}
		fields = append(fields, datatype.Field{Name: "headers", Type: datatype.Array{Elem: header, ContainsNull: true}, Nullable: true})
	}
	codec, err := k.codec.tree("value", k.envelope, "source")
	if err != nil {
		return nil, err
	}
	return &tree.Source{Format: "kafka", Options: o, Fields: fields, Codec: codec, Batch: true, Stream: true}, nil
}

// Sink implements expr.Sink.
func (k Kafka) Sink() (*tree.Sink, error) {
	if !k.sink {
		return nil, invalid("FromKafka describes a source; write with ToKafka.")
	}
	o, err := k.options()
	if err != nil {
		return nil, err
	}
	codec, err := k.codec.tree("value", "", "sink")
	if err != nil {
		return nil, err
	}
	if codec == nil && k.key != "" {
		e := invalid("Key names a column of the payload, so it needs a codec.")
		e.Hint = "Without one the column named key is the message's key."
		return nil, e
	}
	return &tree.Sink{Format: "kafka", Options: o, Codec: codec, Key: k.key, Batch: true, Stream: true, Modes: []tree.OutputMode{tree.Append, tree.Update, tree.Complete}}, nil
}

// SubscribePattern reads all topics whose name matches a Java regular expression, also those that come later.
func SubscribePattern(p string) Option { return Set("subscribePattern", p) }

// Assign reads given partitions by topic.
func Assign(partitions map[string][]int) Option {
	text, err := json.Marshal(partitions)
	o := Set("assign", string(text))
	if err != nil || len(partitions) == 0 {
		o.err = condition.Newf(condition.InvalidOption, "Assign needs at least one topic with its partitions.")
	}
	return o
}

// Earliest and Latest are ends of a partition, for [StartingOffsets].
const (
	Earliest = "earliest"
	Latest   = "latest"
)

// StartingOffsets says where a query without a checkpoint begins: [Earliest], [Latest], or JSON by topic and partition, in which -2 is the
// earliest and -1 the latest offset.
func StartingOffsets(where string) Option { return Set("startingOffsets", where) }

// EndingOffsets says where a batch ends: [Latest], or JSON by topic and partition. A stream with it is refused, as by Spark.
func EndingOffsets(where string) Option { return Set("endingOffsets", where) }

// StartingTimestamp begins every partition at the first message of this time or later.
func StartingTimestamp(t time.Time) Option { return number("startingTimestamp", t.UnixMilli(), 0) }

// EndingTimestamp ends a batch before the first message of this time or later.
func EndingTimestamp(t time.Time) Option { return number("endingTimestamp", t.UnixMilli(), 0) }

// FailOnDataLoss ends the query when messages that it was to read are gone; true is the default.
func FailOnDataLoss(fail bool) Option { return boolean("failOnDataLoss", fail) }

// MaxOffsetsPerTrigger bounds the messages of an epoch, over all partitions in proportion to what they hold.
func MaxOffsetsPerTrigger(n int64) Option { return number("maxOffsetsPerTrigger", n, 1) }

// MinOffsetsPerTrigger makes an epoch wait for so many messages, but not longer than [MaxTriggerDelay].
func MinOffsetsPerTrigger(n int64) Option { return number("minOffsetsPerTrigger", n, 1) }

// MaxTriggerDelay is how long [MinOffsetsPerTrigger] makes an epoch wait at most; 15 minutes by default.
func MaxTriggerDelay(d time.Duration) Option { return millis("maxTriggerDelay", d) }

// MinPartitions splits large partitions so that at least so many tasks read; 0 keeps Kafka's.
func MinPartitions(n int64) Option { return number("minPartitions", n, 1) }

// IncludeHeaders adds the messages' headers to Kafka's columns.
func IncludeHeaders() Option { return boolean("includeHeaders", true) }

// PollTimeout is how long a read waits for messages.
func PollTimeout(d time.Duration) Option {
	return number("kafkaConsumer.pollTimeoutMs", d.Milliseconds(), 1)
}

// GroupID sets the consumer group, which Spark makes anew for every query otherwise. Two queries of one group take each other's messages.
func GroupID(id string) Option { return Set("kafka.group.id", id) }

// TLS connects by TLS; the authority that signed the servers' certificates is in a PEM file, or the system's where it is empty.
func TLS(caFile string) []Option {
	out := []Option{Set("kafka.security.protocol", "SSL")}
	if caFile != "" {
		out = append(out, Set("kafka.ssl.truststore.type", "PEM"), Set("kafka.ssl.truststore.location", caFile))
	}
	return out
}

// SASLMechanism is how a client proves who it is.
type SASLMechanism string

// The mechanisms of user and password.
const (
	Plain       SASLMechanism = "PLAIN"
	ScramSHA256 SASLMechanism = "SCRAM-SHA-256"
	ScramSHA512 SASLMechanism = "SCRAM-SHA-512"
)

// SASL proves who the client is by user and password, over TLS if tls is set. The password prints as ***.
func SASL(m SASLMechanism, user, password string, tls bool) []Option {
	protocol := "SASL_PLAINTEXT"
	if tls {
		protocol = "SASL_SSL"
	}
	module := "org.apache.kafka.common.security.scram.ScramLoginModule"
	if m == Plain {
		module = "org.apache.kafka.common.security.plain.PlainLoginModule"
	}
	quote := func(s string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"` }
	jaas := Option{opt: tree.Option{Key: "kafka.sasl.jaas.config", Value: module + " required username=" + quote(user) + " password=" + quote(password) + ";", Secret: true}}
	return []Option{Set("kafka.security.protocol", protocol), Set("kafka.sasl.mechanism", string(m)), jaas}
}

// StartingOffsetsByTimestamp begins each partition at the first message of its time or later. Every partition that is read must be named.
func StartingOffsetsByTimestamp(times map[string]map[int]time.Time) Option {
	return byTimestamp("startingOffsetsByTimestamp", times)
}

// EndingOffsetsByTimestamp ends a batch before the first message of its time or later, partition by partition.
func EndingOffsetsByTimestamp(times map[string]map[int]time.Time) Option {
	return byTimestamp("endingOffsetsByTimestamp", times)
}

func byTimestamp(key string, times map[string]map[int]time.Time) Option {
	millis := map[string]map[int]int64{}
	for topic, parts := range times {
		millis[topic] = map[int]int64{}
		for p, at := range parts {
			millis[topic][p] = at.UnixMilli()
		}
	}
	text, err := json.Marshal(millis)
	o := Set(key, string(text))
	if err != nil || len(times) == 0 {
		o.err = invalid("Option %s needs at least one topic with its partitions.", key)
	}
	return o
}

// LatestWithoutTimestamp lets a partition without a message of the time asked for begin at its end; without it that is an error.
func LatestWithoutTimestamp() Option { return Set("startingOffsetsByTimestampStrategy", "latest") }

// ExactlyOnce makes a sink write each epoch of a stream in one transaction of Kafka's, under a transactional id that names the query, together with the number of the epoch, which goes into a
// topic of its own ([EpochTopic]). So an epoch that the brokers have committed is not written again after a crash, and one that they have not leaves nothing for readers
// of committed records ([ReadCommitted]). A batch is one transaction. The id must be the same whenever the query is started and no other producer's: whoever
// starts with it later ends the writes of the earlier one.
//
// The local engine alone has it: Spark's Kafka sink writes at least once. Kafka's own option is transactional.id.
func ExactlyOnce(transactionalID string) Option {
	return Set(tree.TransactionalID, transactionalID)
}

// EpochTopic names the topic in which a sink with [ExactlyOnce] keeps the number of the last epoch; without it that is the transactional id with -epochs behind it. It is made where it
// is missing, with one partition that is compacted. Several queries may share one.
func EpochTopic(topic string) Option { return Set("epochTopic", topic) }

// TransactionTimeout is how long an epoch may take to be written under [ExactlyOnce], in whole milliseconds; 15 minutes by default, which is the most that brokers allow unless transaction.max.timeout.ms says
// otherwise. Readers of committed records wait for so long behind a query that was killed and is not started again.
func TransactionTimeout(d time.Duration) Option {
	o := number("kafka.transaction.timeout.ms", d.Milliseconds(), 1)
	if d%time.Millisecond != 0 {
		o.err = invalid("Option kafka.transaction.timeout.ms must be whole milliseconds, not %v.", d)
	}
	return o
}

// ReadCommitted makes a source read no record of a transaction that is open or was aborted, which is what readers of a topic written under [ExactlyOnce] need; without it they
// read those too (kafka.isolation.level).
func ReadCommitted() Option { return Set("kafka.isolation.level", "read_committed") }

// GroupIDPrefix is the beginning of the consumer group's name that Spark makes for a query; the local engine uses no group.
func GroupIDPrefix(prefix string) Option { return Set("groupIdPrefix", prefix) }

// MaxRecordsPerPartition splits what a Spark task reads into ranges of at most so many messages.
func MaxRecordsPerPartition(n int64) Option { return number("maxRecordsPerPartition", n, 1) }
