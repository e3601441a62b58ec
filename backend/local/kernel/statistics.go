package kernel

import (
	"encoding/binary"
	"math"
	"slices"
	"sort"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

func init() {
	for name, f := range map[string]func(a, b int64) int64{
		"bit_and": func(a, b int64) int64 { return a & b }, "bit_or": func(a, b int64) int64 { return a | b }, "bit_xor": func(a, b int64) int64 { return a ^ b },
	} {
		accumulators[name] = func(a aggregate) (func() Accumulator, error) {
			return func() Accumulator { return &bitFold{t: a.typ, f: f, get: intAt(a.typ)} }, nil
		}
	}
	one := func(name string, f func(m *moments) (float64, bool)) {
		accumulators[name] = func(a aggregate) (func() Accumulator, error) {
			return func() Accumulator { return &momentsOf{end: f, over: a.over} }, nil
		}
	}
	one("stddev_pop", func(m *moments) (float64, bool) { return math.Sqrt(m.m2 / m.n), m.n > 0 })
	one("stddev", func(m *moments) (float64, bool) { return math.Sqrt(m.m2 / (m.n - 1)), m.n > 1 })
	one("var_pop", func(m *moments) (float64, bool) { return m.m2 / m.n, m.n > 0 })
	one("variance", func(m *moments) (float64, bool) { return m.m2 / (m.n - 1), m.n > 1 })
	one("skewness", func(m *moments) (float64, bool) {
		return math.Sqrt(m.n) * m.m3 / math.Sqrt(float64(m.m2*m.m2)*m.m2), m.n > 0 && m.m2 != 0
	})
	one("kurtosis", func(m *moments) (float64, bool) {
		return float64(m.n*m.m4)/float64(m.m2*m.m2) - 3, m.n > 0 && m.m2 != 0
	})
	two := func(name string, f func(p *paired) (float64, bool)) {
		accumulators[name] = func(a aggregate) (func() Accumulator, error) {
			raises := a.env.ANSI && name == "corr"
			return func() Accumulator { return &pairsOf{end: f, raises: raises, over: a.over} }, nil
		}
	}
	two("corr", func(p *paired) (float64, bool) {
		d := math.Sqrt(p.xMk * p.yMk)
		return p.ck / d, p.n > 1 && d != 0
	})
	two("covar_pop", func(p *paired) (float64, bool) { return p.cov / p.n, p.n > 0 })
	two("covar_samp", func(p *paired) (float64, bool) { return p.cov / (p.n - 1), p.n > 1 })
	// The first argument of the regressions is y, the second x.
	two("regr_avgy", func(p *paired) (float64, bool) { return p.xSum / p.n, p.n > 0 })
	two("regr_avgx", func(p *paired) (float64, bool) { return p.ySum / p.n, p.n > 0 })
	two("regr_syy", func(p *paired) (float64, bool) { return p.xM2, p.n > 0 })
	two("regr_sxx", func(p *paired) (float64, bool) { return p.yM2, p.n > 0 })
	two("regr_sxy", func(p *paired) (float64, bool) { return p.cov, p.n > 0 })
	// One pair has a line where its x is infinite or NaN, since the deviation of that is NaN and not 0.
	two("regr_slope", func(p *paired) (float64, bool) { return p.vco / p.yM2, p.n > 0 && p.yM2 != 0 })
	two("regr_intercept", func(p *paired) (float64, bool) {
		return p.xAvg - float64(p.vco/p.yM2*p.yAvg), p.n > 0 && p.yM2 != 0
	})
	two("regr_r2", func(p *paired) (float64, bool) {
		if p.xMk == 0 {
			return 1, p.n > 0 && p.yMk != 0
		}
		c := p.ck / math.Sqrt(p.xMk*p.yMk)
		return c * c, p.n > 0 && p.yMk != 0
	})
	accumulators["regr_count"] = func(aggregate) (func() Accumulator, error) { return func() Accumulator { return &count{} }, nil }
	accumulators["max_by"] = func(a aggregate) (func() Accumulator, error) { return newExtremeBy(a, 1), nil }
	accumulators["min_by"] = func(a aggregate) (func() Accumulator, error) { return newExtremeBy(a, -1), nil }
	for _, name := range []string{"median", "percentile", "percentile_cont", "percentile_disc"} {
		accumulators[name] = newPercentile
	}
}

// bitFold is BIT_AND, BIT_OR and BIT_XOR.
type bitFold struct {
	t   datatype.Type
	f   func(a, b int64) int64
	get func(v *vec.Vec, i int) int64
	x   []int64
	has []bool
}

func (a *bitFold) Grow(n int) { a.x, a.has = resize(a.x, n), resize(a.has, n) }

func (a *bitFold) add(g int, x int64) {
	if a.has[g] {
		x = a.f(a.x[g], x)
	}
	a.x[g], a.has[g] = x, true
}

func (a *bitFold) Update(args []*vec.Vec, groups []int32, skip []bool, n int) error {
	v := args[0]
	m := v.Mask()
	for i := range n {
		if !skipped(skip, i) && !v.IsNull(i) {
			a.add(group(groups, i), a.get(v, i&m))
		}
	}
	return nil
}

func (a *bitFold) Merge(o Accumulator, to []int32) error {
	x := o.(*bitFold)
	for g, t := range to {
		if t >= 0 && x.has[g] {
			a.add(int(t), x.x[g])
		}
	}
	return nil
}

func (a *bitFold) Encode(g int, b []byte) []byte {
	return binary.LittleEndian.AppendUint64(appendFlag(b, a.has[g]), uint64(a.x[g]))
}

func (a *bitFold) Decode(g int, b []byte) ([]byte, error) {
	if len(b) < 9 {
		return nil, errState
	}
	if b[0] == 1 {
		a.add(g, int64(binary.LittleEndian.Uint64(b[1:])))
	}
	return b[9:], nil
}

func (a *bitFold) Result(n int) (*vec.Vec, error) {
	b := vec.NewBuilder(a.t, n)
	for g := range n {
		if a.has[g] {
			b.AppendInt(a.x[g])
		} else {
			b.AppendNull()
		}
	}
	return b.Vec(), nil
}

// appendFloats and readFloats are the encoding of a state of doubles.
func appendFloats(b []byte, x []float64) []byte {
	for _, f := range x {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(f))
	}
	return b
}

