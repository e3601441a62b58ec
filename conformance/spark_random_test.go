//go:build conformance

package conformance

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/backend/sparkconnect"
	"github.com/spoonbill-go/spoonbill/compiler"
)

var (
	randomTrees = flag.Int("trees", 500, "how many random trees are compared with the live Spark (build tag conformance)")
	randomSeed  = flag.Uint64("seed", 1, "the seed of the first random tree; each one after it has the next number")
)

// randomSessions is how many queries Spark gets at a time.
const randomSessions = 4

// Spark and the local engine give one answer to random trees: rows, types, nullability, or the condition of an error.
func TestRandomTrees(t *testing.T) {
	engine, err := local.Open(local.ANSI(true))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close()) })
	var next atomic.Uint64
	next.Store(*randomSeed)
	end := *randomSeed + uint64(*randomTrees)
	var mu sync.Mutex
	conditions, rows, failed := map[string]int{}, 0, 0
	start := time.Now()
	var wg sync.WaitGroup
	for range randomSessions {
		// Small tables want no parallelism within a query.
		spark := connect(t, sparkconnect.ANSI(true), sparkconnect.Config("spark.sql.shuffle.partitions", "1"), sparkconnect.Config("spark.sql.adaptive.enabled", "false"))
		wg.Go(func() {
			for seed := next.Add(1) - 1; seed < end; seed = next.Add(1) - 1 {
				want, got, err := askRandom(NewRandomTree(seed), spark, engine)
				mu.Lock()
				if want.Error != "" {
					conditions[want.Error]++
				}
				rows += len(want.Rows)
				mu.Unlock()
				if err == nil {
					continue
				}
				small := shrink(NewRandomTree(seed), func(t *RandomTree) bool {
					_, _, err := askRandom(t, spark, engine)
					return err != nil
				})
				if w, g, e := askRandom(small, spark, engine); e != nil {
					want, got, err = w, g, e
				}
				sql, _ := compiler.SQL(small.Query().Table)
				mu.Lock()
				failed++
				mu.Unlock()
				t.Errorf("seed %d: %v\n%s%s\nSpark %s says\n%sbut the local engine\n%s", seed, err, small, sql, spark.Version(), want, got)
			}
		})
	}
	wg.Wait()
	t.Logf("%d trees from seed %d in %v: %d rows, %d mismatches, errors %v", *randomTrees, *randomSeed, time.Since(start).Round(time.Second), rows, failed, conditions)
}

// askRandom gives Spark's answer to a tree and the local engine's, and what is different.
func askRandom(t *RandomTree, spark, engine backend.Session) (want, got Answer, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	q := t.Query()
	ask := func(s backend.Session) (Answer, error) {
		a, err := Ask(ctx, s, q.Table, q.Ordered)
		return a, err
	}
	if want, err = ask(spark); err != nil {
		return want, got, fmt.Errorf("Spark: %w", err)
	}
	if got, err = ask(engine); err != nil {
		return want, got, fmt.Errorf("local engine: %w", err)
	}
	return want, got, q.Differ(want, got)
}

// Differ tells what is different between two answers to a query; nil where nothing is.
func (q RandomQuery) Differ(want, got Answer) error {
	switch {
	case want.Error != "" && got.Error != "" && (q.Risks > 1 || want.Error == got.Error):
		return nil // of several errors of a query any may come first
	case want.Error != got.Error:
		return errors.New("the errors differ")
	case want.String() == got.String() || q.Near && want.near(got):
		return nil
	case fmt.Sprint(want.Schema) != fmt.Sprint(got.Schema):
		return errors.New("the schemas differ")
	}
	return errors.New("the rows differ")
}

// shrink takes steps out of a tree, and rows out of its tables, while it fails.
func shrink(t *RandomTree, fails func(*RandomTree) bool) *RandomTree {
	for tries := 0; ; {
		smaller := false
		for _, s := range t.Smaller() {
			if tries++; tries > 60 {
				return t
			}
			if fails(s) {
				t, smaller = s, true
				break
			}
		}
		if !smaller {
			return t
		}
	}
}
