package streamtest

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/rowtype"
)

// maxSteps is how many steps a script may have. A query keeps its last 100 reports, as Spark does by default (spark.sql.streaming.numRecentProgressUpdates), and
// each epoch of a script needs its own.
const maxSteps = 95

// Script is a test of one query: its inputs, the query, and the steps. A function that is given to [Run] or [Play] writes it; nothing runs before that function
// has returned. It is not safe for concurrent use.
type Script struct {
	run    runner
	inputs []*input
	table  expr.Table
	mode   expr.OutputMode
	asked  bool
	steps  []*Step
	end    *Step
	open   bool
	// clock is how far the next step's time lies behind the start.
	clock time.Duration
	err   error
}

// fail keeps the first mistake of the script's author.
func (s *Script) fail(at condition.Pos, name, hint, format string, args ...any) {
	if s.err != nil {
		return
	}
	e := condition.Newf(name, format, args...)
	e.Pos, e.Hint = at, hint
	s.err = e
}

// input are the rows of one input, step by step.
type input struct {
	name   string
	fields []datatype.Field
	// steps are the rows of the steps so far as values of tree.Literal, pending those that the next one takes.
	steps   [][][]any
	pending [][]any
	table   expr.Table
}

// Input is a stream whose rows a script adds. Make it with [NewInput] or [NewInputDDL].
type Input[T any] struct {
	s    *Script
	in   *input
	cols []rowtype.Column // nil for rows of values
}

// NewInput makes an input with the columns of T, as rowtype.Of gives them; each may be null. Names of inputs are words of letters, digits and underscores, and not used twice.
func NewInput[T any](s *Script, name string) *Input[T] {
	at := condition.Here(1)
	cols, err := rowtype.Of(reflect.TypeFor[T]())
	in := &Input[T]{s: s, in: &input{name: name}, cols: cols}
	if err != nil {
		s.keep(condition.At(err, at))
		return in
	}
	fields := make([]datatype.Field, len(cols))
	for i, c := range cols {
		fields[i] = c.Field
	}
	in.in = s.add(at, name, fields)
	return in
}

// NewInputDDL makes an input with the columns of a schema such as "id BIGINT, at TIMESTAMP". A row is a list of values, one for each column, as for
// [expr.MemtableRows].
func NewInputDDL(s *Script, name, ddl string) *Input[[]any] {
	at := condition.Here(1)
	in := &Input[[]any]{s: s, in: &input{name: name}}
	fields, err := datatype.ParseFields(ddl)
	if err != nil {
		s.fail(at, condition.InvalidValue, "Write it as in CREATE TABLE: id BIGINT, at TIMESTAMP.", "The schema of the input %s: %v", name, err)
		return in
	}
	in.in = s.add(at, name, fields)
	return in
}

func (s *Script) keep(err error) {
	if s.err == nil {
		s.err = err
	}
}

func isWord(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_'
	})
}

func (s *Script) add(at condition.Pos, name string, fields []datatype.Field) *input {
	in := &input{name: name, fields: nullable(fields)}
	switch {
	case !isWord(name):
		s.fail(at, condition.InvalidValue, "Use letters, digits and underscores.", "An input cannot be named %q.", name)
	case slices.ContainsFunc(s.inputs, func(o *input) bool { return strings.EqualFold(o.name, name) }):
		s.fail(at, condition.InvalidValue, "Give each input a name of its own.", "Two inputs are named %q.", name)
	case len(s.steps) > 0:
		s.fail(at, condition.InvalidValue, "Make all inputs before the first Step.", "The input %q is made behind a step.", name)
	default:
		table, err := s.run.table(in)
		if err != nil {
			s.keep(condition.At(err, at))
		}
		in.table = table
	}
	s.inputs = append(s.inputs, in)
	return in
}

// nullable lets every column be null, as readers of files do.
func nullable(fields []datatype.Field) []datatype.Field {
	out := slices.Clone(fields)
	for i := range out {
		out[i].Nullable = true
	}
	return out
}

