// Package glob reads the patterns that Hadoop, and so Spark, takes as paths of files: * is any text without a slash, ? any character, [abc], [a-c] and [^a] or [!a]
// one of a set, {a,b} one of several, which may have slashes, and \\ takes the next character as it is.
//
// Source: Hadoop's FileSystem.globStatus.
package glob

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// Hint is the way out for one whose path is no pattern.
const Hint = `A backslash before *, ?, [, ], {, } or \ makes the character a part of a name.`

// Is tells whether Spark takes a path as a pattern.
func Is(path string) bool { return strings.ContainsAny(path, "*?[]{}\\") }

// Check tells why a path is no pattern: a set or braces that do not close, a set that holds another, or nothing behind the last backslash. A path that stands
// for too many is none of its business.
func Check(path string) error {
	if !Is(path) {
		return nil
	}
	patterns, ok := Expand(path)
	if !ok {
		return nil
	}
	seen := map[string]bool{}
	for _, p := range patterns {
		for part := range strings.SplitSeq(p, "/") {
			if seen[part] || !Is(part) {
				continue
			}
			seen[part] = true
			if _, err := Compile(part); err != nil {
				return err
			}
		}
	}
	return nil
}

// MaxPaths bounds what braces expand to, and maxBytes what is built on the way, so that a short path can fill neither memory nor time.
const (
	MaxPaths = 10_000
	maxBytes = 32 << 20
)

// Expand expands {a,b} as Hadoop's patterns have it, from left to right. ok is false where that would pass the bounds.
func Expand(pattern string) (out []string, ok bool) {
	todo := []string{pattern} // the next to expand is the last
	built := 0
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		open, cuts := group(p)
		if cuts == nil {
			out = append(out, p)
			continue
		}
		end := cuts[len(cuts)-1]
		built += len(cuts)*(len(p)-(end-open)) + end - open
		if len(out)+len(todo)+len(cuts) > MaxPaths || built > maxBytes {
			return nil, false
		}
		for i := len(cuts) - 1; i >= 0; i-- {
			from := open + 1
			if i > 0 {
				from = cuts[i-1] + 1
			}
			todo = append(todo, p[:open]+p[from:cuts[i]]+p[end+1:])
		}
	}
	return out, true
}

// group finds the first braces of a pattern: where they open, and where each of their choices ends; no ends where there are none.
func group(p string) (open int, cuts []int) {
	depth := 0
	open = -1
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '{':
			if depth++; open < 0 {
				open = i
			}
		case '}':
			if open >= 0 {
				if depth--; depth == 0 {
					return open, append(cuts, i)
				}
			}
		case ',':
			if depth == 1 {
				cuts = append(cuts, i)
			}
		}
	}
	return open, nil
}

// Compile gives the expression of a pattern for one name: * is any text, ? any character, [abc], [a-c] and [^a] or [!a] one of a set, {a,b} one
// of several, and \\ takes the next character as it is. Source: Hadoop's GlobPattern.
func Compile(glob string) (*regexp.Regexp, error) {
	var b strings.Builder
	curly, set := 0, false
	runes := []rune(glob)
	for i := 0; i < len(runes); i++ {
		c := runes[i]
		quoted := regexp.QuoteMeta(string(c))
		switch {
		case c == '\\':
			if i++; i == len(runes) {
				return nil, fmt.Errorf("nothing follows the last \\")
			}
			b.WriteString(regexp.QuoteMeta(string(runes[i])))
		case c == ']': // the first of a set is one of it, as in []a]; the expression tells
			set = false
			b.WriteByte(']')
		case set && (c == '^' || c == '!') && runes[i-1] == '[':
			b.WriteByte('^')
		case set && c == '-':
			b.WriteByte('-')
		case set && c == '[':
			return nil, fmt.Errorf("a set holds another")
		case set:
			b.WriteString(quoted)
		case c == '*':
			b.WriteString(".*")
		case c == '?':
			b.WriteByte('.')
		case c == '[':
			set = true
			b.WriteByte('[')
		case c == '{':
			curly++
			b.WriteString("(?:")
		case c == ',' && curly > 0:
			b.WriteByte('|')
		case c == '}' && curly > 0:
			curly--
			b.WriteByte(')')
		default:
			b.WriteString(quoted)
		}
	}
	switch {
	case set:
		return nil, fmt.Errorf("a [ is not closed")
	case curly > 0:
		return nil, fmt.Errorf("a { is not closed")
	}
	if _, err := syntax.Parse(b.String(), syntax.Perl); err != nil {
		var e *syntax.Error
		if errors.As(err, &e) && e.Code == syntax.ErrInvalidCharRange {
			return nil, fmt.Errorf("%s is no range", e.Expr)
		}
		return nil, fmt.Errorf("a [ is not closed")
	}
	return regexp.Compile("(?s)^(?:" + b.String() + ")$")
}
