package compiler_test

import (
	"context"
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/compiler/analyze"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/functions"
	"github.com/spoonbill-go/spoonbill/expr/keyed"
	"github.com/spoonbill-go/spoonbill/window"
)

// Each lint is found in a query that has it, at its place, and not in the query that follows its advice.
func TestLints(t *testing.T) {
	read := func(name string) expr.Table {
		return expr.Read(name, connectors.FromJSON("/in/"+name, connectors.RowsDDL("id BIGINT, at TIMESTAMP, k STRING, v DOUBLE"), connectors.MaxFilesPerTrigger(1)))
	}
	e, o := read("events"), read("others")
	w, x := e.Watermark("at", 10*time.Second), o.Watermark("at", 10*time.Second)
	minute := func(t expr.Table) expr.WindowValue { return window.Tumbling(t.Timestamp("at"), time.Minute) }
	count := expr.Count().As("n")
	files := connectors.ToParquet("/out")
	to := func(t expr.Table, mode expr.OutputMode) expr.Write {
		return t.WriteTo(connectors.Noop()).OutputMode(mode).Checkpoint("/ck").Trigger(expr.ProcessingTime(time.Minute))
	}
	joined := func(l, r expr.Table, more ...expr.BooleanValue) expr.Table {
		on := []any{l.Str("k").Eq(r.Str("k"))}
		for _, m := range more {
			on = append(on, m)
		}
		return l.Join(r, on...).Select(l.Num("id"))
	}
	type row struct {
		ID int64 `json:"id"`
	}
	seen := keyed.NewValue[int64]("seen")
	process := func(t expr.Table, timers bool) expr.Table {
		p := keyed.Processor[string, row, row]{States: keyed.States{seen}, HandleInputRows: func(*keyed.Context, string, iter.Seq[row], func(row)) error { return nil }}
		if timers {
			p.Time, p.HandleExpiredTimer = keyed.EventTime, func(*keyed.Context, string, time.Time, func(row)) error { return nil }
		}
		return keyed.Transform(t.GroupBy("k"), p)
	}
	after := x.Timestamp("at").Ge(w.Timestamp("at"))
	before := x.Timestamp("at").Le(w.Timestamp("at").Add(time.Hour))
	unbounded := expr.Read("unbounded", connectors.FromJSON("/in", connectors.RowsDDL("at TIMESTAMP"))).Watermark("at", time.Second)
	rowByRow := connectors.ForeachRow(func(context.Context, map[string]any) error { return nil })
	cases := map[string]struct{ bad, good []expr.Write }{
		"SB101": {
			bad:  []expr.Write{to(e.GroupBy("k").Agg(count), expr.Update), to(e.Select("k").Distinct(), expr.Update)},
			good: []expr.Write{to(w.GroupBy(minute(w), "k").Agg(count), expr.Update), to(e.Agg(count), expr.Update)},
		},
		"SB102": {
			bad: []expr.Write{to(e.DropDuplicates("k"), expr.Append), to(w.DropDuplicates("k"), expr.Append)},
			good: []expr.Write{to(w.DropDuplicates("k", "at"), expr.Append), to(w.DropDuplicates(), expr.Append),
				to(w.DropDuplicatesWithinWatermark("k"), expr.Append)},
		},
		"SB103": {
			bad:  []expr.Write{to(joined(e, o), expr.Append), to(joined(w, x, after), expr.Append)},
			good: []expr.Write{to(joined(w, x, after, before), expr.Append)},
		},
		"SB104": {
			bad:  []expr.Write{to(w.GroupBy(minute(w)).Agg(count), expr.Complete)},
			good: []expr.Write{to(e.GroupBy("k").Agg(count), expr.Complete), to(w.GroupBy(minute(w)).Agg(count), expr.Append)},
		},
		"SB105": {
			bad: []expr.Write{to(func() expr.Table {
				r := w.Mutate(functions.CurrentDate().As("today"))
				return r.GroupBy(minute(r), "today").Agg(count)
			}(), expr.Append)},
			good: []expr.Write{to(w.GroupBy(minute(w)).Agg(count).Mutate(functions.CurrentDate().As("today")), expr.Append)},
		},
		"SB106": {
			bad: []expr.Write{
				to(w.Mutate(w.Num("v").Lag().Over(window.Over().GroupBy("k").OrderBy("at")).As("before")), expr.Append),
				to(w.Mutate(w.Num("v").Sum().Over(window.Over().GroupBy("k").OrderBy("at")).As("total")), expr.Append),
				to(w.AsofJoin(x, "at", "k").Select(w.Num("id")), expr.Append),
				to(w.TemporalJoin(x.Versioned("at", "k"), "at").Select(w.Num("id")), expr.Append),
			},
			good: []expr.Write{
				to(w.Mutate(w.Num("v").Sum().Over(window.TrailingRange(time.Hour).GroupBy("k").OrderBy("at")).As("total")), expr.Append),
				to(w.Mutate(w.Num("v").Sum().Over(window.Over().OrderBy("at")).As("total")), expr.Append),
				to(w.AsofJoin(x, "at", "k", expr.AsofTolerance(time.Hour)).Select(w.Num("id")), expr.Append),
			},
		},
		"SB107": {
			bad:  []expr.Write{to(process(e, false), expr.Append)},
			good: []expr.Write{to(process(w, true), expr.Append)},
		},
		"SB201": {
			bad: []expr.Write{to(w.Filter(w.Num("v").Gt(1)), expr.Append), to(w.GroupBy("k").Agg(count), expr.Complete)},
			good: []expr.Write{
				to(w.GroupBy(minute(w)).Agg(count), expr.Append), to(w.AsofJoin(x, "at", "k").Select(w.Num("id")), expr.Append),
				to(w.Mutate(w.Num("v").Lag().Over(window.Over().OrderBy("at")).As("before")), expr.Append),
			},
		},
		"SB202": {
			bad: []expr.Write{to(func() expr.Table {
				late := e.Watermark("at", 24*time.Hour)
				return late.GroupBy(minute(late)).Agg(count)
			}(), expr.Append)},
			good: []expr.Write{to(w.GroupBy(minute(w)).Agg(count), expr.Append)},
		},
		"SB203": {
			bad: []expr.Write{
				to(w.GroupBy(minute(w)).Agg(count), expr.Append).Trigger(expr.AvailableNow()),
				to(w.TemporalJoin(x.Versioned("at", "k"), "at").Select(w.Num("id")), expr.Append).Trigger(expr.AvailableNow()),
				to(w.Mutate(w.Num("v").Lag().Over(window.Over().OrderBy("at")).As("before")), expr.Append).Trigger(expr.AvailableNow()),
			},
			good: []expr.Write{to(w.GroupBy(minute(w)).Agg(count), expr.Update).Trigger(expr.AvailableNow()), to(w, expr.Append).Trigger(expr.AvailableNow())},
		},
		"SB301": {
			bad:  []expr.Write{w.GroupBy(minute(w)).Agg(count).WriteTo(connectors.Noop())},
			good: []expr.Write{e.WriteTo(connectors.Noop()), to(w.GroupBy(minute(w)).Agg(count), expr.Append)},
		},
		"SB302": {
			bad:  []expr.Write{e.WriteTo(files).Checkpoint("/ck"), e.WriteTo(files).Checkpoint("/ck").Trigger(expr.ProcessingTime(5 * time.Second))},
			good: []expr.Write{e.WriteTo(files).Checkpoint("/ck").Trigger(expr.ProcessingTime(10 * time.Minute)), e.WriteTo(files).Checkpoint("/ck").Trigger(expr.AvailableNow())},
		},
		"SB303": {
			bad:  []expr.Write{to(e, expr.Append).Trigger(expr.Once())},
			good: []expr.Write{to(e, expr.Append).Trigger(expr.AvailableNow())},
		},
		"SB304": {
			bad:  []expr.Write{to(unbounded.GroupBy(minute(unbounded)).Agg(count), expr.Append)},
			good: []expr.Write{to(w.GroupBy(minute(w)).Agg(count), expr.Append)},
		},
		"SB305": {
			bad:  []expr.Write{e.WriteTo(rowByRow), w.WriteTo(connectors.Noop()).LateRows(rowByRow)},
			good: []expr.Write{e.WriteTo(connectors.ForeachBatch(func(context.Context, expr.Table, int64) error { return nil }))},
		},
		"SB402": {
			bad:  []expr.Write{to(e.Select("id", "v").Union(e.Select("v", "id")), expr.Append), to(e.Select("k", "v").Union(e.Select("k", "v"), e.Select(e.Str("k").As("V"), e.Str("k").As("K"))), expr.Append)},
			good: []expr.Write{to(e.Select("k", "v").Union(e.Select(e.Str("k").As("K"), "v")), expr.Append), to(e.Select("id").Union(e.Select("v")), expr.Append)},
		},
		"SB401": {
			bad:  []expr.Write{to(e.Filter(e.Str("k").Eq(nil)), expr.Append)},
			good: []expr.Write{to(e.Filter(e.Str("k").EqNullSafe(nil)), expr.Append), to(e.Filter(e.Str("k").IsNull()), expr.Append)},
		},
	}
	find := func(w expr.Write, code string) *compiler.Finding {
		found, err := compiler.Lint(w, compiler.Stream, compiler.Target{Local: true}) // which runs all that Spark runs
		require.NoError(t, err)
		for _, f := range found {
			if f.Code == code {
				return &f
			}
		}
		return nil
	}
	for _, l := range analyze.Lints() {
		c, ok := cases[l.Code]
		require.True(t, ok, "%s has no case", l.Code)
		for i, w := range c.bad {
			f := find(w, l.Code)
			require.NotNil(t, f, "%s, case %d", l.Code, i)
			require.Contains(t, f.String(), "compiler/lint_test.go:", l.Code)
			require.Contains(t, f.String(), l.Code+" "+l.Title)
			require.NotEmpty(t, f.Operator)
		}
		for i, w := range c.good {
			require.Nil(t, find(w, l.Code), "%s, good case %d", l.Code, i)
		}
	}

	// A query that Spoonbill refuses has no lints, but its error.
	_, err := compiler.Lint(e.GroupBy("k").Agg(count).WriteTo(connectors.Noop()), compiler.Stream)
	require.Error(t, err)
	// In a batch only expressions are looked at.
	found, err := compiler.Lint(e.Filter(e.Str("k").Eq(nil)).WriteTo(files), compiler.Batch)
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, "SB401", found[0].Code)
}
