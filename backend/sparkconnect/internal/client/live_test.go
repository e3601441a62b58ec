//go:build conformance

package client

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"

	pb "github.com/spoonbill-go/spoonbill/backend/sparkconnect/internal/connectpb"
)

func sql(q string) *pb.Relation {
	return &pb.Relation{RelType: &pb.Relation_Sql{Sql: &pb.SQL{Query: q}}}
}

// connect opens a session that checks, when the test ends, that every Arrow buffer was given back.
func connect(t *testing.T, settings ...Setting) (context.Context, *Client) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	remote, err := ParseRemote(env.Spark.Remote)
	require.NoError(t, err)
	alloc := memory.NewCheckedAllocator(memory.DefaultAllocator)
	c, err := Connect(ctx, remote, Options{Settings: settings, Allocator: alloc})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, c.Close(context.Background()))
		cancel()
		alloc.AssertSize(t, 0)
	})
	return ctx, c
}

func query(t *testing.T, ctx context.Context, c *Client, q string) *Result {
	t.Helper()
	r, err := c.Query(ctx, sql(q))
	require.NoError(t, err)
	return r
}

func run(ctx context.Context, c *Client, q string) error {
	r, err := c.Query(ctx, sql(q))
	if err != nil {
		return err
	}
	for _, err := range r.Batches() {
		if err != nil {
			return err
		}
	}
	return nil
}

func TestLiveSession(t *testing.T) {
	ctx, c := connect(t, Setting{"spark.sql.session.timeZone", "Europe/Berlin"}, Setting{"spark.sql.ansi.enabled", "true"})
	require.Regexp(t, `^4\.\d+\.\d+`, c.Version())
	for key, want := range map[string]string{
		"spark.sql.session.timeZone": "Europe/Berlin", "spark.sql.ansi.enabled": "true", "spark.sql.variable.substitute": "false",
	} {
		v, ok, err := c.Config(ctx, key)
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, want, v)
	}
	_, ok, err := c.Config(ctx, "no.such.setting")
	require.NoError(t, err)
	require.False(t, ok)
	require.NoError(t, c.UnsetConfig(ctx, "spark.sql.session.timeZone"))

	// A literal keeps what looks like a variable.
	for batch, err := range query(t, ctx, c, "SELECT '${env:HOME}' AS s").Batches() {
		require.NoError(t, err)
		require.Equal(t, "${env:HOME}", batch.Column(0).(*array.String).Value(0))
	}
	ddl, err := c.ParseDDL(ctx, "a INT NOT NULL, b ARRAY<DECIMAL(5,2)>")
	require.NoError(t, err)
	require.Equal(t, "STRUCT<a: INT NOT NULL, b: ARRAY<DECIMAL(5,2)>>", ddl.String())

	require.NoError(t, c.Close(ctx))
	require.NoError(t, c.Close(ctx))
	_, err = c.Schema(ctx, sql("SELECT 1"))
	require.Equal(t, condition.Closed, condition.Of(err))
}

