package kernel

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// A set of many values is hashed and one of few is not; both know the same values, in the order of putting, null among them.
func TestUnique(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := rng.IntN(60)
		values, null := make([]int32, n), make([]bool, n)
		for i := range values {
			values[i], null[i] = int32(rng.IntN(20)), rng.IntN(10) == 0
		}
		v := vec.Of(datatype.Int, values).WithNull(null)
		var want []any
		u := newUnique(datatype.Int)
		u.reset(n)
		for i := range n {
			at, found := u.put(v, int32(i))
			k := slices.Index(want, v.Any(i))
			require.Equal(t, k >= 0, found)
			if k < 0 {
				k = len(want)
				want = append(want, v.Any(i))
			}
			require.Equal(t, k, at)
			require.True(t, u.has(v, int32(i)))
		}
		u.reset(n) // empty again
		for i := range n {
			require.False(t, u.has(v, int32(i)))
		}
	}
}

// javaSort is stable for every length, and stops at the first error.
func TestJavaSort(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for n := range 80 {
		keys, order := make([]int, n), make([]int32, n)
		for i := range keys {
			keys[i], order[i] = rng.IntN(10), int32(i)
		}
		want := slices.Clone(order)
		slices.SortStableFunc(want, func(x, y int32) int { return keys[x] - keys[y] })
		require.NoError(t, javaSort(order, func(x, y int32) (int, error) { return keys[x] - keys[y], nil }))
		require.Equal(t, want, order)
		if n > 1 {
			require.Error(t, javaSort(order, func(x, y int32) (int, error) { return 0, errors.New("no order") }))
		}
	}
}

// A batch cannot be made to hold more elements than its offsets can count.
func TestTooLong(t *testing.T) {
	require.NoError(t, tooLong("f", "FUNCTION", 10, 10))
	require.ErrorContains(t, tooLong("f", "FUNCTION", maxElements+1, 0), "COLLECTION_SIZE_LIMIT_EXCEEDED.FUNCTION")
	require.ErrorContains(t, tooLong("f", "PARAMETER", maxElements, 0), "in one batch")
	require.ErrorContains(t, tooLong("f", "PARAMETER", 1, batchElements), "in one batch")
}
