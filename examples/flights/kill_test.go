package flights

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
)

// The job runs in a process of its own, which is the test's binary started again with these variables.
const (
	childFolder = "SPOONBILL_FLIGHTS_FOLDER" // what prepare made; the result and the checkpoint go beside it
	childIn     = "SPOONBILL_FLIGHTS_IN"
	childDelay  = "SPOONBILL_FLIGHTS_DELAY"
)

var killsFlag = flag.Int("kills", 20, "how often the job's process is killed")

// event is a line that the process prints: a file that it begins to read, or an epoch's progress.
type event struct {
	Read     string            `json:"read,omitempty"`
	Progress *backend.Progress `json:"progress,omitempty"`
}

// child is the process: the job as it is, on a file system whose writing calls take their time. The job itself takes half a second, too
// short to be hit at a chosen place; slow calls spread it evenly over the steps between which a crash matters.
func child(folder, in string, out io.Writer) error {
	delay, err := time.ParseDuration(os.Getenv(childDelay))
	if err != nil {
		return err
	}
	var mu sync.Mutex
	say := func(e event) {
		b, err := json.Marshal(e)
		if err != nil {
			panic(err)
		}
		mu.Lock()
		defer mu.Unlock()
		_, _ = out.Write(append(b, '\n')) // the parent has gone when this fails
	}
	slow := errorfs.Wrap(vfs.Default, errorfs.InjectorFunc(func(op errorfs.Op) error {
		switch {
		case op.Kind == errorfs.OpOpen && strings.HasPrefix(filepath.Base(op.Path), "flights-"):
			say(event{Read: filepath.Base(op.Path)})
		case op.Kind.ReadOrWrite() == errorfs.OpIsWrite:
			time.Sleep(delay)
		}
		return nil
	}))
	session, err := local.Open(local.FileSystem(slow))
	if err != nil {
		return err
	}
	defer session.Close()
	ctx := context.Background()
	days := ByDay(filepath.Join(in, "in"), filepath.Join(in, "airlines.csv"))
	query, err := session.Start(ctx, Write(days, filepath.Join(folder, "days"), filepath.Join(folder, "checkpoint")))
	if err != nil {
		return err
	}
	seen := int64(-1)
	report := func() error {
		recent, err := query.RecentProgress(ctx)
		for _, p := range recent {
			if p.BatchID > seen {
				seen = p.BatchID
				say(event{Progress: &p})
			}
		}
		return err
	}
	for active := true; active; {
		time.Sleep(time.Millisecond)
		if active, err = query.IsActive(ctx); err != nil {
			return err
		}
		if err := report(); err != nil {
			return err
		}
	}
	return query.AwaitTermination(ctx)
}

// process is a running child.
type process struct {
	cmd    *exec.Cmd
	events []event
	stderr strings.Builder
	read   chan struct{} // closed when its output has ended
}

func start(t *testing.T, folder, in string, delay time.Duration) *process {
	t.Helper()
	p := &process{cmd: exec.Command(os.Args[0]), read: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), childFolder+"="+folder, childIn+"="+in, childDelay+"="+delay.String())
	p.cmd.Stderr = &p.stderr
	out, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	go func() {
		defer close(p.read)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var e event
			if json.Unmarshal(lines.Bytes(), &e) == nil { // a line that was cut by the kill is none
				p.events = append(p.events, e)
			}
		}
	}()
	return p
}

// wait waits for the end; it is an error when the process failed by itself.
func (p *process) wait() error {
	<-p.read
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("%w: %s", err, p.stderr.String())
	}
	return nil
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended by itself
	<-p.read
	_ = p.cmd.Wait() // says that it was killed
}

func (p *process) done() bool {
	select {
	case <-p.read:
		return true
	default:
		return false
	}
}

// newest gives the largest number that names a file in a folder, -1 for none.
func newest(folder ...string) int64 {
	names, err := os.ReadDir(filepath.Join(folder...))
	if err != nil {
		return -1
	}
	best := int64(-1)
	for _, n := range names {
		if v, err := strconv.ParseInt(n.Name(), 10, 64); err == nil {
			best = max(best, v)
		}
	}
	return best
}

// plainRows reads every Parquet file that a reader finds which passes over names with _ and . and knows nothing of Spoonbill, and gives
// the rows as texts, sorted.
func plainRows(t *testing.T, root string) []string {
	t.Helper()
	var rows []string
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path != root && strings.ContainsAny(d.Name()[:1], "_.") {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return nil
		}
		f, err := file.OpenParquetFile(path, false)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		defer f.Close()
		r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		table, err := r.ReadTable(t.Context())
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		defer table.Release()
		batches := array.NewTableReader(table, 0)
		defer batches.Release()
		for batches.Next() {
			rec := batches.RecordBatch()
			for i := range int(rec.NumRows()) {
				cells := []string{filepath.Base(filepath.Dir(path))}
				for _, c := range rec.Columns() {
					cells = append(cells, c.ValueStr(i))
				}
				rows = append(rows, strings.Join(cells, "|"))
			}
		}
		return batches.Err()
	})
	require.NoError(t, err)
	slices.Sort(rows)
	return rows
}

