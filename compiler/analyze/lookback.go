package analyze

import (
	"fmt"
	"math"

	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// LookBack says which rows before its own a window expression of a stream looks at, which are what a state must keep of the stream.
type LookBack struct {
	// Running is an expression over all rows so far: of them a state keeps the totals.
	Running bool
	// Rows is how many rows count, and Span how long before the row in microseconds; -1 for the other of the two, and both for a running one.
	Rows, Span int64
	// Valued counts only rows in which this is not null; nil counts all.
	Valued tree.Scalar
}

var running = LookBack{Running: true, Rows: -1, Span: -1}

const dayMicros = 86_400_000_000

// LooksBack finds how far back a window expression over a stream looks. Where its rows are not known when the watermark has passed them, or all of them would have to be kept, why says so.
//
// The rules ask it of the tree, and the local engine of its plan.
func LooksBack(o *tree.Over) (back LookBack, why string) {
	f := o.Func
	if len(o.OrderBy) == 0 {
		if f.Func.Kind == catalog.Aggregate && len(o.PartitionBy) == 0 {
			return back, "An aggregate outside Agg means OVER ()."
		}
		return back, "It has no order."
	}
	key := o.OrderBy[0]
	arg, _ := tree.StripAlias(key.Arg)
	switch {
	case tree.EventTimeOf(arg) == nil || !isTimestamp(arg.Type()):
		return back, fmt.Sprintf("Its order begins with %s, which has no watermark.", tree.String(arg))
	case key.Descending:
		return back, "Its order runs backward in time."
	}
	const ahead = "It looks at rows that come later."
	switch f.Func.Name {
	case "ntile", "percent_rank", "cume_dist":
		return back, "It depends on how many rows the partition has in the end."
	case "lag", "lead":
		n := int64(1)
		if len(f.Args) > 1 {
			var ok bool
			if n, ok = literalMicros(tree.StripImplicit(f.Args[1])); !ok {
				return back, "Its offset is not a constant."
			}
		}
		if f.Func.Name == "lead" {
			n = -n
		}
		if n < 0 {
			return back, ahead
		}
		back = LookBack{Rows: n, Span: -1}
		if f.IgnoreNulls && n > 0 {
			back.Valued = f.Args[0]
		}
		return back, ""
	}
	if tree.FrameFixed(f.Func) || o.Frame == nil {
		return running, ""
	}
	start, end := o.Frame.Start, o.Frame.End
	distance := func(b tree.FrameBound) (int64, bool) {
		if b.Offset == nil {
			return 0, true
		}
		return literalMicros(tree.StripImplicit(b.Offset))
	}
	n, ok := distance(end)
	switch {
	case end.Unbounded || (n != 0 || !ok) && !end.Preceding:
		return back, ahead
	case start.Unbounded && (n != 0 || !ok):
		return back, "Its frame begins with the partition and ends before the row: all rows would have to be kept."
	case start.Unbounded:
		return running, ""
	}
	if n, ok = distance(start); !ok {
		return back, "The bound of its frame is not a constant."
	}
	if o.Frame.Rows {
		return LookBack{Rows: max(n, 0), Span: -1}, ""
	}
	// Days and months follow the zone's calendar: rows are kept a little longer than they are looked at.
	if start.Offset != nil && tree.StripImplicit(start.Offset).Type().Kind() == datatype.KindYearMonth {
		n = min(n, math.MaxInt64/(40*dayMicros)) * 31 * dayMicros
	}
	if n >= dayMicros {
		n = min(n, math.MaxInt64-2*dayMicros) + 2*dayMicros
	}
	return LookBack{Rows: -1, Span: n}, ""
}

func isTimestamp(t datatype.Type) bool {
	return t.Kind() == datatype.KindTimestamp || t.Kind() == datatype.KindTimestampNTZ
}

// StreamAsof is what tells when the nearest row of an as-of join is known whose right side is a stream.
type StreamAsof struct {
	// LeftStream tells that the left side is a stream too.
	LeftStream          bool
	LeftTime, RightTime tree.Scalar
	Direction           tree.AsofDirection
	// Tolerance is the greatest distance of the times, an interval; nil for any.
	Tolerance *tree.Literal
	Mode      tree.OutputMode
}

// Unknown says why the watermark does not tell when the right row is known, or "".
func (a StreamAsof) Unknown() string {
	if !a.LeftStream {
		return "The right side is a stream, and the left one is a table."
	}
	for i, s := range []tree.Scalar{a.LeftTime, a.RightTime} {
		if c, ok := s.(*tree.Column); !ok || c.Field().Watermark == nil || !isTimestamp(s.Type()) {
			return fmt.Sprintf("The right side is a stream, and the %s time %s is no column with a watermark.", [...]string{"left", "right"}[i], tree.String(s))
		}
	}
	switch {
	case a.Mode != tree.Append:
		return fmt.Sprintf("Two streams are joined in %s mode.", a.Mode)
	case a.Direction != tree.AsofBackward && a.Tolerance == nil:
		return fmt.Sprintf("Two streams are joined %s in time without a tolerance, so a left row might wait for ever.", a.Direction)
	}
	return ""
}

// Spans gives for how many microseconds behind its time a left row waits for its partner, and a right row is kept, -1 for ever. Looking back, the partner is known when the watermark is at the row;
// else when it is past the tolerance. A right row is kept while a left row that has not come out may be as near as that.
func (a StreamAsof) Spans() (wait, keep int64) {
	d, bounded := int64(0), false
	if a.Tolerance != nil {
		d, bounded = a.Tolerance.Value.(int64)
		d = min(d, math.MaxInt64/4)
	}
	switch {
	case a.Direction == tree.AsofForward:
		return d, d
	case a.Direction == tree.AsofNearest:
		return d, 2 * d
	case bounded:
		return 0, d
	}
	return 0, -1
}
