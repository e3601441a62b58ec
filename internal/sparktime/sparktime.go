// Package sparktime reads the durations of Spark's options, such as "15m" and "100ms".
package sparktime

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// units are the suffixes that Spark reads. Source: Spark's JavaUtils.timeSuffixes.
var units = map[string]time.Duration{
	"us": time.Microsecond, "ms": time.Millisecond, "s": time.Second, "m": time.Minute, "min": time.Minute, "h": time.Hour, "d": 24 * time.Hour,
}

// Parse reads a whole number with one of the units us, ms, s, m, min, h and d in either letter case. A number without a unit counts bare.
func Parse(text string, bare time.Duration) (time.Duration, error) {
	t := strings.ToLower(strings.TrimSpace(text))
	digits := strings.TrimRightFunc(t, func(r rune) bool { return r < '0' || r > '9' })
	unit, ok := bare, true
	if suffix := strings.TrimSpace(t[len(digits):]); suffix != "" {
		unit, ok = units[suffix]
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || !ok || n < 0 {
		return 0, fmt.Errorf("%q is no duration: it must be a whole number with one of the units us, ms, s, m, min, h, d", text)
	}
	if n > math.MaxInt64/int64(unit) {
		return 0, fmt.Errorf("the duration %q is too long", text)
	}
	return time.Duration(n) * unit, nil
}
