package kernel

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/internal/timetext"
)

// caster is one cast while it is bound. TRY_CAST follows ANSI's rules of what converts, and gives null where ANSI raises.
type caster struct {
	from, to datatype.Type
	env      *Env
	ansi     bool
	raise    bool
	fails    bool
}

// passed is an error of what a cast casts, which the cast hands on as it is.
type passed struct{ error }

// compileStore makes the cast of what is written into a table, which raises under every mode and by another name.
//
// Source: Spark's CheckOverflowInTableInsert.
func compileStore(arg *Expr, x *tree.Cast, env *Env) (*Expr, error) {
	strict := *env
	strict.ANSI = true
	in := &Expr{Type: arg.Type, Columns: arg.Columns, Fails: arg.Fails, column: -1, eval: func(b *vec.Batch) (*vec.Vec, error) {
		v, err := arg.eval(b)
		if err != nil {
			err = passed{err}
		}
		return v, err
	}}
	out, err := compileCast(in, x.To, false, &strict, x.At)
	if err != nil {
		return nil, err
	}
	e := *out
	e.eval = func(b *vec.Batch) (*vec.Vec, error) {
		v, err := out.eval(b)
		if p, ok := err.(passed); ok {
			return nil, p.error
		}
		switch condition.Of(err) {
		case condition.CastOverflow, condition.NumericOutOfRange:
			c := condition.Newf(condition.CastOverflowInInsert, "Fail to assign a value of \"%s\" type to the \"%s\" type column due to an overflow.", arg.Type, x.To)
			c.Pos, c.Hint, c.Cause = x.At, "Use TryCast on the value to get null instead.", err
			return nil, c
		}
		return v, err
	}
	return &e, nil
}

// compileCast binds a cast. A cast that changes nothing but the nullability inside a type only renames the vector.
func compileCast(arg *Expr, to datatype.Type, try bool, env *Env, at condition.Pos) (*Expr, error) {
	if datatype.EqualIgnoringNulls(arg.Type, to) {
		if datatype.Equal(arg.Type, to) {
			return arg, nil
		}
		e := *arg
		e.Type, e.column = to, -1
		e.eval = func(b *vec.Batch) (*vec.Vec, error) {
			v, err := arg.eval(b)
			if err != nil {
				return nil, err
			}
			return v.WithType(to), nil
		}
		if e.lit != nil {
			return constant(e.lit.WithType(to)), nil
		}
		return &e, nil
	}
	k := &caster{from: arg.Type, to: to, env: env, ansi: env.ANSI || try, raise: env.ANSI && !try}
	f, err := k.bind()
	if err != nil {
		return nil, err
	}
	if f == nil {
		e := condition.Newf(condition.CastWithoutSuggestion, "Cannot cast %s to %s.", arg.Type, to)
		e.Pos = at
		return nil, e
	}
	out := &Expr{Type: to, Columns: arg.Columns, Fails: arg.Fails || k.fails && k.raise, column: -1}
	out.eval = func(b *vec.Batch) (*vec.Vec, error) {
		v, err := arg.eval(b)
		if err != nil {
			return nil, err
		}
		if v.AllNull() || b.N == 0 {
			return vec.Nulls(to, b.N), nil
		}
		n, repeat := b.N, v.Const
		if repeat {
			v, n = v.One(), 1
		}
		r, err := f(v, n, v.Null)
		if err != nil {
			if e, ok := err.(*condition.Error); ok && e.Pos.IsZero() {
				e.Pos, e.Hint = at, cmp.Or(e.Hint, catalog.Tolerant(e.Message))
			}
			return nil, err
		}
		if r.Null == nil && v.Null != nil {
			r = r.WithNull(v.Null)
		}
		if repeat {
			r = r.Repeat(b.N)
		}
		return r, nil
	}
	return fold(out, arg.lit != nil), nil
}

// castFunc converts n rows of a vector that is not constant. Where it sets no nulls the argument's stay.
type castFunc func(v *vec.Vec, n int, null []bool) (*vec.Vec, error)

