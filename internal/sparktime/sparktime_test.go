package sparktime

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"15m": 15 * time.Minute, "5min": 5 * time.Minute, "100ms": 100 * time.Millisecond, "7": 7 * time.Millisecond, " 2 H ": 2 * time.Hour,
		"3s": 3 * time.Second, "1d": 24 * time.Hour, "9us": 9 * time.Microsecond, "0s": 0,
	} {
		got, err := Parse(text, time.Millisecond)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "s", "-1s", "1.5s", "1 week", "99999999999999999999s", "9223372036854775807d"} {
		_, err := Parse(text, time.Second)
		require.Error(t, err, text)
	}
}
