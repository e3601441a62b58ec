// Package parquet reads and writes Parquet as Spark does: columns by name, wider types where Spark widens, nulls for columns that
// a file does not have, and files that Spark reads back with the same types.
package parquet

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	pq "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/spoonbill-go/spoonbill/backend/arrowtype"
	"github.com/spoonbill-go/spoonbill/backend/local/format/column"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// File is an open Parquet file under a schema. Its row groups can be read by several goroutines at once.
type File struct {
	// Dictionaries lets columns of texts and binaries come as dictionaries with indices of 32 bits, where the file has them so.
	Dictionaries bool

	r      io.ReaderAt
	size   int64
	meta   *file.Reader
	schema *arrow.Schema
	fields []datatype.Field
	// at has for each field the top-level column of the file, -1 for none or one that is not needed.
	at []int
	// int96 are those columns of at whose time stamps are stored in the 96-bit form.
	int96 map[int]bool
	// leaves are the leaf columns that Arrow's reader reads.
	leaves []int
	// types are those that Arrow's reader gives the top-level columns.
	types []arrow.DataType
	// flat are the leaves that are decoded here where a row group's encodings allow it, by top-level column. They are none of leaves.
	flat map[int]flatLeaf
}

// flatLeaf is a leaf and how it is decoded.
type flatLeaf struct {
	leaf     int
	kind     flatKind
	optional bool
}

// ErrForeign is wrapped by the error for a file that does not begin as Parquet files do.
var ErrForeign = errors.New("it is no Parquet file")

// footer reads the footer of a file.
func footer(r io.ReaderAt, size int64) (*file.Reader, error) {
	f, err := file.NewParquetReader(io.NewSectionReader(r, 0, size))
	if err == nil {
		return f, nil
	}
	head := make([]byte, min(size, 12))
	if n, _ := r.ReadAt(head, 0); n > 0 && !bytes.HasPrefix(head, []byte("PAR1")) && !bytes.HasPrefix(head, []byte("PARE")) {
		return nil, fmt.Errorf("%w: it begins with %q, not with PAR1", ErrForeign, head)
	}
	return nil, err
}

// Open reads the footer of a file. need are the ordinals of the fields that the query reads, nil for all; the others are null.
func Open(r io.ReaderAt, size int64, fields []datatype.Field, need []int) (f *File, err error) {
	// The reader's library panics on some broken files.
	defer recovered(&err)
	schema, err := arrowtype.Schema(fields)
	if err != nil {
		return nil, err
	}
	meta, err := footer(r, size)
	if err != nil {
		return nil, err
	}
	f = &File{r: r, size: size, meta: meta, schema: schema, fields: fields, at: make([]int, len(fields)), int96: map[int]bool{}}
	wanted := make([]bool, len(fields))
	for i := range wanted {
		wanted[i] = need == nil
	}
	for _, i := range need {
		if i >= 0 && i < len(wanted) {
			wanted[i] = true
		}
	}
	root := meta.MetaData().Schema.Root()
	named := map[string][]int{} // the file's columns by their folded names
	for k := range root.NumFields() {
		name := datatype.FoldName(root.Field(k).Name())
		named[name] = append(named[name], k)
	}
	for i, field := range fields {
		f.at[i] = -1
		if !wanted[i] {
			continue
		}
		switch found := named[datatype.FoldName(field.Name)]; len(found) {
		case 0:
		case 1:
			f.at[i] = found[0]
		default:
			// Spark's default is not to look at letter case, so it refuses too.
			return nil, condition.Newf(condition.AmbiguousReference, "The file has %d columns named %s but for letter case.", len(found), datatype.QuoteName(field.Name))
		}
	}
	used := map[int]bool{}
	for _, k := range f.at {
		if k >= 0 {
			used[k] = true
		}
	}
	sc := meta.MetaData().Schema
	types, err := arrowTypes(meta)
	if err != nil {
		return nil, err
	}
	f.types = types
	// asked has the one type that a top-level column is read as; a column under two fields goes through Arrow's reader.
	asked, twice := map[int]arrow.DataType{}, map[int]bool{}
	for i, k := range f.at {
		if _, ok := asked[k]; ok {
			twice[k] = true
		}
		asked[k] = schema.Field(i).Type
	}
	f.flat = map[int]flatLeaf{}
	for leaf := range sc.NumColumns() {
		top := root.FieldIndexByField(sc.ColumnRoot(leaf))
		if !used[top] {
			continue
		}
		// A column of 96-bit time stamps is read here, for Arrow's reader makes nanoseconds of it, which end in the year 2262.
		if c := sc.Column(leaf); c.PhysicalType() == pq.Types.Int96 && c.MaxRepetitionLevel() == 0 && root.Field(top) == c.SchemaNode() {
			f.int96[top] = true
			continue
		}
		if !twice[top] && top < len(types) {
			if kind := flatKindOf(meta, leaf, types[top], asked[top]); kind != notFlat {
				f.flat[top] = flatLeaf{leaf, kind, sc.Column(leaf).MaxDefinitionLevel() > 0}
				continue
			}
		}
		f.leaves = append(f.leaves, leaf)
	}
	return f, nil
}

