package file

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/backend/local/fault"
	"github.com/spoonbill-go/spoonbill/backend/local/format/csv"
	"github.com/spoonbill-go/spoonbill/backend/local/format/infer"
	"github.com/spoonbill-go/spoonbill/backend/local/format/json"
	"github.com/spoonbill-go/spoonbill/backend/local/format/parquet"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/internal/timetext"
)

// lineInferrer finds the columns of a text format.
type lineInferrer interface {
	Lines(data []byte) error
	Fields() ([]datatype.Field, error)
}

// findSchema finds the columns of files: of every record of CSV and JSON, of the footer of the first Parquet file that has one.
func findSchema(ctx context.Context, env connector.Env, src *tree.Source) (fields []datatype.Field, err error) {
	defer fault.Catch(&err)
	root, err := localPath(src.Path)
	if err != nil {
		return nil, err
	}
	o := readOptions(src.Options)
	if v, err := strconv.ParseFloat(o.text("samplingRatio", "1"), 64); err != nil || v != 1 {
		o.fail("samplingRatio", "the local engine looks at every record, so only 1 is possible")
	}
	list, err := newLister(env, root, o)
	if err != nil {
		return nil, err
	}
	x, err := newInferrer(env, src, o)
	if err != nil {
		return nil, err
	}
	var form shape
	if x != nil {
		if form, err = newShape(strings.ToLower(src.Format), o, false); err != nil {
			return nil, err
		}
	}
	if err := o.err(); err != nil {
		return nil, err
	}
	files, err := list.list(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(files, func(a, b entry) int { return strings.Compare(a.path, b.path) })
	folders := list.folders(env, files)
	if x == nil {
		if len(files) == 0 {
			return nil, nothingToInfer(src.Format, root)
		}
		if !o.flag("mergeSchema", false) {
			files = files[:1]
		}
		if fields, err = parquetFields(ctx, env, files); err != nil {
			return nil, err
		}
		return withFolders(fields, folders), nil
	}
	// Spark packs the larger files first, and the header is the first line of all.
	slices.SortStableFunc(files, func(a, b entry) int { return int(min(max(b.size-a.size, -1), 1)) })
	for _, f := range files {
		if err := inferFile(ctx, env, f, x, &form); err != nil {
			return nil, err
		}
	}
	if fields, err = x.Fields(); err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, nothingToInfer(src.Format, root)
	}
	return withFolders(fields, folders), nil
}

// withFolders adds the columns of partition folders. One that the files have too keeps its place there and takes the type that the folders give it.
//
// Source: Spark's PartitioningUtils.mergeDataAndPartitionSchema.
func withFolders(fields, folders []datatype.Field) []datatype.Field {
	out := slices.Clone(fields)
	for _, f := range folders {
		if i := fieldOf(out, f.Name); i >= 0 {
			out[i] = f
		} else {
			out = append(out, f)
		}
	}
	return out
}

// folders finds the columns of partition folders and their types.
//
// Source: Spark's PartitioningUtils.inferPartitionColumnValue and findWiderTypeForPartitionColumn.
func (l *lister) folders(env connector.Env, files []entry) []datatype.Field {
	var out []datatype.Field
	for _, f := range files {
		for _, v := range l.partitions(f) {
			t := folderType(env, v)
			if i := fieldOf(out, v.column); i >= 0 {
				out[i].Type = widerFolder(out[i].Type, t)
			} else {
				out = append(out, datatype.Field{Name: v.column, Type: t, Nullable: true})
			}
		}
	}
	return out // a column that is null everywhere is VOID
}

// folderTime and folderDate are Spark's patterns of time stamps and dates in the names of folders.
const (
	folderTime = "yyyy-MM-dd HH:mm:ss[.S]"
	folderDate = "yyyy-MM-dd"
)

func folderType(env connector.Env, v partitionValue) datatype.Type {
	if v.null {
		return datatype.Null
	}
	if n, err := strconv.ParseInt(v.value, 10, 64); err == nil {
		if n == int64(int32(n)) {
			return datatype.Int
		}
		return datatype.Long
	}
	if p, s, ok := infer.Decimal(v.value); ok && s <= 0 && p-s <= datatype.MaxPrecision {
		return datatype.Decimal{Precision: p - s}
	}
	if csv.IsNumber(v.value) {
		return datatype.Double
	}
	zone := timetext.NewZone(env.Zone)
	if p, err := timetext.Compile(folderTime); err == nil {
		if _, ok := p.ParseTimestamp(v.value, zone); ok {
			return datatype.Timestamp
		}
	}
	if p, err := timetext.Compile(folderDate); err == nil {
		if _, ok := p.ParseDate(v.value); ok {
			return datatype.Date
		}
	}
	return datatype.String
}

func widerFolder(a, b datatype.Type) datatype.Type {
	if _, isDecimal := a.(datatype.Decimal); (isDecimal || a.Kind() == datatype.KindLong) && b.Kind() == datatype.KindDouble {
		return datatype.String
	}
	if _, isDecimal := b.(datatype.Decimal); (isDecimal || b.Kind() == datatype.KindLong) && a.Kind() == datatype.KindDouble {
		return datatype.String
	}
	if datatype.IsDatetime(a) && datatype.IsDatetime(b) && a.Kind() != b.Kind() {
		return datatype.Timestamp
	}
	if t, ok := infer.Tightest(a, b); ok {
		return t
	}
	if t, ok := infer.Numbers(a, b); ok {
		return t
	}
	return datatype.String
}

