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

// joinRow is a row in the state.
type joinRow struct {
	id      uint64
	row     []byte
	matched bool
	expiry  int64
	gone    bool
}

// joinState is the index over the store's rows; it lives as long as the run of the query.
type joinState struct {
	next uint64
	// byKey are the rows of each side by the encoded join key, byID by their number.
	byKey [2]map[string][]*joinRow
	byID  map[uint64]*joinRow
	keys  map[uint64]string
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

// load finds the index of the run, or makes it from the store.
func (j *StreamJoin) load(store state.Store) (*joinState, error) {
	memo := -1 - j.Op // numbers above zero are the tables of static sides
	if s, ok := j.Task.Memo[memo].(*joinState); ok {
		return s, nil
	}
	s := &joinState{byKey: [2]map[string][]*joinRow{{}, {}}, byID: map[uint64]*joinRow{}, keys: map[uint64]string{}}
	for k, v := range store.All() {
		if len(k) != 9 || len(v) < 13 {
			return nil, errState
		}
		side := int(k[0])
		r := &joinRow{id: binary.BigEndian.Uint64(k[1:]), matched: v[0] == 1, expiry: int64(binary.LittleEndian.Uint64(v[1:]))}
		n := int(binary.LittleEndian.Uint32(v[9:]))
		if side > 1 || len(v) < 13+n {
			return nil, errState
		}
		key := string(v[13 : 13+n])
		r.row = append([]byte(nil), v[13+n:]...)
		s.add(side, key, r)
		s.next = max(s.next, r.id+1)
	}
	for side := range s.byKey {
		for _, rows := range s.byKey[side] {
			sortRows(rows)
		}
	}
	if j.Task.Memo != nil {
		j.Task.Memo[memo] = s
	}
	return s, nil
}

// sortRows puts rows in the order in which they came: they are few per key and mostly in order.
func sortRows(rows []*joinRow) {
	for i := 1; i < len(rows); i++ {
		for k := i; k > 0 && rows[k].id < rows[k-1].id; k-- {
			rows[k], rows[k-1] = rows[k-1], rows[k]
		}
	}
}

func (s *joinState) add(side int, key string, r *joinRow) {
	s.byKey[side][key] = append(s.byKey[side][key], r)
	s.byID[r.id] = r
	s.keys[r.id] = key
}

// remove takes a row out of the index and gives it, or nil.
func (s *joinState) remove(side int, id uint64) *joinRow {
	r := s.byID[id]
	if r == nil {
		return nil
	}
	key := s.keys[id]
	delete(s.byID, id)
	delete(s.keys, id)
	r.gone = true
	rows := s.byKey[side][key]
	kept := rows[:0]
	for _, x := range rows {
		if x != r {
			kept = append(kept, x)
		}
	}
	if len(kept) == 0 {
		delete(s.byKey[side], key)
	} else {
		s.byKey[side][key] = kept
	}
	return r
}

// storeKey is the key of a row in the store: its side and its number.
func storeKey(side int, id uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{byte(side)}, id)
}

// put writes a row to the store: whether it was matched, its expiry, its join key and its columns.
func (s *joinState) put(store state.Store, side int, r *joinRow) {
	key := s.keys[r.id]
	v := make([]byte, 0, 13+len(key)+len(r.row))
	v = append(v, boolByte(r.matched))
	v = binary.LittleEndian.AppendUint64(v, uint64(r.expiry))
	v = binary.LittleEndian.AppendUint32(v, uint32(len(key)))
	v = append(append(v, key...), r.row...)
	store.Put(storeKey(side, r.id), v, r.expiry)
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
	s, err := j.load(store)
	if err != nil {
		return nil, err
	}
	m := Metrics{Name: "symmetricHashJoin", PartitionCount: 1}
	var out []*vec.Batch
	for side := range 2 {
		err := drain(ctx, j.side(side).Input, 1, func(_ int, b *vec.Batch) error {
			defer b.Release()
			res, err := j.meet(s, store, side, b, &m)
			if err == nil && res != nil {
				out = append(out, split(res, j.Task.BatchRows)...)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	res, err := j.evict(s, store, &m)
	if err != nil {
		return nil, err
	}
	out = append(out, res...)
	m.RowsTotal, m.MemoryBytes = int64(store.Len()), store.Bytes()
	j.Task.Report(j.Op, m)
	return out, nil
}

// meet joins the rows of a batch with the other side's state and puts them into their own.
func (j *StreamJoin) meet(s *joinState, store state.Store, side int, b *vec.Batch, m *Metrics) (*vec.Batch, error) {
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
	var at []int32      // rows of b that have a candidate
	var with []*joinRow // the candidates
	var fresh []int32   // rows of b that are in time
	var stored [][]byte // the candidates' encodings
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
			m.RowsDropped++
			continue
		}
		fresh = append(fresh, int32(i))
		if nullKey(i) {
			continue
		}
		for _, r := range s.byKey[other][string(rows.Row(i))] {
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
			if !r.matched {
				r.matched = true
				s.put(store, other, r)
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
		r := &joinRow{id: s.next, row: append([]byte(nil), whole.Row(int(i))...), matched: met[i], expiry: state.Never}
		s.next++
		if expire != nil && !expire.IsNull(int(i)) {
			r.expiry = expire.I64[int(i)&expire.Mask()] + in.Delay
		}
		key := string(rows.Row(int(i)))
		if nullKey(int(i)) {
			if side == 1 && j.Kind != tree.FullJoin || j.Kind == tree.InnerJoin || j.Kind == tree.SemiJoin {
				continue // it meets nobody and is not owed a row of nulls
			}
			key = "\x02" + key // a key that no other row has: encodings begin with 0 or 1
		}
		s.add(side, key, r)
		s.put(store, side, r)
		m.RowsUpdated++
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
func (j *StreamJoin) evict(s *joinState, store state.Store, m *Metrics) ([]*vec.Batch, error) {
	if j.Marks.EvictBefore == math.MinInt64 {
		return nil, nil
	}
	var alone [2][][]byte
	for k := range store.Expired(j.Marks.EvictBefore) {
		side := int(k[0])
		r := s.remove(side, binary.BigEndian.Uint64(k[1:]))
		store.Delete(k)
		m.RowsRemoved++
		outer := j.Kind == tree.FullJoin || (j.Kind == tree.LeftJoin || j.Kind == tree.AntiJoin) && side == 0
		if r != nil && outer && !r.matched {
			alone[side] = append(alone[side], r.row)
		}
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
