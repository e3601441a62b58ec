package exec

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// SetOperation keeps the left rows that are in the right input, or that are not, as tree.SetOperation says. Rows are compared by their
// encoding, so null equals null, NaN equals NaN and -0.0 equals 0.0; what comes out is decoded from it, with 0.0 for -0.0 as in Spark,
// which groups these rows.
type SetOperation struct {
	Left, Right Operator
	Kind        tree.SetKind
	All         bool
	Out         []datatype.Type

	mu    sync.Mutex
	right *table
	count []int64 // of each right row: how often it is there and was not used up
	rows  vec.Rows
}

// Types implements [Operator].
func (s *SetOperation) Types() []datatype.Type { return s.Out }

// Open implements [Operator].
func (s *SetOperation) Open(ctx context.Context) error {
	if err := s.Left.Open(ctx); err != nil {
		return err
	}
	return s.Right.Open(ctx)
}

// Close implements [Operator].
func (s *SetOperation) Close() error {
	s.mu.Lock()
	s.right, s.count = nil, nil
	s.mu.Unlock()
	return closeAll(s.Left, s.Right)
}

// Next implements [Operator]. The right input is read whole first; the left one passes by.
func (s *SetOperation) Next(ctx context.Context) (*vec.Batch, error) {
	lock(ctx, &s.mu)
	defer s.mu.Unlock()
	if s.right == nil {
		if err := s.build(ctx); err != nil {
			return nil, err
		}
	}
	for {
		b, err := s.Left.Next(ctx)
		if b == nil || err != nil {
			return nil, err
		}
		s.rows.Encode(b.Cols, b.N)
		kept := make([][]byte, 0, b.N)
		for i := range b.N {
			if row := s.rows.Row(i); s.keep(row) {
				kept = append(kept, row)
			}
		}
		b.Release()
		if len(kept) == 0 {
			continue
		}
		cols, err := vec.Decode(s.Out, kept)
		if err != nil {
			return nil, err
		}
		return vec.NewBatch(cols, len(kept), nil), nil
	}
}

func (s *SetOperation) build(ctx context.Context) error {
	t := newTable()
	var count []int64
	for {
		b, err := s.Right.Next(ctx)
		if err != nil {
			return err
		}
		if b == nil {
			s.right, s.count = t, count
			hold(ctx, func() int { return t.bytes() + 8*cap(count) })
			return nil
		}
		s.rows.Encode(b.Cols, b.N)
		for i := range b.N {
			row := s.rows.Row(i)
			g := t.group(row, vec.Hash(row))
			if int(g) == len(count) {
				count = append(count, 0)
			}
			count[g]++
		}
		b.Release()
	}
}

// keep decides on a left row and remembers what it used up.
func (s *SetOperation) keep(row []byte) bool {
	hash := vec.Hash(row)
	if s.Kind == tree.ExceptSet && !s.All {
		// A row that was kept joins those that are taken away.
		n := s.right.len()
		return int(s.right.group(row, hash)) == n
	}
	g := s.right.find(row, hash)
	there := g >= 0 && s.count[g] > 0
	if there {
		if s.All {
			s.count[g]--
		} else {
			s.count[g] = 0
		}
	}
	return there == (s.Kind == tree.IntersectSet)
}

// Expand gives each batch once for each grouping set. Behind the input's columns stand the keys, null where the set leaves them out, and
// then the number of the set and its grouping id.
type Expand struct {
	Input Operator
	Keys  []*kernel.Expr
	// Sets tell of each set which keys are in it.
	Sets [][]bool
	// IDs are the grouping ids of the sets.
	IDs []int64
	Out []datatype.Type

	mu   sync.Mutex
	cur  *vec.Batch
	keys []*vec.Vec
	at   int // the next set
	left *atomic.Int64
}

// Types implements [Operator].
func (x *Expand) Types() []datatype.Type { return x.Out }

// Open implements [Operator].
func (x *Expand) Open(ctx context.Context) error { return x.Input.Open(ctx) }

// Close implements [Operator].
func (x *Expand) Close() error {
	x.mu.Lock()
	// The sets that were not asked for hold their shares of the batch.
	for ; x.cur != nil && x.at < len(x.Sets); x.at++ {
		x.share(x.cur)()
	}
	x.cur, x.keys = nil, nil
	x.mu.Unlock()
	return x.Input.Close()
}

// share gives the function that gives back one set's share of a batch.
func (x *Expand) share(b *vec.Batch) func() {
	left := x.left
	return func() {
		if left.Add(-1) == 0 {
			b.Release()
		}
	}
}

// Next implements [Operator].
func (x *Expand) Next(ctx context.Context) (*vec.Batch, error) {
	lock(ctx, &x.mu)
	defer x.mu.Unlock()
	if x.cur == nil || x.at == len(x.Sets) {
		x.cur, x.keys = nil, nil
		b, err := x.Input.Next(ctx)
		if b == nil || err != nil {
			return nil, err
		}
		keys := make([]*vec.Vec, len(x.Keys))
		for i, k := range x.Keys {
			if keys[i], err = k.Eval(b); err != nil {
				b.Release()
				return nil, err
			}
		}
		x.cur, x.keys, x.at, x.left = b, keys, 0, &atomic.Int64{}
		x.left.Store(int64(len(x.Sets)))
	}
	b, set := x.cur, x.at
	cols := append(make([]*vec.Vec, 0, len(x.Out)), b.Cols...)
	for i, k := range x.keys {
		if !x.Sets[set][i] {
			k = vec.Nulls(x.Keys[i].Type, b.N)
		}
		cols = append(cols, k)
	}
	number, err := vec.Constant(datatype.Int, int64(set))
	if err != nil {
		return nil, err
	}
	id, err := vec.Constant(datatype.Long, x.IDs[set])
	if err != nil {
		return nil, err
	}
	x.at++
	return vec.NewBatch(append(cols, number.Repeat(b.N), id.Repeat(b.N)), b.N, x.share(b)), nil
}

// Sample keeps each row with a probability, by random numbers of its own: over rows that come in the same order a seed makes the same
// choice.
type Sample struct {
	Input    Operator
	Fraction float64
	Seed     uint64

	mu  sync.Mutex
	rng *rand.Rand
}

// Types implements [Operator].
func (s *Sample) Types() []datatype.Type { return s.Input.Types() }

// Open implements [Operator].
func (s *Sample) Open(ctx context.Context) error {
	s.rng = rand.New(rand.NewPCG(s.Seed, 0x9e3779b97f4a7c15))
	return s.Input.Open(ctx)
}

// Close implements [Operator].
func (s *Sample) Close() error { return s.Input.Close() }

// Next implements [Operator].
func (s *Sample) Next(ctx context.Context) (*vec.Batch, error) {
	lock(ctx, &s.mu)
	defer s.mu.Unlock()
	for {
		b, err := s.Input.Next(ctx)
		if b == nil || err != nil {
			return nil, err
		}
		var idx []int32
		for i := range b.N {
			if s.rng.Float64() < s.Fraction {
				idx = append(idx, int32(i))
			}
		}
		if len(idx) == b.N {
			return b, nil
		}
		out := b.Take(idx)
		b.Release()
		if len(idx) > 0 {
			return out, nil
		}
	}
}
