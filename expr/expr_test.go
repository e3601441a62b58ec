package expr_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/functions"
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
		"unknown column":            {p.Select("payAmuont"), condition.UnresolvedColumn, "Did you mean payAmount"},
		"wrong family":              {p.Filter(p.Bool("name")), condition.DatatypeMismatch, "is STRING"},
		"sticky family":             {p.Mutate(p.Num("name").Add(1).Mul(2).As("x")), condition.DatatypeMismatch, "is STRING"},
		"free wrong family":         {p.Mutate(expr.Num("name").Add(1).As("x")), condition.DatatypeMismatch, "is STRING"},
		"no common type":            {p.Filter(p.Num("orderId").Eq([]int{1})), condition.DifferingTypes, "have none"},
		"window over int":           {p.GroupBy(window.Tumbling(p.Num("provinceId"), time.Minute)).Agg(expr.Count()), condition.DatatypeMismatch, "a time window needs"},
		"time out of range":         {p.Filter(p.Timestamp("createTime").Lt(time.Date(400_000, 1, 1, 0, 0, 0, 0, time.UTC))), condition.InvalidValue, "The year 400000"},
		"wall clock out of range":   {p.Filter(p.Timestamp("createTime").Lt(expr.TimestampNTZ(time.Date(-300_000, 1, 1, 0, 0, 0, 0, time.UTC)))), condition.InvalidValue, "The year -300000"},
		"windows without number":    {p.GroupBy(window.Sliding(p.Timestamp("createTime"), time.Hour, time.Microsecond)).Agg(expr.Count()), "DATATYPE_MISMATCH.PARAMETER_CONSTRAINT_VIOLATION", "in 3600000000 windows"},
		"slide over size":           {p.GroupBy(window.Sliding(p.Timestamp("createTime"), time.Minute, time.Hour)).Agg(expr.Count()), "DATATYPE_MISMATCH.PARAMETER_CONSTRAINT_VIOLATION", "rows between"},
		"redefined ancestor":        {redefined.Select(p.Num("payAmount")), condition.UnboundColumn, "was redefined"},
		"dropped ancestor":          {p.Drop("name").Select(p.Str("name")), condition.UnboundColumn, "was dropped"},
		"foreign column":            {payments(t).Select(p.Str("name")), condition.UnboundColumn, "does not descend"},
		"self join":                 {p.Join(p, p.Num("orderId").Eq(p.Num("orderId"))), condition.AmbiguousReference, "View()"},
		"not grouped":               {p.GroupBy("provinceId").Agg(p.Str("name")), condition.MissingAggregation, "First()"},
		"nested aggregate":          {p.Agg(p.Num("payAmount").Sum().Max()), condition.NestedAggregate, "inside"},
		"zero value":                {p.Filter(expr.BooleanValue{}), condition.InvalidValue, "zero value"},
		"zero table":                {expr.Table{}.Select("a"), condition.InvalidValue, "zero Table"},
		"negative delay":            {p.Watermark("createTime", -time.Second), condition.InvalidWatermarkDelay, "not a whole"},
		"watermark on string":       {p.Watermark("name", time.Second), condition.EventTimeNotTimestamp, "TIMESTAMP"},
		"two names":                 {p.Select("name", p.Num("orderId").As("NAME")), condition.ColumnAlreadyExists, "As"},
		"no field":                  {p.GroupBy(window.Tumbling(p.Timestamp("createTime"), time.Minute)).Agg(expr.Count()).Select(expr.Struct("window").Field("begin")), condition.UnresolvedField, "start"},
		"below microsecond":         {p.Filter(p.Timestamp("createTime").Add(time.Nanosecond).Eq(nil)), condition.InvalidValue, "finer"},
		"unknown function":          {p.Select(expr.Call[expr.StringValue]("uper", "a")), "UNRESOLVED_ROUTINE", "upper"},
		"nothing selected":          {p.Select(), condition.InvalidValue, "leave no column"},
		"everything dropped":        {p.Select("name").Drop("name"), condition.InvalidValue, "leave no column"},
		"sorted by aggregate":       {p.OrderBy(p.Num("payAmount").Sum()), condition.Unsupported, "Mutate first"},
		"nested in Mutate":          {p.Mutate(p.Num("payAmount").Sum().Max().As("x")), condition.NestedAggregate, "has an aggregate in it"},
		"nested in Filter":          {p.Filter(p.Num("payAmount").Sum().Max().Gt(1)), condition.NestedAggregate, "has an aggregate in it"},
		"limit beyond INT":          {p.Limit(3_000_000_000), "INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE", "2147483647"},
		"nil source":                {expr.Read("x", (*noSource)(nil)), condition.InvalidValue, "is nil"},
		"field without a type":      {expr.MemtableRows("m", []datatype.Field{{Name: "a"}}, nil), condition.InvalidValue, "has no type"},
		"in nothing":                {p.Filter(expr.Call[expr.BooleanValue]("in", p.Num("orderId"))), condition.WrongNumArgs, "2 or more"},
		"wrong count":               {p.Select(expr.Call[expr.StringValue]("upper")), condition.WrongNumArgs, "takes 1"},
		"buckets of two intervals":  {p.Select(expr.Call[expr.NumericValue]("width_bucket", time.Hour, expr.Months(0), expr.Months(24), 3)), "DATATYPE_MISMATCH.DATA_DIFF_TYPES", "one type"},
		"part beyond one":           {p.Agg(p.Num("payAmount").Quantile(1.5)), "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", "0 to 1"},
		"map keys that may be null": {p.Select(functions.Coalesce(functions.Map("1", 1), functions.Map(1, 1))), "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES", "MAP<INT, INT>"},
		"names of one spelling": {expr.Memtable("m", []struct {
			A, B string `spoonbill:"a"`
		}(nil)), condition.ColumnAlreadyExists, "tag"},
		"no window":                  {p.Mutate(functions.RowNumber().As("n")), condition.WindowWithoutOver, "OrderBy"},
		"no window in a filter":      {p.Filter(p.Num("orderId").Lag().Gt(1)), condition.WindowWithoutOver, "needs a window"},
		"no window in a sort":        {p.OrderBy(functions.RowNumber()), condition.WindowWithoutOver, "needs a window"},
		"no window in Agg":           {p.Agg(functions.RowNumber().As("n")), condition.Unsupported, "Aggregate first"},
		"window not ordered":         {p.Mutate(functions.RowNumber().Over(window.Over().GroupBy("name")).As("n")), condition.WindowNotOrdered, "OrderBy"},
		"window of a column":         {p.Mutate(p.Num("orderId").Add(1).Over(window.Over()).As("n")), condition.WindowOfNoAggregate, "no aggregate"},
		"window of an unknown name":  {p.Mutate(p.Num("orderId").Sum().Over(window.Over().GroupBy("nmae")).As("n")), condition.UnresolvedColumn, "Did you mean name"},
		"window by a wrong thing":    {p.Mutate(p.Num("orderId").Sum().Over(window.Over().OrderBy(3)).As("n")), condition.InvalidValue, "not as int"},
		"window of another table":    {p.Mutate(p.Num("orderId").Sum().Over(window.Over().GroupBy(payments(t).Str("name"))).As("n")), condition.UnboundColumn, "does not descend"},
		"distinct in a window":       {p.Mutate(expr.CountDistinct(p.Str("name")).Over(window.Over()).As("n")), condition.DistinctWindow, "different values"},
		"distinct outside Agg":       {p.Mutate(expr.CountDistinct(p.Str("name")).As("n")), condition.DistinctWindow, "different values"},
		"frame of rank":              {p.Mutate(functions.Rank().Over(window.Trailing(1).OrderBy("orderId")).As("n")), condition.WindowFrameFixed, "does not take the frame ROWS BETWEEN 1 PRECEDING AND CURRENT ROW"},
		"frame of lag":               {p.Mutate(p.Num("orderId").Lag().Over(window.Cumulative().OrderBy("orderId")).As("n")), condition.WindowFrameRefused, "lag does not take"},
		"rows by a fraction":         {p.Mutate(expr.Count().Over(window.Over().Rows(window.Preceding(1.5), window.CurrentRow())).As("n")), condition.FrameUnacceptedType, "counts rows"},
		"rows beyond INT":            {p.Mutate(expr.Count().Over(window.Over().Rows(window.Preceding(1<<40), window.CurrentRow())).As("n")), condition.FrameUnacceptedType, "counts rows"},
		"rows by a duration":         {p.Mutate(expr.Count().Over(window.Over().Rows(window.Preceding(time.Second), window.CurrentRow())).As("n")), condition.FrameUnacceptedType, "Use Range"},
		"negative distance":          {p.Mutate(expr.Count().Over(window.Over().Rows(window.Preceding(-1), window.CurrentRow())).As("n")), condition.InvalidValue, "Following"},
		"distance that is NULL":      {p.Mutate(expr.Count().Over(window.Over().Rows(window.Preceding(nil), window.CurrentRow())).As("n")), condition.InvalidValue, "NULL"},
		"distance that is a column":  {p.Mutate(expr.Count().Over(window.Over().Rows(window.Preceding(p.Num("orderId")), window.CurrentRow())).As("n")), condition.FrameNotConstant, "not a constant"},
		"distance that is too fine":  {p.Mutate(expr.Count().Over(window.TrailingRange(time.Nanosecond).OrderBy("createTime")).As("n")), condition.InvalidValue, "finer"},
		"bound never made":           {p.Mutate(expr.Count().Over(window.Over().Rows(expr.Bound{}, window.CurrentRow())).As("n")), condition.InvalidValue, "zero value of expr.Bound"},
		"two frames":                 {p.Mutate(expr.Count().Over(window.Trailing(1).Rows(window.CurrentRow(), window.CurrentRow())).As("n")), condition.InvalidValue, "a frame already"},
		"two frames by two Overs":    {p.Mutate(expr.Count().Over(window.Trailing(1)).Over(window.Trailing(2)).As("n")), condition.InvalidValue, "frame ROWS BETWEEN 1 PRECEDING"},
		"frame that ends too early":  {p.Mutate(expr.Count().Over(window.Over().Rows(window.Following(1), window.Preceding(1))).As("n")), condition.FrameWrongComparison, "ends before"},
		"range that ends too early":  {p.Mutate(expr.Count().Over(window.Over().OrderBy("payAmount").Range(window.Preceding(1), window.Preceding(expr.Decimal("1.5")))).As("n")), condition.FrameWrongComparison, "ends before"},
		"range without an order":     {p.Mutate(expr.Count().Over(window.TrailingRange(1)).As("n")), condition.RangeFrameWithoutOrder, "needs an order"},
		"peers without an order":     {p.Mutate(expr.Count().Over(window.Over().Range(window.Unbounded(), window.CurrentRow())).As("n")), condition.RangeFrameWithoutOrder, "needs an order"},
		"range by two keys":          {p.Mutate(expr.Count().Over(window.TrailingRange(1).OrderBy("orderId", "name")).As("n")), condition.RangeFrameMultiOrder, "one key, not 2"},
		"range of texts":             {p.Mutate(expr.Count().Over(window.TrailingRange(1).OrderBy("name")).As("n")), condition.FrameUnacceptedType, "count rows with Rows"},
		"range of time by a number":  {p.Mutate(expr.Count().Over(window.TrailingRange(1).OrderBy("createTime")).As("n")), condition.RangeFrameInvalidType, "time.Duration"},
		"range of hours of days":     {p.Mutate(expr.Count().Over(window.TrailingRange(time.Hour).OrderBy(p.Timestamp("createTime").Cast(datatype.Date))).As("n")), condition.RangeFrameInvalidType, "expr.Days"},
		"range of a lossy number":    {p.Mutate(expr.Count().Over(window.TrailingRange(1.5).OrderBy("orderId")).As("n")), condition.RangeFrameInvalidType, "holds"},
		"range of months and days":   {p.Mutate(expr.Count().Over(window.Over().OrderBy("createTime").Range(window.Preceding(expr.Months(1)), window.Following(expr.Days(1)))).As("n")), condition.FrameDifferingTypes, "one type"},
		"ntile of nothing":           {p.Mutate(p.Num("orderId").NTile(0).As("n")), "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", "from 1 up"},
		"ntile of a column":          {p.Mutate(p.Num("orderId").NTile(p.Num("provinceId")).As("n")), "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", "a literal"},
		"nth of zero":                {p.Mutate(p.Num("orderId").Nth(0).Over(window.Over().OrderBy("name")).As("n")), "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", "from 1 up"},
		"lag by a column":            {p.Mutate(p.Num("orderId").Lag(p.Num("provinceId")).Over(window.Over().OrderBy("name")).As("n")), "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", "a literal"},
		"lag by NULL":                {p.Mutate(p.Num("orderId").Lag(nil).Over(window.Over().OrderBy("name")).As("n")), "DATATYPE_MISMATCH.UNEXPECTED_NULL", "NULL"},
		"default of another type":    {p.Mutate(p.Num("orderId").Lag(1, true).Over(window.Over().OrderBy("name")).As("n")), condition.DatatypeMismatch, "default is BOOLEAN"},
		"nulls of a sum":             {p.Mutate(expr.IgnoreNulls(p.Num("orderId").Sum()).As("n")), condition.UnsupportedNullHandling, "takes no IGNORE NULLS"},
		"window in an aggregate":     {p.GroupBy("name").Agg(functions.RowNumber().Over(window.Over().OrderBy("orderId")).Sum().As("n")), condition.WindowInAggregate, "before GroupBy"},
		"window in Agg":              {p.GroupBy("name").Agg(p.Num("orderId").Sum().Over(window.Over()).As("n")), condition.Unsupported, "Aggregate first"},
		"window as a grouping key":   {p.GroupBy(p.Num("orderId").Rank()).Agg(expr.Count()), condition.WindowUnsupportedHere, "Mutate first"},
		"window in a join condition": {p.Join(p.View(), p.Num("orderId").Rank().Eq(1)), condition.WindowUnsupportedHere, "before the join"},
		"nested in a window":         {p.Mutate(p.Num("payAmount").Sum().Max().Over(window.Over().GroupBy("name")).As("x")), condition.NestedAggregate, "has an aggregate in it"},
		"time window in a window":    {p.Mutate(expr.Count().Over(window.Over().GroupBy(window.Tumbling(p.Timestamp("createTime"), time.Minute))).As("n")), condition.Unsupported, "GroupBy"},
		"time window, grouped":       {p.GroupBy(window.Tumbling(p.Timestamp("createTime"), time.Minute)).Mutate(expr.Count().As("n")), condition.Unsupported, "Agg"},
		"grouped without an order":   {p.GroupBy("name").Mutate(functions.RowNumber().As("n")), condition.WindowNotOrdered, "OrderBy"},
		"grouped, unknown order":     {p.GroupBy("name").OrderBy("nothing").Mutate(expr.Count().As("n")), condition.UnresolvedColumn, "nothing"},
		"grouped, two frames":        {p.GroupBy("name").Over(window.Trailing(1)).Over(window.Trailing(1)).Mutate(expr.Count().As("n")), condition.InvalidValue, "a frame already"},
		"negative limit of groups":   {p.GroupBy("name").Limit(-1), "INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE", "from zero"},
		"distinct on nothing":        {p.DistinctOn().Keep(expr.KeepFirst), condition.InvalidValue, "needs a key"},
		"distinct on an unknown":     {p.DistinctOn("nmae").Keep(expr.KeepNone), condition.UnresolvedColumn, "Did you mean name"},
		"zero value in a window":     {p.Mutate(expr.NumericValue{}.Over(window.Over()).As("n")), condition.InvalidValue, "zero value"},
		"zero value as a key":        {p.Mutate(expr.Count().Over(window.Over().GroupBy(expr.AnyValue{})).As("n")), condition.InvalidValue, "zero value"},
		"rank of a zero value":       {p.Mutate(expr.NumericValue{}.Rank().As("n")), condition.InvalidValue, "zero value"},
		"cumulative zero value":      {p.Mutate(expr.NumericValue{}.CumSum().As("n")), condition.InvalidValue, "zero value"},
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

