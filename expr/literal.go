package expr

import (
	"math"
	"math/big"
	"reflect"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// goLiteral is a Go value that says its Spark type: what [Decimal], [DateOf] and their like give.
type goLiteral struct {
	v   any
	typ datatype.Type
	err *condition.Error
}

// Lit makes a value of a Go value by the rules for operands: int is INT where it fits, else BIGINT; int64 BIGINT; float64 DOUBLE;
// uint64 beyond int64 DECIMAL(20,0); time.Time TIMESTAMP (microseconds, rounded down); time.Duration INTERVAL DAY TO SECOND; a
// slice is an ARRAY; a nil pointer a NULL of its type.
func Lit(v any) AnyValue {
	at := condition.Here(1)
	n, errs := operand(v, at)
	return AnyValue{value{n, errs}}
}

// Null is a NULL of a type.
func Null(t datatype.Type) AnyValue {
	if t != nil {
		t = datatype.AsNullable(t) // it prints as a cast to the type, whose text has no nullability
	}
	return AnyValue{value{node: &tree.Literal{Typ: t, At: condition.Here(1)}}}
}

var decimalText = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)$`)

// Decimal is an exact number from its decimal text, such as "12.30", which is a DECIMAL(4,2): the digits of the text count.
func Decimal(text string) NumericValue {
	at := condition.Here(1)
	l := parseDecimal(text)
	if l.err != nil {
		return failed[NumericValue](at, nil, l.err)
	}
	return NumericValue{value{node: &tree.Literal{Value: l.v, Typ: l.typ, At: at}}}
}

func parseDecimal(text string) goLiteral {
	bad := func(why string) goLiteral {
		e := condition.Newf(condition.InvalidValue, "%q is no decimal: %s.", text, why)
		e.Hint = "Write digits with at most one point, 38 digits at most."
		return goLiteral{err: e}
	}
	if !decimalText.MatchString(text) {
		return bad("it must be digits with a sign and a point at most")
	}
	whole, frac, _ := strings.Cut(text, ".")
	digits := strings.TrimLeft(strings.TrimLeft(whole, "+-"), "0") + frac
	n, _ := new(big.Int).SetString(strings.TrimPrefix(whole, "+")+frac, 10)
	if n == nil { // the whole part was only a sign
		n, _ = new(big.Int).SetString("0"+frac, 10)
		if strings.HasPrefix(whole, "-") {
			n.Neg(n)
		}
	}
	scale := len(frac)
	precision := max(len(digits), scale, 1)
	if precision > datatype.MaxPrecision {
		return bad("it has more than 38 digits")
	}
	return goLiteral{v: n, typ: datatype.Decimal{Precision: precision, Scale: scale}}
}

// Months is a year–month interval of n months.
func Months(n int) IntervalValue {
	at := condition.Here(1)
	if n > math.MaxInt32 || n < math.MinInt32 {
		return failed[IntervalValue](at, nil, condition.Newf(condition.InvalidValue, "%d months do not fit an interval.", n))
	}
	return IntervalValue{value{node: &tree.Literal{Value: int64(n), Typ: datatype.YearToMonth, At: at}}}
}

// Days is a day–time interval of n days, of the type INTERVAL DAY: added to a date it gives a date.
func Days(n int) IntervalValue {
	const perDay = 86_400_000_000
	at := condition.Here(1)
	if int64(n) > math.MaxInt64/perDay || int64(n) < math.MinInt64/perDay {
		return failed[IntervalValue](at, nil, condition.Newf(condition.InvalidValue, "%d days do not fit an interval.", n))
	}
	return IntervalValue{value{node: &tree.Literal{Value: int64(n) * perDay, Typ: datatype.DayTime{Start: datatype.Day, End: datatype.Day}, At: at}}}
}

// DateOf is a date of the proleptic Gregorian calendar, year 1 to 9999. A day that does not exist is an error.
func DateOf(year int, month time.Month, day int) DateValue {
	at := condition.Here(1)
	d := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	if d.Year() != year || d.Month() != month || d.Day() != day || year < 1 || year > 9999 {
		return failed[DateValue](at, nil, condition.Newf(condition.InvalidValue, "The date %d-%d-%d does not exist, or its year is not 1 to 9999.", year, int(month), day))
	}
	return DateValue{value{node: &tree.Literal{Value: d.Unix() / 86400, Typ: datatype.Date, At: at}}}
}

// timeInRange refuses instants whose count of microseconds leaves 64 bits, where Go's would begin anew at the other end.
func timeInRange(t time.Time) *condition.Error {
	if y := t.Year(); y >= -290_000 && y <= 294_000 {
		return nil
	}
	e := condition.Newf(condition.InvalidValue, "The year %d is beyond the time stamps of Spark, which are microseconds of 64 bits.", t.Year())
	e.Hint = "For a time without an end use NULL, or a year such as 9999."
	return e
}

// TimestampNTZ is the wall clock of t without its zone, to the microsecond. A year beyond the range of a TIMESTAMP is an error.
func TimestampNTZ(t time.Time) TimestampValue {
	if e := timeInRange(t); e != nil {
		return failed[TimestampValue](condition.Here(1), nil, e)
	}
	wall := time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
	return TimestampValue{value{node: &tree.Literal{Value: wall.UnixMicro(), Typ: datatype.TimestampNTZ, At: condition.Here(1)}}}
}

// operand gives the node of a value or of a Go value.
func operand(x any, at condition.Pos) (tree.Scalar, []*condition.Error) {
	if v, ok := x.(Value); ok {
		u := valueOf(v)
		if u.node == nil {
			e := zeroValue()
			e.Pos = at
			return &tree.Bad{At: at}, append(u.errs, e)
		}
		return u.node, u.errs
	}
	l := literal(x)
	if l.err != nil {
		l.err.Pos = at
		return &tree.Bad{At: at}, []*condition.Error{l.err}
	}
	return &tree.Literal{Value: l.v, Typ: l.typ, At: at}, nil
}

// literal converts a Go value by the rules of [Lit].
func literal(x any) goLiteral {
	switch v := x.(type) {
	case nil:
		return goLiteral{nil, datatype.Null, nil}
	case bool:
		return goLiteral{v, datatype.Boolean, nil}
	case string:
		if !utf8.ValidString(v) {
			e := condition.Newf(condition.InvalidValue, "A text literal is not valid UTF-8.")
			e.Hint = "Pass the bytes as []byte, which is a BINARY."
			return goLiteral{err: e}
		}
		return goLiteral{v, datatype.String, nil}
	case []byte:
		if v == nil {
			return goLiteral{nil, datatype.Binary, nil}
		}
		return goLiteral{append([]byte{}, v...), datatype.Binary, nil}
	case time.Time:
		if e := timeInRange(v); e != nil {
			return goLiteral{err: e}
		}
		return goLiteral{v.UnixMicro(), datatype.Timestamp, nil}
	case time.Duration:
		if v%time.Microsecond != 0 {
			e := condition.Newf(condition.InvalidValue, "The duration %v is finer than a microsecond, which Spark's intervals cannot hold.", v)
			e.Hint = "Round it to microseconds."
			return goLiteral{err: e}
		}
		return goLiteral{v.Microseconds(), datatype.DayToSecond, nil}
	}
	r := reflect.ValueOf(x)
	switch r.Kind() {
	case reflect.Bool:
		return goLiteral{r.Bool(), datatype.Boolean, nil}
	case reflect.String:
		return literal(r.String())
	case reflect.Int:
		if n := r.Int(); n >= math.MinInt32 && n <= math.MaxInt32 {
			return goLiteral{n, datatype.Int, nil}
		}
		return goLiteral{r.Int(), datatype.Long, nil}
	case reflect.Int8:
		return goLiteral{r.Int(), datatype.Byte, nil}
	case reflect.Int16:
		return goLiteral{r.Int(), datatype.Short, nil}
	case reflect.Int32:
		return goLiteral{r.Int(), datatype.Int, nil}
	case reflect.Int64:
		return goLiteral{r.Int(), datatype.Long, nil}
	case reflect.Uint8:
		return goLiteral{int64(r.Uint()), datatype.Short, nil}
	case reflect.Uint16:
		return goLiteral{int64(r.Uint()), datatype.Int, nil}
	case reflect.Uint32:
		return goLiteral{int64(r.Uint()), datatype.Long, nil}
	case reflect.Uint, reflect.Uint64:
		if n := r.Uint(); n > math.MaxInt64 {
			return goLiteral{new(big.Int).SetUint64(n), datatype.Decimal{Precision: 20}, nil}
		}
		return goLiteral{int64(r.Uint()), datatype.Long, nil}
	case reflect.Float32:
		return goLiteral{r.Float(), datatype.Float, nil}
	case reflect.Float64:
		return goLiteral{r.Float(), datatype.Double, nil}
	case reflect.Pointer:
		if r.IsNil() {
			t := literal(reflect.Zero(r.Type().Elem()).Interface())
			return goLiteral{nil, t.typ, t.err}
		}
		return literal(r.Elem().Interface())
	case reflect.Slice, reflect.Array:
		return arrayLiteral(r)
	}
	e := condition.Newf(condition.InvalidValue, "A Go value of type %T has no literal in Spark SQL.", x)
	e.Hint = "Use numbers, texts, bools, []byte, time.Time, time.Duration, slices of these, or the constructors of package expr."
	return goLiteral{err: e}
}

func arrayLiteral(r reflect.Value) goLiteral {
	var elem datatype.Type = datatype.Null
	if r.Type().Elem().Kind() != reflect.Interface {
		if z := literal(reflect.Zero(r.Type().Elem()).Interface()); z.err == nil {
			elem = z.typ
		}
	}
	out, hasNull, mayNull := make([]any, r.Len()), false, false
	for i := range out {
		l := literal(r.Index(i).Interface())
		if l.err != nil {
			return l
		}
		c, ok := datatype.Common(elem, l.typ, true)
		if !ok {
			return goLiteral{err: condition.Newf(condition.InvalidValue, "The elements of an array literal have no common type: %s and %s.", elem, l.typ)}
		}
		elem, out[i] = c, l.v
		hasNull, mayNull = hasNull || l.v == nil, mayNull || tree.NullableLiteral(l.v)
	}
	for i, v := range out {
		out[i] = widen(v, elem)
	}
	if hasNull {
		elem = datatype.AsNullable(elem) // a NULL prints as a cast to the type, whose text has no nullability
	}
	if r.Kind() == reflect.Slice && r.IsNil() {
		return goLiteral{nil, datatype.Array{Elem: elem, ContainsNull: true}, nil}
	}
	return goLiteral{out, datatype.Array{Elem: elem, ContainsNull: mayNull || len(out) == 0}, nil} // an empty one is a cast in SQL
}

// widen converts a literal's value where elements of different number types met.
func widen(v any, t datatype.Type) any {
	switch n := v.(type) {
	case int64:
		switch x := t.(type) {
		case datatype.Decimal:
			return new(big.Int).Mul(big.NewInt(n), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(x.Scale)), nil))
		default:
			if datatype.IsFloat(t) {
				return float64(n)
			}
		}
	}
	return v
}

// call builds a function's call on a value and operands, typed now where every argument is.
func call[V Family[V]](f *catalog.Function, args ...any) V {
	return callAt[V](condition.Here(2), f, args...)
}

func callAt[V Family[V]](at condition.Pos, f *catalog.Function, args ...any) V {
	var out V
	nodes := make([]tree.Scalar, len(args))
	var errs []*condition.Error
	for i, a := range args {
		n, e, isFunc := lambda(f, i, a, at)
		if !isFunc {
			n, e = operand(a, at)
		}
		nodes[i], errs = n, merge(errs, e)
	}
	n, err := resolveCall(&tree.Call{Func: f, Args: nodes, At: at})
	if err != nil {
		// An error in the body of a lambda has its own place.
		return out.make(value{&tree.Bad{At: at}, append(errs[:len(errs):len(errs)], err)})
	}
	return out.make(value{n, errs})
}

// merge joins two lists of mistakes, each mistake once.
func merge(a, b []*condition.Error) []*condition.Error {
	if len(a) == 0 {
		return b
	}
	out := a
	for _, e := range b {
		seen := false
		for _, x := range a {
			seen = seen || x == e
		}
		if !seen {
			out = append(out[:len(out):len(out)], e)
		}
	}
	return out
}

// variadic puts a first argument before others.
func variadic(first any, rest []any) []any { return append([]any{first}, rest...) }

// fn finds a function of the catalogue for generated code.
func fn(name string) *catalog.Function {
	f, ok := catalog.Lookup(name)
	if !ok {
		panic("expr: not in the catalogue: " + name) // invariant: generated code and catalogue are made together
	}
	return f
}
