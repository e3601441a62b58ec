package file

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/klauspost/compress/zstd"

	"github.com/spoonbill-go/spoonbill/backend/arrowtype"
	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/backend/local/format/avro"
	"github.com/spoonbill-go/spoonbill/backend/local/format/column"
	"github.com/spoonbill-go/spoonbill/backend/local/format/csv"
	"github.com/spoonbill-go/spoonbill/backend/local/format/hadoop"
	"github.com/spoonbill-go/spoonbill/backend/local/format/json"
	"github.com/spoonbill-go/spoonbill/backend/local/format/number"
	"github.com/spoonbill-go/spoonbill/backend/local/format/parquet"
	"github.com/spoonbill-go/spoonbill/backend/local/format/textline"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/internal/timetext"
)

// reader reads the files of a source in one format.
type reader struct {
	env    connector.Env
	format string
	fields []datatype.Field
	json   json.Options
	csv    csv.Options
	shape
	whole bool // each file of text makes a row
	// rowBytes is the mean size of a row of text, measured as files are read: pieces are cut so that they make a batch of the size
	// that the engine likes.
	rowBytes *atomic.Int64
}

func newReader(env connector.Env, format string, fields []datatype.Field, o options) (reader, error) {
	r := reader{env: env, format: strings.ToLower(format), fields: fields, rowBytes: new(atomic.Int64)}
	r.rowBytes.Store(128)
	var err error
	switch r.format {
	case "json", "csv", formatText:
		if r.shape, err = newShape(r.format, o, false); err != nil {
			return r, err
		}
	}
	switch r.format {
	case "json":
		if r.json, err = json.ParseOptions(o.Options, env.Zone); err != nil {
			return r, err
		}
		r.json.Now = env.Now
		_, err = json.NewDecoder(fields, r.json, nil)
	case "csv":
		if r.csv, err = csv.ParseOptions(o.Options, env.Zone); err != nil {
			return r, err
		}
		r.csv.ReadSep = r.sepText
		r.csv.Now = env.Now
		_, err = csv.NewDecoder(fields, r.csv, nil)
	case formatText:
		r.whole = o.flag("wholetext", false)
	case formatAvro:
		if _, ok := o.Get("avroSchema"); ok {
			o.fail("avroSchema", "the local engine reads the columns that the source declares; leave it out, or run the query on Spark")
		}
		if o.flag("positionalFieldMatching", false) {
			o.fail("positionalFieldMatching", "the local engine finds columns by name; leave it out, or run the query on Spark")
		}
	}
	return r, err
}

// The formats that are not text with a decoder of its own, by Spark's names.
const (
	formatText   = "text"
	formatAvro   = "avro"
	formatBinary = "binaryfile"
)

// lineDecoder is a decoder of a text format.
type lineDecoder interface {
	// Lines reads whole lines.
	Lines(data []byte) error
	Rows() int
	Batch() (arrow.RecordBatch, error)
}

// reading is one read with its projection. Decoders are kept between the pieces of a read, one for each goroutine that has needed one.
type reading struct {
	*reader
	need    []int // ordinals of the fields that are read; nil for all
	filters []connector.Filter
	// dictionaries says that texts may come as dictionaries.
	dictionaries bool
	malformed    *atomic.Int64
	// skipped has, by the values of partition folders, whether a filter leaves out all files below them.
	skipped map[string]bool
	mu      sync.Mutex
	idle    map[string][]lineDecoder // by the partition columns, which are not in the file
	bufs    [][]byte
}

func (r *reader) open(p connector.Projection) *reading {
	return &reading{reader: r, need: p.Columns, dictionaries: p.Dictionaries, malformed: p.Malformed, filters: p.Filters, skipped: map[string]bool{}, idle: map[string][]lineDecoder{}}
}

// skips tells whether a filter that looks at partition columns alone leaves out the files of a folder. It is called by one goroutine.
func (r *reading) skips(values []partitionValue) bool {
	if len(r.filters) == 0 || len(values) == 0 {
		return false
	}
	var key strings.Builder
	for _, v := range values {
		fmt.Fprintf(&key, "%q=%q,%t;", v.column, v.value, v.null)
	}
	out, ok := r.skipped[key.String()]
	if !ok {
		out = r.leavesOut(values)
		r.skipped[key.String()] = out
	}
	return out
}

