package datatype

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Parse reads one type in Spark's DDL, such as "decimal(12,2)" or "array<struct<a: int, b: string not null>>". Words may be
// in either case. Elements and map values are nullable, fields too unless NOT NULL follows.
func Parse(s string) (Type, error) {
	p := &parser{src: s}
	t, err := p.typ()
	if err != nil {
		return nil, err
	}
	if p.peek(); p.tok != "" {
		return nil, p.errorf("nothing may follow the type")
	}
	return t, nil
}

// ParseFields reads a table schema in Spark's DDL: "id BIGINT NOT NULL, name STRING". It is the inverse of [DDL]; a colon
// between name and type and a COMMENT are accepted, as Spark does.
func ParseFields(s string) ([]Field, error) {
	p := &parser{src: s}
	fields, err := p.fields("")
	if err != nil {
		return nil, err
	}
	if p.peek(); p.tok != "" {
		return nil, p.errorf("a comma or the end was expected")
	}
	return fields, nil
}

// maxTypeDepth bounds the nesting that the parser follows, so that hostile text cannot exhaust the stack.
const maxTypeDepth = 200

type parser struct {
	src    string
	pos    int    // behind tok
	tok    string // "" at the end
	start  int    // where tok begins
	quoted bool   // tok was in backticks
	peeked bool
	depth  int
}

func (p *parser) errorf(format string, args ...any) error {
	at := p.start
	near := p.src[min(at, len(p.src)):]
	if len(near) > 20 {
		near = near[:20] + "…"
	}
	return fmt.Errorf("type text at offset %d, before %q: %s", at, near, fmt.Sprintf(format, args...))
}

func (p *parser) peek() string {
	if p.peeked {
		return p.tok
	}
	p.peeked = true
	for p.pos < len(p.src) && strings.IndexByte(" \t\r\n", p.src[p.pos]) >= 0 {
		p.pos++
	}
	p.start, p.quoted = p.pos, false
	if p.pos >= len(p.src) {
		p.tok = ""
		return ""
	}
	c := p.src[p.pos]
	switch {
	case c == '`':
		var b strings.Builder
		i := p.pos + 1
		for i < len(p.src) {
			if p.src[i] == '`' {
				if i+1 < len(p.src) && p.src[i+1] == '`' {
					b.WriteByte('`')
					i += 2
					continue
				}
				break
			}
			b.WriteByte(p.src[i])
			i++
		}
		if i >= len(p.src) {
			p.tok, p.pos = "`", len(p.src)
			return p.tok
		}
		p.pos, p.tok, p.quoted = i+1, b.String(), true
	case c == '\'':
		i := p.pos + 1
		for i < len(p.src) && p.src[i] != '\'' {
			if p.src[i] == '\\' {
				i++
			}
			i++
		}
		p.pos = min(i+1, len(p.src))
		p.tok = p.src[p.start:p.pos]
	case isWord(c):
		i := p.pos
		for i < len(p.src) && isWord(p.src[i]) {
			i++
		}
		p.tok, p.pos = p.src[p.pos:i], i
	default:
		_, n := utf8.DecodeRuneInString(p.src[p.pos:])
		p.tok, p.pos = p.src[p.pos:p.pos+n], p.pos+n
	}
	return p.tok
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= utf8.RuneSelf
}

func (p *parser) next() string {
	t := p.peek()
	p.peeked = false
	return t
}

// word takes the next token when it is the given keyword.
func (p *parser) word(w string) bool {
	if t := p.peek(); !p.quoted && strings.EqualFold(t, w) {
		p.next()
		return true
	}
	return false
}

func (p *parser) expect(w string) error {
	if !p.word(w) {
		return p.errorf("%q was expected", w)
	}
	return nil
}