// castRows converts row by row; f tells false where the value does not convert, and fail makes the error of that row, nil where it is null all the same.
func castRows[T vec.Value](k *caster, f func(v *vec.Vec, i int) (T, bool), fail func(v *vec.Vec, i int) error) castFunc {
	k.fails = k.fails || fail != nil
	to := k.to
	return func(v *vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out := make([]T, n)
		more := nulls{b: null}
		for i := range out {
			if isNull(null, i) {
				continue
			}
			x, ok := f(v, i)
			if !ok {
				if k.raise && fail != nil {
					if err := fail(v, i); err != nil {
						return nil, err
					}
				}
				more.set(i, n)
				continue
			}
			out[i] = x
		}
		return vec.Of(to, out).WithNull(more.b), nil
	}
}

// sqlText prints a value as Spark's messages do: 1L, 1.0D, 'a'.
func (k *caster) sqlText(v *vec.Vec, i int) string {
	f := formatter(k.from, k.env)
	if f == nil {
		return "?"
	}
	s := string(f(nil, v, i))
	switch k.from.Kind() {
	case datatype.KindLong:
		return s + "L"
	case datatype.KindByte:
		return s + "Y"
	case datatype.KindShort:
		return s + "S"
	case datatype.KindDouble:
		return s + "D"
	case datatype.KindString, datatype.KindChar, datatype.KindVarchar:
		return "'" + s + "'"
	case datatype.KindDecimal:
		return s + "BD"
	case datatype.KindTimestamp, datatype.KindTimestampNTZ, datatype.KindDate:
		return k.from.String() + " '" + s + "'"
	}
	return s
}

func (k *caster) overflow(v *vec.Vec, i int) error {
	return condition.Newf(condition.CastOverflow, "The value %s of the type \"%s\" cannot be cast to \"%s\" due to an overflow. Use try_cast to tolerate overflow and return NULL instead.", k.sqlText(v, i), k.from, k.to)
}

func (k *caster) invalid(v *vec.Vec, i int) error {
	return condition.Newf(condition.CastInvalidInput, "The value %s of the type \"%s\" cannot be cast to \"%s\" because it is malformed. Correct the value as per the syntax, or change its target type. Use try_cast to tolerate malformed input and return NULL instead.", k.sqlText(v, i), k.from, k.to)
}

// bind picks the conversion by the target. Nil without an error is a pair that Spark has no cast for.
func (k *caster) bind() (castFunc, error) {
	from, to := k.from, k.to
	switch {
	case from.Kind() == datatype.KindNull:
		return func(_ *vec.Vec, n int, _ []bool) (*vec.Vec, error) { return vec.Nulls(to, n).Flat(), nil }, nil
	case datatype.IsString(to):
		return k.toString()
	case to.Kind() == datatype.KindBinary:
		if datatype.IsString(from) {
			return func(v *vec.Vec, _ int, _ []bool) (*vec.Vec, error) { return v.WithType(to), nil }, nil
		}
		return nil, nil
	case to.Kind() == datatype.KindBoolean:
		return k.toBoolean(), nil
	case datatype.IsIntegral(to):
		switch vec.PhysOf(to) {
		case vec.PI8:
			return toInts[int8](k, 8), nil
		case vec.PI16:
			return toInts[int16](k, 16), nil
		case vec.PI32:
			return toInts[int32](k, 32), nil
		}
		return toInts[int64](k, 64), nil
	case to.Kind() == datatype.KindFloat:
		return toFloats[float32](k, 32), nil
	case to.Kind() == datatype.KindDouble:
		return toFloats[float64](k, 64), nil
	case to.Kind() == datatype.KindDecimal:
		return k.toDecimal(), nil
	case to.Kind() == datatype.KindDate:
		return k.toDate(), nil
	case to.Kind() == datatype.KindTimestamp || to.Kind() == datatype.KindTimestampNTZ:
		return k.toTimestamp(), nil
	case to.Kind() == datatype.KindDayTime && from.Kind() == datatype.KindDayTime:
		units := [...]int64{microsPerDay, microsPerHour, microsPerMinute, 1}
		u := units[to.(datatype.DayTime).End]
		return castRows(k, func(v *vec.Vec, i int) (int64, bool) { return v.I64[i] - v.I64[i]%u, true }, nil), nil
	case to.Kind() == datatype.KindYearMonth && from.Kind() == datatype.KindYearMonth:
		u := int32(1)
		if to.(datatype.YearMonth).End == datatype.Year {
			u = 12
		}
		return castRows(k, func(v *vec.Vec, i int) (int32, bool) { return v.I32[i] - v.I32[i]%u, true }, nil), nil
	case to.Kind() == datatype.KindDayTime || to.Kind() == datatype.KindYearMonth:
		return k.toInterval(), nil
	}
	return k.nested()
}

