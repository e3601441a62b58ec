package kernel

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

func init() {
	register("rlike", func(c *call) (evalFunc, error) {
		return withRegex(c, func(r *javaRegex, v []*vec.Vec, n int, null []bool, each func(i int) (*javaRegex, error)) (*vec.Vec, error) {
			out := make([]bool, n)
			for i := range out {
				if isNull(null, i) {
					continue
				}
				re, err := each(i)
				if err != nil {
					return nil, err
				}
				s := javaString(v[0].Str(i))
				if err := re.check(s, true); err != nil {
					return nil, err
				}
				out[i] = re.search.MatchString(s)
			}
			return vec.Of(datatype.Boolean, out), nil
		})
	})
	register("regexp_replace", func(c *call) (evalFunc, error) {
		return withRegex(c, func(r *javaRegex, v []*vec.Vec, n int, null []bool, each func(i int) (*javaRegex, error)) (*vec.Vec, error) {
			w := newWriter(c.Typ, n)
			last, parts := "", []replacePart(nil)
			for i := range n {
				if !isNull(null, i) {
					re, err := each(i)
					if err != nil {
						return nil, err
					}
					if by := v[2].Str(i); parts == nil || by != last {
						if parts, err = parseReplacement(by, re); err != nil {
							return nil, err
						}
						last = by
					}
					s := javaString(v[0].Str(i))
					if err := re.check(s, false); err != nil {
						return nil, err
					}
					at := 0
					for _, m := range re.matches(s) {
						if m[0] >= 0 {
							w.buf = append(w.buf, s[at:m[0]]...)
						} else {
							w.buf = append(w.buf, '?')
						}
						for _, p := range parts {
							w.buf = append(w.buf, p.text...)
							if p.group >= 0 && m[2*p.group] >= 0 {
								w.buf = append(w.buf, s[m[2*p.group]:m[2*p.group+1]]...)
							}
						}
						if at = m[1]; m[0] < 0 {
							w.buf = append(w.buf, '?')
						}
					}
					w.buf = append(w.buf, s[at:]...)
				}
				w.end()
			}
			return w.vec(), nil
		})
	})
	register("split", func(c *call) (evalFunc, error) {
		return withRegex(c, func(r *javaRegex, v []*vec.Vec, n int, null []bool, each func(i int) (*javaRegex, error)) (*vec.Vec, error) {
			out := &vec.Vec{Type: c.Typ, Len: n, Off: make([]int32, 1, n+1)}
			w := newWriter(datatype.String, n)
			for i := range n {
				if !isNull(null, i) {
					re, err := each(i)
					if err != nil {
						return nil, err
					}
					s := v[0].Str(i)
					if !re.empty {
						s = javaString(s)
					}
					if err := re.check(s, false); err != nil {
						return nil, err
					}
					re.split(s, func(part string) {
						w.buf = append(w.buf, part...)
						w.end()
					})
				}
				out.Off = append(out.Off, int32(len(w.off)-1))
			}
			out.Kids = []*vec.Vec{w.vec()}
			return out, nil
		})
	})
}

// withRegex compiles a literal pattern once; any other is compiled when it changes from row to row.
func withRegex(c *call, f func(r *javaRegex, v []*vec.Vec, n int, null []bool, each func(i int) (*javaRegex, error)) (*vec.Vec, error)) (evalFunc, error) {
	c.fails = true
	var fixed *javaRegex
	if lit, ok := c.literal(1); ok && lit != nil {
		r, err := compileJava(lit.(string))
		if err != nil {
			return nil, place(err, c.Call)
		}
		fixed = r
		c.fails = r.dollar || r.ascii || r.fold || r.nothing && r.anchored
	}
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		last, re := "", fixed
		return f(fixed, v, n, null, func(i int) (*javaRegex, error) {
			if fixed != nil {
				return fixed, nil
			}
			if p := v[1].Str(i); re == nil || p != last {
				var err error
				if re, err = compileJava(p); err != nil {
					return nil, err
				}
				last = strings.Clone(p)
			}
			return re, nil
		})
	}, nil
}

