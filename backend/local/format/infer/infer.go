// Package infer finds the type of a column from texts, as far as the inference of Spark's CSV and JSON readers has it in common.
package infer

import (
	"math"
	"strings"

	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Tightest is the type that holds the values of both, or false where the two have none but text in common. Inference knows only the types that it
// makes itself: VOID, BOOLEAN, the numbers, texts, dates and time stamps, arrays and structs.
//
// Source: Spark's TypeCoercion.findTightestCommonType.
func Tightest(a, b datatype.Type) (datatype.Type, bool) {
	switch {
	case datatype.Equal(a, b):
		return a, true
	case a.Kind() == datatype.KindNull:
		return b, true
	case b.Kind() == datatype.KindNull:
		return a, true
	}
	x, xDecimal := a.(datatype.Decimal)
	y, yDecimal := b.(datatype.Decimal)
	switch {
	case xDecimal && yDecimal:
		return nil, false
	case xDecimal:
		return a, datatype.IsIntegral(b) && wider(x, b)
	case yDecimal:
		return b, datatype.IsIntegral(a) && wider(y, a)
	case datatype.IsNumeric(a) && datatype.IsNumeric(b):
		if a.Kind() > b.Kind() {
			return a, true
		}
		return b, true
	}
	switch s := a.(type) {
	case datatype.Array:
		if t, ok := b.(datatype.Array); ok {
			elem, ok := Tightest(s.Elem, t.Elem)
			return datatype.Array{Elem: elem, ContainsNull: s.ContainsNull || t.ContainsNull}, ok
		}
	case datatype.Struct:
		t, ok := b.(datatype.Struct)
		if !ok || len(s.Fields) != len(t.Fields) {
			return nil, false
		}
		out := make([]datatype.Field, len(s.Fields))
		for i, f := range s.Fields {
			g := t.Fields[i]
			if datatype.FoldName(f.Name) != datatype.FoldName(g.Name) {
				return nil, false
			}
			typ, ok := Tightest(f.Type, g.Type)
			if !ok {
				return nil, false
			}
			out[i] = datatype.Field{Name: f.Name, Type: typ, Nullable: f.Nullable || g.Nullable}
		}
		return datatype.Struct{Fields: out}, true
	}
	return nil, false
}

// wider tells whether a decimal holds every value of an integer type.
func wider(d datatype.Decimal, t datatype.Type) bool {
	n, ok := datatype.DecimalOf(t)
	return ok && d.Precision-d.Scale >= n.Precision
}

// Numbers is the type of two numbers of which at least one is a decimal, where [Tightest] has none: a decimal of all digits of both, or a DOUBLE
// where these are more than 38. ok is false where one is no number.
func Numbers(a, b datatype.Type) (t datatype.Type, ok bool) {
	x, xDecimal := a.(datatype.Decimal)
	y, yDecimal := b.(datatype.Decimal)
	switch {
	case xDecimal && yDecimal:
		scale, whole := max(x.Scale, y.Scale), max(x.Precision-x.Scale, y.Precision-y.Scale)
		if whole+scale > datatype.MaxPrecision {
			return datatype.Double, true
		}
		return datatype.Decimal{Precision: whole + scale, Scale: scale}, true
	case xDecimal && b.Kind() == datatype.KindDouble, yDecimal && a.Kind() == datatype.KindDouble:
		return datatype.Double, true
	case xDecimal && datatype.IsIntegral(b), yDecimal && datatype.IsIntegral(a):
		// The other side as a decimal may be what holds both.
		n, _ := datatype.DecimalOf(a)
		m, _ := datatype.DecimalOf(b)
		if t, ok := Tightest(n, m); ok {
			return t, true
		}
		return Numbers(n, m)
	}
	return nil, false
}

// Decimal gives the digits of a number and how many of them stand behind the point, negative for zeros before it; false for a text that is no number.
//
// Source: java.math.BigDecimal's constructor, precision and scale.
func Decimal(s string) (precision, scale int, ok bool) {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	mantissa, exponent := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent = s[:i], s[i+1:]
		if exponent == "" {
			return 0, 0, false
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if whole+fraction == "" || !digits(whole) || !digits(fraction) {
		return 0, 0, false
	}
	exp := 0
	if exponent != "" {
		neg := exponent[0] == '-'
		if neg || exponent[0] == '+' {
			exponent = exponent[1:]
		}
		if exponent == "" || len(exponent) > 10 || !digits(exponent) {
			return 0, 0, false
		}
		for _, c := range exponent {
			exp = exp*10 + int(c-'0')
		}
		if neg {
			exp = -exp
		}
	}
	scale = len(fraction) - exp
	if scale > math.MaxInt32 || scale < math.MinInt32 {
		return 0, 0, false
	}
	return max(len(strings.TrimLeft(whole+fraction, "0")), 1), scale, true
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}
