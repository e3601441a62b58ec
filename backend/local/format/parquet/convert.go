package parquet

import (
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// convert gives the values of data in the layout of an Arrow type: the same values, widened where Spark widens a Parquet column to the
// type that the schema asks for. A pair that Spark refuses is an error. The result owns what it refers to.
//
// Source: the table of Spark's ParquetVectorUpdaterFactory.
func convert(data arrow.ArrayData, to arrow.DataType) (arrow.ArrayData, error) {
	from := data.DataType()
	if d, ok := from.(*arrow.DictionaryType); ok {
		plain, err := undictionary(data, d)
		if err != nil {
			return nil, err
		}
		defer plain.Release()
		return convert(plain, to)
	}
	switch t := to.(type) {
	case *arrow.ListType:
		return convertList(data, t)
	case *arrow.MapType:
		return convertMap(data, t)
	case *arrow.StructType:
		return convertStruct(data, t)
	}
	if arrow.TypeEqual(from, to) {
		data.Retain()
		return data, nil
	}
	n, off := data.Len(), data.Offset()
	buffers := data.Buffers()
	valid := buffers[0]
	relabel := func() (arrow.ArrayData, error) { return array.NewData(to, n, buffers, nil, data.NullN(), off), nil }
	fresh := func(values []byte) (arrow.ArrayData, error) {
		return array.NewData(to, n, []*memory.Buffer{valid, memory.NewBufferBytes(values)}, nil, data.NullN(), off), nil
	}
	whole := func() []int64 { return wholeNumbers(data) }
	switch t := to.(type) {
	case *arrow.Decimal128Type:
		switch from.ID() {
		case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32:
			digits := map[arrow.Type]int32{arrow.INT8: 3, arrow.INT16: 5, arrow.INT32: 10, arrow.INT64: 20, arrow.UINT8: 3, arrow.UINT16: 5, arrow.UINT32: 10}[from.ID()]
			if t.Precision-t.Scale < digits {
				break
			}
			out := make([]decimal128.Num, n+off)
			for i, v := range whole() {
				out[i] = decimal128.FromI64(v).IncreaseScaleBy(t.Scale)
			}
			return fresh(arrow.Decimal128Traits.CastToBytes(out))
		case arrow.UINT64:
			out := make([]decimal128.Num, n+off)
			for i, v := range arrow.Uint64Traits.CastFromBytes(buffers[1].Bytes())[:n+off] {
				out[i] = decimal128.FromU64(v)
			}
			return fresh(arrow.Decimal128Traits.CastToBytes(out))
		case arrow.DECIMAL128:
			f := from.(*arrow.Decimal128Type)
			if t.Scale < f.Scale || t.Precision-t.Scale < f.Precision-f.Scale {
				break
			}
			if t.Scale == f.Scale {
				return relabel()
			}
			out := make([]decimal128.Num, n+off)
			for i, v := range arrow.Decimal128Traits.CastFromBytes(buffers[1].Bytes())[:n+off] {
				out[i] = v.IncreaseScaleBy(t.Scale - f.Scale)
			}
			return fresh(arrow.Decimal128Traits.CastToBytes(out))
		case arrow.DECIMAL256, arrow.FIXED_SIZE_BINARY, arrow.BINARY:
		}
	case *arrow.TimestampType:
		switch f := from.(type) {
		case *arrow.TimestampType:
			if (f.TimeZone == "") != (t.TimeZone == "") {
				break
			}
			values := arrow.Int64Traits.CastFromBytes(buffers[1].Bytes())[:n+off]
			if f.Unit == arrow.Microsecond {
				return relabel()
			}
			out := make([]int64, n+off)
			for i, v := range values {
				switch f.Unit {
				case arrow.Nanosecond:
					// Rounded down, as Spark does.
					if out[i] = v / 1000; v%1000 < 0 {
						out[i]--
					}
				case arrow.Millisecond:
					if v > math.MaxInt64/1000 || v < math.MinInt64/1000 {
						return nil, fmt.Errorf("the time stamp %d ms is out of range", v)
					}
					out[i] = v * 1000
				default:
					out[i] = v * 1_000_000
				}
			}
			return fresh(arrow.Int64Traits.CastToBytes(out))
		case *arrow.Date32Type:
			if t.TimeZone != "" {
				break
			}
			out := make([]int64, n+off)
			for i, v := range arrow.Int32Traits.CastFromBytes(buffers[1].Bytes())[:n+off] {
				out[i] = int64(v) * 86_400_000_000
			}
			return fresh(arrow.Int64Traits.CastToBytes(out))
		}
	}
	switch to.ID() {
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64:
		if !isWhole(from) {
			break
		}
		// Parquet stores TINYINT and SMALLINT in 32 bits; beyond that only widening is allowed.
		wide := map[arrow.Type]int{arrow.INT8: 1, arrow.INT16: 2, arrow.INT32: 4, arrow.INT64: 8}
		size := map[arrow.Type]int{arrow.INT8: 1, arrow.INT16: 2, arrow.INT32: 4, arrow.INT64: 8, arrow.UINT8: 2, arrow.UINT16: 4, arrow.UINT32: 8}[from.ID()]
		if size == 0 || wide[to.ID()] < size && !(from.ID() == arrow.INT32 && wide[to.ID()] < 4) {
			break
		}
		values := whole()
		switch to.ID() {
		case arrow.INT8:
			out := make([]int8, n+off)
			for i, v := range values {
				out[i] = int8(v)
			}
			return fresh(arrow.Int8Traits.CastToBytes(out))
		case arrow.INT16:
			out := make([]int16, n+off)
			for i, v := range values {
				out[i] = int16(v)
			}
			return fresh(arrow.Int16Traits.CastToBytes(out))
		case arrow.INT32:
			out := make([]int32, n+off)
			for i, v := range values {
				out[i] = int32(v)
			}
			return fresh(arrow.Int32Traits.CastToBytes(out))
		}
		return fresh(arrow.Int64Traits.CastToBytes(values))
	case arrow.FLOAT64:
		switch from.ID() {
		case arrow.INT8, arrow.INT16, arrow.INT32:
			out := make([]float64, n+off)
			for i, v := range whole() {
				out[i] = float64(v)
			}
			return fresh(arrow.Float64Traits.CastToBytes(out))
		case arrow.FLOAT32:
			out := make([]float64, n+off)
			for i, v := range arrow.Float32Traits.CastFromBytes(buffers[1].Bytes())[:n+off] {
				out[i] = float64(v)
			}
			return fresh(arrow.Float64Traits.CastToBytes(out))
		}
	case arrow.STRING, arrow.BINARY:
		switch from.ID() {
		case arrow.STRING, arrow.BINARY:
			return relabel()
		case arrow.LARGE_STRING, arrow.LARGE_BINARY:
			offs := arrow.Int64Traits.CastFromBytes(buffers[1].Bytes())
			if n+off > 0 && offs[n+off] > math.MaxInt32 {
				return nil, fmt.Errorf("a batch has more than 2 GiB of text in one column")
			}
			out := make([]int32, n+off+1)
			for i := range out {
				if i < len(offs) {
					out[i] = int32(offs[i])
				}
			}
			return array.NewData(to, n, []*memory.Buffer{valid, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(out)), buffers[2]}, nil, data.NullN(), off), nil
		case arrow.FIXED_SIZE_BINARY:
			if to.ID() != arrow.BINARY {
				break
			}
			w := from.(*arrow.FixedSizeBinaryType).ByteWidth
			out := make([]int32, n+off+1)
			for i := range out {
				out[i] = int32(i * w)
			}
			return array.NewData(to, n, []*memory.Buffer{valid, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(out)), buffers[1]}, nil, data.NullN(), off), nil
		}
	case arrow.DURATION, arrow.TIME64:
		if from.ID() == arrow.INT64 || from.ID() == arrow.TIME64 && from.(*arrow.Time64Type).Unit == arrow.Microsecond {
			return relabel()
		}
	case arrow.INTERVAL_MONTHS:
		if from.ID() == arrow.INT32 {
			return relabel()
		}
	case arrow.NULL:
		return array.NewData(arrow.Null, n, []*memory.Buffer{nil}, nil, n, 0), nil
	}
	if from.ID() == arrow.NULL {
		return nulls(to, n)
	}
	// Back to what Parquet stores, for writing.
	switch {
	case from.ID() == arrow.DURATION && to.ID() == arrow.INT64, from.ID() == arrow.INTERVAL_MONTHS && to.ID() == arrow.INT32:
		return relabel()
	}
	return nil, fmt.Errorf("values of type %s cannot be read as %s", from, to)
}

