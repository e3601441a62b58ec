package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"
	pq "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// Flat columns in the plain and dictionary encodings, which is what most files are made of, are decoded here: page by page, straight into the slices
// of the array. Arrow's own reader takes several copies for that. Everything else still goes through it.

// flatKind is a way to lay a physical column out as an Arrow array.
type flatKind uint8

const (
	notFlat     flatKind = iota
	flat32               // INT32 and FLOAT as four bytes
	flat64               // INT64 and DOUBLE as eight bytes
	flatDec32            // INT32 as a decimal
	flatDec64            // INT64 as a decimal
	flatStrings          // BYTE_ARRAY as text or binary
)

// flatKindOf tells how leaf is decoded into the type to, or notFlat where Arrow's reader is needed: for other encodings, other types, and where the
// value has to be converted. from is the type that Arrow's reader would give.
func flatKindOf(r *file.Reader, leaf int, from, to arrow.DataType) flatKind {
	c := r.MetaData().Schema.Column(leaf)
	if c.MaxRepetitionLevel() != 0 || c.MaxDefinitionLevel() > 1 || len(c.ColumnPath()) != 1 {
		return notFlat
	}
	p := c.PhysicalType()
	switch to.ID() {
	case arrow.INT32, arrow.DATE32, arrow.FLOAT32:
		if arrow.TypeEqual(from, to) && (p == pq.Types.Int32 || p == pq.Types.Float) {
			return flat32
		}
	case arrow.INT64, arrow.FLOAT64, arrow.TIMESTAMP:
		if arrow.TypeEqual(from, to) && (p == pq.Types.Int64 || p == pq.Types.Double) {
			return flat64
		}
	case arrow.STRING, arrow.BINARY:
		if p == pq.Types.ByteArray && (from.ID() == arrow.STRING || from.ID() == arrow.BINARY) {
			return flatStrings
		}
	case arrow.DECIMAL128:
		f, ok := from.(*arrow.Decimal128Type)
		t := to.(*arrow.Decimal128Type)
		if !ok || f.Scale != t.Scale || f.Precision > t.Precision {
			break
		}
		switch p {
		case pq.Types.Int32:
			return flatDec32
		case pq.Types.Int64:
			return flatDec64
		}
	}
	return notFlat
}

// plainChunk tells whether the pages of a column chunk are in the encodings that are decoded here.
func plainChunk(r *file.Reader, group, leaf int) bool {
	col, err := r.MetaData().RowGroup(group).ColumnChunk(leaf)
	if err != nil || col.CryptoMetadata() != nil {
		return false
	}
	for _, e := range col.Encodings() {
		switch e {
		case pq.Encodings.Plain, pq.Encodings.PlainDict, pq.Encodings.RLE, pq.Encodings.RLEDict:
		default:
			return false
		}
	}
	return true
}

// arrowTypes gives for each top-level column the type that Arrow's reader would give it.
func arrowTypes(r *file.Reader) ([]arrow.DataType, error) {
	s, err := pqarrow.FromParquet(r.MetaData().Schema, nil, nil)
	if err != nil {
		return nil, err
	}
	out := make([]arrow.DataType, s.NumFields())
	for i, f := range s.Fields() {
		out[i] = f.Type
	}
	return out, nil
}

// errPage is a page that says one thing and holds another.
var errPage = errors.New("a page of a column is damaged")

// firstRows bounds what is allocated on the word of a footer alone.
const firstRows = 1 << 20

// flatColumn is a column chunk while it is decoded.
type flatColumn struct {
	kind flatKind
	// null marks null rows; nil as long as there was none.
	null []bool
	rows int

	w32 []uint32
	w64 []uint64
	dec []decimal128.Num
	off []int32
	raw []byte

	// The dictionary, in the layout of the values.
	d32  []uint32
	d64  []uint64
	dDec []decimal128.Num
	dOff []int32
	dRaw []byte

	index []uint32 // of one page, or of all pages with coded

	// coded keeps texts as indices of the dictionary; the first page without indices ends that.
	coded bool
}

