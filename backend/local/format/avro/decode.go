package avro

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/spoonbill-go/spoonbill/backend/arrowtype"
	"github.com/spoonbill-go/spoonbill/backend/local/format/column"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// input is the bytes of a block.
type input struct {
	b   []byte
	pos int
	// empty is how many values may still come that take no bytes: a file could name any number of them.
	empty int
	depth int
}

var errShort = errors.New("a value goes beyond the end of its block")

func (in *input) long() (int64, error) {
	v, n := binary.Varint(in.b[in.pos:])
	if n <= 0 {
		if n == 0 {
			return 0, errShort
		}
		return 0, errors.New("a number has more than 64 bits")
	}
	in.pos += n
	return v, nil
}

func (in *input) int() (int64, error) {
	v, err := in.long()
	if err == nil && int64(int32(v)) != v {
		return 0, fmt.Errorf("the number %d is no int", v)
	}
	return v, err
}

func (in *input) take(n int) ([]byte, error) {
	if n < 0 || n > len(in.b)-in.pos {
		return nil, errShort
	}
	v := in.b[in.pos : in.pos+n]
	in.pos += n
	return v, nil
}

func (in *input) bytes() ([]byte, error) {
	n, err := in.long()
	if err != nil {
		return nil, err
	}
	if n < 0 || n > int64(len(in.b)-in.pos) {
		return nil, errShort
	}
	return in.take(int(n))
}

// count reads how many items of an array or map follow, 0 at its end.
func (in *input) count() (int64, error) {
	n, err := in.long()
	if err != nil || n >= 0 {
		return n, err
	}
	// A negative count is followed by the size of the items in bytes, for readers that skip.
	if _, err := in.long(); err != nil {
		return 0, err
	}
	if n == math.MinInt64 {
		return 0, errors.New("a count of items is out of range")
	}
	return -n, nil
}

// moved is called after each item: one that took no bytes is counted.
func (in *input) moved(from int) error {
	if in.pos > from {
		return nil
	}
	if in.empty--; in.empty < 0 {
		return fmt.Errorf("a block has more than %d values without content", maxEmpty)
	}
	return nil
}

// maxEmpty bounds the values of a block that take no bytes.
const maxEmpty = 1 << 20

// skip steps over a value.
func (in *input) skip(s *Schema) error {
	switch s.kind {
	case null:
		return nil
	case boolean:
		_, err := in.take(1)
		return err
	case integer, long, enum:
		_, err := in.long()
		return err
	case float:
		_, err := in.take(4)
		return err
	case double:
		_, err := in.take(8)
		return err
	case bytesKind, text:
		_, err := in.bytes()
		return err
	case fixed:
		_, err := in.take(s.size)
		return err
	}
	if in.depth++; in.depth > maxDepth {
		return fmt.Errorf("values are nested more than %d deep", maxDepth)
	}
	defer func() { in.depth-- }()
	switch s.kind {
	case union:
		b, err := in.branch(s)
		if err != nil {
			return err
		}
		return in.skip(b)
	case record:
		for _, f := range s.fields {
			if err := in.skip(f.schema); err != nil {
				return err
			}
		}
		return nil
	}
	return in.items(func() error {
		if s.kind == mapKind {
			if _, err := in.bytes(); err != nil {
				return err
			}
		}
		return in.skip(s.items)
	})
}

func (in *input) branch(s *Schema) (*Schema, error) {
	k, err := in.long()
	if err != nil {
		return nil, err
	}
	if k < 0 || k >= int64(len(s.branches)) {
		return nil, fmt.Errorf("a union of %d types has no branch %d", len(s.branches), k)
	}
	return s.branches[k], nil
}

// items calls f for each item of an array or map.
func (in *input) items(f func() error) error {
	for {
		n, err := in.count()
		if err != nil || n == 0 {
			return err
		}
		for ; n > 0; n-- {
			from := in.pos
			if err := f(); err != nil {
				return err
			}
			if err := in.moved(from); err != nil {
				return err
			}
		}
	}
}

// decode appends one value of the input to a column.
type decode func(in *input, c *column.Column) error

// incompatible is the reason for which a file's type is not read as the schema's.
func incompatible(s *Schema, t datatype.Type) error {
	return fmt.Errorf("values of the Avro type %s are not read as %s", s, t)
}

