// Code generated from expr/catalog by internal/generate; DO NOT EDIT.

// Package functions has every function of the catalogue under Spark's name. Arguments are values of package expr or Go values, which
// become literals; a wrong type is an error of the value, with the line of the call. Methods of the value families build the same nodes
// under Ibis's names.
package functions

import "github.com/spoonbill-go/spoonbill/expr"

// ApproxCountDistinct is about the number of different values that are not null, by HyperLogLog++ with Spark's hash, so that both give one answer. The relative deviation, 0.05 by default, is a literal of at most 0.39; below 0.005 Spark may need more memory than it has.
//
// Spark: approx_count_distinct. Example: approx_count_distinct(1)
func ApproxCountDistinct(a any, rsd ...any) expr.NumericValue {
	return expr.Call[expr.NumericValue]("approx_count_distinct", append([]any{a}, rsd...)...)
}

// Avg is the mean, null over no values: DOUBLE, or a decimal with four digits more of decimals.
//
// Spark: avg. Example: avg(1)
func Avg(a any) expr.AnyValue { return expr.Call[expr.AnyValue]("avg", a) }

// Mean is [Avg] under another name of Spark's, mean.
func Mean(a any) expr.AnyValue { return expr.Call[expr.AnyValue]("avg", a) }

// BitAnd has the bits that all values have, null over no values.
//
// Spark: bit_and. Example: bit_and(1)
func BitAnd(a any) expr.AnyValue { return expr.Call[expr.AnyValue]("bit_and", a) }

// BitOr has the bits that some value has, null over no values.
//
// Spark: bit_or. Example: bit_or(1)
func BitOr(a any) expr.AnyValue { return expr.Call[expr.AnyValue]("bit_or", a) }

// BitXor has the bits that an odd number of values has, null over no values.
//
// Spark: bit_xor. Example: bit_xor(1)
func BitXor(a any) expr.AnyValue { return expr.Call[expr.AnyValue]("bit_xor", a) }

// BoolAnd is true when every value that is not null is true; null over no values.
//
// Spark: bool_and. Example: bool_and(true)
func BoolAnd(cond any) expr.BooleanValue { return expr.Call[expr.BooleanValue]("bool_and", cond) }

// Every is [BoolAnd] under another name of Spark's, every.
func Every(cond any) expr.BooleanValue { return expr.Call[expr.BooleanValue]("bool_and", cond) }

// BoolOr is true when a value is true; null over no values.
//
// Spark: bool_or. Example: bool_or(true)
func BoolOr(cond any) expr.BooleanValue { return expr.Call[expr.BooleanValue]("bool_or", cond) }

// Any is [BoolOr] under another name of Spark's, any.
func Any(cond any) expr.BooleanValue { return expr.Call[expr.BooleanValue]("bool_or", cond) }

// Some is [BoolOr] under another name of Spark's, some.
func Some(cond any) expr.BooleanValue { return expr.Call[expr.BooleanValue]("bool_or", cond) }

// CollectList is the list of the values that are not null; empty over none.
//
// Spark: collect_list. Example: collect_list(1)
func CollectList(a any) expr.ArrayValue { return expr.Call[expr.ArrayValue]("collect_list", a) }

// ArrayAgg is [CollectList] under another name of Spark's, array_agg.
func ArrayAgg(a any) expr.ArrayValue { return expr.Call[expr.ArrayValue]("collect_list", a) }

// Corr is Pearson's correlation of the pairs without a null, null over fewer than two. Where one side does not vary it raises DIVIDE_BY_ZERO under ANSI and is null otherwise.
//
// Spark: corr. Example: corr(1, 2)
func Corr(a any, b any) expr.NumericValue { return expr.Call[expr.NumericValue]("corr", a, b) }

// Count is the number of rows where the value is not null; without a value, of all rows.
//
// Spark: count. Example: count(1)
func Count(values ...any) expr.NumericValue { return expr.Call[expr.NumericValue]("count", values...) }

// CountIf is the number of rows for which the condition is true.
//
// Spark: count_if. Example: count_if(true)
func CountIf(cond any) expr.NumericValue { return expr.Call[expr.NumericValue]("count_if", cond) }

// CovarPop is the population covariance of the pairs without a null, null over none.
//
// Spark: covar_pop. Example: covar_pop(1, 2)
func CovarPop(a any, b any) expr.NumericValue { return expr.Call[expr.NumericValue]("covar_pop", a, b) }

// CovarSamp is the sample covariance of the pairs without a null, null over fewer than two.
//
// Spark: covar_samp. Example: covar_samp(1, 2)
func CovarSamp(a any, b any) expr.NumericValue {
	return expr.Call[expr.NumericValue]("covar_samp", a, b)
}

// First is the value of the first row that Spark happens to see, null or not.
//
// Spark: first. Example: first(1)
func First(a any) expr.AnyValue { return expr.Call[expr.AnyValue]("first", a) }

// AnyValue is [First] under another name of Spark's, any_value.
func AnyValue(a any) expr.AnyValue { return expr.Call[expr.AnyValue]("first", a) }

// FirstValue is another name of first, the usual one over a window: the value of the frame's first row, null or not unless IgnoreNulls says otherwise.
//
// Spark: first_value. Example: first_value(1)
func FirstValue(a any) expr.AnyValue { return expr.Call[expr.AnyValue]("first_value", a) }

// Grouping is 1 in the rows of a grouping set that leaves the key out, where the key is null for that reason, and 0 in the others.
//
// Spark: grouping. Example: grouping(a)
func Grouping(key any) expr.NumericValue { return expr.Call[expr.NumericValue]("grouping", key) }

// GroupingID is the number whose binary digits are grouping of each key, the first key's digit first.
//
// Spark: grouping_id. Example: grouping_id()
func GroupingID() expr.NumericValue { return expr.Call[expr.NumericValue]("grouping_id") }

// Kurtosis is the excess kurtosis, null over no values or equal ones.
//
// Spark: kurtosis. Example: kurtosis(1)
func Kurtosis(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("kurtosis", a) }

// Last is the value of the last row that Spark happens to see, null or not.
//
// Spark: last. Example: last(1)
func Last(a any) expr.AnyValue { return expr.Call[expr.AnyValue]("last", a) }

// LastValue is another name of last, the usual one over a window: the value of the frame's last row, null or not unless IgnoreNulls says otherwise.
//
// Spark: last_value. Example: last_value(1)
func LastValue(a any) expr.AnyValue { return expr.Call[expr.AnyValue]("last_value", a) }

// Max is the greatest value, null over no values; NaN is greater than every number.
//
// Spark: max. Example: max(1)
func Max(a any) expr.AnyValue { return expr.Call[expr.AnyValue]("max", a) }

// MaxBy is the value, null or not, of the row with the greatest by; of several the last that Spark happens to see.
//
// Spark: max_by. Example: max_by('a', 10)
func MaxBy(a any, by any) expr.AnyValue { return expr.Call[expr.AnyValue]("max_by", a, by) }

// Median is the median as a DOUBLE, between two values their middle; null over no values. It holds all values in memory.
//
// Spark: median. Example: median(1)
func Median(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("median", a) }

// Min is the least value, null over no values.
//
// Spark: min. Example: min(1)
func Min(a any) expr.AnyValue { return expr.Call[expr.AnyValue]("min", a) }

// MinBy is the value, null or not, of the row with the least by; of several the last that Spark happens to see.
//
// Spark: min_by. Example: min_by('a', 10)
func MinBy(a any, by any) expr.AnyValue { return expr.Call[expr.AnyValue]("min_by", a, by) }

// Percentile is the value below which a literal part p (0 to 1) of the values lies, between two values by their distance; for an array of parts an array. A frequency counts a row as often. Null over no values. It holds all values in memory.
//
// Spark: percentile. Example: percentile(1, 0.5)
func Percentile(a any, p any, frequency ...any) expr.AnyValue {
	return expr.Call[expr.AnyValue]("percentile", append([]any{a, p}, frequency...)...)
}

// PercentileCont is percentile under the name of the standard.
//
// Spark: percentile_cont({1}) WITHIN GROUP (ORDER BY {0}). Example: percentile_cont(0.5) WITHIN GROUP (ORDER BY 1)
func PercentileCont(a any, p any) expr.AnyValue {
	return expr.Call[expr.AnyValue]("percentile_cont", a, p)
}

// PercentileDisc is the first value, as a DOUBLE, up to which at least a literal part p (0 to 1) of the values lies; null over no values. It holds all values in memory.
//
// Spark: percentile_disc({1}) WITHIN GROUP (ORDER BY {0}). Example: percentile_disc(0.5) WITHIN GROUP (ORDER BY 1)
func PercentileDisc(a any, p any) expr.AnyValue {
	return expr.Call[expr.AnyValue]("percentile_disc", a, p)
}

// RegrAvgx is the mean of x over the pairs without a null, a DOUBLE; decimals are to be cast.
//
// Spark: regr_avgx. Example: regr_avgx(1, 2)
func RegrAvgx(y any, x any) expr.NumericValue { return expr.Call[expr.NumericValue]("regr_avgx", y, x) }

// RegrAvgy is the mean of y over the pairs without a null, a DOUBLE; decimals are to be cast.
//
// Spark: regr_avgy. Example: regr_avgy(1, 2)
func RegrAvgy(y any, x any) expr.NumericValue { return expr.Call[expr.NumericValue]("regr_avgy", y, x) }

// RegrCount is the number of pairs without a null.
//
// Spark: regr_count. Example: regr_count(1, 2)
func RegrCount(y any, x any) expr.NumericValue {
	return expr.Call[expr.NumericValue]("regr_count", y, x)
}

// RegrIntercept is where the line of least squares through the pairs without a null meets x = 0; null where x does not vary.
//
// Spark: regr_intercept. Example: regr_intercept(1, 2)
func RegrIntercept(y any, x any) expr.NumericValue {
	return expr.Call[expr.NumericValue]("regr_intercept", y, x)
}

// RegrR2 is the coefficient of determination of the pairs without a null: null where x does not vary, 1 where only y does not.
//
// Spark: regr_r2. Example: regr_r2(1, 2)
func RegrR2(y any, x any) expr.NumericValue { return expr.Call[expr.NumericValue]("regr_r2", y, x) }

// RegrSlope is the slope of the line of least squares through the pairs without a null; null where x does not vary.
//
// Spark: regr_slope. Example: regr_slope(1, 2)
func RegrSlope(y any, x any) expr.NumericValue {
	return expr.Call[expr.NumericValue]("regr_slope", y, x)
}

// RegrSxx is the sum of squares of x around its mean, over the pairs without a null.
//
// Spark: regr_sxx. Example: regr_sxx(1, 2)
func RegrSxx(y any, x any) expr.NumericValue { return expr.Call[expr.NumericValue]("regr_sxx", y, x) }

// RegrSxy is the sum of products of x and y around their means, over the pairs without a null.
//
// Spark: regr_sxy. Example: regr_sxy(1, 2)
func RegrSxy(y any, x any) expr.NumericValue { return expr.Call[expr.NumericValue]("regr_sxy", y, x) }

// RegrSyy is the sum of squares of y around its mean, over the pairs without a null.
//
// Spark: regr_syy. Example: regr_syy(1, 2)
func RegrSyy(y any, x any) expr.NumericValue { return expr.Call[expr.NumericValue]("regr_syy", y, x) }

// Skewness is the skewness, null over no values or equal ones.
//
// Spark: skewness. Example: skewness(1)
func Skewness(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("skewness", a) }

// Stddev is the sample standard deviation, null over fewer than two values.
//
// Spark: stddev. Example: stddev(1)
func Stddev(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("stddev", a) }

// StddevSamp is [Stddev] under another name of Spark's, stddev_samp.
func StddevSamp(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("stddev", a) }

// Std is [Stddev] under another name of Spark's, std.
func Std(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("stddev", a) }