func TestLiveSchema(t *testing.T) {
	ctx, c := connect(t)
	const q = `SELECT 1 AS i, CAST(NULL AS BIGINT) AS l, 1Y AS y, 1S AS s, 1.5F AS f, 1.5D AS d, 1.50 AS dec, CAST(1 AS DECIMAL(38,18)) AS wide,
		'x' AS str, X'00' AS bin, true AS b, DATE'2024-01-01' AS dt, TIMESTAMP'2024-01-01' AS ts, TIMESTAMP_NTZ'2024-01-01' AS ntz,
		INTERVAL '1' DAY AS d1, INTERVAL '1 2' DAY TO HOUR AS dh, INTERVAL '1' SECOND AS s1, INTERVAL '1' YEAR AS y1, INTERVAL '1-2' YEAR TO MONTH AS ym,
		make_interval(1, 2) AS cal, NULL AS n, array(1, NULL) AS a1, array(1) AS a2, map('k', 1.5) AS m, named_struct('x', 1, 'y z', array(map(1, 'a'))) AS st,
		parse_json('{"a":1}') AS v`
	fields, err := c.Schema(ctx, sql(q))
	require.NoError(t, err)
	got := map[string]string{}
	byName := map[string]datatype.Type{}
	for _, f := range fields {
		got[f.Name], byName[f.Name] = f.Type.String(), f.Type
		switch f.Name {
		case "l", "n":
			require.True(t, f.Nullable, f.Name)
		case "i", "dec", "str", "a1", "st":
			require.False(t, f.Nullable, f.Name)
		}
	}
	require.Equal(t, map[string]string{
		"i": "INT", "l": "BIGINT", "y": "TINYINT", "s": "SMALLINT", "f": "FLOAT", "d": "DOUBLE", "dec": "DECIMAL(3,2)", "wide": "DECIMAL(38,18)",
		"str": "STRING", "bin": "BINARY", "b": "BOOLEAN", "dt": "DATE", "ts": "TIMESTAMP", "ntz": "TIMESTAMP_NTZ", "d1": "INTERVAL DAY", "dh": "INTERVAL DAY TO HOUR",
		"s1": "INTERVAL SECOND", "y1": "INTERVAL YEAR", "ym": "INTERVAL YEAR TO MONTH", "cal": "INTERVAL", "n": "VOID", "a1": "ARRAY<INT>", "a2": "ARRAY<INT>",
		"m": "MAP<STRING, DECIMAL(2,1)>", "st": "STRUCT<x: INT NOT NULL, `y z`: ARRAY<MAP<INT, STRING>> NOT NULL>", "v": "VARIANT",
	}, got)
	require.True(t, byName["a1"].(datatype.Array).ContainsNull)
	require.False(t, byName["a2"].(datatype.Array).ContainsNull)

	// The schema that comes with the result is the same one.
	r := query(t, ctx, c, q)
	defer r.Close()
	require.True(t, datatype.Equal(datatype.Struct{Fields: fields}, datatype.Struct{Fields: r.Fields()}))

	_, err = c.Schema(ctx, sql("SELECT 'a' COLLATE UNICODE AS s"))
	require.Equal(t, condition.Unsupported, condition.Of(err), "%v", err)
}

func TestLiveBatches(t *testing.T) {
	ctx, c := connect(t)

	// Many batches, in order, each once.
	next, batches := int64(0), 0
	for batch, err := range query(t, ctx, c, "SELECT id, CAST(id AS STRING) AS s FROM range(1000000)").Batches() {
		require.NoError(t, err)
		batches++
		for _, v := range batch.Column(0).(*array.Int64).Int64Values() {
			require.Equal(t, next, v)
			next++
		}
	}
	require.EqualValues(t, 1000000, next)
	require.Greater(t, batches, 1)

	// No rows: the schema is there, and no batch holds one.
	r := query(t, ctx, c, "SELECT id FROM range(10) WHERE id > 100")
	require.Len(t, r.Fields(), 1)
	rows := int64(0)
	for batch, err := range r.Batches() {
		require.NoError(t, err)
		rows += batch.NumRows()
	}
	require.Zero(t, rows)

	// No columns, but rows.
	rows = 0
	for batch, err := range query(t, ctx, c, "SELECT * EXCEPT (id) FROM range(7)").Batches() {
		require.NoError(t, err)
		rows += batch.NumRows()
	}
	require.EqualValues(t, 7, rows)

	// One row larger than gRPC's usual bound of 4 MB.
	for batch, err := range query(t, ctx, c, "SELECT repeat('x', 20000000) AS s").Batches() {
		require.NoError(t, err)
		require.Len(t, batch.Column(0).(*array.String).Value(0), 20000000)
	}

	// An early end stops the query on the server.
	for _, err := range query(t, ctx, c, "SELECT id FROM range(0, 20000000, 1, 200)").Batches() {
		require.NoError(t, err)
		break
	}
	requireIdle(t, ctx, c)
}

