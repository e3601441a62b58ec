package catalog

import (
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

func init() {
	declare("null",
		&Function{Name: "nvl", Aliases: []string{"ifnull"}, Sigs: []string{"(a T, b T) T"}, Nulls: NullIfAll,
			Doc: "is the value, or b where it is null.", Example: "nvl(NULL, array('2'))"},
		&Function{Name: "nvl2", Sigs: []string{"(a any, b T, c T) @nvl2"}, Nulls: NeverNull,
			Doc: "is b where the first value is not null, else c.", Example: "nvl2(NULL, 2, 1)"},
		&Function{Name: "zeroifnull", Go: "ZeroIfNull", Sigs: []string{"(a numeric) @zeroifnull"}, Nulls: NeverNull, Returns: NumericFamily, Since: "4.0",
			Doc: "is the number, or zero where it is null; narrow integers become an INT.", Example: "zeroifnull(NULL)"},
		&Function{Name: "nullifzero", Go: "NullIfZero", Sigs: []string{"(a N) N"}, Nulls: MayBeNull, Returns: NumericFamily, Since: "4.0",
			Doc: "is the number, or null where it is zero.", Example: "nullifzero(0)"},
		&Function{Name: "nanvl", Go: "NaNvl", Sigs: []string{"(a double, b double) double", "(a float, b float) float"},
			Doc: "is the value, or b where it is NaN.", Example: "nanvl(cast('NaN' AS DOUBLE), 123)"},
	)
	declare("check",
		&Function{Name: "assert_true", Sigs: []string{"(condition boolean, message? string) void"}, Nulls: MayBeNull,
			Doc: "is null where the condition is true and raises USER_RAISED_EXCEPTION otherwise, for null too.", Example: "assert_true(0 < 1)"},
		&Function{Name: "raise_error", Sigs: []string{"(message string) void"}, Nulls: MayBeNull,
			Doc: "raises USER_RAISED_EXCEPTION with a message, for every row that asks for it.", Example: "raise_error('custom error message')"},
		&Function{Name: "typeof", Go: "TypeOf", Method: "TypeOf", Sigs: []string{"(a any) string"}, Nulls: NeverNull, Since: "3.0",
			Doc: "is the name of the value's type in lower case.", Example: "typeof(array(1))"},
	)
}

// familyRules are the result rules of the families in files of their own.
func familyRules() map[string]rule {
	return map[string]rule{
		"regr_avg":        regrAvgType,
		"approx_distinct": approxDistinctType,
		"percentile":      percentileType,
		"hash32":          hashType(datatype.Int),
		"hash64":          hashType(datatype.Long),
		"decode":          decodeType,
		"to_binary":       toBinaryType,
		"decode_charset": func(_ []Arg, t *Typing) *condition.Error {
			t.Result, t.Nullable = datatype.String, true
			return nil
		},
		"histogram": func(args []Arg, t *Typing) *condition.Error {
			for _, a := range args[1:3] {
				if a.Type.Kind() != args[0].Type.Kind() {
					e := condition.Newf("DATATYPE_MISMATCH.DATA_DIFF_TYPES", "the value and the bounds are of one type, not %s and %s.", args[0].Type, a.Type)
					e.Hint = "Cast one of them."
					return e
				}
			}
			t.Result, t.Nullable = datatype.Long, true
			return nil
		},
		"nvl2": func(args []Arg, t *Typing) *condition.Error {
			t.Result, t.Nullable = t.Args[1], args[1].Nullable || args[2].Nullable
			return nil
		},
		"zeroifnull": func(args []Arg, t *Typing) *condition.Error {
			c, _ := datatype.Common(args[0].Type, datatype.Int, true)
			t.Args[0], t.Result = c, c
			return nil
		},
	}
}
