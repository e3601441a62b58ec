package rate

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

func openedMicroBatch(t *testing.T, rows int64, opts ...connectors.Option) *microBatch {
	t.Helper()
	d, err := connectors.RateMicroBatch(rows, opts...).Source()
	require.NoError(t, err)
	s, err := connector.OpenSource(t.Context(), connector.Env{BatchRows: 4, Parallelism: 3, Streaming: true}, d)
	require.NoError(t, err)
	src := s.(*microBatch)
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	src.mem = mem
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		mem.AssertSize(t, 0)
	})
	return src
}

func TestMicroBatch(t *testing.T) {
	s := openedMicroBatch(t, 6, connectors.StartTimestamp(time.UnixMilli(1500)), connectors.AdvancePerBatch(250*time.Millisecond))
	require.Equal(t, "RatePerMicroBatchStream[rowsPerBatch=6, numPartitions=3, startTimestamp=1500, advanceMsPerBatch=250]", s.Description())
	require.Nil(t, s.Metrics())
	from, err := s.Initial(t.Context())
	require.NoError(t, err)
	require.Equal(t, `{"offset":0,"timestamp":1500}`, string(from))
	for range 2 {
		to, err := s.Latest(t.Context(), from, false)
		require.NoError(t, err)
		from = to
	}
	require.Equal(t, `{"offset":12,"timestamp":2000}`, string(from))
	rows, err := s.Read(t.Context(), connector.Offset(`{"offset":6,"timestamp":1750}`), from, connector.Projection{})
	require.NoError(t, err)
	var sizes, values []int64
	for rec, err := range rows {
		require.NoError(t, err)
		sizes = append(sizes, rec.NumRows())
		for i := range int(rec.NumRows()) {
			require.EqualValues(t, 1_750_000, rec.Column(0).(*array.Timestamp).Value(i))
			values = append(values, rec.Column(1).(*array.Int64).Value(i))
		}
		rec.Release()
	}
	require.Equal(t, []int64{4, 2}, sizes)
	require.Equal(t, []int64{6, 7, 8, 9, 10, 11}, values)
	// Columns that nobody reads are nulls, and an empty range has no rows.
	rows, err = s.Read(t.Context(), connector.Offset(`{"offset":11,"timestamp":0}`), from, connector.Projection{Columns: []int{1}})
	require.NoError(t, err)
	for rec, err := range rows {
		require.NoError(t, err)
		require.True(t, rec.Column(0).IsNull(0))
		rec.Release()
	}
	rows, err = s.Read(t.Context(), from, from, connector.Projection{})
	require.NoError(t, err)
	for range rows {
		t.Error("there are rows")
	}
	require.NoError(t, s.Commit(t.Context(), from))
}

// A run of an available-now query is one epoch.
func TestMicroBatchAvailableNow(t *testing.T) {
	s := openedMicroBatch(t, 5)
	require.NoError(t, s.PrepareAvailableNow(t.Context()))
	start := connector.Offset(`{"offset":10,"timestamp":2000}`)
	for range 2 {
		to, err := s.Latest(t.Context(), start, false)
		require.NoError(t, err)
		require.Equal(t, `{"offset":15,"timestamp":3000}`, string(to))
		start = to
	}
}

func TestMicroBatchEnds(t *testing.T) {
	s := openedMicroBatch(t, math.MaxInt64)
	to, err := s.Latest(t.Context(), connector.Offset(`{"offset":0,"timestamp":0}`), false)
	require.NoError(t, err)
	_, err = s.Latest(t.Context(), to, false)
	require.Equal(t, condition.ArithmeticOverflow, condition.Of(err))
	for _, o := range []string{"", "7", "null", "{}", `{"offset":1}`, `{"offset":-1,"timestamp":0}`, `{"offset":"1","timestamp":0}`} {
		_, err = s.Latest(t.Context(), connector.Offset(o), false)
		require.Equal(t, condition.CheckpointCorrupt, condition.Of(err), o)
	}
	_, err = s.Read(t.Context(), to, connector.Offset(`{"offset":0,"timestamp":0}`), connector.Projection{})
	require.Equal(t, condition.CheckpointCorrupt, condition.Of(err))
}

func TestMicroBatchOptions(t *testing.T) {
	for want, src := range map[string]connectors.RateSource{
		"rowsPerBatch must be at least 1":          connectors.RateMicroBatch(0),
		"startTimestamp must be whole":             connectors.RateMicroBatch(1, connectors.StartTimestamp(time.Time{})),
		"advanceMillisPerBatch must be whole":      connectors.RateMicroBatch(1, connectors.AdvancePerBatch(-time.Second)),
		"from 0 to 2147483647":                     connectors.RateMicroBatch(1, connectors.Set("advanceMillisPerBatch", "2147483648")),
		"numPartitions must be at least 1":         connectors.RateMicroBatch(1, connectors.NumPartitions(0)),
		`has no option "advanceMillisPerMicro`:     connectors.RateMicroBatch(1, connectors.Set("advanceMillisPerMicroBatch", "1")),
		`has no option "rampUpTime"`:               connectors.RateMicroBatch(1, connectors.RampUp(time.Second)),
		"rampUpTime must be whole seconds":         connectors.Rate(1, connectors.RampUp(time.Millisecond)),
		"must be a whole number with one of the u": connectors.Rate(1, connectors.Set("rampUpTime", "soon")),
		"never made": {},
	} {
		_, err := src.Source()
		require.Equal(t, condition.InvalidOption, condition.Of(err), want)
		require.ErrorContains(t, err, want)
	}
	_, err := connectors.RateMicroBatch(1, connectors.Set("advancemillisperbatch", "1"), connectors.AdvancePerBatch(time.Millisecond)).Source()
	require.NoError(t, err, "the same value twice, in any letter case")
	d, err := connectors.RateMicroBatch(1, connectors.Raw("rowsPerBatch", "1")).Source()
	require.NoError(t, err)
	d.Options[len(d.Options)-1].Value = "none"
	_, err = connector.OpenSource(t.Context(), connector.Env{}, d)
	require.ErrorContains(t, err, "rowsPerBatch")
	require.False(t, strings.Contains(d.Options.String(), "***"))
}
