//go:build conformance

package sparkconnect_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/sparkconnect"
	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/internal/testenv"
	"github.com/spoonbill-go/spoonbill/window"
)

var env *testenv.Env

func TestMain(m *testing.M) { os.Exit(testenv.Run(m, &env, testenv.WithoutKafka())) }

func connect(t *testing.T, opts ...sparkconnect.Option) (context.Context, *sparkconnect.Session) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	ignore := goleak.IgnoreCurrent()
	alloc := memory.NewCheckedAllocator(memory.DefaultAllocator)
	s, err := sparkconnect.Connect(ctx, env.Spark.Remote, append(opts, sparkconnect.Allocator(alloc))...)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		cancel()
		alloc.AssertSize(t, 0)
		goleak.VerifyNone(t, ignore)
	})
	return ctx, s
}

// source and sink are descriptions made by hand.
type source struct{ is tree.Source }

func (s source) Source() (*tree.Source, error) { return &s.is, nil }

type sink struct{ is tree.Sink }

func (s sink) Sink() (*tree.Sink, error) { return &s.is, nil }

func jsonFiles(t *testing.T, path, ddl string, options ...tree.Option) source {
	fields, err := datatype.ParseFields(ddl)
	require.NoError(t, err)
	return source{tree.Source{Format: "json", Path: path, Fields: fields, Options: options, Batch: true, Stream: true}}
}

func parquetFiles(path string, partition ...string) sink {
	return sink{tree.Sink{Format: "parquet", Path: path, PartitionBy: partition, Batch: true, Stream: true, Modes: []tree.OutputMode{tree.Append}}}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
}

type total struct {
	K string
	N int64
	S *int64
}

func totals(in expr.Table) expr.Table {
	return in.GroupBy(in.Str("k")).Agg(in.Num("v").Count().As("n"), in.Num("v").Sum().As("s"))
}

func TestLiveBatch(t *testing.T) {
	ctx, s := connect(t, sparkconnect.TimeZone("Europe/Berlin"), sparkconnect.ANSI(true))
	require.Equal(t, "Europe/Berlin", s.Zone().String())
	require.False(t, s.Target().NoANSI)
	dir := env.Dir(t)
	write(t, dir+"/a.json", "{\"k\":\"x\",\"v\":1}\n{\"k\":\"x\",\"v\":2}\n{\"k\":\"y\"}\n")
	in := expr.Read("in put", jsonFiles(t, dir, "k STRING, v INT"))
	rows, err := backend.Collect[total](ctx, s, totals(in).OrderBy(expr.Str("k").Asc()))
	require.NoError(t, err)
	require.Len(t, rows, 2)
	require.EqualValues(t, 3, *rows[0].S)
	require.Equal(t, total{K: "y"}, rows[1])

	text, err := s.Explain(ctx, totals(in), backend.ExplainOptions{Mode: backend.ExplainExtended})
	require.NoError(t, err)
	require.Contains(t, text.String(), "Optimized Logical Plan")

	// Rows once, and no more.
	r, err := s.Batches(ctx, in)
	require.NoError(t, err)
	for range 2 {
		for b, e := range r.Batches {
			if err = e; e == nil {
				require.EqualValues(t, 3, b.NumRows())
			}
		}
	}
	require.Equal(t, condition.Closed, condition.Of(err))

	// An error of the run.
	div := in.Mutate(in.Num("v").Div(in.Num("v").Sub(in.Num("v"))).As("d"))
	_, err = backend.Collect[map[string]any](ctx, s, div)
	require.Equal(t, condition.DivideByZero, condition.Of(err), "%v", err)

	// A schema that does not fit is told before a row, and the server is let go.
	_, err = backend.Collect[struct{ K int64 }](ctx, s, in)
	require.Equal(t, condition.CannotUpCast, condition.Of(err), "%v", err)
}

