package local_test

import (
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/functions"
	"github.com/spoonbill-go/spoonbill/window"
)

// Window expressions give the source's memory back: after all rows, after a reader that stops early, and after an error of a row.
func TestOverGivesMemoryBack(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	f, p := payments(t)
	f.mem = mem
	f.add(randomChunks(rand.New(rand.NewPCG(1, 2)), 200)...)
	names := p.Schema().Names()
	w := window.Over().GroupBy(names[1]).OrderBy(names[0])
	table := p.Mutate(functions.RowNumber().Over(w).As("number"), expr.Count().Over(w.Rows(window.Preceding(3), window.CurrentRow())).As("n"), p.Col(names[2]).Lag().Over(w).As("lag"), p.Col(names[1]).First().Over(w).As("first"))
	for _, rows := range []int{1, 7, 8192} {
		s := open(t, local.Parallelism(2), local.BatchRows(rows))
		require.Len(t, collect(t, s, table), len(collect(t, s, p)))
		res, err := s.Batches(ctx, table)
		require.NoError(t, err)
		for _, err := range res.Batches {
			require.NoError(t, err)
			break
		}
		mem.AssertSize(t, 0)
		bad := p.Mutate(p.Num(names[1]).Mul(1 << 40).Mul(1 << 40).Sum().Over(w).As("s"))
		require.NoError(t, bad.Err())
		res, err = s.Batches(ctx, bad)
		for _, e := range res.Batches {
			if e != nil {
				err = e
			}
		}
		require.ErrorContains(t, err, condition.ArithmeticOverflow)
		mem.AssertSize(t, 0)
	}
}
