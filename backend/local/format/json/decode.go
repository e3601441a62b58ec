package json

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/spoonbill-go/spoonbill/backend/arrowtype"
	"github.com/spoonbill-go/spoonbill/backend/local/format"
	"github.com/spoonbill-go/spoonbill/backend/local/format/column"
	"github.com/spoonbill-go/spoonbill/backend/local/format/number"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/internal/timetext"
)

// status is what became of a value.
type status uint8

const (
	// good: it is what the text says.
	good status = iota
	// partial: something inside it was bad.
	partial
	// bad: there is none.
	bad
)

// node decodes the values of one place in the schema into one column.
type node struct {
	kind  datatype.Kind
	typ   datatype.Type
	col   *column.Column
	elems []*node // fields, the element, or key and value

	// Of a struct: where to find a field by name.
	index map[string]int
	// seen guesses the next name: records of one source tend to have their names in one order. An entry holds a name with its
	// quotes and the field that it means, -1 for none.
	seen   []seenName
	misses int

	// Of a decimal.
	precision, scale int
}

type seenName struct {
	quoted []byte
	field  int
}

// maxSeen bounds the names that a node remembers, and maxMisses how often it learns anew: records without a common order would make it
// do nothing else.
const (
	maxSeen   = 1024
	maxMisses = 10_000
)

// newNode makes the node of a type; need are the ordinals of a struct's fields that are wanted, nil for all. skip is a field that
// is never read (-1 for none).
func newNode(t datatype.Type, col *column.Column, need []int, skip int) (*node, error) {
	n := &node{kind: t.Kind(), typ: t, col: col}
	switch x := t.(type) {
	case datatype.Decimal:
		n.precision, n.scale = x.Precision, x.Scale
	case datatype.Array:
		elem, err := newNode(x.Elem, col.Children[0], nil, -1)
		if err != nil {
			return nil, err
		}
		n.elems = []*node{elem}
	case datatype.Map:
		if !datatype.IsString(x.Key) {
			return nil, unsupported("a map whose keys are %s: the names in a JSON object are text, so the keys must be STRING", x.Key)
		}
		value, err := newNode(x.Value, col.Children[1], nil, -1)
		if err != nil {
			return nil, err
		}
		n.elems = []*node{{kind: datatype.KindString, typ: x.Key, col: col.Children[0]}, value}
	case datatype.Struct:
		n.index = make(map[string]int, len(x.Fields))
		n.elems = make([]*node, len(x.Fields))
		wanted := func(int) bool { return true }
		if need != nil {
			set := make(map[int]bool, len(need))
			for _, i := range need {
				set[i] = true
			}
			wanted = func(i int) bool { return set[i] }
		}
		for i, f := range x.Fields {
			e, err := newNode(f.Type, col.Children[i], nil, -1)
			if err != nil {
				return nil, err
			}
			n.elems[i] = e
			if i != skip && wanted(i) {
				// Of two fields with one name the last one is read, as in Spark's name-to-index map.
				n.index[f.Name] = i
			}
		}
	case datatype.Basic:
		if x == datatype.CalendarInterval || x == datatype.Variant || x == datatype.Invalid {
			return nil, unsupported("the type %s", t)
		}
	case datatype.Time:
		return nil, unsupported("the type %s", t)
	}
	return n, nil
}

func unsupported(format string, args ...any) error {
	e := condition.Newf(condition.Unsupported, "The local engine does not read JSON into %s.", fmt.Sprintf(format, args...))
	e.Hint = "Read the field as STRING and convert it in the query."
	return e
}

// decoder is the part that both ways of reading share.
type decoder struct {
	scanner
	opts Options
	zone *timetext.Zone
	// why says what was wrong first in the record, for FAILFAST.
	why string
}

func newDecoder(opts Options, chars bool) *decoder {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	d := &decoder{opts: opts, zone: timetext.NewZone(opts.Zone)}
	d.scanner.opt = &d.opts
	d.scanner.chars = chars
	return d
}

func (d *decoder) today(loc *time.Location) int32 {
	y, m, day := d.opts.Now().In(loc).Date()
	days, _ := timetext.DaysOf(y, int(m), day)
	return days
}