// decoderOf gives the function that reads values of a file's type as a type of the schema. Which pairs there are was asked of a live Spark; it follows
// AvroDeserializer.newWriter with spark.sql.legacy.avro.allowIncompatibleSchema off.
func decoderOf(s *Schema, t datatype.Type) (decode, error) {
	if s.kind == union {
		return unionDecoder(s, t)
	}
	k := t.Kind()
	number := func(put func(c *column.Column, v int64) error) decode {
		read := (*input).long
		if s.kind == integer {
			read = (*input).int
		}
		return func(in *input, c *column.Column) error {
			v, err := read(in)
			if err != nil {
				return err
			}
			return put(c, v)
		}
	}
	asIs := func(c *column.Column, v int64) error { c.AppendInt(v); return nil }
	times := func(by int64) func(c *column.Column, v int64) error {
		return func(c *column.Column, v int64) error {
			if v > math.MaxInt64/by || v < math.MinInt64/by {
				return fmt.Errorf("the time %d is out of range", v)
			}
			c.AppendInt(v * by)
			return nil
		}
	}
	switch s.kind {
	case null:
		if k == datatype.KindNull {
			return func(_ *input, c *column.Column) error { c.AppendNull(); return nil }, nil
		}
	case boolean:
		if k == datatype.KindBoolean {
			return func(in *input, c *column.Column) error {
				b, err := in.take(1)
				if err == nil && b[0] > 1 {
					err = fmt.Errorf("a boolean is %d", b[0])
				}
				if err != nil {
					return err
				}
				c.AppendBool(b[0] == 1)
				return nil
			}, nil
		}
	case integer:
		switch k {
		case datatype.KindInt, datatype.KindLong, datatype.KindYearMonth, datatype.KindDate:
			return number(asIs), nil
		case datatype.KindDouble:
			return number(func(c *column.Column, v int64) error { c.AppendDouble(float64(v)); return nil }), nil
		case datatype.KindTimestampNTZ:
			if s.logical == "date" {
				return number(times(86_400_000_000)), nil
			}
		}
	case long:
		switch k {
		case datatype.KindLong, datatype.KindDayTime:
			return number(asIs), nil
		case datatype.KindDate:
			// The days that spark-avro wrote before Avro had dates, as milliseconds.
			return number(func(c *column.Column, v int64) error { c.AppendInt(int64(int32(v / 86_400_000))); return nil }), nil
		case datatype.KindTimestamp, datatype.KindTimestampNTZ:
			prefix := ""
			if k == datatype.KindTimestampNTZ {
				prefix = "local-"
			}
			switch {
			case s.interval != nil:
			case s.logical == "", s.logical == prefix+"timestamp-millis":
				return number(times(1000)), nil
			case s.logical == prefix+"timestamp-micros":
				return number(asIs), nil
			}
		}
	case float:
		read := func(in *input) (float32, error) {
			b, err := in.take(4)
			if err != nil {
				return 0, err
			}
			return math.Float32frombits(binary.LittleEndian.Uint32(b)), nil
		}
		switch k {
		case datatype.KindFloat:
			return func(in *input, c *column.Column) error {
				v, err := read(in)
				if err == nil {
					c.AppendFloat(v)
				}
				return err
			}, nil
		case datatype.KindDouble:
			return func(in *input, c *column.Column) error {
				v, err := read(in)
				if err == nil {
					c.AppendDouble(float64(v))
				}
				return err
			}, nil
		}
	case double:
		if k == datatype.KindDouble {
			return func(in *input, c *column.Column) error {
				b, err := in.take(8)
				if err == nil {
					c.AppendDouble(math.Float64frombits(binary.LittleEndian.Uint64(b)))
				}
				return err
			}, nil
		}
	case text:
		if datatype.IsString(t) {
			return appendBytes, nil
		}
	case enum:
		if datatype.IsString(t) {
			return func(in *input, c *column.Column) error {
				v, err := in.long()
				if err == nil && (v < 0 || v >= int64(len(s.symbols))) {
					err = fmt.Errorf("the enum %s has no symbol %d", s.name, v)
				}
				if err != nil {
					return err
				}
				c.AppendString(s.symbols[v])
				return nil
			}, nil
		}
	case bytesKind, fixed:
		if k == datatype.KindBinary {
			if s.kind == bytesKind {
				return appendBytes, nil
			}
			return func(in *input, c *column.Column) error {
				b, err := in.take(s.size)
				if err == nil {
					c.AppendBytes(b)
				}
				return err
			}, nil
		}
		if d, ok := t.(datatype.Decimal); ok && s.logical == "decimal" && s.precision-s.scale <= d.Precision-d.Scale {
			return decimalDecoder(s, d), nil
		}
	case arrayKind:
		if x, ok := t.(datatype.Array); ok {
			elem, err := decoderOf(s.items, x.Elem)
			if err != nil {
				return nil, err
			}
			return func(in *input, c *column.Column) error {
				if err := in.items(func() error { return elem(in, c.Children[0]) }); err != nil {
					return err
				}
				c.AppendList()
				return nil
			}, nil
		}
	case mapKind:
		if x, ok := t.(datatype.Map); ok && datatype.IsString(x.Key) {
			value, err := decoderOf(s.items, x.Value)
			if err != nil {
				return nil, err
			}
			return func(in *input, c *column.Column) error {
				err := in.items(func() error {
					if err := appendBytes(in, c.Children[0]); err != nil {
						return err
					}
					return value(in, c.Children[1])
				})
				if err != nil {
					return err
				}
				c.AppendList()
				return nil
			}, nil
		}
	case record:
		if x, ok := t.(datatype.Struct); ok {
			steps, err := stepsOf(s, x.Fields, nil)
			if err != nil {
				return nil, err
			}
			return func(in *input, c *column.Column) error {
				if err := steps.run(in, c.Children); err != nil {
					return err
				}
				c.AppendStruct()
				return nil
			}, nil
		}
	}
	return nil, incompatible(s, t)
}

