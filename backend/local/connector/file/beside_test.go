package file

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// rowsOf gives how often each row stands in the files that a plain reader sees.
func rowsOf(t testing.TB, fs vfs.FS, dir string) map[string]int {
	t.Helper()
	out := map[string]int{}
	var walk func(string)
	walk = func(d string) {
		names, err := fs.List(d)
		require.NoError(t, err)
		for _, n := range names {
			p := fs.PathJoin(d, n)
			info, err := fs.Stat(p)
			require.NoError(t, err)
			switch {
			case strings.HasPrefix(n, "_") || strings.HasPrefix(n, "."):
			case info.IsDir():
				walk(p)
			default:
				text, err := readFile(fs, p)
				require.NoError(t, err)
				for l := range strings.Lines(string(text)) {
					out[strings.TrimSpace(l)]++
				}
			}
		}
	}
	walk(dir)
	return out
}

func readFile(fs vfs.FS, path string) ([]byte, error) {
	f, err := fs.Open(path)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	_, err = b.ReadFrom(f)
	return b.Bytes(), errors.Join(err, f.Close())
}

// besideWrite writes the rows {"w":who,"n":0} and {"w":who,"n":1}, each into a partition of its own, or fails before the end.
func besideWrite(t testing.TB, env connector.Env, dir string, who int, fails bool) error {
	fields := fieldsOf(t, "w INT, n INT, p INT")
	b := batchesOf(t, fields, []string{fmt.Sprintf(`{"w":%d,"n":0,"p":0}`, who)}, []string{fmt.Sprintf(`{"w":%d,"n":1,"p":1}`, who)})
	rows := b
	if fails {
		rows = func(yield func(arrow.RecordBatch, error) bool) {
			for r := range b {
				yield(r, nil)
				break
			}
			yield(nil, errors.New("the input fails"))
		}
	}
	out, err := connector.OpenSink(t.Context(), env, &tree.Sink{Format: "json", Path: dir, PartitionBy: []string{"p"}})
	if err != nil {
		return err
	}
	_, err = out.Write(t.Context(), 0, tree.Append, fields, rows)
	return errors.Join(err, out.Close())
}

// wantWriters says whose rows a folder must have: those of exactly these, whole and once.
func wantWriters(t testing.TB, fs vfs.FS, dir string, writers ...int) {
	t.Helper()
	want := map[string]int{}
	for _, w := range writers {
		want[fmt.Sprintf(`{"w":%d,"n":0}`, w)], want[fmt.Sprintf(`{"w":%d,"n":1}`, w)] = 1, 1
	}
	require.Equal(t, want, rowsOf(t, fs, dir))
}

// Writes into one folder at the same moment, which is not there yet: each append that says it is done has its rows there, failed ones have none and take nothing with
// them, and of writes that must be alone exactly those rows are there whose write was the last to say that it is done.
func TestWritesBesideEachOther(t *testing.T) {
	t.Parallel()
	for name, fs := range map[string]vfs.FS{"disk": vfs.Default, "memory": vfs.NewMem()} {
		root := t.TempDir()
		if name == "memory" {
			root = "/w"
		}
		at := func(dir string, fails []bool, modes ...tree.SaveMode) []error {
			errs := make([]error, len(modes))
			var wg sync.WaitGroup
			begin := make(chan struct{})
			for i, m := range modes {
				wg.Go(func() {
					<-begin
					errs[i] = besideWrite(t, connector.Env{FS: fs, Save: m}, dir, i, fails[i])
				})
			}
			close(begin)
			wg.Wait()
			return errs
		}
		for round := range 10 {
			t.Run(fmt.Sprint(name, round), func(t *testing.T) {
				dir := fs.PathJoin(root, fmt.Sprintf("append-%d", round))
				fails := []bool{false, true, false, true, false, false}
				errs := at(dir, fails, tree.SaveAppend, tree.SaveAppend, tree.SaveAppend, tree.SaveAppend, tree.SaveAppend, tree.SaveAppend)
				for i, err := range errs {
					require.Equal(t, fails[i], err != nil, "%d: %v", i, err)
				}
				wantWriters(t, fs, dir, 0, 2, 4, 5)
				_, err := fs.Stat(fs.PathJoin(dir, metaDir))
				require.True(t, isNotExist(err), "nothing is left behind")

				dir = fs.PathJoin(root, fmt.Sprintf("over-%d", round))
				none := make([]bool, 6)
				errs = at(dir, none, tree.SaveOverwrite, tree.SaveOverwrite, tree.SaveOverwrite, tree.SaveOverwrite)
				var done []int
				for i, err := range errs {
					if err == nil {
						done = append(done, i)
						continue
					}
					require.Equal(t, condition.ConcurrentStreamLog, condition.Of(err), "%v", err)
				}
				have := rowsOf(t, fs, dir)
				require.Len(t, have, 2)
				require.True(t, slices.ContainsFunc(done, func(i int) bool {
					return have[fmt.Sprintf(`{"w":%d,"n":0}`, i)] == 1 && have[fmt.Sprintf(`{"w":%d,"n":1}`, i)] == 1
				}), "%v of %v", have, done)

				dir = fs.PathJoin(root, fmt.Sprintf("first-%d", round))
				errs = at(dir, none, tree.ErrorIfExists, tree.ErrorIfExists, tree.SaveIgnore, tree.ErrorIfExists)
				done = nil
				for i, err := range errs {
					if err == nil && i != 2 {
						done = append(done, i)
					} else if err != nil {
						require.Contains(t, []string{condition.ConcurrentStreamLog, condition.PathAlreadyExists}, condition.Of(err), "%v", err)
					}
				}
				if len(done) == 0 {
					done = []int{2}
				}
				wantWriters(t, fs, dir, done...)
				require.Len(t, done, 1)

				// An overwrite takes what was there before it ended, and appends keep their rows whole or lose them whole.
				dir = fs.PathJoin(root, fmt.Sprintf("both-%d", round))
				errs = at(dir, none, tree.SaveAppend, tree.SaveOverwrite, tree.SaveAppend, tree.SaveAppend)
				require.NoError(t, errors.Join(errs...))
				require.Equal(t, 1, rowsOf(t, fs, dir)[`{"w":1,"n":0}`])
			})
		}
	}
}

