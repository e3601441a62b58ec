package local_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Rows that do not go into a Go struct are refused with the line that asked for them.
func TestPlaceOfDecoding(t *testing.T) {
	s := open(t)
	in := expr.MemtableRows("t", fields(t, "a STRING, n INT"), [][]any{{"x", nil}})
	type misfit struct{ A int }
	type null struct{ N int32 }
	_, schema := backend.Collect[misfit](ctx, s, in)
	_, row := backend.Collect[null](ctx, s, in)
	_, head := backend.Head[null](ctx, s, in, 1)
	_, one := backend.Collect[int](ctx, s, in)
	_, run := backend.Collect[int64](ctx, s, in.Select(in.Str("a").Cast(datatype.Long).As("b")))
	_, closed := backend.Collect[int](ctx, nil, in)
	for name, err := range map[string]error{"schema": schema, "row": row, "head": head, "columns": one, "run": run, "no session": closed} {
		require.Regexp(t, `^local/messages_test\.go:\d+: \[`, err.Error(), name)
	}
	r, err := s.Batches(ctx, in)
	require.NoError(t, err)
	for _, err := range backend.Decode[misfit](r) {
		require.ErrorContains(t, err, "local/messages_test.go:")
	}
}

// The end of a query tells its cause once, and the status tells it too.
func TestStreamFailedOnce(t *testing.T) {
	f, p := payments(t)
	f.add([]any{clock("12:00:00"), 0, 1.0})
	q, err := open(t).Start(ctx, p.Select(p.Num("payAmount").Div(p.Num("provinceId")).As("q")).WriteTo(newCollector()).Checkpoint(t.TempDir()).Trigger(expr.AvailableNow()))
	err = endOfQuery(t, q, err)
	require.Equal(t, 1, strings.Count(err.Error(), "DIVIDE_BY_ZERO"), err.Error())
	require.ErrorIs(t, err, &condition.Error{Condition: condition.DivideByZero})
	status, e := q.Status(ctx)
	require.NoError(t, e)
	require.Contains(t, status.Message, "DIVIDE_BY_ZERO")
}

// What differs between two queries and what to do about it are on lines of their own.
func TestCheckpointMismatchIsReadable(t *testing.T) {
	f, p := payments(t)
	f.add([]any{clock("12:00:00"), 1, 1.0})
	s, ckpt := open(t), t.TempDir()
	q, err := s.Start(ctx, perProvince(p).WriteTo(newCollector()).Checkpoint(ckpt).Trigger(expr.AvailableNow()))
	requireEnd(t, q, err)
	_, err = s.Start(ctx, p.WriteTo(newCollector()).Checkpoint(ckpt))
	require.Error(t, err)
	lines := strings.Split(err.Error(), "\n")
	require.Regexp(t, `belongs to another query:$`, lines[0])
	for _, l := range lines[1 : len(lines)-1] {
		require.Regexp(t, `^[-+ ] `, l)
	}
	require.Regexp(t, `^ ?Filters, projections`, lines[len(lines)-1])
}

// A codec that is made by hand has no field twice, as Spark resolves names.
func TestCodecWithAFieldTwice(t *testing.T) {
	for name, err := range map[string]error{
		"source": expr.Read("t", connectors.FromKafka("h:1", "t", connectors.JSONOf("a INT, A STRING"))).Err(),
		"sink":   expr.MemtableRows("t", fields(t, "a INT"), [][]any{{1}}).WriteTo(connectors.ToKafka("h:1", "t", connectors.JSONOf("a INT, a INT"))).Err(),
	} {
		require.Error(t, err, name)
		require.Equal(t, condition.ColumnAlreadyExists, condition.Of(err), name)
		require.ErrorContains(t, err, "messages_test.go:", name)
	}
}

func fields(t *testing.T, ddl string) []datatype.Field {
	t.Helper()
	f, err := datatype.ParseFields(ddl)
	require.NoError(t, err)
	return f
}
