package kernel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// StrictMath's EXPM1 and LOG1P are those of Go where no compiler fuses operations; the others are near Go's, and symmetric.
func TestStrictMathIsNearMath(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	near := func(name string, x, want, got float64) {
		if want != want || math.IsInf(want, 0) {
			require.Equal(t, math.Float64bits(want) == math.Float64bits(got) || want != want && got != got, true, "%s(%v) = %v, not %v", name, x, got, want)
			return
		}
		require.InEpsilon(t, want+math.Copysign(1e-300, want), got+math.Copysign(1e-300, want), 3e-14, "%s(%v)", name, x)
	}
	for range 20_000 {
		x := math.Ldexp(r.Float64()*2-1, r.IntN(21)-12)
		for _, f := range []struct {
			name string
			want func(float64) float64
			got  func(float64) float64
		}{
			{"expm1", math.Expm1, strictExpm1}, {"log1p", math.Log1p, strictLog1p}, {"sinh", math.Sinh, strictSinh}, {"cosh", math.Cosh, strictCosh}, {"tanh", math.Tanh, strictTanh},
			{"atan", math.Atan, strictAtan}, {"asinh", math.Asinh, strictAsinh}, {"cbrt", math.Cbrt, strictCbrt},
			{"acosh", math.Acosh, strictAcosh},
		} {
			near(f.name, x, f.want(x), f.got(x))
		}
		y := r.Float64()*2 - 1
		near("asin", y, math.Asin(y), strictAsin(y))
		if math.Abs(y) < 0.99 {
			near("acos", y, math.Acos(y), strictAcos(y))
		}
		near("atan2", y, math.Atan2(x, y), strictAtan2(x, y))
		near("hypot", y, math.Hypot(x, y), strictHypot(x, y))
	}
}

// The short reduction and the exact one agree, and the sine is that of a long series.
func TestTrigonometryIsRounded(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	sin := func(x float64) float64 {
		trigOnce.Do(trigTables)
		b := new(big.Float).SetPrec(1400).SetFloat64(x)
		n, _ := new(big.Float).SetPrec(1400).Quo(b, halfPi).Int(nil)
		n.Sub(n, new(big.Int).Rem(n, big.NewInt(4)))
		b.Sub(b, new(big.Float).SetPrec(1400).Mul(halfPi, new(big.Float).SetInt(n)))
		b.SetPrec(300)
		sum, term := new(big.Float).SetPrec(300).Set(b), new(big.Float).SetPrec(300).Set(b)
		sq := new(big.Float).SetPrec(300).Mul(b, b)
		for k := int64(2); k < 120; k += 2 {
			term.Mul(term, sq)
			term.Quo(term, new(big.Float).SetInt64(-k*(k+1)))
			sum.Add(sum, term)
		}
		f, _ := sum.Float64()
		return f
	}
	for range 3_000 {
		x := math.Ldexp(r.Float64()*2-1, r.IntN(60)-20)
		require.Equal(t, sin(x), javaSin(x), "sin(%v)", x)
		require.InDelta(t, math.Cos(x), javaCos(x), 1e-13)
		require.InEpsilon(t, math.Tan(x), javaTan(x), 1e-8)
	}
}
