package kernel

import (
	"encoding/hex"
	"math"
	"math/bits"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

func init() {
	double("acos", strictAcos)
	double("acosh", strictAcosh)
	double("asin", strictAsin)
	double("asinh", strictAsinh)
	double("atan", strictAtan)
	double("atanh", func(x float64) float64 { return 0.5 * (strictLog1p(x) - strictLog1p(-x)) })
	double("cos", javaCos)
	double("cosh", strictCosh)
	double("sin", javaSin)
	double("sinh", strictSinh)
	double("tan", javaTan)
	double("tanh", strictTanh)
	double("cot", func(x float64) float64 { return 1 / javaTan(x) })
	double("sec", func(x float64) float64 { return 1 / javaCos(x) })
	double("csc", func(x float64) float64 { return 1 / javaSin(x) })
	double("cbrt", strictCbrt)
	double("degrees", func(x float64) float64 { return x * 57.29577951308232 })
	double("radians", func(x float64) float64 { return x * 0.017453292519943295 })
	double("expm1", strictExpm1)
	double("rint", math.RoundToEven)
	logarithm("log2", func(x float64) float64 { return strictLog(x) / strictLog(2) })
	nullable("log1p", func(x float64) (float64, bool) { return strictLog1p(x), !(x <= -1) })
	register("log", func(c *call) (evalFunc, error) {
		if len(c.args) == 1 {
			return binders["ln"](c)
		}
		return doubles2(c, func(base, x float64) (float64, bool) { return strictLog(x) / strictLog(base), !(base <= 0 || x <= 0) }), nil
	})
	register("atan2", func(c *call) (evalFunc, error) {
		// Adding zero makes a plus of a minus zero, as Spark does.
		return doubles2(c, func(y, x float64) (float64, bool) { return strictAtan2(y+0, x+0), true }), nil
	})
	register("hypot", func(c *call) (evalFunc, error) {
		return doubles2(c, func(a, b float64) (float64, bool) { return strictHypot(a, b), true }), nil
	})
	for name, x := range map[string]float64{"pi": math.Pi, "e": math.E} {
		register(name, func(c *call) (evalFunc, error) {
			return func(_ []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
				return vec.Of(datatype.Double, []float64{x}).Repeat(n), nil
			}, nil
		})
	}
	register("positive", func(c *call) (evalFunc, error) {
		return func(v []*vec.Vec, _ int, _ []bool) (*vec.Vec, error) { return v[0], nil }, nil
	})
	register("pmod", pmod)
	register("factorial", factorial)
	register("width_bucket", widthBucket)
	register("conv", conv)
	register("bin", func(c *call) (evalFunc, error) {
		return writeText(c, func(b []byte, v *vec.Vec, i int) []byte { return strconv.AppendUint(b, uint64(v.I64[i]), 2) }), nil
	})
	register("hex", func(c *call) (evalFunc, error) {
		const digits = "0123456789ABCDEF"
		if vec.PhysOf(c.typ(0)) == vec.PI64 {
			return writeText(c, func(b []byte, v *vec.Vec, i int) []byte {
				x := uint64(v.I64[i])
				for s := max(bits.Len64(x)-1, 0) / 4 * 4; s >= 0; s -= 4 {
					b = append(b, digits[x>>s&15])
				}
				return b
			}), nil
		}
		return writeText(c, func(b []byte, v *vec.Vec, i int) []byte {
			for _, x := range v.Bytes[v.Off[i]:v.Off[i+1]] {
				b = append(b, digits[x>>4], digits[x&15])
			}
			return b
		}), nil
	})
	register("unhex", func(c *call) (evalFunc, error) { return fromHex(c, nil), nil })
	for name, op := range map[string]string{"try_add": "+", "try_subtract": "-", "try_multiply": "*"} {
		register(name, func(c *call) (evalFunc, error) { return tryArithmetic(c, op) })
	}
	register("try_divide", func(c *call) (evalFunc, error) { return withoutANSI(c, divide) })
	register("try_mod", func(c *call) (evalFunc, error) { return withoutANSI(c, remainder) })
	register("rand", func(c *call) (evalFunc, error) { return random(c, rand.Float64) })
	register("randn", func(c *call) (evalFunc, error) { return random(c, rand.NormFloat64) })
	register("uuid", func(c *call) (evalFunc, error) {
		return func(_ []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			w := newWriter(c.Typ, n)
			for range n {
				id, err := uuid.NewRandom()
				if err != nil {
					return nil, err
				}
				w.buf = append(w.buf, id.String()...)
				w.end()
			}
			return w.vec(), nil
		}, nil
	})

	register("&", func(c *call) (evalFunc, error) { return bitwise(c, "&") })
	register("|", func(c *call) (evalFunc, error) { return bitwise(c, "|") })
	register("^", func(c *call) (evalFunc, error) { return bitwise(c, "^") })
	register("~", func(c *call) (evalFunc, error) { return bitwise(c, "~") })
	for _, name := range []string{"shiftleft", "shiftright", "shiftrightunsigned"} {
		register(name, shift)
	}
	register("bit_count", func(c *call) (evalFunc, error) {
		if vec.PhysOf(c.typ(0)) == vec.PBool {
			return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
				out := make([]int32, n)
				for i, x := range v[0].Bool[:n] {
					if x {
						out[i] = 1
					}
				}
				return vec.Of(datatype.Int, out), nil
			}, nil
		}
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			out := make([]int32, n)
			for i, x := range v[0].I64[:n] {
				out[i] = int32(bits.OnesCount64(uint64(x)))
			}
			return vec.Of(datatype.Int, out), nil
		}, nil
	})
	register("bit_get", bitGet)
}

