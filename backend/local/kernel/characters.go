package kernel

import (
	"encoding/binary"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/spoonbill-go/spoonbill/internal/javatext"
)

// A text of Spark is bytes, and most functions step through it by the width that the first byte of a character promises. In UTF-8 that is the
// character; a text that is none, such as a line of a text file, is cut as Spark cuts it. Source: UTF8String.numBytesForFirstByte.

// widths is the number of bytes that a first byte promises; what begins no character stands alone.
var widths = func() (w [256]uint8) {
	for c := range w {
		switch {
		case c >= 0xc2 && c <= 0xdf:
			w[c] = 2
		case c >= 0xe0 && c <= 0xef:
			w[c] = 3
		case c >= 0xf0 && c <= 0xf4:
			w[c] = 4
		default:
			w[c] = 1
		}
	}
	return w
}()

// width is the number of bytes of the character at the beginning of s, which is not empty. It does not pass the end of s.
func width(s string) int { return min(int(widths[s[0]]), len(s)) }

// characters counts the characters of a text.
func characters(s string) int {
	const highs = 0x8080808080808080
	b := unsafe.Slice(unsafe.StringData(s), len(s))
	n := 0
	for i := 0; i < len(b); {
		if i+8 <= len(b) && binary.LittleEndian.Uint64(b[i:])&highs == 0 {
			i += 8
			n += 8
			continue
		}
		i += int(widths[b[i]])
		n++
	}
	return n
}

// position is the number of characters before the first place where part stands in s at the beginning of a character, -1 for none.
func position(s, part string) int {
	for n := 0; ; {
		k := strings.Index(s, part)
		if k < 0 {
			return -1
		}
		i := 0
		for i < k {
			i += width(s[i:])
			n++
		}
		if i == k {
			return n
		}
		s = s[i:]
	}
}

// javaString is a text as the functions see it that Spark leaves to Java: what is no UTF-8 is replaced.
func javaString(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string(javatext.ReplaceInvalid(nil, []byte(s)))
}
