package kernel

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Accumulator holds an aggregate's state for a growing number of groups, numbered from 0. Its encoding is what state files
// hold, so a change of it is a change of the checkpoint format.
type Accumulator interface {
	// Grow makes room for groups 0 up to n.
	Grow(n int)
	// Update adds n rows: row i to groups[i], or all to group 0 where groups is nil. Rows with skip are left out; null arguments
	// are the accumulator's business.
	Update(args []*vec.Vec, groups []int32, skip []bool, n int) error
	// Merge adds group g of another accumulator of the same kind to group to[g], or nowhere where that is negative.
	Merge(o Accumulator, to []int32) error
	// Encode appends the state of a group.
	Encode(g int, b []byte) []byte
	// Decode adds an encoded state to a group and gives the bytes behind it.
	Decode(g int, b []byte) ([]byte, error)
	// Result gives the aggregate of groups 0 up to n.
	Result(n int) (*vec.Vec, error)
}

// Aggregate is a bound aggregate call: programs of its arguments and filter, and a maker of accumulators.
type Aggregate struct {
	// Args are the arguments and Where the filter (nil for none), over the input's columns.
	Args  []*Expr
	Where *Expr
	// New makes an empty accumulator.
	New func() Accumulator
	// Ordered says that the result depends on the order of the rows, so they must come through one goroutine.
	Ordered bool
	// Distinct says that the accumulator keeps the values it has seen, which cannot be merged or stored.
	Distinct bool
	Type     datatype.Type
}

// aggregate is what a maker of accumulators knows.
type aggregate struct {
	env  *Env
	typ  datatype.Type
	args []datatype.Type
	call *tree.Call
	over bool // over a window
}

var accumulators = map[string]func(a aggregate) (func() Accumulator, error){}

// CompileAggregate binds an aggregate call of the catalogue, for groups.
func CompileAggregate(x *tree.Call, env *Env) (*Aggregate, error) {
	return compileAggregate(x, env, false)
}

// CompileOver is [CompileAggregate] for windows, where Spark adds row after row to one state and merges none.
func CompileOver(x *tree.Call, env *Env) (*Aggregate, error) {
	return compileAggregate(x, env, true)
}

func compileAggregate(x *tree.Call, env *Env, over bool) (*Aggregate, error) {
	make, ok := accumulators[x.Func.Name]
	if !ok || x.Func.Kind != catalog.Aggregate {
		return nil, located(condition.Newf(condition.Unsupported, "the engine has no aggregate %s.", x.Func.Name), x.At)
	}
	a := aggregate{env: env, typ: x.Typ, call: x, over: over}
	out := &Aggregate{Type: x.Typ, Distinct: x.Distinct, Ordered: Ordered(x.Func)}
	for _, arg := range x.Args {
		e, err := Compile(arg, env)
		if err != nil {
			return nil, err
		}
		out.Args = append(out.Args, e)
		a.args = append(a.args, e.Type)
	}
	if x.Where != nil {
		e, err := Compile(x.Where, env)
		if err != nil {
			return nil, err
		}
		out.Where = e
	}
	f, err := make(a)
	if err != nil {
		return nil, err
	}
	out.New = f
	if x.Distinct {
		out.New = func() Accumulator { return &distinct{Accumulator: f(), seen: map[string]struct{}{}} }
	}
	return out, nil
}

// Ordered tells whether the result of an aggregate depends on the order of the rows, beyond the last bits of sums.
func Ordered(f *catalog.Function) bool {
	switch f.Name {
	case "first", "last", "first_value", "last_value", "collect_list", "max_by", "min_by":
		return true
	}
	return false
}

// Skip gives the rows that an aggregate's filter leaves out, or nil for none.
func (a *Aggregate) Skip(b *vec.Batch) ([]bool, error) {
	if a.Where == nil {
		return nil, nil
	}
	v, err := a.Where.Eval(b)
	if err != nil {
		return nil, err
	}
	skip, m := make([]bool, b.N), v.Mask()
	for i := range skip {
		skip[i] = v.IsNull(i) || !v.Bool[i&m]
	}
	return skip, nil
}

