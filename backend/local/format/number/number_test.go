package number

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/stretchr/testify/require"
)

// The vectors are Spark 4.2.0's answers, most of them recorded in format/json/testdata too.
func TestDecimal(t *testing.T) {
	for _, c := range []struct {
		in      string
		p, s    int
		want    string
		invalid bool
	}{
		{in: "1", p: 5, s: 2, want: "1.00"},
		{in: "1.005", p: 5, s: 2, want: "1.01"},
		{in: "-1.005", p: 5, s: 2, want: "-1.01"},
		{in: "999.994", p: 5, s: 2, want: "999.99"},
		{in: "999.995", p: 5, s: 2, invalid: true},
		{in: "1e2", p: 5, s: 2, want: "100.00"},
		{in: "1.5e-1", p: 5, s: 2, want: "0.15"},
		{in: "1E400", p: 38, s: 0, invalid: true},
		{in: "1e-400", p: 38, s: 10, want: "0.0000000000"},
		{in: "0e999999999", p: 5, s: 0, want: "0"},
		{in: "-0", p: 5, s: 2, want: "0.00"},
		{in: ".5", p: 5, s: 1, want: "0.5"},
		{in: "5.", p: 5, s: 1, want: "5.0"},
		{in: ".", p: 5, s: 1, invalid: true},
		{in: "", p: 5, s: 1, invalid: true},
		{in: "1e", p: 5, s: 1, invalid: true},
		{in: "1..2", p: 5, s: 1, invalid: true},
		{in: "12345678901234567890", p: 38, s: 10, want: "12345678901234567890.0000000000"},
		{in: strings.Repeat("9", 38), p: 38, s: 0, want: strings.Repeat("9", 38)},
		{in: strings.Repeat("9", 39), p: 38, s: 0, invalid: true},
		{in: "0." + strings.Repeat("9", 39), p: 38, s: 38, invalid: true},
		{in: "0." + strings.Repeat("4", 5000), p: 38, s: 1, want: "0.4"},
		{in: strings.Repeat("0", 5000) + "7", p: 3, s: 1, want: "7.0"},
		{in: "0.5", p: 1, s: 0, want: "1"},
		{in: "0.05", p: 1, s: 0, want: "0"},
	} {
		v, ok := Decimal([]byte(c.in), c.p, c.s)
		require.Equal(t, !c.invalid, ok, "%q", c.in)
		if ok {
			require.Equal(t, c.want, string(AppendDecimal(nil, v, c.s)), "%q", c.in)
		}
	}
}

// TestDecimalAgainstBig holds the fast path to arithmetic without bounds.
func TestDecimalAgainstBig(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	accepted := 0
	for range 20_000 {
		digits := make([]byte, 1+r.IntN(24))
		for i := range digits {
			digits[i] = byte('0' + r.IntN(10))
		}
		at := r.IntN(len(digits) + 1)
		text := string(digits[:at]) + "." + string(digits[at:])
		if r.IntN(2) == 0 {
			text = "-" + text
		}
		p := 1 + r.IntN(38)
		s := r.IntN(p + 1)
		exact, _ := new(big.Rat).SetString(text)
		scaled := new(big.Rat).Mul(exact, new(big.Rat).SetInt(pow(s)))
		num := new(big.Int).Abs(scaled.Num())
		q := num.Lsh(num, 1).Add(num, scaled.Denom())
		q.Quo(q, new(big.Int).Lsh(scaled.Denom(), 1))
		fits := q.Cmp(pow(p)) < 0
		if scaled.Sign() < 0 {
			q.Neg(q)
		}
		v, ok := Decimal([]byte(text), p, s)
		require.Equal(t, fits, ok, "%s as decimal(%d,%d)", text, p, s)
		if ok {
			accepted++
			require.Equal(t, q.String(), v.BigInt().String(), "%s as decimal(%d,%d)", text, p, s)
		}
	}
	require.Greater(t, accepted, 6_000)
}

func TestJavaDecimal(t *testing.T) {
	for _, c := range []struct {
		v     int64
		scale int
		want  string
	}{{1000, 10, "1.000E-7"}, {0, 10, "0E-10"}, {100, 0, "100"}, {1, 6, "0.000001"}, {1, 7, "1E-7"}, {-15, 1, "-1.5"}} {
		require.Equal(t, c.want, string(AppendJavaDecimal(nil, decimal128.FromI64(c.v), c.scale)))
	}
}