// Maps cannot be compared, so neither group nor order a window.
func TestWindowsOfMaps(t *testing.T) {
	m := expr.CatalogTable(fields(t, "id INT, m MAP<STRING, INT>"), "maps")
	for _, c := range []struct {
		table     expr.Table
		condition string
	}{
		{m.Mutate(expr.Count().Over(window.Over().GroupBy("m")).As("n")), "EXPRESSION_TYPE_IS_NOT_ORDERABLE"},
		{m.Mutate(expr.Count().Over(window.Over().OrderBy("m")).As("n")), "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE"},
	} {
		var e *condition.Error
		require.ErrorAs(t, c.table.Err(), &e)
		require.Equal(t, c.condition, e.Condition)
	}
}

// Over on what has a window already adds the keys that it lacks, as in Ibis; specifications and values are not changed by it.
func TestOverMerges(t *testing.T) {
	p := payments(t)
	byName := window.Over().GroupBy("name")
	ordered := byName.OrderBy("orderId")
	other := byName.OrderBy("createTime")
	rank := p.Num("payAmount").Rank()
	text := func(v expr.Value) string {
		rel, err := p.Select(v).Relation()
		require.NoError(t, err)
		return tree.String(rel.(*tree.Project).Columns[0].Expr)
	}
	require.Equal(t, "rank() OVER (PARTITION BY name ORDER BY payAmount)", text(rank.Over(byName)))
	require.Equal(t, "rank() OVER (PARTITION BY name ORDER BY payAmount, orderId)", text(rank.Over(byName).Over(ordered)))
	require.Equal(t, "rank() OVER (ORDER BY payAmount)", text(rank))
	require.Equal(t, "sum(payAmount) OVER (PARTITION BY name ORDER BY orderId)", text(p.Num("payAmount").Sum().Over(ordered)))
	require.Equal(t, "sum(payAmount) OVER (PARTITION BY name ORDER BY createTime)", text(p.Num("payAmount").Sum().Over(other)))
	require.Equal(t, "sum(payAmount) OVER (ORDER BY orderId ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)", text(p.Num("payAmount").CumSum().Over(window.Over().OrderBy("orderId"))))
	require.Equal(t, "last(name) IGNORE NULLS OVER (ORDER BY orderId)", text(expr.IgnoreNulls(expr.Str("name").Last()).Over(window.Over().OrderBy("orderId"))))
	require.Equal(t, "(payAmount - avg(payAmount) OVER (PARTITION BY name))", text(p.Num("payAmount").Sub(p.Num("payAmount").Mean()).Over(byName)))
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
