package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/streamtest"
	"github.com/spoonbill-go/spoonbill/window"
)

// EpochScript is a streaming query with what comes into it, epoch by epoch: both backends give the same rows in the same epoch, under the same watermark, and drop as many late rows.
type EpochScript struct {
	Name string
	Mode expr.OutputMode
	// Open leaves the end to the engine, which runs epochs without data as it does by itself; else an epoch without rows is the last one.
	Open bool
	// Inputs are the streams by name.
	Inputs []EpochInput
	// Table makes the query over the inputs.
	Table func(in map[string]expr.Table) expr.Table
	// Stateful tells whether an operator of the query keeps state.
	Stateful bool
}

// EpochInput is one stream: its columns and the rows of each epoch.
type EpochInput struct {
	Name, DDL string
	Epochs    [][][]any
}

// play is the script for the test kit.
func (c EpochScript) play(s *streamtest.Script) {
	tables := map[string]expr.Table{}
	steps := 0
	var inputs []*streamtest.Input[[]any]
	for _, in := range c.Inputs {
		i := streamtest.NewInputDDL(s, in.Name, in.DDL)
		tables[in.Name] = i.Table()
		inputs = append(inputs, i)
		steps = max(steps, len(in.Epochs))
	}
	s.Query(c.Table(tables), c.Mode)
	if c.Open {
		s.LeaveOpen()
	}
	for n := range steps {
		for i, in := range c.Inputs {
			if n < len(in.Epochs) {
				inputs[i].Add(in.Epochs[n]...)
			}
		}
		s.Step()
	}
}

// EpochAnswer is what a backend says to a script.
type EpochAnswer struct {
	// Error is the condition of the query's error.
	Error   string   `json:"error,omitempty"`
	Columns []string `json:"columns,omitempty"`
	// Epochs are those that ran, in order.
	Epochs []EpochRows `json:"epochs,omitempty"`
	// states are the numbers of rows in the state, which the backends need not agree in.
	states []int64
	text   string
}

// EpochRows is one epoch of an answer.
type EpochRows struct {
	// Watermark is the one under which the epoch ran, in UTC.
	Watermark string `json:"watermark"`
	Late      int64  `json:"late,omitempty"`
	// Rows are the rows that came out, in the order of their texts.
	Rows []string `json:"rows,omitempty"`
}

// AskEpochs runs a script on a target. A query that fails is an answer.
func AskEpochs(ctx context.Context, target streamtest.Target, c EpochScript) (EpochAnswer, error) {
	tl, err := streamtest.Play(ctx, target, c.play)
	if err != nil {
		var e *condition.Error
		for errors.As(err, &e) && e.Condition == condition.StreamFailed && errors.Unwrap(e) != nil {
			err = errors.Unwrap(e)
		}
		a, err := failure(err)
		return EpochAnswer{Error: a.Error}, err
	}
	a := EpochAnswer{text: tl.String()}
	for _, e := range tl.Epochs {
		a.Columns = e.Columns
		a.Epochs = append(a.Epochs, EpochRows{e.Before.Format("2006-01-02T15:04:05.999Z"), e.Late, e.Rows})
		a.states = append(a.states, e.State)
	}
	return a, nil
}

// differ tells what is not the same in two answers, "" for nothing.
func (a EpochAnswer) differ(b EpochAnswer) string {
	switch {
	case a.Error != b.Error:
		return fmt.Sprintf("error %q and %q", a.Error, b.Error)
	case !slices.Equal(a.Columns, b.Columns):
		return fmt.Sprintf("columns %v and %v", a.Columns, b.Columns)
	}
	for i := range min(len(a.Epochs), len(b.Epochs)) {
		x, y := a.Epochs[i], b.Epochs[i]
		switch {
		case x.Watermark != y.Watermark:
			return fmt.Sprintf("epoch %d: watermark %s and %s", i+1, x.Watermark, y.Watermark)
		case !slices.Equal(x.Rows, y.Rows):
			return fmt.Sprintf("epoch %d: rows\n  %s\nand\n  %s", i+1, strings.Join(x.Rows, "\n  "), strings.Join(y.Rows, "\n  "))
		case x.Late != y.Late:
			return fmt.Sprintf("epoch %d: %d and %d late rows", i+1, x.Late, y.Late)
		}
	}
	if len(a.Epochs) != len(b.Epochs) {
		return fmt.Sprintf("%d and %d epochs", len(a.Epochs), len(b.Epochs))
	}
	return ""
}