// blame notes the first fault of a record. It allocates, which a good record never does.
func (d *decoder) blame(n *node, p int) {
	if d.why == "" && d.opts.Mode == format.FailFast {
		d.why = fmt.Sprintf("%s is no %s", shown(d.buf[min(p, len(d.buf)):]), n.typ)
	}
}

// shown gives the value at the beginning of a text for an error, cut where it is long; an object or an array as far as it fits.
func shown(b []byte) string {
	const most = 40
	end := min(len(b), most)
	if end > 0 && b[0] == '"' {
		for i := 1; i < end; i++ {
			switch b[i] {
			case '\\':
				i++
			case '"':
				return string(b[:i+1])
			}
		}
	} else if i := bytes.IndexAny(b[:end], ",}] \t"); i > 0 && b[0] != '{' && b[0] != '[' {
		return string(b[:i])
	}
	if end < len(b) {
		return string(b[:end]) + "…"
	}
	return string(b[:end])
}

// value reads the value at p into n. It gives false where anything in it is not as it should be; what was appended by then is to be cut off.
func (d *decoder) value(n *node, p int) (int, bool) {
	c := d.at(p)
	if c == 'n' {
		end, ok := d.word(p, "null")
		if ok {
			n.col.AppendNull()
		}
		return end, ok
	}
	switch n.kind {
	case datatype.KindStruct:
		if c == '{' {
			return d.object(n, p+1)
		}
	case datatype.KindArray:
		if c == '[' {
			return d.array(n, p+1)
		}
	case datatype.KindMap:
		if c == '{' {
			return d.mapping(n, p+1)
		}
	case datatype.KindString, datatype.KindChar, datatype.KindVarchar:
		return d.stringValue(n, p)
	case datatype.KindBoolean:
		if end, ok := d.word(p, "true"); ok {
			n.col.AppendBool(true)
			return end, true
		}
		if end, ok := d.word(p, "false"); ok {
			n.col.AppendBool(false)
			return end, true
		}
	default:
		if d.quote(p) {
			text, next, ok := d.text(p)
			if ok && (len(text) > 0 || n.kind == datatype.KindBinary) && d.fromText(n, text) {
				return next, true
			}
		} else if c != '{' && c != '[' && c != 't' && c != 'f' && p < len(d.buf) {
			next, kind := d.number(p)
			if kind == noNumber {
				return p, false
			}
			if d.fromNumber(n, d.buf[p:next], kind) {
				return next, true
			}
		}
	}
	d.blame(n, p)
	return p, false
}

// object reads a struct; p is behind its brace.
func (d *decoder) object(n *node, p int) (int, bool) {
	row := n.col.Len()
	left := len(n.index)
	d.depth++
	p = d.space(p)
	if d.at(p) == '}' {
		p++
	} else {
		for at := 0; ; at++ {
			field := -1
			// The guess compares the name with its quotes, which spares finding its end.
			if at < len(n.seen) && bytes.HasPrefix(d.buf[p:], n.seen[at].quoted) {
				p += len(n.seen[at].quoted)
				field = n.seen[at].field
			} else {
				name, next, ok := d.name(p)
				if !ok {
					return p, false
				}
				var found bool
				if field, found = n.index[string(name)]; !found {
					field = -1
				}
				if n.misses++; n.misses < maxMisses && at <= len(n.seen) && at < maxSeen && next-p == len(name)+2 && d.buf[p] == '"' && len(name) < 256 {
					quoted := append([]byte(nil), d.buf[p:next]...)
					if at == len(n.seen) {
						n.seen = append(n.seen, seenName{quoted, field})
					} else {
						n.seen[at] = seenName{quoted, field}
					}
				}
				p = next
			}
			p = d.space(p)
			if d.at(p) != ':' {
				return p, false
			}
			p = d.space(p + 1)
			var ok bool
			if field < 0 {
				p, ok = d.skip(p)
			} else {
				e := n.elems[field]
				if e.col.Len() > row {
					// The name came before: the last value counts.
					e.col.Truncate(row)
					left++
				}
				left--
				p, ok = d.value(e, p)
			}
			if !ok {
				return p, false
			}
			p = d.space(p)
			if c := d.at(p); c == ',' {
				p = d.space(p + 1)
				continue
			} else if c != '}' {
				return p, false
			}
			p++
			break
		}
	}
	if left > 0 || len(n.index) < len(n.elems) {
		for _, e := range n.elems {
			if e.col.Len() == row {
				e.col.AppendNull()
			}
		}
	}
	n.col.AppendStruct()
	d.depth--
	return p, true
}

