// Package window makes windows of event time, as typed values that group rows: tumbling, sliding, with an offset; and windows of rows, from
// [Over], which the Over method of a value takes.
//
// A window of time is closed at its start and open at its end, and lies on a grid that begins at 1970-01-01 00:00:00 UTC (in the wall clock for
// TIMESTAMP_NTZ), whatever the session's zone, as in Spark. Rows without a time are in no window. Time is a time stamp, or a window that an
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

func sum(ds []time.Duration) time.Duration {
	var total time.Duration
	for _, d := range ds {
		total += d
	}
	return total
}