// javaRegex is a Java pattern in Go's syntax. What Go would answer differently is either refused when it is compiled, or noted here
// and refused for the texts where it matters.
type javaRegex struct {
	re     *regexp.Regexp
	search *regexp.Regexp // the same for a search, where a $ may swallow the last line end
	names  map[string]int
	// literal is the pattern where it stands for one text, which needs no machine; else "".
	literal string
	// empty is Java's special case of split: an empty pattern gives the code points.
	empty bool
	// dollar: there is a $ or \Z, which in Java also matches before a last line end.
	dollar bool
	// ascii: \b and \B look at Unicode's letters in Java and at ASCII's in Go.
	ascii bool
	// fold: (?i) folds ASCII letters only in Java, and the Kelvin sign and the long s in Go.
	fold bool
	// nothing: the pattern may match the empty text; anchored: it looks at its surroundings.
	nothing, anchored bool
}

// regexError is a pattern that Java refuses too.
func regexError(pattern, why string) error {
	return condition.Newf(condition.InvalidParameterPattern, "The value of parameter regexp is invalid: %q: %s.", pattern, why)
}

// regexUnsupported is a pattern, or a pattern over a text, that Java answers and Go would answer differently or not at all.
func regexUnsupported(pattern, construct string) error {
	e := condition.Newf(condition.Unsupported, "The local engine does not run the regular expression %q: %s.", pattern, construct)
	e.Hint = "Write the pattern without it, or run the query on Spark."
	return e
}

const lineEnds = `\n\r\x{85}\x{2028}\x{2029}`

// posix are Java's classes of ASCII.
var posix = map[string]string{
	"Lower": "a-z", "Upper": "A-Z", "ASCII": `\x00-\x7F`, "Alpha": "a-zA-Z", "Digit": "0-9", "Alnum": "a-zA-Z0-9",
	"Punct": `!-/:-@\[-` + "`" + `{-~`, "Graph": "!-~", "Print": " -~", "Blank": ` \t`, "Cntrl": `\x00-\x1F\x7F`, "XDigit": "0-9a-fA-F", "Space": ` \t\n\x0B\f\r`,
}

// classes are the escapes that stand for a set, without brackets.
var classes = map[byte]string{
	'd': "0-9", 'w': "a-zA-Z_0-9", 's': ` \t\n\x0B\f\r`, 'h': ` \t\x{A0}\x{1680}\x{180E}\x{2000}-\x{200A}\x{202F}\x{205F}\x{3000}`, 'v': `\n\x0B\f\r\x{85}\x{2028}\x{2029}`,
}

// compileJava translates the common subset of Java's regular expressions to Go's. Lookaround, back references, possessive quantifiers,
// atomic groups, set operations in classes and the flags m, x, d and u are refused by name.
//
// Source: java.util.regex.Pattern (Java 17).
func compileJava(pattern string) (*javaRegex, error) {
	t := &translator{p: pattern, r: &javaRegex{empty: pattern == "", names: map[string]int{}}}
	if !utf8.ValidString(pattern) {
		return nil, regexError(pattern, "it is no UTF-8")
	}
	if err := t.run(); err != nil {
		return nil, err
	}
	parsed, err := syntax.Parse(t.out.String(), syntax.Perl)
	if err != nil {
		if se, ok := err.(*syntax.Error); ok && (se.Code == syntax.ErrInvalidRepeatSize || se.Code == syntax.ErrLarge || se.Code == syntax.ErrNestingDepth) {
			return nil, regexUnsupported(pattern, "it repeats or nests too often for a matcher of linear time")
		}
		return nil, regexError(pattern, err.Error())
	}
	t.r.nothing, t.r.anchored = minLength(parsed) == 0, hasAnchor(parsed)
	if t.r.re, err = regexp.Compile(t.out.String()); err != nil {
		return nil, regexError(pattern, err.Error())
	}
	if t.r.search, err = regexp.Compile(t.find.String()); err != nil {
		return nil, regexError(pattern, err.Error())
	}
	if text, whole := t.r.re.LiteralPrefix(); whole && !t.r.anchored && !t.r.dollar {
		t.r.literal = text
	}
	for i, n := range t.r.re.SubexpNames() {
		if n != "" {
			t.r.names[n] = i
		}
	}
	return t.r, nil
}

