package vec

import (
	"fmt"
	"math/big"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Builder makes a vector value by value. It is for what comes out of texts, state files and nested values; kernels over flat
// types write slices.
type Builder struct {
	v    Vec
	null bool
	// Kids build the children of a nested type.
	Kids []*Builder
}

// NewBuilder makes a builder with room for n values.
func NewBuilder(t datatype.Type, n int) *Builder {
	b := &Builder{v: Vec{Type: t}}
	switch PhysOf(t) {
	case PBool:
		b.v.Bool = make([]bool, 0, n)
	case PI8:
		b.v.I8 = make([]int8, 0, n)
	case PI16:
		b.v.I16 = make([]int16, 0, n)
	case PI32:
		b.v.I32 = make([]int32, 0, n)
	case PI64:
		b.v.I64 = make([]int64, 0, n)
	case PF32:
		b.v.F32 = make([]float32, 0, n)
	case PF64:
		b.v.F64 = make([]float64, 0, n)
	case PDec:
		b.v.Dec = make([]decimal128.Num, 0, n)
	case PBytes, PList, PMap:
		b.v.Off = make([]int32, 1, n+1)
	}
	for _, k := range KidTypes(t) {
		b.Kids = append(b.Kids, NewBuilder(k, n))
	}
	return b
}

// Type is the type of the values.
func (b *Builder) Type() datatype.Type { return b.v.Type }

// Len is the number of values so far.
func (b *Builder) Len() int { return b.v.Len }

// fixed counts a value that is not null. The slice of nulls begins with the first null, so that columns without nulls have none.
func (b *Builder) fixed() {
	b.v.Len++
	if b.null {
		b.v.Null = append(b.v.Null, false)
	}
}

// AppendNull appends a null.
func (b *Builder) AppendNull() {
	if !b.null {
		b.null = true
		b.v.Null = make([]bool, b.v.Len, b.v.Len+8)
	}
	b.v.Null = append(b.v.Null, true)
	switch PhysOf(b.v.Type) {
	case PBool:
		b.v.Bool = append(b.v.Bool, false)
	case PI8:
		b.v.I8 = append(b.v.I8, 0)
	case PI16:
		b.v.I16 = append(b.v.I16, 0)
	case PI32:
		b.v.I32 = append(b.v.I32, 0)
	case PI64:
		b.v.I64 = append(b.v.I64, 0)
	case PF32:
		b.v.F32 = append(b.v.F32, 0)
	case PF64:
		b.v.F64 = append(b.v.F64, 0)
	case PDec:
		b.v.Dec = append(b.v.Dec, decimal128.Num{})
	case PBytes:
		b.v.Off = append(b.v.Off, int32(len(b.v.Bytes)))
	case PList, PMap:
		b.v.Off = append(b.v.Off, int32(b.Kids[0].v.Len))
	case PStruct:
		for _, k := range b.Kids {
			k.AppendNull()
		}
	}
	b.v.Len++
}

// AppendBool appends a boolean.
func (b *Builder) AppendBool(x bool) { b.v.Bool = append(b.v.Bool, x); b.fixed() }

// AppendInt appends to any of the integer layouts; the value must fit.
func (b *Builder) AppendInt(x int64) {
	switch PhysOf(b.v.Type) {
	case PI8:
		b.v.I8 = append(b.v.I8, int8(x))
	case PI16:
		b.v.I16 = append(b.v.I16, int16(x))
	case PI32:
		b.v.I32 = append(b.v.I32, int32(x))
	default:
		b.v.I64 = append(b.v.I64, x)
	}
	b.fixed()
}

// AppendFloat appends to FLOAT or DOUBLE.
func (b *Builder) AppendFloat(x float64) {
	if PhysOf(b.v.Type) == PF32 {
		b.v.F32 = append(b.v.F32, float32(x))
	} else {
		b.v.F64 = append(b.v.F64, x)
	}
	b.fixed()
}

// AppendDecimal appends the unscaled digits of a decimal.
func (b *Builder) AppendDecimal(x decimal128.Num) { b.v.Dec = append(b.v.Dec, x); b.fixed() }

// AppendBytes appends a text or binary; it copies.
func (b *Builder) AppendBytes(x []byte) {
	b.v.Bytes = append(b.v.Bytes, x...)
	b.v.Off = append(b.v.Off, int32(len(b.v.Bytes)))
	b.fixed()
}

// AppendString appends a text.
func (b *Builder) AppendString(x string) {
	b.v.Bytes = append(b.v.Bytes, x...)
	b.v.Off = append(b.v.Off, int32(len(b.v.Bytes)))
	b.fixed()
}

// CloseList ends an array or map whose elements were appended to Kids.
func (b *Builder) CloseList() {
	b.v.Off = append(b.v.Off, int32(b.Kids[0].v.Len))
	b.fixed()
}

// CloseStruct ends a struct whose fields were appended to Kids.
func (b *Builder) CloseStruct() { b.fixed() }

// AppendFrom appends row i of a vector of the same layout.
func (b *Builder) AppendFrom(v *Vec, i int) {
	i &= v.Mask()
	if v.Null != nil && v.Null[i] {
		b.AppendNull()
		return
	}
	if v.Dict != nil {
		v, i = v.Dict, int(v.Codes[i])
	}
	switch PhysOf(v.Type) {
	case PBool:
		b.AppendBool(v.Bool[i])
	case PI8:
		b.AppendInt(int64(v.I8[i]))
	case PI16:
		b.AppendInt(int64(v.I16[i]))
	case PI32:
		b.AppendInt(int64(v.I32[i]))
	case PI64:
		b.AppendInt(v.I64[i])
	case PF32:
		b.AppendFloat(float64(v.F32[i]))
	case PF64:
		b.AppendFloat(v.F64[i])
	case PDec:
		b.AppendDecimal(v.Dec[i])
	case PBytes:
		b.AppendBytes(v.Bytes[v.Off[i]:v.Off[i+1]])
	case PList, PMap:
		for j := v.Off[i]; j < v.Off[i+1]; j++ {
			for k := range v.Kids {
				b.Kids[k].AppendFrom(v.Kids[k], int(j))
			}
		}
		b.CloseList()
	case PStruct:
		for k := range v.Kids {
			b.Kids[k].AppendFrom(v.Kids[k], i)
		}
		b.CloseStruct()
	case PNull:
		b.AppendNull()
	}
}

// AppendAny appends a value as package tree stores it in literals.
func (b *Builder) AppendAny(x any) error {
	if x == nil {
		b.AppendNull()
		return nil
	}
	p := PhysOf(b.v.Type)
	switch y := x.(type) {
	case bool:
		if p != PBool {
			return b.misfit(x)
		}
		b.AppendBool(y)
	case int64:
		switch p {
		case PI8, PI16, PI32, PI64:
			b.AppendInt(y)
		case PF32, PF64:
			b.AppendFloat(float64(y))
		default:
			return b.misfit(x)
		}
	case float64:
		if p != PF32 && p != PF64 {
			return b.misfit(x)
		}
		b.AppendFloat(y)
	case *big.Int:
		if p != PDec || y.BitLen() > 127 {
			return b.misfit(x)
		}
		b.AppendDecimal(decimal128.FromBigInt(y))
	case string:
		if p != PBytes {
			return b.misfit(x)
		}
		b.AppendString(y)
	case []byte:
		if p != PBytes {
			return b.misfit(x)
		}
		b.AppendBytes(y)
	case []any:
		switch p {
		case PList:
			for _, e := range y {
				if err := b.Kids[0].AppendAny(e); err != nil {
					return err
				}
			}
			b.CloseList()
		case PStruct:
			if len(y) != len(b.Kids) {
				return b.misfit(x)
			}
			for i, e := range y {
				if err := b.Kids[i].AppendAny(e); err != nil {
					return err
				}
			}
			b.CloseStruct()
		default:
			return b.misfit(x)
		}
	case [][2]any:
		if p != PMap {
			return b.misfit(x)
		}
		for _, e := range y {
			if err := b.Kids[0].AppendAny(e[0]); err != nil {
				return err
			}
			if err := b.Kids[1].AppendAny(e[1]); err != nil {
				return err
			}
		}
		b.CloseList()
	default:
		return b.misfit(x)
	}
	return nil
}

// misfit is the error of a value of the wrong kind; it is made only then, for its text is dear.
func (b *Builder) misfit(x any) error { return fmt.Errorf("%T is no value of %s", x, b.v.Type) }

// Vec gives the vector. The builder is used up.
func (b *Builder) Vec() *Vec {
	v := b.v
	for _, k := range b.Kids {
		v.Kids = append(v.Kids, k.Vec())
	}
	return &v
}

// Constant gives a literal's value as a constant of one row.
func Constant(t datatype.Type, x any) (*Vec, error) {
	b := NewBuilder(t, 1)
	if err := b.AppendAny(x); err != nil {
		return nil, err
	}
	return b.Vec().Repeat(1), nil
}

// Any gives row i as package tree stores literals: nil, bool, int64, float64, *big.Int, string, []byte, []any, [][2]any.
func (v *Vec) Any(i int) any {
	i &= v.Mask()
	if v.Null != nil && v.Null[i] {
		return nil
	}
	if v.Dict != nil {
		v, i = v.Dict, int(v.Codes[i])
	}
	switch PhysOf(v.Type) {
	case PBool:
		return v.Bool[i]
	case PI8:
		return int64(v.I8[i])
	case PI16:
		return int64(v.I16[i])
	case PI32:
		return int64(v.I32[i])
	case PI64:
		return v.I64[i]
	case PF32:
		return float64(v.F32[i])
	case PF64:
		return v.F64[i]
	case PDec:
		return v.Dec[i].BigInt()
	case PBytes:
		s := string(v.Bytes[v.Off[i]:v.Off[i+1]])
		if v.Type.Kind() == datatype.KindBinary {
			return []byte(s)
		}
		return s
	case PList:
		out := []any{}
		for j := v.Off[i]; j < v.Off[i+1]; j++ {
			out = append(out, v.Kids[0].Any(int(j)))
		}
		return out
	case PMap:
		out := [][2]any{}
		for j := v.Off[i]; j < v.Off[i+1]; j++ {
			out = append(out, [2]any{v.Kids[0].Any(int(j)), v.Kids[1].Any(int(j))})
		}
		return out
	case PStruct:
		out := make([]any, len(v.Kids))
		for k := range v.Kids {
			out[k] = v.Kids[k].Any(i)
		}
		return out
	}
	return nil
}
