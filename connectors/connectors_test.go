package connectors_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/compiler/analyze"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

type payment struct {
	CreateTime  time.Time `spoonbill:"createTime"`
	OrderID     int64     `json:"orderId"`
	PayAmount   string    `spoonbill:"payAmount,decimal(12,2)"`
	PayPlatform *int32    `json:"payPlatform"`
	Tags        []string
	skipped     int
	Ignored     chan int `spoonbill:"-"`
}

func TestKafkaColumns(t *testing.T) {
	_ = payment{}.skipped
	p := expr.Read("payments", connectors.FromKafka("localhost:9092", "payment_msg", connectors.JSON[payment](connectors.CorruptRecord("bad")), connectors.StartingOffsets(connectors.Earliest), connectors.MaxOffsetsPerTrigger(100), connectors.IncludeHeaders()))
	require.NoError(t, p.Err())
	require.Equal(t, []string{"createTime", "orderId", "payAmount", "payPlatform", "Tags", "bad", "kafka"}, p.Schema().Names())
	require.Equal(t, "DECIMAL(12,2)", p.Schema().Field(2).Type.String())
	require.True(t, p.Schema().Field(0).Nullable, "decoded columns are nullable")
	require.NoError(t, p.Select(p.Struct("kafka").Field("offset")).Err())
	raw := expr.Read("raw", connectors.FromKafka("localhost:9092", "t", connectors.Codec{}))
	require.Equal(t, []string{"key", "value", "topic", "partition", "offset", "timestamp", "timestampType"}, raw.Schema().Names())
}

// No way of printing a description shows a secret.
func TestSecrets(t *testing.T) {
	const secret = "hunter2"
	opts := append(connectors.SASL(connectors.ScramSHA512, "ada", secret, true), connectors.Set("kafka.ssl.keystore.password", secret), connectors.Raw("my.token", secret), connectors.RawSecret("harmless", secret))
	source := connectors.FromKafka("h:1", "t", connectors.JSON[payment](), opts...)
	sink := connectors.ToKafka("h:1", "out", connectors.JSON[payment](), opts...)
	table := expr.Read("p", source)
	require.NoError(t, table.Err())
	program, err := compiler.CompileWrite(table.Drop("kafka").WriteTo(sink).Checkpoint("c"), compiler.Stream)
	require.NoError(t, err)
	desc, err := source.Source()
	require.NoError(t, err)
	for _, v := range []any{source, sink, opts, table, program, desc.Options, opts[2]} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
			if verb == "%#v" && fmt.Sprintf("%T", v) == "*compiler.Program" {
				continue // prints pointers
			}
			require.NotContains(t, fmt.Sprintf(verb, v), secret, "%s of %T", verb, v)
		}
		text, err := json.Marshal(v)
		require.NoError(t, err)
		require.NotContains(t, string(text), secret, "JSON of %T", v)
	}
	_, err = connectors.ToKafka("h:1", "t", connectors.JSON[payment](), connectors.Set("kafka.sasl.jaas.config", secret), connectors.Set("kafka.sasl.jaas.config", "other")).Sink()
	require.Error(t, err)
	require.NotContains(t, err.Error(), secret)
}

