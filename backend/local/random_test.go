package local_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/backend/local/plan"
	"github.com/spoonbill-go/spoonbill/conformance"
)

// Random trees have one answer without any rule of the planner, with any number of goroutines, and for batches of any size.
func TestRandomTreesHaveOneAnswer(t *testing.T) {
	t.Parallel()
	trees := 200
	if testing.Short() {
		trees = 50
	}
	variants := map[string]*local.Session{
		"one core": open(t, local.Parallelism(1)), "many cores": open(t, local.Parallelism(5), local.BatchRows(3)),
		"batches of 1": open(t, local.BatchRows(1)), "batches of 7": open(t, local.BatchRows(7)), "batches of 8192": open(t, local.BatchRows(8192)),
	}
	var rules []string
	for _, rule := range plan.Rules {
		rules = append(rules, rule.Name)
		variants["without "+rule.Name] = open(t, local.WithoutRules(rule.Name))
	}
	plain := open(t, local.Parallelism(1), local.WithoutRules(rules...))
	for seed := range uint64(trees) {
		tree := conformance.NewRandomTree(seed)
		q := tree.Query()
		want, err := conformance.Ask(ctx, plain, q.Table, q.Ordered)
		require.NoError(t, err, "seed %d:\n%s%s", seed, tree, q.Table)
		for name, s := range variants {
			got, err := conformance.Ask(ctx, s, q.Table, q.Ordered)
			require.NoError(t, err, "seed %d, %s:\n%s%s", seed, name, tree, q.Table)
			if err := q.Differ(want, got); err != nil {
				t.Errorf("seed %d, %s: %v\n%s%s\nwithout any rule it is\n%sbut\n%s", seed, name, err, tree, q.Table, want, got)
			}
		}
	}
}
