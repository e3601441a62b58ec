package expr_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/window"
)

func fields(t *testing.T, ddl string) []datatype.Field {
	t.Helper()
	f, err := datatype.ParseFields(ddl)
	require.NoError(t, err)
	return f
}

func payments(t *testing.T) expr.Table {
	return expr.CatalogTable(fields(t, "createTime TIMESTAMP, orderId BIGINT NOT NULL, payAmount DECIMAL(12,2), provinceId INT, name STRING"), "payments")
}

type noSource struct{}

func (*noSource) Source() (*tree.Source, error) { return nil, nil }

func TestPaymentsJob(t *testing.T) {
	p := payments(t)
	totals := p.Watermark("createTime", 10*time.Second).
		GroupBy(window.Sliding(p.Timestamp("createTime"), time.Minute, 30*time.Second), p.Col("provinceId")).
		Agg(p.Num("payAmount").Sum().As("totalPayAmount"))
	require.NoError(t, totals.Err())
	require.Equal(t, "window STRUCT<start: TIMESTAMP, end: TIMESTAMP> WATERMARK 10s\nprovinceId INT\ntotalPayAmount DECIMAL(22,2)\n", strings.ReplaceAll(totals.Schema().String(), "`", ""))
}

// One slip gives one message, with the line of the slip.
func TestMistakes(t *testing.T) {
	p := payments(t)
	redefined := p.Mutate(p.Num("payAmount").Mul(2).As("payAmount"))
	for name, c := range map[string]struct {
		table     expr.Table
		condition string
		says      string
	}{
		"unknown column":         {p.Select("payAmuont"), condition.UnresolvedColumn, "Did you mean payAmount"},
		"wrong family":           {p.Filter(p.Bool("name")), condition.DatatypeMismatch, "is STRING"},
		"sticky family":          {p.Mutate(p.Num("name").Add(1).Mul(2).As("x")), condition.DatatypeMismatch, "is STRING"},
		"free wrong family":      {p.Mutate(expr.Num("name").Add(1).As("x")), condition.DatatypeMismatch, "is STRING"},
		"no common type":         {p.Filter(p.Num("orderId").Eq([]int{1})), condition.DifferingTypes, "have none"},
		"window over int":        {p.GroupBy(window.Tumbling(p.Num("provinceId"), time.Minute)).Agg(expr.Count()), condition.DatatypeMismatch, "a time window needs"},
		"windows without number": {p.GroupBy(window.Sliding(p.Timestamp("createTime"), time.Hour, time.Microsecond)).Agg(expr.Count()), "DATATYPE_MISMATCH.PARAMETER_CONSTRAINT_VIOLATION", "in 3600000000 windows"},
		"slide over size":        {p.GroupBy(window.Sliding(p.Timestamp("createTime"), time.Minute, time.Hour)).Agg(expr.Count()), "DATATYPE_MISMATCH.PARAMETER_CONSTRAINT_VIOLATION", "rows between"},
		"redefined ancestor":     {redefined.Select(p.Num("payAmount")), condition.UnboundColumn, "was redefined"},
		"dropped ancestor":       {p.Drop("name").Select(p.Str("name")), condition.UnboundColumn, "was dropped"},
		"foreign column":         {payments(t).Select(p.Str("name")), condition.UnboundColumn, "does not descend"},
		"self join":              {p.Join(p, p.Num("orderId").Eq(p.Num("orderId"))), condition.AmbiguousReference, "View()"},
		"not grouped":            {p.GroupBy("provinceId").Agg(p.Str("name")), condition.MissingAggregation, "First()"},
		"nested aggregate":       {p.Agg(p.Num("payAmount").Sum().Max()), condition.NestedAggregate, "inside"},
		"zero value":             {p.Filter(expr.BooleanValue{}), condition.InvalidValue, "zero value"},
		"zero table":             {expr.Table{}.Select("a"), condition.InvalidValue, "zero Table"},
		"negative delay":         {p.Watermark("createTime", -time.Second), condition.InvalidWatermarkDelay, "not a whole"},
		"watermark on string":    {p.Watermark("name", time.Second), condition.EventTimeNotTimestamp, "TIMESTAMP"},
		"two names":              {p.Select("name", p.Num("orderId").As("NAME")), condition.ColumnAlreadyExists, "As"},
		"no field":               {p.GroupBy(window.Tumbling(p.Timestamp("createTime"), time.Minute)).Agg(expr.Count()).Select(expr.Struct("window").Field("begin")), condition.UnresolvedField, "start"},
		"below microsecond":      {p.Filter(p.Timestamp("createTime").Add(time.Nanosecond).Eq(nil)), condition.InvalidValue, "finer"},
		"unknown function":       {p.Select(expr.Call[expr.StringValue]("uper", "a")), "UNRESOLVED_ROUTINE", "upper"},
		"nothing selected":       {p.Select(), condition.InvalidValue, "leave no column"},
		"everything dropped":     {p.Select("name").Drop("name"), condition.InvalidValue, "leave no column"},
		"sorted by aggregate":    {p.OrderBy(p.Num("payAmount").Sum()), condition.Unsupported, "Mutate first"},
		"nested in Mutate":       {p.Mutate(p.Num("payAmount").Sum().Max().As("x")), condition.NestedAggregate, "has an aggregate in it"},
		"nested in Filter":       {p.Filter(p.Num("payAmount").Sum().Max().Gt(1)), condition.NestedAggregate, "has an aggregate in it"},
		"limit beyond INT":       {p.Limit(3_000_000_000), "INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE", "2147483647"},
		"nil source":             {expr.Read("x", (*noSource)(nil)), condition.InvalidValue, "is nil"},
		"field without a type":   {expr.MemtableRows("m", []datatype.Field{{Name: "a"}}, nil), condition.InvalidValue, "has no type"},
		"in nothing":             {p.Filter(expr.Call[expr.BooleanValue]("in", p.Num("orderId"))), condition.WrongNumArgs, "2 or more"},
		"wrong count":            {p.Select(expr.Call[expr.StringValue]("upper")), condition.WrongNumArgs, "takes 1"},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.table.Err()
			require.Error(t, err)
			var e *condition.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, c.condition, e.Condition, err.Error())
			require.Contains(t, err.Error(), c.says)
			require.Contains(t, err.Error(), "expr_test.go:", "the place in the user's file")
			require.NotContains(t, err.Error(), "\n", "one slip, one message")
		})
	}
}

