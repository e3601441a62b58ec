package backend

import (
	"encoding/base64"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/parquet/variant"
	"github.com/google/uuid"

	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/internal/javanum"
	"github.com/spoonbill-go/spoonbill/internal/timetext"
)

// NullText is what stands for a null in the text of a whole value; within an array, a map or a struct a cast to string writes null.
const NullText = "NULL"

// Format gives the value at row i of arr as Spark's CAST AS STRING under ANSI mode: 1.0E10, [1, null], {a, b}, {k -> v},
// INTERVAL '1 02:00:00' DAY TO SECOND. A null is [NullText]. A TIMESTAMP is shown in zone (nil is UTC) without zeros at its end. Bytes of a BINARY that
// are no UTF-8 become U+FFFD.
//
// t is the column's type: Arrow does not know a day–time interval's fields or a variant. An array that does not fit t is shown as Arrow shows it.
//
// Source: Spark's Cast, checked against recorded answers of Spark 4.3.0.
func Format(arr arrow.Array, i int, t datatype.Type, zone *time.Location) string {
	if IsNull(arr, i) {
		return NullText
	}
	if a, ok := arr.(*array.Struct); ok && t.Kind() == datatype.KindVariant {
		// The JSON null within a variant is no null of the column, but casts to one.
		if v, err := variantAt(a, i); err == nil && v.Type() == variant.Null {
			return NullText
		}
	}
	f := formatter{zone: zone, null: "null"}
	return string(f.value(nil, arr, i, t))
}

// IsNull tells whether the value at row i is null, in an array of VOID and in a nil one too: Arrow's array of nulls has no bitmap and says that none is.
func IsNull(arr arrow.Array, i int) bool {
	return arr == nil || arr.IsNull(i) || arr.DataType().ID() == arrow.NULL
}

// formatter writes values as text. Spark has two texts: that of a cast, and that of show, where nulls within values are in capitals and
// binaries are in hexadecimal.
type formatter struct {
	zone *time.Location
	null string
	hex  bool
}

func (f formatter) value(b []byte, arr arrow.Array, i int, t datatype.Type) []byte {
	if IsNull(arr, i) {
		return append(b, f.null...)
	}
	switch a := arr.(type) {
	case *array.Boolean:
		return strconv.AppendBool(b, a.Value(i))
	case *array.Int8:
		return strconv.AppendInt(b, int64(a.Value(i)), 10)
	case *array.Int16:
		return strconv.AppendInt(b, int64(a.Value(i)), 10)
	case *array.Int32:
		return strconv.AppendInt(b, int64(a.Value(i)), 10)
	case *array.Int64:
		return strconv.AppendInt(b, a.Value(i), 10)
	case *array.Float32:
		return javanum.AppendFloat(b, float64(a.Value(i)), 32)
	case *array.Float64:
		return javanum.AppendFloat(b, a.Value(i), 64)
	case *array.Decimal128:
		return append(b, plainDecimal(a.Value(i).BigInt(), int(a.DataType().(*arrow.Decimal128Type).Scale))...)
	case *array.String:
		return append(b, a.Value(i)...)
	case *array.LargeString:
		return append(b, a.Value(i)...)
	case *array.StringView:
		return append(b, a.Value(i)...)
	case *array.Binary:
		return f.binary(b, a.Value(i))
	case *array.LargeBinary:
		return f.binary(b, a.Value(i))
	case *array.Date32:
		return timetext.AppendDate(b, int64(a.Value(i)))
	case *array.Timestamp:
		us := microseconds(int64(a.Value(i)), a.DataType().(*arrow.TimestampType).Unit)
		if t.Kind() == datatype.KindTimestamp {
			return timetext.AppendTimestamp(b, us, timetext.NewZone(f.zone))
		}
		return timetext.AppendTimestampNTZ(b, us)
	case *array.Time64:
		us := int64(a.Value(i))
		if a.DataType().(*arrow.Time64Type).Unit == arrow.Nanosecond {
			us /= 1000
		}
		return timetext.AppendTime(b, us)
	case *array.MonthInterval:
		if x, ok := t.(datatype.YearMonth); ok {
			return timetext.AppendYearMonth(b, int32(a.Value(i)), x)
		}
	case *array.Duration:
		if x, ok := t.(datatype.DayTime); ok {
			return timetext.AppendDayTime(b, microseconds(int64(a.Value(i)), a.DataType().(*arrow.DurationType).Unit), x)
		}
	case *array.MonthDayNanoInterval:
		v := a.Value(i)
		return appendCalendar(b, v.Months, v.Days, v.Nanoseconds/1000)
	case *array.Map:
		if x, ok := t.(datatype.Map); ok {
			start, end := a.ValueOffsets(i)
			b = append(b, '{')
			for j := start; j < end; j++ {
				if j > start {
					b = append(b, ", "...)
				}
				b = f.value(b, a.Keys(), int(j), x.Key)
				b = append(b, " -> "...)
				b = f.value(b, a.Items(), int(j), x.Value)
			}
			return append(b, '}')
		}
	case array.ListLike:
		if x, ok := t.(datatype.Array); ok {
			start, end := a.ValueOffsets(i)
			b = append(b, '[')
			for j := start; j < end; j++ {
				if j > start {
					b = append(b, ", "...)
				}
				b = f.value(b, a.ListValues(), int(j), x.Elem)
			}
			return append(b, ']')
		}
	case *array.Struct:
		if t.Kind() == datatype.KindVariant {
			if v, err := variantAt(a, i); err == nil {
				return f.variant(b, v)
			}
		}
		if x, ok := t.(datatype.Struct); ok && len(x.Fields) == a.NumField() {
			b = append(b, '{')
			for j := range x.Fields {
				if j > 0 {
					b = append(b, ", "...)
				}
				b = f.value(b, a.Field(j), i, x.Fields[j].Type)
			}
			return append(b, '}')
		}
	}
	return append(b, arr.ValueStr(i)...)
}

