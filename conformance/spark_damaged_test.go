//go:build conformance

package conformance

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Of damaged lines of JSON, CSV and text both read the same. With -record what Spark reads of some of them is written anew.
func TestSparkDamaged(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	sessions := both(t)
	for _, set := range DamagedLines(1) {
		t.Run(set.Name, func(t *testing.T) {
			questions, err := set.Questions(env.Dir(t))
			require.NoError(t, err)
			rows := 0
			for _, q := range questions {
				spark, err := eachRow(ctx, sessions["spark"], q.Table)
				require.NoError(t, err, q.Name)
				local, err := eachRow(ctx, sessions["local"], q.Table)
				require.NoError(t, err, q.Name)
				sameRows(t, q.Name, set.Lines, spark, local)
				rows += len(spark)
			}
			t.Logf("%d rows", rows)
		})
	}
	if !*record {
		return // the local engine, which agrees, is held to the recording elsewhere
	}
	s := connect(t)
	fresh := damaged{Spark: s.Version(), Rows: map[string][]string{}}
	for _, set := range DamagedLines(damagedShare) {
		questions, err := set.Questions(env.Dir(t))
		require.NoError(t, err)
		for _, q := range questions {
			rows, err := eachRow(ctx, s, q.Table)
			require.NoError(t, err, q.Name)
			fresh.Rows[set.Name+": "+q.Name] = rows
		}
	}
	recordAs(t, damagedFile, fresh)
}
