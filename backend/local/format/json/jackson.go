package json

import (
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/spoonbill-go/spoonbill/internal/javatext"
)

// token is a kind of event.
type token uint8

const (
	noToken token = iota // before the first event, behind the last one, and where a value could not be read
	startObject
	endObject
	startArray
	endArray
	fieldName
	textToken
	wholeToken
	fractionToken
	trueToken
	falseToken
	nullToken
)

// within is an object or an array that is open, or the root.
type within struct {
	kind token // startObject, startArray, or noToken for the root
	// index counts the members asked for, so that a comma stands before all but the first; a member that could not be read counts.
	index int
	name  []byte
	named bool
}

// jackson gives the events of one record as Jackson does, with what it does behind an error: the place where it goes on, the event that
// stays the present one, and the containers that it takes to be open. Spark goes on reading after most errors, so that its answer for a
// damaged record is made of these. A record without a fault is read faster by [scanner], which accepts no more than this does.
//
// Every method that can meet an error gives false for it; what the error is makes no difference to what follows. Source: the two
// parsers of jackson-core 2.21 that Spark 4.2 has, for bytes (UTF8StreamJsonParser) and for characters (ReaderBasedJsonParser).
type jackson struct {
	opt *Options
	// chars is set where characters are read, which are in units; else bytes are.
	chars bool
	bytes []byte
	units []uint16

	p, end int // the place, and the end of what was loaded
	begin  int // where the value of the present event begins

	now  token // the present event
	next token // the value of the name that is the present event; noToken when it could not be read
	// unread is set while the present event is a text of which only the quote was read.
	unread bool
	open   []within
	// text is the present text or number, as far as it was read.
	text []uint16
	word bool // the present number is NaN or an infinity
	// label is the last name where characters are read, halves of pairs included.
	label []uint16
}

// loadUnits is how many characters Jackson's buffer holds. It reads a number that does not end in the buffer in another way, which shows
// in where it stops at an error.
const loadUnits = 4000

// maxName is how long a field name may be: Jackson's StreamReadConstraints.DEFAULT_MAX_NAME_LEN.
const maxName = 50_000

// maxToken is how much of a word that is no JSON is read for the error's text: Jackson's ErrorReportConfiguration.DEFAULT_MAX_ERROR_TOKEN_LENGTH.
const maxToken = 256

// newJackson begins a record.
func newJackson(rec []byte, opt *Options, chars bool) *jackson {
	j := &jackson{opt: opt, chars: chars, bytes: rec, open: make([]within, 1, 8)}
	j.open[0].index = -1
	if chars {
		j.units = unitsOf(rec)
	} else {
		j.end = len(rec)
	}
	return j
}

// unitsOf decodes UTF-8 as Java's reader does.
func unitsOf(b []byte) []uint16 {
	out := make([]uint16, 0, len(b))
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			n = javatext.Broken(b)
		}
		out = utf16.AppendRune(out, r)
		b = b[n:]
	}
	return out
}

// appendUnits encodes UTF-16 as Java does: half a pair becomes a question mark.
func appendUnits(dst []byte, units []uint16) []byte {
	for i := 0; i < len(units); i++ {
		u := rune(units[i])
		if utf16.IsSurrogate(u) {
			if i+1 < len(units) {
				if r := utf16.DecodeRune(u, rune(units[i+1])); r != utf8.RuneError {
					dst = utf8.AppendRune(dst, r)
					i++
					continue
				}
			}
			u = '?'
		}
		dst = utf8.AppendRune(dst, u)
	}
	return dst
}

// at gives the byte or character at a place that was loaded.
func (j *jackson) at(p int) int {
	if j.chars {
		return int(j.units[p])
	}
	return int(j.bytes[p])
}

