package exec

import (
	"bytes"
	"context"
	"math"
	"slices"

	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/state"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// StreamAsof is [AsofJoin] of two streams. A left row waits until the watermark says that its nearest right row is there, and comes out with it. A right row is kept while a
// left row may still take it: for a time, or, where any distance will do, as long as it is the newest of its key that the watermark has passed.
type StreamAsof struct {
	// Join has the sides, the keys and the choice of the partner.
	Join *AsofJoin
	// Wait is for how many microseconds behind its time a left row waits: for the tolerance, where right rows behind it count.
	Wait int64
	// Keep is for how many microseconds behind its time a right row may be taken, -1 for ever.
	Keep  int64
	Task  *Task
	Op    int
	Marks Watermarks

	once once
}

// The entries of the state begin with the number of their side. Left rows have their number behind it, which grows from row to row; right ones their join key and a number. The
// values begin with what a right row is: one that the watermark has not passed, or one that is kept for the left rows to come.
const (
	asofAhead byte = iota
	asofKept
)

// Types implements [Operator].
func (j *StreamAsof) Types() []datatype.Type { return j.Join.Out }

// Open implements [Operator].
func (j *StreamAsof) Open(ctx context.Context) error { return j.Join.Open(ctx) }

// Close implements [Operator].
func (j *StreamAsof) Close() error {
	j.once.close()
	return j.Join.Close()
}

// Next implements [Operator].
func (j *StreamAsof) Next(ctx context.Context) (*vec.Batch, error) {
	return j.once.next(ctx, func() ([]*vec.Batch, error) { return j.run(ctx) })
}

// asofRun is one epoch's work.
type asofRun struct {
	*StreamAsof
	store state.Store
	m     Metrics
	// passed are the keys with right rows that the watermark passes in this epoch, and gone are right rows that no later left row takes.
	passed [][]byte
	gone   [][]byte
}

// run puts the right rows of the epoch into the state, gives the left rows whose partner is known, and only then forgets right rows.
func (j *StreamAsof) run(ctx context.Context) ([]*vec.Batch, error) {
	store, err := j.Task.Stores(j.Op)
	if err != nil {
		return nil, err
	}
	r := &asofRun{StreamAsof: j, store: store, m: Metrics{Name: "asofJoin", PartitionCount: 1}}
	if err := r.takeRight(ctx); err != nil {
		return nil, err
	}
	fresh, err := r.takeLeft(ctx)
	if err != nil {
		return nil, err
	}
	left, err := r.due(ctx, fresh)
	if err != nil {
		return nil, err
	}
	var out []*vec.Batch
	if left.N > 0 {
		b, err := r.join(ctx, left)
		if err != nil {
			return nil, err
		}
		hold(ctx, b.Bytes)
		out = split(b, j.Task.BatchRows)
	}
	if err := r.settle(ctx); err != nil {
		return nil, err
	}
	for _, key := range r.gone {
		if err := r.forget(key); err != nil {
			return nil, err
		}
	}
	r.m.RowsTotal, r.m.MemoryBytes = int64(store.Len()), store.Bytes()
	j.Task.Report(j.Op, r.m)
	return out, nil
}

func (r *asofRun) forget(key []byte) error {
	r.m.RowsRemoved++
	return r.store.Delete(key)
}

// late drops the rows of a batch whose time the watermark of the epoch before has passed, and tells which they are.
func (r *asofRun) late(side int, b *vec.Batch, time *vec.Vec) (func(i int) bool, error) {
	if r.Marks.LateBefore == math.MinInt64 {
		return func(int) bool { return false }, nil
	}
	rows, times := lateRows(time, b.N, r.Marks.LateBefore)
	r.m.RowsDropped += int64(len(rows))
	if err := r.Task.dropped(r.Op, side, b, rows, times); err != nil {
		return nil, err
	}
	return func(i int) bool { return !time.IsNull(i) && time.I64[i&time.Mask()] <= r.Marks.LateBefore }, nil
}

// asofSide is a batch of one side with its times and keys, and the encodings of the keys and the rows.
type asofSide struct {
	time       *vec.Vec
	keys       []*vec.Vec
	names, all vec.Rows
}

func (r *asofRun) read(side int, b *vec.Batch) (s asofSide, err error) {
	time := pickExpr(side == 0, r.Join.LeftTime, r.Join.RightTime)
	if s.time, err = time.Eval(b); err != nil {
		return s, err
	}
	s.keys = make([]*vec.Vec, len(r.Join.Keys))
	for i, k := range r.Join.Keys {
		if s.keys[i], err = pickExpr(side == 0, k.Left, k.Right).Eval(b); err != nil {
			return s, err
		}
	}
	s.names.Encode(s.keys, b.N)
	s.all.Exact = true
	s.all.Encode(b.Cols, b.N)
	return s, nil
}

func pickExpr(c bool, a, b *kernel.Expr) *kernel.Expr {
	if c {
		return a
	}
	return b
}

// takeRight puts the right rows of the epoch into the state. Those without a time or a key are nobody's partner.
func (r *asofRun) takeRight(ctx context.Context) error {
	number := r.Task.firstOf()
	var value []byte
	return drain(ctx, r.Join.Right, 1, func(_ int, b *vec.Batch) error {
		defer b.Release()
		s, err := r.read(1, b)
		if err != nil {
			return err
		}
		late, err := r.late(1, b, s.time)
		if err != nil {
			return err
		}
		for i := range b.N {
			number++
			if late(i) || s.time.IsNull(i) || nullKey(r.Join.Keys, s.keys, i) {
				continue
			}
			t, kind := s.time.I64[i&s.time.Mask()], asofAhead
			if r.Join.Direction != tree.AsofBackward {
				kind, t = asofKept, after(t, r.Keep)
			}
			value = append(append(value[:0], kind), s.all.Row(i)...)
			if err := r.store.Put(storeKey(1, s.names.Row(i), number), value, t); err != nil {
				return err
			}
			r.m.RowsUpdated++
		}
		return nil
	})
}

// after is a time some microseconds later, or the last one where there is no such time.
func after(t, by int64) int64 {
	if t > state.Never-1-by {
		return state.Never - 1
	}
	return t + by
}

// takeLeft reads the left rows of the epoch. Those whose partner is not known yet wait in the state; the others are given, and so are those without a time or a key, which have
// none.
func (r *asofRun) takeLeft(ctx context.Context) (fresh []*vec.Batch, err error) {
	number := r.Task.firstOf()
	var value []byte
	err = drain(ctx, r.Join.Left, 1, func(_ int, b *vec.Batch) error {
		defer b.Release()
		s, err := r.read(0, b)
		if err != nil {
			return err
		}
		late, err := r.late(0, b, s.time)
		if err != nil {
			return err
		}
		var now []int32
		for i := range b.N {
			number++
			if late(i) {
				continue
			}
			if s.time.IsNull(i) || nullKey(r.Join.Keys, s.keys, i) {
				now = append(now, int32(i))
				continue
			}
			known := after(s.time.I64[i&s.time.Mask()], r.Wait)
			if known <= r.Marks.EvictBefore {
				now = append(now, int32(i))
				continue
			}
			value = append(append(value[:0], 0), s.all.Row(i)...)
			if err := r.store.Put(storeKey(0, nil, number), value, known); err != nil {
				return err
			}
			r.m.RowsUpdated++
		}
		if now != nil {
			fresh = append(fresh, b.Take(now))
		}
		return nil
	})
	return fresh, err
}

// due gives the left rows whose partner is known, those that waited before the fresh ones, and finds the right rows whose time has come.
func (r *asofRun) due(ctx context.Context, fresh []*vec.Batch) (*vec.Batch, error) {
	var waited []state.Entry
	seen := map[string]bool{}
	if r.Marks.EvictBefore > math.MinInt64 {
		for e, err := range r.store.Expired(r.Marks.EvictBefore) {
			if err != nil {
				return nil, err
			}
			n := len(e.Key) - state.Suffix
			switch {
			case n < 1 || len(e.Value) < 1:
				return nil, errState
			case e.Key[0] == 0:
				waited = append(waited, e)
				if err := r.forget(e.Key); err != nil {
					return nil, err
				}
			case e.Value[0] == asofKept:
				r.gone = append(r.gone, e.Key)
			case !seen[string(e.Key[:n])]:
				seen[string(e.Key[:n])] = true
				r.passed = append(r.passed, e.Key[:n])
			}
		}
	}
	slices.SortFunc(waited, func(a, b state.Entry) int { return bytes.Compare(a.Key, b.Key) })
	old, err := r.decode(0, waited)
	if err != nil {
		return nil, err
	}
	return vec.ConcatBatches(ctx, r.Join.Left.Types(), append([]*vec.Batch{old}, fresh...))
}

// decode makes a batch of entries of one side.
func (r *asofRun) decode(side int, entries []state.Entry) (*vec.Batch, error) {
	types := r.Join.Left.Types()
	if side == 1 {
		types = r.Join.Right.Types()
	}
	rows := make([][]byte, len(entries))
	for i, e := range entries {
		if len(e.Value) < 1 {
			return nil, errState
		}
		rows[i] = e.Value[1:]
	}
	cols, err := vec.Decode(types, rows)
	if err != nil {
		return nil, err
	}
	return vec.NewBatch(cols, len(rows), nil), nil
}

// group reads the right rows of some keys.
func (r *asofRun) group(ctx context.Context, keys [][]byte) (out []state.Entry, err error) {
	for i, k := range keys {
		if i%checkRows == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for e, err := range r.store.Group(k) {
			if err != nil {
				return nil, err
			}
			out = append(out, e)
		}
	}
	return out, nil
}

// join gives left rows with their partners.
func (r *asofRun) join(ctx context.Context, left *vec.Batch) (*vec.Batch, error) {
	s, err := r.read(0, left)
	if err != nil {
		return nil, err
	}
	var keys [][]byte
	t := newTable()
	for i := range left.N {
		key := s.names.Row(i)
		if n := t.len(); !nullKey(r.Join.Keys, s.keys, i) && int(t.group(key, vec.Hash(key))) == n {
			keys = append(keys, append([]byte{1}, key...))
		}
	}
	entries, err := r.group(ctx, keys)
	if err != nil {
		return nil, err
	}
	right, err := r.decode(1, entries)
	if err != nil {
		return nil, err
	}
	table := &asofTable{rows: right, keys: newTable()}
	if err := r.Join.arrange(ctx, table); err != nil {
		return nil, err
	}
	return r.Join.paired(table, left)
}

// settle keeps of the right rows that the watermark has passed the newest of each key: left rows to come are later than it. Looking forward there are none such.
func (r *asofRun) settle(ctx context.Context) error {
	entries, err := r.group(ctx, r.passed)
	if err != nil {
		return err
	}
	all, err := r.decode(1, entries)
	if err != nil {
		return err
	}
	time, err := evalWhole(ctx, r.Join.RightTime, all)
	if err != nil {
		return err
	}
	var passed []int32
	for i := range all.N {
		if time.I64[i&time.Mask()] <= r.Marks.EvictBefore {
			passed = append(passed, int32(i))
		}
	}
	t := &asofTable{rows: all.Take(passed), keys: newTable()}
	if err := r.Join.arrange(ctx, t); err != nil {
		return err
	}
	for _, group := range t.groups {
		for k, row := range group {
			e := entries[passed[row]]
			expiry := int64(state.Never)
			if r.Keep >= 0 {
				expiry = after(time.I64[int(passed[row])&time.Mask()], r.Keep)
			}
			if k < len(group)-1 || expiry <= r.Marks.EvictBefore {
				if err := r.forget(e.Key); err != nil {
					return err
				}
				continue
			}
			value := append([]byte{asofKept}, e.Value[1:]...)
			if err := r.store.Put(e.Key, value, expiry); err != nil {
				return err
			}
		}
	}
	return nil
}
