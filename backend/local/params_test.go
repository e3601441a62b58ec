package local_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// A parameter means its value wherever it stands: also as a number of rows, and below a result that is computed once for two uses.
func TestParametersEverywhere(t *testing.T) {
	type row struct {
		ID int32 `spoonbill:"id"`
		K  int32 `spoonbill:"k"`
	}
	in := expr.Memtable("rows", []row{{1, 1}, {2, 1}, {3, 2}, {4, 2}, {5, 2}})
	n := expr.Param("n", datatype.Int).AsNumeric()
	for name, query := range map[string]func(n expr.NumericValue) expr.Table{
		"limit and offset": func(n expr.NumericValue) expr.Table { return in.OrderBy("id").Limit(n, n) },
		"shared groups": func(n expr.NumericValue) expr.Table {
			g := in.Filter(in.Num("id").Gt(n)).GroupBy("k").Agg(expr.Count().As("n"))
			return g.Union(g).OrderBy("k")
		},
		"shared groups within a subquery": func(n expr.NumericValue) expr.Table {
			g := in.Filter(in.Num("id").Gt(n)).GroupBy("k").Agg(expr.Count().As("n"))
			return in.Filter(in.Num("k").InTable(g.Select("k").Union(g.Select("k")))).OrderBy("id")
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			want := collect(t, s, query(expr.Lit(2).AsNumeric()))
			require.NotEmpty(t, want)
			require.Equal(t, want, collect(t, s, query(n).Bind(expr.Params{"n": 2})))
		})
	}
}
