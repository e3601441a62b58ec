package plan

import (
	"math"

	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// eventColumn is the column of a schema that carries event time, or -1.
func eventColumn(s *tree.Schema) int {
	for i, f := range s.Fields() {
		if f.Watermark != nil {
			return i
		}
	}
	return -1
}

// expiry tells when rows of one side of a join of two streams have no use any more: when the watermark passes the time in column
// plus delay microseconds; column is -1 where nothing bounds them.
type expiry struct {
	column int
	delay  int64
}

// expiries derives both sides' bounds from the condition of the join.
//
// An equality whose side carries event time bounds both states by that time. Else a comparison of times does: R.t ≤ L.t + d bounds the
// left rows, because a right row still to come has a time above the watermark; it needs a watermark on the right.
//
// Source: Spark's StreamingJoinHelper.getStateValueWatermark and StreamingSymmetricHashJoinHelper.
func (n *Join) expiries() (left, right expiry) {
	width := n.Left.Schema().Len()
	left, right = expiry{column: -1}, expiry{column: -1}
	field := func(c int) tree.Field { return n.both.Schema().Field(c) }
	for _, c := range n.On {
		call, ok := c.(*tree.Call)
		if !ok || call.Func.Name != "=" {
			continue
		}
		a, okA := call.Args[0].(*tree.Column)
		b, okB := call.Args[1].(*tree.Column)
		if !okA || !okB || (a.Ordinal < width) == (b.Ordinal < width) {
			continue
		}
		if a.Ordinal >= width {
			a, b = b, a
		}
		if field(a.Ordinal).Watermark != nil || field(b.Ordinal).Watermark != nil {
			return expiry{column: a.Ordinal}, expiry{column: b.Ordinal - width}
		}
	}
	// offer notes that the row with the time low has no partner left when the watermark passes low + d; high is the other side's time.
	offer := func(low, high int, d int64) {
		if field(high).Watermark == nil || (low < width) == (high < width) {
			return
		}
		e := expiry{low, d}
		if low < width {
			if left.column < 0 || e.delay < left.delay {
				left = e
			}
		} else {
			e.column -= width
			if right.column < 0 || e.delay < right.delay {
				right = e
			}
		}
	}
	below := func(p, q tree.Scalar, last int64) {
		a, x, ok1 := shifted(p)
		b, y, ok2 := shifted(q)
		if ok1 && ok2 {
			// a + x < b + y: so a < b + (y − x), and the row with b waits for a until a reaches that.
			offer(b, a, y-x+last)
		}
	}
	// A row that may still meet one at the very time of the bound waits a millisecond longer, which is what a watermark counts in.
	atMost := func(p, q tree.Scalar) { below(p, q, 1000) }
	for _, c := range n.On {
		call, ok := c.(*tree.Call)
		if !ok {
			continue
		}
		switch call.Func.Name {
		case "<":
			below(call.Args[0], call.Args[1], 0)
		case "<=":
			atMost(call.Args[0], call.Args[1])
		case ">":
			below(call.Args[1], call.Args[0], 0)
		case ">=":
			atMost(call.Args[1], call.Args[0])
		case "between":
			atMost(call.Args[1], call.Args[0])
			atMost(call.Args[0], call.Args[2])
		}
	}
	return left, right
}

// shifted reads a time stamp column, plus or minus literal intervals of days to seconds.
func shifted(s tree.Scalar) (column int, by int64, ok bool) {
	s, _ = tree.StripAlias(s)
	switch x := s.(type) {
	case *tree.Column:
		k := x.Type().Kind()
		return x.Ordinal, 0, k == datatype.KindTimestamp || k == datatype.KindTimestampNTZ
	case *tree.Cast:
		if x.Implicit && datatype.EqualIgnoringNulls(x.To, x.Arg.Type()) {
			return shifted(x.Arg)
		}
	case *tree.Call:
		if x.Func.Name != "timestamp_add" && x.Func.Name != "timestamp_sub" || x.Args[1].Type().Kind() != datatype.KindDayTime {
			return 0, 0, false
		}
		c, by, ok := shifted(x.Args[0])
		d, lit := micros(x.Args[1])
		if x.Func.Name == "timestamp_sub" {
			d = -d
		}
		return c, by + d, ok && lit
	}
	return 0, 0, false
}

// Bounded tells whether the watermark removes rows from the state of a join of two streams.
func (n *Join) Bounded() bool {
	l, r := n.expiries()
	return n.Op >= 0 && (l.column >= 0 || r.column >= 0)
}

// outputMark maps the watermark that reaches a join of two streams to that of its output: rows of an outer side come out when they
// leave the state, with times as old as that.
func (n *Join) outputMark(in int64) int64 {
	l, r := n.expiries()
	out := in
	for _, e := range []expiry{l, r} {
		if e.column >= 0 && in != math.MinInt64 && in != math.MaxInt64 {
			out = min(out, in-e.delay)
		}
	}
	return out
}