// readFlat decodes the chunk of a leaf whole. Its memory is lent: the array of the column gives it back.
func readFlat(rg *file.RowGroupReader, leaf int, optional bool, kind flatKind, n int, coded bool) (*flatColumn, error) {
	c := &flatColumn{kind: kind, coded: coded && kind == flatStrings}
	done := false
	// A page may also make the library panic.
	defer func() {
		if !done {
			c.drop()
		}
	}()
	if err := c.read(rg, leaf, optional, n); err != nil {
		return nil, err
	}
	if !c.coded {
		c.dropDictionary()
		c.dropIndex()
	}
	done = true
	return c, nil
}

// read decodes the pages of a chunk.
func (c *flatColumn) read(rg *file.RowGroupReader, leaf int, optional bool, n int) error {
	pages, err := rg.GetColumnPageReader(leaf)
	if err != nil {
		return err
	}
	if c, ok := pages.(interface{ Close() error }); ok {
		defer c.Close() // it gives back a buffer
	}
	room := min(n, firstRows)
	switch c.kind {
	case flat32:
		c.w32 = lend[uint32](room)
	case flat64:
		c.w64 = lend[uint64](room)
	case flatDec32, flatDec64:
		c.dec = lend[decimal128.Num](room)
	case flatStrings:
		if !c.coded {
			c.off = append(lend[int32](room+1), 0)
		}
	}
	for c.rows < n && pages.Next() {
		switch p := pages.Page().(type) {
		case *file.DictionaryPage:
			if err := c.dictionary(p.Data(), int(p.NumValues())); err != nil {
				return err
			}
		case *file.DataPageV1:
			data, rows := p.Data(), int(p.NumValues())
			if rows < 0 || rows > n-c.rows {
				return errPage
			}
			var null []bool
			if optional {
				if p.DefinitionLevelEncoding() != pq.Encodings.RLE || len(data) < 4 {
					return errPage
				}
				l := int(binary.LittleEndian.Uint32(data))
				if l < 0 || l > len(data)-4 {
					return errPage
				}
				if null, err = levels(data[4:4+l], rows); err != nil {
					return err
				}
				data = data[4+l:]
			}
			if err := c.page(data, int(p.Encoding()), rows, null, n); err != nil {
				return err
			}
		case *file.DataPageV2:
			data, rows := p.Data(), int(p.NumValues())
			d, r := int(p.DefinitionLevelByteLen()), int(p.RepetitionLevelByteLen())
			if rows < 0 || rows > n-c.rows || d < 0 || r < 0 || d+r > len(data) {
				return errPage
			}
			var null []bool
			if optional {
				if null, err = levels(data[r:r+d], rows); err != nil {
					return err
				}
			}
			if err := c.page(data[r+d:], int(p.Encoding()), rows, null, n); err != nil {
				return err
			}
		}
	}
	if err := pages.Err(); err != nil {
		return err
	}
	if c.rows != n {
		return fmt.Errorf("a column ends after %d of %d rows", c.rows, n)
	}
	return nil
}

// levels reads the definition levels of an optional column: the rows that are null, or nil for none.
func levels(b []byte, rows int) ([]bool, error) {
	var null []bool
	at := 0
	err := runs(b, 1, rows, func(v uint32, n int) {
		if v == 0 {
			if null == nil {
				null = make([]bool, rows)
			}
			for i := range n {
				null[at+i] = true
			}
		}
		at += n
	}, func(v []uint32) {
		for _, x := range v {
			if x == 0 {
				if null == nil {
					null = make([]bool, rows)
				}
				null[at] = true
			}
			at++
		}
	})
	return null, err
}

