package kernel

import (
	"cmp"
	"strings"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

func init() {
	for _, op := range []string{"=", "<>", "<", "<=", ">", ">="} {
		register(op, func(c *call) (evalFunc, error) {
			f := comparison(c.Func.Name, c.typ(0))
			return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
				out := make([]bool, n)
				f(v[0], v[1], out)
				return vec.Of(datatype.Boolean, out), nil
			}, nil
		})
	}
	register("<=>", func(c *call) (evalFunc, error) {
		c.raw = true
		f := comparison("=", c.typ(0))
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			out := make([]bool, n)
			f(v[0], v[1], out)
			if v[0].Null != nil || v[1].Null != nil {
				for i := range out {
					a, b := v[0].IsNull(i), v[1].IsNull(i)
					if a || b {
						out[i] = a && b
					}
				}
			}
			return vec.Of(datatype.Boolean, out), nil
		}, nil
	})
	register("not", func(c *call) (evalFunc, error) {
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			out := make([]bool, n)
			for i, x := range v[0].Bool[:n] {
				out[i] = !x
			}
			return vec.Of(datatype.Boolean, out), nil
		}, nil
	})
	register("isnull", func(c *call) (evalFunc, error) { return nullTest(c, true), nil })
	register("isnotnull", func(c *call) (evalFunc, error) { return nullTest(c, false), nil })
	register("isnan", func(c *call) (evalFunc, error) {
		c.raw = true
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			out := make([]bool, n)
			switch vec.PhysOf(v[0].Type) {
			case vec.PF32:
				for i, x := range v[0].F32[:n] {
					out[i] = x != x && !v[0].IsNull(i)
				}
			case vec.PF64:
				for i, x := range v[0].F64[:n] {
					out[i] = x != x && !v[0].IsNull(i)
				}
			}
			return vec.Of(datatype.Boolean, out), nil
		}, nil
	})
	lazies["nullif"] = nullIf
	lazies["and"] = func(c *call) (*Expr, error) { return connective(c, and, false), nil }
	lazies["or"] = func(c *call) (*Expr, error) { return connective(c, or, true), nil }
	lazies["coalesce"] = coalesce
	lazies["in"] = in
	lazies["between"] = between
	register("greatest", func(c *call) (evalFunc, error) { return extreme(c, 1), nil })
	register("least", func(c *call) (evalFunc, error) { return extreme(c, -1), nil })
}

// between is a >= low AND a <= high: a bound that may raise is asked for the rows that it decides.
func between(c *call) (*Expr, error) {
	x, low, high := c.args[0], c.args[1], c.args[2]
	above, below := comparison(">=", c.typ(0)), comparison("<=", c.typ(0))
	e := &Expr{Fails: x.Fails || low.Fails || high.Fails}
	e.eval = func(in *vec.Batch) (*vec.Vec, error) {
		n := in.N
		v, err := x.eval(in)
		if err != nil {
			return nil, err
		}
		l, err := behindNulls(low, []*vec.Vec{v}, in, low.Fails)
		if err != nil {
			return nil, err
		}
		a, b := make([]bool, n), make([]bool, n)
		above(v, l, a)
		left := vec.Of(datatype.Boolean, a).WithNull(mergeNulls([]*vec.Vec{v, l}, n))
		var h *vec.Vec
		if high.Fails {
			skip := make([]bool, n)
			for i := range skip {
				skip[i] = v.IsNull(i) || !a[i] && !left.IsNull(i)
			}
			h, err = evalBut(high, in, skip)
		} else {
			h, err = high.eval(in)
		}
		if err != nil {
			return nil, err
		}
		below(v, h, b)
		return and(left, vec.Of(datatype.Boolean, b).WithNull(mergeNulls([]*vec.Vec{v, h}, n)), n), nil
	}
	return e, nil
}

// nullIf compares in the common type of both sides and gives the left one as it is.
func nullIf(c *call) (*Expr, error) {
	a, b := c.args[0], c.args[1]
	common, ok := datatype.Common(a.Type, b.Type, c.env.ANSI)
	if !ok {
		return nil, c.refuse("%s and %s cannot be compared.", a.Type, b.Type)
	}
	x, err := compileCast(a, common, false, c.env, c.At)
	if err != nil {
		return nil, err
	}
	y, err := compileCast(b, common, false, c.env, c.At)
	if err != nil {
		return nil, err
	}
	equal := comparison("=", common)
	e := &Expr{Fails: x.Fails || y.Fails}
	e.eval = func(in *vec.Batch) (*vec.Vec, error) {
		v, err := a.eval(in)
		if err != nil {
			return nil, err
		}
		p, err := x.eval(in)
		if err != nil {
			return nil, err
		}
		q, err := y.eval(in)
		if err != nil {
			return nil, err
		}
		same, null := make([]bool, in.N), make([]bool, in.N)
		equal(p, q, same)
		v = v.Flat()
		for i := range null {
			null[i] = v.IsNull(i) || same[i] && !q.IsNull(i)
		}
		return v.WithNull(null), nil
	}
	return e, nil
}

