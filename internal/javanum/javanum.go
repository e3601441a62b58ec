// Package javanum prints floating-point numbers as Java does, which is how Spark shows and casts them.
package javanum

import (
	"bytes"
	"math"
	"strconv"
)

// AppendFloat appends a double (bits 64) or a float (bits 32) as Double.toString and Float.toString give it: decimal notation from 0.001 up
// to 10⁷, else d.dddE±n; at least one digit behind the point; NaN and Infinity as words. The digits are the fewest that read back as the same
// number, and of numbers with two digits the nearest.
//
// Source: the contract of Double.toString, which Java keeps since its version 19. A Spark server on Java 17 prints a digit too many for some
// numbers: 9.999999999999999E22 for 1.0E23.
func AppendFloat(dst []byte, v float64, bits int) []byte {
	switch {
	case math.IsNaN(v):
		return append(dst, "NaN"...)
	case math.IsInf(v, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(v, -1):
		return append(dst, "-Infinity"...)
	case v == 0:
		if math.Signbit(v) {
			return append(dst, "-0.0"...)
		}
		return append(dst, "0.0"...)
	}
	if v < 0 {
		dst, v = append(dst, '-'), -v
	}
	var buf [32]byte
	s := strconv.AppendFloat(buf[:0], v, 'e', -1, bits)
	var digits [20]byte
	n := 1
	digits[0] = s[0]
	if s[1] == '.' {
		n += copy(digits[1:], s[2:bytes.IndexByte(s, 'e')])
	} else if second := twoDigits(v, bits); second != nil {
		// One digit would do. Java compares numbers with two digits, so that 4.9E-324 stands for the least double and not 5.0E-324.
		s = second
		n, digits[0], digits[1] = 2, s[0], s[2]
	}
	exp, _ := strconv.Atoi(string(s[bytes.IndexByte(s, 'e')+1:]))
	d := digits[:n]
	switch {
	case exp < -3 || exp >= 7:
		dst = append(dst, d[0], '.')
		if n == 1 {
			dst = append(dst, '0')
		}
		dst = append(append(dst, d[1:]...), 'E')
		return strconv.AppendInt(dst, int64(exp), 10)
	case exp < 0:
		return append(append(dst, "0.000"[:1-exp]...), d...)
	case n <= exp+1:
		dst = append(dst, d...)
		dst = append(dst, "0000000"[:exp+1-n]...)
		return append(dst, ".0"...)
	}
	dst = append(append(dst, d[:exp+1]...), '.')
	return append(dst, d[exp+1:]...)
}

// twoDigits gives the nearest number with two digits where the second is no zero and it reads back as v, in strconv's form; else nil.
func twoDigits(v float64, bits int) []byte {
	if bits == 64 && v > 1e-300 || bits == 32 && v > 1e-37 {
		return nil // one digit is exact enough that a second is zero
	}
	s := strconv.AppendFloat(nil, v, 'e', 1, bits)
	if s[2] == '0' {
		return nil
	}
	if back, err := strconv.ParseFloat(string(s), bits); err != nil || back != v {
		return nil
	}
	return s
}