// nested casts containers element by element.
func (k *caster) nested() (castFunc, error) {
	from, to := vec.KidTypes(k.from), vec.KidTypes(k.to)
	if vec.PhysOf(k.from) != vec.PhysOf(k.to) || len(from) != len(to) || len(from) == 0 || k.from.Kind() != k.to.Kind() {
		return nil, nil
	}
	kids := make([]*Expr, len(from))
	for i := range from {
		col := &Expr{Type: from[i], column: i, Columns: []int{i}, eval: func(b *vec.Batch) (*vec.Vec, error) { return b.Cols[i].Flat(), nil }}
		try := k.ansi && !k.raise
		e, err := compileCast(col, to[i], try, k.env, condition.Pos{})
		if err != nil {
			return nil, err
		}
		k.fails = k.fails || e.Fails
		kids[i] = e
	}
	t := k.to
	return func(v *vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out := &vec.Vec{Type: t, Len: n, Null: null}
		if v.Off != nil {
			lo, hi := v.Off[0], v.Off[n]
			out.Off = make([]int32, n+1)
			for i, o := range v.Off[:n+1] {
				out.Off[i] = o - lo
			}
			for i, e := range kids {
				b := &vec.Batch{Cols: make([]*vec.Vec, len(kids)), N: int(hi - lo)}
				b.Cols[i] = v.Kids[i].Flat().Slice(int(lo), int(hi))
				r, err := e.eval(b)
				if err != nil {
					return nil, err
				}
				out.Kids = append(out.Kids, r.Flat())
			}
			return out, nil
		}
		for i, e := range kids {
			b := &vec.Batch{Cols: make([]*vec.Vec, len(kids)), N: n}
			b.Cols[i] = Field(v, i)
			r, err := e.eval(b)
			if err != nil {
				return nil, err
			}
			out.Kids = append(out.Kids, r.Flat())
		}
		return out, nil
	}, nil
}

// toString prints by the formatter of the type; texts and binaries keep their bytes, valid UTF-8 or not, as in Spark.
func (k *caster) toString() (castFunc, error) {
	from, to, env := k.from, k.to, k.env
	if datatype.IsString(from) || from.Kind() == datatype.KindBinary {
		if c, ok := to.(datatype.Char); ok {
			return nil, condition.Newf(condition.Unsupported, "the engine does not cast to CHAR(%d); use STRING or pad the text.", c.Length)
		}
		return func(v *vec.Vec, _ int, _ []bool) (*vec.Vec, error) { return v.WithType(to), nil }, nil
	}
	if formatter(from, env) == nil {
		return nil, nil
	}
	return func(v *vec.Vec, n int, null []bool) (*vec.Vec, error) {
		f := formatter(from, env)
		w := newWriter(to, n)
		for i := range n {
			if !isNull(null, i) {
				w.buf = f(w.buf, v, i)
			}
			w.end()
		}
		return w.vec(), nil
	}, nil
}

