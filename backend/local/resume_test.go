package local_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
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

// The watermark of several inputs follows the policy, which the checkpoint keeps.
func TestWatermarkPolicy(t *testing.T) {
	type step struct {
		set  func(expr.Write) expr.Write
		want string // the watermark behind the step, or a part of the error
	}
	none := func(w expr.Write) expr.Write { return w }
	least := func(w expr.Write) expr.Write { return w.WatermarkPolicy(expr.MinWatermark) }
	most := func(w expr.Write) expr.Write { return w.WatermarkPolicy(expr.MaxWatermark) }
	for name, steps := range map[string][]step{
		"default":          {{none, "12:00:40"}, {least, "12:01:40"}, {most, "under the watermark policy min, and the query asks for max"}},
		"max":              {{most, "12:01:30"}, {none, "12:02:30"}, {most, "12:03:30"}, {least, "under the watermark policy max"}},
		"min, given twice": {{least, "12:00:40"}, {none, "12:01:40"}},
	} {
		t.Run(name, func(t *testing.T) {
			fs := vfs.NewMem()
			a, b := newFeed(t, "at TIMESTAMP"), newFeed(t, "at TIMESTAMP")
			for i, st := range steps {
				a.add([]any{clock("12:01:40").Add(time.Duration(i) * time.Minute)})
				b.add([]any{clock("12:00:50").Add(time.Duration(i) * time.Minute)})
				s := open(t, local.FileSystem(fs))
				u := expr.Read("a", a).Watermark("at", 10*time.Second).Union(expr.Read("b", b).Watermark("at", 10*time.Second))
				q, err := s.Start(ctx, st.set(u.DropDuplicates("at").WriteTo(newCollector())).Checkpoint("c").Trigger(expr.AvailableNow()))
				if err != nil {
					requireCondition(t, err, condition.CheckpointMismatch, st.want)
					continue
				}
				require.NoError(t, q.AwaitTermination(ctx))
				p, err := q.LastProgress(ctx) // of the epoch without data, which runs under the new watermark
				require.NoError(t, err)
				require.Contains(t, p.EventTime["watermark"], st.want)
				e, err := q.Explain(ctx, backend.ExplainOptions{})
				require.NoError(t, err)
				require.Regexp(t, `under the (least|greatest) of 2 watermarks`, e.String())
				require.Contains(t, e.String(), "Watermark at delay 10s")
			}
		})
	}
	_, p := payments(t)
	require.ErrorContains(t, p.WriteTo(newCollector()).WatermarkPolicy(7).Err(), "Use expr.MinWatermark or expr.MaxWatermark")
	m, err := expr.ParseWatermarkPolicy("MAX")
	require.NoError(t, err)
	require.Equal(t, expr.MaxWatermark, m)
	_, err = expr.ParseWatermarkPolicy("mean")
	requireCondition(t, err, condition.InvalidValue, "min or max")
}
