package local_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/window"
)

// Trades that come as a stream meet the newest quote of a table, in epochs cut anywhere as in a batch, and windows over them close by the trades' watermark.
func TestAsofJoinOfAStream(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	second := func(n int) time.Time { return clock("12:00:00").Add(time.Duration(n) * time.Second) }
	some := func(x any) any {
		if r.IntN(9) == 0 {
			return nil
		}
		return x
	}
	var quotes, rows [][]any
	for range 40 {
		quotes = append(quotes, []any{some(r.IntN(4)), some(second(r.IntN(300))), r.IntN(100)})
	}
	table := memtable(t, "symbol INT, at TIMESTAMP, bid INT", quotes)
	for i := range 60 {
		rows = append(rows, []any{i, some(r.IntN(5)), some(second(i * 5))})
	}
	rows = append(rows, []any{99, 1, second(3600)}) // it closes all windows before it
	query := func(trades expr.Table, options ...any) (joined, counted expr.Table) {
		joined = trades.Watermark("at", time.Second).AsofJoin(table, "at", append([]any{"symbol"}, options...)...)
		return joined.Select("id", "symbol", "bid"), joined.GroupBy(window.Tumbling(joined.Timestamp("at"), time.Minute), "symbol").Agg(joined.Num("bid").Sum().As("sum"))
	}
	for name, options := range map[string][]any{
		"backward": nil, "forward": {expr.AsofForward()}, "nearest": {expr.AsofNearest()}, "within 10 seconds": {expr.AsofTolerance(10 * time.Second)},
	} {
		joined, counted := query(memtable(t, "id INT, symbol INT, at TIMESTAMP", rows[:60]), options...)
		want, sums := sorted(collect(t, open(t), joined)), sorted(collect(t, open(t), counted.Filter(counted.Window("window").NotNull())))
		for cuts := range 4 {
			f := newFeed(t, "id INT, symbol INT, at TIMESTAMP")
			for rest := rows; len(rest) > 0; {
				n := min(1+r.IntN(1+20*cuts), len(rest))
				f.add(rest[:n]...)
				rest = rest[n:]
			}
			joined, counted := query(expr.Read("trades", f), options...)
			out, closed := newCollector(), newCollector()
			run := func(w expr.Write) {
				t.Helper()
				dir := t.TempDir()
				for range 2 { // the second start goes on where the first ended, and adds nothing
					q, err := open(t).Start(ctx, w.Checkpoint(dir).Trigger(expr.AvailableNow()))
					requireEnd(t, q, err)
				}
			}
			run(joined.Filter(joined.Num("id").NotEq(99)).WriteTo(out))
			run(counted.WriteTo(closed))
			require.Equal(t, want, sorted(out.rows()), "%s, %d", name, cuts)
			require.Equal(t, sums, sorted(closed.rows()), "%s, %d", name, cuts)
		}
	}
	// Spark has no such join of a stream.
	f := newFeed(t, "id INT, symbol INT, at TIMESTAMP")
	joined, _ := query(expr.Read("trades", f))
	_, err := compiler.CompileWrite(joined.WriteTo(connectors.Noop()).Checkpoint("c"), compiler.Stream)
	requireRefused(t, err, "left side", "offline")
}

// requireRefused holds that a query was refused by a rule of streams, with its place and texts.
func requireRefused(t *testing.T, err error, texts ...string) {
	t.Helper()
	require.ErrorIs(t, err, &condition.Error{Condition: condition.StreamingUnsupported})
	require.Regexp(t, `\w+_test\.go:\d+: `, err.Error())
	for _, s := range texts {
		require.ErrorContains(t, err, s)
	}
}
