//go:build conformance

package conformance

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// A query in Spark's own words sees the tables that it names and its parameters, and its columns are what was declared.
func TestSparkSQL(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	s := connect(t)
	engine, err := local.Open()
	require.NoError(t, err)
	defer func() { require.NoError(t, engine.Close()) }()
	o := Orders()
	large := map[string]expr.Table{"large": o.Filter(o.Num("amount").Ge(2)), "who is": Customers()}
	least := expr.Param("least", datatype.Int)
	q := expr.SQL("WITH l AS (SELECT * FROM large) SELECT id, r':least\\' || \":least\" AS n, `who is`.name\nFROM l LEFT JOIN `who is` USING (customer) WHERE id >= :least -- :least", mustFields("id INT, n STRING, name STRING"), large, least)
	q = q.Filter(q.Num("id").Lt(6)).OrderBy("id").Bind(expr.Params{"least": 2})
	got, err := Ask(ctx, s, q, true)
	require.NoError(t, err)
	require.Equal(t, "id INT NOT NULL\nn STRING NOT NULL\nname STRING\n\"2\" | \":least\\\\:least\" | \"Ada\"\n\"5\" | \":least\\\\:least\" | NULL\n", got.String())

	value := o.Mutate(expr.SQLValue[expr.NumericValue]("id * :f + length(coalesce(note, ''))", datatype.Int, expr.Param("f", datatype.Int)).As("v")).
		Filter(expr.SQLValue[expr.BooleanValue]("v > 10 -- and no more", datatype.Boolean)).Select("id", "v").Bind(expr.Params{"f": -2})
	got, err = Ask(ctx, s, value, false)
	require.NoError(t, err)
	require.Equal(t, "id INT NOT NULL\nv INT NOT NULL\n", got.String())

	for name, c := range map[string]struct {
		table expr.Table
		says  string
	}{
		"a name":     {expr.SQL("SELECT 1 AS a, 2 AS b", mustFields("a INT, c INT"), nil), "Column 2 is declared as c, but the query names it b"},
		"a type":     {expr.SQL("SELECT 1 AS a, 2 AS b", mustFields("a INT, b BIGINT"), nil), "Column b is declared as BIGINT, but the query gives INT"},
		"one more":   {expr.SQL("SELECT 1 AS a, 2 AS b", mustFields("a INT"), nil), "Column b of the query is not declared"},
		"one less":   {expr.SQL("SELECT 1 AS a", mustFields("a INT, b INT"), nil), "Column b is declared, but the query gives 1 columns only"},
		"null":       {expr.SQL("SELECT CAST(NULL AS INT) AS a", mustFields("a INT NOT NULL"), nil), "Column a is declared as NOT NULL"},
		"in a union": {o.Select("id").Union(expr.SQL("SELECT 1.5 AS id", mustFields("id INT"), nil)), "Column id is declared as INT"},
	} {
		_, err := s.Batches(ctx, c.table)
		require.Equal(t, condition.SchemaMismatch, condition.Of(err), name)
		require.ErrorContains(t, err, c.says, name)
		require.ErrorContains(t, err, "spark_subq_test.go", name)
	}
	for _, x := range []expr.Table{q, value} {
		_, err := engine.Batches(ctx, x)
		require.Equal(t, condition.Unsupported, condition.Of(err))
		require.ErrorContains(t, err, "on Spark")
		require.ErrorContains(t, err, "spark_subq_test.go")
	}
	_, err = s.Batches(ctx, expr.SQL("SELECT FROM nowhere WHERE", mustFields("a INT"), nil))
	require.Equal(t, condition.ParseSyntaxError, condition.Of(err))
}

// Parameters reach Spark in queries and in EXPLAIN, and one without a value is refused before.
func TestSparkParameters(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	s := connect(t)
	o := Orders()
	t2 := o.Filter(o.Num("id").Ge(expr.Param("from", datatype.Int).AsNumeric()))
	_, err := s.Batches(ctx, t2)
	require.Equal(t, "UNBOUND_SQL_PARAMETER", condition.Of(err))
	bound := t2.Agg(expr.Count().As("n")).Bind(expr.Params{"from": 3})
	got, err := Ask(ctx, s, bound, false)
	require.NoError(t, err)
	require.Equal(t, "n BIGINT NOT NULL\n\"5\"\n", got.String())
	plan, err := s.Explain(ctx, bound, backend.ExplainOptions{Mode: backend.ExplainExtended})
	require.NoError(t, err)
	require.NotContains(t, plan.String(), ":from")
}
