package memory

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type inner struct {
	X *int32
	Y []string
}

type row struct {
	ID     int64  `spoonbill:"id"`
	Amount string `spoonbill:"amount,decimal(12,2)"`
	At     time.Time
	D      time.Duration
	In     *inner
	M      map[string]float64
	B      []byte
}

func rows() []any {
	x := int32(5)
	return []any{
		row{1, "12.30", time.UnixMicro(1_700_000_000_123_456), time.Second, &inner{&x, []string{"a", "b"}}, map[string]float64{"k": 1.5}, []byte("q")},
		row{ID: 2, Amount: "-1", At: time.UnixMicro(0)}, row{ID: 3, Amount: "7", At: time.UnixMicro(-1)},
	}
}

// TestThroughSourceAndSink carries every kind of value from a stream into a sink, in one epoch and in several.
func TestThroughSourceAndSink(t *testing.T) {
	in := connectors.NewMemoryStream[row]()
	require.NoError(t, in.Add(rows()...))
	desc, err := in.Source()
	require.NoError(t, err)
	out := connectors.NewMemorySink()
	to, err := out.Sink()
	require.NoError(t, err)
	env := connector.Env{Streaming: true, BatchRows: 2}
	src, err := connector.OpenSource(t.Context(), env, desc)
	require.NoError(t, err)
	sink, err := connector.OpenSink(t.Context(), env, to)
	require.NoError(t, err)
	at, err := src.Initial(t.Context())
	require.NoError(t, err)
	epoch := int64(0)
	step := func(mode tree.OutputMode) int64 {
		end, err := src.Latest(t.Context(), at, false)
		require.NoError(t, err)
		b, err := src.Read(t.Context(), at, end, connector.Projection{})
		require.NoError(t, err)
		n, err := sink.Write(t.Context(), epoch, mode, desc.Fields, b)
		require.NoError(t, err)
		at = end
		epoch++
		return n
	}
	require.EqualValues(t, 3, step(tree.Append))
	require.Equal(t, in.Rows(0, 3), out.Rows())
	require.NoError(t, in.Add(rows()[0]))
	require.EqualValues(t, 1, step(tree.Append))
	require.Equal(t, in.Rows(0, 4), out.Rows())
	require.Equal(t, "4", string(at))

	// An epoch that is written again replaces what it wrote; complete mode replaces all.
	again, err := src.Read(t.Context(), connector.Offset("3"), at, connector.Projection{})
	require.NoError(t, err)
	_, err = sink.Write(t.Context(), 1, tree.Append, desc.Fields, again)
	require.NoError(t, err)
	require.Len(t, out.Rows(), 4)
	again, err = src.Read(t.Context(), connector.Offset("3"), at, connector.Projection{})
	require.NoError(t, err)
	_, err = sink.Write(t.Context(), 2, tree.Complete, desc.Fields, again)
	require.NoError(t, err)
	require.Len(t, out.Rows(), 1)

	// What is not read is null.
	p, err := src.Read(t.Context(), connector.Offset("0"), at, connector.Projection{Columns: []int{1}})
	require.NoError(t, err)
	for b, err := range p {
		require.NoError(t, err)
		require.EqualValues(t, b.NumRows(), b.Column(0).NullN())
		require.Zero(t, b.Column(1).NullN())
		b.Release()
	}

	_, err = src.Read(t.Context(), at, connector.Offset("99"), connector.Projection{})
	require.Equal(t, condition.ConnectorFailed, condition.Of(err))
	require.NoError(t, src.(connector.AvailableNow).PrepareAvailableNow(t.Context()))
	require.NoError(t, in.Add(rows()[0]))
	end, err := src.Latest(t.Context(), at, false)
	require.NoError(t, err)
	require.Equal(t, string(at), string(end))
}

func TestWithoutRows(t *testing.T) {
	_, err := connector.OpenSource(t.Context(), connector.Env{}, &tree.Source{Format: "memory"})
	require.Equal(t, condition.InvalidValue, condition.Of(err))
	_, err = connector.OpenSink(t.Context(), connector.Env{}, &tree.Sink{Format: "memory"})
	require.Equal(t, condition.Unsupported, condition.Of(err))
}
