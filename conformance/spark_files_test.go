//go:build conformance

package conformance

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/functions"
)

// both opens the two backends.
func both(t *testing.T) map[string]backend.Session {
	off, err := local.Open()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, off.Close()) })
	return map[string]backend.Session{"local": off, "spark": connect(t)}
}

// reads counts the sources, whose names must differ in one query.
var reads int

func readFiles(f connectors.Files) expr.Table {
	reads++
	return expr.Read(fmt.Sprintf("f%d", reads), f)
}

// fileKind is a format with what it can hold of a table.
type fileKind struct {
	name   string
	to     func(path string, opts ...connectors.Option) connectors.Files
	from   func(path string, rows connectors.Rows, opts ...connectors.Option) connectors.Files
	in     func() expr.Table
	codecs []string
	opts   []connectors.Option
}

func fileKinds() []fileKind {
	all := func() expr.Table { return Values() }
	flat := func() expr.Table {
		v := Values()
		// CSV has no word for what is inside other values, for bytes, or for an empty text beside null.
		return v.Select("id", "b", "i8", "i16", "i", "l", "f", "d", "n", "big", "dt", "ts", "ntz", "t")
	}
	lines := func() expr.Table {
		v := Values()
		return v.Select(v.Str("s").As("value")).Filter(expr.Str("value").Contains("\n").Not())
	}
	text := func(path string, _ connectors.Rows, opts ...connectors.Option) connectors.Files {
		return connectors.FromText(path, opts...)
	}
	packed := []string{"none", "gzip", "deflate", "snappy", "lz4"}
	return []fileKind{
		{"parquet", connectors.ToParquet, connectors.FromParquet, all, []string{"none", "snappy", "gzip", "zstd", "lz4_raw"}, nil},
		{"avro", connectors.ToAvro, connectors.FromAvro, all, []string{"uncompressed", "snappy", "deflate", "zstandard"}, nil},
		{"json", connectors.ToJSON, connectors.FromJSON, all, packed, nil},
		{"csv", connectors.ToCSV, connectors.FromCSV, flat, packed, []connectors.Option{connectors.NullValue("-")}},
		{"text", connectors.ToText, text, lines, packed, nil},
	}
}

// What either backend writes, in every format and codec, the other reads as the same rows.
func TestFilesBothWays(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	sessions := both(t)
	for _, k := range fileKinds() {
		t.Run(k.name, func(t *testing.T) {
			folder := env.Dir(t)
			in := k.in()
			fields := in.Schema().Types()
			if k.name == "avro" {
				// Avro has no integer of 8 or 16 bits, and Spark does not read one as such.
				for i, f := range fields {
					if f.Type == datatype.Byte || f.Type == datatype.Short {
						fields[i].Type = datatype.Int
					}
				}
			}
			want := Answer{}
			read := func(reader, writer, codec string) {
				path := filepath.Join(folder, writer+"-"+codec)
				a, err := Ask(ctx, sessions[reader], readFiles(k.from(path, connectors.RowsFields(fields), k.opts...)), false)
				require.NoError(t, err)
				require.Empty(t, a.Error, "%s of %s read by %s", codec, writer, reader)
				if want.Rows == nil {
					want = a
				}
				require.Equal(t, want.String(), a.String(), "%s of %s read by %s", codec, writer, reader)
			}
			for i, codec := range k.codecs {
				for writer, w := range sessions {
					path := filepath.Join(folder, writer+"-"+codec)
					require.NoError(t, w.Write(ctx, in.WriteTo(k.to(path, append(k.opts, connectors.Compression(codec))...))), "%s %s", writer, codec)
				}
				if i == 0 {
					read("spark", "spark", codec)
					read("local", "local", codec)
				}
				read("spark", "local", codec)
				read("local", "spark", codec)
			}
			if k.name == "parquet" || k.name == "avro" {
				a, err := Ask(ctx, sessions["local"], in, false)
				require.NoError(t, err)
				require.Equal(t, a.Rows, want.Rows, "what was written is what is read")
			}
		})
	}
}