// runs reads the hybrid of run lengths and packed bits: n values of so many bits.
func runs(b []byte, width, n int, run func(v uint32, n int), packed func(v []uint32)) error {
	if width > 32 {
		return errPage
	}
	if width == 0 {
		run(0, n)
		return nil
	}
	var buf [256]uint32
	bytes := (width + 7) / 8
	for n > 0 {
		head, k := binary.Uvarint(b)
		if k <= 0 {
			return errPage
		}
		b = b[k:]
		if head&1 == 0 {
			count := head >> 1
			if len(b) < bytes || count == 0 {
				return errPage
			}
			var v uint32
			for i := range bytes {
				v |= uint32(b[i]) << (8 * i)
			}
			b = b[bytes:]
			m := n
			if count < uint64(n) {
				m = int(count)
			}
			run(v, m)
			n -= m
			continue
		}
		groups := head >> 1
		if groups == 0 || groups > uint64(len(b)) {
			return errPage
		}
		size := int(groups) * width
		src := b
		if size > len(b) {
			// The last run of a page may leave out the bytes behind its last value.
			if (n*width+7)/8 > len(b) {
				return errPage
			}
			src = append(append(make([]byte, 0, size), b...), make([]byte, size-len(b))...)
			b = nil
		} else {
			b = b[size:]
		}
		left := min(int(groups)*8, n)
		n -= left
		for at := 0; left > 0; at += 256 {
			m := min(left, 256)
			unpack(buf[:(m+7)/8*8], src[at/8*width:], width)
			packed(buf[:m])
			left -= m
		}
	}
	return nil
}

// unpack reads len(out) values, a multiple of eight, of so many bits, least bit first. Eight values take width bytes, so each group of eight begins with a
// byte; eight bytes at once hold several of them.
func unpack(out []uint32, b []byte, width int) {
	mask := uint64(1)<<width - 1
	i := 0
	switch {
	case width <= 8:
		for ; i < len(out) && i/8*width+8 <= len(b); i += 8 {
			v := binary.LittleEndian.Uint64(b[i/8*width:])
			o := out[i : i+8 : i+8]
			for k := range o {
				o[k] = uint32(v & mask)
				v >>= width
			}
		}
	case width <= 16:
		half, odd := width/2, 4*(width&1)
		for ; i < len(out) && i/8*width+half+8 <= len(b); i += 8 {
			at := i / 8 * width
			v, w := binary.LittleEndian.Uint64(b[at:]), binary.LittleEndian.Uint64(b[at+half:])>>odd
			o := out[i : i+8 : i+8]
			o[0], o[1], o[2], o[3] = uint32(v&mask), uint32(v>>width&mask), uint32(v>>(2*width)&mask), uint32(v>>(3*width)&mask)
			o[4], o[5], o[6], o[7] = uint32(w&mask), uint32(w>>width&mask), uint32(w>>(2*width)&mask), uint32(w>>(3*width)&mask)
		}
	}
	bit := i * width
	for ; i < len(out) && bit>>3+8 <= len(b); i++ {
		out[i] = uint32(binary.LittleEndian.Uint64(b[bit>>3:]) >> (bit & 7) & mask)
		bit += width
	}
	for ; i < len(out); i++ {
		var v uint64
		for k := range 8 {
			if j := bit>>3 + k; j < len(b) {
				v |= uint64(b[j]) << (8 * k)
			}
		}
		out[i] = uint32(v >> (bit & 7) & mask)
		bit += width
	}
}

// drop gives back everything, for a column that could not be read.
func (c *flatColumn) drop() {
	giveBack(c.w32)
	giveBack(c.w64)
	giveBack(c.dec)
	giveBack(c.off)
	giveBack(c.raw)
	c.w32, c.w64, c.dec, c.off, c.raw = nil, nil, nil, nil, nil
	c.dropDictionary()
	c.dropIndex()
}

func (c *flatColumn) dropDictionary() {
	giveBack(c.d32)
	giveBack(c.d64)
	giveBack(c.dDec)
	giveBack(c.dOff)
	giveBack(c.dRaw)
	c.d32, c.d64, c.dDec, c.dOff, c.dRaw = nil, nil, nil, nil, nil
}

func (c *flatColumn) dropIndex() {
	giveBack(c.index)
	c.index = nil
}

