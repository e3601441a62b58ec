package expr

import (
	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Join pairs the rows of two tables for which every condition is true (inner join). A condition is a boolean value over columns of
// both tables, or the name of a column that both have. The result has the left columns, then the right ones; a right column that
// is equal by name and condition to a left one is left out, and one whose name clashes gets the suffix _right, as in Ibis.
func (t Table) Join(right Table, on ...any) Table {
	return t.join(condition.Here(1), tree.InnerJoin, right, on)
}

// LeftJoin is [Table.Join] that keeps left rows without a partner, with nulls on the right.
func (t Table) LeftJoin(right Table, on ...any) Table {
	return t.join(condition.Here(1), tree.LeftJoin, right, on)
}

var fnEqual = fn("=")

func (t Table) join(at condition.Pos, kind tree.JoinKind, right Table, on []any) Table {
	t, right = t.ready(at), right.ready(at)
	t.errs = merge(t.errs, right.errs)
	b := &binder{inputs: []tree.Relation{t.rel, right.rel}}
	var errs []*condition.Error
	var conds []tree.Scalar
	for _, x := range on {
		switch c := x.(type) {
		case string:
			l, err := lookup(t.rel, &tree.Unbound{Name: c, At: at})
			if err != nil {
				errs = append(errs, err)
				continue
			}
			r, err := lookup(right.rel, &tree.Unbound{Name: c, At: at})
			if err != nil {
				err.Message = "Right side of the join: " + err.Message
				errs = append(errs, err)
				continue
			}
			if t.rel == right.rel {
				_, err := b.column(l.(*tree.Column))
				errs = append(errs, err)
				continue
			}
			eq, err := resolveCall(&tree.Call{Func: fnEqual, Args: []tree.Scalar{l, r}, At: at})
			if err != nil {
				errs = append(errs, err)
				continue
			}
			conds = append(conds, eq)
		case BooleanValue:
			n, e := operand(c, at)
			errs = merge(errs, e)
			n, _ = tree.StripAlias(b.bind(n))
			if err := refuseOver("Join", condition.WindowUnsupportedHere, "Make a column of it with Mutate before the join.", n); err != nil {
				errs = append(errs, err)
			} else if a := findKind(n, catalog.Aggregate); a != nil {
				err := condition.Newf("UNSUPPORTED_JOIN_CONDITION", "An aggregate cannot stand in a join condition.")
				err.Pos, err.Operator = a.At, "Join"
				errs = append(errs, err)
			}
			conds = append(conds, n)
		default:
			e := condition.Newf(condition.InvalidValue, "A join condition is a column name or a BooleanValue, not %T.", x)
			e.Pos, e.Operator = at, "Join"
			errs = append(errs, e)
		}
	}
	errs = merge(errs, b.errs)
	if len(conds) == 0 && len(errs) == 0 {
		e := condition.Newf(condition.InvalidValue, "A join needs a condition.")
		e.Pos, e.Operator, e.Hint = at, "Join", "Give a column name that both tables have, or a comparison of their columns."
		errs = append(errs, e)
	}
	if len(errs) > 0 {
		return t.then(errs, nil)
	}
	cond := conjunction(conds)
	equal := equalColumns(cond, t.rel, right.rel)
	var fields []tree.Field
	var out []tree.JoinColumn
	seen := map[string]bool{}
	for i, f := range t.rel.Schema().Fields() {
		fields, out = append(fields, f), append(out, tree.JoinColumn{Ordinal: i})
		seen[datatype.FoldName(f.Name)] = true
	}
	for i, f := range right.rel.Schema().Fields() {
		if seen[datatype.FoldName(f.Name)] {
			if l := equal[i]; l >= 0 && datatype.FoldName(t.rel.Schema().Field(l).Name) == datatype.FoldName(f.Name) {
				continue
			}
			f.Name += "_right"
		}
		if k := datatype.FoldName(f.Name); seen[k] {
			e := condition.Newf(condition.ColumnAlreadyExists, "The join would give two columns named %s.", datatype.QuoteName(f.Name))
			e.Pos, e.Operator, e.Hint = at, "Join", "Rename one of them before the join."
			errs = append(errs, e)
		} else {
			seen[k] = true
		}
		if kind == tree.LeftJoin {
			f.Nullable = true
		}
		fields, out = append(fields, f), append(out, tree.JoinColumn{FromRight: true, Ordinal: i})
	}
	return t.then(errs, func() tree.Relation {
		return &tree.Join{Node: tree.Node{Out: tree.NewSchema(fields), At: at}, Kind: kind, Left: t.rel, Right: right.rel, On: cond, Output: out}
	})
}

// equalColumns gives for each right column the left column that the condition makes equal to it, or -1.
func equalColumns(cond tree.Scalar, left, right tree.Relation) []int {
	out := make([]int, right.Schema().Len())
	for i := range out {
		out[i] = -1
	}
	var visit func(tree.Scalar)
	visit = func(s tree.Scalar) {
		c, ok := s.(*tree.Call)
		if !ok {
			return
		}
		switch c.Func.Name {
		case "and":
			visit(c.Args[0])
			visit(c.Args[1])
		case "=":
			// A key that is widened for the comparison is the same key.
			a, ok1 := stripImplicit(c.Args[0]).(*tree.Column)
			b, ok2 := stripImplicit(c.Args[1]).(*tree.Column)
			if !ok1 || !ok2 {
				return
			}
			if a.Rel == right && b.Rel == left {
				a, b = b, a
			}
			if a.Rel == left && b.Rel == right {
				same := datatype.FoldName(a.Field().Name) == datatype.FoldName(b.Field().Name)
				if out[b.Ordinal] < 0 || same { // a partner of the same name counts before another
					out[b.Ordinal] = a.Ordinal
				}
			}
		}
	}
	visit(cond)
	return out
}
