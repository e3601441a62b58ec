package conformance

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// requireZoneCases asks a session in the zone of the cases.
func requireZoneCases(t *testing.T, s backend.Session) {
	t.Helper()
	got, err := Ask(context.Background(), s, zoneTable(), true)
	require.NoError(t, err)
	require.Empty(t, got.Error)
	require.Len(t, got.Rows, 1)
	for i, c := range ZoneCases() {
		cell := got.Rows[0][i]
		require.NotNil(t, cell, "case %d, %s", i, c.Want)
		require.Equal(t, c.Want, *cell, "case %d", i)
	}
}

func TestLocalZones(t *testing.T) {
	s, err := local.Open(local.TimeZone(zoneOfCases))
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	requireZoneCases(t, s)

	// What the engine cannot answer as Spark does it refuses by name.
	ts := expr.Lit("2024-07-01 12:00:00").Cast(datatype.Timestamp)
	for _, v := range []expr.AnyValue{
		expr.Call[expr.AnyValue]("date_format", ts, "HH z"),
		expr.Call[expr.AnyValue]("date_format", ts, "HH vvvv"),
		expr.Call[expr.AnyValue]("try_to_timestamp", "12 CEST", "HH z"),
		expr.Call[expr.AnyValue]("time_bucket", expr.Days(1), ts),
	} {
		got, err := Ask(context.Background(), s, tables("one", mustFields("id INT"), [][]any{{1}}).Select(v.As("r")), true)
		require.NoError(t, err)
		require.Equal(t, condition.Unsupported, got.Error)
	}
}
