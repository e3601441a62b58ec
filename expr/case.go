package expr

import (
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// If is then where cond is true and els where it is false or null. Both branches have their common type.
func If[V Family[V]](cond BooleanValue, then V, els any) V {
	at := condition.Here(1)
	return caseValue[V](at, []any{cond}, []any{then}, els)
}

// CaseOf is a CASE expression under construction: [Case], then [CaseOf.When] any number of times, then [CaseOf.Else] or [CaseOf.End].
type CaseOf struct {
	conds, thens []any
	at           condition.Pos
}

// Case begins a CASE expression: the first condition that is true gives the value.
func Case() CaseOf { return CaseOf{at: condition.Here(1)} }

// When adds a branch: then is a value or a Go value.
func (c CaseOf) When(cond BooleanValue, then any) CaseOf {
	c.conds = append(c.conds[:len(c.conds):len(c.conds)], any(cond))
	c.thens = append(c.thens[:len(c.thens):len(c.thens)], then)
	return c
}

// Else ends the expression with the value for rows where no condition is true.
func (c CaseOf) Else(els any) AnyValue { return caseValue[AnyValue](c.at, c.conds, c.thens, els) }

// End ends the expression: rows where no condition is true give null.
func (c CaseOf) End() AnyValue { return caseValue[AnyValue](c.at, c.conds, c.thens, nil) }

func caseValue[V Family[V]](at condition.Pos, conds, thens []any, els any) V {
	var out V
	n := &tree.Case{At: at}
	var errs []*condition.Error
	add := func(x any) tree.Scalar {
		s, e := operand(x, at)
		errs = merge(errs, e)
		s, _ = tree.StripAlias(s)
		return s
	}
	if len(conds) == 0 {
		e := condition.Newf(condition.InvalidValue, "A CASE needs a branch.")
		e.Hint = "Add one with When."
		return failed[V](at, nil, e)
	}
	for i := range conds {
		n.Whens = append(n.Whens, tree.When{Cond: add(conds[i]), Then: add(thens[i])})
	}
	if els != nil {
		n.Else = add(els)
	}
	s, err := resolveCase(n)
	if err == nil {
		err = checkFamily(out.family(), s)
	}
	if err != nil {
		return failed[V](at, errs, err)
	}
	return out.make(value{s, errs})
}

// Coalesce is the first of the values that is not null.
func Coalesce[V Family[V]](first V, others ...any) V {
	return callAt[V](condition.Here(1), fnCoalesce, variadic(first, others)...)
}

// Greatest is the greatest of the values that are not null.
func Greatest[V Family[V]](first V, others ...any) V {
	return callAt[V](condition.Here(1), fnGreatest, variadic(first, others)...)
}

// Least is the least of the values that are not null.
func Least[V Family[V]](first V, others ...any) V {
	return callAt[V](condition.Here(1), fnLeast, variadic(first, others)...)
}

var fnCoalesce, fnGreatest, fnLeast = fn("coalesce"), fn("greatest"), fn("least")

// castTo makes a cast node; try gives TRY_CAST.
func castTo(at condition.Pos, v Value, t datatype.Type, try bool) value {
	x := valueOf(v)
	if x.node == nil {
		return failed[AnyValue](at, x.errs, zeroValue()).value
	}
	if t == nil || t.Kind() == datatype.KindInvalid {
		e := condition.Newf(condition.InvalidValue, "Cast needs a type.")
		e.Hint = "Use a type of package datatype."
		return failed[AnyValue](at, x.errs, e).value
	}
	arg, name := tree.StripAlias(x.node)
	n, err := resolveCast(&tree.Cast{Arg: arg, To: t, Try: try, At: at})
	if err != nil {
		return failed[AnyValue](at, x.errs, err).value
	}
	if name != "" {
		n = &tree.Alias{Arg: n, Name: name, At: at}
	}
	return value{n, x.errs}
}

// Cast gives a value as another type, by Spark's rules: under ANSI what does not fit is an error. CastAs keeps a family.
func Cast(v Value, t datatype.Type) AnyValue { return AnyValue{castTo(condition.Here(1), v, t, false)} }

// TryCast is [Cast] that gives null where the value does not fit.
func TryCast(v Value, t datatype.Type) AnyValue {
	return AnyValue{castTo(condition.Here(1), v, t, true)}
}

// CastAs is [Cast] into a family: CastAs[NumericValue](v, datatype.Long). A type of another family is a DATATYPE_MISMATCH.
func CastAs[V Family[V]](v Value, t datatype.Type) V {
	at := condition.Here(1)
	var out V
	x := castTo(at, v, t, false)
	if err := checkFamily(out.family(), x.node); err != nil {
		return failed[V](at, x.errs, err)
	}
	return out.make(x)
}

// Field takes a field out of the struct by its name, in any letter case.
func (v StructValue) Field(name string) AnyValue { return fieldOf(condition.Here(1), v, name) }

// Start is the window's first instant, which belongs to it.
func (v WindowValue) Start() TimestampValue {
	return TimestampValue{fieldOf(condition.Here(1), v, "start").value}
}

// End is the first instant behind the window.
func (v WindowValue) End() TimestampValue {
	return TimestampValue{fieldOf(condition.Here(1), v, "end").value}
}

// Time is the window's last microsecond (Spark's window_time), which keeps the watermark: windows over windows group by it.
func (v WindowValue) Time() TimestampValue {
	return callAt[TimestampValue](condition.Here(1), fnWindowTime, v)
}

var fnWindowTime = fn("window_time")

func fieldOf(at condition.Pos, v Value, name string) AnyValue {
	x := valueOf(v)
	if x.node == nil {
		return failed[AnyValue](at, x.errs, zeroValue())
	}
	arg, _ := tree.StripAlias(x.node)
	n, err := resolveField(&tree.GetField{Arg: arg, Ordinal: -1, Key: name, At: at})
	if err != nil {
		return failed[AnyValue](at, x.errs, err)
	}
	return AnyValue{value{n, x.errs}}
}
