package connectors

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/rowtype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/internal/glob"
)

// fileOptions are those of all file formats. Source: Spark's pages "Generic File Source Options" and "Structured Streaming Programming Guide".
var fileOptions = map[string]spec{
	"maxFilesPerTrigger": src(whole(1)), "maxBytesPerTrigger": src(anything), "latestFirst": src(truth), "maxFileAge": src(anything), "fileNameOnly": src(truth),
	"cleanSource": src(oneOf("off", "delete", "archive")), "sourceArchiveDir": src(anything), "pathGlobFilter": src(namePattern), "recursiveFileLookup": src(truth),
	"modifiedBefore": src(clockTime), "modifiedAfter": src(clockTime), "basePath": src(anything), "timeZone": src(anything), "ignoreMissingFiles": src(truth), "ignoreCorruptFiles": src(truth),
	"compression": snk(oneOf("none", "uncompressed", "snappy", "gzip", "zstd", "lz4", "bzip2", "deflate", "brotli")), "maxRecordsPerFile": snk(whole(0)), "retention": snk(anything),
}

var (
	textCodecs = snk(oneOf("none", "uncompressed", "bzip2", "deflate", "gzip", "lz4", "snappy", "zstd"))
	rebase     = src(oneOf("EXCEPTION", "CORRECTED", "LEGACY"))
)

// formatOptions are those of one format; one of the same name as in fileOptions takes its place.
var formatOptions = map[string]map[string]spec{
	"avro": {"avroSchema": both(jsonText), "recordName": snk(anything), "recordNamespace": snk(anything), "ignoreExtension": src(truth), "datetimeRebaseMode": rebase, "positionalFieldMatching": both(truth),
		"compression": snk(oneOf("uncompressed", "snappy", "deflate", "bzip2", "xz", "zstandard")), "enableStableIdentifiersForUnionType": src(truth), "stableIdentifierPrefixForUnionType": src(anything),
		"recursiveFieldMaxDepth": src(whole(-1))},
	"orc":        {"mergeSchema": src(truth), "compression": snk(oneOf("none", "uncompressed", "snappy", "zlib", "lzo", "zstd", "lz4", "brotli"))},
	"text":       {"wholetext": src(truth), "lineSep": both(filled), "encoding": both(anything), "compression": textCodecs},
	"binaryFile": {},
	"parquet":    {"compression": snk(oneOf("none", "uncompressed", "snappy", "gzip", "lzo", "brotli", "lz4", "lz4_raw", "zstd")), "mergeSchema": src(truth), "datetimeRebaseMode": rebase, "int96RebaseMode": rebase},
	"json": merged(jsonOptions, map[string]spec{"compression": textCodecs, "mode": src(oneOf("PERMISSIVE", "DROPMALFORMED", "FAILFAST")), "multiLine": src(truth), "encoding": both(anything), "charset": both(anything),
		"lineSep": both(anything), "samplingRatio": src(anything), "inferTimestamp": src(truth), "singleVariantColumn": src(filled)}),
	"csv": {
		"compression": textCodecs, "header": both(truth), "sep": both(anything), "delimiter": both(anything), "quote": both(character), "escape": both(character), "comment": src(character), "nullValue": both(anything),
		"emptyValue": both(anything), "nanValue": src(anything), "positiveInf": src(anything), "negativeInf": src(anything), "mode": src(oneOf("PERMISSIVE", "DROPMALFORMED", "FAILFAST")),
		"columnNameOfCorruptRecord": src(anything), "dateFormat": both(anything), "timestampFormat": both(anything), "timestampNTZFormat": both(anything), "multiLine": src(truth), "maxColumns": src(whole(1)),
		"maxCharsPerColumn": src(whole(-1)), "ignoreLeadingWhiteSpace": both(truth), "ignoreTrailingWhiteSpace": both(truth), "enforceSchema": src(truth), "quoteAll": snk(truth), "escapeQuotes": snk(truth),
		"encoding": both(anything), "charset": both(anything), "lineSep": both(anything), "locale": both(anything), "charToEscapeQuoteEscaping": both(character),
		"unescapedQuoteHandling": src(oneOf("STOP_AT_CLOSING_QUOTE", "BACK_TO_DELIMITER", "STOP_AT_DELIMITER", "SKIP_VALUE", "RAISE_ERROR")),
		"inferSchema":            src(truth), "preferDate": src(truth), "samplingRatio": src(anything), "timeZone": both(anything), "timeFormat": both(anything), "enableDateTimeParsingFallback": src(truth),
		"columnPruning": src(truth), "inputBufferSize": src(whole(1)), "singleVariantColumn": src(filled), "extension": snk(threeLetters), "codec": textCodecs,
	},
}