func init() {
	accumulators["count"] = func(aggregate) (func() Accumulator, error) {
		return func() Accumulator { return &count{} }, nil
	}
	accumulators["count_if"] = func(aggregate) (func() Accumulator, error) {
		return func() Accumulator { return &count{onlyTrue: true} }, nil
	}
	accumulators["sum"] = newSum
	accumulators["avg"] = newAvg
	accumulators["min"] = func(a aggregate) (func() Accumulator, error) { return newExtreme(a, -1), nil }
	accumulators["max"] = func(a aggregate) (func() Accumulator, error) { return newExtreme(a, 1), nil }
	accumulators["bool_and"] = func(a aggregate) (func() Accumulator, error) { return newExtreme(a, -1), nil }
	accumulators["bool_or"] = func(a aggregate) (func() Accumulator, error) { return newExtreme(a, 1), nil }
	for name, last := range map[string]bool{"first": false, "first_value": false, "last": true, "last_value": true} {
		accumulators[name] = func(a aggregate) (func() Accumulator, error) {
			return func() Accumulator { return &pick{slots: newSlots(a.typ), last: last, ignore: a.call.IgnoreNulls} }, nil
		}
	}
	accumulators["collect_list"] = func(a aggregate) (func() Accumulator, error) {
		return func() Accumulator { return &collect{t: a.typ, elem: a.args[0]} }, nil
	}
}

var errState = fmt.Errorf("the encoded state of an aggregate ends too early")

// group is the group of row i.
func group(groups []int32, i int) int {
	if groups == nil {
		return 0
	}
	return int(groups[i])
}

// skipped tells whether a filter leaves row i out.
func skipped(skip []bool, i int) bool { return skip != nil && skip[i] }

// resize gives s with n elements.
func resize[T any](s []T, n int) []T {
	if n <= len(s) {
		return s
	}
	if n > cap(s) {
		c := make([]T, len(s), max(n, 2*cap(s)))
		copy(c, s)
		s = c
	}
	return s[:n]
}

// count is COUNT and COUNT_IF.
type count struct {
	n        []int64
	onlyTrue bool
}

func (a *count) Grow(n int) { a.n = resize(a.n, n) }

// Update implements [Accumulator]. COUNT(a, b) counts rows where neither is null; without nulls and filter only groups are looked
// at.
func (a *count) Update(args []*vec.Vec, groups []int32, skip []bool, n int) error {
	plain := skip == nil && !a.onlyTrue
	for _, v := range args {
		plain = plain && v.Null == nil
	}
	if plain {
		if groups == nil {
			a.n[0] += int64(n)
			return nil
		}
		for _, g := range groups[:n] {
			a.n[g]++
		}
		return nil
	}
rows:
	for i := range n {
		if skipped(skip, i) {
			continue
		}
		for _, v := range args {
			if v.IsNull(i) {
				continue rows
			}
		}
		if a.onlyTrue && !args[0].Bool[i&args[0].Mask()] {
			continue
		}
		a.n[group(groups, i)]++
	}
	return nil
}

func (a *count) Merge(o Accumulator, to []int32) error {
	x := o.(*count)
	for g, t := range to {
		if t >= 0 {
			a.n[t] += x.n[g]
		}
	}
	return nil
}

func (a *count) Encode(g int, b []byte) []byte {
	return binary.LittleEndian.AppendUint64(b, uint64(a.n[g]))
}

func (a *count) Decode(g int, b []byte) ([]byte, error) {
	if len(b) < 8 {
		return nil, errState
	}
	a.n[g] += int64(binary.LittleEndian.Uint64(b))
	return b[8:], nil
}

