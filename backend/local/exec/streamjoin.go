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
// and the row.
type joinRow struct {
	key     []byte
	row     []byte
	matched bool
	expiry  int64
}

func readJoinRow(e state.Entry) (*joinRow, error) {
	if len(e.Key) < 1+state.Suffix || e.Key[0] > 1 || len(e.Value) < 1 {
		return nil, errState
	}
	return &joinRow{e.Key, e.Value[1:], e.Value[0] == 1, e.Expiry}, nil
}

// put writes a row to the store.
func (r *joinRow) put(store state.Store) error {
	return store.Put(r.key, append([]byte{boolByte(r.matched)}, r.row...), r.expiry)
}

// meeting is one epoch's work on the state.
type meeting struct {
	store state.Store
	m     Metrics
	// number is that of the next row: no row of another epoch has it.
	number uint64
}

// rowsOf gives the rows of a side that have a join key, in the order in which they came. found has those that were looked up.
func (s *meeting) rowsOf(side int, key []byte, found map[string][]*joinRow) ([]*joinRow, error) {
	if rows, ok := found[string(key)]; ok {
		return rows, nil
	}
	var rows []*joinRow
	for e, err := range s.store.Group(append([]byte{byte(side)}, key...)) {
		if err != nil {
			return nil, err
		}
		r, err := readJoinRow(e)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	found[string(key)] = rows
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

// meet joins the rows of a batch with the other side's state and puts them into their own.
func (j *StreamJoin) meet(s *meeting, side int, b *vec.Batch) (*vec.Batch, error) {
	in, other := j.side(side), 1-side
	keys := make([]*vec.Vec, len(in.Keys))
	for i, k := range in.Keys {
		v, err := k.Eval(b)
		if err != nil {
			return nil, err
		}
		keys[i] = v
	}
	rows, whole := vec.Rows{}, vec.Rows{Exact: true}
	rows.Encode(keys, b.N)
	whole.Encode(b.Cols, b.N)
	late, expire := timeColumn(b, in.Late), timeColumn(b, in.Expire)
	if late != nil && j.Marks.LateBefore > math.MinInt64 {
		rows, times := lateRows(late, b.N, j.Marks.LateBefore)
		if err := j.Task.dropped(j.Op, side, b, rows, times); err != nil {
			return nil, err
		}
	}
	var at []int32      // rows of b that have a candidate
	var with []*joinRow // the candidates
	var fresh []int32   // rows of b that are in time
	var stored [][]byte // the candidates' encodings
	found := map[string][]*joinRow{}
	nullKey := func(i int) bool {
		for k, v := range keys {
			if !j.NullSafe[k] && v.IsNull(i) {
				return true
			}
		}
		return false
	}
	for i := range b.N {
		if late != nil && !late.IsNull(i) && late.I64[i&late.Mask()] <= j.Marks.LateBefore {
			s.m.RowsDropped++
			continue
		}
		fresh = append(fresh, int32(i))
		if nullKey(i) {
			continue
		}
		partners, err := s.rowsOf(other, rows.Row(i), found)
		if err != nil {
			return nil, err
		}
		for _, r := range partners {
			if j.Kind == tree.SemiJoin && side == 1 && r.matched {
				continue
			}
			at, with, stored = append(at, int32(i)), append(with, r), append(stored, r.row)
		}
	}
	met := make([]bool, b.N)
	var res *vec.Batch
	if len(at) > 0 {
		both, err := j.both(side, b, at, stored)
		if err != nil {
			return nil, err
		}
		keep := make([]int32, 0, len(at))
		if j.Residual != nil {
			v, err := j.Residual.Eval(both)
			if err != nil {
				return nil, err
			}
			keep = trueRows(v, both.N)
		} else {
			for i := range at {
				keep = append(keep, int32(i))
			}
		}
		var emit []int32
		for _, k := range keep {
			i, r := at[k], with[k]
			if j.Kind == tree.SemiJoin {
				// A left row comes out once, with its first partner.
				if side == 0 && met[i] || side == 1 && r.matched {
					continue
				}
			}
			if j.Kind != tree.AntiJoin {
				emit = append(emit, k)
			}
			met[i] = true
			switch {
			case r.matched:
			case j.Kind == tree.SemiJoin && side == 1:
				// The left row has come out and has no further use.
				r.matched = true
				if err := s.store.Delete(r.key); err != nil {
					return nil, err
				}
			default:
				r.matched = true
				if err := r.put(s.store); err != nil {
					return nil, err
				}
			}
		}
		if len(emit) > 0 {
			res = j.output(both.Take(emit))
		}
	}
	for _, i := range fresh {
		if (j.Kind == tree.SemiJoin || j.Kind == tree.AntiJoin) && side == 0 && met[i] {
			continue // it came out, or never will, and has no further use
		}
		key := rows.Row(int(i))
		if nullKey(int(i)) {
			if side == 1 && j.Kind != tree.FullJoin || j.Kind == tree.InnerJoin || j.Kind == tree.SemiJoin {
				continue // it meets nobody and is not owed a row of nulls
			}
			key = append([]byte{2}, key...) // a key that no other row has: encodings begin with 0 or 1
		}
		r := &joinRow{key: storeKey(side, key, s.number), row: whole.Row(int(i)), matched: met[i], expiry: state.Never}
		s.number++
		if expire != nil && !expire.IsNull(int(i)) {
			r.expiry = expire.I64[int(i)&expire.Mask()] + in.Delay
		}
		if err := r.put(s.store); err != nil {
			return nil, err
		}
		s.m.RowsUpdated++
	}
	return res, nil
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

// both makes the rows of left and right columns for pairs of a batch's rows with stored rows of the other side.
func (j *StreamJoin) both(side int, b *vec.Batch, at []int32, stored [][]byte) (*vec.Batch, error) {
	old, err := vec.Decode(j.side(1-side).Input.Types(), stored)
	if err != nil {
		return nil, err
	}
	now := b.Take(at).Cols
	if side == 0 {
		return vec.NewBatch(append(now, old...), len(at), nil), nil
	}
	return vec.NewBatch(append(old, now...), len(at), nil), nil
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
	err := forget(s.store, j.Marks.EvictBefore, &s.m, func(e state.Entry) error {
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
	})
	if err != nil {
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
