package backend_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// Each listener gets every event in order, at its own pace, until it ends.
func TestEvents(t *testing.T) {
	var events backend.Events
	events.Publish(backend.Event{Name: "before"})
	var wg sync.WaitGroup
	enough := errors.New("enough")
	for range 3 {
		ready := make(chan struct{})
		wg.Go(func() {
			next := 0
			err := events.Listen(t.Context(), func() { close(ready) }, func(e backend.Event) error {
				if e.Name != strconv.Itoa(next) {
					t.Errorf("%s came instead of %d", e.Name, next)
				}
				if next++; next == 500 {
					return enough
				}
				return nil
			})
			if !errors.Is(err, enough) {
				t.Errorf("ended with %v", err)
			}
		})
		<-ready
	}
	for i := range 600 {
		events.Publish(backend.Event{Name: strconv.Itoa(i)})
	}
	wg.Wait()
	require.Equal(t, condition.InvalidValue, condition.Of(events.Listen(t.Context(), nil, nil)))
}

// A listener that is too far behind is told so, and one that fails has seen what came before.
func TestEventsBehind(t *testing.T) {
	var events backend.Events
	block, ready, entered := make(chan struct{}), make(chan struct{}), make(chan struct{}, 1)
	ended := make(chan error, 1)
	go func() {
		ended <- events.Listen(t.Context(), func() { close(ready) }, func(backend.Event) error {
			select {
			case entered <- struct{}{}:
			default:
			}
			<-block
			return nil
		})
	}()
	<-ready
	events.Publish(backend.Event{})
	<-entered
	for range 10_100 {
		events.Publish(backend.Event{})
	}
	close(block)
	require.Equal(t, condition.Closed, condition.Of(<-ended))

	broken, seen := errors.New("broken"), 0
	err := events.Listen(t.Context(), func() {
		events.Publish(backend.Event{})
		events.Fail(broken)
		events.Publish(backend.Event{})
	}, func(backend.Event) error { seen++; return nil })
	require.ErrorIs(t, err, broken)
	require.Equal(t, 1, seen)

	ctx, cancel := context.WithCancel(t.Context())
	err = events.Listen(ctx, func() { events.Publish(backend.Event{}); cancel() }, func(backend.Event) error { return nil })
	require.ErrorIs(t, err, context.Canceled)
}
