package sparksql

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// unescape reads a literal back by the rules of Spark's ParserUtils.unescapeSQLString.
func unescape(t *testing.T, lit string) string {
	t.Helper()
	if len(lit) < 2 || lit[0] != '\'' || lit[len(lit)-1] != '\'' {
		t.Fatalf("%q is not between quotes", lit)
	}
	in := lit[1 : len(lit)-1]
	var b strings.Builder
	for i := 0; i < len(in); {
		switch {
		case in[i] == '\'':
			t.Fatalf("%q ends early", lit)
		case in[i] != '\\':
			_, n := utf8.DecodeRuneInString(in[i:])
			b.WriteString(in[i : i+n])
			i += n
		case in[i+1] == 'u':
			r, err := strconv.ParseUint(in[i+2:i+6], 16, 16)
			if err != nil {
				t.Fatal(err)
			}
			b.WriteRune(rune(r))
			i += 6
		default:
			c, ok := map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', '\\': '\\', '\'': '\''}[in[i+1]]
			if !ok {
				t.Fatalf("%q has the escape \\%c, which means something else to Spark", lit, in[i+1])
			}
			b.WriteByte(c)
			i += 2
		}
	}
	return b.String()
}

// Every text is read back as it was, on one line, and Spark's substitution of variables finds nothing in it.
func FuzzString(f *testing.F) {
	for _, s := range []string{"", "'", `\`, `\'`, "${x}", "$${env:HOME}", "a\nb", "\x00", "ß😀\u2028", `\u0041`, "%_", "--", strings.Repeat("x", 10000)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return // package expr refuses a text that is not UTF-8
		}
		lit := String(s)
		if got := unescape(t, lit); got != s {
			t.Fatalf("%q became %q, which Spark reads as %q", s, lit, got)
		}
		if strings.ContainsAny(lit, "\n\r") || strings.Contains(lit, "${") {
			t.Fatalf("%q", lit)
		}
	})
}

// Every name is one identifier, and the same name when it is read back.
func FuzzQuote(f *testing.F) {
	for _, s := range []string{"a", "`", "a`b", "select", "a.b", "", "1a", "ß", "a\nb", "Window", "${x}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q := Quote(s)
		name := q
		if strings.HasPrefix(q, "`") {
			if name = q[1 : len(q)-1]; strings.Contains(strings.ReplaceAll(name, "``", ""), "`") {
				t.Fatalf("%q ends early", q)
			}
			name = strings.ReplaceAll(name, "``", "`")
		}
		if name != s {
			t.Fatalf("%q became %q", s, q)
		}
		// A struct field of that name goes through the type's text and back.
		if utf8.ValidString(s) && s != "" {
			ddl := datatype.DDL([]datatype.Field{{Name: s, Type: datatype.Int, Nullable: true}})
			back, err := datatype.ParseFields(ddl)
			if err != nil || len(back) != 1 || back[0].Name != s {
				t.Fatalf("%q: %v %v", ddl, back, err)
			}
		}
	})
}

// The text after indentation is the same query: names and literals keep their line breaks.
func TestIndentKeepsNames(t *testing.T) {
	in := "SELECT `a\nb`, 'x\\'`', `c``\nd`\nFROM t"
	if got, want := indent(in), "  SELECT `a\nb`, 'x\\'`', `c``\nd`\n  FROM t"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