// more tells whether anything is left, and loads it.
func (j *jackson) more() bool {
	if j.p < j.end {
		return true
	}
	if !j.chars || j.end >= len(j.units) {
		return false
	}
	at := min(j.end+loadUnits, len(j.units))
	if at < len(j.units) && j.units[at-1]&0xfc00 == 0xd800 && j.units[at]&0xfc00 == 0xdc00 {
		at-- // a pair is not cut
	}
	j.end = at
	return true
}

// take steps over what [jackson.more] found.
func (j *jackson) take() int {
	c := j.at(j.p)
	j.p++
	return c
}

// grab is more and take.
func (j *jackson) grab() (int, bool) {
	if !j.more() {
		return 0, false
	}
	return j.take(), true
}

func (j *jackson) inside() *within { return &j.open[len(j.open)-1] }

func (j *jackson) enter(kind token) bool {
	j.open = append(j.open, within{kind: kind, index: -1})
	return len(j.open)-1 <= maxDepth
}

// leave closes a container of a kind.
func (j *jackson) leave(kind token) bool {
	j.begin = j.p - 1
	if j.inside().kind != kind {
		return false
	}
	j.open = j.open[:len(j.open)-1]
	return true
}

// advance goes to the next event and gives it; noToken is the end.
func (j *jackson) advance() (token, bool) {
	if j.now == fieldName {
		t := j.next
		j.next = noToken
		if (t == startArray || t == startObject) && !j.enter(t) {
			return noToken, false
		}
		j.now = t
		return t, true
	}
	if j.unread {
		j.unread = false
		if !j.finish('"', false) {
			return noToken, false
		}
	}
	c, ok := j.blank()
	if !ok {
		return noToken, false
	}
	in := j.inside()
	switch {
	case c < 0:
		if in.kind != noToken {
			return noToken, false
		}
		j.now = noToken
		return noToken, true
	case c == ']':
		if !j.leave(startArray) {
			return noToken, false
		}
		j.now = endArray
		return endArray, true
	case c == '}':
		if !j.leave(startObject) {
			return noToken, false
		}
		j.now = endObject
		return endObject, true
	}
	if in.index++; in.kind != noToken && in.index > 0 {
		if c != ',' {
			return noToken, false
		}
		if c, ok = j.blank(); !ok || c < 0 {
			return noToken, false
		}
	}
	if in.kind != startObject {
		j.begin = j.p - 1
		t, ok := j.value(c)
		if !ok || (t == startArray || t == startObject) && !j.enter(t) {
			return noToken, false
		}
		j.now = t
		return t, true
	}
	name, ok := j.name(c)
	if !ok {
		return noToken, false
	}
	in.name, in.named = name, true
	j.now = fieldName
	// An error in the value is met here, and the name stays the present event.
	if c, ok = j.colon(); !ok {
		return noToken, false
	}
	j.begin = j.p - 1
	t, ok := j.value(c)
	if !ok {
		return noToken, false
	}
	j.next = t
	return fieldName, true
}

// currentName gives the name that the present event has; an element of an array has none.
func (j *jackson) currentName() ([]byte, bool) {
	in := j.inside()
	if (j.now == startObject || j.now == startArray) && len(j.open) > 1 {
		in = &j.open[len(j.open)-2]
	}
	return in.name, in.named
}

// skipChildren goes to the end of the object or array that the present event begins, if it begins one.
func (j *jackson) skipChildren() bool {
	if j.now != startObject && j.now != startArray {
		return true
	}
	for depth := 1; ; {
		t, ok := j.advance()
		switch {
		case !ok:
			return false
		case t == noToken:
			return j.inside().kind == noToken
		case t == startObject, t == startArray:
			depth++
		case t == endObject, t == endArray:
			if depth--; depth == 0 {
				return true
			}
		}
	}
}

// blank steps over blanks, comments and what follows them, which it gives; -1 is the end.
func (j *jackson) blank() (int, bool) {
	for j.more() {
		switch c := j.take(); {
		case c == '/':
			if !j.comment() {
				return 0, false
			}
		case c > ' ':
			return c, true
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			return 0, false
		}
	}
	return -1, true
}

