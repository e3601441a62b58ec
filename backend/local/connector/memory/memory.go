// Package memory reads the rows of a connectors.MemoryStream and writes into a connectors.MemorySink. Both live in the program itself.
//
// The offset of a source is the number of rows so far, as a JSON number. A query that resumes finds its rows by their count, so the program
// must have added the same rows again.
package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/spoonbill-go/spoonbill/backend/arrowtype"
	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

func init() {
	connector.RegisterSource("memory", func(_ context.Context, env connector.Env, s *tree.Source) (connector.Source, error) {
		return openSource(env, s)
	})
	connector.RegisterSink("memory", func(_ context.Context, _ connector.Env, s *tree.Sink) (connector.Sink, error) { return openSink(s) })
}

// source is an open memory source.
type source struct {
	env    connector.Env
	stream *connectors.MemoryStream
	fields []datatype.Field
	schema *arrow.Schema
	mem    memory.Allocator
	// frozen is the number of rows at which a query that works off what is there ends; -1 for none.
	frozen int64

	mu     sync.Mutex
	latest int64
}

var _ connector.AvailableNow = (*source)(nil)

func openSource(env connector.Env, d *tree.Source) (*source, error) {
	m, ok := d.Local.(*connectors.MemoryStream)
	if !ok {
		return nil, condition.Newf(condition.InvalidValue, "A source of format memory needs the stream that holds its rows; make it with connectors.NewMemoryStream.")
	}
	schema, err := arrowtype.Schema(d.Fields)
	if err != nil {
		return nil, condition.Newf(condition.InvalidValue, "A memory stream cannot be read: %v.", err)
	}
	return &source{env: env, stream: m, fields: d.Fields, schema: schema, mem: memory.DefaultAllocator, frozen: -1, latest: -1}, nil
}

func offset(n int64) connector.Offset { return strconv.AppendInt(nil, n, 10) }

// count reads an offset, which must be within the rows that were added.
func (s *source) count(o connector.Offset) (int64, error) {
	var n int64
	if err := json.Unmarshal(o, &n); err != nil || n < 0 || bytes.Equal(bytes.TrimSpace(o), []byte("null")) {
		return 0, condition.Newf(condition.CheckpointCorrupt, "The offset %s is none of a memory stream: it must be a number of rows.", o)
	}
	if have := s.stream.Len(); n > have {
		e := condition.Newf(condition.CheckpointMismatch, "The query has read %d rows of a memory stream that has %d.", n, have)
		e.Hint = "Add the rows of the earlier run again before the query resumes, or start it with a new checkpoint."
		return 0, e
	}
	return n, nil
}

// Initial implements [connector.Source].
func (s *source) Initial(context.Context) (connector.Offset, error) { return offset(0), nil }

// PrepareAvailableNow implements [connector.AvailableNow].
func (s *source) PrepareAvailableNow(context.Context) error {
	s.frozen = s.stream.Len()
	return nil
}

// Latest implements [connector.Source].
func (s *source) Latest(_ context.Context, start connector.Offset, _ bool) (connector.Offset, error) {
	from, err := s.count(start)
	if err != nil {
		return nil, err
	}
	n := s.stream.Len()
	if s.frozen >= 0 {
		n = max(s.frozen, from)
	}
	s.mu.Lock()
	s.latest = n
	s.mu.Unlock()
	return offset(n), nil
}

