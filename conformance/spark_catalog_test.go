//go:build conformance

package conformance

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Spark's catalogue answers as recorded; with -record the recording is written anew.
func TestSparkCatalog(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	s := connect(t)
	have, err := load("catalog")
	require.NoError(t, err)
	fresh := map[string]Answer{}
	for _, c := range CatalogCases() {
		got, err := AskCatalog(ctx, s, c)
		require.NoError(t, err, c.Name)
		fresh[c.Name] = got
		if !*record {
			want, ok := have.Of(s.Version(), c.Name)
			require.True(t, ok, "%s is not recorded: go test -tags conformance -record", c.Name)
			assert.Equal(t, want.String(), got.String(), c.Name)
		}
	}
	if *record {
		require.NoError(t, have.record(s.Version(), fresh).save("catalog"))
	}
}
