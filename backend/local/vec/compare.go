package vec

import (
	"bytes"
	"cmp"
	"math/bits"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Comparator compares row i of a with row j of b, neither null: negative, zero or positive.
type Comparator func(a *Vec, i int, b *Vec, j int) int

// CompareOf gives Spark's order of a type: NaN equals NaN and is greater than every number, -0.0 equals 0.0, false is less than
// true, texts and binaries go by unsigned bytes, arrays and structs by their elements in turn, where null is least.
func CompareOf(t datatype.Type) Comparator {
	switch PhysOf(t) {
	case PBool:
		return func(a *Vec, i int, b *Vec, j int) int {
			x, y := a.Bool[i&a.Mask()], b.Bool[j&b.Mask()]
			switch {
			case x == y:
				return 0
			case y:
				return -1
			}
			return 1
		}
	case PI8:
		return ordered(func(v *Vec) []int8 { return v.I8 })
	case PI16:
		return ordered(func(v *Vec) []int16 { return v.I16 })
	case PI32:
		return ordered(func(v *Vec) []int32 { return v.I32 })
	case PI64:
		return ordered(func(v *Vec) []int64 { return v.I64 })
	case PF32:
		return func(a *Vec, i int, b *Vec, j int) int { return CompareFloat(a.F32[i&a.Mask()], b.F32[j&b.Mask()]) }
	case PF64:
		return func(a *Vec, i int, b *Vec, j int) int { return CompareFloat(a.F64[i&a.Mask()], b.F64[j&b.Mask()]) }
	case PDec:
		return func(a *Vec, i int, b *Vec, j int) int { return CompareDec(a.Dec[i&a.Mask()], b.Dec[j&b.Mask()]) }
	case PBytes:
		return func(a *Vec, i int, b *Vec, j int) int {
			i, j = i&a.Mask(), j&b.Mask()
			if a.Dict != nil || b.Dict != nil {
				return strings.Compare(a.Str(i), b.Str(j))
			}
			return bytes.Compare(a.Bytes[a.Off[i]:a.Off[i+1]], b.Bytes[b.Off[j]:b.Off[j+1]])
		}
	case PList:
		elem := nullable(CompareOf(t.(datatype.Array).Elem))
		return func(a *Vec, i int, b *Vec, j int) int {
			i, j = i&a.Mask(), j&b.Mask()
			p, q := a.Off[i], b.Off[j]
			for ; p < a.Off[i+1] && q < b.Off[j+1]; p, q = p+1, q+1 {
				if c := elem(a.Kids[0], int(p), b.Kids[0], int(q)); c != 0 {
					return c
				}
			}
			return cmp.Compare(a.Off[i+1]-a.Off[i], b.Off[j+1]-b.Off[j])
		}
	case PStruct:
		var fields []Comparator
		for _, k := range KidTypes(t) {
			fields = append(fields, nullable(CompareOf(k)))
		}
		return func(a *Vec, i int, b *Vec, j int) int {
			i, j = i&a.Mask(), j&b.Mask()
			for k, f := range fields {
				if c := f(a.Kids[k], i, b.Kids[k], j); c != 0 {
					return c
				}
			}
			return 0
		}
	}
	return func(*Vec, int, *Vec, int) int { return 0 }
}

// nullable makes null the least value, as inside of arrays and structs; at the top of a sort the keys say where nulls go.
func nullable(c Comparator) Comparator {
	return func(a *Vec, i int, b *Vec, j int) int {
		x, y := a.IsNull(i), b.IsNull(j)
		switch {
		case x && y:
			return 0
		case x:
			return -1
		case y:
			return 1
		}
		return c(a, i, b, j)
	}
}

// ordered compares values that Go orders as Spark does: integers, and so dates and time stamps.
func ordered[T cmp.Ordered](get func(*Vec) []T) Comparator {
	return func(a *Vec, i int, b *Vec, j int) int {
		x, y := get(a)[i&a.Mask()], get(b)[j&b.Mask()]
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	}
}

// CompareFloat is the order of FLOAT and DOUBLE.
func CompareFloat[T float32 | float64](x, y T) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	case x == y:
		return 0
	case x != x && y != y:
		return 0
	case x != x:
		return 1
	}
	return -1
}

// CompareDec compares decimals of one scale.
func CompareDec(x, y decimal128.Num) int {
	if c := cmp.Compare(x.HighBits(), y.HighBits()); c != 0 {
		return c
	}
	return cmp.Compare(x.LowBits(), y.LowBits())
}

// AddDec adds and tells whether the sum left 128 bits.
func AddDec(x, y decimal128.Num) (decimal128.Num, bool) {
	lo, carry := bits.Add64(x.LowBits(), y.LowBits(), 0)
	hi := x.HighBits() + y.HighBits() + int64(carry)
	// The sign of the sum differs from that of both sides only on overflow.
	return decimal128.New(hi, lo), (x.HighBits() >= 0) == (y.HighBits() >= 0) && (x.HighBits() >= 0) != (hi >= 0)
}

// Merge makes a vector of n = len(which) rows: row i is row at[i] (i itself where at is nil) of vs[which[i]], or null where
// which[i] is negative.
func Merge(t datatype.Type, vs []*Vec, which, at []int32) *Vec {
	n := len(which)
	out := &Vec{Type: t, Len: n}
	row := func(i int) int {
		if at != nil {
			return int(at[i])
		}
		return i
	}
	nulls := false
	for _, v := range vs {
		nulls = nulls || v.Null != nil
	}
	if !nulls {
		for _, w := range which {
			if w < 0 {
				nulls = true
				break
			}
		}
	}
	if nulls {
		out.Null = make([]bool, n)
		for i, w := range which {
			out.Null[i] = w < 0 || vs[w].IsNull(row(i))
		}
	}
	switch PhysOf(t) {
	case PBool:
		out.Bool = mergeData[bool](vs, which, at)
	case PI8:
		out.I8 = mergeData[int8](vs, which, at)
	case PI16:
		out.I16 = mergeData[int16](vs, which, at)
	case PI32:
		out.I32 = mergeData[int32](vs, which, at)
	case PI64:
		out.I64 = mergeData[int64](vs, which, at)
	case PF32:
		out.F32 = mergeData[float32](vs, which, at)
	case PF64:
		out.F64 = mergeData[float64](vs, which, at)
	case PDec:
		out.Dec = mergeData[decimal128.Num](vs, which, at)
	case PBytes:
		out.Off = make([]int32, n+1)
		for i, w := range which {
			if w >= 0 && !vs[w].IsNull(row(i)) {
				out.Bytes = append(out.Bytes, vs[w].Str(row(i))...)
			}
			out.Off[i+1] = int32(len(out.Bytes))
		}
	default:
		b := NewBuilder(t, n)
		for i, w := range which {
			if w < 0 {
				b.AppendNull()
			} else {
				b.AppendFrom(vs[w], row(i))
			}
		}
		return b.Vec()
	}
	return out
}

// mergeData is Merge for the slices of one layout.
func mergeData[T Value](vs []*Vec, which, at []int32) []T {
	data, masks := make([][]T, len(vs)), make([]int, len(vs))
	for i, v := range vs {
		data[i], masks[i] = Data[T](v), v.Mask()
	}
	out := make([]T, len(which))
	if at == nil {
		for i, w := range which {
			if w >= 0 {
				out[i] = data[w][i&masks[w]]
			}
		}
		return out
	}
	for i, w := range which {
		if w >= 0 {
			out[i] = data[w][int(at[i])&masks[w]]
		}
	}
	return out
}
