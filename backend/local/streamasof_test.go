package local_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/window"
)

const (
	tradesDDL = "id INT, symbol INT, at TIMESTAMP"
	quotesDDL = "symbol INT, at TIMESTAMP, bid INT, gone BOOLEAN"
)

// asofShapes are joins of trades with the nearest of the quotes, both of which may be streams. wait is how long a trade waits behind its time.
var asofShapes = []struct {
	name  string
	wait  time.Duration
	table func(trades, quotes expr.Table) expr.Table
}{
	{"backward", 0, asofBy()},
	{"backward, strict", 0, asofBy(expr.AsofStrict())},
	{"backward within 7 seconds", 0, asofBy(expr.AsofTolerance(7 * time.Second))},
	{"forward within 6 seconds", 6 * time.Second, asofBy(expr.AsofForward(), expr.AsofTolerance(6*time.Second))},
	{"forward, strict", 6 * time.Second, asofBy(expr.AsofForward(), expr.AsofStrict(), expr.AsofTolerance(6*time.Second))},
	{"nearest within 5 seconds", 5 * time.Second, asofBy(expr.AsofNearest(), expr.AsofTolerance(5*time.Second))},
	{"without keys", 0, func(l, r expr.Table) expr.Table {
		return l.AsofJoin(r, "at").Select(l.Timestamp("at"), l.Num("id"), r.Num("bid"))
	}},
	{"null-safe keys", 0, func(l, r expr.Table) expr.Table {
		return l.AsofJoin(r, "at", l.Num("symbol").EqNullSafe(r.Num("symbol"))).Select(l.Timestamp("at"), l.Num("id"), r.Num("bid"))
	}},
	{"temporal", 0, func(l, r expr.Table) expr.Table {
		return l.TemporalJoin(r.Versioned("at", "symbol"), "at").Select(l.Timestamp("at"), l.Num("id"), r.Num("bid"))
	}},
	{"temporal with deletions", 0, func(l, r expr.Table) expr.Table {
		return l.TemporalJoin(r.Versioned("at", "symbol").DeletedWhere(r.Bool("gone")), l.Timestamp("at")).Select(l.Timestamp("at"), l.Num("id"), r.Num("bid"))
	}},
	{"temporal left with deletions", 0, func(l, r expr.Table) expr.Table {
		return l.TemporalLeftJoin(r.Versioned("at", "symbol").DeletedWhere(r.Num("bid").IsNull()), "at", "symbol").Select("at", "id", "bid")
	}},
	{"windows above", 6 * time.Second, func(l, r expr.Table) expr.Table {
		j := l.AsofJoin(r, "at", "symbol", expr.AsofForward(), expr.AsofTolerance(6*time.Second))
		return j.GroupBy(window.Tumbling(j.Timestamp("at"), 20*time.Second), "symbol").Agg(j.Num("bid").Sum().As("sum"), expr.Count().As("n"))
	}},
}

func asofBy(options ...any) func(l, r expr.Table) expr.Table {
	return func(l, r expr.Table) expr.Table {
		return l.AsofJoin(r, "at", append([]any{"symbol"}, options...)...).Select(l.Timestamp("at"), l.Num("id"), l.Num("symbol"), r.Timestamp("at").As("quoted"), r.Num("bid"))
	}
}

// asofRows are trades and quotes of whole seconds, so that times are often equal, at most 8 seconds out of order, with nulls in keys and times.
func asofRows(r *rand.Rand, n int) (trades, quotes [][]any) {
	some := func(x any) any {
		if r.IntN(12) == 0 {
			return nil
		}
		return x
	}
	at := func(i int) time.Time {
		return clock("12:00:00").Add(time.Duration(i/2)*time.Second - time.Duration(r.IntN(8))*time.Second)
	}
	for i := range n {
		var symbol any = r.IntN(5)
		if i < n-70 { // one without a key would not wait
			symbol = some(symbol)
		}
		trades = append(trades, []any{i, symbol, some(at(i))})
		quotes = append(quotes, []any{some(r.IntN(5)), some(at(i)), some(r.IntN(50)), some(r.IntN(4) == 0)})
	}
	return trades, quotes
}

