package json

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"github.com/spoonbill-go/spoonbill/internal/javatext"
)

// scanner reads the tokens of one record. The grammar is Jackson's, which Spark configures: RFC 8259 plus the wider forms of the
// options. Positions are indexes into buf. What it refuses is read again by [jackson], so it may refuse what is rare.
type scanner struct {
	buf []byte
	opt *Options
	// chars is set where Spark reads characters instead of bytes: broken UTF-8 is then replaced, not refused.
	chars bool
	// depth is how many arrays and objects are open around the value that is read.
	depth int
	// half is set when a text had half a pair of surrogates.
	half bool
	// scratch holds a text that had escapes; it is overwritten by the next one.
	scratch []byte
}

// maxDepth is how deep arrays and objects may nest: Jackson's StreamReadConstraints.DEFAULT_MAX_DEPTH.
const maxDepth = 1000

// maxNumber is how long a number may be: Jackson's StreamReadConstraints.DEFAULT_MAX_NUM_LEN.
const maxNumber = 1000

// maxText is how many characters a text may have that is read: Jackson's StreamReadConstraints.DEFAULT_MAX_STRING_LEN.
const maxText = 20_000_000

// space skips blanks, and comments where they are allowed.
func (s *scanner) space(p int) int {
	for p < len(s.buf) {
		switch s.buf[p] {
		case ' ', '\t', '\n', '\r':
			p++
			continue
		case '/':
			if s.opt.Comments {
				if next, ok := s.comment(p); ok {
					p = next
					continue
				}
			}
		}
		return p
	}
	return p
}

func (s *scanner) comment(p int) (int, bool) {
	rest := s.buf[p:]
	end := -1
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		if end = bytes.IndexAny(rest, "\n\r"); end < 0 {
			end = len(rest)
		}
	case bytes.HasPrefix(rest, []byte("/*")):
		if i := bytes.Index(rest[2:], []byte("*/")); i >= 0 {
			end = i + 4
		}
	}
	if end < 0 {
		return p, false
	}
	for _, c := range rest[:end] {
		if c >= 0x80 || c < ' ' && c != '\t' && c != '\n' && c != '\r' {
			return p, false
		}
	}
	return p + end, true
}

// at gives the byte at p, or 0 at the end. A real 0 byte is an error in every place where at is asked, so the two need no telling apart.
func (s *scanner) at(p int) byte {
	if p < len(s.buf) {
		return s.buf[p]
	}
	return 0
}

// quote tells whether a text begins at p.
func (s *scanner) quote(p int) bool {
	c := s.at(p)
	return c == '"' || c == '\'' && s.opt.SingleQuotes
}

// plainByte marks the bytes of a text that stand for themselves and are ASCII.
var plainByte = func() (t [256]bool) {
	for c := 0x20; c < 0x80; c++ {
		t[c] = c != '"' && c != '\\' && c != '\''
	}
	return t
}()

