// Package csv reads and writes CSV as Spark does: the dialect, the modes and the conversions of Spark's UnivocityParser and
// UnivocityGenerator.
package csv

import (
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/spoonbill-go/spoonbill/backend/local/format"
	"github.com/spoonbill-go/spoonbill/backend/local/format/json"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/internal/timetext"
)

// Options are Spark's CSV options, parsed. Make them with [ParseOptions].
type Options struct {
	// Sep is what stands between fields (sep, delimiter).
	Sep string
	// Quote, Escape and EscapeEscape are the characters of quoting; 0 for none (quote, escape, charToEscapeQuoteEscaping).
	Quote, Escape, EscapeEscape byte
	// Comment begins a line that is passed over; 0 for none (comment).
	Comment byte
	// Header says that the first line of a file has the names (header); EnforceSchema that they do not matter (enforceSchema).
	Header, EnforceSchema bool
	// TrimLeft and TrimRight drop blanks around values without quotes (ignoreLeadingWhiteSpace, ignoreTrailingWhiteSpace): off for
	// reading and on for writing, unless the user says.
	TrimLeft, TrimRight, WriteTrimLeft, WriteTrimRight bool
	// Null is the text of null (nullValue); Empty and WriteEmpty are what quotes around nothing mean and are (emptyValue).
	Null, Empty, WriteEmpty string
	// NaN, PositiveInf and NegativeInf are further words for those values when reading (nanValue, positiveInf, negativeInf).
	NaN, PositiveInf, NegativeInf string
	// Mode, CorruptColumn, Zone and the patterns are as in JSON.
	Mode                          format.Mode
	CorruptColumn                 string
	Zone                          *time.Location
	Timestamp, TimestampNTZ, Date *timetext.Pattern
	// MaxColumns bounds the fields of a line, MaxChars the length of a field in bytes, -1 for no bound (maxColumns, maxCharsPerColumn).
	MaxColumns, MaxChars int
	// Unescaped says what a quote in the middle of a quoted field does (unescapedQuoteHandling).
	Unescaped Unescaped
	// QuoteAll quotes every value when writing; EscapeQuotes quotes those with a quote in them (quoteAll, escapeQuotes).
	QuoteAll, EscapeQuotes bool
	// LineSep ends a line when writing (lineSep); ReadSep when reading, "" for any of \n, \r\n and \r.
	LineSep, ReadSep string
	// MultiLine lets a record go over several lines (multiLine).
	MultiLine bool
	// ends are what ends a line of a file that is read in pieces, and what stands for it; 0 where it is to be found.
	ends [3]byte
	// Malformed, which may be nil, counts the records that could not be read whole.
	Malformed *atomic.Int64
	// Now gives the present, for time stamps that are a time of day alone; nil is time.Now.
	Now func() time.Time
}

// Unescaped is how a quote is treated that stands neither at the end of a quoted field nor behind an escape.
type Unescaped uint8

// The ways, of Spark's five.
const (
	// StopAtDelimiter takes the field as it is written, quotes included, up to the next separator.
	StopAtDelimiter Unescaped = iota
	// SkipValue makes the field null.
	SkipValue
	// RaiseError ends the query.
	RaiseError
)

