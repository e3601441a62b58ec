package local_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/functions"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/internal/golden"
	"github.com/spoonbill-go/spoonbill/window"
)

// shape is a query that is run as a batch and as a stream.
type shape struct {
	name  string
	mode  tree.OutputMode
	table func(p expr.Table) expr.Table
	// closed keeps the rows of a batch that an append stream has given by the final watermark.
	closed func(row string, watermark time.Time) bool
}

// endOf reads the end of the window at the start of a row.
func endOf(row string) time.Time {
	_, rest, _ := strings.Cut(row, ", ")
	rest, _, _ = strings.Cut(rest, "}")
	t, err := time.Parse("2006-01-02 15:04:05", rest)
	if err != nil {
		panic(err)
	}
	return t
}

func byWindowEnd(row string, w time.Time) bool { return !endOf(row).After(w) }

var shapes = append([]shape{
	{"map and filter", expr.Append, func(p expr.Table) expr.Table {
		return p.Filter(p.Num("payAmount").Gt(2)).Select("provinceId", p.Num("payAmount").Mul(2).As("twice"))
	}, nil},
	{"sliding sum", expr.Append, perProvince, byWindowEnd},
	{"tumbling, many aggregates", expr.Append, func(p expr.Table) expr.Table {
		w := p.Watermark("createTime", 10*time.Second)
		return w.GroupBy(window.Tumbling(w.Timestamp("createTime"), 20*time.Second), "provinceId").Agg(expr.Count().As("n"), w.Num("payAmount").Min().As("lo"),
			w.Num("payAmount").Max().As("hi"), w.Num("payAmount").Mean().As("mean"), functions.CountIf(w.Num("payAmount").Gt(3)).As("big"), expr.Where(expr.Count(), w.Num("payAmount").Gt(1)).As("some"))
	}, byWindowEnd},
	{"windows of windows", expr.Append, func(p expr.Table) expr.Table {
		w := p.Watermark("createTime", 10*time.Second)
		a := w.GroupBy(window.Tumbling(w.Timestamp("createTime"), 10*time.Second), "provinceId").Agg(expr.Count().As("n"))
		return a.GroupBy(window.Tumbling(a.Window("window").Time(), 30*time.Second)).Agg(a.Num("n").Sum().As("n"))
	}, func(row string, w time.Time) bool {
		// The second aggregation sees its rows when the first has closed, within the same epoch.
		return byWindowEnd(row, w)
	}},
	{"rollup within windows", expr.Append, func(p expr.Table) expr.Table {
		w := p.Watermark("createTime", 10*time.Second)
		return w.GroupBy(window.Tumbling(w.Timestamp("createTime"), 20*time.Second), expr.Rollup("provinceId")).Agg(expr.Count().As("n"), expr.Grouping("provinceId").As("g"), w.Num("payAmount").Sum().As("total"))
	}, byWindowEnd},
	{"sessions", expr.Append, func(p expr.Table) expr.Table {
		w := p.Watermark("createTime", 10*time.Second)
		return w.GroupBy(window.Session(w.Timestamp("createTime"), 900*time.Millisecond), "provinceId").Agg(expr.Count().As("n"), w.Num("payAmount").Sum().As("total"), w.Num("payAmount").Mean().As("mean"))
	}, byWindowEnd},
	{"sessions in complete mode", expr.Complete, func(p expr.Table) expr.Table {
		w := p.Watermark("createTime", time.Minute)
		return w.GroupBy("provinceId", window.SessionGap(w.Timestamp("createTime"), expr.If(w.Num("payAmount").Gt(5), expr.Lit(2*time.Second), 300*time.Millisecond).AsInterval())).Agg(expr.Count().As("n"))
	}, nil},
	{"cumulative windows", expr.Append, func(p expr.Table) expr.Table {
		w := p.Watermark("createTime", 10*time.Second)
		return w.GroupBy(window.Cumulate(w.Timestamp("createTime"), 20*time.Second, 5*time.Second)).Agg(expr.Count().As("n"), w.Num("payAmount").Sum().As("total"))
	}, byWindowEnd},
	{"top of each window", expr.Append, func(p expr.Table) expr.Table {
		w := p.Watermark("createTime", 10*time.Second).Select("createTime", "provinceId", "payAmount")
		w = w.Mutate(window.Tumbling(w.Timestamp("createTime"), 20*time.Second).As("w")).Relocate("w")
		return w.GroupBy("w").OrderBy(w.Num("payAmount").Desc(), "provinceId", "createTime").Limit(3)
	}, byWindowEnd},
	{"cube in complete mode", expr.Complete, func(p expr.Table) expr.Table {
		return p.GroupBy(expr.Cube("provinceId", p.Num("payAmount").Gt(2).As("big"))).Having(expr.Count().Gt(1)).Agg(expr.Count().As("n"), expr.GroupingID().As("id"))
	}, nil},
	{"complete", expr.Complete, func(p expr.Table) expr.Table {
		return p.GroupBy("provinceId").Agg(expr.Count().As("n"), p.Num("payAmount").Max().As("hi"))
	}, nil},
	{"complete, sorted top", expr.Complete, func(p expr.Table) expr.Table {
		return p.GroupBy("provinceId").Agg(expr.Count().As("n")).OrderBy(expr.Desc("n"), "provinceId").Limit(2)
	}, nil},
	{"distinct in complete mode", expr.Complete, func(p expr.Table) expr.Table {
		return p.Select("provinceId", "payAmount").Select("provinceId").Distinct()
	}, nil},
}, overShapes...)

