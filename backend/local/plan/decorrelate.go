package plan

import (
	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// decorrelate makes joins of subqueries: a scalar one that depends on nothing is read once; EXISTS and IN become a column that tells whether a
// row fits; a scalar aggregate by equalities is grouped by them and joined. A subquery of another shape is run for each row.
func decorrelate(n Node) Node {
	mapInputs(n, decorrelate)
	x, ok := n.(*Apply)
	if !ok {
		return n
	}
	// The attempt may change the plan of the subquery before it fails; running it for each row plans it anew.
	sub := decorrelate(x.Plan)
	if x.Sub.Kind != tree.ScalarSubquery {
		if out, ok := x.toMark(sub); ok {
			return out
		}
		return n
	}
	if len(x.Sub.Outer) == 0 {
		return x.toSingle(sub)
	}
	if out, ok := x.toGroups(sub); ok {
		return out
	}
	return n
}

// toSingle joins every row with the subquery's one row.
func (x *Apply) toSingle(sub Node) Node {
	s := &Single{base: newBase(sub.Schema()), In: sub, At: x.Sub.At}
	return beside(x.base, x.In, s, tree.InnerJoin, nil, []int{0})
}

// beside joins left with some columns of right; on is over the columns of both.
func beside(b base, left, right Node, kind tree.JoinKind, on func(both *tree.Values) []tree.Scalar, columns []int) *Join {
	j := &Join{base: b, Left: left, Right: right, Kind: kind, Op: -1}
	j.both = bothOf(left, right)
	if on != nil {
		j.On = on(j.both)
	}
	for i := range left.Schema().Len() {
		j.Output = append(j.Output, tree.JoinColumn{Ordinal: i})
	}
	for _, c := range columns {
		j.Output = append(j.Output, tree.JoinColumn{FromRight: true, Ordinal: c})
	}
	return j
}

func bothOf(left, right Node) *tree.Values {
	return standIn(tree.NewSchema(append(append([]tree.Field(nil), left.Schema().Fields()...), right.Schema().Fields()...)))
}

// lift gives a condition over a subquery's columns, with columns from outside, over the columns of both sides.
func (x *Apply) lift(c tree.Scalar, both *tree.Values) tree.Scalar {
	width := x.In.Schema().Len()
	return tree.Rewrite(c, func(s tree.Scalar) tree.Scalar {
		switch y := s.(type) {
		case *tree.Outer:
			return moveColumns(x.Sub.Bound(y), both, func(k int) int { return k })
		case *tree.Column:
			return &tree.Column{Rel: both, Ordinal: width + y.Ordinal, At: y.At}
		}
		return s
	})
}

// toMark makes a [Mark] of EXISTS and IN.
func (x *Apply) toMark(sub Node) (Node, bool) {
	sub, conds, ok := pullUp(sub)
	if !ok {
		return nil, false
	}
	m := &Mark{base: x.base, In: x.In, Sub: sub, Unknown: x.Unknown, both: bothOf(x.In, sub)}
	for _, c := range conds {
		m.On = append(m.On, x.lift(c, m.both))
	}
	if x.Sub.Kind == tree.InSubquery {
		width := x.In.Schema().Len()
		arg := moveColumns(x.Sub.Arg, m.both, func(k int) int { return k })
		m.Match = equality(arg, &tree.Column{Rel: m.both, Ordinal: width, At: x.Sub.At}, x.Sub.At)
	}
	return m, true
}

// toGroups joins a scalar aggregate, grouped by what its conditions equate with the outside. A row without a group has the aggregates of no row:
// a count of zero, not null.
func (x *Apply) toGroups(sub Node) (Node, bool) {
	// The value is an expression over aggregates, perhaps through several projections.
	var chain []*Project
	for {
		p, ok := sub.(*Project)
		if !ok {
			break
		}
		if hasOuter(p) {
			return nil, false
		}
		chain, sub = append(chain, p), p.In
	}
	agg, ok := sub.(*Aggregate)
	if !ok || len(agg.Keys) > 0 || hasOuter(agg) {
		return nil, false
	}
	in, conds, ok := pullUp(agg.In)
	if !ok {
		return nil, false
	}
	keys, ok := equalities(conds)
	if !ok || len(keys) == 0 {
		return nil, false
	}
	value := agg.common().column(0)
	if len(chain) > 0 {
		value, _ = tree.StripAlias(chain[0].Exprs[0].Expr)
		for _, p := range chain[1:] {
			value = inline(value, p)
		}
	}
	// The groups: keys, aggregates, and a column that tells a group from none.
	aggs := rehome(agg.Aggs, in)
	g := &Aggregate{In: in, Aggs: aggs, Op: -1, EventKey: -1, Session: -1}
	var fields []tree.Field
	for _, k := range keys {
		g.Keys = append(g.Keys, tree.Named{Name: "_key", Expr: moveColumns(k.inner, in.common().stand, same)})
		fields = append(fields, tree.Field{Name: "_key", Type: k.inner.Type(), Nullable: k.inner.Nullable()})
	}
	fields = append(fields, agg.Schema().Fields()...)
	g.base = newBase(tree.NewSchema(fields))
	marked := &Project{In: g}
	for i, f := range fields {
		marked.Exprs = append(marked.Exprs, tree.Named{Name: f.Name, Expr: g.column(i)})
	}
	marked.Exprs = append(marked.Exprs, tree.Named{Name: "_found", Expr: &tree.Literal{Value: true, Typ: datatype.Boolean}})
	fields = append(fields[:len(fields):len(fields)], tree.Field{Name: "_found", Type: datatype.Boolean})
	marked.base = newBase(tree.NewSchema(fields))

	width, nk, na := x.In.Schema().Len(), len(keys), len(aggs)
	var columns []int
	joined := append([]tree.Field(nil), x.In.Schema().Fields()...)
	for i := nk; i < len(fields); i++ {
		columns = append(columns, i)
		f := fields[i]
		f.Nullable = true
		joined = append(joined, f)
	}
	j := beside(newBase(tree.NewSchema(joined)), x.In, marked, tree.LeftJoin, func(both *tree.Values) []tree.Scalar {
		on := make([]tree.Scalar, nk)
		for i, k := range keys {
			c := *k.call
			key := &tree.Column{Rel: both, Ordinal: width + i}
			c.Args = []tree.Scalar{x.lift(k.outer, both), key}
			on[i] = &c
		}
		return on
	}, columns)

	// The aggregates of no row.
	none := &Aggregate{In: &Values{base: newBase(in.Schema())}, Op: -1, EventKey: -1, Session: -1, base: newBase(agg.Schema())}
	none.Aggs = rehome(agg.Aggs, none.In)
	var more []int
	for i, f := range agg.Schema().Fields() {
		more = append(more, i)
		joined = append(joined, f)
	}
	all := beside(newBase(tree.NewSchema(joined)), j, none, tree.InnerJoin, nil, more)

	p := &Project{base: x.base, In: all}
	for i := range width {
		p.Exprs = append(p.Exprs, tree.Named{Name: joined[i].Name, Expr: all.column(i)})
	}
	isNull := &tree.Call{Func: isNullFunction, Args: []tree.Scalar{all.column(width + na)}, Typ: datatype.Boolean}
	result := tree.Rewrite(value, func(s tree.Scalar) tree.Scalar {
		c, ok := s.(*tree.Column)
		if !ok {
			return s
		}
		return &tree.Case{
			Whens: []tree.When{{Cond: isNull, Then: all.column(width + na + 1 + c.Ordinal)}},
			Else:  all.column(width + c.Ordinal), Typ: c.Type(), At: c.At,
		}
	})
	p.Exprs = append(p.Exprs, tree.Named{Name: "_subquery", Expr: result})
	return p, true
}

var isNullFunction, _ = catalog.Lookup("isnull")

func same(k int) int { return k }

// rehome copies expressions onto the columns of another node with the same ones.
func rehome(list []tree.Named, in Node) []tree.Named {
	out := make([]tree.Named, len(list))
	for i, n := range list {
		out[i] = tree.Named{Name: n.Name, Expr: moveColumns(n.Expr, in.common().stand, same)}
	}
	return out
}

// inline puts the expressions of a projection in the place of its columns.
func inline(s tree.Scalar, p *Project) tree.Scalar {
	return tree.Rewrite(s, func(x tree.Scalar) tree.Scalar {
		if c, ok := x.(*tree.Column); ok {
			e, _ := tree.StripAlias(p.Exprs[c.Ordinal].Expr)
			return e
		}
		return x
	})
}

// equalKey is a condition that equates something inside with something outside.
type equalKey struct {
	call         *tree.Call
	inner, outer tree.Scalar
}

// equalities reads conditions as equalities of the inside with the outside; ok is false where one is none.
func equalities(conds []tree.Scalar) (keys []equalKey, ok bool) {
	for _, s := range conds {
		c, isCall := s.(*tree.Call)
		if !isCall || c.Func.Name != "=" && c.Func.Name != "<=>" {
			return nil, false
		}
		a, b := c.Args[0], c.Args[1]
		if outerIn(a) {
			a, b = b, a
		}
		if outerIn(a) || len(columnsOf(b)) > 0 || !deterministic(a) || !deterministic(b) || !datatype.IsOrderable(a.Type()) {
			return nil, false
		}
		keys = append(keys, equalKey{c, a, b})
	}
	return keys, true
}

// outerIn tells whether an expression has a column from outside.
func outerIn(s tree.Scalar) bool {
	found := false
	tree.Walk(s, func(x tree.Scalar) bool {
		_, ok := x.(*tree.Outer)
		found = found || ok
		return !found
	})
	return found
}

// hasOuter tells whether an expression of the node itself has a column from outside.
func hasOuter(n Node) bool {
	found := false
	mapScalars(n, func(s tree.Scalar) tree.Scalar {
		found = found || outerIn(s)
		return s
	})
	return found
}

// correlated tells whether a node or one below it has a column from outside.
func correlated(n Node) bool {
	if hasOuter(n) {
		return true
	}
	for _, in := range n.Inputs() {
		if correlated(in) {
			return true
		}
	}
	return false
}

// pullUp takes the conditions with columns from outside out of a subquery's plan. They come back over the columns of the plan that is left, which
// has further ones behind the old where a condition needs them. ok is false where a condition stands below something that it may not pass.
func pullUp(n Node) (out Node, conds []tree.Scalar, ok bool) {
	if !correlated(n) {
		return n, nil, true
	}
	switch x := n.(type) {
	case *Filter:
		in, conds, ok := pullUp(x.In)
		if !ok {
			return nil, nil, false
		}
		var stay []tree.Scalar
		for _, c := range conjuncts(x.Cond) {
			c = moveColumns(c, in.common().stand, same)
			switch {
			case !outerIn(c):
				stay = append(stay, c)
			case deterministic(c):
				conds = append(conds, c)
			default:
				return nil, nil, false
			}
		}
		return filterOver(in, stay), conds, true
	case *Sort:
		return nil, nil, false // an aggregate above may depend on the order
	case *Project:
		if hasOuter(x) {
			return nil, nil, false
		}
		in, conds, ok := pullUp(x.In)
		if !ok {
			return nil, nil, false
		}
		p := &Project{In: in, Exprs: rehome(x.Exprs, in)}
		fields := append([]tree.Field(nil), x.Schema().Fields()...)
		conds = keep(conds, func(c *tree.Column) int {
			fields = append(fields, in.Schema().Field(c.Ordinal))
			p.Exprs = append(p.Exprs, tree.Named{Name: in.Schema().Field(c.Ordinal).Name, Expr: in.common().column(c.Ordinal)})
			return len(fields) - 1
		})
		p.base = newBase(tree.NewSchema(fields))
		return p, over(conds, p), true
	case *Aggregate:
		if hasOuter(x) || len(x.Keys) == 0 || x.Op >= 0 {
			return nil, nil, false
		}
		in, conds, ok := pullUp(x.In)
		if !ok {
			return nil, nil, false
		}
		keys, ok := equalities(conds)
		if !ok {
			return nil, nil, false
		}
		// The groups are within one value of the outside: what is equated with it becomes a key.
		nk, na := len(x.Keys), len(x.Aggs)
		g := &Aggregate{In: in, Keys: rehome(x.Keys, in), Aggs: rehome(x.Aggs, in), Op: -1, EventKey: -1, Session: x.Session}
		fields := append([]tree.Field(nil), x.Schema().Fields()[:nk]...)
		for _, k := range keys {
			g.Keys = append(g.Keys, tree.Named{Name: "_key", Expr: moveColumns(k.inner, in.common().stand, same)})
			fields = append(fields, tree.Field{Name: "_key", Type: k.inner.Type(), Nullable: k.inner.Nullable()})
		}
		fields = append(fields, x.Schema().Fields()[nk:]...)
		g.base = newBase(tree.NewSchema(fields))
		p := &Project{In: g}
		put := func(i int) {
			p.Exprs = append(p.Exprs, tree.Named{Name: fields[i].Name, Expr: g.column(i)})
		}
		for i := range nk {
			put(i)
		}
		for i := range na {
			put(nk + len(keys) + i)
		}
		outFields := append([]tree.Field(nil), x.Schema().Fields()...)
		conds = nil
		for i, k := range keys {
			put(nk + i)
			outFields = append(outFields, fields[nk+i])
			c := *k.call
			c.Args = []tree.Scalar{k.outer, &tree.Column{Ordinal: nk + na + i, Rel: standIn(tree.NewSchema(outFields))}}
			conds = append(conds, &c)
		}
		p.base = newBase(tree.NewSchema(outFields))
		return p, over(conds, p), true
	case *Join:
		// Which partner an any join takes must not depend on the condition that is pulled above it.
		if hasOuter(x) || x.Op >= 0 || x.Kind == tree.FullJoin || x.Any {
			return nil, nil, false
		}
		if x.Kind != tree.InnerJoin && correlated(x.Right) {
			return nil, nil, false
		}
		left, lc, ok1 := pullUp(x.Left)
		right, rc, ok2 := pullUp(x.Right)
		if !ok1 || !ok2 {
			return nil, nil, false
		}
		j := &Join{Left: left, Right: right, Kind: x.Kind, Op: -1, Output: append([]tree.JoinColumn(nil), x.Output...), both: bothOf(left, right)}
		was, is := x.Left.Schema().Len(), left.Schema().Len()
		for _, c := range x.On {
			j.On = append(j.On, moveColumns(c, j.both, func(k int) int {
				if k < was {
					return k
				}
				return k - was + is
			}))
		}
		fields := append([]tree.Field(nil), x.Schema().Fields()...)
		add := func(side Node, fromRight bool) func(c *tree.Column) int {
			return func(c *tree.Column) int {
				fields = append(fields, side.Schema().Field(c.Ordinal))
				j.Output = append(j.Output, tree.JoinColumn{FromRight: fromRight, Ordinal: c.Ordinal})
				return len(fields) - 1
			}
		}
		conds := append(keep(lc, add(left, false)), keep(rc, add(right, true))...)
		j.base = newBase(tree.NewSchema(fields))
		return j, over(conds, j), true
	case *Mark:
		if hasOuter(x) || correlated(x.Sub) {
			return nil, nil, false
		}
		in, conds, ok := pullUp(x.In)
		if !ok {
			return nil, nil, false
		}
		was, is := x.In.Schema().Len(), in.Schema().Len()
		m := &Mark{In: in, Sub: x.Sub, Unknown: x.Unknown, both: bothOf(in, x.Sub)}
		move := func(s tree.Scalar) tree.Scalar {
			return moveColumns(s, m.both, func(k int) int {
				if k < was {
					return k
				}
				return k - was + is
			})
		}
		for _, c := range x.On {
			m.On = append(m.On, move(c))
		}
		if x.Match != nil {
			m.Match, _ = move(x.Match).(*tree.Call)
		}
		mark := x.Schema().Field(was)
		m.base = newBase(tree.NewSchema(append(append([]tree.Field(nil), in.Schema().Fields()...), mark)))
		// The mark goes back behind the old columns, and the new ones behind it.
		p := &Project{In: m}
		var fields []tree.Field
		put := func(i int) {
			f := m.Schema().Field(i)
			fields = append(fields, f)
			p.Exprs = append(p.Exprs, tree.Named{Name: f.Name, Expr: m.column(i)})
		}
		for i := range was {
			put(i)
		}
		put(is)
		for i := was; i < is; i++ {
			put(i)
		}
		p.base = newBase(tree.NewSchema(fields))
		for i, c := range conds {
			conds[i] = moveColumns(c, p.stand, func(k int) int {
				if k < was {
					return k
				}
				return k + 1
			})
		}
		return p, conds, true
	}
	return nil, nil, false
}

// keep gives conditions whose columns are numbered by add, which is asked once for each column.
func keep(conds []tree.Scalar, add func(c *tree.Column) int) []tree.Scalar {
	at := map[int]int{}
	out := make([]tree.Scalar, len(conds))
	for i, c := range conds {
		out[i] = tree.Rewrite(c, func(s tree.Scalar) tree.Scalar {
			col, ok := s.(*tree.Column)
			if !ok {
				return s
			}
			k, ok := at[col.Ordinal]
			if !ok {
				k = add(col)
				at[col.Ordinal] = k
			}
			return &tree.Column{Rel: col.Rel, Ordinal: k, At: col.At}
		})
	}
	return out
}

// over puts conditions over a node's output, whose ordinals they have already.
func over(conds []tree.Scalar, n Node) []tree.Scalar {
	out := make([]tree.Scalar, len(conds))
	for i, c := range conds {
		out[i] = moveColumns(c, n.common().stand, same)
	}
	return out
}

// subqueryJoins makes of a condition that is nothing but the mark of a subquery, or the opposite of one of EXISTS, a semi or anti join;
// filters have been pushed down before. NOT IN stays a mark, which knows of nulls.
func subqueryJoins(n Node) Node {
	mapInputs(n, subqueryJoins)
	f, ok := n.(*Filter)
	if !ok {
		return n
	}
	m, ok := f.In.(*Mark)
	if !ok {
		return n
	}
	kind := tree.SemiJoin
	cond := f.Cond
	if c, ok := cond.(*tree.Call); ok && c.Func.Name == "not" {
		if m.Match != nil {
			return n
		}
		kind, cond = tree.AntiJoin, c.Args[0]
	}
	at := m.In.Schema().Len()
	if c, ok := cond.(*tree.Column); !ok || c.Ordinal != at || m.Unknown {
		return n
	}
	j := beside(newBase(m.In.Schema()), m.In, m.Sub, kind, nil, nil)
	for _, c := range m.On {
		j.On = append(j.On, moveColumns(c, j.both, same))
	}
	if m.Match != nil {
		j.On = append(j.On, moveColumns(m.Match, j.both, same))
	}
	// The mark is true for the rows that are left, or false.
	p := &Project{base: f.base, In: j}
	for i, field := range m.In.Schema().Fields() {
		p.Exprs = append(p.Exprs, tree.Named{Name: field.Name, Expr: j.column(i)})
	}
	p.Exprs = append(p.Exprs, tree.Named{Name: "_mark", Expr: &tree.Literal{Value: kind == tree.SemiJoin, Typ: datatype.Boolean}})
	return p
}
