package sparkconnect

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParseZone(t *testing.T) {
	at := time.Date(2024, 7, 1, 0, 0, 0, 0, time.UTC)
	for name, want := range map[string]int{
		"UTC": 0, "Z": 0, "GMT": 0, "Europe/Berlin": 7200, "+01:00": 3600, "-08:30": -(8*3600 + 1800), "GMT+2": 7200, "UTC-1": -3600, "UTC+01:30:15": 5415, "Asia/Kolkata": 19800, "UT+3": 10800,
	} {
		zone, err := parseZone(name)
		require.NoError(t, err, name)
		_, offset := at.In(zone).Zone()
		require.Equal(t, want, offset, name)
	}
	for _, name := range []string{"", "Local", "Nowhere/City", "+25:00", "+1:2:3:4", "+x", "../etc/passwd"} {
		_, err := parseZone(name)
		require.Error(t, err, name)
	}
}
