package expr_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// One slip of a subquery, a parameter or a text gives one message, with the line of the slip and a way out.
func TestSubqueryMistakes(t *testing.T) {
	o := expr.CatalogTable(fields(t, "id INT NOT NULL, k INT, at DATE, m MAP<STRING, INT>"), "orders")
	i := expr.CatalogTable(fields(t, "k INT, v INT"), "items")
	z := expr.CatalogTable(fields(t, "z INT"), "others")
	ofK := i.Filter(i.Num("k").Eq(o.Num("k")))
	low := expr.Param("low", datatype.Int).AsNumeric()
	withLow := o.Filter(o.Num("id").Gt(low))
	deep := i.Filter(expr.Exists(z.Filter(z.Num("z").Eq(o.Num("k")))))
	bad := i.Select("nothing")
	for name, c := range map[string]struct {
		table     expr.Table
		condition string
		says      string
	}{
		"scalar of two columns":     {o.Select(i.AsScalar().As("x")), "INVALID_SUBQUERY_EXPRESSION.SCALAR_SUBQUERY_RETURN_MORE_THAN_ONE_OUTPUT_COLUMN", "has 2"},
		"in two columns":            {o.Filter(o.Num("k").InTable(i)), "DATATYPE_MISMATCH.IN_SUBQUERY_LENGTH_MISMATCH", "Select the column"},
		"in another type":           {o.Filter(o.Date("at").InTable(i.Select("k"))), "DATATYPE_MISMATCH.IN_SUBQUERY_DATA_TYPE_MISMATCH", "DATE"},
		"in another type, free":     {o.Filter(expr.Date("at").InTable(i.Select("k"))), "DATATYPE_MISMATCH.IN_SUBQUERY_DATA_TYPE_MISMATCH", "DATE"},
		"in maps":                   {o.Filter(o.Map("m").InTable(o.View().Select("m"))), "DATATYPE_MISMATCH.IN_SUBQUERY_DATA_TYPE_MISMATCH", "MAP"},
		"bound nowhere":             {ofK, condition.UnboundColumn, "of a subquery"},
		"bound by another table":    {z.Filter(expr.Exists(ofK)), condition.UnboundColumn, "belongs to the table"},
		"outside in Select":         {i.Select(o.Num("k")), condition.UnboundColumn, "does not descend"},
		"two deep":                  {o.Filter(expr.Exists(deep)), "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.ACCESSING_OUTER_QUERY_COLUMN_IS_NOT_ALLOWED", "two subqueries further in"},
		"right of a left join":      {o.Filter(expr.Exists(z.LeftJoin(ofK, z.Num("z").Eq(ofK.Num("v"))))), "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.ACCESSING_OUTER_QUERY_COLUMN_IS_NOT_ALLOWED", "Filter after the join"},
		"redefined outside":         {o.Mutate(o.Num("k").Add(1).As("k")).Filter(expr.Exists(ofK)), condition.UnboundColumn, "was redefined"},
		"exists in order":           {o.OrderBy(expr.Exists(i)), "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.UNSUPPORTED_IN_EXISTS_SUBQUERY", "Mutate first"},
		"correlated in order":       {o.OrderBy(ofK.Agg(expr.Count()).AsScalar()), "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.UNSUPPORTED_CORRELATED_SCALAR_SUBQUERY", "Mutate first"},
		"correlated beside groups":  {o.GroupBy("k").Agg(ofK.Agg(expr.Count().As("n")).AsScalar()), "SCALAR_SUBQUERY_IS_IN_GROUP_BY_OR_AGGREGATE_FUNCTION", "grouping key"},
		"in a join condition":       {o.Join(z, o.Num("k").InTable(i.Select("k"))), "UNSUPPORTED_JOIN_CONDITION", "Filter after it"},
		"text in a join condition":  {o.Join(z, expr.SQLValue[expr.BooleanValue]("true", datatype.Boolean)), "UNSUPPORTED_JOIN_CONDITION", "before the join"},
		"value of two tables":       {o.Select(o.Num("k").Add(i.Num("k")).AsScalar().As("x")), condition.InvalidValue, "one table"},
		"value of no table":         {o.Select(expr.Count().AsScalar().As("x")), condition.InvalidValue, "table.Agg"},
		"free value":                {o.Select(expr.Num("k").Max().AsScalar().As("x")), condition.InvalidValue, "one table"},
		"table in error":            {o.Filter(o.Num("k").InTable(bad.Select("k"))), condition.UnresolvedColumn, "nothing"},
		"zero table":                {o.Filter(expr.Exists(expr.Table{})), condition.InvalidValue, "zero Table"},
		"name of a parameter":       {o.Select(expr.Param("a b", datatype.Int).As("x")), condition.InvalidValue, "letters"},
		"parameter of an array":     {o.Select(expr.Param("a", datatype.Array{Elem: datatype.Int}).As("x")), condition.Unsupported, "single values"},
		"parameter without type":    {o.Select(expr.Param("a", nil).As("x")), condition.InvalidValue, "no type"},
		"unknown parameter":         {withLow.Bind(expr.Params{"low": 1, "lov": 2}), condition.InvalidValue, "It has :low"},
		"parameter of another type": {withLow.Bind(expr.Params{"low": "1"}), condition.DatatypeMismatch, "Parameter :low"},
		"parameter out of range":    {withLow.Bind(expr.Params{"low": int64(1) << 40}), condition.DatatypeMismatch, "Parameter :low"},
		"parameter that is null":    {withLow.Bind(expr.Params{"low": nil}), condition.InvalidValue, "NOT NULL"},
		"text of nothing":           {expr.SQL(" \n", fields(t, "a INT"), nil), condition.InvalidValue, "empty"},
		"text with control":         {expr.SQL("SELECT '\x01'", fields(t, "a INT"), nil), condition.InvalidValue, "U+0001"},
		"text without columns":      {expr.SQL("SELECT 1", nil, nil), condition.InvalidValue, "not declared"},
		"text with a column twice":  {expr.SQL("SELECT 1", fields(t, "a INT, A INT"), nil), condition.ColumnAlreadyExists, "two columns"},
		"text with a bad table":     {expr.SQL("SELECT 1", fields(t, "a INT"), map[string]expr.Table{"b": bad}), condition.UnresolvedColumn, "nothing"},
		"text with an open table":   {expr.SQL("SELECT 1", fields(t, "a INT"), map[string]expr.Table{"b": ofK}), condition.UnboundColumn, "of a subquery"},
		"text with a value":         {expr.SQL("SELECT 1", fields(t, "a INT"), nil, o.Num("k")), condition.InvalidValue, "expr.Param"},
		"value of another family":   {o.Select(expr.SQLValue[expr.NumericValue]("'a'", datatype.String).As("x")), condition.DatatypeMismatch, "STRING"},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.table.Err()
			require.Error(t, err)
			require.Equal(t, c.condition, condition.Of(err))
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, err, "subquery_test.go:")
			require.Equal(t, 1, strings.Count(err.Error(), "SQLSTATE"), err)
			_, err = c.table.Relation()
			require.Error(t, err)
			require.Error(t, c.table.WriteTo(nil).Err())
		})
	}
}

