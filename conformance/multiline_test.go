package conformance

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
)

const wholeFilesFile = "testdata/multiline.json"

func loadWholeFiles(t *testing.T) (out damaged) {
	t.Helper()
	text, err := os.ReadFile(wholeFilesFile)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &out))
	return out
}

// The local engine reads records over several lines, other line ends and other encodings as Spark has read them.
func TestWholeFiles(t *testing.T) {
	s, err := local.Open()
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	have := loadWholeFiles(t)
	dir := t.TempDir()
	for i, c := range WholeFiles() {
		want, ok := have.Rows[c.Name]
		if !assert.True(t, ok, "%s is not recorded", c.Name) {
			continue
		}
		got, err := c.Read(context.Background(), s, filepath.Join(dir, strconv.Itoa(i)))
		require.NoError(t, err, c.Name)
		if len(want) != len(got) || !equal(want, got) {
			t.Errorf("%s: %q %q\n spark %q\n local %q", c.Name, c.Text, c.Options, want, got)
		}
	}
	for i, c := range WrittenFiles() {
		want, ok := have.Rows[c.Name]
		if !assert.True(t, ok, "%s is not recorded", c.Name) {
			continue
		}
		got, err := c.Write(context.Background(), s, filepath.Join(dir, "w"+strconv.Itoa(i)))
		require.NoError(t, err, c.Name)
		if len(want) != len(got) || !equal(want, got) {
			t.Errorf("%s: %q\n spark %q\n local %q", c.Name, c.Options, want, got)
		}
	}
}

func equal(a, b []string) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
