// Package docs_test holds the code of the README and of the pages in docs that no other example shows, so that it runs. A rule of internal/lint keeps text and code the same.
package docs_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/connectors"
	examples "github.com/spoonbill-go/spoonbill/examples/payments"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/observe"
	"github.com/spoonbill-go/spoonbill/observe/dashboard"
	"github.com/spoonbill-go/spoonbill/window"
)

// The rows of the README's job.
type (
	Payment = examples.Payment
	Total   = examples.Total
)

// broker starts a Kafka broker within the process, with topics of one partition.
func broker(t *testing.T, topics ...string) string {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, topics...), kfake.AllowAutoTopicCreation())
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return strings.Join(c.ListenAddrs(), ",")
}

// send puts messages into a topic.
func send(t *testing.T, servers, topic string, messages [][]byte) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(servers, ",")...), kgo.DefaultProduceTopic(topic))
	require.NoError(t, err)
	defer client.Close()
	for _, m := range messages {
		require.NoError(t, client.ProduceSync(t.Context(), &kgo.Record{Value: m}).FirstErr())
	}
}

// inFolder runs the test in an empty folder, since the pages name files by relative paths.
func inFolder(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

func TestPaymentsJob(t *testing.T) {
	inFolder(t)
	ctx := t.Context()
	servers := broker(t, "payment_msg", "sink")
	messages := examples.Generate(1, 300)
	send(t, servers, "payment_msg", messages)

	payments := expr.Read("payments", connectors.FromKafka(servers, "payment_msg", connectors.JSON[Payment](),
		connectors.StartingOffsets(connectors.Earliest), connectors.MaxOffsetsPerTrigger(200)))

	totals := payments.
		Watermark("createTime", 10*time.Second).
		GroupBy(window.Sliding(payments.Timestamp("createTime"), time.Minute, 30*time.Second), payments.Col("provinceId")).
		Agg(payments.Num("payAmount").Sum().As("totalPayAmount"))

	write := totals.
		WriteTo(connectors.ToKafka(servers, "sink", connectors.JSON[Total]())).
		OutputMode(expr.Append).Checkpoint("ckpt/totals").Trigger(expr.AvailableNow())

	sql, err := compiler.SQL(totals)                              // the query, no connection
	program, err := compiler.CompileWrite(write, compiler.Stream) // the whole job; fmt.Println(program) is a PySpark script

	session, err := local.Open() // offline; on Spark: sparkconnect.Connect(ctx, "sc://localhost:15002")

	query, err := session.Start(ctx, write) // the stream
	err = query.AwaitTermination(ctx)
	for row, err := range backend.Rows[Total](ctx, session, totals) { // the same expression over what is there now
		fmt.Println(row.Window.Start, row.TotalPayAmount, err)
	}

	require.NoError(t, err)
	require.Contains(t, sql, "sum(payAmount)")
	require.Contains(t, program.String(), "readStream")
	done, err := backend.Count(ctx, session, expr.Read("sink", connectors.FromKafka(servers, "sink", connectors.JSON[Total](), connectors.StartingOffsets(connectors.Earliest))))
	require.NoError(t, err)
	require.Len(t, examples.Expect(messages, 200).Sums, int(done))
	require.NoError(t, session.Close())
}

func TestFiles(t *testing.T) {
	inFolder(t)
	ctx := t.Context()
	write(t, "in/a.json", `{"device":"d1","at":"2024-05-01T12:00:00Z","value":29}
{"device":"d1","at":"2024-05-01T12:20:00Z","value":33}
{"device":"d2","at":"2024-05-01T12:10:00Z"}
`)
	write(t, "devices.csv", "device,room\nd1,kitchen\nd2,hall\n")
	session, err := local.Open()
	require.NoError(t, err)

	type Reading struct {
		Device string    `json:"device"`
		At     time.Time `json:"at"`
		Value  *float64  `json:"value"` // a pointer is nullable
	}
	readings := expr.Read("readings", connectors.FromJSON("in/", connectors.RowsOf[Reading]()))
	devices := expr.Static("devices", connectors.FromCSV("devices.csv", connectors.RowsDDL("device STRING, room STRING"), connectors.Header()))

	hourly := readings.Join(devices, "device").
		GroupBy(window.Tumbling(readings.Timestamp("at"), time.Hour), "room").
		Agg(readings.Num("value").Mean().As("mean"))

	err = session.Write(ctx, hourly.WriteTo(connectors.ToParquet("out/")).SaveMode(expr.SaveOverwrite)) // or SaveAppend, SaveIgnore; an error if it exists by default
	err = backend.ShowTable(ctx, os.Stdout, session, hourly, backend.DefaultShow)
	require.NoError(t, err)

	perDevice := window.Over().GroupBy("device").OrderBy("at")
	trend := readings.Mutate(
		readings.Num("value").Sub(readings.Num("value").Lag()).Over(perDevice).As("change"),
		readings.Num("value").Mean().Over(perDevice.Range(window.Preceding(time.Hour), window.CurrentRow())).As("hour"))
	best := readings.GroupBy("device").OrderBy(expr.Desc("value")).Limit(3) // three rows of each group
	newest := readings.DistinctOn("device").OrderBy("at").Keep(expr.KeepLast)

	r := expr.TableOf[Reading](readings)
	warm := r.Filter(r.Num(&r.Row.Value).Gt(30)).Select(r.Str(&r.Row.Device), r.Timestamp(&r.Row.At))
	found, err := backend.ReadInferred(ctx, session, "devices", connectors.FromCSV("devices.csv", connectors.Inferred(), connectors.Header(), connectors.InferSchema()))
	require.NoError(t, err)

	for _, x := range []struct {
		table expr.Table
		rows  int64
	}{{hourly, 2}, {trend, 3}, {best, 3}, {newest, 2}, {warm, 1}, {found, 2}} {
		n, err := backend.Count(ctx, session, x.table)
		require.NoError(t, err)
		require.Equal(t, x.rows, n)
	}
	require.NoError(t, session.Close())
}

func TestBackfill(t *testing.T) {
	inFolder(t)
	ctx := t.Context()
	session, err := local.Open()
	require.NoError(t, err)
	write(t, "in/a.json", `{"k":"a","at":"2024-05-01T12:00:00Z"}`+"\n")
	in := expr.Read("in", connectors.FromJSON("in", connectors.RowsDDL("k STRING, at TIMESTAMP")))
	totals := in.Watermark("at", time.Minute).GroupBy("k", window.Tumbling(in.Timestamp("at"), time.Hour)).Agg(expr.Count().As("n"))
	sink := connectors.ToJSON("out")

	query, err := backend.Backfill(ctx, session, totals.WriteTo(sink).Checkpoint("ckpt"))
	require.NoError(t, err)
	require.NoError(t, query.Stop(ctx))
	require.NoError(t, session.Close())
}

func TestExactlyOnce(t *testing.T) {
	inFolder(t)
	ctx := t.Context()
	servers := broker(t, "totals")
	session, err := local.Open()
	require.NoError(t, err)

	sink := connectors.ToKafka(servers, "totals", connectors.JSON[Total](), connectors.ExactlyOnce("payments-totals"))
	in := connectors.FromKafka(servers, "totals", connectors.JSON[Total](), connectors.ReadCommitted())

	window := examples.Window{Start: examples.First, End: examples.First.Add(time.Minute)}
	totals := expr.Memtable("totals", []Total{{Window: window, TotalPayAmount: "1.50"}})
	require.NoError(t, session.Write(ctx, totals.WriteTo(sink).SaveMode(expr.SaveAppend)))
	n, err := backend.Count(ctx, session, expr.Read("totals", in))
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	require.NoError(t, session.Close())
}

func TestExplain(t *testing.T) {
	inFolder(t)
	ctx := t.Context()
	session, err := local.Open()
	require.NoError(t, err)
	orders := expr.Memtable("orders", []struct {
		Customer int64   `spoonbill:"customer"`
		Amount   float64 `spoonbill:"amount"`
	}{{1, 5}, {2, 3}, {1, 7}})
	customers := expr.Memtable("customers", []struct {
		Customer int64  `spoonbill:"customer"`
		Name     string `spoonbill:"name"`
	}{{1, "Ada"}, {2, "Bo"}})

	totals := orders.Join(customers, "customer").
		Filter(expr.Num("amount").Gt(4)).
		GroupBy("name").Agg(expr.Num("amount").Sum().As("total"), expr.Count().As("n")).
		OrderBy(expr.Desc("total")).Limit(2)

	plan, err := session.Explain(ctx, totals, backend.ExplainOptions{Mode: backend.ExplainExtended, Analyze: true})
	fmt.Println(plan) // text
	os.WriteFile("plan.dot", []byte(plan.DOT()), 0o644)

	require.NoError(t, err)
	require.Contains(t, plan.String(), "HashAggregate")
	require.FileExists(t, "plan.dot")
	require.NoError(t, session.Close())
}

func TestForeachBatch(t *testing.T) {
	inFolder(t)
	ctx := t.Context()
	session, err := local.Open()
	require.NoError(t, err)
	write(t, "in/a.json", `{"amount":999}`+"\n"+`{"amount":1001}`+"\n")
	payments := expr.Read("in", connectors.FromJSON("in", connectors.RowsDDL("amount INT")))

	sink := connectors.ForeachBatch(func(ctx context.Context, batch expr.Table, id int64) error {
		big := batch.Filter(batch.Num("amount").Gt(1000))
		return session.Write(ctx, big.WriteTo(connectors.ToParquet(fmt.Sprintf("big/%d", id))).SaveMode(expr.SaveOverwrite))
	})
	query, err := session.Start(ctx, payments.WriteTo(sink).Checkpoint("ckpt"))

	require.NoError(t, err)
	require.NoError(t, query.ProcessAllAvailable(ctx))
	n, err := backend.Count(ctx, session, expr.Read("big", connectors.FromParquet("big/0", connectors.RowsDDL("amount INT"))))
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	require.NoError(t, query.Stop(ctx))
	require.NoError(t, session.Close())
}

func TestObserve(t *testing.T) {
	ctx := t.Context()
	session, err := local.Open()
	require.NoError(t, err)

	monitor := observe.NewMonitor(observe.Options{Logger: slog.Default()})
	defer monitor.Close()
	err = monitor.Watch(ctx, "orders", session) // before the first Start: warnings come with the start of a query

	page, err := dashboard.Serve(ctx, "127.0.0.1:0", monitor, dashboard.Options{}) // port 0: one that is free
	defer page.Close()
	fmt.Println(page.URL())

	require.NoError(t, err)
	answer, err := http.Get(page.URL() + "/health")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.StatusCode)
	require.NoError(t, answer.Body.Close())
	require.NoError(t, session.Close())
}

