package analyze

import (
	"fmt"

	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// streamOvers gives the window expressions of the streaming relations, outer ones first.
func streamOvers(q *query, f func(r tree.Relation, o *tree.Over)) {
	for _, r := range q.order {
		if !q.streaming[r] {
			continue
		}
		for _, s := range tree.Scalars(r) {
			tree.Walk(s, func(n tree.Scalar) bool {
				if o, ok := n.(*tree.Over); ok {
					f(r, o)
				}
				return true
			})
		}
	}
}

// overs gives an offence for the window expressions over streams that look back in event time only, or for those that do not.
func overs(q *query, back bool) []offence {
	var out []offence
	// The expressions of one relation wait for one event time.
	times := map[tree.Relation]tree.Scalar{}
	streamOvers(q, func(r tree.Relation, o *tree.Over) {
		_, why := LooksBack(o)
		if why == "" && q.mode != tree.Append {
			why = fmt.Sprintf("The query is in %s mode, and rows come out once.", q.mode)
		}
		if why == "" {
			t := tree.String(o.OrderBy[0].Arg)
			if times[r] == nil {
				times[r] = o.OrderBy[0].Arg
			} else if first := tree.String(times[r]); first != t {
				why = fmt.Sprintf("Another one beside it is ordered by %s.", first)
			}
		}
		if (why == "") != back {
			return
		}
		what := fmt.Sprintf("%s is computed over other rows of a stream.", tree.String(o))
		if why != "" {
			what += " " + why
		}
		out = append(out, offence{o.Func.Func.Name, what, o.At})
	})
	return out
}

// holdsOver tells whether a relation computes over other rows of a stream.
func (q *query) holdsOver(r tree.Relation) bool {
	if !q.streaming[r] {
		return false
	}
	for _, s := range tree.Scalars(r) {
		if firstOver(s) != nil {
			return true
		}
	}
	return false
}
