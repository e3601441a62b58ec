package expr

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/internal/absent"
)

// Schema is the ordered columns of a table.
type Schema = tree.Schema

// Source describes where rows come from; package connectors has the known ones. It must be pure: no connection, no I/O.
type Source interface {
	// Source gives the description, or what is wrong with its options.
	Source() (*tree.Source, error)
}

// Table is a lazy, immutable table expression. Every method gives a new table. Mistakes stick to it: a table in error keeps its
// last good columns, so that one slip gives one message.
type Table struct {
	rel  tree.Relation
	errs []*condition.Error
}

// Read is a table from a source. The terminal call decides how it is read: whole under a batch call, as a stream under Start. The
// name identifies the source in printed programs and in checkpoints, and must be unique within a query.
func Read(name string, source Source) Table { return read(name, source, false) }

// Static is a table from a source that is always read whole, as look-up tables of a streaming query are.
func Static(name string, source Source) Table { return read(name, source, true) }

func read(name string, source Source, static bool) Table {
	at := condition.Here(2)
	fail := func(e *condition.Error) Table {
		e.Pos = at
		return Table{rel: &tree.Values{Node: tree.Node{Out: tree.NewSchema(nil), At: at}}, errs: []*condition.Error{e}}
	}
	if absent.Is(source) {
		e := condition.Newf(condition.InvalidValue, "The source of table %s is nil.", datatype.QuoteName(name))
		e.Hint = "Use a constructor of package connectors."
		return fail(e)
	}
	if name == "" {
		return fail(condition.Newf(condition.InvalidValue, "A source needs a name: it is the source's identity in checkpoints."))
	}
	src, err := source.Source()
	if err != nil {
		var e *condition.Error
		if !errors.As(err, &e) {
			e = condition.Newf(condition.InvalidOption, "The source of table %s: %v.", datatype.QuoteName(name), err)
		}
		c := *e
		return fail(&c)
	}
	if src.Undeclared {
		e := condition.Newf(condition.InvalidValue, "The columns of table %s are not known, and building a table looks at no file.", datatype.QuoteName(name))
		e.Hint = "Declare them, or let a session find them: backend.ReadInferred, or Session.Schema and WithRows."
		return fail(e)
	}
	if src.Batch && !src.Stream {
		static = true
	}
	return Table{rel: &tree.Read{Node: tree.Node{Out: src.Schema(), At: at}, Name: name, Source: src, Static: static}}
}

// CatalogTable is a table of the session's catalogue with a known schema. Sessions make it with their Table method, which asks the
// server for the schema; name parts are given apart: ("db", "t").
func CatalogTable(fields []datatype.Field, name ...string) Table {
	return catalogTable(fields, name, condition.Here(1))
}

// StreamingTable is [CatalogTable] that is read as a stream under Start.
func StreamingTable(fields []datatype.Field, name ...string) Table {
	t := catalogTable(fields, name, condition.Here(1))
	if x, ok := t.rel.(*tree.Table); ok {
		x.Stream = true
	}
	return t
}

func catalogTable(fields []datatype.Field, name []string, at condition.Pos) Table {
	t := Table{rel: &tree.Table{Node: tree.Node{Out: tree.SchemaOf(fields), At: at}, Name: slices.Clone(name)}}
	if len(name) > 0 && !slices.Contains(name, "") {
		return t
	}
	e := condition.Newf(condition.InvalidValue, "A table needs a name, and no part of it may be empty.")
	e.Pos = at
	t.rel = &tree.Values{Node: tree.Node{Out: tree.NewSchema(nil), At: at}}
	return t.fail(e)
}

// MemtableRows is a table of rows held in the program, with a given schema. Each row has a Go value per field, converted as
// operands are; a value that does not fit its field is an error. It is VALUES in SQL, so a column is nullable when a row has a null
// in it, as Spark has it; a null in a field that is NOT NULL is an error.
func MemtableRows(name string, fields []datatype.Field, rows [][]any) Table {
	return memtable(name, fields, rows, condition.Here(1))
}

