package noop

import (
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestSink(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	d, err := connectors.Noop().Sink()
	require.NoError(t, err)
	s, err := connector.OpenSink(t.Context(), connector.Env{}, d)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	require.Contains(t, s.Description(), "NoopTable")
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int32}}, nil)
	broken := errors.New("the query failed")
	rows := func(last error) connector.Batches {
		return func(yield func(arrow.RecordBatch, error) bool) {
			for range 3 {
				rec, _, err := array.RecordFromJSON(mem, schema, strings.NewReader(`[{"a":1},{"a":2}]`))
				if !yield(rec, err) {
					return
				}
			}
			if last != nil {
				yield(nil, last)
			}
		}
	}
	n, err := s.Write(t.Context(), 0, tree.Append, nil, rows(nil))
	require.NoError(t, err)
	require.Equal(t, int64(6), n)
	_, err = s.Write(t.Context(), 1, tree.Append, nil, rows(broken))
	require.ErrorIs(t, err, broken)
}