// StddevPop is the population standard deviation, null over no values.
//
// Spark: stddev_pop. Example: stddev_pop(1)
func StddevPop(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("stddev_pop", a) }

// Sum is the sum, null over no values: BIGINT of integers, DOUBLE of FLOAT and DOUBLE, a decimal with ten digits more of decimals. An overflow raises ARITHMETIC_OVERFLOW under ANSI. Only over FLOAT and DOUBLE does the order of the rows show.
//
// Spark: sum. Example: sum(1)
func Sum(a any) expr.AnyValue { return expr.Call[expr.AnyValue]("sum", a) }

// VarPop is the population variance, null over no values.
//
// Spark: var_pop. Example: var_pop(1)
func VarPop(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("var_pop", a) }

// Variance is the sample variance, null over fewer than two values.
//
// Spark: variance. Example: variance(1)
func Variance(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("variance", a) }

// VarSamp is [Variance] under another name of Spark's, var_samp.
func VarSamp(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("variance", a) }

// Aggregate folds the elements into one value, beginning with start; the last function is applied to the outcome. merge gives the type of start.
//
// Spark: aggregate. Example: aggregate(array(1, 2, 3), 0, (acc, x) -> acc + x)
func Aggregate(a any, start any, merge any, finish ...any) expr.AnyValue {
	return expr.Call[expr.AnyValue]("aggregate", append([]any{a, start, merge}, finish...)...)
}

// Reduce is [Aggregate] under another name of Spark's, reduce.
func Reduce(a any, start any, merge any, finish ...any) expr.AnyValue {
	return expr.Call[expr.AnyValue]("aggregate", append([]any{a, start, merge}, finish...)...)
}

// Array makes an array of its arguments.
//
// Spark: array. Example: array(1, 2)
func Array(elements ...any) expr.ArrayValue { return expr.Call[expr.ArrayValue]("array", elements...) }

// ArrayAppend is the array with one more element at its end, which may be null.
//
// Spark: array_append. Example: array_append(array('b', 'd'), 'a')
func ArrayAppend(a any, element any) expr.ArrayValue {
	return expr.Call[expr.ArrayValue]("array_append", a, element)
}

// ArrayCompact is the array without its nulls.
//
// Spark: array_compact. Example: array_compact(array(1, NULL, 3))
func ArrayCompact(a any) expr.ArrayValue { return expr.Call[expr.ArrayValue]("array_compact", a) }

// ArrayContains tells whether the array has the element; null when it has not and holds a null.
//
// Spark: array_contains. Example: array_contains(array(1, 2, 3), 2)
func ArrayContains(a any, element any) expr.AnyValue {
	return expr.Call[expr.AnyValue]("array_contains", a, element)
}

// ArrayDistinct is the array with each value once, in the order of their first places; null is a value.
//
// Spark: array_distinct. Example: array_distinct(array(1, 2, 3, NULL, 3))
func ArrayDistinct(a any) expr.AnyValue { return expr.Call[expr.AnyValue]("array_distinct", a) }

// ArrayExcept has each value of the first array that the second has not, once.
//
// Spark: array_except. Example: array_except(array(1, 2, 3), array(1, 3, 5))
func ArrayExcept(a any, b any) expr.ArrayValue {
	return expr.Call[expr.ArrayValue]("array_except", a, b)
}

// ArrayInsert puts an element at position pos, counted from 1, or from the end when negative (-1 is behind the last). Positions beyond the ends are filled with nulls; 0 is an error.
//
// Spark: array_insert. Example: array_insert(array(1, 2, 4), 3, 3)
func ArrayInsert(a any, pos any, element any) expr.ArrayValue {
	return expr.Call[expr.ArrayValue]("array_insert", a, pos, element)
}

// ArrayIntersect has each value of the first array that the second has too, once.
//
// Spark: array_intersect. Example: array_intersect(array(1, 2, 3), array(1, 3, 5))
func ArrayIntersect(a any, b any) expr.AnyValue {
	return expr.Call[expr.AnyValue]("array_intersect", a, b)
}

// ArrayJoin joins the elements by the delimiter. Nulls are left out, or stand as the third argument.
//
// Spark: array_join. Example: array_join(array('hello', NULL, 'world'), ' ', ',')
func ArrayJoin(a any, delimiter any, nulls ...any) expr.StringValue {
	return expr.Call[expr.StringValue]("array_join", append([]any{a, delimiter}, nulls...)...)
}

// ArrayMax is the greatest element; nulls are passed over, and an array without values gives null. NaN is greater than every number.
//
// Spark: array_max. Example: array_max(array(1, 20, NULL, 3))
func ArrayMax(a any) expr.AnyValue { return expr.Call[expr.AnyValue]("array_max", a) }

// ArrayMin is the least element; nulls are passed over, and an array without values gives null.
//
// Spark: array_min. Example: array_min(array(1, 20, NULL, 3))
func ArrayMin(a any) expr.AnyValue { return expr.Call[expr.AnyValue]("array_min", a) }

// ArrayPosition is the position of the element's first occurrence, counted from 1; 0 when there is none.
//
// Spark: array_position. Example: array_position(array(312, 773, 708, 708), 708)
func ArrayPosition(a any, element any) expr.NumericValue {
	return expr.Call[expr.NumericValue]("array_position", a, element)
}

// ArrayPrepend is the array with one more element before its first, which may be null.
//
// Spark: array_prepend. Example: array_prepend(array('b', 'd'), 'a')
func ArrayPrepend(a any, element any) expr.ArrayValue {
	return expr.Call[expr.ArrayValue]("array_prepend", a, element)
}

// ArrayRemove is the array without the elements that equal the given one; nulls stay.
//
// Spark: array_remove. Example: array_remove(array(1, 2, 3, NULL, 3), 3)
func ArrayRemove(a any, element any) expr.AnyValue {
	return expr.Call[expr.AnyValue]("array_remove", a, element)
}

// ArrayRepeat is an array of count times the element; empty when count is zero or less.
//
// Spark: array_repeat. Example: array_repeat('123', 2)
func ArrayRepeat(element any, count any) expr.ArrayValue {
	return expr.Call[expr.ArrayValue]("array_repeat", element, count)
}

// ArraySize is the number of elements of an array; null of null in both modes.
//
// Spark: array_size. Example: array_size(array('b', 'd'))
func ArraySize(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("array_size", a) }

// ArraySort is the array from small to great, nulls last, or in the order of a function that is negative, zero or positive.
//
// Spark: array_sort. Example: array_sort(array('b', 'd', NULL, 'c', 'a'))
func ArraySort(a any, compare ...any) expr.AnyValue {
	return expr.Call[expr.AnyValue]("array_sort", append([]any{a}, compare...)...)
}

// ArrayUnion has each value of either array once, in the order of their first places.
//
// Spark: array_union. Example: array_union(array(1, 2, 3), array(1, 3, 5))
func ArrayUnion(a any, b any) expr.AnyValue { return expr.Call[expr.AnyValue]("array_union", a, b) }

// ArraysOverlap tells whether the arrays have a value in common that is not null; null when they have none, neither is empty and one holds a null.
//
// Spark: arrays_overlap. Example: arrays_overlap(array(1, 2, 3), array(3, 4, 5))
func ArraysOverlap(a any, b any) expr.BooleanValue {
	return expr.Call[expr.BooleanValue]("arrays_overlap", a, b)
}

// ArraysZip is an array of structs whose field k is of the k-th array; shorter arrays are filled with nulls. Fields are named by the columns, or 0, 1, ….
//
// Spark: arrays_zip. Example: arrays_zip(array(1, 2, 3), array(2, 3, 4))
func ArraysZip(arrays ...any) expr.ArrayValue {
	return expr.Call[expr.ArrayValue]("arrays_zip", arrays...)
}

// ElementAt is the element at an index, counted from 1 or, when negative, from the end; the value of a key in a map, null when the map has it not. An index out of range raises INVALID_ARRAY_INDEX_IN_ELEMENT_AT under ANSI and is null otherwise; 0 is an error.
//
// Spark: element_at. Example: element_at(array(1, 2, 3), 2)
func ElementAt(a any, index any) expr.AnyValue {
	return expr.Call[expr.AnyValue]("element_at", a, index)
}

// Exists tells whether a function is true for an element; null when it is true for none and null for one.
//
// Spark: exists. Example: exists(array(1, 2, 3), x -> x % 2 == 0)
func Exists(a any, f any) expr.BooleanValue { return expr.Call[expr.BooleanValue]("exists", a, f) }

// Filter keeps the elements for which a function is true; it may take the index from 0 too.
//
// Spark: filter. Example: filter(array(1, 2, 3), x -> x % 2 == 1)
func Filter(a any, f any) expr.AnyValue { return expr.Call[expr.AnyValue]("filter", a, f) }

// Flatten puts the arrays in an array together; null when one of them is.
//
// Spark: flatten. Example: flatten(array(array(1, 2), array(3, 4)))
func Flatten(a any) expr.AnyValue { return expr.Call[expr.AnyValue]("flatten", a) }

// ForAll tells whether a function is true for every element; null when it is false for none and null for one.
//
// Spark: forall. Example: forall(array(1, 2, 3), x -> x % 2 == 0)
func ForAll(a any, f any) expr.BooleanValue { return expr.Call[expr.BooleanValue]("forall", a, f) }

// Get is the element at an index, counted from 0; null when the index is out of range.
//
// Spark: get. Example: get(array(1, 2, 3), 0)
func Get(a any, index any) expr.AnyValue { return expr.Call[expr.AnyValue]("get", a, index) }

// Sequence is the array from start to stop, both included, in steps of 1 (or -1 downwards, or a day) or of the third argument. A step of zero, or away from stop, is an error.
//
// Spark: sequence. Example: sequence(1, 5)
func Sequence(start any, stop any, step ...any) expr.ArrayValue {
	return expr.Call[expr.ArrayValue]("sequence", append([]any{start, stop}, step...)...)
}

// Shuffle is the array in a random order.
//
// Spark: shuffle. Example: shuffle(array(1, 20, 3, 5))
func Shuffle(a any) expr.ArrayValue { return expr.Call[expr.ArrayValue]("shuffle", a) }

// Size is the number of elements; null of null under ANSI, and -1 otherwise.
//
// Spark: size. Example: size(array('b', 'd'))
func Size(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("size", a) }

// Cardinality is [Size] under another name of Spark's, cardinality.
func Cardinality(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("size", a) }

// Slice is the part of at most len elements from start, counted from 1 or, when negative, from the end. A start of 0 and a negative len are errors.
//
// Spark: slice. Example: slice(array(1, 2, 3, 4), 2, 2)
func Slice(a any, start any, lenArg any) expr.ArrayValue {
	return expr.Call[expr.ArrayValue]("slice", a, start, lenArg)
}

// SortArray is the array from small to great, nulls first, or from great to small, nulls last, when ascending is false.
//
// Spark: sort_array. Example: sort_array(array('b', 'd', NULL, 'c', 'a'), true)
func SortArray(a any, ascending ...any) expr.ArrayValue {
	return expr.Call[expr.ArrayValue]("sort_array", append([]any{a}, ascending...)...)
}

// Transform is what a function gives for each element, and its index from 0 where it takes one.
//
// Spark: transform. Example: transform(array(1, 2, 3), x -> x + 1)
func Transform(a any, f any) expr.AnyValue { return expr.Call[expr.AnyValue]("transform", a, f) }

// TryElementAt is element_at with null for an index out of range in both modes.
//
// Spark: try_element_at. Example: try_element_at(array(1, 2, 3), 4)
func TryElementAt(a any, index any) expr.AnyValue {
	return expr.Call[expr.AnyValue]("try_element_at", a, index)
}

