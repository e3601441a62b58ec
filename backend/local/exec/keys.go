package exec

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// numbering gives numbers from 0 to distinct rows of keys, in the order in which they come: equal keys have one number, a null is a value of its own, NaN
// is one value and -0.0 is 0.0. It is what an aggregation and a join look rows up in.
type numbering interface {
	// Len is how many numbers were given.
	Len() int
	// Number gives the numbers of n rows, new ones for what was not there yet. With part ≥ 0 it looks only at the rows of a part (of parts, by hash) and
	// gives the others -1.
	Number(keys []*vec.Vec, n int, out []int32, part, parts int)
	// Find gives the numbers of n rows, -1 for what is not there.
	Find(keys []*vec.Vec, n int, out []int32)
	// Merge numbers the keys of another one of the same types: to has the number of each of its numbers, or -1 where it is of another part.
	Merge(ctx context.Context, o numbering, part, parts int) (to []int32, err error)
	// Columns gives the keys by their numbers.
	Columns() ([]*vec.Vec, error)
	// Bytes is the memory of the table.
	Bytes() int
}

// newNumbering picks the fastest table for keys of these types. Keys that fit into few words are kept as such, and texts of up to seven bytes are a
// word; what does not fit, and rows with nulls, are kept as encoded rows beside them.
//
// room is about how many keys will come; it may be wrong.
func newNumbering(types []datatype.Type, room int) numbering {
	at, words, ok := packing(types)
	if ok && words == 1 {
		return newPacked[[1]uint64](types, at, room)
	}
	if ok && words == 2 {
		return newPacked[[2]uint64](types, at, room)
	}
	if ok && words == 3 {
		return newPacked[[3]uint64](types, at, room)
	}
	if ok && words == 4 {
		return newPacked[[4]uint64](types, at, room)
	}
	return &encoded{types: types, t: newTable()}
}

// place is where a column of the keys lies: in which word and from which bit on.
type place struct{ word, shift uint8 }

// packedWidth is the number of bits of a key column, or 0 for a type that is not packed.
func packedWidth(t datatype.Type) int {
	switch vec.PhysOf(t) {
	case vec.PBool, vec.PI8:
		return 8
	case vec.PI16:
		return 16
	case vec.PI32, vec.PF32:
		return 32
	case vec.PI64, vec.PF64, vec.PBytes:
		return 64
	case vec.PDec:
		if t.(datatype.Decimal).Precision <= 18 {
			return 64
		}
	}
	return 0
}

// packing lays columns out in words; ok is false where they do not fit into four, or into two where texts are among them, which may well be too long.
func packing(types []datatype.Type) (at []place, words int, ok bool) {
	used, texts := [4]int{}, false
	for _, t := range types {
		w := packedWidth(t)
		if w == 0 {
			return nil, 0, false
		}
		texts = texts || vec.PhysOf(t) == vec.PBytes
		k := 0
		for k < len(used) && used[k]+w > 64 {
			k++
		}
		if k == len(used) {
			return nil, 0, false
		}
		at = append(at, place{uint8(k), uint8(used[k])})
		used[k] += w
		words = max(words, k+1)
	}
	return at, words, words > 0 && (words <= 2 || !texts)
}

// The seeds make the hashes differ from process to process, so that nobody can choose keys that collide.
var seed0, seed1 = rand.Uint64(), rand.Uint64() | 1

// mix is a hash of a word.
func mix(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x^seed0, y^seed1)
	return hi ^ lo
}

// words is a packed key.
type words interface {
	[1]uint64 | [2]uint64 | [3]uint64 | [4]uint64
}

func hashOf[K words](k *K) uint64 {
	p := unsafe.Pointer(k)
	h := mix(*(*uint64)(p), 0x9e3779b97f4a7c15)
	switch unsafe.Sizeof(*k) {
	case 16:
		h = mix(h, (*[2]uint64)(p)[1])
	case 24:
		w := (*[3]uint64)(p)
		h = mix(mix(h, w[1]), w[2])
	case 32:
		w := (*[4]uint64)(p)
		h = mix(mix(mix(h, w[1]), w[2]), w[3])
	}
	return h
}

// slot is an entry of open addressing: the key stands in it, so that a look-up reads one line of the cache.
type slot[K words] struct {
	key K
	g   uint32 // number + 1; 0 is free
}

// packed is a numbering of keys in words.
type packed[K words] struct {
	types []datatype.Type
	at    []place
	slots []slot[K]
	keys  []K
	// side has the rows that are not packed; sideAt gives for each number its row there, or -1, and sideG the number of each row there. sideAt is nil
	// as long as there is none.
	side   *table
	sideAt []int32
	sideG  []int32
	rows   vec.Rows
	buf    []K
	odd    []bool
}