func (a *count) Result(n int) (*vec.Vec, error) { return vec.Of(datatype.Long, a.n[:n:n]), nil }

// newSum picks the sum of the argument's layout. The width of an integer only matters for reading it: the sum is a BIGINT.
func newSum(a aggregate) (func() Accumulator, error) {
	switch vec.PhysOf(a.args[0]) {
	case vec.PI8:
		return func() Accumulator { return &sumInt[int8]{t: a.typ, ansi: a.env.ANSI} }, nil
	case vec.PI16:
		return func() Accumulator { return &sumInt[int16]{t: a.typ, ansi: a.env.ANSI} }, nil
	case vec.PI32:
		return func() Accumulator { return &sumInt[int32]{t: a.typ, ansi: a.env.ANSI} }, nil
	case vec.PI64:
		return func() Accumulator { return &sumInt[int64]{t: a.typ, ansi: a.env.ANSI} }, nil
	case vec.PF32:
		return func() Accumulator { return &sumFloat[float32]{} }, nil
	case vec.PF64, vec.PNull:
		return func() Accumulator { return &sumFloat[float64]{} }, nil
	case vec.PDec:
		return func() Accumulator { return &sumDec{t: a.typ.(datatype.Decimal), ansi: a.env.ANSI} }, nil
	}
	return nil, located(condition.Newf(condition.Unsupported, "sum of %s is not supported.", a.args[0]), a.call.At)
}

// sumInt sums integers and intervals in 64 bits.
type sumInt[T int8 | int16 | int32 | int64] struct {
	sum  []int64
	has  []bool
	t    datatype.Type
	ansi bool
}

func (a *sumInt[T]) Grow(n int) { a.sum, a.has = resize(a.sum, n), resize(a.has, n) }

// overflow is the error of a sum that leaves 64 bits. Intervals raise it without ANSI too, as in Spark.
func (a *sumInt[T]) overflow() error {
	if datatype.IsInterval(a.t) {
		return condition.Newf("INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION", "Integer overflow while operating with intervals. Use `try_add` to tolerate overflow and return NULL instead.")
	}
	return condition.Newf(condition.ArithmeticOverflow, "long overflow. Use try_sum to tolerate overflow and return NULL instead.")
}

// Update implements [Accumulator]. The first loop has no branch: overflow shows in the sign of bad after it.
func (a *sumInt[T]) Update(args []*vec.Vec, groups []int32, skip []bool, n int) error {
	v := args[0]
	if v.AllNull() {
		return nil
	}
	x, m := vec.Data[T](v), v.Mask()
	raise := a.ansi || datatype.IsInterval(a.t)
	if v.Null == nil && skip == nil && groups != nil && !v.Const {
		var bad int64
		sum, has := a.sum, a.has
		for i, g := range groups[:n] {
			y, s := int64(x[i]), sum[g]
			r := s + y
			bad |= (s ^ r) & (y ^ r)
			sum[g], has[g] = r, true
		}
		if bad < 0 && raise {
			return a.overflow()
		}
		return nil
	}
	for i := range n {
		if skipped(skip, i) || v.IsNull(i) {
			continue
		}
		g := group(groups, i)
		y, s := int64(x[i&m]), a.sum[g]
		r := s + y
		if (s^r)&(y^r) < 0 && raise {
			return a.overflow()
		}
		a.sum[g], a.has[g] = r, true
	}
	return nil
}

// add adds to a group's sum with the check.
func (a *sumInt[T]) add(g int, y int64) error {
	r := a.sum[g] + y
	if (a.sum[g]^r)&(y^r) < 0 && (a.ansi || datatype.IsInterval(a.t)) {
		return a.overflow()
	}
	a.sum[g], a.has[g] = r, true
	return nil
}

func (a *sumInt[T]) Merge(o Accumulator, to []int32) error {
	x := o.(*sumInt[T])
	for g, t := range to {
		if t >= 0 && x.has[g] {
			if err := a.add(int(t), x.sum[g]); err != nil {
				return err
			}
		}
	}
	return nil
}

