package kernel

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

func init() {
	for _, op := range []string{"+", "-", "*"} {
		register(op, arithmetic)
	}
	register("/", divide)
	register("%", remainder)
	register("div", intDivide)
	register("negative", func(c *call) (evalFunc, error) { return negate(c, func(neg bool) bool { return true }), nil })
	register("abs", func(c *call) (evalFunc, error) { return negate(c, func(neg bool) bool { return neg }), nil })
	register("ceil", func(c *call) (evalFunc, error) { return ceiling(c, true), nil })
	register("floor", func(c *call) (evalFunc, error) { return ceiling(c, false), nil })
	register("round", func(c *call) (evalFunc, error) { return round(c, false) })
	register("bround", func(c *call) (evalFunc, error) { return round(c, true) })
	double("sign", func(x float64) float64 {
		switch {
		case x > 0:
			return 1
		case x < 0:
			return -1
		}
		return x // signum keeps NaN and the sign of zero, as Java's
	})
	double("sqrt", math.Sqrt)
	double("exp", strictExp)
	logarithm("ln", strictLog)
	logarithm("log10", strictLog10)
	register("power", func(c *call) (evalFunc, error) {
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			out := make([]float64, n)
			a, b, ma, mb := v[0].F64, v[1].F64, v[0].Mask(), v[1].Mask()
			for i := range out {
				out[i] = strictPow(a[i&ma], b[i&mb])
			}
			return vec.Of(datatype.Double, out), nil
		}, nil
	})
}

// double registers a function of one DOUBLE.
func double(name string, f func(float64) float64) {
	register(name, func(c *call) (evalFunc, error) {
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			out := make([]float64, n)
			for i, x := range v[0].F64[:n] {
				out[i] = f(x)
			}
			return vec.Of(datatype.Double, out), nil
		}, nil
	})
}

// logarithm registers a logarithm, which Spark makes null of zero and below instead of -Infinity and NaN.
func logarithm(name string, f func(float64) float64) {
	register(name, func(c *call) (evalFunc, error) {
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			out := make([]float64, n)
			more := nulls{b: null}
			for i, x := range v[0].F64[:n] {
				if x <= 0 {
					more.set(i, n)
					continue
				}
				out[i] = f(x)
			}
			return vec.Of(datatype.Double, out).WithNull(more.b), nil
		}, nil
	})
}

var intNames = map[vec.Phys]string{vec.PI8: "byte", vec.PI16: "short", vec.PI32: "integer", vec.PI64: "long"}

// overflow is Spark's error: TINYINT and SMALLINT name the operands, the wider types do not.
func overflow(op string, p vec.Phys, a, b int64) error {
	if p == vec.PI8 || p == vec.PI16 {
		suffix := map[vec.Phys]string{vec.PI8: "Y", vec.PI16: "S"}[p]
		return condition.Newf(condition.BinaryArithmeticOverfl, "%d%s %s %d%s caused overflow.", a, suffix, op, b, suffix)
	}
	return condition.Newf(condition.ArithmeticOverflow, "%s overflow. Use a wider type, or set spark.sql.ansi.enabled to false to bypass this error.", intNames[p])
}

// arithmetic binds +, - and * by the type of the result; the tree has cast the arguments to it.
func arithmetic(c *call) (evalFunc, error) {
	op, t := c.Func.Name, c.Typ
	switch vec.PhysOf(t) {
	case vec.PI8:
		return ints[int8](c, op), nil
	case vec.PI16:
		return ints[int16](c, op), nil
	case vec.PI32:
		return ints[int32](c, op), nil
	case vec.PI64:
		return ints[int64](c, op), nil
	case vec.PF32:
		return floats[float32](c, op), nil
	case vec.PF64:
		return floats[float64](c, op), nil
	case vec.PDec:
		return decimals(c, op), nil
	}
	return nil, c.refuse("%s of %s is not supported.", op, t)
}

