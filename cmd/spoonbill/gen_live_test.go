//go:build conformance

package main

import (
	"bytes"
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/sparkconnect"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/internal/testenv"
)

var env *testenv.Env

func TestMain(m *testing.M) { os.Exit(testenv.Run(m, &env)) }

// genTable is a table of the server's catalogue; runs after this one overwrite it.
type genTable struct{}

func (genTable) Sink() (*tree.Sink, error) {
	return &tree.Sink{Format: tree.TableFormat, Path: "default.spoonbill_gen_check", Batch: true}, nil
}

// The types of a table of Spark's are those of its columns.
func TestLiveGen(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	s, err := sparkconnect.Connect(ctx, env.Spark.Remote)
	require.NoError(t, err)
	defer s.Close()
	fields, err := datatype.ParseFields("`order id` BIGINT, amount DECIMAL(12,2), at TIMESTAMP")
	require.NoError(t, err)
	require.NoError(t, s.Write(ctx, expr.MemtableRows("t", fields, nil).WriteTo(genTable{}).SaveMode(expr.SaveOverwrite)))
	text := generate(t, "-type", "Order", "-remote", env.Spark.Remote, "-table", "default.spoonbill_gen_check")
	for _, want := range []string{"from the table default.spoonbill_gen_check.", "OrderID *int64     `spoonbill:\"order id\"`", "Amount  *string    `spoonbill:\"amount,decimal(12,2)\"`", "At      expr.TimestampValue"} {
		require.Contains(t, text, want)
	}
	err = gen(ctx, &bytes.Buffer{}, []string{"-remote", env.Spark.Remote, "-table", "default.spoonbill_no_such"})
	require.Equal(t, condition.TableNotFound, condition.Of(err))
}
