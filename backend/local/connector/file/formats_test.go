package file

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// readWith reads a source as a batch under a projection.
func readWith(t *testing.T, env connector.Env, format, path string, fields []datatype.Field, p connector.Projection, kv ...string) ([]string, error) {
	t.Helper()
	ctx := context.Background()
	src, err := connector.OpenSource(ctx, env, &tree.Source{Format: format, Path: path, Fields: fields, Options: opts(kv...)})
	if err != nil {
		return nil, err
	}
	defer func() { require.NoError(t, src.Close()) }()
	start, err := src.Initial(ctx)
	require.NoError(t, err)
	end, err := src.Latest(ctx, start, true)
	if err != nil {
		return nil, err
	}
	rows, err := src.Read(ctx, start, end, p)
	require.NoError(t, err)
	var failed error
	out := rowsJSON(t, fields, func(yield func(arrow.RecordBatch, error) bool) {
		for b, err := range rows {
			if err != nil {
				failed = err
				return
			}
			if !yield(b, nil) {
				return
			}
		}
	})
	return out, failed
}

func writeFiles(t *testing.T, env connector.Env, format, path string, fields []datatype.Field, partition []string, rows connector.Batches, kv ...string) {
	t.Helper()
	w, err := connector.OpenSink(context.Background(), env, &tree.Sink{Format: format, Path: path, PartitionBy: partition, Options: opts(kv...)})
	require.NoError(t, err)
	_, err = w.Write(context.Background(), 0, tree.Append, fields, rows)
	require.NoError(t, err)
	require.NoError(t, w.Close())
}

// TestFoldersOfFiltersStayClosed counts the files that are opened: a filter on a folder's column leaves those of other folders alone.
func TestFoldersOfFiltersStayClosed(t *testing.T) {
	for _, format := range []string{"parquet", "avro", "json", "csv", "text"} {
		opened := 0
		fs := errorfs.Wrap(vfs.Default, errorfs.InjectorFunc(func(op errorfs.Op) error {
			if op.Kind == errorfs.OpOpen && strings.Contains(filepath.Base(op.Path), "part-") {
				opened++
			}
			return nil
		}))
		env := connector.Env{FS: fs, Parallelism: 1}
		path := filepath.Join(t.TempDir(), "x")
		fields := fieldsOf(t, "s STRING, k INT")
		var rows []string
		for i := range 20 {
			rows = append(rows, fmt.Sprintf(`{"s":"r%d","k":%d}`, i, i%5))
		}
		writeFiles(t, env, format, path, fields, []string{"k"}, batchesOf(t, fields, rows))
		only := func(k int32) connector.Filter {
			return connector.Filter{Columns: []int{1}, Op: connector.Equal, Values: []any{int64(k)}, True: func(rec arrow.RecordBatch) ([]bool, error) {
				c := rec.Column(0).(*array.Int32)
				return []bool{!c.IsNull(0) && c.Value(0) == k}, nil
			}}
		}
		opened = 0
		got, err := readWith(t, env, format, path, fields, connector.Projection{Filters: []connector.Filter{only(3)}})
		require.NoError(t, err, format)
		require.Len(t, got, 4, format)
		require.Equal(t, 1, opened, format)
		failing := only(3)
		failing.True = func(arrow.RecordBatch) ([]bool, error) { return nil, fmt.Errorf("a division by zero") }
		got, err = readWith(t, env, format, path, fields, connector.Projection{Filters: []connector.Filter{failing}})
		require.NoError(t, err, format)
		require.Len(t, got, 20, "%s: an error leaves nothing out", format)
	}
}

// TestRowGroupsAreSkipped reads with filters on the columns of a Parquet file. Rows that meet the filter are always there.
func TestRowGroupsAreSkipped(t *testing.T) {
	env := connector.Env{Parallelism: 1}
	path := filepath.Join(t.TempDir(), "x")
	fields := fieldsOf(t, "i INT, l BIGINT, d DOUBLE, s STRING, dt DATE, ts TIMESTAMP, n STRING")
	var rows []string
	for i := range 10 {
		d := fmt.Sprint(i)
		if i == 4 {
			d = "NaN"
		}
		rows = append(rows, fmt.Sprintf(`{"i":%d,"l":%d,"d":%s,"s":"s%d","dt":"1970-01-0%d","ts":"1970-01-01T00:00:0%dZ"}`, i+1, i, d, i, i%9+1, i))
	}
	writeFiles(t, env, "parquet", path, fields, nil, batchesOf(t, fields, rows))
	for _, c := range []struct {
		column int
		op     connector.Comparison
		values []any
		want   int // 0 for a group that is skipped
	}{
		{0, connector.Equal, []any{int64(11)}, 0}, {0, connector.Equal, []any{int64(11), int64(5)}, 10}, {0, connector.Less, []any{int64(1)}, 0}, {0, connector.LessOrEqual, []any{int64(1)}, 10},
		{0, connector.Greater, []any{int64(10)}, 0}, {0, connector.GreaterOrEqual, []any{int64(10)}, 10}, {1, connector.Equal, []any{int64(-1)}, 0},
		{2, connector.Less, []any{float64(0)}, 0}, {2, connector.Greater, []any{float64(100)}, 10}, {3, connector.Equal, []any{"t"}, 0}, {3, connector.Equal, []any{"s5"}, 10}, {3, connector.Greater, []any{"s9"}, 0},
		{4, connector.Greater, []any{int64(8)}, 0}, {4, connector.GreaterOrEqual, []any{int64(8)}, 10}, {5, connector.Greater, []any{int64(9_000_000)}, 0}, {5, connector.GreaterOrEqual, []any{int64(9_000_000)}, 10},
		{6, connector.IsNotNull, nil, 0}, {6, connector.IsNull, nil, 10}, {0, connector.IsNull, nil, 0}, {6, connector.Equal, []any{"x"}, 0}, {0, connector.Equal, []any{"wrong type"}, 10}, {0, "", nil, 10},
	} {
		got, err := readWith(t, env, "parquet", path, fields, connector.Projection{Filters: []connector.Filter{{Columns: []int{c.column}, Op: c.op, Values: c.values}}})
		require.NoError(t, err)
		require.Len(t, got, c.want, "column %d %s %v", c.column, c.op, c.values)
	}
}