// ints is integer arithmetic: it wraps, and under ANSI a row that wrapped raises.
func ints[T int8 | int16 | int32 | int64](c *call, op string) evalFunc {
	ansi, t, p := c.env.ANSI, c.Typ, vec.PhysOf(c.Typ)
	c.fails = ansi
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out := make([]T, n)
		a, b, ma, mb := vec.Data[T](v[0]), vec.Data[T](v[1]), v[0].Mask(), v[1].Mask()
		// bad collects the sign bit of whatever overflowed, so that the loops have no branch; the row is looked for afterwards.
		var bad T
		switch op {
		case "+":
			for i := range out {
				x, y := a[i&ma], b[i&mb]
				r := x + y
				bad |= (x ^ r) & (y ^ r)
				out[i] = r
			}
		case "-":
			for i := range out {
				x, y := a[i&ma], b[i&mb]
				r := x - y
				bad |= (x ^ y) & (x ^ r)
				out[i] = r
			}
		default:
			for i := range out {
				x, y := a[i&ma], b[i&mb]
				r := x * y
				if mulOverflows(int64(x), int64(y), int64(r)) {
					bad = -1
				}
				out[i] = r
			}
		}
		if ansi && bad < 0 {
			for i := range out {
				if isNull(null, i) {
					continue
				}
				x, y, r := a[i&ma], b[i&mb], out[i]
				over := false
				switch op {
				case "+":
					over = (x^r)&(y^r) < 0
				case "-":
					over = (x^y)&(x^r) < 0
				default:
					over = mulOverflows(int64(x), int64(y), int64(r))
				}
				if over {
					return nil, overflow(op, p, int64(x), int64(y))
				}
			}
		}
		return vec.Of(t, out), nil
	}
}

// mulOverflows tells whether r, the product cut to its type, is not x·y.
func mulOverflows(x, y, r int64) bool {
	hi, lo := bits.Mul64(uint64(x), uint64(y))
	// Mul64 is unsigned; these corrections make hi the upper half of the signed product.
	h := int64(hi) - (x>>63)&y - (y>>63)&x
	return int64(lo) != r || h != r>>63
}

// floats is IEEE arithmetic, which never raises.
func floats[T float32 | float64](c *call, op string) evalFunc {
	t := c.Typ
	return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
		out := make([]T, n)
		a, b, ma, mb := vec.Data[T](v[0]), vec.Data[T](v[1]), v[0].Mask(), v[1].Mask()
		switch op {
		case "+":
			for i := range out {
				out[i] = a[i&ma] + b[i&mb]
			}
		case "-":
			for i := range out {
				out[i] = a[i&ma] - b[i&mb]
			}
		default:
			for i := range out {
				out[i] = a[i&ma] * b[i&mb]
			}
		}
		return vec.Of(t, out), nil
	}
}

// decimalRows runs f over the rows that are not null; a result that does not fit is an error under ANSI and null otherwise.
func decimalRows(c *call, f func(x, y dec) (dec, bool), exact func(x, y dec) string) evalFunc {
	c.fails = true
	ansi, t := c.env.ANSI, c.Typ.(datatype.Decimal)
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out := make([]dec, n)
		a, b, ma, mb := v[0].Dec, v[1].Dec, v[0].Mask(), v[1].Mask()
		more := nulls{b: null}
		for i := range out {
			if isNull(null, i) {
				continue
			}
			r, ok := f(a[i&ma], b[i&mb])
			if !ok {
				if ansi {
					return nil, outOfRange(exact(a[i&ma], b[i&mb]), t)
				}
				more.set(i, n)
			}
			out[i] = r
		}
		return vec.Of(t, out).WithNull(more.b), nil
	}
}

