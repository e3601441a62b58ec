package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The table is checked as a whole: a sentence, an example and a name for everything.
func TestEveryFunctionIsDescribed(t *testing.T) {
	names := map[string]string{}
	for _, f := range All() {
		require.NotEmpty(t, f.Doc, f.Name)
		require.NotEmpty(t, f.Example, f.Name)
		require.NotEmpty(t, f.Sigs, f.Name)
		require.Empty(t, names[f.Go], "%s and %s share the Go name %s", f.Name, names[f.Go], f.Go)
		names[f.Go] = f.Name
	}
	t.Logf("%d functions", len(names))
}
