package local_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/window"
)

// ready is a source of record batches that are there already, so that a benchmark measures the engine alone.
type ready struct {
	fields []datatype.Field
	recs   []arrow.RecordBatch
}

func (r *ready) Source() (*tree.Source, error) {
	return &tree.Source{Format: "testready", Fields: r.fields, Batch: true, Stream: true, Local: r}, nil
}

type readyReader struct{ *feedReader }

func (r *readyReader) Read(_ context.Context, start, end connector.Offset, p connector.Projection) (connector.Batches, error) {
	recs := r.f.ready.recs[at(start):at(end)]
	return func(yield func(arrow.RecordBatch, error) bool) {
		for _, rec := range recs {
			rec.Retain()
			if !yield(rec, nil) {
				return
			}
		}
	}, nil
}

func init() {
	connector.RegisterSource("testready", func(_ context.Context, _ connector.Env, s *tree.Source) (connector.Source, error) {
		r := s.Local.(*ready)
		return &readyReader{&feedReader{f: &feed{fields: r.fields, ready: r, chunks: make([][][]any, len(r.recs)), perRun: 4}, frozen: -1}}, nil
	})
}

// flights is shaped like the flights table: 336,776 rows.
func flights(b *testing.B, rows int) expr.Table {
	fields, err := datatype.ParseFields("ts TIMESTAMP, carrier STRING, origin STRING, dest STRING, month INT, dep_delay DOUBLE, arr_delay DOUBLE, distance INT")
	require.NoError(b, err)
	r := rand.New(rand.NewPCG(1, 2))
	out := &ready{fields: fields}
	base := time.Date(2013, 1, 1, 0, 0, 0, 0, time.UTC)
	for lo := 0; lo < rows; lo += 16384 {
		n := min(16384, rows-lo)
		chunk := make([][]any, n)
		for i := range chunk {
			var delay any = float64(r.IntN(300) - 20)
			if r.IntN(40) == 0 {
				delay = nil
			}
			chunk[i] = []any{base.Add(time.Duration(lo+i) * 90 * time.Second), fmt.Sprintf("C%d", r.IntN(16)), []string{"JFK", "LGA", "EWR"}[r.IntN(3)], fmt.Sprintf("D%02d", r.IntN(105)), 1 + r.IntN(12), delay, delay, 100 + r.IntN(2000)}
		}
		out.recs = append(out.recs, record(memory.DefaultAllocator, fields, chunk))
	}
	return expr.Read("flights", out)
}

const flightRows = 336_776

func benchmark(b *testing.B, table expr.Table) {
	s, err := local.Open()
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := tryCollect(s, table); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(flightRows)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
}

func BenchmarkGroupByText(b *testing.B) {
	f := flights(b, flightRows)
	benchmark(b, f.GroupBy("carrier", "month").Agg(expr.Count().As("n"), f.Num("dep_delay").Mean().As("delay"), f.Num("distance").Max().As("far")))
}

func BenchmarkGroupByInt(b *testing.B) {
	f := flights(b, flightRows)
	benchmark(b, f.GroupBy("month").Agg(expr.Count().As("n"), f.Num("distance").Sum().As("total")))
}

func BenchmarkFilterSum(b *testing.B) {
	f := flights(b, flightRows)
	g := f.Filter(f.Num("dep_delay").Gt(60), f.Str("origin").Eq("JFK"))
	benchmark(b, g.Agg(g.Num("distance").Mul(2).Sum().As("s")))
}

func BenchmarkTopK(b *testing.B) {
	f := flights(b, flightRows)
	benchmark(b, f.OrderBy(expr.Desc("dep_delay"), "distance").Limit(10).Select("carrier", "dep_delay"))
}

func BenchmarkStreamWindows(b *testing.B) {
	f := flights(b, flightRows)
	w := f.Watermark("ts", time.Hour)
	table := w.GroupBy(window.Sliding(w.Timestamp("ts"), 2*time.Hour, time.Hour), "carrier").Agg(expr.Count().As("n"), w.Num("dep_delay").Mean().As("delay"))
	s, err := local.Open()
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		q, err := s.Start(ctx, table.WriteTo(newCollector()).Checkpoint(b.TempDir()).Trigger(expr.AvailableNow()))
		require.NoError(b, err)
		require.NoError(b, q.AwaitTermination(ctx))
	}
	b.ReportMetric(float64(flightRows)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
}