// openEnded are those of which a stream may give more than what the final watermark has passed, so that no batch tells what is right.
var openEnded []shape

// rarely are shapes whose runs take long, with how many places of a crash are left out between two that are tried.
var rarely = map[string]int64{}

// randomChunks makes rows whose event times run on by a minute or two, at most 8 seconds out of order, so that none is late under a
// watermark of 10 seconds; amounts are quarters, whose sums are exact in any order.
func randomChunks(r *rand.Rand, rows int) [][]any {
	base := clock("12:00:00")
	var out [][]any
	for i := range rows {
		t := base.Add(time.Duration(i)*400*time.Millisecond - time.Duration(r.IntN(8000))*time.Millisecond)
		var amount any = float64(r.IntN(40)) / 4
		if r.IntN(10) == 0 {
			amount = nil
		}
		out = append(out, []any{t, r.IntN(4), amount})
	}
	return out
}

// cut splits rows into chunks at random, in order.
func cut(r *rand.Rand, rows [][]any, chunks int) [][][]any {
	var out [][][]any
	for len(rows) > 0 && chunks > 1 {
		n := r.IntN(len(rows)/2 + 1)
		out = append(out, rows[:n])
		rows = rows[n:]
		chunks--
	}
	return append(out, rows)
}

// The final watermark of a query: the greatest time less ten seconds.
func finalWatermark(rows [][]any) time.Time {
	best := time.Time{}
	for _, r := range rows {
		if t := r[0].(time.Time); t.After(best) {
			best = t
		}
	}
	return best.Add(-10 * time.Second).Truncate(time.Millisecond)
}

func (s shape) expect(batch []string, rows [][]any) []string {
	if s.closed == nil {
		return sorted(batch)
	}
	var out []string
	for _, r := range batch {
		if s.closed(r, finalWatermark(rows)) {
			out = append(out, r)
		}
	}
	return sorted(out)
}

func (s shape) got(c *collector) []string {
	if s.mode == expr.Complete {
		return c.last()
	}
	return c.rows()
}

// A stream gives what the batch gives, however its input is cut into epochs and however many goroutines work.
func TestBatchEqualsStream(t *testing.T) {
	for _, sh := range shapes {
		t.Run(sh.name, func(t *testing.T) {
			for seed := range uint64(12) {
				r := rand.New(rand.NewPCG(seed, 7))
				rows := randomChunks(r, 300)
				f, p := payments(t)
				table := sh.table(p)
				f.add(rows...)
				want := sh.expect(collect(t, open(t, local.Parallelism(1+int(seed)%3), local.BatchRows(64)), table), rows)
				g, q := payments(t)
				for _, c := range cut(r, rows, 1+r.IntN(9)) {
					g.add(c...)
				}
				g.perRun = 1
				sink := newCollector()
				s := open(t, local.FileSystem(vfs.NewMem()), local.Parallelism(1+int(seed)%3), local.BatchRows(50), storeOf(int(seed)))
				query, err := s.Start(ctx, sh.table(q).WriteTo(sink).OutputMode(sh.mode).Checkpoint("ckpt").Trigger(expr.AvailableNow()))
				require.NoError(t, err)
				require.NoError(t, query.AwaitTermination(ctx))
				require.Equal(t, want, sh.got(sink), "seed %d", seed)
			}
		})
	}
}

