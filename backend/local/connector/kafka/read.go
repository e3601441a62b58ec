package kafka

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/backend/local/fault"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// span is a range of offsets of a partition: from is the first one, until that behind the last.
type span struct {
	tp
	from, until int64
}

// lost gives the error of records that are gone, or nil where the user would rather go on without them.
func (s *source) lost(name, format string, args ...any) error {
	if s.tolerant {
		return nil
	}
	e := condition.Newf(name, "Records that the query was to read are not in Kafka any more: %s They aged out, or the topic was deleted or made anew.", fmt.Sprintf(format, args...))
	e.Hint = "Set failOnDataLoss to false to go on without them, or start with a new checkpoint; a longer retention (retention.ms) keeps it from happening again."
	return e
}

// Read implements [connector.Source]. The rows are in the order of topics, partitions and offsets.
func (s *source) Read(ctx context.Context, start, end connector.Offset, p connector.Projection) (connector.Batches, error) {
	from, err := parseOffset(start)
	if err != nil {
		return nil, err
	}
	until, err := parseOffset(end)
	if err != nil {
		return nil, err
	}
	spans, err := s.spans(ctx, from, until)
	if err != nil {
		return nil, err
	}
	return func(yield func(arrow.RecordBatch, error) bool) { s.run(ctx, spans, p, yield) }, nil
}

