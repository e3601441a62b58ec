package compiler_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

type tableSource struct{}

func (tableSource) Source() (*tree.Source, error) {
	return &tree.Source{Format: tree.TableFormat, Path: "db.`my table`", Fields: []datatype.Field{{Name: "a", Type: datatype.Int}}, Batch: true, Stream: true}, nil
}

type tableSink struct{}

func (tableSink) Sink() (*tree.Sink, error) {
	return &tree.Sink{Format: tree.TableFormat, Path: "db.out", Batch: true, Stream: true, Modes: []tree.OutputMode{tree.Append}}, nil
}

// A table of the catalogue is read and written by its name, and a view name that is no word stands between backticks.
func TestTablePrints(t *testing.T) {
	in := expr.Read("my table", tableSource{})
	batch, err := compiler.CompileWrite(in.WriteTo(tableSink{}), compiler.Batch)
	require.NoError(t, err)
	require.Contains(t, batch.String(), "    spark.read\n    .table(\"db.`my table`\")\n    .createOrReplaceTempView(\"`my table`\")\n")
	require.Contains(t, batch.String(), "    .write\n    .mode(\"error\")\n    .saveAsTable(\"db.out\")\n")
	stream, err := compiler.CompileWrite(in.WriteTo(tableSink{}).Checkpoint("ck"), compiler.Stream)
	require.NoError(t, err)
	require.Contains(t, stream.String(), "    spark.readStream\n    .table(\"db.`my table`\")\n")
	require.Contains(t, stream.String(), "    .toTable(\"db.out\")\n)\nquery.awaitTermination()")
}