// appendFlag writes a boolean of the state's encoding.
func appendFlag(b []byte, f bool) []byte {
	if f {
		return append(b, 1)
	}
	return append(b, 0)
}

func (a *sumInt[T]) Encode(g int, b []byte) []byte {
	return binary.LittleEndian.AppendUint64(appendFlag(b, a.has[g]), uint64(a.sum[g]))
}

func (a *sumInt[T]) Decode(g int, b []byte) ([]byte, error) {
	if len(b) < 9 {
		return nil, errState
	}
	if b[0] == 1 {
		if err := a.add(g, int64(binary.LittleEndian.Uint64(b[1:]))); err != nil {
			return nil, err
		}
	}
	return b[9:], nil
}

func (a *sumInt[T]) Result(n int) (*vec.Vec, error) {
	null := unset(a.has[:n])
	if vec.PhysOf(a.t) == vec.PI32 { // year–month intervals
		out := make([]int32, n)
		for i, x := range a.sum[:n] {
			if int64(int32(x)) != x {
				return nil, a.overflow()
			}
			out[i] = int32(x)
		}
		return vec.Of(a.t, out).WithNull(null), nil
	}
	return vec.Of(a.t, a.sum[:n:n]).WithNull(null), nil
}

// unset gives the nulls of groups that saw no value, nil where every group did.
func unset(has []bool) []bool {
	var null []bool
	for i, h := range has {
		if !h {
			if null == nil {
				null = make([]bool, len(has))
			}
			null[i] = true
		}
	}
	return null
}

// sumFloat sums FLOAT and DOUBLE in a double.
type sumFloat[T float32 | float64] struct {
	sum []float64
	has []bool
}

func (a *sumFloat[T]) Grow(n int) { a.sum, a.has = resize(a.sum, n), resize(a.has, n) }

// Update implements [Accumulator]. The order of the rows shows in the last bits, as in Spark, where the number of partitions
// decides.
func (a *sumFloat[T]) Update(args []*vec.Vec, groups []int32, skip []bool, n int) error {
	v := args[0]
	if v.AllNull() || vec.PhysOf(v.Type) == vec.PNull {
		return nil
	}
	x, m := vec.Data[T](v), v.Mask()
	if v.Null == nil && skip == nil && groups != nil && !v.Const {
		for i, g := range groups[:n] {
			a.sum[g] += float64(x[i])
			a.has[g] = true
		}
		return nil
	}
	for i := range n {
		if skipped(skip, i) || v.IsNull(i) {
			continue
		}
		g := group(groups, i)
		a.sum[g] += float64(x[i&m])
		a.has[g] = true
	}
	return nil
}

func (a *sumFloat[T]) Merge(o Accumulator, to []int32) error {
	x := o.(*sumFloat[T])
	for g, t := range to {
		if t >= 0 && x.has[g] {
			a.sum[t] += x.sum[g]
			a.has[t] = true
		}
	}
	return nil
}

func (a *sumFloat[T]) Encode(g int, b []byte) []byte {
	return binary.LittleEndian.AppendUint64(appendFlag(b, a.has[g]), math.Float64bits(a.sum[g]))
}

func (a *sumFloat[T]) Decode(g int, b []byte) ([]byte, error) {
	if len(b) < 9 {
		return nil, errState
	}
	if b[0] == 1 {
		a.sum[g] += math.Float64frombits(binary.LittleEndian.Uint64(b[1:]))
		a.has[g] = true
	}
	return b[9:], nil
}

func (a *sumFloat[T]) Result(n int) (*vec.Vec, error) {
	return vec.Of(datatype.Double, a.sum[:n:n]).WithNull(unset(a.has[:n])), nil
}