func (r *reading) leavesOut(values []partitionValue) bool {
	at := map[int]partitionValue{}
	for _, v := range values {
		if i := fieldOf(r.fields, v.column); i >= 0 {
			at[i] = v
		}
	}
filters:
	for _, f := range r.filters {
		fields, cols := make([]datatype.Field, len(f.Columns)), make([]arrow.Array, len(f.Columns))
		for k, i := range f.Columns {
			v, ok := at[i]
			if !ok {
				continue filters
			}
			c, err := r.constant(r.fields[i], v, 1)
			if err != nil {
				return false // the read of the file says what is wrong
			}
			fields[k], cols[k] = r.fields[i], c
		}
		schema, err := arrowtype.Schema(fields)
		if err != nil {
			return false
		}
		rec := array.NewRecordBatch(schema, cols, 1)
		keep, err := f.True(rec)
		rec.Release()
		for _, c := range cols {
			c.Release()
		}
		if err == nil && !keep[0] {
			return true
		}
	}
	return false
}

// layout says which fields come from the file and which from its folders.
type layout struct {
	key string
	// data are the fields in the file, and need those of them that are read, by their ordinal in data; nil for all.
	data []datatype.Field
	need []int
	// from has for each field of the schema its ordinal in data, or -1 for one of a folder.
	from []int
	// values are the folders' values by field.
	values map[int]partitionValue
}

func (r *reading) layout(values []partitionValue) layout {
	l := layout{from: make([]int, len(r.fields))}
	for _, v := range values {
		if i := fieldOf(r.fields, v.column); i >= 0 {
			if l.values == nil {
				l.values = map[int]partitionValue{}
			}
			l.values[i] = v
		}
	}
	if r.need != nil {
		l.need = []int{}
	}
	wanted := map[int]bool{}
	for _, i := range r.need {
		wanted[i] = true
	}
	for i, f := range r.fields {
		if _, ok := l.values[i]; ok {
			l.from[i] = -1
			l.key += strconv.Itoa(i) + ","
			continue
		}
		l.from[i] = len(l.data)
		if wanted[i] {
			l.need = append(l.need, len(l.data))
		}
		l.data = append(l.data, f)
	}
	return l
}

// complete puts the columns of the folders beside those of the file.
func (r *reading) complete(l layout, rec arrow.RecordBatch) (arrow.RecordBatch, error) {
	if l.values == nil {
		return rec, nil
	}
	defer rec.Release()
	schema, err := arrowtype.Schema(r.fields)
	if err != nil {
		return nil, err
	}
	n := int(rec.NumRows())
	cols := make([]arrow.Array, len(r.fields))
	for i, f := range r.fields {
		if k := l.from[i]; k >= 0 {
			cols[i] = rec.Column(k)
			continue
		}
		c, err := r.constant(f, l.values[i], n)
		if err != nil {
			return nil, err
		}
		cols[i] = c
		defer c.Release()
	}
	fields := schema.Fields()
	for i, c := range cols {
		fields[i].Type = c.DataType() // a column of the file may be a dictionary
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), cols, int64(n)), nil
}

