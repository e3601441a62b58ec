// Package observe follows the streaming queries of sessions, on either backend: their reports, their failures, what their plans are warned of. Package observe/dashboard shows a
// [Monitor] as a page, package observe/metrics gives it to Prometheus.
package observe

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/internal/absent"
)

// Options are what a [Monitor] keeps. The zero value keeps what the fields say.
type Options struct {
	// History is how many reports of a query are kept; 0 keeps 600.
	History int
	// Ended is how many queries that have ended are kept, the latest; 0 keeps 50.
	Ended int
	// Logger is told each event if it is not nil: starts and ends at level info, failures at level error, reports and idle times at level debug.
	Logger *slog.Logger
}

// Monitor knows the streaming queries of the sessions that it watches. It is safe for concurrent use.
type Monitor struct {
	o      Options
	ctx    context.Context
	cancel context.CancelFunc
	wait   sync.WaitGroup

	mu     sync.Mutex
	closed bool
	// sessions are those watched, by their names.
	sessions map[string]*watched
	// runs are the queries by their run ids.
	runs map[string]*run
}

type watched struct {
	session backend.Session
	// stop ends the listening.
	stop context.CancelFunc
	// failure is why the session is not listened to any more; nil while it is.
	failure error
}

// run is what is known of one start of a query.
type run struct {
	q      Query
	points []Point
}

// NewMonitor makes a monitor that watches nothing yet. Close it.
func NewMonitor(o Options) *Monitor {
	o.History, o.Ended = cmp.Or(max(o.History, 0), 600), cmp.Or(max(o.Ended, 0), 50)
	ctx, cancel := context.WithCancel(context.Background())
	return &Monitor{o: o, ctx: ctx, cancel: cancel, sessions: map[string]*watched{}, runs: map[string]*run{}}
}

// Watch begins to follow the queries of a session under a name, which no other session of the monitor may have but one that is not followed any more: its place is taken. Queries that run already are taken up with the reports that the session keeps of
// them; what their plans are warned of is known only of those that start later. The context bounds the call; following ends with [Monitor.Close], or when the session ends, which [Monitor.Health]
// tells.
func (m *Monitor) Watch(ctx context.Context, name string, s backend.Session) error {
	at := condition.Here(1)
	if absent.Is(ctx) {
		return condition.At(absent.Context(ctx), at)
	}
	refuse := func(format string, args ...any) error {
		e := condition.Newf(condition.InvalidValue, format, args...)
		e.Pos = at
		return e
	}
	if m == nil || absent.Is(s) {
		return refuse("The monitor or the session is nil.")
	}
	listening, stop := context.WithCancel(m.ctx)
	w := &watched{session: s, stop: stop}
	m.mu.Lock()
	before, twice := m.sessions[name]
	twice = twice && before.failure == nil
	closed := m.closed
	if !twice && !closed {
		m.sessions[name] = w
		m.wait.Add(1)
	}
	m.mu.Unlock()
	if closed || twice {
		stop()
	}
	switch {
	case closed:
		e := condition.Newf(condition.Closed, "The monitor is closed.")
		e.Pos = at
		return e
	case twice:
		return refuse("The monitor watches a session %q already.", name)
	}
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		defer m.wait.Done()
		defer stop()
		err := s.Streams().Listen(listening, sync.OnceFunc(func() { close(ready) }), func(e backend.Event) error {
			m.note(name, e)
			return nil
		})
		if listening.Err() == nil {
			m.mu.Lock()
			w.failure = cmp.Or(err, error(condition.Newf(condition.Closed, "The session tells no more of its queries.")))
			m.mu.Unlock()
		}
		ended <- err
	}()
	forget := func(err error) error {
		w.stop()
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.sessions[name] == w {
			delete(m.sessions, name)
		}
		return condition.At(err, at)
	}
	select {
	case <-ready:
	case err := <-ended:
		return forget(cmp.Or(err, error(condition.Newf(condition.Closed, "The session is closed."))))
	case <-ctx.Done():
		return forget(context.Cause(ctx))
	}
	// What ran before is asked for once events are noted, so that nothing falls between.
	active, err := s.Streams().Active(ctx)
	if err != nil {
		return forget(err)
	}
	for _, q := range active {
		recent, err := q.RecentProgress(ctx)
		if err != nil {
			return forget(err)
		}
		m.adopt(name, q, recent)
	}
	return nil
}

// Close ends all following and waits for its end. What is known stays readable.
func (m *Monitor) Close() {
	if m == nil {
		return
	}
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	m.cancel()
	m.wait.Wait()
}

// at gives the run of an id, made if it is not known.
func (m *Monitor) at(session, id, runID, name string) *run {
	r, ok := m.runs[runID]
	if !ok {
		r = &run{q: Query{Session: session, ID: id, RunID: runID}}
		m.runs[runID] = r
	}
	r.q.Name = cmp.Or(r.q.Name, name)
	return r
}

// adopt takes up a query that ran when its session began to be watched. Events may have come meanwhile: their reports are not noted twice.
func (m *Monitor) adopt(session string, q backend.Query, recent []backend.Progress) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.at(session, q.ID(), q.RunID(), q.Name())
	known := r.points
	r.points = nil
	r.q.LateRows, r.q.InputRows = 0, 0
	for _, p := range recent {
		m.report(r, p)
	}
	for _, p := range known {
		if len(r.points) == 0 || p.Time.After(r.points[len(r.points)-1].Time) {
			m.append(r, p)
		}
	}
	if r.q.Started.IsZero() && len(r.points) > 0 {
		r.q.Started = r.points[0].Time
	}
}

