package kernel

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A pattern that stands for one text splits without a machine, as the machine would.
func TestSplitByALiteral(t *testing.T) {
	parts := func(r *javaRegex, s string) (out []string) {
		r.split(s, func(part string) { out = append(out, part) })
		return out
	}
	for pattern, literal := range map[string]string{
		"/": "/", `\.`: ".", "aa": "aa", "日": "日", `\Q(a)\E`: "(a)", "[b]": "b", "(a)": "a",
		".": "", "^a": "", "a$": "", `\ba`: "", "a|b": "", "(?i)a": "", "a*": "", "": "",
	} {
		r, err := compileJava(pattern)
		require.NoError(t, err, pattern)
		require.Equal(t, literal, r.literal, pattern)
		machine := *r
		machine.literal = ""
		for _, s := range []string{"", "/", "a", "aa", "aaaa", "aaa", "/a/b/", "a.b..c", "日本日", "x(a)y(a)", "😀/😀", "bab", "AaA", "a\n"} {
			if r.check(s, false) == nil {
				require.Equal(t, parts(&machine, s), parts(r, s), "%q by %q", s, pattern)
			}
		}
	}
}
