package kernel

import "math"

// The rest of Java's StrictMath, by fdlibm's published algorithms (see strictmath.go): java.lang.Math has no faster form of these on
// Java 17, so Spark's answers are theirs to the last bit. Products are converted to float64 so that no compiler fuses them with a sum.
const (
	pio2Hi = 1.57079632679489655800e+00
	pio2Lo = 6.12323399573676603587e-17
	pio4Hi = 7.85398163397448278999e-01
)

// high and low are the upper and lower half of a double's bits.
func high(x float64) int32 { return int32(math.Float64bits(x) >> 32) }

func low(x float64) uint32 { return uint32(math.Float64bits(x)) }

// withHigh puts an upper half in the place of x's.
func withHigh(x float64, h int32) float64 {
	return math.Float64frombits(uint64(uint32(h))<<32 | uint64(low(x)))
}

// cutLow clears the lower half.
func cutLow(x float64) float64 { return math.Float64frombits(math.Float64bits(x) &^ 0xffffffff) }

// scaleBy adds k to the exponent's bits.
func scaleBy(y float64, k int) float64 { return withHigh(y, high(y)+int32(k)<<20) }

// strictLog1p writes 1+x = 2^k·(1+f) and keeps what the sum lost.
func strictLog1p(x float64) float64 {
	const (
		l1, l2, l3 = 6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01
		l4, l5, l6 = 2.222219843214978396e-01, 1.818357216161805012e-01, 1.531383769920937332e-01
		l7         = 1.479819860511658591e-01
	)
	hx := high(x)
	ax := hx & 0x7fffffff
	k, hu := 1, int32(1)
	var f, c float64
	if hx < 0x3FDA827A { // x < 0.41422
		if ax >= 0x3ff00000 { // x ≤ -1
			if x == -1 {
				return math.Inf(-1)
			}
			return math.NaN()
		}
		if ax < 0x3e200000 { // |x| < 2⁻²⁹
			if ax < 0x3c900000 {
				return x
			}
			return x - float64(float64(x*x)*0.5)
		}
		lowest := uint32(0xbfd2bec3)
		if hx > 0 || hx <= int32(lowest) { // -0.2929 < x < 0.41422
			k, f = 0, x
		}
	}
	if hx >= 0x7ff00000 {
		return x + x
	}
	if k != 0 {
		var u float64
		if hx < 0x43400000 {
			u = 1 + x
			hu = high(u)
			k = int(hu>>20) - 1023
			if k > 0 {
				c = 1 - (u - x)
			} else {
				c = x - (u - 1)
			}
			c /= u
		} else {
			u = x
			hu = high(u)
			k = int(hu>>20) - 1023
		}
		hu &= 0x000fffff
		if hu < 0x6a09e {
			u = withHigh(u, hu|0x3ff00000)
		} else {
			k++
			u = withHigh(u, hu|0x3fe00000)
			hu = (0x00100000 - hu) >> 2
		}
		f = u - 1
	}
	dk := float64(k)
	half := float64(float64(0.5*f) * f)
	if hu == 0 { // |f| < 2⁻²⁰
		if f == 0 {
			if k == 0 {
				return 0
			}
			c += float64(dk * ln2Lo)
			return float64(dk*ln2Hi) + c
		}
		r := float64(half * (1 - float64(0.66666666666666666*f)))
		if k == 0 {
			return f - r
		}
		return float64(dk*ln2Hi) - ((r - (float64(dk*ln2Lo) + c)) - f)
	}
	s := f / (2 + f)
	z := float64(s * s)
	r := float64(z * (l1 + float64(z*(l2+float64(z*(l3+float64(z*(l4+float64(z*(l5+float64(z*(l6+float64(z*l7)))))))))))))
	if k == 0 {
		return f - (half - float64(s*(half+r)))
	}
	return float64(dk*ln2Hi) - ((half - (float64(s*(half+r)) + (float64(dk*ln2Lo) + c))) - f)
}