func TestState(t *testing.T) {
	inFolder(t)
	ctx := t.Context()

	session, err := local.Open(
		local.StateStore(local.DiskStore(256<<20)), // in files, by Pebble, with about 256 MiB of memory for each stateful operator; local.MemoryStore() is the default
		local.Retain(20)) // for how many epochs back versions are kept; default 100 (local.DefaultRetain)
	require.NoError(t, err)

	write(t, "in/a.json", `{"k":"a","at":"2024-05-01T12:00:00Z"}`+"\n")
	in := expr.Read("in", connectors.FromJSON("in", connectors.RowsDDL("k STRING, at TIMESTAMP")))
	totals := in.Watermark("at", time.Minute).GroupBy("k", window.Tumbling(in.Timestamp("at"), time.Hour)).Agg(expr.Count().As("n"))

	write := totals.WriteTo(connectors.ToParquet("out")).LateRows(connectors.ToJSON("late")).Checkpoint("ckpt")
	query, err := session.Start(ctx, write)
	require.NoError(t, err)
	require.NoError(t, query.ProcessAllAvailable(ctx))
	at := time.Date(2024, 5, 1, 12, 30, 0, 0, time.UTC)

	why, err := local.ExplainWindow(ctx, query, at)
	fmt.Print(why)

	require.NoError(t, err)
	require.NotNil(t, why)
	require.NoError(t, query.Stop(ctx))
	require.NoError(t, session.Close())
}
