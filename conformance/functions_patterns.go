package conformance

import "github.com/spoonbill-go/spoonbill/expr"

func init() {
	for name, lists := range patternCombinations {
		combinations[name] = lists
	}
}

// patternCombinations are the argument lists of the functions that read and write by datetime patterns; [patternCases] has many patterns more, a row each.
var patternCombinations = map[string][][]any{
	"date_format": {{col("ts"), "G y yy yyy yyyy yyyyy M MM MMM MMMM d dd D DD DDD E EEEE F"}, {col("ts"), "Q QQ QQQ QQQQ q qqqq L LLL LLLL a h hh K KK k kk H HH m s SSS SSSSSSSSS"}, {col("ts"), "X XX XXX x xx xxx Z ZZZZ ZZZZZ O OOOO VV"},
		{col("dt"), "yyyy-MM-dd'T'HH:mm:ss[.SSS]"}, {col("ntz"), "EEE, d MMM yyyy HH:mm:ss"}, {col("ts"), ""}, {col("ts"), nil}, {col("ts"), "YYYY"}, {col("ts"), "A"}, {col("ts"), "bad 'quote"}, {col("ts"), "QQQQQ"}, {col("ts"), col("t")}},
	"to_date":           {{"2024-02-29"}, {"nonsense"}, {"29.02.2024", "dd.MM.yyyy"}, {"20260229", "yyyyMMdd"}, {col("s"), "yyyy"}, {col("dt")}, {col("ts"), "yyyy"}, {col("ntz")}, {"2024-02-29 x", "yyyy-MM-dd"}, {"2024", nil}, {col("s")}, {"2024 E", "yyyy E"}, {"1", "Q"}},
	"try_to_date":       {{"2024-02-29"}, {"nonsense"}, {"29.02.2024", "dd.MM.yyyy"}, {"20260229", "yyyyMMdd"}, {col("s"), "yyyy"}, {col("dt")}, {col("ts"), "yyyy"}, {"2024", nil}, {col("s")}, {"2024", "YYYY"}},
	"to_timestamp":      {{"2024-02-29 12:34:56.789+02:00"}, {"nonsense"}, {"29 Feb 2024 1:02 pm", "d MMM yyyy h:mm a"}, {"2024-02-30", "yyyy-MM-dd"}, {col("s"), "yyyy"}, {col("dt")}, {col("ts"), "yyyy"}, {col("ntz")}, {"2024-02-29 12:34 Europe/Berlin", "yyyy-MM-dd HH:mm VV"}, {"2024", nil}, {col("s")}},
	"try_to_timestamp":  {{"2024-02-29 12:34:56.789+02:00"}, {"nonsense"}, {"29 Feb 2024 1:02 pm", "d MMM yyyy h:mm a"}, {"2024-02-30", "yyyy-MM-dd"}, {col("s"), "yyyy"}, {col("dt")}, {col("ts"), "yyyy"}, {"2024", nil}, {col("s")}, {"x", "aa"}},
	"to_timestamp_ltz":  {{"2024-02-29 12:34:56.789+02:00"}, {"nonsense"}, {"29 Feb 2024 1:02 pm", "d MMM yyyy h:mm a"}, {"2024-02-30", "yyyy-MM-dd"}, {col("dt")}, {col("ts")}, {col("ntz"), "x"}, {col("s"), nil}},
	"to_timestamp_ntz":  {{"2024-02-29 12:34:56.789+02:00"}, {"nonsense"}, {"29 Feb 2024 1:02 pm", "d MMM yyyy h:mm a"}, {"2024-02-30", "yyyy-MM-dd"}, {col("dt")}, {col("ts")}, {"2024-02-29 12:34+05:30", "yyyy-MM-dd HH:mmXXX"}, {col("s"), nil}, {col("ntz"), "x"}},
	"unix_timestamp":    {{"2024-02-29 12:34:56"}, {"2024-02-29"}, {"2024-02-29", "yyyy-MM-dd"}, {col("ts")}, {col("dt")}, {col("ntz")}, {col("s"), "yyyy"}, {"1969-12-31 23:59:59.5", "yyyy-MM-dd HH:mm:ss.S"}, {col("ts"), nil}, {"2024", nil}},
	"to_unix_timestamp": {{"2024-02-29 12:34:56"}, {"2024-02-29"}, {"2024-02-29", "yyyy-MM-dd"}, {col("ts")}, {col("dt")}, {col("ntz")}, {col("s"), "yyyy"}, {"2024", nil}},
	"from_unixtime":     {{col("i")}, {col("i8"), "yyyy-MM-dd'T'HH:mm:ss.SSSXXX"}, {0}, {int64(-62135596800)}, {int64(253402300799), "yyyyMMdd"}, {col("l")}, {nil}, {0, nil}, {0, "aa"}, {col("i16"), "E d"}},
}