func merged(a, b map[string]spec) map[string]spec {
	out := make(map[string]spec, len(a)+len(b))
	for k, v := range a {
		out[k] = v
	}
	for k, v := range b {
		out[k] = v
	}
	return out
}

// Rows says which columns a file has: [RowsOf] a struct, [RowsDDL], or [Inferred].
type Rows struct {
	fields []datatype.Field
	err    error
	// inferred says that a session finds the columns.
	inferred bool
}

// RowsOf takes the columns from a struct, as rowtype.Of gives them.
func RowsOf[T any]() Rows {
	f, err := rowtype.Fields(reflect.TypeFor[T]())
	return Rows{fields: f, err: err}
}

// RowsDDL takes the columns from a schema in DDL: "id BIGINT, at TIMESTAMP".
func RowsDDL(ddl string) Rows {
	f, err := datatype.ParseFields(ddl)
	return Rows{fields: f, err: wrapDDL(err)}
}

// RowsFields takes the columns as they are.
func RowsFields(fields []datatype.Field) Rows { return Rows{fields: fields} }

// clockTime takes a date and time without a zone: Spark compares it with the wall clock of its option timeZone.
func clockTime(v string) error {
	for _, layout := range []string{"2006-01-02T15:04:05.999999", "2006-01-02 15:04:05.999999", "2006-01-02"} {
		if _, err := time.Parse(layout, v); err == nil {
			return nil
		}
	}
	return fmt.Errorf("must be a time without zone, such as 2024-06-01T13:00:00")
}

func namePattern(v string) error {
	if _, err := glob.Compile(v); err != nil {
		return fmt.Errorf("must be a pattern (%w)", err)
	}
	return nil
}

func threeLetters(v string) error {
	if len(v) != 3 || strings.ContainsFunc(v, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') }) {
		return fmt.Errorf("must be three letters")
	}
	return nil
}

func filled(v string) error {
	if v == "" {
		return fmt.Errorf("must not be empty")
	}
	return nil
}

// Inferred leaves the columns to a session, which looks at the files: Session.Schema gives them, and backend.ReadInferred a table. A table is not made of such a
// description by itself, since building an expression looks at nothing. CSV files have only texts unless [InferSchema] is among the options.
func Inferred() Rows { return Rows{inferred: true} }

// Files is a description of files to read or write.
type Files struct {
	format, path string
	rows         Rows
	// folders are the columns that come of partition folders.
	folders   Rows
	opts      []Option
	partition []string
	sink      bool
}

// FromCSV reads CSV files in a folder (those of its subfolders only as partitions column=value, or with recursiveFileLookup), or one file. Files and folders whose
// names begin with a point or an underscore are passed over. A path with any of the characters *?[]{}\ is a pattern: * is any text without a slash, ? any character, [ab], [a-c]
// and [^a] one of a set, {a,b/c} one of several paths, and a backslash takes the next character as it is; partitions begin below the folders that it meets. Columns go by
// position: [Header] leaves the first line out and, as in Spark, does not look at its names unless enforceSchema is false. Every column is nullable. As a
// stream it takes new files as they appear, oldest first.
func FromCSV(path string, rows Rows, opts ...Option) Files {
	return Files{format: "csv", path: path, rows: rows, opts: opts}
}

// FromJSON reads files of JSON lines in a folder, as [FromCSV] finds them, or one file. Columns go by name. Every column is nullable. As a stream it takes new files as they appear, oldest first.
func FromJSON(path string, rows Rows, opts ...Option) Files {
	return Files{format: "json", path: path, rows: rows, opts: opts}
}