func memtable(name string, fields []datatype.Field, rows [][]any, at condition.Pos) Table {
	fields = append([]datatype.Field(nil), fields...)
	v := &tree.Values{Node: tree.Node{Out: tree.SchemaOf(fields), At: at}, Name: name}
	t := Table{rel: v}
	for _, f := range fields {
		if f.Type == nil {
			e := condition.Newf(condition.InvalidValue, "Column %s has no type.", datatype.QuoteName(f.Name))
			e.Pos = at
			v.Out = tree.NewSchema(nil)
			return t.fail(e)
		}
	}
	nulls := make([]bool, len(fields))
	for i, row := range rows {
		if len(row) != len(fields) {
			e := condition.Newf(condition.NumColumnsMismatch, "Row %d has %d values, the schema %d.", i, len(row), len(fields))
			e.Pos = at
			return t.fail(e)
		}
		out := make([]tree.Scalar, len(row))
		for j, x := range row {
			l, err := literalOf(x, fields[j])
			if err != nil {
				err.Message = fmt.Sprintf("Row %d, column %s: %s", i, datatype.QuoteName(fields[j].Name), err.Message)
				err.Pos = at
				return t.fail(err)
			}
			out[j] = l
			nulls[j] = nulls[j] || l.Nullable()
		}
		v.Rows = append(v.Rows, out)
	}
	for j := range fields {
		// The rows of an empty table are made of typed NULLs.
		fields[j].Nullable = nulls[j] || len(rows) == 0
		if t := valuesType(fields[j].Type, v.Rows, j); !datatype.Equal(t, fields[j].Type) {
			fields[j].Type = t
			for _, row := range v.Rows {
				l := *row[j].(*tree.Literal)
				l.Typ = t // so that a null is one of this type, not of the one that was declared
				row[j] = &l
			}
		}
	}
	v.Out = tree.SchemaOf(fields)
	return t
}

// valuesType gives the type of a column of VALUES: nested nullability follows the values too, as Spark finds it.
func valuesType(t datatype.Type, rows [][]tree.Scalar, j int) datatype.Type {
	if t.Kind() < datatype.KindArray || len(rows) == 0 {
		return t
	}
	values := make([]any, len(rows))
	for i, r := range rows {
		values[i] = r[j].(*tree.Literal).Value
	}
	return typeOfValues(t, values)
}

func typeOfValues(t datatype.Type, values []any) datatype.Type {
	switch x := t.(type) {
	case datatype.Array:
		var elems []any
		null := false
		for _, v := range values {
			a, ok := v.([]any)
			null = null || !ok || len(a) == 0 // a NULL or an empty array is cast to the type as it is declared
			elems = append(elems, a...)
		}
		return datatype.Array{Elem: typeOfValues(x.Elem, elems), ContainsNull: null || hasNil(elems)}
	case datatype.Map:
		var keys, vals []any
		null := false
		for _, v := range values {
			m, ok := v.([][2]any)
			null = null || !ok || len(m) == 0
			for _, e := range m {
				keys, vals = append(keys, e[0]), append(vals, e[1])
			}
		}
		return datatype.Map{Key: typeOfValues(x.Key, keys), Value: typeOfValues(x.Value, vals), ValueContainsNull: null || hasNil(vals)}
	case datatype.Struct:
		out := make([]datatype.Field, len(x.Fields))
		for i, f := range x.Fields {
			var vals []any
			null := false
			for _, v := range values {
				s, ok := v.([]any)
				if null = null || !ok; ok {
					vals = append(vals, s[i])
				}
			}
			out[i] = datatype.Field{Name: f.Name, Type: typeOfValues(f.Type, vals), Nullable: null || hasNil(vals)}
		}
		return datatype.Struct{Fields: out}
	}
	return t
}

func hasNil(values []any) bool {
	for _, v := range values {
		if v == nil {
			return true
		}
	}
	return false
}

// literalOf converts a Go value to a literal of exactly the field's type.
func literalOf(x any, f datatype.Field) (tree.Scalar, *condition.Error) {
	var l goLiteral
	if v, ok := x.(Value); ok {
		n, ok := valueOf(v).node.(*tree.Literal)
		if !ok {
			return nil, condition.Newf(condition.InvalidValue, "only literals can stand in rows.")
		}
		l = goLiteral{v: n.Value, typ: n.Typ}
	} else {
		l = structured(x, f.Type)
	}
	if l.err != nil {
		return nil, l.err
	}
	if l.v == nil {
		if !f.Nullable {
			return nil, condition.Newf(condition.InvalidValue, "null in a column that is NOT NULL.")
		}
		return &tree.Literal{Typ: f.Type}, nil
	}
	v, ok := fit(l.v, l.typ, f.Type)
	if !ok {
		return nil, condition.Newf(condition.DatatypeMismatch, "a value of type %s does not fit %s.", l.typ, f.Type)
	}
	return &tree.Literal{Value: v, Typ: f.Type}, nil
}

func (t Table) fail(e *condition.Error) Table {
	return Table{rel: t.rel, errs: append(t.errs[:len(t.errs):len(t.errs)], e)}
}

// ready gives the table itself, or for the zero Table an empty one with an error.
func (t Table) ready(at condition.Pos) Table {
	if t.rel != nil {
		return t
	}
	e := condition.Newf(condition.InvalidValue, "A table that was never made (the zero Table) is used.")
	e.Pos, e.Hint = at, "Make tables with expr.Read, expr.Memtable or a session's Table."
	return Table{rel: &tree.Values{Node: tree.Node{Out: tree.NewSchema(nil), At: at}}, errs: append(t.errs[:len(t.errs):len(t.errs)], e)}
}