// ZipWith is what a function gives for the elements of two arrays at the same place; the shorter one is filled with nulls.
//
// Spark: zip_with. Example: zip_with(array(1, 2), array(3, 4), (x, y) -> x + y)
func ZipWith(a any, b any, f any) expr.ArrayValue {
	return expr.Call[expr.ArrayValue]("zip_with", a, b, f)
}

// BitwiseAnd has the bits that both integers have.
//
// Spark: {0} & {1}. Example: 3 & 5
func BitwiseAnd(a any, b any) expr.AnyValue { return expr.Call[expr.AnyValue]("&", a, b) }

// BitwiseXor has the bits that exactly one of the integers has.
//
// Spark: {0} ^ {1}. Example: 3 ^ 5
func BitwiseXor(a any, b any) expr.AnyValue { return expr.Call[expr.AnyValue]("^", a, b) }

// BitCount is the number of bits that are set, of an integer as a BIGINT.
//
// Spark: bit_count. Example: bit_count(7)
func BitCount(n any) expr.NumericValue { return expr.Call[expr.NumericValue]("bit_count", n) }

// BitGet is the bit at a position, counted from 0 at the right. A position outside the type raises INVALID_PARAMETER_VALUE.BIT_POSITION_RANGE.
//
// Spark: bit_get. Example: bit_get(11, 0)
func BitGet(n any, pos any) expr.NumericValue { return expr.Call[expr.NumericValue]("bit_get", n, pos) }

// Getbit is [BitGet] under another name of Spark's, getbit.
func Getbit(n any, pos any) expr.NumericValue { return expr.Call[expr.NumericValue]("bit_get", n, pos) }

// ShiftLeft shifts an INT or BIGINT to the left, by the number of bits modulo 32 or 64.
//
// Spark: shiftleft. Example: shiftleft(2, 1)
func ShiftLeft(a any, bits any) expr.NumericValue {
	return expr.Call[expr.NumericValue]("shiftleft", a, bits)
}

// ShiftRight shifts an INT or BIGINT to the right and keeps its sign, by the number of bits modulo 32 or 64.
//
// Spark: shiftright. Example: shiftright(4, 1)
func ShiftRight(a any, bits any) expr.NumericValue {
	return expr.Call[expr.NumericValue]("shiftright", a, bits)
}

// ShiftRightUnsigned shifts an INT or BIGINT to the right and fills with zeros, by the number of bits modulo 32 or 64.
//
// Spark: shiftrightunsigned. Example: shiftrightunsigned(4, 1)
func ShiftRightUnsigned(a any, bits any) expr.NumericValue {
	return expr.Call[expr.NumericValue]("shiftrightunsigned", a, bits)
}

// BitwiseOr has the bits that one of the integers has.
//
// Spark: {0} | {1}. Example: 3 | 5
func BitwiseOr(a any, b any) expr.AnyValue { return expr.Call[expr.AnyValue]("|", a, b) }

// BitwiseNot has the bits that the integer has not.
//
// Spark: ~ {0}. Example: ~ 0
func BitwiseNot(a any) expr.AnyValue { return expr.Call[expr.AnyValue]("~", a) }

// AssertTrue is null where the condition is true and raises USER_RAISED_EXCEPTION otherwise, for null too.
//
// Spark: assert_true. Example: assert_true(0 < 1)
func AssertTrue(condition any, message ...any) expr.AnyValue {
	return expr.Call[expr.AnyValue]("assert_true", append([]any{condition}, message...)...)
}

// RaiseError raises USER_RAISED_EXCEPTION with a message, for every row that asks for it.
//
// Spark: raise_error. Example: raise_error('custom error message')
func RaiseError(message any) expr.AnyValue { return expr.Call[expr.AnyValue]("raise_error", message) }

// TypeOf is the name of the value's type in lower case.
//
// Spark: typeof. Example: typeof(array(1))
func TypeOf(a any) expr.StringValue { return expr.Call[expr.StringValue]("typeof", a) }

// AddMonths is the date a number of months later, at most the last day of its month.
//
// Spark: add_months. Example: add_months(DATE'2016-08-31', 1)
func AddMonths(d any, months any) expr.DateValue {
	return expr.Call[expr.DateValue]("add_months", d, months)
}

// ConvertTimezone gives the wall clock in the target zone of a wall clock in the source zone. With two arguments they are the target and the wall clock, and the source is the session's zone.
//
// Spark: convert_timezone. Example: convert_timezone('Europe/Brussels', 'America/Los_Angeles', TIMESTAMP_NTZ'2021-12-06 00:00:00')
func ConvertTimezone(source any, target any, t ...any) expr.TimestampValue {
	return expr.Call[expr.TimestampValue]("convert_timezone", append([]any{source, target}, t...)...)
}

// CurrentDate is the date in the session's zone when the query (the epoch of a stream) began.
//
// Spark: current_date. Example: current_date()
func CurrentDate() expr.DateValue { return expr.Call[expr.DateValue]("current_date") }

// Curdate is [CurrentDate] under another name of Spark's, curdate.
func Curdate() expr.DateValue { return expr.Call[expr.DateValue]("current_date") }

// CurrentTimestamp is the instant at which the query (the epoch of a stream) began.
//
// Spark: current_timestamp. Example: current_timestamp()
func CurrentTimestamp() expr.TimestampValue {
	return expr.Call[expr.TimestampValue]("current_timestamp")
}

// Now is [CurrentTimestamp] under another name of Spark's, now.
func Now() expr.TimestampValue { return expr.Call[expr.TimestampValue]("current_timestamp") }

// CurrentTimezone is the name of the session's time zone.
//
// Spark: current_timezone. Example: current_timezone()
func CurrentTimezone() expr.StringValue { return expr.Call[expr.StringValue]("current_timezone") }

// Date is the date, of a TIMESTAMP in the session's zone.
//
// Spark: date. Example: date(TIMESTAMP'2009-07-30 12:58:59')
func Date(d any) expr.AnyValue { return expr.Call[expr.AnyValue]("date", d) }

// DateAdd is the date a number of days later.
//
// Spark: date_add. Example: date_add(DATE'2016-07-30', 1)
func DateAdd(d any, days any) expr.DateValue { return expr.Call[expr.DateValue]("date_add", d, days) }

// Dateadd is [DateAdd] under another name of Spark's, dateadd.
func Dateadd(d any, days any) expr.DateValue { return expr.Call[expr.DateValue]("date_add", d, days) }

// DateFormat is the text of a time stamp by a datetime pattern of Spark, such as yyyy-MM-dd HH:mm:ss.
//
// Spark: date_format. Example: date_format(DATE'2016-04-08', 'y')
func DateFormat(t any, format any) expr.StringValue {
	return expr.Call[expr.StringValue]("date_format", t, format)
}

// DateFromUnixDate is the date so many days after 1970-01-01.
//
// Spark: date_from_unix_date. Example: date_from_unix_date(1)
func DateFromUnixDate(days any) expr.DateValue {
	return expr.Call[expr.DateValue]("date_from_unix_date", days)
}

// DatePart is a part of a date, a time stamp or an interval: YEAR, YEAROFWEEK, QUARTER, MONTH, WEEK, DAY, DAYOFWEEK, DAYOFWEEK_ISO, DOY, HOUR, MINUTE or SECOND (with its fraction), or one of their short forms. The field is a literal; an interval has the fields of its type.
//
// Spark: date_part. Example: date_part('SECONDS', TIMESTAMP'2019-10-01 00:00:01.000001')
func DatePart(field any, source any) expr.AnyValue {
	return expr.Call[expr.AnyValue]("date_part", field, source)
}

// Datepart is [DatePart] under another name of Spark's, datepart.
func Datepart(field any, source any) expr.AnyValue {
	return expr.Call[expr.AnyValue]("date_part", field, source)
}

// Extract is [DatePart] under another name of Spark's, extract.
func Extract(field any, source any) expr.AnyValue {
	return expr.Call[expr.AnyValue]("date_part", field, source)
}

// DateSub is the date a number of days earlier.
//
// Spark: date_sub. Example: date_sub(DATE'2016-07-30', 1)
func DateSub(d any, days any) expr.DateValue { return expr.Call[expr.DateValue]("date_sub", d, days) }

// DateTrunc cuts a time stamp in the session's zone to a unit: YEAR, QUARTER, MONTH, WEEK (Monday), DAY, HOUR, MINUTE, SECOND, MILLISECOND, MICROSECOND; null for another unit.
//
// Spark: date_trunc. Example: date_trunc('HOUR', TIMESTAMP'2015-03-05 09:32:05.359')
func DateTrunc(unit any, t any) expr.TimestampValue {
	return expr.Call[expr.TimestampValue]("date_trunc", unit, t)
}

// DateDiff is the number of days from start to end.
//
// Spark: datediff. Example: datediff(DATE'2009-07-31', DATE'2009-07-30')
func DateDiff(endArg any, start any) expr.NumericValue {
	return expr.Call[expr.NumericValue]("datediff", endArg, start)
}

// Day is the day of the month, 1 to 31.
//
// Spark: day. Example: day(DATE'2009-07-30')
func Day(d any) expr.AnyValue { return expr.Call[expr.AnyValue]("day", d) }

// Dayofmonth is [Day] under another name of Spark's, dayofmonth.
func Dayofmonth(d any) expr.AnyValue { return expr.Call[expr.AnyValue]("day", d) }

// DayOfWeekName is the day of the week in full, such as Monday.
//
// Spark: date_format({0}, 'EEEE'). Example: date_format(DATE'2008-02-20', 'EEEE')
func DayOfWeekName(d any) expr.StringValue { return expr.Call[expr.StringValue]("day_of_week_name", d) }

// DayName is the day of the week in three letters, such as Mon.
//
// Spark: dayname. Example: dayname(DATE'2008-02-20')
func DayName(d any) expr.StringValue { return expr.Call[expr.StringValue]("dayname", d) }

// DayOfWeek is the day of the week, 1 for Sunday to 7 for Saturday.
//
// Spark: dayofweek. Example: dayofweek(DATE'2009-07-30')
func DayOfWeek(d any) expr.NumericValue { return expr.Call[expr.NumericValue]("dayofweek", d) }

// DayOfYear is the day of the year, 1 to 366.
//
// Spark: dayofyear. Example: dayofyear(DATE'2016-04-09')
func DayOfYear(d any) expr.AnyValue { return expr.Call[expr.AnyValue]("dayofyear", d) }

// FromUnixtime is the text, in the session's zone, of the instant so many seconds after 1970-01-01 00:00:00 UTC, by a datetime pattern (yyyy-MM-dd HH:mm:ss without one).
//
// Spark: from_unixtime. Example: from_unixtime(0, 'yyyy-MM-dd HH:mm:ss')
func FromUnixtime(seconds any, format ...any) expr.StringValue {
	return expr.Call[expr.StringValue]("from_unixtime", append([]any{seconds}, format...)...)
}

// FromUtcTimestamp takes the wall clock of the time stamp as UTC's and gives the zone's at that instant.
//
// Spark: from_utc_timestamp. Example: from_utc_timestamp(TIMESTAMP'2016-08-31', 'Asia/Seoul')
func FromUtcTimestamp(t any, zone any) expr.TimestampValue {
	return expr.Call[expr.TimestampValue]("from_utc_timestamp", t, zone)
}

// Hour is the hour in the session's zone, 0 to 23.
//
// Spark: hour. Example: hour(TIMESTAMP'2009-07-30 12:58:59')
func Hour(t any) expr.NumericValue { return expr.Call[expr.NumericValue]("hour", t) }

// IsoYear is the year that the ISO week belongs to.
//
// Spark: extract(YEAROFWEEK FROM {0}). Example: extract(YEAROFWEEK FROM DATE'2024-12-30')
func IsoYear(d any) expr.AnyValue { return expr.Call[expr.AnyValue]("iso_year", d) }

// LastDay is the last day of the date's month.
//
// Spark: last_day. Example: last_day(DATE'2009-01-12')
func LastDay(d any) expr.DateValue { return expr.Call[expr.DateValue]("last_day", d) }

