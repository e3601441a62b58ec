package connectors

// BasePath is the folder below which folders column=value name partitions, where the path that is read lies deeper; by default the path itself.
func BasePath(folder string) Option { return Set("basePath", folder) }

// ModifiedBefore takes only files that were changed before a time such as 2024-06-01T13:00:00, on the clock of the option timeZone or else of the session. Spark has it for batch queries.
func ModifiedBefore(local string) Option { return Set("modifiedBefore", local) }

// ModifiedAfter takes only files that were changed after a time such as 2024-06-01T13:00:00, on the clock of the option timeZone or else of the session. Spark has it for batch queries.
func ModifiedAfter(local string) Option { return Set("modifiedAfter", local) }

// FileNameOnly tells the files of a stream apart by name alone, so that one that has moved is not read again.
func FileNameOnly() Option { return boolean("fileNameOnly", true) }

// MergeSchema says that files of Parquet or ORC may have different columns. Where the columns are [Inferred] they are those of all files, in the order of the files' names, and
// not those of the first alone: fields of structs and digits of decimals are put together, and other types that differ are CANNOT_MERGE_SCHEMAS. Where they are declared
// it changes nothing: each file gives those that it has, and null for others.
func MergeSchema() Option { return boolean("mergeSchema", true) }

// WholeText makes one row of each text file.
func WholeText() Option { return boolean("wholetext", true) }

// LineSeparator is what ends a line of text, JSON or CSV (there at most two characters); by default any of \n, \r\n and \r in reading, and \n in writing.
func LineSeparator(sep string) Option { return Set("lineSep", sep) }

// Encoding is the character set of files of CSV and JSON: UTF-8 (the default), ISO-8859-1, US-ASCII, UTF-16, UTF-16BE, UTF-16LE or UTF-32, in any letter case; another is
// INVALID_PARAMETER_VALUE.CHARSET. Lines of JSON in another set than UTF-8 need a [LineSeparator], and cannot be UTF-16 or UTF-32, whose order of bytes is open. Of text it says
// only how the [LineSeparator] is spelt: the bytes of lines stay as they are.
func Encoding(charset string) Option { return Set("encoding", charset) }

// AvroSchema is the reader's or writer's schema of Avro as JSON. On Spark only.
func AvroSchema(json string) Option { return Set("avroSchema", json) }

// RecordName is the name of the record in the schema of Avro files that are written; topLevelRecord by default.
func RecordName(name string) Option { return Set("recordName", name) }

// RecordNamespace is the namespace of the record in the schema of Avro files that are written; none by default.
func RecordNamespace(space string) Option { return Set("recordNamespace", space) }

// OnlyAvroFiles leaves out files whose names do not end in .avro (ignoreExtension=false).
func OnlyAvroFiles() Option { return boolean("ignoreExtension", false) }

// PositionalFieldMatching finds the fields of Avro by position and not by name. On Spark only.
func PositionalFieldMatching() Option { return boolean("positionalFieldMatching", true) }

// StableUnionNames names the fields of a union of several Avro types by their types, with a prefix (member_ when it is empty), where Spark infers the columns. Declared columns go by position.
func StableUnionNames(prefix string) []Option {
	o := []Option{boolean("enableStableIdentifiersForUnionType", true)}
	if prefix != "" {
		o = append(o, Set("stableIdentifierPrefixForUnionType", prefix))
	}
	return o
}

// RecursiveFieldMaxDepth is how deep Spark follows a record of Avro that holds itself, where it infers the columns: 1 to 15.
func RecursiveFieldMaxDepth(n int64) Option { return number("recursiveFieldMaxDepth", n, 1) }

// Rebase says what happens to dates and times before 1582-10-15 (dates) or 1900 (time stamps) in files of Spark 2 and Hive, which count them in another calendar.
type Rebase string

// The ways of [DatetimeRebase] and [Int96Rebase].
const (
	// RebaseException fails on such values.
	RebaseException Rebase = "EXCEPTION"
	// RebaseCorrected reads them as they are stored.
	RebaseCorrected Rebase = "CORRECTED"
	// RebaseLegacy shifts them from the old calendar.
	RebaseLegacy Rebase = "LEGACY"
)

// DatetimeRebase says how old dates and time stamps of Parquet and Avro are read. The local engine reads them as they are stored.
func DatetimeRebase(mode Rebase) Option { return Set("datetimeRebaseMode", string(mode)) }

// Int96Rebase says how old time stamps in the 96-bit form of Parquet are read. The local engine reads them as they are stored.
func Int96Rebase(mode Rebase) Option { return Set("int96RebaseMode", string(mode)) }
