package local_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
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
	"github.com/spoonbill-go/spoonbill/expr/keyed"
)

// paid is a row of payments.
type paid struct {
	At       *time.Time `json:"createTime"`
	Province *int32     `json:"provinceId"`
	Amount   *float64   `json:"payAmount"`
}

// turn is what is emitted for a moment of a province.
type turn struct {
	At       time.Time
	Province *int32
	Rows     int64
	Total    float64
	Last     []float64
}

// waiting names a payment until its turn comes.
type waiting struct {
	At time.Time
	N  int64
}

// inTurn puts payments in the order of their times, by a timer for each, and gives running totals with the last three amounts: the same however the rows come. It
// uses each kind of state.
func inTurn(p expr.Table) expr.Table {
	var (
		number = keyed.NewValue[int64]("number")
		total  = keyed.NewValue[turn]("total")
		wait   = keyed.NewMap[waiting, *float64]("wait")
		last   = keyed.NewList[float64]("last")
	)
	return keyed.Transform(p.GroupBy("provinceId"), keyed.Processor[*int32, paid, turn]{
		Name: "in turn", Time: keyed.EventTime, States: keyed.States{wait, number, total, last},
		HandleInputRows: func(c *keyed.Context, province *int32, rows iter.Seq[paid], emit func(turn)) error {
			for r := range rows {
				if r.At == nil {
					continue
				}
				n, _ := number.Get(c)
				number.Set(c, n+1)
				wait.Set(c, waiting{*r.At, n}, r.Amount)
				c.SetTimer(*r.At)
			}
			return nil
		},
		HandleExpiredTimer: func(c *keyed.Context, province *int32, at time.Time, emit func(turn)) error {
			t, _ := total.Get(c)
			t.At, t.Province = at, province
			for w, amount := range wait.All(c) {
				if !w.At.Equal(at) {
					continue
				}
				wait.Delete(c, w)
				t.Rows++
				if amount != nil {
					t.Total += *amount
					last.Append(c, *amount)
				}
			}
			t.Last = nil
			for x := range last.All(c) {
				t.Last = append(t.Last, x)
			}
			if n := len(t.Last); n > 3 {
				t.Last = t.Last[n-3:]
				last.Put(c, t.Last...)
			}
			total.Set(c, t)
			emit(t)
			return nil
		},
	})
}

// beforeWatermark keeps rows that begin with a time before a watermark.
func beforeWatermark(row string, w time.Time) bool {
	text, _, _ := strings.Cut(row, "|")
	t, err := time.Parse("2006-01-02 15:04:05", text)
	if err != nil {
		panic(err)
	}
	return t.Before(w)
}

func init() {
	// The tests over shapes cut, stop, crash and run it as a batch.
	shapes = append(shapes, shape{"state per key", expr.Append, func(p expr.Table) expr.Table { return inTurn(p.Watermark("createTime", 10*time.Second)) }, beforeWatermark})
	rarely["state per key"] = 3
}

// counting counts the rows of a key and emits the number after each epoch.
type counted struct {
	Key  *string
	Rows int64
}

type keyRow struct {
	Key *string    `json:"k"`
	At  *time.Time `json:"at"`
}

func counting(t expr.Grouped, change func(p *keyed.Processor[*string, keyRow, counted])) expr.Table {
	n := keyed.NewValue[int64]("n")
	p := keyed.Processor[*string, keyRow, counted]{
		Name: "counting", States: keyed.States{n},
		HandleInputRows: func(c *keyed.Context, key *string, rows iter.Seq[keyRow], emit func(counted)) error {
			x, _ := n.Get(c)
			for range rows {
				x++
			}
			n.Set(c, x)
			emit(counted{key, x})
			return nil
		},
	}
	if change != nil {
		change(&p)
	}
	return keyed.Transform(t, p)
}

// drained reads a table to its end, and gives its error.
func drained(t *testing.T, c context.Context, table expr.Table) (n int64, err error) {
	t.Helper()
	res, err := open(t).Batches(c, table)
	if err != nil {
		return 0, err
	}
	for rec, err := range res.Batches {
		if err != nil {
			return n, err
		}
		n += rec.NumRows()
	}
	return n, nil
}