// nullTest is IS NULL (want true) and IS NOT NULL.
func nullTest(c *call, want bool) evalFunc {
	c.raw = true
	return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
		out := make([]bool, n)
		if a := v[0].Flat(); a.Null != nil {
			for i, x := range a.Null[:n] {
				out[i] = x == want
			}
		} else if !want {
			for i := range out {
				out[i] = true
			}
		}
		return vec.Of(datatype.Boolean, out), nil
	}
}

// comparison gives the loop of a comparison over a type; nulls are the caller's.
func comparison(op string, t datatype.Type) func(a, b *vec.Vec, out []bool) {
	switch vec.PhysOf(t) {
	case vec.PI8:
		return compareOrdered[int8](op)
	case vec.PI16:
		return compareOrdered[int16](op)
	case vec.PI32:
		return compareOrdered[int32](op)
	case vec.PI64:
		return compareOrdered[int64](op)
	case vec.PF32:
		return compareFloats[float32](op)
	case vec.PF64:
		return compareFloats[float64](op)
	case vec.PDec:
		// Up to 18 digits the lower half is the whole value.
		return compareDecimals(op, t.(datatype.Decimal).Precision <= 18)
	case vec.PBytes:
		if op == "=" || op == "<>" {
			return func(a, b *vec.Vec, out []bool) {
				want := op == "="
				for i := range out {
					if a.IsNull(i) || b.IsNull(i) {
						continue
					}
					out[i] = (a.Str(i) == b.Str(i)) == want
				}
			}
		}
		return byOrder(op, func(a *vec.Vec, i int, b *vec.Vec, j int) int { return strings.Compare(a.Str(i), b.Str(j)) })
	}
	return byOrder(op, vec.CompareOf(t))
}

// compareDecimals has loops for decimals of one scale; narrow says that all values fit into 64 bits.
func compareDecimals(op string, narrow bool) func(a, b *vec.Vec, out []bool) {
	return func(a, b *vec.Vec, out []bool) {
		if op == ">" || op == ">=" {
			a, b = b, a
		}
		x, y, mx, my := a.Dec, b.Dec, a.Mask(), b.Mask()
		switch op {
		case "=":
			for i := range out {
				out[i] = x[i&mx] == y[i&my]
			}
		case "<>":
			for i := range out {
				out[i] = x[i&mx] != y[i&my]
			}
		case "<", ">":
			if narrow {
				for i := range out {
					out[i] = int64(x[i&mx].LowBits()) < int64(y[i&my].LowBits())
				}
				return
			}
			for i := range out {
				out[i] = vec.CompareDec(x[i&mx], y[i&my]) < 0
			}
		default:
			if narrow {
				for i := range out {
					out[i] = int64(x[i&mx].LowBits()) <= int64(y[i&my].LowBits())
				}
				return
			}
			for i := range out {
				out[i] = vec.CompareDec(x[i&mx], y[i&my]) <= 0
			}
		}
	}
}

// byOrder compares by a comparator; rows with a null keep false, which the nulls cover.
func byOrder(op string, c vec.Comparator) func(a, b *vec.Vec, out []bool) {
	less, equal, more := strings.Contains(op, "<"), strings.Contains(op, "="), strings.Contains(op, ">")
	return func(a, b *vec.Vec, out []bool) {
		for i := range out {
			if a.IsNull(i) || b.IsNull(i) {
				continue
			}
			switch x := c(a, i, b, i); {
			case x < 0:
				out[i] = less
			case x > 0:
				out[i] = more
			default:
				out[i] = equal
			}
		}
	}
}

