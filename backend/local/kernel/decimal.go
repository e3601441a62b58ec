package kernel

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
	"unicode"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

type dec = decimal128.Num

// pow10 are the powers of ten that 128 bits hold; bigPow10 reaches as far as intermediate results of 38-digit operands need.
var (
	pow10    [39]dec
	bigPow10 [120]*big.Int
	u64Pow10 [20]uint64
)

func init() {
	bigPow10[0] = big.NewInt(1)
	for i := 1; i < len(bigPow10); i++ {
		bigPow10[i] = new(big.Int).Mul(bigPow10[i-1], big.NewInt(10))
	}
	for i := range pow10 {
		pow10[i] = decimal128.FromBigInt(bigPow10[i])
	}
	for i := range u64Pow10 {
		u64Pow10[i] = bigPow10[i].Uint64()
	}
}

// small gives a decimal as int64 when it is one.
func small(d dec) (int64, bool) {
	lo := int64(d.LowBits())
	return lo, d.HighBits() == lo>>63
}

// fitsDec tells whether a decimal has at most so many digits.
func fitsDec(d dec, precision int) bool {
	if _, ok := small(d); ok && precision >= 19 {
		return true
	}
	// 2 to the power of 126 is less than 10 to the power of 38.
	if h := d.HighBits(); precision == 38 && h > -1<<62 && h < 1<<62 {
		return true
	}
	if d.HighBits() < 0 {
		if d.HighBits() == math.MinInt64 && d.LowBits() == 0 {
			return false
		}
		d = d.Negate()
	}
	p := pow10[precision]
	return d.HighBits() < p.HighBits() || d.HighBits() == p.HighBits() && d.LowBits() < p.LowBits()
}

// fromBig gives b as a decimal of at most precision digits, or false.
func fromBig(b *big.Int, precision int) (dec, bool) {
	if b.CmpAbs(bigPow10[precision]) >= 0 {
		return dec{}, false
	}
	return decimal128.FromBigInt(b), true
}

// halfUp divides b by 10^drop, rounding half away from zero as Java's HALF_UP does.
func halfUp(b *big.Int, drop int) *big.Int {
	if drop <= 0 {
		return new(big.Int).Mul(b, bigPow10[-drop])
	}
	if drop >= len(bigPow10) {
		return new(big.Int)
	}
	return divHalfUp(b, bigPow10[drop])
}

// halfEven divides b by 10^drop, rounding half to even.
func halfEven(b *big.Int, drop int) *big.Int {
	if drop <= 0 {
		return new(big.Int).Mul(b, bigPow10[-drop])
	}
	if drop >= len(bigPow10) {
		return new(big.Int)
	}
	q, r := new(big.Int).QuoRem(b, bigPow10[drop], new(big.Int))
	if c := r.Lsh(r, 1).CmpAbs(bigPow10[drop]); c > 0 || c == 0 && q.Bit(0) == 1 {
		if b.Sign() < 0 {
			q.Sub(q, bigPow10[0])
		} else {
			q.Add(q, bigPow10[0])
		}
	}
	return q
}

// divHalfUp divides, rounding half away from zero.
func divHalfUp(a, d *big.Int) *big.Int {
	q, r := new(big.Int).QuoRem(a, d, new(big.Int))
	if r.Lsh(r, 1).CmpAbs(d) >= 0 {
		if a.Sign()*d.Sign() < 0 {
			q.Sub(q, bigPow10[0])
		} else {
			q.Add(q, bigPow10[0])
		}
	}
	return q
}

// rescale changes the scale, rounding half up, and tells whether the value has at most precision digits then.
func rescale(d dec, from, to, precision int) (dec, bool) {
	if from == to {
		return d, fitsDec(d, precision)
	}
	if v, ok := small(d); ok {
		if k := to - from; k > 0 && k < 19 {
			hi, lo := bits.Mul64(absU(v), u64Pow10[k])
			if hi < math.MaxInt64 {
				r := decimal128.New(int64(hi), lo)
				if v < 0 {
					r = r.Negate()
				}
				return r, fitsDec(r, precision)
			}
		} else if k < 0 && k > -19 {
			p := u64Pow10[-k]
			u := absU(v)
			q, r := u/p, u%p
			if r >= p-r {
				q++
			}
			x := decimal128.FromU64(q)
			if v < 0 {
				x = x.Negate()
			}
			return x, fitsDec(x, precision)
		}
	}
	return fromBig(halfUp(d.BigInt(), from-to), precision)
}

