package tree

import (
	"encoding/json"
	"sort"
	"time"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Option is a setting of a source or sink under Spark's name.
type Option struct {
	Key, Value string
	// Secret values print as ***.
	Secret bool
}

// String prints the option, a secret as ***.
func (o Option) String() string { return Options{o}.String() }

// GoString prints the option for %#v, a secret as ***.
func (o Option) GoString() string { return "tree.Option{" + o.String() + "}" }

// MarshalJSON writes the option, a secret as ***.
func (o Option) MarshalJSON() ([]byte, error) {
	if o.Secret {
		o.Value = Redacted
	}
	type plain Option
	return json.Marshal(plain(o))
}

// Options are settings sorted by key, each key once without regard to letter case.
type Options []Option

// Get gives the value of a key, which is compared without regard to letter case as Spark does.
func (o Options) Get(key string) (string, bool) {
	k := datatype.FoldName(key)
	for _, x := range o {
		if datatype.FoldName(x.Key) == k {
			return x.Value, true
		}
	}
	return "", false
}

// With gives the options with one more, which replaces an equal key.
func (o Options) With(opt Option) Options {
	k := datatype.FoldName(opt.Key)
	out := make(Options, 0, len(o)+1)
	for _, x := range o {
		if datatype.FoldName(x.Key) != k {
			out = append(out, x)
		}
	}
	out = append(out, opt)
	sort.Slice(out, func(i, j int) bool { return out[i].Key < out[j].Key })
	return out
}

// TransactionalID is the option of a Kafka sink that writes each epoch in one transaction.
const TransactionalID = "kafka.transactional.id"

// Redacted is what stands for a secret in everything that is printed.
const Redacted = "***"

// String prints "key=value, …" with secrets as ***.
func (o Options) String() string {
	s := ""
	for i, x := range o {
		if i > 0 {
			s += ", "
		}
		v := x.Value
		if x.Secret {
			v = Redacted
		}
		s += x.Key + "=" + v
	}
	return s
}

// RateMicroBatch is the format of a source that makes so many rows in each epoch.
const RateMicroBatch = "rate-micro-batch"

// Socket is the format of a source of lines from a TCP connection.
const Socket = "socket"

// TableFormat is the format of a table in Spark's catalogue; the path is its name, quoted as in SQL.
const TableFormat = "table"

// Source describes where rows come from. It is data: no connection, no I/O.
type Source struct {
	// Format is Spark's name of the provider: kafka, json, csv, parquet, rate, memory.
	Format  string
	Options Options
	// Path is the file or folder of a file source.
	Path string
	// Fields are the columns that the provider gives, before any codec.
	Fields []datatype.Field
	// Codec decodes a column of the provider's into the payload; nil for none.
	Codec *Codec
	// Batch and Stream tell how the source can be read.
	Batch, Stream bool
	// Local holds the rows of a memory source, which exists in this process only.
	Local any
	// Undeclared says that the columns are for a session to find: such a source has no fields, and no table can be made of it.
	Undeclared bool
}

// String gives the provider, the path and the options, secrets as ***.
func (s *Source) String() string { return described(s.Format, s.Path, s.Options) }

// GoString is String, so that %#v prints no secret either.
func (s *Source) GoString() string { return s.String() }

// String gives the provider, the path and the options, secrets as ***.
func (s *Sink) String() string { return described(s.Format, s.Path, s.Options) }

// GoString is String, so that %#v prints no secret either.
func (s *Sink) GoString() string { return s.String() }

func described(format, path string, options Options) string {
	if path != "" {
		format += " " + path
	}
	if len(options) > 0 {
		format += " (" + options.String() + ")"
	}
	return format
}

// Codec turns a binary or text column into a struct of columns and back.
type Codec struct {
	// Format is json.
	Format string
	// Column is the provider's column that holds the payload: value for Kafka.
	Column string
	// Fields are the payload's columns, all nullable when decoded.
	Fields  []datatype.Field
	Options Options
	// Envelope is the name of the struct column that keeps the provider's other columns ("" for none).
	Envelope string
}

// Schema gives the columns that a user sees: the provider's, or the payload's and then the envelope.
func (s *Source) Schema() *Schema {
	if s.Codec == nil {
		return SchemaOf(s.Fields)
	}
	fields := make([]datatype.Field, 0, len(s.Codec.Fields)+1)
	for _, f := range s.Codec.Fields {
		fields = append(fields, datatype.Field{Name: f.Name, Type: datatype.AsNullable(f.Type), Nullable: true})
	}
	if s.Codec.Envelope != "" {
		fields = append(fields, datatype.Field{Name: s.Codec.Envelope, Type: datatype.Struct{Fields: s.envelope()}})
	}
	return SchemaOf(fields)
}

// envelope are the provider's columns apart from the payload's.
func (s *Source) envelope() []datatype.Field {
	var out []datatype.Field
	for _, f := range s.Fields {
		if f.Name != s.Codec.Column {
			out = append(out, f)
		}
	}
	return out
}

// Insert says how the columns of rows meet those of a table of the catalogue.
type Insert uint8

// The ways to write into a table of the catalogue.
const (
	// Save makes the table or adds to it, by the save mode; columns go by name.
	Save Insert = iota
	// InsertByPosition and InsertByName write into a table that is there, which stays what it is.
	InsertByPosition
	InsertByName
)

// Sink describes where rows go. It is data: no connection, no I/O.
type Sink struct {
	// Format is Spark's name of the provider: kafka, json, csv, parquet, memory, console, noop.
	Format  string
	Options Options
	// Path is the folder of a file sink.
	Path string
	// Table are the parts of the name of a table of the catalogue, which Path has quoted as in SQL. Provider is the format of a table that is made, "" for the
	// session's default, and Insert says how columns meet.
	Table    []string
	Provider string
	Insert   Insert
	// PartitionBy are the columns whose values name the folders of a file sink.
	PartitionBy []string
	// Codec encodes the columns into the provider's payload column; nil for none.
	Codec *Codec
	// Key is the column that becomes the message key ("" for none). It stays in the payload.
	Key string
	// Batch and Stream tell how the sink can be written.
	Batch, Stream bool
	// Modes are the output modes that Spark allows for it.
	Modes []OutputMode
	// Local receives the rows of a memory sink, which exists in this process only.
	Local any
	// Each is what a sink of the formats [ForeachBatch] and [Foreach] does with each batch; nil for others.
	Each *Each
}

// ForeachBatch is the format of a sink that hands each batch to a function or to statements of SQL.
const ForeachBatch = "foreachBatch"

// Foreach is the format of a sink that hands the rows one by one to a writer of this process.
const Foreach = "foreach"

// BatchView is the view under which the statements of [Each] find the rows of a batch, and BatchVariable the variable of the session that has its number.
const (
	BatchView     = "batch"
	BatchVariable = "batch_id"
)

// Each is what happens to each batch of a stream: one of Func and SQL is set.
type Each struct {
	// Func is of this process: an expr.BatchFunc, or an expr.AnyRowWriter for the format [Foreach].
	Func any
	// SQL are statements that Spark runs one after the other, over the view [BatchView].
	SQL []string
	// Within is how long a batch may take, in whole milliseconds; 0 for the default of the backend.
	Within time.Duration
	// At is where the sink was made.
	At condition.Pos
}

// Writer is the format that Spark's writer is given, "" for none.
func (s *Sink) Writer() string {
	if s.Format == TableFormat {
		return s.Provider
	}
	return s.Format
}

// OutputMode says which rows of a changing result a stream writes.
type OutputMode uint8

// The output modes. Append writes rows that will not change any more, Update the rows that changed in the epoch, Complete the whole
// result at each epoch.
const (
	Append OutputMode = iota
	Update
	Complete
)

var modeNames = [...]string{"append", "update", "complete"}

// String gives Spark's word.
func (m OutputMode) String() string { return modeNames[m] }

// WatermarkPolicy says how the watermarks of several inputs become the query's.
type WatermarkPolicy uint8

// The policies: none was chosen, the least, the greatest.
const (
	AnyWatermark WatermarkPolicy = iota
	MinWatermark
	MaxWatermark
)

var policyNames = [...]string{"", "min", "max"}

// String gives Spark's word, empty where none was chosen.
func (p WatermarkPolicy) String() string { return policyNames[p] }

// PolicyConf is Spark's name of the setting.
const PolicyConf = "spark.sql.streaming.multipleWatermarkPolicy"

// SaveMode says what a batch write does when the target exists.
type SaveMode uint8

// The save modes, as in Spark. ErrorIfExists is the default.
const (
	ErrorIfExists SaveMode = iota
	SaveAppend
	SaveOverwrite
	SaveIgnore
)

var saveNames = [...]string{"error", "append", "overwrite", "ignore"}

// String gives Spark's word.
func (m SaveMode) String() string { return saveNames[m] }

// TriggerKind is the kind of a trigger.
type TriggerKind uint8

// The triggers of Structured Streaming.
const (
	DefaultTrigger TriggerKind = iota
	ProcessingTime
	Once
	AvailableNow
	Continuous
	RealTime
)

// Trigger says when the epochs of a stream start. Interval is in milliseconds.
type Trigger struct {
	Kind           TriggerKind
	IntervalMillis int64
}

// Write is a relation on its way into a sink.
type Write struct {
	Input   Relation
	Sink    *Sink
	Name    string
	Mode    OutputMode
	Save    SaveMode
	Trigger Trigger
	Policy  WatermarkPolicy
	// Late receives the rows that a watermark drops; nil where nobody wants them.
	Late *Sink
	// Checkpoint is the folder that makes the query resume; a path of the server's on Spark.
	Checkpoint string
	At         condition.Pos
}

// LateFields are the columns of late rows as they are written: the epoch, the number of the stateful operator that dropped the row, the watermark, the time that it has
// passed (of the row, or the end of its window), and the columns of the operator's input as JSON.
func LateFields() []datatype.Field {
	return []datatype.Field{
		{Name: "epoch", Type: datatype.Long}, {Name: "operator", Type: datatype.Int}, {Name: "watermark", Type: datatype.Timestamp},
		{Name: "time", Type: datatype.Timestamp}, {Name: "row", Type: datatype.String},
	}
}
