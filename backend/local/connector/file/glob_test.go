package file

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// A path that stands for very many is refused, whatever its braces are like, and soon.
func TestTooManyBraces(t *testing.T) {
	began := time.Now()
	for name, pattern := range map[string]string{
		"a product": "/x/" + strings.Repeat("{a,b}", 40),
		"a list":    "/x/{" + strings.Repeat("a,", 20_000) + "}",
		"singles":   "/x/" + strings.Repeat("{a}", 100_000),
		"nested":    "/x/" + strings.Repeat("{", 50_000) + strings.Repeat("}", 50_000),
	} {
		src := &tree.Source{Format: "text", Path: pattern, Fields: fieldsOf(t, "value STRING")}
		_, err := connector.OpenSource(t.Context(), connector.Env{FS: vfs.NewMem()}, src)
		require.Equal(t, condition.InvalidOption, condition.Of(err), "%s: %v", name, err)
		require.Less(t, len(err.Error()), 600, name)
	}
	require.Less(t, time.Since(began), 20*time.Second)
}

// A file whose name has a wildcard in it is not found by its name, and the error says why.
func TestGlobThatMeetsNothing(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a[1].txt"), []byte("x\n"), 0o644))
	open := func(path string) error {
		s, err := connector.OpenSource(t.Context(), connector.Env{}, &tree.Source{Format: "text", Path: path, Fields: fieldsOf(t, "value STRING")})
		if err != nil {
			return err
		}
		defer s.Close()
		_, err = s.Latest(t.Context(), nil, true)
		return err
	}
	err := open(filepath.Join(dir, "a[1].txt"))
	require.Equal(t, condition.PathNotFound, condition.Of(err))
	require.ErrorContains(t, err, "read as a pattern")
	require.ErrorContains(t, err, "backslash")
	require.NotContains(t, err.Error(), "%5B", "the pattern is shown as it was given")
	require.NoError(t, open(filepath.Join(dir, `a\[1\].txt`)))
	err = open(filepath.Join(dir, "b.txt"))
	require.Equal(t, condition.PathNotFound, condition.Of(err))
	require.NotContains(t, err.Error(), "pattern")
}

// A stream waits for what a pattern meets, takes the partitions below each of its choices, has them still when it reads its log again, and passes over no folder
// that names no column.
func TestStreamOfPattern(t *testing.T) {
	dir, log := t.TempDir(), t.TempDir()
	put := func(name string) {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("{\"n\":1}\n"), 0o644))
	}
	open := func() connector.Source {
		s, err := connector.OpenSource(t.Context(), connector.Env{Streaming: true}, &tree.Source{Format: "json", Path: dir + "/{x,y/deep}", Fields: fieldsOf(t, "n INT, k STRING")})
		require.NoError(t, err)
		require.NoError(t, s.(connector.Logged).UseLog(vfs.Default, log))
		return s
	}
	read := func(s connector.Source, start, end connector.Offset) (out []string) {
		rows, err := s.Read(t.Context(), start, end, connector.Projection{})
		require.NoError(t, err)
		for b, err := range rows {
			require.NoError(t, err)
			for i := range int(b.NumRows()) {
				out = append(out, b.Column(1).ValueStr(i))
			}
			b.Release()
		}
		return out
	}
	s := open()
	none, err := s.Initial(t.Context())
	require.NoError(t, err)
	same, err := s.Latest(t.Context(), none, false)
	require.NoError(t, err)
	require.Equal(t, none, same)
	put("x/k=a/1")
	put("y/deep/k=b/1")
	put("y/k=c/1")
	some, err := s.Latest(t.Context(), none, false)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"a", "b"}, read(s, none, some))
	require.NoError(t, s.Close())
	s = open()
	require.ElementsMatch(t, []string{"a", "b"}, read(s, none, some))
	put("x/=1/2")
	_, err = s.Latest(t.Context(), some, false)
	require.Equal(t, condition.EmptyPartitionName, condition.Of(err))
	require.ErrorContains(t, err, "x/=1")
	require.NoError(t, s.Close())
}
