package csv

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/backend/local/format/infer"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/internal/timetext"
)

// Inferrer finds the columns of CSV text: their names from the first line, or _c0, _c1, …, and with the option inferSchema their types. Every column is
// nullable. It is for one goroutine.
//
// Source: Spark's CSVInferSchema and CSVUtils.makeSafeHeader.
type Inferrer struct {
	d *Decoder
	// types says whether values are looked at (inferSchema); else every column is STRING.
	types, preferDate bool
	// date is the pattern of dates, which inference takes strictly.
	date *timetext.Pattern

	first []byte
	names []string
	cols  []datatype.Type
}

// NewInferrer makes an inferrer of a source's options.
func NewInferrer(o tree.Options, opts Options) (*Inferrer, error) {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	x := &Inferrer{d: &Decoder{opts: opts, zone: timetext.NewZone(opts.Zone)}, preferDate: true, date: opts.Date}
	for key, into := range map[string]*bool{"inferSchema": &x.types, "preferDate": &x.preferDate} {
		if v, ok := o.Get(key); ok {
			b, err := strconv.ParseBool(strings.ToLower(v))
			if err != nil {
				return nil, optionError(key, "%q is neither true nor false", v)
			}
			*into = b
		}
	}
	if x.date == nil {
		p, err := timetext.Compile(strictDate)
		if err != nil {
			return nil, err
		}
		x.date = p
	}
	return x, nil
}

// strictDate is Spark's pattern of dates where the option has none.
const strictDate = "yyyy-MM-dd"

// lenientDates are the patterns whose dates are also read as time stamps where these have no pattern.
// Source: CSVInferSchema.LENIENT_TS_FORMATTER_SUPPORTED_DATE_FORMATS.
var lenientDates = map[string]bool{"yyyy-MM-dd": true, "yyyy-M-d": true, "yyyy-M-dd": true, "yyyy-MM-d": true, "yyyy-MM": true, "yyyy-M": true, "yyyy": true}

// Lines looks at whole lines. The very first one, of the first file, has the names.
func (x *Inferrer) Lines(data []byte) error {
	return eachLine(data, x.line)
}

// Line looks at one line.
func (x *Inferrer) Line(line []byte) error { return x.line(line) }

func (x *Inferrer) line(line []byte) error {
	if x.d.passesOver(line) {
		return nil
	}
	named := x.first != nil
	if !named {
		x.first = append([]byte{}, line...)
	} else if !x.types {
		return nil
	}
	// Every line that is spelt as the header is taken for one, in later files too.
	if named && x.d.opts.Header && bytes.Equal(line, x.first) {
		return nil
	}
	x.d.split(line)
	if x.d.broken != nil {
		return x.d.broken
	}
	if !named {
		x.header()
		if x.d.opts.Header || !x.types {
			return nil
		}
	}
	x.see()
	return nil
}

// see looks at the values of a record.
func (x *Inferrer) see() {
	for i, t := range x.d.tokens[:min(len(x.d.tokens), len(x.cols))] {
		if t.null || len(t.text) == 0 || string(t.text) == x.d.opts.Null || x.cols[i].Kind() == datatype.KindString {
			continue
		}
		x.cols[i] = x.common(x.cols[i], x.typeOf(t.text, x.cols[i]))
	}
}

// header makes the names.
func (x *Inferrer) header() {
	count := map[string]int{}
	for _, t := range x.d.tokens {
		count[datatype.FoldName(string(t.text))]++
	}
	for i, t := range x.d.tokens {
		name, index := string(t.text), strconv.Itoa(i)
		switch {
		case !x.d.opts.Header || name == "" || name == x.d.opts.Null:
			name = "_c" + index
		case count[datatype.FoldName(name)] > 1:
			name += index
		}
		x.names = append(x.names, name)
		x.cols = append(x.cols, datatype.Null)
	}
}

// typeOf is the first type from so far on that takes the text: Spark never goes back to a narrower one.
func (x *Inferrer) typeOf(text []byte, soFar datatype.Type) datatype.Type {
	try := soFar.Kind()
	switch try {
	case datatype.KindNull, datatype.KindInt, datatype.KindLong:
		if v, ok := whole(text); ok {
			if try != datatype.KindLong && v >= math.MinInt32 && v <= math.MaxInt32 {
				return datatype.Int
			}
			return datatype.Long
		}
		fallthrough
	case datatype.KindDecimal:
		// A decimal is what no integer holds; what has a fraction is a DOUBLE.
		if p, s, ok := infer.Decimal(string(text)); ok && s == 0 && p <= datatype.MaxPrecision {
			return datatype.Decimal{Precision: p}
		}
		fallthrough
	case datatype.KindDouble:
		if _, ok := x.d.float(text, 64); ok {
			return datatype.Double
		}
		if !x.preferDate {
			return x.timestamp(text)
		}
		fallthrough
	case datatype.KindDate:
		if _, ok := x.date.ParseDate(string(text)); ok {
			return datatype.Date
		}
		fallthrough
	case datatype.KindTimestamp:
		return x.timestamp(text)
	}
	return x.boolean(text)
}

func (x *Inferrer) timestamp(text []byte) datatype.Type {
	var ok bool
	if p := x.d.opts.Timestamp; p != nil {
		_, ok = p.ParseTimestamp(string(text), x.d.zone)
	} else {
		_, ok = timetext.ParseTimestamp(text, x.d.zone, x.d.today)
	}
	if ok {
		return datatype.Timestamp
	}
	return x.boolean(text)
}

func (x *Inferrer) boolean(text []byte) datatype.Type {
	if bytes.EqualFold(text, []byte("true")) || bytes.EqualFold(text, []byte("false")) {
		return datatype.Boolean
	}
	return datatype.String
}

// common is the type of a column that has values of both.
func (x *Inferrer) common(a, b datatype.Type) datatype.Type {
	if a.Kind() == datatype.KindDate && b.Kind() == datatype.KindTimestamp || a.Kind() == datatype.KindTimestamp && b.Kind() == datatype.KindDate {
		if x.d.opts.Timestamp == nil && lenientDates[x.date.String()] {
			return datatype.Timestamp
		}
		return datatype.String
	}
	if t, ok := infer.Tightest(a, b); ok {
		return t
	}
	if t, ok := infer.Numbers(a, b); ok {
		return t
	}
	return datatype.String
}

// Fields gives the columns that were found; none for a text without lines.
func (x *Inferrer) Fields() ([]datatype.Field, error) {
	seen := map[string]bool{}
	out := make([]datatype.Field, len(x.names))
	for i, name := range x.names {
		t := x.cols[i]
		if t.Kind() == datatype.KindNull {
			t = datatype.String
		}
		if k := datatype.FoldName(name); seen[k] {
			e := condition.Newf(condition.ColumnAlreadyExists, "The header has two columns that would be named %s.", datatype.QuoteName(name))
			e.Hint = "Declare the columns with connectors.RowsDDL."
			return nil, e
		} else {
			seen[k] = true
		}
		out[i] = datatype.Field{Name: name, Type: t, Nullable: true}
	}
	return out, nil
}

// IsNumber tells whether Java's parser of doubles takes a text.
func IsNumber(text string) bool {
	_, ok := (&Decoder{opts: Options{NaN: "NaN", PositiveInf: "Infinity", NegativeInf: "-Infinity"}}).float([]byte(text), 64)
	return ok
}
