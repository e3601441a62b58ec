package vec

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/spoonbill-go/spoonbill/backend/arrowtype"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// FromRecord makes a batch of a record's columns, column i of type types[i], and keeps the record until the batch is released.
// A column that is nil in types is not looked at. The record's own reference stays with the caller.
func FromRecord(rec arrow.RecordBatch, types []datatype.Type) (*Batch, error) {
	if int(rec.NumCols()) != len(types) {
		return nil, fmt.Errorf("a record batch has %d columns, not %d", rec.NumCols(), len(types))
	}
	cols := make([]*Vec, len(types))
	for i, t := range types {
		if t == nil {
			continue
		}
		v, err := FromArrow(t, rec.Column(i))
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", rec.ColumnName(i), err)
		}
		cols[i] = v
	}
	rec.Retain()
	return NewBatch(cols, int(rec.NumRows()), rec.Release), nil
}

// FromArrow makes a vector that points into an array; the caller keeps the array alive. A dictionary of texts with few
// entries stays one ([Vec.Dict]); others are decoded.
func FromArrow(t datatype.Type, a arrow.Array) (*Vec, error) {
	n := a.Len()
	if d, ok := a.(*array.Dictionary); ok {
		values, err := FromArrow(t, d.Dictionary())
		if err != nil {
			return nil, err
		}
		if PhysOf(t) == PBytes && values.Null == nil && 2*values.Len <= n && d.Indices().DataType().ID() == arrow.INT32 {
			// Rows that are taken out of the vector keep its dictionary, so that has memory of its own: they may outlive the array.
			all := make([]int32, values.Len)
			for i := range all {
				all[i] = int32(i)
			}
			v := &Vec{Type: t, Len: n, Codes: d.Indices().(*array.Int32).Int32Values(), Dict: Take(values, all)}
			v.Null = nullsOf(a)
			v.Dict.identity = d.Data().Dictionary()
			return v, nil
		}
		idx := make([]int32, n)
		for i := range idx {
			if d.IsNull(i) {
				idx[i] = -1
			} else {
				idx[i] = int32(d.GetValueIndex(i))
			}
		}
		return Take(values, idx), nil
	}
	v := &Vec{Type: t, Len: n, src: a}
	if a.DataType().ID() == arrow.NULL {
		return Nulls(t, n).Flat(), nil
	}
	v.Null = nullsOf(a)
	mismatch := func() (*Vec, error) {
		return nil, fmt.Errorf("an Arrow array of %s cannot be a column of %s", a.DataType(), t)
	}
	switch PhysOf(t) {
	case PBool:
		x, ok := a.(*array.Boolean)
		if !ok {
			return mismatch()
		}
		v.Bool = make([]bool, n)
		for i := range v.Bool {
			v.Bool[i] = x.Value(i)
		}
	case PI8:
		x, ok := a.(*array.Int8)
		if !ok {
			return mismatch()
		}
		v.I8 = x.Int8Values()
	case PI16:
		switch x := a.(type) {
		case *array.Int16:
			v.I16 = x.Int16Values()
		case *array.Uint8:
			v.I16, v.src = widen[uint8, int16](x.Uint8Values()), nil
		default:
			return mismatch()
		}
	case PI32:
		switch x := a.(type) {
		case *array.Int32:
			v.I32 = x.Int32Values()
		case *array.Date32:
			v.I32 = cast[arrow.Date32, int32](x.Date32Values())
		case *array.MonthInterval:
			v.I32 = cast[arrow.MonthInterval, int32](x.MonthIntervalValues())
		case *array.Uint16:
			v.I32, v.src = widen[uint16, int32](x.Uint16Values()), nil
		default:
			return mismatch()
		}
	case PI64:
		switch x := a.(type) {
		case *array.Int64:
			v.I64 = x.Int64Values()
		case *array.Timestamp:
			v.I64 = cast[arrow.Timestamp, int64](x.TimestampValues())
			unit := a.DataType().(*arrow.TimestampType).Unit
			if unit != arrow.Microsecond {
				v.I64, v.src = toMicros(v.I64, unit), nil
			}
		case *array.Duration:
			v.I64 = cast[arrow.Duration, int64](x.DurationValues())
		case *array.Time64:
			v.I64 = cast[arrow.Time64, int64](x.Time64Values())
		case *array.Uint32:
			v.I64, v.src = widen[uint32, int64](x.Uint32Values()), nil
		default:
			return mismatch()
		}
	case PF32:
		x, ok := a.(*array.Float32)
		if !ok {
			return mismatch()
		}
		v.F32 = x.Float32Values()
	case PF64:
		x, ok := a.(*array.Float64)
		if !ok {
			return mismatch()
		}
		v.F64 = x.Float64Values()
	case PDec:
		x, ok := a.(*array.Decimal128)
		if !ok || x.DataType().(*arrow.Decimal128Type).Scale != int32(t.(datatype.Decimal).Scale) {
			return mismatch()
		}
		v.Dec = x.Values()
	case PBytes:
		switch x := a.(type) {
		case *array.String, *array.Binary:
			v.Off, v.Bytes = offsets(a), bufferOf(a, 2)
		case interface{ Value(int) string }: // large and view texts are copied
			v.src, v.Off = nil, make([]int32, n+1)
			for i := range n {
				if !a.IsNull(i) {
					v.Bytes = append(v.Bytes, x.Value(i)...)
				}
				v.Off[i+1] = int32(len(v.Bytes))
			}
		case interface{ Value(int) []byte }:
			v.src, v.Off = nil, make([]int32, n+1)
			for i := range n {
				if !a.IsNull(i) {
					v.Bytes = append(v.Bytes, x.Value(i)...)
				}
				v.Off[i+1] = int32(len(v.Bytes))
			}
		default:
			return mismatch()
		}
	case PList:
		x, ok := a.(*array.List)
		if !ok {
			return mismatch()
		}
		v.Off = offsets(a)
		k, err := FromArrow(t.(datatype.Array).Elem, x.ListValues())
		if err != nil {
			return nil, err
		}
		v.Kids = []*Vec{k}
	case PMap:
		x, ok := a.(*array.Map)
		if !ok {
			return mismatch()
		}
		v.Off = offsets(a)
		m := t.(datatype.Map)
		k, err := FromArrow(m.Key, x.Keys())
		if err != nil {
			return nil, err
		}
		w, err := FromArrow(m.Value, x.Items())
		if err != nil {
			return nil, err
		}
		v.Kids = []*Vec{k, w}
	case PStruct:
		x, ok := a.(*array.Struct)
		kids := KidTypes(t)
		if !ok || x.NumField() != len(kids) {
			return mismatch()
		}
		for i, kt := range kids {
			k, err := FromArrow(kt, x.Field(i))
			if err != nil {
				return nil, err
			}
			v.Kids = append(v.Kids, k)
		}
	default:
		return mismatch()
	}
	return v, nil
}