func TestWrongOptions(t *testing.T) {
	json := connectors.JSON[payment]()
	rows := connectors.RowsOf[payment]()
	for name, c := range map[string]struct {
		source expr.Source
		says   string
	}{
		"misspelt":            {connectors.FromKafka("h:1", "t", json, connectors.Set("startingOffset", "latest")), "startingOffsets"},
		"of the sink":         {connectors.FromKafka("h:1", "t", json, connectors.Set("topic", "x")), "belongs to the kafka sink"},
		"no servers":          {connectors.FromKafka("", "t", json), "servers"},
		"two ways":            {connectors.FromKafka("h:1", "t", json, connectors.SubscribePattern("a.*")), "exactly one"},
		"no topic":            {connectors.FromKafka("h:1", "", json), "exactly one"},
		"bad offsets":         {connectors.FromKafka("h:1", "t", json, connectors.StartingOffsets("middle")), "earliest or latest"},
		"ending earliest":     {connectors.FromKafka("h:1", "t", json, connectors.EndingOffsets("earliest")), "latest"},
		"zero rate":           {connectors.FromKafka("h:1", "t", json, connectors.MaxOffsetsPerTrigger(0)), "at least 1"},
		"min above max":       {connectors.FromKafka("h:1", "t", json, connectors.MaxOffsetsPerTrigger(9), connectors.MinOffsetsPerTrigger(10)), "above"},
		"forbidden":           {connectors.FromKafka("h:1", "t", json, connectors.Set("kafka.auto.offset.reset", "earliest")), "startingOffsets instead"},
		"given twice":         {connectors.FromKafka("h:1", "t", json, connectors.Set("groupIdPrefix", "a"), connectors.Set("groupIdPrefix", "b")), "twice"},
		"envelope clash":      {connectors.FromKafka("h:1", "t", connectors.JSONOf("kafka INT")), "Envelope"},
		"codec mode":          {connectors.FromKafka("h:1", "t", connectors.JSONOf("a INT", connectors.Mode("DROPMALFORMED"))), "PERMISSIVE, FAILFAST"},
		"codec schema":        {connectors.FromKafka("h:1", "t", connectors.JSONOf("a INTT")), "no data type"},
		"no path":             {connectors.FromJSON("", rows), "path"},
		"no columns":          {connectors.FromJSON("/in", connectors.Rows{}), "columns"},
		"wrong format option": {connectors.FromParquet("/in", rows, connectors.Header()), "no option \"header\""},
		"separator":           {connectors.FromCSV("/in", rows, connectors.Set("quote", "ab")), "one character"},
		"archive":             {connectors.FromCSV("/in", rows, connectors.Set("cleanSource", "archive")), "sourceArchiveDir"},
		"negative rate":       {connectors.Rate(-1), "at least 1"},
		"transactions read":   {connectors.FromKafka("h:1", "t", json, connectors.ExactlyOnce("x")), "ReadCommitted"},
		"a sink read":         {connectors.ToKafka("h:1", "t", json), "FromKafka"},
	} {
		t.Run(name, func(t *testing.T) {
			err := expr.Read("x", c.source).Err()
			require.Error(t, err)
			require.Contains(t, err.Error(), c.says)
			require.Contains(t, err.Error(), "connectors_test.go:")
			require.True(t, strings.HasPrefix(condition.Of(err), "SPOONBILL_INVALID_OPTION") || strings.HasPrefix(condition.Of(err), "INVALID_SCHEMA"), err)
		})
	}
	require.NoError(t, expr.Read("x", connectors.FromKafka("h:1", "t", json, connectors.Raw("anything", "goes"), connectors.Set("STARTINGOFFSETS", "earliest"))).Err())
	require.NoError(t, expr.Read("x", connectors.FromCSV("/in", rows, connectors.Header(), connectors.Separator("||"), connectors.MaxFilesPerTrigger(1))).Err())
}

