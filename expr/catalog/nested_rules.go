package catalog

import (
	"fmt"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// mayContainNull gives the array whose elements may be null: Spark then takes everything inside for nullable.
func mayContainNull(a datatype.Array) datatype.Type {
	if a.ContainsNull {
		return a
	}
	return datatype.AsNullable(a)
}

// nestedRules are the result rules of arrays and maps. They find types, and whether the elements of a result and the result itself may
// be null, as Spark's expressions of the same names do (collectionOperations.scala, complexTypeCreator.scala, higherOrderFunctions.scala).
func nestedRules() map[string]rule {
	return map[string]rule{
		"array":  arrayType,
		"first":  firstType,
		"concat": concatType,
		"array_contains": withEqual(func(a datatype.Array, e Arg, t *Typing) {
			t.Result, t.Nullable = datatype.Boolean, t.Nullable || e.Nullable || a.ContainsNull
		}),
		"array_append": withElement(func(a datatype.Array, _ Arg, t *Typing) {
			t.Result = mayContainNull(a) // Spark makes an array_insert of it, which may fill places with nulls
		}),
		"array_position": withEqual(func(_ datatype.Array, _ Arg, t *Typing) { t.Result = datatype.Long }),
		"array_remove":   withEqual(func(a datatype.Array, _ Arg, t *Typing) { t.Result = a }),
		"array_insert":   arrayInsertType,
		"array_compact": func(args []Arg, t *Typing) *condition.Error {
			return ofArray(args, t, func(a datatype.Array) { a.ContainsNull = false; t.Result = a })
		},
		"array_union":     twoArrays(func(a, b datatype.Array, t *Typing) { a.ContainsNull = a.ContainsNull || b.ContainsNull; t.Result = a }),
		"array_intersect": twoArrays(func(a, b datatype.Array, t *Typing) { a.ContainsNull = a.ContainsNull && b.ContainsNull; t.Result = a }),
		"array_except":    twoArrays(func(a, _ datatype.Array, t *Typing) { t.Result = a }),
		"arrays_overlap": twoArrays(func(a, b datatype.Array, t *Typing) {
			t.Result = datatype.Boolean
			t.Nullable = t.Nullable || a.ContainsNull || b.ContainsNull
		}),
		"array_distinct": func(args []Arg, t *Typing) *condition.Error {
			return orErr(args, t, func(a datatype.Array) *condition.Error { t.Result = a; return canCompare(a.Elem) })
		},
		"array_repeat": arrayRepeatType,
		"array_sort":   arraySortType,
		"arrays_zip":   arraysZipType,
		"element_at":   elementAtType,
		"get":          getType,
		"try_element_at": func(args []Arg, t *Typing) *condition.Error {
			if err := elementAtType(args, t); err != nil {
				return err
			}
			i, ok := args[1].Literal.(int64)
			n := int64(len(args[0].Elements))
			t.Nullable = t.Nullable || !ok || i > n || -i > n
			return nil
		},
		"map_at":           mapAtType,
		"flatten":          flattenType,
		"sequence":         sequenceType,
		"transform":        transformType,
		"filter":           filterType,
		"exists":           existsType,
		"aggregate":        aggregateType,
		"zip_with":         zipWithType,
		"map":              mapType,
		"map_from_arrays":  mapFromArraysType,
		"map_from_entries": mapFromEntriesType,
		// Spark leaves open whether the keys and values that it lists may be null.
		"map_keys": func(args []Arg, t *Typing) *condition.Error {
			return ofMap(args, t, func(m datatype.Map) { t.Result = datatype.Array{Elem: m.Key, ContainsNull: true} })
		},
		"map_values": func(args []Arg, t *Typing) *condition.Error {
			return ofMap(args, t, func(m datatype.Map) { t.Result = datatype.Array{Elem: m.Value, ContainsNull: true} })
		},
		"map_entries": func(args []Arg, t *Typing) *condition.Error {
			return ofMap(args, t, func(m datatype.Map) {
				t.Result = datatype.Array{Elem: datatype.Struct{Fields: []datatype.Field{{Name: "key", Type: m.Key}, {Name: "value", Type: m.Value, Nullable: m.ValueContainsNull}}}}
			})
		},
		"map_contains_key": mapContainsKeyType,
		"map_concat":       mapConcatType,
		"map_filter":       mapFilterType,
		"transform_keys":   transformKeysType,
		"transform_values": transformValuesType,
		"map_zip_with":     mapZipWithType,
	}
}

// tight is the common type of two without a text becoming a number: what Spark's functions over arrays ask for their elements, and those that look for a key in a
// map (TypeCoercion.findTightestCommonType, whether ANSI is on or not: it has no common type for decimals of different digits, and lets integers meet FLOAT as
// FLOAT, although ANSI makes them DOUBLE elsewhere).
func tight(a, b datatype.Type) (datatype.Type, bool) {
	switch {
	case a.Kind() == datatype.KindNull:
		return b, true
	case b.Kind() == datatype.KindNull:
		return a, true
	case datatype.IsString(a) != datatype.IsString(b):
		return nil, false
	}
	x, xd := a.(datatype.Decimal)
	y, yd := b.(datatype.Decimal)
	switch {
	case xd && yd:
		return x, x == y
	case xd && datatype.IsNumeric(b), yd && datatype.IsNumeric(a):
		d, other := x, b
		if yd {
			d, other = y, a
		}
		i, ok := datatype.DecimalOf(other)
		return d, ok && datatype.IsIntegral(other) && d.Precision-d.Scale >= i.Precision
	}
	switch p := a.(type) {
	case datatype.Array:
		q, ok := b.(datatype.Array)
		if !ok {
			return nil, false
		}
		e, ok := tight(p.Elem, q.Elem)
		return datatype.Array{Elem: e, ContainsNull: p.ContainsNull || q.ContainsNull}, ok
	case datatype.Map:
		q, ok := b.(datatype.Map)
		if !ok {
			return nil, false
		}
		k, ok1 := tight(p.Key, q.Key)
		v, ok2 := tight(p.Value, q.Value)
		return datatype.Map{Key: k, Value: v, ValueContainsNull: p.ValueContainsNull || q.ValueContainsNull}, ok1 && ok2
	case datatype.Struct:
		q, ok := b.(datatype.Struct)
		if !ok || len(p.Fields) != len(q.Fields) {
			return nil, false
		}
		fields := make([]datatype.Field, len(p.Fields))
		for i, f := range p.Fields {
			g := q.Fields[i]
			t, ok := tight(f.Type, g.Type)
			if !ok || datatype.FoldName(f.Name) != datatype.FoldName(g.Name) {
				return nil, false
			}
			fields[i] = datatype.Field{Name: f.Name, Type: t, Nullable: f.Nullable || g.Nullable}
		}
		return datatype.Struct{Fields: fields}, true
	}
	if a.Kind() == datatype.KindFloat && datatype.IsIntegral(b) || b.Kind() == datatype.KindFloat && datatype.IsIntegral(a) {
		return datatype.Float, true
	}
	return datatype.Common(a, b, true)
}

// wide is the common type of two where texts stay texts: what Spark asks for concat and the keys of map_zip_with (findWiderTypeWithoutStringPromotion).
func wide(a, b datatype.Type) (datatype.Type, bool) {
	if a.Kind() != datatype.KindNull && b.Kind() != datatype.KindNull && datatype.IsString(a) != datatype.IsString(b) {
		return nil, false
	}
	return datatype.Common(a, b, true)
}

func noArray(t datatype.Type) *condition.Error {
	e := condition.Newf(condition.DatatypeMismatch, "it needs an array, not %s.", t)
	e.Hint = "For a NULL give its type: expr.Null(datatype.Array{…})."
	return e
}

func noMap(t datatype.Type) *condition.Error {
	e := condition.Newf(condition.DatatypeMismatch, "it needs a map, not %s.", t)
	e.Hint = "For a NULL give its type: expr.Null(datatype.Map{…})."
	return e
}

func differ(a, b datatype.Type) *condition.Error {
	e := condition.Newf("DATATYPE_MISMATCH.ARRAY_FUNCTION_DIFF_TYPES", "it needs one type of elements, but %s and %s have none in common.", a, b)
	e.Hint = "Cast one of them."
	return e
}

// ofArray is a rule over an array as the first argument.
func ofArray(args []Arg, t *Typing, f func(a datatype.Array)) *condition.Error {
	a, ok := args[0].Type.(datatype.Array)
	if !ok {
		return noArray(args[0].Type)
	}
	t.Nullable = args[0].Nullable
	f(a)
	return nil
}

func ofMap(args []Arg, t *Typing, f func(m datatype.Map)) *condition.Error {
	m, ok := args[0].Type.(datatype.Map)
	if !ok {
		return noMap(args[0].Type)
	}
	t.Nullable = args[0].Nullable
	f(m)
	return nil
}

func firstType(args []Arg, t *Typing) *condition.Error {
	if args[0].Type.Kind() == datatype.KindNull {
		return noArray(args[0].Type)
	}
	t.Result = args[0].Type
	return nil
}

func arrayType(args []Arg, t *Typing) *condition.Error {
	null := false
	var elem datatype.Type = datatype.Null
	for i, a := range args {
		null = null || a.Nullable
		elem = t.Args[i]
	}
	t.Result = datatype.Array{Elem: elem, ContainsNull: null}
	return nil
}

// concatType joins arrays; a call without any argument is of texts, and matched before.
func concatType(args []Arg, t *Typing) *condition.Error {
	var out datatype.Type = datatype.Null
	for _, a := range args {
		c, ok := wide(out, a.Type)
		if !ok {
			return differ(out, a.Type)
		}
		out = c
	}
	if out.Kind() != datatype.KindArray {
		return noArray(out)
	}
	for i, a := range args {
		x, _ := a.Type.(datatype.Array)
		t.Args[i] = datatype.Array{Elem: out.(datatype.Array).Elem, ContainsNull: x.ContainsNull}
	}
	t.Result = out
	return nil
}

// withElement is a rule over an array and a value that becomes of its elements' type.
func withElement(f func(a datatype.Array, e Arg, t *Typing)) rule {
	return func(args []Arg, t *Typing) *condition.Error {
		a, ok := args[0].Type.(datatype.Array)
		if !ok {
			return noArray(args[0].Type)
		}
		e := args[len(args)-1]
		c, ok := tight(a.Elem, e.Type)
		if !ok {
			return differ(a, e.Type)
		}
		a.Elem = c
		t.Args[0], t.Args[len(args)-1] = a, c
		t.Nullable = args[0].Nullable
		f(a, e, t)
		return nil
	}
}

// withEqual is withElement for functions that look for the value.
func withEqual(f func(a datatype.Array, e Arg, t *Typing)) rule {
	return func(args []Arg, t *Typing) *condition.Error {
		if err := withElement(f)(args, t); err != nil {
			return err
		}
		return canCompare(t.Args[1])
	}
}

// canCompare refuses elements that Spark cannot compare: maps and variants.
func canCompare(t datatype.Type) *condition.Error {
	if datatype.IsOrderable(t) {
		return nil
	}
	e := condition.Newf("DATATYPE_MISMATCH.INVALID_ORDERING_TYPE", "values of %s have no order, and so cannot be compared.", t)
	e.Hint = "Compare a part of them, with transform."
	return e
}

// twoArrays is a rule over two arrays whose elements get a common type.
func twoArrays(f func(a, b datatype.Array, t *Typing)) rule {
	return func(args []Arg, t *Typing) *condition.Error {
		a, ok := args[0].Type.(datatype.Array)
		if !ok {
			return noArray(args[0].Type)
		}
		b, ok := args[1].Type.(datatype.Array)
		if !ok {
			return noArray(args[1].Type)
		}
		c, ok := tight(a.Elem, b.Elem)
		if !ok {
			return differ(a, b)
		}
		a.Elem, b.Elem = c, c
		t.Args[0], t.Args[1] = a, b
		t.Nullable = args[0].Nullable || args[1].Nullable
		f(a, b, t)
		return canCompare(c)
	}
}

func arrayInsertType(args []Arg, t *Typing) *condition.Error {
	if args[1].Type.Kind() == datatype.KindNull {
		e := condition.Newf(condition.DatatypeMismatch, "a NULL position must have a type.")
		e.Hint = "Write expr.Null(datatype.Int)."
		return e
	}
	return withElement(func(a datatype.Array, _ Arg, t *Typing) {
		t.Nullable = t.Nullable || args[1].Nullable
		t.Result = mayContainNull(a) // the places up to one beyond the end are filled with nulls
	})(args, t)
}

func arrayRepeatType(args []Arg, t *Typing) *condition.Error {
	if k := args[1].Type.Kind(); k != datatype.KindInt && k != datatype.KindNull {
		e := condition.Newf(condition.DatatypeMismatch, "its count must be an INT, which Spark does not cast by itself, not %s.", args[1].Type)
		e.Hint = "Cast it to INT."
		return e
	}
	t.Result, t.Nullable = datatype.Array{Elem: args[0].Type, ContainsNull: args[0].Nullable}, args[1].Nullable
	return nil
}

// element is the argument that a function of elements gets of an array.
func element(a datatype.Array) Arg { return Arg{Type: a.Elem, Nullable: a.ContainsNull} }

// index is the argument that a function of elements gets as the element's place.
var index = Arg{Type: datatype.Int}

func arraySortType(args []Arg, t *Typing) *condition.Error {
	return orErr(args, t, func(a datatype.Array) *condition.Error {
		t.Result = a
		if len(args) == 1 {
			return canCompare(a.Elem)
		}
		// Spark's comparator sees elements as nullable whatever the array says.
		x := Arg{Type: a.Elem, Nullable: a.ContainsNull}
		b, err := args[1].Lambda.Body(x, x)
		if err != nil {
			return err
		}
		switch b.Type.Kind() {
		case datatype.KindInvalid:
			t.Result = datatype.Invalid
		case datatype.KindInt:
		default:
			e := condition.Newf("DATATYPE_MISMATCH.UNEXPECTED_RETURN_TYPE", "the function that compares must give an INT, not %s.", b.Type)
			e.Hint = "Give -1, 0 or 1."
			return e
		}
		return nil
	})
}

// orErr is ofArray for rules that may fail.
func orErr(args []Arg, t *Typing, f func(a datatype.Array) *condition.Error) *condition.Error {
	var err *condition.Error
	if e := ofArray(args, t, func(a datatype.Array) { err = f(a) }); e != nil {
		return e
	}
	return err
}

func arraysZipType(args []Arg, t *Typing) *condition.Error {
	var fields []datatype.Field
	for i, a := range args {
		x, ok := a.Type.(datatype.Array)
		if !ok {
			return noArray(a.Type)
		}
		name := a.Name
		if name == "" {
			name = fmt.Sprint(i)
		}
		fields = append(fields, datatype.Field{Name: name, Type: x.Elem, Nullable: true})
	}
	t.Result = datatype.Array{Elem: datatype.Struct{Fields: fields}}
	return nil
}

// elementAtType and getType: an index that is a literal within an array whose elements are listed is as nullable as that element.
func elementAtType(args []Arg, t *Typing) *condition.Error {
	return ofArray(args, t, func(a datatype.Array) {
		t.Result = a.Elem
		i, ok := args[1].Literal.(int64)
		n := int64(len(args[0].Elements))
		switch {
		case ok && i > 0 && i <= n:
			t.Nullable = args[0].Elements[i-1]
		case ok && i < 0 && -i <= n:
			t.Nullable = args[0].Elements[n+i]
		case ok && n == 0:
			t.Nullable = true // Spark looks for the element of a constant index, and finds it in a list only
		default:
			t.Nullable = t.Nullable || args[1].Nullable || a.ContainsNull
		}
	})
}

func getType(args []Arg, t *Typing) *condition.Error {
	return ofArray(args, t, func(a datatype.Array) {
		t.Result, t.Nullable = a.Elem, true
		if i, ok := args[1].Literal.(int64); ok && i >= 0 && i < int64(len(args[0].Elements)) {
			t.Nullable = args[0].Elements[i]
		}
	})
}

func mapAtType(args []Arg, t *Typing) *condition.Error {
	m, ok := args[0].Type.(datatype.Map)
	if !ok {
		return noMap(args[0].Type)
	}
	if err := withKey(args, t, m); err != nil {
		return err
	}
	t.Result, t.Nullable = m.Value, true
	return nil
}

// withKey gives a map and a key their common type.
func withKey(args []Arg, t *Typing, m datatype.Map) *condition.Error {
	c, ok := tight(m.Key, args[1].Type)
	if !ok {
		e := condition.Newf("DATATYPE_MISMATCH.MAP_FUNCTION_DIFF_TYPES", "a key of %s cannot be looked up in %s.", args[1].Type, m)
		e.Hint = "Cast the key."
		return e
	}
	m.Key = c
	t.Args[0], t.Args[1] = m, c
	return nil
}

func mapContainsKeyType(args []Arg, t *Typing) *condition.Error {
	m, ok := args[0].Type.(datatype.Map)
	if !ok {
		return noMap(args[0].Type)
	}
	if args[1].Type.Kind() == datatype.KindNull {
		e := condition.Newf("DATATYPE_MISMATCH.NULL_TYPE", "a NULL key must have a type.")
		e.Hint = "Write expr.Null(…) with the type of the keys."
		return e
	}
	t.Result, t.Nullable = datatype.Boolean, true // Spark looks in map_keys, whose elements it holds to be nullable
	return withKey(args, t, m)
}

func flattenType(args []Arg, t *Typing) *condition.Error {
	return orErr(args, t, func(a datatype.Array) *condition.Error {
		inner, ok := a.Elem.(datatype.Array)
		if !ok {
			return noArray(a.Elem)
		}
		t.Result, t.Nullable = inner, t.Nullable || a.ContainsNull
		return nil
	})
}

// sequenceType is of dates and time stamps: the steps are intervals, a day by default.
func sequenceType(args []Arg, t *Typing) *condition.Error {
	c := t.Args[0]
	if c == nil || c.Kind() == datatype.KindNull {
		return condition.Newf(condition.DatatypeMismatch, "it needs integers, dates or time stamps.")
	}
	t.Result = datatype.Array{Elem: c}
	return nil
}

// typed asks a lambda for the type of what it gives; ok is false while that is not known.
func typed(l *Lambda, t *Typing, args ...Arg) (b Arg, ok bool, err *condition.Error) {
	b, err = l.Body(args...)
	if err == nil && b.Type.Kind() == datatype.KindInvalid {
		t.Result, t.Nullable = datatype.Invalid, true
		return b, false, nil
	}
	return b, err == nil, err
}

func wantBoolean(b Arg) *condition.Error {
	if b.Type.Kind() == datatype.KindBoolean {
		return nil
	}
	e := condition.Newf("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", "the function must give a BOOLEAN, not %s.", b.Type)
	e.Hint = "Compare: x.Gt(0)."
	return e
}

func transformType(args []Arg, t *Typing) *condition.Error {
	return orErr(args, t, func(a datatype.Array) *condition.Error {
		b, ok, err := typed(args[1].Lambda, t, element(a), index)
		if ok {
			t.Result = datatype.Array{Elem: b.Type, ContainsNull: b.Nullable}
		}
		return err
	})
}

func filterType(args []Arg, t *Typing) *condition.Error {
	return orErr(args, t, func(a datatype.Array) *condition.Error {
		b, ok, err := typed(args[1].Lambda, t, element(a), index)
		if !ok {
			return err
		}
		t.Result = a
		return wantBoolean(b)
	})
}

func existsType(args []Arg, t *Typing) *condition.Error {
	return orErr(args, t, func(a datatype.Array) *condition.Error {
		b, ok, err := typed(args[1].Lambda, t, element(a))
		if !ok {
			return err
		}
		t.Result, t.Nullable = datatype.Boolean, t.Nullable || b.Nullable
		return wantBoolean(b)
	})
}

// aggregateType: what is accumulated is nullable whatever start is, and merge must give its type.
func aggregateType(args []Arg, t *Typing) *condition.Error {
	return orErr(args, t, func(a datatype.Array) *condition.Error {
		acc := Arg{Type: args[1].Type, Nullable: true}
		b, ok, err := typed(args[2].Lambda, t, acc, element(a))
		if !ok {
			return err
		}
		if !datatype.EqualIgnoringNulls(b.Type, acc.Type) {
			e := condition.Newf("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", "the function that merges must give the type of the start, %s, not %s.", acc.Type, b.Type)
			e.Hint = "Cast the start, or what the function gives."
			return e
		}
		t.Result = acc.Type
		if len(args) < 4 {
			t.Nullable = true
			return nil
		}
		f, ok, err := typed(args[3].Lambda, t, acc)
		if ok {
			t.Result, t.Nullable = f.Type, t.Nullable || f.Nullable
		}
		return err
	})
}

func zipWithType(args []Arg, t *Typing) *condition.Error {
	a, ok := args[0].Type.(datatype.Array)
	if !ok {
		return noArray(args[0].Type)
	}
	b, ok := args[1].Type.(datatype.Array)
	if !ok {
		return noArray(args[1].Type)
	}
	t.Nullable = args[0].Nullable || args[1].Nullable
	r, ok, err := typed(args[2].Lambda, t, Arg{Type: a.Elem, Nullable: true}, Arg{Type: b.Elem, Nullable: true})
	if ok {
		t.Result = datatype.Array{Elem: r.Type, ContainsNull: r.Nullable}
	}
	return err
}

// mapType types map(key, value, …).
func mapType(args []Arg, t *Typing) *condition.Error {
	if len(args)%2 != 0 {
		e := condition.Newf(condition.WrongNumArgs, "it takes keys and values in turn, and got %d arguments.", len(args))
		return e
	}
	var key, val datatype.Type = datatype.Null, datatype.Null
	null := false
	for i := 0; i < len(args); i += 2 {
		for j, to := range []*datatype.Type{&key, &val} {
			c, ok := datatype.Common(*to, args[i+j].Type, true)
			if !ok {
				word := []string{"KEY", "VALUE"}[j]
				e := condition.Newf("DATATYPE_MISMATCH.CREATE_MAP_"+word+"_DIFF_TYPES", "%s and %s have no common type.", *to, args[i+j].Type)
				e.Hint = "Cast one of them."
				return e
			}
			*to = c
		}
		null = null || args[i+1].Nullable
	}
	if key.Kind() == datatype.KindMap {
		return condition.Newf("DATATYPE_MISMATCH.INVALID_MAP_KEY_TYPE", "a map cannot be a key.")
	}
	for i := range args {
		t.Args[i] = key
		if i%2 == 1 {
			t.Args[i] = val
		}
	}
	t.Result = datatype.Map{Key: key, Value: val, ValueContainsNull: null}
	return nil
}

func mapFromArraysType(args []Arg, t *Typing) *condition.Error {
	k, ok := args[0].Type.(datatype.Array)
	if !ok {
		return noArray(args[0].Type)
	}
	v, ok := args[1].Type.(datatype.Array)
	if !ok {
		return noArray(args[1].Type)
	}
	t.Result = datatype.Map{Key: k.Elem, Value: v.Elem, ValueContainsNull: v.ContainsNull}
	return nil
}

func mapFromEntriesType(args []Arg, t *Typing) *condition.Error {
	return orErr(args, t, func(a datatype.Array) *condition.Error {
		s, ok := a.Elem.(datatype.Struct)
		if !ok || len(s.Fields) != 2 {
			e := condition.Newf("DATATYPE_MISMATCH.MAP_FROM_ENTRIES_WRONG_TYPE", "it needs an array of structs of a key and a value, not %s.", a)
			return e
		}
		t.Result = datatype.Map{Key: s.Fields[0].Type, Value: s.Fields[1].Type, ValueContainsNull: s.Fields[1].Nullable}
		t.Nullable = t.Nullable || a.ContainsNull
		return nil
	})
}

func mapConcatType(args []Arg, t *Typing) *condition.Error {
	var out datatype.Type = datatype.Null
	for _, a := range args {
		c, ok := wide(out, a.Type)
		if !ok {
			e := condition.Newf("DATATYPE_MISMATCH.DATA_DIFF_TYPES", "%s and %s have no common type.", out, a.Type)
			e.Hint = "Cast one of them."
			return e
		}
		out = c
	}
	m, ok := out.(datatype.Map)
	if len(args) == 0 {
		m, ok = datatype.Map{Key: datatype.String, Value: datatype.String, ValueContainsNull: true}, true
	}
	if !ok {
		return noMap(out)
	}
	for i, a := range args {
		x, _ := a.Type.(datatype.Map)
		t.Args[i] = datatype.Map{Key: m.Key, Value: m.Value, ValueContainsNull: x.ValueContainsNull}
	}
	t.Result = m
	return nil
}

// entry gives the arguments that a function of entries gets.
func entry(m datatype.Map) (k, v Arg) {
	return Arg{Type: m.Key}, Arg{Type: m.Value, Nullable: m.ValueContainsNull}
}

// ofEntries is a rule over a map and a function of its entries.
func ofEntries(args []Arg, t *Typing, f func(m datatype.Map, b Arg) *condition.Error) *condition.Error {
	m, ok := args[0].Type.(datatype.Map)
	if !ok {
		return noMap(args[0].Type)
	}
	t.Nullable = args[0].Nullable
	k, v := entry(m)
	b, ok, err := typed(args[1].Lambda, t, k, v)
	if !ok {
		return err
	}
	return f(m, b)
}

func mapFilterType(args []Arg, t *Typing) *condition.Error {
	return ofEntries(args, t, func(m datatype.Map, b Arg) *condition.Error {
		t.Result = m
		return wantBoolean(b)
	})
}

func transformKeysType(args []Arg, t *Typing) *condition.Error {
	return ofEntries(args, t, func(m datatype.Map, b Arg) *condition.Error {
		if b.Type.Kind() == datatype.KindMap {
			return condition.Newf("DATATYPE_MISMATCH.INVALID_MAP_KEY_TYPE", "a map cannot be a key.")
		}
		m.Key = b.Type
		t.Result = m
		return nil
	})
}

func transformValuesType(args []Arg, t *Typing) *condition.Error {
	return ofEntries(args, t, func(m datatype.Map, b Arg) *condition.Error {
		m.Value, m.ValueContainsNull = b.Type, b.Nullable
		t.Result = m
		return nil
	})
}

func mapZipWithType(args []Arg, t *Typing) *condition.Error {
	a, ok := args[0].Type.(datatype.Map)
	if !ok {
		return noMap(args[0].Type)
	}
	b, ok := args[1].Type.(datatype.Map)
	if !ok {
		return noMap(args[1].Type)
	}
	key, ok := wide(a.Key, b.Key)
	if !ok {
		e := condition.Newf("DATATYPE_MISMATCH.MAP_ZIP_WITH_DIFF_TYPES", "keys of %s and %s have no common type.", a.Key, b.Key)
		e.Hint = "Cast the keys of one of them."
		return e
	}
	a.Key, b.Key = key, key
	t.Args[0], t.Args[1] = a, b
	t.Nullable = args[0].Nullable || args[1].Nullable
	r, ok, err := typed(args[2].Lambda, t, Arg{Type: key}, Arg{Type: a.Value, Nullable: true}, Arg{Type: b.Value, Nullable: true})
	if ok {
		t.Result = datatype.Map{Key: key, Value: r.Type, ValueContainsNull: r.Nullable}
	}
	return err
}