// sumDec sums decimals in 128 bits. A group whose sum passes the digits of its type stays overflowed, as in Spark: its result is
// an error under ANSI and null otherwise, whatever comes behind.
type sumDec struct {
	sum  []dec
	has  []bool
	over []bool
	t    datatype.Decimal
	ansi bool
}

func (a *sumDec) Grow(n int) {
	a.sum, a.has, a.over = resize(a.sum, n), resize(a.has, n), resize(a.over, n)
}

// add adds and notes an overflow for good: a sum that came back into range is not Spark's answer.
func (a *sumDec) add(g int, x dec) {
	r, over := vec.AddDec(a.sum[g], x)
	if over || !fitsDec(r, a.t.Precision) {
		a.over[g] = true
	}
	a.sum[g], a.has[g] = r, true
}

func (a *sumDec) Update(args []*vec.Vec, groups []int32, skip []bool, n int) error {
	v := args[0]
	if v.AllNull() {
		return nil
	}
	m := v.Mask()
	if v.Null == nil && skip == nil && !v.Const && groups != nil {
		sum, has := a.sum, a.has
		for i, g := range groups[:n] {
			x, y := sum[g], v.Dec[i]
			lo, carry := bits.Add64(x.LowBits(), y.LowBits(), 0)
			hi := x.HighBits() + y.HighBits() + int64(carry)
			// A sum within 63 bits of values within 64 neither overflows nor has more digits than any sum's type that is wide.
			if h := y.HighBits(); a.t.Precision < 19 || h != int64(y.LowBits())>>63 || hi != int64(lo)>>63 || x.HighBits() != int64(x.LowBits())>>63 {
				a.add(int(g), y)
				continue
			}
			sum[g], has[g] = decimal128.New(hi, lo), true
		}
		return nil
	}
	for i := range n {
		if !skipped(skip, i) && !v.IsNull(i) {
			a.add(group(groups, i), v.Dec[i&m])
		}
	}
	return nil
}

func (a *sumDec) Merge(o Accumulator, to []int32) error {
	x := o.(*sumDec)
	for g, t := range to {
		if t >= 0 && x.has[g] {
			a.add(int(t), x.sum[g])
			a.over[t] = a.over[t] || x.over[g]
		}
	}
	return nil
}

func (a *sumDec) Encode(g int, b []byte) []byte {
	b = appendFlag(appendFlag(b, a.has[g]), a.over[g])
	b = binary.LittleEndian.AppendUint64(b, a.sum[g].LowBits())
	return binary.LittleEndian.AppendUint64(b, uint64(a.sum[g].HighBits()))
}

func (a *sumDec) Decode(g int, b []byte) ([]byte, error) {
	if len(b) < 18 {
		return nil, errState
	}
	if b[0] == 1 {
		a.add(g, decimal128.New(int64(binary.LittleEndian.Uint64(b[10:])), binary.LittleEndian.Uint64(b[2:])))
		a.over[g] = a.over[g] || b[1] == 1
	}
	return b[18:], nil
}

func (a *sumDec) Result(n int) (*vec.Vec, error) {
	null := unset(a.has[:n])
	for g, over := range a.over[:n] {
		if !over {
			continue
		}
		if a.ansi {
			return nil, condition.Newf(condition.ArithmeticOverflow, "Overflow in sum of decimals. Use try_sum to tolerate overflow and return NULL instead.")
		}
		if null == nil {
			null = make([]bool, n)
		}
		null[g] = true
	}
	return vec.Of(a.t, a.sum[:n:n]).WithNull(null), nil
}

// avg divides a sum by a count.
type avg struct {
	sum Accumulator
	n   count
	t   datatype.Type
	end func(sum *vec.Vec, n []int64) (*vec.Vec, error)
	// prepare gives the argument in the type that is summed.
	prepare func(v *vec.Vec) *vec.Vec
}

