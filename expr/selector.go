package expr

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/internal/absent"
)

// Selector picks columns of a table by what its schema says of them. Package expr/selectors has the known ones. Select, Drop, GroupBy,
// OrderBy, Relocate, DropNull and the other methods that take columns take selectors among them; one that picks nothing is an error
// there, unless it is selectors.None.
type Selector interface {
	// Pick gives the ordinals of the columns that are meant, in the order in which the method takes them, each once.
	Pick(s *Schema) ([]int, error)
	// String names the selector in messages: numeric(), of_type(STRING).
	String() string
}

// emptySelector is a selector that is meant to pick nothing.
type emptySelector interface{ PicksNothing() bool }

// pick asks a selector for columns of r.
func pick(at condition.Pos, sel Selector, r tree.Relation) ([]int, *condition.Error) {
	if absent.Is(sel) {
		e := condition.Newf(condition.InvalidValue, "The selector is nil.")
		e.Pos, e.Hint = at, "Use a function of package selectors."
		return nil, e
	}
	which, err := sel.Pick(r.Schema())
	if err != nil {
		var e *condition.Error
		if !errors.As(err, &e) {
			e = condition.Newf(condition.InvalidValue, "The selector %s: %v.", sel, err)
		}
		c := *e
		if c.Pos == (condition.Pos{}) {
			c.Pos = at
		}
		return nil, &c
	}
	seen := map[int]bool{}
	var out []int
	for _, i := range which {
		if i < 0 || i >= r.Schema().Len() {
			e := condition.Newf(condition.InvalidValue, "The selector %s picks column %d of a table of %d columns.", sel, i, r.Schema().Len())
			e.Pos = at
			return nil, e
		}
		if !seen[i] {
			seen[i] = true
			out = append(out, i)
		}
	}
	if none, ok := sel.(emptySelector); len(out) == 0 && (!ok || !none.PicksNothing()) {
		e := condition.Newf(condition.UnresolvedColumn, "The selector %s picks no column.", sel)
		e.Pos = at
		e.Hint = fmt.Sprintf("The table has %s.", columnList(r.Schema()))
		return nil, e
	}
	return out, nil
}

// columnList names columns with their types, for messages; of a wide table the first ones.
func columnList(s *Schema) string {
	var out []string
	for i, f := range s.Fields() {
		if i == 12 {
			out = append(out, fmt.Sprintf("and %d more", s.Len()-i))
			break
		}
		out = append(out, datatype.QuoteName(f.Name)+" "+f.Type.String())
	}
	if out == nil {
		return "no column"
	}
	return strings.Join(out, ", ")
}

// expand puts the columns that a selector picks, and the values that Across makes, in their place.
func (t Table) expand(at condition.Pos, in []any) ([]any, []*condition.Error) {
	var errs []*condition.Error
	var out []any
	for _, x := range in {
		switch v := x.(type) {
		case AcrossValue:
			if v.over == nil {
				e := zeroValue()
				e.Pos, e.Operator, e.Hint = at, "Across", "Make it with expr.Across."
				errs = append(errs, e)
				continue
			}
			nodes, e := v.over(t.rel)
			errs = merge(errs, e)
			for _, n := range nodes {
				out = append(out, AnyValue{value{node: n}})
			}
		case Selector:
			which, err := pick(at, v, t.rel)
			if err != nil {
				errs = append(errs, err)
			}
			for _, i := range which {
				out = append(out, AnyValue{value{node: &tree.Column{Rel: t.rel, Ordinal: i, At: at}}})
			}
		default:
			out = append(out, x)
		}
	}
	return out, errs
}

// ordinals gives the columns of the table that are meant by names, selectors and values that are columns, each once.
func (t Table) ordinals(at condition.Pos, op string, columns []any) ([]int, []*condition.Error) {
	nodes, errs := t.args(at, columns)
	var out []int
	for _, n := range nodes {
		s, _ := tree.StripAlias(n)
		switch c := s.(type) {
		case *tree.Column:
			if !slices.Contains(out, c.Ordinal) {
				out = append(out, c.Ordinal)
			}
		case *tree.Bad:
		default:
			e := condition.Newf(condition.InvalidValue, "%s takes columns, not the expression %s.", op, tree.String(s))
			e.Pos, e.Operator, e.Hint = at, op, "Make a column of it with Mutate first."
			errs = append(errs, e)
		}
	}
	return out, errs
}

// AcrossValue is a value of each column that a selector picks: what [Across] gives. It stands by itself in Select, Mutate, Agg, GroupBy,
// OrderBy and their like, which put its values in its place; within another expression it is an error.
type AcrossValue struct {
	value
	over func(tree.Relation) ([]tree.Scalar, []*condition.Error)
}