// toBoolean reads t, true, y, yes and 1 (f, false, n, no and 0) in any letter case; of numbers only zero is false.
func (k *caster) toBoolean() castFunc {
	switch vec.PhysOf(k.from) {
	case vec.PBytes:
		if k.from.Kind() == datatype.KindBinary {
			return nil
		}
		return castRows(k, func(v *vec.Vec, i int) (bool, bool) {
			switch strings.ToLower(trimBlanks(v.Str(i))) {
			case "t", "true", "y", "yes", "1":
				return true, true
			case "f", "false", "n", "no", "0":
				return false, true
			}
			return false, false
		}, k.invalid)
	case vec.PF32:
		return castRows(k, func(v *vec.Vec, i int) (bool, bool) { return v.F32[i] != 0, true }, nil)
	case vec.PF64:
		return castRows(k, func(v *vec.Vec, i int) (bool, bool) { return v.F64[i] != 0, true }, nil)
	case vec.PDec:
		return castRows(k, func(v *vec.Vec, i int) (bool, bool) { return v.Dec[i] != dec{}, true }, nil)
	}
	if datatype.IsIntegral(k.from) || k.from.Kind() == datatype.KindTimestamp && !k.ansi {
		get := intAt(k.from)
		return castRows(k, func(v *vec.Vec, i int) (bool, bool) { return get(v, i) != 0, true }, nil)
	}
	return nil
}

// intAt reads an integer of any width.
func intAt(t datatype.Type) func(v *vec.Vec, i int) int64 {
	switch vec.PhysOf(t) {
	case vec.PI8:
		return func(v *vec.Vec, i int) int64 { return int64(v.I8[i]) }
	case vec.PI16:
		return func(v *vec.Vec, i int) int64 { return int64(v.I16[i]) }
	case vec.PI32:
		return func(v *vec.Vec, i int) int64 { return int64(v.I32[i]) }
	case vec.PI64:
		return func(v *vec.Vec, i int) int64 { return v.I64[i] }
	case vec.PBool:
		return func(v *vec.Vec, i int) int64 {
			if v.Bool[i] {
				return 1
			}
			return 0
		}
	}
	return nil
}