const (
	lows  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special has the top bit set in each byte of x that plainByte refuses. A byte behind the first such byte may be marked without
// reason, for a borrow can run on.
func special(x uint64) uint64 {
	a, b, c := x^(lows*'"'), x^(lows*'\\'), x^(lows*'\'')
	return ((a-lows)&^a | (b-lows)&^b | (c-lows)&^c | (x-lows*0x20)&^x | x) & highs
}

// text reads the text that begins at p. The bytes are good until the next call.
func (s *scanner) text(p int) (content []byte, next int, ok bool) {
	buf := s.buf
	q := buf[p]
	p++
	start := p
	high := byte(0)
	for p < len(buf) {
		// Eight bytes at a time, up to the first one that is not plain.
		for p+8 <= len(buf) {
			if m := special(binary.LittleEndian.Uint64(buf[p:])); m == 0 {
				p += 8
			} else {
				p += bits.TrailingZeros64(m) >> 3
				break
			}
		}
		if p == len(buf) {
			break
		}
		c := buf[p]
		if plainByte[c] {
			p++
			continue
		}
		switch {
		case c == q:
			content = buf[start:p]
			if len(content) > s.opt.longest() {
				return nil, p, false
			}
			if high != 0 && !utf8.Valid(content) {
				if !s.chars {
					return nil, p, false
				}
				content = javatext.ReplaceInvalid(s.scratch[:0], content)
				s.scratch = content
			}
			return content, p + 1, true
		case c == '\\':
			return s.escaped(start, p, q)
		case c < 0x20:
			if !s.opt.ControlChars {
				return nil, p, false
			}
		default:
			high |= c & 0x80
		}
		p++
	}
	return nil, p, false
}

// escaped goes on with [scanner.text] at the first backslash.
func (s *scanner) escaped(start, p int, q byte) ([]byte, int, bool) {
	buf := s.buf
	out := append(s.scratch[:0], buf[start:p]...)
	defer func() { s.scratch = out[:0] }()
	for p < len(buf) {
		c := buf[p]
		switch {
		case c == q:
			if len(out) > s.opt.longest() {
				return nil, p, false
			}
			if !utf8.Valid(out) {
				if !s.chars {
					return nil, p, false
				}
				out = javatext.ReplaceInvalid(nil, out)
			}
			return out, p + 1, true
		case c < 0x20 && !s.opt.ControlChars:
			return nil, p, false
		case c != '\\':
			out = append(out, c)
			p++
			continue
		}
		if p++; p >= len(buf) {
			return nil, p, false
		}
		switch e := buf[p]; e {
		case '"', '\\', '/':
			out = append(out, e)
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r, next, ok := s.hex(p + 1)
			if !ok {
				return nil, p, false
			}
			p = next
			if r >= 0xd800 && r < 0xe000 {
				// A pair makes one character. Half a pair becomes a question mark when Java encodes it as UTF-8.
				low, after, ok := rune(0), p, false
				if r < 0xdc00 && p+1 < len(buf) && buf[p] == '\\' && buf[p+1] == 'u' {
					low, after, ok = s.hex(p + 2)
				}
				if ok && low >= 0xdc00 && low < 0xe000 {
					out = utf8.AppendRune(out, 0x10000+(r-0xd800)<<10+(low-0xdc00))
					p = after
				} else {
					s.half = true
					out = append(out, '?')
				}
			} else {
				out = utf8.AppendRune(out, r)
			}
			continue
		default:
			if !(s.opt.AnyEscape && e < 0x80 || e == '\'' && s.opt.SingleQuotes) {
				return nil, p, false
			}
			out = append(out, e)
		}
		p++
	}
	return nil, p, false
}

// hex reads four hexadecimal digits.
func (s *scanner) hex(p int) (rune, int, bool) {
	var r rune
	for range 4 {
		if p >= len(s.buf) {
			return 0, p, false
		}
		c := s.buf[p]
		p++
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, p, false
		}
	}
	return r, p, true
}

// numberKind tells what a number token is.
type numberKind uint8

const (
	noNumber numberKind = iota
	whole
	fraction
	word // NaN and the infinities
)

// number reads the number that begins at p.
func (s *scanner) number(p int) (next int, kind numberKind) {
	buf := s.buf
	start := p
	if c := buf[p]; c == '-' || c == '+' || c == 'N' || c == 'I' {
		if s.opt.NonNumeric {
			for _, w := range [...]string{"NaN", "Infinity", "-Infinity", "+Infinity", "-INF", "+INF"} {
				if len(buf)-p >= len(w) && string(buf[p:p+len(w)]) == w && !nameByte(s.at(p+len(w))) {
					return p + len(w), word
				}
			}
		}
		if c != '-' {
			return p, noNumber
		}
		p++
	}
	digits := p
	for p < len(buf) && buf[p]-'0' <= 9 {
		p++
	}
	if p == digits {
		return start, noNumber
	}
	if buf[digits] == '0' && p-digits > 1 && !s.opt.LeadingZeros {
		return start, noNumber
	}
	kind = whole
	if s.at(p) == '.' {
		kind = fraction
		p++
		from := p
		for p < len(buf) && buf[p]-'0' <= 9 {
			p++
		}
		if p == from {
			return start, noNumber
		}
	}
	if c := s.at(p); c == 'e' || c == 'E' {
		kind = fraction
		p++
		if c := s.at(p); c == '+' || c == '-' {
			p++
		}
		from := p
		for p < len(buf) && buf[p]-'0' <= 9 {
			p++
		}
		if p == from {
			return start, noNumber
		}
	}
	if p-start > maxNumber {
		return start, noNumber
	}
	return p, kind
}

