package expr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Grouped is a table on its way into an aggregation: what [Table.GroupBy] gives.
type Grouped struct {
	table Table
	keys  []tree.Named
	// sets are the grouping sets as ordinals of keys; nil for a plain grouping.
	sets [][]int
	// having are the conditions on groups, not bound yet.
	having []BooleanValue
	at     condition.Pos
	// window is what OrderBy and Over added for Mutate and Select.
	window WindowSpec
}

// GroupBy groups rows by keys: column names, values, selectors, or windows of event time (package window), of which there can be one. A
// window gives the struct column "window" unless it is named with As. [Rollup], [Cube] and [GroupingSets] among them group more than
// once: plain keys are then in every set, and several such elements multiply, as in SQL.
func (t Table) GroupBy(keys ...any) Grouped { return t.groupBy(condition.Here(1), keys) }

func (t Table) groupBy(at condition.Pos, keys []any) Grouped {
	t = t.ready(at)
	nodes, sets, errs := t.groupKeys(at, keys)
	g := Grouped{table: t, sets: sets, at: at}
	windows := 0
	for _, n := range nodes {
		e, name := columnName(n)
		g.keys = append(g.keys, tree.Named{Name: name, Expr: e})
		if c := findKind(e, catalog.TimeWindow); c != nil {
			windows++
			if tree.Scalar(c) != e {
				err := condition.Newf(condition.Unsupported, "A time window must be a grouping key by itself, not a part of %s.", tree.String(e))
				err.Pos, err.Operator = c.At, "GroupBy"
				errs = append(errs, err)
			}
			if c.Func.Name != "window" && !(&tree.Aggregate{Sets: sets}).InEverySet(len(g.keys)-1) {
				err := condition.Newf(condition.Unsupported, "A %s must be in every grouping set.", strings.ReplaceAll(c.Func.Name, "_", " "))
				err.Pos, err.Operator, err.Hint = c.At, "GroupBy", "Give it to GroupBy beside Rollup, Cube or GroupingSets."
				errs = append(errs, err)
			}
		}
		if err := refuseOver("GroupBy", condition.WindowUnsupportedHere, "Make a column of it with Mutate first.", e); err != nil {
			errs = append(errs, err)
		} else if a := findKind(e, catalog.Aggregate); a != nil {
			err := condition.Newf("GROUP_BY_AGGREGATE", "The grouping key %s has an aggregate in it.", tree.String(e))
			err.Pos, err.Operator, err.Hint = a.At, "GroupBy", "Compute the aggregate first, by Agg or over a window, and group what that gives."
			errs = append(errs, err)
		}
		if k := e.Type().Kind(); k == datatype.KindMap || k == datatype.KindVariant {
			err := condition.Newf("GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE", "The grouping key %s is %s, which cannot be compared.", name, e.Type())
			err.Pos, err.Operator, err.Hint = e.Pos(), "GroupBy", "Group by its fields, or by a text of it: to_json, or map_entries for a map."
			errs = append(errs, err)
		}
	}
	if windows > 1 {
		err := condition.Newf("_LEGACY_ERROR_TEMP_1039", "Multiple time windows in one GroupBy would give a Cartesian product.")
		err.Pos, err.Operator, err.Hint = at, "GroupBy", "Group by one window, and aggregate again by the other."
		errs = append(errs, err)
	}
	if len(errs) > 0 {
		g.keys, g.sets = nil, nil // nothing more is reported on them
	}
	g.table = t.then(errs, func() tree.Relation { return t.rel })
	return g
}

// Agg computes aggregates over each group. The result is the keys, then the aggregates, named by As or by their text. Everything
// that is not in an aggregate must be a grouping key.
func (g Grouped) Agg(aggregates ...Value) Table {
	at := condition.Here(1)
	return g.agg(at, aggregates)
}

// Agg computes aggregates over the whole table: one row, over an empty table too.
func (t Table) Agg(aggregates ...Value) Table {
	at := condition.Here(1)
	return Grouped{table: t.ready(at), at: at}.agg(at, aggregates)
}

