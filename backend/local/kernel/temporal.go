package kernel

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/internal/timetext"
	"github.com/spoonbill-go/spoonbill/internal/zoneid"
)

func init() {
	dayField("weekday", weekday)
	dayField("iso_year", isoYear)
	dayText("dayname", func(d int32) string { return timetext.DayName(weekday(d))[:3] })
	dayText("day_of_week_name", func(d int32) string { return timetext.DayName(weekday(d)) })
	dayText("monthname", func(d int32) string { _, m, _ := timetext.CivilOf(int64(d)); return timetext.MonthName(m)[:3] })
	clockField("millisecond", 1000, 1000)
	clockField("microsecond", 1, microsPerSecond)
	register("date", func(c *call) (evalFunc, error) {
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			return vec.Of(datatype.Date, c.days(v[0], n)), nil
		}, nil
	})
	register("date_part", datePart)
	register("next_day", nextDay)
	register("months_between", monthsBetween)
	register("timestampadd", timestampAddUnits)
	register("timestampdiff", timestampDiffUnits)
	register("time_bucket", timeBucket)

	register("unix_date", relabel)
	register("date_from_unix_date", relabel)
	register("unix_micros", relabel)
	register("unix_millis", func(c *call) (evalFunc, error) {
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			out := make([]int64, n)
			for i, x := range v[0].I64[:n] {
				out[i] = timetext.FloorDiv(x, 1000)
			}
			return vec.Of(datatype.Long, out), nil
		}, nil
	})
	register("timestamp_micros", func(c *call) (evalFunc, error) { return timestampOf(c, 1), nil })
	register("timestamp_millis", func(c *call) (evalFunc, error) { return timestampOf(c, 1000), nil })

	for _, name := range []string{"make_timestamp", "make_timestamp_ltz", "make_timestamp_ntz"} {
		register(name, func(c *call) (evalFunc, error) { return makeTimestamp(c, c.env.ANSI), nil })
		register("try_"+name, func(c *call) (evalFunc, error) { return makeTimestamp(c, false), nil })
	}
	register("from_utc_timestamp", func(c *call) (evalFunc, error) {
		return inZone(c, 1, func(z zoneClock, x int64) int64 { return z.local(x) }), nil
	})
	register("to_utc_timestamp", func(c *call) (evalFunc, error) {
		return inZone(c, 1, func(z zoneClock, x int64) int64 { return z.instant(x) }), nil
	})
	register("convert_timezone", convertTimezone)
	register("current_timezone", func(c *call) (evalFunc, error) {
		name := "UTC"
		if c.env.Zone != nil {
			name = c.env.Zone.String()
		}
		return func(_ []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			w := newWriter(datatype.String, 1)
			w.buf = append(w.buf, name...)
			w.end()
			return w.vec().Repeat(n), nil
		}, nil
	})
	register("localtimestamp", func(c *call) (evalFunc, error) {
		now := newZone(c.env.Zone).local(c.env.Now)
		return func(_ []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			return vec.Of(datatype.TimestampNTZ, []int64{now}).Repeat(n), nil
		}, nil
	})
}

// isoYear is the year of the Thursday of the date's week.
func isoYear(days int32) int {
	y, _, _ := timetext.CivilOf(int64(days) + 3 - int64(weekday(days)))
	return y
}

// relabel computes nothing: both types count the same unit from 1970-01-01.
func relabel(c *call) (evalFunc, error) {
	return func(v []*vec.Vec, _ int, _ []bool) (*vec.Vec, error) { return v[0].WithType(c.Typ), nil }, nil
}

// dayText registers a word for a date: of a time stamp, the date in the session's zone.
func dayText(name string, f func(int32) string) {
	register(name, func(c *call) (evalFunc, error) {
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			w := newWriter(datatype.String, n)
			for i, d := range c.days(v[0], n) {
				if !isNull(null, i) {
					w.buf = append(w.buf, f(d)...)
				}
				w.end()
			}
			return w.vec(), nil
		}, nil
	})
}

