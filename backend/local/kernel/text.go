package kernel

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/internal/javatext"
)

func init() {
	texts("upper", func() func(string) string { return ascii(cases.Upper(language.Und), 'a', 'z') })
	texts("lower", func() func(string) string { return ascii(cases.Lower(language.Und), 'A', 'Z') })
	texts("trim", func() func(string) string { return func(s string) string { return strings.Trim(s, " ") } })
	texts("ltrim", func() func(string) string { return func(s string) string { return strings.TrimLeft(s, " ") } })
	texts("rtrim", func() func(string) string { return func(s string) string { return strings.TrimRight(s, " ") } })
	texts("reverse", func() func(string) string { return reverse })
	register("length", func(c *call) (evalFunc, error) {
		binary := c.typ(0).Kind() == datatype.KindBinary
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			out := make([]int32, n)
			for i := range out {
				if isNull(null, i) {
					continue
				}
				if binary {
					out[i] = v[0].Off[i+1] - v[0].Off[i]
				} else {
					out[i] = int32(characters(v[0].Str(i)))
				}
			}
			return vec.Of(datatype.Int, out), nil
		}, nil
	})
	register("concat", func(c *call) (evalFunc, error) {
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			w := newWriter(c.Typ, n)
			for i := range n {
				if !isNull(null, i) {
					for _, x := range v {
						w.buf = append(w.buf, x.Str(i)...)
					}
				}
				w.end()
			}
			return w.vec(), nil
		}, nil
	})
	register("substring", func(c *call) (evalFunc, error) {
		binary := c.typ(0).Kind() == datatype.KindBinary
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			w := newWriter(c.Typ, n)
			for i := range n {
				if !isNull(null, i) {
					length := int64(1<<31 - 1)
					if len(v) > 2 {
						length = int64(v[2].I32[i&v[2].Mask()])
					}
					pos := int64(v[1].I32[i&v[1].Mask()])
					if binary {
						w.buf = append(w.buf, subBinary(v[0].Str(i), pos, length)...)
					} else {
						w.buf = append(w.buf, substring(v[0].Str(i), pos, length)...)
					}
				}
				w.end()
			}
			return w.vec(), nil
		}, nil
	})
	textTest("contains", strings.Contains)
	textTest("startswith", strings.HasPrefix)
	textTest("endswith", strings.HasSuffix)
	register("replace", func(c *call) (evalFunc, error) {
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			w := newWriter(c.Typ, n)
			for i := range n {
				if !isNull(null, i) {
					by := ""
					if len(v) > 2 {
						by = v[2].Str(i)
					}
					if s, search := v[0].Str(i), v[1].Str(i); search == "" {
						w.buf = append(w.buf, s...)
					} else {
						for {
							k := strings.Index(s, search)
							if k < 0 {
								break
							}
							w.buf = append(append(w.buf, s[:k]...), by...)
							s = s[k+len(search):]
						}
						w.buf = append(w.buf, s...)
					}
				}
				w.end()
			}
			return w.vec(), nil
		}, nil
	})
	register("like", like)
	register("lpad", func(c *call) (evalFunc, error) { return padding(c, true), nil })
	register("rpad", func(c *call) (evalFunc, error) { return padding(c, false), nil })
	register("repeat", func(c *call) (evalFunc, error) {
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			w := newWriter(c.Typ, n)
			for i := range n {
				if !isNull(null, i) {
					s := v[0].Str(i)
					if k := v[1].I32[i&v[1].Mask()]; len(s) > 0 && k > 0 {
						if int64(len(w.buf))+int64(len(s))*int64(k) > 1<<31-1 {
							return nil, condition.Newf(condition.Unsupported, "the repeated texts of a batch pass 2 GiB.")
						}
						for range k {
							w.buf = append(w.buf, s...)
						}
					}
				}
				w.end()
			}
			return w.vec(), nil
		}, nil
	})
	register("instr", func(c *call) (evalFunc, error) {
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			out := make([]int32, n)
			for i := range out {
				if isNull(null, i) {
					continue
				}
				out[i] = int32(position(v[0].Str(i), v[1].Str(i))) + 1
			}
			return vec.Of(datatype.Int, out), nil
		}, nil
	})
}

// writer appends texts row by row.
type writer struct {
	t   datatype.Type
	buf []byte
	off []int32
}

