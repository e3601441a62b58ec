package exec

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/state"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// OverGroup are window expressions over a stream that share a partitioning and an order, whose first key is the event time, and keep the same rows between epochs.
type OverGroup struct {
	OverSpec
	// Columns of the input are read by the expressions: the rows that are kept have these alone.
	Columns []int
	// Running expressions are over all rows of the partition up to the current one and its peers: of these the state keeps the totals, not the rows.
	Running bool
	// Rows is how many rows before the current one are looked at, those alone in which Valued, where that is not nil, is not null. Span is for how many microseconds behind
	// its time a row is looked at. One of the two is -1.
	Rows, Span int64
	Valued     *kernel.Expr
}

// StreamOver is [Over] on a stream. A row waits until the watermark has passed its time: then the rows at and before it are known, in their order, and it comes out with
// the expressions' values. What the rows behind it look back at stays in the state.
//
// Rows without a time are in no order with the others, of which more may come for ever: they are left out, and counted.
type StreamOver struct {
	Input Operator
	// Time is the event time, by which rows wait and are late.
	Time   *kernel.Expr
	Groups []OverGroup
	Out    []datatype.Type
	Task   *Task
	Op     int
	Marks  Watermarks

	once once
}

// The kinds of entries in the state of a StreamOver: rows that wait, under their number, which grows from row to row; rows that are looked back at, under the number of their
// group, their partition's key and a number that grows in the partition's order; and totals, under the group's number and the partition's key.
const (
	overWaiting byte = iota
	overBefore
	overTotals
)

// Types implements [Operator].
func (o *StreamOver) Types() []datatype.Type { return o.Out }

// Open implements [Operator].
func (o *StreamOver) Open(ctx context.Context) error { return o.Input.Open(ctx) }

// Close implements [Operator].
func (o *StreamOver) Close() error {
	o.once.close()
	return o.Input.Close()
}

// Next implements [Operator].
func (o *StreamOver) Next(ctx context.Context) (*vec.Batch, error) {
	return o.once.next(ctx, func() ([]*vec.Batch, error) { return o.run(ctx) })
}

// firstOf is the first of the numbers that the rows of an epoch have: those of one epoch are greater than those of the epochs before.
func (t *Task) firstOf() uint64 { return uint64(t.Epoch) << 32 }

// overRun is one epoch's work.
type overRun struct {
	*StreamOver
	store state.Store
	m     Metrics
	// gone are the rows whose use ends with this epoch.
	gone [][]byte
}

