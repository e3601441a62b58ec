package streamtest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/functions"
	"github.com/spoonbill-go/spoonbill/window"
)

type order struct {
	At    *time.Time `spoonbill:"at"`
	Item  *string    `spoonbill:"item"`
	Count int64      `spoonbill:"count"`
}

type total struct {
	Start time.Time `spoonbill:"start"`
	Item  *string   `spoonbill:"item"`
	Total int64     `spoonbill:"total"`
}

func clock(text string) time.Time {
	t, err := time.Parse("2006-01-02 15:04:05.999", "2024-01-01 "+text)
	if err != nil {
		panic(err)
	}
	return t
}

func ptr[T any](v T) *T { return &v }

func at(text string, item any, count int64) order {
	o := order{Count: count}
	if text != "" {
		o.At = ptr(clock(text))
	}
	if s, ok := item.(string); ok {
		o.Item = &s
	}
	return o
}

// perMinute is the query of most scripts here.
func perMinute(orders expr.Table) expr.Table {
	o := orders.Watermark("at", 10*time.Second)
	w := o.GroupBy(window.Tumbling(o.Timestamp("at"), time.Minute), "item").Agg(o.Num("count").Sum().As("total"))
	return w.Select(w.Window("window").Start().As("start"), "item", "total")
}

func TestSteps(t *testing.T) {
	Run(t, func(s *Script) {
		orders := NewInput[order](s, "orders")
		s.Query(perMinute(orders.Table()), expr.Append)
		s.Step().WantNoRows().WantWatermark(time.Unix(0, 0)).WantState(0)
		orders.Add(at("10:00:05", "tea", 2), at("10:00:50", "tea", 3), at("", "tea", 7), at("10:00:01", nil, 1))
		s.Step().WantNoRows().WantWatermark(clock("10:00:40")).WantState(2).WantLate(0)
		orders.Add(at("10:02:00", "milk", 1))
		s.Step().WantNoRows().WantWatermark(clock("10:01:50"))
		// A row is late by the watermark of the epoch before, so this one still comes in time.
		orders.Add(at("10:00:20", "tea", 9))
		s.Step().WantRows(total{clock("10:00:00"), ptr("tea"), 14}, total{clock("10:00:00"), nil, 1}).WantLate(0)
		orders.Add(at("10:00:30", "tea", 9))
		s.Step().WantNoRows().WantLate(1)
		s.End().WantNoRows().WantState(1)
	})
}

func TestUpdateAndComplete(t *testing.T) {
	type count struct {
		Item *string
		N    int64
	}
	for _, mode := range []expr.OutputMode{expr.Update, expr.Complete} {
		Run(t, func(s *Script) {
			orders := NewInput[order](s, "orders")
			s.Query(orders.Table().GroupBy("item").Agg(expr.Count().As("n")), mode)
			orders.Add(at("10:00:00", "tea", 1), at("10:00:00", nil, 1))
			s.Step().WantRows(count{ptr("tea"), 1}, count{nil, 1})
			orders.Add(at("10:00:00", "tea", 1))
			st := s.Step().WantRows(count{ptr("tea"), 2})
			if mode == expr.Complete {
				st.WantRows(count{nil, 1})
			}
		}, Local())
	}
}

// A script of two inputs gives both of a step's rows to one epoch.
func TestTwoInputs(t *testing.T) {
	type pair struct{ A, B int64 }
	Run(t, func(s *Script) {
		a := NewInputDDL(s, "a", "id BIGINT, at TIMESTAMP")
		b := NewInputDDL(s, "b", "other BIGINT, moment TIMESTAMP")
		l, r := a.Table().Watermark("at", time.Duration(0)), b.Table().Watermark("moment", time.Duration(0))
		j := l.LeftJoin(r, l.Num("id").Eq(r.Num("other")), r.Timestamp("moment").Ge(l.Timestamp("at")), r.Timestamp("moment").Le(l.Timestamp("at").Add(time.Second)))
		s.Query(j.Select(l.Num("id").As("a"), functions.Coalesce(r.Num("other"), 0).As("b")), expr.Append)
		a.Add([]any{1, clock("10:00:00")}, []any{2, clock("10:00:00")})
		b.Add([]any{1, clock("10:00:01")})
		s.Step().WantRows(pair{1, 1})
		a.Add([]any{3, clock("10:01:00")})
		s.Step().WantNoRows().WantWatermark(clock("10:00:01"))
		b.Add([]any{3, clock("10:01:00")})
		// The row with 2 waits for times up to 10:00:01, which has not passed yet.
		s.Step().WantRows(pair{3, 3}).WantWatermark(clock("10:01:00")).WantState(5)
		s.End().WantRows(pair{2, 0})
	})
}

