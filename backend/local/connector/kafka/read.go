package kafka

import (
	"context"
	"errors"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// span is what a read takes of one partition: the records from offset from up to, not including, to.
type span struct {
	from, to int64
	rows     *chunk
}

// Read implements [connector.Source]. The client keeps its place between epochs, and records that it fetched too early wait for the next
// one, so that an epoch that goes on where the last ended costs no seek.
func (s *source) Read(ctx context.Context, start, end connector.Offset, p connector.Projection) (connector.Batches, error) {
	from, err := position(start)
	if err != nil {
		return nil, err
	}
	to, err := position(end)
	if err != nil {
		return nil, err
	}
	var added []partition
	for _, part := range to.sorted() {
		if _, ok := from[part]; !ok {
			added = append(added, part)
		}
	}
	low, err := s.starts(ctx, added)
	if err != nil {
		return nil, err
	}
	wanted := make([]bool, len(s.fields))
	for i := range wanted {
		wanted[i] = p.Columns == nil
	}
	for _, i := range p.Columns {
		if i >= 0 && i < len(wanted) {
			wanted[i] = true
		}
	}
	spans := map[partition]*span{}
	for part, e := range to {
		b, ok := from[part]
		if !ok {
			b = low[part]
			if b > 0 && len(from) > 0 {
				if err := s.loss("ADDED_PARTITION_DOES_NOT_START_FROM_OFFSET_ZERO", "The new partition %s starts at offset %d, not 0.", part, b); err != nil {
					return nil, err
				}
			}
		}
		if e > b {
			rows, err := s.chunk(wanted)
			if err != nil {
				return nil, err
			}
			spans[part] = &span{from: b, to: e, rows: rows}
		}
	}
	return func(yield func(arrow.RecordBatch, error) bool) {
		s.mu.Lock()
		if s.reading || s.closed {
			s.mu.Unlock()
			yield(nil, condition.Newf(condition.Closed, "The Kafka source is closed or read already."))
			return
		}
		s.reading = true
		s.mu.Unlock()
		defer func() {
			s.mu.Lock()
			s.reading = false
			s.mu.Unlock()
		}()
		s.read(ctx, spans, to, yield)
	}, nil
}

// read gives the rows of the spans. A partition's rows come in order; a partition gives its batch when it is full, and what is left comes
// in the order of the partitions, so that small epochs always look the same.
func (s *source) read(ctx context.Context, spans map[partition]*span, to offsets, yield func(arrow.RecordBatch, error) bool) {
	keys := offsets{}
	for p, sp := range spans {
		keys[p] = sp.from
	}
	order := keys.sorted()
	left := len(order)
	// take adds records to their span and keeps those behind it; it is false when the reader has gone or a batch failed.
	take := func(p partition, sp *span, recs []*kgo.Record) bool {
		for i, r := range recs {
			if r.Offset >= sp.to {
				s.early[p] = recs[i:]
				s.next[p] = sp.to
				if sp.from < sp.to {
					sp.from = sp.to
					left--
				}
				return true
			}
			// A transaction's marker takes an offset but is no row.
			if r.Offset >= sp.from && !r.Attrs.IsControl() {
				s.add(sp.rows, r)
				if sp.rows.rows >= s.env.BatchRows || sp.rows.size >= maxChunkBytes {
					b, err := s.batch(sp.rows)
					if err != nil {
						yield(nil, err)
						return false
					}
					if !yield(b, nil) {
						return false
					}
				}
			}
			if next := r.Offset + 1; next > sp.from && sp.from < sp.to {
				if sp.from = next; sp.from >= sp.to {
					left--
				}
			}
			s.next[p] = r.Offset + 1
		}
		return true
	}
	if !s.seek(order, spans, to, take) {
		s.forget(order)
		return
	}
	if err := s.poll(ctx, spans, &left, take); err != nil {
		// Where the client stands is not known any more, so the next read seeks.
		s.forget(order)
		if !errors.Is(err, errGone) {
			yield(nil, err)
		}
		return
	}
	for _, p := range order {
		if c := spans[p].rows; c.rows > 0 {
			b, err := s.batch(c)
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(b, nil) {
				return
			}
		}
	}
}

// maxEarly is how many batches of records of one partition wait for a later epoch.
const maxEarly = 4

// errGone says that the reader has ended its loop.
var errGone = errors.New("the reader has gone")

// seek brings the client to the beginnings of the spans and uses up the records that came early.
func (s *source) seek(order []partition, spans map[partition]*span, to offsets, take func(partition, *span, []*kgo.Record) bool) bool {
	drop := map[string][]int32{}
	add := map[string]map[int32]kgo.Offset{}
	for _, p := range order {
		sp := spans[p]
		at, known := s.next[p]
		if early := s.early[p]; known && len(early) > 0 && at == sp.from {
			delete(s.early, p)
			if !take(p, sp, early) {
				return false
			}
			continue
		}
		if known && at == sp.from && len(s.early[p]) == 0 {
			continue
		}
		delete(s.early, p)
		if known {
			drop[p.topic] = append(drop[p.topic], p.id)
		}
		if add[p.topic] == nil {
			add[p.topic] = map[int32]kgo.Offset{}
		}
		add[p.topic][p.id] = kgo.NewOffset().At(sp.from)
		s.next[p] = sp.from
	}
	if s.env.Streaming {
		// A stream will want the partitions without rows in this epoch too, and a client that follows them answers the next one at once.
		for p, at := range to {
			if _, known := s.next[p]; !known && spans[p] == nil {
				if add[p.topic] == nil {
					add[p.topic] = map[int32]kgo.Offset{}
				}
				add[p.topic][p.id] = kgo.NewOffset().At(at)
				s.next[p] = at
			}
		}
	}
	if len(drop) > 0 {
		s.client.RemoveConsumePartitions(drop)
	}
	if len(add) > 0 {
		s.client.AddConsumePartitions(add)
	}
	return true
}

func (s *source) forget(parts []partition) {
	drop := map[string][]int32{}
	for _, p := range parts {
		if _, ok := s.next[p]; ok {
			drop[p.topic] = append(drop[p.topic], p.id)
			delete(s.next, p)
			delete(s.early, p)
		}
	}
	if len(drop) > 0 {
		s.client.RemoveConsumePartitions(drop)
	}
}

// poll fetches until every span is full. Servers that are away for a while are waited for, as long as kafkaConsumer.pollTimeoutMs says.
func (s *source) poll(ctx context.Context, spans map[partition]*span, left *int, take func(partition, *span, []*kgo.Record) bool) error {
	var lastErr error
	deadline := time.Now().Add(s.pollTimeout)
	for *left > 0 {
		wait, cancel := context.WithDeadline(ctx, deadline)
		fetches := s.client.PollRecords(wait, s.env.BatchRows)
		cancel()
		if err := ctx.Err(); err != nil {
			return s.cfg.failed("reading was cancelled", err)
		}
		progress := false
		var failed error
		gone := false
		fetches.EachError(func(topic string, id int32, err error) {
			if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, kgo.ErrClientClosed) {
				return
			}
			lastErr = err
			p := partition{topic, id}
			sp := spans[p]
			if sp == nil {
				return
			}
			if errors.Is(err, kerr.OffsetOutOfRange) {
				if e := s.lost(ctx, p, sp, left); e != nil && failed == nil {
					failed = e
				}
				progress = true
				return
			}
			if _, ok := errors.AsType[*kgo.ErrDataLoss](err); ok {
				if e := s.loss("COULD_NOT_READ_OFFSET_RANGE", "Rows of %s from offset %d on cannot be read: %v.", p, sp.from, err); e != nil && failed == nil {
					failed = e
				}
				return
			}
			if !kerr.IsRetriable(err) && isKafka(err) && failed == nil {
				failed = s.cfg.failed("reading "+p.String()+" failed", err)
			}
		})
		if failed != nil {
			return failed
		}
		fetches.EachPartition(func(f kgo.FetchTopicPartition) {
			if len(f.Records) == 0 || gone {
				return
			}
			p := partition{f.Topic, f.Partition}
			progress = true
			sp := spans[p]
			if sp == nil || sp.from >= sp.to {
				// The partition has nothing in this epoch, or no more: its records wait for the next. When many wait they are dropped, and
				// fetched again when their turn comes.
				if s.early[p] = append(s.early[p], f.Records...); len(s.early[p]) > maxEarly*s.env.BatchRows {
					s.forget([]partition{p})
				}
				return
			}
			if !take(p, sp, f.Records) {
				gone = true
			}
		})
		if gone {
			return errGone
		}
		if progress {
			deadline = time.Now().Add(s.pollTimeout)
			continue
		}
		if fetches.IsClientClosed() {
			return condition.Newf(condition.Closed, "The Kafka source was closed while it was read.")
		}
		if time.Now().After(deadline) {
			return s.stalled(spans, lastErr)
		}
	}
	return nil
}

