package exec

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// A subquery runs once for arguments that come again, for several at once, and what is remembered is bounded.
func TestApplyMemo(t *testing.T) {
	var runs atomic.Int64
	a := &Apply{Value: datatype.String}
	one := func(ctx context.Context, n int64) (any, error) {
		v := vec.Of(datatype.Long, []int64{n})
		return a.value(ctx, string(vec.AppendValue(nil, v, 0)), []*vec.Vec{v}, 0)
	}
	large := strings.Repeat("x", memoBytes/8)
	a.Run = func(_ context.Context, args []any) (any, error) {
		runs.Add(1)
		return large, nil
	}
	for range 3 {
		for n := range int64(5) {
			got, err := one(t.Context(), n)
			require.NoError(t, err)
			require.Equal(t, large, got)
		}
	}
	require.EqualValues(t, 5, runs.Load())
	for n := range int64(100) {
		_, err := one(t.Context(), n)
		require.NoError(t, err)
		require.LessOrEqual(t, len(a.memo), 8)
		require.LessOrEqual(t, a.bytes, memoBytes)
	}

	// Two that differ run at once, and who has the same waits, also when the first is stopped.
	both := make(chan struct{})
	var inside atomic.Int64
	a.Run = func(ctx context.Context, args []any) (any, error) {
		if inside.Add(1) == 2 {
			close(both)
		}
		select {
		case <-both:
			return "together", nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	var wg sync.WaitGroup
	for n := range int64(2) {
		wg.Go(func() {
			got, err := one(t.Context(), 1000+n)
			if err != nil || got != "together" {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
	wg.Wait()

	stopped, stop := context.WithCancel(t.Context())
	running := make(chan struct{})
	var calls atomic.Int64
	a.Run = func(ctx context.Context, args []any) (any, error) {
		if calls.Add(1) > 1 {
			return "again", nil
		}
		close(running)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	wg.Go(func() {
		if _, err := one(stopped, 2000); !errors.Is(err, context.Canceled) {
			t.Errorf("the first: %v", err)
		}
	})
	<-running
	wg.Go(func() {
		if got, err := one(t.Context(), 2000); err != nil || got != "again" {
			t.Errorf("the second: %v, %v", got, err)
		}
	})
	stop()
	wg.Wait()
	failed := errors.New("failed")
	a.Run = func(context.Context, []any) (any, error) { return nil, failed }
	_, err := one(t.Context(), 3000)
	require.ErrorIs(t, err, failed)
	a.Run = func(context.Context, []any) (any, error) { return "now", nil }
	got, err := one(t.Context(), 3000)
	require.NoError(t, err)
	require.Equal(t, "now", got)
}