// compareOrdered has a loop for each of =, <>, < and <=; > and >= change the sides.
func compareOrdered[T interface {
	cmp.Ordered
	vec.Value
}](op string) func(a, b *vec.Vec, out []bool) {
	return func(a, b *vec.Vec, out []bool) {
		if op == ">" || op == ">=" {
			a, b = b, a
		}
		x, y, mx, my := vec.Data[T](a), vec.Data[T](b), a.Mask(), b.Mask()
		switch op {
		case "=":
			for i := range out {
				out[i] = x[i&mx] == y[i&my]
			}
		case "<>":
			for i := range out {
				out[i] = x[i&mx] != y[i&my]
			}
		case "<", ">":
			for i := range out {
				out[i] = x[i&mx] < y[i&my]
			}
		default:
			for i := range out {
				out[i] = x[i&mx] <= y[i&my]
			}
		}
	}
}

// compareFloats is compareOrdered with NaN = NaN, NaN greatest.
func compareFloats[T float32 | float64](op string) func(a, b *vec.Vec, out []bool) {
	return func(a, b *vec.Vec, out []bool) {
		if op == ">" || op == ">=" {
			a, b = b, a
		}
		x, y, mx, my := vec.Data[T](a), vec.Data[T](b), a.Mask(), b.Mask()
		for i := range out {
			p, q := x[i&mx], y[i&my]
			switch op {
			case "=":
				out[i] = p == q || p != p && q != q
			case "<>":
				out[i] = p != q && (p == p || q == q)
			case "<", ">":
				out[i] = p < q || q != q && p == p
			default:
				out[i] = p <= q || q != q
			}
		}
	}
}

// and is AND in three values: false beats null, null beats true.
func and(a, b *vec.Vec, n int) *vec.Vec {
	out := make([]bool, n)
	x, y, mx, my := a.Bool, b.Bool, a.Mask(), b.Mask()
	if a.Null == nil && b.Null == nil {
		for i := range out {
			out[i] = x[i&mx] && y[i&my]
		}
		return vec.Of(datatype.Boolean, out)
	}
	null := make([]bool, n)
	for i := range out {
		na, nb := a.IsNull(i), b.IsNull(i)
		p, q := !na && x[i&mx], !nb && y[i&my]
		out[i] = p && q
		null[i] = !out[i] && (na || nb) && (na || p) && (nb || q)
	}
	return vec.Of(datatype.Boolean, out).WithNull(null)
}

// or is OR in three values: true beats null, null beats false.
func or(a, b *vec.Vec, n int) *vec.Vec {
	out := make([]bool, n)
	x, y, mx, my := a.Bool, b.Bool, a.Mask(), b.Mask()
	if a.Null == nil && b.Null == nil {
		for i := range out {
			out[i] = x[i&mx] || y[i&my]
		}
		return vec.Of(datatype.Boolean, out)
	}
	null := make([]bool, n)
	for i := range out {
		na, nb := a.IsNull(i), b.IsNull(i)
		out[i] = !na && x[i&mx] || !nb && y[i&my]
		null[i] = !out[i] && (na || nb)
	}
	return vec.Of(datatype.Boolean, out).WithNull(null)
}

// connective evaluates the right side only where the left one does not decide (the left is not the value decides), when the right
// side could raise or few rows are left.
func connective(c *call, f func(a, b *vec.Vec, n int) *vec.Vec, decides bool) *Expr {
	l, r := c.args[0], c.args[1]
	r.Columns = sortedUnique(append([]int(nil), r.Columns...))
	e := &Expr{Fails: l.Fails || r.Fails}
	e.eval = func(b *vec.Batch) (*vec.Vec, error) {
		x, err := l.eval(b)
		if err != nil {
			return nil, err
		}
		m := x.Mask()
		open := b.N
		if !x.Const && x.Null == nil {
			open = 0
			for _, v := range x.Bool[:b.N] {
				if v != decides {
					open++
				}
			}
		}
		// Copying the operands of few rows costs less than looking at all.
		if !r.Fails && open > b.N/fewRows {
			y, err := r.eval(b)
			if err != nil {
				return nil, err
			}
			return f(x, y, b.N), nil
		}
		idx := make([]int32, 0, open)
		for i := range b.N {
			if x.IsNull(i) || x.Bool[i&m] != decides {
				idx = append(idx, int32(i))
			}
		}
		if len(idx) == 0 {
			return x, nil
		}
		y, err := r.evalAt(b, idx)
		if err != nil {
			return nil, err
		}
		if len(idx) != b.N {
			y = scatter(y, idx, b.N)
		}
		return f(x, y, b.N), nil
	}
	return e
}

// fewRows is the share of rows, as a divisor, up to which an operand is evaluated for them alone.
const fewRows = 4