// strictExpm1 reduces as [strictExp] does and takes care of the leading one.
func strictExpm1(x float64) float64 {
	const (
		overflow = 7.09782712893383973096e+02
		invLn2   = 1.44269504088896338700e+00
		q1, q2   = -3.33333333333331316428e-02, 1.58730158725481460165e-03
		q3, q4   = -7.93650757867487942473e-05, 4.00821782732936239552e-06
		q5       = -2.01099218183624371326e-07
	)
	hx := high(x) & 0x7fffffff
	neg := math.Signbit(x)
	if hx >= 0x4043687A { // |x| ≥ 56·ln 2
		if hx >= 0x7ff00000 {
			if math.IsInf(x, -1) {
				return -1
			}
			return x + x
		}
		if x > overflow {
			return math.Inf(1)
		}
		if neg {
			return -1
		}
	}
	k := 0
	var c float64
	switch {
	case hx > 0x3fd62e42: // |x| > 0.5·ln 2
		var hi, lo float64
		switch {
		case hx >= 0x3FF0A2B2:
			half := 0.5
			if neg {
				half = -0.5
			}
			k = int(float64(invLn2*x) + half)
			t := float64(k)
			hi = x - float64(t*ln2Hi)
			lo = float64(t * ln2Lo)
		case neg:
			hi, lo, k = x+ln2Hi, -ln2Lo, -1
		default:
			hi, lo, k = x-ln2Hi, ln2Lo, 1
		}
		x = hi - lo
		c = (hi - x) - lo
	case hx < 0x3c900000:
		return x
	}
	hfx := float64(0.5 * x)
	hxs := float64(x * hfx)
	r1 := 1 + float64(hxs*(q1+float64(hxs*(q2+float64(hxs*(q3+float64(hxs*(q4+float64(hxs*q5)))))))))
	t := 3 - float64(r1*hfx)
	e := float64(hxs * ((r1 - t) / (6 - float64(x*t))))
	if k == 0 {
		return x - (float64(x*e) - hxs)
	}
	e = float64(x*(e-c)) - c
	e -= hxs
	switch {
	case k == -1:
		return float64(0.5*(x-e)) - 0.5
	case k == 1 && x < -0.25:
		return -2 * (e - (x + 0.5))
	case k == 1:
		return 1 + float64(2*(x-e))
	case k <= -2 || k > 56:
		return scaleBy(1-(e-x), k) - 1
	case k < 20:
		t = withHigh(0, 0x3ff00000-(0x200000>>k))
		return scaleBy(t-(e-x), k)
	}
	t = withHigh(0, int32(0x3ff-k)<<20)
	return scaleBy(x-(e+t)+1, k)
}

// hyperbolicMax is the greatest |x| whose sinh and cosh are finite.
const hyperbolicMax = 7.10475860073943942030e+02

func strictSinh(x float64) float64 {
	a := math.Abs(x)
	h := 0.5
	if math.Signbit(x) {
		h = -0.5
	}
	switch {
	case x != x || math.IsInf(x, 0):
		return x
	case high(a) < 0x40360000: // |x| < 22
		if high(a) < 0x3e300000 {
			return x
		}
		t := strictExpm1(a)
		if high(a) < 0x3ff00000 {
			return float64(h * (float64(2*t) - float64(t*t)/(t+1)))
		}
		return float64(h * (t + t/(t+1)))
	case high(a) < 0x40862E42:
		return h * strictExp(a)
	case a <= hyperbolicMax:
		w := strictExp(0.5 * a)
		t := float64(h * w)
		return t * w
	}
	return x * math.Inf(1)
}

func strictCosh(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x || math.IsInf(x, 0):
		return a
	case high(a) < 0x3fd62e43: // |x| < 0.5·ln 2
		t := strictExpm1(a)
		w := 1 + t
		if high(a) < 0x3c800000 {
			return w
		}
		return 1 + float64(t*t)/(w+w)
	case high(a) < 0x40360000:
		t := strictExp(a)
		return float64(0.5*t) + 0.5/t
	case high(a) < 0x40862E42:
		return 0.5 * strictExp(a)
	case a <= hyperbolicMax:
		w := strictExp(0.5 * a)
		t := float64(0.5 * w)
		return t * w
	}
	return math.Inf(1)
}

func strictTanh(x float64) float64 {
	a := math.Abs(x)
	var z float64
	switch {
	case x != x:
		return x
	case high(a) >= 0x40360000: // |x| ≥ 22
		z = 1
	case high(a) < 0x3c800000:
		return float64(x * (1 + x))
	case high(a) >= 0x3ff00000:
		z = 1 - 2/(strictExpm1(2*a)+2)
	default:
		t := strictExpm1(-2 * a)
		z = -t / (t + 2)
	}
	if math.Signbit(x) {
		return -z
	}
	return z
}

// asinPoly is the rational approximation of (asin(x)−x)/x³ in t = x², which ASIN and ACOS share.
func asinPoly(t float64) float64 {
	const (
		p0, p1 = 1.66666666666666657415e-01, -3.25565818622400915405e-01
		p2, p3 = 2.01212532134862925881e-01, -4.00555345006794114027e-02
		p4, p5 = 7.91534994289814532176e-04, 3.47933107596021167570e-05
		q1, q2 = -2.40339491173441421878e+00, 2.02094576023350569471e+00
		q3, q4 = -6.88283971605453293030e-01, 7.70381505559019352791e-02
	)
	p := float64(t * (p0 + float64(t*(p1+float64(t*(p2+float64(t*(p3+float64(t*(p4+float64(t*p5)))))))))))
	q := 1 + float64(t*(q1+float64(t*(q2+float64(t*(q3+float64(t*q4)))))))
	return p / q
}

