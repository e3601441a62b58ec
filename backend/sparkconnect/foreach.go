package sparkconnect

import (
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/sparkconnect/internal/client"
	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/compiler/sparksql"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/internal/absent"
)

// firstPython is the version that a server's Python is taken for until it says another one.
const firstPython = "3.11"

// slowStarts is how often a start is repeated because Python took too long to begin, on a server that has much to do.
const slowStarts = 3

// globalTemp is the database of global temporary views.
const globalTemp = "global_temp"

// The pauses between two looks for a batch, which grow while there is none, and between two looks whether the query still runs.
const (
	firstLook = 20 * time.Millisecond
	lastLook  = 250 * time.Millisecond
	alive     = time.Second
)

// batches is how the batches of a query come to a function of this process: as global temporary views, since Spark runs each batch in a copy of the session, whose own views nobody else sees.
type batches struct {
	// One of f and rows is set.
	f      expr.BatchFunc
	rows   *expr.AnyRowWriter
	at     condition.Pos
	prefix string
	within time.Duration
}

// startEach starts a query that hands its batches to a function or to statements; batches is nil for statements.
func (s *Session) startEach(ctx context.Context, query *client.Relation, step compiler.WriteStreamStep) (*client.StreamingQuery, *batches, error) {
	var b *batches
	prefix := ""
	if each := step.Sink.Each; len(each.SQL) == 0 {
		prefix = "spoonbill_batch_" + strings.ReplaceAll(uuid.NewString(), "-", "") + "_"
		b = &batches{at: each.At, prefix: prefix, within: time.Duration(step.Millis()) * time.Millisecond}
		switch f := each.Func.(type) {
		case expr.BatchFunc:
			b.f = f
		case expr.AnyRowWriter:
			fields, err := s.c.Schema(ctx, query)
			if err == nil {
				err = condition.At(backend.FitsRows(f, fields), each.At)
			}
			if err != nil {
				return nil, nil, err
			}
			b.rows = &f
		}
		if b.f == nil && b.rows == nil {
			e := condition.Newf(condition.InvalidValue, "The sink has no function for its batches.")
			e.Hint = "Use connectors.ForeachBatch."
			return nil, nil, e
		}
	}
	source := step.EachBatch(prefix)
	version := firstPython
	if v := s.python.Load(); v != nil {
		version = *v
	}
	slow := 0
	for {
		start := client.StreamWrite(query, step)
		start.ForeachBatch = client.PythonFunction(source, compiler.EachBatchFunction, version)
		q, err := s.c.Start(ctx, start)
		if err == nil {
			s.python.Store(&version)
			return q, b, nil
		}
		// The query has not begun, so to ask again is safe.
		other := pythonOf(err)
		switch {
		case other != "" && other != version:
			version = other
		case strings.Contains(err.Error(), "failed to connect back") && slow < slowStarts && ctx.Err() == nil:
			slow++ // Python took more than ten seconds to begin
		default:
			return nil, nil, err
		}
	}
}

// pythonVersion asks the server once for the version of its Python.
func (s *Session) pythonVersion(ctx context.Context) (string, error) {
	if v := s.python.Load(); v != nil {
		return *v, nil
	}
	return s.askPython(ctx, firstPython)
}

// askPython asks under the name of a version, which the server refuses by the name of its own.
func (s *Session) askPython(ctx context.Context, version string) (string, error) {
	for slow := 0; ; {
		err := s.run(ctx, client.PythonVersion(version))
		other := pythonOf(err)
		switch {
		case err == nil:
			s.python.Store(&version)
			return version, nil
		case other != "" && other != version:
			version = other
		case strings.Contains(err.Error(), "failed to connect back") && slow < slowStarts && ctx.Err() == nil:
			slow++ // Python took more than ten seconds to begin
		default:
			return "", err
		}
	}
}

// run carries a query out for what it does.
func (s *Session) run(ctx context.Context, query *client.Relation) error {
	r, err := s.c.Query(ctx, query)
	if err != nil {
		return err
	}
	defer r.Close()
	for _, err := range r.Batches() {
		if err != nil {
			return err
		}
	}
	return nil
}

var pythonVersions = regexp.MustCompile(`PYTHON_VERSION_MISMATCH\](?s:.*?)different version[^0-9]*(\d+\.\d+)`)

// pythonOf gives the version of Python that an error of a server names as its own, or "".
func pythonOf(err error) string {
	for ; err != nil; err = errors.Unwrap(err) {
		if m := pythonVersions.FindStringSubmatch(err.Error()); m != nil {
			return m[1]
		}
	}
	return ""
}

// handOvers are the queries of a session whose batches a function of this process gets.
type handOvers struct {
	mu     sync.Mutex
	ended  bool
	cancel map[*eachQuery]context.CancelFunc
	// wait is for the functions. Nothing is added to it behind ended.
	wait sync.WaitGroup
}