// array reads an array; p is behind its bracket.
func (d *decoder) array(n *node, p int) (int, bool) {
	elem := n.elems[0]
	d.depth++
	p = d.space(p)
	if d.at(p) == ']' {
		p++
	} else {
		for {
			next, ok := d.value(elem, p)
			if !ok {
				return next, false
			}
			p = d.space(next)
			if c := d.at(p); c == ',' {
				p = d.space(p + 1)
				continue
			} else if c != ']' {
				return p, false
			}
			p++
			break
		}
	}
	n.col.AppendList()
	d.depth--
	return p, true
}

// mapping reads a map; p is behind its brace. A name that comes twice stands twice, as in Spark.
func (d *decoder) mapping(n *node, p int) (int, bool) {
	key, value := n.elems[0], n.elems[1]
	d.depth++
	p = d.space(p)
	if d.at(p) == '}' {
		p++
	} else {
		for {
			name, next, ok := d.name(p)
			if !ok {
				return p, false
			}
			key.col.AppendBytes(name)
			p = d.space(next)
			if d.at(p) != ':' {
				return p, false
			}
			if next, ok = d.value(value, d.space(p+1)); !ok {
				return next, false
			}
			p = d.space(next)
			if c := d.at(p); c == ',' {
				p = d.space(p + 1)
				continue
			} else if c != '}' {
				return p, false
			}
			p++
			break
		}
	}
	n.col.AppendList()
	d.depth--
	return p, true
}

// stringValue reads any value as text: a text as it is, everything else as its JSON.
func (d *decoder) stringValue(n *node, p int) (int, bool) {
	if d.quote(p) {
		text, next, ok := d.text(p)
		if ok {
			n.col.AppendBytes(text)
		} else {
			d.blame(n, p)
		}
		return next, ok
	}
	d.half = false
	if d.opts.Wide {
		return p, false
	}
	next, ok := d.skip(p)
	switch {
	case !ok || d.chars && d.half:
		return p, false
	case !d.chars:
		n.col.AppendBytes(d.buf[p:next])
	default:
		n.col.SetBytes(d.rewrite(n.col.Grow(), p, next))
	}
	return next, true
}

// rewrite appends the JSON between p and end, whose grammar is known to be good, as Jackson's generator would write its tokens.
func (d *decoder) rewrite(dst []byte, p, end int) []byte {
	for p < end {
		switch c := d.buf[p]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '/':
			if q := d.space(p); q > p {
				p = q
			} else {
				p++
			}
		case d.quote(p):
			text, next, _ := d.text(p)
			dst = appendGenerated(dst, text)
			p = next
		case c == '{' || c == '}' || c == '[' || c == ']' || c == ',' || c == ':':
			dst = append(dst, c)
			p++
		default:
			next, kind := d.number(p)
			if kind == noNumber {
				// A word, or a name without quotes.
				next = p
				for next < end && (nameByte(d.buf[next]) || d.buf[next] == '-') {
					next++
				}
				next = max(next, p+1)
				token := d.buf[p:next]
				if w := string(token); w == "true" || w == "false" || w == "null" {
					dst = append(dst, token...)
				} else {
					dst = appendGenerated(dst, token)
				}
			} else {
				dst = appendNumber(dst, d.buf[p:next], kind)
			}
			p = next
		}
	}
	return dst
}

