package local_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// A nil context, and a session that was never opened, are told by name and with the user's line.
func TestNoContextAndNoSession(t *testing.T) {
	var none context.Context
	rows := expr.MemtableRows("m", fields(t, "n INT"), [][]any{{1}})
	calls := func(ctx context.Context, s *local.Session) map[string]error {
		out := map[string]error{}
		_, out["Collect"] = backend.Collect[int32](ctx, s, rows)
		_, out["Batches"] = s.Batches(ctx, rows)
		out["Write"] = s.Write(ctx, rows.WriteTo(connectors.Noop()))
		_, out["Start"] = s.Start(ctx, rows.WriteTo(connectors.Noop()))
		_, out["Explain"] = s.Explain(ctx, rows, backend.ExplainOptions{})
		_, out["Cache"] = s.Cache(ctx, rows)
		_, out["Schema"] = s.Schema(ctx, connectors.FromCSV("/x", connectors.Inferred()))
		_, out["Table"] = s.Table(ctx, "t")
		_, out["ListTables"] = s.Catalog().ListTables(ctx, "")
		_, out["Active"] = s.Streams().Active(ctx)
		out["AwaitAny"] = s.Streams().AwaitAny(ctx)
		return out
	}
	for name, err := range calls(none, open(t)) {
		requireCondition(t, err, condition.InvalidValue, "The context is nil", "context.Background()", "mistakes_test.go:")
		require.NotContains(t, err.Error(), "fault of the program", name)
	}
	for _, s := range []*local.Session{nil, {}} {
		for name, err := range calls(ctx, s) {
			requireCondition(t, err, condition.InvalidValue, "never opened", "local.Open", "mistakes_test.go:")
			require.NotContains(t, err.Error(), "fault of the program", name)
		}
		require.NoError(t, s.Close())
		require.Equal(t, time.UTC, s.Zone())
	}
	closed := open(t)
	require.NoError(t, closed.Close())
	for _, err := range calls(ctx, closed) {
		requireCondition(t, err, condition.Closed, "mistakes_test.go:")
	}
	_, err := local.Open(local.FileSystem(nil))
	requireCondition(t, err, condition.InvalidOption, "is nil", "mistakes_test.go:")
	_, err = local.Open(local.Clock(nil))
	requireCondition(t, err, condition.InvalidOption, "is nil", "mistakes_test.go:")
}

// The zero MemorySink is an empty one.
func TestZeroMemorySink(t *testing.T) {
	s, sink := open(t), new(connectors.MemorySink)
	rows := expr.MemtableRows("m", fields(t, "n INT"), [][]any{{1}, {2}})
	require.NoError(t, s.Write(ctx, rows.WriteTo(sink)))
	require.Len(t, sink.Rows(), 2)
}

// Errors of the catalogue and of a look at files name the user's line.
func TestMistakesHaveALine(t *testing.T) {
	s := open(t)
	for name, err := range map[string]error{
		"Table":       second(s.Table(ctx, "nothing")),
		"ListColumns": second(s.Catalog().ListColumns(ctx, "nothing")),
		"DropTable":   s.Catalog().DropTable(ctx, false, "nothing"),
		"Database":    s.Catalog().SetCurrentDatabase(ctx, "nothing"),
		"Schema":      second(s.Schema(ctx, connectors.FromCSV(filepath.Join(t.TempDir(), "nothing"), connectors.Inferred()))),
		"Inferred":    second(backend.ReadInferred(ctx, s, "f", connectors.FromCSV(t.TempDir(), connectors.Inferred()))),
	} {
		require.ErrorContains(t, err, "mistakes_test.go:", name)
	}
}

func second[T any](_ T, err error) error { return err }

// An empty file has no column to find, whatever its format's header says.
func TestInferredOfAnEmptyFile(t *testing.T) {
	s, path := open(t), filepath.Join(t.TempDir(), "a.csv")
	require.NoError(t, os.WriteFile(path, nil, 0o644))
	for _, files := range []connectors.Files{connectors.FromCSV(path, connectors.Inferred(), connectors.Header()), connectors.FromCSV(path, connectors.Inferred()), connectors.FromJSON(path, connectors.Inferred())} {
		_, err := backend.ReadInferred(ctx, s, "empty", files)
		requireCondition(t, err, condition.UnableToInferSchema, "empty", "declare the columns", "mistakes_test.go:")
		found, err := s.Schema(ctx, files)
		require.NoError(t, err)
		require.Empty(t, found)
	}
}

// A watched folder that vanishes is an empty one until it is back, as on Spark; one that a batch reads is a mistake.
func TestFolderThatVanishes(t *testing.T) {
	t.Parallel()
	s, dir := open(t), t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	putJSON(t, filepath.Join(in, "a.json"))
	q, err := s.Start(ctx, folderOf("t", in).WriteTo(connectors.ToJSON(out)).Checkpoint(filepath.Join(dir, "ckpt")))
	require.NoError(t, err)
	require.NoError(t, q.ProcessAllAvailable(ctx))
	require.NoError(t, os.RemoveAll(in))
	time.Sleep(50 * time.Millisecond) // some looks at the folder
	require.NoError(t, q.ProcessAllAvailable(ctx))
	_, err = backend.Collect[int32](ctx, s, folderOf("t", in))
	requireCondition(t, err, condition.PathNotFound, in)
	putJSON(t, filepath.Join(in, "b.json"))
	require.NoError(t, q.ProcessAllAvailable(ctx))
	require.NoError(t, q.Stop(ctx))
	got, err := backend.Collect[int32](ctx, s, folderOf("t", out))
	require.NoError(t, err)
	require.Equal(t, []int32{1, 1}, got)
}

// The folder of a stream is its own before the first epoch too, and the second is told who has it.
func TestSecondStreamIntoAFolder(t *testing.T) {
	s, other, dir := open(t), open(t), t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	putJSON(t, filepath.Join(in, "a.json"))
	start := func(s *local.Session, ckpt string) (backend.Query, error) {
		q, err := s.Start(ctx, folderOf("t", in).WriteTo(connectors.ToJSON(out)).Checkpoint(filepath.Join(dir, ckpt)))
		if err != nil {
			return nil, err
		}
		if err := q.ProcessAllAvailable(ctx); err != nil {
			return nil, err
		}
		return q, nil
	}
	first, err := start(s, "one")
	require.NoError(t, err)
	_, err = start(other, "two")
	require.ErrorContains(t, err, "the streaming query "+first.ID())
	require.ErrorContains(t, err, "Another query writes into the folder")
	require.NoError(t, first.Stop(ctx))
}
