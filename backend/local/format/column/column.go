// Package column builds Arrow arrays value by value, for readers of text and messages. Unlike Arrow's builders a column can be cut
// back, which a reader needs when a record turns out bad half way through, and appending is a plain append to a typed slice.
//
// The memory is Go's own: arrays that come out of [Column.Finish] need no Release to be freed, and releasing them is harmless.
package column

import (
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/spoonbill-go/spoonbill/backend/arrowtype"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// store is how the values of a type lie in memory.
type store uint8

const (
	none store = iota // VOID
	bits
	fixed8
	fixed16
	fixed32
	fixed64
	float32s
	float64s
	decimals
	bytesOf
	list
	maps
	structs
)

// Column is a growing array of one type. It is for one goroutine.
type Column struct {
	// Type is Spark's type of the values.
	Type datatype.Type
	// Children are the columns of a struct's fields, of an array's elements, or of a map's keys and values.
	Children []*Column

	arrow arrow.DataType
	store store
	n     int
	nulls int
	valid []byte
	bools []byte
	i8    []int8
	i16   []int16
	i32   []int32
	i64   []int64
	f32   []float32
	f64   []float64
	dec   []decimal128.Num
	// offs are the ends of the values of data, or of the lists in the children; offs[0] is 0.
	offs []int32
	data []byte
	// full is set when a value did not fit into 32-bit offsets any more.
	full bool
}

// New makes an empty column. A type that no Arrow array holds, or that text formats cannot carry, is an error.
func New(t datatype.Type) (*Column, error) {
	at, err := arrowtype.Of(t)
	if err != nil {
		return nil, err
	}
	c := &Column{Type: t, arrow: at}
	switch at.ID() {
	case arrow.NULL:
		c.store = none
	case arrow.BOOL:
		c.store = bits
	case arrow.INT8:
		c.store = fixed8
	case arrow.INT16:
		c.store = fixed16
	case arrow.INT32, arrow.DATE32, arrow.INTERVAL_MONTHS:
		c.store = fixed32
	case arrow.INT64, arrow.TIMESTAMP, arrow.TIME64, arrow.DURATION:
		c.store = fixed64
	case arrow.FLOAT32:
		c.store = float32s
	case arrow.FLOAT64:
		c.store = float64s
	case arrow.DECIMAL128:
		c.store = decimals
	case arrow.STRING, arrow.BINARY:
		c.store = bytesOf
		c.offs = append(c.offs, 0)
	default:
		switch x := t.(type) {
		case datatype.Array:
			c.store = list
			c.offs = append(c.offs, 0)
			return c, c.addChildren(x.Elem)
		case datatype.Map:
			c.store = maps
			c.offs = append(c.offs, 0)
			return c, c.addChildren(x.Key, x.Value)
		case datatype.Struct:
			c.store = structs
			for _, f := range x.Fields {
				if err := c.addChildren(f.Type); err != nil {
					return nil, err
				}
			}
			return c, nil
		}
		return nil, fmt.Errorf("columns of type %s cannot be built from text or messages", t)
	}
	return c, nil
}

func (c *Column) addChildren(types ...datatype.Type) error {
	for _, t := range types {
		child, err := New(t)
		if err != nil {
			return err
		}
		c.Children = append(c.Children, child)
	}
	return nil
}

// Len is the number of values.
func (c *Column) Len() int { return c.n }

// Nulls is the number of nulls.
func (c *Column) Nulls() int { return c.nulls }

// Bytes is the size of the values so far, near enough for a decision to cut a batch.
func (c *Column) Bytes() int {
	size := len(c.data) + 4*len(c.offs) + 4*len(c.i32) + 8*len(c.i64) + 8*len(c.f64) + 16*len(c.dec)
	for _, x := range c.Children {
		size += x.Bytes()
	}
	return size
}

func (c *Column) mark() {
	if c.n&7 == 0 {
		c.valid = append(c.valid, 1)
	} else {
		c.valid[c.n>>3] |= 1 << (c.n & 7)
	}
	c.n++
}

// AppendNull appends a null; a struct's fields become null too.
func (c *Column) AppendNull() {
	if c.n&7 == 0 {
		c.valid = append(c.valid, 0)
	}
	switch c.store {
	case bits:
		if c.n&7 == 0 {
			c.bools = append(c.bools, 0)
		}
	case fixed8:
		c.i8 = append(c.i8, 0)
	case fixed16:
		c.i16 = append(c.i16, 0)
	case fixed32:
		c.i32 = append(c.i32, 0)
	case fixed64:
		c.i64 = append(c.i64, 0)
	case float32s:
		c.f32 = append(c.f32, 0)
	case float64s:
		c.f64 = append(c.f64, 0)
	case decimals:
		c.dec = append(c.dec, decimal128.Num{})
	case bytesOf:
		c.offs = append(c.offs, int32(len(c.data)))
	case list, maps:
		c.offs = append(c.offs, int32(c.Children[0].n))
	case structs:
		for _, x := range c.Children {
			x.AppendNull()
		}
	}
	c.n++
	c.nulls++
}

// AppendNulls appends n nulls.
func (c *Column) AppendNulls(n int) {
	for range n {
		c.AppendNull()
	}
}

// AppendBool appends to a BOOLEAN column.
func (c *Column) AppendBool(v bool) {
	if c.n&7 == 0 {
		c.bools = append(c.bools, 0)
	}
	if v {
		c.bools[c.n>>3] |= 1 << (c.n & 7)
	}
	c.mark()
}

// AppendInt appends to a column whose values are whole numbers in memory, of any width: the integers, DATE in days, TIMESTAMP,
// TIMESTAMP_NTZ, TIME and DAY TO SECOND in microseconds, YEAR TO MONTH in months. The value must fit.
func (c *Column) AppendInt(v int64) {
	switch c.store {
	case fixed8:
		c.i8 = append(c.i8, int8(v))
	case fixed16:
		c.i16 = append(c.i16, int16(v))
	case fixed32:
		c.i32 = append(c.i32, int32(v))
	default:
		c.i64 = append(c.i64, v)
	}
	c.mark()
}

// AppendFloat appends to a FLOAT column.
func (c *Column) AppendFloat(v float32) {
	c.f32 = append(c.f32, v)
	c.mark()
}

// AppendDouble appends to a DOUBLE column.
func (c *Column) AppendDouble(v float64) {
	c.f64 = append(c.f64, v)
	c.mark()
}

// AppendDecimal appends an unscaled number to a decimal column; it must fit the precision.
func (c *Column) AppendDecimal(v decimal128.Num) {
	c.dec = append(c.dec, v)
	c.mark()
}

// AppendBytes appends to a STRING, CHAR, VARCHAR or BINARY column; the bytes are copied.
func (c *Column) AppendBytes(v []byte) {
	if len(v) > math.MaxInt32-len(c.data) {
		c.full = true
		v = nil
	}
	c.data = append(c.data, v...)
	c.offs = append(c.offs, int32(len(c.data)))
	c.mark()
}

// AppendString is [Column.AppendBytes] of a string.
func (c *Column) AppendString(v string) {
	if len(v) > math.MaxInt32-len(c.data) {
		c.full = true
		v = ""
	}
	c.data = append(c.data, v...)
	c.offs = append(c.offs, int32(len(c.data)))
	c.mark()
}

// Grow gives the bytes of a text column for a value in the making: the caller appends to them and hands them to
// [Column.SetBytes]. It saves the copy that AppendBytes makes.
func (c *Column) Grow() []byte { return c.data }

// SetBytes ends a value begun with [Column.Grow].
func (c *Column) SetBytes(data []byte) {
	if len(data) > math.MaxInt32 {
		c.full = true
		data = data[:c.offs[len(c.offs)-1]]
	}
	c.data = data
	c.offs = append(c.offs, int32(len(c.data)))
	c.mark()
}

// AppendList closes an array or map whose elements were appended to the children.
func (c *Column) AppendList() {
	if c.Children[0].n > math.MaxInt32 {
		c.full = true
	}
	c.offs = append(c.offs, int32(c.Children[0].n))
	c.mark()
}

// AppendStruct closes a struct whose fields were appended to the children, one value each.
func (c *Column) AppendStruct() { c.mark() }

// Truncate cuts the column back to its first n values, children with it. Children of an array that are not closed are cut too.
func (c *Column) Truncate(n int) {
	if n < c.n {
		for i := n; i < c.n; i++ {
			if c.valid[i>>3]&(1<<(i&7)) == 0 {
				c.nulls--
			}
		}
		// Bits behind the end must be zero, for mark only sets.
		cut := func(b []byte) []byte {
			b = b[:(n+7)/8]
			if n&7 != 0 {
				b[len(b)-1] &= 1<<(n&7) - 1
			}
			return b
		}
		c.valid = cut(c.valid)
		c.n = n
		switch c.store {
		case bits:
			c.bools = cut(c.bools)
		case fixed8:
			c.i8 = c.i8[:n]
		case fixed16:
			c.i16 = c.i16[:n]
		case fixed32:
			c.i32 = c.i32[:n]
		case fixed64:
			c.i64 = c.i64[:n]
		case float32s:
			c.f32 = c.f32[:n]
		case float64s:
			c.f64 = c.f64[:n]
		case decimals:
			c.dec = c.dec[:n]
		case bytesOf:
			c.offs = c.offs[:n+1]
			c.data = c.data[:c.offs[n]]
		case list, maps:
			c.offs = c.offs[:n+1]
		}
	}
	switch c.store {
	case list, maps:
		for _, x := range c.Children {
			x.Truncate(int(c.offs[n]))
		}
	case structs:
		for _, x := range c.Children {
			x.Truncate(n)
		}
	}
}

// Finish gives the values as an Arrow array and empties the column, which can be filled again. More than 2 GiB of text in one
// array is an error.
func (c *Column) Finish() (arrow.Array, error) {
	data, err := c.finish()
	if err != nil {
		return nil, err
	}
	defer data.Release()
	return array.MakeFromData(data), nil
}

func (c *Column) finish() (arrow.ArrayData, error) {
	if c.full {
		c.reset()
		return nil, fmt.Errorf("a column of type %s passed 2 GiB in one batch", c.Type)
	}
	var valid *memory.Buffer
	if c.nulls > 0 && c.store != none {
		valid = memory.NewBufferBytes(c.valid)
	}
	buffers := []*memory.Buffer{valid}
	var children []arrow.ArrayData
	switch c.store {
	case bits:
		buffers = append(buffers, memory.NewBufferBytes(c.bools))
	case fixed8:
		buffers = append(buffers, memory.NewBufferBytes(arrow.Int8Traits.CastToBytes(c.i8)))
	case fixed16:
		buffers = append(buffers, memory.NewBufferBytes(arrow.Int16Traits.CastToBytes(c.i16)))
	case fixed32:
		buffers = append(buffers, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(c.i32)))
	case fixed64:
		buffers = append(buffers, memory.NewBufferBytes(arrow.Int64Traits.CastToBytes(c.i64)))
	case float32s:
		buffers = append(buffers, memory.NewBufferBytes(arrow.Float32Traits.CastToBytes(c.f32)))
	case float64s:
		buffers = append(buffers, memory.NewBufferBytes(arrow.Float64Traits.CastToBytes(c.f64)))
	case decimals:
		buffers = append(buffers, memory.NewBufferBytes(arrow.Decimal128Traits.CastToBytes(c.dec)))
	case bytesOf:
		buffers = append(buffers, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(c.offs)), memory.NewBufferBytes(c.data))
	case list, maps:
		buffers = append(buffers, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(c.offs)))
	}
	for _, x := range c.Children {
		d, err := x.finish()
		if err != nil {
			c.reset()
			return nil, err
		}
		children = append(children, d)
	}
	if c.store == maps {
		entries := c.arrow.(*arrow.MapType).Elem()
		n := children[0].Len()
		children = []arrow.ArrayData{array.NewData(entries, n, []*memory.Buffer{nil}, children, 0, 0)}
	}
	nulls := c.nulls
	if c.store == none {
		nulls = c.n
	}
	out := array.NewData(c.arrow, c.n, buffers, children, nulls, 0)
	c.reset()
	return out, nil
}

