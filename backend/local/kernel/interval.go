package kernel

import (
	"math"
	"math/big"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/internal/timetext"
)

func init() {
	for _, try := range []bool{false, true} {
		prefix := ""
		if try {
			prefix = "try_"
		}
		register(prefix+"interval_add", func(c *call) (evalFunc, error) { return sumIntervals(c, 1, try), nil })
		register(prefix+"interval_sub", func(c *call) (evalFunc, error) { return sumIntervals(c, -1, try), nil })
		register(prefix+"interval_mul", func(c *call) (evalFunc, error) { return scaleInterval(c, false, try), nil })
		register(prefix+"interval_div", func(c *call) (evalFunc, error) { return scaleInterval(c, true, try), nil })
	}
	register("interval_negate", func(c *call) (evalFunc, error) {
		c.fails = true
		return intervals(c, false, func(v []*vec.Vec, i int) (int64, error) {
			x := intervalAt(v[0], i)
			if x == math.MinInt64 {
				return 0, intervalOverflow()
			}
			return -x, nil
		}), nil
	})
	register("make_ym_interval", func(c *call) (evalFunc, error) {
		return intervals(c, false, func(v []*vec.Vec, i int) (int64, error) {
			years := partAt(v, 0, i) * 12
			if years != int64(int32(years)) {
				return 0, intervalOverflow()
			}
			return years + partAt(v, 1, i), nil
		}), nil
	})
	register("make_dt_interval", func(c *call) (evalFunc, error) {
		return intervals(c, false, func(v []*vec.Vec, i int) (int64, error) {
			total := int64(0)
			if len(v) > 3 {
				total = v[3].Dec[i&v[3].Mask()].BigInt().Int64()
			}
			for k, unit := range [...]int64{microsPerDay, microsPerHour, microsPerMinute} {
				x, ok := mulExact(partAt(v, k, i), unit)
				if ok {
					total, ok = addExact(total, x)
				}
				if !ok {
					return 0, intervalOverflow()
				}
			}
			return total, nil
		}), nil
	})
}

func intervalOverflow() error {
	return condition.Newf("INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION", "Integer overflow while operating with intervals.")
}

// partAt is an INT argument, zero where it was left out.
func partAt(v []*vec.Vec, k, i int) int64 {
	if k >= len(v) {
		return 0
	}
	return int64(v[k].I32[i&v[k].Mask()])
}

// intervalAt is an interval in months or microseconds.
func intervalAt(v *vec.Vec, i int) int64 {
	i &= v.Mask()
	if v.I32 != nil {
		return int64(v.I32[i])
	}
	return v.I64[i]
}

// intervals computes intervals row by row; months that leave 32 bits overflow. With try an error is null.
func intervals(c *call, try bool, f func(v []*vec.Vec, i int) (int64, error)) evalFunc {
	c.fails = c.fails || !try
	months := c.Typ.Kind() == datatype.KindYearMonth
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		var out32 []int32
		var out64 []int64
		if months {
			out32 = make([]int32, n)
		} else {
			out64 = make([]int64, n)
		}
		more := nulls{b: null}
		for i := range n {
			if isNull(null, i) {
				continue
			}
			x, err := f(v, i)
			if err == nil && months && x != int64(int32(x)) {
				err = intervalOverflow()
			}
			switch {
			case err != nil && try:
				more.set(i, n)
			case err != nil:
				return nil, err
			case months:
				out32[i] = int32(x)
			default:
				out64[i] = x
			}
		}
		if months {
			return vec.Of(c.Typ, out32).WithNull(more.b), nil
		}
		return vec.Of(c.Typ, out64).WithNull(more.b), nil
	}
}

func sumIntervals(c *call, sign int64, try bool) evalFunc {
	overflow := condition.Newf("INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION", "Integer overflow while operating with intervals. Use `try_add` or `try_subtract` to tolerate overflow and return NULL instead.")
	months := c.Typ.Kind() == datatype.KindYearMonth
	return intervals(c, try, func(v []*vec.Vec, i int) (int64, error) {
		a, b := intervalAt(v[0], i), intervalAt(v[1], i)
		r := a + sign*b
		if months && r != int64(int32(r)) || sign > 0 && (a^r)&(b^r) < 0 || sign < 0 && (a^b)&(a^r) < 0 {
			e := *overflow
			return 0, &e
		}
		return r, nil
	})
}

