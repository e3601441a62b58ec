package sparksql

import (
	"strings"

	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// exactArgument tells whether every value of a type has a literal of exactly that type: a NULL has none, a decimal literal has the precision of
// its digits, and NaN is a call. For the others a parameter is cast where it stands.
func exactArgument(t datatype.Type) bool {
	switch t.Kind() {
	case datatype.KindDecimal, datatype.KindFloat, datatype.KindDouble:
		return false
	case datatype.KindString:
		return datatype.Equal(t, datatype.String)
	}
	return t.Kind() < datatype.KindArray
}

// Inline puts the values of parameters into a text in the place of :name, as a server would that takes arguments. It reads the text as Spark's
// lexer does: what is within quotes or comments stays, and so does a colon of a path (v:field) and of a cast (v::INT).
func Inline(sql string, args []tree.ParamValue) string {
	if len(args) == 0 {
		return sql
	}
	values := map[string]string{}
	for _, a := range args {
		text := Literal(a.Value)
		if strings.HasPrefix(text, "-") {
			text = "(" + text + ")" // two of them would begin a comment
		}
		values[a.Name] = text
	}
	var b strings.Builder
	b.Grow(len(sql))
	word := func(c byte) bool {
		return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
	}
	for i := 0; i < len(sql); {
		n := skip(sql, i)
		if n == 0 && sql[i] == ':' {
			end := i + 1
			for end < len(sql) && word(sql[end]) {
				end++
			}
			value, known := values[sql[i+1:end]]
			path := i > 0 && (word(sql[i-1]) || strings.IndexByte(")]`:", sql[i-1]) >= 0)
			if known && !path {
				b.WriteString(value)
				i = end
				continue
			}
		}
		n = max(n, 1)
		b.WriteString(sql[i : i+n])
		i += n
	}
	return b.String()
}

// skip gives the length of the quoted text or the comment that begins at a place of a text, or 0.
func skip(sql string, i int) int {
	rest := sql[i:]
	switch {
	case strings.HasPrefix(rest, "--"):
		if n := strings.IndexAny(rest, "\r\n"); n >= 0 {
			return n
		}
		return len(rest)
	case strings.HasPrefix(rest, "/*"):
		depth := 0
		for n := 0; n < len(rest); n++ {
			switch {
			case strings.HasPrefix(rest[n:], "/*"):
				depth++
				n++
			case strings.HasPrefix(rest[n:], "*/"):
				depth--
				n++
				if depth == 0 {
					return n + 1
				}
			}
		}
		return len(rest)
	case rest[0] == '`' || rest[0] == '\'' || rest[0] == '"':
		// r'…' has no escapes.
		escapes := rest[0] != '`' && !(i > 0 && sql[i-1]|0x20 == 'r' && (i == 1 || !strings.ContainsAny(sql[i-2:i-1], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")))
		for n := 1; n < len(rest); n++ {
			switch {
			case escapes && rest[n] == '\\':
				n++
			case rest[n] == rest[0]:
				return n + 1 // a doubled quote begins another text at once
			}
		}
		return len(rest)
	}
	return 0
}
