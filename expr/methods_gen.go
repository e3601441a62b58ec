// Code generated from expr/catalog by internal/generate; DO NOT EDIT.

package expr

import "github.com/spoonbill-go/spoonbill/expr/condition"
import "github.com/spoonbill-go/spoonbill/expr/datatype"

var (
	methodApproxCountDistinct = fn("approx_count_distinct")
	methodAvg                 = fn("avg")
	methodBitAnd              = fn("bit_and")
	methodBitOr               = fn("bit_or")
	methodBitXor              = fn("bit_xor")
	methodBoolAnd             = fn("bool_and")
	methodBoolOr              = fn("bool_or")
	methodCollectList         = fn("collect_list")
	methodCorr                = fn("corr")
	methodCount               = fn("count")
	methodCountIf             = fn("count_if")
	methodCovarPop            = fn("covar_pop")
	methodCovarSamp           = fn("covar_samp")
	methodFirst               = fn("first")
	methodKurtosis            = fn("kurtosis")
	methodLast                = fn("last")
	methodMax                 = fn("max")
	methodMaxBy               = fn("max_by")
	methodMedian              = fn("median")
	methodMin                 = fn("min")
	methodMinBy               = fn("min_by")
	methodPercentile          = fn("percentile")
	methodSkewness            = fn("skewness")
	methodStddev              = fn("stddev")
	methodStddevPop           = fn("stddev_pop")
	methodSum                 = fn("sum")
	methodVarPop              = fn("var_pop")
	methodVariance            = fn("variance")
	methodArrayContains       = fn("array_contains")
	methodArrayDistinct       = fn("array_distinct")
	methodArrayIntersect      = fn("array_intersect")
	methodArrayMax            = fn("array_max")
	methodArrayMin            = fn("array_min")
	methodArrayRemove         = fn("array_remove")
	methodArraySort           = fn("array_sort")
	methodArrayUnion          = fn("array_union")
	methodFilter              = fn("filter")
	methodFlatten             = fn("flatten")
	methodSize                = fn("size")
	methodTransform           = fn("transform")
	methodBitwiseAnd          = fn("&")
	methodBitwiseXor          = fn("^")
	methodShiftLeft           = fn("shiftleft")
	methodShiftRight          = fn("shiftright")
	methodBitwiseOr           = fn("|")
	methodBitwiseNot          = fn("~")
	methodTypeOf              = fn("typeof")
	methodAddMonths           = fn("add_months")
	methodDate                = fn("date")
	methodDateAdd             = fn("date_add")
	methodDateFormat          = fn("date_format")
	methodDateSub             = fn("date_sub")
	methodDateDiff            = fn("datediff")
	methodDay                 = fn("day")
	methodDayOfWeekName       = fn("day_of_week_name")
	methodDayOfYear           = fn("dayofyear")
	methodHour                = fn("hour")
	methodIsoYear             = fn("iso_year")
	methodLastDay             = fn("last_day")
	methodMicrosecond         = fn("microsecond")
	methodMillisecond         = fn("millisecond")
	methodMinute              = fn("minute")
	methodMonth               = fn("month")
	methodNextDay             = fn("next_day")
	methodQuarter             = fn("quarter")
	methodSecond              = fn("second")
	methodTimestampAdd        = fn("timestamp_add")
	methodTimestampSubtract   = fn("timestamp_diff")
	methodTimestampSub        = fn("timestamp_sub")
	methodToDate              = fn("to_date")
	methodToTimestamp         = fn("to_timestamp")
	methodUnixDate            = fn("unix_date")
	methodUnixSeconds         = fn("unix_seconds")
	methodWeekday             = fn("weekday")
	methodWeekOfYear          = fn("weekofyear")
	methodYear                = fn("year")
	methodEncode              = fn("encode")
	methodHash                = fn("hash")
	methodIntervalAdd         = fn("interval_add")
	methodIntervalDiv         = fn("interval_div")
	methodIntervalMul         = fn("interval_mul")
	methodIntervalNegate      = fn("interval_negate")
	methodIntervalSub         = fn("interval_sub")
	methodMapConcat           = fn("map_concat")
	methodMapContainsKey      = fn("map_contains_key")
	methodMapEntries          = fn("map_entries")
	methodMapFilter           = fn("map_filter")
	methodMapKeys             = fn("map_keys")
	methodMapValues           = fn("map_values")
	methodTransformKeys       = fn("transform_keys")
	methodTransformValues     = fn("transform_values")
	methodIsNaN               = fn("isnan")
	methodIsNotNull           = fn("isnotnull")
	methodIsNull              = fn("isnull")
	methodNullIf              = fn("nullif")
	methodAbs                 = fn("abs")
	methodAcos                = fn("acos")
	methodAcosh               = fn("acosh")
	methodAsin                = fn("asin")
	methodAsinh               = fn("asinh")
	methodAtan                = fn("atan")
	methodAtan2               = fn("atan2")
	methodAtanh               = fn("atanh")
	methodBRound              = fn("bround")
	methodCbrt                = fn("cbrt")
	methodCeil                = fn("ceil")
	methodCos                 = fn("cos")
	methodCosh                = fn("cosh")
	methodCot                 = fn("cot")
	methodCsc                 = fn("csc")
	methodDegrees             = fn("degrees")
	methodExp                 = fn("exp")
	methodExpm1               = fn("expm1")
	methodFactorial           = fn("factorial")
	methodFloor               = fn("floor")
	methodHex                 = fn("hex")
	methodHypot               = fn("hypot")
	methodLn                  = fn("ln")
	methodLog10               = fn("log10")
	methodLog1p               = fn("log1p")
	methodLog2                = fn("log2")
	methodPMod                = fn("pmod")
	methodPower               = fn("power")
	methodRadians             = fn("radians")
	methodRint                = fn("rint")
	methodRound               = fn("round")
	methodSec                 = fn("sec")
	methodSign                = fn("sign")
	methodSin                 = fn("sin")
	methodSinh                = fn("sinh")
	methodSqrt                = fn("sqrt")
	methodTan                 = fn("tan")
	methodTanh                = fn("tanh")
	methodMod                 = fn("%")
	methodMul                 = fn("*")
	methodAdd                 = fn("+")
	methodSub                 = fn("-")
	methodDiv                 = fn("/")
	methodLt                  = fn("<")
	methodLe                  = fn("<=")
	methodEqNullSafe          = fn("<=>")
	methodNotEq               = fn("<>")
	methodEq                  = fn("=")
	methodGt                  = fn(">")
	methodGe                  = fn(">=")
	methodAnd                 = fn("and")
	methodBetween             = fn("between")
	methodIntDiv              = fn("div")
	methodIn                  = fn("in")
	methodNegative            = fn("negative")
	methodNot                 = fn("not")
	methodOr                  = fn("or")
	methodConcat              = fn("concat")
	methodContains            = fn("contains")
	methodEndsWith            = fn("endswith")
	methodLength              = fn("length")
	methodLike                = fn("like")
	methodLower               = fn("lower")
	methodLPad                = fn("lpad")
	methodLTrim               = fn("ltrim")
	methodRegexpReplace       = fn("regexp_replace")
	methodRepeat              = fn("repeat")
	methodReplace             = fn("replace")
	methodReverse             = fn("reverse")
	methodRLike               = fn("rlike")
	methodRPad                = fn("rpad")
	methodRTrim               = fn("rtrim")
	methodSplit               = fn("split")
	methodStartsWith          = fn("startswith")
	methodTrim                = fn("trim")
	methodUpper               = fn("upper")
	methodCumeDist            = fn("cume_dist")
	methodDenseRank           = fn("dense_rank")
	methodLag                 = fn("lag")
	methodLead                = fn("lead")
	methodNthValue            = fn("nth_value")
	methodNtile               = fn("ntile")
	methodPercentRank         = fn("percent_rank")
	methodRank                = fn("rank")
)

// As names the value: the column that it becomes has that name, which may be any text.
func (v AnyValue) As(name string) AnyValue { return named(v, name) }

// Cast gives the value as another type by Spark's rules; under ANSI what does not fit is an error.
func (v AnyValue) Cast(t datatype.Type) AnyValue {
	return AnyValue{castTo(condition.Here(1), v, t, false)}
}

// TryCast is Cast that gives null where the value does not fit.
func (v AnyValue) TryCast(t datatype.Type) AnyValue {
	return AnyValue{castTo(condition.Here(1), v, t, true)}
}

// Desc is the value as a sort key from great to small, nulls last.
func (v AnyValue) Desc() Ordering { return ordering(v, true) }

// Asc is the value as a sort key from small to great, nulls first.
func (v AnyValue) Asc() Ordering { return ordering(v, false) }

// Over computes the aggregates and window functions in the value over the rows of a window (package window) around each row. What has an OVER
// already gets the keys that it lacks, and the frame if it has none.
func (v AnyValue) Over(w WindowSpec) AnyValue { return over(v, w) }

// ApproxNUnique is about the number of different values that are not null, by HyperLogLog++ with Spark's hash, so that both give one answer. The relative deviation, 0.05 by default, is a literal of at most 0.39; below 0.005 Spark may need more memory than it has.
//
// Spark: approx_count_distinct.
func (v AnyValue) ApproxNUnique(rsd ...any) NumericValue {
	return call[NumericValue](methodApproxCountDistinct, variadic(v, rsd)...)
}

// Collect is the list of the values that are not null; empty over none.
//
// Spark: collect_list.
func (v AnyValue) Collect() ArrayValue { return call[ArrayValue](methodCollectList, v) }

// Count is the number of rows where the value is not null; without a value, of all rows.
//
// Spark: count.
func (v AnyValue) Count() NumericValue { return call[NumericValue](methodCount, v) }

// First is the value of the first row that Spark happens to see, null or not.
//
// Spark: first.
func (v AnyValue) First() AnyValue { return call[AnyValue](methodFirst, v) }

// Last is the value of the last row that Spark happens to see, null or not.
//
// Spark: last.
func (v AnyValue) Last() AnyValue { return call[AnyValue](methodLast, v) }

// CumMax is Max over the rows up to the current one, in the order that Over gives: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW. Max is the greatest value, null over no values; NaN is greater than every number.
func (v AnyValue) CumMax() AnyValue { return cumulative[AnyValue](methodMax, v) }

// Max is the greatest value, null over no values; NaN is greater than every number.
//
// Spark: max.
func (v AnyValue) Max() AnyValue { return call[AnyValue](methodMax, v) }

// MaxBy is the value, null or not, of the row with the greatest by; of several the last that Spark happens to see.
//
// Spark: max_by.
func (v AnyValue) MaxBy(by any) AnyValue { return call[AnyValue](methodMaxBy, v, by) }

// CumMin is Min over the rows up to the current one, in the order that Over gives: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW. Min is the least value, null over no values.
func (v AnyValue) CumMin() AnyValue { return cumulative[AnyValue](methodMin, v) }

// Min is the least value, null over no values.
//
// Spark: min.
func (v AnyValue) Min() AnyValue { return call[AnyValue](methodMin, v) }

// MinBy is the value, null or not, of the row with the least by; of several the last that Spark happens to see.
//
// Spark: min_by.
func (v AnyValue) MinBy(by any) AnyValue { return call[AnyValue](methodMinBy, v, by) }

// TypeOf is the name of the value's type in lower case.
//
// Spark: typeof.
func (v AnyValue) TypeOf() StringValue { return call[StringValue](methodTypeOf, v) }

// Hash is Spark's Murmur3 hash of the values, an INT; nulls do not change it. Maps cannot be hashed.
//
// Spark: hash.
func (v AnyValue) Hash(values ...any) NumericValue {
	return call[NumericValue](methodHash, variadic(v, values)...)
}

// NotNull tells whether the value is not null; it is never null itself.
//
// Spark: {0} IS NOT NULL.
func (v AnyValue) NotNull() BooleanValue { return call[BooleanValue](methodIsNotNull, v) }

// IsNull tells whether the value is null; it is never null itself.
//
// Spark: {0} IS NULL.
func (v AnyValue) IsNull() BooleanValue { return call[BooleanValue](methodIsNull, v) }

// NullIf is null where both sides are equal, else the value.
//
// Spark: nullif.
func (v AnyValue) NullIf(b any) AnyValue { return call[AnyValue](methodNullIf, v, b) }

// Lt tells whether the left side is less; null when either is null. NaN is greater than every number.
//
// Spark: {0} < {1}.
func (v AnyValue) Lt(b any) BooleanValue { return call[BooleanValue](methodLt, v, b) }

// Le tells whether the left side is less or equal; null when either is null.
//
// Spark: {0} <= {1}.
func (v AnyValue) Le(b any) BooleanValue { return call[BooleanValue](methodLe, v, b) }

// EqNullSafe tells whether both sides are equal, where null equals null; it is never null.
//
// Spark: {0} <=> {1}.
func (v AnyValue) EqNullSafe(b any) BooleanValue { return call[BooleanValue](methodEqNullSafe, v, b) }

// NotEq tells whether the sides differ; null when either is null.
//
// Spark: {0} <> {1}.
func (v AnyValue) NotEq(b any) BooleanValue { return call[BooleanValue](methodNotEq, v, b) }

// Eq tells whether both sides are equal; null when either is null. NaN equals NaN, and -0.0 equals 0.0.
//
// Spark: {0} = {1}.
func (v AnyValue) Eq(b any) BooleanValue { return call[BooleanValue](methodEq, v, b) }

// Gt tells whether the left side is greater; null when either is null. NaN is greater than every number.
//
// Spark: {0} > {1}.
func (v AnyValue) Gt(b any) BooleanValue { return call[BooleanValue](methodGt, v, b) }

// Ge tells whether the left side is greater or equal; null when either is null.
//
// Spark: {0} >= {1}.
func (v AnyValue) Ge(b any) BooleanValue { return call[BooleanValue](methodGe, v, b) }

// Between tells whether the value lies between low and high, both included. It means a >= low AND a <= high, nulls too.
//
// Spark: {0} BETWEEN {1} AND {2}.
func (v AnyValue) Between(low any, high any) BooleanValue {
	return call[BooleanValue](methodBetween, v, low, high)
}

// In tells whether the value equals one of the others; null when it equals none and a null is among them.
//
// Spark: {0} IN ({1*}).
func (v AnyValue) In(value any, values ...any) BooleanValue {
	return call[BooleanValue](methodIn, append([]any{v, value}, values...)...)
}

// CumeDist is the share of the partition's rows that come before the row or are equal to it in the order, above 0.0 up to 1.0. The window is ordered by this value; Over adds partitions.
//
// Spark: cume_dist.
func (v AnyValue) CumeDist() NumericValue { return ranked(methodCumeDist, v) }

// DenseRank is the rank without gaps, from 1 as in SQL; Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: dense_rank.
func (v AnyValue) DenseRank() NumericValue { return ranked(methodDenseRank, v) }

// Lag is the value a number of rows before (1 by default), or the default (NULL by default) where there is no such row. A negative offset looks ahead. With IgnoreNulls only rows with a value count.
//
// Spark: lag.
func (v AnyValue) Lag(offset ...any) AnyValue {
	return call[AnyValue](methodLag, variadic(v, offset)...)
}

// Lead is the value a number of rows behind (1 by default), or the default (NULL by default) where there is no such row. A negative offset looks back. With IgnoreNulls only rows with a value count.
//
// Spark: lead.
func (v AnyValue) Lead(offset ...any) AnyValue {
	return call[AnyValue](methodLead, variadic(v, offset)...)
}

// Nth is the value of the frame's n-th row, from 1 as in SQL; null where the frame is shorter. Ibis counts from 0. With IgnoreNulls only rows with a value count.
//
// Spark: nth_value.
func (v AnyValue) Nth(n any) AnyValue { return call[AnyValue](methodNthValue, v, n) }

// NTile is the number of the row's bucket when the partition is dealt in order into so many buckets of sizes as equal as can be, the greater first; from 1 as in SQL, Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: ntile.
func (v AnyValue) NTile(buckets any) NumericValue { return ranked(methodNtile, v, buckets) }

// PercentRank is the share of the partition's other rows that come before the row, from 0.0 to 1.0; 0.0 where the row is alone. The window is ordered by this value; Over adds partitions.
//
// Spark: percent_rank.
func (v AnyValue) PercentRank() NumericValue { return ranked(methodPercentRank, v) }

// Rank is one more than the number of rows before the row in the order; equal rows have one rank, and the next is behind a gap. It counts from 1 as in SQL; Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: rank.
func (v AnyValue) Rank() NumericValue { return ranked(methodRank, v) }

// As names the value: the column that it becomes has that name, which may be any text.
func (v NumericValue) As(name string) NumericValue { return named(v, name) }

// Cast gives the value as another type by Spark's rules; under ANSI what does not fit is an error.
func (v NumericValue) Cast(t datatype.Type) AnyValue {
	return AnyValue{castTo(condition.Here(1), v, t, false)}
}

// TryCast is Cast that gives null where the value does not fit.
func (v NumericValue) TryCast(t datatype.Type) AnyValue {
	return AnyValue{castTo(condition.Here(1), v, t, true)}
}

// Desc is the value as a sort key from great to small, nulls last.
func (v NumericValue) Desc() Ordering { return ordering(v, true) }

// Asc is the value as a sort key from small to great, nulls first.
func (v NumericValue) Asc() Ordering { return ordering(v, false) }

// Over computes the aggregates and window functions in the value over the rows of a window (package window) around each row. What has an OVER
// already gets the keys that it lacks, and the frame if it has none.
func (v NumericValue) Over(w WindowSpec) NumericValue { return over(v, w) }

// ApproxNUnique is about the number of different values that are not null, by HyperLogLog++ with Spark's hash, so that both give one answer. The relative deviation, 0.05 by default, is a literal of at most 0.39; below 0.005 Spark may need more memory than it has.
//
// Spark: approx_count_distinct.
func (v NumericValue) ApproxNUnique(rsd ...any) NumericValue {
	return call[NumericValue](methodApproxCountDistinct, variadic(v, rsd)...)
}

// CumMean is Mean over the rows up to the current one, in the order that Over gives: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW. Mean is the mean, null over no values: DOUBLE, or a decimal with four digits more of decimals.
func (v NumericValue) CumMean() NumericValue { return cumulative[NumericValue](methodAvg, v) }

// Mean is the mean, null over no values: DOUBLE, or a decimal with four digits more of decimals.
//
// Spark: avg.
func (v NumericValue) Mean() NumericValue { return call[NumericValue](methodAvg, v) }

// BitAnd has the bits that all values have, null over no values.
//
// Spark: bit_and.
func (v NumericValue) BitAnd() NumericValue { return call[NumericValue](methodBitAnd, v) }

// BitOr has the bits that some value has, null over no values.
//
// Spark: bit_or.
func (v NumericValue) BitOr() NumericValue { return call[NumericValue](methodBitOr, v) }

// BitXor has the bits that an odd number of values has, null over no values.
//
// Spark: bit_xor.
func (v NumericValue) BitXor() NumericValue { return call[NumericValue](methodBitXor, v) }

// Collect is the list of the values that are not null; empty over none.
//
// Spark: collect_list.
func (v NumericValue) Collect() ArrayValue { return call[ArrayValue](methodCollectList, v) }

// Corr is Pearson's correlation of the pairs without a null, null over fewer than two. Where one side does not vary it raises DIVIDE_BY_ZERO under ANSI and is null otherwise.
//
// Spark: corr.
func (v NumericValue) Corr(b any) NumericValue { return call[NumericValue](methodCorr, v, b) }

// Count is the number of rows where the value is not null; without a value, of all rows.
//
// Spark: count.
func (v NumericValue) Count() NumericValue { return call[NumericValue](methodCount, v) }

// CovPop is the population covariance of the pairs without a null, null over none.
//
// Spark: covar_pop.
func (v NumericValue) CovPop(b any) NumericValue { return call[NumericValue](methodCovarPop, v, b) }

// Cov is the sample covariance of the pairs without a null, null over fewer than two.
//
// Spark: covar_samp.
func (v NumericValue) Cov(b any) NumericValue { return call[NumericValue](methodCovarSamp, v, b) }

// First is the value of the first row that Spark happens to see, null or not.
//
// Spark: first.
func (v NumericValue) First() NumericValue { return call[NumericValue](methodFirst, v) }

