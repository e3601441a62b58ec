package local_test

import (
	"flag"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/window"
)

var soakFlag = flag.Duration("soak", time.Hour, "how much simulated time TestSoak takes")

// soakSample is what a query holds at a moment.
type soakSample struct {
	rows       int64 // of state
	heap       uint64
	files      int
	bytes      int64 // of the checkpoint
	goroutines int
}

// A query that gets 100 new keys each second, for days of a clock that runs fast, holds no more at the end than after its first hours: state, memory, files of the checkpoint and
// goroutines stay where they are.
func TestSoak(t *testing.T) {
	for name, store := range map[string]local.Option{
		"in memory": local.StateStore(local.MemoryStore()),
		"in Pebble": local.StateStore(local.DiskStore(8 << 20)),
	} {
		t.Run(name, func(t *testing.T) {
			long, fs, dir := *soakFlag, vfs.NewMem(), "/checkpoint"
			// The clock runs on by some seconds whenever somebody looks, so that an epoch has about a minute's rows and nobody waits.
			start := clock("00:00:00")
			var looks atomic.Int64
			passed := func() time.Duration { return time.Duration(looks.Load()) * 4 * time.Second }
			now := func() time.Time { return start.Add(time.Duration(looks.Add(1)) * 4 * time.Second) }
			s := open(t, local.Clock(now), local.FileSystem(fs), store, local.Retain(10), local.Parallelism(2))
			in := expr.Read("events", connectors.Rate(100)).Watermark("timestamp", time.Minute)
			once := in.DropDuplicatesWithinWatermark("value")
			sums := once.GroupBy(window.Tumbling(once.Timestamp("timestamp"), time.Minute), once.Num("value").Mod(1000).As("k")).Agg(expr.Count().As("n"))
			q, err := s.Start(ctx, sums.WriteTo(connectors.Noop()).Checkpoint(dir))
			require.NoError(t, err)
			var (
				samples []soakSample
				epochs  int64
				every   = long / 20
			)
			for next := every; passed() < long; {
				active, err := q.IsActive(ctx)
				require.NoError(t, err)
				if !active {
					require.NoError(t, q.AwaitTermination(ctx))
				}
				if passed() < next {
					time.Sleep(time.Millisecond)
					continue
				}
				x := soakSample{goroutines: runtime.NumGoroutine()}
				p, err := q.LastProgress(ctx)
				require.NoError(t, err)
				if p == nil {
					time.Sleep(time.Millisecond)
					continue
				}
				next += every
				for _, o := range p.StateOperators {
					x.rows += o.NumRowsTotal
				}
				epochs = p.BatchID
				x.files, x.bytes = folderSize(fs, dir)
				runtime.GC()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				x.heap = m.HeapAlloc
				samples = append(samples, x)
			}
			require.NoError(t, q.Stop(ctx))
			require.Greater(t, len(samples), 10)
			require.Greater(t, epochs, int64(20))
			// The first fifth is for the state to fill and for the first logs to be purged.
			warm := samples[len(samples)/5:]
			before, after := most(warm[:len(warm)/2]), most(warm[len(warm)/2:])
			t.Logf("%v simulated in %d epochs, at most %d rows of state, %d MiB of heap, %d files and %d KiB of checkpoint", passed().Round(time.Minute), epochs, after.rows, after.heap>>20, after.files, after.bytes>>10)
			require.LessOrEqual(t, after.rows, before.rows*5/4, fmt.Sprint(samples))
			require.LessOrEqual(t, after.heap, before.heap*5/4+8<<20, fmt.Sprint(samples))
			require.LessOrEqual(t, after.files, before.files*3/2+20, fmt.Sprint(samples))
			require.LessOrEqual(t, after.bytes, before.bytes*3/2+1<<20, fmt.Sprint(samples))
			require.LessOrEqual(t, after.goroutines, before.goroutines+4, fmt.Sprint(samples))
		})
	}
}

// most has the greatest of each measure.
func most(samples []soakSample) (out soakSample) {
	for _, x := range samples {
		out.rows, out.heap, out.files, out.bytes, out.goroutines = max(out.rows, x.rows), max(out.heap, x.heap), max(out.files, x.files), max(out.bytes, x.bytes), max(out.goroutines, x.goroutines)
	}
	return out
}

// folderSize counts files and their bytes; what vanishes meanwhile counts as nothing.
func folderSize(fs vfs.FS, dir string) (files int, bytes int64) {
	names, err := fs.List(dir)
	if err != nil {
		return 0, 0
	}
	for _, n := range names {
		path := fs.PathJoin(dir, n)
		info, err := fs.Stat(path)
		switch {
		case err != nil:
		case info.IsDir():
			f, b := folderSize(fs, path)
			files, bytes = files+f, bytes+b
		default:
			files, bytes = files+1, bytes+info.Size()
		}
	}
	return files, bytes
}
