package condition

import "strings"

// The conditions that Spoonbill itself raises under Spark's names. Source: Spark's error-conditions.json.
const (
	UnresolvedColumn           = "UNRESOLVED_COLUMN.WITH_SUGGESTION"
	UnresolvedField            = "FIELD_NOT_FOUND"
	AmbiguousReference         = "AMBIGUOUS_REFERENCE"
	ColumnAlreadyExists        = "COLUMN_ALREADY_EXISTS"
	DatatypeMismatch           = "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"
	DifferingTypes             = "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES"
	CastWithoutSuggestion      = "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION"
	FilterNotBoolean           = "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN"
	WrongNumArgs               = "WRONG_NUM_ARGS.WITHOUT_SUGGESTION"
	MissingAggregation         = "MISSING_AGGREGATION"
	NestedAggregate            = "NESTED_AGGREGATE_FUNCTION"
	NumColumnsMismatch         = "NUM_COLUMNS_MISMATCH"
	IncompatibleColumnType     = "INCOMPATIBLE_COLUMN_TYPE"
	StreamingOutputMode        = "STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION"
	NonTimeWindow              = "NON_TIME_WINDOW_NOT_SUPPORTED_IN_STREAMING"
	EventTimeNotTimestamp      = "EVENT_TIME_IS_NOT_ON_TIMESTAMP_TYPE"
	WriteStreamNotAllowed      = "WRITE_STREAM_NOT_ALLOWED"
	InvalidWatermarkDelay      = "CANNOT_PARSE_INTERVAL"
	ForeachBatchFailed         = "FOREACH_BATCH_USER_FUNCTION_ERROR"
	ForeachFailed              = "FOREACH_USER_FUNCTION_ERROR"
	StreamFailed               = "STREAM_FAILED"
	ConcurrentStreamLog        = "CONCURRENT_STREAM_LOG_UPDATE"
	InternalError              = "INTERNAL_ERROR"
	CastInvalidInput           = "CAST_INVALID_INPUT"
	CastOverflow               = "CAST_OVERFLOW"
	ArithmeticOverflow         = "ARITHMETIC_OVERFLOW"
	BinaryArithmeticOverfl     = "BINARY_ARITHMETIC_OVERFLOW"
	DivideByZero               = "DIVIDE_BY_ZERO"
	RemainderByZero            = "REMAINDER_BY_ZERO"
	NumericOutOfRange          = "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION"
	DatetimeOverflow           = "DATETIME_OVERFLOW"
	InvalidArrayIndex          = "INVALID_ARRAY_INDEX"
	MalformedRecord            = "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION"
	PathNotFound               = "PATH_NOT_FOUND"
	DataSourceNotFound         = "DATA_SOURCE_NOT_FOUND"
	FailedReadMissingFile      = "FAILED_READ_FILE.FILE_NOT_EXIST"
	KafkaDataLoss              = "KAFKA_DATA_LOSS"
	TaskWriteFailed            = "TASK_WRITE_FAILED"
	InvalidPartitionValue      = "INVALID_PARTITION_VALUE"
	UnsupportedDataType        = "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE"
	ParseModeUnsupported       = "PARSE_MODE_UNSUPPORTED"
	PathAlreadyExists          = "PATH_ALREADY_EXISTS"
	TableNotFound              = "TABLE_OR_VIEW_NOT_FOUND"
	FailedReadFile             = "FAILED_READ_FILE.NO_HINT"
	ParseSyntaxError           = "PARSE_SYNTAX_ERROR"
	UserRaised                 = "USER_RAISED_EXCEPTION"
	FailedExecuteUDF           = "FAILED_EXECUTE_UDF" // an error or a panic of a function of the user's
	TTLTimeMode                = "STATEFUL_PROCESSOR_INCORRECT_TIME_MODE_TO_ASSIGN_TTL"
	TTLNotPositive             = "STATEFUL_PROCESSOR_TTL_DURATION_MUST_BE_POSITIVE"
	DuplicateState             = "STATEFUL_PROCESSOR_DUPLICATE_STATE_VARIABLE_DEFINED"
	ReinitializedState         = "STATEFUL_PROCESSOR_CANNOT_REINITIALIZE_STATE_ON_KEY"
	InvalidTimeMode            = "STATEFUL_PROCESSOR_CANNOT_PERFORM_OPERATION_WITH_INVALID_TIME_MODE"
	EmittingLateRows           = "EMITTING_ROWS_OLDER_THAN_WATERMARK_NOT_ALLOWED"
	CannotParseTimestamp       = "CANNOT_PARSE_TIMESTAMP"
	InvalidParameterCharset    = "INVALID_PARAMETER_VALUE.CHARSET"
	InvalidParameterPattern    = "INVALID_PARAMETER_VALUE.PATTERN"
	CannotUpCast               = "CANNOT_UP_CAST_DATATYPE"
	NotNullViolation           = "NOT_NULL_ASSERT_VIOLATION"
	ParquetTypeMismatch        = "FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH"
	InvalidPartitionColumnType = "INVALID_PARTITION_COLUMN_DATA_TYPE"
	AllPartitionColumns        = "ALL_PARTITION_COLUMNS_NOT_ALLOWED"
	InvalidColumnNameAsPath    = "INVALID_COLUMN_NAME_AS_PATH"
	EmptyPartitionValue        = "EMPTY_PARTITION_COLUMN_VALUE"
	CannotMergeSchemas         = "CANNOT_MERGE_SCHEMAS"
	UnableToInferSchema        = "UNABLE_TO_INFER_SCHEMA"
	NegativeScale              = "NEGATIVE_SCALE_DISALLOWED"
	InvalidJSONRecordType      = "INVALID_JSON_RECORD_TYPE" // a record that is JSON but no object, in FAILFAST
	ConflictingPartitionNames  = "CONFLICTING_PARTITION_COLUMN_NAMES"
	ConflictingDirectories     = "CONFLICTING_DIRECTORY_STRUCTURES"
	EmptyPartitionName         = "EMPTY_PARTITION_COLUMN_NAME"
	WriteBinarySource          = "UNSUPPORTED_FEATURE.WRITE_FOR_BINARY_SOURCE"

	InvalidCorruptRecordType = "INVALID_CORRUPT_RECORD_TYPE"

	WindowWithoutOver       = "WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE"
	WindowNotOrdered        = "WINDOW_FUNCTION_FRAME_NOT_ORDERED"
	WindowFrameRefused      = "_LEGACY_ERROR_TEMP_1035" // LAG and LEAD take no frame
	WindowFrameFixed        = "_LEGACY_ERROR_TEMP_1036" // RANK and its like have a frame of their own
	WindowInAggregate       = "_LEGACY_ERROR_TEMP_1031"
	WindowUnsupportedHere   = "UNSUPPORTED_EXPR_FOR_OPERATOR" // in a join condition or a grouping key
	WindowOfNoAggregate     = "UNSUPPORTED_EXPR_FOR_WINDOW"
	DistinctWindow          = "DISTINCT_WINDOW_FUNCTION_UNSUPPORTED"
	RangeFrameInvalidType   = "DATATYPE_MISMATCH.RANGE_FRAME_INVALID_TYPE"
	RangeFrameMultiOrder    = "DATATYPE_MISMATCH.RANGE_FRAME_MULTI_ORDER"
	RangeFrameWithoutOrder  = "DATATYPE_MISMATCH.RANGE_FRAME_WITHOUT_ORDER"
	FrameWrongComparison    = "DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_WRONG_COMPARISON"
	FrameUnacceptedType     = "DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_UNACCEPTED_TYPE"
	FrameDifferingTypes     = "DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_DIFF_TYPES"
	FrameNotConstant        = "DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_WITHOUT_FOLDABLE"
	WholeWindowOnly         = "INVALID_WINDOW_SPEC_FOR_AGGREGATION_FUNC" // MEDIAN and its like take a partition as it is
	UnsupportedNullHandling = "INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX"
)

