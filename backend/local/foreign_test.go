package local_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
)

// A warehouse removes nothing that it has not made, however much it looks like its own; what a write that did not end has left goes.
func TestWarehouseKeepsWhatIsNotItsOwn(t *testing.T) {
	dir := t.TempDir()
	write := func(path string) string {
		path = filepath.Join(dir, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte("x"), 0o666))
		return path
	}
	keep := []string{write("train/data-00000-of-00001.arrow"), write("raw/data-2024/a.csv"), write("mixed/data-" + uuid.NewString() + "/part.parquet"), write("mixed/notes.txt"), write("other.db/t/data-x")}
	empty := filepath.Join(dir, "empty")
	require.NoError(t, os.Mkdir(empty, 0o777))
	left := write("unfinished/data-" + uuid.NewString() + "/part-0.parquet")
	s, err := local.Open(local.Warehouse(dir))
	require.NoError(t, err)
	tables, err := s.Catalog().ListTables(ctx, "")
	require.NoError(t, err)
	require.Empty(t, tables)
	require.NoError(t, s.Close())
	for _, path := range keep {
		require.FileExists(t, path)
	}
	require.DirExists(t, empty)
	require.NoFileExists(t, left)
}