// ParseOptions reads Spark's options; zone is the session's. Options that concern files or inference only are passed over.
func ParseOptions(o tree.Options, zone *time.Location) (Options, error) {
	out := Options{
		Sep: ",", Quote: '"', Escape: '\\', EnforceSchema: true, WriteTrimLeft: true, WriteTrimRight: true, WriteEmpty: `""`,
		NaN: "NaN", PositiveInf: "Inf", NegativeInf: "-Inf", CorruptColumn: format.DefaultCorruptColumn, Zone: zone,
		MaxColumns: 20_480, MaxChars: -1, EscapeQuotes: true, LineSep: "\n",
	}
	err := format.SparkOnly(o, map[string]string{"timeFormat": "", "enableDateTimeParsingFallback": "", "columnPruning": "true", "singleVariantColumn": ""})
	if err != nil {
		return out, err
	}
	for _, key := range []string{"delimiter", "sep"} {
		if v, ok := o.Get(key); ok {
			if out.Sep, err = separator(v); err != nil {
				return out, optionError(key, "%v", err)
			}
		}
	}
	char := func(key string, into *byte, off string) {
		v, ok := o.Get(key)
		if !ok || err != nil {
			return
		}
		switch {
		case v == "":
			*into = 0
			if off != "" {
				*into = off[0]
			}
		case len(v) == 1:
			*into = v[0]
		default:
			err = optionError(key, "%q is not one ASCII character", v)
		}
	}
	char("quote", &out.Quote, "")
	char("escape", &out.Escape, "")
	char("comment", &out.Comment, "")
	// Spark's default for it is the escape character itself, unless that is the quote.
	if out.EscapeEscape = out.Escape; out.Escape == out.Quote {
		out.EscapeEscape = 0
	}
	char("charToEscapeQuoteEscaping", &out.EscapeEscape, "")
	if err != nil {
		return out, err
	}
	for key, into := range map[string]*string{
		"nullValue": &out.Null, "nanValue": &out.NaN, "positiveInf": &out.PositiveInf, "negativeInf": &out.NegativeInf,
		"columnNameOfCorruptRecord": &out.CorruptColumn, "lineSep": &out.LineSep,
	} {
		if v, ok := o.Get(key); ok {
			*into = v
		}
	}
	if v, ok := o.Get("emptyValue"); ok {
		out.Empty, out.WriteEmpty = v, v
	}
	for key, into := range map[string][]*bool{
		"header": {&out.Header}, "multiLine": {&out.MultiLine}, "enforceSchema": {&out.EnforceSchema}, "quoteAll": {&out.QuoteAll}, "escapeQuotes": {&out.EscapeQuotes},
		"ignoreLeadingWhiteSpace": {&out.TrimLeft, &out.WriteTrimLeft}, "ignoreTrailingWhiteSpace": {&out.TrimRight, &out.WriteTrimRight},
	} {
		if v, ok := o.Get(key); ok {
			b, err := strconv.ParseBool(strings.ToLower(v))
			if err != nil {
				return out, optionError(key, "%q is neither true nor false", v)
			}
			for _, p := range into {
				*p = b
			}
		}
	}
	for key, into := range map[string]*int{"maxColumns": &out.MaxColumns, "maxCharsPerColumn": &out.MaxChars} {
		if v, ok := o.Get(key); ok {
			n, err := strconv.Atoi(v)
			if err != nil || n < -1 || n == 0 || n < 1 && key == "maxColumns" {
				return out, optionError(key, "%q is no count", v)
			}
			*into = n
		}
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
	if v, ok := o.Get("mode"); ok {
		out.Mode = format.ParseMode(v)
	}
	if v, ok := o.Get("timeZone"); ok {
		if out.Zone, err = json.Location(v); err != nil {
			return out, err
		}
	}
	if v, ok := o.Get("unescapedQuoteHandling"); ok {
		switch strings.ToUpper(v) {
		case "STOP_AT_DELIMITER":
		case "SKIP_VALUE":
			out.Unescaped = SkipValue
		case "RAISE_ERROR":
			out.Unescaped = RaiseError
		default:
			return out, optionError("unescapedQuoteHandling", "the local engine knows STOP_AT_DELIMITER, SKIP_VALUE and RAISE_ERROR, not %q", v)
		}
	}
	for key, only := range map[string]string{"locale": "en-US"} {
		if v, ok := o.Get(key); ok && !strings.EqualFold(v, only) {
			return out, optionError(key, "the local engine reads and writes %s alone, not %q", only, v)
		}
	}
	return out, nil
}

// separator reads the option sep, in which Spark knows \t, \\ and \uXXXX.
func separator(v string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(v); i++ {
		if v[i] != '\\' {
			b.WriteByte(v[i])
			continue
		}
		if i++; i == len(v) {
			return "", fmt.Errorf("a single backslash is no separator: write \\\\")
		}
		switch v[i] {
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case '"', '\'', '\\':
			b.WriteByte(v[i])
		case 'u':
			n, err := strconv.ParseUint(v[i+1:min(i+5, len(v))], 16, 16)
			if err != nil || i+4 >= len(v) {
				return "", fmt.Errorf("%q has no four hexadecimal digits behind \\u", v)
			}
			b.WriteRune(rune(n))
			i += 4
		default:
			return "", fmt.Errorf("%q has an escape that Spark does not know", v)
		}
	}
	if b.Len() == 0 {
		return "", fmt.Errorf("it is empty")
	}
	if s := b.String(); strings.ContainsAny(s, "\r\n") || !utf8.ValidString(s) {
		return "", fmt.Errorf("%q ends a line, so it cannot stand between fields", v)
	}
	return b.String(), nil
}

func optionError(key, f string, args ...any) error {
	return condition.Newf(condition.InvalidOption, "The option %s: %s.", key, fmt.Sprintf(f, args...))
}
