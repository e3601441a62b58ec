package exec

import (
	"bytes"
	"context"
	"math"
	"slices"

	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/state"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// table numbers distinct rows from 0 in the order in which they come: open addressing over the rows' encodings.
type table struct {
	slots  []uint32 // group number + 1; 0 is free
	hashes []uint64 // of each group
	keys   []byte
	off    []int
}

func newTable() *table { return &table{slots: make([]uint32, 1024), off: []int{0}} }

func (t *table) len() int { return len(t.hashes) }

// bytes is the memory of the table.
func (t *table) bytes() int { return 4*cap(t.slots) + 8*cap(t.hashes) + cap(t.keys) + 8*cap(t.off) }

// key is the encoding of a group's keys.
func (t *table) key(g int) []byte { return t.keys[t.off[g]:t.off[g+1]] }

// group gives the number of a row, a new one where it is not there yet.
func (t *table) group(key []byte, hash uint64) int32 {
	mask := uint64(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := t.slots[i]
		if s == 0 {
			g := len(t.hashes)
			t.slots[i] = uint32(g + 1)
			t.hashes = append(t.hashes, hash)
			t.keys = append(t.keys, key...)
			t.off = append(t.off, len(t.keys))
			if 4*len(t.hashes) > 3*len(t.slots) {
				t.grow()
			}
			return int32(g)
		}
		if g := int(s - 1); t.hashes[g] == hash && bytes.Equal(t.key(g), key) {
			return int32(g)
		}
	}
}

// find gives the number of a row, or -1.
func (t *table) find(key []byte, hash uint64) int32 {
	mask := uint64(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := t.slots[i]
		if s == 0 {
			return -1
		}
		if g := int(s - 1); t.hashes[g] == hash && bytes.Equal(t.key(g), key) {
			return int32(g)
		}
	}
}

// groupsOf gives the numbers of n rows of keys, a piece at a time, so that a cancelled query ends between two.
func (t *table) groupsOf(ctx context.Context, keys []*vec.Vec, n int) ([]int32, error) {
	out := make([]int32, n)
	var rows vec.Rows
	some := make([]*vec.Vec, len(keys))
	for lo := 0; lo < n; lo += chainRows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(lo+chainRows, n)
		for k, v := range keys {
			some[k] = v.Slice(lo, hi)
		}
		rows.Encode(some, hi-lo)
		for i := range hi - lo {
			key := rows.Row(i)
			out[lo+i] = t.group(key, vec.Hash(key))
		}
	}
	return out, nil
}

// grow doubles the slots; the hashes are kept, so no key is hashed again.
func (t *table) grow() {
	t.slots = make([]uint32, 2*len(t.slots))
	mask := uint64(len(t.slots) - 1)
	for g, h := range t.hashes {
		i := h & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = uint32(g + 1)
	}
}

// Aggregate groups by hash. The output is the keys, then the aggregates.
//
// In a stream the groups of the epoch are cut by the late watermark first, so that a late group counts once however many rows it
// had, then merged into the store. Output follows the mode: append gives the groups that the eviction watermark finishes, update
// those that changed, complete all.
type Aggregate struct {
	Input Operator
	Task  *Task
	// Op is the operator's number in the plan's state, or -1 where it keeps none: in a batch, and over a table in a stream's plan.
	Op   int
	Keys []*kernel.Expr
	// Aggs are the aggregates; one that is nil is not needed, and its column stays nil.
	Aggs []*kernel.Aggregate
	// EventKey is the key that carries event time, or -1; EventOf reads the time at which an encoded key is finished.
	EventKey int
	// Session is the key that is a session's start, before that of its end, or -1. Groups whose sessions touch become one.
	Session int
	Marks   Watermarks
	Out     []datatype.Type

	once once
}

// partial is one goroutine's share of the groups.
type partial struct {
	t      *table    // in a stream, whose state has encoded keys
	num    numbering // in a batch
	accs   []kernel.Accumulator
	rows   vec.Rows
	groups []int32
}

// len is the number of groups.
func (p *partial) len() int {
	if p.num != nil {
		return p.num.Len()
	}
	return p.t.len()
}

// bytes is the memory of the keys and of the groups' values.
func (p *partial) bytes() int {
	n := 0
	for _, x := range p.accs {
		if x != nil {
			n += kernel.Bytes(x)
		}
	}
	if p.num != nil {
		return n + p.num.Bytes()
	}
	return n + p.t.bytes()
}

