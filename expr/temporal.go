package expr

import (
	"slices"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Versions is a table of changes that says what was valid when: see [Table.Versioned]. The zero value is an error where it is used.
type Versions struct {
	table   Table
	time    string
	keys    []string
	deleted BooleanValue
	ends    bool
	at      condition.Pos
}

// Versioned reads a table of changes, which only grows, as one with versions: each row is what its key has from the row's time on, until the next row of that key. It is for
// [Table.TemporalJoin]; Flink calls it a versioned table. The time is a number, DATE, TIMESTAMP or TIMESTAMP_NTZ. At least one key is named. Rows whose time or key is null
// are no versions. Of several rows of one key and time the greatest counts, by the table's columns in their order, nulls least.
func (t Table) Versioned(time string, keys ...string) Versions {
	return Versions{table: t, time: time, keys: slices.Clone(keys), at: condition.Here(1)}
}

// DeletedWhere tells which changes end their key instead of giving it a version: from the time of a row for which the condition is true, until the next row of the key, the
// key has none. It is a condition over the table of changes, such as a flag, or a value that is null.
func (v Versions) DeletedWhere(c BooleanValue) Versions {
	v.deleted, v.ends = c, true
	return v
}

// TemporalJoin gives the left rows, each beside the version of its key that was valid at the row's time: the last one at or before it. It is SQL's FOR SYSTEM_TIME AS OF, as
// in Flink. time is the left table's column of the time, by name or as a value. on are the equalities of the left columns with the keys of the versions, as in [Table.Join], by
// default the columns of the same names; [LName] and [RName] may stand among them. Rows without a version are left out, and so are those whose time or key is null:
// [Table.TemporalLeftJoin] keeps them.
//
// Columns are named as by [Table.AsofJoin], to which it is the same looking back: every column is nullable, keys that are equal by name are left out on the right, and no right
// column has a watermark.
//
// Spark runs it in batches. Offline the left side may be a stream, and the versions a table or a stream. Of two streams both times need a [Table.Watermark]: a left row comes out
// when the watermark has passed its time, and of each key the versions from then on are kept, and the one before.
func (t Table) TemporalJoin(v Versions, time any, on ...any) Table {
	return t.temporal(condition.Here(1), "TemporalJoin", v, time, on)
}

// TemporalLeftJoin is [Table.TemporalJoin] that keeps left rows without a version, with nulls on the right.
func (t Table) TemporalLeftJoin(v Versions, time any, on ...any) Table {
	return t.temporal(condition.Here(1), "TemporalLeftJoin", v, time, on)
}

func (t Table) temporal(at condition.Pos, op string, v Versions, time any, on []any) Table {
	if v.at == (condition.Pos{}) {
		e := condition.Newf(condition.InvalidValue, "The versions of %s are the zero Versions.", op)
		e.Pos, e.Operator, e.Hint = at, op, "Use Versioned of the table of changes."
		return t.ready(at).then([]*condition.Error{e}, nil)
	}
	changes, flag := v.table.ready(at), ""
	if v.ends {
		flag = freeName("deleted", t.ready(at).rel, changes.rel)
		changes = changes.Mutate(v.deleted.As(flag))
	}
	j := newJoiner(at, op, t, changes)
	conds := j.conditions(on)
	if len(v.keys) == 0 {
		e := condition.Newf(condition.InvalidValue, "Versioned is given no key.")
		e.Pos, e.Hint = v.at, "Name the columns of which each value has versions of its own."
		j.report(e)
	}
	if len(conds) == 0 {
		for _, k := range v.keys {
			if c, ok := j.pair(fnEqual, k, k); ok {
				conds = append(conds, c)
			}
		}
	}
	left, right := j.leftTime(time), j.rightColumn(v.time, v.at)
	if !j.bound() || left == nil || right == nil {
		return j.left.then(j.errs, nil)
	}
	c, e := resolveCall(&tree.Call{Func: fnGreater, Args: []tree.Scalar{left, right}, At: at})
	if e != nil {
		j.report(e)
		return j.left.then(j.errs, nil)
	}
	j.options.asof = true
	join := &tree.AsofJoin{Node: tree.Node{At: at}, Left: j.left.rel, Right: j.right.rel, On: conjunction(conds), Temporal: true}
	j.times(join, c, true)
	j.checkKeys(join.On, v)
	if len(j.errs) == 0 {
		join.Output, join.Out = j.output(tree.LeftJoin, join.On)
	}
	joined := j.left.then(j.errs, func() tree.Relation { return join })
	if len(j.errs) > 0 {
		return joined
	}
	return joined.valid(join, right.Ordinal, op == "TemporalJoin", flag)
}

// freeName is a name that no column of some relations has.
func freeName(name string, of ...tree.Relation) string {
	for slices.ContainsFunc(of, func(r tree.Relation) bool { return len(r.Schema().Lookup(name)) > 0 }) {
		name += "_"
	}
	return name
}

// leftTime is the left table's column of the time, nil with a mistake.
func (j *joiner) leftTime(x any) tree.Scalar {
	n, errs := columnOperand(x, j.at)
	if len(errs) > 0 {
		j.errs = merge(j.errs, errs)
		return nil
	}
	n, _ = tree.StripAlias(n)
	if u, ok := n.(*tree.Unbound); ok && u.Find == nil {
		c, e := lookup(j.left.rel, u)
		if e != nil {
			j.report(e)
			return nil
		}
		return c
	}
	n = j.b.bind(n)
	if c, ok := n.(*tree.Column); !ok || c.Rel != j.left.rel {
		if n.Type().Kind() == datatype.KindInvalid && len(j.b.errs) > 0 {
			return nil // reported already
		}
		e := condition.Newf("UNSUPPORTED_JOIN_CONDITION", "The time of %s is a column of the left table, not %s.", j.op, tree.String(n))
		e.Pos, e.Hint = n.Pos(), "Mutate an expression into a column first."
		j.report(e)
		return nil
	}
	return n
}

// rightColumn is a column of the versions, nil with a mistake.
func (j *joiner) rightColumn(name string, at condition.Pos) *tree.Column {
	s, e := lookup(j.right.rel, &tree.Unbound{Name: name, At: at})
	if e != nil {
		e.Message = "Versions of " + j.op + ": " + e.Message
		j.report(e)
		return nil
	}
	c, _ := s.(*tree.Column)
	return c
}

// checkKeys holds that a condition makes the keys of the versions, and nothing else, equal to something of the left table.
func (j *joiner) checkKeys(on tree.Scalar, v Versions) {
	refuse := func(at condition.Pos, format string, args ...any) {
		e := condition.Newf("UNSUPPORTED_JOIN_CONDITION", format, args...)
		e.Pos, e.Hint = at, "Compare each column that Versioned names as a key with a left column, and no other; filter the changes before, or what was joined behind."
		j.report(e)
	}
	of := map[int]bool{}
	for _, k := range v.keys {
		c := j.rightColumn(k, v.at)
		if c == nil {
			return
		}
		of[c.Ordinal] = true
	}
	keys, l, r, rest := tree.SplitJoin(on, j.left.rel, j.right.rel)
	known := map[int]bool{}
	for _, k := range keys {
		c, ok := tree.StripImplicit(k.Right).(*tree.Column)
		if !ok || !of[c.Ordinal] {
			refuse(k.Right.Pos(), "%s is by the keys of the versions, which %s is not.", j.op, tree.String(k.Right))
			continue
		}
		known[c.Ordinal] = true
	}
	for _, s := range slices.Concat(l, r, rest) {
		if s.Type().Kind() != datatype.KindInvalid { // else it is reported already
			refuse(s.Pos(), "%s takes equalities with the keys of the versions, not %s.", j.op, tree.String(s))
		}
	}
	for _, k := range v.keys {
		if c := j.right.rel.Schema().Lookup(k); len(c) == 1 && !known[c[0]] {
			refuse(j.at, "%s compares nothing with %s, which is a key of the versions.", j.op, datatype.QuoteName(k))
		}
	}
}

// valid makes of each left row with the last change of its key what the join gives: where that change is a deletion, named by a column unless it is "", there is no version.
func (t Table) valid(join *tree.AsofJoin, time int, inner bool, flag string) Table {
	column := func(i int) AnyValue {
		return AnyValue{value{node: &tree.Column{Rel: join, Ordinal: i, At: join.At}}}
	}
	at, gone := 0, -1
	for i, c := range join.Output {
		if c.FromRight && c.Ordinal == time {
			at = i
		}
		if c.FromRight && join.Out.Field(i).Name == flag {
			gone = i
		}
	}
	out := t
	if inner {
		conds := []BooleanValue{column(at).NotNull()}
		if gone >= 0 {
			conds = append(conds, Coalesce(column(gone).AsBoolean(), false).Not())
		}
		out = out.Filter(conds...)
	}
	if gone < 0 {
		return out
	}
	if inner {
		return out.Drop(flag)
	}
	var columns []any
	for i, c := range join.Output {
		switch name := join.Out.Field(i).Name; {
		case i == gone:
		case c.FromRight:
			columns = append(columns, If(Coalesce(column(gone).AsBoolean(), false).Not(), column(i), nil).As(name))
		default:
			columns = append(columns, column(i))
		}
	}
	return out.Select(columns...)
}
