package timetext

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/spoonbill-go/spoonbill/internal/zoneid"
)

// Pattern is a compiled datetime pattern in Java's letters. Every letter that Spark takes is read but for g, which is written only, and the
// names of zones (z and v), of which those of UTC and of offsets are known; see [Pattern.UnknownZone] and [Pattern.NamesZone].
//
// Source: Spark's page "Datetime Patterns for Formatting and Parsing", DateTimeFormatterHelper, and java.time's DateTimeFormatterBuilder.
type Pattern struct {
	text  string
	items []item
	// era: with a G the letter y is the year of the era, else the proleptic year.
	era bool
}

type itemKind uint8

const (
	literal itemKind = iota
	letter
	optionalStart
	optionalEnd
)

type item struct {
	kind  itemKind
	text  string // of a literal
	char  byte   // of a letter
	count int
	// adjacent are the digits that fixed numbers right behind this number need.
	adjacent int
	// end is the index of the matching optionalEnd.
	end int
}

// Use says what a pattern is compiled for: Spark reads fewer letters than it writes.
type Use uint8

// The uses of a pattern.
const (
	// Either is for connectors, which read and write by one option.
	Either Use = iota
	// Parsing refuses E, F, q and Q, as Spark does, and g, which Spark reads.
	Parsing
	// Formatting takes every letter of Spark's page.
	Formatting
)

// Compile reads a pattern for an option of a connector.
func Compile(pattern string) (*Pattern, error) { return CompileFor(pattern, Either) }

// PatternError is a pattern that Spark refuses, with the condition by which it does.
type PatternError struct {
	// Condition is the name of Spark's condition.
	Condition string
	// Message says what is wrong.
	Message string
}

// Error implements error.
func (e *PatternError) Error() string { return e.Message }

// The conditions of patterns that Spark refuses. A pattern that Spark 2 took, by java.text.SimpleDateFormat, has one of its own.
const (
	patternOfSpark2   = "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION"
	patternOfWeeks    = "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_WEEK_BASED_PATTERN"
	patternCharacter  = "INVALID_DATETIME_PATTERN.ILLEGAL_CHARACTER"
	patternLength     = "INVALID_DATETIME_PATTERN.LENGTH"
	patternSuggestion = "INVALID_DATETIME_PATTERN.WITH_SUGGESTION"
	// patternUnread is of a letter that Spark reads and this package does not: it is refused, since the text would pass for unparsable.
	patternUnread = "SPOONBILL_UNSUPPORTED"
)

// legacy tells whether java.text.SimpleDateFormat takes a pattern: Spark then says that its meaning has changed, instead of what is wrong with it.
func legacy(pattern string) bool {
	quoted := false
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		if c == '\'' {
			quoted = !quoted // two quotes cancel, within a quotation and outside of one
			continue
		}
		if quoted || !isLetter(c) {
			continue
		}
		if strings.IndexByte("GyMwWDdFEuaHkKhmsSzZXYL", c) < 0 {
			return false
		}
		n := 1
		for i+1 < len(pattern) && pattern[i+1] == c {
			n++
			i++
		}
		if c == 'X' && n > 3 {
			return false
		}
	}
	return !quoted
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// longest are the letters of which Java takes no more than so many in a row; z and v have rules of their own.
var longest = map[byte]int{'G': 4, 'y': 6, 'M': 4, 'L': 4, 'E': 4, 'Q': 4, 'q': 4, 'a': 1, 'S': 9, 'X': 5, 'x': 5, 'Z': 5, 'd': 2, 'H': 2, 'h': 2, 'K': 2, 'k': 2, 'm': 2, 's': 2, 'D': 3, 'F': 1, 'V': 2, 'z': 4, 'v': 4, 'O': 4, 'g': 19}