// requireIdle proves that no operation of the session runs. One that was just interrupted may need a moment to notice.
func requireIdle(t *testing.T, ctx context.Context, c *Client) {
	t.Helper()
	var ids []string
	for range 20 {
		var err error
		ids, err = c.InterruptAll(ctx)
		require.NoError(t, err)
		if len(ids) == 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("operations still running on the server: %v", ids)
}

// slow is a query that would run for many minutes. Its tasks look at every thousandth row whether they are to stop; those of a join of two ranges
// do not, and would occupy the server after the test.
const slow = "SELECT sum(hash(id)) FROM range(1000000000000)"

func TestLiveCancel(t *testing.T) {
	ctx, c := connect(t)
	for want, bound := range map[error]func() (context.Context, context.CancelFunc){
		context.Canceled: func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(1500*time.Millisecond, cancel)
			return ctx, cancel
		},
		context.DeadlineExceeded: func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 1500*time.Millisecond)
		},
	} {
		t.Run(want.Error(), func(t *testing.T) {
			bounded, cancel := bound()
			defer cancel()
			began := time.Now()
			r, err := c.Query(bounded, sql(slow))
			require.NoError(t, err)
			for _, e := range r.Batches() {
				err = e
			}
			require.ErrorIs(t, err, want)
			require.Less(t, time.Since(began), 15*time.Second)
			requireIdle(t, ctx, c)
		})
	}
	// That such a query runs is seen from outside: without the interrupt its id would have been there.
	r, err := c.Query(ctx, sql(slow))
	require.NoError(t, err)
	defer r.Close()
	time.Sleep(500 * time.Millisecond)
	ids, err := c.InterruptAll(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{r.x.request.GetOperationId()}, ids)
	r.Close()
	// The tasks are gone too: else they would hold every slot of a small server.
	require.NoError(t, run(ctx, c, "SELECT sum(id) FROM range(0, 1000, 1, 4)"))
}

func TestLiveErrors(t *testing.T) {
	ctx, c := connect(t)
	for _, tc := range []struct{ query, name, state string }{
		{"SELECT nope FROM range(1)", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703"},
		{"SELEC 1", "PARSE_SYNTAX_ERROR", "42601"},
		{"SELECT * FROM no_such_table", "TABLE_OR_VIEW_NOT_FOUND", "42P01"},
		{"SELECT 1/0", "DIVIDE_BY_ZERO", "22012"},
		{"SELECT CAST('x' AS INT)", "CAST_INVALID_INPUT", "22018"},
		{"SELECT raise_error('boom')", "USER_RAISED_EXCEPTION", "P0001"},
		{"SELECT array(1)[5]", "INVALID_ARRAY_INDEX", "22003"},
		{"SELECT TIME'12:00:00'", "UNSUPPORTED_TIME_TYPE", "0A000"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := run(ctx, c, tc.query)
			var e *condition.Error
			require.ErrorAs(t, err, &e)
			t.Log(err)
			require.Equal(t, tc.name, e.Condition)
			require.Equal(t, tc.state, e.SQLState)
			require.NotContains(t, e.Message, "SQLSTATE")
			require.NotContains(t, e.Message, "["+tc.name)
		})
	}
	// A message far beyond gRPC's 2048 characters arrives whole and with its condition.
	long := strings.Repeat("wide ", 1000)
	err := run(ctx, c, "SELECT nope AS `"+long+"` FROM (SELECT 1 AS close)")
	var e *condition.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "UNRESOLVED_COLUMN.WITH_SUGGESTION", e.Condition)
	require.Equal(t, "42703", e.SQLState)
	require.Contains(t, e.Message, long)
	require.Equal(t, map[string]string{"objectName": "`nope`", "proposal": "`close`"}, e.Parameters)
	err = run(ctx, c, "SELECT raise_error(repeat('long', 2000))")
	require.ErrorAs(t, err, &e)
	require.Equal(t, condition.UserRaised, e.Condition)
	require.Contains(t, e.Message, strings.Repeat("long", 2000))

	// An error within a task carries its condition.
	err = run(ctx, c, "SELECT CAST(s AS INT) FROM (SELECT CAST(id AS STRING) || 'z' AS s FROM range(10))")
	require.Equal(t, condition.CastInvalidInput, condition.Of(err), "%v", err)
}

