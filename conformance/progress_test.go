package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/window"
)

// watched are the queries whose handles, progress and events are compared, by name. Each reads two files of each of its inputs, a file an epoch.
var watched = []struct {
	name  string
	query func(dir string) expr.Write
}{
	{"stateless", func(dir string) expr.Write {
		e := watchedInput("events", dir)
		return e.Mutate(e.Num("v").Mul(2).As("twice")).WriteTo(connectors.Noop())
	}},
	{"windows", func(dir string) expr.Write {
		e := watchedInput("events", dir).Watermark("at", 10*time.Second)
		return e.GroupBy(window.Tumbling(e.Timestamp("at"), 10*time.Second), "k").Agg(e.Num("v").Sum().As("total")).WriteTo(connectors.Noop())
	}},
	{"dedup", func(dir string) expr.Write {
		return watchedInput("events", dir).Watermark("at", 10*time.Second).DropDuplicates("k", "at").WriteTo(connectors.Noop())
	}},
	{"join", func(dir string) expr.Write {
		l, r := watchedInput("others", dir).Watermark("at", 10*time.Second), watchedInput("more", dir).Watermark("at", 10*time.Second)
		return l.Join(r, l.Str("k").Eq(r.Str("k")), l.Timestamp("at").Eq(r.Timestamp("at"))).Select(l.Str("k"), l.Num("v")).WriteTo(connectors.Noop())
	}},
	{"rows in each epoch", func(string) expr.Write {
		r := expr.Read("rows", connectors.RateMicroBatch(7, connectors.NumPartitions(2), connectors.StartTimestamp(time.UnixMilli(5000)), connectors.AdvancePerBatch(3*time.Second)))
		r = r.Watermark("timestamp", time.Second)
		return r.GroupBy(window.Tumbling(r.Timestamp("timestamp"), time.Second)).Agg(r.Num("value").Sum().As("total")).WriteTo(connectors.Noop()).OutputMode(expr.Update)
	}},
}

func watchedInput(name, dir string) expr.Table {
	return expr.Read(name, connectors.FromJSON(filepath.Join(dir, name), connectors.RowsDDL("at TIMESTAMP, k STRING, v INT"), connectors.MaxFilesPerTrigger(1)))
}

// writeWatched writes the input of the queries.
func writeWatched(dir string) error {
	for _, name := range []string{"events", "others", "more"} {
		at := filepath.Join(dir, name)
		if err := errors.Join(os.Mkdir(at, 0o777), os.Chmod(at, 0o777)); err != nil {
			return err
		}
		for i, rows := range []string{
			`{"at":"2024-01-01T00:00:01Z","k":"a","v":1}` + "\n" + `{"at":"2024-01-01T00:00:02Z","k":"b","v":2}` + "\n" + `{"at":"2024-01-01T00:00:02Z","k":"b","v":3}` + "\n",
			`{"at":"2024-01-01T00:01:00Z","k":"a","v":4}` + "\n",
			`{"at":"2024-01-01T00:00:03Z","k":"late","v":5}` + "\n" + `{"at":"2024-01-01T00:01:01Z","k":"c","v":6}` + "\n",
		} {
			if _, rest, ok := strings.Cut(rows, "\n"); ok && i == 2 && name != "events" {
				rows = rest // without the late row
			}
			file := filepath.Join(at, fmt.Sprintf("%d.json", i))
			old := time.Now().Add(time.Duration(i-10) * time.Minute)
			if err := errors.Join(os.WriteFile(file, []byte(rows), 0o666), os.Chtimes(file, old, old)); err != nil {
				return err
			}
		}
	}
	return nil
}

// report is what a backend says of a query, as JSON by place.
type report map[string]string

