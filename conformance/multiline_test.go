package conformance

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
)

const wholeFilesFile = "testdata/multiline.json"

// The local engine reads records over several lines, other line ends and other encodings as Spark has read them.
func TestWholeFiles(t *testing.T) {
	s, err := local.Open()
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	have := recordingOf[damaged](t, wholeFilesFile)
	require.Len(t, have.Rows, len(WholeFiles())+len(WrittenFiles()), "the recording has other cases")
	dir := t.TempDir()
	for i, c := range WholeFiles() {
		want, ok := have.Rows[c.Name]
		if !assert.True(t, ok, "%s is not recorded", c.Name) {
			continue
		}
		got, err := c.Read(context.Background(), s, filepath.Join(dir, strconv.Itoa(i)))
		require.NoError(t, err, c.Name)
		if !slices.Equal(want, got) {
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
		if !slices.Equal(want, got) {
			t.Errorf("%s: %q\n spark %q\n local %q", c.Name, c.Options, want, got)
		}
	}
}