// LocalTimestamp is the wall clock of the session's zone when the query (the epoch of a stream) began.
//
// Spark: localtimestamp. Example: localtimestamp()
func LocalTimestamp() expr.TimestampValue { return expr.Call[expr.TimestampValue]("localtimestamp") }

// MakeDate makes a date; one that does not exist raises DATETIME_FIELD_OUT_OF_BOUNDS under ANSI and is null otherwise.
//
// Spark: make_date. Example: make_date(2013, 7, 15)
func MakeDate(year any, month any, day any) expr.DateValue {
	return expr.Call[expr.DateValue]("make_date", year, month, day)
}

// MakeTimestamp makes a TIMESTAMP of the wall clock of a zone, the session's without one. Sixty seconds are the next minute. Parts out of range raise DATETIME_FIELD_OUT_OF_BOUNDS under ANSI and give null otherwise.
//
// Spark: make_timestamp. Example: make_timestamp(2014, 12, 28, 6, 30, 45.887)
func MakeTimestamp(year any, month any, day any, hour any, minute any, second any, zone ...any) expr.TimestampValue {
	return expr.Call[expr.TimestampValue]("make_timestamp", append([]any{year, month, day, hour, minute, second}, zone...)...)
}

// MakeTimestampLtz is make_timestamp, always of the type TIMESTAMP.
//
// Spark: make_timestamp_ltz. Example: make_timestamp_ltz(2014, 12, 28, 6, 30, 45.887, 'CET')
func MakeTimestampLtz(year any, month any, day any, hour any, minute any, second any, zone ...any) expr.TimestampValue {
	return expr.Call[expr.TimestampValue]("make_timestamp_ltz", append([]any{year, month, day, hour, minute, second}, zone...)...)
}

// MakeTimestampNtz makes a TIMESTAMP_NTZ, by the rules of make_timestamp.
//
// Spark: make_timestamp_ntz. Example: make_timestamp_ntz(2014, 12, 28, 6, 30, 45.887)
func MakeTimestampNtz(year any, month any, day any, hour any, minute any, second any) expr.TimestampValue {
	return expr.Call[expr.TimestampValue]("make_timestamp_ntz", year, month, day, hour, minute, second)
}

// Microsecond is the microseconds of the second, 0 to 999999.
//
// Spark: CAST(extract(SECOND FROM {0}) * 1000000 AS INT) % 1000000. Example: CAST(extract(SECOND FROM TIMESTAMP'2009-07-30 12:58:59.123456') * 1000000 AS INT) % 1000000
func Microsecond(t any) expr.NumericValue { return expr.Call[expr.NumericValue]("microsecond", t) }

// Millisecond is the whole milliseconds of the second, 0 to 999.
//
// Spark: CAST(extract(SECOND FROM {0}) * 1000 AS INT) % 1000. Example: CAST(extract(SECOND FROM TIMESTAMP'2009-07-30 12:58:59.123456') * 1000 AS INT) % 1000
func Millisecond(t any) expr.NumericValue { return expr.Call[expr.NumericValue]("millisecond", t) }

// Minute is the minute, 0 to 59.
//
// Spark: minute. Example: minute(TIMESTAMP'2009-07-30 12:58:59')
func Minute(t any) expr.NumericValue { return expr.Call[expr.NumericValue]("minute", t) }

// Month is the month, 1 to 12.
//
// Spark: month. Example: month(DATE'2016-07-30')
func Month(d any) expr.AnyValue { return expr.Call[expr.AnyValue]("month", d) }

// MonthName is the month in three letters, such as Feb.
//
// Spark: monthname. Example: monthname(DATE'2008-02-20')
func MonthName(d any) expr.StringValue { return expr.Call[expr.StringValue]("monthname", d) }

// MonthsBetween is the number of months from start to end; whole where both are the same day of the month or both the last, else with a fraction of months of 31 days. It is rounded to eight digits unless round is false.
//
// Spark: months_between. Example: months_between(TIMESTAMP'1997-02-28 10:30:00', TIMESTAMP'1996-10-30 00:00:00')
func MonthsBetween(endArg any, start any, round ...any) expr.NumericValue {
	return expr.Call[expr.NumericValue]("months_between", append([]any{endArg, start}, round...)...)
}

// NextDay is the first date later than the date that is the named day of the week, such as MO, mon or MONDAY. Another name raises ILLEGAL_DAY_OF_WEEK under ANSI and is null otherwise.
//
// Spark: next_day. Example: next_day(DATE'2015-01-14', 'TU')
func NextDay(d any, weekday any) expr.DateValue {
	return expr.Call[expr.DateValue]("next_day", d, weekday)
}

// Quarter is the quarter, 1 to 4.
//
// Spark: quarter. Example: quarter(DATE'2016-08-31')
func Quarter(d any) expr.AnyValue { return expr.Call[expr.AnyValue]("quarter", d) }

// Second is the whole second, 0 to 59.
//
// Spark: second. Example: second(TIMESTAMP'2009-07-30 12:58:59')
func Second(t any) expr.NumericValue { return expr.Call[expr.NumericValue]("second", t) }

// TimeBucket is the start of the bucket of a size that the time stamp falls into. Buckets are counted from origin, 1970-01-01 00:00:00 without it; months and whole days of a TIMESTAMP follow the session's zone. Size and origin are literals.
//
// Spark: time_bucket. Example: time_bucket(INTERVAL '15' MINUTE, TIMESTAMP'2024-01-01 11:27:00')
func TimeBucket(size any, t any, origin ...any) expr.TimestampValue {
	return expr.Call[expr.TimestampValue]("time_bucket", append([]any{size, t}, origin...)...)
}

// TimestampAdd is the time stamp an interval later. Months end at the last day of a month; days and months follow the session's zone.
//
// Spark: {0} + {1}. Example: TIMESTAMP'2021-03-01 12:34:56' + INTERVAL '1' HOUR
func TimestampAdd(t any, i any) expr.AnyValue { return expr.Call[expr.AnyValue]("timestamp_add", t, i) }

// TimestampSubtract is the interval from start to the value: days between dates, else days to seconds.
//
// Spark: {0} - {1}. Example: TIMESTAMP'2021-03-01 12:34:56' - TIMESTAMP'2021-03-01 10:00:00'
func TimestampSubtract(endArg any, start any) expr.AnyValue {
	return expr.Call[expr.AnyValue]("timestamp_diff", endArg, start)
}

// TimestampMicros is the instant so many microseconds after 1970-01-01 00:00:00 UTC.
//
// Spark: timestamp_micros. Example: timestamp_micros(1230219000123123)
func TimestampMicros(micros any) expr.TimestampValue {
	return expr.Call[expr.TimestampValue]("timestamp_micros", micros)
}

// TimestampMillis is the instant so many milliseconds after 1970-01-01 00:00:00 UTC.
//
// Spark: timestamp_millis. Example: timestamp_millis(1230219000123)
func TimestampMillis(millis any) expr.TimestampValue {
	return expr.Call[expr.TimestampValue]("timestamp_millis", millis)
}

// TimestampSeconds is the instant so many seconds after 1970-01-01 00:00:00 UTC.
//
// Spark: timestamp_seconds. Example: timestamp_seconds(1230219000)
func TimestampSeconds(seconds any) expr.TimestampValue {
	return expr.Call[expr.TimestampValue]("timestamp_seconds", seconds)
}

// TimestampSub is the time stamp an interval earlier.
//
// Spark: {0} - {1}. Example: TIMESTAMP'2021-03-01 12:34:56' - INTERVAL '1' HOUR
func TimestampSub(t any, i any) expr.AnyValue { return expr.Call[expr.AnyValue]("timestamp_sub", t, i) }

// TimestampAddUnits is the time stamp a number of units later: YEAR, QUARTER, MONTH, WEEK, DAY, DAYOFYEAR, HOUR, MINUTE, SECOND, MILLISECOND or MICROSECOND, a literal.
//
// Spark: timestampadd({0!}, {1}, {2}). Example: timestampadd(MONTH, 1, TIMESTAMP'2022-01-31 00:00:00')
func TimestampAddUnits(unit any, n any, t any) expr.TimestampValue {
	return expr.Call[expr.TimestampValue]("timestampadd", unit, n, t)
}

// TimestampDiffUnits is the number of whole units from start to end, cut towards zero; the units are those of timestampadd, DAYOFYEAR left out.
//
// Spark: timestampdiff({0!}, {1}, {2}). Example: timestampdiff(MONTH, TIMESTAMP'2022-01-01 00:00:00', TIMESTAMP'2022-02-28 00:00:00')
func TimestampDiffUnits(unit any, start any, endArg any) expr.NumericValue {
	return expr.Call[expr.NumericValue]("timestampdiff", unit, start, endArg)
}

// ToDate reads a date: by a datetime pattern of Spark, or as a cast without one. What cannot be read raises under ANSI and is null otherwise.
//
// Spark: to_date. Example: to_date('2016-12-31', 'yyyy-MM-dd')
func ToDate(t any, format ...any) expr.AnyValue {
	return expr.Call[expr.AnyValue]("to_date", append([]any{t}, format...)...)
}

// ToTimestamp reads a TIMESTAMP: by a datetime pattern of Spark, or as a cast without one. What cannot be read raises under ANSI and is null otherwise.
//
// Spark: to_timestamp. Example: to_timestamp('2016-12-31', 'yyyy-MM-dd')
func ToTimestamp(t any, format ...any) expr.AnyValue {
	return expr.Call[expr.AnyValue]("to_timestamp", append([]any{t}, format...)...)
}

// ToTimestampLtz is to_timestamp, always of the type TIMESTAMP.
//
// Spark: to_timestamp_ltz. Example: to_timestamp_ltz('2016-12-31', 'yyyy-MM-dd')
func ToTimestampLtz(t any, format ...any) expr.TimestampValue {
	return expr.Call[expr.TimestampValue]("to_timestamp_ltz", append([]any{t}, format...)...)
}

// ToTimestampNtz reads a TIMESTAMP_NTZ, by the rules of to_timestamp; a zone in the text is read and dropped.
//
// Spark: to_timestamp_ntz. Example: to_timestamp_ntz('2016-12-31', 'yyyy-MM-dd')
func ToTimestampNtz(t any, format ...any) expr.TimestampValue {
	return expr.Call[expr.TimestampValue]("to_timestamp_ntz", append([]any{t}, format...)...)
}

// ToUnixTimestamp is unix_timestamp of one or two arguments.
//
// Spark: to_unix_timestamp. Example: to_unix_timestamp('2016-04-08', 'yyyy-MM-dd')
func ToUnixTimestamp(t any, format ...any) expr.NumericValue {
	return expr.Call[expr.NumericValue]("to_unix_timestamp", append([]any{t}, format...)...)
}

// ToUtcTimestamp takes the wall clock of the time stamp as the zone's and gives UTC's at that instant.
//
// Spark: to_utc_timestamp. Example: to_utc_timestamp(TIMESTAMP'2016-08-31', 'Asia/Seoul')
func ToUtcTimestamp(t any, zone any) expr.TimestampValue {
	return expr.Call[expr.TimestampValue]("to_utc_timestamp", t, zone)
}

// Trunc cuts a date to a unit: YEAR, QUARTER, MONTH or WEEK (Monday); null for another unit.
//
// Spark: trunc. Example: trunc(DATE'2019-08-04', 'week')
func Trunc(d any, unit any) expr.DateValue { return expr.Call[expr.DateValue]("trunc", d, unit) }

// TryMakeTimestamp is make_timestamp that gives null for parts out of range.
//
// Spark: try_make_timestamp. Example: try_make_timestamp(2024, 13, 22, 15, 30, 0)
func TryMakeTimestamp(year any, month any, day any, hour any, minute any, second any, zone ...any) expr.TimestampValue {
	return expr.Call[expr.TimestampValue]("try_make_timestamp", append([]any{year, month, day, hour, minute, second}, zone...)...)
}

