package kernel

import "math"

// Java's StrictMath computes by fdlibm, and Spark's exp and log10 with it, while Go has an assembly exp and another log10; they differ in the last bit. These
// two follow fdlibm's reductions and polynomials.

const (
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10
)

// strictExp is e to the power of x: x = k·ln 2 + r with |r| ≤ ½·ln 2, then a rational approximation in r².
func strictExp(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > 7.09782712893383973096e+02:
		return math.Inf(1)
	case x < -7.45133219101941108420e+02:
		return 0
	}
	var hi, lo float64
	k := 0
	switch a := math.Abs(x); {
	case a > 0.5*math.Ln2:
		switch {
		case a < 1.5*math.Ln2 && x > 0:
			hi, lo, k = x-ln2Hi, ln2Lo, 1
		case a < 1.5*math.Ln2:
			hi, lo, k = x+ln2Hi, -ln2Lo, -1
		default:
			k = int(x/math.Ln2 + math.Copysign(0.5, x))
			hi, lo = x-float64(float64(k)*ln2Hi), float64(float64(k)*ln2Lo)
		}
		x = hi - lo
	case a < 1.0/(1<<28):
		return 1 + x
	}
	// The conversions keep the compiler from fusing multiplications and additions, which would round otherwise.
	t := x * x
	p := 4.13813679705723846039e-08
	for _, c := range [...]float64{-1.65339022054652515390e-06, 6.61375632143793436117e-05, -2.77777777770155933842e-03, 1.66666666666666019037e-01} {
		p = c + float64(t*p)
	}
	c := x - float64(t*p)
	if k == 0 {
		return 1 - (float64(float64(x*c)/(c-2)) - x)
	}
	y := 1 - ((lo - float64(float64(x*c)/(2-c))) - hi)
	return math.Ldexp(y, k)
}

// strictLog10 is the logarithm to base 10 of x = 2ᵏ·f: k·log₁₀ 2 in two parts, and log₁₀ e times the natural logarithm of f.
func strictLog10(x float64) float64 {
	const (
		log10e   = 4.34294481903251816668e-01
		log102Hi = 3.01029995663611771306e-01
		log102Lo = 3.69423907715893078616e-13
	)
	switch {
	case x != x || math.IsInf(x, 1):
		return x
	case x == 0:
		return math.Inf(-1)
	case x < 0:
		return math.NaN()
	}
	k := 0
	if x < 0x1p-1022 {
		k, x = -54, x*(1<<54)
	}
	bits := math.Float64bits(x)
	k += int(bits>>52) - 1023
	neg := 0
	if k < 0 {
		neg = 1
	}
	f := math.Float64frombits(bits&(1<<52-1) | uint64(1023-neg)<<52)
	y := float64(k + neg)
	z := float64(y*log102Lo) + float64(log10e*math.Log(f))
	return z + float64(y*log102Hi)
}
