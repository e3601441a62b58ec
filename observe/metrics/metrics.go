// Package metrics gives what a monitor knows to Prometheus.
package metrics

import (
	"math"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/spoonbill-go/spoonbill/observe"
)

// labels of every number of a query. A query without a name has its id there.
var labels = []string{"session", "query", "id"}

func desc(name, help string, more ...string) *prometheus.Desc {
	return prometheus.NewDesc("spoonbill_query_"+name, help, append(labels[:len(labels):len(labels)], more...), nil)
}

var (
	active      = desc("active", "1 while the query runs, 0 after its end.")
	failed      = desc("failed", "1 where the query ended with a failure.")
	inputRows   = desc("input_rows_total", "Rows read since the monitor began to watch.")
	lateRows    = desc("late_rows_total", "Rows dropped for coming behind the watermark since the monitor began to watch.")
	batch       = desc("batch", "The number of the latest batch.")
	inputRate   = desc("input_rows_per_second", "Rows that arrived per second, of the latest batch.")
	processRate = desc("processed_rows_per_second", "Rows processed per second, of the latest batch.")
	duration    = desc("batch_duration_seconds", "How long the latest batch took, by phase under Spark's names; triggerExecution is the whole.", "phase")
	watermark   = desc("watermark_timestamp_seconds", "The watermark of the latest batch, in seconds since 1970.")
	stateRows   = desc("state_rows", "Rows in the state, by operator in the order of the plan.", "operator", "place")
	stateBytes  = desc("state_memory_bytes", "Bytes of the state in memory, by operator in the order of the plan.", "operator", "place")
	behind      = desc("source_behind", "How far a source is behind: messages of Kafka, files.", "source", "place")
	lints       = desc("lints", "How many warnings the query's plan had when it started.")

	healthy = prometheus.NewDesc("spoonbill_healthy", "1 while all sessions are followed and no query has failed without a new start.", nil, nil)
)

// Collector gives the latest numbers of the queries that the monitor knows, of each id the latest start.
func Collector(m *observe.Monitor) prometheus.Collector { return collector{m} }

type collector struct{ m *observe.Monitor }

// Describe implements [prometheus.Collector].
func (c collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{active, failed, inputRows, lateRows, batch, inputRate, processRate, duration, watermark, stateRows, stateBytes, behind, lints, healthy} {
		out <- d
	}
}

// Collect implements [prometheus.Collector].
func (c collector) Collect(out chan<- prometheus.Metric) {
	out <- prometheus.MustNewConstMetric(healthy, prometheus.GaugeValue, oneIf(c.m.Health().OK))
	seen := map[[2]string]bool{}
	// Queries come with those that run first and the latest start first: another start of the same id is an old one.
	for _, q := range c.m.Queries() {
		if k := [2]string{q.Session, q.ID}; !seen[k] {
			seen[k] = true
			collect(out, q)
		}
	}
}

func collect(out chan<- prometheus.Metric, q observe.Query) {
	send := func(d *prometheus.Desc, kind prometheus.ValueType, v float64, more ...string) {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			out <- prometheus.MustNewConstMetric(d, kind, v, append([]string{text(q.Session), text(q.Label()), q.ID}, more...)...)
		}
	}
	gauge := func(d *prometheus.Desc, v float64, more ...string) { send(d, prometheus.GaugeValue, v, more...) }
	gauge(active, oneIf(q.Active()))
	gauge(failed, oneIf(q.Exception != ""))
	gauge(lints, float64(len(q.Lints)))
	send(inputRows, prometheus.CounterValue, float64(q.InputRows))
	send(lateRows, prometheus.CounterValue, float64(q.LateRows))
	p := q.Latest
	if p == nil {
		return
	}
	gauge(batch, float64(p.BatchID))
	gauge(inputRate, float64(p.InputRowsPerSecond))
	gauge(processRate, float64(p.ProcessedRowsPerSecond))
	for phase, ms := range p.DurationMs {
		gauge(duration, float64(ms)/1000, text(phase))
	}
	if at := observe.PointOf(*p).Watermark; !at.IsZero() {
		gauge(watermark, float64(at.UnixMilli())/1000)
	}
	for i, s := range p.StateOperators {
		gauge(stateRows, float64(s.NumRowsTotal), text(s.OperatorName), strconv.Itoa(i))
		gauge(stateBytes, float64(s.MemoryUsedBytes), text(s.OperatorName), strconv.Itoa(i))
	}
	for i, s := range p.Sources {
		if n, ok := observe.Behind(s); ok {
			gauge(behind, float64(n), text(s.Description), strconv.Itoa(i))
		}
	}
}

// text makes a label of a name: Prometheus takes UTF-8 alone.
func text(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
