package vec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Columns that are too long for their offsets together are an error, and the batches are given back; what fits is put together.
func TestTooLong(t *testing.T) {
	defer func(n int) { longest = n }(longest)
	longest = 100
	list := datatype.Array{Elem: datatype.String, ContainsNull: true}
	pair := datatype.Struct{Fields: []datatype.Field{{Name: "s", Type: datatype.String}}}
	text := func(n int) any { return strings.Repeat("x", n) }
	for _, c := range []struct {
		name  string
		typ   datatype.Type
		value func(n int) any
	}{
		{"text", datatype.String, text},
		{"elements", datatype.Array{Elem: datatype.Int}, func(n int) any { return make([]any, n) }},
		{"text in arrays", list, func(n int) any { return []any{text(n)} }},
		{"text in structs", pair, func(n int) any { return []any{text(n)} }},
	} {
		batch := func(n int, released *int) *Batch {
			b := NewBuilder(c.typ, 1)
			require.NoError(t, b.AppendAny(c.value(n)), c.name)
			return NewBatch([]*Vec{b.Vec()}, 1, func() { *released++ })
		}
		released := 0
		out, err := ConcatBatches(t.Context(), []datatype.Type{c.typ}, []*Batch{batch(50, &released), batch(50, &released)})
		require.NoError(t, err, c.name)
		require.Equal(t, 2, out.N)
		_, err = ConcatBatches(t.Context(), []datatype.Type{c.typ}, []*Batch{batch(50, &released), batch(51, &released)})
		require.Equal(t, condition.Unsupported, condition.Of(err), c.name)
		require.Equal(t, 4, released, c.name)
		// Of a slice only its own rows count.
		long := NewBuilder(c.typ, 2)
		require.NoError(t, long.AppendAny(c.value(90)))
		require.NoError(t, long.AppendAny(c.value(5)))
		whole := NewBatch([]*Vec{long.Vec()}, 2, nil)
		_, err = ConcatBatches(t.Context(), []datatype.Type{c.typ}, []*Batch{whole.Slice(1, 2), batch(90, &released)})
		require.NoError(t, err, c.name)
	}
	// Of a constant the one row counts as often as it stands for a row, and so do its parts.
	one := NewBuilder(pair, 1)
	require.NoError(t, one.AppendAny([]any{text(20)}))
	constant := NewBatch([]*Vec{one.Vec().Repeat(5)}, 5, nil)
	rows := NewBuilder(pair, 1)
	require.NoError(t, rows.AppendAny([]any{text(1)}))
	other := NewBatch([]*Vec{rows.Vec()}, 1, nil)
	_, long := ConcatBatches(t.Context(), []datatype.Type{pair}, []*Batch{constant, other})
	require.Equal(t, condition.Unsupported, condition.Of(long))
	both, fits := ConcatBatches(t.Context(), []datatype.Type{pair}, []*Batch{constant.Slice(0, 4), other})
	require.NoError(t, fits)
	require.Equal(t, 5, both.N)
	// A dictionary is as long as the texts that its codes stand for.
	b := NewBuilder(datatype.String, 1)
	require.NoError(t, b.AppendAny(text(40)))
	coded := &Vec{Type: datatype.String, Len: 2, Codes: []int32{0, 0}, Dict: b.Vec()}
	_, err := ConcatBatches(t.Context(), []datatype.Type{datatype.String}, []*Batch{NewBatch([]*Vec{coded}, 2, nil), NewBatch([]*Vec{coded}, 2, nil)})
	require.Equal(t, condition.Unsupported, condition.Of(err))
}