// toInts casts to integers. Under ANSI what does not fit raises. Without it integers and decimals keep their low bits, doubles take
// the
// nearest bound (of INT for the narrower types, whose low bits are then taken), and texts give null.
func toInts[T int8 | int16 | int32 | int64](k *caster, size uint) castFunc {
	lo, hi := int64(-1)<<(size-1), int64(1)<<(size-1)-1
	inRange := func(x int64) (T, bool) { return T(x), !k.ansi || x >= lo && x <= hi }
	switch k.from.Kind() {
	case datatype.KindBoolean, datatype.KindByte, datatype.KindShort, datatype.KindInt, datatype.KindLong:
		get := intAt(k.from)
		if k.from.Kind() <= k.to.Kind() {
			to := k.to
			return func(v *vec.Vec, n int, _ []bool) (*vec.Vec, error) {
				out := make([]T, n)
				for i := range out {
					out[i] = T(get(v, i))
				}
				return vec.Of(to, out), nil
			}
		}
		return castRows(k, func(v *vec.Vec, i int) (T, bool) { return inRange(get(v, i)) }, k.overflow)
	case datatype.KindFloat, datatype.KindDouble:
		return castRows(k, func(v *vec.Vec, i int) (T, bool) {
			x := 0.0
			if v.F32 != nil {
				x = float64(v.F32[i])
			} else {
				x = v.F64[i]
			}
			if k.ansi {
				// Spark's bounds: floor(x) ≤ max and ceil(x) ≥ min; for BIGINT the bound itself is 2⁶³ as a double.
				ok := math.Floor(x) <= float64(hi) && math.Ceil(x) >= float64(lo)
				return T(saturate(x)), ok
			}
			if size < 32 {
				return T(int32(max(min(saturate(x), math.MaxInt32), math.MinInt32))), true
			}
			return T(max(min(saturate(x), hi), lo)), true
		}, k.overflow)
	case datatype.KindDecimal:
		scale := k.from.(datatype.Decimal).Scale
		return castRows(k, func(v *vec.Vec, i int) (T, bool) {
			var x int64
			if s, ok := small(v.Dec[i]); ok && scale < 19 {
				x = s / int64(u64Pow10[scale])
			} else {
				b := v.Dec[i].BigInt()
				b.Quo(b, bigPow10[scale])
				if !b.IsInt64() {
					if k.ansi {
						return 0, false
					}
					b.And(b, new(big.Int).SetUint64(math.MaxUint64))
					return T(b.Uint64()), true
				}
				x = b.Int64()
			}
			return inRange(x)
		}, k.overflow)
	case datatype.KindString, datatype.KindChar, datatype.KindVarchar:
		return castRows(k, func(v *vec.Vec, i int) (T, bool) {
			x, ok := parseInt(v.Str(i), !k.ansi)
			if !ok || x < lo || x > hi {
				return 0, false
			}
			return T(x), true
		}, k.invalid)
	case datatype.KindYearMonth, datatype.KindDayTime:
		unit := intervalUnit(k.from)
		get := intAt(k.from)
		// An interval that does not fit raises without ANSI too; only TRY_CAST gives null.
		k.raise = k.raise || !k.ansi
		return castRows(k, func(v *vec.Vec, i int) (T, bool) {
			x := get(v, i) / unit
			return T(x), x >= lo && x <= hi
		}, k.overflow)
	case datatype.KindTimestamp:
		// Without ANSI a time stamp's seconds that do not fit are null, where a BIGINT's would wrap.
		return castRows(k, func(v *vec.Vec, i int) (T, bool) {
			x := timetext.FloorDiv(v.I64[i], microsPerSecond)
			return T(x), x >= lo && x <= hi
		}, k.overflow)
	}
	return nil
}

// intervalUnit is the unit of an interval's last field, in which a cast to a number counts it.
func intervalUnit(t datatype.Type) int64 {
	switch x := t.(type) {
	case datatype.YearMonth:
		if x.End == datatype.Year {
			return 12
		}
	case datatype.DayTime:
		return [...]int64{microsPerDay, microsPerHour, microsPerMinute, microsPerSecond}[x.End]
	}
	return 1
}

// parseInt reads an integer as UTF8String.toLong; with fraction the digits behind a point are checked and dropped.
func parseInt(s string, fraction bool) (int64, bool) {
	s = trimBlanks(s)
	if s == "" {
		return 0, false
	}
	neg := s[0] == '-'
	if neg || s[0] == '+' {
		s = s[1:]
		if s == "" {
			return 0, false
		}
	}
	var x uint64
	i := 0
	for ; i < len(s); i++ {
		c := s[i]
		if c == '.' && fraction {
			for _, d := range []byte(s[i+1:]) {
				if d < '0' || d > '9' {
					return 0, false
				}
			}
			break
		}
		if c < '0' || c > '9' || x > (1<<63)/10 {
			return 0, false
		}
		x = x*10 + uint64(c-'0')
		if x > 1<<63 {
			return 0, false
		}
	}
	if neg {
		return int64(-x), true
	}
	return int64(x), x < 1<<63
}

// ParseDouble reads a number as CAST(… AS DOUBLE): Java's notation, blanks around it, NaN, Inf and Infinity in any letter case.
func ParseDouble(s string, size int) (float64, bool) {
	s = trimBlanks(s)
	if s == "" {
		return 0, false
	}
	switch strings.ToLower(s) {
	case "inf", "+inf", "infinity", "+infinity":
		return math.Inf(1), true
	case "-inf", "-infinity":
		return math.Inf(-1), true
	case "nan":
		return math.NaN(), true
	}
	switch c := s[len(s)-1]; c {
	case 'd', 'D', 'f', 'F':
		if !strings.HasPrefix(strings.TrimLeft(s, "+-"), "0x") {
			s = s[:len(s)-1]
		}
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9', c == '.', c == 'e', c == 'E', c == '+', c == '-':
		default:
			return 0, false // Go would read underscores, words and hexadecimal forms of its own
		}
	}
	x, err := strconv.ParseFloat(s, size)
	if err != nil && !math.IsInf(x, 0) {
		return 0, false
	}
	return x, true
}

