package kernel

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/internal/timetext"
)

func init() {
	dayField("year", func(d int32) int { y, _, _ := timetext.CivilOf(int64(d)); return y })
	dayField("quarter", func(d int32) int { _, m, _ := timetext.CivilOf(int64(d)); return (m + 2) / 3 })
	dayField("month", func(d int32) int { _, m, _ := timetext.CivilOf(int64(d)); return m })
	dayField("day", func(d int32) int { _, _, x := timetext.CivilOf(int64(d)); return x })
	dayField("dayofyear", func(d int32) int {
		y, _, _ := timetext.CivilOf(int64(d))
		return int(int64(d)-timetext.DayNumber(y, 1, 1)) + 1
	})
	dayField("dayofweek", func(d int32) int { return (weekday(d)+1)%7 + 1 })
	dayField("weekofyear", isoWeek)
	clockField("hour", microsPerHour, 24)
	clockField("minute", microsPerMinute, 60)
	clockField("second", microsPerSecond, 60)
	register("date_trunc", dateTrunc)
	register("trunc", truncDate)
	register("date_add", func(c *call) (evalFunc, error) { return shiftDays(c, 1), nil })
	register("date_sub", func(c *call) (evalFunc, error) { return shiftDays(c, -1), nil })
	register("datediff", func(c *call) (evalFunc, error) {
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			out := make([]int32, n)
			a, b, ma, mb := v[0].I32, v[1].I32, v[0].Mask(), v[1].Mask()
			for i := range out {
				out[i] = a[i&ma] - b[i&mb]
			}
			return vec.Of(datatype.Int, out), nil
		}, nil
	})
	register("add_months", func(c *call) (evalFunc, error) {
		c.fails = true
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			out := make([]int32, n)
			a, b, ma, mb := v[0].I32, v[1].I32, v[0].Mask(), v[1].Mask()
			for i := range out {
				if isNull(null, i) {
					continue
				}
				d := addMonths(a[i&ma], int64(b[i&mb]))
				if int64(int32(d)) != d {
					return nil, dateOverflow()
				}
				out[i] = int32(d)
			}
			return vec.Of(datatype.Date, out), nil
		}, nil
	})
	register("last_day", func(c *call) (evalFunc, error) {
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			out := make([]int32, n)
			for i, d := range v[0].I32[:n] {
				y, m, _ := timetext.CivilOf(int64(d))
				out[i] = int32(timetext.DayNumber(y, m, timetext.DaysIn(y, m)))
			}
			return vec.Of(datatype.Date, out), nil
		}, nil
	})
	register("make_date", makeDate)
	register("timestamp_seconds", timestampSeconds)
	register("unix_seconds", func(c *call) (evalFunc, error) {
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			out := make([]int64, n)
			for i, x := range v[0].I64[:n] {
				out[i] = timetext.FloorDiv(x, microsPerSecond)
			}
			return vec.Of(datatype.Long, out), nil
		}, nil
	})
	register("timestamp_add", func(c *call) (evalFunc, error) { return addInterval(c, 1) })
	register("timestamp_sub", func(c *call) (evalFunc, error) { return addInterval(c, -1) })
	register("timestamp_diff", timestampDiff)
	register("current_timestamp", func(c *call) (evalFunc, error) {
		now := c.env.Now
		return func(_ []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			return vec.Of(datatype.Timestamp, []int64{now}).Repeat(n), nil
		}, nil
	})
	register("current_date", func(c *call) (evalFunc, error) {
		z := newZone(c.env.Zone)
		today := localDay(z.local(c.env.Now))
		return func(_ []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			return vec.Of(datatype.Date, []int32{today}).Repeat(n), nil
		}, nil
	})
	register("window_time", func(c *call) (evalFunc, error) {
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			end := Field(v[0], 1).Flat()
			out := make([]int64, n)
			for i, x := range end.I64[:n] {
				out[i] = x - 1
			}
			return vec.Of(c.Typ, out).WithNull(end.Null), nil
		}, nil
	})
}

func dateOverflow() error {
	return condition.Newf(condition.DatetimeOverflow, "Datetime operation overflow: the date is out of range.")
}

