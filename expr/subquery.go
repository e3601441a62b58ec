package expr

import (
	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// AsScalar gives a table of one column as a value of other tables: the value of its one row, null where it has none. More than one row is an
// error when the query runs, SCALAR_SUBQUERY_TOO_MANY_ROWS. As in Spark the value may always be null.
//
// A condition of the table's Filter may use columns of the table that the value will be used on: then it has one row for each of that table's
// rows (a correlated subquery). Spark takes such a value in Select, Mutate and Filter, within an aggregate of Agg, and not in OrderBy.
func (t Table) AsScalar() AnyValue {
	at := condition.Here(1)
	return AnyValue{scalarSubquery(t.ready(at), at)}
}

func scalarSubquery(t Table, at condition.Pos) value {
	if t.blank() {
		return value{node: &tree.Bad{At: at}, errs: t.errs}
	}
	if n := t.rel.Schema().Len(); n != 1 {
		e := condition.Newf("INVALID_SUBQUERY_EXPRESSION.SCALAR_SUBQUERY_RETURN_MORE_THAN_ONE_OUTPUT_COLUMN", "A table as a scalar must have one column, but this one has %d.", n)
		e.Operator, e.Hint = "AsScalar", "Select the column first."
		return failed[AnyValue](at, t.errs, e).value
	}
	return value{node: &tree.Subquery{Kind: tree.ScalarSubquery, Rel: t.rel, At: at}, errs: t.errs}
}

// Exists tells whether a table has a row; it is never null. A condition of the table's Filter may use columns of the table that the value will
// be used on. Spark takes it everywhere but in OrderBy and in a join's condition.
func Exists(t Table) BooleanValue {
	at := condition.Here(1)
	t = t.ready(at)
	if t.blank() {
		return BooleanValue{value{node: &tree.Bad{At: at}, errs: t.errs}}
	}
	return BooleanValue{value{node: &tree.Subquery{Kind: tree.ExistsSubquery, Rel: t.rel, At: at}, errs: t.errs}}
}

// InTable tells whether the value is among those of a table of one column, compared under their common type. As a condition of a Filter it is
// SQL's IN (SELECT …), and its Not is NOT IN: a row whose answer is unknown, because its value is null or a null is among the table's, passes
// neither. Anywhere else Spark has no unknown: there IN is false and NOT IN is false too.
//
// Source: Spark's RewritePredicateSubquery, and live servers.
func (v value) InTable(t Table) BooleanValue {
	at := condition.Here(1)
	t = t.ready(at)
	arg, errs := operand(AnyValue{v}, at)
	errs = merge(errs, t.errs)
	if t.blank() {
		return BooleanValue{value{node: &tree.Bad{At: at}, errs: errs}}
	}
	if n := t.rel.Schema().Len(); n != 1 {
		e := condition.Newf("DATATYPE_MISMATCH.IN_SUBQUERY_LENGTH_MISMATCH", "A value can be in a table of one column, but this one has %d.", n)
		e.Operator, e.Hint = "InTable", "Select the column first."
		return failed[BooleanValue](at, errs, e)
	}
	arg, _ = tree.StripAlias(arg)
	n, err := resolveSubquery(&tree.Subquery{Kind: tree.InSubquery, Rel: t.rel, Arg: arg, At: at})
	if err != nil {
		return failed[BooleanValue](at, errs, err)
	}
	return BooleanValue{value{n, errs}}
}

// resolveSubquery gives the value of IN the type that both sides have in common; the other side is cast where it is compared.
func resolveSubquery(q *tree.Subquery) (tree.Scalar, *condition.Error) {
	if q.Kind != tree.InSubquery {
		return q, nil
	}
	arg := tree.StripImplicit(q.Arg)
	have := q.Rel.Schema().Field(0).Type
	if arg.Type().Kind() == datatype.KindInvalid || have.Kind() == datatype.KindInvalid {
		return q, nil
	}
	t, ok := datatype.Common(arg.Type(), have, true)
	if !ok || !datatype.IsOrderable(t) {
		e := condition.Newf("DATATYPE_MISMATCH.IN_SUBQUERY_DATA_TYPE_MISMATCH", "A value of type %s cannot be looked for among values of type %s.", arg.Type(), have)
		e.Operator, e.Pos, e.Hint = "InTable", q.At, "Cast one of them."
		return nil, e
	}
	out := *q
	out.Arg = implicit(arg, t)
	return &out, nil
}

// valueAsScalar makes a table of a value over one table, and a scalar of that: an aggregate over the whole table, or the value of its one row.
func valueAsScalar[V Family[V]](v V, at condition.Pos) V {
	x := valueOf(v)
	if x.node == nil {
		return failed[V](at, x.errs, zeroValue())
	}
	var rel tree.Relation
	one, free, bad := true, false, false
	tree.Walk(x.node, func(n tree.Scalar) bool {
		switch c := n.(type) {
		case *tree.Column:
			one = one && (rel == nil || rel == c.Rel)
			rel = c.Rel
		case *tree.Unbound:
			free = true
		case *tree.Bad:
			bad = true
		}
		return true
	})
	if bad {
		return v.make(value{&tree.Bad{At: at}, x.errs})
	}
	if rel == nil || !one || free {
		e := condition.Newf(condition.InvalidValue, "AsScalar needs a value over the columns of one table; %s is not.", tree.String(x.node))
		e.Operator, e.Hint = "AsScalar", "Take its columns from one table, or use table.Agg(…).AsScalar()."
		return failed[V](at, x.errs, e)
	}
	t := Table{rel: rel, errs: x.errs}
	if findKind(x.node, catalog.Aggregate) != nil {
		t = Grouped{table: t, at: at}.agg(at, []Value{v})
	} else {
		nodes, errs := t.args(at, []any{v})
		if len(errs) > 0 {
			return v.make(value{&tree.Bad{At: at}, merge(x.errs, errs)})
		}
		e, name := columnName(nodes[0])
		t = t.project(at, "AsScalar", []tree.Named{{Name: name, Expr: e}})
	}
	if len(t.errs) > len(x.errs) {
		return v.make(value{&tree.Bad{At: at}, t.errs})
	}
	return v.make(scalarSubquery(t, at))
}

// AsScalar gives the value over its whole table as a value of other tables: an aggregate, or what stands in its one row. See [Table.AsScalar].
func (v AnyValue) AsScalar() AnyValue { return valueAsScalar(v, condition.Here(1)) }

// AsScalar gives the value over its whole table as a value of other tables. See [Table.AsScalar].
func (v NumericValue) AsScalar() NumericValue { return valueAsScalar(v, condition.Here(1)) }

// AsScalar gives the value over its whole table as a value of other tables. See [Table.AsScalar].
func (v StringValue) AsScalar() StringValue { return valueAsScalar(v, condition.Here(1)) }

// AsScalar gives the value over its whole table as a value of other tables. See [Table.AsScalar].
func (v BooleanValue) AsScalar() BooleanValue { return valueAsScalar(v, condition.Here(1)) }

// AsScalar gives the value over its whole table as a value of other tables. See [Table.AsScalar].
func (v DateValue) AsScalar() DateValue { return valueAsScalar(v, condition.Here(1)) }

// AsScalar gives the value over its whole table as a value of other tables. See [Table.AsScalar].
func (v TimestampValue) AsScalar() TimestampValue { return valueAsScalar(v, condition.Here(1)) }

// AsScalar gives the value over its whole table as a value of other tables. See [Table.AsScalar].
func (v TimeValue) AsScalar() TimeValue { return valueAsScalar(v, condition.Here(1)) }

// AsScalar gives the value over its whole table as a value of other tables. See [Table.AsScalar].
func (v IntervalValue) AsScalar() IntervalValue { return valueAsScalar(v, condition.Here(1)) }

// AsScalar gives the value over its whole table as a value of other tables. See [Table.AsScalar].
func (v BinaryValue) AsScalar() BinaryValue { return valueAsScalar(v, condition.Here(1)) }

// AsScalar gives the value over its whole table as a value of other tables. See [Table.AsScalar].
func (v ArrayValue) AsScalar() ArrayValue { return valueAsScalar(v, condition.Here(1)) }

// AsScalar gives the value over its whole table as a value of other tables. See [Table.AsScalar].
func (v MapValue) AsScalar() MapValue { return valueAsScalar(v, condition.Here(1)) }

// AsScalar gives the value over its whole table as a value of other tables. See [Table.AsScalar].
func (v StructValue) AsScalar() StructValue { return valueAsScalar(v, condition.Here(1)) }

// AsScalar gives the value over its whole table as a value of other tables. See [Table.AsScalar].
func (v VariantValue) AsScalar() VariantValue { return valueAsScalar(v, condition.Here(1)) }

// subquery binds what a subquery takes from outside to the binder's inputs. What these do not have stays free: a table further outside would
// have to receive it, which Spark refuses.
func (b *binder) subquery(q *tree.Subquery) (tree.Scalar, *condition.Error) {
	out := *q
	for _, o := range q.Free() {
		if out.Bound(o) != nil || !b.has(o.Rel) {
			continue
		}
		c, err := b.column(&tree.Column{Rel: o.Rel, Ordinal: o.Ordinal, At: o.At})
		if err != nil {
			return nil, err
		}
		out.Outer = append(out.Outer[:len(out.Outer):len(out.Outer)], tree.OuterColumn{Rel: o.Rel, Ordinal: o.Ordinal, Value: c})
	}
	if len(out.Outer) > 0 {
		if err := placesOfOuter(out.Rel); err != nil {
			return nil, err
		}
	}
	return resolveSubquery(&out)
}

// has tells whether a relation is an input or an ancestor of one. What lies behind a view is another table.
func (b *binder) has(rel tree.Relation) bool {
	seen := map[tree.Relation]bool{}
	var visit func(r tree.Relation) bool
	visit = func(r tree.Relation) bool {
		if r == rel {
			return true
		}
		if _, view := r.(*tree.View); view || seen[r] {
			return false
		}
		seen[r] = true
		for _, in := range r.Inputs() {
			if visit(in) {
				return true
			}
		}
		return false
	}
	for _, in := range b.inputs {
		if visit(in) {
			return true
		}
	}
	return false
}

const outerNotAllowed = "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.ACCESSING_OUTER_QUERY_COLUMN_IS_NOT_ALLOWED"

// placesOfOuter refuses a correlated table whose columns from outside stand where Spark does not take them: on a side of an outer join that may
// be filled with nulls, on the right of a semi or anti join, and in a subquery of the subquery.
func placesOfOuter(r tree.Relation) *condition.Error {
	var found *condition.Error
	refuse := func(o *tree.Outer, where, hint string) {
		e := condition.Newf(outerNotAllowed, "Column %s of a table outside cannot be used %s.", datatype.QuoteName(o.Field().Name), where)
		e.Operator, e.Pos, e.Hint = "Filter", o.At, hint
		found = e
	}
	tree.WalkRelations(r, func(x tree.Relation) {
		if found != nil {
			return
		}
		for _, q := range tree.Subqueries(tree.Scalars(x)...) {
			if free := q.Free(); len(free) > 0 {
				refuse(free[0], "two subqueries further in", "Let the subquery between have the column, or join the tables.")
				return
			}
		}
		j, ok := x.(*tree.Join)
		if !ok {
			return
		}
		left, right := tree.FreeOuters(j.Left), tree.FreeOuters(j.Right)
		switch j.Kind {
		case tree.InnerJoin, tree.CrossJoin:
			return
		case tree.RightJoin:
			right = nil
		case tree.LeftJoin, tree.SemiJoin, tree.AntiJoin:
			left = nil
		}
		if free := append(left, right...); len(free) > 0 {
			refuse(free[0], "below the side of a "+j.Kind.String()+" join whose rows may go missing", "Filter after the join.")
		}
	})
	return found
}

// refuseSubqueries refuses the subqueries that Spark does not take in a sort key or a join condition.
func refuseSubqueries(s tree.Scalar, op string) *condition.Error {
	for _, q := range tree.Subqueries(s) {
		var e *condition.Error
		switch {
		case q.Kind != tree.ScalarSubquery:
			e = condition.Newf("UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.UNSUPPORTED_IN_EXISTS_SUBQUERY", "%s cannot hold an IN or EXISTS over a table: %s.", op, tree.String(q))
		case len(q.Outer) > 0:
			e = condition.Newf("UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.UNSUPPORTED_CORRELATED_SCALAR_SUBQUERY", "%s cannot hold a subquery that uses columns of the table: %s.", op, tree.String(q))
		default:
			continue
		}
		e.Pos, e.Operator, e.Hint = q.At, op, "Make a column of it with Mutate first."
		return e
	}
	return nil
}

// refuseInJoin refuses what a join condition cannot hold: subqueries, which Spark takes there in some joins only, and texts, which could not say
// which side a name is of.
func refuseInJoin(op string, s tree.Scalar) []*condition.Error {
	var out []*condition.Error
	tree.Walk(s, func(n tree.Scalar) bool {
		switch n.(type) {
		case *tree.Subquery, *tree.RawSQL:
			e := condition.Newf("UNSUPPORTED_JOIN_CONDITION", "A subquery or an expression in SQL cannot stand in a join condition: %s.", tree.String(n))
			e.Pos, e.Operator, e.Hint = n.Pos(), op, "Make a column of it with Mutate before the join, or Filter after it."
			out = append(out, e)
			return false
		}
		return true
	})
	return out
}