// nullsOf gives the rows of an array that are null, nil for none.
func nullsOf(a arrow.Array) []bool {
	if a.NullN() == 0 {
		return nil
	}
	out := make([]bool, a.Len())
	bits, off := a.NullBitmapBytes(), a.Data().Offset()
	if len(bits) > 0 {
		for i := range out {
			j := i + off
			out[i] = bits[j>>3]>>(j&7)&1 == 0
		}
	}
	return out
}

// bufferOf gives a buffer's bytes, nil where Arrow leaves the buffer out (no rows, no nulls).
func bufferOf(a arrow.Array, i int) []byte {
	if bs := a.Data().Buffers(); i < len(bs) && bs[i] != nil {
		return bs[i].Bytes()
	}
	return nil
}

// offsets gives the len+1 offsets of a list or text array. A slice's offsets begin anywhere; the vector keeps them as they are.
func offsets(a arrow.Array) []int32 {
	b := bufferOf(a, 1)
	if len(b) == 0 {
		return make([]int32, a.Len()+1)
	}
	off := a.Data().Offset()
	return arrow.Int32Traits.CastFromBytes(b)[off : off+a.Len()+1]
}

// cast reads a slice as one of another type of the same size.
func cast[A, B any](in []A) []B {
	return unsafe.Slice((*B)(unsafe.Pointer(unsafe.SliceData(in))), len(in))
}

// widen turns unsigned numbers into the next wider signed ones, which is how Spark reads them from Parquet.
func widen[A uint8 | uint16 | uint32, B int16 | int32 | int64](in []A) []B {
	out := make([]B, len(in))
	for i, x := range in {
		out[i] = B(x)
	}
	return out
}

// toMicros brings time stamps of other units to Spark's microseconds; nanoseconds are cut towards the past, as a floor.
func toMicros(in []int64, unit arrow.TimeUnit) []int64 {
	out := make([]int64, len(in))
	for i, x := range in {
		switch unit {
		case arrow.Second:
			out[i] = x * 1_000_000
		case arrow.Millisecond:
			out[i] = x * 1_000
		case arrow.Nanosecond:
			q := x / 1_000
			if x%1_000 < 0 {
				q--
			}
			out[i] = q
		default:
			out[i] = x
		}
	}
	return out
}

// ToRecord makes a record batch of the first len(fields) columns and takes b over: what b holds is given back when the last buffer
// of the record is released. The caller releases the record.
func (b *Batch) ToRecord(schema *arrow.Schema, fields []datatype.Field) arrow.RecordBatch {
	var h *hold
	wrap := memory.NewBufferBytes
	for p := b; p != nil; p = p.parent {
		if p.done != nil {
			h = &hold{batch: b}
			h.n.Store(1)
			wrap = h.wrap
			break
		}
	}
	arrs := make([]arrow.Array, len(fields))
	for i := range fields {
		arrs[i] = toArrow(b.Cols[i], schema.Field(i).Type, wrap)
	}
	rec := array.NewRecordBatch(schema, arrs, int64(b.N))
	for _, a := range arrs {
		a.Release()
	}
	if h != nil {
		h.Free(nil)
	}
	return rec
}

// hold keeps a batch until the last of the buffers that point into it is released: Arrow calls Free of a buffer's allocator then.
type hold struct {
	batch *Batch
	n     atomic.Int64
}