// A column from outside binds to the table that receives the subquery, or to where the column went from there.
func TestOuterColumns(t *testing.T) {
	o := expr.CatalogTable(fields(t, "id INT NOT NULL, k INT"), "orders")
	i := expr.CatalogTable(fields(t, "k INT, v INT"), "items")
	ofK := i.Filter(i.Num("k").Eq(o.Num("k")))
	require.NoError(t, o.Filter(expr.Exists(ofK)).Err())
	require.NoError(t, o.Rename(map[string]string{"key": "k"}).Filter(expr.Exists(ofK)).Err(), "a rename is followed")
	require.NoError(t, o.Filter(o.Num("id").Gt(1)).Mutate(expr.Exists(ofK).As("x")).Err())
	v := o.View()
	require.NoError(t, o.Filter(expr.Exists(v.Filter(v.Num("k").Eq(o.Num("k"))))).Err(), "a view is another table")
	require.Equal(t, "id INT NOT NULL\nk INT\nx BOOLEAN NOT NULL\ny BOOLEAN\nv INT\n", o.Mutate(expr.Exists(ofK).As("x"), o.Num("k").InTable(i.Select("v")).As("y"), i.Num("v").Max().AsScalar().As("v")).Schema().String())
	require.Contains(t, o.Filter(expr.Exists(ofK)).String(), "Subquery EXISTS (SELECT k, v)\n    Filter (k = k)\n      Table items\n")
}