// TryMakeTimestampLtz is make_timestamp_ltz that gives null for parts out of range.
//
// Spark: try_make_timestamp_ltz. Example: try_make_timestamp_ltz(2024, 13, 22, 15, 30, 0)
func TryMakeTimestampLtz(year any, month any, day any, hour any, minute any, second any, zone ...any) expr.TimestampValue {
	return expr.Call[expr.TimestampValue]("try_make_timestamp_ltz", append([]any{year, month, day, hour, minute, second}, zone...)...)
}

// TryMakeTimestampNtz is make_timestamp_ntz that gives null for parts out of range.
//
// Spark: try_make_timestamp_ntz. Example: try_make_timestamp_ntz(2024, 13, 22, 15, 30, 0)
func TryMakeTimestampNtz(year any, month any, day any, hour any, minute any, second any) expr.TimestampValue {
	return expr.Call[expr.TimestampValue]("try_make_timestamp_ntz", year, month, day, hour, minute, second)
}

// TryToDate is to_date that gives null for what cannot be read.
//
// Spark: try_to_date. Example: try_to_date('foo', 'yyyy-MM-dd')
func TryToDate(t any, format ...any) expr.DateValue {
	return expr.Call[expr.DateValue]("try_to_date", append([]any{t}, format...)...)
}

// TryToTimestamp is to_timestamp that gives null for what cannot be read.
//
// Spark: try_to_timestamp. Example: try_to_timestamp('foo', 'yyyy-MM-dd')
func TryToTimestamp(t any, format ...any) expr.TimestampValue {
	return expr.Call[expr.TimestampValue]("try_to_timestamp", append([]any{t}, format...)...)
}

// UnixDate is the number of days since 1970-01-01.
//
// Spark: unix_date. Example: unix_date(DATE'1970-01-02')
func UnixDate(d any) expr.AnyValue { return expr.Call[expr.AnyValue]("unix_date", d) }

// UnixMicros is the number of microseconds since 1970-01-01 00:00:00 UTC.
//
// Spark: unix_micros. Example: unix_micros(TIMESTAMP'1970-01-01 00:00:01Z')
func UnixMicros(t any) expr.NumericValue { return expr.Call[expr.NumericValue]("unix_micros", t) }

// UnixMillis is the number of whole milliseconds since 1970-01-01 00:00:00 UTC, rounded down.
//
// Spark: unix_millis. Example: unix_millis(TIMESTAMP'1970-01-01 00:00:01Z')
func UnixMillis(t any) expr.NumericValue { return expr.Call[expr.NumericValue]("unix_millis", t) }

// UnixSeconds is the number of whole seconds since 1970-01-01 00:00:00 UTC, rounded down.
//
// Spark: unix_seconds. Example: unix_seconds(TIMESTAMP'1970-01-01 00:00:01Z')
func UnixSeconds(t any) expr.AnyValue { return expr.Call[expr.AnyValue]("unix_seconds", t) }

// UnixTimestamp is the number of seconds since 1970-01-01 00:00:00 UTC of a time stamp, or of a text by a datetime pattern (yyyy-MM-dd HH:mm:ss without one), cut towards zero.
//
// Spark: unix_timestamp. Example: unix_timestamp('2016-04-08', 'yyyy-MM-dd')
func UnixTimestamp(t any, format ...any) expr.NumericValue {
	return expr.Call[expr.NumericValue]("unix_timestamp", append([]any{t}, format...)...)
}

// Weekday is the day of the week, 0 for Monday to 6 for Sunday.
//
// Spark: weekday. Example: weekday(DATE'2009-07-30')
func Weekday(d any) expr.AnyValue { return expr.Call[expr.AnyValue]("weekday", d) }

// WeekOfYear is the ISO week of the year, 1 to 53.
//
// Spark: weekofyear. Example: weekofyear(DATE'2008-02-20')
func WeekOfYear(d any) expr.AnyValue { return expr.Call[expr.AnyValue]("weekofyear", d) }

// Year is the year.
//
// Spark: year. Example: year(DATE'2016-07-30')
func Year(d any) expr.AnyValue { return expr.Call[expr.AnyValue]("year", d) }

// Base64 writes bytes in base 64, in lines of 76 characters.
//
// Spark: base64. Example: base64('Spark SQL')
func Base64(s any) expr.StringValue { return expr.Call[expr.StringValue]("base64", s) }

// BitLength is the number of bits of a text in UTF-8 or of a binary.
//
// Spark: bit_length. Example: bit_length('Spark SQL')
func BitLength(s any) expr.NumericValue { return expr.Call[expr.NumericValue]("bit_length", s) }

// CRC32 is the cyclic redundancy check of 32 bits.
//
// Spark: crc32. Example: crc32('Spark')
func CRC32(s any) expr.NumericValue { return expr.Call[expr.NumericValue]("crc32", s) }

// Decode with two arguments reads a text from bytes in a charset, see encode. With more it is the result behind the first search value that equals a, where null equals null; else the last argument where one is left over, else null. Search values are compared with a in their common type.
//
// Spark: decode. Example: decode(2, 1, 'Southlake', 2, 'San Francisco', 'Non domestic')
func Decode(b any, charset any) expr.AnyValue { return expr.Call[expr.AnyValue]("decode", b, charset) }

// Encode writes a text in a charset: US-ASCII, ISO-8859-1, UTF-8, UTF-16BE, UTF-16LE, UTF-16 (with a byte order mark) or UTF-32. A character that it has not raises MALFORMED_CHARACTER_CODING.
//
// Spark: encode. Example: encode('abc', 'utf-8')
func Encode(s any, charset any) expr.BinaryValue {
	return expr.Call[expr.BinaryValue]("encode", s, charset)
}

// Hash is Spark's Murmur3 hash of the values, an INT; nulls do not change it. Maps cannot be hashed.
//
// Spark: hash. Example: hash('Spark', array(123), 2)
func Hash(a any, values ...any) expr.NumericValue {
	return expr.Call[expr.NumericValue]("hash", append([]any{a}, values...)...)
}

// MD5 is the MD5 digest in 32 hexadecimal digits.
//
// Spark: md5. Example: md5('Spark')
func MD5(s any) expr.StringValue { return expr.Call[expr.StringValue]("md5", s) }

// OctetLength is the number of bytes of a text in UTF-8 or of a binary.
//
// Spark: octet_length. Example: octet_length('Spark SQL')
func OctetLength(s any) expr.NumericValue { return expr.Call[expr.NumericValue]("octet_length", s) }

// SHA is the SHA-1 digest in 40 hexadecimal digits.
//
// Spark: sha. Example: sha('Spark')
func SHA(s any) expr.StringValue { return expr.Call[expr.StringValue]("sha", s) }

// Sha1 is [SHA] under another name of Spark's, sha1.
func Sha1(s any) expr.StringValue { return expr.Call[expr.StringValue]("sha", s) }

// SHA2 is the digest of the SHA-2 family of 224, 256, 384 or 512 bits (0 is 256) in hexadecimal digits; null for another number of bits.
//
// Spark: sha2. Example: sha2('Spark', 256)
func SHA2(s any, bits any) expr.StringValue { return expr.Call[expr.StringValue]("sha2", s, bits) }

// ToBinary reads bytes by a literal format: hex (the default), base64, or utf-8. A malformed text raises CONVERSION_INVALID_INPUT, with ANSI mode off too.
//
// Spark: to_binary. Example: to_binary('abc', 'utf-8')
func ToBinary(s any, format ...any) expr.BinaryValue {
	return expr.Call[expr.BinaryValue]("to_binary", append([]any{s}, format...)...)
}

// TryToBinary is to_binary that gives null for a malformed text.
//
// Spark: try_to_binary. Example: try_to_binary('a!', 'base64')
func TryToBinary(s any, format ...any) expr.BinaryValue {
	return expr.Call[expr.BinaryValue]("try_to_binary", append([]any{s}, format...)...)
}

// UnBase64 reads bytes from base 64 and passes over characters that are none of its digits. A last group of one digit is an error without a condition in Spark.
//
// Spark: unbase64. Example: unbase64('U3BhcmsgU1FM')
func UnBase64(s any) expr.BinaryValue { return expr.Call[expr.BinaryValue]("unbase64", s) }

// XXHash64 is the xxHash of the values in 64 bits; nulls do not change it. Maps cannot be hashed.
//
// Spark: xxhash64. Example: xxhash64('Spark', array(123), 2)
func XXHash64(a any, values ...any) expr.NumericValue {
	return expr.Call[expr.NumericValue]("xxhash64", append([]any{a}, values...)...)
}

// IntervalAdd is the sum of two intervals of months, or of two of days to seconds, over the fields of both. Past the range it raises INTERVAL_ARITHMETIC_OVERFLOW, with or without ANSI.
//
// Spark: {0} + {1}. Example: INTERVAL '1' DAY + INTERVAL '1' HOUR
func IntervalAdd(a any, b any) expr.AnyValue { return expr.Call[expr.AnyValue]("interval_add", a, b) }

// IntervalDiv is the interval divided by a number, rounded half away from zero to a month or a microsecond. Zero raises INTERVAL_DIVIDED_BY_ZERO, with or without ANSI.
//
// Spark: {0} / {1}. Example: INTERVAL '1' DAY / 7
func IntervalDiv(i any, n any) expr.AnyValue { return expr.Call[expr.AnyValue]("interval_div", i, n) }

// IntervalMul is the interval so many times, rounded half away from zero to a month or a microsecond.
//
// Spark: {0} * {1}. Example: INTERVAL '1' DAY * 2.5
func IntervalMul(i any, n any) expr.AnyValue { return expr.Call[expr.AnyValue]("interval_mul", i, n) }

// IntervalNegate is the interval with the other sign.
//
// Spark: - {0}. Example: - INTERVAL '1' DAY
func IntervalNegate(i any) expr.AnyValue { return expr.Call[expr.AnyValue]("interval_negate", i) }

// IntervalSub is the difference of two intervals, by the rules of their sum.
//
// Spark: {0} - {1}. Example: INTERVAL '1' DAY - INTERVAL '1' HOUR
func IntervalSub(a any, b any) expr.AnyValue { return expr.Call[expr.AnyValue]("interval_sub", a, b) }

// MakeDTInterval makes an interval of days to seconds; what is left out is zero.
//
// Spark: make_dt_interval. Example: make_dt_interval(1, 12, 30, 1.001001)
func MakeDTInterval(days ...any) expr.IntervalValue {
	return expr.Call[expr.IntervalValue]("make_dt_interval", days...)
}

// MakeInterval makes a calendar interval; what is left out is zero.
//
// Spark: make_interval. Example: make_interval(100, 11, 1, 1, 12, 30, 1.001001)
func MakeInterval(years ...any) expr.IntervalValue {
	return expr.Call[expr.IntervalValue]("make_interval", years...)
}

// MakeYMInterval makes an interval of years and months; what is left out is zero.
//
// Spark: make_ym_interval. Example: make_ym_interval(1, 2)
func MakeYMInterval(years ...any) expr.IntervalValue {
	return expr.Call[expr.IntervalValue]("make_ym_interval", years...)
}

// TryIntervalAdd is the sum of two intervals, null past the range.
//
// Spark: try_add({0}, {1}). Example: try_add(INTERVAL '1' DAY, INTERVAL '1' HOUR)
func TryIntervalAdd(a any, b any) expr.IntervalValue {
	return expr.Call[expr.IntervalValue]("try_interval_add", a, b)
}

// TryIntervalDiv is the interval divided by a number, null for zero.
//
// Spark: try_divide({0}, {1}). Example: try_divide(INTERVAL '2' MONTH, 0)
func TryIntervalDiv(i any, n any) expr.IntervalValue {
	return expr.Call[expr.IntervalValue]("try_interval_div", i, n)
}

