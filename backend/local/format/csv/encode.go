package csv

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/spoonbill-go/spoonbill/backend/local/format/number"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/internal/javanum"
	"github.com/spoonbill-go/spoonbill/internal/timetext"
)

// Encoder writes rows as lines of CSV. It is for one goroutine.
type Encoder struct {
	opts             Options
	fields           []datatype.Field
	zone             *timetext.Zone
	date, stamp, ntz *timetext.Pattern
	quote            byte
	comment          byte
	value            []byte
}

// Spark's patterns for writing. Its own default says XXX, but unlike an XXX of the user's it prints the seconds of a local mean time too.
const (
	defaultStamp = "yyyy-MM-dd'T'HH:mm:ss[.SSS][XXXXX]"
	defaultNTZ   = "yyyy-MM-dd'T'HH:mm:ss[.SSS]"
	defaultDate  = "yyyy-MM-dd"
)

// NewEncoder makes an encoder of rows of fields. A type that CSV does not hold is an error.
func NewEncoder(fields []datatype.Field, opts Options) (*Encoder, error) {
	e := &Encoder{opts: opts, fields: fields, zone: timetext.NewZone(opts.Zone), quote: opts.Quote, comment: opts.Comment}
	for _, f := range fields {
		if !supported(f.Type) {
			return nil, condition.Newf(condition.UnsupportedDataType, "CSV does not hold the column %s of type %s.", datatype.QuoteName(f.Name), f.Type)
		}
	}
	if e.comment == 0 {
		// The writer's library has a comment character of its own, which readers with the option comment would stumble over.
		e.comment = '#'
	}
	for _, p := range []struct {
		into *(*timetext.Pattern)
		user *timetext.Pattern
		text string
	}{{&e.date, opts.Date, defaultDate}, {&e.stamp, opts.Timestamp, defaultStamp}, {&e.ntz, opts.TimestampNTZ, defaultNTZ}} {
		if *p.into = p.user; p.user == nil {
			var err error
			if *p.into, err = timetext.Compile(p.text); err != nil {
				return nil, err
			}
		}
	}
	return e, nil
}

// Header appends the line of names, when the option header asks for it.
func (e *Encoder) Header(dst []byte) []byte {
	if !e.opts.Header {
		return dst
	}
	for i, f := range e.fields {
		if i > 0 {
			dst = append(dst, e.opts.Sep...)
		}
		dst = e.appendValue(dst, []byte(f.Name))
	}
	return append(dst, e.opts.LineSep...)
}

// Rows gives a function that appends row i as a line. The columns belong to the fields in order.
func (e *Encoder) Rows(cols []arrow.Array) (func(dst []byte, i int) []byte, error) {
	writers := make([]func([]byte, int) []byte, len(cols))
	if len(cols) != len(e.fields) {
		return nil, condition.Newf(condition.Unsupported, "CSV: %d fields do not fit %d columns.", len(e.fields), len(cols))
	}
	for k, c := range cols {
		w, err := e.text(e.fields[k].Type, c)
		if err != nil {
			return nil, err
		}
		writers[k] = w
	}
	return func(dst []byte, i int) []byte {
		start := len(dst)
		for k, w := range writers {
			if k > 0 {
				dst = append(dst, e.opts.Sep...)
			}
			if cols[k].IsNull(i) {
				dst = e.appendNull(dst)
				continue
			}
			e.value = w(e.value[:0], i)
			dst = e.appendValue(dst, e.value)
		}
		if len(dst) == start {
			// A line with nothing on it is not written, so a row that is one null is lost: as in Spark, which nullValue prevents.
			return dst
		}
		return append(dst, e.opts.LineSep...)
	}, nil
}

func (e *Encoder) appendNull(dst []byte) []byte {
	if !e.opts.QuoteAll || e.quote == 0 {
		return append(dst, e.opts.Null...)
	}
	dst = append(dst, e.quote)
	dst = append(dst, e.opts.Null...)
	return append(dst, e.quote)
}

const blanks = " \t\n\r\x0b\x0c\x00\x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f"

