//go:build conformance

package observe_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/sparkconnect"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/internal/testenv"
	"github.com/spoonbill-go/spoonbill/observe"
	"github.com/spoonbill-go/spoonbill/window"
)

// What is seen of queries of the local engine is seen of Spark's.
func TestMonitorOfSpark(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	env, err := testenv.Start(ctx, testenv.WithoutKafka())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, env.Close()) })
	s, err := sparkconnect.Connect(ctx, env.Spark.Remote)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	dir := env.Dir(t)
	require.NoError(t, os.Mkdir(dir+"/in", 0o777))
	require.NoError(t, os.Chmod(dir+"/in", 0o777))
	add := func(name, text string) { require.NoError(t, os.WriteFile(dir+"/in/"+name, []byte(text), 0o666)) }
	add("a.json", `{"at":"2024-05-01T12:00:01Z"}`+"\n"+`{"at":"2024-05-01T12:00:25Z"}`+"\n")

	m := watch(t, s, observe.Options{})
	in := expr.Read("events", connectors.FromJSON(dir+"/in", connectors.RowsDDL("at TIMESTAMP")))
	w := in.Watermark("at", 0*time.Second)
	q, err := s.Start(ctx, w.GroupBy(window.Tumbling(w.Timestamp("at"), 10*time.Second)).Agg(expr.Count().As("n")).
		WriteTo(connectors.Noop()).OutputMode(expr.Update).Name("windows").Checkpoint(dir+"/ck"))
	require.NoError(t, err)
	require.NoError(t, q.ProcessAllAvailable(ctx))
	add("b.json", `{"at":"2024-05-01T12:00:02Z"}`+"\n"+`{"at":"2024-05-01T12:00:26Z"}`+"\n")
	long := func(what string, f func() bool) {
		t.Helper()
		require.Eventually(t, f, 90*time.Second, 50*time.Millisecond, what)
	}
	var got observe.Query
	long("a late row", func() bool { got, _, _ = m.Query(q.RunID()); return got.LateRows == 1 })
	require.EqualValues(t, 4, got.InputRows)
	require.Equal(t, "windows", got.Name)
	require.False(t, got.Started.IsZero())
	require.True(t, m.Health().OK)
	e, err := m.Explain(ctx, q.RunID(), 0)
	require.NoError(t, err)
	require.Contains(t, e.String(), "StateStoreSave")
	status, err := m.Status(ctx, q.RunID())
	require.NoError(t, err)
	require.NotEmpty(t, status.Message)
	require.NoError(t, m.Stop(ctx, q.RunID()))
	long("its end", func() bool { got, _, _ = m.Query(q.RunID()); return !got.Active() })
	require.Empty(t, got.Exception)

	// A failure, and what the plan of a query was warned of.
	grows := expr.Read("events", connectors.FromJSON(dir+"/in", connectors.RowsDDL("at TIMESTAMP")))
	broken, err := s.Start(ctx, grows.GroupBy(grows.Timestamp("at").Minute().As("minute")).Agg(expr.Count().Div(expr.Count().Sub(expr.Count())).As("n")).
		WriteTo(connectors.Noop()).OutputMode(expr.Update).Checkpoint(dir+"/ck2").Name("grows"))
	require.NoError(t, err)
	require.Error(t, broken.AwaitTermination(ctx))
	long("the failure", func() bool { got, _, _ = m.Query(broken.RunID()); return got.Exception != "" })
	require.Contains(t, got.Exception, "DIVIDE_BY_ZERO")
	require.Equal(t, "SB101", got.Lints[0].Code)
	require.False(t, m.Health().OK)
}
