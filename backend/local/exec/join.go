package exec

import (
	"context"
	"sync"

	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// JoinKey is an equality between the sides: expressions over the left and the right input.
type JoinKey struct {
	Left, Right *kernel.Expr
	// NullSafe lets nulls meet (<=>).
	NullSafe bool
}

// Join pairs rows by hash: the right side is read whole, then the left passes by. Kinds: inner, left outer, full outer, left
// semi, left anti, cross; a right join is planned as a left one with its sides changed.
type Join struct {
	Left, Right Operator
	Kind        tree.JoinKind
	Keys        []JoinKey
	// Residual is the rest of the condition over the left columns and then the right ones; nil for none.
	Residual *kernel.Expr
	// Need are the columns of left and right that are read after the join or by the residual; the others stay nil.
	Need []bool
	// Output are the columns in order; semi and anti joins give the left ones.
	Output []tree.JoinColumn
	Out    []datatype.Type
	Task   *Task
	// Any gives a left row one partner at most: the first right row of its key, in the order First. Such a join has keys, and its residual looks
	// at left columns alone.
	Any   bool
	First []SortKey
	// Keep, in a stream, is the memo under which the table of a static right side is kept for the next epochs; 0 for none.
	Keep int
	// Sieves are filled with values of the right side, by the column's ordinal, before the left side is opened.
	Sieves map[int]*Sieve

	ctx     context.Context
	opened  bool       // the left side
	full    sync.Mutex // held around each step of a full join
	mu      sync.Mutex
	build   *hashTable
	err     error
	pending []*vec.Batch // parts of a left batch that are still to be paired
	matched []bool       // right rows that found a partner, for a full join
	flushed bool
}

// hashTable is the right side: its rows in one batch, and for each key the chain of its rows.
type hashTable struct {
	rows *vec.Batch
	// parts are the keys by the upper bits of their hashes, so that several goroutines make them.
	parts []hashPart
	next  []int32 // the following row of the same key, or -1
	dup   int     // about how many rows a key has
}

// hashPart is the part of the keys with some hashes.
type hashPart struct {
	keys  numbering
	heads []int32 // first row of each key
}

// bytes is the memory of the rows, the chains and the keys.
func (t *hashTable) bytes() int {
	n := t.rows.Bytes() + 4*len(t.next)
	for _, p := range t.parts {
		n += 4*cap(p.heads) + p.keys.Bytes()
	}
	return n
}

// parallelBuild is the number of rows from which on a hash table is made by several goroutines.
const parallelBuild = 1 << 15

// Types implements [Operator].
func (j *Join) Types() []datatype.Type { return j.Out }

// Open implements [Operator].
func (j *Join) Open(ctx context.Context) error {
	j.ctx = ctx
	if j.Keep > 0 && j.Task.Memo != nil {
		if t, ok := j.Task.Memo[j.Keep].(*hashTable); ok {
			j.build, j.opened = t, true
			return j.Left.Open(ctx)
		}
	}
	if err := j.Right.Open(ctx); err != nil {
		return err
	}
	if j.Task.Stream {
		j.opened = true
		return j.Left.Open(ctx)
	}
	// In a batch the left side begins when the right one is there: it may have less to read then.
	return nil
}

// Close implements [Operator].
func (j *Join) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, b := range j.pending {
		b.Release()
	}
	j.pending = nil
	if j.build != nil && (j.Keep == 0 || j.Task.Memo == nil) {
		j.build.rows.Release()
	}
	return closeAll(j.Left, j.Right)
}

// prepare makes the hash table, or takes that of an earlier epoch. The error is kept: the right side cannot be read twice.
func (j *Join) prepare(ctx context.Context) error {
	if j.build != nil || j.err != nil {
		return j.err
	}
	t, err := j.read(ctx)
	if err != nil {
		j.err = err
		return err
	}
	j.build = t
	if j.Keep > 0 && j.Task.Memo != nil {
		j.Task.Memo[j.Keep] = t
	}
	if j.Kind == tree.FullJoin {
		j.matched = make([]bool, t.rows.N)
	}
	if !j.opened {
		j.opened = true
		if err := j.Left.Open(j.ctx); err != nil {
			j.err = err
			return err
		}
	}
	return nil
}