// refusal tells why Spark does not take a run of letters, nil where it does.
func refusal(c byte, n int, pattern string, use Use) *PatternError {
	limit, known := longest[c]
	switch {
	case strings.IndexByte("YWwuec", c) >= 0:
		return &PatternError{patternOfWeeks, fmt.Sprintf("the letter %q of weeks in %q means nothing since Spark 3.0; use extract", c, pattern)}
	case strings.IndexByte("ABnNp", c) >= 0, use == Parsing && strings.IndexByte("EFqQ", c) >= 0, use == Either && strings.IndexByte("FqQgzv", c) >= 0:
		return &PatternError{patternCharacter, fmt.Sprintf("the pattern letter %q of %q is not supported here", c, pattern)}
	case use == Parsing && c == 'g':
		return &PatternError{patternUnread, fmt.Sprintf("the letter g, the modified Julian day, is written and not read; take it out of %q", pattern)}
	case n >= 5 && strings.IndexByte("GMLEQq", c) >= 0, c == 'y' && n > 6:
		return &PatternError{patternLength, fmt.Sprintf("%d letters %q in a row are too many in the pattern %q", n, c, pattern)}
	case !known:
		return &PatternError{patternSuggestion, fmt.Sprintf("the pattern letter %q of %q means nothing", c, pattern)}
	case n > limit, c == 'V' && n != 2, c == 'O' && n != 1 && n != 4, c == 'v' && n != 1 && n != 4:
		return &PatternError{patternSuggestion, fmt.Sprintf("%d letters %q in a row mean nothing in the pattern %q", n, c, pattern)}
	}
	return nil
}

// CompileFor reads a pattern for a use. Its error is a [*PatternError].
func CompileFor(pattern string, use Use) (*Pattern, error) {
	p, err := compile(pattern, use)
	if err == nil {
		return p, nil
	}
	if legacy(pattern) {
		err.Condition = patternOfSpark2
		err.Message += "; Spark 2 took this pattern, and Spark 3 and later do not"
	}
	return nil, err
}

func compile(pattern string, use Use) (*Pattern, *PatternError) {
	p := &Pattern{text: pattern}
	malformed := func(format string, args ...any) (*Pattern, *PatternError) {
		return nil, &PatternError{patternSuggestion, fmt.Sprintf(format, args...)}
	}
	var open []int
	for i := 0; i < len(pattern); {
		c := pattern[i]
		switch {
		case isLetter(c):
			n := 1
			for i+n < len(pattern) && pattern[i+n] == c {
				n++
			}
			if err := refusal(c, n, pattern, use); err != nil {
				return nil, err
			}
			p.era = p.era || c == 'G'
			if c == 'L' {
				c = 'M' // the month on its own, which English writes alike
			}
			p.items = append(p.items, item{kind: letter, char: c, count: n})
			i += n
		case c == '\'':
			var b strings.Builder
			j := i + 1
			for ; j < len(pattern); j++ {
				if pattern[j] == '\'' {
					if j+1 < len(pattern) && pattern[j+1] == '\'' {
						j++
					} else {
						break
					}
				}
				b.WriteByte(pattern[j])
			}
			if j >= len(pattern) {
				return malformed("a quote stays open in the pattern %q", pattern)
			}
			if j == i+1 {
				b.WriteByte('\'')
			}
			p.items = append(p.items, item{kind: literal, text: b.String()})
			i = j + 1
		case c == '[':
			open = append(open, len(p.items))
			p.items = append(p.items, item{kind: optionalStart})
			i++
		case c == ']':
			if len(open) == 0 {
				return malformed("a ] without [ in the pattern %q", pattern)
			}
			p.items[open[len(open)-1]].end = len(p.items)
			open = open[:len(open)-1]
			p.items = append(p.items, item{kind: optionalEnd})
			i++
		case c == '{' || c == '}' || c == '#':
			return malformed("%q is a reserved character in the pattern %q: put it between quotes", c, pattern)
		default:
			_, size := utf8.DecodeRuneInString(pattern[i:])
			p.items = append(p.items, item{kind: literal, text: pattern[i : i+size]})
			i += size
		}
	}
	// An open bracket at the end closes itself, as in Java.
	for k := len(open) - 1; k >= 0; k-- {
		p.items[open[k]].end = len(p.items)
		p.items = append(p.items, item{kind: optionalEnd})
	}
	for i := len(p.items) - 1; i > 0; i-- {
		if numeric(p.items[i]) && numeric(p.items[i-1]) && p.items[i].fixedWidth() {
			p.items[i-1].adjacent = p.items[i].adjacent + p.items[i].count
		}
	}
	return p, nil
}

