package timetext

import (
	"bytes"
	"time"

	"github.com/spoonbill-go/spoonbill/internal/zoneid"
)

// ParseDate reads a date as Spark casts text to DATE: [+-]yyyy, yyyy-[m]m, yyyy-[m]m-[d]d, the last one with anything behind a
// blank or a T. Blanks around it do not count.
func ParseDate(s []byte) (int32, bool) {
	j, end := trim(s)
	if j == end {
		return 0, false
	}
	seg := [3]int{1, 1, 1}
	sign := 1
	if s[j] == '-' || s[j] == '+' {
		if s[j] == '-' {
			sign = -1
		}
		j++
	}
	i, v, digits := 0, 0, 0
	valid := func() bool {
		if i == 0 {
			return digits >= 4 && digits <= 7
		}
		return digits > 0 && digits <= 2
	}
	for j < end && s[j] != ' ' && s[j] != 'T' {
		b := s[j]
		if i < 2 && b == '-' {
			if !valid() {
				return 0, false
			}
			seg[i], v, digits = v, 0, 0
			i++
		} else {
			if b < '0' || b > '9' || digits > 7 {
				return 0, false
			}
			v = v*10 + int(b-'0')
			digits++
		}
		j++
	}
	if !valid() || i < 2 && j < end {
		return 0, false
	}
	seg[i] = v
	return DaysOf(sign*seg[0], seg[1], seg[2])
}

// wallClock is the parts of a time stamp's text.
type wallClock struct {
	// year, month, day, hour, minute, second, microsecond
	seg      [7]int
	zone     []byte // nil for none
	timeOnly bool
}

// ParseTimestamp reads an instant as Spark casts text to TIMESTAMP. Text without a zone is of z; text with a time of day alone
// is of the day that today gives, in the zone of the text.
func ParseTimestamp(s []byte, z *Zone, today func(*time.Location) int32) (int64, bool) {
	if sec, micros, utc, ok := parsePlain(s); ok {
		if !utc {
			sec = z.ToInstant(sec)
		}
		return addMicros(sec, micros)
	}
	w, ok := parseWallClock(s)
	if !ok {
		return 0, false
	}
	if w.zone != nil {
		fixed, loc, ok := zoneid.Lookup(string(w.zone))
		if !ok {
			return 0, false
		}
		if loc == nil {
			if w.timeOnly {
				loc = time.FixedZone("", fixed)
			} else {
				return w.micros(func(wall int64) int64 { return wall - int64(fixed) })
			}
		}
		z = NewZone(loc)
	}
	if w.timeOnly {
		w.seg[0], w.seg[1], w.seg[2] = CivilOf(int64(today(z.loc)))
	}
	return w.micros(z.ToInstant)
}

// ParseTimestampNTZ reads a wall clock as Spark casts text to TIMESTAMP_NTZ. A time of day alone is refused, and a zone too
// unless allowZone lets it be ignored.
func ParseTimestampNTZ(s []byte, allowZone bool) (int64, bool) {
	w, ok := parseWallClock(s)
	if !ok || w.timeOnly || w.zone != nil && !allowZone {
		return 0, false
	}
	if w.zone != nil {
		if _, _, ok := zoneid.Lookup(string(w.zone)); !ok {
			return 0, false
		}
	}
	return w.micros(func(wall int64) int64 { return wall })
}

func (w *wallClock) micros(instant func(int64) int64) (int64, bool) {
	g := &w.seg
	days, ok := DaysOf(g[0], g[1], g[2])
	if !ok || g[3] > 23 || g[4] > 59 || g[5] > 59 {
		return 0, false
	}
	return addMicros(instant(int64(days)*86_400+int64(g[3]*3600+g[4]*60+g[5])), int64(g[6]))
}

// parsePlain reads the form that machines write, yyyy-mm-dd?hh:mm:ss[.f…][Z], without the general reader's bookkeeping. It may
// refuse what [parseWallClock] takes, but never differs from it.
func parsePlain(s []byte) (sec, micros int64, utc, ok bool) {
	if len(s) < 19 || s[4] != '-' || s[7] != '-' || s[10] != 'T' && s[10] != ' ' || s[13] != ':' || s[16] != ':' {
		return 0, 0, false, false
	}
	two := func(i int) int {
		a, b := s[i]-'0', s[i+1]-'0'
		if a > 9 || b > 9 {
			return -1 << 20
		}
		return int(a)*10 + int(b)
	}
	year := two(0)*100 + two(2)
	month, day, h, m, sc := two(5), two(8), two(11), two(14), two(17)
	if year < 0 || month < 0 || day < 0 || h < 0 || m < 0 || sc < 0 || h > 23 || m > 59 || sc > 59 {
		return 0, 0, false, false
	}
	i := 19
	if i < len(s) && s[i] == '.' {
		n := 0
		for i++; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
			if n < 6 {
				micros = micros*10 + int64(s[i]-'0')
				n++
			}
		}
		for ; n < 6; n++ {
			micros *= 10
		}
	}
	if i < len(s) && s[i] == 'Z' {
		utc = true
		i++
	}
	if i != len(s) {
		return 0, 0, false, false
	}
	days, ok := DaysOf(year, month, day)
	return int64(days)*86_400 + int64(h*3600+m*60+sc), micros, utc, ok
}

