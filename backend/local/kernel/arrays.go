package kernel

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Most functions of arrays choose elements of their arguments: they collect places in the vector of the elements and take them at
// once (picks), or places in several such vectors (merger). Nothing is allocated per row.

// maxElements is Spark's bound of an array's length (ByteArrayMethods.MAX_ROUNDED_ARRAY_LENGTH). batchElements bounds what one batch may
// make of it here, since offsets have 32 bits and an array of two thousand million elements is a slip.
const (
	maxElements   = math.MaxInt32 - 15
	batchElements = 1 << 28
)

// tooLong is the error of an array beyond Spark's bound, or of a batch beyond the engine's; nil for others.
func tooLong(function, kind string, length int64, batch int) error {
	if length > maxElements {
		return condition.Newf("COLLECTION_SIZE_LIMIT_EXCEEDED."+kind, "Can't create array with %d elements which exceeding the array size limit %d, unsuccessful try to create arrays in the function %s.", length, maxElements, function)
	}
	if int64(batch)+length > batchElements {
		return condition.Newf(condition.Unsupported, "%s would make more than %d elements in one batch.", function, batchElements)
	}
	return nil
}

// picks collects the elements of arrays that all come from one vector: a place of -1 is a null.
type picks struct {
	off []int32
	idx []int32
}

func newPicks(n int) *picks { return &picks{off: make([]int32, 1, n+1)} }

// end ends a row.
func (p *picks) end() { p.off = append(p.off, int32(len(p.idx))) }

// list takes the elements (or entries) out of those of v.
func (p *picks) list(t datatype.Type, v *vec.Vec, null []bool) *vec.Vec {
	kids := make([]*vec.Vec, len(v.Kids))
	for i, k := range v.Kids {
		kids[i] = vec.Take(k, p.idx)
	}
	return list(t, p.off, null, kids...)
}

// merger collects the elements of arrays from several vectors.
type merger struct {
	off       []int32
	which, at []int32
}

func newMerger(n int) *merger { return &merger{off: make([]int32, 1, n+1)} }

// add appends element k of vector w; a negative w is a null.
func (m *merger) add(w, k int32) { m.which, m.at = append(m.which, w), append(m.at, k) }

func (m *merger) end() { m.off = append(m.off, int32(len(m.which))) }

// set is list for functions whose result is a set: Spark gives its zeros without a sign.
func (m *merger) set(t datatype.Type, vs ...*vec.Vec) *vec.Vec {
	return list(t, m.off, nil, normalizedDeep(vec.Merge(vec.KidTypes(t)[0], vs, m.which, m.at)))
}

// set: see merger.set.
func (p *picks) set(t datatype.Type, v *vec.Vec) *vec.Vec {
	return list(t, p.off, nil, normalizedDeep(vec.Take(v.Kids[0], p.idx).Flat()))
}

func (m *merger) list(t datatype.Type, null []bool, vs ...*vec.Vec) *vec.Vec {
	return list(t, m.off, null, vec.Merge(vec.KidTypes(t)[0], vs, m.which, m.at))
}

// unique is a set of the elements of one row. Values are equal as in GROUP BY: NaN is itself, -0.0 is 0.0, null is a value.
type unique struct {
	equal vec.Comparator
	vs    []*vec.Vec
	at    []int32
	table []int32
	key   []byte
}

func newUnique(t datatype.Type) *unique { return &unique{equal: vec.CompareOf(t)} }

// few is how many values are compared one by one instead of hashed.
const few = 8

// reset empties the set for a row that puts at most n values.
func (u *unique) reset(n int) {
	u.vs, u.at = u.vs[:0], u.at[:0]
	if n <= few {
		u.table = u.table[:0]
		return
	}
	size := few * 4
	for size < 2*n {
		size *= 2
	}
	if cap(u.table) < size {
		u.table = make([]int32, size)
	}
	u.table = u.table[:size]
	for i := range u.table {
		u.table[i] = -1
	}
}

// same tells whether element k of v is the j-th value of the set.
func (u *unique) same(j int, v *vec.Vec, k int32) bool {
	a, b := u.vs[j].IsNull(int(u.at[j])), v.IsNull(int(k))
	if a || b {
		return a && b
	}
	return u.equal(u.vs[j], int(u.at[j]), v, int(k)) == 0
}