// decimals computes exactly, by 128 bits where they suffice, and rounds once to the type of the result.
func decimals(c *call, op string) evalFunc {
	ta, tb, t := c.typ(0).(datatype.Decimal), c.typ(1).(datatype.Decimal), c.Typ.(datatype.Decimal)
	s := max(ta.Scale, tb.Scale)
	sum := func(x, y dec) *big.Int {
		a := new(big.Int).Mul(x.BigInt(), bigPow10[s-ta.Scale])
		b := new(big.Int).Mul(y.BigInt(), bigPow10[s-tb.Scale])
		if op == "-" {
			return a.Sub(a, b)
		}
		return a.Add(a, b)
	}
	if f := narrowDecimals(op, ta, tb, t); f != nil {
		return f
	}
	if op == "*" {
		return decimalRows(c, func(x, y dec) (dec, bool) { return mulDec(x, y, ta.Scale+tb.Scale-t.Scale, t.Precision) },
			func(x, y dec) string { return plain(new(big.Int).Mul(x.BigInt(), y.BigInt()), ta.Scale+tb.Scale) })
	}
	return decimalRows(c, func(x, y dec) (dec, bool) {
		if s == t.Scale {
			a, ok1 := rescale(x, ta.Scale, s, datatype.MaxPrecision)
			b, ok2 := rescale(y, tb.Scale, s, datatype.MaxPrecision)
			if ok1 && ok2 {
				if op == "-" {
					b = b.Negate()
				}
				if r, over := vec.AddDec(a, b); !over {
					return r, fitsDec(r, t.Precision)
				}
			}
		}
		return fromBig(halfUp(sum(x, y), s-t.Scale), t.Precision)
	}, func(x, y dec) string { return plain(sum(x, y), s) })
}

// narrowDecimals is arithmetic of decimals of up to 18 digits whose result has all its digits and so cannot overflow; nil where that is not known.
func narrowDecimals(op string, ta, tb, t datatype.Decimal) evalFunc {
	if ta.Precision > 18 || tb.Precision > 18 {
		return nil
	}
	if op == "*" {
		if t.Scale != ta.Scale+tb.Scale || t.Precision < ta.Precision+tb.Precision {
			return nil
		}
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			out := make([]dec, n)
			a, b, ma, mb := v[0].Dec, v[1].Dec, v[0].Mask(), v[1].Mask()
			for i := range out {
				x, y := int64(a[i&ma].LowBits()), int64(b[i&mb].LowBits())
				hi, lo := bits.Mul64(uint64(x), uint64(y))
				// Mul64 is unsigned; these corrections make hi the upper half of the signed product.
				out[i] = decimal128.New(int64(hi)-(x>>63)&y-(y>>63)&x, lo)
			}
			return vec.Of(t, out), nil
		}
	}
	s := max(ta.Scale, tb.Scale)
	if t.Scale != s || t.Precision > 18 || t.Precision < max(ta.Precision-ta.Scale, tb.Precision-tb.Scale)+s+1 {
		return nil
	}
	pa, pb := int64(u64Pow10[s-ta.Scale]), int64(u64Pow10[s-tb.Scale])
	if op == "-" {
		pb = -pb
	}
	return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
		out := make([]dec, n)
		a, b, ma, mb := v[0].Dec, v[1].Dec, v[0].Mask(), v[1].Mask()
		for i := range out {
			r := int64(a[i&ma].LowBits())*pa + int64(b[i&mb].LowBits())*pb
			out[i] = decimal128.New(r>>63, uint64(r))
		}
		return vec.Of(t, out), nil
	}
}

func divisionByZero() error {
	return condition.Newf(condition.DivideByZero, "Division by zero. Use try_divide to tolerate divisor being 0 and return NULL instead.")
}

func remainderByZero() error {
	return condition.Newf(condition.RemainderByZero, "Remainder by zero. Use try_mod to tolerate divisor being 0 and return NULL instead.")
}