// note takes an event in and tells the logger.
func (m *Monitor) note(session string, e backend.Event) {
	// The event of an end has no name.
	e.Name = m.take(session, e)
	m.log(session, e)
}

func (m *Monitor) take(session string, e backend.Event) (name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.at(session, e.ID, e.RunID, e.Name)
	at := parseTime(e.Timestamp)
	switch e.Kind {
	case backend.Started:
		r.q.Started, r.q.Lints = at, e.Lints
	case backend.Progressed:
		if e.Progress != nil {
			m.report(r, *e.Progress)
		}
	case backend.Idle:
		r.q.Idle = at
	case backend.Terminated:
		// The event has no time of its own.
		r.q.Ended, r.q.Exception, r.q.ErrorClass = time.Now(), e.Exception, e.ErrorClass
		m.forgetEnded()
	}
	return r.q.Name
}

// report takes a report of a query in.
func (m *Monitor) report(r *run, p backend.Progress) {
	r.q.Latest = &p
	m.append(r, PointOf(p))
}

func (m *Monitor) append(r *run, p Point) {
	if len(r.points) >= m.o.History {
		r.points = slices.Delete(r.points, 0, len(r.points)-m.o.History+1)
	}
	r.points = append(r.points, p)
	r.q.LateRows += p.LateRows
	r.q.InputRows += p.InputRows
}

// forgetEnded keeps the latest of the queries that have ended.
func (m *Monitor) forgetEnded() {
	var ended []*run
	for _, r := range m.runs {
		if !r.q.Ended.IsZero() {
			ended = append(ended, r)
		}
	}
	if len(ended) <= m.o.Ended {
		return
	}
	slices.SortFunc(ended, func(a, b *run) int { return b.q.Ended.Compare(a.q.Ended) })
	for _, r := range ended[m.o.Ended:] {
		delete(m.runs, r.q.RunID)
	}
}

// Queries gives the queries that are known: those that run before those that have ended, the latest start first.
func (m *Monitor) Queries() []Query {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]Query, 0, len(m.runs))
	for _, r := range m.runs {
		out = append(out, r.q)
	}
	slices.SortFunc(out, func(a, b Query) int {
		if a.Active() != b.Active() {
			if a.Active() {
				return -1
			}
			return 1
		}
		return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(a.RunID, b.RunID))
	})
	return out
}

// Query gives a query with its history, oldest first, by its run id.
func (m *Monitor) Query(runID string) (Query, []Point, bool) {
	if m == nil {
		return Query{}, nil, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.runs[runID]
	if !ok {
		return Query{}, nil, false
	}
	return r.q, slices.Clone(r.points), true
}

// handle gives the session's handle of a query that runs.
func (m *Monitor) handle(ctx context.Context, runID string) (backend.Query, error) {
	if m == nil {
		return nil, condition.Newf(condition.InvalidValue, "The monitor is nil.")
	}
	m.mu.Lock()
	r, ok := m.runs[runID]
	var q Query
	var w *watched
	if ok {
		q, w = r.q, m.sessions[r.q.Session]
	}
	m.mu.Unlock()
	if !ok || w == nil {
		return nil, condition.Newf(condition.InvalidValue, "There is no query with the run id %q.", runID)
	}
	if q.Active() {
		found, err := w.session.Streams().Query(ctx, q.ID)
		if err != nil {
			return nil, err
		}
		if found != nil && found.RunID() == runID {
			return found, nil
		}
	}
	return nil, condition.Newf(condition.Closed, "The query %s has ended.", q.Label())
}

// Stop ends a query that runs, by its run id, and waits for its end. A query that has ended is SPOONBILL_CLOSED.
func (m *Monitor) Stop(ctx context.Context, runID string) error {
	q, err := m.handle(ctx, runID)
	if err != nil {
		return err
	}
	return q.Stop(ctx)
}

// Status says what a query that runs does at this moment, by its run id.
func (m *Monitor) Status(ctx context.Context, runID string) (backend.Status, error) {
	q, err := m.handle(ctx, runID)
	if err != nil {
		return backend.Status{}, err
	}
	return q.Status(ctx)
}

// Explain gives the plan of a query that runs, by its run id, with what its operators did in the next epoch that begins within the time given. Where none begins, and on Spark, which does not
// tell of them, it is the plan alone. A time of 0 does not wait.
func (m *Monitor) Explain(ctx context.Context, runID string, within time.Duration) (backend.Explanation, error) {
	q, err := m.handle(ctx, runID)
	if err != nil {
		return backend.Explanation{}, err
	}
	if within > 0 {
		limited, cancel := context.WithTimeout(ctx, within)
		defer cancel()
		if e, err := q.Explain(limited, backend.ExplainOptions{Analyze: true}); err == nil {
			return e, nil
		}
		if err := ctx.Err(); err != nil {
			return backend.Explanation{}, err
		}
	}
	return q.Explain(ctx, backend.ExplainOptions{})
}