// find gives the place of a value in the set, or of the free slot for it.
func (u *unique) find(v *vec.Vec, k int32) (at, slot int) {
	if len(u.table) == 0 {
		for j := range u.at {
			if u.same(j, v, k) {
				return j, 0
			}
		}
		return -1, 0
	}
	u.key = vec.AppendKey(u.key[:0], v, int(k))
	slot = int(vec.Hash(u.key)) & (len(u.table) - 1)
	for u.table[slot] >= 0 {
		if j := int(u.table[slot]); u.same(j, v, k) {
			return j, slot
		}
		slot = (slot + 1) & (len(u.table) - 1)
	}
	return -1, slot
}

// put adds a value; found tells that it was there, at which place in the order of putting.
func (u *unique) put(v *vec.Vec, k int32) (at int, found bool) {
	at, slot := u.find(v, k)
	if at >= 0 {
		return at, true
	}
	u.vs, u.at = append(u.vs, v), append(u.at, k)
	if len(u.table) > 0 {
		u.table[slot] = int32(len(u.at) - 1)
	}
	return len(u.at) - 1, false
}

// has tells whether a value is in the set.
func (u *unique) has(v *vec.Vec, k int32) bool {
	at, _ := u.find(v, k)
	return at >= 0
}

// span gives the bounds of row i's elements.
func span(v *vec.Vec, i int) (lo, hi int32) {
	i &= v.Mask()
	return v.Off[i], v.Off[i+1]
}

// picking registers a function that keeps, drops or reorders the elements of its first argument. row appends the places of row i.
func picking(name string, bind func(c *call) func(v []*vec.Vec, i int, p *picks) error) {
	register(name, pickingBinder(bind))
}

func pickingBinder(bind func(c *call) func(v []*vec.Vec, i int, p *picks) error) binder {
	return func(c *call) (evalFunc, error) {
		row := bind(c)
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			p := newPicks(n)
			for i := range n {
				if !isNull(null, i) {
					if err := row(v, i, p); err != nil {
						return nil, err
					}
				}
				p.end()
			}
			return p.list(c.Typ, v[0], nil), nil
		}, nil
	}
}