func TestLiveUnreachable(t *testing.T) {
	remote, err := ParseRemote("sc://127.0.0.1:1/;token=verysecret;use_ssl=false")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	_, err = Connect(ctx, remote, Options{})
	require.Equal(t, condition.ServerUnavailable, condition.Of(err), "%v", err)
	require.NotContains(t, err.Error(), "verysecret")
}

func view(name string, input *pb.Relation) *pb.Command {
	return &pb.Command{CommandType: &pb.Command_CreateDataframeView{CreateDataframeView: &pb.CreateDataFrameViewCommand{Input: input, Name: name, Replace: true}}}
}

func TestLiveWrite(t *testing.T) {
	ctx, c := connect(t)
	dir := env.Dir(t)
	write := func(mode pb.WriteOperation_SaveMode) error {
		return c.Command(ctx, &pb.Command{CommandType: &pb.Command_WriteOperation{WriteOperation: &pb.WriteOperation{
			Input: sql("SELECT id, id % 2 AS p FROM range(4)"), Source: proto.String("parquet"), SaveType: &pb.WriteOperation_Path{Path: dir + "/out"},
			Mode: mode, PartitioningColumns: []string{"p"}, Options: map[string]string{"compression": "none"},
		}}})
	}
	count := func() (n int64) {
		for batch, err := range query(t, ctx, c, "SELECT count(*) FROM parquet.`"+dir+"/out`").Batches() {
			require.NoError(t, err)
			n = batch.Column(0).(*array.Int64).Value(0)
		}
		return n
	}
	require.NoError(t, write(pb.WriteOperation_SAVE_MODE_ERROR_IF_EXISTS))
	require.EqualValues(t, 4, count())
	require.Equal(t, condition.PathAlreadyExists, condition.Of(write(pb.WriteOperation_SAVE_MODE_ERROR_IF_EXISTS)))
	require.NoError(t, write(pb.WriteOperation_SAVE_MODE_IGNORE))
	require.EqualValues(t, 4, count())
	require.NoError(t, write(pb.WriteOperation_SAVE_MODE_APPEND))
	require.EqualValues(t, 8, count())
	require.NoError(t, write(pb.WriteOperation_SAVE_MODE_OVERWRITE))
	require.EqualValues(t, 4, count())
	parts, err := filepath.Glob(dir + "/out/p=*")
	require.NoError(t, err)
	require.Len(t, parts, 2)

	require.NoError(t, c.Command(ctx, view("V", sql("SELECT 1 AS a"))))
	require.NoError(t, run(ctx, c, "SELECT a FROM v"))
}

func rate(options map[string]string) *pb.Relation {
	return &pb.Relation{RelType: &pb.Relation_Read{Read: &pb.Read{IsStreaming: true, ReadType: &pb.Read_DataSource_{
		DataSource: &pb.Read_DataSource{Format: proto.String("rate"), Options: options},
	}}}}
}

