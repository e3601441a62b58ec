package kernel

import (
	"math"
	"strings"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// makeMap cuts keys and values into maps at off, and raises what Spark raises for a null key and for one that comes twice in a map
// (spark.sql.mapKeyDedupPolicy is EXCEPTION). Keys are stored as they compare: one NaN, no -0.0.
func makeMap(t datatype.Type, off []int32, null []bool, keys, values *vec.Vec) (*vec.Vec, error) {
	return makeMapOf(t, off, null, normalized(keys.Flat()), values)
}

// makeMapOf is makeMap with keys as they are, for the functions that hand Spark a whole array of keys.
func makeMapOf(t datatype.Type, off []int32, null []bool, keys, values *vec.Vec) (*vec.Vec, error) {
	keys = keys.Flat()
	u := newUnique(t.(datatype.Map).Key)
	for i := range len(off) - 1 {
		u.reset(int(off[i+1] - off[i]))
		for k := off[i]; k < off[i+1]; k++ {
			if keys.IsNull(int(k)) {
				return nil, condition.Newf("NULL_MAP_KEY", "Cannot use null as map key.")
			}
			if _, found := u.put(keys, k); found {
				return nil, condition.Newf("DUPLICATED_MAP_KEY", "Duplicate map key %v was found, please check the input data.", keys.Any(int(k)))
			}
		}
	}
	return list(t, off, null, keys, values), nil
}

// normalized gives a vector of numbers with one NaN and without -0.0; any other as it is.
func normalized(v *vec.Vec) *vec.Vec {
	v = v.Flat()
	switch vec.PhysOf(v.Type) {
	case vec.PF32:
		for _, f := range v.F32 {
			if f != f || f == 0 && math.Signbit(float64(f)) {
				out := make([]float32, len(v.F32))
				for i, f := range v.F32 {
					switch {
					case f != f:
						f = float32(math.NaN())
					case f == 0:
						f = 0
					}
					out[i] = f
				}
				return vec.Of(v.Type, out).WithNull(v.Null)
			}
		}
	case vec.PF64:
		for _, f := range v.F64 {
			if f != f || f == 0 && math.Signbit(f) {
				out := make([]float64, len(v.F64))
				for i, f := range v.F64 {
					switch {
					case f != f:
						f = math.NaN()
					case f == 0:
						f = 0
					}
					out[i] = f
				}
				return vec.Of(v.Type, out).WithNull(v.Null)
			}
		}
	}
	return v
}

// normalizedDeep is normalized for what is within arrays and structs too.
func normalizedDeep(v *vec.Vec) *vec.Vec {
	switch vec.PhysOf(v.Type) {
	case vec.PList, vec.PStruct:
		kids, changed := make([]*vec.Vec, len(v.Kids)), false
		for i, k := range v.Kids {
			kids[i] = normalizedDeep(k)
			changed = changed || kids[i] != k
		}
		if changed {
			c := v.WithNull(v.Null)
			c.Kids = kids
			return c
		}
		return v
	}
	return normalized(v)
}

// mapAt is the value of a key: null where the map has it not.
func mapAt(c *call) evalFunc {
	equal := vec.CompareOf(c.typ(1))
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		idx := make([]int32, n)
		for i := range idx {
			idx[i] = -1
			if !isNull(null, i) {
				idx[i] = findKey(equal, v[0], i, v[1], i)
			}
		}
		return vec.Take(v[0].Kids[1], idx).Flat(), nil
	}
}

// findKey gives the entry of a key in row i, or -1.
func findKey(equal vec.Comparator, m *vec.Vec, i int, key *vec.Vec, j int) int32 {
	lo, hi := span(m, i)
	for k := lo; k < hi; k++ {
		if equal(m.Kids[0], int(k), key, j) == 0 {
			return k
		}
	}
	return -1
}

