//go:build conformance

package conformance

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/backend/sparkconnect"
	"github.com/spoonbill-go/spoonbill/internal/golden"
)

// Handles, progress and events have the same members on both backends, and equal values where these are not times, durations, ids or sizes.
func TestSparkProgress(t *testing.T) {
	dir := env.Dir(t)
	require.NoError(t, writeWatched(dir))
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	for _, c := range watched {
		t.Run(c.name, func(t *testing.T) {
			s, err := local.Open(local.Parallelism(1))
			require.NoError(t, err)
			defer func() { require.NoError(t, s.Close()) }()
			here, err := reportOf(ctx, s, c.name, c.query(dir), t.TempDir())
			require.NoError(t, err)
			there, err := reportOf(ctx, connect(t, sparkconnect.Config("spark.sql.shuffle.partitions", "1")), c.name, c.query(dir), env.Dir(t))
			require.NoError(t, err)
			require.NotEmpty(t, there)
			if *golden.Rewrite {
				golden.Check(t, recordedReport(c.name), there.text(dir))
			}
			found := differ(there, here)
			require.True(t, len(found) == 0, strings.Join(found, "\n"))
		})
	}
}
