//go:build conformance

package conformance

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/sparkconnect"
)

// Spark has the same watermarks, and a policy that is set for one query is not that of the next one.
func TestSparkPolicies(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	folder := env.Dir(t)
	require.NoError(t, PolicyFiles(folder))
	s := connect(t)
	for i := range 2 {
		for _, p := range Policies {
			got, err := AskPolicy(ctx, s, folder, filepath.Join(folder, fmt.Sprint("checkpoint-", p.Name, i)), p.Set)
			require.NoError(t, err)
			require.Equal(t, p.Watermark, got, p.Name)
		}
	}
	// A session's own setting counts where the query chooses nothing, also behind one that chose.
	own := connect(t, sparkconnect.Config("spark.sql.streaming.multipleWatermarkPolicy", "max"))
	for i, p := range []int{2, 0} {
		got, err := AskPolicy(ctx, own, folder, filepath.Join(folder, fmt.Sprint("own-", i)), Policies[p].Set)
		require.NoError(t, err)
		require.Equal(t, []string{Policies[2].Watermark, Policies[1].Watermark}[i], got)
	}
}