// FromParquet reads Parquet files in a folder, as [FromCSV] finds them, or one file. Columns are found by name; every column is nullable. As a stream it takes new files as they
// appear, oldest first.
func FromParquet(path string, rows Rows, opts ...Option) Files {
	return Files{format: "parquet", path: path, rows: rows, opts: opts}
}

// ToCSV writes CSV files into a folder.
func ToCSV(path string, opts ...Option) Files {
	return Files{format: "csv", path: path, opts: opts, sink: true}
}

// ToJSON writes files of JSON lines into a folder.
func ToJSON(path string, opts ...Option) Files {
	return Files{format: "json", path: path, opts: opts, sink: true}
}

// ToParquet writes Parquet files into a folder.
func ToParquet(path string, opts ...Option) Files {
	return Files{format: "parquet", path: path, opts: opts, sink: true}
}

// FromAvro reads Avro's container files in a folder, as [FromCSV] finds them, or one file. Columns are found by name without regard to letter case; every column is
// nullable, and one that a file does not have is null. A union with null is what else it holds, one of several types a struct with a field for each, in their order;
// an enum is text. INT is read as INT, BIGINT or DOUBLE, FLOAT as FLOAT or DOUBLE, and a decimal as one with at least its digits before the point; another type than the
// file's is an error. As a stream it takes new files as they appear, oldest first. Source: Spark's page "Apache Avro Data Source Guide".
func FromAvro(path string, rows Rows, opts ...Option) Files {
	return Files{format: "avro", path: path, rows: rows, opts: opts}
}

// ToAvro writes Avro's container files into a folder, with the schema that Spark makes of the columns. Names of columns must be letters, digits and underscores.
func ToAvro(path string, opts ...Option) Files {
	return Files{format: "avro", path: path, opts: opts, sink: true}
}

// FromORC reads ORC files in a folder, as [FromCSV] finds them, or one file. On Spark only: the local engine refuses it.
func FromORC(path string, rows Rows, opts ...Option) Files {
	return Files{format: "orc", path: path, rows: rows, opts: opts}
}

// ToORC writes ORC files into a folder. On Spark only: the local engine refuses it.
func ToORC(path string, opts ...Option) Files {
	return Files{format: "orc", path: path, opts: opts, sink: true}
}

// FromText reads the lines of the files in a folder, as [FromCSV] finds them, or of one file. Its one column is value, a STRING without the line's end; bytes that are no UTF-8 stay as they
// are. [WholeText] makes one row of each file that is not empty. As a stream it takes new files as they appear, oldest first.
func FromText(path string, opts ...Option) Files {
	return Files{format: "text", path: path, opts: opts, rows: Rows{fields: []datatype.Field{{Name: "value", Type: datatype.String, Nullable: true}}}}
}

// ToText writes a line for each row into files in a folder. The table has one column of text, beside those of [Files.PartitionBy]; null is an empty line.
func ToText(path string, opts ...Option) Files {
	return Files{format: "text", path: path, opts: opts, sink: true}
}

// FromBinary makes a row of each file in a folder, as [FromCSV] finds them, or of one file: path STRING, such as file:/data/a.png; modificationTime TIMESTAMP; length BIGINT in bytes; content
// BINARY, at most 2 GiB. A file of no bytes has no row, and content is read only where the query asks for it. As a stream it takes new files as they appear, oldest first.
func FromBinary(path string, opts ...Option) Files {
	return Files{format: "binaryFile", path: path, opts: opts, rows: Rows{fields: []datatype.Field{
		{Name: "path", Type: datatype.String, Nullable: true}, {Name: "modificationTime", Type: datatype.Timestamp, Nullable: true},
		{Name: "length", Type: datatype.Long, Nullable: true}, {Name: "content", Type: datatype.Binary, Nullable: true}}}}
}

// Folders names the columns that come of partition folders column=value, behind those of the files; [RowsDDL] is the shortest way to say them. A value that is not of its column's type is
// INVALID_PARTITION_VALUE, and __HIVE_DEFAULT_PARTITION__ is null. A filter on such columns leaves the files of other folders closed.
func (f Files) Folders(columns Rows) Files { f.folders = columns; return f }

