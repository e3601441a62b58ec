package file

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	fmtjson "github.com/spoonbill-go/spoonbill/backend/local/format/json"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func opts(kv ...string) tree.Options {
	var o tree.Options
	for i := 0; i < len(kv); i += 2 {
		o = o.With(tree.Option{Key: kv[i], Value: kv[i+1]})
	}
	return o
}

func fieldsOf(t testing.TB, ddl string) []datatype.Field {
	t.Helper()
	f, err := datatype.ParseFields(ddl)
	require.NoError(t, err)
	return f
}

// rowsJSON gives rows as JSON objects, for comparisons.
func rowsJSON(t testing.TB, fields []datatype.Field, batches connector.Batches) []string {
	t.Helper()
	var out []string
	for b, err := range batches {
		require.NoError(t, err)
		w, err := fmtjson.NewEncoder(fmtjson.Options{IgnoreNullFields: true}).Rows(fields, b.Columns())
		require.NoError(t, err)
		for i := range int(b.NumRows()) {
			out = append(out, string(w(nil, i)))
		}
		b.Release()
	}
	return out
}

// batchesOf makes batches of rows given as JSON.
func batchesOf(t testing.TB, fields []datatype.Field, groups ...[]string) connector.Batches {
	t.Helper()
	var recs []arrow.RecordBatch
	for _, g := range groups {
		d, err := fmtjson.NewDecoder(fields, fmtjson.Options{NonNumeric: true}, nil)
		require.NoError(t, err)
		require.NoError(t, d.Lines([]byte(strings.Join(g, "\n"))))
		rec, err := d.Batch()
		require.NoError(t, err)
		recs = append(recs, rec)
	}
	return func(yield func(arrow.RecordBatch, error) bool) {
		for _, r := range recs {
			r.Retain()
			if !yield(r, nil) {
				return
			}
		}
	}
}

func openStream(t testing.TB, env connector.Env, src *tree.Source, log string) connector.Logged {
	t.Helper()
	env.Streaming = true
	s, err := connector.OpenSource(t.Context(), env, src)
	require.NoError(t, err)
	l := s.(connector.Logged)
	if log != "" {
		fs := env.FS
		if fs == nil {
			fs = vfs.Default
		}
		require.NoError(t, l.UseLog(fs, log))
	}
	return l
}

func write(t testing.TB, path, text string, age time.Duration) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	at := time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC).Add(-age)
	require.NoError(t, os.Chtimes(path, at, at))
}

func step(t testing.TB, s connector.Source, fields []datatype.Field, at *connector.Offset) []string {
	t.Helper()
	end, err := s.Latest(t.Context(), *at, false)
	require.NoError(t, err)
	if string(end) == string(*at) {
		return nil
	}
	b, err := s.Read(t.Context(), *at, end, connector.Projection{})
	require.NoError(t, err)
	rows := rowsJSON(t, fields, b)
	*at = end
	return rows
}

func TestStreamTakesNewFilesInOrder(t *testing.T) {
	dir, log := t.TempDir(), t.TempDir()
	fields := fieldsOf(t, "a INT")
	write(t, dir+"/b.json", `{"a":1}`, 3*time.Hour)
	write(t, dir+"/a.json", `{"a":3}`, time.Hour)
	write(t, dir+"/c.json", `{"a":2}`, 2*time.Hour)
	write(t, dir+"/_hidden.json", `{"a":9}`, time.Hour)
	write(t, dir+"/.also.json", `{"a":9}`, time.Hour)
	write(t, dir+"/sub/d.json", `{"a":9}`, time.Hour)
	write(t, dir+"/ancient.json", `{"a":0}`, 30*24*time.Hour)
	src := &tree.Source{Format: "json", Path: "file://" + dir, Fields: fields, Options: opts("maxFilesPerTrigger", "2")}
	s := openStream(t, connector.Env{}, src, log)
	at, err := s.Initial(t.Context())
	require.NoError(t, err)
	require.JSONEq(t, `{"logOffset":-1}`, string(at))
	require.Equal(t, []string{`{"a":0}`, `{"a":1}`}, step(t, s, fields, &at))
	require.Equal(t, "2", s.Metrics()["numFilesOutstanding"])
	require.Equal(t, []string{`{"a":2}`, `{"a":3}`}, step(t, s, fields, &at))
	require.Nil(t, step(t, s, fields, &at))
	require.NoError(t, s.Close())

	// Another process goes on from the log: nothing twice, the same rows for the same range.
	write(t, dir+"/e.json", `{"a":4}`, 0)
	s = openStream(t, connector.Env{}, src, log)
	again, err := s.Read(t.Context(), connector.Offset(`{"logOffset":-1}`), at, connector.Projection{})
	require.NoError(t, err)
	require.Equal(t, []string{`{"a":0}`, `{"a":1}`, `{"a":2}`, `{"a":3}`}, rowsJSON(t, fields, again))
	require.Equal(t, []string{`{"a":4}`}, step(t, s, fields, &at))
	require.JSONEq(t, `{"logOffset":2}`, string(at))

	text, err := os.ReadFile(log + "/0")
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	require.Equal(t, "v1", lines[0])
	require.Len(t, lines, 3)
	var first map[string]any
	require.NoError(t, json.Unmarshal([]byte(lines[1]), &first))
	require.Equal(t, "file://"+dir+"/ancient.json", first["path"])
	require.EqualValues(t, 0, first["batchId"])

	// A file that comes late with an old time of change is behind the age limit of a week.
	write(t, dir+"/late.json", `{"a":8}`, 8*24*time.Hour)
	require.Nil(t, step(t, s, fields, &at))
}