// Table gives the input as a table of its name, a stream or a batch by what is done with it.
func (i *Input[T]) Table() expr.Table { return i.in.table }

// Add gives rows to the next step, in this order.
func (i *Input[T]) Add(rows ...T) {
	at := condition.Here(1)
	values := make([][]any, len(rows))
	for n := range rows {
		if i.cols == nil {
			values[n], _ = any(rows[n]).([]any)
			continue
		}
		v := reflect.ValueOf(&rows[n]).Elem()
		for v.Kind() == reflect.Pointer {
			if v.IsNil() {
				i.s.fail(at, condition.InvalidValue, "Give a struct; its fields may be nil.", "Row %d of the input %s is nil.", n, i.in.name)
				return
			}
			v = v.Elem()
		}
		values[n] = rowtype.Values(i.cols, v)
	}
	literals, err := expr.RowLiterals(i.in.fields, values)
	if err != nil {
		i.s.keep(condition.At(err, at))
		return
	}
	i.in.pending = append(i.in.pending, literals...)
}

// Query sets what the script tests: a table over its inputs and the output mode in which it runs. Other tables in it are read whole, by expr.Static or expr.Memtable.
func (s *Script) Query(t expr.Table, mode expr.OutputMode) {
	at := condition.Here(1)
	if s.asked {
		s.fail(at, condition.InvalidValue, "Write a script for each query.", "A script has one query.")
		return
	}
	if err := t.Err(); err != nil {
		s.keep(err)
	}
	s.table, s.mode, s.asked = t, mode, true
}

// Step ends a step: the rows that were added since the one before are an epoch, also when there are none. What is wanted of that epoch is told to the result.
func (s *Script) Step() *Step {
	st := &Step{s: s, at: condition.Here(1), clock: s.clock}
	if len(s.steps) == maxSteps {
		s.fail(st.at, condition.InvalidValue, "Write several scripts.", "A script has at most %d steps.", maxSteps)
	}
	for _, in := range s.inputs {
		in.steps = append(in.steps, in.pending)
		in.pending = nil
	}
	s.steps = append(s.steps, st)
	return st
}

// End is the epoch without rows that runs behind the last step, or, after [Script.LeaveOpen], what the engine runs there by itself.
func (s *Script) End() *Step {
	if s.end == nil {
		s.end = &Step{s: s, at: condition.Here(1)}
	}
	return s.end
}

// LeaveOpen leaves out the epoch behind the last step. The engine then runs epochs without data as it does by itself: one when the watermark has moved so that a stateful operator has
// something to finish. What comes in them is in [Script.End] and the timeline; where none runs, the watermark behind the last step is not seen.
func (s *Script) LeaveOpen() { s.open = true }

// Advance moves the clock on before the next step: what current_timestamp and triggers go by. The clock begins at 2024-01-01 00:00:00 UTC and stands still otherwise. It
// runs offline only: on Spark the script is refused, since the clock is the server's.
func (s *Script) Advance(d time.Duration) {
	at := condition.Here(1)
	if d < 0 {
		s.fail(at, condition.InvalidValue, "Give a duration that is not below zero.", "The clock cannot go back by %v.", -d)
		return
	}
	if err := s.run.advance(); err != nil {
		s.keep(condition.At(err, at))
		return
	}
	s.clock += d
}

// Step is an epoch of a script, and what is wanted of it. What is not told is not looked at.
type Step struct {
	s  *Script
	at condition.Pos
	// clock is the time of the step, from the start of the script.
	clock     time.Duration
	rows      []any
	wantRows  bool
	watermark *time.Time
	late      *int64
	state     *int64
}

// WantRows wants exactly these rows from the epoch, in any order: structs of any type that has a field for each column of the query, by name, or single values where the query has one
// column. In complete mode the rows are the whole result.
func (st *Step) WantRows(rows ...any) *Step {
	st.rows, st.wantRows = append(st.rows, rows...), true
	return st
}

