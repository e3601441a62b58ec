package kernel

import (
	"time"

	"github.com/spoonbill-go/spoonbill/internal/timetext"
)

// Microseconds of the units.
const (
	microsPerSecond = int64(1_000_000)
	microsPerMinute = 60 * microsPerSecond
	microsPerHour   = 60 * microsPerMinute
	microsPerDay    = 24 * microsPerHour
)

// addMonths moves a day by months and cuts it to the last day of its month.
func addMonths(days int32, months int64) int64 {
	y, m, d := timetext.CivilOf(int64(days))
	t := int64(y)*12 + int64(m-1) + months
	y, m = int(timetext.FloorDiv(t, 12)), int(timetext.FloorMod(t, 12))+1
	return timetext.DayNumber(y, m, min(d, timetext.DaysIn(y, m)))
}

// weekday is 0 for Monday to 6 for Sunday.
func weekday(days int32) int { return int(timetext.FloorMod(int64(days)+3, 7)) }

// isoWeek is the week of ISO 8601: week 1 has the year's first Thursday.
func isoWeek(days int32) int {
	thursday := days + 3 - int32(weekday(days))
	y, _, _ := timetext.CivilOf(int64(thursday))
	return int(int64(thursday)-timetext.DayNumber(y, 1, 1))/7 + 1
}

// zoneClock is a zone's wall clock in microseconds. It belongs to one evaluation, since it remembers the last offset.
type zoneClock struct {
	zone *timetext.Zone
	utc  bool
}

// newZone makes the wall clock of a zone; nil is UTC.
func newZone(loc *time.Location) zoneClock {
	return zoneClock{timetext.NewZone(loc), loc == nil || loc == time.UTC}
}

// at gives the offset in microseconds at an instant.
func (z zoneClock) at(us int64) int64 {
	if z.utc {
		return 0
	}
	return z.zone.OffsetAt(timetext.FloorDiv(us, microsPerSecond)) * microsPerSecond
}

// local gives the wall clock of an instant as microseconds.
func (z zoneClock) local(us int64) int64 { return us + z.at(us) }

// instant gives the instant of a wall clock as java.time does: the earlier of two, and a clock within a gap moved on by the gap's length.
func (z zoneClock) instant(local int64) int64 {
	if z.utc {
		return local
	}
	sec := timetext.FloorDiv(local, microsPerSecond)
	return z.zone.ToInstant(sec)*microsPerSecond + local - sec*microsPerSecond
}

// instantWith is instant that keeps the offset prefer, in microseconds, where the clock comes twice.
func (z zoneClock) instantWith(local, prefer int64) int64 {
	if us := local - prefer; z.at(us) == prefer {
		return us
	}
	return z.instant(local)
}

func localDay(local int64) int32 { return int32(timetext.FloorDiv(local, microsPerDay)) }
