package local_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/functions"
	"github.com/spoonbill-go/spoonbill/window"
)

// The state of each kind of operator is a table, of either store, at each version, without the query.
func TestStateAsATable(t *testing.T) {
	for name, c := range map[string]struct {
		mode  expr.OutputMode
		table func(p expr.Table) expr.Table
		want  string
	}{
		"windows": {expr.Append, func(p expr.Table) expr.Table {
			return p.GroupBy(window.Tumbling(p.Timestamp("createTime"), time.Minute), "provinceId").
				Agg(expr.Count().As("n"), p.Num("payAmount").Mean().As("mean"), functions.ApproxCountDistinct(p.Num("payAmount")).As("different"))
		}, `
+-------------------+-------------------+----------+---+----+---------+-------------------+
|start              |end                |provinceId|n  |mean|different|expiry             |
+-------------------+-------------------+----------+---+----+---------+-------------------+
|2024-01-01 12:00:00|2024-01-01 12:01:00|1         |2  |1.5 |2        |2024-01-01 12:01:00|
|2024-01-01 12:00:00|2024-01-01 12:01:00|NULL      |1  |3.0 |1        |2024-01-01 12:01:00|
+-------------------+-------------------+----------+---+----+---------+-------------------+`},
		"complete": {expr.Complete, func(p expr.Table) expr.Table {
			return p.GroupBy("provinceId").Agg(p.Num("payAmount").Sum().As("sum"))
		}, `
+----------+---+------+
|provinceId|sum|expiry|
+----------+---+------+
|1         |3.0|NULL  |
|NULL      |3.0|NULL  |
+----------+---+------+`},
		"sessions": {expr.Append, func(p expr.Table) expr.Table {
			return p.GroupBy(window.Session(p.Timestamp("createTime"), 10*time.Second), "provinceId").Agg(expr.Count().As("n"))
		}, ``},
		"dedup": {expr.Append, func(p expr.Table) expr.Table { return p.DropDuplicatesWithinWatermark("provinceId") }, `
+----------+-------------------+
|provinceId|expiry             |
+----------+-------------------+
|1         |2024-01-01 12:00:11|
|NULL      |2024-01-01 12:00:13|
+----------+-------------------+`},
	} {
		t.Run(name, func(t *testing.T) {
			for store := range 2 {
				f, p := payments(t)
				f.add([]any{clock("12:00:01"), 1, 1.0}, []any{clock("12:00:02"), 1, 2.0}, []any{clock("12:00:03"), nil, 3.0})
				fs := vfs.NewMem()
				require.NoError(t, runTo(t, fs, c.table(p.Watermark("createTime", 10*time.Second)).WriteTo(newCollector()).OutputMode(c.mode), storeOf(store)))
				s := open(t, local.FileSystem(fs))
				rows, err := s.State(ctx, "c", local.StateOptions{Version: 1})
				require.NoError(t, err)
				var b strings.Builder
				require.NoError(t, backend.Show(&b, rows, backend.ShowOptions{Rows: 20, Zone: s.Zone()}))
				if c.want == "" {
					require.Contains(t, b.String(), "2024-01-01 12:00:12")
				} else {
					require.ElementsMatch(t, strings.Split(c.want[1:], "\n"), strings.Split(strings.TrimSpace(b.String()), "\n"))
				}
			}
		})
	}
}

func TestStateOfAJoin(t *testing.T) {
	fs := vfs.NewMem()
	l, r := newFeed(t, "k INT, at TIMESTAMP"), newFeed(t, "k INT, at TIMESTAMP, x STRING")
	l.add([]any{1, clock("12:00:00")}, []any{2, clock("12:00:00")})
	r.add([]any{1, clock("12:00:05"), "x"})
	left, right := expr.Read("l", l).Watermark("at", time.Second), expr.Read("r", r).Watermark("at", time.Second)
	j := left.LeftJoin(right, left.Num("k").Eq(right.Num("k")), right.Timestamp("at").Ge(left.Timestamp("at")), right.Timestamp("at").Le(left.Timestamp("at").Add(time.Minute)))
	require.NoError(t, runTo(t, fs, j.WriteTo(newCollector())))
	s := open(t, local.FileSystem(fs))
	rows, err := s.State(ctx, "c", local.StateOptions{})
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, backend.Show(&b, rows, backend.ShowOptions{Rows: 20, Zone: s.Zone()}))
	require.Contains(t, b.String(), `|true   |{"k":1,"at":"2024-01-01T12:00:00.000Z"}`)
	require.Contains(t, b.String(), `|false  |{"k":2,"at":"2024-01-01T12:00:00.000Z"}`)
	require.Contains(t, b.String(), `"x":"x"`)
	_, err = s.State(ctx, "c", local.StateOptions{Operator: 3})
	requireCondition(t, err, condition.InvalidValue, "number of the operator")
	_, err = s.State(ctx, "elsewhere", local.StateOptions{})
	requireCondition(t, err, condition.InvalidValue, "checkpoint folder")
	_, err = s.State(ctx, "c", local.StateOptions{Version: 99})
	require.Equal(t, condition.CheckpointCorrupt, condition.Of(err))
}

// The state of Spark's checkpoints is refused, with the way to that of this engine.
func TestStateOfSparkIsRefused(t *testing.T) {
	s := open(t)
	_, err := backend.ReadState(ctx, s, "state", connectors.FromState("/ck"))
	requireCondition(t, err, condition.Unsupported, "checkpoints of Spark's", "spoonbill state CHECKPOINT", "statetable_test.go")
	table := expr.Read("state", connectors.FromStateMetadata("/ck").WithRows(connectors.RowsDDL("operatorId BIGINT")))
	_, err = backend.Count(ctx, s, table)
	requireCondition(t, err, condition.Unsupported, "state-metadata", "spoonbill state CHECKPOINT")
	require.ErrorContains(t, expr.Read("state", connectors.FromState("/ck")).Err(), "are not known")
}
