package local_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/arrowtype"
	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// feed is a source of rows that a test puts in chunk by chunk. Its offsets count chunks.
type feed struct {
	fields []datatype.Field
	perRun int // chunks per epoch, 0 for all

	mu     sync.Mutex
	chunks [][][]any
	mem    memory.Allocator
	ready  *ready
	panics bool
	// looked, where it is set, is called between a look at the chunks and its answer, asked before a first position is given.
	looked, asked func()
}

func newFeed(t testing.TB, ddl string) *feed {
	f, err := datatype.ParseFields(ddl)
	require.NoError(t, err)
	return &feed{fields: f, mem: memory.DefaultAllocator}
}

func (f *feed) add(rows ...[]any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.chunks = append(f.chunks, rows)
}

func (f *feed) Description() *tree.Source {
	return &tree.Source{Format: "testfeed", Fields: f.fields, Batch: true, Stream: true, Local: f}
}

func (f *feed) Source() (*tree.Source, error) { return f.Description(), nil }

// feedReader is an open feed.
type feedReader struct {
	f      *feed
	frozen int
}

func (r *feedReader) end() int {
	if r.frozen >= 0 {
		return r.frozen
	}
	r.f.mu.Lock()
	defer r.f.mu.Unlock()
	return len(r.f.chunks)
}

func (r *feedReader) PrepareAvailableNow(context.Context) error {
	r.frozen = r.end()
	return nil
}

func at(o connector.Offset) int {
	var n int
	if err := json.Unmarshal(o, &n); err != nil {
		panic(err)
	}
	return n
}

func (r *feedReader) Initial(context.Context) (connector.Offset, error) {
	if r.f.asked != nil {
		r.f.asked()
	}
	return connector.Offset("0"), nil
}

func (r *feedReader) Latest(_ context.Context, start connector.Offset, all bool) (connector.Offset, error) {
	end := r.end()
	if r.f.looked != nil {
		r.f.looked()
	}
	if !all && r.f.perRun > 0 {
		end = min(end, at(start)+r.f.perRun)
	}
	return connector.Offset(fmt.Sprint(end)), nil
}

func (r *feedReader) Read(_ context.Context, start, end connector.Offset, p connector.Projection) (connector.Batches, error) {
	r.f.mu.Lock()
	chunks := append([][][]any(nil), r.f.chunks[at(start):at(end)]...)
	r.f.mu.Unlock()
	return func(yield func(arrow.RecordBatch, error) bool) {
		if r.f.panics {
			panic("a planted fault")
		}
		for _, rows := range chunks {
			if !yield(record(r.f.mem, r.f.fields, rows), nil) {
				return
			}
		}
	}, nil
}

func (r *feedReader) Commit(context.Context, connector.Offset) error { return nil }
func (r *feedReader) Metrics() map[string]string                     { return nil }
func (r *feedReader) Description() string                            { return "TestFeed" }
func (r *feedReader) Close() error                                   { return nil }

// record makes a record batch of Go values as literals store them, with time.Time for time stamps and dates.
func record(mem memory.Allocator, fields []datatype.Field, rows [][]any) arrow.RecordBatch {
	schema, err := arrowtype.Schema(fields)
	if err != nil {
		panic(err)
	}
	arrs := make([]arrow.Array, len(fields))
	for i, f := range fields {
		b := vec.NewBuilder(f.Type, len(rows))
		for _, r := range rows {
			v := r[i]
			switch x := v.(type) {
			case int:
				v = int64(x)
			case time.Time:
				v = x.UnixMicro()
				if f.Type.Kind() == datatype.KindDate {
					v = x.Unix() / 86400
				}
			}
			if err := b.AppendAny(v); err != nil {
				panic(err)
			}
		}
		arrs[i] = copied(mem, vec.ToArrow(b.Vec(), schema.Field(i).Type))
	}
	rec := array.NewRecordBatch(schema, arrs, int64(len(rows)))
	for _, a := range arrs {
		a.Release()
	}
	return rec
}

