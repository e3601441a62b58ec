package conformance

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// RandomTree is a relational tree made from a seed alone: operations over tables with nulls, duplicates, skew and no rows, with an answer that Spark fixes.
// It is a tree of steps, each with a seed of its own, so that steps can be taken out of a tree while the others stay what they are.
type RandomTree struct {
	// Seed made the tree.
	Seed uint64
	root *step
	// halved: the tables have half of their rows, so many times.
	halved int
	// row, unless it is 0, is the one row that the last value is computed for.
	row int
	// wanted, which may be nil, is tried first where any function would do.
	wanted *randomFn
}

// step is an operation over what other steps give.
type step struct {
	op   *randomOp
	seed uint64
	in   []*step
}

// RandomQuery is what a tree builds.
type RandomQuery struct {
	Table expr.Table
	// Ordered tells that the rows have one order, up to rows that are equal.
	Ordered bool
	// Near tells that the last digits of its numbers depend on how the rows are spread: deviations and correlations.
	Near bool
	// Risky tells that it may raise, and then by one of several errors of different rows when Risks is more than one.
	Risky bool
	// Risks counts the calls that may raise.
	Risks int
	// Uses names the operations and functions in it.
	Uses []string
}

// Differ tells what is different between two answers to a query; nil where nothing is.
func (q RandomQuery) Differ(want, got Answer) error {
	switch {
	case want.Error != "" && got.Error != "" && (q.Risks > 1 || want.Error == got.Error || want.Error == condition.ServerError):
		return nil // of several errors of a query any may come first; a bare Java exception has no condition
	case want.Error != got.Error:
		return errors.New("the errors differ")
	case want.String() == got.String() || q.Near && want.near(got):
		return nil
	case fmt.Sprint(want.Schema) != fmt.Sprint(got.Schema):
		return errors.New("the schemas differ")
	}
	return errors.New("the rows differ")
}

// NewRandomTree makes the tree of a seed.
func NewRandomTree(seed uint64) *RandomTree {
	r := rand.New(rand.NewPCG(seed, 0x5b00b111))
	t := &RandomTree{Seed: seed, root: grow(r, 1+r.IntN(5)), wanted: wantedBy(seed)}
	if t.wanted != nil && t.wanted.risky {
		t.root = &step{op: riskyOp, seed: r.Uint64(), in: []*step{t.root}}
		return t
	}
	if t.wanted != nil {
		t.root = &step{op: mutateOp, seed: r.Uint64(), in: []*step{t.root}}
	}
	// Calls that may raise stand in the last projection only: below it, whether Spark computes them at all is up to its optimiser.
	if r.IntN(3) == 0 {
		t.root = &step{op: riskyOp, seed: r.Uint64(), in: []*step{t.root}}
	} else if r.IntN(9) == 0 {
		t.root = &step{op: nearOp, seed: r.Uint64(), in: []*step{t.root}}
	} else if r.IntN(3) == 0 {
		t.root = &step{op: orderOp, seed: r.Uint64(), in: []*step{t.root}}
	}
	return t
}

// grow makes a tree of at most so many operations.
func grow(r *rand.Rand, budget int) *step {
	if budget <= 0 {
		return &step{op: tableOp, seed: r.Uint64()}
	}
	n := r.IntN(randomWeight)
	for _, op := range randomOps {
		if n -= op.weight; n >= 0 {
			continue
		}
		s := &step{op: op, seed: r.Uint64()}
		left := budget - 1
		for i := range op.inputs {
			part := left
			if i < op.inputs-1 && left > 0 {
				part = r.IntN(left + 1)
			}
			left -= part
			s.in = append(s.in, grow(r, part))
		}
		return s
	}
	panic("conformance: weights of the random operations") // invariant: their sum is randomWeight
}

// Query builds the tree.
func (t *RandomTree) Query() RandomQuery {
	b := &building{halved: t.halved, row: t.row, wanted: t.wanted}
	r := b.build(t.root)
	return RandomQuery{Table: r.t, Ordered: r.total, Near: r.near, Risky: b.risks > 0, Risks: b.risks, Uses: b.uses}
}

func (t *RandomTree) with(root *step, halved int) *RandomTree {
	return &RandomTree{t.Seed, root, halved, 0, t.wanted}
}

// Row is the tree whose last value, which may raise, is computed for one row, counted from 1.
func (t *RandomTree) Row(n int) *RandomTree {
	one := t.with(t.root, t.halved)
	one.row = n
	return one
}

// Safe is the tree without its last value that may raise.
func (t *RandomTree) Safe() *RandomTree {
	if t.root.op == riskyOp {
		return t.with(t.root.in[0], t.halved)
	}
	return t
}

