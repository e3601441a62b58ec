package conformance

import (
	"math"
	"time"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

func init() {
	for name, lists := range timeCombinations {
		combinations[name] = lists
	}
	for name, reason := range timeExcused {
		excused[name] = reason
	}
	raising = append(raising, "next_day", "timestampadd", "from_utc_timestamp", "to_utc_timestamp", "convert_timezone", "make_timestamp", "try_make_timestamp", "make_timestamp_ltz", "try_make_timestamp_ltz", "make_timestamp_ntz",
		"interval_add", "interval_sub", "interval_div", "interval_negate", "make_ym_interval", "make_dt_interval", "make_interval", "try_make_interval",
		"date_format", "to_date", "try_to_date", "to_timestamp", "try_to_timestamp", "to_timestamp_ltz", "to_timestamp_ntz", "unix_timestamp", "to_unix_timestamp", "from_unixtime")
}

// timeExcused are the functions of dates and times without a fixed answer.
var timeExcused = map[string]string{
	"localtimestamp": "differs from run to run; a relational case compares it with itself",
}

// typed is a text as a literal of another type: an interval, or a TIMESTAMP_NTZ.
func typed(text, ddl string) expr.Value {
	t, err := datatype.Parse(ddl)
	if err != nil {
		panic(err) // invariant: the texts are constants of the tests
	}
	return expr.Lit(text).Cast(t)
}

// dates gives each argument list for a date and each kind of time stamp, with what follows.
func dates(before, after []any) [][]any {
	var out [][]any
	for _, c := range []col{"dt", "ts", "ntz"} {
		out = append(out, append(append(append([]any{}, before...), c), after...))
	}
	return out
}

// each makes an argument list of each value, with what stands before and behind it.
func each(before []any, values []any, after ...any) [][]any {
	var out [][]any
	for _, v := range values {
		out = append(out, append(append(append([]any{}, before...), v), after...))
	}
	return out
}

func lists(parts ...[][]any) [][]any {
	var out [][]any
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

var calendarDays = dates(nil, nil)

// timestampParts are the argument lists of MAKE_TIMESTAMP and its like.
var timestampParts = [][]any{{2024, 2, 29, 23, 59, 59}, {2024, 2, 30, 0, 0, 0}, {2023, 2, 29, 0, 0, 0}, {2024, 13, 1, 0, 0, 0}, {2024, 1, 32, 0, 0, 0}, {2024, 1, 1, 24, 0, 0}, {2024, 1, 1, 0, 60, 0},
	{2024, 12, 31, 23, 59, 60}, {2024, 1, 1, 0, 0, expr.Decimal("60.5")}, {2024, 1, 1, 0, 0, 61}, {2024, 1, 1, 0, 0, -1}, {2024, 1, 1, 0, 0, expr.Decimal("59.999999")}, {-1, 1, 1, 0, 0, expr.Decimal("0.1")},
	{0, 1, 1, 0, 0, 0}, {col("i8"), 1, 1, 1, 1, 1}, {2024, 1, 1, 1, 1, col("i8")}, {2024, 1, nil, 1, 1, 1}, {2024, 1, 1, 1, 1, 1.5}, {1582, 10, 10, 0, 0, 0}}

var zonedParts = append(timestampParts[:len(timestampParts):len(timestampParts)], []any{2024, 7, 1, 12, 0, 0, "Europe/Berlin"}, []any{2024, 3, 31, 2, 30, 0, "Europe/Berlin"}, []any{2024, 10, 27, 2, 30, 0, "Europe/Berlin"},
	[]any{2024, 1, 1, 1, 1, 1, "+05:30"}, []any{2024, 1, 1, 1, 1, 1, "PST"}, []any{1850, 1, 1, 0, 0, 0, "Europe/Berlin"}, []any{2024, 1, 1, 1, 1, 1, "Nowhere/City"}, []any{2024, 1, 1, 1, 1, 1, nil}, []any{2024, 2, 30, 1, 1, 1, "XX"})

var zoneNames = []any{"UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "+05:30", "GMT-8", "PST", "Z", "Nowhere/City", "", nil}

var unitNames = []any{"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND"}

var intervalSums = [][]any{{col("span"), col("span")}, {col("span"), time.Hour}, {expr.Days(1), time.Hour}, {col("months"), col("months")}, {col("months"), expr.Months(1)}, {expr.Days(1), expr.Days(2)},
	{expr.Months(1<<31 - 1), col("months")}, {expr.Days(106751991), expr.Days(1)}, {expr.Days(-106751991), col("span")}, {col("span"), nil}, {typed("1", "INTERVAL YEAR"), typed("1", "INTERVAL MONTH")},
	{typed("1", "INTERVAL MINUTE"), typed("01:30", "INTERVAL HOUR TO MINUTE")}}

// intervalFactors leave out what overflows: Spark has no condition for it.
var intervalFactors = [][]any{{col("span"), 2}, {col("span"), -1}, {col("span"), col("i8")}, {col("months"), col("i8")}, {col("months"), 2.5}, {col("months"), expr.Decimal("0.5")}, {col("span"), 0.5}, {col("span"), expr.Decimal("0.3333")},
	{col("span"), expr.Decimal("-2.5")}, {expr.Months(-1), 2}, {expr.Months(-1), 0.5}, {expr.Months(7), 3}, {expr.Months(-7), 2}, {expr.Days(1), float32(0.1)}, {time.Microsecond, 0.5}, {time.Microsecond, 2}, {3 * time.Microsecond, expr.Decimal("2")}, {col("span"), nil}, {expr.Months(0), 2},
	{col("months"), int64(3)}, {col("span"), 0}, {col("months"), 0.0}, {expr.Days(1), expr.Decimal("0.00")}}

// timeCombinations are the argument lists of the functions of dates, times and intervals, but for those of patterns.
var timeCombinations = map[string][][]any{
	"weekday":          calendarDays,
	"dayname":          calendarDays,
	"monthname":        calendarDays,
	"day_of_week_name": calendarDays,
	"iso_year":         append(dates(nil, nil), []any{at("2024-12-30 00:00:00")}, []any{at("2021-01-03 00:00:00")}, []any{at("2027-01-01 00:00:00")}),
	"date":             calendarDays,
	"millisecond":      {{col("ts")}, {col("ntz")}, {at("2024-01-01 00:00:00.999999")}, {at("1969-12-31 23:59:59.000999")}},
	"microsecond":      {{col("ts")}, {col("ntz")}, {at("2024-01-01 00:00:00.999999")}, {at("1969-12-31 23:59:59.000001")}},
	"date_part": lists(each(nil, []any{"YEAR", "yrs", "YEAROFWEEK", "qtr", "MONTH", "mons", "WEEK", "D", "dow", "DAYOFWEEK_ISO", "doy", "HOUR", "m", "SECOND", "secs"}, col("ts")),
		each(nil, []any{"year", "YearOfWeek", "QUARTER", "W", "DAYS", "DAYOFWEEK", "dow_iso", "hours", "MINS", "S"}, col("dt")), each(nil, []any{"y", "mon", "HR", "MIN", "SECONDS"}, col("ntz")),
		each(nil, []any{"YEAR", "MONTHS"}, col("months")), each(nil, []any{"DAY", "HOURS", "MINUTE", "SECOND"}, col("span")), [][]any{{"hour", typed("500", "INTERVAL HOUR")}, {"minute", typed("-500", "INTERVAL MINUTE")}, {"day", expr.Days(-3)}, {nil, col("ts")}}),
	"next_day": {{col("dt"), "MO"}, {col("dt"), "tuesday"}, {col("dt"), "Sun"}, {col("dt"), "FR"}, {col("dt"), " MO"}, {col("dt"), "X"}, {col("dt"), nil}, {col("dt"), col("s")}, {at("2024-02-29 12:00:00"), "th"}},
	"months_between": {{col("ts"), col("ts")}, {col("ts"), at("2024-02-29 12:00:00")}, {at("2024-02-29 00:00:00"), col("ts")}, {col("dt"), at("2024-01-31 00:00:00")}, {col("ntz"), col("dt")}, {col("ts"), at("1997-01-15 10:30:00"), true},
		{col("ts"), at("1997-01-15 10:30:00"), false}, {at("2024-03-31 00:00:00"), at("2024-02-29 23:59:59")}, {at("2024-03-30 00:00:00"), at("2024-02-29 00:00:00")}, {col("ts"), nil}, {col("ts"), col("dt"), nil}},
	"timestampadd": lists(each(nil, unitNames, 1, at("2024-01-31 23:59:59.999999")), each(nil, unitNames, col("i8"), at("2024-02-29 12:00:00")), each(nil, unitNames, -13, col("ntz")), [][]any{{"month", 1, col("dt")}, {"DAYOFYEAR", 1, col("ntz")},
		{"DAY", int64(1) << 31, col("dt")}, {"MICROSECOND", int64(math.MaxInt64), at("2024-02-29 12:00:00")}, {"MONTH", col("l"), at("2024-02-29 12:00:00")}, {"YEAR", nil, col("dt")}, {"HOUR", int64(1) << 62, col("dt")}}),
	"timestampdiff": lists(each(nil, unitNames, at("2024-02-29 12:34:56.5"), col("ts")), each(nil, unitNames, col("dt"), at("2024-01-31 00:00:00")), [][]any{{"MONTH", at("2024-01-31 12:00:00"), at("2024-02-29 12:00:00")}, {"MONTH", at("2024-01-29 12:00:00"), at("2024-02-29 11:59:59")},
		{"week", col("ntz"), at("2024-02-29 00:00:00")}, {"DAY", nil, col("ts")}}),
	"time_bucket": {{15 * time.Minute, col("ts")}, {15 * time.Minute, col("ntz")}, {expr.Days(7), col("ts")}, {30 * time.Hour, col("ntz")}, {expr.Months(1), col("ts")}, {expr.Months(5), col("ntz")}, {expr.Months(12), col("ts")},
		{expr.Months(1), col("ts"), at("2024-01-31 13:00:00")}, {time.Hour, col("ts"), at("2024-01-01 00:17:00")}, {expr.Months(3), col("ts"), at("2000-02-29 00:00:00")}, {7 * time.Microsecond, at("1969-12-31 23:59:59.999999")}, {time.Hour, col("ts"), nil}, {nil, col("ts")}},

	"unix_date":           {{col("dt")}, {nil}},
	"unix_millis":         {{col("ts")}, {at("1969-12-31 23:59:59.999499")}},
	"unix_micros":         {{col("ts")}, {nil}},
	"timestamp_millis":    {{col("i8")}, {col("i16")}, {col("i")}, {int64(253402300799999)}, {int64(-62135596800000)}, {0}, {nil}},
	"timestamp_micros":    {{col("i8")}, {col("i16")}, {col("i")}, {int64(1) << 53}, {-1}, {nil}},
	"date_from_unix_date": {{col("i8")}, {col("i16")}, {0}, {-719162}, {2932896}, {nil}},

	"make_timestamp":         zonedParts,
	"try_make_timestamp":     zonedParts,
	"make_timestamp_ltz":     zonedParts,
	"try_make_timestamp_ltz": zonedParts,
	"make_timestamp_ntz":     timestampParts,
	"try_make_timestamp_ntz": timestampParts,
	"from_utc_timestamp":     append(each([]any{col("ts")}, zoneNames), []any{col("ntz"), "America/New_York"}, []any{col("dt"), "Asia/Tokyo"}),
	"to_utc_timestamp":       append(each([]any{col("ts")}, zoneNames), []any{col("ntz"), "America/New_York"}, []any{at("2024-03-31 02:30:00"), "Europe/Berlin"}, []any{at("2024-10-27 02:30:00"), "Europe/Berlin"}),
	"convert_timezone": {{"Europe/Berlin", col("ntz")}, {"Europe/Berlin", "America/New_York", col("ntz")}, {"America/New_York", "Asia/Kolkata", col("ts")}, {"Asia/Tokyo", col("dt")}, {"XX", col("ntz")}, {"XX", "UTC", col("ntz")}, {"UTC", "", col("ntz")},
		{nil, "UTC", col("ntz")}, {"Europe/Berlin", "UTC", at("2024-03-31 02:30:00")}, {"Europe/Berlin", "UTC", at("2024-10-27 02:30:00")}},
	"current_timezone": {{}},

	"interval_add":     intervalSums,
	"interval_sub":     intervalSums,
	"try_interval_add": intervalSums,
	"try_interval_sub": intervalSums,
	"interval_mul":     intervalFactors,
	"interval_div":     append(intervalFactors[:len(intervalFactors):len(intervalFactors)], []any{col("span"), 7}, []any{col("months"), expr.Decimal("7.00")}, []any{col("span"), 0.3}),
	"try_interval_mul": append(intervalFactors[:len(intervalFactors):len(intervalFactors)], []any{expr.Months(1<<31 - 1), 2}, []any{expr.Days(106751991), 2}, []any{col("months"), col("i")}),
	"try_interval_div": append(intervalFactors[:len(intervalFactors):len(intervalFactors)], []any{col("span"), col("i8")}, []any{col("months"), col("i")}),
	"interval_negate":  {{col("span")}, {col("months")}, {expr.Days(1)}, {expr.Months(-1 << 31)}, {typed("5", "INTERVAL HOUR")}},
	"make_ym_interval": {{}, {1}, {1, 2}, {-1, 14}, {col("i8")}, {col("i8"), col("i16")}, {178956970, 7}, {178956970, 8}, {2147483647}, {nil, 1}, {col("i")}},
	"make_dt_interval": {{}, {1}, {1, 2}, {1, 2, 3}, {1, 2, 3, 4}, {1, 2, 3, expr.Decimal("4.000001")}, {-1, 25, -61, expr.Decimal("-0.5")}, {col("i8"), col("i8"), col("i8"), col("i8")}, {col("i"), 0, 0, 0}, {106751991, 4, 0, expr.Decimal("54.775807")},
		{106751991, 4, 0, expr.Decimal("54.775808")}, {106751992, -24}, {nil}, {0, 0, 0, 1.5}},
	"make_interval":     {{1, 2}},
	"try_make_interval": {{1, 2}, {2147483647}},
}