// Codecs that the local engine only reads.
func TestFilesOfSparkOnly(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	sessions := both(t)
	folder := env.Dir(t)
	o := Orders().Select("id", "note")
	for _, c := range []struct {
		name string
		to   connectors.Files
		from func(path string) connectors.Files
	}{
		{"avro bzip2", connectors.ToAvro(filepath.Join(folder, "a"), connectors.Compression("bzip2")), func(p string) connectors.Files {
			return connectors.FromAvro(p, connectors.RowsDDL("id INT, note STRING"))
		}},
		{"json bzip2", connectors.ToJSON(filepath.Join(folder, "j"), connectors.Compression("bzip2")), func(p string) connectors.Files {
			return connectors.FromJSON(p, connectors.RowsDDL("id INT, note STRING"))
		}},
		{"csv bzip2", connectors.ToCSV(filepath.Join(folder, "c"), connectors.Compression("bzip2")), func(p string) connectors.Files {
			return connectors.FromCSV(p, connectors.RowsDDL("id INT, note STRING"))
		}},
	} {
		sink, err := c.to.Sink()
		require.NoError(t, err)
		require.NoError(t, sessions["spark"].Write(ctx, o.WriteTo(c.to)), c.name)
		agree(t, sessions, c.name, readFiles(c.from(sink.Path)))
	}
}

// agree asks both backends and wants one answer.
func agree(t *testing.T, sessions map[string]backend.Session, name string, in expr.Table) Answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	want, err := Ask(ctx, sessions["spark"], in, false)
	require.NoError(t, err, name)
	got, err := Ask(ctx, sessions["local"], in, false)
	require.NoError(t, err, name)
	// What is compared is rows; whether a function's result may be null is another matter.
	want, got = want.withoutNullability(), got.withoutNullability()
	if want.String() != got.String() {
		t.Errorf("%s: Spark says\n%sand the local engine\n%s", name, want, got)
	}
	return want
}

// questions are many small tables that are asked for in one query.
type questions struct {
	names  []string
	tables []expr.Table
}

func (q *questions) add(name string, t expr.Table) {
	q.names, q.tables = append(q.names, name), append(q.tables, t)
}

