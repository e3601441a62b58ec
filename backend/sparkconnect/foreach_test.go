package sparkconnect

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// Queries that start while the session closes are refused or waited for, and none runs behind the end.
func TestHandOversWhileTheSessionCloses(t *testing.T) {
	t.Parallel()
	for range 200 {
		var (
			h       handOvers
			starts  sync.WaitGroup
			running atomic.Int64
			begin   = make(chan struct{})
		)
		for range 4 {
			starts.Go(func() {
				<-begin
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				done := make(chan struct{})
				running.Add(1)
				if !h.begin(&eachQuery{}, cancel, func() {
					defer close(done)
					<-ctx.Done()
					running.Add(-1)
				}) {
					running.Add(-1)
					return
				}
				<-done
			})
		}
		close(begin)
		h.end()
		refused := h.begin(&eachQuery{}, func() {}, func() { t.Error("it runs behind the end") })
		require.False(t, refused)
		starts.Wait()
		require.Zero(t, running.Load())
		require.Empty(t, h.cancel)
	}
}
