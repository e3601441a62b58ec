package kafka

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

func fieldsOf(headers bool) []datatype.Field {
	var opts []connectors.Option
	if headers {
		opts = append(opts, connectors.IncludeHeaders())
	}
	d, err := connectors.FromKafka("h:1", "t", connectors.Codec{}, opts...).Source()
	if err != nil {
		return nil
	}
	return d.Fields
}

func TestStartingOffsets(t *testing.T) {
	_, servers := cluster(t, kfake.SeedTopics(2, "t"))
	at := time.UnixMilli(1_700_000_000_000)
	for i := range 4 {
		produce(t, servers, &kgo.Record{Topic: "t", Partition: 0, Value: []byte("v"), Timestamp: at.Add(time.Duration(i) * time.Second)})
	}
	produce(t, servers, &kgo.Record{Topic: "t", Partition: 1, Value: []byte("v"), Timestamp: at})
	for _, x := range []struct {
		name string
		env  connector.Env
		opts []connectors.Option
		want string
	}{
		{"stream", stream, nil, `{"t":{"0":4,"1":1}}`},
		{"batch", connector.Env{}, nil, `{"t":{"0":0,"1":0}}`},
		{"earliest", stream, []connectors.Option{connectors.StartingOffsets(connectors.Earliest)}, `{"t":{"0":0,"1":0}}`},
		{"latest", stream, []connectors.Option{connectors.StartingOffsets(connectors.Latest)}, `{"t":{"0":4,"1":1}}`},
		{"given", stream, []connectors.Option{connectors.StartingOffsets(`{"t":{"1":-1,"0":2}}`)}, `{"t":{"0":2,"1":1}}`},
		{"ends", stream, []connectors.Option{connectors.StartingOffsets(`{"t":{"0":-2,"1":-1}}`)}, `{"t":{"0":0,"1":1}}`},
		{"time", stream, []connectors.Option{connectors.StartingTimestamp(at)}, `{"t":{"0":0,"1":0}}`},
		{"later time", stream, []connectors.Option{connectors.StartingTimestamp(at.Add(1500 * time.Millisecond)), connectors.Set("startingOffsetsByTimestampStrategy", "latest")}, `{"t":{"0":2,"1":1}}`},
		{"times", stream, []connectors.Option{connectors.Set("startingOffsetsByTimestamp", `{"t":{"0":1700000003000,"1":0}}`)}, `{"t":{"0":3,"1":0}}`},
		{"time goes first", stream, []connectors.Option{connectors.StartingTimestamp(at), connectors.StartingOffsets(connectors.Latest)}, `{"t":{"0":0,"1":0}}`},
	} {
		t.Run(x.name, func(t *testing.T) {
			require.Equal(t, x.want, string(initial(t, open(t, x.env, servers, "t", x.opts...))))
		})
	}
	_, err := open(t, stream, servers, "t", connectors.StartingTimestamp(at.Add(time.Hour))).Initial(t.Context())
	requireCondition(t, err, condition.InvalidOption, "startingTimestamp", "startingOffsetsByTimestampStrategy")
	_, err = open(t, stream, servers, "t", connectors.StartingOffsets(`{"t":{"0":0,"7":0}}`)).Initial(t.Context())
	requireCondition(t, err, condition.KafkaStartMismatch, "lacks [t-1]", "has [t-7]")
	_, err = open(t, stream, servers, "t", connectors.Set("startingOffsetsByTimestamp", `{"t":{"0":0}}`)).Initial(t.Context())
	requireCondition(t, err, condition.KafkaTimeMismatch, "lacks [t-1]")
	_, err = tryOpen(connector.Env{}, servers, "t", connectors.StartingOffsets(connectors.Latest))
	requireCondition(t, err, condition.InvalidOption, "startingOffsets")
	_, err = tryOpen(connector.Env{}, servers, "t", connectors.EndingOffsets(`{"t":{"0":-2}}`))
	requireCondition(t, err, condition.InvalidOption, "endingOffsets")
}