// Schema gives the table's columns, from types alone. Of a table in error it is the last good one.
func (t Table) Schema() *Schema { return t.ready(condition.Here(1)).rel.Schema() }

// Err gives every mistake made on the way to this table, joined, each a [condition.Error] with file and line; nil when there is none.
func (t Table) Err() error {
	t = t.ready(condition.Here(1))
	var list []error
	for _, e := range t.mistakes() {
		list = append(list, e)
	}
	return errors.Join(list...)
}

// mistakes are those made on the way, and the columns of other tables: these are mistakes unless that table received this one as a subquery.
func (t Table) mistakes() []*condition.Error {
	out := t.errs
	for _, o := range tree.FreeOuters(t.rel) {
		out = merge(out, []*condition.Error{o.Unbound})
	}
	return out
}

// Relation gives the tree of the table, for compilers and backends, or the mistakes.
func (t Table) Relation() (tree.Relation, error) {
	if err := t.Err(); err != nil {
		return nil, err
	}
	return t.rel, nil
}

// String prints the plan of the table, an operator a line.
func (t Table) String() string {
	t = t.ready(condition.Here(1))
	s := tree.PlanText(t.rel)
	if err := t.Err(); err != nil {
		s += "errors:\n" + err.Error() + "\n"
	}
	return s
}

// blank tells a table that never had columns because it could not be made: nothing more is reported on it.
func (t Table) blank() bool { return len(t.errs) > 0 && t.rel.Schema().Len() == 0 }

// then makes the table of a new relation, or keeps the present one when something was wrong.
func (t Table) then(errs []*condition.Error, make func() tree.Relation) Table {
	all := merge(t.errs, errs)
	if len(errs) > 0 {
		return Table{rel: t.rel, errs: all}
	}
	return Table{rel: make(), errs: all}
}

// args turns what a table method was given into bound values: names, selectors, values of this table, of an ancestor, or free ones.
func (t Table) args(at condition.Pos, in []any) ([]tree.Scalar, []*condition.Error) {
	return t.argsWith(&binder{inputs: []tree.Relation{t.rel}}, at, in)
}

// argsWith is args with a binder.
func (t Table) argsWith(b *binder, at condition.Pos, in []any) ([]tree.Scalar, []*condition.Error) {
	out, errs := t.bindWith(b, at, in)
	for _, n := range out {
		if g := findKind(n, catalog.Grouping); g != nil {
			e := condition.Newf("UNSUPPORTED_GROUPING_EXPRESSION", "%s tells of the rows of grouping sets, so it stands in their Agg and Having only.", tree.String(g))
			e.Pos, e.Operator, e.Hint = g.At, g.Func.Name, "Make a column of it in Agg, and use that."
			errs = append(errs, e)
		}
	}
	return out, errs
}

// bind is args that lets grouping functions pass.
func (t Table) bind(at condition.Pos, in []any) ([]tree.Scalar, []*condition.Error) {
	return t.bindWith(&binder{inputs: []tree.Relation{t.rel}}, at, in)
}

// bindWith is bind with a binder.
func (t Table) bindWith(b *binder, at condition.Pos, in []any) ([]tree.Scalar, []*condition.Error) {
	if t.blank() {
		return nil, t.errs
	}
	in, errs := t.expand(at, in)
	out := make([]tree.Scalar, 0, len(in))
	for _, x := range in {
		if name, ok := x.(string); ok {
			x = AnyValue{value{node: &tree.Unbound{Name: name, At: at}}}
		}
		v, ok := x.(Value)
		if !ok {
			e := condition.Newf(condition.InvalidValue, "A column is given by its name or as a value, not as %T.", x)
			e.Pos, e.Hint = at, "For a constant use expr.Lit(…).As(name)."
			errs = append(errs, e)
			continue
		}
		n, e := operand(v, at)
		errs = merge(errs, e)
		out = append(out, b.bind(n))
	}
	return out, merge(errs, b.errs)
}

// columnName is the name of a value without an alias: the column's own, a field's, or the text of the expression.
func columnName(s tree.Scalar) (tree.Scalar, string) {
	s, name := tree.StripAlias(s)
	if name != "" {
		return s, name
	}
	switch x := s.(type) {
	case *tree.Column:
		return s, x.Field().Name
	case *tree.GetField:
		return s, x.Name()
	case *tree.Subquery:
		if x.Kind == tree.ScalarSubquery {
			return s, x.Rel.Schema().Field(0).Name
		}
	case *tree.Call:
		switch {
		case x.Func.Name == catalog.SessionWindow:
			return s, catalog.SessionWindow
		case x.Func.Kind == catalog.TimeWindow:
			return s, "window"
		}
	}
	return s, tree.String(s)
}