func TestStreamLogIsCompacted(t *testing.T) {
	dir, log := t.TempDir(), t.TempDir()
	fields := fieldsOf(t, "a INT")
	src := &tree.Source{Format: "json", Path: dir, Fields: fields, Options: opts("maxFilesPerTrigger", "1")}
	for i := range 23 {
		write(t, fmt.Sprintf("%s/%02d.json", dir, i), fmt.Sprintf(`{"a":%d}`, i), time.Duration(50-i)*time.Minute)
	}
	s := openStream(t, connector.Env{}, src, log)
	at := connector.Offset(`{"logOffset":-1}`)
	for i := range 23 {
		require.Equal(t, []string{fmt.Sprintf(`{"a":%d}`, i)}, step(t, s, fields, &at))
	}
	names, err := os.ReadDir(log)
	require.NoError(t, err)
	var got []string
	for _, n := range names {
		got = append(got, n.Name())
	}
	require.Equal(t, []string{"19.compact", "20", "21", "22"}, got)
	s = openStream(t, connector.Env{}, src, log)
	require.Nil(t, step(t, s, fields, &at))
	b, err := s.Read(t.Context(), connector.Offset(`{"logOffset":3}`), connector.Offset(`{"logOffset":5}`), connector.Projection{})
	require.NoError(t, err)
	require.Equal(t, []string{`{"a":4}`, `{"a":5}`}, rowsJSON(t, fields, b))

	require.NoError(t, os.Remove(log+"/21"))
	s2, err := connector.OpenSource(t.Context(), connector.Env{Streaming: true}, src)
	require.NoError(t, err)
	require.Equal(t, condition.CheckpointCorrupt, condition.Of(s2.(connector.Logged).UseLog(vfs.Default, log)))
}

// The log forgets the committed files below the age limit when it is written in one piece, and does not forget that it did.
func TestStreamLogForgetsOldFiles(t *testing.T) {
	for _, commits := range []bool{true, false} {
		dir, log := t.TempDir(), t.TempDir()
		fields := fieldsOf(t, "a INT")
		src := &tree.Source{Format: "json", Path: dir, Fields: fields, Options: opts("maxFilesPerTrigger", "1", "maxFileAge", "1h")}
		for i := range 11 {
			write(t, fmt.Sprintf("%s/%02d.json", dir, i), fmt.Sprintf(`{"a":%d}`, i), time.Duration(50-i)*30*time.Minute)
		}
		s := openStream(t, connector.Env{}, src, log)
		at := connector.Offset(`{"logOffset":-1}`)
		for i := range 11 {
			require.Equal(t, []string{fmt.Sprintf(`{"a":%d}`, i)}, step(t, s, fields, &at))
			if commits {
				require.NoError(t, s.Commit(t.Context(), at))
			}
		}
		text, err := os.ReadFile(log + "/9.compact")
		require.NoError(t, err)
		lines := 1 + 10
		if commits {
			lines = 1 + 1 + 4 // the header, what was forgotten, and the files of an hour
		}
		require.Equal(t, lines, strings.Count(string(text), "\n"), "%s", text)
		// A restart reads nothing again.
		s = openStream(t, connector.Env{}, src, log)
		require.Nil(t, step(t, s, fields, &at))
		// With a greater age nobody could tell any more which of the old files were taken.
		src.Options = opts("maxFilesPerTrigger", "1", "maxFileAge", "1d")
		again, err := connector.OpenSource(t.Context(), connector.Env{Streaming: true}, src)
		require.NoError(t, err)
		err = again.(connector.Logged).UseLog(vfs.Default, log)
		if commits {
			require.Equal(t, condition.CheckpointMismatch, condition.Of(err))
			require.Contains(t, err.Error(), "maxFileAge")
		} else {
			require.NoError(t, err)
			require.Nil(t, step(t, again, fields, &at))
		}
		require.NoError(t, again.Close())
	}
}

func TestRelativePath(t *testing.T) {
	dir, log := t.TempDir(), t.TempDir()
	t.Chdir(dir)
	fields := fieldsOf(t, "a INT")
	write(t, dir+"/in/a b%20.json", `{"a":1}`, 0)
	src := &tree.Source{Format: "json", Path: "in", Fields: fields}
	s := openStream(t, connector.Env{}, src, log)
	at := connector.Offset(`{"logOffset":-1}`)
	require.Equal(t, []string{`{"a":1}`}, step(t, s, fields, &at))
	t.Chdir(log)
	s = openStream(t, connector.Env{}, &tree.Source{Format: "json", Path: dir + "/in", Fields: fields}, log)
	require.Nil(t, step(t, s, fields, &at))
	b, err := s.Read(t.Context(), connector.Offset(`{"logOffset":-1}`), at, connector.Projection{})
	require.NoError(t, err)
	require.Equal(t, []string{`{"a":1}`}, rowsJSON(t, fields, b))
}