// String gives the steps, one a line, each below what it reads.
func (t *RandomTree) String() string {
	var b strings.Builder
	var write func(s *step, depth int)
	write = func(s *step, depth int) {
		fmt.Fprintf(&b, "%s%s\n", strings.Repeat("  ", depth), s.op.name)
		for _, in := range s.in {
			write(in, depth+1)
		}
	}
	write(t.root, 0)
	return b.String()
}

// Smaller gives trees that lack one step, or half of the rows.
func (t *RandomTree) Smaller() []*RandomTree {
	var out []*RandomTree
	var walk func(s *step, put func(*step) *step)
	walk = func(s *step, put func(*step) *step) {
		for _, in := range s.in {
			out = append(out, t.with(put(in), t.halved))
		}
		for i, in := range s.in {
			walk(in, func(n *step) *step {
				c := *s
				c.in = slices.Clone(s.in)
				c.in[i] = n
				return put(&c)
			})
		}
	}
	walk(t.root, func(s *step) *step { return s })
	if t.halved < 6 {
		out = append(out, t.with(t.root, t.halved+1))
	}
	return out
}

// building is a tree on its way into a table.
type building struct {
	halved, row int
	tables      int
	wanted      *randomFn
	risks       int
	uses        []string
	names       int
}

// rel is a table with what is known of its columns beyond their types.
type rel struct {
	t    expr.Table
	cols []rcol
	// total: the rows have one order, up to equal rows.
	total, near bool
	// united rows come out of a UNION, perhaps through other operations.
	united bool
	// correlates: a column of a row is computed over another table's rows.
	correlates bool
}

type rcol struct {
	name     string
	typ      datatype.Type
	nullable bool
	mark
}

// mark is what is known of a value.
type mark struct {
	// mag bounds the absolute value of a whole number.
	mag float64
	// inexact numbers are no short binary fractions, so that their sum depends on the order.
	inexact bool
	// signed values may hold -0.0, which equals 0.0: which of the two stands for both is not fixed.
	signed bool
	// opaque values are only carried.
	opaque bool
	// unique values differ in all rows, and are never null.
	unique bool
}

// unknown is what is known of any value of a type.
func unknown(t datatype.Type) mark {
	m := mark{mag: math.MaxFloat64}
	switch t.Kind() {
	case datatype.KindByte:
		m.mag = 128
	case datatype.KindShort:
		m.mag = 1 << 15
	case datatype.KindInt:
		m.mag = 1 << 31
	case datatype.KindLong:
		m.mag = 1 << 63
	}
	m.inexact = hasFloat(t)
	m.signed = m.inexact
	return m
}

func hasFloat(t datatype.Type) bool {
	s := t.String()
	return strings.Contains(s, "DOUBLE") || strings.Contains(s, "FLOAT")
}

// build makes the table of a step. A step that has nothing to do over its input, because of the columns that it finds, gives the input.
func (b *building) build(s *step) *rel {
	in := make([]*rel, len(s.in))
	for i, x := range s.in {
		in[i] = b.build(x)
	}
	if s.op == riskyOp && b.row > 0 {
		one := *in[0]
		one.t = one.t.Limit(1, b.row-1)
		in[0] = &one
	}
	g := &gen{Rand: rand.New(rand.NewPCG(s.seed, 0x7a11)), b: b}
	for range 4 {
		g.uses, g.risks, g.near, g.sorted, g.correlates = nil, 0, false, false, false
		t, marks, ok := s.op.apply(g, in)
		if !ok {
			continue
		}
		if t.Err() != nil {
			if debugRandom != nil {
				debugRandom(s.op.name, t.Err())
			}
			continue
		}
		out := &rel{t: t, total: g.sorted, near: g.near, united: strings.HasPrefix(s.op.name, "Union") || slices.ContainsFunc(in, func(r *rel) bool { return r.united }),
			correlates: g.correlates || slices.ContainsFunc(in, func(r *rel) bool { return r.correlates })}
		for _, f := range t.Schema().Fields() {
			m, ok := marks[f.Name]
			for _, r := range in {
				if ok {
					break
				}
				m, ok = r.mark(f.Name, f.Type)
			}
			if !ok {
				m = unknown(f.Type)
			}
			if s.op.repeats {
				m.unique = false
			}
			out.cols = append(out.cols, rcol{f.Name, f.Type, f.Nullable, m})
		}
		out.near = out.near || slices.ContainsFunc(g.uses, func(n string) bool { return ofLastDigit[n] }) || slices.ContainsFunc(in, func(r *rel) bool { return r.near })
		b.uses = append(append(b.uses, s.op.name), g.uses...)
		b.risks += g.risks
		return out
	}
	if len(in) == 0 {
		panic("conformance: " + s.op.name) // invariant: a table can be made from any seed
	}
	return in[0]
}