// days gives the date of each row: of a time stamp, in the session's zone.
func (c *call) days(v *vec.Vec, n int) []int32 {
	if v.Type.Kind() == datatype.KindDate {
		return v.I32[:n]
	}
	z := newZone(nil)
	if v.Type.Kind() == datatype.KindTimestamp {
		z = newZone(c.env.Zone)
	}
	out := make([]int32, n)
	for i, x := range v.I64[:n] {
		out[i] = localDay(z.local(x))
	}
	return out
}

// dayField registers a part of a date: of a time stamp, the date in the session's zone.
func dayField(name string, f func(int32) int) {
	register(name, func(c *call) (evalFunc, error) {
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			days := c.days(v[0], n)
			out := make([]int32, n)
			last, value := int32(0), int32(f(0))
			for i, d := range days {
				if d != last { // rows come in order of time more often than not
					last, value = d, int32(f(d))
				}
				out[i] = value
			}
			return vec.Of(datatype.Int, out), nil
		}, nil
	})
}

// clockField registers a part of the wall clock.
func clockField(name string, unit, modulus int64) {
	register(name, func(c *call) (evalFunc, error) {
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			z := newZone(nil)
			if v[0].Type.Kind() == datatype.KindTimestamp {
				z = newZone(c.env.Zone)
			}
			out := make([]int32, n)
			for i, x := range v[0].I64[:n] {
				out[i] = int32(timetext.FloorMod(timetext.FloorDiv(z.local(x), unit), modulus))
			}
			return vec.Of(datatype.Int, out), nil
		}, nil
	})
}

// truncation levels, from Spark's DateTimeUtils.parseTruncLevel.
func truncLevel(unit string) string {
	switch strings.ToUpper(unit) {
	case "YEAR", "YYYY", "YY":
		return "YEAR"
	case "QUARTER":
		return "QUARTER"
	case "MONTH", "MON", "MM":
		return "MONTH"
	case "WEEK":
		return "WEEK"
	case "DAY", "DD":
		return "DAY"
	case "HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND":
		return strings.ToUpper(unit)
	}
	return ""
}

// truncDay cuts a date to a level from WEEK up; other levels leave it.
func truncDay(d int32, level string) int32 {
	y, m, _ := timetext.CivilOf(int64(d))
	switch level {
	case "YEAR":
		return int32(timetext.DayNumber(y, 1, 1))
	case "QUARTER":
		return int32(timetext.DayNumber(y, (m-1)/3*3+1, 1))
	case "MONTH":
		return int32(timetext.DayNumber(y, m, 1))
	case "WEEK":
		return d - int32(weekday(d))
	}
	return d
}

// dateTrunc cuts the wall clock. Below a minute the zone does not matter; an hour or a minute keeps the offset of its instant where
// clocks go back; a day begins at its first instant.
func dateTrunc(c *call) (evalFunc, error) {
	c.null = func(v *vec.Vec, i int) bool { return truncLevel(v.Str(i)) == "" }
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out := make([]int64, n)
		z := newZone(c.env.Zone)
		if c.Typ.Kind() == datatype.KindTimestampNTZ {
			z = newZone(nil)
		}
		m := v[1].Mask()
		last, level := "", truncLevel("")
		for i := range out {
			if isNull(null, i) {
				continue
			}
			if u := v[0].Str(i); u != last {
				last, level = u, truncLevel(u)
			}
			x := v[1].I64[i&m]
			switch level {
			case "MICROSECOND":
				out[i] = x
			case "MILLISECOND":
				out[i] = timetext.FloorDiv(x, 1000) * 1000
			case "SECOND":
				out[i] = timetext.FloorDiv(x, microsPerSecond) * microsPerSecond
			case "MINUTE", "HOUR":
				unit := microsPerMinute
				if level == "HOUR" {
					unit = microsPerHour
				}
				off := z.at(x)
				out[i] = z.instantWith(timetext.FloorDiv(x+off, unit)*unit, off)
			default:
				d := truncDay(localDay(z.local(x)), level)
				out[i] = z.instant(int64(d) * microsPerDay)
			}
		}
		return vec.Of(c.Typ, out), nil
	}, nil
}

