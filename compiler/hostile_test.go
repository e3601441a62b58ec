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

// Spark writes nothing away in append mode only, and nobody should have to know.
func TestNoopInABatch(t *testing.T) {
	in := expr.Read("in", connectors.FromJSON("/in", connectors.RowsDDL("id INT")))
	for mode, want := range map[expr.SaveMode]expr.SaveMode{expr.ErrorIfExists: expr.SaveAppend, expr.SaveAppend: expr.SaveAppend, expr.SaveOverwrite: expr.SaveOverwrite} {
		p, err := compiler.CompileWrite(in.WriteTo(connectors.Noop()).SaveMode(mode), compiler.Batch)
		require.NoError(t, err)
		require.Equal(t, want, p.Steps[len(p.Steps)-1].(compiler.WriteBatchStep).Save)
	}
}
