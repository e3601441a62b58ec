package kernel

import (
	"sort"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// program is a compiled function of elements. Its body is an expression over batches of its own, which have a row for each element:
// first the columns of the outer batch that the body reads, repeated for each element of their row, then the parameters. So a
// function runs once over all elements of a batch, and a function within a function is just the same once more.
type program struct {
	body *Expr
	// outer are the ordinals of the outer batch's columns, in the order of the body's.
	outer []int
	// params is the number of parameters.
	params int
	// fixed tells that the body reads nothing of the outer batch and gives the same each time.
	fixed bool
}

// compileLambda compiles a body whose parameters have types.
func compileLambda(l *tree.Lambda, env *Env) (*program, error) {
	p := &program{fixed: true, params: len(l.Params)}
	own := map[*tree.Variable]int{}
	for i, v := range l.Params {
		own[v] = i
	}
	at := map[int]int{}
	var fields []tree.Field
	tree.Walk(l.Body, func(s tree.Scalar) bool {
		switch x := s.(type) {
		case *tree.Column:
			if _, ok := at[x.Ordinal]; !ok {
				at[x.Ordinal] = len(fields)
				p.outer = append(p.outer, x.Ordinal)
				fields = append(fields, x.Field())
			}
		case *tree.Call:
			p.fixed = p.fixed && !x.Func.NonDeterministic
		}
		return true
	})
	p.fixed = p.fixed && len(p.outer) == 0
	for _, v := range l.Params {
		fields = append(fields, tree.Field{Name: v.Name, Type: v.Typ, Nullable: v.Null})
	}
	stand := &tree.Values{Node: tree.Node{Out: tree.NewSchema(fields)}}
	body := tree.Rewrite(l.Body, func(s tree.Scalar) tree.Scalar {
		switch x := s.(type) {
		case *tree.Column:
			return &tree.Column{Rel: stand, Ordinal: at[x.Ordinal], At: x.At}
		case *tree.Variable:
			if i, ok := own[x]; ok {
				return &tree.Column{Rel: stand, Ordinal: len(p.outer) + i, At: x.At}
			}
		}
		return s
	})
	var err error
	p.body, err = Compile(body, env)
	return p, err
}

// run evaluates the body for the elements of rows (a row of b for each) and its parameters.
func (p *program) run(b *vec.Batch, rows []int32, params ...*vec.Vec) (*vec.Vec, error) {
	if len(rows) == 0 {
		return vec.Take(vec.Nulls(p.body.Type, 1).One(), rows), nil
	}
	in := &vec.Batch{N: len(rows), Cols: make([]*vec.Vec, 0, len(p.outer)+len(params))}
	for _, o := range p.outer {
		in.Cols = append(in.Cols, vec.Take(b.Cols[o], rows))
	}
	in.Cols = append(in.Cols, params...)
	v, err := p.body.eval(in)
	if err != nil {
		return nil, err
	}
	return v.Flat(), nil
}

// runAt is run for the elements pick of what rows and params have.
func (p *program) runAt(b *vec.Batch, rows, pick []int32, params ...*vec.Vec) (*vec.Vec, error) {
	sub := make([]int32, len(pick))
	for i, k := range pick {
		sub[i] = rows[k]
	}
	cut := make([]*vec.Vec, len(params))
	for i, v := range params {
		cut[i] = vec.Take(v, pick)
	}
	return p.run(b, sub, cut...)
}

// elements are the elements of the rows of an array or map that are not null, one behind the other.
type elements struct {
	rows []int32 // the row of each
	at   []int32 // its place in the vector's kids
	off  []int32 // the first of each row, and the end
}

func elementsOf(v *vec.Vec, n int) elements {
	total := 0
	m := v.Mask()
	for i := range n {
		if !v.IsNull(i) {
			total += int(v.Off[i&m+1] - v.Off[i&m])
		}
	}
	e := elements{make([]int32, 0, total), make([]int32, 0, total), make([]int32, 1, n+1)}
	for i := range n {
		if !v.IsNull(i) {
			for k := v.Off[i&m]; k < v.Off[i&m+1]; k++ {
				e.rows, e.at = append(e.rows, int32(i)), append(e.at, k)
			}
		}
		e.off = append(e.off, int32(len(e.rows)))
	}
	return e
}

// index gives the place of each element in its array, from 0.
func (e elements) index() *vec.Vec {
	out := make([]int32, len(e.rows))
	for i, r := range e.rows {
		out[i] = int32(i) - e.off[r]
	}
	return vec.Of(datatype.Int, out)
}

// list makes an array (or a map) of kids that are cut into rows at off.
func list(t datatype.Type, off []int32, null []bool, kids ...*vec.Vec) *vec.Vec {
	out := &vec.Vec{Type: t, Len: len(off) - 1, Off: off, Null: null}
	types := vec.KidTypes(t)
	for i, k := range kids {
		k = k.Flat()
		if !datatype.Equal(k.Type, types[i]) {
			k = k.WithType(types[i])
		}
		out.Kids = append(out.Kids, k)
	}
	return out
}

// nullsOf gives the nulls of v as a slice of n, or nil.
func nullsOf(v *vec.Vec, n int) []bool {
	if v.Null == nil {
		return nil
	}
	if !v.Const {
		return v.Null[:n]
	}
	if !v.Null[0] {
		return nil
	}
	return v.Flat().Null
}

// isTrue tells whether row i of a boolean is true: neither false nor null.
func isTrue(v *vec.Vec, i int) bool { return !v.IsNull(i) && v.Bool[i&v.Mask()] }

// higher registers a function that has functions of elements among its arguments; f sees the values of the others, flat, with nil in
// the places of functions. The result gets the call's type.
func higher(name string, f func(c *call, b *vec.Batch, v []*vec.Vec) (*vec.Vec, error)) {
	lazies[name] = func(c *call) (*Expr, error) { return higherExpr(c, f), nil }
}

// higherExpr is the expression of a function that higher registers.
func higherExpr(c *call, f func(c *call, b *vec.Batch, v []*vec.Vec) (*vec.Vec, error)) *Expr {
	e := &Expr{}
	fixed := true
	for i, a := range c.args {
		if p := c.lambdas[i]; p != nil {
			e.Fails = e.Fails || p.body.Fails
			fixed = fixed && p.fixed
		} else {
			e.Fails = e.Fails || a.Fails
		}
	}
	e.eval = func(b *vec.Batch) (*vec.Vec, error) {
		v := make([]*vec.Vec, len(c.args))
		all := fixed
		for i, a := range c.args {
			if a == nil {
				continue
			}
			x, err := a.eval(b)
			if err != nil {
				return nil, err
			}
			v[i], all = x, all && x.Const
		}
		in := b
		if all { // the same for every row
			in = &vec.Batch{N: min(b.N, 1)}
		}
		for i, x := range v {
			if x == nil {
				continue
			}
			if all {
				x = x.Repeat(in.N)
			}
			v[i] = x.Flat()
		}
		r, err := f(c, in, v)
		if err != nil {
			return nil, place(err, c.Call)
		}
		if !datatype.Equal(r.Type, c.Typ) {
			r = r.WithType(c.Typ)
		}
		if all && b.N > 0 {
			r = r.Repeat(b.N)
		}
		return r, nil
	}
	return e
}

func init() {
	higher("transform", func(c *call, b *vec.Batch, v []*vec.Vec) (*vec.Vec, error) {
		e := elementsOf(v[0], b.N)
		r, err := c.lambdas[1].overElements(b, v[0], e)
		if err != nil {
			return nil, err
		}
		return list(c.Typ, e.off, nullsOf(v[0], b.N), r), nil
	})
	higher("filter", func(c *call, b *vec.Batch, v []*vec.Vec) (*vec.Vec, error) {
		e := elementsOf(v[0], b.N)
		r, err := c.lambdas[1].overElements(b, v[0], e)
		if err != nil {
			return nil, err
		}
		p := newPicks(b.N)
		for i := range b.N {
			for k := e.off[i]; k < e.off[i+1]; k++ {
				if isTrue(r, int(k)) {
					p.idx = append(p.idx, e.at[k])
				}
			}
			p.end()
		}
		return p.list(c.Typ, v[0], nullsOf(v[0], b.N)), nil
	})
	higher("exists", func(c *call, b *vec.Batch, v []*vec.Vec) (*vec.Vec, error) { return quantified(c, b, v[0], true) })
	higher("forall", func(c *call, b *vec.Batch, v []*vec.Vec) (*vec.Vec, error) { return quantified(c, b, v[0], false) })
	higher("aggregate", foldElements)
	higher("zip_with", zipWith)
	higher("map_filter", func(c *call, b *vec.Batch, v []*vec.Vec) (*vec.Vec, error) {
		e := elementsOf(v[0], b.N)
		r, err := c.lambdas[1].overEntries(b, v[0], e)
		if err != nil {
			return nil, err
		}
		p := newPicks(b.N)
		for i := range b.N {
			for k := e.off[i]; k < e.off[i+1]; k++ {
				if isTrue(r, int(k)) {
					p.idx = append(p.idx, e.at[k])
				}
			}
			p.end()
		}
		return p.list(c.Typ, v[0], nullsOf(v[0], b.N)), nil
	})
	higher("transform_values", func(c *call, b *vec.Batch, v []*vec.Vec) (*vec.Vec, error) {
		e := elementsOf(v[0], b.N)
		r, err := c.lambdas[1].overEntries(b, v[0], e)
		if err != nil {
			return nil, err
		}
		return list(c.Typ, e.off, nullsOf(v[0], b.N), vec.Take(v[0].Kids[0], e.at), r), nil
	})
	higher("transform_keys", func(c *call, b *vec.Batch, v []*vec.Vec) (*vec.Vec, error) {
		e := elementsOf(v[0], b.N)
		r, err := c.lambdas[1].overEntries(b, v[0], e)
		if err != nil {
			return nil, err
		}
		return makeMapOf(c.Typ, e.off, nullsOf(v[0], b.N), r, vec.Take(v[0].Kids[1], e.at))
	})
	higher("map_zip_with", mapZipWith)
	// A function of keys may give null or a key twice.
	failing("transform_keys")
}

// failing marks a function of entries as one that may raise whatever its arguments do.
func failing(name string) {
	bind := lazies[name]
	lazies[name] = func(c *call) (*Expr, error) {
		e, err := bind(c)
		if e != nil {
			e.Fails = true
		}
		return e, err
	}
}

// overElements runs a function of an element, and its index if it takes one.
func (p *program) overElements(b *vec.Batch, a *vec.Vec, e elements) (*vec.Vec, error) {
	params := []*vec.Vec{vec.Take(a.Kids[0], e.at)}
	if p.params == 2 {
		params = append(params, e.index())
	}
	return p.run(b, e.rows, params...)
}

// overEntries runs a function of a key and a value.
func (p *program) overEntries(b *vec.Batch, m *vec.Vec, e elements) (*vec.Vec, error) {
	return p.run(b, e.rows, vec.Take(m.Kids[0], e.at), vec.Take(m.Kids[1], e.at))
}

// quantified is EXISTS (decides true) and FORALL (decides false): the first element that decides ends a row, so a function that may
// raise sees the elements place by place, and only of rows that are not decided.
func quantified(c *call, b *vec.Batch, a *vec.Vec, decides bool) (*vec.Vec, error) {
	p := c.lambdas[1]
	e := elementsOf(a, b.N)
	out, null := make([]bool, b.N), make([]bool, b.N)
	done := make([]bool, b.N)
	for i := range out {
		out[i], null[i] = !decides, a.IsNull(i)
	}
	see := func(i int, r *vec.Vec, k int) {
		switch {
		case done[i]:
		case r.IsNull(k):
			null[i] = true
		case r.Bool[k&r.Mask()] == decides:
			out[i], null[i], done[i] = decides, false, true
		}
	}
	elems := vec.Take(a.Kids[0], e.at)
	if !p.body.Fails {
		r, err := p.run(b, e.rows, elems)
		if err != nil {
			return nil, err
		}
		for k, i := range e.rows {
			see(int(i), r, k)
		}
		return vec.Of(datatype.Boolean, out).WithNull(null), nil
	}
	var pick []int32
	for step := int32(0); ; step++ {
		pick = pick[:0]
		for i := range b.N {
			if k := e.off[i] + step; !done[i] && k < e.off[i+1] {
				pick = append(pick, k)
			}
		}
		if len(pick) == 0 {
			return vec.Of(datatype.Boolean, out).WithNull(null), nil
		}
		r, err := p.runAt(b, e.rows, pick, elems)
		if err != nil {
			return nil, err
		}
		for j, k := range pick {
			see(int(e.rows[k]), r, j)
		}
	}
}

// foldElements is AGGREGATE: the first elements of all rows are merged, then the second ones, and so on.
func foldElements(c *call, b *vec.Batch, v []*vec.Vec) (*vec.Vec, error) {
	a, acc := v[0], v[1]
	merge := c.lambdas[2]
	e := elementsOf(a, b.N)
	elems := vec.Take(a.Kids[0], e.at)
	t := acc.Type
	// Longest rows first: those that have an element at a place are a prefix, which shrinks.
	order := make([]int32, 0, b.N)
	for i := range b.N {
		if !a.IsNull(i) {
			order = append(order, int32(i))
		}
	}
	size := func(i int32) int32 { return e.off[i+1] - e.off[i] }
	sort.SliceStable(order, func(x, y int) bool { return size(order[x]) > size(order[y]) })
	state := vec.Take(acc, order)
	var finished []*vec.Vec // the states of rows that ended, the shortest first
	at := make([]int32, 0, len(order))
	live := len(order)
	for step := int32(0); live > 0; step++ {
		n := live
		for n > 0 && size(order[n-1]) == step {
			n--
		}
		if n < live {
			finished = append(finished, state.Slice(n, live))
			state, live = state.Slice(0, n), n
		}
		if n == 0 {
			break
		}
		at = at[:0]
		for _, i := range order[:n] {
			at = append(at, e.off[i]+step)
		}
		r, err := merge.run(b, order[:n], state, vec.Take(elems, at))
		if err != nil {
			return nil, err
		}
		state = r.WithType(t)
	}
	// Back to the order of rows: the rows that ended last stand first in order.
	for i, j := 0, len(finished)-1; i < j; i, j = i+1, j-1 {
		finished[i], finished[j] = finished[j], finished[i]
	}
	place := make([]int32, b.N)
	for i := range place {
		place[i] = -1
	}
	for i, r := range order {
		place[r] = int32(i)
	}
	if len(finished) == 0 {
		return vec.Nulls(c.Typ, b.N).Flat(), nil
	}
	all := vec.Concat(t, finished)
	if f := c.finish(); f != nil {
		r, err := f.run(b, order, all)
		if err != nil {
			return nil, err
		}
		all = r
	}
	return vec.Take(all, place), nil
}

// finish is the last function of an AGGREGATE, if it has one.
func (c *call) finish() *program {
	if len(c.args) > 3 {
		return c.lambdas[3]
	}
	return nil
}

// zipWith is ZIP_WITH: both arrays side by side, the shorter one filled with nulls.
func zipWith(c *call, b *vec.Batch, v []*vec.Vec) (*vec.Vec, error) {
	x, y := v[0], v[1]
	null := mergeNulls(v[:2], b.N)
	var rows, at, bt []int32
	off := make([]int32, 1, b.N+1)
	for i := range b.N {
		if !isNull(null, i) {
			p, q := x.Off[i], y.Off[i]
			for p < x.Off[i+1] || q < y.Off[i+1] {
				j, k := int32(-1), int32(-1)
				if p < x.Off[i+1] {
					j = p
				}
				if q < y.Off[i+1] {
					k = q
				}
				rows, at, bt = append(rows, int32(i)), append(at, j), append(bt, k)
				p, q = p+1, q+1
			}
		}
		off = append(off, int32(len(rows)))
	}
	r, err := c.lambdas[2].run(b, rows, vec.Take(x.Kids[0], at), vec.Take(y.Kids[0], bt))
	if err != nil {
		return nil, err
	}
	return list(c.Typ, off, null, r), nil
}

// mapZipWith is MAP_ZIP_WITH: the keys of the first map in its order, then those that only the second has.
func mapZipWith(c *call, b *vec.Batch, v []*vec.Vec) (*vec.Vec, error) {
	x, y := v[0], v[1]
	null := mergeNulls(v[:2], b.N)
	key := c.Typ.(datatype.Map).Key
	u := newUnique(key)
	var rows, which, place, at, bt []int32
	off := make([]int32, 1, b.N+1)
	for i := range b.N {
		if !isNull(null, i) {
			u.reset(int(x.Off[i+1] - x.Off[i] + y.Off[i+1] - y.Off[i]))
			from := len(rows)
			for k := x.Off[i]; k < x.Off[i+1]; k++ {
				u.put(x.Kids[0], k) // a map has each key once
				rows, which, place, at, bt = append(rows, int32(i)), append(which, 0), append(place, k), append(at, k), append(bt, -1)
			}
			for k := y.Off[i]; k < y.Off[i+1]; k++ {
				if j, found := u.put(y.Kids[0], k); found {
					bt[from+j] = k
					continue
				}
				rows, which, place, at, bt = append(rows, int32(i)), append(which, 1), append(place, k), append(at, -1), append(bt, k)
			}
		}
		off = append(off, int32(len(rows)))
	}
	keys := vec.Merge(key, []*vec.Vec{x.Kids[0], y.Kids[0]}, which, place)
	r, err := c.lambdas[2].run(b, rows, keys, vec.Take(x.Kids[1], at), vec.Take(y.Kids[1], bt))
	if err != nil {
		return nil, err
	}
	return list(c.Typ, off, null, keys, r), nil
}

// comparatorNull is the error of a function that compares and gives null.
func comparatorNull(x, y any) error {
	return condition.Newf("COMPARATOR_RETURNS_NULL", "The comparator has returned a NULL for a comparison between %v and %v. It should return a positive integer for \"greater than\", 0 for \"equal\" and a negative integer for \"less than\".", x, y)
}