// colon steps over a colon and what follows it, which it gives.
func (j *jackson) colon() (int, bool) {
	if c, ok := j.blank(); !ok || c != ':' {
		return 0, false
	}
	c, ok := j.blank()
	return c, ok && c >= 0
}

func (j *jackson) comment() bool {
	if !j.opt.Comments {
		return false
	}
	kind, ok := j.grab()
	if !ok || kind != '/' && kind != '*' {
		return false
	}
	for j.more() {
		switch c := j.take(); {
		case kind == '*' && c == '*':
			if !j.more() {
				return false
			}
			if j.at(j.p) == '/' {
				j.p++
				return true
			}
		case c == '\n', c == '\r':
			if kind == '/' {
				return true
			}
		case c < ' ' && c != '\t':
			return false
		case !j.chars && c >= 0x80:
			if _, ok := j.character(c, false); !ok {
				return false
			}
		}
	}
	return kind == '/'
}

// character reads the rest of a character of UTF-8, of which lead is the first byte. Overlong forms pass; surrogates do where they are
// not asked for.
func (j *jackson) character(lead int, refuseSurrogates bool) (int, bool) {
	c, more := lead, 0
	switch {
	case lead&0xe0 == 0xc0:
		c, more = lead&0x1f, 1
	case lead&0xf0 == 0xe0:
		c, more = lead&0x0f, 2
	case lead&0xf8 == 0xf0:
		c, more = lead&0x07, 3
	default:
		return 0, false
	}
	for i := more; i > 0; i-- {
		d, ok := j.grab()
		if !ok || d&0xc0 != 0x80 {
			return 0, false
		}
		c = c<<6 | d&0x3f
	}
	if more == 2 && refuseSurrogates && c >= 0xd800 && c <= 0xdfff {
		return 0, false
	}
	return c, true
}

// add appends a character to the text in the way of Jackson's reader of bytes, in which a form of four bytes makes two units whatever it says.
func (j *jackson) add(c int, long bool) {
	if !long {
		j.text = append(j.text, uint16(c))
		return
	}
	c -= 0x10000
	j.text = append(j.text, uint16(0xd800|c>>10), uint16(0xdc00|c&0x3ff))
}

// finish reads the rest of a text up to its quote; keep says whether the text is wanted, which bounds its length.
func (j *jackson) finish(quote int, keep bool) bool {
	for j.text = j.text[:0]; ; {
		if !keep {
			j.text = j.text[:0]
		}
		c, ok := j.grab()
		switch {
		case !ok:
			return false
		case c == quote:
			return len(j.text) <= j.opt.longest()
		case c == '\\':
			if c, ok = j.escape(); !ok {
				return false
			}
			j.add(c, false)
		case c < ' ':
			if !j.opt.ControlChars {
				return false
			}
			j.add(c, false)
		case !j.chars && c >= 0x80:
			r, ok := j.character(c, keep)
			if !ok {
				return false
			}
			j.add(r, c >= 0xf0)
		default:
			j.add(c, false)
		}
	}
}

// escape reads what is behind a backslash.
func (j *jackson) escape() (int, bool) {
	c, ok := j.grab()
	if !ok {
		return 0, false
	}
	switch c {
	case 'b':
		return '\b', true
	case 't':
		return '\t', true
	case 'n':
		return '\n', true
	case 'f':
		return '\f', true
	case 'r':
		return '\r', true
	case '"', '/', '\\':
		return c, true
	case 'u':
		v := 0
		for range 4 {
			c, ok := j.grab()
			if !ok {
				return 0, false
			}
			digit := hexDigit(c & 0xff) // Jackson looks at eight bits of a character alone
			if digit < 0 {
				return 0, false
			}
			v = v<<4 | digit
		}
		return v, true
	}
	if c, ok = j.shown(c); !ok {
		return 0, false
	}
	return c & 0xffff, j.opt.AnyEscape || c == '\'' && j.opt.SingleQuotes
}

