package conformance

import (
	"fmt"
	"slices"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/window"
)

// raising are the functions with calls that raise for the one row, which Spark does while it plans, for it computes constants then.
var raising = []string{"aggregate", "array_insert", "array_repeat", "array_sort", "assert_true", "bit_get", "conv", "decode", "element_at", "encode", "exists", "forall", "make_date",
	"map", "map_concat", "map_from_arrays", "map_from_entries", "map_zip_with", "raise_error", "sequence", "slice", "str_to_map", "to_binary", "transform", "transform_keys",
	"try_element_at", "zip_with"}

// nullability has a case for each function and each type to cast to: its calls over columns that are never null, so that it shows which results Spark
// takes for nullable all the same. The columns of [Values] have nulls, and say nothing of it. No row is asked for, since some would raise.
func nullability() []Case {
	v := oneValue()
	var out []Case
	for _, f := range catalog.All() {
		if slices.Contains(raising, f.Name) {
			continue
		}
		lists, chosen := argumentLists(f)
		var calls []any
		for _, args := range lists {
			in := make([]any, len(args))
			for j, a := range args {
				in[j] = a
				if c, ok := a.(col); ok {
					in[j] = v.Col(string(c))
				}
			}
			call := expr.Call[expr.AnyValue](f.Name, in...)
			if f.Kind == catalog.Window {
				call = call.Over(window.Over().OrderBy("id"))
			}
			call = call.As(fmt.Sprintf("r%d", len(calls)+1))
			if chosen || v.Select(call).Err() == nil {
				calls = append(calls, call)
			}
		}
		if len(calls) == 0 {
			continue
		}
		t := v.Select(calls...)
		if f.Kind == catalog.Aggregate {
			values := make([]expr.Value, len(calls))
			for i, c := range calls {
				values[i] = c.(expr.Value)
			}
			t = v.GroupBy("id").Agg(values...)
		}
		out = append(out, Case{Name: f.Name, Table: t.Limit(0)})
	}
	for _, to := range castTargets {
		var casts, tries []any
		for _, f := range v.Schema().Fields() {
			c, try := v.Col(f.Name).Cast(to).As(f.Name), v.Col(f.Name).TryCast(to).As(f.Name)
			if v.Select(c).Err() != nil {
				continue
			}
			tries = append(tries, try)
			switch f.Type.Kind() {
			case datatype.KindString, datatype.KindTimestamp, datatype.KindDayTime, datatype.KindYearMonth: // some of them raise
			default:
				casts = append(casts, c)
			}
		}
		out = append(out, Case{Name: "CAST AS " + to.String(), Table: v.Select(casts...).Limit(0)}, Case{Name: "TRY_CAST AS " + to.String(), Table: v.Select(tries...).Limit(0)})
	}
	// A text that can be read has a nullable cast all the same.
	number := tables("t", mustFields("n STRING, d STRING"), [][]any{{"1", "2024-02-29"}})
	out = append(out, Case{Name: "casts of texts", Table: number.Select(number.Str("n").Cast(datatype.Int).As("i"), number.Str("n").Cast(datatype.Decimal{Precision: 10, Scale: 2}).As("n"),
		number.Str("d").Cast(datatype.Date).As("d"), number.Str("d").Cast(datatype.Timestamp).As("t"), number.Str("d").Cast(datatype.Binary).As("b"), number.Str("n").Eq(1).As("e"))})
	return out
}