// fromNumber converts a number token. Spark's rules: an integer field takes whole numbers in its range only (a TINYINT up to 255,
// which wraps), a time stamp takes seconds.
func (d *decoder) fromNumber(n *node, token []byte, kind numberKind) bool {
	switch n.kind {
	case datatype.KindLong, datatype.KindInt, datatype.KindShort, datatype.KindByte, datatype.KindTimestamp:
		if kind != whole {
			return false
		}
		v, ok := wholeOf(token)
		if !ok {
			return false
		}
		switch n.kind {
		case datatype.KindInt:
			ok = v >= math.MinInt32 && v <= math.MaxInt32
		case datatype.KindShort:
			ok = v >= math.MinInt16 && v <= math.MaxInt16
		case datatype.KindByte:
			// Jackson's getByteValue lets unsigned bytes through; 200 becomes -56.
			ok = v >= math.MinInt8 && v <= math.MaxUint8
		case datatype.KindTimestamp:
			// Spark multiplies without a check, so far-off numbers wrap around.
			v *= timetext.MicrosPerSecond
		}
		if ok {
			n.col.AppendInt(v)
		}
		return ok
	case datatype.KindDouble:
		v, ok := floatOf(token, kind, 64)
		if ok {
			n.col.AppendDouble(v)
		}
		return ok
	case datatype.KindFloat:
		v, ok := floatOf(token, kind, 32)
		if ok {
			n.col.AppendFloat(float32(v))
		}
		return ok
	case datatype.KindDecimal:
		if kind == word {
			return false
		}
		v, ok := number.Decimal(token, n.precision, n.scale)
		if ok {
			n.col.AppendDecimal(v)
		}
		return ok
	}
	return false
}

// wholeOf reads a whole number of 64 bits.
func wholeOf(token []byte) (int64, bool) {
	if len(token) > 18 {
		v, err := strconv.ParseInt(stringOf(token), 10, 64)
		return v, err == nil
	}
	i, neg := 0, token[0] == '-'
	if neg {
		i = 1
	}
	var v int64
	for ; i < len(token); i++ {
		v = v*10 + int64(token[i]-'0')
	}
	if neg {
		v = -v
	}
	return v, true
}

// floatOf reads a floating-point number; what is too large is infinite, as in Java.
func floatOf(token []byte, kind numberKind, bits int) (float64, bool) {
	switch kind {
	case word:
		return infinity(stringOf(token))
	case whole:
		// A whole number goes through an integer in Jackson, which knows no negative zero.
		if string(token) == "-0" {
			return 0, true
		}
	}
	v, err := strconv.ParseFloat(stringOf(token), bits)
	if err != nil && !math.IsInf(v, 0) {
		return 0, false
	}
	return v, true
}

// javaNaN has the bits of Java's NaN, which differ from Go's.
var javaNaN = math.Float64frombits(0x7ff8000000000000)

// infinity knows the words of allowNonNumericNumbers; a bare INF is none of them.
func infinity(s string) (float64, bool) {
	switch s {
	case "NaN":
		return javaNaN, true
	case "Infinity", "+Infinity", "+INF":
		return math.Inf(1), true
	case "-Infinity", "-INF":
		return math.Inf(-1), true
	}
	return 0, false
}

// stringOf views bytes as a string for a call that does not keep it.
func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// fromText converts a text into a type that is not text. Numbers in quotes are refused but for decimals and the words of floating point.
func (d *decoder) fromText(n *node, text []byte) bool {
	switch n.kind {
	case datatype.KindTimestamp:
		var v int64
		var ok bool
		if d.opts.Timestamp != nil {
			v, ok = d.opts.Timestamp.ParseTimestamp(stringOf(text), d.zone)
		} else {
			v, ok = timetext.ParseTimestamp(text, d.zone, d.today)
		}
		if ok {
			n.col.AppendInt(v)
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
			n.col.AppendInt(v)
		}
		return ok
	case datatype.KindDate:
		v, ok := d.date(text)
		if ok {
			n.col.AppendInt(int64(v))
		}
		return ok
	case datatype.KindDecimal:
		// Spark removes the thousands separators of the locale, wherever they stand.
		if bytes.IndexByte(text, ',') >= 0 {
			text = bytes.ReplaceAll(text, []byte(","), nil)
		}
		v, ok := number.Decimal(text, n.precision, n.scale)
		if ok {
			n.col.AppendDecimal(v)
		}
		return ok
	case datatype.KindDouble, datatype.KindFloat:
		if !d.opts.NonNumeric {
			return false
		}
		v, ok := infinity(stringOf(text))
		if !ok {
			return false
		}
		if n.kind == datatype.KindFloat {
			n.col.AppendFloat(float32(v))
		} else {
			n.col.AppendDouble(v)
		}
		return true
	case datatype.KindBinary:
		out := n.col.Grow()
		at := len(out)
		out = append(out, make([]byte, base64.StdEncoding.DecodedLen(len(text)))...)
		size, err := base64.StdEncoding.Strict().Decode(out[at:], text)
		// Go's decoder passes over line ends, Java's does not.
		if err != nil || bytes.IndexByte(text, '\n') >= 0 || bytes.IndexByte(text, '\r') >= 0 {
			return false
		}
		n.col.SetBytes(out[:at+size])
		return true
	case datatype.KindDayTime:
		v, ok := timetext.ParseDayTime(string(text), n.typ.(datatype.DayTime))
		if ok {
			n.col.AppendInt(v)
		}
		return ok
	case datatype.KindYearMonth:
		v, ok := timetext.ParseYearMonth(string(text), n.typ.(datatype.YearMonth))
		if ok {
			n.col.AppendInt(int64(v))
		}
		return ok
	}
	return false
}

