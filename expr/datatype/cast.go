package datatype

// CastMayBeNull tells whether Spark takes a cast of a value that is not null for nullable, though the cast raises under ANSI where it cannot convert. It
// counts for the casts that Spark adds by itself too.
//
// Source: Spark's Cast.forceNullable.
func CastMayBeNull(from, to Type) bool {
	f, t := from.Kind(), to.Kind()
	switch {
	case f == KindNull, EqualIgnoringNulls(from, to):
		return false
	case IsString(from):
		return t != KindBinary && !IsString(to)
	case IsString(to):
		return false
	case f == KindTimestamp && (t == KindByte || t == KindShort || t == KindInt):
		return true
	case (f == KindFloat || f == KindDouble) && t == KindTimestamp:
		return true
	case f == KindTimestamp && t == KindDate, f == KindDate && t == KindTimestamp:
		return false
	case t == KindDate, f == KindDate:
		return true
	case t == KindDecimal:
		return !nullSafeToDecimal(from, to.(Decimal))
	}
	return IsFractional(from) && IsIntegral(to)
}

// nullSafeToDecimal tells whether a decimal holds every value of a type. Source: Spark's Cast.canNullSafeCastToDecimal.
func nullSafeToDecimal(from Type, to Decimal) bool {
	switch x := from.(type) {
	case Decimal:
		return wider(to, x) || to.Precision-to.Scale > x.Precision-x.Scale
	}
	if from.Kind() == KindBoolean {
		return wider(to, Decimal{1, 0})
	}
	d, ok := DecimalOf(from)
	return ok && IsIntegral(from) && wider(to, d)
}

// wider tells whether a has at least the whole digits and the fraction digits of b.
func wider(a, b Decimal) bool {
	return a.Precision-a.Scale >= b.Precision-b.Scale && a.Scale >= b.Scale
}

// CanUpCast tells whether a cast keeps every value, so that TRY_CAST adds no nulls.
//
// Source: Spark's UpCastRule.canUpCast.
func CanUpCast(from, to Type) bool {
	f, t := from.Kind(), to.Kind()
	switch {
	case f == KindNull, EqualIgnoringNulls(from, to):
		return true
	case IsString(to):
		return f != KindArray && f != KindMap && f != KindStruct && f != KindVariant
	case IsString(from):
		return t == KindBinary
	case t == KindDecimal:
		switch x := from.(type) {
		case Decimal:
			return wider(to.(Decimal), x)
		}
		d, ok := DecimalOf(from)
		return ok && IsIntegral(from) && wider(to.(Decimal), d)
	case f == KindDecimal:
		return false
	case IsNumeric(from) && IsNumeric(to):
		return f < t
	case f == KindTimestamp:
		return t == KindLong || t == KindTimestampNTZ
	case f == KindTimestampNTZ, f == KindLong:
		return t == KindTimestamp
	case f == KindDate:
		return t == KindTimestamp || t == KindTimestampNTZ
	}
	return f == t
}
