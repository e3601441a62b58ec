package csv

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/spoonbill-go/spoonbill/backend/arrowtype"
	"github.com/spoonbill-go/spoonbill/backend/local/format"
	"github.com/spoonbill-go/spoonbill/backend/local/format/column"
	"github.com/spoonbill-go/spoonbill/backend/local/format/number"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/internal/javatext"
	"github.com/spoonbill-go/spoonbill/internal/timetext"
)

// token is a field of a line.
type token struct {
	text []byte
	// null marks a field that is there but has no value.
	null bool
}

// Decoder reads lines of CSV into record batches. It is for one goroutine.
type Decoder struct {
	opts    Options
	fields  []datatype.Field
	schema  *arrow.Schema
	cols    []*column.Column
	zone    *timetext.Zone
	corrupt int
	// source has for each column the ordinal of its field in a line, -1 for the column of corrupt records.
	source []int
	width  int // fields that a line should have
	wanted []bool
	// pruned is set when the query reads only some of the fields: Spark then does not count them.
	pruned  bool
	tokens  []token
	scratch [][]byte
	line    []byte // a line in which what is no UTF-8 was replaced
	rows    int
	why     string
	// broken is an error that no mode forgives.
	broken error
}

// NewDecoder makes a decoder into fields. need are the ordinals of the fields that the query reads, nil for all; the others are null,
// and a fault in them does not make a record malformed.
func NewDecoder(fields []datatype.Field, opts Options, need []int) (*Decoder, error) {
	schema, err := arrowtype.Schema(fields)
	if err != nil {
		return nil, err
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	d := &Decoder{opts: opts, fields: fields, schema: schema, corrupt: -1, zone: timetext.NewZone(opts.Zone), wanted: make([]bool, len(fields))}
	for i, f := range fields {
		if opts.CorruptColumn != "" && f.Name == opts.CorruptColumn && d.corrupt < 0 {
			if f.Type != datatype.String || !f.Nullable {
				return nil, condition.Newf(condition.InvalidCorruptRecordType, "The column %s for corrupt records must be a nullable STRING, not %s.", datatype.QuoteName(f.Name), f.Type)
			}
			d.corrupt = i
			d.source = append(d.source, -1)
		} else {
			if !supported(f.Type) {
				return nil, condition.Newf(condition.UnsupportedDataType, "CSV does not hold the column %s of type %s.", datatype.QuoteName(f.Name), f.Type)
			}
			d.source = append(d.source, d.width)
			d.width++
		}
		c, err := column.New(f.Type)
		if err != nil {
			return nil, condition.Newf(condition.UnsupportedDataType, "CSV: %v.", err)
		}
		d.cols = append(d.cols, c)
	}
	read := 0
	for i := range fields {
		d.wanted[i] = need == nil
	}
	for _, i := range need {
		if i >= 0 && i < len(fields) {
			d.wanted[i] = true
		}
	}
	for i, w := range d.wanted {
		if w && i != d.corrupt {
			read++
		}
	}
	d.pruned = read < d.width
	return d, nil
}

// supported tells whether CSV holds a type: the atomic ones. Source: Spark's CSVFileFormat.supportDataType.
func supported(t datatype.Type) bool {
	k := t.Kind()
	return k >= datatype.KindBoolean && k <= datatype.KindDayTime && k != datatype.KindTime
}

// Rows is the number of rows since the last batch.
func (d *Decoder) Rows() int { return d.rows }

// SkipHeader takes the names off the beginning of a file, when the option header says that they are there. With enforceSchema false it
// checks that they are the schema's.
func (d *Decoder) SkipHeader(data []byte) ([]byte, error) {
	if !d.opts.Header {
		return data, nil
	}
	for len(data) > 0 {
		line := data
		if i := bytes.IndexAny(data, "\r\n"); i >= 0 {
			line = data[:i]
			next := i + 1
			if data[i] == '\r' && next < len(data) && data[next] == '\n' {
				next++
			}
			data = data[next:]
		} else {
			data = nil
		}
		if d.passesOver(line) {
			continue
		}
		if !d.opts.EnforceSchema {
			return data, d.checkHeader(line)
		}
		return data, nil
	}
	return data, nil
}

// Header looks at a line of the beginning of a file and tells whether it is the one with the names, which gives no row.
func (d *Decoder) Header(line []byte) (bool, error) {
	if !d.opts.Header || d.passesOver(line) {
		return false, nil
	}
	if !d.opts.EnforceSchema {
		return true, d.checkHeader(line)
	}
	return true, nil
}

func (d *Decoder) checkHeader(line []byte) error {
	d.split(d.decoded(line))
	return d.checkNames(d.tokens)
}

func (d *Decoder) checkNames(tokens []token) error {
	var names []string
	for _, t := range tokens {
		names = append(names, string(t.text))
	}
	var want []string
	for i, f := range d.fields {
		if i != d.corrupt {
			want = append(want, f.Name)
		}
	}
	same := len(names) == len(want)
	for i := 0; same && i < len(want); i++ {
		same = datatype.FoldName(names[i]) == datatype.FoldName(want[i])
	}
	if same {
		return nil
	}
	e := condition.Newf(condition.FailedReadFile, "The header %s does not have the names of the schema, %s.", strings.Join(names, ", "), strings.Join(want, ", "))
	e.Hint = "Correct the schema, or leave enforceSchema at true: the columns then go by their place."
	return e
}

// passesOver tells whether a line is blank or a comment.
func (d *Decoder) passesOver(line []byte) bool {
	for i, c := range line {
		if c > ' ' {
			return i == 0 && d.opts.Comment != 0 && c == d.opts.Comment
		}
	}
	return true
}

// Lines reads every line of data. Lines end in \n, \r\n or \r; blank lines and comments give no row.
func (d *Decoder) Lines(data []byte) error { return eachLine(data, d.Record) }

// eachLine cuts a text into lines.
func eachLine(data []byte, see func(line []byte) error) error {
	for len(data) > 0 {
		var line []byte
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			line, data = data[:i], data[i+1:]
		} else {
			line, data = data, nil
		}
		for {
			i := bytes.IndexByte(line, '\r')
			if i < 0 {
				break
			}
			if err := see(line[:i]); err != nil {
				return err
			}
			line = line[i+1:]
		}
		if err := see(line); err != nil {
			return err
		}
	}
	return nil
}

