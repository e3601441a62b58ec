package kernel

import "github.com/spoonbill-go/spoonbill/backend/local/vec"

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
}