func TestLiveStream(t *testing.T) {
	ctx, c := connect(t, Setting{"spark.sql.shuffle.partitions", "1"})
	require.NoError(t, c.Command(ctx, view("ticks", rate(map[string]string{"rowsPerSecond": "20"}))))
	const q = "SELECT window(timestamp, '1 second') AS w, count(*) AS n FROM ticks WATERMARK timestamp DELAY OF INTERVAL 1 SECOND GROUP BY window(timestamp, '1 second')"
	streaming, err := c.IsStreaming(ctx, sql(q))
	require.NoError(t, err)
	require.True(t, streaming)

	name := fmt.Sprintf("q%d", time.Now().UnixNano())
	query, err := c.Start(ctx, &pb.WriteStreamOperationStart{
		Input: sql(q), Format: "memory", OutputMode: "append", QueryName: name,
		Trigger: &pb.WriteStreamOperationStart_ProcessingTimeInterval{ProcessingTimeInterval: "500 milliseconds"},
	})
	require.NoError(t, err)
	require.NotEmpty(t, query.ID())
	require.NotEmpty(t, query.RunID())
	require.Equal(t, name, query.Name())

	active, err := c.Active(ctx)
	require.NoError(t, err)
	require.Len(t, active, 1)
	require.Equal(t, query.ID(), active[0].ID())
	found, err := c.Find(ctx, query.ID())
	require.NoError(t, err)
	require.Equal(t, query.RunID(), found.RunID())
	none, err := c.Find(ctx, "00000000-0000-0000-0000-000000000000")
	require.NoError(t, err)
	require.Nil(t, none)

	require.Eventually(t, func() bool {
		p, err := query.LastProgress(ctx)
		return err == nil && p != nil && p.Sink.NumOutputRows > 0
	}, time.Minute, 300*time.Millisecond)
	status, err := query.Status(ctx)
	require.NoError(t, err)
	require.NotEmpty(t, status.Message)
	on, err := query.IsActive(ctx)
	require.NoError(t, err)
	require.True(t, on)
	all, err := query.RecentProgress(ctx)
	require.NoError(t, err)
	require.NotEmpty(t, all)

	text, err := query.Explain(ctx, backend.ExplainOptions{Mode: backend.ExplainExtended})
	require.NoError(t, err)
	require.Contains(t, text.String(), "Physical Plan")
	for _, o := range []backend.ExplainOptions{{Analyze: true}, {Mode: backend.ExplainFormatted}} {
		_, err := query.Explain(ctx, o)
		require.Equal(t, condition.Unsupported, condition.Of(err))
	}

	// A wait that is given up leaves the query alone and nothing on the server.
	short, cancel := context.WithTimeout(ctx, 700*time.Millisecond)
	defer cancel()
	began := time.Now()
	require.ErrorIs(t, query.AwaitTermination(short), context.DeadlineExceeded)
	require.Less(t, time.Since(began), 3*time.Second)
	short, cancel = context.WithTimeout(ctx, 700*time.Millisecond)
	defer cancel()
	x, err := c.execute(short, &pb.Plan{OpType: &pb.Plan_Command{Command: &pb.Command{CommandType: &pb.Command_StreamingQueryCommand{StreamingQueryCommand: &pb.StreamingQueryCommand{
		QueryId: query.id, Command: &pb.StreamingQueryCommand_AwaitTermination{AwaitTermination: &pb.StreamingQueryCommand_AwaitTerminationCommand{}},
	}}}}}, false)
	require.NoError(t, err)
	_, err = x.next()
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Eventually(t, func() bool {
		ids, err := c.interrupt(ctx, x.request.GetOperationId())
		return err == nil && len(ids) == 0
	}, 2*time.Second, 100*time.Millisecond, "a wait without end is still on the server")
	on, err = query.IsActive(ctx)
	require.NoError(t, err)
	require.True(t, on)

	require.NoError(t, query.Stop(ctx))
	require.NoError(t, query.Stop(ctx))
	require.NoError(t, query.AwaitTermination(ctx))
	failure, err := query.Exception(ctx)
	require.NoError(t, err)
	require.Nil(t, failure)
	on, err = query.IsActive(ctx)
	require.NoError(t, err)
	require.False(t, on)
}