func hexDigit(c int) int {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return -1
}

// shown decodes a character for the text of an error, of which c is the first byte. It may fail itself.
func (j *jackson) shown(c int) (int, bool) {
	if j.chars || c < 0x80 {
		return c, true
	}
	return j.character(c, false)
}

// name reads a field name that begins with c.
func (j *jackson) name(c int) ([]byte, bool) {
	quote := c
	switch {
	case c == '"', c == '\'' && j.opt.SingleQuotes:
	case !j.opt.UnquotedNames:
		j.shown(c)
		return nil, false
	default:
		return j.bareName(c)
	}
	j.text = j.text[:0]
	var raw []byte
	for {
		c, ok := j.grab()
		if !ok {
			return nil, false
		}
		escaped := false
		switch {
		case c == quote:
			return j.nameOf(raw)
		case c == '\\':
			if c, ok = j.escape(); !ok {
				return nil, false
			}
			escaped = true
		case c < ' ' && !j.opt.ControlChars:
			return nil, false
		}
		switch {
		case j.chars:
			j.text = append(j.text, uint16(c))
			continue
		case !escaped:
			raw = append(raw, byte(c))
			continue
		case c >= 0xdc00 && c <= 0xdfff:
			return nil, false
		case c >= 0xd800 && c <= 0xdbff:
			// Only of names the reader of bytes asks that a pair be whole.
			if !j.more() || j.at(j.p) != '\\' {
				return nil, false
			}
			j.p++
			low, ok := j.escape()
			if !ok || low < 0xdc00 || low > 0xdfff {
				return nil, false
			}
			c = 0x10000 + (c-0xd800)<<10 + low - 0xdc00
		}
		raw = utf8.AppendRune(raw, rune(c))
	}
}

// bareName reads a name without quotes.
func (j *jackson) bareName(c int) ([]byte, bool) {
	part := func(c int) bool {
		if c < 256 {
			return c > ' ' && identifierPart(c) || c == '@' || c == '#' || c == '*' || c == '-' || c == '+'
		}
		return identifierPart(c)
	}
	if !part(c) {
		return nil, false
	}
	j.text = append(j.text[:0], uint16(c))
	raw := []byte{byte(c)}
	for {
		if !j.more() {
			if j.chars {
				break
			}
			return nil, false
		}
		if c = j.at(j.p); !part(c) {
			break
		}
		j.p++
		j.text = append(j.text, uint16(c))
		raw = append(raw, byte(c))
	}
	return j.nameOf(raw)
}

// nameOf ends a name: raw where bytes are read, else the text. The reader of bytes decodes a name only now.
func (j *jackson) nameOf(raw []byte) ([]byte, bool) {
	if j.chars {
		j.label = append(j.label[:0], j.text...)
		return appendUnits(nil, j.text), len(j.text) <= maxName
	}
	if len(raw) > maxName {
		return nil, false
	}
	if utf8.Valid(raw) {
		return raw, true
	}
	in := jackson{bytes: raw, end: len(raw)}
	for in.p < in.end {
		c := in.take()
		if c < 0x80 {
			in.add(c, false)
			continue
		}
		r, ok := in.character(c, true)
		if !ok {
			return nil, false
		}
		if c < 0xf0 {
			in.add(r, false)
		} else {
			in.text = append(in.text, uint16(0xd800+(r-0x10000)>>10), uint16(0xdc00|r&0x3ff))
		}
	}
	return appendUnits(nil, in.text), true
}

