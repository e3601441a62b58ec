package catalog

import (
	"math/big"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// rule computes the result type of a call, and may change the types that the arguments are cast to.
type rule func(args []Arg, t *Typing) *condition.Error

// rules are the result rules that signatures name with @.
var rules map[string]rule

func initRules() {
	if rules != nil {
		return
	}
	rules = map[string]rule{
		"add": arith(func(a, b datatype.Decimal) (int, int) {
			s := max(a.Scale, b.Scale)
			return max(a.Precision-a.Scale, b.Precision-b.Scale) + s + 1, s
		}),
		"mul":    arith(func(a, b datatype.Decimal) (int, int) { return a.Precision + b.Precision + 1, a.Scale + b.Scale }),
		"div":    divide,
		"mod":    modulo,
		"intdiv": intDiv,
		"sum":    sumType,
		"avg":    avgType,
		"round":  roundType,
		"ceil":   ceilType,
		"window": windowType,
		// It is made of its two ends, so it is never null.
		"cumulative": func(args []Arg, t *Typing) *condition.Error { return windowType(args[:1], t) },
		"struct":     structType,
		"from_json":  fromJSONType,
		"datediff":   datetimeDiff,
		"addts":      addInterval,
		"shifted":    shiftedType,
		"nth":        nthType,
		"ntile":      ntileType,
		"seconds":    secondsType,
		"datefield":  dateFieldType,
	}
	for _, more := range []map[string]rule{familyRules(), nestedRules(), temporalRules} {
		for name, r := range more {
			if rules[name] != nil {
				panic("catalog: two rules are named " + name) // invariant: the tables are this package's own
			}
			rules[name] = r
		}
	}
}

// secondsType types TIMESTAMP_SECONDS, which gives null for NaN and the infinities.
func secondsType(args []Arg, t *Typing) *condition.Error {
	t.Result = datatype.Timestamp
	k := args[0].Type.Kind()
	t.Nullable = k == datatype.KindFloat || k == datatype.KindDouble
	return nil
}

// dateFieldType types the fields of a date. Spark casts a time stamp to a date by itself, and takes that of one without a zone for nullable.
func dateFieldType(args []Arg, t *Typing) *condition.Error {
	t.Result = datatype.Int
	t.Nullable = datatype.CastMayBeNull(args[0].Type, datatype.Date)
	return nil
}

// firstRules are the rules whose result has the type of the first argument.
var firstRules = map[string]bool{"shifted": true, "nth": true}

// shiftedType types LAG and LEAD: the offset is a constant, and the default is cast to the value's type, never the value to the default's.
func shiftedType(args []Arg, t *Typing) *condition.Error {
	t.Result = args[0].Type
	if len(args) > 1 {
		if !args[1].IsLiteral {
			return condition.Newf("DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", "the offset must be a literal.")
		}
		if args[1].Literal == nil {
			return condition.Newf("DATATYPE_MISMATCH.UNEXPECTED_NULL", "the offset must not be NULL.")
		}
	}
	if len(args) > 2 {
		from, to := args[2].Type, args[0].Type
		switch {
		case from.Kind() == datatype.KindNull, to.Kind() == datatype.KindNull, widens(args[2], to):
		case datatype.IsNumeric(from) && datatype.IsNumeric(to):
			t.Nullable = losesValues(from, to)
		default:
			e := condition.Newf(condition.DatatypeMismatch, "the default is %s, which is not cast to the value's %s.", from, to)
			e.Hint = "Cast the default, or the value."
			return e
		}
		t.Args[2] = args[0].Type
	}
	return nil
}

// losesValues tells casts of numbers of which Spark says that they may give null, under ANSI too. Source: Spark's Cast.forceNullable.
func losesValues(from, to datatype.Type) bool {
	d, ok := to.(datatype.Decimal)
	if !ok {
		return datatype.IsFractional(from) && datatype.IsIntegral(to)
	}
	f, exact := datatype.DecimalOf(from)
	return datatype.IsFloat(from) || !exact || f.Precision-f.Scale > d.Precision-d.Scale
}

// nthType types NTH_VALUE, whose number is a constant from one up.
func nthType(args []Arg, t *Typing) *condition.Error {
	t.Result = args[0].Type
	return positive(args[1], "number")
}

// ntileType types NTILE, whose number of buckets is a constant from one up.
func ntileType(args []Arg, t *Typing) *condition.Error {
	t.Result = datatype.Int
	return positive(args[0], "number of buckets")
}

func positive(a Arg, what string) *condition.Error {
	if !a.IsLiteral {
		return condition.Newf("DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", "the %s must be a literal.", what)
	}
	if n, ok := a.Literal.(int64); !ok || n < 1 {
		e := condition.Newf("DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", "the %s must be from 1 up, not %v.", what, a.Literal)
		e.Hint = "Give a whole number that is greater than zero."
		return e
	}
	return nil
}

// decimalOperand gives the decimal as which an operand takes part in decimal arithmetic: a literal integer takes just the digits
// that it needs. Source: Spark's DecimalPrecision (literals) and DecimalType.fromLiteral.
func decimalOperand(a Arg) datatype.Decimal {
	if n, ok := a.Literal.(int64); ok && a.IsLiteral && datatype.IsIntegral(a.Type) {
		return datatype.Decimal{Precision: len(new(big.Int).Abs(big.NewInt(n)).String())}
	}
	d, _ := datatype.DecimalOf(a.Type)
	return d
}

// operands casts the two sides of an arithmetic operator as Spark does and says whether the result is a decimal.
func operands(args []Arg, t *Typing) (a, b datatype.Decimal, decimal bool) {
	x, y := args[0], args[1]
	// A NULL literal takes the other side's type.
	if x.Type.Kind() == datatype.KindNull {
		x = Arg{Type: y.Type}
	}
	if y.Type.Kind() == datatype.KindNull {
		y = Arg{Type: x.Type}
	}
	if x.Type.Kind() == datatype.KindNull {
		x.Type, y.Type = datatype.Double, datatype.Double
	}
	if (x.Type.Kind() == datatype.KindDecimal || y.Type.Kind() == datatype.KindDecimal) && !datatype.IsFloat(x.Type) && !datatype.IsFloat(y.Type) {
		a, b = decimalOperand(x), decimalOperand(y)
		t.Args[0], t.Args[1] = a, b
		return a, b, true
	}
	c, _ := datatype.Common(x.Type, y.Type, true)
	t.Args[0], t.Args[1] = c, c
	t.Result = c
	return a, b, false
}

func arith(digits func(a, b datatype.Decimal) (p, s int)) rule {
	return func(args []Arg, t *Typing) *condition.Error {
		if a, b, ok := operands(args, t); ok {
			t.Result = datatype.AdjustedDecimal(digits(a, b))
		}
		return nil
	}
}

func divide(args []Arg, t *Typing) *condition.Error {
	a, b, ok := operands(args, t)
	if ok {
		scale := max(6, a.Scale+b.Precision+1)
		t.Result = datatype.AdjustedDecimal(a.Precision-a.Scale+b.Scale+scale, scale)
		return nil
	}
	t.Args[0], t.Args[1], t.Result = datatype.Double, datatype.Double, datatype.Double
	return nil
}

func modulo(args []Arg, t *Typing) *condition.Error {
	if a, b, ok := operands(args, t); ok {
		s := max(a.Scale, b.Scale)
		t.Result = datatype.AdjustedDecimal(min(a.Precision-a.Scale, b.Precision-b.Scale)+s, s)
	}
	return nil
}

func intDiv(args []Arg, t *Typing) *condition.Error {
	if _, _, ok := operands(args, t); !ok {
		if datatype.IsFloat(t.Result) {
			e := condition.Newf(condition.DatatypeMismatch, "whole division needs integers or decimals, not %s.", t.Result)
			e.Hint = "Divide and take Floor, or cast to BIGINT first."
			return e
		}
		t.Args[0], t.Args[1] = datatype.Long, datatype.Long
	}
	t.Result = datatype.Long
	return nil
}

func sumType(args []Arg, t *Typing) *condition.Error {
	switch x := args[0].Type.(type) {
	case datatype.Decimal:
		t.Result = datatype.BoundedDecimal(x.Precision+10, x.Scale)
	case datatype.DayTime, datatype.YearMonth:
		t.Result = x
	default:
		switch {
		case datatype.IsIntegral(x):
			t.Result = datatype.Long
		case datatype.IsFloat(x), x.Kind() == datatype.KindNull:
			t.Result = datatype.Double
		}
	}
	return nil
}

func avgType(args []Arg, t *Typing) *condition.Error {
	switch x := args[0].Type.(type) {
	case datatype.Decimal:
		t.Result = datatype.BoundedDecimal(x.Precision+4, x.Scale+4)
	case datatype.DayTime:
		t.Result = datatype.DayToSecond
	case datatype.YearMonth:
		t.Result = datatype.YearToMonth
	default:
		t.Result = datatype.Double
	}
	return nil
}

// roundType follows Spark's RoundBase: a decimal keeps what it needs of its digits and one more before the point; a number of
// digits that is not a literal cannot be typed.
func roundType(args []Arg, t *Typing) *condition.Error {
	d, ok := args[0].Type.(datatype.Decimal)
	t.Result = args[0].Type
	if !ok {
		return nil
	}
	digits := int64(0)
	if len(args) > 1 {
		n, lit := args[1].Literal.(int64)
		if !lit {
			e := condition.Newf("DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", "the number of digits must be a literal.")
			return e
		}
		digits = n
	}
	whole := d.Precision - d.Scale + 1
	if digits < 0 {
		p := max(whole, int(-digits)+1)
		t.Result = datatype.Decimal{Precision: min(p, datatype.MaxPrecision)}
		return nil
	}
	s := min(d.Scale, int(min(digits, datatype.MaxPrecision)))
	t.Result = datatype.Decimal{Precision: min(whole+s, datatype.MaxPrecision), Scale: s}
	return nil
}

func ceilType(args []Arg, t *Typing) *condition.Error {
	if d, ok := args[0].Type.(datatype.Decimal); ok {
		t.Result = d // a whole decimal stays what it is
		if d.Scale > 0 {
			t.Result = datatype.BoundedDecimal(d.Precision-d.Scale+1, 0)
		}
		return nil
	}
	t.Result = datatype.Long
	if datatype.IsIntegral(args[0].Type) {
		t.Args[0] = datatype.Long
	} else {
		t.Args[0] = datatype.Double
	}
	return nil
}

// WindowStruct is the type of a time window's column over time stamps of type ts. Its fields are nullable in Spark although the
// column is not.
func WindowStruct(ts datatype.Type) datatype.Struct {
	return datatype.Struct{Fields: []datatype.Field{{Name: "start", Type: ts, Nullable: true}, {Name: "end", Type: ts, Nullable: true}}}
}

func windowType(args []Arg, t *Typing) *condition.Error {
	ts := args[0].Type
	switch ts.Kind() {
	case datatype.KindTimestamp, datatype.KindTimestampNTZ:
	case datatype.KindDate, datatype.KindString:
		ts = datatype.Timestamp // Spark casts both to TIMESTAMP
	default:
		e := condition.Newf(condition.DatatypeMismatch, "a time window needs a TIMESTAMP or TIMESTAMP_NTZ as its time, not %s.", ts)
		e.Hint = "Make a time stamp of it first: Cast(datatype.Timestamp), or timestamp_seconds for seconds since 1970."
		return e
	}
	t.Args[0], t.Result = ts, WindowStruct(ts)
	if len(args) > 2 && args[1].Literal != args[2].Literal {
		t.Nullable = true // Spark makes the windows of a sliding one by expanding rows, and says that they may be null
	}
	return nil
}

// structType types named_struct(name, value, …).
func structType(args []Arg, t *Typing) *condition.Error {
	var fields []datatype.Field
	for i := 0; i+1 < len(args); i += 2 {
		name, ok := args[i].Literal.(string)
		if !ok {
			return condition.Newf("DATATYPE_MISMATCH.CREATE_NAMED_STRUCT_WITHOUT_FOLDABLE_STRING", "field names must be literal strings.")
		}
		t.Args[i] = datatype.String
		fields = append(fields, datatype.Field{Name: name, Type: args[i+1].Type, Nullable: args[i+1].Nullable})
	}
	t.Result = datatype.Struct{Fields: fields}
	return nil
}

// fromJSONType reads the type off the second argument, a literal DDL text. Everything below is nullable, as Spark makes it.
func fromJSONType(args []Arg, t *Typing) *condition.Error {
	ddl, ok := args[1].Literal.(string)
	if !ok {
		return condition.Newf("INVALID_SCHEMA.NON_STRING_LITERAL", "the schema must be a literal text.")
	}
	typ, err := datatype.Parse(ddl)
	if err != nil {
		fields, ferr := datatype.ParseFields(ddl)
		if ferr != nil {
			return condition.Newf("INVALID_SCHEMA.PARSE_ERROR", "%v.", ferr)
		}
		typ = datatype.Struct{Fields: fields}
	}
	t.Result = datatype.AsNullable(typ)
	return nil
}

// datetimeDiff is the type of datetime − datetime: an interval in days between dates, else DAY TO SECOND.
func datetimeDiff(args []Arg, t *Typing) *condition.Error {
	if args[0].Type.Kind() == datatype.KindDate && args[1].Type.Kind() == datatype.KindDate {
		t.Result = datatype.DayTime{Start: datatype.Day, End: datatype.Day}
		return nil
	}
	c, _ := datatype.Common(args[0].Type, args[1].Type, true)
	t.Args[0], t.Args[1], t.Result = c, c, datatype.DayToSecond
	return nil
}

// addInterval is the type of datetime ± interval: a date stays a date under whole days and months, else it becomes a time stamp.
func addInterval(args []Arg, t *Typing) *condition.Error {
	t.Result = args[0].Type
	if args[0].Type.Kind() != datatype.KindDate {
		return nil
	}
	if d, ok := args[1].Type.(datatype.DayTime); ok && d != (datatype.DayTime{Start: datatype.Day, End: datatype.Day}) {
		t.Args[0], t.Result = datatype.Timestamp, datatype.Timestamp
	}
	return nil
}