// Across applies f to each column that a selector picks, as Ibis's across does: Across(selectors.Numeric(), NumericValue.Mean). V is
// the family that f takes; a picked column of another one is a DATATYPE_MISMATCH. Columns of the result are named by the pattern, where
// {col} is the column's name; by default they keep it, so that Mutate replaces the columns. For several functions, use several.
func Across[V Family[V], W Value](columns Selector, f func(V) W, pattern ...string) AcrossValue {
	at := condition.Here(1)
	alone := condition.Newf(condition.InvalidValue, "Across gives a value for each of several columns, so it cannot stand within an expression.")
	alone.Pos, alone.Operator, alone.Hint = at, "Across", "Put the expression into Across's function; for a condition use IfAny or IfAll."
	out := AcrossValue{value: value{node: &tree.Bad{At: at}, errs: []*condition.Error{alone}}}
	out.over = func(r tree.Relation) ([]tree.Scalar, []*condition.Error) {
		names := "{col}"
		if len(pattern) > 0 {
			names = pattern[0]
		}
		if len(pattern) > 1 || names == "" {
			e := condition.Newf(condition.InvalidValue, "Across takes one pattern of names, which is not empty.")
			e.Pos, e.Operator, e.Hint = at, "Across", `Use "{col}" for the column's name, as in "{col}_mean".`
			return nil, []*condition.Error{e}
		}
		values, which, errs := applied[V](at, "Across", columns, r, f)
		for k, n := range values {
			name := strings.ReplaceAll(names, "{col}", r.Schema().Field(which[k]).Name)
			if len(pattern) == 0 {
				// A name that f itself gives counts before the column's own.
				if _, given := tree.StripAlias(n); given != "" {
					name = given
				}
			}
			n, _ = tree.StripAlias(n)
			values[k] = &tree.Alias{Arg: n, Name: name, At: at}
		}
		return values, errs
	}
	return out
}

// applied gives f of each picked column, and the columns.
func applied[V Family[V], W Value](at condition.Pos, op string, columns Selector, r tree.Relation, f func(V) W) ([]tree.Scalar, []int, []*condition.Error) {
	if columns == nil || f == nil {
		e := condition.Newf(condition.InvalidValue, "%s needs a selector and a function.", op)
		e.Pos, e.Operator = at, op
		return nil, nil, []*condition.Error{e}
	}
	which, err := pick(at, columns, r)
	if err != nil {
		return nil, nil, []*condition.Error{err}
	}
	var errs []*condition.Error
	var out []tree.Scalar
	var kept []int
	for _, i := range which {
		var v V
		c := &tree.Column{Rel: r, Ordinal: i, At: at}
		if err := checkFamily(v.family(), c); err != nil {
			err.Pos, err.Operator = at, op
			err.Hint = fmt.Sprintf("The selector %s picks it: narrow it, or take expr.AnyValue in the function.", columns)
			errs = append(errs, err)
			continue
		}
		n, e := operand(f(v.make(value{node: c})), at)
		errs = merge(errs, e)
		out, kept = append(out, n), append(kept, i)
	}
	return out, kept, errs
}

// IfAny is true where f is true of any of the columns that a selector picks, of the table whose method receives it; columns where f
// is null count as OR has it. Of no column it is false.
func IfAny[V Family[V]](columns Selector, f func(V) BooleanValue) BooleanValue {
	return foldConditions(condition.Here(1), "IfAny", "or", columns, f)
}

// IfAll is true where f is true of all the columns that a selector picks, of the table whose method receives it; columns where f is
// null count as AND has it. Of no column it is true.
func IfAll[V Family[V]](columns Selector, f func(V) BooleanValue) BooleanValue {
	return foldConditions(condition.Here(1), "IfAll", "and", columns, f)
}

func foldConditions[V Family[V]](at condition.Pos, op, join string, columns Selector, f func(V) BooleanValue) BooleanValue {
	find := func(r tree.Relation) (tree.Scalar, []*condition.Error) {
		values, _, errs := applied(at, op, columns, r, f)
		if len(errs) > 0 {
			return nil, errs
		}
		b := &binder{inputs: []tree.Relation{r}}
		var out tree.Scalar = &tree.Literal{Value: join == "and", Typ: datatype.Boolean, At: at}
		for k, n := range values {
			n, _ = tree.StripAlias(b.bind(n))
			if k == 0 {
				out = n
				continue
			}
			var err *condition.Error
			if out, err = resolveCall(&tree.Call{Func: fn(join), Args: []tree.Scalar{out, n}, At: at}); err != nil {
				return nil, append(b.errs, err)
			}
		}
		return out, b.errs
	}
	return BooleanValue{value{node: &tree.Unbound{Name: op, At: at, Find: find}}}
}
