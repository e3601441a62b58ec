package compiler

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spoonbill-go/spoonbill/compiler/analyze"
	"github.com/spoonbill-go/spoonbill/compiler/sparksql"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/internal/absent"
)

// Program is what a session carries out, step by step. It prints as a runnable PySpark script.
type Program struct {
	// Steps are in order; the last one is the result: a [QueryStep], a [WriteBatchStep] or a [WriteStreamStep].
	Steps []Step
	// Schema is that of the rows which the last step gives or writes, before a codec encodes them.
	Schema *tree.Schema
	// Mode is how the program runs.
	Mode Mode
	// Target is what it was compiled for.
	Target Target
}

// Step is one instruction. The set is closed.
type Step interface {
	// python prints the step as PySpark.
	python() string
}

// ReadStep makes a view of a source.
type ReadStep struct {
	// View is the name of the view that it makes.
	View string
	// Source is what is read.
	Source *tree.Source
	// Streaming reads it as a stream.
	Streaming bool
}

// ViewStep names a query, for the steps behind it.
type ViewStep struct {
	View, SQL string
	Args      []tree.ParamValue
}

// CheckStep compares the columns of a query in the user's own words with those that were declared for it, before anything runs.
type CheckStep struct {
	SQL    string
	Args   []tree.ParamValue
	Fields []datatype.Field
	// At is where the user made it.
	At condition.Pos
}

// WatermarkStep makes a view of a view whose column is event time.
type WatermarkStep struct {
	Input, View, Column string
	// Delay is Spark's text of the delay, such as "10 seconds".
	Delay string
}

// DeduplicateStep makes a view of a view that keeps one row for each value of the columns.
type DeduplicateStep struct {
	Input, View     string
	Columns         []string
	WithinWatermark bool
}

// StatefulStep makes a view of what a class of Python, a StatefulProcessor, emits for the keys of a view.
type StatefulStep struct {
	Input, View string
	// Keys are the columns that rows are grouped by, and Columns all of the input.
	Keys, Columns []string
	// Initial is the view of the state to begin with, "" for none, and InitialKeys its columns of the keys.
	Initial     string
	InitialKeys []string
	Python      tree.PythonProcess
	Time        tree.TimeMode
	// Out are the columns that are emitted, and EventTime that of them which carries event time on, "" for none.
	Out       []datatype.Field
	EventTime string
	// Mode is how the query writes.
	Mode tree.OutputMode
	// At is where the user made it.
	At condition.Pos
}

// QueryStep gives the rows of a query. The Args of this and other steps are the values of the text's parameters.
type QueryStep struct {
	SQL  string
	Args []tree.ParamValue
}

// WriteBatchStep writes the rows of a query.
type WriteBatchStep struct {
	SQL  string
	Args []tree.ParamValue
	Sink *tree.Sink
	Save tree.SaveMode
}

// Insert gives the statement that writes the rows of a query into a table by the names of its columns.
func (s WriteBatchStep) Insert(query string) string {
	words := "INSERT INTO "
	if s.Save == tree.SaveOverwrite {
		words = "INSERT OVERWRITE "
	}
	if s.Sink == nil {
		return ""
	}
	return words + s.Sink.Path + " BY NAME\n" + query
}

// WriteStreamStep starts a streaming query that writes the rows of a query.
type WriteStreamStep struct {
	SQL     string
	Args    []tree.ParamValue
	Sink    *tree.Sink
	Name    string
	Mode    tree.OutputMode
	Trigger tree.Trigger
	// Policy is set for the start alone, where one was chosen: it is a setting of the session.
	Policy tree.WatermarkPolicy
	// RocksDB: the plan has a state that Spark keeps in RocksDB alone. It is a setting of the session too, set for the start.
	RocksDB    bool
	Checkpoint string
}

// The setting of the class that keeps the state of streams, and the one that keeps it in RocksDB.
const (
	StateStoreConf  = "spark.sql.streaming.stateStore.providerClass"
	RocksDBProvider = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
)

// Expression is a table: what [Compile] takes.
type Expression interface {
	// Relation gives the tree, or every mistake made on the way to it.
	Relation() (tree.Relation, error)
}

