package rate

import (
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestRampUp has the example of Spark's own comment: 10 rows a second after 4 seconds.
func TestRampUp(t *testing.T) {
	s := &source{perSec: 10, rampUp: 4}
	for sec, want := range []int64{0, 2, 6, 12, 20, 30, 40} {
		require.Equal(t, want, s.valueAt(int64(sec)))
	}
	s = &source{perSec: 3}
	for sec, want := range []int64{0, 3, 6, 9} {
		require.Equal(t, want, s.valueAt(int64(sec)))
	}
}

func TestRows(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_000)
	fs := vfs.NewMem()
	env := connector.Env{Streaming: true, FS: fs, Now: func() time.Time { return now }, BatchRows: 4}
	desc, err := connectors.Rate(5).Source()
	require.NoError(t, err)
	open := func() connector.Logged {
		s, err := connector.OpenSource(t.Context(), env, desc)
		require.NoError(t, err)
		l := s.(connector.Logged)
		require.NoError(t, l.UseLog(env.FS, "/c/sources/0"))
		return l
	}
	s := open()
	at, err := s.Initial(t.Context())
	require.NoError(t, err)
	end, err := s.Latest(t.Context(), at, false)
	require.NoError(t, err)
	require.Equal(t, string(at), string(end))
	now = now.Add(2500 * time.Millisecond)
	end, err = s.Latest(t.Context(), at, false)
	require.NoError(t, err)
	require.Equal(t, "2", string(end))
	read := func(s connector.Source) (stamps, values []int64) {
		b, err := s.Read(t.Context(), at, end, connector.Projection{})
		require.NoError(t, err)
		for r, err := range b {
			require.NoError(t, err)
			for i := range int(r.NumRows()) {
				stamps = append(stamps, int64(r.Column(0).(*array.Timestamp).Value(i))/1000-1_700_000_000_000)
				values = append(values, r.Column(1).(*array.Int64).Value(i))
			}
			r.Release()
		}
		return stamps, values
	}
	stamps, values := read(s)
	require.Equal(t, []int64{0, 200, 400, 600, 800, 1000, 1200, 1400, 1600, 1800}, stamps)
	require.Equal(t, []int64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, values)

	// After a restart the same range has the same rows, whatever the clock says.
	now = now.Add(time.Hour)
	again, more := read(open())
	require.Equal(t, stamps, again)
	require.Equal(t, values, more)
	for _, o := range []connectors.Option{connectors.Raw("rowsPerSecond", "0"), connectors.Raw("rampUpTime", "soon"), connectors.Raw("numPartitions", "-1")} {
		desc, err := connectors.Rate(1, o).Source()
		if err == nil {
			_, err = connector.OpenSource(t.Context(), env, desc)
		}
		require.Equal(t, condition.InvalidOption, condition.Of(err), "%s", o)
	}
}