// parallelMerge is the number of groups from which on tables are merged by several goroutines.
const parallelMerge = 1 << 14

// Types implements [Operator].
func (a *Aggregate) Types() []datatype.Type { return a.Out }

// Open implements [Operator].
func (a *Aggregate) Open(ctx context.Context) error { return a.Input.Open(ctx) }

// Close implements [Operator].
func (a *Aggregate) Close() error {
	a.once.close()
	return a.Input.Close()
}

// Next implements [Operator].
func (a *Aggregate) Next(ctx context.Context) (*vec.Batch, error) {
	return a.once.next(ctx, func() ([]*vec.Batch, error) { return a.run(ctx) })
}

// newPartial makes an empty share for about so many groups.
func (a *Aggregate) newPartial(room int) *partial {
	p := &partial{}
	if a.Op >= 0 || len(a.Keys) == 0 {
		p.t = newTable()
	} else {
		p.num = newNumbering(a.keyTypes(), room)
	}
	for _, x := range a.Aggs {
		var acc kernel.Accumulator
		if x != nil {
			acc = x.New()
		}
		p.accs = append(p.accs, acc)
	}
	return p
}

func (a *Aggregate) keyTypes() []datatype.Type {
	out := make([]datatype.Type, len(a.Keys))
	for i, k := range a.Keys {
		out[i] = k.Type
	}
	return out
}

// run reads the input by several goroutines, each into a hash table of its own, and merges the tables: no lock is taken per batch,
// and
// the number of groups, not of rows, decides what merging costs. Aggregates that depend on order or remember values run in one.
func (a *Aggregate) run(ctx context.Context) ([]*vec.Batch, error) {
	workers := max(a.Task.Parallelism, 1)
	for _, x := range a.Aggs {
		if x != nil && (x.Ordered || x.Distinct) {
			workers = 1
		}
	}
	parts := make([]*partial, workers)
	for i := range parts {
		parts[i] = a.newPartial(0)
	}
	err := drain(ctx, a.Input, workers, func(w int, b *vec.Batch) error {
		defer b.Release()
		return a.update(parts[w], b)
	})
	if err != nil {
		return nil, err
	}
	total := 0
	for _, o := range parts {
		total += o.len()
	}
	hold(ctx, func() (n int) {
		for _, o := range parts {
			n += o.bytes()
		}
		return n
	})
	for _, o := range parts {
		for _, x := range o.accs {
			if x != nil {
				x.Grow(o.len())
			}
		}
	}
	if workers > 1 && parts[0].num != nil && total >= parallelMerge && a.Session < 0 {
		return a.mergeParts(ctx, parts, total)
	}
	p := parts[0]
	for _, o := range parts[1:] {
		if err := a.merge(ctx, p, o, -1, 0); err != nil {
			return nil, err
		}
	}
	if len(a.Keys) == 0 && p.t.len() == 0 {
		// Without keys there is one group, of an empty input too.
		p.t.group(nil, vec.Hash(nil))
		for _, x := range p.accs {
			if x != nil {
				x.Grow(1)
			}
		}
	}
	for _, x := range a.Aggs {
		if a.Op >= 0 && x.Distinct {
			return nil, condition.Newf(condition.StreamingUnsupported, "A distinct aggregate cannot run in a stream.")
		}
	}
	switch {
	case a.Op >= 0 && a.Session >= 0:
		return a.sessionEpoch(p)
	case a.Op >= 0:
		return a.epoch(p)
	case a.Session >= 0:
		if p, err = a.sessions(p); err != nil {
			return nil, err
		}
	}
	return a.output(p, nil)
}