func (p *parser) typ() (Type, error) {
	if p.depth++; p.depth > maxTypeDepth {
		return nil, p.errorf("types nest deeper than %d", maxTypeDepth)
	}
	defer func() { p.depth-- }()
	name := strings.ToUpper(p.peek())
	if p.quoted || name == "" {
		return nil, p.errorf("a type was expected")
	}
	if t, ok := namedTypes[name]; ok {
		p.next()
		return t, nil
	}
	switch name {
	case "STRING":
		p.next()
		if p.word("COLLATE") {
			if c := p.next(); !strings.EqualFold(c, "UTF8_BINARY") {
				return nil, p.errorf("the collation %s is not supported, only UTF8_BINARY", c)
			}
		}
		return String, nil
	case "DECIMAL", "DEC", "NUMERIC":
		p.next()
		args, err := p.ints(2)
		if err != nil {
			return nil, err
		}
		d := Decimal{DefaultPrecision, 0}
		if len(args) > 0 {
			d.Precision = args[0]
		}
		if len(args) > 1 {
			d.Scale = args[1]
		}
		if d.Precision < 1 || d.Precision > MaxPrecision || d.Scale < 0 || d.Scale > d.Precision {
			return nil, p.errorf("DECIMAL(p,s) needs 1 ≤ p ≤ 38 and 0 ≤ s ≤ p, not (%d,%d)", d.Precision, d.Scale)
		}
		return d, nil
	case "CHAR", "CHARACTER", "VARCHAR":
		p.next()
		args, err := p.ints(1)
		if err != nil {
			return nil, err
		}
		if len(args) != 1 || args[0] < 1 {
			return nil, p.errorf("%s needs a length of at least 1", name)
		}
		if name == "VARCHAR" {
			return Varchar{args[0]}, nil
		}
		return Char{args[0]}, nil
	case "TIME":
		p.next()
		args, err := p.ints(1)
		if err != nil {
			return nil, err
		}
		if len(args) == 0 {
			return Time{6}, nil
		}
		if args[0] < 0 || args[0] > 6 {
			return nil, p.errorf("TIME(p) needs 0 ≤ p ≤ 6, not %d", args[0])
		}
		return Time{args[0]}, nil
	case "INTERVAL":
		p.next()
		return p.interval()
	case "ARRAY":
		p.next()
		if err := p.expect("<"); err != nil {
			return nil, err
		}
		elem, err := p.typ()
		if err != nil {
			return nil, err
		}
		return Array{elem, true}, p.expect(">")
	case "MAP":
		p.next()
		if err := p.expect("<"); err != nil {
			return nil, err
		}
		k, err := p.typ()
		if err != nil {
			return nil, err
		}
		if err := p.expect(","); err != nil {
			return nil, err
		}
		v, err := p.typ()
		if err != nil {
			return nil, err
		}
		return Map{k, v, true}, p.expect(">")
	case "STRUCT":
		p.next()
		if err := p.expect("<"); err != nil {
			return nil, err
		}
		fields, err := p.fields(">")
		if err != nil {
			return nil, err
		}
		return Struct{fields}, p.expect(">")
	}
	return nil, p.errorf("%s is no data type of Spark", p.tok)
}

// namedTypes are the words that are a type by themselves, aliases of Spark's grammar among them.
var namedTypes = map[string]Type{
	"VOID": Null, "BOOLEAN": Boolean, "TINYINT": Byte, "BYTE": Byte, "SMALLINT": Short, "SHORT": Short, "INT": Int, "INTEGER": Int,
	"BIGINT": Long, "LONG": Long, "FLOAT": Float, "REAL": Float, "DOUBLE": Double, "BINARY": Binary, "DATE": Date,
	"TIMESTAMP": Timestamp, "TIMESTAMP_LTZ": Timestamp, "TIMESTAMP_NTZ": TimestampNTZ, "VARIANT": Variant,
}

func (p *parser) ints(most int) ([]int, error) {
	if !p.word("(") {
		return nil, nil
	}
	var out []int
	for {
		n, err := strconv.Atoi(p.next())
		if err != nil || len(out) == most {
			return nil, p.errorf("at most %d whole numbers were expected", most)
		}
		out = append(out, n)
		if p.word(")") {
			return out, nil
		}
		if err := p.expect(","); err != nil {
			return nil, err
		}
	}
}

func (p *parser) interval() (Type, error) {
	index := func(names []string) (uint8, bool) {
		for i, n := range names {
			if p.word(n) {
				return uint8(i), true
			}
		}
		return 0, false
	}
	for k, names := range [][]string{yearMonthNames[:], dayTimeNames[:]} {
		start, ok := index(names)
		if !ok {
			continue
		}
		end := start
		if p.word("TO") {
			if end, ok = index(names); !ok || end <= start {
				return nil, p.errorf("an interval ends in a finer field than it starts in")
			}
		}
		if k == 0 {
			return YearMonth{YearMonthField(start), YearMonthField(end)}, nil
		}
		return DayTime{DayTimeField(start), DayTimeField(end)}, nil
	}
	return CalendarInterval, nil
}

func (p *parser) fields(end string) ([]Field, error) {
	fields := []Field{}
	if t := p.peek(); !p.quoted && t == end {
		return fields, nil
	}
	for {
		name := p.peek()
		if !p.quoted && (name == "" || !isWord(name[0])) {
			return nil, p.errorf("a field name was expected")
		}
		p.next()
		p.word(":")
		t, err := p.typ()
		if err != nil {
			return nil, err
		}
		f := Field{name, t, true}
		if p.word("NOT") {
			if err := p.expect("NULL"); err != nil {
				return nil, err
			}
			f.Nullable = false
		}
		if p.word("COMMENT") {
			p.next()
		}
		fields = append(fields, f)
		if !p.word(",") {
			return fields, nil
		}
	}
}
