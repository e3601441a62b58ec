package exec

import (
	"context"
	"math"
	"sort"

	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Frame bounds the rows of a window aggregate by distances from the current row: MinInt64 and MaxInt64 are unbounded. Peers
// extends an end at the current row to the rows that are equal to it in the order (RANGE … CURRENT ROW).
type Frame struct {
	Start, End int64
	Peers      bool
}

// OverItem is one window aggregate.
type OverItem struct {
	Func        *kernel.Aggregate
	PartitionBy []*kernel.Expr
	OrderBy     []SortKey
	Frame       Frame
}

// Over adds a column per item to its input, which it reads whole. The rows keep their order.
type Over struct {
	Input Operator
	Items []OverItem
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
		b := vec.ConcatBatches(o.Input.Types(), parts)
		cols := append(make([]*vec.Vec, 0, len(b.Cols)+len(o.Items)), b.Cols...)
		for _, item := range o.Items {
			v, err := item.eval(ctx, b)
			if err != nil {
				b.Release()
				return nil, err
			}
			cols = append(cols, v)
		}
		return split(b.Derive(cols, b.N), o.Task.BatchRows), nil
	})
}

// eval gives the item's value for each row of b.
func (x *OverItem) eval(ctx context.Context, b *vec.Batch) (*vec.Vec, error) {
	n := b.N
	if n == 0 {
		return vec.Nulls(x.Func.Type, 0), nil
	}
	groups, count := make([]int32, n), 1
	if len(x.PartitionBy) > 0 {
		keys := make([]*vec.Vec, len(x.PartitionBy))
		for i, p := range x.PartitionBy {
			v, err := p.Eval(b)
			if err != nil {
				return nil, err
			}
			keys[i] = v
		}
		var rows vec.Rows
		rows.Encode(keys, n)
		t := newTable()
		for i := range groups {
			k := rows.Row(i)
			groups[i] = t.group(k, vec.Hash(k))
		}
		count = t.len()
	}
	args := make([]*vec.Vec, len(x.Func.Args))
	for i, a := range x.Func.Args {
		v, err := a.Eval(b)
		if err != nil {
			return nil, err
		}
		args[i] = v
	}
	skip, err := x.Func.Skip(b)
	if err != nil {
		return nil, err
	}
	if x.Frame.Start == math.MinInt64 && x.Frame.End == math.MaxInt64 {
		// The whole partition: one aggregation, then each row takes its group's value.
		acc := x.Func.New()
		acc.Grow(count)
		if err := acc.Update(args, groups, skip, n); err != nil {
			return nil, err
		}
		v, err := acc.Result(count)
		if err != nil {
			return nil, err
		}
		return vec.Take(v, groups), nil
	}
	order, err := Order(b, x.OrderBy)
	if err != nil {
		return nil, err
	}
	sort.SliceStable(order, func(i, j int) bool { return groups[order[i]] < groups[order[j]] })
	peers, err := x.peers(b, order)
	if err != nil {
		return nil, err
	}
	out := make([]*vec.Vec, 0, n)
	at := make([]int32, n)
	for lo := 0; lo < n; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := lo
		for hi < n && groups[order[hi]] == groups[order[lo]] {
			hi++
		}
		vs, err := x.partition(args, skip, order[lo:hi], peers[lo:hi])
		if err != nil {
			return nil, err
		}
		for i := lo; i < hi; i++ {
			at[order[i]] = int32(i)
		}
		out = append(out, vs)
		lo = hi
	}
	return vec.Take(vec.Concat(x.Func.Type, out), at), nil
}

// peers tells for each row of the order whether it differs from the one before.
func (x *OverItem) peers(b *vec.Batch, order []int32) ([]bool, error) {
	out := make([]bool, len(order))
	if len(x.OrderBy) == 0 {
		return out, nil
	}
	cols := make([]*vec.Vec, len(x.OrderBy))
	for i, k := range x.OrderBy {
		v, err := k.Expr.Eval(b)
		if err != nil {
			return nil, err
		}
		cols[i] = v
	}
	var rows vec.Rows
	rows.Encode(cols, b.N)
	for i := 1; i < len(order); i++ {
		out[i] = string(rows.Row(int(order[i]))) != string(rows.Row(int(order[i-1])))
	}
	return out, nil
}

// partition gives the values of one partition's rows in order. A frame that begins at the partition's start grows row by row; any
// other is computed anew for each row.
func (x *OverItem) partition(args []*vec.Vec, skip []bool, order []int32, fresh []bool) (*vec.Vec, error) {
	n := len(order)
	sorted := make([]*vec.Vec, len(args))
	for i, a := range args {
		sorted[i] = vec.Take(a, order).Flat()
	}
	var left []bool
	if skip != nil {
		left = make([]bool, n)
		for i, r := range order {
			left[i] = skip[r]
		}
	}
	update := func(acc kernel.Accumulator, lo, hi int) error {
		part := make([]*vec.Vec, len(sorted))
		for i, a := range sorted {
			part[i] = a.Slice(lo, hi)
		}
		var s []bool
		if left != nil {
			s = left[lo:hi]
		}
		return acc.Update(part, nil, s, hi-lo)
	}
	value := func(acc kernel.Accumulator) (*vec.Vec, error) {
		v, err := acc.Result(1)
		if err != nil {
			return nil, err
		}
		return vec.Take(v, []int32{0}), nil // a copy: the accumulator goes on
	}
	out := make([]*vec.Vec, n)
	if x.Frame.Start == math.MinInt64 {
		acc := x.Func.New()
		acc.Grow(1)
		done := 0
		for i := range n {
			end := i + 1
			if x.Frame.Peers {
				for end < n && !fresh[end] {
					end++
				}
			} else {
				end = int(min(max(int64(i)+x.Frame.End+1, 0), int64(n)))
			}
			if end > done {
				if err := update(acc, done, end); err != nil {
					return nil, err
				}
				done = end
			}
			v, err := value(acc)
			if err != nil {
				return nil, err
			}
			out[i] = v
		}
		return vec.Concat(x.Func.Type, out), nil
	}
	for i := range n {
		lo := int(min(max(int64(i)+x.Frame.Start, 0), int64(n)))
		hi := n
		if x.Frame.End != math.MaxInt64 {
			hi = int(min(max(int64(i)+x.Frame.End+1, int64(lo)), int64(n)))
		}
		acc := x.Func.New()
		acc.Grow(1)
		if hi > lo {
			if err := update(acc, lo, hi); err != nil {
				return nil, err
			}
		}
		v, err := value(acc)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return vec.Concat(x.Func.Type, out), nil
}
