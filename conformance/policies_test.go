package conformance

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
)

// The watermark of two inputs is that of the one behind, or under the policy max that of the one ahead (SPARK-22119, SPARK-24730).
func TestLocalPolicies(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, PolicyFiles(folder))
	for _, p := range Policies {
		s, err := local.Open()
		require.NoError(t, err)
		got, err := AskPolicy(context.Background(), s, folder, t.TempDir(), p.Set)
		require.NoError(t, err)
		require.Equal(t, p.Watermark, got, p.Name)
		require.NoError(t, s.Close())
	}
}