// startKeyed runs a table into a collector.
func startKeyed(t *testing.T, s *local.Session, table expr.Table, mode expr.OutputMode, dir string) (backend.Query, *collector) {
	t.Helper()
	sink := newCollector()
	q, err := s.Start(ctx, table.WriteTo(sink).OutputMode(mode).Checkpoint(dir))
	require.NoError(t, err)
	return q, sink
}

// Late rows are dropped and counted, nulls are keys and times like others, epochs of nothing change nothing, and what timers clear leaves the state.
func TestKeyedStateInAStream(t *testing.T) {
	for store := range 2 {
		n := keyed.NewValue[int64]("n")
		entries := keyed.NewMap[string, []byte]("entries")
		f := newFeed(t, "k STRING, at TIMESTAMP")
		table := counting(expr.Read("in", f).Watermark("at", 10*time.Second).GroupBy("k"), func(p *keyed.Processor[*string, keyRow, counted]) {
			count := p.HandleInputRows
			p.Time, p.States = keyed.EventTime, append(p.States, entries)
			p.HandleInputRows = func(c *keyed.Context, key *string, rows iter.Seq[keyRow], emit func(counted)) error {
				for r := range rows {
					if r.At != nil {
						c.SetTimer(r.At.Add(time.Minute))
						entries.Set(c, r.At.String(), []byte{1, 2})
					}
				}
				return count(c, key, rows, emit)
			}
			p.HandleExpiredTimer = func(c *keyed.Context, key *string, at time.Time, emit func(counted)) error {
				if len(c.Timers()) == 0 {
					n.Clear(c)
					entries.Clear(c)
				}
				return nil
			}
		})
		q, sink := startKeyed(t, open(t, storeOf(store)), table, expr.Update, t.TempDir())
		f.add([]any{"a", clock("12:00:00")}, []any{nil, clock("12:00:01")}, []any{"a", nil}, []any{"b", clock("12:00:20")})
		require.NoError(t, q.ProcessAllAvailable(ctx))
		f.add()
		require.NoError(t, q.ProcessAllAvailable(ctx))
		f.add([]any{"a", clock("12:00:05")}, []any{"b", clock("12:00:15")}) // the first is late
		require.NoError(t, q.ProcessAllAvailable(ctx))
		require.Equal(t, []string{"NULL|1", "a|2", "b|1", "b|2"}, sink.rows())
		progress, err := q.RecentProgress(ctx)
		require.NoError(t, err)
		late, most := int64(0), int64(0)
		for _, p := range progress {
			o := p.StateOperators[0]
			require.Equal(t, "transformWithStateExec", o.OperatorName)
			late += o.NumRowsDroppedByWatermark
			most = max(most, o.NumRowsTotal)
		}
		require.EqualValues(t, 1, late)
		require.Greater(t, most, int64(8))
		f.add([]any{"z", clock("13:00:00")})
		require.NoError(t, q.ProcessAllAvailable(ctx))
		f.add([]any{"z", clock("14:00:00")}) // its timer of 14:01 and what belongs to it stay
		require.NoError(t, q.ProcessAllAvailable(ctx))
		last, err := q.LastProgress(ctx)
		require.NoError(t, err)
		// The value, two entries with their places, the next place, and a timer.
		require.EqualValues(t, 7, last.StateOperators[0].NumRowsTotal)
		require.NoError(t, q.Stop(ctx))
	}
}

