package kernel

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"math"
	"math/bits"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

func init() {
	register("md5", func(c *call) (evalFunc, error) {
		return writeText(c, func(b []byte, v *vec.Vec, i int) []byte {
			d := md5.Sum(v.Bytes[v.Off[i]:v.Off[i+1]])
			return hex.AppendEncode(b, d[:])
		}), nil
	})
	register("sha", func(c *call) (evalFunc, error) {
		return writeText(c, func(b []byte, v *vec.Vec, i int) []byte {
			d := sha1.Sum(v.Bytes[v.Off[i]:v.Off[i+1]])
			return hex.AppendEncode(b, d[:])
		}), nil
	})
	register("sha2", sha2)
	register("crc32", func(c *call) (evalFunc, error) {
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			out := make([]int64, n)
			for i := range out {
				if !isNull(null, i) {
					out[i] = int64(crc32.ChecksumIEEE(v[0].Bytes[v[0].Off[i]:v[0].Off[i+1]]))
				}
			}
			return vec.Of(datatype.Long, out), nil
		}, nil
	})
	register("hash", func(c *call) (evalFunc, error) {
		return hashRows(c, murmur{}, func(h uint64) int64 { return int64(int32(h)) })
	})
	register("xxhash64", func(c *call) (evalFunc, error) {
		return hashRows(c, xx64{}, func(h uint64) int64 { return int64(h) })
	})
	register("base64", func(c *call) (evalFunc, error) {
		return writeText(c, func(b []byte, v *vec.Vec, i int) []byte {
			in := v.Bytes[v.Off[i]:v.Off[i+1]]
			const line = 57 // bytes in 76 characters
			for len(in) > line {
				b = append(base64.StdEncoding.AppendEncode(b, in[:line]), "\r\n"...)
				in = in[line:]
			}
			return base64.StdEncoding.AppendEncode(b, in)
		}), nil
	})
	register("unbase64", func(c *call) (evalFunc, error) { return bytesOf(c, mimeBase64, nil), nil })
	register("encode", func(c *call) (evalFunc, error) {
		c.fails = true
		return charset(c, "encode", appendEncoded), nil
	})
	for _, name := range []string{"to_binary", "try_to_binary"} {
		register(name, toBinary)
	}
	for name, width := range map[string]int32{"bit_length": 8, "octet_length": 1} {
		register(name, func(c *call) (evalFunc, error) {
			return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
				out := make([]int32, n)
				for i := range out {
					out[i] = (v[0].Off[i+1] - v[0].Off[i]) * width
				}
				return vec.Of(datatype.Int, out), nil
			}, nil
		})
	}
}

func sha2(c *call) (evalFunc, error) {
	t := c.Typ
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		w, more := newWriter(t, n), nulls{b: null}
		for i := range n {
			if !isNull(null, i) {
				in := []byte(v[0].Str(i))
				switch v[1].I32[i&v[1].Mask()] {
				case 224:
					d := sha256.Sum224(in)
					w.buf = hex.AppendEncode(w.buf, d[:])
				case 0, 256:
					d := sha256.Sum256(in)
					w.buf = hex.AppendEncode(w.buf, d[:])
				case 384:
					d := sha512.Sum384(in)
					w.buf = hex.AppendEncode(w.buf, d[:])
				case 512:
					d := sha512.Sum512(in)
					w.buf = hex.AppendEncode(w.buf, d[:])
				default:
					more.set(i, n)
				}
			}
			w.end()
		}
		return w.vec().WithNull(more.b), nil
	}, nil
}

// hasher mixes values of Spark's layouts into a seed.
type hasher interface {
	int(x int32, seed uint64) uint64
	long(x int64, seed uint64) uint64
	bytes(b []byte, seed uint64) uint64
}

// hashSeed is the seed of HASH and XXHASH64.
const hashSeed = 42