// zeroDivisors adds the rows with a zero divisor to the nulls, or raises under ANSI.
func zeroDivisors(ansi bool, null []bool, n int, zero func(i int) bool, raise func() error) (nulls, error) {
	more := nulls{b: null}
	for i := range n {
		if zero(i) && !isNull(null, i) {
			if ansi {
				return more, raise()
			}
			more.set(i, n)
		}
	}
	return more, nil
}

// divide binds /, which is a DOUBLE or a decimal: integers were cast.
func divide(c *call) (evalFunc, error) {
	c.turn = divisorFirst
	c.fails = true
	ansi, t := c.env.ANSI, c.Typ
	if d, ok := t.(datatype.Decimal); ok {
		ta, tb := c.typ(0).(datatype.Decimal), c.typ(1).(datatype.Decimal)
		f := decimalRows(c, func(x, y dec) (dec, bool) {
			if y == (dec{}) {
				return dec{}, true
			}
			return divDec(x, y, ta.Scale, tb.Scale, d.Scale, d.Precision)
		}, func(x, y dec) string { return decString(x, ta.Scale) + " / " + decString(y, tb.Scale) })
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			more, err := zeroDivisors(ansi, null, n, func(i int) bool { return v[1].Dec[i&v[1].Mask()] == dec{} }, divisionByZero)
			if err != nil {
				return nil, err
			}
			return f(v, n, more.b)
		}, nil
	}
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out := make([]float64, n)
		a, b, ma, mb := v[0].F64, v[1].F64, v[0].Mask(), v[1].Mask()
		more, err := zeroDivisors(ansi, null, n, func(i int) bool { return b[i&mb] == 0 }, divisionByZero)
		if err != nil {
			return nil, err
		}
		for i := range out {
			out[i] = a[i&ma] / b[i&mb]
		}
		return vec.Of(t, out).WithNull(more.b), nil
	}, nil
}

// divisorFirst is the order of evaluation of divisions: behind a divisor that is null the dividend is not asked.
var divisorFirst = []int{1, 0}

// remainder binds %, which has the sign of the dividend, as Java's.
func remainder(c *call) (evalFunc, error) {
	c.turn = divisorFirst
	c.fails = true
	switch vec.PhysOf(c.Typ) {
	case vec.PI8:
		return intRemainder[int8](c), nil
	case vec.PI16:
		return intRemainder[int16](c), nil
	case vec.PI32:
		return intRemainder[int32](c), nil
	case vec.PI64:
		return intRemainder[int64](c), nil
	case vec.PF32:
		return floatRemainder[float32](c), nil
	case vec.PF64:
		return floatRemainder[float64](c), nil
	}
	t, ok := c.Typ.(datatype.Decimal)
	if !ok {
		return nil, c.refuse("%% of %s is not supported.", c.Typ)
	}
	ta, tb := c.typ(0).(datatype.Decimal), c.typ(1).(datatype.Decimal)
	s, ansi := max(ta.Scale, tb.Scale), c.env.ANSI
	f := decimalRows(c, func(x, y dec) (dec, bool) {
		if y == (dec{}) {
			return dec{}, true
		}
		a := new(big.Int).Mul(x.BigInt(), bigPow10[s-ta.Scale])
		b := new(big.Int).Mul(y.BigInt(), bigPow10[s-tb.Scale])
		return fromBig(halfUp(a.Rem(a, b), s-t.Scale), t.Precision)
	}, func(x, y dec) string { return decString(x, ta.Scale) + " % " + decString(y, tb.Scale) })
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		more, err := zeroDivisors(ansi, null, n, func(i int) bool { return v[1].Dec[i&v[1].Mask()] == dec{} }, remainderByZero)
		if err != nil {
			return nil, err
		}
		return f(v, n, more.b)
	}, nil
}