// Timers and TTL by processing time go by the clock, in an epoch of their own where no rows come, and over a restart.
func TestKeyedProcessingTime(t *testing.T) {
	for store := range 2 {
		now := clock("09:00:00")
		fs := vfs.NewMem()
		value := keyed.NewValue[string]("value", keyed.TTL(10*time.Second))
		list := keyed.NewList[int64]("list", keyed.TTL(20*time.Second))
		names := keyed.NewMap[string, int64]("names", keyed.TTL(30*time.Second))
		kept := keyed.NewValue[int64]("kept")
		show := func(c *keyed.Context, what string, emit func(counted)) {
			v, ok := value.Get(c)
			text := fmt.Sprintf("%s %s %v", what, v, ok)
			for x := range list.All(c) {
				text += fmt.Sprint(" ", x)
			}
			for k, x := range names.All(c) {
				text += fmt.Sprint(" ", k, "=", x)
			}
			n, _ := kept.Get(c)
			emit(counted{&text, n})
		}
		f := newFeed(t, "k STRING, at TIMESTAMP")
		table := func() expr.Table {
			return keyed.Transform(expr.Read("in", f).GroupBy("k"), keyed.Processor[string, keyRow, counted]{
				Time: keyed.ProcessingTime, States: keyed.States{value, list, names, kept},
				HandleInputRows: func(c *keyed.Context, key string, rows iter.Seq[keyRow], emit func(counted)) error {
					n, _ := kept.Get(c)
					kept.Set(c, n+1)
					list.Append(c, n)
					if n == 0 {
						value.Set(c, "here")
						names.Set(c, "first", 1)
						c.SetTimer(c.Now().Add(15 * time.Second))
						c.SetTimer(c.Now().Add(25 * time.Second))
						c.DeleteTimer(c.Now().Add(25 * time.Second))
					}
					show(c, "rows", emit)
					return nil
				},
				HandleExpiredTimer: func(c *keyed.Context, key string, at time.Time, emit func(counted)) error {
					show(c, "timer "+at.Format("15:04:05"), emit)
					return nil
				},
			})
		}
		var sink *collector
		var q backend.Query
		start := func() {
			s := open(t, storeOf(store), local.FileSystem(fs), local.Clock(func() time.Time { return now }))
			q, sink = startKeyed(t, s, table(), expr.Append, "c")
			require.NoError(t, q.ProcessAllAvailable(ctx))
		}
		step := func(d time.Duration, rows ...[]any) string {
			t.Helper()
			now = now.Add(d)
			if len(rows) > 0 {
				f.add(rows...)
			}
			start() // each step is a run of its own
			require.NoError(t, q.Stop(ctx))
			return strings.Join(sink.rows(), "; ")
		}
		require.Equal(t, "rows here true 0 first=1|1", step(0, []any{"k", nil}))
		require.Equal(t, "", step(5*time.Second))
		require.Equal(t, "rows here true 0 1 first=1|2", step(4*time.Second, []any{"k", nil}))
		require.Equal(t, "rows  false 0 1 2 first=1|3", step(2*time.Second, []any{"k", nil}))
		require.Equal(t, "timer 09:00:15  false 0 1 2 first=1|3", step(5*time.Second))
		require.Equal(t, "rows  false 1 2 3 first=1|4", step(6*time.Second, []any{"k", nil}))
		require.Equal(t, "rows  false 4|5", step(time.Minute, []any{"k", nil}))
		step(time.Minute)
		state, err := open(t, local.FileSystem(fs)).State(ctx, "c", local.StateOptions{})
		require.NoError(t, err)
		var left []string
		for rec, err := range state.Batches {
			require.NoError(t, err)
			left = append(left, lines(state.Fields, rec)...)
		}
		require.Equal(t, []string{`k|kept|value|NULL|{"value":5}|NULL`}, left)
	}
}

// A timer that sets itself again has its turn behind the data and does not keep a query that takes what is there; the next start gives it another one.
func TestTimersOfAvailableNow(t *testing.T) {
	for store := range 2 {
		now := clock("09:00:00")
		f := newFeed(t, "k STRING, at TIMESTAMP")
		f.add([]any{"k", nil})
		f.add([]any{"j", nil})
		f.perRun = 1
		n := keyed.NewValue[int64]("n")
		table := keyed.Transform(expr.Read("in", f).GroupBy("k"), keyed.Processor[string, keyRow, counted]{
			Time: keyed.ProcessingTime, States: keyed.States{n},
			HandleInputRows: func(c *keyed.Context, _ string, _ iter.Seq[keyRow], _ func(counted)) error {
				c.SetTimer(c.Now().Add(time.Millisecond))
				return nil
			},
			HandleExpiredTimer: func(c *keyed.Context, key string, _ time.Time, emit func(counted)) error {
				was, _ := n.Get(c)
				n.Set(c, was+1)
				emit(counted{&key, was + 1})
				c.SetTimer(c.Now().Add(time.Millisecond))
				return nil
			},
		})
		fs, sink := vfs.NewMem(), newCollector()
		limited, cancel := context.WithTimeout(ctx, 30*time.Second)
		defer cancel()
		run := func() []string {
			// Each look at the clock is a moment later, so that there is always a timer that is due.
			s := open(t, storeOf(store), local.FileSystem(fs), local.Clock(func() time.Time { now = now.Add(5 * time.Millisecond); return now }))
			q, err := s.Start(limited, table.WriteTo(sink).Checkpoint("c").Trigger(expr.AvailableNow()))
			require.NoError(t, err)
			require.NoError(t, q.AwaitTermination(limited))
			return sorted(sink.rows())
		}
		require.Equal(t, []string{"j|1", "k|1", "k|2"}, run(), "k also in the epoch of the second row")
		require.Equal(t, []string{"j|1", "j|2", "k|1", "k|2", "k|3"}, run())
		f.add([]any{"i", nil})
		require.Equal(t, []string{"i|1", "j|1", "j|2", "j|3", "j|4", "k|1", "k|2", "k|3", "k|4", "k|5"}, run())
	}
}