// progressOf gives the reports of a process by epoch.
func progressOf(events []event) map[int64]*backend.Progress {
	out := map[int64]*backend.Progress{}
	for _, e := range events {
		if e.Progress != nil {
			out[e.Progress.BatchID] = e.Progress
		}
	}
	return out
}

// exactlyOnce runs the job over prepared input, undisturbed and then killed again and again, and compares what a plain reader sees.
func exactlyOnce(t *testing.T, in string, delay time.Duration) {
	kills := *killsFlag
	inside := kills * 3 / 4
	seed := rand.Uint64()
	if s := os.Getenv("SEED"); s != "" {
		var err error
		seed, err = strconv.ParseUint(s, 10, 64)
		require.NoError(t, err)
	}
	t.Logf("seed %d (SEED=%d repeats the choice of moments)", seed, seed)
	r := rand.New(rand.NewPCG(seed, 20))

	calm := t.TempDir()
	p := start(t, calm, in, delay)
	began := time.Now()
	require.NoError(t, p.wait())
	took := time.Since(began)
	want := plainRows(t, filepath.Join(calm, "days"))
	require.NotEmpty(t, want)
	reports := progressOf(p.events)
	last := newest(calm, "checkpoint", "commits")
	require.Len(t, reports, int(last)+1)
	// Each file is an epoch of its own, in order.
	epochOf := map[string]int64{}
	for _, e := range p.events {
		if e.Read != "" {
			epochOf[e.Read] = int64(len(epochOf))
		}
	}
	epoch := took / time.Duration(last+1)
	t.Logf("%d epochs, %s each; %d rows", last+1, epoch.Round(time.Millisecond), len(want))

	done, between, begun, sunk, idle, again := 0, 0, 0, 0, 0, 0
	for life := 0; done < kills || between < inside; life++ {
		require.Less(t, life, 20*kills, "the process is never hit between its first and its last commit")
		folder := t.TempDir()
		commits := filepath.Join(folder, "checkpoint", "commits")
		read := map[string]bool{}
		for running := true; running; {
			committed := newest(commits)
			p := start(t, folder, in, delay)
			if done < kills || between < inside {
				// Somewhere within one of the next epochs, or, now and then, anywhere.
				until, pause := committed+int64(r.IntN(3)), time.Duration(r.Int64N(int64(epoch)))
				if r.IntN(6) == 0 {
					until, pause = -1, time.Duration(r.Int64N(int64(4*epoch)))
				}
				for newest(commits) < until && !p.done() {
					time.Sleep(time.Millisecond)
				}
				time.Sleep(pause)
			} else {
				<-p.read
			}
			if p.done() {
				require.NoError(t, p.wait())
				running = false
			} else {
				p.kill()
				done++
				offsets, now := newest(folder, "checkpoint", "offsets"), newest(commits)
				require.LessOrEqual(t, offsets, now+1, "an epoch began before the one before it was committed")
				if now >= 0 && now < last {
					between++
				}
				switch {
				case offsets <= now:
					idle++
				case newest(folder, "days", "_spoonbill_metadata") == offsets:
					sunk++
				default:
					begun++
				}
			}
			// What this process did begins right behind the last commit that it found.
			first := true
			twice := 0
			for _, e := range p.events {
				switch {
				case e.Read != "":
					n, ok := epochOf[e.Read]
					require.True(t, ok, "%s is read for the first time", e.Read)
					require.Greater(t, n, committed, "%s is of epoch %d, which is committed: the last commit is %d", e.Read, n, committed)
					if read[e.Read] {
						twice++
					}
					read[e.Read] = true
				case e.Progress != nil:
					if first {
						require.Equal(t, committed+1, e.Progress.BatchID, "the first epoch of a process")
						first = false
					}
					if committed == last {
						// All was done before the kill. The only report is that of a look that found nothing.
						require.Equal(t, last+1, e.Progress.BatchID)
						require.Zero(t, e.Progress.NumInputRows)
						continue
					}
					calm := reports[e.Progress.BatchID]
					require.NotNil(t, calm, "epoch %d is not of the undisturbed run", e.Progress.BatchID)
					require.Equal(t, calm.NumInputRows, e.Progress.NumInputRows, "epoch %d", calm.BatchID)
					require.Equal(t, calm.EventTime, e.Progress.EventTime, "epoch %d", calm.BatchID)
				}
			}
			require.LessOrEqual(t, twice, 1, "more than one epoch was read again")
			again += twice
		}
		require.Equal(t, last, newest(commits))
		require.Equal(t, want, plainRows(t, filepath.Join(folder, "days")))
	}
	t.Logf("%d kills, %d between the first and the last commit: %d within an epoch before the sink's commit, %d between that and the epoch's, %d between epochs; %d epochs were read again",
		done, between, begun, sunk, idle, again)
}

// Killed at any moment and started again, the job writes each row once.
func TestExactlyOnceUnderKills(t *testing.T) {
	in := t.TempDir()
	_, _, err := Prepare("testdata/flights.csv.gz", "testdata/airlines.csv.gz", in)
	require.NoError(t, err)
	exactlyOnce(t, in, time.Millisecond)
}
