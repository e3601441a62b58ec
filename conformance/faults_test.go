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
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var faultsOf = flag.String("faults", "", "run only the planted faults whose names have this in them, or one of several texts between bars")

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
	folder := t.TempDir()
	out, err := check("")
	require.NoError(t, err, "without a fault:\n%s", out)
	found := 0
	for i, f := range faults {
		if !slices.ContainsFunc(strings.Split(*faultsOf, "|"), func(part string) bool { return strings.Contains(f.name, part) }) {
			continue
		}
		path, err := f.path()
		require.NoError(t, err)
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