func TestStreamOfEpochs(t *testing.T) {
	_, servers := cluster(t, kfake.SeedTopics(3, "t"))
	s := open(t, stream, servers, "t", connectors.StartingOffsets(connectors.Earliest))
	require.Equal(t, "KafkaV2[Subscribe[t]]", s.Description())
	start := initial(t, s)
	require.Equal(t, `{"t":{"0":0,"1":0,"2":0}}`, string(start))
	require.Equal(t, string(start), string(latest(t, s, start)))
	fill(t, servers, "t", 0, 0, 20)
	fill(t, servers, "t", 2, 0, 5)
	end := latest(t, s, start)
	require.Equal(t, `{"t":{"0":20,"1":0,"2":5}}`, string(end))
	want := append(texts("t", 0, 0, 20), texts("t", 2, 0, 5)...)
	require.Equal(t, want, values(t, s, start, end))
	fill(t, servers, "t", 0, 20, 3)
	require.Equal(t, want, values(t, s, start, end), "the same range gives the same rows")
	next := latest(t, s, end)
	require.Equal(t, texts("t", 0, 20, 23), values(t, s, end, next))
	require.NoError(t, s.Commit(t.Context(), next))
	// Offsets that were written otherwise, such as by hand, are the same offsets.
	spaced := offset(`{ "t": {"2":5, "1":0, "0":23} }`)
	require.Equal(t, string(spaced), string(latest(t, s, spaced)))

	again := open(t, stream, servers, "t")
	require.Equal(t, texts("t", 0, 20, 23), values(t, again, end, latest(t, again, end)), "a restart goes on from the checkpoint's offset")
}

func TestRateLimit(t *testing.T) {
	from := positions{{"a", 0}: 0, {"a", 1}: 100, {"b", 0}: 5}
	until := positions{{"a", 0}: 1000, {"a", 1}: 110, {"b", 0}: 5, {"c", 0}: 7}
	require.Equal(t, positions{{"a", 0}: 99, {"a", 1}: 101, {"b", 0}: 5, {"c", 0}: 7}, rateLimit(100, from, until))
	require.Equal(t, until, rateLimit(1<<62, from, until))
	require.Equal(t, from, rateLimit(10, from, from))
	require.Equal(t, positions{{"a", 0}: 1, {"a", 1}: 101, {"b", 0}: 5}, rateLimit(1, from, positions{{"a", 0}: 10, {"a", 1}: 110, {"b", 0}: 5}))
	huge := positions{{"a", 0}: 1 << 62}
	require.Equal(t, huge, rateLimit(1<<62+1, positions{{"a", 0}: 0}, huge))

	_, servers := cluster(t, kfake.SeedTopics(2, "t"))
	fill(t, servers, "t", 0, 0, 90)
	fill(t, servers, "t", 1, 0, 10)
	s := open(t, stream, servers, "t", connectors.StartingOffsets(connectors.Earliest), connectors.MaxOffsetsPerTrigger(20))
	var got []string
	at := initial(t, s)
	ends := []string{}
	for {
		end := latest(t, s, at)
		if string(end) == string(at) {
			break
		}
		ends = append(ends, string(end))
		got = append(got, values(t, s, at, end)...)
		at = end
	}
	require.Equal(t, `{"t":{"0":18,"1":2}}`, ends[0])
	require.Equal(t, `{"t":{"0":90,"1":10}}`, string(at))
	require.ElementsMatch(t, append(texts("t", 0, 0, 90), texts("t", 1, 0, 10)...), got)
	all, err := s.Latest(t.Context(), offset(`{"t":{"0":0,"1":0}}`), true)
	require.NoError(t, err)
	require.Equal(t, string(at), string(all))
	// A new partition counts from its earliest offset.
	half := latest(t, s, offset(`{"t":{"0":80}}`))
	require.Equal(t, `{"t":{"0":90,"1":10}}`, string(half))
}

