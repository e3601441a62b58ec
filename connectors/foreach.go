package connectors

import (
	"fmt"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// BatchSink hands each batch of a stream to a function of this process, or to statements that Spark runs.
type BatchSink struct {
	each tree.Each
	err  error
}

// ForeachBatch gives each batch of a stream to a function, on either backend; docs/foreach-batch.md says how and within which limits. A batch comes at least once: after a failure or a crash it comes
// again under the same number. Only streams have batches; of a batch query write the table itself.
func ForeachBatch(f expr.BatchFunc) BatchSink {
	s := BatchSink{each: tree.Each{Func: f, At: condition.Here(1)}}
	if f == nil {
		e := invalid("The function of ForeachBatch is nil.")
		e.Hint = "Pass func(ctx context.Context, batch expr.Table, id int64) error."
		s.err = e
	}
	return s
}

// ForeachBatchSQL runs statements in Spark's SQL over each batch of a stream, one after the other, on the server and without a round trip to this process: INSERT, MERGE and the like. The view batch has the
// batch's rows, and the variable session.batch_id its number, a BIGINT. Spark alone has it.
//
//	connectors.ForeachBatchSQL("MERGE INTO totals AS t USING batch AS b ON t.k = b.k WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")
func ForeachBatchSQL(statements ...string) BatchSink {
	s := BatchSink{each: tree.Each{SQL: append([]string(nil), statements...), At: condition.Here(1)}}
	if len(statements) == 0 {
		s.err = invalid("ForeachBatchSQL needs a statement.")
	}
	for i, text := range statements {
		if strings.TrimSpace(text) == "" {
			s.err = invalid("Statement %d of ForeachBatchSQL is empty.", i+1)
		}
	}
	return s
}

// Within sets how long the function may take for a batch, in whole milliseconds; behind it the function's context ends, and the query fails. On Spark, where a query must not wait for a process
// that is gone, it is 10 minutes where nothing is set; offline there is no limit. Statements have none.
func (s BatchSink) Within(limit time.Duration) BatchSink {
	switch {
	case limit < time.Millisecond || limit%time.Millisecond != 0:
		s.err = invalid("The time limit of a batch is whole milliseconds, at least one, not %v.", limit)
	case s.each.SQL != nil:
		e := invalid("Statements of ForeachBatchSQL have no time limit of Spoonbill's.")
		e.Hint = "Leave Within out, or set a limit of Spark's own (spark.sql.broadcastTimeout and the like)."
		s.err = e
	}
	s.each.Within = limit
	return s
}

// String prints the description.
func (s BatchSink) String() string {
	if s.each.SQL != nil {
		return fmt.Sprintf("%s: %d statements", tree.ForeachBatch, len(s.each.SQL))
	}
	return tree.ForeachBatch
}

// Sink implements expr.Sink.
func (s BatchSink) Sink() (*tree.Sink, error) {
	if s.err != nil {
		return nil, s.err
	}
	if s.each.Func == nil && s.each.SQL == nil {
		e := invalid("The sink was never made: it is the zero value of its type.")
		e.Hint = "Use connectors.ForeachBatch or connectors.ForeachBatchSQL."
		return nil, e
	}
	each := s.each
	return &tree.Sink{Format: tree.ForeachBatch, Each: &each, Stream: true, Modes: []tree.OutputMode{tree.Append, tree.Update, tree.Complete}}, nil
}