// end ends all functions and waits until none runs, unless one of them calls it. It gives the queries whose functions ran, which the server still has.
func (h *handOvers) end() (running []*eachQuery) {
	h.mu.Lock()
	h.ended = true
	for q, cancel := range h.cancel {
		running = append(running, q)
		cancel()
	}
	h.mu.Unlock()
	if !backend.InBatch(context.Background()) {
		h.wait.Wait()
	}
	return running
}

// own gives the handle of a query that knows of its function, where it has one.
func (h *handOvers) own(q *client.StreamingQuery) backend.Query {
	h.mu.Lock()
	defer h.mu.Unlock()
	for e := range h.cancel {
		if e.RunID() == q.RunID() {
			return e
		}
	}
	return q
}

// eachQuery is a query whose batches a function of this process gets.
type eachQuery struct {
	*client.StreamingQuery
	s *Session
	b *batches
	// cancel ends the context of the function, and done is closed when it runs no more.
	cancel context.CancelFunc
	done   chan struct{}

	mu sync.Mutex
	// failure is why the function failed.
	failure error
	// calling tells that the function runs, and stopping that it has stopped its query.
	calling, stopping bool
}

// begin runs f, which is done when cancel was called, on a goroutine that end waits for. It is false, and f does not run, where the session was closed.
func (h *handOvers) begin(e *eachQuery, cancel context.CancelFunc, f func()) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended {
		return false
	}
	if h.cancel == nil {
		h.cancel = map[*eachQuery]context.CancelFunc{}
	}
	h.cancel[e] = cancel
	h.wait.Go(func() {
		defer func() {
			cancel()
			h.mu.Lock()
			defer h.mu.Unlock()
			delete(h.cancel, e)
		}()
		f()
	})
	return true
}

// handOver waits for the batches of a query, on a goroutine that ends with the query, with Stop and with the session. A session that was closed meanwhile hands nothing over: the server ends its queries.
func (s *Session) handOver(ctx context.Context, q *client.StreamingQuery, b *batches) *eachQuery {
	run, cancel := context.WithCancel(quiet(context.WithoutCancel(ctx)))
	e := &eachQuery{StreamingQuery: q, s: s, b: b, cancel: cancel, done: make(chan struct{})}
	if !s.handOvers.begin(e, cancel, func() {
		defer close(e.done)
		e.run(run)
		e.mu.Lock()
		stopping := e.stopping
		e.mu.Unlock()
		if stopping {
			e.stop(context.WithoutCancel(run))
		}
	}) {
		cancel()
		close(e.done)
	}
	return e
}

// stop stops a query whose function has asked for it and has ended.
func (q *eachQuery) stop(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := errors.Join(q.StreamingQuery.Stop(ctx), q.tidy(ctx)); err != nil {
		q.fail(err)
	}
}

// patience is how long the server may not answer before the wait for batches is given up; the query ends then by the time limit of its batch.
const patience = 2 * time.Minute

