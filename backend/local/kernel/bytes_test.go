package kernel

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// The memory of groups grows with them, and with what each holds.
func TestBytes(t *testing.T) {
	c := &count{}
	c.Grow(1000)
	require.GreaterOrEqual(t, Bytes(c), 8000)
	require.Less(t, Bytes(c), 20000)
	x := &collect{}
	x.Grow(2)
	small := Bytes(x)
	text := make([]byte, 100_000)
	v := vec.NewBuilder(datatype.String, 1)
	require.NoError(t, v.AppendAny(string(text)))
	require.NoError(t, x.Update([]*vec.Vec{v.Vec()}, nil, nil, 1))
	require.Greater(t, Bytes(x), small+100_000)
}