// patternTexts are texts with the pattern that reads them, or does not.
var patternTexts = [][2]string{{"2024-02-29 pm", "yyyy-MM-dd a"}, {"2024-02-29 03 PM", "yyyy-MM-dd hh a"}, {"2024-02-29 03 pm", "yyyy-MM-dd KK a"}, {"2024-02-29 12 am", "yyyy-MM-dd hh a"}, {"2024-02-29 03", "yyyy-MM-dd hh"}, {"2024-02-29t03", "yyyy-MM-dd'T'HH"}, {"29 feb 2024", "d MMM yyyy"},
	{"29 February 2024", "d MMMM yyyy"}, {"29 FEBRUARY 2024", "d LLLL yyyy"}, {"29 Feb 2024", "d MMMM yyyy"}, {"29 February 2024", "d MMM yyyy"}, {"5 2024", "L yyyy"}, {"44 BC", "y G"}, {"0044 ad", "yyyy G"}, {"2024 Anno Domini", "yyyy GGGG"}, {"44-02-29 BC", "y-MM-dd G"}, {"45-02-28 BC", "y-MM-dd G"},
	{"0 AD", "y G"}, {"02-29", "MM-dd"}, {"02-28", "MM-dd"}, {"60", "D"}, {"2024 60", "yyyy D"}, {"2024 060", "yyyy DDD"}, {"2024 366", "yyyy DDD"}, {"2023 366", "yyyy DDD"}, {"2024 060 02", "yyyy DDD MM"}, {"2024 060 03", "yyyy DDD MM"}, {"2024-02-29 060", "yyyy-MM-dd DDD"}, {"2024-02-28 060", "yyyy-MM-dd DDD"}, {"24", "yy"}, {"99", "yy"},
	{"1.5", "M.d"}, {"2024-02-29 12:34:56 GMT+8", "yyyy-MM-dd HH:mm:ss O"}, {"2024-02-29 12:34:56 GMT-8:30", "yyyy-MM-dd HH:mm:ss O"}, {"2024-02-29 12:34:56 GMT+08:00", "yyyy-MM-dd HH:mm:ss OOOO"}, {"2024-02-29 12:34:56 GMT", "yyyy-MM-dd HH:mm:ss O"}, {"2024-02-29 12:34:56 gmt+08:00", "yyyy-MM-dd HH:mm:ss OOOO"},
	{"2024-02-29 12:34:56 Europe/Berlin", "yyyy-MM-dd HH:mm:ss VV"}, {"2024-02-29 12:34:56 europe/berlin", "yyyy-MM-dd HH:mm:ss VV"}, {"2024-02-29 12:34:56 +02:00", "yyyy-MM-dd HH:mm:ss VV"}, {"2024-02-29 12:34:56 UTC+01:00", "yyyy-MM-dd HH:mm:ss VV"}, {"2024-02-29 12:34:56 Z", "yyyy-MM-dd HH:mm:ss VV"},
	{"2024-02-29 12:34:56+02", "yyyy-MM-dd HH:mm:ssX"}, {"2024-02-29 12:34:56+0230", "yyyy-MM-dd HH:mm:ssX"}, {"2024-02-29 12:34:56z", "yyyy-MM-dd HH:mm:ssX"}, {"2024-02-29 12:34:56+02:30", "yyyy-MM-dd HH:mm:ssXX"}, {"2024-02-29 12:34:56+02:30:15", "yyyy-MM-dd HH:mm:ssXXXXX"}, {"2024-02-29 12:34:56Z", "yyyy-MM-dd HH:mm:ssx"},
	{"2024-02-29 12:34:56.1", "yyyy-MM-dd HH:mm:ss.SSS"}, {"2024-02-29 12:34:56.123456", "yyyy-MM-dd HH:mm:ss.SSSSSS"}, {"2024-02-29 12:34:56.1234", "yyyy-MM-dd HH:mm:ss.SSS"}, {"2024-02-29 12:34:56.", "yyyy-MM-dd HH:mm:ss.SSS"}, {"2024-02-29 12:34:56", "yyyy-MM-dd HH:mm:ss[.SSS]"}, {"2024-02-29 12:34:56.123456789", "yyyy-MM-dd HH:mm:ss.SSSSSSSSS"},
	{"2024-02-29 24:00:00", "yyyy-MM-dd HH:mm:ss"}, {"2024-02-29 24", "yyyy-MM-dd kk"}, {"2024-02-29 0", "yyyy-MM-dd k"}, {"2024-02-29 12:60:00", "yyyy-MM-dd HH:mm:ss"}, {"2024-02-29 12:00:60", "yyyy-MM-dd HH:mm:ss"}, {"2024-2-9", "yyyy-MM-dd"}, {"2024-2-9", "yyyy-M-d"}, {"20240229123456", "yyyyMMddHHmmss"}, {"2024229", "yyyyMdd"}, {"20240229", "yMMdd"},
	{"2024-02-30", "yyyy-MM-dd"}, {"", "yyyy-MM-dd"}, {"2024-02-29", ""}, {"", ""}, {"12345-02-28", "yyyy-MM-dd"}, {"+12345-02-28", "yyyy-MM-dd"}, {"+2024-02-28", "yyyy-MM-dd"}, {"-0044-02-28", "yyyy-MM-dd"}, {"-44", "y"}, {"+44", "y"}, {"-044", "yyy"}, {"13:00 AM 2024", "HH:mm a yyyy"}, {"13:00 PM 2024", "HH:mm a yyyy"}, {"2024-02-29 12:34:56 +0530", "yyyy-MM-dd HH:mm:ss Z"},
	{"2024-02-29 12:34:56 Z", "yyyy-MM-dd HH:mm:ss Z"}, {"2024-02-29 12:34:56 GMT+05:30", "yyyy-MM-dd HH:mm:ss ZZZZ"}, {"2024-02-29 12:34:56 Z", "yyyy-MM-dd HH:mm:ss ZZZZZ"}, {"2024-02-29 12:34:56 UTC", "yyyy-MM-dd HH:mm:ss z"}, {"2024-02-29 12:34:56 +05:30", "yyyy-MM-dd HH:mm:ss z"}, {"2024 Z", "yyyy 'Z'"}, {"2024 'x", "yyyy '''x'"}, {"2024 02 2024", "yyyy MM yyyy"}, {"2024 02 2025", "yyyy MM yyyy"},
	{"2024-02-29 3 15", "yyyy-MM-dd h H"}, {"2024-02-29 4 15", "yyyy-MM-dd h H"}, {"２０２４", "yyyy"}, {" 2024", "yyyy"}, {"2024 ", "yyyy"}, {"2024-13-01", "yyyy-MM-dd"}, {"2024-00-01", "yyyy-MM-dd"}, {"1582-10-10", "yyyy-MM-dd"}, {"9999-12-31 23:59:59.999999", "yyyy-MM-dd HH:mm:ss.SSSSSS"}, {"30", "mm"}, {"1", "M"}, {"12:30", "HH:mm[:ss]"}, {"x", "yyyy"}, {"123", "yyyy"}}