func isWhole(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32:
		return true
	}
	return false
}

// wholeNumbers gives the integers of any width, from the beginning of the buffer.
func wholeNumbers(data arrow.ArrayData) []int64 {
	n := data.Len() + data.Offset()
	out := make([]int64, n)
	b := data.Buffers()[1]
	if b == nil {
		return out
	}
	switch data.DataType().ID() {
	case arrow.INT8:
		widen(out, arrow.Int8Traits.CastFromBytes(b.Bytes()))
	case arrow.INT16:
		widen(out, arrow.Int16Traits.CastFromBytes(b.Bytes()))
	case arrow.INT32:
		widen(out, arrow.Int32Traits.CastFromBytes(b.Bytes()))
	case arrow.INT64:
		widen(out, arrow.Int64Traits.CastFromBytes(b.Bytes()))
	case arrow.UINT8:
		widen(out, arrow.Uint8Traits.CastFromBytes(b.Bytes()))
	case arrow.UINT16:
		widen(out, arrow.Uint16Traits.CastFromBytes(b.Bytes()))
	case arrow.UINT32:
		widen(out, arrow.Uint32Traits.CastFromBytes(b.Bytes()))
	}
	return out
}

func widen[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32](out []int64, in []T) {
	for i := range min(len(in), len(out)) {
		out[i] = int64(in[i])
	}
}

