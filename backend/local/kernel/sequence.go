package kernel

import (
	"math/big"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

func init() {
	register("sequence", func(c *call) (evalFunc, error) {
		c.fails = true
		elem := elemOf(c.Typ)
		if !datatype.IsIntegral(elem) {
			return nil, c.refuse("the engine makes sequences of integers only, not of %s.", elem)
		}
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			b := vec.NewBuilder(elem, n)
			off := make([]int32, 1, n+1)
			for i := range n {
				if !isNull(null, i) {
					start, stop := integerAt(v[0], i), integerAt(v[1], i)
					step := int64(1)
					if stop < start {
						step = -1
					}
					if len(v) > 2 {
						step = integerAt(v[2], i)
					}
					if !(step > 0 && start <= stop || step < 0 && start >= stop || step == 0 && start == stop) {
						return nil, illegalSequence(start, stop, step)
					}
					size := int64(1)
					if step != 0 {
						if size = sequenceLength(start, stop, step); size < 0 {
							return nil, tooLong("sequence", "PARAMETER", maxElements+1, 0)
						}
					}
					if err := tooLong("sequence", "PARAMETER", size, b.Len()); err != nil {
						return nil, err
					}
					for k := range size {
						b.AppendInt(start + k*step)
					}
				}
				off = append(off, int32(b.Len()))
			}
			return list(c.Typ, off, nil, b.Vec()), nil
		}, nil
	})
}

// integerAt reads an integer of any width.
func integerAt(v *vec.Vec, i int) int64 {
	i &= v.Mask()
	switch vec.PhysOf(v.Type) {
	case vec.PI8:
		return int64(v.I8[i])
	case vec.PI16:
		return int64(v.I16[i])
	case vec.PI32:
		return int64(v.I32[i])
	}
	return v.I64[i]
}

func illegalSequence(start, stop, step int64) error {
	// Spark raises a bare IllegalArgumentException.
	return condition.Newf(condition.InvalidValue, "Illegal sequence boundaries: %d to %d by %d.", start, stop, step)
}

// sequenceLength counts the elements; -1 for more than an array can have.
func sequenceLength(start, stop, step int64) int64 {
	d := new(big.Int).Sub(big.NewInt(stop), big.NewInt(start))
	d.Quo(d, big.NewInt(step))
	if d.Cmp(big.NewInt(maxElements-1)) > 0 {
		return -1
	}
	return 1 + d.Int64()
}
