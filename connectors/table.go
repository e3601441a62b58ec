package connectors

import (
	"slices"
	"strings"

	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// TableSink is a description of a table of the session's catalogue to write into.
type TableSink struct {
	name      []string
	format    string
	partition []string
	opts      []Option
	insert    tree.Insert
}

// ToTable writes into a table of the session's catalogue; parts of its name are given apart, ("db", "t"). The save mode says what happens when the table is
// there: SaveAppend adds the rows, columns by their names, of which there must be as many; SaveOverwrite replaces the table, its columns too; SaveIgnore writes
// nothing. A table that is not there is made: CREATE TABLE AS. A name with a backtick is refused. All columns of a table may be null, and those that it is partitioned by come last.
//
// Values are cast to the types of a table that is there where that can lose nothing but range and digits (Spark's ANSI store assignment); what does
// not fit is an error, of the types (INCOMPATIBLE_DATA_FOR_TABLE) or of a value.
//
// Source: Spark's DataFrameWriter.saveAsTable.
func ToTable(name ...string) TableSink { return TableSink{name: slices.Clone(name)} }

// Format sets the format of a table that is made: parquet by default; delta and others where Spark has them.
func (s TableSink) Format(format string) TableSink { s.format = format; return s }

// PartitionBy sets the columns whose values name the folders of a table that is made. A table that is there must have the same ones.
func (s TableSink) PartitionBy(columns ...string) TableSink {
	s.partition = slices.Clone(columns)
	return s
}

// Options sets options of the table's format. Only those of known formats are checked.
func (s TableSink) Options(opts ...Option) TableSink { s.opts = slices.Clone(opts); return s }

// ByPosition inserts into a table that must be there, columns by their positions: SaveAppend adds the rows and SaveOverwrite puts them in the place of all
// others, while the table stays what it is.
//
// Source: Spark's DataFrameWriter.insertInto.
func (s TableSink) ByPosition() TableSink { s.insert = tree.InsertByPosition; return s }

// ByName is [TableSink.ByPosition] with columns by their names; columns of the table that are not given are null.
//
// Source: Spark's INSERT INTO … BY NAME.
func (s TableSink) ByName() TableSink { s.insert = tree.InsertByName; return s }

// Sink implements expr.Sink.
func (s TableSink) Sink() (*tree.Sink, error) {
	if len(s.name) == 0 || slices.Contains(s.name, "") {
		return nil, invalid("A table needs a name, and no part of it may be empty.")
	}
	if slices.ContainsFunc(s.name, func(part string) bool { return strings.ContainsRune(part, '`') }) {
		// Spark takes the name as a text, in which it reads no backtick but around a part (INVALID_ATTRIBUTE_NAME_SYNTAX).
		e := invalid("The name of the table %s has a backtick, and Spark writes into no such table.", datatype.QuoteName(strings.Join(s.name, ".")))
		e.Hint = "Give the parts of the name apart, ToTable(\"db\", \"t\"), each without quotes: they are added where they are needed."
		return nil, e
	}
	if s.insert != tree.Save && (s.format != "" || len(s.partition) > 0 || len(s.opts) > 0) {
		return nil, invalid("An insert takes the table as it is: format, options and partitions are of tables that are made.")
	}
	provider := strings.ToLower(s.format)
	known, ok := formatOptions[provider]
	if provider == "" {
		known, ok = formatOptions["parquet"], true
	}
	opts := s.opts
	if !ok {
		opts = slices.Clone(opts)
		for i := range opts {
			opts[i].raw = true
		}
	}
	o, err := build("table", "sink", merged(fileOptions, known), nil, opts)
	if err != nil {
		return nil, err
	}
	quoted := make([]string, len(s.name))
	for i, p := range s.name {
		quoted[i] = datatype.QuoteName(p)
	}
	return &tree.Sink{
		Format: tree.TableFormat, Path: strings.Join(quoted, "."), Table: s.name, Provider: s.format, Insert: s.insert, Options: o, PartitionBy: s.partition,
		Batch: true, Stream: s.insert == tree.Save, Modes: []tree.OutputMode{tree.Append},
	}, nil
}
