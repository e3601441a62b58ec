package conformance

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
)

const damagedFile = "testdata/damaged.json"

// damagedShare is the share of the damaged lines whose answers are recorded, which no number of damages at a place divides.
const damagedShare = 61

// damaged is the recording: Spark's version and the rows for each question of each set.
type damaged struct {
	Spark string              `json:"spark"`
	Rows  map[string][]string `json:"rows"`
}

// The local engine reads of damaged lines what Spark has read.
func TestDamaged(t *testing.T) {
	s, err := local.Open()
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	have := recordingOf[damaged](t, damagedFile)
	compared := 0
	for _, set := range DamagedLines(damagedShare) {
		questions, err := set.Questions(t.TempDir())
		require.NoError(t, err)
		for _, q := range questions {
			name := set.Name + ": " + q.Name
			want, ok := have.Rows[name]
			require.True(t, ok, "%s is not recorded", name)
			got, err := eachRow(context.Background(), s, q.Table)
			require.NoError(t, err, name)
			sameRows(t, name, set.Lines, want, got)
			compared += len(got)
		}
	}
	require.Greater(t, compared, 2_000)
}

// sameRows compares what Spark and the local engine read.
func sameRows(t *testing.T, name string, lines, spark, local []string) {
	t.Helper()
	require.Len(t, local, len(spark), name)
	differ := 0
	for i := range spark {
		if local[i] == spark[i] {
			continue
		}
		if differ++; differ <= 10 {
			line := ""
			if len(lines) == len(spark) {
				line = lines[i][:min(len(lines[i]), 400)]
			}
			t.Errorf("%s: %q\n spark %s\n local %s", name, line, spark[i], local[i])
		}
	}
	if differ > 0 {
		t.Errorf("%s: %d of %d rows differ", name, differ, len(spark))
	}
}