// constant makes a column of one partition value, cast as Spark casts the folder's text.
func (r *reading) constant(f datatype.Field, v partitionValue, n int) (arrow.Array, error) {
	c, err := column.New(f.Type)
	if err != nil {
		return nil, err
	}
	if v.null {
		c.AppendNulls(n)
		return c.Finish()
	}
	bad := func() error {
		e := condition.Newf(condition.InvalidPartitionValue, "The folder %s=%s is no value of type %s for the partition column %s.", v.column, v.value, f.Type, datatype.QuoteName(f.Name))
		e.Hint = "Give the column a type that all its folders fit, such as STRING."
		return e
	}
	repeat := func(add func()) (arrow.Array, error) {
		for range n {
			add()
		}
		return c.Finish()
	}
	text := []byte(v.value)
	switch x := f.Type.(type) {
	case datatype.Decimal:
		d, ok := number.Decimal(text, x.Precision, x.Scale)
		if !ok {
			return nil, bad()
		}
		return repeat(func() { c.AppendDecimal(d) })
	case datatype.Char, datatype.Varchar:
		return repeat(func() { c.AppendBytes(text) })
	}
	switch f.Type.Kind() {
	case datatype.KindString, datatype.KindBinary:
		return repeat(func() { c.AppendBytes(text) })
	case datatype.KindByte, datatype.KindShort, datatype.KindInt, datatype.KindLong:
		bits := map[datatype.Kind]int{datatype.KindByte: 8, datatype.KindShort: 16, datatype.KindInt: 32, datatype.KindLong: 64}[f.Type.Kind()]
		d, err := strconv.ParseInt(v.value, 10, bits)
		if err != nil {
			return nil, bad()
		}
		return repeat(func() { c.AppendInt(d) })
	case datatype.KindFloat, datatype.KindDouble:
		d, err := strconv.ParseFloat(strings.TrimSpace(v.value), 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return nil, bad()
		}
		if f.Type.Kind() == datatype.KindFloat {
			return repeat(func() { c.AppendFloat(float32(d)) })
		}
		return repeat(func() { c.AppendDouble(d) })
	case datatype.KindBoolean:
		// Spark takes these two words alone here, unlike its cast.
		switch strings.ToLower(v.value) {
		case "true":
			return repeat(func() { c.AppendBool(true) })
		case "false":
			return repeat(func() { c.AppendBool(false) })
		}
		return nil, bad()
	case datatype.KindDate:
		d, ok := timetext.ParseDate(text)
		if !ok {
			return nil, bad()
		}
		return repeat(func() { c.AppendInt(int64(d)) })
	case datatype.KindTimestamp:
		d, ok := timetext.ParseTimestamp(text, timetext.NewZone(r.env.Zone), nil)
		if !ok {
			return nil, bad()
		}
		return repeat(func() { c.AppendInt(d) })
	case datatype.KindTimestampNTZ:
		d, ok := timetext.ParseTimestampNTZ(text, true)
		if !ok {
			return nil, bad()
		}
		return repeat(func() { c.AppendInt(d) })
	}
	return nil, condition.Newf(condition.Unsupported, "A partition column of type %s is not supported.", f.Type)
}

// handle is an open file that several units share; the last one closes it.
type handle struct {
	vfs.File
	users atomic.Int32
}

func newHandle(f vfs.File) *handle {
	h := &handle{File: f}
	h.users.Store(1)
	return h
}

func (h *handle) retain() { h.users.Add(1) }

func (h *handle) release() {
	if h.users.Add(-1) == 0 {
		_ = h.File.Close() // it was opened for reading: nothing can be lost
	}
}

// units cuts a file into pieces. It takes over the caller's use of the handle.
func (r *reading) units(ctx context.Context, h *handle, f entry, values []partitionValue, emit func(unit) bool) error {
	defer h.release()
	info, err := h.Stat()
	if err != nil {
		return err
	}
	// The log of a stream keeps no sizes. An empty file has no rows in any format, as in Spark, which plans no task for it.
	if f.size = info.Size(); f.size == 0 {
		return nil
	}
	l := r.layout(values)
	switch {
	case r.format == "parquet":
		return r.parquetUnits(h, f.size, l, emit)
	case r.format == formatAvro:
		return r.avroUnits(ctx, h, f.size, l, emit)
	case r.format == formatBinary:
		return r.one(h, l, func(file io.Reader) (arrow.RecordBatch, error) { return binaryFile(l, f, file) }, emit)
	case r.format == formatText && r.whole:
		return r.one(h, l, func(file io.Reader) (arrow.RecordBatch, error) {
			in, done, err := decompressed(f.path, file)
			if err != nil {
				return nil, err
			}
			defer done()
			content, err := readFull(in, f.size)
			if err != nil {
				return nil, err
			}
			return textline.Whole(l.data, content)
		}, emit)
	case r.multi && r.format == "csv":
		return r.recordUnits(ctx, h, f.path, l, emit)
	case r.multi:
		return r.one(h, l, func(file io.Reader) (arrow.RecordBatch, error) { return r.jsonFile(f, file, l) }, emit)
	}
	return r.textUnits(ctx, h, f.path, l, emit)
}

// recordUnits reads a file of CSV whose records may go over several lines.
func (r *reading) recordUnits(ctx context.Context, h *handle, path string, l layout, emit func(unit) bool) error {
	in, done, err := decompressed(path, h.File)
	if err != nil {
		return err
	}
	defer done()
	size := func() int { return int(min(max(r.rowBytes.Load()*int64(r.env.BatchRows), minPiece), maxPiece)) }
	o := r.csv
	o.Malformed = r.malformed
	return r.records(ctx, in, o, size, func(piece []byte, o csv.Options, first bool) (bool, error) {
		return emit(unit{run: func() ([]arrow.RecordBatch, error) {
			d, err := csv.NewDecoder(l.data, o, l.need)
			if err != nil {
				return nil, err
			}
			if err := d.Records(piece, first); err != nil || d.Rows() == 0 {
				return nil, err
			}
			r.rowBytes.Store(max(1, int64(len(piece)/d.Rows())))
			rec, err := d.Batch()
			if err != nil {
				return nil, err
			}
			if rec, err = r.complete(l, rec); err != nil {
				return nil, err
			}
			return []arrow.RecordBatch{rec}, nil
		}}), nil
	})
}