// dictionary decodes the values that the pages refer to.
func (c *flatColumn) dictionary(b []byte, n int) error {
	c.dropDictionary()
	if n < 0 || n > len(b) {
		return errPage // each value takes a byte at least, so nothing is allocated on the word of the header
	}
	var err error
	switch c.kind {
	case flat32:
		c.d32, err = appendPlain(c.d32, b, n)
	case flat64:
		c.d64, err = appendPlain(c.d64, b, n)
	case flatDec32, flatDec64:
		c.dDec, err = appendDecimals(c.dDec, b, n, c.kind)
	case flatStrings:
		c.dOff = append(lend[int32](n+1), 0)
		c.dOff, c.dRaw, err = appendTexts(c.dOff, c.dRaw, b, n)
	}
	return err
}

// appendPlain appends n fixed-width values.
func appendPlain[T uint32 | uint64](out []T, b []byte, n int) ([]T, error) {
	var t T
	w := int(unsafe.Sizeof(t))
	if n < 0 || len(b)/w < n {
		return out, errPage
	}
	at := len(out)
	out = grown(out, n)
	if n > 0 {
		// Parquet's order of bytes is that of every machine that Go's Arrow supports.
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&out[at])), n*w), b)
	}
	return out, nil
}

func appendDecimals(out []decimal128.Num, b []byte, n int, kind flatKind) ([]decimal128.Num, error) {
	w := 8
	if kind == flatDec32 {
		w = 4
	}
	if n < 0 || len(b)/w < n {
		return out, errPage
	}
	at := len(out)
	out = grown(out, n)
	for i := range n {
		if kind == flatDec32 {
			out[at+i] = decimal128.FromI64(int64(int32(binary.LittleEndian.Uint32(b[4*i:]))))
		} else {
			out[at+i] = decimal128.FromI64(int64(binary.LittleEndian.Uint64(b[8*i:])))
		}
	}
	return out, nil
}

// appendTexts appends n values that each begin with their length.
func appendTexts(off []int32, raw, b []byte, n int) ([]int32, []byte, error) {
	if n < 0 || len(b)/4 < n {
		return off, raw, errPage
	}
	raw, off = more(raw, max(len(b)-4*n, 0)), more(off, n)
	for range n {
		if len(b) < 4 {
			return off, raw, errPage
		}
		l := int(binary.LittleEndian.Uint32(b))
		if b = b[4:]; l < 0 || l > len(b) {
			return off, raw, errPage
		}
		raw = append(raw, b[:l]...)
		b = b[l:]
		if len(raw) > math.MaxInt32 {
			return off, raw, errTooMuchText
		}
		off = append(off, int32(len(raw)))
	}
	return off, raw, nil
}

var errTooMuchText = errors.New("a row group has more than 2 GiB of text in one column")

// grown gives s, which is lent, with n more elements, which are not cleared.
func grown[T any](s []T, n int) []T {
	s = more(s, n)
	return s[:len(s)+n]
}

// The numbers of the encodings in the file format.
const (
	encodingPlain         = 0
	encodingPlainDict     = 2
	encodingRLEDictionary = 8
)

// page decodes the values of one data page; limit is the number of rows of the chunk.
func (c *flatColumn) page(b []byte, encoding, rows int, null []bool, limit int) error {
	dict := encoding == encodingPlainDict || encoding == encodingRLEDictionary
	if !dict && encoding != encodingPlain {
		return errPage
	}
	if null != nil && c.null == nil {
		c.null = make([]bool, c.rows, max(c.rows, min(limit, firstRows), 1))
	}
	if c.null != nil {
		if null == nil {
			null = make([]bool, rows)
		}
		c.null = append(c.null, null...)
	}
	values := rows
	for _, x := range null {
		if x {
			values--
		}
	}
	var err error
	if !dict && c.coded {
		if err := c.decode(limit); err != nil {
			return err
		}
	}
	if dict {
		err = c.indexed(b, values)
	} else {
		switch c.kind {
		case flat32:
			c.w32, err = appendPlain(c.w32, b, values)
		case flat64:
			c.w64, err = appendPlain(c.w64, b, values)
		case flatDec32, flatDec64:
			c.dec, err = appendDecimals(c.dec, b, values, c.kind)
		case flatStrings:
			c.off, c.raw, err = appendTexts(c.off, c.raw, b, values)
		}
	}
	if err != nil {
		return err
	}
	c.rows += rows
	if values < rows {
		c.spread(null, values)
	}
	return nil
}