// scatter puts row i of v at idx[i] of n rows; the others are null.
func scatter(v *vec.Vec, idx []int32, n int) *vec.Vec {
	at := make([]int32, n)
	for i := range at {
		at[i] = -1
	}
	for i, j := range idx {
		at[j] = int32(i)
	}
	return vec.Take(v.Flat(), at)
}

// coalesce asks each value only for the rows that are still null. A first value without nulls is passed on as it is.
func coalesce(c *call) (*Expr, error) {
	e := &Expr{}
	for _, a := range c.args {
		e.Fails = e.Fails || a.Fails
		a.Columns = sortedUnique(append([]int(nil), a.Columns...))
	}
	args, t := c.args, c.Typ
	e.eval = func(b *vec.Batch) (*vec.Vec, error) {
		if len(args) == 0 {
			return vec.Nulls(t, b.N), nil
		}
		which, at := make([]int32, b.N), make([]int32, b.N)
		rest := make([]int32, b.N)
		for i := range rest {
			rest[i], which[i] = int32(i), -1
		}
		var vs []*vec.Vec
		for k, a := range args {
			v, err := a.evalAt(b, rest)
			if err != nil {
				return nil, err
			}
			if k == 0 && v.Null == nil {
				return v, nil
			}
			vs = append(vs, v)
			left := rest[:0]
			for j, i := range rest {
				if v.IsNull(j) {
					left = append(left, i)
				} else {
					which[i], at[i] = int32(k), int32(j)
				}
			}
			if rest = left; len(rest) == 0 {
				break
			}
		}
		return vec.Merge(t, vs, which, at), nil
	}
	return e, nil
}

// in compares with each value in turn. A list of more than a few literals becomes a set of encoded rows.
func in(c *call) (*Expr, error) {
	e := &Expr{}
	lits := len(c.args) > 6
	for i, a := range c.args {
		e.Fails = e.Fails || a.Fails
		lits = lits && (i == 0 || a.lit != nil)
	}
	args, eq := c.args, comparison("=", c.typ(0))
	var set map[string]bool
	listNull := false
	if lits {
		set = map[string]bool{}
		for _, a := range args[1:] {
			if a.lit.AllNull() {
				listNull = true
				continue
			}
			set[string(vec.AppendKey(nil, a.lit, 0))] = true
		}
	}
	e.eval = func(b *vec.Batch) (*vec.Vec, error) {
		x, err := args[0].eval(b)
		if err != nil {
			return nil, err
		}
		out, null := make([]bool, b.N), make([]bool, b.N)
		if set != nil {
			var rows vec.Rows
			rows.Encode([]*vec.Vec{x}, b.N)
			for i := range out {
				if x.IsNull(i) {
					null[i] = true
				} else if !set[string(rows.Row(i))] {
					null[i] = listNull
				} else {
					out[i] = true
				}
			}
			return vec.Of(datatype.Boolean, out).WithNull(null), nil
		}
		hit := make([]bool, b.N)
		for _, a := range args[1:] {
			// Spark evaluates the list in turn up to the first hit; a value that raises does so for the rows without one only.
			var y *vec.Vec
			if a.Fails {
				skip := make([]bool, b.N)
				for i := range skip {
					skip[i] = x.IsNull(i) || out[i]
				}
				y, err = evalBut(a, b, skip)
			} else {
				y, err = a.eval(b)
			}
			if err != nil {
				return nil, err
			}
			clear(hit)
			eq(x, y, hit)
			for i, h := range hit {
				if y.IsNull(i) {
					null[i] = true
				} else if h {
					out[i] = true
				}
			}
		}
		for i := range out {
			null[i] = x.IsNull(i) || null[i] && !out[i]
		}
		if len(args) == 1 {
			clear(null)
		}
		return vec.Of(datatype.Boolean, out).WithNull(null), nil
	}
	return e, nil
}

// extreme is GREATEST (1) and LEAST (-1), which pass nulls over.
func extreme(c *call, sign int) evalFunc {
	c.raw = true
	compare, t := vec.CompareOf(c.Typ), c.Typ
	return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
		which := make([]int32, n)
		for i := range which {
			which[i] = -1
			for k, x := range v {
				if x.IsNull(i) {
					continue
				}
				if w := which[i]; w < 0 || compare(x, i, v[w], i)*sign > 0 {
					which[i] = int32(k)
				}
			}
		}
		return vec.Merge(t, v, which, nil), nil
	}
}