// mergeParts merges tables by several goroutines, each the groups of one part of the hashes.
func (a *Aggregate) mergeParts(ctx context.Context, parts []*partial, total int) ([]*vec.Batch, error) {
	outs := make([][]*vec.Batch, len(parts))
	g := newGroup(ctx)
	for w := range parts {
		g.Go(func(ctx context.Context) (err error) {
			// The parts are about equal; a group may be in several tables.
			p := a.newPartial(total/len(parts) + total/16)
			for _, o := range parts {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := a.merge(ctx, p, o, w, len(parts)); err != nil {
					return err
				}
			}
			outs[w], err = a.output(p, nil)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return slices.Concat(outs...), nil
}

// update adds a batch to a goroutine's table.
func (a *Aggregate) update(p *partial, b *vec.Batch) error {
	var groups []int32
	if len(a.Keys) > 0 {
		keys := make([]*vec.Vec, len(a.Keys))
		for i, k := range a.Keys {
			v, err := k.Coded(b)
			if err != nil {
				return err
			}
			keys[i] = v
		}
		if a.Op >= 0 && a.EventKey >= 0 && a.Task.Mode != tree.Complete && a.Marks.LateBefore > math.MinInt64 {
			at := a.EventKey
			if a.Session >= 0 {
				at = a.Session + 1
			}
			rows, times := lateRows(keys[at], b.N, a.Marks.LateBefore)
			if err := a.Task.dropped(a.Op, 0, b, rows, times); err != nil {
				return err
			}
		}
		if cap(p.groups) < b.N {
			p.groups = make([]int32, b.N)
		}
		groups = p.groups[:b.N]
		if p.num != nil {
			p.num.Number(keys, b.N, groups, -1, 0)
		} else {
			p.rows.Encode(keys, b.N)
			for i := range groups {
				k := p.rows.Row(i)
				groups[i] = p.t.group(k, vec.Hash(k))
			}
		}
	} else if p.t.len() == 0 {
		p.t.group(nil, vec.Hash(nil))
	}
	for i, x := range a.Aggs {
		if x == nil {
			continue
		}
		args := make([]*vec.Vec, len(x.Args))
		for j, e := range x.Args {
			v, err := e.Eval(b)
			if err != nil {
				return err
			}
			args[j] = v
		}
		skip, err := x.Skip(b)
		if err != nil {
			return err
		}
		p.accs[i].Grow(p.len())
		if err := p.accs[i].Update(args, groups, skip, b.N); err != nil {
			return err
		}
	}
	return nil
}

// merge adds the groups of o to p, those of one part of the hashes where part is not negative. o stays as it is.
func (a *Aggregate) merge(ctx context.Context, p, o *partial, part, parts int) error {
	var to []int32
	if p.num != nil {
		var err error
		if to, err = p.num.Merge(ctx, o.num, part, parts); err != nil {
			return err
		}
	} else {
		to = make([]int32, o.t.len())
		for g := range to {
			if g%checkRows == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			to[g] = p.t.group(o.t.key(g), o.t.hashes[g])
		}
	}
	return a.mergeTo(p, o, to)
}

// mergeTo adds group g of o to group to[g] of p, or nowhere where that is negative.
func (a *Aggregate) mergeTo(p, o *partial, to []int32) error {
	for i, x := range p.accs {
		if x == nil {
			continue
		}
		x.Grow(p.len())
		if err := x.Merge(o.accs[i], to); err != nil {
			return err
		}
	}
	return nil
}

// output makes batches of the groups of p, those that keep names (nil for all).
func (a *Aggregate) output(p *partial, keep []int32) ([]*vec.Batch, error) {
	n := p.len()
	cols, err := a.keyColumns(p)
	if err != nil {
		return nil, err
	}
	for _, x := range p.accs {
		if x == nil {
			cols = append(cols, nil)
			continue
		}
		x.Grow(n)
		v, err := x.Result(n)
		if err != nil {
			return nil, err
		}
		cols = append(cols, v)
	}
	b := vec.NewBatch(cols, n, nil)
	if keep != nil {
		b = b.Take(keep)
	}
	for i, c := range b.Cols {
		if c != nil && !datatype.Equal(c.Type, a.Out[i]) {
			b.Cols[i] = c.WithType(a.Out[i])
		}
	}
	return split(b, a.Task.BatchRows), nil
}

// keyColumns gives the keys of the groups of p.
func (a *Aggregate) keyColumns(p *partial) ([]*vec.Vec, error) {
	if p.num != nil {
		return p.num.Columns()
	}
	rows := make([][]byte, p.t.len())
	for g := range rows {
		rows[g] = p.t.key(g)
	}
	return vec.Decode(a.keyTypes(), rows)
}

// eventTimes gives, for each encoded key, the time at which it is finished: its time stamp, or its window's end.
func eventTimes(types []datatype.Type, key int, rows [][]byte) ([]int64, error) {
	cols, err := vec.Decode(types, rows)
	if err != nil {
		return nil, err
	}
	v := cols[key]
	if v.Kids != nil {
		v = kernel.Field(v, 1)
	}
	out := make([]int64, len(rows))
	for i := range out {
		out[i] = state.Never
		if !v.IsNull(i) {
			out[i] = v.I64[i]
		}
	}
	return out, nil
}

// epoch merges the groups of an epoch into the store and gives what the output mode asks for. The late bound is looked at once per
// group, behind the partial aggregation, which is where Spark counts what it drops.
func (a *Aggregate) epoch(p *partial) ([]*vec.Batch, error) {
	if a.Task.Mode == tree.Append && a.EventKey < 0 {
		return nil, NeverFinished()
	}
	store, err := a.Task.Stores(a.Op)
	if err != nil {
		return nil, err
	}
	m := Metrics{Name: "stateStoreSave", PartitionCount: 1}
	n := p.t.len()
	expiry := make([]int64, n)
	for i := range expiry {
		expiry[i] = state.Never
	}
	if a.EventKey >= 0 {
		rows := make([][]byte, n)
		for g := range rows {
			rows[g] = p.t.key(g)
		}
		if expiry, err = eventTimes(a.keyTypes(), a.EventKey, rows); err != nil {
			return nil, err
		}
	}
	kept := make([]int32, 0, n) // never nil, which would be all groups
	var value []byte
	for g := range n {
		if a.Task.Mode != tree.Complete && a.EventKey >= 0 && expiry[g] <= a.Marks.LateBefore {
			m.RowsDropped++
			continue
		}
		kept = append(kept, int32(g))
		key := p.t.key(g)
		old, ok, err := store.Get(key)
		if err != nil {
			return nil, err
		}
		if ok {
			for _, x := range p.accs {
				if old, err = x.Decode(g, old); err != nil {
					return nil, err
				}
			}
		}
		value = value[:0]
		for _, x := range p.accs {
			value = x.Encode(g, value)
		}
		if err := store.Put(key, value, expiry[g]); err != nil {
			return nil, err
		}
		m.RowsUpdated++
	}
	var out []*vec.Batch
	evict := a.Task.Mode != tree.Complete && a.EventKey >= 0 && a.Marks.EvictBefore > math.MinInt64
	switch a.Task.Mode {
	case tree.Update:
		if out, err = a.output(p, kept); err != nil {
			return nil, err
		}
		if evict {
			if err := forget(store, a.Marks.EvictBefore, &m, nil); err != nil {
				return nil, err
			}
		}
	case tree.Append:
		if !evict {
			break
		}
		done := a.newPartial(0)
		err := forget(store, a.Marks.EvictBefore, &m, func(e state.Entry) error { return a.load(done, e.Key, e.Value) })
		if err != nil {
			return nil, err
		}
		if out, err = a.output(done, nil); err != nil {
			return nil, err
		}
	case tree.Complete:
		all := a.newPartial(0)
		for e, err := range store.All() {
			if err != nil {
				return nil, err
			}
			if err := a.load(all, e.Key, e.Value); err != nil {
				return nil, err
			}
		}
		if out, err = a.output(all, nil); err != nil {
			return nil, err
		}
	}
	m.RowsTotal, m.MemoryBytes = int64(store.Len()), store.Bytes()
	a.Task.Report(a.Op, m)
	return out, nil
}

// NeverFinished is the error of a grouping in append mode that has no event time among its keys: no watermark would ever finish its groups,
// and it would give no row.
func NeverFinished() error {
	e := condition.Newf(condition.StreamingUnsupported, "A grouping of a stream in append mode has no key with event time and a watermark, so no group would ever be finished.")
	e.Hint = "Set a Watermark and group by its column or a window of it, or write in the output mode update or complete."
	return e
}

// load adds a stored group to p.
func (a *Aggregate) load(p *partial, key, value []byte) error {
	g := int(p.t.group(key, vec.Hash(key)))
	for _, x := range p.accs {
		x.Grow(g + 1)
		var err error
		if value, err = x.Decode(g, value); err != nil {
			return err
		}
	}
	return nil
}

// errState is a stored entry that no version of the engine wrote.
var errState = condition.Newf(condition.CheckpointCorrupt, "An entry of the state cannot be read.")
