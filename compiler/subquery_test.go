package compiler_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/internal/golden"
)

func TestSubquerySQL(t *testing.T) {
	o := expr.CatalogTable(fields("id INT, k INT, x INT, s STRING"), "orders")
	i := expr.CatalogTable(fields("k INT, v INT, name STRING"), "items")
	ofK := i.Filter(i.Num("k").Eq(o.Num("k")))
	large := o.Filter(o.Num("x").Gt(5))
	v := o.View()
	sameK := v.Filter(v.Num("k").Eq(o.Num("k")))
	low := expr.Param("low", datatype.Int).AsNumeric()
	var b strings.Builder
	for _, c := range []struct {
		name  string
		table expr.Table
	}{
		{"scalar in a filter", o.Filter(o.Num("x").Gt(i.Num("v").Mean().AsScalar()))},
		{"scalar in a projection", o.Mutate(i.Agg(i.Num("v").Max().As("m")).AsScalar().As("most"))},
		{"correlated scalar", o.Filter(o.Num("x").Gt(ofK.Agg(ofK.Num("v").Mean().As("a")).AsScalar().AsNumeric())).Select("id")},
		{"correlated with itself", o.Filter(o.Num("x").Gt(sameK.Agg(sameK.Num("x").Mean().As("a")).AsScalar().AsNumeric())).Select("id")},
		{"in", o.Filter(o.Num("k").InTable(i.Select("k")))},
		{"not in", o.Filter(o.Num("k").InTable(i.Select("k")).Not(), o.Num("x").Gt(1))},
		{"in or", o.Filter(o.Num("k").InTable(i.Select("k")).Or(o.Num("x").Gt(1)))},
		{"exists", o.Filter(expr.Exists(ofK))},
		{"not exists", o.Filter(expr.Exists(ofK).Not())},
		{"exists of a derived table", o.Mutate(o.Num("x").Add(1).As("k")).Filter(expr.Exists(i.Filter(i.Num("k").Eq(o.Num("x"))))).Select("id")},
		{"correlated with a derived table", func() expr.Table {
			d := o.GroupBy("k").Agg(o.Num("x").Sum().As("total"))
			return d.Filter(expr.Exists(i.Filter(i.Num("k").Eq(d.Num("k")), i.Num("v").Lt(d.Num("total")))))
		}()},
		{"correlated with a join", func() expr.Table {
			j := o.Join(i, "k")
			in := i.View()
			return j.Filter(expr.Exists(in.Filter(in.Num("v").Gt(j.Num("v")))))
		}()},
		{"correlated with a join and rows of one name", func() expr.Table {
			rows := func(v int) expr.Table { return expr.MemtableRows("m", fields("a INT"), [][]any{{v}}) }
			m, n := rows(1), rows(2)
			j := o.Join(m, o.Num("k").Eq(m.Num("a")))
			return j.Filter(expr.Exists(n.Filter(n.Num("a").Eq(j.Num("a"))))).Select("id", "a")
		}()},
		{"in having", func() expr.Table {
			d := o.GroupBy("k").Agg(o.Num("x").Sum().As("total"))
			return d.Filter(d.Num("total").Gt(i.Num("v").Max().AsScalar()))
		}()},
		{"in an aggregate", o.GroupBy("k").Agg(expr.If(o.Num("x").Gt(i.Num("v").Max().AsScalar()), expr.Lit(1).AsNumeric(), 0).Sum().As("n"))},
		{"order by a scalar", o.OrderBy(o.Num("x").Sub(i.Num("v").Max().AsScalar()))},
		{"shared with the subquery", large.Filter(large.Num("x").Gt(large.Num("x").Mean().AsScalar()))},
		{"two deep", o.Filter(expr.Exists(func() expr.Table {
			w := o.View()
			inner := w.Filter(w.Num("id").Eq(i.Num("v")))
			return i.Filter(i.Num("k").Eq(o.Num("k")), expr.Exists(inner))
		}()))},
		{"a column named as the table outside", func() expr.Table {
			x := expr.CatalogTable(fields("orders STRUCT<k: INT>, k INT"), "x")
			return o.Filter(expr.Exists(x.Filter(x.Num("k").Eq(o.Num("k")))))
		}()},
		{"values outside", func() expr.Table {
			m := expr.MemtableRows("m", fields("a INT"), [][]any{{1}, {nil}})
			n := expr.MemtableRows("m", fields("a INT, b INT"), [][]any{{1, 2}})
			return m.Filter(m.Num("a").Gt(0), expr.Exists(n.Filter(n.Num("a").Eq(m.Num("a"))))).Select("a")
		}()},
		{"window and subquery", o.Filter(o.Num("x").Gt(o.Num("x").Mean()), expr.Exists(ofK))},
		{"hostile names", func() expr.Table {
			h := expr.CatalogTable(fields("`a``b` INT, `x y` INT"), "we`ird")
			g := expr.CatalogTable(fields("`a``b` INT, `we``ird` INT"), "g")
			return h.Filter(expr.Exists(g.Filter(g.Num("a`b").Eq(h.Num("a`b")), g.Num("we`ird").Gt(0))))
		}()},
		{"parameters", o.Filter(o.Num("x").Ge(low), expr.NullableParam("s", datatype.String).AsString().IsNull().Or(o.Str("s").Eq(expr.NullableParam("s", datatype.String))))},
		{"raw value", o.Filter(expr.SQLValue[expr.BooleanValue]("x % 2 = 0 -- even", datatype.Boolean)).Mutate(expr.SQLValue[expr.StringValue]("s || 'it''s\n  two'", datatype.String).As("t"))},
		{"raw value over a join", o.Join(i, "k").Mutate(expr.SQLValue[expr.NumericValue]("x + v + :low", datatype.Int, low).As("sum"))},
		{"raw query", expr.SQL("SELECT a,\n       'two\n  lines' AS b\nFROM x -- end", fields("a INT, b STRING"), nil)},
		{"raw query with tables", func() expr.Table {
			q := expr.SQL("SELECT big.k, count(*) AS n FROM big JOIN items USING (k) GROUP BY 1 -- t1", fields("k INT, n BIGINT"), map[string]expr.Table{"big": large, "items": i})
			return q.Filter(q.Num("n").Gt(1)).OrderBy("k").Union(large.Select("k", "x"))
		}()},
	} {
		b.WriteString("-- " + c.name + "\n")
		require.NoError(t, c.table.Err(), c.name)
		sql, err := compiler.SQL(c.table)
		require.NoError(t, err, c.name)
		b.WriteString(sql + "\n\n")
	}
	golden.Check(t, "testdata/subqueries.sql", b.String())
}

