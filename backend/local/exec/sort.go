package exec

import (
	"context"
	"slices"
	"sync"

	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/state"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// SortKey is one key of an order.
type SortKey struct {
	Expr       *kernel.Expr
	Descending bool
	NullsFirst bool
}

// Sort orders its input. With Limit ≥ 0 it keeps only the first rows and never holds many more (top-k).
type Sort struct {
	Input Operator
	Keys  []SortKey
	Limit int64
	Task  *Task

	once once
}

// Types implements [Operator].
func (s *Sort) Types() []datatype.Type { return s.Input.Types() }

// Open implements [Operator].
func (s *Sort) Open(ctx context.Context) error { return s.Input.Open(ctx) }

// Close implements [Operator].
func (s *Sort) Close() error {
	s.once.close()
	return s.Input.Close()
}

// Next implements [Operator].
func (s *Sort) Next(ctx context.Context) (*vec.Batch, error) {
	return s.once.next(ctx, func() ([]*vec.Batch, error) {
		batches, err := s.run(ctx)
		if err != nil {
			return nil, err
		}
		return splitAll(batches, s.Task.BatchRows), nil
	})
}

func (s *Sort) run(ctx context.Context) ([]*vec.Batch, error) {
	var held []*vec.Batch
	var bound *bound
	rows := int64(0)
	fail := func(err error) ([]*vec.Batch, error) {
		for _, b := range held {
			b.Release()
		}
		return nil, err
	}
	for {
		b, err := s.Input.Next(ctx)
		if err != nil {
			return fail(err)
		}
		if b == nil {
			break
		}
		if bound != nil {
			// Top-k: only rows that come before the last one kept so far can still count.
			idx, err := bound.better(b, s.Keys)
			if err != nil {
				b.Release()
				return fail(err)
			}
			if len(idx) < b.N {
				small := b.Take(idx)
				b.Release()
				b = small
			}
		}
		if b.N == 0 {
			b.Release()
			continue
		}
		held = append(held, b)
		rows += int64(b.N)
		// Top-k: cut back whenever enough has come together that sorting it costs little per row.
		if s.Limit >= 0 && rows > s.Limit && (bound == nil || rows > 4*s.Limit+int64(s.Task.BatchRows)) {
			all, err := s.sort(ctx, held)
			if err != nil {
				return nil, err
			}
			held, rows = all, 0
			for _, b := range all {
				rows += int64(b.N)
			}
			if bound, err = newBound(all, s.Keys); err != nil {
				return fail(err)
			}
		}
	}
	return s.sort(ctx, held)
}

// bound is the last of the rows that a top-k has kept: its keys.
type bound struct{ keys []*vec.Vec }

// newBound takes the keys of the last row of sorted batches; nil where there is none.
func newBound(sorted []*vec.Batch, keys []SortKey) (*bound, error) {
	if len(sorted) == 0 || len(keys) == 0 {
		return nil, nil
	}
	b := sorted[len(sorted)-1]
	out := &bound{}
	for _, k := range keys {
		v, err := k.Expr.Eval(b)
		if err != nil {
			return nil, err
		}
		out.keys = append(out.keys, vec.Take(v, []int32{int32(b.N - 1)}))
	}
	return out, nil
}

// better gives the rows of b that come before the bound.
func (x *bound) better(b *vec.Batch, keys []SortKey) ([]int32, error) {
	cols := make([]*vec.Vec, len(keys))
	for i, k := range keys {
		v, err := k.Expr.Eval(b)
		if err != nil {
			return nil, err
		}
		cols[i] = v
	}
	// open are the rows that are equal to the bound in the keys so far.
	open := make([]int32, b.N)
	for i := range open {
		open[i] = int32(i)
	}
	var out []int32
	for i, k := range keys {
		v, w := cols[i], x.keys[i]
		compare := vec.CompareOf(v.Type)
		sign := 1
		if k.Descending {
			sign = -1
		}
		last := w.IsNull(0)
		equal := open[:0]
		for _, r := range open {
			null := v.IsNull(int(r))
			var c int
			switch {
			case null && last:
			case null:
				c = pickInt(k.NullsFirst, -1, 1)
			case last:
				c = pickInt(k.NullsFirst, 1, -1)
			default:
				c = sign * compare(v, int(r), w, 0)
			}
			if c < 0 {
				out = append(out, r)
			} else if c == 0 {
				equal = append(equal, r)
			}
		}
		if open = equal; len(open) == 0 {
			break
		}
	}
	slices.Sort(out)
	return out, nil
}

func pickInt(c bool, a, b int) int {
	if c {
		return a
	}
	return b
}

// sort orders the rows of batches, which it takes over, and cuts them to the limit.
func (s *Sort) sort(ctx context.Context, held []*vec.Batch) ([]*vec.Batch, error) {
	b, err := vec.ConcatBatches(ctx, s.Types(), held)
	if err != nil {
		return nil, err
	}
	idx, err := Order(ctx, b, s.Keys, s.Task.Parallelism)
	if err != nil {
		b.Release()
		return nil, err
	}
	if s.Limit >= 0 && int64(len(idx)) > s.Limit {
		idx = idx[:s.Limit]
	}
	cols := make([]moving, len(b.Cols))
	for i, c := range b.Cols {
		cols[i] = moving{c, idx}
	}
	out, err := takePieces(ctx, nil, cols, len(idx))
	if err != nil {
		b.Release()
		return nil, err
	}
	// Its rows in both orders, and the numbers by which they were sorted, twice.
	hold(ctx, func() int {
		n := b.Bytes() + 8*b.N
		for _, o := range out {
			n += o.Bytes()
		}
		return n
	})
	b.Release()
	return out, nil
}

// Order gives the rows of b in the order of keys; equal rows keep theirs. It looks at the context every few milliseconds.
func Order(ctx context.Context, b *vec.Batch, keys []SortKey, workers int) ([]int32, error) {
	idx := make([]int32, b.N)
	for i := range idx {
		idx[i] = int32(i)
	}
	cols := make([]*vec.Vec, len(keys))
	for k, key := range keys {
		v, err := evalWhole(ctx, key.Expr, b)
		if err != nil {
			return nil, err
		}
		cols[k] = v
	}
	compare := make([]func(i, j int32) int, 0, len(keys))
	for k, key := range keys {
		if !cols[k].Const {
			compare = append(compare, rowOrder(cols[k], key))
		}
	}
	var less func(i, j int32) int
	switch len(compare) {
	case 0:
		return idx, ctx.Err()
	case 1:
		less = compare[0]
	default:
		less = func(i, j int32) int {
			for _, c := range compare {
				if x := c(i, j); x != 0 {
					return x
				}
			}
			return 0
		}
	}
	return mergeSort(ctx, idx, less, workers)
}

// sortRun is how many rows are sorted, or merged, between two looks at the context.
const sortRun = 1 << 14

// mergeSort sorts by several goroutines: runs first, then pairs of them, always the left one first among equals.
func mergeSort(ctx context.Context, idx []int32, compare func(i, j int32) int, workers int) ([]int32, error) {
	n := len(idx)
	if n <= sortRun {
		slices.SortStableFunc(idx, compare)
		return idx, ctx.Err()
	}
	// each does a piece of work at a time by all goroutines.
	each := func(pieces int, f func(ctx context.Context, piece int) error) error {
		g := newGroup(ctx)
		g.errgroup.SetLimit(max(workers, 1))
		for i := range pieces {
			if g.ctx.Err() != nil {
				break
			}
			g.Go(func(ctx context.Context) error {
				if err := ctx.Err(); err != nil {
					return err
				}
				return f(ctx, i)
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
		return ctx.Err()
	}
	err := each((n+sortRun-1)/sortRun, func(_ context.Context, i int) error {
		slices.SortStableFunc(idx[i*sortRun:min((i+1)*sortRun, n)], compare)
		return nil
	})
	if err != nil {
		return nil, err
	}
	other := make([]int32, n)
	for width := sortRun; width < n; width *= 2 {
		err := each((n+2*width-1)/(2*width), func(ctx context.Context, i int) error {
			lo := i * 2 * width
			mid, hi := min(lo+width, n), min(lo+2*width, n)
			return mergeRuns(ctx, other[lo:hi], idx[lo:mid], idx[mid:hi], compare)
		})
		if err != nil {
			return nil, err
		}
		idx, other = other, idx
	}
	return idx, nil
}

// mergeRuns merges two sorted runs.
func mergeRuns(ctx context.Context, out, a, b []int32, compare func(i, j int32) int) error {
	for k := range out {
		if k%sortRun == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if len(b) == 0 || len(a) > 0 && compare(a[0], b[0]) <= 0 {
			out[k], a = a[0], a[1:]
		} else {
			out[k], b = b[0], b[1:]
		}
	}
	return nil
}

// rowOrder compares two rows of a column by a key; nulls go where the key says, whatever the direction.
func rowOrder(v *vec.Vec, key SortKey) func(i, j int32) int {
	sign := 1
	if key.Descending {
		sign = -1
	}
	var less func(i, j int32) int
	switch vec.PhysOf(v.Type) {
	case vec.PI32:
		less = ordered(v.I32, sign)
	case vec.PI64:
		less = ordered(v.I64, sign)
	default:
		c := vec.CompareOf(v.Type)
		less = func(i, j int32) int { return sign * c(v, int(i), v, int(j)) }
	}
	if v.Null == nil {
		return less
	}
	first := -1
	if !key.NullsFirst {
		first = 1
	}
	return func(i, j int32) int {
		a, b := v.Null[i], v.Null[j]
		switch {
		case a && b:
			return 0
		case a:
			return first
		case b:
			return -first
		}
		return less(i, j)
	}
}

func ordered[T int32 | int64](x []T, sign int) func(i, j int32) int {
	return func(i, j int32) int {
		a, b := x[i], x[j]
		switch {
		case a < b:
			return -sign
		case a > b:
			return sign
		}
		return 0
	}
}

// Limit leaves out Offset rows and gives at most Count (all when negative). In a stream it counts the rows of all epochs.
type Limit struct {
	Input         Operator
	Count, Offset int64
	Task          *Task
	// Op is the operator's number in the plan's state, or -1 where it counts one epoch alone.
	Op int

	mu    sync.Mutex
	ready bool
	store state.Store
	gone  int64 // rows that came so far, of earlier epochs too
}

// Types implements [Operator].
func (l *Limit) Types() []datatype.Type { return l.Input.Types() }

// Open implements [Operator].
func (l *Limit) Open(ctx context.Context) error { return l.Input.Open(ctx) }

// Close implements [Operator].
func (l *Limit) Close() error { return l.Input.Close() }

var limitKey = []byte("rows")

// Next implements [Operator].
func (l *Limit) Next(ctx context.Context) (*vec.Batch, error) {
	lock(ctx, &l.mu)
	defer l.mu.Unlock()
	if !l.ready && l.Op >= 0 {
		store, err := l.Task.Stores(l.Op)
		if err != nil {
			return nil, err
		}
		l.store = store
		v, ok, err := store.Get(limitKey)
		if err != nil {
			return nil, err
		}
		if ok && len(v) == 8 {
			for i, x := range v {
				l.gone |= int64(x) << (8 * i)
			}
		}
	}
	l.ready = true
	for {
		if l.Count >= 0 && l.gone >= l.Offset+l.Count && l.store == nil {
			return nil, nil
		}
		b, err := l.Input.Next(ctx)
		if err != nil {
			return nil, err
		}
		if b == nil {
			if l.store != nil {
				v := make([]byte, 8)
				for i := range v {
					v[i] = byte(l.gone >> (8 * i))
				}
				if err := l.store.Put(limitKey, v, state.Never); err != nil {
					return nil, err
				}
				l.Task.Report(l.Op, Metrics{Name: "globalLimit", RowsTotal: 1, RowsUpdated: 1, MemoryBytes: l.store.Bytes(), PartitionCount: 1})
			}
			return nil, nil
		}
		n := int64(b.N)
		lo := min(max(l.Offset-l.gone, 0), n)
		hi := n
		if l.Count >= 0 {
			hi = min(max(l.Offset+l.Count-l.gone, lo), n)
		}
		l.gone += n
		if lo >= hi {
			b.Release()
			continue
		}
		if lo == 0 && hi == n {
			return b, nil
		}
		s := b.Slice(int(lo), int(hi))
		return b.Derive(s.Cols, s.N), nil
	}
}