// Kurtosis is the excess kurtosis, null over no values or equal ones.
//
// Spark: kurtosis.
func (v NumericValue) Kurtosis() NumericValue { return call[NumericValue](methodKurtosis, v) }

// Last is the value of the last row that Spark happens to see, null or not.
//
// Spark: last.
func (v NumericValue) Last() NumericValue { return call[NumericValue](methodLast, v) }

// CumMax is Max over the rows up to the current one, in the order that Over gives: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW. Max is the greatest value, null over no values; NaN is greater than every number.
func (v NumericValue) CumMax() NumericValue { return cumulative[NumericValue](methodMax, v) }

// Max is the greatest value, null over no values; NaN is greater than every number.
//
// Spark: max.
func (v NumericValue) Max() NumericValue { return call[NumericValue](methodMax, v) }

// MaxBy is the value, null or not, of the row with the greatest by; of several the last that Spark happens to see.
//
// Spark: max_by.
func (v NumericValue) MaxBy(by any) NumericValue { return call[NumericValue](methodMaxBy, v, by) }

// Median is the median as a DOUBLE, between two values their middle; null over no values. It holds all values in memory.
//
// Spark: median.
func (v NumericValue) Median() NumericValue { return call[NumericValue](methodMedian, v) }

// CumMin is Min over the rows up to the current one, in the order that Over gives: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW. Min is the least value, null over no values.
func (v NumericValue) CumMin() NumericValue { return cumulative[NumericValue](methodMin, v) }

// Min is the least value, null over no values.
//
// Spark: min.
func (v NumericValue) Min() NumericValue { return call[NumericValue](methodMin, v) }

// MinBy is the value, null or not, of the row with the least by; of several the last that Spark happens to see.
//
// Spark: min_by.
func (v NumericValue) MinBy(by any) NumericValue { return call[NumericValue](methodMinBy, v, by) }

// Quantile is the value below which a literal part p (0 to 1) of the values lies, between two values by their distance; for an array of parts an array. A frequency counts a row as often. Null over no values. It holds all values in memory.
//
// Spark: percentile.
func (v NumericValue) Quantile(p any, frequency ...any) AnyValue {
	return call[AnyValue](methodPercentile, append([]any{v, p}, frequency...)...)
}

// Skewness is the skewness, null over no values or equal ones.
//
// Spark: skewness.
func (v NumericValue) Skewness() NumericValue { return call[NumericValue](methodSkewness, v) }

// StdDev is the sample standard deviation, null over fewer than two values.
//
// Spark: stddev.
func (v NumericValue) StdDev() NumericValue { return call[NumericValue](methodStddev, v) }

// StdDevPop is the population standard deviation, null over no values.
//
// Spark: stddev_pop.
func (v NumericValue) StdDevPop() NumericValue { return call[NumericValue](methodStddevPop, v) }

// CumSum is Sum over the rows up to the current one, in the order that Over gives: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW. Sum is the sum, null over no values: BIGINT of integers, DOUBLE of FLOAT and DOUBLE, a decimal with ten digits more of decimals. An overflow raises ARITHMETIC_OVERFLOW under ANSI. Only over FLOAT and DOUBLE does the order of the rows show.
func (v NumericValue) CumSum() NumericValue { return cumulative[NumericValue](methodSum, v) }

// Sum is the sum, null over no values: BIGINT of integers, DOUBLE of FLOAT and DOUBLE, a decimal with ten digits more of decimals. An overflow raises ARITHMETIC_OVERFLOW under ANSI. Only over FLOAT and DOUBLE does the order of the rows show.
//
// Spark: sum.
func (v NumericValue) Sum() NumericValue { return call[NumericValue](methodSum, v) }

// VarPop is the population variance, null over no values.
//
// Spark: var_pop.
func (v NumericValue) VarPop() NumericValue { return call[NumericValue](methodVarPop, v) }

// Var is the sample variance, null over fewer than two values.
//
// Spark: variance.
func (v NumericValue) Var() NumericValue { return call[NumericValue](methodVariance, v) }

// BitwiseAnd has the bits that both integers have.
//
// Spark: {0} & {1}.
func (v NumericValue) BitwiseAnd(b any) NumericValue {
	return call[NumericValue](methodBitwiseAnd, v, b)
}

// BitwiseXor has the bits that exactly one of the integers has.
//
// Spark: {0} ^ {1}.
func (v NumericValue) BitwiseXor(b any) NumericValue {
	return call[NumericValue](methodBitwiseXor, v, b)
}

// ShiftLeft shifts an INT or BIGINT to the left, by the number of bits modulo 32 or 64.
//
// Spark: shiftleft.
func (v NumericValue) ShiftLeft(bits any) NumericValue {
	return call[NumericValue](methodShiftLeft, v, bits)
}

// ShiftRight shifts an INT or BIGINT to the right and keeps its sign, by the number of bits modulo 32 or 64.
//
// Spark: shiftright.
func (v NumericValue) ShiftRight(bits any) NumericValue {
	return call[NumericValue](methodShiftRight, v, bits)
}

// BitwiseOr has the bits that one of the integers has.
//
// Spark: {0} | {1}.
func (v NumericValue) BitwiseOr(b any) NumericValue { return call[NumericValue](methodBitwiseOr, v, b) }

// BitwiseNot has the bits that the integer has not.
//
// Spark: ~ {0}.
func (v NumericValue) BitwiseNot() NumericValue { return call[NumericValue](methodBitwiseNot, v) }

// TypeOf is the name of the value's type in lower case.
//
// Spark: typeof.
func (v NumericValue) TypeOf() StringValue { return call[StringValue](methodTypeOf, v) }

// Hash is Spark's Murmur3 hash of the values, an INT; nulls do not change it. Maps cannot be hashed.
//
// Spark: hash.
func (v NumericValue) Hash(values ...any) NumericValue {
	return call[NumericValue](methodHash, variadic(v, values)...)
}

// IsNaN tells whether a FLOAT or DOUBLE is not a number; false for null.
//
// Spark: isnan.
func (v NumericValue) IsNaN() BooleanValue { return call[BooleanValue](methodIsNaN, v) }

// NotNull tells whether the value is not null; it is never null itself.
//
// Spark: {0} IS NOT NULL.
func (v NumericValue) NotNull() BooleanValue { return call[BooleanValue](methodIsNotNull, v) }

// IsNull tells whether the value is null; it is never null itself.
//
// Spark: {0} IS NULL.
func (v NumericValue) IsNull() BooleanValue { return call[BooleanValue](methodIsNull, v) }

// NullIf is null where both sides are equal, else the value.
//
// Spark: nullif.
func (v NumericValue) NullIf(b any) NumericValue { return call[NumericValue](methodNullIf, v, b) }

// Abs is the absolute value. The least integer of a type raises ARITHMETIC_OVERFLOW under ANSI.
//
// Spark: abs.
func (v NumericValue) Abs() NumericValue { return call[NumericValue](methodAbs, v) }

// Acos is the angle in radians whose cosine is the value; NaN outside -1 to 1.
//
// Spark: acos.
func (v NumericValue) Acos() NumericValue { return call[NumericValue](methodAcos, v) }

// Acosh is the inverse hyperbolic cosine; NaN below 1.
//
// Spark: acosh.
func (v NumericValue) Acosh() NumericValue { return call[NumericValue](methodAcosh, v) }

// Asin is the angle in radians whose sine is the value; NaN outside -1 to 1.
//
// Spark: asin.
func (v NumericValue) Asin() NumericValue { return call[NumericValue](methodAsin, v) }

// Asinh is the inverse hyperbolic sine.
//
// Spark: asinh.
func (v NumericValue) Asinh() NumericValue { return call[NumericValue](methodAsinh, v) }

// Atan is the angle in radians whose tangent is the value.
//
// Spark: atan.
func (v NumericValue) Atan() NumericValue { return call[NumericValue](methodAtan, v) }

// Atan2 is the angle in radians between the positive x-axis and the point (x, y); a minus zero counts as zero.
//
// Spark: atan2.
func (v NumericValue) Atan2(x any) NumericValue { return call[NumericValue](methodAtan2, v, x) }

// Atanh is the inverse hyperbolic tangent; NaN outside -1 to 1.
//
// Spark: atanh.
func (v NumericValue) Atanh() NumericValue { return call[NumericValue](methodAtanh, v) }

// RoundHalfEven rounds half to even to a literal number of digits behind the point, 0 by default; a negative number rounds before it.
//
// Spark: bround.
func (v NumericValue) RoundHalfEven(digits ...any) NumericValue {
	return call[NumericValue](methodBRound, variadic(v, digits)...)
}

// Cbrt is the cube root, of negative numbers too.
//
// Spark: cbrt.
func (v NumericValue) Cbrt() NumericValue { return call[NumericValue](methodCbrt, v) }

// Ceil is the least whole number that is not less: BIGINT, or a decimal for a decimal.
//
// Spark: ceil.
func (v NumericValue) Ceil() NumericValue { return call[NumericValue](methodCeil, v) }

// Cos is the cosine of an angle in radians.
//
// Spark: cos.
func (v NumericValue) Cos() NumericValue { return call[NumericValue](methodCos, v) }

// Cosh is the hyperbolic cosine.
//
// Spark: cosh.
func (v NumericValue) Cosh() NumericValue { return call[NumericValue](methodCosh, v) }

// Cot is the cotangent of an angle in radians: 1 / tan.
//
// Spark: cot.
func (v NumericValue) Cot() NumericValue { return call[NumericValue](methodCot, v) }

// Csc is the cosecant of an angle in radians: 1 / sin.
//
// Spark: csc.
func (v NumericValue) Csc() NumericValue { return call[NumericValue](methodCsc, v) }

// Degrees turns radians into degrees.
//
// Spark: degrees.
func (v NumericValue) Degrees() NumericValue { return call[NumericValue](methodDegrees, v) }

// Exp is e to the power of the value.
//
// Spark: exp.
func (v NumericValue) Exp() NumericValue { return call[NumericValue](methodExp, v) }

// Expm1 is exp(a) - 1, exact near zero.
//
// Spark: expm1.
func (v NumericValue) Expm1() NumericValue { return call[NumericValue](methodExpm1, v) }

// Factorial is the product of the numbers from 1 to n; null outside 0 to 20.
//
// Spark: factorial.
func (v NumericValue) Factorial() NumericValue { return call[NumericValue](methodFactorial, v) }

// Floor is the greatest whole number that is not greater: BIGINT, or a decimal for a decimal.
//
// Spark: floor.
func (v NumericValue) Floor() NumericValue { return call[NumericValue](methodFloor, v) }

// Hex writes a BIGINT, or the bytes of a text or binary, in hexadecimal digits of upper case.
//
// Spark: hex.
func (v NumericValue) Hex() StringValue { return call[StringValue](methodHex, v) }

// Hypot is sqrt(a² + b²) without an overflow on the way.
//
// Spark: hypot.
func (v NumericValue) Hypot(b any) NumericValue { return call[NumericValue](methodHypot, v, b) }

// Ln is the natural logarithm; null of zero and below.
//
// Spark: ln.
func (v NumericValue) Ln() NumericValue { return call[NumericValue](methodLn, v) }

// Log10 is the logarithm to base 10; null of zero and below.
//
// Spark: log10.
func (v NumericValue) Log10() NumericValue { return call[NumericValue](methodLog10, v) }

// Log1p is the natural logarithm of 1 + a, exact near zero; null of -1 and below.
//
// Spark: log1p.
func (v NumericValue) Log1p() NumericValue { return call[NumericValue](methodLog1p, v) }

// Log2 is the logarithm to base 2; null of zero and below.
//
// Spark: log2.
func (v NumericValue) Log2() NumericValue { return call[NumericValue](methodLog2, v) }

// PMod is the remainder that is not negative for a positive divisor. A zero divisor raises REMAINDER_BY_ZERO under ANSI and is null otherwise.
//
// Spark: pmod.
func (v NumericValue) PMod(b any) NumericValue { return call[NumericValue](methodPMod, v, b) }

// Pow is the value to the power of b.
//
// Spark: power.
func (v NumericValue) Pow(b any) NumericValue { return call[NumericValue](methodPower, v, b) }

// Radians turns degrees into radians.
//
// Spark: radians.
func (v NumericValue) Radians() NumericValue { return call[NumericValue](methodRadians, v) }

// Rint is the nearest whole number as a DOUBLE, the even one of two.
//
// Spark: rint.
func (v NumericValue) Rint() NumericValue { return call[NumericValue](methodRint, v) }

// Round rounds half away from zero to a literal number of digits behind the point, 0 by default; a negative number rounds before it.
//
// Spark: round.
func (v NumericValue) Round(digits ...any) NumericValue {
	return call[NumericValue](methodRound, variadic(v, digits)...)
}

// Sec is the secant of an angle in radians: 1 / cos.
//
// Spark: sec.
func (v NumericValue) Sec() NumericValue { return call[NumericValue](methodSec, v) }

// Sign is -1.0, 0.0 or 1.0 by the sign of the value.
//
// Spark: sign.
func (v NumericValue) Sign() NumericValue { return call[NumericValue](methodSign, v) }

// Sin is the sine of an angle in radians.
//
// Spark: sin.
func (v NumericValue) Sin() NumericValue { return call[NumericValue](methodSin, v) }

// Sinh is the hyperbolic sine.
//
// Spark: sinh.
func (v NumericValue) Sinh() NumericValue { return call[NumericValue](methodSinh, v) }

// Sqrt is the square root; NaN of a negative number.
//
// Spark: sqrt.
func (v NumericValue) Sqrt() NumericValue { return call[NumericValue](methodSqrt, v) }

// Tan is the tangent of an angle in radians.
//
// Spark: tan.
func (v NumericValue) Tan() NumericValue { return call[NumericValue](methodTan, v) }

// Tanh is the hyperbolic tangent.
//
// Spark: tanh.
func (v NumericValue) Tanh() NumericValue { return call[NumericValue](methodTanh, v) }

// Mod is the remainder, with the sign of the left side. A zero divisor raises REMAINDER_BY_ZERO under ANSI and is null otherwise.
//
// Spark: {0} % {1}.
func (v NumericValue) Mod(b any) NumericValue { return call[NumericValue](methodMod, v, b) }

// Mul is the product. Decimals add up their digits, bounded to 38.
//
// Spark: {0} * {1}.
func (v NumericValue) Mul(b any) NumericValue { return call[NumericValue](methodMul, v, b) }

// Add is the sum. Integers keep the wider type and raise ARITHMETIC_OVERFLOW past its range under ANSI, decimals gain a digit.
//
// Spark: {0} + {1}.
func (v NumericValue) Add(b any) NumericValue { return call[NumericValue](methodAdd, v, b) }

// Sub is the difference, with the types of a sum.
//
// Spark: {0} - {1}.
func (v NumericValue) Sub(b any) NumericValue { return call[NumericValue](methodSub, v, b) }

// Div is the quotient, a DOUBLE or a decimal. Division by zero raises DIVIDE_BY_ZERO under ANSI and is null otherwise.
//
// Spark: {0} / {1}.
func (v NumericValue) Div(b any) NumericValue { return call[NumericValue](methodDiv, v, b) }

// Lt tells whether the left side is less; null when either is null. NaN is greater than every number.
//
// Spark: {0} < {1}.
func (v NumericValue) Lt(b any) BooleanValue { return call[BooleanValue](methodLt, v, b) }

// Le tells whether the left side is less or equal; null when either is null.
//
// Spark: {0} <= {1}.
func (v NumericValue) Le(b any) BooleanValue { return call[BooleanValue](methodLe, v, b) }

// EqNullSafe tells whether both sides are equal, where null equals null; it is never null.
//
// Spark: {0} <=> {1}.
func (v NumericValue) EqNullSafe(b any) BooleanValue {
	return call[BooleanValue](methodEqNullSafe, v, b)
}

// NotEq tells whether the sides differ; null when either is null.
//
// Spark: {0} <> {1}.
func (v NumericValue) NotEq(b any) BooleanValue { return call[BooleanValue](methodNotEq, v, b) }

// Eq tells whether both sides are equal; null when either is null. NaN equals NaN, and -0.0 equals 0.0.
//
// Spark: {0} = {1}.
func (v NumericValue) Eq(b any) BooleanValue { return call[BooleanValue](methodEq, v, b) }

// Gt tells whether the left side is greater; null when either is null. NaN is greater than every number.
//
// Spark: {0} > {1}.
func (v NumericValue) Gt(b any) BooleanValue { return call[BooleanValue](methodGt, v, b) }

// Ge tells whether the left side is greater or equal; null when either is null.
//
// Spark: {0} >= {1}.
func (v NumericValue) Ge(b any) BooleanValue { return call[BooleanValue](methodGe, v, b) }

// Between tells whether the value lies between low and high, both included. It means a >= low AND a <= high, nulls too.
//
// Spark: {0} BETWEEN {1} AND {2}.
func (v NumericValue) Between(low any, high any) BooleanValue {
	return call[BooleanValue](methodBetween, v, low, high)
}

// IntDiv is the quotient cut towards zero, a BIGINT. It takes integers and decimals.
//
// Spark: {0} div {1}.
func (v NumericValue) IntDiv(b any) NumericValue { return call[NumericValue](methodIntDiv, v, b) }

// In tells whether the value equals one of the others; null when it equals none and a null is among them.
//
// Spark: {0} IN ({1*}).
func (v NumericValue) In(value any, values ...any) BooleanValue {
	return call[BooleanValue](methodIn, append([]any{v, value}, values...)...)
}

// Negate is the value with the other sign. The least integer of a type raises ARITHMETIC_OVERFLOW under ANSI.
//
// Spark: - {0}.
func (v NumericValue) Negate() NumericValue { return call[NumericValue](methodNegative, v) }

// CumeDist is the share of the partition's rows that come before the row or are equal to it in the order, above 0.0 up to 1.0. The window is ordered by this value; Over adds partitions.
//
// Spark: cume_dist.
func (v NumericValue) CumeDist() NumericValue { return ranked(methodCumeDist, v) }

// DenseRank is the rank without gaps, from 1 as in SQL; Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: dense_rank.
func (v NumericValue) DenseRank() NumericValue { return ranked(methodDenseRank, v) }

// Lag is the value a number of rows before (1 by default), or the default (NULL by default) where there is no such row. A negative offset looks ahead. With IgnoreNulls only rows with a value count.
//
// Spark: lag.
func (v NumericValue) Lag(offset ...any) NumericValue {
	return call[NumericValue](methodLag, variadic(v, offset)...)
}

// Lead is the value a number of rows behind (1 by default), or the default (NULL by default) where there is no such row. A negative offset looks back. With IgnoreNulls only rows with a value count.
//
// Spark: lead.
func (v NumericValue) Lead(offset ...any) NumericValue {
	return call[NumericValue](methodLead, variadic(v, offset)...)
}

// Nth is the value of the frame's n-th row, from 1 as in SQL; null where the frame is shorter. Ibis counts from 0. With IgnoreNulls only rows with a value count.
//
// Spark: nth_value.
func (v NumericValue) Nth(n any) NumericValue { return call[NumericValue](methodNthValue, v, n) }

// NTile is the number of the row's bucket when the partition is dealt in order into so many buckets of sizes as equal as can be, the greater first; from 1 as in SQL, Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: ntile.
func (v NumericValue) NTile(buckets any) NumericValue { return ranked(methodNtile, v, buckets) }

// PercentRank is the share of the partition's other rows that come before the row, from 0.0 to 1.0; 0.0 where the row is alone. The window is ordered by this value; Over adds partitions.
//
// Spark: percent_rank.
func (v NumericValue) PercentRank() NumericValue { return ranked(methodPercentRank, v) }

// Rank is one more than the number of rows before the row in the order; equal rows have one rank, and the next is behind a gap. It counts from 1 as in SQL; Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: rank.
func (v NumericValue) Rank() NumericValue { return ranked(methodRank, v) }

// As names the value: the column that it becomes has that name, which may be any text.
func (v StringValue) As(name string) StringValue { return named(v, name) }

// Cast gives the value as another type by Spark's rules; under ANSI what does not fit is an error.
func (v StringValue) Cast(t datatype.Type) AnyValue {
	return AnyValue{castTo(condition.Here(1), v, t, false)}
}

// TryCast is Cast that gives null where the value does not fit.
func (v StringValue) TryCast(t datatype.Type) AnyValue {
	return AnyValue{castTo(condition.Here(1), v, t, true)}
}