type translator struct {
	p         string
	i         int
	r         *javaRegex
	out, find strings.Builder // find differs in $ alone
	dotAll    bool
	fold      bool
	depth     int
	atom      bool // something that a quantifier can follow
	unicode   bool // the pattern has letters beyond ASCII
}

// emit writes a piece that a quantifier may follow.
func (t *translator) emit(s string) {
	t.out.WriteString(s)
	t.find.WriteString(s)
	t.atom = true
}

func (t *translator) bad(construct string) error { return regexUnsupported(t.p, construct) }

// run translates the whole pattern, construct by construct; what it does not know is an error, never passed on.
func (t *translator) run() error {
	for t.i < len(t.p) {
		c := t.p[t.i]
		switch c {
		case '\\':
			if err := t.escape(); err != nil {
				return err
			}
		case '[':
			set, err := t.class()
			if err != nil {
				return err
			}
			t.emit(set)
		case '(':
			if err := t.open(); err != nil {
				return err
			}
		case ')':
			if t.depth == 0 {
				return regexError(t.p, "there is a ) without a (")
			}
			t.depth--
			t.i++
			t.emit(")")
		case '|':
			t.i++
			t.emit("|")
			t.atom = false
		case '.':
			t.i++
			if t.dotAll {
				t.emit("(?s:.)")
			} else {
				t.emit("[^" + lineEnds + "]")
			}
		case '^':
			t.i++
			t.emit("^")
		case '$':
			t.i++
			if err := t.end(); err != nil {
				return err
			}
		case '*', '+', '?', '{':
			if err := t.quantifier(); err != nil {
				return err
			}
		default:
			r, n := utf8.DecodeRuneInString(t.p[t.i:])
			t.unicode = t.unicode || r >= utf8.RuneSelf
			t.emit(regexp.QuoteMeta(t.p[t.i : t.i+n]))
			t.i += n
		}
	}
	if t.depth != 0 {
		return regexError(t.p, "a ( is not closed")
	}
	if t.fold && t.unicode {
		return t.bad("(?i) with letters beyond ASCII, which Java does not fold")
	}
	return nil
}

// end translates $ and \Z.
func (t *translator) end() error {
	if t.i < len(t.p) && t.p[t.i] != ')' && t.p[t.i] != '|' {
		return t.bad("something behind a $")
	}
	t.r.dollar = true
	t.out.WriteString(`\z`)
	t.find.WriteString(`(?:\r\n|[` + lineEnds + `])?\z`)
	t.atom = false
	return nil
}

