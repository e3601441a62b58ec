package exec

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/state"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// StreamSide is one input of a [StreamJoin].
type StreamSide struct {
	Input Operator
	// Late is the column by which rows are too late, or -1.
	Late int
	// Expire tells when a row can meet no row of the other side any more: when the watermark passes the time in column Expire plus Delay
	// microseconds. -1 keeps rows for ever.
	Expire int
	Delay  int64
	Keys   []*kernel.Expr
}

// StreamJoin joins two streams: each new row meets the rows of the other side that are in the state, and joins them there. Rows that
// the watermark has made useless leave the state at the end of an epoch, after every new row has been joined, and those of an
// outer side that never met a partner come out with nulls then.
//
// Source: Spark's StreamingSymmetricHashJoinExec.
type StreamJoin struct {
	Left, Right StreamSide
	Kind        tree.JoinKind // inner, left outer, full outer, left semi, left anti
	NullSafe    []bool
	Residual    *kernel.Expr // over left and right columns, or nil
	Output      []tree.JoinColumn
	Out         []datatype.Type
	Task        *Task
	Op          int
	Marks       Watermarks

	once once
}

// joinRow is a row in the state. Its key in the store is its side, its join key and its number, which grows from row to row; its value whether it was matched,
// which is known where a row of its side is owed something when it is alone, and the row.
type joinRow struct {
	key     []byte
	row     []byte
	matched bool
	expiry  int64
}

func readJoinRow(e state.Entry) (joinRow, error) {
	if len(e.Key) < 1+state.Suffix || e.Key[0] > 1 || len(e.Value) < 1 {
		return joinRow{}, errState
	}
	return joinRow{e.Key, e.Value[1:], e.Value[0] == 1, e.Expiry}, nil
}

// meeting is one epoch's work on the state.
type meeting struct {
	store state.Store
	m     Metrics
	// number is that of the next row: no row of another epoch has it.
	number uint64
	// key and value are room for an entry.
	key, value []byte
}

// put writes a row to the store.
func (s *meeting) put(key, row []byte, matched bool, expiry int64) error {
	s.value = append(append(s.value[:0], boolByte(matched)), row...)
	return s.store.Put(key, s.value, expiry)
}