// Appends come and go while a stream starts in the folder and writes: neither hurts the other.
func TestAppendBesideAStream(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	fields := fieldsOf(t, "w INT, n INT, p INT")
	begun, rest := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	var appended error
	wg.Go(func() {
		b := batchesOf(t, fields, []string{`{"w":1,"n":0,"p":0}`}, []string{`{"w":1,"n":1,"p":1}`})
		out, err := connector.OpenSink(t.Context(), connector.Env{Save: tree.SaveAppend}, &tree.Sink{Format: "json", Path: dir, PartitionBy: []string{"p"}})
		if err != nil {
			appended = err
			return
		}
		_, appended = out.Write(t.Context(), 0, tree.Append, fields, func(yield func(arrow.RecordBatch, error) bool) {
			first := true
			for r, err := range b {
				if !yield(r, err) {
					return
				}
				if first {
					first = false
					close(begun)
					<-rest
				}
			}
		})
	})
	<-begun
	env := connector.Env{Streaming: true, QueryID: "first"}
	sink := &tree.Sink{Format: "json", Path: dir, PartitionBy: []string{"p"}}
	s, err := connector.OpenSink(t.Context(), env, sink)
	require.NoError(t, err)
	epoch := func(n int64) {
		_, err := s.Write(t.Context(), n, tree.Append, fields, batchesOf(t, fields, []string{fmt.Sprintf(`{"w":%d,"n":0,"p":0}`, n+10), fmt.Sprintf(`{"w":%d,"n":1,"p":1}`, n+10)}))
		require.NoError(t, err)
	}
	epoch(0)
	close(rest)
	wg.Wait()
	require.NoError(t, appended)
	require.NoError(t, besideWrite(t, connector.Env{Save: tree.SaveAppend}, dir, 2, false))
	require.Error(t, besideWrite(t, connector.Env{Save: tree.SaveAppend}, dir, 3, true))
	err = besideWrite(t, connector.Env{Save: tree.SaveOverwrite}, dir, 4, false)
	require.Equal(t, condition.ConcurrentStreamLog, condition.Of(err))
	require.FileExists(t, filepath.Join(dir, metaDir, "0"))
	epoch(1)
	require.NoError(t, s.Close())
	// The log is whole: the epoch that it has is not written again.
	s, err = connector.OpenSink(t.Context(), env, sink)
	require.NoError(t, err)
	epoch(1)
	epoch(2)
	require.NoError(t, s.Close())
	wantWriters(t, vfs.Default, dir, 1, 2, 10, 11, 12)
}

// besideHelper carries what the process that TestWritesOfTwoProcesses starts shall do: a folder, its number among the two, and how many rounds.
const besideHelper = "SPOONBILL_TEST_BESIDE"

