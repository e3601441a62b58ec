//go:build conformance

package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Spark writes into no table whose name has a backtick, however it is quoted: such a name is refused when the write is built.
func TestSparkTableNames(t *testing.T) {
	s := connect(t)
	rows := expr.MemtableRows("m", []datatype.Field{{Name: "a", Type: datatype.Int}}, [][]any{{1}})
	require.Equal(t, condition.InvalidOption, condition.Of(s.Write(t.Context(), rows.WriteTo(connectors.ToTable("a`b")))))
	bare, err := rows.WriteTo(connectors.ToTable("ab")).Tree()
	require.NoError(t, err)
	sink := *bare.Sink
	sink.Path = "`a``b`"
	bare.Sink = &sink
	p, err := compiler.Unchecked(bare, compiler.Batch, s.Target())
	require.NoError(t, err)
	require.Equal(t, "INVALID_ATTRIBUTE_NAME_SYNTAX", condition.Of(s.RunWrite(t.Context(), p)))
}
