package local

import (
	"context"
	"sync"
	"time"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local/stream"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// terminated is what AwaitAny looks at: the queries that have ended since the session began or since the last reset.
type terminated struct {
	mu      sync.Mutex
	any     bool
	failure *condition.Error
	// wake is closed when a query ends.
	wake chan struct{}
}

// note keeps the first end, or a later failure.
//
// Source: Spark's StreamingQueryManager.notifyQueryTermination.
func (t *terminated) note(failure *condition.Error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.any || failure != nil {
		t.failure = failure
	}
	t.any = true
	close(t.wake)
	t.wake = make(chan struct{})
}

// WindowExplanation says why the windows of an event time are open; see [ExplainWindow].
type WindowExplanation = stream.WindowExplanation

// ExplainWindow tells of a query of this engine, also of one that has ended, why the windows that have an event time have not closed yet: the watermark, how far
// it is from their ends, and what each input of it has seen. The answer is of the last epoch that was committed. A query of another backend is SPOONBILL_UNSUPPORTED, and one that
// groups by no event time SPOONBILL_INVALID_VALUE.
//
// With keys it also tells what the state holds of these windows for them: values of the grouping's keys beside the time, in their order, as many as one likes, nil for null. The whole state is read for that.
func ExplainWindow(ctx context.Context, q backend.Query, at time.Time, keys ...any) (WindowExplanation, error) {
	pos := condition.Here(1)
	own, ok := q.(*stream.Query)
	if !ok {
		e := condition.Newf(condition.Unsupported, "ExplainWindow tells of queries of the local engine, not of a %T.", q)
		e.Pos, e.Operator, e.Hint = pos, "ExplainWindow", "Spark's progress has the watermark under eventTime and nothing of its inputs."
		return WindowExplanation{}, e
	}
	w, err := own.ExplainWindow(ctx, at, keys...)
	return w, condition.At(err, pos)
}

// Streams implements backend.Session.
func (s *Session) Streams() backend.Streams { return queries{s} }

type queries struct{ s *Session }

// Active implements backend.Streams.
func (q queries) Active(ctx context.Context) ([]backend.Query, error) {
	found, err := q.running(ctx)
	out := make([]backend.Query, len(found))
	for i, r := range found {
		out[i] = r
	}
	return out, err
}

func (q queries) running(ctx context.Context) ([]*stream.Query, error) {
	if err := q.s.ready(ctx); err != nil {
		return nil, err
	}
	q.s.mu.Lock()
	defer q.s.mu.Unlock()
	if err := q.s.check(); err != nil {
		return nil, err
	}
	q.s.forget()
	var out []*stream.Query
	for r := range q.s.queries {
		out = append(out, r)
	}
	return out, nil
}

// Query implements backend.Streams.
func (q queries) Query(ctx context.Context, id string) (backend.Query, error) {
	found, err := q.running(ctx)
	for _, r := range found {
		if r.ID() == id {
			return r, nil
		}
	}
	return nil, err
}

// AwaitAny implements backend.Streams.
func (q queries) AwaitAny(ctx context.Context) error {
	// A context that has ended does not hide a query that has.
	if err := q.s.usable(ctx); err != nil {
		return err
	}
	t := &q.s.terminated
	for {
		t.mu.Lock()
		ended, failure, wake := t.any, t.failure, t.wake
		t.mu.Unlock()
		if err := q.s.open(); err != nil {
			return err
		}
		switch {
		case failure != nil:
			return failure
		case ended:
			return nil
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// ResetTerminated implements backend.Streams.
func (q queries) ResetTerminated(ctx context.Context) error {
	if err := q.s.ready(ctx); err != nil {
		return err
	}
	q.s.terminated.mu.Lock()
	defer q.s.terminated.mu.Unlock()
	q.s.terminated.any, q.s.terminated.failure = false, nil
	return q.s.open()
}

// Listen implements backend.Streams.
func (q queries) Listen(ctx context.Context, ready func(), see func(backend.Event) error) error {
	if err := q.s.usable(ctx); err != nil {
		return err
	}
	return q.s.events.Listen(ctx, ready, see)
}
