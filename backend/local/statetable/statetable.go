// Package statetable shows the state of a checkpoint as a table. Beside each operator's state stands a description of it, which is all that it takes to read the entries:
// the query itself need not be there.
package statetable

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/spoonbill-go/spoonbill/backend/local/durable"
	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/plan"
	"github.com/spoonbill-go/spoonbill/backend/local/state"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Schema describes the state of an operator.
type Schema struct {
	// Operator is aggregate, session, deduplicate, limit, join, asof, over, process or pattern.
	Operator string `json:"operator"`
	// Keys are the columns that name an entry; of a join those by which it joins.
	Keys []Column `json:"keys,omitempty"`
	// Session is the place of a session's start among the keys, before that of its end.
	Session int `json:"session,omitempty"`
	// Aggregates are what an entry of an aggregation holds.
	Aggregates []Aggregate `json:"aggregates,omitempty"`
	// Left and Right are the columns of a join's rows; Left those of rows that wait for the watermark, or in a pattern.
	Left  []Column `json:"left,omitempty"`
	Right []Column `json:"right,omitempty"`
	// Groups are the windows over rows that keep the same of them.
	Groups []Group `json:"groups,omitempty"`
	// States are the variables of a process, by their numbers.
	States []Variable `json:"states,omitempty"`
}

// Group describes what windows over rows keep: columns of rows, or totals of each key.
type Group struct {
	Keys []Column `json:"keys,omitempty"`
	Rows []Column `json:"rows,omitempty"`
}

// Variable is a state variable of a process.
type Variable struct {
	Column
	// Kind is value, list or map, and Key the type of a map's keys.
	Kind string `json:"kind"`
	Key  string `json:"key,omitempty"`
}

// Column is a column with its type as DDL.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// Aggregate is an aggregate whose states are in the entries.
type Aggregate struct {
	Column
	Function string `json:"function"`
	Distinct bool   `json:"distinct,omitempty"`
	Args     []Arg  `json:"args,omitempty"`
}

// Arg is an argument of an aggregate: its type, and its value where that is a literal.
type Arg struct {
	Type  string          `json:"type"`
	Value json.RawMessage `json:"value,omitempty"`
}

func column(name string, t datatype.Type) Column { return Column{name, t.String()} }

func columns(s *tree.Schema) (out []Column) {
	for _, f := range s.Types() {
		out = append(out, column(f.Name, f.Type))
	}
	return out
}

// Describe describes the state of a stateful operator of a plan.
func Describe(n plan.Node) Schema {
	switch x := n.(type) {
	case *plan.Aggregate:
		s := Schema{Operator: "aggregate"}
		if x.Session >= 0 {
			s.Operator, s.Session = "session", x.Session
		}
		for _, k := range x.Keys {
			s.Keys = append(s.Keys, column(k.Name, k.Expr.Type()))
		}
		for _, a := range x.Aggs {
			c := a.Expr.(*tree.Call)
			agg := Aggregate{Column: column(a.Name, c.Typ), Function: c.Func.Name, Distinct: c.Distinct}
			for _, arg := range c.Args {
				v := Arg{Type: arg.Type().String()}
				if l, ok := arg.(*tree.Literal); ok {
					v.Value = literal(l)
				}
				agg.Args = append(agg.Args, v)
			}
			s.Aggregates = append(s.Aggregates, agg)
		}
		return s
	case *plan.Deduplicate:
		s := Schema{Operator: "deduplicate"}
		for _, k := range x.Keys {
			f := x.Schema().Field(k)
			s.Keys = append(s.Keys, column(f.Name, f.Type))
		}
		return s
	case *plan.Over:
		s := Schema{Operator: "over", Left: columns(x.In.Schema())}
		for _, g := range x.OverState() {
			var of Group
			for _, k := range g.Keys {
				name := plan.Text(k)
				if c, ok := k.(*tree.Column); ok {
					name = c.Field().Name
				}
				of.Keys = append(of.Keys, column(name, k.Type()))
			}
			for _, c := range g.Columns {
				f := x.In.Schema().Field(c)
				of.Rows = append(of.Rows, column(f.Name, f.Type))
			}
			s.Groups = append(s.Groups, of)
		}
		return s
	case *plan.AsofJoin:
		return Schema{Operator: "asof", Left: columns(x.Left.Schema()), Right: columns(x.Right.Schema())}
	case *plan.Match:
		s := Schema{Operator: "pattern"}
		for _, k := range x.Keys {
			s.Keys = append(s.Keys, column(k.Name, k.Expr.Type()))
		}
		for _, f := range x.RowFields() {
			s.Left = append(s.Left, column(f.Name, f.Type))
		}
		return s
	case *plan.Keyed:
		s := Schema{Operator: "process"}
		for _, k := range x.Keys {
			s.Keys = append(s.Keys, column(k.Name, k.Expr.Type()))
		}
		for _, v := range x.Process.States {
			state := Variable{Column: column(v.Name, v.Value.Type), Kind: v.Kind.String()}
			if v.Key != nil {
				state.Key = v.Key.String()
			}
			s.States = append(s.States, state)
		}
		return s
	case *plan.Join:
		return Schema{Operator: "join", Left: columns(x.Left.Schema()), Right: columns(x.Right.Schema())}
	}
	return Schema{Operator: "limit"}
}

