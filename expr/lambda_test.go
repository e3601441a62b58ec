package expr_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/functions"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

func lists(t *testing.T) expr.Table {
	return expr.CatalogTable(fields(t, "id INT NOT NULL, a ARRAY<INT>, s ARRAY<STRING>, m MAP<STRING, INT>, x INT, deep ARRAY<ARRAY<INT>>, st ARRAY<STRUCT<x: INT, y: STRING>>, ms ARRAY<MAP<STRING, INT>>"), "lists")
}

// One slip in a function of elements gives one message, with the line of the slip, on a table's column and on a free one alike.
func TestMistakesInFunctions(t *testing.T) {
	l := lists(t)
	var kept expr.NumericValue
	l.Array("a").Map(func(x expr.NumericValue) expr.Value { kept = x; return x })
	var none func(expr.NumericValue) expr.Value
	inc := func(x expr.NumericValue) expr.Value { return x.Add(1) }
	for name, c := range map[string]struct {
		table     expr.Table
		condition string
		says      string
	}{
		"wrong family":                 {l.Select(l.Array("s").Map(inc)), condition.DatatypeMismatch, "is STRING"},
		"free and wrong family":        {l.Select(expr.Array("s").Map(inc)), condition.DatatypeMismatch, "is STRING"},
		"wrong type in a body":         {l.Select(l.Array("s").Map(func(x expr.StringValue) expr.Value { return functions.Power(x, x) })), condition.DatatypeMismatch, "power needs"},
		"not a boolean":                {l.Select(l.Array("a").Filter(inc)), "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", "must give a BOOLEAN"},
		"free and not a boolean":       {l.Select(expr.Array("a").Filter(inc)), "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", "must give a BOOLEAN"},
		"too many parameters":          {l.Select(l.Array("a").Map(func(x, i, z expr.NumericValue) expr.Value { return x })), "INVALID_LAMBDA_FUNCTION_CALL.NUM_ARGS_MISMATCH", "1 or 2 parameters, not 3"},
		"too few parameters":           {l.Select(l.Map("m").MapValues(func(k expr.StringValue) expr.Value { return k })), "INVALID_LAMBDA_FUNCTION_CALL.NUM_ARGS_MISMATCH", "2 parameters, not 1"},
		"no function":                  {l.Select(l.Array("a").Map(1)), condition.DatatypeMismatch, "needs a function as f"},
		"function where none is taken": {l.Select(l.Num("x").Add(inc)), "INVALID_LAMBDA_FUNCTION_CALL.NON_HIGHER_ORDER_FUNCTION", "takes no function"},
		"nil function":                 {l.Select(l.Array("a").Map(none)), condition.InvalidValue, "is nil"},
		"function of Go values":        {l.Select(l.Array("a").Map(func(x int) int { return x })), condition.InvalidValue, "no family of values"},
		"function without result":      {l.Select(l.Array("a").Map(func(x expr.NumericValue) {})), condition.InvalidValue, "gives one"},
		"nil result":                   {l.Select(l.Array("a").Map(func(x expr.NumericValue) expr.Value { return expr.NumericValue{} })), condition.InvalidValue, "never made"},
		"parameter kept":               {l.Select(kept.As("k")), condition.UnresolvedColumn, "used outside of it"},
		"parameter in another body":    {l.Select(l.Array("a").Map(func(x expr.NumericValue) expr.Value { return x.Add(kept) })), condition.UnresolvedColumn, "used outside of it"},
		"unknown column in a body":     {l.Select(l.Array("a").Map(func(x expr.NumericValue) expr.Value { return x.Add(expr.Num("nope")) })), condition.UnresolvedColumn, "no column nope"},
		"aggregate in a body":          {l.Select(l.Array("a").Map(func(x expr.NumericValue) expr.Value { return x.Sum() })), condition.Unsupported, "one row at a time"},
		"subquery in a body":           {l.Select(l.Array("a").Map(func(x expr.NumericValue) expr.Value { return x.Add(lists(t).Num("x").Max().AsScalar()) })), "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.HIGHER_ORDER_FUNCTION", "with Mutate first"},
		"unknown field in a body":      {l.Select(l.Array("st").Map(func(x expr.StructValue) expr.Value { return x.Field("z") })), condition.UnresolvedField, "no field z"},
		"free, unknown field":          {l.Select(expr.Array("st").Map(func(x expr.StructValue) expr.Value { return x.Field("z") })), condition.UnresolvedField, "no field z"},
		"fold into another type":       {l.Select(functions.Aggregate(l.Array("a"), 0, func(acc, x expr.NumericValue) expr.Value { return acc.Add(1.5) })), "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", "the type of the start, INT, not DOUBLE"},
		"comparator of texts":          {l.Select(l.Array("a").Sort(func(x, y expr.NumericValue) expr.Value { return expr.Lit("a") })), "DATATYPE_MISMATCH.UNEXPECTED_RETURN_TYPE", "must give an INT"},
		"elements without order":       {l.Select(l.Array("ms").Unique()), "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE", "have no order"},
		"text among numbers":           {l.Select(functions.ArrayAppend(l.Array("a"), "x")), "DATATYPE_MISMATCH.ARRAY_FUNCTION_DIFF_TYPES", "have none in common"},
		"no array":                     {l.Select(functions.ArrayUnion(l.Array("a"), l.Num("x"))), condition.DatatypeMismatch, "argument 2"},
		"map as a key":                 {l.Select(functions.Map(l.Map("m"), 1)), "DATATYPE_MISMATCH.INVALID_MAP_KEY_TYPE", "cannot be a key"},
		"odd map":                      {l.Select(functions.Map(1, 2, 3)), condition.WrongNumArgs, "in turn"},
		"not an array of booleans":     {l.Select(l.Array("a").Anys()), condition.DatatypeMismatch, "is INT"},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.table.Err()
			require.Error(t, err)
			require.Contains(t, err.Error(), c.condition)
			require.Contains(t, err.Error(), c.says)
			require.Contains(t, err.Error(), "lambda_test.go:")
			var e *condition.Error
			require.ErrorAs(t, err, &e)
		})
	}
}