// scaleInterval multiplies or divides, rounding half away from zero.
//
// Source: Spark's MultiplyYMInterval, DivideDTInterval and their like, which use Guava's HALF_UP.
func scaleInterval(c *call, divide, try bool) evalFunc {
	overflow := func() error {
		return condition.Newf(condition.ArithmeticOverflow, "overflow: the interval is out of range.")
	}
	zero := func() error {
		return condition.Newf("INTERVAL_DIVIDED_BY_ZERO", "Division by zero. Use `try_divide` to tolerate divisor being 0 and return NULL instead.")
	}
	t := c.typ(1)
	months := c.Typ.Kind() == datatype.KindYearMonth
	limit := float64(math.MaxInt64)
	if months {
		limit = math.MaxInt32
	}
	var f func(v []*vec.Vec, i int) (int64, error)
	switch {
	case datatype.IsIntegral(t):
		get := intAt(t)
		f = func(v []*vec.Vec, i int) (int64, error) {
			a, b := intervalAt(v[0], i), get(v[1], i&v[1].Mask())
			if !divide {
				r, ok := mulExact(a, b)
				if !ok || months && r != int64(int32(r)) {
					return 0, overflow()
				}
				return r, nil
			}
			if b == 0 {
				return 0, zero()
			}
			if b == -1 && (a == math.MinInt64 || months && a == math.MinInt32) {
				return 0, intervalOverflow()
			}
			q, r := a/b, a%b
			// The remainder is at least half the divisor, compared without overflow.
			if ur, ub := magnitude(r), magnitude(b); ur >= ub-ur {
				if (a < 0) == (b < 0) {
					q++
				} else {
					q--
				}
			}
			return q, nil
		}
	case datatype.IsFloat(t):
		f = func(v []*vec.Vec, i int) (int64, error) {
			var b float64
			if j := i & v[1].Mask(); v[1].F32 != nil {
				b = float64(v[1].F32[j])
			} else {
				b = v[1].F64[j]
			}
			x := float64(intervalAt(v[0], i))
			if divide && b == 0 {
				return 0, zero()
			}
			if divide {
				x /= b
			} else {
				x *= b
			}
			r := math.Round(x)
			if x != x || r >= limit+1 || r < -limit-1 || !months && r >= limit {
				return 0, overflow()
			}
			return int64(r), nil
		}
	default:
		scale := bigPow10[t.(datatype.Decimal).Scale]
		f = func(v []*vec.Vec, i int) (int64, error) {
			a, b := big.NewInt(intervalAt(v[0], i)), v[1].Dec[i&v[1].Mask()].BigInt()
			var r int64
			ok := true
			switch {
			case !divide:
				r, ok = bigRound(a.Mul(a, b), scale)
			case b.Sign() == 0:
				return 0, zero()
			default:
				r, ok = bigRound(a.Mul(a, scale), b)
			}
			if !ok || months && r != int64(int32(r)) {
				return 0, overflow()
			}
			return r, nil
		}
	}
	return intervals(c, try, f)
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

// toInterval casts numbers, which count the last field of the type, and texts. What does not fit raises without ANSI too, as in Spark; only
// TRY_CAST gives null.
func (k *caster) toInterval() castFunc {
	unit, months := intervalUnit(k.to), k.to.Kind() == datatype.KindYearMonth
	inRange := func(x int64, ok bool) (int64, bool) { return x, ok && (!months || x == int64(int32(x))) }
	var f func(v *vec.Vec, i int) (int64, bool)
	fail := k.overflow
	switch {
	case datatype.IsIntegral(k.from):
		get := intAt(k.from)
		f = func(v *vec.Vec, i int) (int64, bool) { return inRange(mulExact(get(v, i), unit)) }
	case k.from.Kind() == datatype.KindDecimal:
		scale := bigPow10[k.from.(datatype.Decimal).Scale]
		f = func(v *vec.Vec, i int) (int64, bool) {
			x := v.Dec[i].BigInt()
			return inRange(bigRound(x.Mul(x, big.NewInt(unit)), scale))
		}
	case datatype.IsString(k.from):
		switch t := k.to.(type) {
		case datatype.YearMonth:
			f = func(v *vec.Vec, i int) (int64, bool) {
				x, ok := timetext.ParseYearMonth(v.Str(i), t)
				return int64(x), ok
			}
			fail = func(v *vec.Vec, i int) error {
				name := "INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING"
				if timetext.LooksYearMonth(v.Str(i), t) {
					name = "INVALID_INTERVAL_FORMAT.INTERVAL_PARSING"
				}
				return condition.Newf(name, "Error parsing '%s' to interval.", v.Str(i))
			}
		case datatype.DayTime:
			f = func(v *vec.Vec, i int) (int64, bool) { return timetext.ParseDayTime(v.Str(i), t) }
			fail = func(v *vec.Vec, i int) error {
				return condition.Newf("INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING_WITH_NOTICE", "Error parsing '%s' to interval.", v.Str(i))
			}
		}
	}
	if f == nil {
		return nil
	}
	k.raise = k.raise || !k.ansi
	if months {
		return castRows(k, func(v *vec.Vec, i int) (int32, bool) {
			x, ok := f(v, i)
			return int32(x), ok
		}, fail)
	}
	return castRows(k, f, fail)
}

// intervalToDecimal counts the last field of the interval's type, seconds with their fraction.
func (k *caster) intervalToDecimal(t datatype.Decimal) castFunc {
	unit, scale := intervalUnit(k.from), 0
	if d, ok := k.from.(datatype.DayTime); ok && d.End == datatype.Second {
		unit, scale = 1, 6
	}
	get := intAt(k.from)
	return castRows(k, func(v *vec.Vec, i int) (dec, bool) {
		return rescale(decimal128.FromI64(get(v, i)/unit), scale, t.Scale, t.Precision)
	}, func(v *vec.Vec, i int) error {
		return outOfRange(decString(decimal128.FromI64(get(v, i)/unit), scale), t)
	})
}
