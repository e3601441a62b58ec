package kafka

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/spoonbill-go/spoonbill/backend/arrowtype"
	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

func openTo(t *testing.T, servers, topic string, opts ...connectors.Option) *sink {
	t.Helper()
	d, err := connectors.ToKafka(servers, topic, connectors.Codec{}, opts...).Sink()
	require.NoError(t, err)
	s, err := connector.OpenSink(t.Context(), stream, d)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s.(*sink)
}

// jsonRows makes batches of JSON texts, an array of objects each; the sink releases them.
func jsonRows(t *testing.T, ddl string, texts ...string) ([]datatype.Field, connector.Batches) {
	t.Helper()
	fields, err := datatype.ParseFields(ddl)
	require.NoError(t, err)
	schema, err := arrowtype.Schema(fields)
	require.NoError(t, err)
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	t.Cleanup(func() { mem.AssertSize(t, 0) })
	return fields, func(yield func(arrow.RecordBatch, error) bool) {
		for _, text := range texts {
			rec, _, err := array.RecordFromJSON(mem, schema, strings.NewReader(text))
			require.NoError(t, err)
			if !yield(rec, nil) {
				return
			}
		}
	}
}

func write(t *testing.T, s *sink, ddl string, texts ...string) (int64, error) {
	t.Helper()
	fields, rows := jsonRows(t, ddl, texts...)
	return s.Write(t.Context(), 0, tree.Append, fields, rows)
}

// everything reads a topic as a batch.
func everything(t *testing.T, servers, topic string) []string {
	t.Helper()
	s := open(t, connector.Env{BatchRows: 1000}, servers, topic, connectors.IncludeHeaders())
	start := initial(t, s)
	end := latest(t, s, start)
	out, err := read(t, s, start, end, connector.Projection{Columns: []int{0, 1, 2, 3, 4, 7}})
	require.NoError(t, err)
	for i := range out {
		out[i] = strings.ReplaceAll(out[i], "|NULL|NULL|", "|")
	}
	return out
}

func TestSink(t *testing.T) {
	_, servers := cluster(t, kfake.SeedTopics(1, "t", "u"), kfake.SeedTopics(3, "p"))
	s := openTo(t, servers, "t")
	require.Equal(t, "org.apache.spark.sql.kafka010.KafkaSourceProvider$KafkaTable", s.Description())
	n, err := write(t, s, "value STRING, key STRING, other INT", `[{"value":"a","key":"k"},{"value":null,"key":null}]`, `[]`, `[{"value":"","key":""}]`)
	require.NoError(t, err)
	require.Equal(t, int64(3), n)
	require.Equal(t, []string{"k|a|t|0|0|NULL", "NULL|NULL|t|0|1|NULL", "||t|0|2|NULL"}, everything(t, servers, "t"))

	// Without an option the rows name their topics, and their partitions and headers if they like.
	s = openTo(t, servers, "")
	n, err = write(t, s, "topic STRING, partition INT, value BINARY, headers ARRAY<STRUCT<key: STRING, value: BINARY>>",
		`[{"topic":"p","partition":2,"value":"YQ==","headers":[{"key":"h","value":"Yg=="},{"key":"i","value":null}]},{"topic":"u","partition":null,"value":"Yw==","headers":null},{"topic":"p","partition":0,"value":"ZA==","headers":[]}]`)
	require.NoError(t, err)
	require.Equal(t, int64(3), n)
	require.Equal(t, []string{"NULL|d|p|0|0|NULL", "NULL|a|p|2|0|[{h, b}, {i, null}]"}, everything(t, servers, "p"))
	require.Equal(t, []string{"NULL|c|u|0|0|NULL"}, everything(t, servers, "u"))

	// The option goes before the column, as in Spark.
	n, err = write(t, openTo(t, servers, "u"), "topic STRING, value STRING", `[{"topic":"absent","value":"x"}]`)
	require.NoError(t, err)
	require.Equal(t, int64(1), n)
	require.Len(t, everything(t, servers, "u"), 2)
}