// The end is the engine's where a script leaves it open, and single values stand for rows of one column.
func TestLeaveOpen(t *testing.T) {
	for _, close := range []bool{false, true} {
		script := func(s *Script) {
			orders := NewInput[order](s, "orders")
			s.Query(perMinute(orders.Table()).Select("total"), expr.Append)
			s.LeaveOpen()
			orders.Add(at("10:00:05", "tea", 2))
			s.Step()
			if close {
				orders.Add(at("10:02:00", "tea", 3))
				s.Step().WantNoRows().WantWatermark(clock("10:01:50"))
				s.End().WantRows(int64(2))
				return
			}
			s.End().WantNoRows()
		}
		Run(t, script)
		tl, err := Play(t.Context(), Local(), script)
		require.NoError(t, err)
		require.Equal(t, map[bool]int{false: 2, true: 3}[close], len(tl.Epochs))
	}
}

func TestAdvance(t *testing.T) {
	Run(t, func(s *Script) {
		orders := NewInput[order](s, "orders")
		s.Query(orders.Table().Select(functions.CurrentTimestamp().As("now")), expr.Append)
		orders.Add(at("", nil, 1))
		s.Step().WantRows(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC))
		s.Advance(90 * time.Minute)
		orders.Add(at("", nil, 1))
		s.Step().WantRows(clock("01:30:00"))
		orders.Add(at("", nil, 1))
		s.Step().WantRows(clock("01:30:00"))
	})
}

// A failure names the line of the step and what is different, and shows the timeline.
func TestFailure(t *testing.T) {
	msg := verdict(t.Context(), Local(), func(s *Script) {
		orders := NewInput[order](s, "orders")
		s.Query(perMinute(orders.Table()), expr.Append)
		orders.Add(at("10:00:05", "tea", 2), at("10:00:06", nil, 3))
		s.Step().WantLate(2).WantState(7)
		orders.Add(at("10:02:00", "milk", 1))
		s.Step().WantWatermark(clock("10:01:51"))
		orders.Add(at("10:00:10", "tea", 4))
		s.Step().WantRows(total{clock("10:00:00"), ptr("tea"), 3})
		s.Step().WantNoRows()
	})
	for _, part := range []string{
		"streamtest_test.go:", "step 1: 0 late rows, want 2", "step 1: 2 rows in the state, want 7", "step 2: the watermark is 2024-01-01 10:01:50, want 2024-01-01 10:01:51",
		"step 3: rows (-want +got), columns start | item | total", `2024-01-01 10:00:00 | "tea" | 3`, "timeline on the local engine",
		"step 1\n  in   orders: 2024-01-01 10:00:05 | \"tea\" | 2\n               2024-01-01 10:00:06 | NULL | 3\n  watermark 1970-01-01 00:00:00 -> 2024-01-01 09:59:56, state 2, late 0\n  out  nothing\n",
	} {
		require.Contains(t, strings.ReplaceAll(msg, "\u00a0", " "), part)
	}
	require.NotContains(t, msg, "step 4: rows")
}

