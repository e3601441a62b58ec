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
	{"a group at the watermark is not late", "exec/aggregate.go", "c.expiry[g] > a.Marks.LateBefore", "c.expiry[g] >= a.Marks.LateBefore"},
	{"all groups where none changed", "exec/aggregate.go", "c.kept = make([]int32, 0, n) // never nil", "c.kept = nil // never nil"},
	{"a group begun anew", "exec/aggregate.go", "if old == nil {", "if old == nil || len(c.p.accs) == 1 {"},
	{"late groups in complete mode", "exec/aggregate.go", "c.expiry == nil || a.Task.Mode == tree.Complete || c.expiry", "c.expiry == nil || c.expiry"},
	{"panes in one window alone", "exec/aggregate.go", "for k, more := 0, true; more; k++ {", "for k, more := 0, true; more && k == 0; k++ {"},
	{"a late row in a session that is not over", "exec/session.go", "start[of[hi]] <= to && !late(of[hi])", "start[of[hi]] <= to"},
	{"a late row without time kept for ever", "exec/dedup.go", "if t <= d.Marks.LateBefore {", "if t < d.Marks.LateBefore {"},
	{"a semi join's row twice", "exec/streamjoin.go", "if side == 0 && r.met[i] || side == 1 && x.matched {", "if side == 0 && r.met[i] {"},
	{"a matched row comes out alone", "exec/streamjoin.go", "if outer && !r.matched {", "if outer {"},
	{"a full join's right rows", "exec/streamjoin.go", "outer := j.Kind == tree.FullJoin || (j.Kind == tree.LeftJoin || j.Kind == tree.AntiJoin) && side == 0", "outer := (j.Kind == tree.FullJoin || j.Kind == tree.LeftJoin || j.Kind == tree.AntiJoin) && side == 0"},
	{"a bound without its last moment", "plan/bounds.go", "below(p, q, 1000)", "below(p, q, 0)"},
	{"a bound taken the wrong way round", "plan/bounds.go", "offer(b, a, y-x+last)", "offer(b, a, x-y+last)"},
	{"rows without a key move the watermark", "plan/rules.go", "k < width && left || k >= width && right", "k < width && left && k < 0"},
}

// Every fault that is planted in the streaming engine is found, by Spark's recorded answers to scripts of epochs or by the batches of the same rows.
func TestPlantedStreamFaults(t *testing.T) {
	findFaults(t, streamFaults, func(overlay string) (string, error) {
		args := []string{"test", "-tags", "stress", "-vet=off", "-count=1", "-run", "^(TestLocalEpochs|TestStreamsAsBatches)$", "-timeout", "10m"}
		if overlay != "" {
			args = append(args, "-overlay", overlay)
		}
		out, err := exec.Command("go", append(args, ".", "-tidy", "200")...).CombinedOutput()
		return string(out), err
	}, "epochs_test.go")
}
