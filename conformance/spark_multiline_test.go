//go:build conformance

package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The live Spark reads what is recorded. With -record the recording is written anew.
func TestSparkWholeFiles(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	s := connect(t)
	fresh := damaged{Spark: s.Version(), Rows: map[string][]string{}}
	dir := env.Dir(t)
	for i, c := range WholeFiles() {
		_, twice := fresh.Rows[c.Name]
		require.False(t, twice, c.Name)
		rows, err := c.Read(ctx, s, filepath.Join(dir, strconv.Itoa(i)))
		require.NoError(t, err, c.Name)
		if rows == nil {
			rows = []string{}
		}
		fresh.Rows[c.Name] = rows
	}
	for i, c := range WrittenFiles() {
		rows, err := c.Write(ctx, s, filepath.Join(dir, "w"+strconv.Itoa(i)))
		require.NoError(t, err, c.Name)
		fresh.Rows[c.Name] = rows
	}
	if *record {
		var out bytes.Buffer
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "\t")
		require.NoError(t, e.Encode(fresh))
		require.NoError(t, os.WriteFile(wholeFilesFile, out.Bytes(), 0o666))
		return
	}
	require.Equal(t, loadWholeFiles(t).Rows, fresh.Rows)
}
