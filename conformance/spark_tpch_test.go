//go:build conformance

package conformance

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/sparkconnect"
	"github.com/spoonbill-go/spoonbill/bench/tpch/queries"
)

// The 22 queries of TPC-H at a scale factor of 0.1 have one answer here and on Spark, row for row.
func TestTPCH(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	made, err := exec.CommandContext(ctx, "../bench/tpch/data.sh", "0.1").Output()
	require.NoError(t, err)
	folder := env.Dir(t)
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(made)), "*.parquet"))
	require.NoError(t, err)
	require.Len(t, files, 8)
	require.NoError(t, exec.CommandContext(ctx, "cp", append(files, folder)...).Run())
	tables := queries.Open(folder)
	here, spark := openLocal(t), connect(t, sparkconnect.Config("spark.sql.shuffle.partitions", "2"))
	rows := 0
	for _, q := range queries.All {
		want, err := Ask(ctx, spark, q.Build(tables), q.Ordered)
		require.NoError(t, err, q.Name)
		require.Empty(t, want.Error, q.Name)
		got, err := Ask(ctx, here, q.Build(tables), q.Ordered)
		require.NoError(t, err, q.Name)
		rows += len(want.Rows)
		if want.String() != got.String() {
			t.Errorf("%s: %d rows here, %d on Spark\n%s", q.Name, len(got.Rows), len(want.Rows), firstDifference(got, want))
		}
	}
	require.Greater(t, rows, 1000)
}
