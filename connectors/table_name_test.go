package connectors

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// A name that Spark cannot be given is refused when the write is built; any other is quoted.
func TestTableNames(t *testing.T) {
	for _, name := range [][]string{{"a`b"}, {"`db`", "t"}, {"db", "``"}} {
		_, err := ToTable(name...).Sink()
		require.Equal(t, condition.InvalidOption, condition.Of(err), name)
		require.ErrorContains(t, err, "parts of the name apart")
	}
	s, err := ToTable("my db", "t").Sink()
	require.NoError(t, err)
	require.Equal(t, "`my db`.t", s.Path)
}
