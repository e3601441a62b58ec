package connectors

import (
	"fmt"

	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// StateSource reads what a streaming query of Spark's keeps in its checkpoint: the state of an operator ([FromState]), or what operators there are ([FromStateMetadata]). Spark alone reads it, from
// version 4.0 on, in batches; the query itself need not be there, and may run. For checkpoints of the local engine there is Session.State of backend/local.
//
// The columns depend on the operator, so a session finds them: backend.ReadState, or Session.Schema and WithRows.
//
// Source: Spark's state data source reader.
type StateSource struct {
	format, path string
	rows         Rows
	opts         []Option
}

const (
	stateFormat         = "statestore"
	stateMetadataFormat = "state-metadata"
)

// stateOptions are Spark's options of the state itself.
var stateOptions = map[string]spec{
	"batchId": src(whole(0)), "operatorId": src(whole(0)), "storeName": src(anything), "joinSide": src(oneOf("left", "right")),
	"snapshotStartBatchId": src(whole(0)), "snapshotPartitionId": src(whole(0)),
	"readChangeFeed": src(oneOf("true", "false")), "changeStartBatchId": src(whole(0)), "changeEndBatchId": src(whole(0)),
	"stateVarName": src(anything), "readRegisteredTimers": src(oneOf("true", "false")), "flattenCollectionTypes": src(oneOf("true", "false")),
}

// FromState reads the state of an operator in a checkpoint, a path of the server's: of the first operator and the last batch that was committed, unless [StateOperator] and [StateBatch] say otherwise. A
// row has the structs key and value, and partition_id INT; of a join of two streams [JoinSide] names the side. Spark's other options are given by [Set].
func FromState(checkpoint string, opts ...Option) StateSource {
	return StateSource{format: stateFormat, path: checkpoint, rows: Inferred(), opts: opts}
}

// FromStateMetadata reads which stateful operators a checkpoint has: their numbers and names, their stores and partitions, and the batches that can be read.
func FromStateMetadata(checkpoint string, opts ...Option) StateSource {
	return StateSource{format: stateMetadataFormat, path: checkpoint, rows: Inferred(), opts: opts}
}

// StateOperator is the number of the operator whose state is read; 0 by default.
func StateOperator(n int64) Option { return number("operatorId", n, 0) }

// StateBatch is the number of the batch behind which the state is read; the last that was committed by default.
func StateBatch(id int64) Option { return number("batchId", id, 0) }

// StateStoreName is the name of the store within the operator, for operators that have several; "default" by default. It excludes [JoinSide].
func StateStoreName(name string) Option { return Set("storeName", name) }

// JoinSide is the side, left or right, of a join of two streams whose rows are read.
func JoinSide(side string) Option { return Set("joinSide", side) }

// WithRows gives the description with columns, such as those that a session has found.
func (s StateSource) WithRows(rows Rows) StateSource { s.rows = rows; return s }

// String prints the description.
func (s StateSource) String() string { return fmt.Sprintf("%s(%s)", s.format, s.path) }

// Source implements expr.Source.
func (s StateSource) Source() (*tree.Source, error) {
	switch {
	case s.format == "":
		e := invalid("The source of a state was never made: it is the zero value of its type.")
		e.Hint = "Use connectors.FromState or FromStateMetadata."
		return nil, e
	case s.path == "":
		return nil, invalid("The %s source needs the path of a checkpoint.", s.format)
	case s.rows.err != nil:
		return nil, s.rows.err
	}
	known := stateOptions
	if s.format == stateMetadataFormat {
		known = nil
	}
	o, err := build(s.format, "source", known, nil, s.opts)
	if err != nil {
		return nil, err
	}
	_, store := o.Get("storeName")
	if _, side := o.Get("joinSide"); store && side {
		return nil, invalid("joinSide and storeName cannot both be set: a side has stores of its own.")
	}
	out := &tree.Source{Format: s.format, Options: o, Path: s.path, Batch: true}
	if s.rows.inferred {
		out.Undeclared = true
		return out, nil
	}
	if err := distinct(s.rows.fields); err != nil {
		return nil, err
	}
	for _, f := range s.rows.fields {
		out.Fields = append(out.Fields, datatype.Field{Name: f.Name, Type: datatype.AsNullable(f.Type), Nullable: true})
	}
	return out, nil
}
