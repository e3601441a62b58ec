// Package memory reads the streams and fills the sinks that live in the program itself: connectors.MemoryStream and connectors.MemorySink.
package memory

import (
	"context"
	"strconv"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/spoonbill-go/spoonbill/backend/arrowtype"
	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

func init() {
	connector.RegisterSource("memory", openSource)
	connector.RegisterSink("memory", openSink)
}

// stream is what the description of a memory source holds: rows of the values of literals, which are only ever added.
type stream interface {
	Fields() []datatype.Field
	Len() int64
	Rows(from, to int64) [][]any
}

// store is what the description of a memory sink holds.
type store interface {
	Put(epoch int64, mode tree.OutputMode, fields []datatype.Field, rows [][]any)
}

// source reads a stream. An offset is the number of rows before it.
type source struct {
	env    connector.Env
	from   stream
	fields []datatype.Field
	schema *arrow.Schema

	mu    sync.Mutex
	fixed int64 // the end of an available-now query, -1 for any other
}

func openSource(_ context.Context, env connector.Env, src *tree.Source) (connector.Source, error) {
	from, ok := src.Local.(stream)
	if !ok {
		e := condition.Newf(condition.InvalidValue, "The description of a memory source holds no rows.")
		e.Hint = "Make it with connectors.NewMemoryStream."
		return nil, e
	}
	schema, err := arrowtype.Schema(src.Fields)
	if err != nil {
		return nil, condition.Newf(condition.InvalidValue, "A memory source: %v.", err)
	}
	return &source{env: env, from: from, fields: src.Fields, schema: schema, fixed: -1}, nil
}

// Initial implements [connector.Source].
func (s *source) Initial(context.Context) (connector.Offset, error) {
	return connector.Offset("0"), nil
}

func position(o connector.Offset) (int64, error) {
	n, err := strconv.ParseInt(string(o), 10, 64)
	if err != nil || n < 0 {
		return 0, condition.Newf(condition.CheckpointCorrupt, "The offset %s is no count of rows of a memory source.", o)
	}
	return n, nil
}

// PrepareAvailableNow implements [connector.AvailableNow].
func (s *source) PrepareAvailableNow(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fixed = s.from.Len()
	return nil
}

// Latest implements [connector.Source].
func (s *source) Latest(_ context.Context, start connector.Offset, _ bool) (connector.Offset, error) {
	from, err := position(start)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	end := s.fixed
	s.mu.Unlock()
	if end < 0 {
		end = s.from.Len()
	}
	if end < from {
		return start, nil
	}
	return connector.Offset(strconv.FormatInt(end, 10)), nil
}

// Read implements [connector.Source].
func (s *source) Read(ctx context.Context, start, end connector.Offset, p connector.Projection) (connector.Batches, error) {
	from, err := position(start)
	if err != nil {
		return nil, err
	}
	to, err := position(end)
	if err != nil {
		return nil, err
	}
	if n := s.from.Len(); to > n {
		e := condition.Newf(condition.ConnectorFailed, "The checkpoint has read %d rows of a memory source that holds %d.", to, n)
		e.Hint = "A memory source begins empty with each process: add the same rows before the query starts again, or use a new checkpoint."
		return nil, e
	}
	wanted := make([]bool, len(s.fields))
	for i := range wanted {
		wanted[i] = p.Columns == nil
	}
	for _, i := range p.Columns {
		wanted[i] = true
	}
	return func(yield func(arrow.RecordBatch, error) bool) {
		for from < to {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			n := min(to-from, int64(s.env.BatchRows))
			rec, err := s.batch(s.from.Rows(from, from+n), wanted)
			if !yield(rec, err) || err != nil {
				return
			}
			from += n
		}
	}, nil
}

func (s *source) batch(rows [][]any, wanted []bool) (arrow.RecordBatch, error) {
	cols := make([]*vec.Vec, len(s.fields))
	for i, f := range s.fields {
		if !wanted[i] {
			cols[i] = vec.Nulls(f.Type, len(rows))
			continue
		}
		b := vec.NewBuilder(f.Type, len(rows))
		for _, r := range rows {
			if err := b.AppendAny(r[i]); err != nil {
				return nil, condition.Newf(condition.InvalidValue, "The column %s of a memory source: %v.", datatype.QuoteName(f.Name), err)
			}
		}
		cols[i] = b.Vec()
	}
	return vec.NewBatch(cols, len(rows), nil).ToRecord(s.schema, s.fields), nil
}

// Commit implements [connector.Source]. The rows stay, so that the stream can be read again.
func (s *source) Commit(context.Context, connector.Offset) error { return nil }

// Metrics implements [connector.Source].
func (s *source) Metrics() map[string]string {
	return map[string]string{"latestOffset": strconv.FormatInt(s.from.Len(), 10)}
}

// Description implements [connector.Source].
func (s *source) Description() string { return "MemoryStream[" + names(s.fields) + "]" }

func names(fields []datatype.Field) string {
	out := ""
	for i, f := range fields {
		if i > 0 {
			out += ","
		}
		out += f.Name
	}
	return out
}

// Close implements [connector.Source].
func (s *source) Close() error { return nil }

// sink fills a store, epoch by epoch.
type sink struct{ to store }

func openSink(_ context.Context, _ connector.Env, t *tree.Sink) (connector.Sink, error) {
	to, ok := t.Local.(store)
	if !ok {
		e := condition.Newf(condition.Unsupported, "The local engine has no tables of a session that a memory sink could fill.")
		e.Hint = "Write into connectors.NewMemorySink, which the program reads back."
		return nil, e
	}
	return &sink{to}, nil
}

// Write implements [connector.Sink]. The rows appear when the epoch has all of them.
func (s *sink) Write(ctx context.Context, epoch int64, mode tree.OutputMode, schema []datatype.Field, rows connector.Batches) (int64, error) {
	types := make([]datatype.Type, len(schema))
	for i, f := range schema {
		types[i] = f.Type
	}
	all := [][]any{}
	for rec, err := range rows {
		if err != nil {
			return 0, err
		}
		if err := ctx.Err(); err != nil {
			rec.Release()
			return 0, err
		}
		b, err := vec.FromRecord(rec, types)
		rec.Release() // the batch holds it now; Any copies what it gives
		if err != nil {
			return 0, err
		}
		for i := range b.N {
			row := make([]any, len(b.Cols))
			for k, c := range b.Cols {
				row[k] = c.Any(i)
			}
			all = append(all, row)
		}
		b.Release()
	}
	s.to.Put(epoch, mode, schema, all)
	return int64(len(all)), nil
}

// Description implements [connector.Sink].
func (s *sink) Description() string { return "MemorySink" }

// Close implements [connector.Sink].
func (s *sink) Close() error { return nil }