func (o *StreamOver) run(ctx context.Context) ([]*vec.Batch, error) {
	store, err := o.Task.Stores(o.Op)
	if err != nil {
		return nil, err
	}
	r := &overRun{StreamOver: o, store: store, m: Metrics{Name: "over", PartitionCount: 1}}
	fresh, err := r.take(ctx)
	if err != nil {
		return nil, err
	}
	b, err := r.due(ctx, fresh)
	if err != nil {
		return nil, err
	}
	cols := make([]*vec.Vec, len(o.Out))
	copy(cols, b.Cols)
	for i := range o.Groups {
		if b.N == 0 {
			break
		}
		g := &o.Groups[i]
		if g.Running {
			err = r.running(ctx, i, g, b, cols)
		} else {
			err = r.framed(ctx, i, g, b, cols)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, key := range r.gone {
		if err := store.Delete(key); err != nil {
			return nil, err
		}
		r.m.RowsRemoved++
	}
	r.m.RowsTotal, r.m.MemoryBytes = int64(store.Len()), store.Bytes()
	o.Task.Report(o.Op, r.m)
	out := vec.NewBatch(cols, b.N, nil)
	hold(ctx, out.Bytes)
	return split(out, o.Task.BatchRows), nil
}

// take reads the epoch's rows. Late ones and those without a time are dropped, those whose time the watermark has not passed wait in the store; the others are given.
func (r *overRun) take(ctx context.Context) (fresh []*vec.Batch, err error) {
	number := r.Task.firstOf()
	rows := vec.Rows{Exact: true}
	err = drain(ctx, r.Input, 1, func(_ int, b *vec.Batch) error {
		defer b.Release()
		time, err := r.Time.Eval(b)
		if err != nil {
			return err
		}
		if r.Marks.LateBefore > math.MinInt64 {
			late, times := lateRows(time, b.N, r.Marks.LateBefore)
			if err := r.Task.dropped(r.Op, 0, b, late, times); err != nil {
				return err
			}
		}
		rows.Encode(b.Cols, b.N)
		var now []int32
		for i := range b.N {
			if time.IsNull(i) {
				r.m.RowsUntimed++
				continue
			}
			t := time.I64[i&time.Mask()]
			switch {
			case t <= r.Marks.LateBefore:
				r.m.RowsDropped++
			case t <= r.Marks.EvictBefore:
				now = append(now, int32(i))
			default:
				if err := r.store.Put(binary.BigEndian.AppendUint64([]byte{overWaiting}, number), rows.Row(i), t); err != nil {
					return err
				}
				r.m.RowsUpdated++
			}
			number++
		}
		if now != nil {
			fresh = append(fresh, b.Take(now))
		}
		return nil
	})
	return fresh, err
}

// due puts the rows of the state whose time the watermark has passed together with the fresh ones, in the order of time, and within a time in that in which they came.
func (r *overRun) due(ctx context.Context, fresh []*vec.Batch) (*vec.Batch, error) {
	var waited []state.Entry
	if r.Marks.EvictBefore > math.MinInt64 {
		for e, err := range r.store.Expired(r.Marks.EvictBefore) {
			if err != nil {
				return nil, err
			}
			switch {
			case len(e.Key) == 1+state.Suffix && e.Key[0] == overWaiting:
				waited = append(waited, e)
				if err := r.store.Delete(e.Key); err != nil {
					return nil, err
				}
				r.m.RowsRemoved++
			case len(e.Key) >= 3+state.Suffix && e.Key[0] == overBefore:
				r.gone = append(r.gone, e.Key) // after the rows that look back at it
			default:
				return nil, errState
			}
		}
	}
	slices.SortFunc(waited, func(a, b state.Entry) int { return bytes.Compare(a.Key, b.Key) })
	values := make([][]byte, len(waited))
	for i, e := range waited {
		values[i] = e.Value
	}
	types := r.Input.Types()
	old, err := vec.Decode(types, values)
	if err != nil {
		return nil, err
	}
	b, err := vec.ConcatBatches(ctx, types, append([]*vec.Batch{vec.NewBatch(old, len(values), nil)}, fresh...))
	if err != nil {
		return nil, err
	}
	time, err := evalWhole(ctx, r.Time, b)
	if err != nil {
		return nil, err
	}
	time = time.Flat()
	order := make([]int32, b.N)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(i, j int32) int { return cmp.Compare(time.I64[i], time.I64[j]) })
	return b.Take(order), ctx.Err()
}

// partitions gives the encoded key of each row of a batch.
func (g *OverGroup) partitions(ctx context.Context, b *vec.Batch) (*vec.Rows, error) {
	keys := make([]*vec.Vec, len(g.PartitionBy))
	for i, k := range g.PartitionBy {
		v, err := evalWhole(ctx, k, b)
		if err != nil {
			return nil, err
		}
		keys[i] = v
	}
	rows := &vec.Rows{}
	rows.Encode(keys, b.N)
	return rows, nil
}

// overKey is the key of a partition's entries of a kind.
func overKey(kind byte, group int, partition []byte) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{kind}, uint16(group)), partition...)
}

// narrow gives the columns of a batch that a group reads, and nil for the others.
func (g *OverGroup) narrow(cols []*vec.Vec) []*vec.Vec {
	out := make([]*vec.Vec, len(cols))
	for _, c := range g.Columns {
		out[c] = cols[c]
	}
	return out
}

// framed computes expressions with frames that do not begin with the partition: over the rows of the epoch behind those of the state that they look back at.
func (r *overRun) framed(ctx context.Context, group int, g *OverGroup, b *vec.Batch, cols []*vec.Vec) error {
	keys, err := g.partitions(ctx, b)
	if err != nil {
		return err
	}
	t := newTable()
	var before []state.Entry
	for i := range b.N {
		if i%checkRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		key := keys.Row(i)
		if n := t.len(); int(t.group(key, vec.Hash(key))) < n {
			continue
		}
		for e, err := range r.store.Group(overKey(overBefore, group, key)) {
			if err != nil {
				return err
			}
			before = append(before, e)
		}
	}
	all := r.Input.Types()
	kept := make([]datatype.Type, len(g.Columns))
	for i, c := range g.Columns {
		kept[i] = all[c]
	}
	values := make([][]byte, len(before))
	for i, e := range before {
		values[i] = e.Value
	}
	decoded, err := vec.Decode(kept, values)
	if err != nil {
		return err
	}
	old := make([]*vec.Vec, len(all))
	for i, c := range g.Columns {
		old[c] = decoded[i]
	}
	whole, err := vec.ConcatBatches(ctx, all, []*vec.Batch{vec.NewBatch(old, len(before), nil), vec.NewBatch(g.narrow(b.Cols), b.N, nil)})
	if err != nil {
		return err
	}
	p, err := g.sort(ctx, whole)
	if err != nil {
		return err
	}
	// at is where the rows of the epoch went.
	at := make([]int32, b.N)
	for i, row := range p.order {
		if n := int(row) - len(before); n >= 0 {
			at[n] = int32(i)
		}
	}
	for i := range g.Items {
		x := &g.Items[i]
		v, err := x.eval(ctx, p)
		if err != nil {
			return err
		}
		cols[x.Column] = vec.Take(v, at)
	}
	return r.keep(ctx, group, g, p, before, keys, whole)
}

