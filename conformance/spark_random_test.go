//go:build conformance

package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/sparkconnect"
	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// randomSessions is how many queries Spark gets at a time.
const randomSessions = 4

// Spark and the local engine give one answer to random trees: rows, types, nullability, or the condition of an error.
func TestRandomTrees(t *testing.T) {
	v := connect(t).Version()
	require.True(t, strings.HasPrefix(v, "4.2."), "the trees are made for Spark 4.2: %s answers some of them otherwise, which the recorded cases tell of", v)
	engine := openLocal(t)
	answers := io.Discard
	if *answersFile != "" {
		f, err := os.Create(*answersFile)
		require.NoError(t, err)
		defer func() { require.NoError(t, f.Close()) }()
		answers = f
	}
	var next atomic.Uint64
	next.Store(*randomSeed)
	end := *randomSeed + uint64(*randomTrees)
	var mu sync.Mutex
	conditions, rows, failed := map[string]int{}, 0, 0
	var broken []uint64 // the seeds at which Spark fails by an error of its own
	start := time.Now()
	var wg sync.WaitGroup
	for range randomSessions {
		// Small tables want no parallelism within a query, and to compile each query's code, or to describe its plan for the history, takes Spark longer than to
		// run it. An answer could depend on any of that, so a part of the queries is asked as everybody asks.
		usual := connect(t, sparkconnect.ANSI(true))
		quick := connect(t, sparkconnect.ANSI(true), sparkconnect.Config("spark.sql.shuffle.partitions", "1"), sparkconnect.Config("spark.sql.leafNodeDefaultParallelism", "1"),
			sparkconnect.Config("spark.sql.adaptive.enabled", "false"), sparkconnect.Config("spark.sql.codegen.wholeStage", "false"), sparkconnect.Config("spark.sql.codegen.factoryMode", "NO_CODEGEN"),
			sparkconnect.Config("spark.sql.ui.explainMode", "simple"), sparkconnect.Config("spark.sql.maxPlanStringLength", "0"))
		wg.Go(func() {
			for seed := next.Add(1) - 1; seed < end; seed = next.Add(1) - 1 {
				spark := quick
				if seed%10 == 0 {
					spark = usual
				}
				want, got, safe, err := askRandom(NewRandomTree(seed), spark, engine)
				mu.Lock()
				if want.Error != "" {
					conditions[want.Error]++
				}
				rows += len(want.Rows)
				if err != nil && want.Error == condition.ServerError && got.Error == "" {
					// An exception without a condition, or an INTERNAL_ERROR: Spark has no answer.
					broken = append(broken, seed)
					mu.Unlock()
					continue
				}
				if err == nil {
					err := json.NewEncoder(answers).Encode(randomAnswer{seed, safe, want})
					mu.Unlock()
					if err != nil {
						t.Error(err)
						return
					}
					continue
				}
				mu.Unlock()
				small := shrink(NewRandomTree(seed), func(t *RandomTree) bool {
					_, _, _, err := askRandom(t, spark, engine)
					return err != nil
				})
				if w, g, _, e := askRandom(small, spark, engine); e != nil {
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
	t.Logf("%d trees from seed %d in %v: %d rows, %d mismatches, errors %v; Spark breaks at %d %v", *randomTrees, *randomSeed, time.Since(start).Round(time.Second), rows, failed, conditions, len(broken), broken)
	require.LessOrEqual(t, len(broken), 1+*randomTrees/1000, "Spark itself fails at few trees; these are more")
}

// askRandom gives Spark's answer to a tree, or to the safe part of it, and the local engine's, and what is different.
func askRandom(t *RandomTree, spark, engine backend.Session) (want, got Answer, safe bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	q := t.Query()
	if got, err = Ask(ctx, engine, q.Table, q.Ordered); err != nil {
		return want, got, false, fmt.Errorf("local engine: %w", err)
	}
	if q.Risky && got.Error == "" && len(got.Rows) == 0 {
		// What raises over no rows is what Spark computes while it plans, which depends on its rules: the tree without that value is compared.
		want, got, _, err = askRandom(t.Safe(), spark, engine)
		return want, got, true, err
	}
	if want, err = Ask(ctx, spark, q.Table, q.Ordered); err != nil {
		return want, got, false, fmt.Errorf("Spark: %w", err)
	}
	err = q.Differ(want, got)
	if err != nil && q.Risky && want.Error != "" && got.Error != "" && raisedByRow(ctx, t, want.Error, engine) {
		err = nil
	}
	return want, got, false, err
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
