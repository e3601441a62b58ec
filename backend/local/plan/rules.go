package plan

import (
	"maps"
	"slices"

	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Rule rewrites a plan into one that gives the same rows. Nodes may be changed in place: a plan belongs to one query.
type Rule struct {
	// Name is the rule's name in tests and documents.
	Name string
	// Statistics tells that the rule goes by what sources know of their rows.
	Statistics bool
	apply      func(Node, statistics) Node
}

// Apply rewrites a whole plan, without statistics.
func (r Rule) Apply(n Node) Node { return r.apply(n, nil) }

// plainRule is a rule that needs no statistics.
func plainRule(name string, f func(Node) Node) Rule {
	return Rule{Name: name, apply: func(n Node, _ statistics) Node { return f(n) }}
}

// Rules are applied once each, in this order.
var Rules = []Rule{
	plainRule("decorrelate", decorrelate),
	plainRule("fold-constants", foldConstants),
	plainRule("infer-filters", inferFilters),
	plainRule("require-values", requireValues),
	plainRule("push-filters", pushFilters),
	plainRule("subquery-joins", subqueryJoins),
	plainRule("top-k", topK),
	plainRule("push-limits", pushLimits),
	{Name: "order-joins", Statistics: true, apply: orderJoins},
	{Name: "add-sieves", Statistics: true, apply: addSieves},
	plainRule("skip-rows", skipRows),
	plainRule("prune-columns", pruneColumns),
	plainRule("group-panes", groupPanes),
}

// mapInputs replaces the inputs of a node by f of them.
func mapInputs(n Node, f func(Node) Node) {
	switch x := n.(type) {
	case *Project:
		x.In = f(x.In)
	case *Filter:
		x.In = f(x.In)
	case *Sift:
		x.In = f(x.In)
	case *Windows:
		x.In = f(x.In)
	case *Aggregate:
		x.In = f(x.In)
	case *Join:
		x.Left, x.Right = f(x.Left), f(x.Right)
	case *AsofJoin:
		x.Left, x.Right = f(x.Left), f(x.Right)
	case *Match:
		x.In = f(x.In)
	case *Keyed:
		if x.In = f(x.In); x.Initial != nil {
			x.Initial = f(x.Initial)
		}
	case *Expand:
		x.In = f(x.In)
	case *SetOperation:
		x.Left, x.Right = f(x.Left), f(x.Right)
	case *Sample:
		x.In = f(x.In)
	case *Sort:
		x.In = f(x.In)
	case *Limit:
		x.In = f(x.In)
	case *Deduplicate:
		x.In = f(x.In)
	case *Union:
		for i, s := range x.Sides {
			x.Sides[i] = f(s)
		}
	case *Watermark:
		x.In = f(x.In)
	case *Unnest:
		x.In = f(x.In)
	case *Over:
		x.In = f(x.In)
	case *Apply:
		x.In = f(x.In)
	case *Single:
		x.In = f(x.In)
	case *Mark:
		x.In, x.Sub = f(x.In), f(x.Sub)
	}
}

// groupPanes lets an aggregation by windows that lie over one another take each row once, in the piece of time that its windows are made of, and put the pieces together:
// five windows cost little more than one. Only the keys may look at the bounds of the windows, and the order of the rows must not count.
func groupPanes(n Node) Node {
	mapInputs(n, groupPanes)
	x, ok := n.(*Aggregate)
	if !ok {
		return n
	}
	w, ok := x.In.(*Windows)
	if !ok || w.Gap != nil || w.Size <= w.Slide || w.Size%w.Slide != 0 || startKey(x, w) < 0 {
		return n
	}
	start := w.In.Schema().Len()
	bound := func(s tree.Scalar) bool { cols := columnsOf(s); return cols[start] || cols[start+1] }
	for _, a := range x.Aggs {
		c, ok := a.Expr.(*tree.Call)
		if !ok || c.Distinct || kernel.Ordered(c.Func) || bound(c) {
			return n
		}
	}
	for i, k := range x.Keys {
		if at := startKey(x, w); i != at && i != at+1 && bound(k.Expr) {
			return n
		}
	}
	w.Panes = true
	return n
}

// startKey is the key that is the start of the windows below, before that of their end, or -1.
func startKey(x *Aggregate, w *Windows) int {
	at := w.In.Schema().Len()
	for i := 1; i < len(x.Keys); i++ {
		start, is := x.Keys[i-1].Expr.(*tree.Column)
		end, too := x.Keys[i].Expr.(*tree.Column)
		if is && too && start.Ordinal == at && end.Ordinal == at+1 {
			return i - 1
		}
	}
	return -1
}

// foldConstants computes what has no columns: under ANSI, and only where it raises nothing, so that an error still belongs to the
// rows that reach it. Whether it depends on mode or zone is found out by trying both: what differs stays.
func foldConstants(n Node) Node {
	mapInputs(n, foldConstants)
	switch x := n.(type) {
	case *Project:
		for i := range x.Exprs {
			x.Exprs[i].Expr = foldScalar(x.Exprs[i].Expr)
		}
	case *Filter:
		x.Cond = foldScalar(x.Cond)
		if l, ok := x.Cond.(*tree.Literal); ok {
			if l.Value == true {
				return x.In
			}
			if !streaming(x.In) {
				return &Values{base: x.base} // no row passes
			}
		}
	}
	return n
}

// foldScalar folds comparisons, logic and arithmetic over literals: functions whose result depends on nothing but their arguments.
func foldScalar(s tree.Scalar) tree.Scalar {
	return tree.Rewrite(s, func(x tree.Scalar) tree.Scalar {
		c, ok := x.(*tree.Call)
		if !ok || c.Func.NonDeterministic || c.Func.Group != "operator" && c.Func.Group != "null" {
			return x
		}
		for _, a := range c.Args {
			if _, ok := a.(*tree.Literal); !ok {
				return x
			}
		}
		value := func(ansi bool) (any, bool) {
			e, err := kernel.Compile(c, &kernel.Env{ANSI: ansi})
			if err != nil {
				return nil, false
			}
			return e.Literal()
		}
		a, ok1 := value(true)
		b, ok2 := value(false)
		la, lb := &tree.Literal{Value: a, Typ: c.Typ, At: c.At}, &tree.Literal{Value: b, Typ: c.Typ}
		if !ok1 || !ok2 || literalText(la) != literalText(lb) {
			return x
		}
		return la
	})
}

// deterministic tells whether an expression gives the same value each time and may be moved.
func deterministic(s tree.Scalar) bool {
	ok := true
	tree.Walk(s, func(x tree.Scalar) bool {
		switch y := x.(type) {
		case *tree.Call:
			// The functions of the present moment are the same throughout an epoch.
			if y.Func.NonDeterministic && y.Func.Name != "current_timestamp" && y.Func.Name != "current_date" {
				ok = false
			}
		case *tree.Over, *tree.Subquery, *tree.RawSQL:
			ok = false
		}
		return ok
	})
	return ok
}

// filterOver puts conjuncts over a node, or gives the node where there are none.
func filterOver(n Node, conds []tree.Scalar) Node {
	if len(conds) == 0 {
		return n
	}
	b := n.common()
	for i, c := range conds {
		conds[i] = moveColumns(c, b.stand, func(k int) int { return k })
	}
	return &Filter{base: newBase(b.out), In: n, Cond: conjoin(conds)}
}

// largestMoved is how many nodes a condition may have grown to on its way down: one that is moved below many projections would hold the expressions of
// all of them, doubled where a column is read twice, and would be computed for that much longer.
const largestMoved = 100

// substitute puts expressions in the place of the columns of a condition; false where it would grow too large.
func substitute(c tree.Scalar, exprs []tree.Named) (tree.Scalar, bool) {
	before, after := 0, 0
	tree.Walk(c, func(s tree.Scalar) bool {
		before++
		after++
		if col, ok := s.(*tree.Column); ok {
			after += nodes(exprs[col.Ordinal].Expr) - 1
		}
		return true
	})
	if after > max(before, largestMoved) {
		return nil, false
	}
	return tree.Rewrite(c, func(s tree.Scalar) tree.Scalar {
		if col, ok := s.(*tree.Column); ok {
			e, _ := tree.StripAlias(exprs[col.Ordinal].Expr)
			return e
		}
		return s
	}), true
}

// nodes counts the nodes of an expression without its names.
func nodes(s tree.Scalar) (n int) {
	tree.Walk(s, func(x tree.Scalar) bool {
		if _, ok := x.(*tree.Alias); !ok {
			n++
		}
		return true
	})
	return n
}

// pushFilters moves each conjunct of a filter as far down as Spark does: through projections, unions, sorts and other filters, into
// the sides of a join that may lose rows, below an aggregation where it looks at keys only, and below a watermark where it does
// not look at the event time (so that rows which it drops do not move the watermark, as in Spark).
func pushFilters(n Node) Node {
	f, ok := n.(*Filter)
	if !ok {
		mapInputs(n, pushFilters)
		if j, ok := n.(*Join); ok {
			return pushJoin(j)
		}
		return n
	}
	conds := conjuncts(f.Cond)
	return pushInto(f.In, conds)
}

// pushInto applies conjuncts over a node's output at the node or below it.
func pushInto(n Node, conds []tree.Scalar) Node {
	var stay []tree.Scalar
	down := func(move func(c tree.Scalar) (tree.Scalar, bool)) (pushed []tree.Scalar) {
		for _, c := range conds {
			if deterministic(c) {
				if m, ok := move(c); ok {
					pushed = append(pushed, m)
					continue
				}
			}
			stay = append(stay, c)
		}
		return pushed
	}
	same := func(in Node) func(c tree.Scalar) (tree.Scalar, bool) {
		return func(c tree.Scalar) (tree.Scalar, bool) {
			return moveColumns(c, in.common().stand, func(k int) int { return k }), true
		}
	}
	switch x := n.(type) {
	case *Filter:
		return pushInto(x.In, append(conjuncts(moveColumns(x.Cond, x.In.common().stand, func(k int) int { return k })), conds...))
	case *Project:
		pushed := down(func(c tree.Scalar) (tree.Scalar, bool) {
			for k := range columnsOf(c) {
				if !deterministic(x.Exprs[k].Expr) {
					return nil, false
				}
			}
			return substitute(c, x.Exprs)
		})
		x.In = pushInto(x.In, pushed)
		return filterOver(n, stay)
	case *Sort:
		if x.Limit >= 0 {
			return filterOver(pushFilters(n), conds)
		}
		x.In = pushInto(x.In, down(same(x.In)))
		return filterOver(n, stay)
	case *Watermark:
		x.In = pushInto(x.In, down(func(c tree.Scalar) (tree.Scalar, bool) {
			if columnsOf(c)[x.Ordinal] {
				return nil, false
			}
			return same(x.In)(c)
		}))
		return filterOver(n, stay)
	case *Unnest:
		x.In = pushInto(x.In, down(func(c tree.Scalar) (tree.Scalar, bool) {
			for k := range columnsOf(c) {
				if k == x.Ordinal || k >= x.In.Schema().Len() {
					return nil, false
				}
			}
			return same(x.In)(c)
		}))
		return filterOver(n, stay)
	case *Union:
		pushed := down(func(c tree.Scalar) (tree.Scalar, bool) { return c, true })
		for i, s := range x.Sides {
			moved := make([]tree.Scalar, len(pushed))
			for k, c := range pushed {
				moved[k] = moveColumns(c, s.common().stand, func(k int) int { return k })
			}
			x.Sides[i] = pushInto(s, moved)
		}
		return filterOver(n, stay)
	case *Aggregate:
		if len(x.Keys) == 0 {
			// The one row is there whatever the input, so nothing moves below.
			return filterOver(pushFilters(n), conds)
		}
		pushed := down(func(c tree.Scalar) (tree.Scalar, bool) {
			cols := columnsOf(c)
			for k := range cols {
				if !x.rowKey(k) || !deterministic(x.Keys[k].Expr) {
					return nil, false
				}
			}
			if len(cols) == 0 {
				return nil, false
			}
			return substitute(c, x.Keys)
		})
		x.In = pushInto(x.In, pushed)
		return filterOver(n, stay)
	case *Mark, *Apply:
		// A condition that does not look at the subquery's value goes below it.
		in := n.Inputs()[0]
		pushed := down(func(c tree.Scalar) (tree.Scalar, bool) {
			if columnsOf(c)[in.Schema().Len()] {
				return nil, false
			}
			return same(in)(c)
		})
		switch y := n.(type) {
		case *Mark:
			y.In, y.Sub = pushInto(y.In, pushed), pushFilters(y.Sub)
		case *Apply:
			y.In = pushInto(y.In, pushed)
		}
		return filterOver(n, stay)
	case *Windows:
		width := x.In.Schema().Len()
		x.In = pushInto(x.In, down(func(c tree.Scalar) (tree.Scalar, bool) {
			for k := range columnsOf(c) {
				if k >= width {
					return nil, false
				}
			}
			return same(x.In)(c)
		}))
		return filterOver(n, stay)
	case *Join:
		for _, c := range conds {
			if !deterministic(c) {
				stay = append(stay, c)
				continue
			}
			// The condition over the output becomes one over both inputs.
			width := x.Left.Schema().Len()
			left, right := false, false
			m := moveColumns(c, x.both, func(k int) int {
				o := x.Output[k]
				if o.FromRight {
					right = true
					return width + o.Ordinal
				}
				left = true
				return o.Ordinal
			})
			switch {
			case left && !right && x.Kind != tree.FullJoin:
				x.Left = &Filter{base: newBase(x.Left.Schema()), In: x.Left, Cond: moveColumns(m, x.Left.common().stand, func(k int) int { return k })}
			case x.Kind == tree.InnerJoin && !x.Any && (left || right):
				x.On = append(x.On, m)
			default:
				stay = append(stay, c)
			}
		}
		return filterOver(pushFilters(x), stay)
	case *AsofJoin:
		// Each left row finds its partner by itself, so what looks at left columns alone may go below.
		pushed := down(func(c tree.Scalar) (tree.Scalar, bool) {
			for k := range columnsOf(c) {
				if x.Output[k].FromRight {
					return nil, false
				}
			}
			return moveColumns(c, x.Left.common().stand, func(k int) int { return x.Output[k].Ordinal }), true
		})
		x.Left, x.Right = pushInto(x.Left, pushed), pushFilters(x.Right)
		return filterOver(n, stay)
	}
	return filterOver(pushFilters(n), conds)
}

// inferFilters adds to a filter over inner joins, and to their own conditions, what an OR says of one table alone: of (a = 1 AND b = 2) OR (a = 3 AND b = 4) follows
// a = 1 OR a = 3, which can be looked at before the tables are joined.
//
// Source: Spark's PushPredicateThroughJoin and extractPredicatesWithinOutputSet.
func inferFilters(n Node) Node {
	mapInputs(n, inferFilters)
	switch x := n.(type) {
	case *Filter:
		in := x.In
		var conds []tree.Scalar
		for _, c := range conjuncts(x.Cond) {
			conds = append(conds, c)
			if j, ok := in.(*Join); ok && j.Kind == tree.InnerJoin && !j.Any && j.Op < 0 {
				conds = append(conds, inferred(c, sidesOf(j))...)
			}
		}
		if len(conds) > 1 {
			x.Cond = conjoin(conds)
		}
	case *Join:
		if x.Kind != tree.InnerJoin || x.Any || x.Op >= 0 {
			break
		}
		width := x.Left.Schema().Len()
		for _, c := range x.On {
			leaf := func(k int) int {
				if k < width {
					return 0
				}
				return 1
			}
			x.On = append(x.On, inferred(c, leaf)...)
		}
	}
	return n
}

var isNotNullFunction, _ = catalog.Lookup("isnotnull")

// requireValues adds to the condition of a stream's join that the columns are there without which it is never true, where the join may lose such rows: they then go out
// on the stream's side, below its watermark. That changes no row, but rows without a key do not move the watermark and are not kept, as in Spark.
//
// Source: Spark's InferFiltersFromConstraints.
func requireValues(n Node) Node {
	mapInputs(n, requireValues)
	x, ok := n.(*Join)
	if !ok || x.Any {
		return n
	}
	width := x.Left.Schema().Len()
	left := streaming(x.Left) && (x.Kind == tree.InnerJoin || x.Kind == tree.SemiJoin)
	right := streaming(x.Right) && x.Kind != tree.FullJoin
	if !left && !right {
		return n
	}
	needed := map[int]bool{}
	for _, c := range x.On {
		if deterministic(c) {
			columnsNeeded(c, needed)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(needed)) {
		if f := x.both.Schema().Field(k); f.Nullable && (k < width && left || k >= width && right) {
			x.On = append(x.On, &tree.Call{Func: isNotNullFunction, Args: []tree.Scalar{&tree.Column{Rel: x.both, Ordinal: k}}, Typ: datatype.Boolean})
		}
	}
	return n
}

// columnsNeeded finds columns without which an expression is null.
func columnsNeeded(s tree.Scalar, out map[int]bool) {
	s, _ = tree.StripAlias(s)
	switch x := s.(type) {
	case *tree.Column:
		out[x.Ordinal] = true
	case *tree.Cast:
		columnsNeeded(x.Arg, out)
	case *tree.Call:
		if x.Func.Kind != catalog.Scalar || x.Func.Nulls != catalog.NullIfAny && x.Func.Name != "between" {
			return
		}
		for _, a := range x.Args {
			columnsNeeded(a, out)
		}
	}
}

// sidesOf numbers the inputs of a tree of inner joins and gives for each output column the number of the input that it comes from.
func sidesOf(j *Join) func(k int) int {
	next := 0
	var walk func(n Node) []int
	walk = func(n Node) []int {
		x, ok := n.(*Join)
		if !ok || x.Kind != tree.InnerJoin || x.Any || x.Op >= 0 {
			cols := make([]int, n.Schema().Len())
			for i := range cols {
				cols[i] = next
			}
			next++
			return cols
		}
		l := walk(x.Left)
		r := walk(x.Right)
		out := make([]int, len(x.Output))
		for i, o := range x.Output {
			if o.FromRight {
				out[i] = r[o.Ordinal]
			} else {
				out[i] = l[o.Ordinal]
			}
		}
		return out
	}
	cols := walk(j)
	return func(k int) int { return cols[k] }
}

// inferred gives what an OR over several inputs says of each of them alone.
func inferred(c tree.Scalar, side func(k int) int) []tree.Scalar {
	if call, ok := c.(*tree.Call); !ok || call.Func.Name != "or" || !deterministic(c) {
		return nil
	}
	seen := map[int]bool{}
	var sides []int
	for k := range columnsOf(c) {
		if s := side(k); !seen[s] {
			seen[s] = true
			sides = append(sides, s)
		}
	}
	if len(sides) < 2 {
		return nil
	}
	slices.Sort(sides)
	var out []tree.Scalar
	for _, s := range sides {
		if x := within(c, func(k int) bool { return side(k) == s }); x != nil {
			out = append(out, x)
		}
	}
	return out
}

// within gives what a condition says of some columns alone, or nil for nothing: a condition that is true wherever c is.
func within(c tree.Scalar, of func(k int) bool) tree.Scalar {
	inside := true
	cols := columnsOf(c)
	for k := range cols {
		inside = inside && of(k)
	}
	if inside && len(cols) > 0 {
		return c
	}
	call, ok := c.(*tree.Call)
	if !ok || call.Func.Name != "or" && call.Func.Name != "and" {
		return nil
	}
	a, b := within(call.Args[0], of), within(call.Args[1], of)
	switch {
	case a != nil && b != nil:
		x := *call
		x.Args = []tree.Scalar{a, b}
		return &x
	case call.Func.Name == "or":
		return nil
	case a != nil:
		return a
	}
	return b
}

// pushJoin moves conjuncts of a join's condition that look at one side only into that side, where the side may lose rows by it.
func pushJoin(x *Join) Node {
	width := x.Left.Schema().Len()
	var on, left, right []tree.Scalar
	for _, c := range x.On {
		l, r := false, false
		for k := range columnsOf(c) {
			if k < width {
				l = true
			} else {
				r = true
			}
		}
		mayLeft := x.Kind == tree.InnerJoin || x.Kind == tree.SemiJoin
		mayRight := x.Kind != tree.FullJoin
		switch {
		case deterministic(c) && l && !r && mayLeft:
			left = append(left, moveColumns(c, x.Left.common().stand, func(k int) int { return k }))
		case deterministic(c) && r && !l && mayRight:
			right = append(right, moveColumns(c, x.Right.common().stand, func(k int) int { return k - width }))
		default:
			on = append(on, c)
		}
	}
	x.On = on
	if len(left) > 0 {
		x.Left = pushInto(x.Left, left)
	}
	if len(right) > 0 {
		x.Right = pushInto(x.Right, right)
	}
	return x
}

// skipRows tells the scans of a batch what the filter right above them asks, so that a source can leave out files and row groups. The filter stays.
// In a stream all rows are read: they are counted.
func skipRows(n Node) Node {
	mapInputs(n, skipRows)
	f, ok := n.(*Filter)
	if !ok {
		return n
	}
	s, ok := f.In.(*Scan)
	if !ok || s.Stream || s.Read.Source.Codec != nil { // a condition over a codec's columns is none over the source's
		return n
	}
	for _, c := range conjuncts(f.Cond) {
		if deterministic(c) {
			s.Filters = append(s.Filters, bounds(c)...)
		}
	}
	return n
}

// bounds takes a BETWEEN apart, for sources know comparisons.
func bounds(s tree.Scalar) []tree.Scalar {
	c, ok := s.(*tree.Call)
	if !ok || c.Func.Name != "between" {
		return []tree.Scalar{s}
	}
	out := make([]tree.Scalar, 2)
	for i, name := range []string{">=", "<="} {
		f, _ := catalog.Lookup(name)
		out[i] = &tree.Call{Func: f, Args: []tree.Scalar{c.Args[0], c.Args[i+1]}, Typ: c.Typ, Null: c.Null, At: c.At}
	}
	return out
}

// topK makes of a limit over a sort, or over a projection of one, a sort that keeps only so many rows.
func topK(n Node) Node {
	mapInputs(n, topK)
	l, ok := n.(*Limit)
	if !ok || l.Count < 0 || l.OffsetOf != nil || l.Op >= 0 {
		return n
	}
	in := l.In
	for {
		p, ok := in.(*Project)
		if !ok {
			break
		}
		in = p.In
	}
	if s, ok := in.(*Sort); ok && (s.Limit < 0 || s.Limit > l.Count+l.Offset) {
		s.Limit = l.Count + l.Offset
	}
	return n
}

// pushLimits puts a copy of a limit into the sides of a union, which need give no more rows.
func pushLimits(n Node) Node {
	mapInputs(n, pushLimits)
	l, ok := n.(*Limit)
	if !ok || l.Count < 0 || l.OffsetOf != nil || l.Op >= 0 {
		return n
	}
	in := l.In
	for {
		p, ok := in.(*Project)
		if !ok {
			break
		}
		in = p.In
	}
	if u, ok := in.(*Union); ok {
		for i, s := range u.Sides {
			u.Sides[i] = &Limit{base: newBase(s.Schema()), In: s, Count: l.Count + l.Offset, Op: -1}
		}
	}
	return n
}

// pruneColumns marks, from the root down, which columns of each node are read. Ordinals stay as they are: what nobody reads is
// neither read from the source nor computed nor copied.
func pruneColumns(root Node) Node {
	all := make([]bool, root.Schema().Len())
	for i := range all {
		all[i] = true
	}
	prune(root, all)
	return root
}

// mark notes the columns that an expression reads.
func mark(need []bool, s tree.Scalar) {
	for c := range columnsOf(s) {
		need[c] = true
	}
}

// ordered gives the columns of a node that have an order: by them it is settled which of several right rows is a partner.
func ordered(n Node) []int {
	var out []int
	for i, f := range n.Schema().Fields() {
		if datatype.IsOrderable(f.Type) {
			out = append(out, i)
		}
	}
	return out
}

func markOrdered(need []bool, n Node) {
	for _, i := range ordered(n) {
		need[i] = true
	}
}

// prune notes which columns of n are read and goes on to its inputs.
func prune(n Node, need []bool) {
	if _, ok := n.(*Shared); ok {
		return // others read other columns of it
	}
	n.common().need = need
	inputNeed := func(in Node) []bool { return make([]bool, in.Schema().Len()) }
	switch x := n.(type) {
	case *Project:
		d := inputNeed(x.In)
		for i, e := range x.Exprs {
			if need[i] {
				mark(d, e.Expr)
			}
		}
		prune(x.In, d)
	case *Filter:
		d := append([]bool(nil), need...)
		mark(d, x.Cond)
		prune(x.In, d)
	case *Sift:
		d := append([]bool(nil), need...)
		d[x.Column] = true
		prune(x.In, d)
	case *Windows:
		d := append([]bool(nil), need[:x.In.Schema().Len()]...)
		mark(d, x.Time)
		if x.Gap != nil {
			mark(d, x.Gap)
		}
		prune(x.In, d)
	case *Aggregate:
		d := inputNeed(x.In)
		for _, k := range x.Keys {
			mark(d, k.Expr)
		}
		for i, a := range x.Aggs {
			// State keeps every aggregate, so in a stream all are computed.
			if need[len(x.Keys)+i] || x.Op >= 0 {
				mark(d, a.Expr)
			}
		}
		prune(x.In, d)
	case *Expand:
		d := append([]bool(nil), need[:x.In.Schema().Len()]...)
		for _, k := range x.Keys {
			mark(d, k.Expr)
		}
		prune(x.In, d)
	case *SetOperation:
		// Rows are compared by all their columns.
		for _, in := range n.Inputs() {
			d := inputNeed(in)
			for i := range d {
				d[i] = true
			}
			prune(in, d)
		}
	case *Sample:
		prune(x.In, append([]bool(nil), need...))
	case *Join:
		width := x.Left.Schema().Len()
		both := make([]bool, width+x.Right.Schema().Len())
		for i, o := range x.Output {
			if need[i] {
				if o.FromRight {
					both[width+o.Ordinal] = true
				} else {
					both[o.Ordinal] = true
				}
			}
		}
		for _, c := range x.On {
			mark(both, c)
		}
		for _, s := range x.Sieves {
			both[width+s.Right] = true
		}
		if x.Any {
			markOrdered(both[width:], x.Right)
		}
		if x.Op >= 0 {
			for i := range both {
				both[i] = true // the rows in the state keep all their columns
			}
		}
		prune(x.Left, append([]bool(nil), both[:width]...))
		prune(x.Right, append([]bool(nil), both[width:]...))
	case *AsofJoin:
		l, r := inputNeed(x.Left), inputNeed(x.Right)
		for i, o := range x.Output {
			switch {
			case !need[i]:
			case o.FromRight:
				r[o.Ordinal] = true
			default:
				l[o.Ordinal] = true
			}
		}
		mark(l, x.LeftTime)
		mark(r, x.RightTime)
		for _, k := range x.Keys {
			mark(l, k.Left)
			mark(r, k.Right)
		}
		markOrdered(r, x.Right)
		if x.Op >= 0 {
			for _, side := range [][]bool{l, r} {
				for i := range side {
					side[i] = true // the rows in the state keep all their columns
				}
			}
		}
		prune(x.Left, l)
		prune(x.Right, r)
	case *Sort:
		d := append([]bool(nil), need...)
		for _, k := range x.Keys {
			mark(d, k.Arg)
		}
		prune(x.In, d)
	case *Match:
		d := inputNeed(x.In)
		for _, c := range x.rowColumns() {
			d[c] = true
		}
		for _, k := range x.Keys {
			mark(d, k.Expr)
		}
		prune(x.In, d)
	case *Keyed:
		d := inputNeed(x.In)
		for _, c := range x.Functions.Rows {
			d[c] = true
		}
		for _, k := range x.Keys {
			mark(d, k.Expr)
		}
		if x.Event >= 0 {
			d[x.Event] = true
		}
		prune(x.In, d)
		if x.Initial != nil {
			d = inputNeed(x.Initial)
			for _, c := range x.Functions.First {
				d[c] = true
			}
			for _, k := range x.InitialKeys {
				mark(d, k.Expr)
			}
			prune(x.Initial, d)
		}
	case *Limit:
		prune(x.In, append([]bool(nil), need...))
	case *Deduplicate:
		d := append([]bool(nil), need...)
		for _, k := range x.Keys {
			d[k] = true
		}
		if x.Event >= 0 {
			d[x.Event] = true
		}
		prune(x.In, d)
	case *Union:
		for _, s := range x.Sides {
			prune(s, append([]bool(nil), need...))
		}
	case *Watermark:
		d := append([]bool(nil), need...)
		if x.Index >= 0 {
			d[x.Ordinal] = true
		}
		prune(x.In, d)
	case *Unnest:
		d := append([]bool(nil), need[:x.In.Schema().Len()]...)
		d[x.Ordinal] = true
		prune(x.In, d)
	case *Over:
		d := append([]bool(nil), need[:x.In.Schema().Len()]...)
		for _, o := range x.Items {
			mark(d, o)
		}
		if x.Op >= 0 {
			for i := range d {
				d[i] = true // the rows in the state keep all their columns
			}
		}
		prune(x.In, d)
	case *Single:
		prune(x.In, append([]bool(nil), need...))
	case *Apply:
		d := append([]bool(nil), need[:x.In.Schema().Len()]...)
		mark(d, x.Sub)
		prune(x.In, d)
	case *Mark:
		width := x.In.Schema().Len()
		both := make([]bool, width+x.Sub.Schema().Len())
		copy(both, need[:width])
		for _, c := range x.On {
			mark(both, c)
		}
		if x.Match != nil {
			mark(both, x.Match)
		}
		prune(x.In, append([]bool(nil), both[:width]...))
		prune(x.Sub, append([]bool(nil), both[width:]...))
	}
}
