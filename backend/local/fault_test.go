package local_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/window"
)

// hooked is a source and a sink each of whose calls a test can replace.
type hooked struct {
	fields []datatype.Field
	open   func() error
	latest func() (connector.Offset, error)
	rows   func(ctx context.Context) connector.Batches
	write  func(rows connector.Batches) error
	close  func() error
}

func (h *hooked) Source() (*tree.Source, error) {
	return &tree.Source{Format: "testhooked", Fields: h.fields, Batch: true, Stream: true, Local: h}, nil
}

func (h *hooked) Sink() (*tree.Sink, error) {
	return &tree.Sink{Format: "testhooked", Batch: true, Stream: true, Local: h, Modes: []tree.OutputMode{tree.Append}}, nil
}

type openHooked struct{ h *hooked }

func (o openHooked) Initial(context.Context) (connector.Offset, error) {
	return connector.Offset("0"), nil
}

func (o openHooked) Latest(context.Context, connector.Offset, bool) (connector.Offset, error) {
	if o.h.latest != nil {
		return o.h.latest()
	}
	return connector.Offset("1"), nil
}

func (o openHooked) Read(ctx context.Context, _, _ connector.Offset, _ connector.Projection) (connector.Batches, error) {
	return o.h.rows(ctx), nil
}

func (o openHooked) Write(_ context.Context, _ int64, _ tree.OutputMode, _ []datatype.Field, rows connector.Batches) (int64, error) {
	return 0, o.h.write(rows)
}

func (o openHooked) Commit(context.Context, connector.Offset) error { return nil }
func (o openHooked) Metrics() map[string]string                     { return nil }
func (o openHooked) Description() string                            { return "Hooked" }
func (o openHooked) Close() error {
	if o.h.close != nil {
		return o.h.close()
	}
	return nil
}

func init() {
	connector.RegisterSource("testhooked", func(_ context.Context, _ connector.Env, s *tree.Source) (connector.Source, error) {
		h := s.Local.(*hooked)
		if h.open != nil {
			if err := h.open(); err != nil {
				return nil, err
			}
		}
		return openHooked{h}, nil
	})
	connector.RegisterSink("testhooked", func(_ context.Context, _ connector.Env, s *tree.Sink) (connector.Sink, error) {
		return openHooked{s.Local.(*hooked)}, nil
	})
}

var hookedFields = []datatype.Field{{Name: "k", Type: datatype.Int, Nullable: true}, {Name: "s", Type: datatype.String, Nullable: true}}

// numbered is a batch of n rows from a number on.
func numbered(from, n int) arrow.RecordBatch {
	rows := make([][]any, n)
	for i := range rows {
		rows[i] = []any{from + i, "text"}
	}
	return record(memory.DefaultAllocator, hookedFields, rows)
}

// endless gives rows until its context ends.
func endless(ctx context.Context) connector.Batches {
	return func(yield func(arrow.RecordBatch, error) bool) {
		rec := numbered(0, 4096)
		defer rec.Release()
		for ctx.Err() == nil {
			rec.Retain()
			if !yield(rec, nil) {
				return
			}
		}
		yield(nil, ctx.Err())
	}
}

// silent waits for its context.
func silent(ctx context.Context) connector.Batches {
	return func(yield func(arrow.RecordBatch, error) bool) {
		<-ctx.Done()
		yield(nil, ctx.Err())
	}
}

// promptly is how long the end of a cancelled query may take; the aim is a tenth of a second, and tests run on busy machines.
const promptly = 400 * time.Millisecond

// A cancelled context ends a batch query at once, wherever it is.
func TestCancelledBatch(t *testing.T) {
	s := open(t)
	sources := 0
	read := func(rows func(context.Context) connector.Batches) expr.Table {
		sources++
		return expr.Read(fmt.Sprintf("rows%d", sources), &hooked{fields: hookedFields, rows: rows})
	}
	flood := read(endless)
	many := func(n int) func(context.Context) connector.Batches {
		return func(context.Context) connector.Batches {
			return func(yield func(arrow.RecordBatch, error) bool) {
				for from := 0; from < n; from += 8192 {
					if !yield(numbered(from*7919%n, 8192), nil) {
						return
					}
				}
			}
		}
	}
	big := read(many(1 << 19))
	left, right := read(many(1<<16)), read(many(1<<16))
	timed := flood.Mutate(flood.Num("k").Cast(datatype.Timestamp).As("at"))
	for name, table := range map[string]expr.Table{
		"silent source": read(silent),
		"map":           flood.Select(flood.Num("k").Mul(2).As("twice")),
		"filter":        flood.Filter(flood.Num("k").Lt(0)),
		"aggregate":     flood.GroupBy("k").Agg(expr.Count().As("n")),
		"sort":          flood.OrderBy("k"),
		"distinct":      flood.Distinct(),
		"sort of much":  big.OrderBy(expr.Desc("k"), "s"),
		"groups":        big.GroupBy("k", "s").Agg(expr.Count().As("n")),
		"join of all":   left.Rename(map[string]string{"l": "k"}).Join(right.Rename(map[string]string{"r": "k"}), "s"),
		"over":          big.Mutate(big.Num("k").Sum().As("all")),
		// Each batch would be 16,384 times 90,000 rows.
		"windows without number": timed.GroupBy(window.Sliding(timed.Timestamp("at"), 90*time.Second, time.Millisecond)).Agg(expr.Count().As("n")).Filter(expr.Num("n").Lt(0)),
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, table.Err())
			for _, after := range []time.Duration{0, 5 * time.Millisecond, 60 * time.Millisecond, 300 * time.Millisecond} {
				run, cancel := context.WithCancel(ctx)
				var cancelled time.Time
				timer := time.AfterFunc(after, func() { cancelled = time.Now(); cancel() })
				res, err := s.Batches(run, table)
				require.NoError(t, err)
				for _, e := range res.Batches {
					err = e
				}
				ended := time.Now()
				if timer.Stop() {
					require.NoError(t, err)
					cancel()
					continue // it was faster
				}
				if err != nil {
					require.ErrorIs(t, err, context.Canceled)
				}
				require.Less(t, ended.Sub(cancelled), promptly, "cancelled after %s", after)
				cancel()
			}
		})
	}
	// A write leaves nothing behind.
	out := filepath.Join(t.TempDir(), "out")
	run, cancel := context.WithCancel(ctx)
	time.AfterFunc(50*time.Millisecond, cancel)
	began := time.Now()
	require.ErrorIs(t, s.Write(run, flood.WriteTo(connectors.ToParquet(out))), context.Canceled)
	require.Less(t, time.Since(began), promptly+50*time.Millisecond)
	_, err := os.Stat(out)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// overlong says that it has more rows than its columns have, so that whoever works on it breaks.
