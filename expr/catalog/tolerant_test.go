package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTolerant(t *testing.T) {
	for message, want := range map[string]string{
		"Division by zero. Use try_divide to tolerate divisor being 0 and return NULL instead.":         "In Go: functions.TryDivide.",
		"Use `try_add` or `try_subtract` to tolerate overflow. If try_add is too much":                  "In Go: functions.TryAdd, functions.TrySubtract.",
		"cannot be cast to \"INT\" because it is malformed. Use `try_cast` to tolerate malformed input": "In Go: TryCast.",
		"Use try_nothing_of_the_kind to be lucky.":                                                      "",
		"A retry_cast, and no advice.":                                                                  "",
		"":                                                                                              "",
	} {
		require.Equal(t, want, Tolerant(message), message)
	}
}
