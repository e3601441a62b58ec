package observe_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/observe"
	"github.com/spoonbill-go/spoonbill/window"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ctx = context.Background()

type event struct {
	At time.Time
	K  string
}

func open(t *testing.T) *local.Session {
	t.Helper()
	s, err := local.Open()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func watch(t *testing.T, s backend.Session, o observe.Options) *observe.Monitor {
	t.Helper()
	m := observe.NewMonitor(o)
	t.Cleanup(m.Close)
	require.NoError(t, m.Watch(ctx, "here", s))
	return m
}

// windows counts events in windows of ten seconds.
func windows(in *connectors.MemoryStream) expr.Write {
	t := expr.Read("events", in).Watermark("At", 0*time.Second)
	return t.GroupBy(window.Tumbling(t.Timestamp("At"), 10*time.Second)).Agg(expr.Count().As("n")).WriteTo(connectors.NewMemorySink()).Name("windows")
}

func second(n int) time.Time { return time.Date(2024, 5, 1, 12, 0, n, 0, time.UTC) }

func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	require.Eventually(t, f, 10*time.Second, 5*time.Millisecond, what)
}

func TestMonitor(t *testing.T) {
	s := open(t)
	m := watch(t, s, observe.Options{})
	in := connectors.NewMemoryStream[event]()
	q, err := s.Start(ctx, windows(in))
	require.NoError(t, err)
	require.NoError(t, in.Add(event{second(1), "a"}, event{second(25), "b"}))
	require.NoError(t, q.ProcessAllAvailable(ctx))
	require.NoError(t, in.Add(event{second(2), "late"}, event{second(26), "c"}))
	require.NoError(t, q.ProcessAllAvailable(ctx))
	// The watermark moves with the epoch behind the one that read the row.
	eventually(t, "the late row and the watermark", func() bool {
		got, history, ok := m.Query(q.RunID())
		return ok && got.LateRows == 1 && history[len(history)-1].Watermark.Equal(second(26))
	})
	got, history, _ := m.Query(q.RunID())
	require.Equal(t, "here", got.Session)
	require.Equal(t, q.ID(), got.ID)
	require.Equal(t, "windows", got.Name)
	require.EqualValues(t, 4, got.InputRows)
	require.False(t, got.Started.IsZero())
	require.True(t, got.Active())
	require.EqualValues(t, 1, history[len(history)-1].StateRows)
	require.NotContains(t, history[0].Phases, "triggerExecution")
}

func TestMonitorTakesUpWhatRuns(t *testing.T) {
	s := open(t)
	in := connectors.NewMemoryStream[event]()
	q, err := s.Start(ctx, windows(in))
	require.NoError(t, err)
	for i := range 3 {
		require.NoError(t, in.Add(event{second(10 * i), "a"}))
		require.NoError(t, q.ProcessAllAvailable(ctx))
	}
	m := watch(t, s, observe.Options{History: 4})
	got, history, ok := m.Query(q.RunID())
	require.True(t, ok)
	require.EqualValues(t, 3, got.InputRows)
	require.NotEmpty(t, history)
	require.Equal(t, history[0].Time, got.Started)
	// What comes now joins it, once, and the oldest go.
	for i := range 4 {
		require.NoError(t, in.Add(event{second(100 + 10*i), "a"}))
		require.NoError(t, q.ProcessAllAvailable(ctx))
	}
	eventually(t, "all rows", func() bool { got, _, _ = m.Query(q.RunID()); return got.InputRows == 7 })
	_, history, _ = m.Query(q.RunID())
	require.Len(t, history, 4)
	for i := 1; i < len(history); i++ {
		require.Greater(t, history[i].BatchID, history[i-1].BatchID)
	}
}

func TestMonitorOfFailures(t *testing.T) {
	s := open(t)
	var text syncBuffer
	m := watch(t, s, observe.Options{Ended: 2, Logger: slog.New(slog.NewJSONHandler(&text, nil))})
	require.True(t, m.Health().OK)
	in := connectors.NewMemoryStream[event]()
	var broken atomic.Bool
	start := func() backend.Query {
		q, err := s.Start(ctx, expr.Read("events", in).WriteTo(connectors.ForeachBatch(func(context.Context, expr.Table, int64) error {
			if broken.Load() {
				return errors.New("the shop is closed")
			}
			return nil
		})).Checkpoint(t.TempDir()).Name("orders"))
		require.NoError(t, err)
		return q
	}
	broken.Store(true)
	q := start()
	require.NoError(t, in.Add(event{second(1), "a"}))
	require.Error(t, q.AwaitTermination(ctx))
	eventually(t, "the failure", func() bool { return !m.Health().OK })
	require.Contains(t, m.Health().Problems[0], "Query orders failed")
	require.Contains(t, m.Health().Problems[0], "the shop is closed")
	got, _, _ := m.Query(q.RunID())
	require.Contains(t, got.Exception, "the shop is closed")
	require.Equal(t, condition.ForeachBatchFailed, got.ErrorClass)
	require.False(t, got.Active())
	// The handle is gone.
	require.Equal(t, condition.Closed, condition.Of(m.Stop(ctx, q.RunID())))
	require.Equal(t, condition.InvalidValue, condition.Of(m.Stop(ctx, "no such run")))
	// The log says so, as JSON, once the monitor has taken the event in.
	eventually(t, "the line of the failure", func() bool { return strings.Contains(text.String(), "streaming query failed") })
	var failed bool
	for line := range strings.SplitSeq(strings.TrimSpace(text.String()), "\n") {
		var v map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &v), line)
		if v["msg"] == "streaming query failed" {
			failed = true
			require.Equal(t, "ERROR", v["level"])
			require.Equal(t, "orders", v["query"])
			require.Equal(t, q.RunID(), v["run_id"])
		}
	}
	require.True(t, failed, text.String())

	// Of the queries that have ended the latest are kept.
	broken.Store(false)
	for range 3 {
		q = start()
		require.NoError(t, m.Stop(ctx, q.RunID()), "by the monitor")
	}
	eventually(t, "three ends", func() bool { return len(m.Queries()) == 2 })
}

