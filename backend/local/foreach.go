package local

import (
	"context"
	"fmt"
	"time"

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
}

func openBatchSink(q *stream.Query, s *tree.Sink) (connector.Sink, error) {
	f, ok := s.Each.Func.(expr.BatchFunc)
	if !ok || f == nil {
		e := condition.Newf(condition.Unsupported, "The local engine runs no SQL text, so it has no statements for a batch.")
		e.Operator, e.Hint = "ForeachBatchSQL", "Use connectors.ForeachBatch with a function, or run the query on Spark."
		return nil, e
	}
	return &batchSink{q: q, f: f, within: s.Each.Within}, nil
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
		return 0, err
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
