package vec

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Rows are rows in the engine's row encoding, one behind the other. Two rows of the same types are equal for GROUP BY exactly
// when their bytes are, unless they are [Rows.Exact]: a null is a value of its own, NaN has one pattern, and -0.0 is 0.0.
//
// The encoding of a column is a byte that is 1 for null, then the value: fixed-width numbers little endian (zeros under a null),
// texts as a length of four bytes and the bytes, arrays and maps as a count and their elements, structs as their fields. It is
// also the encoding of keys and values in state files, so a change of it is a change of the checkpoint format.
type Rows struct {
	Buf []byte
	Off []int
	// Exact writes numbers bit for bit, as values that are read back need it. A key has one pattern for all NaNs and one for both zeros.
	Exact bool
}

// Len is the number of rows.
func (r *Rows) Len() int { return len(r.Off) - 1 }

// Row gives the bytes of row i, which stay valid until the next Encode.
func (r *Rows) Row(i int) []byte { return r.Buf[r.Off[i]:r.Off[i+1]] }

// width is the number of bytes of a value without its null byte, or -1 where it differs from row to row.
func width(t datatype.Type) int {
	switch PhysOf(t) {
	case PNull:
		return 0
	case PBool, PI8:
		return 1
	case PI16:
		return 2
	case PI32, PF32:
		return 4
	case PI64, PF64:
		return 8
	case PDec:
		return 16
	}
	return -1
}

// Encode puts n rows of cols into r, whose memory it uses again.
func (r *Rows) Encode(cols []*Vec, n int) {
	cols = plain(cols)
	if cap(r.Off) < n+1 {
		r.Off = make([]int, n+1)
	}
	r.Off = r.Off[:n+1]
	fixed := 0
	var varying []*Vec
	for _, c := range cols {
		if w := width(c.Type); w >= 0 {
			fixed += 1 + w
		} else if PhysOf(c.Type) == PBytes {
			fixed += 5
			varying = append(varying, c)
		} else {
			r.encodeNested(cols, n)
			return
		}
	}
	r.Off[0] = 0
	at := 0
	for i := range n {
		at += fixed
		for _, c := range varying {
			if !c.IsNull(i) {
				j := i & c.Mask()
				at += int(c.Off[j+1] - c.Off[j])
			}
		}
		r.Off[i+1] = at
	}
	if cap(r.Buf) < at {
		r.Buf = make([]byte, at)
	}
	r.Buf = r.Buf[:at]
	// pos is where the next column of each row goes. Column by column keeps the switch on the type out of the loops.
	pos := append([]int(nil), r.Off[:n]...)
	for _, c := range cols {
		r.column(c, n, pos)
	}
}

// plain gives columns without dictionaries.
func plain(cols []*Vec) []*Vec {
	for i, c := range cols {
		if c.Dict != nil {
			out := append([]*Vec(nil), cols...)
			for k := i; k < len(out); k++ {
				if out[k].Dict != nil {
					out[k] = out[k].Flat()
				}
			}
			return out
		}
	}
	return cols
}

// column writes one column of every row at pos and moves pos behind it. Values under nulls are zeroed: two nulls must have the same
// bytes, and what stands under a null is arbitrary.
func (r *Rows) column(c *Vec, n int, pos []int) {
	m := c.Mask()
	buf := r.Buf
	if c.Null == nil {
		for _, p := range pos {
			buf[p] = 0
		}
	} else {
		for i, p := range pos {
			buf[p] = 0
			if c.Null[i&m] {
				buf[p] = 1
			}
		}
	}
	w := width(c.Type)
	switch PhysOf(c.Type) {
	case PBool:
		for i, p := range pos {
			buf[p+1] = 0
			if c.Bool[i&m] {
				buf[p+1] = 1
			}
		}
	case PI8:
		for i, p := range pos {
			buf[p+1] = byte(c.I8[i&m])
		}
	case PI16:
		for i, p := range pos {
			binary.LittleEndian.PutUint16(buf[p+1:], uint16(c.I16[i&m]))
		}
	case PI32:
		for i, p := range pos {
			binary.LittleEndian.PutUint32(buf[p+1:], uint32(c.I32[i&m]))
		}
	case PI64:
		for i, p := range pos {
			binary.LittleEndian.PutUint64(buf[p+1:], uint64(c.I64[i&m]))
		}
	case PF32:
		bits := bits32(r.Exact)
		for i, p := range pos {
			binary.LittleEndian.PutUint32(buf[p+1:], bits(c.F32[i&m]))
		}
	case PF64:
		bits := bits64(r.Exact)
		for i, p := range pos {
			binary.LittleEndian.PutUint64(buf[p+1:], bits(c.F64[i&m]))
		}
	case PDec:
		for i, p := range pos {
			binary.LittleEndian.PutUint64(buf[p+1:], c.Dec[i&m].LowBits())
			binary.LittleEndian.PutUint64(buf[p+9:], uint64(c.Dec[i&m].HighBits()))
		}
	case PBytes:
		for i, p := range pos {
			l := 0
			if buf[p] == 0 {
				s := c.Bytes[c.Off[i&m]:c.Off[i&m+1]]
				l = len(s)
				copy(buf[p+5:], s)
			}
			binary.LittleEndian.PutUint32(buf[p+1:], uint32(l))
			pos[i] = p + 5 + l
		}
		return
	}
	if c.Null != nil {
		for i, p := range pos {
			if c.Null[i&m] {
				clear(buf[p+1 : p+1+w])
			}
		}
	}
	for i := range pos {
		pos[i] += 1 + w
	}
}