func init() {
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
				lo, hi := span(v[0], i)
				out[i] = hi - lo
			}
			return vec.Of(datatype.Int, out).WithNull(null), nil
		}, nil
	})
	register("array_size", func(c *call) (evalFunc, error) {
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			out := make([]int32, n)
			for i := range out {
				if !isNull(null, i) {
					lo, hi := span(v[0], i)
					out[i] = hi - lo
				}
			}
			return vec.Of(datatype.Int, out), nil
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
				lo, hi := span(a, i)
				for k := lo; k < hi; k++ {
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
	register("array_position", func(c *call) (evalFunc, error) {
		equal := vec.CompareOf(c.typ(1))
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			out := make([]int64, n)
			for i := range out {
				if isNull(null, i) {
					continue
				}
				lo, hi := span(v[0], i)
				for k := lo; k < hi; k++ {
					if !v[0].Kids[0].IsNull(int(k)) && equal(v[0].Kids[0], int(k), v[1], i) == 0 {
						out[i] = int64(k - lo + 1)
						break
					}
				}
			}
			return vec.Of(datatype.Long, out), nil
		}, nil
	})
	picking("array_remove", func(c *call) func(v []*vec.Vec, i int, p *picks) error {
		equal := vec.CompareOf(c.typ(1))
		return func(v []*vec.Vec, i int, p *picks) error {
			lo, hi := span(v[0], i)
			for k := lo; k < hi; k++ {
				if v[0].Kids[0].IsNull(int(k)) || equal(v[0].Kids[0], int(k), v[1], i) != 0 {
					p.idx = append(p.idx, k)
				}
			}
			return nil
		}
	})
	picking("array_compact", func(*call) func(v []*vec.Vec, i int, p *picks) error {
		return func(v []*vec.Vec, i int, p *picks) error {
			lo, hi := span(v[0], i)
			for k := lo; k < hi; k++ {
				if !v[0].Kids[0].IsNull(int(k)) {
					p.idx = append(p.idx, k)
				}
			}
			return nil
		}
	})
	register("array_distinct", func(c *call) (evalFunc, error) {
		elem := elemOf(c.typ(0))
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			p, u := newPicks(n), newUnique(elem) // a set per call: a kernel may run on several goroutines at once
			for i := range n {
				if !isNull(null, i) {
					eachUnique(u, v[0], i, func(k int32) { p.idx = append(p.idx, k) })
				}
				p.end()
			}
			return p.set(c.Typ, v[0]), nil
		}, nil
	})
	register("array_union", func(c *call) (evalFunc, error) {
		elem := elemOf(c.typ(0))
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			m, u := newMerger(n), newUnique(elem)
			for i := range n {
				if !isNull(null, i) {
					u.reset(length(v[0], i) + length(v[1], i))
					for w, a := range v[:2] {
						lo, hi := span(a, i)
						for k := lo; k < hi; k++ {
							if _, found := u.put(a.Kids[0], k); !found {
								m.add(int32(w), k)
							}
						}
					}
				}
				m.end()
			}
			return m.set(c.Typ, v[0].Kids[0], v[1].Kids[0]), nil
		}, nil
	})
	register("array_intersect", func(c *call) (evalFunc, error) { return difference(c, true), nil })
	register("array_except", func(c *call) (evalFunc, error) { return difference(c, false), nil })
	register("arrays_overlap", func(c *call) (evalFunc, error) {
		c.raw = true
		elem := elemOf(c.typ(0))
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			out, null := make([]bool, n), make([]bool, n)
			u := newUnique(elem)
			for i := range n {
				if v[0].IsNull(i) || v[1].IsNull(i) {
					null[i] = true
					continue
				}
				lo, hi := span(v[0], i)
				from, to := span(v[1], i)
				if lo == hi || from == to {
					continue
				}
				u.reset(int(hi - lo))
				for k := lo; k < hi; k++ {
					if v[0].Kids[0].IsNull(int(k)) {
						null[i] = true
					} else {
						u.put(v[0].Kids[0], k)
					}
				}
				for k := from; k < to; k++ {
					if v[1].Kids[0].IsNull(int(k)) {
						null[i] = true
					} else if u.has(v[1].Kids[0], k) {
						out[i] = true
						break
					}
				}
				null[i] = null[i] && !out[i]
			}
			return vec.Of(datatype.Boolean, out).WithNull(null), nil
		}, nil
	})
	register("array_append", func(c *call) (evalFunc, error) { return extend(c, false), nil })
	register("array_prepend", func(c *call) (evalFunc, error) { return extend(c, true), nil })
	register("array_insert", arrayInsert)
	register("array_join", func(c *call) (evalFunc, error) {
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			w := newWriter(c.Typ, n)
			for i := range n {
				if !isNull(null, i) {
					lo, hi := span(v[0], i)
					first := true
					for k := lo; k < hi; k++ {
						isnull := v[0].Kids[0].IsNull(int(k))
						if isnull && len(v) < 3 {
							continue
						}
						if !first {
							w.buf = append(w.buf, v[1].Str(i)...)
						}
						first = false
						if isnull {
							w.buf = append(w.buf, v[2].Str(i)...)
						} else {
							w.buf = append(w.buf, v[0].Kids[0].Str(int(k))...)
						}
					}
				}
				w.end()
			}
			return w.vec(), nil
		}, nil
	})
	register("array_max", func(c *call) (evalFunc, error) { return extremeElement(c, 1), nil })
	register("array_min", func(c *call) (evalFunc, error) { return extremeElement(c, -1), nil })
	register("array_repeat", func(c *call) (evalFunc, error) {
		c.raw, c.fails = true, true
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			m := newMerger(n)
			for i := range n {
				if !v[1].IsNull(i) {
					count := v[1].I32[i&v[1].Mask()]
					if err := tooLong("array_repeat", "PARAMETER", int64(count), len(m.at)); err != nil {
						return nil, err
					}
					for range count {
						m.add(0, int32(i))
					}
				}
				m.end()
			}
			return m.list(c.Typ, nullsOf(v[1], n), v[0]), nil
		}, nil
	})
	picking("sort_array", func(c *call) func(v []*vec.Vec, i int, p *picks) error {
		compare := vec.CompareOf(elemOf(c.typ(0)))
		return func(v []*vec.Vec, i int, p *picks) error {
			asc := len(v) < 2 || v[1].Bool[i&v[1].Mask()]
			from := len(p.idx)
			lo, hi := span(v[0], i)
			for k := lo; k < hi; k++ {
				p.idx = append(p.idx, k)
			}
			e := v[0].Kids[0]
			slices.SortStableFunc(p.idx[from:], func(x, y int32) int {
				a, b := e.IsNull(int(x)), e.IsNull(int(y))
				order := 0
				switch {
				case a && b:
				case a:
					order = -1
				case b:
					order = 1
				default:
					order = compare(e, int(x), e, int(y))
				}
				if !asc {
					order = -order
				}
				return order
			})
			return nil
		}
	})
	lazies["array_sort"] = arraySort
	register("arrays_zip", func(c *call) (evalFunc, error) {
		elem := elemOf(c.Typ)
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			off := make([]int32, 1, n+1)
			at := make([][]int32, len(v))
			for i := range n {
				longest := int32(0)
				if !isNull(null, i) {
					for _, a := range v {
						longest = max(longest, int32(length(a, i)))
					}
					for w, a := range v {
						lo, hi := span(a, i)
						for k := range longest {
							if lo+k < hi {
								at[w] = append(at[w], lo+k)
							} else {
								at[w] = append(at[w], -1)
							}
						}
					}
				}
				off = append(off, off[i]+longest)
			}
			s := &vec.Vec{Type: elem, Len: int(off[n])}
			types := vec.KidTypes(elem)
			for w, a := range v {
				s.Kids = append(s.Kids, vec.Take(a.Kids[0], at[w]).Flat().WithType(types[w]))
			}
			return list(c.Typ, off, nil, s), nil
		}, nil
	})
	register("element_at", func(c *call) (evalFunc, error) { return elementAt(c, c.env.ANSI), nil })
	register("try_element_at", func(c *call) (evalFunc, error) { return elementAt(c, false), nil })
	register("get", func(c *call) (evalFunc, error) {
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			idx := make([]int32, n)
			for i := range idx {
				idx[i] = -1
				if isNull(null, i) {
					continue
				}
				lo, hi := span(v[0], i)
				if k := v[1].I32[i&v[1].Mask()]; k >= 0 && k < hi-lo {
					idx[i] = lo + k
				}
			}
			return vec.Take(v[0].Kids[0], idx).Flat(), nil
		}, nil
	})
	register("flatten", func(c *call) (evalFunc, error) {
		c.raw = true
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			outer := v[0].Flat()
			inner := outer.Kids[0].Flat()
			null := make([]bool, n)
			p := newPicks(n)
			for i := range n {
				null[i] = outer.IsNull(i)
				if !null[i] {
					lo, hi := span(outer, i)
					for k := lo; k < hi; k++ {
						null[i] = null[i] || inner.IsNull(int(k))
					}
					for k := lo; k < hi && !null[i]; k++ {
						for j := inner.Off[k]; j < inner.Off[k+1]; j++ {
							p.idx = append(p.idx, j)
						}
					}
				}
				p.end()
			}
			return p.list(c.Typ, inner, null), nil
		}, nil
	})
	register("slice", func(c *call) (evalFunc, error) {
		c.fails = true
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			p := newPicks(n)
			for i := range n {
				if !isNull(null, i) {
					start, count := int64(v[1].I32[i&v[1].Mask()]), int64(v[2].I32[i&v[2].Mask()])
					if start == 0 {
						return nil, condition.Newf("INVALID_PARAMETER_VALUE.START", "The value of parameter(s) `start` in `slice` is invalid: expects a positive or a negative value for `start`, but got 0.")
					}
					if count < 0 {
						return nil, condition.Newf("INVALID_PARAMETER_VALUE.LENGTH", "The value of parameter(s) `length` in `slice` is invalid: expects `length` greater than or equal to 0, but got %d.", count)
					}
					lo, hi := span(v[0], i)
					size := int64(hi - lo)
					if start--; start < 0 {
						start += size + 1
					}
					if start >= 0 {
						// Spark adds as INT: a length beyond it wraps around, and leaves nothing.
						for k := start; k < min(int64(int32(start+count)), size); k++ {
							p.idx = append(p.idx, lo+int32(k))
						}
					}
				}
				p.end()
			}
			return p.list(c.Typ, v[0], nil), nil
		}, nil
	})
	picking("shuffle", func(*call) func(v []*vec.Vec, i int, p *picks) error {
		return func(v []*vec.Vec, i int, p *picks) error {
			from := len(p.idx)
			lo, hi := span(v[0], i)
			for k := lo; k < hi; k++ {
				p.idx = append(p.idx, k)
			}
			row := p.idx[from:]
			rand.Shuffle(len(row), func(a, b int) { row[a], row[b] = row[b], row[a] })
			return nil
		}
	})

	forArrays["reverse"] = pickingBinder(func(*call) func(v []*vec.Vec, i int, p *picks) error {
		return func(v []*vec.Vec, i int, p *picks) error {
			lo, hi := span(v[0], i)
			for k := hi - 1; k >= lo; k-- {
				p.idx = append(p.idx, k)
			}
			return nil
		}
	})
	forArrays["concat"] = func(c *call) (evalFunc, error) {
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			m, kids := newMerger(n), make([]*vec.Vec, len(v))
			for w, a := range v {
				kids[w] = a.Kids[0]
			}
			for i := range n {
				if !isNull(null, i) {
					for w, a := range v {
						lo, hi := span(a, i)
						for k := lo; k < hi; k++ {
							m.add(int32(w), k)
						}
					}
				}
				m.end()
			}
			return m.list(c.Typ, nil, kids...), nil
		}, nil
	}
}