// TryIntervalMul is the interval so many times, null past the range.
//
// Spark: try_multiply({0}, {1}). Example: try_multiply(INTERVAL '2' YEAR, 3)
func TryIntervalMul(i any, n any) expr.IntervalValue {
	return expr.Call[expr.IntervalValue]("try_interval_mul", i, n)
}

// TryIntervalSub is the difference of two intervals, null past the range.
//
// Spark: try_subtract({0}, {1}). Example: try_subtract(INTERVAL '1' DAY, INTERVAL '1' HOUR)
func TryIntervalSub(a any, b any) expr.IntervalValue {
	return expr.Call[expr.IntervalValue]("try_interval_sub", a, b)
}

// TryMakeInterval is make_interval that gives null past the range.
//
// Spark: try_make_interval. Example: try_make_interval(2147483647)
func TryMakeInterval(years ...any) expr.IntervalValue {
	return expr.Call[expr.IntervalValue]("try_make_interval", years...)
}

// FromJSON reads a JSON text by a literal schema in DDL. What does not parse is null in every field (mode PERMISSIVE) or an error (FAILFAST).
//
// Spark: from_json. Example: from_json('{"a":1}', 'a INT')
func FromJSON(s any, schema any, options ...any) expr.StructValue {
	return expr.Call[expr.StructValue]("from_json", append([]any{s, schema}, options...)...)
}

// ToJSON writes a struct, array or map as JSON. Null fields are left out.
//
// Spark: to_json. Example: to_json(named_struct('a', 1))
func ToJSON(value any, options ...any) expr.StringValue {
	return expr.Call[expr.StringValue]("to_json", append([]any{value}, options...)...)
}

// Map makes a map of keys and values in turn. A key that comes twice raises DUPLICATED_MAP_KEY, a null key NULL_MAP_KEY.
//
// Spark: map. Example: map(1.0, '2', 3.0, '4')
func Map(entries ...any) expr.MapValue { return expr.Call[expr.MapValue]("map", entries...) }

// MapConcat puts maps together. A key that two of them have raises DUPLICATED_MAP_KEY.
//
// Spark: map_concat. Example: map_concat(map(1, 'a', 2, 'b'), map(3, 'c'))
func MapConcat(maps ...any) expr.AnyValue { return expr.Call[expr.AnyValue]("map_concat", maps...) }

// MapContainsKey tells whether the map has the key.
//
// Spark: map_contains_key. Example: map_contains_key(map(1, 'a', 2, 'b'), 1)
func MapContainsKey(m any, key any) expr.AnyValue {
	return expr.Call[expr.AnyValue]("map_contains_key", m, key)
}

// MapEntries is the array of the map's entries: structs of key and value.
//
// Spark: map_entries. Example: map_entries(map(1, 'a', 2, 'b'))
func MapEntries(m any) expr.AnyValue { return expr.Call[expr.AnyValue]("map_entries", m) }

// MapFilter keeps the entries for which a function of key and value is true.
//
// Spark: map_filter. Example: map_filter(map(1, 0, 2, 2, 3, -1), (k, v) -> k > v)
func MapFilter(m any, f any) expr.AnyValue { return expr.Call[expr.AnyValue]("map_filter", m, f) }

// MapFromArrays makes a map of an array of keys and one of values, which must be as long.
//
// Spark: map_from_arrays. Example: map_from_arrays(array(1.0, 3.0), array('2', '4'))
func MapFromArrays(keys any, values any) expr.MapValue {
	return expr.Call[expr.MapValue]("map_from_arrays", keys, values)
}

// MapFromEntries makes a map of an array of structs of a key and a value; null when one of the structs is.
//
// Spark: map_from_entries. Example: map_from_entries(array(struct(1, 'a'), struct(2, 'b')))
func MapFromEntries(entries any) expr.MapValue {
	return expr.Call[expr.MapValue]("map_from_entries", entries)
}

// MapKeys is the array of the map's keys.
//
// Spark: map_keys. Example: map_keys(map(1, 'a', 2, 'b'))
func MapKeys(m any) expr.AnyValue { return expr.Call[expr.AnyValue]("map_keys", m) }

// MapValues is the array of the map's values, in the order of the keys.
//
// Spark: map_values. Example: map_values(map(1, 'a', 2, 'b'))
func MapValues(m any) expr.AnyValue { return expr.Call[expr.AnyValue]("map_values", m) }

// MapZipWith is what a function gives for each key of either map and its values in both, null where a map has it not.
//
// Spark: map_zip_with. Example: map_zip_with(map(1, 'a'), map(1, 'x'), (k, v1, v2) -> concat(v1, v2))
func MapZipWith(a any, b any, f any) expr.MapValue {
	return expr.Call[expr.MapValue]("map_zip_with", a, b, f)
}

// StrToMap reads a map from a text: Java regular expressions part the pairs (a comma by default) and keys from values (a colon). A key without value has a null.
//
// Spark: str_to_map. Example: str_to_map('a:1,b:2,c:3', ',', ':')
func StrToMap(s any, pairs ...any) expr.MapValue {
	return expr.Call[expr.MapValue]("str_to_map", append([]any{s}, pairs...)...)
}

// TransformKeys puts what a function of key and value gives in the place of each key. It must give neither null nor a key twice.
//
// Spark: transform_keys. Example: transform_keys(map(1, 1, 2, 2), (k, v) -> k + 1)
func TransformKeys(m any, f any) expr.AnyValue {
	return expr.Call[expr.AnyValue]("transform_keys", m, f)
}

// TransformValues puts what a function of key and value gives in the place of each value.
//
// Spark: transform_values. Example: transform_values(map(1, 1, 2, 2), (k, v) -> v + 1)
func TransformValues(m any, f any) expr.AnyValue {
	return expr.Call[expr.AnyValue]("transform_values", m, f)
}

// Coalesce is the first of the values that is not null.
//
// Spark: coalesce. Example: coalesce(NULL, 1)
func Coalesce(values ...any) expr.AnyValue { return expr.Call[expr.AnyValue]("coalesce", values...) }

// IsNaN tells whether a FLOAT or DOUBLE is not a number; false for null.
//
// Spark: isnan. Example: isnan(double('NaN'))
func IsNaN(a any) expr.BooleanValue { return expr.Call[expr.BooleanValue]("isnan", a) }

// IsNotNull tells whether the value is not null; it is never null itself.
//
// Spark: {0} IS NOT NULL. Example: isnotnull(NULL)
func IsNotNull(a any) expr.BooleanValue { return expr.Call[expr.BooleanValue]("isnotnull", a) }

// IsNull tells whether the value is null; it is never null itself.
//
// Spark: {0} IS NULL. Example: isnull(NULL)
func IsNull(a any) expr.BooleanValue { return expr.Call[expr.BooleanValue]("isnull", a) }

// NaNvl is the value, or b where it is NaN.
//
// Spark: nanvl. Example: nanvl(cast('NaN' AS DOUBLE), 123)
func NaNvl(a any, b any) expr.NumericValue { return expr.Call[expr.NumericValue]("nanvl", a, b) }

// NullIf is null where both sides are equal, else the value.
//
// Spark: nullif. Example: nullif(2, 2)
func NullIf(a any, b any) expr.AnyValue { return expr.Call[expr.AnyValue]("nullif", a, b) }

// NullIfZero is the number, or null where it is zero.
//
// Spark: nullifzero. Example: nullifzero(0)
func NullIfZero(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("nullifzero", a) }

// Nvl is the value, or b where it is null.
//
// Spark: nvl. Example: nvl(NULL, array('2'))
func Nvl(a any, b any) expr.AnyValue { return expr.Call[expr.AnyValue]("nvl", a, b) }

// Ifnull is [Nvl] under another name of Spark's, ifnull.
func Ifnull(a any, b any) expr.AnyValue { return expr.Call[expr.AnyValue]("nvl", a, b) }

// Nvl2 is b where the first value is not null, else c.
//
// Spark: nvl2. Example: nvl2(NULL, 2, 1)
func Nvl2(a any, b any, c any) expr.AnyValue { return expr.Call[expr.AnyValue]("nvl2", a, b, c) }

// ZeroIfNull is the number, or zero where it is null; narrow integers become an INT.
//
// Spark: zeroifnull. Example: zeroifnull(NULL)
func ZeroIfNull(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("zeroifnull", a) }

// Abs is the absolute value. The least integer of a type raises ARITHMETIC_OVERFLOW under ANSI.
//
// Spark: abs. Example: abs(-1)
func Abs(a any) expr.AnyValue { return expr.Call[expr.AnyValue]("abs", a) }

// Acos is the angle in radians whose cosine is the value; NaN outside -1 to 1.
//
// Spark: acos. Example: acos(1)
func Acos(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("acos", a) }

// Acosh is the inverse hyperbolic cosine; NaN below 1.
//
// Spark: acosh. Example: acosh(1)
func Acosh(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("acosh", a) }

// Asin is the angle in radians whose sine is the value; NaN outside -1 to 1.
//
// Spark: asin. Example: asin(0)
func Asin(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("asin", a) }

// Asinh is the inverse hyperbolic sine.
//
// Spark: asinh. Example: asinh(0)
func Asinh(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("asinh", a) }

// Atan is the angle in radians whose tangent is the value.
//
// Spark: atan. Example: atan(0)
func Atan(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("atan", a) }

// Atan2 is the angle in radians between the positive x-axis and the point (x, y); a minus zero counts as zero.
//
// Spark: atan2. Example: atan2(0, 0)
func Atan2(y any, x any) expr.NumericValue { return expr.Call[expr.NumericValue]("atan2", y, x) }

// Atanh is the inverse hyperbolic tangent; NaN outside -1 to 1.
//
// Spark: atanh. Example: atanh(0)
func Atanh(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("atanh", a) }

// Bin writes a BIGINT in base 2, a negative one by its 64 bits.
//
// Spark: bin. Example: bin(13)
func Bin(n any) expr.StringValue { return expr.Call[expr.StringValue]("bin", n) }

// BRound rounds half to even to a literal number of digits behind the point, 0 by default; a negative number rounds before it.
//
// Spark: bround. Example: bround(2.5, 0)
func BRound(a any, digits ...any) expr.AnyValue {
	return expr.Call[expr.AnyValue]("bround", append([]any{a}, digits...)...)
}

// Cbrt is the cube root, of negative numbers too.
//
// Spark: cbrt. Example: cbrt(27.0)
func Cbrt(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("cbrt", a) }

// Ceil is the least whole number that is not less: BIGINT, or a decimal for a decimal.
//
// Spark: ceil. Example: ceil(-0.1)
func Ceil(a any) expr.AnyValue { return expr.Call[expr.AnyValue]("ceil", a) }

// Ceiling is [Ceil] under another name of Spark's, ceiling.
func Ceiling(a any) expr.AnyValue { return expr.Call[expr.AnyValue]("ceil", a) }

// Conv writes a number of one base in another, both from 2 to 36; for a negative base the result is signed. What follows the last digit is left out. Beyond 64 bits it raises ARITHMETIC_OVERFLOW under ANSI.
//
// Spark: conv. Example: conv('100', 2, 10)
func Conv(number any, from any, to any) expr.StringValue {
	return expr.Call[expr.StringValue]("conv", number, from, to)
}

// Cos is the cosine of an angle in radians.
//
// Spark: cos. Example: cos(0)
func Cos(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("cos", a) }

// Cosh is the hyperbolic cosine.
//
// Spark: cosh. Example: cosh(0)
func Cosh(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("cosh", a) }

// Cot is the cotangent of an angle in radians: 1 / tan.
//
// Spark: cot. Example: cot(1)
func Cot(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("cot", a) }

// Csc is the cosecant of an angle in radians: 1 / sin.
//
// Spark: csc. Example: csc(1)
func Csc(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("csc", a) }

