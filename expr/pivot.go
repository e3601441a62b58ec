package expr

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// PivotOption changes what [Table.PivotLonger] or [Table.PivotWider] does; one of the other is an error.
type PivotOption struct {
	name  string
	wider bool
	set   func(*pivot)
}

// pivot is what the options say.
type pivot struct {
	// of PivotLonger
	namesTo    []string
	pattern    string
	transforms map[string]func(string) any
	valuesTo   string
	valueMap   func(value) (value, *condition.Error)
	// of PivotWider
	ids             []any
	namesFrom       []any
	names           [][]any
	namesOf         []Table
	valuesFrom      []any
	prefix, sep     string
	sort, hasNames  bool
	fill            any
	hasFill, hasIDs bool
	aggregate       func(value) (value, *condition.Error)
}

func longer(name string, set func(*pivot)) PivotOption { return PivotOption{name, false, set} }
func wider(name string, set func(*pivot)) PivotOption  { return PivotOption{name, true, set} }

// NamesTo names the columns into which [Table.PivotLonger] puts the names of the pivoted ones: "name" by default. Several need a
// [NamesPattern] with as many groups.
func NamesTo(names ...string) PivotOption {
	return longer("NamesTo", func(p *pivot) { p.namesTo = names })
}

// NamesPattern is a regular expression of Go whose groups, or the whole match where there is none, are taken out of each pivoted
// column's name. A name that it does not match is an error.
func NamesPattern(pattern string) PivotOption {
	return longer("NamesPattern", func(p *pivot) { p.pattern = pattern })
}

// NamesTransform makes the value of the names column to, a constant of any type, of the text from a pivoted column's name.
func NamesTransform(to string, f func(name string) any) PivotOption {
	return longer("NamesTransform", func(p *pivot) {
		if p.transforms == nil {
			p.transforms = map[string]func(string) any{}
		}
		p.transforms[to] = f
	})
}

// ValuesTo names the column into which [Table.PivotLonger] puts the values: "value" by default.
func ValuesTo(name string) PivotOption {
	return longer("ValuesTo", func(p *pivot) { p.valuesTo = name })
}

// ValuesTransform makes the values column of the pivoted values; V is the family that f takes.
func ValuesTransform[V Family[V], W Value](f func(V) W) PivotOption {
	return longer("ValuesTransform", func(p *pivot) { p.valueMap = typedFunc(f) })
}

// IDCols are the columns that tell the rows of [Table.PivotWider] apart (names, values, selectors): by default all that are
// neither names nor values.
func IDCols(columns ...any) PivotOption {
	return wider("IDCols", func(p *pivot) { p.ids, p.hasIDs = columns, true })
}

// NamesFrom are the columns whose values become columns (names, values, selectors): "name" by default.
func NamesFrom(columns ...any) PivotOption {
	return wider("NamesFrom", func(p *pivot) { p.namesFrom = columns })
}

// PivotNames are the values of NamesFrom that become columns, in this order: a Go value each, or where NamesFrom has several columns a
// []any each, or a memtable whose columns have them. Rows with other values are left out of the new columns. Without it the values
// of a memtable that is pivoted are taken; of other tables they cannot be known, since building reads no data.
func PivotNames(values ...any) PivotOption {
	return wider("PivotNames", func(p *pivot) {
		p.hasNames, p.names, p.namesOf = true, nil, nil
		for _, v := range values {
			if t, ok := v.(Table); ok {
				p.namesOf = append(p.namesOf, t)
			} else if list, ok := v.([]any); ok {
				p.names = append(p.names, list)
			} else {
				p.names = append(p.names, []any{v})
			}
		}
	})
}

// ValuesFrom are the columns whose values fill the new ones (names, values, selectors): "value" by default. Of several, each new column's
// name begins with the value column's.
func ValuesFrom(columns ...any) PivotOption {
	return wider("ValuesFrom", func(p *pivot) { p.valuesFrom = columns })
}

