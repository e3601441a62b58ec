package conformance

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
)

// The local engine's catalogue answers as Spark's did, in memory and on disk.
func TestLocalCatalog(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	have, err := load("catalog")
	require.NoError(t, err)
	for name, opts := range map[string][]local.Option{"memory": nil, "disk": {local.Warehouse(t.TempDir() + "/ware*[house]")}} {
		t.Run(name, func(t *testing.T) {
			s, err := local.Open(opts...)
			require.NoError(t, err)
			defer func() { require.NoError(t, s.Close()) }()
			for _, c := range CatalogCases() {
				got, err := AskCatalog(ctx, s, c)
				require.NoError(t, err, c.Name)
				want, ok := have.Answers[c.Name]
				require.True(t, ok, "%s is not recorded", c.Name)
				assert.Equal(t, want.String(), got.String(), c.Name)
			}
		})
	}
}
