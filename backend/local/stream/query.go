package stream

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/plan"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/internal/absent"
)

// recentProgress is how many reports are kept, as Spark's numRecentProgressUpdates.
const recentProgress = 100

// Query is a running stream; it satisfies backend.Query.
type Query struct {
	id, runID, name string
	plan            *plan.Plan
	kept            kept
	explain         func(o backend.ExplainOptions, analysed *plan.Profile) (backend.Explanation, error)
	cancel          context.CancelFunc
	done            chan struct{}

	mu       sync.Mutex
	changed  *sync.Cond
	status   backend.Status
	progress []backend.Progress
	failure  *condition.Error
	ended    bool
	times    eventTimes
	// begun counts the rounds that have begun, and idleRound is the last of them that found nothing.
	begun, idleRound int64
	wake             chan struct{}
	// waits are what the query waits for outside, by when it began to.
	waits  map[int]func() string
	waited int
	// analysing are those who wait for the profile of an epoch that has not begun.
	analysing []analysis
	// calling tells that the query's function of ForeachBatch runs.
	calling bool
}

// analysis is a wait for the profile of an epoch.
type analysis struct {
	options backend.ExplainOptions
	done    chan *plan.Profile // of one
}

var _ backend.Query = (*Query)(nil)

func newQuery(id, runID string, cfg Config, cancel context.CancelFunc) *Query {
	q := &Query{plan: cfg.Plan, kept: kept{cfg.FS, cfg.Dir, &kernel.Env{ANSI: cfg.ANSI, Zone: cfg.Zone}}, id: id, runID: runID, name: cfg.Write.Name, explain: cfg.Explain, cancel: cancel, done: make(chan struct{}), wake: make(chan struct{}, 1)}
	q.changed = sync.NewCond(&q.mu)
	q.status = backend.Status{Message: "Initializing sources"}
	return q
}

// ID implements backend.Query.
func (q *Query) ID() string { return q.id }

// RunID implements backend.Query.
func (q *Query) RunID() string { return q.runID }

// Name implements backend.Query.
func (q *Query) Name() string { return q.name }

// IsActive implements backend.Query.
func (q *Query) IsActive(context.Context) (bool, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.ended, nil
}

// Status implements backend.Query.
func (q *Query) Status(context.Context) (backend.Status, error) {
	q.mu.Lock()
	status, what := q.status, (func() string)(nil)
	first := q.waited
	for n, w := range q.waits {
		if n <= first {
			first, what = n, w
		}
	}
	q.mu.Unlock()
	if what != nil {
		status.Message = what()
	}
	return status, nil
}

// Wait is connector.Env.Waiting of the query's connectors: the status says what is waited for, the first thing where there are several.
func (q *Query) Wait(what func() string) (over func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waited++
	n := q.waited
	if q.waits == nil {
		q.waits = map[int]func() string{}
	}
	q.waits[n] = what
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.waits, n)
	}
}

// LastProgress implements backend.Query.
func (q *Query) LastProgress(context.Context) (*backend.Progress, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.progress) == 0 {
		return nil, nil
	}
	p := q.progress[len(q.progress)-1]
	return &p, nil
}

// RecentProgress implements backend.Query.
func (q *Query) RecentProgress(context.Context) ([]backend.Progress, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return append([]backend.Progress(nil), q.progress...), nil
}

// Exception implements backend.Query.
func (q *Query) Exception(context.Context) (*condition.Error, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.failure, nil
}

// AwaitTermination implements backend.Query.
func (q *Query) AwaitTermination(ctx context.Context) error {
	if err := absent.NoContext(ctx); err != nil {
		return condition.At(err, condition.Here(0))
	}
	select {
	case <-q.done:
	default:
		select {
		case <-q.done:
		case <-ctx.Done():
			return q.still(ctx)
		}
	}
	return q.err()
}

// still is the error of a call whose context ended before the query did what it waits for. It tells what the query is at.
func (q *Query) still(ctx context.Context) error {
	status, _ := q.Status(ctx) // it has no error
	return fmt.Errorf("the streaming query %s runs on (%s): %w", cmp.Or(q.name, q.id), status.Message, ctx.Err())
}

// err is the failure as an error, nil for none.
func (q *Query) err() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.failure == nil {
		return nil
	}
	return q.failure
}

