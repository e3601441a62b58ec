//go:build stress

package conformance

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var faultsOf = flag.String("faults", "", "run only the planted faults whose names have this in them")

// fault is a mistake planted in a copy of the engine: a text of a file that is replaced.
type fault struct{ name, file, old, new string }

// faults are mistakes such as one makes: a null forgotten, an end taken for a start, a rule that goes too far.
var faults = []fault{
	{"<=> of two nulls", "kernel/logic.go", "out[i] = a && b", "out[i] = false"},
	{"between without its end", "kernel/logic.go", `comparison(">=", c.typ(0)), comparison("<=", c.typ(0))`, `comparison(">=", c.typ(0)), comparison("<", c.typ(0))`},
	{"nullif of a null", "kernel/logic.go", "null[i] = v.IsNull(i) || same[i] && !q.IsNull(i)", "null[i] = v.IsNull(i) || same[i]"},
	{"remainder by the divisor's sign", "kernel/arith.go", "out[i] = a[i&ma] % d", "out[i] = (a[i&ma]%d + d) % d"},
	{"operands behind nulls", "kernel/compile.go", "k > 0 && (inTurn || byFirst) && a.Fails", "false"},
	{"month's end", "kernel/calendar.go", "min(d, timetext.DaysIn(y, m))", "d"},
	{"substring from the end", "kernel/text.go", "start = int64(utf8.RuneCountInString(s)) + pos", "start = int64(len(s)) + pos"},
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

// Every planted fault is found by the random trees whose answers Spark has just given (-answers, written by TestRandomTrees).
func TestPlantedFaults(t *testing.T) {
	require.NotEmpty(t, *answersFile, "-answers names the file of Spark's answers")
	answers, err := filepath.Abs(*answersFile)
	require.NoError(t, err)
	findFaults(t, faults, func(overlay string) (string, error) {
		args := []string{"test", "-tags", "stress", "-vet=off", "-count=1", "-run", "^TestRandomAnswers$", "-timeout", "20m"}
		if overlay != "" {
			args = append(args, "-overlay", overlay)
		}
		c := exec.Command("go", append(args, ".", "-answers", answers)...)
		out, err := c.CombinedOutput()
		return string(out), err
	}, "seed ")
}

// findFaults plants each fault in a copy and runs the check, which must pass without one. A failure that has not the mark in its output is none of the check's.
func findFaults(t *testing.T, faults []fault, check func(overlay string) (string, error), mark string) {
	t.Helper()
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	folder := t.TempDir()
	out, err := check("")
	require.NoError(t, err, "without a fault:\n%s", out)
	found := 0
	for i, f := range faults {
		if !strings.Contains(f.name, *faultsOf) {
			continue
		}
		path := filepath.Join(root, "backend", "local", f.file)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(string(text), f.old), "%s: the text stands once in %s", f.name, f.file)
		planted := filepath.Join(folder, fmt.Sprintf("%d.go", i))
		require.NoError(t, os.WriteFile(planted, []byte(strings.Replace(string(text), f.old, f.new, 1)), 0o600))
		overlay := filepath.Join(folder, fmt.Sprintf("%d.json", i))
		j, err := json.Marshal(map[string]map[string]string{"Replace": {path: planted}})
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(overlay, j, 0o600))
		start := time.Now()
		out, err := check(overlay)
		where := out[max(strings.Index(out, mark), 0):]
		where, _, _ = strings.Cut(where, "\n")
		switch {
		case err == nil:
			t.Errorf("%s: not found", f.name)
		case !strings.Contains(out, mark):
			t.Errorf("%s: the copy does not run:\n%s", f.name, out)
		default:
			found++
			t.Logf("%s: found in %v: %s", f.name, time.Since(start).Round(time.Second), where)
		}
	}
	t.Logf("%d planted faults found", found)
}

// The local engine gives Spark's answers, as far as they were written.
func TestRandomAnswers(t *testing.T) {
	file, err := os.Open(*answersFile) // of Spark's answers, which "make stress" writes first
	require.NoError(t, err)
	defer file.Close()
	engine := openLocal(t)
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 64<<20)
	n := 0
	for ; lines.Scan(); n++ {
		var a randomAnswer
		require.NoError(t, json.Unmarshal(lines.Bytes(), &a))
		q := a.tree().Query()
		got, err := Ask(t.Context(), engine, q.Table, q.Ordered)
		if err != nil {
			got.Error = err.Error()
		}
		if err := q.Differ(a.Answer, got); err != nil && !(q.Risky && a.Answer.Error != "" && got.Error != "" && raisedByRow(t.Context(), a.tree(), a.Answer.Error, engine)) {
			t.Fatalf("seed %d: %v", a.Seed, err)
		}
	}
	require.NoError(t, lines.Err())
	require.NotZero(t, n)
}
