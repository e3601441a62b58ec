package json

import (
	"encoding/base64"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/spoonbill-go/spoonbill/backend/local/format/column"
	"github.com/spoonbill-go/spoonbill/backend/local/format/number"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/internal/javanum"
	"github.com/spoonbill-go/spoonbill/internal/javatext"
	"github.com/spoonbill-go/spoonbill/internal/timetext"
)

// Encoder writes rows as JSON objects, in the way of Spark's to_json and its JSON files. It is for one goroutine.
type Encoder struct {
	opts Options
	zone *timetext.Zone
	// names are the quoted names with their colon, by struct.
	names map[*datatype.Field][]byte
	// dates, stamps and ntz are the patterns in force.
	date, stamp, ntz *timetext.Pattern
}

// Spark's patterns for writing; a part in brackets is left out where the value has no zone. Spark's own default has three
// letters for the zone, but unlike three of the user's it prints the seconds of a local mean time too.
var (
	defaultStamp = mustCompile("yyyy-MM-dd'T'HH:mm:ss[.SSS][XXXXX]")
	defaultNTZ   = mustCompile("yyyy-MM-dd'T'HH:mm:ss[.SSS]")
	defaultDate  = mustCompile("yyyy-MM-dd")
)

func mustCompile(pattern string) *timetext.Pattern {
	p, err := timetext.Compile(pattern)
	if err != nil {
		panic(err) // invariant: the patterns above are constants of this package, and a test compiles each
	}
	return p
}

// NewEncoder makes an encoder. Options for reading are passed over.
func NewEncoder(opts Options) *Encoder {
	e := &Encoder{opts: opts, zone: timetext.NewZone(opts.Zone), names: map[*datatype.Field][]byte{}, date: defaultDate, stamp: defaultStamp, ntz: defaultNTZ}
	if opts.Date != nil {
		e.date = opts.Date
	}
	if opts.Timestamp != nil {
		e.stamp = opts.Timestamp
	}
	if opts.TimestampNTZ != nil {
		e.ntz = opts.TimestampNTZ
	}
	return e
}

// appender writes value i of an array; the value is not null.
type appender func(dst []byte, i int) []byte

// Rows gives a function that appends row i as an object, without a line end. The columns belong to fields in order.
func (e *Encoder) Rows(fields []datatype.Field, cols []arrow.Array) (func(dst []byte, i int) []byte, error) {
	return e.object(fields, cols)
}

// Values gives a function that appends value i of an array of a type; the value must not be null.
func (e *Encoder) Values(t datatype.Type, a arrow.Array) (func(dst []byte, i int) []byte, error) {
	return e.of(t, a)
}

func (e *Encoder) object(fields []datatype.Field, cols []arrow.Array) (appender, error) {
	if len(fields) != len(cols) {
		return nil, condition.Newf(condition.Unsupported, "JSON: %d fields do not fit %d columns.", len(fields), len(cols))
	}
	names := make([][]byte, len(fields))
	writers := make([]appender, len(fields))
	for i := range fields {
		f := &fields[i]
		name, ok := e.names[f]
		if !ok {
			name = append(appendQuoted(nil, []byte(f.Name)), ':')
			e.names[f] = name
		}
		names[i] = name
		w, err := e.of(f.Type, cols[i])
		if err != nil {
			return nil, err
		}
		writers[i] = w
	}
	ignore := e.opts.IgnoreNullFields
	return func(dst []byte, i int) []byte {
		dst = append(dst, '{')
		first := true
		for k, w := range writers {
			null := cols[k].IsNull(i)
			if null && ignore {
				continue
			}
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = append(dst, names[k]...)
			if null {
				dst = append(dst, "null"...)
			} else {
				dst = w(dst, i)
			}
		}
		return append(dst, '}')
	}, nil
}

