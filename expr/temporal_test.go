package expr_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// A mistake in a temporal join is one message with its place and the way out.
func TestTemporalJoinMistakes(t *testing.T) {
	o := expr.CatalogTable(fields(t, "id BIGINT, currency STRING, shop INT, ordered TIMESTAMP, note STRING"), "orders")
	r := expr.CatalogTable(fields(t, "currency STRING, shop INT, since TIMESTAMP, rate INT, gone BOOLEAN, note STRING"), "rates")
	v := r.Versioned("since", "currency")
	two := r.Versioned("since", "currency", "shop")
	for name, c := range map[string]struct {
		table     expr.Table
		condition string
		says      string
	}{
		"zero versions":       {o.TemporalJoin(expr.Versions{}, "ordered"), condition.InvalidValue, "Use Versioned"},
		"no key":              {o.TemporalJoin(r.Versioned("since"), "ordered", "currency"), condition.InvalidValue, "no key"},
		"unknown time":        {o.TemporalJoin(r.Versioned("sinec", "currency"), "ordered"), condition.UnresolvedColumn, "Did you mean since"},
		"unknown left time":   {o.TemporalLeftJoin(v, "ordred"), condition.UnresolvedColumn, "Did you mean ordered"},
		"unknown key":         {o.TemporalJoin(r.Versioned("since", "curency"), "ordered", "currency"), condition.UnresolvedColumn, "Did you mean currency"},
		"key by another name": {o.TemporalJoin(r.Versioned("since", "rate"), "ordered"), condition.UnresolvedColumn, "no column rate"},
		"computed time":       {o.TemporalJoin(v, o.Timestamp("ordered").Add(time.Hour)), "UNSUPPORTED_JOIN_CONDITION", "Mutate"},
		"time of the right":   {o.TemporalJoin(v, r.Timestamp("since")), "UNSUPPORTED_JOIN_CONDITION", "left table"},
		"time of no kind":     {o.TemporalJoin(v, 7), condition.InvalidValue, "not as int"},
		"times of texts":      {o.TemporalJoin(r.Versioned("note", "currency"), "note"), condition.DatatypeMismatch, "of TemporalJoin are numbers"},
		"a key is missing":    {o.TemporalJoin(two, "ordered", "currency"), "UNSUPPORTED_JOIN_CONDITION", "nothing with shop"},
		"what is no key":      {o.TemporalJoin(v, "ordered", "currency", "shop"), "UNSUPPORTED_JOIN_CONDITION", "which shop is not"},
		"a filter":            {o.TemporalJoin(v, "ordered", "currency", r.Num("rate").Gt(1)), "UNSUPPORTED_JOIN_CONDITION", "takes equalities"},
		"an inequality":       {o.TemporalJoin(v, "ordered", "currency", o.Num("shop").Lt(r.Num("shop"))), "UNSUPPORTED_JOIN_CONDITION", "takes equalities"},
		"as-of option":        {o.TemporalJoin(v, "ordered", expr.AsofStrict()), condition.InvalidValue, "option of AsofJoin"},
		"with itself":         {r.TemporalJoin(v, "since"), condition.AmbiguousReference, "View()"},
		"deletion of another": {o.TemporalJoin(v.DeletedWhere(o.Num("id").Gt(1)), "ordered"), condition.UnboundColumn, "id"},
		"clash":               {o.Rename(map[string]string{"note_right": "id"}).TemporalJoin(v, "ordered"), condition.ColumnAlreadyExists, "expr.RName"},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.table.Err()
			var e *condition.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, c.condition, e.Condition, err.Error())
			require.Contains(t, err.Error(), c.says)
			require.Contains(t, err.Error(), "temporal_test.go:", "the place in the user's file")
			require.NotContains(t, err.Error(), "\n", "one slip, one message")
		})
	}
	// A table in error keeps its columns.
	require.Equal(t, []string{"id", "currency", "shop", "ordered", "note"}, o.TemporalJoin(v, "nothing").Schema().Names())
}

// The columns of a temporal join, and which of them carry event time: no right one, whose version may be older than any watermark.
func TestTemporalJoinColumns(t *testing.T) {
	o := expr.CatalogTable(fields(t, "id BIGINT NOT NULL, currency STRING, at TIMESTAMP"), "orders").Watermark("at", time.Minute)
	r := expr.CatalogTable(fields(t, "currency STRING, at TIMESTAMP, rate INT, gone BOOLEAN"), "rates").Watermark("at", time.Minute)
	for _, j := range []expr.Table{
		o.AsofJoin(r, "at", "currency"), o.TemporalJoin(r.Versioned("at", "currency"), "at"), o.TemporalLeftJoin(r.Versioned("at", "currency").DeletedWhere(r.Bool("gone")), "at"),
		o.TemporalJoin(r.Versioned("at", "currency").DeletedWhere(r.Bool("gone")), o.Timestamp("at")),
	} {
		require.NoError(t, j.Err())
		require.Equal(t, []string{"id", "currency", "at", "at_right", "rate", "gone"}, j.Schema().Names())
		for _, f := range j.Schema().Fields() {
			require.True(t, f.Nullable, f.Name)
			require.Equal(t, f.Name == "at", f.Watermark != nil, f.Name)
		}
	}
	// Columns of the right table go on to be found, also where deletions were looked at.
	require.NoError(t, o.TemporalJoin(r.Versioned("at", "currency").DeletedWhere(r.Bool("gone")), "at").Select(o.Num("id"), r.Num("rate")).Err())
	require.Contains(t, o.TemporalJoin(r.Versioned("at", "currency"), "at").String(), "TemporalJoin at, at on (currency = currency)")
}
