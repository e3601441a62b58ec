package conformance

import (
	"math"
	"time"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// tables makes the tables of the cases: constant ones, and streams where a test asks for them.
var tables = expr.MemtableRows

// mustFields reads a schema that stands in this package.
func mustFields(ddl string) []datatype.Field {
	f, err := datatype.ParseFields(ddl)
	if err != nil {
		panic(err) // invariant: the texts are constants of the tests
	}
	return f
}

func at(s string) time.Time {
	t, err := time.Parse("2006-01-02 15:04:05.999999", s)
	if err != nil {
		panic(err) // invariant: the texts are constants of the tests
	}
	return t
}

// valuesSchema has a column of every type that travels.
const valuesSchema = `id INT, b BOOLEAN, i8 TINYINT, i16 SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, n DECIMAL(12,2), big DECIMAL(38,10), s STRING, t STRING,
	bin BINARY, dt DATE, ts TIMESTAMP, ntz TIMESTAMP_NTZ, span INTERVAL DAY TO SECOND, months INTERVAL YEAR TO MONTH, a ARRAY<INT>, m MAP<STRING, INT>, st STRUCT<x: INT, y: STRING>`

// Values is a table with the edges of every type: nulls, the ends of ranges, NaN, infinities, minus zero, texts beyond ASCII, days before the
// Gregorian calendar, leap days.
func Values() expr.Table { return tables("v", mustFields(valuesSchema), valuesRows()) }

// oneValue is the first row of [Values], in which nothing is null.
func oneValue() expr.Table { return tables("v", mustFields(valuesSchema), valuesRows()[:1]) }

func valuesRows() [][]any {
	row := func(v ...any) []any { return v }
	return [][]any{
		row(1, true, int8(1), int16(2), 3, int64(4), float32(1.5), 2.5, "12.30", "1.5", "Spark SQL", "SQL", []byte{1, 2, 255}, at("2024-02-29 00:00:00"), at("2024-02-29 12:34:56.789012"), at("2024-02-29 12:34:56.789012"), 36*time.Hour+time.Microsecond, expr.Months(14), []int{1, 2, 3}, map[string]int{"a": 1}, []any{1, "one"}),
		row(2, false, int8(math.MaxInt8), int16(math.MaxInt16), math.MaxInt32, int64(math.MaxInt64), float32(math.MaxFloat32), math.MaxFloat64, "9999999999.99", "1234567890123456789012345678.0123456789", "straße", "ß", []byte{}, at("9999-12-31 00:00:00"), at("9999-12-31 23:59:59.999999"), at("9999-12-31 23:59:59.999999"), time.Duration(0), expr.Months(0), []int{}, map[string]int{}, []any{-1, ""}),
		row(3, nil, int8(math.MinInt8), int16(math.MinInt16), math.MinInt32, int64(math.MinInt64), float32(-1e-10), -1e-300, "-9999999999.99", "-0.0000000001", "", "", []byte("abc"), at("0001-01-01 00:00:00"), at("0001-01-01 00:00:00"), at("0001-01-01 00:00:00"), -time.Hour, expr.Months(-25), []any{nil, 7}, map[string]any{"k": nil}, []any{nil, nil}),
		row(4, true, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil),
		row(5, false, int8(0), int16(0), 0, int64(0), float32(0), math.Copysign(0, -1), "0.00", "0", "  padded  ", "pad", []byte{0}, at("1970-01-01 00:00:00"), at("1970-01-01 00:00:00"), at("1970-01-01 00:00:00"), time.Microsecond, expr.Months(1), []int{0}, map[string]int{"": 0}, []any{0, "zero"}),
		row(6, true, int8(-7), int16(-7), -7, int64(-7), float32(math.NaN()), math.NaN(), "-7.55", "2.5", "😀 émoji 中文", "中", []byte("中"), at("1582-10-04 00:00:00"), at("1582-10-15 23:59:59"), at("1500-03-01 01:02:03"), -25*time.Hour, expr.Months(-1), []int{3, 3}, map[string]int{"x": 5, "y": 6}, []any{3, "😀"}),
		row(7, false, int8(10), int16(10), 10, int64(10), float32(math.Inf(1)), math.Inf(-1), "2.50", "3.5", "a_b%c\\d'e\"f`g", "b%c", []byte("x"), at("2021-01-03 00:00:00"), at("1969-12-31 23:59:59.999999"), at("1969-12-31 23:59:59.999999"), 90*time.Second, expr.Months(12), []int{10}, map[string]int{"a": 10}, []any{10, "line\nbreak"}),
		row(8, nil, int8(2), int16(100), 5, int64(1<<53), float32(16777216), 1e15, "0.05", "99.99", "100", "0", []byte("100"), at("2008-12-29 00:00:00"), at("2021-03-14 02:30:00"), at("2021-03-14 02:30:00"), 24*time.Hour, expr.Months(100), []int{5, 4, 3}, map[string]int{"z": 1}, []any{5, "${x} ${env:HOME} -- /* */"}),
	}
}

// Orders and Customers are two small tables to join, with keys that are missing on either side, doubled, and null.
func Orders() expr.Table {
	return tables("orders", mustFields("id INT, customer INT, amount DECIMAL(10,2), at TIMESTAMP, tags ARRAY<STRING>, note STRING"), [][]any{
		{1, 10, "5.00", at("2024-01-01 10:00:00"), []string{"a", "b"}, "first"},
		{2, 10, "7.50", at("2024-01-01 10:00:30"), []string{}, nil},
		{3, 20, "1.25", at("2024-01-01 10:01:00"), nil, "third"},
		{4, 30, nil, at("2024-01-01 10:01:59.999999"), []any{"c", nil}, "x"},
		{5, nil, "2.00", at("2024-01-01 10:02:00"), []string{"a"}, "x"},
		{6, 20, "1.25", nil, []string{"d"}, "third"},
		{7, 99, "-3.00", at("2024-01-01 10:10:00"), []string{"a", "a"}, ""},
	})
}

// Customers is the other side of [Orders].
func Customers() expr.Table {
	return tables("customers", mustFields("customer INT, name STRING, since DATE"), [][]any{
		{10, "Ada", at("2020-01-01 00:00:00")},
		{20, "Bo", at("2021-06-15 00:00:00")},
		{20, "Bo again", nil},
		{40, "Cy", at("2022-02-02 00:00:00")},
		{nil, "nobody", at("2023-03-03 00:00:00")},
	})
}