// storeOf is one store or the other; a test takes them in turn.
func storeOf(n int) local.Option {
	if n%2 == 0 {
		return local.StateStore(local.MemoryStore())
	}
	return local.StateStore(local.DiskStore(1 << 20))
}

var errCrash = errors.New("the disk is gone")

// crashing is a file system whose n-th call to write, sync, create, rename or remove fails, and every one behind it.
func crashing(base vfs.FS, n int64) (vfs.FS, *atomic.Int64) {
	var count atomic.Int64
	return errorfs.Wrap(base, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() != errorfs.OpIsWrite {
			return nil
		}
		if count.Add(1) > n {
			return errCrash
		}
		return nil
	})), &count
}

// A crash at any call of the file system, and a restart on what was synced, gives the same output as no crash.
func TestCrashAnywhere(t *testing.T) {
	t.Parallel()
	for i, sh := range append(slices.Clone(shapes), openEnded...) {
		t.Run(sh.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 9))
			rows := randomChunks(r, 120)
			chunks := cut(r, rows, 4)
			run := func(fs vfs.FS, sink *collector, store int) error {
				f, p := payments(t)
				for _, c := range chunks {
					f.add(c...)
				}
				f.perRun = 1
				s, err := local.Open(local.FileSystem(fs), local.Parallelism(2), local.BatchRows(32), storeOf(store))
				require.NoError(t, err)
				defer func() { require.NoError(t, s.Close()) }()
				q, err := s.Start(ctx, sh.table(p).WriteTo(sink).OutputMode(sh.mode).Checkpoint("ckpt").Trigger(expr.AvailableNow()))
				if err != nil {
					return err
				}
				return q.AwaitTermination(ctx)
			}
			for store := range 2 {
				whole := newCollector()
				fs, count := crashing(vfs.NewCrashableMem(), 1<<60)
				require.NoError(t, run(fs, whole, store))
				calls := count.Load()
				require.Greater(t, calls, int64(30))
				step := (1 + rarely[sh.name]) * int64(1+4*store) // the store on disk has more calls, and takes longer
				from := int64(store)
				if strings.HasPrefix(sh.name, "over: ") { // the shapes of this operator share the calls among them
					from, step = from+int64(i%3), 3*step
				}
				if testing.Short() {
					step *= 7
				}
				for n := from; n < calls; n += step {
					base := vfs.NewCrashableMem()
					sink := newCollector()
					fs, _ := crashing(base, n)
					err := run(fs, sink, store)
					if store == 0 || err != nil { // the store on disk removes files at its leisure, perhaps never
						require.ErrorIs(t, err, errCrash, "call %d", n)
					}
					// What was not synced is lost, in part or in whole.
					after := base.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: int(n * 37 % 101), RNG: rand.New(rand.NewPCG(uint64(n), 1))})
					// Either store goes on.
					require.NoError(t, run(after, sink, int(n/step)), "call %d", n)
					require.Equal(t, sh.got(whole), sh.got(sink), "call %d", n)
				}
			}
		})
	}
}

// A query that is stopped after each epoch and resumed gives the same output.
func TestResumeEachEpoch(t *testing.T) {
	for _, sh := range shapes {
		t.Run(sh.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(5, 5))
			rows := randomChunks(r, 200)
			chunks := cut(r, rows, 6)
			sink := newCollector()
			fs := vfs.NewMem()
			f, p := payments(t)
			var id string
			for i, c := range chunks {
				f.add(c...)
				s := open(t, local.FileSystem(fs), local.Parallelism(1+i%3), storeOf(i/2))
				q, err := s.Start(ctx, sh.table(p).WriteTo(sink).OutputMode(sh.mode).Checkpoint("ckpt"))
				require.NoError(t, err)
				require.NoError(t, q.ProcessAllAvailable(ctx))
				if i > 0 {
					require.Equal(t, id, q.ID())
				}
				id = q.ID()
				require.NoError(t, q.Stop(ctx))
			}
			g, whole := payments(t)
			g.add(rows...)
			require.Equal(t, sh.expect(collect(t, open(t), sh.table(whole)), rows), sh.got(sink))
		})
	}
}