// ask unites the tables as rows of a name and texts. When the answers differ each table is asked for alone, to see which it is.
func (q *questions) ask(t *testing.T, sessions map[string]backend.Session) {
	t.Helper()
	var all []expr.Table
	for i, x := range q.tables {
		cols := []any{expr.Lit(q.names[i]).As("name")}
		texts := []any{}
		for k, c := range x.Schema().Names() {
			texts = append(texts, fmt.Sprintf("c%d", k), x.Col(c).Cast(datatype.String))
		}
		cols = append(cols, functions.ToJSON(functions.NamedStruct(texts...)).As("texts"))
		all = append(all, x.Select(cols...))
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	in := all[0].Union(all[1:]...)
	require.NoError(t, in.Err())
	want, err := Ask(ctx, sessions["spark"], in, false)
	require.NoError(t, err)
	got, err := Ask(ctx, sessions["local"], in, false)
	require.NoError(t, err)
	if want.withoutNullability().String() == got.withoutNullability().String() {
		require.Empty(t, want.Error)
		return
	}
	for i, x := range all {
		agree(t, sessions, q.names[i], x)
	}
	t.Errorf("each table by itself gives the same, and all together do not: the local engine says\n%sbut Spark\n%s", got, want)
}

// Folders of partitions, written by either backend, filtered and not.
func TestFilesPartitioned(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	sessions := both(t)
	folder := env.Dir(t)
	v := Values()
	var q questions
	for _, column := range []string{"b", "i8", "i16", "i", "l", "d", "n", "big", "s", "dt", "ts", "ntz"} {
		in := v.Select("id", column)
		typ := strings.ReplaceAll(datatype.DDL(in.Select(column).Schema().Types()), " NOT NULL", "")
		for writer, w := range sessions {
			path := filepath.Join(folder, writer+"-"+column)
			require.NoError(t, w.Write(ctx, in.WriteTo(connectors.ToAvro(path).PartitionBy(column))), "%s by %s", column, writer)
			r := readFiles(connectors.FromAvro(path, connectors.RowsDDL("id INT")).Folders(connectors.RowsDDL(typ)))
			q.add(column+" of "+writer, r)
			q.add(column+" null of "+writer, r.Filter(r.Col(column).IsNull()))
			q.add(column+" not null of "+writer, r.Filter(r.Col(column).NotNull().And(r.Num("id").Gt(2))).Select("id"))
		}
	}
	q.ask(t, sessions)
}

// Text in all forms of line ends, whole files, globs, and files as bytes.
func TestFilesByHand(t *testing.T) {
	sessions := both(t)
	folder := env.Dir(t)
	put := func(name, content string) {
		p := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o777))
		require.NoError(t, os.WriteFile(p, []byte(content), 0o666))
	}
	t.Run("lines", func(t *testing.T) {
		var q questions
		for i, content := range []string{"a\nb\r\nc\rd\n\n", "", "\xef\xbb\xbfa\nb", "a;b;;c;", "a\r\nb", "a||b|", "\n", "\xef\xbb\xbf", "\r\r\n", "é\u2028x\n"} {
			name := filepath.Join("text", string(rune('a'+i)), "x.txt")
			put(name, content)
			for k, opts := range [][]connectors.Option{nil, {connectors.LineSeparator(";")}, {connectors.LineSeparator("||")}, {connectors.LineSeparator("\n")}, {connectors.WholeText()}} {
				in := readFiles(connectors.FromText(filepath.Join(folder, name), opts...))
				q.add(fmt.Sprintf("%q %d", content, k), in)
				q.add(fmt.Sprintf("%q %d counted", content, k), in.Agg(expr.Count().As("n")))
			}
		}
		q.ask(t, sessions)
	})
	t.Run("globs", func(t *testing.T) {
		for _, name := range []string{"g/a1.txt", "g/a2.txt", "g/b1.txt", "g/b[1].txt", "g/.hidden.txt", "g/_x.txt", "g/sub/a1.txt", "g/k=1/a1.txt", "g/k=1/c/a3.txt", "g/k=2/z.csv", "h/a-1.txt", "h/a^1.txt", "h/a1.TXT", "h/aa1.txt", "h/deep/a1.txt"} {
			put(name, name+"\n")
		}
		var q questions
		for _, glob := range []string{"g/a*.txt", "g/a?.txt", "g/{a,b}1.txt", "g/[ab]1.txt", "g/[^a]1.txt", "g/[a-b]*", "g/a[12].txt", "?/a1.txt", "{g,h/deep}/a1.txt", "g/{a{1,2},b1}.txt", "h/a[-^]1.txt", "h/*1.txt", "g/*/a1.txt", "g/k=*", "*/*", "h/[!a]*", `g/b\[1\].txt`, "h/a{,a}1.txt"} {
			q.add(glob, readFiles(connectors.FromText(filepath.Join(folder, glob))))
		}
		for _, filter := range []string{"*.txt", "a?.txt", "{a,b}*", "[ab]1.txt", "*.csv", "nothing"} {
			q.add(filter+" recursive", readFiles(connectors.FromText(filepath.Join(folder, "g"), connectors.PathGlobFilter(filter), connectors.RecursiveFileLookup())))
			q.add(filter, readFiles(connectors.FromText(filepath.Join(folder, "h"), connectors.PathGlobFilter(filter))))
		}
		q.add("base path", readFiles(connectors.FromText(filepath.Join(folder, "g", "k=1"), connectors.BasePath(filepath.Join(folder, "g"))).Folders(connectors.RowsDDL("k INT"))))
		require.NoError(t, os.MkdirAll(filepath.Join(folder, "empty"), 0o777))
		q.add("no file", readFiles(connectors.FromText(filepath.Join(folder, "empty"))))
		q.ask(t, sessions)
		agree(t, sessions, "no folder", readFiles(connectors.FromText(filepath.Join(folder, "absent"))))
		agree(t, sessions, "no match", readFiles(connectors.FromText(filepath.Join(folder, "g/nothing*"))))
	})
	t.Run("bytes", func(t *testing.T) {
		put("bytes/a b.bin", "abc")
		put("bytes/%41.bin", "")
		put("bytes/k=1/x#y.bin", "\x00\xff")
		bin := readFiles(connectors.FromBinary(filepath.Join(folder, "bytes")))
		byFolder := readFiles(connectors.FromBinary(filepath.Join(folder, "bytes", "k=*"), connectors.BasePath(filepath.Join(folder, "bytes"))).Folders(connectors.RowsDDL("k STRING")))
		var q questions
		q.add("bytes", bin.Select(bin.Str("path"), bin.Timestamp("modificationTime"), bin.Num("length"), bin.Str("path").Eq("").As("none")))
		agree(t, sessions, "content", bin.Select("content"))
		q.add("bytes counted", bin.Agg(expr.Count().As("n")))
		q.add("bytes filtered", bin.Filter(bin.Num("length").Gt(0)).Select("path"))
		q.add("bytes by folder", byFolder.Filter(byFolder.Str("k").Eq("1")).Select("path", "k"))
		q.ask(t, sessions)
	})
	t.Run("values of folders", func(t *testing.T) {
		var q questions
		for i, value := range []string{"1", "0", "true", "T", "yes", "01", "1.5", "1e2", " 1", "2024-01-01", "2024-1-1", "2024", "2024-01-01 10:00:00", "NaN", "-0", "999999999999", "__HIVE_DEFAULT_PARTITION__", "%2F%20"} {
			dir := filepath.Join("values", string(rune('a'+i)))
			put(filepath.Join(dir, "k="+value, "a.txt"), "1\n")
			for j, typ := range []string{"INT", "STRING", "DATE", "DOUBLE", "FLOAT", "BOOLEAN", "DECIMAL(10,2)", "BIGINT", "TINYINT", "TIMESTAMP", "TIMESTAMP_NTZ"} {
				in := readFiles(connectors.FromText(filepath.Join(folder, dir)).Folders(connectors.RowsDDL("k " + typ)))
				name := "k=" + value + " as " + typ
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				got, err := Ask(ctx, sessions["local"], in, false)
				cancel()
				require.NoError(t, err)
				switch {
				case got.Error == "":
					q.add(name, in.Select("k"))
				case (i+j)%4 == 0: // a sample: each is a query
					agree(t, sessions, name, in)
				}
			}
		}
		q.ask(t, sessions)
	})
}

