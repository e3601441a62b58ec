// Package charset turns text of other character sets into UTF-8 and back as Java does: bytes that are no character become U+FFFD, characters that a set
// lacks become question marks.
package charset

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/ianaindex"

	"github.com/spoonbill-go/spoonbill/internal/javatext"
)

type order uint8

const (
	byMark order = iota // the mark at the beginning says, else big
	big
	little
)

// Set is a character set. The zero value is UTF-8.
type Set struct {
	width int // bytes of a unit; 0 for UTF-8
	order order
	high  rune // the first character that a set of single bytes lacks
}

var known = map[string]Set{
	"utf-8": {}, "us-ascii": {width: 1, high: 0x80}, "iso-8859-1": {width: 1, high: 0x100},
	"utf-16": {width: 2}, "utf-16be": {width: 2, order: big}, "utf-16le": {width: 2, order: little}, "utf-32": {width: 4},
}

// Find gives a set of those that Spark 4 takes, in any letter case. Source: Spark's CharsetProvider.
func Find(name string) (Set, bool) {
	s, ok := known[strings.ToLower(name)]
	return s, ok
}

// javaNames are names of Java's that no registry has.
var javaNames = map[string]string{
	"utf8": "utf-8", "ascii": "us-ascii", "utf_16": "utf-16", "utf_16be": "utf-16be", "utf_16le": "utf-16le", "utf32": "utf-32", "utf_32": "utf-32", "iso8859_1": "iso-8859-1", "8859_1": "iso-8859-1",
}

// Bytes gives a text in a set of Java's, of which there are more than [Find] knows: those of the registry IANA too.
func Bytes(name, text string) ([]byte, bool) {
	name = strings.ToLower(name)
	if to, ok := javaNames[name]; ok {
		name = to
	}
	switch s, ok := Find(name); {
	case ok:
		return s.Encode(nil, []byte(text), true), true
	case name == "utf-32be" || name == "utf-32le":
		s := Set{width: 4}
		if name == "utf-32le" {
			s.order = little
		}
		return s.Encode(nil, []byte(text), true), true
	}
	if n, ok := strings.CutPrefix(name, "cp125"); ok {
		name = "windows-125" + n
	}
	e, err := ianaindex.IANA.Encoding(name)
	if err != nil || e == nil {
		return nil, false
	}
	out, err := encoding.ReplaceUnsupported(e.NewEncoder()).Bytes([]byte(text))
	return out, err == nil
}

// UTF8 tells whether texts need no change.
func (s Set) UTF8() bool { return s.width == 0 }

// Wide tells whether a character is two bytes or more.
func (s Set) Wide() bool { return s.width > 1 }

// Marked tells whether the order of bytes is open, so that texts may begin with a mark: UTF-16 and UTF-32.
func (s Set) Marked() bool { return s.Wide() && s.order == byMark }

// Decode appends a whole text as UTF-8 and tells whether every byte of it is of a character.
func (s Set) Decode(dst, src []byte) ([]byte, bool) {
	if s.width == 0 {
		return javatext.ReplaceInvalid(dst, src), utf8.Valid(src)
	}
	s = s.begin(&src)
	dst, _, fine := s.decode(dst, src, true)
	return dst, fine
}

// begin takes the mark off a text and gives the set with its order.
func (s Set) begin(src *[]byte) Set {
	b := *src
	switch s.width {
	case 2:
		if s.order == byMark {
			s.order = big
			if bytes.HasPrefix(b, []byte{0xfe, 0xff}) {
				*src = b[2:]
			} else if bytes.HasPrefix(b, []byte{0xff, 0xfe}) {
				s.order, *src = little, b[2:]
			}
		}
	case 4:
		switch {
		case s.order != little && bytes.HasPrefix(b, []byte{0, 0, 0xfe, 0xff}):
			s.order, *src = big, b[4:]
		case s.order != big && bytes.HasPrefix(b, []byte{0xff, 0xfe, 0, 0}):
			s.order, *src = little, b[4:]
		case s.order == byMark:
			s.order = big
		}
	}
	return s
}

func (s Set) unit(b []byte) rune {
	var v uint32
	for i := range s.width {
		if s.order == little {
			v |= uint32(b[i]) << (8 * i)
		} else {
			v = v<<8 | uint32(b[i])
		}
	}
	return rune(v)
}

// decode appends what src has of whole characters and gives how many bytes they were: all of them where src is the end.
func (s Set) decode(dst, src []byte, end bool) (out []byte, used int, fine bool) {
	i := 0
	fine = true
	for ; i+s.width <= len(src); i += s.width {
		r := s.unit(src[i:])
		switch {
		case s.width == 1:
			if r >= s.high {
				r, fine = utf8.RuneError, false
			}
		case s.width == 4:
			if utf16.IsSurrogate(r) {
				r = '?' // a half is one in Java, until it is written
			}
		case utf16.IsSurrogate(r):
			if r >= 0xdc00 {
				r, fine = utf8.RuneError, false
				break
			}
			if i+4 > len(src) {
				if !end {
					return dst, i, fine
				}
				return utf8.AppendRune(dst, utf8.RuneError), len(src), false
			}
			// Of a half without its other one, both are replaced.
			r = utf16.DecodeRune(r, s.unit(src[i+2:]))
			fine = fine && r != utf8.RuneError
			i += 2
		}
		fine = fine && r >= 0 && r <= utf8.MaxRune
		dst = utf8.AppendRune(dst, r) // what is beyond Unicode becomes U+FFFD
	}
	if end && i < len(src) {
		return utf8.AppendRune(dst, utf8.RuneError), len(src), false
	}
	return dst, i, fine
}