// read reads the right side whole and chains the rows of each key.
func (j *Join) read(ctx context.Context) (*hashTable, error) {
	var mu sync.Mutex
	var parts []*vec.Batch
	err := drain(ctx, j.Right, j.Task.Parallelism, func(_ int, b *vec.Batch) error {
		mu.Lock()
		defer mu.Unlock()
		parts = append(parts, b)
		return nil
	})
	if err != nil {
		for _, b := range parts {
			b.Release()
		}
		return nil, err
	}
	rows, err := vec.ConcatBatches(ctx, j.Right.Types(), parts)
	if err != nil {
		return nil, err
	}
	t := &hashTable{rows: rows, dup: 1}
	if len(j.Keys) == 0 {
		hold(ctx, t.bytes)
		return t, nil
	}
	keys := make([]*vec.Vec, len(j.Keys))
	for i, k := range j.Keys {
		v, err := evalWhole(ctx, k.Right, t.rows)
		if err != nil {
			t.rows.Release()
			return nil, err
		}
		keys[i] = v
	}
	for c, s := range j.Sieves {
		s.fill(t.rows.Cols[c], t.rows.N)
	}
	if err := j.chain(ctx, t, keys); err != nil {
		t.rows.Release()
		return nil, err
	}
	hold(ctx, t.bytes)
	return t, nil
}

// keyTypes are the types in which keys of both sides are looked up: of two decimals the wider one.
func (j *Join) keyTypes() []datatype.Type {
	out := make([]datatype.Type, len(j.Keys))
	for i, k := range j.Keys {
		out[i] = k.Right.Type
		l, ok1 := k.Left.Type.(datatype.Decimal)
		r, ok2 := k.Right.Type.(datatype.Decimal)
		if ok1 && ok2 && l.Precision > r.Precision {
			out[i] = l
		}
	}
	return out
}

