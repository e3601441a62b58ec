package conformance

import (
	"fmt"
	"time"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/functions"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/window"
)

// col is a column of [Values] in an argument list.
type col string

// columnsOf are the columns of [Values] that stand for a family of types.
var columnsOf = map[catalog.Family][]any{
	catalog.NumericFamily:   {col("i8"), col("i"), col("l"), col("f"), col("d"), col("n"), col("big")},
	catalog.StringFamily:    {col("s"), col("t")},
	catalog.BooleanFamily:   {col("b")},
	catalog.DateFamily:      {col("dt")},
	catalog.TimestampFamily: {col("ts")},
	catalog.IntervalFamily:  {col("span"), col("months")},
	catalog.BinaryFamily:    {col("bin")},
	catalog.ArrayFamily:     {col("a")},
	catalog.MapFamily:       {col("m")},
	catalog.StructFamily:    {col("st")},
}

// combinations are the argument lists of functions whose arguments the signature alone does not choose well.
var combinations = map[string][][]any{
	"+":              {{col("i"), col("i")}, {col("i"), 1}, {col("l"), col("i")}, {col("n"), col("big")}, {col("n"), 1}, {col("d"), col("f")}, {col("i8"), col("i8")}, {col("n"), col("d")}, {col("i16"), col("n")}, {col("big"), col("big")}, {col("i"), nil}},
	"-":              {{col("i"), col("i")}, {1, col("i")}, {col("l"), col("i")}, {col("n"), col("big")}, {col("d"), col("f")}, {col("i8"), col("i16")}, {col("n"), col("n")}},
	"*":              {{col("i"), 2}, {col("i"), col("i")}, {col("l"), col("i8")}, {col("n"), col("n")}, {col("n"), 3}, {col("n"), col("big")}, {col("big"), col("big")}, {col("d"), col("d")}, {col("f"), col("f")}, {col("n"), col("i")}},
	"/":              {{col("i"), 2}, {col("i"), col("i8")}, {col("n"), 3}, {col("n"), col("n")}, {col("big"), col("n")}, {col("d"), col("d")}, {1, col("i")}, {col("l"), col("l")}},
	"%":              {{col("i"), 3}, {col("i"), col("i8")}, {col("n"), 2}, {col("n"), col("n")}, {col("d"), 2.5}, {col("l"), -3}, {col("big"), col("n")}},
	"div":            {{col("i"), 2}, {col("i"), col("i8")}, {col("n"), 2}, {col("n"), col("big")}, {col("l"), -1}},
	"=":              {{col("i"), 10}, {col("d"), col("d")}, {col("d"), col("f")}, {col("s"), "straße"}, {col("n"), 2.5}, {col("dt"), col("ts")}, {col("bin"), []byte("x")}, {col("a"), []int{3, 3}}, {col("st"), col("st")}, {col("b"), true}, {col("span"), col("span")}, {col("s"), nil}, {col("i"), col("n")}, {col("l"), col("i")}},
	"<=>":            {{col("i"), col("i8")}, {col("d"), nil}, {col("s"), nil}, {col("d"), col("d")}, {col("a"), col("a")}, {col("d"), 0.0}},
	"<>":             {{col("i"), 10}, {col("d"), 2.5}, {col("s"), ""}, {col("n"), col("big")}},
	"<":              {{col("i"), 3}, {col("d"), col("f")}, {col("s"), col("t")}, {col("n"), col("big")}, {col("dt"), col("ts")}, {col("ts"), col("ntz")}, {col("bin"), []byte("b")}, {col("a"), []int{3}}, {col("span"), time.Hour}, {col("b"), true}, {col("st"), col("st")}},
	"<=":             {{col("i"), 3}, {col("d"), 2.5}, {col("s"), "a"}},
	">":              {{col("i"), 3}, {col("d"), 1e300}, {col("s"), "a"}, {col("months"), expr.Months(2)}},
	">=":             {{col("i"), 3}, {col("d"), 0.0}, {col("s"), "a"}},
	"between":        {{col("i"), 0, 10}, {col("d"), -1.0, 3.0}, {col("s"), "a", "z"}, {col("n"), nil, 3}, {col("dt"), col("dt"), col("ts")}},
	"in":             {{col("i"), 3, 10}, {col("s"), "straße", nil}, {col("d"), 2.5, 0.0}, {col("n"), 2.5, 12.3}, {col("i"), nil}},
	"coalesce":       {{col("i"), 0}, {col("s"), "none"}, {col("i"), col("l"), 1.5}, {nil, col("b")}, {col("dt"), col("ts")}},
	"nullif":         {{col("i"), 3}, {col("s"), ""}, {col("d"), 0.0}, {col("n"), 2.5}},
	"isnan":          {{col("d")}, {col("f")}},
	"greatest":       {{col("i"), col("i8"), 3}, {col("d"), col("f")}, {col("s"), col("t")}, {col("n"), col("big")}},
	"least":          {{col("i"), col("i8"), 3}, {col("d"), col("f")}, {col("s"), col("t")}, {col("dt"), col("dt")}},
	"round":          {{col("d"), 1}, {col("d")}, {col("n"), 1}, {col("n"), 0}, {col("n"), -1}, {col("i"), -1}, {col("i"), 1}, {col("f"), 0}, {col("big"), 4}, {col("d"), -2}},
	"power":          {{col("d"), 2}, {col("i"), 0.5}, {2, col("i8")}, {col("f"), col("i8")}},
	"concat":         {{col("s"), col("t")}, {col("s"), "-", col("i")}, {col("s")}, {col("s"), nil}, {col("ts"), "!"}, {col("d"), "x"}, {col("n"), ""}},
	"substring":      {{col("s"), 2, 3}, {col("s"), -3, 2}, {col("s"), 0, 2}, {col("s"), 3}, {col("s"), 100, 5}, {col("s"), 2, -1}, {col("s"), -100, 2}, {col("bin"), 2, 1}, {col("s"), 1, col("i8")}, {col("s"), 2, 2147483647}},
	"contains":       {{col("s"), col("t")}, {col("s"), ""}, {col("s"), "中"}},
	"startswith":     {{col("s"), "Spark"}, {col("s"), col("t")}},
	"endswith":       {{col("s"), col("t")}, {col("s"), "SQL"}},
	"replace":        {{col("s"), "a", "bb"}, {col("s"), "", "x"}, {col("s"), "a"}, {col("s"), col("t"), "-"}},
	"like":           {{col("s"), "S%L"}, {col("s"), "%a_e"}, {col("s"), "😀%"}, {col("s"), "a\\_b\\%c\\\\d'e\"f`g"}, {col("s"), ""}, {col("s"), "_%"}, {col("s"), col("t")}},
	"rlike":          {{col("s"), "[A-Z]+"}, {col("s"), "^a"}, {col("s"), "\\d{3}"}, {col("s"), "中.$"}, {col("s"), ""}, {col("s"), "(?i)sql"}},
	"regexp_replace": {{col("s"), "[a-z]+", "<$0>"}, {col("s"), "(\\w)(\\w)", "$2$1"}, {col("s"), " ", ""}, {col("s"), "x*", "-"}},
	"lpad":           {{col("s"), 5, "*"}, {col("s"), 12, "ab"}, {col("t"), 0, "x"}, {col("s"), 5, ""}, {col("t"), -1, "x"}},
	"rpad":           {{col("s"), 5, "*"}, {col("s"), 12, "ab"}, {col("s"), 5, ""}},
	"repeat":         {{col("t"), 3}, {col("t"), 0}, {col("t"), -1}},
	"instr":          {{col("s"), col("t")}, {col("s"), ""}, {col("s"), "moji"}},
	"split":          {{col("s"), " "}, {col("s"), "[aeiou]"}, {col("s"), ""}},
	"from_json": {{`{"x":1,"y":"a"}`, "x INT, y STRING"}, {`{"x":"1"}`, "x INT"}, {`{"x":1.5}`, "x INT"}, {`{"x":`, "x INT"}, {`[1,2,null]`, "ARRAY<INT>"}, {`{"a":1,"b":null}`, "MAP<STRING,INT>"},
		{`{"x":12.345,"y":true}`, "x DECIMAL(5,2), y STRING"}, {`{"X":1}`, "x INT"}, {`{"d":"2024-02-29","t":"2024-02-29T12:00:00Z"}`, "d DATE, t TIMESTAMP"}, {`{"n":{"m":[{"k":1}]}}`, "n STRUCT<m: ARRAY<STRUCT<k: INT>>>"}, {``, "x INT"}, {nil, "x INT"}, {`{"x":NaN}`, "x DOUBLE"}, {`{"x":1} junk`, "x INT"}},
	"to_json":           {{col("st")}, {col("a")}, {col("m")}},
	"named_struct":      {{"p", col("i"), "q", col("s")}},
	"array":             {{col("i"), 1}, {col("s"), col("t")}, {col("i"), col("l"), nil}},
	"array_contains":    {{col("a"), 3}, {col("a"), col("i")}},
	"date_trunc":        {{"YEAR", col("ts")}, {"quarter", col("ts")}, {"MM", col("ts")}, {"week", col("ts")}, {"DAY", col("ts")}, {"hour", col("ts")}, {"MINUTE", col("ts")}, {"second", col("ts")}, {"MILLISECOND", col("ts")}, {"nonsense", col("ts")}},
	"trunc":             {{col("dt"), "year"}, {col("dt"), "MM"}, {col("dt"), "week"}, {col("dt"), "QUARTER"}, {col("dt"), "day"}},
	"date_add":          {{col("dt"), 1}, {col("dt"), col("i8")}, {col("dt"), -366}},
	"date_sub":          {{col("dt"), 1}, {col("dt"), col("i8")}},
	"datediff":          {{col("dt"), at("2024-01-01 00:00:00")}, {at("2024-01-01 00:00:00"), col("dt")}},
	"add_months":        {{col("dt"), 1}, {col("dt"), -12}, {col("dt"), col("i8")}},
	"make_date":         {{2024, 2, 29}, {2023, 2, 29}, {col("i8"), 1, 1}, {2024, 13, 1}},
	"timestamp_seconds": {{col("i")}, {col("n")}, {col("f")}, {0}},
	"timestamp_add":     {{col("ts"), time.Hour}, {col("ts"), expr.Months(1)}, {col("ntz"), expr.Months(-1)}, {col("dt"), expr.Days(1)}, {col("dt"), expr.Months(1)}, {col("dt"), time.Minute}},
	"timestamp_sub":     {{col("ts"), time.Hour}, {col("ts"), expr.Months(1)}, {col("ntz"), 25 * time.Hour}, {col("dt"), expr.Days(1)}},
	"timestamp_diff":    {{col("ts"), at("2024-01-01 00:00:00")}, {col("dt"), col("dt")}, {col("dt"), col("ts")}, {col("ntz"), col("ntz")}},
	"year":              {{col("dt")}, {col("ts")}, {col("ntz")}},
	"window_time":       {},
	"grouping":          {},
	"grouping_id":       {},
	"count":             {{}, {col("i")}, {col("s"), col("d")}},
	"sum":               {{col("i8")}, {col("i")}, {col("n")}, {col("big")}, {col("f")}, {col("span")}, {col("months")}},
	"avg":               {{col("i8")}, {col("i")}, {col("n")}, {col("big")}, {col("span")}},
	"min":               {{col("i")}, {col("d")}, {col("s")}, {col("n")}, {col("ts")}, {col("dt")}, {col("b")}, {col("bin")}, {col("span")}, {col("a")}},
	"max":               {{col("i")}, {col("d")}, {col("s")}, {col("n")}, {col("ts")}, {col("dt")}, {col("b")}, {col("bin")}, {col("f")}},
	"first":             {{col("id")}, {col("s")}, {col("d")}},
	"last":              {{col("id")}, {col("s")}, {col("d")}},
	"collect_list":      {{col("id")}, {col("s")}, {col("b")}, {col("d")}},
	"first_value":       {{col("id")}, {col("s")}},
	"last_value":        {{col("id")}, {col("s")}},
	"ntile":             {{3}, {1}, {20}},
	"lag":               {{col("i")}, {col("s"), 2}, {col("l"), 1, 0}, {col("i8"), 1, 5}, {col("n"), 1, 1}, {col("d"), 3, col("d")}, {col("a"), 1}, {col("m"), 1}, {col("st"), 1}, {col("b"), -1, true}, {col("span"), 0}, {col("dt"), 1, at("2024-01-01 00:00:00")}},
	"lead":              {{col("i")}, {col("s"), 2}, {col("l"), 1, 0}, {col("f"), 1, 0}, {col("big"), 1, 1}, {col("ts"), 3, col("ts")}, {col("a"), 1}, {col("m"), 2}, {col("st"), 1}, {col("bin"), -1}, {col("months"), 1}},
	"nth_value":         {{col("i"), 1}, {col("s"), 3}, {col("d"), 2}, {col("st"), 2}, {col("m"), 8}, {col("b"), 9}},
}