// ofLastDigit are functions that Java's Math may compute one unit in the last place beside the exact value, and does for some.
var ofLastDigit = map[string]bool{"sin": true, "cos": true, "tan": true, "csc": true, "sec": true, "cot": true}

// debugRandom is told of operations that could not be built.
var debugRandom func(op string, err error)

// mark finds what is known of a column.
func (r *rel) mark(name string, t datatype.Type) (mark, bool) {
	for _, c := range r.cols {
		if c.name == name && datatype.EqualIgnoringNulls(c.typ, t) {
			return c.mark, true
		}
	}
	return mark{}, false
}

// gen makes the choices of one step.
type gen struct {
	*rand.Rand
	b     *building
	uses  []string
	risks int
	// near and sorted tell of the step's table what [RandomQuery] tells of the last one.
	near, sorted, correlates bool
	// risky: a call may raise.
	risky bool
}

func (g *gen) chance(p float64) bool { return g.Float64() < p }

func (g *gen) use(names ...string) { g.uses = append(g.uses, names...) }

// fresh is a column name that nothing else has.
func (g *gen) fresh() string {
	g.b.names++
	return fmt.Sprintf("c%d", g.b.names)
}

func pickOf[T any](g *gen, list []T) T { return list[g.IntN(len(list))] }

// some gives from least to most of a list, in a random order.
func some[T any](g *gen, list []T, least, most int) []T {
	most = min(most, len(list))
	if most < least {
		return nil
	}
	n := least + g.IntN(most-least+1)
	out := make([]T, n)
	for i, k := range g.Perm(len(list))[:n] {
		out[i] = list[k]
	}
	return out
}

// where gives the columns that a condition is true of.
func (r *rel) where(is func(c rcol) bool) []rcol {
	var out []rcol
	for _, c := range r.cols {
		if is(c) {
			out = append(out, c)
		}
	}
	return out
}

func isMap(t datatype.Type) bool { return strings.Contains(t.String(), "MAP<") }

// plain columns can be compared and sorted with one result.
func plain(c rcol) bool { return datatype.IsOrderable(c.typ) && !isMap(c.typ) && !c.opaque }

func sortable(c rcol) bool { return plain(c) && !c.signed }

func names(cols []rcol) []any {
	out := make([]any, len(cols))
	for i, c := range cols {
		out[i] = c.name
	}
	return out
}

// tidy keeps the columns by which rows can be put into one order.
func (g *gen) tidy(r *rel) (*rel, bool) {
	cols := r.where(sortable)
	if len(cols) == len(r.cols) {
		return r, len(cols) > 0
	}
	if len(cols) == 0 {
		return nil, false
	}
	return &rel{t: r.t.Select(names(cols)...), cols: cols, near: r.near}, true
}

// keys are sort keys of columns with random directions and places of nulls.
func (g *gen) keys(cols []rcol) []any {
	out := make([]any, len(cols))
	for i, c := range cols {
		out[i] = g.key(c.name)
	}
	return out
}

func (g *gen) key(column any) any {
	o := expr.Asc(column)
	if g.chance(0.4) {
		o = expr.Desc(column)
	}
	switch g.IntN(4) {
	case 0:
		o = o.NullsFirst()
		g.use("NullsFirst")
	case 1:
		o = o.NullsLast()
		g.use("NullsLast")
	default:
		if _, ok := column.(string); ok && g.chance(0.5) {
			return column
		}
	}
	return o
}

// total are sort keys that leave no two different rows of a tidy table without an order.
func (g *gen) total(r *rel) []any {
	if u := r.where(func(c rcol) bool { return c.unique }); len(u) > 0 && g.chance(0.7) {
		rest := some(g, r.where(func(c rcol) bool { return !c.unique && sortable(c) }), 0, 1)
		return g.keys(append(rest, u[0]))
	}
	return g.keys(some(g, r.cols, len(r.cols), len(r.cols)))
}