func (d *decoder) date(text []byte) (int32, bool) {
	if d.opts.Date != nil {
		return d.opts.Date.ParseDate(stringOf(text))
	}
	if v, ok := timetext.ParseDate(text); ok {
		return v, true
	}
	// Spark 1.5 stored dates as days, and its readers still take them.
	v, err := strconv.ParseInt(stringOf(text), 10, 32)
	return int32(v), err == nil
}

// Decoder reads JSON lines into record batches, in the way of Spark's file source. It is for one goroutine.
type Decoder struct {
	*decoder
	schema  *arrow.Schema
	root    *node
	cols    []*column.Column
	corrupt int // the ordinal of the column of corrupt records, -1 for none
	rows    int
}

// NewDecoder makes a decoder of records into fields. need are the ordinals of the fields that the query reads (nil for all); the
// others are null, and a fault in them does not make a record malformed, as in Spark. A column of corrupt records is filled when the
// schema has it, as a STRING.
func NewDecoder(fields []datatype.Field, opts Options, need []int) (*Decoder, error) {
	schema, err := arrowtype.Schema(fields)
	if err != nil {
		return nil, err
	}
	corrupt, err := corruptField(fields, opts.CorruptColumn)
	if err != nil {
		return nil, err
	}
	t := datatype.Struct{Fields: fields}
	col, err := column.New(t)
	if err != nil {
		return nil, condition.Newf(condition.Unsupported, "JSON: %v.", err)
	}
	root, err := newNode(t, col, need, corrupt)
	if err != nil {
		return nil, err
	}
	return &Decoder{decoder: newDecoder(opts, opts.Encoded), schema: schema, root: root, cols: col.Children, corrupt: corrupt}, nil
}

func corruptField(fields []datatype.Field, name string) (int, error) {
	for i, f := range fields {
		if name != "" && f.Name == name {
			if f.Type != datatype.String || !f.Nullable {
				return -1, condition.Newf(condition.InvalidCorruptRecordType, "The column %s for corrupt records must be a nullable STRING, not %s.", datatype.QuoteName(name), f.Type)
			}
			return i, nil
		}
	}
	return -1, nil
}

// Rows is the number of rows since the last batch.
func (d *Decoder) Rows() int { return d.rows }

// Bytes is the size of the rows since the last batch, roughly.
func (d *Decoder) Bytes() int { return d.root.col.Bytes() }

// Lines reads every line of data. Lines end in \n, \r\n or \r; blank lines give no row.
func (d *Decoder) Lines(data []byte) error {
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
			if err := d.Record(line[:i]); err != nil {
				return err
			}
			line = line[i+1:]
		}
		if err := d.Record(line); err != nil {
			return err
		}
	}
	return nil
}

// utf8Mark is the mark that some editors put before UTF-8. Jackson passes over it in bytes, if anything is behind it.
var utf8Mark = []byte("\xef\xbb\xbf")

// Record reads one record: an object, or an array of objects with a row for each. It is an error in mode FAILFAST when it is malformed.
func (d *Decoder) Record(rec []byte) error { return d.Text(rec, rec) }