// The context of a start is over when the start is; the query goes on.
func TestLiveStartContext(t *testing.T) {
	ctx, c := connect(t)
	bounded, cancel := context.WithCancel(ctx)
	query, err := c.Start(bounded, &pb.WriteStreamOperationStart{Input: rate(nil), Format: "noop", OutputMode: "append"})
	cancel()
	require.NoError(t, err)
	time.Sleep(time.Second)
	on, err := query.IsActive(ctx)
	require.NoError(t, err)
	require.True(t, on)

	require.NoError(t, query.Stop(ctx))

	_, err = c.Start(bounded, &pb.WriteStreamOperationStart{Input: rate(nil), Format: "noop", OutputMode: "append"})
	require.ErrorIs(t, err, context.Canceled)
	active, err := c.Active(ctx)
	require.NoError(t, err)
	require.Empty(t, active)
}

func TestLiveTriggers(t *testing.T) {
	ctx, c := connect(t)
	dir := env.Dir(t)
	require.NoError(t, os.MkdirAll(dir+"/in", 0o777))
	require.NoError(t, os.WriteFile(dir+"/in/a.json", []byte("{\"k\":\"a\",\"v\":1}\n{\"k\":\"b\",\"v\":2}\n"), 0o666))
	input := &pb.Relation{RelType: &pb.Relation_Read{Read: &pb.Read{IsStreaming: true, ReadType: &pb.Read_DataSource_{DataSource: &pb.Read_DataSource{
		Format: proto.String("json"), Schema: proto.String("k STRING, v INT"), Options: map[string]string{"path": dir + "/in"},
	}}}}}
	start := func() *pb.WriteStreamOperationStart {
		return &pb.WriteStreamOperationStart{
			Input: input, Format: "parquet", OutputMode: "append", PartitioningColumnNames: []string{"k"},
			Options: map[string]string{"checkpointLocation": dir + "/ck"}, SinkDestination: &pb.WriteStreamOperationStart_Path{Path: dir + "/out"},
		}
	}
	s := start()
	s.Trigger = &pb.WriteStreamOperationStart_AvailableNow{AvailableNow: true}
	first, err := c.Start(ctx, s)
	require.NoError(t, err)
	require.Empty(t, first.Name())
	require.NoError(t, first.AwaitTermination(ctx))

	// A restart from the checkpoint is the same query in another run, and reads the new file only.
	require.NoError(t, os.WriteFile(dir+"/in/b.json", []byte("{\"k\":\"a\",\"v\":3}\n"), 0o666))
	s = start()
	s.Trigger = &pb.WriteStreamOperationStart_Once{Once: true}
	second, err := c.Start(ctx, s)
	require.NoError(t, err)
	require.NoError(t, second.AwaitTermination(ctx))
	require.Equal(t, first.ID(), second.ID())
	require.NotEqual(t, first.RunID(), second.RunID())
	reports, err := second.RecentProgress(ctx)
	require.NoError(t, err)
	read := int64(0)
	for _, p := range reports {
		read += p.NumInputRows
	}
	require.EqualValues(t, 1, read, reports)

	// No trigger: as fast as possible.
	require.NoError(t, os.WriteFile(dir+"/in/c.json", []byte("{\"k\":\"c\",\"v\":4}\n"), 0o666))
	third, err := c.Start(ctx, start())
	require.NoError(t, err)
	require.NoError(t, third.ProcessAllAvailable(ctx))
	require.NoError(t, third.Stop(ctx))
	rows := int64(0)
	for batch, err := range query(t, ctx, c, "SELECT sum(v), count(*) FROM parquet.`"+dir+"/out`").Batches() {
		require.NoError(t, err)
		require.EqualValues(t, 10, batch.Column(0).(*array.Int64).Value(0))
		rows = batch.Column(1).(*array.Int64).Value(0)
	}
	require.EqualValues(t, 4, rows)

	// Continuous, and real time with its own list of sinks.
	fourth, err := c.Start(ctx, &pb.WriteStreamOperationStart{
		Input: rate(nil), Format: "noop", OutputMode: "append", Options: map[string]string{"checkpointLocation": dir + "/ck2"},
		Trigger: &pb.WriteStreamOperationStart_ContinuousCheckpointInterval{ContinuousCheckpointInterval: "1 second"},
	})
	require.NoError(t, err)
	require.NoError(t, fourth.Stop(ctx))
	fifth, err := c.Start(ctx, &pb.WriteStreamOperationStart{
		Input: rate(nil), Format: "noop", OutputMode: "update", Options: map[string]string{"checkpointLocation": dir + "/ck3"},
		Trigger: &pb.WriteStreamOperationStart_RealTimeBatchDuration{RealTimeBatchDuration: "5 seconds"},
	})
	if err == nil {
		// The refusal may come from the start or from the query's own thread.
		err = fifth.AwaitTermination(ctx)
	}
	require.ErrorContains(t, err, "STREAMING_REAL_TIME_MODE")
}

