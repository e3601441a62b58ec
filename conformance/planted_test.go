package conformance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fault is a mistake planted in a copy of the engine: a text of a file, below backend/local, that is replaced.
type fault struct{ name, file, old, new string }

// path is the file.
func (f fault) path() (string, error) {
	return filepath.Abs(filepath.Join("..", "backend", "local", f.file))
}

// The texts of the faults that "make stress" plants stand once in their files, so that a change of the engine takes its faults along.
func TestPlantedFaultsAreCurrent(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, list := range [][]fault{faults, streamFaults, extensionFaults} {
		for _, f := range list {
			require.False(t, names[f.name], "two faults are named %q", f.name)
			names[f.name] = true
			path, err := f.path()
			require.NoError(t, err)
			text, err := os.ReadFile(path)
			require.NoError(t, err, f.name)
			if n := strings.Count(string(text), f.old); n != 1 {
				t.Errorf("%s: the text stands %d times in %s: %s", f.name, n, f.file, f.old)
			}
		}
	}
	require.GreaterOrEqual(t, len(streamFaults), 20)
}

// faults are mistakes such as one makes: a null forgotten, an end taken for a start, a rule that goes too far.
var faults = []fault{
	{"<=> of two nulls", "kernel/logic.go", "out[i] = a && b", "out[i] = false"},
	{"between without its end", "kernel/logic.go", `comparison(">=", c.typ(0)), comparison("<=", c.typ(0))`, `comparison(">=", c.typ(0)), comparison("<", c.typ(0))`},
	{"nullif of a null", "kernel/logic.go", "null[i] = v.IsNull(i) || same[i] && !q.IsNull(i)", "null[i] = v.IsNull(i) || same[i]"},
	{"remainder by the divisor's sign", "kernel/arith.go", "out[i] = a[i&ma] % d", "out[i] = (a[i&ma]%d + d) % d"},
	{"operands behind nulls", "kernel/compile.go", "k > 0 && (inTurn || byFirst) && a.Fails", "false"},
	{"month's end", "kernel/calendar.go", "min(d, timetext.DaysIn(y, m))", "d"},
	{"substring from the end", "kernel/text.go", "start = int64(characters(s)) + pos", "start = int64(len(s)) + pos"},
	{"sum without a value", "kernel/aggregate.go", "sum[g], has[g] = r, true", "sum[g], has[g] = r, r != 0"},
	{"left join without partner", "exec/join.go", "			if !h {\n				left, right = append", "			if !h && i > 0 {\n				left, right = append"},
	{"null keys meet", "exec/join.go", "					if nullKey(j.Keys, keys, i) {\n", "					if false {\n"},
	{"anti join as semi join's rest", "exec/join.go", "if h == (j.Kind == tree.SemiJoin) {", "if h == (j.Kind == tree.SemiJoin) && (h || b.Cols[0] == nil || !b.Cols[0].IsNull(i)) {"},
	{"intersect all counts once", "exec/setop.go", "			s.count[g]--\n", "			s.count[g] = 0\n"},
	{"rank as row number", "exec/over.go", "ints[i] = from[i] - lo + 1", "ints[i] = i - lo + 1"},
	{"cume_dist without peers", "exec/over.go", "floats[i] = float64(to[i]-lo) / float64(n)", "floats[i] = float64(min(to[i], i+1)-lo) / float64(n)"},
	{"ntile's greater buckets last", "exec/over.go", "size, greater, r := n/x.N, n%x.N, int64(i-lo)", "size, greater, r := n/x.N, min(n%x.N, 1), int64(i-lo)"},
	{"sum of an empty frame", "exec/over.go", "null[i] = v.before[e] == v.before[s]", "null[i] = e == s"},
	{"the last of nth", "exec/over.go", "if j := int64(v.before[hi]) - k; k > 0 && j >= int64(v.before[lo]) {", "if j := int64(v.before[hi]) - k; k > 0 && j > int64(v.before[lo]) {"},
	{"order of nulls", "exec/sort.go", "	if !key.NullsFirst {\n		first = 1\n	}", "	if key.Descending {\n		first = 1\n	}"},
	{"offset and count", "exec/sort.go", "hi = min(max(l.Offset+l.Count-l.gone, lo), n)", "hi = min(max(l.Count-l.gone, lo), n)"},
	{"as-of join's nearest", "exec/asofjoin.go", "(after < 0 || db.compare(da) <= 0)", "(after < 0 || db.compare(da) < 0)"},
	{"filter below an outer join", "plan/rules.go", "mayLeft := x.Kind == tree.InnerJoin || x.Kind == tree.SemiJoin", "mayLeft := true"},
	{"NOT IN as NOT EXISTS", "plan/decorrelate.go", "kind, cond = tree.AntiJoin, c.Args[0]", "kind, cond = tree.SemiJoin, c.Args[0]"},
}