func strictAsin(x float64) float64 {
	a := math.Abs(x)
	switch {
	case a == 1:
		return float64(x*pio2Hi) + float64(x*pio2Lo)
	case !(a < 1):
		return math.NaN()
	case high(a) < 0x3fe00000: // |x| < 0.5
		if high(a) < 0x3e400000 {
			return x
		}
		return x + float64(x*asinPoly(float64(x*x)))
	}
	t := float64((1 - a) * 0.5)
	r := asinPoly(t)
	s := math.Sqrt(t)
	if high(a) >= 0x3FEF3333 { // |x| > 0.975
		t = pio2Hi - (float64(2*(s+float64(s*r))) - pio2Lo)
	} else {
		w := cutLow(s)
		c := (t - float64(w*w)) / (s + w)
		p := float64(float64(2*s)*r) - (pio2Lo - float64(2*c))
		q := pio4Hi - float64(2*w)
		t = pio4Hi - (p - q)
	}
	if math.Signbit(x) {
		return -t
	}
	return t
}

func strictAcos(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x == 1:
		return 0
	case x == -1:
		return math.Pi + float64(2*pio2Lo)
	case !(a < 1):
		return math.NaN()
	case high(a) < 0x3fe00000: // |x| < 0.5
		if high(a) <= 0x3c600000 {
			return pio2Hi + pio2Lo
		}
		return pio2Hi - (x - (pio2Lo - float64(x*asinPoly(float64(x*x)))))
	case x < 0:
		z := float64((1 + x) * 0.5)
		s := math.Sqrt(z)
		w := float64(asinPoly(z)*s) - pio2Lo
		return math.Pi - float64(2*(s+w))
	}
	z := float64((1 - x) * 0.5)
	s := math.Sqrt(z)
	df := cutLow(s)
	c := (z - float64(df*df)) / (s + df)
	w := float64(asinPoly(z)*s) + c
	return float64(2 * (df + w))
}

// atanHi and atanLo are the arcus tangents of 0.5, 1, 1.5 and infinity in two parts.
var (
	atanHi = [...]float64{4.63647609000806093515e-01, 7.85398163397448278999e-01, 9.82793723247329054082e-01, 1.57079632679489655800e+00}
	atanLo = [...]float64{2.26987774529616870924e-17, 3.06161699786838301793e-17, 1.39033110312309984516e-17, 6.12323399573676603587e-17}
)

func strictAtan(x float64) float64 {
	const (
		a0, a1, a2 = 3.33333333333329318027e-01, -1.99999999998764832476e-01, 1.42857142725034663711e-01
		a3, a4, a5 = -1.11111104054623557880e-01, 9.09088713343650656196e-02, -7.69187620504482999495e-02
		a6, a7, a8 = 6.66107313738753120669e-02, -5.83357013379057348645e-02, 4.97687799461593236017e-02
		a9, a10    = -3.65315727442169155270e-02, 1.62858201153657823623e-02
	)
	neg := math.Signbit(x)
	a := math.Abs(x)
	ix := high(a)
	id := -1
	switch {
	case x != x:
		return x
	case ix >= 0x44100000: // |x| ≥ 2⁶⁶
		z := atanHi[3] + atanLo[3]
		if neg {
			return -z
		}
		return z
	case ix < 0x3fdc0000: // |x| < 0.4375
		if ix < 0x3e200000 {
			return x
		}
		a = x
	case ix < 0x3fe60000:
		id, a = 0, (float64(2*a)-1)/(2+a)
	case ix < 0x3ff30000:
		id, a = 1, (a-1)/(a+1)
	case ix < 0x40038000:
		id, a = 2, (a-1.5)/(1+float64(1.5*a))
	default:
		id, a = 3, -1/a
	}
	z := float64(a * a)
	w := float64(z * z)
	s1 := float64(z * (a0 + float64(w*(a2+float64(w*(a4+float64(w*(a6+float64(w*(a8+float64(w*a10)))))))))))
	s2 := float64(w * (a1 + float64(w*(a3+float64(w*(a5+float64(w*(a7+float64(w*a9)))))))))
	if id < 0 {
		return a - float64(a*(s1+s2))
	}
	r := atanHi[id] - ((float64(a*(s1+s2)) - atanLo[id]) - a)
	if neg {
		return -r
	}
	return r
}