type overlong struct{ arrow.RecordBatch }

// NumRows implements [arrow.RecordBatch].
func (r overlong) NumRows() int64 { return r.RecordBatch.NumRows() + 50 }

// A panic in a connector or an operator is an error of its query; the process, the session and other queries go on.
func TestPanicsEndTheQueryAlone(t *testing.T) {
	good := func(context.Context) connector.Batches {
		return func(yield func(arrow.RecordBatch, error) bool) { yield(numbered(0, 100), nil) }
	}
	much := func(context.Context) connector.Batches {
		return func(yield func(arrow.RecordBatch, error) bool) {
			for i := range 50 {
				if !yield(numbered(i, 100), nil) {
					return
				}
			}
		}
	}
	long := func(context.Context) connector.Batches {
		return func(yield func(arrow.RecordBatch, error) bool) { yield(overlong{numbered(0, 100)}, nil) }
	}
	var none []int
	broken := func(context.Context) connector.Batches {
		return func(yield func(arrow.RecordBatch, error) bool) {
			if yield(numbered(0, 100), nil) {
				none[len(none)]++
			}
		}
	}
	drained := func(rows connector.Batches) error {
		for rec, err := range rows {
			if err != nil {
				return err
			}
			rec.Release()
		}
		return nil
	}
	for name, c := range map[string]struct{ source, sink hooked }{
		"open":      {source: hooked{open: func() error { panic("at open") }, rows: good}},
		"latest":    {source: hooked{latest: func() (connector.Offset, error) { panic("at latest") }, rows: good}},
		"read":      {source: hooked{rows: func(context.Context) connector.Batches { panic("at read") }}},
		"rows":      {source: hooked{rows: broken}},
		"operators": {source: hooked{rows: long}},
		"close":     {source: hooked{rows: good, close: func() error { panic("at close") }}},
		"write":     {source: hooked{rows: good}, sink: hooked{write: func(connector.Batches) error { panic("at write") }}},
		"write, midway": {source: hooked{rows: much}, sink: hooked{write: func(rows connector.Batches) error {
			for range rows {
				panic("at write")
			}
			return nil
		}}},
		"close of sink": {source: hooked{rows: good}, sink: hooked{close: func() error { panic("at close") }}},
	} {
		for _, parallel := range []int{1, 3} {
			t.Run(name, func(t *testing.T) {
				s := open(t, local.Parallelism(parallel))
				other, err := s.Start(ctx, expr.Read("other", newFeed(t, "a INT")).WriteTo(newCollector()).Checkpoint(t.TempDir()))
				require.NoError(t, err)
				source, sink := c.source, c.sink
				source.fields = hookedFields
				if sink.write == nil {
					sink.write = drained
				}
				in := expr.Read("rows", &source)
				for _, table := range []expr.Table{in, in.Select(in.Num("k").Add(1).As("k"), in.Str("s").Upper().As("s")), in.GroupBy("s").Agg(in.Num("k").Sum().As("n"))} {
					if sink.close == nil && c.sink.write == nil {
						_, err := tryCollect(s, table)
						require.Equal(t, condition.InternalError, condition.Of(err), "%v", err)
					}
					err := s.Write(ctx, table.WriteTo(&sink))
					require.Equal(t, condition.InternalError, condition.Of(err), "%v", err)
				}
				ckpt := t.TempDir()
				q, err := s.Start(ctx, in.Select("k", "s").WriteTo(&sink).Checkpoint(ckpt).Trigger(expr.AvailableNow()))
				if err == nil {
					err = endOfQuery(t, q, err)
				}
				require.ErrorIs(t, err, &condition.Error{Condition: condition.InternalError})
				// The checkpoint is free again, and the query completes when what was broken is mended.
				source.rows, source.open, source.latest, source.close = good, nil, nil, nil
				sink.write, sink.close = drained, nil
				q, err = s.Start(ctx, in.Select("k", "s").WriteTo(&sink).Checkpoint(ckpt).Trigger(expr.AvailableNow()))
				requireEnd(t, q, err)
				active, err := other.IsActive(ctx)
				require.NoError(t, err)
				require.True(t, active)
			})
		}
	}
	// A reader's panic is the reader's.
	s := open(t)
	res, err := s.Batches(ctx, expr.Read("rows", &hooked{fields: hookedFields, rows: endless}))
	require.NoError(t, err)
	require.PanicsWithValue(t, "mine", func() {
		for range res.Batches {
			panic("mine")
		}
	})
}