// indexed decodes values of the dictionary.
func (c *flatColumn) indexed(b []byte, values int) error {
	if values == 0 {
		return nil
	}
	if len(b) == 0 {
		return errPage
	}
	from := 0
	if c.coded {
		from = len(c.index)
	}
	c.index = more(c.index[:from], values)
	idx := c.index
	err := runs(b[1:], int(b[0]), values, func(v uint32, n int) {
		for range n {
			idx = append(idx, v)
		}
	}, func(v []uint32) { idx = append(idx, v...) })
	if err != nil {
		return err
	}
	size := 0
	switch c.kind {
	case flat32:
		size = len(c.d32)
	case flat64:
		size = len(c.d64)
	case flatDec32, flatDec64:
		size = len(c.dDec)
	case flatStrings:
		size = len(c.dOff) - 1
	}
	c.index = idx
	idx = idx[from:]
	most := uint32(0)
	for _, i := range idx {
		most = max(most, i)
	}
	if int64(most) >= int64(size) {
		return errPage
	}
	switch c.kind {
	case flat32:
		c.w32 = pick(c.w32, c.d32, idx)
	case flat64:
		c.w64 = pick(c.w64, c.d64, idx)
	case flatDec32, flatDec64:
		c.dec = pick(c.dec, c.dDec, idx)
	case flatStrings:
		if !c.coded {
			return c.texts(idx)
		}
	}
	return nil
}

// decode makes texts of the indices so far.
func (c *flatColumn) decode(limit int) error {
	c.coded = false
	c.off = append(lend[int32](min(limit, firstRows)+1), 0)
	if len(c.dOff) < 2 {
		for range c.index {
			c.off = append(more(c.off, 1), 0) // only nulls so far
		}
		return nil
	}
	return c.texts(c.index)
}

func pick[T any](out, dict []T, idx []uint32) []T {
	at := len(out)
	out = grown(out, len(idx))
	for i, j := range idx {
		out[at+i] = dict[j]
	}
	return out
}

// texts appends texts of the dictionary.
func (c *flatColumn) texts(idx []uint32) error {
	total := len(c.raw)
	at := len(c.off)
	c.off = grown(c.off, len(idx))
	off := c.off[at:]
	for i, j := range idx {
		total += int(c.dOff[j+1] - c.dOff[j])
		off[i] = int32(total)
		if total > math.MaxInt32 {
			return errTooMuchText
		}
	}
	from := len(c.raw)
	c.raw = grown(c.raw, total-from)
	raw := c.raw
	for _, j := range idx {
		s := c.dRaw[c.dOff[j]:c.dOff[j+1]]
		if len(s) <= 8 {
			for k := range s {
				raw[from+k] = s[k]
			}
		} else {
			copy(raw[from:], s)
		}
		from += len(s)
	}
	return nil
}

// spread moves the values of the last page, which stand close together, to their rows.
func (c *flatColumn) spread(null []bool, values int) {
	switch c.kind {
	case flat32:
		c.w32 = apart(c.w32, null, values)
	case flat64:
		c.w64 = apart(c.w64, null, values)
	case flatDec32, flatDec64:
		c.dec = apart(c.dec, null, values)
	case flatStrings:
		if c.coded {
			c.index = apart(c.index, null, values)
			return
		}
		// A null is an empty text: its end is that of the value before it.
		start := len(c.off) - values
		c.off = grown(c.off, len(null)-values)
		k := start + values - 1
		for i := len(null) - 1; i >= 0; i-- {
			c.off[start+i] = c.off[k]
			if !null[i] {
				k--
			}
		}
	}
}