// fixedWidth tells numbers that have exactly as many digits as letters.
func (it item) fixedWidth() bool {
	return it.count == 2 && strings.IndexByte("ydHhKkmsM", it.char) >= 0 || it.count == 3 && it.char == 'D'
}

func numeric(it item) bool {
	return it.kind == letter && (strings.IndexByte("ydDHhKkms", it.char) >= 0 || it.char == 'M' && it.count <= 2)
}

// String gives the pattern's text.
func (p *Pattern) String() string { return p.text }

// fields are the parts that a text gave; none for those that it did not.
type fields struct {
	year, month, day, dayOfYear, hour, hour12, minute, second, nano int
	pm, era                                                         int
	offset                                                          int
	loc                                                             *time.Location
	hasZone                                                         bool
	// unknown is the name of a zone that only Java's tables could read.
	unknown string
}

var monthNames = [...]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}

// MonthName gives the English name of a month, from 1 for January.
func MonthName(month int) string { return monthNames[month-1] }

// DayName gives the English name of a day of the week, from 0 for Monday.
func DayName(weekday int) string { return dayNames[weekday] }

var dayNames = [...]string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}

func (p *Pattern) parse(s string) (fields, bool) {
	f := fields{year: none, month: none, day: none, dayOfYear: none, hour: none, hour12: none, minute: none, second: none, nano: none, pm: none, era: none}
	pos, ok := p.run(s, 0, 0, len(p.items), &f)
	return f, ok && pos == len(s)
}

// none marks a part that the text did not give; no text has it.
const none = -1 << 62

func (p *Pattern) run(s string, pos, from, to int, f *fields) (int, bool) {
	for i := from; i < to; i++ {
		it := p.items[i]
		switch it.kind {
		case literal:
			n := foldedPrefix(s[pos:], it.text)
			if n < 0 {
				return pos, false
			}
			pos += n
		case optionalStart:
			saved := *f
			if next, ok := p.run(s, pos, i+1, it.end, f); ok {
				pos = next
			} else {
				*f = saved
			}
			i = it.end
		case letter:
			next, ok := it.parse(s, pos, f)
			if !ok {
				return pos, false
			}
			pos = next
		}
	}
	return pos, true
}

// foldedPrefix gives the length of a prefix of s that is text but for the case of letters, and -1 where there is none: Spark's formatters do not
// mind the case.
func foldedPrefix(s, text string) int {
	if strings.HasPrefix(s, text) {
		return len(text)
	}
	n := 0
	for _, r := range text {
		q, size := utf8.DecodeRuneInString(s[n:])
		if size == 0 || q != r && unicode.ToUpper(q) != unicode.ToUpper(r) && unicode.ToLower(q) != unicode.ToLower(r) {
			return -1
		}
		n += size
	}
	return n
}

// number reads between low and high digits.
func number(s string, pos, low, high int) (v, next int, ok bool) {
	n := 0
	for n < high && pos+n < len(s) && s[pos+n] >= '0' && s[pos+n] <= '9' {
		if v < 1<<40 { // more is out of every range
			v = v*10 + int(s[pos+n]-'0')
		}
		n++
	}
	return v, pos + n, n >= low
}

// widest is the most digits that java.time reads for a number.
const widest = 19

// digitsFor reads the digits of a number of at least low and at most high, less those that fixed neighbours need.
func (it item) digitsFor(s string, pos, low, high int) (v, next int, ok bool) {
	if it.adjacent > 0 && high > low {
		run := 0
		for run < high+it.adjacent && pos+run < len(s) && s[pos+run] >= '0' && s[pos+run] <= '9' {
			run++
		}
		high = max(low, min(high, run-it.adjacent))
	}
	return number(s, pos, low, high)
}