// excused are functions that have no fixed answer, or stand only where the matrix does not put them; each is proven elsewhere.
var excused = map[string]string{
	"current_timestamp": "differs from run to run; a relational case compares it with itself",
	"current_date":      "differs from run to run; a relational case compares it with itself",
	"window":            "makes rows; the relational and streaming cases group by it",
	"session_window":    "is a grouping key only; the streaming cases group by it",
	"grouping":          "tells of grouping sets; the relational cases group by them",
	"grouping_id":       "tells of grouping sets; the relational cases group by them",
	"window_time":       "takes a window, which only a grouping gives; a relational case has it",
}

// FunctionCases makes the calls of a function: the listed argument lists, or the columns that its signatures take.
func FunctionCases(f *catalog.Function) []Case {
	v := Values()
	var out []Case
	lists, chosen := argumentLists(f)
	for i, args := range lists {
		in := make([]any, len(args))
		for j, a := range args {
			in[j] = a
			if c, ok := a.(col); ok {
				in[j] = v.Col(string(c))
			}
		}
		value := expr.Call[expr.AnyValue](f.Name, in...)
		if f.Kind == catalog.Window {
			value = value.Over(window.Over().OrderBy("id"))
		}
		value = value.As("r")
		u := v.Select("id", value)
		t := u.OrderBy("id")
		if f.Kind == catalog.Aggregate {
			// One partition and a filter make the order of rows the same everywhere.
			u = v.Filter(v.Num("id").NotEq(2), v.Num("id").NotEq(3)).GroupBy("b").Agg(value)
			t = u.OrderBy("b")
		}
		if !chosen && t.Err() != nil {
			continue // the column stands for a family that holds more than the signature takes
		}
		out = append(out, Case{Ordered: true, Name: fmt.Sprintf("%02d %s", i+1, caseText(v, f, in)), Table: t, Stream: &u})
	}
	return out
}