// absU is the absolute value without the overflow of the least number.
func absU(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

// mulDec multiplies and gives up drop digits of the product's fraction.
func mulDec(a, b dec, drop, precision int) (dec, bool) {
	x, okx := small(a)
	y, oky := small(b)
	if okx && oky && drop == 0 {
		hi, lo := bits.Mul64(uint64(x), uint64(y))
		// Mul64 is unsigned; these corrections make hi the upper half of the signed product, which always fits 127 bits.
		r := decimal128.New(int64(hi)-(x>>63)&y-(y>>63)&x, lo)
		return r, fitsDec(r, precision)
	}
	product := new(big.Int).Mul(a.BigInt(), b.BigInt())
	// Spark multiplies to 39 digits (MATH_CONTEXT) before it rounds to the result's scale.
	if cut := digitsOf(product) - (datatype.MaxPrecision + 1); cut > 0 {
		product = halfUp(product, cut)
		drop -= cut
	}
	return fromBig(halfUp(product, drop), precision)
}

// digitsOf is the number of decimal digits, 1 for zero.
func digitsOf(b *big.Int) int {
	for i, p := range bigPow10 {
		if b.CmpAbs(p) < 0 {
			return max(i, 1)
		}
	}
	return len(bigPow10)
}

// scalaDigits are the digits to which Scala's BigDecimal rounds, half to even, in the operations that Spark leaves to it.
const scalaDigits = 34

// scala34 rounds as Scala's BigDecimal does; the scale stays.
func scala34(d dec) dec {
	if _, ok := small(d); ok {
		return d
	}
	return decimal128.FromBigInt(halfEven34(d.BigInt()))
}

// halfEven34 sets the digits behind the first 34 to zero, rounding half to even.
func halfEven34(b *big.Int) *big.Int {
	cut := digitsOf(b) - scalaDigits
	if cut <= 0 {
		return b
	}
	p := bigPow10[cut]
	q, r := new(big.Int).QuoRem(b, p, new(big.Int))
	switch c := r.Lsh(r, 1).CmpAbs(p); {
	case c > 0, c == 0 && q.Bit(0) == 1:
		if b.Sign() < 0 {
			q.Sub(q, bigPow10[0])
		} else {
			q.Add(q, bigPow10[0])
		}
	}
	return q.Mul(q, p)
}

// divDec divides a of scale sa by b of scale sb, which is not zero, to a quotient of scale s.
//
// Spark divides to 38 digits behind the point and then rounds to the result's scale, so two roundings; below the bounds of the
// short path they cannot differ from one (the fraction is at least 1/(2·2⁶³) away from a half).
func divDec(a, b dec, sa, sb, s, precision int) (dec, bool) {
	x, okx := small(a)
	y, oky := small(b)
	if k := s - sa + sb; okx && oky && k >= 0 && k < 19 && s <= 18 {
		hi, lo := bits.Mul64(absU(x), u64Pow10[k])
		d := absU(y)
		qh := hi / d
		ql, r := bits.Div64(hi%d, lo, d)
		if r >= d-r {
			var c uint64
			ql, c = bits.Add64(ql, 1, 0)
			qh += c
		}
		if qh < math.MaxInt64 {
			q := decimal128.New(int64(qh), ql)
			if (x < 0) != (y < 0) {
				q = q.Negate()
			}
			return q, fitsDec(q, precision)
		}
	}
	const maxScale = 38
	num := new(big.Int).Mul(a.BigInt(), bigPow10[maxScale+sb])
	den := new(big.Int).Mul(b.BigInt(), bigPow10[sa])
	return fromBig(halfUp(divHalfUp(num, den), maxScale-s), precision)
}

// decString prints a decimal in plain digits.
func decString(d dec, scale int) string { return plain(d.BigInt(), scale) }

// plain prints an unscaled number with its point, without an exponent.
func plain(b *big.Int, scale int) string {
	s := new(big.Int).Abs(b).String()
	if scale > 0 {
		if len(s) <= scale {
			s = strings.Repeat("0", scale-len(s)+1) + s
		}
		s = s[:len(s)-scale] + "." + s[len(s)-scale:]
	}
	if b.Sign() < 0 {
		s = "-" + s
	}
	return s
}

// javaDecString prints as Java's BigDecimal.toString, which Spark uses without ANSI: with an exponent where there are more than
// six zeros behind the point.
func javaDecString(d dec, scale int) string {
	b := d.BigInt()
	digits := new(big.Int).Abs(b).String()
	adjusted := len(digits) - 1 - scale
	if scale == 0 || adjusted >= -6 {
		return plain(b, scale)
	}
	s := digits[:1]
	if len(digits) > 1 {
		s += "." + digits[1:]
	}
	s += "E" + strconv.Itoa(adjusted)
	if b.Sign() < 0 {
		s = "-" + s
	}
	return s
}

// parseDec reads digits with an optional point and exponent into an unscaled integer and its scale; blanks are the caller's.
func parseDec(s string) (*big.Int, int, bool) {
	mant, exp := s, 0
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		e, err := strconv.Atoi(s[i+1:])
		if err != nil || e > 10000 || e < -10000 {
			return nil, 0, false
		}
		mant, exp = s[:i], e
	}
	neg := false
	if mant != "" && (mant[0] == '-' || mant[0] == '+') {
		neg = mant[0] == '-'
		mant = mant[1:]
	}
	whole, frac, _ := strings.Cut(mant, ".")
	digits := whole + frac
	if digits == "" || len(digits) > 4096 {
		return nil, 0, false
	}
	if !isASCII(digits) {
		// Java's BigDecimal takes the decimal digits of every script.
		whole, frac = asciiDigits(whole), asciiDigits(frac)
		digits = whole + frac
	}
	for i := 0; i < len(digits); i++ {
		if digits[i] < '0' || digits[i] > '9' {
			return nil, 0, false
		}
	}
	b, _ := new(big.Int).SetString(digits, 10)
	if neg {
		b.Neg(b)
	}
	return b, len(frac) - exp, true
}

