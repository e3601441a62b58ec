package metrics_test

import (
	"context"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/observe"
	"github.com/spoonbill-go/spoonbill/observe/metrics"
	"github.com/spoonbill-go/spoonbill/window"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestCollector(t *testing.T) {
	ctx := context.Background()
	s, err := local.Open()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	m := observe.NewMonitor(observe.Options{})
	t.Cleanup(m.Close)
	require.NoError(t, m.Watch(ctx, "main", s))
	r := prometheus.NewPedanticRegistry()
	require.NoError(t, r.Register(metrics.Collector(m)))
	problems, err := testutil.GatherAndLint(r)
	require.NoError(t, err)
	require.Empty(t, problems)

	in := connectors.NewMemoryStreamDDL("at TIMESTAMP")
	table := expr.Read("events", in).Watermark("at", 0*time.Second)
	w := table.GroupBy(window.Tumbling(table.Timestamp("at"), 10*time.Second)).Agg(expr.Count().As("n")).WriteTo(connectors.NewMemorySink()).Name("bad \xff name")
	q, err := s.Start(ctx, w)
	require.NoError(t, err)
	at := func(n int) []any { return []any{time.Date(2024, 5, 1, 12, 0, n, 0, time.UTC)} }
	require.NoError(t, in.AddRows(at(1), at(25)))
	require.NoError(t, q.ProcessAllAvailable(ctx))
	require.NoError(t, in.AddRows(at(2), at(26)))
	require.NoError(t, q.ProcessAllAvailable(ctx))
	// Two queries without names, one of which has ended.
	for range 2 {
		_, err := s.Start(ctx, expr.Read("events", in).WriteTo(connectors.Noop()))
		require.NoError(t, err)
	}
	values := func() map[string]float64 {
		families, err := r.Gather()
		require.NoError(t, err)
		out := map[string]float64{}
		for _, f := range families {
			for _, v := range f.Metric {
				name := f.GetName()
				for _, l := range v.Label {
					if l.GetName() == "query" && l.GetValue() != "bad \ufffd name" {
						name = ""
					}
				}
				if name != "" {
					out[name] = v.GetGauge().GetValue() + v.GetCounter().GetValue()
				}
			}
		}
		return out
	}
	mark := float64(time.Date(2024, 5, 1, 12, 0, 26, 0, time.UTC).Unix())
	require.Eventually(t, func() bool {
		v := values()
		return v["spoonbill_query_late_rows_total"] == 1 && v["spoonbill_query_watermark_timestamp_seconds"] == mark
	}, 10*time.Second, 5*time.Millisecond)
	got := values()
	require.EqualValues(t, 4, got["spoonbill_query_input_rows_total"])
	require.EqualValues(t, 1, got["spoonbill_query_active"])
	require.EqualValues(t, 1, got["spoonbill_query_state_rows"])
	require.EqualValues(t, 1, got["spoonbill_healthy"])
	problems, err = testutil.GatherAndLint(r)
	require.NoError(t, err)
	require.Empty(t, problems)
}
