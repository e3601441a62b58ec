package parquet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/spoonbill-go/spoonbill/backend/local/format/internal/plain"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func fieldsOf(t testing.TB, ddl string) []datatype.Field {
	t.Helper()
	f, err := datatype.ParseFields(ddl)
	require.NoError(t, err)
	return f
}

func rows(t testing.TB, content []byte, fields []datatype.Field, need []int, batch int) [][]any {
	t.Helper()
	f, err := Open(bytes.NewReader(content), int64(len(content)), fields, need)
	require.NoError(t, err)
	var out [][]any
	for g := range f.RowGroups() {
		recs, err := f.Read(g, batch)
		require.NoError(t, err)
		for _, r := range recs {
			for i := range int(r.NumRows()) {
				row := []any{}
				for _, c := range r.Columns() {
					row = append(row, plain.Of(c, i))
				}
				out = append(out, row)
			}
			r.Release()
		}
	}
	return out
}

// TestFilesOfSpark reads files that a live Spark wrote, in all the forms that it has for time stamps and decimals, and compares with
// what that Spark says is in them.
func TestFilesOfSpark(t *testing.T) {
	files, err := filepath.Glob("testdata/spark-*.json")
	require.NoError(t, err)
	compared := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		var cases []struct {
			Name, DDL string
			Rows      [][]any
		}
		require.NoError(t, json.Unmarshal(text, &cases))
		for _, c := range cases {
			content, err := os.ReadFile(strings.TrimSuffix(name, ".json") + "-" + c.Name + ".parquet")
			require.NoError(t, err)
			fields := fieldsOf(t, c.DDL)
			for _, batch := range []int{1, 3, 100} {
				require.Equal(t, c.Rows, rows(t, content, fields, nil, batch), c.Name)
			}
			// One column at a time: the others are null.
			for i := range fields {
				for k, row := range rows(t, content, fields, []int{i}, 2) {
					for j, v := range row {
						if j == i {
							require.Equal(t, c.Rows[k][i], v, "%s %s", c.Name, fields[i].Name)
						} else {
							require.Nil(t, v)
						}
					}
				}
			}
			require.Len(t, rows(t, content, fields, []int{}, 2), len(c.Rows))
			compared++
		}
	}
	require.Equal(t, 4, compared)
}

// TestUnpack compares with bits taken one by one, at every width and with every number of bytes behind the last value.
func TestUnpack(t *testing.T) {
	for width := 1; width <= 32; width++ {
		for _, n := range []int{8, 16, 64, 256} {
			packed := make([]byte, n*width/8)
			for i := range packed {
				packed[i] = byte(i*151 + width*31)
			}
			want := make([]uint32, n)
			for i := range want {
				for k := range width {
					bit := i*width + k
					want[i] |= uint32(packed[bit/8]>>(bit%8)&1) << k
				}
			}
			for _, behind := range []int{0, 1, 7, 8, 20} {
				got := make([]uint32, n)
				unpack(got, append(bytes.Clone(packed), make([]byte, behind)...), width)
				require.Equal(t, want, got, "%d values of %d bits", n, width)
			}
		}
	}
}

// TestDictionaries reads texts as dictionaries and as they are: with nulls, with none but nulls, and where the writer gave the dictionary up midway.
func TestDictionaries(t *testing.T) {
	before := buffers.lent.Load()
	for name, text := range map[string]func(i int) (string, bool){
		"few":        func(i int) (string, bool) { return fmt.Sprint("text ", i%50), i%7 != 0 },
		"no nulls":   func(i int) (string, bool) { return fmt.Sprint(i % 3), true },
		"many":       func(i int) (string, bool) { return fmt.Sprint("a text that is found once ", i), i%5 != 0 },
		"late":       func(i int) (string, bool) { return fmt.Sprint("a text that is found once ", i), i > 60_000 },
		"only nulls": func(int) (string, bool) { return "", false },
		"empty":      func(i int) (string, bool) { return "", i%2 == 0 },
	} {
		b := array.NewStringBuilder(memory.DefaultAllocator)
		for i := range 120_000 {
			if s, ok := text(i); ok {
				b.Append(s)
			} else {
				b.AppendNull()
			}
		}
		want := b.NewStringArray()
		fields := fieldsOf(t, "s STRING")
		var file bytes.Buffer
		w, err := NewWriter(&file, fields, "snappy")
		require.NoError(t, err)
		rec := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true}}, nil), []arrow.Array{want}, int64(want.Len()))
		require.NoError(t, w.Write(rec))
		require.NoError(t, w.Close())
		for _, coded := range []bool{false, true} {
			f, err := Open(bytes.NewReader(file.Bytes()), int64(file.Len()), fields, nil)
			require.NoError(t, err)
			f.Dictionaries = coded
			recs, err := f.Read(0, 1000)
			require.NoError(t, err)
			at, dictionaries := 0, 0
			for _, r := range recs {
				c := r.Column(0)
				d, ok := c.(*array.Dictionary)
				if ok {
					dictionaries++
				}
				for i := range c.Len() {
					require.Equal(t, want.IsNull(at), c.IsNull(i), "%s %d", name, at)
					if !c.IsNull(i) {
						got := ""
						if ok {
							got = d.Dictionary().(*array.String).Value(d.GetValueIndex(i))
						} else {
							got = c.(*array.String).Value(i)
						}
						require.Equal(t, want.Value(at), got, "%s %d", name, at)
					}
					at++
				}
				r.Release()
			}
			require.Equal(t, want.Len(), at)
			if name == "few" || name == "no nulls" || name == "empty" {
				require.Equal(t, coded, dictionaries > 0, name)
			}
		}
	}
	require.Equal(t, before, buffers.lent.Load())
}

