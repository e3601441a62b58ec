// Package zoneid reads time zones by the names that Spark takes.
package zoneid

import (
	"strings"
	"time"
)

// Parse gives the zone of a name as Spark's getZoneId: an offset such as +01:00, -8, +0530 or +01:30:15, of 18 hours at most; UTC, GMT or UT,
// alone or before an offset; Z; one of Java's short names such as PST; or a region of the zone database. It is false for any other name.
func Parse(name string) (*time.Location, bool) {
	s := name
	switch s {
	case "Z", "UTC", "GMT", "UT":
		return time.UTC, true
	case "", "Local": // the names that Go has for itself
		return nil, false
	}
	if r, ok := short[s]; ok {
		s = r
	}
	for _, p := range []string{"UTC", "GMT", "UT"} {
		if rest, ok := strings.CutPrefix(s, p); ok && rest != "" && (rest[0] == '+' || rest[0] == '-') {
			s = rest
			break
		}
	}
	if s[0] == '+' || s[0] == '-' {
		off, ok := offset(s[1:])
		if !ok {
			return nil, false
		}
		if s[0] == '-' {
			off = -off
		}
		return time.FixedZone(name, off), true
	}
	loc, err := time.LoadLocation(s)
	return loc, err == nil
}

// offset reads h, hh, hhmm, hhmmss, h[h]:m[m] and h[h]:m[m]:ss as seconds.
func offset(s string) (int, bool) {
	parts := strings.Split(s, ":")
	if len(parts) == 1 && len(s) > 2 {
		if len(s) != 4 && len(s) != 6 {
			return 0, false
		}
		parts = nil
		for i := 0; i < len(s); i += 2 {
			parts = append(parts, s[i:i+2])
		}
	}
	if len(parts) > 3 {
		return 0, false
	}
	total := 0
	for i, p := range parts {
		n := 0
		if p == "" || len(p) > 2 || i == 2 && len(p) != 2 {
			return 0, false
		}
		for _, c := range []byte(p) {
			if c < '0' || c > '9' {
				return 0, false
			}
			n = 10*n + int(c-'0')
		}
		if i > 0 && n > 59 {
			return 0, false
		}
		total += n * [3]int{3600, 60, 1}[i]
	}
	return total, total <= 18*3600
}

// short are Java's ZoneId.SHORT_IDS.
var short = map[string]string{
	"ACT": "Australia/Darwin", "AET": "Australia/Sydney", "AGT": "America/Argentina/Buenos_Aires", "ART": "Africa/Cairo", "AST": "America/Anchorage",
	"BET": "America/Sao_Paulo", "BST": "Asia/Dhaka", "CAT": "Africa/Harare", "CNT": "America/St_Johns", "CST": "America/Chicago", "CTT": "Asia/Shanghai",
	"EAT": "Africa/Addis_Ababa", "ECT": "Europe/Paris", "IET": "America/Indiana/Indianapolis", "IST": "Asia/Kolkata", "JST": "Asia/Tokyo", "MIT": "Pacific/Apia",
	"NET": "Asia/Yerevan", "NST": "Pacific/Auckland", "PLT": "Asia/Karachi", "PNT": "America/Phoenix", "PRT": "America/Puerto_Rico", "PST": "America/Los_Angeles",
	"SST": "Pacific/Guadalcanal", "VST": "Asia/Ho_Chi_Minh", "EST": "-05:00", "MST": "-07:00", "HST": "-10:00",
}