func field(n tree.Named) tree.Field {
	if c, ok := n.Expr.(*tree.Call); ok && c.Func == catalog.CumulativeWindow {
		// Spark makes it of two windows: it closes by event time, but is an expression over it.
		return tree.Field{Name: n.Name, Type: n.Expr.Type(), Nullable: n.Expr.Nullable()}
	}
	return tree.Field{Name: n.Name, Type: n.Expr.Type(), Nullable: n.Expr.Nullable(), Watermark: tree.EventTimeOf(n.Expr)}
}

// clashHint says how an operation is asked for columns whose names differ.
func clashHint(op string) string {
	switch op {
	case "Unpack":
		return "Rename or drop the column that has the name before, or pick the field with Mutate and name it with As."
	case "RenameBy", "Rename":
		return "Give different columns different names, or name the columns that are to be renamed."
	}
	return "Name one of them with As."
}

// project makes a Project; aggregates in it mean OVER (), as in Ibis.
func (t Table) project(at condition.Pos, op string, cols []tree.Named) Table {
	var errs []*condition.Error
	if len(cols) == 0 {
		e := condition.Newf(condition.InvalidValue, "%s would leave no column.", op)
		e.Pos, e.Operator, e.Hint = at, op, "Keep at least one."
		errs = append(errs, e)
	}
	fields := make([]tree.Field, len(cols))
	seen, told := map[string]bool{}, map[string]bool{}
	var window *tree.Call
	for i, c := range cols {
		if n := nestedAggregate(c.Expr); n != nil {
			e := condition.Newf(condition.NestedAggregate, "The aggregate %s has an aggregate in it.", n.Func.Name)
			e.Pos, e.Operator, e.Hint = n.At, op, "Compute the inner one with Mutate first."
			errs = append(errs, e)
			continue
		}
		e, bad := checkOvers(op, overWhole(c.Expr))
		if len(bad) > 0 {
			errs = append(errs, bad...)
			continue
		}
		cols[i].Expr = e
		if w := findKind(c.Expr, catalog.TimeWindow); w != nil {
			e := condition.Newf(condition.Unsupported, "A time window must be a column of %s by itself, not a part of %s.", op, tree.String(c.Expr))
			e.Pos, e.Operator, e.Hint = w.At, w.Func.Name, "Make a column of the window first and use that in a further Mutate, or put the window into GroupBy."
			switch {
			case tree.Scalar(w) != c.Expr:
			case w.Func.Name != "window":
				e = condition.Newf(condition.Unsupported, "A %s is a grouping key; it cannot be a column of %s.", strings.ReplaceAll(w.Func.Name, "_", " "), op)
				e.Pos, e.Operator, e.Hint = w.At, w.Func.Name, "Put it into GroupBy."
			case window != nil:
				e = condition.Newf("_LEGACY_ERROR_TEMP_1039", "Two time windows in one %s would give a Cartesian product.", op)
				e.Pos, e.Operator, e.Hint = w.At, op, "Add them one after another."
			default:
				e, window = nil, w
			}
			if e != nil {
				errs = append(errs, e)
			}
		}
		if k := datatype.FoldName(c.Name); seen[k] {
			e := condition.Newf(condition.ColumnAlreadyExists, "%s would give two columns named %s.", op, datatype.QuoteName(c.Name))
			if e.Pos, e.Operator, e.Hint = c.Expr.Pos(), op, clashHint(op); e.Pos == (condition.Pos{}) {
				e.Pos = at // a column that the table had already
			}
			if told[k] {
				continue // once is enough
			}
			told[k] = true
			errs = append(errs, e)
		} else {
			seen[k] = true
		}
		fields[i] = field(cols[i])
	}
	return t.then(errs, func() tree.Relation {
		return &tree.Project{Node: tree.Node{Out: tree.NewSchema(fields), At: at}, Input: t.rel, Columns: cols}
	})
}

func findKind(s tree.Scalar, k catalog.Kind) *tree.Call {
	var found *tree.Call
	tree.Walk(s, func(n tree.Scalar) bool {
		if c, ok := n.(*tree.Call); ok && c.Func.Kind == k && found == nil {
			found = c
		}
		return found == nil
	})
	return found
}

// Select gives a table of the given columns: names, values (named by As), selectors, or all of them. Values do not see each other.
func (t Table) Select(columns ...any) Table {
	at := condition.Here(1)
	t = t.ready(at)
	nodes, errs := t.args(at, columns)
	if len(errs) > 0 {
		return t.then(errs, nil)
	}
	cols := make([]tree.Named, len(nodes))
	for i, n := range nodes {
		cols[i].Expr, cols[i].Name = columnName(n)
	}
	return t.project(at, "Select", cols)
}