// hashRows folds the arguments of a row into one hash; a null leaves it as it is.
func hashRows(c *call, h hasher, result func(uint64) int64) (evalFunc, error) {
	c.raw = true
	mix := make([]mixer, len(c.args))
	for i := range c.args {
		m, ok := mixerOf(c.typ(i), h)
		if !ok {
			return nil, c.refuse("%s of %s is not supported.", c.Func.Name, c.typ(i))
		}
		mix[i] = m
	}
	t := c.Typ
	return func(v []*vec.Vec, n int, _ []bool) (*vec.Vec, error) {
		sums := make([]uint64, n)
		for i := range sums {
			sums[i] = hashSeed
		}
		for k, x := range v {
			for i := range sums {
				sums[i] = mix[k](x, i, sums[i])
			}
		}
		if vec.PhysOf(t) == vec.PI32 {
			out := make([]int32, n)
			for i, s := range sums {
				out[i] = int32(result(s))
			}
			return vec.Of(t, out), nil
		}
		out := make([]int64, n)
		for i, s := range sums {
			out[i] = result(s)
		}
		return vec.Of(t, out), nil
	}, nil
}

// mixer mixes row i of a vector into a hash.
type mixer func(v *vec.Vec, i int, seed uint64) uint64

// mixerOf picks the mixing of a type: narrow integers, dates and months as an INT, the rest of the fixed types as a BIGINT, decimals of more than 18 digits
// by the bytes of Java's BigInteger, nested values element by element. Minus zero counts as zero.
func mixerOf(t datatype.Type, h hasher) (mixer, bool) {
	var f mixer
	switch vec.PhysOf(t) {
	case vec.PNull:
		return func(_ *vec.Vec, _ int, seed uint64) uint64 { return seed }, true
	case vec.PBool:
		f = func(v *vec.Vec, i int, seed uint64) uint64 {
			if v.Bool[i] {
				return h.int(1, seed)
			}
			return h.int(0, seed)
		}
	case vec.PI8:
		f = func(v *vec.Vec, i int, seed uint64) uint64 { return h.int(int32(v.I8[i]), seed) }
	case vec.PI16:
		f = func(v *vec.Vec, i int, seed uint64) uint64 { return h.int(int32(v.I16[i]), seed) }
	case vec.PI32:
		f = func(v *vec.Vec, i int, seed uint64) uint64 { return h.int(v.I32[i], seed) }
	case vec.PI64:
		f = func(v *vec.Vec, i int, seed uint64) uint64 { return h.long(v.I64[i], seed) }
	case vec.PF32:
		f = func(v *vec.Vec, i int, seed uint64) uint64 {
			x := v.F32[i]
			switch {
			case x == 0:
				return h.int(0, seed)
			case x != x:
				return h.int(0x7fc00000, seed)
			}
			return h.int(int32(math.Float32bits(x)), seed)
		}
	case vec.PF64:
		f = func(v *vec.Vec, i int, seed uint64) uint64 {
			x := v.F64[i]
			switch {
			case x == 0:
				return h.long(0, seed)
			case x != x:
				return h.long(0x7ff8000000000000, seed)
			}
			return h.long(int64(math.Float64bits(x)), seed)
		}
	case vec.PDec:
		if t.(datatype.Decimal).Precision <= 18 {
			f = func(v *vec.Vec, i int, seed uint64) uint64 { return h.long(int64(v.Dec[i].LowBits()), seed) }
			break
		}
		f = func(v *vec.Vec, i int, seed uint64) uint64 {
			var b [16]byte
			binary.BigEndian.PutUint64(b[:], uint64(v.Dec[i].HighBits()))
			binary.BigEndian.PutUint64(b[8:], v.Dec[i].LowBits())
			k := 0
			for k < 15 && (b[k] == 0 && b[k+1] < 0x80 || b[k] == 0xff && b[k+1] >= 0x80) {
				k++
			}
			return h.bytes(b[k:], seed)
		}
	case vec.PBytes:
		f = func(v *vec.Vec, i int, seed uint64) uint64 { return h.bytes(v.Bytes[v.Off[i]:v.Off[i+1]], seed) }
	case vec.PList:
		elem, ok := mixerOf(t.(datatype.Array).Elem, h)
		if !ok {
			return nil, false
		}
		f = func(v *vec.Vec, i int, seed uint64) uint64 {
			for j := v.Off[i]; j < v.Off[i+1]; j++ {
				seed = elem(v.Kids[0], int(j), seed)
			}
			return seed
		}
	case vec.PStruct:
		s, ok := t.(datatype.Struct)
		if !ok {
			return nil, false
		}
		var fields []mixer
		for _, x := range s.Fields {
			m, ok := mixerOf(x.Type, h)
			if !ok {
				return nil, false
			}
			fields = append(fields, m)
		}
		f = func(v *vec.Vec, i int, seed uint64) uint64 {
			for k, m := range fields {
				seed = m(v.Kids[k], i, seed)
			}
			return seed
		}
	default:
		return nil, false
	}
	return func(v *vec.Vec, i int, seed uint64) uint64 {
		i &= v.Mask()
		if v.Null != nil && v.Null[i] {
			return seed
		}
		return f(v, i, seed)
	}, true
}

