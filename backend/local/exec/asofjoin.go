package exec

import (
	"context"
	"math/big"
	"sort"
	"sync"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// AsofJoin pairs each left row with the right row of its keys that is nearest in time, or with nulls. The right side is read whole and
// sorted; then the left passes by, keeps its order, and each row finds its partner by bisection.
type AsofJoin struct {
	Left, Right Operator
	Keys        []JoinKey
	// LeftTime and RightTime are of one type.
	LeftTime, RightTime *kernel.Expr
	Direction           tree.AsofDirection
	// Strict leaves out right rows of the very same time.
	Strict bool
	// Tolerance is the greatest distance; nil for any.
	Tolerance *Distance
	// Order is that of right rows of one time: the last counts.
	Order []SortKey
	// Output are the columns in order; Need tells which of them are read, nil for all.
	Output []tree.JoinColumn
	Need   []bool
	Out    []datatype.Type
	Task   *Task

	mu    sync.Mutex
	build *asofTable
	err   error
}

// asofTable is the right side: for each key its rows with a time, in the order of time and then of the right columns.
type asofTable struct {
	rows   *vec.Batch
	time   *vec.Vec
	keys   *table
	groups [][]int32
}

// Types implements [Operator].
func (j *AsofJoin) Types() []datatype.Type { return j.Out }

// Open implements [Operator].
func (j *AsofJoin) Open(ctx context.Context) error {
	if err := j.Right.Open(ctx); err != nil {
		return err
	}
	return j.Left.Open(ctx)
}

// Close implements [Operator].
func (j *AsofJoin) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.build != nil {
		j.build.rows.Release()
		j.build = nil
	}
	return closeAll(j.Left, j.Right)
}

// Next implements [Operator].
func (j *AsofJoin) Next(ctx context.Context) (*vec.Batch, error) {
	t, err := j.prepare(ctx)
	if err != nil {
		return nil, err
	}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b, err := j.Left.Next(ctx)
		if b == nil || err != nil {
			return nil, err
		}
		if b.N == 0 {
			b.Release()
			continue
		}
		return j.paired(t, b)
	}
}

// paired gives the rows of b with their partners, and takes b over.
func (j *AsofJoin) paired(t *asofTable, b *vec.Batch) (*vec.Batch, error) {
	right, err := j.partners(t, b)
	if err != nil {
		b.Release()
		return nil, err
	}
	cols := make([]*vec.Vec, len(j.Output))
	for i, c := range j.Output {
		switch {
		case j.Need != nil && !j.Need[i]:
		case c.FromRight:
			cols[i] = vec.Take(t.rows.Cols[c.Ordinal], right)
		default:
			cols[i] = b.Cols[c.Ordinal]
		}
	}
	return b.Derive(cols, b.N), nil
}

// prepare reads the right side, once. The error is kept: the side cannot be read twice.
func (j *AsofJoin) prepare(ctx context.Context) (*asofTable, error) {
	lock(ctx, &j.mu)
	defer j.mu.Unlock()
	if j.build == nil && j.err == nil {
		j.build, j.err = j.read(ctx)
	}
	return j.build, j.err
}

func (j *AsofJoin) read(ctx context.Context) (*asofTable, error) {
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
	t := &asofTable{rows: rows, keys: newTable()}
	if err := j.arrange(ctx, t); err != nil {
		t.rows.Release()
		return nil, err
	}
	hold(ctx, func() int { return t.rows.Bytes() + 4*t.rows.N + t.keys.bytes() })
	return t, nil
}

// arrange sorts the right rows and puts those that can be a partner into the groups of their keys.
func (j *AsofJoin) arrange(ctx context.Context, t *asofTable) error {
	var err error
	if t.time, err = evalWhole(ctx, j.RightTime, t.rows); err != nil {
		return err
	}
	keys := make([]*vec.Vec, len(j.Keys))
	for i, k := range j.Keys {
		if keys[i], err = evalWhole(ctx, k.Right, t.rows); err != nil {
			return err
		}
	}
	order, err := Order(ctx, t.rows, append([]SortKey{{Expr: j.RightTime, NullsFirst: true}}, j.Order...), j.Task.Parallelism)
	if err != nil {
		return err
	}
	groups, err := t.keys.groupsOf(ctx, keys, t.rows.N)
	if err != nil {
		return err
	}
	t.groups = make([][]int32, t.keys.len())
	for at, i := range order {
		if at%checkRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if t.time.IsNull(int(i)) || nullKey(j.Keys, keys, int(i)) {
			continue
		}
		g := groups[i]
		t.groups[g] = append(t.groups[g], i)
	}
	return nil
}