func (e *Encoder) of(t datatype.Type, a arrow.Array) (appender, error) {
	switch x := a.(type) {
	case *array.Null:
		return func(dst []byte, _ int) []byte { return append(dst, "null"...) }, nil
	case *array.Boolean:
		return func(dst []byte, i int) []byte { return strconv.AppendBool(dst, x.Value(i)) }, nil
	case *array.Int8:
		return func(dst []byte, i int) []byte { return strconv.AppendInt(dst, int64(x.Value(i)), 10) }, nil
	case *array.Int16:
		return func(dst []byte, i int) []byte { return strconv.AppendInt(dst, int64(x.Value(i)), 10) }, nil
	case *array.Int32:
		return func(dst []byte, i int) []byte { return strconv.AppendInt(dst, int64(x.Value(i)), 10) }, nil
	case *array.Int64:
		return func(dst []byte, i int) []byte { return strconv.AppendInt(dst, x.Value(i), 10) }, nil
	case *array.Float32:
		return func(dst []byte, i int) []byte {
			v := x.Value(i)
			return quotedUnless(dst, isFinite(float64(v)), func(dst []byte) []byte { return javanum.AppendFloat(dst, float64(v), 32) })
		}, nil
	case *array.Float64:
		return func(dst []byte, i int) []byte {
			v := x.Value(i)
			return quotedUnless(dst, isFinite(v), func(dst []byte) []byte { return javanum.AppendFloat(dst, v, 64) })
		}, nil
	case *array.Decimal128:
		scale := int(x.DataType().(*arrow.Decimal128Type).Scale)
		return func(dst []byte, i int) []byte { return number.AppendJavaDecimal(dst, x.Value(i), scale) }, nil
	case *array.Date32:
		return func(dst []byte, i int) []byte {
			return append(e.date.AppendDate(append(dst, '"'), int64(x.Value(i))), '"')
		}, nil
	case *array.Timestamp:
		if t.Kind() == datatype.KindTimestampNTZ {
			return func(dst []byte, i int) []byte {
				return append(e.ntz.AppendTimestampNTZ(append(dst, '"'), int64(x.Value(i))), '"')
			}, nil
		}
		return func(dst []byte, i int) []byte {
			return append(e.stamp.AppendTimestamp(append(dst, '"'), int64(x.Value(i)), e.zone), '"')
		}, nil
	case *array.Duration:
		dt, ok := t.(datatype.DayTime)
		if !ok {
			dt = datatype.DayToSecond
		}
		return func(dst []byte, i int) []byte {
			return append(timetext.AppendDayTime(append(dst, '"'), int64(x.Value(i)), dt), '"')
		}, nil
	case *array.MonthInterval:
		ym, ok := t.(datatype.YearMonth)
		if !ok {
			ym = datatype.YearToMonth
		}
		return func(dst []byte, i int) []byte {
			return append(timetext.AppendYearMonth(append(dst, '"'), int32(x.Value(i)), ym), '"')
		}, nil
	case *array.List:
		elem := datatype.Type(datatype.Invalid)
		if l, ok := t.(datatype.Array); ok {
			elem = l.Elem
		}
		values := x.ListValues()
		w, err := e.of(elem, values)
		if err != nil {
			return nil, err
		}
		return func(dst []byte, i int) []byte {
			dst = append(dst, '[')
			from, to := x.ValueOffsets(i)
			for j := int(from); j < int(to); j++ {
				if j > int(from) {
					dst = append(dst, ',')
				}
				if values.IsNull(j) {
					dst = append(dst, "null"...)
				} else {
					dst = w(dst, j)
				}
			}
			return append(dst, ']')
		}, nil
	case *array.Map:
		m, ok := t.(datatype.Map)
		if !ok {
			return nil, condition.Newf(condition.Unsupported, "JSON: an Arrow map is no value of type %s.", t)
		}
		key, err := e.key(m.Key, x.Keys())
		if err != nil {
			return nil, err
		}
		items := x.Items()
		w, err := e.of(m.Value, items)
		if err != nil {
			return nil, err
		}
		return func(dst []byte, i int) []byte {
			dst = append(dst, '{')
			from, to := x.ValueOffsets(i)
			for j := int(from); j < int(to); j++ {
				if j > int(from) {
					dst = append(dst, ',')
				}
				dst = append(key(dst, j), ':')
				// A null value of a map is written even where null fields are not, as in Spark.
				if items.IsNull(j) {
					dst = append(dst, "null"...)
				} else {
					dst = w(dst, j)
				}
			}
			return append(dst, '}')
		}, nil
	case *array.Struct:
		s, ok := t.(datatype.Struct)
		if !ok {
			return nil, condition.Newf(condition.Unsupported, "JSON: an Arrow struct is no value of type %s.", t)
		}
		cols := make([]arrow.Array, x.NumField())
		for k := range cols {
			cols[k] = x.Field(k)
		}
		return e.object(s.Fields, cols)
	case *array.Binary:
		if !datatype.IsString(t) {
			return func(dst []byte, i int) []byte {
				return append(base64.StdEncoding.AppendEncode(append(dst, '"'), x.Value(i)), '"')
			}, nil
		}
	}
	if datatype.IsString(t) {
		at, err := texts(a)
		if err != nil {
			return nil, err
		}
		return func(dst []byte, i int) []byte { return appendQuoted(dst, at(i)) }, nil
	}
	return nil, condition.Newf(condition.Unsupported, "The local engine does not write values of type %s as JSON.", t)
}

