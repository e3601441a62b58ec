package kernel

import (
	_ "embed" // the bias tables
	"encoding/binary"
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
	p   int
	mix mixer
	of  []sketch
	// words and all are where the sketches are kept.
	words []uint32
	all   []uint8
}

// sketch are the registers of a group: few of them, in words from at on, or all, as the set number at of those in all.
type sketch struct {
	at      uint32
	n, room uint16
}

// roomForAll is the room of a sketch that has all registers.
const roomForAll = math.MaxUint16

// few gives the registers of a sketch that has few: number << 8 | value, in order.
func (a *hll) few(s *sketch) []uint32 { return a.words[s.at : s.at+uint32(s.n)] }

// registers gives all registers of a sketch that has them.
func (a *hll) registers(s *sketch) []uint8 { return a.all[int(s.at)<<a.p : (int(s.at)+1)<<a.p] }

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

func (a *hll) Grow(n int) { a.of = resize(a.of, n) }

// mostFew is how many registers are kept by number.
func (a *hll) mostFew() int { return min(1<<a.p/8, 128) }

// offer raises a register of a group.
func (a *hll) offer(g int, at uint32, k uint8) {
	s := &a.of[g]
	if s.room == roomForAll {
		r := a.registers(s)
		r[at] = max(r[at], k)
		return
	}
	few := a.few(s)
	i := len(few)
	for i > 0 && few[i-1]>>8 > at {
		i--
	}
	if i > 0 && few[i-1]>>8 == at {
		few[i-1] = max(few[i-1], at<<8|uint32(k))
		return
	}
	if len(few) == a.mostFew() {
		a.spread(s)
		a.registers(s)[at] = k
		return
	}
	if s.n == s.room {
		// The words that it had are lost; they are as many as it has, at most.
		s.room = max(4, 2*s.room)
		from := uint32(len(a.words))
		a.words = resize(a.words, len(a.words)+int(s.room))
		copy(a.words[from:], few)
		s.at = from
	}
	s.n++
	few = a.few(s)
	copy(few[i+1:], few[i:])
	few[i] = at<<8 | uint32(k)
}

// spread gives a sketch all registers.
func (a *hll) spread(s *sketch) {
	if s.room == roomForAll {
		return
	}
	few := a.few(s)
	s.at, s.n, s.room = uint32(len(a.all)>>a.p), 0, roomForAll
	a.all = resize(a.all, len(a.all)+1<<a.p)
	r := a.registers(s)
	for _, x := range few {
		r[x>>8] = uint8(x)
	}
}

func (a *hll) Update(args []*vec.Vec, groups []int32, skip []bool, n int) error {
	v := args[0]
	for i := range n {
		if skipped(skip, i) || v.IsNull(i) {
			continue
		}
		x := a.mix(v, i, hashSeed)
		a.offer(group(groups, i), uint32(x>>(64-a.p)), uint8(bits.LeadingZeros64(x<<a.p|1<<(a.p-1))+1))
	}
	return nil
}

// mergeAll raises the registers of a group to others.
func (a *hll) mergeAll(g int, from []uint8) {
	a.spread(&a.of[g])
	r := a.registers(&a.of[g])
	for i, k := range from {
		r[i] = max(r[i], k)
	}
}

func (a *hll) Merge(o Accumulator, to []int32) error {
	x := o.(*hll)
	for g, t := range to {
		if t < 0 {
			continue
		}
		if s := &x.of[g]; s.room == roomForAll {
			a.mergeAll(int(t), x.registers(s))
		} else {
			for _, r := range x.few(s) {
				a.offer(int(t), r>>8, uint8(r))
			}
		}
	}
	return nil
}

// The forms of an encoded sketch: nothing, all registers, or a count of two bytes and the few, four bytes each.
const (
	noRegisters = iota
	allRegisters
	fewRegisters
)

func (a *hll) Encode(g int, b []byte) []byte {
	s := &a.of[g]
	switch {
	case s.room == roomForAll:
		return append(append(b, allRegisters), a.registers(s)...)
	case s.n == 0:
		return append(b, noRegisters)
	}
	b = binary.LittleEndian.AppendUint16(append(b, fewRegisters), s.n)
	for _, r := range a.few(s) {
		b = binary.LittleEndian.AppendUint32(b, r)
	}
	return b
}

func (a *hll) Decode(g int, b []byte) ([]byte, error) {
	if len(b) < 1 {
		return nil, errState
	}
	form, b := b[0], b[1:]
	switch form {
	case noRegisters:
		return b, nil
	case allRegisters:
		if len(b) < 1<<a.p {
			return nil, errState
		}
		a.mergeAll(g, b[:1<<a.p])
		return b[1<<a.p:], nil
	case fewRegisters:
		if len(b) < 2 {
			return nil, errState
		}
		n := int(binary.LittleEndian.Uint16(b))
		if b = b[2:]; len(b) < 4*n {
			return nil, errState
		}
		for i := range n {
			r := binary.LittleEndian.Uint32(b[4*i:])
			if r>>8 >= 1<<a.p {
				return nil, errState
			}
			a.offer(g, r>>8, uint8(r))
		}
		return b[4*n:], nil
	}
	return nil, errState
}

func (a *hll) Result(n int) (*vec.Vec, error) {
	out := make([]int64, n)
	for g := range out {
		if s := &a.of[g]; s.room > 0 {
			out[g] = a.estimate(s)
		}
	}
	return vec.Of(datatype.Long, out), nil
}

// estimate is the raw estimate, corrected by the bias of its nearest neighbours; where few registers are used, or the raw estimate is small, linear counting.
func (a *hll) estimate(s *sketch) int64 {
	m := float64(int(1) << a.p)
	sum, empty := 0.0, 0.0 // of powers of two, so that their order does not matter
	if s.room != roomForAll {
		empty = m - float64(s.n)
		sum = empty
		for _, r := range a.few(s) {
			sum += 1 / float64(int32(1)<<(r&31))
		}
	} else {
		for _, k := range a.registers(s) {
			sum += 1 / float64(int32(1)<<(k&31)) // Spark shifts an Int
			if k == 0 {
				empty++
			}
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