// toFloats casts to FLOAT and DOUBLE, rounding to the nearest; nothing but a text can fail.
func toFloats[T float32 | float64](k *caster, size int) castFunc {
	to := k.to
	switch k.from.Kind() {
	case datatype.KindBoolean, datatype.KindByte, datatype.KindShort, datatype.KindInt:
		get := intAt(k.from)
		return func(v *vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			out := make([]T, n)
			for i := range out {
				out[i] = T(get(v, i))
			}
			return vec.Of(to, out), nil
		}
	case datatype.KindLong:
		return func(v *vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			out := make([]T, n)
			for i, x := range v.I64[:n] {
				out[i] = T(x)
			}
			return vec.Of(to, out), nil
		}
	case datatype.KindFloat:
		return func(v *vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			out := make([]T, n)
			for i, x := range v.F32[:n] {
				out[i] = T(x)
			}
			return vec.Of(to, out), nil
		}
	case datatype.KindDouble:
		return func(v *vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			out := make([]T, n)
			for i, x := range v.F64[:n] {
				out[i] = T(x)
			}
			return vec.Of(to, out), nil
		}
	case datatype.KindDecimal:
		scale := k.from.(datatype.Decimal).Scale
		return castRows(k, func(v *vec.Vec, i int) (T, bool) {
			// By way of the text, so that the nearest double comes out, as BigDecimal.doubleValue gives it.
			if s, ok := small(v.Dec[i]); ok && scale <= 22 && s > -1<<53 && s < 1<<53 && size == 64 {
				return T(float64(s) / pow10Float[scale]), true
			}
			x, _ := strconv.ParseFloat(decString(v.Dec[i], scale), size)
			return T(x), true
		}, nil)
	case datatype.KindString, datatype.KindChar, datatype.KindVarchar:
		return castRows(k, func(v *vec.Vec, i int) (T, bool) {
			x, ok := ParseDouble(v.Str(i), size)
			return T(x), ok
		}, k.invalid)
	case datatype.KindTimestamp:
		return castRows(k, func(v *vec.Vec, i int) (T, bool) { return T(float64(v.I64[i]) / 1e6), true }, nil)
	}
	return nil
}

