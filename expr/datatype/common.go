package datatype

// Common gives the tightest type that both a and b are implicitly cast to when they meet in one operation (comparison,
// CASE, COALESCE, UNION, IN), or false where Spark refuses the pair. Nested types meet field by field; a field is
// nullable when either side's is.
//
// Source: Spark's ANSI type coercion ("Least Common Type Resolution"); with ansi false, the rules of Spark's default
// coercion before 4.0, which let a string meet every atomic type.
func Common(a, b Type, ansi bool) (Type, bool) {
	if a == nil || b == nil || a.Kind() == KindInvalid || b.Kind() == KindInvalid {
		return Invalid, true
	}
	if EqualIgnoringNulls(a, b) && a.Kind() < KindArray {
		return a, true
	}
	if a.Kind() == KindNull {
		return b, true
	}
	if b.Kind() == KindNull {
		return a, true
	}
	switch {
	case IsNumeric(a) && IsNumeric(b):
		return commonNumeric(a, b), true
	case IsString(a) && IsString(b):
		return String, true
	case IsDatetime(a) && IsDatetime(b):
		return commonDatetime(a, b), true
	case a.Kind() == KindYearMonth && b.Kind() == KindYearMonth:
		x, y := a.(YearMonth), b.(YearMonth)
		return YearMonth{min(x.Start, y.Start), max(x.End, y.End)}, true
	case a.Kind() == KindDayTime && b.Kind() == KindDayTime:
		x, y := a.(DayTime), b.(DayTime)
		return DayTime{min(x.Start, y.Start), max(x.End, y.End)}, true
	case a.Kind() == KindTime && b.Kind() == KindTime:
		return Time{max(a.(Time).Precision, b.(Time).Precision)}, true
	case IsString(a) && isAtomic(b):
		return commonWithString(b, ansi)
	case IsString(b) && isAtomic(a):
		return commonWithString(a, ansi)
	}
	switch x := a.(type) {
	case Array:
		y, ok := b.(Array)
		if !ok {
			return nil, false
		}
		elem, ok := Common(x.Elem, y.Elem, ansi)
		if !ok {
			return nil, false
		}
		return Array{elem, x.ContainsNull || y.ContainsNull || eitherMayBeNull(x.Elem, y.Elem, elem)}, true
	case Map:
		y, ok := b.(Map)
		if !ok {
			return nil, false
		}
		k, ok1 := Common(x.Key, y.Key, ansi)
		v, ok2 := Common(x.Value, y.Value, ansi)
		if !ok1 || !ok2 || eitherMayBeNull(x.Key, y.Key, k) { // a key is never null
			return nil, false
		}
		return Map{k, v, x.ValueContainsNull || y.ValueContainsNull || eitherMayBeNull(x.Value, y.Value, v)}, true
	case Struct:
		y, ok := b.(Struct)
		if !ok || len(x.Fields) != len(y.Fields) {
			return nil, false
		}
		fields := make([]Field, len(x.Fields))
		for i := range fields {
			if !equalFold(x.Fields[i].Name, y.Fields[i].Name) {
				return nil, false
			}
			t, ok := Common(x.Fields[i].Type, y.Fields[i].Type, ansi)
			if !ok {
				return nil, false
			}
			fields[i] = Field{x.Fields[i].Name, t, x.Fields[i].Nullable || y.Fields[i].Nullable || eitherMayBeNull(x.Fields[i].Type, y.Fields[i].Type, t)}
		}
		return Struct{fields}, true
	}
	return nil, false
}

// eitherMayBeNull tells whether the cast of one of two types to their common one makes its values nullable. Source: Spark's TypeCoercionHelper.findTypeForComplex.
func eitherMayBeNull(a, b, common Type) bool {
	return CastMayBeNull(a, common) || CastMayBeNull(b, common)
}

// commonWithString is the type in which a string meets another atomic type. Under ANSI the string takes the other
// side's type, and an integer or a FLOAT is widened so that no digit of the text is lost.
func commonWithString(other Type, ansi bool) (Type, bool) {
	if !ansi {
		if other.Kind() == KindBinary || other.Kind() == KindBoolean {
			return nil, false
		}
		return String, true
	}
	switch {
	case IsIntegral(other):
		return Long, true
	case IsFractional(other):
		return Double, true
	}
	return other, true
}

func isAtomic(t Type) bool { k := t.Kind(); return k >= KindBoolean && k < KindCalendarInterval }

func commonNumeric(a, b Type) Type {
	x, aDec := a.(Decimal)
	y, bDec := b.(Decimal)
	switch {
	case aDec && bDec:
		return WiderDecimal(x, y)
	case aDec && IsFloat(b), bDec && IsFloat(a):
		return Double
	case aDec:
		d, _ := DecimalOf(b)
		return WiderDecimal(x, d)
	case bDec:
		d, _ := DecimalOf(a)
		return WiderDecimal(d, y)
	}
	// FLOAT holds no more than 24 bits, so Spark's ANSI rules let all integers, even those that would fit, meet it as DOUBLE.
	if a.Kind() == KindFloat && IsIntegral(b) || b.Kind() == KindFloat && IsIntegral(a) {
		return Double
	}
	if a.Kind() > b.Kind() {
		return a
	}
	return b
}

// WiderDecimal gives the decimal that holds the whole digits and the fraction digits of both. Of more than 38 digits Spark keeps the whole ones and gives up
// fraction digits (DecimalPrecisionTypeCoercion.widerDecimalType, DecimalType.boundedPreferIntegralDigits).
func WiderDecimal(x, y Decimal) Decimal {
	scale := max(x.Scale, y.Scale)
	whole := max(x.Precision-x.Scale, y.Precision-y.Scale)
	if whole+scale > MaxPrecision {
		return Decimal{MaxPrecision, max(0, MaxPrecision-whole)}
	}
	return Decimal{whole + scale, scale}
}

func commonDatetime(a, b Type) Type {
	if a.Kind() == KindTimestamp || b.Kind() == KindTimestamp {
		return Timestamp
	}
	if a.Kind() == KindTimestampNTZ || b.Kind() == KindTimestampNTZ {
		return TimestampNTZ
	}
	return Date
}

func equalFold(a, b string) bool {
	if len(a) == len(b) && a == b {
		return true
	}
	return foldName(a) == foldName(b)
}
