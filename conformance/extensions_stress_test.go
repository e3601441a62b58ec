//go:build stress

package conformance

import (
	"os/exec"
	"testing"
)

// extensionFaults are mistakes of what streams have offline only.
var extensionFaults = []fault{
	{"rows that come out before the watermark", "exec/streamover.go", "case t <= r.Marks.EvictBefore:", "case t <= r.Marks.EvictBefore+20_000_000:"},
	{"late rows that are put in order", "exec/streamover.go", "case t <= r.Marks.LateBefore:", "case t < r.Marks.LateBefore:"},
	{"peers in the wrong order", "exec/streamover.go", "return bytes.Compare(a.Key, b.Key)", "return bytes.Compare(b.Key, a.Key)"},
	{"one row too few looked back at", "exec/streamover.go", "left := g.Rows\n", "left := g.Rows - 1\n"},
	{"rows without a value looked back at", "exec/streamover.go", "counts := left > 0 && (valued == nil || !valued.IsNull(row))", "counts := left > 0 && (valued == nil || true)"},
	{"a range that forgets too soon", "exec/streamover.go", "expiry += g.Span", "expiry += g.Span / 2"},
	{"totals begun anew", "exec/streamover.go", "if totals[k] != nil {", "if totals[k] != nil && len(totals) > 3 {"},
	{"ranks that count each epoch", "exec/streamover.go", "v.I32[i] += int32(n)", "v.I32[i] += int32(min(n, 1))"},
	{"dense ranks as ranks", "exec/streamover.go", `if x.Name == "dense_rank" {`, `if x.Name == "dense_rank_" {`},
	{"nth values of the epoch", "exec/streamover.go", "old := n >= uint64(x.N)", "old := n > uint64(x.N)"},
	{"windows that keep the same rows", "plan/streamover.go", `text := specText(o) + " " + lookBackText(back)`, "text := specText(o)"},
	{"left rows that do not wait", "exec/streamasof.go", "known := after(s.time.I64[i&s.time.Mask()], r.Wait)", "known := s.time.I64[i&s.time.Mask()]"},
	{"the oldest right row kept", "exec/streamasof.go", "if k < len(group)-1 || expiry", "if k > 0 || expiry"},
	{"right rows forgotten with the watermark", "exec/streamasof.go", "expiry := int64(state.Never)", "expiry := r.Marks.EvictBefore"},
	{"right rows ahead forgotten", "exec/streamasof.go", "if time.I64[i&time.Mask()] <= r.Marks.EvictBefore {", "if true {"},
	{"rows without a key dropped", "exec/streamasof.go", "				now = append(now, int32(i))\n				continue\n			}\n			known", "				continue\n			}\n			known"},
	{"a tolerance that ends too soon", "../../compiler/analyze/lookback.go", "return d, 2 * d", "return d, d"},
	{"a watermark that passes rows that wait", "plan/build.go", "return in[i] - wait", "return in[i]"},
	{"late right rows", "exec/streamasof.go", "if late(i) || s.time.IsNull(i)", "if late(i) && i < 0 || s.time.IsNull(i)"},
}

// Every fault that is planted in what streams have offline only is found by its tests: batches of the same rows, cut and restarted anywhere.
func TestPlantedExtensionFaults(t *testing.T) {
	findFaults(t, extensionFaults, func(overlay string) (string, error) {
		args := []string{"test", "-vet=off", "-count=1", "-run", "^(TestRandomOversOfAStream|TestOverOfAStream|TestAsofJoinOfStreams|TestAsofJoinOfStreamsStateAndLateRows|TestTemporalJoinOfAStreamWithATable)$", "-timeout", "10m"}
		if overlay != "" {
			args = append(args, "-overlay", overlay)
		}
		out, err := exec.Command("go", append(args, "../backend/local")...).CombinedOutput()
		return string(out), err
	}, "_test.go")
}
