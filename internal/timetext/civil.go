// Package timetext reads and writes dates, time stamps and intervals as Spark's text formats do: the forms that a cast
// understands, and a subset of the letters of Java's date patterns for the options timestampFormat and dateFormat.
//
// Instants are microseconds from 1970-01-01 00:00:00 UTC and dates are days from 1970-01-01, in the proleptic Gregorian
// calendar, as in Spark 3 and later.
package timetext

import (
	"math"
	"time"
)

// The lengths of units in microseconds.
const (
	MicrosPerSecond = 1_000_000
	MicrosPerDay    = 86_400 * MicrosPerSecond
)

// DaysOf gives the day number of a civil date, or false where the date does not exist or leaves the range of a 32-bit day.
func DaysOf(year, month, day int) (int32, bool) {
	if month < 1 || month > 12 || day < 1 || day > DaysIn(year, month) {
		return 0, false
	}
	d := DayNumber(year, month, day)
	if d < math.MinInt32 || d > math.MaxInt32 {
		return 0, false
	}
	return int32(d), true
}

// DaysIn gives the length of a month.
func DaysIn(year, month int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// DayNumber is the inverse of [CivilOf]; the day may lie outside its month. It counts in eras of 400 years that begin on the first of March, so
// that a leap day ends a year.
func DayNumber(year, month, day int) int64 {
	y, m, d := int64(year), int64(month), int64(day)
	if m <= 2 {
		y--
	}
	era := FloorDiv(y, 400)
	yoe := y - era*400
	mp := (m + 9) % 12
	doy := (153*mp+2)/5 + d - 1
	doe := yoe*365 + yoe/4 - yoe/100 + doy
	return era*146_097 + doe - 719_468
}

// CivilOf gives the civil date of a day number.
func CivilOf(days int64) (year, month, day int) {
	z := days + 719_468
	era := FloorDiv(z, 146_097)
	doe := z - era*146_097
	yoe := (doe - doe/1460 + doe/36_524 - doe/146_096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	d := doy - (153*mp+2)/5 + 1
	m := mp + 3
	if m > 12 {
		m -= 12
	}
	y := yoe + era*400
	if m <= 2 {
		y++
	}
	return int(y), int(m), int(d)
}

// FloorDiv divides rounding down, where Go rounds towards zero: instants before 1970 belong to the day before.
func FloorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// FloorMod is the remainder of [FloorDiv], never negative where b is positive.
func FloorMod(a, b int64) int64 {
	r := a % b
	if r < 0 {
		r += b
	}
	return r
}

// Zone converts between instants and wall clocks of one time zone. It remembers the stretch of time between two changes of
// the clock, so that neighbouring values cost no look-up; it is therefore not for several goroutines at once.
type Zone struct {
	loc *time.Location
	// The offset, in seconds, of the instants from lo (inclusive) up to hi, in seconds.
	lo, hi, offset int64
}

// NewZone makes a converter for a location; nil is UTC.
func NewZone(loc *time.Location) *Zone {
	if loc == nil {
		loc = time.UTC
	}
	return &Zone{loc: loc}
}

// Location gives the location.
func (z *Zone) Location() *time.Location { return z.loc }

// farPast and farFuture bound the instants for which package time finds the bounds of an offset; Spark's range is narrower.
const (
	farPast   = math.MinInt64 / 4
	farFuture = math.MaxInt64 / 4
)

// OffsetAt gives the seconds that the wall clock is ahead of UTC at an instant in seconds.
func (z *Zone) OffsetAt(sec int64) int64 {
	if sec >= z.lo && sec < z.hi {
		return z.offset
	}
	t := time.Unix(sec, 0).In(z.loc)
	_, off := t.Zone()
	z.offset, z.lo, z.hi = int64(off), farPast, farFuture
	if start, end := t.ZoneBounds(); true {
		if !start.IsZero() {
			z.lo = start.Unix()
		}
		if !end.IsZero() {
			z.hi = end.Unix()
		}
	}
	return z.offset
}

// ToInstant gives the instant in seconds of a wall clock in seconds. As in Java, a wall clock that the change to summer time
// skips is moved on by the length of the gap, and of one that comes twice the earlier is taken.
func (z *Zone) ToInstant(wall int64) int64 {
	// No offset is larger than 18 hours, so the instants a day before and after lie on either side of a change nearby.
	before := z.OffsetAt(wall - 86_400)
	if first := wall - before; z.OffsetAt(first) == before {
		return first
	}
	after := z.OffsetAt(wall + 86_400)
	if second := wall - after; z.OffsetAt(second) == after {
		return second
	}
	return wall - before
}

// addMicros gives sec seconds and micros microseconds, or false where that leaves 64 bits.
func addMicros(sec, micros int64) (int64, bool) {
	if sec > math.MaxInt64/MicrosPerSecond || sec < math.MinInt64/MicrosPerSecond-1 {
		return 0, false
	}
	if sec < math.MinInt64/MicrosPerSecond {
		// The last partial second at the lower end: shift it so that no step of the sum leaves the range.
		sec, micros = sec+1, micros-MicrosPerSecond
	}
	out := sec * MicrosPerSecond
	if micros > 0 && out > math.MaxInt64-micros || micros < 0 && out < math.MinInt64-micros {
		return 0, false
	}
	return out + micros, true
}