func TestAvailableNowFixesTheEnd(t *testing.T) {
	dir := t.TempDir()
	fields := fieldsOf(t, "a INT")
	for i := range 3 {
		write(t, fmt.Sprintf("%s/%d.json", dir, i), fmt.Sprintf(`{"a":%d}`, i), time.Duration(9-i)*time.Minute)
	}
	s := openStream(t, connector.Env{}, &tree.Source{Format: "json", Path: dir, Fields: fields, Options: opts("maxFilesPerTrigger", "2")}, "")
	require.NoError(t, s.(connector.AvailableNow).PrepareAvailableNow(t.Context()))
	write(t, dir+"/3.json", `{"a":3}`, 0)
	at := connector.Offset(`{"logOffset":-1}`)
	require.Len(t, step(t, s, fields, &at), 2)
	require.Len(t, step(t, s, fields, &at), 1)
	require.Nil(t, step(t, s, fields, &at))
}

func TestFileThatVanished(t *testing.T) {
	dir := t.TempDir()
	fields := fieldsOf(t, "a INT")
	write(t, dir+"/a.json", `{"a":1}`, 0)
	for _, ignore := range []string{"false", "true"} {
		write(t, dir+"/b.json", `{"a":2}`, time.Hour)
		s := openStream(t, connector.Env{}, &tree.Source{Format: "json", Path: dir, Fields: fields, Options: opts("ignoreMissingFiles", ignore)}, "")
		at := connector.Offset(`{"logOffset":-1}`)
		end, err := s.Latest(t.Context(), at, true)
		require.NoError(t, err)
		require.NoError(t, os.Remove(dir+"/b.json"))
		b, err := s.Read(t.Context(), at, end, connector.Projection{})
		require.NoError(t, err)
		var failed error
		rows := 0
		for rec, err := range b {
			if err != nil {
				failed = err
				break
			}
			rows += int(rec.NumRows())
			rec.Release()
		}
		if ignore == "true" {
			require.NoError(t, failed)
			require.Equal(t, 1, rows)
		} else {
			require.Equal(t, condition.FailedReadMissingFile, condition.Of(failed))
			require.Contains(t, failed.Error(), "b.json")
		}
	}
}

func readAll(t testing.TB, env connector.Env, src *tree.Source, p connector.Projection) ([]string, error) {
	t.Helper()
	s, err := connector.OpenSource(t.Context(), env, src)
	if err != nil {
		return nil, err
	}
	defer func() { require.NoError(t, s.Close()) }()
	start, err := s.Initial(t.Context())
	require.NoError(t, err)
	end, err := s.Latest(t.Context(), start, true)
	if err != nil {
		return nil, err
	}
	b, err := s.Read(t.Context(), start, end, p)
	if err != nil {
		return nil, err
	}
	var rows []string
	for rec, err := range b {
		if err != nil {
			return rows, err
		}
		w, err := fmtjson.NewEncoder(fmtjson.Options{IgnoreNullFields: true}).Rows(src.Fields, rec.Columns())
		require.NoError(t, err)
		for i := range int(rec.NumRows()) {
			rows = append(rows, string(w(nil, i)))
		}
		rec.Release()
	}
	return rows, nil
}

func writeAll(t testing.TB, env connector.Env, s *tree.Sink, fields []datatype.Field, b connector.Batches) (int64, error) {
	t.Helper()
	out, err := connector.OpenSink(t.Context(), env, s)
	if err != nil {
		return 0, err
	}
	defer func() { require.NoError(t, out.Close()) }()
	return out.Write(t.Context(), 0, tree.Append, fields, b)
}

const allTypes = "t TINYINT, s SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, de DECIMAL(5,2), de2 DECIMAL(15,3), de3 DECIMAL(38,10), b BOOLEAN, str STRING, bin BINARY, dt DATE, ts TIMESTAMP, ntz TIMESTAMP_NTZ, dts INTERVAL DAY TO SECOND"

var allRows = []string{
	`{"t":1,"s":-2,"i":3,"l":9223372036854775807,"f":1.5,"d":0.1,"de":1.50,"de2":123456789012.345,"de3":1234567890123456789012345678.0123456789,"b":true,"str":"é\"x","bin":"YWJj","dt":"2024-02-29","ts":"2024-02-29T12:34:56.123Z","ntz":"2024-02-29T12:34:56.123","dts":"INTERVAL '1 02:03:04.5' DAY TO SECOND"}`,
	`{}`,
	`{"t":-128,"s":-32768,"i":-2147483648,"l":-9223372036854775808,"f":-0.0,"d":1.7976931348623157E308,"de":-999.99,"de2":0.000,"de3":-1.0000000000,"b":false,"str":"","bin":"","dt":"0001-01-01","ts":"0001-01-01T00:00:00.000Z","ntz":"9999-12-31T23:59:59.999","dts":"INTERVAL '-1 02:03:04' DAY TO SECOND"}`,
}

const nestedTypes = ", a ARRAY<INT>, m MAP<STRING, ARRAY<DECIMAL(5,2)>>, st STRUCT<x: INT, y: STRUCT<z: TIMESTAMP, w: ARRAY<STRUCT<q: STRING>>>>"