// Compile makes the program that gives the rows of a table. Every mistake of the expression and every rule that it breaks is in the error.
func Compile(t Expression, mode Mode, target ...Target) (*Program, error) {
	rel, err := relationOf(t)
	if err != nil {
		return nil, err
	}
	if err := analyze.Parameters(rel); err != nil {
		return nil, err
	}
	return compile(rel, mode, target)
}

// relationOf gives the tree of an expression that may be nil.
func relationOf(t Expression) (tree.Relation, error) {
	if absent.Is(t) {
		e := condition.Newf(condition.InvalidValue, "The table is nil.")
		e.Pos, e.Hint = condition.Here(2), "Pass an expr.Table."
		return nil, e
	}
	return t.Relation()
}

// compile is Compile without a look at the values of parameters.
func compile(rel tree.Relation, mode Mode, target []Target) (*Program, error) {
	c, err := start(mode, target)
	if err != nil {
		return nil, err
	}
	if err := analyze.Relation(rel, mode, c.rules); err != nil {
		return nil, err
	}
	sql, err := c.relation(rel)
	if err != nil {
		return nil, err
	}
	c.program.Steps = append(c.program.Steps, QueryStep{SQL: sql, Args: c.args(rel)})
	c.program.Schema = rel.Schema()
	return c.program, nil
}

// CompileWrite makes the program that writes a table into a sink, in batch or as a stream.
func CompileWrite(w expr.Write, mode Mode, target ...Target) (*Program, error) {
	t, err := w.Tree()
	if err != nil {
		return nil, err
	}
	c, err := start(mode, target)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(analyze.Parameters(t.Input), analyze.Write(t, mode, c.rules)); err != nil {
		return nil, err
	}
	return c.write(t, mode)
}

// Finding is a place of a query where a lint applies: something that runs and is seldom meant. docs/streaming-rules.md has them all.
type Finding = analyze.Finding

// Lint looks at a write that compiles for what is seldom meant, such as state that grows without end, in the order of the table of lints. The error
// is what [CompileWrite] would give.
func Lint(w expr.Write, mode Mode, target ...Target) ([]Finding, error) {
	if _, err := CompileWrite(w, mode, target...); err != nil {
		return nil, err
	}
	t, err := w.Tree()
	if err != nil {
		return nil, err
	}
	return analyze.Findings(t, mode), nil
}

// Unchecked is [CompileWrite] of a finished tree, without any rule: it makes programs that Spark itself will refuse. Tests use it to show that
// Spark does.
func Unchecked(w *tree.Write, mode Mode, target ...Target) (*Program, error) {
	c, err := start(mode, target)
	if err != nil {
		return nil, err
	}
	if w == nil || w.Sink == nil || w.Input == nil {
		e := condition.Newf(condition.InvalidValue, "The write is nil, or has no table or no sink.")
		e.Pos, e.Hint = condition.Here(1), "Make it with Table.WriteTo."
		return nil, e
	}
	return c.write(w, mode)
}

// SQL gives the text of a table's query alone, as a batch. Sources appear under their names, and parameters as :name, whether they have a value
// or not.
func SQL(t Expression, target ...Target) (string, error) {
	rel, err := relationOf(t)
	if err != nil {
		return "", err
	}
	p, err := compile(rel, Batch, target)
	if err != nil {
		return "", err
	}
	return p.SQL(), nil
}

// SQL gives the text of the program's last query, "" of a program without one.
func (p *Program) SQL() string {
	if p == nil || len(p.Steps) == 0 {
		return ""
	}
	switch s := p.Steps[len(p.Steps)-1].(type) {
	case QueryStep:
		return s.SQL
	case WriteBatchStep:
		return s.SQL
	case WriteStreamStep:
		return s.SQL
	}
	return ""
}

type compilation struct {
	program *Program
	rules   analyze.Target
	views   map[tree.Relation]string
	taken   map[string]bool
	values  []tree.ParamValue // of the whole query's parameters
	texts   []string          // the user's own, in lower case
	mode    tree.OutputMode   // how the query writes
}

