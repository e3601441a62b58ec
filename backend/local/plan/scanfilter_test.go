package plan

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/backend/local/exec"
	"github.com/spoonbill-go/spoonbill/backend/local/format/column"
	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// TestScanFilters has the conditions that a scan is told of a filter.
func TestScanFilters(t *testing.T) {
	in := expr.Read("f", connectors.FromParquet("p", connectors.RowsDDL("i INT, s STRING, dt DATE, l BIGINT")))
	type hint struct {
		columns []int
		op      connector.Comparison
		values  []any
	}
	for _, c := range []struct {
		cond expr.BooleanValue
		want []hint
	}{
		{in.Num("i").Gt(3).And(in.Str("s").Eq("x")), []hint{{[]int{0}, connector.Greater, []any{int64(3)}}, {[]int{1}, connector.Equal, []any{"x"}}}},
		{in.Num("i").In(1, 2), []hint{{[]int{0}, connector.Equal, []any{int64(1), int64(2)}}}},
		{in.Num("i").IsNull(), []hint{{[]int{0}, connector.IsNull, nil}}},
		{in.Date("dt").Ge(expr.DateOf(1970, 1, 3)), []hint{{[]int{2}, connector.GreaterOrEqual, []any{int64(2)}}}},
		{expr.Lit(5).Gt(in.Num("i")), []hint{{[]int{0}, connector.Less, []any{int64(5)}}}},
		{in.Num("i").Add(1).Gt(3), []hint{{[]int{0}, "", nil}}},
		{in.Num("i").Gt(in.Num("l")), []hint{{[]int{0, 3}, "", nil}}},
		{in.Num("i").Gt(3).Or(in.Num("l").Gt(3)), []hint{{[]int{0, 3}, "", nil}}},
	} {
		r, err := in.Filter(c.cond).Relation()
		require.NoError(t, err)
		p, err := Make(r, Kind{})
		require.NoError(t, err)
		var f *Filter
		var find func(n Node)
		find = func(n Node) {
			if x, ok := n.(*Filter); ok {
				f = x
			}
			for _, i := range n.Inputs() {
				find(i)
			}
		}
		find(p.Root)
		require.NotNil(t, f)
		b := &builder{task: &exec.Task{Env: &kernel.Env{ANSI: true}}}
		var got []hint
		for _, x := range b.filters(f.In.(*Scan)) {
			got = append(got, hint{x.Columns, x.Op, x.Values})
			require.NotNil(t, x.True)
		}
		require.Equal(t, c.want, got)
	}
}

// TestScanFilterTrue computes a condition over a batch of its columns alone: false and null are both no.
func TestScanFilterTrue(t *testing.T) {
	in := expr.Read("f", connectors.FromParquet("p", connectors.RowsDDL("x STRING, i INT")))
	r, err := in.Filter(in.Num("i").Gt(3)).Relation()
	require.NoError(t, err)
	p, err := Make(r, Kind{})
	require.NoError(t, err)
	f := p.Root.(*Filter)
	b := &builder{task: &exec.Task{Env: &kernel.Env{ANSI: true}}}
	c, err := column.New(datatype.Int)
	require.NoError(t, err)
	c.AppendInt(4)
	c.AppendNull()
	c.AppendInt(3)
	rec, err := column.Record(arrow.NewSchema([]arrow.Field{{Name: "i", Type: arrow.PrimitiveTypes.Int32, Nullable: true}}, nil), []*column.Column{c})
	require.NoError(t, err)
	defer rec.Release()
	keep, err := b.filters(f.In.(*Scan))[0].True(rec)
	require.NoError(t, err)
	require.Equal(t, []bool{true, false, false}, keep)
}