// keep writes the rows of the epoch that later ones look back at, and takes out those of the state that none does any more. Those that time ends leave by their expiry.
func (r *overRun) keep(ctx context.Context, group int, g *OverGroup, p *placed, before []state.Entry, keys *vec.Rows, whole *vec.Batch) error {
	if g.Rows == 0 || g.Span == 0 {
		return nil
	}
	stored := make([]*vec.Vec, len(g.Columns))
	for i, c := range g.Columns {
		stored[i] = whole.Cols[c]
	}
	rows := vec.Rows{Exact: true}
	rows.Encode(stored, whole.N)
	number := r.Task.firstOf()
	put := func(pos int32, expiry int64) error {
		row := int(p.order[pos])
		if row < len(before) {
			return nil // it is there
		}
		key := overKey(overBefore, group, keys.Row(row-len(before)))
		r.m.RowsUpdated++
		return r.store.Put(binary.BigEndian.AppendUint64(key, number+uint64(pos)), rows.Row(row), expiry)
	}
	if g.Span > 0 {
		time := p.cols[0]
		for pos, row := range p.order {
			expiry := time.I64[row]
			if expiry > state.Never-1-g.Span {
				expiry = state.Never - 1
			} else {
				expiry += g.Span
			}
			if expiry <= r.Marks.EvictBefore {
				continue
			}
			if err := put(int32(pos), expiry); err != nil {
				return err
			}
		}
		return nil
	}
	var valued *vec.Vec
	if g.Valued != nil {
		var err error
		if valued, err = evalWhole(ctx, g.Valued, whole); err != nil {
			return err
		}
	}
	for k := range len(p.parts) - 1 {
		left := g.Rows
		for pos := p.parts[k+1] - 1; pos >= p.parts[k]; pos-- {
			row := int(p.order[pos])
			counts := left > 0 && (valued == nil || !valued.IsNull(row))
			switch {
			case counts:
				left--
				if err := put(pos, state.Never); err != nil {
					return err
				}
			case row < len(before):
				r.gone = append(r.gone, before[row].Key)
			}
		}
	}
	return nil
}

// running computes expressions over all rows so far: they go on from the totals of their partition.
func (r *overRun) running(ctx context.Context, group int, g *OverGroup, b *vec.Batch, cols []*vec.Vec) error {
	keys, err := g.partitions(ctx, b)
	if err != nil {
		return err
	}
	p, err := g.sort(ctx, vec.NewBatch(g.narrow(b.Cols), b.N, nil))
	if err != nil {
		return err
	}
	at := make([]int32, b.N)
	for i, row := range p.order {
		at[row] = int32(i)
	}
	parts := len(p.parts) - 1
	totals, names := make([][]byte, parts), make([][]byte, parts)
	for k := range parts {
		names[k] = overKey(overTotals, group, keys.Row(int(p.order[p.parts[k]])))
		if totals[k], _, err = r.store.Get(names[k]); err != nil {
			return err
		}
	}
	next := make([][]byte, parts)
	for i := range g.Items {
		x := &g.Items[i]
		v, err := x.goOn(ctx, p, totals, next)
		if err != nil {
			return err
		}
		cols[x.Column] = vec.Take(v, at)
	}
	for k := range parts {
		if err := r.store.Put(names[k], next[k], state.Never); err != nil {
			return err
		}
		r.m.RowsUpdated++
	}
	return nil
}

