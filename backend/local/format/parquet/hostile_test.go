package parquet

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// oneColumn writes a file of one column v.
func oneColumn(t *testing.T, ddl, codec string, values func(b *array.RecordBuilder)) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out, fieldsOf(t, ddl), codec)
	require.NoError(t, err)
	b := array.NewRecordBuilder(memory.DefaultAllocator, w.schema)
	defer b.Release()
	values(b)
	rec := b.NewRecordBatch()
	defer rec.Release()
	require.NoError(t, w.Write(rec))
	require.NoError(t, w.Close())
	return out.Bytes()
}

func longs(n int) func(b *array.RecordBuilder) {
	return func(b *array.RecordBuilder) {
		for i := range n {
			b.Field(0).(*array.Int64Builder).Append(int64(i))
		}
	}
}

// spends gives the bytes that f allocates.
func spends(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Sizes that a file names are not believed before there are bytes for them.
func TestSizesThatAreNotThere(t *testing.T) {
	content := oneColumn(t, "v BIGINT", "none", longs(100))
	open := func(content []byte) *File {
		f, err := Open(bytes.NewReader(content), int64(len(content)), fieldsOf(t, "v BIGINT"), nil)
		require.NoError(t, err)
		return f
	}
	fails := func(name string, f *File, says string) {
		t.Helper()
		spent := spends(func() {
			_, err := f.Read(0, 1024)
			require.ErrorContains(t, err, says, name)
		})
		require.Less(t, spent, uint64(64<<20), name)
	}
	for _, n := range []int64{-1, 1 << 40} {
		f := open(content)
		f.meta.MetaData().RowGroups[0].NumRows = n
		fails("rows of a group", f, "rows")
		f = open(content)
		f.meta.MetaData().RowGroups[0].Columns[0].MetaData.TotalCompressedSize = n
		fails("size of a chunk", f, "in a file of")
		f = open(content)
		f.meta.MetaData().RowGroups[0].Columns[0].MetaData.DataPageOffset = n
		fails("place of a chunk", f, "in a file of")
	}
	// The first page's header begins at byte 4: field 1 is the type, field 2 the size that its bytes have when they are unpacked.
	require.Equal(t, []byte{0x15, 0x00, 0x15}, content[4:7], "a data page")
	_, width := binary.Uvarint(content[7:])
	size := binary.AppendUvarint(nil, 2*200<<20)
	hostile := append(append(append([]byte{}, content[:7]...), size...), content[7+width:]...)
	f := open(hostile)
	meta := f.meta.MetaData().RowGroups[0].Columns[0].MetaData
	meta.TotalCompressedSize += int64(len(size) - width)
	fails("size of a page", f, "exceeds")

	c := &flatColumn{kind: flatStrings}
	spent := spends(func() {
		require.Error(t, c.dictionary([]byte{1, 0, 0, 0, 'x'}, 1<<30))
		require.Error(t, c.dictionary([]byte{1, 0, 0, 0, 'x'}, -2))
	})
	require.Less(t, spent, uint64(1<<20))
	c.drop()
}

// A value that is larger than pages usually are is read all the same.
func TestLargePage(t *testing.T) {
	large := make([]byte, 66<<20)
	rand.NewChaCha8([32]byte{}).Read(large)
	content := oneColumn(t, "v BINARY", "snappy", func(b *array.RecordBuilder) { b.Field(0).(*array.BinaryBuilder).Append(large) })
	f, err := Open(bytes.NewReader(content), int64(len(content)), fieldsOf(t, "v BINARY"), nil)
	require.NoError(t, err)
	recs, err := f.Read(0, 10)
	require.NoError(t, err)
	require.True(t, bytes.Equal(large, recs[0].Column(0).(*array.Binary).Value(0)))
	recs[0].Release()
}

// A row group whose column is stored in a type that it cannot be read from is not left out, whatever its statistics say: the read is an error.
func TestMisfitIsNotSkipped(t *testing.T) {
	filters := []connector.Filter{
		{Columns: []int{0}, Op: connector.Equal, Values: []any{int64(1000)}},
		{Columns: []int{0}, Op: connector.IsNull},
	}
	content := oneColumn(t, "v BIGINT", "none", longs(100))
	open := func(ddl string) *File {
		f, err := Open(bytes.NewReader(content), int64(len(content)), fieldsOf(t, ddl), nil)
		require.NoError(t, err)
		return f
	}
	for _, x := range filters {
		require.True(t, open("v BIGINT").Excludes(0, []connector.Filter{x}), x.Op)
		for _, ddl := range []string{"v INT", "v SMALLINT", "v STRING", "v DATE"} {
			f := open(ddl)
			require.False(t, f.Excludes(0, []connector.Filter{x}), "%s %s", ddl, x.Op)
			_, err := f.Read(0, 10)
			require.Equal(t, condition.ParquetTypeMismatch, condition.Of(err), "%s: %v", ddl, err)
		}
	}
}

// A file of another format is told by how it begins, and a damaged one of Parquet is not taken for it.
func TestForeignFile(t *testing.T) {
	fields := fieldsOf(t, "v BIGINT")
	for _, text := range []string{"v\n1\n", `{"v":1}` + "\n" + `{"v":2}`, "x"} {
		_, err := Open(bytes.NewReader([]byte(text)), int64(len(text)), fields, nil)
		require.ErrorIs(t, err, ErrForeign)
		require.ErrorContains(t, err, "not with PAR1")
		_, err = Schema(bytes.NewReader([]byte(text)), int64(len(text)))
		require.ErrorIs(t, err, ErrForeign)
	}
	cut := oneColumn(t, "v BIGINT", "none", longs(100))
	for _, content := range [][]byte{nil, cut[:10], cut[:len(cut)-1]} {
		_, err := Open(bytes.NewReader(content), int64(len(content)), fields, nil)
		require.Error(t, err)
		require.NotErrorIs(t, err, ErrForeign)
	}
}
