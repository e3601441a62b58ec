package local_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/window"
)

// backfillJobs are queries of which a stream gives the rows of a batch, but for windows that its last watermark has not closed.
var backfillJobs = map[string]func(p, q expr.Table) expr.Table{
	"projection": func(p, _ expr.Table) expr.Table { return p.Select("at", "k", p.Num("v").Mul(2).As("w")) },
	"tumbling": func(p, _ expr.Table) expr.Table {
		return p.GroupBy(window.Tumbling(p.Timestamp("at"), 10*time.Second), "k").Agg(p.Num("v").Sum().As("total"), expr.Count().As("n"))
	},
	"sliding": func(p, _ expr.Table) expr.Table {
		return p.GroupBy(window.Sliding(p.Timestamp("at"), 20*time.Second, 10*time.Second)).Agg(p.Num("v").Max().As("most"))
	},
	"sessions": func(p, _ expr.Table) expr.Table {
		return p.GroupBy(window.Session(p.Timestamp("at"), 700*time.Millisecond), "k").Agg(expr.Count().As("n"))
	},
	"distinct": func(p, _ expr.Table) expr.Table { return p.Select("k", "v").DropDuplicates() },
	"join": func(p, q expr.Table) expr.Table {
		r := q.Rename(map[string]string{"other": "at", "key": "k", "w": "v"})
		return p.Join(r, p.Num("k").Eq(r.Num("key")), r.Timestamp("other").Ge(p.Timestamp("at")), r.Timestamp("other").Le(p.Timestamp("at").Add(time.Second))).Select("at", "other", "k", "v", "w")
	},
}

// backfillRows makes rows of a stretch of time, shuffled over all of it.
func backfillRows(r *rand.Rand, from time.Time, seconds, n int) (out []string) {
	for range n {
		at := from.Add(time.Duration(r.Int64N(int64(seconds)*1000)) * time.Millisecond)
		out = append(out, fmt.Sprintf("{\"at\":%q,\"k\":%d,\"v\":%d}\n", at.Format("2006-01-02T15:04:05.000Z"), r.IntN(4), r.IntN(30)))
	}
	return out
}

// A backfill gives over history and what comes behind it the rows of one batch over all: none is lost, none comes twice, none is late, in whichever order the history lies.
func TestBackfillIsBatch(t *testing.T) {
	t.Parallel()
	seeds := uint64(8)
	if testing.Short() {
		seeds = 2
	}
	for name, job := range backfillJobs {
		t.Run(name, func(t *testing.T) {
			for seed := range seeds {
				r := rand.New(rand.NewPCG(seed, 8))
				fs := vfs.NewMem()
				require.NoError(t, fs.MkdirAll("/in", 0o755))
				file, rows := 0, 0
				add := func(lines []string) {
					for len(lines) > 0 {
						n := 1 + r.IntN(len(lines))
						var b bytes.Buffer
						for _, l := range lines[:n] {
							b.WriteString(l)
						}
						writeFile(t, fs, fmt.Sprintf("/in/%04d.json", file), b.Bytes())
						lines, file, rows = lines[n:], file+1, rows+n
					}
				}
				read := func(name string) expr.Table {
					return expr.Read(name, connectors.FromJSON("/in", connectors.RowsDDL("at TIMESTAMP, k INT, v INT"), connectors.MaxFilesPerTrigger(1))).Watermark("at", 10*time.Second)
				}
				query := job(read("p"), read("q"))
				start := clock("12:00:00")
				// History lies in any order, over a stretch that is much longer than the delay.
				add(backfillRows(r, start, 300, 50+r.IntN(100)))
				history := file
				s := open(t, local.FileSystem(fs), local.Parallelism(2), local.BatchRows(16), storeOf(int(seed)))
				sink := connectors.NewMemorySink()
				q, err := backend.Backfill(ctx, s, query.WriteTo(sink).Checkpoint("/ckpt"))
				require.NoError(t, err)
				require.NoError(t, q.ProcessAllAvailable(ctx))
				// What comes then is late for nobody: at most ten seconds behind the newest.
				for i := range 4 + r.IntN(4) {
					add(backfillRows(r, start.Add(time.Duration(300+9*i)*time.Second), 9, 1+r.IntN(20)))
					if r.IntN(2) == 0 {
						require.NoError(t, q.ProcessAllAvailable(ctx))
					}
				}
				require.NoError(t, q.ProcessAllAvailable(ctx))
				progress, err := q.RecentProgress(ctx)
				require.NoError(t, err)
				watermark := time.Time{}
				for _, p := range progress {
					require.Positive(t, p.BatchID, "epoch 0 was the history's")
					for _, o := range p.StateOperators {
						require.Zero(t, o.NumRowsDroppedByWatermark, "seed %d", seed)
					}
					if at, err := time.Parse(time.RFC3339, p.EventTime["watermark"]); err == nil {
						watermark = at
					}
				}
				require.NoError(t, q.Stop(ctx))
				require.Greater(t, history, 0)

				batch := connectors.NewMemorySink()
				require.NoError(t, s.Write(ctx, query.WriteTo(batch)))
				want := batch.Rows()
				if f := query.Schema().Field(0); strings.HasSuffix(f.Name, "window") {
					want = slices.DeleteFunc(want, func(row []any) bool { return row[0].([]any)[1].(int64) > watermark.UnixMicro() })
					require.Less(t, len(want), len(batch.Rows()))
				}
				require.NotEmpty(t, want)
				require.ElementsMatch(t, texts(want), texts(sink.Rows()), "seed %d", seed)
			}
		})
	}
}

