package kernel

import (
	"strconv"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/internal/javanum"
)

// appender writes row i of v, which is not null.
type appender func(b []byte, v *vec.Vec, i int) []byte

// formatter gives the text of a cast to STRING. It keeps a zone's last offset, so it belongs to one evaluation.
func formatter(t datatype.Type, env *Env) appender {
	switch x := t.(type) {
	case datatype.Decimal:
		if env.ANSI {
			return func(b []byte, v *vec.Vec, i int) []byte {
				return append(b, decString(v.Dec[i&v.Mask()], x.Scale)...)
			}
		}
		return func(b []byte, v *vec.Vec, i int) []byte {
			return append(b, javaDecString(v.Dec[i&v.Mask()], x.Scale)...)
		}
	case datatype.DayTime:
		return func(b []byte, v *vec.Vec, i int) []byte { return appendDayTime(b, v.I64[i&v.Mask()], x) }
	case datatype.YearMonth:
		return func(b []byte, v *vec.Vec, i int) []byte { return appendYearMonth(b, v.I32[i&v.Mask()], x) }
	case datatype.Array:
		elem := nested(x.Elem, env)
		return func(b []byte, v *vec.Vec, i int) []byte {
			i &= v.Mask()
			b = append(b, '[')
			for j := v.Off[i]; j < v.Off[i+1]; j++ {
				if j > v.Off[i] {
					b = append(b, ", "...)
				}
				b = elem(b, v.Kids[0], int(j))
			}
			return append(b, ']')
		}
	case datatype.Map:
		key, value := nested(x.Key, env), nested(x.Value, env)
		return func(b []byte, v *vec.Vec, i int) []byte {
			i &= v.Mask()
			b = append(b, '{')
			for j := v.Off[i]; j < v.Off[i+1]; j++ {
				if j > v.Off[i] {
					b = append(b, ", "...)
				}
				b = append(key(b, v.Kids[0], int(j)), " -> "...)
				b = value(b, v.Kids[1], int(j))
			}
			return append(b, '}')
		}
	case datatype.Struct:
		var fields []appender
		for _, f := range x.Fields {
			fields = append(fields, nested(f.Type, env))
		}
		return func(b []byte, v *vec.Vec, i int) []byte {
			i &= v.Mask()
			b = append(b, '{')
			for k, f := range fields {
				if k > 0 {
					b = append(b, ", "...)
				}
				b = f(b, v.Kids[k], i)
			}
			return append(b, '}')
		}
	}
	switch t.Kind() {
	case datatype.KindBoolean:
		return func(b []byte, v *vec.Vec, i int) []byte { return strconv.AppendBool(b, v.Bool[i&v.Mask()]) }
	case datatype.KindByte:
		return func(b []byte, v *vec.Vec, i int) []byte {
			return strconv.AppendInt(b, int64(v.I8[i&v.Mask()]), 10)
		}
	case datatype.KindShort:
		return func(b []byte, v *vec.Vec, i int) []byte {
			return strconv.AppendInt(b, int64(v.I16[i&v.Mask()]), 10)
		}
	case datatype.KindInt:
		return func(b []byte, v *vec.Vec, i int) []byte {
			return strconv.AppendInt(b, int64(v.I32[i&v.Mask()]), 10)
		}
	case datatype.KindLong:
		return func(b []byte, v *vec.Vec, i int) []byte { return strconv.AppendInt(b, v.I64[i&v.Mask()], 10) }
	case datatype.KindFloat:
		return func(b []byte, v *vec.Vec, i int) []byte {
			return javanum.AppendFloat(b, float64(v.F32[i&v.Mask()]), 32)
		}
	case datatype.KindDouble:
		return func(b []byte, v *vec.Vec, i int) []byte { return javanum.AppendFloat(b, v.F64[i&v.Mask()], 64) }
	case datatype.KindString, datatype.KindChar, datatype.KindVarchar, datatype.KindBinary:
		return func(b []byte, v *vec.Vec, i int) []byte { return append(b, v.Str(i)...) }
	case datatype.KindDate:
		return func(b []byte, v *vec.Vec, i int) []byte { return appendDate(b, v.I32[i&v.Mask()]) }
	case datatype.KindTime:
		return func(b []byte, v *vec.Vec, i int) []byte { return appendClock(b, v.I64[i&v.Mask()]) }
	case datatype.KindTimestamp:
		z := newZone(env.Zone)
		return func(b []byte, v *vec.Vec, i int) []byte { return AppendTimestamp(b, z.local(v.I64[i&v.Mask()])) }
	case datatype.KindTimestampNTZ:
		return func(b []byte, v *vec.Vec, i int) []byte { return AppendTimestamp(b, v.I64[i&v.Mask()]) }
	}
	return nil
}

func nested(t datatype.Type, env *Env) appender {
	f := formatter(t, env)
	return func(b []byte, v *vec.Vec, i int) []byte {
		if f == nil || v.IsNull(i) {
			return append(b, "null"...)
		}
		return f(b, v, i)
	}
}

var dayTimeWords = [...]string{"DAY", "HOUR", "MINUTE", "SECOND"}

// appendDayTime prints INTERVAL '1 02:03:04.5' DAY TO SECOND, as Spark's IntervalUtils in ANSI style.
func appendDayTime(b []byte, us int64, t datatype.DayTime) []byte {
	b = append(b, "INTERVAL '"...)
	if us < 0 {
		b = append(b, '-')
	}
	u := absU(us)
	day, hour, minute, second := uint64(microsPerDay), uint64(microsPerHour), uint64(microsPerMinute), uint64(microsPerSecond)
	units := [...]uint64{day, hour, minute, second}
	for f := t.Start; f <= t.End && int(f) < len(units); f++ {
		x := u / units[f]
		u %= units[f]
		if f == t.Start {
			if f == datatype.Day {
				b = strconv.AppendUint(b, x, 10)
			} else {
				b = pad(b, int(x), 2)
			}
		} else {
			if f == datatype.Hour {
				b = append(b, ' ')
			} else {
				b = append(b, ':')
			}
			b = pad(b, int(x), 2)
		}
		if f == datatype.Second && u > 0 {
			s := pad(nil, int(u), 6)
			for s[len(s)-1] == '0' {
				s = s[:len(s)-1]
			}
			b = append(append(b, '.'), s...)
		}
	}
	b = append(b, "' "...)
	b = append(b, dayTimeWords[t.Start]...)
	if t.End != t.Start {
		b = append(append(b, " TO "...), dayTimeWords[t.End]...)
	}
	return b
}

func appendYearMonth(b []byte, months int32, t datatype.YearMonth) []byte {
	b = append(b, "INTERVAL '"...)
	m := int64(months)
	if m < 0 {
		b = append(b, '-')
		m = -m
	}
	switch {
	case t.Start == t.End && t.Start == datatype.Year:
		return append(strconv.AppendInt(b, m/12, 10), "' YEAR"...)
	case t.Start == t.End:
		return append(strconv.AppendInt(b, m, 10), "' MONTH"...)
	}
	b = append(strconv.AppendInt(b, m/12, 10), '-')
	return append(strconv.AppendInt(b, m%12, 10), "' YEAR TO MONTH"...)
}