func elemOf(t datatype.Type) datatype.Type {
	if a, ok := t.(datatype.Array); ok {
		return a.Elem
	}
	return datatype.Null
}

func length(v *vec.Vec, i int) int {
	lo, hi := span(v, i)
	return int(hi - lo)
}

// eachUnique calls f for the first place of every different element of row i.
func eachUnique(u *unique, v *vec.Vec, i int, f func(k int32)) {
	lo, hi := span(v, i)
	u.reset(int(hi - lo))
	for k := lo; k < hi; k++ {
		if _, found := u.put(v.Kids[0], k); !found {
			f(k)
		}
	}
}

// difference keeps the different elements of the first array that the second has (want) or has not.
func difference(c *call, want bool) evalFunc {
	elem := elemOf(c.typ(0))
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		p, other, seen := newPicks(n), newUnique(elem), newUnique(elem)
		for i := range n {
			if !isNull(null, i) {
				lo, hi := span(v[1], i)
				other.reset(int(hi - lo))
				for k := lo; k < hi; k++ {
					other.put(v[1].Kids[0], k)
				}
				eachUnique(seen, v[0], i, func(k int32) {
					if other.has(v[0].Kids[0], k) == want {
						p.idx = append(p.idx, k)
					}
				})
			}
			p.end()
		}
		return p.set(c.Typ, v[0]), nil
	}
}

