package backend

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/spoonbill-go/spoonbill/internal/javanum"
)

// Rate is a number of rows per second. Spark leaves out a rate that it could not compute (a batch that took no measurable time); such
// a rate is NaN here and left out again when written.
type Rate float64

// IsZero makes encoding/json leave out what Spark leaves out: NaN and the infinities. A rate of 0 is written.
func (r Rate) IsZero() bool { return math.IsNaN(float64(r)) || math.IsInf(float64(r), 0) }

// MarshalJSON writes a rate as Spark does: with one digit behind the point, halves away from zero.
func (r Rate) MarshalJSON() ([]byte, error) {
	if r.IsZero() {
		return []byte("null"), nil
	}
	// Text first, so that a decimal half such as 0.25 is seen as what it is.
	text := strconv.FormatFloat(float64(r), 'f', -1, 64)
	if whole, fraction, ok := strings.Cut(text, "."); ok && len(fraction) > 1 {
		shown, _ := strconv.ParseFloat(whole+"."+fraction[:1], 64)
		if fraction[1] >= '5' {
			shown += math.Copysign(0.1, float64(r))
		}
		r = Rate(math.Round(shown*10) / 10)
	}
	return javanum.AppendFloat(nil, float64(r), 64), nil
}

// nan is the rate of a report that holds none.
var nan = Rate(math.NaN())

// Progress is one batch's report. It is written as Spark's own JSON, byte for byte, with Spark's order of members. Two texts are read: that
// one, which listeners are sent, and the one with which Spark Connect answers a question for a query's progress, where the sums over the sources are missing
// and offsets are JSON within a string.
//
// Source: Spark's StreamingQueryProgress.
type Progress struct {
	// ID is the query's UUID, kept over restarts.
	ID string
	// RunID is the UUID of this start.
	RunID string
	// Name is the query's name; "" (null in JSON) where it has none.
	Name string
	// Timestamp is when the batch began, as ISO 8601 in UTC with milliseconds.
	Timestamp string
	// BatchID counts the batches of the query, from 0. A report of an idle time repeats the number of the batch to come.
	BatchID int64
	// BatchDuration is how long the batch took, in milliseconds.
	BatchDuration int64
	// NumInputRows is the sum over the sources.
	NumInputRows int64
	// InputRowsPerSecond is the sum over the sources of rows that arrived per second since the last batch.
	InputRowsPerSecond Rate
	// ProcessedRowsPerSecond is the sum over the sources of rows processed per second of the batch.
	ProcessedRowsPerSecond Rate
	// DurationMs are the parts of the batch by name in milliseconds: triggerExecution is the whole.
	DurationMs map[string]int64
	// EventTime holds min, max, avg of the batch's event times and the watermark that it ran under, as ISO 8601 in UTC. Nil without a watermark.
	EventTime map[string]string
	// StateOperators are the stateful operators, from the sink to the sources.
	StateOperators []StateOperatorProgress
	// Sources are the sources in the order of the plan.
	Sources []SourceProgress
	// Sink is where the rows went.
	Sink SinkProgress
	// ObservedMetrics are the rows of named observations, as JSON.
	ObservedMetrics map[string]json.RawMessage
	// Rest are members that a later Spark adds. They are kept, and written behind the others.
	Rest map[string]json.RawMessage
}