// epochRecording are Spark's answers to scripts by name, with the version that gave them.
type epochRecording struct {
	Spark   string                 `json:"spark"`
	Answers map[string]EpochAnswer `json:"answers"`
}

var epochsPath = filepath.Join("testdata", "spark", "epochs.json")

func loadEpochs() (epochRecording, error) {
	var r epochRecording
	text, err := os.ReadFile(epochsPath)
	if errors.Is(err, os.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(text, &r)
}

func (r epochRecording) save() error {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(epochsPath, append(text, '\n'), 0o644)
}

// epochGaps are scripts to which the local engine does not answer as Spark does, with the reason; docs/differences.md has it too.
var epochGaps = map[string]string{
	"reported: full join on nulls":            nullsMeet,
	"reported: full join on nulls, left open": nullsMeet,
}

const nullsMeet = "a full outer join of two streams pairs rows whose keys are null on Spark, which it does nowhere else"

// HandwrittenScripts are the scripts that are not random: every case of [Streams], and the faults reported of other systems with their neighbours.
func HandwrittenScripts() []EpochScript {
	var out []EpochScript
	for _, c := range Streams() {
		out = append(out, ofStream(c, false))
	}
	return append(append(out, ruleScripts()...), reportedScripts()...)
}

// ruleScripts are what runs beside what a rule of docs/streaming-rules.md refuses, where no case of [Streams] shows it.
func ruleScripts() []EpochScript {
	a := reported("a", reportedEpoch{{5, "x"}, {15, "y"}, {15, "x"}, {15, "x"}}, reportedEpoch{{70, "x"}, {12, nil}}, reportedEpoch{{130, "y"}, {20, "x"}}, reportedEpoch{{15, "x"}, {200, nil}})
	b := reported("b", reportedEpoch{{6, "x"}}, reportedEpoch{{72, "x"}, {15, "y"}}, reportedEpoch{{135, "y"}}, reportedEpoch{{201, "z"}})
	minute := func(t expr.Table) expr.Value { return window.Tumbling(t.Timestamp("at"), time.Minute).As("w") }
	const delay = 10 * time.Second
	var out []EpochScript
	for _, c := range []struct {
		name  string
		mode  expr.OutputMode
		table func(a, b expr.Table) expr.Table
	}{
		{"limit and sort above an aggregation in complete mode", expr.Complete, func(a, _ expr.Table) expr.Table {
			return a.GroupBy("k").Agg(expr.Count().As("n")).OrderBy(expr.Desc("n"), "k").Limit(2)
		}},
		{"distinct rows, counted", expr.Append, func(a, _ expr.Table) expr.Table {
			d := a.Watermark("at", delay).Select("at", "k").Distinct()
			return d.GroupBy(minute(d)).Agg(expr.Count().As("n"))
		}},
		{"an approximate number of different values", expr.Append, func(a, _ expr.Table) expr.Table {
			w := a.Watermark("at", delay)
			return w.GroupBy(minute(w)).Agg(w.Str("k").ApproxNUnique().As("n"))
		}},
		{"inner join of streams in update mode", expr.Update, func(a, b expr.Table) expr.Table {
			l := a.Watermark("at", delay)
			r := b.Watermark("at", delay).Select(expr.Num("id").As("other"), expr.Str("k").As("key"), expr.Timestamp("at").As("moment"))
			return l.Join(r, l.Str("k").Eq(r.Str("key")), r.Timestamp("moment").Between(l.Timestamp("at"), l.Timestamp("at").Add(5*time.Second))).Select("id", "other")
		}},
		{"inner join of streams without a bound", expr.Append, func(a, b expr.Table) expr.Table {
			r := b.Select(expr.Num("id").As("other"), expr.Str("k").As("key"))
			return a.Join(r, a.Str("k").Eq(r.Str("key"))).Select("id", "other")
		}},
		{"deduplication below an aggregation in complete mode", expr.Complete, func(a, _ expr.Table) expr.Table {
			d := a.Watermark("at", delay).DropDuplicates("k", "at")
			return d.GroupBy("k").Agg(expr.Count().As("n"))
		}},
		{"deduplication below an aggregation in update mode", expr.Update, func(a, _ expr.Table) expr.Table {
			d := a.Watermark("at", delay).DropDuplicates("k")
			return d.GroupBy(minute(d)).Agg(expr.Count().As("n"))
		}},
		{"deduplication above a join of streams", expr.Append, func(a, b expr.Table) expr.Table {
			l := a.Watermark("at", delay)
			r := b.Watermark("at", delay).Select(expr.Str("k").As("key"), expr.Timestamp("at").As("moment"))
			j := l.Join(r, l.Str("k").Eq(r.Str("key")), r.Timestamp("moment").Ge(l.Timestamp("at")), r.Timestamp("moment").Le(l.Timestamp("at").Add(10*time.Second))).Select("at", "k")
			return j.DropDuplicates("at", "k")
		}},
		{"three windows, one above the other", expr.Append, func(a, _ expr.Table) expr.Table {
			w := a.Watermark("at", delay)
			one := w.GroupBy(window.Tumbling(w.Timestamp("at"), 10*time.Second).As("w"), "k").Agg(expr.Count().As("n"))
			two := one.GroupBy(window.Tumbling(one.Window("w"), 30*time.Second).As("w2"), "k").Agg(one.Num("n").Sum().As("n"))
			return two.GroupBy(window.Tumbling(two.Window("w2").Time(), time.Minute).As("w3")).Agg(two.Num("n").Max().As("n"), expr.Count().As("groups"))
		}},
		{"union of three streams", expr.Append, func(a, b expr.Table) expr.Table {
			u := a.Watermark("at", delay).Union(b.Watermark("at", 20*time.Second), a.View().Watermark("at", 0*time.Second))
			return u.GroupBy(minute(u), "k").Agg(expr.Count().As("n"))
		}},
	} {
		for _, open := range []bool{false, true} {
			name := "rule: " + c.name
			if open {
				name += ", left open"
			}
			out = append(out, EpochScript{Name: name, Mode: c.mode, Open: open, Stateful: true, Inputs: []EpochInput{a, b}, Table: func(in map[string]expr.Table) expr.Table { return c.table(in["a"], in["b"]) }})
		}
	}
	return out
}

// recordedRandom is how many random scripts are recorded.
const recordedRandom = 30

// openRecorded are parts of the names of scripts that are recorded with an end that is left to the engine: the epochs without data of joins and deduplications.
var openRecorded = []string{"join of a pair in two epochs", "duplicates within a delay", "duplicates by a key"}

// RecordedScripts are those whose answers are recorded: the reported faults and the neighbours of rules, with an epoch at the end, and the first random ones. What [Streams] and
// the other open ends give is recorded elsewhere or follows from the rest.
func RecordedScripts() []EpochScript {
	var out []EpochScript
	for _, c := range append(ruleScripts(), reportedScripts()...) {
		if !c.Open || slices.ContainsFunc(openRecorded, func(part string) bool { return strings.Contains(c.Name, part) }) {
			out = append(out, c)
		}
	}
	for seed := range uint64(recordedRandom) {
		out = append(out, RandomScript(seed+1))
	}
	return out
}

// ofStream makes a script of a streaming case.
func ofStream(c StreamCase, open bool) EpochScript {
	events, other := EpochInput{Name: "events", DDL: eventSchema}, EpochInput{Name: "other", DDL: eventSchema}
	for _, rows := range epochs {
		var left, right [][]any
		for _, r := range rows {
			row := r.values()
			left = append(left, row)
			if t, ok := row[1].(time.Time); ok && r.ID%2 == 0 {
				row = slices.Clone(row)
				row[1] = t.Add(10 * time.Second)
				right = append(right, row)
			}
		}
		events.Epochs, other.Epochs = append(events.Epochs, left), append(other.Epochs, right)
	}
	return EpochScript{Name: c.Name, Mode: c.Mode, Open: open, Inputs: []EpochInput{events, other}, Stateful: true, Table: func(in map[string]expr.Table) expr.Table {
		return c.Table(StreamInput{in["events"], in["other"], epochLabels()})
	}}
}

func epochLabels() expr.Table {
	return expr.MemtableRows("labels", mustFields("k STRING, label STRING"), [][]any{{"a", "Alpha"}, {"b", "Beta"}, {"b", "Bravo"}})
}

// values gives an event as a row of values.
func (e event) values() []any {
	row := []any{e.ID, nil, nil, nil, nil}
	if e.At != "" {
		t, err := time.Parse(time.RFC3339, e.At)
		if err == nil {
			row[1] = t
		}
	}
	if e.K != "" {
		row[2] = e.K
	}
	if e.V != nil {
		row[3] = expr.Decimal(fmt.Sprint(e.V))
	}
	if e.Tags != nil {
		row[4] = e.Tags
	}
	return row
}

// reportSchema are the columns of the inputs of reported faults.
const reportSchema = "id BIGINT, at TIMESTAMP, k STRING, v BIGINT"

// reportStart is the moment from which the seconds of reported faults count.
var reportStart = time.Date(2024, 1, 1, 12, 0, 0, 0, time.UTC)

// reported makes an input: each epoch is a list of rows, a row the second of its time and its key.
func reported(name string, epochs ...[]reportedRow) EpochInput {
	in := EpochInput{Name: name, DDL: reportSchema}
	id := int64(0)
	for _, e := range epochs {
		rows := [][]any{}
		for _, r := range e {
			id++
			row := []any{id, nil, r.key, id * 10}
			if !math.IsNaN(r.second) {
				row[1] = reportStart.Add(time.Duration(r.second * float64(time.Second)))
			}
			rows = append(rows, row)
		}
		in.Epochs = append(in.Epochs, rows)
	}
	return in
}

type reportedRow struct {
	second float64 // or noTime
	key    any
}

type reportedEpoch = []reportedRow

// noTime is the second of a row without an event time.
var noTime = math.NaN()

// reportedScripts are the faults of streaming semantics that were reported in public against systems that do this job, each with neighbours.
func reportedScripts() []EpochScript {
	var out []EpochScript
	add := func(name string, table func(in map[string]expr.Table) expr.Table, inputs ...EpochInput) {
		out = append(out, EpochScript{Name: "reported: " + name, Inputs: inputs, Table: table, Stateful: true})
	}
	only := func(f func(t expr.Table) expr.Table) func(in map[string]expr.Table) expr.Table {
		return func(in map[string]expr.Table) expr.Table { return f(in["a"]) }
	}
	count := func(t expr.Table, delay any, size time.Duration) expr.Table {
		w := t.Watermark("at", delay)
		return w.GroupBy(window.Tumbling(w.Timestamp("at"), size), "k").Agg(expr.Count().As("n"), w.Num("v").Sum().As("v"))
	}

	add("a window of the parent's column", only(func(t expr.Table) expr.Table {
		w := t.Watermark("at", 10*time.Second)
		return w.GroupBy(window.Tumbling(t.Timestamp("at"), time.Minute)).Agg(expr.Count().As("n"))
	}), reported("a", reportedEpoch{{5, "x"}, {50, "x"}}, reportedEpoch{{75, "x"}}, reportedEpoch{{150, "x"}}))

	// Pairs of streams whose times are bounded: l.at <= r.at <= l.at + 5 s.
	type join func(l, r expr.Table, on ...any) expr.Table
	bounded := func(j join) func(in map[string]expr.Table) expr.Table {
		return func(in map[string]expr.Table) expr.Table {
			l := in["a"].Watermark("at", 10*time.Second).Select(expr.Num("id").As("l"), expr.Str("k").As("lk"), expr.Timestamp("at").As("lat"))
			r := in["b"].Watermark("at", 10*time.Second).Select(expr.Num("id").As("r"), expr.Str("k").As("rk"), expr.Timestamp("at").As("rat"))
			return j(l, r, l.Str("lk").Eq(r.Str("rk")), l.Timestamp("lat").Le(r.Timestamp("rat")), r.Timestamp("rat").Le(l.Timestamp("lat").Add(5*time.Second)))
		}
	}
	joins := []struct {
		name string
		join join
	}{
		{"inner", func(l, r expr.Table, on ...any) expr.Table { return l.Join(r, on...) }},
		{"left", func(l, r expr.Table, on ...any) expr.Table { return l.LeftJoin(r, on...) }},
		{"right", func(l, r expr.Table, on ...any) expr.Table { return l.RightJoin(r, on...) }},
		{"full", func(l, r expr.Table, on ...any) expr.Table { return l.OuterJoin(r, on...) }},
		{"semi", func(l, r expr.Table, on ...any) expr.Table { return l.SemiJoin(r, on...) }},
		{"anti", func(l, r expr.Table, on ...any) expr.Table { return l.AntiJoin(r, on...) }},
	}
	for _, j := range joins {
		// A pair within one epoch, and then the watermark passes both.
		add(j.name+" join of a pair in one epoch", bounded(j.join),
			reported("a", reportedEpoch{{5, "x"}}, reportedEpoch{{100, "y"}}, reportedEpoch{{200, "y"}}),
			reported("b", reportedEpoch{{5, "x"}}, reportedEpoch{{100, "z"}}, reportedEpoch{{200, "z"}}))
		add(j.name+" join of a pair in two epochs", bounded(j.join),
			reported("a", reportedEpoch{{5, "x"}}, reportedEpoch{}, reportedEpoch{{100, "y"}}, reportedEpoch{{200, "y"}}),
			reported("b", reportedEpoch{}, reportedEpoch{{9, "x"}, {10.001, "x"}}, reportedEpoch{{100, "z"}}, reportedEpoch{{200, "z"}}))
		// A row of the key comes while another one of it expires.
		add(j.name+" join with a row of a key that expires", bounded(j.join),
			reported("a", reportedEpoch{{5, "x"}, {5, "x"}}, reportedEpoch{{100, "y"}}, reportedEpoch{{110, "x"}}, reportedEpoch{{300, "y"}}),
			reported("b", reportedEpoch{{6, "q"}}, reportedEpoch{{100, "z"}}, reportedEpoch{{112, "x"}}, reportedEpoch{{300, "z"}}))
		add(j.name+" join on nulls", bounded(j.join),
			reported("a", reportedEpoch{{5, nil}}, reportedEpoch{{100, "y"}}, reportedEpoch{{200, nil}}),
			reported("b", reportedEpoch{{6, nil}}, reportedEpoch{{100, "y"}}, reportedEpoch{{300, nil}}))
	}

	// Rows that a join gives are as much older than the watermark as it waits for them.
	add("windows above a join of streams in bounds", func(in map[string]expr.Table) expr.Table {
		j := bounded(joins[1].join)(in).Select("l", "lat")
		return j.GroupBy(window.Tumbling(j.Timestamp("lat"), 5*time.Second)).Agg(expr.Count().As("n"))
	}, reported("a", reportedEpoch{{5, "x"}, {6, "y"}}, reportedEpoch{{21, "y"}}, reportedEpoch{{22, "z"}}, reportedEpoch{{27, "z"}}, reportedEpoch{{100, "y"}}, reportedEpoch{{200, "y"}}),
		reported("b", reportedEpoch{{6, "x"}}, reportedEpoch{{20, "z"}}, reportedEpoch{{24, "z"}, {10.5, "y"}}, reportedEpoch{{28, "z"}}, reportedEpoch{{100, "z"}}, reportedEpoch{{200, "z"}}))

	within := func(t expr.Table) expr.Table {
		return t.Watermark("at", 10*time.Second).DropDuplicatesWithinWatermark("k").Select("id", "at", "k")
	}
	add("duplicates within a delay, in turn", only(within), reported("a", reportedEpoch{{0, "k"}}, reportedEpoch{{9, "k"}}, reportedEpoch{{15, "k"}}))
	add("duplicates within a delay, at its end", only(within), reported("a", reportedEpoch{{0, "k"}}, reportedEpoch{{20, "j"}}, reportedEpoch{{10, "k"}, {20, "k"}}, reportedEpoch{{30, "k"}}))
	add("duplicates within a delay, behind it", only(within), reported("a", reportedEpoch{{0, "k"}}, reportedEpoch{{20.001, "j"}}, reportedEpoch{{20, "k"}}, reportedEpoch{{21, "k"}}))
	add("duplicates within a delay, while the watermark is within it", only(within), reported("a", reportedEpoch{{0, "k"}}, reportedEpoch{{12, "j"}}, reportedEpoch{{5, "k"}}, reportedEpoch{{6, "k"}, {7, "i"}}, reportedEpoch{{40, "k"}}))
	add("duplicates within a delay, in one epoch", only(within), reported("a", reportedEpoch{{0, "k"}, {40, "k"}, {1, nil}, {2, nil}}, reportedEpoch{{41, "k"}}, reportedEpoch{{80, "k"}}))
	add("duplicates by a key without the time", only(func(t expr.Table) expr.Table {
		return t.Watermark("at", 10*time.Second).DropDuplicates("k").Select("id", "k")
	}), reported("a", reportedEpoch{{0, "k"}}, reportedEpoch{{100, "j"}}, reportedEpoch{{200, "k"}, {5, "i"}}))
	add("duplicates by a key with the time", only(func(t expr.Table) expr.Table {
		return t.Watermark("at", 10*time.Second).DropDuplicates("k", "at").Select("id", "k")
	}), reported("a", reportedEpoch{{0, "k"}, {0, "k"}}, reportedEpoch{{100, "j"}, {0, "k"}}, reportedEpoch{{100, "j"}, {5, "i"}, {90, "j"}}, reportedEpoch{{90, "l"}, {90.001, "l"}}))

	sessions := func(t expr.Table) expr.Table {
		w := t.Watermark("at", 10*time.Second)
		return w.GroupBy(window.Session(w.Timestamp("at"), 5*time.Second), "k").Agg(expr.Count().As("n"))
	}
	add("a row that joins two sessions", only(sessions), reported("a", reportedEpoch{{0, "k"}, {8, "k"}}, reportedEpoch{{4, "k"}}, reportedEpoch{{60, "k"}}))
	add("a row that joins two sessions in one epoch", only(sessions), reported("a", reportedEpoch{{0, "k"}, {8, "k"}, {4, "k"}}, reportedEpoch{{60, "k"}}))
	add("a row that touches a session", only(sessions), reported("a", reportedEpoch{{0, "k"}}, reportedEpoch{{5, "k"}}, reportedEpoch{{10.001, "k"}}, reportedEpoch{{60, "k"}}))
	add("a late row of a session", only(sessions), reported("a", reportedEpoch{{0, "k"}}, reportedEpoch{{60, "j"}}, reportedEpoch{{3, "k"}, {44, "k"}, {45, "k"}, {46, "k"}}, reportedEpoch{{100, "j"}}))
	add("a late row that would grow an open session", only(sessions), reported("a", reportedEpoch{{50, "k"}, {58, "k"}}, reportedEpoch{{62, "k"}}, reportedEpoch{{46, "k"}, {54, "k"}}, reportedEpoch{{100, "j"}}))

	add("a late row of a short gap within a session of a long one", only(func(t expr.Table) expr.Table {
		w := t.Watermark("at", 10*time.Second)
		gap := expr.If(w.Num("id").Mod(2).Eq(1), expr.Lit(time.Minute), expr.Lit(time.Second))
		return w.GroupBy(window.SessionGap(w.Timestamp("at"), gap.AsInterval()), "k").Agg(expr.Count().As("n"))
	}), reported("a", reportedEpoch{{110, "j"}}, reportedEpoch{{111, "j"}}, reportedEpoch{{50, "k"}, {52, "k"}}, reportedEpoch{{300, "j"}}))

	for _, delay := range []string{"1 day -10 seconds", "0 seconds", "1 month"} {
		d := expr.ParseDelay(delay)
		add("a delay of "+delay, only(func(t expr.Table) expr.Table { return count(t, d, time.Minute) }),
			reported("a", reportedEpoch{{5, "x"}, {65, "x"}}, reportedEpoch{{86_400 + 60, "x"}}, reportedEpoch{{31*86_400 + 70, "x"}, {6, "x"}}))
	}

	// Two watermarks: the least counts.
	add("the least of two watermarks", func(in map[string]expr.Table) expr.Table {
		u := in["a"].Watermark("at", 10*time.Second).Union(in["b"].Watermark("at", 10*time.Second))
		return u.GroupBy(window.Tumbling(u.Timestamp("at"), 10*time.Second)).Agg(expr.Count().As("n"))
	}, reported("a", reportedEpoch{{5, "x"}}, reportedEpoch{{100, "x"}}, reportedEpoch{}, reportedEpoch{{101, "x"}}, reportedEpoch{}),
		reported("b", reportedEpoch{}, reportedEpoch{{50, "y"}}, reportedEpoch{{39, "y"}, {40, "y"}}, reportedEpoch{{120, "y"}}, reportedEpoch{{30, "y"}}))
	add("a watermark of a stream without rows", func(in map[string]expr.Table) expr.Table {
		u := in["a"].Watermark("at", 10*time.Second).Union(in["b"].Watermark("at", 20*time.Second))
		return u.GroupBy(window.Tumbling(u.Timestamp("at"), 10*time.Second)).Agg(expr.Count().As("n"))
	}, reported("a", reportedEpoch{{5, "x"}}, reportedEpoch{{100, "x"}}, reportedEpoch{{200, "x"}}), reported("b", reportedEpoch{}, reportedEpoch{}, reportedEpoch{{90, "x"}}))

	add("the sliding windows of a moment", only(func(t expr.Table) expr.Table {
		w := t.Watermark("at", time.Minute)
		return w.GroupBy(window.Sliding(w.Timestamp("at"), 10*time.Minute, 5*time.Minute)).Agg(expr.Count().As("n"))
	}), reported("a", reportedEpoch{{9 * 60, "x"}}, reportedEpoch{{16 * 60, "x"}}, reportedEpoch{{30 * 60, "x"}}))
	add("a late row within the delay", only(func(t expr.Table) expr.Table { return count(t, 30*time.Second, time.Minute) }),
		reported("a", reportedEpoch{{10, "x"}}, reportedEpoch{{80, "x"}}, reportedEpoch{{55, "x"}}, reportedEpoch{{90, "x"}}, reportedEpoch{{59, "x"}}, reportedEpoch{{90.001, "x"}}))
	add("rows of long ago", only(func(t expr.Table) expr.Table { return count(t, time.Second, time.Second) }),
		reported("a", reportedEpoch{{-60 * 1e6, "x"}, {-60*1e6 + 0.5, "x"}}, reportedEpoch{{-60*1e6 + 1, "x"}}, reportedEpoch{{-60*1e6 + 2, "x"}}, reportedEpoch{{-60*1e6 + 3, "x"}}))
	add("rows before 1970", only(func(t expr.Table) expr.Table { return count(t, time.Second, time.Second) }),
		reported("a", reportedEpoch{{-1_704_110_400 - 5, "x"}, {-1_704_110_400 - 3, "x"}}, reportedEpoch{{-1_704_110_400 - 4, "x"}, {-1_704_110_400, "x"}}, reportedEpoch{{-1_704_110_400 + 2, "x"}}, reportedEpoch{{-1_704_110_400 + 4, "x"}}))

	// What random scripts found, each as small as it goes.
	out = append(out, EpochScript{Name: "found: update mode where every group is late", Mode: expr.Update, Stateful: true, Table: only(func(t expr.Table) expr.Table { return count(t, time.Second, time.Minute) }),
		Inputs: []EpochInput{reported("a", reportedEpoch{{5, "x"}, {500, "y"}}, reportedEpoch{{300, "y"}}, reportedEpoch{{6, "x"}}, reportedEpoch{{501, "y"}, {7, "x"}})}})
	out = append(out, EpochScript{Name: "found: the last moment of a cumulative window", Mode: expr.Append, Stateful: true, Table: only(func(t expr.Table) expr.Table {
		w := t.Watermark("at", time.Second)
		c := w.GroupBy(window.Cumulate(w.Timestamp("at"), time.Minute, 20*time.Second).As("w"), "k").Agg(expr.Count().As("n"))
		return c.Select("k", "n", c.Window("w").Time().As("moment"))
	}), Inputs: []EpochInput{reported("a", reportedEpoch{{5, "x"}, {25, "x"}}, reportedEpoch{{100, "y"}})}})
	add("rows without a key do not move the watermark of a join with a table", func(in map[string]expr.Table) expr.Table {
		t := in["a"].Watermark("at", time.Second)
		j := t.Join(epochLabels(), "k")
		return j.GroupBy(window.Tumbling(j.Timestamp("at"), 10*time.Second)).Agg(expr.Count().As("n"))
	}, reported("a", reportedEpoch{{5, "a"}}, reportedEpoch{{500, nil}}, reportedEpoch{{30, "b"}}, reportedEpoch{{40, "q"}}, reportedEpoch{{50, "a"}}))
	add("a row without time is soon forgotten by a deduplication within the watermark", only(func(t expr.Table) expr.Table {
		return t.Watermark("at", 10*time.Second).DropDuplicatesWithinWatermark("k").Select("id", "k")
	}), reported("a", reportedEpoch{{noTime, "x"}, {5, "y"}, {noTime, "x"}}, reportedEpoch{{8, "x"}, {noTime, "z"}}, reportedEpoch{{9, "z"}, {noTime, "z"}, {noTime, "y"}}, reportedEpoch{{40, "x"}}, reportedEpoch{{50, "x"}, {noTime, "q"}, {noTime, "q"}}))

	// Each once more with the end left to the engine.
	for _, c := range out[:len(out):len(out)] {
		c.Name, c.Open = c.Name+", left open", true
		out = append(out, c)
	}
	return out
}
