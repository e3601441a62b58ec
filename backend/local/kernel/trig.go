package kernel

import (
	"math"
	"math/big"
	"sync"
)

// Java's Math.sin, cos and tan are not StrictMath's: on the usual processors they are routines of the virtual machine that err by little
// more than half a unit of the last place. Here both sides of the result are computed in pairs of doubles and rounded once, which is
// the nearest double, and so what those routines give but for rare cases at a half.

// pair is an unevaluated sum of two doubles, the second below half a unit of the first.
type pair struct{ h, l float64 }

// sum2 is the exact sum of two doubles.
func sum2(a, b float64) pair {
	s := a + b
	t := s - a
	return pair{s, (a - (s - t)) + (b - t)}
}

// fast2 is sum2 for |a| ≥ |b|.
func fast2(a, b float64) pair {
	s := a + b
	return pair{s, b - (s - a)}
}

// prod2 is the exact product of two doubles.
func prod2(a, b float64) pair {
	p := float64(a * b)
	return pair{p, math.FMA(a, b, -p)}
}

func (a pair) add(b pair) pair {
	s := sum2(a.h, b.h)
	t := sum2(a.l, b.l)
	s = fast2(s.h, s.l+t.h)
	return fast2(s.h, s.l+t.l)
}

func (a pair) mul(b pair) pair {
	p := prod2(a.h, b.h)
	return fast2(p.h, p.l+(float64(a.h*b.l)+float64(a.l*b.h)))
}

func (a pair) div(b pair) pair {
	q := a.h / b.h
	p := b.mul(pair{q, 0})
	r := a.add(pair{-p.h, -p.l})
	q2 := (r.h + r.l) / b.h
	return fast2(q, q2)
}

// inverse factorials 1/3!, 1/4! … as pairs, to the term below 2⁻¹¹⁰ for |x| ≤ π/4.
var (
	inverseFactorials [28]pair
	halfPiParts       [3]float64 // π/2 in three doubles
	trigOnce          sync.Once
	halfPi            *big.Float // π/2 to the bits that the greatest double needs
)

func trigTables() {
	const prec = 1300
	// π = 16·atan(1/5) − 4·atan(1/239)
	atanInv := func(n int64) *big.Float {
		sum, power := new(big.Float).SetPrec(prec), new(big.Float).SetPrec(prec).SetInt64(1)
		x := new(big.Float).SetPrec(prec).SetInt64(n)
		power.Quo(power, x)
		x.Mul(x, x)
		for k := int64(1); ; k += 2 {
			t := new(big.Float).SetPrec(prec).Quo(power, new(big.Float).SetInt64(k))
			if t.Sign() == 0 || t.MantExp(nil) < -prec {
				return sum
			}
			if k%4 == 1 {
				sum.Add(sum, t)
			} else {
				sum.Sub(sum, t)
			}
			power.Quo(power, x)
		}
	}
	a, b := atanInv(5), atanInv(239)
	a.Mul(a, big.NewFloat(8))
	b.Mul(b, big.NewFloat(2))
	halfPi = a.Sub(a, b)
	rest := new(big.Float).SetPrec(prec).Set(halfPi)
	for i := range halfPiParts {
		halfPiParts[i], _ = rest.Float64()
		rest.Sub(rest, new(big.Float).SetFloat64(halfPiParts[i]))
	}
	f := new(big.Float).SetPrec(200).SetInt64(1)
	for i := range inverseFactorials {
		if i > 1 {
			f.Quo(f, new(big.Float).SetPrec(200).SetInt64(int64(i)))
		}
		inverseFactorials[i] = pairOf(f)
	}
}

func pairOf(x *big.Float) pair {
	h, _ := x.Float64()
	r := new(big.Float).SetPrec(x.Prec()).Sub(x, new(big.Float).SetFloat64(h))
	l, _ := r.Float64()
	return pair{h, l}
}

// reduce gives x = q·π/2 + r with |r| hardly above π/4, and q modulo 4. It is exact enough for every double: up to a million by three parts of
// π/2, beyond by exact arithmetic.
func reduce(x float64) (int, pair) {
	trigOnce.Do(trigTables)
	if math.Abs(x) <= pio4Hi {
		return 0, pair{x, 0}
	}
	if math.Abs(x) < 1<<20 {
		n := math.RoundToEven(x * (2 / math.Pi))
		r := pair{x, 0}
		for _, p := range halfPiParts {
			r = r.add(prod2(-n, p))
		}
		return int(n) & 3, r
	}
	b := new(big.Float).SetPrec(1300).SetFloat64(x)
	q := new(big.Float).SetPrec(1300).Quo(b, halfPi)
	// the nearest whole number
	half := 0.5
	if x < 0 {
		half = -0.5
	}
	n, _ := q.Add(q, big.NewFloat(half)).Int(nil)
	r := b.Sub(b, new(big.Float).SetPrec(1300).Mul(halfPi, new(big.Float).SetPrec(1300).SetInt(n)))
	m := int(new(big.Int).And(n, big.NewInt(3)).Int64())
	return m, pairOf(r)
}

// series sums r^i/i! for i = first, first+2 … with alternating signs.
func series(r pair, first int) pair {
	r2 := r.mul(r)
	r2.h, r2.l = -r2.h, -r2.l
	last := 26 + first
	if last >= len(inverseFactorials) {
		last -= 2
	}
	s := inverseFactorials[last]
	for i := last - 2; i >= first; i -= 2 {
		s = s.mul(r2).add(inverseFactorials[i])
	}
	if first == 1 {
		s = s.mul(r)
	}
	return s
}

// sinPair and cosPair are the sine and cosine before the last rounding.
func sinPair(x float64) pair {
	q, r := reduce(x)
	s := series(r, 1-q&1)
	if q&2 != 0 {
		s.h, s.l = -s.h, -s.l
	}
	return s
}

func cosPair(x float64) pair {
	q, r := reduce(x)
	s := series(r, q&1)
	if q == 1 || q == 2 {
		s.h, s.l = -s.h, -s.l
	}
	return s
}

func javaSin(x float64) float64 {
	switch {
	case x != x || math.IsInf(x, 0):
		return math.NaN()
	case math.Abs(x) < 0x1p-27:
		return x // the next term is below half a unit; the sign of zero stays
	}
	return sinPair(x).h
}

func javaCos(x float64) float64 {
	if x != x || math.IsInf(x, 0) {
		return math.NaN()
	}
	return cosPair(x).h
}

func javaTan(x float64) float64 {
	switch {
	case x != x || math.IsInf(x, 0):
		return math.NaN()
	case math.Abs(x) < 0x1p-27:
		return x
	}
	return sinPair(x).div(cosPair(x)).h
}