func (e *Encoder) appendValue(dst, v []byte) []byte {
	o := &e.opts
	if o.WriteTrimLeft {
		v = bytes.TrimLeft(v, blanks)
	}
	if o.WriteTrimRight {
		v = bytes.TrimRight(v, blanks)
	}
	if len(v) == 0 {
		return append(dst, o.WriteEmpty...)
	}
	if !e.needsQuotes(v) {
		return append(dst, v...)
	}
	dst = append(dst, e.quote)
	for _, c := range v {
		switch {
		case c == '\n' && utf8.RuneCountInString(o.LineSep) == 2:
			// Spark's writer takes a line end inside a value for one of the file's.
			dst = append(dst, o.LineSep...)
			continue
		case c == e.quote && o.Escape != 0:
			dst = append(dst, o.Escape)
		case c == o.Escape && o.EscapeEscape != 0:
			dst = append(dst, o.EscapeEscape)
		}
		dst = append(dst, c)
	}
	return append(dst, e.quote)
}

func (e *Encoder) needsQuotes(v []byte) bool {
	o := &e.opts
	if o.QuoteAll || v[0] == e.comment || v[0] == e.quote {
		return true
	}
	for _, c := range v {
		if c == '\n' || c == '\r' || o.EscapeQuotes && c == e.quote {
			return true
		}
	}
	return bytes.Contains(v, []byte(o.Sep)) || utf8.RuneCountInString(o.LineSep) == 1 && bytes.Contains(v, []byte(o.LineSep))
}

// text gives a function that appends value i, before any quoting.
func (e *Encoder) text(t datatype.Type, a arrow.Array) (func([]byte, int) []byte, error) {
	switch x := a.(type) {
	case *array.String:
		return func(dst []byte, i int) []byte {
			v := x.Value(i)
			if !utf8.ValidString(v) {
				v = strings.ToValidUTF8(v, "\uFFFD")
			}
			return append(dst, v...)
		}, nil
	case *array.LargeString:
		return func(dst []byte, i int) []byte { return append(dst, x.Value(i)...) }, nil
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
		return func(dst []byte, i int) []byte { return javanum.AppendFloat(dst, float64(x.Value(i)), 32) }, nil
	case *array.Float64:
		return func(dst []byte, i int) []byte { return javanum.AppendFloat(dst, x.Value(i), 64) }, nil
	case *array.Decimal128:
		scale := int(x.DataType().(*arrow.Decimal128Type).Scale)
		return func(dst []byte, i int) []byte { return number.AppendJavaDecimal(dst, x.Value(i), scale) }, nil
	case *array.Date32:
		return func(dst []byte, i int) []byte { return e.date.AppendDate(dst, int64(x.Value(i))) }, nil
	case *array.Timestamp:
		if t.Kind() == datatype.KindTimestampNTZ {
			return func(dst []byte, i int) []byte { return e.ntz.AppendTimestampNTZ(dst, int64(x.Value(i))) }, nil
		}
		return func(dst []byte, i int) []byte { return e.stamp.AppendTimestamp(dst, int64(x.Value(i)), e.zone) }, nil
	case *array.Duration:
		dt, ok := t.(datatype.DayTime)
		if !ok {
			dt = datatype.DayToSecond
		}
		return func(dst []byte, i int) []byte { return timetext.AppendDayTime(dst, int64(x.Value(i)), dt) }, nil
	case *array.MonthInterval:
		ym, ok := t.(datatype.YearMonth)
		if !ok {
			ym = datatype.YearToMonth
		}
		return func(dst []byte, i int) []byte { return timetext.AppendYearMonth(dst, int32(x.Value(i)), ym) }, nil
	case *array.Binary:
		return func(dst []byte, i int) []byte { return appendBinary(dst, x.Value(i)) }, nil
	}
	return nil, condition.Newf(condition.UnsupportedDataType, "CSV does not hold values of type %s.", t)
}

// appendBinary writes bytes as Spark 4 shows them: [61 62].
func appendBinary(dst, v []byte) []byte {
	const hex = "0123456789ABCDEF"
	dst = append(dst, '[')
	for i, c := range v {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = append(dst, hex[c>>4], hex[c&15])
	}
	return append(dst, ']')
}
