package analyze

import (
	"errors"
	"reflect"
	"strings"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Parameters checks that each parameter of a query has one type and one value, as it must before the query runs.
//
// Source: Spark's condition UNBOUND_SQL_PARAMETER; that a name stands for one thing is Spark's map of arguments.
func Parameters(r tree.Relation) error {
	var errs []error
	values := map[string]*tree.Literal{}
	fail := func(name, message, hint string, at condition.Pos, cond string) {
		e := condition.Newf(cond, "Parameter :%s %s.", name, message)
		e.Operator, e.Pos, e.Hint = "Param", at, hint
		errs = append(errs, e)
	}
	at := map[string]condition.Pos{}
	tree.WalkRelations(r, func(x tree.Relation) {
		b, ok := x.(*tree.Bind)
		if !ok {
			return
		}
		for _, v := range b.Values {
			if have := values[v.Name]; have != nil && !sameValue(have, v.Value) {
				fail(v.Name, "is bound to two values: at "+at[v.Name].String()+" and at "+b.At.String(), "Use a parameter of another name for one of them.", b.At, condition.InvalidValue)
			}
			values[v.Name], at[v.Name] = v.Value, b.At
		}
	})
	declared := map[string]*tree.Param{}
	for _, p := range tree.Params(r) {
		switch have := declared[p.Name]; {
		case have != nil:
			if !datatype.Equal(have.Typ, p.Typ) {
				fail(p.Name, "is declared as "+have.Typ.String()+" and as "+p.Typ.String(), "Declare it once, or use two names.", p.At, condition.DatatypeMismatch)
			} else {
				fail(p.Name, "is declared as one that may be null and as one that may not", "Declare it once, or use two names.", p.At, condition.InvalidValue)
			}
		case values[p.Name] == nil:
			fail(p.Name, "has no value", "Give it one with table.Bind(expr.Params{\""+p.Name+"\": …}).", p.At, "UNBOUND_SQL_PARAMETER")
		case !datatype.Equal(values[p.Name].Typ, p.Typ):
			fail(p.Name, "is "+p.Typ.String()+" but bound to "+values[p.Name].Typ.String(), "Bind a table that has this parameter.", p.At, condition.DatatypeMismatch)
		case values[p.Name].Value == nil && !p.Null:
			fail(p.Name, "is bound to NULL", "Use expr.NullableParam.", p.At, condition.InvalidValue)
		}
		declared[p.Name] = p
	}
	return errors.Join(errs...)
}

// sameValue tells whether two literals are alike; NaN is like NaN.
func sameValue(a, b *tree.Literal) bool {
	return datatype.Equal(a.Typ, b.Typ) && (reflect.DeepEqual(a.Value, b.Value) || a.Value != nil && b.Value != nil && strings.EqualFold(tree.LiteralText(a), "NaN") && tree.LiteralText(a) == tree.LiteralText(b))
}
