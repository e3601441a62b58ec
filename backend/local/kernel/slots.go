package kernel

import (
	"cmp"
	"encoding/binary"
	"math"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// slots hold one value of any type per group. A struct is its fields, each with slots of its own, so that a value comes and goes without being made into
// a vector.
type slots struct {
	t    datatype.Type
	phys vec.Phys
	has  []bool // a value, null or not, is there
	null []bool
	i32  []int32
	i64  []int64
	f64  []float64
	dec  []dec
	str  []string
	kids []slots
	any  []*vec.Vec // everything else, one row each
	// order is the order of what is in any.
	order vec.Comparator
}

func newSlots(t datatype.Type) slots {
	s := slots{t: t, phys: vec.PhysOf(t)}
	switch s.phys {
	case vec.PI32, vec.PI64, vec.PF64, vec.PDec, vec.PBytes:
	case vec.PStruct:
		for _, k := range vec.KidTypes(t) {
			s.kids = append(s.kids, newSlots(k))
		}
	default:
		s.order = vec.CompareOf(t)
	}
	return s
}

func (s *slots) Grow(n int) {
	s.has, s.null = resize(s.has, n), resize(s.null, n)
	switch s.phys {
	case vec.PI32:
		s.i32 = resize(s.i32, n)
	case vec.PI64:
		s.i64 = resize(s.i64, n)
	case vec.PF64:
		s.f64 = resize(s.f64, n)
	case vec.PDec:
		s.dec = resize(s.dec, n)
	case vec.PBytes:
		s.str = resize(s.str, n)
	case vec.PStruct:
		for k := range s.kids {
			s.kids[k].Grow(n)
		}
	default:
		s.any = resize(s.any, n)
	}
}

// set copies row i into a group: the batch that it comes from is released after the update.
func (s *slots) set(g int, v *vec.Vec, i int) {
	s.has[g] = true
	s.null[g] = v.IsNull(i)
	if s.null[g] {
		return
	}
	i &= v.Mask()
	switch s.phys {
	case vec.PI32:
		s.i32[g] = v.I32[i]
	case vec.PI64:
		s.i64[g] = v.I64[i]
	case vec.PF64:
		s.f64[g] = v.F64[i]
	case vec.PDec:
		s.dec[g] = v.Dec[i]
	case vec.PBytes:
		s.str[g] = strings.Clone(v.Str(i))
	case vec.PStruct:
		for k := range s.kids {
			s.kids[k].set(g, v.Kids[k], i)
		}
	default:
		s.any[g] = vec.Take(v, []int32{int32(i)})
	}
}

// copy takes the value that another's group has.
func (s *slots) copy(g int, o *slots, h int) {
	s.has[g], s.null[g] = true, o.null[h]
	if s.null[g] {
		return
	}
	switch s.phys {
	case vec.PI32:
		s.i32[g] = o.i32[h]
	case vec.PI64:
		s.i64[g] = o.i64[h]
	case vec.PF64:
		s.f64[g] = o.f64[h]
	case vec.PDec:
		s.dec[g] = o.dec[h]
	case vec.PBytes:
		s.str[g] = o.str[h]
	case vec.PStruct:
		for k := range s.kids {
			s.kids[k].copy(g, &o.kids[k], h)
		}
	default:
		s.any[g] = o.any[h]
	}
}

// against compares row i of v with the value of a group, neither null, by the order of [vec.CompareOf].
func (s *slots) against(v *vec.Vec, i, g int) int {
	i &= v.Mask()
	switch s.phys {
	case vec.PI32:
		return cmp.Compare(v.I32[i], s.i32[g])
	case vec.PI64:
		return cmp.Compare(v.I64[i], s.i64[g])
	case vec.PF64:
		return vec.CompareFloat(v.F64[i], s.f64[g])
	case vec.PDec:
		return vec.CompareDec(v.Dec[i], s.dec[g])
	case vec.PBytes:
		return strings.Compare(v.Str(i), s.str[g])
	case vec.PStruct:
		for k := range s.kids {
			f := &s.kids[k]
			c, both := nullsFirst(v.Kids[k].IsNull(i), f.null[g])
			if both {
				c = f.against(v.Kids[k], i, g)
			}
			if c != 0 {
				return c
			}
		}
		return 0
	}
	return s.order(v, i, s.any[g], 0)
}

// compare compares the value of a group with that of another's, neither null.
func (s *slots) compare(g int, o *slots, h int) int {
	switch s.phys {
	case vec.PI32:
		return cmp.Compare(s.i32[g], o.i32[h])
	case vec.PI64:
		return cmp.Compare(s.i64[g], o.i64[h])
	case vec.PF64:
		return vec.CompareFloat(s.f64[g], o.f64[h])
	case vec.PDec:
		return vec.CompareDec(s.dec[g], o.dec[h])
	case vec.PBytes:
		return strings.Compare(s.str[g], o.str[h])
	case vec.PStruct:
		for k := range s.kids {
			x, y := &s.kids[k], &o.kids[k]
			c, both := nullsFirst(x.null[g], y.null[h])
			if both {
				c = x.compare(g, y, h)
			}
			if c != 0 {
				return c
			}
		}
		return 0
	}
	return s.order(s.any[g], 0, o.any[h], 0)
}

// nullsFirst compares two fields as far as nulls decide; both says that neither is null.
func nullsFirst(x, y bool) (c int, both bool) {
	switch {
	case x && y:
		return 0, false
	case x:
		return -1, false
	case y:
		return 1, false
	}
	return 0, true
}

// vec gives the values of groups 0 up to n as a vector that shares the slices.
func (s *slots) vec(n int) *vec.Vec {
	null := make([]bool, n)
	for i := range null {
		null[i] = !s.has[i] || s.null[i]
	}
	switch s.phys {
	case vec.PI32:
		return vec.Of(s.t, s.i32[:n:n]).WithNull(null)
	case vec.PI64:
		return vec.Of(s.t, s.i64[:n:n]).WithNull(null)
	case vec.PF64:
		return vec.Of(s.t, s.f64[:n:n]).WithNull(null)
	case vec.PDec:
		return vec.Of(s.t, s.dec[:n:n]).WithNull(null)
	case vec.PBytes:
		w := newWriter(s.t, n)
		for i := range n {
			if !null[i] {
				w.buf = append(w.buf, s.str[i]...)
			}
			w.end()
		}
		return w.vec().WithNull(null)
	case vec.PStruct:
		out := &vec.Vec{Type: s.t, Len: n, Null: null}
		for k := range s.kids {
			out.Kids = append(out.Kids, s.kids[k].vec(n))
		}
		return out
	}
	b := vec.NewBuilder(s.t, n)
	for i := range n {
		if null[i] {
			b.AppendNull()
		} else {
			b.AppendFrom(s.any[i], 0)
		}
	}
	return b.Vec()
}

// row gives the value of a group as a vector of one row.
func (s *slots) row(g int) *vec.Vec {
	if s.any != nil && s.has[g] && !s.null[g] {
		return s.any[g] // which is one row already: a builder for each comparison costs a microsecond
	}
	one := s.only(g)
	return one.vec(1)
}

// only gives slots of one group, which share the values.
func (s *slots) only(g int) slots {
	one := slots{t: s.t, phys: s.phys, has: s.has[g : g+1], null: s.null[g : g+1]}
	switch s.phys {
	case vec.PI32:
		one.i32 = s.i32[g : g+1]
	case vec.PI64:
		one.i64 = s.i64[g : g+1]
	case vec.PF64:
		one.f64 = s.f64[g : g+1]
	case vec.PDec:
		one.dec = s.dec[g : g+1]
	case vec.PBytes:
		one.str = s.str[g : g+1]
	case vec.PStruct:
		for k := range s.kids {
			one.kids = append(one.kids, s.kids[k].only(g))
		}
	default:
		one.any = s.any[g : g+1]
	}
	return one
}

func (s *slots) Encode(g int, b []byte) []byte {
	b = appendFlag(b, s.has[g])
	if s.has[g] {
		b = s.append(g, b)
	}
	return b
}

// append writes the value of a group as [vec.AppendValue] does.
func (s *slots) append(g int, b []byte) []byte {
	if s.null[g] {
		return vec.AppendValue(b, vec.Nulls(s.t, 1), 0)
	}
	switch s.phys {
	case vec.PI32:
		return binary.LittleEndian.AppendUint32(append(b, 0), uint32(s.i32[g]))
	case vec.PI64:
		return binary.LittleEndian.AppendUint64(append(b, 0), uint64(s.i64[g]))
	case vec.PF64:
		return binary.LittleEndian.AppendUint64(append(b, 0), math.Float64bits(s.f64[g]))
	case vec.PDec:
		b = binary.LittleEndian.AppendUint64(append(b, 0), s.dec[g].LowBits())
		return binary.LittleEndian.AppendUint64(b, uint64(s.dec[g].HighBits()))
	case vec.PBytes:
		b = binary.LittleEndian.AppendUint32(append(b, 0), uint32(len(s.str[g])))
		return append(b, s.str[g]...)
	case vec.PStruct:
		b = append(b, 0)
		for k := range s.kids {
			b = s.kids[k].append(g, b)
		}
		return b
	}
	return vec.AppendValue(b, s.any[g], 0)
}

// read puts what Encode wrote into a group that has no value, and gives the bytes behind it.
func (s *slots) read(g int, b []byte) ([]byte, error) {
	if len(b) < 1 {
		return nil, errState
	}
	if s.has[g] = b[0] == 1; !s.has[g] {
		return b[1:], nil
	}
	return s.readValue(g, b[1:])
}

// readValue puts what append wrote into a group.
func (s *slots) readValue(g int, b []byte) ([]byte, error) {
	width := 0
	switch s.phys {
	case vec.PI32, vec.PBytes: // of which this is the length
		width = 4
	case vec.PI64, vec.PF64:
		width = 8
	case vec.PDec:
		width = 16
	}
	if len(b) < 1+width {
		return nil, errState
	}
	s.has[g], s.null[g] = true, b[0] == 1
	whole := b
	b = b[1:]
	switch s.phys {
	case vec.PI32:
		s.i32[g] = int32(binary.LittleEndian.Uint32(b))
	case vec.PI64:
		s.i64[g] = int64(binary.LittleEndian.Uint64(b))
	case vec.PF64:
		s.f64[g] = math.Float64frombits(binary.LittleEndian.Uint64(b))
	case vec.PDec:
		s.dec[g] = decimal128.New(int64(binary.LittleEndian.Uint64(b[8:])), binary.LittleEndian.Uint64(b))
	case vec.PBytes:
		n := int(binary.LittleEndian.Uint32(b))
		if b = b[4:]; n < 0 || len(b) < n {
			return nil, errState
		}
		s.str[g] = string(b[:n])
		return b[n:], nil
	case vec.PStruct:
		if s.null[g] {
			return b, nil
		}
		for k := range s.kids {
			var err error
			if b, err = s.kids[k].readValue(g, b); err != nil {
				return nil, err
			}
		}
		return b, nil
	default:
		x := vec.NewBuilder(s.t, 1)
		rest, err := x.AppendEncoded(whole)
		if err != nil {
			return nil, err
		}
		s.any[g] = x.Vec()
		return rest, nil
	}
	return b[width:], nil
}

// decode reads what Encode wrote: nil for a group without a value.
func (s *slots) decode(b []byte) (*vec.Vec, []byte, error) {
	if len(b) < 1 {
		return nil, nil, errState
	}
	if b[0] == 0 {
		return nil, b[1:], nil
	}
	x := vec.NewBuilder(s.t, 1)
	rest, err := x.AppendEncoded(b[1:])
	if err != nil {
		return nil, nil, err
	}
	return x.Vec(), rest, nil
}

func (s *slots) Result(n int) (*vec.Vec, error) { return s.vec(n), nil }