func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the file is damaged: %v", p)
	}
}

// RowGroups is the number of row groups.
func (f *File) RowGroups() int { return f.meta.NumRowGroups() }

// Read gives the rows of one row group in batches of about rows. The caller releases them.
func (f *File) Read(group, rows int) (out []arrow.RecordBatch, err error) {
	defer func() {
		if err != nil {
			for _, b := range out {
				b.Release()
			}
			out = nil
		}
	}()
	defer recovered(&err)
	total, pages, err := f.bounds(group)
	if err != nil {
		return nil, err
	}
	rows = max(rows, 1)
	open := func(p *pq.ReaderProperties) (*file.Reader, error) {
		p.MaxCompressedPageSize, p.MaxUncompressedPageSize = pages.packed, pages.whole
		return file.NewParquetReader(io.NewSectionReader(f.r, 0, f.size), file.WithMetadata(f.meta.MetaData()), file.WithReadProps(p))
	}
	// The pages of Arrow's reader are the collector's: it does not give all of them back.
	r, err := open(pq.NewReaderProperties(memory.NewGoAllocator()))
	if err != nil {
		return nil, err
	}
	lent := r
	if len(f.flat) > 0 {
		if lent, err = open(lentProperties()); err != nil {
			return nil, err
		}
	}
	whole := map[int]arrow.ArrayData{}
	defer func() {
		for _, d := range whole {
			d.Release()
		}
	}()
	leaves := f.leaves
	for top, l := range f.flat {
		if !plainChunk(r, group, l.leaf) {
			leaves = append(leaves[:len(leaves):len(leaves)], l.leaf)
			continue
		}
		c, err := readFlat(lent.RowGroup(group), l.leaf, l.optional, l.kind, total, f.Dictionaries)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", f.meta.MetaData().Schema.Column(l.leaf).Name(), err)
		}
		for i, k := range f.at {
			if k == top {
				whole[top] = c.data(f.schema.Field(i).Type)
			}
		}
	}
	slices.Sort(leaves)
	var next func() (arrow.RecordBatch, error)
	if len(leaves) > 0 {
		// Not Parallel: the library panics on some broken files, and a panic on a goroutine of its own could not be caught.
		props := pqarrow.ArrowReadProperties{BatchSize: int64(rows), PreAllocBinaryData: true}
		fr, err := pqarrow.NewFileReader(r, props, memory.DefaultAllocator)
		if err != nil {
			return nil, err
		}
		rr, err := fr.GetRecordReader(context.Background(), leaves, []int{group})
		if err != nil {
			return nil, err
		}
		defer rr.Release()
		next = rr.Read
	}
	wide := map[int]*int96Column{}
	for top := range f.int96 {
		if wide[top], err = f.openInt96(r, group, top); err != nil {
			return nil, err
		}
	}
	for done := 0; done < total; {
		n := min(rows, total-done)
		var rec arrow.RecordBatch
		if next != nil {
			if rec, err = next(); err != nil {
				if errors.Is(err, io.EOF) {
					err = fmt.Errorf("row group %d ends after %d of %d rows", group, done, total)
				}
				return out, err
			}
			n = int(rec.NumRows())
			if n == 0 {
				return out, fmt.Errorf("row group %d ends after %d of %d rows", group, done, total)
			}
		}
		b, err := f.assemble(rec, done, n, wide, whole)
		if err != nil {
			return out, err
		}
		out = append(out, b)
		done += n
	}
	return out, nil
}