// key writes a map's key as a name. Spark writes its inner value: a date as days, a time stamp as microseconds.
func (e *Encoder) key(t datatype.Type, a arrow.Array) (appender, error) {
	if datatype.IsString(t) {
		return e.of(t, a)
	}
	var w appender
	switch x := a.(type) {
	case *array.Date32:
		w = func(dst []byte, i int) []byte { return strconv.AppendInt(dst, int64(x.Value(i)), 10) }
	case *array.Timestamp:
		w = func(dst []byte, i int) []byte { return strconv.AppendInt(dst, int64(x.Value(i)), 10) }
	case *array.Float64:
		w = func(dst []byte, i int) []byte { return javanum.AppendFloat(dst, x.Value(i), 64) }
	case *array.Float32:
		w = func(dst []byte, i int) []byte { return javanum.AppendFloat(dst, float64(x.Value(i)), 32) }
	case *array.Decimal128:
		scale := int(x.DataType().(*arrow.Decimal128Type).Scale)
		w = func(dst []byte, i int) []byte { return number.AppendDecimal(dst, x.Value(i), scale) }
	case *array.Boolean, *array.Int8, *array.Int16, *array.Int32, *array.Int64:
		var err error
		if w, err = e.of(t, a); err != nil {
			return nil, err
		}
	default:
		return nil, condition.Newf(condition.Unsupported, "The local engine does not write keys of type %s as names of a JSON object.", t)
	}
	return func(dst []byte, i int) []byte { return append(w(append(dst, '"'), i), '"') }, nil
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// quotedUnless puts NaN and the infinities between quotes.
func quotedUnless(dst []byte, plain bool, write func([]byte) []byte) []byte {
	if plain {
		return write(dst)
	}
	return append(write(append(dst, '"')), '"')
}

// EncodeColumn writes each value of an array of a struct, array or map type as a JSON text, null for null: Spark's to_json. The caller
// releases the result.
func (e *Encoder) EncodeColumn(t datatype.Type, a arrow.Array) (arrow.Array, error) {
	w, err := e.of(t, a)
	if err != nil {
		return nil, err
	}
	out, err := column.New(datatype.String)
	if err != nil {
		return nil, err
	}
	for i := range a.Len() {
		if a.IsNull(i) {
			out.AppendNull()
		} else {
			out.SetBytes(w(out.Grow(), i))
		}
	}
	res, err := out.Finish()
	if err != nil {
		return nil, condition.Newf(condition.Unsupported, "JSON: %v.", err)
	}
	return res, nil
}

// EncodeRows writes each row of columns as a JSON object: to_json(struct(…)). The caller releases the result.
func (e *Encoder) EncodeRows(fields []datatype.Field, cols []arrow.Array, rows int) (arrow.Array, error) {
	w, err := e.object(fields, cols)
	if err != nil {
		return nil, err
	}
	out, err := column.New(datatype.String)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		out.SetBytes(w(out.Grow(), i))
	}
	res, err := out.Finish()
	if err != nil {
		return nil, condition.Newf(condition.Unsupported, "JSON: %v.", err)
	}
	return res, nil
}

const upperHex = "0123456789ABCDEF"

// appendQuoted writes a text as Jackson does: only quotes, backslashes and control characters are escaped, the latter in upper-case
// hexadecimal.
func appendQuoted(dst, s []byte) []byte {
	dst = append(dst, '"')
	from := 0
	for i, c := range s {
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', upperHex[c>>4], upperHex[c&15])
		}
	}
	rest := s[from:]
	if !utf8.Valid(rest) {
		rest = javatext.ReplaceInvalid(nil, rest)
	}
	dst = append(dst, rest...)
	return append(dst, '"')
}

// appendGenerated is [appendQuoted] in the way of Jackson's generator of bytes, which from_json uses: it escapes characters above U+FFFF.
func appendGenerated(dst, s []byte) []byte {
	plain := true
	for _, c := range s {
		plain = plain && c < 0xf0
	}
	if plain {
		return appendQuoted(dst, s)
	}
	return appendUnitsQuoted(dst, unitsOf(s))
}

// appendUnitsQuoted is [appendGenerated] of UTF-16, in which half a pair of surrogates may stand.
func appendUnitsQuoted(dst []byte, units []uint16) []byte {
	dst = append(dst, '"')
	from := 0
	flush := func(to int) {
		quoted := appendQuoted(nil, appendUnits(nil, units[from:to]))
		dst = append(dst, quoted[1:len(quoted)-1]...)
		from = to + 1
	}
	for i, u := range units {
		if utf16.IsSurrogate(rune(u)) {
			flush(i)
			dst = append(dst, '\\', 'u', upperHex[u>>12], upperHex[u>>8&15], upperHex[u>>4&15], upperHex[u&15])
		}
	}
	flush(len(units))
	return append(dst, '"')
}
