package local_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/functions"
)

// bag is a feed of random rows with duplicates and nulls, and how often each row is there.
func bag(t *testing.T, r *rand.Rand, name string, mem memory.Allocator) (expr.Table, map[string]int) {
	f := newFeed(t, "k INT, s STRING")
	f.mem = mem
	count := map[string]int{}
	for range r.IntN(6) {
		var chunk [][]any
		for range 1 + r.IntN(30) {
			row := []any{nil, nil}
			if r.IntN(4) > 0 {
				row[0] = r.IntN(4)
			}
			if r.IntN(4) > 0 {
				row[1] = string(rune('a' + r.IntN(3)))
			}
			chunk = append(chunk, row)
			text := [2]string{"NULL", "NULL"}
			for i, x := range row {
				if x != nil {
					text[i] = fmt.Sprint(x)
				}
			}
			count[text[0]+"|"+text[1]]++
		}
		f.add(chunk...)
	}
	return expr.Read(name, f), count
}

// Set operations agree with counting, whatever the size of batches and the number of goroutines, and give memory back.
func TestSetOperationsAgainstCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	rows := 0
	for range 60 {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		a, ca := bag(t, r, "a", mem)
		b, cb := bag(t, r, "b", mem)
		s := open(t, local.Parallelism(1+r.IntN(3)), local.BatchRows(1+r.IntN(40)))
		for name, c := range map[string]struct {
			table expr.Table
			times func(x, y int) int
		}{
			"intersect":      {a.Intersect(b), func(x, y int) int { return min(x, y, 1) }},
			"intersect all":  {a.IntersectAll(b), func(x, y int) int { return min(x, y) }},
			"difference":     {a.Difference(b), func(x, y int) int { return max(min(x, 1)-y, 0) }},
			"difference all": {a.DifferenceAll(b), func(x, y int) int { return max(x-y, 0) }},
			"union distinct": {a.UnionDistinct(b), func(x, y int) int { return min(x+y, 1) }},
		} {
			got := map[string]int{}
			for _, l := range collect(t, s, c.table) {
				got[l]++
			}
			want := map[string]int{}
			for _, m := range []map[string]int{ca, cb} {
				for k := range m {
					if n := c.times(ca[k], cb[k]); n > 0 {
						want[k] = n
					}
				}
			}
			require.Equal(t, want, got, name)
			rows += len(want)
		}
		mem.AssertSize(t, 0)
	}
	require.Greater(t, rows, 1000, "the inputs are worth the test")
}

// Grouping sets are the union of the groupings by each set.
func TestGroupingSetsAgainstUnion(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 20 {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		a, _ := bag(t, r, "a", mem)
		s := open(t, local.Parallelism(1+r.IntN(3)), local.BatchRows(1+r.IntN(40)))
		n := func() expr.Value { return expr.Count().As("n") }
		sum := func() expr.Value { return a.Num("k").Sum().As("sum") }
		got := collect(t, s, a.GroupBy(expr.GroupingSets([]any{"k", "s"}, "s", "k", "s")).Agg(n(), sum()))
		one := func(key string, column, gone any) expr.Table {
			return a.GroupBy(key).Agg(n(), sum()).Select(column, gone, "n", "sum")
		}
		k, str := expr.Num("k").As("k"), expr.Str("s").As("s")
		byS := one("s", expr.Lit((*int)(nil)).As("k"), str)
		byK := one("k", k, expr.Lit((*string)(nil)).As("s"))
		want := collect(t, s, a.GroupBy("k", "s").Agg(n(), sum()).Union(byS, byK, byS))
		require.Equal(t, sorted(want), sorted(got))
		mem.AssertSize(t, 0)
	}
}

// A reader that stops early, and a context that ends, leave no memory and no goroutine behind.
func TestShapesStopEarly(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	f := newFeed(t, "k INT, s STRING")
	f.mem = mem
	for range 20 {
		var chunk [][]any
		for range 50 {
			chunk = append(chunk, []any{r.IntN(1000), "x"})
		}
		f.add(chunk...)
	}
	a := expr.Read("a", f)
	s := open(t, local.Parallelism(2), local.BatchRows(16))
	for name, table := range map[string]expr.Table{
		"expand": a.GroupBy(expr.Cube("k", "s")).Agg(expr.Count().As("n")), "difference": a.Difference(a.Filter(a.Num("k").Gt(500))), "intersect all": a.IntersectAll(a.View()),
		"sample": a.Sample(0.5, 1), "limit": a.Sample(0.9, 3).Limit(7),
		"error in a key":  a.GroupBy(expr.Rollup(functions.Div(1, a.Num("k").Sub(a.Num("k"))).As("q"))).Count(),
		"error on a side": a.Select("k").Difference(a.Select(a.Num("k").Mod(a.Num("k").Sub(a.Num("k"))).As("q"))),
	} {
		res, err := s.Batches(ctx, table)
		require.NoError(t, err, name)
		for _, err := range res.Batches {
			if err != nil {
				require.NotEmpty(t, condition.Of(err), name)
			}
			break
		}
		ended, cancel := context.WithCancel(ctx)
		res, err = s.Batches(ended, table)
		require.NoError(t, err, name)
		cancel()
		for _, err := range res.Batches {
			if err != nil {
				break
			}
		}
		mem.AssertSize(t, 0)
	}
}

// A seed makes the same choice again, whatever the number of goroutines; without one each run chooses anew.
func TestSample(t *testing.T) {
	f := newFeed(t, "k INT")
	for c := range 20 {
		var chunk [][]any
		for i := range 500 {
			chunk = append(chunk, []any{c*500 + i})
		}
		f.add(chunk...)
	}
	a := expr.Read("a", f)
	one, many := open(t, local.Parallelism(1)), open(t, local.Parallelism(3), local.BatchRows(64))
	first := collect(t, one, a.Sample(0.3, 42))
	require.Equal(t, first, collect(t, many, a.Sample(0.3, 42)))
	require.NotEqual(t, first, collect(t, one, a.Sample(0.3, 43)))
	require.InDelta(t, 3000, len(first), 300, "about six deviations")
	require.NotEqual(t, collect(t, one, a.Sample(0.5)), collect(t, one, a.Sample(0.5)))
	require.Len(t, collect(t, one, a.Sample(1)), 10_000)
	require.Empty(t, collect(t, one, a.Sample(0)))
}

// Numbers of rows that are computed are looked at when the query runs.
func TestComputedLimits(t *testing.T) {
	f := newFeed(t, "k INT")
	f.add([]any{1}, []any{2}, []any{3}, []any{4})
	a := expr.Read("a", f)
	s := open(t)
	n := func(i int) expr.NumericValue { return expr.Lit(i).AsNumeric() }
	require.Equal(t, []string{"2", "3"}, collect(t, s, a.OrderBy("k").Limit(n(1).Add(1), n(3).Sub(2))))
	require.Equal(t, []string{"3", "4"}, collect(t, s, a.OrderBy("k").Limit(nil, n(1).Mul(2))))
	require.Empty(t, collect(t, s, a.Union(a).Limit(n(1).Sub(1))))
	for want, table := range map[string]expr.Table{
		"INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE": a.Limit(n(1).Sub(2)),
		"INVALID_LIMIT_LIKE_EXPRESSION.IS_NULL":     a.Limit(1, expr.Null(datatype.Int).AsNumeric().Add(1)),
	} {
		_, err := tryCollect(s, table)
		require.Equal(t, want, condition.Of(err))
	}
}
