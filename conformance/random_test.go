package conformance

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/compiler"
)

var (
	randomTrees = flag.Int("trees", 500, "how many random trees are compared with the live Spark (build tag conformance)")
	randomSeed  = flag.Uint64("seed", 1, "the seed of the first random tree; each one after it has the next number")
)

// answersFile takes Spark's answers from the comparison with it to the planted faults.
var answersFile = flag.String("answers", "", "the file of Spark's answers to random trees: written by TestRandomTrees, read by TestPlantedFaults (build tag stress)")

// randomAnswer is a line of that file.
type randomAnswer struct {
	Seed   uint64 `json:"seed"`
	Safe   bool   `json:"safe,omitempty"` // the answer is that of the tree's safe part
	Answer Answer `json:"answer"`
}

func (a randomAnswer) tree() *RandomTree {
	t := NewRandomTree(a.Seed)
	if a.Safe {
		t = t.Safe()
	}
	return t
}

func openLocal(t *testing.T) *local.Session {
	t.Helper()
	s, err := local.Open(local.ANSI(true))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// Of 20,000 random trees at least 100 have each operation and each function of the catalogue in them, but for those that have a reason; and each prints.
func TestRandomTreesReachEverything(t *testing.T) {
	// Few trees show that everything is reached at all; make stress counts in all of them.
	part, least := 3_000, 3
	if *randomTrees >= 20_000 {
		part, least = 20_000, 100
	}
	counts := map[string]int{}
	for _, op := range randomOps {
		counts[op.name] = 0
	}
	all := randomFunctions()
	for _, f := range slices.Concat(all.scalars, all.aggregates) {
		counts[f.f.Name] = 0
	}
	for seed := range uint64(part) {
		q := NewRandomTree(seed + 1).Query()
		for _, u := range slices.Compact(slices.Sorted(slices.Values(q.Uses))) {
			counts[u]++
		}
		require.NoError(t, q.Table.Err())
		_, err := compiler.SQL(q.Table)
		require.NoError(t, err, "seed %d", seed+1)
	}
	var rare []string
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return counts[a] - counts[b] })
	for _, n := range names {
		if counts[n] < least {
			rare = append(rare, fmt.Sprintf("%s (%d)", n, counts[n]))
		}
	}
	require.Empty(t, rare, "reached by too few of %d random trees", part)
	t.Logf("%d operations and functions; the rarest is %s with %d trees of %d", len(names), names[0], counts[names[0]], part)
	if testing.Verbose() {
		var b strings.Builder
		for _, n := range names {
			fmt.Fprintf(&b, "%s %d, ", n, counts[n])
		}
		t.Log(b.String())
	}
}

// A tree is made of its seed alone.
func TestRandomTreesAreFixed(t *testing.T) {
	for seed := range uint64(100) {
		a, err := compiler.SQL(NewRandomTree(seed).Query().Table)
		require.NoError(t, err)
		b, err := compiler.SQL(NewRandomTree(seed).Query().Table)
		require.NoError(t, err)
		require.Equal(t, a, b)
	}
}

// raisedByRow tells whether some row raises a condition on the local engine: where rows raise different ones, the first is whichever partition comes to it.
func raisedByRow(ctx context.Context, t *RandomTree, want string, engine backend.Session) bool {
	safe := t.Safe().Query()
	rows, err := Ask(ctx, engine, safe.Table, true)
	if err != nil {
		return false
	}
	for i := range rows.Rows {
		if one, err := Ask(ctx, engine, t.Row(i+1).Query().Table, true); err == nil && one.Error == want {
			return true
		}
	}
	return false
}