func (f formatter) binary(b, v []byte) []byte {
	if !f.hex {
		return append(b, strings.ToValidUTF8(string(v), string(utf8.RuneError))...)
	}
	const digits = "0123456789ABCDEF"
	b = append(b, '[')
	for i, c := range v {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(b, digits[c>>4], digits[c&15])
	}
	return append(b, ']')
}

// plainDecimal gives unscaled·10^-scale without an exponent, with every digit of the scale.
func plainDecimal(unscaled *big.Int, scale int) string {
	digits := new(big.Int).Abs(unscaled).String()
	if scale > 0 {
		if n := scale + 1 - len(digits); n > 0 {
			digits = strings.Repeat("0", n) + digits
		}
		digits = digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
	} else if scale < 0 && unscaled.Sign() != 0 {
		digits += strings.Repeat("0", -scale)
	}
	if unscaled.Sign() < 0 {
		return "-" + digits
	}
	return digits
}

// strippedDecimal is plainDecimal without zeros at the end of the fraction, as a variant shows a decimal.
func strippedDecimal(unscaled *big.Int, scale int) string {
	s := plainDecimal(unscaled, scale)
	if scale > 0 {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// microseconds gives a count of units in microseconds, cut down.
func microseconds(v int64, unit arrow.TimeUnit) int64 {
	switch unit {
	case arrow.Second:
		return v * 1e6
	case arrow.Millisecond:
		return v * 1e3
	case arrow.Nanosecond:
		return timetext.FloorDiv(v, 1000)
	}
	return v
}

// appendCalendar writes a calendar interval: every part that is not zero, with its own sign.
func appendCalendar(b []byte, months, days int32, us int64) []byte {
	start := len(b)
	part := func(n int64, unit string) {
		if n == 0 {
			return
		}
		if len(b) > start {
			b = append(b, ' ')
		}
		b = append(append(strconv.AppendInt(b, n, 10), ' '), unit...)
	}
	part(int64(months/12), "years")
	part(int64(months%12), "months")
	part(int64(days), "days")
	part(us/3600e6, "hours")
	part(us/60e6%60, "minutes")
	if rest := us % 60e6; rest != 0 {
		if len(b) > start {
			b = append(b, ' ')
		}
		if rest < 0 {
			b, rest = append(b, '-'), -rest
		}
		b = timetext.AppendFraction(strconv.AppendInt(b, rest/1e6, 10), int(rest%1e6))
		b = append(b, " seconds"...)
	}
	if len(b) == start {
		b = append(b, "0 seconds"...)
	}
	return b
}

// variantAt reads a variant, which Arrow carries as a struct of two binaries.
func variantAt(a *array.Struct, i int) (variant.Value, error) {
	var value, metadata []byte
	for j, f := range a.DataType().(*arrow.StructType).Fields() {
		if col, ok := a.Field(j).(*array.Binary); ok {
			switch f.Name {
			case "value":
				value = col.Value(i)
			case "metadata":
				metadata = col.Value(i)
			}
		}
	}
	return variant.New(metadata, value)
}

// variant writes the cast of a variant to string: a bare string or time is itself, all else is JSON. In show all is JSON, and in UTC.
func (f formatter) variant(b []byte, v variant.Value) []byte {
	if f.hex {
		f.zone = time.UTC
		return f.variantJSON(b, v)
	}
	switch v.Type() {
	case variant.String:
		return append(b, v.Value().(string)...)
	case variant.Null:
		return append(b, f.null...)
	case variant.Binary:
		return f.binary(b, v.Value().([]byte))
	case variant.Date:
		return timetext.AppendDate(b, int64(v.Value().(arrow.Date32)))
	case variant.TimestampMicros:
		return timetext.AppendTimestamp(b, int64(v.Value().(arrow.Timestamp)), timetext.NewZone(f.zone))
	case variant.TimestampMicrosNTZ:
		return timetext.AppendTimestampNTZ(b, int64(v.Value().(arrow.Timestamp)))
	}
	return f.variantJSON(b, v)
}

func (f formatter) variantJSON(b []byte, v variant.Value) []byte {
	switch x := v.Value().(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, x)
	case int8:
		return strconv.AppendInt(b, int64(x), 10)
	case int16:
		return strconv.AppendInt(b, int64(x), 10)
	case int32:
		return strconv.AppendInt(b, int64(x), 10)
	case int64:
		return strconv.AppendInt(b, x, 10)
	case float32:
		return quoteUnlessFinite(b, float64(x), 32)
	case float64:
		return quoteUnlessFinite(b, x, 64)
	case string:
		return appendJSONString(b, x)
	case []byte:
		return appendJSONString(b, base64.StdEncoding.EncodeToString(x))
	case uuid.UUID:
		return appendJSONString(b, x.String())
	case arrow.Date32:
		return append(timetext.AppendDate(append(b, '"'), int64(x)), '"')
	case arrow.Timestamp:
		b = append(b, '"')
		if v.Type() != variant.TimestampMicros {
			return append(timetext.AppendTimestampNTZ(b, int64(x)), '"')
		}
		b = timetext.AppendTimestamp(b, int64(x), timetext.NewZone(f.zone))
		zone := f.zone
		if zone == nil {
			zone = time.UTC
		}
		return append(append(b, time.UnixMicro(int64(x)).In(zone).Format("-07:00")...), '"')
	case variant.DecimalValue[decimal.Decimal32]:
		return append(b, strippedDecimal(big.NewInt(int64(x.Value.(decimal.Decimal32))), int(x.Scale))...)
	case variant.DecimalValue[decimal.Decimal64]:
		return append(b, strippedDecimal(big.NewInt(int64(x.Value.(decimal.Decimal64))), int(x.Scale))...)
	case variant.DecimalValue[decimal.Decimal128]:
		return append(b, strippedDecimal(decimal128.Num(x.Value.(decimal.Decimal128)).BigInt(), int(x.Scale))...)
	case variant.ArrayValue:
		b = append(b, '[')
		first := true
		for e := range x.Values() {
			if !first {
				b = append(b, ',')
			}
			first = false
			b = f.variantJSON(b, e)
		}
		return append(b, ']')
	case variant.ObjectValue:
		b = append(b, '{')
		first := true
		for k, e := range x.Values() {
			if !first {
				b = append(b, ',')
			}
			first = false
			b = append(appendJSONString(b, k), ':')
			b = f.variantJSON(b, e)
		}
		return append(b, '}')
	}
	return append(b, v.String()...)
}

func quoteUnlessFinite(b []byte, v float64, bits int) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return appendJSONString(b, string(javanum.AppendFloat(nil, v, bits)))
	}
	return javanum.AppendFloat(b, v, bits)
}

// appendJSONString writes a JSON string and escapes what must be: Go's own writer escapes more than Java's.
func appendJSONString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c >= 0x20:
			b = append(b, c)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c == '\b':
			b = append(b, `\b`...)
		case c == '\f':
			b = append(b, `\f`...)
		default:
			b = append(b, `\u00`...)
			b = append(b, "0123456789ABCDEF"[c>>4], "0123456789ABCDEF"[c&15])
		}
	}
	return append(b, '"')
}
