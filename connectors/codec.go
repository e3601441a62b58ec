package connectors

import (
	"reflect"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/rowtype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Codec turns the payload of a message into columns, and columns into a payload.
type Codec struct {
	format string
	fields []datatype.Field
	opts   []Option
	err    error
}

// jsonOptions are those of Spark's from_json and to_json.
var jsonOptions = map[string]spec{
	"mode":                               both(oneOf("PERMISSIVE", "FAILFAST")),
	"columnNameOfCorruptRecord":          both(anything),
	"timestampFormat":                    both(anything),
	"timestampNTZFormat":                 both(anything),
	"dateFormat":                         both(anything),
	"timeZone":                           both(anything),
	"primitivesAsString":                 both(truth),
	"prefersDecimal":                     both(truth),
	"allowComments":                      both(truth),
	"allowUnquotedFieldNames":            both(truth),
	"allowSingleQuotes":                  both(truth),
	"allowNumericLeadingZeros":           both(truth),
	"allowNonNumericNumbers":             both(truth),
	"allowBackslashEscapingAnyCharacter": both(truth),
	"allowUnquotedControlChars":          both(truth),
	"ignoreNullFields":                   both(truth),
	"dropFieldIfAllNull":                 both(truth),
	"locale":                             both(anything),
	"timeFormat":                         both(anything),
	"enableDateTimeParsingFallback":      both(truth),
	"maxStringLen":                       src(whole(1)),
	"sortKeys":                           snk(truth),
	"pretty":                             snk(truth),
	"writeNonAsciiCharacterAsCodePoint":  snk(truth),
}

// JSON is a JSON codec whose columns are the fields of T, as rowtype.Of gives them. A field that a message lacks is null, so every column is
// nullable when it is read; in writing a null is left out of the message, which a Go program reads as the field's zero. A message that is no JSON is null in every column (mode PERMISSIVE, the default; its text goes into the column
// that [CorruptRecord] names) or ends the query (FAILFAST).
func JSON[T any](opts ...Option) Codec {
	fields, err := rowtype.Fields(reflect.TypeFor[T]())
	for i, f := range fields {
		// That a Go type has no null says nothing of the messages.
		fields[i] = datatype.Field{Name: f.Name, Type: datatype.AsNullable(f.Type), Nullable: true}
	}
	return Codec{format: "json", fields: fields, opts: opts, err: err}
}

// JSONOf is [JSON] with the columns as DDL: "id BIGINT, at TIMESTAMP". A column that is written into a field that is NOT NULL must be one that is never null.
func JSONOf(ddl string, opts ...Option) Codec {
	fields, err := datatype.ParseFields(ddl)
	return Codec{format: "json", fields: fields, opts: opts, err: wrapDDL(err)}
}

func wrapDDL(err error) error {
	if err == nil {
		return nil
	}
	return condition.Newf("INVALID_SCHEMA.PARSE_ERROR", "%v.", err)
}

// Mode sets what happens with a record that cannot be read: PERMISSIVE (null columns), FAILFAST (the query fails), and for files DROPMALFORMED
// (the record is left out).
func Mode(mode string) Option { return Set("mode", mode) }

// CorruptRecord adds a text column that keeps a record which could not be read, in mode PERMISSIVE; it is null for all others.
func CorruptRecord(column string) Option { return Set("columnNameOfCorruptRecord", column) }

// tree gives the codec as data; corrupt is set where a corrupt record column was named and is added to the fields.
func (c Codec) tree(column, envelope, at string) (*tree.Codec, error) {
	if c.format == "" {
		return nil, nil
	}
	if c.err != nil {
		return nil, c.err
	}
	opts, err := build("json", at, jsonOptions, nil, c.opts)
	if err != nil {
		return nil, err
	}
	fields := withCorrupt(c.fields, opts)
	if err := distinct(fields); err != nil {
		return nil, err
	}
	if at == "source" {
		for _, f := range fields {
			if datatype.FoldName(f.Name) == datatype.FoldName(envelope) {
				e := invalid("The payload has a field %s, which is the name of the column with the message's own fields.", datatype.QuoteName(f.Name))
				e.Hint = "Name that column otherwise with connectors.Envelope."
				return nil, e
			}
		}
	}
	return &tree.Codec{Format: c.format, Column: column, Fields: fields, Options: opts, Envelope: envelope}, nil
}

// distinct refuses fields of one name: Spark finds columns without regard to letter case.
func distinct(fields []datatype.Field) error {
	seen := map[string]string{}
	for _, f := range fields {
		k := datatype.FoldName(f.Name)
		if first, ok := seen[k]; ok {
			e := condition.Newf(condition.ColumnAlreadyExists, "Two columns are named alike: %s and %s.", datatype.QuoteName(first), datatype.QuoteName(f.Name))
			e.Hint = "Leave one out or name it otherwise; the case of letters does not tell names apart."
			return e
		}
		seen[k] = f.Name
	}
	return nil
}

// withCorrupt adds the corrupt record column where the options name one that is not among the fields.
func withCorrupt(fields []datatype.Field, opts tree.Options) []datatype.Field {
	name, ok := opts.Get("columnNameOfCorruptRecord")
	if !ok {
		return fields
	}
	for _, f := range fields {
		if datatype.FoldName(f.Name) == datatype.FoldName(name) {
			return fields
		}
	}
	return append(fields[:len(fields):len(fields)], datatype.Field{Name: name, Type: datatype.String, Nullable: true})
}
