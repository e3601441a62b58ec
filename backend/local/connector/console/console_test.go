package console

import (
	"bytes"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/backend/local/format/json"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConsole(t *testing.T) {
	fields, err := datatype.ParseFields("id INT, name STRING")
	require.NoError(t, err)
	d, err := json.NewDecoder(fields, json.Options{}, nil)
	require.NoError(t, err)
	rows := func(lines string) connector.Batches {
		require.NoError(t, d.Lines([]byte(lines)))
		b, err := d.Batch()
		require.NoError(t, err)
		return func(yield func(arrow.RecordBatch, error) bool) { yield(b, nil) }
	}
	var out bytes.Buffer
	desc, err := connectors.ToConsole(connectors.NumRows(2)).Sink()
	require.NoError(t, err)
	s, err := connector.OpenSink(t.Context(), connector.Env{Streaming: true, Out: &out}, desc)
	require.NoError(t, err)
	n, err := s.Write(t.Context(), 7, tree.Append, fields, rows("{\"id\":1,\"name\":\"a name of more than twenty\"}\n{\"id\":2}\n{\"id\":3}"))
	require.NoError(t, err)
	require.EqualValues(t, 3, n)
	require.Equal(t, `-------------------------------------------
Batch: 7
-------------------------------------------
+---+--------------------+
| id|                name|
+---+--------------------+
|  1|a name of more th...|
|  2|                NULL|
+---+--------------------+
only showing top 2 rows
`, out.String())

	out.Reset()
	desc, err = connectors.ToConsole(connectors.Truncate(false)).Sink()
	require.NoError(t, err)
	s, err = connector.OpenSink(t.Context(), connector.Env{Out: &out}, desc)
	require.NoError(t, err)
	_, err = s.Write(t.Context(), 0, tree.Append, fields, rows(`{"id":1,"name":"a name of more than twenty"}`))
	require.NoError(t, err)
	require.Equal(t, `+---+--------------------------+
|id |name                      |
+---+--------------------------+
|1  |a name of more than twenty|
+---+--------------------------+

`, out.String())

	_, err = connector.OpenSink(t.Context(), connector.Env{}, &tree.Sink{Format: "console", Options: tree.Options{{Key: "numRows", Value: "x"}}})
	require.Equal(t, condition.InvalidOption, condition.Of(err))
}
