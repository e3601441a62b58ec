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
	// Panes, unless nil, are windows that hold a row each several times, while the input has each row once: in its pane, whose bounds are the keys StartKey and
	// the next. What a pane has goes into the windows that hold it.
	Panes    *Windows
	StartKey int
	Marks    Watermarks
	Out      []datatype.Type

	once once
}

// partial is one goroutine's share of the groups.
type partial struct {
	num numbering
	// cols are the keys of groups that are not looked up: num is nil then.
	cols   []*vec.Vec
	n      int // how many groups there are where num is nil: without keys there is one
	accs   []kernel.Accumulator
	groups []int32
}

// len is the number of groups.
func (p *partial) len() int {
	if p.num != nil {
		return p.num.Len()
	}
	return p.n
}

// grow makes room in the accumulators for all groups.
func (p *partial) grow() {
	for _, x := range p.accs {
		if x != nil {
			x.Grow(p.len())
		}
	}
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
		n += p.num.Bytes()
	}
	return n
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
	if len(a.Keys) > 0 {
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
		if a.Op >= 0 && x.Distinct {
			return nil, condition.Newf(condition.StreamingUnsupported, "A distinct aggregate cannot run in a stream.")
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
	hold(ctx, func() (n int) {
		for _, o := range parts {
			n += o.bytes()
		}
		return n
	})
	if a.Panes != nil {
		err := each(ctx, len(parts), func(_ context.Context, i int) (err error) {
			parts[i], err = a.spread(parts[i])
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if parts, err = a.merged(ctx, parts); err != nil {
		return nil, err
	}
	switch {
	case a.Op >= 0 && a.Session >= 0:
		return a.sessionEpoch(parts[0])
	case a.Op >= 0:
		return a.epoch(ctx, parts)
	case a.Session >= 0:
		if parts[0], err = a.sessions(parts[0]); err != nil {
			return nil, err
		}
	}
	outs := make([][]*vec.Batch, len(parts))
	err = each(ctx, len(parts), func(_ context.Context, i int) (err error) {
		outs[i], err = a.output(parts[i], nil)
		return err
	})
	return slices.Concat(outs...), err
}

// each runs f for the numbers below n, each on a goroutine of its own where there are several.
func each(ctx context.Context, n int, f func(ctx context.Context, i int) error) error {
	if n == 1 {
		return f(ctx, 0)
	}
	g := newGroup(ctx)
	for i := range n {
		g.Go(func(ctx context.Context) error { return f(ctx, i) })
	}
	return g.Wait()
}

// merged merges the tables of several goroutines: many groups into as many tables, each with one part of the hashes, and few into one.
func (a *Aggregate) merged(ctx context.Context, parts []*partial) ([]*partial, error) {
	total := 0
	for _, o := range parts {
		o.grow()
		total += o.len()
	}
	if len(parts) > 1 && parts[0].num != nil && total >= parallelMerge && a.Session < 0 {
		outs := make([]*partial, len(parts))
		return outs, each(ctx, len(parts), func(ctx context.Context, w int) error {
			// The parts are about equal; a group may be in several tables.
			outs[w] = a.newPartial(total/len(parts) + total/16)
			for _, o := range parts {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := a.merge(ctx, outs[w], o, w, len(parts)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	p := parts[0]
	for _, o := range parts[1:] {
		if err := a.merge(ctx, p, o, -1, 0); err != nil {
			return nil, err
		}
	}
	if len(a.Keys) == 0 {
		// Without keys there is one group, of an empty input too.
		p.n = 1
		p.grow()
	}
	return []*partial{p}, nil
}

// spread puts what panes have into the windows that hold them.
func (a *Aggregate) spread(p *partial) (*partial, error) {
	p.grow()
	n := p.len()
	cols, err := p.num.Columns()
	if err != nil {
		return nil, err
	}
	rows, start, end, err := a.Panes.expand(&vec.Batch{N: n}, cols[a.StartKey])
	if err != nil {
		return nil, err
	}
	keys := make([]*vec.Vec, len(cols))
	for i, c := range cols {
		switch i {
		case a.StartKey:
			keys[i] = vec.Of(c.Type, start)
		case a.StartKey + 1:
			keys[i] = vec.Of(c.Type, end)
		default:
			keys[i] = vec.Take(c, rows)
		}
	}
	q := a.newPartial(len(rows))
	windows := make([]int32, len(rows))
	q.num.Number(keys, len(rows), windows, -1, 0)
	// The windows of a pane stand together. A merge puts a group into one other, so there is one for the first windows of the panes, one for the second, and so on.
	first := make([]int, n+1)
	for _, pane := range rows {
		first[pane+1]++
	}
	for i := range n {
		first[i+1] += first[i]
	}
	to := make([]int32, n)
	for k, more := 0, true; more; k++ {
		more = false
		for pane := range to {
			to[pane] = -1
			if at := first[pane] + k; at < first[pane+1] {
				to[pane], more = windows[at], true
			}
		}
		if more {
			if err := a.mergeTo(q, p, to); err != nil {
				return nil, err
			}
		}
	}
	return q, nil
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
			if err := a.dropped(keys, b); err != nil {
				return err
			}
		}
		if a.Session >= 0 {
			keys = a.joinSessions(keys, b.N)
		}
		if cap(p.groups) < b.N {
			p.groups = make([]int32, b.N)
		}
		groups = p.groups[:b.N]
		p.num.Number(keys, b.N, groups, -1, 0)
	} else {
		p.n = 1
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

// dropped tells of the rows of a batch that are late, once for each window of theirs.
func (a *Aggregate) dropped(keys []*vec.Vec, b *vec.Batch) error {
	at := a.EventKey
	if a.Session >= 0 {
		at = a.Session + 1
	}
	rows, times := lateRows(keys[at], b.N, a.Marks.LateBefore)
	if a.Panes != nil && len(rows) > 0 {
		// A pane ends with the first of its windows.
		of, _, end, err := a.Panes.expand(&vec.Batch{N: len(rows)}, vec.Take(keys[a.StartKey], rows))
		if err != nil {
			return err
		}
		panes := rows
		rows, times = nil, nil
		for i, t := range end {
			if t <= a.Marks.LateBefore {
				rows, times = append(rows, panes[of[i]]), append(times, t)
			}
		}
	}
	return a.Task.dropped(a.Op, 0, b, rows, times)
}

// merge adds the groups of o to p, those of one part of the hashes where part is not negative. o stays as it is.
func (a *Aggregate) merge(ctx context.Context, p, o *partial, part, parts int) error {
	to := make([]int32, o.n)
	if p.num != nil {
		var err error
		if to, err = p.num.Merge(ctx, o.num, part, parts); err != nil {
			return err
		}
	} else {
		p.n = max(p.n, o.n)
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
	keys, err := p.keys()
	if err != nil {
		return nil, err
	}
	cols := slices.Clone(keys)
	p.grow()
	for _, x := range p.accs {
		if x == nil {
			cols = append(cols, nil)
			continue
		}
		v, err := x.Result(n)
		if err != nil {
			return nil, err
		}
		cols = append(cols, v)
	}
	b := vec.NewBatch(cols, n, nil)
	if keep != nil && len(keep) < n {
		b = b.Take(keep)
	}
	for i, c := range b.Cols {
		if c != nil && !datatype.Equal(c.Type, a.Out[i]) {
			b.Cols[i] = c.WithType(a.Out[i])
		}
	}
	return split(b, a.Task.BatchRows), nil
}

// keys gives the keys of the groups of p.
func (p *partial) keys() ([]*vec.Vec, error) {
	if p.num != nil {
		return p.num.Columns()
	}
	return p.cols, nil
}

// times gives, for each of n groups, the time at which it is finished: its time stamp, or its window's end.
func times(v *vec.Vec, n int) []int64 {
	if v.Kids != nil {
		v = kernel.Field(v, 1)
	}
	out, m := make([]int64, n), v.Mask()
	for i := range out {
		out[i] = state.Never
		if !v.IsNull(i) {
			out[i] = v.I64[i&m]
		}
	}
	return out
}

// changes are groups of an epoch on their way into the store: those of a part of the hashes.
type changes struct {
	p      *partial
	keys   vec.Rows
	expiry []int64  // nil where no group expires
	kept   []int32  // the groups that are not late
	old    [][]byte // what the store has of each of kept, nil for nothing
	values vec.Rows // of each of kept
}

// encode makes the keys of the groups and finds the late ones. The late bound is looked at once per group, behind the partial aggregation, which is where Spark
// counts what it drops.
func (a *Aggregate) encode(c *changes) error {
	n := c.p.len()
	cols, err := c.p.keys()
	if err != nil {
		return err
	}
	c.keys.Encode(cols, n)
	if a.EventKey >= 0 {
		c.expiry = times(cols[a.EventKey], n)
	}
	c.kept = make([]int32, 0, n) // never nil, which would be all groups
	for g := range n {
		if c.expiry == nil || a.Task.Mode == tree.Complete || c.expiry[g] > a.Marks.LateBefore {
			c.kept = append(c.kept, int32(g))
		}
	}
	return nil
}

// mergeOld adds what the store had to the groups, and encodes what it shall have.
func (a *Aggregate) mergeOld(c *changes) (err error) {
	for i, old := range c.old {
		if old == nil {
			continue
		}
		for _, x := range c.p.accs {
			if old, err = x.Decode(int(c.kept[i]), old); err != nil {
				return err
			}
		}
	}
	c.values.Off = append(make([]int, 0, len(c.kept)+1), 0)
	for _, g := range c.kept {
		if b := c.values.Buf; cap(b)-len(b) < 256 {
			c.values.Buf = slices.Grow(b, max(len(b), 1<<12)) // else it would grow by little, often
		}
		for _, x := range c.p.accs {
			c.values.Buf = x.Encode(int(g), c.values.Buf)
		}
		c.values.Off = append(c.values.Off, len(c.values.Buf))
	}
	return nil
}

// epoch merges the groups of an epoch into the store and gives what the output mode asks for. The store is one goroutine's; what stands in it is read and
// written by all.
func (a *Aggregate) epoch(ctx context.Context, parts []*partial) ([]*vec.Batch, error) {
	if a.Task.Mode == tree.Append && a.EventKey < 0 {
		return nil, NeverFinished()
	}
	store, err := a.Task.Stores(a.Op)
	if err != nil {
		return nil, err
	}
	m := Metrics{Name: "stateStoreSave", PartitionCount: 1}
	all := make([]*changes, len(parts))
	err = each(ctx, len(parts), func(_ context.Context, i int) error {
		all[i] = &changes{p: parts[i]}
		return a.encode(all[i])
	})
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		m.RowsDropped += int64(c.p.len() - len(c.kept))
		m.RowsUpdated += int64(len(c.kept))
		c.old = make([][]byte, len(c.kept))
		for i, g := range c.kept {
			if c.old[i], _, err = store.Get(c.keys.Row(int(g))); err != nil {
				return nil, err
			}
		}
	}
	if err := each(ctx, len(all), func(_ context.Context, i int) error { return a.mergeOld(all[i]) }); err != nil {
		return nil, err
	}
	for _, c := range all {
		for i, g := range c.kept {
			expiry := int64(state.Never)
			if c.expiry != nil {
				expiry = c.expiry[g]
			}
			if err := store.Put(c.keys.Row(int(g)), c.values.Row(i), expiry); err != nil {
				return nil, err
			}
		}
	}
	evict := a.Task.Mode != tree.Complete && a.EventKey >= 0 && a.Marks.EvictBefore > math.MinInt64
	var give []state.Entry
	keep := func(e state.Entry) error { give = append(give, e); return nil }
	var out []*vec.Batch
	switch a.Task.Mode {
	case tree.Update:
		for _, c := range all {
			some, err := a.output(c.p, c.kept)
			if err != nil {
				return nil, err
			}
			out = append(out, some...)
		}
		keep = nil
	case tree.Complete:
		for e, err := range store.All() {
			if err != nil {
				return nil, err
			}
			give = append(give, e)
		}
	}
	if evict {
		if err := forget(store, a.Marks.EvictBefore, &m, keep); err != nil {
			return nil, err
		}
	}
	if a.Task.Mode != tree.Update {
		if out, err = a.stored(ctx, give); err != nil {
			return nil, err
		}
	}
	m.RowsTotal, m.MemoryBytes = int64(store.Len()), store.Bytes()
	a.Task.Report(a.Op, m)
	return out, nil
}

// stored makes batches of entries of the store, in their order.
func (a *Aggregate) stored(ctx context.Context, entries []state.Entry) ([]*vec.Batch, error) {
	workers := 1
	if len(entries) >= parallelMerge {
		workers = max(a.Task.Parallelism, 1)
	}
	outs := make([][]*vec.Batch, workers)
	err := each(ctx, workers, func(_ context.Context, w int) error {
		some := entries[w*len(entries)/workers : (w+1)*len(entries)/workers]
		keys := make([][]byte, len(some))
		for i, e := range some {
			keys[i] = e.Key
		}
		p := a.newPartial(0)
		p.num, p.n = nil, len(some)
		var err error
		if p.cols, err = vec.Decode(a.keyTypes(), keys); err != nil {
			return err
		}
		p.grow()
		for i, e := range some {
			value := e.Value
			for _, x := range p.accs {
				if value, err = x.Decode(i, value); err != nil {
					return err
				}
			}
		}
		outs[w], err = a.output(p, nil)
		return err
	})
	return slices.Concat(outs...), err
}

// NeverFinished is the error of a grouping in append mode that has no event time among its keys: no watermark would ever finish its groups,
// and it would give no row.
func NeverFinished() error {
	e := condition.Newf(condition.StreamingUnsupported, "A grouping of a stream in append mode has no key with event time and a watermark, so no group would ever be finished.")
	e.Hint = "Set a Watermark and group by its column or a window of it, or write in the output mode update or complete."
	return e
}

// errState is a stored entry that no version of the engine wrote.
var errState = condition.Newf(condition.CheckpointCorrupt, "An entry of the state cannot be read.")