// Desc is the value as a sort key from great to small, nulls last.
func (v StringValue) Desc() Ordering { return ordering(v, true) }

// Asc is the value as a sort key from small to great, nulls first.
func (v StringValue) Asc() Ordering { return ordering(v, false) }

// Over computes the aggregates and window functions in the value over the rows of a window (package window) around each row. What has an OVER
// already gets the keys that it lacks, and the frame if it has none.
func (v StringValue) Over(w WindowSpec) StringValue { return over(v, w) }

// ApproxNUnique is about the number of different values that are not null, by HyperLogLog++ with Spark's hash, so that both give one answer. The relative deviation, 0.05 by default, is a literal of at most 0.39; below 0.005 Spark may need more memory than it has.
//
// Spark: approx_count_distinct.
func (v StringValue) ApproxNUnique(rsd ...any) NumericValue {
	return call[NumericValue](methodApproxCountDistinct, variadic(v, rsd)...)
}

// Collect is the list of the values that are not null; empty over none.
//
// Spark: collect_list.
func (v StringValue) Collect() ArrayValue { return call[ArrayValue](methodCollectList, v) }

// Count is the number of rows where the value is not null; without a value, of all rows.
//
// Spark: count.
func (v StringValue) Count() NumericValue { return call[NumericValue](methodCount, v) }

// First is the value of the first row that Spark happens to see, null or not.
//
// Spark: first.
func (v StringValue) First() StringValue { return call[StringValue](methodFirst, v) }

// Last is the value of the last row that Spark happens to see, null or not.
//
// Spark: last.
func (v StringValue) Last() StringValue { return call[StringValue](methodLast, v) }

// CumMax is Max over the rows up to the current one, in the order that Over gives: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW. Max is the greatest value, null over no values; NaN is greater than every number.
func (v StringValue) CumMax() StringValue { return cumulative[StringValue](methodMax, v) }

// Max is the greatest value, null over no values; NaN is greater than every number.
//
// Spark: max.
func (v StringValue) Max() StringValue { return call[StringValue](methodMax, v) }

// MaxBy is the value, null or not, of the row with the greatest by; of several the last that Spark happens to see.
//
// Spark: max_by.
func (v StringValue) MaxBy(by any) StringValue { return call[StringValue](methodMaxBy, v, by) }

// CumMin is Min over the rows up to the current one, in the order that Over gives: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW. Min is the least value, null over no values.
func (v StringValue) CumMin() StringValue { return cumulative[StringValue](methodMin, v) }

// Min is the least value, null over no values.
//
// Spark: min.
func (v StringValue) Min() StringValue { return call[StringValue](methodMin, v) }

// MinBy is the value, null or not, of the row with the least by; of several the last that Spark happens to see.
//
// Spark: min_by.
func (v StringValue) MinBy(by any) StringValue { return call[StringValue](methodMinBy, v, by) }

// TypeOf is the name of the value's type in lower case.
//
// Spark: typeof.
func (v StringValue) TypeOf() StringValue { return call[StringValue](methodTypeOf, v) }

// ToDate reads a date: by a datetime pattern of Spark, or as a cast without one. What cannot be read raises under ANSI and is null otherwise.
//
// Spark: to_date.
func (v StringValue) ToDate(format ...any) DateValue {
	return call[DateValue](methodToDate, variadic(v, format)...)
}

// ToTimestamp reads a TIMESTAMP: by a datetime pattern of Spark, or as a cast without one. What cannot be read raises under ANSI and is null otherwise.
//
// Spark: to_timestamp.
func (v StringValue) ToTimestamp(format ...any) TimestampValue {
	return call[TimestampValue](methodToTimestamp, variadic(v, format)...)
}

// Encode writes a text in a charset: US-ASCII, ISO-8859-1, UTF-8, UTF-16BE, UTF-16LE, UTF-16 (with a byte order mark) or UTF-32. A character that it has not raises MALFORMED_CHARACTER_CODING.
//
// Spark: encode.
func (v StringValue) Encode(charset any) BinaryValue {
	return call[BinaryValue](methodEncode, v, charset)
}

// Hash is Spark's Murmur3 hash of the values, an INT; nulls do not change it. Maps cannot be hashed.
//
// Spark: hash.
func (v StringValue) Hash(values ...any) NumericValue {
	return call[NumericValue](methodHash, variadic(v, values)...)
}

// NotNull tells whether the value is not null; it is never null itself.
//
// Spark: {0} IS NOT NULL.
func (v StringValue) NotNull() BooleanValue { return call[BooleanValue](methodIsNotNull, v) }

// IsNull tells whether the value is null; it is never null itself.
//
// Spark: {0} IS NULL.
func (v StringValue) IsNull() BooleanValue { return call[BooleanValue](methodIsNull, v) }

// NullIf is null where both sides are equal, else the value.
//
// Spark: nullif.
func (v StringValue) NullIf(b any) StringValue { return call[StringValue](methodNullIf, v, b) }

// Hex writes a BIGINT, or the bytes of a text or binary, in hexadecimal digits of upper case.
//
// Spark: hex.
func (v StringValue) Hex() StringValue { return call[StringValue](methodHex, v) }

// Lt tells whether the left side is less; null when either is null. NaN is greater than every number.
//
// Spark: {0} < {1}.
func (v StringValue) Lt(b any) BooleanValue { return call[BooleanValue](methodLt, v, b) }

// Le tells whether the left side is less or equal; null when either is null.
//
// Spark: {0} <= {1}.
func (v StringValue) Le(b any) BooleanValue { return call[BooleanValue](methodLe, v, b) }

// EqNullSafe tells whether both sides are equal, where null equals null; it is never null.
//
// Spark: {0} <=> {1}.
func (v StringValue) EqNullSafe(b any) BooleanValue {
	return call[BooleanValue](methodEqNullSafe, v, b)
}

// NotEq tells whether the sides differ; null when either is null.
//
// Spark: {0} <> {1}.
func (v StringValue) NotEq(b any) BooleanValue { return call[BooleanValue](methodNotEq, v, b) }

// Eq tells whether both sides are equal; null when either is null. NaN equals NaN, and -0.0 equals 0.0.
//
// Spark: {0} = {1}.
func (v StringValue) Eq(b any) BooleanValue { return call[BooleanValue](methodEq, v, b) }

// Gt tells whether the left side is greater; null when either is null. NaN is greater than every number.
//
// Spark: {0} > {1}.
func (v StringValue) Gt(b any) BooleanValue { return call[BooleanValue](methodGt, v, b) }

// Ge tells whether the left side is greater or equal; null when either is null.
//
// Spark: {0} >= {1}.
func (v StringValue) Ge(b any) BooleanValue { return call[BooleanValue](methodGe, v, b) }

// Between tells whether the value lies between low and high, both included. It means a >= low AND a <= high, nulls too.
//
// Spark: {0} BETWEEN {1} AND {2}.
func (v StringValue) Between(low any, high any) BooleanValue {
	return call[BooleanValue](methodBetween, v, low, high)
}

// In tells whether the value equals one of the others; null when it equals none and a null is among them.
//
// Spark: {0} IN ({1*}).
func (v StringValue) In(value any, values ...any) BooleanValue {
	return call[BooleanValue](methodIn, append([]any{v, value}, values...)...)
}

// Concat joins texts, or arrays; null when one of them is.
//
// Spark: concat.
func (v StringValue) Concat(others ...any) StringValue {
	return call[StringValue](methodConcat, variadic(v, others)...)
}

// Contains tells whether part occurs in the text.
//
// Spark: contains.
func (v StringValue) Contains(part any) BooleanValue {
	return call[BooleanValue](methodContains, v, part)
}

// EndsWith tells whether the text ends in suffix.
//
// Spark: endswith.
func (v StringValue) EndsWith(suffix any) BooleanValue {
	return call[BooleanValue](methodEndsWith, v, suffix)
}

// Length is the number of code points of a text, or of bytes of a binary.
//
// Spark: length.
func (v StringValue) Length() NumericValue { return call[NumericValue](methodLength, v) }

// Like matches an SQL pattern: _ is one code point, % any number of them, a backslash takes the next character as it is.
//
// Spark: {0} LIKE {1}.
func (v StringValue) Like(pattern any) BooleanValue {
	return call[BooleanValue](methodLike, v, pattern)
}

// Lower is the text in lower case.
//
// Spark: lower.
func (v StringValue) Lower() StringValue { return call[StringValue](methodLower, v) }

// LPad fills the text from the left with pad up to len code points, or cuts it to them.
//
// Spark: lpad.
func (v StringValue) LPad(lenArg any, pad any) StringValue {
	return call[StringValue](methodLPad, v, lenArg, pad)
}

// LStrip is the text without the blanks (U+0020) at its start.
//
// Spark: ltrim.
func (v StringValue) LStrip() StringValue { return call[StringValue](methodLTrim, v) }

// ReReplace puts by in the place of every match of a Java regular expression; $1 stands for its first group.
//
// Spark: regexp_replace.
func (v StringValue) ReReplace(pattern any, by any) StringValue {
	return call[StringValue](methodRegexpReplace, v, pattern, by)
}

// Repeat is the text n times over; empty when n is zero or less.
//
// Spark: repeat.
func (v StringValue) Repeat(n any) StringValue { return call[StringValue](methodRepeat, v, n) }

// Replace puts by (nothing by default) in the place of every occurrence of search.
//
// Spark: replace.
func (v StringValue) Replace(search any, by ...any) StringValue {
	return call[StringValue](methodReplace, append([]any{v, search}, by...)...)
}

// Reverse is the text backwards, by code points, or the array.
//
// Spark: reverse.
func (v StringValue) Reverse() StringValue { return call[StringValue](methodReverse, v) }

// ReSearch tells whether a Java regular expression finds something in the text.
//
// Spark: rlike.
func (v StringValue) ReSearch(pattern any) BooleanValue {
	return call[BooleanValue](methodRLike, v, pattern)
}

// RPad fills the text from the right with pad up to len code points, or cuts it to them.
//
// Spark: rpad.
func (v StringValue) RPad(lenArg any, pad any) StringValue {
	return call[StringValue](methodRPad, v, lenArg, pad)
}

// RStrip is the text without the blanks (U+0020) at its end.
//
// Spark: rtrim.
func (v StringValue) RStrip() StringValue { return call[StringValue](methodRTrim, v) }

// ReSplit cuts the text at every match of a Java regular expression.
//
// Spark: split.
func (v StringValue) ReSplit(pattern any) ArrayValue {
	return call[ArrayValue](methodSplit, v, pattern)
}

// StartsWith tells whether the text begins with prefix.
//
// Spark: startswith.
func (v StringValue) StartsWith(prefix any) BooleanValue {
	return call[BooleanValue](methodStartsWith, v, prefix)
}

// Strip is the text without the blanks (U+0020) at both ends.
//
// Spark: trim.
func (v StringValue) Strip() StringValue { return call[StringValue](methodTrim, v) }

// Upper is the text in upper case by Unicode's full rules: ß becomes SS.
//
// Spark: upper.
func (v StringValue) Upper() StringValue { return call[StringValue](methodUpper, v) }

// CumeDist is the share of the partition's rows that come before the row or are equal to it in the order, above 0.0 up to 1.0. The window is ordered by this value; Over adds partitions.
//
// Spark: cume_dist.
func (v StringValue) CumeDist() NumericValue { return ranked(methodCumeDist, v) }

// DenseRank is the rank without gaps, from 1 as in SQL; Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: dense_rank.
func (v StringValue) DenseRank() NumericValue { return ranked(methodDenseRank, v) }

// Lag is the value a number of rows before (1 by default), or the default (NULL by default) where there is no such row. A negative offset looks ahead. With IgnoreNulls only rows with a value count.
//
// Spark: lag.
func (v StringValue) Lag(offset ...any) StringValue {
	return call[StringValue](methodLag, variadic(v, offset)...)
}

// Lead is the value a number of rows behind (1 by default), or the default (NULL by default) where there is no such row. A negative offset looks back. With IgnoreNulls only rows with a value count.
//
// Spark: lead.
func (v StringValue) Lead(offset ...any) StringValue {
	return call[StringValue](methodLead, variadic(v, offset)...)
}

// Nth is the value of the frame's n-th row, from 1 as in SQL; null where the frame is shorter. Ibis counts from 0. With IgnoreNulls only rows with a value count.
//
// Spark: nth_value.
func (v StringValue) Nth(n any) StringValue { return call[StringValue](methodNthValue, v, n) }

// NTile is the number of the row's bucket when the partition is dealt in order into so many buckets of sizes as equal as can be, the greater first; from 1 as in SQL, Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: ntile.
func (v StringValue) NTile(buckets any) NumericValue { return ranked(methodNtile, v, buckets) }

// PercentRank is the share of the partition's other rows that come before the row, from 0.0 to 1.0; 0.0 where the row is alone. The window is ordered by this value; Over adds partitions.
//
// Spark: percent_rank.
func (v StringValue) PercentRank() NumericValue { return ranked(methodPercentRank, v) }

// Rank is one more than the number of rows before the row in the order; equal rows have one rank, and the next is behind a gap. It counts from 1 as in SQL; Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: rank.
func (v StringValue) Rank() NumericValue { return ranked(methodRank, v) }

// As names the value: the column that it becomes has that name, which may be any text.
func (v BooleanValue) As(name string) BooleanValue { return named(v, name) }

// Cast gives the value as another type by Spark's rules; under ANSI what does not fit is an error.
func (v BooleanValue) Cast(t datatype.Type) AnyValue {
	return AnyValue{castTo(condition.Here(1), v, t, false)}
}

// TryCast is Cast that gives null where the value does not fit.
func (v BooleanValue) TryCast(t datatype.Type) AnyValue {
	return AnyValue{castTo(condition.Here(1), v, t, true)}
}

// Desc is the value as a sort key from great to small, nulls last.
func (v BooleanValue) Desc() Ordering { return ordering(v, true) }

// Asc is the value as a sort key from small to great, nulls first.
func (v BooleanValue) Asc() Ordering { return ordering(v, false) }

// Over computes the aggregates and window functions in the value over the rows of a window (package window) around each row. What has an OVER
// already gets the keys that it lacks, and the frame if it has none.
func (v BooleanValue) Over(w WindowSpec) BooleanValue { return over(v, w) }

// ApproxNUnique is about the number of different values that are not null, by HyperLogLog++ with Spark's hash, so that both give one answer. The relative deviation, 0.05 by default, is a literal of at most 0.39; below 0.005 Spark may need more memory than it has.
//
// Spark: approx_count_distinct.
func (v BooleanValue) ApproxNUnique(rsd ...any) NumericValue {
	return call[NumericValue](methodApproxCountDistinct, variadic(v, rsd)...)
}

// CumAll is All over the rows up to the current one, in the order that Over gives: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW. All is true when every value that is not null is true; null over no values.
func (v BooleanValue) CumAll() BooleanValue { return cumulative[BooleanValue](methodBoolAnd, v) }

// All is true when every value that is not null is true; null over no values.
//
// Spark: bool_and.
func (v BooleanValue) All() BooleanValue { return call[BooleanValue](methodBoolAnd, v) }

// CumAny is Any over the rows up to the current one, in the order that Over gives: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW. Any is true when a value is true; null over no values.
func (v BooleanValue) CumAny() BooleanValue { return cumulative[BooleanValue](methodBoolOr, v) }

// Any is true when a value is true; null over no values.
//
// Spark: bool_or.
func (v BooleanValue) Any() BooleanValue { return call[BooleanValue](methodBoolOr, v) }

// Collect is the list of the values that are not null; empty over none.
//
// Spark: collect_list.
func (v BooleanValue) Collect() ArrayValue { return call[ArrayValue](methodCollectList, v) }

// Count is the number of rows where the value is not null; without a value, of all rows.
//
// Spark: count.
func (v BooleanValue) Count() NumericValue { return call[NumericValue](methodCount, v) }

// CountTrue is the number of rows for which the condition is true.
//
// Spark: count_if.
func (v BooleanValue) CountTrue() NumericValue { return call[NumericValue](methodCountIf, v) }

// First is the value of the first row that Spark happens to see, null or not.
//
// Spark: first.
func (v BooleanValue) First() BooleanValue { return call[BooleanValue](methodFirst, v) }

// Last is the value of the last row that Spark happens to see, null or not.
//
// Spark: last.
func (v BooleanValue) Last() BooleanValue { return call[BooleanValue](methodLast, v) }

// CumMax is Max over the rows up to the current one, in the order that Over gives: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW. Max is the greatest value, null over no values; NaN is greater than every number.
func (v BooleanValue) CumMax() BooleanValue { return cumulative[BooleanValue](methodMax, v) }

// Max is the greatest value, null over no values; NaN is greater than every number.
//
// Spark: max.
func (v BooleanValue) Max() BooleanValue { return call[BooleanValue](methodMax, v) }

// MaxBy is the value, null or not, of the row with the greatest by; of several the last that Spark happens to see.
//
// Spark: max_by.
func (v BooleanValue) MaxBy(by any) BooleanValue { return call[BooleanValue](methodMaxBy, v, by) }

// CumMin is Min over the rows up to the current one, in the order that Over gives: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW. Min is the least value, null over no values.
func (v BooleanValue) CumMin() BooleanValue { return cumulative[BooleanValue](methodMin, v) }

// Min is the least value, null over no values.
//
// Spark: min.
func (v BooleanValue) Min() BooleanValue { return call[BooleanValue](methodMin, v) }

// MinBy is the value, null or not, of the row with the least by; of several the last that Spark happens to see.
//
// Spark: min_by.
func (v BooleanValue) MinBy(by any) BooleanValue { return call[BooleanValue](methodMinBy, v, by) }

// TypeOf is the name of the value's type in lower case.
//
// Spark: typeof.
func (v BooleanValue) TypeOf() StringValue { return call[StringValue](methodTypeOf, v) }

// Hash is Spark's Murmur3 hash of the values, an INT; nulls do not change it. Maps cannot be hashed.
//
// Spark: hash.
func (v BooleanValue) Hash(values ...any) NumericValue {
	return call[NumericValue](methodHash, variadic(v, values)...)
}

// NotNull tells whether the value is not null; it is never null itself.
//
// Spark: {0} IS NOT NULL.
func (v BooleanValue) NotNull() BooleanValue { return call[BooleanValue](methodIsNotNull, v) }

// IsNull tells whether the value is null; it is never null itself.
//
// Spark: {0} IS NULL.
func (v BooleanValue) IsNull() BooleanValue { return call[BooleanValue](methodIsNull, v) }

// NullIf is null where both sides are equal, else the value.
//
// Spark: nullif.
func (v BooleanValue) NullIf(b any) BooleanValue { return call[BooleanValue](methodNullIf, v, b) }

// Lt tells whether the left side is less; null when either is null. NaN is greater than every number.
//
// Spark: {0} < {1}.
func (v BooleanValue) Lt(b any) BooleanValue { return call[BooleanValue](methodLt, v, b) }

// Le tells whether the left side is less or equal; null when either is null.
//
// Spark: {0} <= {1}.
func (v BooleanValue) Le(b any) BooleanValue { return call[BooleanValue](methodLe, v, b) }

// EqNullSafe tells whether both sides are equal, where null equals null; it is never null.
//
// Spark: {0} <=> {1}.
func (v BooleanValue) EqNullSafe(b any) BooleanValue {
	return call[BooleanValue](methodEqNullSafe, v, b)
}

// NotEq tells whether the sides differ; null when either is null.
//
// Spark: {0} <> {1}.
func (v BooleanValue) NotEq(b any) BooleanValue { return call[BooleanValue](methodNotEq, v, b) }

// Eq tells whether both sides are equal; null when either is null. NaN equals NaN, and -0.0 equals 0.0.
//
// Spark: {0} = {1}.
func (v BooleanValue) Eq(b any) BooleanValue { return call[BooleanValue](methodEq, v, b) }

// Gt tells whether the left side is greater; null when either is null. NaN is greater than every number.
//
// Spark: {0} > {1}.
func (v BooleanValue) Gt(b any) BooleanValue { return call[BooleanValue](methodGt, v, b) }

// Ge tells whether the left side is greater or equal; null when either is null.
//
// Spark: {0} >= {1}.
func (v BooleanValue) Ge(b any) BooleanValue { return call[BooleanValue](methodGe, v, b) }

