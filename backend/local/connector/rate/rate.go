// Package rate makes rows of a time stamp and a counter: at a steady rate, Spark's rate source, and so many in each epoch, its rate-micro-batch source.
//
// The offset is the number of whole seconds since the query first started, as a JSON number. The same offsets give the same rows, and the
// start is kept in the checkpoint, so that they do after a restart too.
package rate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/spoonbill-go/spoonbill/backend/arrowtype"
	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/backend/local/durable"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/internal/sparktime"
)

func init() {
	connector.RegisterSource("rate", func(_ context.Context, env connector.Env, s *tree.Source) (connector.Source, error) {
		return open(env, s)
	})
	connector.RegisterSource(tree.RateMicroBatch, func(_ context.Context, env connector.Env, s *tree.Source) (connector.Source, error) {
		return openMicroBatch(env, s)
	})
}

// source is an open rate source.
type source struct {
	env        connector.Env
	mem        memory.Allocator
	schema     *arrow.Schema
	perSecond  int64
	rampUp     int64 // seconds
	partitions string

	mu sync.Mutex
	// start and last are in milliseconds since 1970; last never moves back, though the clock may.
	start, last int64
	latest      int64
}

var _ connector.Logged = (*source)(nil)

// fields are the columns. Source: Spark's RateStreamProvider.
var fields = []datatype.Field{{Name: "timestamp", Type: datatype.Timestamp, Nullable: true}, {Name: "value", Type: datatype.Long, Nullable: true}}

func open(env connector.Env, d *tree.Source) (*source, error) {
	s := &source{env: env, mem: memory.DefaultAllocator, perSecond: 1, partitions: "default", latest: -1}
	var err error
	if v, ok := d.Options.Get("rowsPerSecond"); ok {
		if s.perSecond, err = strconv.ParseInt(strings.TrimSpace(v), 10, 64); err != nil || s.perSecond < 1 {
			return nil, condition.Newf(condition.InvalidOption, "Option rowsPerSecond must be a whole number of at least 1, not %q.", v)
		}
	}
	if v, ok := d.Options.Get("rampUpTime"); ok {
		ramp, err := sparktime.Parse(v, time.Second)
		if err != nil {
			return nil, condition.Newf(condition.InvalidOption, "Option rampUpTime: %v.", err)
		}
		s.rampUp = int64(ramp / time.Second)
	}
	if v, ok := d.Options.Get("numPartitions"); ok {
		if n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 32); err != nil || n < 1 {
			return nil, condition.Newf(condition.InvalidOption, "Option numPartitions must be a whole number of at least 1, not %q.", v)
		}
		s.partitions = v
	}
	if s.rampUp > s.maxSeconds() {
		return nil, condition.Newf(condition.InvalidOption, "With %d rows a second the source ends after %d seconds, before its rampUpTime of %d.", s.perSecond, s.maxSeconds(), s.rampUp)
	}
	if s.schema, err = arrowtype.Schema(fields); err != nil {
		return nil, condition.Newf(condition.InvalidValue, "%v.", err)
	}
	s.begin(env.Now().UnixMilli())
	return s, nil
}

// maxSeconds is how long the counter lasts.
func (s *source) maxSeconds() int64 { return math.MaxInt64 / s.perSecond }

func (s *source) begin(ms int64) { s.start, s.last = ms, ms }

const version = "v1"

// UseLog implements [connector.Logged]: the first start is kept as Spark keeps it, in the log's entry 0.
func (s *source) UseLog(files vfs.FS, dir string) error {
	path := files.PathJoin(dir, "0")
	data, err := durable.Read(files, path)
	if errors.Is(err, os.ErrNotExist) {
		if err = durable.Mkdir(files, dir); err == nil {
			err = durable.Write(files, path, fmt.Appendf(nil, "%s\n%d", version, s.start))
		}
		if err == nil {
			return nil
		}
	}
	if err != nil {
		e := condition.Newf(condition.ConnectorFailed, "The start of a rate source cannot be kept in %s.", path)
		e.Cause = err
		return e
	}
	text, ok := strings.CutPrefix(string(data), version+"\n")
	ms, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if !ok || err != nil {
		e := condition.Newf(condition.CheckpointCorrupt, "The checkpoint file %s cannot be used: it is no start of a rate source.", path)
		e.Hint = "Restore the folder from a backup, or start the query with a new checkpoint folder."
		return e
	}
	s.begin(ms)
	return nil
}

func offset(n int64) connector.Offset { return strconv.AppendInt(nil, n, 10) }

