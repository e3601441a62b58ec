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

// The live Spark finds the columns that are recorded. With -record the recording is written anew.
func TestSparkInferred(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	s := connect(t)
	fresh := inferred{Spark: s.Version(), Found: map[string]Found{}}
	dir := env.Dir(t)
	for i, c := range Inferences() {
		_, twice := fresh.Found[c.Name]
		require.False(t, twice, c.Name)
		at := filepath.Join(dir, strconv.Itoa(i))
		found, err := c.Find(ctx, s, at)
		require.NoError(t, err, c.Name)
		fresh.Found[c.Name] = found
	}
	if *record {
		var out bytes.Buffer
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "\t")
		require.NoError(t, e.Encode(fresh))
		require.NoError(t, os.WriteFile(inferredFile, out.Bytes(), 0o666))
		return
	}
	require.Equal(t, loadInferred(t).Found, fresh.Found)
}