// stalled is the error of a read to which nothing comes.
func (s *source) stalled(spans map[partition]*span, last error) error {
	o := offsets{}
	for p, sp := range spans {
		if sp.from < sp.to {
			o[p] = sp.from
		}
	}
	e := condition.Newf(condition.ConnectorFailed, "Kafka at %v gave no record for %s; waiting at %s.", s.cfg.servers, s.pollTimeout, o.json())
	e.Cause = last
	e.Hint = "Check the servers; kafkaConsumer.pollTimeoutMs sets how long a read waits."
	return e
}

// lost moves a span to where the partition begins now, when the user lets rows go.
func (s *source) lost(ctx context.Context, p partition, sp *span, left *int) error {
	low, err := s.starts(ctx, []partition{p})
	if err != nil {
		return err
	}
	if err := s.loss("COULD_NOT_READ_OFFSET_RANGE", "The offsets from %d on of %s are gone; the partition begins at %d and the epoch ends at %d.", sp.from, p, low[p], sp.to); err != nil {
		return err
	}
	at := max(low[p], sp.from)
	if low[p] <= sp.from {
		// The partition ends before the span does: it was made anew, and nothing of the span is there.
		at = sp.to
	}
	s.client.RemoveConsumePartitions(map[string][]int32{p.topic: {p.id}})
	delete(s.next, p)
	delete(s.early, p)
	if at >= sp.to {
		sp.from = sp.to
		*left--
		return nil
	}
	sp.from = at
	s.next[p] = at
	s.client.AddConsumePartitions(map[string]map[int32]kgo.Offset{p.topic: {p.id: kgo.NewOffset().At(at)}})
	return nil
}
