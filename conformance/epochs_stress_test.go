//go:build stress

package conformance

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
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
	{"a session at the watermark is not late", "exec/session.go", "s.end > a.Marks.LateBefore", "s.end >= a.Marks.LateBefore"},
	{"a late row without time kept for ever", "exec/dedup.go", "if t <= d.Marks.LateBefore {", "if t < d.Marks.LateBefore {"},
	{"pairs of one epoch", "exec/streamjoin.go", "			at, with, stored = append(at, int32(i)), append(with, r), append(stored, r.row)", "			if side == 1 && r.id+2 > s.next {\n				continue\n			}\n			at, with, stored = append(at, int32(i)), append(with, r), append(stored, r.row)"},
	{"a semi join's row twice", "exec/streamjoin.go", "if side == 0 && met[i] || side == 1 && r.matched {", "if side == 0 && met[i] {"},
	{"a matched row comes out alone", "exec/streamjoin.go", "if outer && !r.matched {", "if outer {"},
	{"a late row of a join", "exec/streamjoin.go", "late.I64[i&late.Mask()] <= j.Marks.LateBefore", "late.I64[i&late.Mask()] < j.Marks.LateBefore"},
	{"a full join's right rows", "exec/streamjoin.go", "outer := j.Kind == tree.FullJoin || (j.Kind == tree.LeftJoin || j.Kind == tree.AntiJoin) && side == 0", "outer := (j.Kind == tree.FullJoin || j.Kind == tree.LeftJoin || j.Kind == tree.AntiJoin) && side == 0"},
	{"a bound without its last moment", "plan/bounds.go", "below(p, q, 1000)", "below(p, q, 0)"},
	{"a bound taken the wrong way round", "plan/bounds.go", "offer(b, a, y-x+last)", "offer(b, a, x-y+last)"},
	{"the tighter bound", "plan/bounds.go", "if right.column < 0 || e.delay < right.delay {", "if right.column < 0 || e.delay > right.delay {"},
	{"rows without a key move the watermark", "plan/rules.go", "k < width && left || k >= width && right", "k < width && left && k < 0"},
	{"a join's watermark as it came", "plan/build.go", "			return j.outputMark(in[i])", "			return j.outputMark(in[i]) + 30_000_000"},
}

// Every fault that is planted in the streaming engine is found, by Spark's recorded answers to scripts of epochs or by the batches of the same rows.
func TestPlantedStreamFaults(t *testing.T) {
	found := findFaults(t, streamFaults, func(overlay string) (string, error) {
		args := []string{"test", "-tags", "stress", "-vet=off", "-count=1", "-run", "^(TestLocalEpochs|TestStreamsAsBatches)$", "-timeout", "10m"}
		if overlay != "" {
			args = append(args, "-overlay", overlay)
		}
		out, err := exec.Command("go", append(args, ".", "-tidy", "200")...).CombinedOutput()
		return string(out), err
	}, "epochs_test.go")
	require.GreaterOrEqual(t, found, 20)
}
