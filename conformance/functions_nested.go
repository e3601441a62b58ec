package conformance

import (
	"math"
	"time"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Shorthands for the argument lists of functions over arrays and maps.
type (
	num   = expr.NumericValue
	str   = expr.StringValue
	boole = expr.BooleanValue
	value = expr.Value
	anyV  = expr.AnyValue
)

func fnOf(name string, args ...any) expr.AnyValue { return expr.Call[expr.AnyValue](name, args...) }

func init() {
	for name, lists := range nestedCombinations() {
		combinations[name] = lists
	}
	excused["shuffle"] = "has no fixed answer; a relational case sorts it"
}

// nestedCombinations are the argument lists of functions over arrays, maps and structs: over columns of [Values] with null and empty ones,
// numbers with NaN and both zeros, texts, arrays within arrays, and structs.
func nestedCombinations() map[string][][]any {
	var (
		a, m  = col("a"), col("m")
		ds    = fnOf("array", expr.Num("d"), 0.0, math.Copysign(0, -1), math.NaN(), nil, expr.Num("d"))
		full  = fnOf("array", fnOf("coalesce", expr.Num("d"), 1.0), 0.0, math.Copysign(0, -1)) // no nulls, but a NaN
		fs    = fnOf("array", expr.Num("f"), expr.Num("f"), float32(0))
		ss    = fnOf("array", expr.Str("s"), expr.Str("t"), "ß", nil)
		words = fnOf("split", expr.Str("s"), "")
		deep  = fnOf("array", expr.Array("a"), []int{1, 2}, expr.Array("a"))
		flat  = fnOf("array", fnOf("coalesce", expr.Array("a"), []int{9}), []any{nil, 2})
		sts   = fnOf("array", expr.Struct("st"), expr.Struct("st"))
		ns    = fnOf("array", expr.Num("n"), expr.Num("n"), expr.Decimal("1.00").Cast(datatype.Decimal{Precision: 12, Scale: 2}))
		bools = fnOf("array", expr.Bool("b"), true, nil)
		bins  = fnOf("array", expr.Binary("bin"), []byte("x"))
		days  = fnOf("array", expr.Date("dt"), expr.Date("dt"), nil)
		noA   = expr.Null(datatype.Array{Elem: datatype.Int, ContainsNull: true})
		long  = fnOf("sequence", 1, 100)
		byD   = fnOf("map", fnOf("coalesce", expr.Num("d"), 5.0), expr.Num("i"))
		byN   = fnOf("map", fnOf("coalesce", expr.Num("i"), 77), expr.Str("s"), 78, "x")
		bySt  = fnOf("map", fnOf("named_struct", "p", expr.Num("i"), "q", expr.Str("t")), expr.Array("a"))
	)
	increase := func(x num) value { return x.Add(1) }
	return map[string][][]any{
		"size":            {{a}, {m}, {ss}, {deep}, {[]int{}}, {words}, {byN}},
		"array_size":      {{a}, {ss}, {deep}, {[]int{}}, {words}, {noA}},
		"array_contains":  {{a, 3}, {a, col("i")}, {ds, 0.0}, {ds, math.NaN()}, {ss, col("t")}, {deep, []int{1, 2}}, {a, int64(7)}, {sts, col("st")}, {bools, false}, {words, "a"}, {full, 1.0}},
		"array_append":    {{a, 4}, {a, nil}, {a, col("i")}, {a, int64(5)}, {ss, "x"}, {deep, []int{7}}, {full, 2.0}, {full, col("d")}, {sts, col("st")}, {a, 1.5}},
		"array_prepend":   {{a, 4}, {a, nil}, {a, col("i")}, {a, int64(5)}, {ss, "x"}, {deep, []int{7}}, {full, 2.0}, {full, col("d")}},
		"array_insert":    {{a, 1, 9}, {a, 2, col("i")}, {a, 5, nil}, {a, -1, 9}, {a, -2, 9}, {a, -6, 9}, {a, col("i8"), 9}, {ss, 3, "x"}, {a, 0, 1}, {full, 2, 7.0}, {a, expr.Null(datatype.Int), 3}, {a, 2, int64(8)}, {[]int{1, 2, 3}, -4, 0}, {[]int{1, 2, 3}, 2147483647, 0}},
		"array_compact":   {{a}, {ds}, {ss}, {deep}, {full}, {bools}, {sts}, {[]int{}}},
		"array_distinct":  {{a}, {ds}, {ss}, {deep}, {full}, {fs}, {ns}, {bools}, {bins}, {sts}, {words}, {days}, {fnOf("concat", long, long)}, {fnOf("array", fnOf("array", math.Copysign(0, -1)), []float64{0})}},
		"array_union":     {{a, []int{3, 1}}, {a, a}, {ds, []float64{0, 7}}, {ss, []string{"SQL", "q"}}, {deep, deep}, {a, []int64{7, 7}}, {full, ds}, {fs, fs}, {ns, ns}, {bools, []bool{true}}, {long, long}, {a, noA}, {bins, bins}},
		"array_intersect": {{a, []int{3, 1}}, {a, a}, {ds, []float64{0, 7}}, {ss, []string{"SQL", "ß"}}, {deep, deep}, {a, []int64{7, 7}}, {full, ds}, {ds, full}, {fs, fs}, {ns, ns}, {bools, []bool{true}}, {long, []int{50, 7}}, {a, []any{nil, 7}}},
		"array_except":    {{a, []int{3, 1}}, {a, a}, {ds, []float64{0, 7}}, {ss, []string{"SQL", "ß"}}, {deep, deep}, {a, []int64{7, 7}}, {full, ds}, {ds, full}, {fs, []float32{0}}, {ns, ns}, {bools, []bool{true}}, {long, []int{50, 7}}, {a, []any{nil}}},
		"arrays_overlap":  {{a, []int{3, 1}}, {a, a}, {ds, []float64{0}}, {ss, []string{"SQL"}}, {deep, deep}, {a, []int64{7, 7}}, {a, []any{nil}}, {full, []float64{7}}, {a, []int{}}, {long, a}, {[]int{1}, []int{2}}},
		"array_join":      {{ss, ","}, {ss, ", ", "?"}, {words, ""}, {a, "-"}, {words, col("t")}, {ss, ",", nil}, {ss, nil}, {[]string{}, ","}, {[]any{nil, "a", nil}, ","}, {[]any{nil, nil}, ",", "∅"}},
		"array_max":       {{a}, {ds}, {ss}, {deep}, {full}, {fs}, {ns}, {bools}, {bins}, {sts}, {days}, {words}},
		"array_min":       {{a}, {ds}, {ss}, {deep}, {full}, {fs}, {ns}, {bools}, {bins}, {sts}, {days}, {words}},
		"array_position":  {{a, 3}, {a, col("i")}, {ds, 0.0}, {ds, math.NaN()}, {ss, col("t")}, {deep, []int{1, 2}}, {a, int64(7)}, {sts, col("st")}, {bools, false}, {a, nil}},
		"array_remove":    {{a, 3}, {a, col("i")}, {ds, 0.0}, {ds, math.NaN()}, {ss, col("t")}, {deep, []int{1, 2}}, {a, int64(7)}, {sts, col("st")}, {bools, true}, {a, expr.Null(datatype.Int)}},
		"array_repeat":    {{col("i"), 2}, {col("s"), 3}, {col("s"), fnOf("size", expr.Array("a"))}, {a, 2}, {nil, 2}, {1, 0}, {1, -5}, {"x", nil}, {col("d"), expr.Num("i8").Cast(datatype.Int)}, {col("st"), 1}, {1, 2147483647}},
		"array_sort": {{a}, {ds}, {ss}, {deep}, {full}, {fs}, {ns}, {bools}, {sts}, {days}, {words}, {fnOf("reverse", long)},
			{a, func(x, y num) value { return expr.If(x.Lt(y), expr.Lit(1).AsNumeric(), -1) }},
			{a, func(x, y num) value {
				return expr.Case().When(x.IsNull(), -1).When(y.IsNull(), 1).When(x.Gt(y), -1).When(x.Lt(y), 1).Else(0).AsNumeric()
			}},
			{words, func(x, y str) value {
				return expr.Case().When(x.Length().Lt(y.Length()), -1).When(x.Gt(y), 1).When(x.Eq(y), 0).Else(-1)
			}},
			{long, func(x, y num) value { return y.Mod(7).Sub(x.Mod(7)) }},
			{full, func(x, y num) value { return expr.If(x.Lt(y), expr.Lit(-1).AsNumeric(), 1) }},
			{deep, func(x, y expr.ArrayValue) value { return fnOf("coalesce", x.Size().Sub(y.Size()), 0) }},
			{a, func(x, y num) value { return expr.Null(datatype.Int) }},
			{[]int{3, 1, 2}, func(x, y num) value { return x.Sub(y).Add(expr.Num("i8").Mul(0)) }}},
		"sort_array":     {{a}, {a, false}, {ds}, {ds, false}, {ss, true}, {ss, false}, {deep}, {full}, {full, false}, {fs}, {ns, false}, {bools}, {sts, false}, {days}, {words}, {fnOf("reverse", long)}, {[]float64{0, math.Copysign(0, -1)}}, {fnOf("array", 0.0, math.Copysign(0, -1))}},
		"arrays_zip":     {{a, a}, {a, ss}, {a, []int{1, 2}}, {words, a, ds}, {a}, {deep, sts}, {fnOf("array", 1), fnOf("array")}},
		"element_at":     {{a, 1}, {a, -1}, {ss, 2}, {ss, -4}, {[]int{1, 2, 3}, 3}, {a, 0}, {a, col("i8")}, {m, "a"}, {m, col("t")}, {byN, 10}, {byD, 0.0}, {byD, math.NaN()}, {words, 1}, {bySt, fnOf("named_struct", "p", 10, "q", "b%c")}, {byN, int64(78)}, {full, -1}, {full, 2}},
		"try_element_at": {{a, 1}, {a, -1}, {ss, 5}, {ss, -4}, {[]int{1, 2, 3}, 4}, {a, 0}, {m, "a"}, {m, col("t")}, {byN, 10}, {byD, 0.0}, {words, 20}, {a, -4}, {deep, 2}},
		"get":            {{a, 0}, {a, 2}, {a, -1}, {ss, 1}, {a, col("i8")}, {deep, 1}, {words, 3}, {full, 0}, {a, nil}, {[]int{1, 2}, 1}, {[]int{1, 2}, 2}},
		"flatten":        {{deep}, {flat}, {fnOf("array", words, words)}, {fnOf("array", deep, deep)}, {fnOf("array", []int{}, []int{1})}, {fnOf("array", full, full)}, {[]any{[]int{1}, nil}}},
		"slice":          {{a, 1, 2}, {a, 2, 5}, {a, -2, 1}, {a, -2, 9}, {ss, 2, 2}, {a, 9, 1}, {a, -9, 20}, {a, 0, 1}, {a, 1, -1}, {a, 1, col("i8")}, {a, 2, 2147483647}, {words, 3, 0}, {deep, -1, 1}, {full, 1, 2}, {a, nil, 1}},
		"sequence": {{1, 5}, {5, 1}, {3, 3}, {1, 10, 3}, {10, 1, -4}, {0, col("i8")}, {col("i8"), 3}, {int64(1), 4}, {int8(1), int8(3)}, {1, 5, -1}, {1, 5, 0}, {3, 3, 0}, {int64(math.MaxInt64 - 1), int64(math.MaxInt64)}, {int64(math.MinInt64), int64(math.MaxInt64)},
			{1, nil}, {int8(120), int8(127), int8(5)}, {0, int64(math.MaxInt64)}},
		"reverse": {{col("s")}, {col("t")}, {a}, {ss}, {deep}, {words}, {full}, {noA}},
		"concat":  append(combinations["concat"], [][]any{{a, a}, {a, []int64{5}}, {ss, words}, {deep, deep}, {full, ds}, {full, full}, {a, noA}, {a}, {a, []int{}, a}, {a, []float64{1.5}}}...),

		"transform": {{a, increase}, {a, func(x num) value { return x.Add(expr.Num("i8")) }}, {a, func(x, i num) value { return x.Mul(i) }}, {ss, func(x str) value { return x.Upper() }},
			{deep, func(x expr.ArrayValue) value {
				return x.Map(func(y num) value { return y.Add(x.Size()).Add(expr.Num("id")) })
			}}, {words, func(x str) value { return x.IsNull() }}, {full, func(x num) value { return x.Div(2) }},
			{sts, func(x expr.StructValue) value { return x.Field("x") }}, {a, func(x num) value { return expr.Lit("k") }}, {[]int{2147483647}, increase}, {a, func(x num) value { return fnOf("/", 1, x) }}, {[]int{1, 2}, func(x num) value { return expr.Num("i8") }},
			{a, func(x num) value { return fnOf("array", x, x) }}, {[]int{1, 2}, increase}, {bools, func(x boole) value { return x.Not() }}, {noA, increase}, {a, func(x, i anyV) value { return i }},
			{deep, func(x expr.ArrayValue, i num) value {
				return x.Filter(func(y, j num) value { return j.Ge(i) })
			}}},
		"filter": {{a, func(x num) value { return x.Gt(3) }}, {a, func(x, i num) value { return i.Eq(0) }}, {ss, func(x str) value { return x.NotNull() }}, {ds, func(x num) value { return x.IsNaN() }}, {a, func(x num) value { return x.Eq(expr.Num("i")) }},
			{deep, func(x expr.ArrayValue) value { return x.Size().Gt(1) }}, {words, func(x str) value { return x.Ge("a") }}, {a, func(x num) value { return expr.Null(datatype.Boolean) }}, {full, func(x num) value { return expr.Lit(true) }}, {a, func(x num) value { return fnOf("/", 1, x).AsNumeric().Gt(0) }},
			{[]int{1, 2, 3}, func(x num) value { return x.Gt(1) }}, {[]int{1, 2, 3}, func(x num) value { return x.Gt(expr.Num("i8")) }}, {sts, func(x expr.StructValue) value { return x.Field("y").IsNull() }}},
		"exists": {{a, func(x num) value { return x.Gt(3) }}, {ss, func(x str) value { return x.Eq("ß") }}, {ss, func(x str) value { return x.IsNull() }}, {ds, func(x num) value { return x.IsNaN() }}, {a, func(x num) value { return x.Eq(expr.Num("i")) }},
			{deep, func(x expr.ArrayValue) value { return fnOf("exists", x, func(y num) value { return y.Eq(5) }) }}, {[]int{1, 0}, func(x num) value { return fnOf("/", 1, x).AsNumeric().Gt(0) }}, {[]int{0, 1}, func(x num) value { return fnOf("/", 1, x).AsNumeric().Gt(0) }}, {a, func(x num) value { return expr.Null(datatype.Boolean) }},
			{[]int{}, func(x num) value { return x.Gt(1) }}, {full, func(x num) value { return x.Eq(1) }}},
		"forall": {{a, func(x num) value { return x.Gt(3) }}, {ss, func(x str) value { return x.Eq("ß") }}, {ss, func(x str) value { return x.NotNull() }}, {ds, func(x num) value { return x.IsNaN() }}, {a, func(x num) value { return x.Eq(expr.Num("i")) }},
			{deep, func(x expr.ArrayValue) value { return x.Size().Gt(1) }}, {[]int{1, 0}, func(x num) value { return fnOf("/", 1, x).AsNumeric().Lt(0) }}, {[]int{0, 1}, func(x num) value { return fnOf("/", 1, x).AsNumeric().Lt(0) }}, {a, func(x num) value { return expr.Null(datatype.Boolean) }},
			{[]int{}, func(x num) value { return x.Gt(1) }}, {full, func(x num) value { return x.Ge(-1e300) }}},
		"aggregate": {{a, 0, func(acc, x num) value { return acc.Add(x) }}, {a, 0, func(acc, x num) value { return acc.Add(expr.Coalesce(x, 0)) }}, {a, 0, func(acc, x num) value { return acc.Add(expr.Coalesce(x, 0)) }, func(acc num) value { return acc.Mul(10) }},
			{ss, "", func(acc, x str) value { return acc.Concat(expr.Coalesce(x, "-")) }}, {a, col("i8"), func(acc, x num) value { return acc.Cast(datatype.Byte) }}, {[]int{2147483647, 1}, 0, func(acc, x num) value { return acc.Add(x) }}, {a, nil, func(acc, x anyV) value { return acc }},
			{a, []int{}, func(acc expr.ArrayValue, x num) value { return fnOf("array_append", acc, x) }}, {deep, 0, func(acc num, x expr.ArrayValue) value {
				return acc.Add(expr.Coalesce(fnOf("aggregate", x, 0, func(b, y num) value { return b.Add(expr.Coalesce(y, 0)) }).AsNumeric(), 0))
			}},
			{a, 1.5, func(acc, x num) value { return acc.Add(expr.Num("i8")) }, func(acc num) value { return acc.IsNull() }}, {[]int{1, 2, 3}, 0, func(acc, x num) value { return acc.Add(x) }}, {[]int{1, 2, 3}, 0, func(acc, x num) value { return expr.Num("i8").Cast(datatype.Int) }},
			{long, int64(1), func(acc, x num) value { return acc.Mul(3).Add(x).Mod(1000003) }}},
		"zip_with": {{a, a, func(x, y num) value { return x.Add(y) }}, {a, []int{1, 2}, func(x, y num) value { return expr.Coalesce(x, 0).Add(expr.Coalesce(y, 0)) }}, {ss, a, func(x str, y num) value { return fnOf("concat", x, y) }}, {[]int{1, 2}, []string{"a"}, func(x num, y str) value { return fnOf("named_struct", "x", x, "y", y) }},
			{words, words, func(x, y str) value { return x.Eq(y) }}, {a, noA, func(x, y num) value { return x }}, {a, a, func(x, y num) value { return x.Add(expr.Num("id")) }}, {[]int{1}, []int{0}, func(x, y num) value { return x.Div(y) }}, {a, deep, func(x num, y expr.ArrayValue) value { return y.Contains(x) }}, {[]int{}, []int{}, func(x, y num) value { return expr.Lit(1) }}},

		"map":              {{"a", 1}, {"k", col("i")}, {fnOf("coalesce", expr.Str("s"), "?"), col("i"), "no", nil}, {1, "a", int64(2), "b"}, {col("i"), 1}, {1, 2, 1, 3}, {}, {0.0, 1, math.Copysign(0, -1), 2}, {math.Copysign(0, -1), "z"}, {math.NaN(), a, 1.5, []int{1}}, {expr.Date("dt"), 1}, {fnOf("named_struct", "p", 1), "x"}, {"a", 1, "b", 2.5}, {fnOf("array", expr.Num("i")), 1}},
		"map_from_arrays":  {{[]string{"a", "b"}, []int{1, 2}}, {[]string{"a", "b"}, fnOf("array", expr.Num("i"), 2)}, {a, a}, {[]string{"a"}, a}, {[]int{1, 1}, []int{2, 3}}, {[]any{nil, 1}, []int{2, 3}}, {[]string{}, []int{}}, {fnOf("array_distinct", words), fnOf("array_distinct", words)}, {noA, []int{1}}, {fnOf("array_distinct", full), full}, {[]float64{math.Copysign(0, -1)}, []int{1}}},
		"map_from_entries": {{fnOf("array", fnOf("named_struct", "k", 1, "v", expr.Str("s")))}, {fnOf("map_entries", expr.Map("m"))}, {fnOf("array", expr.Struct("st"))}, {fnOf("array", fnOf("named_struct", "k", fnOf("coalesce", expr.Num("i"), 0), "v", expr.Array("a")))}, {fnOf("array", fnOf("named_struct", "k", 1, "v", 2), nil)}, {fnOf("array", fnOf("named_struct", "k", 1, "v", 2), fnOf("named_struct", "k", 1, "v", 3))}, {fnOf("arrays_zip", []int{1, 2}, []string{"x", "y"})}, {fnOf("slice", fnOf("map_entries", expr.Map("m")), 1, 1)}, {fnOf("array", fnOf("named_struct", "k", math.Copysign(0, -1), "v", 1))}},
		"map_keys":         {{m}, {byN}, {byD}, {bySt}, {fnOf("map")}, {fnOf("map", "a", nil)}, {fnOf("map_concat", expr.Map("m"))}, {fnOf("map", 1.5, 2)}},
		"map_values":       {{m}, {byN}, {byD}, {bySt}, {fnOf("map")}, {fnOf("map", "a", nil)}, {fnOf("map_concat", expr.Map("m"))}, {fnOf("map", 1.5, 2)}},
		"map_entries":      {{m}, {byN}, {byD}, {bySt}, {fnOf("map")}, {fnOf("map", "a", nil)}, {fnOf("map_concat", expr.Map("m"))}, {fnOf("map", 1.5, 2)}},
		"map_contains_key": {{m, "a"}, {m, col("t")}, {byN, 10}, {byN, int64(78)}, {byD, 0.0}, {byD, math.Copysign(0, -1)}, {byD, math.NaN()}, {bySt, fnOf("named_struct", "p", 10, "q", "b%c")}, {m, expr.Null(datatype.String)}, {fnOf("map"), expr.Null(datatype.String)}},
		"map_concat":       {{m}, {m, fnOf("map", "new", 1)}, {m, fnOf("map", "n", nil)}, {m, m}, {byN, fnOf("map", 99, "y")}, {byN, fnOf("map", int64(99), "y")}, {fnOf("map", "a", 1), fnOf("map", "a", 2)}, {fnOf("map", "a", 1), fnOf("map", "b", 2.5)}, {}, {byD, fnOf("map", 123.5, 1)}, {fnOf("map_from_arrays", []float64{math.Copysign(0, -1)}, []int{1})}},
		"str_to_map":       {{"a:1,b:2"}, {"a:1,b", ","}, {"a=1;b=2", ";", "="}, {col("s"), " ", "a"}, {col("s")}, {"a:1,a:2"}, {"a1b22c", "[0-9]+", "x"}, {"a.b|c.d", "|", "."}, {""}, {"a:b:c"}, {"ab,cd", ",", ""}, {nil}, {"x:y", nil}, {col("t"), col("t"), ":"}, {"a:1,:2,c:"}, {"a||b", "||", ":"}},
		"map_filter": {{m, func(k str, v num) value { return v.Gt(1) }}, {m, func(k, v anyV) value { return v.IsNull() }}, {m, func(k str, v num) value { return k.Eq("a") }}, {byN, func(k num, v str) value { return k.Gt(50).And(v.NotNull()) }}, {byD, func(k, v num) value { return k.IsNaN() }}, {m, func(k str, v num) value { return v.Eq(expr.Num("i")) }}, {fnOf("map"), func(k, v anyV) value { return expr.Lit(true) }}, {m, func(k str, v num) value { return fnOf("/", 1, v).AsNumeric().Gt(0) }},
			{m, func(k str, v num) value { return expr.Null(datatype.Boolean) }}},
		"transform_keys": {{m, func(k str, v num) value { return k.Upper() }}, {m, func(k str, v num) value { return k.Concat("-", v) }}, {m, func(k str, v num) value { return expr.Lit("same") }}, {byN, func(k num, v str) value { return k.Mul(-1) }}, {byN, func(k num, v str) value { return expr.Lit(1) }}, {byD, func(k, v num) value { return expr.Lit(math.Copysign(0, -1)) }}, {m, func(k str, v num) value { return k.Length() }}, {m, func(k str, v num) value { return fnOf("concat", k, expr.Str("s")) }}, {fnOf("map", 1, 2), func(k, v num) value { return v }}},
		"transform_values": {{m, func(k str, v num) value { return v.Add(1) }}, {m, func(k str, v num) value { return k.Concat("-", v) }}, {m, func(k str, v num) value { return expr.Lit("same") }}, {byN, func(k num, v str) value { return v.Length().Add(k) }}, {byN, func(k num, v str) value { return expr.Num("id") }}, {byD, func(k, v num) value { return k }}, {bySt, func(k expr.StructValue, v expr.ArrayValue) value { return v.Map(func(x num) value { return x.Add(1) }) }}, {fnOf("map", 1, 2), func(k, v num) value { return v }},
			{m, func(k str, v num) value { return fnOf("/", 1, v) }}},
		"map_zip_with": {{m, m, func(k str, x, y num) value { return x.Add(y) }}, {m, fnOf("map", "a", 5, "q", 1), func(k str, x, y num) value { return expr.Coalesce(x, 0).Add(expr.Coalesce(y, 0)) }}, {fnOf("map", "a", 5, "q", 1), m, func(k str, x, y num) value { return k.Concat(":", expr.Coalesce(x, 0)) }}, {byN, fnOf("map", int64(10), 1), func(k num, x str, y num) value { return x.IsNull() }}, {byD, fnOf("map", 0.0, 1), func(k, x, y num) value { return y }}, {m, fnOf("map"), func(k str, x num, y str) value { return x }},
			{m, expr.Null(datatype.Map{Key: datatype.String, Value: datatype.Int, ValueContainsNull: true}), func(k str, x, y num) value { return x }}, {m, fnOf("map", "a", "b"), func(k str, x num, y str) value { return fnOf("named_struct", "x", x, "y", y, "i", expr.Num("i")) }}, {fnOf("map", 1, 2), fnOf("map", 1, 0), func(k, x, y num) value { return x.Div(y) }}},
		"named_struct": {{"p", col("i"), "q", col("s")}, {"a", 1}, {"a b`c", col("a"), "n", nil}, {"x", fnOf("named_struct", "y", expr.Num("i"))}, {"m", m, "st", col("st")}, {"d", col("d"), "span", 90 * time.Second}, {"k", "v", "K2", col("b")}, {"w", words}},
		"array":        {{col("i"), 1}, {col("s"), col("t")}, {col("i"), col("l"), nil}, {}, {nil, nil}, {a, a}, {col("n"), col("i")}, {m}, {col("st")}, {col("d"), 1}},
	}
}