func start(mode Mode, target []Target) (*compilation, error) {
	var t Target
	if len(target) > 0 {
		t = target[0]
	}
	if mode != Batch && mode != Stream {
		e := condition.Newf(condition.InvalidValue, "A program is compiled for compiler.Batch or compiler.Stream, not for the mode %d.", mode)
		e.Pos, e.Hint = condition.Here(1), "Pass one of the two."
		return nil, e
	}
	t = t.withDefaults()
	rules, err := t.rules()
	if err != nil {
		return nil, err
	}
	c := &compilation{program: &Program{Mode: mode, Target: t}, rules: rules, views: map[tree.Relation]string{}, taken: map[string]bool{}}
	for _, n := range t.Reserved {
		c.taken[datatype.FoldName(n)] = true
	}
	return c, nil
}

// name gives a view name that is not taken, from a wish.
func (c *compilation) name(wish string) string {
	for i := 1; ; i++ {
		n := wish
		if i > 1 {
			n = fmt.Sprintf("%s_%d", wish, i)
		}
		if k := datatype.FoldName(n); !c.taken[k] && !c.inTexts(k) {
			c.taken[k] = true
			return n
		}
	}
}

// relation makes the steps that r needs before its query, and gives the query's text.
func (c *compilation) relation(r tree.Relation) (string, error) {
	var err error
	// Names of the catalogue come first: a view of that name would hide the table. Then those that the user gave, so that no made-up name takes one.
	var reads []tree.Relation
	tree.WalkRelations(r, func(x tree.Relation) {
		switch n := x.(type) {
		case *tree.Table:
			c.taken[datatype.FoldName(tree.Name(n))] = true
			if c.streams(n) {
				reads = append(reads, n)
			}
		case *tree.Read:
			reads = append(reads, n)
		}
	})
	for _, n := range reads {
		c.views[n] = c.name(tree.Name(n))
	}
	// A made-up view must not hide a table that a text of the user's names.
	c.note(r)
	tree.WalkRelations(r, func(x tree.Relation) {
		if err != nil {
			return
		}
		switch n := x.(type) {
		case *tree.Read:
			err = c.read(n)
		case *tree.Table:
			if c.streams(n) {
				name := c.views[n]
				c.program.Steps = append(c.program.Steps, ReadStep{View: name, Streaming: true, Source: &tree.Source{
					Format: tree.TableFormat, Path: sparksql.TableName(n.Name...), Fields: n.Schema().Types(), Stream: true,
				}})
				c.views[n] = sparksql.Quote(name)
			}
		case *tree.Watermark:
			if c.program.Mode == Stream {
				view := c.name(base(n.Input) + "_watermarked")
				in := c.view(n.Input)
				c.program.Steps = append(c.program.Steps, WatermarkStep{Input: in, View: view, Column: n.Schema().Field(n.Ordinal).Name, Delay: n.DelayText})
				c.views[x] = sparksql.Quote(view)
			}
		case *tree.SQL:
			c.program.Steps = append(c.program.Steps, CheckStep{SQL: c.text(n), Args: c.args(n), Fields: n.Schema().Types(), At: n.Pos()})
		case *tree.Keyed:
			if n.Process.Python == nil {
				return // the local engine's own
			}
			s := StatefulStep{
				Input: c.view(n.Input), Keys: names(n.Keys), Python: *n.Process.Python, Time: n.Process.Time, Out: n.Process.Out, EventTime: n.Process.EventTime, Mode: c.mode, At: n.At,
			}
			for _, f := range n.Input.Schema().Fields() {
				s.Columns = append(s.Columns, f.Name)
			}
			if n.Initial != nil {
				s.Initial, s.InitialKeys = c.view(n.Initial), names(n.InitialKeys)
			}
			s.View = c.name(base(n.Input) + "_processed")
			c.program.Steps = append(c.program.Steps, s)
			c.views[x] = sparksql.Quote(s.View)
		case *tree.Deduplicate:
			if free := tree.FreeOuters(n); len(free) > 0 {
				e := condition.Newf(condition.Unsupported, "Spark has no SQL for a deduplication by some columns within a subquery that uses columns of the table outside.")
				e.Pos, e.Operator, e.Hint = n.Pos(), "Deduplicate", "Use Distinct, or filter by the columns from outside after it."
				err = e
				return
			}
			view := c.name(base(n.Input) + "_deduplicated")
			cols := make([]string, len(n.Keys))
			for i, k := range n.Keys {
				cols[i] = n.Schema().Field(k).Name
			}
			c.program.Steps = append(c.program.Steps, DeduplicateStep{Input: c.view(n.Input), View: view, Columns: cols, WithinWatermark: n.WithinWatermark})
			c.views[x] = sparksql.Quote(view)
		}
	})
	if err != nil {
		return "", err
	}
	return c.text(r), nil
}