// Mutate adds columns, or replaces those of the same name in their place. Values do not see each other. [Across] makes a value of
// each column that a selector picks.
func (t Table) Mutate(columns ...Value) Table {
	at := condition.Here(1)
	t = t.ready(at)
	in := make([]any, len(columns))
	for i, c := range columns {
		in[i] = c
	}
	nodes, errs := t.args(at, in)
	if len(errs) > 0 {
		return t.then(errs, nil)
	}
	return t.mutate(at, "Mutate", nodes)
}

func (t Table) mutate(at condition.Pos, op string, nodes []tree.Scalar) Table {
	cols := t.columns()
	for _, n := range nodes {
		e, name := columnName(n)
		switch i := t.rel.Schema().Lookup(name); {
		case len(i) == 1:
			cols[i[0]] = tree.Named{Name: name, Expr: e}
		default:
			cols = append(cols, tree.Named{Name: name, Expr: e})
		}
	}
	return t.project(at, op, cols)
}

// columns are all columns of the table, as they are.
func (t Table) columns() []tree.Named {
	cols := make([]tree.Named, t.rel.Schema().Len())
	for i := range cols {
		cols[i] = tree.Named{Name: t.rel.Schema().Field(i).Name, Expr: &tree.Column{Rel: t.rel, Ordinal: i}}
	}
	return cols
}

// Drop leaves columns out: names, values that are columns, or selectors. A name that does not exist is an error.
func (t Table) Drop(columns ...any) Table {
	at := condition.Here(1)
	t = t.ready(at)
	which, errs := t.ordinals(at, "Drop", columns)
	if len(errs) > 0 {
		return t.then(errs, nil)
	}
	drop := map[int]bool{}
	for _, i := range which {
		drop[i] = true
	}
	var cols []tree.Named
	for i, c := range t.columns() {
		if !drop[i] {
			cols = append(cols, c)
		}
	}
	return t.project(at, "Drop", cols)
}

// Rename gives columns other names: the map goes from the new name to the present one, as in Ibis. The order of columns stays.
func (t Table) Rename(newToOld map[string]string) Table {
	at := condition.Here(1)
	t = t.ready(at)
	cols := t.columns()
	var errs []*condition.Error
	for _, name := range sortedKeys(newToOld) {
		s, err := lookup(t.rel, &tree.Unbound{Name: newToOld[name], At: at})
		if err != nil {
			errs = append(errs, err)
			continue
		}
		cols[s.(*tree.Column).Ordinal].Name = name
	}
	if len(errs) > 0 {
		return t.then(errs, nil)
	}
	return t.project(at, "Rename", cols)
}

// Filter keeps the rows for which every condition is true; null counts as false. A condition may use columns of a table that will receive this
// one as a subquery, by [Table.AsScalar], [Exists] or InTable; where none does, it is a mistake.
func (t Table) Filter(conditions ...BooleanValue) Table {
	at := condition.Here(1)
	t = t.ready(at)
	in := make([]any, len(conditions))
	for i, c := range conditions {
		in[i] = c
	}
	nodes, errs := t.argsWith(&binder{inputs: []tree.Relation{t.rel}, outside: true}, at, in)
	if len(errs) > 0 {
		return t.then(errs, nil)
	}
	return t.filter(at, "Filter", nodes)
}

func (t Table) filter(at condition.Pos, op string, nodes []tree.Scalar) Table {
	var errs []*condition.Error
	for i := range nodes {
		nodes[i], _ = tree.StripAlias(nodes[i])
		if k := nodes[i].Type().Kind(); k != datatype.KindBoolean && k != datatype.KindInvalid && k != datatype.KindNull {
			e := condition.Newf(condition.FilterNotBoolean, "The condition %s is %s, not BOOLEAN.", tree.String(nodes[i]), nodes[i].Type())
			e.Pos, e.Operator = nodes[i].Pos(), op
			errs = append(errs, e)
		}
	}
	if len(errs) > 0 || len(nodes) == 0 {
		return t.then(errs, func() tree.Relation { return t.rel })
	}
	if n := nestedAggregate(conjunction(nodes)); n != nil {
		e := condition.Newf(condition.NestedAggregate, "The aggregate %s has an aggregate in it.", n.Func.Name)
		e.Pos, e.Operator, e.Hint = n.At, op, "Compute the inner one with Mutate first."
		return t.fail(e)
	}
	cond, errs := checkOvers(op, overWhole(conjunction(nodes)))
	if len(errs) > 0 {
		return t.then(errs, nil)
	}
	return t.then(nil, func() tree.Relation {
		return &tree.Filter{Node: tree.Node{Out: t.rel.Schema(), At: at}, Input: t.rel, Cond: cond}
	})
}