// And is true when both sides are; false when one is false, null or not.
//
// Spark: {0} AND {1}.
func (v BooleanValue) And(b any) BooleanValue { return call[BooleanValue](methodAnd, v, b) }

// Between tells whether the value lies between low and high, both included. It means a >= low AND a <= high, nulls too.
//
// Spark: {0} BETWEEN {1} AND {2}.
func (v BooleanValue) Between(low any, high any) BooleanValue {
	return call[BooleanValue](methodBetween, v, low, high)
}

// In tells whether the value equals one of the others; null when it equals none and a null is among them.
//
// Spark: {0} IN ({1*}).
func (v BooleanValue) In(value any, values ...any) BooleanValue {
	return call[BooleanValue](methodIn, append([]any{v, value}, values...)...)
}

// Not is the opposite; null stays null.
//
// Spark: NOT {0}.
func (v BooleanValue) Not() BooleanValue { return call[BooleanValue](methodNot, v) }

// Or is true when one side is, null or not; false when both are false.
//
// Spark: {0} OR {1}.
func (v BooleanValue) Or(b any) BooleanValue { return call[BooleanValue](methodOr, v, b) }

// CumeDist is the share of the partition's rows that come before the row or are equal to it in the order, above 0.0 up to 1.0. The window is ordered by this value; Over adds partitions.
//
// Spark: cume_dist.
func (v BooleanValue) CumeDist() NumericValue { return ranked(methodCumeDist, v) }

// DenseRank is the rank without gaps, from 1 as in SQL; Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: dense_rank.
func (v BooleanValue) DenseRank() NumericValue { return ranked(methodDenseRank, v) }

// Lag is the value a number of rows before (1 by default), or the default (NULL by default) where there is no such row. A negative offset looks ahead. With IgnoreNulls only rows with a value count.
//
// Spark: lag.
func (v BooleanValue) Lag(offset ...any) BooleanValue {
	return call[BooleanValue](methodLag, variadic(v, offset)...)
}

// Lead is the value a number of rows behind (1 by default), or the default (NULL by default) where there is no such row. A negative offset looks back. With IgnoreNulls only rows with a value count.
//
// Spark: lead.
func (v BooleanValue) Lead(offset ...any) BooleanValue {
	return call[BooleanValue](methodLead, variadic(v, offset)...)
}

// Nth is the value of the frame's n-th row, from 1 as in SQL; null where the frame is shorter. Ibis counts from 0. With IgnoreNulls only rows with a value count.
//
// Spark: nth_value.
func (v BooleanValue) Nth(n any) BooleanValue { return call[BooleanValue](methodNthValue, v, n) }

// NTile is the number of the row's bucket when the partition is dealt in order into so many buckets of sizes as equal as can be, the greater first; from 1 as in SQL, Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: ntile.
func (v BooleanValue) NTile(buckets any) NumericValue { return ranked(methodNtile, v, buckets) }

// PercentRank is the share of the partition's other rows that come before the row, from 0.0 to 1.0; 0.0 where the row is alone. The window is ordered by this value; Over adds partitions.
//
// Spark: percent_rank.
func (v BooleanValue) PercentRank() NumericValue { return ranked(methodPercentRank, v) }

// Rank is one more than the number of rows before the row in the order; equal rows have one rank, and the next is behind a gap. It counts from 1 as in SQL; Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: rank.
func (v BooleanValue) Rank() NumericValue { return ranked(methodRank, v) }

// As names the value: the column that it becomes has that name, which may be any text.
func (v DateValue) As(name string) DateValue { return named(v, name) }

// Cast gives the value as another type by Spark's rules; under ANSI what does not fit is an error.
func (v DateValue) Cast(t datatype.Type) AnyValue {
	return AnyValue{castTo(condition.Here(1), v, t, false)}
}

// TryCast is Cast that gives null where the value does not fit.
func (v DateValue) TryCast(t datatype.Type) AnyValue {
	return AnyValue{castTo(condition.Here(1), v, t, true)}
}

// Desc is the value as a sort key from great to small, nulls last.
func (v DateValue) Desc() Ordering { return ordering(v, true) }

// Asc is the value as a sort key from small to great, nulls first.
func (v DateValue) Asc() Ordering { return ordering(v, false) }

// Over computes the aggregates and window functions in the value over the rows of a window (package window) around each row. What has an OVER
// already gets the keys that it lacks, and the frame if it has none.
func (v DateValue) Over(w WindowSpec) DateValue { return over(v, w) }

// ApproxNUnique is about the number of different values that are not null, by HyperLogLog++ with Spark's hash, so that both give one answer. The relative deviation, 0.05 by default, is a literal of at most 0.39; below 0.005 Spark may need more memory than it has.
//
// Spark: approx_count_distinct.
func (v DateValue) ApproxNUnique(rsd ...any) NumericValue {
	return call[NumericValue](methodApproxCountDistinct, variadic(v, rsd)...)
}

// Collect is the list of the values that are not null; empty over none.
//
// Spark: collect_list.
func (v DateValue) Collect() ArrayValue { return call[ArrayValue](methodCollectList, v) }

// Count is the number of rows where the value is not null; without a value, of all rows.
//
// Spark: count.
func (v DateValue) Count() NumericValue { return call[NumericValue](methodCount, v) }

// First is the value of the first row that Spark happens to see, null or not.
//
// Spark: first.
func (v DateValue) First() DateValue { return call[DateValue](methodFirst, v) }

// Last is the value of the last row that Spark happens to see, null or not.
//
// Spark: last.
func (v DateValue) Last() DateValue { return call[DateValue](methodLast, v) }

// CumMax is Max over the rows up to the current one, in the order that Over gives: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW. Max is the greatest value, null over no values; NaN is greater than every number.
func (v DateValue) CumMax() DateValue { return cumulative[DateValue](methodMax, v) }

// Max is the greatest value, null over no values; NaN is greater than every number.
//
// Spark: max.
func (v DateValue) Max() DateValue { return call[DateValue](methodMax, v) }

// MaxBy is the value, null or not, of the row with the greatest by; of several the last that Spark happens to see.
//
// Spark: max_by.
func (v DateValue) MaxBy(by any) DateValue { return call[DateValue](methodMaxBy, v, by) }

// CumMin is Min over the rows up to the current one, in the order that Over gives: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW. Min is the least value, null over no values.
func (v DateValue) CumMin() DateValue { return cumulative[DateValue](methodMin, v) }

// Min is the least value, null over no values.
//
// Spark: min.
func (v DateValue) Min() DateValue { return call[DateValue](methodMin, v) }

// MinBy is the value, null or not, of the row with the least by; of several the last that Spark happens to see.
//
// Spark: min_by.
func (v DateValue) MinBy(by any) DateValue { return call[DateValue](methodMinBy, v, by) }

// TypeOf is the name of the value's type in lower case.
//
// Spark: typeof.
func (v DateValue) TypeOf() StringValue { return call[StringValue](methodTypeOf, v) }

// AddMonths is the date a number of months later, at most the last day of its month.
//
// Spark: add_months.
func (v DateValue) AddMonths(months any) DateValue {
	return call[DateValue](methodAddMonths, v, months)
}

// Date is the date, of a TIMESTAMP in the session's zone.
//
// Spark: date.
func (v DateValue) Date() AnyValue { return call[AnyValue](methodDate, v) }

// AddDays is the date a number of days later.
//
// Spark: date_add.
func (v DateValue) AddDays(days any) DateValue { return call[DateValue](methodDateAdd, v, days) }

// SubDays is the date a number of days earlier.
//
// Spark: date_sub.
func (v DateValue) SubDays(days any) DateValue { return call[DateValue](methodDateSub, v, days) }

// DaysSince is the number of days from start to end.
//
// Spark: datediff.
func (v DateValue) DaysSince(start any) NumericValue {
	return call[NumericValue](methodDateDiff, v, start)
}

// Day is the day of the month, 1 to 31.
//
// Spark: day.
func (v DateValue) Day() AnyValue { return call[AnyValue](methodDay, v) }

// DayOfWeekName is the day of the week in full, such as Monday.
//
// Spark: date_format({0}, 'EEEE').
func (v DateValue) DayOfWeekName() StringValue { return call[StringValue](methodDayOfWeekName, v) }

// DayOfYear is the day of the year, 1 to 366.
//
// Spark: dayofyear.
func (v DateValue) DayOfYear() AnyValue { return call[AnyValue](methodDayOfYear, v) }

// IsoYear is the year that the ISO week belongs to.
//
// Spark: extract(YEAROFWEEK FROM {0}).
func (v DateValue) IsoYear() AnyValue { return call[AnyValue](methodIsoYear, v) }

// LastDay is the last day of the date's month.
//
// Spark: last_day.
func (v DateValue) LastDay() DateValue { return call[DateValue](methodLastDay, v) }

// Month is the month, 1 to 12.
//
// Spark: month.
func (v DateValue) Month() AnyValue { return call[AnyValue](methodMonth, v) }

// NextDay is the first date later than the date that is the named day of the week, such as MO, mon or MONDAY. Another name raises ILLEGAL_DAY_OF_WEEK under ANSI and is null otherwise.
//
// Spark: next_day.
func (v DateValue) NextDay(weekday any) DateValue { return call[DateValue](methodNextDay, v, weekday) }

// Quarter is the quarter, 1 to 4.
//
// Spark: quarter.
func (v DateValue) Quarter() AnyValue { return call[AnyValue](methodQuarter, v) }

// Add is the time stamp an interval later. Months end at the last day of a month; days and months follow the session's zone.
//
// Spark: {0} + {1}.
func (v DateValue) Add(i any) AnyValue { return call[AnyValue](methodTimestampAdd, v, i) }

// Since is the interval from start to the value: days between dates, else days to seconds.
//
// Spark: {0} - {1}.
func (v DateValue) Since(start any) AnyValue {
	return call[AnyValue](methodTimestampSubtract, v, start)
}

// Sub is the time stamp an interval earlier.
//
// Spark: {0} - {1}.
func (v DateValue) Sub(i any) AnyValue { return call[AnyValue](methodTimestampSub, v, i) }

// ToDate reads a date: by a datetime pattern of Spark, or as a cast without one. What cannot be read raises under ANSI and is null otherwise.
//
// Spark: to_date.
func (v DateValue) ToDate(format ...any) AnyValue {
	return call[AnyValue](methodToDate, variadic(v, format)...)
}

// ToTimestamp reads a TIMESTAMP: by a datetime pattern of Spark, or as a cast without one. What cannot be read raises under ANSI and is null otherwise.
//
// Spark: to_timestamp.
func (v DateValue) ToTimestamp(format ...any) AnyValue {
	return call[AnyValue](methodToTimestamp, variadic(v, format)...)
}

// EpochDays is the number of days since 1970-01-01.
//
// Spark: unix_date.
func (v DateValue) EpochDays() NumericValue { return call[NumericValue](methodUnixDate, v) }

// DayOfWeekIndex is the day of the week, 0 for Monday to 6 for Sunday.
//
// Spark: weekday.
func (v DateValue) DayOfWeekIndex() AnyValue { return call[AnyValue](methodWeekday, v) }

// WeekOfYear is the ISO week of the year, 1 to 53.
//
// Spark: weekofyear.
func (v DateValue) WeekOfYear() AnyValue { return call[AnyValue](methodWeekOfYear, v) }

// Year is the year.
//
// Spark: year.
func (v DateValue) Year() AnyValue { return call[AnyValue](methodYear, v) }

// Hash is Spark's Murmur3 hash of the values, an INT; nulls do not change it. Maps cannot be hashed.
//
// Spark: hash.
func (v DateValue) Hash(values ...any) NumericValue {
	return call[NumericValue](methodHash, variadic(v, values)...)
}

// NotNull tells whether the value is not null; it is never null itself.
//
// Spark: {0} IS NOT NULL.
func (v DateValue) NotNull() BooleanValue { return call[BooleanValue](methodIsNotNull, v) }

// IsNull tells whether the value is null; it is never null itself.
//
// Spark: {0} IS NULL.
func (v DateValue) IsNull() BooleanValue { return call[BooleanValue](methodIsNull, v) }

// NullIf is null where both sides are equal, else the value.
//
// Spark: nullif.
func (v DateValue) NullIf(b any) DateValue { return call[DateValue](methodNullIf, v, b) }

// Lt tells whether the left side is less; null when either is null. NaN is greater than every number.
//
// Spark: {0} < {1}.
func (v DateValue) Lt(b any) BooleanValue { return call[BooleanValue](methodLt, v, b) }

// Le tells whether the left side is less or equal; null when either is null.
//
// Spark: {0} <= {1}.
func (v DateValue) Le(b any) BooleanValue { return call[BooleanValue](methodLe, v, b) }

// EqNullSafe tells whether both sides are equal, where null equals null; it is never null.
//
// Spark: {0} <=> {1}.
func (v DateValue) EqNullSafe(b any) BooleanValue { return call[BooleanValue](methodEqNullSafe, v, b) }

// NotEq tells whether the sides differ; null when either is null.
//
// Spark: {0} <> {1}.
func (v DateValue) NotEq(b any) BooleanValue { return call[BooleanValue](methodNotEq, v, b) }

// Eq tells whether both sides are equal; null when either is null. NaN equals NaN, and -0.0 equals 0.0.
//
// Spark: {0} = {1}.
func (v DateValue) Eq(b any) BooleanValue { return call[BooleanValue](methodEq, v, b) }

// Gt tells whether the left side is greater; null when either is null. NaN is greater than every number.
//
// Spark: {0} > {1}.
func (v DateValue) Gt(b any) BooleanValue { return call[BooleanValue](methodGt, v, b) }

// Ge tells whether the left side is greater or equal; null when either is null.
//
// Spark: {0} >= {1}.
func (v DateValue) Ge(b any) BooleanValue { return call[BooleanValue](methodGe, v, b) }

// Between tells whether the value lies between low and high, both included. It means a >= low AND a <= high, nulls too.
//
// Spark: {0} BETWEEN {1} AND {2}.
func (v DateValue) Between(low any, high any) BooleanValue {
	return call[BooleanValue](methodBetween, v, low, high)
}

// In tells whether the value equals one of the others; null when it equals none and a null is among them.
//
// Spark: {0} IN ({1*}).
func (v DateValue) In(value any, values ...any) BooleanValue {
	return call[BooleanValue](methodIn, append([]any{v, value}, values...)...)
}

// CumeDist is the share of the partition's rows that come before the row or are equal to it in the order, above 0.0 up to 1.0. The window is ordered by this value; Over adds partitions.
//
// Spark: cume_dist.
func (v DateValue) CumeDist() NumericValue { return ranked(methodCumeDist, v) }

// DenseRank is the rank without gaps, from 1 as in SQL; Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: dense_rank.
func (v DateValue) DenseRank() NumericValue { return ranked(methodDenseRank, v) }

// Lag is the value a number of rows before (1 by default), or the default (NULL by default) where there is no such row. A negative offset looks ahead. With IgnoreNulls only rows with a value count.
//
// Spark: lag.
func (v DateValue) Lag(offset ...any) DateValue {
	return call[DateValue](methodLag, variadic(v, offset)...)
}

// Lead is the value a number of rows behind (1 by default), or the default (NULL by default) where there is no such row. A negative offset looks back. With IgnoreNulls only rows with a value count.
//
// Spark: lead.
func (v DateValue) Lead(offset ...any) DateValue {
	return call[DateValue](methodLead, variadic(v, offset)...)
}

// Nth is the value of the frame's n-th row, from 1 as in SQL; null where the frame is shorter. Ibis counts from 0. With IgnoreNulls only rows with a value count.
//
// Spark: nth_value.
func (v DateValue) Nth(n any) DateValue { return call[DateValue](methodNthValue, v, n) }

// NTile is the number of the row's bucket when the partition is dealt in order into so many buckets of sizes as equal as can be, the greater first; from 1 as in SQL, Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: ntile.
func (v DateValue) NTile(buckets any) NumericValue { return ranked(methodNtile, v, buckets) }

// PercentRank is the share of the partition's other rows that come before the row, from 0.0 to 1.0; 0.0 where the row is alone. The window is ordered by this value; Over adds partitions.
//
// Spark: percent_rank.
func (v DateValue) PercentRank() NumericValue { return ranked(methodPercentRank, v) }

// Rank is one more than the number of rows before the row in the order; equal rows have one rank, and the next is behind a gap. It counts from 1 as in SQL; Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: rank.
func (v DateValue) Rank() NumericValue { return ranked(methodRank, v) }

// As names the value: the column that it becomes has that name, which may be any text.
func (v TimestampValue) As(name string) TimestampValue { return named(v, name) }

// Cast gives the value as another type by Spark's rules; under ANSI what does not fit is an error.
func (v TimestampValue) Cast(t datatype.Type) AnyValue {
	return AnyValue{castTo(condition.Here(1), v, t, false)}
}

// TryCast is Cast that gives null where the value does not fit.
func (v TimestampValue) TryCast(t datatype.Type) AnyValue {
	return AnyValue{castTo(condition.Here(1), v, t, true)}
}

// Desc is the value as a sort key from great to small, nulls last.
func (v TimestampValue) Desc() Ordering { return ordering(v, true) }

// Asc is the value as a sort key from small to great, nulls first.
func (v TimestampValue) Asc() Ordering { return ordering(v, false) }

// Over computes the aggregates and window functions in the value over the rows of a window (package window) around each row. What has an OVER
// already gets the keys that it lacks, and the frame if it has none.
func (v TimestampValue) Over(w WindowSpec) TimestampValue { return over(v, w) }

// ApproxNUnique is about the number of different values that are not null, by HyperLogLog++ with Spark's hash, so that both give one answer. The relative deviation, 0.05 by default, is a literal of at most 0.39; below 0.005 Spark may need more memory than it has.
//
// Spark: approx_count_distinct.
func (v TimestampValue) ApproxNUnique(rsd ...any) NumericValue {
	return call[NumericValue](methodApproxCountDistinct, variadic(v, rsd)...)
}

// Collect is the list of the values that are not null; empty over none.
//
// Spark: collect_list.
func (v TimestampValue) Collect() ArrayValue { return call[ArrayValue](methodCollectList, v) }

// Count is the number of rows where the value is not null; without a value, of all rows.
//
// Spark: count.
func (v TimestampValue) Count() NumericValue { return call[NumericValue](methodCount, v) }

// First is the value of the first row that Spark happens to see, null or not.
//
// Spark: first.
func (v TimestampValue) First() TimestampValue { return call[TimestampValue](methodFirst, v) }

// Last is the value of the last row that Spark happens to see, null or not.
//
// Spark: last.
func (v TimestampValue) Last() TimestampValue { return call[TimestampValue](methodLast, v) }

// CumMax is Max over the rows up to the current one, in the order that Over gives: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW. Max is the greatest value, null over no values; NaN is greater than every number.
func (v TimestampValue) CumMax() TimestampValue { return cumulative[TimestampValue](methodMax, v) }

// Max is the greatest value, null over no values; NaN is greater than every number.
//
// Spark: max.
func (v TimestampValue) Max() TimestampValue { return call[TimestampValue](methodMax, v) }

// MaxBy is the value, null or not, of the row with the greatest by; of several the last that Spark happens to see.
//
// Spark: max_by.
func (v TimestampValue) MaxBy(by any) TimestampValue { return call[TimestampValue](methodMaxBy, v, by) }

// CumMin is Min over the rows up to the current one, in the order that Over gives: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW. Min is the least value, null over no values.
func (v TimestampValue) CumMin() TimestampValue { return cumulative[TimestampValue](methodMin, v) }

// Min is the least value, null over no values.
//
// Spark: min.
func (v TimestampValue) Min() TimestampValue { return call[TimestampValue](methodMin, v) }

// MinBy is the value, null or not, of the row with the least by; of several the last that Spark happens to see.
//
// Spark: min_by.
func (v TimestampValue) MinBy(by any) TimestampValue { return call[TimestampValue](methodMinBy, v, by) }

// TypeOf is the name of the value's type in lower case.
//
// Spark: typeof.
func (v TimestampValue) TypeOf() StringValue { return call[StringValue](methodTypeOf, v) }

// Date is the date, of a TIMESTAMP in the session's zone.
//
// Spark: date.
func (v TimestampValue) Date() DateValue { return call[DateValue](methodDate, v) }

// Format is the text of a time stamp by a datetime pattern of Spark, such as yyyy-MM-dd HH:mm:ss.
//
// Spark: date_format.
func (v TimestampValue) Format(format any) StringValue {
	return call[StringValue](methodDateFormat, v, format)
}