func caseText(table expr.Table, f *catalog.Function, args []any) string {
	v := expr.Call[expr.AnyValue](f.Name, args...)
	if f.Kind == catalog.Window {
		v = v.Over(window.Over().OrderBy("id"))
	}
	n, err := table.Select(v.As("r")).Relation()
	if err != nil {
		return f.Name + " (refused)"
	}
	e := n.(*tree.Project).Columns[0].Expr
	if o, ok := e.(*tree.Over); ok { // an aggregate outside Agg
		e = o.Func
	}
	return tree.String(e)
}

// argumentLists gives the argument lists of a function, and whether they were chosen by hand.
func argumentLists(f *catalog.Function) ([][]any, bool) {
	if l, ok := combinations[f.Name]; ok {
		return l, true
	}
	if excused[f.Name] != "" {
		return nil, true
	}
	var out [][]any
	for _, s := range f.Signatures() {
		lists := [][]any{{}}
		for _, p := range s.Params {
			if p.Optional || p.Variadic {
				break
			}
			var next [][]any
			for _, l := range lists {
				for _, c := range candidates(p) {
					next = append(next, append(l[:len(l):len(l)], c))
				}
			}
			lists = next
		}
		out = append(out, lists...)
	}
	return out, false
}

func candidates(p catalog.Param) []any {
	if c := columnsOf[p.Family()]; len(c) > 0 {
		return c
	}
	return []any{col("i"), col("s"), col("d"), col("dt"), col("ts"), col("ntz"), col("b"), col("n"), col("a"), col("bin"), col("span")}
}

