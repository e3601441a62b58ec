package kernel

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// In UTF-8 the width that a first byte promises is that of the character; the conformance suite has what Spark makes of other texts.
func TestCharacters(t *testing.T) {
	for _, s := range []string{"", "a", "eight by eight bytes", "é€😀", "long enough for words é€😀 in the middle, and behind them", strings.Repeat("😀a", 20)} {
		require.Equal(t, utf8.RuneCountInString(s), characters(s), s)
		for i, r := range s {
			require.Equal(t, utf8.RuneLen(r), width(s[i:]))
			require.Equal(t, utf8.RuneCountInString(s[:strings.IndexRune(s, r)]), position(s, string(r)), s)
		}
		require.Equal(t, -1, position(s, "\x00"))
	}
	for s, want := range map[string]int{"\xff": 1, "\xc3": 1, "\xe2\x82": 1, "\xe2ab": 1, "\xe2abc": 2, "\x80\x80": 2, "\xc0\x80": 2, "\xf0\x9f\x98\x80\xf0": 2} {
		require.Equal(t, want, characters(s), "%q", s)
		require.LessOrEqual(t, width(s), len(s))
	}
	require.Equal(t, 1, position("\xe2abcb", "c"))
	require.Equal(t, 2, position("\xe2abcb", "b"), "the first is within a width")
	require.Equal(t, -1, position("\xe2ab", "a"))
	require.Equal(t, "��", javaString("\xff\xe2\x82"))
}