// murmur is Murmur3 of 32 bits as Spark has it: each byte behind the last whole word is mixed as a word of its own.
type murmur struct{}

func murmurMix(k, h uint32) uint32 {
	k *= 0xcc9e2d51
	k = bits.RotateLeft32(k, 15) * 0x1b873593
	return bits.RotateLeft32(h^k, 13)*5 + 0xe6546b64
}

func murmurEnd(h, length uint32) uint64 {
	h ^= length
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return uint64(h ^ h>>16)
}

func (murmur) int(x int32, seed uint64) uint64 {
	return murmurEnd(murmurMix(uint32(x), uint32(seed)), 4)
}

func (murmur) long(x int64, seed uint64) uint64 {
	return murmurEnd(murmurMix(uint32(x>>32), murmurMix(uint32(x), uint32(seed))), 8)
}

func (murmur) bytes(b []byte, seed uint64) uint64 {
	h, n := uint32(seed), uint32(len(b))
	for ; len(b) >= 4; b = b[4:] {
		h = murmurMix(binary.LittleEndian.Uint32(b), h)
	}
	for _, x := range b {
		h = murmurMix(uint32(int8(x)), h)
	}
	return murmurEnd(h, n)
}

// xx64 is xxHash of 64 bits.
type xx64 struct{}

const (
	xxPrime1 = 0x9E3779B185EBCA87
	xxPrime2 = 0xC2B2AE3D27D4EB4F
	xxPrime3 = 0x165667B19E3779F9
	xxPrime4 = 0x85EBCA77C2B2AE63
	xxPrime5 = 0x27D4EB2F165667C5
)

func xxEnd(h uint64) uint64 {
	h = (h ^ h>>33) * xxPrime2
	h = (h ^ h>>29) * xxPrime3
	return h ^ h>>32
}

func xxRound(acc, x uint64) uint64 {
	return bits.RotateLeft64(acc+x*xxPrime2, 31) * xxPrime1
}

func xxWord(h, x uint64) uint64 {
	return bits.RotateLeft64(h^xxRound(0, x), 27)*xxPrime1 + xxPrime4
}

func xxHalf(h uint64, x uint32) uint64 {
	return bits.RotateLeft64(h^uint64(x)*xxPrime1, 23)*xxPrime2 + xxPrime3
}

func (xx64) int(x int32, seed uint64) uint64 { return xxEnd(xxHalf(seed+xxPrime5+4, uint32(x))) }

func (xx64) long(x int64, seed uint64) uint64 { return xxEnd(xxWord(seed+xxPrime5+8, uint64(x))) }

func (xx64) bytes(b []byte, seed uint64) uint64 {
	n := uint64(len(b))
	h := seed + xxPrime5
	if n >= 32 {
		p1, p2 := uint64(xxPrime1), uint64(xxPrime2)
		v := [4]uint64{seed + p1 + p2, seed + p2, seed, seed - p1}
		for ; len(b) >= 32; b = b[32:] {
			for k := range v {
				v[k] = xxRound(v[k], binary.LittleEndian.Uint64(b[8*k:]))
			}
		}
		h = bits.RotateLeft64(v[0], 1) + bits.RotateLeft64(v[1], 7) + bits.RotateLeft64(v[2], 12) + bits.RotateLeft64(v[3], 18)
		for _, x := range v {
			h = (h^xxRound(0, x))*xxPrime1 + xxPrime4
		}
	}
	h += n
	for ; len(b) >= 8; b = b[8:] {
		h = xxWord(h, binary.LittleEndian.Uint64(b))
	}
	if len(b) >= 4 {
		h = xxHalf(h, binary.LittleEndian.Uint32(b))
		b = b[4:]
	}
	for _, x := range b {
		h = bits.RotateLeft64(h^uint64(x)*xxPrime5, 11) * xxPrime1
	}
	return xxEnd(h)
}

