//go:build stress

package conformance

import (
	"os/exec"
	"testing"
)

// streamFaults are mistakes of the streaming engine.
var streamFaults = []fault{
	{"late rows by the present watermark", "stream/stream.go", "d.Plan.Marks(bound, o.WatermarkMs*1000)", "d.Plan.Marks(o.WatermarkMs*1000, o.WatermarkMs*1000)"},
	{"state evicted by the last watermark", "stream/stream.go", "d.Plan.Marks(bound, o.WatermarkMs*1000)", "d.Plan.Marks(bound, bound)"},
	{"the greatest of several watermarks", "stream/stream.go", "max(current, slices.Min(d.byOperator))", "max(current, slices.Max(d.byOperator))"},
	{"a watermark without its delay", "stream/stream.go", "ms := floorMs(e.Max) - e.DelayMicros/1000", "ms := floorMs(e.Max)"},
	{"no epoch without data", "stream/stream.go", "if !d.ran || d.watermark <= d.evicted {", "if d.ran || d.watermark <= d.evicted {"},
	{"a group at the watermark is not late", "exec/aggregate.go", "expiry[g] <= a.Marks.LateBefore", "expiry[g] < a.Marks.LateBefore"},
	{"all groups where none changed", "exec/aggregate.go", "kept := make([]int32, 0, n) // never nil", "var kept []int32 // never nil"},
	{"a group begun anew", "exec/aggregate.go", "		if ok {\n			for _, x := range p.accs {\n				if old, err", "		if ok && len(p.accs) > 1 {\n			for _, x := range p.accs {\n				if old, err"},
	{"late groups in complete mode", "exec/aggregate.go", "a.Task.Mode != tree.Complete && a.EventKey >= 0 && expiry[g] <= a.Marks.LateBefore", "a.EventKey >= 0 && expiry[g] <= a.Marks.LateBefore"},
	{"a late row without time kept for ever", "exec/dedup.go", "if t <= d.Marks.LateBefore {", "if t < d.Marks.LateBefore {"},
	{"a semi join's row twice", "exec/streamjoin.go", "if side == 0 && met[i] || side == 1 && r.matched {", "if side == 0 && met[i] {"},
	{"a matched row comes out alone", "exec/streamjoin.go", "if outer && !r.matched {", "if outer {"},
	{"a full join's right rows", "exec/streamjoin.go", "outer := j.Kind == tree.FullJoin || (j.Kind == tree.LeftJoin || j.Kind == tree.AntiJoin) && side == 0", "outer := (j.Kind == tree.FullJoin || j.Kind == tree.LeftJoin || j.Kind == tree.AntiJoin) && side == 0"},
	{"a bound without its last moment", "plan/bounds.go", "below(p, q, 1000)", "below(p, q, 0)"},
	{"a bound taken the wrong way round", "plan/bounds.go", "offer(b, a, y-x+last)", "offer(b, a, x-y+last)"},
	{"rows without a key move the watermark", "plan/rules.go", "k < width && left || k >= width && right", "k < width && left && k < 0"},
	{"windows without their offset", "exec/transform.go", "r := (x - start) % step", "r := x % step"},
	{"windows before 1970", "exec/transform.go", "	if r < 0 {\n		r += step\n	}\n	return x - r", "	return x - r"},
	{"one sliding window too few", "exec/transform.go", "for j := int64(0); j < k; j++ {", "for j := int64(0); j < max(k-1, 1); j++ {"},
	{"sessions that touch stay two", "exec/session.go", "g.start <= out[n-1].end", "g.start < out[n-1].end"},
	{"a session that ends with its first row", "exec/session.go", "out[n-1].end = max(out[n-1].end, g.end)", "out[n-1].end = min(out[n-1].end, g.end)"},
	{"a key forgotten before the delay is over", "exec/dedup.go", "expiry = t + d.Within", "expiry = t"},
	{"state that goes a moment too late", "state/memory.go", "s.times[0] <= watermark", "s.times[0] < watermark"},
	{"a row of nulls too early", "plan/build.go", "Expire: l.column, Delay: l.delay", "Expire: l.column, Delay: l.delay - 2_000_000"},
	{"the watermark of joined rows", "plan/bounds.go", "out = min(out, in-e.delay)", "out = min(out, in)"},
	{"the greatest watermark as the least", "stream/stream.go", "if d.policy == tree.MaxWatermark {", "if d.policy == tree.MaxWatermark && d.epoch < 0 {"},
	{"no epoch without data for a join", "stream/stream.go", "if x.Bounded() {", "if !x.Bounded() {"},
	{"no epoch without data for a deduplication", "stream/stream.go", "if x.Event >= 0 {", "if x.Event >= 0 && x.Within < -1 {"},
	{"a restart without its last delta", "state/state.go", "for v := base + 1; v <= d.version; v++ {", "for v := base + 1; v < d.version; v++ {"},
	{"a restart under the watermark before", "stream/stream.go", "d.watermark = max(d.watermark, c.NextWatermarkMs)", "d.watermark = min(d.watermark, c.NextWatermarkMs)"},
	{"an epoch that runs again under its own late bound", "stream/stream.go", "d.start, d.previous = before.Ends, before.WatermarkMs", "d.start, d.previous = before.Ends, last.WatermarkMs"},
	{"an epoch that reads more when it runs again", "stream/stream.go", "d.epoch, d.pending = latest, &last", "d.epoch, d.watermark = latest, last.WatermarkMs"},
}

// Every fault that is planted in the streaming engine is found: by Spark's recorded answers to scripts of epochs and about policies, by the batches of the same rows, or by streams that start again.
func TestPlantedStreamFaults(t *testing.T) {
	findFaults(t, streamFaults, func(overlay string) (string, error) {
		run := func(tests string, more ...string) (string, error) {
			args := []string{"test", "-tags", "stress", "-vet=off", "-count=1", "-run", tests, "-timeout", "10m"}
			if overlay != "" {
				args = append(args, "-overlay", overlay)
			}
			out, err := exec.Command("go", append(args, more...)...).CombinedOutput()
			return string(out), err
		}
		out, err := run("^(TestLocalEpochs|TestLocalPolicies|TestStreamsAsBatches)$", ".", "-tidy", "200")
		if err != nil {
			return out, err
		}
		return run("^(TestResumeEachEpoch|TestCrashAnywhere)$", "../backend/local", "-short")
	}, "_test.go")
}