// A new query begins with its initial state, once: keys that no row has are in it too.
func TestKeyedInitialState(t *testing.T) {
	n := keyed.NewValue[int64]("n")
	initial := func(rows ...[]any) expr.Grouped {
		return memtable(t, "name STRING, rows BIGINT", rows).GroupBy("name")
	}
	type first struct {
		Rows int64 `json:"rows"`
	}
	build := func(in expr.Table, state expr.Grouped) expr.Table {
		return counting(in.GroupBy("k"), func(p *keyed.Processor[*string, keyRow, counted]) {
			p.InitialState = keyed.Initial(state, func(c *keyed.Context, key *string, row first) error {
				n.Set(c, row.Rows)
				return nil
			})
		})
	}
	rows := [][]any{{"a", int64(40)}, {nil, int64(7)}}
	f := newFeed(t, "k STRING, at TIMESTAMP")
	f.add([]any{"a", nil}, []any{"b", nil}, []any{nil, nil})
	require.Equal(t, []string{"NULL|8", "a|41", "b|1"}, sorted(collect(t, open(t), build(expr.Read("in", f), initial(rows...)))))
	fs := vfs.NewMem()
	for _, want := range []string{"NULL|8 a|41 b|1", "a|42"} {
		q, sink := startKeyed(t, open(t, local.FileSystem(fs)), build(expr.Read("in", f), initial(rows...)), expr.Update, "c")
		require.NoError(t, q.ProcessAllAvailable(ctx))
		require.NoError(t, q.Stop(ctx))
		require.Equal(t, want, strings.Join(sink.rows(), " "))
		f.add([]any{"a", nil})
	}
	_, err := drained(t, ctx, build(expr.Read("in", f), initial(append(rows, rows[0])...)))
	requireCondition(t, err, condition.ReinitializedState, "(a)", "DistinctOn")
	g := newFeed(t, "name STRING, rows BIGINT")
	_, err = open(t).Start(ctx, build(expr.Read("in", f), expr.Read("initial", g).GroupBy("name")).WriteTo(newCollector()).OutputMode(expr.Update).Checkpoint(t.TempDir()))
	requireRefused(t, err, "initial state of counting is a stream", "expr.Static")
}

// An error or a panic of a function ends the query and names the key; of its epoch nothing is kept, so that the corrected query goes on as if it had not been.
func TestKeyedFunctionsThatFail(t *testing.T) {
	planted := errors.New("planted")
	for name, fail := range map[string]func() error{
		"error": func() error { return planted },
		"panic": func() error { panic(planted) },
	} {
		t.Run(name, func(t *testing.T) {
			fs := vfs.NewMem()
			f := newFeed(t, "k STRING, at TIMESTAMP")
			f.perRun = 1
			f.add([]any{"a", nil})
			f.add([]any{"a", nil}, []any{"bad", nil}, []any{"c", nil})
			sink := newCollector()
			run := func(broken bool) error {
				table := counting(expr.Read("in", f).GroupBy("k"), func(p *keyed.Processor[*string, keyRow, counted]) {
					count := p.HandleInputRows
					p.HandleInputRows = func(c *keyed.Context, key *string, rows iter.Seq[keyRow], emit func(counted)) error {
						if broken && *key == "bad" {
							return fail()
						}
						return count(c, key, rows, emit)
					}
				})
				return runTo(t, fs, table.WriteTo(sink).OutputMode(expr.Update))
			}
			err := run(true)
			require.ErrorIs(t, err, planted)
			require.ErrorIs(t, err, &condition.Error{Condition: condition.FailedExecuteUDF})
			require.ErrorContains(t, err, "HandleInputRows of counting failed for the key (bad): ")
			require.Regexp(t, `keyed_test\.go:\d+: `, err.Error())
			require.Equal(t, []string{"a|1"}, sink.rows())
			require.NoError(t, run(false))
			require.Equal(t, []string{"a|1", "a|2", "bad|1", "c|1"}, sink.rows())
		})
	}
}

