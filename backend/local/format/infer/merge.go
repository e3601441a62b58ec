package infer

import (
	"fmt"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Merge puts the columns of another file behind those that are known, and merges those of one name: fields of structs, digits of decimals and parts of intervals are
// put together, and any other types must be equal (CANNOT_MERGE_SCHEMAS). Names of columns are compared without regard to letter case, those of fields
// within them as they are.
//
// Source: Spark's StructType.merge.
func Merge(known, more []datatype.Field) ([]datatype.Field, error) {
	out, err := merge(known, more, datatype.FoldName)
	if err != nil {
		e := condition.Newf(condition.CannotMergeSchemas, "Failed merging schemas: the columns %s and %s cannot be merged, since %v.", datatype.DDL(known), datatype.DDL(more), err)
		e.Hint = "Write the files anew with equal types, read them one by one, or declare the columns."
		return nil, e
	}
	return out, nil
}

func merge(known, more []datatype.Field, key func(string) string) ([]datatype.Field, error) {
	at := make(map[string]int, len(known))
	out := make([]datatype.Field, len(known), len(known)+len(more))
	for i, f := range known {
		at[key(f.Name)], out[i] = i, f
	}
	for _, f := range more {
		i, ok := at[key(f.Name)]
		if !ok || i >= len(known) {
			at[key(f.Name)] = len(out)
			out = append(out, f)
			continue
		}
		t, err := mergeTypes(out[i].Type, f.Type)
		if err != nil {
			return nil, err
		}
		out[i].Type, out[i].Nullable = t, out[i].Nullable || f.Nullable
	}
	return out, nil
}

func mergeTypes(a, b datatype.Type) (datatype.Type, error) {
	if datatype.Equal(a, b) {
		return a, nil
	}
	switch x := a.(type) {
	case datatype.Array:
		if y, ok := b.(datatype.Array); ok {
			elem, err := mergeTypes(x.Elem, y.Elem)
			return datatype.Array{Elem: elem, ContainsNull: x.ContainsNull || y.ContainsNull}, err
		}
	case datatype.Map:
		if y, ok := b.(datatype.Map); ok {
			k, err := mergeTypes(x.Key, y.Key)
			if err != nil {
				return nil, err
			}
			v, err := mergeTypes(x.Value, y.Value)
			return datatype.Map{Key: k, Value: v, ValueContainsNull: x.ValueContainsNull || y.ValueContainsNull}, err
		}
	case datatype.Struct:
		if y, ok := b.(datatype.Struct); ok {
			fields, err := merge(x.Fields, y.Fields, func(name string) string { return name })
			return datatype.Struct{Fields: fields}, err
		}
	case datatype.Decimal:
		if y, ok := b.(datatype.Decimal); ok && x.Scale == y.Scale {
			return datatype.Decimal{Precision: max(x.Precision, y.Precision), Scale: x.Scale}, nil
		}
	case datatype.YearMonth:
		if y, ok := b.(datatype.YearMonth); ok {
			return datatype.YearMonth{Start: min(x.Start, y.Start), End: max(x.End, y.End)}, nil
		}
	case datatype.DayTime:
		if y, ok := b.(datatype.DayTime); ok {
			return datatype.DayTime{Start: min(x.Start, y.Start), End: max(x.End, y.End)}, nil
		}
	}
	return nil, fmt.Errorf("%s and %s are different types", a, b)
}
