package plan

import (
	"github.com/spoonbill-go/spoonbill/backend/local/exec"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Sift leaves out rows that will meet nobody in a join above, by the keys of the join's right side.
type Sift struct {
	base
	In     Node
	Column int
	From   *Sieve
}

// Inputs implements [Node].
func (n *Sift) Inputs() []Node { return []Node{n.In} }

// Sieve is the values of one column of a join's right side while the join runs: whoever is not among them meets nobody.
type Sieve struct{ Right int }

// barelySelective is the share of the left side's keys that a right side may have for a sieve to be worth its work.
const barelySelective = 0.8

// addSieves gives each inner and semi join of a batch sieves: for each equality with a plain column of its left side, a step that leaves out the rows
// without a partner is put as far down as the column comes unchanged from, into aggregations too where it is a key.
func addSieves(n Node, s statistics) Node {
	mapInputs(n, func(in Node) Node { return addSieves(in, s) })
	j, ok := n.(*Join)
	if !ok || j.Op >= 0 || j.Static != 0 || j.Kind != tree.InnerJoin && j.Kind != tree.SemiJoin {
		return n
	}
	width := j.Left.Schema().Len()
	for _, on := range j.On {
		c, ok := on.(*tree.Call)
		if !ok || c.Func.Name != "=" {
			continue
		}
		l, r, ok := columnPair(on, width)
		if !ok {
			continue
		}
		field := j.Left.Schema().Field(l)
		if p := vec.PhysOf(field.Type); !exec.Sieved(p) || p != vec.PhysOf(j.Right.Schema().Field(r-width).Type) {
			continue
		}
		left, right := s.estimate(j.Left), s.estimate(j.Right)
		if left.known && right.known && right.rows > barelySelective*left.cols[l].distinct {
			continue
		}
		from := &Sieve{Right: r - width}
		if in, ok := sift(j.Left, l, from); ok {
			j.Left = in
			j.Sieves = append(j.Sieves, from)
		}
	}
	return n
}

// sift puts a step for a column of n's output at n or below; it tells whether it found a place where that saves work.
func sift(n Node, column int, from *Sieve) (Node, bool) {
	here := func() (Node, bool) {
		return &Sift{base: newBase(n.Schema()), In: n, Column: column, From: from}, true
	}
	ok := false
	switch x := n.(type) {
	case *Scan:
		if x.Read.Source.Codec != nil {
			return n, false
		}
		return here()
	case *Filter:
		if _, scan := x.In.(*Scan); scan {
			return here()
		}
		x.In, ok = sift(x.In, column, from)
	case *Sift:
		if _, scan := x.In.(*Scan); scan {
			return here()
		}
		x.In, ok = sift(x.In, column, from)
	case *Project:
		for _, e := range x.Exprs {
			if !deterministic(e.Expr) {
				return n, false
			}
		}
		if c, plain := plainColumn(x.Exprs[column].Expr); plain {
			x.In, ok = sift(x.In, c, from)
		}
	case *Aggregate:
		if x.Op < 0 && x.rowKey(column) {
			if c, plain := plainColumn(x.Keys[column].Expr); plain {
				x.In, ok = sift(x.In, c, from)
			}
		}
	case *Sort:
		if x.Limit < 0 {
			x.In, ok = sift(x.In, column, from)
		}
	case *Union:
		for i := range x.Sides {
			side, done := sift(x.Sides[i], column, from)
			x.Sides[i], ok = side, ok || done
		}
	case *Join:
		o := x.Output[column]
		width := x.Left.Schema().Len()
		switch {
		case x.Op >= 0:
		case !o.FromRight && x.Kind != tree.FullJoin:
			x.Left, ok = sift(x.Left, o.Ordinal, from)
		case o.FromRight && x.Kind == tree.InnerJoin && !x.Any: // of any partner, others would come first
			x.Right, ok = sift(x.Right, o.Ordinal, from)
		}
		if x.Op >= 0 || x.Kind != tree.InnerJoin || x.Any {
			break
		}
		// What is equal to the column on the other side is sieved there too.
		k := o.Ordinal
		if o.FromRight {
			k += width
		}
		for _, c := range x.On {
			call, is := c.(*tree.Call)
			if !is || call.Func.Name != "=" {
				continue
			}
			l, r, pair := columnPair(c, width)
			if !pair || vec.PhysOf(x.Left.Schema().Field(l).Type) != vec.PhysOf(x.Right.Schema().Field(r-width).Type) {
				continue
			}
			done := false
			switch {
			case l == k:
				x.Right, done = sift(x.Right, r-width, from)
			case r == k:
				x.Left, done = sift(x.Left, l, from)
			}
			ok = ok || done
		}
	}
	return n, ok
}
