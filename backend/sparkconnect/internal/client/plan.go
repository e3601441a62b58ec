package client

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"

	pb "github.com/spoonbill-go/spoonbill/backend/sparkconnect/internal/connectpb"
)

// Relation is what a query reads from.
type Relation = pb.Relation

// SQL is the result of a query's text with the values of its parameters. It is a relation and no command, since a streaming query is refused as
// a command.
func SQL(query string, args ...tree.ParamValue) *Relation {
	q := &pb.SQL{Query: query}
	if len(args) > 0 {
		q.NamedArguments = make(map[string]*pb.Expression, len(args))
		for _, a := range args {
			q.NamedArguments[a.Name] = argument(a.Value)
		}
	}
	return &pb.Relation{RelType: &pb.Relation_Sql{Sql: q}}
}

// TableName joins the parts of a name, each between backticks where it must be.
func TableName(parts ...string) string {
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = datatype.QuoteName(p)
	}
	return strings.Join(out, ".")
}

// Named is a view of the session.
func Named(view string) *Relation { return Table(TableName(view), false) }

// Table is a table by its quoted name.
func Table(name string, streaming bool) *Relation {
	return &pb.Relation{RelType: &pb.Relation_Read{Read: &pb.Read{
		ReadType: &pb.Read_NamedTable_{NamedTable: &pb.Read_NamedTable{UnparsedIdentifier: name}}, IsStreaming: streaming,
	}}}
}

func optionMap(o tree.Options) map[string]string {
	m := make(map[string]string, len(o))
	for _, x := range o {
		m[x.Key] = x.Value
	}
	return m
}

// Read is what a source gives.
func Read(s compiler.ReadStep) *Relation {
	if s.Source.Format == tree.TableFormat {
		r := Table(s.Source.Path, s.Streaming)
		r.GetRead().GetNamedTable().Options = optionMap(s.Source.Options)
		return r
	}
	d := &pb.Read_DataSource{Format: proto.String(s.Source.Format), Options: optionMap(s.Source.Options)}
	if compiler.DeclaresSchema(s.Source.Format) && !s.Source.Undeclared {
		fields := make([]datatype.Field, len(s.Source.Fields))
		for i, f := range s.Source.Fields {
			fields[i] = datatype.Field{Name: f.Name, Type: datatype.AsNullable(f.Type), Nullable: true}
		}
		d.Schema = proto.String(datatype.DDL(fields))
	}
	if s.Source.Path != "" {
		d.Paths = []string{s.Source.Path}
	}
	return &pb.Relation{RelType: &pb.Relation_Read{Read: &pb.Read{ReadType: &pb.Read_DataSource_{DataSource: d}, IsStreaming: s.Streaming}}}
}

// Watermark marks a column as event time.
func Watermark(in *Relation, column, delay string) *Relation {
	return &pb.Relation{RelType: &pb.Relation_WithWatermark{WithWatermark: &pb.WithWatermark{Input: in, EventTime: column, DelayThreshold: delay}}}
}

// Deduplicate keeps one row for each value of the columns; without columns, of all.
func Deduplicate(in *Relation, columns []string, withinWatermark bool) *Relation {
	d := &pb.Deduplicate{Input: in, ColumnNames: columns, WithinWatermark: proto.Bool(withinWatermark)}
	if len(columns) == 0 {
		d.AllColumnsAsKeys = proto.Bool(true)
	}
	return &pb.Relation{RelType: &pb.Relation_Deduplicate{Deduplicate: d}}
}

// View makes a temporary view, in the place of one of that name where replace is set.
func View(name string, in *Relation, replace bool) *pb.Command {
	return &pb.Command{CommandType: &pb.Command_CreateDataframeView{CreateDataframeView: &pb.CreateDataFrameViewCommand{Input: in, Name: TableName(name), Replace: replace}}}
}

// Statement is SQL that does something and gives no rows.
func Statement(sql string) *pb.Command {
	return &pb.Command{CommandType: &pb.Command_SqlCommand{SqlCommand: &pb.SqlCommand{Sql: sql, Input: SQL(sql)}}}
}

var saveModes = map[tree.SaveMode]pb.WriteOperation_SaveMode{
	tree.ErrorIfExists: pb.WriteOperation_SAVE_MODE_ERROR_IF_EXISTS, tree.SaveAppend: pb.WriteOperation_SAVE_MODE_APPEND,
	tree.SaveOverwrite: pb.WriteOperation_SAVE_MODE_OVERWRITE, tree.SaveIgnore: pb.WriteOperation_SAVE_MODE_IGNORE,
}

// Write writes a relation as a batch.
func Write(in *Relation, s compiler.WriteBatchStep) *pb.Command {
	w := &pb.WriteOperation{Input: in, Mode: saveModes[s.Save], PartitioningColumns: s.Sink.PartitionBy, Options: optionMap(s.Sink.Options)}
	switch {
	case s.Sink.Format == tree.TableFormat:
		method := pb.WriteOperation_SaveTable_TABLE_SAVE_METHOD_SAVE_AS_TABLE
		if s.Sink.Insert == tree.InsertByPosition {
			method = pb.WriteOperation_SaveTable_TABLE_SAVE_METHOD_INSERT_INTO
		}
		if s.Sink.Provider != "" {
			w.Source = proto.String(s.Sink.Provider)
		}
		w.SaveType = &pb.WriteOperation_Table{Table: &pb.WriteOperation_SaveTable{TableName: s.Sink.Path, SaveMethod: method}}
	default:
		w.Source = proto.String(s.Sink.Format)
		if s.Sink.Path != "" {
			w.SaveType = &pb.WriteOperation_Path{Path: s.Sink.Path}
		}
	}
	return &pb.Command{CommandType: &pb.Command_WriteOperation{WriteOperation: w}}
}

// StreamWrite is the start of a streaming query.
func StreamWrite(in *Relation, s compiler.WriteStreamStep) *pb.WriteStreamOperationStart {
	w := &pb.WriteStreamOperationStart{
		Input: in, Format: s.Sink.Format, OutputMode: s.Mode.String(), QueryName: s.Name, PartitioningColumnNames: s.Sink.PartitionBy, Options: optionMap(s.Sink.Options),
	}
	if s.Checkpoint != "" {
		w.Options["checkpointLocation"] = s.Checkpoint
	}
	switch {
	case s.Sink.Each != nil:
		w.Format = "" // the function is the sink
	case s.Sink.Format == tree.TableFormat:
		w.Format, w.SinkDestination = s.Sink.Provider, &pb.WriteStreamOperationStart_TableName{TableName: s.Sink.Path}
	case s.Sink.Path != "":
		w.SinkDestination = &pb.WriteStreamOperationStart_Path{Path: s.Sink.Path}
	}
	interval := fmt.Sprintf("%d milliseconds", s.Trigger.IntervalMillis)
	switch s.Trigger.Kind {
	case tree.ProcessingTime:
		w.Trigger = &pb.WriteStreamOperationStart_ProcessingTimeInterval{ProcessingTimeInterval: interval}
	case tree.Once:
		w.Trigger = &pb.WriteStreamOperationStart_Once{Once: true}
	case tree.AvailableNow:
		w.Trigger = &pb.WriteStreamOperationStart_AvailableNow{AvailableNow: true}
	case tree.Continuous:
		w.Trigger = &pb.WriteStreamOperationStart_ContinuousCheckpointInterval{ContinuousCheckpointInterval: interval}
	case tree.RealTime:
		w.Trigger = &pb.WriteStreamOperationStart_RealTimeBatchDuration{RealTimeBatchDuration: interval}
	}
	return w
}
