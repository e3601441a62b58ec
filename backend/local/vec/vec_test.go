package vec_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/arrowtype"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

var types = func() []datatype.Type {
	var out []datatype.Type
	for _, ddl := range []string{"BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(12,2)", "DECIMAL(38,10)", "STRING", "BINARY", "DATE", "TIMESTAMP",
		"TIMESTAMP_NTZ", "INTERVAL DAY TO SECOND", "INTERVAL YEAR TO MONTH", "ARRAY<INT>", "MAP<STRING, BIGINT>", "STRUCT<x: INT, y: ARRAY<STRING>>", "ARRAY<STRUCT<a: DOUBLE>>"} {
		t, err := datatype.Parse(ddl)
		if err != nil {
			panic(err)
		}
		out = append(out, t)
	}
	return out
}()

// value makes a value as literals store it, nil one time in five, edges often.
func value(r *rand.Rand, t datatype.Type) any {
	if r.IntN(5) == 0 {
		return nil
	}
	integer := func(bits uint) any {
		switch r.IntN(4) {
		case 0:
			return int64(1)<<(bits-1) - 1
		case 1:
			return int64(-1) << (bits - 1)
		}
		return int64(r.IntN(5)) - 2
	}
	switch x := t.(type) {
	case datatype.Decimal:
		n := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(r.IntN(x.Precision))), nil)
		return n.Mul(n, big.NewInt(int64(r.IntN(19)-9)))
	case datatype.Array:
		out := []any{}
		for range r.IntN(4) {
			out = append(out, value(r, x.Elem))
		}
		return out
	case datatype.Map:
		out := [][2]any{}
		for i := range r.IntN(3) {
			out = append(out, [2]any{fmt.Sprint("k", i), value(r, x.Value)})
		}
		return out
	case datatype.Struct:
		out := []any{}
		for _, f := range x.Fields {
			out = append(out, value(r, f.Type))
		}
		return out
	}
	switch t.Kind() {
	case datatype.KindBoolean:
		return r.IntN(2) == 0
	case datatype.KindByte:
		return integer(8)
	case datatype.KindShort:
		return integer(16)
	case datatype.KindInt, datatype.KindDate, datatype.KindYearMonth:
		return integer(32)
	case datatype.KindFloat, datatype.KindDouble:
		return []float64{0, math.Copysign(0, -1), 1.5, -2.25, math.NaN(), math.Inf(1), math.Inf(-1)}[r.IntN(7)]
	case datatype.KindString:
		return []string{"", "a", "ab", "straße", "😀", "\x00"}[r.IntN(6)]
	case datatype.KindBinary:
		return [][]byte{{}, {0}, {0, 1}, {255}}[r.IntN(4)]
	}
	return integer(64)
}

func random(r *rand.Rand, t datatype.Type, n int) (*vec.Vec, []any) {
	b := vec.NewBuilder(t, 0)
	var want []any
	for range n {
		v := value(r, t)
		if err := b.AppendAny(v); err != nil {
			panic(err)
		}
		want = append(want, v)
	}
	return b.Vec(), want
}

func show(v any) string { return fmt.Sprintf("%v", v) }

func same(t *testing.T, want []any, v *vec.Vec, what string) {
	t.Helper()
	require.Equal(t, len(want), v.Len, what)
	for i, w := range want {
		require.Equal(t, show(w), show(v.Any(i)), "%s row %d of %s", what, i, v.Type)
	}
}