var fnAndOperator = fn("and")

func conjunction(nodes []tree.Scalar) tree.Scalar {
	out := nodes[0]
	for _, n := range nodes[1:] {
		out = &tree.Call{Func: fnAndOperator, Args: []tree.Scalar{out, n}, Typ: datatype.Boolean, Null: out.Nullable() || n.Nullable(), At: n.Pos()}
	}
	return out
}

// Limit keeps the first n rows of the order, or any n without one, after leaving out offset rows (none by default). Both are whole
// numbers from zero to 2147483647, nil (n: all rows), or INT values without columns, which are computed when the query runs. Spark
// takes no subquery and no column here: INVALID_LIMIT_LIKE_EXPRESSION.
func (t Table) Limit(n any, offset ...any) Table {
	return t.limit(condition.Here(1), "Limit", n, offset)
}

// Head keeps the first n rows of the order, or any n without one: five by default, as in Ibis.
func (t Table) Head(n ...int) Table {
	at := condition.Here(1)
	switch len(n) {
	case 0:
		return t.limit(at, "Head", 5, nil)
	case 1:
		return t.limit(at, "Head", n[0], nil)
	}
	t = t.ready(at)
	e := condition.Newf(condition.InvalidValue, "Head takes one number of rows, not %d.", len(n))
	e.Pos, e.Operator, e.Hint = at, "Head", "Use Limit for an offset."
	return t.fail(e)
}

func (t Table) limit(at condition.Pos, op string, n any, offset []any) Table {
	t = t.ready(at)
	l := &tree.Limit{Node: tree.Node{Out: t.rel.Schema(), At: at}, Input: t.rel, Count: -1}
	var errs []*condition.Error
	if n != nil {
		l.Count, l.CountOf, errs = rowCount(at, op, n)
	}
	switch {
	case len(offset) > 1:
		e := condition.Newf("INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE", "%s takes a number of rows and at most one offset.", op)
		e.Pos, e.Operator = at, op
		errs = append(errs, e)
	case len(offset) == 1 && offset[0] != nil:
		var more []*condition.Error
		l.Offset, l.OffsetOf, more = rowCount(at, op, offset[0])
		errs = merge(errs, more)
	}
	if len(errs) == 0 && l.Count < 0 && l.CountOf == nil && l.Offset == 0 && l.OffsetOf == nil {
		return t
	}
	return t.then(errs, func() tree.Relation { return l })
}

// rowCount reads a number of rows: a constant, or an expression of the type INT without columns.
func rowCount(at condition.Pos, op string, x any) (int64, tree.Scalar, []*condition.Error) {
	n, errs := operand(x, at)
	n, _ = tree.StripAlias(n)
	if len(errs) > 0 {
		return 0, nil, errs
	}
	bad := func(name, hint, format string, args ...any) (int64, tree.Scalar, []*condition.Error) {
		e := condition.Newf("INVALID_LIMIT_LIKE_EXPRESSION."+name, format, args...)
		e.Pos, e.Operator, e.Hint = at, op, hint
		return 0, nil, []*condition.Error{e}
	}
	_, given := x.(Value)
	if l, ok := n.(*tree.Literal); ok {
		switch v := l.Value.(type) {
		case nil:
			return bad("IS_NULL", "Give a number from zero up.", "A number of rows is NULL.")
		case int64:
			if !datatype.IsIntegral(l.Typ) || given && l.Typ.Kind() != datatype.KindInt {
				break
			}
			if v < 0 {
				return bad("IS_NEGATIVE", "Give a number from zero up.", "A number of rows is from zero up, not %d.", v)
			}
			if v <= math.MaxInt32 {
				return v, nil, nil
			}
		}
		return bad("DATA_TYPE", "Cast it to INT.", "A number of rows is an INT, from zero to 2147483647, not %s of type %s.", tree.LiteralText(l), l.Typ)
	}
	hint := "Number the rows with row_number, and filter by the number."
	var fault *tree.Call
	column := ""
	tree.Walk(n, func(s tree.Scalar) bool {
		switch y := s.(type) {
		case *tree.Column:
			column = y.Field().Name
		case *tree.Unbound:
			column = y.Name
		case *tree.Call:
			if y.Func.Kind != catalog.Scalar || y.Func.NonDeterministic {
				fault = y
			}
		}
		return true
	})
	switch {
	case column != "":
		return bad("IS_UNFOLDABLE", hint, "The number of rows %s depends on column %s.", tree.String(n), datatype.QuoteName(column))
	case fault != nil:
		return bad("IS_UNFOLDABLE", hint, "The number of rows %s is no constant: %s.", tree.String(n), fault.Func.Name)
	case n.Type().Kind() != datatype.KindInt:
		return bad("DATA_TYPE", "Cast it to INT.", "A number of rows is an INT, but %s is %s.", tree.String(n), n.Type())
	}
	return -1, n, nil
}

