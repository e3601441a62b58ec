// Package rate makes rows of a time stamp and a counter at a steady rate, as Spark's rate source does.
package rate

import (
	"context"
	"errors"
	"fmt"
	"github.com/cockroachdb/pebble/v2/vfs"
	"io"
	"io/fs"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/spoonbill-go/spoonbill/backend/arrowtype"
	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/backend/local/durable"
	"github.com/spoonbill-go/spoonbill/backend/local/format/column"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

func init() { connector.RegisterSource("rate", open) }

// source counts the seconds since the query's first start. An offset is such a count; the rows of a second are always the same.
type source struct {
	env     connector.Env
	fields  []datatype.Field
	schema  *arrow.Schema
	perSec  int64
	rampUp  int64 // seconds
	mu      sync.Mutex
	created int64 // milliseconds; 0 before it is known
	latest  int64
	// fixed is set for an available-now query, which ends at end.
	fixed bool
	end   int64
}

func open(_ context.Context, env connector.Env, src *tree.Source) (connector.Source, error) {
	s := &source{env: env, fields: src.Fields, perSec: 1}
	var errs []error
	bad := func(key, format string, args ...any) {
		errs = append(errs, condition.Newf(condition.InvalidOption, "The option %s: %s.", key, fmt.Sprintf(format, args...)))
	}
	if v, ok := src.Options.Get("rowsPerSecond"); ok {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n < 1 {
			bad("rowsPerSecond", "%q is no count of at least 1", v)
		}
		s.perSec = n
	}
	if v, ok := src.Options.Get("rampUpTime"); ok {
		n, good := seconds(v)
		if !good {
			bad("rampUpTime", "%q is no duration such as 5s", v)
		}
		s.rampUp = n
	}
	// numPartitions spreads the rows over Spark's tasks; here it changes nothing.
	if v, ok := src.Options.Get("numPartitions"); ok {
		if n, err := strconv.ParseInt(v, 10, 32); err != nil || n < 1 {
			bad("numPartitions", "%q is no count of at least 1", v)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	var err error
	if s.schema, err = arrowtype.Schema(src.Fields); err != nil {
		return nil, err
	}
	for _, f := range src.Fields {
		if n := datatype.FoldName(f.Name); n != "timestamp" && n != "value" {
			return nil, condition.Newf(condition.UnresolvedColumn, "The rate source has no field %s; it has timestamp and value.", datatype.QuoteName(f.Name))
		}
	}
	return s, nil
}

// seconds reads a duration such as 5s; as in Spark, less than a second counts for nothing and a bare number is in seconds.
func seconds(v string) (int64, bool) {
	v = strings.TrimSpace(v)
	if n, err := strconv.ParseInt(v, 10, 32); err == nil {
		return n, n >= 0
	}
	d, err := time.ParseDuration(v)
	return int64(d / time.Second), err == nil && d >= 0
}

// UseLog implements [connector.Logged]: the time of the first start is in the checkpoint, as in Spark, so that a restart goes on with it.
func (s *source) UseLog(files vfs.FS, dir string) error {
	failed := func(err error) error {
		e := condition.Newf(condition.ConnectorFailed, "The log of the rate source in %s cannot be read or written.", dir)
		e.Cause = err
		return e
	}
	if err := durable.Mkdir(files, dir); err != nil {
		return failed(err)
	}
	name := files.PathJoin(dir, "0")
	f, err := files.Open(name)
	switch {
	case err == nil:
		text, err := io.ReadAll(f)
		if err := errors.Join(err, f.Close()); err != nil {
			return failed(err)
		}
		v, ok := strings.CutPrefix(string(text), "v1\n")
		n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
		if !ok || err != nil {
			return condition.Newf(condition.CheckpointCorrupt, "The log of the rate source, %s, is damaged.", name)
		}
		s.created = n
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return failed(err)
	}
	s.created = s.env.Now().UnixMilli()
	if err := durable.Write(files, name, []byte("v1\n"+strconv.FormatInt(s.created, 10))); err != nil {
		return failed(err)
	}
	return nil
}

// valueAt is how many rows there were before a second. During the ramp-up the speed grows second by second.
//
// Source: Spark's RateStreamProvider.valueAtSecond.
func (s *source) valueAt(sec int64) int64 {
	if sec > s.rampUp {
		return s.valueAt(s.rampUp) + (sec-s.rampUp)*s.perSec
	}
	delta := max(1, s.perSec/(s.rampUp+1))
	if sec%2 == 1 {
		return (sec + 1) / 2 * delta * sec
	}
	return sec / 2 * delta * (sec + 1)
}

// Initial implements [connector.Source].
func (s *source) Initial(context.Context) (connector.Offset, error) {
	return connector.Offset("0"), nil
}

func position(o connector.Offset) (int64, error) {
	n, err := strconv.ParseInt(string(o), 10, 64)
	if err != nil || n < 0 {
		return 0, condition.Newf(condition.CheckpointCorrupt, "The offset %s is no count of seconds of a rate source.", o)
	}
	return n, nil
}

// Latest implements [connector.Source].
func (s *source) Latest(_ context.Context, start connector.Offset, _ bool) (connector.Offset, error) {
	from, err := position(start)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.env.Now().UnixMilli()
	if s.created == 0 {
		s.created = now
	}
	// A clock that goes back does not take rows back.
	s.latest = max(s.latest, from, (now-s.created)/1000)
	end := s.latest
	if s.fixed {
		end = max(from, s.end)
	}
	if end-s.rampUp > math.MaxInt64/s.perSec {
		return nil, condition.Newf(condition.ArithmeticOverflow, "The rate source has run for %d seconds, and its counter ends.", end)
	}
	return connector.Offset(strconv.FormatInt(end, 10)), nil
}

// PrepareAvailableNow implements [connector.AvailableNow].
func (s *source) PrepareAvailableNow(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.env.Now().UnixMilli()
	if s.created == 0 {
		s.created = now
	}
	s.fixed, s.end = true, (now-s.created)/1000
	return nil
}

// Read implements [connector.Source].
func (s *source) Read(ctx context.Context, start, end connector.Offset, p connector.Projection) (connector.Batches, error) {
	from, err := position(start)
	if err != nil {
		return nil, err
	}
	to, err := position(end)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	begin := s.created + from*1000
	s.mu.Unlock()
	first, last := s.valueAt(from), s.valueAt(to)
	perValue := float64((to-from)*1000) / float64(max(last-first, 1))
	return func(yield func(arrow.RecordBatch, error) bool) {
		for at := first; at < last; {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			n := min(last-at, int64(s.env.BatchRows))
			rec, err := s.batch(at, n, first, begin, perValue)
			if !yield(rec, err) || err != nil {
				return
			}
			at += n
		}
	}, nil
}

func (s *source) batch(at, n, first, begin int64, perValue float64) (arrow.RecordBatch, error) {
	cols := make([]*column.Column, len(s.fields))
	for i, f := range s.fields {
		c, err := column.New(f.Type)
		if err != nil {
			return nil, err
		}
		cols[i] = c
		isTime := datatype.FoldName(f.Name) == "timestamp"
		for v := at; v < at+n; v++ {
			if isTime {
				// Rounded half up, as Java's Math.round.
				c.AppendInt((begin + int64(math.Floor(float64(v-first)*perValue+0.5))) * 1000)
			} else {
				c.AppendInt(v)
			}
		}
	}
	return column.Record(s.schema, cols)
}

// Commit implements [connector.Source].
func (s *source) Commit(context.Context, connector.Offset) error { return nil }

// Metrics implements [connector.Source].
func (s *source) Metrics() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return map[string]string{"latestOffset": strconv.FormatInt(s.latest, 10)}
}

// Description implements [connector.Source].
func (s *source) Description() string {
	return fmt.Sprintf("RateStreamV2[rowsPerSecond=%d, rampUpTimeSeconds=%d]", s.perSec, s.rampUp)
}

// Close implements [connector.Source].
func (s *source) Close() error { return nil }
