package connectors

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/internal/sparktime"
)

// RateSource makes rows of a time stamp and a counter: at a steady rate, or so many in each epoch.
type RateSource struct{ simple }

// rateFields are the columns of both sources. Source: Spark's RateStreamProvider.
var rateFields = []datatype.Field{{Name: "timestamp", Type: datatype.Timestamp, Nullable: true}, {Name: "value", Type: datatype.Long, Nullable: true}}

var (
	rateOptions       = map[string]spec{"rowsPerSecond": src(whole(1)), "rampUpTime": src(seconds), "numPartitions": src(within(1, math.MaxInt32))}
	microBatchOptions = map[string]spec{"rowsPerBatch": src(whole(1)), "startTimestamp": src(whole(0)), "advanceMillisPerBatch": src(within(0, math.MaxInt32)), "numPartitions": src(within(1, math.MaxInt32))}
)

// Rate makes rowsPerSecond rows a second: timestamp TIMESTAMP, value BIGINT from 0. It only streams. Its options are [RampUp] and [NumPartitions].
//
// Source: Spark's RateStreamProvider.
func Rate(rowsPerSecond int64, opts ...Option) RateSource {
	return RateSource{simple{"rate", rateOptions, append([]Option{number("rowsPerSecond", rowsPerSecond, 1)}, opts...)}}
}

// RateMicroBatch makes rowsPerBatch rows in each epoch, whenever it runs: timestamp TIMESTAMP, one for all rows of an epoch, and value BIGINT from 0. So each run gives the same rows in the same epochs. It only
// streams, without an end; under AvailableNow and Once a run is one epoch. Its options are [StartTimestamp], [AdvancePerBatch] and [NumPartitions].
//
// Source: Spark's RatePerMicroBatchProvider.
func RateMicroBatch(rowsPerBatch int64, opts ...Option) RateSource {
	return RateSource{simple{tree.RateMicroBatch, microBatchOptions, append([]Option{number("rowsPerBatch", rowsPerBatch, 1)}, opts...)}}
}

// RampUp is how long [Rate] takes until it has its rate, in whole seconds; 0 for at once, which is the default.
func RampUp(d time.Duration) Option {
	o := Set("rampUpTime", fmt.Sprintf("%ds", int64(d/time.Second)))
	if d < 0 || d%time.Second != 0 {
		o.err = invalid("Option rampUpTime must be whole seconds from zero up, not %v.", d)
	}
	return o
}

// NumPartitions is over how many partitions Spark spreads the rows of [Rate], [RateMicroBatch] and [Socket]; the default is its parallelism. Offline the rows are in one.
func NumPartitions(n int32) Option { return number("numPartitions", int64(n), 1) }

// StartTimestamp is the time stamp of the first epoch of [RateMicroBatch], in whole milliseconds from 1970 on, which is the default.
func StartTimestamp(t time.Time) Option {
	o := Set("startTimestamp", strconv.FormatInt(t.UnixMilli(), 10))
	if t.UnixMilli() < 0 || !t.Equal(time.UnixMilli(t.UnixMilli())) {
		o.err = invalid("Option startTimestamp must be whole milliseconds behind 1970, not %v.", t)
	}
	return o
}

// AdvancePerBatch is how much the time stamp of [RateMicroBatch] goes on from epoch to epoch, in whole milliseconds up to 24 days; a second is the default.
func AdvancePerBatch(d time.Duration) Option {
	o := Set("advanceMillisPerBatch", strconv.FormatInt(d.Milliseconds(), 10))
	if d < 0 || d%time.Millisecond != 0 || d.Milliseconds() > math.MaxInt32 {
		o.err = invalid("Option advanceMillisPerBatch must be whole milliseconds from zero up to 2147483647, not %v.", d)
	}
	return o
}

// within checks whole numbers between two bounds.
func within(least, most int64) func(string) error {
	return func(v string) error {
		if n, err := strconv.ParseInt(v, 10, 64); err != nil || n < least || n > most {
			return fmt.Errorf("must be a whole number from %d to %d", least, most)
		}
		return nil
	}
}

// seconds checks a time with a unit of Spark's, bare seconds without one.
func seconds(v string) error {
	if _, err := sparktime.Parse(v, time.Second); err != nil {
		return fmt.Errorf("must be a whole number with one of the units us, ms, s, m, min, h, d")
	}
	return nil
}

// Source implements expr.Source.
func (r RateSource) Source() (*tree.Source, error) {
	if r.format == "" {
		e := invalid("The source was never made: it is the zero value of its type.")
		e.Hint = "Use connectors.Rate or connectors.RateMicroBatch."
		return nil, e
	}
	o, err := build(r.format, "source", r.known, nil, r.opts)
	if err != nil {
		return nil, err
	}
	return &tree.Source{Format: r.format, Options: o, Stream: true, Fields: append([]datatype.Field(nil), rateFields...)}, nil
}
