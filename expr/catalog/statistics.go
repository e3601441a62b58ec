package catalog

import (
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// moment declares a statistic of one DOUBLE.
func moment(name, method, doc string, aliases ...string) *Function {
	return &Function{Name: name, Aliases: aliases, Kind: Aggregate, Method: method, On: NumericFamily, Sigs: []string{"(a double) double"}, Nulls: MayBeNull, OrderSensitive: true, Doc: doc, Example: name + "(1)"}
}

// moments2 declares a statistic of pairs of DOUBLEs.
func moments2(name, method, params, doc string) *Function {
	return &Function{Name: name, Kind: Aggregate, Method: method, On: NumericFamily, Sigs: []string{params + " double"}, Nulls: MayBeNull, OrderSensitive: true, Doc: doc, Example: name + "(1, 2)"}
}

// Statistics. What is computed in doubles moves in its last bits with the order of the rows, and so on Spark with the partitions.
func init() {
	const ab, yx = "(a double, b double)", "(y double, x double)"
	bits := func(name, method, doc string) *Function {
		return &Function{Name: name, Kind: Aggregate, Method: method, On: NumericFamily, Sigs: []string{"(a I) I"}, Nulls: MayBeNull, Returns: NumericFamily, Since: "3.0", Doc: doc, Example: name + "(1)"}
	}
	declare("aggregate",
		bits("bit_and", "BitAnd", "has the bits that all values have, null over no values."),
		bits("bit_or", "BitOr", "has the bits that some value has, null over no values."),
		bits("bit_xor", "BitXor", "has the bits that an odd number of values has, null over no values."),
		moment("stddev", "StdDev", "is the sample standard deviation, null over fewer than two values.", "stddev_samp", "std"),
		moment("stddev_pop", "StdDevPop", "is the population standard deviation, null over no values."),
		moment("variance", "Var", "is the sample variance, null over fewer than two values.", "var_samp"),
		moment("var_pop", "VarPop", "is the population variance, null over no values."),
		moment("skewness", "Skewness", "is the skewness, null over no values or equal ones."),
		moment("kurtosis", "Kurtosis", "is the excess kurtosis, null over no values or equal ones."),
		moments2("corr", "Corr", ab, "is Pearson's correlation of the pairs without a null, null over fewer than two. Where one side does not vary it raises DIVIDE_BY_ZERO under ANSI and is null otherwise."),
		moments2("covar_pop", "CovPop", ab, "is the population covariance of the pairs without a null, null over none."),
		moments2("covar_samp", "Cov", ab, "is the sample covariance of the pairs without a null, null over fewer than two."),
		&Function{Name: "regr_count", Kind: Aggregate, Sigs: []string{"(y double, x double) bigint"}, Nulls: NeverNull, Since: "3.3",
			Doc: "is the number of pairs without a null.", Example: "regr_count(1, 2)"},
		&Function{Name: "regr_avgx", Kind: Aggregate, Sigs: []string{"(y numeric, x numeric) @regr_avg"}, Nulls: MayBeNull, Returns: NumericFamily, OrderSensitive: true, Since: "3.3",
			Doc: "is the mean of x over the pairs without a null, a DOUBLE; decimals are to be cast.", Example: "regr_avgx(1, 2)"},
		&Function{Name: "regr_avgy", Kind: Aggregate, Sigs: []string{"(y numeric, x numeric) @regr_avg"}, Nulls: MayBeNull, Returns: NumericFamily, OrderSensitive: true, Since: "3.3",
			Doc: "is the mean of y over the pairs without a null, a DOUBLE; decimals are to be cast.", Example: "regr_avgy(1, 2)"},
		moments2("regr_sxx", "", yx, "is the sum of squares of x around its mean, over the pairs without a null."),
		moments2("regr_syy", "", yx, "is the sum of squares of y around its mean, over the pairs without a null."),
		moments2("regr_sxy", "", yx, "is the sum of products of x and y around their means, over the pairs without a null."),
		moments2("regr_slope", "", yx, "is the slope of the line of least squares through the pairs without a null; null where x does not vary."),
		moments2("regr_intercept", "", yx, "is where the line of least squares through the pairs without a null meets x = 0; null where x does not vary."),
		moments2("regr_r2", "", yx, "is the coefficient of determination of the pairs without a null: null where x does not vary, 1 where only y does not."),
		&Function{Name: "max_by", Kind: Aggregate, Method: "MaxBy", Ibis: "argmax", Sigs: []string{"(a T, by O) T"}, Nulls: MayBeNull, OrderSensitive: true, Since: "3.0",
			Doc: "is the value, null or not, of the row with the greatest by; of several the last that Spark happens to see.", Example: "max_by('a', 10)"},
		&Function{Name: "min_by", Kind: Aggregate, Method: "MinBy", Ibis: "argmin", Sigs: []string{"(a T, by O) T"}, Nulls: MayBeNull, OrderSensitive: true, Since: "3.0",
			Doc: "is the value, null or not, of the row with the least by; of several the last that Spark happens to see.", Example: "min_by('a', 10)"},
		&Function{Name: "approx_count_distinct", Kind: Aggregate, Method: "ApproxNUnique", Ibis: "approx_nunique", Sigs: []string{"(a any, rsd? double) @approx_distinct"}, Nulls: NeverNull, Returns: NumericFamily,
			Doc: "is about the number of different values that are not null, by HyperLogLog++ with Spark's hash, so that both give one answer. The relative deviation, 0.05 by default, is a literal of at most 0.39; below 0.005 Spark may need more memory than it has.", Example: "approx_count_distinct(1)"},
		&Function{Name: "median", Kind: Aggregate, WholeWindow: true, Method: "Median", On: NumericFamily, Sigs: []string{"(a double) double"}, Nulls: MayBeNull, Since: "3.4",
			Doc: "is the median as a DOUBLE, between two values their middle; null over no values. It holds all values in memory.", Example: "median(1)"},
		&Function{Name: "percentile", Kind: Aggregate, Method: "Quantile", On: NumericFamily, Sigs: []string{"(a double, p double, frequency? bigint) @percentile", "(a double, p array<double>, frequency? bigint) @percentile"}, Nulls: MayBeNull,
			Doc: "is the value below which a literal part p (0 to 1) of the values lies, between two values by their distance; for an array of parts an array. A frequency counts a row as often. Null over no values. It holds all values in memory.", Example: "percentile(1, 0.5)"},
		&Function{Name: "percentile_cont", Kind: Aggregate, WholeWindow: true, Sigs: []string{"(a double, p double) @percentile"}, Nulls: MayBeNull, Since: "3.3", SQL: "percentile_cont({1}) WITHIN GROUP (ORDER BY {0})",
			Doc: "is percentile under the name of the standard.", Example: "percentile_cont(0.5) WITHIN GROUP (ORDER BY 1)"},
		&Function{Name: "percentile_disc", Kind: Aggregate, WholeWindow: true, Sigs: []string{"(a double, p double) @percentile"}, Nulls: MayBeNull, Since: "3.3", SQL: "percentile_disc({1}) WITHIN GROUP (ORDER BY {0})",
			Doc: "is the first value, as a DOUBLE, up to which at least a literal part p (0 to 1) of the values lies; null over no values. It holds all values in memory.", Example: "percentile_disc(0.5) WITHIN GROUP (ORDER BY 1)"},
	)
}

// regrAvgType is a DOUBLE; Spark would keep decimals exact, which is not offered.
func regrAvgType(args []Arg, t *Typing) *condition.Error {
	for i, a := range args {
		if a.Type.Kind() == datatype.KindDecimal {
			e := condition.Newf(condition.DatatypeMismatch, "a decimal is not taken (argument %d).", i+1)
			e.Hint = "Cast it to DOUBLE."
			return e
		}
		t.Args[i] = datatype.Double
	}
	t.Result = datatype.Double
	return nil
}

func approxDistinctType(args []Arg, t *Typing) *condition.Error {
	t.Result = datatype.Long
	if holdsMap(args[0].Type) || args[0].Type.Kind() == datatype.KindVariant {
		return condition.Newf(condition.DatatypeMismatch, "%s cannot be hashed.", args[0].Type)
	}
	if len(args) > 1 && !args[1].IsLiteral {
		return condition.Newf("DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", "the relative deviation must be a literal.")
	}
	return nil
}

// percentileType checks a literal part. An array of parts is checked when it is computed, for it need not be one literal.
func percentileType(args []Arg, t *Typing) *condition.Error {
	p := args[1]
	if a, ok := p.Type.(datatype.Array); ok {
		t.Args[1] = datatype.Array{Elem: datatype.Double, ContainsNull: a.ContainsNull}
		t.Result = datatype.Array{Elem: datatype.Double}
		return nil
	}
	t.Result = datatype.Double
	if !p.IsLiteral {
		return condition.Newf("DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", "the part must be a literal from 0 to 1.")
	}
	var x float64
	switch v := p.Literal.(type) {
	case float64:
		x = v
	case int64:
		x = float64(v)
	case nil:
		return condition.Newf("DATATYPE_MISMATCH.UNEXPECTED_NULL", "the part must not be null.")
	}
	if !(x >= 0 && x <= 1) {
		e := condition.Newf("DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", "the part must be from 0 to 1, not %v.", x)
		e.Hint = "0.5 is the median, 0.99 what all but one in a hundred do not exceed."
		return e
	}
	return nil
}
