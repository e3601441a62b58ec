package memory

import (
	"math"
	"math/big"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// noValue is a Go value that is none of a type's.
func noValue(v any, t datatype.Type) error {
	return condition.Newf(condition.InvalidValue, "A Go value of type %T is none of %s.", v, t)
}

// outside is a number that its type cannot hold.
func outside(v any, t datatype.Type) error {
	return condition.Newf(condition.InvalidValue, "%v does not fit %s.", v, t)
}

// appendValue appends a value as tree.Literal keeps it to a builder of its type. What no literal holds is a list of its parts: a calendar
// interval is months, days and microseconds, a variant its two binaries.
func appendValue(b array.Builder, t datatype.Type, v any) error {
	if v == nil {
		b.AppendNull()
		return nil
	}
	switch b := b.(type) {
	case *array.BooleanBuilder:
		if x, ok := v.(bool); ok {
			b.Append(x)
			return nil
		}
	case *array.Int8Builder:
		return appendInt(t, v, math.MinInt8, math.MaxInt8, func(n int64) { b.Append(int8(n)) })
	case *array.Int16Builder:
		return appendInt(t, v, math.MinInt16, math.MaxInt16, func(n int64) { b.Append(int16(n)) })
	case *array.Int32Builder:
		return appendInt(t, v, math.MinInt32, math.MaxInt32, func(n int64) { b.Append(int32(n)) })
	case *array.Int64Builder:
		return appendInt(t, v, math.MinInt64, math.MaxInt64, b.Append)
	case *array.Date32Builder:
		return appendInt(t, v, math.MinInt32, math.MaxInt32, func(n int64) { b.Append(arrow.Date32(n)) })
	case *array.MonthIntervalBuilder:
		return appendInt(t, v, math.MinInt32, math.MaxInt32, func(n int64) { b.Append(arrow.MonthInterval(n)) })
	case *array.TimestampBuilder:
		return appendInt(t, v, math.MinInt64, math.MaxInt64, func(n int64) { b.Append(arrow.Timestamp(n)) })
	case *array.DurationBuilder:
		return appendInt(t, v, math.MinInt64, math.MaxInt64, func(n int64) { b.Append(arrow.Duration(n)) })
	case *array.Time64Builder:
		return appendInt(t, v, 0, 86_400_000_000-1, func(n int64) { b.Append(arrow.Time64(n)) })
	case *array.Float32Builder:
		if x, ok := v.(float64); ok {
			b.Append(float32(x))
			return nil
		}
	case *array.Float64Builder:
		if x, ok := v.(float64); ok {
			b.Append(x)
			return nil
		}
	case *array.Decimal128Builder:
		if x, ok := v.(*big.Int); ok {
			if d, ok := t.(datatype.Decimal); ok && !fits(x, d.Precision) {
				return outside(x, t)
			}
			b.Append(decimal128.FromBigInt(x))
			return nil
		}
	case *array.StringBuilder:
		if x, ok := v.(string); ok {
			b.Append(x)
			return nil
		}
	case *array.BinaryBuilder:
		if x, ok := v.([]byte); ok {
			b.Append(x)
			return nil
		}
	case *array.MonthDayNanoIntervalBuilder:
		return appendCalendar(b, t, v)
	case *array.MapBuilder: // before lists, of which a map is one
		return appendMap(b, t, v)
	case *array.ListBuilder:
		return appendList(b, t, v)
	case *array.StructBuilder:
		return appendStruct(b, t, v)
	}
	return noValue(v, t)
}

func appendInt(t datatype.Type, v any, least, most int64, add func(int64)) error {
	n, ok := v.(int64)
	if !ok {
		return noValue(v, t)
	}
	if n < least || n > most {
		return outside(n, t)
	}
	add(n)
	return nil
}

// fits tells whether a number has at most so many digits.
func fits(n *big.Int, digits int) bool {
	most := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
	return n.CmpAbs(most) < 0
}

func appendCalendar(b *array.MonthDayNanoIntervalBuilder, t datatype.Type, v any) error {
	parts, ok := v.([]any)
	if !ok || len(parts) != 3 {
		return noValue(v, t)
	}
	var n [3]int64
	for i, p := range parts {
		if n[i], ok = p.(int64); !ok {
			return noValue(v, t)
		}
	}
	if n[0] != int64(int32(n[0])) || n[1] != int64(int32(n[1])) || n[2] > math.MaxInt64/1000 || n[2] < math.MinInt64/1000 {
		return outside(v, t)
	}
	b.Append(arrow.MonthDayNanoInterval{Months: int32(n[0]), Days: int32(n[1]), Nanoseconds: n[2] * 1000})
	return nil
}

func appendMap(b *array.MapBuilder, t datatype.Type, v any) error {
	entries, ok := v.([][2]any)
	m, isMap := t.(datatype.Map)
	if !ok || !isMap {
		return noValue(v, t)
	}
	b.Append(true)
	for _, e := range entries {
		if e[0] == nil {
			return condition.Newf(condition.InvalidValue, "A map has no key that is null.")
		}
		if err := appendValue(b.KeyBuilder(), m.Key, e[0]); err != nil {
			return err
		}
		if err := appendValue(b.ItemBuilder(), m.Value, e[1]); err != nil {
			return err
		}
	}
	return nil
}

func appendList(b *array.ListBuilder, t datatype.Type, v any) error {
	elems, ok := v.([]any)
	a, isArray := t.(datatype.Array)
	if !ok || !isArray {
		return noValue(v, t)
	}
	b.Append(true)
	for _, e := range elems {
		if err := appendValue(b.ValueBuilder(), a.Elem, e); err != nil {
			return err
		}
	}
	return nil
}

func appendStruct(b *array.StructBuilder, t datatype.Type, v any) error {
	values, ok := v.([]any)
	types := fieldTypes(t)
	if !ok || types == nil || len(values) != len(types) || b.NumField() != len(types) {
		return noValue(v, t)
	}
	b.Append(true)
	for i, x := range values {
		if err := appendValue(b.FieldBuilder(i), types[i], x); err != nil {
			return err
		}
	}
	return nil
}

// fieldTypes are the types of what a struct or a variant is made of.
func fieldTypes(t datatype.Type) []datatype.Type {
	if t.Kind() == datatype.KindVariant {
		return []datatype.Type{datatype.Binary, datatype.Binary}
	}
	s, ok := t.(datatype.Struct)
	if !ok {
		return nil
	}
	out := make([]datatype.Type, len(s.Fields))
	for i, f := range s.Fields {
		out[i] = f.Type
	}
	return out
}

// valueAt gives row i of an array as tree.Literal keeps it; it is the other way round of appendValue. The value shares no memory with the array.
func valueAt(a arrow.Array, i int, t datatype.Type) (any, error) {
	if backend.IsNull(a, i) {
		return nil, nil
	}
	switch x := a.(type) {
	case *array.Boolean:
		return x.Value(i), nil
	case *array.Int8:
		return int64(x.Value(i)), nil
	case *array.Int16:
		return int64(x.Value(i)), nil
	case *array.Int32:
		return int64(x.Value(i)), nil
	case *array.Int64:
		return x.Value(i), nil
	case *array.Date32:
		return int64(x.Value(i)), nil
	case *array.MonthInterval:
		return int64(x.Value(i)), nil
	case *array.Timestamp:
		return int64(x.Value(i)), nil
	case *array.Duration:
		return int64(x.Value(i)), nil
	case *array.Time64:
		return int64(x.Value(i)), nil
	case *array.Float32:
		return float64(x.Value(i)), nil
	case *array.Float64:
		return x.Value(i), nil
	case *array.Decimal128:
		return x.Value(i).BigInt(), nil
	case *array.String:
		return strings.Clone(x.Value(i)), nil
	case *array.Binary:
		return append([]byte{}, x.Value(i)...), nil
	case *array.MonthDayNanoInterval:
		v := x.Value(i)
		return []any{int64(v.Months), int64(v.Days), v.Nanoseconds / 1000}, nil
	case *array.Map:
		m, ok := t.(datatype.Map)
		if !ok {
			break
		}
		from, to := x.ValueOffsets(i)
		out := make([][2]any, 0, to-from)
		for j := int(from); j < int(to); j++ {
			k, err := valueAt(x.Keys(), j, m.Key)
			if err != nil {
				return nil, err
			}
			v, err := valueAt(x.Items(), j, m.Value)
			if err != nil {
				return nil, err
			}
			out = append(out, [2]any{k, v})
		}
		return out, nil
	case *array.List:
		e, ok := t.(datatype.Array)
		if !ok {
			break
		}
		from, to := x.ValueOffsets(i)
		out := make([]any, 0, to-from)
		for j := int(from); j < int(to); j++ {
			v, err := valueAt(x.ListValues(), j, e.Elem)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		return out, nil
	case *array.Struct:
		types := fieldTypes(t)
		if types == nil || x.NumField() != len(types) {
			break
		}
		out := make([]any, len(types))
		for j := range out {
			v, err := valueAt(x.Field(j), i, types[j])
			if err != nil {
				return nil, err
			}
			out[j] = v
		}
		return out, nil
	}
	return nil, condition.Newf(condition.InvalidValue, "An Arrow array of %s is no column of %s.", a.DataType(), t)
}