func readFloats(b []byte, x []float64) ([]byte, error) {
	if len(b) < 8*len(x) {
		return nil, errState
	}
	for i := range x {
		x[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return b[8*len(x):], nil
}

// floatResult makes a DOUBLE of each group, null where there is none.
func floatResult(n int, f func(g int) (float64, bool)) *vec.Vec {
	out, more := make([]float64, n), nulls{}
	for g := range out {
		x, ok := f(g)
		if !ok {
			more.set(g, n)
			continue
		}
		out[g] = x
	}
	return vec.Of(datatype.Double, out).WithNull(more.b)
}

// moments are the number, mean and central moments of doubles, by Spark's update and merge (CentralMomentAgg).
type moments struct{ n, avg, m2, m3, m4 float64 }

func (m *moments) add(x float64) {
	m.n++
	d := x - m.avg
	dn := d / m.n
	m.avg += dn
	m.m2 += float64(d * (d - dn))
	d2, dn2 := float64(d*d), float64(dn*dn)
	m.m3 = m.m3 - float64(float64(3*dn)*m.m2) + float64(d*(d2-dn2))
	m.m4 = m.m4 - float64(float64(4*dn)*m.m3) - float64(float64(6*dn2)*m.m2) + float64(d*(float64(d*d2)-float64(dn*dn2)))
}

// merge puts o behind m.
func (m *moments) merge(o *moments) {
	n1, n2 := m.n, o.n
	n := n1 + n2
	d := o.avg - m.avg
	dn := 0.0
	if n != 0 {
		dn = d / n
	}
	r := moments{n: n, avg: m.avg + float64(dn*n2)}
	r.m2 = m.m2 + o.m2 + float64(float64(float64(d*dn)*n1)*n2)
	r.m3 = m.m3 + o.m3 + float64(float64(float64(float64(float64(dn*dn)*d)*n1)*n2)*(n1-n2)) + float64(float64(3*dn)*(float64(n1*o.m2)-float64(n2*m.m2)))
	r.m4 = m.m4 + o.m4 + float64(float64(float64(float64(float64(float64(dn*dn)*dn)*d)*n1)*n2)*(float64(n1*n1)-float64(n1*n2)+float64(n2*n2))) +
		float64(float64(float64(6*dn)*dn)*(float64(float64(n1*n1)*o.m2)+float64(float64(n2*n2)*m.m2))) + float64(float64(4*dn)*(float64(n1*o.m3)-float64(n2*m.m3)))
	*m = r
}

// momentsOf is the statistics of one DOUBLE.
type momentsOf struct {
	m    []moments
	end  func(m *moments) (float64, bool)
	over bool
}

func (a *momentsOf) Grow(n int) { a.m = resize(a.m, n) }

func (a *momentsOf) Update(args []*vec.Vec, groups []int32, skip []bool, n int) error {
	v := args[0]
	m := v.Mask()
	for i := range n {
		if !skipped(skip, i) && !v.IsNull(i) {
			a.m[group(groups, i)].add(v.F64[i&m])
		}
	}
	return nil
}

func (a *momentsOf) Merge(o Accumulator, to []int32) error {
	x := o.(*momentsOf)
	for g, t := range to {
		if t >= 0 {
			a.m[t].merge(&x.m[g])
		}
	}
	return nil
}

func (a *momentsOf) Encode(g int, b []byte) []byte {
	m := &a.m[g]
	return appendFloats(b, []float64{m.n, m.avg, m.m2, m.m3, m.m4})
}

// Decode implements [Accumulator]; what was encoded came before what is here.
func (a *momentsOf) Decode(g int, b []byte) ([]byte, error) {
	var x [5]float64
	rest, err := readFloats(b, x[:])
	if err != nil {
		return nil, err
	}
	m := moments{x[0], x[1], x[2], x[3], x[4]}
	if a.m[g].n > 0 {
		m.merge(&a.m[g])
	}
	a.m[g] = m
	return rest, nil
}

// Result implements [Accumulator]. Spark merges each partition's moments into empty ones, but for windows, which shows where a product overflows.
func (a *momentsOf) Result(n int) (*vec.Vec, error) {
	return floatResult(n, func(g int) (float64, bool) {
		if a.over {
			return a.end(&a.m[g])
		}
		var m moments
		m.merge(&a.m[g])
		return a.end(&m)
	}), nil
}

// paired is what the statistics of pairs need. The sums of products come in the two forms of Spark's Covariance (cov, and vco with the sides
// changed) and PearsonCorrelation (ck, xMk, yMk), whose last bits differ, and the second moments of each side.
type paired struct{ n, xAvg, yAvg, cov, vco, ck, xMk, yMk, xM2, yM2, xSum, ySum float64 }

func (p *paired) add(x, y float64) {
	p.n++
	dx, dy := x-p.xAvg, y-p.yAvg
	dxn, dyn := dx/p.n, dy/p.n
	p.xAvg += dxn
	p.yAvg += dyn
	p.cov += float64(dx * (dy - dyn))
	p.vco += float64(dy * (dx - dxn))
	p.ck += float64(dx * (y - p.yAvg))
	p.xMk += float64(dx * (x - p.xAvg))
	p.yMk += float64(dy * (y - p.yAvg))
	p.xM2 += float64(dx * (dx - dxn))
	p.yM2 += float64(dy * (dy - dyn))
	p.xSum += x
	p.ySum += y
}

func (p *paired) merge(o *paired) {
	n1, n2 := p.n, o.n
	n := n1 + n2
	dx, dy := o.xAvg-p.xAvg, o.yAvg-p.yAvg
	var dxn, dyn float64
	if n != 0 {
		dxn, dyn = dx/n, dy/n
	}
	cross := func(a, b float64) float64 { return float64(float64(float64(a*b)*n1) * n2) }
	p.n = n
	p.xAvg += float64(dxn * n2)
	p.yAvg += float64(dyn * n2)
	p.cov += o.cov + cross(dx, dyn)
	p.vco += o.vco + cross(dy, dxn)
	p.ck += o.ck + cross(dx, dyn)
	p.xMk += o.xMk + cross(dx, dxn)
	p.yMk += o.yMk + cross(dy, dyn)
	p.xM2 += o.xM2 + cross(dx, dxn)
	p.yM2 += o.yM2 + cross(dy, dyn)
	p.xSum += o.xSum
	p.ySum += o.ySum
}

func (p *paired) floats() []float64 {
	return []float64{p.n, p.xAvg, p.yAvg, p.cov, p.vco, p.ck, p.xMk, p.yMk, p.xM2, p.yM2, p.xSum, p.ySum}
}

// pairsOf is the statistics of two DOUBLEs over the rows where neither is null.
type pairsOf struct {
	p      []paired
	end    func(p *paired) (float64, bool)
	over   bool
	raises bool // CORR divides by zero where a side does not vary
}

func (a *pairsOf) Grow(n int) { a.p = resize(a.p, n) }

func (a *pairsOf) Update(args []*vec.Vec, groups []int32, skip []bool, n int) error {
	v, w := args[0], args[1]
	mv, mw := v.Mask(), w.Mask()
	for i := range n {
		if !skipped(skip, i) && !v.IsNull(i) && !w.IsNull(i) {
			a.p[group(groups, i)].add(v.F64[i&mv], w.F64[i&mw])
		}
	}
	return nil
}

func (a *pairsOf) Merge(o Accumulator, to []int32) error {
	x := o.(*pairsOf)
	for g, t := range to {
		if t >= 0 {
			a.p[t].merge(&x.p[g])
		}
	}
	return nil
}

func (a *pairsOf) Encode(g int, b []byte) []byte { return appendFloats(b, a.p[g].floats()) }

// Decode implements [Accumulator]; what was encoded came before what is here.
func (a *pairsOf) Decode(g int, b []byte) ([]byte, error) {
	var x [12]float64
	rest, err := readFloats(b, x[:])
	if err != nil {
		return nil, err
	}
	p := paired{x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10], x[11]}
	if a.p[g].n > 0 {
		p.merge(&a.p[g])
	}
	a.p[g] = p
	return rest, nil
}

// Result implements [Accumulator]; as for the moments, each state is merged into an empty one.
func (a *pairsOf) Result(n int) (*vec.Vec, error) {
	var err error
	v := floatResult(n, func(g int) (float64, bool) {
		p := a.p[g]
		if !a.over {
			p = paired{}
			p.merge(&a.p[g])
		}
		x, ok := a.end(&p)
		if !ok && a.raises && p.n > 1 {
			err = divisionByZero()
		}
		return x, ok
	})
	return v, err
}

// extremeBy is MAX_BY and MIN_BY: the value of the last row that no other beats.
type extremeBy struct {
	value, by slots
	sign      int
	compare   vec.Comparator
}

func newExtremeBy(a aggregate, sign int) func() Accumulator {
	t, by := a.typ, a.args[1]
	return func() Accumulator {
		return &extremeBy{value: newSlots(t), by: newSlots(by), sign: sign, compare: vec.CompareOf(by)}
	}
}

func (a *extremeBy) Grow(n int) { a.value.Grow(n); a.by.Grow(n) }

// beats tells whether the group's row stays before row i of a vector.
func (a *extremeBy) beats(g int, by *vec.Vec, i int) bool {
	return a.by.has[g] && a.compare(a.by.row(g), 0, by, i)*a.sign > 0
}

func (a *extremeBy) Update(args []*vec.Vec, groups []int32, skip []bool, n int) error {
	for i := range n {
		g := group(groups, i)
		if skipped(skip, i) || args[1].IsNull(i) || a.beats(g, args[1], i) {
			continue
		}
		a.value.set(g, args[0], i)
		a.by.set(g, args[1], i)
	}
	return nil
}

func (a *extremeBy) Merge(o Accumulator, to []int32) error {
	x := o.(*extremeBy)
	for g, t := range to {
		if t < 0 || !x.by.has[g] {
			continue
		}
		if by := x.by.row(g); !a.beats(int(t), by, 0) {
			a.value.set(int(t), x.value.row(g), 0)
			a.by.set(int(t), by, 0)
		}
	}
	return nil
}

func (a *extremeBy) Encode(g int, b []byte) []byte { return a.by.Encode(g, a.value.Encode(g, b)) }

// Decode implements [Accumulator]; what was encoded came before what is here, so that it must be better to stay.
func (a *extremeBy) Decode(g int, b []byte) ([]byte, error) {
	value, b, err := a.value.decode(b)
	if err != nil {
		return nil, err
	}
	by, b, err := a.by.decode(b)
	if err != nil {
		return nil, err
	}
	if by != nil && (!a.by.has[g] || a.compare(by, 0, a.by.row(g), 0)*a.sign > 0) {
		a.value.set(g, value, 0)
		a.by.set(g, by, 0)
	}
	return b, nil
}

func (a *extremeBy) Result(n int) (*vec.Vec, error) { return a.value.vec(n), nil }

// weighted is a value that counts so many times.
type weighted struct {
	x float64
	n int64
}

// percentile is MEDIAN, PERCENTILE and its forms of the standard. It keeps every value.
type percentile struct {
	t      datatype.Type
	parts  []float64
	disc   bool
	values [][]weighted
}

func newPercentile(a aggregate) (func() Accumulator, error) {
	parts := []float64{0.5}
	if a.call.Func.Name != "median" {
		e, err := Compile(a.call.Args[1], a.env)
		if err != nil {
			return nil, err
		}
		x, ok := e.Literal()
		list, isList := x.([]any)
		if !isList {
			list = []any{x}
		}
		parts = nil
		for _, p := range list {
			f, isFloat := p.(float64)
			if !ok || !isFloat || !(f >= 0 && f <= 1) {
				return nil, located(condition.Newf(condition.Unsupported, "the parts of %s must be literals from 0 to 1.", a.call.Func.Name), a.call.At)
			}
			parts = append(parts, f)
		}
	}
	disc := a.call.Func.Name == "percentile_disc"
	return func() Accumulator { return &percentile{t: a.typ, parts: parts, disc: disc} }, nil
}

func (a *percentile) Grow(n int) { a.values = resize(a.values, n) }

func (a *percentile) Update(args []*vec.Vec, groups []int32, skip []bool, n int) error {
	v := args[0]
	m := v.Mask()
	for i := range n {
		if skipped(skip, i) || v.IsNull(i) {
			continue
		}
		k := int64(1)
		if len(args) > 2 {
			f := args[2]
			if f.IsNull(i) {
				continue
			}
			switch k = f.I64[i&f.Mask()]; {
			case k < 0:
				return condition.Newf("NEGATIVE_VALUES_IN_FREQUENCY_EXPRESSION", "Found the negative value %d as a frequency, but expected a positive integral value.", k)
			case k == 0:
				continue
			}
		}
		g := group(groups, i)
		a.values[g] = append(a.values[g], weighted{v.F64[i&m], k})
	}
	return nil
}

func (a *percentile) Merge(o Accumulator, to []int32) error {
	x := o.(*percentile)
	for g, t := range to {
		if t >= 0 {
			a.values[t] = append(a.values[t], x.values[g]...)
		}
	}
	return nil
}

func (a *percentile) Encode(g int, b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(a.values[g])))
	for _, w := range a.values[g] {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(w.x))
		b = binary.LittleEndian.AppendUint64(b, uint64(w.n))
	}
	return b
}