// TestSinkOrder writes so much that many requests are on their way at once, and checks the order within keys.
func TestSinkOrder(t *testing.T) {
	c, servers := cluster(t, kfake.SeedTopics(3, "t"))
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.NotLeaderForPartition, Count: 3})
	s := openTo(t, servers, "t", connectors.Set("kafka.compression.type", "zstd"), connectors.Set("kafka.linger.ms", "1"), connectors.Set("kafka.acks", "all"))
	var texts []string
	for b := range 20 {
		var rows []string
		for i := range 100 {
			rows = append(rows, fmt.Sprintf(`{"key":"k%d","value":"%06d"}`, i%5, b*100+i))
		}
		texts = append(texts, "["+strings.Join(rows, ",")+"]")
	}
	n, err := write(t, s, "key STRING, value STRING", texts...)
	require.NoError(t, err)
	require.Equal(t, int64(2000), n)
	last, count := map[string]string{}, 0
	for _, row := range everything(t, servers, "t") {
		parts := strings.Split(row, "|")
		require.Less(t, last[parts[0]], parts[1])
		last[parts[0]] = parts[1]
		count++
	}
	require.Equal(t, 2000, count, "idempotence: nothing is doubled by the retries")
}

func TestSinkRefuses(t *testing.T) {
	c, servers := cluster(t, kfake.SeedTopics(1, "t"))
	produced := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Observe: true, Count: -1})
	for _, x := range []struct {
		name, topic, ddl, rows, condition, want string
	}{
		{"no value", "t", "key STRING", `[{"key":"a"}]`, condition.InvalidValue, "column value"},
		{"no topic", "", "value STRING", `[{"value":"a"}]`, condition.InvalidValue, "topic"},
		{"type of value", "t", "value INT", `[{"value":1}]`, condition.InvalidValue, "STRING or BINARY, not INT"},
		{"type of partition", "t", "value STRING, partition BIGINT", `[{"value":"a","partition":1}]`, condition.InvalidValue, "must be INT, not BIGINT"},
		{"type of headers", "t", "value STRING, headers STRING", `[{"value":"a","headers":"h"}]`, condition.InvalidValue, "must be ARRAY<STRUCT"},
		{"null topic", "", "value STRING, topic STRING", `[{"value":"a","topic":null}]`, condition.KafkaNullTopic, "null"},
		{"null header", "t", "value STRING, headers ARRAY<STRUCT<key: STRING, value: BINARY>>", `[{"value":"a","headers":[{"key":null,"value":null}]}]`, condition.InvalidValue, "header"},
		{"missing topic", "absent", "value STRING", `[{"value":"a"}]`, condition.UnknownTopic, "absent"},
		{"missing topic of a row", "", "value STRING, topic STRING", `[{"value":"a","topic":"absent"}]`, condition.UnknownTopic, "absent"},
		{"missing partition", "t", "value STRING, partition INT", `[{"value":"a","partition":9}]`, condition.UnknownTopic, "t-9"},
		{"negative partition", "t", "value STRING, partition INT", `[{"value":"a","partition":-2}]`, condition.InvalidValue, "-2"},
	} {
		t.Run(x.name, func(t *testing.T) {
			_, err := write(t, openTo(t, servers, x.topic), x.ddl, x.rows)
			requireCondition(t, err, x.condition, x.want)
		})
	}
	require.Zero(t, produced.Hits(), "nothing is written")
	for _, opt := range []connectors.Option{connectors.Set("kafka.acks", "1"), connectors.Set("kafka.enable.idempotence", "false"), connectors.Set("kafka.compression.type", "rar")} {
		d, err := connectors.ToKafka(servers, "t", connectors.Codec{}, opt).Sink()
		require.NoError(t, err)
		_, err = connector.OpenSink(t.Context(), stream, d)
		requireCondition(t, err, condition.InvalidOption, "kafka.")
	}
	d, err := connectors.ToKafka(servers, "t", connectors.Codec{}).Sink()
	require.NoError(t, err)
	_, err = connector.OpenSink(t.Context(), connector.Env{Save: tree.SaveOverwrite}, d)
	requireCondition(t, err, condition.InvalidOption, "overwrite")
}