func TestAncestors(t *testing.T) {
	p := payments(t)
	later := p.Filter(p.Num("payAmount").Gt(0)).Mutate(p.Num("payAmount").Mul(2).As("double")).Rename(map[string]string{"amount": "payAmount"})
	got := later.Select(p.Num("payAmount"), later.Num("double"))
	require.NoError(t, got.Err())
	require.Equal(t, []string{"amount", "double"}, got.Schema().Names())
	joined := p.Join(p.View(), "orderId")
	require.NoError(t, joined.Err())
	require.Equal(t, []string{"createTime", "orderId", "payAmount", "provinceId", "name", "createTime_right", "payAmount_right", "provinceId_right", "name_right"}, joined.Schema().Names())
}

func TestDelays(t *testing.T) {
	for text, ok := range map[string]bool{
		"-10 seconds": false, "1 month -40 days": false, "1 day -10 seconds": true, "1 month": true, "10 seconds": true, "interval 1 hour 30 minutes": true,
		"": false, "10": false, "ten seconds": false, "1 fortnight": false, "0.0001 seconds": false, "1.5 seconds": true,
	} {
		err := payments(t).Watermark("createTime", expr.ParseDelay(text)).Err()
		require.Equal(t, ok, err == nil, "%q: %v", text, err)
	}
}

func TestTypesRoundTrip(t *testing.T) {
	for _, s := range []string{"BOOLEAN", "DECIMAL(12,2)", "ARRAY<STRUCT<a: INT NOT NULL, `b c`: MAP<STRING, TIMESTAMP_NTZ>>>", "INTERVAL DAY TO SECOND", "INTERVAL", "INTERVAL YEAR", "CHAR(3)", "TIME(3)", "VARIANT", "VOID"} {
		typ, err := datatype.Parse(s)
		require.NoError(t, err, s)
		require.Equal(t, s, typ.String())
	}
	for _, s := range []string{"", "DECIMAL(39,1)", "ARRAY<INT", "STRUCT<a>", "INT INT", "`a`", "INTERVAL SECOND TO DAY", "MAP<INT>", strings.Repeat("ARRAY<", 10000)} {
		_, err := datatype.Parse(s)
		require.Error(t, err, s)
	}
}