// value reads what begins with c: all of a word or a number, the first character of everything else.
func (j *jackson) value(c int) (token, bool) {
	switch c {
	case '"':
		j.unread = true
		return textToken, true
	case '[':
		return startArray, true
	case '{':
		return startObject, true
	case 't':
		return trueToken, j.match("true", 1)
	case 'f':
		return falseToken, j.match("false", 1)
	case 'n':
		return nullToken, j.match("null", 1)
	case '-':
		return j.signed()
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if j.chars {
			return j.numberOfChars(false, j.p-1, c)
		}
		return j.number(false, c)
	case '\'':
		if j.opt.SingleQuotes {
			return textToken, j.finish('\'', true)
		}
	case 'N':
		return j.notFinite("NaN", 1)
	case 'I':
		return j.notFinite("Infinity", 1)
	case '+':
		c, ok := j.grab()
		if !ok {
			return noToken, false
		}
		return j.oddNumber(c, false)
	}
	if c != '}' && identifierStart(c) {
		j.unknownWord(1)
	}
	return noToken, false
}

// match reads the rest of a word, of which i characters were read.
func (j *jackson) match(word string, i int) bool {
	for ; i < len(word); i++ {
		if !j.more() || j.at(j.p) != int(word[i]) {
			j.unknownWord(i)
			return false
		}
		j.p++
	}
	if !j.more() {
		return true
	}
	c := j.at(j.p)
	if c < '0' || c == ']' || c == '}' {
		return true
	}
	if c, ok := j.shown(c); !ok {
		return false
	} else if identifierPart(c & 0xffff) {
		j.unknownWord(i)
		return false
	}
	return true
}

// unknownWord steps over the rest of a word that is no JSON, as Jackson does to show it. n characters were read.
func (j *jackson) unknownWord(n int) {
	for j.more() {
		c := j.at(j.p)
		if j.chars {
			if !identifierPart(c) {
				return
			}
			j.p++
		} else {
			// The one that ends the word is lost.
			j.p++
			var ok bool
			if c, ok = j.shown(c); !ok || !identifierPart(c&0xffff) {
				return
			}
		}
		if n++; n >= maxToken {
			return
		}
	}
}

// notFinite reads the rest of a word for a number that is not finite.
func (j *jackson) notFinite(word string, i int) (token, bool) {
	if !j.match(word, i) || !j.opt.NonNumeric {
		return noToken, false
	}
	j.text = j.text[:0]
	for _, c := range word {
		j.text = append(j.text, uint16(c))
	}
	j.word = true
	return fractionToken, true
}

// oddNumber goes on where a sign is followed by something else than a digit.
func (j *jackson) oddNumber(c int, negative bool) (token, bool) {
	sign := "+"
	if negative {
		sign = "-"
	}
	if c == 'I' {
		switch c, _ := j.grab(); c {
		case 'N':
			return j.notFinite(sign+"INF", 3)
		case 'n':
			return j.notFinite(sign+"Infinity", 3)
		}
	}
	return noToken, false
}

func (j *jackson) signed() (token, bool) {
	if j.chars && j.p >= j.end {
		return j.numberAgain(true, j.p-1)
	}
	c, ok := j.grab()
	if !ok {
		return noToken, false
	}
	if c < '0' || c > '9' {
		if c == '.' {
			return noToken, false
		}
		return j.oddNumber(c, true)
	}
	if j.chars {
		return j.numberOfChars(true, j.p-2, c)
	}
	return j.number(true, c)
}

func digit(c int) bool { return c >= '0' && c <= '9' }

// numberIs ends a number with so many digits.
func (j *jackson) numberIs(t token, digits int) (token, bool) {
	j.word = false
	return t, digits <= maxNumber
}

// separated checks that a number at the root has a blank behind it, which is c.
func (j *jackson) separated(c int) bool {
	if j.inside().kind != noToken || c == '\r' {
		return true
	}
	j.p++
	return c == ' ' || c == '\t' || c == '\n'
}