func newWriter(t datatype.Type, n int) *writer { return &writer{t: t, off: make([]int32, 1, n+1)} }

func (w *writer) end() { w.off = append(w.off, int32(len(w.buf))) }

func (w *writer) vec() *vec.Vec {
	return &vec.Vec{Type: w.t, Len: len(w.off) - 1, Off: w.off, Bytes: w.buf}
}

// texts registers a function of one text. make gives a fresh function per evaluation, because casers keep state.
func texts(name string, make func() func(string) string) {
	register(name, func(c *call) (evalFunc, error) {
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			w, f := newWriter(c.Typ, n), make()
			for i := range n {
				if !isNull(null, i) {
					w.buf = append(w.buf, f(v[0].Str(i))...)
				}
				w.end()
			}
			return w.vec(), nil
		}, nil
	})
}

// ascii handles texts of ASCII without the tables of Unicode: letters from lo to hi change their case.
func ascii(full cases.Caser, lo, hi byte) func(string) string {
	var buf []byte
	return func(s string) string {
		buf = buf[:0]
		for i := 0; i < len(s); i++ {
			c := s[i]
			if c >= utf8.RuneSelf {
				if !utf8.ValidString(s) {
					s = string(javatext.MakeValid(nil, []byte(s)))
				}
				return full.String(s)
			}
			if c >= lo && c <= hi {
				c ^= 'a' ^ 'A'
			}
			buf = append(buf, c)
		}
		return string(buf)
	}
}

// textTest registers a test of a text for another; both are compared by bytes, which for UTF-8 is by code points.
func textTest(name string, f func(s, t string) bool) {
	register(name, func(c *call) (evalFunc, error) {
		return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
			out := make([]bool, n)
			for i := range out {
				out[i] = !isNull(null, i) && f(v[0].Str(i), v[1].Str(i))
			}
			return vec.Of(datatype.Boolean, out), nil
		}, nil
	})
}

// reverse goes by code points: a combining mark ends up before its letter, as in Spark.
func reverse(s string) string {
	out := make([]byte, len(s))
	for i, j := 0, len(s); i < len(s); {
		k := width(s[i:])
		j -= k
		copy(out[j:], s[i:i+k])
		i += k
	}
	return string(out)
}

// substring is UTF8String.substringSQL: a start before the text eats up the length.
func substring(s string, pos, length int64) string {
	start := int64(0)
	switch {
	case pos > 0:
		start = pos - 1
	case pos < 0:
		start = int64(characters(s)) + pos
	}
	end := start + length
	if end <= start || start >= int64(len(s)) {
		return ""
	}
	i, c := 0, int64(0)
	next := func() {
		i += width(s[i:])
		c++
	}
	for i < len(s) && c < start {
		next()
	}
	from := i
	for i < len(s) && c < end {
		next()
	}
	return s[from:i]
}

// subBinary is ByteArray.subStringSQL, which cuts a start before the bytes after it has found the end.
func subBinary(s string, pos, length int64) string {
	n := int64(len(s))
	if pos > n {
		return ""
	}
	start := int64(0)
	switch {
	case pos > 0:
		start = pos - 1
	case pos < 0:
		start = n + pos
	}
	end := n
	if n-start >= length {
		end = start + length
	}
	start = max(start, 0)
	if start >= end {
		return ""
	}
	return s[start:end]
}

// padding is LPAD and RPAD, in code points; the fill is repeated and cut.
func padding(c *call, left bool) evalFunc {
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		w := newWriter(c.Typ, n)
		for i := range n {
			if !isNull(null, i) {
				s, size, fill := v[0].Str(i), int(v[1].I32[i&v[1].Mask()]), v[2].Str(i)
				have := characters(s)
				switch {
				case size <= 0:
				case have >= size:
					w.buf = append(w.buf, substring(s, 1, int64(size))...)
				case fill == "":
					w.buf = append(w.buf, s...)
				default:
					if size > 1<<30 {
						return nil, condition.Newf(condition.Unsupported, "a padded text passes 1 GiB.")
					}
					if !left {
						w.buf = append(w.buf, s...)
					}
					per := characters(fill)
					missing := size - have
					for ; missing >= per; missing -= per {
						w.buf = append(w.buf, fill...)
					}
					w.buf = append(w.buf, substring(fill, 1, int64(missing))...)
					if left {
						w.buf = append(w.buf, s...)
					}
				}
			}
			w.end()
		}
		return w.vec(), nil
	}
}

