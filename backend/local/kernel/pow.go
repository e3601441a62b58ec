package kernel

import "math"

// strictPow is StrictMath.pow: log2(x) in two parts by fdlibm's polynomial, times y, and the power of two of it. Where C gives 1 for ±1 to an
// infinite power and for 1 to NaN, Java gives NaN.
func strictPow(x, y float64) float64 {
	ax := math.Abs(x)
	switch {
	case y == 0:
		return 1
	case x != x || y != y:
		return math.NaN()
	case y == 1:
		return x
	case y == 2:
		return x * x
	case y == 0.5 && x >= -math.MaxFloat64:
		return math.Sqrt(x + 0) // a minus zero counts as zero
	case y == -1:
		return 1 / x
	case math.IsInf(y, 0):
		switch {
		case ax == 1:
			return math.NaN()
		case (ax > 1) == (y > 0):
			return math.Inf(1)
		}
		return 0
	}
	// 0: y is no whole number; 1: odd; 2: even.
	whole := 0
	if x < 0 || x == 0 && math.Signbit(x) || math.IsInf(x, -1) {
		switch r := math.Mod(y, 2); {
		case r == 0:
			whole = 2
		case r == 1 || r == -1:
			whole = 1
		}
	}
	if ax == 0 || math.IsInf(ax, 0) || ax == 1 {
		z := ax
		if y < 0 {
			z = 1 / ax
		}
		if math.Signbit(x) {
			if ax == 1 && whole == 0 {
				return math.NaN()
			}
			if whole == 1 {
				z = -z
			}
		}
		return z
	}
	if x < 0 && whole == 0 {
		return math.NaN()
	}
	s := 1.0
	if x < 0 && whole == 1 {
		s = -1
	}
	var t1, t2 float64
	if math.Abs(y) > 0x1.00000_ffff_ffffp31 {
		const invLn2, invLn2H, invLn2L = 1.44269504088896338700e+00, 1.44269502162933349609e+00, 1.92596299112661746887e-08
		if ax < 0x1.fffff_0000_0000p-1 {
			if y < 0 {
				return s * math.Inf(1)
			}
			return s * 0
		}
		if ax > 0x1.00000_ffff_ffffp0 {
			if y > 0 {
				return s * math.Inf(1)
			}
			return s * 0
		}
		// |1−x| ≤ 2⁻²⁰: log(x) by x − x²/2 + x³/3 − x⁴/4
		t := ax - 1
		w := float64(float64(t*t) * (0.5 - float64(t*(0.3333333333333333333333-float64(t*0.25)))))
		u := float64(invLn2H * t)
		v := float64(t*invLn2L) - float64(w*invLn2)
		t1 = cutLow(u + v)
		t2 = v - (t1 - u)
	} else {
		t1, t2 = powLog2(ax)
	}
	// y1+y2 is y in two parts; (y1+y2)·(t1+t2)
	y1 := cutLow(y)
	pl := float64((y-y1)*t1) + float64(y*t2)
	ph := float64(y1 * t1)
	z := pl + ph
	j, i := high(z), low(z)
	const overT = 8.0085662595372944372e-17
	switch {
	case j >= 0x40900000:
		if j != 0x40900000 || i != 0 || pl+overT > z-ph {
			return s * math.Inf(1)
		}
	case j&0x7fffffff >= 0x4090cc00:
		edge := uint32(0xc090cc00)
		if j != int32(edge) || i != 0 || pl <= z-ph {
			return s * 0
		}
	}
	return s * powExp2(z, ph, pl)
}

// powLog2 gives log2 of a positive number that is not 1 in two parts.
func powLog2(ax float64) (t1, t2 float64) {
	const (
		cp, cpH, cpL = 9.61796693925975554329e-01, 9.61796700954437255859e-01, -7.02846165095275826516e-09
		l1, l2, l3   = 5.99999999999994648725e-01, 4.28571428578550184252e-01, 3.33333329818377432918e-01
		l4, l5, l6   = 2.72728123808534006489e-01, 2.30660745775561754067e-01, 2.06975017800338417784e-01
	)
	n := 0
	if ax < 0x1p-1022 {
		ax *= 0x1p53
		n = -53
	}
	ix := high(ax)
	n += int(ix>>20) - 0x3ff
	j := ix & 0x000fffff
	ix = j | 0x3ff00000
	k := 0
	switch {
	case j <= 0x3988E: // below √(3/2)
	case j < 0xBB67A: // below √3
		k = 1
	default:
		n++
		ix -= 0x00100000
	}
	bp, dpH, dpL := 1.0, 0.0, 0.0
	if k == 1 {
		bp, dpH, dpL = 1.5, 5.84962487220764160156e-01, 1.35003920212974897128e-08
	}
	ax = withHigh(ax, ix)
	u := ax - bp
	v := 1 / (ax + bp)
	ss := float64(u * v)
	sh := cutLow(ss)
	th := withHigh(0, ix>>1|0x20000000+0x00080000+int32(k)<<18)
	tl := ax - (th - bp)
	sl := float64(v * ((u - float64(sh*th)) - float64(sh*tl)))
	s2 := float64(ss * ss)
	r := float64(float64(s2*s2) * (l1 + float64(s2*(l2+float64(s2*(l3+float64(s2*(l4+float64(s2*(l5+float64(s2*l6)))))))))))
	r += float64(sl * (sh + ss))
	s2 = float64(sh * sh)
	th = cutLow(3 + s2 + r)
	tl = r - ((th - 3) - s2)
	u = float64(sh * th)
	v = float64(sl*th) + float64(tl*ss)
	ph := cutLow(u + v)
	pl := v - (ph - u)
	zh := float64(cpH * ph)
	zl := float64(cpL*ph) + float64(pl*cp) + dpL
	t := float64(n)
	t1 = cutLow(((zh + zl) + dpH) + t)
	t2 = zl - (((t1 - t) - dpH) - zh)
	return t1, t2
}

// powExp2 gives 2 to the power of ph+pl, whose sum is z.
func powExp2(z, ph, pl float64) float64 {
	const (
		lg2, lg2H, lg2L = 6.93147180559945286227e-01, 6.93147182464599609375e-01, -1.90465429995776804525e-09
		p1, p2, p3      = 1.66666666666666019037e-01, -2.77777777770155933842e-03, 6.61375632143793436117e-05
		p4, p5          = -1.65339022054652515390e-06, 4.13813679705723846039e-08
	)
	j := high(z)
	i := j & 0x7fffffff
	k := i>>20 - 0x3ff
	n := int32(0)
	if i > 0x3fe00000 { // |z| > 0.5
		n = j + 0x00100000>>(k+1)
		k = (n&0x7fffffff)>>20 - 0x3ff
		t := withHigh(0, n&^(0x000fffff>>k))
		n = (n&0x000fffff | 0x00100000) >> (20 - k)
		if j < 0 {
			n = -n
		}
		ph -= t
	}
	t := cutLow(pl + ph)
	u := float64(t * lg2H)
	v := float64((pl-(t-ph))*lg2) + float64(t*lg2L)
	z = u + v
	w := v - (z - u)
	t = float64(z * z)
	t1 := z - float64(t*(p1+float64(t*(p2+float64(t*(p3+float64(t*(p4+float64(t*p5)))))))))
	r := float64(z*t1)/(t1-2) - (w + float64(z*w))
	z = 1 - (r - z)
	if j = high(z) + n<<20; j>>20 <= 0 {
		return math.Ldexp(z, int(n))
	}
	return withHigh(z, j)
}