// ProcessAllAvailable implements backend.Query.
func (q *Query) ProcessAllAvailable(ctx context.Context) error {
	if err := absent.NoContext(ctx); err != nil {
		return condition.At(err, condition.Here(0))
	}
	stop := context.AfterFunc(ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.changed.Broadcast()
	})
	defer stop()
	q.mu.Lock()
	// A round that has begun may have looked at the sources already, so only a later one can tell that there is nothing more.
	want := q.begun + 1
	select {
	case q.wake <- struct{}{}:
	default:
	}
	for q.idleRound < want && !q.ended && ctx.Err() == nil {
		q.changed.Wait()
	}
	failure, waiting := q.failure, q.idleRound < want && !q.ended
	q.mu.Unlock()
	switch {
	case failure != nil:
		return failure
	case waiting:
		return q.still(ctx)
	}
	return nil
}

// Calling says that the query's function of ForeachBatch is called now, until over is: within it, Stop does not wait.
func (q *Query) Calling() (over func()) {
	set := func(calling bool) {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.calling = calling
	}
	set(true)
	return func() { set(false) }
}

// within tells whether the caller is the query's function of ForeachBatch.
func (q *Query) within(ctx context.Context) bool {
	q.mu.Lock()
	calling := q.calling
	q.mu.Unlock()
	return calling && backend.InBatch(ctx)
}

// Stop implements backend.Query. The running epoch is cancelled: it leaves no commit, so it runs again when the query resumes.
func (q *Query) Stop(ctx context.Context) error {
	if err := absent.NoContext(ctx); err != nil {
		return condition.At(err, condition.Here(0))
	}
	within := q.within(ctx)
	q.cancel()
	if within {
		return nil
	}
	select {
	case <-q.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Explain implements backend.Query.
func (q *Query) Explain(ctx context.Context, o backend.ExplainOptions) (backend.Explanation, error) {
	if err := absent.NoContext(ctx); err != nil {
		return backend.Explanation{}, condition.At(err, condition.Here(0))
	}
	if !o.Analyze {
		return q.explain(o, nil)
	}
	a := analysis{options: o, done: make(chan *plan.Profile, 1)}
	q.mu.Lock()
	if !q.ended {
		q.analysing = append(q.analysing, a)
	}
	q.mu.Unlock()
	select {
	case p := <-a.done:
		return q.explain(o, p)
	case <-q.done:
		select {
		case p := <-a.done: // of its last epoch
			return q.explain(o, p)
		default:
		}
		e := condition.Newf(condition.Closed, "The query has ended, so no epoch of it can be analysed.")
		e.Operator, e.Hint = "Explain", "Ask while it runs. LastProgress tells what its last epoch did."
		return backend.Explanation{}, e
	case <-ctx.Done():
		return backend.Explanation{}, ctx.Err()
	}
}

// analysed gives the profile for an epoch that begins, nil where nobody waits for one, and the function that hands it to those who do, once the epoch is done.
func (q *Query) analysed() (p *plan.Profile, done func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting := q.analysing
	q.analysing = nil
	if waiting == nil {
		return nil, func() {}
	}
	p = &plan.Profile{Measure: true}
	for _, a := range waiting {
		p.Columns = p.Columns || a.options.Mode == backend.ExplainFormatted
	}
	return p, func() {
		for _, a := range waiting {
			a.done <- p
		}
	}
}

// Done is closed when the query has ended.
func (q *Query) Done() <-chan struct{} { return q.done }

func (q *Query) setStatus(message string, data, active bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.status = backend.Status{Message: message, IsDataAvailable: data, IsTriggerActive: active}
}

// report keeps a progress report; the oldest goes when there are too many.
func (q *Query) report(p backend.Progress) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.progress = append(q.progress, p)
	if n := len(q.progress) - recentProgress; n > 0 {
		q.progress = append([]backend.Progress(nil), q.progress[n:]...)
	}
}

// begin says that a round begins, which will look at the sources.
func (q *Query) begin() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.begun++
}

// idle says that the round that began last found nothing in the sources.
func (q *Query) idle() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.idleRound = q.begun
	q.changed.Broadcast()
}

// end ends the query; failure is nil when it was stopped or was done.
func (q *Query) end(failure *condition.Error) {
	q.mu.Lock()
	q.ended, q.failure = true, failure
	message := "Stopped"
	if failure != nil {
		message = "Terminated with exception: " + failure.Cause.Error() // as Spark, which names the query in the exception alone
	}
	q.status = backend.Status{Message: message}
	q.changed.Broadcast()
	q.mu.Unlock()
	close(q.done)
}