// copied puts an array's buffers into memory of the allocator, so that a checked one counts them.
func copied(mem memory.Allocator, a arrow.Array) arrow.Array {
	d := a.Data()
	var bufs []*memory.Buffer
	for _, b := range d.Buffers() {
		if b == nil {
			bufs = append(bufs, nil)
			continue
		}
		c := memory.NewResizableBuffer(mem)
		c.Resize(b.Len())
		copy(c.Bytes(), b.Bytes())
		bufs = append(bufs, c)
	}
	out := array.NewData(a.DataType(), a.Len(), bufs, d.Children(), a.NullN(), 0)
	for _, b := range bufs {
		if b != nil {
			b.Release()
		}
	}
	res := array.MakeFromData(out)
	out.Release()
	return res
}

// collector is a sink that keeps the rows of each epoch as texts. An epoch that is written again replaces the first copy.
type collector struct {
	mu     sync.Mutex
	epochs map[int64][]string
	mode   tree.OutputMode
	fail   func(epoch int64) error
}

func newCollector() *collector { return &collector{epochs: map[int64][]string{}} }

func (c *collector) Sink() (*tree.Sink, error) {
	return &tree.Sink{Format: "testcollector", Batch: true, Stream: true, Local: c, Modes: []tree.OutputMode{tree.Append, tree.Update, tree.Complete}}, nil
}

func (c *collector) Write(ctx context.Context, epoch int64, mode tree.OutputMode, fields []datatype.Field, rows connector.Batches) (int64, error) {
	var out []string
	for rec, err := range rows {
		if err != nil {
			return 0, err
		}
		out = append(out, lines(fields, rec)...)
		rec.Release()
	}
	if c.fail != nil {
		if err := c.fail(epoch); err != nil {
			return 0, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epochs[epoch], c.mode = out, mode
	return int64(len(out)), nil
}

func (c *collector) Description() string { return "TestCollector" }
func (c *collector) Close() error        { return nil }

// rows gives what an append or update stream wrote, sorted.
func (c *collector) rows() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for _, e := range c.epochs {
		out = append(out, e...)
	}
	sort.Strings(out)
	return out
}

// last gives the rows of the last epoch, sorted: the result in complete mode.
func (c *collector) last() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	best := int64(-1)
	for e := range c.epochs {
		best = max(best, e)
	}
	out := append([]string(nil), c.epochs[best]...)
	sort.Strings(out)
	return out
}

func lines(fields []datatype.Field, rec arrow.RecordBatch) []string {
	out := make([]string, rec.NumRows())
	for i := range out {
		cells := make([]string, len(fields))
		for j, f := range fields {
			if rec.Column(j).IsNull(i) {
				cells[j] = "NULL"
			} else {
				cells[j] = backend.Format(rec.Column(j), i, f.Type, time.UTC)
			}
		}
		out[i] = strings.Join(cells, "|")
	}
	return out
}

func init() {
	connector.RegisterSource("testfeed", func(_ context.Context, _ connector.Env, s *tree.Source) (connector.Source, error) {
		return &feedReader{f: s.Local.(*feed), frozen: -1}, nil
	})
	connector.RegisterSink("testcollector", func(_ context.Context, _ connector.Env, s *tree.Sink) (connector.Sink, error) {
		return s.Local.(*collector), nil
	})
}

// collect runs a table in batch and gives its rows as texts in their order.
func collect(t testing.TB, s backend.Session, table expr.Table) []string {
	t.Helper()
	out, err := tryCollect(s, table)
	require.NoError(t, err)
	return out
}

func tryCollect(s backend.Session, table expr.Table) ([]string, error) {
	res, err := s.Batches(context.Background(), table)
	if err != nil {
		return nil, err
	}
	var out []string
	for rec, err := range res.Batches {
		if err != nil {
			return nil, err
		}
		out = append(out, lines(res.Fields, rec)...)
	}
	return out, nil
}

func sorted(in []string) []string {
	out := append([]string(nil), in...)
	sort.Strings(out)
	return out
}