// nullable registers a function of one DOUBLE that is null where it says false.
func nullable(name string, f func(float64) (float64, bool)) {
	register(name, func(c *call) (evalFunc, error) {
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			out, more := make([]float64, n), nulls{b: null}
			for i, x := range v[0].F64[:n] {
				y, ok := f(x)
				if !ok {
					more.set(i, n)
				}
				out[i] = y
			}
			return vec.Of(datatype.Double, out).WithNull(more.b), nil
		}, nil
	})
}

// doubles2 is a function of two DOUBLEs, null where it says false.
func doubles2(_ *call, f func(a, b float64) (float64, bool)) evalFunc {
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out, more := make([]float64, n), nulls{b: null}
		a, b, ma, mb := v[0].F64, v[1].F64, v[0].Mask(), v[1].Mask()
		for i := range out {
			x, ok := f(a[i&ma], b[i&mb])
			if !ok && !isNull(null, i) {
				more.set(i, n)
			}
			out[i] = x
		}
		return vec.Of(datatype.Double, out).WithNull(more.b), nil
	}
}

// writeText writes a text for each row that is not null; i is the index into the first argument.
func writeText(c *call, f func(b []byte, v *vec.Vec, i int) []byte) evalFunc {
	t := c.Typ
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		w := newWriter(t, n)
		m := v[0].Mask()
		for i := range n {
			if !isNull(null, i) {
				w.buf = f(w.buf, v[0], i&m)
			}
			w.end()
		}
		return w.vec(), nil
	}
}

// withoutANSI binds an operator as with ANSI mode off, so that what raises is null. The arguments keep their mode.
func withoutANSI(c *call, bind binder) (evalFunc, error) {
	env := *c.env
	env.ANSI = false
	d := *c
	d.env = &env
	f, err := bind(&d)
	c.turn = d.turn
	return f, err
}

// tryArithmetic is +, - or * with null for what overflows.
func tryArithmetic(c *call, op string) (evalFunc, error) {
	switch vec.PhysOf(c.Typ) {
	case vec.PI8:
		return tryInts[int8](c, op), nil
	case vec.PI16:
		return tryInts[int16](c, op), nil
	case vec.PI32:
		return tryInts[int32](c, op), nil
	case vec.PI64:
		return tryInts[int64](c, op), nil
	case vec.PF32:
		return floats[float32](c, op), nil
	case vec.PF64:
		return floats[float64](c, op), nil
	case vec.PDec:
		return withoutANSI(c, func(c *call) (evalFunc, error) { return decimals(c, op), nil })
	}
	return nil, c.refuse("%s of %s is not supported.", c.Func.Name, c.Typ)
}

func tryInts[T int8 | int16 | int32 | int64](c *call, op string) evalFunc {
	t := c.Typ
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out, more := make([]T, n), nulls{b: null}
		a, b, ma, mb := vec.Data[T](v[0]), vec.Data[T](v[1]), v[0].Mask(), v[1].Mask()
		for i := range out {
			x, y := a[i&ma], b[i&mb]
			var r T
			over := false
			switch op {
			case "+":
				r = x + y
				over = (x^r)&(y^r) < 0
			case "-":
				r = x - y
				over = (x^y)&(x^r) < 0
			default:
				r = x * y
				over = mulOverflows(int64(x), int64(y), int64(r))
			}
			if over && !isNull(null, i) {
				more.set(i, n)
			}
			out[i] = r
		}
		return vec.Of(t, out).WithNull(more.b), nil
	}
}