// likePart is a piece of a LIKE pattern: a text, one code point, or any number of them.
type likePart struct {
	kind byte // 't', '_', '%'
	text string
}

// parseLike reads a pattern; a backslash takes _, % or a backslash as it is, and stands before nothing else.
func parseLike(p string) ([]likePart, error) {
	var out []likePart
	text := func(s string) {
		if n := len(out); n > 0 && out[n-1].kind == 't' {
			out[n-1].text += s
			return
		}
		out = append(out, likePart{'t', s})
	}
	for i := 0; i < len(p); {
		_, k := utf8.DecodeRuneInString(p[i:])
		switch p[i] {
		case '\\':
			if i+1 >= len(p) {
				return nil, condition.Newf("INVALID_FORMAT.ESC_AT_THE_END", "The format is invalid: '%s'. The escape character is not allowed to end with.", p)
			}
			if c := p[i+1]; c != '_' && c != '%' && c != '\\' {
				return nil, condition.Newf("INVALID_FORMAT.ESC_IN_THE_MIDDLE", "The format is invalid: '%s'. The escape character is not allowed to precede '%c'.", p, c)
			}
			text(p[i+1 : i+2])
			i += 2
			continue
		case '_':
			out = append(out, likePart{kind: '_'})
		case '%':
			if n := len(out); n == 0 || out[n-1].kind != '%' {
				out = append(out, likePart{kind: '%'})
			}
		default:
			text(p[i : i+k])
		}
		i += k
	}
	return out, nil
}

// matchLike matches a whole text in time proportional to text × pattern at worst.
func matchLike(s string, parts []likePart) bool {
	// The usual greedy walk: on a mismatch go back to the last % and let it take one more code point.
	i, p := 0, 0
	backI, backP := -1, -1
	for {
		if p < len(parts) {
			switch parts[p].kind {
			case '%':
				if p == len(parts)-1 {
					return true
				}
				backI, backP = i, p
				p++
				continue
			case '_':
				if i < len(s) {
					_, k := utf8.DecodeRuneInString(s[i:])
					i += k
					p++
					continue
				}
			default:
				if strings.HasPrefix(s[i:], parts[p].text) {
					i += len(parts[p].text)
					p++
					continue
				}
			}
		} else if i == len(s) {
			return true
		}
		if backP < 0 || backI >= len(s) {
			return false
		}
		_, k := utf8.DecodeRuneInString(s[backI:])
		backI += k
		i, p = backI, backP+1
	}
}

// decodes tells whether a text that is no UTF-8 has to be decoded before it is matched: where a character is counted, or U+FFFD looked for.
func decodes(parts []likePart) bool {
	for _, p := range parts {
		if p.kind == '_' || strings.Contains(p.text, "\uFFFD") {
			return true
		}
	}
	return false
}

// simpleLike tells whether Spark makes a comparison of bytes of a literal pattern: one or two texts with % between or around. Source:
// its rule LikeSimplification.
func simpleLike(parts []likePart) bool {
	form := ""
	for _, p := range parts {
		form += string(p.kind)
	}
	switch form {
	case "t", "t%", "%t", "%t%", "t%t":
		return true
	}
	return false
}

// like parses a literal pattern once, so that a bad one is refused before the first row.
func like(c *call) (evalFunc, error) {
	c.fails = true
	var fixed []likePart
	known, decode := false, false
	if lit, ok := c.literal(1); ok && lit != nil {
		parts, err := parseLike(lit.(string))
		if err != nil {
			return nil, place(err, c.Call)
		}
		fixed, known = parts, true
		decode = decodes(parts) && !simpleLike(parts)
		c.fails = false
	}
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		out := make([]bool, n)
		last, parts, decode := "", fixed, decode
		for i := range out {
			if isNull(null, i) {
				continue
			}
			if !known {
				if p := v[1].Str(i); p != last || parts == nil {
					var err error
					if parts, err = parseLike(p); err != nil {
						return nil, err
					}
					last, decode = p, decodes(parts)
				}
			}
			s := v[0].Str(i)
			if decode {
				s = javaString(s)
			}
			out[i] = matchLike(s, parts)
		}
		return vec.Of(datatype.Boolean, out), nil
	}, nil
}