// clock gives the wall clock of each row in microseconds: of a TIMESTAMP in the session's zone.
func (c *call) clock(v *vec.Vec, n int) []int64 {
	if v.Type.Kind() != datatype.KindTimestamp {
		return v.I64[:n]
	}
	z := newZone(c.env.Zone)
	if z.utc {
		return v.I64[:n]
	}
	out := make([]int64, n)
	for i, x := range v.I64[:n] {
		out[i] = z.local(x)
	}
	return out
}

// datePart takes a part whose name the catalogue has checked.
func datePart(c *call) (evalFunc, error) {
	name, _ := c.literal(0)
	text, _ := name.(string)
	part, _ := catalog.DatePart(text)
	source := c.typ(1)
	if datatype.IsInterval(source) {
		return intervalPart(c, part), nil
	}
	day := map[string]func(int32) int{
		"YEAR":          func(d int32) int { y, _, _ := timetext.CivilOf(int64(d)); return y },
		"YEAROFWEEK":    isoYear,
		"QUARTER":       func(d int32) int { _, m, _ := timetext.CivilOf(int64(d)); return (m + 2) / 3 },
		"MONTH":         func(d int32) int { _, m, _ := timetext.CivilOf(int64(d)); return m },
		"WEEK":          isoWeek,
		"DAY":           func(d int32) int { _, _, x := timetext.CivilOf(int64(d)); return x },
		"DAYOFWEEK":     func(d int32) int { return (weekday(d)+1)%7 + 1 },
		"DAYOFWEEK_ISO": func(d int32) int { return weekday(d) + 1 },
		"DOY": func(d int32) int {
			y, _, _ := timetext.CivilOf(int64(d))
			return int(int64(d)-timetext.DayNumber(y, 1, 1)) + 1
		},
	}[part]
	if day != nil {
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			out := make([]int32, n)
			for i, d := range c.days(v[1].Flat(), n) {
				out[i] = int32(day(d))
			}
			return vec.Of(datatype.Int, out), nil
		}, nil
	}
	return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
		clock := c.clock(v[1].Flat(), n)
		if part == "SECOND" {
			out := make([]dec, n)
			for i, x := range clock {
				out[i] = decimal128.FromI64(timetext.FloorMod(x, microsPerMinute))
			}
			return vec.Of(c.Typ, out), nil
		}
		unit, modulus := microsPerHour, int64(24)
		if part == "MINUTE" {
			unit, modulus = microsPerMinute, 60
		}
		out := make([]int32, n)
		for i, x := range clock {
			out[i] = int32(timetext.FloorMod(timetext.FloorDiv(x, unit), modulus))
		}
		return vec.Of(datatype.Int, out), nil
	}, nil
}

// intervalPart takes a field of an interval; every field of a negative one is negative or zero.
func intervalPart(c *call, part string) evalFunc {
	return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
		in := v[1].Flat()
		if in.I32 != nil {
			if part == "YEAR" {
				out := make([]int32, n)
				for i, x := range in.I32[:n] {
					out[i] = x / 12
				}
				return vec.Of(datatype.Int, out), nil
			}
			out := make([]int8, n)
			for i, x := range in.I32[:n] {
				out[i] = int8(x % 12)
			}
			return vec.Of(datatype.Byte, out), nil
		}
		switch part {
		case "DAY":
			out := make([]int32, n)
			for i, x := range in.I64[:n] {
				out[i] = int32(x / microsPerDay)
			}
			return vec.Of(datatype.Int, out), nil
		case "SECOND":
			out := make([]dec, n)
			for i, x := range in.I64[:n] {
				out[i] = decimal128.FromI64(x % microsPerMinute)
			}
			return vec.Of(c.Typ, out), nil
		}
		of, unit := microsPerDay, microsPerHour
		if part == "MINUTE" {
			of, unit = microsPerHour, microsPerMinute
		}
		out := make([]int8, n)
		for i, x := range in.I64[:n] {
			out[i] = int8(x % of / unit)
		}
		return vec.Of(datatype.Byte, out), nil
	}
}

