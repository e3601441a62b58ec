package kernel

import (
	"math"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

func callOf(t *testing.T, name string, typ datatype.Type, args ...tree.Scalar) (*Expr, error) {
	t.Helper()
	f, ok := catalog.Lookup(name)
	require.True(t, ok)
	return Compile(&tree.Call{Func: f, Args: args, Typ: typ}, &Env{ANSI: true, Zone: time.UTC})
}

// Random numbers have their distribution, differ from row to row, and a seed is refused rather than answered otherwise than Spark would.
func TestRandomFunctions(t *testing.T) {
	const n = 20_000
	eval := func(name string, typ datatype.Type) *vec.Vec {
		e, err := callOf(t, name, typ)
		require.NoError(t, err)
		v, err := e.Eval(&vec.Batch{N: n})
		require.NoError(t, err)
		require.Equal(t, n, v.Len)
		return v
	}
	var sum, sq float64
	for _, x := range eval("random", datatype.Double).F64 {
		require.True(t, x >= 0 && x < 1)
		sum += x
	}
	require.InDelta(t, 0.5, sum/n, 0.02)
	sum = 0
	for _, x := range eval("randn", datatype.Double).F64 {
		sum, sq = sum+x, sq+x*x
	}
	require.InDelta(t, 0, sum/n, 0.05)
	require.InDelta(t, 1, math.Sqrt(sq/n), 0.05)

	ids, form := eval("uuid", datatype.String), regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	seen := map[string]bool{}
	for i := range n {
		require.Regexp(t, form, ids.Str(i))
		require.False(t, seen[ids.Str(i)])
		seen[ids.Str(i)] = true
	}

	_, err := callOf(t, "rand", datatype.Double, &tree.Literal{Typ: datatype.Long, Value: int64(1)})
	require.ErrorContains(t, err, "Leave the seed out")
	_, err = callOf(t, "monotonically_increasing_id", datatype.Long)
	var e *condition.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, condition.Unsupported, e.Condition)
	require.ErrorContains(t, err, "on Spark only")
}

// Powers that fdlibm treats apart, as Java gives them.
func TestStrictPow(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	for _, c := range [][3]float64{
		{1, nan, nan}, {nan, 0, 1}, {1, inf, nan}, {-1, -inf, nan}, {2, inf, inf}, {0.5, inf, 0}, {0.5, -inf, inf}, {zero, 3, zero}, {zero, -3, -inf}, {zero, 2, 0}, {-inf, 3, -inf}, {-inf, 2.5, inf},
		{-8, 1.0 / 3, nan}, {-2, 3, -8}, {zero, 0.5, 0}, {-inf, 0.5, inf}, {1.0000000001, 1e15, inf}, {0.9999999999, 1e15, 0}, {2, 1023.5, 1.2711610061536462e308}, {2, -1074, 5e-324}, {5e-324, 0.5, 2.2227587494850775e-162},
	} {
		got := strictPow(c[0], c[1])
		require.True(t, got == c[2] && math.Signbit(got) == math.Signbit(c[2]) || got != got && c[2] != c[2], "pow(%v, %v) = %v, not %v", c[0], c[1], got, c[2])
	}
}
