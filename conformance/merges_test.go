package conformance

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// mergesAs compares the columns that a session finds in the files of a case, which off writes, with those that are written down, and reads the rows under them.
func mergesAs(t *testing.T, c MergeCase, off, s backend.Session, dir string) {
	t.Helper()
	require.NoError(t, c.Make(t.Context(), off, dir))
	found, err := backend.ReadInferred(t.Context(), s, "found", c.Source(dir))
	if err != nil {
		require.Equal(t, c.Merged, condition.Of(err), "%v: %v", c.Files, err)
		require.True(t, strings.HasPrefix(err.Error(), filepath.Join("conformance", "merges_test.go")+":"), "%v says where", err)
		return
	}
	require.Equal(t, c.Merged, datatype.DDL(found.Schema().Types()), c.Files)
	rows, err := backend.Collect[map[string]any](t.Context(), s, found)
	require.NoError(t, err, c.Files)
	require.Len(t, rows, len(c.Files))
}

// The local engine merges the columns of Parquet files as Spark does.
func TestMerges(t *testing.T) {
	t.Parallel()
	s, err := local.Open()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	for _, c := range MergeCases() {
		mergesAs(t, c, s, s, t.TempDir())
	}
	// What is wrong with options has a place too, be it once or twice.
	for _, opts := range [][]connectors.Option{{connectors.Set("samplingRatio", "0.5")}, {connectors.Set("samplingRatio", "0.5"), connectors.BasePath("/nowhere")}} {
		_, err := backend.ReadInferred(t.Context(), s, "found", connectors.FromJSON(t.TempDir(), connectors.Inferred(), opts...))
		require.Equal(t, condition.InvalidOption, condition.Of(err))
		require.True(t, strings.HasPrefix(err.Error(), filepath.Join("conformance", "merges_test.go")+":"), "%v says where", err)
	}
}