// stateful tells whether a step runs a process with state.
func (c *compilation) stateful() bool {
	return slices.ContainsFunc(c.program.Steps, func(s Step) bool { _, ok := s.(StatefulStep); return ok })
}

func names(named []tree.Named) []string {
	out := make([]string, len(named))
	for i, n := range named {
		out[i] = n.Name
	}
	return out
}

// streams tells a table of the catalogue that is read as a stream.
func (c *compilation) streams(r tree.Relation) bool {
	t, ok := r.(*tree.Table)
	return ok && t.Stream && c.program.Mode == Stream
}

// args gives the values of the parameters that the text of a relation has.
func (c *compilation) args(r tree.Relation) []tree.ParamValue {
	var out []tree.ParamValue
	for _, p := range tree.Params(r) {
		for _, v := range c.values {
			if v.Name == p.Name {
				out = append(out, v)
				break
			}
		}
	}
	return out
}

// note keeps what the texts of a query need: the values of parameters, and the user's own texts.
func (c *compilation) note(r tree.Relation) {
	c.values = append(c.values, tree.Bindings(r)...)
	tree.WalkRelations(r, func(x tree.Relation) {
		if q, ok := x.(*tree.SQL); ok {
			c.texts = append(c.texts, strings.ToLower(q.Text))
		}
		for _, s := range tree.Scalars(x) {
			tree.Walk(s, func(n tree.Scalar) bool {
				if t, ok := n.(*tree.RawSQL); ok {
					c.texts = append(c.texts, strings.ToLower(t.Text))
				}
				return true
			})
		}
	})
}

func (c *compilation) inTexts(name string) bool {
	for _, t := range c.texts {
		if strings.Contains(t, name) {
			return true
		}
	}
	return false
}

// text prints a query.
func (c *compilation) text(r tree.Relation) string {
	return sparksql.Relation(r, c.viewOf, c.program.Mode == Stream)
}

func (c *compilation) viewOf(r tree.Relation) (string, bool) {
	v, ok := c.views[r]
	return v, ok
}

// view gives the name of a view with r's rows, made by a step unless there is one.
func (c *compilation) view(r tree.Relation) string {
	if v, ok := c.views[r]; ok {
		return unquote(v)
	}
	name := c.name(base(r) + "_view")
	c.program.Steps = append(c.program.Steps, ViewStep{View: name, SQL: c.text(r), Args: c.args(r)})
	c.views[r] = sparksql.Quote(name)
	return name
}

func unquote(q string) string {
	if strings.HasPrefix(q, "`") {
		return strings.ReplaceAll(q[1:len(q)-1], "``", "`")
	}
	return q
}

// base is the name from which made-up view names are formed: that of the first source below.
func base(r tree.Relation) string {
	name := "query"
	found := false
	tree.WalkRelations(r, func(x tree.Relation) {
		switch x.(type) {
		case *tree.Read, *tree.Table:
			if !found {
				name, found = tree.Name(x), true
			}
		}
	})
	return name
}

// read makes the view of a source, and decodes its payload where it has a codec.
func (c *compilation) read(n *tree.Read) error {
	if n.Source.Local != nil {
		e := condition.Newf(condition.Unsupported, "The %s source %s lives in this process; Spark cannot read it.", n.Source.Format, datatype.QuoteName(n.Name))
		e.Pos, e.Operator, e.Hint = n.Pos(), "Read", "Run it with the local engine, or write the rows to files or Kafka."
		if !c.program.Target.Local {
			return e
		}
	}
	name := c.views[n]
	c.views[n] = sparksql.Quote(name)
	streaming := c.program.Mode == Stream && !n.Static
	if n.Source.Codec == nil {
		c.program.Steps = append(c.program.Steps, ReadStep{View: name, Source: n.Source, Streaming: streaming})
		return nil
	}
	raw := c.name(name + "_raw")
	c.program.Steps = append(c.program.Steps,
		ReadStep{View: raw, Source: n.Source, Streaming: streaming},
		ViewStep{View: name, SQL: decodeSQL(sparksql.Quote(raw), n.Source)})
	return nil
}

