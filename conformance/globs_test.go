package conformance

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// readFolders reads what a path below a folder stands for.
func readFolders(dir, path string) expr.Table {
	return expr.Read("found", connectors.FromJSON(dir+"/"+path, connectors.RowsDDL("n INT, k INT")))
}

// The local engine finds the files and partitions that Spark finds.
func TestFolders(t *testing.T) {
	t.Parallel()
	s, err := local.Open()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	for _, c := range FolderCases() {
		dir := t.TempDir()
		require.NoError(t, c.Make(dir))
		rows, err := backend.Collect[FolderRow](t.Context(), s, readFolders(dir, c.Path))
		require.Equal(t, c.Condition, condition.Of(err), "%+v: %v", c, err)
		require.Equal(t, c.Rows, FolderAnswer(rows), "%+v", c)
	}
}

// A path that is no pattern is refused where it is given, before any session sees it.
func TestBadPatterns(t *testing.T) {
	t.Parallel()
	for _, path := range BadPatterns() {
		err := readFolders(t.TempDir(), path).Err()
		require.Equal(t, condition.InvalidOption, condition.Of(err), path)
		require.True(t, strings.HasPrefix(err.Error(), filepath.Join("conformance", "globs_test.go")+":"), "%v says where", err)
		require.ErrorContains(t, err, "backslash", path)
	}
}
