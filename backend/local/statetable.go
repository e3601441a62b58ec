package local

import (
	"context"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local/checkpoint"
	"github.com/spoonbill-go/spoonbill/backend/local/fault"
	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/statetable"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// StateOptions say which state of a checkpoint is read.
type StateOptions struct {
	// Operator is the number of the stateful operator; inputs have lower numbers than what reads them.
	Operator int
	// Version is the number of epochs whose changes are in it; 0 is the last that was committed.
	Version int64
}

// State gives the state of an operator in a checkpoint of this engine as rows, in no order: the columns of the key, those of the value (aggregates as they would come out
// now), and as expiry TIMESTAMP the event time at which the watermark removes the entry, null for never. A row of a join of two streams has its side, its number, whether
// it has met a partner, and its columns as JSON; one of a process the state's name, its kind, the place or key of an entry, and the value, as JSON; one that waits for a pattern its
// number, and its columns as JSON. It reads what is committed, also while a query runs on the checkpoint; a version that is not retained any more is
// SPOONBILL_CHECKPOINT_CORRUPT, and a folder without such a state SPOONBILL_INVALID_VALUE. The whole state is in memory.
//
// Source: Spark's state data source.
func (s *Session) State(ctx context.Context, path string, o StateOptions) (res backend.Result, err error) {
	pos := condition.Here(1)
	defer func() { err = condition.At(err, pos) }()
	defer fault.Catch(&err)
	if err := s.ready(ctx); err != nil {
		return res, err
	}
	fs := s.cfg.fs
	version := o.Version
	if version == 0 {
		committed, any, err := checkpoint.Committed(fs, path)
		if err != nil {
			return res, err
		}
		if !any {
			e := condition.Newf(condition.InvalidValue, "The folder %s is no checkpoint with a committed epoch.", path)
			e.Hint = "Give the checkpoint folder of a query that has run."
			return res, e
		}
		version = committed + 1
	}
	dir := fs.PathJoin(path, "state", strconv.Itoa(o.Operator), "0")
	b, fields, err := statetable.Rows(fs, dir, version, &kernel.Env{ANSI: s.cfg.ansi, Zone: s.cfg.zone})
	if err != nil {
		return res, err
	}
	schema, err := vec.RecordSchema(fields)
	if err != nil {
		return res, err
	}
	return backend.Result{Fields: fields, Batches: func(yield func(arrow.RecordBatch, error) bool) {
		for lo := 0; lo < b.N; lo += s.cfg.batchRows {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			if !give(b.Slice(lo, min(lo+s.cfg.batchRows, b.N)).ToRecord(schema, fields), yield) {
				return
			}
		}
	}}, nil
}