// pmod is PMOD: Spark adds the divisor to a remainder below zero and takes the remainder once more, in the type of the operands.
func pmod(c *call) (evalFunc, error) {
	c.turn = divisorFirst
	switch vec.PhysOf(c.Typ) {
	case vec.PI8:
		return intPmod[int8](c), nil
	case vec.PI16:
		return intPmod[int16](c), nil
	case vec.PI32:
		return intPmod[int32](c), nil
	case vec.PI64:
		return intPmod[int64](c), nil
	case vec.PF32:
		return floatPmod[float32](c), nil
	case vec.PF64:
		return floatPmod[float64](c), nil
	}
	t, ok := c.Typ.(datatype.Decimal)
	if !ok {
		return nil, c.refuse("pmod of %s is not supported.", c.Typ)
	}
	ta, tb := c.typ(0).(datatype.Decimal), c.typ(1).(datatype.Decimal)
	s, ansi := max(ta.Scale, tb.Scale), c.env.ANSI
	f := decimalRows(c, func(x, y dec) (dec, bool) {
		if y == (dec{}) {
			return dec{}, true
		}
		a, b := halfUp(x.BigInt(), ta.Scale-s), halfUp(y.BigInt(), tb.Scale-s)
		a.Rem(a, b)
		if a.Sign() < 0 {
			a.Rem(a.Add(a, b), b)
		}
		return fromBig(halfUp(a, s-t.Scale), t.Precision)
	}, func(x, y dec) string { return decString(x, ta.Scale) + " pmod " + decString(y, tb.Scale) })
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		more, err := zeroDivisors(ansi, null, n, func(i int) bool { return v[1].Dec[i&v[1].Mask()] == dec{} }, remainderByZero)
		if err != nil {
			return nil, err
		}
		return f(v, n, more.b)
	}, nil
}

// intPmod wraps where the sum leaves the type for INT and BIGINT. TINYINT and SMALLINT are computed as INT, as in Java.
func intPmod[T int8 | int16 | int32 | int64](c *call) evalFunc {
	c.fails = true
	ansi, t := c.env.ANSI, c.Typ
	narrow := vec.PhysOf(t) == vec.PI8 || vec.PhysOf(t) == vec.PI16
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out := make([]T, n)
		a, b, ma, mb := vec.Data[T](v[0]), vec.Data[T](v[1]), v[0].Mask(), v[1].Mask()
		more, err := zeroDivisors(ansi, null, n, func(i int) bool { return b[i&mb] == 0 }, remainderByZero)
		if err != nil {
			return nil, err
		}
		for i := range out {
			d := b[i&mb]
			if d == 0 {
				continue
			}
			r := a[i&ma] % d
			switch {
			case r < 0 && narrow:
				r = T((int32(r) + int32(d)) % int32(d))
			case r < 0:
				r = (r + d) % d
			}
			out[i] = r
		}
		return vec.Of(t, out).WithNull(more.b), nil
	}
}

func floatPmod[T float32 | float64](c *call) evalFunc {
	c.fails = true
	ansi, t := c.env.ANSI, c.Typ
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out := make([]T, n)
		a, b, ma, mb := vec.Data[T](v[0]), vec.Data[T](v[1]), v[0].Mask(), v[1].Mask()
		more, err := zeroDivisors(ansi, null, n, func(i int) bool { return b[i&mb] == 0 }, remainderByZero)
		if err != nil {
			return nil, err
		}
		for i := range out {
			d := b[i&mb]
			r := T(math.Mod(float64(a[i&ma]), float64(d)))
			if r < 0 {
				r = T(math.Mod(float64(r+d), float64(d)))
			}
			out[i] = r
		}
		return vec.Of(t, out).WithNull(more.b), nil
	}
}

func factorial(*call) (evalFunc, error) {
	var products [21]int64
	products[0] = 1
	for i := 1; i < len(products); i++ {
		products[i] = products[i-1] * int64(i)
	}
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out, more := make([]int64, n), nulls{b: null}
		for i, x := range v[0].I32[:n] {
			if x < 0 || x > 20 {
				more.set(i, n)
				continue
			}
			out[i] = products[x]
		}
		return vec.Of(datatype.Long, out).WithNull(more.b), nil
	}, nil
}

