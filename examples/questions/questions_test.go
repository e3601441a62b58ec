package questions

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/internal/golden"
)

// The SQL of each question is the golden one, at most one level deeper than what a human would write, and without layers of SELECT *.
func TestSQL(t *testing.T) {
	require.GreaterOrEqual(t, len(All), 40)
	tables := FromParquet("nycflights13")
	seen := map[string]bool{}
	for _, q := range All {
		require.False(t, seen[q.Name], q.Name)
		seen[q.Name] = true
		sql, err := compiler.SQL(q.Build(tables))
		require.NoError(t, err, q.Name)
		golden.Check(t, "testdata/"+q.Name+".sql", "-- "+q.Text+"\n"+sql)
		if levels := golden.Levels(sql); levels > q.Levels+1 {
			t.Errorf("%s: %d levels of queries, where a human needs %d\n%s", q.Name, levels, q.Levels, sql)
		}
		if golden.Stars(sql) > 0 {
			t.Errorf("%s: a layer of SELECT *\n%s", q.Name, sql)
		}
	}
}

// operations are the names that questions must use: the methods and functions of every operation of tables.
const operations = `
Join LeftJoin RightJoin OuterJoin SemiJoin AntiJoin CrossJoin AnyJoin AnyLeftJoin AsofJoin AsofForward AsofNearest AsofStrict AsofTolerance View EqNullSafe
GroupBy Agg Having Rollup Cube GroupingSets Grouping GroupingID Where CountTrue CountDistinct
Over Cumulative Rows Range Preceding Following CurrentRow Unbounded RowNumber Rank DenseRank PercentRank CumeDist Ntile Lag Lead First Last Nth IgnoreNulls
Union UnionDistinct Intersect IntersectAll Difference DifferenceAll Distinct DistinctOn Keep
OrderBy NullsLast Limit Sample TopK ValueCounts NUnique Count Describe Info
PivotWider PivotLonger Unnest UnnestOuter WithPosition Unpack Relocate Rename RenameBy Cast TryCast FillNull DropNull Mutate Select Drop Filter
Across IfAny IfAll AllOf Matches EndsWith Numeric Cols
AsScalar InTable Exists Param Bind Case Coalesce Tumbling`

// Every operation occurs in a question.
func TestOperations(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "questions.go", nil, 0)
	require.NoError(t, err)
	used := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			used[s.Sel.Name] = true
		}
		return true
	})
	for _, name := range strings.Fields(operations) {
		if !used[name] {
			t.Errorf("no question uses %s", name)
		}
	}
	// What the names do not tell.
	tables := FromParquet("nycflights13")
	var all strings.Builder
	for _, q := range All {
		sql, err := compiler.SQL(q.Build(tables))
		require.NoError(t, err, q.Name)
		all.WriteString(sql + "\n")
	}
	for what, text := range map[string]string{
		"a limit that is computed": "LIMIT :size\nOFFSET (", "a window by name": "\nWINDOW w AS", "a range of numbers": "RANGE BETWEEN 50 PRECEDING", "a range of time": "RANGE BETWEEN INTERVAL",
		"a shared expression": "WITH ", "NOT IN": " NOT IN (SELECT", "NOT EXISTS": "NOT EXISTS (", "a correlated scalar subquery": "= outer_flights.origin",
		"a seeded sample": "REPEATABLE (42)", "an outer explode": "explode_outer(", "a place for nulls": "NULLS LAST",
	} {
		if !strings.Contains(all.String(), text) {
			t.Errorf("no question has %s", what)
		}
	}
}