// jsonFile reads a file of JSON that is one record, as a whole: a value of a record may stand anywhere in it.
func (r *reading) jsonFile(f entry, file io.Reader, l layout) (arrow.RecordBatch, error) {
	in, done, err := decompressed(f.path, file)
	if err != nil {
		return nil, err
	}
	defer done()
	content, err := readFull(in, f.size)
	if err != nil {
		return nil, err
	}
	text, chars := r.jsonText(content)
	o := r.json
	o.Malformed, o.Encoded, o.Wide = r.malformed, chars, chars && !r.named
	d, err := json.NewDecoder(l.data, o, l.need)
	if err != nil {
		return nil, err
	}
	if err := d.Text(content, text); err != nil || d.Rows() == 0 {
		return nil, err
	}
	return d.Batch()
}

// one emits a unit that makes at most one row of a whole file.
func (r *reading) one(h *handle, l layout, read func(io.Reader) (arrow.RecordBatch, error), emit func(unit) bool) error {
	h.retain()
	emit(unit{drop: h.release, run: func() ([]arrow.RecordBatch, error) {
		defer h.release()
		rec, err := read(h.File)
		if rec == nil || err != nil {
			return nil, err
		}
		if rec, err = r.complete(l, rec); err != nil {
			return nil, err
		}
		return []arrow.RecordBatch{rec}, nil
	}})
	return nil
}

// readFull reads what is left of a stream, of which size bytes are expected.
func readFull(in io.Reader, size int64) ([]byte, error) {
	var out bytes.Buffer
	out.Grow(int(min(max(size, 0), 1<<20)) + bytes.MinRead)
	n, err := io.Copy(&out, io.LimitReader(in, math.MaxInt32+1))
	if err == nil && n > math.MaxInt32 {
		err = fmt.Errorf("the file has more than %d bytes, which no value holds", math.MaxInt32)
	}
	return out.Bytes(), err
}

// binaryFile makes the row of a file: path, modificationTime, length and content. Source: Spark's BinaryFileFormat.
func binaryFile(l layout, f entry, file io.Reader) (arrow.RecordBatch, error) {
	schema, err := arrowtype.Schema(l.data)
	if err != nil {
		return nil, err
	}
	cols := make([]*column.Column, len(l.data))
	for i, x := range l.data {
		if cols[i], err = column.New(x.Type); err != nil {
			return nil, err
		}
		if l.need != nil && !slices.Contains(l.need, i) {
			cols[i].AppendNull()
			continue
		}
		switch x.Name {
		case "path":
			cols[i].AppendString("file:" + f.path)
		case "modificationTime":
			cols[i].AppendInt(f.modified * 1000)
		case "length":
			cols[i].AppendInt(f.size)
		case "content":
			content, err := readFull(file, f.size)
			if err != nil {
				return nil, err
			}
			cols[i].AppendBytes(content)
		default:
			cols[i].AppendNull() // a partition column that this file's folders do not name
		}
	}
	return column.Record(schema, cols)
}

// The bounds of a unit of Avro blocks.
const (
	maxBlocks     = 64
	maxBlockBytes = 8 << 20
)

func (r *reading) avroUnits(ctx context.Context, h *handle, fileSize int64, l layout, emit func(unit) bool) error {
	f, err := avro.Open(h.File, fileSize, l.data, l.need)
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		var blocks []avro.Block
		var failed error
		rows, size := int64(0), 0
		for len(blocks) < maxBlocks && rows < int64(r.env.BatchRows) && size < maxBlockBytes {
			b, err := f.Next()
			if err != nil {
				failed = err
				break
			}
			blocks = append(blocks, b)
			rows += b.Rows
			size += b.Size()
		}
		if len(blocks) > 0 && !emit(unit{run: func() ([]arrow.RecordBatch, error) { return r.avroRows(f, blocks, l) }}) {
			return nil
		}
		if errors.Is(failed, io.EOF) && !errors.Is(failed, io.ErrUnexpectedEOF) {
			return nil
		} else if failed != nil {
			return failed
		}
	}
	return ctx.Err()
}