// Day is the day of the month, 1 to 31.
//
// Spark: day.
func (v TimestampValue) Day() NumericValue { return call[NumericValue](methodDay, v) }

// DayOfWeekName is the day of the week in full, such as Monday.
//
// Spark: date_format({0}, 'EEEE').
func (v TimestampValue) DayOfWeekName() StringValue { return call[StringValue](methodDayOfWeekName, v) }

// DayOfYear is the day of the year, 1 to 366.
//
// Spark: dayofyear.
func (v TimestampValue) DayOfYear() NumericValue { return call[NumericValue](methodDayOfYear, v) }

// Hour is the hour in the session's zone, 0 to 23.
//
// Spark: hour.
func (v TimestampValue) Hour() NumericValue { return call[NumericValue](methodHour, v) }

// IsoYear is the year that the ISO week belongs to.
//
// Spark: extract(YEAROFWEEK FROM {0}).
func (v TimestampValue) IsoYear() NumericValue { return call[NumericValue](methodIsoYear, v) }

// Microsecond is the microseconds of the second, 0 to 999999.
//
// Spark: CAST(extract(SECOND FROM {0}) * 1000000 AS INT) % 1000000.
func (v TimestampValue) Microsecond() NumericValue { return call[NumericValue](methodMicrosecond, v) }

// Millisecond is the whole milliseconds of the second, 0 to 999.
//
// Spark: CAST(extract(SECOND FROM {0}) * 1000 AS INT) % 1000.
func (v TimestampValue) Millisecond() NumericValue { return call[NumericValue](methodMillisecond, v) }

// Minute is the minute, 0 to 59.
//
// Spark: minute.
func (v TimestampValue) Minute() NumericValue { return call[NumericValue](methodMinute, v) }

// Month is the month, 1 to 12.
//
// Spark: month.
func (v TimestampValue) Month() NumericValue { return call[NumericValue](methodMonth, v) }

// Quarter is the quarter, 1 to 4.
//
// Spark: quarter.
func (v TimestampValue) Quarter() NumericValue { return call[NumericValue](methodQuarter, v) }

// Second is the whole second, 0 to 59.
//
// Spark: second.
func (v TimestampValue) Second() NumericValue { return call[NumericValue](methodSecond, v) }

// Add is the time stamp an interval later. Months end at the last day of a month; days and months follow the session's zone.
//
// Spark: {0} + {1}.
func (v TimestampValue) Add(i any) TimestampValue {
	return call[TimestampValue](methodTimestampAdd, v, i)
}

// Since is the interval from start to the value: days between dates, else days to seconds.
//
// Spark: {0} - {1}.
func (v TimestampValue) Since(start any) IntervalValue {
	return call[IntervalValue](methodTimestampSubtract, v, start)
}

// Sub is the time stamp an interval earlier.
//
// Spark: {0} - {1}.
func (v TimestampValue) Sub(i any) TimestampValue {
	return call[TimestampValue](methodTimestampSub, v, i)
}

// ToDate reads a date: by a datetime pattern of Spark, or as a cast without one. What cannot be read raises under ANSI and is null otherwise.
//
// Spark: to_date.
func (v TimestampValue) ToDate(format ...any) AnyValue {
	return call[AnyValue](methodToDate, variadic(v, format)...)
}

// ToTimestamp reads a TIMESTAMP: by a datetime pattern of Spark, or as a cast without one. What cannot be read raises under ANSI and is null otherwise.
//
// Spark: to_timestamp.
func (v TimestampValue) ToTimestamp(format ...any) AnyValue {
	return call[AnyValue](methodToTimestamp, variadic(v, format)...)
}

// EpochSeconds is the number of whole seconds since 1970-01-01 00:00:00 UTC, rounded down.
//
// Spark: unix_seconds.
func (v TimestampValue) EpochSeconds() NumericValue { return call[NumericValue](methodUnixSeconds, v) }

// DayOfWeekIndex is the day of the week, 0 for Monday to 6 for Sunday.
//
// Spark: weekday.
func (v TimestampValue) DayOfWeekIndex() NumericValue { return call[NumericValue](methodWeekday, v) }

// WeekOfYear is the ISO week of the year, 1 to 53.
//
// Spark: weekofyear.
func (v TimestampValue) WeekOfYear() NumericValue { return call[NumericValue](methodWeekOfYear, v) }

// Year is the year.
//
// Spark: year.
func (v TimestampValue) Year() NumericValue { return call[NumericValue](methodYear, v) }

// Hash is Spark's Murmur3 hash of the values, an INT; nulls do not change it. Maps cannot be hashed.
//
// Spark: hash.
func (v TimestampValue) Hash(values ...any) NumericValue {
	return call[NumericValue](methodHash, variadic(v, values)...)
}

// NotNull tells whether the value is not null; it is never null itself.
//
// Spark: {0} IS NOT NULL.
func (v TimestampValue) NotNull() BooleanValue { return call[BooleanValue](methodIsNotNull, v) }

// IsNull tells whether the value is null; it is never null itself.
//
// Spark: {0} IS NULL.
func (v TimestampValue) IsNull() BooleanValue { return call[BooleanValue](methodIsNull, v) }

// NullIf is null where both sides are equal, else the value.
//
// Spark: nullif.
func (v TimestampValue) NullIf(b any) TimestampValue { return call[TimestampValue](methodNullIf, v, b) }

// Lt tells whether the left side is less; null when either is null. NaN is greater than every number.
//
// Spark: {0} < {1}.
func (v TimestampValue) Lt(b any) BooleanValue { return call[BooleanValue](methodLt, v, b) }

// Le tells whether the left side is less or equal; null when either is null.
//
// Spark: {0} <= {1}.
func (v TimestampValue) Le(b any) BooleanValue { return call[BooleanValue](methodLe, v, b) }

// EqNullSafe tells whether both sides are equal, where null equals null; it is never null.
//
// Spark: {0} <=> {1}.
func (v TimestampValue) EqNullSafe(b any) BooleanValue {
	return call[BooleanValue](methodEqNullSafe, v, b)
}

// NotEq tells whether the sides differ; null when either is null.
//
// Spark: {0} <> {1}.
func (v TimestampValue) NotEq(b any) BooleanValue { return call[BooleanValue](methodNotEq, v, b) }

// Eq tells whether both sides are equal; null when either is null. NaN equals NaN, and -0.0 equals 0.0.
//
// Spark: {0} = {1}.
func (v TimestampValue) Eq(b any) BooleanValue { return call[BooleanValue](methodEq, v, b) }

// Gt tells whether the left side is greater; null when either is null. NaN is greater than every number.
//
// Spark: {0} > {1}.
func (v TimestampValue) Gt(b any) BooleanValue { return call[BooleanValue](methodGt, v, b) }

// Ge tells whether the left side is greater or equal; null when either is null.
//
// Spark: {0} >= {1}.
func (v TimestampValue) Ge(b any) BooleanValue { return call[BooleanValue](methodGe, v, b) }

// Between tells whether the value lies between low and high, both included. It means a >= low AND a <= high, nulls too.
//
// Spark: {0} BETWEEN {1} AND {2}.
func (v TimestampValue) Between(low any, high any) BooleanValue {
	return call[BooleanValue](methodBetween, v, low, high)
}

// In tells whether the value equals one of the others; null when it equals none and a null is among them.
//
// Spark: {0} IN ({1*}).
func (v TimestampValue) In(value any, values ...any) BooleanValue {
	return call[BooleanValue](methodIn, append([]any{v, value}, values...)...)
}

// CumeDist is the share of the partition's rows that come before the row or are equal to it in the order, above 0.0 up to 1.0. The window is ordered by this value; Over adds partitions.
//
// Spark: cume_dist.
func (v TimestampValue) CumeDist() NumericValue { return ranked(methodCumeDist, v) }

// DenseRank is the rank without gaps, from 1 as in SQL; Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: dense_rank.
func (v TimestampValue) DenseRank() NumericValue { return ranked(methodDenseRank, v) }

// Lag is the value a number of rows before (1 by default), or the default (NULL by default) where there is no such row. A negative offset looks ahead. With IgnoreNulls only rows with a value count.
//
// Spark: lag.
func (v TimestampValue) Lag(offset ...any) TimestampValue {
	return call[TimestampValue](methodLag, variadic(v, offset)...)
}

// Lead is the value a number of rows behind (1 by default), or the default (NULL by default) where there is no such row. A negative offset looks back. With IgnoreNulls only rows with a value count.
//
// Spark: lead.
func (v TimestampValue) Lead(offset ...any) TimestampValue {
	return call[TimestampValue](methodLead, variadic(v, offset)...)
}

// Nth is the value of the frame's n-th row, from 1 as in SQL; null where the frame is shorter. Ibis counts from 0. With IgnoreNulls only rows with a value count.
//
// Spark: nth_value.
func (v TimestampValue) Nth(n any) TimestampValue { return call[TimestampValue](methodNthValue, v, n) }

// NTile is the number of the row's bucket when the partition is dealt in order into so many buckets of sizes as equal as can be, the greater first; from 1 as in SQL, Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: ntile.
func (v TimestampValue) NTile(buckets any) NumericValue { return ranked(methodNtile, v, buckets) }

// PercentRank is the share of the partition's other rows that come before the row, from 0.0 to 1.0; 0.0 where the row is alone. The window is ordered by this value; Over adds partitions.
//
// Spark: percent_rank.
func (v TimestampValue) PercentRank() NumericValue { return ranked(methodPercentRank, v) }

// Rank is one more than the number of rows before the row in the order; equal rows have one rank, and the next is behind a gap. It counts from 1 as in SQL; Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: rank.
func (v TimestampValue) Rank() NumericValue { return ranked(methodRank, v) }

// As names the value: the column that it becomes has that name, which may be any text.
func (v TimeValue) As(name string) TimeValue { return named(v, name) }

// Cast gives the value as another type by Spark's rules; under ANSI what does not fit is an error.
func (v TimeValue) Cast(t datatype.Type) AnyValue {
	return AnyValue{castTo(condition.Here(1), v, t, false)}
}

// TryCast is Cast that gives null where the value does not fit.
func (v TimeValue) TryCast(t datatype.Type) AnyValue {
	return AnyValue{castTo(condition.Here(1), v, t, true)}
}

// Desc is the value as a sort key from great to small, nulls last.
func (v TimeValue) Desc() Ordering { return ordering(v, true) }

// Asc is the value as a sort key from small to great, nulls first.
func (v TimeValue) Asc() Ordering { return ordering(v, false) }

// Over computes the aggregates and window functions in the value over the rows of a window (package window) around each row. What has an OVER
// already gets the keys that it lacks, and the frame if it has none.
func (v TimeValue) Over(w WindowSpec) TimeValue { return over(v, w) }

// ApproxNUnique is about the number of different values that are not null, by HyperLogLog++ with Spark's hash, so that both give one answer. The relative deviation, 0.05 by default, is a literal of at most 0.39; below 0.005 Spark may need more memory than it has.
//
// Spark: approx_count_distinct.
func (v TimeValue) ApproxNUnique(rsd ...any) NumericValue {
	return call[NumericValue](methodApproxCountDistinct, variadic(v, rsd)...)
}

// Collect is the list of the values that are not null; empty over none.
//
// Spark: collect_list.
func (v TimeValue) Collect() ArrayValue { return call[ArrayValue](methodCollectList, v) }

// Count is the number of rows where the value is not null; without a value, of all rows.
//
// Spark: count.
func (v TimeValue) Count() NumericValue { return call[NumericValue](methodCount, v) }

// First is the value of the first row that Spark happens to see, null or not.
//
// Spark: first.
func (v TimeValue) First() TimeValue { return call[TimeValue](methodFirst, v) }

// Last is the value of the last row that Spark happens to see, null or not.
//
// Spark: last.
func (v TimeValue) Last() TimeValue { return call[TimeValue](methodLast, v) }

// CumMax is Max over the rows up to the current one, in the order that Over gives: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW. Max is the greatest value, null over no values; NaN is greater than every number.
func (v TimeValue) CumMax() TimeValue { return cumulative[TimeValue](methodMax, v) }

// Max is the greatest value, null over no values; NaN is greater than every number.
//
// Spark: max.
func (v TimeValue) Max() TimeValue { return call[TimeValue](methodMax, v) }

// MaxBy is the value, null or not, of the row with the greatest by; of several the last that Spark happens to see.
//
// Spark: max_by.
func (v TimeValue) MaxBy(by any) TimeValue { return call[TimeValue](methodMaxBy, v, by) }

// CumMin is Min over the rows up to the current one, in the order that Over gives: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW. Min is the least value, null over no values.
func (v TimeValue) CumMin() TimeValue { return cumulative[TimeValue](methodMin, v) }

// Min is the least value, null over no values.
//
// Spark: min.
func (v TimeValue) Min() TimeValue { return call[TimeValue](methodMin, v) }

// MinBy is the value, null or not, of the row with the least by; of several the last that Spark happens to see.
//
// Spark: min_by.
func (v TimeValue) MinBy(by any) TimeValue { return call[TimeValue](methodMinBy, v, by) }

// TypeOf is the name of the value's type in lower case.
//
// Spark: typeof.
func (v TimeValue) TypeOf() StringValue { return call[StringValue](methodTypeOf, v) }

// Hash is Spark's Murmur3 hash of the values, an INT; nulls do not change it. Maps cannot be hashed.
//
// Spark: hash.
func (v TimeValue) Hash(values ...any) NumericValue {
	return call[NumericValue](methodHash, variadic(v, values)...)
}

// NotNull tells whether the value is not null; it is never null itself.
//
// Spark: {0} IS NOT NULL.
func (v TimeValue) NotNull() BooleanValue { return call[BooleanValue](methodIsNotNull, v) }

// IsNull tells whether the value is null; it is never null itself.
//
// Spark: {0} IS NULL.
func (v TimeValue) IsNull() BooleanValue { return call[BooleanValue](methodIsNull, v) }

// NullIf is null where both sides are equal, else the value.
//
// Spark: nullif.
func (v TimeValue) NullIf(b any) TimeValue { return call[TimeValue](methodNullIf, v, b) }

// Lt tells whether the left side is less; null when either is null. NaN is greater than every number.
//
// Spark: {0} < {1}.
func (v TimeValue) Lt(b any) BooleanValue { return call[BooleanValue](methodLt, v, b) }

// Le tells whether the left side is less or equal; null when either is null.
//
// Spark: {0} <= {1}.
func (v TimeValue) Le(b any) BooleanValue { return call[BooleanValue](methodLe, v, b) }

// EqNullSafe tells whether both sides are equal, where null equals null; it is never null.
//
// Spark: {0} <=> {1}.
func (v TimeValue) EqNullSafe(b any) BooleanValue { return call[BooleanValue](methodEqNullSafe, v, b) }

// NotEq tells whether the sides differ; null when either is null.
//
// Spark: {0} <> {1}.
func (v TimeValue) NotEq(b any) BooleanValue { return call[BooleanValue](methodNotEq, v, b) }

// Eq tells whether both sides are equal; null when either is null. NaN equals NaN, and -0.0 equals 0.0.
//
// Spark: {0} = {1}.
func (v TimeValue) Eq(b any) BooleanValue { return call[BooleanValue](methodEq, v, b) }

// Gt tells whether the left side is greater; null when either is null. NaN is greater than every number.
//
// Spark: {0} > {1}.
func (v TimeValue) Gt(b any) BooleanValue { return call[BooleanValue](methodGt, v, b) }

// Ge tells whether the left side is greater or equal; null when either is null.
//
// Spark: {0} >= {1}.
func (v TimeValue) Ge(b any) BooleanValue { return call[BooleanValue](methodGe, v, b) }

// Between tells whether the value lies between low and high, both included. It means a >= low AND a <= high, nulls too.
//
// Spark: {0} BETWEEN {1} AND {2}.
func (v TimeValue) Between(low any, high any) BooleanValue {
	return call[BooleanValue](methodBetween, v, low, high)
}

// In tells whether the value equals one of the others; null when it equals none and a null is among them.
//
// Spark: {0} IN ({1*}).
func (v TimeValue) In(value any, values ...any) BooleanValue {
	return call[BooleanValue](methodIn, append([]any{v, value}, values...)...)
}

// CumeDist is the share of the partition's rows that come before the row or are equal to it in the order, above 0.0 up to 1.0. The window is ordered by this value; Over adds partitions.
//
// Spark: cume_dist.
func (v TimeValue) CumeDist() NumericValue { return ranked(methodCumeDist, v) }

// DenseRank is the rank without gaps, from 1 as in SQL; Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: dense_rank.
func (v TimeValue) DenseRank() NumericValue { return ranked(methodDenseRank, v) }

// Lag is the value a number of rows before (1 by default), or the default (NULL by default) where there is no such row. A negative offset looks ahead. With IgnoreNulls only rows with a value count.
//
// Spark: lag.
func (v TimeValue) Lag(offset ...any) TimeValue {
	return call[TimeValue](methodLag, variadic(v, offset)...)
}

// Lead is the value a number of rows behind (1 by default), or the default (NULL by default) where there is no such row. A negative offset looks back. With IgnoreNulls only rows with a value count.
//
// Spark: lead.
func (v TimeValue) Lead(offset ...any) TimeValue {
	return call[TimeValue](methodLead, variadic(v, offset)...)
}

// Nth is the value of the frame's n-th row, from 1 as in SQL; null where the frame is shorter. Ibis counts from 0. With IgnoreNulls only rows with a value count.
//
// Spark: nth_value.
func (v TimeValue) Nth(n any) TimeValue { return call[TimeValue](methodNthValue, v, n) }

// NTile is the number of the row's bucket when the partition is dealt in order into so many buckets of sizes as equal as can be, the greater first; from 1 as in SQL, Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: ntile.
func (v TimeValue) NTile(buckets any) NumericValue { return ranked(methodNtile, v, buckets) }

// PercentRank is the share of the partition's other rows that come before the row, from 0.0 to 1.0; 0.0 where the row is alone. The window is ordered by this value; Over adds partitions.
//
// Spark: percent_rank.
func (v TimeValue) PercentRank() NumericValue { return ranked(methodPercentRank, v) }

// Rank is one more than the number of rows before the row in the order; equal rows have one rank, and the next is behind a gap. It counts from 1 as in SQL; Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: rank.
func (v TimeValue) Rank() NumericValue { return ranked(methodRank, v) }

// As names the value: the column that it becomes has that name, which may be any text.
func (v IntervalValue) As(name string) IntervalValue { return named(v, name) }

// Cast gives the value as another type by Spark's rules; under ANSI what does not fit is an error.
func (v IntervalValue) Cast(t datatype.Type) AnyValue {
	return AnyValue{castTo(condition.Here(1), v, t, false)}
}

// TryCast is Cast that gives null where the value does not fit.
func (v IntervalValue) TryCast(t datatype.Type) AnyValue {
	return AnyValue{castTo(condition.Here(1), v, t, true)}
}

// Desc is the value as a sort key from great to small, nulls last.
func (v IntervalValue) Desc() Ordering { return ordering(v, true) }

// Asc is the value as a sort key from small to great, nulls first.
func (v IntervalValue) Asc() Ordering { return ordering(v, false) }

// Over computes the aggregates and window functions in the value over the rows of a window (package window) around each row. What has an OVER
// already gets the keys that it lacks, and the frame if it has none.
func (v IntervalValue) Over(w WindowSpec) IntervalValue { return over(v, w) }

// ApproxNUnique is about the number of different values that are not null, by HyperLogLog++ with Spark's hash, so that both give one answer. The relative deviation, 0.05 by default, is a literal of at most 0.39; below 0.005 Spark may need more memory than it has.
//
// Spark: approx_count_distinct.
func (v IntervalValue) ApproxNUnique(rsd ...any) NumericValue {
	return call[NumericValue](methodApproxCountDistinct, variadic(v, rsd)...)
}

// CumMean is Mean over the rows up to the current one, in the order that Over gives: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW. Mean is the mean, null over no values: DOUBLE, or a decimal with four digits more of decimals.
func (v IntervalValue) CumMean() AnyValue { return cumulative[AnyValue](methodAvg, v) }

// Mean is the mean, null over no values: DOUBLE, or a decimal with four digits more of decimals.
//
// Spark: avg.
func (v IntervalValue) Mean() AnyValue { return call[AnyValue](methodAvg, v) }

