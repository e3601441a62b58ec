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

func TestBraces(t *testing.T) {
	for pattern, want := range map[string]string{
		"/a":            "/a",
		"/{a,b}/{c,d}":  "/a/c /a/d /b/c /b/d",
		"/{a{1,2},b}":   "/a1 /a2 /b",
		"/{a}":          "/a",
		`/\{a,b}`:       `/\{a,b}`,
		"/a}{b,c":       "/a}{b,c",
		"/{,x}y":        "/y /xy",
		"{{{{a,b}}}},c": "a,c b,c",
	} {
		got, ok := braces(pattern)
		require.True(t, ok, pattern)
		require.Equal(t, strings.Fields(want), got, pattern)
	}
}

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
		s, err := connector.OpenSource(t.Context(), connector.Env{FS: vfs.NewMem()}, src)
		require.NoError(t, err)
		_, err = s.Latest(t.Context(), nil, true)
		require.Equal(t, condition.InvalidOption, condition.Of(err), "%s: %v", name, err)
		require.Less(t, len(err.Error()), 600, name)
		require.NoError(t, s.Close())
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