// decoded is a line as Java decodes it: what is no UTF-8 is replaced before anything is looked at, in BINARY columns and the column of corrupt
// records too. It is good until the next call.
func (d *Decoder) decoded(line []byte) []byte {
	if utf8.Valid(line) {
		return line
	}
	d.line = javatext.ReplaceInvalid(d.line[:0], line)
	return d.line
}

// Record reads one line.
func (d *Decoder) Record(line []byte) error {
	if d.passesOver(line) {
		return nil
	}
	line = d.decoded(line)
	d.split(line)
	if d.broken != nil {
		return d.broken
	}
	return d.row(line)
}

// row makes a row of the tokens of a record, whose text line is.
func (d *Decoder) row(line []byte) error {
	d.why = ""
	bad := false
	if len(d.tokens) != d.width && !d.pruned {
		bad = true
		if d.opts.Mode == format.FailFast {
			d.why = fmt.Sprintf("it has %d fields, not %d", len(d.tokens), d.width)
		}
	}
	for i, c := range d.cols {
		k := d.source[i]
		if !d.wanted[i] || k < 0 || k >= len(d.tokens) || d.tokens[k].null {
			c.AppendNull()
			continue
		}
		text := d.tokens[k].text
		if string(text) == d.opts.Null {
			c.AppendNull()
		} else if !d.convert(c, d.fields[i].Type, text) {
			if !bad && d.opts.Mode == format.FailFast {
				d.why = fmt.Sprintf("%q is no %s", text, d.fields[i].Type)
			}
			bad = true
			c.AppendNull()
		}
	}
	d.rows++
	if !bad {
		return nil
	}
	if d.opts.Malformed != nil {
		d.opts.Malformed.Add(1)
	}
	switch d.opts.Mode {
	case format.FailFast:
		return format.Malformed(line, d.why)
	case format.DropMalformed:
		d.rows--
		for _, c := range d.cols {
			c.Truncate(d.rows)
		}
	default:
		if d.corrupt >= 0 {
			c := d.cols[d.corrupt]
			c.Truncate(d.rows - 1)
			c.AppendBytes(line)
		}
	}
	return nil
}

