package compiler_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
)

// Whatever a source is called, joins and subqueries over it are printed.
func TestHostileNamesOfSources(t *testing.T) {
	for _, name := range []string{"`", "``", "`a", "a`", "a.b", "a b", "'", "\\", "\n", "--", "/*", "${x}", "select", "Ünïcode", "o", "t1"} {
		l := expr.Read(name, connectors.FromJSON("/in", connectors.RowsDDL("id INT, k STRING")))
		r := expr.Read(name+"2", connectors.FromJSON("/in", connectors.RowsDDL("id INT, v STRING")))
		for _, table := range []expr.Table{
			l.Join(r, "id"),
			l.Join(l.View(), "id"),
			l.Join(r, "id").Join(l.View().Select("id"), "id"),
			l.Filter(expr.Exists(r.Filter(r.Num("id").Eq(l.Num("id"))))),
			l.Join(r, "id").Filter(expr.Exists(l.View().Filter(expr.Str("k").NotNull()))),
			l.Filter(l.Num("id").InTable(r.Select("id"))),
		} {
			sql, err := compiler.SQL(table)
			require.NoError(t, err, "%q", name)
			require.NotEmpty(t, sql)
		}
	}
}
