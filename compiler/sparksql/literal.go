// Package sparksql prints the SQL text of a relation for Spark: one SELECT where one is enough, common table expressions only for what is
// used twice, names quoted only where they must be, the same text for the same tree.
package sparksql

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Quote gives a name as an identifier of Spark SQL, between backticks where it is not plain.
func Quote(name string) string { return datatype.QuoteName(name) }

// String gives a text as a literal of Spark SQL. Backslashes and quotes are escaped; ${ is written so that Spark's substitution of
// variables never sees it; control characters are escapes, so that a statement stays on its lines.
func String(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('\'')
	from := 0 // what lies between it and i stands as it is
	for i := 0; i < len(s); {
		if !escapes[s[i]] {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		text := escape(r, s[i:])
		if text == "" && (r != utf8.RuneError || size > 1) {
			i += size
			continue
		}
		b.WriteString(s[from:i])
		if text == "" {
			text = string(r)
		}
		b.WriteString(text)
		i += size
		from = i
	}
	b.WriteString(s[from:])
	b.WriteByte('\'')
	return b.String()
}

// escapes are the bytes at which a character may begin that is not written as it is.
var escapes = func() (out [256]bool) {
	for c := range out {
		out[c] = c < ' ' || c >= 0x7f || c == '\'' || c == '\\' || c == '$'
	}
	return out
}()

// escape gives the form of a character within a literal, "" for itself; rest begins with it.
func escape(r rune, rest string) string {
	switch {
	case r == '\'':
		return `\'`
	case r == '\\':
		return `\\`
	case r == '\n':
		return `\n`
	case r == '\t':
		return `\t`
	case r == '\r':
		return `\r`
	case r == '$' && strings.HasPrefix(rest, "${"):
		return `\u0024`
	case r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff || unicode.Is(unicode.Cf, r) && r <= 0xffff:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return ""
}

// Literal gives a constant with its type: Spark reads back exactly the literal's type and value.
func Literal(l *tree.Literal) string { return value(l.Value, l.Typ) }

func value(v any, t datatype.Type) string {
	if v == nil {
		if t.Kind() == datatype.KindNull {
			return "NULL"
		}
		return "CAST(NULL AS " + t.String() + ")"
	}
	switch x := v.(type) {
	case bool:
		return strconv.FormatBool(x)
	case string:
		if t.Kind() == datatype.KindString {
			return String(x)
		}
		return "CAST(" + String(x) + " AS " + t.String() + ")"
	case []byte:
		return "X'" + strings.ToUpper(hex.EncodeToString(x)) + "'"
	case float64:
		return float(x, t)
	case *big.Int:
		return decimal(x, t.(datatype.Decimal))
	case int64:
		return integer(x, t)
	case []any:
		if s, ok := t.(datatype.Struct); ok {
			args := make([]string, 0, 2*len(x))
			for i, e := range x {
				args = append(args, String(s.Fields[i].Name), value(e, s.Fields[i].Type))
			}
			return "named_struct(" + strings.Join(args, ", ") + ")"
		}
		a, _ := t.(datatype.Array)
		if len(x) == 0 {
			return "CAST(array() AS " + t.String() + ")"
		}
		args := make([]string, len(x))
		for i, e := range x {
			args[i] = value(e, a.Elem)
		}
		return "array(" + strings.Join(args, ", ") + ")"
	case [][2]any:
		m, _ := t.(datatype.Map)
		if len(x) == 0 {
			return "CAST(map() AS " + t.String() + ")"
		}
		args := make([]string, 0, 2*len(x))
		for _, e := range x {
			args = append(args, value(e[0], m.Key), value(e[1], m.Value))
		}
		return "map(" + strings.Join(args, ", ") + ")"
	}
	return fmt.Sprint(v)
}

func integer(n int64, t datatype.Type) string {
	s := strconv.FormatInt(n, 10)
	switch x := t.(type) {
	case datatype.DayTime:
		return dayTime(n, x)
	case datatype.YearMonth:
		sign, m := "", n
		if n < 0 {
			sign, m = "-", -n
		}
		switch {
		case x.Start == datatype.Year && x.End == datatype.Month:
			return fmt.Sprintf("INTERVAL '%s%d-%d' YEAR TO MONTH", sign, m/12, m%12)
		case x.End == datatype.Year:
			return fmt.Sprintf("INTERVAL '%s%d' YEAR", sign, m/12)
		}
		return fmt.Sprintf("INTERVAL '%s%d' MONTH", sign, m)
	}
	switch t.Kind() {
	case datatype.KindByte:
		return s + "Y"
	case datatype.KindShort:
		return s + "S"
	case datatype.KindLong:
		return s + "L"
	case datatype.KindDate:
		return "DATE'" + day(n) + "'"
	case datatype.KindTimestamp:
		return "TIMESTAMP'" + instant(n) + "Z'"
	case datatype.KindTimestampNTZ:
		return "TIMESTAMP_NTZ'" + instant(n) + "'"
	case datatype.KindTime:
		return "TIME'" + time.UnixMicro(n).UTC().Format("15:04:05.999999") + "'"
	}
	return s
}

// day and instant write years beyond 9999 and before 1 with their sign, as Spark reads them.
func day(n int64) string {
	t := time.Unix(n*86400, 0).UTC()
	return year(t.Year()) + t.Format("-01-02")
}

func instant(us int64) string {
	t := time.UnixMicro(us).UTC()
	return year(t.Year()) + t.Format("-01-02 15:04:05.999999")
}

func year(y int) string {
	switch {
	case y > 9999:
		return fmt.Sprintf("+%d", y)
	case y < 0:
		return fmt.Sprintf("-%04d", -y)
	}
	return fmt.Sprintf("%04d", y)
}

func dayTime(us int64, t datatype.DayTime) string {
	sign, n := "", new(big.Int).SetInt64(us)
	if us < 0 {
		sign = "-"
		n.Neg(n)
	}
	u := n.Uint64()
	d, rest := u/86_400_000_000, u%86_400_000_000
	if t.Start == datatype.Day && t.End == datatype.Day {
		return fmt.Sprintf("INTERVAL '%s%d' DAY", sign, d)
	}
	h, rest := rest/3_600_000_000, rest%3_600_000_000
	m, rest := rest/60_000_000, rest%60_000_000
	s := fmt.Sprintf("%02d", rest/1_000_000)
	if f := rest % 1_000_000; f > 0 {
		s += strings.TrimRight(fmt.Sprintf(".%06d", f), "0")
	}
	text := fmt.Sprintf("INTERVAL '%s%d %02d:%02d:%s' DAY TO SECOND", sign, d, h, m, s)
	if t != datatype.DayToSecond {
		return "CAST(" + text + " AS " + t.String() + ")"
	}
	return text
}

func float(f float64, t datatype.Type) string {
	name, suffix, bits := "double", "D", 64
	if t.Kind() == datatype.KindFloat {
		name, suffix, bits = "float", "F", 32
	}
	switch {
	case math.IsNaN(f):
		return name + "('NaN')"
	case math.IsInf(f, 1):
		return name + "('Infinity')"
	case math.IsInf(f, -1):
		return name + "('-Infinity')"
	}
	s := strconv.FormatFloat(f, 'g', -1, bits)
	if v, err := strconv.ParseFloat(s, 64); bits == 32 && err == nil && math.Abs(v) > math.MaxFloat32 {
		// Spark compares the text with the greatest FLOAT, which the shortest text may lie above.
		s = strconv.FormatFloat(f, 'g', -1, 64)
	}
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return strings.ToUpper(s) + suffix
}

func decimal(n *big.Int, t datatype.Decimal) string {
	s := tree.DecimalText(n, t)
	digits := max(len(new(big.Int).Abs(n).String()), t.Scale)
	if digits == t.Precision && t.Scale > 0 {
		return s
	}
	if digits == t.Precision {
		return s + "BD"
	}
	return "CAST(" + s + "BD AS " + t.String() + ")"
}
