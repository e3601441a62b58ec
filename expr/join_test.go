package expr_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// A mistake in a join is one message with its place and the way out.
func TestJoinMistakes(t *testing.T) {
	p, q := payments(t), expr.CatalogTable(fields(t, "orderId BIGINT, at TIMESTAMP, name STRING"), "orders")
	for name, c := range map[string]struct {
		table     expr.Table
		condition string
		says      string
	}{
		"self cross join":      {p.CrossJoin(p), condition.AmbiguousReference, "View()"},
		"join on a number":     {p.Join(q, 3), condition.InvalidValue, "not int"},
		"join on nothing":      {p.SemiJoin(q), condition.InvalidValue, "CrossJoin"},
		"join on free name":    {p.Join(q, expr.Num("orderId").Eq(1)), condition.AmbiguousReference, "left.Col"},
		"join by missing name": {p.AntiJoin(q, [2]string{"name", "nmae"}), condition.UnresolvedColumn, "Did you mean name"},
		"clash of a join":      {p.Join(q.Rename(map[string]string{"name_right": "at"}), "orderId"), condition.ColumnAlreadyExists, "expr.RName"},
		"clash by template":    {p.Join(q, "orderId", expr.RName("{name}")), condition.ColumnAlreadyExists, "expr.LName"},
		"bad template":         {p.Join(q, "orderId", expr.LName("left")), condition.InvalidValue, "no {name}"},
		"zero option":          {p.Join(q, "orderId", expr.JoinOption{}), condition.InvalidValue, "zero JoinOption"},
		"as-of option in join": {p.Join(q, "orderId", expr.AsofStrict()), condition.InvalidValue, "option of AsofJoin"},
		"aggregate in a join":  {p.Join(q, p.Num("orderId").Max().Eq(q.Num("orderId"))), "UNSUPPORTED_JOIN_CONDITION", "aggregate"},
		"any join by order":    {p.AnyJoin(q, "orderId", p.Timestamp("createTime").Gt(q.Timestamp("at"))), "UNSUPPORTED_JOIN_CONDITION", "AsofJoin"},
		"any join of one side": {p.AnyLeftJoin(q, q.Num("orderId").Gt(1)), "UNSUPPORTED_JOIN_CONDITION", "needs an equality"},
		"as-of by equality":    {p.AsofJoin(q, p.Num("orderId").Eq(q.Num("orderId"))), "UNSUPPORTED_JOIN_CONDITION", "Ge, Gt, Le or Lt"},
		"as-of by expression":  {p.AsofJoin(q, p.Num("orderId").Add(1).Ge(q.Num("orderId"))), "UNSUPPORTED_JOIN_CONDITION", "Mutate"},
		"as-of on one side":    {p.AsofJoin(q, p.Num("orderId").Ge(p.Num("provinceId"))), "UNSUPPORTED_JOIN_CONDITION", "a left column with a right one"},
		"as-of of texts":       {p.AsofJoin(q, "name"), condition.DatatypeMismatch, "not STRING"},
		"as-of two directions": {p.AsofJoin(q, p.Num("orderId").Ge(q.Num("orderId")), expr.AsofNearest()), condition.InvalidValue, "two directions"},
		"as-of with a filter":  {p.AsofJoin(q, "orderId", q.Str("name").NotNull()), "UNSUPPORTED_JOIN_CONDITION", "Filter a table"},
		"as-of by inequality":  {p.AsofJoin(q, "orderId", q.Str("name").Gt(p.Str("name"))), "UNSUPPORTED_JOIN_CONDITION", "equalities"},
		"as-of with itself":    {p.AsofJoin(p, "createTime"), condition.AmbiguousReference, "View()"},
		"tolerance of a text":  {p.AsofJoin(q, [2]string{"createTime", "at"}, expr.AsofTolerance("1 hour")), condition.InvalidValue, "time.Duration"},
		"tolerance below zero": {p.AsofJoin(q, "orderId", expr.AsofTolerance(-1)), condition.InvalidValue, "from zero up"},
		"tolerance of nothing": {p.AsofJoin(q, "orderId", expr.AsofTolerance(nil)), condition.InvalidValue, "is nil"},
		"duration of numbers":  {p.AsofJoin(q, "orderId", expr.AsofTolerance(time.Second)), condition.InvalidValue, "does not fit"},
		"as-of of 38 digits":   {p.Mutate(p.Num("payAmount").Cast(datatype.Decimal{Precision: 38, Scale: 2}).As("payAmount")).AsofJoin(q, [2]string{"payAmount", "orderId"}, expr.AsofNearest()), condition.DatatypeMismatch, "37 digits"},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.table.Err()
			var e *condition.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, c.condition, e.Condition, err.Error())
			require.NotEmpty(t, e.Message)
			require.Contains(t, err.Error(), c.says)
			require.Contains(t, err.Error(), "join_test.go:", "the place in the user's file")
			require.NotContains(t, err.Error(), "\n", "one slip, one message")
		})
	}
}

