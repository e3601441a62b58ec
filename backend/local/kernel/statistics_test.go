package kernel

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// The estimates are what Spark 4.2.0 gave over range(n): by linear counting, with a bias, and raw; whole, and merged from states.
func TestApproxCountDistinct(t *testing.T) {
	f, ok := catalog.Lookup("approx_count_distinct")
	require.True(t, ok)
	for _, c := range []struct {
		n    int
		rsd  float64
		want int64
	}{{0, 0.05, 0}, {100, 0.05, 103}, {700, 0.05, 698}, {1500, 0.05, 1400}, {2500, 0.05, 2378}, {50_000, 0.05, 50113}, {50_000, 0.3, 59583}, {100, 0.3, 80}, {50_000, 0.02, 50201}} {
		call := &tree.Call{Func: f, Typ: datatype.Long, Args: []tree.Scalar{&tree.Column{Rel: bigints(t)}, &tree.Literal{Typ: datatype.Double, Value: c.rsd}}}
		a, err := CompileAggregate(call, &Env{ANSI: true, Zone: time.UTC})
		require.NoError(t, err)
		x := make([]int64, c.n)
		for i := range x {
			x[i] = int64(i)
		}
		half := c.n / 2
		one, two, three := a.New(), a.New(), a.New()
		for _, acc := range []Accumulator{one, two, three} {
			acc.Grow(1)
		}
		add := func(acc Accumulator, x []int64) {
			require.NoError(t, acc.Update([]*vec.Vec{vec.Of(datatype.Long, x)}, nil, nil, len(x)))
		}
		add(one, x)
		add(two, x[:half])
		add(three, x[half/2:])
		rest, err := three.Decode(0, two.Encode(0, nil))
		require.NoError(t, err)
		require.Empty(t, rest)
		for _, acc := range []Accumulator{one, three} {
			v, err := acc.Result(1)
			require.NoError(t, err)
			require.Equal(t, c.want, v.I64[0], "%d values, %v", c.n, c.rsd)
		}
		if c.n > 0 {
			_, err = three.Decode(0, two.Encode(0, nil)[:5])
			require.Error(t, err)
		}
	}
}

// The states of the statistics go through their encoding, and a state that ends too early is an error.
func TestStatisticsStates(t *testing.T) {
	x, y := vec.Of(datatype.Double, []float64{1, 10, 100, 1000}), vec.Of(datatype.Double, []float64{2, 3, 5, 4})
	for _, name := range []string{"stddev", "stddev_pop", "variance", "var_pop", "skewness", "kurtosis", "corr", "covar_pop", "covar_samp", "regr_avgx", "regr_avgy", "regr_sxx", "regr_syy", "regr_sxy", "regr_slope", "regr_intercept", "regr_r2", "median"} {
		f, ok := catalog.Lookup(name)
		require.True(t, ok)
		args := []*vec.Vec{x, y}
		columns := []tree.Scalar{&tree.Column{Rel: bigints(t), Ordinal: 1}, &tree.Column{Rel: bigints(t), Ordinal: 1}}
		n := len(f.Signatures()[0].Params)
		a, err := CompileAggregate(&tree.Call{Func: f, Typ: datatype.Double, Args: columns[:n]}, &Env{ANSI: true, Zone: time.UTC})
		require.NoError(t, err)
		whole, old, fresh := a.New(), a.New(), a.New()
		for _, acc := range []Accumulator{whole, old, fresh} {
			acc.Grow(1)
		}
		require.NoError(t, whole.Update(args[:n], nil, nil, 4))
		require.NoError(t, old.Update(args[:n], nil, []bool{false, false, true, true}, 4))
		require.NoError(t, fresh.Update(args[:n], nil, []bool{true, true, false, false}, 4))
		state := old.Encode(0, nil)
		short := a.New()
		short.Grow(1)
		_, err = short.Decode(0, state[:len(state)-1])
		require.Error(t, err, name)
		rest, err := fresh.Decode(0, state)
		require.NoError(t, err)
		require.Empty(t, rest)
		want, err := whole.Result(1)
		require.NoError(t, err)
		got, err := fresh.Result(1)
		require.NoError(t, err)
		require.InEpsilon(t, want.F64[0], got.F64[0], 1e-12, name)
	}
}

// bigints is a relation of a BIGINT and a DOUBLE.
func bigints(t *testing.T) tree.Relation {
	t.Helper()
	return &tree.Values{Node: tree.Node{Out: tree.NewSchema([]tree.Field{{Name: "n", Type: datatype.Long}, {Name: "x", Type: datatype.Double}})}}
}
