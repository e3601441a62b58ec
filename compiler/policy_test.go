package compiler_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
)

// A watermark policy is a setting of the session, which the script sets before the query begins; a write that chooses none leaves it alone.
func TestWatermarkPolicyIsASetting(t *testing.T) {
	read := func(name string) expr.Table {
		return expr.Read(name, connectors.FromJSON("/"+name, connectors.RowsDDL("at TIMESTAMP"))).Watermark("at", time.Second)
	}
	w := read("a").Union(read("b")).WriteTo(connectors.ToConsole())
	p, err := compiler.CompileWrite(w, compiler.Stream)
	require.NoError(t, err)
	require.NotContains(t, p.String(), "multipleWatermarkPolicy")
	p, err = compiler.CompileWrite(w.WatermarkPolicy(expr.MaxWatermark), compiler.Stream)
	require.NoError(t, err)
	require.Contains(t, p.String(), "spark.conf.set(\"spark.sql.streaming.multipleWatermarkPolicy\", \"max\")\nquery = (\n")
}
