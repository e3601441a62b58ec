// Package keyed runs functions of Go over the rows of each key of a table, with state that they keep from epoch to epoch: what Spark calls transformWithState. The state
// is values, lists and maps of Go types, which are kept by the columns that the types stand for, and timers in event or processing time.
//
//	var last = keyed.NewValue[Visit]("last")
//
//	sessions := keyed.Transform(visits.Watermark("at", time.Minute).GroupBy("user"), keyed.Processor[string, Visit, Session]{
//		Name: "sessions", Time: keyed.EventTime, States: keyed.States{last},
//		HandleInputRows: func(c *keyed.Context, user string, rows iter.Seq[Visit], emit func(Session)) error { … },
//		HandleExpiredTimer: func(c *keyed.Context, user string, at time.Time, emit func(Session)) error { … },
//	})
//
// Functions keep what they know in states alone: an epoch may run twice after a crash, from the state before it. The local engine alone runs them, as a stream, and as a batch,
// which is one epoch at whose end time ends: every timer fires. Spark runs a processor that has its source in [Python] too.
package keyed

import (
	"iter"
	"reflect"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/rowtype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// TimeMode says by which time timers fire.
type TimeMode = tree.TimeMode

// The modes. None has no timers and no TTL; EventTime goes by the input's watermark, and has no TTL, as in Spark; ProcessingTime by the moment at which an epoch begins.
const (
	None           = tree.NoTime
	EventTime      = tree.EventTimeMode
	ProcessingTime = tree.ProcessingTimeMode
)

// Processor is what is done with the rows of each key. K is the Go type of the key: that of the one key column, or a struct with a field for each. In is a struct with fields
// for some columns of the table, by their names; see rowtype.Of. Out is a struct whose fields are the columns of the result. A null for a Go type that has none ends
// the query: use pointers or sql.Null.
//
// Functions are called one at a time, for one key at a time, and keep nothing outside the states. What they emit goes to the sink in the order in which it came. An error of one, or
// a panic, ends the query with FAILED_EXECUTE_UDF, which names the key; nothing of the epoch is kept.
type Processor[K, In, Out any] struct {
	// Name is told in plans, messages and the checkpoint; "" is "processor".
	Name string
	// Time says by which time timers fire; None is the default.
	Time TimeMode
	// States are all that the functions keep. A checkpoint goes on only with the same ones, in any order.
	States States
	// EventTimeColumn names the column of Out, if any, that carries event time on, so that operators with state may follow. A row that is behind the watermark is an error then.
	EventTimeColumn string
	// HandleInputRows is given the rows of a key in an epoch, in the order in which they came. It need not look at all of them, and keeps neither them
	// nor emit beyond the call, when they do nothing any more.
	HandleInputRows func(c *Context, key K, rows iter.Seq[In], emit func(Out)) error
	// HandleExpiredTimer is called when the time of a timer has come, after the rows of all keys. It may be nil where no timer is set.
	HandleExpiredTimer func(c *Context, key K, at time.Time, emit func(Out)) error
	// InitialState, made by [Initial], is the state to begin with; the zero value is none.
	InitialState InitialState[K]
	// Python is the same processor for Spark; the zero value is none, and such a table is refused there. With it HandleInputRows may be nil, and the table is for Spark alone.
	Python Python
}

// Python is a processor as source text of Python, which Spark's server runs with all rights of its Python: an opt-in for code that is trusted there. That it does what the Go functions do is
// the author's to see to.
//
// The class derives from pyspark.sql.streaming.StatefulProcessor: init(handle), handleInputRows(key, rows, timerValues), and, where they are used, handleExpiredTimer, handleInitialState and close. The key is
// a tuple, rows are of all columns of the input, and what is yielded is a Row of Out's columns in their order. It declares its states with handle.getValueState and the like; States is the Go functions' alone.
//
// Spark runs it from 4.1 on, with RocksDB for a state store, which a session sets for the start of the query. The keys must be columns of the table under their own names. The server's Python needs
// pyspark, pandas, pyarrow and protobuf. See Spark's page on transformWithState.
type Python struct {
	// Source defines the class, and whatever it needs. It is printed with the program.
	Source string
	// Class is its name.
	Class string
}

// InitialState is a table with a row for each key that does not begin with nothing.
type InitialState[K any] struct {
	grouped *expr.Grouped
	bind    func(names *keyCodec, rows []datatype.Field) (columns []int, handle func(h tree.StateHost, key, row []any) error, err error)
}

// Initial is the state to begin with: handle is called once for each row of a table, before the first rows of a new query. The table is grouped by keys of the same types as the input;
// a key comes once, and a second row of it is STATEFUL_PROCESSOR_CANNOT_REINITIALIZE_STATE_ON_KEY. It is read whole, so under Start it is no stream.
func Initial[K, S any](table expr.Grouped, handle func(c *Context, key K, row S) error) InitialState[K] {
	return InitialState[K]{&table, func(keys *keyCodec, fields []datatype.Field) ([]int, func(h tree.StateHost, key, row []any) error, error) {
		if handle == nil {
			return nil, nil, bad("Give keyed.Initial a function.", "The function of the initial state is nil.")
		}
		set, err := rowtype.NewRowSetter(fields, reflect.TypeFor[S]())
		if err != nil {
			return nil, nil, err
		}
		return set.Columns, func(h tree.StateHost, key, row []any) error {
			var s S
			var k K
			if err := set.Set(reflect.ValueOf(&s).Elem(), row); err != nil {
				return err
			}
			if err := keys.set(reflect.ValueOf(&k).Elem(), key); err != nil {
				return err
			}
			return with(h, func(c *Context) error { return handle(c, k, s) })
		}, nil
	}}
}

// Transform is the table of what a processor emits for the groups of a table, which GroupBy gives: Spark's transformWithState. Mistakes in it are those of the result.
//
// On a stream rows at or before the watermark are dropped and counted, where the input has event time. The rows of a key come in the order of the source; where their order matters
// for the result, let a timer put them in order. Complete mode is refused, and so is every mode of a Spark target.
func Transform[K, In, Out any](table expr.Grouped, p Processor[K, In, Out]) expr.Table {
	name := p.Name
	if name == "" {
		name = "processor"
	}
	out, outErr := rowtype.Of(reflect.TypeFor[Out]())
	process := &tree.Process{Name: name, Time: p.Time, EventTime: p.EventTimeColumn}
	for _, c := range out {
		process.Out = append(process.Out, c.Field)
	}
	declared, stateErr := p.States.variables(p.Time)
	process.States = declared
	pythonErr := p.Python.check()
	if p.Python != (Python{}) {
		process.Python = &tree.PythonProcess{Source: p.Python.Source, Class: p.Python.Class}
	}
	process.Bind = func(key, rows, initial []datatype.Field) (*tree.Functions, error) {
		switch {
		case outErr != nil:
			return nil, outErr
		case stateErr != nil:
			return nil, stateErr
		case pythonErr != nil:
			return nil, pythonErr
		case p.HandleInputRows == nil && process.Python == nil:
			return nil, bad("Set it.", "HandleInputRows is nil.")
		case p.Time > ProcessingTime:
			return nil, bad("Use keyed.None, keyed.EventTime or keyed.ProcessingTime.", "There is no time mode %d.", p.Time)
		}
		keys, err := newKeyCodec(key, reflect.TypeFor[K]())
		if err != nil {
			return nil, err
		}
		set, err := rowtype.NewRowSetter(rows, reflect.TypeFor[In]())
		if err != nil {
			return nil, err
		}
		f := &tree.Functions{Rows: set.Columns}
		emitter := func(c *Context) func(Out) {
			return func(o Out) {
				if c.h == nil {
					return // the call is over
				}
				row, err := expr.RowLiterals(process.Out, [][]any{rowtype.Values(out, reflect.ValueOf(&o))})
				if err != nil {
					c.h.Fail(err)
					return
				}
				c.h.Emit(row[0])
			}
		}
		f.HandleInputRows = func(h tree.StateHost, key []any, rows iter.Seq[[]any]) error {
			var k K
			if err := keys.set(reflect.ValueOf(&k).Elem(), key); err != nil {
				return err
			}
			typed := func(yield func(In) bool) {
				for row := range rows {
					var in In
					if err := set.Set(reflect.ValueOf(&in).Elem(), row); err != nil {
						h.Fail(err)
						return
					}
					if !yield(in) {
						return
					}
				}
			}
			return with(h, func(c *Context) error { return p.HandleInputRows(c, k, typed, emitter(c)) })
		}
		if p.HandleInputRows == nil {
			f.HandleInputRows = func(tree.StateHost, []any, iter.Seq[[]any]) error {
				e := condition.Newf(condition.Unsupported, "The processor %s is Python's alone, which the local engine does not run.", name)
				e.Hint = "Set HandleInputRows, or run it on Spark."
				return e
			}
		}
		if p.HandleExpiredTimer != nil {
			f.HandleExpiredTimer = func(h tree.StateHost, key []any, at int64) error {
				var k K
				if err := keys.set(reflect.ValueOf(&k).Elem(), key); err != nil {
					return err
				}
				return with(h, func(c *Context) error {
					return p.HandleExpiredTimer(c, k, time.UnixMicro(at).UTC(), emitter(c))
				})
			}
		}
		if p.InitialState.bind != nil {
			if f.First, f.HandleInitialState, err = p.InitialState.bind(keys, initial); err != nil {
				return nil, err
			}
		}
		return f, nil
	}
	return table.TransformWithState(process, p.InitialState.grouped)
}

// identifier is a name of Python's.
var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// check tells what is wrong with a source before a server sees it.
func (p Python) check() error {
	switch {
	case p == Python{}:
		return nil
	case !identifier.MatchString(p.Class):
		return bad("Name the class that the source defines.", "%q is no name of a Python class.", p.Class)
	case !regexp.MustCompile(`(?m)^class\s+` + p.Class + `\b`).MatchString(p.Source):
		return bad("Define it at the beginning of a line, as in: class "+p.Class+"(StatefulProcessor):", "The Python source defines no class %s.", p.Class)
	case !utf8.ValidString(p.Source) || strings.ContainsRune(p.Source, 0):
		return bad("Give the source as text.", "The Python source is no text of UTF-8.")
	}
	return nil
}

// with runs a function of the user's with a context that ends with it.
func with(h tree.StateHost, f func(c *Context) error) error {
	c := &Context{h: h}
	defer func() { c.h = nil }()
	return f(c)
}

func bad(hint, format string, args ...any) *condition.Error {
	e := condition.Newf(condition.InvalidValue, format, args...)
	e.Hint = hint
	return e
}

// keyCodec makes the Go value of a key.
type keyCodec struct {
	one rowtype.Setter
	row *rowtype.RowSetter
}

// newKeyCodec takes one key column as the type itself where it fits, and all as a struct.
func newKeyCodec(fields []datatype.Field, t reflect.Type) (*keyCodec, error) {
	var first error
	if len(fields) == 1 {
		set, err := rowtype.NewSetter(fields[0].Type, t)
		if err == nil {
			return &keyCodec{one: set}, nil
		}
		first = bad("Give Processor the Go type of the key column as its first type.", "The key %s of type %s does not fit Go's %v.", datatype.QuoteName(fields[0].Name), fields[0].Type, t)
	}
	if t.Kind() != reflect.Struct {
		if first == nil {
			names := make([]string, len(fields))
			for i, f := range fields {
				names[i] = datatype.QuoteName(f.Name)
			}
			first = bad("Give Processor a struct with a field for each key as its first type.", "Go's %v cannot be the keys %s.", t, strings.Join(names, ", "))
		}
		return nil, first
	}
	row, err := rowtype.NewRowSetter(fields, t)
	if err != nil {
		return nil, err
	}
	return &keyCodec{row: row}, nil
}

func (k *keyCodec) set(dst reflect.Value, key []any) error {
	if k.one != nil {
		return k.one(dst, key[0])
	}
	some := make([]any, len(k.row.Columns))
	for i, c := range k.row.Columns {
		some[i] = key[c]
	}
	return k.row.Set(dst, some)
}