func (r *reading) avroRows(f *avro.File, blocks []avro.Block, l layout) ([]arrow.RecordBatch, error) {
	var out []arrow.RecordBatch
	d, err := f.NewDecoder()
	if err != nil {
		return nil, err
	}
	for k, b := range blocks {
		if err := d.Decode(b); err != nil {
			return out, err
		}
		if d.Rows() == 0 || d.Rows() < r.env.BatchRows && k < len(blocks)-1 {
			continue
		}
		rec, err := d.Batch()
		if err != nil {
			return out, err
		}
		if rec, err = r.complete(l, rec); err != nil {
			return out, err
		}
		out = append(out, rec)
	}
	return out, nil
}

func (r *reading) parquetUnits(h *handle, size int64, l layout, emit func(unit) bool) error {
	f, err := parquet.Open(h.File, size, l.data, l.need)
	if err != nil {
		return err
	}
	f.Dictionaries = r.dictionaries
	filters := r.dataFilters(l)
	for g := range f.RowGroups() {
		if f.Excludes(g, filters) {
			continue
		}
		h.retain()
		u := unit{drop: h.release, run: func() ([]arrow.RecordBatch, error) {
			defer h.release()
			recs, err := f.Read(g, r.env.BatchRows)
			if err != nil {
				return nil, err
			}
			for i, rec := range recs {
				if recs[i], err = r.complete(l, rec); err != nil {
					for _, x := range recs[i+1:] {
						x.Release()
					}
					return recs[:i], err
				}
			}
			return recs, nil
		}}
		if !emit(u) {
			return nil
		}
	}
	return nil
}

// dataFilters gives the filters that look at columns in the file, by the ordinals of those.
func (r *reading) dataFilters(l layout) []connector.Filter {
	var out []connector.Filter
	for _, f := range r.filters {
		if len(f.Columns) == 1 && l.from[f.Columns[0]] >= 0 {
			f.Columns = []int{l.from[f.Columns[0]]}
			out = append(out, f)
		}
	}
	return out
}

// decompressed wraps a file by the ending of its name, as Hadoop's codecs do.
func decompressed(path string, f io.Reader) (io.Reader, func(), error) {
	switch {
	case strings.HasSuffix(path, ".gz"):
		z, err := gzip.NewReader(f)
		if err != nil {
			return nil, nil, err
		}
		return z, func() { _ = z.Close() }, nil
	case strings.HasSuffix(path, ".bz2"):
		return bzip2.NewReader(f), func() {}, nil
	case strings.HasSuffix(path, ".deflate"):
		z, err := zlib.NewReader(f)
		if err != nil {
			return nil, nil, err
		}
		return z, func() { _ = z.Close() }, nil
	case strings.HasSuffix(path, ".zst"), strings.HasSuffix(path, ".zstd"):
		z, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, nil, err
		}
		return z, z.Close, nil
	case strings.HasSuffix(path, ".lz4"):
		return hadoop.NewReader(f, hadoop.LZ4), func() {}, nil
	case strings.HasSuffix(path, ".snappy"):
		return hadoop.NewReader(f, hadoop.Snappy), func() {}, nil
	}
	return f, func() {}, nil
}

// The bounds of a piece of text, in bytes.
const (
	minPiece = 64 << 10
	maxPiece = 16 << 20
)

// maxLine is the longest line that is read; Spark's own limit is the 2 GiB of a Java array.
const maxLine = 1 << 30