func truncDate(c *call) (evalFunc, error) {
	// The unit is looked at first, and where it is none of days the date is not.
	c.turn = []int{1, 0}
	c.null = func(v *vec.Vec, i int) bool {
		switch truncLevel(v.Str(i)) {
		case "YEAR", "QUARTER", "MONTH", "WEEK":
			return false
		}
		return true
	}
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out := make([]int32, n)
		m := v[0].Mask()
		last, level := "", ""
		for i := range out {
			if isNull(null, i) {
				continue
			}
			if u := v[1].Str(i); u != last {
				last, level = u, truncLevel(u)
			}
			out[i] = truncDay(v[0].I32[i&m], level)
		}
		return vec.Of(datatype.Date, out), nil
	}, nil
}

func shiftDays(c *call, sign int32) evalFunc {
	return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
		out := make([]int32, n)
		a, b, ma, mb := v[0].I32, v[1].I32, v[0].Mask(), v[1].Mask()
		for i := range out {
			out[i] = a[i&ma] + sign*b[i&mb] // Spark's date_add wraps around too
		}
		return vec.Of(datatype.Date, out), nil
	}
}

// makeDate checks each part by the calendar, and raises under ANSI where java.time would.
func makeDate(c *call) (evalFunc, error) {
	// Java's LocalDate has years of nine digits, and not every such day has a number: that it overflows raises in any mode.
	const years = 999_999_999
	c.fails = true
	ansi := c.env.ANSI
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out := make([]int32, n)
		more := nulls{b: null}
		for i := range out {
			if isNull(null, i) {
				continue
			}
			y, m, d := int(v[0].I32[i&v[0].Mask()]), int(v[1].I32[i&v[1].Mask()]), int(v[2].I32[i&v[2].Mask()])
			var what string
			switch {
			case y < -years || y > years:
				what = "Invalid value for Year (valid values -999999999 - 999999999): " + strconv.Itoa(y)
			case m < 1 || m > 12:
				what = "Invalid value for MonthOfYear (valid values 1 - 12): " + strconv.Itoa(m)
			case d < 1 || d > 31:
				what = "Invalid value for DayOfMonth (valid values 1 - 28/31): " + strconv.Itoa(d)
			case d > timetext.DaysIn(y, m):
				what = "Invalid date: day " + strconv.Itoa(d) + " of month " + strconv.Itoa(m) + " in year " + strconv.Itoa(y)
			}
			day := timetext.DayNumber(y, m, d)
			if what == "" && int64(int32(day)) != day {
				return nil, condition.Newf(condition.ArithmeticOverflow, "The number of the day of the year %d overflows.", y)
			}
			if what != "" {
				if ansi {
					return nil, condition.Newf("DATETIME_FIELD_OUT_OF_BOUNDS.WITH_SUGGESTION", "%s.", what)
				}
				more.set(i, n)
				continue
			}
			out[i] = int32(day)
		}
		return vec.Of(datatype.Date, out).WithNull(more.b), nil
	}, nil
}

// timestampSeconds takes any number: integers may overflow, decimals may have no digit below a microsecond, doubles are cut.
func timestampSeconds(c *call) (evalFunc, error) {
	tooLong := func() error {
		return condition.Newf(condition.ArithmeticOverflow, "long overflow. If necessary set spark.sql.ansi.enabled to false to bypass this error.")
	}
	t := c.typ(0)
	switch vec.PhysOf(t) {
	case vec.PF32, vec.PF64:
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			out := make([]int64, n)
			more := nulls{b: null}
			for i := range out {
				var x float64
				if v[0].F32 != nil {
					x = float64(v[0].F32[i])
				} else {
					x = v[0].F64[i]
				}
				if x != x || math.IsInf(x, 0) {
					more.set(i, n)
					continue
				}
				out[i] = saturate(x * float64(microsPerSecond))
			}
			return vec.Of(datatype.Timestamp, out).WithNull(more.b), nil
		}, nil
	case vec.PDec:
		c.fails = true
		scale := t.(datatype.Decimal).Scale
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			out := make([]int64, n)
			for i, x := range v[0].Dec[:n] {
				if isNull(null, i) {
					continue
				}
				b := new(big.Int).Mul(x.BigInt(), big.NewInt(microsPerSecond))
				q, r := b.QuoRem(b, bigPow10[scale], new(big.Int))
				if r.Sign() != 0 {
					return nil, condition.Newf(condition.ArithmeticOverflow, "Rounding necessary: a TIMESTAMP has microseconds only.")
				}
				if !q.IsInt64() {
					return nil, tooLong()
				}
				out[i] = q.Int64()
			}
			return vec.Of(datatype.Timestamp, out), nil
		}, nil
	}
	c.fails = true
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out := make([]int64, n)
		wide := toInt64(v[0], n)
		for i, x := range wide {
			r := x * microsPerSecond
			if r/microsPerSecond != x && !isNull(null, i) {
				return nil, tooLong()
			}
			out[i] = r
		}
		return vec.Of(datatype.Timestamp, out), nil
	}, nil
}

