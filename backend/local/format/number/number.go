// Package number reads and writes numbers as Java does, exactly: decimals without a detour over binary floating point.
package number

import (
	"bytes"
	"math"
	"math/big"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// pow10 are the powers of ten that 64 bits hold.
var pow10 = func() (p [19]int64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 10
	}
	return p
}()

// Decimal reads a number in the grammar of java.math.BigDecimal ([+-]digits[.digits][e[+-]digits]) into a decimal of the precision and
// scale. Digits behind the scale round half up, away from zero, as in Spark. A text that is no number, and a number that needs more
// digits, give false.
func Decimal(s []byte, precision, scale int) (decimal128.Num, bool) {
	i, neg := 0, false
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		neg = s[i] == '-'
		i++
	}
	// The mantissa's digits without leading zeros, up to what 64 bits hold; more digits take the slow path.
	var small int64
	start := i
	digits, significant, point, dots := 0, 0, 0, 0
	for ; i < len(s); i++ {
		c := s[i]
		if c == '.' {
			if dots++; dots > 1 {
				return decimal128.Num{}, false
			}
			continue
		}
		if c < '0' || c > '9' {
			break
		}
		digits++
		point += dots
		if significant > 0 || c != '0' {
			significant++
			if significant <= 18 {
				small = small*10 + int64(c-'0')
			}
		}
	}
	if digits == 0 {
		return decimal128.Num{}, false
	}
	mantissa := s[start:i]
	exp := 0
	if i < len(s) {
		if s[i] != 'e' && s[i] != 'E' {
			return decimal128.Num{}, false
		}
		i++
		eneg := false
		if i < len(s) && (s[i] == '-' || s[i] == '+') {
			eneg = s[i] == '-'
			i++
		}
		if i == len(s) || len(s)-i > 10 {
			return decimal128.Num{}, false
		}
		for ; i < len(s); i++ {
			if s[i] < '0' || s[i] > '9' {
				return decimal128.Num{}, false
			}
			if exp = exp*10 + int(s[i]-'0'); exp > math.MaxInt32 {
				return decimal128.Num{}, false
			}
		}
		if eneg {
			exp = -exp
		}
	}
	if significant == 0 {
		return decimal128.Num{}, true
	}
	// The unscaled result is mantissa × 10^shift.
	shift := exp - point + scale
	if significant+shift > precision+1 {
		return decimal128.Num{}, false
	}
	if significant+shift < 0 {
		return decimal128.Num{}, true
	}
	if significant <= 18 && shift > -19 && significant+shift <= 18 {
		v := small
		if shift >= 0 {
			v *= pow10[shift]
		} else {
			p := pow10[-shift]
			rest := v % p
			v /= p
			if rest >= p-rest {
				v++
			}
		}
		if precision <= 18 && v >= pow10[precision] {
			return decimal128.Num{}, false
		}
		if neg {
			v = -v
		}
		return decimal128.FromI64(v), true
	}
	return slowDecimal(mantissa, neg, shift, precision)
}

func slowDecimal(mantissa []byte, neg bool, shift, precision int) (decimal128.Num, bool) {
	// Digits far behind the last kept one cannot change a half-up rounding, so hostile lengths are cut before big numbers see them.
	text := bytes.ReplaceAll(mantissa, []byte("."), nil)
	text = bytes.TrimLeft(text, "0")
	if keep := 80; len(text) > keep && shift < 0 {
		cut := min(len(text)-keep, -shift)
		text, shift = text[:len(text)-cut], shift+cut
	}
	v, ok := new(big.Int).SetString(string(text), 10)
	if !ok {
		return decimal128.Num{}, false
	}
	if shift >= 0 {
		v.Mul(v, pow(shift))
	} else {
		p := pow(-shift)
		rest := new(big.Int)
		v.QuoRem(v, p, rest)
		if rest.Lsh(rest, 1).Cmp(p) >= 0 {
			v.Add(v, big.NewInt(1))
		}
	}
	if v.Cmp(pow(precision)) >= 0 {
		return decimal128.Num{}, false
	}
	if neg {
		v.Neg(v)
	}
	return decimal128.FromBigInt(v), true
}

func pow(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// AppendDecimal writes a decimal in plain digits with all digits of its scale, as Spark casts it to text.
func AppendDecimal(dst []byte, v decimal128.Num, scale int) []byte {
	neg, digits := decimalDigits(v)
	if neg {
		dst = append(dst, '-')
	}
	if scale == 0 {
		return append(dst, digits...)
	}
	if pad := scale + 1 - len(digits); pad > 0 {
		dst = append(dst, '0', '.')
		for range pad - 1 {
			dst = append(dst, '0')
		}
		return append(dst, digits...)
	}
	dst = append(dst, digits[:len(digits)-scale]...)
	dst = append(dst, '.')
	return append(dst, digits[len(digits)-scale:]...)
}

// AppendJavaDecimal writes a decimal as java.math.BigDecimal.toString does, which Spark's JSON writer uses: with an exponent where
// more than six zeros would follow the point.
func AppendJavaDecimal(dst []byte, v decimal128.Num, scale int) []byte {
	neg, digits := decimalDigits(v)
	adjusted := len(digits) - 1 - scale
	if scale >= 0 && adjusted >= -6 {
		return AppendDecimal(dst, v, scale)
	}
	if neg {
		dst = append(dst, '-')
	}
	dst = append(dst, digits[0])
	if len(digits) > 1 {
		dst = append(dst, '.')
		dst = append(dst, digits[1:]...)
	}
	dst = append(dst, 'E')
	return strconv.AppendInt(dst, int64(adjusted), 10)
}

func decimalDigits(v decimal128.Num) (neg bool, digits []byte) {
	neg = v.Sign() < 0
	if hi, lo := v.HighBits(), int64(v.LowBits()); hi == lo>>63 {
		if neg {
			return true, strconv.AppendUint(nil, -uint64(lo), 10)
		}
		return false, strconv.AppendInt(nil, lo, 10)
	}
	b := v.BigInt()
	return neg, b.Abs(b).Append(nil, 10)
}
