//go:build conformance

package conformance

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
)

// A deduplication goes on with a column that its state does not hold (SPARK-39650), on both backends.
func TestSparkDedupResumesWithANewColumn(t *testing.T) {
	ctx := t.Context()
	for name, s := range both(t) {
		dir := env.Dir(t)
		for _, sub := range []string{"in", "out"} {
			require.NoError(t, os.Mkdir(dir+"/"+sub, 0o777))
			require.NoError(t, os.Chmod(dir+"/"+sub, 0o777))
		}
		add := func(n int, text string) {
			path := fmt.Sprintf("%s/in/%d.json", dir, n)
			require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
			at := time.Now().Add(time.Duration(n-60) * time.Second)
			require.NoError(t, os.Chtimes(path, at, at))
		}
		run := func(ddl string) {
			in := expr.Read("in", connectors.FromJSON(dir+"/in", connectors.RowsDDL(ddl)))
			q, err := s.Start(ctx, in.DropDuplicates("a").WriteTo(connectors.ToJSON(dir+"/out")).Checkpoint(dir+"/ck").Trigger(expr.AvailableNow()))
			require.NoError(t, err, name)
			require.NoError(t, q.AwaitTermination(ctx), name)
		}
		add(0, `{"a":"x","b":"1"}`+"\n")
		run("a STRING, b STRING")
		add(1, `{"a":"x","b":"2","c":"late"}`+"\n"+`{"a":"y","b":"3","c":"new"}`+"\n")
		run("a STRING, b STRING, c STRING")
		type row struct{ A, B, C *string }
		rows, err := backend.Collect[row](ctx, s, expr.Read("out", connectors.FromJSON(dir+"/out", connectors.RowsDDL("a STRING, b STRING, c STRING"))).OrderBy("a"))
		require.NoError(t, err, name)
		require.Len(t, rows, 2, name)
		require.Equal(t, []string{"x", "1", "y", "3", "new"}, []string{*rows[0].A, *rows[0].B, *rows[1].A, *rows[1].B, *rows[1].C}, name)
		require.Nil(t, rows[0].C, name)
	}
}

// A stream meets a table as it was at a version, and not as it is.
func TestSparkTimeTravelInAStream(t *testing.T) {
	ctx, s, db, _ := scratch(t)
	versions := connectors.ToTable(db, "names").Format("delta")
	name := func(id int64, text string) expr.Table {
		return expr.MemtableRows("rows", mustFields("id BIGINT, name STRING"), [][]any{{id, text}})
	}
	require.NoError(t, s.Write(ctx, name(1, "old").WriteTo(versions)))
	require.NoError(t, s.Write(ctx, name(1, "new").WriteTo(versions).SaveMode(expr.SaveOverwrite)))
	table, err := s.Table(ctx, db, "names")
	require.NoError(t, err)
	dir := env.Dir(t)
	for _, sub := range []string{"in", "out"} {
		require.NoError(t, os.Mkdir(dir+"/"+sub, 0o777))
		require.NoError(t, os.Chmod(dir+"/"+sub, 0o777))
	}
	require.NoError(t, os.WriteFile(dir+"/in/0.json", []byte(`{"id":1}`+"\n"), 0o644))
	in := expr.Read("in", connectors.FromJSON(dir+"/in", connectors.RowsDDL("id BIGINT")))
	joined := in.Join(table.VersionAsOf(0), "id").Select("id", "name")
	q, err := s.Start(ctx, joined.WriteTo(connectors.ToJSON(dir+"/out")).Checkpoint(dir+"/ck").Trigger(expr.AvailableNow()))
	require.NoError(t, err)
	require.NoError(t, q.AwaitTermination(ctx))
	type row struct{ Name string }
	rows, err := backend.Collect[row](ctx, s, expr.Read("out", connectors.FromJSON(dir+"/out", connectors.RowsDDL("id BIGINT, name STRING"))).Select("name"))
	require.NoError(t, err)
	require.Equal(t, []row{{"old"}}, rows)
}
