package local

import (
	"context"
	"sync"

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
	if err := ctx.Err(); err != nil {
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
	if err := ctx.Err(); err != nil {
		return err
	}
	q.s.terminated.mu.Lock()
	defer q.s.terminated.mu.Unlock()
	q.s.terminated.any, q.s.terminated.failure = false, nil
	return q.s.open()
}

// Listen implements backend.Streams.
func (q queries) Listen(ctx context.Context, ready func(), see func(backend.Event) error) error {
	if err := q.s.open(); err != nil {
		return err
	}
	return q.s.events.Listen(ctx, ready, see)
}
