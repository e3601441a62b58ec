package kernel

import (
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

func init() {
	register("named_struct", func(c *call) (evalFunc, error) {
		c.raw = true
		t := c.Typ
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			out := &vec.Vec{Type: t, Len: n}
			for i := 1; i < len(v); i += 2 {
				out.Kids = append(out.Kids, v[i].Flat())
			}
			return out, nil
		}, nil
	})
	register("array", func(c *call) (evalFunc, error) {
		c.raw = true
		t := c.Typ
		elem := t.(datatype.Array).Elem
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			out := &vec.Vec{Type: t, Len: n, Off: make([]int32, n+1)}
			k := len(v)
			which, at := make([]int32, n*k), make([]int32, n*k)
			for i := range n {
				for j := range k {
					which[i*k+j], at[i*k+j] = int32(j), int32(i)
				}
				out.Off[i+1] = int32((i + 1) * k)
			}
			out.Kids = []*vec.Vec{vec.Merge(elem, v, which, at)}
			return out, nil
		}, nil
	})
	register("size", func(c *call) (evalFunc, error) {
		// Without ANSI Spark's size of null is -1 (spark.sql.legacy.sizeOfNull follows the mode).
		ansi := c.env.ANSI
		c.raw = true
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			out := make([]int32, n)
			null := make([]bool, n)
			for i := range out {
				if v[0].IsNull(i) {
					out[i], null[i] = -1, ansi
					continue
				}
				j := i & v[0].Mask()
				out[i] = v[0].Off[j+1] - v[0].Off[j]
			}
			return vec.Of(datatype.Int, out).WithNull(null), nil
		}, nil
	})
	register("array_contains", func(c *call) (evalFunc, error) {
		c.raw = true
		equal := vec.CompareOf(c.typ(1))
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			a, x := v[0], v[1]
			out, null := make([]bool, n), make([]bool, n)
			for i := range out {
				if a.IsNull(i) || x.IsNull(i) {
					null[i] = true
					continue
				}
				j := i & a.Mask()
				for k := a.Off[j]; k < a.Off[j+1]; k++ {
					if a.Kids[0].IsNull(int(k)) {
						null[i] = true
					} else if equal(a.Kids[0], int(k), x, i) == 0 {
						out[i], null[i] = true, false
						break
					}
				}
			}
			return vec.Of(datatype.Boolean, out).WithNull(null), nil
		}, nil
	})
}
