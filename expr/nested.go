package expr

import (
	"fmt"

	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// Methods of arrays and maps whose meaning in Ibis is not that of one function of Spark: they are made of several.

var (
	fnGet           = fn("get")
	fnTryElementAt  = fn("try_element_at")
	fnElementAt     = fn("element_at")
	fnContainsKey   = fn("map_contains_key")
	fnArrayPosition = fn("array_position")
	fnArrayRepeat   = fn("array_repeat")
	fnFlatten       = fn("flatten")
	fnArrayJoin     = fn("array_join")
	fnSize          = fn("size")
	fnZipWith       = fn("zip_with")
	fnNamedStruct   = fn("named_struct")
	fnArrayMax      = fn("array_max")
	fnArrayMin      = fn("array_min")
)

// At is the element at an index, counted from 0 or, when negative, from the end; null when the array is shorter. Ibis: a[index]. Spark: get,
// try_element_at.
func (v ArrayValue) At(index any) AnyValue {
	at := condition.Here(1)
	switch i := index.(type) {
	case int:
		if i < 0 {
			return callAt[AnyValue](at, fnTryElementAt, v, i)
		}
		return callAt[AnyValue](at, fnGet, v, i)
	case Value:
		// try_element_at of 0 raises, so it stands only where the index is below.
		below := callAt[BooleanValue](at, methodLt, index, 0)
		return caseValue[AnyValue](at, []any{below}, []any{callAt[AnyValue](at, fnTryElementAt, v, index)}, callAt[AnyValue](at, fnGet, v, index))
	}
	return callAt[AnyValue](at, fnGet, v, index)
}

// Index is the place of the element's first occurrence, counted from 0; -1 when there is none, null when the array or the element is.
// Spark: array_position(a, element) - 1.
func (v ArrayValue) Index(element any) NumericValue {
	at := condition.Here(1)
	return callAt[NumericValue](at, methodSub, callAt[NumericValue](at, fnArrayPosition, v, element), 1)
}

// Repeat puts the array n times one behind the other; it is empty when n is zero or less. Spark: flatten(array_repeat(a, n)), which is null
// for a null array too.
func (v ArrayValue) Repeat(n any) ArrayValue {
	at := condition.Here(1)
	return callAt[ArrayValue](at, fnFlatten, callAt[ArrayValue](at, fnArrayRepeat, v, n))
}

// Join joins the elements, which are texts, by a separator and leaves nulls out; an array without elements gives null, as in Ibis.
// Spark: array_join.
func (v ArrayValue) Join(separator any) StringValue {
	at := condition.Here(1)
	some := callAt[BooleanValue](at, methodGt, callAt[NumericValue](at, fnSize, v), 0)
	return caseValue[StringValue](at, []any{some}, []any{callAt[StringValue](at, fnArrayJoin, v, separator)}, nil)
}

// Anys tells whether an element is true; nulls are passed over, and an array without values gives null. Spark: array_max.
func (v ArrayValue) Anys() BooleanValue {
	return ofFamily[BooleanValue](callAt[AnyValue](condition.Here(1), fnArrayMax, v))
}

// Alls tells whether every element is true; nulls are passed over, and an array without values gives null. Spark: array_min.
func (v ArrayValue) Alls() BooleanValue {
	return ofFamily[BooleanValue](callAt[AnyValue](condition.Here(1), fnArrayMin, v))
}

func ofFamily[V Family[V]](v AnyValue) V {
	var out V
	if v.node != nil {
		if err := checkFamily(out.family(), v.node); err != nil {
			return failed[V](err.Pos, v.errs, err)
		}
	}
	return out.make(v.value)
}

// Zip puts the elements of the arrays side by side: structs with the fields f1, f2, …, where shorter arrays are filled with nulls.
// It is null when one of the arrays is. Spark: zip_with.
func (v ArrayValue) Zip(others ...ArrayValue) ArrayValue {
	at := condition.Here(1)
	if len(others) == 0 {
		e := condition.Newf(condition.InvalidValue, "Zip needs another array.")
		e.Hint = "Pass one or more."
		return failed[ArrayValue](at, v.errs, e)
	}
	out := v
	for i, o := range others {
		out = callAt[ArrayValue](at, fnZipWith, out, o, func(x, y AnyValue) Value {
			fields := []any{"f1", x}
			if i > 0 {
				fields = fields[:0]
				for k := range i + 1 {
					name := fmt.Sprintf("f%d", k+1)
					fields = append(fields, name, fieldOf(at, x, name))
				}
			}
			return callAt[StructValue](at, fnNamedStruct, append(fields, fmt.Sprintf("f%d", i+2), y)...)
		})
	}
	return out
}

// Get is the value of a key: null when the map has it not or is null itself. With a second argument a map that has the key not gives that
// instead. Spark: element_at, map_contains_key.
func (v MapValue) Get(key any, otherwise ...any) AnyValue {
	at := condition.Here(1)
	found := callAt[AnyValue](at, fnElementAt, v, key)
	if len(otherwise) == 0 {
		return found
	}
	if len(otherwise) > 1 {
		e := condition.Newf(condition.WrongNumArgs, "Get takes a key and one value for maps without it, not %d.", len(otherwise))
		return failed[AnyValue](at, v.errs, e)
	}
	has := callAt[BooleanValue](at, fnContainsKey, v, key)
	return caseValue[AnyValue](at, []any{has, callAt[BooleanValue](at, methodNot, has)}, []any{found, otherwise[0]}, nil)
}