// patternFormats are patterns of which each makes a text of its own.
var patternFormats = []string{"G|GG|GGG|GGGG", "y|yy|yyy|yyyy|yyyyy|yyyyyy", "G y yy yyyy", "M|MM|MMM|MMMM|L|LL|LLL|LLLL", "Q|QQ|QQQ|QQQQ|q|qq|qqq|qqqq", "E|EE|EEE|EEEE|a", "F", "D|DD|DDD|d|dd", "h|hh|H|HH|k|kk|K|KK|m|mm|s|ss", "S|SS|SSS|SSSSSS|SSSSSSSSS", "z|zzzz|O|OOOO|v|vvvv|VV",
	"X|XX|XXX|XXXX|XXXXX|x|xx|xxx|xxxx|xxxxx|Z|ZZ|ZZZ|ZZZZ|ZZZZZ", "[yyyy", "[yyyy-]MM", "MMM'o''clock'", "''yy''", "", "yyyy年MM月", "'[quoted]' d", "g"}

// patternCases read and write by many patterns, one a row.
func patternCases() []Case {
	texts := make([][]any, len(patternTexts))
	for i, p := range patternTexts {
		texts[i] = []any{i, p[0], p[1]}
	}
	read := tables("texts", mustFields("id INT, s STRING, p STRING"), texts)
	s, p := read.Str("s"), read.Str("p")
	in := read.Select("id", expr.Call[expr.AnyValue]("try_to_timestamp", s, p).As("ts"), expr.Call[expr.AnyValue]("try_to_date", s, p).As("d"))
	off := read.Select("id", expr.Call[expr.AnyValue]("to_timestamp_ntz", s, p).As("ntz"), expr.Call[expr.AnyValue]("unix_timestamp", s, p).As("u"))

	var rows [][]any
	for i, p := range patternFormats {
		rows = append(rows, []any{i, p})
	}
	formats := tables("formats", mustFields("k INT, p STRING"), rows)
	v := Values()
	out := v.CrossJoin(formats)
	written := out.Select(out.Num("id"), out.Num("k"), expr.Call[expr.AnyValue]("date_format", out.Timestamp("ts"), out.Str("p")).As("r"))
	return []Case{
		{Name: "time: texts by patterns", Ordered: true, Table: in.OrderBy("id"), Stream: &in},
		{Name: "time: texts by patterns, ANSI off", NoANSI: true, Ordered: true, Table: off.OrderBy("id"), Stream: &off},
		{Name: "time: formats", Ordered: true, Table: written.OrderBy("id", "k")},
	}
}

