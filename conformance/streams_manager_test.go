package conformance

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// The local engine's manager of streaming queries does what the test asks of Spark's too.
func TestLocalStreamsManager(t *testing.T) {
	s, err := local.Open()
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	manageStreams(t, s, t.TempDir())
}

// heard are the events that a listener was told.
type heard struct {
	mu   sync.Mutex
	list []backend.Event
}

func (h *heard) see(e backend.Event) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list = append(h.list, e)
	return nil
}

// of gives the kinds of a run's events.
func (h *heard) of(runID string) []backend.EventKind {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []backend.EventKind
	for _, e := range h.list {
		if e.RunID == runID {
			out = append(out, e.Kind)
		}
	}
	return out
}

func (h *heard) last(runID string) (e backend.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, x := range h.list {
		if x.RunID == runID {
			e = x
		}
	}
	return e
}

// manageStreams asks a session's manager of streaming queries for everything that it has.
func manageStreams(t *testing.T, s backend.Session, folder string) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	in := filepath.Join(folder, "in")
	require.NoError(t, os.Mkdir(in, 0o777))
	require.NoError(t, os.Chmod(in, 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(in, "a.json"), []byte("{\"id\":1}\n{\"id\":2}\n"), 0o666))
	rows := expr.Read("in", connectors.FromJSON(in, connectors.RowsDDL("id INT")))
	m := s.Streams()

	var listeners sync.WaitGroup
	defer listeners.Wait()
	listening, end := context.WithCancel(ctx)
	defer end()
	var one, two heard
	for _, h := range []*heard{&one, &two} {
		ready := make(chan struct{})
		listeners.Go(func() {
			if err := m.Listen(listening, func() { close(ready) }, h.see); !errors.Is(err, context.Canceled) {
				t.Errorf("the listener ended with %v", err)
			}
		})
		<-ready
	}
	enough := errors.New("enough")
	listeners.Go(func() {
		if err := m.Listen(listening, nil, func(backend.Event) error { return enough }); !errors.Is(err, enough) && !errors.Is(err, context.Canceled) {
			t.Errorf("the third listener ended with %v", err)
		}
	})
	require.Equal(t, condition.InvalidValue, condition.Of(m.Listen(ctx, nil, nil)))

	q, err := s.Start(ctx, rows.WriteTo(connectors.Noop()).Name("watched"))
	require.NoError(t, err)
	require.NoError(t, q.ProcessAllAvailable(ctx))
	active, err := m.Active(ctx)
	require.NoError(t, err)
	require.Len(t, active, 1)
	require.Equal(t, []string{q.ID(), q.RunID(), "watched"}, []string{active[0].ID(), active[0].RunID(), active[0].Name()})
	found, err := m.Query(ctx, q.ID())
	require.NoError(t, err)
	require.Equal(t, q.RunID(), found.RunID())
	none, err := m.Query(ctx, "00000000-0000-0000-0000-000000000000")
	require.NoError(t, err)
	require.Nil(t, none)

	// No query has ended yet.
	short, stop := context.WithTimeout(ctx, 300*time.Millisecond)
	require.ErrorIs(t, m.AwaitAny(short), context.DeadlineExceeded)
	stop()
	require.NoError(t, q.Stop(ctx))
	require.NoError(t, m.AwaitAny(ctx))
	require.NoError(t, m.AwaitAny(ctx), "as long as nobody resets")
	active, err = m.Active(ctx)
	require.NoError(t, err)
	require.Empty(t, active)
	gone, err := m.Query(ctx, q.ID())
	require.NoError(t, err)
	require.Nil(t, gone)

	for _, h := range []*heard{&one, &two} {
		require.Eventually(t, func() bool { return h.last(q.RunID()).Kind == backend.Terminated }, 30*time.Second, 20*time.Millisecond)
		require.Equal(t, []backend.EventKind{backend.Started, backend.Progressed, backend.Terminated}, slices.Compact(h.of(q.RunID())))
		h.mu.Lock()
		first, second := h.list[0], h.list[1]
		h.mu.Unlock()
		require.Equal(t, []string{q.ID(), "watched"}, []string{first.ID, first.Name})
		_, err := time.Parse(time.RFC3339, first.Timestamp)
		require.NoError(t, err)
		require.EqualValues(t, 2, second.Progress.NumInputRows)
		last := h.last(q.RunID())
		require.Equal(t, []string{q.ID(), "", ""}, []string{last.ID, last.Exception, last.ErrorClass})
	}

	// A failure is told by the event, and by AwaitAny until it is forgotten.
	bad, err := s.Start(ctx, rows.Mutate(rows.Num("id").Div(0).As("x")).WriteTo(connectors.Noop()))
	require.NoError(t, err)
	require.Equal(t, condition.StreamFailed, condition.Of(bad.AwaitTermination(ctx)))
	for range 2 {
		require.Equal(t, condition.StreamFailed, condition.Of(m.AwaitAny(ctx)))
	}
	require.Eventually(t, func() bool { return one.last(bad.RunID()).Kind == backend.Terminated }, 30*time.Second, 20*time.Millisecond)
	last := one.last(bad.RunID())
	require.Equal(t, condition.DivideByZero, last.ErrorClass)
	require.Contains(t, last.Exception, condition.DivideByZero)
	require.NoError(t, m.ResetTerminated(ctx))
	short, stop = context.WithTimeout(ctx, 300*time.Millisecond)
	defer stop()
	require.ErrorIs(t, m.AwaitAny(short), context.DeadlineExceeded)

	// Whoever waits is told of the next end.
	waited := make(chan error, 1)
	listeners.Go(func() { waited <- m.AwaitAny(ctx) })
	done, err := s.Start(ctx, rows.WriteTo(connectors.Noop()).Trigger(expr.AvailableNow()))
	require.NoError(t, err)
	require.NoError(t, done.AwaitTermination(ctx))
	require.NoError(t, <-waited)
	require.Eventually(t, func() bool { return two.last(done.RunID()).Kind == backend.Terminated }, 30*time.Second, 20*time.Millisecond)
	require.Equal(t, backend.Started, two.of(done.RunID())[0])
}
