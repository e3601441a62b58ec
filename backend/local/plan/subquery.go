package plan

import (
	"context"
	"errors"
	"fmt"

	"github.com/spoonbill-go/spoonbill/backend/local/exec"
	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Apply adds the value of a subquery to each row, by running it for each: what a subquery is before the rule decorrelate, and what it stays where
// that finds no join for it.
type Apply struct {
	base
	In Node
	// Sub is the subquery; its Arg and the values of its Outer are over In.
	Sub *tree.Subquery
	// Unknown makes IN true where the answer is unknown: it stands below a NOT.
	Unknown bool
	// Plan is the subquery's plan, with columns from outside in it, for the rule.
	Plan Node
	// params are the values of the query's parameters.
	params map[string]*tree.Literal
	tables Tables
}

// Single is the one row of its input, nulls where that has none.
type Single struct {
	base
	In Node
	At condition.Pos
}

// Mark adds a column that tells whether Sub has a row that fits: for which On is true and, with a Match, whose value is equal.
type Mark struct {
	base
	In, Sub Node
	On      []tree.Scalar // conjuncts over the columns of In and then of Sub
	Match   *tree.Call    // an equality over both, for IN
	Unknown bool
	// both is the stand-in of the columns of In and then of Sub.
	both *tree.Values
}

// Inputs implements [Node].
func (n *Apply) Inputs() []Node { return []Node{n.In} }

// Inputs implements [Node].
func (n *Single) Inputs() []Node { return []Node{n.In} }

// Inputs implements [Node].
func (n *Mark) Inputs() []Node { return []Node{n.In, n.Sub} }

// applied is a relation whose expressions hold subqueries, on its way into a plan: its input with a column for each of them.
type applied struct {
	tree.Node
	input tree.Relation
	subs  []appliedSub
}

type appliedSub struct {
	sub     *tree.Subquery
	unknown bool
}

// Inputs implements [tree.Relation].
func (a *applied) Inputs() []tree.Relation { return []tree.Relation{a.input} }

// subqueries plans a relation that has subqueries: they become columns of its input, which what is above it does not see.
func (m *maker) subqueries(r tree.Relation) (Node, error) {
	if len(r.Inputs()) != 1 {
		return nil, unsupported(r.Pos(), "the local engine has no subqueries in %T.", r)
	}
	in := r.Inputs()[0]
	if x, ok := r.(*tree.Aggregate); ok && outsideAggregates(x) {
		return m.node(splitAggregate(x))
	}
	a := &applied{Node: tree.Node{Out: in.Schema(), At: r.Pos()}, input: in}
	fields := append([]tree.Field(nil), in.Schema().Fields()...)
	width := len(fields)
	at := map[string]int{}
	column := func(q *tree.Subquery, unknown bool) tree.Scalar {
		// One that occurs twice, as in a key and a result of an aggregation, is one column.
		key := fmt.Sprintf("%p %d %v", q.Rel, q.Kind, unknown)
		for _, c := range tree.Children(q) {
			key += " " + Text(c)
		}
		i, ok := at[key]
		if !ok {
			i = len(fields)
			at[key] = i
			fields = append(fields, tree.Field{Name: fmt.Sprintf("_subquery%d", len(a.subs)), Type: q.Type(), Nullable: q.Nullable()})
			a.Out = tree.NewSchema(fields)
			a.subs = append(a.subs, appliedSub{q, unknown})
		}
		return &tree.Column{Rel: a, Ordinal: i, At: q.At}
	}
	var move func(s tree.Scalar) tree.Scalar
	move = func(s tree.Scalar) tree.Scalar {
		s = negationsDown(s)
		return tree.Rewrite(s, func(x tree.Scalar) tree.Scalar {
			switch y := x.(type) {
			case *tree.Column:
				if y.Rel == in {
					return &tree.Column{Rel: a, Ordinal: y.Ordinal, At: y.At}
				}
			case *tree.Subquery:
				return column(y, false)
			case *negated:
				q := *y.Subquery
				q.Arg = move(q.Arg)
				q.Outer = append([]tree.OuterColumn(nil), q.Outer...)
				for i, o := range q.Outer {
					q.Outer[i].Value = move(o.Value)
				}
				return not(column(&q, true))
			}
			return x
		})
	}
	named := func(list []tree.Named) []tree.Named {
		out := make([]tree.Named, len(list))
		for i, n := range list {
			out[i] = tree.Named{Name: n.Name, Expr: move(n.Expr)}
		}
		return out
	}
	var out tree.Relation
	narrow := false
	switch x := r.(type) {
	case *tree.Project:
		c := *x
		c.Input, c.Columns = a, named(x.Columns)
		out = &c
	case *tree.Aggregate:
		c := *x
		c.Input, c.Keys, c.Aggs = a, named(x.Keys), named(x.Aggs)
		out = &c
	case *tree.Filter:
		c := *x
		c.Input, c.Cond = a, move(x.Cond)
		out, narrow = &c, true
	case *tree.Sort:
		c := *x
		c.Input, c.Keys = a, append([]tree.SortKey(nil), x.Keys...)
		for i, k := range c.Keys {
			c.Keys[i].Arg = move(k.Arg)
		}
		out, narrow = &c, true
	default:
		return nil, unsupported(r.Pos(), "the local engine has no subqueries in %T.", r)
	}
	if !narrow {
		return m.node(out)
	}
	switch x := out.(type) {
	case *tree.Filter:
		x.Out = a.Out
	case *tree.Sort:
		x.Out = a.Out
	}
	p := &tree.Project{Node: tree.Node{Out: r.Schema(), At: r.Pos()}, Input: out}
	for i := range width {
		p.Columns = append(p.Columns, tree.Named{Name: fields[i].Name, Expr: &tree.Column{Rel: out, Ordinal: i}})
	}
	return m.node(p)
}

// outsideAggregates tells whether a result of an aggregation has a subquery that is neither within an aggregate nor part of a key.
func outsideAggregates(x *tree.Aggregate) bool {
	found := false
	for _, a := range x.Aggs {
		rewriteTop(a.Expr, func(s tree.Scalar) (tree.Scalar, bool) {
			switch y := s.(type) {
			case *tree.Subquery:
				found = true
				return s, true
			case *tree.Call:
				return s, y.Func.Kind == catalog.Aggregate || y.Func.Kind == catalog.Grouping
			}
			return s, keyOf(x, s) >= 0
		})
	}
	return found
}

// keyOf finds the grouping key that an expression is, or gives -1.
func keyOf(x *tree.Aggregate, s tree.Scalar) int {
	for i, k := range x.Keys {
		a, b := tree.Subqueries(k.Expr), tree.Subqueries(s)
		alike := len(a) == len(b) && Text(k.Expr) == Text(s)
		for j := range a {
			alike = alike && a[j].Rel == b[j].Rel
		}
		if alike {
			return i
		}
	}
	return -1
}

// splitAggregate makes of an aggregation one that computes the aggregates alone, and a projection of its results above.
func splitAggregate(x *tree.Aggregate) tree.Relation {
	g := &tree.Aggregate{Node: tree.Node{At: x.At}, Input: x.Input, Keys: x.Keys, Sets: x.Sets}
	fields := append([]tree.Field(nil), x.Schema().Fields()[:len(x.Keys)]...)
	p := &tree.Project{Node: x.Node, Input: g}
	for i, k := range x.Keys {
		p.Columns = append(p.Columns, tree.Named{Name: k.Name, Expr: &tree.Column{Rel: g, Ordinal: i}})
	}
	for _, a := range x.Aggs {
		e := rewriteTop(a.Expr, func(s tree.Scalar) (tree.Scalar, bool) {
			if i := keyOf(x, s); i >= 0 {
				return &tree.Column{Rel: g, Ordinal: i, At: s.Pos()}, true
			}
			c, ok := s.(*tree.Call)
			if !ok || c.Func.Kind != catalog.Aggregate && c.Func.Kind != catalog.Grouping {
				return s, false
			}
			name := fmt.Sprintf("_aggregate%d", len(g.Aggs))
			g.Aggs = append(g.Aggs, tree.Named{Name: name, Expr: c})
			fields = append(fields, tree.Field{Name: name, Type: c.Typ, Nullable: c.Null})
			return &tree.Column{Rel: g, Ordinal: len(fields) - 1, At: c.At}, true
		})
		p.Columns = append(p.Columns, tree.Named{Name: a.Name, Expr: e})
	}
	g.Out = tree.NewSchema(fields)
	return p
}

// negated is NOT IN, while an expression is moved.
type negated struct{ *tree.Subquery }

var notFunction, _ = catalog.Lookup("not")

func not(s tree.Scalar) tree.Scalar {
	return &tree.Call{Func: notFunction, Args: []tree.Scalar{s}, Typ: datatype.Boolean, Null: s.Nullable(), At: s.Pos()}
}

// negationsDown moves each NOT above an IN (SELECT …) down to it, through AND and OR, as Spark's optimiser does before it makes joins of subqueries:
// NOT IN is the opposite of IN or unknown, and not of IN alone.
func negationsDown(s tree.Scalar) tree.Scalar {
	return tree.Rewrite(s, func(x tree.Scalar) tree.Scalar {
		c, ok := x.(*tree.Call)
		if !ok || c.Func.Name != "not" || !holdsIn(c.Args[0]) {
			return x
		}
		return opposite(c.Args[0])
	})
}

func holdsIn(s tree.Scalar) bool {
	switch x := s.(type) {
	case *tree.Alias:
		return holdsIn(x.Arg)
	case *tree.Subquery:
		return x.Kind == tree.InSubquery
	case *negated:
		return true
	case *tree.Call:
		switch x.Func.Name {
		case "and", "or":
			return holdsIn(x.Args[0]) || holdsIn(x.Args[1])
		case "not":
			return holdsIn(x.Args[0])
		}
	}
	return false
}

func opposite(s tree.Scalar) tree.Scalar {
	switch x := s.(type) {
	case *tree.Alias:
		return opposite(x.Arg)
	case *tree.Subquery:
		if x.Kind == tree.InSubquery {
			return &negated{x}
		}
	case *negated:
		return x.Subquery
	case *tree.Call:
		switch x.Func.Name {
		case "not":
			return x.Args[0]
		case "and", "or":
			other, _ := catalog.Lookup(map[string]string{"and": "or", "or": "and"}[x.Func.Name])
			c := *x
			c.Func, c.Args = other, []tree.Scalar{opposite(x.Args[0]), opposite(x.Args[1])}
			return &c
		}
	}
	return not(s)
}

// apply stacks an operator for each subquery on the input.
func (m *maker) apply(a *applied) (Node, error) {
	in, err := m.node(a.input)
	if err != nil {
		return nil, err
	}
	width := a.input.Schema().Len()
	for i, s := range a.subs {
		// The columns are over applied, which has those of the input and then one for each subquery before this one.
		stand := in.common().stand
		q := *s.sub
		if q.Arg != nil {
			q.Arg = moveColumns(q.Arg, stand, same)
		}
		q.Outer = append([]tree.OuterColumn(nil), q.Outer...)
		for k, o := range q.Outer {
			q.Outer[k].Value = moveColumns(o.Value, stand, same)
		}
		sub, err := m.node(q.Rel)
		if err != nil {
			return nil, err
		}
		if streaming(sub) {
			return nil, unsupported(q.At, "a subquery that reads a stream is not supported by the local engine.")
		}
		in = &Apply{base: newBase(tree.NewSchema(a.Out.Fields()[:width+i+1])), In: in, Sub: &q, Unknown: s.unknown, Plan: sub, params: m.params, tables: m.tables}
	}
	return in, nil
}

// mapScalars replaces the expressions of one node.
func mapScalars(n Node, f func(tree.Scalar) tree.Scalar) {
	named := func(list []tree.Named) {
		for i := range list {
			list[i].Expr = f(list[i].Expr)
		}
	}
	switch x := n.(type) {
	case *Project:
		named(x.Exprs)
	case *Filter:
		x.Cond = f(x.Cond)
	case *Windows:
		x.Time = f(x.Time)
		if x.Gap != nil {
			x.Gap = f(x.Gap)
		}
	case *Aggregate:
		named(x.Keys)
		named(x.Aggs)
	case *Match:
		named(x.Keys)
		named(x.Rule.Defines)
		named(x.Rule.Measures)
	case *Keyed:
		named(x.Keys)
		named(x.InitialKeys)
	case *Join:
		for i := range x.On {
			x.On[i] = f(x.On[i])
		}
	case *AsofJoin:
		for i := range x.Keys {
			x.Keys[i].Left, x.Keys[i].Right = f(x.Keys[i].Left), f(x.Keys[i].Right)
		}
		x.LeftTime, x.RightTime = f(x.LeftTime), f(x.RightTime)
	case *Sort:
		for i := range x.Keys {
			x.Keys[i].Arg = f(x.Keys[i].Arg)
		}
	case *Limit:
		if x.CountOf != nil {
			x.CountOf = f(x.CountOf)
		}
		if x.OffsetOf != nil {
			x.OffsetOf = f(x.OffsetOf)
		}
	case *Over:
		for i, o := range x.Items {
			if c, ok := f(o).(*tree.Over); ok {
				x.Items[i] = c
			}
		}
	case *Apply:
		if q, ok := f(x.Sub).(*tree.Subquery); ok {
			x.Sub = q
		}
	case *Mark:
		for i := range x.On {
			x.On[i] = f(x.On[i])
		}
		if x.Match != nil {
			if c, ok := f(x.Match).(*tree.Call); ok {
				x.Match = c
			}
		}
	}
}

// mapAll is mapScalars for a node and everything below it.
func mapAll(n Node, f func(tree.Scalar) tree.Scalar) {
	mapScalars(n, f)
	for _, in := range n.Inputs() {
		mapAll(in, f)
	}
	if a, ok := n.(*Apply); ok {
		mapAll(a.Plan, f)
	}
}

// withValues puts the values of parameters in their places.
func withValues(n Node, params map[string]*tree.Literal) {
	if len(params) == 0 {
		return
	}
	mapAll(n, func(s tree.Scalar) tree.Scalar {
		return tree.Rewrite(s, func(x tree.Scalar) tree.Scalar {
			if p, ok := x.(*tree.Param); ok {
				if l := params[p.Name]; l != nil {
					return &tree.Literal{Value: l.Value, Typ: p.Typ, At: p.At}
				}
			}
			return x
		})
	})
}

// bindings gives the values of a query's parameters.
func bindings(r tree.Relation) map[string]*tree.Literal {
	out := map[string]*tree.Literal{}
	for _, v := range tree.Bindings(r) {
		out[v.Name] = v.Value
	}
	return out
}

// single makes the operator of a scalar subquery's one row.
func (b *builder) single(x *Single) (exec.Operator, error) {
	in, err := b.node(x.In)
	if err != nil {
		return nil, err
	}
	return &exec.Single{Input: b.gather(in), At: x.At}, nil
}

func (b *builder) mark(x *Mark) (exec.Operator, error) {
	left, err := b.node(x.In)
	if err != nil {
		return nil, err
	}
	right, err := b.node(x.Sub)
	if err != nil {
		return nil, err
	}
	m := &exec.Mark{Left: left, Right: right, Unknown: x.Unknown, Out: types(x), Task: b.task}
	sides := &Join{Left: x.In, Right: x.Sub}
	width := x.In.Schema().Len()
	var rest []tree.Scalar
	for _, c := range x.On {
		k, ok, err := b.joinKey(sides, c, width)
		switch {
		case err != nil:
			return nil, err
		case ok:
			m.Keys = append(m.Keys, k)
		default:
			rest = append(rest, c)
		}
	}
	if len(rest) > 0 {
		if m.Residual, err = b.compile(conjoin(rest)); err != nil {
			return nil, err
		}
	}
	if x.Match != nil {
		var k exec.JoinKey
		if k.Left, err = b.compile(x.Match.Args[0]); err != nil {
			return nil, err
		}
		if k.Right, err = b.compile(moveColumns(x.Match.Args[1], x.Sub.common().stand, func(c int) int { return c - width })); err != nil {
			return nil, err
		}
		m.Match = &k
	}
	return m, nil
}

// apply makes the operator that runs a subquery for each row: a plan of its own for each row of arguments, which stand in it as literals. It is made anew for each of
// them, and not once with the arguments as parameters, because operators run once, and because with literals the rules fold constants, close partition folders and leave
// out row groups: that is worth more than the planning.
func (b *builder) apply(x *Apply) (exec.Operator, error) {
	in, err := b.node(x.In)
	if err != nil {
		return nil, err
	}
	a := &exec.Apply{Input: in, Value: x.Sub.Type(), Out: types(x)}
	for _, s := range tree.Children(x.Sub) {
		e, err := b.compile(s)
		if err != nil {
			return nil, err
		}
		a.Args = append(a.Args, e)
	}
	// What the engine refuses is refused before the first row.
	nulls := make([]any, len(a.Args))
	if _, _, err := b.inner(x, nulls); err != nil {
		return nil, err
	}
	a.Run = func(ctx context.Context, args []any) (any, error) {
		op, test, err := b.inner(x, args)
		if err != nil {
			return nil, err
		}
		v, err := runSubquery(ctx, op, test, x)
		return v, errors.Join(err, op.Close())
	}
	return a, nil
}

// inner makes the operator of a subquery for a row of arguments, and for IN the comparison of its column with the value looked for.
func (b *builder) inner(x *Apply, args []any) (exec.Operator, *kernel.Expr, error) {
	m := &maker{plan: &Plan{}, params: x.params, tables: x.tables}
	n, err := m.node(x.Sub.Rel)
	if err != nil {
		return nil, nil, err
	}
	values := args
	if x.Sub.Arg != nil {
		values = args[1:]
	}
	mapAll(n, func(s tree.Scalar) tree.Scalar {
		return tree.Rewrite(s, func(y tree.Scalar) tree.Scalar {
			if o, ok := y.(*tree.Outer); ok {
				for i, c := range x.Sub.Outer {
					if c.Rel == o.Rel && c.Ordinal == o.Ordinal {
						return &tree.Literal{Value: values[i], Typ: o.Type(), At: o.At}
					}
				}
			}
			return y
		})
	})
	withValues(n, x.params)
	for _, rule := range Rules {
		n = rule.Apply(n)
	}
	// Each run has sieves of its own, and runs of two subqueries may be made at once.
	own := &builder{task: b.task, in: b.in, spools: b.spools}
	own.in.Profile = nil // its operators are others each time; what they do is the Apply's
	op, err := own.node(n)
	if err != nil {
		return nil, nil, err
	}
	if x.Sub.Arg == nil {
		return own.gather(op), nil, nil
	}
	arg := &tree.Literal{Value: args[0], Typ: x.Sub.Arg.Type(), At: x.Sub.At}
	test, err := b.compile(equality(arg, n.common().column(0), x.Sub.At))
	return own.gather(op), test, err
}

var equalFunction, _ = catalog.Lookup("=")

// equality compares two values, the second under the type of the first.
func equality(a, v tree.Scalar, at condition.Pos) *tree.Call {
	if !datatype.EqualIgnoringNulls(a.Type(), v.Type()) {
		v = &tree.Cast{Arg: v, To: a.Type(), Implicit: true, At: at}
	}
	return &tree.Call{Func: equalFunction, Args: []tree.Scalar{a, v}, Typ: datatype.Boolean, Null: a.Nullable() || v.Nullable(), At: at}
}

// runSubquery opens an operator and gives the value of its rows.
func runSubquery(ctx context.Context, op exec.Operator, test *kernel.Expr, x *Apply) (any, error) {
	if err := op.Open(ctx); err != nil {
		return nil, err
	}
	var value any
	rows, hit := 0, false
	for {
		b, err := op.Next(ctx)
		if err != nil {
			return nil, err
		}
		if b == nil {
			break
		}
		switch {
		case x.Sub.Kind == tree.ScalarSubquery && b.N > 0:
			value = b.Cols[0].Any(0)
		case test != nil && b.N > 0:
			v, err := test.Eval(b)
			if err != nil {
				b.Release()
				return nil, err
			}
			for i := range b.N {
				hit = hit || v.IsNull(i) && x.Unknown || !v.IsNull(i) && v.Bool[i&v.Mask()]
			}
		}
		rows += b.N
		b.Release()
		if hit || x.Sub.Kind == tree.ExistsSubquery && rows > 0 {
			break
		}
		if x.Sub.Kind == tree.ScalarSubquery && rows > 1 {
			return nil, exec.TooManyRows(x.Sub.At)
		}
	}
	switch x.Sub.Kind {
	case tree.ExistsSubquery:
		return rows > 0, nil
	case tree.InSubquery:
		return hit, nil
	}
	return value, nil
}