var nestedRows = []string{
	`{"a":[1,null,3],"m":{"k":[1.50,null],"l":null},"st":{"x":1,"y":{"z":"2024-02-29T12:34:56.123Z","w":[{"q":"x"},{},null]}}}`,
	`{"a":[],"m":{},"st":{}}`,
	`{"st":{"y":{"w":[]}}}`,
}

func TestRoundTrip(t *testing.T) {
	for _, c := range []struct {
		format string
		nested bool
		opts   tree.Options
	}{
		{"json", true, nil}, {"json", true, opts("compression", "gzip")}, {"json", true, opts("compression", "zstd")}, {"json", true, opts("compression", "deflate")},
		{"parquet", true, nil}, {"parquet", true, opts("compression", "gzip")}, {"parquet", true, opts("compression", "none")}, {"parquet", true, opts("compression", "zstd")},
		{"parquet", true, opts("compression", "lz4_raw")},
		{"csv", false, opts("nullValue", "N/A", "header", "true")}, {"csv", false, opts("nullValue", "N/A", "compression", "gzip", "sep", "|")},
	} {
		t.Run(c.format+" "+c.opts.String(), func(t *testing.T) {
			ddl, rows := allTypes, append([]string(nil), allRows...)
			if c.nested {
				ddl += nestedTypes
				rows = append(rows, nestedRows...)
			}
			if c.format == "csv" {
				// A binary is written for people, so it does not come back.
				ddl = strings.Replace(ddl, "bin BINARY, ", "", 1)
				rows[0] = strings.Replace(rows[0], `"bin":"YWJj",`, "", 1)
				rows[2] = strings.Replace(rows[2], `"bin":"",`, "", 1)
			}
			fields := fieldsOf(t, ddl)
			dir := t.TempDir() + "/out"
			n, err := writeAll(t, connector.Env{}, &tree.Sink{Format: c.format, Path: dir, Options: c.opts}, fields, batchesOf(t, fields, rows[:2], rows[2:]))
			require.NoError(t, err)
			require.EqualValues(t, len(rows), n)
			got, err := readAll(t, connector.Env{}, &tree.Source{Format: c.format, Path: dir, Fields: fields, Options: c.opts}, connector.Projection{})
			require.NoError(t, err)
			require.Equal(t, rows, got)
			require.FileExists(t, dir+"/_SUCCESS")
			require.NoDirExists(t, dir+"/"+metaDir)

			// Columns that are not read are null, the others are as they were.
			got, err = readAll(t, connector.Env{}, &tree.Source{Format: c.format, Path: dir, Fields: fields, Options: c.opts}, connector.Projection{Columns: []int{2, 9}})
			require.NoError(t, err)
			require.Equal(t, []string{`{"i":3,"b":true}`, `{}`, `{"i":-2147483648,"b":false}`}, got[:3])
			got, err = readAll(t, connector.Env{}, &tree.Source{Format: c.format, Path: dir, Fields: fields, Options: c.opts}, connector.Projection{Columns: []int{}})
			require.NoError(t, err)
			require.Len(t, got, len(rows))
		})
	}
}

func TestPartitions(t *testing.T) {
	fields := fieldsOf(t, "a INT, `k=` STRING, d DATE, ts TIMESTAMP")
	rows := []string{
		`{"a":1,"k=":"x/y:%é","d":"2024-02-29","ts":"2024-02-29T12:34:56.500Z"}`, `{"a":2}`, `{"a":3,"k=":"","d":"2024-02-29"}`,
		`{"a":4,"k=":"x/y:%é","d":"2024-02-29","ts":"2024-02-29T12:34:56.500Z"}`, `{"a":5,"k=":"a b"}`,
	}
	for _, format := range []string{"json", "csv", "parquet"} {
		dir := t.TempDir() + "/out"
		_, err := writeAll(t, connector.Env{}, &tree.Sink{Format: format, Path: dir, PartitionBy: []string{"D", "k=", "ts"}}, fields, batchesOf(t, fields, rows))
		require.NoError(t, err)
		require.DirExists(t, dir+`/d=2024-02-29/k%3D=x%2Fy%3A%25é/ts=2024-02-29 12%3A34%3A56.5`)
		require.DirExists(t, dir+`/d=__HIVE_DEFAULT_PARTITION__/k%3D=__HIVE_DEFAULT_PARTITION__/ts=__HIVE_DEFAULT_PARTITION__`)
		got, err := readAll(t, connector.Env{}, &tree.Source{Format: format, Path: dir, Fields: fields}, connector.Projection{})
		require.NoError(t, err)
		sort.Strings(got)
		// The empty text comes back as null, as in Spark.
		want := append([]string(nil), rows...)
		want[2] = `{"a":3,"d":"2024-02-29"}`
		require.Equal(t, want, got)

		_, err = readAll(t, connector.Env{}, &tree.Source{Format: format, Path: dir, Fields: fieldsOf(t, "a INT, d INT")}, connector.Projection{})
		require.Equal(t, "INVALID_PARTITION_VALUE", condition.Of(unwrapRead(err)))
	}
	for _, c := range []struct {
		by   []string
		cond string
	}{{[]string{"nope"}, condition.UnresolvedColumn}, {[]string{"a", "k=", "d", "ts"}, condition.AllPartitionColumns}} {
		_, err := writeAll(t, connector.Env{}, &tree.Sink{Format: "json", Path: t.TempDir() + "/x", PartitionBy: c.by}, fields, batchesOf(t, fields, rows))
		require.Equal(t, c.cond, condition.Of(err))
	}
}