func intRemainder[T int8 | int16 | int32 | int64](c *call) evalFunc {
	ansi, t := c.env.ANSI, c.Typ
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out := make([]T, n)
		a, b, ma, mb := vec.Data[T](v[0]), vec.Data[T](v[1]), v[0].Mask(), v[1].Mask()
		more, err := zeroDivisors(ansi, null, n, func(i int) bool { return b[i&mb] == 0 }, remainderByZero)
		if err != nil {
			return nil, err
		}
		for i := range out {
			if d := b[i&mb]; d != 0 {
				out[i] = a[i&ma] % d
			}
		}
		return vec.Of(t, out).WithNull(more.b), nil
	}
}

func floatRemainder[T float32 | float64](c *call) evalFunc {
	ansi, t := c.env.ANSI, c.Typ
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out := make([]T, n)
		a, b, ma, mb := vec.Data[T](v[0]), vec.Data[T](v[1]), v[0].Mask(), v[1].Mask()
		more, err := zeroDivisors(ansi, null, n, func(i int) bool { return b[i&mb] == 0 }, remainderByZero)
		if err != nil {
			return nil, err
		}
		for i := range out {
			out[i] = T(math.Mod(float64(a[i&ma]), float64(b[i&mb])))
		}
		return vec.Of(t, out).WithNull(more.b), nil
	}
}

// intDivide binds div. The quotient of two decimals is cut towards zero before it becomes a BIGINT.
func intDivide(c *call) (evalFunc, error) {
	c.turn = divisorFirst
	c.fails = true
	ansi := c.env.ANSI
	if ta, ok := c.typ(0).(datatype.Decimal); ok {
		tb := c.typ(1).(datatype.Decimal)
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			out := make([]int64, n)
			a, b, ma, mb := v[0].Dec, v[1].Dec, v[0].Mask(), v[1].Mask()
			more, err := zeroDivisors(ansi, null, n, func(i int) bool { return b[i&mb] == dec{} }, divisionByZero)
			if err != nil {
				return nil, err
			}
			s := max(ta.Scale, tb.Scale)
			whole := min(max(ta.Precision-ta.Scale+tb.Scale, 1), datatype.MaxPrecision) // digits of the quotient
			for i := range out {
				if isNull(more.b, i) {
					continue
				}
				x := new(big.Int).Mul(a[i&ma].BigInt(), bigPow10[s-ta.Scale])
				y := new(big.Int).Mul(b[i&mb].BigInt(), bigPow10[s-tb.Scale])
				x.Quo(x, y)
				if !x.IsInt64() {
					if len(new(big.Int).Abs(x).String()) > whole {
						if ansi {
							return nil, outOfRange(x.String(), datatype.Decimal{Precision: whole})
						}
						more.set(i, n)
						continue
					}
					// Java's longValue keeps the low 64 bits, under ANSI too.
					x.And(x, new(big.Int).SetUint64(math.MaxUint64))
					out[i] = int64(x.Uint64())
					continue
				}
				out[i] = x.Int64()
			}
			return vec.Of(datatype.Long, out).WithNull(more.b), nil
		}, nil
	}
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out := make([]int64, n)
		a, b, ma, mb := v[0].I64, v[1].I64, v[0].Mask(), v[1].Mask()
		more, err := zeroDivisors(ansi, null, n, func(i int) bool { return b[i&mb] == 0 }, divisionByZero)
		if err != nil {
			return nil, err
		}
		for i := range out {
			x, y := a[i&ma], b[i&mb]
			if y == 0 {
				continue
			}
			if x == math.MinInt64 && y == -1 && ansi && !isNull(null, i) {
				return nil, overflow("div", vec.PI64, x, y)
			}
			out[i] = x / y
		}
		return vec.Of(datatype.Long, out).WithNull(more.b), nil
	}, nil
}