// open translates what begins with a parenthesis.
func (t *translator) open() error {
	rest := t.p[t.i:]
	switch {
	case !strings.HasPrefix(rest, "(?"):
		t.i++
		t.emit("(")
	case strings.HasPrefix(rest, "(?:"):
		t.i += 3
		t.emit("(?:")
	case strings.HasPrefix(rest, "(?="), strings.HasPrefix(rest, "(?!"):
		return t.bad("lookahead")
	case strings.HasPrefix(rest, "(?<="), strings.HasPrefix(rest, "(?<!"):
		return t.bad("lookbehind")
	case strings.HasPrefix(rest, "(?>"):
		return t.bad("an atomic group")
	case strings.HasPrefix(rest, "(?<"):
		end := strings.IndexByte(rest, '>')
		if end < 0 {
			return regexError(t.p, "the name of a group is not closed")
		}
		for k, c := range []byte(rest[3:end]) {
			if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || k > 0 && c >= '0' && c <= '9') {
				return regexError(t.p, "the name of a group has other characters than letters and digits")
			}
		}
		t.i += end + 1
		t.emit("(?P<" + rest[3:end] + ">")
	default:
		end := strings.IndexAny(rest, ":)")
		if end < 0 {
			return regexError(t.p, "a ( is not closed")
		}
		if rest[end] == ':' || t.depth > 0 || t.out.Len() > 0 && strings.Trim(t.out.String(), "()?isP") != "" {
			return t.bad("flags elsewhere than at the start")
		}
		for _, f := range rest[2:end] {
			switch f {
			case 's':
				t.dotAll = true
			case 'i':
				t.fold, t.r.fold = true, true
			case 'm', 'x', 'd', 'u', 'U', '-':
				return t.bad("the flag " + string(f))
			default:
				return regexError(t.p, "there is no flag "+string(f))
			}
		}
		t.i += end + 1
		if strings.ContainsRune(rest[2:end], 'i') {
			t.emit("(?i)")
		}
		t.atom = false
		return nil
	}
	t.depth++
	t.atom = false
	return nil
}

// quantifier translates *, +, ? and {…} with their reluctant forms. Java refuses a brace that is no repetition, which Go would take
// for a text.
func (t *translator) quantifier() error {
	if !t.atom {
		return regexError(t.p, "a quantifier has nothing to repeat")
	}
	q := t.p[t.i : t.i+1]
	if q == "{" {
		end := strings.IndexByte(t.p[t.i:], '}')
		if end < 0 {
			return regexError(t.p, "a { is not closed")
		}
		q = t.p[t.i : t.i+end+1]
		lo, hi, two := strings.Cut(q[1:len(q)-1], ",")
		a, err := strconv.Atoi(lo)
		b := a
		if err == nil && two && hi != "" {
			b, err = strconv.Atoi(hi)
		}
		if err != nil || a < 0 || b < a {
			return regexError(t.p, "a repetition is no {n}, {n,} or {n,m}")
		}
	}
	t.i += len(q)
	if t.i < len(t.p) {
		switch t.p[t.i] {
		case '+':
			return t.bad("a possessive quantifier")
		case '?':
			q += "?"
			t.i++
		}
	}
	t.emit(q)
	t.atom = false // Java refuses a second quantifier, except the marks above
	return nil
}

