package kernel

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Sketches with few registers and with all of them are one thing: whichever way values come together, through states or other accumulators, the registers are the
// greatest that were offered.
func TestSketches(t *testing.T) {
	const groups = 5
	for _, p := range []int{4, 9, 14} {
		r := rand.New(rand.NewPCG(uint64(p), 1))
		want := make([]map[uint32]uint8, groups)
		parts := []*hll{{p: p}, {p: p}, {p: p}}
		for g := range want {
			want[g] = map[uint32]uint8{}
		}
		for _, a := range parts {
			a.Grow(groups)
			// Group 0 has nothing, the last ones more registers than are few.
			for g := range groups {
				for range g * a.mostFew() / 2 {
					at, k := uint32(r.IntN(1<<p)), uint8(1+r.IntN(40))
					a.offer(g, at, k)
					want[g][at] = max(want[g][at], k)
				}
			}
		}
		got := &hll{p: p}
		got.Grow(groups)
		require.NoError(t, got.Merge(parts[0], []int32{0, 1, 2, 3, 4}))
		require.NoError(t, got.Merge(parts[1], []int32{-1, -1, -1, -1, -1}))
		for _, a := range parts[1:] {
			for g := range groups {
				state := a.Encode(g, []byte{7})
				rest, err := got.Decode(g, append(state[1:], 9))
				require.NoError(t, err)
				require.Equal(t, []byte{9}, rest)
				for n := range len(state) - 1 {
					_, err := (&hll{p: p, of: make([]sketch, groups)}).Decode(g, state[1:1+n])
					require.Error(t, err, "a state cut short")
				}
			}
		}
		for g := range groups {
			few := got.of[g]
			require.Equal(t, len(want[g]) > got.mostFew(), few.room == roomForAll)
			if few.room != roomForAll {
				require.Len(t, got.few(&few), len(want[g]))
			}
			before := int64(0)
			if few.room > 0 {
				before = got.estimate(&few)
			}
			got.spread(&got.of[g])
			for at, k := range got.registers(&got.of[g]) {
				require.Equal(t, want[g][uint32(at)], k)
			}
			if few.room > 0 {
				require.Equal(t, before, got.estimate(&got.of[g]))
			}
		}
		_, err := got.Decode(0, []byte{fewRegisters, 1, 0, 0, 0, 0, 255})
		require.Error(t, err, "a register that there is not")
		_, err = got.Decode(0, []byte{9})
		require.Error(t, err, "a form that there is not")
	}
}