func (a *percentile) Decode(g int, b []byte) ([]byte, error) {
	if len(b) < 4 {
		return nil, errState
	}
	n := int(binary.LittleEndian.Uint32(b))
	if b = b[4:]; len(b)/16 < n {
		return nil, errState
	}
	for range n {
		a.values[g] = append(a.values[g], weighted{math.Float64frombits(binary.LittleEndian.Uint64(b)), int64(binary.LittleEndian.Uint64(b[8:]))})
		b = b[16:]
	}
	return b, nil
}

// Result implements [Accumulator]: the values are sorted, NaN last, and their counts summed up.
func (a *percentile) Result(n int) (*vec.Vec, error) {
	b := vec.NewBuilder(a.t, n)
	_, list := a.t.(datatype.Array)
	for g := range n {
		w := a.values[g]
		if len(w) == 0 {
			b.AppendNull()
			continue
		}
		slices.SortStableFunc(w, func(p, q weighted) int {
			switch {
			case p.x < q.x || p.x == p.x && q.x != q.x:
				return -1
			case p.x > q.x || p.x != p.x && q.x == q.x:
				return 1
			}
			return 0
		})
		counts := make([]int64, len(w))
		total := int64(0)
		for i, v := range w {
			total += v.n
			counts[i] = total
		}
		at := func(k int64) float64 {
			return w[min(sort.Search(len(counts), func(i int) bool { return counts[i] >= k }), len(w)-1)].x
		}
		for _, p := range a.parts {
			var x float64
			if a.disc {
				x = at(int64(math.Ceil(float64(total) * p)))
			} else {
				pos := float64(total-1) * p
				low, high := math.Floor(pos), math.Ceil(pos)
				lo, hi := at(int64(low)+1), at(int64(high)+1)
				if x = lo; low != high && lo != hi {
					x = float64((high-pos)*lo) + float64((pos-low)*hi)
				}
			}
			if list {
				b.Kids[0].AppendFloat(x)
			} else {
				b.AppendFloat(x)
			}
		}
		if list {
			b.CloseList()
		}
	}
	return b.Vec(), nil
}
