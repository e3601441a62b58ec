package expr

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCandidates(t *testing.T) {
	have := []string{"id", "customer", "amount", "customers", "created_at", "note", "province"}
	for name, want := range map[string][]string{
		"amuont":    {"amount"},
		"Customer_": {"customer", "customers"},
		"custmer":   {"customer", "customers"},
		"creatd_at": {"created_at"},
	} {
		require.Equal(t, want, candidates(name, have), name)
	}
	require.Len(t, candidates("zzzzzz", have), 5, "none is near: some of what there is")
	require.Empty(t, candidates("a", nil))
}