func appendBytes(in *input, c *column.Column) error {
	b, err := in.bytes()
	if err == nil {
		c.AppendBytes(b)
	}
	return err
}

// unionDecoder reads a union with null as what else it has; of several types as a struct with one field for each, by position, or as the
// wider of two numbers.
func unionDecoder(s *Schema, t datatype.Type) (decode, error) {
	branches, _ := s.values()
	read := make([]decode, len(s.branches))
	member := make([]int, len(s.branches))
	x, isStruct := t.(datatype.Struct)
	// A union of one record is that record; of several types it is a struct whose fields are the types.
	members := isStruct && len(branches) > 1
	switch {
	case members && len(x.Fields) != len(branches):
		return nil, incompatible(s, t)
	case !members && len(branches) > 1:
		if wide := numbers(branches); wide == nil || !datatype.Equal(wide, t) {
			return nil, incompatible(s, t)
		}
	}
	k := 0
	for i, b := range s.branches {
		if b.kind == null {
			continue
		}
		to := t
		if members {
			to = x.Fields[k].Type
		}
		var err error
		if read[i], err = decoderOf(b, to); err != nil {
			return nil, err
		}
		member[i] = k
		k++
	}
	return func(in *input, c *column.Column) error {
		i, err := in.long()
		if err != nil {
			return err
		}
		if i < 0 || i >= int64(len(read)) {
			return fmt.Errorf("a union of %d types has no branch %d", len(read), i)
		}
		switch {
		case read[i] == nil:
			c.AppendNull()
			return nil
		case !members:
			return read[i](in, c)
		}
		for j, child := range c.Children {
			if j != member[i] {
				child.AppendNull()
			} else if err := read[i](in, child); err != nil {
				return err
			}
		}
		c.AppendStruct()
		return nil
	}, nil
}

// decimalDecoder reads big-endian two's complement and brings it to the scale that is asked for, rounding halves away from zero; null when
// that makes a digit too many.
func decimalDecoder(s *Schema, to datatype.Decimal) decode {
	up, down := decimal128.FromI64(1), (*big.Int)(nil)
	if to.Scale >= s.scale {
		up = decimal128.GetScaleMultiplier(to.Scale - s.scale)
	} else {
		down = new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(s.scale-to.Scale)), nil)
	}
	return func(in *input, c *column.Column) error {
		var b []byte
		var err error
		if s.kind == fixed {
			b, err = in.take(s.size)
		} else {
			b, err = in.bytes()
		}
		if err != nil {
			return err
		}
		v, ok := unscaled(b)
		if !ok || !v.FitsInPrecision(int32(min(s.precision, datatype.MaxPrecision))) {
			return fmt.Errorf("a decimal of %d bytes has more than %d digits", len(b), s.precision)
		}
		if down == nil {
			v = v.Mul(up)
		} else {
			v = roundedQuotient(v, down)
		}
		if v.FitsInPrecision(int32(to.Precision)) {
			c.AppendDecimal(v)
		} else {
			c.AppendNull() // rounding gave it a digit too many: Spark's row has no room for it
		}
		return nil
	}
}

func roundedQuotient(v decimal128.Num, by *big.Int) decimal128.Num {
	n := v.BigInt()
	neg := n.Sign() < 0
	n.Abs(n)
	q, r := new(big.Int).QuoRem(n, by, new(big.Int))
	if r.Lsh(r, 1).Cmp(by) >= 0 {
		q.Add(q, big.NewInt(1))
	}
	if neg {
		q.Neg(q)
	}
	return decimal128.FromBigInt(q)
}

// unscaled reads a number in big-endian two's complement, of any length; it is false for one beyond 128 bits.
func unscaled(b []byte) (decimal128.Num, bool) {
	if len(b) == 0 {
		return decimal128.Num{}, true
	}
	sign := byte(0)
	if b[0]&0x80 != 0 {
		sign = 0xff
	}
	for len(b) > 16 {
		if b[0] != sign {
			return decimal128.Num{}, false
		}
		b = b[1:]
	}
	var full [16]byte
	for i := range full {
		full[i] = sign
	}
	copy(full[16-len(b):], b)
	if full[0]&0x80 != sign&0x80 {
		return decimal128.Num{}, false
	}
	return decimal128.New(int64(binary.BigEndian.Uint64(full[:8])), binary.BigEndian.Uint64(full[8:])), true
}

