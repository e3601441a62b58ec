package avro

import (
	"bytes"
	"compress/flate"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// extensions are what Spark puts before .avro, by its names of the codecs that this writer has.
var extensions = map[string]string{"uncompressed": "", "snappy": ".snappy", "deflate": ".deflate", "zstandard": ".zstandard"}

// Extension gives the ending of a file's name under a codec, such as .snappy.avro. An unknown codec is an error.
func Extension(codec string) (string, error) {
	e, ok := extensions[strings.ToLower(codec)]
	if !ok {
		return "", condition.Newf(condition.InvalidOption, "The option compression: the local engine writes Avro with uncompressed, snappy, deflate or zstandard, not %q.", codec)
	}
	return e + ".avro", nil
}

// Naming are Spark's options recordName and recordNamespace.
type Naming struct{ Record, Namespace string }

// blockSize is how many bytes a block gathers (Avro's DataFileConstants.DEFAULT_SYNC_INTERVAL).
const blockSize = 64_000

// encode appends value i of an array that is bound to it.
type encode func(dst []byte, i int) ([]byte, error)

// Writer writes one container file.
type Writer struct {
	out    io.Writer
	fields []datatype.Field
	codec  string
	sync   [16]byte
	block  []byte
	rows   int64
	zstd   *zstd.Encoder
}

// NewWriter begins a file of fields; codec is Spark's option compression. A type that Spark does not write as Avro, and a name that Avro does not take, is an error.
func NewWriter(w io.Writer, fields []datatype.Field, codec string, names Naming) (*Writer, error) {
	if _, err := Extension(codec); err != nil {
		return nil, err
	}
	if names.Record == "" {
		names.Record = "topLevelRecord"
	}
	schema, err := recordSchema(fields, names.Record, names.Namespace)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(schema); err != nil {
		return nil, err
	}
	out := &Writer{out: w, fields: fields, codec: strings.ToLower(codec)}
	if _, err := rand.Read(out.sync[:]); err != nil {
		return nil, err
	}
	stored := out.codec
	if stored == "uncompressed" {
		stored = "null"
	}
	if stored == "zstandard" {
		if out.zstd, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1)); err != nil {
			return nil, err
		}
	}
	head := append([]byte(nil), magic...)
	head = appendLong(head, 3)
	for _, kv := range [][2]string{{"avro.schema", strings.TrimSpace(text.String())}, {"avro.codec", stored},
		// The version says that the calendar is the proleptic Gregorian one, so that Spark does not shift old dates.
		{"org.apache.spark.version", "4.0.0"}} {
		head = appendText(appendText(head, kv[0]), kv[1])
	}
	head = append(appendLong(head, 0), out.sync[:]...)
	_, err = w.Write(head)
	return out, err
}

func appendLong(dst []byte, v int64) []byte { return binary.AppendVarint(dst, v) }

func appendText(dst []byte, s string) []byte { return append(appendLong(dst, int64(len(s))), s...) }

// The parts of a schema, in the order in which Spark prints them.
type (
	recordType struct {
		Type      string      `json:"type"`
		Name      string      `json:"name"`
		Namespace string      `json:"namespace,omitempty"`
		Fields    []fieldType `json:"fields"`
	}
	fieldType struct {
		Name string `json:"name"`
		Type any    `json:"type"`
	}
	fixedType struct {
		Type      string `json:"type"`
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
		Size      int    `json:"size"`
		Logical   string `json:"logicalType"`
		Precision int    `json:"precision"`
		Scale     int    `json:"scale"`
	}
	logicalType struct {
		Type    string `json:"type"`
		Logical string `json:"logicalType"`
	}
	intervalType struct {
		Type     string `json:"type"`
		Catalyst string `json:"spark.sql.catalyst.type"`
	}
	itemsType struct {
		Type   string `json:"type"`
		Items  any    `json:"items,omitempty"`
		Values any    `json:"values,omitempty"`
	}
)

func recordSchema(fields []datatype.Field, name, space string) (any, error) {
	if len(fields) == 0 {
		return nil, condition.Newf(condition.UnsupportedDataType, "Avro does not hold %s, a struct without fields.", datatype.QuoteName(name))
	}
	inner := name
	if space != "" {
		inner = space + "." + name
	}
	out := recordType{Type: "record", Name: name, Namespace: space}
	for _, f := range fields {
		if !validName(f.Name) {
			e := condition.Newf(condition.InvalidColumnNameAsPath, "Avro does not hold the column %s: a name has letters, digits and underscores, and no digit first.", datatype.QuoteName(f.Name))
			e.Hint = "Rename the column."
			return nil, e
		}
		t, err := schemaOf(f.Type, f.Nullable, f.Name, inner)
		if err != nil {
			return nil, err
		}
		out.Fields = append(out.Fields, fieldType{f.Name, t})
	}
	return out, nil
}

