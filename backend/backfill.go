package backend

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/internal/absent"
)

// Backfill starts a query that begins with history: first everything that the sources have now, in one epoch whatever their rate limits, and from there on as a stream under the write's trigger. It waits for
// the history, whose rows are in no order that matters: a row is late only by the watermark of an epoch before, so none of it is (but rows before 1970, as in Spark). State, watermark and positions
// are those of the one epoch, kept in the checkpoint; the stream goes on from them without a gap and without a row twice. Both backends do it alike, by Trigger.Once.
//
// In append mode the rows that the history's last watermark finishes come with the stream: offline at once, on Spark with the next data. When the context ends first the history is stopped; to call
// Backfill again goes on where it was. With a checkpoint that has epochs, what has come since is caught up in one epoch.
//
// A write without a checkpoint is SPOONBILL_INVALID_OPTION, and so is a source of Kafka that begins at the latest offset, which has no history.
func Backfill(ctx context.Context, s Session, w expr.Write) (Query, error) {
	at := condition.Here(1)
	if absent.Is(ctx) {
		return nil, condition.At(absent.Context(ctx), at)
	}
	if absent.Is(s) {
		e := condition.Newf(condition.InvalidValue, "The session is nil.")
		e.Pos, e.Operator, e.Hint = at, "Backfill", "Open one with local.Open or sparkconnect.Connect."
		return nil, e
	}
	t, err := w.Tree()
	if err != nil {
		return nil, err
	}
	if err := history(t); err != nil {
		return nil, condition.At(err, t.At)
	}
	first, err := s.Start(ctx, w.Trigger(expr.Once()))
	if err != nil {
		return nil, err
	}
	if err := first.AwaitTermination(ctx); err != nil {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
		defer cancel()
		if e := first.Stop(stop); e != nil {
			err = errors.Join(err, e)
		}
		return nil, err
	}
	return s.Start(ctx, w)
}

// stopWithin bounds the end of a history whose context has ended.
const stopWithin = 30 * time.Second

// history refuses a write that has none, or that could not go on from it.
func history(w *tree.Write) error {
	if w.Checkpoint == "" {
		e := condition.Newf(condition.InvalidOption, "The stream goes on where the history ended, which only a checkpoint tells, and the query has none.")
		e.Operator, e.Hint = "Backfill", "Name a folder with Checkpoint."
		return e
	}
	var bad *condition.Error
	tree.WalkRelations(w.Input, func(r tree.Relation) {
		x, ok := r.(*tree.Read)
		if !ok || x.Static || !strings.EqualFold(x.Source.Format, "kafka") || bad != nil {
			return
		}
		for _, key := range []string{"startingTimestamp", "startingOffsetsByTimestamp"} {
			if _, ok := x.Source.Options.Get(key); ok {
				return
			}
		}
		if where, ok := x.Source.Options.Get("startingOffsets"); ok && !strings.EqualFold(strings.TrimSpace(where), "latest") {
			return
		}
		bad = condition.Newf(condition.InvalidOption, "The source %s begins at the latest offset, so there is no history to begin with.", datatype.QuoteName(x.Name))
		bad.Operator, bad.Pos, bad.Hint = "Backfill", x.Pos(), "Set connectors.StartingOffsets(connectors.Earliest), or an offset or a time."
	})
	if bad != nil {
		return bad
	}
	return nil
}