// leadingZero goes on behind a zero, and gives the first digit that counts.
func (j *jackson) leadingZero() (int, bool) {
	if !j.more() || !digit(j.at(j.p)) {
		return '0', true
	}
	if !j.opt.LeadingZeros {
		return 0, false
	}
	c := j.take()
	for c == '0' && j.more() {
		if c = j.at(j.p); !digit(c) {
			return '0', true
		}
		j.p++
	}
	return c, true
}

// number reads a number in the way of the reader of bytes; c is its first digit.
func (j *jackson) number(negative bool, c int) (token, bool) {
	j.text = j.text[:0]
	if negative {
		j.text = append(j.text, '-')
	}
	if c == '0' {
		var ok bool
		if c, ok = j.leadingZero(); !ok {
			return noToken, false
		}
	}
	j.text = append(j.text, uint16(c))
	digits := 1
	for {
		var ok bool
		if c, ok = j.grab(); !ok {
			return j.numberIs(wholeToken, digits)
		}
		if !digit(c) {
			break
		}
		digits++
		j.text = append(j.text, uint16(c))
	}
	if c != '.' && c|0x20 != 'e' {
		j.p--
		if !j.separated(c) {
			return noToken, false
		}
		return j.numberIs(wholeToken, digits)
	}
	return j.fraction(c, digits)
}

// fraction goes on with a number at its point or its exponent, which is c.
func (j *jackson) fraction(c, digits int) (token, bool) {
	ended := false
	absent := 0
	if c != '.' {
		absent++
	} else {
		j.text = append(j.text, '.')
		from := digits
		for {
			var ok bool
			if c, ok = j.grab(); !ok {
				ended = true
				break
			}
			if !digit(c) {
				break
			}
			digits++
			j.text = append(j.text, uint16(c))
		}
		if digits == from {
			return noToken, false
		}
	}
	if ended || c|0x20 != 'e' {
		absent++
	} else {
		j.text = append(j.text, uint16(c))
		var ok bool
		if c, ok = j.grab(); !ok {
			return noToken, false
		}
		if c == '-' || c == '+' {
			j.text = append(j.text, uint16(c))
			if c, ok = j.grab(); !ok {
				return noToken, false
			}
		}
		from := digits
		for digit(c) {
			digits++
			j.text = append(j.text, uint16(c))
			if c, ok = j.grab(); !ok {
				ended = true
				break
			}
		}
		if digits == from {
			return noToken, false
		}
	}
	if !ended {
		j.p--
		if !j.separated(c) {
			return noToken, false
		}
	}
	if j.chars {
		digits -= absent // this way of the reader of characters has -1 for what is not there
	}
	return j.numberIs(fractionToken, digits)
}

// numberOfChars reads a number in the way of the reader of characters, which begins at start and whose first digit is c. Where an error
// is behind its point or its exponent, it goes on behind that. A number that does not end in what was loaded is read anew.
func (j *jackson) numberOfChars(negative bool, start, c int) (token, bool) {
	if c == '0' {
		return j.numberAgain(negative, start)
	}
	digits, p := 1, j.p
	// step takes the next character; it is false where no more was loaded.
	step := func() bool {
		if p >= j.end {
			return false
		}
		c = j.at(p)
		p++
		return true
	}
	// run takes digits and what is behind them.
	run := func() bool {
		for step() {
			if !digit(c) {
				return true
			}
			digits++
		}
		return false
	}
	if !run() {
		return j.numberAgain(negative, start)
	}
	t := wholeToken
	if c == '.' || c|0x20 == 'e' {
		t = fractionToken
		j.p = p
		if c == '.' {
			from := digits
			if !run() {
				return j.numberAgain(negative, start)
			}
			if digits == from {
				return noToken, false
			}
		}
		if c|0x20 == 'e' {
			if !step() || (c == '-' || c == '+') && !step() {
				return j.numberAgain(negative, start)
			}
			from := digits
			if digit(c) {
				digits++
				if !run() {
					return j.numberAgain(negative, start)
				}
			}
			if digits == from {
				return noToken, false
			}
		}
	}
	j.p = p - 1
	j.text = append(j.text[:0], j.units[start:j.p]...)
	if !j.separated(c) {
		return noToken, false
	}
	return j.numberIs(t, digits)
}

