package glob

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBraces(t *testing.T) {
	for pattern, want := range map[string]string{
		"/a":            "/a",
		"/{a,b}/{c,d}":  "/a/c /a/d /b/c /b/d",
		"/{a{1,2},b}":   "/a1 /a2 /b",
		"/{a}":          "/a",
		`/\{a,b}`:       `/\{a,b}`,
		"/a}{b,c":       "/a}{b,c",
		"/{,x}y":        "/y /xy",
		"{{{{a,b}}}},c": "a,c b,c",
	} {
		got, ok := Expand(pattern)
		require.True(t, ok, pattern)
		require.Equal(t, strings.Fields(want), got, pattern)
	}
}

// TestGlob has patterns of Hadoop's kind beside what they meet and do not meet.
func TestGlob(t *testing.T) {
	for glob, names := range map[string][2]string{
		"*": {"|a|.x", ""}, "a?c": {"abc|aéc", "ac|abbc"}, "[ab]x": {"ax|bx", "cx|x"}, "[^ab]x": {"cx", "ax"}, "[!ab]x": {"cx", "ax"}, "[a-c]": {"b", "d|-"}, "{a,b{c,d}}.e": {"a.e|bc.e|bd.e", "b.e"}, `\*`: {"*", "a"}, "a.b": {"a.b", "axb"}, "(a|b)+$": {"(a|b)+$", "a"}, "a,b": {"a,b", "a"}, "[a^]": {"^|a", "b"},
	} {
		re, err := Compile(glob)
		require.NoError(t, err, glob)
		for _, n := range strings.Split(names[0], "|") {
			if glob == "(a|b)+$" {
				n = names[0]
			}
			require.True(t, re.MatchString(n), "%s meets %q", glob, n)
		}
		if names[1] != "" {
			for _, n := range strings.Split(names[1], "|") {
				require.False(t, re.MatchString(n), "%s does not meet %q", glob, n)
			}
		}
	}
	for _, glob := range []string{"[a", "{a", `a\`, "[[a]"} {
		_, err := Compile(glob)
		require.Error(t, err, glob)
	}
}
