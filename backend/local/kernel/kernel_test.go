package kernel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/expr/catalog"
)

// Every function of the catalogue has a kernel or an accumulator, or a reason in the table.
func TestEveryFunctionHasAKernel(t *testing.T) {
	for _, f := range catalog.All() {
		require.Equal(t, f.SparkOnly == "", kernel.Has(f.Name), "%s has none, or one although it is said to run on Spark only", f.Name)
	}
	for name := range kernel.ElsewhereTable {
		_, ok := catalog.Lookup(name)
		require.True(t, ok, "%s stands in the table and not in the catalogue", name)
	}
}
