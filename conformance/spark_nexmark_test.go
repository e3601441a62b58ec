//go:build conformance

package conformance

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/sparkconnect"
	"github.com/spoonbill-go/spoonbill/bench/nexmark/queries"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
)

// Every query of Nexmark gives on Spark, as a stream of files, the rows that the local engine gives over all of them.
func TestSparkNexmark(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	t.Cleanup(cancel)
	here, spark := openLocal(t), connect(t, sparkconnect.Config("spark.sql.shuffle.partitions", "2"))
	open, closed := nexmark(t, env.Dir(t))
	for _, q := range queries.All {
		t.Run(q.Name, func(t *testing.T) {
			t.Parallel()
			want, err := Ask(ctx, here, q.Build(open), false)
			require.NoError(t, err)
			name := "nexmark_" + q.Name
			w := nexmarkStream(q, open, closed, connectors.ToMemoryTable()).Name(name)
			got, err := AskStream(ctx, spark, w, func() (expr.Table, error) { return spark.Table(ctx, name) }, false)
			require.NoError(t, err)
			require.Equal(t, want.withoutNullability().String(), got.String())
		})
	}
}