// encodeNested goes row by row, for rows with arrays, maps or structs, whose lengths are only known when they are written.
func (r *Rows) encodeNested(cols []*Vec, n int) {
	r.Buf = r.Buf[:0]
	r.Off[0] = 0
	for i := range n {
		for _, c := range cols {
			r.Buf = appendValue(r.Buf, c, i, r.Exact)
		}
		r.Off[i+1] = len(r.Buf)
	}
}

// bits32 and bits64 give how the bits of a number are written: as they are, or as keyBits32 and keyBits64 have them.
func bits32(exact bool) func(float32) uint32 {
	if exact {
		return math.Float32bits
	}
	return keyBits32
}

func bits64(exact bool) func(float64) uint64 {
	if exact {
		return math.Float64bits
	}
	return keyBits64
}

// keyBits32 and keyBits64 give one pattern to all NaNs and to both zeros, for GROUP BY and joins take them as equal.
func keyBits32(f float32) uint32 {
	if f == 0 {
		return 0
	}
	if f != f {
		return 0x7fc00000
	}
	return math.Float32bits(f)
}

// keyBits64: see keyBits32.
func keyBits64(f float64) uint64 {
	if f == 0 {
		return 0
	}
	if f != f {
		return 0x7ff8000000000000
	}
	return math.Float64bits(f)
}

// AppendKey appends row i of v as a key: equal values have equal bytes.
func AppendKey(b []byte, v *Vec, i int) []byte { return appendValue(b, v, i, false) }

// AppendValue appends row i of v bit for bit, for [Builder.AppendEncoded] to read back.
func AppendValue(b []byte, v *Vec, i int) []byte { return appendValue(b, v, i, true) }

func appendValue(b []byte, v *Vec, i int, exact bool) []byte {
	i &= v.Mask()
	if v.Dict != nil && !v.IsNull(i) {
		v, i = v.Dict, int(v.Codes[i])
	}
	w := width(v.Type)
	if v.Null != nil && v.Null[i] {
		b = append(b, 1)
		if w < 0 && PhysOf(v.Type) == PBytes {
			w = 4
		}
		for range w {
			b = append(b, 0)
		}
		return b
	}
	b = append(b, 0)
	switch PhysOf(v.Type) {
	case PBool:
		if v.Bool[i] {
			return append(b, 1)
		}
		return append(b, 0)
	case PI8:
		return append(b, byte(v.I8[i]))
	case PI16:
		return binary.LittleEndian.AppendUint16(b, uint16(v.I16[i]))
	case PI32:
		return binary.LittleEndian.AppendUint32(b, uint32(v.I32[i]))
	case PI64:
		return binary.LittleEndian.AppendUint64(b, uint64(v.I64[i]))
	case PF32:
		return binary.LittleEndian.AppendUint32(b, bits32(exact)(v.F32[i]))
	case PF64:
		return binary.LittleEndian.AppendUint64(b, bits64(exact)(v.F64[i]))
	case PDec:
		b = binary.LittleEndian.AppendUint64(b, v.Dec[i].LowBits())
		return binary.LittleEndian.AppendUint64(b, uint64(v.Dec[i].HighBits()))
	case PBytes:
		s := v.Bytes[v.Off[i]:v.Off[i+1]]
		b = binary.LittleEndian.AppendUint32(b, uint32(len(s)))
		return append(b, s...)
	case PList, PMap:
		b = binary.LittleEndian.AppendUint32(b, uint32(v.Off[i+1]-v.Off[i]))
		for j := v.Off[i]; j < v.Off[i+1]; j++ {
			for _, k := range v.Kids {
				b = appendValue(b, k, int(j), exact)
			}
		}
	case PStruct:
		for _, k := range v.Kids {
			b = appendValue(b, k, i, exact)
		}
	}
	return b
}

// Decode reads rows of the given types back into columns. Bytes that no Encode wrote are an error.
func Decode(types []datatype.Type, rows [][]byte) ([]*Vec, error) {
	out := make([]*Vec, len(types))
	rest := append([][]byte(nil), rows...)
	for i, t := range types {
		var err error
		if out[i], err = decodeColumn(t, rest); err != nil {
			return nil, err
		}
	}
	for _, r := range rest {
		if len(r) != 0 {
			return nil, fmt.Errorf("%d bytes too many behind a row", len(r))
		}
	}
	return out, nil
}

