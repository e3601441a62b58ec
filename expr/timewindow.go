package expr

import (
	"time"

	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

var fnTimeWindow, fnSessionWindow = fn("window"), fn(catalog.SessionWindow)

// maxWindowsPerRow bounds size/slide. Every row is written once for each window that holds it, and Spark plans a projection for each: beyond this,
// neither would come to an end, and what looks like a slip in a unit (an hour by a microsecond) would take all memory.
const maxWindowsPerRow = 100_000

// positiveDuration is the way out of a duration that is none.
const positiveDuration = "Give a time.Duration above zero, such as time.Minute."

// windowError is a mistake in the durations of a window over t, with the way out.
func windowError(at condition.Pos, operator string, t Value, hint, format string, args ...any) WindowValue {
	e := condition.Newf("DATATYPE_MISMATCH.PARAMETER_CONSTRAINT_VIOLATION", format, args...)
	e.Operator, e.Hint = operator, hint
	return failed[WindowValue](at, valueOf(t).errs, e)
}

// timeWindow makes the call of a window function with literal durations.
func timeWindow(at condition.Pos, f *catalog.Function, t Value, durations ...time.Duration) WindowValue {
	args := []any{timeOf(at, t)}
	for _, d := range durations {
		if d%time.Microsecond != 0 {
			return windowError(at, f.Name, t, "Give a whole number of microseconds, such as time.Microsecond.", "Windows count in microseconds: %v is finer.", d)
		}
		args = append(args, AnyValue{value{node: &tree.Literal{Value: d.Microseconds(), Typ: datatype.DayToSecond, At: at}}})
	}
	return callAt[WindowValue](at, f, args...)
}

// TimeWindow is a window of event time of a length, that starts every slide, shifted by offset from 1970-01-01 00:00:00 UTC. Package
// window has the names that users know; tumbling windows have slide equal to size. time is a time stamp or a window.
//
// Spark's rules: size and slide above zero, slide at most size, the offset's absolute value below slide; microseconds are the finest unit.
// Spoonbill's own: size is at most 100,000 slides.
func TimeWindow(t Value, size, slide, offset time.Duration) WindowValue {
	at := condition.Here(2)
	switch {
	case t == nil:
		return failed[WindowValue](at, nil, zeroValue())
	case size <= 0 || slide <= 0:
		return windowError(at, "window", t, positiveDuration, "The size (%v) and the slide (%v) of a window must be above zero.", size, slide)
	case slide > size:
		return windowError(at, "window", t, "Give the longer duration first, or use window.Tumbling.", "The slide (%v) must not be longer than the window (%v): rows between windows would be lost.", slide, size)
	case (size-1)/slide >= maxWindowsPerRow:
		return windowError(at, "window", t, "Look at the units of both durations: the slide is very short for the size.", "Every row would be in %d windows of %v that start every %v; %d are possible.", (size-1)/slide+1, size, slide, maxWindowsPerRow)
	case offset.Abs() >= slide:
		return windowError(at, "window", t, "Windows repeat every slide, so take the offset's remainder.", "The offset (%v) must be shorter than the slide (%v).", offset, slide)
	}
	return timeWindow(at, fnTimeWindow, t, size, slide, offset)
}

// CumulativeWindow is a window that begins where a tumbling one of the size does and ends a number of steps later: package window has the name
// that users know.
//
// Rules: size is a whole number of steps, at most 100,000; the offset's absolute value is below the step; microseconds are the finest unit.
func CumulativeWindow(t Value, size, step, offset time.Duration) WindowValue {
	at := condition.Here(2)
	switch {
	case t == nil:
		return failed[WindowValue](at, nil, zeroValue())
	case size <= 0 || step <= 0:
		return windowError(at, catalog.CumulativeWindow.Name, t, positiveDuration, "The size (%v) and the step (%v) of a window must be above zero.", size, step)
	case size%step != 0:
		return windowError(at, catalog.CumulativeWindow.Name, t, "Choose a step that divides the size.", "The size (%v) of a cumulative window is a whole number of steps; the step is %v.", size, step)
	case size/step > maxWindowsPerRow:
		return windowError(at, catalog.CumulativeWindow.Name, t, "Look at the units of both durations: the step is very short for the size.", "Every row would be in up to %d windows; %d are possible.", size/step, maxWindowsPerRow)
	case offset.Abs() >= step:
		return windowError(at, catalog.CumulativeWindow.Name, t, "Windows repeat every step, so take the offset's remainder.", "The offset (%v) must be shorter than the step (%v).", offset, step)
	}
	return timeWindow(at, catalog.CumulativeWindow, t, size, step, offset)
}

// SessionWindow is the session of event time that a row is part of; gap is a [time.Duration], or an interval of days to seconds that is computed
// for each row. Package window has the names that users know.
func SessionWindow(t Value, gap any) WindowValue {
	at := condition.Here(2)
	if t == nil {
		return failed[WindowValue](at, nil, zeroValue())
	}
	if d, ok := gap.(time.Duration); ok {
		if d <= 0 {
			return windowError(at, catalog.SessionWindow, t, positiveDuration, "The gap (%v) of a session must be above zero.", d)
		}
		return timeWindow(at, fnSessionWindow, t, d)
	}
	return callAt[WindowValue](at, fnSessionWindow, timeOf(at, t), gap)
}

// timeOf gives the time of what windows are made over: of a window its last microsecond, as Spark takes it.
//
// Source: Spark's TimeWindowing, which puts window_time around a window.
func timeOf(at condition.Pos, t Value) Value {
	if w, ok := t.(WindowValue); ok {
		return callAt[TimestampValue](at, fnWindowTime, w)
	}
	return t
}