// Text reads one record of which text is what rec says in UTF-8; the column of corrupt records has the bytes of rec.
func (d *Decoder) Text(rec, text []byte) error {
	d.buf = text
	if len(text) > len(utf8Mark) && !d.chars {
		d.buf = bytes.TrimPrefix(text, utf8Mark)
	}
	start := d.rows
	d.depth, d.why = 0, ""
	p := d.space(0)
	if p == len(d.buf) {
		return nil
	}
	if d.chars && !utf8.Valid(text) {
		// Spark's reader of characters does not replace what is no UTF-8 in a file.
		return d.settle(rec, start, bad)
	}
	ok := d.sound(p)
	if ok && d.corrupt < 0 {
		return nil
	}
	result := good
	if !ok {
		d.root.col.Truncate(start)
		var rows []found
		rows, result = d.mend(d.buf).rows(d.root)
		for _, row := range rows {
			d.put(d.root, row)
		}
		d.rows = start + len(rows)
	}
	return d.settle(rec, start, result)
}

// sound reads the rows of a record in which nothing is wrong, and gives false for another.
func (d *Decoder) sound(p int) (ok bool) {
	switch d.at(p) {
	case '{':
		_, ok = d.object(d.root, p+1)
		d.rows++
	case '[':
		ok = d.recordArray(p + 1)
	}
	return ok
}

// recordArray reads the objects of a record that is an array.
func (d *Decoder) recordArray(p int) bool {
	d.depth++
	p = d.space(p)
	if d.at(p) == ']' {
		return true
	}
	for {
		if d.at(p) != '{' {
			return false
		}
		next, ok := d.object(d.root, p+1)
		if !ok {
			return false
		}
		d.rows++
		p = d.space(next)
		switch d.at(p) {
		case ',':
			p = d.space(p + 1)
		case ']':
			return true
		default:
			return false
		}
	}
}

// count notes a record that could not be read whole.
func (d *decoder) count() {
	if d.opts.Malformed != nil {
		d.opts.Malformed.Add(1)
	}
}

// settle does what the mode asks for with the rows of one record.
func (d *Decoder) settle(rec []byte, start int, result status) error {
	if result != good {
		d.count()
		switch d.opts.Mode {
		case format.FailFast:
			if d.why == "" {
				d.why = "it is no JSON object"
			}
			return format.Malformed(rec, d.why)
		case format.DropMalformed:
			d.root.col.Truncate(start)
			d.rows = start
			return nil
		}
	}
	if result >= bad {
		d.root.col.Truncate(start)
		d.root.col.AppendNull()
		d.rows = start + 1
	}
	if d.corrupt >= 0 {
		c := d.cols[d.corrupt]
		c.Truncate(start)
		for c.Len() < d.rows {
			if result == good {
				c.AppendNull()
			} else {
				c.AppendBytes(rec)
			}
		}
	}
	return nil
}

// Batch gives the rows since the last batch and forgets them. The caller releases it.
func (d *Decoder) Batch() (arrow.RecordBatch, error) {
	n := d.rows
	d.rows = 0
	a, err := d.root.col.Finish()
	if err != nil {
		return nil, condition.Newf(condition.Unsupported, "JSON: %v.", err)
	}
	defer a.Release()
	s := a.(*array.Struct)
	cols := make([]arrow.Array, s.NumField())
	for i := range cols {
		cols[i] = s.Field(i)
	}
	return array.NewRecordBatch(d.schema, cols, int64(n)), nil
}

// ColumnDecoder decodes a column of JSON texts into a column of values, in the way of Spark's from_json. It is for one goroutine.
type ColumnDecoder struct {
	*decoder
	root    *node
	corrupt int
}

// NewColumnDecoder makes a decoder into a type: a struct, an array or a map, else Spark knows no from_json. need are the ordinals
// of the fields of a struct that are wanted, nil for all. Mode DROPMALFORMED is refused, as in Spark.
func NewColumnDecoder(t datatype.Type, opts Options, need []int) (*ColumnDecoder, error) {
	if opts.Mode == format.DropMalformed {
		e := condition.Newf(condition.ParseModeUnsupported, "A column of JSON cannot be decoded in mode DROPMALFORMED, for every row keeps its place.")
		e.Hint = "Use PERMISSIVE with a column of corrupt records and filter on it."
		return nil, e
	}
	t = datatype.AsNullable(t)
	corrupt := -1
	switch x := t.(type) {
	case datatype.Struct:
		var err error
		if corrupt, err = corruptField(x.Fields, opts.CorruptColumn); err != nil {
			return nil, err
		}
	case datatype.Array, datatype.Map:
	default:
		return nil, condition.Newf(condition.Unsupported, "JSON decodes into a struct, an array or a map, not into %s.", t)
	}
	col, err := column.New(t)
	if err != nil {
		return nil, condition.Newf(condition.Unsupported, "JSON: %v.", err)
	}
	root, err := newNode(t, col, need, corrupt)
	if err != nil {
		return nil, err
	}
	return &ColumnDecoder{decoder: newDecoder(opts, true), root: root, corrupt: corrupt}, nil
}