// NamesPrefix begins the name of each new column, before the separator, as in Ibis.
func NamesPrefix(prefix string) PivotOption {
	return wider("NamesPrefix", func(p *pivot) { p.prefix = prefix })
}

// NamesSep separates the parts of a new column's name: "_" by default.
func NamesSep(sep string) PivotOption { return wider("NamesSep", func(p *pivot) { p.sep = sep }) }

// NamesSort orders the new columns by the texts of their names' values.
func NamesSort() PivotOption { return wider("NamesSort", func(p *pivot) { p.sort = true }) }

// ValuesFill stands where no row has a value for a new column, and where the value is null.
func ValuesFill(v any) PivotOption {
	return wider("ValuesFill", func(p *pivot) { p.fill, p.hasFill = v, true })
}

// ValuesAgg makes one value of all that meet in a cell; by default that of the first row that Spark happens to see. V is the family that f
// takes: ValuesAgg(expr.NumericValue.Sum).
func ValuesAgg[V Family[V], W Value](f func(V) W) PivotOption {
	return wider("ValuesAgg", func(p *pivot) { p.aggregate = typedFunc(f) })
}

// typedFunc applies a function over a family to any value, whose family is checked.
func typedFunc[V Family[V], W Value](f func(V) W) func(value) (value, *condition.Error) {
	return func(x value) (value, *condition.Error) {
		var v V
		if f == nil {
			return x, condition.Newf(condition.InvalidValue, "The function is nil.")
		}
		if err := checkFamily(v.family(), x.node); err != nil {
			return x, err
		}
		return f(v.make(x)).get(), nil
	}
}

func pivotOf(at condition.Pos, op string, isWider bool, options []PivotOption) (pivot, []*condition.Error) {
	p := pivot{sep: "_", valuesTo: "value"}
	var errs []*condition.Error
	for _, o := range options {
		if o.set == nil || o.wider != isWider {
			e := condition.Newf(condition.InvalidOption, "%s has no option %s.", op, o.name)
			e.Pos, e.Operator = at, op
			errs = append(errs, e)
			continue
		}
		o.set(&p)
	}
	return p, errs
}