// rowsOf appends the rows of a side that have a join key, in the order in which they came.
func (s *meeting) rowsOf(side int, key []byte, rows []joinRow) ([]joinRow, error) {
	s.key = append(append(s.key[:0], byte(side)), key...)
	for e, err := range s.store.Group(s.key) {
		if err != nil {
			return nil, err
		}
		r, err := readJoinRow(e)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// Types implements [Operator].
func (j *StreamJoin) Types() []datatype.Type { return j.Out }

// Open implements [Operator].
func (j *StreamJoin) Open(ctx context.Context) error {
	if err := j.Left.Input.Open(ctx); err != nil {
		return err
	}
	return j.Right.Input.Open(ctx)
}

// Close implements [Operator].
func (j *StreamJoin) Close() error {
	j.once.close()
	return closeAll(j.Left.Input, j.Right.Input)
}

// Next implements [Operator].
func (j *StreamJoin) Next(ctx context.Context) (*vec.Batch, error) {
	return j.once.next(ctx, func() ([]*vec.Batch, error) { return j.run(ctx) })
}

func (j *StreamJoin) side(s int) *StreamSide {
	if s == 0 {
		return &j.Left
	}
	return &j.Right
}

// storeKey is the key of a row in the store.
func storeKey(side int, key []byte, number uint64) []byte {
	return binary.BigEndian.AppendUint64(append([]byte{byte(side)}, key...), number)
}

func boolByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// run lets the left rows of the epoch meet the right state, then the right rows the left state with the new rows in it, and only
// then
// removes what the watermark has passed. So two rows of one epoch always meet, although the watermark is past both (SPARK-26154).
func (j *StreamJoin) run(ctx context.Context) ([]*vec.Batch, error) {
	store, err := j.Task.Stores(j.Op)
	if err != nil {
		return nil, err
	}
	s := &meeting{store: store, m: Metrics{Name: "symmetricHashJoin", PartitionCount: 1}, number: uint64(j.Task.Epoch) << 32}
	var out []*vec.Batch
	for side := range 2 {
		err := drain(ctx, j.side(side).Input, 1, func(_ int, b *vec.Batch) error {
			defer b.Release()
			res, err := j.meet(s, side, b)
			if err == nil && res != nil {
				out = append(out, split(res, j.Task.BatchRows)...)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	res, err := j.evict(s)
	if err != nil {
		return nil, err
	}
	out = append(out, res...)
	s.m.RowsTotal, s.m.MemoryBytes = int64(store.Len()), store.Bytes()
	j.Task.Report(j.Op, s.m)
	return out, nil
}

// owed tells whether a row of a side is owed something that depends on whether it met a partner.
func (j *StreamJoin) owed(side int) bool {
	switch j.Kind {
	case tree.FullJoin:
		return true
	case tree.LeftJoin, tree.SemiJoin, tree.AntiJoin:
		return side == 0
	}
	return false
}

// arrivals are the rows of a batch on their way into the state.
type arrivals struct {
	b *vec.Batch
	// keys are the rows' join keys, and whole the rows.
	keys, whole vec.Rows
	// expire is when they leave the state, nil for never.
	expire *vec.Vec
	// fresh are the rows that are in time, and alone those of them whose key has a null, which meets nobody.
	fresh []int32
	alone []bool
	// met marks the rows that have met a partner.
	met []bool
}

// arrive takes the rows of a batch that are in time.
func (j *StreamJoin) arrive(s *meeting, side int, b *vec.Batch) (*arrivals, error) {
	in := j.side(side)
	r := &arrivals{b: b, whole: vec.Rows{Exact: true}, expire: timeColumn(b, in.Expire), alone: make([]bool, b.N), met: make([]bool, b.N)}
	keys := make([]*vec.Vec, len(in.Keys))
	for i, k := range in.Keys {
		v, err := k.Eval(b)
		if err != nil {
			return nil, err
		}
		keys[i] = v
		if !j.NullSafe[i] && v.Null != nil {
			for row := range r.alone {
				r.alone[row] = r.alone[row] || v.IsNull(row)
			}
		}
	}
	r.keys.Encode(keys, b.N)
	r.whole.Encode(b.Cols, b.N)
	late := timeColumn(b, in.Late)
	if late != nil && j.Marks.LateBefore > math.MinInt64 {
		rows, times := lateRows(late, b.N, j.Marks.LateBefore)
		if err := j.Task.dropped(j.Op, side, b, rows, times); err != nil {
			return nil, err
		}
	}
	r.fresh = make([]int32, 0, b.N)
	for i := range b.N {
		if late != nil && !late.IsNull(i) && late.I64[i&late.Mask()] <= j.Marks.LateBefore {
			s.m.RowsDropped++
			continue
		}
		r.fresh = append(r.fresh, int32(i))
	}
	return r, nil
}

// pairs are rows of a batch with rows of the other side's state that have their key.
type pairs struct {
	at   []int32   // the rows of the batch
	with []int32   // each one's partner
	rows []joinRow // the partners
}

// candidates finds the rows of the other side that have the keys of a batch's rows. Each key is looked up once.
func (j *StreamJoin) candidates(s *meeting, side int, r *arrivals) (p pairs, err error) {
	t := newTable()
	first := []int32{0} // of the rows of each key
	for _, i := range r.fresh {
		if r.alone[i] {
			continue
		}
		key := r.keys.Row(int(i))
		k := int(t.group(key, vec.Hash(key)))
		if k == len(first)-1 {
			if p.rows, err = s.rowsOf(1-side, key, p.rows); err != nil {
				return p, err
			}
			first = append(first, int32(len(p.rows)))
		}
		for x := first[k]; x < first[k+1]; x++ {
			if j.Kind == tree.SemiJoin && side == 1 && p.rows[x].matched {
				continue
			}
			p.at, p.with = append(p.at, i), append(p.with, x)
		}
	}
	return p, nil
}

// meet joins the rows of a batch with the other side's state and puts them into their own.
func (j *StreamJoin) meet(s *meeting, side int, b *vec.Batch) (*vec.Batch, error) {
	r, err := j.arrive(s, side, b)
	if err != nil {
		return nil, err
	}
	p, err := j.candidates(s, side, r)
	if err != nil {
		return nil, err
	}
	var res *vec.Batch
	if len(p.at) > 0 {
		if res, err = j.join(s, side, r, p); err != nil {
			return nil, err
		}
	}
	return res, j.keep(s, side, r)
}

// join gives the rows that come of pairs, and notes who met a partner.
func (j *StreamJoin) join(s *meeting, side int, r *arrivals, p pairs) (*vec.Batch, error) {
	stored := make([][]byte, len(p.rows))
	for i, x := range p.rows {
		stored[i] = x.row
	}
	old, err := vec.Decode(j.side(1-side).Input.Types(), stored)
	if err != nil {
		return nil, err
	}
	// left and right are the columns of both sides, and the rows of them that are pairs.
	left, right, leftAt, rightAt := r.b.Cols, old, p.at, p.with
	if side == 1 {
		left, right, leftAt, rightAt = right, left, rightAt, leftAt
	}
	column := func(c int, leftAt, rightAt []int32) *vec.Vec {
		if c < len(left) {
			return vec.Take(left[c], leftAt)
		}
		return vec.Take(right[c-len(left)], rightAt)
	}
	keep := make([]int32, 0, len(p.at))
	if j.Residual != nil {
		cols := make([]*vec.Vec, len(left)+len(right))
		for _, c := range j.Residual.Columns {
			cols[c] = column(c, leftAt, rightAt)
		}
		v, err := j.Residual.Eval(&vec.Batch{Cols: cols, N: len(p.at)})
		if err != nil {
			return nil, err
		}
		keep = trueRows(v, len(p.at))
	} else {
		for i := range p.at {
			keep = append(keep, int32(i))
		}
	}
	emit, err := j.matched(s, side, r, p, keep)
	if err != nil || len(emit) == 0 {
		return nil, err
	}
	leftAt, rightAt = pickAt(leftAt, emit), pickAt(rightAt, emit)
	cols := make([]*vec.Vec, len(j.Output))
	for i, c := range j.Output {
		k := c.Ordinal
		if c.FromRight {
			k += len(left)
		}
		if cols[i] = column(k, leftAt, rightAt); !datatype.Equal(cols[i].Type, j.Out[i]) {
			cols[i] = cols[i].WithType(j.Out[i])
		}
	}
	return vec.NewBatch(cols, len(emit), nil), nil
}

// pickAt gives the elements of at that keep names.
func pickAt(at, keep []int32) []int32 {
	out := make([]int32, len(keep))
	for i, k := range keep {
		out[i] = at[k]
	}
	return out
}

// matched notes the pairs that are partners, and gives those that come out.
func (j *StreamJoin) matched(s *meeting, side int, r *arrivals, p pairs, keep []int32) ([]int32, error) {
	mine, theirs := j.owed(side), j.owed(1-side)
	if !mine && !theirs {
		return keep, nil // every pair comes out, and nobody asks later who met whom
	}
	var emit []int32
	for _, k := range keep {
		i, x := p.at[k], &p.rows[p.with[k]]
		if j.Kind == tree.SemiJoin {
			// A left row comes out once, with its first partner.
			if side == 0 && r.met[i] || side == 1 && x.matched {
				continue
			}
		}
		if j.Kind != tree.AntiJoin {
			emit = append(emit, k)
		}
		r.met[i] = mine
		if !theirs || x.matched {
			continue
		}
		x.matched = true
		if j.Kind == tree.SemiJoin {
			// The left row has come out and has no further use.
			if err := s.store.Delete(x.key); err != nil {
				return nil, err
			}
			continue
		}
		if err := s.put(x.key, x.row, true, x.expiry); err != nil {
			return nil, err
		}
	}
	return emit, nil
}

// keep puts the rows of a batch that may still be of use into the state.
func (j *StreamJoin) keep(s *meeting, side int, r *arrivals) error {
	delay := j.side(side).Delay
	for _, row := range r.fresh {
		i := int(row)
		if (j.Kind == tree.SemiJoin || j.Kind == tree.AntiJoin) && side == 0 && r.met[i] {
			continue // it came out, or never will, and has no further use
		}
		s.key = append(s.key[:0], byte(side))
		if r.alone[i] {
			if side == 1 && j.Kind != tree.FullJoin || j.Kind == tree.InnerJoin || j.Kind == tree.SemiJoin {
				continue // it meets nobody and is not owed a row of nulls
			}
			s.key = append(s.key, 2) // a key that no other row has: encodings begin with 0 or 1
		}
		s.key = binary.BigEndian.AppendUint64(append(s.key, r.keys.Row(i)...), s.number)
		s.number++
		expiry := int64(state.Never)
		if r.expire != nil && !r.expire.IsNull(i) {
			expiry = r.expire.I64[i&r.expire.Mask()] + delay
		}
		if err := s.put(s.key, r.whole.Row(i), r.met[i], expiry); err != nil {
			return err
		}
		s.m.RowsUpdated++
	}
	return nil
}

func timeColumn(b *vec.Batch, c int) *vec.Vec {
	if c < 0 {
		return nil
	}
	v := b.Cols[c]
	if v.Kids != nil {
		return kernel.Field(v, 1)
	}
	return v
}

// output picks the output columns out of left and right ones.
func (j *StreamJoin) output(both *vec.Batch) *vec.Batch {
	n := len(j.Left.Input.Types())
	cols := make([]*vec.Vec, len(j.Output))
	for i, c := range j.Output {
		k := c.Ordinal
		if c.FromRight {
			k += n
		}
		cols[i] = both.Cols[k]
		if !datatype.Equal(cols[i].Type, j.Out[i]) {
			cols[i] = cols[i].WithType(j.Out[i])
		}
	}
	return vec.NewBatch(cols, both.N, nil)
}

// evict removes the rows that the watermark has passed. Those of an outer side without a partner come out with nulls.
func (j *StreamJoin) evict(s *meeting) ([]*vec.Batch, error) {
	if j.Marks.EvictBefore == math.MinInt64 {
		return nil, nil
	}
	var alone [2][][]byte
	see := func(e state.Entry) error {
		r, err := readJoinRow(e)
		if err != nil {
			return err
		}
		side := int(e.Key[0])
		outer := j.Kind == tree.FullJoin || (j.Kind == tree.LeftJoin || j.Kind == tree.AntiJoin) && side == 0
		if outer && !r.matched {
			alone[side] = append(alone[side], r.row)
		}
		return nil
	}
	if j.Kind == tree.InnerJoin || j.Kind == tree.SemiJoin {
		see = nil
	}
	if err := forget(s.store, j.Marks.EvictBefore, &s.m, see); err != nil {
		return nil, err
	}
	var out []*vec.Batch
	for side, rows := range alone {
		if len(rows) == 0 {
			continue
		}
		cols, err := vec.Decode(j.side(side).Input.Types(), rows)
		if err != nil {
			return nil, err
		}
		var nulls []*vec.Vec
		for _, t := range j.side(1 - side).Input.Types() {
			nulls = append(nulls, vec.Nulls(t, len(rows)))
		}
		if side == 0 {
			cols = append(cols, nulls...)
		} else {
			cols = append(nulls, cols...)
		}
		out = append(out, split(j.output(vec.NewBatch(cols, len(rows), nil)), j.Task.BatchRows)...)
	}
	return out, nil
}