// WithRows gives the description with other columns, such as those that a session has found for [Inferred] ones.
func (f Files) WithRows(rows Rows) Files { f.rows = rows; return f }

// PartitionBy puts rows into folders column=value, in this order of columns, and leaves the columns out of the files.
func (f Files) PartitionBy(columns ...string) Files { f.partition = columns; return f }

// String prints the description.
func (f Files) String() string {
	o, err := f.options()
	if err != nil {
		return f.format + ": " + err.Error()
	}
	return strings.TrimSpace(f.format + ": " + f.path + " " + o.String())
}

// GoString is String, so that %#v prints no secret either.
func (f Files) GoString() string { return f.String() }

func (f Files) options() (tree.Options, error) {
	at := "source"
	if f.sink {
		at = "sink"
	}
	if f.format == "" {
		e := invalid("The %s of files was never made: it is the zero value of its type.", at)
		e.Hint = "Use connectors.FromParquet, ToParquet and the functions like them."
		return nil, e
	}
	if f.path == "" {
		return nil, invalid("The %s %s needs a path.", f.format, at)
	}
	if err := glob.Check(f.path); err != nil && !f.sink {
		// Spark says so by a Java exception without a condition, when the query runs.
		e := invalid("The path %s is no pattern: %v.", f.path, err)
		e.Hint = glob.Hint
		return nil, e
	}
	o, err := build(f.format, at, merged(fileOptions, formatOptions[f.format]), nil, f.opts)
	if err != nil {
		return nil, err
	}
	if v, _ := o.Get("cleanSource"); strings.EqualFold(v, "archive") && !has(o, "sourceArchiveDir") {
		return nil, invalid("cleanSource=archive needs sourceArchiveDir.")
	}
	if v, _ := o.Get("wholetext"); strings.EqualFold(v, "true") && has(o, "lineSep") && !f.sink {
		return nil, invalid("wholetext makes one row of a file, so lineSep says nothing; give one of them.")
	}
	if v, _ := o.Get("recursiveFileLookup"); strings.EqualFold(v, "true") && (has(o, "basePath") || len(f.folders.fields) > 0) {
		return nil, invalid("recursiveFileLookup takes no folder for a partition, so basePath and Folders say nothing; leave one of them out.")
	}
	if has(o, "maxFilesPerTrigger") && has(o, "maxBytesPerTrigger") {
		return nil, invalid("maxFilesPerTrigger and maxBytesPerTrigger cannot both be set.")
	}
	if a, ok := o.Get("sep"); ok {
		if b, ok := o.Get("delimiter"); ok && a != b {
			return nil, invalid("sep and delimiter are the same option; give one.")
		}
	}
	return o, nil
}

// Source implements expr.Source.
func (f Files) Source() (*tree.Source, error) {
	if f.sink {
		return nil, invalid("To%s describes a sink.", f.format)
	}
	if err := cmp.Or(f.rows.err, f.folders.err); err != nil {
		return nil, err
	}
	if len(f.partition) > 0 {
		e := invalid("PartitionBy belongs to a sink; a source finds partition folders by itself.")
		e.Hint = "Name the columns of partition folders with Folders."
		return nil, e
	}
	o, err := f.options()
	if err != nil {
		return nil, err
	}
	if f.rows.inferred {
		if len(f.folders.fields) > 0 {
			e := invalid("The columns of folders are found with the others.")
			e.Hint = "Leave Folders out, or declare all columns."
			return nil, e
		}
		return &tree.Source{Format: f.format, Options: o, Path: f.path, Batch: true, Stream: true, Undeclared: true}, nil
	}
	fields := append(withCorrupt(f.rows.fields, o), f.folders.fields...)
	if len(fields) == 0 {
		e := invalid("The %s source needs its columns.", f.format)
		e.Hint = "Use RowsOf, RowsDDL, or Inferred with a session."
		return nil, e
	}
	if err := distinct(fields); err != nil {
		return nil, err
	}
	out := make([]datatype.Field, len(fields))
	for i, x := range fields {
		out[i] = datatype.Field{Name: x.Name, Type: datatype.AsNullable(x.Type), Nullable: true}
	}
	return &tree.Source{Format: f.format, Options: o, Path: f.path, Fields: out, Batch: true, Stream: true}, nil
}