func TestLiveStreamFailure(t *testing.T) {
	ctx, c := connect(t)
	require.NoError(t, c.Command(ctx, view("r", rate(map[string]string{"rowsPerSecond": "5"}))))
	query, err := c.Start(ctx, &pb.WriteStreamOperationStart{Input: sql("SELECT CAST('x' || value AS INT) AS i FROM r"), Format: "noop", OutputMode: "append"})
	require.NoError(t, err)
	err = query.AwaitTermination(ctx)
	t.Log(err)
	require.Equal(t, condition.StreamFailed, condition.Of(err), "%v", err)
	require.ErrorIs(t, err, &condition.Error{Condition: condition.CastInvalidInput}, "%v", err)
	failure, err := query.Exception(ctx)
	require.NoError(t, err)
	require.Equal(t, condition.StreamFailed, failure.Condition)
	require.Error(t, c.AwaitAny(ctx))
	require.NoError(t, c.ResetTerminated(ctx))

	for q, want := range map[string]string{
		"SELECT value FROM r ORDER BY value": condition.StreamingUnsupported,
		"SELECT window(timestamp, '1 second'), count(DISTINCT value) FROM r WATERMARK timestamp DELAY OF INTERVAL 1 SECOND GROUP BY window(timestamp, '1 second')": condition.StreamingUnsupported,
		"SELECT value, row_number() OVER (ORDER BY value) AS n FROM r":                                                                                             condition.NonTimeWindow,
		"SELECT value % 2 AS k, count(*) FROM r GROUP BY value % 2":                                                                                                condition.StreamingOutputMode,
		"SELECT 1 AS batch": condition.WriteStreamNotAllowed,
		"SELECT a.value FROM r a LEFT JOIN r b ON a.value = b.value": condition.StreamingUnsupported,
	} {
		_, err := c.Start(ctx, &pb.WriteStreamOperationStart{Input: sql(q), Format: "noop", OutputMode: "append"})
		if got := condition.Of(err); got != want {
			t.Errorf("%s: %s: %v", q, got, err)
		}
	}
	err = run(ctx, c, "SELECT * FROM r")
	require.Equal(t, condition.StreamingUnsupported, condition.Of(err), "%v", err)
}