// PivotLonger turns columns into rows: each row comes once for each of the columns (a name, a selector, or a []any of them), with the
// column's name in "name" and its value in "value", behind the other columns. Values meet in their common type. Nulls stay.
func (t Table) PivotLonger(columns any, options ...PivotOption) Table {
	at := condition.Here(1)
	const op = "PivotLonger"
	t = t.ready(at)
	if t.blank() {
		return t
	}
	p, errs := pivotOf(at, op, false, options)
	bad := func(name, hint, format string, args ...any) {
		e := condition.Newf(name, format, args...)
		e.Pos, e.Operator, e.Hint = at, op, hint
		errs = append(errs, e)
	}
	list, ok := columns.([]any)
	if !ok {
		list = []any{columns}
	}
	which, more := t.ordinals(at, op, list)
	errs = merge(errs, more)
	if len(which) == 0 && len(errs) == 0 {
		bad(condition.InvalidValue, "Name a column, or give a selector.", "%s needs a column.", op)
	}
	if len(p.namesTo) == 0 {
		p.namesTo = []string{"name"}
	}
	re, err := regexp.Compile(p.pattern)
	switch {
	case err != nil:
		bad(condition.InvalidValue, "Write it as package regexp reads it.", "The pattern of names cannot be read: %v.", err)
	case p.pattern == "" && len(p.namesTo) > 1, p.pattern != "" && max(re.NumSubexp(), 1) != len(p.namesTo):
		bad(condition.InvalidValue, "Put each part between parentheses.", "The pattern of names has %d groups for the %d columns %s.", re.NumSubexp(), len(p.namesTo), strings.Join(p.namesTo, ", "))
	}
	for _, to := range sortedKeys(p.transforms) {
		if !slices.Contains(p.namesTo, to) || p.transforms[to] == nil {
			bad(condition.InvalidOption, "Name one of NamesTo.", "NamesTransform makes %s, which is no column of names, or has no function.", datatype.QuoteName(to))
		}
	}
	if len(errs) > 0 {
		return t.then(errs, nil)
	}
	// The names' columns have one type for all rows, as the values have.
	width := len(p.namesTo) + 1
	cells := make([][]tree.Scalar, len(which))
	types := make([]datatype.Type, width)
	for i := range types {
		types[i] = datatype.Null
	}
	for k, i := range which {
		f := t.rel.Schema().Field(i)
		parts := []string{f.Name}
		if p.pattern != "" {
			m := re.FindStringSubmatch(f.Name)
			if m == nil {
				bad(condition.InvalidValue, "Narrow the columns, or widen the pattern.", "The pattern %s does not match the column name %s.", p.pattern, datatype.QuoteName(f.Name))
				continue
			}
			if parts = m[1:]; re.NumSubexp() == 0 {
				parts = m[:1]
			}
		}
		for j, part := range parts {
			var x any = part
			if f := p.transforms[p.namesTo[j]]; f != nil {
				x = f(part)
			}
			n, e := operand(x, at)
			errs = merge(errs, e)
			cells[k] = append(cells[k], n)
		}
		v := value{node: &tree.Column{Rel: t.rel, Ordinal: i, At: at}}
		if p.valueMap != nil {
			m, err := p.valueMap(v)
			if err != nil {
				err.Pos, err.Operator = at, op
				errs = append(errs, err)
				continue
			}
			n, e := operand(AnyValue{m}, at)
			errs = merge(errs, e)
			v.node, _ = tree.StripAlias(n)
		}
		cells[k] = append(cells[k], v.node)
		for j, c := range cells[k] {
			common, ok := datatype.Common(types[j], c.Type(), true)
			if !ok {
				bad("DATATYPE_MISMATCH.DATA_DIFF_TYPES", "Cast them to one type first, or give ValuesTransform.", "Column %s is %s, which has no common type with the %s of the columns before it.", datatype.QuoteName(f.Name), c.Type(), types[j])
				break
			}
			types[j] = common
		}
	}
	if len(errs) > 0 {
		return t.then(errs, nil)
	}
	rows := make([]any, len(cells))
	for k := range cells {
		var fields []any
		for j, c := range cells[k] {
			name := p.valuesTo
			if j < len(p.namesTo) {
				name = p.namesTo[j]
			}
			n := implicit(c, types[j])
			if x, ok := n.(*tree.Cast); ok && n != c {
				x.Implicit = false
			}
			fields = append(fields, name, AnyValue{value{node: n}})
		}
		rows[k] = callAt[StructValue](at, fnStruct, fields...)
	}
	var cols []tree.Named
	taken := map[string]bool{}
	for i, c := range t.columns() {
		if !slices.Contains(which, i) {
			cols = append(cols, c)
			taken[datatype.FoldName(c.Name)] = true
		}
	}
	name := "pair"
	for taken[name] {
		name = "_" + name
	}
	pairs := callAt[ArrayValue](at, fnArray, rows...)
	if len(pairs.errs) > 0 {
		return t.then(pairs.errs, nil)
	}
	cols = append(cols, tree.Named{Name: name, Expr: pairs.node})
	wide := t.project(at, op, cols)
	return wide.unnest(at, name, nil).opened(at, op, len(cols)-1, append(slices.Clone(p.namesTo), p.valuesTo))
}

