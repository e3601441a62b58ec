package kernel

import (
	"strings"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

func init() {
	lazies["nvl"] = coalesce
	lazies["nvl2"] = nvl2
	lazies["decode"] = decode
	lazies["nanvl"] = nanvl
	register("zeroifnull", func(c *call) (evalFunc, error) {
		zero, t := vec.Of(datatype.Byte, []int8{0}), c.Typ
		e, err := compileCast(constant(zero.Repeat(1)), t, false, c.env, c.At)
		if err != nil {
			return nil, err
		}
		c.raw = true
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			if v[0].Null == nil {
				return v[0], nil
			}
			z, err := e.eval(&vec.Batch{N: n})
			if err != nil {
				return nil, err
			}
			which := make([]int32, n)
			for i := range which {
				if v[0].IsNull(i) {
					which[i] = 1
				}
			}
			return vec.Merge(t, []*vec.Vec{v[0], z}, which, nil), nil
		}, nil
	})
	register("nullifzero", func(c *call) (evalFunc, error) {
		zero, err := compileCast(constant(vec.Of(datatype.Byte, []int8{0}).Repeat(1)), c.typ(0), false, c.env, c.At)
		if err != nil {
			return nil, err
		}
		equal := comparison("=", c.typ(0))
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			z, err := zero.eval(&vec.Batch{N: n})
			if err != nil {
				return nil, err
			}
			hit, null := make([]bool, n), make([]bool, n)
			equal(v[0], z, hit)
			for i := range null {
				null[i] = hit[i] || v[0].IsNull(i)
			}
			return v[0].Flat().WithNull(null), nil
		}, nil
	})
	register("assert_true", func(c *call) (evalFunc, error) {
		c.raw, c.fails = true, true
		text := "'" + tree.String(c.Args[0]) + "' is not true!"
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			m := v[0].Mask()
			for i := range n {
				if !v[0].IsNull(i) && v[0].Bool[i&m] {
					continue
				}
				if len(v) > 1 {
					return nil, raised(raisedText(v[1], i))
				}
				return nil, raised(text)
			}
			return vec.Nulls(datatype.Null, n), nil
		}, nil
	})
	register("raise_error", func(c *call) (evalFunc, error) {
		c.raw, c.fails = true, true
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			if n > 0 {
				return nil, raised(raisedText(v[0], 0))
			}
			return vec.Nulls(datatype.Null, n), nil
		}, nil
	})
	register("typeof", func(c *call) (evalFunc, error) {
		c.raw = true
		name := catalogText(c.Args[0].Type())
		b := vec.NewBuilder(datatype.String, 1)
		b.AppendString(name)
		v := b.Vec()
		return func(_ []*vec.Vec, n int, _ []bool) (*vec.Vec, error) { return v.Repeat(n), nil }, nil
	})
}

func raised(text string) error {
	return condition.Newf(condition.UserRaised, "%s", text)
}

// raisedText is the message of a row, "null" for NULL as in Spark.
func raisedText(v *vec.Vec, i int) string {
	if v.IsNull(i) {
		return "null"
	}
	return strings.Clone(v.Str(i))
}

// catalogText is the name of a type as Spark's catalogue has it: in lower case but for the names of fields.
func catalogText(t datatype.Type) string {
	switch x := t.(type) {
	case datatype.Array:
		return "array<" + catalogText(x.Elem) + ">"
	case datatype.Map:
		return "map<" + catalogText(x.Key) + "," + catalogText(x.Value) + ">"
	case datatype.Struct:
		parts := make([]string, len(x.Fields))
		for i, f := range x.Fields {
			parts[i] = f.Name + ":" + catalogText(f.Type)
		}
		return "struct<" + strings.Join(parts, ",") + ">"
	}
	return strings.ToLower(t.String())
}

// nvl2 evaluates each branch over its rows only.
func nvl2(c *call) (*Expr, error) {
	args, t := c.args, c.Typ
	e := &Expr{Fails: args[0].Fails || args[1].Fails || args[2].Fails}
	for _, a := range args[1:] {
		a.Columns = sortedUnique(append([]int(nil), a.Columns...))
	}
	e.eval = func(b *vec.Batch) (*vec.Vec, error) {
		x, err := args[0].eval(b)
		if err != nil {
			return nil, err
		}
		which := make([]int32, b.N)
		for i := range which {
			if x.IsNull(i) {
				which[i] = 1
			}
		}
		return pickRows(t, b, which, args[1:])
	}
	return e, nil
}

