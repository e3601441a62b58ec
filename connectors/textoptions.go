package connectors

import "strconv"

// TimeZone is the zone of time stamps in text that name none, such as Europe/Berlin; by default the session's.
func TimeZone(id string) Option { return Set("timeZone", id) }

// TimestampNTZFormat is the pattern of time stamps without a zone in text, in Java's letters.
func TimestampNTZFormat(pattern string) Option { return Set("timestampNTZFormat", pattern) }

// TimeFormat is the pattern of times of day in text, in Java's letters. On Spark only.
func TimeFormat(pattern string) Option { return Set("timeFormat", pattern) }

// DateTimeParsingFallback says whether dates and time stamps that do not have the pattern are read as Spark 2 did. On Spark only.
func DateTimeParsingFallback(on bool) Option { return boolean("enableDateTimeParsingFallback", on) }

// MultiLine lets a record of CSV or JSON go over several lines: a value of CSV in quotes may have ends of lines in it, and a file of JSON is one record, an object or an
// array with a row for each object. A file of JSON is read into memory as a whole, one of CSV record by record.
func MultiLine() Option { return boolean("multiLine", true) }

// Locale is the language of names of months and days in text, such as de-DE; en-US by default, and the only one offline.
func Locale(tag string) Option { return Set("locale", tag) }

// SamplingRatio is the share of records, above 0 and up to 1, that are looked at to find the columns. Offline all are looked at.
func SamplingRatio(share float64) Option {
	o := Set("samplingRatio", strconv.FormatFloat(share, 'g', -1, 64))
	if !(share > 0 && share <= 1) {
		o.err = invalid("Option samplingRatio must be above 0 and at most 1, not %v.", share)
	}
	return o
}

// SingleVariantColumn reads each record into one column of type VARIANT. On Spark only.
func SingleVariantColumn(name string) Option { return Set("singleVariantColumn", name) }

// EnforceSchema says whether the columns of CSV go by their place, whatever the first line names them (true, the default), or the names of a [Header] must be
// those of the columns (false), as far as a file has one.
func EnforceSchema(on bool) Option { return boolean("enforceSchema", on) }

// Comment is the character at the beginning of CSV lines that are passed over; none by default.
func Comment(char string) Option { return Set("comment", char) }

// EmptyValue is the text that stands for the empty text in CSV; by default nothing between quotes.
func EmptyValue(text string) Option { return Set("emptyValue", text) }

// NaNValue is a further word for NaN in CSV; NaN by default.
func NaNValue(text string) Option { return Set("nanValue", text) }

// Infinities are further words for the infinite numbers in CSV; Inf and -Inf by default.
func Infinities(positive, negative string) []Option {
	return []Option{Set("positiveInf", positive), Set("negativeInf", negative)}
}

// MaxColumns bounds the values of a CSV line; 20480 by default.
func MaxColumns(n int64) Option { return number("maxColumns", n, 1) }

// MaxCharsPerColumn bounds the length of a CSV value, -1 for no bound, which is the default.
func MaxCharsPerColumn(n int64) Option { return number("maxCharsPerColumn", n, -1) }

// MaxStringLen bounds the characters (UTF-16) of a text in JSON, 20,000,000 by default; a longer one makes its record malformed, and so a record of nulls where the mode does not say otherwise.
func MaxStringLen(n int64) Option { return number("maxStringLen", n, 1) }

// IgnoreWhiteSpace says whether blanks before and behind CSV values are left out; by default they stay in reading and go in writing.
func IgnoreWhiteSpace(before, behind bool) []Option {
	return []Option{boolean("ignoreLeadingWhiteSpace", before), boolean("ignoreTrailingWhiteSpace", behind)}
}

// QuoteAll writes every CSV value in quotes; by default only where it must be.
func QuoteAll() Option { return boolean("quoteAll", true) }

// EscapeQuotes says whether CSV values that hold a quote are written in quotes; true by default.
func EscapeQuotes(on bool) Option { return boolean("escapeQuotes", on) }

// CharToEscapeQuoteEscaping is the character before an escape that stands before a quote in CSV.
func CharToEscapeQuoteEscaping(char string) Option { return Set("charToEscapeQuoteEscaping", char) }

// UnescapedQuotes says what a quote does in the middle of a CSV value in quotes.
type UnescapedQuotes string