// pow10Float are the powers of ten that a double holds exactly; one division by them rounds once.
var pow10Float = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// toDecimal rounds half up to the target's scale; a FLOAT or DOUBLE goes by its shortest text, as in Spark.
func (k *caster) toDecimal() castFunc {
	t := k.to.(datatype.Decimal)
	tooBig := func(v *vec.Vec, i int) error {
		f := formatter(k.from, &Env{ANSI: true, Zone: k.env.Zone})
		return outOfRange(string(f(nil, v, i)), t)
	}
	switch k.from.Kind() {
	case datatype.KindBoolean, datatype.KindByte, datatype.KindShort, datatype.KindInt, datatype.KindLong:
		get := intAt(k.from)
		return castRows(k, func(v *vec.Vec, i int) (dec, bool) {
			return rescale(decimal128.FromI64(get(v, i)), 0, t.Scale, t.Precision)
		}, tooBig)
	case datatype.KindDecimal:
		from := k.from.(datatype.Decimal)
		return castRows(k, func(v *vec.Vec, i int) (dec, bool) { return rescale(v.Dec[i], from.Scale, t.Scale, t.Precision) }, tooBig)
	case datatype.KindFloat, datatype.KindDouble:
		return castRows(k, func(v *vec.Vec, i int) (dec, bool) {
			x, size := 0.0, 64
			if v.F32 != nil {
				x, size = float64(v.F32[i]), 64 // Spark widens a FLOAT to a double before it takes its text
			} else {
				x = v.F64[i]
			}
			b, s, ok := parseDec(strconv.FormatFloat(x, 'e', -1, size))
			if !ok {
				return dec{}, false
			}
			return toDec(b, s, t)
		}, func(v *vec.Vec, i int) error {
			x := 0.0
			if v.F32 != nil {
				x = float64(v.F32[i])
			} else {
				x = v.F64[i]
			}
			if x != x || math.IsInf(x, 0) {
				return nil // Spark gives null, under ANSI too
			}
			b, s, _ := parseDec(strconv.FormatFloat(x, 'e', -1, 64))
			if s < 0 {
				b, s = b.Mul(b, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-s)), nil)), 0
			}
			return outOfRange(plain(b, s), t)
		})
	case datatype.KindString, datatype.KindChar, datatype.KindVarchar:
		return castRows(k, func(v *vec.Vec, i int) (dec, bool) {
			b, s, ok := parseDec(trimBlanks(v.Str(i)))
			if !ok {
				return dec{}, false
			}
			return toDec(b, s, t)
		}, func(v *vec.Vec, i int) error {
			if b, s, ok := parseDec(trimBlanks(v.Str(i))); ok && s > -400 {
				if s < 0 {
					b, s = b.Mul(b, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-s)), nil)), 0
				}
				return outOfRange(plain(b, s), t)
			}
			return k.invalid(v, i)
		})
	case datatype.KindTimestamp:
		return castRows(k, func(v *vec.Vec, i int) (dec, bool) {
			return rescale(decimal128.FromI64(v.I64[i]), 6, t.Scale, t.Precision)
		}, tooBig)
	case datatype.KindYearMonth, datatype.KindDayTime:
		return k.intervalToDecimal(t)
	}
	return nil
}

func (k *caster) toDate() castFunc {
	switch k.from.Kind() {
	case datatype.KindString, datatype.KindChar, datatype.KindVarchar:
		return castRows(k, func(v *vec.Vec, i int) (int32, bool) { return timetext.ParseDate(raw(v, i)) }, k.invalid)
	case datatype.KindTimestamp, datatype.KindTimestampNTZ:
		zoned := k.from.Kind() == datatype.KindTimestamp
		to, env := k.to, k.env
		return func(v *vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			z := newZone(nil)
			if zoned {
				z = newZone(env.Zone)
			}
			out := make([]int32, n)
			for i, x := range v.I64[:n] {
				out[i] = localDay(z.local(x))
			}
			return vec.Of(to, out), nil
		}
	}
	return nil
}

