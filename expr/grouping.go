package expr

import (
	"slices"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// GroupingElement is a part of [Table.GroupBy] that groups more than once: what [Rollup], [Cube] and [GroupingSets] give.
type GroupingElement struct {
	op string
	// parts are the keys of a rollup or cube, each one or several that go together, or the sets.
	parts [][]any
	at    condition.Pos
}

// Rollup groups by all of its keys, by all but the last, and so on down to no key: totals of every level. A key that a row's group
// leaves out is null in it; [Grouping] tells such a null from one of the data. A key that is a []any counts as one.
func Rollup(keys ...any) GroupingElement { return element(condition.Here(1), "Rollup", keys) }

// Cube groups by every subset of its keys. A key that a row's group leaves out is null in it; [Grouping] tells such a null from one of
// the data. A key that is a []any counts as one.
func Cube(keys ...any) GroupingElement { return element(condition.Here(1), "Cube", keys) }

// GroupingSets groups once by each of the sets, a []any of keys each, or a key for a set of one; the empty set is the total. A key that
// a row's set leaves out is null in it; [Grouping] tells such a null from one of the data. Over an empty input no set gives a row, the
// empty one neither, as in Spark.
func GroupingSets(sets ...any) GroupingElement {
	return element(condition.Here(1), "GroupingSets", sets)
}

func element(at condition.Pos, op string, parts []any) GroupingElement {
	e := GroupingElement{op: op, at: at}
	for _, p := range parts {
		if list, ok := p.([]any); ok {
			e.parts = append(e.parts, list)
		} else {
			e.parts = append(e.parts, []any{p})
		}
	}
	return e
}

// maxSets bounds how often a grouping reads its rows: Spark gives up on as many.
const maxSets = 1 << 12

// sets gives the sets of an element as numbers of its parts.
func (e GroupingElement) sets() [][]int {
	n := len(e.parts)
	var out [][]int
	switch e.op {
	case "Rollup":
		for k := n; k >= 0; k-- {
			out = append(out, upTo(k))
		}
	case "Cube":
		if n > 12 {
			return nil
		}
		// The first set has all keys and the last none.
		for mask := range 1 << n {
			set := []int{}
			for i := range n {
				if mask>>(n-1-i)&1 == 0 {
					set = append(set, i)
				}
			}
			out = append(out, set)
		}
	default:
		for i := range n {
			out = append(out, []int{i})
		}
	}
	return out
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// groupKeys binds what GroupBy was given. sets is nil for a plain grouping, else the ordinals of the keys of each grouping set: plain
// keys are in all of them, and several elements multiply, as in SQL.
func (t Table) groupKeys(at condition.Pos, in []any) (nodes []tree.Scalar, sets [][]int, errs []*condition.Error) {
	var plain []int
	// add binds keys and gives their numbers, a key that is there already by the number that it has.
	add := func(at condition.Pos, keys []any) []int {
		bound, e := t.args(at, keys)
		errs = merge(errs, e)
		var out []int
		for _, b := range bound {
			have := -1
			for i, n := range nodes {
				if sets != nil && equalScalar(n, b) {
					have = i
				}
			}
			if have < 0 {
				have = len(nodes)
				nodes = append(nodes, b)
			}
			out = append(out, have)
		}
		return out
	}
	for _, x := range in {
		if _, ok := x.(GroupingElement); ok {
			sets = [][]int{{}}
		}
	}
	for _, x := range in {
		e, ok := x.(GroupingElement)
		if !ok {
			plain = append(plain, add(at, []any{x})...)
			continue
		}
		if e.op == "" {
			err := condition.Newf(condition.InvalidValue, "A grouping element that was never made (its zero value) is used.")
			err.Pos, err.Operator, err.Hint = at, "GroupBy", "Use Rollup, Cube or GroupingSets."
			errs = append(errs, err)
			continue
		}
		parts := make([][]int, len(e.parts))
		for i, p := range e.parts {
			parts[i] = add(e.at, p)
		}
		own := e.sets()
		if len(own) == 0 && len(e.parts) == 0 {
			err := condition.Newf(condition.InvalidValue, "GroupingSets needs a set.")
			err.Pos, err.Operator, err.Hint = e.at, "GroupBy", "Give []any{} for the total."
			errs = append(errs, err)
			continue
		}
		if n := len(own) * len(sets); n == 0 || n > maxSets {
			err := condition.Newf("GROUPING_SIZE_LIMIT_EXCEEDED", "%s of %d keys groups more than %d times.", e.op, len(e.parts), maxSets)
			err.Pos, err.Operator, err.Hint = e.at, "GroupBy", "Name the sets that are wanted with GroupingSets."
			errs = append(errs, err)
			continue
		}
		var product [][]int
		for _, s := range sets {
			for _, set := range own {
				merged := slices.Clone(s)
				for _, p := range set {
					for _, k := range parts[p] {
						if !slices.Contains(merged, k) {
							merged = append(merged, k)
						}
					}
				}
				product = append(product, merged)
			}
		}
		sets = product
	}
	if sets == nil || len(errs) > 0 {
		return nodes, nil, errs
	}
	// Keys stand in the order in which the sets name them first, which is the order of the digits of grouping_id in Spark.
	var order []int
	for i, s := range sets {
		all := slices.Clone(plain)
		for _, k := range s {
			if !slices.Contains(all, k) {
				all = append(all, k)
			}
		}
		sets[i] = all
		for _, k := range all {
			if !slices.Contains(order, k) {
				order = append(order, k)
			}
		}
	}
	place := make([]int, len(nodes))
	sorted := make([]tree.Scalar, len(order))
	for i, k := range order {
		place[k], sorted[i] = i, nodes[k]
	}
	for _, s := range sets {
		for i, k := range s {
			s[i] = place[k]
		}
		slices.Sort(s)
	}
	return sorted, sets, nil
}

var fnGrouping, fnGroupingID = fn("grouping"), fn("grouping_id")

// Grouping is 1 in the rows of a grouping set that leaves the key out, where the key is null for that reason, and 0 in the others: a
// TINYINT. It stands in Agg and Having of [Rollup], [Cube] and [GroupingSets]; elsewhere it is an UNSUPPORTED_GROUPING_EXPRESSION.
func Grouping(key any) NumericValue {
	at := condition.Here(1)
	if name, ok := key.(string); ok {
		key = AnyValue{value{node: &tree.Unbound{Name: name, At: at}}}
	}
	return callAt[NumericValue](at, fnGrouping, key)
}

// GroupingID is the number whose binary digits are [Grouping] of each key of the grouping, the first key's digit first: a BIGINT, 0 in the
// rows of the set that has all keys.
func GroupingID() NumericValue { return callAt[NumericValue](condition.Here(1), fnGroupingID) }
