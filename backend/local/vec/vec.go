// Package vec holds the engine's columns: plain Go slices in Arrow's layout, so that a loop over a column is a loop over a slice.
//
// Memory: a vector's own slices are garbage collected; a vector that came from an Arrow array points into the array's buffers, and
// its [Batch] holds the array until it is released. Nothing of Arrow is counted per vector.
package vec

import (
	"context"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Phys is the layout of a vector: which of its slices holds the values.
type Phys uint8

// The layouts.
const (
	PNull   Phys = iota // no values: every row is null
	PBool               // Bool
	PI8                 // I8
	PI16                // I16
	PI32                // I32: INT, DATE (days), year–month intervals (months)
	PI64                // I64: BIGINT, time stamps, day–time intervals, times (all microseconds)
	PF32                // F32
	PF64                // F64
	PDec                // Dec: the unscaled digits
	PBytes              // Off, Bytes: texts and binaries
	PList               // Off, Kids[0]
	PMap                // Off, Kids[0] keys, Kids[1] values
	PStruct             // Kids
)

// PhysOf gives the layout of a type.
func PhysOf(t datatype.Type) Phys {
	switch t.Kind() {
	case datatype.KindBoolean:
		return PBool
	case datatype.KindByte:
		return PI8
	case datatype.KindShort:
		return PI16
	case datatype.KindInt, datatype.KindDate, datatype.KindYearMonth:
		return PI32
	case datatype.KindLong, datatype.KindTimestamp, datatype.KindTimestampNTZ, datatype.KindDayTime, datatype.KindTime:
		return PI64
	case datatype.KindFloat:
		return PF32
	case datatype.KindDouble:
		return PF64
	case datatype.KindDecimal:
		return PDec
	case datatype.KindString, datatype.KindChar, datatype.KindVarchar, datatype.KindBinary:
		return PBytes
	case datatype.KindArray:
		return PList
	case datatype.KindMap:
		return PMap
	case datatype.KindStruct, datatype.KindVariant:
		return PStruct
	}
	return PNull
}

// KidTypes gives the types of a nested type's children, in the order of Kids.
func KidTypes(t datatype.Type) []datatype.Type {
	switch x := t.(type) {
	case datatype.Array:
		return []datatype.Type{x.Elem}
	case datatype.Map:
		return []datatype.Type{x.Key, x.Value}
	case datatype.Struct:
		out := make([]datatype.Type, len(x.Fields))
		for i, f := range x.Fields {
			out[i] = f.Type
		}
		return out
	}
	if t.Kind() == datatype.KindVariant {
		return []datatype.Type{datatype.Binary, datatype.Binary}
	}
	return nil
}

// Vec is a column of Len values of one type. It is not changed after it was handed on: kernels make new ones.
type Vec struct {
	Type datatype.Type
	Len  int
	// Const says that one value, at index 0, stands for all Len rows.
	Const bool
	// Null marks null rows; nil when there are none. The value under a null is arbitrary.
	Null []bool

	Bool  []bool
	I8    []int8
	I16   []int16
	I32   []int32
	I64   []int64
	F32   []float32
	F64   []float64
	Dec   []decimal128.Num
	Off   []int32 // Len+1 offsets into Bytes or Kids; the first need not be 0
	Bytes []byte
	Kids  []*Vec

	// Codes and Dict are a second layout of texts and binaries: row i is row Codes[i] of Dict, which has no nulls and memory of the collector's. Off and Bytes are nil then. [Vec.Flat] makes the
	// first layout of it; the functions of this package take both, and expressions see the first one unless they ask (package kernel).
	Codes []int32
	Dict  *Vec

	// identity is one and the same for vectors of one dictionary, though each batch has a vector of its own; nil for others.
	identity any

	src arrow.Array // the array that the slices point into, unchanged; nil for vectors of our own
}

// Mask is what an index is and-ed with to read a vector that may be constant: 0 for a constant, else all ones.
func (v *Vec) Mask() int {
	if v.Const {
		return 0
	}
	return -1
}

// Identity is the same for two dictionaries only if they have the same values; nil says nothing.
func (v *Vec) Identity() any { return v.identity }

// IsNull tells whether row i is null.
func (v *Vec) IsNull(i int) bool { return v.Null != nil && v.Null[i&v.Mask()] }

// AllNull tells whether v is the constant NULL.
func (v *Vec) AllNull() bool { return v.Const && v.Null != nil && v.Null[0] }

// Str gives the bytes of row i as a string that shares memory with the vector.
func (v *Vec) Str(i int) string {
	i &= v.Mask()
	if v.Dict != nil {
		v, i = v.Dict, int(v.Codes[i])
	}
	b := v.Bytes[v.Off[i]:v.Off[i+1]]
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// Value is a value that a vector stores in a slice of its own.
type Value interface {
	bool | int8 | int16 | int32 | int64 | float32 | float64 | decimal128.Num
}

// Data gives the slice of T of a vector; it is called outside loops.
func Data[T Value](v *Vec) []T {
	var p any
	switch any((*T)(nil)).(type) {
	case *bool:
		p = &v.Bool
	case *int8:
		p = &v.I8
	case *int16:
		p = &v.I16
	case *int32:
		p = &v.I32
	case *int64:
		p = &v.I64
	case *float32:
		p = &v.F32
	case *float64:
		p = &v.F64
	case *decimal128.Num:
		p = &v.Dec
	}
	return *p.(*[]T)
}

// Of makes a vector of type t over values.
func Of[T Value](t datatype.Type, values []T) *Vec {
	v := &Vec{Type: t, Len: len(values)}
	switch x := any(values).(type) {
	case []bool:
		v.Bool = x
	case []int8:
		v.I8 = x
	case []int16:
		v.I16 = x
	case []int32:
		v.I32 = x
	case []int64:
		v.I64 = x
	case []float32:
		v.F32 = x
	case []float64:
		v.F64 = x
	case []decimal128.Num:
		v.Dec = x
	}
	return v
}

// Nulls gives n nulls of a type as a constant.
func Nulls(t datatype.Type, n int) *Vec {
	v := zero(t, 1)
	v.Null, v.Const, v.Len = []bool{true}, true, n
	return v
}

// zero gives n zero values, none null.
func zero(t datatype.Type, n int) *Vec {
	v := &Vec{Type: t, Len: n}
	switch PhysOf(t) {
	case PBool:
		v.Bool = make([]bool, n)
	case PI8:
		v.I8 = make([]int8, n)
	case PI16:
		v.I16 = make([]int16, n)
	case PI32:
		v.I32 = make([]int32, n)
	case PI64:
		v.I64 = make([]int64, n)
	case PF32:
		v.F32 = make([]float32, n)
	case PF64:
		v.F64 = make([]float64, n)
	case PDec:
		v.Dec = make([]decimal128.Num, n)
	case PBytes:
		v.Off = make([]int32, n+1)
	case PList, PMap:
		v.Off = make([]int32, n+1)
		for _, k := range KidTypes(t) {
			v.Kids = append(v.Kids, zero(k, 0))
		}
	case PStruct:
		for _, k := range KidTypes(t) {
			v.Kids = append(v.Kids, zero(k, n))
		}
	case PNull:
		v.Null = make([]bool, n)
		for i := range v.Null {
			v.Null[i] = true
		}
	}
	return v
}

// WithType gives the same values under another type of the same layout.
func (v *Vec) WithType(t datatype.Type) *Vec {
	c := *v
	c.Type, c.src = t, nil
	return &c
}

// WithNull gives the same values with other nulls.
func (v *Vec) WithNull(null []bool) *Vec {
	c := *v
	c.Null, c.src = null, nil
	return &c
}

// Repeat makes row 0 of v stand for n rows.
func (v *Vec) Repeat(n int) *Vec {
	c := *v
	c.Const, c.Len, c.src = true, n, nil
	return &c
}

// One gives the value of a constant as a vector of one row.
func (v *Vec) One() *Vec {
	c := *v
	c.Const, c.Len, c.src = false, 1, nil
	return &c
}

// Flat gives v without Const and without a dictionary, each value in a row of its own.
func (v *Vec) Flat() *Vec {
	if v.Dict != nil {
		if v.Const {
			return v.One().Flat().Repeat(v.Len).Flat()
		}
		codes := v.Codes[:v.Len]
		if v.Null != nil {
			// A null has no code; its text is empty.
			codes = append([]int32(nil), codes...)
			for i, null := range v.Null[:v.Len] {
				if null {
					codes[i] = -1
				}
			}
		}
		return Take(v.Dict, codes).WithType(v.Type).WithNull(v.Null)
	}
	if !v.Const {
		return v
	}
	return Take(v.One(), make([]int32, v.Len))
}

// Slice gives rows lo up to hi; it shares memory.
func (v *Vec) Slice(lo, hi int) *Vec {
	c := *v
	c.Len, c.src = hi-lo, nil
	if v.Const {
		return &c
	}
	if lo == 0 && hi == v.Len {
		return v
	}
	if v.Null != nil {
		c.Null = v.Null[lo:hi]
	}
	if v.Dict != nil {
		c.Codes = v.Codes[lo:hi]
		return &c
	}
	switch PhysOf(v.Type) {
	case PBool:
		c.Bool = v.Bool[lo:hi]
	case PI8:
		c.I8 = v.I8[lo:hi]
	case PI16:
		c.I16 = v.I16[lo:hi]
	case PI32:
		c.I32 = v.I32[lo:hi]
	case PI64:
		c.I64 = v.I64[lo:hi]
	case PF32:
		c.F32 = v.F32[lo:hi]
	case PF64:
		c.F64 = v.F64[lo:hi]
	case PDec:
		c.Dec = v.Dec[lo:hi]
	case PBytes, PList, PMap:
		c.Off = v.Off[lo : hi+1]
	case PStruct:
		c.Kids = make([]*Vec, len(v.Kids))
		for i, k := range v.Kids {
			c.Kids[i] = k.Slice(lo, hi)
		}
	}
	return &c
}

// Take gives the rows that idx names, in its order; a negative index gives null.
func Take(v *Vec, idx []int32) *Vec {
	n := len(idx)
	out := &Vec{Type: v.Type, Len: n}
	outer := false
	for _, j := range idx {
		if j < 0 {
			outer = true
			break
		}
	}
	if v.Const && !outer {
		return v.Repeat(n)
	}
	if v.Const {
		c := v.One()
		at := make([]int32, n)
		for i, j := range idx {
			if j < 0 {
				at[i] = -1
			}
		}
		return Take(c, at)
	}
	if v.Null != nil || outer {
		null, any := make([]bool, n), false
		for i, j := range idx {
			if j < 0 || v.Null != nil && v.Null[j] {
				null[i], any = true, true
			}
		}
		if any {
			out.Null = null
		}
	}
	if v.Dict != nil {
		out.Codes, out.Dict = gather(v.Codes, idx, outer), v.Dict
		return out
	}
	switch PhysOf(v.Type) {
	case PBool:
		out.Bool = gather(v.Bool, idx, outer)
	case PI8:
		out.I8 = gather(v.I8, idx, outer)
	case PI16:
		out.I16 = gather(v.I16, idx, outer)
	case PI32:
		out.I32 = gather(v.I32, idx, outer)
	case PI64:
		out.I64 = gather(v.I64, idx, outer)
	case PF32:
		out.F32 = gather(v.F32, idx, outer)
	case PF64:
		out.F64 = gather(v.F64, idx, outer)
	case PDec:
		out.Dec = gather(v.Dec, idx, outer)
	case PBytes:
		out.Off = make([]int32, n+1)
		total := 0
		for i, j := range idx {
			if j >= 0 {
				total += int(v.Off[j+1] - v.Off[j])
			}
			out.Off[i+1] = int32(total)
		}
		out.Bytes = make([]byte, total)
		for i, j := range idx {
			if j >= 0 {
				copy(out.Bytes[out.Off[i]:], v.Bytes[v.Off[j]:v.Off[j+1]])
			}
		}
	case PList, PMap:
		out.Off = make([]int32, n+1)
		var kids []int32
		for i, j := range idx {
			if j >= 0 && !(v.Null != nil && v.Null[j]) {
				for k := v.Off[j]; k < v.Off[j+1]; k++ {
					kids = append(kids, k)
				}
			}
			out.Off[i+1] = int32(len(kids))
		}
		for _, k := range v.Kids {
			out.Kids = append(out.Kids, Take(k, kids))
		}
	case PStruct:
		for _, k := range v.Kids {
			out.Kids = append(out.Kids, Take(k, idx))
		}
	case PNull:
		out.Null = make([]bool, n)
		for i := range out.Null {
			out.Null[i] = true
		}
	}
	return out
}

// gather is Take for a slice. With outer, a negative index leaves the zero value.
func gather[T any](in []T, idx []int32, outer bool) []T {
	out := make([]T, len(idx))
	if !outer {
		for i, j := range idx {
			out[i] = in[j]
		}
		return out
	}
	for i, j := range idx {
		if j >= 0 {
			out[i] = in[j]
		}
	}
	return out
}

// Concat puts vectors of one type together.
func Concat(t datatype.Type, vs []*Vec) *Vec {
	if len(vs) == 1 {
		return vs[0].Flat()
	}
	n, nulls := 0, false
	flat := make([]*Vec, len(vs))
	for i, v := range vs {
		flat[i] = v.Flat()
		n += v.Len
		nulls = nulls || v.Null != nil
	}
	out := &Vec{Type: t, Len: n}
	if nulls {
		out.Null = make([]bool, 0, n)
		for _, v := range flat {
			if v.Null != nil {
				out.Null = append(out.Null, v.Null...)
			} else {
				out.Null = append(out.Null, make([]bool, v.Len)...)
			}
		}
	}
	switch PhysOf(t) {
	case PBool:
		out.Bool = join(flat, n, func(v *Vec) []bool { return v.Bool })
	case PI8:
		out.I8 = join(flat, n, func(v *Vec) []int8 { return v.I8 })
	case PI16:
		out.I16 = join(flat, n, func(v *Vec) []int16 { return v.I16 })
	case PI32:
		out.I32 = join(flat, n, func(v *Vec) []int32 { return v.I32 })
	case PI64:
		out.I64 = join(flat, n, func(v *Vec) []int64 { return v.I64 })
	case PF32:
		out.F32 = join(flat, n, func(v *Vec) []float32 { return v.F32 })
	case PF64:
		out.F64 = join(flat, n, func(v *Vec) []float64 { return v.F64 })
	case PDec:
		out.Dec = join(flat, n, func(v *Vec) []decimal128.Num { return v.Dec })
	case PBytes:
		out.Off = make([]int32, 1, n+1)
		total := 0
		for _, v := range flat {
			total += int(v.Off[v.Len] - v.Off[0])
		}
		out.Bytes = make([]byte, 0, total)
		for _, v := range flat {
			shift := int32(len(out.Bytes)) - v.Off[0]
			for _, o := range v.Off[1 : v.Len+1] {
				out.Off = append(out.Off, o+shift)
			}
			out.Bytes = append(out.Bytes, v.Bytes[v.Off[0]:v.Off[v.Len]]...)
		}
	case PList, PMap:
		out.Off = make([]int32, 1, n+1)
		at := int32(0)
		for _, v := range flat {
			shift := at - v.Off[0]
			for _, o := range v.Off[1 : v.Len+1] {
				out.Off = append(out.Off, o+shift)
			}
			at = out.Off[len(out.Off)-1]
		}
		for k, kt := range KidTypes(t) {
			kids := make([]*Vec, len(flat))
			for i, v := range flat {
				kids[i] = v.Kids[k].Flat().Slice(int(v.Off[0]), int(v.Off[v.Len]))
			}
			out.Kids = append(out.Kids, Concat(kt, kids))
		}
	case PStruct:
		for k, kt := range KidTypes(t) {
			kids := make([]*Vec, len(flat))
			for i, v := range flat {
				kids[i] = v.Kids[k]
			}
			out.Kids = append(out.Kids, Concat(kt, kids))
		}
	case PNull:
		out.Null = make([]bool, n)
		for i := range out.Null {
			out.Null[i] = true
		}
	}
	return out
}

// join puts slices together. Slices are cut to their vector's length first: those of a constant may be longer.
func join[T any](vs []*Vec, n int, get func(*Vec) []T) []T {
	out := make([]T, 0, n)
	for _, v := range vs {
		out = append(out, get(v)[:v.Len]...)
	}
	return out
}

// Batch is rows of columns; a column that the plan does not need is nil. Whoever receives a batch owns it and releases it once; a batch that was made from another by
// [Batch.Derive] releases that one with it.
type Batch struct {
	Cols []*Vec
	N    int

	parent *Batch
	done   func()
}

// NewBatch makes a batch; done, which may be nil, runs when it is released.
func NewBatch(cols []*Vec, n int, done func()) *Batch { return &Batch{Cols: cols, N: n, done: done} }

// Derive makes a batch whose columns may point into those of b, and takes b over.
func (b *Batch) Derive(cols []*Vec, n int) *Batch { return &Batch{Cols: cols, N: n, parent: b} }

// Release gives the memory back. A second call does nothing.
func (b *Batch) Release() {
	for b != nil {
		if b.done != nil {
			f := b.done
			b.done = nil
			f()
		}
		b, b.parent = b.parent, nil
	}
}

// Take gives the rows idx of every column in a batch of its own memory; b is not released.
func (b *Batch) Take(idx []int32) *Batch {
	cols := make([]*Vec, len(b.Cols))
	for i, c := range b.Cols {
		if c != nil {
			cols[i] = Take(c, idx)
		}
	}
	return &Batch{Cols: cols, N: len(idx)}
}

// Slice gives rows lo up to hi, sharing memory with b, which is not released.
func (b *Batch) Slice(lo, hi int) *Batch {
	cols := make([]*Vec, len(b.Cols))
	for i, c := range b.Cols {
		if c != nil {
			cols[i] = c.Slice(lo, hi)
		}
	}
	return &Batch{Cols: cols, N: hi - lo}
}

// longest is how many bytes of text, or elements of arrays, a column can hold: offsets are 32 bits, as Arrow's are. Tests lower it.
var longest = math.MaxInt32

// stretch is some rows of a column, each so many times.
type stretch struct {
	v      *Vec
	lo, hi int
	times  int
}

// tooLong tells whether rows of several columns are too long together for one.
func tooLong(rows []stretch) bool {
	total := 0
	var kids [][]stretch
	for _, r := range rows {
		v, lo, hi, times := r.v, r.lo, r.hi, r.times
		if v != nil && v.Const && lo < hi {
			lo, hi, times = 0, 1, times*(hi-lo) // its parts have one row too
		}
		switch {
		case v == nil || lo >= hi:
			continue
		case v.Dict != nil:
			for _, c := range v.Codes[lo:hi] {
				if c >= 0 && int(c) < v.Dict.Len { // the code of a null is any
					total += times * int(v.Dict.Off[c+1]-v.Dict.Off[c])
				}
			}
			continue
		case v.Off != nil:
			lo, hi = int(v.Off[lo]), int(v.Off[hi])
			total += times * (hi - lo)
		}
		for k, kid := range v.Kids {
			if k == len(kids) {
				kids = append(kids, nil)
			}
			kids[k] = append(kids[k], stretch{kid, lo, hi, times})
		}
	}
	return total > longest || slices.ContainsFunc(kids, tooLong)
}

// ConcatBatches puts batches of one schema together in memory of its own and releases them, also where it fails: where the context has ended, at which it looks
// before each column, and where a column would be longer than one can be.
func ConcatBatches(ctx context.Context, types []datatype.Type, bs []*Batch) (*Batch, error) {
	for c, t := range types {
		rows := make([]stretch, len(bs))
		for i, b := range bs {
			rows[i] = stretch{b.Cols[c], 0, b.N, 1}
		}
		if len(bs) > 1 && tooLong(rows) {
			for _, b := range bs {
				b.Release()
			}
			e := condition.Newf(condition.Unsupported, "The rows that an operator must hold at once have more than %d bytes, or elements, in a column of the type %s.", longest, t)
			e.Hint = "Filter the rows or leave out the column before they are sorted, joined or windowed, or run the query on Spark."
			return nil, e
		}
	}
	return concatBatches(ctx, types, bs)
}

// concatBatches is ConcatBatches for columns that fit.
func concatBatches(ctx context.Context, types []datatype.Type, bs []*Batch) (*Batch, error) {
	out := &Batch{Cols: make([]*Vec, len(types))}
	for _, b := range bs {
		out.N += b.N
	}
	for c, t := range types {
		if err := ctx.Err(); err != nil {
			for _, b := range bs {
				b.Release()
			}
			return nil, err
		}
		// A column that nobody reads may be there in one batch and not in another.
		vs, read := make([]*Vec, 0, len(bs)), true
		for _, b := range bs {
			vs = append(vs, b.Cols[c])
			read = read && b.Cols[c] != nil
		}
		if !read {
			continue
		}
		if len(vs) == 0 {
			out.Cols[c] = zero(t, 0)
		} else {
			out.Cols[c] = Concat(t, vs)
		}
	}
	if len(bs) == 1 {
		// A single batch is not copied, so it must stay.
		return bs[0].Derive(out.Cols, out.N), nil
	}
	for _, b := range bs {
		b.Release()
	}
	return out, nil
}

// Empty gives a batch without rows.
func Empty(types []datatype.Type) *Batch {
	out := &Batch{Cols: make([]*Vec, len(types))}
	for c, t := range types {
		out.Cols[c] = zero(t, 0)
	}
	return out
}

// String names the type and length, for messages of tests.
func (v *Vec) String() string { return fmt.Sprintf("%s[%d]", v.Type, v.Len) }

// Bytes is about how much memory the values of a batch take.
func (b *Batch) Bytes() int {
	n := 0
	for _, c := range b.Cols {
		if c != nil {
			n += c.bytes()
		}
	}
	return n
}

// Dictionaries is the size in bytes of the dictionaries that a batch refers to and that seen, to which they are added, does not have: batches of one
// file share theirs.
func (b *Batch) Dictionaries(seen map[*Vec]bool) int {
	n := 0
	var visit func(v *Vec)
	visit = func(v *Vec) {
		if v == nil {
			return
		}
		if v.Dict != nil && !seen[v.Dict] {
			seen[v.Dict] = true
			n += v.Dict.bytes()
		}
		for _, k := range v.Kids {
			visit(k)
		}
	}
	for _, c := range b.Cols {
		visit(c)
	}
	return n
}

func (v *Vec) bytes() int {
	rows := v.Len
	if v.Const {
		rows = 1
	}
	n := len(v.Null)
	if v.Dict != nil {
		return n + 4*rows
	}
	switch PhysOf(v.Type) {
	case PBytes:
		n += 4 * rows
		if len(v.Off) > rows {
			n += int(v.Off[rows] - v.Off[0])
		}
	case PList, PMap:
		n += 4 * rows
	default:
		n += max(width(v.Type), 0) * rows
	}
	for _, k := range v.Kids {
		n += k.bytes()
	}
	return n
}
