package exec

import (
	"math/bits"
	"sync/atomic"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
)

// Sieve holds the keys of a join's right side, so that rows of the left side which meet nobody are left out where they are read. It may let a row
// through that meets nobody, never the other way round. The join fills it before its left side is opened; an empty sieve lets everything through.
type Sieve struct {
	ready    atomic.Bool
	idle     atomic.Bool // it was found to keep next to nothing back
	seen     atomic.Int64
	passed   atomic.Int64
	none     bool // no key at all
	exact    bool // bits are the keys from least on; otherwise a Bloom filter
	least    int64
	greatest int64
	bits     []uint64
	mask     uint64
}

// The bounds of a sieve: the widest range of keys that is kept bit by bit, and how many bits a key may cost then.
const (
	sieveRange  = 1 << 26
	sieveSparse = 128
)

// fill takes the keys of n rows, which are 32 or 64 bit integers or dates; nulls meet nobody.
func (s *Sieve) fill(v *vec.Vec, n int) {
	get := sieveKeys(v)
	if get == nil {
		return
	}
	s.none = true
	count := 0
	for i := range n {
		if v.IsNull(i) {
			continue
		}
		x := get(i)
		if s.none {
			s.none, s.least, s.greatest = false, x, x
		}
		s.least, s.greatest = min(s.least, x), max(s.greatest, x)
		count++
	}
	if width := uint64(s.greatest) - uint64(s.least); !s.none && width < sieveRange && width < uint64(count)*sieveSparse+1<<12 {
		s.exact = true
		s.bits = make([]uint64, width/64+1)
		for i := range n {
			if !v.IsNull(i) {
				d := uint64(get(i)) - uint64(s.least)
				s.bits[d>>6] |= 1 << (d & 63)
			}
		}
	} else if !s.none {
		s.bits = make([]uint64, 1<<bits.Len(uint(count/4+1)))
		s.mask = uint64(len(s.bits) - 1)
		for i := range n {
			if !v.IsNull(i) {
				w, b := s.spot(get(i))
				s.bits[w] |= b
			}
		}
	}
	s.ready.Store(true)
}

// spot gives the word of a key in the Bloom filter and its three bits there.
func (s *Sieve) spot(x int64) (uint64, uint64) {
	h := mix(uint64(x), 0x9e3779b97f4a7c15)
	return h >> 32 & s.mask, 1<<(h&63) | 1<<(h>>6&63) | 1<<(h>>12&63)
}

// sieveKeys reads a column of keys as 64 bits, or gives nil for a type that is not sieved.
func sieveKeys(v *vec.Vec) func(i int) int64 {
	m := v.Mask()
	switch vec.PhysOf(v.Type) {
	case vec.PI32:
		return func(i int) int64 { return int64(v.I32[i&m]) }
	case vec.PI64:
		return func(i int) int64 { return v.I64[i&m] }
	}
	return nil
}

// Sieved tells whether keys of a layout can be sieved.
func Sieved(p vec.Phys) bool { return p == vec.PI32 || p == vec.PI64 }

// How many rows a sieve looks at before it judges itself, and the share in percent that may pass.
const (
	sieveTrial = 1 << 16
	sievePass  = 70
)

// Sift keeps the rows whose column is in a sieve. keep tells which columns are read afterwards (nil for all).
func Sift(s *Sieve, column int, keep []bool) Transform {
	return func(b *vec.Batch) (*vec.Batch, error) {
		v := b.Cols[column]
		if !s.ready.Load() || s.idle.Load() || v == nil {
			return b, nil
		}
		idx := s.rows(v, b.N)
		seen, passed := s.seen.Add(int64(b.N)), s.passed.Add(int64(len(idx)))
		if seen > sieveTrial && passed*100 > seen*sievePass {
			s.idle.Store(true)
		}
		if len(idx) == b.N {
			return b, nil
		}
		if len(idx) == 0 {
			b.Release()
			return nil, nil
		}
		cols := make([]*vec.Vec, len(b.Cols))
		for i, c := range b.Cols {
			if c != nil && (keep == nil || keep[i]) {
				cols[i] = vec.Take(c, idx)
			}
		}
		b.Release()
		return vec.NewBatch(cols, len(idx), nil), nil
	}
}

// rows gives the rows that pass.
func (s *Sieve) rows(v *vec.Vec, n int) []int32 {
	if s.none {
		return nil
	}
	out := make([]int32, n)
	k := 0
	put := func(i int, pass bool) {
		out[k] = int32(i)
		if pass {
			k++
		}
	}
	width := uint64(s.greatest) - uint64(s.least)
	test := func(x int64) bool {
		d := uint64(x) - uint64(s.least)
		if d > width {
			return false
		}
		if s.exact {
			return s.bits[d>>6]>>(d&63)&1 == 1
		}
		w, b := s.spot(x)
		return s.bits[w]&b == b
	}
	m := v.Mask()
	switch vec.PhysOf(v.Type) {
	case vec.PI32:
		for i := range n {
			put(i, test(int64(v.I32[i&m])))
		}
	case vec.PI64:
		if s.exact && !v.Const && v.Null == nil {
			words, least := s.bits, uint64(s.least)
			for i, x := range v.I64[:n] {
				d := uint64(x) - least
				out[k] = int32(i)
				if d <= width && words[d>>6]>>(d&63)&1 == 1 {
					k++
				}
			}
			return out[:k]
		}
		for i := range n {
			put(i, test(v.I64[i&m]))
		}
	}
	if v.Null == nil {
		return out[:k]
	}
	kept := out[:0]
	for _, i := range out[:k] {
		if !v.IsNull(int(i)) {
			kept = append(kept, i)
		}
	}
	return kept
}