// Values travel beside the text, which is the same for all; what has none, two or one of another type is refused before anything runs.
func TestParameters(t *testing.T) {
	o := expr.CatalogTable(fields("id INT, x DECIMAL(10,2)"), "orders")
	low := expr.Param("low", datatype.Int).AsNumeric()
	q := o.Filter(o.Num("id").Gt(low), o.Num("x").Lt(expr.Param("high", datatype.Decimal{Precision: 10, Scale: 2})))
	text := "SELECT *\nFROM orders\nWHERE id > :low\n  AND x < CAST(:high AS DECIMAL(10,2))"
	sql, err := compiler.SQL(q)
	require.NoError(t, err)
	require.Equal(t, text, sql)
	_, err = compiler.Compile(q.Bind(expr.Params{"low": 1}), compiler.Batch)
	require.Equal(t, "UNBOUND_SQL_PARAMETER", condition.Of(err))
	require.ErrorContains(t, err, ":high has no value")
	p, err := compiler.Compile(q.Bind(expr.Params{"low": 1}).Bind(expr.Params{"high": "12.5"}), compiler.Batch)
	require.NoError(t, err)
	require.Equal(t, text, p.SQL())
	require.Contains(t, p.String(), "from pyspark.sql.functions import expr\n")
	require.Contains(t, p.String(), `""", args={"low": expr("1"), "high": expr("12.50BD")})`)

	for name, c := range map[string]struct {
		table expr.Table
		says  string
	}{
		"two values":  {q.Bind(expr.Params{"low": 1, "high": 2}).Union(q.Bind(expr.Params{"low": 2})), ":low is bound to two values"},
		"two types":   {o.Filter(o.Num("id").Gt(low), o.Num("id").Lt(expr.Param("low", datatype.Long))).Bind(expr.Params{"low": 1}), ":low is declared as INT and as BIGINT"},
		"null or not": {o.Filter(o.Num("id").Gt(low), o.Num("id").Lt(expr.NullableParam("low", datatype.Int))).Bind(expr.Params{"low": 1}), "may be null and as one that may not"},
	} {
		_, err := compiler.Compile(c.table, compiler.Batch)
		require.ErrorContains(t, err, c.says, name)
		require.ErrorContains(t, err, "subquery_test.go:", name)
	}
	same := q.Bind(expr.Params{"low": 1, "high": 2})
	_, err = compiler.Compile(same.Union(q.Bind(expr.Params{"low": 1})), compiler.Batch)
	require.NoError(t, err)
}

// A stream's subqueries read tables only.
func TestStreamInSubquery(t *testing.T) {
	in, other := expr.Read("people", files), expr.Read("others", source{Format: "json", Path: "/other", Batch: true, Stream: true, Fields: fields("id BIGINT")})
	static := expr.Static("table", source{Format: "json", Path: "/table", Batch: true, Fields: fields("id BIGINT")})
	_, err := compiler.CompileWrite(in.Filter(in.Num("id").InTable(other)).WriteTo(toTable).Name("q"), compiler.Stream)
	require.Equal(t, condition.StreamingUnsupported, condition.Of(err))
	require.ErrorContains(t, err, "expr.Static")
	p, err := compiler.CompileWrite(in.Filter(in.Num("id").InTable(static)).WriteTo(toTable).Name("q"), compiler.Stream)
	require.NoError(t, err)
	require.Contains(t, p.SQL(), "WHERE id IN (SELECT id FROM `table`)")
}
