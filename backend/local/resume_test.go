package local_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// runTo runs a query over what is there.
func runTo(t *testing.T, fs vfs.FS, w expr.Write, opts ...local.Option) error {
	t.Helper()
	s := open(t, append(opts, local.FileSystem(fs))...)
	q, err := s.Start(ctx, w.Checkpoint("c").Trigger(expr.AvailableNow()))
	if err != nil {
		return err
	}
	return q.AwaitTermination(ctx)
}

// A column that the state does not hold may come, as SPARK-39650 has it, and go.
func TestDedupResumesWithANewColumn(t *testing.T) {
	for i := range 2 {
		fs := vfs.NewMem()
		narrow, wide := newFeed(t, "a STRING, b STRING"), newFeed(t, "a STRING, b STRING, c STRING")
		narrow.add([]any{"a", "b"}, []any{"a", "b"})
		sink := newCollector()
		require.NoError(t, runTo(t, fs, expr.Read("in", narrow).DropDuplicates("a").WriteTo(sink), storeOf(i)))
		wide.add([]any{"x", "y", "z"}, []any{"x", "y", "z"}) // offsets 0 and 1 were read
		wide.add([]any{"a", "b", "c"}, []any{"d", "e", "f"})
		require.NoError(t, runTo(t, fs, expr.Read("in", wide).DropDuplicates("a").WriteTo(sink), storeOf(i+1)))
		require.Equal(t, []string{"a|b", "d|e|f"}, sink.rows())
		narrow.add([]any{"", ""}, []any{"", ""})
		narrow.add([]any{"d", "b"}, []any{"g", "h"})
		require.NoError(t, runTo(t, fs, expr.Read("in", narrow).DropDuplicates("a").WriteTo(sink), storeOf(i)))
		require.Equal(t, []string{"a|b", "d|e|f", "g|h"}, sink.rows())
		// Its key may not change.
		err := runTo(t, fs, expr.Read("in", narrow).DropDuplicates("b").WriteTo(sink))
		require.Equal(t, condition.CheckpointMismatch, condition.Of(err))
		require.Contains(t, err.Error(), "- state 0: deduplicate by a STRING\n+ state 0: deduplicate by b STRING")
	}
}

// Sources are known by their names, in whichever order a query has them.
func TestSourcesInAnotherOrder(t *testing.T) {
	feeds := map[string]*feed{}
	for _, name := range []string{"a", "b", "c"} {
		feeds[name] = newFeed(t, "n INT, at TIMESTAMP")
	}
	query := func(names ...string) expr.Table {
		var sides []expr.Table
		for _, n := range names {
			sides = append(sides, expr.Read(n, feeds[n]).Watermark("at", time.Duration(len(sides))*time.Second))
		}
		return sides[0].Union(sides[1:]...)
	}
	fs, sink := vfs.NewMem(), newCollector()
	n := 0
	for _, order := range [][]string{{"a", "b", "c"}, {"c", "a", "b"}, {"b", "c", "a"}, {"a", "b", "c"}} {
		// Each source has as many rows as its place in the alphabet, so that a wrong position would lose or repeat some.
		for i, name := range []string{"a", "b", "c"} {
			for range i + 1 {
				n++
				feeds[name].add([]any{n, clock("12:00:00")})
			}
		}
		require.NoError(t, runTo(t, fs, query(order...).Select("n").WriteTo(sink)))
	}
	var want []string
	for i := range n {
		want = append(want, fmt.Sprint(i+1))
	}
	require.ElementsMatch(t, want, sink.rows())
	// Another name is another source.
	err := runTo(t, fs, expr.Read("a", feeds["a"]).Union(expr.Read("d", feeds["b"]), expr.Read("c", feeds["c"])).Select("n").WriteTo(sink))
	require.Equal(t, condition.CheckpointMismatch, condition.Of(err))
	require.Contains(t, err.Error(), "- source 1: testfeed b")
	require.Contains(t, err.Error(), "+ source 1: testfeed d")
	require.NotContains(t, err.Error(), "+ source 0")
}