// TestBrokenFiles has a file of each format that is cut off or is of another format: an error that names it, or nothing with ignoreCorruptFiles.
func TestBrokenFiles(t *testing.T) {
	env := connector.Env{Parallelism: 2}
	fields := fieldsOf(t, "s STRING")
	for _, format := range []string{"parquet", "avro"} {
		path := filepath.Join(t.TempDir(), "x")
		writeFiles(t, env, format, path, fields, nil, batchesOf(t, fields, []string{`{"s":"a"}`, `{"s":"b"}`}))
		files, err := filepath.Glob(path + "/part-*")
		require.NoError(t, err)
		data, err := os.ReadFile(files[0])
		require.NoError(t, err)
		for name, content := range map[string][]byte{"cut off": data[:len(data)-3], "short": data[:1], "other": []byte("s\na\n")} {
			require.NoError(t, os.WriteFile(files[0], content, 0o600))
			_, err := readWith(t, env, format, path, fields, connector.Projection{})
			require.Equal(t, condition.FailedReadFile, condition.Of(err), "%s %s", format, name)
			require.Contains(t, err.Error(), filepath.Base(files[0]))
			got, err := readWith(t, env, format, path, fields, connector.Projection{}, "ignoreCorruptFiles", "true")
			require.NoError(t, err, "%s %s", format, name)
			require.Empty(t, got)
		}
		// An empty file has no rows for Spark, and is no fault.
		require.NoError(t, os.WriteFile(files[0], nil, 0o600))
		got, err := readWith(t, env, format, path, fields, connector.Projection{})
		require.NoError(t, err, format)
		require.Empty(t, got)
	}
}

// A character set that Spark does not take is refused with what there is, and lines of JSON must say where they end.
func TestRefusedCharsets(t *testing.T) {
	for _, c := range []struct{ format, charset, code, hint string }{
		{"csv", "latin1", condition.InvalidParameterCharset, "UTF-8"}, {"json", "windows-1252", condition.InvalidParameterCharset, "UTF-8"},
		{"json", "UTF-16", condition.InvalidOption, "UTF-16LE"}, {"json", "ISO-8859-1", condition.InvalidOption, "LineSeparator"},
	} {
		_, err := connector.OpenSource(context.Background(), connector.Env{}, &tree.Source{Format: c.format, Path: t.TempDir(), Fields: fieldsOf(t, "value STRING"), Options: opts("encoding", c.charset)})
		require.Equal(t, c.code, condition.Of(err), c)
		var e *condition.Error
		require.ErrorAs(t, err, &e, c)
		require.Contains(t, e.Hint, c.hint, c)
	}
}

// TestRefusedFormats has what the local engine does not do, by name.
func TestRefusedFormats(t *testing.T) {
	_, err := connector.OpenSource(context.Background(), connector.Env{}, &tree.Source{Format: "orc", Path: t.TempDir()})
	require.Equal(t, condition.Unsupported, condition.Of(err))
	require.ErrorContains(t, err, "ORC")
	_, err = connector.OpenSink(context.Background(), connector.Env{}, &tree.Sink{Format: "orc", Path: t.TempDir()})
	require.Equal(t, condition.Unsupported, condition.Of(err))
	_, err = connector.OpenSink(context.Background(), connector.Env{}, &tree.Sink{Format: "binaryFile", Path: t.TempDir()})
	require.Equal(t, condition.WriteBinarySource, condition.Of(err))
	for _, c := range [][]string{{"avro", "compression", "xz"}, {"text", "compression", "bzip2"}, {"avro", "avroSchema", "{}"}, {"text", "lineSep", ""}, {"csv", "lineSep", "|||"}} {
		_, err := connector.OpenSink(context.Background(), connector.Env{}, &tree.Sink{Format: c[0], Path: t.TempDir(), Options: opts(c[1:]...)})
		require.Equal(t, condition.InvalidOption, condition.Of(err), c)
		require.ErrorContains(t, err, c[1])
	}
	for _, c := range [][]string{{"avro", "avroSchema", "{}"}, {"avro", "positionalFieldMatching", "true"}, {"text", "lineSep", ""}, {"csv", "lineSep", "|||"}, {"text", "pathGlobFilter", "[a"}, {"text", "basePath", "/elsewhere"}} {
		_, err := connector.OpenSource(context.Background(), connector.Env{}, &tree.Source{Format: c[0], Path: t.TempDir(), Fields: fieldsOf(t, "value STRING"), Options: opts(c[1:]...)})
		require.Equal(t, condition.InvalidOption, condition.Of(err), c)
		require.ErrorContains(t, err, c[1])
	}
}