// What is wrong with a script is told by its line, and no query runs.
func TestMistakes(t *testing.T) {
	query := func(s *Script) *Input[order] {
		in := NewInput[order](s, "orders")
		s.Query(in.Table().Select("item"), expr.Append)
		return in
	}
	for want, script := range map[string]func(s *Script){
		"no query": func(s *Script) { NewInput[order](s, "orders"); s.Step() },
		"no input": func(s *Script) { s.Query(expr.Memtable("m", []order{{}}), expr.Append); s.Step() },
		"no step":  func(s *Script) { query(s) },
		"behind the last step": func(s *Script) {
			in := query(s)
			s.Step()
			in.Add(order{})
		},
		"has one query":           func(s *Script) { query(s); s.Query(expr.Memtable("m", []order{{}}), expr.Append) },
		"cannot be named":         func(s *Script) { NewInput[order](s, "or ders") },
		"Two inputs are named":    func(s *Script) { query(s); query(s) },
		"made behind a step":      func(s *Script) { query(s); s.Step(); NewInput[order](s, "late") },
		"is no struct":            func(s *Script) { NewInput[int](s, "x") },
		"The schema of the input": func(s *Script) { NewInputDDL(s, "x", "id NOTYPE") },
		"Row 0 has 1 values":      func(s *Script) { NewInputDDL(s, "x", "id BIGINT, b INT").Add([]any{1}) },
		"is nil":                  func(s *Script) { NewInput[*order](s, "x").Add(nil) },
		"cannot go back":          func(s *Script) { s.Advance(-time.Second) },
		"UNRESOLVED_COLUMN": func(s *Script) {
			in := NewInput[order](s, "o")
			s.Query(in.Table().Select("itm"), expr.Append)
			s.Step()
		},
		"SPOONBILL_STREAMING": func(s *Script) {
			in := NewInput[order](s, "o")
			s.Query(in.Table().OrderBy("item"), expr.Append)
			s.Step()
		},
		"at most 95 steps": func(s *Script) {
			query(s)
			for range 96 {
				s.Step()
			}
		},
		"DIVIDE_BY_ZERO": func(s *Script) {
			in := NewInput[order](s, "o")
			s.Query(in.Table().Select(expr.Lit(1).AsNumeric().Div(in.Table().Num("count")).As("x")), expr.Append)
			in.Add(order{})
			s.Step()
		},
	} {
		_, err := Play(t.Context(), Local(), script)
		require.ErrorContains(t, err, want)
	}
	wrong := func(row any) string {
		return verdict(t.Context(), Local(), func(s *Script) {
			in := NewInput[order](s, "orders")
			s.Query(in.Table(), expr.Append)
			s.Step().WantRows(row)
		})
	}
	require.Contains(t, wrong(total{}), "The query has a column at, for which streamtest.total has no field")
	require.Contains(t, wrong(7), "A wanted row is a int, and the query has 3 columns")
	require.Contains(t, wrong(struct {
		order
		More int `spoonbill:"more"`
	}{}), "has a field more, for which the query has no column")
	require.Contains(t, verdict(t.Context(), nil, nil), "target is nil")
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Play(ctx, Local(), func(s *Script) {
		in := NewInput[order](s, "orders")
		s.Query(in.Table(), expr.Append)
		in.Add(order{})
		s.Step()
	})
	require.ErrorIs(t, err, context.Canceled)
}

// What runs offline only is refused on Spark before anything is asked of the session.
func TestAdvanceOnSpark(t *testing.T) {
	s, err := begunOnSpark(t)
	require.NoError(t, err)
	s.Advance(time.Second)
	require.ErrorContains(t, s.seal(), "Spark's clock is the server's")
	require.ErrorContains(t, s.seal(), "streamtest.Local alone")
	_, err = Play(t.Context(), Spark(nil, t.TempDir()), nil)
	require.ErrorContains(t, err, "session is nil")
}

func begunOnSpark(t *testing.T) (*Script, error) {
	t.Helper()
	local, stopLocal, err := Local().start(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, stopLocal()) })
	s, stop, err := begin(t.Context(), Spark(local.(*localRunner).session, t.TempDir()))
	if err == nil {
		t.Cleanup(func() { require.NoError(t, stop()) })
	}
	return s, err
}

// The files for Spark hold the rows of each step, an empty one too, in the order of the steps.
func TestFiles(t *testing.T) {
	s, err := begunOnSpark(t)
	require.NoError(t, err)
	in := NewInputDDL(s, "a", "id BIGINT, at TIMESTAMP, d DECIMAL(10,2), tags ARRAY<STRING>, n TIMESTAMP_NTZ")
	in.Add([]any{1, clock("10:00:00"), expr.Decimal("1.5"), []string{"x"}, expr.TimestampNTZ(clock("10:00:00"))})
	s.Step()
	s.Step()
	in.Add([]any{2, nil, nil, nil, nil})
	s.Step()
	r := s.run.(*sparkRunner)
	r.written = began
	for step := range 3 {
		require.NoError(t, r.write(t.Context(), in.in, step))
	}
	sink := connectors.NewMemorySink()
	q, err := r.files.Start(t.Context(), in.Table().WriteTo(sink).Trigger(expr.AvailableNow()))
	require.NoError(t, err)
	require.NoError(t, q.AwaitTermination(t.Context()))
	progress, err := q.RecentProgress(t.Context())
	require.NoError(t, err)
	var rows []int64
	for _, p := range progress {
		rows = append(rows, p.NumInputRows)
	}
	require.Equal(t, []int64{1, 0, 1}, rows)
	require.Len(t, sink.Rows(), 2)
}