// A function over a free array is typed when the array is bound, through functions within functions.
func TestFreeFunctions(t *testing.T) {
	l := lists(t)
	build := func(a, deep expr.ArrayValue, m expr.MapValue) []any {
		return []any{
			a.Map(func(x expr.NumericValue) expr.Value { return x.Add(1) }).As("plus"),
			deep.Map(func(x expr.ArrayValue) expr.Value {
				return x.Filter(func(y, i expr.NumericValue) expr.Value { return y.Gt(i) }).Size()
			}).As("sizes"),
			m.MapValues(func(k expr.StringValue, v expr.NumericValue) expr.Value { return k.Concat(v) }).As("texts"),
			a.Zip(a, a).As("zipped"),
			a.At(-1).As("last"),
			m.Get("k", 0).As("k"),
		}
	}
	bound, free := l.Select(build(l.Array("a"), l.Array("deep"), l.Map("m"))...), l.Select(build(expr.Array("a"), expr.Array("deep"), expr.Map("m"))...)
	require.NoError(t, bound.Err())
	require.NoError(t, free.Err())
	require.Equal(t, bound.Schema().String(), free.Schema().String())
	require.Equal(t, "plus ARRAY<INT>\nsizes ARRAY<INT>\ntexts MAP<STRING, STRING>\nzipped ARRAY<STRUCT<f1: INT, f2: INT, f3: INT>>\nlast INT\nk INT\n", bound.Schema().String())
}

// Functions are the same grouping key when only the names of their parameters differ.
func TestFunctionsAsKeys(t *testing.T) {
	l := lists(t)
	key := func() expr.ArrayValue {
		return l.Array("a").Map(func(x expr.NumericValue) expr.Value { return x.Add(l.Num("x")) })
	}
	require.NoError(t, l.GroupBy(key().As("k")).Agg(key().As("same"), expr.Count().As("n")).Err())
	other := l.Array("a").Map(func(x expr.NumericValue) expr.Value { return x.Add(l.Num("id")) })
	require.ErrorContains(t, l.GroupBy(key().As("k")).Agg(other.As("other")).Err(), condition.MissingAggregation)
}

// Names of parameters are for readers: within one another they differ.
func TestParameterNames(t *testing.T) {
	l := lists(t)
	n, err := l.Select(l.Array("deep").Map(func(x expr.ArrayValue) expr.Value {
		return x.Map(func(y expr.NumericValue) expr.Value { return y.Add(x.Size()) })
	})).Relation()
	require.NoError(t, err)
	p := n.(*tree.Project).Columns[0]
	require.Equal(t, "transform(deep, x2 -> transform(x2, x -> (x + size(x2))))", p.Name)
	require.Nil(t, tree.FreeVariable(p.Expr))
	require.Equal(t, datatype.Type(datatype.Array{Elem: datatype.Array{Elem: datatype.Int, ContainsNull: true}, ContainsNull: true}), p.Expr.Type())
}

// Further names of Spark are the same functions.
func TestAliases(t *testing.T) {
	l := lists(t)
	u := l.Select(functions.Cardinality(l.Array("a")).As("n"), functions.Reduce(l.Array("a"), 0, func(acc, x expr.NumericValue) expr.Value { return acc.Add(x) }).As("s"))
	n, err := u.Relation()
	require.NoError(t, err)
	require.Equal(t, "size(a)", tree.String(n.(*tree.Project).Columns[0].Expr))
	require.Equal(t, "aggregate(a, 0, (acc, x) -> (acc + x))", tree.String(n.(*tree.Project).Columns[1].Expr))
}