// A checkpoint goes on with the same states in any order, and refuses others with what differs.
func TestKeyedStateSchema(t *testing.T) {
	type narrow struct{ A int32 }
	type wide struct{ A, B int32 }
	fs := vfs.NewMem()
	f := newFeed(t, "k STRING, at TIMESTAMP")
	run := func(time keyed.TimeMode, states ...keyed.State) error {
		f.add([]any{"a", nil})
		return runTo(t, fs, counting(expr.Read("in", f).GroupBy("k"), func(p *keyed.Processor[*string, keyRow, counted]) {
			p.States, p.Time = append(p.States, states...), time
		}).WriteTo(newCollector()))
	}
	a, b := keyed.NewValue[narrow]("a"), keyed.NewMap[string, int64]("b")
	require.NoError(t, run(keyed.None, a, b))
	require.NoError(t, run(keyed.None, b, a))
	err := run(keyed.None, keyed.NewValue[wide]("a"), b)
	requireCondition(t, err, condition.CheckpointMismatch,
		"- state 0: process counting by k STRING: None time, states value a STRUCT<A: INT NOT NULL>, map b STRING to BIGINT, value n BIGINT",
		"+ state 0: process counting by k STRING: None time, states value a STRUCT<A: INT NOT NULL, B: INT NOT NULL>, map b STRING to BIGINT, value n BIGINT")
	requireCondition(t, run(keyed.None, a), condition.CheckpointMismatch, "+ state 0: process counting by k STRING: None time, states value a STRUCT<A: INT NOT NULL>, value n BIGINT")
	requireCondition(t, run(keyed.ProcessingTime, a, b), condition.CheckpointMismatch, "ProcessingTime time")
}

// What is wrong with a processor is a mistake of its table, and what is wrong with a call is an error of the query that says the way out.
func TestKeyedMisuse(t *testing.T) {
	f := newFeed(t, "k STRING, at TIMESTAMP")
	f.add([]any{"a", clock("12:00:00")})
	in := expr.Read("in", f)
	for want, build := range map[string]func() expr.Table{
		"Two state variables are named n": func() expr.Table {
			return counting(in.GroupBy("k"), func(p *keyed.Processor[*string, keyRow, counted]) {
				p.States = append(p.States, keyed.NewValue[string]("n"))
			})
		},
		"has a TTL, which goes by processing time, and the time mode is None": func() expr.Table {
			return counting(in.GroupBy("k"), func(p *keyed.Processor[*string, keyRow, counted]) {
				p.States = append(p.States, keyed.NewValue[string]("t", keyed.TTL(time.Second)))
			})
		},
		"The TTL -1s of the state t": func() expr.Table {
			return counting(in.GroupBy("k"), func(p *keyed.Processor[*string, keyRow, counted]) {
				p.States, p.Time = append(p.States, keyed.NewValue[string]("t", keyed.TTL(-time.Second))), keyed.ProcessingTime
			})
		},
		"a zero value) is among States": func() expr.Table {
			return counting(in.GroupBy("k"), func(p *keyed.Processor[*string, keyRow, counted]) { p.States = append(p.States, keyed.Value[int]{}) })
		},
		"chan int has no column type": func() expr.Table {
			return counting(in.GroupBy("k"), func(p *keyed.Processor[*string, keyRow, counted]) {
				p.States = append(p.States, keyed.NewValue[chan int]("c"))
			})
		},
		"A state variable has no name": func() expr.Table {
			return counting(in.GroupBy("k"), func(p *keyed.Processor[*string, keyRow, counted]) {
				p.States = append(p.States, keyed.NewList[int](""))
			})
		},
		"HandleInputRows is nil": func() expr.Table {
			return counting(in.GroupBy("k"), func(p *keyed.Processor[*string, keyRow, counted]) { p.HandleInputRows = nil })
		},
		"no time mode 9": func() expr.Table {
			return counting(in.GroupBy("k"), func(p *keyed.Processor[*string, keyRow, counted]) { p.Time = 9 })
		},
		"the input has no watermark": func() expr.Table {
			return counting(in.GroupBy("k"), func(p *keyed.Processor[*string, keyRow, counted]) { p.Time = keyed.EventTime })
		},
		"no column `when` for the event time": func() expr.Table {
			return counting(in.GroupBy("k"), func(p *keyed.Processor[*string, keyRow, counted]) { p.EventTimeColumn = "when" })
		},
		"The input has no key":               func() expr.Table { return counting(in.GroupBy(), nil) },
		"does not fit Go's *string":          func() expr.Table { return counting(in.GroupBy("at"), nil) },
		"Go's *string cannot be":             func() expr.Table { return counting(in.GroupBy("k", "at"), nil) },
		"asks for the column at":             func() expr.Table { return counting(in.Drop("at").GroupBy("k"), nil) },
		"The input has grouped by":           func() expr.Table { return counting(in.GroupBy(expr.Rollup("k")), nil) },
		"STRING does not fit Go's time.Time": func() expr.Table { return counting(in.Mutate(in.Str("k").As("at")).GroupBy("k"), nil) },
		"the zero Table":                     func() expr.Table { return counting(expr.Grouped{}, nil) },
	} {
		t.Run(want, func(t *testing.T) {
			err := build().Err()
			require.ErrorContains(t, err, want)
			require.Regexp(t, `keyed_test\.go:\d+: `, err.Error())
		})
	}
}