// TestSpare reads epochs that are smaller than the producer's batches.
func TestSpare(t *testing.T) {
	c, servers := cluster(t, kfake.SeedTopics(1, "t"))
	fill(t, servers, "t", 0, 0, 100)
	s := open(t, stream, servers, "t", connectors.StartingOffsets(connectors.Earliest))
	latest(t, s, initial(t, s))
	fetches := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Observe: true, Count: -1})
	for i := range 9 {
		require.Equal(t, texts("t", 0, 10*i, 10*i+10), values(t, s, offset(fmt.Sprintf(`{"t":{"0":%d}}`, 10*i)), offset(fmt.Sprintf(`{"t":{"0":%d}}`, 10*i+10))))
	}
	require.LessOrEqual(t, fetches.Hits(), 2, "the batch is fetched once")
	// An epoch that runs again, or begins elsewhere, is fetched anew.
	require.Equal(t, texts("t", 0, 80, 90), values(t, s, offset(`{"t":{"0":80}}`), offset(`{"t":{"0":90}}`)))
	require.Equal(t, texts("t", 0, 5, 8), values(t, s, offset(`{"t":{"0":5}}`), offset(`{"t":{"0":8}}`)))
	require.NotZero(t, s.spareBytes)
	// A topic that was made anew has other records under the same offsets.
	require.NoError(t, c.DeleteTopic("t"))
	require.NoError(t, c.CreateTopic("t", 1, nil))
	for i := range 10 {
		produce(t, servers, &kgo.Record{Topic: "t", Value: fmt.Appendf(nil, "new %d", i)})
	}
	latest(t, s, offset(`{"t":{"0":8}}`))
	require.Equal(t, []string{"new 8", "new 9"}, values(t, s, offset(`{"t":{"0":8}}`), offset(`{"t":{"0":10}}`)))
	require.Zero(t, s.spareBytes)
	require.Empty(t, s.spares)
}

func TestFetchSize(t *testing.T) {
	c := open(t, stream, "localhost:1", "t").client
	p := tp{"t", 0}
	require.Equal(t, int32(leastFetch+1280), c.fetchSize(p, 1))
	require.Equal(t, int32(defaultFetchBytes), c.fetchSize(p, 1<<62))
	c.perOffset[p] = 100
	require.Equal(t, int32(leastFetch+125_000), c.fetchSize(p, 1000))
}

func TestMinOffsets(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	env := stream
	env.Now = func() time.Time { return now }
	_, servers := cluster(t, kfake.SeedTopics(1, "t"))
	s := open(t, env, servers, "t", connectors.StartingOffsets(connectors.Earliest), connectors.MinOffsetsPerTrigger(10), connectors.MaxTriggerDelay(time.Minute))
	at := initial(t, s)
	fill(t, servers, "t", 0, 0, 3)
	end := latest(t, s, at)
	require.Equal(t, `{"t":{"0":3}}`, string(end), "the first epoch does not wait, as in Spark")
	fill(t, servers, "t", 0, 3, 3)
	require.Equal(t, string(end), string(latest(t, s, end)))
	now = now.Add(59 * time.Second)
	require.Equal(t, string(end), string(latest(t, s, end)))
	now = now.Add(time.Second)
	require.Equal(t, `{"t":{"0":6}}`, string(latest(t, s, end)))
	end = offset(`{"t":{"0":6}}`)
	fill(t, servers, "t", 0, 6, 10)
	require.Equal(t, `{"t":{"0":16}}`, string(latest(t, s, end)))
}

func TestColumns(t *testing.T) {
	_, servers := cluster(t, kfake.SeedTopics(1, "t"))
	at := time.UnixMilli(1_700_000_000_123)
	produce(t, servers,
		&kgo.Record{Topic: "t", Key: []byte("k"), Value: []byte("v"), Timestamp: at, Headers: []kgo.RecordHeader{{Key: "a", Value: []byte("1")}, {Key: "b"}}},
		&kgo.Record{Topic: "t", Key: []byte{}, Value: nil, Timestamp: at},
	)
	s := open(t, connector.Env{BatchRows: 10}, servers, "t", connectors.IncludeHeaders())
	start := initial(t, s)
	end := latest(t, s, start)
	all, err := read(t, s, start, end, connector.Projection{})
	require.NoError(t, err)
	require.Equal(t, []string{
		"k|v|t|0|0|2023-11-14 22:13:20.123|0|[{a, 1}, {b, null}]",
		"|NULL|t|0|1|2023-11-14 22:13:20.123|0|NULL",
	}, all)
	some, err := read(t, s, start, end, connector.Projection{Columns: []int{2, 4}})
	require.NoError(t, err)
	require.Equal(t, []string{"NULL|NULL|t|NULL|0|NULL|NULL|NULL", "NULL|NULL|t|NULL|1|NULL|NULL|NULL"}, some)
	none, err := read(t, s, start, end, connector.Projection{Columns: []int{}})
	require.NoError(t, err)
	require.Len(t, none, 2, "rows without columns are counted still")
	rec, err := read(t, s, start, start, connector.Projection{})
	require.NoError(t, err)
	require.Empty(t, rec)
}