// PivotWider turns rows into columns: a row for each different combination of the other columns, and a column for each value of "name"
// that holds the "value" of the row with that name. The names of the new columns must be known when it is built: give
// [PivotNames], or pivot a memtable. See the options for the rest.
func (t Table) PivotWider(options ...PivotOption) Table {
	at := condition.Here(1)
	const op = "PivotWider"
	t = t.ready(at)
	if t.blank() {
		return t
	}
	p, errs := pivotOf(at, op, true, options)
	bad := func(name, hint, format string, args ...any) {
		e := condition.Newf(name, format, args...)
		e.Pos, e.Operator, e.Hint = at, op, hint
		errs = append(errs, e)
	}
	if p.namesFrom == nil {
		p.namesFrom = []any{"name"}
	}
	if p.valuesFrom == nil {
		p.valuesFrom = []any{"value"}
	}
	from, e1 := t.ordinals(at, op, p.namesFrom)
	values, e2 := t.ordinals(at, op, p.valuesFrom)
	errs = merge(merge(errs, e1), e2)
	var ids []int
	if p.hasIDs {
		var e []*condition.Error
		ids, e = t.ordinals(at, op, p.ids)
		errs = merge(errs, e)
	} else {
		for i := range t.rel.Schema().Len() {
			if !slices.Contains(from, i) && !slices.Contains(values, i) {
				ids = append(ids, i)
			}
		}
	}
	if len(errs) > 0 {
		return t.then(errs, nil)
	}
	if len(from) == 0 || len(values) == 0 {
		bad(condition.InvalidValue, "Name them with NamesFrom and ValuesFrom.", "%s needs a column of names and one of values.", op)
	}
	var names [][]*tree.Literal
	for _, o := range p.namesOf {
		o = o.ready(at)
		errs = merge(errs, o.errs)
		rows, ok := memtableNames(o.rel, upTo(o.rel.Schema().Len()))
		if !ok && len(o.errs) == 0 {
			bad(condition.InvalidValue, "Give a memtable, or the values themselves.", "The values of the table that PivotNames got are not known when the query is built.")
		}
		for _, row := range rows {
			tuple := make([]any, len(row))
			for i, l := range row {
				tuple[i] = AnyValue{value{node: l}}
			}
			p.names = append(p.names, tuple)
		}
	}
	if p.hasNames {
		for _, tuple := range p.names {
			if len(tuple) != len(from) {
				bad(condition.NumColumnsMismatch, "Give a value for each column of NamesFrom.", "PivotNames has %d values where NamesFrom has %d columns.", len(tuple), len(from))
				break
			}
			var row []*tree.Literal
			for j, x := range tuple {
				f := t.rel.Schema().Field(from[j])
				l, err := literalOf(x, datatype.Field{Name: f.Name, Type: f.Type, Nullable: true})
				if err != nil {
					bad(err.Condition, "Give values of the column's type.", "PivotNames, column %s: %s", datatype.QuoteName(f.Name), err.Message)
					break
				}
				row = append(row, l.(*tree.Literal))
			}
			names = append(names, row)
		}
	} else if len(errs) == 0 {
		var ok bool
		if names, ok = memtableNames(t.rel, from); !ok {
			bad(condition.InvalidValue, "Give the values with PivotNames.", "The values of %s are not known when the query is built, so neither are the new columns.", datatype.QuoteName(t.rel.Schema().Field(from[0]).Name))
		}
	}
	if len(names) == 0 && len(errs) == 0 {
		bad(condition.InvalidValue, "Give at least one with PivotNames.", "%s has no names, so it would make no column.", op)
	}
	if len(errs) > 0 {
		return t.then(errs, nil)
	}
	text := func(l *tree.Literal) string {
		if l.Value == nil {
			return "null"
		}
		return tree.LiteralText(l)
	}
	if p.sort {
		slices.SortStableFunc(names, func(a, b []*tree.Literal) int {
			for i := range a {
				if c := strings.Compare(text(a[i]), text(b[i])); c != 0 {
					return c
				}
			}
			return 0
		})
	}
	var aggs []Value
	for _, tuple := range names {
		var cond tree.Scalar
		for j, l := range tuple {
			c := &tree.Column{Rel: t.rel, Ordinal: from[j], At: at}
			test := &tree.Call{Func: fnIsNull, Args: []tree.Scalar{c}, At: at}
			if l.Value != nil {
				test = &tree.Call{Func: fnEqual, Args: []tree.Scalar{c, &tree.Literal{Value: l.Value, Typ: l.Typ, At: at}}, At: at}
			}
			n, err := resolveCall(test)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			if cond == nil {
				cond = n
			} else {
				cond = conjunction([]tree.Scalar{cond, n})
			}
		}
		for _, v := range values {
			f := t.rel.Schema().Field(v)
			x := value{node: &tree.Column{Rel: t.rel, Ordinal: v, At: at}}
			if p.aggregate == nil {
				x = callAt[AnyValue](at, fnFirst, AnyValue{x}).value
			} else {
				var err *condition.Error
				if x, err = p.aggregate(x); err != nil {
					err.Pos, err.Operator, err.Hint = at, op, "Give ValuesAgg a function of the values' family."
					errs = append(errs, err)
					continue
				}
			}
			n, e := operand(AnyValue{x}, at)
			errs = merge(errs, e)
			n, _ = tree.StripAlias(n)
			if findKind(n, catalog.Aggregate) == nil && len(e) == 0 {
				bad(condition.InvalidValue, "Use Sum, Max, First or another aggregate.", "ValuesAgg gives %s, which is no aggregate.", tree.String(n))
				break
			}
			n = onlyWhere(n, cond)
			if p.hasFill {
				c := callAt[AnyValue](at, fnCoalesce, AnyValue{value{node: n}}, p.fill)
				errs = merge(errs, c.errs)
				n = c.node
			}
			var parts []string
			if p.prefix != "" {
				parts = append(parts, p.prefix)
			}
			if len(values) > 1 {
				parts = append(parts, f.Name)
			}
			for _, l := range tuple {
				parts = append(parts, text(l))
			}
			aggs = append(aggs, AnyValue{value{node: &tree.Alias{Arg: n, Name: strings.Join(parts, p.sep), At: at}}})
		}
	}
	if len(errs) > 0 {
		return t.then(errs, nil)
	}
	g := Grouped{table: t, at: at}
	for _, i := range ids {
		f := t.rel.Schema().Field(i)
		if k := f.Type.Kind(); k == datatype.KindMap || k == datatype.KindVariant {
			bad("GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE", "Leave the column out, or give IDCols.", "Rows cannot be told apart by column %s of type %s.", datatype.QuoteName(f.Name), f.Type)
			return t.then(errs, nil)
		}
		g.keys = append(g.keys, tree.Named{Name: f.Name, Expr: &tree.Column{Rel: t.rel, Ordinal: i, At: at}})
	}
	return g.agg(at, aggs)
}

