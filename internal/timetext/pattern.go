package timetext

import (
	"fmt"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/internal/zoneid"
)

// Pattern is a compiled date pattern in Java's letters, as the options timestampFormat and dateFormat take it. Supported are
// y M d D E a H h K k m s S X x Z V with literals, quotes and optional parts; other letters are refused by [Compile], as Spark
// refuses those of weeks, u among them.
//
// Source: Spark's page "Datetime Patterns for Formatting and Parsing".
type Pattern struct {
	text  string
	items []item
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

// Compile reads a pattern.
func Compile(pattern string) (*Pattern, error) {
	p := &Pattern{text: pattern}
	var open []int
	for i := 0; i < len(pattern); {
		c := pattern[i]
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			n := 1
			for i+n < len(pattern) && pattern[i+n] == c {
				n++
			}
			if limit := strings.IndexByte("yMdDEaHhKkmsSXxZV", c); limit < 0 {
				return nil, fmt.Errorf("the pattern letter %q of %q is not supported here", c, pattern)
			}
			if bad := c == 'E' && n > 4 || c == 'a' && n > 1 || c == 'M' && n > 4 || c == 'S' && n > 9 || (c == 'X' || c == 'x' || c == 'Z') && n > 5 ||
				c == 'V' && n != 2 || strings.IndexByte("dHhKkms", c) >= 0 && n > 2 || c == 'D' && n > 3 || c == 'y' && n > 6; bad {
				return nil, fmt.Errorf("%d letters %q in a row mean nothing in the pattern %q", n, c, pattern)
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
				return nil, fmt.Errorf("a quote stays open in the pattern %q", pattern)
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
				return nil, fmt.Errorf("a ] without [ in the pattern %q", pattern)
			}
			p.items[open[len(open)-1]].end = len(p.items)
			open = open[:len(open)-1]
			p.items = append(p.items, item{kind: optionalEnd})
			i++
		case c == '{' || c == '}' || c == '#':
			return nil, fmt.Errorf("%q is a reserved character in the pattern %q: put it between quotes", c, pattern)
		default:
			p.items = append(p.items, item{kind: literal, text: pattern[i : i+1]})
			i++
		}
	}
	// An open bracket at the end closes itself, as in Java.
	for k := len(open) - 1; k >= 0; k-- {
		p.items[open[k]].end = len(p.items)
		p.items = append(p.items, item{kind: optionalEnd})
	}
	for i := len(p.items) - 1; i > 0; i-- {
		if numeric(p.items[i]) && numeric(p.items[i-1]) && p.items[i].count > 1 {
			p.items[i-1].adjacent = p.items[i].adjacent + p.items[i].count
		}
	}
	return p, nil
}

func numeric(it item) bool {
	return it.kind == letter && (strings.IndexByte("ydDHhKkms", it.char) >= 0 || it.char == 'M' && it.count <= 2)
}

// String gives the pattern's text.
func (p *Pattern) String() string { return p.text }

// fields are the parts that a text gave; -1 for none.
type fields struct {
	year, month, day, dayOfYear, hour, hour12, minute, second, nano int
	pm                                                              int
	offset                                                          int
	loc                                                             *time.Location
	hasZone                                                         bool
}

var monthNames = [...]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
var dayNames = [...]string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}

func (p *Pattern) parse(s string) (fields, bool) {
	f := fields{year: noField, month: -1, day: -1, dayOfYear: -1, hour: -1, hour12: -1, minute: -1, second: -1, nano: -1, pm: -1}
	pos, ok := p.run(s, 0, 0, len(p.items), &f)
	return f, ok && pos == len(s)
}

// noField marks a year that the text did not give; no text has it.
const noField = -1 << 31