// The order of the file system's calls is what makes a crash harmless, so it is held as a text.
func TestCheckpointCalls(t *testing.T) {
	f, p := payments(t)
	f.add([]any{clock("12:00:10"), 1, 1.5})
	f.add([]any{clock("12:02:40"), 1, 2.5})
	f.perRun = 1
	var b strings.Builder
	fs := vfs.WithLogging(vfs.NewMem(), func(format string, args ...any) {
		line := fmt.Sprintf(format, args...)
		if strings.HasPrefix(line, "open:") || strings.HasPrefix(line, "close:") {
			return
		}
		b.WriteString(line + "\n")
	})
	sink := newCollector()
	sink.fail = func(epoch int64) error {
		fmt.Fprintf(&b, "-- sink writes epoch %d\n", epoch)
		return nil
	}
	q, err := open(t, local.FileSystem(fs)).Start(ctx, perProvince(p).WriteTo(sink).Checkpoint("ckpt").Trigger(expr.AvailableNow()))
	require.NoError(t, err)
	require.NoError(t, q.AwaitTermination(ctx))
	golden.Check(t, "testdata/checkpoint-calls.txt", b.String())
}

func TestLateRowsAreCounted(t *testing.T) {
	// Six late rows over two keys count as two groups of a tumbling window and four of a sliding one, as on Spark 4.3 with one partition.
	for _, c := range []struct {
		slide time.Duration
		want  int64
	}{{time.Minute, 2}, {30 * time.Second, 4}} {
		f, p := payments(t)
		w := p.Watermark("createTime", 10*time.Second)
		table := w.GroupBy(window.Sliding(w.Timestamp("createTime"), time.Minute, c.slide), "provinceId").Agg(expr.Count().As("n"))
		sink := newCollector()
		s := open(t)
		q, err := s.Start(ctx, table.WriteTo(sink).OutputMode(expr.Append).Checkpoint(t.TempDir()))
		require.NoError(t, err)
		f.add([]any{clock("12:30:00"), 1, 1.0})
		require.NoError(t, q.ProcessAllAvailable(ctx))
		f.add([]any{clock("12:00:01"), 1, 1.0}, []any{clock("12:00:02"), 1, 1.0}, []any{clock("12:00:03"), 1, 1.0},
			[]any{clock("12:00:01"), 2, 1.0}, []any{clock("12:00:02"), 2, 1.0}, []any{clock("12:00:03"), 2, 1.0})
		require.NoError(t, q.ProcessAllAvailable(ctx))
		progress, err := q.RecentProgress(ctx)
		require.NoError(t, err)
		total := int64(0)
		for _, x := range progress {
			total += x.StateOperators[0].NumRowsDroppedByWatermark
		}
		require.Equal(t, c.want, total)
		require.NoError(t, q.Stop(ctx))
	}
}

func TestUpdateMode(t *testing.T) {
	f, p := payments(t)
	table := p.GroupBy("provinceId").Agg(expr.Count().As("n"))
	sink := newCollector()
	q, err := open(t).Start(ctx, table.WriteTo(sink).OutputMode(expr.Update).Checkpoint(t.TempDir()))
	require.NoError(t, err)
	f.add([]any{clock("12:00:00"), 1, 1.0}, []any{clock("12:00:00"), 2, 1.0})
	require.NoError(t, q.ProcessAllAvailable(ctx))
	f.add([]any{clock("12:00:00"), 2, 1.0})
	require.NoError(t, q.ProcessAllAvailable(ctx))
	require.Equal(t, []string{"1|1", "2|1"}, sorted(sink.epochs[0]))
	require.Equal(t, []string{"2|2"}, sink.epochs[1])
	require.NoError(t, q.Stop(ctx))
}

