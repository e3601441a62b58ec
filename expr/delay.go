package expr

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// delayUnits are the units of Spark's interval texts. A month counts 31 days in a watermark, as in Spark.
var delayUnits = map[string]time.Duration{
	"week": 7 * 24 * time.Hour, "day": 24 * time.Hour, "hour": time.Hour, "minute": time.Minute, "second": time.Second,
	"millisecond": time.Millisecond, "microsecond": time.Microsecond, "month": 31 * 24 * time.Hour, "year": 12 * 31 * 24 * time.Hour,
}

// ParseDelay reads a watermark delay as Spark does: numbers and units in turn, such as "1 month", "1 day -10 seconds" or
// "10 seconds", with "interval" before it if one likes. A month counts 31 days. A delay below zero in all, or finer than a
// millisecond, is an error.
func ParseDelay(text string) Delay {
	at := condition.Here(1)
	fail := func(why string) Delay {
		e := condition.Newf(condition.InvalidWatermarkDelay, "The delay %q cannot be read: %s.", text, why)
		e.Pos, e.Hint = at, "Write it as «10 seconds» or «1 hour 30 minutes»."
		return Delay{text: text, err: e}
	}
	words := strings.Fields(strings.ToLower(text))
	if len(words) > 0 && words[0] == "interval" {
		words = words[1:]
	}
	if len(words) == 0 || len(words)%2 != 0 {
		return fail("numbers and units must take turns")
	}
	var total, months float64
	for i := 0; i < len(words); i += 2 {
		name := strings.TrimSuffix(words[i+1], "s")
		unit, ok := delayUnits[name]
		if !ok {
			return fail("there is no unit " + words[i+1])
		}
		n, err := strconv.ParseFloat(words[i], 64)
		if err != nil {
			return fail(words[i] + " is no number")
		}
		if n != math.Trunc(n) && name != "second" {
			return fail("only seconds may have a fraction")
		}
		if name == "month" || name == "year" {
			months += n * float64(unit)
		}
		total += n * float64(unit)
	}
	// Spark looks at months and the rest apart: a negative rest may not eat up the months.
	if total < 0 || months != 0 && total-months < -31*24*float64(time.Hour) {
		return fail("it must not be below zero")
	}
	if total > float64(math.MaxInt64)/2 {
		return fail("it is longer than 146 years")
	}
	d := time.Duration(math.Round(total))
	if d%time.Millisecond != 0 {
		return fail("it is finer than a millisecond")
	}
	return Delay{d: d, text: strings.Join(words, " ")}
}