func TestBatchRange(t *testing.T) {
	_, servers := cluster(t, kfake.SeedTopics(2, "t"))
	at := time.UnixMilli(1_700_000_000_000)
	for i := range 10 {
		produce(t, servers, &kgo.Record{Topic: "t", Partition: 0, Value: fmt.Appendf(nil, "t-0/%d", i), Timestamp: at.Add(time.Duration(i) * time.Second)})
	}
	fill(t, servers, "t", 1, 0, 4)
	batch := connector.Env{BatchRows: 100}
	for _, x := range []struct {
		name string
		opts []connectors.Option
		want []string
	}{
		{"all", nil, append(texts("t", 0, 0, 10), texts("t", 1, 0, 4)...)},
		{"range", []connectors.Option{connectors.StartingOffsets(`{"t":{"0":3,"1":-2}}`), connectors.EndingOffsets(`{"t":{"0":5,"1":-1}}`)}, append(texts("t", 0, 3, 5), texts("t", 1, 0, 4)...)},
		{"time", []connectors.Option{connectors.EndingTimestamp(at.Add(2 * time.Second))}, texts("t", 0, 0, 2)},
		{"time to come", []connectors.Option{connectors.EndingTimestamp(time.Now().Add(time.Hour))}, append(texts("t", 0, 0, 10), texts("t", 1, 0, 4)...)},
		{"limits are a stream's", []connectors.Option{connectors.MaxOffsetsPerTrigger(1)}, append(texts("t", 0, 0, 10), texts("t", 1, 0, 4)...)},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := open(t, batch, servers, "t", x.opts...)
			start := initial(t, s)
			end, err := s.Latest(t.Context(), start, true)
			require.NoError(t, err)
			require.Equal(t, x.want, values(t, s, start, end))
		})
	}
	s := open(t, batch, servers, "t", connectors.StartingOffsets(`{"t":{"0":7,"1":0}}`), connectors.EndingOffsets(`{"t":{"0":5,"1":-1}}`))
	_, err := s.Latest(t.Context(), initial(t, s), true)
	requireCondition(t, err, condition.KafkaStartBeyondEnd, "t-0")
}

func TestPatternAndAssign(t *testing.T) {
	c, servers := cluster(t, kfake.SeedTopics(1, "in.a", "in.b", "xin.a", "other"))
	fill(t, servers, "in.a", 0, 0, 2)
	fill(t, servers, "in.b", 0, 0, 1)
	s := open(t, stream, servers, "", connectors.SubscribePattern(`in\..*`), connectors.StartingOffsets(connectors.Earliest))
	require.Equal(t, `KafkaV2[SubscribePattern[in\..*]]`, s.Description())
	start := initial(t, s)
	require.Equal(t, `{"in.a":{"0":0},"in.b":{"0":0}}`, string(start))
	end := latest(t, s, start)
	require.Equal(t, append(texts("in.a", 0, 0, 2), texts("in.b", 0, 0, 1)...), values(t, s, start, end))
	require.NoError(t, c.CreateTopic("in.c", 2, nil))
	fill(t, servers, "in.c", 1, 0, 3)
	more := latest(t, s, end)
	require.Equal(t, `{"in.a":{"0":2},"in.b":{"0":1},"in.c":{"0":0,"1":3}}`, string(more))
	require.Equal(t, texts("in.c", 1, 0, 3), values(t, s, end, more))

	none := open(t, stream, servers, "", connectors.SubscribePattern(`nothing`))
	require.Equal(t, `{}`, string(initial(t, none)))
	require.Equal(t, `{}`, string(latest(t, none, offset(`{}`))))

	a := open(t, stream, servers, "", connectors.Assign(map[string][]int{"in.c": {1}, "in.a": {0}}), connectors.StartingOffsets(connectors.Earliest))
	require.Equal(t, "KafkaV2[Assign[in.a-0, in.c-1]]", a.Description())
	require.Equal(t, `{"in.a":{"0":0},"in.c":{"1":0}}`, string(initial(t, a)))
	_, err := open(t, stream, servers, "", connectors.Assign(map[string][]int{"in.c": {5}})).Initial(t.Context())
	requireCondition(t, err, condition.UnknownTopic, "in.c-5")

	two := open(t, stream, servers, "in.a, other", connectors.StartingOffsets(connectors.Earliest))
	require.Equal(t, "KafkaV2[Subscribe[in.a, other]]", two.Description())
	require.Equal(t, `{"in.a":{"0":0},"other":{"0":0}}`, string(initial(t, two)))
}

