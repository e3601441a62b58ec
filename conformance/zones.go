package conformance

import (
	"strconv"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// zoneOfCases is the session's zone of [ZoneCases]: it has summer time, and before 1893 an offset with seconds.
const zoneOfCases = "Europe/Berlin"

// ZoneCase is a call in a session of [zoneOfCases], with the text that Spark casts its result to.
type ZoneCase struct {
	Call expr.Value
	Want string
}

// ZoneCases are calls whose answer depends on the session's zone.
func ZoneCases() []ZoneCase {
	ts := func(s string) any { return expr.Lit(s).Cast(datatype.Timestamp) }
	ntz := func(s string) any { return expr.Lit(s).Cast(datatype.TimestampNTZ) }
	date := func(s string) any { return expr.Lit(s).Cast(datatype.Date) }
	c := func(want, name string, args ...any) ZoneCase {
		return ZoneCase{expr.Call[expr.AnyValue](name, args...).Cast(datatype.String), want}
	}
	return []ZoneCase{
		c("1.52889785", "months_between", ts("2024-03-31 12:00:00"), ts("2024-02-15 01:30:00")),
		c("6.88844086", "months_between", ts("2024-10-27 12:00:00"), ts("2024-03-31 00:00:00")),
		c("2024-03-31 03:30:00", "timestampadd", "DAY", 1, ts("2024-03-30 02:30:00")),
		c("2024-03-31 03:30:00", "timestampadd", "HOUR", 24, ts("2024-03-30 02:30:00")),
		c("2024-10-27 02:30:00", "timestampadd", "MONTH", 7, ts("2024-03-27 02:30:00")),
		c("2024-10-27 02:30:00", "timestampadd", "WEEK", -1, ts("2024-11-03 02:30:00")),
		c("24", "timestampdiff", "HOUR", ts("2024-03-30 12:00:00"), ts("2024-03-31 12:00:00")),
		c("1", "timestampdiff", "DAY", ts("2024-03-30 12:00:00"), ts("2024-03-31 12:00:00")),
		c("2024 12 Europe/Berlin +02 +0200 +02:00 +02 GMT+2 GMT+02:00 +0200 GMT+02:00", "date_format", ts("2024-07-01 12:00:00"), "yyyy HH VV X XX XXX x O OOOO Z ZZZZ"),
		c("12:00:00 +00:53 +005328 +00:53:28 GMT+0:53:28 GMT+00:53:28 GMT+00:53:28", "date_format", ts("1850-01-01 12:00:00"), "HH:mm:ss XXX XXXX XXXXX O OOOO ZZZZ"),
		c("2024-03-31 00:00 +01:00", "date_format", date("2024-03-31"), "yyyy-MM-dd HH:mm XXX"),
		c("2024-03-31 03:30 +02:00", "date_format", ntz("2024-03-31 02:30:00"), "yyyy-MM-dd HH:mm XXX"),
		c("2024-03-31 03:30:00", "to_timestamp", "2024-03-31 02:30", "yyyy-MM-dd HH:mm"),
		c("2024-10-27 02:30:00", "to_timestamp", "2024-10-27 02:30", "yyyy-MM-dd HH:mm"),
		c("1729992600", "unix_timestamp", "2024-10-27 02:30 +01:00", "yyyy-MM-dd HH:mm XXX"),
		c("2024-10-28", "to_date", "2024-10-27 23:30 Z", "yyyy-MM-dd HH:mm X"),
		c("2024-10-27 23:30:00", "to_timestamp_ntz", "2024-10-27 23:30 Z", "yyyy-MM-dd HH:mm X"),
		c("2024-10-27 02:30:00", "to_timestamp_ntz", ts("2024-10-27 02:30:00")),
		c("2024-03-31 03:30:00", "to_timestamp", ntz("2024-03-31 02:30:00")),
		c("1719784800", "unix_timestamp", date("2024-07-01")),
		c("1719792000", "unix_timestamp", ntz("2024-07-01 00:00:00")),
		c("1719784800", "unix_timestamp", "2024-07-01 00:00:00"),
		c("1970-01-01 01:00:00", "from_unixtime", 0),
		c("2024-07-03 11:46:40 +02:00", "from_unixtime", 1720000000, "yyyy-MM-dd HH:mm:ss XXX"),
		c("2024-03-31 03:30:00", "make_timestamp", 2024, 3, 31, 2, 30, 0),
		c("2024-10-27 02:30:00", "make_timestamp", 2024, 10, 27, 2, 30, 0),
		c("1850-01-01 00:00:00", "make_timestamp", 1850, 1, 1, 0, 0, 0),
		c("2024-03-30 20:30:00", "from_utc_timestamp", ts("2024-03-31 00:30:00"), "America/New_York"),
		c("2024-03-31 16:30:00", "to_utc_timestamp", ts("2024-03-31 12:30:00"), "America/New_York"),
		c("2024-03-30 21:30:00", "convert_timezone", "America/New_York", ntz("2024-03-31 02:30:00")),
		c("2024-03-10 07:30:00", "convert_timezone", "America/New_York", "UTC", ntz("2024-03-10 02:30:00")),
		c("12", "date_part", "HOUR", ts("1850-01-01 12:34:56.5")),
		c("56.500000", "date_part", "SECOND", ts("1850-01-01 12:34:56.5")),
		c("Sun", "dayname", ts("2024-03-31 23:30:00")),
		c("6", "weekday", ts("2024-03-31 23:30:00")),
		c("2024-03-31", "date", ts("2024-03-31 23:30:00")),
		c("Europe/Berlin", "current_timezone"),
		c("2024-03-31 00:00:00", "time_bucket", expr.Days(1), ntz("2024-03-31 23:30:00")),
	}
}

// zoneTable has the results of [ZoneCases] in one row, a column each.
func zoneTable() expr.Table {
	var cols []any
	for i, c := range ZoneCases() {
		cols = append(cols, expr.Cast(c.Call, datatype.String).As("c"+strconv.Itoa(i)))
	}
	return tables("one", mustFields("id INT"), [][]any{{1}}).Select(cols...)
}