// The conditions of catalogues beside [TableNotFound].
const (
	CatalogNotFound       = "CATALOG_NOT_FOUND"
	SchemaNotFound        = "SCHEMA_NOT_FOUND"
	SchemaAlreadyExists   = "SCHEMA_ALREADY_EXISTS"
	SchemaNotEmpty        = "SCHEMA_NOT_EMPTY"
	SinglePartNamespace   = "REQUIRES_SINGLE_PART_NAMESPACE"
	InvalidRelationName   = "INVALID_SCHEMA_OR_RELATION_NAME"
	TableAlreadyExists    = "TABLE_OR_VIEW_ALREADY_EXISTS"
	TempViewAlreadyExists = "TEMP_TABLE_OR_VIEW_ALREADY_EXISTS"
	InvalidTempReference  = "INVALID_TEMP_OBJ_REFERENCE" // a view that would outlive what it reads
	TableNotView          = "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE"
	WrongObjectType       = "WRONG_COMMAND_FOR_OBJECT_TYPE"
	DropDefaultDatabase   = "UNSUPPORTED_FEATURE.DROP_DATABASE"
	TimeTravel            = "UNSUPPORTED_FEATURE.TIME_TRAVEL"
	OverwriteOfInput      = "UNSUPPORTED_OVERWRITE.TABLE"
	CastOverflowInInsert  = "CAST_OVERFLOW_IN_TABLE_INSERT"
	CannotSafelyCast      = "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST"
	ExtraColumns          = "INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_COLUMNS"
	NotEnoughColumns      = "INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS"
	TooManyColumns        = "INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS"
	AppendColumnCount     = "_LEGACY_ERROR_TEMP_1161"
	AppendColumnMissing   = "_LEGACY_ERROR_TEMP_1162"
	AppendPartitioning    = "_LEGACY_ERROR_TEMP_1163"
	AppendFormat          = "_LEGACY_ERROR_TEMP_1159"
)

