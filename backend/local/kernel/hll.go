package kernel

import (
	_ "embed" // the bias tables
	"math"
	"math/bits"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

func init() { accumulators["approx_count_distinct"] = newHLL }

// hllTables are the empirical thresholds and biases of HyperLogLog++ that its authors published with "HyperLogLog in Practice" (2013), by the
// number of index bits from 4 to 18.
//
//go:embed hllbias.txt
var hllTables string

type hllBias struct {
	thresholds []float64
	raw, bias  [19][]float64
}

var hllData = sync.OnceValue(func() *hllBias {
	t := &hllBias{}
	for line := range strings.Lines(hllTables) {
		f := strings.Fields(line)
		var x []float64
		for _, s := range f[1:] {
			y, err := strconv.ParseFloat(s, 64)
			if err != nil {
				panic("kernel: the bias tables: " + err.Error()) // invariant: the file is part of the program
			}
			x = append(x, y)
		}
		switch f[0] {
		case "THRESHOLDS":
			t.thresholds = x
		case "RAW_ESTIMATE_DATA":
			t.raw[int(x[0])] = x[2:]
		case "BIAS_DATA":
			t.bias[int(x[0])] = x[2:]
		}
	}
	return t
})

// hll is APPROX_COUNT_DISTINCT: HyperLogLog++ over XXHASH64, whose registers do not depend on the order of the rows.
type hll struct {
	p         int
	mix       mixer
	registers [][]uint8
}

func newHLL(a aggregate) (func() Accumulator, error) {
	rsd := 0.05
	if len(a.call.Args) > 1 {
		e, err := Compile(a.call.Args[1], a.env)
		if err != nil {
			return nil, err
		}
		x, _ := e.Literal()
		f, ok := x.(float64)
		if !ok {
			return nil, located(condition.Newf(condition.Unsupported, "the relative deviation of approx_count_distinct must be a literal."), a.call.At)
		}
		rsd = f
	}
	p := int(math.Ceil(2 * math.Log(1.106/rsd) / math.Log(2)))
	if !(rsd > 0) || p < 4 {
		return nil, located(condition.Newf("FAILED_FUNCTION_CALL", "approx_count_distinct takes a relative deviation up to 0.39, not %v.", rsd), a.call.At)
	}
	if p > 20 {
		return nil, located(condition.Newf(condition.Unsupported, "approx_count_distinct with a relative deviation below 0.0011 takes a million registers for each group; count(DISTINCT …) is exact."), a.call.At)
	}
	mix, ok := mixerOf(a.args[0], xx64{})
	if !ok {
		return nil, located(condition.Newf(condition.Unsupported, "approx_count_distinct of %s is not supported.", a.args[0]), a.call.At)
	}
	return func() Accumulator { return &hll{p: p, mix: mix} }, nil
}

func (a *hll) Grow(n int) { a.registers = resize(a.registers, n) }

func (a *hll) of(g int) []uint8 {
	if a.registers[g] == nil {
		a.registers[g] = make([]uint8, 1<<a.p)
	}
	return a.registers[g]
}

func (a *hll) Update(args []*vec.Vec, groups []int32, skip []bool, n int) error {
	v := args[0]
	for i := range n {
		if skipped(skip, i) || v.IsNull(i) {
			continue
		}
		x := a.mix(v, i, hashSeed)
		r := a.of(group(groups, i))
		k := uint8(bits.LeadingZeros64(x<<a.p|1<<(a.p-1)) + 1)
		if at := x >> (64 - a.p); r[at] < k {
			r[at] = k
		}
	}
	return nil
}

func (a *hll) merge(g int, from []uint8) {
	r := a.of(g)
	for i, k := range from {
		r[i] = max(r[i], k)
	}
}

func (a *hll) Merge(o Accumulator, to []int32) error {
	x := o.(*hll)
	for g, t := range to {
		if t >= 0 && x.registers[g] != nil {
			a.merge(int(t), x.registers[g])
		}
	}
	return nil
}

func (a *hll) Encode(g int, b []byte) []byte {
	b = appendFlag(b, a.registers[g] != nil)
	return append(b, a.registers[g]...)
}

func (a *hll) Decode(g int, b []byte) ([]byte, error) {
	if len(b) < 1 || b[0] == 1 && len(b) < 1+1<<a.p {
		return nil, errState
	}
	if b[0] == 0 {
		return b[1:], nil
	}
	a.merge(g, b[1:1+1<<a.p])
	return b[1+1<<a.p:], nil
}

func (a *hll) Result(n int) (*vec.Vec, error) {
	out := make([]int64, n)
	for g := range out {
		if r := a.registers[g]; r != nil {
			out[g] = a.estimate(r)
		}
	}
	return vec.Of(datatype.Long, out), nil
}

// estimate is the raw estimate, corrected by the bias of its nearest neighbours; where few registers are used, or the raw estimate is small, linear counting.
func (a *hll) estimate(r []uint8) int64 {
	m := float64(len(r))
	sum, empty := 0.0, 0.0
	for _, k := range r {
		sum += 1 / float64(int32(1)<<(k&31)) // Spark shifts an Int
		if k == 0 {
			empty++
		}
	}
	alpha := 0.7213 / (1 + 1.079/m)
	switch a.p {
	case 4:
		alpha = 0.673
	case 5:
		alpha = 0.697
	case 6:
		alpha = 0.709
	}
	e := alpha * m * m / sum
	t := hllData()
	corrected := e
	if a.p < 19 && e < 5*m {
		corrected = e - t.biasOf(a.p, e)
	}
	if empty > 0 {
		if h := m * math.Log(m/empty); a.p < 19 && h <= t.thresholds[a.p-4] || e <= 2.5*m {
			corrected = h
		}
	}
	return int64(math.Floor(corrected + 0.5))
}

// biasOf is the mean bias of the six nearest estimates.
func (t *hllBias) biasOf(p int, e float64) float64 {
	const near = 6
	raw := t.raw[p]
	low := max(sort.SearchFloat64s(raw, e)-near+1, 0)
	high := min(low+near, len(raw))
	distance := func(i int) float64 { return (e - raw[i]) * (e - raw[i]) }
	for high < len(raw) && distance(high) < distance(low) {
		low++
		high++
	}
	sum := 0.0
	for _, b := range t.bias[p][low:high] {
		sum += b
	}
	return sum / float64(high-low)
}