func unwrapRead(err error) error {
	if e, ok := errors.AsType[*condition.Error](err); ok && e.Condition == condition.FailedReadFile && e.Cause != nil {
		return e.Cause
	}
	return err
}

func TestSaveModes(t *testing.T) {
	fields := fieldsOf(t, "a INT")
	dir := t.TempDir() + "/out"
	do := func(mode tree.SaveMode, row string) error {
		_, err := writeAll(t, connector.Env{Save: mode}, &tree.Sink{Format: "json", Path: dir}, fields, batchesOf(t, fields, []string{row}))
		return err
	}
	rows := func() []string {
		got, err := readAll(t, connector.Env{}, &tree.Source{Format: "json", Path: dir, Fields: fields}, connector.Projection{})
		require.NoError(t, err)
		sort.Strings(got)
		return got
	}
	require.NoError(t, do(tree.ErrorIfExists, `{"a":1}`))
	require.Equal(t, condition.PathAlreadyExists, condition.Of(do(tree.ErrorIfExists, `{"a":2}`)))
	require.NoError(t, do(tree.SaveIgnore, `{"a":2}`))
	require.Equal(t, []string{`{"a":1}`}, rows())
	require.NoError(t, do(tree.SaveAppend, `{"a":2}`))
	require.Equal(t, []string{`{"a":1}`, `{"a":2}`}, rows())
	require.NoError(t, do(tree.SaveOverwrite, `{"a":3}`))
	require.Equal(t, []string{`{"a":3}`}, rows())

	// A write that fails half way leaves what was there.
	failing := func(yield func(arrow.RecordBatch, error) bool) {
		for b, err := range batchesOf(t, fields, []string{`{"a":4}`}) {
			if !yield(b, err) {
				return
			}
		}
		yield(nil, condition.Newf(condition.DivideByZero, "Division by zero."))
	}
	for _, mode := range []tree.SaveMode{tree.SaveOverwrite, tree.SaveAppend} {
		_, err := writeAll(t, connector.Env{Save: mode}, &tree.Sink{Format: "json", Path: dir}, fields, failing)
		require.Equal(t, condition.DivideByZero, condition.Of(err))
		require.Equal(t, []string{`{"a":3}`}, rows())
		require.NoDirExists(t, dir+"/"+metaDir)
	}
	_, err := writeAll(t, connector.Env{}, &tree.Sink{Format: "json", Path: dir + "2"}, fields, failing)
	require.Equal(t, condition.DivideByZero, condition.Of(err))
	require.NoDirExists(t, dir+"2")
}

func TestReadErrors(t *testing.T) {
	fields := fieldsOf(t, "a INT")
	_, err := readAll(t, connector.Env{}, &tree.Source{Format: "json", Path: "/nowhere/at/all", Fields: fields}, connector.Projection{})
	require.Equal(t, condition.PathNotFound, condition.Of(err))
	_, err = readAll(t, connector.Env{}, &tree.Source{Format: "json", Path: "s3://bucket/x", Fields: fields}, connector.Projection{})
	require.Equal(t, condition.Unsupported, condition.Of(err))
	_, err = readAll(t, connector.Env{}, &tree.Source{Format: "json", Path: t.TempDir() + "/*.json", Fields: fields}, connector.Projection{})
	require.Equal(t, condition.PathNotFound, condition.Of(err))

	dir := t.TempDir()
	write(t, dir+"/a.json", "{\"a\":1}\n{\"a\":x}\n", 0)
	_, err = readAll(t, connector.Env{}, &tree.Source{Format: "json", Path: dir, Fields: fields, Options: opts("mode", "FAILFAST")}, connector.Projection{})
	require.Equal(t, condition.FailedReadFile, condition.Of(err))
	require.Contains(t, err.Error(), "a.json")
	require.ErrorIs(t, err, &condition.Error{Condition: condition.MalformedRecord})

	// A Parquet file cut at any length, or with any byte changed, is an error or gives rows, never a crash.
	good := t.TempDir() + "/out"
	all := fieldsOf(t, allTypes+nestedTypes)
	_, err = writeAll(t, connector.Env{}, &tree.Sink{Format: "parquet", Path: good}, all, batchesOf(t, all, append(allRows, nestedRows...)))
	require.NoError(t, err)
	names, err := filepath.Glob(good + "/part-*")
	require.NoError(t, err)
	require.Len(t, names, 1)
	content, err := os.ReadFile(names[0])
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(7, 7))
	failures := 0
	for k := range 300 {
		broken := append([]byte(nil), content...)
		if k < 100 {
			broken = broken[:r.IntN(len(broken))]
		} else {
			broken[r.IntN(len(broken))] ^= byte(1 + r.IntN(255))
		}
		bad := filepath.Join(t.TempDir(), "x.parquet")
		require.NoError(t, os.WriteFile(bad, broken, 0o644))
		if _, err := readAll(t, connector.Env{}, &tree.Source{Format: "parquet", Path: bad, Fields: all}, connector.Projection{}); err != nil {
			failures++
			require.True(t, strings.HasPrefix(condition.Of(err), "FAILED_READ_FILE"), "%v", err)
			require.Contains(t, err.Error(), "x.parquet")
		}
		if k < 100 {
			require.Error(t, err2(readAll(t, connector.Env{}, &tree.Source{Format: "parquet", Path: bad, Fields: all}, connector.Projection{})))
		}
	}
	require.Greater(t, failures, 100)
}

