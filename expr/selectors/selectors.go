// Package selectors picks columns of a table by their names and types, as Ibis's selectors do: t.Select(selectors.Numeric()),
// t.Drop(selectors.StartsWith("tmp_")), t.Mutate(selectors.Across(selectors.OfType(datatype.String), expr.StringValue.Upper)).
//
// Every method of a table that takes columns takes selectors among them. A selector looks at the schema alone, when the method is
// called, and picks in the order of the table's columns, however it is composed. One that picks nothing is an error there, but for
// [None]. Names match with regard to letter case, except in [Cols].
package selectors

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Selector is an [expr.Selector] that can be combined with others.
type Selector struct {
	text string
	pick func(s *expr.Schema) (map[int]bool, error)
	none bool
}

// Field is what a selector sees of a column: its name, type, nullability, and its mark of event time.
type Field = tree.Field

// Pick implements [expr.Selector]. The zero Selector is an error.
func (x Selector) Pick(s *expr.Schema) ([]int, error) {
	if x.pick == nil {
		e := condition.Newf(condition.InvalidValue, "A selector that was never made (its zero value) is used.")
		e.Hint = "Use a function of package selectors."
		return nil, e
	}
	set, err := x.pick(s)
	if err != nil {
		return nil, err
	}
	var out []int
	for i := range s.Len() {
		if set[i] {
			out = append(out, i)
		}
	}
	return out, nil
}

// String implements [expr.Selector].
func (x Selector) String() string { return x.text }

// PicksNothing tells that the selector is meant to pick nothing, so that this is no error.
func (x Selector) PicksNothing() bool { return x.none }

// by makes a selector of a condition on each column.
func by(text string, is func(f Field) bool) Selector {
	return Selector{text: text, pick: func(s *expr.Schema) (map[int]bool, error) {
		out := map[int]bool{}
		for i, f := range s.Fields() {
			if is(f) {
				out[i] = true
			}
		}
		return out, nil
	}}
}

// failing makes a selector that is an error where it is used.
func failing(text string, e *condition.Error) Selector {
	return Selector{text: text, pick: func(*expr.Schema) (map[int]bool, error) { return nil, e }}
}

// Numeric picks the columns of numbers: integers, decimals, FLOAT and DOUBLE.
func Numeric() Selector {
	return by("numeric()", func(f Field) bool { return datatype.IsNumeric(f.Type) })
}

// OfType picks the columns of any of the types; the nullability of elements and fields does not count.
func OfType(types ...datatype.Type) Selector {
	names := make([]string, len(types))
	for i, t := range types {
		if t == nil {
			return failing("of_type(nil)", condition.Newf(condition.InvalidValue, "The selector OfType got no type."))
		}
		names[i] = t.String()
	}
	return by("of_type("+strings.Join(names, ", ")+")", func(f Field) bool {
		for _, t := range types {
			if datatype.EqualIgnoringNulls(f.Type, t) {
				return true
			}
		}
		return false
	})
}

// OfKind picks the columns of any of the kinds of types, whatever their parameters: OfKind(datatype.KindDecimal, datatype.KindArray).
func OfKind(kinds ...datatype.Kind) Selector {
	return by(fmt.Sprintf("of_kind(%v)", kinds), func(f Field) bool {
		for _, k := range kinds {
			if f.Type.Kind() == k {
				return true
			}
		}
		return false
	})
}

// named makes a selector of the names that one of several texts fits.
func named(word string, texts []string, fits func(name, text string) bool) Selector {
	quoted := make([]string, len(texts))
	for i, t := range texts {
		quoted[i] = strconv.Quote(t)
	}
	return by(word+"("+strings.Join(quoted, ", ")+")", func(f Field) bool {
		for _, t := range texts {
			if fits(f.Name, t) {
				return true
			}
		}
		return false
	})
}

// StartsWith picks the columns whose names begin with one of the texts.
func StartsWith(prefixes ...string) Selector { return named("startswith", prefixes, strings.HasPrefix) }

// EndsWith picks the columns whose names end with one of the texts.
func EndsWith(suffixes ...string) Selector { return named("endswith", suffixes, strings.HasSuffix) }

// Contains picks the columns whose names have one of the texts in them.
func Contains(texts ...string) Selector { return named("contains", texts, strings.Contains) }

// Matches picks the columns in whose names a regular expression, as Go's package regexp has it, finds a match.
func Matches(pattern string) Selector {
	text := "matches(" + strconv.Quote(pattern) + ")"
	re, err := regexp.Compile(pattern)
	if err != nil {
		e := condition.Newf(condition.InvalidValue, "The pattern of the selector Matches cannot be read: %v.", err)
		e.Hint = "Write it as Go's package regexp reads it."
		return failing(text, e)
	}
	return by(text, func(f Field) bool { return re.MatchString(f.Name) })
}

// Where picks the columns for which the condition is true.
func Where(is func(f Field) bool) Selector {
	if is == nil {
		return failing("where(nil)", condition.Newf(condition.InvalidValue, "The selector Where got no function."))
	}
	return by("where(…)", is)
}