// The same files as a stream: lines of text go into Avro files, and rows of files as bytes into JSON, on both backends.
func TestFilesAsStreams(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	sessions := both(t)
	folder := env.Dir(t)
	for i, content := range []string{"a\nb\n", "c", "", "é\n\n"} {
		p := filepath.Join(folder, "in", fmt.Sprintf("k=%d", i%2), fmt.Sprintf("%d.txt", i))
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o777))
		require.NoError(t, os.WriteFile(p, []byte(content), 0o666))
	}
	in := filepath.Join(folder, "in")
	for name, s := range sessions {
		for kind, w := range map[string]expr.Write{
			"text":  readFiles(connectors.FromText(in, connectors.MaxFilesPerTrigger(1)).Folders(connectors.RowsDDL("k INT"))).WriteTo(connectors.ToAvro(filepath.Join(folder, name+"-text")).PartitionBy("k")),
			"bytes": readFiles(connectors.FromBinary(in)).Select("path", "length", "content").WriteTo(connectors.ToJSON(filepath.Join(folder, name+"-bytes"))),
		} {
			q, err := s.Start(ctx, w.Trigger(expr.AvailableNow()).Checkpoint(filepath.Join(folder, name+"-"+kind+"-checkpoint")))
			require.NoError(t, err, "%s %s", name, kind)
			require.NoError(t, q.AwaitTermination(ctx), "%s %s", name, kind)
		}
	}
	answers := map[string]Answer{}
	for name, reader := range map[string]string{"local": "spark", "spark": "local"} {
		for kind, f := range map[string]connectors.Files{
			"text":  connectors.FromAvro(filepath.Join(folder, name+"-text"), connectors.RowsDDL("value STRING")).Folders(connectors.RowsDDL("k INT")),
			"bytes": connectors.FromJSON(filepath.Join(folder, name+"-bytes"), connectors.RowsDDL("path STRING, length BIGINT, content BINARY")),
		} {
			a, err := Ask(ctx, sessions[reader], readFiles(f), false)
			require.NoError(t, err)
			require.Empty(t, a.Error)
			require.NotEmpty(t, a.Rows)
			if want, ok := answers[kind]; ok {
				require.Equal(t, want.String(), a.String(), "%s of %s", kind, name)
			}
			answers[kind] = a
		}
	}
}

// Files of one folder whose columns differ: added, missing, in another order, of another type.
func TestFilesThatDiffer(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	sessions := both(t)
	folder := env.Dir(t)
	o := Orders()
	for _, format := range []struct {
		name string
		to   func(string, ...connectors.Option) connectors.Files
		from func(string, connectors.Rows, ...connectors.Option) connectors.Files
	}{{"avro", connectors.ToAvro, connectors.FromAvro}, {"parquet", connectors.ToParquet, connectors.FromParquet}} {
		path := filepath.Join(folder, format.name)
		for i, part := range []expr.Table{o.Select("id", "note"), o.Select("note", "id"), o.Select(o.Num("id").As("ID"), "at"), o.Select(o.Num("id").As("other"))} {
			name := []string{"local", "spark"}[i%2]
			require.NoError(t, sessions[name].Write(ctx, part.WriteTo(format.to(path)).SaveMode(expr.SaveAppend)), format.name)
		}
		for _, ddl := range []string{"id INT, note STRING, at TIMESTAMP, never DOUBLE", "at TIMESTAMP, id BIGINT", "id DOUBLE", "id STRING", "id TINYINT", "note BINARY", "id DECIMAL(12,0)", "at DATE"} {
			agree(t, sessions, format.name+" as "+ddl, readFiles(format.from(path, connectors.RowsDDL(ddl))))
		}
	}
}