// put keeps a part; one that comes twice must be the same.
func put(into *int, v int) bool {
	if *into != none && *into != v {
		return false
	}
	*into = v
	return true
}

func (it item) parse(s string, pos int, f *fields) (int, bool) {
	// fixed reads exactly two digits for a doubled letter, else as many as there are.
	fixed := func(into *int, low, high int) (int, bool) {
		v, next, ok := number(s, pos, it.count, it.count)
		if it.count == 1 {
			v, next, ok = it.digitsFor(s, pos, 1, widest)
		}
		return next, ok && v >= low && v <= high && put(into, v)
	}
	switch it.char {
	case 'G':
		for i, names := range [...][2]string{{"BC", "Before Christ"}, {"AD", "Anno Domini"}} {
			name := names[0]
			if it.count == 4 {
				name = names[1]
			}
			if n := foldedPrefix(s[pos:], name); n > 0 {
				return pos + n, put(&f.era, i)
			}
		}
		return pos, false
	case 'y':
		return it.parseYear(s, pos, f)
	case 'M':
		if it.count <= 2 {
			return fixed(&f.month, 1, 12)
		}
		for i, n := range monthNames {
			if it.count == 3 {
				n = n[:3]
			}
			if k := foldedPrefix(s[pos:], n); k > 0 {
				return pos + k, put(&f.month, i+1)
			}
		}
		return pos, false
	case 'E':
		for _, n := range dayNames {
			if it.count < 4 {
				n = n[:3]
			}
			if k := foldedPrefix(s[pos:], n); k > 0 {
				return pos + k, true
			}
		}
		return pos, false
	case 'd':
		return fixed(&f.day, 1, 31)
	case 'D':
		low, high := it.count, 3
		if it.count == 1 {
			high = widest
		}
		v, next, ok := it.digitsFor(s, pos, low, high)
		return next, ok && v >= 1 && v <= 366 && put(&f.dayOfYear, v)
	case 'H':
		return fixed(&f.hour, 0, 23)
	case 'k', 'h':
		v, most := none, 24
		if it.char == 'h' {
			most = 12
		}
		next, ok := fixed(&v, 1, most)
		into := &f.hour
		if it.char == 'h' {
			into = &f.hour12
		}
		return next, ok && put(into, v%most)
	case 'K':
		return fixed(&f.hour12, 0, 11)
	case 'm':
		return fixed(&f.minute, 0, 59)
	case 's':
		return fixed(&f.second, 0, 59)
	case 'S':
		v, next, ok := number(s, pos, 1, it.count)
		for n := next - pos; n < 9; n++ {
			v *= 10
		}
		return next, ok && put(&f.nano, v)
	case 'a':
		for i, n := range [...]string{"AM", "PM"} {
			if k := foldedPrefix(s[pos:], n); k > 0 {
				return pos + k, put(&f.pm, i)
			}
		}
		return pos, false
	case 'X', 'x':
		return it.parseOffset(s, pos, f)
	case 'Z':
		if it.count == 4 {
			return parseLocalized(s, pos, true, f)
		}
		return it.parseOffset(s, pos, f)
	case 'O':
		return parseLocalized(s, pos, it.count == 4, f)
	case 'V', 'z', 'v':
		return it.parseZone(s, pos, f)
	}
	return pos, false
}

// parseYear reads a year by the sign rules of java.time: one or three letters take a minus, four and more a plus before more digits than letters.
func (it item) parseYear(s string, pos int, f *fields) (int, bool) {
	if it.count == 2 {
		v, next, ok := number(s, pos, 2, 2)
		return next, ok && put(&f.year, 2000+v)
	}
	sign, plus := 1, false
	start := pos
	if pos < len(s) && (s[pos] == '+' || s[pos] == '-') {
		if plus = s[pos] == '+'; plus && it.count < 4 {
			return pos, false
		}
		if !plus {
			sign = -1
		}
		pos++
	}
	v, next, ok := it.digitsFor(s, pos, it.count, widest)
	n := next - pos
	switch {
	case !ok, sign < 0 && v == 0:
		return start, false
	case it.count >= 4 && plus && n <= it.count, it.count >= 4 && !plus && sign > 0 && n > it.count:
		return start, false
	}
	return next, v <= 999_999_999 && put(&f.year, sign*v)
}