func TestMonitorOfLints(t *testing.T) {
	s := open(t)
	m := watch(t, s, observe.Options{})
	in := connectors.NewMemoryStream[event]()
	table := expr.Read("events", in)
	q, err := s.Start(ctx, table.GroupBy("K").Agg(expr.Count().As("n")).WriteTo(connectors.NewMemorySink()).OutputMode(expr.Update).Name("grows"))
	require.NoError(t, err)
	eventually(t, "the start", func() bool { got, _, ok := m.Query(q.RunID()); return ok && !got.Started.IsZero() })
	got, _, _ := m.Query(q.RunID())
	var codes []string
	for _, l := range got.Lints {
		codes = append(codes, l.Code)
	}
	require.Contains(t, codes, "SB101")
	// The plan, with what the next epoch did.
	done := make(chan backend.Explanation, 1)
	failed := make(chan error, 1)
	go func() {
		e, err := m.Explain(ctx, q.RunID(), 5*time.Second)
		done <- e
		failed <- err
	}()
	for {
		require.NoError(t, in.Add(event{second(1), "a"}))
		select {
		case e := <-done:
			require.NoError(t, <-failed)
			require.Contains(t, e.String(), "rows: ")
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func TestMonitorOfSessions(t *testing.T) {
	s := open(t)
	m := watch(t, s, observe.Options{})
	require.ErrorContains(t, m.Watch(ctx, "here", s), "already")
	require.ErrorContains(t, m.Watch(ctx, "none", nil), "nil")
	require.ErrorContains(t, m.Watch(nil, "none", s), "context") //nolint:staticcheck // a mistake of users
	closed, err := local.Open()
	require.NoError(t, err)
	require.NoError(t, m.Watch(ctx, "short", closed))
	require.NoError(t, closed.Close())
	eventually(t, "the loss", func() bool { return !m.Health().OK })
	require.Contains(t, m.Health().Problems[0], "Session short")
	require.Error(t, m.Watch(ctx, "dead", closed))
	// A session that was lost makes room for the next one of its name.
	require.NoError(t, m.Watch(ctx, "short", open(t)))
	require.True(t, m.Health().OK, m.Health().Problems)
	m.Close()
	m.Close()
	require.Equal(t, condition.Closed, condition.Of(m.Watch(ctx, "later", s)))
	require.False(t, m.Health().OK)
	var none *observe.Monitor
	require.Empty(t, none.Queries())
	require.False(t, none.Health().OK)
	require.Error(t, none.Watch(ctx, "x", s))
	none.Close()
}

func TestBehind(t *testing.T) {
	raw := func(text string) json.RawMessage { return json.RawMessage(text) }
	for _, c := range []struct {
		name string
		p    backend.SourceProgress
		n    int64
		ok   bool
	}{
		{"Kafka", backend.SourceProgress{EndOffset: raw(`{"t":{"0":5,"1":7}}`), LatestOffset: raw(`{"t":{"0":9,"1":7},"u":{"0":2}}`)}, 6, true},
		{"Kafka, ahead of what was asked", backend.SourceProgress{EndOffset: raw(`{"t":{"0":5}}`), LatestOffset: raw(`{"t":{"0":3}}`)}, 0, true},
		{"files", backend.SourceProgress{EndOffset: raw(`{"logOffset":4}`), LatestOffset: raw(`null`), Metrics: map[string]string{"numFilesOutstanding": "12"}}, 12, true},
		{"rows of a program", backend.SourceProgress{EndOffset: raw(`4`), LatestOffset: raw(`4`)}, 0, false},
		{"nothing", backend.SourceProgress{}, 0, false},
	} {
		n, ok := observe.Behind(c.p)
		require.Equal(t, c.ok, ok, c.name)
		require.Equal(t, c.n, n, c.name)
	}
}

// syncBuffer is a buffer that the listener writes and the test reads.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
