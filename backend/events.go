package backend

import (
	"context"
	"sync"

	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// maxBehind is how many events a listener may be behind, as Spark's listener bus allows (spark.scheduler.listenerbus.eventqueue.capacity).
const maxBehind = 10_000

// Events passes the events of queries on to listeners, each of which gets all of them in order, at its own pace. The zero value is ready. Sessions use it.
type Events struct {
	mu        sync.Mutex
	listeners map[*listener]bool
}

type listener struct {
	mu    sync.Mutex
	queue []Event
	err   error
	wake  chan struct{}
}

func (l *listener) note(err error, e ...Event) {
	l.mu.Lock()
	if l.err == nil {
		l.err = err
		if len(l.queue) >= maxBehind && len(e) > 0 {
			c := condition.Newf(condition.Closed, "the listener is %d events behind.", len(l.queue))
			c.Hint = "Let the function return sooner: hand long work to a goroutine of its own."
			l.err, l.queue, e = c, nil, nil
		}
		l.queue = append(l.queue, e...)
	}
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Publish gives an event to all listeners. It does not wait for them.
func (s *Events) Publish(e Event) { s.each(func(l *listener) { l.note(nil, e) }) }

// Fail ends all listeners with an error, after the events that came before.
func (s *Events) Fail(err error) { s.each(func(l *listener) { l.note(err) }) }

func (s *Events) each(f func(*listener)) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for l := range s.listeners {
		f(l)
	}
}

// Listen is [Streams.Listen] for what is published.
func (s *Events) Listen(ctx context.Context, ready func(), see func(Event) error) error {
	if see == nil {
		return condition.Newf(condition.InvalidValue, "The function of the listener is nil.")
	}
	if s == nil {
		return condition.Newf(condition.InvalidValue, "The events are nil.")
	}
	l := &listener{wake: make(chan struct{}, 1)}
	s.mu.Lock()
	if s.listeners == nil {
		s.listeners = map[*listener]bool{}
	}
	s.listeners[l] = true
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.listeners, l)
	}()
	if ready != nil {
		ready()
	}
	for {
		l.mu.Lock()
		events, err := l.queue, l.err
		l.queue = nil
		l.mu.Unlock()
		for _, e := range events {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := see(e); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
		select {
		case <-l.wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