func TestExactlyOnceOptions(t *testing.T) {
	for name, c := range map[string]struct {
		topic string
		opts  []connectors.Option
		says  string
	}{
		"empty id":                 {"t", []connectors.Option{connectors.ExactlyOnce(" ")}, "transactional id is empty"},
		"topic alone":              {"t", []connectors.Option{connectors.EpochTopic("e")}, "epochTopic belongs to transactions"},
		"timeout alone":            {"t", []connectors.Option{connectors.TransactionTimeout(time.Minute)}, "belongs to transactions"},
		"no timeout":               {"t", []connectors.Option{connectors.ExactlyOnce("x"), connectors.TransactionTimeout(0)}, "at least 1"},
		"odd timeout":              {"t", []connectors.Option{connectors.ExactlyOnce("x"), connectors.TransactionTimeout(time.Second + 1)}, "whole milliseconds"},
		"id that names no topic":   {"t", []connectors.Option{connectors.ExactlyOnce("a b")}, "connectors.EpochTopic"},
		"no topic of epochs":       {"t", []connectors.Option{connectors.ExactlyOnce("x"), connectors.EpochTopic("a/b")}, "must be a topic's name"},
		"one topic for both":       {"t", []connectors.Option{connectors.ExactlyOnce("x"), connectors.EpochTopic("t")}, "both the rows and the epochs"},
		"one topic for both again": {"x-epochs", []connectors.Option{connectors.ExactlyOnce("x")}, "both the rows and the epochs"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := connectors.ToKafka("h:1", c.topic, connectors.Codec{}, c.opts...).Sink()
			require.ErrorContains(t, err, c.says)
			require.Equal(t, condition.InvalidOption, condition.Of(err))
		})
	}
	s, err := connectors.ToKafka("h:1", "t", connectors.Codec{}, connectors.ExactlyOnce("x"), connectors.TransactionTimeout(time.Minute)).Sink()
	require.NoError(t, err)
	topic, _ := s.Options.Get("epochTopic")
	require.Equal(t, "x-epochs", topic)
	s, err = connectors.ToKafka("h:1", "t", connectors.Codec{}, connectors.ExactlyOnce("any text"), connectors.EpochTopic("e")).Sink()
	require.NoError(t, err)
	topic, _ = s.Options.Get("epochTopic")
	require.Equal(t, "e", topic)

	// Spark writes no transactions, as a stream or a batch, and two sinks of a query are two producers.
	once := connectors.ToKafka("h:1", "t", connectors.JSON[payment](), connectors.ExactlyOnce("x"))
	in := expr.Read("x", connectors.FromKafka("h:1", "in", connectors.JSON[payment](), connectors.ReadCommitted()).Envelope(""))
	for _, mode := range []compiler.Mode{compiler.Stream, compiler.Batch} {
		_, err = compiler.CompileWrite(in.WriteTo(once).Checkpoint("c"), mode)
		require.Equal(t, condition.Unsupported, condition.Of(err), err)
		require.ErrorContains(t, err, "ExactlyOnce")
		require.ErrorContains(t, err, "connectors_test.go:")
	}
	write, err := in.WriteTo(once).Checkpoint("c").LateRows(connectors.ToKafka("h:1", "late", connectors.Codec{}, connectors.ExactlyOnce("x"))).Tree()
	require.NoError(t, err)
	require.ErrorContains(t, analyze.Write(write, analyze.Stream, analyze.Target{Local: true}), "both go under the transactional id")
}

func TestMemory(t *testing.T) {
	m := connectors.NewMemoryStream[payment]()
	require.NoError(t, m.Add(payment{OrderID: 1, PayAmount: "1.50"}, &payment{OrderID: 2, PayAmount: "2"}))
	require.Error(t, m.Add("text"))
	require.Error(t, m.Add(payment{PayAmount: "1.234"}), "three digits do not fit")
	require.Error(t, m.Add(nil))
	require.Error(t, m.Add((*payment)(nil)))
	require.EqualValues(t, 2, m.Len())
	require.ErrorContains(t, expr.Read("m", m).WriteTo(connectors.ToConsole()).OutputMode(99).SaveMode(99).Err(), "no output mode 99")
	_, err := compiler.CompileWrite(expr.Read("m", m).WriteTo(connectors.ToConsole()), compiler.Stream)
	require.ErrorContains(t, err, "lives in this process")
}