// The columns of a join: which there are, under which names, and which may be null.
func TestJoinColumns(t *testing.T) {
	l := expr.CatalogTable(fields(t, "k INT NOT NULL, g STRING NOT NULL, x INT NOT NULL"), "l")
	r := expr.CatalogTable(fields(t, "K BIGINT NOT NULL, g STRING NOT NULL, y INT NOT NULL"), "r")
	for name, c := range map[string]struct {
		table expr.Table
		want  []string
	}{
		"inner":            {l.Join(r, "k"), []string{"k!", "g!", "x!", "g_right!", "y!"}},
		"inner, null-safe": {l.Join(r, l.Num("k").EqNullSafe(r.Num("k"))), []string{"k!", "g!", "x!", "g_right!", "y!"}},
		"left":             {l.LeftJoin(r, "k", "g"), []string{"k!", "g!", "x!", "y"}},
		"right":            {l.RightJoin(r, "k"), []string{"k", "g", "x", "K_right!", "g_right!", "y!"}},
		"outer":            {l.OuterJoin(r, "k"), []string{"k", "g", "x", "K_right", "g_right", "y"}},
		"semi":             {l.SemiJoin(r, "k"), []string{"k!", "g!", "x!"}},
		"anti":             {l.AntiJoin(r, "k"), []string{"k!", "g!", "x!"}},
		"cross":            {l.CrossJoin(r, expr.LName("l.{name}"), expr.RName("r.{name}")), []string{"l.k!", "l.g!", "x!", "r.K!", "r.g!", "y!"}},
		"any":              {l.AnyJoin(r, "k"), []string{"k!", "g!", "x!", "g_right!", "y!"}},
		"any left":         {l.AnyLeftJoin(r, "k"), []string{"k!", "g!", "x!", "g_right", "y"}},
		"as-of":            {l.AsofJoin(r, [2]string{"x", "y"}, "k"), []string{"k", "g", "x", "g_right", "y"}},
		"as-of, one name":  {l.AsofJoin(r, "k", "g"), []string{"k", "g", "x", "K_right", "y"}},
		"chain":            {l.Join(r, "k").SemiJoin(l.View(), "k").Select(l.Num("x"), r.Num("y")), []string{"x!", "y!"}},
	} {
		require.NoError(t, c.table.Err(), name)
		var got []string
		for _, f := range c.table.Schema().Fields() {
			got = append(got, f.Name+map[bool]string{false: "!"}[f.Nullable])
		}
		require.Equal(t, c.want, got, name)
	}
	require.Equal(t, "AsofJoin forward x, y strict within 3 on (k = K)\n  Table l\n  Table r\n", l.AsofJoin(r, l.Num("x").Lt(r.Num("y")), "k", expr.AsofTolerance(3)).String())
}
