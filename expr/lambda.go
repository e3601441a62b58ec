package expr

import (
	"fmt"
	"reflect"

	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// A function of elements is a Go function of values: func(x expr.NumericValue) expr.Value. It runs once, while the expression is
// built, with a stand-in for the element (a tree.Variable), and what it gives is the body of a tree.Lambda. Elements have a type only
// when the call's array has one; until then the variable is of unknown type and so is everything over it, and resolveCall types the
// body each time the call is typed.

var valueInterface = reflect.TypeFor[Value]()

// lambda makes the tree of a Go function that is argument i of a function of the catalogue. isFunc is false for any other argument.
func lambda(f *catalog.Function, i int, x any, at condition.Pos) (node tree.Scalar, errs []*condition.Error, isFunc bool) {
	r := reflect.ValueOf(x)
	if !r.IsValid() || r.Kind() != reflect.Func {
		return nil, nil, false
	}
	bad := func(format string, args ...any) (tree.Scalar, []*condition.Error, bool) {
		e := condition.Newf(condition.InvalidValue, format, args...)
		e.Pos, e.Operator, e.Hint = at, f.Name, "Pass a Go function of values of package expr: func(x expr.NumericValue) expr.Value { … }."
		return &tree.Bad{At: at}, []*condition.Error{e}, true
	}
	t := r.Type()
	if r.IsNil() {
		return bad("The function is nil.")
	}
	if t.NumOut() != 1 || t.IsVariadic() || t.NumIn() == 0 {
		return bad("A function of elements takes one value or more and gives one, but this is a %s.", t)
	}
	l := &tree.Lambda{At: at}
	in := make([]reflect.Value, t.NumIn())
	for k := range in {
		fam, ok := familyOf(t.In(k))
		if !ok {
			return bad("Parameter %d of a function of elements is a %s, which is no family of values.", k+1, t.In(k))
		}
		v := &tree.Variable{Name: parameterName(f, i, k), Family: fam, Typ: datatype.Invalid, Null: true, At: at}
		l.Params = append(l.Params, v)
		in[k] = made(t.In(k), value{node: v})
	}
	out := r.Call(in)[0].Interface()
	l.Body, errs = operand(out, at)
	l.Body, _ = tree.StripAlias(l.Body)
	if e := notPerElement(l); e != nil {
		return &tree.Bad{At: at}, append(errs, e), true
	}
	return distinctNames(l), errs, true
}

// familyOf gives the family that a type of values is of.
func familyOf(t reflect.Type) (catalog.Family, bool) {
	if t == valueInterface {
		return catalog.AnyFamily, true
	}
	if t.Kind() != reflect.Struct || !t.Implements(valueInterface) {
		return 0, false
	}
	f, ok := reflect.Zero(t).Interface().(interface{ family() catalog.Family })
	if !ok {
		return 0, false
	}
	return f.family(), true
}

// made gives a value as the type of a family of values.
func made(t reflect.Type, v value) reflect.Value {
	if t == valueInterface {
		return reflect.ValueOf(AnyValue{v})
	}
	switch reflect.Zero(t).Interface().(type) {
	case NumericValue:
		return reflect.ValueOf(NumericValue{v})
	case StringValue:
		return reflect.ValueOf(StringValue{v})
	case BooleanValue:
		return reflect.ValueOf(BooleanValue{v})
	case DateValue:
		return reflect.ValueOf(DateValue{v})
	case TimestampValue:
		return reflect.ValueOf(TimestampValue{v})
	case TimeValue:
		return reflect.ValueOf(TimeValue{v})
	case IntervalValue:
		return reflect.ValueOf(IntervalValue{v})
	case BinaryValue:
		return reflect.ValueOf(BinaryValue{v})
	case ArrayValue:
		return reflect.ValueOf(ArrayValue{v})
	case MapValue:
		return reflect.ValueOf(MapValue{v})
	case StructValue:
		return reflect.ValueOf(StructValue{v})
	case VariantValue:
		return reflect.ValueOf(VariantValue{v})
	case WindowValue:
		return reflect.ValueOf(WindowValue{v})
	}
	return reflect.ValueOf(AnyValue{v})
}

// parameterName is the name that a signature gives to parameter k of the function that is argument i.
func parameterName(f *catalog.Function, i, k int) string {
	for _, s := range f.Signatures() {
		if i < len(s.Params) {
			if p := s.Params[i].Lambda(); k < len(p) {
				return p[k].Name
			}
		}
	}
	return fmt.Sprintf("x%d", k+1)
}

// distinctNames numbers the parameters of a lambda whose names lambdas within it have already, for readers: binding goes by pointers.
func distinctNames(l *tree.Lambda) *tree.Lambda {
	taken := map[string]bool{}
	tree.Walk(l.Body, func(s tree.Scalar) bool {
		if inner, ok := s.(*tree.Lambda); ok {
			for _, p := range inner.Params {
				taken[p.Name] = true
			}
		}
		return true
	})
	if len(taken) == 0 {
		return l
	}
	params := make([]*tree.Variable, len(l.Params))
	for i, p := range l.Params {
		v := *p
		for n := 2; taken[v.Name]; n++ {
			v.Name = fmt.Sprintf("%s%d", p.Name, n)
		}
		taken[v.Name] = true
		params[i] = &v
	}
	return l.Substitute(params)
}

// notPerElement refuses what has no value per element: aggregates, window functions, generators, windows of time and subqueries.
func notPerElement(l *tree.Lambda) *condition.Error {
	var e *condition.Error
	tree.Walk(l.Body, func(s tree.Scalar) bool {
		if q, ok := s.(*tree.Subquery); ok && e == nil {
			e = condition.Newf("UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.HIGHER_ORDER_FUNCTION", "A subquery stands in a function of elements.")
			e.Pos, e.Hint = q.At, "Compute it with Mutate first, and use the column."
		}
		if c, ok := s.(*tree.Call); ok && c.Func.Kind != catalog.Scalar && e == nil {
			e = condition.Newf(condition.Unsupported, "%s stands in a function of elements, which has one row at a time.", c.Func.Name)
			e.Pos, e.Operator, e.Hint = c.At, c.Func.Name, "Compute it with Mutate first, and use the column."
		}
		return e == nil
	})
	return e
}

// bodyTyper is the argument of a call's typing that stands for a lambda. It keeps what was typed last in *out.
func bodyTyper(l *tree.Lambda, out *tree.Scalar) catalog.Arg {
	typed := l
	return catalog.Arg{Type: datatype.Invalid, Lambda: &catalog.Lambda{
		Params: len(l.Params),
		Body: func(args ...catalog.Arg) (catalog.Arg, *condition.Error) {
			params := make([]*tree.Variable, len(l.Params))
			for i, p := range l.Params {
				v := *p
				v.Typ, v.Null = args[i].Type, args[i].Nullable
				if err := checkFamily(v.Family, &v); err != nil {
					return catalog.Arg{}, err
				}
				params[i] = &v
			}
			n := l.Substitute(params)
			var err *condition.Error
			n.Body = tree.Rewrite(n.Body, func(s tree.Scalar) tree.Scalar {
				t, e := retype(s)
				if e != nil {
					if err == nil {
						err = e
					}
					return &tree.Bad{At: s.Pos()}
				}
				return t
			})
			if err != nil {
				return catalog.Arg{}, err
			}
			n.Body = tree.StripImplicit(n.Body)
			typed, *out = n, n
			arg := catalog.Arg{Type: n.Body.Type(), Nullable: n.Body.Nullable()}
			if lit, ok := n.Body.(*tree.Literal); ok {
				arg.Literal, arg.IsLiteral = lit.Value, true
			}
			return arg, nil
		},
		Cast: func(t datatype.Type) {
			typed = &tree.Lambda{Params: typed.Params, Body: implicit(typed.Body, t), At: typed.At}
			*out = typed
		},
	}}
}

// retype types a node anew after its operands were typed. Names stay as they are.
func retype(s tree.Scalar) (tree.Scalar, *condition.Error) {
	switch x := s.(type) {
	case *tree.Call:
		return resolveCall(x)
	case *tree.Case:
		return resolveCase(x)
	case *tree.Cast:
		return resolveCast(x)
	case *tree.GetField:
		return resolveField(x)
	}
	return s, nil
}

// strayParameter is the error of a parameter that is used outside of its function; nil where there is none.
func strayParameter(s tree.Scalar) *condition.Error {
	v := tree.FreeVariable(s)
	if v == nil {
		return nil
	}
	e := condition.Newf(condition.UnresolvedColumn, "%s is the parameter of a function of elements, and used outside of it.", datatype.QuoteName(v.Name))
	e.Pos, e.Hint = v.At, "Use it only in what the function gives."
	return e
}