// toInt64 widens an integer vector that is not constant.
func toInt64(v *vec.Vec, n int) []int64 {
	switch vec.PhysOf(v.Type) {
	case vec.PI8:
		return widen(v.I8[:n])
	case vec.PI16:
		return widen(v.I16[:n])
	case vec.PI32:
		return widen(v.I32[:n])
	}
	return v.I64[:n]
}

func widen[T int8 | int16 | int32](in []T) []int64 {
	out := make([]int64, len(in))
	for i, x := range in {
		out[i] = int64(x)
	}
	return out
}

// addInterval adds months and days on the wall clock of the session's zone, and the rest of a day as elapsed time.
//
// Source: Spark's DateTimeUtils.timestampAddMonths and timestampAddDayTime.
func addInterval(c *call, sign int64) (evalFunc, error) {
	from, iv := c.typ(0), c.typ(1)
	c.fails = true
	if from.Kind() == datatype.KindDate {
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			out := make([]int32, n)
			a, ma, mb := v[0].I32, v[0].Mask(), v[1].Mask()
			for i := range out {
				if isNull(null, i) {
					continue
				}
				var d int64
				if iv.Kind() == datatype.KindYearMonth {
					d = addMonths(a[i&ma], sign*int64(v[1].I32[i&mb]))
				} else {
					d = int64(a[i&ma]) + sign*(v[1].I64[i&mb]/microsPerDay)
				}
				if int64(int32(d)) != d {
					return nil, dateOverflow()
				}
				out[i] = int32(d)
			}
			return vec.Of(datatype.Date, out), nil
		}, nil
	}
	if iv.Kind() != datatype.KindYearMonth && iv.Kind() != datatype.KindDayTime {
		return nil, c.refuse("intervals of type %s are not supported; use months, or days to seconds.", iv)
	}
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out := make([]int64, n)
		z := newZone(nil)
		if from.Kind() == datatype.KindTimestamp {
			z = newZone(c.env.Zone)
		}
		a, ma, mb := v[0].I64, v[0].Mask(), v[1].Mask()
		for i := range out {
			if isNull(null, i) {
				continue
			}
			x := a[i&ma]
			off := z.at(x)
			local := x + off
			if iv.Kind() == datatype.KindYearMonth {
				d := addMonths(localDay(local), sign*int64(v[1].I32[i&mb]))
				out[i] = z.instantWith(d*microsPerDay+timetext.FloorMod(local, microsPerDay), off)
				continue
			}
			us := sign * v[1].I64[i&mb]
			days := us / microsPerDay
			y := x
			if days != 0 {
				y = z.instantWith(local+days*microsPerDay, off)
			}
			r := y + us - days*microsPerDay
			if (y^r)&((us-days*microsPerDay)^r) < 0 {
				return nil, condition.Newf(condition.DatetimeOverflow, "Datetime operation overflow: the time stamp is out of range.")
			}
			out[i] = r
		}
		return vec.Of(c.Typ, out), nil
	}, nil
}

// timestampDiff is the distance of the wall clocks, as Spark's subtractTimestamps.
func timestampDiff(c *call) (evalFunc, error) {
	if c.typ(0).Kind() == datatype.KindDate {
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			out := make([]int64, n)
			a, b, ma, mb := v[0].I32, v[1].I32, v[0].Mask(), v[1].Mask()
			for i := range out {
				out[i] = (int64(a[i&ma]) - int64(b[i&mb])) * microsPerDay
			}
			return vec.Of(c.Typ, out), nil
		}, nil
	}
	return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
		z := newZone(nil)
		if c.typ(0).Kind() == datatype.KindTimestamp {
			z = newZone(c.env.Zone)
		}
		out := make([]int64, n)
		a, b, ma, mb := v[0].I64, v[1].I64, v[0].Mask(), v[1].Mask()
		for i := range out {
			out[i] = z.local(a[i&ma]) - z.local(b[i&mb])
		}
		return vec.Of(c.Typ, out), nil
	}, nil
}