// Ordering is a sort key: a value with a direction and a place for nulls. Nulls come first when ascending and last when descending,
// as in Spark, unless said otherwise.
type Ordering struct {
	v          value
	descending bool
	nulls      int      // 0 default, 1 first, 2 last
	columns    Selector // nil but for the columns that a selector picks
}

// Desc sorts by a column name, a value, or each column that a selector picks, from great to small.
func Desc(column any) Ordering { return ordering(column, true) }

// Asc sorts by a column name, a value, or each column that a selector picks, from small to great.
func Asc(column any) Ordering { return ordering(column, false) }

func ordering(column any, desc bool) Ordering {
	at := condition.Here(2)
	if name, ok := column.(string); ok {
		return Ordering{v: value{node: &tree.Unbound{Name: name, At: at}}, descending: desc}
	}
	if sel, ok := column.(Selector); ok {
		return Ordering{columns: sel, descending: desc}
	}
	n, errs := operand(column, at)
	return Ordering{v: value{n, errs}, descending: desc}
}

// NullsFirst puts nulls before all other values.
func (o Ordering) NullsFirst() Ordering { o.nulls = 1; return o }

// NullsLast puts nulls behind all other values.
func (o Ordering) NullsLast() Ordering { o.nulls = 2; return o }

// OrderBy sorts by column names, values, selectors, or [Ordering] keys, the first key first.
func (t Table) OrderBy(keys ...any) Table {
	at := condition.Here(1)
	t = t.ready(at)
	var in []any
	var order []Ordering
	var errs []*condition.Error
	for _, k := range keys {
		o, ok := k.(Ordering)
		many := []any{AnyValue{o.v}}
		switch {
		case ok && o.columns != nil:
			k = o.columns
			fallthrough
		case !ok:
			var e []*condition.Error
			many, e = t.expand(at, []any{k})
			errs = merge(errs, e)
		}
		for range many {
			order = append(order, o)
		}
		in = append(in, many...)
	}
	if len(errs) > 0 {
		return t.then(errs, nil)
	}
	nodes, errs := t.args(at, in)
	if len(errs) > 0 || len(nodes) == 0 {
		return t.then(errs, func() tree.Relation { return t.rel })
	}
	sk := make([]tree.SortKey, len(nodes))
	// Spark has no window expression in ORDER BY: it becomes a column that is left out again.
	cols := t.columns()
	width := len(cols)
	for i, n := range nodes {
		n, _ = tree.StripAlias(n)
		if hasOver(n) {
			name := "sort_key"
			for slices.ContainsFunc(cols, func(c tree.Named) bool { return datatype.FoldName(c.Name) == name }) {
				name += "_"
			}
			cols = append(cols, tree.Named{Name: name, Expr: n})
		} else if a := findKind(n, catalog.Aggregate); a != nil {
			e := condition.Newf(condition.Unsupported, "An aggregate cannot be a sort key: %s.", tree.String(n))
			e.Pos, e.Operator, e.Hint = a.At, "OrderBy", "Make a column of it with Mutate first, and sort by that."
			errs = append(errs, e)
		}
		if err := refuseSubqueries(n, "OrderBy"); err != nil {
			errs = append(errs, err)
		}
		if !datatype.IsOrderable(n.Type()) && n.Type().Kind() != datatype.KindInvalid {
			e := condition.Newf("DATATYPE_MISMATCH.INVALID_ORDERING_TYPE", "Values of type %s have no order.", n.Type())
			e.Pos, e.Operator, e.Hint = n.Pos(), "OrderBy", "Order by a field or an element of it, or by a text of it: to_json."
			errs = append(errs, e)
		}
		sk[i] = tree.SortKey{Arg: n, Descending: order[i].descending, NullsFirst: order[i].nulls == 1 || order[i].nulls == 0 && !order[i].descending}
	}
	if len(cols) > width && len(errs) == 0 {
		wide := t.project(at, "OrderBy", cols)
		if len(wide.errs) > len(t.errs) {
			return Table{rel: t.rel, errs: wide.errs}
		}
		b := &binder{inputs: []tree.Relation{wide.rel}}
		next := width
		for i, k := range sk {
			if hasOver(k.Arg) {
				sk[i].Arg = &tree.Column{Rel: wide.rel, Ordinal: next, At: k.Arg.Pos()}
				next++
				continue
			}
			sk[i].Arg = b.bind(k.Arg)
		}
		sorted := Table{rel: &tree.Sort{Node: tree.Node{Out: wide.rel.Schema(), At: at}, Input: wide.rel, Keys: sk}, errs: merge(wide.errs, b.errs)}
		return sorted.project(at, "OrderBy", sorted.columns()[:width])
	}
	return t.then(errs, func() tree.Relation {
		return &tree.Sort{Node: tree.Node{Out: t.rel.Schema(), At: at}, Input: t.rel, Keys: sk}
	})
}