// numberAgain reads a number of characters from its start in the way of [jackson.number].
func (j *jackson) numberAgain(negative bool, start int) (token, bool) {
	j.p = start
	if negative {
		j.p++
	}
	c, ok := j.grab()
	if !ok {
		return noToken, false
	}
	if !digit(c) {
		return j.oddNumber(c, negative)
	}
	return j.number(negative, c)
}

// base64 reads the rest of a text as base64. Where it fails the text stays unread from there on.
func (j *jackson) base64() ([]byte, bool) {
	if !j.unread {
		// A text between single quotes was read as a whole.
		in := jackson{opt: j.opt, chars: true, units: append(append([]uint16(nil), j.text...), '"')}
		for _, u := range j.text {
			if u == '"' || u == '\\' {
				return nil, false
			}
		}
		in.unread = true
		return in.base64()
	}
	var out []byte
	for {
		c, ok := j.grab()
		for ok && c <= ' ' {
			c, ok = j.grab()
		}
		if !ok {
			return nil, false
		}
		if c == '"' {
			j.unread = false
			return out, true
		}
		data, ok := j.sixBits(c, 0)
		if !ok {
			return nil, false
		}
		if data < 0 {
			continue
		}
		padded := false
		for i := 1; i < 4 && !padded; i++ {
			if c, ok = j.grab(); !ok {
				return nil, false
			}
			if i >= 2 && c == '"' {
				j.p-- // the padding is missing
				return nil, false
			}
			v, ok := j.sixBits(c, i)
			if !ok {
				return nil, false
			}
			switch padded = v == padding && i >= 2; {
			case !padded:
				data = data<<6 | v
			case i == 3:
				out = append(out, byte(data>>10), byte(data>>2))
			default:
				if c, ok = j.grab(); !ok {
					return nil, false
				}
				if v, ok = j.sixBits(c, 3); !ok || v != padding {
					return nil, false
				}
				out = append(out, byte(data>>4))
			}
		}
		if !padded {
			out = append(out, byte(data>>16), byte(data>>8), byte(data))
		}
	}
}

// padding is what the padding of base64 stands for.
const padding = -2

// sixBits gives what the character c stands for in place i of four; it is less than 0 in the first place for an escaped blank, which is
// passed over. The reader of bytes has padding in places where it means nothing when it is escaped.
func (j *jackson) sixBits(c, i int) (int, bool) {
	early := i >= 2
	if c == '\\' {
		var ok bool
		if c, ok = j.escape(); !ok {
			return 0, false
		}
		if i == 0 && c <= ' ' {
			return padding, true
		}
		early = early || !j.chars
	}
	switch {
	case c >= 'A' && c <= 'Z':
		return c - 'A', true
	case c >= 'a' && c <= 'z':
		return c - 'a' + 26, true
	case c >= '0' && c <= '9':
		return c - '0' + 52, true
	case c == '+':
		return 62, true
	case c == '/':
		return 63, true
	}
	return padding, c == '=' && early
}

// identifierStart is Java's Character.isJavaIdentifierStart of a char.
func identifierStart(c int) bool {
	return unicode.In(rune(c), unicode.L, unicode.Nl, unicode.Sc, unicode.Pc)
}

// identifierPart is Java's Character.isJavaIdentifierPart of a char.
func identifierPart(c int) bool {
	switch {
	case c < 0x80 && c >= ' ' && c != 0x7f:
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || digit(c) || c == '_' || c == '$'
	case c <= 0x08, c >= 0x0e && c <= 0x1b, c >= 0x7f && c <= 0x9f:
		return true
	}
	return identifierStart(c) || unicode.In(rune(c), unicode.Nd, unicode.Mn, unicode.Mc, unicode.Cf)
}
