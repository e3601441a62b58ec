package local_test

import (
	"context"
	"sort"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// subqueryTables are rows in chunks, more than one of each key, with nulls.
func subqueryTables(t *testing.T, mem memory.Allocator) (outer, inner expr.Table, out *feed) {
	f, g := newFeed(t, "id INT, k INT"), newFeed(t, "k INT, v INT")
	f.mem, g.mem = mem, mem
	for chunk := range 6 {
		var a, b [][]any
		for i := range 25 {
			n := chunk*25 + i
			var k any = n % 11
			if n%7 == 0 {
				k = nil
			}
			a, b = append(a, []any{n, k}), append(b, []any{k, n % 50})
		}
		f.add(a...)
		g.add(b...)
	}
	return expr.Read("outside", f), expr.Static("inside", g), f
}

// subqueryShapes are run as joins, as marks and row by row.
func subqueryShapes(o, i expr.Table) map[string]expr.Table {
	ofK := i.Filter(i.Num("k").Eq(o.Num("k")), i.Num("v").Lt(o.Num("id")))
	equal := i.Filter(i.Num("k").Eq(o.Num("k")))
	return map[string]expr.Table{
		"scalar":     o.Filter(o.Num("id").Gt(i.Num("v").Max().AsScalar())),
		"in":         o.Filter(o.Num("id").InTable(i.Select("v"))),
		"not in":     o.Filter(o.Num("id").InTable(i.Select("v")).Not()),
		"mark":       o.Mutate(o.Num("k").InTable(i.Filter(i.Num("v").Gt(o.Num("id"))).Select("k")).As("x")),
		"not exists": o.Filter(expr.Exists(ofK).Not()),
		"grouped":    o.Mutate(equal.Agg(expr.Count().As("n")).AsScalar().As("n")),
		"row by row": o.Mutate(ofK.Agg(expr.Count().As("n"), ofK.Num("v").Max().As("m")).Select("n").AsScalar().As("n")),
	}
}

// Memory is given back when a query ends, when its reader stops early, when its context ends and when it fails; and the rows are the same with any
// number of goroutines, in a batch and as a stream.
func TestSubqueriesGiveMemoryBack(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	o, i, _ := subqueryTables(t, mem)
	s, one := open(t, local.Parallelism(3), local.BatchRows(20)), open(t, local.Parallelism(1))
	for name, table := range subqueryShapes(o, i) {
		t.Run(name, func(t *testing.T) {
			want := collect(t, one, table)
			require.NotEmpty(t, want)
			sort.Strings(want)
			got := collect(t, s, table)
			sort.Strings(got)
			require.Equal(t, want, got)

			res, err := s.Batches(ctx, table)
			require.NoError(t, err)
			for _, err := range res.Batches {
				require.NoError(t, err)
				break
			}
			ended, cancel := context.WithCancel(ctx)
			res, err = s.Batches(ended, table)
			require.NoError(t, err)
			cancel()
			for _, err := range res.Batches {
				require.ErrorIs(t, err, context.Canceled)
			}

			sink := newCollector()
			q, err := s.Start(ctx, table.WriteTo(sink).Checkpoint(t.TempDir()).Trigger(expr.AvailableNow()))
			require.NoError(t, err)
			require.NoError(t, q.AwaitTermination(ctx))
			mem.AssertSize(t, 0)
		})
	}
	for name, table := range map[string]expr.Table{
		"too many rows":        o.Mutate(i.Select("v").AsScalar().As("v")),
		"too many for one row": o.Mutate(i.Filter(i.Num("k").Eq(o.Num("k"))).Select("v").AsScalar().As("v")),
		"an error inside":      o.Filter(o.Num("id").InTable(i.Select(expr.Lit(1).AsNumeric().Mod(i.Num("v")).As("x")))),
		"an error in the pair": o.Filter(expr.Exists(i.Filter(i.Num("k").Mod(o.Num("id")).Gt(0)))),
	} {
		res, err := s.Batches(ctx, table)
		require.NoError(t, err, name)
		var failed error
		for _, err := range res.Batches {
			failed = err
		}
		require.Contains(t, []string{"SCALAR_SUBQUERY_TOO_MANY_ROWS", condition.RemainderByZero}, condition.Of(failed), name)
		require.ErrorContains(t, failed, "subquery_test.go", name)
		mem.AssertSize(t, 0)
	}
}

// A stream's subquery cannot read a stream, and neither SQL nor a parameter without a value runs here.
func TestSubqueriesRefused(t *testing.T) {
	o, i, f := subqueryTables(t, memory.DefaultAllocator)
	s := open(t)
	again := expr.Read("again", f)
	_, err := s.Start(ctx, o.Filter(o.Num("id").InTable(again.Select("id"))).WriteTo(newCollector()).Checkpoint(t.TempDir()))
	require.Equal(t, condition.StreamingUnsupported, condition.Of(err))
	for name, table := range map[string]expr.Table{
		"query": expr.SQL("SELECT * FROM i", []datatype.Field{{Name: "k", Type: datatype.Int, Nullable: true}}, map[string]expr.Table{"i": i}),
		"value": o.Mutate(expr.SQLValue[expr.NumericValue]("id + 1", datatype.Int).As("x")),
	} {
		_, err := s.Batches(ctx, table)
		require.Equal(t, condition.Unsupported, condition.Of(err), name)
		require.ErrorContains(t, err, "on Spark", name)
	}
	unbound := o.Filter(o.Num("id").Gt(expr.Param("least", datatype.Int)))
	_, err = s.Batches(ctx, unbound)
	require.Equal(t, "UNBOUND_SQL_PARAMETER", condition.Of(err))
	_, err = s.Start(ctx, unbound.WriteTo(newCollector()).Checkpoint(t.TempDir()))
	require.Equal(t, "UNBOUND_SQL_PARAMETER", condition.Of(err))
	require.Len(t, collect(t, s, unbound.Bind(expr.Params{"least": 147})), 2)
	plan, err := s.Explain(ctx, unbound.Bind(expr.Params{"least": 147}), backend.ExplainOptions{})
	require.NoError(t, err)
	require.Contains(t, plan.String(), "147")
}