// extend appends or prepends an element, null or not.
func extend(c *call, front bool) evalFunc {
	c.raw = true
	return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
		m := newMerger(n)
		for i := range n {
			if !v[0].IsNull(i) {
				if front {
					m.add(1, int32(i))
				}
				lo, hi := span(v[0], i)
				for k := lo; k < hi; k++ {
					m.add(0, k)
				}
				if !front {
					m.add(1, int32(i))
				}
			}
			m.end()
		}
		return m.list(c.Typ, nullsOf(v[0], n), v[0].Kids[0], v[1]), nil
	}
}

func arrayInsert(c *call) (evalFunc, error) {
	c.raw, c.fails = true, true
	return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
		m := newMerger(n)
		null := make([]bool, n)
		for i := range n {
			null[i] = v[0].IsNull(i) || v[1].IsNull(i)
			if !null[i] {
				pos := int64(v[1].I32[i&v[1].Mask()])
				if pos == 0 {
					return nil, condition.Newf("INVALID_INDEX_OF_ZERO", "The index 0 is invalid. An index shall be either < 0 or > 0 (the first element has index 1).")
				}
				lo, hi := span(v[0], i)
				size := int64(hi - lo)
				if err := tooLong("array_insert", "FUNCTION", max(size+1, pos, -pos), len(m.at)); err != nil {
					return nil, err
				}
				if pos < 0 && -pos > size {
					m.add(1, int32(i))
					for range -pos - size - 1 {
						m.add(-1, 0)
					}
					for k := lo; k < hi; k++ {
						m.add(0, k)
					}
				} else {
					if pos--; pos < 0 {
						pos += size + 2
					}
					for k := range size {
						if k == pos {
							m.add(1, int32(i))
						}
						m.add(0, lo+int32(k))
					}
					for range pos - size {
						m.add(-1, 0)
					}
					if pos >= size {
						m.add(1, int32(i))
					}
				}
			}
			m.end()
		}
		return m.list(c.Typ, null, v[0].Kids[0], v[2]), nil
	}, nil
}

