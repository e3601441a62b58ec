package questions

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
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

// The SQL of what works ask is the golden one too. Where only Spark can do the work, the local engine says so.
func TestWorkSQL(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	tables := slice(t)
	for _, w := range Works {
		s, err := local.Open()
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		require.NoError(t, s.Catalog().CreateDatabase(ctx, false, "nyc"))
		require.NoError(t, s.Catalog().SetCurrentDatabase(ctx, "nyc"))
		var texts []string
		err = w.Do(ctx, s, tables, func(q expr.Table) error {
			if w.Plain != nil || w.Name == "kept_in_memory" { // a copy has a name that is made up
				_, err := s.Batches(ctx, q)
				return err
			}
			sql, err := compiler.SQL(q)
			texts = append(texts, sql)
			if golden.Stars(sql) > 0 {
				t.Errorf("%s: a layer of SELECT *\n%s", w.Name, sql)
			}
			return err
		})
		if w.Plain != nil {
			require.Error(t, err, w.Name)
			require.NotEmpty(t, condition.Of(err), w.Name)
		} else {
			require.NoError(t, err, w.Name)
			if len(texts) == 0 {
				continue
			}
			golden.Check(t, "testdata/"+w.Name+".sql", "-- "+w.Text+"\n"+strings.Join(texts, ";\n"))
		}
	}
}

// slice puts the committed part of the data where it is read from.
func slice(t *testing.T) Tables {
	folder := t.TempDir()
	for name, from := range map[string]string{"flights": "../flights/testdata", "airlines": "../flights/testdata", "airports": "testdata", "planes": "testdata", "weather": "testdata"} {
		text, err := os.ReadFile(filepath.Join(from, name+".csv.gz"))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, name+".csv.gz"), text, 0o644))
	}
	return FromCSV(folder)
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
AsScalar InTable Exists Param Bind Case Coalesce Tumbling
Cache Release Repartition Hint Broadcast SQL SQLValue
ToTable PartitionBy ByPosition ByName CreateTable TruncateTable RenameTable DropTable ErrorIfExists SaveAppend SaveOverwrite SaveIgnore
CreateTempView DropTempView CreateView DropView VersionAsOf TimestampAsOf
ListTables ListColumns TableExists CurrentDatabase SetCurrentDatabase CreateDatabase DropDatabase DatabaseExists`

// Every operation occurs in a question.
func TestOperations(t *testing.T) {
	used := map[string]bool{}
	for _, name := range []string{"questions.go", "work.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				used[s.Sel.Name] = true
			}
			return true
		})
	}
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