// partners gives for each row of b its right row, or -1.
func (j *AsofJoin) partners(t *asofTable, b *vec.Batch) ([]int32, error) {
	time, err := j.LeftTime.Eval(b)
	if err != nil {
		return nil, err
	}
	keys := make([]*vec.Vec, len(j.Keys))
	for i, k := range j.Keys {
		if keys[i], err = k.Left.Eval(b); err != nil {
			return nil, err
		}
	}
	var rows vec.Rows
	rows.Encode(keys, b.N)
	compare := vec.CompareOf(time.Type)
	out := make([]int32, b.N)
	for i := range out {
		out[i] = -1
		if time.IsNull(i) || nullKey(j.Keys, keys, i) {
			continue
		}
		key := rows.Row(i)
		g := t.keys.find(key, vec.Hash(key))
		if g < 0 {
			continue
		}
		group := t.groups[g]
		// upto counts the rows at or before a time, or strictly before it.
		upto := func(v *vec.Vec, i int, strict bool) int {
			return sort.Search(len(group), func(k int) bool {
				c := compare(t.time, int(group[k]), v, i)
				return c > 0 || c == 0 && strict
			})
		}
		before, after := int32(-1), int32(-1)
		if j.Direction != tree.AsofForward {
			if k := upto(time, i, j.Strict); k > 0 {
				before = group[k-1]
			}
		}
		if j.Direction != tree.AsofBackward {
			if k := upto(time, i, !j.Strict); k < len(group) {
				after = group[upto(t.time, int(group[k]), false)-1] // the last of its time
			}
		}
		out[i] = j.choose(t, time, i, before, after)
	}
	return out, nil
}

// choose takes the nearer of two candidates, the earlier one where they are equally near, if the tolerance allows it.
func (j *AsofJoin) choose(t *asofTable, time *vec.Vec, i int, before, after int32) int32 {
	if j.Tolerance == nil && (before < 0 || after < 0) {
		return max(before, after)
	}
	var db, da Distance
	if before >= 0 {
		db = distance(time, i, t.time, int(before))
	}
	if after >= 0 {
		da = distance(t.time, int(after), time, i)
	}
	within := func(d Distance) bool { return j.Tolerance == nil || d.compare(*j.Tolerance) <= 0 }
	switch {
	case before >= 0 && within(db) && (after < 0 || db.compare(da) <= 0):
		return before
	case after >= 0 && within(da):
		return after
	}
	return -1
}

// Distance is how far two times are apart: a double for FLOAT and DOUBLE, else a whole number in the unit of the type.
type Distance struct {
	float bool
	f     float64
	n     decimal128.Num
}

// NewDistance reads a literal's value as a distance between times of a type: microseconds for times, whole days of them for DATE.
func NewDistance(value any, t datatype.Type) *Distance {
	switch v := value.(type) {
	case float64:
		return &Distance{float: true, f: v}
	case *big.Int:
		return &Distance{n: decimal128.FromBigInt(v)}
	case int64:
		if t.Kind() == datatype.KindDate {
			v /= 86_400_000_000
		}
		return &Distance{n: decimal128.FromI64(v)}
	}
	return &Distance{}
}

// distance gives how much later row i of a is than row j of b. No distance of the types that are compared so leaves 128 bits.
func distance(a *vec.Vec, i int, b *vec.Vec, j int) Distance {
	i, j = i&a.Mask(), j&b.Mask()
	whole := func(x, y int64) Distance { return Distance{n: decimal128.FromI64(x).Sub(decimal128.FromI64(y))} }
	switch vec.PhysOf(a.Type) {
	case vec.PI8:
		return whole(int64(a.I8[i]), int64(b.I8[j]))
	case vec.PI16:
		return whole(int64(a.I16[i]), int64(b.I16[j]))
	case vec.PI32:
		return whole(int64(a.I32[i]), int64(b.I32[j]))
	case vec.PI64:
		return whole(a.I64[i], b.I64[j])
	case vec.PF32:
		return between(float64(a.F32[i]), float64(b.F32[j]))
	case vec.PF64:
		return between(a.F64[i], b.F64[j])
	}
	return Distance{n: a.Dec[i].Sub(b.Dec[j])}
}

// between is the distance of two doubles: none between equal ones, infinities and NaN among them, whose difference is NaN.
func between(late, early float64) Distance {
	if vec.CompareFloat(late, early) == 0 {
		return Distance{float: true}
	}
	return Distance{float: true, f: late - early}
}

// compare orders distances as Spark orders numbers: NaN is the greatest and equals itself.
func (d Distance) compare(e Distance) int {
	if d.float {
		return vec.CompareFloat(d.f, e.f)
	}
	return vec.CompareDec(d.n, e.n)
}