// setZone keeps a zone.
func (f *fields) setZone(offset int, loc *time.Location) bool {
	if f.hasZone && (f.offset != offset || f.loc != loc) {
		return false
	}
	f.offset, f.loc, f.hasZone = offset, loc, true
	return true
}

// parseZone reads a zone by its id. The names that z and v take besides are those of Java's tables, which only Java has.
func (it item) parseZone(s string, pos int, f *fields) (int, bool) {
	end := pos
	for end < len(s) && strings.IndexByte(" ,;]", s[end]) < 0 {
		end++
	}
	text := s[pos:end]
	if text == "" {
		return pos, false
	}
	off, loc, ok := zoneid.Lookup(text)
	if !ok {
		off, loc, ok = zoneid.Lookup(capitals(text))
	}
	if _, short := zoneid.Short(text); ok && short {
		ok = false // java.time's ids have none of the three letters
	}
	if ok && off != 0 && text[0] != '+' && text[0] != '-' && foldedPrefix(text, "UTC") < 0 && foldedPrefix(text, "GMT") < 0 && foldedPrefix(text, "UT") < 0 {
		ok = false
	}
	if !ok {
		if it.char != 'V' && isLetter(text[0]) {
			f.unknown = text
			return len(s), true
		}
		return pos, false
	}
	return end, f.setZone(off, loc)
}

// capitals writes the name of a region as the zone database does: Europe/Berlin.
func capitals(name string) string {
	b := []byte(strings.ToLower(name))
	if !strings.ContainsRune(name, '/') {
		return strings.ToUpper(name)
	}
	for i := range b {
		if i == 0 || b[i-1] == '/' || b[i-1] == '_' || b[i-1] == '-' {
			if b[i] >= 'a' && b[i] <= 'z' {
				b[i] -= 'a' - 'A'
			}
		}
	}
	return string(b)
}

// parseLocalized reads GMT, GMT+8 and GMT+8:30, in full GMT+08:00.
func parseLocalized(s string, pos int, full bool, f *fields) (int, bool) {
	n := foldedPrefix(s[pos:], "GMT")
	if n < 0 {
		return pos, false
	}
	pos += n
	if pos >= len(s) || s[pos] != '+' && s[pos] != '-' {
		return pos, f.setZone(0, nil)
	}
	sign := 1
	if s[pos] == '-' {
		sign = -1
	}
	low := 1
	if full {
		low = 2
	}
	h, next, ok := number(s, pos+1, low, 2)
	if !ok {
		return pos, false
	}
	parts := [2]int{}
	for k := range parts {
		if next >= len(s) || s[next] != ':' {
			if full && k == 0 {
				return pos, false
			}
			break
		}
		v, end, ok := number(s, next+1, 2, 2)
		if !ok {
			if full && k == 0 {
				return pos, false
			}
			break
		}
		parts[k], next = v, end
	}
	total := h*3600 + parts[0]*60 + parts[1]
	if parts[0] > 59 || parts[1] > 59 || total > 18*3600 {
		return pos, false
	}
	return next, f.setZone(sign*total, nil)
}

