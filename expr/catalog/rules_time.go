package catalog

import (
	"strings"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// temporalRules are the result rules of dates, times and intervals.
var temporalRules = map[string]rule{
	"datepart":         datePartType,
	"datetext":         dateTextType,
	"timestampadd":     timestampAddType,
	"timestampdiff":    timestampDiffType,
	"bucket":           bucketType,
	"ofdate":           exactly(datatype.Date, datatype.Int),
	"oftimestamp":      exactly(datatype.Timestamp, datatype.Long),
	"maketimestamp":    madeTimestamp(datatype.Timestamp),
	"maketimestampntz": madeTimestamp(datatype.TimestampNTZ),
	"converttimezone":  convertTimezoneType,
	"todate":           readType(datatype.Date),
	"trytodate":        tryReadType(datatype.Date),
	"trytotimestamp":   tryReadType(datatype.Timestamp),
	"totimestamp":      readType(datatype.Timestamp),
	"totimestampntz":   readType(datatype.TimestampNTZ),
	"intervals":        intervalsType,
	"scaled":           scaledType,
	"sameinterval":     sameIntervalType,
	"ymresult":         madeInterval(datatype.YearToMonth, 2),
	"dtresult":         madeInterval(datatype.DayToSecond, 3),
	"calendarresult":   madeInterval(datatype.CalendarInterval, 6),
}

// word gives a literal text in upper case.
func word(a Arg) (string, bool) {
	s, ok := a.Literal.(string)
	return strings.ToUpper(s), ok && a.IsLiteral
}

// partNames are the words for the parts of a date, a time or an interval. Source: Spark's DatePart and ExtractIntervalPart.
var partNames = map[string]string{
	"YEAR": "YEAR", "Y": "YEAR", "YEARS": "YEAR", "YR": "YEAR", "YRS": "YEAR", "YEAROFWEEK": "YEAROFWEEK",
	"QUARTER": "QUARTER", "QTR": "QUARTER", "MONTH": "MONTH", "MON": "MONTH", "MONS": "MONTH", "MONTHS": "MONTH",
	"WEEK": "WEEK", "W": "WEEK", "WEEKS": "WEEK", "DAY": "DAY", "D": "DAY", "DAYS": "DAY",
	"DAYOFWEEK": "DAYOFWEEK", "DOW": "DAYOFWEEK", "DAYOFWEEK_ISO": "DAYOFWEEK_ISO", "DOW_ISO": "DAYOFWEEK_ISO", "DOY": "DOY",
	"HOUR": "HOUR", "H": "HOUR", "HOURS": "HOUR", "HR": "HOUR", "HRS": "HOUR",
	"MINUTE": "MINUTE", "M": "MINUTE", "MIN": "MINUTE", "MINS": "MINUTE", "MINUTES": "MINUTE",
	"SECOND": "SECOND", "S": "SECOND", "SEC": "SECOND", "SECONDS": "SECOND", "SECS": "SECOND",
}

// DatePart gives the full name of a part that DATE_PART takes, in any letter case and by any of its short forms.
func DatePart(name string) (string, bool) {
	p, ok := partNames[strings.ToUpper(name)]
	return p, ok
}

// intervalPart tells the type of a part of an interval, nil where the interval has no such field.
func intervalPart(part string, t datatype.Type) datatype.Type {
	switch x := t.(type) {
	case datatype.YearMonth:
		switch {
		case part == "YEAR" && x.Start == datatype.Year:
			return datatype.Int
		case part == "MONTH" && x.End == datatype.Month:
			return datatype.Byte
		}
	case datatype.DayTime:
		f, ok := map[string]datatype.DayTimeField{"DAY": datatype.Day, "HOUR": datatype.Hour, "MINUTE": datatype.Minute, "SECOND": datatype.Second}[part]
		switch {
		case !ok || f < x.Start || f > x.End:
		case f == datatype.Day:
			return datatype.Int
		case f == datatype.Second:
			return datatype.Decimal{Precision: 8, Scale: 6}
		default:
			return datatype.Byte
		}
	}
	return nil
}

func datePartType(args []Arg, t *Typing) *condition.Error {
	source := args[1].Type
	if !args[0].IsLiteral {
		return condition.Newf("NON_FOLDABLE_ARGUMENT", "the field must be a literal text.")
	}
	if args[0].Literal == nil {
		t.Result, t.Nullable = datatype.Double, true
		return nil
	}
	field, _ := args[0].Literal.(string)
	part, ok := DatePart(field)
	bad := func() *condition.Error {
		e := condition.Newf("INVALID_EXTRACT_FIELD", "%q is no part of %s.", field, source)
		e.Hint = "A date or time stamp has YEAR, YEAROFWEEK, QUARTER, MONTH, WEEK, DAY, DAYOFWEEK, DAYOFWEEK_ISO, DOY, HOUR, MINUTE and SECOND; an interval the fields of its type."
		return e
	}
	switch {
	case source.Kind() == datatype.KindYearMonth || source.Kind() == datatype.KindDayTime:
		if t.Result = intervalPart(part, source); t.Result == nil {
			return bad()
		}
		return nil
	case source.Kind() == datatype.KindNull:
		t.Args[1] = datatype.Timestamp
	case !datatype.IsDatetime(source):
		e := condition.Newf(condition.DatatypeMismatch, "a part is taken of a date, a time stamp or an interval, not of %s.", source)
		e.Hint = "Cast it to DATE or TIMESTAMP first."
		return e
	}
	if !ok {
		return bad()
	}
	t.Result = datatype.Int
	t.Nullable = datatype.CastMayBeNull(source, datatype.Date)
	switch part {
	case "SECOND":
		t.Result = datatype.Decimal{Precision: 8, Scale: 6}
		fallthrough
	case "HOUR", "MINUTE":
		t.Nullable = false
		if source.Kind() == datatype.KindDate {
			t.Args[1] = datatype.Timestamp
		}
	}
	return nil
}

var timestampUnits = map[string]bool{"YEAR": true, "QUARTER": true, "MONTH": true, "WEEK": true, "DAY": true, "DAYOFYEAR": true, "HOUR": true, "MINUTE": true, "SECOND": true,
	"MILLISECOND": true, "MICROSECOND": true}

func checkUnit(a Arg) *condition.Error {
	u, ok := word(a)
	if ok && timestampUnits[u] {
		return nil
	}
	e := condition.Newf("INVALID_PARAMETER_VALUE.DATETIME_UNIT", "%v is no unit of time.", a.Literal)
	if !a.IsLiteral {
		e = condition.Newf("INVALID_PARAMETER_VALUE.DATETIME_UNIT", "the unit must be a literal text.")
	}
	e.Hint = "Units are YEAR, QUARTER, MONTH, WEEK, DAY, DAYOFYEAR, HOUR, MINUTE, SECOND, MILLISECOND and MICROSECOND."
	return e
}

func timestampAddType(args []Arg, t *Typing) *condition.Error {
	t.Result = datatype.Timestamp
	if args[2].Type.Kind() == datatype.KindTimestampNTZ {
		t.Result = datatype.TimestampNTZ
	}
	t.Args[2] = t.Result
	return checkUnit(args[0])
}

func timestampDiffType(args []Arg, t *Typing) *condition.Error {
	t.Result = datatype.Long
	return checkUnit(args[0])
}

// bucketType types TIME_BUCKET: time stamp and origin are of one type, and a size is a literal above zero.
func bucketType(args []Arg, t *Typing) *condition.Error {
	for _, a := range args[1:] {
		if k := a.Type.Kind(); k != datatype.KindTimestamp && k != datatype.KindTimestampNTZ && k != datatype.KindNull || k != args[1].Type.Kind() && k != datatype.KindNull {
			e := condition.Newf(condition.DatatypeMismatch, "the time and the origin must be of one type, TIMESTAMP or TIMESTAMP_NTZ, not %s.", a.Type)
			e.Hint = "Cast both to the same type."
			return e
		}
	}
	t.Result = args[1].Type
	if t.Result.Kind() == datatype.KindNull {
		t.Result = datatype.Timestamp
		t.Args[1] = t.Result
	}
	switch args[0].Type.Kind() {
	case datatype.KindYearMonth, datatype.KindDayTime, datatype.KindNull:
	default:
		return condition.Newf(condition.DatatypeMismatch, "the size must be an interval of months, or of days to seconds, not %s.", args[0].Type)
	}
	if len(args) > 2 {
		t.Args[2] = t.Result
		if !args[2].IsLiteral {
			return condition.Newf("DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", "the origin must be a literal.")
		}
	}
	n, ok := args[0].Literal.(int64)
	switch {
	case !args[0].IsLiteral:
		return condition.Newf("DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", "the size must be a literal.")
	case ok && n <= 0:
		return condition.Newf("DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", "the size must be above zero.")
	}
	return nil
}

// exactly types a function that takes no implicit cast of its argument.
func exactly(want, result datatype.Type) rule {
	return func(args []Arg, t *Typing) *condition.Error {
		t.Result = result
		if k := args[0].Type.Kind(); k != want.Kind() && k != datatype.KindNull {
			e := condition.Newf("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", "it takes %s, not %s.", want, args[0].Type)
			e.Hint = "Cast it first."
			return e
		}
		return nil
	}
}

// decimalMayFail tells whether Spark's implicit cast of a number to a decimal may give null.
func decimalMayFail(from datatype.Type, to datatype.Decimal) bool {
	return datatype.CastMayBeNull(from, to)
}

func madeTimestamp(result datatype.Type) rule {
	return func(args []Arg, t *Typing) *condition.Error {
		t.Result, t.Nullable = result, decimalMayFail(args[5].Type, datatype.Decimal{Precision: 16, Scale: 6})
		return nil
	}
}

func madeInterval(result datatype.Type, decimalAt int) rule {
	return func(args []Arg, t *Typing) *condition.Error {
		t.Result = result
		if len(args) > decimalAt {
			t.Nullable = decimalMayFail(args[decimalAt].Type, datatype.Decimal{Precision: 18, Scale: 6})
		}
		return nil
	}
}

func convertTimezoneType(args []Arg, t *Typing) *condition.Error {
	t.Result = datatype.TimestampNTZ
	last := len(args) - 1
	if len(args) == 3 && !datatype.IsString(args[1].Type) && args[1].Type.Kind() != datatype.KindNull {
		return condition.Newf(condition.DatatypeMismatch, "the target zone is a text, not %s.", args[1].Type)
	}
	if len(args) == 3 {
		t.Args[1] = datatype.String
	}
	if k := args[last].Type.Kind(); k != datatype.KindNull && !datatype.IsDatetime(args[last].Type) {
		e := condition.Newf(condition.DatatypeMismatch, "the time is a date or a time stamp, not %s.", args[last].Type)
		e.Hint = "With two arguments they are the target zone and the time; with three the source zone is first."
		return e
	}
	t.Args[last] = datatype.TimestampNTZ
	t.Nullable = datatype.CastMayBeNull(args[last].Type, datatype.TimestampNTZ)
	return nil
}

// readType types the readers of texts: without a pattern they are casts, which Spark says may be null where the source is a text.
func readType(result datatype.Type) rule {
	return func(args []Arg, t *Typing) *condition.Error {
		t.Result = result
		t.Nullable = len(args) == 1 && datatype.CastMayBeNull(args[0].Type, result)
		return nil
	}
}

// tryReadType is readType for functions that give null for what they cannot read, in a format or of a text.
func tryReadType(result datatype.Type) rule {
	read := readType(result)
	return func(args []Arg, t *Typing) *condition.Error {
		err := read(args, t)
		t.Nullable = t.Nullable || len(args) > 1 || datatype.IsString(args[0].Type)
		return err
	}
}

// intervalsType is the type of interval ± interval: the fields of both.
func intervalsType(args []Arg, t *Typing) *condition.Error {
	a, b := args[0].Type, args[1].Type
	if a.Kind() == datatype.KindNull {
		a = b
	}
	if b.Kind() == datatype.KindNull {
		b = a
	}
	switch x := a.(type) {
	case datatype.YearMonth:
		if y, ok := b.(datatype.YearMonth); ok {
			t.Result = datatype.YearMonth{Start: min(x.Start, y.Start), End: max(x.End, y.End)}
		}
	case datatype.DayTime:
		if y, ok := b.(datatype.DayTime); ok {
			t.Result = datatype.DayTime{Start: min(x.Start, y.Start), End: max(x.End, y.End)}
		}
	}
	if t.Result == nil {
		e := condition.Newf(condition.DatatypeMismatch, "%s and %s have no sum: months and days do not mix.", a, b)
		e.Hint = "Add each to the date or time stamp on its own."
		return e
	}
	t.Args[0], t.Args[1] = t.Result, t.Result
	return nil
}

func scaledType(args []Arg, t *Typing) *condition.Error {
	if args[1].Type.Kind() == datatype.KindNull {
		t.Args[1] = datatype.Double
	}
	switch args[0].Type.Kind() {
	case datatype.KindYearMonth:
		t.Result = datatype.YearToMonth
	case datatype.KindDayTime:
		t.Result = datatype.DayToSecond
	default:
		return condition.Newf(condition.DatatypeMismatch, "it needs an interval of months, or of days to seconds, not %s.", args[0].Type)
	}
	return nil
}

func sameIntervalType(args []Arg, t *Typing) *condition.Error {
	t.Result = args[0].Type
	if k := t.Result.Kind(); k != datatype.KindYearMonth && k != datatype.KindDayTime {
		return condition.Newf(condition.DatatypeMismatch, "it needs an interval of months, or of days to seconds, not %s.", t.Result)
	}
	return nil
}

// dateTextType types the words for a date, which is cast as by the fields of one.
func dateTextType(args []Arg, t *Typing) *condition.Error {
	err := dateFieldType(args, t)
	t.Result = datatype.String
	return err
}