func newPacked[K words](types []datatype.Type, at []place, room int) *packed[K] {
	return &packed[K]{types: types, at: at, slots: make([]slot[K], 1<<bits.Len(uint(max(2*room, 1000)))), keys: make([]K, 0, room)}
}

func (p *packed[K]) Len() int { return len(p.keys) }

func (p *packed[K]) Bytes() int {
	var s slot[K]
	n := cap(p.slots)*int(unsafe.Sizeof(s)) + cap(p.keys)*int(unsafe.Sizeof(s.key)) + 4*(cap(p.sideAt)+cap(p.sideG))
	if p.side != nil {
		n += p.side.bytes()
	}
	return n
}

// pack makes words of n rows. odd, nil for none, are the rows that do not fit.
func pack[K words](at []place, keys []*vec.Vec, n int, buf []K, flags []bool) (out []K, odd []bool, f []bool) {
	if cap(buf) < n {
		buf = make([]K, n)
	}
	out = buf[:n]
	clear(out)
	if n == 0 {
		return out, nil, flags
	}
	words := int(unsafe.Sizeof(out[0]) / 8)
	all := unsafe.Slice((*uint64)(unsafe.Pointer(&out[0])), n*words)
	odds := func() []bool {
		if odd == nil {
			if cap(flags) < n {
				flags = make([]bool, n)
			}
			odd = flags[:n]
			clear(odd)
		}
		return odd
	}
	for c, v := range keys {
		w, s := int(at[c].word), at[c].shift
		m := v.Mask()
		switch vec.PhysOf(v.Type) {
		case vec.PBool:
			for i := range n {
				if v.Bool[i&m] {
					all[i*words+w] |= 1 << s
				}
			}
		case vec.PI8:
			putWords(all[w:], words, n, v.I8, m, s, func(x int8) uint64 { return uint64(uint8(x)) })
		case vec.PI16:
			putWords(all[w:], words, n, v.I16, m, s, func(x int16) uint64 { return uint64(uint16(x)) })
		case vec.PI32:
			putWords(all[w:], words, n, v.I32, m, s, func(x int32) uint64 { return uint64(uint32(x)) })
		case vec.PI64:
			putWords(all[w:], words, n, v.I64, m, s, func(x int64) uint64 { return uint64(x) })
		case vec.PDec:
			putWords(all[w:], words, n, v.Dec, m, s, func(x decimal128.Num) uint64 { return x.LowBits() })
		case vec.PF32:
			putWords(all[w:], words, n, v.F32, m, s, func(x float32) uint64 {
				switch {
				case x == 0:
					return 0
				case x != x:
					return 0x7fc00000
				}
				return uint64(math.Float32bits(x))
			})
		case vec.PF64:
			putWords(all[w:], words, n, v.F64, m, s, func(x float64) uint64 {
				switch {
				case x == 0:
					return 0
				case x != x:
					return 0x7ff8000000000000
				}
				return math.Float64bits(x)
			})
		case vec.PBytes:
			if v.Dict != nil && 2*v.Dict.Len <= n {
				// Each text of the dictionary is looked at once.
				dict, long := make([]uint64, v.Dict.Len), make([]bool, v.Dict.Len)
				for k := range dict {
					dict[k], long[k] = textWord(v.Dict.Str(k))
				}
				for i := range n {
					if v.Null != nil && v.Null[i&m] {
						continue
					}
					k := v.Codes[i&m]
					if long[k] {
						odds()[i] = true
					}
					all[i*words+w] = dict[k]
				}
				break
			}
			v = v.Flat()
			m = v.Mask()
			for i := range n {
				j := i & m
				b := v.Bytes[v.Off[j]:v.Off[j+1]]
				if len(b) > 7 {
					odds()[i] = true
					continue
				}
				// The length stands in the highest byte: a text may end in zeros.
				x := uint64(len(b)) << 56
				for k, y := range b {
					x |= uint64(y) << (8 * k)
				}
				all[i*words+w] = x
			}
		}
		if v.Null != nil {
			for i := range n {
				if v.Null[i&m] {
					odds()[i] = true
				}
			}
		}
	}
	return out, odd, flags
}

// textWord packs a text; long tells that it does not fit.
func textWord(s string) (x uint64, long bool) {
	if len(s) > 7 {
		return 0, true
	}
	x = uint64(len(s)) << 56
	for k := range len(s) {
		x |= uint64(s[k]) << (8 * k)
	}
	return x, false
}

func putWords[T any](out []uint64, step, n int, v []T, mask int, shift uint8, f func(T) uint64) {
	for i, k := 0, 0; i < n; i, k = i+1, k+step {
		out[k] |= f(v[i&mask]) << shift
	}
}

