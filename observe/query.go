package observe

import (
	"cmp"
	"encoding/json"
	"maps"
	"strconv"
	"time"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/compiler"
)

// Query is what a [Monitor] knows of one start of a streaming query.
type Query struct {
	// Session is the name of the session, as [Monitor.Watch] was given it.
	Session string
	// ID is the query's UUID, which its checkpoint keeps; RunID is the UUID of this start.
	ID, RunID string
	// Name is the query's name, or "".
	Name string
	// Started is when it began; of a query that ran before its session was watched, the oldest report that was kept. Zero where neither is known.
	Started time.Time
	// Idle is the latest time at which it found nothing to do; zero where it never did.
	Idle time.Time
	// Ended is when its end was told; zero while it runs.
	Ended time.Time
	// Exception is the text of the failure that ended it, and ErrorClass its condition; "" where there is none.
	Exception, ErrorClass string
	// Lints are what its plan was warned of when it started; see [backend.Event].
	Lints []compiler.Finding
	// Latest is its latest report; nil before the first. It is not to be changed.
	Latest *backend.Progress
	// InputRows and LateRows are sums over all reports that the monitor saw: rows read, and rows that state operators dropped for coming behind the watermark.
	InputRows, LateRows int64
}

// Active tells whether the query runs, as far as the monitor was told.
func (q Query) Active() bool { return q.Ended.IsZero() }

// Label is the query's name, or its id where it has none.
func (q Query) Label() string { return cmp.Or(q.Name, q.ID) }

// Point is one report of a query, in numbers.
type Point struct {
	// Time is when the batch began, and BatchID its number.
	Time    time.Time
	BatchID int64
	// InputRows is how many rows it read; OutputRows how many it gave, -1 where the sink cannot tell.
	InputRows, OutputRows int64
	// InputRate and ProcessedRate are rows per second: those that arrived, and those processed. NaN where they could not be computed.
	InputRate, ProcessedRate float64
	// Duration is the whole batch, Phases its parts under Spark's names; both in milliseconds.
	Duration int64
	Phases   map[string]int64
	// Watermark is the watermark that the batch ran under; zero without one.
	Watermark time.Time
	// StateRows, StateBytes and LateRows are sums over the stateful operators.
	StateRows, StateBytes, LateRows int64
	// Behind is how far the sources are behind, summed over those that tell: offsets of Kafka, files. -1 where none tells.
	Behind int64
}

// Behind says how far a source is behind what it could read, where it tells: files that wait (numFilesOutstanding), or messages of Kafka between the end of the batch and the latest offsets of
// its partitions.
func Behind(s backend.SourceProgress) (int64, bool) {
	if n, err := strconv.ParseInt(s.Metrics["numFilesOutstanding"], 10, 64); err == nil {
		return n, true
	}
	var latest, end map[string]map[string]int64
	if json.Unmarshal(s.LatestOffset, &latest) != nil || json.Unmarshal(s.EndOffset, &end) != nil || latest == nil {
		return 0, false
	}
	var sum int64
	for topic, partitions := range latest {
		for partition, n := range partitions {
			sum += max(n-end[topic][partition], 0)
		}
	}
	return sum, true
}

// PointOf takes the numbers out of a report.
func PointOf(p backend.Progress) Point {
	out := Point{
		Time: parseTime(p.Timestamp), BatchID: p.BatchID, InputRows: p.NumInputRows, OutputRows: p.Sink.NumOutputRows,
		InputRate: float64(p.InputRowsPerSecond), ProcessedRate: float64(p.ProcessedRowsPerSecond),
		Duration: p.BatchDuration, Phases: maps.Clone(p.DurationMs), Watermark: parseTime(p.EventTime["watermark"]), Behind: -1,
	}
	// The whole is no part of itself.
	delete(out.Phases, "triggerExecution")
	for _, s := range p.StateOperators {
		out.StateRows += s.NumRowsTotal
		out.StateBytes += s.MemoryUsedBytes
		out.LateRows += s.NumRowsDroppedByWatermark
	}
	for _, s := range p.Sources {
		if n, ok := Behind(s); ok {
			out.Behind = max(out.Behind, 0) + n
		}
	}
	return out
}

// parseTime reads a time of a report; zero where there is none.
func parseTime(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	return t
}
