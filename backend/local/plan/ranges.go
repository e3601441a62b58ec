package plan

import (
	"math"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// rangesOf gives what a filter right above a scan asks of columns of integers, dates and time stamps: a source may leave out rows beyond. It looks at
// conjuncts that compare a plain column with a literal of its own kind; bounds that are not part of a range count as part of it.
func rangesOf(cond tree.Scalar) map[int]connector.Range {
	out := map[int]connector.Range{}
	for _, c := range conjuncts(cond) {
		call, ok := c.(*tree.Call)
		if !ok || len(call.Args) < 2 {
			continue
		}
		k, ok := plainColumn(call.Args[0])
		name := call.Func.Name
		var bounds []int64
		if ok {
			for _, a := range call.Args[1:] {
				if v, is := wholeOf(a, call.Args[0].Type()); is {
					bounds = append(bounds, v)
				}
			}
		} else if k, ok = plainColumn(call.Args[1]); ok {
			name = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}[name]
			if v, is := wholeOf(call.Args[0], call.Args[1].Type()); is {
				bounds = append(bounds, v)
			}
		}
		if !ok || len(bounds) != len(call.Args)-1 {
			continue
		}
		r, has := out[k]
		if !has {
			r = connector.Range{Min: math.MinInt64, Max: math.MaxInt64}
		}
		switch name {
		case "<", "<=":
			r.Max = min(r.Max, bounds[0])
		case ">", ">=":
			r.Min = max(r.Min, bounds[0])
		case "=":
			r.Min, r.Max = max(r.Min, bounds[0]), min(r.Max, bounds[0])
		case "between":
			r.Min, r.Max = max(r.Min, bounds[0]), min(r.Max, bounds[1])
		case "in":
			low, high := bounds[0], bounds[0]
			for _, b := range bounds {
				low, high = min(low, b), max(high, b)
			}
			r.Min, r.Max = max(r.Min, low), min(r.Max, high)
		default:
			continue
		}
		out[k] = r
	}
	return out
}

// wholeOf reads a literal that is held as a column of type t holds its values.
func wholeOf(s tree.Scalar, t datatype.Type) (int64, bool) {
	s, _ = tree.StripAlias(s)
	if c, ok := s.(*tree.Cast); ok && c.Implicit {
		return wholeOf(c.Arg, t)
	}
	l, ok := s.(*tree.Literal)
	if !ok {
		return 0, false
	}
	switch t.Kind() {
	case datatype.KindDate, datatype.KindTimestamp, datatype.KindTimestampNTZ:
		ok = l.Typ.Kind() == t.Kind()
	default:
		ok = datatype.IsIntegral(t) && datatype.IsIntegral(l.Typ)
	}
	v, is := l.Value.(int64)
	return v, ok && is
}
