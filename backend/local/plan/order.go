package plan

import (
	"math/bits"

	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// maxReordered is the number of inputs up to which all orders of inner joins are compared; beyond it the order is the user's.
const maxReordered = 10

// worthReordering is the number of rows below which the order of joins is left as the user wrote it.
const worthReordering = 10_000

// orderJoins gives each group of inner joins that follow one another the order of the least work, by what the sources know of their rows, and makes the
// smaller side of each the one that a hash table is made of. Where a source knows nothing, the order stays.
func orderJoins(n Node, s statistics) Node {
	if j, ok := n.(*Join); ok && reorderable(j) {
		g := &joinGroup{}
		g.collect(j)
		for i, leaf := range g.leaves {
			g.leaves[i] = orderJoins(leaf, s)
		}
		if len(g.leaves) <= maxReordered {
			if ordered := g.order(j, s); ordered {
				return j
			}
		}
		// The inputs may have changed all the same.
		g.restore(j)
		return j
	}
	mapInputs(n, func(in Node) Node { return orderJoins(in, s) })
	return n
}

// reorderable tells whether a join is an inner one of a batch whose conditions may be looked at in any order.
func reorderable(j *Join) bool {
	if j.Kind != tree.InnerJoin || j.Any || j.Op >= 0 || j.Static != 0 || len(j.Sieves) > 0 {
		return false
	}
	for _, c := range j.On {
		if !deterministic(c) {
			return false
		}
	}
	return true
}

// joinGroup is a tree of inner joins taken apart. Its columns are numbered through all leaves.
type joinGroup struct {
	leaves []Node
	from   []int // where the columns of each leaf begin
	conds  []tree.Scalar
	uses   []uint // the leaves that each condition looks at
	output []int  // the columns of the topmost join
	stand  *tree.Values
	width  int
}

// collect takes the joins below j apart and gives the columns of its output.
func (g *joinGroup) collect(j *Join) {
	var walk func(n Node) []int
	walk = func(n Node) []int {
		x, ok := n.(*Join)
		if !ok || !reorderable(x) {
			g.leaves, g.from = append(g.leaves, n), append(g.from, g.width)
			cols := make([]int, n.Schema().Len())
			for i := range cols {
				cols[i] = g.width + i
			}
			g.width += len(cols)
			return cols
		}
		l := walk(x.Left)
		both := append(append([]int(nil), l...), walk(x.Right)...)
		for _, c := range x.On {
			g.conds = append(g.conds, moveColumns(c, x.both, func(k int) int { return both[k] }))
		}
		out := make([]int, len(x.Output))
		for i, o := range x.Output {
			k := o.Ordinal
			if o.FromRight {
				k += len(l)
			}
			out[i] = both[k]
		}
		return out
	}
	g.output = walk(j)
	var fields []tree.Field
	for _, n := range g.leaves {
		fields = append(fields, n.Schema().Fields()...)
	}
	g.stand = standIn(tree.NewSchema(fields))
	for i, c := range g.conds {
		g.conds[i] = moveColumns(c, g.stand, func(k int) int { return k })
		use := uint(0)
		for k := range columnsOf(c) {
			use |= 1 << g.leafOf(k)
		}
		g.uses = append(g.uses, use)
	}
}

// leafOf gives the leaf of a column.
func (g *joinGroup) leafOf(column int) int {
	leaf := 0
	for i, at := range g.from {
		if column >= at {
			leaf = i
		}
	}
	return leaf
}

// restore puts the leaves back into the joins as they were.
func (g *joinGroup) restore(j *Join) {
	at := 0
	var walk func(n Node) Node
	walk = func(n Node) Node {
		x, ok := n.(*Join)
		if !ok || !reorderable(x) {
			at++
			return g.leaves[at-1]
		}
		x.Left = walk(x.Left)
		x.Right = walk(x.Right)
		return x
	}
	walk(j)
}

// step is the best way to join a set of leaves.
type step struct {
	cost, rows  float64
	left, right uint
}

// order finds the order of the least work and rebuilds top; it tells whether it did.
func (g *joinGroup) order(top *Join, s statistics) bool {
	n := len(g.leaves)
	ests := make([]estimate, n)
	most := 0.0
	for i, leaf := range g.leaves {
		ests[i] = s.estimate(leaf)
		if !ests[i].known {
			return false
		}
		most = max(most, ests[i].rows)
	}
	if most < worthReordering {
		return false
	}
	// What one condition, or all equalities between two leaves together, leave of the pairs.
	type share struct {
		use uint
		of  float64
	}
	var shares []share
	pairs := map[uint]float64{}
	equal := make([]bool, len(g.conds))
	for i, c := range g.conds {
		a, b, ok := equalColumns(c)
		switch {
		case ok && bits.OnesCount(g.uses[i]) == 2:
			equal[i] = true
			la, lb := g.leafOf(a), g.leafOf(b)
			ca, cb := ests[la].cols[a-g.from[la]], ests[lb].cols[b-g.from[lb]]
			if pairs[g.uses[i]] == 0 {
				pairs[g.uses[i]] = 1
			}
			pairs[g.uses[i]] *= max(1, min(ca.distinct, cb.distinct))
		case bits.OnesCount(g.uses[i]) >= 2:
			// An equality of expressions is a key of a hash table all the same.
			x, is := c.(*tree.Call)
			equal[i] = is && x.Func.Name == "="
			shares = append(shares, share{g.uses[i], shareOther})
		}
	}
	for use, d := range pairs {
		// Several keys together have no more values than the smaller table has rows before its filters.
		rows := 0.0
		for i := range n {
			if use>>i&1 == 0 {
				continue
			}
			base := ests[i].base()
			if rows == 0 || base < rows {
				rows = base
			}
		}
		shares = append(shares, share{use, 1 / max(1, min(d, rows))})
	}
	best := make([]step, 1<<n)
	for set := uint(1); set < 1<<n; set++ {
		b := &best[set]
		b.rows = 1
		for i := range n {
			if set>>i&1 == 1 {
				b.rows *= max(ests[i].rows, 1)
			}
		}
		for _, sh := range shares {
			if sh.use&set == sh.use {
				b.rows *= sh.of
			}
		}
		b.rows = max(b.rows, 1)
		if bits.OnesCount(set) == 1 {
			continue
		}
		b.cost = -1
		for l := (set - 1) & set; l > 0; l = (l - 1) & set {
			r := set &^ l
			// The left side passes by, the right one becomes a hash table.
			cost := best[l].cost + best[r].cost + best[l].rows + 2.5*best[r].rows + b.rows
			linked := false
			for i, use := range g.uses {
				if equal[i] && use&set == use && use&l != 0 && use&r != 0 {
					linked = true
				}
			}
			if !linked {
				cost += best[l].rows * best[r].rows
			}
			if b.cost < 0 || cost < b.cost {
				b.cost, b.left, b.right = cost, l, r
			}
		}
	}
	all := uint(1)<<n - 1
	// Conditions on one leaf or none stand where they are looked at first.
	for i, c := range g.conds {
		if bits.OnesCount(g.uses[i]) > 1 {
			continue
		}
		leaf := 0
		if g.uses[i] != 0 {
			leaf = bits.TrailingZeros(g.uses[i])
		}
		in := g.leaves[leaf]
		g.leaves[leaf] = filterOver(in, []tree.Scalar{moveColumns(c, in.common().stand, func(k int) int { return k - g.from[leaf] })})
	}
	var build func(set uint) (Node, []int)
	join := func(j *Join, set uint) []int {
		b := best[set]
		l, lc := build(b.left)
		r, rc := build(b.right)
		j.Left, j.Right = l, r
		cols := append(append([]int(nil), lc...), rc...)
		j.both = standIn(tree.NewSchema(append(append([]tree.Field(nil), l.Schema().Fields()...), r.Schema().Fields()...)))
		at := make(map[int]int, len(cols))
		for i, c := range cols {
			at[c] = i
		}
		j.On = nil
		for i, c := range g.conds {
			use := g.uses[i]
			if bits.OnesCount(use) > 1 && use&set == use && use&b.left != use && use&b.right != use {
				j.On = append(j.On, moveColumns(c, j.both, func(k int) int { return at[k] }))
			}
		}
		return cols
	}
	outputOf := func(cols []int, width int, want []int) []tree.JoinColumn {
		at := make(map[int]int, len(cols))
		for i, c := range cols {
			at[c] = i
		}
		out := make([]tree.JoinColumn, len(want))
		for i, c := range want {
			k := at[c]
			out[i] = tree.JoinColumn{FromRight: k >= width, Ordinal: k}
			if k >= width {
				out[i].Ordinal = k - width
			}
		}
		return out
	}
	build = func(set uint) (Node, []int) {
		if bits.OnesCount(set) == 1 {
			leaf := bits.TrailingZeros(set)
			cols := make([]int, g.leaves[leaf].Schema().Len())
			for i := range cols {
				cols[i] = g.from[leaf] + i
			}
			return g.leaves[leaf], cols
		}
		j := &Join{Kind: tree.InnerJoin, Op: -1}
		cols := join(j, set)
		j.base = newBase(j.both.Schema())
		j.Output = outputOf(cols, j.Left.Schema().Len(), cols)
		return j, cols
	}
	cols := join(top, all)
	top.Output = outputOf(cols, top.Left.Schema().Len(), g.output)
	return true
}
