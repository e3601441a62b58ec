package fault_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local/fault"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

func TestPanicsAreErrors(t *testing.T) {
	var none []int
	err := fault.Do(func() error { none[len(none)]++; return nil })
	require.Equal(t, condition.InternalError, condition.Of(err))
	require.Contains(t, err.Error(), "fault_test.go:15")
	require.Contains(t, err.Error(), "index out of range")
	e, _ := errors.AsType[*condition.Error](err)
	require.Contains(t, e.Parameters["stackTrace"], "TestPanicsAreErrors")

	own := errors.New("own")
	require.ErrorIs(t, fault.Do(func() error { panic(own) }), own)
	require.Equal(t, own, fault.Do(func() error { return own }))
	n, err := fault.Get(func() (int, error) { return 7, nil })
	require.NoError(t, err)
	require.Equal(t, 7, n)
}