// Degrees turns radians into degrees.
//
// Spark: degrees. Example: degrees(3.141592653589793)
func Degrees(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("degrees", a) }

// E is Euler's number.
//
// Spark: e. Example: e()
func E() expr.NumericValue { return expr.Call[expr.NumericValue]("e") }

// Exp is e to the power of the value.
//
// Spark: exp. Example: exp(0)
func Exp(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("exp", a) }

// Expm1 is exp(a) - 1, exact near zero.
//
// Spark: expm1. Example: expm1(0)
func Expm1(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("expm1", a) }

// Factorial is the product of the numbers from 1 to n; null outside 0 to 20.
//
// Spark: factorial. Example: factorial(5)
func Factorial(n any) expr.NumericValue { return expr.Call[expr.NumericValue]("factorial", n) }

// Floor is the greatest whole number that is not greater: BIGINT, or a decimal for a decimal.
//
// Spark: floor. Example: floor(-0.1)
func Floor(a any) expr.AnyValue { return expr.Call[expr.AnyValue]("floor", a) }

// Greatest is the greatest of the values that are not null.
//
// Spark: greatest. Example: greatest(10, 9, 2)
func Greatest(values ...any) expr.AnyValue { return expr.Call[expr.AnyValue]("greatest", values...) }

// Hex writes a BIGINT, or the bytes of a text or binary, in hexadecimal digits of upper case.
//
// Spark: hex. Example: hex(17)
func Hex(n any) expr.StringValue { return expr.Call[expr.StringValue]("hex", n) }

// Hypot is sqrt(a² + b²) without an overflow on the way.
//
// Spark: hypot. Example: hypot(3, 4)
func Hypot(a any, b any) expr.NumericValue { return expr.Call[expr.NumericValue]("hypot", a, b) }

// Least is the least of the values that are not null.
//
// Spark: least. Example: least(10, 9, 2)
func Least(values ...any) expr.AnyValue { return expr.Call[expr.AnyValue]("least", values...) }

// Ln is the natural logarithm; null of zero and below.
//
// Spark: ln. Example: ln(1)
func Ln(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("ln", a) }

// Log is the logarithm of a to a base, or with one argument its natural logarithm; null where the base or a is zero or below.
//
// Spark: log. Example: log(10, 100)
func Log(base any, a ...any) expr.NumericValue {
	return expr.Call[expr.NumericValue]("log", append([]any{base}, a...)...)
}

// Log10 is the logarithm to base 10; null of zero and below.
//
// Spark: log10. Example: log10(10)
func Log10(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("log10", a) }

// Log1p is the natural logarithm of 1 + a, exact near zero; null of -1 and below.
//
// Spark: log1p. Example: log1p(0)
func Log1p(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("log1p", a) }

// Log2 is the logarithm to base 2; null of zero and below.
//
// Spark: log2. Example: log2(2)
func Log2(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("log2", a) }

// MonotonicallyIncreasingId is a number that grows from row to row, with gaps between partitions.
//
// Spark: monotonically_increasing_id. Example: monotonically_increasing_id()
func MonotonicallyIncreasingId() expr.NumericValue {
	return expr.Call[expr.NumericValue]("monotonically_increasing_id")
}

// Pi is the number π.
//
// Spark: pi. Example: pi()
func Pi() expr.NumericValue { return expr.Call[expr.NumericValue]("pi") }

// PMod is the remainder that is not negative for a positive divisor. A zero divisor raises REMAINDER_BY_ZERO under ANSI and is null otherwise.
//
// Spark: pmod. Example: pmod(-10, 3)
func PMod(a any, b any) expr.AnyValue { return expr.Call[expr.AnyValue]("pmod", a, b) }

// Positive is the value itself.
//
// Spark: positive. Example: positive(1)
func Positive(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("positive", a) }

// Power is the value to the power of b.
//
// Spark: power. Example: power(2, 3)
func Power(a any, b any) expr.NumericValue { return expr.Call[expr.NumericValue]("power", a, b) }

// Pow is [Power] under another name of Spark's, pow.
func Pow(a any, b any) expr.NumericValue { return expr.Call[expr.NumericValue]("power", a, b) }

// Radians turns degrees into radians.
//
// Spark: radians. Example: radians(180)
func Radians(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("radians", a) }

// Rand is a random number from 0 up to 1, not included. With a seed the sequence depends on Spark's partitions, so the local engine refuses one.
//
// Spark: rand. Example: rand()
func Rand(seed ...any) expr.NumericValue { return expr.Call[expr.NumericValue]("rand", seed...) }

// Random is [Rand] under another name of Spark's, random.
func Random(seed ...any) expr.NumericValue { return expr.Call[expr.NumericValue]("rand", seed...) }

// Randn is a random number of the standard normal distribution. With a seed the sequence depends on Spark's partitions, so the local engine refuses one.
//
// Spark: randn. Example: randn()
func Randn(seed ...any) expr.NumericValue { return expr.Call[expr.NumericValue]("randn", seed...) }

// Rint is the nearest whole number as a DOUBLE, the even one of two.
//
// Spark: rint. Example: rint(12.3456)
func Rint(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("rint", a) }

// Round rounds half away from zero to a literal number of digits behind the point, 0 by default; a negative number rounds before it.
//
// Spark: round. Example: round(2.5, 0)
func Round(a any, digits ...any) expr.AnyValue {
	return expr.Call[expr.AnyValue]("round", append([]any{a}, digits...)...)
}

// Sec is the secant of an angle in radians: 1 / cos.
//
// Spark: sec. Example: sec(0)
func Sec(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("sec", a) }

// Sign is -1.0, 0.0 or 1.0 by the sign of the value.
//
// Spark: sign. Example: sign(40)
func Sign(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("sign", a) }

// Signum is [Sign] under another name of Spark's, signum.
func Signum(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("sign", a) }

// Sin is the sine of an angle in radians.
//
// Spark: sin. Example: sin(0)
func Sin(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("sin", a) }

// Sinh is the hyperbolic sine.
//
// Spark: sinh. Example: sinh(0)
func Sinh(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("sinh", a) }

// Sqrt is the square root; NaN of a negative number.
//
// Spark: sqrt. Example: sqrt(4)
func Sqrt(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("sqrt", a) }

// Tan is the tangent of an angle in radians.
//
// Spark: tan. Example: tan(0)
func Tan(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("tan", a) }

// Tanh is the hyperbolic tangent.
//
// Spark: tanh. Example: tanh(0)
func Tanh(a any) expr.NumericValue { return expr.Call[expr.NumericValue]("tanh", a) }

// TryAdd is the sum, or null where it overflows its type.
//
// Spark: try_add. Example: try_add(2147483647, 1)
func TryAdd(a any, b any) expr.NumericValue { return expr.Call[expr.NumericValue]("try_add", a, b) }

// TryDivide is the quotient, a DOUBLE or a decimal, or null where the divisor is zero or the result overflows.
//
// Spark: try_divide. Example: try_divide(1, 0)
func TryDivide(a any, b any) expr.NumericValue {
	return expr.Call[expr.NumericValue]("try_divide", a, b)
}

// TryMod is the remainder with the sign of the left side, or null where the divisor is zero.
//
// Spark: try_mod. Example: try_mod(2, 0)
func TryMod(a any, b any) expr.NumericValue { return expr.Call[expr.NumericValue]("try_mod", a, b) }

// TryMultiply is the product, or null where it overflows its type.
//
// Spark: try_multiply. Example: try_multiply(2147483647, 2)
func TryMultiply(a any, b any) expr.NumericValue {
	return expr.Call[expr.NumericValue]("try_multiply", a, b)
}

// TrySubtract is the difference, or null where it overflows its type.
//
// Spark: try_subtract. Example: try_subtract(-2147483648, 1)
func TrySubtract(a any, b any) expr.NumericValue {
	return expr.Call[expr.NumericValue]("try_subtract", a, b)
}

// Unhex reads bytes from hexadecimal digits, a single first one as its byte; null where another character is among them.
//
// Spark: unhex. Example: unhex('537061726B2053514C')
func Unhex(s any) expr.BinaryValue { return expr.Call[expr.BinaryValue]("unhex", s) }

// UUID is a random UUID of version 4 in its text of 36 characters.
//
// Spark: uuid. Example: uuid()
func UUID() expr.StringValue { return expr.Call[expr.StringValue]("uuid") }

// WidthBucket is the number of the bucket, of equally wide ones from low to high, that the value falls into: 0 below them, one more than their number above. It is null where there are no buckets: a number of them below 1, equal or infinite bounds, NaN.
//
// Spark: width_bucket. Example: width_bucket(5.3, 0.2, 10.6, 5)
func WidthBucket(value any, low any, high any, buckets any) expr.AnyValue {
	return expr.Call[expr.AnyValue]("width_bucket", value, low, high, buckets)
}

// Mod is the remainder, with the sign of the left side. A zero divisor raises REMAINDER_BY_ZERO under ANSI and is null otherwise.
//
// Spark: {0} % {1}. Example: -7 % 3
func Mod(a any, b any) expr.AnyValue { return expr.Call[expr.AnyValue]("%", a, b) }

// Mul is the product. Decimals add up their digits, bounded to 38.
//
// Spark: {0} * {1}. Example: 2 * 3
func Mul(a any, b any) expr.AnyValue { return expr.Call[expr.AnyValue]("*", a, b) }

// Add is the sum. Integers keep the wider type and raise ARITHMETIC_OVERFLOW past its range under ANSI, decimals gain a digit.
//
// Spark: {0} + {1}. Example: 1 + 2
func Add(a any, b any) expr.AnyValue { return expr.Call[expr.AnyValue]("+", a, b) }

// Sub is the difference, with the types of a sum.
//
// Spark: {0} - {1}. Example: 1 - 2
func Sub(a any, b any) expr.AnyValue { return expr.Call[expr.AnyValue]("-", a, b) }

// Div is the quotient, a DOUBLE or a decimal. Division by zero raises DIVIDE_BY_ZERO under ANSI and is null otherwise.
//
// Spark: {0} / {1}. Example: 7 / 2
func Div(a any, b any) expr.AnyValue { return expr.Call[expr.AnyValue]("/", a, b) }

// Lt tells whether the left side is less; null when either is null. NaN is greater than every number.
//
// Spark: {0} < {1}. Example: 1 < 2
func Lt(a any, b any) expr.BooleanValue { return expr.Call[expr.BooleanValue]("<", a, b) }

// Le tells whether the left side is less or equal; null when either is null.
//
// Spark: {0} <= {1}. Example: 2 <= 2
func Le(a any, b any) expr.BooleanValue { return expr.Call[expr.BooleanValue]("<=", a, b) }

// EqNullSafe tells whether both sides are equal, where null equals null; it is never null.
//
// Spark: {0} <=> {1}. Example: NULL <=> NULL
func EqNullSafe(a any, b any) expr.BooleanValue { return expr.Call[expr.BooleanValue]("<=>", a, b) }

// EqualNull is [EqNullSafe] under another name of Spark's, equal_null.
func EqualNull(a any, b any) expr.BooleanValue { return expr.Call[expr.BooleanValue]("<=>", a, b) }

// NotEq tells whether the sides differ; null when either is null.
//
// Spark: {0} <> {1}. Example: 1 <> 2
func NotEq(a any, b any) expr.BooleanValue { return expr.Call[expr.BooleanValue]("<>", a, b) }

// Eq tells whether both sides are equal; null when either is null. NaN equals NaN, and -0.0 equals 0.0.
//
// Spark: {0} = {1}. Example: 1 = 1
func Eq(a any, b any) expr.BooleanValue { return expr.Call[expr.BooleanValue]("=", a, b) }

// Gt tells whether the left side is greater; null when either is null. NaN is greater than every number.
//
// Spark: {0} > {1}. Example: 2 > 1
func Gt(a any, b any) expr.BooleanValue { return expr.Call[expr.BooleanValue](">", a, b) }