// maxRows bounds the rows of a row group, which is decoded whole: writers end one after a million or some millions.
const maxRows = 1 << 28

// pageSizes bounds what the headers of pages may say of their sizes, in bytes.
type pageSizes struct{ packed, whole int64 }

// expansion is how many bytes a codec can make of one, so that a page is not given more memory than its bytes can fill.
var expansion = map[compress.Compression]int64{
	compress.Codecs.Uncompressed: 1,
	compress.Codecs.Snappy:       22,   // a copy of 64 bytes in 3
	compress.Codecs.Lz4Raw:       256,  // a length grows by 255 with each byte
	compress.Codecs.Gzip:         1032, // a copy of 258 bytes in 2 bits
}

// bounds gives the rows of a row group and the sizes that its pages may have. A chunk that does not lie in the file is an error, for its reader takes the
// memory of the whole chunk at once.
func (f *File) bounds(group int) (rows int, pages pageSizes, err error) {
	rg := f.meta.MetaData().RowGroup(group)
	if n := rg.NumRows(); n < 0 || n > maxRows {
		return 0, pages, fmt.Errorf("row group %d says that it has %d rows; at most %d are read", group, n, maxRows)
	}
	sc := f.meta.MetaData().Schema
	for leaf := range sc.NumColumns() {
		if !slices.Contains(f.at, sc.Root().FieldIndexByField(sc.ColumnRoot(leaf))) {
			continue
		}
		c, err := rg.ColumnChunk(leaf)
		if err != nil {
			return 0, pages, err
		}
		from, size := c.DataPageOffset(), c.TotalCompressedSize()
		if d := c.DictionaryPageOffset(); c.HasDictionaryPage() && d > 0 {
			from = min(from, d)
		}
		if from < 0 || size < 0 || from > f.size || size > f.size-from {
			return 0, pages, fmt.Errorf("column %s of row group %d lies at %d with %d bytes, in a file of %d", sc.Column(leaf).Name(), group, from, size, f.size)
		}
		times, ok := expansion[c.Compression()]
		if !ok {
			times = math.MaxInt32 // zstd and brotli repeat a byte as often as they like
		}
		pages.packed = max(pages.packed, size)
		if size > 0 {
			pages.whole = max(pages.whole, min(math.MaxInt32, math.MaxInt32/size+1, times)*size)
		}
	}
	pages.packed, pages.whole = max(pages.packed, 1), min(max(pages.whole, 1), math.MaxInt32)
	return int(rg.NumRows()), pages, nil
}

// lentProperties makes a reader read chunks piece by piece, and take the memory of pages from the pool.
func lentProperties() *pq.ReaderProperties {
	p := pq.NewReaderProperties(&buffers)
	p.BufferedStreamEnabled, p.BufferSize = true, 64<<10
	return p
}

// assemble puts n rows into the schema: those of rec, which may be nil and belongs to its reader, and rows from first of the columns that are there whole.
func (f *File) assemble(rec arrow.RecordBatch, first, n int, wide map[int]*int96Column, whole map[int]arrow.ArrayData) (arrow.RecordBatch, error) {
	root := f.meta.MetaData().Schema.Root()
	cols := make([]arrow.Array, len(f.fields))
	defer func() {
		for _, c := range cols {
			if c != nil {
				c.Release()
			}
		}
	}()
	read := map[int]arrow.Array{}
	for i := range f.fields {
		to := f.schema.Field(i).Type
		top := f.at[i]
		if top < 0 {
			cols[i] = unread(to, n)
			continue
		}
		if d, ok := whole[top]; ok {
			part := array.NewSliceData(d, int64(first), int64(first+n))
			cols[i] = array.MakeFromData(part)
			part.Release()
			continue
		}
		if w, ok := wide[top]; ok {
			if _, ok := read[top]; !ok {
				a, err := w.read(n)
				if err != nil {
					return nil, err
				}
				read[top] = a
				defer a.Release()
			}
		} else {
			at := rec.Schema().FieldIndices(root.Field(top).Name())
			if len(at) != 1 {
				return nil, fmt.Errorf("the column %s is not in the batch", root.Field(top).Name())
			}
			read[top] = rec.Column(at[0])
		}
		d, err := convert(read[top].Data(), to)
		if err != nil {
			e := condition.Newf(condition.ParquetTypeMismatch, "The column %s is %s in the file and %s in the schema.", datatype.QuoteName(f.fields[i].Name), read[top].DataType(), f.fields[i].Type)
			e.Hint = "Give the column the type that the file has, and cast it in the query."
			e.Cause = err
			return nil, e
		}
		cols[i] = array.MakeFromData(d)
		d.Release()
	}
	schema := f.schema
	if f.Dictionaries {
		fields := schema.Fields()
		for i, c := range cols {
			fields[i].Type = c.DataType()
		}
		schema = arrow.NewSchema(fields, nil)
	}
	return array.NewRecordBatch(schema, cols, int64(n)), nil
}