func TestChangedPlanIsRefused(t *testing.T) {
	f, p := payments(t)
	f.add([]any{clock("12:00:00"), 1, 1.0})
	fs := vfs.NewMem()
	start := func(t expr.Table) error {
		s, err := local.Open(local.FileSystem(fs))
		if err != nil {
			return err
		}
		q, err := s.Start(ctx, t.WriteTo(newCollector()).OutputMode(expr.Complete).Checkpoint("c").Trigger(expr.AvailableNow()))
		if err != nil {
			return err
		}
		return q.AwaitTermination(ctx)
	}
	require.NoError(t, start(p.GroupBy("provinceId").Agg(expr.Count().As("n"))))
	// A filter may change.
	require.NoError(t, start(p.Filter(p.Num("payAmount").Gt(0)).GroupBy("provinceId").Agg(expr.Count().As("n"))))
	err := start(p.GroupBy("provinceId").Agg(p.Num("payAmount").Sum().As("n")))
	require.Equal(t, condition.CheckpointMismatch, condition.Of(err))
	require.Contains(t, err.Error(), "- state 0: aggregate by provinceId INT: count()\n+ state 0: aggregate by provinceId INT: sum(payAmount) of DOUBLE")
}

func TestCorruptCheckpoint(t *testing.T) {
	for _, file := range []string{"metadata", "offsets/0", "commits/0", "state/0/0/1.delta", "sources/0/initial"} {
		for _, damage := range []string{"empty", "cut", "changed"} {
			fs := vfs.NewMem()
			f, p := payments(t)
			start := func() error {
				s := open(t, local.FileSystem(fs))
				f.add([]any{clock("12:00:00"), 1, 1.0})
				q, err := s.Start(ctx, p.GroupBy("provinceId").Agg(expr.Count().As("n")).WriteTo(newCollector()).OutputMode(expr.Complete).Checkpoint("c").Trigger(expr.AvailableNow()))
				if err != nil {
					return err
				}
				return q.AwaitTermination(ctx)
			}
			require.NoError(t, start())
			path := "c/" + file
			g, err := fs.Open(path)
			require.NoError(t, err)
			st, err := g.Stat()
			require.NoError(t, err)
			data := make([]byte, st.Size())
			_, err = g.ReadAt(data, 0)
			require.NoError(t, err)
			require.NoError(t, g.Close())
			switch damage {
			case "empty":
				data = nil
			case "cut":
				data = data[:len(data)/2]
			default:
				for i := range data {
					data[i] ^= 0x15
				}
			}
			w, err := fs.Create(path, "test")
			require.NoError(t, err)
			_, err = w.Write(data)
			require.NoError(t, err)
			require.NoError(t, w.Close())
			err = start()
			var e *condition.Error
			require.ErrorAs(t, err, &e, "%s %s", file, damage)
			require.ErrorIs(t, err, &condition.Error{Condition: condition.CheckpointCorrupt}, "%s %s", file, damage)
			require.Contains(t, err.Error(), file)
		}
	}
}

func TestFailureOfASink(t *testing.T) {
	f, p := payments(t)
	sink := newCollector()
	broken := errors.New("no room")
	sink.fail = func(int64) error { return broken }
	fs := vfs.NewMem()
	s := open(t, local.FileSystem(fs))
	f.add([]any{clock("12:00:00"), 1, 1.0})
	w := p.Select("provinceId").WriteTo(sink).Checkpoint("c")
	q, err := s.Start(ctx, w)
	require.NoError(t, err)
	err = q.AwaitTermination(ctx)
	require.ErrorIs(t, err, broken)
	require.Equal(t, condition.StreamFailed, condition.Of(err))
	failure, err := q.Exception(ctx)
	require.NoError(t, err)
	require.ErrorIs(t, failure, broken)
	active, err := q.IsActive(ctx)
	require.NoError(t, err)
	require.False(t, active)
	sink.fail = nil
	f.add([]any{clock("12:00:01"), 2, 2.0}) // which the epoch that runs again does not take
	q, err = s.Start(ctx, w)
	require.NoError(t, err)
	require.NoError(t, q.ProcessAllAvailable(ctx))
	require.NoError(t, q.Stop(ctx))
	require.Equal(t, map[int64][]string{0: {"1"}, 1: {"2"}}, sink.epochs)
}

// Everything that a source's allocator gave is given back, in batch and in a stream.
func TestMemoryIsGivenBack(t *testing.T) {
	for _, sh := range shapes {
		t.Run(sh.name, func(t *testing.T) {
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			f, p := payments(t)
			f.mem = mem
			r := rand.New(rand.NewPCG(1, 1))
			for range 5 {
				f.add(randomChunks(r, 50)...)
			}
			s := open(t, local.Parallelism(2), local.BatchRows(20))
			collect(t, s, sh.table(p))
			// A reader that stops early.
			res, err := s.Batches(ctx, sh.table(p))
			require.NoError(t, err)
			for _, err := range res.Batches {
				require.NoError(t, err)
				break
			}
			q, err := s.Start(ctx, sh.table(p).WriteTo(newCollector()).OutputMode(sh.mode).Checkpoint(t.TempDir()).Trigger(expr.AvailableNow()))
			require.NoError(t, err)
			require.NoError(t, q.AwaitTermination(ctx))
			mem.AssertSize(t, 0)
		})
	}
}

