package exec

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/state"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Match finds runs of rows that follow a pattern, per key and in the order of a time, and gives a row for each: the key and the measures. In a stream rows wait in the state until the
// watermark has passed them, and until what begins with them is decided; then they leave it.
type Match struct {
	Input    Operator
	Keys     []*kernel.Expr
	KeyTypes []datatype.Type
	// Width is the number of the input's columns, the last of which is for the variables; In are their types, Time is the column of the order, and Columns are those that
	// conditions and measures read, with the time.
	Width   int
	In      []datatype.Type
	Time    int
	Columns []int
	Program *PatternProgram
	// Defines are the conditions by variable, nil for one that is always true.
	Defines  []*MatchExpr
	Measures []*MatchExpr
	// Within bounds a match from its first row to its last, in microseconds; 0 for no bound.
	Within int64
	Skip   tree.SkipMode
	SkipTo int
	Out    []datatype.Type
	Task   *Task
	Op     int
	Marks  Watermarks
	At     condition.Pos

	once once
}

// Types implements [Operator].
func (m *Match) Types() []datatype.Type { return m.Out }

// Open implements [Operator].
func (m *Match) Open(ctx context.Context) error { return m.Input.Open(ctx) }

// Close implements [Operator].
func (m *Match) Close() error {
	m.once.close()
	return m.Input.Close()
}

// Next implements [Operator].
func (m *Match) Next(ctx context.Context) (*vec.Batch, error) {
	return m.once.next(ctx, func() ([]*vec.Batch, error) {
		if m.Op < 0 {
			return m.batch(ctx)
		}
		return m.epoch(ctx)
	})
}

// add gives the function that adds the matches of a partition with a key.
func (m *Match) add(out *builtRows, p *partition, key []*vec.Vec) func(s int, path []int) error {
	return func(s int, path []int) error {
		last := s + len(path) - 1
		for i, e := range m.Measures {
			v, err := p.value(e, s, last, path, nil)
			if err != nil {
				return err
			}
			out.cols[len(key)+i].AppendFrom(v, 0)
		}
		for i, k := range key {
			out.cols[i].AppendFrom(k, 0)
		}
		out.end()
		return nil
	}
}

// batch finds the matches of all rows at once: none comes any more.
func (m *Match) batch(ctx context.Context) ([]*vec.Batch, error) {
	in, err := Collect(ctx, m.Input)
	if err != nil {
		return nil, err
	}
	all, err := vec.ConcatBatches(ctx, m.In, in)
	if err != nil {
		return nil, err
	}
	defer all.Release()
	hold(ctx, all.Bytes)
	keys := &vec.Rows{}
	cols, err := m.keyColumns(all)
	if err != nil {
		return nil, err
	}
	keys.Encode(cols, all.N)
	t := newTable()
	var groups [][]int32
	time := all.Cols[m.Time].Flat()
	for i := range all.N {
		if time.IsNull(i) {
			continue
		}
		key := keys.Row(i)
		g := int(t.group(key, vec.Hash(key)))
		if g == len(groups) {
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], int32(i))
	}
	out := newBuiltRows(m.Out, m.Task.BatchRows)
	for _, idx := range groups {
		slices.SortStableFunc(idx, func(a, b int32) int { return cmp.Compare(time.I64[a], time.I64[b]) })
		rows := &vec.Batch{Cols: make([]*vec.Vec, m.Width), N: len(idx)}
		for _, c := range m.Columns {
			rows.Cols[c] = vec.Take(all.Cols[c], idx)
		}
		p := newPartition(ctx, m, rows)
		key := make([]*vec.Vec, len(cols))
		for i, c := range cols {
			key[i] = vec.Take(c, idx[:1])
		}
		if _, err := p.run(rows.N, math.MaxInt64, m.add(out, p, key)); err != nil {
			return nil, err
		}
	}
	return out.all(), nil
}