// schemaOf gives the schema of a type as Spark writes it. Source: Spark's SchemaConverters.toAvroType.
func schemaOf(t datatype.Type, nullable bool, name, space string) (any, error) {
	var s any
	var err error
	switch x := t.(type) {
	case datatype.Decimal:
		full := name
		if space != "" {
			full = space + "." + name
		}
		s = fixedType{"fixed", "fixed", full, decimalBytes(x.Precision), "decimal", x.Precision, x.Scale}
	case datatype.Char, datatype.Varchar:
		s = "string"
	case datatype.YearMonth:
		s = intervalType{"int", strings.ToLower(x.String())}
	case datatype.DayTime:
		s = intervalType{"long", strings.ToLower(x.String())}
	case datatype.Array:
		var items any
		items, err = schemaOf(x.Elem, x.ContainsNull, name, space)
		s = itemsType{Type: "array", Items: items}
	case datatype.Map:
		if !datatype.IsString(x.Key) {
			e := condition.Newf(condition.UnsupportedDataType, "Avro does not hold the column %s of type %s: its maps have text as keys.", datatype.QuoteName(name), t)
			e.Hint = "Cast the keys to STRING."
			return nil, e
		}
		var values any
		values, err = schemaOf(x.Value, x.ValueContainsNull, name, space)
		s = itemsType{Type: "map", Values: values}
	case datatype.Struct:
		s, err = recordSchema(x.Fields, name, space)
	default:
		switch t.Kind() {
		case datatype.KindNull:
			return "null", nil
		case datatype.KindBoolean:
			s = "boolean"
		case datatype.KindByte, datatype.KindShort, datatype.KindInt:
			s = "int"
		case datatype.KindLong:
			s = "long"
		case datatype.KindFloat:
			s = "float"
		case datatype.KindDouble:
			s = "double"
		case datatype.KindString:
			s = "string"
		case datatype.KindBinary:
			s = "bytes"
		case datatype.KindDate:
			s = logicalType{"int", "date"}
		case datatype.KindTimestamp:
			s = logicalType{"long", "timestamp-micros"}
		case datatype.KindTimestampNTZ:
			s = logicalType{"long", "local-timestamp-micros"}
		default:
			return nil, condition.Newf(condition.UnsupportedDataType, "Avro does not hold the column %s of type %s.", datatype.QuoteName(name), t)
		}
	}
	if err != nil || !nullable {
		return s, err
	}
	return []any{s, "null"}, nil
}

// decimalBytes is the least size of a two's complement with so many digits.
func decimalBytes(precision int) int {
	n := 1
	for math.Pow(2, float64(8*n-1)) < math.Pow(10, float64(precision)) {
		n++
	}
	return n
}

// encoderOf gives the function that writes the values of an array.
func encoderOf(t datatype.Type, nullable bool, a arrow.Array) (encode, error) {
	if t.Kind() == datatype.KindNull {
		return func(dst []byte, _ int) ([]byte, error) { return dst, nil }, nil
	}
	value, err := valueEncoder(t, a)
	if err != nil {
		return nil, err
	}
	return func(dst []byte, i int) ([]byte, error) {
		if nullable {
			if a.IsNull(i) {
				return append(dst, 2), nil // branch 1
			}
			dst = append(dst, 0)
		} else if a.IsNull(i) {
			return nil, fmt.Errorf("a null in a column that cannot be null")
		}
		return value(dst, i)
	}, nil
}

