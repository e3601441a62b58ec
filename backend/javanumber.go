package backend

import (
	"math"
	"strconv"
	"strings"
)

// javaDouble gives Java's Double.toString, which Spark prints: decimal notation from 0.001 up to 10⁷, else d.dddE±n; at least one digit
// behind the point; the fewest digits that read back as the same number, and of numbers with two digits the nearest.
//
// Source: the contract of Double.toString, which Java keeps since its version 19. A Spark server on Java 17 prints a digit too many for some
// numbers: 9.999999999999999E22 for 1.0E23.
func javaDouble(v float64) string { return javaFloating(v, 64) }

// javaFloat is javaDouble for 32 bits.
func javaFloat(v float32) string { return javaFloating(float64(v), 32) }

func javaFloating(v float64, bits int) string {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 1):
		return "Infinity"
	case math.IsInf(v, -1):
		return "-Infinity"
	case v == 0:
		if math.Signbit(v) {
			return "-0.0"
		}
		return "0.0"
	}
	s := strconv.FormatFloat(v, 'e', -1, bits)
	mantissa, exponent, _ := strings.Cut(s, "e")
	if !strings.Contains(mantissa, ".") {
		// One digit would do. Java compares numbers with two digits, so that 4.9E-324 stands for the least double and not 5.0E-324.
		two := strconv.FormatFloat(v, 'e', 1, bits)
		if back, err := strconv.ParseFloat(two, bits); err == nil && back == v {
			mantissa, exponent, _ = strings.Cut(two, "e")
		} else {
			mantissa += ".0"
		}
	}
	e, _ := strconv.Atoi(exponent)
	if a := math.Abs(v); a < 1e-3 || a >= 1e7 {
		return mantissa + "E" + strconv.Itoa(e)
	}
	plain := strconv.FormatFloat(v, 'f', -1, bits)
	if !strings.Contains(plain, ".") {
		plain += ".0"
	}
	return plain
}
