package expr

import (
	"math/big"
	"strings"

	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Join pairs the rows of two tables for which every condition is true (inner join). A condition is a boolean value over columns of
// both tables, the name of a column that both have, or a [2]string of a left column's name and a right one's; a [JoinOption] may
// stand among them. A null equals nothing, unless the condition is EqNullSafe.
//
// The result has the left columns, then the right ones; a right column that is equal by name and condition to a left one is left
// out, and one whose name clashes gets the suffix _right, as in Ibis: [LName] and [RName] choose other names. A table is joined
// with itself by [Table.View].
func (t Table) Join(right Table, on ...any) Table {
	return t.join(condition.Here(1), "Join", tree.InnerJoin, right, on)
}

// LeftJoin is [Table.Join] that keeps left rows without a partner, with nulls on the right.
func (t Table) LeftJoin(right Table, on ...any) Table {
	return t.join(condition.Here(1), "LeftJoin", tree.LeftJoin, right, on)
}

// RightJoin is [Table.Join] that keeps right rows without a partner, with nulls on the left. Keys of both sides are in the result,
// the right one under its new name, since the left one is null in such rows.
func (t Table) RightJoin(right Table, on ...any) Table {
	return t.join(condition.Here(1), "RightJoin", tree.RightJoin, right, on)
}

// OuterJoin is [Table.Join] that keeps the rows of either side without a partner, with nulls on the other (full outer join). Keys of
// both sides are in the result, as in [Table.RightJoin].
func (t Table) OuterJoin(right Table, on ...any) Table {
	return t.join(condition.Here(1), "OuterJoin", tree.FullJoin, right, on)
}

// SemiJoin keeps the left rows that have a partner, each once however many there are. The result has the left columns only.
func (t Table) SemiJoin(right Table, on ...any) Table {
	return t.join(condition.Here(1), "SemiJoin", tree.SemiJoin, right, on)
}

// AntiJoin keeps the left rows that have no partner; a row whose key is null is one of them. The result has the left columns only.
func (t Table) AntiJoin(right Table, on ...any) Table {
	return t.join(condition.Here(1), "AntiJoin", tree.AntiJoin, right, on)
}

// CrossJoin pairs every left row with every right one.
func (t Table) CrossJoin(right Table, options ...JoinOption) Table {
	on := make([]any, len(options))
	for i, o := range options {
		on[i] = o
	}
	return t.join(condition.Here(1), "CrossJoin", tree.CrossJoin, right, on)
}

// AnyJoin is [Table.Join] with one partner at most for each left row (Ibis's any_inner_join). Of several partners the least counts,
// by the right table's columns in their order, nulls first; columns without an order (maps, VARIANT) are passed over. So the answer
// is fixed, but for rows that differ in such columns only. At least one condition is an equality between the sides, and none but
// equalities looks at both. Columns are named as by [Table.Join].
func (t Table) AnyJoin(right Table, on ...any) Table {
	return t.join(condition.Here(1), "AnyJoin", tree.AnyInnerJoin, right, on)
}

// AnyLeftJoin is [Table.AnyJoin] that keeps left rows without a partner, with nulls on the right: each left row comes out once.
func (t Table) AnyLeftJoin(right Table, on ...any) Table {
	return t.join(condition.Here(1), "AnyLeftJoin", tree.AnyLeftJoin, right, on)
}

// JoinOption is a choice beside the conditions of a join.
type JoinOption struct {
	name  string
	apply func(*joinOptions) *condition.Error
}

// joinOptions are the choices of one join.
type joinOptions struct {
	left, right string
	asof        bool
	direction   *tree.AsofDirection
	strict      bool
	tolerance   any
}

// LName names left columns whose names clash with right ones, Ibis's lname: a text in which {name} stands for the column's name. They
// keep their names by default.
func LName(template string) JoinOption {
	return JoinOption{"LName", func(o *joinOptions) *condition.Error {
		o.left = template
		return checkTemplate(template)
	}}
}

// RName names right columns whose names clash with left ones, Ibis's rname: a text in which {name} stands for the column's name,
// "{name}_right" by default.
func RName(template string) JoinOption {
	return JoinOption{"RName", func(o *joinOptions) *condition.Error {
		o.right = template
		return checkTemplate(template)
	}}
}

func checkTemplate(s string) *condition.Error {
	if strings.Contains(s, "{name}") {
		return nil
	}
	e := condition.Newf(condition.InvalidValue, "The template %q for clashing columns has no {name} in it.", s)
	e.Hint = `Write one such as "{name}_right".`
	return e
}

func asofOption(name string, f func(*joinOptions) *condition.Error) JoinOption {
	return JoinOption{name, func(o *joinOptions) *condition.Error {
		if !o.asof {
			e := condition.Newf(condition.InvalidValue, "%s is an option of AsofJoin.", name)
			e.Hint = "Leave it out, or use AsofJoin."
			return e
		}
		return f(o)
	}}
}

func asofDirection(name string, d tree.AsofDirection) JoinOption {
	return asofOption(name, func(o *joinOptions) *condition.Error {
		if o.direction != nil && *o.direction != d {
			e := condition.Newf(condition.InvalidValue, "AsofJoin is given two directions, %s and %s.", *o.direction, d)
			e.Hint = "Give one: a comparison of the times is a direction too."
			return e
		}
		o.direction = &d
		return nil
	})
}

// AsofBackward makes an [Table.AsofJoin] take the last right row at or before the left row's time: the default.
func AsofBackward() JoinOption { return asofDirection("AsofBackward", tree.AsofBackward) }

// AsofForward makes an [Table.AsofJoin] take the first right row at or after the left row's time.
func AsofForward() JoinOption { return asofDirection("AsofForward", tree.AsofForward) }

// AsofNearest makes an [Table.AsofJoin] take the right row whose time is nearest, the earlier one where two are equally near.
func AsofNearest() JoinOption { return asofDirection("AsofNearest", tree.AsofNearest) }

// AsofStrict makes an [Table.AsofJoin] leave out right rows of the very same time (pandas' allow_exact_matches=False).
func AsofStrict() JoinOption {
	return asofOption("AsofStrict", func(o *joinOptions) *condition.Error {
		o.strict = true
		return nil
	})
}

// AsofTolerance bounds the distance between the times of an [Table.AsofJoin]; a distance of exactly the bound is within it. It is a
// time.Duration for DATE (of which whole days count), TIMESTAMP and TIMESTAMP_NTZ, and a number for numbers. A duration between time
// stamps is elapsed time, whatever the session's zone does in between.
func AsofTolerance(distance any) JoinOption {
	return asofOption("AsofTolerance", func(o *joinOptions) *condition.Error {
		o.tolerance = distance
		if distance == nil {
			return condition.Newf(condition.InvalidValue, "The tolerance of AsofJoin is nil.")
		}
		return nil
	})
}

// AsofJoin gives each left row once, beside the right row whose time is nearest in a direction: by default the last one at or before
// the left row's. on is the name of the time column that both have, a [2]string of the left one's name and the right one's, or a
// comparison of the two, which is a direction: left ≥ right looks backward, left ≤ right forward, and > and < are strict. Times are
// numbers, DATE, TIMESTAMP or TIMESTAMP_NTZ. more are the equalities of keys that must hold besides, as in [Table.Join], and options:
// [AsofForward], [AsofNearest], [AsofStrict], [AsofTolerance], [LName], [RName].
//
// A left row without a partner keeps nulls on the right; so does one whose time or key is null. Of several right rows of the same time
// the greatest counts, by the right table's columns in their order, nulls least: the one that ORDER BY all of them would put last.
//
// Every column of the result is nullable. Keys that are equal by name are left out on the right, times are kept on both sides; no right column has a watermark, since the
// nearest row may be older than it. On Spark it is a window over both tables put together, in n log n; without keys that is one partition.
//
// Spark refuses streams. Offline the left side may be a stream, and the right one a table or a stream too. Of two streams both times need a [Table.Watermark]: a left row
// comes out when the watermark has passed its time, or, forward and to the nearest, its time and the tolerance, which those need then. Looking back, the tolerance bounds
// how long right rows are kept; without one the newest of each key stays.
func (t Table) AsofJoin(right Table, on any, more ...any) Table {
	return t.asofJoin(condition.Here(1), right, on, more)
}

var (
	fnEqual   = fn("=")
	fnGreater = fn(">=")
)

// joiner checks what a join was given, both sides of which are ready.
type joiner struct {
	at          condition.Pos
	op          string
	left, right Table
	b           *binder
	options     joinOptions
	errs        []*condition.Error
}

func newJoiner(at condition.Pos, op string, left, right Table) *joiner {
	left, right = left.ready(at), right.ready(at)
	left.errs = merge(left.errs, right.errs)
	return &joiner{at: at, op: op, left: left, right: right, b: &binder{inputs: []tree.Relation{left.rel, right.rel}}, options: joinOptions{left: "{name}", right: "{name}_right"}}
}

// report notes a mistake; the place and the operator are the join's where the mistake has none.
func (j *joiner) report(e *condition.Error) {
	if e.Pos == (condition.Pos{}) {
		e.Pos = j.at
	}
	if e.Operator == "" {
		e.Operator = j.op
	}
	j.errs = append(j.errs, e)
}

// pair finds a left and a right column by name and compares them.
func (j *joiner) pair(f *catalog.Function, left, right string) (tree.Scalar, bool) {
	l, err := lookup(j.left.rel, &tree.Unbound{Name: left, At: j.at})
	if err != nil {
		j.errs = append(j.errs, err)
		return nil, false
	}
	r, err := lookup(j.right.rel, &tree.Unbound{Name: right, At: j.at})
	if err != nil {
		err.Message = "Right side of the join: " + err.Message
		j.errs = append(j.errs, err)
		return nil, false
	}
	if j.left.rel == j.right.rel {
		_, err := j.b.column(l.(*tree.Column))
		j.errs = append(j.errs, err)
		return nil, false
	}
	c, err := resolveCall(&tree.Call{Func: f, Args: []tree.Scalar{l, r}, At: j.at})
	if err != nil {
		j.errs = append(j.errs, err)
		return nil, false
	}
	return c, true
}

// condition binds a condition that was given as a name, as two, or as a value.
func (j *joiner) condition(x any, f *catalog.Function) (tree.Scalar, bool) {
	switch c := x.(type) {
	case string:
		return j.pair(f, c, c)
	case [2]string:
		return j.pair(f, c[0], c[1])
	case BooleanValue:
		n, e := operand(c, j.at)
		j.errs = merge(j.errs, e)
		n, _ = tree.StripAlias(j.b.bind(n))
		if err := refuseOver(j.op, condition.WindowUnsupportedHere, "Make a column of it with Mutate before the join.", n); err != nil {
			j.report(err)
		} else if a := findKind(n, catalog.Aggregate); a != nil {
			err := condition.Newf("UNSUPPORTED_JOIN_CONDITION", "An aggregate cannot stand in a join condition.")
			err.Pos = a.At
			j.report(err)
		}
		j.errs = append(j.errs, refuseInJoin(j.op, n)...)
		return n, true
	}
	e := condition.Newf(condition.InvalidValue, "A join condition is a column name, a [2]string of a left and a right one, or a BooleanValue, not %T.", x)
	j.report(e)
	return nil, false
}

// conditions binds all that was given beside the tables: conditions, and options, which are put into j.options.
func (j *joiner) conditions(on []any) []tree.Scalar {
	var conds []tree.Scalar
	for _, x := range on {
		if o, ok := x.(JoinOption); ok {
			if o.apply == nil {
				e := condition.Newf(condition.InvalidValue, "An option of the join is the zero JoinOption.")
				e.Hint = "Use a function of package expr that gives one, such as expr.LName, or leave it out."
				j.report(e)
			} else if e := o.apply(&j.options); e != nil {
				j.report(e)
			}
			continue
		}
		if c, ok := j.condition(x, fnEqual); ok {
			conds = append(conds, c)
		}
	}
	return conds
}

// bound gathers the mistakes of binding; a table that is joined with itself is one even where no condition names a column of it.
func (j *joiner) bound() bool {
	j.errs = merge(j.errs, j.b.errs)
	if len(j.errs) == 0 && j.left.rel == j.right.rel {
		e := condition.Newf(condition.AmbiguousReference, "A table is joined with itself, so its columns cannot be told apart.")
		e.Hint = "Join with t.View(), and take the right side's columns from the view."
		j.report(e)
	}
	return len(j.errs) == 0
}

func (t Table) join(at condition.Pos, op string, kind tree.JoinKind, right Table, on []any) Table {
	j := newJoiner(at, op, t, right)
	conds := j.conditions(on)
	if len(conds) == 0 && len(j.errs) == 0 && kind != tree.CrossJoin {
		e := condition.Newf(condition.InvalidValue, "A join needs a condition.")
		e.Hint = "Give a column name that both tables have, or a comparison of their columns; every row with every other is CrossJoin."
		j.report(e)
	}
	if !j.bound() {
		return j.left.then(j.errs, nil)
	}
	var cond tree.Scalar
	if len(conds) > 0 {
		cond = conjunction(conds)
	}
	if kind.Any() {
		j.checkAny(cond)
	}
	out, schema := j.output(kind, cond)
	return j.left.then(j.errs, func() tree.Relation {
		return &tree.Join{Node: tree.Node{Out: schema, At: at}, Kind: kind, Left: j.left.rel, Right: j.right.rel, On: cond, Output: out}
	})
}

// checkAny refuses an any join whose condition does not choose the right rows by keys: a row's one partner is found before the sides meet.
func (j *joiner) checkAny(cond tree.Scalar) {
	keys, _, _, rest := tree.SplitJoin(cond, j.left.rel, j.right.rel)
	for _, s := range rest {
		if s.Type().Kind() == datatype.KindInvalid {
			continue // reported already
		}
		e := condition.Newf("UNSUPPORTED_JOIN_CONDITION", "%s compares both sides by %s, but it takes equalities between the sides and conditions on one of them.", j.op, tree.String(s))
		e.Pos, e.Hint = s.Pos(), "Use SemiJoin where no right column is needed, AsofJoin for the nearest row, or Join and pick one row of each with an aggregation."
		j.report(e)
	}
	if len(keys) == 0 && len(rest) == 0 {
		e := condition.Newf("UNSUPPORTED_JOIN_CONDITION", "%s needs an equality between the sides.", j.op)
		e.Hint = "Give a column name that both tables have, or compare a left column with a right one by Eq."
		j.report(e)
	}
}

// output chooses and names the columns of a join.
func (j *joiner) output(kind tree.JoinKind, cond tree.Scalar) ([]tree.JoinColumn, *tree.Schema) {
	left, right := j.left.rel.Schema(), j.right.rel.Schema()
	leftNull := kind == tree.RightJoin || kind == tree.FullJoin || j.options.asof
	rightNull := kind == tree.LeftJoin || kind == tree.FullJoin || kind == tree.AnyLeftJoin || j.options.asof
	leftOnly := kind == tree.SemiJoin || kind == tree.AntiJoin
	// A key that is equal on both sides stands once, except where it may be null on one side only.
	dropped := make([]bool, right.Len())
	if !leftNull || j.options.asof {
		for i, l := range equalColumns(cond, j.left.rel, j.right.rel) {
			dropped[i] = l >= 0 && datatype.FoldName(left.Field(l).Name) == datatype.FoldName(right.Field(i).Name)
		}
	}
	clashing := map[string]bool{}
	if !leftOnly {
		for i, f := range right.Fields() {
			if len(left.Lookup(f.Name)) > 0 && !dropped[i] {
				clashing[datatype.FoldName(f.Name)] = true
			}
		}
	}
	var fields []tree.Field
	var out []tree.JoinColumn
	seen := map[string]bool{}
	add := func(f tree.Field, c tree.JoinColumn, template string, null bool) {
		if clashing[datatype.FoldName(f.Name)] {
			f.Name = strings.ReplaceAll(template, "{name}", f.Name)
		}
		k := datatype.FoldName(f.Name)
		// A left side may have one name twice, as a file's schema may; that is not this join's doing.
		if seen[k] && (c.FromRight || len(left.Lookup(f.Name)) < 2) {
			e := condition.Newf(condition.ColumnAlreadyExists, "The join would give two columns named %s.", datatype.QuoteName(f.Name))
			e.Hint = `Name clashing columns with expr.LName or expr.RName("{name}_2") among the conditions, or Rename one of them before the join.`
			j.report(e)
		}
		seen[k] = true
		f.Nullable = f.Nullable || null
		if c.FromRight && j.options.asof {
			f.Watermark = nil // the nearest row may be older than any
		}
		fields, out = append(fields, f), append(out, c)
	}
	for i, f := range left.Fields() {
		add(f, tree.JoinColumn{Ordinal: i}, j.options.left, leftNull)
	}
	if !leftOnly {
		for i, f := range right.Fields() {
			if !dropped[i] {
				add(f, tree.JoinColumn{FromRight: true, Ordinal: i}, j.options.right, rightNull)
			}
		}
	}
	return out, tree.NewSchema(fields)
}

func (t Table) asofJoin(at condition.Pos, right Table, on any, more []any) Table {
	j := newJoiner(at, "AsofJoin", t, right)
	j.options.asof = true
	n, ok := j.condition(on, fnGreater)
	_, named := on.(BooleanValue)
	named = !named
	conds := j.conditions(more)
	if !j.bound() || !ok {
		return j.left.then(j.errs, nil)
	}
	join := &tree.AsofJoin{Node: tree.Node{At: at}, Left: j.left.rel, Right: j.right.rel}
	j.times(join, n, named)
	if len(conds) > 0 {
		join.On = conjunction(conds)
		_, l, r, rest := tree.SplitJoin(join.On, j.left.rel, j.right.rel)
		for _, s := range append(append(l, r...), rest...) {
			if s.Type().Kind() == datatype.KindInvalid {
				continue // reported already
			}
			e := condition.Newf("UNSUPPORTED_JOIN_CONDITION", "Beside the times AsofJoin takes equalities between the sides, not %s.", tree.String(s))
			e.Pos, e.Hint = s.Pos(), "Filter a table by what looks at it alone, before the join; for other conditions on both sides use Join."
			j.report(e)
		}
	}
	if len(j.errs) == 0 {
		join.Output, join.Out = j.output(tree.LeftJoin, join.On)
	}
	return j.left.then(j.errs, func() tree.Relation { return join })
}

// times reads the comparison of the times of an as-of join: names stand for left ≥ right without being a direction.
func (j *joiner) times(join *tree.AsofJoin, n tree.Scalar, named bool) {
	c, ok := n.(*tree.Call)
	if ok && c.Typ.Kind() == datatype.KindInvalid {
		return // reported already
	}
	var d tree.AsofDirection
	strict := false
	if ok {
		switch c.Func.Name {
		case ">=":
		case ">":
			strict = true
		case "<=":
			d = tree.AsofForward
		case "<":
			d, strict = tree.AsofForward, true
		default:
			ok = false
		}
	}
	refuse := func(text, hint string) {
		e := condition.Newf("UNSUPPORTED_JOIN_CONDITION", "%s", text)
		e.Pos, e.Hint = n.Pos(), hint
		j.report(e)
	}
	if !ok {
		refuse("AsofJoin takes a comparison of the two times by Ge, Gt, Le or Lt, not "+tree.String(n)+".", "Give the name of the time column, or left.Timestamp(…).Ge(right.Timestamp(…)); keys come behind it.")
		return
	}
	l, r := c.Args[0], c.Args[1]
	lc, ok1 := tree.StripImplicit(l).(*tree.Column)
	rc, ok2 := tree.StripImplicit(r).(*tree.Column)
	if ok1 && ok2 && lc.Rel == j.right.rel && rc.Rel == j.left.rel {
		l, r, lc, rc = r, l, rc, lc
		d = tree.AsofForward - d // a comparison is never the nearest
	}
	if !ok1 || !ok2 || lc.Rel != j.left.rel || rc.Rel != j.right.rel {
		refuse("AsofJoin compares a left column with a right one, not "+tree.String(n)+".", "Mutate an expression into a column first.")
		return
	}
	if !named {
		if e := asofDirection("", d).apply(&j.options); e != nil {
			e.Pos = n.Pos()
			j.report(e)
			return
		}
	}
	join.LeftTime, join.RightTime = l, r
	join.Strict = strict || j.options.strict
	if j.options.direction != nil {
		join.Direction = *j.options.direction
	}
	k := l.Type().Kind()
	if !datatype.IsNumeric(l.Type()) && k != datatype.KindDate && k != datatype.KindTimestamp && k != datatype.KindTimestampNTZ {
		e := condition.Newf(condition.DatatypeMismatch, "The times of %s are numbers, DATE, TIMESTAMP or TIMESTAMP_NTZ, not %s.", j.op, l.Type())
		e.Pos, e.Hint = n.Pos(), "Cast them in a Mutate before."
		j.report(e)
		return
	}
	if dec, ok := l.Type().(datatype.Decimal); ok && dec.Precision > 37 && (join.Direction == tree.AsofNearest || j.options.tolerance != nil) {
		e := condition.Newf(condition.DatatypeMismatch, "The distance of two %s may not fit a decimal.", l.Type())
		e.Pos, e.Hint = n.Pos(), "Cast the times to 37 digits or fewer in a Mutate before."
		j.report(e)
		return
	}
	if j.options.tolerance != nil {
		var e *condition.Error
		if join.Tolerance, e = tolerance(j.options.tolerance, l.Type()); e != nil {
			j.report(e)
		}
	}
}

// tolerance makes the literal of a greatest distance between times of a type.
func tolerance(x any, t datatype.Type) (*tree.Literal, *condition.Error) {
	var of datatype.Type
	switch {
	case datatype.IsIntegral(t):
		of = datatype.Long
	case datatype.IsFloat(t):
		of = datatype.Double
	case t.Kind() == datatype.KindDecimal:
		of = t
	default:
		of = datatype.DayToSecond
	}
	s, err := literalOf(x, datatype.Field{Type: of})
	if err != nil {
		e := condition.Newf(condition.InvalidValue, "The tolerance %v of AsofJoin does not fit times of type %s: %s", x, t, err.Message)
		e.Hint = "Give a time.Duration for times, and a number for numbers."
		return nil, e
	}
	l := s.(*tree.Literal)
	negative := false
	switch v := l.Value.(type) {
	case int64:
		negative = v < 0
	case float64:
		negative = !(v >= 0) // NaN too
	case *big.Int:
		negative = v.Sign() < 0
	}
	if negative {
		e := condition.Newf(condition.InvalidValue, "The tolerance %v of AsofJoin is not a distance from zero up.", x)
		e.Hint = "Give a bound above zero, or none."
		return nil, e
	}
	return l, nil
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
		case "=", "<=>":
			// A key that is widened for the comparison is the same key.
			a, ok1 := tree.StripImplicit(c.Args[0]).(*tree.Column)
			b, ok2 := tree.StripImplicit(c.Args[1]).(*tree.Column)
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
	if cond != nil {
		visit(cond)
	}
	return out
}