// The ways of [UnescapedQuoteHandling]. The local engine has StopAtDelimiter, SkipValue and RaiseError.
const (
	// StopAtDelimiter takes what stands up to the next separator, quotes included; the default.
	StopAtDelimiter UnescapedQuotes = "STOP_AT_DELIMITER"
	// StopAtClosingQuote goes on to the quote that ends the value.
	StopAtClosingQuote UnescapedQuotes = "STOP_AT_CLOSING_QUOTE"
	// BackToDelimiter reads the value anew as one without quotes.
	BackToDelimiter UnescapedQuotes = "BACK_TO_DELIMITER"
	// SkipValue makes the value null.
	SkipValue UnescapedQuotes = "SKIP_VALUE"
	// RaiseError fails.
	RaiseError UnescapedQuotes = "RAISE_ERROR"
)

// UnescapedQuoteHandling says what a quote does in the middle of a CSV value in quotes.
func UnescapedQuoteHandling(way UnescapedQuotes) Option {
	return Set("unescapedQuoteHandling", string(way))
}

// PreferDate says whether CSV texts that are dates are taken for DATE and not TIMESTAMP, where types are inferred; true by default.
func PreferDate(on bool) Option { return boolean("preferDate", on) }

// ColumnPruning says whether only the columns that a query needs are read from CSV, so that others are not looked at for mistakes; true by default. False is for Spark only.
func ColumnPruning(on bool) Option { return boolean("columnPruning", on) }

// FileExtension is what names of CSV files that are written end in, three letters; csv by default.
func FileExtension(letters string) Option { return Set("extension", letters) }

// PrimitivesAsString takes numbers and truth values of JSON for STRING, where columns are inferred.
func PrimitivesAsString() Option { return boolean("primitivesAsString", true) }

// PrefersDecimal takes fractions of JSON for DECIMAL where they fit, where columns are inferred.
func PrefersDecimal() Option { return boolean("prefersDecimal", true) }

// InferTimestamp takes texts of JSON that are time stamps for TIMESTAMP, where columns are inferred.
func InferTimestamp() Option { return boolean("inferTimestamp", true) }

// DropFieldIfAllNull leaves out fields of JSON that are never anything but null, where columns are inferred.
func DropFieldIfAllNull() Option { return boolean("dropFieldIfAllNull", true) }

// AllowComments reads JSON with comments of Java and C++.
func AllowComments() Option { return boolean("allowComments", true) }

// AllowUnquotedFieldNames reads JSON whose names have no quotes.
func AllowUnquotedFieldNames() Option { return boolean("allowUnquotedFieldNames", true) }

// AllowSingleQuotes says whether JSON in single quotes is read; true by default.
func AllowSingleQuotes(on bool) Option { return boolean("allowSingleQuotes", on) }

// AllowNumericLeadingZeros reads JSON numbers such as 007.
func AllowNumericLeadingZeros() Option { return boolean("allowNumericLeadingZeros", true) }

// AllowNonNumericNumbers says whether NaN, Infinity and their like are JSON numbers; true by default.
func AllowNonNumericNumbers(on bool) Option { return boolean("allowNonNumericNumbers", on) }

// AllowBackslashEscapingAnyCharacter lets a backslash stand before every character of a JSON text.
func AllowBackslashEscapingAnyCharacter() Option {
	return boolean("allowBackslashEscapingAnyCharacter", true)
}

// AllowUnquotedControlChars reads JSON texts with control characters in them, such as tabs.
func AllowUnquotedControlChars() Option { return boolean("allowUnquotedControlChars", true) }

// IgnoreNullFields says whether null fields are left out of JSON that is written; true by default.
func IgnoreNullFields(on bool) Option { return boolean("ignoreNullFields", on) }

// SortKeys writes the keys of maps in JSON in order. On Spark only.
func SortKeys() Option { return boolean("sortKeys", true) }

// Pretty writes JSON over several lines. On Spark only.
func Pretty() Option { return boolean("pretty", true) }

// NonASCIIAsCodePoint writes characters beyond ASCII in JSON as \uXXXX. On Spark only.
func NonASCIIAsCodePoint() Option { return boolean("writeNonAsciiCharacterAsCodePoint", true) }