// bytesOf makes a binary of each text. An error is raised, or with tolerate made null where that says so.
func bytesOf(c *call, f func(b []byte, s string) ([]byte, error), tolerate func(error) bool) evalFunc {
	c.fails = tolerate == nil
	t := c.Typ
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		w, more := newWriter(t, n), nulls{b: null}
		for i := range n {
			if !isNull(null, i) {
				from := len(w.buf)
				out, err := f(w.buf, v[0].Str(i))
				switch {
				case err == nil:
					w.buf = out
				case tolerate != nil && tolerate(err):
					w.buf = w.buf[:from]
					more.set(i, n)
				default:
					return nil, err
				}
			}
			w.end()
		}
		return w.vec().WithNull(more.b), nil
	}
}

// base64Value gives the value of a digit of base 64, or -1.
func base64Value(c byte) int {
	switch {
	case c >= 'A' && c <= 'Z':
		return int(c - 'A')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 26
	case c >= '0' && c <= '9':
		return int(c-'0') + 52
	case c == '+':
		return 62
	case c == '/':
		return 63
	}
	return -1
}

// mimeBase64 decodes as Java's MIME decoder: other characters are passed over, padding may be missing, and nothing but such may follow it.
func mimeBase64(b []byte, s string) ([]byte, error) {
	bad := func(text string) ([]byte, error) {
		return nil, condition.Newf(condition.InvalidValue, "unbase64: %s", text)
	}
	group, shift := 0, 18
	i := 0
	for ; i < len(s); i++ {
		if s[i] == '=' {
			i++
			if shift == 18 || shift == 6 && (i == len(s) || s[i] != '=') {
				return bad("Input byte array has wrong 4-byte ending unit")
			}
			if shift == 6 {
				i++
			}
			break
		}
		d := base64Value(s[i])
		if d < 0 {
			continue
		}
		group |= d << shift
		shift -= 6
		if shift < 0 {
			b = append(b, byte(group>>16), byte(group>>8), byte(group))
			group, shift = 0, 18
		}
	}
	switch shift {
	case 12:
		return bad("Last unit does not have enough valid bits")
	case 6:
		b = append(b, byte(group>>16))
	case 0:
		b = append(b, byte(group>>16), byte(group>>8))
	}
	for ; i < len(s); i++ {
		if s[i] == '=' || base64Value(s[i]) >= 0 {
			return bad("Input byte array has incorrect ending byte")
		}
	}
	return b, nil
}

// validBase64 is Spark's check before to_binary: digits, white space, and at most two characters of padding that complete the last group.
func validBase64(s string) bool {
	digits, pads := 0, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case base64Value(c) >= 0:
			if pads > 0 {
				return false
			}
			digits++
		case c == '=':
			if pads++; pads > 2 {
				return false
			}
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		default:
			return false
		}
	}
	if pads > 0 {
		return (digits+pads)%4 == 0
	}
	return digits%4 != 1
}

// toBinary is TO_BINARY and TRY_TO_BINARY.
func toBinary(c *call) (evalFunc, error) {
	format := "hex"
	if len(c.args) > 1 {
		x, ok := c.literal(1)
		if !ok {
			return nil, c.refuse("the format must be a literal.")
		}
		if x == nil {
			t := c.Typ
			c.turn = []int{1, 0} // the text is not looked at
			return func(_ []*vec.Vec, n int, _ []bool) (*vec.Vec, error) { return vec.Nulls(t, n), nil }, nil
		}
		format, _ = x.(string)
	}
	try := c.Func.Name == "try_to_binary"
	malformed := func(s string) error {
		return condition.Newf("CONVERSION_INVALID_INPUT", "The value '%s' ('%s') cannot be converted to BINARY because it is malformed. Use try_to_binary to tolerate malformed input and return NULL instead.", s, strings.ToUpper(format))
	}
	switch strings.ToLower(format) {
	case "hex":
		if try {
			return fromHex(c, nil), nil
		}
		c.fails = true
		return fromHex(c, malformed), nil
	case "base64":
		decode := func(b []byte, s string) ([]byte, error) {
			if !validBase64(s) {
				return nil, malformed(s)
			}
			return mimeBase64(b, s)
		}
		if try {
			return bytesOf(c, decode, func(error) bool { return true }), nil
		}
		return bytesOf(c, decode, nil), nil
	}
	return func(v []*vec.Vec, _ int, _ []bool) (*vec.Vec, error) { return v[0], nil }, nil
}

