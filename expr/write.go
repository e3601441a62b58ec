package expr

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/internal/absent"
)

// Sink describes where rows go; package connectors has the known ones. It must be pure: no connection, no I/O.
type Sink interface {
	// Sink gives the description, or what is wrong with its options.
	Sink() (*tree.Sink, error)
}

// OutputMode says which rows of a changing result a stream writes.
type OutputMode = tree.OutputMode

// The output modes of streams. Append writes rows that will not change any more and is the default; Update writes the rows that
// changed in the epoch; Complete writes the whole result at each epoch.
const (
	Append   = tree.Append
	Update   = tree.Update
	Complete = tree.Complete
)

// WatermarkPolicy says how the watermarks of several inputs become that of the query.
type WatermarkPolicy = tree.WatermarkPolicy

// The policies. MinWatermark takes the least, so that no input's rows are late because another one is ahead, and is Spark's default; under MaxWatermark the input that is
// ahead leads, and rows of the others may be dropped.
const (
	MinWatermark = tree.MinWatermark
	MaxWatermark = tree.MaxWatermark
)

// ParseWatermarkPolicy gives a policy by Spark's name for it, "min" or "max" in any case. Others are INVALID_VALUE.
func ParseWatermarkPolicy(name string) (WatermarkPolicy, error) {
	for _, p := range []WatermarkPolicy{MinWatermark, MaxWatermark} {
		if strings.EqualFold(name, p.String()) {
			return p, nil
		}
	}
	e := condition.Newf(condition.InvalidValue, "There is no watermark policy %q.", name)
	e.Pos, e.Hint = condition.Here(1), "It is min or max."
	return 0, e
}

// SaveMode says what a batch write does when the target exists.
type SaveMode = tree.SaveMode

// The save modes of batch writes; ErrorIfExists is the default.
const (
	ErrorIfExists = tree.ErrorIfExists
	SaveAppend    = tree.SaveAppend
	SaveOverwrite = tree.SaveOverwrite
	SaveIgnore    = tree.SaveIgnore
)

// Trigger says when the epochs of a stream start.
type Trigger struct {
	t   tree.Trigger
	err *condition.Error
}

// DefaultTrigger starts an epoch as soon as the one before it is done and there is something to do.
func DefaultTrigger() Trigger { return Trigger{} }

// ProcessingTime starts an epoch every interval, in whole milliseconds; zero means [DefaultTrigger].
func ProcessingTime(interval time.Duration) Trigger {
	return timed(tree.ProcessingTime, "ProcessingTime", interval, condition.Here(1))
}

// Once handles everything that is there in one epoch and stops. Spark advises [AvailableNow] instead.
func Once() Trigger { return Trigger{t: tree.Trigger{Kind: tree.Once}} }

// AvailableNow handles everything that is there at the start, in epochs by the sources' rate limits, and stops.
func AvailableNow() Trigger { return Trigger{t: tree.Trigger{Kind: tree.AvailableNow}} }

// Continuous runs rows through without epochs and checkpoints every interval. Only Spark has it, and only for projections and filters without the
// current time, from sources that give rows as they come (Kafka, a rate, a socket) into sinks that take them so (Kafka, memory, console, noop).
func Continuous(checkpointEvery time.Duration) Trigger {
	return timed(tree.Continuous, "Continuous", checkpointEvery, condition.Here(1))
}

// RealTime is Spark's real-time mode (over Spark Connect from 4.2 on), with epochs at least as long as minimum, which Spark wants to be 5 seconds or more
// (spark.sql.streaming.realTimeMode.minBatchDuration). It reads from Kafka and writes in [Update] mode; which sinks it takes is the server's to say.
func RealTime(minimum time.Duration) Trigger {
	return timed(tree.RealTime, "RealTime", minimum, condition.Here(1))
}

func timed(k tree.TriggerKind, operator string, d time.Duration, at condition.Pos) Trigger {
	t := Trigger{t: tree.Trigger{Kind: k, IntervalMillis: d.Milliseconds()}}
	if d < 0 || d%time.Millisecond != 0 || d == 0 && k != tree.ProcessingTime {
		t.err = condition.Newf(condition.InvalidOption, "The trigger's interval %v is not a whole number of milliseconds above zero.", d)
		t.err.Pos, t.err.Operator = at, operator
		t.err.Hint = "Use a time.Duration of whole milliseconds, such as 500*time.Millisecond."
	}
	return t
}

// Write is a table on its way into a sink, immutable as tables are. A session's Start runs it as a stream, its Write as a batch.
type Write struct {
	w    tree.Write
	errs []*condition.Error
}

// WriteTo begins a write into a sink.
func (t Table) WriteTo(sink Sink) Write {
	at := condition.Here(1)
	t = t.ready(at)
	w := Write{w: tree.Write{Input: t.rel, At: at}, errs: t.mistakes()}
	if absent.Is(sink) {
		e := condition.Newf(condition.InvalidValue, "The sink is nil.")
		e.Pos, e.Hint = at, "Use a constructor of package connectors."
		return w.fail(e)
	}
	s, err := sink.Sink()
	if err != nil {
		var e *condition.Error
		if !errors.As(err, &e) {
			e = condition.Newf(condition.InvalidOption, "The sink: %v.", err)
		}
		c := *e
		if c.Pos.IsZero() {
			c.Pos = at
		}
		return w.fail(&c)
	}
	w.w.Sink = s
	return w
}

