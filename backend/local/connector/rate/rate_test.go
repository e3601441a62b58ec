package rate

import (
	"math"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// clock is a time that tests move.
type clock struct{ ms int64 }

func (c *clock) now() time.Time { return time.UnixMilli(c.ms) }

func opened(t *testing.T, c *clock, rows int64, opts ...connectors.Option) *source {
	t.Helper()
	d, err := connectors.Rate(rows, opts...).Source()
	require.NoError(t, err)
	s, err := connector.OpenSource(t.Context(), connector.Env{Now: c.now, BatchRows: 4, Streaming: true}, d)
	require.NoError(t, err)
	src := s.(*source)
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	src.mem = mem
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		mem.AssertSize(t, 0)
	})
	return src
}

type row struct{ ms, value int64 }

func read(t *testing.T, s *source, start, end string) []row {
	t.Helper()
	rows, err := s.Read(t.Context(), connector.Offset(start), connector.Offset(end), connector.Projection{})
	require.NoError(t, err)
	var out []row
	for rec, err := range rows {
		require.NoError(t, err)
		require.LessOrEqual(t, rec.NumRows(), int64(4))
		for i := range int(rec.NumRows()) {
			us := int64(rec.Column(0).(*array.Timestamp).Value(i))
			require.Zero(t, us%1000)
			out = append(out, row{us / 1000, rec.Column(1).(*array.Int64).Value(i)})
		}
		rec.Release()
	}
	return out
}

func latest(t *testing.T, s *source, start string) string {
	t.Helper()
	o, err := s.Latest(t.Context(), connector.Offset(start), false)
	require.NoError(t, err)
	return string(o)
}

func TestRate(t *testing.T) {
	c := &clock{1_700_000_000_123}
	fs := vfs.NewMem()
	s := opened(t, c, 3)
	require.NoError(t, s.UseLog(fs, "sources/0"))
	require.Equal(t, "RateStreamV2[rowsPerSecond=3, rampUpTimeSeconds=0, numPartitions=default", s.Description())
	require.Empty(t, s.Metrics())
	start, err := s.Initial(t.Context())
	require.NoError(t, err)
	require.Equal(t, "0", string(start))
	c.ms += 999
	require.Equal(t, "0", latest(t, s, "0"))
	c.ms += 1
	require.Equal(t, "1", latest(t, s, "0"))
	require.Equal(t, map[string]string{"latestOffset": "1"}, s.Metrics())
	base := int64(1_700_000_000_123)
	require.Equal(t, []row{{base, 0}, {base + 333, 1}, {base + 667, 2}}, read(t, s, "0", "1"))
	require.Equal(t, []row{{base + 1000, 3}, {base + 1333, 4}, {base + 1667, 5}, {base + 2000, 6}, {base + 2333, 7}, {base + 2667, 8}}, read(t, s, "1", "3"))
	require.Empty(t, read(t, s, "2", "2"))
	c.ms -= 5000
	require.Equal(t, "3", latest(t, s, "3"), "a clock that is put back does not take rows back")
	c.ms += 5000

	// A restart has the first start, whenever it is.
	c.ms += 60_000
	again := opened(t, c, 3)
	require.NoError(t, again.UseLog(fs, "sources/0"))
	require.Equal(t, read(t, s, "1", "3"), read(t, again, "1", "3"))
	require.Equal(t, "61", latest(t, again, "3"))
	rows, err := s.Read(t.Context(), connector.Offset("0"), connector.Offset("1"), connector.Projection{Columns: []int{1}})
	require.NoError(t, err)
	for rec, err := range rows {
		require.NoError(t, err)
		require.Equal(t, 3, rec.Column(0).NullN())
		require.Zero(t, rec.Column(1).NullN())
		rec.Release()
	}
	require.NoError(t, s.Commit(t.Context(), start))

	f, err := fs.Create("sources/0/0", vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	_, err = f.Write([]byte("v1\nsoon"))
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.Equal(t, condition.CheckpointCorrupt, condition.Of(opened(t, c, 3).UseLog(fs, "sources/0")))
}

// TestRampUp has the numbers of the comment in Spark's RateStreamProvider.
func TestRampUp(t *testing.T) {
	for seconds, want := range []int64{0, 2, 6, 12, 20, 30, 40} {
		require.Equal(t, want, valueAt(int64(seconds), 10, 4))
	}
	require.Equal(t, int64(math.MaxInt64/7*7), valueAt(math.MaxInt64/7, 7, 0))
	c := &clock{0}
	s := opened(t, c, 10, connectors.Set("rampUpTime", "4s"), connectors.Set("numPartitions", "2"))
	require.Equal(t, "RateStreamV2[rowsPerSecond=10, rampUpTimeSeconds=4, numPartitions=2", s.Description())
	require.Equal(t, []row{{0, 0}, {500, 1}}, read(t, s, "0", "1"))
	require.Len(t, read(t, s, "1", "5"), 28)
	slow := opened(t, c, 1, connectors.Set("rampUpTime", "1m"))
	require.Empty(t, read(t, slow, "0", "30"), "one row a second has no ramp of whole rows")
}

func TestRefused(t *testing.T) {
	for _, opts := range [][]connectors.Option{
		{connectors.Set("rampUpTime", "soon")},
		{connectors.Raw("numPartitions", "0")},
		{connectors.Raw("rowsPerSecond", "x")},
	} {
		d, err := connectors.Rate(1, opts...).Source()
		if err == nil {
			_, err = connector.OpenSource(t.Context(), connector.Env{}, d)
		}
		require.Equal(t, condition.InvalidOption, condition.Of(err))
	}
	d, err := connectors.Rate(math.MaxInt64, connectors.Set("rampUpTime", "5s")).Source()
	require.NoError(t, err)
	_, err = connector.OpenSource(t.Context(), connector.Env{}, d)
	require.Equal(t, condition.InvalidOption, condition.Of(err))
	s := opened(t, &clock{0}, 1<<40)
	for _, text := range []string{"null", "-1", "x", "1.5"} {
		_, err := s.Latest(t.Context(), connector.Offset(text), false)
		require.Equal(t, condition.CheckpointCorrupt, condition.Of(err), text)
	}
	_, err = s.Read(t.Context(), connector.Offset("0"), connector.Offset("9000000"), connector.Projection{})
	require.Equal(t, condition.ArithmeticOverflow, condition.Of(err))
	_, err = s.Read(t.Context(), connector.Offset("5"), connector.Offset("3"), connector.Projection{})
	require.Equal(t, condition.CheckpointCorrupt, condition.Of(err))
}