// negate turns the sign of the values for which flip(value < 0) holds.
func negate(c *call, flip func(neg bool) bool) evalFunc {
	pos, neg := flip(false), flip(true)
	switch vec.PhysOf(c.Typ) {
	case vec.PI8:
		return negateInts[int8](c, pos, neg)
	case vec.PI16:
		return negateInts[int16](c, pos, neg)
	case vec.PI32:
		return negateInts[int32](c, pos, neg)
	case vec.PI64:
		return negateInts[int64](c, pos, neg)
	case vec.PF32:
		return negateFloats[float32](c.Typ, pos)
	case vec.PF64:
		return negateFloats[float64](c.Typ, pos)
	}
	t := c.Typ
	return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
		out := make([]dec, n)
		for i, x := range v[0].Dec[:n] {
			if x.HighBits() < 0 && neg || x.HighBits() >= 0 && pos {
				x = scala34(x.Negate())
			}
			out[i] = x
		}
		return vec.Of(t, out), nil
	}
}

// negateInts raises for the least value, whose opposite does not exist; without ANSI it stays what it is.
func negateInts[T int8 | int16 | int32 | int64](c *call, pos, neg bool) evalFunc {
	c.fails = c.env.ANSI
	ansi, t, p := c.env.ANSI, c.Typ, vec.PhysOf(c.Typ)
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out := make([]T, n)
		for i, x := range vec.Data[T](v[0])[:n] {
			if x < 0 && neg || x > 0 && pos {
				if x == -x && ansi && !isNull(null, i) {
					return nil, condition.Newf(condition.ArithmeticOverflow, "%s overflow. If necessary set spark.sql.ansi.enabled to false to bypass this error.", intNames[p])
				}
				x = -x
			}
			out[i] = x
		}
		return vec.Of(t, out), nil
	}
}

// negateFloats looks at the sign bit, so that -0.0 and NaN turn as in Java.
func negateFloats[T float32 | float64](t datatype.Type, always bool) evalFunc {
	return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
		out := make([]T, n)
		for i, x := range vec.Data[T](v[0])[:n] {
			if always || math.Signbit(float64(x)) {
				x = -x
			}
			out[i] = x
		}
		return vec.Of(t, out), nil
	}
}

// saturate is Java's (long) of a double: the nearest bound out of range, 0 for NaN.
func saturate(x float64) int64 {
	switch {
	case x != x:
		return 0
	case x >= math.MaxInt64:
		return math.MaxInt64
	case x <= math.MinInt64:
		return math.MinInt64
	}
	return int64(x)
}

// ceiling is CEIL and FLOOR. A DOUBLE beyond BIGINT gives the nearest bound in either mode, as Java's cast does.
func ceiling(c *call, up bool) evalFunc {
	t := c.Typ
	if from, ok := c.typ(0).(datatype.Decimal); ok {
		to := t.(datatype.Decimal)
		p := bigPow10[from.Scale]
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			out := make([]dec, n)
			for i, x := range v[0].Dec[:n] {
				if isNull(null, i) {
					continue
				}
				b := x.BigInt()
				q, r := new(big.Int).QuoRem(b, p, new(big.Int))
				if up && r.Sign() > 0 {
					q.Add(q, bigPow10[0])
				} else if !up && r.Sign() < 0 {
					q.Sub(q, bigPow10[0])
				}
				out[i], _ = fromBig(q, to.Precision)
			}
			return vec.Of(t, out), nil
		}
	}
	if vec.PhysOf(c.typ(0)) == vec.PI64 {
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) { return v[0].WithType(t), nil }
	}
	f := math.Floor
	if up {
		f = math.Ceil
	}
	return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
		out := make([]int64, n)
		for i, x := range v[0].F64[:n] {
			out[i] = saturate(f(x))
		}
		return vec.Of(t, out), nil
	}
}

// rounding divides by a power of ten and rounds.
type rounding func(b *big.Int, drop int) *big.Int

