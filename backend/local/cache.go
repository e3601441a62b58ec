package local

import (
	"context"
	"strconv"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/google/uuid"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

type record = arrow.RecordBatch

// held are rows that a session keeps in memory.
type held struct {
	fields []datatype.Field

	mu       sync.Mutex
	batches  []record
	rows     int64
	released bool
	// gone and again are the error of who reads the rows when they are released.
	gone, again string
}

// Source implements [expr.Source].
func (h *held) Source() (*tree.Source, error) {
	return &tree.Source{Format: "memory", Fields: h.fields, Batch: true, Local: h}, nil
}

// release lets the rows go; those that are being read go with their readers.
func (h *held) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, b := range h.batches {
		b.Release()
	}
	h.batches, h.released = nil, true
}

// Cache implements backend.Session: the rows are kept as they came, in Arrow's memory.
func (s *Session) Cache(ctx context.Context, t expr.Table) (*backend.Cached, error) {
	r, err := s.Batches(ctx, t)
	if err != nil {
		return nil, err
	}
	h := &held{fields: r.Fields, gone: "The cached rows were released.", again: "Cache the table again."}
	bytes := int64(0)
	for rec, err := range r.Batches {
		if err != nil {
			h.release()
			return nil, err
		}
		rec.Retain()
		h.batches = append(h.batches, rec)
		h.rows += rec.NumRows()
		for _, c := range rec.Columns() {
			bytes += int64(c.Data().SizeInBytes())
		}
	}
	s.mu.Lock()
	err = s.check()
	if err == nil {
		s.held[h] = true
	}
	s.mu.Unlock()
	if err != nil {
		h.release()
		return nil, err
	}
	release := func(context.Context) error {
		s.mu.Lock()
		delete(s.held, h)
		s.mu.Unlock()
		h.release()
		return nil
	}
	return backend.NewCached(expr.Static("cache_"+uuid.NewString()[:8], h), bytes, release), nil
}

// Open implements [connector.Opener].
func (h *held) Open(context.Context, connector.Env) (connector.Source, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.released {
		e := condition.Newf(condition.Closed, "%s", h.gone)
		e.Hint = h.again
		return nil, e
	}
	out := &heldSource{rows: h.rows, batches: h.batches}
	for _, b := range h.batches {
		b.Retain()
	}
	return out, nil
}

// heldSource reads kept rows. Its positions are numbers of batches.
type heldSource struct {
	rows    int64
	batches []record
}

// Initial implements [connector.Source].
func (s *heldSource) Initial(context.Context) (connector.Offset, error) {
	return connector.Offset("0"), nil
}

// Latest implements [connector.Source].
func (s *heldSource) Latest(context.Context, connector.Offset, bool) (connector.Offset, error) {
	return connector.Offset(strconv.Itoa(len(s.batches))), nil
}

// Read implements [connector.Source].
func (s *heldSource) Read(ctx context.Context, start, end connector.Offset, _ connector.Projection) (connector.Batches, error) {
	from, err := strconv.Atoi(string(start))
	to, err2 := strconv.Atoi(string(end))
	if err != nil || err2 != nil || from < 0 || from > to || to > len(s.batches) {
		return nil, condition.Newf(condition.CheckpointCorrupt, "%s to %s are no positions in kept rows.", start, end)
	}
	return func(yield func(record, error) bool) {
		for _, b := range s.batches[from:to] {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			b.Retain()
			if !yield(b, nil) {
				return
			}
		}
	}, nil
}

// Statistics implements [connector.Measured].
func (s *heldSource) Statistics(context.Context, connector.Offset, connector.Offset) (connector.Statistics, bool, error) {
	return connector.Statistics{Rows: s.rows}, true, nil
}

// Commit implements [connector.Source].
func (s *heldSource) Commit(context.Context, connector.Offset) error { return nil }

// Metrics implements [connector.Source].
func (s *heldSource) Metrics() map[string]string { return map[string]string{} }

// Description implements [connector.Source].
func (s *heldSource) Description() string { return "Cached" }

// Close implements [connector.Source].
func (s *heldSource) Close() error {
	for _, b := range s.batches {
		b.Release()
	}
	s.batches = nil
	return nil
}
