package timetext

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// TestCivil holds the calendar to package time over its whole range.
func TestCivil(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 100_000 {
		days := r.Int64N(8_000_000) - 4_000_000
		y, m, d := CivilOf(days)
		want := time.Unix(days*86_400, 0).UTC()
		require.Equal(t, want.Year(), y)
		require.Equal(t, int(want.Month()), m)
		require.Equal(t, want.Day(), d)
		back, ok := DaysOf(y, m, d)
		require.True(t, ok)
		require.EqualValues(t, days, back)
	}
	for _, bad := range [][3]int{{2023, 2, 29}, {1900, 2, 29}, {2024, 13, 1}, {2024, 0, 1}, {2024, 4, 31}, {2024, 1, 0}, {1 << 30, 1, 1}} {
		_, ok := DaysOf(bad[0], bad[1], bad[2])
		require.False(t, ok)
	}
}

// TestZones holds the wall clock to package time, around changes of the clock too.
func TestZones(t *testing.T) {
	for _, name := range []string{"Europe/Berlin", "America/Los_Angeles", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia", "UTC"} {
		loc, err := time.LoadLocation(name)
		require.NoError(t, err)
		z := NewZone(loc)
		r := rand.New(rand.NewPCG(2, 2))
		for range 20_000 {
			sec := r.Int64N(8_000_000_000) - 4_000_000_000
			_, off := time.Unix(sec, 0).In(loc).Zone()
			require.EqualValues(t, off, z.OffsetAt(sec))
			// A wall clock that is unique comes back to its instant.
			wall := sec + int64(off)
			back := z.ToInstant(wall)
			_, again := time.Unix(back, 0).In(loc).Zone()
			require.True(t, back == sec || back+int64(again) == wall && back < sec, "%s %d: %d", name, sec, back)
		}
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	z := NewZone(berlin)
	// In the gap the clock is moved on, in the overlap the earlier instant counts, as in Java.
	require.EqualValues(t, 1_711_848_600, z.ToInstant(time.Date(2024, 3, 31, 2, 30, 0, 0, time.UTC).Unix()))
	require.EqualValues(t, 1_729_989_000, z.ToInstant(time.Date(2024, 10, 27, 2, 30, 0, 0, time.UTC).Unix()))
}

func TestFastPathAgrees(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	base := []byte("2024-02-29T12:34:56.123456Z")
	took := 0
	for range 200_000 {
		s := append([]byte(nil), base[:19+r.IntN(len(base)-18)]...)
		for range r.IntN(3) {
			s[r.IntN(len(s))] = "0123456789 TZ:.-+"[r.IntN(17)]
		}
		sec, micros, utc, ok := parsePlain(s)
		if !ok {
			continue
		}
		took++
		w, good := parseWallClock(s)
		require.True(t, good, "%s", s)
		require.Equal(t, utc, w.zone != nil, "%s", s)
		v, good := w.micros(func(x int64) int64 { return x })
		require.True(t, good, "%s", s)
		require.Equal(t, sec*MicrosPerSecond+micros, v, "%s", s)
	}
	require.Greater(t, took, 20_000)
}

func TestIntervals(t *testing.T) {
	for _, c := range []struct {
		micros int64
		t      datatype.DayTime
		want   string
	}{
		{93_784_500_000, datatype.DayToSecond, "INTERVAL '1 02:03:04.5' DAY TO SECOND"},
		{-93_784_000_000, datatype.DayToSecond, "INTERVAL '-1 02:03:04' DAY TO SECOND"},
		{18_000_000_000, datatype.DayTime{Start: datatype.Hour, End: datatype.Hour}, "INTERVAL '05' HOUR"},
		{61_000_000, datatype.DayTime{Start: datatype.Second, End: datatype.Second}, "INTERVAL '61' SECOND"},
		{62_000_000, datatype.DayTime{Start: datatype.Minute, End: datatype.Second}, "INTERVAL '01:02' MINUTE TO SECOND"},
		{-1 << 63, datatype.DayToSecond, "INTERVAL '-106751991 04:00:54.775808' DAY TO SECOND"},
	} {
		require.Equal(t, c.want, string(AppendDayTime(nil, c.micros, c.t)))
		if c.micros != -1<<63 {
			v, ok := ParseDayTime(c.want, c.t)
			require.True(t, ok, c.want)
			require.Equal(t, c.micros, v)
		}
	}
	for want, months := range map[string]int32{"INTERVAL '1-2' YEAR TO MONTH": 14, "INTERVAL '-1-2' YEAR TO MONTH": -14, "INTERVAL '0-0' YEAR TO MONTH": 0} {
		require.Equal(t, want, string(AppendYearMonth(nil, months, datatype.YearToMonth)))
		v, ok := ParseYearMonth(want, datatype.YearToMonth)
		require.True(t, ok)
		require.Equal(t, months, v)
	}
}

func TestPatternsThatSparkRefuses(t *testing.T) {
	for _, p := range []string{"YYYY", "ww", "u", "e", "c", "yyyy-MM-dd'T", "yyyy]", "{", "#", "EEEEE", "aa", "HHH", "nn"} {
		_, err := Compile(p)
		require.Error(t, err, p)
	}
}

func FuzzTexts(f *testing.F) {
	for _, s := range []string{"2024-02-29 12:34:56.123456 Europe/Berlin", "12:34", "T1:2:3Z", "+12024-1-1", "2024-02-29T12:34:56+01:30:15", "-0044-03-15", "INTERVAL '1 02:03:04' DAY TO SECOND", "29.02.2024 1:02 PM Z"} {
		f.Add([]byte(s), "dd.MM.yyyy h:mm a X")
	}
	z := NewZone(time.UTC)
	f.Fuzz(func(t *testing.T, s []byte, pattern string) {
		if v, ok := ParseTimestamp(s, z, func(*time.Location) int32 { return 0 }); ok {
			again, ok := ParseTimestamp(AppendTimestamp(nil, v, z), z, nil)
			require.True(t, ok)
			require.Equal(t, v, again)
		}
		if v, ok := ParseDate(s); ok {
			again, ok := ParseDate(AppendDate(nil, int64(v)))
			require.True(t, ok)
			require.Equal(t, v, again)
		}
		ParseTimestampNTZ(s, true)
		if v, ok := ParseDayTime(string(s), datatype.DayToSecond); ok {
			again, ok := ParseDayTime(string(AppendDayTime(nil, v, datatype.DayToSecond)), datatype.DayToSecond)
			require.True(t, ok)
			require.Equal(t, v, again)
		}
		if p, err := Compile(pattern); err == nil {
			p.ParseTimestamp(string(s), z)
			p.ParseDate(string(s))
			p.AppendTimestamp(nil, 1_700_000_000_123_456, z)
		}
	})
}

// A letter that is written and not read is refused by name: a text for it would else pass for unparsable.
func TestUnreadLetter(t *testing.T) {
	_, err := CompileFor("yyyy g", Parsing)
	var e *PatternError
	require.ErrorAs(t, err, &e)
	require.Equal(t, "SPOONBILL_UNSUPPORTED", e.Condition)
	_, err = CompileFor("g", Formatting)
	require.NoError(t, err)
}