func (r *reading) textUnits(ctx context.Context, h *handle, path string, l layout, emit func(unit) bool) error {
	in, done, err := decompressed(path, h.File)
	if err != nil {
		return err
	}
	defer done()
	first := true
	var rest []byte
	sep := []byte("\n")
	if len(r.sep) > 0 {
		sep = r.sep
	}
	for ctx.Err() == nil {
		size := int(min(max(r.rowBytes.Load()*int64(r.env.BatchRows), minPiece), maxPiece))
		buf := append(r.buffer(size+len(rest)), rest...)
		// Read until the piece has its size and holds a line end.
		n, last := len(buf), 0
		end := false
		for !end && (n < size || last == 0) {
			if n == cap(buf) {
				if n >= maxLine {
					return fmt.Errorf("a line is longer than %d bytes", maxLine)
				}
				bigger := make([]byte, n, 2*n)
				copy(bigger, buf[:n])
				buf = bigger
			}
			k, err := in.Read(buf[n:cap(buf)])
			// A separator of several bytes may have begun in what was read before.
			if from := max(n-len(sep)+1, 0); k > 0 {
				if i := bytes.LastIndex(buf[from:n+k:cap(buf)], sep); i >= 0 {
					last = max(last, from+i+len(sep))
				}
			}
			n += k
			buf = buf[:n]
			if errors.Is(err, io.EOF) {
				end = true
			} else if err != nil {
				return err
			}
		}
		if last == 0 || len(sep) > 1 {
			last = lastEnd(buf, sep)
		}
		if end {
			last = n
		}
		rest = append([]byte(nil), buf[last:]...)
		piece := buf[:last]
		header := first
		first = false
		if len(piece) > 0 && !emit(unit{run: func() ([]arrow.RecordBatch, error) { return r.decode(piece, header, l) }}) {
			return nil
		}
		if end {
			return nil
		}
	}
	return nil
}

// lastEnd is the place behind the last separator, found from the beginning: one such as || may overlap itself.
func lastEnd(data, sep []byte) int {
	if len(sep) == 1 {
		return bytes.LastIndexByte(data, sep[0]) + 1
	}
	last := 0
	for {
		i := bytes.Index(data[last:], sep)
		if i < 0 {
			return last
		}
		last += i + len(sep)
	}
}

func (r *reading) buffer(size int) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, b := range r.bufs {
		if cap(b) >= size {
			r.bufs = append(r.bufs[:i], r.bufs[i+1:]...)
			return b[:0]
		}
	}
	return make([]byte, 0, size)
}

// decoder takes an idle decoder or makes one.
func (r *reading) decoder(l layout) (lineDecoder, error) {
	r.mu.Lock()
	if free := r.idle[l.key]; len(free) > 0 {
		d := free[len(free)-1]
		r.idle[l.key] = free[:len(free)-1]
		r.mu.Unlock()
		return d, nil
	}
	r.mu.Unlock()
	switch r.format {
	case "csv":
		o := r.csv
		o.Malformed = r.malformed
		return csv.NewDecoder(l.data, o, l.need)
	case formatText:
		return textline.NewDecoder(l.data, string(r.sep), l.need)
	}
	o := r.json
	o.Malformed = r.malformed
	return json.NewDecoder(l.data, o, l.need)
}

func (r *reading) decode(piece []byte, header bool, l layout) ([]arrow.RecordBatch, error) {
	d, err := r.decoder(l)
	if err != nil {
		return nil, err
	}
	data := piece
	if header {
		data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	}
	byLine := r.format != formatText && !r.plain()
	if header && !byLine {
		if c, ok := d.(*csv.Decoder); ok {
			data, err = c.SkipHeader(data)
			if err != nil {
				return nil, err
			}
		}
	}
	// Every row is decoded before a batch is made, so a decoder with an error is thrown away with its rows.
	read := d.Lines
	if byLine {
		read = func(data []byte) error { return r.decodeLines(d, data, header) }
	}
	if err := read(data); err != nil {
		return nil, err
	}
	rows := d.Rows()
	var out []arrow.RecordBatch
	if rows > 0 {
		r.rowBytes.Store(max(1, int64(len(piece)/rows)))
		rec, err := d.Batch()
		if err != nil {
			return nil, err
		}
		if rec, err = r.complete(l, rec); err != nil {
			return nil, err
		}
		out = append(out, rec)
	}
	r.mu.Lock()
	r.idle[l.key] = append(r.idle[l.key], d)
	if len(r.bufs) < 2*r.env.Parallelism+2 {
		r.bufs = append(r.bufs, piece[:0])
	}
	r.mu.Unlock()
	return out, nil
}

// decodeLines reads lines that end as an option says or are in another character set.
func (r *reading) decodeLines(d lineDecoder, data []byte, header bool) error {
	return r.lines(data, func(line []byte) error {
		switch d := d.(type) {
		case *csv.Decoder:
			text := r.csvLine(line)
			if header {
				was, err := d.Header(text)
				if header = !was; was || err != nil {
					return err
				}
			}
			return d.Line(text)
		case *json.Decoder:
			return d.Text(line, r.jsonLine(line))
		}
		return nil
	})
}