func TestLiveWrite(t *testing.T) {
	ctx, s := connect(t)
	dir := env.Dir(t)
	write(t, dir+"/a.json", "{\"k\":\"x\",\"v\":1}\n{\"k\":\"y\",\"v\":2}\n")
	in := expr.Read("t", jsonFiles(t, dir+"/a.json", "k STRING, v INT"))
	w := in.WriteTo(parquetFiles(dir+"/out", "k"))
	require.NoError(t, s.Write(ctx, w))
	require.Equal(t, condition.PathAlreadyExists, condition.Of(s.Write(ctx, w)))
	require.NoError(t, s.Write(ctx, w.SaveMode(expr.SaveAppend)))
	fields, err := datatype.ParseFields("v INT, k STRING")
	require.NoError(t, err)
	back := expr.Read("t", source{tree.Source{Format: "parquet", Path: dir + "/out", Fields: fields, Batch: true}})
	rows, err := backend.Collect[total](ctx, s, totals(back).OrderBy(expr.Str("k").Asc()))
	require.NoError(t, err)
	require.EqualValues(t, 2, rows[0].N)

}

func TestLiveTable(t *testing.T) {
	ctx, s := connect(t)
	dir := env.Dir(t)
	name := fmt.Sprintf("t%d", time.Now().UnixNano())
	_, err := s.Table(ctx, name)
	require.Equal(t, condition.TableNotFound, condition.Of(err), "%v", err)
	_, err = s.Table(ctx)
	require.Equal(t, condition.InvalidValue, condition.Of(err))

	write(t, dir+"/a.json", "{\"k\":\"x\",\"v\":1}\n")
	in := expr.Read("t", jsonFiles(t, dir, "k STRING, v INT"))
	require.NoError(t, s.Write(ctx, in.WriteTo(sink{tree.Sink{Format: "table", Path: name, Batch: true}})))
	table, err := s.Table(ctx, name)
	require.NoError(t, err)
	for range 2 {
		// The second time a temporary view has the table's name: the table is meant.
		rows, err := backend.Collect[total](ctx, s, totals(table))
		require.NoError(t, err)
		require.EqualValues(t, 1, *rows[0].S)
		table, err = s.Table(ctx, name)
		require.NoError(t, err)
	}
	same, err := s.Table(ctx, "spark_catalog", "default", name)
	require.NoError(t, err)
	require.Equal(t, table.Schema().String(), same.Schema().String())
}