// Misuse of a call's context ends the query.
func TestKeyedContextMisuse(t *testing.T) {
	f := newFeed(t, "k STRING, at TIMESTAMP")
	f.add([]any{"a", clock("12:00:00")})
	in := expr.Read("in", f).Watermark("at", time.Second).GroupBy("k")
	other := keyed.NewValue[string]("n")
	var kept *keyed.Context
	handle := func(mode keyed.TimeMode, timers bool, do func(c *keyed.Context, emit func(counted))) expr.Table {
		return counting(in, func(p *keyed.Processor[*string, keyRow, counted]) {
			p.Time = mode
			p.HandleInputRows = func(c *keyed.Context, key *string, rows iter.Seq[keyRow], emit func(counted)) error {
				do(c, emit)
				return nil
			}
			if timers {
				p.HandleExpiredTimer = func(c *keyed.Context, key *string, at time.Time, emit func(counted)) error {
					do(c, emit)
					return nil
				}
			}
		})
	}
	for _, c := range []struct {
		want  string
		table expr.Table
	}{
		{"The state value n STRING is not among those of counting, which are value n BIGINT", handle(keyed.None, false, func(c *keyed.Context, _ func(counted)) { other.Set(c, "x") })},
		{"a zero value) is used", handle(keyed.None, false, func(c *keyed.Context, _ func(counted)) { keyed.List[string]{}.Append(c, "x") })},
		{"its time mode is None", handle(keyed.None, true, func(c *keyed.Context, _ func(counted)) { c.SetTimer(clock("12:00:00")) })},
		{"has no HandleExpiredTimer", handle(keyed.EventTime, false, func(c *keyed.Context, _ func(counted)) { c.SetTimer(clock("12:00:00")) })},
		{"outside the years 1 to 9999", handle(keyed.EventTime, true, func(c *keyed.Context, _ func(counted)) { c.SetTimer(time.Unix(1<<60, 0)) })},
		{"again and again", handle(keyed.EventTime, true, func(c *keyed.Context, _ func(counted)) { c.SetTimer(clock("12:00:00")) })},
	} {
		_, err := drained(t, ctx, c.table)
		require.ErrorIs(t, err, &condition.Error{Condition: condition.FailedExecuteUDF}, c.want)
		require.ErrorContains(t, err, c.want)
	}
	// A context that is used when its call is over does nothing.
	collect(t, open(t), handle(keyed.None, false, func(c *keyed.Context, _ func(counted)) { kept = c }))
	keyed.NewValue[int64]("n").Set(kept, 1)
	kept.SetTimer(clock("12:00:00"))
	require.Empty(t, kept.Timers())
	require.True(t, kept.Now().IsZero())
	require.False(t, kept.Final())
	var none *keyed.Context
	_, ok := keyed.NewValue[int64]("n").Get(none)
	require.False(t, ok)
}