func (g Grouped) agg(at condition.Pos, aggregates []Value) Table {
	t := g.table.ready(at)
	in := make([]any, len(aggregates))
	for i, a := range aggregates {
		in[i] = a
	}
	nodes, errs := t.bind(at, in)
	if len(errs) > 0 || len(t.errs) > 0 && len(g.keys) == 0 {
		return t.then(errs, func() tree.Relation { return t.rel })
	}
	cols := append([]tree.Named(nil), g.keys...)
	for _, n := range nodes {
		e, name := columnName(n)
		cols = append(cols, tree.Named{Name: name, Expr: e})
		errs = append(errs, g.checkAggregate("Agg", e)...)
	}
	fields := make([]tree.Field, len(cols))
	seen := map[string]bool{}
	for i, c := range cols {
		fields[i] = field(c)
		if g.sets != nil {
			fields[i].Nullable = g.nullable(c.Expr)
		}
		if k := datatype.FoldName(c.Name); seen[k] {
			e := condition.Newf(condition.ColumnAlreadyExists, "The grouping would give two columns named %s.", datatype.QuoteName(c.Name))
			if e.Pos, e.Hint = at, "Name one of them with As."; i < len(g.keys) {
				e.Operator, e.Hint = "GroupBy", "Give each key once, or name one of them with As."
			}
			errs = append(errs, e)
		} else {
			seen[k] = true
		}
	}
	if len(cols) == 0 {
		e := condition.Newf(condition.InvalidValue, "Agg needs an aggregate or a grouping key.")
		e.Pos, e.Operator, e.Hint = at, "Agg", "Give it one, as in Agg(expr.Count().As(\"n\"))."
		errs = append(errs, e)
	}
	conds, more := g.conditions(t, at)
	errs = append(errs, more...)
	return t.then(errs, func() tree.Relation {
		a := &tree.Aggregate{Node: tree.Node{Out: tree.NewSchema(fields), At: at}, Input: t.rel, Keys: cols[:len(g.keys):len(g.keys)], Aggs: cols[len(g.keys):], Sets: g.sets}
		if len(conds) == 0 {
			return a
		}
		return g.filtered(a, conds)
	})
}

// nullable tells whether a value of grouping sets may be null, where keys that a set leaves out are.
func (g Grouped) nullable(s tree.Scalar) bool {
	sets := &tree.Aggregate{Sets: g.sets}
	return tree.Rewrite(s, func(n tree.Scalar) tree.Scalar {
		for i, k := range g.keys {
			if !sets.InEverySet(i) && equalScalar(k.Expr, n) {
				gone := &tree.Values{Node: tree.Node{Out: tree.NewSchema([]tree.Field{{Name: k.Name, Type: n.Type(), Nullable: true}})}}
				return &tree.Column{Rel: gone, At: n.Pos()}
			}
		}
		out, err := n, (*condition.Error)(nil)
		switch x := n.(type) {
		case *tree.Call:
			if x.Func.Kind == catalog.Scalar {
				out, err = resolveCall(x)
			}
		case *tree.Case:
			out, err = resolveCase(x)
		}
		if err != nil {
			return n // its types are known to be right
		}
		return out
	}).Nullable()
}

// Having keeps the groups for which every condition is true; null counts as false. Conditions are over aggregates and grouping keys, and
// need not be among what Agg computes. To filter by a column of the result, Filter behind Agg does as well.
func (g Grouped) Having(conditions ...BooleanValue) Grouped {
	g.having = append(g.having[:len(g.having):len(g.having)], conditions...)
	return g
}

// Count counts the rows of each group in the column "count".
func (g Grouped) Count() Table {
	at := condition.Here(1)
	return g.agg(at, []Value{callAt[NumericValue](at, fnCount).As("count")})
}