// int96Column reads time stamps in the form of old Spark and Impala: nanoseconds of the day, and the Julian day.
type int96Column struct {
	r      *file.Int96ColumnChunkReader
	maxDef int16
	values []pq.Int96
	defs   []int16
}

func (f *File) openInt96(r *file.Reader, group, top int) (*int96Column, error) {
	sc := f.meta.MetaData().Schema
	for leaf := range sc.NumColumns() {
		if sc.Root().FieldIndexByField(sc.ColumnRoot(leaf)) != top {
			continue
		}
		c, err := r.RowGroup(group).Column(leaf)
		if err != nil {
			return nil, err
		}
		t, ok := c.(*file.Int96ColumnChunkReader)
		if !ok {
			break
		}
		return &int96Column{r: t, maxDef: sc.Column(leaf).MaxDefinitionLevel()}, nil
	}
	return nil, fmt.Errorf("column %d has no 96-bit time stamps", top)
}

const (
	julianEpoch  = 2_440_588 // the Julian day of 1970-01-01
	microsPerDay = 86_400_000_000
)

func (c *int96Column) read(n int) (arrow.Array, error) {
	if len(c.values) < n {
		c.values, c.defs = make([]pq.Int96, n), make([]int16, n)
	}
	out, err := column.New(datatype.Timestamp)
	if err != nil {
		return nil, err
	}
	for out.Len() < n {
		levels, read, err := c.r.ReadBatch(int64(n-out.Len()), c.values, c.defs, nil)
		if err != nil {
			return nil, err
		}
		if levels == 0 {
			return nil, fmt.Errorf("a column of time stamps ends after %d of %d rows", out.Len(), n)
		}
		k := 0
		for i := range int(levels) {
			if c.maxDef > 0 && c.defs[i] < c.maxDef {
				out.AppendNull()
				continue
			}
			if k >= read {
				return nil, fmt.Errorf("a column of time stamps has fewer values than it says")
			}
			v := c.values[k]
			k++
			nanos, day := int64(binary.LittleEndian.Uint64(v[:8])), int64(binary.LittleEndian.Uint32(v[8:]))
			out.AppendInt((day-julianEpoch)*microsPerDay + nanos/1000)
		}
	}
	return out.Finish()
}

// Writer writes one Parquet file.
type Writer struct {
	w      *pqarrow.FileWriter
	schema *arrow.Schema
	fields []datatype.Field
}

// codecs are Spark's names of the codecs that this writer has. Brotli is not among them: Spark's own distribution cannot read it.
var codecs = map[string]compress.Compression{
	"none": compress.Codecs.Uncompressed, "uncompressed": compress.Codecs.Uncompressed, "snappy": compress.Codecs.Snappy, "gzip": compress.Codecs.Gzip,
	"zstd": compress.Codecs.Zstd, "lz4_raw": compress.Codecs.Lz4Raw, "lz4raw": compress.Codecs.Lz4Raw,
}

// extensions are what Spark puts before .parquet.
var extensions = map[string]string{
	"none": "", "uncompressed": "", "snappy": ".snappy", "gzip": ".gz", "zstd": ".zstd", "lz4_raw": ".lz4raw", "lz4raw": ".lz4raw",
}

// Extension gives the ending of a file's name under a codec, such as .snappy.parquet. An unknown codec is an error.
func Extension(codec string) (string, error) {
	e, ok := extensions[strings.ToLower(codec)]
	if !ok {
		return "", condition.Newf(condition.InvalidOption, "The option compression: %q is none of none, snappy, gzip, zstd, lz4_raw.", codec)
	}
	return e + ".parquet", nil
}

// maxGroupRows is how many rows a row group takes.
const maxGroupRows = 1 << 20