// A column of the output may carry event time on, to windows that follow; a row behind the watermark is an error there, for it would be lost.
func TestKeyedOutputWithEventTime(t *testing.T) {
	type row struct {
		At time.Time `json:"at"`
		K  string    `json:"k"`
	}
	f := newFeed(t, "k STRING, at TIMESTAMP")
	build := func(back time.Duration) expr.Table {
		out := keyed.Transform(expr.Read("in", f).Watermark("at", 10*time.Second).GroupBy("k"), keyed.Processor[string, row, row]{
			EventTimeColumn: "at",
			HandleInputRows: func(c *keyed.Context, key string, rows iter.Seq[row], emit func(row)) error {
				for r := range rows {
					r.At = r.At.Add(-back)
					emit(r)
				}
				return nil
			},
		})
		return out.GroupBy("at").Agg(expr.Count().As("n"))
	}
	q, sink := startKeyed(t, open(t), build(0), expr.Append, t.TempDir())
	q2, late := startKeyed(t, open(t), build(time.Hour), expr.Append, t.TempDir())
	f.add([]any{"a", clock("12:00:00")}, []any{"b", clock("12:00:00")})
	require.NoError(t, q2.ProcessAllAvailable(ctx)) // nothing is late yet
	for _, s := range []string{"12:01:00", "12:02:00"} {
		f.add([]any{"a", clock(s)}, []any{"b", clock(s)})
		require.NoError(t, q.ProcessAllAvailable(ctx))
	}
	require.NoError(t, q.Stop(ctx))
	require.Equal(t, []string{"2024-01-01 12:00:00|2", "2024-01-01 12:01:00|2"}, sink.rows())
	err := q2.AwaitTermination(ctx)
	requireCondition(t, err, condition.StreamFailed, condition.EmittingLateRows, "leave EventTimeColumn out")
	require.Equal(t, []string{"2024-01-01 11:00:00|2"}, late.rows())
}

// A query that is stopped does not wait for a function that reads a very long epoch.
func TestKeyedCancel(t *testing.T) {
	f := newFeed(t, "k STRING, at TIMESTAMP")
	rows := make([][]any, 5000)
	for i := range rows {
		rows[i] = []any{"a", nil}
	}
	f.add(rows...)
	c, cancel := context.WithCancel(ctx)
	defer cancel()
	read := 0
	table := counting(expr.Read("in", f).GroupBy("k"), func(p *keyed.Processor[*string, keyRow, counted]) {
		p.HandleInputRows = func(_ *keyed.Context, key *string, rows iter.Seq[keyRow], emit func(counted)) error {
			for range rows {
				if read++; read == 10 {
					cancel()
				}
			}
			return nil
		}
	})
	_, err := drained(t, c, table)
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, read, len(rows))
}

// Spark has no such process, in a batch and in a stream; complete mode is none of it either.
func TestKeyedIsRefusedOnSpark(t *testing.T) {
	f := newFeed(t, "k STRING, at TIMESTAMP")
	table := counting(expr.Read("in", f).GroupBy("k"), nil)
	for _, mode := range []compiler.Mode{compiler.Batch, compiler.Stream} {
		_, err := compiler.Compile(table, mode)
		require.ErrorIs(t, err, &condition.Error{Condition: condition.Unsupported})
		for _, s := range []string{"counting is a process of Go functions", "Run the query offline", "TransformWithState"} {
			require.ErrorContains(t, err, s)
		}
	}
	_, err := open(t).Start(ctx, table.WriteTo(newCollector()).OutputMode(expr.Complete).Checkpoint(t.TempDir()))
	require.ErrorIs(t, err, &condition.Error{Condition: condition.StreamingOutputMode})
	require.ErrorContains(t, err, "complete mode")
	w := table.WriteTo(connectors.Noop())
	lints, err := compiler.Lint(w, compiler.Stream, compiler.Target{Local: true})
	require.NoError(t, err)
	require.Contains(t, fmt.Sprint(lints), "SB107")
}