// split cuts a line into tokens.
func (d *Decoder) split(line []byte) {
	o := &d.opts
	d.tokens = d.tokens[:0]
	used := 0
	for p := 0; ; {
		if len(d.tokens) >= o.MaxColumns {
			d.broken = condition.Newf(condition.MalformedRecord, "A line has more than %d fields; the option maxColumns sets the bound.", o.MaxColumns)
			return
		}
		start := p
		if o.TrimLeft {
			for p < len(line) && line[p] <= ' ' && !d.sepAt(line, p) {
				p++
			}
		}
		var t token
		if o.Quote != 0 && p < len(line) && line[p] == o.Quote {
			if used == len(d.scratch) {
				d.scratch = append(d.scratch, nil)
			}
			t, p, d.scratch[used] = d.quoted(line, start, p+1, d.scratch[used][:0])
			used++
		} else {
			end := d.nextSep(line, p)
			text := line[p:end]
			if o.TrimRight {
				text = bytes.TrimRight(text, "\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f ")
			}
			t, p = token{text: text}, end
			if len(text) == 0 {
				// Nothing at all is null, while quotes around nothing are the empty value.
				t = token{null: true}
			}
		}
		if o.MaxChars >= 0 && len(t.text) > o.MaxChars {
			d.broken = condition.Newf(condition.MalformedRecord, "A field is longer than %d bytes; the option maxCharsPerColumn sets the bound.", o.MaxChars)
			return
		}
		d.tokens = append(d.tokens, t)
		if p >= len(line) {
			return
		}
		p += len(o.Sep)
	}
}

func (d *Decoder) sepAt(line []byte, p int) bool {
	return len(line)-p >= len(d.opts.Sep) && string(line[p:p+len(d.opts.Sep)]) == d.opts.Sep
}

// nextSep is where the next separator begins, or the end.
func (d *Decoder) nextSep(line []byte, p int) int {
	var i int
	if len(d.opts.Sep) == 1 {
		i = bytes.IndexByte(line[p:], d.opts.Sep[0])
	} else {
		i = bytes.Index(line[p:], []byte(d.opts.Sep))
	}
	if i < 0 {
		return len(line)
	}
	return p + i
}

// quoted reads a quoted field; p is behind its quote and start where the field begins. It gives the place behind the field.
func (d *Decoder) quoted(line []byte, start, p int, out []byte) (token, int, []byte) {
	o := &d.opts
	open := p
	for p < len(line) {
		c := line[p]
		switch {
		case c == o.EscapeEscape && o.EscapeEscape != 0 && p+1 < len(line) && line[p+1] == o.Escape && o.Escape != o.Quote:
			out = append(out, o.Escape)
			p += 2
		case c == o.Escape && o.Escape != 0 && p+1 < len(line) && line[p+1] == o.Quote:
			out = append(out, o.Quote)
			p += 2
		case c == o.Quote:
			// The end, if a separator follows, perhaps behind blanks.
			q := p + 1
			for q < len(line) && line[q] <= ' ' && !d.sepAt(line, q) {
				q++
			}
			if q == p+1 && q < len(line) && line[q] == o.Quote && o.Escape != o.Quote {
				// Of two quotes where another character escapes, the first stays and the second may be the end. Source: univocity's CsvParser.processQuoteEscape.
				out = append(out, o.Quote)
				p = q
				continue
			}
			if q == len(line) || d.sepAt(line, q) {
				if len(out) == 0 {
					out = append(out, o.Empty...)
				}
				return token{text: out}, q, out
			}
			switch o.Unescaped {
			case SkipValue:
				return token{null: true}, d.nextSep(line, q), out
			case RaiseError:
				d.broken = condition.Newf(condition.MalformedRecord, "A quote inside a quoted field is not escaped: %q.", line)
			}
			// What was read counts as it was understood, what follows as it is written.
			end := d.nextSep(line, q)
			whole := append(append([]byte(nil), line[start:open]...), out...)
			whole = append(whole, line[p:end]...)
			return token{text: whole}, end, out
		default:
			out = append(out, c)
			p++
		}
	}
	return token{text: out}, p, out
}