// decodeSQL is the query that reads a codec's payload: its fields as columns, then the provider's other columns in one struct.
func decodeSQL(raw string, s *tree.Source) string {
	k := s.Codec
	args := []string{"CAST(" + sparksql.Quote(k.Column) + " AS STRING)", sparksql.String(datatype.DDL(nullable(k.Fields)))}
	if len(k.Options) > 0 {
		var opts []string
		for _, o := range k.Options {
			opts = append(opts, sparksql.String(o.Key), sparksql.String(o.Value))
		}
		args = append(args, "map("+strings.Join(opts, ", ")+")")
	}
	var envelope []string
	for _, f := range s.Fields {
		if f.Name != k.Column {
			envelope = append(envelope, sparksql.Quote(f.Name))
		}
	}
	inner := "SELECT from_json(" + strings.Join(args, ", ") + ") AS payload"
	outer := "SELECT payload.*"
	if k.Envelope != "" {
		inner += ", struct(" + strings.Join(envelope, ", ") + ") AS envelope"
		outer += ", envelope AS " + sparksql.Quote(k.Envelope)
	}
	return outer + "\nFROM (\n  " + inner + "\n  FROM " + raw + "\n)"
}

func (c *compilation) write(w *tree.Write, mode Mode) (*Program, error) {
	if w.Sink.Local != nil && !c.program.Target.Local {
		e := condition.Newf(condition.Unsupported, "The %s sink lives in this process; Spark cannot write to it.", w.Sink.Format)
		e.Pos, e.Operator, e.Hint = w.At, "WriteTo", "Run it with the local engine, or collect the rows."
		return nil, e
	}
	if w.Sink.Format == "memory" {
		c.taken[datatype.FoldName(w.Name)] = true // the sink makes a view of that name
	}
	c.mode = w.Mode
	sql, err := c.relation(w.Input)
	if err != nil {
		return nil, err
	}
	args := c.args(w.Input)
	if w.Sink.Codec != nil {
		view := c.name(base(w.Input) + "_result")
		c.program.Steps = append(c.program.Steps, ViewStep{View: view, SQL: sql, Args: args})
		args = nil
		if sql, err = encodeSQL(sparksql.Quote(view), w); err != nil {
			return nil, err
		}
	}
	c.program.Schema = w.Input.Schema()
	if mode == Batch {
		save := w.Save
		if w.Sink.Format == "noop" && save == tree.ErrorIfExists {
			save = tree.SaveAppend // nothing is ever there, which Spark does not know (UNSUPPORTED_DATA_SOURCE_SAVE_MODE)
		}
		c.program.Steps = append(c.program.Steps, WriteBatchStep{SQL: sql, Args: args, Sink: w.Sink, Save: save})
	} else {
		c.program.Steps = append(c.program.Steps, WriteStreamStep{SQL: sql, Args: args, Sink: w.Sink, Name: w.Name, Mode: w.Mode, Trigger: w.Trigger, Policy: w.Policy, RocksDB: c.stateful(), Checkpoint: w.Checkpoint})
	}
	return c.program, nil
}

// encodeSQL is the query that writes all columns into a codec's payload column.
func encodeSQL(from string, w *tree.Write) (string, error) {
	k := w.Sink.Codec
	args := []string{"struct(*)"}
	if len(k.Options) > 0 {
		var opts []string
		for _, o := range k.Options {
			opts = append(opts, sparksql.String(o.Key), sparksql.String(o.Value))
		}
		args = append(args, "map("+strings.Join(opts, ", ")+")")
	}
	sql := "SELECT "
	if w.Sink.Key != "" {
		if len(w.Input.Schema().Lookup(w.Sink.Key)) != 1 {
			e := condition.Newf(condition.UnresolvedColumn, "The sink's key column %s is not in the result.", datatype.QuoteName(w.Sink.Key))
			e.Pos, e.Operator, e.Hint = w.At, "WriteTo", "The result has "+strings.Join(w.Input.Schema().Names(), ", ")+"."
			return "", e
		}
		sql += "CAST(" + sparksql.Quote(w.Sink.Key) + " AS STRING) AS key, "
	}
	return sql + "to_json(" + strings.Join(args, ", ") + ") AS " + sparksql.Quote(k.Column) + "\nFROM " + from, nil
}
