package expr_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/functions"
	"github.com/spoonbill-go/spoonbill/expr/selectors"
)

// wide is a selector of one's own, which picks what it is told to.
type wide []int

func (w wide) Pick(*expr.Schema) ([]int, error) { return w, nil }
func (wide) String() string                     { return "mine" }

type broken struct{ wide }

func (broken) Pick(*expr.Schema) ([]int, error) { return nil, errors.New("no luck") }

// One slip gives one message, with the line of the slip.
func TestShapeMistakes(t *testing.T) {
	p := payments(t)
	maps := expr.CatalogTable(fields(t, "m MAP<STRING, INT>, orderId BIGINT"), "maps")
	arrays := p.Select(functions.Array(p.Num("orderId")).As("a"), p.Str("name").As("pos"))
	tall := p.Select("provinceId", "name", p.Num("payAmount").As("value"))
	many := make([]any, 13)
	for i := range many {
		many[i] = p.Num("orderId").Add(i).As("k")
	}
	for name, c := range map[string]struct {
		table     expr.Table
		condition string
		says      string
	}{
		"intersect of nothing":         {p.Intersect(), condition.InvalidValue, "another table"},
		"intersect of two widths":      {p.IntersectAll(p.Select("name")), condition.NumColumnsMismatch, "table 2 has 1"},
		"difference of two types":      {p.Select("name").Difference(p.Select(functions.Array("x").As("a"))), condition.IncompatibleColumnType, "does not go with"},
		"difference of maps":           {maps.Difference(maps), "UNSUPPORTED_FEATURE.SET_OPERATION_ON_MAP_TYPE", "MAP"},
		"union distinct of maps":       {maps.UnionDistinct(maps.View()), "UNSUPPORTED_FEATURE.SET_OPERATION_ON_MAP_TYPE", "UnionDistinct"},
		"sample beyond one":            {p.Sample(1.5), condition.InvalidValue, "0 to 1"},
		"sample of two seeds":          {p.Sample(0.5, 1, 2), condition.InvalidValue, "at most one seed"},
		"sample of a seed below zero":  {p.Sample(0.5, -1), condition.InvalidValue, "from zero up"},
		"limit by a column":            {p.Limit(p.Num("orderId")), "INVALID_LIMIT_LIKE_EXPRESSION.IS_UNFOLDABLE", "row_number"},
		"limit by a free column":       {p.Limit(expr.Num("orderId")), "INVALID_LIMIT_LIKE_EXPRESSION.IS_UNFOLDABLE", "orderId"},
		"limit by an aggregate":        {p.Limit(expr.Count()), "INVALID_LIMIT_LIKE_EXPRESSION.IS_UNFOLDABLE", "count"},
		"limit by a text":              {p.Limit("3"), "INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE", "is an INT"},
		"limit by a BIGINT":            {p.Limit(expr.Lit(int64(3))), "INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE", "BIGINT"},
		"limit below zero":             {p.Limit(-1), "INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE", "-1"},
		"limit by NULL":                {p.Limit(expr.Null(datatype.Int)), "INVALID_LIMIT_LIKE_EXPRESSION.IS_NULL", "NULL"},
		"offset below zero":            {p.Limit(nil, -1), "INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE", "-1"},
		"two offsets":                  {p.Limit(1, 2, 3), "INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE", "at most one offset"},
		"two heads":                    {p.Head(1, 2), condition.InvalidValue, "not 2"},
		"grouping in Select":           {p.Select(expr.Grouping("name")), "UNSUPPORTED_GROUPING_EXPRESSION", "Agg and Having only"},
		"grouping in Filter":           {p.Filter(expr.GroupingID().Gt(0)), "UNSUPPORTED_GROUPING_EXPRESSION", "Agg and Having only"},
		"grouping without sets":        {p.GroupBy("name").Agg(expr.Grouping("name")), "UNSUPPORTED_GROUPING_EXPRESSION", "has none"},
		"grouping of no key":           {p.GroupBy(expr.Cube("name")).Agg(expr.Grouping("orderId")), "GROUPING_COLUMN_MISMATCH", "no key"},
		"cube of thirteen":             {p.GroupBy(expr.Cube(many...)).Count(), "GROUPING_SIZE_LIMIT_EXCEEDED", "GroupingSets"},
		"no grouping set":              {p.GroupBy(expr.GroupingSets()).Count(), condition.InvalidValue, "needs a set"},
		"zero grouping element":        {p.GroupBy(expr.GroupingElement{}).Count(), condition.InvalidValue, "never made"},
		"rollup of a map":              {maps.GroupBy(expr.Rollup("m")).Count(), "GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE", "MAP"},
		"having of a number":           {p.GroupBy("name").Having(expr.Bool("payAmount")).Count(), condition.DatatypeMismatch, "Boolean"},
		"having of a column":           {p.GroupBy("name").Having(p.Num("orderId").Gt(1)).Count(), condition.MissingAggregation, "orderId"},
		"having of a zero value":       {p.GroupBy("name").Having(expr.BooleanValue{}).Count(), condition.InvalidValue, "zero value"},
		"count twice":                  {p.GroupBy(p.Str("name").As("count")).Count(), condition.ColumnAlreadyExists, "count"},
		"unnest a text":                {arrays.Unnest("pos"), condition.DatatypeMismatch, "array"},
		"unnest with a taken name":     {arrays.Unnest("a", expr.WithPosition("POS")), condition.ColumnAlreadyExists, "another name"},
		"unnest two":                   {arrays.Unnest(selectors.All()), condition.InvalidValue, "not 2"},
		"unpack a text":                {arrays.Unpack("pos"), condition.DatatypeMismatch, "struct"},
		"unpack into a clash":          {p.Select("name", functions.NamedStruct("NAME", p.Str("name")).As("s")).Unpack("s"), condition.ColumnAlreadyExists, "name"},
		"relocate nothing":             {p.Relocate(), condition.InvalidValue, "needs a column"},
		"relocate to two places":       {p.Relocate("name", expr.Before("orderId"), expr.After("orderId")), condition.InvalidValue, "one place"},
		"relocate an expression":       {p.Relocate(p.Num("orderId").Add(1)), condition.InvalidValue, "Mutate first"},
		"rename to a clash":            {p.RenameBy(func(string) string { return "x" }, "name", "orderId"), condition.ColumnAlreadyExists, "x"},
		"rename by nothing":            {p.RenameBy(nil), condition.InvalidValue, "needs a function"},
		"cast of no column":            {p.Cast(map[string]datatype.Type{"nam": datatype.Int}), condition.UnresolvedColumn, "name"},
		"cast to no type":              {p.Cast(map[string]datatype.Type{"name": nil}), condition.InvalidValue, "needs a type"},
		"cast that cannot be":          {p.TryCast(map[string]datatype.Type{"createTime": datatype.Boolean}), condition.CastWithoutSuggestion, "BOOLEAN"},
		"fill with what fits nowhere":  {p.FillNull(true), condition.DatatypeMismatch, "No column"},
		"fill with the wrong type":     {p.FillNull(map[string]any{"payAmount": "x"}), condition.DatatypeMismatch, "payAmount"},
		"fill with null":               {p.FillNull(map[string]any{"name": nil}), condition.DatatypeMismatch, "name"},
		"fill with a column":           {p.FillNull(map[string]any{"name": p.Str("name")}), condition.DatatypeMismatch, "Coalesce"},
		"drop null by nothing":         {p.DropNull(expr.How(7)), condition.InvalidValue, "AnyNull"},
		"top k below zero":             {p.TopK(-1, "name"), "INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE", "-1"},
		"value counts of a map":        {maps.ValueCounts(), "GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE", "MAP"},
		"nunique of maps":              {maps.NUnique(), "UNSUPPORTED_FEATURE.SET_OPERATION_ON_MAP_TYPE", "NUnique"},
		"longer of nothing":            {p.PivotLonger([]any{}), condition.InvalidValue, "needs a column"},
		"longer without a common type": {p.PivotLonger([]any{"createTime", "payAmount"}), "DATATYPE_MISMATCH.DATA_DIFF_TYPES", "ValuesTransform"},
		"longer into a clash":          {p.PivotLonger("payAmount"), condition.ColumnAlreadyExists, "name"},
		"longer by a bad pattern":      {p.PivotLonger("payAmount", expr.NamesPattern("(")), condition.InvalidValue, "cannot be read"},
		"longer by few groups":         {p.PivotLonger("payAmount", expr.NamesTo("a", "b"), expr.NamesPattern("(x)")), condition.InvalidValue, "1 groups"},
		"longer by another pattern":    {p.PivotLonger("payAmount", expr.NamesTo("a"), expr.NamesPattern("^q")), condition.InvalidValue, "does not match"},
		"longer with wider's option":   {p.PivotLonger("payAmount", expr.NamesTo("a"), expr.NamesSep("")), condition.InvalidOption, "NamesSep"},
		"longer transforms no name":    {p.PivotLonger("payAmount", expr.NamesTo("a"), expr.NamesTransform("b", func(s string) any { return s })), condition.InvalidOption, "NamesTo"},
		"longer transforms wrongly":    {p.PivotLonger("payAmount", expr.NamesTo("a"), expr.ValuesTransform(expr.StringValue.Upper)), condition.DatatypeMismatch, "String"},
		"wider of unknown names":       {tall.PivotWider(), condition.InvalidValue, "PivotNames"},
		"wider of no names":            {tall.PivotWider(expr.PivotNames()), condition.InvalidValue, "no names"},
		"wider of another table":       {tall.PivotWider(expr.PivotNames(p.Select("name"))), condition.InvalidValue, "not known"},
		"wider of wrong names":         {tall.PivotWider(expr.PivotNames(1)), condition.DatatypeMismatch, "does not fit"},
		"wider of long names":          {tall.PivotWider(expr.PivotNames([]any{"a", "b"})), condition.NumColumnsMismatch, "has 2 values"},
		"wider into a clash":           {tall.PivotWider(expr.PivotNames("a", "A")), condition.ColumnAlreadyExists, "A"},
		"wider with a wrong aggregate": {tall.PivotWider(expr.PivotNames("a"), expr.ValuesAgg(expr.StringValue.Max)), condition.DatatypeMismatch, "String"},
		"wider without an aggregate":   {tall.PivotWider(expr.PivotNames("a"), expr.ValuesAgg(expr.NumericValue.Abs)), condition.InvalidValue, "no aggregate"},
		"wider of no column":           {tall.PivotWider(expr.NamesFrom("nam"), expr.PivotNames("a")), condition.UnresolvedColumn, "name"},

		"nothing picked":              {p.Select(selectors.OfType(datatype.Binary)), condition.UnresolvedColumn, "of_type(BINARY) picks no column"},
		"nothing picked by two":       {p.Drop(selectors.Numeric().And(selectors.StartsWith("x"))), condition.UnresolvedColumn, `(numeric() & startswith("x"))`},
		"nothing selected by none":    {p.Select(selectors.None()), condition.InvalidValue, "leave no column"},
		"picked by a wrong name":      {p.Select(selectors.Cols("nam")), condition.UnresolvedColumn, "nam"},
		"picked beyond":               {p.Select(selectors.Index(9)), condition.InvalidValue, "of 5 columns"},
		"picked by a broken pattern":  {p.Select(selectors.Matches("(")), condition.InvalidValue, "cannot be read"},
		"picked by nothing":           {p.Select(selectors.Where(nil)), condition.InvalidValue, "no function"},
		"zero selector":               {p.Drop(selectors.Selector{}), condition.InvalidValue, "never made"},
		"picked beyond by one's own":  {p.Select(wide{7}), condition.InvalidValue, "column 7"},
		"one's own that fails":        {p.Select(broken{}), condition.InvalidValue, "no luck"},
		"across of a wrong type":      {p.Mutate(selectors.Across(selectors.All(), expr.StringValue.Upper)), condition.DatatypeMismatch, "createTime"},
		"across into a clash":         {p.Select(selectors.Across(selectors.EndsWith("Id"), expr.NumericValue.Abs, "x")), condition.ColumnAlreadyExists, "x"},
		"across within an expression": {p.Select(p.Num("orderId").Add(selectors.Across(selectors.Numeric(), expr.NumericValue.Abs))), condition.InvalidValue, "cannot stand within"},
		"across by nothing":           {p.Select(selectors.Across[expr.NumericValue, expr.NumericValue](selectors.Numeric(), nil)), condition.InvalidValue, "a function"},
		"across by two patterns":      {p.Select(selectors.Across(selectors.Numeric(), expr.NumericValue.Abs, "a", "b")), condition.InvalidValue, "one pattern"},
		"if any of a wrong type":      {p.Filter(selectors.IfAny(selectors.Cols("name"), func(n expr.NumericValue) expr.BooleanValue { return n.Gt(1) })), condition.DatatypeMismatch, "STRING"},
		"if any in a join":            {p.Join(p.View(), selectors.IfAny(selectors.Numeric(), expr.NumericValue.IsNull)), condition.Unsupported, "two"},
		"ordered by nothing picked":   {p.OrderBy(expr.Desc(selectors.OfType(datatype.Binary))), condition.UnresolvedColumn, "picks no column"},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.table.Err()
			require.Error(t, err)
			var e *condition.Error
			require.ErrorAs(t, err, &e)
			if name != "across of a wrong type" { // which has a message for each column that does not fit
				require.NotContains(t, err.Error(), "\n", "one slip, one message")
			}
			require.Equal(t, c.condition, e.Condition, err.Error())
			require.Contains(t, err.Error(), c.says)
			require.Contains(t, err.Error(), "shape_test.go:", "the place in the user's file")
		})
	}
}