func err2(_ []string, err error) error { return err }

func TestParquetWidens(t *testing.T) {
	dir := t.TempDir() + "/out"
	wrote := fieldsOf(t, "A INT, b FLOAT, c DATE, d DECIMAL(5,2), e INT, s STRUCT<x: INT, y: STRING>, gone INT")
	_, err := writeAll(t, connector.Env{}, &tree.Sink{Format: "parquet", Path: dir}, wrote, batchesOf(t, wrote, []string{`{"A":1,"b":1.5,"c":"2024-02-29","d":1.50,"e":7,"s":{"x":1,"y":"q"},"gone":1}`, `{}`}))
	require.NoError(t, err)
	fields := fieldsOf(t, "a BIGINT, b DOUBLE, c TIMESTAMP_NTZ, d DECIMAL(10,4), e DECIMAL(12,1), s STRUCT<Y: STRING, z: INT, x: BIGINT>, more STRING")
	got, err := readAll(t, connector.Env{}, &tree.Source{Format: "parquet", Path: dir, Fields: fields}, connector.Projection{})
	require.NoError(t, err)
	require.Equal(t, []string{`{"a":1,"b":1.5,"c":"2024-02-29T00:00:00.000","d":1.5000,"e":7.0,"s":{"Y":"q","x":1}}`, `{}`}, got)
	for _, ddl := range []string{"a STRING", "b INT", "c INT", "d DECIMAL(5,1)", "s INT", "e BOOLEAN", "a TIMESTAMP"} {
		_, err := readAll(t, connector.Env{}, &tree.Source{Format: "parquet", Path: dir, Fields: fieldsOf(t, ddl)}, connector.Projection{})
		require.Equal(t, condition.ParquetTypeMismatch, condition.Of(err), ddl)
	}
}

func TestGlobsAndFilters(t *testing.T) {
	dir := t.TempDir()
	fields := fieldsOf(t, "a INT, y INT, m INT")
	for y := range 2 {
		for m := range 3 {
			write(t, fmt.Sprintf("%s/y=%d/m=%d/x.json", dir, y, m), fmt.Sprintf(`{"a":%d%d}`, y, m), 0)
			write(t, fmt.Sprintf("%s/y=%d/m=%d/x.txt", dir, y, m), fmt.Sprintf(`{"a":%d%d0}`, y, m), 0)
		}
	}
	for _, c := range []struct {
		path string
		opts tree.Options
		want int
	}{
		{dir, nil, 12}, {dir, opts("pathGlobFilter", "*.json"), 6}, {dir + "/y=*/m={0,2}/*.json", nil, 4}, {dir + "/y=1", opts("pathGlobFilter", "*.{json,txt}"), 6},
		{dir + "/y=0/m=[12]", nil, 4}, {dir + "/y=?/m=1/x.txt", nil, 2}, {dir + "/y=0/m=0/x.json", nil, 1}, {dir, opts("recursiveFileLookup", "true"), 12},
		{dir, opts("modifiedAfter", "2024-03-01T00:00:00"), 0}, {dir, opts("modifiedBefore", "2024-03-01T00:00:01"), 12},
	} {
		got, err := readAll(t, connector.Env{}, &tree.Source{Format: "json", Path: c.path, Fields: fields, Options: c.opts}, connector.Projection{})
		require.NoError(t, err, c.path)
		require.Len(t, got, c.want, "%s %s", c.path, c.opts)
		if c.path == dir && c.opts == nil {
			require.Contains(t, got, `{"y":1,"m":2,"a":12}`[0:0]+`{"a":12,"y":1,"m":2}`)
		}
	}
}

func TestCleanSource(t *testing.T) {
	fields := fieldsOf(t, "a INT")
	for _, how := range []string{"delete", "archive"} {
		dir, archive := t.TempDir(), t.TempDir()
		write(t, dir+"/a.json", `{"a":1}`, 0)
		s := openStream(t, connector.Env{}, &tree.Source{Format: "json", Path: dir, Fields: fields, Options: opts("cleanSource", how, "sourceArchiveDir", archive)}, "")
		at := connector.Offset(`{"logOffset":-1}`)
		require.Len(t, step(t, s, fields, &at), 1)
		require.FileExists(t, dir+"/a.json")
		require.NoError(t, s.Commit(t.Context(), at))
		require.NoFileExists(t, dir+"/a.json")
		if how == "archive" {
			require.FileExists(t, archive+dir+"/a.json")
		}
	}
	_, err := connector.OpenSource(t.Context(), connector.Env{}, &tree.Source{Format: "json", Path: "/x", Fields: fields, Options: opts("cleanSource", "archive", "sourceArchiveDir", "/x/y")})
	require.Equal(t, condition.InvalidOption, condition.Of(err))
}