// The conditions of Kafka sources and sinks beside [KafkaDataLoss]. Source: Spark's kafka-error-conditions.json.
const (
	KafkaStartMismatch    = "KAFKA_START_OFFSET_DOES_NOT_MATCH_ASSIGNED"
	KafkaTimeMismatch     = "KAFKA_TIMESTAMP_OFFSET_DOES_NOT_MATCH_ASSIGNED"
	KafkaNullTopic        = "KAFKA_NULL_TOPIC_IN_DATA"
	KafkaStartBeyondEnd   = "RESOLVED_START_OFFSET_GREATER_THAN_END_OFFSET"
	KafkaPartitionDeleted = KafkaDataLoss + ".PARTITIONS_DELETED"
	KafkaRangeLost        = KafkaDataLoss + ".COULD_NOT_READ_OFFSET_RANGE"
	KafkaOffsetChanged    = KafkaDataLoss + ".PARTITION_OFFSET_CHANGED"
	KafkaLateStart        = KafkaDataLoss + ".ADDED_PARTITION_DOES_NOT_START_FROM_OFFSET_ZERO"
)

// The conditions that Spark has no name for: it answers with _LEGACY_ERROR_TEMP_3102, with a Java exception or not at all.
const (
	// UnboundColumn is a value of a table that the receiving table does not descend from, or of an ancestor where the column was
	// redefined or dropped on the way.
	UnboundColumn = "SPOONBILL_COLUMN_OF_OTHER_TABLE"
	// InvalidValue is a zero value of an exported type, or a Go value that no Spark type holds.
	InvalidValue = "SPOONBILL_INVALID_VALUE"
	// InvalidOption is a connector option that is unknown, misspelt, out of range or at odds with another.
	InvalidOption = "SPOONBILL_INVALID_OPTION"
	// StreamingUnsupported is an operation that no streaming query can have (Spark: _LEGACY_ERROR_TEMP_3102).
	StreamingUnsupported = "SPOONBILL_STREAMING_UNSUPPORTED"
	// NotStreaming is a started query without a streaming source.
	NotStreaming = "SPOONBILL_NO_STREAMING_SOURCE"
	// NotBatch is a streaming-only source collected as a batch.
	NotBatch = "SPOONBILL_SOURCE_IS_STREAM_ONLY"
	// Unsupported is what the target cannot do.
	Unsupported = "SPOONBILL_UNSUPPORTED"
	// CheckpointMismatch is a checkpoint of another query.
	CheckpointMismatch = "SPOONBILL_CHECKPOINT_MISMATCH"
	// CheckpointCorrupt is a checkpoint whose files cannot be read.
	CheckpointCorrupt = "SPOONBILL_CHECKPOINT_CORRUPT"
	// CheckpointFailed is a checkpoint whose files cannot be written or read: no rights, a full disk.
	CheckpointFailed = "SPOONBILL_CHECKPOINT_FAILED"
	// ConnectorFailed is a source or sink outside the process that did not answer.
	ConnectorFailed = "SPOONBILL_CONNECTOR_FAILED"
	// UnknownTopic is a Kafka topic or partition that the broker does not know (Kafka: UNKNOWN_TOPIC_OR_PARTITION).
	UnknownTopic = "SPOONBILL_UNKNOWN_TOPIC"
	// SchemaMismatch is a query in the user's own words whose columns are not those that were declared for it.
	SchemaMismatch = "SPOONBILL_SCHEMA_MISMATCH"
	// PatternLimit is a pattern that leaves more ways open than are tried.
	PatternLimit = "SPOONBILL_PATTERN_LIMIT"
	// Closed is a call on a session or query that has ended.
	Closed = "SPOONBILL_CLOSED"
	// ServerError is a failure of a Spark server that carries no condition, such as a bare Java exception.
	ServerError = "SPOONBILL_SERVER_ERROR"
	// ServerUnavailable is a Spark server that cannot be reached or refuses the caller.
	ServerUnavailable = "SPOONBILL_SERVER_UNAVAILABLE"
)