func TestAvailableNow(t *testing.T) {
	_, servers := cluster(t, kfake.SeedTopics(1, "t"))
	fill(t, servers, "t", 0, 0, 10)
	s := open(t, stream, servers, "t", connectors.StartingOffsets(connectors.Earliest), connectors.MaxOffsetsPerTrigger(6))
	at := initial(t, s)
	require.NoError(t, s.PrepareAvailableNow(t.Context()))
	fill(t, servers, "t", 0, 10, 10)
	at = latest(t, s, at)
	require.Equal(t, `{"t":{"0":6}}`, string(at))
	at = latest(t, s, at)
	require.Equal(t, `{"t":{"0":10}}`, string(at))
	require.Equal(t, string(at), string(latest(t, s, at)))
}

func TestMetrics(t *testing.T) {
	_, servers := cluster(t, kfake.SeedTopics(2, "t"))
	fill(t, servers, "t", 0, 0, 11)
	fill(t, servers, "t", 1, 0, 4)
	s := open(t, stream, servers, "t", connectors.StartingOffsets(connectors.Earliest), connectors.MaxOffsetsPerTrigger(8))
	require.Empty(t, s.Metrics())
	latest(t, s, initial(t, s))
	require.Equal(t, map[string]string{
		"latestOffset": `{"t":{"0":11,"1":4}}`, "minOffsetsBehindLatest": "2", "maxOffsetsBehindLatest": "6", "avgOffsetsBehindLatest": "4.0",
	}, s.Metrics())
	for f, want := range map[float64]string{0: "0.0", 2.5: "2.5", 1e7: "1.0E7", 12345678.5: "1.23456785E7", 9999999: "9999999.0"} {
		require.Equal(t, want, javaDouble(f))
	}
}

func TestLeavingEarly(t *testing.T) {
	_, servers := cluster(t, kfake.SeedTopics(4, "t"))
	for p := range int32(4) {
		fill(t, servers, "t", p, 0, 50)
	}
	s := open(t, stream, servers, "t", connectors.StartingOffsets(connectors.Earliest))
	start := initial(t, s)
	end := latest(t, s, start)
	rows, err := s.Read(t.Context(), start, end, connector.Projection{})
	require.NoError(t, err)
	for rec, err := range rows {
		require.NoError(t, err)
		rec.Release()
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	rows, err = s.Read(ctx, start, end, connector.Projection{})
	require.NoError(t, err)
	var last error
	for rec, err := range rows {
		if err != nil {
			last = err
			break
		}
		rec.Release()
		cancel()
	}
	cancel()
	require.ErrorIs(t, last, context.Canceled)
	require.NoError(t, s.Close())
	_, err = s.Latest(t.Context(), start, false)
	requireCondition(t, err, condition.Closed)
}

// TestPanic has a fetch that breaks, which must end the read and not the process.
func TestPanic(t *testing.T) {
	_, servers := cluster(t, kfake.SeedTopics(1, "t"))
	fill(t, servers, "t", 0, 0, 3)
	s := open(t, stream, servers, "t")
	s.client.perOffset = nil // a map that is nil cannot be written to
	_, err := values2(t, s, `{"t":{"0":0}}`, `{"t":{"0":3}}`)
	requireCondition(t, err, condition.InternalError)
}

func FuzzOffsets(f *testing.F) {
	for _, text := range []string{`{"t":{"0":12}}`, `{"a":{"0":-2,"1":-1},"b":{}}`, `{}`, `null`, `{"t":{"00":1}}`, `{"t":{"0":1e3}}`, `{"t":{"0":9223372036854775807,"2147483647":0}}`, `{"\u0000<":{"3":4}}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := parsePositions(text, offsetEarliest)
		if err != nil {
			return
		}
		written := p.offset()
		q, err := parsePositions(written, offsetEarliest)
		if err != nil || !p.equal(q) {
			t.Fatalf("%s is written as %s, which reads as %v (%v)", text, written, q, err)
		}
		if string(q.offset()) != string(written) {
			t.Fatalf("%s is written in two ways: %s and %s", text, written, q.offset())
		}
	})
}