// nameByte tells whether a byte can go on a word, so that NaNs is no NaN.
func nameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= 0x80
}

// name reads a field name; p is at its first byte.
func (s *scanner) name(p int) (content []byte, next int, ok bool) {
	if s.quote(p) {
		s.half = false
		content, next, ok = s.text(p)
		return content, next, ok && !s.half && len(content) <= maxName
	}
	if !s.opt.UnquotedNames {
		return nil, p, false
	}
	start := p
	for p < len(s.buf) && s.buf[p] < 0x80 && (nameByte(s.buf[p]) || s.buf[p] == '-' || s.buf[p] == '+' || s.buf[p] == '#' || s.buf[p] == '*' || s.buf[p] == '@') {
		p++
	}
	return s.buf[start:p], p, p > start && p-start <= maxName
}

// word checks one of the three words at p.
func (s *scanner) word(p int, w string) (int, bool) {
	end := p + len(w)
	if end <= len(s.buf) && string(s.buf[p:end]) == w && !nameByte(s.at(end)) {
		return end, true
	}
	return p, false
}

// skip reads over the value at p and checks its grammar, for Jackson does too.
func (s *scanner) skip(p int) (int, bool) {
	// stack has a bit for each open container: set for an object.
	var stack [maxDepth/64 + 1]uint64
	depth := 0
	for {
		// A value begins at p.
		var ok bool
		switch c := s.at(p); c {
		case '{', '[':
			if depth++; depth+s.depth > maxDepth {
				return p, false
			}
			object := c == '{'
			if object {
				stack[depth>>6] |= 1 << (depth & 63)
			} else {
				stack[depth>>6] &^= 1 << (depth & 63)
			}
			p = s.space(p + 1)
			if end := s.at(p); object && end == '}' || !object && end == ']' {
				p++
				depth--
				break
			}
			if object {
				if p, ok = s.skipName(p); !ok {
					return p, false
				}
			}
			continue
		case 't':
			if p, ok = s.word(p, "true"); !ok {
				return p, false
			}
		case 'f':
			if p, ok = s.word(p, "false"); !ok {
				return p, false
			}
		case 'n':
			if p, ok = s.word(p, "null"); !ok {
				return p, false
			}
		default:
			if s.quote(p) {
				if _, p, ok = s.text(p); !ok {
					return p, false
				}
				break
			}
			if p >= len(s.buf) {
				return p, false
			}
			next, kind := s.number(p)
			if kind == noNumber {
				return p, false
			}
			p = next
		}
		// A value has ended: close what ends with it.
		for {
			if depth == 0 {
				return p, true
			}
			object := stack[depth>>6]&(1<<(depth&63)) != 0
			p = s.space(p)
			c := s.at(p)
			if c == ',' {
				p = s.space(p + 1)
				if object {
					if p, ok = s.skipName(p); !ok {
						return p, false
					}
				}
				break
			}
			if object && c != '}' || !object && c != ']' {
				return p, false
			}
			p++
			depth--
		}
	}
}

// skipName reads over a field name and its colon, up to the value.
func (s *scanner) skipName(p int) (int, bool) {
	_, p, ok := s.name(p)
	if !ok {
		return p, false
	}
	p = s.space(p)
	if s.at(p) != ':' {
		return p, false
	}
	return s.space(p + 1), true
}
