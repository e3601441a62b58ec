package javanum_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/internal/javanum"
)

func TestAppendFloat(t *testing.T) {
	for want, v := range map[string]float64{
		"4.9E-324": math.SmallestNonzeroFloat64, "-4.9E-324": -math.SmallestNonzeroFloat64, "9.9E-324": 1e-323, "1.5E-323": 1.5e-323, "2.0E-323": 2e-323,
		"1.7976931348623157E308": math.MaxFloat64, "2.2250738585072014E-308": 0x1p-1022, "1.0": 1, "0.1": 0.1, "0.001": 0.001, "9.999E-4": 0.0009999,
		"1.0E-4": 0.0001, "0.0015": 0.0015, "100.0": 100, "9999999.0": 9999999, "1.0E7": 1e7, "1.2345678E7": 12345678, "123456.789": 123456.789, "1234567.0": 1234567,
		"0.30000000000000004": 0.30000000000000004, "1.0E23": 1e23, "0.0": 0, "NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1), "-0.0": math.Copysign(0, -1),
	} {
		require.Equal(t, want, string(javanum.AppendFloat(nil, v, 64)))
	}
	for want, v := range map[string]float32{
		"1.4E-45": math.SmallestNonzeroFloat32, "2.8E-45": 2 * math.SmallestNonzeroFloat32, "3.4028235E38": math.MaxFloat32, "0.1": 0.1, "1.0E10": 1e10, "1.1754944E-38": 0x1p-126,
	} {
		require.Equal(t, want, string(javanum.AppendFloat(nil, float64(v), 32)))
	}
}

// Whatever it prints reads back as the same number, and it has no more than one digit beyond the shortest.
func TestReadsBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		v := math.Float64frombits(r.Uint64())
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		back, err := strconv.ParseFloat(string(javanum.AppendFloat(nil, v, 64)), 64)
		require.NoError(t, err)
		require.Equal(t, v, back)
		f := math.Float32frombits(r.Uint32())
		if f != f || math.IsInf(float64(f), 0) {
			continue
		}
		back, err = strconv.ParseFloat(string(javanum.AppendFloat(nil, float64(f), 32)), 32)
		require.NoError(t, err)
		require.Equal(t, f, float32(back))
	}
	// One digit and any exponent: a second digit is there for the numbers with the least digits alone.
	for e := -323; e <= 308; e++ {
		for d := 1; d < 10; d++ {
			v, err := strconv.ParseFloat(strconv.Itoa(d)+"e"+strconv.Itoa(e), 64)
			if err != nil {
				continue
			}
			back, err := strconv.ParseFloat(string(javanum.AppendFloat(nil, v, 64)), 64)
			require.NoError(t, err)
			require.Equal(t, v, back)
		}
	}
}

func TestFloatText(t *testing.T) {
	for want, v := range map[string]float64{
		"0.0": 0, "-0.0": math.Copysign(0, -1), "1.0": 1, "100.0": 100, "1.0E7": 1e7, "9999999.0": 9999999, "0.001": 1e-3, "9.99E-4": 9.99e-4,
		"1.0E21": 1e21, "1.23456789125E8": 123456789.125, "NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1),
		"4.9E-324": 4.9e-324, "1.7976931348623157E308": math.MaxFloat64, "0.1": 0.1, "-12.5": -12.5, "0.01": 0.01, "1234567.125": 1234567.125,
	} {
		require.Equal(t, want, string(javanum.AppendFloat(nil, v, 64)))
	}
	for want, v := range map[string]float32{"0.1": 0.1, "1.0E7": 1e7, "1.0E10": 1e10, "3.4028235E38": math.MaxFloat32, "1.6777216E7": 16777216} {
		require.Equal(t, want, string(javanum.AppendFloat(nil, float64(v), 32)))
	}
}