// toTimestamp casts to TIMESTAMP and TIMESTAMP_NTZ; numbers are seconds since 1970.
func (k *caster) toTimestamp() castFunc {
	ntz := k.to.Kind() == datatype.KindTimestampNTZ
	to, env := k.to, k.env
	zone := func() zoneClock {
		if ntz {
			return newZone(nil)
		}
		return newZone(env.Zone)
	}
	each := func(f func(z zoneClock, v *vec.Vec, i int) int64, z func() zoneClock) castFunc {
		return func(v *vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			out := make([]int64, n)
			zz := z()
			for i := range out {
				out[i] = f(zz, v, i)
			}
			return vec.Of(to, out), nil
		}
	}
	switch k.from.Kind() {
	case datatype.KindString, datatype.KindChar, datatype.KindVarchar:
		if ntz {
			return castRows(k, func(v *vec.Vec, i int) (int64, bool) { return timetext.ParseTimestampNTZ(raw(v, i), true) }, k.invalid)
		}
		return func(v *vec.Vec, n int, skip []bool) (*vec.Vec, error) {
			z := timetext.NewZone(env.Zone)
			today := func(loc *time.Location) int32 { return localDay(newZone(loc).local(env.Now)) }
			return castRows(k, func(v *vec.Vec, i int) (int64, bool) { return timetext.ParseTimestamp(raw(v, i), z, today) }, k.invalid)(v, n, skip)
		}
	case datatype.KindDate:
		return each(func(z zoneClock, v *vec.Vec, i int) int64 {
			return z.instant(int64(v.I32[i]) * microsPerDay)
		}, zone)
	case datatype.KindTimestamp: // to NTZ: the wall clock
		return each(func(z zoneClock, v *vec.Vec, i int) int64 { return z.local(v.I64[i]) }, func() zoneClock { return newZone(env.Zone) })
	case datatype.KindTimestampNTZ:
		return each(func(z zoneClock, v *vec.Vec, i int) int64 { return z.instant(v.I64[i]) }, func() zoneClock { return newZone(env.Zone) })
	}
	if ntz {
		return nil
	}
	switch k.from.Kind() {
	case datatype.KindBoolean, datatype.KindByte, datatype.KindShort, datatype.KindInt, datatype.KindLong:
		get := intAt(k.from)
		boolean := k.from.Kind() == datatype.KindBoolean
		return castRows(k, func(v *vec.Vec, i int) (int64, bool) {
			x := get(v, i)
			if boolean {
				return x, true // true is one microsecond
			}
			// Spark's secondsToMicros saturates by TimeUnit.toMicros.
			switch {
			case x > math.MaxInt64/microsPerSecond:
				return math.MaxInt64, true
			case x < math.MinInt64/microsPerSecond:
				return math.MinInt64, true
			}
			return x * microsPerSecond, true
		}, nil)
	case datatype.KindFloat, datatype.KindDouble:
		return castRows(k, func(v *vec.Vec, i int) (int64, bool) {
			x := 0.0
			if v.F32 != nil {
				x = float64(v.F32[i])
			} else {
				x = v.F64[i]
			}
			if x != x || math.IsInf(x, 0) {
				return 0, false
			}
			r := x * 1e6
			if k.ansi && (math.Floor(r) > math.MaxInt64 || math.Ceil(r) < math.MinInt64) {
				return 0, false
			}
			return saturate(r), true
		}, func(v *vec.Vec, i int) error {
			if v.F32 != nil && math.Abs(float64(v.F32[i])) <= math.MaxFloat64 || v.F64 != nil && math.Abs(v.F64[i]) <= math.MaxFloat64 {
				return k.overflow(v, i)
			}
			return k.invalid(v, i) // NaN and infinities
		})
	case datatype.KindDecimal:
		scale := k.from.(datatype.Decimal).Scale
		return castRows(k, func(v *vec.Vec, i int) (int64, bool) {
			b := halfEven34(new(big.Int).Mul(v.Dec[i].BigInt(), big.NewInt(microsPerSecond)))
			b.Quo(b, bigPow10[scale])
			// Spark takes BigDecimal.longValue, the low 64 bits, in either mode.
			return int64(b.And(b, new(big.Int).SetUint64(math.MaxUint64)).Uint64()), true
		}, nil)
	}
	return nil
}

// CastLiteral casts a literal's value, for connectors and options; the error is that of ANSI mode.
func CastLiteral(l *tree.Literal, to datatype.Type, env *Env) (any, error) {
	e, err := Compile(&tree.Cast{Arg: l, To: to}, &Env{ANSI: true, Zone: env.Zone, Now: env.Now})
	if err != nil {
		return nil, err
	}
	v, err := e.Eval(&vec.Batch{N: 1})
	if err != nil {
		return nil, err
	}
	if v.Len != 1 {
		return nil, fmt.Errorf("a literal has %d values", v.Len)
	}
	return v.Any(0), nil
}

// raw gives the bytes of a text.
func raw(v *vec.Vec, i int) []byte {
	i &= v.Mask()
	return v.Bytes[v.Off[i]:v.Off[i+1]]
}

// trimBlanks takes off what Spark's casts ignore around a text: blanks and ASCII control characters.
func trimBlanks(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f })
}