// Decode gives one value for each of values, which is an array of STRING or BINARY: null for null and for blank text, and for a
// malformed record a struct of nulls, or null where the type is an array or a map. It is an error in mode FAILFAST. The caller
// releases the result.
func (d *ColumnDecoder) Decode(values arrow.Array) (arrow.Array, error) {
	n := values.Len()
	at, err := texts(values)
	if err != nil {
		return nil, err
	}
	for i := range n {
		if values.IsNull(i) {
			d.root.col.AppendNull()
			continue
		}
		if err := d.record(at(i), i); err != nil {
			d.root.col.Truncate(0)
			return nil, err
		}
	}
	out, err := d.root.col.Finish()
	if err != nil {
		return nil, condition.Newf(condition.Unsupported, "JSON: %v.", err)
	}
	return out, nil
}

// texts gives access to the values of a text or binary array.
func texts(values arrow.Array) (func(int) []byte, error) {
	switch a := values.(type) {
	case *array.Binary:
		return a.Value, nil
	case *array.String:
		offs, data := a.ValueOffsets(), a.ValueBytes()
		if len(offs) == 0 {
			return func(int) []byte { return nil }, nil
		}
		base := offs[0]
		return func(i int) []byte { return data[offs[i]-base : offs[i+1]-base] }, nil
	case *array.LargeString:
		return func(i int) []byte { return []byte(a.Value(i)) }, nil
	case *array.LargeBinary:
		return a.Value, nil
	case *array.StringView:
		return func(i int) []byte { return []byte(a.Value(i)) }, nil
	case *array.BinaryView:
		return a.Value, nil
	}
	return nil, condition.Newf(condition.Unsupported, "JSON is decoded from STRING or BINARY, not from %s.", values.DataType())
}

func (d *ColumnDecoder) record(rec []byte, row int) error {
	d.buf = rec
	d.depth, d.why = 0, ""
	p := d.space(0)
	col := d.root.col
	if p == len(rec) {
		col.AppendNull()
		return nil
	}
	if d.sound(p) {
		return nil
	}
	col.Truncate(row)
	v, result := d.mend(rec).column(d.root)
	if result == good {
		d.put(d.root, v)
		return nil
	}
	d.count()
	if d.opts.Mode == format.FailFast {
		if d.why == "" {
			d.why = "it is no JSON of type " + d.root.typ.String()
		}
		return format.Malformed(rec, d.why)
	}
	switch _, isStruct := d.root.typ.(datatype.Struct); {
	case result == partial:
		d.put(d.root, v)
	case isStruct:
		for _, e := range d.root.elems {
			e.col.AppendNull()
		}
		col.AppendStruct()
	default:
		col.AppendNull()
	}
	if d.corrupt >= 0 {
		c := d.root.elems[d.corrupt].col
		c.Truncate(row)
		c.AppendBytes(rec)
	}
	return nil
}

// sound reads a text in which nothing is wrong, and gives false for another.
func (d *ColumnDecoder) sound(p int) (ok bool) {
	switch {
	case d.at(p) == 'n':
		// null is no record for a struct; for the others it is a null, and bad in Spark's eyes too.
	case d.root.kind == datatype.KindArray && d.at(p) == '{' && d.root.elems[0].kind == datatype.KindStruct:
		// One object stands for an array of itself.
		if _, ok = d.object(d.root.elems[0], p+1); ok {
			d.root.col.AppendList()
		}
	default:
		_, ok = d.value(d.root, p)
	}
	return ok
}

// DecodeColumn decodes one array; see [NewColumnDecoder] and [ColumnDecoder.Decode]. A caller with many arrays makes one decoder.
func DecodeColumn(values arrow.Array, t datatype.Type, opts Options, need []int) (arrow.Array, error) {
	d, err := NewColumnDecoder(t, opts, need)
	if err != nil {
		return nil, err
	}
	return d.Decode(values)
}