func (it item) parseOffset(s string, pos int, f *fields) (int, bool) {
	if (it.char == 'X' || it.char == 'Z' && it.count == 5) && pos < len(s) && (s[pos] == 'Z' || s[pos] == 'z') {
		return pos + 1, f.setZone(0, nil)
	}
	if pos >= len(s) || s[pos] != '+' && s[pos] != '-' {
		return pos, false
	}
	sign := 1
	if s[pos] == '-' {
		sign = -1
	}
	h, next, ok := number(s, pos+1, 2, 2)
	if !ok {
		return pos, false
	}
	colon := it.count == 3 && it.char != 'Z' || it.count == 5
	m, sec := 0, 0
	part := func(into *int) bool {
		at := next
		if colon {
			if at >= len(s) || s[at] != ':' {
				return false
			}
			at++
		}
		v, end, ok := number(s, at, 2, 2)
		if ok {
			*into, next = v, end
		}
		return ok
	}
	// One letter takes the minutes when they are there; two or more need them; four and five take seconds too.
	if !part(&m) && (it.count > 1 || it.char == 'Z') {
		return pos, false
	}
	if it.count >= 4 {
		part(&sec)
	}
	total := h*3600 + m*60 + sec
	if m > 59 || sec > 59 || total > 18*3600 {
		return pos, false
	}
	return next, f.setZone(sign*total, nil)
}

// date gives the day of the fields. Missing parts are 1970-01-01's, as in Spark's formatter.
func (f *fields) date(era bool) (int32, bool) {
	year := f.year
	if year != none && era {
		if year < 1 {
			return 0, false // a year of an era
		}
		if f.era == 0 {
			year = 1 - year
		}
	}
	known := year != none
	if !known {
		year = 1970
	}
	if f.dayOfYear != none && (f.month == none || known && f.day == none) {
		first, ok := DaysOf(year, 1, 1)
		next, _ := DaysOf(year+1, 1, 1)
		d := first + int32(f.dayOfYear) - 1
		if _, m, _ := CivilOf(int64(d)); f.month != none && m != f.month {
			return 0, false
		} else if _, _, day := CivilOf(int64(d)); f.day != none && day != f.day {
			return 0, false
		}
		return d, ok && d < next
	}
	m, d := f.month, f.day
	if m == none {
		m = 1
	}
	if d == none {
		d = 1
	}
	out, ok := DaysOf(year, m, d)
	if ok && known && f.dayOfYear != none {
		ok = out == int32(DayNumber(year, 1, 1))+int32(f.dayOfYear)-1
	}
	return out, ok
}

func or(v, other int) int {
	if v == none {
		return other
	}
	return v
}

func (f *fields) wall(era bool) (sec, micros int64, ok bool) {
	days, ok := f.date(era)
	if !ok {
		return 0, 0, false
	}
	h := f.hour
	switch {
	case h != none:
		// What else the text says of the hour must agree.
		if f.pm != none && f.pm != h/12 || f.hour12 != none && f.hour12 != h%12 {
			return 0, 0, false
		}
	case f.hour12 != none:
		h = f.hour12 + 12*max(f.pm, 0)
	default:
		h = 12 * max(f.pm, 0)
	}
	return int64(days)*86_400 + int64(h*3600+or(f.minute, 0)*60+or(f.second, 0)), int64(or(f.nano, 0) / 1000), true
}

// ParseDate reads a date; a time of day in the pattern is read and dropped.
func (p *Pattern) ParseDate(s string) (int32, bool) {
	f, ok := p.parse(s)
	if !ok || f.unknown != "" {
		return 0, false
	}
	return f.date(p.era)
}

// ParseTimestamp reads an instant; text without zone is of z.
func (p *Pattern) ParseTimestamp(s string, z *Zone) (int64, bool) {
	f, ok := p.parse(s)
	if !ok || f.unknown != "" {
		return 0, false
	}
	sec, micros, ok := f.wall(p.era)
	if !ok {
		return 0, false
	}
	switch {
	case f.hasZone && f.loc == nil:
		sec -= int64(f.offset)
	case f.hasZone:
		sec = NewZone(f.loc).ToInstant(sec)
	default:
		sec = z.ToInstant(sec)
	}
	return addMicros(sec, micros)
}

// ParseTimestampNTZ reads a wall clock; text with a zone is refused.
func (p *Pattern) ParseTimestampNTZ(s string) (int64, bool) { return p.parseNTZ(s, false) }

// ParseWallClock is [Pattern.ParseTimestampNTZ] that drops a zone.
func (p *Pattern) ParseWallClock(s string) (int64, bool) { return p.parseNTZ(s, true) }

