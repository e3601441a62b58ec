// Package datatype holds Spark's data types: immutable values with their parameters and the nullability of
// what they contain.
//
// A type prints as Spark's DDL ([Type.String]) and is read back from it ([Parse]). Types carry no behaviour of
// functions: which function takes which type is the business of the catalogue (expr/catalog).
//
// Source: Spark's SQL reference, "Data Types".
package datatype

import (
	"fmt"
	"strconv"
	"strings"
)

// Kind is the constructor of a type, without its parameters.
type Kind uint8

// The kinds, in the order in which Spark's reference lists them. KindInvalid is the kind of no type: it marks
// an expression whose type could not be found, so that one mistake gives one message.
const (
	KindInvalid Kind = iota
	KindNull
	KindBoolean
	KindByte
	KindShort
	KindInt
	KindLong
	KindFloat
	KindDouble
	KindDecimal
	KindString
	KindChar
	KindVarchar
	KindBinary
	KindDate
	KindTime
	KindTimestamp
	KindTimestampNTZ
	KindYearMonth
	KindDayTime
	KindCalendarInterval
	KindArray
	KindMap
	KindStruct
	KindVariant
)

// Type is one of Spark's data types. The set is closed: the types of this package are the only ones.
type Type interface {
	// Kind tells the constructor.
	Kind() Kind
	// String gives Spark's DDL text of the type, such as DECIMAL(12,2) or ARRAY<INT>. Spark's DDL has no place for
	// the nullability of elements and map values, so it is not in the text; [Equal] does look at it.
	String() string
	isType()
}

// Basic is a type without parameters. Its zero value is [Invalid].
type Basic Kind

// The types without parameters. Widths and units: Byte, Short, Int and Long are 8, 16, 32 and 64 bits signed;
// Date counts days from 1970-01-01; Timestamp (an instant, shown in the session's time zone) and TimestampNTZ (a
// wall clock without zone) count microseconds from 1970-01-01 00:00:00; String is UTF-8 under the UTF8_BINARY
// collation; CalendarInterval is months, days and microseconds and is no column type of a table.
const (
	Invalid          = Basic(KindInvalid)
	Null             = Basic(KindNull)
	Boolean          = Basic(KindBoolean)
	Byte             = Basic(KindByte)
	Short            = Basic(KindShort)
	Int              = Basic(KindInt)
	Long             = Basic(KindLong)
	Float            = Basic(KindFloat)
	Double           = Basic(KindDouble)
	String           = Basic(KindString)
	Binary           = Basic(KindBinary)
	Date             = Basic(KindDate)
	Timestamp        = Basic(KindTimestamp)
	TimestampNTZ     = Basic(KindTimestampNTZ)
	CalendarInterval = Basic(KindCalendarInterval)
	Variant          = Basic(KindVariant)
)

// The bounds of decimals. MaxPrecision is Spark's 38 digits; the System default is what `DECIMAL` alone means.
const (
	MaxPrecision     = 38
	DefaultPrecision = 10
)

// Decimal is a number of Precision digits in all, Scale of them behind the point; 0 ≤ Scale ≤ Precision ≤ 38.
type Decimal struct{ Precision, Scale int }

// Char is a text of exactly Length code points, padded with blanks.
type Char struct{ Length int }

// Varchar is a text of at most Length code points.
type Varchar struct{ Length int }

// Time is a time of day with Precision digits of fractional seconds, 0 to 6. Spark Connect 4.x cannot carry it in
// results (UNSUPPORTED_TIME_TYPE).
type Time struct{ Precision int }

// YearMonthField is a bound of a year–month interval.
type YearMonthField uint8

// The fields of a year–month interval.
const (
	Year YearMonthField = iota
	Month
)

// YearMonth is a signed count of months, shown from Start to End.
type YearMonth struct{ Start, End YearMonthField }

// DayTimeField is a bound of a day–time interval.
type DayTimeField uint8

// The fields of a day–time interval.
const (
	Day DayTimeField = iota
	Hour
	Minute
	Second
)

// DayTime is a signed count of microseconds, shown from Start to End.
type DayTime struct{ Start, End DayTimeField }