// randomColumns are the columns of random tables, those of [Values], with values that meet often and stay small, so that no sum leaves its type.
// Doubles are short binary fractions: their sums are the same in any order.
var randomColumns = []struct {
	name   string
	mag    float64
	values []any
}{
	{"b", 0, []any{true, false}},
	{"i8", 100, []any{int8(0), int8(1), int8(2), int8(5), int8(-7), int8(100)}},
	{"i16", 1000, []any{int16(1), int16(0), int16(3), int16(-20), int16(1000)}},
	{"i", 1000, []any{1, 2, 3, 0, 10, -1, -7, 1000}},
	{"l", 1 << 34, []any{int64(1), int64(2), int64(0), int64(10), int64(-5), int64(1 << 34)}},
	{"f", 0, []any{float32(0), float32(1.5), float32(-2.25), float32(100), float32(math.NaN()), float32(math.Inf(1))}},
	{"d", 0, []any{0.0, 1.5, -2.25, 2.5, 0.125, 1000.0, math.NaN(), math.Inf(1), math.Inf(-1)}},
	{"n", 0, []any{"1.25", "0.00", "-3.50", "12.30", "2.50", "99999.99"}},
	{"big", 0, []any{"1.5", "0", "2.5", "-0.0000000001", "123456.789"}},
	{"s", 0, []any{"a", "b", "", "ab", "Spark SQL", "straße", "x y", " pad ", "100", "2024-02-29", "中文 😀"}},
	{"t", 0, []any{"a", "b", "SQL", "ß", ""}},
	{"bin", 0, []any{[]byte{1}, []byte{}, []byte{1, 2, 255}, []byte("abc")}},
	{"dt", 0, []any{at("2024-01-31 00:00:00"), at("2024-02-29 00:00:00"), at("2023-12-31 00:00:00"), at("1970-01-01 00:00:00"), at("2000-06-15 00:00:00")}},
	{"ts", 0, []any{at("2024-01-31 10:00:00"), at("2024-01-31 10:00:30"), at("2024-02-29 12:34:56.789012"), at("1969-12-31 23:59:59.5"), at("2000-06-15 00:00:00"), at("2024-03-31 01:30:00")}},
	{"ntz", 0, []any{at("2024-01-31 10:00:00"), at("2024-02-29 12:34:56.789012"), at("1969-12-31 23:59:59.5"), at("2000-06-15 00:00:00")}},
	{"span", 0, []any{time.Duration(0), time.Hour, -25 * time.Hour, 36*time.Hour + time.Microsecond, 90 * time.Second}},
	{"months", 0, []any{expr.Months(0), expr.Months(1), expr.Months(-1), expr.Months(14), expr.Months(12)}},
	{"a", 0, []any{[]int{1, 2, 3}, []int{}, []any{nil, 7}, []int{3, 3}, []int{0}, []int{10, 1}}},
	{"m", 0, []any{map[string]int{"a": 1}, map[string]int{}, map[string]any{"k": nil}, map[string]int{"x": 5, "y": 6}}},
	{"st", 0, []any{[]any{1, "one"}, []any{nil, nil}, []any{0, ""}, []any{3, "a"}}},
}

// tableOp makes a table of some columns of [Values].
var tableOp = &randomOp{name: "table", apply: func(g *gen, _ []*rel) (expr.Table, map[string]mark, bool) {
	types := mustFields(valuesSchema)
	var fields []datatype.Field
	chosen := some(g, upTo(len(randomColumns)), 2, 6)
	if g.chance(0.2) || g.b.wanted != nil && g.chance(0.5) {
		chosen = upTo(len(randomColumns)) // the argument lists of some functions speak of many columns
	}
	n := pickOf(g, []int{0, 1, 3, 5, 6, 8, 10, 10, 16, 16, 20, 30})
	n >>= g.b.halved
	marks := map[string]mark{}
	id := g.chance(0.6)
	if id {
		fields = append(fields, types[0])
		marks["id"] = mark{mag: 100, unique: true}
	}
	nulls := make([]float64, len(randomColumns))
	for _, k := range chosen {
		c := randomColumns[k]
		for _, f := range types {
			if f.Name == c.name {
				fields = append(fields, f)
			}
		}
		marks[c.name] = mark{mag: c.mag}
		nulls[k] = pickOf(g, []float64{0, 0, 0.15, 0.15, 0.4})
		if g.chance(0.03) {
			nulls[k] = 1
		}
	}
	rows := make([][]any, n)
	for i := range rows {
		var row []any
		if id {
			row = append(row, i+1)
		}
		for _, k := range chosen {
			u := g.Float64()
			v := randomColumns[k].values[int(u*u*float64(len(randomColumns[k].values)))]
			if g.chance(nulls[k]) {
				v = nil
			}
			row = append(row, v)
		}
		rows[i] = row
	}
	g.b.tables++
	return tables(fmt.Sprintf("t%d", g.b.tables), fields, rows), marks, true
}}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