func convertList(data arrow.ArrayData, to *arrow.ListType) (arrow.ArrayData, error) {
	if data.DataType().ID() != arrow.LIST && data.DataType().ID() != arrow.LARGE_LIST {
		if data.DataType().ID() == arrow.NULL {
			return nulls(to, data.Len())
		}
		return nil, fmt.Errorf("values of type %s cannot be read as %s", data.DataType(), to)
	}
	child, err := convert(data.Children()[0], to.Elem())
	if err != nil {
		return nil, err
	}
	defer child.Release()
	buffers := data.Buffers()
	if data.DataType().ID() == arrow.LARGE_LIST {
		offs := arrow.Int64Traits.CastFromBytes(buffers[1].Bytes())
		out := make([]int32, data.Len()+data.Offset()+1)
		for i := range out {
			out[i] = int32(offs[i])
		}
		buffers = []*memory.Buffer{buffers[0], memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(out))}
	}
	return array.NewData(to, data.Len(), buffers, []arrow.ArrayData{child}, data.NullN(), data.Offset()), nil
}

func convertMap(data arrow.ArrayData, to *arrow.MapType) (arrow.ArrayData, error) {
	if data.DataType().ID() != arrow.MAP {
		if data.DataType().ID() == arrow.NULL {
			return nulls(to, data.Len())
		}
		return nil, fmt.Errorf("values of type %s cannot be read as %s", data.DataType(), to)
	}
	entries := data.Children()[0]
	key, err := convert(entries.Children()[0], to.KeyType())
	if err != nil {
		return nil, err
	}
	defer key.Release()
	item, err := convert(entries.Children()[1], to.ItemType())
	if err != nil {
		return nil, err
	}
	defer item.Release()
	e := array.NewData(to.Elem(), entries.Len(), []*memory.Buffer{nil}, []arrow.ArrayData{key, item}, 0, entries.Offset())
	defer e.Release()
	return array.NewData(to, data.Len(), data.Buffers(), []arrow.ArrayData{e}, data.NullN(), data.Offset()), nil
}

// convertStruct matches the fields by name without regard to letter case; one that is not there is null.
func convertStruct(data arrow.ArrayData, to *arrow.StructType) (arrow.ArrayData, error) {
	from, ok := data.DataType().(*arrow.StructType)
	if !ok {
		if data.DataType().ID() == arrow.NULL {
			return nulls(to, data.Len())
		}
		return nil, fmt.Errorf("values of type %s cannot be read as %s", data.DataType(), to)
	}
	children := make([]arrow.ArrayData, to.NumFields())
	defer func() {
		for _, c := range children {
			if c != nil {
				c.Release()
			}
		}
	}()
	for i, f := range to.Fields() {
		at := fieldByName(from.Fields(), f.Name)
		var err error
		if at < 0 {
			children[i], err = nulls(f.Type, data.Len()+data.Offset())
		} else {
			children[i], err = convert(data.Children()[at], f.Type)
		}
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", f.Name, err)
		}
	}
	return array.NewData(to, data.Len(), data.Buffers()[:1], children, data.NullN(), data.Offset()), nil
}

// fieldByName prefers the very name and falls back on one that differs in letter case.
func fieldByName(fields []arrow.Field, name string) int {
	at := -1
	for i, f := range fields {
		if f.Name == name {
			return i
		}
		if at < 0 && datatype.FoldName(f.Name) == datatype.FoldName(name) {
			at = i
		}
	}
	return at
}

func nulls(t arrow.DataType, n int) (arrow.ArrayData, error) {
	a := array.MakeArrayOfNull(memory.DefaultAllocator, t, n)
	defer a.Release()
	d := a.Data()
	d.Retain()
	return d, nil
}

func undictionary(data arrow.ArrayData, t *arrow.DictionaryType) (arrow.ArrayData, error) {
	a := array.NewDictionaryData(data)
	defer a.Release()
	values := a.Dictionary()
	// Rows as slices of one value each: slow, and rare, for Parquet's own dictionaries never come this way.
	parts := make([]arrow.Array, 0, a.Len()+1)
	defer func() {
		for _, p := range parts {
			p.Release()
		}
	}()
	for i := range a.Len() {
		if a.IsNull(i) {
			parts = append(parts, array.MakeArrayOfNull(memory.DefaultAllocator, t.ValueType, 1))
		} else {
			k := int64(a.GetValueIndex(i))
			parts = append(parts, array.NewSlice(values, k, k+1))
		}
	}
	if len(parts) == 0 {
		return nulls(t.ValueType, 0)
	}
	out, err := array.Concatenate(parts, memory.DefaultAllocator)
	if err != nil {
		return nil, err
	}
	defer out.Release()
	d := out.Data()
	d.Retain()
	return d, nil
}