// weekdayNames are the names that NEXT_DAY knows, in upper case, with 0 for Monday.
var weekdayNames = func() map[string]int {
	out := map[string]int{}
	for d := range 7 {
		name := strings.ToUpper(timetext.DayName(d))
		out[name], out[name[:3]], out[name[:2]] = d, d, d
	}
	return out
}()

func nextDay(c *call) (evalFunc, error) {
	ansi := c.env.ANSI
	c.fails = ansi
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out := make([]int32, n)
		more := nulls{b: null}
		m := v[0].Mask()
		last, want, ok := "", 0, false
		for i := range out {
			if isNull(null, i) {
				continue
			}
			if s := v[1].Str(i); s != last {
				last = s
				want, ok = weekdayNames[strings.ToUpper(s)]
			}
			if !ok {
				if ansi {
					return nil, condition.Newf("ILLEGAL_DAY_OF_WEEK", "Illegal input for day of week: %s.", last)
				}
				more.set(i, n)
				continue
			}
			d := v[0].I32[i&m]
			out[i] = d + 1 + int32((want-weekday(d)+6)%7)
		}
		return vec.Of(datatype.Date, out).WithNull(more.b), nil
	}, nil
}

// monthsBetween counts by the wall clock, and seconds of a month of 31 days.
//
// Source: Spark's DateTimeUtils.monthsBetween.
func monthsBetween(c *call) (evalFunc, error) {
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out := make([]float64, n)
		z := newZone(c.env.Zone)
		a, b, ma, mb := v[0].I64, v[1].I64, v[0].Mask(), v[1].Mask()
		for i := range out {
			if isNull(null, i) {
				continue
			}
			x, y := z.local(a[i&ma]), z.local(b[i&mb])
			dx, dy := localDay(x), localDay(y)
			y1, m1, d1 := timetext.CivilOf(int64(dx))
			y2, m2, d2 := timetext.CivilOf(int64(dy))
			months := float64((y1*12 + m1) - (y2*12 + m2))
			if d1 == d2 || d1 == timetext.DaysIn(y1, m1) && d2 == timetext.DaysIn(y2, m2) {
				out[i] = months
				continue
			}
			// Elapsed seconds since the day began, which a change of the clock makes differ from the wall clock's.
			s1 := (a[i&ma] - z.instant(int64(dx)*microsPerDay)) / microsPerSecond
			s2 := (b[i&mb] - z.instant(int64(dy)*microsPerDay)) / microsPerSecond
			diff := months + float64(int64(d1-d2)*86_400+s1-s2)/float64(31*86_400)
			if len(v) < 3 || v[2].Bool[i&v[2].Mask()] {
				diff = roundDecimals(diff, 8)
			}
			out[i] = diff
		}
		return vec.Of(datatype.Double, out), nil
	}, nil
}

// roundDecimals rounds a double half up by its shortest text, as BigDecimal(x).setScale.
func roundDecimals(x float64, digits int) float64 {
	b, scale, ok := parseDec(strconv.FormatFloat(x, 'e', -1, 64))
	if !ok || scale <= digits {
		return x
	}
	r, _ := strconv.ParseFloat(halfUp(b, scale-digits).String()+"e-"+strconv.Itoa(digits), 64)
	return r
}

