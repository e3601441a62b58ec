package expr

import (
	"slices"
	"strings"
	"unicode"

	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Columns gives the names of the table's columns in order. Of a table in error they are the last good ones.
func (t Table) Columns() []string {
	return t.ready(condition.Here(1)).rel.Schema().Names()
}

// Place is where [Table.Relocate] puts columns: what [Before] and [After] give.
type Place struct {
	after bool
	of    any
}

// Before puts relocated columns before a column: its name, the value, or a selector, of whose columns the first one counts.
func Before(column any) Place { return Place{of: column} }

// After puts relocated columns behind a column: its name, the value, or a selector, of whose columns the last one counts.
func After(column any) Place { return Place{of: column, after: true} }

// Relocate moves columns (names, values that are columns, selectors) to the front, in the order given, or to one [Place] among the
// arguments. A value with As is renamed on the way, as in Ibis. The other columns keep their order.
func (t Table) Relocate(columns ...any) Table {
	at := condition.Here(1)
	t = t.ready(at)
	var place *Place
	var errs []*condition.Error
	var moved []any
	for _, c := range columns {
		p, ok := c.(Place)
		if !ok {
			moved = append(moved, c)
			continue
		}
		if place != nil {
			e := condition.Newf(condition.InvalidValue, "Relocate moves columns to one place, but two are given.")
			e.Pos, e.Operator, e.Hint = at, "Relocate", "Give Before or After once."
			errs = append(errs, e)
		}
		place = &p
	}
	which, more := t.ordinals(at, "Relocate", moved)
	errs = merge(errs, more)
	if len(which) == 0 && len(errs) == 0 {
		e := condition.Newf(condition.InvalidValue, "Relocate needs a column to move.")
		e.Pos, e.Operator = at, "Relocate"
		errs = append(errs, e)
	}
	anchor := -1
	if place != nil {
		to, more := t.ordinals(at, "Relocate", []any{place.of})
		errs = merge(errs, more)
		switch {
		case len(to) == 0:
			if len(errs) == 0 {
				e := condition.Newf(condition.InvalidValue, "The place of Relocate names no column.")
				e.Pos, e.Operator, e.Hint = at, "Relocate", "Give Before or After a column."
				errs = append(errs, e)
			}
		case place.after:
			anchor = slices.Max(to)
		default:
			anchor = slices.Min(to)
		}
	}
	if len(errs) > 0 {
		return t.then(errs, nil)
	}
	cols := t.columns()
	nodes, _ := t.args(at, moved)
	for _, n := range nodes {
		if s, name := tree.StripAlias(n); name != "" {
			cols[s.(*tree.Column).Ordinal].Name = name
		}
	}
	var out []tree.Named
	put := func() {
		for _, i := range which {
			out = append(out, cols[i])
		}
	}
	if anchor < 0 {
		put()
	}
	for i, c := range cols {
		if i == anchor && !place.after {
			put()
		}
		if !slices.Contains(which, i) {
			out = append(out, c)
		}
		if i == anchor && place.after {
			put()
		}
	}
	return t.project(at, "Relocate", out)
}

// RenameBy gives every column, or those that are named or picked by a selector, the name that f makes of its own: [SnakeCase], [AllCaps],
// strings.ToLower, or a function of yours.
func (t Table) RenameBy(f func(name string) string, columns ...any) Table {
	at := condition.Here(1)
	t = t.ready(at)
	if f == nil {
		e := condition.Newf(condition.InvalidValue, "RenameBy needs a function.")
		e.Pos, e.Operator, e.Hint = at, "RenameBy", "Use expr.SnakeCase, for example."
		return t.fail(e)
	}
	which := upTo(t.rel.Schema().Len())
	if len(columns) > 0 {
		var errs []*condition.Error
		if which, errs = t.ordinals(at, "RenameBy", columns); len(errs) > 0 {
			return t.then(errs, nil)
		}
	}
	cols := t.columns()
	for _, i := range which {
		cols[i].Name = f(cols[i].Name)
	}
	return t.project(at, "RenameBy", cols)
}

// SnakeCase gives a name in small letters with its words joined by underscores: "unitPrice", "Unit Price" and "unit-price" are
// unit_price. For [Table.RenameBy], as Ibis's rename("snake_case").
func SnakeCase(name string) string { return strings.ToLower(words(name)) }

// AllCaps is [SnakeCase] in capital letters, as Ibis's rename("ALL_CAPS").
func AllCaps(name string) string { return strings.ToUpper(words(name)) }

// words joins the words of a name by underscores. A word begins behind a space, a hyphen or an underscore, at a capital behind a small
// letter or a digit, and at the last of several capitals that a small letter follows: HTTPServer is HTTP_Server.
func words(name string) string {
	var b strings.Builder
	in := []rune(strings.TrimSpace(name))
	for i, r := range in {
		switch {
		case unicode.IsSpace(r) || r == '-' || r == '_':
			if r == '_' || !strings.HasSuffix(b.String(), "_") {
				b.WriteByte('_')
			}
			continue
		case i > 0 && unicode.IsUpper(r) && (unicode.IsLower(in[i-1]) || unicode.IsDigit(in[i-1])),
			i > 0 && i+1 < len(in) && unicode.IsUpper(in[i-1]) && unicode.IsUpper(r) && unicode.IsLower(in[i+1]):
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Cast gives columns other types by Spark's rules: the map goes from a column's name to its type. Under ANSI a value that does not fit
// is an error. The other columns, the names and the order stay.
func (t Table) Cast(types map[string]datatype.Type) Table {
	return t.castAll(condition.Here(1), "Cast", types, false)
}

// TryCast is [Table.Cast] that gives null where a value does not fit.
func (t Table) TryCast(types map[string]datatype.Type) Table {
	return t.castAll(condition.Here(1), "TryCast", types, true)
}

func (t Table) castAll(at condition.Pos, op string, types map[string]datatype.Type, try bool) Table {
	t = t.ready(at)
	cols := t.columns()
	var errs []*condition.Error
	for _, name := range sortedKeys(types) {
		s, err := lookup(t.rel, &tree.Unbound{Name: name, At: at})
		if err != nil {
			errs = append(errs, err)
			continue
		}
		x := castTo(at, AnyValue{value{node: s}}, types[name], try)
		errs = merge(errs, x.errs)
		if c, ok := x.node.(*tree.Cast); ok && datatype.EqualIgnoringNulls(c.Arg.Type(), c.To) {
			continue // a column keeps its event time where nothing is to be done
		}
		cols[s.(*tree.Column).Ordinal].Expr = x.node
	}
	if len(errs) > 0 {
		return t.then(errs, nil)
	}
	return t.project(at, op, cols)
}

// FillNull puts a value in the place of nulls. A map gives a value for each of the columns that it names; a value that does not go with its
// column's type is a DATATYPE_MISMATCH. Any other value goes into each column whose type holds it as it is, a number into numbers and a
// text into texts, and into no other. A column keeps its type.
func (t Table) FillNull(v any) Table {
	at := condition.Here(1)
	t = t.ready(at)
	cols := t.columns()
	var errs []*condition.Error
	fill := func(i int, x any, must bool) bool {
		f := t.rel.Schema().Field(i)
		n, e := operand(x, at)
		if len(e) > 0 {
			if must {
				errs = merge(errs, e)
			}
			return false
		}
		n, _ = tree.StripAlias(n)
		l, isLit := n.(*tree.Literal)
		if isLit && l.Value != nil {
			if fitted, ok := fit(l.Value, l.Typ, f.Type); ok {
				n = &tree.Literal{Value: fitted, Typ: f.Type, At: at}
			}
		}
		if !isLit || !datatype.EqualIgnoringNulls(n.Type(), f.Type) || l.Value == nil {
			if must {
				e := condition.Newf(condition.DatatypeMismatch, "Nulls of column %s of type %s cannot be filled with %s of type %s.", datatype.QuoteName(f.Name), f.Type, tree.String(n), n.Type())
				e.Pos, e.Operator, e.Hint = at, "FillNull", "Give a constant of the column's type, or use Coalesce in Mutate."
				errs = append(errs, e)
			}
			return false
		}
		if !f.Nullable {
			return true
		}
		c, err := resolveCall(&tree.Call{Func: fnCoalesce, Args: []tree.Scalar{cols[i].Expr, n}, At: at})
		if err != nil {
			errs = append(errs, err)
			return false
		}
		cols[i].Expr = c
		return true
	}
	if m, ok := v.(map[string]any); ok {
		for _, name := range sortedKeys(m) {
			s, err := lookup(t.rel, &tree.Unbound{Name: name, At: at})
			if err != nil {
				errs = append(errs, err)
				continue
			}
			fill(s.(*tree.Column).Ordinal, m[name], true)
		}
	} else {
		some := false
		for i := range cols {
			some = fill(i, v, false) || some
		}
		if n, e := operand(v, at); !some && !t.blank() {
			errs = merge(errs, e)
			if len(e) == 0 {
				e := condition.Newf(condition.DatatypeMismatch, "No column holds the value %s of type %s, by which nulls are to be filled.", tree.String(n), n.Type())
				e.Pos, e.Operator, e.Hint = at, "FillNull", "Name the columns in a map[string]any, with a value of each one's type."
				errs = append(errs, e)
			}
		}
	}
	if len(errs) > 0 {
		return t.then(errs, nil)
	}
	return t.project(at, "FillNull", cols)
}

// How tells which rows [Table.DropNull] leaves out.
type How uint8

// The ways to drop rows with nulls.
const (
	// AnyNull drops a row with a null in at least one of the columns.
	AnyNull How = iota
	// AllNull drops a row with a null in all of the columns.
	AllNull
)

// DropNull leaves out rows with a null in any, or in all, of the columns: names, values that are columns, or selectors; all columns
// where none is given. NaN is no null.
func (t Table) DropNull(how How, columns ...any) Table {
	at := condition.Here(1)
	t = t.ready(at)
	if t.blank() {
		return t
	}
	which := upTo(t.rel.Schema().Len())
	if len(columns) > 0 {
		var errs []*condition.Error
		if which, errs = t.ordinals(at, "DropNull", columns); len(errs) > 0 {
			return t.then(errs, nil)
		}
	}
	if how > AllNull {
		e := condition.Newf(condition.InvalidValue, "DropNull drops by AnyNull or AllNull, not by %d.", how)
		e.Pos, e.Operator = at, "DropNull"
		return t.fail(e)
	}
	var cond tree.Scalar
	for _, i := range which {
		c := &tree.Column{Rel: t.rel, Ordinal: i, At: at}
		if !c.Nullable() {
			if how == AllNull {
				return t // this column alone keeps every row
			}
			continue
		}
		var n tree.Scalar = &tree.Call{Func: fnNotNull, Args: []tree.Scalar{c}, Typ: datatype.Boolean, At: at}
		switch {
		case cond == nil:
		case how == AllNull:
			n = &tree.Call{Func: fnOr, Args: []tree.Scalar{cond, n}, Typ: datatype.Boolean, At: at}
		default:
			n = &tree.Call{Func: fnAndOperator, Args: []tree.Scalar{cond, n}, Typ: datatype.Boolean, At: at}
		}
		cond = n
	}
	if cond == nil {
		return t
	}
	return t.then(nil, func() tree.Relation {
		return &tree.Filter{Node: tree.Node{Out: t.rel.Schema(), At: at}, Input: t.rel, Cond: cond}
	})
}

var fnNotNull, fnIsNull, fnOr = fn("isnotnull"), fn("isnull"), fn("or")

// UnnestOption changes what [Table.Unnest] does.
type UnnestOption func(*unnesting)

type unnesting struct {
	outer    bool
	position string
}

// KeepEmpty keeps a row whose array is empty or null, with a null element.
func KeepEmpty() UnnestOption { return func(u *unnesting) { u.outer = true } }

// WithPosition adds a column at the end with the position of each element from 0, an INT; null where [KeepEmpty] keeps a row.
func WithPosition(name string) UnnestOption { return func(u *unnesting) { u.position = name } }

// Unnest puts each element of an array column in a row of its own, in the column's place. Rows whose array is empty or null disappear,
// unless KeepEmpty is given.
func (t Table) Unnest(column any, options ...UnnestOption) Table {
	return t.unnest(condition.Here(1), column, options)
}

// UnnestOuter is [Table.Unnest] with [KeepEmpty].
func (t Table) UnnestOuter(column any) Table {
	return t.unnest(condition.Here(1), column, []UnnestOption{KeepEmpty()})
}

func (t Table) unnest(at condition.Pos, column any, options []UnnestOption) Table {
	t = t.ready(at)
	var u unnesting
	for _, o := range options {
		if o != nil {
			o(&u)
		}
	}
	nodes, errs := t.args(at, []any{column})
	if len(errs) > 0 {
		return t.then(errs, nil)
	}
	if len(nodes) != 1 {
		e := condition.Newf(condition.InvalidValue, "Unnest takes one column, not %d.", len(nodes))
		e.Pos, e.Operator, e.Hint = at, "Unnest", "Unnest one after the other: each multiplies the rows."
		return t.fail(e)
	}
	n, name := columnName(nodes[0])
	c, ok := n.(*tree.Column)
	a, isArray := n.Type().(datatype.Array)
	if !ok || !isArray {
		e := condition.Newf(condition.DatatypeMismatch, "Unnest needs an array column, not %s of type %s.", name, n.Type())
		e.Pos, e.Operator, e.Hint = at, "Unnest", "Mutate an array expression into a column first."
		return t.fail(e)
	}
	fields := append([]tree.Field(nil), t.rel.Schema().Fields()...)
	fields[c.Ordinal] = tree.Field{Name: name, Type: a.Elem, Nullable: a.ContainsNull || u.outer}
	if u.position != "" {
		fields = append(fields, tree.Field{Name: u.position, Type: datatype.Int, Nullable: u.outer})
	}
	out := tree.NewSchema(fields)
	for i, f := range fields {
		if first := out.Lookup(f.Name)[0]; first < i && (f.Name == u.position || f.Name == name) {
			e := condition.Newf(condition.ColumnAlreadyExists, "Unnest would give two columns named %s.", datatype.QuoteName(f.Name))
			e.Pos, e.Operator, e.Hint = at, "Unnest", "Give the position another name, or rename the column before."
			return t.fail(e)
		}
	}
	return Table{rel: &tree.Unnest{Node: tree.Node{Out: out, At: at}, Input: t.rel, Ordinal: c.Ordinal, KeepEmpty: u.outer, Position: u.position}, errs: t.errs}
}

// Unpack puts the fields of struct columns (names, values that are columns, selectors) in the columns' places, under the fields' names.
// A name that is there already is a COLUMN_ALREADY_EXISTS.
func (t Table) Unpack(columns ...any) Table {
	at := condition.Here(1)
	t = t.ready(at)
	which, errs := t.ordinals(at, "Unpack", columns)
	var out []tree.Named
	for i, c := range t.columns() {
		if !slices.Contains(which, i) {
			out = append(out, c)
			continue
		}
		s, ok := c.Expr.Type().(datatype.Struct)
		if !ok {
			e := condition.Newf(condition.DatatypeMismatch, "Unpack needs a struct column, but %s is %s.", datatype.QuoteName(c.Name), c.Expr.Type())
			e.Pos, e.Operator, e.Hint = at, "Unpack", "Narrow the selection to structs."
			errs = append(errs, e)
			continue
		}
		for k, f := range s.Fields {
			out = append(out, tree.Named{Name: f.Name, Expr: &tree.GetField{Arg: c.Expr, Ordinal: k, Key: f.Name, At: at}})
		}
	}
	if len(errs) > 0 {
		return t.then(errs, nil)
	}
	return t.project(at, "Unpack", out)
}

// Count is a table of one row with the number of rows for which every condition is true, or of all rows, in the column "count".
func (t Table) Count(conditions ...BooleanValue) Table {
	at := condition.Here(1)
	n := callAt[NumericValue](at, fnCount)
	if len(conditions) > 0 {
		var all tree.Scalar
		var errs []*condition.Error
		for _, c := range conditions {
			s, e := operand(c, at)
			errs = merge(errs, e)
			s, _ = tree.StripAlias(s)
			if all == nil {
				all = s
			} else {
				all = conjunction([]tree.Scalar{all, s})
			}
		}
		n = Where(n, BooleanValue{value{all, errs}})
	}
	return Grouped{table: t.ready(at), at: at}.agg(at, []Value{n.As("count")})
}

// NUnique is a table of one row with the number of different rows, or of different rows of the given columns, in the column "nunique".
// Null equals null here: unlike [CountDistinct] it counts rows with nulls too.
func (t Table) NUnique(columns ...any) Table {
	at := condition.Here(1)
	t = t.ready(at)
	if len(columns) > 0 {
		which, errs := t.ordinals(at, "NUnique", columns)
		if len(errs) > 0 {
			return t.then(errs, nil)
		}
		all := t.columns()
		cols := make([]tree.Named, len(which))
		for k, i := range which {
			cols[k] = all[i]
		}
		t = t.project(at, "NUnique", cols)
	}
	return Grouped{table: t.distinct(at, "NUnique"), at: at}.agg(at, []Value{callAt[NumericValue](at, fnCount).As("nunique")})
}

// ValueCounts counts the rows of each different combination of the given columns (names, values, selectors), or of all columns: the
// combinations, then the column "count". Null equals null.
func (t Table) ValueCounts(columns ...any) Table { return t.valueCounts(condition.Here(1), columns) }

func (t Table) valueCounts(at condition.Pos, columns []any) Table {
	t = t.ready(at)
	if len(columns) == 0 {
		for i := range t.rel.Schema().Len() {
			columns = append(columns, AnyValue{value{node: &tree.Column{Rel: t.rel, Ordinal: i, At: at}}})
		}
	}
	nodes, errs := t.args(at, columns)
	g := Grouped{at: at}
	for _, n := range nodes {
		e, name := columnName(n)
		if k := e.Type().Kind(); k == datatype.KindMap || k == datatype.KindVariant {
			err := condition.Newf("GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE", "The column %s is %s, whose values cannot be compared.", datatype.QuoteName(name), e.Type())
			err.Pos, err.Operator, err.Hint = e.Pos(), "ValueCounts", "Leave the column out, or count a text of it by to_json."
			errs = append(errs, err)
		}
		if a := findKind(e, catalog.Aggregate); a != nil {
			err := condition.Newf("GROUP_BY_AGGREGATE", "The value %s has an aggregate in it.", tree.String(e))
			err.Pos, err.Operator = a.At, "ValueCounts"
			errs = append(errs, err)
		}
		g.keys = append(g.keys, tree.Named{Name: name, Expr: e})
	}
	g.table = t.then(errs, func() tree.Relation { return t.rel })
	if len(errs) > 0 {
		return g.table
	}
	return g.agg(at, []Value{callAt[NumericValue](at, fnCount).As("count")})
}

// TopK gives the k most frequent combinations of the given columns (names, values, selectors), or of all columns, with their "count",
// the most frequent first. Of equally frequent ones the lesser comes first, so that the choice is the same everywhere.
func (t Table) TopK(k int, columns ...any) Table {
	at := condition.Here(1)
	c := t.valueCounts(at, columns)
	if c.Err() != nil {
		return c
	}
	n := c.rel.Schema().Len()
	keys := []tree.SortKey{{Arg: &tree.Column{Rel: c.rel, Ordinal: n - 1, At: at}, Descending: true}}
	for i := range n - 1 {
		if f := c.rel.Schema().Field(i); !datatype.IsOrderable(f.Type) {
			e := condition.Newf("DATATYPE_MISMATCH.INVALID_ORDERING_TYPE", "Values of column %s of type %s have no order.", datatype.QuoteName(f.Name), f.Type)
			e.Pos, e.Operator, e.Hint = at, "TopK", "Use ValueCounts, and order by count."
			return c.fail(e)
		}
		keys = append(keys, tree.SortKey{Arg: &tree.Column{Rel: c.rel, Ordinal: i, At: at}, NullsFirst: true})
	}
	sorted := Table{rel: &tree.Sort{Node: tree.Node{Out: c.rel.Schema(), At: at}, Input: c.rel, Keys: keys}, errs: c.errs}
	return sorted.limit(at, "TopK", k, nil)
}
