package local_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/window"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t testing.TB, opts ...local.Option) *local.Session {
	t.Helper()
	s, err := local.Open(opts...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

var ctx = context.Background()

func clock(s string) time.Time {
	t, err := time.Parse("15:04:05", s)
	if err != nil {
		panic(err)
	}
	return time.Date(2024, 1, 1, t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}

func payments(t testing.TB) (*feed, expr.Table) {
	f := newFeed(t, "createTime TIMESTAMP, provinceId INT, payAmount DOUBLE")
	return f, expr.Read("payments", f)
}

func perProvince(p expr.Table) expr.Table {
	w := p.Watermark("createTime", 10*time.Second)
	return w.GroupBy(window.Sliding(w.Timestamp("createTime"), time.Minute, 30*time.Second), w.Col("provinceId")).
		Agg(w.Num("payAmount").Sum().As("totalPayAmount"))
}

func TestBatchGroup(t *testing.T) {
	f, p := payments(t)
	f.add([]any{clock("12:00:10"), 1, 1.5}, []any{clock("12:00:40"), 1, 2.5}, []any{clock("12:00:40"), 2, 4.0})
	got := sorted(collect(t, open(t), perProvince(p)))
	require.Equal(t, []string{
		"{2024-01-01 11:59:30, 2024-01-01 12:00:30}|1|1.5",
		"{2024-01-01 12:00:00, 2024-01-01 12:01:00}|1|4.0",
		"{2024-01-01 12:00:00, 2024-01-01 12:01:00}|2|4.0",
		"{2024-01-01 12:00:30, 2024-01-01 12:01:30}|1|2.5",
		"{2024-01-01 12:00:30, 2024-01-01 12:01:30}|2|4.0",
	}, got)
}

func TestStreamAppend(t *testing.T) {
	f, p := payments(t)
	sink := newCollector()
	s := open(t)
	q, err := s.Start(ctx, perProvince(p).WriteTo(sink).OutputMode(expr.Append).Checkpoint(t.TempDir()))
	require.NoError(t, err)
	f.add([]any{clock("12:00:10"), 1, 1.5}, []any{clock("12:00:40"), 1, 2.5}, []any{clock("12:00:40"), 2, 4.0})
	require.NoError(t, q.ProcessAllAvailable(ctx))
	// The watermark is 12:00:30, so the window that ends there is closed by an epoch without data.
	require.Equal(t, []string{"{2024-01-01 11:59:30, 2024-01-01 12:00:30}|1|1.5"}, sink.rows())
	f.add([]any{clock("12:00:05"), 1, 100.0}, []any{clock("12:01:15"), 3, 1.0})
	require.NoError(t, q.ProcessAllAvailable(ctx))
	require.Equal(t, []string{
		"{2024-01-01 11:59:30, 2024-01-01 12:00:30}|1|1.5",
		"{2024-01-01 12:00:00, 2024-01-01 12:01:00}|1|104.0",
		"{2024-01-01 12:00:00, 2024-01-01 12:01:00}|2|4.0",
	}, sink.rows())
	progress, err := q.RecentProgress(ctx)
	require.NoError(t, err)
	dropped := int64(0)
	for _, p := range progress {
		dropped += p.StateOperators[0].NumRowsDroppedByWatermark
	}
	require.EqualValues(t, 1, dropped)
	require.NoError(t, q.Stop(ctx))
	require.NoError(t, q.AwaitTermination(ctx))
}

// The text of a cast is that which is shown: the least double has Java's two digits in both.
func TestTextOfTheLeastDouble(t *testing.T) {
	f := newFeed(t, "d DOUBLE")
	f.add([]any{math.SmallestNonzeroFloat64})
	in := expr.Read("in", f)
	require.Equal(t, []string{"4.9E-324|4.9E-324"}, collect(t, open(t), in.Select(in.Num("d"), in.Num("d").Cast(datatype.String).As("ds"))))
}

// A session takes the time zones that a Spark session takes.
func TestTimeZones(t *testing.T) {
	for _, name := range []string{"UTC", "Z", "+01:00", "GMT+1", "UTC-08:30", "Europe/Berlin", "PST"} {
		_, err := local.Open(local.TimeZone(name))
		require.NoError(t, err, name)
	}
	for _, name := range []string{"", "Local", "Nowhere/City", "+25:00"} {
		_, err := local.Open(local.TimeZone(name))
		require.Equal(t, condition.InvalidOption, condition.Of(err), "%q", name)
	}
}