// lastMark is the final watermark: the least of the sides' greatest times, less ten seconds.
func lastMark(trades, quotes [][]any) time.Time {
	last := func(rows [][]any, c int) (out time.Time) {
		for _, r := range rows {
			if t, ok := r[c].(time.Time); ok && t.After(out) {
				out = t
			}
		}
		return out
	}
	a, b := last(trades, 2), last(quotes, 1)
	if b.Before(a) {
		a = b
	}
	return a.Add(-10 * time.Second)
}

// Two streams, cut anywhere and resumed anywhere, with either store, give of the trades that the watermark has passed what a batch gives.
func TestAsofJoinOfStreams(t *testing.T) {
	for _, sh := range asofShapes {
		t.Run(sh.name, func(t *testing.T) {
			for seed := range uint64(8) {
				r := rand.New(rand.NewPCG(seed, 77))
				trades, quotes := asofRows(r, 150)
				batch := collect(t, open(t), sh.table(memtable(t, tradesDDL, trades).Watermark("at", time.Second), memtable(t, quotesDDL, quotes).View()))
				mark := lastMark(trades, quotes).Add(-sh.wait)
				want, matched := []string{}, 0
				for _, row := range batch {
					switch {
					case sh.name == "windows above" && endOf(row).After(mark):
					case strings.HasPrefix(row, "NULL|"):
						want = append(want, row)
					case sh.name == "windows above" || byTime(row, mark):
						want = append(want, row)
						if !strings.HasSuffix(row, "|NULL") {
							matched++
						}
					}
				}
				require.Greater(t, matched, 10)
				l, q := newFeed(t, tradesDDL), newFeed(t, quotesDDL)
				table := sh.table(expr.Read("trades", l).Watermark("at", 10*time.Second), expr.Read("quotes", q).Watermark("at", 10*time.Second))
				sink, fs := newCollector(), vfs.NewMem()
				cl, cq := cut(r, trades, 1+r.IntN(8)), cut(r, quotes, 1+r.IntN(8))
				if seed%2 == 1 { // in a run of its own each side must have rows, or it would hold the watermark where it is
					cl, cq = nil, nil
					for k := 0; k < len(trades); k += 30 {
						cl, cq = append(cl, trades[k:k+30]), append(cq, quotes[k:k+30])
					}
				}
				for i := range max(len(cl), len(cq)) {
					if i < len(cl) {
						l.add(cl[i]...)
					}
					if i < len(cq) {
						q.add(cq[i]...)
					}
					if seed%2 == 1 { // a restart behind each epoch
						query, err := open(t, local.FileSystem(fs), storeOf(i/2)).Start(ctx, table.WriteTo(sink).Checkpoint("c").Trigger(expr.Once()))
						requireEnd(t, query, err)
					}
				}
				l.perRun, q.perRun = 1, 1
				query, err := open(t, local.FileSystem(fs), local.Parallelism(1+int(seed)%3), local.BatchRows(40), storeOf(int(seed/2))).
					Start(ctx, table.WriteTo(sink).Checkpoint("c").Trigger(expr.AvailableNow()))
				requireEnd(t, query, err)
				require.Equal(t, sorted(want), sink.rows(), "seed %d", seed)
			}
		})
	}
}