// reportOf runs a query twice, the second time with nothing new in its files, and gives all that its handles, its progress and a listener say.
func reportOf(ctx context.Context, s backend.Session, name string, w expr.Write, checkpoint string) (report, error) {
	var h heard
	listening, end := context.WithCancel(ctx)
	var listener sync.WaitGroup
	defer listener.Wait()
	defer end()
	ready := make(chan struct{})
	listener.Go(func() { _ = s.Streams().Listen(listening, func() { close(ready) }, h.see) })
	<-ready
	r := report{}
	for _, run := range []string{"first", "again"} {
		q, err := s.Start(ctx, w.Name(name).Checkpoint(checkpoint).Trigger(expr.AvailableNow()))
		if err != nil {
			return nil, err
		}
		if err := q.AwaitTermination(ctx); err != nil {
			return nil, err
		}
		for h.last(q.RunID()).Kind != backend.Terminated {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(20 * time.Millisecond):
			}
		}
		if err := r.handle(ctx, run+".handle", q); err != nil {
			return nil, err
		}
		progress, err := q.RecentProgress(ctx)
		if err != nil {
			return nil, err
		}
		for _, p := range progress {
			if err := r.add(fmt.Sprintf("%s.progress[%d]", run, p.BatchID), p); err != nil {
				return nil, err
			}
		}
		h.mu.Lock()
		n := map[backend.EventKind]int{}
		for _, e := range h.list {
			if e.RunID != q.RunID() {
				continue
			}
			e.Lints = nil
			if err := r.add(fmt.Sprintf("%s.%v[%d]", run, e.Kind, n[e.Kind]), e); err != nil {
				h.mu.Unlock()
				return nil, err
			}
			n[e.Kind]++
		}
		h.mu.Unlock()
	}
	return r, nil
}

// text gives a report as lines, without what differs from run to run.
func (r report) text(dir string) string {
	lines := make([]string, 0, len(r))
	for place, value := range r {
		if measured(place) {
			value = "measured"
		}
		lines = append(lines, place+" = "+strings.ReplaceAll(value, dir, "DIR")+"\n")
	}
	sort.Strings(lines)
	return strings.Join(lines, "")
}

// reportIn reads the lines of a report.
func reportIn(text, dir string) report {
	r := report{}
	for line := range strings.Lines(text) {
		place, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " = ")
		r[place] = strings.ReplaceAll(value, "DIR", dir)
	}
	return r
}

// recordedReport is the file of what Spark said of a query.
func recordedReport(name string) string {
	return filepath.Join("testdata", "progress", strings.ReplaceAll(name, " ", "-")+".txt")
}

// What the local engine says of its queries is what Spark said when it was asked.
func TestLocalProgress(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, writeWatched(dir))
	for _, c := range watched {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			want, err := os.ReadFile(recordedReport(c.name))
			require.NoError(t, err)
			s, err := local.Open(local.Parallelism(1))
			require.NoError(t, err)
			defer func() { require.NoError(t, s.Close()) }()
			got, err := reportOf(ctx, s, c.name, c.query(dir), t.TempDir())
			require.NoError(t, err)
			found := differ(reportIn(string(want), dir), got)
			require.True(t, len(found) == 0, strings.Join(found, "\n"))
		})
	}
}

// A report that lacks a member, has one too many or another value is told from the one that it should be.
func TestReportsDiffer(t *testing.T) {
	want := report{"p.batchId": "0", "p.id": `"a"`, "p.durationMs.addBatch": "7", "p.sink.description": `"NoopTable"`, "p.sources[0].metrics.malformedRecords": `"0"`}
	require.Empty(t, differ(want, report{"p.batchId": "0", "p.id": `"b"`, "p.durationMs.addBatch": "8", "p.sink.description": `"NoopTable"`, "p.processedRowsPerSecond": "1"}))
	require.Len(t, differ(want, report{"p.batchId": "1", "p.id": `"b"`, "p.sink.description": `"NoopTable"`, "p.new": "1"}), 3)
	require.Equal(t, want, reportIn(want.text("/nowhere"), "/nowhere").with(want))
}

// with gives the report with another's values where they are measured.
func (r report) with(other report) report {
	for place := range r {
		if measured(place) {
			r[place] = other[place]
		}
	}
	return r
}