// TestEveryCrash writes epochs into a file system that fails at one operation after the other, loses what was not synced, and starts
// again. Whatever the point, a plain reader sees no row of an epoch that is not committed and none twice, and in the end all of them once.
func TestEveryCrash(t *testing.T) {
	fields := fieldsOf(t, "e INT, n INT, p STRING")
	const epochs = 3
	rowsOf := func(e int) []string {
		var out []string
		for n := range 3 {
			out = append(out, fmt.Sprintf(`{"e":%d,"n":%d,"p":"p%d"}`, e, n, n%2))
		}
		return out
	}
	for _, format := range []string{"json", "parquet"} {
		for c := range 4 {
			// Partitioned or not; and one operation fails, or all from it on, which is the death of the process.
			by, dies := [][]string{nil, {"p"}}[c%2], c >= 2
			crashes := 0
			for k := int32(0); ; k++ {
				mem := vfs.NewCrashableMem()
				require.NoError(t, mem.MkdirAll("/w", 0o755))
				root, err := mem.OpenDir("/")
				require.NoError(t, err)
				require.NoError(t, root.Sync())
				ops, hit := int32(0), false
				failing := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
					if op.Kind.ReadOrWrite() == errorfs.OpIsRead {
						return nil
					}
					if ops++; ops-1 == k || dies && ops > k {
						hit = true
						return errorfs.ErrInjected
					}
					return nil
				}))
				sinkOf := func(fs vfs.FS) (connector.Sink, error) {
					return connector.OpenSink(t.Context(), connector.Env{FS: fs, Streaming: true, QueryID: "q"}, &tree.Sink{Format: format, Path: "/w/out", PartitionBy: by})
				}
				done := 0
				run := func(fs vfs.FS) error {
					s, err := sinkOf(fs)
					if err != nil {
						return err
					}
					for ; done < epochs; done++ {
						if _, err := s.Write(t.Context(), int64(done), tree.Append, fields, batchesOf(t, fields, rowsOf(done))); err != nil {
							return err
						}
					}
					return nil
				}
				if err := run(failing); err != nil {
					require.ErrorIs(t, err, errorfs.ErrInjected)
					crashes++
				}
				fs := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: int(k) % 101, RNG: rand.New(rand.NewPCG(uint64(k), 1))})
				check := func(fs vfs.FS, complete bool) {
					if _, err := fs.Stat("/w/out"); err != nil {
						require.False(t, complete)
						return
					}
					got, err := readAll(t, connector.Env{FS: fs}, &tree.Source{Format: format, Path: "/w/out", Fields: fields}, connector.Projection{})
					require.NoError(t, err)
					seen := map[string]int{}
					for _, r := range got {
						seen[r]++
						require.Equal(t, 1, seen[r], "%s comes twice after failing operation %d", r, k)
					}
					for e := range done {
						for _, r := range rowsOf(e) {
							require.Equal(t, 1, seen[r], "%s is lost after failing operation %d", r, k)
						}
					}
					if complete {
						require.Len(t, got, 3*epochs)
					}
				}
				check(fs, false)
				// The engine writes the epoch again that did not return, or the last one, as after a lost commit of its own.
				done = min(done, epochs-1)
				require.NoError(t, run(fs))
				check(fs, true)
				left, err := fs.List("/w/out/" + metaDir + "/tmp")
				require.NoError(t, err)
				require.Empty(t, left)
				if !hit {
					break
				}
			}
			require.Greater(t, crashes, 40)
		}
	}
}

func TestSecondQueryIsRefused(t *testing.T) {
	dir := t.TempDir()
	fields := fieldsOf(t, "a INT")
	env := connector.Env{Streaming: true, QueryID: "one"}
	s, err := connector.OpenSink(t.Context(), env, &tree.Sink{Format: "json", Path: dir})
	require.NoError(t, err)
	_, err = s.Write(t.Context(), 0, tree.Append, fields, batchesOf(t, fields, []string{`{"a":1}`}))
	require.NoError(t, err)
	// While the first runs, whichever committed what; afterwards by what the log says.
	env.QueryID = "two"
	link := t.TempDir() + "/link"
	require.NoError(t, os.Symlink(dir, link))
	for _, path := range []string{dir, dir + "/", link} {
		_, err = connector.OpenSink(t.Context(), env, &tree.Sink{Format: "json", Path: path})
		require.Equal(t, condition.ConcurrentStreamLog, condition.Of(err), path)
	}
	require.NoError(t, s.Close())
	for range 2 { // a refused start gives the folder back
		_, err = connector.OpenSink(t.Context(), env, &tree.Sink{Format: "json", Path: dir})
		require.Equal(t, condition.CheckpointMismatch, condition.Of(err))
	}
	env.QueryID = "one"
	s, err = connector.OpenSink(t.Context(), env, &tree.Sink{Format: "json", Path: dir})
	require.NoError(t, err)
	require.NoError(t, s.Close())
}