// reset forgets the values, whose memory the array has now, and makes room for as many again.
func (c *Column) reset() {
	n := c.n
	c.valid = make([]byte, 0, (n+7)/8)
	switch c.store {
	case bits:
		c.bools = make([]byte, 0, (n+7)/8)
	case fixed8:
		c.i8 = make([]int8, 0, n)
	case fixed16:
		c.i16 = make([]int16, 0, n)
	case fixed32:
		c.i32 = make([]int32, 0, n)
	case fixed64:
		c.i64 = make([]int64, 0, n)
	case float32s:
		c.f32 = make([]float32, 0, n)
	case float64s:
		c.f64 = make([]float64, 0, n)
	case decimals:
		c.dec = make([]decimal128.Num, 0, n)
	case bytesOf:
		c.data = make([]byte, 0, len(c.data))
	}
	if c.offs != nil {
		c.offs = append(make([]int32, 0, n+1), 0)
	}
	c.n, c.nulls, c.full = 0, 0, false
	for _, x := range c.Children {
		if x.n > 0 {
			x.reset()
		}
	}
}

// Record makes a record batch of finished columns of one length.
func Record(schema *arrow.Schema, cols []*Column) (arrow.RecordBatch, error) {
	n := 0
	arrays := make([]arrow.Array, len(cols))
	var failed error
	for i, c := range cols {
		n = c.n
		a, err := c.Finish()
		if err != nil {
			failed = err
			continue
		}
		arrays[i] = a
	}
	if failed != nil {
		return nil, failed
	}
	return array.NewRecordBatch(schema, arrays, int64(n)), nil
}