// literal is the value of a literal as JSON, nil where it has none that comes back as it was.
func literal(l *tree.Literal) json.RawMessage {
	switch l.Value.(type) {
	case int64, float64, bool, string:
		if b, err := json.Marshal(l.Value); err == nil {
			return b
		}
	}
	return nil
}

// file is the description of an operator's state beside the folder of its versions.
func file(fs vfs.FS, dir string) string { return fs.PathJoin(fs.PathDir(dir), "_schema") }

// Save writes the description beside the folder of an operator's versions, where it is not there already.
func (s Schema) Save(fs vfs.FS, dir string) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	path := file(fs, dir)
	if old, err := durable.Read(fs, path); err == nil && string(old) == string(text) {
		return nil
	}
	return durable.Write(fs, path, text)
}

// Load reads the description.
func Load(fs vfs.FS, dir string) (s Schema, err error) {
	path := file(fs, dir)
	text, err := durable.Read(fs, path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		e := condition.Newf(condition.InvalidValue, "There is no state in %s.", dir)
		e.Hint = "Look at the number of the operator and the path of the checkpoint. A query without stateful operators has no state."
		return s, e
	case err != nil:
		return s, err
	}
	if json.Unmarshal(text, &s) != nil {
		return s, damaged(path, "it is no description of a state")
	}
	return s, nil
}

func damaged(path, why string) error {
	e := condition.Newf(condition.CheckpointCorrupt, "The checkpoint file %s cannot be used: %s.", path, why)
	e.Hint = "Restore the folder from a backup."
	return e
}

// reader gathers the entries of a state as columns.
type reader struct {
	env    *kernel.Env
	dir    string
	schema Schema
	keys   [][]byte
	values [][]byte
	expiry *vec.Builder
}