func strictAtan2(y, x float64) float64 {
	const piLo = 1.2246467991473531772e-16
	sign := func(z float64) float64 { return math.Copysign(z, y) }
	switch {
	case x != x || y != y:
		return math.NaN()
	case x == 1:
		return strictAtan(y)
	case y == 0 && !math.Signbit(x):
		return y
	case y == 0:
		return sign(math.Pi)
	case x == 0:
		return sign(pio2Hi)
	case math.IsInf(x, 1) && math.IsInf(y, 0):
		return sign(pio4Hi)
	case math.IsInf(x, -1) && math.IsInf(y, 0):
		return sign(3 * pio4Hi)
	case math.IsInf(x, 1):
		return sign(0)
	case math.IsInf(x, -1):
		return sign(math.Pi)
	case math.IsInf(y, 0):
		return sign(pio2Hi)
	}
	var z float64
	switch k := (high(math.Abs(y)) - high(math.Abs(x))) >> 20; {
	case k > 60:
		z = pio2Hi + float64(0.5*piLo)
	case x < 0 && k < -60:
		z = 0
	default:
		z = strictAtan(math.Abs(y / x))
	}
	switch {
	case x > 0:
		return sign(z)
	case y > 0:
		return math.Pi - (z - piLo)
	}
	return (z - piLo) - math.Pi
}

func strictCbrt(x float64) float64 {
	const (
		b1, b2  = 715094163, 696219795
		c, d, e = 5.42857142857142815906e-01, -7.05306122448979611050e-01, 1.41428571428571436819e+00
		f, g    = 1.60714285714285720630e+00, 3.57142857142857150787e-01
	)
	if x == 0 || x != x || math.IsInf(x, 0) {
		return x
	}
	a := math.Abs(x)
	var t float64
	if a < 0x1p-1022 {
		t = 0x1p54 * a
		t = withHigh(t, high(t)/3+b2)
	} else {
		t = withHigh(0, high(a)/3+b1)
	}
	r := float64(t*t) / a
	s := c + float64(r*t)
	t *= g + f/(s+e+d/s)
	t = withHigh(cutLow(t), high(t)+1)
	s = float64(t * t)
	r = a / s
	w := t + t
	r = (r - t) / (w + r)
	t += float64(t * r)
	return math.Copysign(t, x)
}

func strictHypot(x, y float64) float64 {
	a, b := math.Abs(x), math.Abs(y)
	switch {
	case math.IsInf(a, 0) || math.IsInf(b, 0):
		return math.Inf(1)
	case a != a || b != b:
		return math.NaN()
	}
	if b > a {
		a, b = b, a
	}
	if high(a)-high(b) > 0x3c00000 { // a/b > 2⁶⁰
		return a + b
	}
	k := 0
	if high(a) > 0x5f300000 { // a > 2⁵⁰⁰
		a, b, k = a*0x1p-600, b*0x1p-600, k+600
	}
	if high(b) < 0x20b00000 { // b < 2⁻⁵⁰⁰
		if b < 0x1p-1022 {
			if b == 0 {
				return a
			}
			a, b, k = a*0x1p1022, b*0x1p1022, k-1022
		} else {
			a, b, k = a*0x1p600, b*0x1p600, k-600
		}
	}
	w := a - b
	if w > b {
		t1 := cutLow(a)
		t2 := a - t1
		w = math.Sqrt(float64(t1*t1) - (float64(b*-b) - float64(t2*(a+t1))))
	} else {
		a2 := a + a
		y1 := cutLow(b)
		y2 := b - y1
		t1 := cutLow(a2)
		t2 := a2 - t1
		w = math.Sqrt(float64(t1*y1) - (float64(w*-w) - (float64(t1*y2) + float64(t2*b))))
	}
	if k != 0 {
		return math.Ldexp(w, k)
	}
	return w
}

func strictAsinh(x float64) float64 {
	a := math.Abs(x)
	var w float64
	switch {
	case x != x || math.IsInf(x, 0) || high(a) < 0x3e300000:
		return x
	case high(a) > 0x41b00000: // |x| > 2²⁸
		w = strictLog(a) + math.Ln2
	case high(a) > 0x40000000:
		w = strictLog(float64(2*a) + 1/(math.Sqrt(float64(x*x)+1)+a))
	default:
		t := float64(x * x)
		w = strictLog1p(a + t/(1+math.Sqrt(1+t)))
	}
	return math.Copysign(w, x)
}

func strictAcosh(x float64) float64 {
	switch {
	case !(x >= 1):
		return math.NaN()
	case math.IsInf(x, 1):
		return x
	case high(x) >= 0x41b00000: // x ≥ 2²⁸
		return strictLog(x) + math.Ln2
	case x == 1:
		return 0
	case high(x) > 0x40000000:
		t := float64(x * x)
		return strictLog(float64(2*x) - 1/(x+math.Sqrt(t-1)))
	}
	t := x - 1
	return strictLog1p(t + math.Sqrt(float64(2*t)+float64(t*t)))
}