func extremeElement(c *call, sign int) evalFunc {
	compare := vec.CompareOf(c.Typ)
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		e, idx := v[0].Kids[0], make([]int32, n)
		for i := range idx {
			idx[i] = -1
			if isNull(null, i) {
				continue
			}
			lo, hi := span(v[0], i)
			for k := lo; k < hi; k++ {
				if !e.IsNull(int(k)) && (idx[i] < 0 || compare(e, int(k), e, int(idx[i]))*sign > 0) {
					idx[i] = k
				}
			}
		}
		return vec.Take(e, idx).Flat(), nil
	}
}

// elementAt is ELEMENT_AT of an array (raise: an index out of range is an error) or of a map.
func elementAt(c *call, raise bool) evalFunc {
	if c.typ(0).Kind() == datatype.KindMap {
		return mapAt(c)
	}
	c.fails = true
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		idx := make([]int32, n)
		for i := range idx {
			idx[i] = -1
			if isNull(null, i) {
				continue
			}
			lo, hi := span(v[0], i)
			k, size := v[1].I32[i&v[1].Mask()], hi-lo
			switch {
			case k == 0:
				return nil, condition.Newf("INVALID_INDEX_OF_ZERO", "The index 0 is invalid. An index shall be either < 0 or > 0 (the first element has index 1).")
			case k > 0 && k <= size:
				idx[i] = lo + k - 1
			case k < 0 && -int64(k) <= int64(size):
				idx[i] = hi + k
			case raise:
				return nil, condition.Newf("INVALID_ARRAY_INDEX_IN_ELEMENT_AT", "The index %d is out of bounds. The array has %d elements. Use `try_element_at` to tolerate accessing element at invalid index and return NULL instead.", k, size)
			}
		}
		return vec.Take(v[0].Kids[0], idx).Flat(), nil
	}
}

// insertion is the length below which Java sorts by binary insertion.
const insertion = 32

// arraySort is ARRAY_SORT: nulls last, or in the order of a function. Spark sorts by java.util.Arrays.sort: stable, and below 32
// elements by binary insertion behind a run that is in order already, which a function that is no order can tell from others.
func arraySort(c *call) (*Expr, error) {
	if len(c.args) < 2 {
		elem := elemOf(c.args[0].Type)
		compare := vec.CompareOf(elem)
		e := &Expr{Fails: c.args[0].Fails}
		arg, t := c.args[0], c.Typ
		e.eval = func(b *vec.Batch) (*vec.Vec, error) {
			v, err := arg.eval(b)
			if err != nil {
				return nil, err
			}
			v = v.Flat()
			p := newPicks(b.N)
			kid := v.Kids[0]
			for i := range b.N {
				if !v.IsNull(i) {
					from := len(p.idx)
					for k := v.Off[i]; k < v.Off[i+1]; k++ {
						p.idx = append(p.idx, k)
					}
					slices.SortStableFunc(p.idx[from:], func(x, y int32) int {
						a, b := kid.IsNull(int(x)), kid.IsNull(int(y))
						switch {
						case a && b:
							return 0
						case a:
							return 1
						case b:
							return -1
						}
						return compare(kid, int(x), kid, int(y))
					})
				}
				p.end()
			}
			return p.list(t, v, nullsOf(v, b.N)), nil
		}
		return e, nil
	}
	var direct pairInt
	if l, ok := c.Args[1].(*tree.Lambda); ok {
		direct = comparator(l)
	}
	e := higherExpr(c, func(c *call, b *vec.Batch, v []*vec.Vec) (*vec.Vec, error) { return sortBy(c, direct, b, v) })
	e.Fails = true // a function that compares may give null
	return e, nil
}

// comparisons answers what the function of one row says of two of its elements.
type comparisons struct {
	p    *program
	b    *vec.Batch
	row  int32
	kid  *vec.Vec
	at   []int32 // places of the row's elements
	all  *vec.Vec
	from int // the row's first pair in all
	// direct, unless nil, is the function.
	direct pairInt
}

