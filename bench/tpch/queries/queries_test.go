package queries

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/internal/golden"
)

// Each query compiles, and its SQL is the golden one.
func TestSQL(t *testing.T) {
	tables := Open("tpch")
	require.Len(t, All, 22)
	for _, q := range All {
		sql, err := compiler.SQL(q.Build(tables))
		require.NoError(t, err, q.Name)
		golden.Check(t, "testdata/"+q.Name+".sql", sql)
	}
}
