// Package window makes windows of event time, as typed values that group rows: tumbling, sliding, cumulative, sessions; and windows of rows, from
// [Over], which the Over method of a value takes.
//
// A window of time is closed at its start and open at its end, and lies on a grid that begins at 1970-01-01 00:00:00 UTC (in the wall clock for
// TIMESTAMP_NTZ), whatever the session's zone, as in Spark; a session starts with a row. Rows without a time are in no window. Tumbling and sliding
// windows can be columns of Mutate and Select too, which gives a row once for each of its windows: tables are joined by them. Time is a time stamp, or a window that an
// earlier aggregation gave; the value carries the watermark of its time.
package window

import (
	"time"

	"github.com/spoonbill-go/spoonbill/expr"
)

// Tumbling cuts time into windows of one size that do not overlap: each row is in one. offset shifts the grid (none by default) and must be
// shorter than size.
func Tumbling(t expr.Value, size time.Duration, offset ...time.Duration) expr.WindowValue {
	return expr.TimeWindow(t, size, size, sum(offset))
}

// Sliding makes a window of the given size start every slide, so that a row is in size/slide of them. offset shifts the grid (none by default)
// and must be shorter than slide. A slide longer than size is an error, since rows would
// be lost, and so is a size of more than 100,000 slides.
func Sliding(t expr.Value, size, slide time.Duration, offset ...time.Duration) expr.WindowValue {
	return expr.TimeWindow(t, size, slide, sum(offset))
}

// Cumulate makes windows that begin together and grow: a row is in the windows from the start of its tumbling window of the given size up to
// the end of each further step, the last of which is the whole tumbling window. So a day by the hour gives the day so far, hour by hour. The
// size is a whole number of steps; offset shifts the grid (none by default) and must be shorter than step.
//
// On a stream each window closes when the watermark has passed its end. What comes out has no watermark: on Spark the window is put together
// from two others. To go on by event time, group by sliding windows.
func Cumulate(t expr.Value, size, step time.Duration, offset ...time.Duration) expr.WindowValue {
	return expr.CumulativeWindow(t, size, step, sum(offset))
}

// Session makes a window for each run of rows whose times are at most gap apart: it starts with the first row and ends gap behind the last one.
// On a stream a session closes when the watermark has passed its end; update mode is not possible, and another grouping key must stand beside
// it. The column's name is session_window.
func Session(t expr.Value, gap time.Duration) expr.WindowValue {
	return expr.SessionWindow(t, gap)
}

// SessionGap is [Session] with a gap for each row, an interval of days to seconds: a session ends at the latest of its rows' times plus their
// gaps. A row whose gap is null or not above zero is left out. A day of the gap is 24 hours.
func SessionGap(t expr.Value, gap expr.IntervalValue) expr.WindowValue {
	return expr.SessionWindow(t, gap)
}

func sum(ds []time.Duration) time.Duration {
	var total time.Duration
	for _, d := range ds {
		total += d
	}
	return total
}
