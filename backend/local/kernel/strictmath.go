package kernel

import "math"

// Spark computes EXP, LN and LOG10 by Java's StrictMath, which is defined by the algorithms of fdlibm to the last bit; Go's own
// differ in the last place (and from processor to processor). These follow the published algorithms: an argument reduction, a
// polynomial, and the scaling back. The conversions to float64 keep compilers from fusing a product with a sum.
const (
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10
)

// strictExp reduces x to r = x − k·ln 2 with |r| ≤ 0.5·ln 2, and approximates exp(r) by a rational function of r.
func strictExp(x float64) float64 {
	const (
		overflow, underflow = 7.09782712893383973096e+02, -7.45133219101941108420e+02
		invLn2              = 1.44269504088896338700e+00
		p1, p2, p3          = 1.66666666666666019037e-01, -2.77777777770155933842e-03, 6.61375632143793436117e-05
		p4, p5              = -1.65339022054652515390e-06, 4.13813679705723846039e-08
	)
	switch {
	case x != x || math.IsInf(x, 1):
		return x
	case math.IsInf(x, -1):
		return 0
	case x > overflow:
		return math.Inf(1)
	case x < underflow:
		return 0
	}
	a := math.Abs(x)
	var hi, lo float64
	k := 0
	switch {
	case a > 0.5*math.Ln2:
		if a < 1.5*math.Ln2 {
			k = 1
			if x < 0 {
				k = -1
			}
		} else {
			half := 0.5
			if x < 0 {
				half = -0.5
			}
			k = int(float64(invLn2*x) + half)
		}
		t := float64(k)
		hi = x - float64(t*ln2Hi)
		lo = float64(t * ln2Lo)
		x = hi - lo
	case a < 1.0/(1<<28):
		return 1 + x
	}
	t := float64(x * x)
	c := x - float64(t*(p1+float64(t*(p2+float64(t*(p3+float64(t*(p4+float64(t*p5)))))))))
	if k == 0 {
		return 1 - (float64(x*c)/(c-2) - x)
	}
	y := 1 - ((lo - float64(x*c)/(2-c)) - hi)
	if k >= -1021 {
		if k == 1024 {
			return y * 2 * 0x1p1023
		}
		return math.Float64frombits(math.Float64bits(y) + uint64(k)<<52)
	}
	return math.Float64frombits(math.Float64bits(y)+uint64(k+1000)<<52) * 0x1p-1000
}

// strictLog splits x = 2^k·(1+f) with √2/2 < 1+f < √2, and approximates ln(1+f) by a polynomial in s = f/(2+f).
func strictLog(x float64) float64 {
	const (
		l1, l2, l3 = 6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01
		l4, l5, l6 = 2.222219843214978396e-01, 1.818357216161805012e-01, 1.531383769920937332e-01
		l7         = 1.479819860511658591e-01
	)
	switch {
	case x != x || math.IsInf(x, 1):
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	k := 0
	if x < 0x1p-1022 {
		k = -54
		x *= 0x1p54
	}
	bits := math.Float64bits(x)
	h := int32(bits >> 32)
	k += int(h>>20) - 1023
	h &= 0x000fffff
	i := (h + 0x95f64) & 0x100000
	x = math.Float64frombits(uint64(uint32(h|(i^0x3ff00000)))<<32 | bits&0xffffffff)
	k += int(i >> 20)
	f := x - 1
	dk := float64(k)
	if 0x000fffff&(2+h) < 3 { // |f| < 2⁻²⁰
		if f == 0 {
			if k == 0 {
				return 0
			}
			return float64(dk*ln2Hi) + float64(dk*ln2Lo)
		}
		r := float64(float64(f*f) * (0.5 - float64(0.33333333333333333*f)))
		if k == 0 {
			return f - r
		}
		return float64(dk*ln2Hi) - ((r - float64(dk*ln2Lo)) - f)
	}
	s := f / (2 + f)
	z := float64(s * s)
	w := float64(z * z)
	t1 := float64(w * (l2 + float64(w*(l4+float64(w*l6)))))
	t2 := float64(z * (l1 + float64(w*(l3+float64(w*(l5+float64(w*l7)))))))
	r := t2 + t1
	if (h-0x6147a)|(0x6b851-h) > 0 {
		half := float64(0.5 * f * f)
		if k == 0 {
			return f - (half - float64(s*(half+r)))
		}
		return float64(dk*ln2Hi) - ((half - (float64(s*(half+r)) + float64(dk*ln2Lo))) - f)
	}
	if k == 0 {
		return f - float64(s*(f-r))
	}
	return float64(dk*ln2Hi) - ((float64(s*(f-r)) - float64(dk*ln2Lo)) - f)
}

// strictLog10 is n·log10(2) + log(m)/ln 10 for x = 2ⁿ·m, with log10(2) in two parts.
func strictLog10(x float64) float64 {
	const (
		invLn10  = 4.34294481903251816668e-01
		log2Hi   = 3.01029995663611771306e-01
		log2Lo   = 3.69423907715893078616e-13
		twoTo54  = 0x1p54
		smallest = 0x1p-1022
	)
	switch {
	case x != x || math.IsInf(x, 1):
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	k := 0
	if x < smallest {
		k = -54
		x *= twoTo54
	}
	bits := math.Float64bits(x)
	h := int32(bits >> 32)
	k += int(h>>20) - 1023
	i := 0
	if k < 0 {
		i = 1
	}
	h = h&0x000fffff | int32(0x3ff-i)<<20
	y := float64(k + i)
	x = math.Float64frombits(uint64(uint32(h))<<32 | bits&0xffffffff)
	z := float64(y*log2Lo) + float64(invLn10*strictLog(x))
	return z + float64(y*log2Hi)
}
