package conformance

import (
	"context"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
)

const inferredFile = "testdata/inferred.json"

// inferred is the recording: Spark's version and what it finds.
type inferred struct {
	Spark string           `json:"spark"`
	Found map[string]Found `json:"found"`
}

// The local engine finds the columns that Spark has found.
func TestInferred(t *testing.T) {
	s, err := local.Open()
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	have := recordingOf[inferred](t, inferredFile)
	cases := Inferences()
	require.Greater(t, len(cases), 60)
	require.Len(t, have.Found, len(cases), "the recording has other cases")
	for i, c := range cases {
		want, ok := have.Found[c.Name]
		require.True(t, ok, "%s is not recorded", c.Name)
		got, err := c.Find(context.Background(), s, filepath.Join(t.TempDir(), strconv.Itoa(i)))
		require.NoError(t, err, c.Name)
		if got != want {
			t.Errorf("%s: Spark finds %v, the local engine %v", c.Name, want, got)
		}
	}
}