// parseWallClock splits the text into its parts.
func parseWallClock(s []byte) (w wallClock, ok bool) {
	j, end := trim(s)
	if j == end {
		return w, false
	}
	w.seg = [7]int{1, 1, 1}
	start := j
	sign, signed := 1, false
	if s[j] == '-' || s[j] == '+' {
		signed = true
		if s[j] == '-' {
			sign = -1
		}
		j++
	}
	i, v, digits, fraction := 0, 0, 0, 0
	valid := func(seg int) bool {
		switch seg {
		case 0:
			return digits >= 4 && digits <= 6
		case 6:
			return true
		case 7:
			return digits <= 2
		}
		return digits > 0 && digits <= 2
	}
	set := func(seg int) bool {
		if !valid(seg) {
			return false
		}
		w.seg[seg], v, digits = v, 0, 0
		return true
	}
	for ; j < end; j++ {
		b := s[j]
		if b >= '0' && b <= '9' {
			if i == 6 {
				// Digits behind the microsecond are cut off, as in Spark.
				if digits < 6 {
					v = v*10 + int(b-'0')
					fraction++
				}
			} else {
				if digits > 6 {
					return w, false
				}
				v = v*10 + int(b-'0')
			}
			digits++
			continue
		}
		switch {
		case j == start && b == 'T':
			w.timeOnly = true
			i = 3
		case i < 2:
			switch {
			case b == '-':
				if !set(i) {
					return w, false
				}
				i++
			case i == 0 && b == ':' && !signed:
				w.timeOnly = true
				if !set(3) {
					return w, false
				}
				i = 4
			default:
				return w, false
			}
		case i == 2:
			if b != ' ' && b != 'T' || !set(2) {
				return w, false
			}
			i = 3
		case i == 3 || i == 4:
			if b != ':' || !set(i) {
				return w, false
			}
			i++
		case b == '.' && i == 5:
			if !set(5) {
				return w, false
			}
			i = 6
		default:
			if !set(i) {
				return w, false
			}
			i = 7
			w.zone = bytes.TrimSpace(s[j:end])
			j = end
		}
	}
	if i < 7 && !set(i) {
		return w, false
	}
	for ; fraction > 0 && fraction < 6; fraction++ {
		w.seg[6] *= 10
	}
	w.seg[0] *= sign
	return w, true
}

// trim gives the bounds without leading and trailing white space and control characters.
func trim(s []byte) (int, int) {
	i, j := 0, len(s)
	for i < j && (s[i] <= ' ' || s[i] == 0x7f) {
		i++
	}
	for j > i && (s[j-1] <= ' ' || s[j-1] == 0x7f) {
		j--
	}
	return i, j
}

// AppendDate writes a date as Spark casts it to text: yyyy-MM-dd, with a sign before years behind 9999 or before 0.
func AppendDate(dst []byte, days int64) []byte {
	y, m, d := CivilOf(days)
	dst = appendYear(dst, y)
	dst = append(dst, '-', byte('0'+m/10), byte('0'+m%10), '-', byte('0'+d/10), byte('0'+d%10))
	return dst
}

func appendYear(dst []byte, y int) []byte {
	switch {
	case y < 0:
		dst = append(dst, '-')
		y = -y
	case y > 9999:
		dst = append(dst, '+')
	}
	return appendPadded(dst, y, 4)
}

func appendPadded(dst []byte, v, width int) []byte {
	var buf [20]byte
	i := len(buf)
	for v > 0 || width > 0 {
		i--
		buf[i] = byte('0' + v%10)
		v /= 10
		width--
	}
	return append(dst, buf[i:]...)
}

// AppendTimestamp writes an instant as Spark casts it to text: yyyy-MM-dd HH:mm:ss on the wall clock of z, then the fraction
// without trailing zeros.
func AppendTimestamp(dst []byte, micros int64, z *Zone) []byte {
	sec := FloorDiv(micros, MicrosPerSecond)
	return AppendTimestampNTZ(dst, micros+z.OffsetAt(sec)*MicrosPerSecond)
}

// AppendTimestampNTZ writes a wall clock as Spark casts it to text.
func AppendTimestampNTZ(dst []byte, micros int64) []byte {
	days := FloorDiv(micros, MicrosPerDay)
	dst = AppendDate(dst, days)
	dst = append(dst, ' ')
	rest := micros - days*MicrosPerDay
	dst = appendClock(dst, rest/MicrosPerSecond)
	return AppendFraction(dst, int(rest%MicrosPerSecond))
}

func appendClock(dst []byte, sec int64) []byte {
	h, m, s := sec/3600, sec/60%60, sec%60
	return append(dst, byte('0'+h/10), byte('0'+h%10), ':', byte('0'+m/10), byte('0'+m%10), ':', byte('0'+s/10), byte('0'+s%10))
}

// AppendFraction writes a point and the microseconds of a second without trailing zeros, and nothing for none.
func AppendFraction(dst []byte, micros int) []byte {
	if micros == 0 {
		return dst
	}
	dst = append(dst, '.')
	dst = appendPadded(dst, micros, 6)
	for dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// AppendTime writes a time of day in microseconds as Spark casts it to text: HH:mm:ss, then the fraction without trailing zeros.
func AppendTime(dst []byte, micros int64) []byte {
	return AppendFraction(appendClock(dst, micros/MicrosPerSecond), int(micros%MicrosPerSecond))
}