// Collect is the list of the values that are not null; empty over none.
//
// Spark: collect_list.
func (v IntervalValue) Collect() ArrayValue { return call[ArrayValue](methodCollectList, v) }

// Count is the number of rows where the value is not null; without a value, of all rows.
//
// Spark: count.
func (v IntervalValue) Count() NumericValue { return call[NumericValue](methodCount, v) }

// First is the value of the first row that Spark happens to see, null or not.
//
// Spark: first.
func (v IntervalValue) First() IntervalValue { return call[IntervalValue](methodFirst, v) }

// Last is the value of the last row that Spark happens to see, null or not.
//
// Spark: last.
func (v IntervalValue) Last() IntervalValue { return call[IntervalValue](methodLast, v) }

// CumMax is Max over the rows up to the current one, in the order that Over gives: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW. Max is the greatest value, null over no values; NaN is greater than every number.
func (v IntervalValue) CumMax() IntervalValue { return cumulative[IntervalValue](methodMax, v) }

// Max is the greatest value, null over no values; NaN is greater than every number.
//
// Spark: max.
func (v IntervalValue) Max() IntervalValue { return call[IntervalValue](methodMax, v) }

// MaxBy is the value, null or not, of the row with the greatest by; of several the last that Spark happens to see.
//
// Spark: max_by.
func (v IntervalValue) MaxBy(by any) IntervalValue { return call[IntervalValue](methodMaxBy, v, by) }

// CumMin is Min over the rows up to the current one, in the order that Over gives: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW. Min is the least value, null over no values.
func (v IntervalValue) CumMin() IntervalValue { return cumulative[IntervalValue](methodMin, v) }

// Min is the least value, null over no values.
//
// Spark: min.
func (v IntervalValue) Min() IntervalValue { return call[IntervalValue](methodMin, v) }

// MinBy is the value, null or not, of the row with the least by; of several the last that Spark happens to see.
//
// Spark: min_by.
func (v IntervalValue) MinBy(by any) IntervalValue { return call[IntervalValue](methodMinBy, v, by) }

// CumSum is Sum over the rows up to the current one, in the order that Over gives: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW. Sum is the sum, null over no values: BIGINT of integers, DOUBLE of FLOAT and DOUBLE, a decimal with ten digits more of decimals. An overflow raises ARITHMETIC_OVERFLOW under ANSI. Only over FLOAT and DOUBLE does the order of the rows show.
func (v IntervalValue) CumSum() AnyValue { return cumulative[AnyValue](methodSum, v) }

// Sum is the sum, null over no values: BIGINT of integers, DOUBLE of FLOAT and DOUBLE, a decimal with ten digits more of decimals. An overflow raises ARITHMETIC_OVERFLOW under ANSI. Only over FLOAT and DOUBLE does the order of the rows show.
//
// Spark: sum.
func (v IntervalValue) Sum() AnyValue { return call[AnyValue](methodSum, v) }

// TypeOf is the name of the value's type in lower case.
//
// Spark: typeof.
func (v IntervalValue) TypeOf() StringValue { return call[StringValue](methodTypeOf, v) }

// Hash is Spark's Murmur3 hash of the values, an INT; nulls do not change it. Maps cannot be hashed.
//
// Spark: hash.
func (v IntervalValue) Hash(values ...any) NumericValue {
	return call[NumericValue](methodHash, variadic(v, values)...)
}

// Add is the sum of two intervals of months, or of two of days to seconds, over the fields of both. Past the range it raises INTERVAL_ARITHMETIC_OVERFLOW, with or without ANSI.
//
// Spark: {0} + {1}.
func (v IntervalValue) Add(b any) IntervalValue { return call[IntervalValue](methodIntervalAdd, v, b) }

// Div is the interval divided by a number, rounded half away from zero to a month or a microsecond. Zero raises INTERVAL_DIVIDED_BY_ZERO, with or without ANSI.
//
// Spark: {0} / {1}.
func (v IntervalValue) Div(n any) IntervalValue { return call[IntervalValue](methodIntervalDiv, v, n) }

// Mul is the interval so many times, rounded half away from zero to a month or a microsecond.
//
// Spark: {0} * {1}.
func (v IntervalValue) Mul(n any) IntervalValue { return call[IntervalValue](methodIntervalMul, v, n) }

// Negate is the interval with the other sign.
//
// Spark: - {0}.
func (v IntervalValue) Negate() IntervalValue { return call[IntervalValue](methodIntervalNegate, v) }

// Sub is the difference of two intervals, by the rules of their sum.
//
// Spark: {0} - {1}.
func (v IntervalValue) Sub(b any) IntervalValue { return call[IntervalValue](methodIntervalSub, v, b) }

// NotNull tells whether the value is not null; it is never null itself.
//
// Spark: {0} IS NOT NULL.
func (v IntervalValue) NotNull() BooleanValue { return call[BooleanValue](methodIsNotNull, v) }

// IsNull tells whether the value is null; it is never null itself.
//
// Spark: {0} IS NULL.
func (v IntervalValue) IsNull() BooleanValue { return call[BooleanValue](methodIsNull, v) }

// NullIf is null where both sides are equal, else the value.
//
// Spark: nullif.
func (v IntervalValue) NullIf(b any) IntervalValue { return call[IntervalValue](methodNullIf, v, b) }

// Lt tells whether the left side is less; null when either is null. NaN is greater than every number.
//
// Spark: {0} < {1}.
func (v IntervalValue) Lt(b any) BooleanValue { return call[BooleanValue](methodLt, v, b) }

// Le tells whether the left side is less or equal; null when either is null.
//
// Spark: {0} <= {1}.
func (v IntervalValue) Le(b any) BooleanValue { return call[BooleanValue](methodLe, v, b) }

// EqNullSafe tells whether both sides are equal, where null equals null; it is never null.
//
// Spark: {0} <=> {1}.
func (v IntervalValue) EqNullSafe(b any) BooleanValue {
	return call[BooleanValue](methodEqNullSafe, v, b)
}

// NotEq tells whether the sides differ; null when either is null.
//
// Spark: {0} <> {1}.
func (v IntervalValue) NotEq(b any) BooleanValue { return call[BooleanValue](methodNotEq, v, b) }

// Eq tells whether both sides are equal; null when either is null. NaN equals NaN, and -0.0 equals 0.0.
//
// Spark: {0} = {1}.
func (v IntervalValue) Eq(b any) BooleanValue { return call[BooleanValue](methodEq, v, b) }

// Gt tells whether the left side is greater; null when either is null. NaN is greater than every number.
//
// Spark: {0} > {1}.
func (v IntervalValue) Gt(b any) BooleanValue { return call[BooleanValue](methodGt, v, b) }

// Ge tells whether the left side is greater or equal; null when either is null.
//
// Spark: {0} >= {1}.
func (v IntervalValue) Ge(b any) BooleanValue { return call[BooleanValue](methodGe, v, b) }

// Between tells whether the value lies between low and high, both included. It means a >= low AND a <= high, nulls too.
//
// Spark: {0} BETWEEN {1} AND {2}.
func (v IntervalValue) Between(low any, high any) BooleanValue {
	return call[BooleanValue](methodBetween, v, low, high)
}

// In tells whether the value equals one of the others; null when it equals none and a null is among them.
//
// Spark: {0} IN ({1*}).
func (v IntervalValue) In(value any, values ...any) BooleanValue {
	return call[BooleanValue](methodIn, append([]any{v, value}, values...)...)
}

// CumeDist is the share of the partition's rows that come before the row or are equal to it in the order, above 0.0 up to 1.0. The window is ordered by this value; Over adds partitions.
//
// Spark: cume_dist.
func (v IntervalValue) CumeDist() NumericValue { return ranked(methodCumeDist, v) }

// DenseRank is the rank without gaps, from 1 as in SQL; Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: dense_rank.
func (v IntervalValue) DenseRank() NumericValue { return ranked(methodDenseRank, v) }

// Lag is the value a number of rows before (1 by default), or the default (NULL by default) where there is no such row. A negative offset looks ahead. With IgnoreNulls only rows with a value count.
//
// Spark: lag.
func (v IntervalValue) Lag(offset ...any) IntervalValue {
	return call[IntervalValue](methodLag, variadic(v, offset)...)
}

// Lead is the value a number of rows behind (1 by default), or the default (NULL by default) where there is no such row. A negative offset looks back. With IgnoreNulls only rows with a value count.
//
// Spark: lead.
func (v IntervalValue) Lead(offset ...any) IntervalValue {
	return call[IntervalValue](methodLead, variadic(v, offset)...)
}

// Nth is the value of the frame's n-th row, from 1 as in SQL; null where the frame is shorter. Ibis counts from 0. With IgnoreNulls only rows with a value count.
//
// Spark: nth_value.
func (v IntervalValue) Nth(n any) IntervalValue { return call[IntervalValue](methodNthValue, v, n) }

// NTile is the number of the row's bucket when the partition is dealt in order into so many buckets of sizes as equal as can be, the greater first; from 1 as in SQL, Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: ntile.
func (v IntervalValue) NTile(buckets any) NumericValue { return ranked(methodNtile, v, buckets) }

// PercentRank is the share of the partition's other rows that come before the row, from 0.0 to 1.0; 0.0 where the row is alone. The window is ordered by this value; Over adds partitions.
//
// Spark: percent_rank.
func (v IntervalValue) PercentRank() NumericValue { return ranked(methodPercentRank, v) }

// Rank is one more than the number of rows before the row in the order; equal rows have one rank, and the next is behind a gap. It counts from 1 as in SQL; Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: rank.
func (v IntervalValue) Rank() NumericValue { return ranked(methodRank, v) }

// As names the value: the column that it becomes has that name, which may be any text.
func (v BinaryValue) As(name string) BinaryValue { return named(v, name) }

// Cast gives the value as another type by Spark's rules; under ANSI what does not fit is an error.
func (v BinaryValue) Cast(t datatype.Type) AnyValue {
	return AnyValue{castTo(condition.Here(1), v, t, false)}
}

// TryCast is Cast that gives null where the value does not fit.
func (v BinaryValue) TryCast(t datatype.Type) AnyValue {
	return AnyValue{castTo(condition.Here(1), v, t, true)}
}

// Desc is the value as a sort key from great to small, nulls last.
func (v BinaryValue) Desc() Ordering { return ordering(v, true) }

// Asc is the value as a sort key from small to great, nulls first.
func (v BinaryValue) Asc() Ordering { return ordering(v, false) }

// Over computes the aggregates and window functions in the value over the rows of a window (package window) around each row. What has an OVER
// already gets the keys that it lacks, and the frame if it has none.
func (v BinaryValue) Over(w WindowSpec) BinaryValue { return over(v, w) }

// ApproxNUnique is about the number of different values that are not null, by HyperLogLog++ with Spark's hash, so that both give one answer. The relative deviation, 0.05 by default, is a literal of at most 0.39; below 0.005 Spark may need more memory than it has.
//
// Spark: approx_count_distinct.
func (v BinaryValue) ApproxNUnique(rsd ...any) NumericValue {
	return call[NumericValue](methodApproxCountDistinct, variadic(v, rsd)...)
}

// Collect is the list of the values that are not null; empty over none.
//
// Spark: collect_list.
func (v BinaryValue) Collect() ArrayValue { return call[ArrayValue](methodCollectList, v) }

// Count is the number of rows where the value is not null; without a value, of all rows.
//
// Spark: count.
func (v BinaryValue) Count() NumericValue { return call[NumericValue](methodCount, v) }

// First is the value of the first row that Spark happens to see, null or not.
//
// Spark: first.
func (v BinaryValue) First() BinaryValue { return call[BinaryValue](methodFirst, v) }

// Last is the value of the last row that Spark happens to see, null or not.
//
// Spark: last.
func (v BinaryValue) Last() BinaryValue { return call[BinaryValue](methodLast, v) }

// CumMax is Max over the rows up to the current one, in the order that Over gives: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW. Max is the greatest value, null over no values; NaN is greater than every number.
func (v BinaryValue) CumMax() BinaryValue { return cumulative[BinaryValue](methodMax, v) }

// Max is the greatest value, null over no values; NaN is greater than every number.
//
// Spark: max.
func (v BinaryValue) Max() BinaryValue { return call[BinaryValue](methodMax, v) }

// MaxBy is the value, null or not, of the row with the greatest by; of several the last that Spark happens to see.
//
// Spark: max_by.
func (v BinaryValue) MaxBy(by any) BinaryValue { return call[BinaryValue](methodMaxBy, v, by) }

// CumMin is Min over the rows up to the current one, in the order that Over gives: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW. Min is the least value, null over no values.
func (v BinaryValue) CumMin() BinaryValue { return cumulative[BinaryValue](methodMin, v) }

// Min is the least value, null over no values.
//
// Spark: min.
func (v BinaryValue) Min() BinaryValue { return call[BinaryValue](methodMin, v) }

// MinBy is the value, null or not, of the row with the least by; of several the last that Spark happens to see.
//
// Spark: min_by.
func (v BinaryValue) MinBy(by any) BinaryValue { return call[BinaryValue](methodMinBy, v, by) }

// TypeOf is the name of the value's type in lower case.
//
// Spark: typeof.
func (v BinaryValue) TypeOf() StringValue { return call[StringValue](methodTypeOf, v) }

// Hash is Spark's Murmur3 hash of the values, an INT; nulls do not change it. Maps cannot be hashed.
//
// Spark: hash.
func (v BinaryValue) Hash(values ...any) NumericValue {
	return call[NumericValue](methodHash, variadic(v, values)...)
}

// NotNull tells whether the value is not null; it is never null itself.
//
// Spark: {0} IS NOT NULL.
func (v BinaryValue) NotNull() BooleanValue { return call[BooleanValue](methodIsNotNull, v) }

// IsNull tells whether the value is null; it is never null itself.
//
// Spark: {0} IS NULL.
func (v BinaryValue) IsNull() BooleanValue { return call[BooleanValue](methodIsNull, v) }

// NullIf is null where both sides are equal, else the value.
//
// Spark: nullif.
func (v BinaryValue) NullIf(b any) BinaryValue { return call[BinaryValue](methodNullIf, v, b) }

// Hex writes a BIGINT, or the bytes of a text or binary, in hexadecimal digits of upper case.
//
// Spark: hex.
func (v BinaryValue) Hex() StringValue { return call[StringValue](methodHex, v) }

// Lt tells whether the left side is less; null when either is null. NaN is greater than every number.
//
// Spark: {0} < {1}.
func (v BinaryValue) Lt(b any) BooleanValue { return call[BooleanValue](methodLt, v, b) }

// Le tells whether the left side is less or equal; null when either is null.
//
// Spark: {0} <= {1}.
func (v BinaryValue) Le(b any) BooleanValue { return call[BooleanValue](methodLe, v, b) }

// EqNullSafe tells whether both sides are equal, where null equals null; it is never null.
//
// Spark: {0} <=> {1}.
func (v BinaryValue) EqNullSafe(b any) BooleanValue {
	return call[BooleanValue](methodEqNullSafe, v, b)
}

// NotEq tells whether the sides differ; null when either is null.
//
// Spark: {0} <> {1}.
func (v BinaryValue) NotEq(b any) BooleanValue { return call[BooleanValue](methodNotEq, v, b) }

// Eq tells whether both sides are equal; null when either is null. NaN equals NaN, and -0.0 equals 0.0.
//
// Spark: {0} = {1}.
func (v BinaryValue) Eq(b any) BooleanValue { return call[BooleanValue](methodEq, v, b) }

// Gt tells whether the left side is greater; null when either is null. NaN is greater than every number.
//
// Spark: {0} > {1}.
func (v BinaryValue) Gt(b any) BooleanValue { return call[BooleanValue](methodGt, v, b) }

// Ge tells whether the left side is greater or equal; null when either is null.
//
// Spark: {0} >= {1}.
func (v BinaryValue) Ge(b any) BooleanValue { return call[BooleanValue](methodGe, v, b) }

// Between tells whether the value lies between low and high, both included. It means a >= low AND a <= high, nulls too.
//
// Spark: {0} BETWEEN {1} AND {2}.
func (v BinaryValue) Between(low any, high any) BooleanValue {
	return call[BooleanValue](methodBetween, v, low, high)
}

// In tells whether the value equals one of the others; null when it equals none and a null is among them.
//
// Spark: {0} IN ({1*}).
func (v BinaryValue) In(value any, values ...any) BooleanValue {
	return call[BooleanValue](methodIn, append([]any{v, value}, values...)...)
}

// Length is the number of code points of a text, or of bytes of a binary.
//
// Spark: length.
func (v BinaryValue) Length() NumericValue { return call[NumericValue](methodLength, v) }

// CumeDist is the share of the partition's rows that come before the row or are equal to it in the order, above 0.0 up to 1.0. The window is ordered by this value; Over adds partitions.
//
// Spark: cume_dist.
func (v BinaryValue) CumeDist() NumericValue { return ranked(methodCumeDist, v) }

// DenseRank is the rank without gaps, from 1 as in SQL; Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: dense_rank.
func (v BinaryValue) DenseRank() NumericValue { return ranked(methodDenseRank, v) }

// Lag is the value a number of rows before (1 by default), or the default (NULL by default) where there is no such row. A negative offset looks ahead. With IgnoreNulls only rows with a value count.
//
// Spark: lag.
func (v BinaryValue) Lag(offset ...any) BinaryValue {
	return call[BinaryValue](methodLag, variadic(v, offset)...)
}

// Lead is the value a number of rows behind (1 by default), or the default (NULL by default) where there is no such row. A negative offset looks back. With IgnoreNulls only rows with a value count.
//
// Spark: lead.
func (v BinaryValue) Lead(offset ...any) BinaryValue {
	return call[BinaryValue](methodLead, variadic(v, offset)...)
}

// Nth is the value of the frame's n-th row, from 1 as in SQL; null where the frame is shorter. Ibis counts from 0. With IgnoreNulls only rows with a value count.
//
// Spark: nth_value.
func (v BinaryValue) Nth(n any) BinaryValue { return call[BinaryValue](methodNthValue, v, n) }

// NTile is the number of the row's bucket when the partition is dealt in order into so many buckets of sizes as equal as can be, the greater first; from 1 as in SQL, Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: ntile.
func (v BinaryValue) NTile(buckets any) NumericValue { return ranked(methodNtile, v, buckets) }

// PercentRank is the share of the partition's other rows that come before the row, from 0.0 to 1.0; 0.0 where the row is alone. The window is ordered by this value; Over adds partitions.
//
// Spark: percent_rank.
func (v BinaryValue) PercentRank() NumericValue { return ranked(methodPercentRank, v) }

// Rank is one more than the number of rows before the row in the order; equal rows have one rank, and the next is behind a gap. It counts from 1 as in SQL; Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: rank.
func (v BinaryValue) Rank() NumericValue { return ranked(methodRank, v) }

// As names the value: the column that it becomes has that name, which may be any text.
func (v ArrayValue) As(name string) ArrayValue { return named(v, name) }

// Cast gives the value as another type by Spark's rules; under ANSI what does not fit is an error.
func (v ArrayValue) Cast(t datatype.Type) AnyValue {
	return AnyValue{castTo(condition.Here(1), v, t, false)}
}

// TryCast is Cast that gives null where the value does not fit.
func (v ArrayValue) TryCast(t datatype.Type) AnyValue {
	return AnyValue{castTo(condition.Here(1), v, t, true)}
}

// Desc is the value as a sort key from great to small, nulls last.
func (v ArrayValue) Desc() Ordering { return ordering(v, true) }

// Asc is the value as a sort key from small to great, nulls first.
func (v ArrayValue) Asc() Ordering { return ordering(v, false) }

// Over computes the aggregates and window functions in the value over the rows of a window (package window) around each row. What has an OVER
// already gets the keys that it lacks, and the frame if it has none.
func (v ArrayValue) Over(w WindowSpec) ArrayValue { return over(v, w) }

// ApproxNUnique is about the number of different values that are not null, by HyperLogLog++ with Spark's hash, so that both give one answer. The relative deviation, 0.05 by default, is a literal of at most 0.39; below 0.005 Spark may need more memory than it has.
//
// Spark: approx_count_distinct.
func (v ArrayValue) ApproxNUnique(rsd ...any) NumericValue {
	return call[NumericValue](methodApproxCountDistinct, variadic(v, rsd)...)
}