// chain numbers the keys of the right rows and makes a chain of the rows of each.
func (j *Join) chain(ctx context.Context, t *hashTable, keys []*vec.Vec) error {
	n := t.rows.N
	t.next = make([]int32, n)
	parts := 1
	if n >= parallelBuild {
		parts = max(j.Task.Parallelism, 1)
	}
	t.parts = make([]hashPart, parts)
	// order, where it is asked for, is that in which the rows of a key are looked at.
	var order []int32
	if j.Any {
		var err error
		if order, err = Order(ctx, t.rows, j.First, j.Task.Parallelism); err != nil {
			return err
		}
	}
	g := newGroup(ctx)
	for w := range t.parts {
		g.Go(func(ctx context.Context) error {
			p := &t.parts[w]
			p.keys = newNumbering(j.keyTypes(), n/parts)
			part := w
			if parts == 1 {
				part = -1
			}
			numbers := make([]int32, chainRows)
			// From the last rows to the first, so that a chain runs in the order of the rows.
			for hi := n; hi > 0; hi -= chainRows {
				if err := ctx.Err(); err != nil {
					return err
				}
				lo := max(hi-chainRows, 0)
				some := make([]*vec.Vec, len(keys))
				for k, v := range keys {
					if order != nil {
						some[k] = vec.Take(v, order[lo:hi])
					} else {
						some[k] = v.Slice(lo, hi)
					}
				}
				got := numbers[:hi-lo]
				p.keys.Number(some, hi-lo, got, part, parts)
				for at := hi - 1; at >= lo; at-- {
					number, i := got[at-lo], at
					if number < 0 {
						continue
					}
					if order != nil {
						i = int(order[at])
					}
					t.next[i] = -1
					for len(p.heads) <= int(number) {
						p.heads = append(p.heads, -1)
					}
					if nullKey(j.Keys, keys, i) {
						continue
					}
					if j.Any {
						p.heads[number] = int32(i) // a chain of one
						continue
					}
					t.next[i], p.heads[number] = p.heads[number], int32(i)
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	distinct := 0
	for _, p := range t.parts {
		distinct += len(p.heads)
	}
	if distinct > 0 {
		t.dup = (n + distinct - 1) / distinct
	}
	return nil
}

// chainRows is how many rows are numbered at once.
const chainRows = 8192

// find gives for n rows the first right row of their keys, or -1.
func (t *hashTable) find(keys []*vec.Vec, n int) []int32 {
	out := make([]int32, n)
	if len(t.parts) == 1 {
		p := &t.parts[0]
		p.keys.Find(keys, n, out)
		for i, g := range out {
			if g >= 0 {
				out[i] = p.heads[g]
			}
		}
		return out
	}
	got := make([]int32, n)
	for w := range t.parts {
		p := &t.parts[w]
		if w == 0 {
			p.keys.Find(keys, n, out)
			for i, g := range out {
				if g >= 0 {
					out[i] = p.heads[g]
				}
			}
			continue
		}
		p.keys.Find(keys, n, got)
		for i, g := range got {
			if g >= 0 {
				out[i] = p.heads[g]
			}
		}
	}
	return out
}

// nullKey tells whether a row can meet nobody because a key is null.
func nullKey(by []JoinKey, keys []*vec.Vec, i int) bool {
	for k, v := range keys {
		if !by[k].NullSafe && v.IsNull(i) {
			return true
		}
	}
	return false
}

// Next implements [Operator].
func (j *Join) Next(ctx context.Context) (*vec.Batch, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		part, err := j.next(ctx)
		if err != nil {
			return nil, err
		}
		out, more, err := j.serially(ctx, func() (*vec.Batch, bool, error) { return j.step(ctx, part) })
		if err != nil || out != nil || !more {
			return out, err
		}
	}
}

// next reads the right side, once, and gives a part of a left batch that is still to be paired, or nil.
func (j *Join) next(ctx context.Context) (*vec.Batch, error) {
	lock(ctx, &j.mu)
	defer j.mu.Unlock()
	if err := j.prepare(ctx); err != nil {
		return nil, err
	}
	n := len(j.pending)
	if n == 0 {
		return nil, nil
	}
	part := j.pending[n-1]
	j.pending = j.pending[:n-1]
	return part, nil
}

// serially runs f for one caller at a time where it is a full join, which has to know when the last pair was made.
func (j *Join) serially(ctx context.Context, f func() (*vec.Batch, bool, error)) (*vec.Batch, bool, error) {
	if j.Kind == tree.FullJoin {
		lock(ctx, &j.full)
		defer j.full.Unlock()
	}
	return f()
}

// push keeps parts of a left batch for later.
func (j *Join) push(parts []*vec.Batch) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.pending = append(j.pending, parts...)
}

// step pairs one part of the left side; without rows and without more the join is at its end.
func (j *Join) step(ctx context.Context, part *vec.Batch) (out *vec.Batch, more bool, err error) {
	if part == nil {
		b, err := j.Left.Next(ctx)
		if err != nil {
			return nil, false, err
		}
		if b == nil {
			if j.Kind == tree.FullJoin && !j.flushed {
				j.flushed = true
				return j.unmatched(), false, nil
			}
			return nil, false, nil
		}
		// A left batch is cut so that its pairs are about one batch too.
		per := j.build.dup
		if len(j.Keys) == 0 {
			per = max(j.build.rows.N, 1)
		}
		parts := split(b, max(j.Task.BatchRows*2/per, 1))
		part = parts[0]
		if len(parts) > 1 {
			j.push(parts[1:])
		}
	}
	out, err = j.pair(part)
	return out, true, err
}

// pair joins a part of the left side, which it takes over.
func (j *Join) pair(b *vec.Batch) (*vec.Batch, error) {
	fail := func(err error) (*vec.Batch, error) {
		b.Release()
		return nil, err
	}
	t := j.build
	var left, right []int32
	switch {
	case len(j.Keys) == 0:
		left, right = make([]int32, 0, b.N*t.rows.N), make([]int32, 0, b.N*t.rows.N)
		for i := range b.N {
			for r := range t.rows.N {
				left, right = append(left, int32(i)), append(right, int32(r))
			}
		}
	default:
		keys := make([]*vec.Vec, len(j.Keys))
		for i, k := range j.Keys {
			v, err := k.Left.Eval(b)
			if err != nil {
				return fail(err)
			}
			keys[i] = v
		}
		left, right = make([]int32, 0, b.N), make([]int32, 0, b.N)
		for i, first := range t.find(keys, b.N) { // no row of the table has a null key, so none is found by one
			for r := first; r >= 0; r = t.next[r] {
				left, right = append(left, int32(i)), append(right, r)
			}
		}
	}
	if j.Residual != nil && len(left) > 0 {
		both := j.columns(b, left, right, j.Residual.Columns)
		v, err := j.Residual.Eval(&vec.Batch{Cols: both, N: len(left)})
		if err != nil {
			return fail(err)
		}
		keep := trueRows(v, len(left))
		l, r := make([]int32, len(keep)), make([]int32, len(keep))
		for i, k := range keep {
			l[i], r[i] = left[k], right[k]
		}
		left, right = l, r
	}
	switch j.Kind {
	case tree.SemiJoin, tree.AntiJoin:
		hit := make([]bool, b.N)
		for _, i := range left {
			hit[i] = true
		}
		var idx []int32
		for i, h := range hit {
			if h == (j.Kind == tree.SemiJoin) {
				idx = append(idx, int32(i))
			}
		}
		left, right = idx, make([]int32, len(idx))
		for i := range right {
			right[i] = -1
		}
	case tree.LeftJoin, tree.FullJoin:
		if j.matched != nil {
			for _, r := range right {
				j.matched[r] = true
			}
		}
		hit := make([]bool, b.N)
		for _, i := range left {
			hit[i] = true
		}
		for i, h := range hit {
			if !h {
				left, right = append(left, int32(i)), append(right, -1)
			}
		}
	}
	if len(left) == 0 {
		b.Release()
		return nil, nil
	}
	return j.emit(b, left, right), nil
}

// columns gives some columns of left and right, numbered through, for pairs of rows.
func (j *Join) columns(b *vec.Batch, left, right []int32, which []int) []*vec.Vec {
	n := len(j.Left.Types())
	cols := make([]*vec.Vec, n+len(j.build.rows.Cols))
	for _, c := range which {
		if c < n {
			cols[c] = vec.Take(b.Cols[c], left)
		} else {
			cols[c] = vec.Take(j.build.rows.Cols[c-n], right)
		}
	}
	return cols
}

// emit makes the output of pairs and releases the left part.
func (j *Join) emit(b *vec.Batch, left, right []int32) *vec.Batch {
	whole := len(left) == b.N
	for i := 0; whole && i < len(left); i++ {
		whole = left[i] == int32(i)
	}
	cols := make([]*vec.Vec, len(j.Output))
	n := len(j.Left.Types())
	for i, c := range j.Output {
		k := c.Ordinal
		if c.FromRight {
			k += n
		}
		if j.Need != nil && !j.Need[k] {
			continue
		}
		switch {
		case c.FromRight:
			cols[i] = vec.Take(j.build.rows.Cols[c.Ordinal], right)
		case whole:
			cols[i] = b.Cols[c.Ordinal]
		default:
			cols[i] = vec.Take(b.Cols[c.Ordinal], left)
		}
	}
	if whole {
		// Every left row came out once, in order: its columns are passed on as they are.
		return b.Derive(cols, len(left))
	}
	b.Release()
	return vec.NewBatch(cols, len(left), nil)
}

// unmatched gives the right rows of a full join that found no partner.
func (j *Join) unmatched() *vec.Batch {
	var right []int32
	for r, m := range j.matched {
		if !m {
			right = append(right, int32(r))
		}
	}
	if len(right) == 0 {
		return nil
	}
	left := make([]int32, len(right))
	for i := range left {
		left[i] = -1
	}
	return j.emit(vec.Empty(j.Left.Types()), left, right)
}

// ReleaseMemo gives back what a query's operators kept between epochs.
func ReleaseMemo(memo map[int]any) {
	for k, v := range memo {
		if t, ok := v.(*hashTable); ok {
			t.rows.Release()
		}
		delete(memo, k)
	}
}
