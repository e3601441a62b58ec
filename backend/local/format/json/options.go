// Package json reads and writes JSON as Spark does: records become Arrow arrays of a given schema without a stop between, with the
// coercions, partial results and modes of Spark's JacksonParser, and rows become the text of its JacksonGenerator.
//
// Spark reads JSON in two ways whose answers differ in places. A file is read as bytes: what is no text keeps its own spelling in
// a STRING field ({"a":1.50} gives 1.50), a record may be an array of objects and gives a row for each. from_json reads
// characters: such values are written anew (1.5), broken UTF-8 is replaced, and an array is no record. [Decoder] does the first,
// [ColumnDecoder] the second, which is also the way of a Kafka message with a codec.
package json

import (
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/spoonbill-go/spoonbill/backend/local/format"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/internal/timetext"
	"github.com/spoonbill-go/spoonbill/internal/zoneid"
)

// Options are Spark's JSON options, parsed. Make them with [ParseOptions].
type Options struct {
	// Mode is the mode for malformed records (mode).
	Mode format.Mode
	// CorruptColumn takes the text of malformed records where the schema has it (columnNameOfCorruptRecord).
	CorruptColumn string
	// Zone is the zone of time stamps without one (timeZone, else the session's); nil is UTC.
	Zone *time.Location
	// Timestamp, TimestampNTZ and Date are patterns (timestampFormat, timestampNTZFormat, dateFormat); nil for the defaults.
	Timestamp, TimestampNTZ, Date *timetext.Pattern
	// Encoded is set where the encoding is given (encoding), even as UTF-8: Spark then reads a file as characters.
	Encoded bool
	// Wide is set where Spark has found by itself that a file is UTF-16 or UTF-32: what is no text is then no value of a STRING field, for Spark looks for its spelling
	// at a place that it does not know.
	Wide bool
	// NonNumeric accepts NaN and the infinities, as words and between quotes (allowNonNumericNumbers).
	NonNumeric bool
	// SingleQuotes, UnquotedNames, LeadingZeros, AnyEscape, ControlChars and Comments widen the grammar (allowSingleQuotes,
	// allowUnquotedFieldNames, allowNumericLeadingZeros, allowBackslashEscapingAnyCharacter, allowUnquotedControlChars, allowComments).
	SingleQuotes, UnquotedNames, LeadingZeros, AnyEscape, ControlChars, Comments bool
	// MaxStringLen is how many characters (UTF-16) a text may have that is read (maxStringLen); a longer one makes its record malformed. 0 is Jackson's default, 20,000,000.
	MaxStringLen int
	// IgnoreNullFields leaves null fields of structs out when writing (ignoreNullFields).
	IgnoreNullFields bool
	// Malformed, which may be nil, counts the records that could not be read whole.
	Malformed *atomic.Int64
	// Now gives the present, for time stamps that are a time of day alone; nil is time.Now.
	Now func() time.Time
}

// ParseOptions reads Spark's options; zone is the session's. Options that concern files or inference only are passed over.
func ParseOptions(o tree.Options, zone *time.Location) (Options, error) {
	out := Options{CorruptColumn: format.DefaultCorruptColumn, Zone: zone, NonNumeric: true, SingleQuotes: true, IgnoreNullFields: true}
	if err := format.SparkOnly(o, map[string]string{
		"timeFormat": "", "enableDateTimeParsingFallback": "", "sortKeys": "false", "pretty": "false", "writeNonAsciiCharacterAsCodePoint": "false", "singleVariantColumn": "",
		"maxNestingDepth": strconv.Itoa(maxDepth), "maxNumLen": strconv.Itoa(maxNumber),
	}); err != nil {
		return out, err
	}
	if v, ok := o.Get("mode"); ok {
		out.Mode = format.ParseMode(v)
	}
	if v, ok := o.Get("columnNameOfCorruptRecord"); ok {
		out.CorruptColumn = v
	}
	if v, ok := o.Get("timeZone"); ok {
		loc, err := Location(v)
		if err != nil {
			return out, err
		}
		out.Zone = loc
	}
	for key, into := range map[string]**timetext.Pattern{"timestampFormat": &out.Timestamp, "timestampNTZFormat": &out.TimestampNTZ, "dateFormat": &out.Date} {
		if v, ok := o.Get(key); ok {
			p, err := timetext.Compile(v)
			if err != nil {
				return out, optionError(key, "%v", err)
			}
			*into = p
		}
	}
	for key, into := range map[string]*bool{
		"allowNonNumericNumbers": &out.NonNumeric, "allowSingleQuotes": &out.SingleQuotes, "allowUnquotedFieldNames": &out.UnquotedNames,
		"allowNumericLeadingZeros": &out.LeadingZeros, "allowBackslashEscapingAnyCharacter": &out.AnyEscape,
		"allowUnquotedControlChars": &out.ControlChars, "allowComments": &out.Comments, "ignoreNullFields": &out.IgnoreNullFields,
	} {
		if v, ok := o.Get(key); ok {
			b, err := strconv.ParseBool(v)
			if err != nil {
				return out, optionError(key, "%q is neither true nor false", v)
			}
			*into = b
		}
	}
	if v, ok := o.Get("locale"); ok && v != "en-US" {
		return out, optionError("locale", "the local engine reads and writes en-US alone, not %q", v)
	}
	for _, key := range []string{"encoding", "charset"} {
		if _, ok := o.Get(key); ok {
			out.Encoded = true
		}
	}
	if v, ok := o.Get("maxStringLen"); ok {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 {
			return out, optionError("maxStringLen", "%q is no number of characters above 0", v)
		}
		out.MaxStringLen = n
	}
	return out, nil
}

// longest is how many characters a text may have.
func (o *Options) longest() int {
	if o.MaxStringLen > 0 {
		return o.MaxStringLen
	}
	return maxText
}

// Location gives the time zone that an option or the session names in Spark's way.
func Location(id string) (*time.Location, error) {
	loc, ok := zoneid.Parse(id)
	if !ok {
		return nil, optionError("timeZone", "%q is no time zone: give a region such as Europe/Berlin or an offset such as +02:00", id)
	}
	return loc, nil
}

func optionError(key, format string, args ...any) error {
	e := condition.Newf(condition.InvalidOption, "The option %s: %s.", key, fmt.Sprintf(format, args...))
	return e
}