// Size is [Grouped.Count], as in Ibis.
func (g Grouped) Size() Table {
	at := condition.Here(1)
	return g.agg(at, []Value{callAt[NumericValue](at, fnCount).As("count")})
}

// conditions binds what Having was given.
func (g Grouped) conditions(t Table, at condition.Pos) ([]tree.Scalar, []*condition.Error) {
	in := make([]any, len(g.having))
	for i, c := range g.having {
		in[i] = c
	}
	nodes, errs := t.bind(at, in)
	for i, n := range nodes {
		n, _ = tree.StripAlias(n)
		nodes[i] = n
		errs = append(errs, g.checkAggregate("Having", n)...)
		if k := n.Type().Kind(); k != datatype.KindBoolean && k != datatype.KindInvalid && k != datatype.KindNull {
			e := condition.Newf(condition.FilterNotBoolean, "The condition %s is %s, not BOOLEAN.", tree.String(n), n.Type())
			e.Pos, e.Operator = n.Pos(), "Having"
			errs = append(errs, e)
		}
	}
	return nodes, errs
}

// filtered computes the conditions of Having beside the aggregates, filters by them, and leaves them out again. Of a condition on a window of time the
// aggregates alone are computed there: Spark has one such window in a SELECT, and another expression of it may be refused.
func (g Grouped) filtered(a *tree.Aggregate, conds []tree.Scalar) tree.Relation {
	out := a.Out
	fields := append([]tree.Field(nil), out.Fields()...)
	wide := &tree.Aggregate{Node: tree.Node{At: a.At}, Input: a.Input, Keys: a.Keys, Aggs: append([]tree.Named(nil), a.Aggs...), Sets: a.Sets}
	made := 0
	beside := func(s tree.Scalar, at condition.Pos) tree.Scalar {
		made++
		name := fmt.Sprintf("_having_%d", made)
		for len(out.Lookup(name)) > 0 {
			name = "_" + name
		}
		wide.Aggs = append(wide.Aggs, tree.Named{Name: name, Expr: s})
		fields = append(fields, tree.Field{Name: name, Type: s.Type(), Nullable: s.Nullable()})
		return &tree.Column{Rel: wide, Ordinal: len(fields) - 1, At: at}
	}
	all := make([]tree.Scalar, len(conds))
	for i, c := range conds {
		all[i] = c
		if !slices.ContainsFunc(a.Keys, func(k tree.Named) bool { return tree.TimeWindow(k.Expr) != nil && within(c, k.Expr) }) {
			all[i] = beside(c, g.having[i].node.Pos())
			continue
		}
		all[i] = tree.RewriteDown(c, func(s tree.Scalar) (tree.Scalar, bool) {
			for k, key := range a.Keys {
				if equalScalar(key.Expr, s) {
					return &tree.Column{Rel: wide, Ordinal: k, At: s.Pos()}, true
				}
			}
			if x, ok := s.(*tree.Call); ok && (x.Func.Kind == catalog.Aggregate || x.Func.Kind == catalog.Grouping) {
				return beside(s, s.Pos()), true
			}
			return s, false
		})
	}
	wide.Out = tree.NewSchema(fields)
	f := &tree.Filter{Node: tree.Node{Out: wide.Out, At: a.At}, Input: wide, Cond: conjunction(all)}
	p := &tree.Project{Node: tree.Node{Out: out, At: a.At}, Input: f}
	for i, x := range out.Fields() {
		p.Columns = append(p.Columns, tree.Named{Name: x.Name, Expr: &tree.Column{Rel: f, Ordinal: i, At: a.At}})
	}
	return p
}