// states maps a condition's main class to its SQLSTATE. Source: Spark's error-conditions.json; ours take the nearest class.
var states = map[string]string{
	"UNRESOLVED_COLUMN": "42703", "FIELD_NOT_FOUND": "42704", "AMBIGUOUS_REFERENCE": "42704", "COLUMN_ALREADY_EXISTS": "42711",
	"DATATYPE_MISMATCH": "42K09", "WRONG_NUM_ARGS": "42605", "MISSING_AGGREGATION": "42803", "NESTED_AGGREGATE_FUNCTION": "42607",
	"NUM_COLUMNS_MISMATCH": "42826", "INCOMPATIBLE_COLUMN_TYPE": "42825", "STREAMING_OUTPUT_MODE": "42KDE", "STREAMING_REAL_TIME_MODE": "0A000",
	"NON_TIME_WINDOW_NOT_SUPPORTED_IN_STREAMING": "42KDE", "EVENT_TIME_IS_NOT_ON_TIMESTAMP_TYPE": "42K09", "WRITE_STREAM_NOT_ALLOWED": "42601",
	"CANNOT_PARSE_INTERVAL": "22006", "STREAM_FAILED": "XXKST", "FOREACH_BATCH_USER_FUNCTION_ERROR": "39000", "FOREACH_USER_FUNCTION_ERROR": "39000", "CAST_INVALID_INPUT": "22018", "CAST_OVERFLOW": "22003",
	"ARITHMETIC_OVERFLOW": "22003", "BINARY_ARITHMETIC_OVERFLOW": "22003", "DIVIDE_BY_ZERO": "22012", "REMAINDER_BY_ZERO": "22012",
	"NUMERIC_VALUE_OUT_OF_RANGE": "22003", "DATETIME_OVERFLOW": "22008", "INVALID_ARRAY_INDEX": "22003", "MALFORMED_RECORD_IN_PARSING": "22023",
	"CANNOT_UP_CAST_DATATYPE": "42846", "NOT_NULL_ASSERT_VIOLATION": "42000",
	"PATH_NOT_FOUND": "42K03", "PARSE_MODE_UNSUPPORTED": "42601", "DATA_SOURCE_NOT_FOUND": "42K02", "KAFKA_DATA_LOSS": "22000", "TASK_WRITE_FAILED": "58030", "INVALID_PARTITION_VALUE": "42846",
	"INVALID_PARTITION_COLUMN_DATA_TYPE":   "0A000",
	"ALL_PARTITION_COLUMNS_NOT_ALLOWED":    "KD005",
	"UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE": "0A000", "INVALID_CORRUPT_RECORD_TYPE": "42804",
	"INVALID_COLUMN_NAME_AS_PATH": "46121", "EMPTY_PARTITION_COLUMN_VALUE": "KD009", "CONFLICTING_PARTITION_COLUMN_NAMES": "KD009", "CONFLICTING_DIRECTORY_STRUCTURES": "KD009", "EMPTY_PARTITION_COLUMN_NAME": "KD009", "UNABLE_TO_INFER_SCHEMA": "42KD9", "CANNOT_MERGE_SCHEMAS": "42KD9", "NEGATIVE_SCALE_DISALLOWED": "0A000",
	"INVALID_JSON_RECORD_TYPE": "22023", "UNSUPPORTED_FEATURE": "0A000",
	"PATH_ALREADY_EXISTS": "42K04", "TABLE_OR_VIEW_NOT_FOUND": "42P01", "FAILED_READ_FILE": "KD001",
	"COLLECTION_SIZE_LIMIT_EXCEEDED": "54000", "INVALID_INDEX_OF_ZERO": "22003", "INVALID_ARRAY_INDEX_IN_ELEMENT_AT": "22003", "DUPLICATED_MAP_KEY": "23505", "NULL_MAP_KEY": "2200E",
	"COMPARATOR_RETURNS_NULL": "22004", "INVALID_LAMBDA_FUNCTION_CALL": "42K0D",
	"PARSE_SYNTAX_ERROR": "42601", "USER_RAISED_EXCEPTION": "P0001", "CANNOT_PARSE_TIMESTAMP": "22007", "INVALID_PARAMETER_VALUE": "22023",
	"WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE": "42601", "INVALID_WINDOW_SPEC_FOR_AGGREGATION_FUNC": "42601", "INVALID_SQL_SYNTAX": "42000", "UNSUPPORTED_EXPR_FOR_WINDOW": "42P20", "DISTINCT_WINDOW_FUNCTION_UNSUPPORTED": "0A000",
	FailedExecuteUDF: "39000", TTLTimeMode: "42802", TTLNotPositive: "42802", DuplicateState: "42802", ReinitializedState: "42802", InvalidTimeMode: "42802", EmittingLateRows: "42815",
	"SPOONBILL_COLUMN_OF_OTHER_TABLE": "42703", "SPOONBILL_INVALID_VALUE": "22023", "SPOONBILL_INVALID_OPTION": "22023",
	"SPOONBILL_STREAMING_UNSUPPORTED": "42KDE", "SPOONBILL_NO_STREAMING_SOURCE": "42601", "SPOONBILL_SOURCE_IS_STREAM_ONLY": "42601",
	"SPOONBILL_UNSUPPORTED": "0A000", "SPOONBILL_CHECKPOINT_MISMATCH": "XXKST", "SPOONBILL_CHECKPOINT_CORRUPT": "XXKST",
	"SPOONBILL_CHECKPOINT_FAILED": "58030", "CONCURRENT_STREAM_LOG_UPDATE": "40000", "INTERNAL_ERROR": "XX000",
	"SPOONBILL_CONNECTOR_FAILED": "08000", "SPOONBILL_CLOSED": "08003", "SPOONBILL_PATTERN_LIMIT": "54001",
	"SPOONBILL_SERVER_ERROR": "XX000", "SPOONBILL_SERVER_UNAVAILABLE": "08001",
	"SPOONBILL_UNKNOWN_TOPIC": "42704", "SPOONBILL_SCHEMA_MISMATCH": "42K09",
	"CATALOG_NOT_FOUND": "42P08", "SCHEMA_NOT_FOUND": "42704", "SCHEMA_ALREADY_EXISTS": "42P06", "SCHEMA_NOT_EMPTY": "2BP01", "REQUIRES_SINGLE_PART_NAMESPACE": "42K05",
	"INVALID_SCHEMA_OR_RELATION_NAME": "42602", "TABLE_OR_VIEW_ALREADY_EXISTS": "42P07", "TEMP_TABLE_OR_VIEW_ALREADY_EXISTS": "42P07", "INVALID_TEMP_OBJ_REFERENCE": "42K0F",
	"EXPECT_TABLE_NOT_VIEW": "42809", "WRONG_COMMAND_FOR_OBJECT_TYPE": "42809", "UNSUPPORTED_OVERWRITE": "42902",
	"INCOMPATIBLE_DATA_FOR_TABLE": "KD000", "CAST_OVERFLOW_IN_TABLE_INSERT": "22003", "INSERT_COLUMN_ARITY_MISMATCH": "21S01",
	"UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY": "0A000", "INVALID_SUBQUERY_EXPRESSION": "42823", "SCALAR_SUBQUERY_TOO_MANY_ROWS": "21000",
	"SCALAR_SUBQUERY_IS_IN_GROUP_BY_OR_AGGREGATE_FUNCTION": "0A000", "UNBOUND_SQL_PARAMETER": "42P02", "UNSUPPORTED_JOIN_CONDITION": "42K0E",
	"AMBIGUOUS_REFERENCE_TO_FIELDS": "42000", "CONVERSION_INVALID_INPUT": "22018", "DATETIME_FIELD_OUT_OF_BOUNDS": "22023",
	"EXPRESSION_TYPE_IS_NOT_ORDERABLE": "42822", "FAILED_FUNCTION_CALL": "38000", "GROUPING_COLUMN_MISMATCH": "42803",
	"GROUPING_SIZE_LIMIT_EXCEEDED": "54000", "GROUP_BY_AGGREGATE": "42903", "GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE": "42822",
	"ILLEGAL_DAY_OF_WEEK": "22009", "INCONSISTENT_BEHAVIOR_CROSS_VERSION": "42K0B", "INTERVAL_ARITHMETIC_OVERFLOW": "22015",
	"INTERVAL_DIVIDED_BY_ZERO": "22012", "INVALID_CURSOR": "HY109", "INVALID_DATETIME_PATTERN": "22007", "INVALID_EXTRACT_BASE_FIELD_TYPE": "42000",
	"INVALID_EXTRACT_FIELD": "42601", "INVALID_FORMAT": "42601", "INVALID_FRACTION_OF_SECOND": "22023", "INVALID_HANDLE": "HY000",
	"INVALID_INTERVAL_FORMAT": "22006", "INVALID_LIMIT_LIKE_EXPRESSION": "42K0E", "INVALID_SCHEMA": "42K07", "INVALID_TIMEZONE": "22009",
	"MALFORMED_CHARACTER_CODING": "22000", "NEGATIVE_VALUES_IN_FREQUENCY_EXPRESSION": "22003", "NON_FOLDABLE_ARGUMENT": "42K08",
	"SPARK_CONNECT_ILLEGAL_STATE": "XXSC0", "UNRESOLVED_ROUTINE": "42883", "UNSUPPORTED_EXPR_FOR_OPERATOR": "42K0E",
	"UNSUPPORTED_GROUPING_EXPRESSION": "42K0E", "WINDOW_FUNCTION_FRAME_NOT_ORDERED": "42601",
}

// StateOf gives the SQLSTATE of a condition, or "" for one that is not in the table.
func StateOf(name string) string {
	main, _, _ := strings.Cut(name, ".")
	return states[main]
}
