package kernel

import (
	"math"
	"strconv"
	"time"

	"github.com/spoonbill-go/spoonbill/internal/zoneid"
)

// Microseconds of the units.
const (
	microsPerSecond = int64(1_000_000)
	microsPerMinute = 60 * microsPerSecond
	microsPerHour   = 60 * microsPerMinute
	microsPerDay    = 24 * microsPerHour
)

// floorDiv divides rounding down, where Go rounds towards zero: instants before 1970 belong to the day before.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// floorMod is the remainder of floorDiv, never negative.
func floorMod(a, b int64) int64 {
	r := a % b
	if r < 0 {
		r += b
	}
	return r
}

// civil gives the date of a day number in the proleptic Gregorian calendar, which Spark uses for all time (era of 400 years
// from 0000-03-01, so that the leap day is the last of a year).
func civil(days int32) (y int, m, d int) {
	z := int64(days) + 719468
	era := floorDiv(z, 146097)
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	d = int(doy-(153*mp+2)/5) + 1
	m = int(mp) + 3
	y = int(yoe + era*400)
	if m > 12 {
		m -= 12
		y++
	}
	return y, m, d
}

// dayNumber is the inverse of civil; d may lie outside the month.
func dayNumber(y, m, d int) int64 {
	yy := int64(y)
	if m <= 2 {
		yy--
	}
	era := floorDiv(yy, 400)
	yoe := yy - era*400
	mp := int64((m + 9) % 12)
	doy := (153*mp+2)/5 + int64(d) - 1
	doe := yoe*365 + yoe/4 - yoe/100 + doy
	return era*146097 + doe - 719468
}

func leap(y int) bool { return y%4 == 0 && (y%100 != 0 || y%400 == 0) }