// View is the same table under another identity: the right side of a self-join. Columns must be taken from the view itself.
func (t Table) View() Table {
	at := condition.Here(1)
	t = t.ready(at)
	return Table{rel: &tree.View{Node: tree.Node{Out: t.rel.Schema(), At: at}, Input: t.rel}, errs: t.errs}
}

// Watermark declares a column (its name or the value) as event time and says how late its rows may be: a time.Duration of whole
// milliseconds, or a [Delay] from [ParseDelay]. Rows later than that may be dropped; windows close when the watermark passes their
// end. In batch it changes nothing, as in Spark.
func (t Table) Watermark(column any, delay any) Table {
	at := condition.Here(1)
	t = t.ready(at)
	d, derr := delayOf(delay)
	nodes, errs := t.args(at, []any{column})
	if derr != nil {
		derr.Pos, derr.Operator = at, "Watermark"
		errs = append(errs, derr)
	}
	if len(errs) > 0 {
		return t.then(errs, nil)
	}
	n, name := columnName(nodes[0])
	in := t
	if k := n.Type().Kind(); k != datatype.KindTimestamp && k != datatype.KindTimestampNTZ && !isWindow(n) {
		e := condition.Newf(condition.EventTimeNotTimestamp, "The event time must be a TIMESTAMP, but %s is %s.", name, n.Type())
		e.Pos, e.Operator, e.Hint = at, "Watermark", "Cast it to TIMESTAMP in a Mutate before."
		return t.fail(e)
	}
	c, ok := n.(*tree.Column)
	if !ok { // an expression becomes a column first
		in = t.project(at, "Watermark", append(t.columns(), tree.Named{Name: name, Expr: n}))
		if len(in.errs) > len(t.errs) {
			return in
		}
		c = &tree.Column{Rel: in.rel, Ordinal: in.rel.Schema().Len() - 1, At: at}
	}
	fields := append([]tree.Field(nil), in.rel.Schema().Fields()...)
	for _, f := range fields {
		if f.Watermark != nil {
			e := condition.Newf("REDEFINING_WATERMARK", "Column %s has a watermark already; Spark disallows a second one in one query.", datatype.QuoteName(f.Name))
			e.Pos, e.Operator, e.Hint = at, "Watermark", "Set the watermark once."
			return t.fail(e)
		}
	}
	fields[c.Ordinal].Watermark = &tree.EventTime{Delay: d.d}
	return Table{rel: &tree.Watermark{Node: tree.Node{Out: tree.NewSchema(fields), At: at}, Input: in.rel, Ordinal: c.Ordinal, Delay: d.d, DelayText: d.text}, errs: t.errs}
}

func isWindow(n tree.Scalar) bool { return checkFamily(catalog.WindowFamily, n) == nil }

// Delay is how late rows may be, as [ParseDelay] reads it.
type Delay struct {
	d    time.Duration
	text string
	err  *condition.Error
}

func delayOf(x any) (Delay, *condition.Error) {
	switch v := x.(type) {
	case Delay:
		if v.err != nil {
			e := *v.err
			return v, &e
		}
		return v, nil
	case time.Duration:
		if v < 0 || v%time.Millisecond != 0 {
			e := condition.Newf(condition.InvalidWatermarkDelay, "The delay %v is not a whole number of milliseconds from zero up.", v)
			e.Hint = "Watermarks count in milliseconds."
			return Delay{}, e
		}
		return Delay{d: v, text: DelayText(v)}, nil
	}
	e := condition.Newf(condition.InvalidWatermarkDelay, "A delay is a time.Duration or from expr.ParseDelay, not %T.", x)
	return Delay{}, e
}

// DelayText gives a duration as Spark's interval text: "1 minute 30 seconds".
func DelayText(d time.Duration) string {
	if d == 0 {
		return "0 seconds"
	}
	var parts []string
	sign := ""
	if d < 0 {
		sign, d = "-", -d
	}
	for _, u := range []struct {
		d    time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}, {time.Millisecond, "millisecond"}, {time.Microsecond, "microsecond"}} {
		if n := d / u.d; n > 0 {
			s := fmt.Sprintf("%s%d %s", sign, n, u.name)
			if n > 1 {
				s += "s"
			}
			parts = append(parts, s)
			d -= n * u.d
		}
	}
	return strings.Join(parts, " ")
}