// spans are the ranges to read. A partition that has come begins at its earliest offset.
//
// Source: Spark's KafkaOffsetReader.getOffsetRangesFromResolvedOffsets.
func (s *source) spans(ctx context.Context, from, until positions) ([]span, error) {
	var added, deleted []tp
	for _, p := range until.sorted() {
		if _, ok := from[p]; !ok {
			added = append(added, p)
		}
	}
	for _, p := range from.sorted() {
		if _, ok := until[p]; !ok {
			deleted = append(deleted, p)
		}
	}
	if len(deleted) > 0 {
		if err := s.lost(condition.KafkaPartitionDeleted, "the partitions %s have been deleted.", join(deleted)); err != nil {
			return nil, err
		}
	}
	first := positions{}
	for _, p := range added {
		got, err := s.ends(ctx, []tp{p}, offsetEarliest)
		if condition.Of(err) == condition.UnknownTopic {
			if err := s.lost(condition.KafkaPartitionDeleted, "partition %s has been deleted before its offsets up to %d were read.", p, until[p]); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		if n := got[p]; n != 0 {
			if err := s.lost(condition.KafkaLateStart, "the added partition %s starts from offset %d instead of 0.", p, n); err != nil {
				return nil, err
			}
		}
		first[p] = got[p]
	}
	var out []span
	for _, p := range until.sorted() {
		begin, ok := from[p]
		if !ok {
			if begin, ok = first[p]; !ok {
				continue
			}
		}
		switch n := until[p]; {
		case begin < n:
			out = append(out, span{p, begin, n})
		case begin > n:
			if err := s.lost(condition.KafkaOffsetChanged, "the end of partition %s went from offset %d back to %d.", p, begin, n); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// chunk is what one fetch brought of a span, or why it failed.
type chunk struct {
	records []*kgo.Record
	err     error
}

// run reads the spans into batches. As many spans as Env.Parallelism are fetched ahead, each by one fetch, so that the brokers work while
// rows are made.
func (s *source) run(ctx context.Context, spans []span, p connector.Projection, yield func(arrow.RecordBatch, error) bool) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	queues := make([]chan chunk, len(spans))
	start := func(i int) {
		if i >= len(spans) {
			return
		}
		queues[i] = make(chan chunk, 1)
		wg.Go(func() {
			defer close(queues[i])
			send := func(c chunk) error {
				select {
				case queues[i] <- c:
					return nil
				case <-ctx.Done():
					return context.Cause(ctx)
				}
			}
			err := fault.Do(func() error {
				return s.readSpan(ctx, spans[i], func(r []*kgo.Record) error { return send(chunk{records: r}) })
			})
			if err != nil {
				_ = send(chunk{err: err}) // where it fails the reader has left
			}
		})
	}
	ahead := max(s.env.Parallelism, 1)
	for i := range min(ahead, len(spans)) {
		start(i)
	}
	b := newBatch(s.mem, s.cols, p)
	defer b.release()
	for i := range spans {
		for c := range queues[i] {
			if c.err != nil {
				yield(nil, c.err)
				return
			}
			for _, r := range c.records {
				b.append(r)
				if b.rows >= s.env.BatchRows || b.bytes >= maxBatchBytes {
					if !yield(b.flush(), nil) {
						return
					}
				}
			}
		}
		start(i + ahead)
	}
	// A queue may have been closed because the caller gave up.
	if err := context.Cause(ctx); err != nil {
		yield(nil, err)
		return
	}
	if b.rows > 0 {
		yield(b.flush(), nil)
	}
}

// maxBatchBytes bounds the keys, values and headers of a batch: their offsets in an Arrow array are 32 bits wide.
const maxBatchBytes = 64 << 20

// shortWait is how long a partition may end before the span does until its records count as lost: a new leader learns of the last ones
// from its followers.
const shortWait = 5 * time.Second

// errNothing is a fetch that brought nothing though there should be something.
var errNothing = errors.New("the partition's leader has no record there yet")

// maxSpare bounds the records that wait for the next epoch, in bytes over all partitions.
const maxSpare = 64 << 20

// recordBytes is about what a record takes beside its key and value.
const recordBytes = 200

// spare is what a fetch brought beyond the end of an epoch. A fetch brings whole batches of the producer's, so that without it a query
// with a small rate limit would fetch the same batch many times.
type spare struct {
	fetched
	from int64
}

// takeSpare gives what is left of a partition from an offset on, if the topic is still the same.
func (s *source) takeSpare(p tp, from int64) (fetched, bool) {
	s.client.mu.Lock()
	t, known := s.client.topics[p.topic]
	s.client.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	x, ok := s.spares[p]
	if !ok {
		return fetched{}, false
	}
	delete(s.spares, p)
	s.spareBytes -= x.size
	return x.fetched, known && t.id == x.topic && x.from == from
}

// keepSpare keeps the records of a fetch from an offset on for the next epoch.
func (s *source) keepSpare(p tp, from int64, f fetched) {
	x := spare{fetched: f, from: from}
	if x.size == 0 {
		for _, r := range f.records { // all of them, though some are used up: they share memory
			x.size += len(r.Key) + len(r.Value) + recordBytes
		}
	}
	for len(x.records) > 0 && x.records[0].Offset < from {
		x.records = x.records[1:]
	}
	if len(x.records) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.spareBytes+x.size > maxSpare {
		return
	}
	if s.spares == nil {
		s.spares = map[tp]spare{}
	}
	s.spareBytes += x.size - s.spares[p].size
	s.spares[p] = x
}

// readSpan fetches a span and hands its records on.
func (s *source) readSpan(ctx context.Context, sp span, emit func([]*kgo.Record) error) error {
	pos, oddities := sp.from, 0
	for pos < sp.until {
		var (
			gone  bool
			fresh bool
			short time.Time
		)
		what := fmt.Sprintf("read offsets [%d, %d) of partition %s", pos, sp.until, sp.tp)
		got, kept := s.takeSpare(sp.tp, pos)
		var err error
		if !kept {
			err = s.client.retry(ctx, what, s.client.pollBudget, oneFetch, func(ctx context.Context) error {
				f, err := s.client.fetch(ctx, sp.tp, pos, sp.until, fresh)
				fresh = true // should this try fail, the leader may have changed
				switch {
				case errors.Is(err, errOutOfRange):
					gone = true
					return nil
				case err != nil:
					return err
				case f.logStart > pos:
					gone = true
					return nil
				case f.next > pos:
					got = f
					return nil
				case f.end < sp.until:
					if short.IsZero() {
						short = time.Now()
					}
					if time.Since(short) > shortWait {
						gone = true
						return nil
					}
				}
				return errNothing
			})
		}
		if condition.Of(err) == condition.UnknownTopic {
			return s.lost(condition.KafkaPartitionDeleted, "partition %s has been deleted before its offsets [%d, %d) were read.", sp.tp, pos, sp.until)
		}
		if err != nil {
			return err
		}
		if gone {
			next, until, err := s.salvage(ctx, sp, pos)
			if err != nil {
				return err
			}
			if next == pos && until == sp.until {
				if oddities++; oddities > 10 {
					return s.client.failed(what, errOutOfRange, 0)
				}
			}
			pos, sp.until = next, until
			continue
		}
		records := got.records
		for len(records) > 0 && records[0].Offset < pos {
			records = records[1:]
		}
		for len(records) > 0 && records[len(records)-1].Offset >= sp.until {
			records = records[:len(records)-1]
		}
		if len(records) > 0 {
			if err := emit(records); err != nil {
				return err
			}
		}
		if got.next > sp.until {
			s.keepSpare(sp.tp, sp.until, got)
		}
		pos = got.next
	}
	return nil
}

// salvage finds out what is left of a span whose offset pos is not there, and gives where to go on and where to end.
func (s *source) salvage(ctx context.Context, sp span, pos int64) (next, until int64, err error) {
	var first, last positions
	first, err = s.ends(ctx, []tp{sp.tp}, offsetEarliest)
	if err == nil {
		last, err = s.ends(ctx, []tp{sp.tp}, offsetLatest)
	}
	if condition.Of(err) == condition.UnknownTopic {
		return sp.until, sp.until, s.lost(condition.KafkaPartitionDeleted, "partition %s has been deleted before its offsets [%d, %d) were read.", sp.tp, pos, sp.until)
	}
	if err != nil {
		return 0, 0, err
	}
	earliest, latest := first[sp.tp], last[sp.tp]
	next, until = pos, sp.until
	if earliest > pos || latest < sp.until {
		err = s.lost(condition.KafkaRangeLost, "offsets [%d, %d) of partition %s could not be read, it has [%d, %d).", pos, sp.until, sp.tp, earliest, latest)
		next, until = max(pos, earliest), min(sp.until, latest)
	}
	return next, until, err
}
