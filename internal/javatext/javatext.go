// Package javatext replaces what is no UTF-8 in a text, as Java does, which is how Spark reads texts.
package javatext

import "unicode/utf8"

// ReplaceInvalid appends src to dst with every sequence that is no UTF-8 replaced by U+FFFD, as new String(bytes, UTF_8) and Java's readers
// do: one for each longest beginning of a character, and one for a surrogate in three bytes. [strings.ToValidUTF8] has one for a whole run.
func ReplaceInvalid(dst, src []byte) []byte { return replace(dst, src, 0xbf) }

// MakeValid is [ReplaceInvalid] as the functions of Spark do it that go through ICU: each byte of a surrogate is replaced. Source: UTF8String.makeValid.
func MakeValid(dst, src []byte) []byte { return replace(dst, src, 0x9f) }

func replace(dst, src []byte, highest byte) []byte {
	for len(src) > 0 {
		r, n := utf8.DecodeRune(src)
		if r == utf8.RuneError && n == 1 {
			n = broken(src, highest)
			dst = append(dst, "\uFFFD"...)
		} else {
			dst = append(dst, src[:n]...)
		}
		src = src[n:]
	}
	return dst
}

// Broken is how many bytes at the beginning of src, which begins with no character of UTF-8, Java replaces by one U+FFFD.
func Broken(src []byte) int { return broken(src, 0xbf) }

// broken has the highest byte that may follow 0xed, above 0x9f for a surrogate.
func broken(src []byte, highest byte) int {
	c := src[0]
	low, high, need := byte(0x80), byte(0xbf), 0
	switch {
	case c >= 0xc2 && c <= 0xdf:
		need = 1
	case c >= 0xe0 && c <= 0xef:
		need = 2
		if c == 0xe0 {
			low = 0xa0
		} else if c == 0xed {
			high = highest
		}
	case c >= 0xf0 && c <= 0xf4:
		need = 3
		if c == 0xf0 {
			low = 0x90
		} else if c == 0xf4 {
			high = 0x8f
		}
	}
	n := 1
	for n < len(src) && n <= need && src[n] >= low && src[n] <= high {
		n++
		low, high = 0x80, 0xbf
	}
	return n
}
