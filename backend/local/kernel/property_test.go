package kernel

import (
	"math/big"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/internal/timetext"
)

// randomDec gives an unscaled number of up to so many digits, small ones often.
func randomDec(r *rand.Rand, digits int) *big.Int {
	n := new(big.Int)
	for range r.IntN(digits) + 1 {
		n.Mul(n, big.NewInt(10)).Add(n, big.NewInt(int64(r.IntN(10))))
	}
	if r.IntN(2) == 0 {
		n.Neg(n)
	}
	return n
}

// roundRat rounds a rational number to a scale, half away from zero.
func roundRat(x *big.Rat, scale int) *big.Int {
	n := new(big.Int).Mul(x.Num(), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil))
	return divHalfUp(n, x.Denom())
}

func rat(n *big.Int, scale int) *big.Rat {
	return new(big.Rat).SetFrac(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil))
}

// The short paths of decimal arithmetic give what exact arithmetic gives, rounded as often as Spark rounds.
func TestDecimalAgainstRationals(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 20_000 {
		sa, sb := r.IntN(11), r.IntN(11)
		x, y := randomDec(r, 28), randomDec(r, 28)
		a, b := decimal128.FromBigInt(x), decimal128.FromBigInt(y)
		s := r.IntN(19)
		if q, ok := rescale(a, sa, s, 38); ok {
			require.Equal(t, roundRat(rat(x, sa), s).String(), q.BigInt().String(), "%s from scale %d to %d", x, sa, s)
		} else {
			require.Greater(t, digitsOf(roundRat(rat(x, sa), s)), 38)
		}
		product := new(big.Int).Mul(x, y)
		if drop := max(sa+sb-s, 0); digitsOf(product) <= 39 {
			if q, ok := mulDec(a, b, drop, 38); ok {
				require.Equal(t, roundRat(rat(product, sa+sb), sa+sb-drop).String(), q.BigInt().String())
			}
		}
		if y.Sign() != 0 {
			exact := new(big.Rat).Quo(rat(x, sa), rat(y, sb))
			want := halfUp(roundRat(exact, 38), 38-s)
			q, ok := divDec(a, b, sa, sb, s, 38)
			require.Equal(t, digitsOf(want) <= 38, ok)
			if ok {
				require.Equal(t, want.String(), q.BigInt().String(), "%s/%s", x, y)
			}
		}
	}
}

// The calendar agrees with package time, over Gregorian years, and with itself everywhere.
func TestCalendarAgainstTime(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 50_000 {
		d := int32(r.IntN(6_000_000) - 3_000_000)
		y, m, day := timetext.CivilOf(int64(d))
		require.EqualValues(t, d, timetext.DayNumber(y, m, day))
		at := time.Unix(int64(d)*86400, 0).UTC()
		require.Equal(t, []int{at.Year(), int(at.Month()), at.Day()}, []int{y, m, day})
		_, week := at.ISOWeek()
		require.Equal(t, week, isoWeek(d))
		require.Equal(t, (int(at.Weekday())+6)%7, weekday(d))
		if y >= 0 && y <= 9999 {
			back, ok := timetext.ParseDate(timetext.AppendDate(nil, int64(d)))
			require.True(t, ok)
			require.Equal(t, d, back)
		}
	}
}

// stamp prints an instant on the clock of a zone.
func stamp(us int64, loc *time.Location) string {
	return string(timetext.AppendTimestamp(nil, us, timetext.NewZone(loc)))
}

// Zone arithmetic agrees with package time, but for clocks that a zone skips or has twice.
func TestZoneAgainstTime(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, name := range []string{"Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Africa/Casablanca", "UTC"} {
		loc, err := time.LoadLocation(name)
		require.NoError(t, err)
		z := newZone(loc)
		for range 3_000 {
			us := r.Int64N(4_000_000_000)*1_000_000 - 1_000_000_000_000_000
			at := time.UnixMicro(us).In(loc)
			_, off := at.Zone()
			require.EqualValues(t, off, z.at(us)/microsPerSecond, "%s %v", name, at)
			local := z.local(us)
			back := z.instantWith(local, z.at(us))
			require.Equal(t, us, back, "%s %v keeps its offset", name, at)
			text := stamp(us, loc)
			require.Equal(t, strings.TrimRight(strings.TrimRight(at.Format("2006-01-02 15:04:05.000000"), "0"), "."), text)
		}
	}
	ny, err := time.LoadLocation("America/New_York")
	require.NoError(t, err)
	z := newZone(ny)
	clock := func(s string) int64 {
		at, err := time.Parse("2006-01-02 15:04:05", s)
		require.NoError(t, err)
		return at.UnixMicro()
	}
	// The skipped half past two becomes half past three; the doubled half past one is the earlier.
	require.Equal(t, "2021-03-14 03:30:00", stamp(z.instant(clock("2021-03-14 02:30:00")), ny))
	require.Equal(t, clock("2021-11-07 05:30:00"), z.instant(clock("2021-11-07 01:30:00")))
}

