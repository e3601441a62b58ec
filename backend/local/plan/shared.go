package plan

import (
	"math"

	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Shared is a part of a batch plan that several nodes read. It is planned, and where its rows are few computed, once. Rules and walks see a leaf: what is below
// is a plan of its own, in [Plan.Parts], so that no pass goes every way down to it.
type Shared struct {
	base
	// Number counts the parts from 1.
	Number int
	// In computes the rows.
	In Node

	estimated *estimate
}

// manyNodes is the number of nodes that a plan may have with each way to a relation planned for itself, which lets every way have its own filters and columns. A plan
// with more, whose relations are reached by very many ways, plans them once.
const manyNodes = 2000

// sharing decides which relations of a batch are planned once.
type sharing struct {
	// ways is how many relations read each one, and all whether every one with several ways is shared.
	ways map[tree.Relation]int
	all  bool
	// filtered are those with a filter right above them on some way.
	filtered map[tree.Relation]bool
	made     map[tree.Relation]*Shared
}

func newSharing(root tree.Relation) *sharing {
	s := &sharing{ways: map[tree.Relation]int{}, filtered: map[tree.Relation]bool{}, made: map[tree.Relation]*Shared{}}
	sizes := map[tree.Relation]int{}
	var visit func(r tree.Relation) int
	visit = func(r tree.Relation) int {
		s.ways[r]++
		if n, ok := sizes[r]; ok {
			return n
		}
		n := 1
		for _, in := range r.Inputs() {
			if _, ok := r.(*tree.Filter); ok {
				s.filtered[in] = true
			}
			if k := visit(in); n > math.MaxInt/4-k {
				n = math.MaxInt / 4
			} else {
				n += k
			}
		}
		sizes[r] = n
		return n
	}
	s.all = visit(root) > manyNodes
	return s
}

// shared tells whether a relation is planned once: all that are reached by several ways in a very large plan, and else aggregations, whose rows are few and dear, unless a
// filter on one of the ways may leave most of them out.
func (s *sharing) shared(r tree.Relation) bool {
	if s == nil || s.ways[r] < 2 {
		return false
	}
	switch r.(type) {
	case *tree.Values, *tree.Read, *tree.Table:
		return false
	case *tree.Aggregate, *tree.Distinct:
		return s.all || !s.filtered[r] && steady(r)
	case *tree.View:
		return false
	}
	return s.all
}

// steady tells whether a relation gives the same rows each time that it is computed. In a very large plan that is not asked for: each way would be computed for itself on
// Spark, which cannot plan it.
func steady(r tree.Relation) bool {
	ok := true
	seen := map[tree.Relation]bool{}
	var visit func(r tree.Relation)
	visit = func(r tree.Relation) {
		if seen[r] || !ok {
			return
		}
		seen[r] = true
		if x, is := r.(*tree.Sample); is && x.Seed == nil {
			ok = false
		}
		for _, s := range tree.Scalars(r) {
			tree.Walk(s, func(x tree.Scalar) bool {
				if c, is := x.(*tree.Call); is && c.Func.NonDeterministic && c.Func.Kind != catalog.Aggregate {
					ok = false
				}
				return ok
			})
		}
		for _, q := range tree.Subqueries(tree.Scalars(r)...) {
			visit(q.Rel)
		}
		for _, in := range r.Inputs() {
			visit(in)
		}
	}
	visit(r)
	return ok
}