// What methods make of the zero Table and of a table in error is that error alone.
func TestShapeOfNothing(t *testing.T) {
	for _, bad := range []expr.Table{{}, expr.Read("x", nil), payments(t).Select("nothing")} {
		for name, got := range map[string]expr.Table{
			"union": bad.UnionDistinct(bad), "intersect": bad.Intersect(bad), "difference": bad.DifferenceAll(bad), "sample": bad.Sample(0.5), "head": bad.Head(),
			"longer": bad.PivotLonger(selectors.All()), "wider": bad.PivotWider(), "unnest": bad.Unnest("a", expr.WithPosition("i")), "drop": bad.Drop(selectors.Numeric()),
			"describe": bad.Describe(), "info": bad.Info(), "drop null": bad.DropNull(expr.AllNull), "rollup": bad.GroupBy(expr.Rollup()).Count(), "distinct": bad.Distinct(),
		} {
			require.Error(t, got.Err(), name)
			require.NotNil(t, got.Columns, name)
		}
	}
}

func TestShapeOfSchemas(t *testing.T) {
	p := payments(t)
	for _, c := range []struct {
		table expr.Table
		want  string
	}{
		{p.Relocate("name", expr.After("orderId")), "createTime orderId name payAmount provinceId"},
		{p.Relocate(selectors.Last(), p.Num("payAmount").As("amount")), "name amount createTime orderId provinceId"},
		{p.Relocate("createTime", expr.Before(selectors.EndsWith("Id"))), "createTime orderId payAmount provinceId name"},
		{p.Relocate("createTime", expr.After("createTime")), "createTime orderId payAmount provinceId name"},
		{p.RenameBy(expr.SnakeCase), "create_time order_id pay_amount province_id name"},
		{p.RenameBy(expr.AllCaps, selectors.Numeric()), "createTime ORDER_ID PAY_AMOUNT PROVINCE_ID name"},
		{p.Select(selectors.All().And(selectors.Matches("Id$").Not())), "createTime payAmount name"},
		{p.Select(selectors.Range(-2, 99), selectors.First()), "provinceId name createTime"},
		{p.Select(selectors.AllOf(selectors.Numeric(), selectors.Where(func(f selectors.Field) bool { return f.Nullable }))), "payAmount provinceId"},
		{p.Drop(selectors.Numeric(), "NAME"), "createTime"},
		{p.GroupBy(expr.GroupingSets("name", []any{"provinceId", "name"})).Agg(expr.Count().As("n")), "name provinceId n"},
		{p.Select("name", selectors.Across(selectors.Cols("orderId"), func(n expr.NumericValue) expr.NumericValue { return n.Mean().As("m") })), "name m"},
	} {
		require.NoError(t, c.table.Err())
		require.Equal(t, c.want, strings.Join(c.table.Columns(), " "))
	}
	names := expr.MemtableRows("names", fields(t, "n STRING"), [][]any{{"b"}, {"a"}, {"b"}, {nil}})
	wider := p.Select("provinceId", "name", p.Num("payAmount").As("value")).PivotWider(expr.PivotNames(names, "z"))
	require.NoError(t, wider.Err())
	require.Equal(t, []string{"provinceId", "z", "b", "a", "null"}, wider.Columns())
	// A cast to the type that a column has keeps its event time, and so do methods that move columns.
	w := p.Watermark("createTime", time.Second)
	for _, kept := range []expr.Table{w.Cast(map[string]datatype.Type{"createTime": datatype.Timestamp}), w.Relocate("createTime"), w.FillNull(0), w.DropNull(expr.AnyNull), w.RenameBy(expr.SnakeCase)} {
		require.NoError(t, kept.Err())
		require.NotNil(t, kept.Schema().Field(0).Watermark)
	}
	require.False(t, p.Select("orderId").Intersect(p.Select("provinceId")).Schema().Field(0).Nullable, "what is in both is null where both may be")
	require.True(t, p.Select("provinceId").Difference(p.Select("orderId")).Schema().Field(0).Nullable)
	require.False(t, p.FillNull(0).Schema().Field(3).Nullable)
}

func TestNamesByCase(t *testing.T) {
	for in, want := range map[string]string{
		"unitPrice": "unit_price", "UnitPrice": "unit_price", "Unit Price": "unit_price", "unit-price": "unit_price", "unit_price": "unit_price", "HTTPServer": "http_server",
		"q1Total": "q1_total", " padded ": "padded", "": "", "ÄrgerGroß": "ärger_groß", "ID": "id", "two  spaces": "two_spaces",
	} {
		require.Equal(t, want, expr.SnakeCase(in), in)
		require.Equal(t, strings.ToUpper(want), expr.AllCaps(in), in)
	}
}
