package conformance

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/bench/nexmark/events"
	"github.com/spoonbill-go/spoonbill/bench/nexmark/queries"
	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/internal/golden"
)

// nexmark writes the data of a small Nexmark into a folder: as it is, and once more with a last event that closes all windows.
func nexmark(t *testing.T, dir string) (open, closed queries.Streams) {
	t.Helper()
	of := func(name string) string { return filepath.Join(dir, name) }
	c := events.Config{Seed: 1, Events: 6_000, Files: 4}
	require.NoError(t, events.Write(of("open"), c))
	require.NoError(t, events.Write(of("closed"), c))
	require.NoError(t, events.Close(of("closed"), c))
	return queries.Open(of("open"), 1), queries.Open(of("closed"), 1)
}

// nexmarkStream is the write of a query as a test runs it: its rows can be compared when all windows are closed, and a group that changes has one row in complete mode.
func nexmarkStream(q queries.Query, open, closed queries.Streams, sink expr.Sink) expr.Write {
	in, mode := open, expr.Append
	if q.Windows {
		in = closed
	}
	if q.Mode == expr.Update {
		mode = expr.Complete
	}
	return q.Build(in).WriteTo(sink).OutputMode(mode)
}

// Every query of Nexmark has its SQL, and has as a stream of files the rows that it has over all of them.
func TestNexmark(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s, err := local.Open()
	require.NoError(t, err)
	defer s.Close()
	open, closed := nexmark(t, t.TempDir())
	for _, q := range queries.All {
		sql, err := compiler.SQL(q.Build(queries.Open("nexmark", 10)))
		require.NoError(t, err, q.Name)
		golden.Check(t, "testdata/nexmark/"+q.Name+".sql", sql)
		want, err := Ask(ctx, s, q.Build(open), false)
		require.NoError(t, err, q.Name)
		require.Empty(t, want.Error, q.Name)
		require.NotEmpty(t, want.Rows, q.Name)
		sink := connectors.NewMemorySink()
		w := nexmarkStream(q, open, closed, sink).Checkpoint(t.TempDir())
		got, err := AskStream(ctx, s, w, func() (expr.Table, error) { return sink.Table("out"), nil }, false)
		require.NoError(t, err, q.Name)
		require.Equal(t, want.withoutNullability().String(), got.String(), q.Name)
	}
}