// decodeColumn reads the value at the start of each row and moves the rows behind it. As in Encode, the switch on the type is out of the loops.
func decodeColumn(t datatype.Type, rest [][]byte) (*Vec, error) {
	switch PhysOf(t) {
	case PNull:
		for i, r := range rest {
			if len(r) < 1 {
				return nil, errShort
			}
			rest[i] = r[1:]
		}
		return zero(t, len(rest)), nil
	case PBool:
		return decodeFixed(t, rest, func(b []byte) bool { return b[0] == 1 })
	case PI8:
		return decodeFixed(t, rest, func(b []byte) int8 { return int8(b[0]) })
	case PI16:
		return decodeFixed(t, rest, func(b []byte) int16 { return int16(binary.LittleEndian.Uint16(b)) })
	case PI32:
		return decodeFixed(t, rest, func(b []byte) int32 { return int32(binary.LittleEndian.Uint32(b)) })
	case PI64:
		return decodeFixed(t, rest, func(b []byte) int64 { return int64(binary.LittleEndian.Uint64(b)) })
	case PF32:
		return decodeFixed(t, rest, func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) })
	case PF64:
		return decodeFixed(t, rest, func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) })
	case PDec:
		return decodeFixed(t, rest, func(b []byte) decimal128.Num {
			return decimal128.New(int64(binary.LittleEndian.Uint64(b[8:])), binary.LittleEndian.Uint64(b))
		})
	}
	b := NewBuilder(t, len(rest))
	for i, r := range rest {
		var err error
		if rest[i], err = b.AppendEncoded(r); err != nil {
			return nil, err
		}
	}
	return b.Vec(), nil
}

// decodeFixed is decodeColumn for values of one width.
func decodeFixed[T Value](t datatype.Type, rest [][]byte, get func(b []byte) T) (*Vec, error) {
	out, w := make([]T, len(rest)), width(t)
	var null []bool
	for i, r := range rest {
		if len(r) < 1+w {
			return nil, errShort
		}
		if r[0] != 1 {
			out[i] = get(r[1:])
		} else {
			if null == nil {
				null = make([]bool, len(rest))
			}
			null[i] = true
		}
		rest[i] = r[1+w:]
	}
	return Of(t, out).WithNull(null), nil
}

var errShort = fmt.Errorf("an encoded row ends too early")

// AppendEncoded appends the value at the start of r and gives what follows it.
func (b *Builder) AppendEncoded(r []byte) ([]byte, error) {
	if len(r) < 1 {
		return nil, errShort
	}
	null := r[0] == 1
	r = r[1:]
	w := width(b.v.Type)
	p := PhysOf(b.v.Type)
	if w >= 0 {
		if len(r) < w {
			return nil, errShort
		}
		if null {
			b.AppendNull()
			return r[w:], nil
		}
	}
	switch p {
	case PNull:
		b.AppendNull()
	case PBool:
		b.v.Bool = append(b.v.Bool, r[0] == 1)
	case PI8:
		b.v.I8 = append(b.v.I8, int8(r[0]))
	case PI16:
		b.v.I16 = append(b.v.I16, int16(binary.LittleEndian.Uint16(r)))
	case PI32:
		b.v.I32 = append(b.v.I32, int32(binary.LittleEndian.Uint32(r)))
	case PI64:
		b.v.I64 = append(b.v.I64, int64(binary.LittleEndian.Uint64(r)))
	case PF32:
		b.v.F32 = append(b.v.F32, math.Float32frombits(binary.LittleEndian.Uint32(r)))
	case PF64:
		b.v.F64 = append(b.v.F64, math.Float64frombits(binary.LittleEndian.Uint64(r)))
	case PDec:
		b.v.Dec = append(b.v.Dec, decimal128.New(int64(binary.LittleEndian.Uint64(r[8:])), binary.LittleEndian.Uint64(r)))
	case PBytes:
		if len(r) < 4 {
			return nil, errShort
		}
		n := int(binary.LittleEndian.Uint32(r))
		if r = r[4:]; n < 0 || len(r) < n {
			return nil, errShort
		}
		if null {
			b.AppendNull()
		} else {
			b.AppendBytes(r[:n])
		}
		return r[n:], nil
	case PList, PMap:
		if null {
			b.AppendNull()
			return r, nil
		}
		if len(r) < 4 {
			return nil, errShort
		}
		n := int(binary.LittleEndian.Uint32(r))
		r = r[4:]
		var err error
		for range n {
			for _, k := range b.Kids {
				if r, err = k.AppendEncoded(r); err != nil {
					return nil, err
				}
			}
		}
		b.CloseList()
		return r, nil
	case PStruct:
		if null {
			b.AppendNull()
			return r, nil
		}
		var err error
		for _, k := range b.Kids {
			if r, err = k.AppendEncoded(r); err != nil {
				return nil, err
			}
		}
		b.CloseStruct()
		return r, nil
	}
	if p != PNull {
		b.fixed()
	}
	return r[w:], nil
}

var seed = maphash.MakeSeed()

// Hash gives the hash of a row's bytes; it differs from process to process and is never stored.
func Hash(b []byte) uint64 { return maphash.Bytes(seed, b) }