// asciiDigits puts ASCII digits in the place of other scripts'. Unicode's decimal digits stand in runs of ten from zero to nine.
func asciiDigits(s string) string {
	return strings.Map(func(r rune) rune {
		for _, t := range unicode.Nd.R16 {
			if uint32(r) >= uint32(t.Lo) && uint32(r) <= uint32(t.Hi) {
				return '0' + (r-rune(t.Lo))%10
			}
		}
		for _, t := range unicode.Nd.R32 {
			if uint32(r) >= t.Lo && uint32(r) <= t.Hi {
				return '0' + (r-rune(t.Lo))%10
			}
		}
		return r
	}, s)
}

// toDec brings an unscaled integer of a scale to a decimal type, rounding half up; false where it has too many digits.
func toDec(b *big.Int, scale int, t datatype.Decimal) (dec, bool) {
	switch drop := scale - t.Scale; {
	case drop >= len(bigPow10):
		return dec{}, true // far below the last digit
	case -drop >= 80:
		return dec{}, b.Sign() == 0
	case drop > 0:
		return fromBig(halfUp(b, drop), t.Precision)
	default:
		return fromBig(new(big.Int).Mul(b, bigPow10[-drop]), t.Precision)
	}
}

// outOfRange is Spark's error for a decimal with too many digits; text is the value in plain digits.
func outOfRange(text string, t datatype.Decimal) error {
	return condition.Newf(condition.NumericOutOfRange, "The value %s cannot be represented as Decimal(%d, %d). If necessary set spark.sql.ansi.enabled to false to bypass this error, and return NULL instead.", text, t.Precision, t.Scale)
}