// castTargets are the types that everything is cast to.
var castTargets = []datatype.Type{datatype.Boolean, datatype.Byte, datatype.Short, datatype.Int, datatype.Long, datatype.Float, datatype.Double, datatype.Decimal{Precision: 10, Scale: 2},
	datatype.Decimal{Precision: 38, Scale: 10}, datatype.String, datatype.Binary, datatype.Date, datatype.Timestamp, datatype.TimestampNTZ}

// castTexts are texts that some cast reads and another does not.
var castTexts = []string{"1", " 1 ", "1.5", "-0", "1e3", "abc", "", "true", "T", "yes", "0", "99999999999999999999", "NaN", "Infinity", "-inf", "2024-02-29", "2024-2-9", "2024", "2024-02-30",
	"2024-02-29 12:34:56.789", "2024-02-29T12:34:56Z", "2024-02-29 12:34:56+05:30", "0x10", "1L", "1d", ".5", "5.", "+7", "１", "1 2", "-5.99", "128", "1e400", "2024-02-29 24:00:00", "10000-01-01"}

// casts are the pairs of types whose casts are compared, over all rows of [Values] and over texts. What gives null instead of an error is compared for
// all targets in one query; a cast that may raise is a query of its own.
func casts() []Case {
	v := Values()
	texts := make([][]any, len(castTexts))
	for i, t := range castTexts {
		texts[i] = []any{i, t}
	}
	words := tables("texts", mustFields("id INT, s STRING"), texts)
	var out []Case
	all := func(name string, from expr.Table, column string, noANSI bool) {
		in := from.Col(column)
		cols := []any{"id"}
		for _, t := range castTargets {
			value := in.TryCast(t)
			if noANSI {
				value = in.Cast(t)
			}
			if value = value.As(t.String()); from.Select(value).Err() == nil { // else Spark refuses the pair too
				cols = append(cols, value)
			}
		}
		u := from.Select(cols...)
		out = append(out, Case{Name: name, Ordered: true, NoANSI: noANSI, Table: u.OrderBy("id"), Stream: &u})
	}
	for _, c := range []string{"b", "i8", "i", "l", "f", "d", "n", "big", "s", "bin", "dt", "ts", "ntz", "span", "months", "a", "m", "st"} {
		all("TRY_CAST("+c+")", v, c, false)
		all("ANSI off: CAST("+c+")", v, c, true)
		for _, t := range castTargets {
			u := v.Select("id", v.Col(c).Cast(t).As("r"))
			if u.Err() == nil {
				out = append(out, Case{Name: fmt.Sprintf("CAST(%s AS %s)", c, t), Ordered: true, Table: u.OrderBy("id"), Stream: &u})
			}
		}
	}
	all("TRY_CAST(texts)", words, "s", false)
	all("ANSI off: CAST(texts)", words, "s", true)
	return out
}

// functionsAsMethods shows that methods and functions of package functions build the same nodes.
func functionsAsMethods(v expr.Table) [][2]expr.Value {
	return [][2]expr.Value{
		{v.Str("s").Upper(), functions.Upper(v.Str("s"))},
		{v.Num("i").Add(1), functions.Add(v.Num("i"), 1)},
		{v.Date("dt").Year(), functions.Year(v.Date("dt"))},
		{v.Num("n").Sum(), functions.Sum(v.Num("n"))},
	}
}