// round binds ROUND, half away from zero, and BROUND, half to even. The number of digits is a literal, because the type of a decimal depends on it.
func round(c *call, even bool) (evalFunc, error) {
	cut := rounding(halfUp)
	if even {
		cut = halfEven
	}
	digits := 0
	if len(c.args) > 1 {
		x, ok := c.literal(1)
		if !ok {
			return nil, c.refuse("the number of digits must be a literal.")
		}
		if x == nil {
			t := c.Typ
			return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) { return vec.Nulls(t, n).Flat(), nil }, nil
		}
		n, _ := x.(int64)
		digits = int(max(min(n, 400), -400))
	}
	t := c.Typ
	switch vec.PhysOf(t) {
	case vec.PI8:
		return roundInts[int8](c, digits, cut), nil
	case vec.PI16:
		return roundInts[int16](c, digits, cut), nil
	case vec.PI32:
		return roundInts[int32](c, digits, cut), nil
	case vec.PI64:
		return roundInts[int64](c, digits, cut), nil
	case vec.PF32:
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			out := make([]float32, n)
			for i, x := range v[0].F32[:n] {
				out[i] = float32(roundFloat(float64(x), digits, 32, cut))
			}
			return vec.Of(t, out), nil
		}, nil
	case vec.PF64:
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			out := make([]float64, n)
			for i, x := range v[0].F64[:n] {
				out[i] = roundFloat(x, digits, 64, cut)
			}
			return vec.Of(t, out), nil
		}, nil
	}
	from, to := c.typ(0).(datatype.Decimal), t.(datatype.Decimal)
	ansi := c.env.ANSI
	c.fails = true
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out := make([]dec, n)
		more := nulls{b: null}
		for i, x := range v[0].Dec[:n] {
			if isNull(null, i) {
				continue
			}
			var r dec
			ok := true
			if digits >= 0 && !even {
				r, ok = rescale(x, from.Scale, to.Scale, to.Precision)
			} else if digits >= 0 {
				r, ok = fromBig(cut(x.BigInt(), from.Scale-to.Scale), to.Precision)
			} else {
				drop := min(from.Scale-digits, len(bigPow10)-1)
				b := cut(x.BigInt(), drop)
				r, ok = fromBig(b.Mul(b, bigPow10[min(-digits, 60)]), to.Precision)
			}
			if !ok {
				if ansi {
					return nil, outOfRange(decString(x, from.Scale), to)
				}
				more.set(i, n)
			}
			out[i] = r
		}
		return vec.Of(t, out).WithNull(more.b), nil
	}, nil
}

// roundInts rounds before the point; with digits behind it there is nothing to do.
func roundInts[T int8 | int16 | int32 | int64](c *call, digits int, cut rounding) evalFunc {
	t, ansi := c.Typ, c.env.ANSI
	if digits >= 0 {
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) { return v[0], nil }
	}
	c.fails = ansi
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out := make([]T, n)
		drop := min(-digits, 40)
		for i, x := range vec.Data[T](v[0])[:n] {
			b := cut(big.NewInt(int64(x)), drop)
			b.Mul(b, bigPow10[drop])
			r := T(b.Int64())
			if ansi && (!b.IsInt64() || int64(r) != b.Int64()) && !isNull(null, i) {
				return nil, condition.Newf(condition.ArithmeticOverflow, "Overflow. If necessary set spark.sql.ansi.enabled to false to bypass this error.")
			}
			out[i] = r
		}
		return vec.Of(t, out), nil
	}
}

// roundFloat rounds the shortest decimal text of x, as Spark does by way of BigDecimal.
func roundFloat(x float64, digits, size int, cut rounding) float64 {
	if x != x || math.IsInf(x, 0) {
		return x
	}
	if x == 0 {
		return 0 // a BigDecimal has no minus zero
	}
	b, scale, ok := parseDec(strconv.FormatFloat(x, 'e', -1, size))
	if !ok || scale <= digits {
		return x
	}
	drop := scale - digits
	if drop >= len(bigPow10) {
		return 0
	}
	b = cut(b, drop)
	r, _ := strconv.ParseFloat(b.String()+"e"+strconv.Itoa(-digits), size)
	return r
}