// A crash at any call of the file system, and a restart on what was synced, gives the same output as no crash.
func TestAsofJoinOfStreamsAfterCrashAnywhere(t *testing.T) {
	t.Parallel()
	trades, quotes := asofRows(rand.New(rand.NewPCG(8, 1)), 90)
	for i, name := range []string{"backward", "nearest within 5 seconds", "temporal left with deletions"} {
		for _, sh := range asofShapes {
			if sh.name != name {
				continue
			}
			run := func(fs vfs.FS, sink *collector, store int) error {
				l, q := newFeed(t, tradesDDL), newFeed(t, quotesDDL)
				for k := range 3 {
					l.add(trades[30*k : 30*k+30]...)
					q.add(quotes[30*k : 30*k+30]...)
				}
				l.perRun, q.perRun = 1, 1
				s, err := local.Open(local.FileSystem(fs), storeOf(store))
				require.NoError(t, err)
				defer func() { require.NoError(t, s.Close()) }()
				table := sh.table(expr.Read("trades", l).Watermark("at", 10*time.Second), expr.Read("quotes", q).Watermark("at", 10*time.Second))
				query, err := s.Start(ctx, table.WriteTo(sink).Checkpoint("c").Trigger(expr.AvailableNow()))
				if err != nil {
					return err
				}
				return query.AwaitTermination(ctx)
			}
			whole := newCollector()
			fs, count := crashing(vfs.NewCrashableMem(), 1<<60)
			require.NoError(t, run(fs, whole, 0))
			require.Greater(t, len(whole.rows()), 10)
			step := int64(2)
			if testing.Short() {
				step = 9
			}
			for n := int64(i); n < count.Load(); n += step {
				base, sink := vfs.NewCrashableMem(), newCollector()
				fs, _ := crashing(base, n)
				require.ErrorIs(t, run(fs, sink, 0), errCrash, "call %d", n)
				after := base.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: int(n * 37 % 101), RNG: rand.New(rand.NewPCG(uint64(n), 1))})
				require.NoError(t, run(after, sink, int(n/step)), "call %d", n)
				require.Equal(t, whole.rows(), sink.rows(), "call %d", n)
			}
		}
	}
}

// Left rows wait, late rows of either side are dropped and told of, and right rows leave the state: all but the newest of a key, and that too behind the tolerance.
func TestAsofJoinOfStreamsStateAndLateRows(t *testing.T) {
	for _, tolerance := range []time.Duration{0, time.Minute} {
		l, q := newFeed(t, tradesDDL), newFeed(t, quotesDDL)
		trades, quotes := expr.Read("trades", l).Watermark("at", 10*time.Second), expr.Read("quotes", q).Watermark("at", 10*time.Second)
		var options []any
		if tolerance > 0 {
			options = append(options, expr.AsofTolerance(tolerance))
		}
		sink, late := newCollector(), newCollector()
		fs := vfs.NewMem()
		query, err := open(t, local.FileSystem(fs)).Start(ctx, asofBy(options...)(trades, quotes).WriteTo(sink).LateRows(late).Checkpoint("c"))
		require.NoError(t, err)
		plan, err := query.Explain(ctx, backend.ExplainOptions{Mode: backend.ExplainExtended})
		require.NoError(t, err)
		require.Contains(t, plan.String(), "StreamAsofJoin backward")
		step := func(trades, quotes [][]any) (total, dropped int64) {
			t.Helper()
			l.add(trades...)
			q.add(quotes...)
			require.NoError(t, query.ProcessAllAvailable(ctx))
			progress, err := query.RecentProgress(ctx)
			require.NoError(t, err)
			for _, p := range progress {
				require.Equal(t, "asofJoin", p.StateOperators[0].OperatorName)
				total, dropped = p.StateOperators[0].NumRowsTotal, dropped+p.StateOperators[0].NumRowsDroppedByWatermark
			}
			return total, dropped
		}
		at := clock
		total, _ := step([][]any{{1, 7, at("12:00:10")}, {2, nil, at("12:00:11")}, {3, 7, nil}},
			[][]any{{7, at("12:00:01"), 1, nil}, {7, at("12:00:05"), 2, nil}, {7, at("12:00:05"), 3, nil}, {7, at("12:00:12"), 4, nil}, {8, at("12:00:02"), 5, nil}, {nil, at("12:00:02"), 6, nil}})
		require.EqualValues(t, 6, total) // a trade and five quotes
		require.Equal(t, []string{"2024-01-01 12:00:11|2|NULL|NULL|NULL", "NULL|3|7|NULL|NULL"}, sink.rows())
		total, _ = step([][]any{{4, 8, at("12:00:30")}}, [][]any{{8, at("12:00:30"), 9, nil}})
		// The watermark is 12:00:20: the first trade is out, and of each key the newest quote before it is left.
		require.EqualValues(t, 4, total)
		require.Contains(t, sink.rows(), "2024-01-01 12:00:10|1|7|2024-01-01 12:00:05|3")
		_, dropped := step([][]any{{5, 8, at("12:00:20")}, {7, 8, at("12:00:25")}}, [][]any{{8, at("12:00:19"), 10, nil}})
		require.EqualValues(t, 2, dropped)
		require.Len(t, late.rows(), 2)
		require.Contains(t, strings.Join(late.rows(), "\n"), `"bid":10`)
		total, _ = step([][]any{{6, 8, at("13:00:00")}}, [][]any{{9, at("13:00:00"), 11, nil}})
		require.Contains(t, sink.rows(), "2024-01-01 12:00:25|7|8|2024-01-01 12:00:02|5") // not the late one
		require.Contains(t, sink.rows(), "2024-01-01 12:00:30|4|8|2024-01-01 12:00:30|9")
		require.EqualValues(t, map[time.Duration]int64{0: 4, time.Minute: 2}[tolerance], total) // a trade and a quote that wait, and two quotes that are old
		require.NoError(t, query.Stop(ctx))
		rows, err := open(t, local.FileSystem(fs)).State(ctx, "c", local.StateOptions{})
		require.NoError(t, err)
		var b strings.Builder
		require.NoError(t, backend.Show(&b, rows, backend.ShowOptions{Rows: 20, Zone: time.UTC}))
		require.Contains(t, b.String(), `{"id":6,"symbol":8,"at":"2024-01-01T13:00:00.000Z"}`)
		require.Equal(t, tolerance == 0, strings.Contains(b.String(), `"bid":4}`), b.String())
	}
}