// timestampAddUnits adds days and months on the wall clock, and smaller units as elapsed time.
//
// Source: Spark's DateTimeUtils.timestampAdd.
func timestampAddUnits(c *call) (evalFunc, error) {
	c.fails = true
	u, _ := c.literal(0)
	text, _ := u.(string)
	unit := strings.ToUpper(text)
	zoned := c.Typ.Kind() == datatype.KindTimestamp
	months := map[string]int64{"YEAR": 12, "QUARTER": 3, "MONTH": 1}[unit]
	days := map[string]int64{"WEEK": 7, "DAY": 1, "DAYOFYEAR": 1}[unit]
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out := make([]int64, n)
		z := newZone(nil)
		if zoned {
			z = newZone(c.env.Zone)
		}
		a, b, ma, mb := v[1].I64, v[2].I64, v[1].Mask(), v[2].Mask()
		for i := range out {
			if isNull(null, i) {
				continue
			}
			x := b[i&mb]
			k, ok := mulExact(a[i&ma], months+days+microsOf(unit))
			switch {
			case !ok:
			case months+days > 0:
				if ok = k == int64(int32(k)); !ok {
					break
				}
				off := z.at(x)
				local := x + off
				day := int64(localDay(local))
				if months > 0 {
					day = addMonths(int32(day), k)
				} else {
					day += k
				}
				if ok = day > -maxDays && day < maxDays; ok {
					out[i] = z.instantWith(day*microsPerDay+timetext.FloorMod(local, microsPerDay), off)
				}
			default:
				out[i], ok = addExact(x, k)
			}
			if !ok {
				return nil, condition.Newf(condition.DatetimeOverflow, "Datetime operation overflow: add %dL %s to a time stamp.", a[i&ma], unit)
			}
		}
		return vec.Of(c.Typ, out), nil
	}, nil
}

// maxDays is the first day that no time stamp reaches.
const maxDays = math.MaxInt64 / (24 * 3_600 * 1_000_000)

// microsOf gives the microseconds of a unit below a day, and zero for others.
func microsOf(unit string) int64 {
	return map[string]int64{"HOUR": microsPerHour, "MINUTE": microsPerMinute, "SECOND": microsPerSecond, "MILLISECOND": 1000, "MICROSECOND": 1}[unit]
}

func mulExact(a, b int64) (int64, bool) {
	r := a * b
	if a != 0 && (r/a != b || a == -1 && b == math.MinInt64) {
		return 0, false
	}
	return r, true
}

func addExact(a, b int64) (int64, bool) {
	r := a + b
	return r, (a^r)&(b^r) >= 0
}

// timestampDiffUnits compares the wall clocks of the session's zone.
//
// Source: Spark's DateTimeUtils.timestampDiff and java.time's LocalDateTime.until.
func timestampDiffUnits(c *call) (evalFunc, error) {
	u, _ := c.literal(0)
	text, _ := u.(string)
	unit := strings.ToUpper(text)
	micros := microsOf(unit)
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out := make([]int64, n)
		z := newZone(c.env.Zone)
		a, b, ma, mb := v[1].I64, v[2].I64, v[1].Mask(), v[2].Mask()
		for i := range out {
			if isNull(null, i) {
				continue
			}
			x, y := z.local(a[i&ma]), z.local(b[i&mb])
			if micros > 0 {
				out[i] = (y - x) / micros
				continue
			}
			from, to := int64(localDay(x)), int64(localDay(y))
			switch t := timetext.FloorMod(y, microsPerDay) - timetext.FloorMod(x, microsPerDay); {
			case to > from && t < 0:
				to--
			case to < from && t > 0:
				to++
			}
			switch unit {
			case "DAY", "DAYOFYEAR":
				out[i] = to - from
			case "WEEK":
				out[i] = (to - from) / 7
			default:
				y1, m1, d1 := timetext.CivilOf(from)
				y2, m2, d2 := timetext.CivilOf(to)
				months := (int64(y2*12+m2)*32 + int64(d2) - int64(y1*12+m1)*32 - int64(d1)) / 32
				out[i] = months / map[string]int64{"MONTH": 1, "QUARTER": 3, "YEAR": 12}[unit]
			}
		}
		return vec.Of(datatype.Long, out), nil
	}, nil
}