// pickRows evaluates branch which[i] for row i, each branch over its own rows; a negative number is null.
func pickRows(t datatype.Type, b *vec.Batch, which []int32, branches []*Expr) (*vec.Vec, error) {
	at, vs := make([]int32, len(which)), make([]*vec.Vec, len(branches))
	for k, e := range branches {
		var idx []int32
		for i, w := range which {
			if int(w) == k {
				at[i] = int32(len(idx))
				idx = append(idx, int32(i))
			}
		}
		v, err := e.evalAt(b, idx)
		if err != nil {
			return nil, err
		}
		vs[k] = v
	}
	return vec.Merge(t, vs, which, at), nil
}

// decode is DECODE of a charset, or the short form of CASE.
func decode(c *call) (*Expr, error) {
	if len(c.args) == 2 {
		return eager(c, decodeCharset(c))
	}
	args, t := c.args, c.Typ
	equal := comparison("=", args[0].Type)
	var searches, results []*Expr
	e := &Expr{}
	for i, a := range args {
		e.Fails = e.Fails || a.Fails
		a.Columns = sortedUnique(append([]int(nil), a.Columns...))
		switch {
		case i == 0:
		case i%2 == 1 && i+1 < len(args):
			searches = append(searches, a)
		default:
			results = append(results, a)
		}
	}
	other := int32(-1)
	if len(results) > len(searches) {
		other = int32(len(results) - 1)
	}
	e.eval = func(b *vec.Batch) (*vec.Vec, error) {
		x, err := args[0].eval(b)
		if err != nil {
			return nil, err
		}
		which, rest := make([]int32, b.N), make([]int32, b.N)
		for i := range which {
			which[i], rest[i] = other, int32(i)
		}
		for k, s := range searches {
			if len(rest) == 0 {
				break
			}
			y, err := s.evalAt(b, rest)
			if err != nil {
				return nil, err
			}
			z, hit, left := vec.Take(x, rest), make([]bool, len(rest)), rest[:0]
			equal(z, y, hit)
			for j, i := range rest {
				if p, q := z.IsNull(j), y.IsNull(j); p && q || !p && !q && hit[j] {
					which[i] = int32(k)
				} else {
					left = append(left, i)
				}
			}
			rest = left
		}
		return pickRows(t, b, which, results)
	}
	return e, nil
}

// eager makes a kernel of one of the rows that are not null, for a name whose other form is lazy.
func eager(c *call, f evalFunc) (*Expr, error) {
	e := &Expr{Fails: true}
	args, x := c.args, c.Call
	e.eval = func(b *vec.Batch) (*vec.Vec, error) {
		vs := make([]*vec.Vec, len(args))
		for i, a := range args {
			v, err := a.eval(b)
			if err != nil {
				return nil, err
			}
			if v.AllNull() {
				return vec.Nulls(x.Typ, b.N), nil
			}
			vs[i] = v
		}
		null := mergeNulls(vs, b.N)
		r, err := f(vs, b.N, null)
		if err != nil {
			return nil, place(err, x)
		}
		if r.Null == nil {
			r.Null = null
		}
		return r, nil
	}
	return e, nil
}

// nanvl asks the second value only for the rows that are NaN.
func nanvl(c *call) (*Expr, error) {
	a, rest := c.args[0], c.args[1]
	rest.Columns = sortedUnique(append([]int(nil), rest.Columns...))
	e, t := &Expr{Fails: a.Fails || rest.Fails}, c.Typ
	e.eval = func(b *vec.Batch) (*vec.Vec, error) {
		x, err := a.eval(b)
		if err != nil {
			return nil, err
		}
		which, at, m := make([]int32, b.N), make([]int32, b.N), x.Mask()
		var idx []int32
		for i := range which {
			at[i] = int32(i)
			if x.IsNull(i) {
				continue
			}
			if x.F64 != nil && x.F64[i&m] != x.F64[i&m] || x.F32 != nil && x.F32[i&m] != x.F32[i&m] {
				which[i], at[i] = 1, int32(len(idx))
				idx = append(idx, int32(i))
			}
		}
		y, err := rest.evalAt(b, idx)
		if err != nil {
			return nil, err
		}
		return vec.Merge(t, []*vec.Vec{x, y}, which, at), nil
	}
	return e, nil
}