// newAvg makes means: decimals are divided exactly and rounded once to the result's scale, intervals half up, the rest as doubles.
func newAvg(a aggregate) (func() Accumulator, error) {
	from, to := a.args[0], a.typ
	mean := &avg{t: to}
	switch {
	case from.Kind() == datatype.KindDecimal:
		d, r := from.(datatype.Decimal), to.(datatype.Decimal)
		st := datatype.BoundedDecimal(d.Precision+10, d.Scale)
		ansi := a.env.ANSI
		mean.end = func(sum *vec.Vec, n []int64) (*vec.Vec, error) {
			out := make([]dec, len(n))
			more := nulls{b: sum.Null}
			for i, k := range n {
				if k == 0 || sum.IsNull(i) {
					continue
				}
				q, ok := divDec(sum.Dec[i], decimal128.FromI64(k), st.Scale, 0, r.Scale, r.Precision)
				if !ok {
					if ansi {
						return nil, outOfRange(decString(sum.Dec[i], st.Scale)+" / "+fmt.Sprint(k), r)
					}
					more.set(i, len(n))
				}
				out[i] = q
			}
			return vec.Of(to, out).WithNull(more.b), nil
		}
		return func() Accumulator { m := *mean; m.sum = &sumDec{t: st, ansi: ansi}; return &m }, nil
	case datatype.IsInterval(from):
		mean.end = func(sum *vec.Vec, n []int64) (*vec.Vec, error) {
			out64, out32 := make([]int64, len(n)), make([]int32, len(n))
			for i, k := range n {
				if k == 0 || sum.IsNull(i) {
					continue
				}
				var s int64
				if sum.I32 != nil {
					s = int64(sum.I32[i])
				} else {
					s = sum.I64[i]
				}
				q := divHalfUp(big.NewInt(s), big.NewInt(k)).Int64()
				out64[i], out32[i] = q, int32(q)
			}
			if vec.PhysOf(to) == vec.PI32 {
				return vec.Of(to, out32).WithNull(sum.Null), nil
			}
			return vec.Of(to, out64).WithNull(sum.Null), nil
		}
		f, err := newSum(aggregate{env: a.env, typ: to, args: a.args, call: a.call})
		if err != nil {
			return nil, err
		}
		return func() Accumulator { m := *mean; m.sum = f(); return &m }, nil
	case !datatype.IsNumeric(from) && from.Kind() != datatype.KindNull:
		return nil, located(condition.Newf(condition.Unsupported, "avg of %s is not supported.", from), a.call.At)
	}
	if datatype.IsIntegral(from) {
		// Spark sums integers as doubles for a mean.
		mean.prepare = func(v *vec.Vec) *vec.Vec {
			n := v.Len
			if v.Const {
				n = 1
			}
			get, out := intAt(v.Type), make([]float64, n)
			for i := range out {
				out[i] = float64(get(v, i))
			}
			c := vec.Of(datatype.Double, out)
			c.Null, c.Const, c.Len = v.Null, v.Const, v.Len
			return c
		}
	}
	mean.end = func(sum *vec.Vec, n []int64) (*vec.Vec, error) {
		out := make([]float64, len(n))
		for i, k := range n {
			if k != 0 {
				out[i] = sum.F64[i] / float64(k)
			}
		}
		return vec.Of(to, out).WithNull(sum.Null), nil
	}
	single := from.Kind() == datatype.KindFloat
	return func() Accumulator {
		m := *mean
		m.sum = &sumFloat[float64]{}
		if single {
			m.sum = &sumFloat[float32]{}
		}
		return &m
	}, nil
}

func (a *avg) Grow(n int) { a.sum.Grow(n); a.n.Grow(n) }

func (a *avg) Update(args []*vec.Vec, groups []int32, skip []bool, n int) error {
	if err := a.n.Update(args, groups, skip, n); err != nil {
		return err
	}
	if a.prepare != nil {
		args = []*vec.Vec{a.prepare(args[0])}
	}
	return a.sum.Update(args, groups, skip, n)
}

