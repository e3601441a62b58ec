// Package zoneid reads time zones by the names that Spark takes.
package zoneid

import (
	"strings"
	"sync"
	"time"
)

// Parse gives the zone of a name as Spark's getZoneId: an offset such as +01:00, -8, +0530 or +01:30:15, of 18 hours at most; UTC, GMT or UT,
// alone or before an offset; Z; one of Java's short names such as PST; or a region of the zone database. It is false for any other name.
func Parse(name string) (*time.Location, bool) {
	off, loc, ok := Lookup(name)
	switch {
	case !ok:
		return nil, false
	case loc != nil:
		return loc, true
	case off == 0:
		return time.UTC, true
	}
	return time.FixedZone(name, off), true
}

// regions caches the locations that names gave. Only names that exist enter, so the zone database bounds it.
var regions sync.Map

// Lookup is [Parse] that gives a fixed offset in seconds, with a nil location, so that a text with an offset in each row makes no garbage.
func Lookup(name string) (offset int, loc *time.Location, ok bool) {
	if long, found := short[name]; found {
		name = long
	}
	switch name {
	case "":
		return 0, nil, false
	case "Z", "UTC", "GMT", "UT":
		return 0, nil, true
	}
	s := name
	for _, p := range [...]string{"UTC", "GMT", "UT"} {
		if rest, found := strings.CutPrefix(s, p); found && rest != "" && (rest[0] == '+' || rest[0] == '-') {
			s = rest
			break
		}
	}
	if s[0] == '+' || s[0] == '-' {
		off, ok := parseOffset(s)
		return off, nil, ok
	}
	if l, found := regions.Load(name); found {
		return 0, l.(*time.Location), true
	}
	// Package time gives a meaning to names that Java does not know: the machine's own zone, and folders beside the regions.
	if len(name) < 2 || name == "Local" || name == "localtime" || name == "posixrules" || name == "Factory" ||
		strings.HasPrefix(name, "posix/") || strings.HasPrefix(name, "right/") || name[0] < 'A' || name[0] > 'z' {
		return 0, nil, false
	}
	l, err := time.LoadLocation(name)
	if err != nil {
		return 0, nil, false
	}
	regions.Store(name, l)
	return 0, l, true
}

// parseOffset reads ±h, ±hh, ±h:mm, ±hh:m, ±hhmm, ±hh:mm, ±hhmmss, ±hh:mm:ss, at most 18 hours, as seconds.
func parseOffset(s string) (int, bool) {
	sign := 1
	if s[0] == '-' {
		sign = -1
	}
	parts := strings.Split(s[1:], ":")
	if len(parts) == 1 {
		p := parts[0]
		switch len(p) {
		case 1, 2:
		case 4:
			parts = []string{p[:2], p[2:]}
		case 6:
			parts = []string{p[:2], p[2:4], p[4:]}
		default:
			return 0, false
		}
	} else if len(parts) > 3 || len(parts) == 3 && (len(parts[1]) != 2 || len(parts[2]) != 2) {
		return 0, false
	}
	total, unit := 0, 3600
	for i, p := range parts {
		if len(p) < 1 || len(p) > 2 {
			return 0, false
		}
		v := 0
		for k := range len(p) {
			if p[k] < '0' || p[k] > '9' {
				return 0, false
			}
			v = v*10 + int(p[k]-'0')
		}
		if i > 0 && v > 59 {
			return 0, false
		}
		total += v * unit
		unit /= 60
	}
	if total > 18*3600 {
		return 0, false
	}
	return sign * total, true
}

// Short gives the zone that one of Java's three letters stand for, such as PST.
func Short(name string) (string, bool) {
	long, ok := short[name]
	return long, ok
}

// short are Java's ZoneId.SHORT_IDS.
var short = map[string]string{
	"ACT": "Australia/Darwin", "AET": "Australia/Sydney", "AGT": "America/Argentina/Buenos_Aires", "ART": "Africa/Cairo", "AST": "America/Anchorage",
	"BET": "America/Sao_Paulo", "BST": "Asia/Dhaka", "CAT": "Africa/Harare", "CNT": "America/St_Johns", "CST": "America/Chicago", "CTT": "Asia/Shanghai",
	"EAT": "Africa/Addis_Ababa", "ECT": "Europe/Paris", "IET": "America/Indiana/Indianapolis", "IST": "Asia/Kolkata", "JST": "Asia/Tokyo", "MIT": "Pacific/Apia",
	"NET": "Asia/Yerevan", "NST": "Pacific/Auckland", "PLT": "Asia/Karachi", "PNT": "America/Phoenix", "PRT": "America/Puerto_Rico", "PST": "America/Los_Angeles",
	"SST": "Pacific/Guadalcanal", "VST": "Asia/Ho_Chi_Minh", "EST": "-05:00", "MST": "-07:00", "HST": "-10:00",
}
