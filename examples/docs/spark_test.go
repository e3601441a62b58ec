//go:build conformance

package docs_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/sparkconnect"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/internal/testenv"
	"github.com/spoonbill-go/spoonbill/streamtest"
)

var env *testenv.Env

func TestMain(m *testing.M) { os.Exit(testenv.Run(m, &env, testenv.WithoutKafka())) }

func TestForeachBatchSQLWithDelta(t *testing.T) {
	ctx := t.Context()
	session, err := sparkconnect.Connect(ctx, env.Spark.Remote)
	require.NoError(t, err)
	defer func() { require.NoError(t, session.Close()) }()
	db := "docs_" + strings.ReplaceAll(time.Now().Format("150405.000000"), ".", "_")
	dir := env.Dir(t)
	catalog := session.Catalog()
	require.NoError(t, catalog.CreateDatabase(ctx, false, db))
	defer func() { require.NoError(t, catalog.DropDatabase(ctx, false, true, db)) }()
	require.NoError(t, catalog.SetCurrentDatabase(ctx, db))
	for name, ddl := range map[string]string{"totals": "k STRING, v BIGINT", "batches": "id BIGINT, at TIMESTAMP"} {
		fields, err := datatype.ParseFields(ddl)
		require.NoError(t, err)
		require.NoError(t, backend.CreateTable(ctx, session, fields, connectors.ToTable(name).Format("delta"), expr.ErrorIfExists))
	}
	write(t, dir+"/in/a.json", `{"k":"a","v":1}`+"\n"+`{"k":"b","v":2}`+"\n")
	in := expr.Read("in", connectors.FromJSON(dir+"/in", connectors.RowsDDL("k STRING, v BIGINT")))
	totals := in.GroupBy("k").Agg(in.Num("v").Sum().As("v"))

	sink := connectors.ForeachBatchSQL(
		"MERGE INTO totals AS t USING batch AS b ON t.k = b.k WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
		"INSERT INTO batches VALUES (session.batch_id, current_timestamp())")

	query, err := session.Start(ctx, totals.WriteTo(sink).OutputMode(expr.Update).Checkpoint(dir+"/ckpt").Trigger(expr.AvailableNow()))
	require.NoError(t, err)
	require.NoError(t, query.AwaitTermination(ctx))
	write(t, dir+"/in/b.json", `{"k":"a","v":10}`+"\n")
	query, err = session.Start(ctx, totals.WriteTo(sink).OutputMode(expr.Update).Checkpoint(dir+"/ckpt").Trigger(expr.AvailableNow()))
	require.NoError(t, err)
	require.NoError(t, query.AwaitTermination(ctx))
	type row struct {
		K string
		V int64
	}
	merged, err := session.Table(ctx, "totals")
	require.NoError(t, err)
	rows, err := backend.Collect[row](ctx, session, merged.OrderBy("k"))
	require.NoError(t, err)
	require.Equal(t, []row{{"a", 11}, {"b", 2}}, rows)
}

func TestReadState(t *testing.T) {
	ctx := t.Context()
	session, err := sparkconnect.Connect(ctx, env.Spark.Remote)
	require.NoError(t, err)
	dir := env.Dir(t)
	write(t, dir+"/in/a.json", `{"k":"a","v":1}`+"\n")
	in := expr.Read("in", connectors.FromJSON(dir+"/in", connectors.RowsDDL("k STRING, v BIGINT")))
	run := func(totals expr.Table, mode expr.OutputMode, checkpoint string) {
		query, err := session.Start(ctx, totals.WriteTo(connectors.Noop()).OutputMode(mode).Checkpoint(checkpoint).Trigger(expr.AvailableNow()))
		require.NoError(t, err)
		require.NoError(t, query.AwaitTermination(ctx))
	}
	counts, pairs := dir+"/counts", dir+"/pairs"
	run(in.GroupBy("k").Agg(expr.Count().As("n")), expr.Update, counts)
	other := expr.Read("other", connectors.FromJSON(dir+"/in", connectors.RowsDDL("k STRING, v BIGINT")))
	run(in.Join(other, in.Str("k").Eq(other.Str("k"))).Select(in.Str("k")), expr.Append, pairs)

	state, err := backend.ReadState(ctx, session, "state", connectors.FromState(counts, connectors.StateOperator(0), connectors.StateBatch(0)))
	left, err := backend.ReadState(ctx, session, "left", connectors.FromState(pairs, connectors.JoinSide("left")))
	operators, err := backend.ReadState(ctx, session, "operators", connectors.FromStateMetadata(counts))

	require.NoError(t, err)
	for _, table := range []expr.Table{state, left, operators} {
		n, err := backend.Count(ctx, session, table)
		require.NoError(t, err)
		require.EqualValues(t, 1, n)
	}
	require.NoError(t, session.Close())
}

func TestScriptOnSpark(t *testing.T) {
	ctx := t.Context()
	remote := env.Spark.Remote
	session, err := sparkconnect.Connect(ctx, remote, sparkconnect.Config("spark.sql.shuffle.partitions", "1"))
	require.NoError(t, err)
	folder := env.Dir(t)
	script := func(s *streamtest.Script) {
		in := streamtest.NewInput[struct{ K string }](s, "in")
		s.Query(in.Table().Filter(in.Table().Str("K").Eq("a")), expr.Append)
		in.Add(struct{ K string }{"a"}, struct{ K string }{"b"})
		s.Step().WantRows(struct{ K string }{"a"})
	}

	streamtest.Run(t, script, streamtest.Local(), streamtest.Spark(session, folder))

	require.NoError(t, session.Close())
}