// UnknownZone gives the name of a zone in a text that the pattern would read if the name were known: one of Java's, such as Central European Time.
func (p *Pattern) UnknownZone(s string) (string, bool) {
	f, _ := p.parse(s)
	return f.unknown, f.unknown != ""
}

func (p *Pattern) parseNTZ(s string, dropZone bool) (int64, bool) {
	f, ok := p.parse(s)
	if !ok || f.unknown != "" || f.hasZone && !dropZone {
		return 0, false
	}
	sec, micros, ok := f.wall(p.era)
	if !ok {
		return 0, false
	}
	return addMicros(sec, micros)
}

// AppendTimestamp writes an instant on the wall clock of z.
func (p *Pattern) AppendTimestamp(dst []byte, micros int64, z *Zone) []byte {
	off := z.OffsetAt(FloorDiv(micros, MicrosPerSecond))
	days, rest := split(micros + off*MicrosPerSecond)
	return p.append(dst, days, rest, int(off), z.loc.String(), true)
}

// AppendTimestampNTZ writes a wall clock; the parts that need a zone are left out when optional.
func (p *Pattern) AppendTimestampNTZ(dst []byte, micros int64) []byte {
	days, rest := split(micros)
	return p.append(dst, days, rest, 0, "", false)
}

// AppendDate writes a date at midnight.
func (p *Pattern) AppendDate(dst []byte, days int64) []byte {
	return p.append(dst, days, 0, 0, "", false)
}

func split(micros int64) (days, rest int64) {
	days = FloorDiv(micros, MicrosPerDay)
	return days, micros - days*MicrosPerDay
}

func (p *Pattern) append(dst []byte, days, rest int64, off int, zone string, hasZone bool) []byte {
	y, mo, d := CivilOf(days)
	sec := int(rest / MicrosPerSecond)
	micros := int(rest % MicrosPerSecond)
	for i := 0; i < len(p.items); i++ {
		it := p.items[i]
		switch it.kind {
		case literal:
			dst = append(dst, it.text...)
		case optionalStart:
			if !hasZone && p.needsZone(i+1, it.end) {
				i = it.end
			}
		case letter:
			switch it.char {
			case 'G':
				name := [...]string{"AD", "BC", "Anno Domini", "Before Christ"}[map[bool]int{true: 1}[y < 1]+map[bool]int{true: 2}[it.count == 4]]
				dst = append(dst, name...)
			case 'y':
				v := y
				if p.era && y < 1 {
					v = 1 - y
				}
				switch {
				case it.count == 2 && p.era:
					dst = appendPadded(dst, v%100, 2)
				case it.count == 2:
					dst = appendPadded(dst, max(v, -v)%100, 2)
				default:
					dst = appendYearWidth(dst, v, it.count)
				}
			case 'Q', 'q':
				q := (mo + 2) / 3
				switch it.count {
				case 1, 2:
					dst = appendPadded(dst, q, it.count)
				case 3:
					dst = append(dst, 'Q', byte('0'+q))
				default:
					dst = append(dst, [...]string{"1st quarter", "2nd quarter", "3rd quarter", "4th quarter"}[q-1]...)
				}
			case 'F':
				dst = appendPadded(dst, (d-1)%7+1, 1)
			case 'g':
				dst = appendYearWidth(dst, int(days)+40_587, min(it.count, 3))
			case 'M':
				switch it.count {
				case 1, 2:
					dst = appendPadded(dst, mo, it.count)
				case 3:
					dst = append(dst, monthNames[mo-1][:3]...)
				default:
					dst = append(dst, monthNames[mo-1]...)
				}
			case 'd':
				dst = appendPadded(dst, d, it.count)
			case 'D':
				first := DayNumber(y, 1, 1)
				dst = appendPadded(dst, int(days-first)+1, it.count)
			case 'E':
				name := dayNames[((days+3)%7+7)%7]
				if it.count < 4 {
					name = name[:3]
				}
				dst = append(dst, name...)
			case 'a':
				if sec < 43_200 {
					dst = append(dst, "AM"...)
				} else {
					dst = append(dst, "PM"...)
				}
			case 'H':
				dst = appendPadded(dst, sec/3600, it.count)
			case 'k':
				dst = appendPadded(dst, (sec/3600+23)%24+1, it.count)
			case 'K':
				dst = appendPadded(dst, sec/3600%12, it.count)
			case 'h':
				dst = appendPadded(dst, (sec/3600+11)%12+1, it.count)
			case 'm':
				dst = appendPadded(dst, sec/60%60, it.count)
			case 's':
				dst = appendPadded(dst, sec%60, it.count)
			case 'S':
				v, n := micros, 6
				for ; n > it.count; n-- {
					v /= 10
				}
				for ; n < it.count; n++ {
					v *= 10
				}
				dst = appendPadded(dst, v, it.count)
			case 'X', 'x', 'Z':
				if hasZone {
					dst = it.appendOffset(dst, off)
				}
			case 'O':
				if hasZone {
					dst = appendLocalized(dst, off, it.count == 4)
				}
			case 'V':
				dst = append(dst, zone...)
			case 'z', 'v':
				if zone == "UTC" && it.count == 4 {
					dst = append(dst, "Coordinated Universal Time"...)
				} else {
					dst = append(dst, zone...)
				}
			}
		}
	}
	return dst
}

