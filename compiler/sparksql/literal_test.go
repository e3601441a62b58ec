package sparksql

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
)

// A text prints character by character as its rule says, in whatever order characters that are escaped and others come.
func TestString(t *testing.T) {
	plain := func(s string) string {
		var b strings.Builder
		for i, r := range s {
			switch {
			case r == '$' && strings.HasPrefix(s[i:], "${"):
				b.WriteString(`\u0024`)
			case r == '\'' || r == '\\':
				b.WriteString(`\` + string(r))
			case r == '\n' || r == '\t' || r == '\r':
				b.WriteString(strings.Trim(fmt.Sprintf("%q", r), "'"))
			case unicode.IsControl(r) || r == 0x2028 || r == 0x2029 || r == 0xfeff || unicode.Is(unicode.Cf, r) && r <= 0xffff:
				b.WriteString(fmt.Sprintf(`\u%04x`, r))
			default:
				b.WriteRune(r)
			}
		}
		return "'" + b.String() + "'"
	}
	parts := []string{"", "a", "'", `\`, "\n", "$", "${", "é", "\u00a0", "\u0085", "\u200b", "\ufeff", "\U0001f600", "\U000e0001", "\x00", "\x7f", "\xff", "\xe2\x82", "�"}
	for _, a := range parts {
		for _, b := range parts {
			for _, c := range parts {
				if text := a + b + c; String(text) != plain(text) {
					t.Errorf("%q prints as %q, not %q", text, String(text), plain(text))
				}
			}
		}
	}
}

// What stands between quotes is copied as it is, a backslash with what follows it, and a name of several lines is not moved.
func TestIndent(t *testing.T) {
	for text, want := range map[string]string{
		"a\nb": "  a\n  b", "'\\'\n'\n1": "  '\\'\n'\n  1", "`x\ny``\nz`\n1": "  `x\ny``\nz`\n  1", `'open\`: `  'open\`, "`open": "  `open", "": "  ",
		string(rawBegin) + "a\nb" + string(rawEnd) + "\nc": "  " + string(rawBegin) + "a\nb" + string(rawEnd) + "\n  c",
	} {
		if got := indent(text); got != want {
			t.Errorf("%q is moved to %q, not %q", text, got, want)
		}
	}
}

// BenchmarkLongString prints a text as a literal within a derived table; it should take about as long as copying it some times.
func BenchmarkLongString(b *testing.B) {
	text := strings.Repeat("x", 16<<20)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if n := len(finish(indent(String(text)))); n != len(text)+4 {
			b.Fatalf("%d bytes", n)
		}
	}
}