// steps read a record in the order of the file.
type steps struct {
	each []step
	// missing are the columns that the file does not have.
	missing []int
}

type step struct {
	schema *Schema
	read   decode // nil for a field that nobody reads
	to     int
}

// stepsOf matches the fields of a record to columns by name without regard to letter case. need are the columns that are read, nil for all.
func stepsOf(s *Schema, fields []datatype.Field, need []int) (*steps, error) {
	wanted := make([]bool, len(fields))
	for i := range wanted {
		wanted[i] = need == nil
	}
	for _, i := range need {
		wanted[i] = true
	}
	names := map[string][]int{}
	for i, f := range s.fields {
		k := datatype.FoldName(f.name)
		names[k] = append(names[k], i)
	}
	out := &steps{each: make([]step, len(s.fields))}
	for i, f := range s.fields {
		out.each[i] = step{schema: f.schema, to: -1}
	}
	for i, f := range fields {
		at := names[datatype.FoldName(f.Name)]
		switch {
		case len(at) > 1:
			return nil, fmt.Errorf("the file has %d fields named %s but for letter case", len(at), datatype.QuoteName(f.Name))
		case !wanted[i] || len(at) == 0:
			out.missing = append(out.missing, i)
			continue
		}
		x := &out.each[at[0]]
		var err error
		if x.read, err = decoderOf(x.schema, f.Type); err != nil {
			return nil, fmt.Errorf("column %s: %w", datatype.QuoteName(f.Name), err)
		}
		x.to = i
	}
	return out, nil
}

func (s *steps) run(in *input, cols []*column.Column) error {
	if in.depth++; in.depth > maxDepth {
		return fmt.Errorf("values are nested more than %d deep", maxDepth)
	}
	for i := range s.each {
		x := &s.each[i]
		var err error
		if x.read == nil {
			err = in.skip(x.schema)
		} else {
			err = x.read(in, cols[x.to])
		}
		if err != nil {
			return err
		}
	}
	in.depth--
	for _, i := range s.missing {
		cols[i].AppendNull()
	}
	return nil
}

// Decoder reads blocks of one file into record batches. It is for one goroutine.
type Decoder struct {
	file  *File
	cols  []*column.Column
	steps *steps
	// absent are the columns that the file does not have or the query does not read; they are made at the end.
	absent map[int]bool
	schema *arrow.Schema
	rows   int
}

// NewDecoder makes a decoder of the file's blocks.
func (f *File) NewDecoder() (*Decoder, error) {
	d := &Decoder{file: f, schema: f.arrow, absent: map[int]bool{}}
	for _, x := range f.fields {
		c, err := column.New(x.Type)
		if err != nil {
			return nil, err
		}
		d.cols = append(d.cols, c)
	}
	for _, i := range f.steps.missing {
		d.absent[i] = true
	}
	d.steps = &steps{each: f.steps.each}
	return d, nil
}

// Decode reads the rows of a block. After an error the rows of the block are not to be used.
func (d *Decoder) Decode(b Block) error {
	data, err := d.file.unpack(b)
	if err != nil {
		return err
	}
	in := &input{b: data, empty: maxEmpty}
	for range b.Rows {
		from := in.pos
		if err := d.steps.run(in, d.cols); err != nil {
			return err
		}
		if err := in.moved(from); err != nil {
			return err
		}
		d.rows++
	}
	if in.pos != len(data) {
		return fmt.Errorf("a block has %d bytes behind its last row", len(data)-in.pos)
	}
	return nil
}

// Rows is the number of rows since the last batch.
func (d *Decoder) Rows() int { return d.rows }

// Batch gives the rows so far and begins anew. The caller releases it.
func (d *Decoder) Batch() (arrow.RecordBatch, error) {
	n := d.rows
	d.rows = 0
	arrays := make([]arrow.Array, len(d.cols))
	for i, c := range d.cols {
		if d.absent[i] {
			arrays[i] = array.MakeArrayOfNull(memory.DefaultAllocator, d.schema.Field(i).Type, n)
			continue
		}
		a, err := c.Finish()
		if err != nil {
			return nil, err
		}
		arrays[i] = a
	}
	return array.NewRecordBatch(d.schema, arrays, int64(n)), nil
}

// arrowSchema is the layout of the batches.
func arrowSchema(fields []datatype.Field) (*arrow.Schema, error) { return arrowtype.Schema(fields) }