// widthBucket computes in doubles; an interval is its number of microseconds or months.
func widthBucket(c *call) (evalFunc, error) {
	var at func(v *vec.Vec, i int) float64
	switch vec.PhysOf(c.typ(0)) {
	case vec.PF64:
		at = func(v *vec.Vec, i int) float64 { return v.F64[i&v.Mask()] }
	case vec.PI64:
		at = func(v *vec.Vec, i int) float64 { return float64(v.I64[i&v.Mask()]) }
	case vec.PI32:
		at = func(v *vec.Vec, i int) float64 { return float64(v.I32[i&v.Mask()]) }
	default:
		return nil, c.refuse("width_bucket of %s is not supported.", c.typ(0))
	}
	for i := 1; i < 3; i++ {
		if vec.PhysOf(c.typ(i)) != vec.PhysOf(c.typ(0)) {
			return nil, c.refuse("width_bucket of %s and %s is not supported.", c.typ(0), c.typ(i))
		}
	}
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out, more := make([]int64, n), nulls{b: null}
		for i := range out {
			if isNull(null, i) {
				continue
			}
			x, low, high, k := at(v[0], i), at(v[1], i), at(v[2], i), v[3].I64[i&v[3].Mask()]
			if k <= 0 || k == math.MaxInt64 || x != x || low == high || low != low || high != high || math.IsInf(low, 0) || math.IsInf(high, 0) {
				more.set(i, n)
				continue
			}
			if low > high { // the buckets are counted from the other end
				x, low, high = -x, -low, -high
			}
			switch {
			case x < low:
			case x >= high:
				out[i] = k + 1
			default:
				out[i] = saturate(float64(float64(k)*(x-low))/(high-low)) + 1
			}
		}
		return vec.Of(datatype.Long, out).WithNull(more.b), nil
	}, nil
}

// conv is CONV: digits up to the first that is none, in 64 unsigned bits.
func conv(c *call) (evalFunc, error) {
	ansi, t := c.env.ANSI, c.Typ
	c.fails = ansi
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		w, more := newWriter(t, n), nulls{b: null}
		from, to, mf, mt := v[1].I32, v[2].I32, v[1].Mask(), v[2].Mask()
		for i := range n {
			if !isNull(null, i) {
				out, ok, over := appendConv(w.buf, v[0].Str(i), from[i&mf], to[i&mt])
				if over && ansi {
					return nil, condition.Newf(condition.ArithmeticOverflow, "Overflow in function conv(). If necessary set spark.sql.ansi.enabled to false to bypass this error.")
				}
				if !ok {
					more.set(i, n)
				}
				w.buf = out
			}
			w.end()
		}
		return w.vec().WithNull(more.b), nil
	}, nil
}

// appendConv appends s of base from in base to, false for null. Beyond 64 bits the number is the greatest.
func appendConv(b []byte, s string, from, to int32) (out []byte, ok, over bool) {
	base := to
	if base < 0 {
		base = -base
	}
	s = strings.Trim(s, " ")
	if s == "" || from < 2 || from > 36 || base < 2 || base > 36 {
		return b, false, false
	}
	s, neg := strings.CutPrefix(s, "-")
	var x uint64
	for i := 0; i < len(s); i++ {
		d := uint64(36)
		switch ch := s[i]; {
		case ch >= '0' && ch <= '9':
			d = uint64(ch - '0')
		case ch >= 'a' && ch <= 'z':
			d = uint64(ch-'a') + 10
		case ch >= 'A' && ch <= 'Z':
			d = uint64(ch-'A') + 10
		}
		if d >= uint64(from) {
			break
		}
		hi, lo := bits.Mul64(x, uint64(from))
		sum, carry := bits.Add64(lo, d, 0)
		if hi != 0 || carry != 0 {
			x, over = math.MaxUint64, true
			break
		}
		x = sum
	}
	if neg && to > 0 {
		if int64(x) < 0 {
			x = math.MaxUint64
		} else {
			x = -x
		}
	}
	if to < 0 && int64(x) < 0 {
		x, neg = -x, true
	}
	if neg && to < 0 {
		b = append(b, '-')
	}
	from0 := len(b)
	b = strconv.AppendUint(b, x, int(base))
	for i := from0; i < len(b); i++ {
		if b[i] >= 'a' {
			b[i] -= 'a' - 'A'
		}
	}
	return b, true, over
}