func TestProgress(t *testing.T) {
	f, p := payments(t)
	s := open(t)
	q, err := s.Start(ctx, perProvince(p).WriteTo(newCollector()).Name("totals").Checkpoint(t.TempDir()))
	require.NoError(t, err)
	f.add([]any{clock("12:00:10"), 1, 1.5}, []any{clock("12:00:40"), 1, 2.5})
	require.NoError(t, q.ProcessAllAvailable(ctx))
	all, err := q.RecentProgress(ctx)
	require.NoError(t, err)
	require.Len(t, all, 2)
	first := all[0]
	require.Equal(t, "totals", first.Name)
	require.EqualValues(t, 2, first.NumInputRows)
	require.Equal(t, map[string]string{"watermark": "1970-01-01T00:00:00.000Z", "min": "2024-01-01T12:00:10.000Z", "max": "2024-01-01T12:00:40.000Z", "avg": "2024-01-01T12:00:25.000Z"}, first.EventTime)
	require.Equal(t, "2024-01-01T12:00:30.000Z", all[1].EventTime["watermark"])
	require.EqualValues(t, 3, first.StateOperators[0].NumRowsUpdated)
	require.EqualValues(t, 1, all[1].StateOperators[0].NumRowsRemoved)
	require.EqualValues(t, 2, all[1].StateOperators[0].NumRowsTotal)
	var back backend.Progress
	require.NoError(t, back.UnmarshalJSON([]byte(first.String())))
	require.NoError(t, q.Stop(ctx))
}

// Rows that are there at the call of ProcessAllAvailable are processed when it returns, although a round that had looked at the sources
// before them ends in the meantime.
func TestProcessAllAvailableWaitsForALaterLook(t *testing.T) {
	f := newFeed(t, "n INT")
	in, out := make(chan struct{}), make(chan struct{})
	var hold atomic.Bool
	hold.Store(true)
	f.looked = func() {
		if hold.Load() {
			in <- struct{}{}
			<-out
		}
	}
	sink := newCollector()
	q, err := open(t).Start(ctx, expr.Read("in", f).WriteTo(sink).Checkpoint(t.TempDir()))
	require.NoError(t, err)
	<-in // the round has seen that there is nothing
	f.add([]any{1})
	done := make(chan error)
	go func() { done <- q.ProcessAllAvailable(ctx) }()
	time.Sleep(50 * time.Millisecond) // the call waits
	out <- struct{}{}
	select {
	case <-in:
	case err := <-done:
		t.Fatalf("it returned before the rows were looked at: %v", err)
	}
	hold.Store(false)
	out <- struct{}{}
	require.NoError(t, <-done)
	require.Equal(t, []string{"1"}, sink.rows())
	require.NoError(t, q.Stop(ctx))
}