func TestOperationsAgainstValues(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		for _, typ := range types {
			a, wa := random(r, typ, r.IntN(20))
			b, wb := random(r, typ, 1+r.IntN(10))
			same(t, wa, a, "built")
			same(t, append(append(append([]any(nil), wa...), wb...), wb[0], wb[0]), vec.Concat(typ, []*vec.Vec{a, b, vec.Take(b, []int32{0}).Repeat(2)}), "concat")
			lo := r.IntN(b.Len)
			hi := lo + r.IntN(b.Len-lo+1)
			same(t, wb[lo:hi], b.Slice(lo, hi), "slice")
			same(t, append(append([]any(nil), wb[lo:hi]...), wb[lo:hi]...), vec.Concat(typ, []*vec.Vec{b.Slice(lo, hi), b.Slice(lo, hi)}), "concat of slices")
			var idx []int32
			var wt []any
			for range 12 {
				i := r.IntN(b.Len+1) - 1
				idx = append(idx, int32(i))
				if i < 0 {
					wt = append(wt, nil)
				} else {
					wt = append(wt, wb[i])
				}
			}
			same(t, wt, vec.Take(b, idx), "take")
			which, at := make([]int32, 9), make([]int32, 9)
			var wm []any
			for i := range which {
				which[i], at[i] = int32(r.IntN(3)-1), int32(r.IntN(b.Len))
				switch which[i] {
				case -1:
					wm = append(wm, nil)
				case 0:
					wm = append(wm, wb[at[i]])
				default:
					wm = append(wm, wb[0])
				}
			}
			same(t, wm, vec.Merge(typ, []*vec.Vec{b, vec.Take(b, []int32{0}).Repeat(b.Len)}, which, at), "merge")
		}
	}
}

// The row encoding gives values back, and is equal exactly where the order says equal.
func TestRowEncoding(t *testing.T) {
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 2))
		for _, typ := range types {
			v, want := random(r, typ, 24)
			w, _ := random(r, datatype.Int, 24)
			for _, exact := range []bool{false, true} {
				appendTo := vec.AppendKey
				if exact {
					appendTo = vec.AppendValue
				}
				rows := vec.Rows{Exact: exact}
				rows.Encode([]*vec.Vec{v, w}, 24)
				var enc [][]byte
				for i := range 24 {
					enc = append(enc, rows.Row(i))
					require.Equal(t, string(appendTo(appendTo(nil, v, i), w, i)), string(rows.Row(i)), "both ways to encode %s", typ)
				}
				back, err := vec.Decode([]datatype.Type{typ, datatype.Int}, enc)
				require.NoError(t, err)
				for i, x := range want {
					a, b := show(x), show(back[0].Any(i))
					if !exact { // a key has no minus zero
						a, b = normal(a), normal(b)
					}
					require.Equal(t, a, b, "%s", typ)
				}
			}
			if !datatype.IsOrderable(typ) {
				continue
			}
			compare := vec.CompareOf(typ)
			for i := range 24 {
				for j := range 24 {
					if v.IsNull(i) || v.IsNull(j) {
						continue
					}
					equal := string(vec.AppendKey(nil, v, i)) == string(vec.AppendKey(nil, v, j))
					require.Equal(t, equal, compare(v, i, v, j) == 0, "%s: %v and %v", typ, want[i], want[j])
					require.Equal(t, compare(v, i, v, j), -compare(v, j, v, i))
				}
			}
		}
	}
}

func normal(s string) string {
	out := []byte(nil)
	for i := 0; i < len(s); i++ {
		if s[i] == '-' && i+1 < len(s) && s[i+1] == '0' {
			continue
		}
		out = append(out, s[i])
	}
	return string(out)
}

func TestDecodeOfGarbage(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, typ := range types {
		v, _ := random(r, typ, 8)
		for i := range 8 {
			b := vec.AppendValue(nil, v, i)
			for n := range b {
				_, err := vec.Decode([]datatype.Type{typ}, [][]byte{b[:n]})
				require.Error(t, err, "%s cut to %d of %d", typ, n, len(b))
			}
			_, err := vec.Decode([]datatype.Type{typ}, [][]byte{append(b, 0)})
			require.Error(t, err)
		}
	}
}

// Columns go to Arrow and back, whole and sliced, and everything is released.
func TestArrow(t *testing.T) {
	for seed := range uint64(5) {
		r := rand.New(rand.NewPCG(seed, 3))
		var fields []datatype.Field
		var cols []*vec.Vec
		var want [][]any
		for i, typ := range types {
			v, w := random(r, typ, 17)
			fields = append(fields, datatype.Field{Name: fmt.Sprint("c", i), Type: typ, Nullable: true})
			cols, want = append(cols, v), append(want, w)
		}
		schema, err := arrowtype.Schema(fields)
		require.NoError(t, err)
		released := 0
		rec := vec.NewBatch(cols, 17, func() { released++ }).ToRecord(schema, fields)
		rec.Retain()
		rec.Release()
		require.Zero(t, released, "the batch is held while the record is")
		part := rec.NewSlice(3, 11)
		for _, c := range []struct {
			rec    arrow.RecordBatch
			lo, hi int
		}{{rec, 0, 17}, {part, 3, 11}} {
			b, err := vec.FromRecord(c.rec, typesOf(fields))
			require.NoError(t, err)
			for i := range fields {
				same(t, want[i][c.lo:c.hi], b.Cols[i], "from Arrow")
			}
			again := b.ToRecord(schema, fields)
			b2, err := vec.FromRecord(again, typesOf(fields))
			require.NoError(t, err)
			for i := range fields {
				same(t, want[i][c.lo:c.hi], b2.Cols[i], "to Arrow and back")
			}
			b2.Release()
			again.Release()
		}
		part.Release()
		rec.Release()
		require.Equal(t, 1, released)
	}
}