func TestTypedOptionsAreKnown(t *testing.T) {
	at := map[string]map[int]time.Time{"t": {0: time.UnixMilli(5)}}
	s, err := connectors.FromKafka("h:1", "t", connectors.Codec{}, connectors.StartingOffsetsByTimestamp(at), connectors.EndingOffsetsByTimestamp(at), connectors.LatestWithoutTimestamp(), connectors.GroupIDPrefix("x"), connectors.MaxRecordsPerPartition(3)).Source()
	require.NoError(t, err)
	v, _ := s.Options.Get("startingOffsetsByTimestamp")
	require.Equal(t, `{"t":{"0":5}}`, v)
	_, err = connectors.FromKafka("h:1", "t", connectors.Codec{}, connectors.StartingOffsetsByTimestamp(nil)).Source()
	require.Error(t, err)
	_, err = connectors.FromCSV("/x", connectors.RowsDDL("a INT"), append(connectors.ArchiveSource("/y"), connectors.MaxBytesPerTrigger(9), connectors.RecursiveFileLookup(), connectors.IgnoreMissingFiles(), connectors.IgnoreCorruptFiles(), connectors.Quote("'"), connectors.Escape(`\`), connectors.DateFormat("dd.MM.yyyy"), connectors.TimestampFormat("HH:mm"))...).Source()
	require.NoError(t, err)
	_, err = connectors.FromJSON("/x", connectors.RowsDDL("a INT"), connectors.DeleteSource()).Source()
	require.NoError(t, err)
	_, err = connectors.ToParquet("/x", connectors.MaxRecordsPerFile(10)).Sink()
	require.NoError(t, err)
}

func TestStateSource(t *testing.T) {
	s, err := connectors.FromState("/ck", connectors.StateOperator(1), connectors.StateBatch(3), connectors.JoinSide("left"), connectors.Set("readRegisteredTimers", "true")).Source()
	require.NoError(t, err)
	require.Equal(t, "statestore", s.Format)
	require.Equal(t, "/ck", s.Path)
	require.True(t, s.Undeclared && s.Batch && !s.Stream)
	id, _ := s.Options.Get("operatorId")
	require.Equal(t, "1", id)
	s, err = connectors.FromStateMetadata("/ck").WithRows(connectors.RowsDDL("operatorId BIGINT NOT NULL")).Source()
	require.NoError(t, err)
	require.False(t, s.Undeclared)
	require.True(t, s.Fields[0].Nullable)
	for name, c := range map[string]struct {
		source connectors.StateSource
		says   string
	}{
		"zero":          {connectors.StateSource{}, "never made"},
		"no path":       {connectors.FromState(""), "path of a checkpoint"},
		"side":          {connectors.FromState("/ck", connectors.JoinSide("middle")), "one of left, right"},
		"batch":         {connectors.FromState("/ck", connectors.StateBatch(-1)), "at least 0"},
		"side and name": {connectors.FromState("/ck", connectors.JoinSide("left"), connectors.StateStoreName("default")), "cannot both be set"},
		"of metadata":   {connectors.FromStateMetadata("/ck", connectors.StateOperator(1)), "operatorId"},
	} {
		_, err := c.source.Source()
		require.Equal(t, condition.InvalidOption, condition.Of(err), name)
		require.ErrorContains(t, err, c.says, name)
	}
	_, err = connectors.FromState("/ck").WithRows(connectors.RowsDDL("a INT, a INT")).Source()
	require.Equal(t, condition.ColumnAlreadyExists, condition.Of(err))
}

// What is described is what is checked.
func TestDescriptions(t *testing.T) {
	seen := map[string]connectors.DescribedOption{}
	for _, d := range connectors.Descriptions() {
		require.NotEmpty(t, d.Options, d.Format)
		for _, o := range d.Options {
			require.True(t, o.Source || o.Sink, o.Key)
			seen[d.Format+" "+o.Key] = o
		}
	}
	require.Equal(t, connectors.DescribedOption{Key: "failOnDataLoss", Source: true, Values: "one of true, false"}, seen["kafka failOnDataLoss"])
	require.Equal(t, connectors.DescribedOption{Key: "header", Source: true, Sink: true, Values: "one of true, false"}, seen["csv header"])
	require.Equal(t, connectors.DescribedOption{Key: "basePath", Source: true}, seen["json basePath"])
	require.Equal(t, "a whole number of at least 1", seen["rate rowsPerSecond"].Values)
	require.Contains(t, seen, "socket host")
}