func (a *avg) Merge(o Accumulator, to []int32) error {
	x := o.(*avg)
	if err := a.n.Merge(&x.n, to); err != nil {
		return err
	}
	return a.sum.Merge(x.sum, to)
}

func (a *avg) Encode(g int, b []byte) []byte { return a.sum.Encode(g, a.n.Encode(g, b)) }

// Decode implements [Accumulator]; the count comes first.
func (a *avg) Decode(g int, b []byte) ([]byte, error) {
	b, err := a.n.Decode(g, b)
	if err != nil {
		return nil, err
	}
	return a.sum.Decode(g, b)
}

func (a *avg) Result(n int) (*vec.Vec, error) {
	s, err := a.sum.Result(n)
	if err != nil {
		return nil, err
	}
	return a.end(s, a.n.n[:n])
}

// extremum is MIN, MAX, BOOL_AND (the least) and BOOL_OR (the greatest).
type extremum struct {
	slots
	sign int
	// stored is where a state is read that meets one that is there.
	stored *slots
}

// newExtreme makes MIN (sign -1) and MAX (sign 1); false is less than true, so they are BOOL_AND and BOOL_OR too.
func newExtreme(a aggregate, sign int) func() Accumulator {
	t := a.typ
	return func() Accumulator { return &extremum{slots: newSlots(t), sign: sign} }
}

// Update implements [Accumulator] by the layout; only nested types and the narrow numbers go through the general comparison.
func (a *extremum) Update(args []*vec.Vec, groups []int32, skip []bool, n int) error {
	v := args[0]
	if v.AllNull() {
		return nil
	}
	switch a.phys {
	case vec.PI32:
		extremes(a, a.i32, v, v.I32, groups, skip, n, func(x, y int32) bool { return x < y })
		return nil
	case vec.PI64:
		extremes(a, a.i64, v, v.I64, groups, skip, n, func(x, y int64) bool { return x < y })
		return nil
	case vec.PF64:
		extremes(a, a.f64, v, v.F64, groups, skip, n, func(x, y float64) bool { return x < y || y != y && x == x })
		return nil
	}
	for i := range n {
		if skipped(skip, i) || v.IsNull(i) {
			continue
		}
		if g := group(groups, i); !a.has[g] || a.against(v, i, g)*a.sign > 0 {
			a.set(g, v, i)
		}
	}
	return nil
}

// extremes is Update for a slice of numbers.
func extremes[T any](a *extremum, best []T, v *vec.Vec, x []T, groups []int32, skip []bool, n int, less func(x, y T) bool) {
	m := v.Mask()
	has := a.has
	for i := range n {
		if skipped(skip, i) || v.IsNull(i) {
			continue
		}
		g := group(groups, i)
		y := x[i&m]
		if !has[g] || a.sign < 0 && less(y, best[g]) || a.sign > 0 && less(best[g], y) {
			best[g], has[g] = y, true
		}
	}
}

// offer takes the value of another's group when it beats the group's own.
func (a *extremum) offer(g int, o *slots, h int) {
	if o.has[h] && (!a.has[g] || o.compare(h, &a.slots, g)*a.sign > 0) {
		a.copy(g, o, h)
	}
}

func (a *extremum) Merge(o Accumulator, to []int32) error {
	x := o.(*extremum)
	for g, t := range to {
		if t >= 0 {
			a.offer(int(t), &x.slots, g)
		}
	}
	return nil
}

func (a *extremum) Decode(g int, b []byte) ([]byte, error) {
	if !a.has[g] {
		return a.read(g, b)
	}
	if a.stored == nil {
		s := newSlots(a.t)
		s.Grow(1)
		a.stored = &s
	}
	rest, err := a.stored.read(0, b)
	if err == nil {
		a.offer(g, a.stored, 0)
	}
	return rest, err
}