// StateOperatorProgress tells of one stateful operator's state after a batch.
type StateOperatorProgress struct {
	// OperatorName is Spark's: stateStoreSave, dedupe, symmetricHashJoin, ….
	OperatorName string `json:"operatorName"`
	// NumRowsTotal is the number of rows (keys) in the state.
	NumRowsTotal int64 `json:"numRowsTotal"`
	// NumRowsUpdated is how many of them the batch wrote.
	NumRowsUpdated int64 `json:"numRowsUpdated"`
	// AllUpdatesTimeMs is the time of all updates, over all tasks.
	AllUpdatesTimeMs int64 `json:"allUpdatesTimeMs"`
	// NumRowsRemoved is how many rows the watermark evicted.
	NumRowsRemoved int64 `json:"numRowsRemoved"`
	// AllRemovalsTimeMs is the time of all evictions, over all tasks.
	AllRemovalsTimeMs int64 `json:"allRemovalsTimeMs"`
	// CommitTimeMs is the time of the state's commit, over all tasks.
	CommitTimeMs int64 `json:"commitTimeMs"`
	// MemoryUsedBytes is what the state store holds in memory.
	MemoryUsedBytes int64 `json:"memoryUsedBytes"`
	// NumRowsDroppedByWatermark is how many rows came too late; Spark counts an aggregation's behind its partial aggregation.
	NumRowsDroppedByWatermark int64 `json:"numRowsDroppedByWatermark"`
	// NumShufflePartitions is the number of partitions of the state.
	NumShufflePartitions int64 `json:"numShufflePartitions"`
	// NumStateStoreInstances is the number of stores: partitions, times four for a join.
	NumStateStoreInstances int64 `json:"numStateStoreInstances"`
	// CustomMetrics are the state store's own.
	CustomMetrics map[string]int64 `json:"customMetrics,omitempty"`
}

// SourceProgress tells how far one source was read. Offsets are the source's own JSON.
type SourceProgress struct {
	// Description names the source, such as KafkaV2[Subscribe[events]].
	Description string `json:"description"`
	// StartOffset is where the batch began to read; null for the first batch.
	StartOffset json.RawMessage `json:"startOffset"`
	// EndOffset is where it ended.
	EndOffset json.RawMessage `json:"endOffset"`
	// LatestOffset is the latest one that the source has; null where it cannot tell.
	LatestOffset json.RawMessage `json:"latestOffset"`
	// NumInputRows is how many rows the batch read from the source.
	NumInputRows int64 `json:"numInputRows"`
	// InputRowsPerSecond is how many rows per second arrived since the last batch.
	InputRowsPerSecond Rate `json:"inputRowsPerSecond,omitzero"`
	// ProcessedRowsPerSecond is how many rows per second the batch processed.
	ProcessedRowsPerSecond Rate `json:"processedRowsPerSecond,omitzero"`
	// Metrics are the source's own, such as Kafka's lag. The local engine adds malformedRecords to sources of CSV and JSON: the records of the epoch that were not read
	// whole, of the columns that the query reads, and so have nulls or were left out, by their mode.
	Metrics map[string]string `json:"metrics,omitempty"`
}

// UnmarshalJSON keeps a rate that is left out apart from a rate of 0.
func (p *SourceProgress) UnmarshalJSON(b []byte) error {
	type plain SourceProgress
	v := plain{InputRowsPerSecond: nan, ProcessedRowsPerSecond: nan}
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	*p = SourceProgress(v)
	p.StartOffset, p.EndOffset, p.LatestOffset = offset(p.StartOffset), offset(p.EndOffset), offset(p.LatestOffset)
	return nil
}

// offset takes an offset out of the string in which Spark Connect sends it. A string that holds no JSON is the offset itself.
func offset(raw json.RawMessage) json.RawMessage {
	var text string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &text) != nil || !json.Valid([]byte(text)) {
		return raw
	}
	return json.RawMessage(text)
}

// SinkProgress tells what a sink took.
type SinkProgress struct {
	// Description names the sink.
	Description string `json:"description"`
	// NumOutputRows is how many rows it took, or -1 where it cannot tell.
	NumOutputRows int64 `json:"numOutputRows"`
	// Metrics are the sink's own.
	Metrics map[string]string `json:"metrics,omitempty"`
}