// Sink implements expr.Sink.
func (f Files) Sink() (*tree.Sink, error) {
	if !f.sink {
		return nil, invalid("From%s describes a source.", f.format)
	}
	if len(f.folders.fields) > 0 || f.folders.err != nil {
		return nil, invalid("Folders belongs to a source; a sink makes partition folders with PartitionBy.")
	}
	o, err := f.options()
	if err != nil {
		return nil, err
	}
	return &tree.Sink{Format: f.format, Options: o, Path: f.path, PartitionBy: f.partition, Batch: true, Stream: true, Modes: []tree.OutputMode{tree.Append}}, nil
}

// MaxFilesPerTrigger bounds the new files of an epoch.
func MaxFilesPerTrigger(n int64) Option { return number("maxFilesPerTrigger", n, 1) }

// LatestFirst takes the newest files first.
func LatestFirst() Option { return boolean("latestFirst", true) }

// MaxFileAge leaves out files that are older than the newest by more than this; seven days by default.
func MaxFileAge(d time.Duration) Option { return millis("maxFileAge", d) }

// PathGlobFilter takes only files whose name matches a glob, such as *.json.
func PathGlobFilter(glob string) Option { return Set("pathGlobFilter", glob) }

// Header says that CSV files begin with a line of column names, which is left out; see [FromCSV].
func Header() Option { return boolean("header", true) }

// InferSchema says that the types of CSV columns are found from their values, where the columns are [Inferred].
func InferSchema() Option { return boolean("inferSchema", true) }

// Separator is what stands between the fields of a CSV line; a comma by default.
func Separator(sep string) Option { return Set("sep", sep) }

// NullValue is the text that stands for null in CSV; nothing by default.
func NullValue(text string) Option { return Set("nullValue", text) }

// Compression is how files are packed: none, gzip, snappy, zstd … by format.
func Compression(codec string) Option { return Set("compression", codec) }

// MaxBytesPerTrigger bounds the size of the new files of an epoch, in bytes; one file is always taken. It excludes [MaxFilesPerTrigger].
func MaxBytesPerTrigger(n int64) Option { return number("maxBytesPerTrigger", n, 1) }

// DeleteSource removes files when the epoch that read them is done.
func DeleteSource() Option { return Set("cleanSource", "delete") }

// ArchiveSource moves files into a folder when the epoch that read them is done. The folder must not lie in the one that is read.
func ArchiveSource(folder string) []Option {
	return []Option{Set("cleanSource", "archive"), Set("sourceArchiveDir", folder)}
}

// RecursiveFileLookup reads the files of every folder below the path, and takes none for a partition.
func RecursiveFileLookup() Option { return boolean("recursiveFileLookup", true) }

// IgnoreMissingFiles reads on when a file is gone that was listed.
func IgnoreMissingFiles() Option { return boolean("ignoreMissingFiles", true) }

// IgnoreCorruptFiles leaves out what cannot be read of a damaged file.
func IgnoreCorruptFiles() Option { return boolean("ignoreCorruptFiles", true) }

// Quote is the character around CSV values that hold separators; " by default, none with "".
func Quote(char string) Option { return Set("quote", char) }

// Escape is the character before a quote inside a quoted CSV value; \ by default.
func Escape(char string) Option { return Set("escape", char) }

// DateFormat is the pattern of dates in text, in Java's letters.
func DateFormat(pattern string) Option { return Set("dateFormat", pattern) }

// TimestampFormat is the pattern of time stamps in text, in Java's letters.
func TimestampFormat(pattern string) Option { return Set("timestampFormat", pattern) }

// MaxRecordsPerFile begins a new file after so many rows.
func MaxRecordsPerFile(n int64) Option { return number("maxRecordsPerFile", n, 1) }