func valueEncoder(t datatype.Type, a arrow.Array) (encode, error) {
	numbers := func(v func(i int) int64) encode {
		return func(dst []byte, i int) ([]byte, error) { return appendLong(dst, v(i)), nil }
	}
	switch x := a.(type) {
	case *array.Boolean:
		return func(dst []byte, i int) ([]byte, error) {
			if x.Value(i) {
				return append(dst, 1), nil
			}
			return append(dst, 0), nil
		}, nil
	case *array.Int8:
		return numbers(func(i int) int64 { return int64(x.Value(i)) }), nil
	case *array.Int16:
		return numbers(func(i int) int64 { return int64(x.Value(i)) }), nil
	case *array.Int32:
		return numbers(func(i int) int64 { return int64(x.Value(i)) }), nil
	case *array.Int64:
		return numbers(x.Value), nil
	case *array.Date32:
		return numbers(func(i int) int64 { return int64(x.Value(i)) }), nil
	case *array.Timestamp:
		return numbers(func(i int) int64 { return int64(x.Value(i)) }), nil
	case *array.Duration:
		return numbers(func(i int) int64 { return int64(x.Value(i)) }), nil
	case *array.MonthInterval:
		return numbers(func(i int) int64 { return int64(x.Value(i)) }), nil
	case *array.Float32:
		return func(dst []byte, i int) ([]byte, error) {
			return binary.LittleEndian.AppendUint32(dst, math.Float32bits(x.Value(i))), nil
		}, nil
	case *array.Float64:
		return func(dst []byte, i int) ([]byte, error) {
			return binary.LittleEndian.AppendUint64(dst, math.Float64bits(x.Value(i))), nil
		}, nil
	case *array.String:
		return func(dst []byte, i int) ([]byte, error) { return appendText(dst, x.Value(i)), nil }, nil
	case *array.Binary:
		return func(dst []byte, i int) ([]byte, error) {
			v := x.Value(i)
			return append(appendLong(dst, int64(len(v))), v...), nil
		}, nil
	case *array.Decimal128:
		d, ok := t.(datatype.Decimal)
		if !ok {
			break
		}
		size := decimalBytes(d.Precision)
		return func(dst []byte, i int) ([]byte, error) { return appendDecimal(dst, x.Value(i), size), nil }, nil
	case *array.Map:
		m, ok := t.(datatype.Map)
		if !ok {
			break
		}
		keys, err := encoderOf(datatype.String, false, x.Keys())
		if err != nil {
			return nil, err
		}
		items, err := encoderOf(m.Value, m.ValueContainsNull, x.Items())
		if err != nil {
			return nil, err
		}
		return encodeItems(x.ValueOffsets, func(dst []byte, i int) ([]byte, error) {
			dst, err := keys(dst, i)
			if err != nil {
				return nil, err
			}
			return items(dst, i)
		}), nil
	case *array.List:
		l, ok := t.(datatype.Array)
		if !ok {
			break
		}
		items, err := encoderOf(l.Elem, l.ContainsNull, x.ListValues())
		if err != nil {
			return nil, err
		}
		return encodeItems(x.ValueOffsets, items), nil
	case *array.Struct:
		s, ok := t.(datatype.Struct)
		if !ok {
			break
		}
		each := make([]encode, len(s.Fields))
		for k, f := range s.Fields {
			var err error
			if each[k], err = encoderOf(f.Type, f.Nullable, x.Field(k)); err != nil {
				return nil, err
			}
		}
		return func(dst []byte, i int) (_ []byte, err error) {
			for _, e := range each {
				if dst, err = e(dst, i); err != nil {
					return nil, err
				}
			}
			return dst, nil
		}, nil
	}
	return nil, condition.Newf(condition.UnsupportedDataType, "Avro does not hold values of type %s.", t)
}

func encodeItems(bounds func(i int) (int64, int64), item encode) encode {
	return func(dst []byte, i int) (_ []byte, err error) {
		from, to := bounds(i)
		if from < to {
			dst = appendLong(dst, to-from)
		}
		for j := from; j < to; j++ {
			if dst, err = item(dst, int(j)); err != nil {
				return nil, err
			}
		}
		return append(dst, 0), nil
	}
}

func appendDecimal(dst []byte, v decimal128.Num, size int) []byte {
	var full [16]byte
	binary.BigEndian.PutUint64(full[:8], uint64(v.HighBits()))
	binary.BigEndian.PutUint64(full[8:], v.LowBits())
	return append(dst, full[16-size:]...)
}

// Write appends the rows of a batch, whose columns are those of the writer in order.
func (w *Writer) Write(rec arrow.RecordBatch) error {
	each := make([]encode, len(w.fields))
	for i, f := range w.fields {
		var err error
		if each[i], err = encoderOf(f.Type, f.Nullable, rec.Column(i)); err != nil {
			return fmt.Errorf("column %s: %w", datatype.QuoteName(f.Name), err)
		}
	}
	for i := range int(rec.NumRows()) {
		for k, e := range each {
			var err error
			if w.block, err = e(w.block, i); err != nil {
				return fmt.Errorf("column %s: %w", datatype.QuoteName(w.fields[k].Name), err)
			}
		}
		if w.rows++; len(w.block) >= blockSize {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *Writer) flush() error {
	if w.rows == 0 {
		return nil
	}
	data := w.block
	switch w.codec {
	case "snappy":
		data = binary.BigEndian.AppendUint32(snappy.Encode(nil, w.block), crc32.ChecksumIEEE(w.block))
	case "zstandard":
		data = w.zstd.EncodeAll(w.block, nil)
	case "deflate":
		var out bytes.Buffer
		z, err := flate.NewWriter(&out, flate.DefaultCompression)
		if err != nil {
			return err
		}
		if _, err := z.Write(w.block); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
		data = out.Bytes()
	}
	head := appendLong(appendLong(nil, w.rows), int64(len(data)))
	for _, part := range [][]byte{head, data, w.sync[:]} {
		if _, err := w.out.Write(part); err != nil {
			return err
		}
	}
	w.block, w.rows = w.block[:0], 0
	return nil
}

// Close writes what is left. The io.Writer stays open.
func (w *Writer) Close() error {
	err := w.flush()
	if w.zstd != nil {
		if e := w.zstd.Close(); err == nil {
			err = e
		}
	}
	return err
}