func texts(rows [][]any) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = fmt.Sprint(r...)
	}
	return out
}

// The same history as a plain stream loses rows that are late.
func TestStreamOfHistoryIsLate(t *testing.T) {
	fs := vfs.NewMem()
	require.NoError(t, fs.MkdirAll("/in", 0o755))
	writeFile(t, fs, "/in/0.json", []byte("{\"at\":\"2024-01-01T12:10:00Z\",\"k\":1,\"v\":1}\n"))
	writeFile(t, fs, "/in/1.json", []byte("{\"at\":\"2024-01-01T12:10:01Z\",\"k\":1,\"v\":1}\n"))
	writeFile(t, fs, "/in/2.json", []byte("{\"at\":\"2024-01-01T12:00:00Z\",\"k\":1,\"v\":1}\n"))
	p := expr.Read("p", connectors.FromJSON("/in", connectors.RowsDDL("at TIMESTAMP, k INT, v INT"), connectors.MaxFilesPerTrigger(1))).Watermark("at", 10*time.Second)
	counts := p.GroupBy(window.Tumbling(p.Timestamp("at"), time.Minute)).Agg(expr.Count().As("n"))
	s := open(t, local.FileSystem(fs))
	plain, filled := connectors.NewMemorySink(), connectors.NewMemorySink()
	q, err := s.Start(ctx, counts.WriteTo(plain).Trigger(expr.AvailableNow()))
	require.NoError(t, err)
	require.NoError(t, q.AwaitTermination(ctx))
	require.Empty(t, plain.Rows())
	q, err = backend.Backfill(ctx, s, counts.WriteTo(filled).Checkpoint("/ckpt").Trigger(expr.AvailableNow()))
	require.NoError(t, err)
	require.NoError(t, q.AwaitTermination(ctx))
	require.Len(t, filled.Rows(), 1)
}

// A crash at any call within the history or behind it, and a call of Backfill again: files have each row once.
func TestBackfillAfterCrash(t *testing.T) {
	t.Parallel()
	j := fileJobs[0]
	run := func(fs vfs.FS) error {
		s, err := local.Open(local.FileSystem(fs), local.Parallelism(2), local.BatchRows(16))
		require.NoError(t, err)
		defer func() { require.NoError(t, s.Close()) }()
		q, err := backend.Backfill(ctx, s, j.query())
		if err != nil {
			return err
		}
		return q.AwaitTermination(ctx)
	}
	fs, calls := crashing(inputFiles(t, 3), 1<<60)
	require.NoError(t, run(fs))
	whole := plainRows(t, fs, "/out")
	require.Greater(t, len(whole), 8)
	for n := int64(0); n < calls.Load(); n += 3 {
		base := inputFiles(t, 3)
		fs, _ := crashing(base, n)
		require.ErrorIs(t, run(fs), errCrash, "call %d", n)
		base = base.CrashClone(vfs.CrashCloneCfg{})
		require.NoError(t, run(base), "call %d", n)
		require.Equal(t, whole, plainRows(t, base, "/out"), "call %d", n)
	}
}

func TestBackfillRefused(t *testing.T) {
	fs := inputFiles(t, 2)
	s := open(t, local.FileSystem(fs))
	j := fileJobs[0]
	p := expr.Read("p", connectors.FromJSON("/in", connectors.RowsDDL("a INT")))
	_, err := backend.Backfill(ctx, s, p.WriteTo(connectors.Noop()))
	require.Equal(t, condition.InvalidOption, condition.Of(err))
	require.ErrorContains(t, err, "Checkpoint")
	for _, opts := range [][]connectors.Option{nil, {connectors.StartingOffsets(connectors.Latest)}} {
		k := expr.Read("k", connectors.FromKafka("localhost:1", "t", connectors.Codec{}, opts...))
		_, err = backend.Backfill(ctx, s, k.WriteTo(connectors.Noop()).Checkpoint("/c"))
		require.Equal(t, condition.InvalidOption, condition.Of(err))
		require.ErrorContains(t, err, "begins at the latest offset")
		require.ErrorContains(t, err, "backfill_test.go:")
	}
	_, err = backend.Backfill(ctx, nil, j.query())
	require.Equal(t, condition.InvalidValue, condition.Of(err))
	_, err = backend.Backfill(ctx, s, expr.Write{})
	require.Error(t, err)

	// A context that ends within the history stops it; the next call goes on.
	ended, cancel := context.WithCancel(ctx)
	slow := open(t, local.FileSystem(errorfs.Wrap(fs, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpOpen && op.Path == "/in/01.json" {
			cancel()
			time.Sleep(20 * time.Millisecond)
		}
		return nil
	}))))
	_, err = backend.Backfill(ended, slow, j.query())
	require.ErrorIs(t, err, context.Canceled)
	active, err := slow.Streams().Active(ctx)
	require.NoError(t, err)
	require.Empty(t, active)
	q, err := backend.Backfill(ctx, s, j.query())
	require.NoError(t, err)
	require.NoError(t, q.AwaitTermination(ctx))
	require.NotEmpty(t, plainRows(t, fs, "/out"))
}
