package exec

import (
	"context"
	"math"
	"slices"

	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// FrameBound is an end of a frame. Exactly one of its ways of saying where holds: Unbounded, Rows (of a frame of rows: a signed distance, zero
// for the current row), Value (of a frame of values: the sort key of each row moved by the distance), or none for CURRENT ROW of a frame of
// values, which is the row with its peers.
type FrameBound struct {
	Unbounded bool
	Rows      int64
	Value     func(b *vec.Batch) (*vec.Vec, error)
}

// Frame bounds the rows of a window expression around each row.
type Frame struct {
	Rows       bool
	Start, End FrameBound
}

// OverItem is one window expression.
type OverItem struct {
	// Name is the function's name. Func is set of aggregates.
	Name string
	Func *kernel.Aggregate
	// Args are the arguments of a window function: the value, and the default of LAG and LEAD where there is one.
	Args []*kernel.Expr
	// N is the offset of LAG and LEAD, the number of NTH_VALUE, the buckets of NTILE.
	N           int64
	IgnoreNulls bool
	Frame       Frame
	Type        datatype.Type
	// Column is the number of the output's column.
	Column int
}

// OverSpec is a partitioning and an order, with the expressions that share them: the rows are sorted once for all.
type OverSpec struct {
	PartitionBy []*kernel.Expr
	OrderBy     []SortKey
	Items       []OverItem
}

// Over adds a column per item to its input, which it reads whole. The rows keep their order. A column that no item computes is not needed and
// stays nil.
type Over struct {
	Input Operator
	Specs []OverSpec
	Out   []datatype.Type
	Task  *Task

	once once
}

// Types implements [Operator].
func (o *Over) Types() []datatype.Type { return o.Out }

// Open implements [Operator].
func (o *Over) Open(ctx context.Context) error { return o.Input.Open(ctx) }

// Close implements [Operator].
func (o *Over) Close() error {
	o.once.close()
	return o.Input.Close()
}

// Next implements [Operator].
func (o *Over) Next(ctx context.Context) (*vec.Batch, error) {
	return o.once.next(ctx, func() ([]*vec.Batch, error) {
		parts, err := Collect(ctx, o.Input)
		if err != nil {
			return nil, err
		}
		b, err := vec.ConcatBatches(ctx, o.Input.Types(), parts)
		if err != nil {
			return nil, err
		}
		cols := make([]moving, len(o.Out))
		for i, c := range b.Cols {
			cols[i].v = c
		}
		for i := range o.Specs {
			if err := o.Specs[i].eval(ctx, b, cols); err != nil {
				b.Release()
				return nil, err
			}
		}
		out, err := takePieces(ctx, b, cols, b.N)
		if err != nil {
			return nil, err
		}
		hold(ctx, func() (n int) {
			for _, piece := range out {
				n += piece.Bytes()
			}
			return n
		})
		return splitAll(out, o.Task.BatchRows), nil
	})
}

// eval puts the items' values into cols, with the place of each row of b.
func (s *OverSpec) eval(ctx context.Context, b *vec.Batch, cols []moving) error {
	if b.N == 0 {
		return nil
	}
	p, err := s.sort(ctx, b)
	if err != nil {
		return err
	}
	// at is where each row went.
	at := make([]int32, b.N)
	for i, r := range p.order {
		at[r] = int32(i)
	}
	for i := range s.Items {
		x := &s.Items[i]
		v, err := x.eval(ctx, p)
		if err != nil {
			return err
		}
		cols[x.Column] = moving{v, at}
	}
	return nil
}

// checkRows is how many rows a loop handles between two looks at its context.
const checkRows = 4096

// placed are the rows of a batch in partitions, each in order. Positions count in this order, rows in the batch's.
type placed struct {
	b     *vec.Batch
	n     int
	order []int32 // the row at each position
	parts []int32 // where partitions begin, and n
	// compare has the order of two rows by each key.
	compare []func(i, j int32) int
	keys    []SortKey
	cols    []*vec.Vec // the keys' values by row

	peersFrom, peersTo []int32 // of each position, once asked for
}

// sort places the rows: partitions by hash, then each of them by the keys. Rows that are equal in the order keep theirs.
func (s *OverSpec) sort(ctx context.Context, b *vec.Batch) (*placed, error) {
	n := b.N
	p := &placed{b: b, n: n, order: make([]int32, n), keys: s.OrderBy}
	if len(s.PartitionBy) == 0 {
		p.parts = []int32{0, int32(n)}
		for i := range p.order {
			p.order[i] = int32(i)
		}
	} else {
		keys := make([]*vec.Vec, len(s.PartitionBy))
		for i, k := range s.PartitionBy {
			v, err := evalWhole(ctx, k, b)
			if err != nil {
				return nil, err
			}
			keys[i] = v
		}
		t := newTable()
		groups, err := t.groupsOf(ctx, keys, n)
		if err != nil {
			return nil, err
		}
		p.parts = make([]int32, t.len()+1)
		for _, g := range groups {
			p.parts[g+1]++
		}
		for g := range t.len() {
			p.parts[g+1] += p.parts[g]
		}
		next := slices.Clone(p.parts)
		for i, g := range groups {
			p.order[next[g]] = int32(i)
			next[g]++
		}
	}
	for _, k := range s.OrderBy {
		v, err := evalWhole(ctx, k.Expr, b)
		if err != nil {
			return nil, err
		}
		v = v.Flat()
		p.cols = append(p.cols, v)
		p.compare = append(p.compare, rowOrder(v, k))
	}
	if len(p.compare) == 0 {
		return p, nil
	}
	// A sort cannot be left, but it ends soon when everything becomes equal.
	calls, stopped := 0, false
	by := func(i, j int32) int {
		if calls++; calls%checkRows == 0 && ctx.Err() != nil {
			stopped = true
		}
		if stopped {
			return 0
		}
		for _, c := range p.compare {
			if x := c(i, j); x != 0 {
				return x
			}
		}
		return 0
	}
	for k := range len(p.parts) - 1 {
		slices.SortStableFunc(p.order[p.parts[k]:p.parts[k+1]], by)
		if stopped {
			return nil, ctx.Err()
		}
	}
	return p, nil
}

// peers finds the rows that are equal in the order: for each position the first one and the one behind the last.
func (p *placed) peers(ctx context.Context) (from, to []int32, err error) {
	if p.peersFrom != nil {
		return p.peersFrom, p.peersTo, nil
	}
	from, to = make([]int32, p.n), make([]int32, p.n)
	looked := int32(0)
	for k := range len(p.parts) - 1 {
		lo, hi := p.parts[k], p.parts[k+1]
		for i := lo; i < hi; {
			if i-looked >= checkRows {
				if err := ctx.Err(); err != nil {
					return nil, nil, err
				}
				looked = i
			}
			j := i + 1
			for j < hi && p.equal(p.order[i], p.order[j]) {
				j++
			}
			for first := i; i < j; i++ {
				from[i], to[i] = first, j
			}
		}
	}
	p.peersFrom, p.peersTo = from, to
	return from, to, nil
}

func (p *placed) equal(i, j int32) bool {
	for _, c := range p.compare {
		if c(i, j) != 0 {
			return false
		}
	}
	return true
}

// sorted evaluates an expression and gives its values by position.
func (p *placed) sorted(ctx context.Context, e *kernel.Expr) (*vec.Vec, error) {
	v, err := evalWhole(ctx, e, p.b)
	if err != nil {
		return nil, err
	}
	if p.n <= pieceRows {
		return vec.Take(v, p.order), nil
	}
	pieces, err := takePieces(ctx, nil, []moving{{v, p.order}}, p.n)
	if err != nil {
		return nil, err
	}
	whole, err := vec.ConcatBatches(ctx, []datatype.Type{e.Type}, pieces)
	if err != nil {
		return nil, err
	}
	return whole.Cols[0], nil
}

// moved are the values of a bound, the sort key of each row moved by a distance. Where one of them raises (an overflow), they are computed one
// by one, so that only a row whose bound is looked at raises, as in Spark.
type moved struct {
	all *vec.Vec
	one func(b *vec.Batch) (*vec.Vec, error)
	b   *vec.Batch
}

func (p *placed) moved(f func(b *vec.Batch) (*vec.Vec, error)) *moved {
	m := &moved{one: f, b: p.b}
	if v, err := f(p.b); err == nil {
		m.all = v.Flat()
	}
	return m
}

// at gives the vector and the index of a row's value.
func (m *moved) at(row int32) (*vec.Vec, int, error) {
	if m.all != nil {
		return m.all, int(row), nil
	}
	v, err := m.one(m.b.Take([]int32{row}))
	return v, 0, err
}

// frames gives each position's frame: the positions from start up to before end. Both only grow within a partition, as Spark's do.
func (p *placed) frames(ctx context.Context, f Frame) (start, end []int32, err error) {
	start, end = make([]int32, p.n), make([]int32, p.n)
	var from, to []int32
	if !f.Rows && (!f.Start.Unbounded && f.Start.Value == nil || !f.End.Unbounded && f.End.Value == nil) {
		if from, to, err = p.peers(ctx); err != nil {
			return nil, nil, err
		}
	}
	var low, high *moved
	if f.Start.Value != nil {
		low = p.moved(f.Start.Value)
	}
	if f.End.Value != nil {
		high = p.moved(f.End.Value)
	}
	var before func(pos int32, m *moved, at int32) (int, error)
	if low != nil || high != nil {
		before = p.against()
	}
	for k := range len(p.parts) - 1 {
		lo, hi := p.parts[k], p.parts[k+1]
		s, e := lo, lo
		for i := lo; i < hi; i++ {
			if i%checkRows == 0 && ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
			switch {
			case f.End.Unbounded:
				e = hi
			case f.Rows:
				e = clamp(int64(i)+f.End.Rows+1, lo, hi)
			case high == nil:
				e = to[i]
			default:
				for e < hi {
					c, err := before(e, high, i)
					if err != nil {
						return nil, nil, err
					}
					if c > 0 {
						break
					}
					e++
				}
			}
			switch {
			case f.Start.Unbounded:
				s = lo
			case f.Rows:
				s = clamp(int64(i)+f.Start.Rows, lo, hi)
			case low == nil:
				s = from[i]
			default:
				for s < e {
					c, err := before(s, low, i)
					if err != nil {
						return nil, nil, err
					}
					if c >= 0 {
						break
					}
					s++
				}
			}
			// A frame that ends before it starts is empty.
			start[i], end[i] = s, max(s, e)
		}
	}
	return start, end, nil
}

func clamp(x int64, lo, hi int32) int32 { return int32(min(max(x, int64(lo)), int64(hi))) }

// against compares the sort key at a position with the bound of another one, in the order's direction and with its place of nulls.
func (p *placed) against() func(pos int32, m *moved, at int32) (int, error) {
	key, col := p.keys[0], p.cols[0]
	compare := vec.CompareOf(col.Type)
	null := pickInt(key.NullsFirst, -1, 1)
	return func(pos int32, m *moved, at int32) (int, error) {
		v, i, err := m.at(p.order[at])
		if err != nil {
			return 0, err
		}
		r := int(p.order[pos])
		a, b := col.IsNull(r), v.IsNull(i)
		switch {
		case a && b:
			return 0, nil
		case a:
			return null, nil
		case b:
			return -null, nil
		}
		c := compare(col, r, v, i)
		if key.Descending {
			c = -c
		}
		return c, nil
	}
}

// eval gives the item's values by position.
func (x *OverItem) eval(ctx context.Context, p *placed) (*vec.Vec, error) {
	switch x.Name {
	case "row_number", "rank", "dense_rank", "ntile", "percent_rank", "cume_dist":
		return x.rank(ctx, p)
	case "lag", "lead":
		return x.shift(ctx, p)
	}
	var args []*vec.Vec
	in := x.Args
	if x.Func != nil {
		in = x.Func.Args
	}
	for _, a := range in {
		v, err := p.sorted(ctx, a)
		if err != nil {
			return nil, err
		}
		args = append(args, v)
	}
	var skip []bool
	if x.Func != nil {
		rows, err := x.Func.Skip(p.b)
		if err != nil {
			return nil, err
		}
		if rows != nil {
			skip = make([]bool, p.n)
			for i, r := range p.order {
				skip[i] = rows[r]
			}
		}
	}
	picks := x.Name == "nth_value" || x.Name == "first" || x.Name == "first_value" || x.Name == "last" || x.Name == "last_value"
	if x.Func != nil && !picks && x.Frame.Start.Unbounded && x.Frame.End.Unbounded {
		return x.whole(p, args, skip)
	}
	start, end, err := p.frames(ctx, x.Frame)
	if err != nil {
		return nil, err
	}
	f := framed{ctx: ctx, p: p, item: x, args: args, skip: skip, start: start, end: end}
	switch x.Name {
	case "first", "first_value", "last", "last_value", "nth_value":
		return f.pick()
	case "count", "count_if":
		return f.count()
	case "min", "bool_and":
		return f.extreme(-1)
	case "max", "bool_or":
		return f.extreme(1)
	case "collect_list":
		return f.collect()
	case "sum":
		if v, err := f.sum(); v != nil || err != nil {
			return v, err
		}
	}
	return f.any()
}

// whole is an aggregate over whole partitions: one aggregation, of which each row takes its partition's value.
func (x *OverItem) whole(p *placed, args []*vec.Vec, skip []bool) (*vec.Vec, error) {
	groups, count := make([]int32, p.n), len(p.parts)-1
	for k := range count {
		for i := p.parts[k]; i < p.parts[k+1]; i++ {
			groups[i] = int32(k)
		}
	}
	acc := x.Func.New()
	acc.Grow(count)
	if err := acc.Update(args, groups, skip, p.n); err != nil {
		return nil, err
	}
	v, err := acc.Result(count)
	if err != nil {
		return nil, err
	}
	return vec.Take(v, groups), nil
}

// rank computes what depends on a row's place alone. Source: Spark's windowExpressions.scala.
func (x *OverItem) rank(ctx context.Context, p *placed) (*vec.Vec, error) {
	var from, to []int32
	if x.Name != "row_number" && x.Name != "ntile" {
		var err error
		if from, to, err = p.peers(ctx); err != nil {
			return nil, err
		}
	}
	ints, floats := make([]int32, p.n), make([]float64, p.n)
	for k := range len(p.parts) - 1 {
		lo, hi := p.parts[k], p.parts[k+1]
		n := int64(hi - lo)
		dense := int32(0)
		for i := lo; i < hi; i++ {
			switch x.Name {
			case "row_number":
				ints[i] = i - lo + 1
			case "rank":
				ints[i] = from[i] - lo + 1
			case "dense_rank":
				if from[i] == i {
					dense++
				}
				ints[i] = dense
			case "percent_rank":
				if n > 1 {
					floats[i] = float64(from[i]-lo) / float64(n-1)
				}
			case "cume_dist":
				floats[i] = float64(to[i]-lo) / float64(n)
			case "ntile":
				// The first n mod N buckets have one row more than the others.
				size, greater, r := n/x.N, n%x.N, int64(i-lo)
				if r < greater*(size+1) {
					ints[i] = int32(r/(size+1)) + 1
				} else {
					ints[i] = int32(greater+(r-greater*(size+1))/size) + 1
				}
			}
		}
	}
	if x.Type.Kind() == datatype.KindDouble {
		return vec.Of(x.Type, floats), nil
	}
	return vec.Of(x.Type, ints), nil
}

// shift is LAG (a negative N) and LEAD.
func (x *OverItem) shift(ctx context.Context, p *placed) (*vec.Vec, error) {
	v, err := p.sorted(ctx, x.Args[0])
	if err != nil {
		return nil, err
	}
	var valid *valid
	if x.IgnoreNulls && x.N != 0 {
		if valid, err = newValid(ctx, p.n, func(i int) bool { return !v.IsNull(i) }); err != nil {
			return nil, err
		}
	}
	which, at := make([]int32, p.n), make([]int32, p.n)
	missing := int32(-1)
	sides := []*vec.Vec{v}
	if len(x.Args) > 1 {
		d, err := p.sorted(ctx, x.Args[1])
		if err != nil {
			return nil, err
		}
		missing, sides = 1, append(sides, d)
	}
	for k := range len(p.parts) - 1 {
		lo, hi := p.parts[k], p.parts[k+1]
		for i := lo; i < hi; i++ {
			if i%checkRows == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			to := int64(-1)
			switch {
			case valid == nil:
				if j := int64(i) + x.N; j >= int64(lo) && j < int64(hi) {
					to = j
				}
			case x.N > 0:
				to = valid.nth(i+1, hi, x.N)
			default:
				to = valid.nthLast(lo, i, -x.N)
			}
			if to < 0 {
				which[i], at[i] = missing, i
			} else {
				at[i] = int32(to)
			}
		}
	}
	return vec.Merge(x.Type, sides, which, at), nil
}

// valid finds the positions that count, those that are not filtered out and not null.
type valid struct {
	before []int32 // how many count before each position, and in all
	pos    []int32
}

func newValid(ctx context.Context, n int, ok func(i int) bool) (*valid, error) {
	v := &valid{before: make([]int32, n+1)}
	for i := range n {
		if i%checkRows == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		v.before[i+1] = v.before[i]
		if ok(i) {
			v.before[i+1]++
			v.pos = append(v.pos, int32(i))
		}
	}
	return v, nil
}

// nth is the k-th position that counts, from 1, of those from lo up to before hi, or -1; nthLast counts from the end.
func (v *valid) nth(lo, hi int32, k int64) int64 {
	if j := int64(v.before[lo]) + k - 1; k > 0 && j < int64(v.before[hi]) {
		return int64(v.pos[j])
	}
	return -1
}

func (v *valid) nthLast(lo, hi int32, k int64) int64 {
	if j := int64(v.before[hi]) - k; k > 0 && j >= int64(v.before[lo]) {
		return int64(v.pos[j])
	}
	return -1
}

// framed is an item with its arguments and frames by position.
type framed struct {
	ctx        context.Context
	p          *placed
	item       *OverItem
	args       []*vec.Vec
	skip       []bool
	start, end []int32
}

// counts finds the positions that are not filtered out and where no argument is null.
func (f *framed) counts() (*valid, error) {
	return newValid(f.ctx, f.p.n, func(i int) bool {
		if f.skip != nil && f.skip[i] {
			return false
		}
		for _, a := range f.args {
			if a.IsNull(i) {
				return false
			}
		}
		return true
	})
}

// pick is FIRST, LAST and NTH_VALUE: a row of the frame.
func (f *framed) pick() (*vec.Vec, error) {
	x := f.item
	at := make([]int32, f.p.n)
	n := x.N
	last := x.Name == "last" || x.Name == "last_value"
	if x.Name != "nth_value" {
		n = 1
	}
	if f.skip == nil && !x.IgnoreNulls {
		for i := range at {
			s, e := f.start[i], f.end[i]
			switch {
			case int64(e-s) < n:
				at[i] = -1
			case last:
				at[i] = e - 1
			default:
				at[i] = s + int32(n) - 1
			}
		}
		return vec.Take(f.args[0], at), f.ctx.Err()
	}
	v, err := newValid(f.ctx, f.p.n, func(i int) bool {
		return (f.skip == nil || !f.skip[i]) && (!x.IgnoreNulls || !f.args[0].IsNull(i))
	})
	if err != nil {
		return nil, err
	}
	for i := range at {
		if last {
			at[i] = int32(v.nthLast(f.start[i], f.end[i], n))
		} else {
			at[i] = int32(v.nth(f.start[i], f.end[i], n))
		}
	}
	return vec.Take(f.args[0], at), f.ctx.Err()
}

// count is COUNT and COUNT_IF, by a difference of counts.
func (f *framed) count() (*vec.Vec, error) {
	v, err := f.counts()
	if f.item.Name == "count_if" {
		a := f.args[0]
		v, err = newValid(f.ctx, f.p.n, func(i int) bool { return (f.skip == nil || !f.skip[i]) && !a.IsNull(i) && a.Bool[i&a.Mask()] })
	}
	if err != nil {
		return nil, err
	}
	out := make([]int64, f.p.n)
	for i := range out {
		out[i] = int64(v.before[f.end[i]] - v.before[f.start[i]])
	}
	return vec.Of(f.item.Type, out), nil
}

// sum is SUM of integers, by a difference of sums; nil where the values are such that a sum on the way could overflow, or of another type.
func (f *framed) sum() (*vec.Vec, error) {
	a := f.args[0]
	if vec.PhysOf(f.item.Type) != vec.PI64 || a.AllNull() {
		return nil, nil
	}
	var get func(i int) int64
	m := a.Mask()
	switch vec.PhysOf(a.Type) {
	case vec.PI8:
		get = func(i int) int64 { return int64(a.I8[i&m]) }
	case vec.PI16:
		get = func(i int) int64 { return int64(a.I16[i&m]) }
	case vec.PI32:
		get = func(i int) int64 { return int64(a.I32[i&m]) }
	case vec.PI64:
		get = func(i int) int64 { return a.I64[i&m] }
	default:
		return nil, nil
	}
	v, err := f.counts()
	if err != nil {
		return nil, err
	}
	sums := make([]int64, f.p.n+1)
	size := uint64(0)
	for i := range f.p.n {
		if i%checkRows == 0 && f.ctx.Err() != nil {
			return nil, f.ctx.Err()
		}
		sums[i+1] = sums[i]
		if v.before[i+1] > v.before[i] {
			y := get(i)
			sums[i+1] += y
			if y < 0 {
				y = -y
			}
			// Of the least BIGINT too the amount is right as an unsigned number.
			if size += uint64(y); uint64(y) > math.MaxInt64 || size > math.MaxInt64 {
				return nil, nil
			}
		}
	}
	out, null := make([]int64, f.p.n), make([]bool, f.p.n)
	for i := range out {
		if i%checkRows == 0 && f.ctx.Err() != nil {
			return nil, f.ctx.Err()
		}
		s, e := f.start[i], f.end[i]
		out[i] = sums[e] - sums[s]
		null[i] = v.before[e] == v.before[s]
	}
	return vec.Of(f.item.Type, out).WithNull(null), nil
}

// extreme is MIN, MAX and their like over frames whose ends only grow: a queue of the positions that can still become the answer. Of equal
// values the first one is it, as in Spark, where -0.0 and 0.0 are equal.
func (f *framed) extreme(sign int) (*vec.Vec, error) {
	a := f.args[0].Flat()
	compare := vec.CompareOf(a.Type)
	at := make([]int32, f.p.n)
	queue := make([]int32, 0, 64)
	for k := range len(f.p.parts) - 1 {
		lo, hi := f.p.parts[k], f.p.parts[k+1]
		queue = queue[:0]
		head, seen := 0, lo
		for i := lo; i < hi; i++ {
			if i%checkRows == 0 && f.ctx.Err() != nil {
				return nil, f.ctx.Err()
			}
			for ; seen < f.end[i]; seen++ {
				if f.skip != nil && f.skip[seen] || a.IsNull(int(seen)) {
					continue
				}
				for len(queue) > head && sign*compare(a, int(seen), a, int(queue[len(queue)-1])) > 0 {
					queue = queue[:len(queue)-1]
				}
				queue = append(queue, seen)
			}
			for head < len(queue) && queue[head] < f.start[i] {
				head++
			}
			at[i] = -1
			if head < len(queue) && f.end[i] > f.start[i] {
				at[i] = queue[head]
			}
			if head > 1024 && 2*head > len(queue) {
				queue = append(queue[:0], queue[head:]...)
				head = 0
			}
		}
	}
	return vec.Take(a, at), nil
}

// collect is COLLECT_LIST: its size is that of all frames together.
func (f *framed) collect() (*vec.Vec, error) {
	v, err := f.counts()
	if err != nil {
		return nil, err
	}
	off := make([]int32, f.p.n+1)
	total := int64(0)
	for i := range f.p.n {
		total += int64(v.before[f.end[i]] - v.before[f.start[i]])
		if total > math.MaxInt32 {
			e := condition.Newf(condition.Unsupported, "The lists of collect_list over a window have more than %d elements together.", math.MaxInt32)
			e.Operator, e.Hint = f.item.Name, "Use a smaller frame."
			return nil, e
		}
		off[i+1] = int32(total)
	}
	rows := make([]int32, 0, total)
	for i := range f.p.n {
		if i%checkRows == 0 && f.ctx.Err() != nil {
			return nil, f.ctx.Err()
		}
		rows = append(rows, v.pos[v.before[f.start[i]]:v.before[f.end[i]]]...)
	}
	return &vec.Vec{Type: f.item.Type, Len: f.p.n, Off: off, Kids: []*vec.Vec{vec.Take(f.args[0], rows).Flat()}}, nil
}

// wide is how many rows a frame may have on average before it is put together from the states of blocks instead of its rows. Up to there the
// rows are added from the first to the last, as Spark adds them, so that sums of doubles have its very bits.
const wide = 256

// blockRows is the number of rows of a block at the lowest level.
const blockRows = 64

// any computes every other aggregate by its accumulator, with a group for each row. Frames that begin with the partition grow; small ones are
// added up; great ones are put together from the encoded states of a tree of blocks.
func (f *framed) any() (*vec.Vec, error) {
	out := f.item.Func.New()
	out.Grow(f.p.n)
	for k := range len(f.p.parts) - 1 {
		lo, hi := f.p.parts[k], f.p.parts[k+1]
		prefix, total := true, int64(0)
		for i := lo; i < hi; i++ {
			prefix = prefix && (f.start[i] == lo || f.end[i] == f.start[i])
			total += int64(f.end[i] - f.start[i])
		}
		var err error
		switch {
		case prefix:
			acc := f.item.Func.New()
			acc.Grow(1)
			err = f.growing(out, acc, lo, hi)
		case total <= wide*int64(hi-lo):
			err = f.adding(out, lo, hi)
		default:
			err = f.blocks(out, lo, hi)
		}
		if err != nil {
			return nil, err
		}
	}
	return out.Result(f.p.n)
}

// add adds the rows of some positions to a group.
func (f *framed) add(acc kernel.Accumulator, groups []int32, lo, hi int32) error {
	args := make([]*vec.Vec, len(f.args))
	for i, a := range f.args {
		args[i] = a.Slice(int(lo), int(hi))
	}
	var skip []bool
	if f.skip != nil {
		skip = f.skip[lo:hi]
	}
	return acc.Update(args, groups, skip, int(hi-lo))
}

// growing handles frames that begin with their partition: the state goes on from row to row, in the one group of acc.
func (f *framed) growing(out, acc kernel.Accumulator, lo, hi int32) error {
	done := lo
	none := f.item.Func.New()
	none.Grow(1)
	empty := none.Encode(0, nil)
	state := slices.Clone(empty)
	for i := lo; i < hi; i++ {
		if i%checkRows == 0 && f.ctx.Err() != nil {
			return f.ctx.Err()
		}
		s := empty
		if f.end[i] > f.start[i] {
			if done < f.end[i] {
				if err := f.add(acc, nil, done, f.end[i]); err != nil {
					return err
				}
				done = f.end[i]
				state = acc.Encode(0, state[:0])
			}
			s = state
		}
		if _, err := out.Decode(int(i), s); err != nil {
			return err
		}
	}
	return nil
}

// adding adds up the rows of each frame.
func (f *framed) adding(out kernel.Accumulator, lo, hi int32) error {
	var groups []int32
	work := 0
	for i := lo; i < hi; i++ {
		s, e := f.start[i], f.end[i]
		if work += int(e-s) + 16; work > 16*checkRows {
			if f.ctx.Err() != nil {
				return f.ctx.Err()
			}
			work = 0
		}
		if s == e {
			continue
		}
		for len(groups) < int(e-s) {
			groups = append(groups, 0)
		}
		for j := range groups[:e-s] {
			groups[j] = i
		}
		if err := f.add(out, groups[:e-s], s, e); err != nil {
			return err
		}
	}
	return nil
}

// blocks puts each frame together from the states of blocks of rows, of pairs of blocks, and so on. A block whose own state raises an error has
// none: the frame is then added up row by row, and raises only if that does.
func (f *framed) blocks(out kernel.Accumulator, lo, hi int32) error {
	n := (hi - lo + blockRows - 1) / blockRows
	level := make([][]byte, n)
	for k := range level {
		if f.ctx.Err() != nil {
			return f.ctx.Err()
		}
		acc := f.item.Func.New()
		acc.Grow(1)
		from := lo + int32(k)*blockRows
		if f.add(acc, nil, from, min(from+blockRows, hi)) == nil {
			level[k] = acc.Encode(0, nil)
		}
	}
	levels := [][][]byte{level}
	for len(level) > 1 {
		up := make([][]byte, (len(level)+1)/2)
		for k := range up {
			if 2*k+1 == len(level) {
				up[k] = level[2*k]
				continue
			}
			acc := f.item.Func.New()
			acc.Grow(1)
			// A decoded state is older than what is there: the later rows first.
			if level[2*k] != nil && level[2*k+1] != nil && decode(acc, level[2*k+1]) == nil && decode(acc, level[2*k]) == nil {
				up[k] = acc.Encode(0, nil)
			}
		}
		levels, level = append(levels, up), up
	}
	var state []byte
	for i := lo; i < hi; i++ {
		if i%256 == 0 && f.ctx.Err() != nil {
			return f.ctx.Err()
		}
		s, e := f.start[i], f.end[i]
		if s == e {
			continue
		}
		acc := f.item.Func.New()
		acc.Grow(1)
		if !f.assemble(acc, levels, lo, s, e) {
			acc = f.item.Func.New()
			acc.Grow(1)
			for from := s; from < e; from += 16 * checkRows {
				if f.ctx.Err() != nil {
					return f.ctx.Err()
				}
				if err := f.add(acc, nil, from, min(from+16*checkRows, e)); err != nil {
					return err
				}
			}
		}
		state = acc.Encode(0, state[:0])
		if _, err := out.Decode(int(i), state); err != nil {
			return err
		}
	}
	return nil
}

// decode adds a state to the one group of an accumulator.
func decode(acc kernel.Accumulator, state []byte) error {
	_, err := acc.Decode(0, state)
	return err
}

// assemble puts the frame from s up to before e together, the latest rows first; false where a state is missing or something raises.
func (f *framed) assemble(acc kernel.Accumulator, levels [][][]byte, lo, s, e int32) bool {
	a, b := (s-lo+blockRows-1)/blockRows, (e-lo)/blockRows // the whole blocks a up to before b
	if a >= b {
		return f.add(acc, nil, s, e) == nil
	}
	if from := lo + b*blockRows; from < e && f.add(acc, nil, from, e) != nil {
		return false
	}
	var left [][]byte
	for level := 0; a < b; level++ {
		if a&1 == 1 {
			left = append(left, levels[level][a])
			a++
		}
		if b&1 == 1 {
			b--
			if x := levels[level][b]; x == nil || decode(acc, x) != nil {
				return false
			}
		}
		a, b = a/2, b/2
	}
	for _, x := range slices.Backward(left) {
		if x == nil || decode(acc, x) != nil {
			return false
		}
	}
	to := lo + (s-lo+blockRows-1)/blockRows*blockRows
	if s == to {
		return true
	}
	head := f.item.Func.New()
	head.Grow(1)
	return f.add(head, nil, s, to) == nil && decode(acc, head.Encode(0, nil)) == nil
}