func (p *Pattern) run(s string, pos, from, to int, f *fields) (int, bool) {
	for i := from; i < to; i++ {
		it := p.items[i]
		switch it.kind {
		case literal:
			if !strings.HasPrefix(s[pos:], it.text) {
				return pos, false
			}
			pos += len(it.text)
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

// number reads between low and high digits.
func number(s string, pos, low, high int) (v, next int, ok bool) {
	n := 0
	for n < high && pos+n < len(s) && s[pos+n] >= '0' && s[pos+n] <= '9' {
		v = v*10 + int(s[pos+n]-'0')
		n++
	}
	return v, pos + n, n >= low
}

func (it item) parse(s string, pos int, f *fields) (int, bool) {
	// fixed reads exactly two digits for a doubled letter, else as many as there are less those that neighbours need.
	fixed := func(into *int) (int, bool) {
		low, high := it.count, it.count
		if it.count == 1 {
			low, high = 1, 9
			if it.adjacent > 0 {
				run := 0
				for pos+run < len(s) && s[pos+run] >= '0' && s[pos+run] <= '9' {
					run++
				}
				high = min(9, run-it.adjacent)
			}
		}
		v, next, ok := number(s, pos, low, high)
		*into = v
		return next, ok
	}
	switch it.char {
	case 'y':
		if it.count == 2 {
			v, next, ok := number(s, pos, 2, 2)
			f.year = 2000 + v
			return next, ok
		}
		sign, plus := 1, false
		if pos < len(s) && (s[pos] == '+' || s[pos] == '-') {
			if s[pos] == '-' {
				sign = -1
			}
			plus = s[pos] == '+'
			pos++
		}
		width := max(it.count, 1)
		high := width
		if plus || it.count < 4 {
			high = 6
		}
		v, next, ok := number(s, pos, width, high)
		if plus && next-pos <= width && it.count >= 4 {
			return pos, false
		}
		f.year = sign * v
		return next, ok
	case 'M':
		if it.count <= 2 {
			return fixed(&f.month)
		}
		for i, n := range monthNames {
			if it.count == 3 {
				n = n[:3]
			}
			if strings.HasPrefix(s[pos:], n) {
				f.month = i + 1
				return pos + len(n), true
			}
		}
		return pos, false
	case 'E':
		for _, n := range dayNames {
			if it.count < 4 {
				n = n[:3]
			}
			if strings.HasPrefix(s[pos:], n) {
				return pos + len(n), true
			}
		}
		return pos, false
	case 'd':
		return fixed(&f.day)
	case 'D':
		v, next, ok := number(s, pos, it.count, 3)
		f.dayOfYear = v
		return next, ok
	case 'H':
		return fixed(&f.hour)
	case 'k':
		next, ok := fixed(&f.hour)
		if f.hour == 24 {
			f.hour = 0
		} else if f.hour == 0 {
			return pos, false
		}
		return next, ok
	case 'h':
		next, ok := fixed(&f.hour12)
		if f.hour12 < 1 || f.hour12 > 12 {
			return pos, false
		}
		f.hour12 %= 12
		return next, ok
	case 'K':
		next, ok := fixed(&f.hour12)
		return next, ok && f.hour12 < 12
	case 'm':
		return fixed(&f.minute)
	case 's':
		return fixed(&f.second)
	case 'S':
		v, next, ok := number(s, pos, 1, it.count)
		for n := next - pos; n < 9; n++ {
			v *= 10
		}
		f.nano = v
		return next, ok
	case 'a':
		for i, n := range [...]string{"AM", "PM"} {
			if strings.HasPrefix(s[pos:], n) {
				f.pm = i
				return pos + 2, true
			}
		}
		return pos, false
	case 'X', 'x', 'Z':
		return it.parseOffset(s, pos, f)
	case 'V':
		end := pos
		for end < len(s) && strings.IndexByte(" ,;]", s[end]) < 0 {
			end++
		}
		off, loc, ok := zoneid.Lookup(s[pos:end])
		f.offset, f.loc, f.hasZone = off, loc, true
		return end, ok
	}
	return pos, false
}

func (it item) parseOffset(s string, pos int, f *fields) (int, bool) {
	if (it.char == 'X' || it.char == 'Z' && it.count == 5) && pos < len(s) && s[pos] == 'Z' {
		f.offset, f.loc, f.hasZone = 0, nil, true
		return pos + 1, true
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
	colon := it.char != 'Z' && (it.count == 3 || it.count == 5) || it.char == 'Z' && it.count == 5
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
	f.offset, f.loc, f.hasZone = sign*total, nil, true
	return next, true
}

// date gives the day of the fields. Missing parts are 1970-01-01's, as in Spark's formatter.
func (f *fields) date() (int32, bool) {
	year := f.year
	if year == noField {
		year = 1970
	}
	if f.dayOfYear >= 0 && f.month < 0 {
		first, ok := DaysOf(year, 1, 1)
		next, _ := DaysOf(year+1, 1, 1)
		d := first + int32(f.dayOfYear) - 1
		return d, ok && f.dayOfYear > 0 && d < next
	}
	m, d := f.month, f.day
	if m < 0 {
		m = 1
	}
	if d < 0 {
		d = 1
	}
	return DaysOf(year, m, d)
}

func (f *fields) wall() (sec, micros int64, ok bool) {
	days, ok := f.date()
	if !ok {
		return 0, 0, false
	}
	h := f.hour
	if h < 0 && f.hour12 >= 0 {
		h = f.hour12
		if f.pm == 1 {
			h += 12
		}
	}
	h, m, s := max(h, 0), max(f.minute, 0), max(f.second, 0)
	if h > 23 || m > 59 || s > 59 {
		return 0, 0, false
	}
	return int64(days)*86_400 + int64(h*3600+m*60+s), int64(max(f.nano, 0) / 1000), true
}

// ParseDate reads a date; a time of day in the pattern is read and dropped.
func (p *Pattern) ParseDate(s string) (int32, bool) {
	f, ok := p.parse(s)
	if !ok {
		return 0, false
	}
	return f.date()
}

// ParseTimestamp reads an instant; text without zone is of z.
func (p *Pattern) ParseTimestamp(s string, z *Zone) (int64, bool) {
	f, ok := p.parse(s)
	if !ok {
		return 0, false
	}
	sec, micros, ok := f.wall()
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
func (p *Pattern) ParseTimestampNTZ(s string) (int64, bool) {
	f, ok := p.parse(s)
	if !ok || f.hasZone {
		return 0, false
	}
	sec, micros, ok := f.wall()
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
			case 'y':
				switch {
				case it.count == 2:
					dst = appendPadded(dst, ((y%100)+100)%100, 2)
				case it.count >= 4:
					dst = appendYearWidth(dst, y, it.count)
				default:
					dst = fmt.Appendf(dst, "%0*d", it.count, y)
				}
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
			case 'V':
				dst = append(dst, zone...)
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
	case width == 4 && y > 9999:
		dst = append(dst, '+')
	}
	return appendPadded(dst, y, width)
}

func (p *Pattern) needsZone(from, to int) bool {
	for _, it := range p.items[from:to] {
		if it.kind == letter && strings.IndexByte("XxZV", it.char) >= 0 {
			return true
		}
	}
	return false
}

func (it item) appendOffset(dst []byte, off int) []byte {
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