// DayToSecond is the day–time interval of a Go duration.
var DayToSecond = DayTime{Day, Second}

// YearToMonth is the year–month interval with both its fields.
var YearToMonth = YearMonth{Year, Month}

// Array is a list of Elem; ContainsNull tells whether an element may be null.
type Array struct {
	Elem         Type
	ContainsNull bool
}

// Map maps Key (never null) to Value; ValueContainsNull tells whether a value may be null.
type Map struct {
	Key, Value        Type
	ValueContainsNull bool
}

// Struct is a row of named fields. Names are matched without regard to case, as Spark does by default, and need not be unique.
type Struct struct{ Fields []Field }

// Field is one field of a struct.
type Field struct {
	// Name may be any text.
	Name string
	// Type is never nil.
	Type Type
	// Nullable tells whether the field may be null.
	Nullable bool
}

// Kind implements [Type].
func (b Basic) Kind() Kind { return Kind(b) }

// Kind implements [Type].
func (Decimal) Kind() Kind { return KindDecimal }

// Kind implements [Type].
func (Char) Kind() Kind { return KindChar }

// Kind implements [Type].
func (Varchar) Kind() Kind { return KindVarchar }

// Kind implements [Type].
func (Time) Kind() Kind { return KindTime }

// Kind implements [Type].
func (YearMonth) Kind() Kind { return KindYearMonth }

// Kind implements [Type].
func (DayTime) Kind() Kind { return KindDayTime }

// Kind implements [Type].
func (Array) Kind() Kind { return KindArray }

// Kind implements [Type].
func (Map) Kind() Kind { return KindMap }

// Kind implements [Type].
func (Struct) Kind() Kind { return KindStruct }

func (Basic) isType()     {}
func (Decimal) isType()   {}
func (Char) isType()      {}
func (Varchar) isType()   {}
func (Time) isType()      {}
func (YearMonth) isType() {}
func (DayTime) isType()   {}
func (Array) isType()     {}
func (Map) isType()       {}
func (Struct) isType()    {}

// basicNames are Spark's DDL names of the types without parameters.
var basicNames = map[Basic]string{
	Invalid: "<unknown>", Null: "VOID", Boolean: "BOOLEAN", Byte: "TINYINT", Short: "SMALLINT", Int: "INT", Long: "BIGINT",
	Float: "FLOAT", Double: "DOUBLE", String: "STRING", Binary: "BINARY", Date: "DATE", Timestamp: "TIMESTAMP",
	TimestampNTZ: "TIMESTAMP_NTZ", CalendarInterval: "INTERVAL", Variant: "VARIANT",
}

// String implements [Type].
func (b Basic) String() string {
	if s, ok := basicNames[b]; ok {
		return s
	}
	return fmt.Sprintf("<kind %d>", uint8(b))
}

// String implements [Type].
func (d Decimal) String() string { return fmt.Sprintf("DECIMAL(%d,%d)", d.Precision, d.Scale) }

// String implements [Type].
func (c Char) String() string { return "CHAR(" + strconv.Itoa(c.Length) + ")" }

// String implements [Type].
func (c Varchar) String() string { return "VARCHAR(" + strconv.Itoa(c.Length) + ")" }

// String implements [Type].
func (t Time) String() string { return "TIME(" + strconv.Itoa(t.Precision) + ")" }

// String implements [Type].
func (t YearMonth) String() string {
	return intervalString(yearMonthNames[:], uint8(t.Start), uint8(t.End))
}

// String implements [Type].
func (t DayTime) String() string {
	return intervalString(dayTimeNames[:], uint8(t.Start), uint8(t.End))
}

var (
	yearMonthNames = [...]string{"YEAR", "MONTH"}
	dayTimeNames   = [...]string{"DAY", "HOUR", "MINUTE", "SECOND"}
)

func intervalString(names []string, start, end uint8) string {
	if int(start) >= len(names) || int(end) >= len(names) {
		return "INTERVAL <invalid>"
	}
	if start == end {
		return "INTERVAL " + names[start]
	}
	return "INTERVAL " + names[start] + " TO " + names[end]
}