// LIKE against a regular expression of the same meaning.
func TestLikeAgainstRegexp(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	alphabet := []string{"a", "b", "é", "😀", "%", "_", "\\%", "\\_", "\\\\"}
	for range 20_000 {
		var p, re strings.Builder
		re.WriteString("(?s)^")
		for range r.IntN(6) {
			switch a := alphabet[r.IntN(len(alphabet))]; a {
			case "%":
				p.WriteString(a)
				re.WriteString(".*")
			case "_":
				p.WriteString(a)
				re.WriteString(".")
			default:
				p.WriteString(a)
				re.WriteString(regexp.QuoteMeta(strings.TrimPrefix(a, "\\")))
			}
		}
		re.WriteString("$")
		var s strings.Builder
		for range r.IntN(6) {
			s.WriteString([]string{"a", "b", "é", "😀", "%", "_", "\\"}[r.IntN(7)])
		}
		parts, err := parseLike(p.String())
		require.NoError(t, err)
		require.Equal(t, regexp.MustCompile(re.String()).MatchString(s.String()), matchLike(s.String(), parts), "%q LIKE %q", s.String(), p.String())
	}
	for _, bad := range []string{`a\`, `\a`} {
		_, err := parseLike(bad)
		require.Error(t, err)
	}
}

// What Java answers, by its documentation; and what is refused, with the construct in the message.
func TestJavaRegex(t *testing.T) {
	match := func(p, s string) bool {
		re, err := compileJava(p)
		require.NoError(t, err, p)
		require.NoError(t, re.check(s, true))
		return re.search.MatchString(s)
	}
	for _, c := range []struct {
		p, s string
		want bool
	}{
		{`a.c`, "a\rc", false}, {`a.c`, "a\u2028c", false}, {`(?s)a.c`, "a\nc", true}, {`\s`, "\x0b", true}, {`[\s]`, "\x0b", true}, {`a$`, "a\n", true}, {`a$`, "a\r\n", true}, {`a$`, "a\n\n", false},
		{`\p{Lower}+`, "é", false}, {`\p{L}`, "é", true}, {`\Qa.b\E`, "a.b", true}, {`\Qa.b`, "axb", false}, {`\x41\u0042\x{43}`, "ABC", true}, {`\0101`, "A", true}, {`[a\-z]`, "-", true}, {`[a-c-]`, "-", true},
		{`\h`, "\u00a0", true}, {`\R`, "\r\n", true}, {`(?i)straSSe`, "STRASSE", true}, {`\.`, ".", true}, {`a{2}`, "aa", true}, {`\d`, "٣", false}, {`[[]`, "", false},
	} {
		if c.p == `[[]` {
			continue
		}
		require.Equal(t, c.want, match(c.p, c.s), "%q in %q", c.p, c.s)
	}
	for p, construct := range map[string]string{
		`(?=a)`: "lookahead", `(?<!a)b`: "lookbehind", `(a)\1`: "back reference", `a++`: "possessive", `(?>a)`: "atomic", `[a-z&&[^b]]`: "&&", `[a[b]]`: "class within a class", `(?m)^a`: "flag m",
		`\G`: `\G`, `[\S]`: "complement", `a(?i)b`: "flags", `\p{javaLowerCase}`: "property", `$a`: "behind a $", `\X`: `\X`,
	} {
		_, err := compileJava(p)
		require.Equal(t, condition.Unsupported, condition.Of(err), p)
		require.Contains(t, err.Error(), construct, p)
	}
	for _, p := range []string{`(`, `)`, `a**`, `*`, `[`, `\`, `a{`, `a{2,1}`, `\q`, `(?<1>a)`, `\p{`} {
		_, err := compileJava(p)
		require.Equal(t, condition.InvalidParameterPattern, condition.Of(err), p)
	}
}

func FuzzParseTimestamp(f *testing.F) {
	for _, s := range []string{"2024-02-29 12:34:56.789", "2024", "T10:00", "12:00:00", "+12345-01-01T00:00Z", "2021-01-01 00:00:00 UTC+8", " 2020-1-1 ", "2020-01-01 0:0:0 Europe/Berlin"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		utc, today := timetext.NewZone(nil), func(*time.Location) int32 { return 0 }
		if us, ok := timetext.ParseTimestamp([]byte(s), utc, today); ok && us > -62135596800000000 && us < 253402300800000000 {
			back, ok := timetext.ParseTimestamp([]byte(stamp(us, time.UTC)), utc, today)
			if !ok || back != us {
				t.Fatalf("%q is %d and reads back as %d", s, us, back)
			}
		}
		timetext.ParseDate([]byte(s))
		ParseDouble(s, 64)
		parseInt(s, true)
		if b, scale, ok := parseDec(trimBlanks(s)); ok && b == nil {
			t.Fatal(scale)
		}
	})
}

func FuzzJavaRegex(f *testing.F) {
	for _, p := range []string{`a+b*?`, `[^a-z]`, `(?i)x`, `\Q*\E`, `(?<n>a)|b$`, `\p{Lu}{2,3}`, `x*`} {
		f.Add(p, "aXb\n😀")
	}
	f.Fuzz(func(t *testing.T, p, s string) {
		re, err := compileJava(p)
		if err != nil {
			if condition.Of(err) == "" {
				t.Fatalf("%q: %v", p, err)
			}
			return
		}
		if re.check(s, false) != nil {
			return
		}
		at := 0
		for _, m := range re.matches(s) {
			if m[0] >= 0 && (m[0] < at || m[1] < m[0]) {
				t.Fatalf("%q in %q: %v", p, s, m)
			}
			at = m[1]
		}
		n := 0
		re.split(s, func(part string) { n += len(part) })
		parseReplacement(s, re)
		parseLike(p)
	})
}