// handle adds what a handle of a query that has ended says.
func (r report) handle(ctx context.Context, at string, q backend.Query) error {
	status, err := q.Status(ctx)
	if err != nil {
		return err
	}
	active, err := q.IsActive(ctx)
	if err != nil {
		return err
	}
	failure, err := q.Exception(ctx)
	if err != nil {
		return err
	}
	last, err := q.LastProgress(ctx)
	if err != nil {
		return err
	}
	return r.add(at, map[string]any{"id": q.ID(), "runId": q.RunID(), "name": q.Name(), "status": status, "isActive": active, "exception": failure, "hasProgress": last != nil})
}

// add adds a value: each member of its JSON by its place.
func (r report) add(at string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var members any
	if err := json.Unmarshal(text, &members); err != nil {
		return err
	}
	r.walk(at, members)
	return nil
}

func (r report) walk(at string, v any) {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			r[at] = "{}"
		}
		for k, x := range v {
			r.walk(at+"."+k, x)
		}
	case []any:
		if len(v) == 0 {
			r[at] = "[]"
		}
		for i, x := range v {
			r.walk(fmt.Sprintf("%s[%d]", at, i), x)
		}
	default:
		text, _ := json.Marshal(v) // it was read from JSON
		r[at] = string(text)
	}
}

// measured tells members whose values are times, durations, ids or sizes, which differ from run to run.
func measured(place string) bool {
	member := strings.ToLower(place[strings.LastIndexByte(place, '.')+1:])
	for _, part := range []string{"timestamp", "duration", "persecond", "timems", "memoryusedbytes"} {
		if strings.HasSuffix(member, part) && !strings.Contains(place, "Offset.") {
			return true
		}
	}
	return member == "id" || member == "runid" || strings.Contains(place, ".durationMs.") || strings.Contains(place, ".customMetrics.")
}

// own tells members that one backend alone has on purpose; docs/differences.md names them.
func own(place string) bool {
	for _, m := range []string{
		// The metrics of Spark's state store, which is not the local engine's.
		".customMetrics.SnapshotLastUploaded.", ".customMetrics.forceSnapshotCount", ".customMetrics.loadedMapCacheHitCount", ".customMetrics.loadedMapCacheMissCount", ".customMetrics.numSnapshotsAutoRepaired", ".customMetrics.stateOnCurrentVersionSizeBytes",
		// Late rows by row, where Spark counts them by group.
		".customMetrics.numLateInputRows",
		// What the local engine tells of files.
		".metrics.malformedRecords", ".metrics.numFilesOutstanding", ".metrics.numBytesOutstanding",
	} {
		if strings.Contains(place, m) {
			return true
		}
	}
	return false
}

// unmeasured tells members that are left out where an epoch took no measurable time, or came within a millisecond of the one before: a rate would be infinite, which JSON has
// no number for. On the local engine that is so from run to run.
func unmeasured(place string) bool {
	return strings.HasSuffix(place, "processedRowsPerSecond") || strings.HasSuffix(place, "inputRowsPerSecond")
}

// differ gives the places where two reports differ: of members that only one has, and of values that are neither times, durations, ids nor sizes.
func differ(spark, local report) []string {
	var out []string
	for place, want := range spark {
		got, ok := local[place]
		switch {
		case own(place), !ok && unmeasured(place):
		case !ok:
			out = append(out, fmt.Sprintf("%s: Spark says %s, and the local engine nothing", place, want))
		case got != want && !measured(place):
			out = append(out, fmt.Sprintf("%s: Spark says %s, and the local engine %s", place, want, got))
		}
	}
	for place, got := range local {
		if _, ok := spark[place]; !ok && !own(place) && !unmeasured(place) {
			out = append(out, fmt.Sprintf("%s: Spark says nothing, and the local engine %s", place, got))
		}
	}
	sort.Strings(out)
	return out
}