// Cols picks columns by name, in any letter case. A name that the table has not is an UNRESOLVED_COLUMN.
func Cols(names ...string) Selector {
	text := "cols(" + strings.Join(names, ", ") + ")"
	return Selector{text: text, pick: func(s *expr.Schema) (map[int]bool, error) {
		out := map[int]bool{}
		for _, n := range names {
			found := s.Lookup(n)
			if len(found) == 0 {
				e := condition.Newf(condition.UnresolvedColumn, "There is no column %s, which the selector %s names.", datatype.QuoteName(n), text)
				e.Hint = "The table has " + strings.Join(s.Names(), ", ") + "."
				return nil, e
			}
			for _, i := range found {
				out[i] = true
			}
		}
		return out, nil
	}}
}

// Index picks columns by position from 0; a negative one counts from the end, -1 being the last. A position beyond the table is an error.
func Index(positions ...int) Selector {
	text := "index(" + strings.Trim(fmt.Sprint(positions), "[]") + ")"
	return Selector{text: text, pick: func(s *expr.Schema) (map[int]bool, error) {
		out := map[int]bool{}
		for _, p := range positions {
			i := p
			if i < 0 {
				i += s.Len()
			}
			if i < 0 || i >= s.Len() {
				return nil, condition.Newf(condition.InvalidValue, "The selector %s asks for column %d of a table of %d columns.", text, p, s.Len())
			}
			out[i] = true
		}
		return out, nil
	}}
}

// Range picks the columns from one position up to but without another, as a slice of Go does. Negative positions count from the end,
// and positions beyond the table stand for its ends, as in Ibis's index[from:to].
func Range(from, to int) Selector {
	return Selector{text: fmt.Sprintf("index[%d:%d]", from, to), pick: func(s *expr.Schema) (map[int]bool, error) {
		place := func(p int) int {
			if p < 0 {
				p += s.Len()
			}
			return min(max(p, 0), s.Len())
		}
		out := map[int]bool{}
		for i := place(from); i < place(to); i++ {
			out[i] = true
		}
		return out, nil
	}}
}

// First picks the first column.
func First() Selector { x := Index(0); x.text = "first()"; return x }

// Last picks the last column.
func Last() Selector { x := Index(-1); x.text = "last()"; return x }

// All picks every column.
func All() Selector { return by("all()", func(Field) bool { return true }) }

// None picks no column; of all selectors it alone may.
func None() Selector {
	x := by("none()", func(Field) bool { return false })
	x.none = true
	return x
}

// AnyOf picks the columns that at least one of the selectors picks.
func AnyOf(selectors ...Selector) Selector {
	return combine("any_of", selectors, func(n, of int) bool { return n > 0 })
}

// AllOf picks the columns that each of the selectors picks.
func AllOf(selectors ...Selector) Selector {
	return combine("all_of", selectors, func(n, of int) bool { return n == of && of > 0 })
}

func combine(word string, selectors []Selector, keep func(n, of int) bool) Selector {
	texts := make([]string, len(selectors))
	for i, x := range selectors {
		texts[i] = x.text
	}
	return Selector{text: word + "(" + strings.Join(texts, ", ") + ")", pick: func(s *expr.Schema) (map[int]bool, error) {
		count := map[int]int{}
		for _, x := range selectors {
			which, err := x.Pick(s)
			if err != nil {
				return nil, err
			}
			for _, i := range which {
				count[i]++
			}
		}
		out := map[int]bool{}
		for i, n := range count {
			out[i] = keep(n, len(selectors))
		}
		return out, nil
	}}
}

// And picks the columns that both selectors pick.
func (x Selector) And(other Selector) Selector {
	y := AllOf(x, other)
	y.text = "(" + x.text + " & " + other.text + ")"
	return y
}

// Or picks the columns that at least one of the two selectors picks.
func (x Selector) Or(other Selector) Selector {
	y := AnyOf(x, other)
	y.text = "(" + x.text + " | " + other.text + ")"
	return y
}

// Not picks the columns that the selector does not.
func (x Selector) Not() Selector {
	return Selector{text: "~" + x.text, pick: func(s *expr.Schema) (map[int]bool, error) {
		which, err := x.Pick(s)
		if err != nil {
			return nil, err
		}
		out := map[int]bool{}
		for i := range s.Len() {
			out[i] = true
		}
		for _, i := range which {
			delete(out, i)
		}
		return out, nil
	}}
}

// Across is [expr.Across].
func Across[V expr.Family[V], W expr.Value](columns expr.Selector, f func(V) W, pattern ...string) expr.AcrossValue {
	return expr.Across(columns, f, pattern...)
}

// IfAny is [expr.IfAny].
func IfAny[V expr.Family[V]](columns expr.Selector, f func(V) expr.BooleanValue) expr.BooleanValue {
	return expr.IfAny(columns, f)
}

// IfAll is [expr.IfAll].
func IfAll[V expr.Family[V]](columns expr.Selector, f func(V) expr.BooleanValue) expr.BooleanValue {
	return expr.IfAll(columns, f)
}
