package connectors

import (
	"reflect"
	"sync"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/rowtype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// simple is a connector without columns, paths or codecs of its own.
type simple struct {
	format string
	known  map[string]spec
	opts   []Option
}

func (s simple) String() string { return s.format }

// SimpleSink is a sink without columns, paths or codecs of its own: console, noop, and Spark's memory table.
type SimpleSink struct {
	simple
	batch bool
	modes []tree.OutputMode
}

var consoleOptions = map[string]spec{"numRows": snk(whole(0)), "truncate": snk(anything)}

// ToConsole prints each epoch as Spark's console sink does: numRows rows (20 by default), texts cut at 20 characters unless truncate is false.
func ToConsole(opts ...Option) SimpleSink {
	return SimpleSink{simple{"console", consoleOptions, opts}, true, []tree.OutputMode{tree.Append, tree.Update, tree.Complete}}
}

// NumRows is how many rows the console shows of an epoch.
func NumRows(n int64) Option { return number("numRows", n, 0) }

// Truncate says whether the console cuts texts at 20 characters.
func Truncate(cut bool) Option { return boolean("truncate", cut) }

// Noop computes everything and writes nothing, for measurements.
func Noop() SimpleSink {
	return SimpleSink{simple{"noop", nil, nil}, true, []tree.OutputMode{tree.Append, tree.Update, tree.Complete}}
}

// ToMemoryTable keeps the rows in a table of the session that has the query's name: Spark's memory sink.
func ToMemoryTable() SimpleSink {
	return SimpleSink{simple{"memory", nil, nil}, false, []tree.OutputMode{tree.Append, tree.Complete}}
}

// AllModes lets the sink take update mode too, which Spark's guide does not list for the memory table although it works.
func (s SimpleSink) AllModes() SimpleSink {
	s.modes = []tree.OutputMode{tree.Append, tree.Update, tree.Complete}
	return s
}

// Sink implements expr.Sink.
func (s SimpleSink) Sink() (*tree.Sink, error) {
	o, err := build(s.format, "sink", s.known, nil, s.opts)
	if err != nil {
		return nil, err
	}
	return &tree.Sink{Format: s.format, Options: o, Batch: s.batch, Stream: true, Modes: s.modes}, nil
}

// MemoryStream is a source whose rows the program adds, for tests. It lives in this process, so Spark cannot read it. It is safe for concurrent
// use. A query's restart from a checkpoint finds its rows by their count, so the same rows must have been added.
type MemoryStream struct {
	cols   []rowtype.Column
	fields []datatype.Field
	err    error

	mu   sync.Mutex
	rows [][]any
	more chan struct{}
}

// NewMemoryStream makes an empty stream with the columns of T.
func NewMemoryStream[T any]() *MemoryStream {
	cols, err := rowtype.Of(reflect.TypeFor[T]())
	m := &MemoryStream{cols: cols, err: err, more: make(chan struct{})}
	for _, c := range cols {
		m.fields = append(m.fields, c.Field)
	}
	return m
}

// NewMemoryStreamDDL makes an empty stream with the columns of a schema; its rows are added by [MemoryStream.AddRows].
func NewMemoryStreamDDL(ddl string) *MemoryStream {
	fields, err := datatype.ParseFields(ddl)
	return &MemoryStream{fields: fields, err: wrapDDL(err), more: make(chan struct{})}
}

// Add appends structs of the type that the stream was made with.
func (m *MemoryStream) Add(rows ...any) error {
	if err := m.made(); err != nil {
		return err
	}
	values := make([][]any, len(rows))
	for i, r := range rows {
		v := reflect.ValueOf(r)
		for v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		if !v.IsValid() {
			return invalid("A row is nil.")
		}
		if cols, err := rowtype.Of(v.Type()); err != nil || len(cols) != len(m.cols) || m.cols == nil {
			return invalid("A row of type %T does not go into a stream with the columns %s.", r, datatype.DDL(m.fields))
		}
		values[i] = rowtype.Values(m.cols, v)
	}
	return m.AddRows(values...)
}

// AddRows appends rows of Go values, one value a column.
func (m *MemoryStream) AddRows(rows ...[]any) error {
	if err := m.made(); err != nil {
		return err
	}
	literals, err := expr.RowLiterals(m.fields, rows)
	if err != nil {
		return err
	}
	return m.AddLiterals(literals)
}

// AddLiterals appends rows of values of tree.Literal, as [MemorySink.Rows] and expr.RowLiterals give them, one value a column.
func (m *MemoryStream) AddLiterals(literals [][]any) error {
	if err := m.made(); err != nil {
		return err
	}
	for i, row := range literals {
		if len(row) != len(m.fields) {
			return invalid("Row %d has %d values, the stream %d columns.", i, len(row), len(m.fields))
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rows = append(m.rows, literals...)
	close(m.more)
	m.more = make(chan struct{})
	return nil
}

// Fields gives the columns.
func (m *MemoryStream) Fields() []datatype.Field {
	if m == nil {
		return nil
	}
	return m.fields
}

// made refuses a stream that is nil, the zero value, or of columns that are none.
func (m *MemoryStream) made() error {
	switch {
	case m == nil || m.more == nil:
		e := invalid("The stream was never made: it is nil, or the zero value of its type.")
		e.Hint = "Use connectors.NewMemoryStream or NewMemoryStreamDDL."
		return e
	default:
		return m.err
	}
}

// Len is the number of rows added so far.
func (m *MemoryStream) Len() int64 {
	if m == nil {
		return 0
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return int64(len(m.rows))
}

// More gives a channel that is closed when further rows are added.
func (m *MemoryStream) More() <-chan struct{} {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.more
}

// Rows gives rows from (included) to (excluded), as values of tree.Literal. The caller must not change them.
func (m *MemoryStream) Rows(from, to int64) [][]any {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rows[from:to:to]
}

// Source implements expr.Source.
func (m *MemoryStream) Source() (*tree.Source, error) {
	if err := m.made(); err != nil {
		return nil, err
	}
	return &tree.Source{Format: "memory", Fields: m.fields, Batch: true, Stream: true, Local: m}, nil
}

// MemorySink keeps the rows that a query writes in this process. Its zero value is an empty sink. It is safe for concurrent use.
type MemorySink struct {
	mu     sync.Mutex
	epochs map[int64][][]any
	order  []int64
	fields []datatype.Field
}

// NewMemorySink makes an empty sink.
func NewMemorySink() *MemorySink { return &MemorySink{epochs: map[int64][][]any{}} }

// Put takes an epoch's rows, as values of tree.Literal. An epoch that is written again replaces what it wrote, and in complete mode every epoch
// replaces all. Sessions call it.
func (s *MemorySink) Put(epoch int64, mode tree.OutputMode, fields []datatype.Field, rows [][]any) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fields = fields
	if mode == tree.Complete || s.epochs == nil {
		s.epochs, s.order = map[int64][][]any{}, nil
	}
	if _, ok := s.epochs[epoch]; !ok {
		s.order = append(s.order, epoch)
	}
	s.epochs[epoch] = rows
}

// Rows gives all rows so far in the order of their epochs, as values of tree.Literal.
func (s *MemorySink) Rows() [][]any {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var out [][]any
	for _, e := range s.order {
		out = append(out, s.epochs[e]...)
	}
	return out
}

// Fields gives the columns of the rows, nil before the first epoch.
func (s *MemorySink) Fields() []datatype.Field {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fields
}

// Table gives the rows so far as a table.
func (s *MemorySink) Table(name string) expr.Table {
	rows := s.Rows()
	fields := s.Fields()
	return expr.LiteralTable(name, fields, rows)
}

// Sink implements expr.Sink.
func (s *MemorySink) Sink() (*tree.Sink, error) {
	if s == nil {
		return nil, invalid("The sink is nil.")
	}
	return &tree.Sink{Format: "memory", Batch: true, Stream: true, Modes: []tree.OutputMode{tree.Append, tree.Update, tree.Complete}, Local: s}, nil
}
