package compiler_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/functions"
)

// The text of a table that grows by a column a time grows with the number of columns, not with its square: what adds to very many does not list them again.
func TestManyColumnsAreListedOnce(t *testing.T) {
	size := func(columns int) int {
		grown := expr.Memtable("t", []struct {
			C0 int64 `json:"c0"`
		}{{1}})
		for i := range columns {
			last := grown.Num(fmt.Sprintf("c%d", i))
			grown = grown.Mutate(functions.Sqrt(last.Add(1)).Floor().As(fmt.Sprintf("c%d", i+1)))
		}
		sql, err := compiler.SQL(grown)
		require.NoError(t, err)
		return len(sql)
	}
	few, many := size(300), size(600)
	require.Less(t, many, 3*few)
	require.Less(t, many, 200_000)
}

// What is listed again, or in another order, or not whole, is written out, at any width.
func TestStarsStandForWholeLists(t *testing.T) {
	cols := make([]any, 120)
	row := make([]expr.Value, len(cols))
	for i := range cols {
		cols[i] = fmt.Sprintf("c%d", i)
		row[i] = expr.Lit(i).As(fmt.Sprintf("c%d", i))
	}
	wide := expr.Memtable("t", []struct{ A int64 }{{1}, {2}}).Mutate(row...).Select(cols...).Distinct()
	for name, c := range map[string]struct {
		t     expr.Table
		stars int
	}{
		"a column more":         {wide.Mutate(expr.Lit(1).As("x")), 1},
		"a column in its place": {wide.Mutate(wide.Num("c3").Add(1).As("c3")), 0},
		"one less":              {wide.Drop("c7"), 0},
		"another order":         {wide.Relocate("c9"), 0},
		"groups":                {wide.GroupBy(cols...).Agg(expr.Count().As("n")), 0},
	} {
		sql, err := compiler.SQL(c.t)
		require.NoError(t, err, name)
		require.Equal(t, c.stars, strings.Count(sql, "SELECT *,"), "%s\n%s", name, sql)
	}
}