// String implements [Type].
func (t Array) String() string { return "ARRAY<" + t.Elem.String() + ">" }

// String implements [Type].
func (t Map) String() string { return "MAP<" + t.Key.String() + ", " + t.Value.String() + ">" }

// String implements [Type].
func (t Struct) String() string {
	var b strings.Builder
	b.WriteString("STRUCT<")
	for i, f := range t.Fields {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(QuoteName(f.Name))
		b.WriteString(": ")
		b.WriteString(f.Type.String())
		if !f.Nullable {
			b.WriteString(" NOT NULL")
		}
	}
	b.WriteString(">")
	return b.String()
}

// DDL prints fields as a table schema in Spark's DDL: "id BIGINT NOT NULL, name STRING". [ParseFields] reads it back.
func DDL(fields []Field) string {
	var b strings.Builder
	for i, f := range fields {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(QuoteName(f.Name))
		b.WriteString(" ")
		b.WriteString(f.Type.String())
		if !f.Nullable {
			b.WriteString(" NOT NULL")
		}
	}
	return b.String()
}

// QuoteName gives name as an identifier in Spark SQL: as it is where that is safe, else between backticks with every
// backtick doubled.
func QuoteName(name string) string {
	if plainName(name) {
		return name
	}
	return "`" + strings.ReplaceAll(name, "`", "``") + "`"
}

// SplitName splits a name such as db.`my.table` at the points outside of backticks and takes the backticks off: the inverse of [QuoteName] part by part. An empty
// part, and a backtick that is not closed or stands inside a part, is an error.
func SplitName(name string) ([]string, error) {
	var parts []string
	for rest, more := name, true; more; {
		var part string
		if quoted, ok := strings.CutPrefix(rest, "`"); ok {
			end := 0
			for end < len(quoted) && (quoted[end] != '`' || strings.HasPrefix(quoted[end:], "``")) {
				if quoted[end] == '`' {
					end++
				}
				end++
			}
			if end >= len(quoted) {
				return nil, fmt.Errorf("the name %s has a backtick that is not closed", name)
			}
			part, rest = strings.ReplaceAll(quoted[:end], "``", "`"), quoted[end+1:]
			if rest, more = strings.CutPrefix(rest, "."); !more && rest != "" {
				return nil, fmt.Errorf("the name %s goes on behind a closed backtick with %q", name, rest)
			}
		} else {
			part, rest, more = strings.Cut(rest, ".")
			if strings.Contains(part, "`") {
				return nil, fmt.Errorf("the name %s has a backtick inside a part", name)
			}
		}
		if part == "" {
			return nil, fmt.Errorf("the name %q has an empty part", name)
		}
		parts = append(parts, part)
	}
	return parts, nil
}

func plainName(s string) bool {
	if s == "" || isReserved(s) {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_':
		case c >= '0' && c <= '9' && i > 0:
		default:
			return false
		}
	}
	return true
}

// Equal tells whether two types are the same, with their parameters, field names (by letter case too) and nullability.
func Equal(a, b Type) bool { return equal(a, b, true) }

// EqualIgnoringNulls is [Equal] without regard to nullability.
func EqualIgnoringNulls(a, b Type) bool { return equal(a, b, false) }

func equal(a, b Type, nulls bool) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	switch x := a.(type) {
	case Array:
		y, ok := b.(Array)
		return ok && (!nulls || x.ContainsNull == y.ContainsNull) && equal(x.Elem, y.Elem, nulls)
	case Map:
		y, ok := b.(Map)
		return ok && (!nulls || x.ValueContainsNull == y.ValueContainsNull) && equal(x.Key, y.Key, nulls) && equal(x.Value, y.Value, nulls)
	case Struct:
		y, ok := b.(Struct)
		if !ok || len(x.Fields) != len(y.Fields) {
			return false
		}
		for i := range x.Fields {
			f, g := x.Fields[i], y.Fields[i]
			if f.Name != g.Name || nulls && f.Nullable != g.Nullable || !equal(f.Type, g.Type, nulls) {
				return false
			}
		}
		return true
	default:
		if b.Kind() != a.Kind() {
			return false
		}
		return a == b
	}
}