// An epoch before the last one comes of a checkpoint from a backup: its rows are not taken for those that the folder has.
func TestOlderEpochIsRefused(t *testing.T) {
	dir := t.TempDir()
	fields := fieldsOf(t, "a INT")
	env := connector.Env{Streaming: true, QueryID: "one"}
	write := func(epoch int64, row string) (int64, error) {
		s, err := connector.OpenSink(t.Context(), env, &tree.Sink{Format: "json", Path: dir})
		require.NoError(t, err)
		defer func() { require.NoError(t, s.Close()) }()
		return s.Write(t.Context(), epoch, tree.Append, fields, batchesOf(t, fields, []string{row}))
	}
	for epoch := range int64(3) {
		_, err := write(epoch, fmt.Sprintf(`{"a":%d}`, epoch))
		require.NoError(t, err)
	}
	n, err := write(2, `{"a":2}`)
	require.NoError(t, err, "the last epoch may run again")
	require.EqualValues(t, 1, n)
	_, err = write(1, `{"a":100}`)
	require.Equal(t, condition.CheckpointMismatch, condition.Of(err))
	require.Contains(t, err.Error(), "epochs up to 2, and the query runs epoch 1")
	got, err := readAll(t, connector.Env{}, &tree.Source{Format: "json", Path: dir, Fields: fields}, connector.Projection{})
	require.NoError(t, err)
	require.ElementsMatch(t, []string{`{"a":0}`, `{"a":1}`, `{"a":2}`}, got)
}

func TestUnwritableFolderAndFullDisk(t *testing.T) {
	fields := fieldsOf(t, "a INT")
	mem := vfs.NewMem()
	full := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpFileWrite {
			return &os.PathError{Op: "write", Path: op.Path, Err: syscall.ENOSPC}
		}
		return nil
	}))
	for _, streaming := range []bool{true, false} {
		_, err := writeAll(t, connector.Env{FS: full, Streaming: streaming}, &tree.Sink{Format: "json", Path: fmt.Sprint("/out", streaming)}, fields, batchesOf(t, fields, []string{`{"a":1}`}))
		require.Equal(t, condition.TaskWriteFailed, condition.Of(err))
		require.Contains(t, err.Error(), "disk is full")
		if streaming {
			got, err := readAll(t, connector.Env{FS: mem}, &tree.Source{Format: "json", Path: "/outtrue", Fields: fields}, connector.Projection{})
			require.NoError(t, err)
			require.Empty(t, got)
		} else {
			_, err := mem.Stat("/outfalse")
			require.ErrorIs(t, err, os.ErrNotExist)
		}
	}
}

// TestParallelReadsKeepOrder reads many files and large ones with several goroutines, and stops early.
func TestParallelReadsKeepOrder(t *testing.T) {
	dir := t.TempDir()
	fields := fieldsOf(t, "a INT")
	want := 0
	for f := range 20 {
		var b strings.Builder
		for range 1 + 3000*(f%3) {
			fmt.Fprintf(&b, "{\"a\":%d}\r\n", want)
			want++
		}
		write(t, fmt.Sprintf("%s/%02d.json", dir, f), b.String(), time.Duration(100-f)*time.Minute)
	}
	src := &tree.Source{Format: "json", Path: dir, Fields: fields}
	for _, p := range []int{1, 4} {
		s, err := connector.OpenSource(t.Context(), connector.Env{Parallelism: p, BatchRows: 1000}, src)
		require.NoError(t, err)
		start, err := s.Initial(t.Context())
		require.NoError(t, err)
		end, err := s.Latest(t.Context(), start, true)
		require.NoError(t, err)
		for _, stop := range []int{-1, 1, 5000} {
			b, err := s.Read(t.Context(), start, end, connector.Projection{})
			require.NoError(t, err)
			next := 0
			for rec, err := range b {
				require.NoError(t, err)
				for _, v := range rec.Column(0).(*array.Int32).Int32Values() {
					require.EqualValues(t, next, v)
					next++
				}
				rec.Release()
				if stop > 0 && next >= stop {
					break
				}
			}
			if stop < 0 {
				require.Equal(t, want, next)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		b, err := s.Read(ctx, start, end, connector.Projection{})
		require.NoError(t, err)
		cancel()
		for _, err := range b {
			require.ErrorIs(t, err, context.Canceled)
		}
	}
}

func TestEmptyResults(t *testing.T) {
	fields := fieldsOf(t, "a INT, b STRING")
	for _, format := range []string{"json", "csv", "parquet"} {
		dir := t.TempDir() + "/out"
		n, err := writeAll(t, connector.Env{}, &tree.Sink{Format: format, Path: dir, Options: opts("header", "true")}, fields, batchesOf(t, fields))
		require.NoError(t, err)
		require.Zero(t, n)
		names, err := filepath.Glob(dir + "/part-*")
		require.NoError(t, err)
		require.Len(t, names, 1)
		got, err := readAll(t, connector.Env{}, &tree.Source{Format: format, Path: dir, Fields: fields, Options: opts("header", "true")}, connector.Projection{})
		require.NoError(t, err)
		require.Empty(t, got)
	}
}

func TestMaxRecordsPerFile(t *testing.T) {
	fields := fieldsOf(t, "a INT")
	dir := t.TempDir() + "/out"
	_, err := writeAll(t, connector.Env{}, &tree.Sink{Format: "json", Path: dir, Options: opts("maxRecordsPerFile", "2")}, fields, batchesOf(t, fields, []string{`{"a":1}`, `{"a":2}`, `{"a":3}`}, []string{`{"a":4}`, `{"a":5}`}))
	require.NoError(t, err)
	names, err := filepath.Glob(dir + "/part-*")
	require.NoError(t, err)
	require.Len(t, names, 3)
}