// partOf tells which of some parts a hash is of. The lower bits choose the slot, so the upper ones choose the part.
func partOf(hash uint64, parts int) int { return int((hash >> 32) * uint64(parts) >> 32) }

func (p *packed[K]) Number(keys []*vec.Vec, n int, out []int32, part, parts int) {
	ks, odd, flags := pack(p.at, keys, n, p.buf, p.odd)
	p.buf, p.odd = ks, flags
	if odd != nil {
		p.rows.Encode(keys, n)
	}
	for i := range ks {
		if odd != nil && odd[i] {
			row := p.rows.Row(i)
			h := vec.Hash(row)
			if part >= 0 && partOf(h, parts) != part {
				out[i] = -1
				continue
			}
			out[i] = p.oddNumber(row, h)
			continue
		}
		// Rows of one key often follow one another, in files that are sorted by it.
		if i > 0 && ks[i] == ks[i-1] && (odd == nil || !odd[i-1]) {
			out[i] = out[i-1]
			continue
		}
		h := hashOf(&ks[i])
		if part >= 0 && partOf(h, parts) != part {
			out[i] = -1
			continue
		}
		out[i] = p.number(ks[i], h)
	}
}

// number gives the number of a packed key, a new one where it is not there yet.
func (p *packed[K]) number(k K, h uint64) int32 {
	mask := uint64(len(p.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		s := &p.slots[i]
		if s.g == 0 {
			g := len(p.keys)
			s.key, s.g = k, uint32(g+1)
			p.add(k, -1)
			if 2*len(p.keys) > len(p.slots) {
				p.grow()
			}
			return int32(g)
		}
		if s.key == k {
			return int32(s.g - 1)
		}
	}
}

func (p *packed[K]) add(k K, side int32) {
	p.keys = append(p.keys, k)
	if p.sideAt != nil {
		p.sideAt = append(p.sideAt, side)
	}
}

// oddNumber gives the number of a row that is not packed.
func (p *packed[K]) oddNumber(row []byte, h uint64) int32 {
	if p.side == nil {
		p.side = newTable()
		p.sideAt = make([]int32, len(p.keys), len(p.keys)+1)
		for i := range p.sideAt {
			p.sideAt[i] = -1
		}
	}
	s := p.side.group(row, h)
	if int(s) == len(p.sideG) {
		p.sideG = append(p.sideG, int32(len(p.keys)))
		var zero K
		p.add(zero, s)
	}
	return p.sideG[s]
}

func (p *packed[K]) grow() {
	old := p.slots
	p.slots = make([]slot[K], 4*len(old))
	mask := uint64(len(p.slots) - 1)
	for j := range old {
		if old[j].g == 0 {
			continue
		}
		i := hashOf(&old[j].key) & mask
		for p.slots[i].g != 0 {
			i = (i + 1) & mask
		}
		p.slots[i] = old[j]
	}
}

func (p *packed[K]) Find(keys []*vec.Vec, n int, out []int32) {
	ks, odd, _ := pack[K](p.at, keys, n, nil, nil)
	var rows vec.Rows
	if odd != nil && p.side != nil {
		rows.Encode(keys, n)
	}
	mask := uint64(len(p.slots) - 1)
	for i := range ks {
		if odd != nil && odd[i] {
			out[i] = -1
			if p.side != nil {
				row := rows.Row(i)
				if s := p.side.find(row, vec.Hash(row)); s >= 0 {
					out[i] = p.sideG[s]
				}
			}
			continue
		}
		k := ks[i]
		if i > 0 && k == ks[i-1] && (odd == nil || !odd[i-1]) {
			out[i] = out[i-1]
			continue
		}
		g := int32(-1)
		for j := hashOf(&k) & mask; ; j = (j + 1) & mask {
			s := &p.slots[j]
			if s.g == 0 {
				break
			}
			if s.key == k {
				g = int32(s.g - 1)
				break
			}
		}
		out[i] = g
	}
}

func (p *packed[K]) Merge(ctx context.Context, other numbering, part, parts int) ([]int32, error) {
	o := other.(*packed[K])
	to := make([]int32, o.Len())
	for g := range to {
		if g%checkRows == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if o.sideAt != nil && o.sideAt[g] >= 0 {
			s := int(o.sideAt[g])
			if part >= 0 && partOf(o.side.hashes[s], parts) != part {
				to[g] = -1
				continue
			}
			to[g] = p.oddNumber(o.side.key(s), o.side.hashes[s])
			continue
		}
		h := hashOf(&o.keys[g])
		if part >= 0 && partOf(h, parts) != part {
			to[g] = -1
			continue
		}
		to[g] = p.number(o.keys[g], h)
	}
	return to, nil
}

func (p *packed[K]) Columns() ([]*vec.Vec, error) {
	n := len(p.keys)
	cols := make([]*vec.Vec, len(p.types))
	if n == 0 {
		return vec.Empty(p.types).Cols, nil
	}
	words := int(unsafe.Sizeof(p.keys[0]) / 8)
	all := unsafe.Slice((*uint64)(unsafe.Pointer(&p.keys[0])), n*words)
	for c, t := range p.types {
		cols[c] = unpackColumn(t, all[p.at[c].word:], words, n, p.at[c].shift)
	}
	if p.side == nil {
		return cols, nil
	}
	// The rows that are not packed come from their encoding.
	encodings := make([][]byte, p.side.len())
	for s := range encodings {
		encodings[s] = p.side.key(s)
	}
	odd, err := vec.Decode(p.types, encodings)
	if err != nil {
		return nil, err
	}
	which, at := make([]int32, n), make([]int32, n)
	for g := range which {
		at[g] = int32(g)
		if s := p.sideAt[g]; s >= 0 {
			which[g], at[g] = 1, s
		}
	}
	for c, t := range p.types {
		cols[c] = vec.Merge(t, []*vec.Vec{cols[c], odd[c]}, which, at)
	}
	return cols, nil
}

// unpackColumn reads a column out of the words.
func unpackColumn(t datatype.Type, w []uint64, step, n int, shift uint8) *vec.Vec {
	switch vec.PhysOf(t) {
	case vec.PBool:
		return vec.Of(t, getWords(w, step, n, func(x uint64) bool { return x>>shift&1 == 1 }))
	case vec.PI8:
		return vec.Of(t, getWords(w, step, n, func(x uint64) int8 { return int8(x >> shift) }))
	case vec.PI16:
		return vec.Of(t, getWords(w, step, n, func(x uint64) int16 { return int16(x >> shift) }))
	case vec.PI32:
		return vec.Of(t, getWords(w, step, n, func(x uint64) int32 { return int32(x >> shift) }))
	case vec.PI64:
		return vec.Of(t, getWords(w, step, n, func(x uint64) int64 { return int64(x) }))
	case vec.PDec:
		return vec.Of(t, getWords(w, step, n, func(x uint64) decimal128.Num { return decimal128.FromI64(int64(x)) }))
	case vec.PF32:
		return vec.Of(t, getWords(w, step, n, func(x uint64) float32 { return math.Float32frombits(uint32(x >> shift)) }))
	case vec.PF64:
		return vec.Of(t, getWords(w, step, n, func(x uint64) float64 { return math.Float64frombits(x) }))
	}
	v := &vec.Vec{Type: t, Len: n, Off: make([]int32, n+1)}
	for i := range n {
		x := w[i*step]
		for l := x >> 56; l > 0; l-- {
			v.Bytes = append(v.Bytes, byte(x))
			x >>= 8
		}
		v.Off[i+1] = int32(len(v.Bytes))
	}
	return v
}

func getWords[T any](w []uint64, step, n int, f func(uint64) T) []T {
	out := make([]T, n)
	for i, k := 0, 0; i < n; i, k = i+1, k+step {
		out[i] = f(w[k])
	}
	return out
}

// encoded is a numbering of rows in the row encoding, for keys of any type.
type encoded struct {
	types []datatype.Type
	t     *table
	rows  vec.Rows
}

func (e *encoded) Len() int { return e.t.len() }

func (e *encoded) Bytes() int { return e.t.bytes() }

func (e *encoded) Number(keys []*vec.Vec, n int, out []int32, part, parts int) {
	e.rows.Encode(keys, n)
	for i := range n {
		k := e.rows.Row(i)
		h := vec.Hash(k)
		if part >= 0 && partOf(h, parts) != part {
			out[i] = -1
			continue
		}
		out[i] = e.t.group(k, h)
	}
}

func (e *encoded) Find(keys []*vec.Vec, n int, out []int32) {
	var rows vec.Rows
	rows.Encode(keys, n)
	for i := range n {
		k := rows.Row(i)
		out[i] = e.t.find(k, vec.Hash(k))
	}
}

func (e *encoded) Merge(ctx context.Context, other numbering, part, parts int) ([]int32, error) {
	o := other.(*encoded)
	to := make([]int32, o.Len())
	for g := range to {
		if g%checkRows == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if part >= 0 && partOf(o.t.hashes[g], parts) != part {
			to[g] = -1
			continue
		}
		to[g] = e.t.group(o.t.key(g), o.t.hashes[g])
	}
	return to, nil
}

func (e *encoded) Columns() ([]*vec.Vec, error) {
	rows := make([][]byte, e.t.len())
	for g := range rows {
		rows[g] = e.t.key(g)
	}
	return vec.Decode(e.types, rows)
}