// AsNullable gives the type with every element, map value and field made nullable, as Spark does with the schema of a file source.
func AsNullable(t Type) Type {
	switch x := t.(type) {
	case Array:
		return Array{Elem: AsNullable(x.Elem), ContainsNull: true}
	case Map:
		return Map{Key: AsNullable(x.Key), Value: AsNullable(x.Value), ValueContainsNull: true}
	case Struct:
		fields := make([]Field, len(x.Fields))
		for i, f := range x.Fields {
			fields[i] = Field{f.Name, AsNullable(f.Type), true}
		}
		return Struct{fields}
	default:
		return t
	}
}

// IsNumeric tells whether t is an integer, a decimal or a floating-point type.
func IsNumeric(t Type) bool { k := t.Kind(); return k >= KindByte && k <= KindDecimal }

// IsIntegral tells whether t is one of the four integer types.
func IsIntegral(t Type) bool { k := t.Kind(); return k >= KindByte && k <= KindLong }

// IsFractional tells whether t is FLOAT, DOUBLE or a decimal.
func IsFractional(t Type) bool { k := t.Kind(); return k >= KindFloat && k <= KindDecimal }

// IsFloat tells whether t is FLOAT or DOUBLE.
func IsFloat(t Type) bool { k := t.Kind(); return k == KindFloat || k == KindDouble }

// IsString tells whether t is STRING, CHAR or VARCHAR.
func IsString(t Type) bool { k := t.Kind(); return k >= KindString && k <= KindVarchar }

// IsInterval tells whether t is a year–month, a day–time or a calendar interval.
func IsInterval(t Type) bool { k := t.Kind(); return k >= KindYearMonth && k <= KindCalendarInterval }

// IsDatetime tells whether t is a date, a time stamp with or without zone.
func IsDatetime(t Type) bool {
	k := t.Kind()
	return k == KindDate || k == KindTimestamp || k == KindTimestampNTZ
}

// IsOrderable tells whether values of t can be compared by less-than and sorted: all but maps, variants and calendar intervals.
func IsOrderable(t Type) bool {
	switch x := t.(type) {
	case Array:
		return IsOrderable(x.Elem)
	case Struct:
		for _, f := range x.Fields {
			if !IsOrderable(f.Type) {
				return false
			}
		}
		return true
	default:
		k := t.Kind()
		return k != KindInvalid && k != KindMap && k != KindVariant && k != KindCalendarInterval
	}
}

// DecimalOf gives the decimal that holds every value of an integer type, as Spark's DecimalType.forType: 3, 5, 10 and 20
// digits; it is the decimal itself for a decimal, and (14,7) and (30,15) for FLOAT and DOUBLE.
func DecimalOf(t Type) (Decimal, bool) {
	switch t.Kind() {
	case KindByte:
		return Decimal{3, 0}, true
	case KindShort:
		return Decimal{5, 0}, true
	case KindInt:
		return Decimal{10, 0}, true
	case KindLong:
		return Decimal{20, 0}, true
	case KindFloat:
		return Decimal{14, 7}, true
	case KindDouble:
		return Decimal{30, 15}, true
	case KindDecimal:
		return t.(Decimal), true
	}
	return Decimal{}, false
}

// BoundedDecimal gives Decimal(min(p,38), min(s,38)), as Spark's DecimalType.bounded.
func BoundedDecimal(p, s int) Decimal { return Decimal{min(p, MaxPrecision), min(s, MaxPrecision)} }

// minAdjustedScale is how many digits behind the point Spark keeps when a result needs more than 38 digits.
const minAdjustedScale = 6

// AdjustedDecimal is the result type of decimal arithmetic that would need p digits, s of them behind the point: where p
// passes 38, digits behind the point are given up first, but not below min(s, 6).
//
// Source: Spark's DecimalType.adjustPrecisionScale, with spark.sql.decimalOperations.allowPrecisionLoss at its default (true).
func AdjustedDecimal(p, s int) Decimal {
	if p <= MaxPrecision {
		return Decimal{p, s}
	}
	digits := p - s
	scale := max(MaxPrecision-digits, min(s, minAdjustedScale))
	return Decimal{MaxPrecision, scale}
}
