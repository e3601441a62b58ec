package compiler_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/internal/golden"
)

// A program says what runs for each batch: statements, or that a function of Go's does and how it gets the batch.
func TestForeachBatch(t *testing.T) {
	text := ""
	nothing := func(context.Context, expr.Table, int64) error { return nil }
	for _, sink := range []expr.Sink{
		connectors.ForeachBatchSQL("MERGE INTO t USING batch AS b ON t.k = b.k WHEN NOT MATCHED THEN INSERT *", `INSERT INTO s VALUES (session.batch_id, 'say "x\n"')`),
		connectors.ForeachBatch(nothing).Within(90 * time.Second),
		connectors.ForeachRow(func(context.Context, map[string]any) error { return nil }),
	} {
		p, err := compiler.CompileWrite(payments().Select("provinceId").WriteTo(sink).OutputMode(expr.Append).Name("each"), compiler.Stream)
		require.NoError(t, err)
		text += p.String() + "\n"
		step := p.Steps[len(p.Steps)-1].(compiler.WriteStreamStep)
		require.Contains(t, step.EachBatch("views_"), "def each_batch(batch, batch_id):")
	}
	golden.Check(t, "testdata/foreach_batch.py", text)
	require.Empty(t, compiler.WriteStreamStep{}.EachBatch("x"))

	_, err := compiler.CompileWrite(payments().WriteTo(connectors.ForeachBatch(nothing)), compiler.Batch)
	require.Equal(t, condition.Unsupported, condition.Of(err), err)
	_, err = compiler.CompileWrite(payments().WriteTo(connectors.ForeachBatch(nil)), compiler.Stream)
	require.Equal(t, condition.InvalidOption, condition.Of(err), err)
}