// Every Go type that a column is made of goes through rows, states and the output as it is.
func TestKeyedRowsOfEveryKind(t *testing.T) {
	r := random{rand.New(rand.NewPCG(7, 7))}
	rows := make([]kinds, 100)
	for i := range rows {
		rows[i] = r.kinds()
		rows[i].I64 = int64(i)
	}
	value, list, entries := keyed.NewValue[kinds]("value"), keyed.NewList[kinds]("list"), keyed.NewMap[leaf, kinds]("map")
	out := keyed.Transform(expr.Memtable("kinds", rows).GroupBy("I64"), keyed.Processor[int64, kinds, kinds]{
		States: keyed.States{value, list, entries},
		HandleInputRows: func(c *keyed.Context, key int64, rows iter.Seq[kinds], emit func(kinds)) error {
			for row := range rows {
				value.Set(c, row)
				v, _ := value.Get(c)
				emit(v)
				list.Append(c, v)
				for v := range list.All(c) {
					entries.Set(c, v.Leaf, v)
				}
				if v, ok := entries.Get(c, row.Leaf); ok {
					emit(v)
				}
				for _, v := range entries.All(c) {
					emit(v)
				}
			}
			return nil
		},
	})
	got, err := backend.Collect[kinds](ctx, open(t), out)
	require.NoError(t, err)
	require.Len(t, got, 3*len(rows))
	for i, g := range got {
		want := rows[i/3]
		if want.Rat != nil {
			require.Zero(t, want.Rat.Cmp(g.Rat))
			g.Rat = want.Rat
		}
		require.Zero(t, want.Big.Cmp(&g.Big))
		g.Big = want.Big
		require.Equal(t, want, g, "row %d", i)
	}
}

// A null for a Go type that has none, of a key, a row or the output, ends the query and says what to use.
func TestKeyedNullsWithoutAPlace(t *testing.T) {
	type strict struct {
		K  string    `json:"k"`
		At time.Time `json:"at"`
	}
	type narrow struct {
		N uint8 `spoonbill:"n,tinyint"`
	}
	f := newFeed(t, "k STRING, at TIMESTAMP")
	in := expr.Read("in", f)
	echo := keyed.Transform(in.GroupBy("k"), keyed.Processor[*string, strict, strict]{
		HandleInputRows: func(c *keyed.Context, key *string, rows iter.Seq[strict], emit func(strict)) error {
			for r := range rows {
				emit(r)
			}
			return nil
		},
	})
	f.add([]any{"a", clock("12:00:00")})
	require.Equal(t, []string{"a|2024-01-01 12:00:00"}, collect(t, open(t), echo))
	f.add([]any{"b", nil})
	_, err := drained(t, ctx, echo)
	requireCondition(t, err, condition.FailedExecuteUDF, "for the key (b)", "Column at: it is null, and Go's time.Time has no value for that", "Use *time.Time or sql.Null[time.Time]")
	f.add([]any{nil, clock("12:00:00")})
	byKey := keyed.Transform(in.Filter(in.Timestamp("at").NotNull()).GroupBy("k"), keyed.Processor[string, strict, narrow]{
		HandleInputRows: func(c *keyed.Context, key string, rows iter.Seq[strict], emit func(narrow)) error {
			emit(narrow{200})
			return nil
		},
	})
	_, err = drained(t, ctx, byKey)
	requireCondition(t, err, condition.FailedExecuteUDF, "for the key (a)", "does not fit TINYINT")
	nulls := keyed.Transform(in.Filter(in.Str("k").IsNull()).GroupBy("k"), keyed.Processor[string, strict, strict]{
		HandleInputRows: func(c *keyed.Context, key string, rows iter.Seq[strict], emit func(strict)) error { return nil },
	})
	_, err = drained(t, ctx, nulls)
	requireCondition(t, err, condition.FailedExecuteUDF, "for the key (NULL)", "Go's string has no value")
}

// What a function keeps of a call does nothing any more.
func TestKeyedRowsBeyondTheirCall(t *testing.T) {
	f := newFeed(t, "k STRING, at TIMESTAMP")
	f.add([]any{"a", nil}, []any{"b", nil})
	var kept iter.Seq[keyRow]
	var emitted func(counted)
	seen := 0
	table := counting(expr.Read("in", f).GroupBy("k"), func(p *keyed.Processor[*string, keyRow, counted]) {
		p.HandleInputRows = func(c *keyed.Context, key *string, rows iter.Seq[keyRow], emit func(counted)) error {
			if kept != nil {
				for range kept {
					seen++
				}
				emitted(counted{key, 1})
			}
			kept, emitted = rows, emit
			return nil
		}
	})
	require.Empty(t, collect(t, open(t), table))
	require.Zero(t, seen)
}
