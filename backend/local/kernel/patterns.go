package kernel

import (
	"errors"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/internal/timetext"
)

func init() {
	register("date_format", dateFormat)
	register("from_unixtime", fromUnixtime)
	for name, to := range map[string]datatype.Type{"to_date": datatype.Date, "to_timestamp": datatype.Timestamp, "to_timestamp_ltz": datatype.Timestamp, "to_timestamp_ntz": datatype.TimestampNTZ,
		"unix_timestamp": datatype.Long, "to_unix_timestamp": datatype.Long} {
		register(name, func(c *call) (evalFunc, error) { return readTime(c, to, c.env.ANSI, c.env.ANSI) })
	}
	register("try_to_date", func(c *call) (evalFunc, error) { return readTime(c, datatype.Date, true, false) })
	register("try_to_timestamp", func(c *call) (evalFunc, error) { return readTime(c, datatype.Timestamp, true, false) })
}

// unixPattern is the pattern of the functions of UNIX time when none is given.
const unixPattern = "yyyy-MM-dd HH:mm:ss"

// patterns compiles patterns, which may differ from row to row, and remembers the last one.
type patterns struct {
	use  timetext.Use
	text string
	p    *timetext.Pattern
}

// of gives the pattern of a text. One that Spark refuses raises in every mode, as there.
func (s *patterns) of(text string) (*timetext.Pattern, error) {
	if s.p != nil && s.text == text {
		return s.p, nil
	}
	p, err := timetext.CompileFor(text, s.use)
	if err != nil {
		name := condition.InvalidParameterPattern
		if e := (*timetext.PatternError)(nil); errors.As(err, &e) {
			name = e.Condition
		}
		return nil, condition.Newf(name, "The datetime pattern is refused: %v.", err)
	}
	s.text, s.p = text, p
	return p, nil
}

func namedZone(zone any) error {
	return condition.Newf(condition.Unsupported, "the engine does not have Java's names of zones: %v; use VV, XXX or O in the pattern instead of z or v.", zone)
}

func dateFormat(c *call) (evalFunc, error) {
	c.fails = true
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		s := patterns{use: timetext.Formatting}
		z := timetext.NewZone(c.env.Zone)
		w := newWriter(datatype.String, n)
		m := v[0].Mask()
		for i := range n {
			if !isNull(null, i) {
				p, err := s.of(v[1].Str(i))
				if err != nil {
					return nil, err
				}
				if p.NamesZone() && z.Location().String() != "UTC" {
					return nil, namedZone(z.Location())
				}
				w.buf = p.AppendTimestamp(w.buf, v[0].I64[i&m], z)
			}
			w.end()
		}
		return w.vec(), nil
	}, nil
}

func fromUnixtime(c *call) (evalFunc, error) {
	c.fails = len(c.args) > 1
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		s := patterns{use: timetext.Formatting}
		z := timetext.NewZone(c.env.Zone)
		w := newWriter(datatype.String, n)
		m := v[0].Mask()
		for i := range n {
			if !isNull(null, i) {
				format := unixPattern
				if len(v) > 1 {
					format = v[1].Str(i)
				}
				p, err := s.of(format)
				if err != nil {
					return nil, err
				}
				if p.NamesZone() && z.Location().String() != "UTC" {
					return nil, namedZone(z.Location())
				}
				w.buf = p.AppendTimestamp(w.buf, v[0].I64[i&m]*microsPerSecond, z) // Spark's seconds wrap around too
			}
			w.end()
		}
		return w.vec(), nil
	}, nil
}

// readTime reads dates, time stamps and seconds since 1970 from texts: by a pattern, else as a cast does. A date or time stamp is converted, and a
// pattern beside it means nothing, null or not.
func readTime(c *call, to datatype.Type, ansi, raise bool) (evalFunc, error) {
	if datatype.IsDatetime(c.typ(0)) || c.typ(0).Kind() == datatype.KindNull {
		return convertTime(c, to), nil
	}
	if len(c.args) == 1 && to.Kind() != datatype.KindLong {
		k := &caster{from: c.typ(0), to: to, env: c.env, ansi: ansi, raise: raise}
		f, err := k.bind()
		if err != nil {
			return nil, err
		}
		c.fails = k.fails && raise
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) { return f(v[0].Flat(), n, null) }, nil
	}
	c.fails = true
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		s := patterns{use: timetext.Parsing}
		z := timetext.NewZone(c.env.Zone)
		clock := newZone(c.env.Zone)
		var days []int32
		var out []int64
		if to.Kind() == datatype.KindDate {
			days = make([]int32, n)
		} else {
			out = make([]int64, n)
		}
		more := nulls{b: null}
		for i := range n {
			if isNull(null, i) {
				continue
			}
			format := unixPattern
			if len(v) > 1 {
				format = v[1].Str(i)
			}
			p, err := s.of(format)
			if err != nil {
				return nil, err
			}
			text := v[0].Str(i)
			var x int64
			var ok bool
			if to.Kind() == datatype.KindTimestampNTZ {
				x, ok = p.ParseWallClock(text)
			} else {
				x, ok = p.ParseTimestamp(text, z)
			}
			if !ok {
				if zone, found := p.UnknownZone(text); found {
					return nil, namedZone(zone)
				}
				if raise {
					return nil, condition.Newf(condition.CannotParseTimestamp, "Text '%s' could not be parsed by the pattern '%s'. Use `try_to_timestamp` or `try_to_date` to tolerate invalid input string and return NULL instead.", text, format)
				}
				more.set(i, n)
				continue
			}
			switch to.Kind() {
			case datatype.KindDate:
				days[i] = localDay(clock.local(x))
			case datatype.KindLong:
				out[i] = x / microsPerSecond
			default:
				out[i] = x
			}
		}
		if days != nil {
			return vec.Of(to, days).WithNull(more.b), nil
		}
		return vec.Of(to, out).WithNull(more.b), nil
	}, nil
}

// convertTime takes a date or a time stamp as the type that was asked for.
func convertTime(c *call, to datatype.Type) evalFunc {
	c.raw = true
	from := c.typ(0).Kind()
	return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
		in := v[0].Repeat(n)
		if !v[0].Const {
			in = v[0]
		}
		if from == datatype.KindNull || in.AllNull() {
			return vec.Nulls(to, n), nil
		}
		in = in.Flat()
		if to.Kind() == datatype.KindDate {
			return vec.Of(to, c.days(in, n)).WithNull(in.Null), nil
		}
		z := newZone(c.env.Zone)
		out := make([]int64, n)
		for i := range out {
			switch {
			case from == datatype.KindDate && to.Kind() == datatype.KindTimestampNTZ:
				out[i] = int64(in.I32[i]) * microsPerDay
			case from == datatype.KindDate:
				out[i] = z.instant(int64(in.I32[i]) * microsPerDay)
			case from == datatype.KindTimestamp && to.Kind() == datatype.KindTimestampNTZ:
				out[i] = z.local(in.I64[i])
			case from == datatype.KindTimestampNTZ && to.Kind() == datatype.KindTimestamp:
				out[i] = z.instant(in.I64[i])
			default:
				out[i] = in.I64[i] // the seconds of a TIMESTAMP_NTZ are those of its clock in UTC
			}
			if to.Kind() == datatype.KindLong {
				out[i] /= microsPerSecond
			}
		}
		return vec.Of(to, out).WithNull(in.Null), nil
	}
}