func TestSinkMakesTopics(t *testing.T) {
	_, servers := cluster(t, kfake.AllowAutoTopicCreation(), kfake.DefaultNumPartitions(1))
	n, err := write(t, openTo(t, servers, "made"), "value STRING", `[{"value":"a"}]`)
	require.NoError(t, err)
	require.Equal(t, int64(1), n)
	require.Equal(t, []string{"NULL|a|made|0|0|NULL"}, everything(t, servers, "made"))
}

func TestSinkFailures(t *testing.T) {
	c, servers := cluster(t, kfake.SeedTopics(1, "t"))
	s := openTo(t, servers, "t")
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.MessageTooLarge})
	_, err := write(t, s, "value STRING", `[{"value":"a"}]`)
	requireCondition(t, err, condition.ConnectorFailed, "max.message.bytes")
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.TopicAuthorizationFailed})
	_, err = write(t, openTo(t, servers, "t"), "value STRING", `[{"value":"a"}]`)
	requireCondition(t, err, condition.ConnectorFailed, "rights")

	fields, rows := jsonRows(t, "value STRING", `[{"value":"lost"}]`)
	broken := fmt.Errorf("the query failed")
	_, err = openTo(t, servers, "t").Write(t.Context(), 0, tree.Append, fields, func(yield func(arrow.RecordBatch, error) bool) {
		for rec := range rows {
			if !yield(rec, nil) {
				return
			}
		}
		yield(nil, broken)
	})
	require.ErrorIs(t, err, broken)

	dead := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	began := time.Now()
	_, err = write(t, openTo(t, dead, "t", connectors.Set("kafka.default.api.timeout.ms", "200")), "value STRING", `[]`)
	requireCondition(t, err, condition.ConnectorFailed, dead)
	require.Less(t, time.Since(began), 10*time.Second)
}

// TestSinkThroughOutage stops the brokers while an epoch is written.
func TestSinkThroughOutage(t *testing.T) {
	stop, start, servers := restartable(t, kfake.SeedTopics(1, "t"))
	s := openTo(t, servers, "t")
	n, err := write(t, s, "value STRING", `[{"value":"0"}]`)
	require.NoError(t, err)
	require.Equal(t, int64(1), n)
	fields, rows := jsonRows(t, "value STRING", `[{"value":"1"}]`, `[{"value":"2"}]`, `[{"value":"3"}]`)
	back := make(chan struct{})
	n, err = s.Write(t.Context(), 1, tree.Append, fields, func(yield func(arrow.RecordBatch, error) bool) {
		first := true
		for rec := range rows {
			if !yield(rec, nil) {
				return
			}
			if first {
				first = false
				stop()
				go func() {
					defer close(back)
					time.Sleep(300 * time.Millisecond)
					start()
				}()
			}
		}
	})
	<-back
	require.NoError(t, err)
	require.Equal(t, int64(3), n)
	seen := map[string]bool{}
	for _, row := range everything(t, servers, "t") {
		seen[strings.Split(row, "|")[1]] = true
	}
	require.Equal(t, map[string]bool{"0": true, "1": true, "2": true, "3": true}, seen, "at least once")

	// A write that is given up on leaves nothing behind that would arrive later.
	stop()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	fields, rows = jsonRows(t, "value STRING", `[{"value":"late"}]`)
	_, err = s.Write(ctx, 2, tree.Append, fields, rows)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	start()
	_, err = write(t, openTo(t, servers, "t"), "value STRING", `[{"value":"4"}]`)
	require.NoError(t, err)
	for _, row := range everything(t, servers, "t") {
		require.NotContains(t, row, "late")
	}
}
