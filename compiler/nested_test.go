package compiler_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/functions"
	"github.com/spoonbill-go/spoonbill/internal/golden"
)

// Functions of elements print as lambdas whose parameters hide no column, no part of a column's name and no parameter around them.
func TestNestedSQL(t *testing.T) {
	type num = expr.NumericValue
	in := expr.CatalogTable(fields("id BIGINT, x INT, `I` INT, a ARRAY<INT>, deep ARRAY<ARRAY<INT>>, m MAP<STRING, INT>, st STRUCT<acc: INT>, `a b` ARRAY<STRUCT<`select`: INT>>"), "lists")
	plus := func(v expr.Value) func(x num) expr.Value { return func(x num) expr.Value { return x.Add(v) } }
	var b strings.Builder
	for _, c := range []struct {
		name  string
		table expr.Table
	}{
		{"map, filter and sort", in.Select(in.Array("a").Map(plus(expr.Lit(1))).As("plus"), in.Array("a").Filter(func(x, i num) expr.Value { return x.Gt(i).And(x.Lt(5)) }).As("some"),
			in.Array("a").Sort(func(x, y num) expr.Value { return y.Sub(x) }).As("down"))},
		{"a column called as the parameter", in.Select(in.Array("a").Map(plus(in.Num("x"))).As("sum"), in.Array("a").Map(func(x, i num) expr.Value { return x.Mul(i).Add(in.Num("I")) }).As("scaled"))},
		{"a field called as the parameter", in.Select(functions.Aggregate(in.Array("a"), 0, func(acc, x num) expr.Value { return acc.Add(in.Struct("st").Field("acc")) }).As("folded"))},
		{"functions within functions", in.Select(in.Array("deep").Map(func(x expr.ArrayValue) expr.Value {
			return x.Map(func(y num) expr.Value { return y.Add(x.Size()) })
		}).As("r"))},
		{"a table called as the parameter", func() expr.Table {
			x, y := expr.CatalogTable(fields("id BIGINT, a ARRAY<INT>"), "x"), expr.CatalogTable(fields("id BIGINT, n INT"), "y")
			j := x.Join(y, x.Num("id").Eq(y.Num("id")))
			return j.Select(x.Array("a").Map(plus(y.Num("n"))).As("r"))
		}()},
		{"a computed column in a body", func() expr.Table {
			u := in.Mutate(in.Num("x").Mul(2).As("twice"))
			return u.Select(u.Array("a").Map(plus(u.Num("twice"))).As("r"))
		}()},
		{"maps", in.Select(in.Map("m").Filter(func(k expr.StringValue, v num) expr.Value { return v.Gt(1) }).As("some"), in.Map("m").Get("k", 0).As("k"), functions.MapZipWith(in.Map("m"), in.Map("m"), func(k expr.StringValue, a, b num) expr.Value { return a.Add(b) }).As("sums"))},
		{"fields of elements", in.Select(in.Array("a b").Map(func(x expr.StructValue) expr.Value { return x.Field("select") }).As("r"))},
		{"zipped by name", in.Select(functions.ArraysZip(in.Array("a"), in.Array("a b"), []int{1}).As("r"))},
		{"zipped by the name of a computed column", func() expr.Table {
			u := in.Mutate(in.Array("a").Map(plus(expr.Lit(1))).As("b"))
			return u.Select(functions.ArraysZip(u.Array("a"), u.Array("b")).As("r"))
		}()},
		{"methods of arrays", in.Select(in.Array("a").At(0).As("first"), in.Array("a").At(-1).As("last"), in.Array("a").At(in.Num("x")).As("at"), in.Array("a").Index(3).As("index"), in.Array("a").Repeat(2).As("twice"), in.Array("a").Zip(in.Array("a")).As("pairs"))},
	} {
		text, err := compiler.SQL(c.table)
		require.NoError(t, err, c.name)
		b.WriteString("-- " + c.name + "\n" + text + ";\n\n")
	}
	golden.Check(t, "testdata/nested.sql", b.String())
}