// Versions may be a table: each trade meets the one of its time, and nothing waits.
func TestTemporalJoinOfAStreamWithATable(t *testing.T) {
	rates := memtable(t, "currency STRING, updated TIMESTAMP, rate INT", [][]any{
		{"EUR", clock("12:00:00"), 114}, {"EUR", clock("12:10:00"), 116}, {"EUR", clock("12:20:00"), nil}, {"USD", clock("12:05:00"), 102}, {nil, clock("12:00:00"), 1}, {"USD", nil, 2},
	})
	rows := [][]any{{1, "EUR", clock("11:59:00")}, {2, "EUR", clock("12:00:00")}, {3, "EUR", clock("12:15:00")}, {4, "USD", clock("12:04:00")}, {5, "USD", clock("12:30:00")}, {6, "EUR", clock("12:21:00")}, {7, nil, clock("12:21:00")}, {8, "USD", nil}}
	versions := rates.Versioned("updated", "currency")
	for name, c := range map[string]struct {
		table func(orders expr.Table) expr.Table
		want  []string
	}{
		"inner": {func(o expr.Table) expr.Table { return o.TemporalJoin(versions, "ordered").Select("id", "rate") }, []string{"2|114", "3|116", "5|102", "6|NULL"}},
		"deleted": {func(o expr.Table) expr.Table {
			return o.TemporalJoin(versions.DeletedWhere(rates.Num("rate").IsNull()), "ordered").Select("id", "rate")
		}, []string{"2|114", "3|116", "5|102"}},
		"left": {func(o expr.Table) expr.Table {
			return o.TemporalLeftJoin(versions.DeletedWhere(rates.Num("rate").IsNull()), "ordered").Select("id", "currency", "updated")
		}, []string{"1|EUR|NULL", "2|EUR|2024-01-01 12:00:00", "3|EUR|2024-01-01 12:10:00", "4|USD|NULL", "5|USD|2024-01-01 12:05:00", "6|EUR|NULL", "7|NULL|NULL", "8|USD|NULL"}},
	} {
		const ddl = "id INT, currency STRING, ordered TIMESTAMP"
		require.Equal(t, c.want, sorted(collect(t, open(t), c.table(memtable(t, ddl, rows)))), name)
		f, sink := newFeed(t, ddl), newCollector()
		f.add(rows[:3]...)
		f.add(rows[3:]...)
		f.perRun = 1
		table := c.table(expr.Read("orders", f))
		q, err := open(t).Start(ctx, table.WriteTo(sink).Checkpoint(t.TempDir()).Trigger(expr.AvailableNow()))
		requireEnd(t, q, err)
		require.Equal(t, c.want, sink.rows(), name)
		_, err = compiler.CompileWrite(table.WriteTo(connectors.Noop()).Checkpoint("c"), compiler.Stream)
		requireRefused(t, err, "TemporalJoin", "offline")
	}
}