func monthDays(y, m int) int {
	switch m {
	case 2:
		if leap(y) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// addMonths moves a day by months and cuts it to the last day of its month.
func addMonths(days int32, months int64) int64 {
	y, m, d := civil(days)
	t := int64(y)*12 + int64(m-1) + months
	y, m = int(floorDiv(t, 12)), int(floorMod(t, 12))+1
	return dayNumber(y, m, min(d, monthDays(y, m)))
}

// weekday is 0 for Monday to 6 for Sunday.
func weekday(days int32) int { return int(floorMod(int64(days)+3, 7)) }

// isoWeek is the week of ISO 8601: week 1 has the year's first Thursday.
func isoWeek(days int32) int {
	thursday := days + 3 - int32(weekday(days))
	y, _, _ := civil(thursday)
	return int(int64(thursday)-dayNumber(y, 1, 1))/7 + 1
}

// zoneOffsets looks up a zone's offset from UTC and remembers the span of the last answer, because neighbouring rows mostly
// share it. It belongs to one evaluation.
type zoneOffsets struct {
	loc    *time.Location
	lo, hi int64 // microseconds between which off is right
	off    int64
}

// newZone makes the look-up of a zone; nil and UTC have one span for all time. lo > hi makes the first question look the offset up.
func newZone(loc *time.Location) zoneOffsets {
	z := zoneOffsets{loc: loc, lo: 1, hi: 0}
	if loc == nil || loc == time.UTC {
		z.lo, z.hi = math.MinInt64, math.MaxInt64
	}
	return z
}

// at gives the offset in microseconds at an instant.
func (z *zoneOffsets) at(us int64) int64 {
	if us >= z.lo && us < z.hi {
		return z.off
	}
	t := time.UnixMicro(us).In(z.loc)
	_, sec := t.Zone()
	z.off = int64(sec) * microsPerSecond
	start, end := t.ZoneBounds()
	z.lo, z.hi = math.MinInt64, math.MaxInt64
	if !start.IsZero() {
		z.lo = start.UnixMicro()
	}
	if !end.IsZero() {
		z.hi = end.UnixMicro()
	}
	return z.off
}

// local gives the wall clock of an instant as microseconds.
func (z *zoneOffsets) local(us int64) int64 { return us + z.at(us) }

// instant gives the instant of a wall clock as java.time does: the earlier of two, and a clock within a gap moved on by the
// gap's length. prefer is the offset to keep where the clock has two, or MinInt64.
func (z *zoneOffsets) instant(local, prefer int64) int64 {
	if z.loc == nil || z.loc == time.UTC {
		return local
	}
	before := z.at(local - microsPerDay)
	after := z.at(local + microsPerDay)
	if before == after {
		if z.at(local-before) == before {
			return local - before
		}
	}
	// The offset before the next transition and the one behind it are the candidates.
	a := local - before
	ea := z.at(a)
	b := local - after
	eb := z.at(b)
	switch {
	case ea == before && eb == after:
		if prefer == after && before != after {
			return b
		}
		return min(a, b)
	case ea == before:
		return a
	case eb == after:
		return b
	}
	return a // a gap: the offset before it moves the clock on
}

func localDay(local int64) int32 { return int32(floorDiv(local, microsPerDay)) }

// appendDate prints yyyy-MM-dd; years past 9999 have a plus sign, as java.time prints them.
func appendDate(b []byte, days int32) []byte {
	y, m, d := civil(days)
	switch {
	case y > 9999:
		b = append(b, '+')
	case y < 0:
		b = append(b, '-')
		y = -y
	}
	b = pad(b, y, 4)
	b = append(b, '-')
	b = pad(b, m, 2)
	b = append(b, '-')
	return pad(b, d, 2)
}

// pad prints a number with zeros in front up to a width.
func pad(b []byte, x, width int) []byte {
	s := strconv.Itoa(x)
	for i := len(s); i < width; i++ {
		b = append(b, '0')
	}
	return append(b, s...)
}

// appendClock prints HH:mm:ss and the fraction without trailing zeros.
func appendClock(b []byte, us int64) []byte {
	sec := us / microsPerSecond
	b = pad(b, int(sec/3600), 2)
	b = append(b, ':')
	b = pad(b, int(sec/60%60), 2)
	b = append(b, ':')
	b = pad(b, int(sec%60), 2)
	if f := us % microsPerSecond; f != 0 {
		b = append(b, '.')
		s := pad(nil, int(f), 6)
		for len(s) > 0 && s[len(s)-1] == '0' {
			s = s[:len(s)-1]
		}
		b = append(b, s...)
	}
	return b
}

// AppendTimestamp prints a wall clock as a cast to STRING does: yyyy-MM-dd HH:mm:ss and the fraction without trailing zeros.
func AppendTimestamp(b []byte, local int64) []byte {
	b = appendDate(b, localDay(local))
	b = append(b, ' ')
	return appendClock(b, floorMod(local, microsPerDay))
}

// FormatDate prints a date as a cast to STRING does.
func FormatDate(days int32) string { return string(appendDate(nil, days)) }

// FormatTimestamp prints an instant (microseconds) in a zone as a cast to STRING does; a nil zone prints a TIMESTAMP_NTZ.
func FormatTimestamp(us int64, zone *time.Location) string {
	z := newZone(zone)
	return string(AppendTimestamp(nil, z.local(us)))
}

// isBlank tells what Spark's casts trim from a text: blanks and ASCII control characters.
func isBlank(c byte) bool { return c <= ' ' || c == 0x7f }

func trimBlanks(s string) string {
	for s != "" && isBlank(s[0]) {
		s = s[1:]
	}
	for s != "" && isBlank(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

// parseDigits reads between least and most digits.
func parseDigits(s string, least, most int) (n int, rest string, ok bool) {
	i := 0
	for i < len(s) && i < most && s[i] >= '0' && s[i] <= '9' {
		n = n*10 + int(s[i]-'0')
		i++
	}
	return n, s[i:], i >= least
}

// datePart reads [+-]y{4,7}[-m[m][-d[d]]] and tells how many of the three parts there were.
func datePart(s string) (days int64, parts int, rest string, ok bool) {
	neg := false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		neg = s[0] == '-'
		s = s[1:]
	}
	y, rest, ok := parseDigits(s, 4, 7)
	if !ok {
		return 0, 0, "", false
	}
	if neg {
		y = -y
	}
	m, d, parts := 1, 1, 1
	if rest != "" && rest[0] == '-' {
		if m, rest, ok = parseDigits(rest[1:], 1, 2); !ok {
			return 0, 0, "", false
		}
		parts = 2
		if rest != "" && rest[0] == '-' {
			if d, rest, ok = parseDigits(rest[1:], 1, 2); !ok {
				return 0, 0, "", false
			}
			parts = 3
		}
	}
	if m < 1 || m > 12 || d < 1 || d > monthDays(y, m) {
		return 0, 0, "", false
	}
	days = dayNumber(y, m, d)
	return days, parts, rest, days >= math.MinInt32 && days <= math.MaxInt32
}

// ParseDate reads a text as CAST(… AS DATE) does: yyyy, yyyy-m, yyyy-m-d, and anything behind a blank or T after a whole date.
//
// Source: Spark's DateTimeUtils.stringToDate.
func ParseDate(s string) (int32, bool) {
	days, parts, rest, ok := datePart(trimBlanks(s))
	if !ok || rest != "" && (parts != 3 || rest[0] != ' ' && rest[0] != 'T') {
		return 0, false
	}
	return int32(days), true
}

// ParseTimestamp reads a text as CAST(… AS TIMESTAMP) does, without a zone in the session's zone: a date as in [ParseDate], then
// a blank or T and h[h]:m[m][:s[s][.fraction]] and a zone (Z, UTC, GMT+8, +08:00, Europe/Berlin). now gives the date of a
// time alone. With ntz a zone is dropped and the wall clock is kept.
//
// Source: Spark's DateTimeUtils.parseTimestampString.
func ParseTimestamp(s string, zone *time.Location, ntz bool, now int64) (int64, bool) {
	s = trimBlanks(s)
	if s == "" {
		return 0, false
	}
	var days int64
	rest := s
	timeOnly := false
	if s[0] == 'T' || len(s) > 2 && (s[1] == ':' || s[2] == ':') {
		if ntz {
			return 0, false
		}
		timeOnly = true
		if s[0] == 'T' {
			if rest = s[1:]; rest == "" {
				return 0, false
			}
		}
	} else {
		var parts int
		var ok bool
		days, parts, rest, ok = datePart(s)
		if !ok {
			return 0, false
		}
		if rest != "" {
			if parts != 3 || rest[0] != ' ' && rest[0] != 'T' {
				return 0, false
			}
			rest = rest[1:]
			if rest == "" {
				return 0, false
			}
		}
	}
	var clock int64
	var zoneText string
	if rest != "" {
		var ok bool
		clock, zoneText, ok = parseClock(rest)
		if !ok {
			return 0, false
		}
	}
	loc := zone
	if zoneText != "" {
		var ok bool
		if loc, ok = zoneid.Parse(zoneText); !ok {
			return 0, false
		}
	}
	z := newZone(loc)
	if timeOnly {
		days = int64(localDay(z.local(now)))
	}
	if days > math.MaxInt64/microsPerDay-1 || days < math.MinInt64/microsPerDay+1 {
		return 0, false
	}
	local := days*microsPerDay + clock
	if ntz {
		return local, true
	}
	return z.instant(local, math.MinInt64), true
}

// parseClock reads h[h]:m[m][:s[s][.fraction]] and gives what follows as a zone. Digits behind the sixth are read and dropped.
func parseClock(s string) (us int64, zone string, ok bool) {
	h, rest, ok := parseDigits(s, 1, 2)
	if !ok || h > 23 {
		return 0, "", false
	}
	var m, sec, frac int
	if rest == "" || rest[0] != ':' {
		return 0, "", false
	}
	if m, rest, ok = parseDigits(rest[1:], 1, 2); !ok || m > 59 {
		return 0, "", false
	}
	if rest != "" && rest[0] == ':' {
		if sec, rest, ok = parseDigits(rest[1:], 1, 2); !ok || sec > 59 {
			return 0, "", false
		}
		if rest != "" && rest[0] == '.' {
			rest = rest[1:]
			n := 0
			for rest != "" && rest[0] >= '0' && rest[0] <= '9' {
				if n < 6 {
					frac = frac*10 + int(rest[0]-'0')
				}
				n++
				rest = rest[1:]
			}
			for ; n < 6; n++ {
				frac *= 10
			}
		}
	}
	return (int64(h)*3600+int64(m)*60+int64(sec))*microsPerSecond + int64(frac), trimBlanks(rest), true
}