// checkAggregate refuses columns outside aggregates that are no grouping keys, aggregates within aggregates, and grouping functions of
// what is no key of grouping sets.
func (g Grouped) checkAggregate(op string, e tree.Scalar) []*condition.Error {
	var errs []*condition.Error
	var visit func(s tree.Scalar, inside *tree.Call)
	visit = func(s tree.Scalar, inside *tree.Call) {
		for _, k := range g.keys {
			if inside == nil && equalScalar(k.Expr, s) {
				return
			}
		}
		if _, over := s.(*tree.Over); over || isWindowCall(s) {
			name, hint := condition.Unsupported, "Aggregate first, and Mutate the result; or Mutate before GroupBy."
			if inside != nil {
				name, hint = condition.WindowInAggregate, "Make a column of it with Mutate before GroupBy."
			}
			errs = append(errs, refuseOver("Agg", name, hint, s))
			return
		}
		switch x := s.(type) {
		case *tree.Column:
			if inside == nil {
				err := condition.Newf(condition.MissingAggregation, "Column %s is neither a grouping key nor inside an aggregate.", datatype.QuoteName(x.Field().Name))
				err.Pos, err.Operator, err.Hint = x.At, op, "Group by it, or wrap it, for example in First()."
				errs = append(errs, err)
			}
		case *tree.Subquery:
			if inside == nil && x.Kind == tree.ScalarSubquery && len(x.Outer) > 0 {
				err := condition.Newf("SCALAR_SUBQUERY_IS_IN_GROUP_BY_OR_AGGREGATE_FUNCTION", "A subquery that uses columns of the table must be in an aggregate or be a grouping key: %s.", tree.String(x))
				err.Pos, err.Operator, err.Hint = x.At, "Agg", "Add it with Mutate after Agg, or wrap it, for example in First()."
				errs = append(errs, err)
				return
			}
		case *tree.Call:
			if x.Func.Kind == catalog.Grouping {
				errs = append(errs, g.checkGrouping(op, x)...)
				return
			}
			if x.Func.Kind == catalog.Aggregate {
				if inside != nil {
					err := condition.Newf(condition.NestedAggregate, "The aggregate %s stands inside %s.", x.Func.Name, inside.Func.Name)
					err.Pos, err.Operator, err.Hint = x.At, op, "Aggregate twice: Agg after Agg."
					errs = append(errs, err)
					return
				}
				inside = x
			}
		}
		for _, c := range tree.Children(s) {
			visit(c, inside)
		}
	}
	visit(e, nil)
	return errs
}

func isWindowCall(s tree.Scalar) bool {
	c, ok := s.(*tree.Call)
	return ok && c.Func.Kind == catalog.Window
}

// checkGrouping refuses a grouping function without grouping sets, or of what is no key of them.
func (g Grouped) checkGrouping(op string, x *tree.Call) []*condition.Error {
	if g.sets == nil {
		err := condition.Newf("UNSUPPORTED_GROUPING_EXPRESSION", "%s tells of the rows of grouping sets, and this grouping has none.", tree.String(x))
		err.Pos, err.Operator, err.Hint = x.At, op, "Group by Rollup, Cube or GroupingSets."
		return []*condition.Error{err}
	}
	for _, a := range x.Args {
		known := false
		for _, k := range g.keys {
			known = known || equalScalar(k.Expr, a)
		}
		if !known {
			err := condition.Newf("GROUPING_COLUMN_MISMATCH", "%s is no key of this grouping.", tree.String(a))
			err.Pos, err.Operator, err.Hint = x.At, op, "Name one of its keys."
			return []*condition.Error{err}
		}
	}
	return nil
}

// within tells whether a part of a bound value is the same expression as another.
func within(s, part tree.Scalar) bool {
	found := false
	tree.Walk(s, func(n tree.Scalar) bool {
		found = found || equalScalar(n, part)
		return !found
	})
	return found
}