// escape translates an escape outside a class.
func (t *translator) escape() error {
	if t.i+1 >= len(t.p) {
		return regexError(t.p, "it ends in a backslash")
	}
	c := t.p[t.i+1]
	switch {
	case c == 'b' || c == 'B':
		if strings.HasPrefix(t.p[t.i+2:], "{") {
			return t.bad(`\b{…}`)
		}
		t.r.ascii = true
		t.emit(t.p[t.i : t.i+2])
	case c == 'A' || c == 'z':
		t.emit(t.p[t.i : t.i+2])
	case c == 'Z':
		t.i += 2
		return t.end()
	case c == 'R':
		t.emit(`(?:\r\n|[\n\x0B\f\r\x{85}\x{2028}\x{2029}])`)
	case c >= '1' && c <= '9' || c == 'k':
		return t.bad("a back reference")
	case c == 'G' || c == 'X' || c == 'N':
		return t.bad(`\` + string(c))
	case c == 'Q':
		rest := t.p[t.i+2:]
		text, _, _ := strings.Cut(rest, `\E`)
		t.unicode = t.unicode || !isASCII(text)
		if text != "" {
			t.emit(regexp.QuoteMeta(text[:len(text)-lastRune(text)]) + regexp.QuoteMeta(text[len(text)-lastRune(text):]))
		}
		t.i += 2 + len(text)
		if strings.HasPrefix(t.p[t.i:], `\E`) {
			t.i += 2
		}
		return nil
	default:
		set, single, err := t.escaped()
		if err != nil {
			return err
		}
		if single {
			t.emit(set)
		} else {
			t.emit("[" + set + "]")
		}
		return nil
	}
	t.i += 2
	return nil
}

func lastRune(s string) int {
	_, n := utf8.DecodeLastRuneInString(s)
	return n
}

// escaped translates an escape that stands for a character (single) or for a set of them, and steps behind it. A complement
// comes as ^ and the set.
func (t *translator) escaped() (set string, single bool, err error) {
	c := t.p[t.i+1]
	hex := func(from, n int) (string, error) {
		if from+n > len(t.p) {
			return "", regexError(t.p, "an escape has too few digits")
		}
		d := t.p[from : from+n]
		if _, err := strconv.ParseUint(d, 16, 32); err != nil {
			return "", regexError(t.p, "an escape has no hexadecimal digits")
		}
		t.i = from + n
		v, _ := strconv.ParseUint(d, 16, 32)
		t.unicode = t.unicode || v >= utf8.RuneSelf
		return `\x{` + d + "}", nil
	}
	switch c {
	case 'd', 'w', 's', 'h', 'v':
		t.i += 2
		return classes[c], false, nil
	case 'D', 'W', 'S', 'H', 'V':
		t.i += 2
		return "^" + classes[c+'a'-'A'], false, nil
	case 't', 'n', 'r', 'f', 'a':
		t.i += 2
		return `\` + string(c), true, nil
	case 'e':
		t.i += 2
		return `\x1B`, true, nil
	case 'x':
		if strings.HasPrefix(t.p[t.i+2:], "{") {
			end := strings.IndexByte(t.p[t.i:], '}')
			if end < 0 {
				return "", false, regexError(t.p, "an escape is not closed")
			}
			s, err := hex(t.i+3, end-3)
			t.i++
			return s, true, err
		}
		s, err := hex(t.i+2, 2)
		return s, true, err
	case 'u':
		s, err := hex(t.i+2, 4)
		return s, true, err
	case '0':
		j := t.i + 2
		v := 0
		for n := 0; j < len(t.p) && n < 3 && t.p[j] >= '0' && t.p[j] <= '7' && v*8+int(t.p[j]-'0') <= 0377; n++ {
			v = v*8 + int(t.p[j]-'0')
			j++
		}
		if j == t.i+2 {
			return "", false, regexError(t.p, `a \0 has no octal digits`)
		}
		t.i = j
		return fmt.Sprintf(`\x{%x}`, v), true, nil
	case 'p', 'P':
		name, rest := "", t.p[t.i+2:]
		switch {
		case strings.HasPrefix(rest, "{"):
			end := strings.IndexByte(rest, '}')
			if end < 0 {
				return "", false, regexError(t.p, "a property is not closed")
			}
			name = rest[1:end]
			t.i += 2 + end + 1
		case rest != "":
			name = rest[:1]
			t.i += 3
		}
		not := ""
		if c == 'P' {
			not = "^"
		}
		if s, ok := posix[name]; ok {
			return not + s, false, nil
		}
		name = strings.TrimPrefix(name, "Is")
		if len(name) == 0 || len(name) > 2 || name == "LC" || name == "L1" || name == "LD" {
			return "", false, t.bad(`the property \p{` + name + `}`)
		}
		s := `\p{` + name + `}`
		if _, err := syntax.Parse(s, syntax.Perl); err != nil {
			return "", false, t.bad(`the property ` + s)
		}
		t.unicode = true
		return not + s, false, nil
	}
	if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
		return "", false, regexError(t.p, `there is no escape \`+string(c))
	}
	_, n := utf8.DecodeRuneInString(t.p[t.i+1:])
	t.unicode = t.unicode || n > 1
	s := regexp.QuoteMeta(t.p[t.i+1 : t.i+1+n])
	if s == "-" || s == "&" || s == "~" {
		s = `\` + s
	}
	t.i += 1 + n
	return s, true, nil
}

// class translates [ … ].
func (t *translator) class() (string, error) {
	var b strings.Builder
	b.WriteString("[")
	t.i++
	if strings.HasPrefix(t.p[t.i:], "^") {
		b.WriteString("^")
		t.i++
	}
	for first := true; ; first = false {
		if t.i >= len(t.p) {
			return "", regexError(t.p, "a class is not closed")
		}
		c := t.p[t.i]
		switch {
		case c == ']':
			if first {
				return "", t.bad("a ] at the start of a class")
			}
			t.i++
			b.WriteString("]")
			return b.String(), nil
		case c == '[':
			return "", t.bad("a class within a class (write \\[ for the bracket itself)")
		case strings.HasPrefix(t.p[t.i:], "&&"):
			return "", t.bad("an intersection of classes (&&)")
		case c == '\\':
			if t.i+1 >= len(t.p) {
				return "", regexError(t.p, "a class is not closed")
			}
			switch t.p[t.i+1] {
			case 'Q', 'R', 'X', 'b', 'B', 'N':
				return "", t.bad(`\` + string(t.p[t.i+1]) + " in a class")
			}
			set, _, err := t.escaped()
			if err != nil {
				return "", err
			}
			if strings.HasPrefix(set, `^\p`) {
				set = `\P` + set[3:]
			} else if strings.HasPrefix(set, "^") {
				return "", t.bad("a complement such as \\S in a class")
			}
			b.WriteString(set)
		default:
			r, n := utf8.DecodeRuneInString(t.p[t.i:])
			t.unicode = t.unicode || r >= utf8.RuneSelf
			switch c {
			case '^':
				b.WriteString(`\^`)
			case '-':
				// A dash at an edge is itself, elsewhere a range; Go reads both as Java does.
				b.WriteString("-")
			default:
				b.WriteString(t.p[t.i : t.i+n])
			}
			t.i += n
		}
	}
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// check refuses a text for which Go and Java could differ.
func (r *javaRegex) check(s string, search bool) error {
	if r.dollar && !search && s != "" {
		if last, _ := utf8.DecodeLastRuneInString(s); strings.ContainsRune("\n\r\u0085\u2028\u2029", last) {
			return regexUnsupported(r.re.String(), "a $ before the line end that ends the text, when replacing or splitting")
		}
	}
	if r.ascii && !isASCII(s) {
		return regexUnsupported(r.re.String(), `\b in a text beyond ASCII`)
	}
	if r.fold && strings.ContainsAny(s, "\u212a\u017f\u0130\u0131") {
		return regexUnsupported(r.re.String(), "(?i) in a text with letters that fold to ASCII ones")
	}
	if r.nothing && r.anchored && !search && s != "" {
		// Java also finds an empty match right behind another match, which Go leaves out.
		for _, m := range r.re.FindAllStringIndex(s, -1) {
			if m[1] > m[0] {
				return regexUnsupported(r.re.String(), "a pattern with anchors that may match nothing, when replacing or splitting")
			}
		}
	}
	return nil
}

// matches gives the matches that a Java Matcher finds in turn, as FindStringSubmatchIndex gives them. Behind an empty match Java
// goes on by one UTF-16 unit: where that is half of a character beyond U+FFFF it finds the empty match again in the middle, and what
// is cut out of the text there is two question marks. Such a match has -1 as its start and the character's end as its end.
func (r *javaRegex) matches(s string) [][]int {
	if !r.nothing || r.anchored {
		return r.re.FindAllStringSubmatchIndex(s, -1)
	}
	var out [][]int
	for pos := 0; pos <= len(s); {
		m := r.re.FindStringSubmatchIndex(s[pos:])
		if m == nil {
			break
		}
		for i := range m {
			if m[i] >= 0 {
				m[i] += pos
			}
		}
		out = append(out, m)
		if m[1] > m[0] {
			pos = m[1]
			continue
		}
		// Behind an empty match the search goes on one character further.
		if m[1] >= len(s) {
			break
		}
		_, n := utf8.DecodeRuneInString(s[m[1]:])
		pos = m[1] + n
		if n == 4 {
			middle := make([]int, len(m))
			for i := range middle {
				middle[i] = -1
			}
			middle[1] = pos
			out = append(out, middle)
		}
	}
	return out
}

// split is Spark's split with no limit: Java's with limit -1, and the code points for an empty pattern.
func (r *javaRegex) split(s string, f func(string)) {
	if r.empty && s != "" {
		for i := 0; i < len(s); {
			n := width(s[i:])
			f(s[i : i+n])
			i += n
		}
		return
	}
	if r.literal != "" {
		for {
			part, rest, found := strings.Cut(s, r.literal)
			f(part)
			if !found {
				return
			}
			s = rest
		}
	}
	at, any, half := 0, false, false
	for _, m := range r.matches(s) {
		if m[1] == 0 {
			continue // no empty text before a match of nothing at the start
		}
		if m[0] < 0 {
			half, any = true, true
			f("?")
			at = m[1]
			continue
		}
		if half {
			f("?" + s[at:m[0]])
		} else {
			f(s[at:m[0]])
		}
		at, any, half = m[1], true, false
	}
	if !any {
		f(s)
		return
	}
	if half {
		f("?" + s[at:])
		return
	}
	f(s[at:])
}

// replacePart is a piece of a replacement: a text and then a group, or -1 for none.
type replacePart struct {
	text  string
	group int
}

// parseReplacement reads a replacement as Matcher.appendReplacement: $n with as many digits as there are groups for, ${name}, and a
// backslash that takes the next character as it is.
func parseReplacement(s string, r *javaRegex) ([]replacePart, error) {
	out := []replacePart{}
	groups := r.re.NumSubexp()
	fail := func(why string) ([]replacePart, error) {
		return nil, condition.Newf(condition.InvalidParameterPattern, "The replacement %q is invalid: %s.", s, why)
	}
	var text strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
			if i == len(s) {
				return fail("it ends in a backslash")
			}
			text.WriteByte(s[i])
		case '$':
			i++
			if i == len(s) {
				return fail("it ends in a dollar sign")
			}
			group := -1
			if s[i] == '{' {
				end := strings.IndexByte(s[i:], '}')
				if end < 0 {
					return fail("the name of a group is not closed")
				}
				g, ok := r.names[s[i+1:i+end]]
				if !ok {
					return fail("there is no group " + s[i+1:i+end])
				}
				group = g
				i += end
			} else {
				if s[i] < '0' || s[i] > '9' {
					return fail("a dollar sign stands before no group")
				}
				group = int(s[i] - '0')
				if group > groups {
					return fail("there is no group " + strconv.Itoa(group))
				}
				for i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9' && group*10+int(s[i+1]-'0') <= groups {
					group = group*10 + int(s[i+1]-'0')
					i++
				}
			}
			out = append(out, replacePart{text.String(), group})
			text.Reset()
		default:
			text.WriteByte(s[i])
		}
	}
	return append(out, replacePart{text.String(), -1}), nil
}

// minLength is the least number of characters that a parsed expression matches.
func minLength(re *syntax.Regexp) int {
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1
	case syntax.OpCapture:
		return minLength(re.Sub[0])
	case syntax.OpPlus:
		return minLength(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min * minLength(re.Sub[0])
	case syntax.OpConcat:
		n := 0
		for _, s := range re.Sub {
			n += minLength(s)
		}
		return n
	case syntax.OpAlternate:
		n := minLength(re.Sub[0])
		for _, s := range re.Sub[1:] {
			n = min(n, minLength(s))
		}
		return n
	}
	return 0
}

// hasAnchor tells whether an expression looks at what is around a match.
func hasAnchor(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	}
	for _, s := range re.Sub {
		if hasAnchor(s) {
			return true
		}
	}
	return false
}
