package local

import (
	"context"
	"fmt"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/backend/local/stream"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// batchSink hands each epoch to a function of the user's.
type batchSink struct {
	q      *stream.Query
	f      expr.BatchFunc
	within time.Duration
	at     condition.Pos
}

func openBatchSink(q *stream.Query, s *tree.Sink) (connector.Sink, error) {
	if w, ok := s.Each.Func.(expr.AnyRowWriter); ok {
		return &rowSink{q: q, w: w, within: s.Each.Within, at: s.Each.At}, nil
	}
	f, ok := s.Each.Func.(expr.BatchFunc)
	if !ok || f == nil {
		e := condition.Newf(condition.Unsupported, "The local engine runs no SQL text, so it has no statements for a batch.")
		e.Operator, e.Hint = "ForeachBatchSQL", "Use connectors.ForeachBatch with a function, or run the query on Spark."
		return nil, e
	}
	return &batchSink{q: q, f: f, within: s.Each.Within, at: s.Each.At}, nil
}

// Write implements [connector.Sink]: the rows are kept for the time of the call.
func (b *batchSink) Write(ctx context.Context, epoch int64, _ tree.OutputMode, fields []datatype.Field, rows connector.Batches) (int64, error) {
	h := &held{fields: fields, gone: fmt.Sprintf("Batch %d of the query was used after the function of ForeachBatch had ended.", epoch), again: "Use it within the call, or collect what is needed later."}
	defer h.release()
	for rec, err := range rows {
		if err != nil {
			return 0, err
		}
		h.batches = append(h.batches, rec)
		h.rows += rec.NumRows()
	}
	over := b.q.Calling()
	err := backend.CallBatch(ctx, b.f, expr.Static("batch", h), epoch, b.within)
	over()
	if err != nil {
		return 0, condition.At(err, b.at)
	}
	if err := ctx.Err(); err != nil {
		return 0, err // the query was stopped meanwhile, so the batch comes again, whatever else the epoch would have done
	}
	return h.rows, nil
}

// Description implements [connector.Sink].
func (b *batchSink) Description() string { return "ForeachBatchSink" }

// Close implements [connector.Sink].
func (b *batchSink) Close() error { return nil }

// rowSink hands the rows of each epoch to a writer of the user's. An epoch is one partition: its rows come out of the plan in one order.
type rowSink struct {
	q      *stream.Query
	w      expr.AnyRowWriter
	within time.Duration
	at     condition.Pos
}

// fitsRows tells whether the writers of a sink take the rows of a table, where it has writers.
func fitsRows(s *tree.Sink, fields []datatype.Field) error {
	if s == nil || s.Each == nil {
		return nil
	}
	w, ok := s.Each.Func.(expr.AnyRowWriter)
	if !ok {
		return nil
	}
	return condition.At(backend.FitsRows(w, fields), s.Each.At)
}

// Write implements [connector.Sink].
func (b *rowSink) Write(ctx context.Context, epoch int64, _ tree.OutputMode, fields []datatype.Field, rows connector.Batches) (int64, error) {
	read := false
	passed := func(yield func(arrow.RecordBatch, error) bool) {
		read = true
		for rec, err := range rows {
			more := yield(rec, err)
			if rec != nil {
				rec.Release()
			}
			if !more {
				return
			}
		}
	}
	over := b.q.Calling()
	n, err := backend.CallRows(ctx, b.w, backend.Result{Fields: fields, Batches: passed}, 0, epoch, b.within)
	over()
	if err != nil {
		return 0, condition.At(err, b.at)
	}
	if !read {
		// Rows that nobody wants move the state on all the same.
		for _, err := range passed {
			if err != nil {
				return 0, err
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return 0, err // the query was stopped meanwhile, so the epoch comes again
	}
	return n, nil
}

// Description implements [connector.Sink]: what Spark, where a batch is handed over, says too.
func (b *rowSink) Description() string { return "ForeachBatchSink" }

// Close implements [connector.Sink].
func (b *rowSink) Close() error { return nil }