// NewWriter begins a file of fields, which are written as nullable, as Spark does. codec is Spark's option compression.
func NewWriter(w io.Writer, fields []datatype.Field, codec string) (*Writer, error) {
	c, ok := codecs[strings.ToLower(codec)]
	if !ok {
		_, err := Extension(codec)
		return nil, err
	}
	stored := make([]arrow.Field, len(fields))
	for i, f := range fields {
		t, err := arrowtype.Of(datatype.AsNullable(f.Type))
		if err == nil {
			t, err = storedType(t)
		}
		if err != nil {
			return nil, condition.Newf(condition.UnsupportedDataType, "Parquet does not hold the column %s of type %s: %v.", datatype.QuoteName(f.Name), f.Type, err)
		}
		stored[i] = arrow.Field{Name: f.Name, Type: t, Nullable: true}
	}
	schema := arrow.NewSchema(stored, nil)
	props := pq.NewWriterProperties(pq.WithCompression(c), pq.WithStoreDecimalAsInteger(true), pq.WithMaxRowGroupLength(maxGroupRows),
		pq.WithCreatedBy("spoonbill"), pq.WithRootName("spark_schema"))
	fw, err := pqarrow.NewFileWriter(schema, w, props, pqarrow.NewArrowWriterProperties(pqarrow.WithCoerceTimestamps(arrow.Microsecond)))
	if err != nil {
		return nil, err
	}
	// Spark finds its own types in the first entry, such as intervals, which Parquet has not; the second says that the calendar is
	// the proleptic Gregorian one, so that old dates are not shifted.
	text, err := datatype.JSON(fields)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(fw.AppendKeyValueMetadata("org.apache.spark.sql.parquet.row.metadata", string(text)), fw.AppendKeyValueMetadata("org.apache.spark.version", "4.0.0")); err != nil {
		return nil, err
	}
	return &Writer{w: fw, schema: schema, fields: fields}, nil
}

// storedType is the Arrow type in which Parquet holds one.
func storedType(t arrow.DataType) (arrow.DataType, error) {
	switch x := t.(type) {
	case *arrow.DurationType:
		return arrow.PrimitiveTypes.Int64, nil
	case *arrow.MonthIntervalType:
		return arrow.PrimitiveTypes.Int32, nil
	case *arrow.ListType:
		e, err := storedType(x.Elem())
		if err != nil {
			return nil, err
		}
		return arrow.ListOfField(arrow.Field{Name: "element", Type: e, Nullable: true}), nil
	case *arrow.MapType:
		k, err := storedType(x.KeyType())
		if err != nil {
			return nil, err
		}
		v, err := storedType(x.ItemType())
		if err != nil {
			return nil, err
		}
		return arrow.MapOf(k, v), nil
	case *arrow.StructType:
		if x.NumFields() == 0 {
			return nil, fmt.Errorf("a struct without fields")
		}
		fields := make([]arrow.Field, x.NumFields())
		for i, f := range x.Fields() {
			ft, err := storedType(f.Type)
			if err != nil {
				return nil, err
			}
			fields[i] = arrow.Field{Name: f.Name, Type: ft, Nullable: true}
		}
		return arrow.StructOf(fields...), nil
	}
	if t.ID() == arrow.INTERVAL_MONTH_DAY_NANO {
		return nil, fmt.Errorf("an interval of months, days and microseconds")
	}
	return t, nil
}

// Write appends the rows of a batch, whose columns are those of the writer in order.
func (w *Writer) Write(rec arrow.RecordBatch) (err error) {
	defer recovered(&err)
	cols := make([]arrow.Array, rec.NumCols())
	defer func() {
		for _, c := range cols {
			if c != nil {
				c.Release()
			}
		}
	}()
	for i := range cols {
		d, err := convert(rec.Column(i).Data(), w.schema.Field(i).Type)
		if err != nil {
			return fmt.Errorf("column %s: %w", w.fields[i].Name, err)
		}
		cols[i] = array.MakeFromData(d)
		d.Release()
	}
	out := array.NewRecordBatch(w.schema, cols, rec.NumRows())
	defer out.Release()
	return w.w.WriteBuffered(out)
}

// Close writes the footer. The io.Writer stays open.
func (w *Writer) Close() (err error) {
	defer recovered(&err)
	return w.w.Close()
}