func (s *source) seconds(o connector.Offset) (int64, error) {
	var n *int64
	if err := json.Unmarshal(o, &n); err != nil || n == nil || *n < 0 {
		return 0, condition.Newf(condition.CheckpointCorrupt, "The offset %s is none of a rate source: it must be a number of seconds.", o)
	}
	if *n > s.maxSeconds() {
		return 0, condition.Newf(condition.ArithmeticOverflow, "With %d rows a second the source ends after %d seconds, and it is at second %d.", s.perSecond, s.maxSeconds(), *n)
	}
	return *n, nil
}

// valueAt is the number of rows up to a second. Within the ramp-up each second has as many rows more than the one before.
//
// Source: Spark's RateStreamProvider.valueAtSecond.
func valueAt(seconds, perSecond, rampUp int64) int64 {
	delta := perSecond / (rampUp + 1)
	if seconds > rampUp {
		return valueAt(rampUp, perSecond, rampUp) + (seconds-rampUp)*perSecond
	}
	if seconds%2 == 1 {
		return (seconds + 1) / 2 * delta * seconds
	}
	return seconds / 2 * delta * (seconds + 1)
}

// Initial implements [connector.Source].
func (s *source) Initial(context.Context) (connector.Offset, error) { return offset(0), nil }

// Latest implements [connector.Source].
func (s *source) Latest(_ context.Context, start connector.Offset, _ bool) (connector.Offset, error) {
	from, err := s.seconds(start)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = max(s.last, s.env.Now().UnixMilli(), s.start+from*1000)
	s.latest = (s.last - s.start) / 1000
	return offset(s.latest), nil
}

// Read implements [connector.Source]. The rows of the range are spread evenly over its seconds, in the order of their values; where Spark's
// rows are spread over numPartitions, here they are in one.
func (s *source) Read(ctx context.Context, start, end connector.Offset, p connector.Projection) (connector.Batches, error) {
	from, err := s.seconds(start)
	if err != nil {
		return nil, err
	}
	until, err := s.seconds(end)
	if err != nil {
		return nil, err
	}
	if from > until {
		return nil, condition.Newf(condition.CheckpointCorrupt, "The rate source would go back from second %d to %d.", from, until)
	}
	s.mu.Lock()
	s.last = max(s.last, s.start+until*1000) // a query that resumes goes on behind what it has
	first := s.start + from*1000
	s.mu.Unlock()
	lo, hi := valueAt(from, s.perSecond, s.rampUp), valueAt(until, s.perSecond, s.rampUp)
	wanted := p.Wanted(len(fields))
	return func(yield func(arrow.RecordBatch, error) bool) {
		step := int64(max(s.env.BatchRows, 1))
		perValue := float64((until-from)*1000) / float64(hi-lo)
		for at := lo; at < hi; at += step {
			if err := context.Cause(ctx); err != nil {
				yield(nil, err)
				return
			}
			n := min(step, hi-at)
			if !yield(batchOf(s.mem, s.schema, at, n, wanted, func(v int64) int64 {
				// Java's Math.round: half up.
				return (first + int64(math.Floor(float64(v-lo)*perValue+0.5))) * 1000
			}), nil) {
				return
			}
			if at > math.MaxInt64-step {
				return
			}
		}
	}, nil
}

// batchOf makes n rows from the value first on.
func batchOf(mem memory.Allocator, schema *arrow.Schema, first, n int64, wanted []bool, at func(int64) int64) arrow.RecordBatch {
	cols := make([]arrow.Array, len(fields))
	for i := range cols {
		if !wanted[i] {
			cols[i] = array.MakeArrayOfNull(mem, schema.Field(i).Type, int(n))
			continue
		}
		b := array.NewBuilder(mem, schema.Field(i).Type)
		b.Reserve(int(n))
		for v := first; v < first+n; v++ {
			switch b := b.(type) {
			case *array.TimestampBuilder:
				b.UnsafeAppend(arrow.Timestamp(at(v)))
			case *array.Int64Builder:
				b.UnsafeAppend(v)
			}
		}
		cols[i] = b.NewArray()
		b.Release()
	}
	rec := array.NewRecordBatch(schema, cols, n)
	for _, c := range cols {
		c.Release()
	}
	return rec
}

// Commit implements [connector.Source].
func (s *source) Commit(context.Context, connector.Offset) error { return nil }

// Metrics implements [connector.Source].
func (s *source) Metrics() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.latest < 0 {
		return nil
	}
	return map[string]string{"latestOffset": strconv.FormatInt(s.latest, 10)}
}

// Description implements [connector.Source]. The bracket is not closed in Spark's either.
func (s *source) Description() string {
	return fmt.Sprintf("RateStreamV2[rowsPerSecond=%d, rampUpTimeSeconds=%d, numPartitions=%s", s.perSecond, s.rampUp, s.partitions)
}

// Close implements [connector.Source].
func (s *source) Close() error { return nil }