func appendYearWidth(dst []byte, y, width int) []byte {
	switch {
	case y < 0:
		dst = append(dst, '-')
		y = -y
	case width >= 4 && y >= pow10(width):
		dst = append(dst, '+')
	}
	return appendPadded(dst, y, width)
}

func pow10(n int) int {
	out := 1
	for range n {
		out *= 10
	}
	return out
}

// NamesZone tells whether the pattern writes the name of a zone (z or v). Of Java's names only those of UTC are known here.
func (p *Pattern) NamesZone() bool {
	for _, it := range p.items {
		if it.kind == letter && (it.char == 'z' || it.char == 'v') {
			return true
		}
	}
	return false
}

// appendLocalized writes GMT+8, in full GMT+08:00.
func appendLocalized(dst []byte, off int, full bool) []byte {
	dst = append(dst, "GMT"...)
	if off == 0 {
		return dst
	}
	sign := byte('+')
	if off < 0 {
		sign, off = '-', -off
	}
	h, m, sec := off/3600, off/60%60, off%60
	dst = append(dst, sign)
	if full {
		dst = appendPadded(dst, h, 2)
	} else {
		dst = appendPadded(dst, h, 1)
	}
	if full || m != 0 || sec != 0 {
		dst = appendPadded(append(dst, ':'), m, 2)
	}
	if sec != 0 {
		dst = appendPadded(append(dst, ':'), sec, 2)
	}
	return dst
}

func (p *Pattern) needsZone(from, to int) bool {
	for _, it := range p.items[from:to] {
		if it.kind == letter && strings.IndexByte("XxZVOzv", it.char) >= 0 {
			return true
		}
	}
	return false
}

func (it item) appendOffset(dst []byte, off int) []byte {
	if it.char == 'Z' && it.count == 4 {
		return appendLocalized(dst, off, true)
	}
	if off == 0 && (it.char == 'X' || it.char == 'Z' && it.count == 5) {
		return append(dst, 'Z')
	}
	sign := byte('+')
	if off < 0 {
		sign = '-'
		off = -off
	}
	colon := it.char != 'Z' && (it.count == 3 || it.count == 5) || it.char == 'Z' && it.count == 5
	h, m, s := off/3600, off/60%60, off%60
	dst = append(dst, sign)
	dst = appendPadded(dst, h, 2)
	if it.char != 'Z' && it.count == 1 && m == 0 {
		return dst
	}
	if colon {
		dst = append(dst, ':')
	}
	dst = appendPadded(dst, m, 2)
	if s != 0 && it.count >= 4 {
		if colon {
			dst = append(dst, ':')
		}
		dst = appendPadded(dst, s, 2)
	}
	return dst
}