// What a join of two streams needs is told where it lacks; what it has is refused by Spark alone.
func TestAsofJoinOfStreamsIsRefused(t *testing.T) {
	l, q := newFeed(t, tradesDDL), newFeed(t, quotesDDL)
	plain, table := expr.Read("trades", l), memtable(t, tradesDDL, nil)
	trades, quotes := plain.Watermark("at", time.Second), expr.Read("quotes", q).Watermark("at", time.Second)
	none := expr.Read("quotes", q)
	ck := func(t expr.Table) expr.Write { return t.Select("id", "bid").WriteTo(connectors.Noop()).Checkpoint("c") }
	for text, w := range map[string]expr.Write{
		"the left one is a table":                        ck(table.AsofJoin(quotes, "at", "symbol")),
		"the right time at is no column":                 ck(trades.AsofJoin(none, "at", "symbol")),
		"the left time at is no column":                  ck(plain.TemporalJoin(quotes.Versioned("at", "symbol"), "at")),
		"joined forward in time without a tolerance":     ck(trades.AsofJoin(quotes, "at", "symbol", expr.AsofForward())),
		"joined nearest in time without a tolerance":     ck(trades.AsofJoin(quotes, "at", "symbol", expr.AsofNearest())),
		"Two streams are joined in update mode":          ck(trades.AsofJoin(quotes, "at", "symbol")).OutputMode(tree.Update),
		"the left time id is no column with a watermark": ck(trades.AsofJoin(quotes, [2]string{"id", "bid"}, "symbol")),
	} {
		_, err := open(t).Start(ctx, w)
		requireRefused(t, err, text, "expr.Static")
		_, err = compiler.CompileWrite(w, compiler.Stream)
		requireRefused(t, err, text)
	}
	_, err := compiler.CompileWrite(ck(trades.AsofJoin(quotes, "at", "symbol")), compiler.Stream)
	requireRefused(t, err, "AsofJoin", "The right side of the as-of join is a stream", "offline")
	_, err = compiler.CompileWrite(ck(trades.TemporalJoin(quotes.Versioned("at", "symbol"), "at")), compiler.Stream)
	requireRefused(t, err, "TemporalJoin", "versions.until", "offline")
}

// An epoch that is stopped ends, and gives nothing.
func TestAsofJoinOfStreamsIsStopped(t *testing.T) {
	l, q := newFeed(t, tradesDDL), newFeed(t, quotesDDL)
	trades, quotes := expr.Read("trades", l).Watermark("at", 10*time.Second), expr.Read("quotes", q).Watermark("at", 10*time.Second)
	var all [][]any
	for i := range 20_000 {
		all = append(all, []any{i, i % 7, clock("12:00:00").Add(time.Duration(i) * time.Second)})
	}
	l.add(all...)
	fs, sink := vfs.NewMem(), newCollector()
	query, err := open(t, local.FileSystem(fs)).Start(ctx, asofBy()(trades, quotes).WriteTo(sink).Checkpoint("c"))
	require.NoError(t, err)
	require.NoError(t, query.Stop(ctx))
	require.Empty(t, sink.rows())
	err = runTo(t, fs, asofBy(expr.AsofTolerance(time.Hour))(trades, quotes).WriteTo(sink))
	requireCondition(t, err, condition.CheckpointMismatch, "+ state 0: backward as-of join of (id")
	// It goes on as if nothing had been.
	q.add([]any{1, clock("11:00:00"), 5, nil}, []any{1, clock("23:00:00"), 6, nil})
	query, err = open(t, local.FileSystem(fs)).Start(ctx, asofBy()(trades, quotes).WriteTo(sink).Checkpoint("c").Trigger(expr.AvailableNow()))
	requireEnd(t, query, err)
	rows := sink.rows()
	require.Len(t, rows, len(all)-10)
	require.Contains(t, rows, "2024-01-01 12:00:01|1|1|2024-01-01 11:00:00|5")
}