// goOn computes an expression over all rows so far by position. From totals it takes what it kept of each partition, which is nil before the first row, and behind next it
// puts what it keeps of it now.
func (x *OverItem) goOn(ctx context.Context, p *placed, totals, next [][]byte) (*vec.Vec, error) {
	switch {
	case x.Func != nil:
		return x.total(ctx, p, totals, next)
	case x.Name == "nth_value":
		return x.nth(ctx, p, totals, next)
	}
	v, err := x.rank(ctx, p) // row_number, rank, dense_rank
	if err != nil {
		return nil, err
	}
	from, _, err := p.peers(ctx)
	if err != nil {
		return nil, err
	}
	// Peers come out together, so the first of these is none of a row that came out before.
	for k := range totals {
		n, err := takeNumber(&totals[k])
		if err != nil {
			return nil, err
		}
		lo, hi := p.parts[k], p.parts[k+1]
		kept := n + uint64(hi-lo)
		if x.Name == "dense_rank" {
			kept = n
			for i := lo; i < hi; i++ {
				if from[i] == i {
					kept++
				}
			}
		}
		if kept > math.MaxInt32 {
			return nil, tooManyRows(x.Name)
		}
		for i := lo; i < hi; i++ {
			v.I32[i] += int32(n)
		}
		next[k] = binary.AppendUvarint(next[k], kept)
	}
	return v, nil
}

// total goes on with an aggregate.
func (x *OverItem) total(ctx context.Context, p *placed, totals, next [][]byte) (*vec.Vec, error) {
	var args []*vec.Vec
	for _, a := range x.Func.Args {
		v, err := p.sorted(ctx, a)
		if err != nil {
			return nil, err
		}
		args = append(args, v)
	}
	rows, err := x.Func.Skip(p.b)
	if err != nil {
		return nil, err
	}
	f := framed{ctx: ctx, p: p, item: x, args: args}
	if rows != nil {
		f.skip = make([]bool, p.n)
		for i, row := range p.order {
			f.skip[i] = rows[row]
		}
	}
	if f.start, f.end, err = p.frames(ctx, x.Frame); err != nil {
		return nil, err
	}
	out := x.Func.New()
	out.Grow(p.n)
	for k := range totals {
		acc := x.Func.New()
		acc.Grow(1)
		if totals[k] != nil {
			if totals[k], err = acc.Decode(0, totals[k]); err != nil {
				return nil, err
			}
		}
		if err := f.growing(out, acc, p.parts[k], p.parts[k+1]); err != nil {
			return nil, err
		}
		next[k] = acc.Encode(0, next[k])
	}
	return out.Result(p.n)
}

// nth goes on with NTH_VALUE: the totals are how many rows have counted, and the value once it is known.
func (x *OverItem) nth(ctx context.Context, p *placed, totals, next [][]byte) (*vec.Vec, error) {
	v, err := p.sorted(ctx, x.Args[0])
	if err != nil {
		return nil, err
	}
	_, end, err := p.frames(ctx, x.Frame)
	if err != nil {
		return nil, err
	}
	known := vec.NewBuilder(x.Args[0].Type, len(totals))
	which, from := make([]int32, p.n), make([]int32, p.n)
	for k := range totals {
		n, err := takeNumber(&totals[k])
		if err != nil {
			return nil, err
		}
		found := int64(-1) // the position of the value, of this epoch
		old := n >= uint64(x.N)
		if old {
			if totals[k], err = known.AppendEncoded(totals[k]); err != nil {
				return nil, err
			}
		} else {
			known.AppendNull()
		}
		for i := p.parts[k]; i < p.parts[k+1]; i++ {
			if x.IgnoreNulls && v.IsNull(int(i)) {
				continue
			}
			if n++; n == uint64(x.N) {
				found = int64(i)
			}
		}
		for i := p.parts[k]; i < p.parts[k+1]; i++ {
			switch {
			case old:
				which[i], from[i] = 1, int32(k)
			case found >= 0 && found < int64(end[i]):
				which[i], from[i] = 0, int32(found)
			default:
				which[i] = -1
			}
		}
		next[k] = binary.AppendUvarint(next[k], n)
		switch {
		case old:
			next[k] = vec.AppendValue(next[k], known.Vec(), k)
		case found >= 0:
			next[k] = vec.AppendValue(next[k], v, int(found))
		}
	}
	return vec.Merge(x.Type, []*vec.Vec{v, known.Vec()}, which, from), nil
}

// takeNumber reads a number from totals, 0 from those of no row.
func takeNumber(b *[]byte) (uint64, error) {
	if *b == nil {
		return 0, nil
	}
	n, size := binary.Uvarint(*b)
	if size <= 0 {
		return 0, errState
	}
	*b = (*b)[size:]
	return n, nil
}

func tooManyRows(name string) error {
	e := condition.Newf(condition.ArithmeticOverflow, "A partition has more rows than an INT counts, which is what %s gives.", name)
	e.Operator, e.Hint = name, "Group the window by more, such as the day, or use expr.Count().Over, which is a BIGINT."
	return e
}
