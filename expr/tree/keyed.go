package tree

import (
	"iter"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// TimeMode says by which time a [Keyed] keeps its timers.
type TimeMode uint8

// The modes, under Spark's names.
const (
	NoTime TimeMode = iota
	EventTimeMode
	ProcessingTimeMode
)

// String gives Spark's word.
func (m TimeMode) String() string { return [...]string{"None", "EventTime", "ProcessingTime"}[m] }

// StateKind is the kind of a state variable.
type StateKind uint8

// The kinds.
const (
	ValueState StateKind = iota
	ListState
	MapState
)

// String gives a word for it.
func (k StateKind) String() string { return [...]string{"value", "list", "map"}[k] }

// StateVariable is what a [Keyed] keeps for each key under a name.
type StateVariable struct {
	Name string
	Kind StateKind
	// Key is the type of a map's keys, nil for others; Value that of values, elements or a map's values, which are nullable or not.
	Key   datatype.Type
	Value datatype.Field
	// TTL is how long after its last write a value, element or entry is forgotten, by processing time; 0 for never.
	TTL time.Duration
}

// String prints the variable with its types.
func (v StateVariable) String() string {
	text := v.Kind.String() + " " + datatype.QuoteName(v.Name) + " "
	if v.Key != nil {
		text += v.Key.String() + " to "
	}
	text += v.Value.Type.String()
	if v.TTL > 0 {
		text += " for " + v.TTL.String()
	}
	return text
}

// StateHost is what an engine gives a user's function to work with: the state, the timers and the output of the present key. Values are as literals have them.
// Errors stick to the host and end the epoch, so that a function may go on with zero values; times are microseconds since 1970.
type StateHost interface {
	// State gives the number of a variable by its name, or fails and gives -1 where the process has none of that name, kind and types.
	State(name string, of StateVariable) int
	// Emit adds a row of the output's columns.
	Emit(row []any)
	// Get gives the value of a value variable.
	Get(state int) (any, bool)
	// Set replaces the value of a value variable.
	Set(state int, v any)
	// Clear forgets all of a variable.
	Clear(state int)
	// Elements gives those of a list variable in their order, with their places, which grow.
	Elements(state int) iter.Seq[any]
	// Append adds an element to a list variable.
	Append(state int, v any)
	// Lookup gives the value of a map variable's key.
	Lookup(state int, key any) (any, bool)
	// Store sets the value of a map variable's key.
	Store(state int, key, v any)
	// Remove forgets a map variable's key.
	Remove(state int, key any)
	// Entries gives those of a map variable in the order in which they came.
	Entries(state int) iter.Seq2[any, any]
	// SetTimer makes a timer of the key; one that is there stays.
	SetTimer(at int64)
	// DeleteTimer takes a timer of the key away, where it is there.
	DeleteTimer(at int64)
	// Timers lists those of the key in order.
	Timers() []int64
	// Watermark is the present one, the end of time in the last pass of a batch and 0 before the first.
	Watermark() int64
	// Final tells that the watermark is the end of time.
	Final() bool
	// Now is the processing time of the epoch.
	Now() int64
	// Fail notes an error, the first of which counts.
	Fail(err error)
}

// Functions are a user's functions over values as literals have them. Each is called for one key at a time.
type Functions struct {
	// Rows and First are the ordinals of the columns that the functions are given, of the input and of the initial state.
	Rows, First []int
	// HandleInputRows sees the key's rows of an epoch, in the order in which they came.
	HandleInputRows func(h StateHost, key []any, rows iter.Seq[[]any]) error
	// HandleExpiredTimer, which may be nil, sees each timer whose time has come.
	HandleExpiredTimer func(h StateHost, key []any, at int64) error
	// HandleInitialState, nil without an initial state, sees the key's row of it before anything else.
	HandleInitialState func(h StateHost, key, row []any) error
}

// PythonProcess is the source text of Python that defines a class, derived from pyspark.sql.streaming.StatefulProcessor.
type PythonProcess struct {
	Source, Class string
}

// Process is what a [Keyed] does.
type Process struct {
	// Name is told in plans, messages and checkpoints.
	Name   string
	Time   TimeMode
	States []StateVariable
	// Out are the columns of the output; EventTime is the one of them that carries event time on, "" for none.
	Out       []datatype.Field
	EventTime string
	// Python is the process for Spark, nil where there is none.
	Python *PythonProcess
	// Bind makes the functions for the columns that they are given: the keys, the input's, and those of the initial state, nil without one.
	Bind func(key, rows, initial []datatype.Field) (*Functions, error)
}

// Keyed runs functions of the user's process over the rows of each key, with state that stays from epoch to epoch: Spark's transformWithState.
type Keyed struct {
	Node
	Input Relation
	Keys  []Named
	// Initial, which may be nil, has a row for some keys, which InitialKeys name.
	Initial     Relation
	InitialKeys []Named
	Process     *Process
	Functions   *Functions
}

// Inputs implements [Relation].
func (r *Keyed) Inputs() []Relation {
	if r.Initial == nil {
		return []Relation{r.Input}
	}
	return []Relation{r.Input, r.Initial}
}

// StatesText prints the state variables of a process.
func (p *Process) StatesText() string {
	out := make([]string, len(p.States))
	for i, s := range p.States {
		out[i] = s.String()
	}
	return strings.Join(out, ", ")
}
