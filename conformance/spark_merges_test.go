//go:build conformance

package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
)

// Spark merges the columns of Parquet files as it is written down.
func TestSparkMerges(t *testing.T) {
	off, err := local.Open()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, off.Close()) })
	s := connect(t)
	for _, c := range MergeCases() {
		mergesAs(t, c, off, s, env.Dir(t))
	}
}