// streamFaults are mistakes of the streaming engine.
var streamFaults = []fault{
	{"late rows by the present watermark", "stream/stream.go", "d.Plan.Marks(d.previous*1000, o.WatermarkMs*1000)", "d.Plan.Marks(o.WatermarkMs*1000, o.WatermarkMs*1000)"},
	{"state evicted by the last watermark", "stream/stream.go", "d.Plan.Marks(d.previous*1000, o.WatermarkMs*1000)", "d.Plan.Marks(d.previous*1000, d.previous*1000)"},
	{"the greatest of several watermarks", "stream/stream.go", "max(current, slices.Min(d.byOperator))", "max(current, slices.Max(d.byOperator))"},
	{"a watermark without its delay", "stream/stream.go", "ms := floorMs(e.Max) - e.DelayMicros/1000", "ms := floorMs(e.Max)"},
	{"no epoch without data", "stream/stream.go", "if !d.ran || d.watermark <= d.evicted {", "if d.ran || d.watermark <= d.evicted {"},
	{"a group at the watermark is not late", "exec/aggregate.go", "c.expiry[g] > a.Marks.LateBefore", "c.expiry[g] >= a.Marks.LateBefore"},
	{"all groups where none changed", "exec/aggregate.go", "c.kept = make([]int32, 0, n) // never nil", "c.kept = nil // never nil"},
	{"a group begun anew", "exec/aggregate.go", "if old == nil {", "if old == nil || len(c.p.accs) == 1 {"},
	{"late groups in complete mode", "exec/aggregate.go", "c.expiry == nil || a.Task.Mode == tree.Complete || c.expiry", "c.expiry == nil || c.expiry"},
	{"a late row without time kept for ever", "exec/dedup.go", "if t <= d.Marks.LateBefore {", "if t < d.Marks.LateBefore {"},
	{"a semi join's row twice", "exec/streamjoin.go", "if side == 0 && r.met[i] || side == 1 && x.matched {", "if side == 0 && r.met[i] {"},
	{"a matched row comes out alone", "exec/streamjoin.go", "if outer && !r.matched {", "if outer {"},
	{"a full join's right rows", "exec/streamjoin.go", "outer := j.Kind == tree.FullJoin || (j.Kind == tree.LeftJoin || j.Kind == tree.AntiJoin) && side == 0", "outer := (j.Kind == tree.FullJoin || j.Kind == tree.LeftJoin || j.Kind == tree.AntiJoin) && side == 0"},
	{"a bound without its last moment", "plan/bounds.go", "below(p, q, 1000)", "below(p, q, 0)"},
	{"a bound taken the wrong way round", "plan/bounds.go", "offer(b, a, y-x+last)", "offer(b, a, x-y+last)"},
	{"rows without a key move the watermark", "plan/rules.go", "k < width && left || k >= width && right", "k < width && left && k < 0"},
	{"windows without their offset", "exec/transform.go", "r := (x - start) % step", "r := x % step"},
	{"windows before 1970", "exec/transform.go", "	if r < 0 {\n		r += step\n	}\n	return x - r", "	return x - r"},
	{"one sliding window too few", "exec/transform.go", "for j := int64(0); j < k; j++ {", "for j := int64(0); j < max(k-1, 1); j++ {"},
	{"panes in one window alone", "exec/aggregate.go", "for k, more := 0, true; more; k++ {", "for k, more := 0, true; more && k == 0; k++ {"},
	{"a late row in a session that is not over", "exec/session.go", "start[of[hi]] <= to && !late(of[hi])", "start[of[hi]] <= to"},
	{"sessions that touch stay two", "exec/session.go", "g.start <= out[n-1].end", "g.start < out[n-1].end"},
	{"a session that ends with its first row", "exec/session.go", "out[n-1].end = max(out[n-1].end, g.end)", "out[n-1].end = min(out[n-1].end, g.end)"},
	{"a key forgotten before the delay is over", "exec/dedup.go", "expiry = t + d.Within", "expiry = t"},
	{"state that goes a moment too late", "state/tables.go", "r[0].at <= until", "r[0].at < until"},
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