// equalScalar tells whether two bound values are the same expression.
func equalScalar(a, b tree.Scalar) bool {
	a, _ = tree.StripAlias(a)
	b, _ = tree.StripAlias(b)
	switch x := a.(type) {
	case *tree.Column:
		y, ok := b.(*tree.Column)
		return ok && x.Rel == y.Rel && x.Ordinal == y.Ordinal
	case *tree.Unbound:
		y, ok := b.(*tree.Unbound)
		return ok && x.Name == y.Name
	case *tree.Literal:
		y, ok := b.(*tree.Literal)
		return ok && datatype.Equal(x.Typ, y.Typ) && tree.LiteralText(x) == tree.LiteralText(y) && (x.Value == nil) == (y.Value == nil)
	case *tree.Call:
		y, ok := b.(*tree.Call)
		if !ok || x.Func != y.Func || x.Distinct != y.Distinct || x.IgnoreNulls != y.IgnoreNulls || (x.Where == nil) != (y.Where == nil) || x.Func.NonDeterministic {
			return false
		}
	case *tree.Cast:
		y, ok := b.(*tree.Cast)
		if !ok || !datatype.Equal(x.To, y.To) || x.Try != y.Try {
			return false
		}
	case *tree.Subquery:
		y, ok := b.(*tree.Subquery)
		if !ok || x.Kind != y.Kind || x.Rel != y.Rel {
			return false
		}
	case *tree.Param:
		y, ok := b.(*tree.Param)
		return ok && x.Name == y.Name
	case *tree.RawSQL:
		y, ok := b.(*tree.RawSQL)
		return ok && x.Text == y.Text
	case *tree.GetField:
		y, ok := b.(*tree.GetField)
		if !ok || x.Ordinal != y.Ordinal {
			return false
		}
	case *tree.Case:
		y, ok := b.(*tree.Case)
		if !ok || (x.Else == nil) != (y.Else == nil) {
			return false
		}
	case *tree.Over:
		y, ok := b.(*tree.Over)
		return ok && tree.String(x) == tree.String(y) && equalScalar(x.Func, y.Func) && equalChildren(x, y)
	case *tree.Lambda:
		y, ok := b.(*tree.Lambda)
		return ok && len(x.Params) == len(y.Params) && equalScalar(x.Body, y.Substitute(x.Params).Body)
	default:
		return a == b
	}
	return equalChildren(a, b)
}

func equalChildren(a, b tree.Scalar) bool {
	ca, cb := tree.Children(a), tree.Children(b)
	if len(ca) != len(cb) {
		return false
	}
	for i := range ca {
		if !equalScalar(ca[i], cb[i]) {
			return false
		}
	}
	return true
}

// Count counts rows.
func Count() NumericValue { return callAt[NumericValue](condition.Here(1), fnCount) }

// CountDistinct counts the different combinations of values that are not null. Spark refuses it on streams.
func CountDistinct(values ...Value) NumericValue {
	args := make([]any, len(values))
	for i, v := range values {
		args[i] = v
	}
	v := callAt[NumericValue](condition.Here(1), fnCount, args...)
	if c, ok := v.node.(*tree.Call); ok {
		d := *c
		d.Distinct = true
		v.node = &d
	}
	return v
}

var fnCount = fn("count")

// Where restricts an aggregate to the rows for which cond is true: FILTER (WHERE …) in SQL.
func Where[V Family[V]](aggregate V, cond BooleanValue) V {
	at := condition.Here(1)
	x := valueOf(aggregate)
	c, errs := operand(cond, at)
	errs = merge(x.errs, errs)
	inner, name := tree.StripAlias(x.node)
	over, isOver := inner.(*tree.Over)
	call, ok := inner.(*tree.Call)
	if isOver {
		call, ok = over.Func, true
	}
	if !ok || call.Func.Kind != catalog.Aggregate {
		if _, bad := inner.(*tree.Bad); bad {
			return aggregate.make(value{x.node, errs})
		}
		e := condition.Newf(condition.InvalidValue, "Where needs an aggregate, such as Sum().")
		e.Hint = "Use expr.If for a value per row."
		return failed[V](at, errs, e)
	}
	d := *call
	d.Where = c
	var n tree.Scalar = &d
	if isOver {
		o := *over
		o.Func = &d
		n = &o
	}
	if name != "" {
		n = &tree.Alias{Arg: n, Name: name, At: at}
	}
	return aggregate.make(value{n, errs})
}