// Whatever the state and the output so far depend on may not change between two runs; the error shows the lines that differ.
func TestChangesAreRefused(t *testing.T) {
	f, g := newFeed(t, "k INT, at TIMESTAMP, a INT, b INT"), newFeed(t, "k INT, at TIMESTAMP, a INT, b INT")
	row := []any{1, clock("12:00:00"), 2, 3}
	f.add(row)
	g.add(row)
	in, other := expr.Read("ins", f).Watermark("at", time.Second), expr.Read("other", g).Watermark("at", time.Second)
	group := func(v expr.Value) expr.Table { return in.GroupBy("k").Agg(v) }
	sum := in.Num("a").Sum().As("x")
	join := func(on ...any) expr.Table {
		return in.Join(other, append(on, in.Num("k").Eq(other.Num("k")))...).Select(in.Num("k"), other.Num("b"))
	}
	soon := func(d time.Duration) any { return other.Timestamp("at").Le(in.Timestamp("at").Add(d)) }
	moved := &tree.Source{Format: "testfeed", Fields: f.fields, Batch: true, Stream: true, Local: f, Path: "/there"}
	topic := &tree.Source{Format: "testfeed", Fields: f.fields, Batch: true, Stream: true, Local: f, Options: tree.Options{{Key: "subscribe", Value: "orders"}}}
	limited := &tree.Source{Format: "testfeed", Fields: f.fields, Batch: true, Stream: true, Local: f, Options: tree.Options{{Key: "maxOffsetsPerTrigger", Value: "5"}}}
	plain := expr.Read("ins", f)
	for name, c := range map[string]struct {
		before, after         expr.Table
		modeBefore, modeAfter tree.OutputMode
		diff                  string // "" where the change is allowed
	}{
		"argument":     {group(sum), group(in.Num("b").Sum().As("x")), expr.Update, expr.Update, "+ state 0: aggregate by k INT: sum(b) of INT"},
		"filter":       {group(sum), group(expr.Where(in.Num("a").Sum(), in.Num("b").Gt(1)).As("x")), expr.Update, expr.Update, "sum(a) FILTER (>(b, 1:INT)) of INT"},
		"key":          {group(sum), in.GroupBy(in.Num("k").Add(1).As("k")).Agg(sum), expr.Update, expr.Update, "+ state 0: aggregate by +(k, 1:INT) INT"},
		"mode":         {group(sum), group(sum), expr.Update, expr.Complete, "- output mode: update\n+ output mode: complete"},
		"condition":    {join(soon(time.Minute)), join(soon(time.Hour)), expr.Append, expr.Append, "+ state 0: inner join"},
		"path":         {plain, expr.Read("ins", given{moved}), expr.Append, expr.Append, `+ source 0: testfeed ins path "/there"`},
		"topic":        {plain, expr.Read("ins", given{topic}), expr.Append, expr.Append, `+ source 0: testfeed ins subscribe "orders"`},
		"rate":         {plain, expr.Read("ins", given{limited}), expr.Append, expr.Append, ""},
		"projection":   {group(sum), in.Mutate(in.Num("b").Add(1).As("c")).GroupBy("k").Agg(expr.Num("a").Sum().As("x")), expr.Update, expr.Update, ""},
		"filter above": {join(soon(time.Minute)), join(soon(time.Minute)).Filter(expr.Num("b_right").Gt(expr.Num("k"))), expr.Append, expr.Append, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, local.FileSystem(vfs.NewMem()))
			run := func(table expr.Table, m tree.OutputMode) error {
				q, err := s.Start(ctx, table.WriteTo(newCollector()).OutputMode(m).Checkpoint("c").Trigger(expr.AvailableNow()))
				if err != nil {
					return err
				}
				return q.AwaitTermination(ctx)
			}
			require.NoError(t, run(c.before, c.modeBefore))
			require.NoError(t, run(c.before, c.modeBefore))
			err := run(c.after, c.modeAfter)
			if c.diff == "" {
				require.NoError(t, err)
				return
			}
			require.Equal(t, condition.CheckpointMismatch, condition.Of(err), "%v", err)
			require.Contains(t, err.Error(), c.diff)
		})
	}
}

// given is a source of the tree as it stands.
type given struct{ s *tree.Source }

func (g given) Source() (*tree.Source, error) { return g.s, nil }

// A query does not go on under settings that change its results.
func TestChangedSettingsAreRefused(t *testing.T) {
	f := newFeed(t, "n INT")
	f.add([]any{1})
	fs := vfs.NewMem()
	run := func(opts ...local.Option) error {
		q, err := open(t, append(opts, local.FileSystem(fs))...).Start(ctx, expr.Read("in", f).WriteTo(newCollector()).Checkpoint("c").Trigger(expr.AvailableNow()))
		if err != nil {
			return err
		}
		return q.AwaitTermination(ctx)
	}
	require.NoError(t, run())
	err := run(local.ANSI(false))
	require.Equal(t, condition.CheckpointMismatch, condition.Of(err))
	require.Contains(t, err.Error(), "spark.sql.ansi.enabled=true")
	require.Contains(t, err.Error(), "local.ANSI(true)")
	err = run(local.TimeZone("Europe/Berlin"))
	require.Equal(t, condition.CheckpointMismatch, condition.Of(err))
	require.Contains(t, err.Error(), `local.TimeZone("UTC")`)
	require.NoError(t, run(local.TimeZone("UTC"), local.ANSI(true)))
}