// progressJSON is the order and the names of Spark's text.
type progressJSON struct {
	ID                     string                     `json:"id"`
	RunID                  string                     `json:"runId"`
	Name                   *string                    `json:"name"`
	Timestamp              string                     `json:"timestamp"`
	BatchID                int64                      `json:"batchId"`
	BatchDuration          int64                      `json:"batchDuration"`
	NumInputRows           int64                      `json:"numInputRows"`
	InputRowsPerSecond     Rate                       `json:"inputRowsPerSecond,omitzero"`
	ProcessedRowsPerSecond Rate                       `json:"processedRowsPerSecond,omitzero"`
	DurationMs             map[string]int64           `json:"durationMs"`
	EventTime              map[string]string          `json:"eventTime,omitempty"`
	StateOperators         []StateOperatorProgress    `json:"stateOperators"`
	Sources                []SourceProgress           `json:"sources"`
	Sink                   SinkProgress               `json:"sink"`
	ObservedMetrics        map[string]json.RawMessage `json:"observedMetrics,omitempty"`
}

// progressNames are the members of progressJSON.
var progressNames = []string{"id", "runId", "name", "timestamp", "batchId", "batchDuration", "numInputRows", "inputRowsPerSecond",
	"processedRowsPerSecond", "durationMs", "eventTime", "stateOperators", "sources", "sink", "observedMetrics"}

// MarshalJSON writes Spark's JSON.
func (p Progress) MarshalJSON() ([]byte, error) {
	v := progressJSON{
		ID: p.ID, RunID: p.RunID, Timestamp: p.Timestamp, BatchID: p.BatchID, BatchDuration: p.BatchDuration, NumInputRows: p.NumInputRows,
		InputRowsPerSecond: p.InputRowsPerSecond, ProcessedRowsPerSecond: p.ProcessedRowsPerSecond, DurationMs: p.DurationMs, EventTime: p.EventTime,
		StateOperators: p.StateOperators, Sources: p.Sources, Sink: p.Sink, ObservedMetrics: p.ObservedMetrics,
	}
	if p.Name != "" {
		v.Name = &p.Name
	}
	// Spark writes {} and [] for what is empty.
	if v.DurationMs == nil {
		v.DurationMs = map[string]int64{}
	}
	if v.StateOperators == nil {
		v.StateOperators = []StateOperatorProgress{}
	}
	if v.Sources == nil {
		v.Sources = []SourceProgress{}
	}
	b, err := json.Marshal(v)
	if err != nil || len(p.Rest) == 0 {
		return b, err
	}
	rest, err := json.Marshal(p.Rest)
	if err != nil {
		return nil, err
	}
	return append(append(b[:len(b)-1], ','), rest[1:]...), nil
}

// UnmarshalJSON reads Spark's JSON.
func (p *Progress) UnmarshalJSON(b []byte) error {
	v := progressJSON{InputRowsPerSecond: nan, ProcessedRowsPerSecond: nan}
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	var rest map[string]json.RawMessage
	if err := json.Unmarshal(b, &rest); err != nil {
		return err
	}
	_, summed := rest["numInputRows"]
	for _, name := range progressNames {
		delete(rest, name)
	}
	if !summed {
		v.InputRowsPerSecond, v.ProcessedRowsPerSecond = 0, 0
		for _, source := range v.Sources {
			v.NumInputRows += source.NumInputRows
			v.InputRowsPerSecond += source.InputRowsPerSecond
			v.ProcessedRowsPerSecond += source.ProcessedRowsPerSecond
		}
	}
	if len(rest) == 0 {
		rest = nil
	}
	*p = Progress{
		ID: v.ID, RunID: v.RunID, Timestamp: v.Timestamp, BatchID: v.BatchID, BatchDuration: v.BatchDuration, NumInputRows: v.NumInputRows,
		InputRowsPerSecond: v.InputRowsPerSecond, ProcessedRowsPerSecond: v.ProcessedRowsPerSecond, DurationMs: v.DurationMs, EventTime: v.EventTime,
		StateOperators: v.StateOperators, Sources: v.Sources, Sink: v.Sink, ObservedMetrics: v.ObservedMetrics, Rest: rest,
	}
	if v.Name != nil {
		p.Name = *v.Name
	}
	return nil
}

// String gives the report as one line of JSON.
func (p Progress) String() string {
	b, err := json.Marshal(p)
	if err != nil {
		return "progress of batch " + p.Timestamp + ": " + err.Error()
	}
	return string(b)
}