func apart[T any](s []T, null []bool, values int) []T {
	start := len(s) - values
	s = grown(s, len(null)-values)
	k := start + values - 1
	var zero T
	for i := len(null) - 1; i >= 0; i-- {
		if null[i] {
			s[start+i] = zero
			continue
		}
		s[start+i] = s[k]
		k--
	}
	return s
}

// data gives the column as an array of a type, whose last release gives the memory back.
func (c *flatColumn) data(to arrow.DataType) arrow.ArrayData {
	bufs := []*memory.Buffer{nil}
	nulls := 0
	if c.null != nil {
		bits := make([]byte, (c.rows+7)/8)
		for i, x := range c.null {
			if x {
				nulls++
			} else {
				bits[i>>3] |= 1 << (i & 7)
			}
		}
		if nulls > 0 {
			bufs[0] = memory.NewBufferBytes(bits)
		}
	}
	switch c.kind {
	case flat32:
		bufs = append(bufs, lentBuffer(c.w32))
	case flat64:
		bufs = append(bufs, lentBuffer(c.w64))
	case flatDec32, flatDec64:
		bufs = append(bufs, lentBuffer(c.dec))
	case flatStrings:
		if c.coded {
			return c.codedData(to, bufs, nulls)
		}
		bufs = append(bufs, lentBuffer(c.off), lentBuffer(c.raw))
	}
	d := array.NewData(to, c.rows, bufs, nil, nulls, 0)
	for _, b := range bufs {
		if b != nil {
			b.Release() // the array has it
		}
	}
	return d
}

// codedData is data for indices of a dictionary.
func (c *flatColumn) codedData(to arrow.DataType, bufs []*memory.Buffer, nulls int) arrow.ArrayData {
	if c.dOff == nil {
		c.dOff = append(lend[int32](1), 0) // only nulls, or no row
	}
	own := []*memory.Buffer{nil, lentBuffer(c.dOff), lentBuffer(c.dRaw), lentBuffer(c.index)}
	words := array.NewData(to, len(c.dOff)-1, own[:3], nil, 0, 0)
	defer words.Release()
	d := array.NewDataWithDictionary(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: to}, c.rows, append(bufs, own[3]), nulls, 0, words)
	for _, b := range append(bufs, own...) {
		if b != nil {
			b.Release() // the arrays have it
		}
	}
	return d
}

func lentBuffer[T any](s []T) *memory.Buffer {
	return memory.NewBufferWithAllocator(lentBytes(s), &buffers)
}

// zeros are shared by all columns that nobody reads: they are nulls over zeros, and nobody writes there.
var zeros atomic.Pointer[[]byte]

func zeroBytes(n int) []byte {
	if z := zeros.Load(); z != nil && len(*z) >= n {
		return (*z)[:n]
	}
	z := make([]byte, n)
	zeros.Store(&z)
	return z
}

// unread gives n nulls of a type. For flat types all share one memory.
func unread(to arrow.DataType, n int) arrow.Array {
	buf := func(size int) *memory.Buffer { return memory.NewBufferBytes(zeroBytes(size)) }
	bits := (n + 7) / 8
	var bufs []*memory.Buffer
	switch to.ID() {
	case arrow.BOOL:
		bufs = []*memory.Buffer{buf(bits), buf(bits)}
	case arrow.STRING, arrow.BINARY:
		bufs = []*memory.Buffer{buf(bits), buf(4 * (n + 1)), nil}
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.FLOAT32, arrow.FLOAT64, arrow.DATE32, arrow.TIMESTAMP, arrow.DURATION, arrow.TIME64, arrow.DECIMAL128, arrow.INTERVAL_MONTHS:
		bufs = []*memory.Buffer{buf(bits), buf(n * to.(arrow.FixedWidthDataType).Bytes())}
	default:
		return array.MakeArrayOfNull(memory.DefaultAllocator, to, n)
	}
	d := array.NewData(to, n, bufs, nil, n, 0)
	defer d.Release()
	return array.MakeFromData(d)
}