func typesOf(fields []datatype.Field) []datatype.Type {
	out := make([]datatype.Type, len(fields))
	for i, f := range fields {
		out[i] = f.Type
	}
	return out
}

func TestDictionaries(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	b := array.NewDictionaryBuilder(mem, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}).(*array.BinaryDictionaryBuilder)
	defer b.Release()
	for _, s := range []string{"x", "y", "x"} {
		require.NoError(t, b.AppendString(s))
	}
	b.AppendNull()
	a := b.NewArray()
	defer a.Release()
	v, err := vec.FromArrow(datatype.String, a)
	require.NoError(t, err)
	same(t, []any{"x", "y", "x", nil}, v, "dictionary")
	_, err = vec.FromArrow(datatype.Int, a)
	require.Error(t, err)
}

// A column with a dictionary gives what the same column without one gives, whatever is asked of it.
func TestDictionary(t *testing.T) {
	dict := texts("", "a", "long enough to be long", "ä")
	for name, null := range map[string][]bool{"no nulls": nil, "nulls": {false, true, false, false, true, false}} {
		v := &vec.Vec{Type: datatype.String, Len: 6, Codes: []int32{2, 0, 1, 0, 3, 3}, Dict: dict, Null: null}
		flat := v.Flat()
		require.Nil(t, flat.Dict)
		same := func(want, got *vec.Vec) {
			t.Helper()
			require.Equal(t, want.Len, got.Len, name)
			for i := range want.Len {
				require.Equal(t, want.IsNull(i), got.IsNull(i), "%s %d", name, i)
				require.Equal(t, want.Any(i), got.Any(i), "%s %d", name, i)
				require.Equal(t, vec.AppendValue(nil, want, i), vec.AppendValue(nil, got, i), "%s %d", name, i)
				if !want.IsNull(i) {
					require.Equal(t, want.Str(i), got.Str(i))
					require.Zero(t, vec.CompareOf(datatype.String)(want, i, got, i))
				}
			}
		}
		same(flat, v)
		same(flat.Slice(1, 5), v.Slice(1, 5))
		idx := []int32{5, -1, 0, 1, 1}
		same(vec.Take(flat, idx), vec.Take(v, idx))
		same(vec.Take(flat, idx), vec.Take(v, idx).Flat())
		same(vec.Concat(datatype.String, []*vec.Vec{flat, flat}), vec.Concat(datatype.String, []*vec.Vec{v, v.Slice(0, 6)}))
		which := []int32{0, 1, 0, 1, -1, 0}
		same(vec.Merge(datatype.String, []*vec.Vec{flat, flat}, which, nil), vec.Merge(datatype.String, []*vec.Vec{v, flat}, which, nil))
		var a, b vec.Rows
		a.Encode([]*vec.Vec{flat}, 6)
		b.Encode([]*vec.Vec{v}, 6)
		require.Equal(t, a.Buf, b.Buf)
		same(flat.Slice(0, 1).Repeat(3), v.Slice(0, 1).Repeat(3))
		same(flat.Slice(0, 1).Repeat(3).Flat(), v.Slice(0, 1).Repeat(3).Flat())
		array := vec.ToArrow(v, arrow.BinaryTypes.String)
		back, err := vec.FromArrow(datatype.String, array)
		require.NoError(t, err)
		same(flat, back)
	}
}

func texts(of ...string) *vec.Vec {
	b := vec.NewBuilder(datatype.String, len(of))
	for _, s := range of {
		b.AppendString(s)
	}
	return b.Vec()
}