func nothingToInfer(format, root string) error {
	e := condition.Newf(condition.UnableToInferSchema, "Unable to infer schema for %s: there is no file at %s.", format, uri(root))
	e.Hint = "Put a file there, or declare the columns."
	return e
}

// newInferrer makes the inferrer of a text format, nil for Parquet.
func newInferrer(env connector.Env, src *tree.Source, o options) (lineInferrer, error) {
	switch strings.ToLower(src.Format) {
	case "json":
		opts, err := json.ParseOptions(o.Options, env.Zone)
		if err != nil {
			return nil, err
		}
		opts.Now = env.Now
		return json.NewInferrer(o.Options, opts)
	case "csv":
		opts, err := csv.ParseOptions(o.Options, env.Zone)
		if err != nil {
			return nil, err
		}
		opts.Now = env.Now
		return csv.NewInferrer(o.Options, opts)
	}
	return nil, nil
}

// inferFile gives a file to an inferrer in pieces of whole lines.
func inferFile(ctx context.Context, env connector.Env, f entry, x lineInferrer, form *shape) error {
	h, err := env.FS.Open(f.path)
	if err != nil {
		return readFailed(f.path, err)
	}
	defer func() { _ = h.Close() }()
	in, done, err := decompressed(f.path, h)
	if err != nil {
		return readFailed(f.path, err)
	}
	defer done()
	if form.multi {
		return form.inferWhole(ctx, f, in, x)
	}
	first := true
	see := func(piece []byte) error {
		if first {
			piece = bytes.TrimPrefix(piece, []byte("\xef\xbb\xbf"))
			first = false
		}
		if form.plain() {
			return x.Lines(piece)
		}
		return form.inferLines(piece, x)
	}
	sep := []byte("\n")
	if len(form.sep) > 0 {
		sep = form.sep
	}
	buf := make([]byte, 0, 1<<20)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(buf) == cap(buf) {
			if len(buf) >= maxLine {
				return condition.Newf(condition.FailedReadFile, "A line of %s is longer than %d bytes.", uri(f.path), maxLine)
			}
			buf = append(make([]byte, 0, 2*cap(buf)), buf...)
		}
		n, err := in.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if errors.Is(err, io.EOF) {
			return see(buf)
		}
		if err != nil {
			return readFailed(f.path, err)
		}
		if i := lastEnd(buf, sep); i > 0 {
			if err := see(buf[:i]); err != nil {
				return err
			}
			buf = buf[:copy(buf, buf[i:])]
		}
	}
}

// inferLines gives lines that end as an option says, or are in another character set, to an inferrer.
func (s *shape) inferLines(piece []byte, x lineInferrer) error {
	return s.lines(piece, func(line []byte) error {
		switch x := x.(type) {
		case *csv.Inferrer:
			return x.Line(s.csvLine(line))
		case *json.Inferrer:
			return x.Record(s.jsonLine(line), s.named)
		}
		return nil
	})
}

// inferWhole gives a file whose records go over several lines to an inferrer.
func (s *shape) inferWhole(ctx context.Context, f entry, in io.Reader, x lineInferrer) error {
	switch x := x.(type) {
	case *csv.Inferrer:
		return s.records(ctx, in, x.Options(), func() int { return lineEndSearch }, func(piece []byte, o csv.Options, first bool) (bool, error) {
			return true, x.Records(piece, o, first)
		})
	case *json.Inferrer:
		content, err := readFull(in, f.size)
		if err != nil {
			return readFailed(f.path, err)
		}
		return x.Record(s.jsonText(content))
	}
	return nil
}

// parquetFields merges the columns of files.
func parquetFields(ctx context.Context, env connector.Env, files []entry) (fields []datatype.Field, err error) {
	for i, f := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		more, err := parquetSchema(env, f)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			fields = more
		} else if fields, err = infer.Merge(fields, more); err != nil {
			var e *condition.Error
			if errors.As(err, &e) {
				e.Message += " The second is that of the file " + uri(f.path) + "."
			}
			return nil, err
		}
	}
	return fields, uniqueFields(fields)
}

// uniqueFields refuses two columns, or two fields of a struct, of one name but for letter case, as Spark does of what it has merged.
func uniqueFields(fields []datatype.Field) error {
	seen := make(map[string]bool, len(fields))
	for _, f := range fields {
		key := datatype.FoldName(f.Name)
		if seen[key] {
			e := condition.Newf(condition.ColumnAlreadyExists, "The column %s already exists.", datatype.QuoteName(f.Name))
			e.Hint = "Write the files anew with names that differ in more than letter case, or declare the columns."
			return e
		}
		seen[key] = true
		if err := uniqueWithin(f.Type); err != nil {
			return err
		}
	}
	return nil
}

func uniqueWithin(t datatype.Type) error {
	switch x := t.(type) {
	case datatype.Array:
		return uniqueWithin(x.Elem)
	case datatype.Map:
		return cmp.Or(uniqueWithin(x.Key), uniqueWithin(x.Value))
	case datatype.Struct:
		return uniqueFields(x.Fields)
	}
	return nil
}

func parquetSchema(env connector.Env, f entry) ([]datatype.Field, error) {
	h, err := env.FS.Open(f.path)
	if err != nil {
		return nil, readFailed(f.path, err)
	}
	defer func() { _ = h.Close() }()
	fields, err := parquet.Schema(h, f.size)
	if err != nil {
		return nil, readFailed(f.path, err)
	}
	return fields, nil
}