// pick is FIRST and LAST. A decoded state is older than what is there.
type pick struct {
	slots
	last   bool
	ignore bool // nulls do not count
}

func (a *pick) Update(args []*vec.Vec, groups []int32, skip []bool, n int) error {
	for i := range n {
		if g := group(groups, i); !skipped(skip, i) && (a.last || !a.has[g]) && !(a.ignore && args[0].IsNull(i)) {
			a.set(g, args[0], i)
		}
	}
	return nil
}

// Merge implements [Accumulator]: the other's rows come behind.
func (a *pick) Merge(o Accumulator, to []int32) error {
	x := o.(*pick)
	for g, t := range to {
		if t >= 0 && x.has[g] && (a.last || !a.has[t]) {
			a.copy(int(t), &x.slots, g)
		}
	}
	return nil
}

func (a *pick) Decode(g int, b []byte) ([]byte, error) {
	v, rest, err := a.decode(b)
	if err == nil && v != nil && (!a.last || !a.has[g]) {
		a.set(g, v, 0)
	}
	return rest, err
}

// collect is COLLECT_LIST: the encoded values of each group, one behind the other.
type collect struct {
	t, elem datatype.Type
	n       []uint32
	values  [][]byte
}

func (a *collect) Grow(n int) { a.n, a.values = resize(a.n, n), resize(a.values, n) }

func (a *collect) Update(args []*vec.Vec, groups []int32, skip []bool, n int) error {
	v := args[0]
	for i := range n {
		if skipped(skip, i) || v.IsNull(i) {
			continue
		}
		g := group(groups, i)
		a.values[g] = vec.AppendValue(a.values[g], v, i)
		a.n[g]++
	}
	return nil
}

func (a *collect) Merge(o Accumulator, to []int32) error {
	x := o.(*collect)
	for g, t := range to {
		if t < 0 {
			continue
		}
		a.values[t] = append(a.values[t], x.values[g]...)
		a.n[t] += x.n[g]
	}
	return nil
}

func (a *collect) Encode(g int, b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, a.n[g])
	b = binary.LittleEndian.AppendUint32(b, uint32(len(a.values[g])))
	return append(b, a.values[g]...)
}

func (a *collect) Decode(g int, b []byte) ([]byte, error) {
	if len(b) < 8 {
		return nil, errState
	}
	n, size := binary.LittleEndian.Uint32(b), int(binary.LittleEndian.Uint32(b[4:]))
	if b = b[8:]; len(b) < size {
		return nil, errState
	}
	a.n[g] += n
	a.values[g] = append(append([]byte(nil), b[:size]...), a.values[g]...)
	return b[size:], nil
}

func (a *collect) Result(n int) (*vec.Vec, error) {
	b := vec.NewBuilder(a.t, n)
	for g := range n {
		r := a.values[g]
		for range a.n[g] {
			var err error
			if r, err = b.Kids[0].AppendEncoded(r); err != nil {
				return nil, err
			}
		}
		b.CloseList()
	}
	return b.Vec(), nil
}

// distinct passes each value of a group on once.
type distinct struct {
	Accumulator
	seen map[string]struct{}
	rows vec.Rows
	key  []byte
}

// Update implements [Accumulator]: rows whose group and values were seen join those that the filter leaves out.
func (a *distinct) Update(args []*vec.Vec, groups []int32, skip []bool, n int) error {
	a.rows.Encode(args, n)
	out := make([]bool, n)
	for i := range out {
		if skipped(skip, i) {
			out[i] = true
			continue
		}
		a.key = binary.LittleEndian.AppendUint32(a.key[:0], uint32(group(groups, i)))
		a.key = append(a.key, a.rows.Row(i)...)
		if _, ok := a.seen[string(a.key)]; ok {
			out[i] = true
			continue
		}
		a.seen[string(a.key)] = struct{}{}
	}
	return a.Accumulator.Update(args, groups, out, n)
}
