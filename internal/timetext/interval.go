package timetext

import (
	"strconv"
	"strings"

	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// AppendDayTime writes a day–time interval in microseconds as Spark's ANSI text: INTERVAL '1 02:03:04.5' DAY TO SECOND.
func AppendDayTime(dst []byte, micros int64, t datatype.DayTime) []byte {
	dst = append(dst, "INTERVAL '"...)
	u := uint64(micros)
	if micros < 0 {
		dst = append(dst, '-')
		u = -u
	}
	days, hours, minutes := u/MicrosPerDay, u/(3600*MicrosPerSecond), u/(60*MicrosPerSecond)
	seconds, fraction := u/MicrosPerSecond, int(u%MicrosPerSecond)
	two := func(v uint64) {
		if v < 10 {
			dst = append(dst, '0')
		}
		dst = strconv.AppendUint(dst, v, 10)
	}
	for f := t.Start; f <= t.End; f++ {
		if f > t.Start {
			if f == datatype.Hour {
				dst = append(dst, ' ')
			} else {
				dst = append(dst, ':')
			}
		}
		// The first field counts everything above it; the ones behind it are below their unit.
		switch f {
		case datatype.Day:
			dst = strconv.AppendUint(dst, days, 10)
		case datatype.Hour:
			if f > t.Start {
				hours %= 24
			}
			two(hours)
		case datatype.Minute:
			if f > t.Start {
				minutes %= 60
			}
			two(minutes)
		case datatype.Second:
			if f > t.Start {
				seconds %= 60
			}
			two(seconds)
			dst = AppendFraction(dst, fraction)
		}
	}
	dst = append(dst, "' "...)
	return append(dst, strings.TrimPrefix(t.String(), "INTERVAL ")...)
}

// AppendYearMonth writes a year–month interval in months as Spark's ANSI text: INTERVAL '1-2' YEAR TO MONTH.
func AppendYearMonth(dst []byte, months int32, t datatype.YearMonth) []byte {
	dst = append(dst, "INTERVAL '"...)
	u := int64(months)
	if u < 0 {
		dst = append(dst, '-')
		u = -u
	}
	switch {
	case t.Start == t.End && t.Start == datatype.Month:
		dst = strconv.AppendInt(dst, u, 10)
	case t.Start == t.End:
		dst = strconv.AppendInt(dst, u/12, 10)
	default:
		dst = strconv.AppendInt(dst, u/12, 10)
		dst = append(dst, '-')
		dst = strconv.AppendInt(dst, u%12, 10)
	}
	dst = append(dst, "' "...)
	return append(dst, strings.TrimPrefix(t.String(), "INTERVAL ")...)
}

// intervalBody takes the text between the quotes of INTERVAL ±'…' unit, or the text itself where the word is not there, and the
// sign that stands before the quote.
func intervalBody(s, unit string) (body string, sign int64, ok bool) {
	s = strings.TrimSpace(s)
	if len(s) < 8 || !strings.EqualFold(s[:8], "INTERVAL") {
		return s, 1, true
	}
	s = strings.TrimSpace(s[8:])
	sign = 1
	if s != "" && (s[0] == '+' || s[0] == '-') {
		if s[0] == '-' {
			sign = -1
		}
		s = s[1:]
	}
	if s == "" || s[0] != '\'' {
		return "", 0, false
	}
	end := strings.LastIndexByte(s, '\'')
	if end == 0 || !strings.EqualFold(strings.Join(strings.Fields(s[end+1:]), " "), unit) {
		return "", 0, false
	}
	return s[1:end], sign, true
}

// ParseDayTime reads a day–time interval in the fields of t, as Spark casts text to it: '1 02:03:04.5', alone or in
// INTERVAL '…' DAY TO SECOND. The result is in microseconds.
func ParseDayTime(s string, t datatype.DayTime) (int64, bool) {
	body, sign, ok := intervalBody(s, strings.TrimPrefix(t.String(), "INTERVAL "))
	if !ok {
		return 0, false
	}
	if body != "" && (body[0] == '+' || body[0] == '-') {
		if body[0] == '-' {
			sign = -sign
		}
		body = body[1:]
	}
	units := [...]int64{MicrosPerDay, 3600 * MicrosPerSecond, 60 * MicrosPerSecond, MicrosPerSecond}
	bounds := [...]int64{0, 23, 59, 59}
	var total int64
	for f := t.Start; f <= t.End; f++ {
		var part string
		if f < t.End {
			sep := ":"
			if f == datatype.Day {
				sep = " "
			}
			var found bool
			if part, body, found = strings.Cut(body, sep); !found {
				return 0, false
			}
		} else {
			part = body
		}
		fraction := ""
		if f == datatype.Second {
			part, fraction, _ = strings.Cut(part, ".")
			if len(fraction) > 9 {
				return 0, false
			}
		}
		v, ok := digits(part)
		if !ok || f > t.Start && (v > bounds[f] || len(part) > 2) {
			return 0, false
		}
		if t.Start == datatype.Second && v == 0 {
			sign = 1 // Spark takes the sign off the whole seconds, and minus zero has none
		}
		if v > (1<<63-1)/units[f] {
			return 0, false
		}
		if total += v * units[f]; total < 0 {
			return 0, false
		}
		if fraction != "" {
			if len(fraction) > 6 {
				fraction = fraction[:6]
			}
			n, ok := digits(fraction)
			if !ok {
				return 0, false
			}
			for k := len(fraction); k < 6; k++ {
				n *= 10
			}
			if total += n; total < 0 {
				return 0, false
			}
		}
	}
	return sign * total, true
}

// ParseYearMonth reads a year–month interval in the fields of t: '1-2', alone or in INTERVAL '…' YEAR TO MONTH. The result is in
// months.
func ParseYearMonth(s string, t datatype.YearMonth) (int32, bool) {
	body, sign, ok := intervalBody(s, strings.TrimPrefix(t.String(), "INTERVAL "))
	if !ok {
		return 0, false
	}
	if body != "" && (body[0] == '+' || body[0] == '-') {
		if body[0] == '-' {
			sign = -sign
		}
		body = body[1:]
	}
	var total int64
	switch {
	case t.Start != t.End:
		y, m, found := strings.Cut(body, "-")
		a, ok1 := digits(y)
		b, ok2 := digits(m)
		if !found || !ok1 || !ok2 || b > 11 || a > 1<<31/12 {
			return 0, false
		}
		total = a*12 + b
	default:
		v, ok := digits(body)
		if !ok || v > 1<<31 {
			return 0, false
		}
		if total = v; t.Start == datatype.Year {
			total *= 12
		}
	}
	total *= sign
	return int32(total), total >= -1<<31 && total < 1<<31
}

func digits(s string) (int64, bool) {
	if s == "" || len(s) > 18 {
		return 0, false
	}
	var v int64
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		v = v*10 + int64(s[i]-'0')
	}
	return v, true
}

// LooksYearMonth tells a text that has the form of a year–month interval but a number out of range from one of another form; Spark names the
// two faults apart.
func LooksYearMonth(s string, t datatype.YearMonth) bool {
	body, _, ok := intervalBody(s, strings.TrimPrefix(t.String(), "INTERVAL "))
	if body != "" && (body[0] == '+' || body[0] == '-') {
		body = body[1:]
	}
	years, months, two := strings.Cut(body, "-")
	return ok && two == (t.Start != t.End) && allDigits(years) && (!two || allDigits(months))
}

func allDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