func TestLiveListener(t *testing.T) {
	ctx, c := connect(t, Setting{"spark.sql.shuffle.partitions", "1"})
	require.NoError(t, c.Command(ctx, view("ticks", rate(map[string]string{"rowsPerSecond": "20"}))))
	added, done := make(chan struct{}), make(chan error, 1)
	var events []backend.Event
	var texts []string
	go func() {
		done <- c.listen(ctx, func() { close(added) }, func(kind backend.EventKind, text string) error {
			e, err := backend.ParseEvent(kind, []byte(text))
			events, texts = append(events, e), append(texts, text)
			return err
		})
	}()
	<-added
	name := fmt.Sprintf("q%d", time.Now().UnixNano())
	query, err := c.Start(ctx, &pb.WriteStreamOperationStart{
		Input:  sql("SELECT window(timestamp, '1 second') AS w, count(*) AS n FROM ticks WATERMARK timestamp DELAY OF INTERVAL 1 SECOND GROUP BY window(timestamp, '1 second')"),
		Format: "memory", OutputMode: "append", QueryName: name,
	})
	require.NoError(t, err)
	if c.Version() >= "4.3" {
		require.Contains(t, query.StartedEvent(), query.ID())
	}
	require.Eventually(t, func() bool {
		p, err := query.LastProgress(ctx)
		return err == nil && p != nil && p.Sink.NumOutputRows > 0
	}, 30*time.Second, 200*time.Millisecond)
	require.NoError(t, query.Stop(ctx))
	reports, err := query.RecentProgress(ctx)
	require.NoError(t, err)
	time.Sleep(time.Second)
	require.NoError(t, c.Unlisten(ctx))
	require.NoError(t, <-done)

	kinds := map[backend.EventKind]int{}
	told := map[int64]*backend.Progress{}
	for i, e := range events {
		kinds[e.Kind]++
		require.Equal(t, query.ID(), e.ID)
		if e.Progress != nil {
			told[e.Progress.BatchID] = e.Progress
			require.Empty(t, e.Progress.Rest, "this Spark reports more than Progress knows")
			require.Equal(t, texts[i], `{"progress":`+e.Progress.String()+`}`)
		}
	}
	require.NotZero(t, kinds[backend.Progressed], kinds)
	require.Equal(t, 1, kinds[backend.Terminated], kinds)
	// What a listener is sent and what a question is answered are two texts of the same report.
	same := 0
	for i := range reports {
		if p := told[reports[i].BatchID]; p != nil {
			require.Equal(t, p.String(), reports[i].String())
			same++
		}
	}
	require.NotZero(t, same)
	if path := os.Getenv("SPOONBILL_RECORD_PROGRESS"); path != "" {
		var text strings.Builder
		for _, e := range events {
			if e.Progress != nil {
				fmt.Fprintln(&text, e.Progress)
			}
		}
		require.NoError(t, os.WriteFile(path, []byte(text.String()), 0o666))
	}
}

// A stream that breaks in the middle goes on where it stood.
func TestLiveReattach(t *testing.T) {
	ctx, c := connect(t)
	r := query(t, ctx, c, "SELECT id FROM range(2000000)")
	next, broken := int64(0), 0
	for batch, err := range r.Batches() {
		require.NoError(t, err)
		for _, v := range batch.Column(0).(*array.Int64).Int64Values() {
			require.Equal(t, next, v)
			next++
		}
		if broken < 3 {
			broken++
			r.x.stream = nil
		}
	}
	require.EqualValues(t, 2000000, next)
	require.Equal(t, 3, broken)

	// An operation that never reached the server is sent again, once.
	r2, err := c.execute(ctx, planOf(sql("SELECT 1 AS a")), true)
	require.NoError(t, err)
	defer r2.close()
	r2.sent = true
	_, err = r2.next()
	require.NoError(t, err)
	require.True(t, r2.resent)

	// One of which a part has arrived is not: what came before would come twice.
	r3 := query(t, ctx, c, "SELECT id FROM range(2000000)")
	r3.x.request.OperationId = proto.String("11111111-1111-1111-1111-111111111111")
	r3.x.stream = nil
	for _, e := range r3.Batches() {
		err = e
	}
	require.Equal(t, "INVALID_HANDLE.OPERATION_NOT_FOUND", condition.Of(err))
	_, err = c.InterruptAll(ctx)
	require.NoError(t, err)
}

func TestLiveSessionGone(t *testing.T) {
	ctx, c := connect(t)
	require.NoError(t, c.conn.Invoke(ctx, pb.MethodReleaseSession, &pb.ReleaseSessionRequest{SessionId: c.session, UserContext: c.userContext(), AllowReconnect: true}, &pb.ReleaseSessionResponse{}))
	// The server would make a new, empty session of the same id; the id that it gave the old one tells them apart.
	err := run(ctx, c, "SELECT 1")
	var e *condition.Error
	require.True(t, errors.As(err, &e), "%v", err)
	require.Contains(t, e.Condition, "INVALID_HANDLE.SESSION_")
	require.NotEmpty(t, e.Hint)
	t.Log(err)
}