// charset is ENCODE and DECODE; the charset may be another one in each row.
func charset(c *call, name string, f func(b []byte, in, set string) ([]byte, bool, bool)) evalFunc {
	t := c.Typ
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		w := newWriter(t, n)
		for i := range n {
			if !isNull(null, i) {
				set := v[1].Str(i)
				out, known, ok := f(w.buf, v[0].Str(i), strings.ToUpper(set))
				if !known {
					return nil, condition.Newf("INVALID_PARAMETER_VALUE.CHARSET", "The charset of %s must be one of iso-8859-1, us-ascii, utf-16, utf-16be, utf-16le, utf-32 and utf-8, not %s.", name, strings.Clone(set))
				}
				if !ok {
					return nil, condition.Newf("MALFORMED_CHARACTER_CODING", "Invalid value found when performing %s with %s.", name, strings.Clone(set))
				}
				w.buf = out
			}
			w.end()
		}
		return w.vec(), nil
	}
}

func decodeCharset(c *call) evalFunc { return charset(c, "decode", appendDecoded) }

// appendEncoded appends a text in a charset and tells whether the charset is known and has all characters.
func appendEncoded(b []byte, s, set string) (out []byte, known, ok bool) {
	highest := rune(0)
	switch set {
	case "UTF-8":
		return append(b, s...), true, utf8.ValidString(s)
	case "US-ASCII":
		highest = 0x7f
	case "ISO-8859-1":
		highest = 0xff
	case "UTF-16":
		if s != "" {
			b = append(b, 0xfe, 0xff)
		}
	case "UTF-16BE", "UTF-16LE", "UTF-32":
	default:
		return b, false, false
	}
	if !utf8.ValidString(s) {
		return b, true, false
	}
	for _, r := range s {
		switch {
		case highest > 0:
			if r > highest {
				return b, true, false
			}
			b = append(b, byte(r))
		case set == "UTF-32":
			b = binary.BigEndian.AppendUint32(b, uint32(r))
		default:
			var units [2]uint16
			for _, u := range utf16.AppendRune(units[:0], r) {
				if set == "UTF-16LE" {
					b = binary.LittleEndian.AppendUint16(b, u)
				} else {
					b = binary.BigEndian.AppendUint16(b, u)
				}
			}
		}
	}
	return b, true, true
}

// appendDecoded appends the text of bytes in a charset and tells whether the charset is known and the bytes are text. UTF-16 and UTF-32 heed a byte order mark and
// are big-endian without one.
func appendDecoded(b []byte, in, set string) (out []byte, known, ok bool) {
	switch set {
	case "UTF-8":
		return append(b, in...), true, utf8.ValidString(in)
	case "US-ASCII", "ISO-8859-1":
		for i := 0; i < len(in); i++ {
			if in[i] > 0x7f && set == "US-ASCII" {
				return b, true, false
			}
			b = utf8.AppendRune(b, rune(in[i]))
		}
		return b, true, true
	case "UTF-16", "UTF-16BE", "UTF-16LE":
		order := binary.ByteOrder(binary.BigEndian)
		if set == "UTF-16LE" {
			order = binary.LittleEndian
		}
		if set == "UTF-16" && len(in) >= 2 {
			switch in[:2] {
			case "\xfe\xff":
				in = in[2:]
			case "\xff\xfe":
				in, order = in[2:], binary.LittleEndian
			}
		}
		for len(in) >= 2 {
			r := rune(order.Uint16([]byte(in[:2])))
			in = in[2:]
			if utf16.IsSurrogate(r) {
				if len(in) < 2 {
					return b, true, false
				}
				if r = utf16.DecodeRune(r, rune(order.Uint16([]byte(in[:2])))); r == utf8.RuneError {
					return b, true, false
				}
				in = in[2:]
			}
			b = utf8.AppendRune(b, r)
		}
		return b, true, in == ""
	case "UTF-32":
		order := binary.ByteOrder(binary.BigEndian)
		if len(in) >= 4 {
			switch in[:4] {
			case "\x00\x00\xfe\xff":
				in = in[4:]
			case "\xff\xfe\x00\x00":
				in, order = in[4:], binary.LittleEndian
			}
		}
		for len(in) >= 4 {
			r := order.Uint32([]byte(in[:4]))
			in = in[4:]
			if r > utf8.MaxRune || !utf8.ValidRune(rune(r)) {
				return b, true, false
			}
			b = utf8.AppendRune(b, rune(r))
		}
		return b, true, in == ""
	}
	return b, false, false
}