// convert appends the value of a text, or gives false.
func (d *Decoder) convert(c *column.Column, t datatype.Type, text []byte) bool {
	switch x := t.(type) {
	case datatype.Decimal:
		if bytes.IndexByte(text, ',') >= 0 {
			text = bytes.ReplaceAll(text, []byte(","), nil)
		}
		v, ok := number.Decimal(text, x.Precision, x.Scale)
		if ok {
			c.AppendDecimal(v)
		}
		return ok
	case datatype.DayTime:
		v, ok := timetext.ParseDayTime(string(text), x)
		if ok {
			c.AppendInt(v)
		}
		return ok
	case datatype.YearMonth:
		v, ok := timetext.ParseYearMonth(string(text), x)
		if ok {
			c.AppendInt(int64(v))
		}
		return ok
	}
	switch k := t.Kind(); k {
	case datatype.KindString, datatype.KindChar, datatype.KindVarchar, datatype.KindBinary:
		c.AppendBytes(text)
		return true
	case datatype.KindByte, datatype.KindShort, datatype.KindInt, datatype.KindLong:
		bits := 64
		switch k {
		case datatype.KindByte:
			bits = 8
		case datatype.KindShort:
			bits = 16
		case datatype.KindInt:
			bits = 32
		}
		v, ok := whole(text)
		if !ok || bits < 64 && (v < -1<<(bits-1) || v >= 1<<(bits-1)) {
			return false
		}
		c.AppendInt(v)
		return true
	case datatype.KindFloat:
		v, ok := d.float(text, 32)
		if ok {
			c.AppendFloat(float32(v))
		}
		return ok
	case datatype.KindDouble:
		v, ok := d.float(text, 64)
		if ok {
			c.AppendDouble(v)
		}
		return ok
	case datatype.KindBoolean:
		switch {
		case bytes.EqualFold(text, []byte("true")):
			c.AppendBool(true)
		case bytes.EqualFold(text, []byte("false")):
			c.AppendBool(false)
		default:
			return false
		}
		return true
	case datatype.KindDate:
		var v int32
		var ok bool
		if d.opts.Date != nil {
			v, ok = d.opts.Date.ParseDate(stringOf(text))
		} else {
			v, ok = timetext.ParseDate(text)
		}
		if ok {
			c.AppendInt(int64(v))
		}
		return ok
	case datatype.KindTimestamp:
		var v int64
		var ok bool
		if d.opts.Timestamp != nil {
			v, ok = d.opts.Timestamp.ParseTimestamp(stringOf(text), d.zone)
		} else {
			v, ok = timetext.ParseTimestamp(text, d.zone, d.today)
		}
		if ok {
			c.AppendInt(v)
		}
		return ok
	case datatype.KindTimestampNTZ:
		var v int64
		var ok bool
		if d.opts.TimestampNTZ != nil {
			v, ok = d.opts.TimestampNTZ.ParseTimestampNTZ(stringOf(text))
		} else {
			v, ok = timetext.ParseTimestampNTZ(text, false)
		}
		if ok {
			c.AppendInt(v)
		}
		return ok
	}
	return false
}

func (d *Decoder) today(loc *time.Location) int32 {
	y, m, day := d.opts.Now().In(loc).Date()
	days, _ := timetext.DaysOf(y, int(m), day)
	return days
}

// whole reads an integer as Java does: digits with a sign, nothing else.
func whole(text []byte) (int64, bool) {
	if len(text) == 0 || len(text) > 40 {
		return 0, false
	}
	if len(text) <= 18 {
		i, neg := 0, text[0] == '-'
		if neg || text[0] == '+' {
			i = 1
		}
		if i == len(text) {
			return 0, false
		}
		var v int64
		for ; i < len(text); i++ {
			if text[i] < '0' || text[i] > '9' {
				return 0, false
			}
			v = v*10 + int64(text[i]-'0')
		}
		if neg {
			v = -v
		}
		return v, true
	}
	v, err := strconv.ParseInt(stringOf(text), 10, 64)
	return v, err == nil
}

var javaNaN = math.Float64frombits(0x7ff8000000000000)

// float reads a floating-point number as Java's parser does, which takes blanks around it, a letter f or d behind it and hexadecimal
// forms, besides the words of the options.
func (d *Decoder) float(text []byte, bits int) (float64, bool) {
	s := stringOf(text)
	switch s {
	case d.opts.NaN, "NaN", "+NaN", "-NaN":
		return javaNaN, true
	case d.opts.PositiveInf, "Infinity", "+Infinity":
		return math.Inf(1), true
	case d.opts.NegativeInf, "-Infinity":
		return math.Inf(-1), true
	}
	s = strings.Trim(s, " \t\n\r\x00\x0b\x0c")
	hex := strings.ContainsAny(s, "xX")
	if n := len(s); n > 1 && strings.IndexByte("fFdD", s[n-1]) >= 0 && (!hex || strings.ContainsAny(s, "pP")) {
		s = s[:n-1]
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= '0' && c <= '9' || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E' {
			continue
		}
		if !hex || strings.IndexByte("abcdfABCDFxXpP", c) < 0 {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(s, bits)
	if err != nil && !math.IsInf(v, 0) {
		return 0, false
	}
	return v, true
}

func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// Batch gives the rows since the last batch and forgets them. The caller releases it.
func (d *Decoder) Batch() (arrow.RecordBatch, error) {
	d.rows = 0
	rec, err := column.Record(d.schema, d.cols)
	if err != nil {
		return nil, condition.Newf(condition.Unsupported, "CSV: %v.", err)
	}
	return rec, nil
}