// Ge tells whether the left side is greater or equal; null when either is null.
//
// Spark: {0} >= {1}. Example: 2 >= 2
func Ge(a any, b any) expr.BooleanValue { return expr.Call[expr.BooleanValue](">=", a, b) }

// And is true when both sides are; false when one is false, null or not.
//
// Spark: {0} AND {1}. Example: true AND NULL
func And(a any, b any) expr.BooleanValue { return expr.Call[expr.BooleanValue]("and", a, b) }

// Between tells whether the value lies between low and high, both included. It means a >= low AND a <= high, nulls too.
//
// Spark: {0} BETWEEN {1} AND {2}. Example: 2 BETWEEN 1 AND 3
func Between(a any, low any, high any) expr.BooleanValue {
	return expr.Call[expr.BooleanValue]("between", a, low, high)
}

// IntDiv is the quotient cut towards zero, a BIGINT. It takes integers and decimals.
//
// Spark: {0} div {1}. Example: -7 div 2
func IntDiv(a any, b any) expr.AnyValue { return expr.Call[expr.AnyValue]("div", a, b) }

// In tells whether the value equals one of the others; null when it equals none and a null is among them.
//
// Spark: {0} IN ({1*}). Example: 2 IN (1, 2)
func In(a any, value any, values ...any) expr.BooleanValue {
	return expr.Call[expr.BooleanValue]("in", append([]any{a, value}, values...)...)
}

// Negative is the value with the other sign. The least integer of a type raises ARITHMETIC_OVERFLOW under ANSI.
//
// Spark: - {0}. Example: negative(1)
func Negative(a any) expr.AnyValue { return expr.Call[expr.AnyValue]("negative", a) }

// Not is the opposite; null stays null.
//
// Spark: NOT {0}. Example: NOT true
func Not(a any) expr.BooleanValue { return expr.Call[expr.BooleanValue]("not", a) }

// Or is true when one side is, null or not; false when both are false.
//
// Spark: {0} OR {1}. Example: true OR NULL
func Or(a any, b any) expr.BooleanValue { return expr.Call[expr.BooleanValue]("or", a, b) }

// Concat joins texts, or arrays; null when one of them is.
//
// Spark: concat. Example: concat('Spark', 'SQL')
func Concat(values ...any) expr.AnyValue { return expr.Call[expr.AnyValue]("concat", values...) }

// Contains tells whether part occurs in the text.
//
// Spark: contains. Example: contains('Spark SQL', 'Spark')
func Contains(s any, part any) expr.BooleanValue {
	return expr.Call[expr.BooleanValue]("contains", s, part)
}

// EndsWith tells whether the text ends in suffix.
//
// Spark: endswith. Example: endswith('Spark SQL', 'SQL')
func EndsWith(s any, suffix any) expr.BooleanValue {
	return expr.Call[expr.BooleanValue]("endswith", s, suffix)
}

// InStr is the position of part's first occurrence, counted from 1; 0 when there is none.
//
// Spark: instr. Example: instr('SparkSQL', 'SQL')
func InStr(s any, part any) expr.NumericValue { return expr.Call[expr.NumericValue]("instr", s, part) }

// Length is the number of code points of a text, or of bytes of a binary.
//
// Spark: length. Example: length('Spark SQL ')
func Length(s any) expr.NumericValue { return expr.Call[expr.NumericValue]("length", s) }

// Like matches an SQL pattern: _ is one code point, % any number of them, a backslash takes the next character as it is.
//
// Spark: {0} LIKE {1}. Example: 'Spark' LIKE '_park'
func Like(s any, pattern any) expr.BooleanValue {
	return expr.Call[expr.BooleanValue]("like", s, pattern)
}

// Lower is the text in lower case.
//
// Spark: lower. Example: lower('SparkSql')
func Lower(s any) expr.StringValue { return expr.Call[expr.StringValue]("lower", s) }

// LPad fills the text from the left with pad up to len code points, or cuts it to them.
//
// Spark: lpad. Example: lpad('hi', 5, '??')
func LPad(s any, lenArg any, pad any) expr.StringValue {
	return expr.Call[expr.StringValue]("lpad", s, lenArg, pad)
}

// LTrim is the text without the blanks (U+0020) at its start.
//
// Spark: ltrim. Example: ltrim('  SparkSQL  ')
func LTrim(s any) expr.StringValue { return expr.Call[expr.StringValue]("ltrim", s) }

// RegexpReplace puts by in the place of every match of a Java regular expression; $1 stands for its first group.
//
// Spark: regexp_replace. Example: regexp_replace('100-200', '([0-9]+)', 'num')
func RegexpReplace(s any, pattern any, by any) expr.StringValue {
	return expr.Call[expr.StringValue]("regexp_replace", s, pattern, by)
}

// Repeat is the text n times over; empty when n is zero or less.
//
// Spark: repeat. Example: repeat('123', 2)
func Repeat(s any, n any) expr.StringValue { return expr.Call[expr.StringValue]("repeat", s, n) }

// Replace puts by (nothing by default) in the place of every occurrence of search.
//
// Spark: replace. Example: replace('ABCabc', 'abc', 'DEF')
func Replace(s any, search any, by ...any) expr.StringValue {
	return expr.Call[expr.StringValue]("replace", append([]any{s, search}, by...)...)
}

// Reverse is the text backwards, by code points, or the array.
//
// Spark: reverse. Example: reverse('Spark SQL')
func Reverse(s any) expr.AnyValue { return expr.Call[expr.AnyValue]("reverse", s) }

// RLike tells whether a Java regular expression finds something in the text.
//
// Spark: rlike. Example: rlike('abc', 'b+')
func RLike(s any, pattern any) expr.BooleanValue {
	return expr.Call[expr.BooleanValue]("rlike", s, pattern)
}

// RPad fills the text from the right with pad up to len code points, or cuts it to them.
//
// Spark: rpad. Example: rpad('hi', 5, '??')
func RPad(s any, lenArg any, pad any) expr.StringValue {
	return expr.Call[expr.StringValue]("rpad", s, lenArg, pad)
}

// RTrim is the text without the blanks (U+0020) at its end.
//
// Spark: rtrim. Example: rtrim('  SparkSQL  ')
func RTrim(s any) expr.StringValue { return expr.Call[expr.StringValue]("rtrim", s) }

// Split cuts the text at every match of a Java regular expression.
//
// Spark: split. Example: split('oneAtwoBthreeC', '[ABC]')
func Split(s any, pattern any) expr.ArrayValue {
	return expr.Call[expr.ArrayValue]("split", s, pattern)
}

// StartsWith tells whether the text begins with prefix.
//
// Spark: startswith. Example: startswith('Spark SQL', 'Spark')
func StartsWith(s any, prefix any) expr.BooleanValue {
	return expr.Call[expr.BooleanValue]("startswith", s, prefix)
}

// Substring is the part from position pos, counted from 1 or, when negative, from the end, of at most len code points.
//
// Spark: substring. Example: substring('Spark SQL', 5, 1)
func Substring(s any, pos any, lenArg ...any) expr.StringValue {
	return expr.Call[expr.StringValue]("substring", append([]any{s, pos}, lenArg...)...)
}

// Trim is the text without the blanks (U+0020) at both ends.
//
// Spark: trim. Example: trim('  SparkSQL  ')
func Trim(s any) expr.StringValue { return expr.Call[expr.StringValue]("trim", s) }

// Upper is the text in upper case by Unicode's full rules: ß becomes SS.
//
// Spark: upper. Example: upper('SparkSql')
func Upper(s any) expr.StringValue { return expr.Call[expr.StringValue]("upper", s) }

// NamedStruct makes a struct of names and values in turn.
//
// Spark: named_struct. Example: named_struct('a', 1)
func NamedStruct(fields ...any) expr.StructValue {
	return expr.Call[expr.StructValue]("named_struct", fields...)
}

// SessionWindow assigns a row to the session of event time that it is part of: rows whose times are at most the gap apart, and the gap behind the last one. A row whose gap is null or not above zero is left out.
//
// Spark: session_window. Example: session_window(TIMESTAMP'2021-01-01 00:00:00', '5 minutes')
func SessionWindow(t any, gap any) expr.WindowValue {
	return expr.Call[expr.WindowValue]("session_window", t, gap)
}

// TimeWindow assigns a row to its windows of event time, closed at the start and open at the end. Rows without a time are left out.
//
// Spark: window. Example: window(TIMESTAMP'2021-01-01 00:00:00', '5 minutes')
func TimeWindow(t any, size any, slide ...any) expr.WindowValue {
	return expr.Call[expr.WindowValue]("window", append([]any{t, size}, slide...)...)
}

// WindowTime is the last microsecond of a window; it keeps the watermark.
//
// Spark: window_time. Example: window_time(window)
func WindowTime(w any) expr.TimestampValue { return expr.Call[expr.TimestampValue]("window_time", w) }

// CumeDist is the share of the partition's rows that come before the row or are equal to it in the order, above 0.0 up to 1.0.
//
// Spark: cume_dist. Example: cume_dist() OVER (ORDER BY 1)
func CumeDist() expr.NumericValue { return expr.Call[expr.NumericValue]("cume_dist") }

// DenseRank is the rank without gaps, from 1 as in SQL; Ibis counts from 0.
//
// Spark: dense_rank. Example: dense_rank() OVER (ORDER BY 1)
func DenseRank() expr.NumericValue { return expr.Call[expr.NumericValue]("dense_rank") }

// Lag is the value a number of rows before (1 by default), or the default (NULL by default) where there is no such row. A negative offset looks ahead. With IgnoreNulls only rows with a value count.
//
// Spark: lag. Example: lag(1) OVER (ORDER BY 1)
func Lag(a any, offset ...any) expr.AnyValue {
	return expr.Call[expr.AnyValue]("lag", append([]any{a}, offset...)...)
}

// Lead is the value a number of rows behind (1 by default), or the default (NULL by default) where there is no such row. A negative offset looks back. With IgnoreNulls only rows with a value count.
//
// Spark: lead. Example: lead(1) OVER (ORDER BY 1)
func Lead(a any, offset ...any) expr.AnyValue {
	return expr.Call[expr.AnyValue]("lead", append([]any{a}, offset...)...)
}

// NthValue is the value of the frame's n-th row, from 1 as in SQL; null where the frame is shorter. Ibis counts from 0. With IgnoreNulls only rows with a value count.
//
// Spark: nth_value. Example: nth_value(1, 1) OVER (ORDER BY 1)
func NthValue(a any, n any) expr.AnyValue { return expr.Call[expr.AnyValue]("nth_value", a, n) }

// Ntile is the number of the row's bucket when the partition is dealt in order into so many buckets of sizes as equal as can be, the greater first; from 1 as in SQL, Ibis counts from 0.
//
// Spark: ntile. Example: ntile(2) OVER (ORDER BY 1)
func Ntile(buckets any) expr.NumericValue { return expr.Call[expr.NumericValue]("ntile", buckets) }

// PercentRank is the share of the partition's other rows that come before the row, from 0.0 to 1.0; 0.0 where the row is alone.
//
// Spark: percent_rank. Example: percent_rank() OVER (ORDER BY 1)
func PercentRank() expr.NumericValue { return expr.Call[expr.NumericValue]("percent_rank") }

// Rank is one more than the number of rows before the row in the order; equal rows have one rank, and the next is behind a gap. It counts from 1 as in SQL; Ibis counts from 0.
//
// Spark: rank. Example: rank() OVER (ORDER BY 1)
func Rank() expr.NumericValue { return expr.Call[expr.NumericValue]("rank") }

// RowNumber is the row's number in its partition, from 1; equal rows are numbered in any order. Ibis counts from 0.
//
// Spark: row_number. Example: row_number() OVER (ORDER BY 1)
func RowNumber() expr.NumericValue { return expr.Call[expr.NumericValue]("row_number") }
