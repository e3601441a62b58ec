//go:build conformance

package conformance

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/sparkconnect"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// The state of Spark's checkpoints is a table: of an aggregation behind each of its batches, of both sides of a join, and which operators there are.
func TestSparkState(t *testing.T) {
	ctx, s := t.Context(), connect(t)
	dir := env.Dir(t)
	require.NoError(t, os.Mkdir(dir+"/in", 0o755))
	early := time.Now().Add(-time.Minute)
	for i, text := range []string{`{"k":"a","v":1}` + "\n" + `{"k":"b","v":2}`, `{"k":"a","v":3}`} {
		path := dir + "/in/" + string(rune('0'+i)) + ".json"
		require.NoError(t, os.WriteFile(path, []byte(text+"\n"), 0o644))
		require.NoError(t, os.Chtimes(path, early.Add(time.Duration(i)*time.Second), early.Add(time.Duration(i)*time.Second)))
	}
	read := func(name string) expr.Table {
		return expr.Read(name, connectors.FromJSON(dir+"/in", connectors.RowsDDL("k STRING, v BIGINT"), connectors.MaxFilesPerTrigger(1)))
	}
	run := func(w expr.Write, checkpoint string) {
		q, err := s.Start(ctx, w.Checkpoint(checkpoint).Trigger(expr.AvailableNow()))
		require.NoError(t, err)
		require.NoError(t, q.AwaitTermination(ctx))
	}
	in := read("in")
	run(in.GroupBy("k").Agg(expr.Count().As("n"), in.Num("v").Max().As("v")).WriteTo(connectors.Noop()).OutputMode(expr.Update), dir+"/counts")
	l, r := read("l"), read("r")
	run(l.Join(r, l.Str("k").Eq(r.Str("k")), l.Num("v").Lt(r.Num("v"))).Select(l.Str("k"), r.Num("v").As("w")).WriteTo(connectors.Noop()), dir+"/pairs")

	type counts struct {
		K    string
		N, V int64
	}
	at := func(opts ...connectors.Option) []counts {
		state, err := backend.ReadState(ctx, s, "state", connectors.FromState(dir+"/counts", opts...))
		require.NoError(t, err)
		key, value := state.Struct("key"), state.Struct("value")
		rows, err := backend.Collect[counts](ctx, s, state.Select(key.Field("k").As("k"), value.Field("count").As("n"), value.Field("max").As("v")).OrderBy("k"))
		require.NoError(t, err)
		return rows
	}
	require.Equal(t, []counts{{"a", 2, 3}, {"b", 1, 2}}, at())
	require.Equal(t, []counts{{"a", 1, 1}, {"b", 1, 2}}, at(connectors.StateBatch(0), connectors.StateOperator(0)))

	type side struct {
		K string
		V int64
	}
	for _, name := range []string{"left", "right"} {
		state, err := backend.ReadState(ctx, s, name, connectors.FromState(dir+"/pairs", connectors.JoinSide(name)))
		require.NoError(t, err)
		rows, err := backend.Collect[side](ctx, s, state.Select(state.Struct("value").Field("k").As("k"), state.Struct("value").Field("v").As("v")).OrderBy("v"))
		require.NoError(t, err)
		require.Equal(t, []side{{"a", 1}, {"b", 2}, {"a", 3}}, rows, name)
	}

	operators, err := backend.ReadState(ctx, s, "operators", connectors.FromStateMetadata(dir+"/pairs"))
	require.NoError(t, err)
	type operator struct {
		OperatorName   string
		StateStoreName string
	}
	found, err := backend.Collect[operator](ctx, s, operators.Select("operatorName", "stateStoreName").OrderBy("stateStoreName"))
	require.NoError(t, err)
	require.Len(t, found, 4)
	require.Equal(t, operator{"symmetricHashJoin", "left-keyToNumValues"}, found[0])

	// What is not there is Spark's error.
	for _, c := range []connectors.StateSource{connectors.FromState(dir + "/none"), connectors.FromState(dir+"/counts", connectors.StateBatch(77)), connectors.FromState(dir+"/counts", connectors.JoinSide("left"))} {
		state, err := backend.ReadState(ctx, s, "state", c)
		if err == nil {
			_, err = backend.Count(ctx, s, state)
		}
		require.Error(t, err)
		require.True(t, strings.HasPrefix(condition.Of(err), "STDS_"), "%v", err)
	}
	var none *sparkconnect.Session
	_, err = backend.ReadState(ctx, none, "state", connectors.FromState("x"))
	require.Error(t, err)
}