// compare gives the sign of the function's answer for elements x and y of the row.
func (k *comparisons) compare(x, y int32) (int, error) {
	if k.direct != nil {
		n, null := k.direct(k.kid, int(k.at[x]), int(k.at[y]))
		if null {
			return 0, comparatorNull(k.kid.Any(int(k.at[x])), k.kid.Any(int(k.at[y])))
		}
		return n, nil
	}
	var r *vec.Vec
	var j int
	if k.all != nil {
		r, j = k.all, k.from+int(x)*len(k.at)+int(y)
	} else {
		var err error
		if r, err = k.p.run(k.b, []int32{k.row}, vec.Take(k.kid, k.at[x:x+1]), vec.Take(k.kid, k.at[y:y+1])); err != nil {
			return 0, err
		}
	}
	if r.IsNull(j) {
		return 0, comparatorNull(k.kid.Any(int(k.at[x])), k.kid.Any(int(k.at[y])))
	}
	return int(r.I32[j&r.Mask()]), nil
}

// sort sorts places of the row's elements.
func (k *comparisons) sort(order []int32) (err error) {
	if k.direct == nil || len(order) < insertion {
		return javaSort(order, k.compare)
	}
	// Equal elements stay in their order, so an order that is one has one result, whatever is compared with what.
	slices.SortFunc(order, func(x, y int32) int {
		c, e := k.compare(x, y)
		if e != nil {
			err = e
		}
		return cmp.Or(c, int(x-y))
	})
	return err
}

// sortBy sorts by a function. All pairs of elements are compared at once where that is not much and cannot raise.
func sortBy(c *call, direct pairInt, b *vec.Batch, v []*vec.Vec) (*vec.Vec, error) {
	a, p := v[0], c.lambdas[1]
	e := elementsOf(a, b.N)
	k := comparisons{p: p, b: b, kid: a.Kids[0], direct: direct}
	pairs := 0
	for i := range b.N {
		if direct != nil {
			break
		}
		n := int(e.off[i+1] - e.off[i])
		if n >= insertion || pairs > 1<<22 {
			pairs = -1
			break
		}
		pairs += n * n
	}
	if pairs > 0 && !p.body.Fails {
		rows, xs, ys := make([]int32, 0, pairs), make([]int32, 0, pairs), make([]int32, 0, pairs)
		for i := range b.N {
			for _, x := range e.at[e.off[i]:e.off[i+1]] {
				for _, y := range e.at[e.off[i]:e.off[i+1]] {
					rows, xs, ys = append(rows, int32(i)), append(xs, x), append(ys, y)
				}
			}
		}
		all, err := p.run(b, rows, vec.Take(k.kid, xs), vec.Take(k.kid, ys))
		if err != nil {
			return nil, err
		}
		k.all = all
	}
	out := newPicks(b.N)
	var order []int32
	for i := range b.N {
		k.row, k.at = int32(i), e.at[e.off[i]:e.off[i+1]]
		order = order[:0]
		for j := range k.at {
			order = append(order, int32(j))
		}
		if err := k.sort(order); err != nil {
			return nil, err
		}
		for _, j := range order {
			out.idx = append(out.idx, k.at[j])
		}
		out.end()
		k.from += len(k.at) * len(k.at)
	}
	return out.list(c.Typ, a, nullsOf(a, b.N)), nil
}

// javaSort is a stable sort that below 32 elements compares the pairs that Java's sort of objects compares, in its order.
func javaSort(a []int32, compare func(x, y int32) (int, error)) error {
	n := len(a)
	if n < 2 {
		return nil
	}
	if n >= insertion {
		var err error
		slices.SortStableFunc(a, func(x, y int32) int {
			if err != nil {
				return 0
			}
			var c int
			c, err = compare(x, y)
			return c
		})
		return err
	}
	// The run in order at the start; one strictly downwards is turned around.
	run := 2
	c, err := compare(a[1], a[0])
	if err != nil {
		return err
	}
	down := c < 0
	for ; run < n; run++ {
		if c, err = compare(a[run], a[run-1]); err != nil {
			return err
		}
		if (c < 0) != down {
			break
		}
	}
	if down {
		slices.Reverse(a[:run])
	}
	for ; run < n; run++ {
		pivot := a[run]
		lo, hi := 0, run
		for lo < hi {
			mid := (lo + hi) / 2
			if c, err = compare(pivot, a[mid]); err != nil {
				return err
			}
			if c < 0 {
				hi = mid
			} else {
				lo = mid + 1
			}
		}
		copy(a[lo+1:run+1], a[lo:run])
		a[lo] = pivot
	}
	return nil
}
