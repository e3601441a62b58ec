package kernel

import (
	"strconv"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/internal/javanum"
	"github.com/spoonbill-go/spoonbill/internal/timetext"
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
		return func(b []byte, v *vec.Vec, i int) []byte { return timetext.AppendDayTime(b, v.I64[i&v.Mask()], x) }
	case datatype.YearMonth:
		return func(b []byte, v *vec.Vec, i int) []byte { return timetext.AppendYearMonth(b, v.I32[i&v.Mask()], x) }
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
		return func(b []byte, v *vec.Vec, i int) []byte { return timetext.AppendDate(b, int64(v.I32[i&v.Mask()])) }
	case datatype.KindTime:
		return func(b []byte, v *vec.Vec, i int) []byte { return timetext.AppendTime(b, v.I64[i&v.Mask()]) }
	case datatype.KindTimestamp:
		z := timetext.NewZone(env.Zone)
		return func(b []byte, v *vec.Vec, i int) []byte { return timetext.AppendTimestamp(b, v.I64[i&v.Mask()], z) }
	case datatype.KindTimestampNTZ:
		return func(b []byte, v *vec.Vec, i int) []byte { return timetext.AppendTimestampNTZ(b, v.I64[i&v.Mask()]) }
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
