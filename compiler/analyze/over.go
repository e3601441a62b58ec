package analyze

import (
	"fmt"

	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
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
		why := notBack(o)
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

// notBack says why a window expression over a stream is not one whose rows are known when the watermark has passed them, or "".
func notBack(o *tree.Over) string {
	f := o.Func
	if len(o.OrderBy) == 0 {
		if f.Func.Kind == catalog.Aggregate && len(o.PartitionBy) == 0 {
			return "An aggregate outside Agg means OVER ()."
		}
		return "It has no order."
	}
	key := o.OrderBy[0]
	arg, _ := tree.StripAlias(key.Arg)
	switch k := arg.Type().Kind(); {
	case tree.EventTimeOf(arg) == nil || k != datatype.KindTimestamp && k != datatype.KindTimestampNTZ:
		return fmt.Sprintf("Its order begins with %s, which has no watermark.", tree.String(arg))
	case key.Descending:
		return "Its order runs backward in time."
	}
	const ahead = "It looks at rows that come later."
	switch f.Func.Name {
	case "ntile", "percent_rank", "cume_dist":
		return "It depends on how many rows the partition has in the end."
	case "lag", "lead":
		forward := f.Func.Name == "lead"
		if len(f.Args) > 1 {
			n, ok := literalMicros(tree.StripImplicit(f.Args[1]))
			switch {
			case !ok:
				return "Its offset is not a constant."
			case n < 0:
				forward = !forward
			case n == 0:
				forward = false
			}
		}
		if forward {
			return ahead
		}
		return ""
	}
	if tree.FrameFixed(f.Func) || o.Frame == nil {
		return ""
	}
	start, end := o.Frame.Start, o.Frame.End
	n := int64(0)
	if end.Offset != nil {
		n, _ = literalMicros(tree.StripImplicit(end.Offset))
	}
	switch {
	case end.Unbounded || n != 0 && !end.Preceding:
		return ahead
	case start.Unbounded && n != 0:
		return "Its frame begins with the partition and ends before the row: all rows would have to be kept."
	}
	return ""
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