// intervalCastCases cast to and from intervals.
func intervalCastCases() []Case {
	v := Values()
	types := []string{"INTERVAL YEAR TO MONTH", "INTERVAL YEAR", "INTERVAL MONTH", "INTERVAL DAY TO SECOND", "INTERVAL DAY", "INTERVAL HOUR", "INTERVAL MINUTE TO SECOND", "INTERVAL SECOND"}
	var out []Case
	for _, c := range []string{"i8", "i", "l", "n", "big", "s", "span", "months"} {
		cols := []any{"id"}
		for _, ddl := range types {
			t := mustFields("x " + ddl)[0].Type
			if x := v.Col(c).TryCast(t).As(ddl); v.Select(x).Err() == nil {
				cols = append(cols, x)
			}
		}
		u := v.Select(cols...)
		out = append(out, Case{Name: "time: TRY_CAST(" + c + " AS intervals)", Ordered: true, Table: u.OrderBy("id"), Stream: &u})
	}
	texts := []string{"1-2", "-1-2", "+1-2", "1-13", "13", "-13", "", "x", "INTERVAL '1-2' YEAR TO MONTH", "interval -'1-2' year to month", "INTERVAL '5' DAY", "5", " 5 ", "1 02:03:04", "1 02:03:04.123456789", "-1 02:03:04.5", "1 02:03", "05", "61", "178956970-7", "178956970-8", "02:03:04", "59:59.999999", "-0.5", "1.5", "106751991 04:00:54.775807"}
	var rows [][]any
	for i, s := range texts {
		rows = append(rows, []any{i, s})
	}
	words := tables("words", mustFields("id INT, s STRING"), rows)
	cols := []any{"id"}
	for _, ddl := range types {
		cols = append(cols, words.Col("s").TryCast(mustFields("x " + ddl)[0].Type).As(ddl))
	}
	u := words.Select(cols...)
	out = append(out, Case{Name: "time: TRY_CAST(texts AS intervals)", Ordered: true, Table: u.OrderBy("id"), Stream: &u})
	for _, c := range []struct{ text, ddl string }{{"x", "INTERVAL YEAR"}, {"1-13", "INTERVAL YEAR TO MONTH"}, {"x", "INTERVAL DAY TO SECOND"}, {"5", "INTERVAL DAY TO SECOND"}} {
		for _, off := range []bool{false, true} {
			name := "time: CAST('" + c.text + "' AS " + c.ddl + ")"
			if off {
				name += ", ANSI off"
			}
			w := tables("w", mustFields("s STRING"), [][]any{{c.text}})
			x := w.Select(w.Col("s").Cast(mustFields("x " + c.ddl)[0].Type).As("r"))
			out = append(out, Case{Name: name, NoANSI: off, Ordered: true, Table: x, Stream: &x})
		}
	}
	big := v.Select("id", v.Num("l").Cast(mustFields("x INTERVAL DAY")[0].Type).As("r"))
	return append(out, Case{Name: "time: CAST(l AS INTERVAL DAY)", Ordered: true, Table: big.OrderBy("id")})
}

// TemporalCases are the cases of dates, times and intervals that hold many texts or types in one query.
func TemporalCases() []Case {
	v := Values()
	now := v.Select("id", expr.Call[expr.BooleanValue]("=", expr.Call[expr.AnyValue]("localtimestamp"), expr.Call[expr.AnyValue]("localtimestamp")).As("r"))
	return append(append(patternCases(), intervalCastCases()...), Case{Name: "time: localtimestamp is one instant", Ordered: true, Table: now.OrderBy("id"), Stream: &now})
}