// Read implements [connector.Source].
func (s *source) Read(ctx context.Context, start, end connector.Offset, p connector.Projection) (connector.Batches, error) {
	from, err := s.count(start)
	if err != nil {
		return nil, err
	}
	until, err := s.count(end)
	if err != nil {
		return nil, err
	}
	wanted := p.Wanted(len(s.fields))
	return func(yield func(arrow.RecordBatch, error) bool) {
		step := int64(max(s.env.BatchRows, 1))
		for at := from; at < until; at += step {
			if err := context.Cause(ctx); err != nil {
				yield(nil, err)
				return
			}
			rec, err := s.batch(s.stream.Rows(at, min(at+step, until)), wanted)
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}, nil
}

// batch makes a record batch of rows; columns that are not wanted are nulls.
func (s *source) batch(rows [][]any, wanted []bool) (arrow.RecordBatch, error) {
	cols := make([]arrow.Array, 0, len(s.fields))
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	for i, f := range s.fields {
		if !wanted[i] {
			cols = append(cols, array.MakeArrayOfNull(s.mem, s.schema.Field(i).Type, len(rows)))
			continue
		}
		c, err := s.column(rows, i, f)
		if err != nil {
			return nil, err
		}
		cols = append(cols, c)
	}
	return array.NewRecordBatch(s.schema, cols, int64(len(rows))), nil
}

func (s *source) column(rows [][]any, i int, f datatype.Field) (arrow.Array, error) {
	b := array.NewBuilder(s.mem, s.schema.Field(i).Type)
	defer b.Release()
	b.Reserve(len(rows))
	for _, r := range rows {
		if err := appendValue(b, f.Type, r[i]); err != nil {
			return nil, err
		}
	}
	return b.NewArray(), nil
}

// Commit implements [connector.Source]. The stream keeps its rows: other queries may read it too.
func (s *source) Commit(context.Context, connector.Offset) error { return nil }

// Metrics implements [connector.Source].
func (s *source) Metrics() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.latest < 0 {
		return nil
	}
	return map[string]string{"latestOffset": strconv.FormatInt(s.latest, 10)}
}

// Description implements [connector.Source].
func (s *source) Description() string {
	names := make([]string, len(s.fields))
	for i, f := range s.fields {
		names[i] = f.Name
	}
	return "MemoryStream[" + strings.Join(names, ",") + "]"
}

// Close implements [connector.Source].
func (s *source) Close() error { return nil }

// sink is an open memory sink.
type sink struct{ to *connectors.MemorySink }

func openSink(d *tree.Sink) (*sink, error) {
	to, ok := d.Local.(*connectors.MemorySink)
	if !ok {
		e := condition.Newf(condition.Unsupported, "The local engine has no tables in memory, which Spark's memory sink writes into.")
		e.Hint = "Use connectors.NewMemorySink and ask it for its rows."
		return nil, e
	}
	return &sink{to}, nil
}

// Write implements [connector.Sink]. An epoch arrives whole or not at all.
func (s *sink) Write(_ context.Context, epoch int64, mode tree.OutputMode, fields []datatype.Field, rows connector.Batches) (int64, error) {
	out := [][]any{}
	for rec, err := range rows {
		if err != nil {
			return 0, err
		}
		out, err = appendRows(out, fields, rec)
		rec.Release()
		if err != nil {
			return 0, err
		}
	}
	s.to.Put(epoch, mode, fields, out)
	return int64(len(out)), nil
}

// appendRows appends a batch's rows as values of tree.Literal.
func appendRows(out [][]any, fields []datatype.Field, rec arrow.RecordBatch) ([][]any, error) {
	if int(rec.NumCols()) != len(fields) {
		return nil, condition.Newf(condition.NumColumnsMismatch, "A batch has %d columns, the schema %d.", rec.NumCols(), len(fields))
	}
	n := int(rec.NumRows())
	cells := make([]any, n*len(fields))
	for j, f := range fields {
		col := rec.Column(j)
		for i := range n {
			v, err := valueAt(col, i, f.Type)
			if err != nil {
				return nil, err
			}
			cells[i*len(fields)+j] = v
		}
	}
	for i := range n {
		out = append(out, cells[i*len(fields):(i+1)*len(fields):(i+1)*len(fields)])
	}
	return out, nil
}

// Description implements [connector.Sink].
func (s *sink) Description() string { return "MemorySink" }

// Close implements [connector.Sink].
func (s *sink) Close() error { return nil }
