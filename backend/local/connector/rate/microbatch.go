package rate

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/spoonbill-go/spoonbill/backend/arrowtype"
	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// microBatch is an open rate-micro-batch source. Its offset has all that the next epoch needs, so it keeps nothing.
//
// Source: Spark's RatePerMicroBatchStream.
type microBatch struct {
	env        connector.Env
	mem        memory.Allocator
	schema     *arrow.Schema
	perBatch   int64
	start      int64 // milliseconds since 1970
	advance    int64 // milliseconds
	partitions int64

	mu sync.Mutex
	// once says that the query ends with the next epoch, whose end is last, nil until it is known.
	once bool
	last *position
}

var _ connector.AvailableNow = (*microBatch)(nil)

// position is an offset: the next value, and the time stamp of the next epoch in milliseconds since 1970.
type position struct {
	Offset    int64 `json:"offset"`
	Timestamp int64 `json:"timestamp"`
}

func (p position) json() connector.Offset {
	return fmt.Appendf(nil, `{"offset":%d,"timestamp":%d}`, p.Offset, p.Timestamp)
}

func openMicroBatch(env connector.Env, d *tree.Source) (*microBatch, error) {
	s := &microBatch{env: env, mem: memory.DefaultAllocator, advance: 1000, partitions: int64(env.Parallelism)}
	for _, o := range []struct {
		key         string
		to          *int64
		least, most int64
	}{
		{"rowsPerBatch", &s.perBatch, 1, math.MaxInt64}, {"numPartitions", &s.partitions, 1, math.MaxInt32},
		{"startTimestamp", &s.start, 0, math.MaxInt64}, {"advanceMillisPerBatch", &s.advance, 0, math.MaxInt32},
	} {
		v, ok := d.Options.Get(o.key)
		if !ok && o.key != "rowsPerBatch" {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
		if err != nil || n < o.least || n > o.most {
			return nil, condition.Newf(condition.InvalidOption, "Option %s must be a whole number from %d to %d, not %q.", o.key, o.least, o.most, v)
		}
		*o.to = n
	}
	var err error
	if s.schema, err = arrowtype.Schema(fields); err != nil {
		return nil, condition.Newf(condition.InvalidValue, "%v.", err)
	}
	return s, nil
}

func (s *microBatch) position(o connector.Offset) (position, error) {
	var p struct{ Offset, Timestamp *int64 }
	if err := json.Unmarshal(o, &p); err != nil || p.Offset == nil || p.Timestamp == nil || *p.Offset < 0 || *p.Timestamp < 0 {
		return position{}, condition.Newf(condition.CheckpointCorrupt, "The offset %s is none of a rate-micro-batch source: it must have offset and timestamp.", o)
	}
	return position{*p.Offset, *p.Timestamp}, nil
}

// Initial implements [connector.Source].
func (s *microBatch) Initial(context.Context) (connector.Offset, error) {
	return position{0, s.start}.json(), nil
}

// PrepareAvailableNow implements [connector.AvailableNow]: what is there now is one epoch.
func (s *microBatch) PrepareAvailableNow(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.once = true
	return nil
}

// Latest implements [connector.Source].
func (s *microBatch) Latest(_ context.Context, start connector.Offset, _ bool) (connector.Offset, error) {
	from, err := s.position(start)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last != nil {
		return s.last.json(), nil
	}
	// The time stamps are microseconds in the end.
	if from.Offset > math.MaxInt64-s.perBatch || from.Timestamp > math.MaxInt64/1000-s.advance {
		return nil, condition.Newf(condition.ArithmeticOverflow, "The rate-micro-batch source ends at %s: the next epoch would be beyond BIGINT or TIMESTAMP.", start)
	}
	to := position{from.Offset + s.perBatch, from.Timestamp + s.advance}
	if s.once {
		s.last = &to
	}
	return to.json(), nil
}

// Read implements [connector.Source]. The rows of a range have one time stamp, that of its begin; where Spark's rows are spread over numPartitions, here they are in one.
func (s *microBatch) Read(ctx context.Context, start, end connector.Offset, p connector.Projection) (connector.Batches, error) {
	from, err := s.position(start)
	if err != nil {
		return nil, err
	}
	until, err := s.position(end)
	if err != nil {
		return nil, err
	}
	if from.Offset > until.Offset || from.Timestamp > until.Timestamp || from.Timestamp > math.MaxInt64/1000 {
		return nil, condition.Newf(condition.CheckpointCorrupt, "The rate-micro-batch source cannot go from %s to %s.", start, end)
	}
	wanted, step := p.Wanted(len(fields)), int64(max(s.env.BatchRows, 1))
	return func(yield func(arrow.RecordBatch, error) bool) {
		for at := from.Offset; at < until.Offset; {
			if err := context.Cause(ctx); err != nil {
				yield(nil, err)
				return
			}
			n := min(step, until.Offset-at)
			if !yield(batchOf(s.mem, s.schema, at, n, wanted, func(int64) int64 { return from.Timestamp * 1000 }), nil) {
				return
			}
			at += n
		}
	}, nil
}

// Commit implements [connector.Source].
func (s *microBatch) Commit(context.Context, connector.Offset) error { return nil }

// Metrics implements [connector.Source]: Spark's source reports none.
func (s *microBatch) Metrics() map[string]string { return nil }

// Description implements [connector.Source].
func (s *microBatch) Description() string {
	return fmt.Sprintf("RatePerMicroBatchStream[rowsPerBatch=%d, numPartitions=%d, startTimestamp=%d, advanceMsPerBatch=%d]", s.perBatch, s.partitions, s.start, s.advance)
}

// Close implements [connector.Source].
func (s *microBatch) Close() error { return nil }