// Trim cuts off what is no whole unit at the end of a text.
func (s Set) Trim(src []byte) []byte {
	if s.width > 1 {
		return src[:len(src)-len(src)%s.width]
	}
	return src
}

// Encode appends a text; first says that it begins a file.
func (s Set) Encode(dst, src []byte, first bool) []byte {
	if s.width == 0 {
		return append(dst, src...)
	}
	if first && s.width == 2 && s.order == byMark {
		dst = append(dst, 0xfe, 0xff)
	}
	for len(src) > 0 {
		r, n := utf8.DecodeRune(src)
		src = src[n:]
		switch {
		case s.width == 1:
			switch {
			case r >= s.high:
				dst = append(dst, '?')
			default:
				dst = append(dst, byte(r))
			}
		case s.width == 2 && r > 0xffff:
			one, two := utf16.EncodeRune(r)
			dst = s.put(s.put(dst, one), two)
		default:
			dst = s.put(dst, r)
		}
	}
	return dst
}

func (s Set) put(dst []byte, r rune) []byte {
	for i := range s.width {
		shift := 8 * i
		if s.order != little {
			shift = 8 * (s.width - 1 - i)
		}
		dst = append(dst, byte(uint32(r)>>shift))
	}
	return dst
}

// Detect gives the set that a mark at the beginning of a text names and the length of the mark.
func Detect(b []byte) (Set, int, bool) {
	switch {
	case bytes.HasPrefix(b, []byte{0xef, 0xbb, 0xbf}):
		return Set{}, 3, true
	case bytes.HasPrefix(b, []byte{0xff, 0xfe, 0, 0}):
		return Set{width: 4, order: little}, 4, true
	case bytes.HasPrefix(b, []byte{0, 0, 0xfe, 0xff}):
		return Set{width: 4, order: big}, 4, true
	case bytes.HasPrefix(b, []byte{0xff, 0xfe}):
		return Set{width: 2, order: little}, 2, true
	case bytes.HasPrefix(b, []byte{0xfe, 0xff}):
		return Set{width: 2, order: big}, 2, true
	}
	return Set{}, 0, false
}

// DetectJSON gives the set that the beginning of a JSON text shows, by a mark or by where its zero bytes are, and the length of the mark.
//
// Source: Jackson's ByteSourceJsonBootstrapper.
func DetectJSON(b []byte) (Set, int) {
	if s, n, ok := Detect(b); ok {
		return s, n
	}
	if len(b) >= 4 {
		switch {
		case b[0] == 0 && b[1] == 0 && b[2] == 0:
			return Set{width: 4, order: big}, 0
		case b[1] == 0 && b[2] == 0 && b[3] == 0:
			return Set{width: 4, order: little}, 0
		}
	}
	if len(b) >= 2 {
		switch {
		case b[0] == 0 && b[1] != 0:
			return Set{width: 2, order: big}, 0
		case b[1] == 0 && b[0] != 0:
			return Set{width: 2, order: little}, 0
		}
	}
	return Set{}, 0
}

// mark is the mark of the order of bytes, in UTF-8.
var mark = []byte("\ufeff")

// NewReader reads a text as UTF-8 without a mark at its beginning. What is no UTF-8 stays in a text that says to be it.
func NewReader(in io.Reader, s Set) io.Reader { return &reader{in: in, set: s} }

type reader struct {
	in    io.Reader
	set   Set
	begun bool
	fresh bool // nothing was given yet
	raw   []byte
	out   []byte
	err   error
}

const readSize = 32 << 10

func (r *reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for len(r.out) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		at := len(r.raw)
		r.raw = append(r.raw, make([]byte, readSize)...)
		n, err := r.in.Read(r.raw[at:])
		r.raw, r.err = r.raw[:at+n], err
		if !r.begun {
			if len(r.raw) < 4 && err == nil {
				continue
			}
			r.begun = true
			if !r.set.UTF8() {
				r.set = r.set.begin(&r.raw)
			}
			r.fresh = true
		}
		if r.set.UTF8() {
			r.out, r.raw = r.raw, nil
		} else {
			out, used, _ := r.set.decode(nil, r.raw, errors.Is(err, io.EOF))
			r.out, r.raw = out, append([]byte(nil), r.raw[used:]...)
		}
		if r.fresh && len(r.out) > 0 {
			r.out, r.fresh = bytes.TrimPrefix(r.out, mark), false
		}
	}
	n := copy(p, r.out)
	r.out = r.out[n:]
	return n, nil
}