// Collect is the list of the values that are not null; empty over none.
//
// Spark: collect_list.
func (v ArrayValue) Collect() ArrayValue { return call[ArrayValue](methodCollectList, v) }

// Count is the number of rows where the value is not null; without a value, of all rows.
//
// Spark: count.
func (v ArrayValue) Count() NumericValue { return call[NumericValue](methodCount, v) }

// First is the value of the first row that Spark happens to see, null or not.
//
// Spark: first.
func (v ArrayValue) First() ArrayValue { return call[ArrayValue](methodFirst, v) }

// Last is the value of the last row that Spark happens to see, null or not.
//
// Spark: last.
func (v ArrayValue) Last() ArrayValue { return call[ArrayValue](methodLast, v) }

// CumMax is Max over the rows up to the current one, in the order that Over gives: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW. Max is the greatest value, null over no values; NaN is greater than every number.
func (v ArrayValue) CumMax() ArrayValue { return cumulative[ArrayValue](methodMax, v) }

// Max is the greatest value, null over no values; NaN is greater than every number.
//
// Spark: max.
func (v ArrayValue) Max() ArrayValue { return call[ArrayValue](methodMax, v) }

// MaxBy is the value, null or not, of the row with the greatest by; of several the last that Spark happens to see.
//
// Spark: max_by.
func (v ArrayValue) MaxBy(by any) ArrayValue { return call[ArrayValue](methodMaxBy, v, by) }

// CumMin is Min over the rows up to the current one, in the order that Over gives: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW. Min is the least value, null over no values.
func (v ArrayValue) CumMin() ArrayValue { return cumulative[ArrayValue](methodMin, v) }

// Min is the least value, null over no values.
//
// Spark: min.
func (v ArrayValue) Min() ArrayValue { return call[ArrayValue](methodMin, v) }

// MinBy is the value, null or not, of the row with the least by; of several the last that Spark happens to see.
//
// Spark: min_by.
func (v ArrayValue) MinBy(by any) ArrayValue { return call[ArrayValue](methodMinBy, v, by) }

// Contains tells whether the array has the element; null when it has not and holds a null.
//
// Spark: array_contains.
func (v ArrayValue) Contains(element any) BooleanValue {
	return call[BooleanValue](methodArrayContains, v, element)
}

// Unique is the array with each value once, in the order of their first places; null is a value.
//
// Spark: array_distinct.
func (v ArrayValue) Unique() ArrayValue { return call[ArrayValue](methodArrayDistinct, v) }

// Intersect has each value of the first array that the second has too, once.
//
// Spark: array_intersect.
func (v ArrayValue) Intersect(b any) ArrayValue { return call[ArrayValue](methodArrayIntersect, v, b) }

// Maxs is the greatest element; nulls are passed over, and an array without values gives null. NaN is greater than every number.
//
// Spark: array_max.
func (v ArrayValue) Maxs() AnyValue { return call[AnyValue](methodArrayMax, v) }

// Mins is the least element; nulls are passed over, and an array without values gives null.
//
// Spark: array_min.
func (v ArrayValue) Mins() AnyValue { return call[AnyValue](methodArrayMin, v) }

// Remove is the array without the elements that equal the given one; nulls stay.
//
// Spark: array_remove.
func (v ArrayValue) Remove(element any) ArrayValue {
	return call[ArrayValue](methodArrayRemove, v, element)
}

// Sort is the array from small to great, nulls last, or in the order of a function that is negative, zero or positive.
//
// Spark: array_sort.
func (v ArrayValue) Sort(compare ...any) ArrayValue {
	return call[ArrayValue](methodArraySort, variadic(v, compare)...)
}

// Union has each value of either array once, in the order of their first places.
//
// Spark: array_union.
func (v ArrayValue) Union(b any) ArrayValue { return call[ArrayValue](methodArrayUnion, v, b) }

// Filter keeps the elements for which a function is true; it may take the index from 0 too.
//
// Spark: filter.
func (v ArrayValue) Filter(f any) ArrayValue { return call[ArrayValue](methodFilter, v, f) }

// Flatten puts the arrays in an array together; null when one of them is.
//
// Spark: flatten.
func (v ArrayValue) Flatten() ArrayValue { return call[ArrayValue](methodFlatten, v) }

// Size is the number of elements; null of null under ANSI, and -1 otherwise.
//
// Spark: size.
func (v ArrayValue) Size() NumericValue { return call[NumericValue](methodSize, v) }

// Map is what a function gives for each element, and its index from 0 where it takes one.
//
// Spark: transform.
func (v ArrayValue) Map(f any) ArrayValue { return call[ArrayValue](methodTransform, v, f) }

// TypeOf is the name of the value's type in lower case.
//
// Spark: typeof.
func (v ArrayValue) TypeOf() StringValue { return call[StringValue](methodTypeOf, v) }

// Hash is Spark's Murmur3 hash of the values, an INT; nulls do not change it. Maps cannot be hashed.
//
// Spark: hash.
func (v ArrayValue) Hash(values ...any) NumericValue {
	return call[NumericValue](methodHash, variadic(v, values)...)
}

// NotNull tells whether the value is not null; it is never null itself.
//
// Spark: {0} IS NOT NULL.
func (v ArrayValue) NotNull() BooleanValue { return call[BooleanValue](methodIsNotNull, v) }

// IsNull tells whether the value is null; it is never null itself.
//
// Spark: {0} IS NULL.
func (v ArrayValue) IsNull() BooleanValue { return call[BooleanValue](methodIsNull, v) }

// NullIf is null where both sides are equal, else the value.
//
// Spark: nullif.
func (v ArrayValue) NullIf(b any) ArrayValue { return call[ArrayValue](methodNullIf, v, b) }

// Lt tells whether the left side is less; null when either is null. NaN is greater than every number.
//
// Spark: {0} < {1}.
func (v ArrayValue) Lt(b any) BooleanValue { return call[BooleanValue](methodLt, v, b) }

// Le tells whether the left side is less or equal; null when either is null.
//
// Spark: {0} <= {1}.
func (v ArrayValue) Le(b any) BooleanValue { return call[BooleanValue](methodLe, v, b) }

// EqNullSafe tells whether both sides are equal, where null equals null; it is never null.
//
// Spark: {0} <=> {1}.
func (v ArrayValue) EqNullSafe(b any) BooleanValue { return call[BooleanValue](methodEqNullSafe, v, b) }

// NotEq tells whether the sides differ; null when either is null.
//
// Spark: {0} <> {1}.
func (v ArrayValue) NotEq(b any) BooleanValue { return call[BooleanValue](methodNotEq, v, b) }

// Eq tells whether both sides are equal; null when either is null. NaN equals NaN, and -0.0 equals 0.0.
//
// Spark: {0} = {1}.
func (v ArrayValue) Eq(b any) BooleanValue { return call[BooleanValue](methodEq, v, b) }

// Gt tells whether the left side is greater; null when either is null. NaN is greater than every number.
//
// Spark: {0} > {1}.
func (v ArrayValue) Gt(b any) BooleanValue { return call[BooleanValue](methodGt, v, b) }

// Ge tells whether the left side is greater or equal; null when either is null.
//
// Spark: {0} >= {1}.
func (v ArrayValue) Ge(b any) BooleanValue { return call[BooleanValue](methodGe, v, b) }

// Between tells whether the value lies between low and high, both included. It means a >= low AND a <= high, nulls too.
//
// Spark: {0} BETWEEN {1} AND {2}.
func (v ArrayValue) Between(low any, high any) BooleanValue {
	return call[BooleanValue](methodBetween, v, low, high)
}

// In tells whether the value equals one of the others; null when it equals none and a null is among them.
//
// Spark: {0} IN ({1*}).
func (v ArrayValue) In(value any, values ...any) BooleanValue {
	return call[BooleanValue](methodIn, append([]any{v, value}, values...)...)
}

// Concat joins texts, or arrays; null when one of them is.
//
// Spark: concat.
func (v ArrayValue) Concat(others ...any) AnyValue {
	return call[AnyValue](methodConcat, variadic(v, others)...)
}

// Reverse is the text backwards, by code points, or the array.
//
// Spark: reverse.
func (v ArrayValue) Reverse() AnyValue { return call[AnyValue](methodReverse, v) }

// CumeDist is the share of the partition's rows that come before the row or are equal to it in the order, above 0.0 up to 1.0. The window is ordered by this value; Over adds partitions.
//
// Spark: cume_dist.
func (v ArrayValue) CumeDist() NumericValue { return ranked(methodCumeDist, v) }

// DenseRank is the rank without gaps, from 1 as in SQL; Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: dense_rank.
func (v ArrayValue) DenseRank() NumericValue { return ranked(methodDenseRank, v) }

// Lag is the value a number of rows before (1 by default), or the default (NULL by default) where there is no such row. A negative offset looks ahead. With IgnoreNulls only rows with a value count.
//
// Spark: lag.
func (v ArrayValue) Lag(offset ...any) ArrayValue {
	return call[ArrayValue](methodLag, variadic(v, offset)...)
}

// Lead is the value a number of rows behind (1 by default), or the default (NULL by default) where there is no such row. A negative offset looks back. With IgnoreNulls only rows with a value count.
//
// Spark: lead.
func (v ArrayValue) Lead(offset ...any) ArrayValue {
	return call[ArrayValue](methodLead, variadic(v, offset)...)
}

// Nth is the value of the frame's n-th row, from 1 as in SQL; null where the frame is shorter. Ibis counts from 0. With IgnoreNulls only rows with a value count.
//
// Spark: nth_value.
func (v ArrayValue) Nth(n any) ArrayValue { return call[ArrayValue](methodNthValue, v, n) }

// NTile is the number of the row's bucket when the partition is dealt in order into so many buckets of sizes as equal as can be, the greater first; from 1 as in SQL, Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: ntile.
func (v ArrayValue) NTile(buckets any) NumericValue { return ranked(methodNtile, v, buckets) }

// PercentRank is the share of the partition's other rows that come before the row, from 0.0 to 1.0; 0.0 where the row is alone. The window is ordered by this value; Over adds partitions.
//
// Spark: percent_rank.
func (v ArrayValue) PercentRank() NumericValue { return ranked(methodPercentRank, v) }

// Rank is one more than the number of rows before the row in the order; equal rows have one rank, and the next is behind a gap. It counts from 1 as in SQL; Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: rank.
func (v ArrayValue) Rank() NumericValue { return ranked(methodRank, v) }

// As names the value: the column that it becomes has that name, which may be any text.
func (v MapValue) As(name string) MapValue { return named(v, name) }

// Cast gives the value as another type by Spark's rules; under ANSI what does not fit is an error.
func (v MapValue) Cast(t datatype.Type) AnyValue {
	return AnyValue{castTo(condition.Here(1), v, t, false)}
}

// TryCast is Cast that gives null where the value does not fit.
func (v MapValue) TryCast(t datatype.Type) AnyValue {
	return AnyValue{castTo(condition.Here(1), v, t, true)}
}

// Desc is the value as a sort key from great to small, nulls last.
func (v MapValue) Desc() Ordering { return ordering(v, true) }

// Asc is the value as a sort key from small to great, nulls first.
func (v MapValue) Asc() Ordering { return ordering(v, false) }

// Over computes the aggregates and window functions in the value over the rows of a window (package window) around each row. What has an OVER
// already gets the keys that it lacks, and the frame if it has none.
func (v MapValue) Over(w WindowSpec) MapValue { return over(v, w) }

// ApproxNUnique is about the number of different values that are not null, by HyperLogLog++ with Spark's hash, so that both give one answer. The relative deviation, 0.05 by default, is a literal of at most 0.39; below 0.005 Spark may need more memory than it has.
//
// Spark: approx_count_distinct.
func (v MapValue) ApproxNUnique(rsd ...any) NumericValue {
	return call[NumericValue](methodApproxCountDistinct, variadic(v, rsd)...)
}

// Collect is the list of the values that are not null; empty over none.
//
// Spark: collect_list.
func (v MapValue) Collect() ArrayValue { return call[ArrayValue](methodCollectList, v) }

// Count is the number of rows where the value is not null; without a value, of all rows.
//
// Spark: count.
func (v MapValue) Count() NumericValue { return call[NumericValue](methodCount, v) }

// First is the value of the first row that Spark happens to see, null or not.
//
// Spark: first.
func (v MapValue) First() MapValue { return call[MapValue](methodFirst, v) }

// Last is the value of the last row that Spark happens to see, null or not.
//
// Spark: last.
func (v MapValue) Last() MapValue { return call[MapValue](methodLast, v) }

// MaxBy is the value, null or not, of the row with the greatest by; of several the last that Spark happens to see.
//
// Spark: max_by.
func (v MapValue) MaxBy(by any) MapValue { return call[MapValue](methodMaxBy, v, by) }

// MinBy is the value, null or not, of the row with the least by; of several the last that Spark happens to see.
//
// Spark: min_by.
func (v MapValue) MinBy(by any) MapValue { return call[MapValue](methodMinBy, v, by) }

// Size is the number of elements; null of null under ANSI, and -1 otherwise.
//
// Spark: size.
func (v MapValue) Size() NumericValue { return call[NumericValue](methodSize, v) }

// TypeOf is the name of the value's type in lower case.
//
// Spark: typeof.
func (v MapValue) TypeOf() StringValue { return call[StringValue](methodTypeOf, v) }

// Hash is Spark's Murmur3 hash of the values, an INT; nulls do not change it. Maps cannot be hashed.
//
// Spark: hash.
func (v MapValue) Hash(values ...any) NumericValue {
	return call[NumericValue](methodHash, variadic(v, values)...)
}

// Merge puts maps together. A key that two of them have raises DUPLICATED_MAP_KEY.
//
// Spark: map_concat.
func (v MapValue) Merge(others ...any) MapValue {
	return call[MapValue](methodMapConcat, variadic(v, others)...)
}

// Contains tells whether the map has the key.
//
// Spark: map_contains_key.
func (v MapValue) Contains(key any) BooleanValue {
	return call[BooleanValue](methodMapContainsKey, v, key)
}

// Entries is the array of the map's entries: structs of key and value.
//
// Spark: map_entries.
func (v MapValue) Entries() ArrayValue { return call[ArrayValue](methodMapEntries, v) }

// Filter keeps the entries for which a function of key and value is true.
//
// Spark: map_filter.
func (v MapValue) Filter(f any) MapValue { return call[MapValue](methodMapFilter, v, f) }

// Keys is the array of the map's keys.
//
// Spark: map_keys.
func (v MapValue) Keys() ArrayValue { return call[ArrayValue](methodMapKeys, v) }

// Values is the array of the map's values, in the order of the keys.
//
// Spark: map_values.
func (v MapValue) Values() ArrayValue { return call[ArrayValue](methodMapValues, v) }

// MapKeys puts what a function of key and value gives in the place of each key. It must give neither null nor a key twice.
//
// Spark: transform_keys.
func (v MapValue) MapKeys(f any) MapValue { return call[MapValue](methodTransformKeys, v, f) }

// MapValues puts what a function of key and value gives in the place of each value.
//
// Spark: transform_values.
func (v MapValue) MapValues(f any) MapValue { return call[MapValue](methodTransformValues, v, f) }

// NotNull tells whether the value is not null; it is never null itself.
//
// Spark: {0} IS NOT NULL.
func (v MapValue) NotNull() BooleanValue { return call[BooleanValue](methodIsNotNull, v) }

// IsNull tells whether the value is null; it is never null itself.
//
// Spark: {0} IS NULL.
func (v MapValue) IsNull() BooleanValue { return call[BooleanValue](methodIsNull, v) }

// NullIf is null where both sides are equal, else the value.
//
// Spark: nullif.
func (v MapValue) NullIf(b any) MapValue { return call[MapValue](methodNullIf, v, b) }

// EqNullSafe tells whether both sides are equal, where null equals null; it is never null.
//
// Spark: {0} <=> {1}.
func (v MapValue) EqNullSafe(b any) BooleanValue { return call[BooleanValue](methodEqNullSafe, v, b) }

// NotEq tells whether the sides differ; null when either is null.
//
// Spark: {0} <> {1}.
func (v MapValue) NotEq(b any) BooleanValue { return call[BooleanValue](methodNotEq, v, b) }

// Eq tells whether both sides are equal; null when either is null. NaN equals NaN, and -0.0 equals 0.0.
//
// Spark: {0} = {1}.
func (v MapValue) Eq(b any) BooleanValue { return call[BooleanValue](methodEq, v, b) }

// In tells whether the value equals one of the others; null when it equals none and a null is among them.
//
// Spark: {0} IN ({1*}).
func (v MapValue) In(value any, values ...any) BooleanValue {
	return call[BooleanValue](methodIn, append([]any{v, value}, values...)...)
}

// Lag is the value a number of rows before (1 by default), or the default (NULL by default) where there is no such row. A negative offset looks ahead. With IgnoreNulls only rows with a value count.
//
// Spark: lag.
func (v MapValue) Lag(offset ...any) MapValue {
	return call[MapValue](methodLag, variadic(v, offset)...)
}

// Lead is the value a number of rows behind (1 by default), or the default (NULL by default) where there is no such row. A negative offset looks back. With IgnoreNulls only rows with a value count.
//
// Spark: lead.
func (v MapValue) Lead(offset ...any) MapValue {
	return call[MapValue](methodLead, variadic(v, offset)...)
}

// Nth is the value of the frame's n-th row, from 1 as in SQL; null where the frame is shorter. Ibis counts from 0. With IgnoreNulls only rows with a value count.
//
// Spark: nth_value.
func (v MapValue) Nth(n any) MapValue { return call[MapValue](methodNthValue, v, n) }

// As names the value: the column that it becomes has that name, which may be any text.
func (v StructValue) As(name string) StructValue { return named(v, name) }

// Cast gives the value as another type by Spark's rules; under ANSI what does not fit is an error.
func (v StructValue) Cast(t datatype.Type) AnyValue {
	return AnyValue{castTo(condition.Here(1), v, t, false)}
}

// TryCast is Cast that gives null where the value does not fit.
func (v StructValue) TryCast(t datatype.Type) AnyValue {
	return AnyValue{castTo(condition.Here(1), v, t, true)}
}

// Desc is the value as a sort key from great to small, nulls last.
func (v StructValue) Desc() Ordering { return ordering(v, true) }

// Asc is the value as a sort key from small to great, nulls first.
func (v StructValue) Asc() Ordering { return ordering(v, false) }

// Over computes the aggregates and window functions in the value over the rows of a window (package window) around each row. What has an OVER
// already gets the keys that it lacks, and the frame if it has none.
func (v StructValue) Over(w WindowSpec) StructValue { return over(v, w) }

// ApproxNUnique is about the number of different values that are not null, by HyperLogLog++ with Spark's hash, so that both give one answer. The relative deviation, 0.05 by default, is a literal of at most 0.39; below 0.005 Spark may need more memory than it has.
//
// Spark: approx_count_distinct.
func (v StructValue) ApproxNUnique(rsd ...any) NumericValue {
	return call[NumericValue](methodApproxCountDistinct, variadic(v, rsd)...)
}

// Collect is the list of the values that are not null; empty over none.
//
// Spark: collect_list.
func (v StructValue) Collect() ArrayValue { return call[ArrayValue](methodCollectList, v) }

// Count is the number of rows where the value is not null; without a value, of all rows.
//
// Spark: count.
func (v StructValue) Count() NumericValue { return call[NumericValue](methodCount, v) }

// First is the value of the first row that Spark happens to see, null or not.
//
// Spark: first.
func (v StructValue) First() StructValue { return call[StructValue](methodFirst, v) }

// Last is the value of the last row that Spark happens to see, null or not.
//
// Spark: last.
func (v StructValue) Last() StructValue { return call[StructValue](methodLast, v) }

// CumMax is Max over the rows up to the current one, in the order that Over gives: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW. Max is the greatest value, null over no values; NaN is greater than every number.
func (v StructValue) CumMax() StructValue { return cumulative[StructValue](methodMax, v) }

// Max is the greatest value, null over no values; NaN is greater than every number.
//
// Spark: max.
func (v StructValue) Max() StructValue { return call[StructValue](methodMax, v) }

// MaxBy is the value, null or not, of the row with the greatest by; of several the last that Spark happens to see.
//
// Spark: max_by.
func (v StructValue) MaxBy(by any) StructValue { return call[StructValue](methodMaxBy, v, by) }

