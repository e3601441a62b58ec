package local

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/compiler"
)

// The engine follows the rules of the newest Spark that the compiler knows.
func TestTargetIsTheNewestSpark(t *testing.T) {
	v := new(Session).target().Version
	require.Regexp(t, fmt.Sprintf(`^%d\.%d(\.|$)`, v.Major, v.Minor), compiler.NewestSpark)
}