// Rows gives the entries of a version of a state as a batch with its fields: the keys, the values, and when the watermark makes an entry due. A row of a join has its side, its
// number, whether it was matched (false where its side is owed nothing that depends on it, as in an inner join), and its columns as JSON; one of windows over rows what it is there for (waiting for the watermark, before rows that look back at it, or the
// totals of a key), the number of the windows that it is kept for, its own number, and its columns as JSON, of totals those of the key. A row of a process has the state's
// name, a list's place or a map's key, and the value, as JSON; one of a pattern its number and its columns as JSON. There is no order.
func Rows(fs vfs.FS, dir string, version int64, env *kernel.Env) (*vec.Batch, []datatype.Field, error) {
	s, err := Load(fs, dir)
	if err != nil {
		return nil, nil, err
	}
	store, err := state.Read(fs, dir, version)
	if err != nil {
		return nil, nil, err
	}
	r := &reader{env: env, dir: dir, schema: s, expiry: vec.NewBuilder(datatype.Timestamp, store.Len())}
	for e, err := range store.All() {
		if err != nil {
			return nil, nil, err
		}
		r.keys, r.values = append(r.keys, e.Key), append(r.values, e.Value)
		if e.Expiry == state.Never {
			r.expiry.AppendNull()
		} else {
			r.expiry.AppendInt(e.Expiry)
		}
	}
	fields, cols, err := r.read()
	if err != nil {
		return nil, nil, err
	}
	fields = append(fields, datatype.Field{Name: "expiry", Type: datatype.Timestamp, Nullable: true})
	return vec.NewBatch(append(cols, r.expiry.Vec()), len(r.keys), nil), fields, nil
}

func (r *reader) read() ([]datatype.Field, []*vec.Vec, error) {
	switch r.schema.Operator {
	case "aggregate":
		return r.groups(r.keys, r.values, nil, nil)
	case "session":
		keys, states := make([][]byte, len(r.keys)), make([][]byte, len(r.keys))
		start, end := make([]int64, len(r.keys)), make([]int64, len(r.keys))
		for i, k := range r.keys {
			if len(k) < 8 || len(r.values[i]) < 8 {
				return nil, nil, damaged(r.dir, "an entry of a session is too short")
			}
			keys[i], states[i] = k[:len(k)-8], r.values[i][8:]
			start[i], end[i] = int64(binary.BigEndian.Uint64(k[len(k)-8:])), int64(binary.LittleEndian.Uint64(r.values[i]))
		}
		return r.groups(keys, states, start, end)
	case "deduplicate":
		fields, types, err := parse(r.schema.Keys)
		if err != nil {
			return nil, nil, err
		}
		cols, err := vec.Decode(types, r.keys)
		return fields, cols, err
	case "join":
		return r.join()
	case "asof":
		// A row of an as-of join is laid out as one of a join, with another mark.
		fields, cols, err := r.join()
		if err != nil {
			return nil, nil, err
		}
		return slices.Delete(fields, 2, 3), slices.Delete(cols, 2, 3), nil
	case "over":
		return r.over()
	case "process":
		return r.process()
	case "pattern":
		return r.pattern()
	case "limit":
		rows := vec.NewBuilder(datatype.Long, len(r.keys))
		for _, v := range r.values {
			if len(v) != 8 {
				return nil, nil, damaged(r.dir, "the number of rows is too short")
			}
			rows.AppendInt(int64(binary.LittleEndian.Uint64(v)))
		}
		return []datatype.Field{{Name: "rows", Type: datatype.Long}}, []*vec.Vec{rows.Vec()}, nil
	}
	return nil, nil, damaged(r.dir, "it is the state of an unknown operator, "+r.schema.Operator)
}

func parse(in []Column) (fields []datatype.Field, types []datatype.Type, err error) {
	for _, c := range in {
		t, err := datatype.Parse(c.Type)
		if err != nil {
			return nil, nil, err
		}
		fields, types = append(fields, datatype.Field{Name: c.Name, Type: t, Nullable: true}), append(types, t)
	}
	return fields, types, nil
}

