package exec

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Split cuts the batches of its input into pieces of at most Rows rows, for a step above that makes many rows of one. A piece shares the memory of
// its batch, which is given back with the last piece.
type Split struct {
	Input Operator
	Rows  int

	mu   sync.Mutex
	rest *vec.Batch
	next int // the first row of rest that no piece has
	held *atomic.Int32
}

// Types implements [Operator].
func (s *Split) Types() []datatype.Type { return s.Input.Types() }

// Open implements [Operator].
func (s *Split) Open(ctx context.Context) error { return s.Input.Open(ctx) }

// Next implements [Operator].
func (s *Split) Next(ctx context.Context) (*vec.Batch, error) {
	lock(ctx, &s.mu)
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.rest == nil {
		b, err := s.Input.Next(ctx)
		if b == nil || err != nil || b.N <= s.Rows {
			return b, err
		}
		s.rest, s.next, s.held = b, 0, new(atomic.Int32)
		s.held.Store(1) // of s itself, until the last piece is cut
	}
	whole, held := s.rest, s.held
	hi := min(s.next+s.Rows, whole.N)
	piece := whole.Slice(s.next, hi)
	held.Add(1)
	release := func() {
		if held.Add(-1) == 0 {
			whole.Release()
		}
	}
	if s.next = hi; hi == whole.N {
		s.rest = nil
		release()
	}
	return vec.NewBatch(piece.Cols, piece.N, release), nil
}

// Close implements [Operator].
func (s *Split) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rest != nil {
		if s.held.Add(-1) == 0 {
			s.rest.Release()
		}
		s.rest = nil
	}
	return s.Input.Close()
}