// Programs of one session run at once, under one view name for different sources.
func TestLiveConcurrent(t *testing.T) {
	ctx, s := connect(t)
	dir := env.Dir(t)
	for i := range 4 {
		write(t, fmt.Sprintf("%s/%d.json", dir, i), strings.Repeat(fmt.Sprintf("{\"k\":\"x\",\"v\":%d}\n", i), i+1))
	}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			in := expr.Read("same", jsonFiles(t, fmt.Sprintf("%s/%d.json", dir, i), "k STRING, v INT"))
			rows, err := backend.Collect[total](ctx, s, totals(in))
			if err != nil || len(rows) != 1 || rows[0].N != int64(i+1) || *rows[0].S != int64(i*(i+1)) {
				t.Errorf("%d: %v %v", i, rows, err)
			}
			if err := s.Write(ctx, in.WriteTo(parquetFiles(fmt.Sprintf("%s/out%d", dir, i)))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestLiveStream(t *testing.T) {
	ctx, s := connect(t, sparkconnect.Config("spark.sql.shuffle.partitions", "1"))
	dir := env.Dir(t)
	require.NoError(t, os.Mkdir(dir+"/in", 0o777))
	require.NoError(t, os.Chmod(dir+"/in", 0o777))
	write(t, dir+"/in/a.json", `{"ts":"2024-01-01T00:00:01Z","k":"x","id":1}
{"ts":"2024-01-01T00:00:02Z","k":"x","id":1}
{"ts":"2024-01-01T00:00:03Z","k":"x","id":2}
`)
	in := expr.Read("events", jsonFiles(t, dir+"/in", "ts TIMESTAMP, k STRING, id INT", tree.Option{Key: "maxFilesPerTrigger", Value: "1"}))
	marked := in.Watermark("ts", 5*time.Second)
	counts := marked.GroupBy(window.Tumbling(marked.Timestamp("ts"), 10*time.Second), marked.Str("k")).Agg(marked.Num("id").Count().As("n"))
	w := counts.WriteTo(parquetFiles(dir + "/out")).Checkpoint(dir + "/ck").Trigger(expr.AvailableNow())
	q, err := s.Start(ctx, w)
	require.NoError(t, err)
	require.NoError(t, q.AwaitTermination(ctx))

	write(t, dir+"/in/b.json", "{\"ts\":\"2024-01-01T00:01:00Z\",\"k\":\"y\",\"id\":3}\n")
	again, err := s.Start(ctx, w.Trigger(expr.DefaultTrigger()))
	require.NoError(t, err)
	require.Equal(t, q.ID(), again.ID())
	require.NoError(t, again.ProcessAllAvailable(ctx))
	p, err := again.LastProgress(ctx)
	require.NoError(t, err)
	require.Equal(t, "2024-01-01T00:00:55.000Z", p.EventTime["watermark"])
	active, err := s.Streams().Active(ctx)
	require.NoError(t, err)
	require.Len(t, active, 1)
	found, err := s.Streams().Query(ctx, again.ID())
	require.NoError(t, err)
	require.Equal(t, again.RunID(), found.RunID())
	require.NoError(t, again.Stop(ctx))
	gone, err := s.Streams().Query(ctx, "00000000-0000-0000-0000-000000000000")
	require.NoError(t, err)
	require.Nil(t, gone)

	fields, err := datatype.ParseFields("`window` STRUCT<`start`: TIMESTAMP, `end`: TIMESTAMP>, k STRING, n BIGINT")
	require.NoError(t, err)
	type row struct {
		Window struct{ Start, End time.Time }
		K      string
		N      int64
	}
	rows, err := backend.Collect[row](ctx, s, expr.Read("out", source{tree.Source{Format: "parquet", Path: dir + "/out", Fields: fields, Batch: true}}))
	require.NoError(t, err)
	require.Len(t, rows, 1)
	require.EqualValues(t, 3, rows[0].N)
	require.Equal(t, time.Date(2024, 1, 1, 0, 0, 10, 0, time.UTC), rows[0].Window.End)

	// What Spark refuses is refused before anything starts.
	_, err = s.Start(ctx, in.OrderBy(in.Str("k").Asc()).WriteTo(parquetFiles(dir+"/no")).Checkpoint(dir+"/ck2"))
	require.Error(t, err)
	// And Spark refuses it too.
	sorted, err := in.OrderBy(in.Str("k").Asc()).WriteTo(parquetFiles(dir + "/no")).Checkpoint(dir + "/ck2").Tree()
	require.NoError(t, err)
	program, err := compiler.Unchecked(sorted, compiler.Stream, s.Target())
	require.NoError(t, err)
	_, err = s.RunStream(ctx, program)
	require.Equal(t, condition.StreamingUnsupported, condition.Of(err), "%v", err)
}

func TestLiveCancel(t *testing.T) {
	ctx, s := connect(t)
	dir := env.Dir(t)
	write(t, dir+"/a.json", strings.Repeat("{\"k\":\"x\",\"v\":1}\n", 1500))
	in := expr.Read("t", jsonFiles(t, dir, "k STRING, v INT"))
	// Some ten seconds of work: the tasks of a join do not look whether they are to stop, and hold the server until they are done.
	big := in.Join(in.View().Rename(map[string]string{"v2": "v"}), "k").Join(in.View().Rename(map[string]string{"v3": "v"}), "k")
	big = big.Agg(big.Num("v").Add(big.Num("v2")).Add(big.Num("v3")).Sum().As("s"))
	bounded, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	_, err := backend.Collect[map[string]any](bounded, s, big)
	require.ErrorIs(t, err, context.DeadlineExceeded)

	// A result that nobody reads is given up with its context.
	bounded, cancel = context.WithCancel(ctx)
	r, err := s.Batches(bounded, in)
	require.NoError(t, err)
	cancel()
	time.Sleep(300 * time.Millisecond)
	for _, e := range r.Batches {
		err = e
	}
	require.ErrorIs(t, err, context.Canceled)
}

func TestLiveSecrets(t *testing.T) {
	ctx, s := connect(t)
	in := expr.Read("t", source{tree.Source{
		Format: "no-such-format-hunter2", Fields: []datatype.Field{{Name: "a", Type: datatype.Int, Nullable: true}}, Batch: true,
		Options: tree.Options{{Key: "password", Value: "hunter2", Secret: true}},
	}})
	_, err := s.Batches(ctx, in)
	require.Error(t, err)
	require.NotContains(t, err.Error(), "hunter2")
}

// Explain has Spark's modes, and Analyze the metrics of the plan that ran.
func TestExplain(t *testing.T) {
	ctx, s := connect(t)
	dir := env.Dir(t)
	write(t, dir+"/a.json", "{\"k\":\"x\",\"v\":1}\n{\"k\":\"x\",\"v\":2}\n{\"k\":\"y\"}\n")
	in := expr.Read("in put", jsonFiles(t, dir, "k STRING, v INT"))
	table := totals(in).OrderBy("k")
	for mode, titles := range map[backend.ExplainMode][]string{
		backend.ExplainSimple:    {"Physical Plan"},
		backend.ExplainExtended:  {"Parsed Logical Plan", "Analyzed Logical Plan", "Optimized Logical Plan", "Physical Plan"},
		backend.ExplainCodegen:   nil,
		backend.ExplainCost:      {"Optimized Logical Plan", "Physical Plan"},
		backend.ExplainFormatted: {"Physical Plan"},
	} {
		asked := table
		if mode == backend.ExplainCodegen {
			asked = in.Filter(in.Num("v").Gt(1)) // of a plan with shuffles the code is generated when it runs
		}
		e, err := s.Explain(ctx, asked, backend.ExplainOptions{Mode: mode})
		require.NoError(t, err)
		var found []string
		trees := 0
		for _, section := range e.Sections {
			found = append(found, section.Title)
			if section.Root != nil {
				trees++
				require.NotContains(t, section.Root.Text, "\n", "every line found its place")
			}
		}
		require.NotZero(t, trees, mode)
		if titles != nil {
			require.Equal(t, titles, found, mode)
			require.Len(t, found, trees)
		} else {
			require.Contains(t, e.String(), "Generated code:")
		}
		require.Contains(t, e.DOT(), " -> ", mode)
		t.Logf("%s\n%s", mode, e)
	}
	e, err := s.Explain(ctx, table, backend.ExplainOptions{Analyze: true})
	require.NoError(t, err)
	ran := e.Sections[len(e.Sections)-1]
	require.Equal(t, "Executed Plan", ran.Title)
	t.Log(e)
	rows := map[string]int64{}
	var visit func(o *backend.PlanOperator)
	visit = func(o *backend.PlanOperator) {
		if m, ok := o.Metric("number of output rows"); ok {
			rows[strings.Fields(o.Text)[0]] += m.Value
		}
		for _, in := range o.Inputs {
			visit(in)
		}
	}
	visit(ran.Root)
	require.EqualValues(t, 3, rows["Scan"])
	require.Contains(t, rows, "HashAggregate")
	_, err = s.Explain(ctx, table, backend.ExplainOptions{Mode: 99})
	require.Equal(t, condition.InvalidOption, condition.Of(err))
}