// groups reads the entries of an aggregation; those of sessions have their bounds apart.
func (r *reader) groups(keys, states [][]byte, start, end []int64) ([]datatype.Field, []*vec.Vec, error) {
	fields, types, err := parse(r.schema.Keys)
	if err != nil {
		return nil, nil, err
	}
	at := r.schema.Session
	stored := types
	if start != nil {
		if at < 0 || at+2 > len(types) {
			return nil, nil, damaged(r.dir, "its description has no session")
		}
		stored = append(append([]datatype.Type(nil), types[:at]...), types[at+2:]...)
	}
	cols, err := vec.Decode(stored, keys)
	if err != nil {
		return nil, nil, err
	}
	if start != nil {
		rest := append([]*vec.Vec(nil), cols[at:]...)
		cols = append(append(cols[:at:at], vec.Of(types[at], start), vec.Of(types[at+1], end)), rest...)
	}
	accs, err := r.accumulators()
	if err != nil {
		return nil, nil, err
	}
	if accs == nil {
		// A literal that has no JSON is not known, and without it the values are bytes.
		b := vec.NewBuilder(datatype.Binary, len(states))
		for _, s := range states {
			b.AppendBytes(s)
		}
		return append(fields, datatype.Field{Name: "value", Type: datatype.Binary}), append(cols, b.Vec()), nil
	}
	for g, s := range states {
		for _, a := range accs {
			a.Grow(g + 1)
			if s, err = a.Decode(g, s); err != nil {
				return nil, nil, damaged(r.dir, err.Error())
			}
		}
	}
	for i, a := range accs {
		a.Grow(len(states))
		v, err := a.Result(len(states))
		if err != nil {
			return nil, nil, err
		}
		fields, cols = append(fields, datatype.Field{Name: r.schema.Aggregates[i].Name, Type: v.Type, Nullable: true}), append(cols, v)
	}
	return fields, cols, nil
}

// accumulators makes what reads the states of the aggregates, nil where that cannot be.
func (r *reader) accumulators() ([]kernel.Accumulator, error) {
	out := []kernel.Accumulator{}
	for _, a := range r.schema.Aggregates {
		f, ok := catalog.Lookup(a.Function)
		typ, err := datatype.Parse(a.Type)
		if !ok || err != nil {
			return nil, nil
		}
		call := &tree.Call{Func: f, Typ: typ, Distinct: a.Distinct}
		for _, arg := range a.Args {
			t, err := datatype.Parse(arg.Type)
			if err != nil {
				return nil, nil
			}
			if arg.Value == nil {
				in := &tree.Values{Node: tree.Node{Out: tree.SchemaOf([]datatype.Field{{Name: "arg", Type: t, Nullable: true}})}}
				call.Args = append(call.Args, &tree.Column{Rel: in})
				continue
			}
			v, err := value(arg.Value)
			if err != nil {
				return nil, err
			}
			call.Args = append(call.Args, &tree.Literal{Typ: t, Value: v})
		}
		x, err := kernel.CompileAggregate(call, r.env)
		if err != nil {
			return nil, nil
		}
		out = append(out, x.New())
	}
	return out, nil
}

// value reads a literal: numbers without a fraction are whole.
func value(text json.RawMessage) (any, error) {
	var n int64
	if !strings.ContainsAny(string(text), ".eE\"") && json.Unmarshal(text, &n) == nil {
		return n, nil
	}
	var v any
	err := json.Unmarshal(text, &v)
	return v, err
}