var fnFirst = fn("first")

// onlyWhere restricts every aggregate of an expression to the rows for which cond is true.
func onlyWhere(s tree.Scalar, cond tree.Scalar) tree.Scalar {
	return tree.Rewrite(s, func(n tree.Scalar) tree.Scalar {
		c, ok := n.(*tree.Call)
		if !ok || c.Func.Kind != catalog.Aggregate {
			return n
		}
		d := *c
		d.Where = cond
		if c.Where != nil {
			d.Where = conjunction([]tree.Scalar{cond, c.Where})
		}
		return &d
	})
}

// memtableNames gives the different values of columns that come unchanged from a memtable, in the order of its rows. Filters between
// them are not looked at: a name may be among them that no row is left of.
func memtableNames(r tree.Relation, columns []int) ([][]*tree.Literal, bool) {
	var v *tree.Values
	at := make([]int, len(columns))
	for k, i := range columns {
		rel, ord := r, i
		for {
			next, o, ok := tree.Origin(rel, ord)
			if !ok {
				break
			}
			rel, ord = next, o
		}
		x, ok := rel.(*tree.Values)
		if !ok || v != nil && v != x {
			return nil, false
		}
		v, at[k] = x, ord
	}
	if v == nil {
		return nil, false
	}
	seen := map[string]bool{}
	var out [][]*tree.Literal
	for _, row := range v.Rows {
		tuple := make([]*tree.Literal, len(at))
		key := ""
		for k, i := range at {
			l, ok := row[i].(*tree.Literal)
			if !ok {
				return nil, false
			}
			tuple[k] = l
			key += fmt.Sprintf("%v|%q|", l.Value == nil, tree.LiteralText(l))
		}
		if !seen[key] {
			seen[key] = true
			out = append(out, tuple)
		}
	}
	return out, true
}