// wrap makes a buffer whose last release is counted.
func (h *hold) wrap(b []byte) *memory.Buffer {
	h.n.Add(1)
	return memory.NewBufferWithAllocator(b, h)
}

// Free implements memory.Allocator.
func (h *hold) Free([]byte) {
	if h.n.Add(-1) == 0 {
		h.batch.Release()
	}
}

// Allocate implements memory.Allocator; a view never grows, and if it did the memory would be the collector's.
func (h *hold) Allocate(size int) []byte { return make([]byte, size) }

// Reallocate implements memory.Allocator, as Allocate does.
func (h *hold) Reallocate(size int, b []byte) []byte {
	c := make([]byte, size)
	copy(c, b)
	return c
}

// RecordSchema gives the Arrow schema of fields.
func RecordSchema(fields []datatype.Field) (*arrow.Schema, error) { return arrowtype.Schema(fields) }

// ToArrow makes an array of a vector, which must not point into memory that is released before the array is. An array that the
// vector points into unchanged is given again.
func ToArrow(v *Vec, at arrow.DataType) arrow.Array { return toArrow(v, at, memory.NewBufferBytes) }

// toArrow is ToArrow with the maker of buffers, so that a record can hold its batch.
func toArrow(v *Vec, at arrow.DataType, wrap func([]byte) *memory.Buffer) arrow.Array {
	if v.src != nil && !v.Const && v.src.Len() == v.Len && arrow.TypeEqual(v.src.DataType(), at) {
		v.src.Retain()
		return v.src
	}
	d := data(v.Flat(), at, wrap)
	defer d.Release()
	return array.MakeFromData(d)
}

// data lays a flat vector out as Arrow's buffers. Values stay where they are; only the bits of nulls and booleans are made, because
// a vector keeps those as bytes.
func data(v *Vec, at arrow.DataType, wrap func([]byte) *memory.Buffer) *array.Data {
	nulls := 0
	bufs := []*memory.Buffer{nil}
	if v.Null != nil && at.ID() != arrow.NULL {
		bits := make([]byte, (v.Len+7)/8)
		for i, null := range v.Null[:v.Len] {
			if null {
				nulls++
			} else {
				bits[i>>3] |= 1 << (i & 7)
			}
		}
		if nulls > 0 {
			bufs[0] = memory.NewBufferBytes(bits)
		}
	}
	var kids []arrow.ArrayData
	kid := func(v *Vec, t arrow.DataType) { kids = append(kids, data(v.Flat(), t, wrap)) }
	switch PhysOf(v.Type) {
	case PBool:
		bits := make([]byte, (v.Len+7)/8)
		for i, x := range v.Bool[:v.Len] {
			if x {
				bits[i>>3] |= 1 << (i & 7)
			}
		}
		bufs = append(bufs, wrap(bits))
	case PI8:
		bufs = append(bufs, wrap(raw(v.I8[:v.Len])))
	case PI16:
		bufs = append(bufs, wrap(raw(v.I16[:v.Len])))
	case PI32:
		bufs = append(bufs, wrap(raw(v.I32[:v.Len])))
	case PI64:
		bufs = append(bufs, wrap(raw(v.I64[:v.Len])))
	case PF32:
		bufs = append(bufs, wrap(raw(v.F32[:v.Len])))
	case PF64:
		bufs = append(bufs, wrap(raw(v.F64[:v.Len])))
	case PDec:
		bufs = append(bufs, wrap(raw(v.Dec[:v.Len])))
	case PBytes:
		bufs = append(bufs, wrap(raw(v.Off[:v.Len+1])), wrap(v.Bytes))
	case PList:
		bufs = append(bufs, wrap(raw(v.Off[:v.Len+1])))
		kid(v.Kids[0], at.(*arrow.ListType).Elem())
	case PMap:
		bufs = append(bufs, wrap(raw(v.Off[:v.Len+1])))
		entries := at.(*arrow.MapType).Elem().(*arrow.StructType)
		kid(v.Kids[0], entries.Field(0).Type)
		kid(v.Kids[1], entries.Field(1).Type)
		kv := kids
		kids = []arrow.ArrayData{array.NewData(entries, v.Kids[0].Len, []*memory.Buffer{nil}, kv, 0, 0)}
		for _, k := range kv {
			k.Release()
		}
	case PStruct:
		st := at.(*arrow.StructType)
		for i, k := range v.Kids {
			kid(k, st.Field(i).Type)
		}
	case PNull:
		nulls = v.Len
	}
	d := array.NewData(at, v.Len, bufs, kids, nulls, 0)
	for _, b := range bufs {
		if b != nil {
			b.Release()
		}
	}
	for _, k := range kids {
		k.Release()
	}
	return d
}

// raw reads a slice as bytes, in the machine's order, which is Arrow's on every machine that Go's Arrow supports.
func raw[T any](s []T) []byte {
	var t T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(t)))
}

// Detach forgets the arrays that v was made from, before they are released. The memory that v points into must stay: that of
// arrays whose buffers have no allocator does.
func (v *Vec) Detach() *Vec {
	v.src = nil
	for _, k := range v.Kids {
		k.Detach()
	}
	return v
}
