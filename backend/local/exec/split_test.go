package exec_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local/exec"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Pieces hold all rows in their order, and a batch is given back with its last piece, whichever that is, or when the reader stops early.
func TestSplit(t *testing.T) {
	ctx := context.Background()
	released := 0
	batch := func(from, n int) *vec.Batch {
		v := make([]int32, n)
		for i := range v {
			v[i] = int32(from + i)
		}
		return vec.NewBatch([]*vec.Vec{vec.Of(datatype.Int, v), nil}, n, func() { released++ })
	}
	split := func() *exec.Split {
		types := []datatype.Type{datatype.Int, datatype.Int}
		return &exec.Split{Rows: 3, Input: &exec.Values{Out: types, Batches: []*vec.Batch{batch(0, 7), batch(7, 2), batch(9, 3), batch(12, 4)}}}
	}

	s := split()
	require.NoError(t, s.Open(ctx))
	var got []int32
	var pieces []*vec.Batch
	for {
		b, err := s.Next(ctx)
		require.NoError(t, err)
		if b == nil {
			break
		}
		require.LessOrEqual(t, b.N, 3)
		require.Nil(t, b.Cols[1], "a column that nobody reads")
		got = append(got, b.Cols[0].I32[:b.N]...)
		pieces = append(pieces, b)
	}
	for i := range got {
		require.Equal(t, int32(i), got[i])
	}
	require.Len(t, got, 16)
	require.Zero(t, released)
	for i := len(pieces) - 1; i >= 0; i-- {
		pieces[i].Release()
		pieces[i].Release()
	}
	require.Equal(t, 4, released)
	require.NoError(t, s.Close())

	released = 0
	s = split()
	require.NoError(t, s.Open(ctx))
	first, err := s.Next(ctx)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.Equal(t, 3, released, "a piece of the first is out")
	first.Release()
	require.Equal(t, 4, released)

	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = split().Next(ended)
	require.ErrorIs(t, err, context.Canceled)
}