// timeBucket finds the bucket on the clock of UTC, which is that of every TIMESTAMP_NTZ. Where the session's zone is another one, what Spark does
// around changes of its clock is not reproduced, and a TIMESTAMP is refused.
func timeBucket(c *call) (evalFunc, error) {
	if c.Typ.Kind() == datatype.KindTimestamp && !newZone(c.env.Zone).utc {
		return nil, c.refuse("buckets of a TIMESTAMP are computed in sessions whose zone is UTC only; this one's is %s.", c.env.Zone)
	}
	months := c.typ(0).Kind() == datatype.KindYearMonth
	c.fails = true
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out := make([]int64, n)
		m := v[1].Mask()
		for i := range out {
			if isNull(null, i) {
				continue
			}
			x, origin := v[1].I64[i&m], int64(0)
			if len(v) > 2 {
				origin = v[2].I64[i&v[2].Mask()]
			}
			ok := true
			if !months {
				size := v[0].I64[i&v[0].Mask()]
				var d int64
				if d, ok = addExact(x, -origin); ok {
					out[i] = origin + timetext.FloorDiv(d, size)*size
					ok = out[i] <= x
				}
			} else {
				size := int64(v[0].I32[i&v[0].Mask()])
				day, rest := localDay(origin), timetext.FloorMod(origin, microsPerDay)
				y1, m1, _ := timetext.CivilOf(int64(localDay(x)))
				y0, m0, _ := timetext.CivilOf(int64(day))
				k := timetext.FloorDiv(int64(y1*12+m1-y0*12-m0), size) * size
				start := func() int64 { return addMonths(day, k)*microsPerDay + rest }
				if out[i] = start(); out[i] > x {
					k -= size
					out[i] = start()
				}
				ok = out[i] <= x
			}
			if !ok {
				return nil, condition.Newf(condition.DatetimeOverflow, "Datetime operation overflow: the bucket is out of range.")
			}
		}
		return vec.Of(c.Typ, out), nil
	}, nil
}

// timestampOf makes an instant of a number of units.
func timestampOf(c *call, unit int64) evalFunc {
	c.fails = unit > 1
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out := make([]int64, n)
		for i, x := range toInt64(v[0], n) {
			r, ok := mulExact(x, unit)
			if !ok && !isNull(null, i) {
				return nil, condition.Newf(condition.ArithmeticOverflow, "long overflow: the time stamp is out of range.")
			}
			out[i] = r
		}
		return vec.Of(datatype.Timestamp, out), nil
	}
}

// zones finds zones by name, and remembers the last one, since a column rarely has many.
type zones struct {
	name  string
	clock zoneClock
	known bool
}

func (s *zones) of(name string) (zoneClock, error) {
	if s.known && s.name == name {
		return s.clock, nil
	}
	loc, ok := zoneid.Parse(name)
	if !ok {
		return zoneClock{}, condition.Newf("INVALID_TIMEZONE", "The timezone: %s is invalid. The timezone must be either a region-based zone ID or a zone offset.", name)
	}
	s.name, s.clock, s.known = name, newZone(loc), true
	return s.clock, nil
}

// inZone computes time stamps by the zone that argument k names.
func inZone(c *call, k int, f func(z zoneClock, x int64) int64) evalFunc {
	c.fails = true
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out := make([]int64, n)
		var s zones
		m := v[0].Mask()
		for i := range out {
			if isNull(null, i) {
				continue
			}
			z, err := s.of(v[k].Str(i))
			if err != nil {
				return nil, err
			}
			out[i] = f(z, v[0].I64[i&m])
		}
		return vec.Of(c.Typ, out), nil
	}
}

func convertTimezone(c *call) (evalFunc, error) {
	c.fails = true
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out := make([]int64, n)
		var source, target zones
		from := newZone(c.env.Zone)
		at := len(v) - 1
		m := v[at].Mask()
		for i := range out {
			if isNull(null, i) {
				continue
			}
			var err error
			if at == 2 {
				if from, err = source.of(v[0].Str(i)); err != nil {
					return nil, err
				}
			}
			to, err := target.of(v[at-1].Str(i))
			if err != nil {
				return nil, err
			}
			out[i] = to.local(from.instant(v[at].I64[i&m]))
		}
		return vec.Of(c.Typ, out), nil
	}, nil
}