// WantNoRows wants no row from the epoch.
func (st *Step) WantNoRows() *Step { return st.WantRows() }

// WantWatermark wants the watermark behind the epoch, under which the next one runs, cut to milliseconds. Before a row had a time it is 1970-01-01 00:00:00 UTC.
func (st *Step) WantWatermark(t time.Time) *Step {
	t = t.UTC().Truncate(time.Millisecond)
	st.watermark = &t
	return st
}

// WantLate wants so many rows to be dropped by the watermark in the epoch, over all operators. An aggregation counts groups of late rows, as Spark with one partition.
func (st *Step) WantLate(n int64) *Step { st.late = &n; return st }

// WantState wants so many rows in the state behind the epoch, over all operators.
func (st *Step) WantState(n int64) *Step { st.state = &n; return st }

// seal ends the script.
func (s *Script) seal() error {
	switch {
	case s.err != nil:
		return s.err
	case !s.asked:
		return hinted("Call Query with a table over the script's inputs.", "The script has no query.")
	case len(s.inputs) == 0:
		return hinted("Make one with NewInput.", "The script has no input.")
	case len(s.steps) == 0:
		return hinted("Call Step behind the rows of each epoch.", "The script has no step.")
	}
	for _, in := range s.inputs {
		if len(in.pending) > 0 {
			return hinted("End the script with Step.", "Rows of the input %s were added behind the last step, so no epoch takes them.", in.name)
		}
		if !s.open {
			in.steps = append(in.steps, nil)
		}
	}
	return nil
}

// epochs is how many epochs have files or rows of their own.
func (s *Script) epochs() int {
	if s.open {
		return len(s.steps)
	}
	return len(s.steps) + 1
}

func hinted(hint, format string, args ...any) error {
	e := condition.Newf(condition.InvalidValue, format, args...)
	e.Hint = hint
	return e
}

// Target is where a script runs: [Local] or [Spark].
type Target interface {
	// String names the target in messages.
	String() string
	// start makes what one run of a script needs. stop ends it.
	start(ctx context.Context) (r runner, stop func() error, err error)
}

// runner runs one script.
type runner interface {
	// table makes the table of an input.
	table(in *input) (expr.Table, error)
	// advance tells why the clock cannot be moved.
	advance() error
	// play runs a sealed script.
	play(ctx context.Context, s *Script) ([]Epoch, error)
}

// Play runs a script on a target and gives what happened, for those who compare it themselves. What the steps want is not looked at. An error is a mistake of the
// script, a query that is refused or has failed, or a context that has ended.
func Play(ctx context.Context, target Target, script func(s *Script)) (tl *Timeline, err error) {
	s, stop, err := begin(ctx, target)
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := stop(); err == nil {
			err = e
		}
	}()
	script(s)
	return s.play(ctx, target)
}

func begin(ctx context.Context, target Target) (*Script, func() error, error) {
	if target == nil {
		return nil, nil, hinted("Give streamtest.Local() or streamtest.Spark(session, folder).", "The target is nil.")
	}
	r, stop, err := target.start(ctx)
	return &Script{run: r}, stop, err
}

func (s *Script) play(ctx context.Context, target Target) (*Timeline, error) {
	if err := s.seal(); err != nil {
		return nil, err
	}
	epochs, err := s.run.play(ctx, s)
	if err != nil {
		return nil, err
	}
	for i := range epochs {
		for _, in := range s.inputs {
			if i < len(in.steps) {
				rows, err := literalTexts(ctx, in.fields, in.steps[i])
				if err != nil {
					return nil, err
				}
				epochs[i].In = append(epochs[i].In, InputRows{in.name, rows})
			}
		}
		epochs[i].Step = min(i, len(s.steps))
		epochs[i].After = epochs[i].Before
		if i+1 < len(epochs) {
			epochs[i].After = epochs[i+1].Before
		}
	}
	return &Timeline{Target: target.String(), Epochs: epochs, steps: len(s.steps)}, nil
}