// fromHex reads hexadecimal digits; what is none gives null, or the error of bad.
func fromHex(c *call, bad func(s string) error) evalFunc {
	t := c.Typ
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		w, more := newWriter(t, n), nulls{b: null}
		for i := range n {
			if !isNull(null, i) {
				s, from := v[0].Str(i), len(w.buf)
				ok := true
				if len(s)%2 == 1 {
					var one [1]byte
					_, err := hex.Decode(one[:], []byte{'0', s[0]})
					ok = err == nil
					w.buf, s = append(w.buf, one[0]), s[1:]
				}
				if ok {
					var err error
					w.buf, err = hex.AppendDecode(w.buf, []byte(s))
					ok = err == nil
				}
				if !ok {
					if bad != nil {
						return nil, bad(v[0].Str(i))
					}
					w.buf = w.buf[:from]
					more.set(i, n)
				}
			}
			w.end()
		}
		return w.vec().WithNull(more.b), nil
	}
}

// random binds a source of random numbers without a seed.
func random(c *call, next func() float64) (evalFunc, error) {
	if len(c.args) > 0 {
		return nil, c.refuse("with a seed the sequence depends on Spark's partitions. Leave the seed out.")
	}
	return func(_ []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
		out := make([]float64, n)
		for i := range out {
			out[i] = next()
		}
		return vec.Of(datatype.Double, out), nil
	}, nil
}

func bitwise(c *call, op string) (evalFunc, error) {
	switch vec.PhysOf(c.Typ) {
	case vec.PI8:
		return bitRows[int8](c, op), nil
	case vec.PI16:
		return bitRows[int16](c, op), nil
	case vec.PI32:
		return bitRows[int32](c, op), nil
	case vec.PI64:
		return bitRows[int64](c, op), nil
	}
	return nil, c.refuse("%s of %s is not supported.", op, c.Typ)
}

func bitRows[T int8 | int16 | int32 | int64](c *call, op string) evalFunc {
	t := c.Typ
	return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
		out := make([]T, n)
		a, ma := vec.Data[T](v[0]), v[0].Mask()
		if op == "~" {
			for i := range out {
				out[i] = ^a[i&ma]
			}
			return vec.Of(t, out), nil
		}
		b, mb := vec.Data[T](v[1]), v[1].Mask()
		switch op {
		case "&":
			for i := range out {
				out[i] = a[i&ma] & b[i&mb]
			}
		case "|":
			for i := range out {
				out[i] = a[i&ma] | b[i&mb]
			}
		default:
			for i := range out {
				out[i] = a[i&ma] ^ b[i&mb]
			}
		}
		return vec.Of(t, out), nil
	}
}

// shift takes the number of bits modulo the width, as Java does.
func shift(c *call) (evalFunc, error) {
	name := c.Func.Name
	if vec.PhysOf(c.Typ) == vec.PI32 {
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			out := make([]int32, n)
			a, b, ma, mb := v[0].I32, v[1].I32, v[0].Mask(), v[1].Mask()
			for i := range out {
				x, k := a[i&ma], b[i&mb]&31
				switch name {
				case "shiftleft":
					out[i] = x << k
				case "shiftright":
					out[i] = x >> k
				default:
					out[i] = int32(uint32(x) >> k)
				}
			}
			return vec.Of(datatype.Int, out), nil
		}, nil
	}
	return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
		out := make([]int64, n)
		a, b, ma, mb := v[0].I64, v[1].I32, v[0].Mask(), v[1].Mask()
		for i := range out {
			x, k := a[i&ma], b[i&mb]&63
			switch name {
			case "shiftleft":
				out[i] = x << k
			case "shiftright":
				out[i] = x >> k
			default:
				out[i] = int64(uint64(x) >> k)
			}
		}
		return vec.Of(datatype.Long, out), nil
	}, nil
}

func bitGet(c *call) (evalFunc, error) {
	c.fails = true
	width := map[vec.Phys]int32{vec.PI8: 8, vec.PI16: 16, vec.PI32: 32, vec.PI64: 64}[vec.PhysOf(c.typ(0))]
	if width == 0 {
		return nil, c.refuse("bit_get of %s is not supported.", c.typ(0))
	}
	get := intAt(c.typ(0))
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out := make([]int8, n)
		for i := range out {
			if isNull(null, i) {
				continue
			}
			k := v[1].I32[i&v[1].Mask()]
			if k < 0 || k >= width {
				return nil, condition.Newf("INVALID_PARAMETER_VALUE.BIT_POSITION_RANGE", "The position of bit_get must be in [0, %d), but is %d.", width, k)
			}
			out[i] = int8(get(v[0], i&v[0].Mask()) >> k & 1)
		}
		return vec.Of(datatype.Byte, out), nil
	}, nil
}
