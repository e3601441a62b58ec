package zoneid_test

import (
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/internal/zoneid"
)

func TestParse(t *testing.T) {
	at := time.Date(2024, 7, 1, 0, 0, 0, 0, time.UTC)
	for name, want := range map[string]int{
		"UTC": 0, "Z": 0, "GMT": 0, "UT": 0, "Europe/Berlin": 7200, "+01:00": 3600, "-08:30": -(8*3600 + 1800), "GMT+2": 7200, "UTC-1": -3600, "UTC+01:30:15": 5415,
		"Asia/Kolkata": 19800, "UT+3": 10800, "+1": 3600, "+0530": 19800, "-013015": -5415, "+1:3": 3780, "+18:00": 18 * 3600, "PST": -7 * 3600, "EST": -5 * 3600,
		"Etc/GMT+1": -3600, "America/New_York": -4 * 3600,
	} {
		z, ok := zoneid.Parse(name)
		require.True(t, ok, name)
		_, offset := at.In(z).Zone()
		require.Equal(t, want, offset, name)
	}
	for _, name := range []string{
		"", "Local", "Nowhere/City", "+25:00", "+18:00:01", "+1:2:3:4", "+x", "../etc/passwd", "+", "-", "UTC+", "+130", "+01:60", "+01:00:5", "+1 ", "GMT+1:", "+٣", "UTC ",
	} {
		_, ok := zoneid.Parse(name)
		require.False(t, ok, "%q", name)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "UTC+", "+1:2", "GMT-08:00", "Z+1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		z, ok := zoneid.Parse(name)
		require.Equal(t, ok, z != nil)
	})
}