func (w Write) fail(e *condition.Error) Write {
	w.errs = append(w.errs[:len(w.errs):len(w.errs)], e)
	return w
}

// refuse is fail for a value that is none of its type.
func (w Write) refuse(at condition.Pos, hint, format string, args ...any) Write {
	e := condition.Newf(condition.InvalidValue, format, args...)
	e.Pos, e.Hint = at, hint
	return w.fail(e)
}

// String tells in one line where the rows go and how, or what is wrong; secrets are ***.
func (w Write) String() string {
	if err := w.Err(); err != nil {
		return "write: " + err.Error()
	}
	if w.w.Sink == nil {
		return "write: no table" // the zero value
	}
	var b strings.Builder
	b.WriteString("write into " + w.w.Sink.String())
	if w.w.Name != "" {
		b.WriteString(" as " + strconv.Quote(w.w.Name))
	}
	if w.w.Checkpoint != "" {
		b.WriteString(", checkpoint " + w.w.Checkpoint)
	}
	return b.String()
}

// GoString is String, so that %#v prints no secret either.
func (w Write) GoString() string { return w.String() }

// OutputMode sets the output mode of the stream; Append is the default.
func (w Write) OutputMode(m OutputMode) Write {
	if m > Complete {
		return w.refuse(condition.Here(1), "Use expr.Append, expr.Update or expr.Complete.", "There is no output mode %d.", m)
	}
	w.w.Mode = m
	return w
}

// WatermarkPolicy sets how the watermarks of several inputs become that of the query. Without it a new query takes the session's setting on Spark and the least offline, and a query
// that goes on takes what its checkpoint has. A checkpoint keeps its policy: offline another one is refused, and Spark passes over it.
//
// Source: Spark's spark.sql.streaming.multipleWatermarkPolicy.
func (w Write) WatermarkPolicy(p WatermarkPolicy) Write {
	if p != MinWatermark && p != MaxWatermark {
		return w.refuse(condition.Here(1), "Use expr.MinWatermark or expr.MaxWatermark.", "There is no watermark policy %d.", p)
	}
	w.w.Policy = p
	return w
}

// LateRows sets where the rows go that a watermark drops: a sink that streams append rows into. It gets a row for each row that an aggregation, a deduplication, a join
// of two streams, windows over rows, a process or a pattern was given too late; under overlapping windows these are several of one row of the source. Its columns are epoch BIGINT, operator INT (the number of the stateful
// operator), watermark TIMESTAMP, time TIMESTAMP (the row's, or the end of its window) and row STRING, the operator's columns as JSON.
//
// The local engine alone has it. A file sink keeps each row once, over crashes too.
func (w Write) LateRows(sink Sink) Write {
	at := condition.Here(1)
	if absent.Is(sink) {
		return w.refuse(at, "Use a constructor of package connectors.", "The sink of late rows is nil.")
	}
	s, err := sink.Sink()
	if err != nil {
		return w.refuse(at, "Correct its options.", "The sink of late rows: %v.", err)
	}
	if !s.Stream || !slices.Contains(s.Modes, Append) {
		return w.refuse(at, "Use files, Kafka or memory.", "The %s sink takes no stream in append mode, so it takes no late rows.", s.Format)
	}
	w.w.Late = s
	return w
}

// SaveMode sets what a batch write does when the target exists; ErrorIfExists is the default.
func (w Write) SaveMode(m SaveMode) Write {
	if m > SaveIgnore {
		return w.refuse(condition.Here(1), "Use expr.ErrorIfExists, expr.SaveAppend, expr.SaveOverwrite or expr.SaveIgnore.", "There is no save mode %d.", m)
	}
	w.w.Save = m
	return w
}

// Name names the query; a session has no two running queries of one name. Memory tables on Spark have the query's name.
func (w Write) Name(name string) Write { w.w.Name = name; return w }

// Checkpoint sets the folder in which the query keeps its progress and state, so that a later start goes on from there. On Spark it is
// a path of the server's.
func (w Write) Checkpoint(path string) Write { w.w.Checkpoint = path; return w }

// Trigger sets when epochs start.
func (w Write) Trigger(t Trigger) Write {
	w.w.Trigger = t.t
	if t.err != nil {
		return w.fail(t.err)
	}
	return w
}

// Err gives every mistake made on the way to this write, joined; nil when there is none.
func (w Write) Err() error {
	list := make([]error, len(w.errs))
	for i, e := range w.errs {
		list[i] = e
	}
	if w.w.Input == nil && len(list) == 0 {
		e := condition.Newf(condition.InvalidValue, "A write that was never made (the zero Write) is used.")
		e.Pos, e.Hint = condition.Here(1), "Begin a write with Table.WriteTo." // its user's place: the zero has none of its own
		return e
	}
	return errors.Join(list...)
}

// Tree gives the write's description for compilers and backends, or the mistakes.
func (w Write) Tree() (*tree.Write, error) {
	if err := w.Err(); err != nil {
		return nil, err
	}
	c := w.w
	return &c, nil
}
