package expr

import (
	"time"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

var fnTimeWindow = fn("window")

// maxWindowsPerRow bounds size/slide. Every row is written once for each window that holds it, and Spark plans a projection for each: beyond this,
// neither would come to an end, and what looks like a slip in a unit (an hour by a microsecond) would take all memory.
const maxWindowsPerRow = 100_000

// TimeWindow is a window of event time of a length, that starts every slide, shifted by offset from 1970-01-01 00:00:00 UTC. Package
// window has the names that users know; tumbling windows have slide equal to size. time is a time stamp or a window.
//
// Spark's rules: size and slide above zero, slide at most size, the offset's absolute value below slide; microseconds are the finest unit.
// Spoonbill's own: size is at most 100,000 slides.
func TimeWindow(t Value, size, slide, offset time.Duration) WindowValue {
	at := condition.Here(2)
	bad := func(format string, args ...any) WindowValue {
		e := condition.Newf("DATATYPE_MISMATCH.PARAMETER_CONSTRAINT_VIOLATION", format, args...)
		e.Operator = "window"
		var errs []*condition.Error
		if t != nil {
			errs = t.get().errs
		}
		return failed[WindowValue](at, errs, e)
	}
	switch {
	case t == nil:
		return failed[WindowValue](at, nil, zeroValue())
	case size <= 0 || slide <= 0:
		return bad("The size (%v) and the slide (%v) of a window must be above zero.", size, slide)
	case slide > size:
		return bad("The slide (%v) must not be longer than the window (%v): rows between windows would be lost.", slide, size)
	case (size-1)/slide >= maxWindowsPerRow:
		return bad("Every row would be in %d windows of %v that start every %v; %d are possible.", (size-1)/slide+1, size, slide, maxWindowsPerRow)
	case offset.Abs() >= slide:
		return bad("The offset (%v) must be shorter than the slide (%v).", offset, slide)
	case size%time.Microsecond != 0 || slide%time.Microsecond != 0 || offset%time.Microsecond != 0:
		return bad("Windows count in microseconds: %v, %v, %v is finer.", size, slide, offset)
	}
	lit := func(d time.Duration) any {
		return AnyValue{value{node: &tree.Literal{Value: d.Microseconds(), Typ: datatype.DayToSecond, At: at}}}
	}
	return callAt[WindowValue](at, fnTimeWindow, t, lit(size), lit(slide), lit(offset))
}