func (m *Match) keyColumns(b *vec.Batch) ([]*vec.Vec, error) {
	out := make([]*vec.Vec, len(m.Keys))
	for i, k := range m.Keys {
		v, err := k.Eval(b)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

// The kinds of entries of a pattern's state, the first byte of their keys. Behind it stands the encoded key.
const (
	// MatchRow is a row that waits, by its number.
	MatchRow byte = 'R'
	// MatchKey is what is known of a key: the number of its next row, and the moment at which it is looked at, by the watermark.
	MatchKey byte = 'K'
)

// matchKey is a key's entry.
type matchKey struct {
	key  []byte
	next uint64
	wake int64
}

func (k *matchKey) put(store state.Store) error {
	value := binary.BigEndian.AppendUint64(nil, k.next)
	value = binary.BigEndian.AppendUint64(value, uint64(k.wake))
	return store.Put(append([]byte{MatchKey}, k.key...), value, k.wake)
}

func readMatchKey(key, value []byte) (*matchKey, error) {
	if len(key) < 1 || len(value) != 16 {
		return nil, errState
	}
	return &matchKey{slices.Clone(key[1:]), binary.BigEndian.Uint64(value), int64(binary.BigEndian.Uint64(value[8:]))}, nil
}

// epoch puts the rows of an epoch into the state and looks at the keys whose rows the watermark has passed.
func (m *Match) epoch(ctx context.Context) ([]*vec.Batch, error) {
	store, err := m.Task.Stores(m.Op)
	if err != nil {
		return nil, err
	}
	stats := Metrics{Name: "matchRecognize", PartitionCount: 1}
	if err := m.store(ctx, store, &stats); err != nil {
		return nil, err
	}
	var due []*matchKey
	if m.Marks.EvictBefore > math.MinInt64 {
		for e, err := range store.Expired(m.Marks.EvictBefore) {
			if err != nil {
				return nil, err
			}
			k, err := readMatchKey(e.Key, e.Value)
			if err != nil {
				return nil, err
			}
			due = append(due, k)
		}
	}
	// The order of the matches is the same on every store.
	slices.SortFunc(due, func(a, b *matchKey) int { return cmp.Or(cmp.Compare(a.wake, b.wake), bytes.Compare(a.key, b.key)) })
	out := newBuiltRows(m.Out, m.Task.BatchRows)
	for _, k := range due {
		if err := m.wake(ctx, store, k, out, &stats); err != nil {
			return nil, err
		}
	}
	stats.RowsTotal, stats.MemoryBytes = int64(store.Len()), store.Bytes()
	m.Task.Report(m.Op, stats)
	return out.all(), nil
}

// store puts the rows of an epoch into the state.
func (m *Match) store(ctx context.Context, store state.Store, stats *Metrics) error {
	known := map[string]*matchKey{}
	var order []*matchKey
	err := drain(ctx, m.Input, 1, func(_ int, b *vec.Batch) error {
		defer b.Release()
		cols, err := m.keyColumns(b)
		if err != nil {
			return err
		}
		keys, rows := vec.Rows{}, vec.Rows{Exact: true}
		keys.Encode(cols, b.N)
		row := make([]*vec.Vec, len(m.Columns))
		for i, c := range m.Columns {
			row[i] = b.Cols[c]
		}
		rows.Encode(row, b.N)
		time := b.Cols[m.Time].Flat()
		if m.Marks.LateBefore > math.MinInt64 {
			late, times := lateRows(time, b.N, m.Marks.LateBefore)
			if err := m.Task.dropped(m.Op, 0, b, late, times); err != nil {
				return err
			}
		}
		for i := range b.N {
			if time.IsNull(i) {
				continue
			}
			t := time.I64[i]
			if t <= m.Marks.LateBefore {
				stats.RowsDropped++
				continue
			}
			key := keys.Row(i)
			k := known[string(key)]
			if k == nil {
				at := append([]byte{MatchKey}, key...)
				value, there, err := store.Get(at)
				if err != nil {
					return err
				}
				if k = (&matchKey{key: at[1:], wake: state.Never}); there {
					if k, err = readMatchKey(at, value); err != nil {
						return err
					}
				}
				known[string(key)] = k
				order = append(order, k)
			}
			if err := store.Put(k.row(k.next), rows.Row(i), state.Never); err != nil {
				return err
			}
			stats.RowsUpdated++
			k.next++
			k.wake = min(k.wake, t)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, k := range order {
		if err := k.put(store); err != nil {
			return err
		}
	}
	return nil
}

// row is the key of a row in the store.
func (k *matchKey) row(number uint64) []byte {
	return binary.BigEndian.AppendUint64(append([]byte{MatchRow}, k.key...), number)
}

// wake looks at the rows of a key which the watermark has passed.
func (m *Match) wake(ctx context.Context, store state.Store, k *matchKey, out *builtRows, stats *Metrics) error {
	var names, values [][]byte
	for e, err := range store.Group(append([]byte{MatchRow}, k.key...)) {
		if err != nil {
			return err
		}
		names, values = append(names, e.Key), append(values, e.Value)
	}
	types := make([]datatype.Type, len(m.Columns))
	for i, c := range m.Columns {
		types[i] = m.In[c]
	}
	cols, err := vec.Decode(types, values)
	if err != nil {
		return errors.Join(errState, err)
	}
	time := cols[slices.Index(m.Columns, m.Time)]
	// Rows stand in the order of their numbers, which is the order in which they came.
	idx := make([]int32, len(values))
	for i := range idx {
		idx[i] = int32(i)
	}
	slices.SortStableFunc(idx, func(a, b int32) int { return cmp.Compare(time.I64[a], time.I64[b]) })
	rows := &vec.Batch{Cols: make([]*vec.Vec, m.Width), N: len(idx)}
	for i, c := range m.Columns {
		rows.Cols[c] = vec.Take(cols[i], idx)
	}
	key, err := vec.Decode(m.KeyTypes, [][]byte{k.key})
	if err != nil {
		return errors.Join(errState, err)
	}
	p := newPartition(ctx, m, rows)
	released := sortedAfter(p.time, m.Marks.EvictBefore)
	done, err := p.run(released, m.Marks.EvictBefore, m.add(out, p, key))
	if err != nil {
		return err
	}
	for _, i := range idx[:done] {
		stats.RowsRemoved++
		if err := store.Delete(names[i]); err != nil {
			return err
		}
	}
	if done == rows.N {
		return store.Delete(append([]byte{MatchKey}, k.key...))
	}
	// What begins with the first row is decided by the next row, or when the bound of the match has passed.
	k.wake = state.Never
	if released < rows.N {
		k.wake = p.time[released]
	}
	if done < released {
		if last := p.time[done] + m.Within; last > p.time[done] {
			k.wake = min(k.wake, last)
		}
	}
	return k.put(store)
}