// TestLentMemory reads with a pool that spoils what comes back: records that are held keep their values, and everything comes back in the end, of damaged files too.
func TestLentMemory(t *testing.T) {
	buffers.poison.Store(true)
	defer buffers.poison.Store(false)
	before := buffers.lent.Load()
	for _, name := range []string{"micros", "millis", "legacy"} {
		content, err := os.ReadFile("testdata/spark-4.2.0-" + name + ".parquet")
		require.NoError(t, err)
		f, err := Open(bytes.NewReader(content), int64(len(content)), fieldsOf(t, "t BIGINT, str STRING, f FLOAT, de DECIMAL(12,4)"), nil)
		require.NoError(t, err)
		first, err := f.Read(0, 2)
		require.NoError(t, err)
		var want []any
		for _, c := range first[0].Columns() {
			want = append(want, plain.Of(c, 0), plain.Of(c, 1))
		}
		second, err := f.Read(0, 100)
		require.NoError(t, err)
		for _, r := range second {
			r.Release()
		}
		var got []any
		for _, c := range first[0].Columns() {
			got = append(got, plain.Of(c, 0), plain.Of(c, 1))
		}
		require.Equal(t, want, got)
		for _, r := range first {
			r.Release()
		}
		// Many a byte is broken, one at a time; whatever comes of it, the memory comes back.
		for i := 4; i < len(content)-8; i += 11 {
			broken := bytes.Clone(content)
			broken[i] ^= 0x5a
			f, err := Open(bytes.NewReader(broken), int64(len(broken)), fieldsOf(t, "t BIGINT, str STRING, f FLOAT, de DECIMAL(12,4)"), nil)
			if err != nil {
				continue
			}
			for g := range f.RowGroups() {
				recs, err := f.Read(g, 100)
				if err != nil {
					continue
				}
				for _, r := range recs {
					r.Release()
				}
			}
		}
	}
	require.Equal(t, before, buffers.lent.Load())
}

// TestMemoryIsGivenBack reads with an allocator that counts.
func TestMemoryIsGivenBack(t *testing.T) {
	counting := memory.NewCheckedAllocator(memory.NewGoAllocator())
	before := memory.DefaultAllocator
	memory.DefaultAllocator = counting
	defer func() { memory.DefaultAllocator = before }()
	defer counting.AssertSize(t, 0)
	for _, name := range []string{"int96", "micros", "millis", "legacy"} {
		content, err := os.ReadFile("testdata/spark-4.2.0-" + name + ".parquet")
		require.NoError(t, err)
		fields := fieldsOf(t, "t BIGINT, S SMALLINT, f DOUBLE, de DECIMAL(12,4), ts TIMESTAMP, str STRING, a ARRAY<BIGINT>, m MAP<STRING, ARRAY<DECIMAL(3,2)>>, st STRUCT<y: STRUCT<w: ARRAY<STRUCT<q: STRING, r: INT>>>>, nothing STRING")
		require.Len(t, rows(t, content, fields, nil, 2), 4)
		f, err := Open(bytes.NewReader(content), int64(len(content)), fieldsOf(t, "str INT"), nil)
		require.NoError(t, err)
		_, err = f.Read(0, 10)
		require.Error(t, err)
	}
}

func TestNamesDifferInCase(t *testing.T) {
	var b bytes.Buffer
	w, err := NewWriter(&b, fieldsOf(t, "a INT, A STRING"), "snappy")
	require.NoError(t, err)
	require.NoError(t, w.Close())
	_, err = Open(bytes.NewReader(b.Bytes()), int64(b.Len()), fieldsOf(t, "a INT"), nil)
	require.ErrorContains(t, err, "letter case")
}

func TestUnknownCodec(t *testing.T) {
	_, err := NewWriter(&bytes.Buffer{}, fieldsOf(t, "a INT"), "lzo")
	require.ErrorContains(t, err, "compression")
	_, err = NewWriter(&bytes.Buffer{}, fieldsOf(t, "a STRUCT<>"), "none")
	require.ErrorContains(t, err, "struct without fields")
}