// makeTimestamp checks each part as java.time does. A zone that does not exist raises always, as in Spark.
func makeTimestamp(c *call, raise bool) evalFunc {
	c.fails = true
	ntz := c.Typ.Kind() == datatype.KindTimestampNTZ
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out := make([]int64, n)
		more := nulls{b: null}
		var s zones
		z := newZone(nil)
		if !ntz {
			z = newZone(c.env.Zone)
		}
		part := func(k, i int) int { return int(v[k].I32[i&v[k].Mask()]) }
		for i := range out {
			if isNull(null, i) {
				continue
			}
			if len(v) > 6 {
				var err error
				if z, err = s.of(v[6].Str(i)); err != nil {
					return nil, err
				}
			}
			y, mo, d, h, mi := part(0, i), part(1, i), part(2, i), part(3, i), part(4, i)
			us := int64(int32(v[5].Dec[i&v[5].Mask()].BigInt().Int64())) // Spark keeps the lowest 32 bits of the microseconds
			sec := timetext.FloorDiv(us, microsPerSecond)
			carry := sec == 60
			if carry && us%microsPerSecond != 0 {
				if raise {
					return nil, condition.Newf("INVALID_FRACTION_OF_SECOND", "Valid range for seconds is [0, 60] (inclusive), but the provided value is %s.", decString(v[5].Dec[i&v[5].Mask()], 6))
				}
				more.set(i, n)
				continue
			}
			if carry {
				sec, us = 0, 0
			}
			what := dateFault(y, mo, d)
			switch {
			case what != "":
			case h < 0 || h > 23:
				what = "Invalid value for HourOfDay (valid values 0 - 23): " + strconv.Itoa(h)
			case mi < 0 || mi > 59:
				what = "Invalid value for MinuteOfHour (valid values 0 - 59): " + strconv.Itoa(mi)
			case sec < 0 || sec > 59:
				what = "Invalid value for SecondOfMinute (valid values 0 - 59): " + strconv.FormatInt(sec, 10)
			}
			if what != "" {
				if raise {
					return nil, condition.Newf("DATETIME_FIELD_OUT_OF_BOUNDS.WITH_SUGGESTION", "%s.", what)
				}
				more.set(i, n)
				continue
			}
			day := timetext.DayNumber(y, mo, d)
			if day <= -maxDays || day >= maxDays {
				return nil, condition.Newf(condition.ArithmeticOverflow, "long overflow: the time stamp is out of range.")
			}
			local := day*microsPerDay + int64(h)*microsPerHour + int64(mi)*microsPerMinute + us
			if carry {
				local += microsPerMinute
			}
			out[i] = z.instant(local)
		}
		return vec.Of(c.Typ, out).WithNull(more.b), nil
	}
}

// dateFault tells what java.time finds wrong with a date; "" for nothing.
func dateFault(y, m, d int) string {
	switch {
	case y < -999_999_999 || y > 999_999_999:
		return "Invalid value for Year (valid values -999999999 - 999999999): " + strconv.Itoa(y)
	case m < 1 || m > 12:
		return "Invalid value for MonthOfYear (valid values 1 - 12): " + strconv.Itoa(m)
	case d < 1 || d > 31:
		return "Invalid value for DayOfMonth (valid values 1 - 28/31): " + strconv.Itoa(d)
	case d > timetext.DaysIn(y, m):
		return "Invalid date: day " + strconv.Itoa(d) + " of month " + strconv.Itoa(m) + " in year " + strconv.Itoa(y)
	}
	return ""
}

// bigRound divides rounding half away from zero; false where the result leaves 64 bits.
func bigRound(a, b *big.Int) (int64, bool) {
	r := divHalfUp(a, b)
	return r.Int64(), r.IsInt64()
}
