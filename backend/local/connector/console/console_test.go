package console

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/spoonbill-go/spoonbill/backend/arrowtype"
	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const ddl = "word STRING, count BIGINT"

// rows makes batches of so many rows each.
func rows(t *testing.T, sizes ...int) ([]datatype.Field, connector.Batches) {
	t.Helper()
	fields, err := datatype.ParseFields(ddl)
	require.NoError(t, err)
	schema, err := arrowtype.Schema(fields)
	require.NoError(t, err)
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	t.Cleanup(func() { mem.AssertSize(t, 0) })
	return fields, func(yield func(arrow.RecordBatch, error) bool) {
		n := 0
		for _, size := range sizes {
			texts := make([]string, size)
			for i := range texts {
				texts[i] = fmt.Sprintf(`{"word":"a word of more than twenty","count":%d}`, n)
				n++
			}
			rec, _, err := array.RecordFromJSON(mem, schema, strings.NewReader("["+strings.Join(texts, ",")+"]"))
			require.NoError(t, err)
			if !yield(rec, nil) {
				return
			}
		}
	}
}

func write(t *testing.T, env connector.Env, epoch int64, sizes []int, opts ...connectors.Option) string {
	t.Helper()
	d, err := connectors.ToConsole(opts...).Sink()
	require.NoError(t, err)
	var out strings.Builder
	env.Out = &out
	s, err := connector.OpenSink(t.Context(), env, d)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	fields, in := rows(t, sizes...)
	n, err := s.Write(t.Context(), epoch, tree.Append, fields, in)
	require.NoError(t, err)
	want := 0
	for _, size := range sizes {
		want += size
	}
	require.Equal(t, int64(want), n, "all rows count, shown or not")
	return out.String()
}

const heading = "-------------------------------------------\nBatch: 3\n-------------------------------------------\n"

func TestSink(t *testing.T) {
	stream := connector.Env{Streaming: true}
	require.Equal(t, heading+`+--------------------+-----+
|                word|count|
+--------------------+-----+
|a word of more th...|    0|
|a word of more th...|    1|
+--------------------+-----+

`, write(t, stream, 3, []int{1, 0, 1}))
	require.Equal(t, heading+`+----+-----+
|word|count|
+----+-----+
+----+-----+

`, write(t, stream, 3, nil))
	require.Equal(t, heading+`+--------------------------+-----+
|word                      |count|
+--------------------------+-----+
|a word of more than twenty|0    |
+--------------------------+-----+
only showing top 1 row
`, write(t, stream, 3, []int{1, 1, 5}, connectors.NumRows(1), connectors.Truncate(false)))
	require.Equal(t, `+--------------------+-----+
|                word|count|
+--------------------+-----+
|a word of more th...|    0|
+--------------------+-----+

`, write(t, connector.Env{}, 0, []int{1}), "a batch has no heading")
	twenty := write(t, stream, 3, []int{15, 15})
	require.Contains(t, twenty, "only showing top 20 rows\n")
	require.Equal(t, 20, strings.Count(twenty, "a word"))
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestFailures(t *testing.T) {
	for _, opt := range []connectors.Option{connectors.Set("truncate", "30"), connectors.Raw("numRows", "many")} {
		d, err := connectors.ToConsole(opt).Sink()
		require.NoError(t, err)
		_, err = connector.OpenSink(t.Context(), connector.Env{}, d)
		require.Equal(t, condition.InvalidOption, condition.Of(err))
	}
	d, err := connectors.ToConsole().Sink()
	require.NoError(t, err)
	for _, streaming := range []bool{true, false} {
		s, err := connector.OpenSink(t.Context(), connector.Env{Out: full{}, Streaming: streaming}, d)
		require.NoError(t, err)
		require.Equal(t, "org.apache.spark.sql.execution.streaming.ConsoleTable$", s.Description())
		fields, in := rows(t, 2)
		_, err = s.Write(t.Context(), 0, tree.Append, fields, in)
		require.Equal(t, condition.ConnectorFailed, condition.Of(err))
		require.ErrorIs(t, err, io.ErrShortWrite)
		broken := errors.New("the query failed")
		_, in = rows(t, 2)
		_, err = s.Write(t.Context(), 0, tree.Append, fields, func(yield func(arrow.RecordBatch, error) bool) {
			for rec := range in {
				yield(rec, nil)
			}
			yield(nil, broken)
		})
		require.ErrorIs(t, err, broken)
	}
}