func init() {
	register("map", func(c *call) (evalFunc, error) {
		c.raw, c.fails = true, true
		m := c.Typ.(datatype.Map)
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			var keys, values []*vec.Vec
			for i := 0; i < len(v); i += 2 {
				keys, values = append(keys, v[i]), append(values, v[i+1])
			}
			k := len(keys)
			which, at, off := make([]int32, n*k), make([]int32, n*k), make([]int32, n+1)
			for i := range n {
				for j := range k {
					which[i*k+j], at[i*k+j] = int32(j), int32(i)
				}
				off[i+1] = int32((i + 1) * k)
			}
			return makeMap(c.Typ, off, nil, vec.Merge(m.Key, keys, which, at), vec.Merge(m.Value, values, which, at))
		}, nil
	})
	register("map_from_arrays", func(c *call) (evalFunc, error) {
		c.fails = true
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			k, e := newPicks(n), newPicks(n)
			for i := range n {
				if !isNull(null, i) {
					if length(v[0], i) != length(v[1], i) {
						return nil, condition.Newf("_LEGACY_ERROR_TEMP_2128", "The array of keys has %d elements and the array of values %d: they must be as long.", length(v[0], i), length(v[1], i))
					}
					for w, p := range []*picks{k, e} {
						lo, hi := span(v[w], i)
						for j := lo; j < hi; j++ {
							p.idx = append(p.idx, j)
						}
					}
				}
				k.end()
			}
			return makeMapOf(c.Typ, k.off, nil, vec.Take(v[0].Kids[0], k.idx), vec.Take(v[1].Kids[0], e.idx))
		}, nil
	})
	register("map_from_entries", func(c *call) (evalFunc, error) {
		c.raw, c.fails = true, true
		return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
			a := v[0].Flat()
			s := a.Kids[0].Flat()
			p, null := newPicks(n), make([]bool, n)
			for i := range n {
				null[i] = a.IsNull(i)
				if !null[i] {
					lo, hi := span(a, i)
					for k := lo; k < hi; k++ {
						null[i] = null[i] || s.IsNull(int(k))
					}
					for k := lo; k < hi && !null[i]; k++ {
						p.idx = append(p.idx, k)
					}
				}
				p.end()
			}
			return makeMap(c.Typ, p.off, null, vec.Take(s.Kids[0], p.idx), vec.Take(s.Kids[1], p.idx))
		}, nil
	})
	for kid, name := range []string{"map_keys", "map_values"} {
		register(name, func(c *call) (evalFunc, error) {
			return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
				p := newPicks(n)
				for i := range n {
					if !isNull(null, i) {
						p.row(v[0], i)
					}
					p.end()
				}
				return list(c.Typ, p.off, nil, vec.Take(v[0].Kids[kid], p.idx)), nil
			}, nil
		})
	}
	register("map_entries", func(c *call) (evalFunc, error) {
		elem := elemOf(c.Typ)
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			p := newPicks(n)
			for i := range n {
				if !isNull(null, i) {
					p.row(v[0], i)
				}
				p.end()
			}
			s := &vec.Vec{Type: elem, Len: len(p.idx)}
			for i, t := range vec.KidTypes(elem) {
				s.Kids = append(s.Kids, vec.Take(v[0].Kids[i], p.idx).Flat().WithType(t))
			}
			return list(c.Typ, p.off, nil, s), nil
		}, nil
	})
	register("map_contains_key", func(c *call) (evalFunc, error) {
		equal := vec.CompareOf(c.typ(1))
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			out := make([]bool, n)
			for i := range out {
				out[i] = !isNull(null, i) && findKey(equal, v[0], i, v[1], i) >= 0
			}
			return vec.Of(datatype.Boolean, out), nil
		}, nil
	})
	register("map_concat", func(c *call) (evalFunc, error) {
		c.fails = true
		t := c.Typ.(datatype.Map)
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			m := newMerger(n)
			keys, values := make([]*vec.Vec, len(v)), make([]*vec.Vec, len(v))
			for w, x := range v {
				keys[w], values[w] = x.Kids[0], x.Kids[1]
			}
			for i := range n {
				if !isNull(null, i) {
					for w, x := range v {
						lo, hi := span(x, i)
						for k := lo; k < hi; k++ {
							m.add(int32(w), k)
						}
					}
				}
				m.end()
			}
			return makeMap(t, m.off, nil, vec.Merge(t.Key, keys, m.which, m.at), vec.Merge(t.Value, values, m.which, m.at))
		}, nil
	})
	register("str_to_map", strToMap)
}

// row picks all elements of row i.
func (p *picks) row(v *vec.Vec, i int) {
	lo, hi := span(v, i)
	for k := lo; k < hi; k++ {
		p.idx = append(p.idx, k)
	}
}

// strToMap reads texts by two Java regular expressions, as split with no limit and with a limit of two do.
func strToMap(c *call) (evalFunc, error) {
	c.fails = true
	fixed := [3]*javaRegex{}
	for k, otherwise := range []string{"", ",", ":"} {
		if k == 0 {
			continue
		}
		pattern := otherwise
		if k < len(c.args) {
			lit, ok := c.literal(k)
			if !ok || lit == nil {
				continue
			}
			pattern, _ = lit.(string)
		}
		r, err := compileJava(pattern)
		if err != nil {
			return nil, place(err, c.Call)
		}
		fixed[k] = r
	}
	m := c.Typ.(datatype.Map)
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		keys, values := newWriter(m.Key, n), newWriter(m.Value, n)
		var missing []bool
		off := make([]int32, 1, n+1)
		last, res := [3]string{}, fixed
		for i := range n {
			if isNull(null, i) {
				off = append(off, off[i])
				continue
			}
			for k := 1; k < 3; k++ {
				if fixed[k] == nil {
					if p := v[k].Str(i); res[k] == nil || p != last[k] {
						r, err := compileJava(p)
						if err != nil {
							return nil, err
						}
						res[k], last[k] = r, strings.Clone(p)
					}
				}
			}
			s := v[0].Str(i)
			if !res[1].empty {
				s = javaString(s)
			}
			if err := res[1].check(s, false); err != nil {
				return nil, err
			}
			var fault error
			res[1].split(s, func(part string) {
				if fault != nil {
					return
				}
				if fault = res[2].check(part, false); fault != nil {
					return
				}
				key, value, ok := res[2].cut(part)
				keys.buf = append(keys.buf, key...)
				keys.end()
				values.buf = append(values.buf, value...)
				values.end()
				missing = append(missing, !ok)
			})
			if fault != nil {
				return nil, fault
			}
			off = append(off, int32(len(missing)))
		}
		return makeMap(m, off, nil, keys.vec(), values.vec().WithNull(missing))
	}, nil
}

// cut is split with a limit of two: what stands before the first match that is not an empty one at the start, and what follows it.
func (r *javaRegex) cut(s string) (before, after string, found bool) {
	if r.empty {
		n := width(s)
		return s[:n], s[n:], n < len(s)
	}
	s = javaString(s)
	for _, m := range r.matches(s) {
		if m[1] > 0 && m[0] >= 0 {
			return s[:m[0]], s[m[1]:], true
		}
	}
	return s, "", false
}