var besideModes = []struct {
	name string
	mode tree.SaveMode
}{{"append", tree.SaveAppend}, {"overwrite", tree.SaveOverwrite}, {"first", tree.ErrorIfExists}, {"stream", tree.SaveAppend}}

// TestBesideHelper is the second process; alone it does nothing. Each round begins when both processes have come to it.
func TestBesideHelper(t *testing.T) {
	var dir string
	var me, rounds int
	if _, err := fmt.Sscan(os.Getenv(besideHelper), &dir, &me, &rounds); err != nil {
		return
	}
	for _, m := range besideModes {
		for round := range rounds {
			at := filepath.Join(dir, fmt.Sprintf("%s-%d", m.name, round))
			require.NoError(t, os.WriteFile(fmt.Sprintf("%s.ready%d", at, me), nil, 0o644))
			for end := time.Now().Add(20 * time.Second); ; {
				if _, err := os.Stat(fmt.Sprintf("%s.ready%d", at, 1-me)); err == nil {
					break
				}
				require.True(t, time.Now().Before(end), "the other process does not come")
			}
			env := connector.Env{Save: m.mode}
			if m.name == "stream" {
				env.Streaming, env.QueryID = true, fmt.Sprintf("query-%d", me)
			}
			said := "done"
			if err := besideWrite(t, env, at, me, false); err != nil {
				said = condition.Of(err) + " " + err.Error()
			}
			require.NoError(t, os.WriteFile(fmt.Sprintf("%s.said%d", at, me), []byte(said), 0o644))
		}
	}
}

// The same holds for two processes, of which each begins its write of a round when the other does.
func TestWritesOfTwoProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const rounds = 15
	var wg sync.WaitGroup
	for me := range 2 {
		wg.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestBesideHelper$")
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %d", besideHelper, dir, me, rounds))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("process %d: %v\n%s", me, err, out)
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	for _, m := range besideModes {
		for round := range rounds {
			at := filepath.Join(dir, fmt.Sprintf("%s-%d", m.name, round))
			var done []int
			var texts []string
			for me := range 2 {
				text, err := os.ReadFile(fmt.Sprintf("%s.said%d", at, me))
				require.NoError(t, err)
				texts = append(texts, string(text))
				if string(text) == "done" {
					done = append(done, me)
				}
			}
			have := rowsOf(t, vfs.Default, at)
			whole := func(w int) bool {
				return have[fmt.Sprintf(`{"w":%d,"n":0}`, w)] == 1 && have[fmt.Sprintf(`{"w":%d,"n":1}`, w)] == 1
			}
			switch m.name {
			case "append":
				require.Len(t, done, 2, "%v", texts)
				wantWriters(t, vfs.Default, at, 0, 1)
			case "overwrite":
				require.Len(t, have, 2, "%v", texts)
				require.True(t, slices.ContainsFunc(done, whole), "%v: %v", texts, have)
			default:
				require.Len(t, done, 1, "%v", texts)
				wantWriters(t, vfs.Default, at, done[0])
			}
			for me, text := range texts {
				if text == "done" {
					continue
				}
				switch code, _, _ := strings.Cut(text, " "); m.name {
				case "first":
					require.Contains(t, []string{condition.PathAlreadyExists, condition.ConcurrentStreamLog}, code, text)
				case "stream":
					// The other runs, or has committed and ended.
					require.Contains(t, []string{condition.ConcurrentStreamLog, condition.CheckpointMismatch}, code, text)
					if code == condition.CheckpointMismatch {
						require.Contains(t, text, fmt.Sprintf("query-%d", 1-me))
					}
				default:
					require.Equal(t, condition.ConcurrentStreamLog, code, text)
				}
			}
		}
	}
}

// The error of a second writer says who the first is, in this process and another.
func TestSecondWriterIsTold(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	s, err := connector.OpenSink(t.Context(), connector.Env{Streaming: true, QueryID: "the-first"}, &tree.Sink{Format: "json", Path: dir})
	require.NoError(t, err)
	_, err = connector.OpenSink(t.Context(), connector.Env{Streaming: true, QueryID: "the-second"}, &tree.Sink{Format: "json", Path: dir})
	require.ErrorContains(t, err, fmt.Sprintf("the streaming query the-first of process %d", os.Getpid()))
	require.NoError(t, s.Close())
	// What stays of the lock stands in nobody's way.
	require.NoError(t, besideWrite(t, connector.Env{Save: tree.SaveOverwrite}, dir, 1, false))
	wantWriters(t, vfs.Default, dir, 1)
}