// CumMin is Min over the rows up to the current one, in the order that Over gives: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW. Min is the least value, null over no values.
func (v StructValue) CumMin() StructValue { return cumulative[StructValue](methodMin, v) }

// Min is the least value, null over no values.
//
// Spark: min.
func (v StructValue) Min() StructValue { return call[StructValue](methodMin, v) }

// MinBy is the value, null or not, of the row with the least by; of several the last that Spark happens to see.
//
// Spark: min_by.
func (v StructValue) MinBy(by any) StructValue { return call[StructValue](methodMinBy, v, by) }

// TypeOf is the name of the value's type in lower case.
//
// Spark: typeof.
func (v StructValue) TypeOf() StringValue { return call[StringValue](methodTypeOf, v) }

// Hash is Spark's Murmur3 hash of the values, an INT; nulls do not change it. Maps cannot be hashed.
//
// Spark: hash.
func (v StructValue) Hash(values ...any) NumericValue {
	return call[NumericValue](methodHash, variadic(v, values)...)
}

// NotNull tells whether the value is not null; it is never null itself.
//
// Spark: {0} IS NOT NULL.
func (v StructValue) NotNull() BooleanValue { return call[BooleanValue](methodIsNotNull, v) }

// IsNull tells whether the value is null; it is never null itself.
//
// Spark: {0} IS NULL.
func (v StructValue) IsNull() BooleanValue { return call[BooleanValue](methodIsNull, v) }

// NullIf is null where both sides are equal, else the value.
//
// Spark: nullif.
func (v StructValue) NullIf(b any) StructValue { return call[StructValue](methodNullIf, v, b) }

// Lt tells whether the left side is less; null when either is null. NaN is greater than every number.
//
// Spark: {0} < {1}.
func (v StructValue) Lt(b any) BooleanValue { return call[BooleanValue](methodLt, v, b) }

// Le tells whether the left side is less or equal; null when either is null.
//
// Spark: {0} <= {1}.
func (v StructValue) Le(b any) BooleanValue { return call[BooleanValue](methodLe, v, b) }

// EqNullSafe tells whether both sides are equal, where null equals null; it is never null.
//
// Spark: {0} <=> {1}.
func (v StructValue) EqNullSafe(b any) BooleanValue {
	return call[BooleanValue](methodEqNullSafe, v, b)
}

// NotEq tells whether the sides differ; null when either is null.
//
// Spark: {0} <> {1}.
func (v StructValue) NotEq(b any) BooleanValue { return call[BooleanValue](methodNotEq, v, b) }

// Eq tells whether both sides are equal; null when either is null. NaN equals NaN, and -0.0 equals 0.0.
//
// Spark: {0} = {1}.
func (v StructValue) Eq(b any) BooleanValue { return call[BooleanValue](methodEq, v, b) }

// Gt tells whether the left side is greater; null when either is null. NaN is greater than every number.
//
// Spark: {0} > {1}.
func (v StructValue) Gt(b any) BooleanValue { return call[BooleanValue](methodGt, v, b) }

// Ge tells whether the left side is greater or equal; null when either is null.
//
// Spark: {0} >= {1}.
func (v StructValue) Ge(b any) BooleanValue { return call[BooleanValue](methodGe, v, b) }

// Between tells whether the value lies between low and high, both included. It means a >= low AND a <= high, nulls too.
//
// Spark: {0} BETWEEN {1} AND {2}.
func (v StructValue) Between(low any, high any) BooleanValue {
	return call[BooleanValue](methodBetween, v, low, high)
}

// In tells whether the value equals one of the others; null when it equals none and a null is among them.
//
// Spark: {0} IN ({1*}).
func (v StructValue) In(value any, values ...any) BooleanValue {
	return call[BooleanValue](methodIn, append([]any{v, value}, values...)...)
}

// CumeDist is the share of the partition's rows that come before the row or are equal to it in the order, above 0.0 up to 1.0. The window is ordered by this value; Over adds partitions.
//
// Spark: cume_dist.
func (v StructValue) CumeDist() NumericValue { return ranked(methodCumeDist, v) }

// DenseRank is the rank without gaps, from 1 as in SQL; Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: dense_rank.
func (v StructValue) DenseRank() NumericValue { return ranked(methodDenseRank, v) }

// Lag is the value a number of rows before (1 by default), or the default (NULL by default) where there is no such row. A negative offset looks ahead. With IgnoreNulls only rows with a value count.
//
// Spark: lag.
func (v StructValue) Lag(offset ...any) StructValue {
	return call[StructValue](methodLag, variadic(v, offset)...)
}

// Lead is the value a number of rows behind (1 by default), or the default (NULL by default) where there is no such row. A negative offset looks back. With IgnoreNulls only rows with a value count.
//
// Spark: lead.
func (v StructValue) Lead(offset ...any) StructValue {
	return call[StructValue](methodLead, variadic(v, offset)...)
}

// Nth is the value of the frame's n-th row, from 1 as in SQL; null where the frame is shorter. Ibis counts from 0. With IgnoreNulls only rows with a value count.
//
// Spark: nth_value.
func (v StructValue) Nth(n any) StructValue { return call[StructValue](methodNthValue, v, n) }

// NTile is the number of the row's bucket when the partition is dealt in order into so many buckets of sizes as equal as can be, the greater first; from 1 as in SQL, Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: ntile.
func (v StructValue) NTile(buckets any) NumericValue { return ranked(methodNtile, v, buckets) }

// PercentRank is the share of the partition's other rows that come before the row, from 0.0 to 1.0; 0.0 where the row is alone. The window is ordered by this value; Over adds partitions.
//
// Spark: percent_rank.
func (v StructValue) PercentRank() NumericValue { return ranked(methodPercentRank, v) }

// Rank is one more than the number of rows before the row in the order; equal rows have one rank, and the next is behind a gap. It counts from 1 as in SQL; Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: rank.
func (v StructValue) Rank() NumericValue { return ranked(methodRank, v) }

// As names the value: the column that it becomes has that name, which may be any text.
func (v VariantValue) As(name string) VariantValue { return named(v, name) }

// Cast gives the value as another type by Spark's rules; under ANSI what does not fit is an error.
func (v VariantValue) Cast(t datatype.Type) AnyValue {
	return AnyValue{castTo(condition.Here(1), v, t, false)}
}

// TryCast is Cast that gives null where the value does not fit.
func (v VariantValue) TryCast(t datatype.Type) AnyValue {
	return AnyValue{castTo(condition.Here(1), v, t, true)}
}

// Desc is the value as a sort key from great to small, nulls last.
func (v VariantValue) Desc() Ordering { return ordering(v, true) }

// Asc is the value as a sort key from small to great, nulls first.
func (v VariantValue) Asc() Ordering { return ordering(v, false) }

// Over computes the aggregates and window functions in the value over the rows of a window (package window) around each row. What has an OVER
// already gets the keys that it lacks, and the frame if it has none.
func (v VariantValue) Over(w WindowSpec) VariantValue { return over(v, w) }

// ApproxNUnique is about the number of different values that are not null, by HyperLogLog++ with Spark's hash, so that both give one answer. The relative deviation, 0.05 by default, is a literal of at most 0.39; below 0.005 Spark may need more memory than it has.
//
// Spark: approx_count_distinct.
func (v VariantValue) ApproxNUnique(rsd ...any) NumericValue {
	return call[NumericValue](methodApproxCountDistinct, variadic(v, rsd)...)
}

// Collect is the list of the values that are not null; empty over none.
//
// Spark: collect_list.
func (v VariantValue) Collect() ArrayValue { return call[ArrayValue](methodCollectList, v) }

// Count is the number of rows where the value is not null; without a value, of all rows.
//
// Spark: count.
func (v VariantValue) Count() NumericValue { return call[NumericValue](methodCount, v) }

// First is the value of the first row that Spark happens to see, null or not.
//
// Spark: first.
func (v VariantValue) First() VariantValue { return call[VariantValue](methodFirst, v) }

// Last is the value of the last row that Spark happens to see, null or not.
//
// Spark: last.
func (v VariantValue) Last() VariantValue { return call[VariantValue](methodLast, v) }

// MaxBy is the value, null or not, of the row with the greatest by; of several the last that Spark happens to see.
//
// Spark: max_by.
func (v VariantValue) MaxBy(by any) VariantValue { return call[VariantValue](methodMaxBy, v, by) }

// MinBy is the value, null or not, of the row with the least by; of several the last that Spark happens to see.
//
// Spark: min_by.
func (v VariantValue) MinBy(by any) VariantValue { return call[VariantValue](methodMinBy, v, by) }

// TypeOf is the name of the value's type in lower case.
//
// Spark: typeof.
func (v VariantValue) TypeOf() StringValue { return call[StringValue](methodTypeOf, v) }

// Hash is Spark's Murmur3 hash of the values, an INT; nulls do not change it. Maps cannot be hashed.
//
// Spark: hash.
func (v VariantValue) Hash(values ...any) NumericValue {
	return call[NumericValue](methodHash, variadic(v, values)...)
}

// NotNull tells whether the value is not null; it is never null itself.
//
// Spark: {0} IS NOT NULL.
func (v VariantValue) NotNull() BooleanValue { return call[BooleanValue](methodIsNotNull, v) }

// IsNull tells whether the value is null; it is never null itself.
//
// Spark: {0} IS NULL.
func (v VariantValue) IsNull() BooleanValue { return call[BooleanValue](methodIsNull, v) }

// NullIf is null where both sides are equal, else the value.
//
// Spark: nullif.
func (v VariantValue) NullIf(b any) VariantValue { return call[VariantValue](methodNullIf, v, b) }

// EqNullSafe tells whether both sides are equal, where null equals null; it is never null.
//
// Spark: {0} <=> {1}.
func (v VariantValue) EqNullSafe(b any) BooleanValue {
	return call[BooleanValue](methodEqNullSafe, v, b)
}

// NotEq tells whether the sides differ; null when either is null.
//
// Spark: {0} <> {1}.
func (v VariantValue) NotEq(b any) BooleanValue { return call[BooleanValue](methodNotEq, v, b) }

// Eq tells whether both sides are equal; null when either is null. NaN equals NaN, and -0.0 equals 0.0.
//
// Spark: {0} = {1}.
func (v VariantValue) Eq(b any) BooleanValue { return call[BooleanValue](methodEq, v, b) }

// In tells whether the value equals one of the others; null when it equals none and a null is among them.
//
// Spark: {0} IN ({1*}).
func (v VariantValue) In(value any, values ...any) BooleanValue {
	return call[BooleanValue](methodIn, append([]any{v, value}, values...)...)
}

// Lag is the value a number of rows before (1 by default), or the default (NULL by default) where there is no such row. A negative offset looks ahead. With IgnoreNulls only rows with a value count.
//
// Spark: lag.
func (v VariantValue) Lag(offset ...any) VariantValue {
	return call[VariantValue](methodLag, variadic(v, offset)...)
}

// Lead is the value a number of rows behind (1 by default), or the default (NULL by default) where there is no such row. A negative offset looks back. With IgnoreNulls only rows with a value count.
//
// Spark: lead.
func (v VariantValue) Lead(offset ...any) VariantValue {
	return call[VariantValue](methodLead, variadic(v, offset)...)
}

// Nth is the value of the frame's n-th row, from 1 as in SQL; null where the frame is shorter. Ibis counts from 0. With IgnoreNulls only rows with a value count.
//
// Spark: nth_value.
func (v VariantValue) Nth(n any) VariantValue { return call[VariantValue](methodNthValue, v, n) }

// As names the value: the column that it becomes has that name, which may be any text.
func (v WindowValue) As(name string) WindowValue { return named(v, name) }

// Cast gives the value as another type by Spark's rules; under ANSI what does not fit is an error.
func (v WindowValue) Cast(t datatype.Type) AnyValue {
	return AnyValue{castTo(condition.Here(1), v, t, false)}
}

// TryCast is Cast that gives null where the value does not fit.
func (v WindowValue) TryCast(t datatype.Type) AnyValue {
	return AnyValue{castTo(condition.Here(1), v, t, true)}
}

// Desc is the value as a sort key from great to small, nulls last.
func (v WindowValue) Desc() Ordering { return ordering(v, true) }

// Asc is the value as a sort key from small to great, nulls first.
func (v WindowValue) Asc() Ordering { return ordering(v, false) }

// Over computes the aggregates and window functions in the value over the rows of a window (package window) around each row. What has an OVER
// already gets the keys that it lacks, and the frame if it has none.
func (v WindowValue) Over(w WindowSpec) WindowValue { return over(v, w) }

// ApproxNUnique is about the number of different values that are not null, by HyperLogLog++ with Spark's hash, so that both give one answer. The relative deviation, 0.05 by default, is a literal of at most 0.39; below 0.005 Spark may need more memory than it has.
//
// Spark: approx_count_distinct.
func (v WindowValue) ApproxNUnique(rsd ...any) NumericValue {
	return call[NumericValue](methodApproxCountDistinct, variadic(v, rsd)...)
}

// Collect is the list of the values that are not null; empty over none.
//
// Spark: collect_list.
func (v WindowValue) Collect() ArrayValue { return call[ArrayValue](methodCollectList, v) }

// Count is the number of rows where the value is not null; without a value, of all rows.
//
// Spark: count.
func (v WindowValue) Count() NumericValue { return call[NumericValue](methodCount, v) }

// First is the value of the first row that Spark happens to see, null or not.
//
// Spark: first.
func (v WindowValue) First() WindowValue { return call[WindowValue](methodFirst, v) }

// Last is the value of the last row that Spark happens to see, null or not.
//
// Spark: last.
func (v WindowValue) Last() WindowValue { return call[WindowValue](methodLast, v) }

// CumMax is Max over the rows up to the current one, in the order that Over gives: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW. Max is the greatest value, null over no values; NaN is greater than every number.
func (v WindowValue) CumMax() WindowValue { return cumulative[WindowValue](methodMax, v) }

// Max is the greatest value, null over no values; NaN is greater than every number.
//
// Spark: max.
func (v WindowValue) Max() WindowValue { return call[WindowValue](methodMax, v) }

// MaxBy is the value, null or not, of the row with the greatest by; of several the last that Spark happens to see.
//
// Spark: max_by.
func (v WindowValue) MaxBy(by any) WindowValue { return call[WindowValue](methodMaxBy, v, by) }

// CumMin is Min over the rows up to the current one, in the order that Over gives: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW. Min is the least value, null over no values.
func (v WindowValue) CumMin() WindowValue { return cumulative[WindowValue](methodMin, v) }

// Min is the least value, null over no values.
//
// Spark: min.
func (v WindowValue) Min() WindowValue { return call[WindowValue](methodMin, v) }

// MinBy is the value, null or not, of the row with the least by; of several the last that Spark happens to see.
//
// Spark: min_by.
func (v WindowValue) MinBy(by any) WindowValue { return call[WindowValue](methodMinBy, v, by) }

// TypeOf is the name of the value's type in lower case.
//
// Spark: typeof.
func (v WindowValue) TypeOf() StringValue { return call[StringValue](methodTypeOf, v) }

// Hash is Spark's Murmur3 hash of the values, an INT; nulls do not change it. Maps cannot be hashed.
//
// Spark: hash.
func (v WindowValue) Hash(values ...any) NumericValue {
	return call[NumericValue](methodHash, variadic(v, values)...)
}

// NotNull tells whether the value is not null; it is never null itself.
//
// Spark: {0} IS NOT NULL.
func (v WindowValue) NotNull() BooleanValue { return call[BooleanValue](methodIsNotNull, v) }

// IsNull tells whether the value is null; it is never null itself.
//
// Spark: {0} IS NULL.
func (v WindowValue) IsNull() BooleanValue { return call[BooleanValue](methodIsNull, v) }

// NullIf is null where both sides are equal, else the value.
//
// Spark: nullif.
func (v WindowValue) NullIf(b any) WindowValue { return call[WindowValue](methodNullIf, v, b) }

// Lt tells whether the left side is less; null when either is null. NaN is greater than every number.
//
// Spark: {0} < {1}.
func (v WindowValue) Lt(b any) BooleanValue { return call[BooleanValue](methodLt, v, b) }

// Le tells whether the left side is less or equal; null when either is null.
//
// Spark: {0} <= {1}.
func (v WindowValue) Le(b any) BooleanValue { return call[BooleanValue](methodLe, v, b) }

// EqNullSafe tells whether both sides are equal, where null equals null; it is never null.
//
// Spark: {0} <=> {1}.
func (v WindowValue) EqNullSafe(b any) BooleanValue {
	return call[BooleanValue](methodEqNullSafe, v, b)
}

// NotEq tells whether the sides differ; null when either is null.
//
// Spark: {0} <> {1}.
func (v WindowValue) NotEq(b any) BooleanValue { return call[BooleanValue](methodNotEq, v, b) }

// Eq tells whether both sides are equal; null when either is null. NaN equals NaN, and -0.0 equals 0.0.
//
// Spark: {0} = {1}.
func (v WindowValue) Eq(b any) BooleanValue { return call[BooleanValue](methodEq, v, b) }

// Gt tells whether the left side is greater; null when either is null. NaN is greater than every number.
//
// Spark: {0} > {1}.
func (v WindowValue) Gt(b any) BooleanValue { return call[BooleanValue](methodGt, v, b) }

// Ge tells whether the left side is greater or equal; null when either is null.
//
// Spark: {0} >= {1}.
func (v WindowValue) Ge(b any) BooleanValue { return call[BooleanValue](methodGe, v, b) }

// Between tells whether the value lies between low and high, both included. It means a >= low AND a <= high, nulls too.
//
// Spark: {0} BETWEEN {1} AND {2}.
func (v WindowValue) Between(low any, high any) BooleanValue {
	return call[BooleanValue](methodBetween, v, low, high)
}

// In tells whether the value equals one of the others; null when it equals none and a null is among them.
//
// Spark: {0} IN ({1*}).
func (v WindowValue) In(value any, values ...any) BooleanValue {
	return call[BooleanValue](methodIn, append([]any{v, value}, values...)...)
}

// CumeDist is the share of the partition's rows that come before the row or are equal to it in the order, above 0.0 up to 1.0. The window is ordered by this value; Over adds partitions.
//
// Spark: cume_dist.
func (v WindowValue) CumeDist() NumericValue { return ranked(methodCumeDist, v) }

// DenseRank is the rank without gaps, from 1 as in SQL; Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: dense_rank.
func (v WindowValue) DenseRank() NumericValue { return ranked(methodDenseRank, v) }

// Lag is the value a number of rows before (1 by default), or the default (NULL by default) where there is no such row. A negative offset looks ahead. With IgnoreNulls only rows with a value count.
//
// Spark: lag.
func (v WindowValue) Lag(offset ...any) WindowValue {
	return call[WindowValue](methodLag, variadic(v, offset)...)
}

// Lead is the value a number of rows behind (1 by default), or the default (NULL by default) where there is no such row. A negative offset looks back. With IgnoreNulls only rows with a value count.
//
// Spark: lead.
func (v WindowValue) Lead(offset ...any) WindowValue {
	return call[WindowValue](methodLead, variadic(v, offset)...)
}

// Nth is the value of the frame's n-th row, from 1 as in SQL; null where the frame is shorter. Ibis counts from 0. With IgnoreNulls only rows with a value count.
//
// Spark: nth_value.
func (v WindowValue) Nth(n any) WindowValue { return call[WindowValue](methodNthValue, v, n) }

// NTile is the number of the row's bucket when the partition is dealt in order into so many buckets of sizes as equal as can be, the greater first; from 1 as in SQL, Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: ntile.
func (v WindowValue) NTile(buckets any) NumericValue { return ranked(methodNtile, v, buckets) }

// PercentRank is the share of the partition's other rows that come before the row, from 0.0 to 1.0; 0.0 where the row is alone. The window is ordered by this value; Over adds partitions.
//
// Spark: percent_rank.
func (v WindowValue) PercentRank() NumericValue { return ranked(methodPercentRank, v) }

// Rank is one more than the number of rows before the row in the order; equal rows have one rank, and the next is behind a gap. It counts from 1 as in SQL; Ibis counts from 0. The window is ordered by this value; Over adds partitions.
//
// Spark: rank.
func (v WindowValue) Rank() NumericValue { return ranked(methodRank, v) }
