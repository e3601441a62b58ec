package exec

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// spoolBytes is how much of a shared result is kept for those who ask for it again. One that is larger is computed anew for each.
const spoolBytes = 64 << 20

// Spool computes what several operators of a run read, once where it is small. It belongs to the run, whose end gives its memory back.
type Spool struct {
	// Make makes the operators that compute the rows.
	Make  func() (Operator, error)
	Types []datatype.Type

	mu    sync.Mutex
	state spoolState
	err   error
	kept  []*kept
	// filling is there while a reader computes the rows, and closed when it has ended.
	filling chan struct{}
}

type spoolState uint8

const (
	spoolNew spoolState = iota
	spoolFull
	spoolTooLarge
	spoolFailed
)

// kept is a batch with the number of those who hold it: the spool and its readers.
type kept struct {
	b *vec.Batch
	n atomic.Int64
}

func (k *kept) release() {
	if k.n.Add(-1) == 0 {
		k.b.Release()
	}
}

// lend gives a view of the batch that holds it until it is released.
func (k *kept) lend() *vec.Batch {
	k.n.Add(1)
	return vec.NewBatch(append([]*vec.Vec(nil), k.b.Cols...), k.b.N, k.release)
}

// Close gives the memory back; batches that were lent keep theirs.
func (s *Spool) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.kept {
		k.release()
	}
	s.kept, s.state, s.err = nil, spoolFailed, context.Canceled
}

// Shared reads a spool.
type Shared struct {
	Spool *Spool

	ctx context.Context
	mu  sync.Mutex
	at  int
	// first are batches that come before those of op: what the spool had read when it became too large.
	first []*vec.Batch
	op    Operator
	begun bool
	err   error
}

// Types implements [Operator].
func (s *Shared) Types() []datatype.Type { return s.Spool.Types }

// Open implements [Operator]. Nothing runs before the first batch is asked for.
func (s *Shared) Open(ctx context.Context) error {
	s.ctx = ctx
	return nil
}

// Next implements [Operator].
func (s *Shared) Next(ctx context.Context) (*vec.Batch, error) {
	lock(ctx, &s.mu)
	if !s.begun {
		s.begun = true
		s.err = s.begin(within(s.ctx, ctx), ctx)
	}
	if s.err == nil {
		s.err = ctx.Err()
	}
	if s.err != nil {
		s.mu.Unlock()
		return nil, s.err
	}
	if len(s.first) > 0 {
		b := s.first[0]
		s.first = s.first[1:]
		s.mu.Unlock()
		return b, nil
	}
	op := s.op
	if op == nil {
		defer s.mu.Unlock()
		return s.next(), nil
	}
	s.mu.Unlock()
	return op.Next(ctx)
}

// next lends the next batch of a full spool.
func (s *Shared) next() *vec.Batch {
	s.Spool.mu.Lock()
	defer s.Spool.mu.Unlock()
	if s.at >= len(s.Spool.kept) {
		return nil
	}
	s.at++
	return s.Spool.kept[s.at-1].lend()
}

// begin fills the spool if nobody has, or starts a computation of its own where the rows are too many to be kept. While another reader fills it this one
// waits, as long as its run and asked, the context of the call, let it.
func (s *Shared) begin(ctx, asked context.Context) error {
	p := s.Spool
	p.mu.Lock()
	for p.filling != nil {
		done := p.filling
		p.mu.Unlock()
		from := time.Now()
		select {
		case <-done:
			spanOf(ctx).idle(time.Since(from))
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-asked.Done():
			return context.Cause(asked)
		}
		p.mu.Lock()
	}
	state, err := p.state, p.err
	if state == spoolNew {
		p.filling = make(chan struct{})
	}
	p.mu.Unlock()
	switch state {
	case spoolFull:
		return nil
	case spoolFailed:
		return err
	case spoolTooLarge:
		return s.open(ctx)
	}
	// However it ends, a panic included, those who wait are told.
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		close(p.filling)
		p.filling = nil
	}()
	batches, full, err := s.fill(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case err == nil && p.state != spoolNew: // the run has ended
		err = p.err
		fallthrough
	case err != nil:
		for _, b := range batches {
			b.Release()
		}
		// A reader that was stopped says nothing of the rows: the next one computes them.
		if p.state == spoolNew && ctx.Err() == nil {
			p.state, p.err = spoolFailed, err
		}
		return err
	case !full:
		p.state, s.first = spoolTooLarge, batches
		return nil
	}
	for _, b := range batches {
		k := &kept{b: b}
		k.n.Store(1)
		p.kept = append(p.kept, k)
	}
	p.state = spoolFull
	return nil
}

// open starts a computation of the rows, which is closed with the reader however it ends.
func (s *Shared) open(ctx context.Context) error {
	op, err := s.Spool.Make()
	if err != nil {
		return err
	}
	s.op = op
	return op.Open(ctx)
}

// fill computes the rows. Where they are too many full is false, and the rest comes of the reader's operator.
func (s *Shared) fill(ctx context.Context) (batches []*vec.Batch, full bool, err error) {
	if err := s.open(ctx); err != nil {
		return nil, false, err
	}
	bytes, dictionaries := 0, map[*vec.Vec]bool{}
	for {
		b, err := s.op.Next(ctx)
		if err != nil {
			return batches, false, err
		}
		if b == nil {
			break
		}
		batches = append(batches, b)
		bytes += b.Bytes() + b.Dictionaries(dictionaries)
		hold(ctx, func() int { return bytes })
		if bytes > spoolBytes {
			return batches, false, nil
		}
	}
	op := s.op
	s.op = nil
	if err := op.Close(); err != nil {
		return batches, false, err
	}
	kept, err := together(ctx, s.Spool.Types, batches)
	if err != nil {
		return batches, false, err
	}
	return kept, true, nil
}

// smallBatch is the mean number of rows below which batches are put together before they are kept.
const smallBatch = 1 << 10

// together puts batches of few rows together, so that whoever reads them often does not do so row by row.
func together(ctx context.Context, types []datatype.Type, batches []*vec.Batch) ([]*vec.Batch, error) {
	rows := 0
	for _, b := range batches {
		rows += b.N
	}
	if len(batches) < 2 || rows/len(batches) >= smallBatch {
		return batches, nil
	}
	var out []*vec.Batch
	var some []*vec.Batch
	rows = 0
	for i, b := range batches {
		some, rows = append(some, b), rows+b.N
		if rows >= 8*smallBatch || i == len(batches)-1 {
			b, err := vec.ConcatBatches(ctx, types, some)
			if err != nil {
				for _, x := range append(out, batches[i+1:]...) {
					x.Release()
				}
				return nil, err
			}
			out = append(out, b)
			some, rows = nil, 0
		}
	}
	return out, nil
}

// Close implements [Operator].
func (s *Shared) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.first {
		b.Release()
	}
	s.first, s.begun = nil, true
	if s.err == nil {
		s.err = context.Canceled
	}
	if s.op == nil {
		return nil
	}
	return s.op.Close()
}

// Spools is an operator whose end is that of the spools below it.
type Spools struct {
	Operator
	Of []*Spool
}

// Close implements [Operator].
func (s *Spools) Close() error {
	err := s.Operator.Close()
	for _, p := range s.Of {
		p.Close()
	}
	return err
}