func (r *reader) join() ([]datatype.Field, []*vec.Vec, error) {
	sides := [2][]Column{r.schema.Left, r.schema.Right}
	var of [2][][]byte
	at := make([]int, len(r.keys)) // the place of each row on its side
	for i, k := range r.keys {
		if len(k) < 9 || k[0] > 1 || len(r.values[i]) < 1 {
			return nil, nil, damaged(r.dir, "a row of a join is too short")
		}
		at[i] = len(of[k[0]])
		of[k[0]] = append(of[k[0]], r.values[i][1:])
	}
	var texts [2]*vec.Vec
	for s, rows := range of {
		fields, types, err := parse(sides[s])
		if err != nil {
			return nil, nil, err
		}
		cols, err := vec.Decode(types, rows)
		if err != nil {
			return nil, nil, err
		}
		e, err := kernel.NewEncoder(fields, nil, r.env)
		if err != nil {
			return nil, nil, err
		}
		if texts[s], err = e.Encode(vec.NewBatch(cols, len(rows), nil)); err != nil {
			return nil, nil, err
		}
	}
	side, number := vec.NewBuilder(datatype.String, len(r.keys)), vec.NewBuilder(datatype.Long, len(r.keys))
	matched, row := vec.NewBuilder(datatype.Boolean, len(r.keys)), vec.NewBuilder(datatype.String, len(r.keys))
	for i, k := range r.keys {
		side.AppendString([]string{"left", "right"}[k[0]])
		number.AppendInt(int64(binary.BigEndian.Uint64(k[len(k)-8:])))
		matched.AppendBool(r.values[i][0] == 1)
		row.AppendFrom(texts[k[0]], at[i])
	}
	return []datatype.Field{
		{Name: "side", Type: datatype.String}, {Name: "number", Type: datatype.Long}, {Name: "matched", Type: datatype.Boolean}, {Name: "row", Type: datatype.String},
	}, []*vec.Vec{side.Vec(), number.Vec(), matched.Vec(), row.Vec()}, nil
}

// over reads the entries of windows over rows: their kinds are those of exec.StreamOver.
func (r *reader) over() ([]datatype.Field, []*vec.Vec, error) {
	kinds := []string{"waiting", "before", "totals"}
	// The rows of one description are read together.
	type rows struct {
		columns []Column
		at      []int
		of      [][]byte
	}
	all := map[[2]int]*rows{}
	kind, group, number := vec.NewBuilder(datatype.String, len(r.keys)), vec.NewBuilder(datatype.Int, len(r.keys)), vec.NewBuilder(datatype.Long, len(r.keys))
	for i, k := range r.keys {
		bad := damaged(r.dir, "an entry of windows over rows is too short")
		if len(k) < 3 || int(k[0]) >= len(kinds) {
			return nil, nil, bad
		}
		kind.AppendString(kinds[k[0]])
		g, row, columns := -1, r.values[i], r.schema.Left
		if k[0] > 0 {
			if g = int(binary.BigEndian.Uint16(k[1:])); g >= len(r.schema.Groups) {
				return nil, nil, bad
			}
			columns = r.schema.Groups[g].Rows
		}
		if k[0] == 2 {
			columns, row = r.schema.Groups[g].Keys, k[3:]
			number.AppendNull()
		} else {
			if len(k) < 9 {
				return nil, nil, bad
			}
			number.AppendInt(int64(binary.BigEndian.Uint64(k[len(k)-8:])))
		}
		if g < 0 {
			group.AppendNull()
		} else {
			group.AppendInt(int64(g))
		}
		of := all[[2]int{int(k[0]), g}]
		if of == nil {
			of = &rows{columns: columns}
			all[[2]int{int(k[0]), g}] = of
		}
		of.at, of.of = append(of.at, i), append(of.of, row)
	}
	texts := make([]string, len(r.keys))
	for _, of := range all {
		fields, types, err := parse(of.columns)
		if err != nil {
			return nil, nil, err
		}
		cols, err := vec.Decode(types, of.of)
		if err != nil {
			return nil, nil, err
		}
		e, err := kernel.NewEncoder(fields, nil, r.env)
		if err != nil {
			return nil, nil, err
		}
		text, err := e.Encode(vec.NewBatch(cols, len(of.of), nil))
		if err != nil {
			return nil, nil, err
		}
		for k, i := range of.at {
			texts[i] = text.Str(k)
		}
	}
	row := vec.NewBuilder(datatype.String, len(r.keys))
	for _, s := range texts {
		row.AppendString(s)
	}
	return []datatype.Field{
		{Name: "kind", Type: datatype.String}, {Name: "window", Type: datatype.Int, Nullable: true}, {Name: "number", Type: datatype.Long, Nullable: true}, {Name: "row", Type: datatype.String},
	}, []*vec.Vec{kind.Vec(), group.Vec(), number.Vec(), row.Vec()}, nil
}
