package sparkconnect

import (
	"context"
	"sync"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// streams hands the events of the server's one listener on to all listeners.
type streams struct {
	events backend.Events
	// starting is held for reading while a query starts, whose Started event comes with the answer, and for writing before any other event is handed on.
	starting sync.RWMutex

	mu sync.Mutex
	// listeners counts those who listen. stop ends the server's listener, and ended is closed when it has.
	listeners int
	stop      context.CancelFunc
	ended     chan struct{}
	// ready is closed when the server has begun to report.
	ready chan struct{}
}

// Streams implements [backend.Session].
func (s *Session) Streams() backend.Streams { return queries{s} }

type queries struct{ s *Session }

// Active implements [backend.Streams].
func (q queries) Active(ctx context.Context) ([]backend.Query, error) {
	if err := q.s.ready(ctx); err != nil {
		return nil, err
	}
	found, err := q.s.c.Active(ctx)
	out := make([]backend.Query, len(found))
	for i, r := range found {
		out[i] = q.s.handOvers.own(r)
	}
	return out, err
}

// Query implements [backend.Streams].
func (q queries) Query(ctx context.Context, id string) (backend.Query, error) {
	if err := q.s.ready(ctx); err != nil {
		return nil, err
	}
	found, err := q.s.c.Find(ctx, id)
	if found == nil {
		return nil, err // and no nil handle within an interface that is none
	}
	return q.s.handOvers.own(found), nil
}

// AwaitAny implements [backend.Streams].
func (q queries) AwaitAny(ctx context.Context) error {
	if err := q.s.ready(ctx); err != nil {
		return err
	}
	return q.s.c.AwaitAny(ctx)
}

// ResetTerminated implements [backend.Streams].
func (q queries) ResetTerminated(ctx context.Context) error {
	if err := q.s.ready(ctx); err != nil {
		return err
	}
	return q.s.c.ResetTerminated(ctx)
}

// Listen implements [backend.Streams]. The server reports to one listener of a session, which this is for all: no other client may have one in the session.
func (q queries) Listen(ctx context.Context, ready func(), see func(backend.Event) error) error {
	if err := q.s.ready(ctx); err != nil {
		return err
	}
	if see == nil {
		return condition.Newf(condition.InvalidValue, "the function of the listener is nil.")
	}
	st := &q.s.streams
	ctx, cancel := context.WithCancel(ctx)
	var wait sync.WaitGroup
	// First what was begun last ends: the wait for the server, then the server's listener.
	defer func() {
		cancel()
		wait.Wait()
		st.leave()
	}()
	return st.events.Listen(ctx, func() {
		reports := st.join(ctx, q.s)
		wait.Go(func() {
			select {
			case <-reports:
				if ready != nil {
					ready()
				}
			case <-ctx.Done():
			}
		})
	}, see)
}

// join begins the server's listener for the first who listens.
func (st *streams) join(ctx context.Context, s *Session) (ready <-chan struct{}) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.listeners++
	failed := false
	if st.listeners > 1 {
		select {
		case <-st.ended:
			failed = true
		default:
		}
	}
	if st.listeners == 1 || failed {
		// The listener serves whoever comes later too, so it ends with the last of them and not with this context.
		own, stop := context.WithCancel(quiet(context.WithoutCancel(ctx)))
		reports, done := make(chan struct{}), make(chan struct{})
		st.stop, st.ready, st.ended = stop, reports, done
		go func() {
			defer close(done)
			err := s.c.Listen(own, sync.OnceFunc(func() { close(reports) }), func(e backend.Event) error {
				st.starting.Lock() // a start that is under way is told first
				st.starting.Unlock()
				st.events.Publish(e)
				return nil
			})
			if own.Err() == nil {
				if err == nil {
					err = condition.Newf(condition.Closed, "the server has ended the session's listener.")
				}
				st.events.Fail(err)
			}
		}()
	}
	return st.ready
}

// leave ends the server's listener behind the last who listened.
func (st *streams) leave() {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.listeners--; st.listeners == 0 {
		st.stop()
		<-st.ended
	}
}