// run hands over batch after batch until the query has ended.
func (q *eachQuery) run(ctx context.Context) {
	pause, lastAlive := firstLook, time.Now()
	var failing time.Time
	var done handled
	for {
		view, id, err := q.next(ctx)
		if err == nil && view != "" {
			// A function is called once for a batch, however often the server has to be told that it has ended.
			if view != done.view {
				done, err = q.batch(ctx, view, id)
			}
			switch {
			case err != nil:
			case done.view == "":
				lastAlive = time.Time{} // the query has ended meanwhile
			default:
				if err = q.tell(ctx, done); err == nil {
					done, failing, pause = handled{}, time.Time{}, firstLook
					continue
				}
			}
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			if failing.IsZero() {
				failing = time.Now()
			}
			if time.Since(failing) > patience || condition.Of(err) == condition.Closed {
				q.fail(err)
				return
			}
		default:
			failing = time.Time{}
		}
		if time.Since(lastAlive) > alive {
			if active, err := q.IsActive(ctx); err == nil && !active {
				_ = q.tidy(ctx) // views that stay cost nothing
				return
			}
			lastAlive = time.Now()
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
		pause = min(2*pause, lastLook)
	}
}

// views gives the names of the query's views.
func (q *eachQuery) views(ctx context.Context) ([]string, error) {
	type row struct {
		Namespace, ViewName string
		IsTemporary         bool
	}
	rows, err := ask[row](ctx, q.s, client.SQL("SHOW VIEWS IN "+globalTemp+" LIKE "+sparksql.String(q.b.prefix+"*")))
	names := make([]string, len(rows))
	for i, r := range rows {
		names[i] = r.ViewName
	}
	return names, err
}

// next gives the batch that waits, "" for none.
func (q *eachQuery) next(ctx context.Context) (view string, id int64, err error) {
	names, err := q.views(ctx)
	for _, name := range names {
		if n, err := strconv.ParseInt(strings.TrimPrefix(name, q.b.prefix), 10, 64); err == nil {
			return name, n, nil
		}
	}
	return "", 0, err
}

// handled is a batch whose function has ended: its view, and how it failed, "" where it did not.
type handled struct{ view, failure string }

// batch calls the function with a batch. A query that has ended meanwhile has no batch to tell of, and an error is of the server, before the function was called.
func (q *eachQuery) batch(ctx context.Context, view string, id int64) (handled, error) {
	fields, err := q.s.c.Schema(ctx, client.Table(client.TableName(globalTemp, view), false))
	if err != nil {
		return handled{}, err
	}
	call, cancel := context.WithCancel(ctx)
	defer cancel()
	var watch sync.WaitGroup
	defer watch.Wait()
	ended := make(chan struct{})
	watch.Go(func() { q.watch(call, ended, cancel) })
	q.called(true)
	table := expr.CatalogTable(fields, globalTemp, view)
	if q.b.rows != nil {
		err = q.rows(call, table, id)
	} else {
		err = backend.CallBatch(call, q.b.f, table, id, q.b.within)
	}
	err = condition.At(err, q.b.at)
	q.called(false)
	close(ended)
	switch {
	case ctx.Err() != nil, err != nil && call.Err() != nil:
		return handled{}, nil
	case err != nil:
		q.fail(err)
		return handled{view, err.Error()}, nil
	}
	return handled{view: view}, nil
}

// rows streams the rows of a batch to the writer, as one partition.
func (q *eachQuery) rows(ctx context.Context, table expr.Table, id int64) error {
	r, err := q.s.Batches(ctx, table)
	if err == nil {
		_, err = backend.CallRows(ctx, *q.b.rows, r, 0, id, q.b.within)
	}
	return err
}

// tell tells the server how a function has ended: by dropping the view, behind a view that tells of a failure.
func (q *eachQuery) tell(ctx context.Context, done handled) error {
	if done.failure != "" {
		text := "CREATE OR REPLACE GLOBAL TEMPORARY VIEW " + client.TableName(done.view+compiler.BatchFailedSuffix) + " AS SELECT " + sparksql.String(done.failure) + " AS message"
		if err := q.s.c.Command(ctx, client.Statement(text)); err != nil {
			return err
		}
	}
	return q.s.c.Command(ctx, client.Statement("DROP VIEW IF EXISTS "+client.TableName(globalTemp, done.view)))
}

// watch ends the function's context when the query has ended meanwhile.
func (q *eachQuery) watch(ctx context.Context, ended <-chan struct{}, cancel context.CancelFunc) {
	t := time.NewTicker(alive)
	defer t.Stop()
	for {
		select {
		case <-ended:
			return
		case <-ctx.Done():
			return
		case <-t.C:
			if active, err := q.IsActive(ctx); err == nil && !active {
				cancel()
				return
			}
		}
	}
}

// called notes that the function is called, or has ended.
func (q *eachQuery) called(begins bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.calling = begins
}

func (q *eachQuery) fail(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.failure == nil {
		q.failure = err
	}
}

// known puts the error of the function under that of the server, which has its text alone.
func (q *eachQuery) known(err error) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	var e *condition.Error
	if q.failure == nil || !errors.As(err, &e) {
		return err
	}
	c := *e
	c.Cause = errors.Join(q.failure, e.Cause)
	return &c
}

// AwaitTermination implements [backend.Query].
func (q *eachQuery) AwaitTermination(ctx context.Context) error {
	return q.known(q.StreamingQuery.AwaitTermination(ctx))
}

// ProcessAllAvailable implements [backend.Query].
func (q *eachQuery) ProcessAllAvailable(ctx context.Context) error {
	return q.known(q.StreamingQuery.ProcessAllAvailable(ctx))
}

// Exception implements [backend.Query].
func (q *eachQuery) Exception(ctx context.Context) (*condition.Error, error) {
	failure, err := q.StreamingQuery.Exception(ctx)
	if failure == nil || err != nil {
		return failure, err
	}
	var e *condition.Error
	errors.As(q.known(failure), &e)
	return e, nil
}

// Stop implements [backend.Query]: the function's context ends first, and the call waits for the function too. Within the function the server is told behind its end.
func (q *eachQuery) Stop(ctx context.Context) error {
	if err := absent.NoContext(ctx); err != nil {
		return condition.At(err, condition.Here(0))
	}
	q.mu.Lock()
	within := q.calling && backend.InBatch(ctx)
	q.stopping = q.stopping || within
	q.mu.Unlock()
	q.cancel()
	if within {
		return nil
	}
	err := q.StreamingQuery.Stop(ctx)
	select {
	case <-q.done:
	case <-ctx.Done():
		return errors.Join(err, context.Cause(ctx))
	}
	return errors.Join(err, q.tidy(ctx))
}

// tidy drops the views that nobody waits for any more.
func (q *eachQuery) tidy(ctx context.Context) error {
	names, err := q.views(ctx)
	for _, name := range names {
		err = errors.Join(err, q.s.c.Command(ctx, client.Statement("DROP VIEW IF EXISTS "+client.TableName(globalTemp, name))))
	}
	return err
}

var _ backend.Query = (*eachQuery)(nil)
