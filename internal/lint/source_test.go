package lint

import (
	"bytes"
	"go/ast"
	"go/format"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// checkDocComments wants a comment on each package, on each exported constant,
// variable, type and function, on each exported method of an exported type, and
// on each method of an exported interface. Internal packages, commands' names
// and tests are for the project's own readers and exempt.
func checkDocComments(sources []source) []finding {
	var out []finding
	documented := map[string]bool{} // by folder
	first := map[string]source{}
	for _, s := range sources {
		if s.isTest() || isInternal(s.path) {
			continue
		}
		dir := path.Dir(s.path)
		documented[dir] = documented[dir] || hasText(s.ast.Doc)
		if _, ok := first[dir]; !ok {
			first[dir] = s
		}
		if s.ast.Name.Name != "main" {
			for _, decl := range s.ast.Decls {
				out = append(out, undocumented(s, decl)...)
			}
		}
	}
	for dir, ok := range documented {
		if !ok {
			s := first[dir]
			out = append(out, s.at(s.ast.Package, "package %s has no package comment", s.ast.Name.Name))
		}
	}
	slices.SortFunc(out, func(a, b finding) int {
		if c := strings.Compare(a.path, b.path); c != 0 {
			return c
		}
		return a.line - b.line
	})
	return out
}

func isInternal(p string) bool {
	return slices.Contains(strings.Split(path.Dir(p), "/"), "internal") || file{path: p}.inTestdata()
}

// hasText tells a comment from one that holds directives alone.
func hasText(c *ast.CommentGroup) bool { return c != nil && strings.TrimSpace(c.Text()) != "" }

func undocumented(s source, decl ast.Decl) []finding {
	var out []finding
	missing := func(name *ast.Ident, what string, docs ...*ast.CommentGroup) {
		if name.IsExported() && !slices.ContainsFunc(docs, hasText) {
			out = append(out, s.at(name.Pos(), "%s has no doc comment", what+name.Name))
		}
	}
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			missing(d.Name, "function ", d.Doc)
		} else if receiver(d).IsExported() {
			missing(d.Name, "method "+receiver(d).Name+".", d.Doc)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch sp := spec.(type) {
			case *ast.TypeSpec:
				// A comment on a group of types says nothing of each.
				docs := []*ast.CommentGroup{sp.Doc, sp.Comment}
				if len(d.Specs) == 1 {
					docs = append(docs, d.Doc)
				}
				missing(sp.Name, "type ", docs...)
				if i, ok := sp.Type.(*ast.InterfaceType); ok && sp.Name.IsExported() {
					for _, m := range i.Methods.List {
						for _, name := range m.Names {
							missing(name, "method "+sp.Name.Name+".", m.Doc, m.Comment)
						}
					}
				}
			case *ast.ValueSpec:
				for _, name := range sp.Names {
					missing(name, d.Tok.String()+" ", sp.Doc, sp.Comment, d.Doc)
				}
			}
		}
	}
	return out
}

// receiver is the name of the type that a method belongs to.
func receiver(d *ast.FuncDecl) *ast.Ident {
	expr := d.Recv.List[0].Type
	for {
		switch e := expr.(type) {
		case *ast.StarExpr:
			expr = e.X
		case *ast.ParenExpr:
			expr = e.X
		case *ast.IndexExpr:
			expr = e.X
		case *ast.IndexListExpr:
			expr = e.X
		case *ast.Ident:
			return e
		default:
			return ast.NewIdent("_")
		}
	}
}

// checkPanic refuses a call of panic outside tests, unless a comment that begins
// with "invariant:" on its line or on the one above says what makes it
// unreachable by a user's input.
func checkPanic(s source) []finding {
	if s.isTest() {
		return nil
	}
	excused := map[int]bool{}
	for _, group := range s.ast.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(strings.TrimLeft(strings.TrimPrefix(c.Text, "//"), " "), "invariant:") {
				// The reason may run on over the next lines of the same comment.
				line, last := s.fset.Position(c.Pos()).Line, s.fset.Position(group.End()).Line
				excused[line], excused[last], excused[last+1] = true, true, true
			}
		}
	}
	var out []finding
	ast.Inspect(s.ast, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "panic" && !excused[s.fset.Position(call.Pos()).Line] {
			out = append(out, s.at(call.Pos(), `panic without an "// invariant:" comment: return an error, or say why no input gets here`))
		}
		return true
	})
	return out
}

// checkFormat wants what gofmt writes.
func checkFormat(f file) []finding {
	if !f.isGo() || f.inTestdata() {
		return nil
	}
	formatted, err := format.Source(f.data)
	if err != nil {
		return []finding{{f.path, 0, err.Error()}}
	}
	if !bytes.Equal(formatted, f.data) {
		return []finding{{f.path, 0, "not formatted: run gofmt"}}
	}
	return nil
}

// The letters are kept apart so that this file does not find itself.
var (
	// Three of the last letter are a time zone in a date pattern, too: they count as
	// a note only where one would be written as such.
	markers = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME)\b|(^|\s)XX` + `X(:|\()|^\s*#?\s*XX` + `X\s`)
	// A path from the root of a machine, and not the tail of a longer one.
	machinePaths = regexp.MustCompile(`(^|[^\w.\-/$}])/(work` + `|root)/`)
)

// checkMarkers refuses unfinished work that is only noted: it is done, or it is
// an issue. In Go it looks at comments alone, since the strings may be data.
func checkMarkers(f file) []finding {
	if f.inTestdata() || !f.isText() {
		return nil
	}
	if !f.isGo() {
		return matches(f, 1, string(f.data), markers, "note of unfinished work")
	}
	s, err := parse(f)
	if err != nil {
		return nil // a finding of checkFormat
	}
	var out []finding
	for _, group := range s.ast.Comments {
		for _, c := range group.List {
			out = append(out, matches(f, s.fset.Position(c.Pos()).Line, strings.TrimLeft(c.Text, "/*"), markers, "note of unfinished work")...)
		}
	}
	return out
}

// checkPaths refuses paths that exist on the author's machine alone.
func checkPaths(f file) []finding {
	if !f.isText() {
		return nil
	}
	return matches(f, 1, string(f.data), machinePaths, "path of one machine")
}

func matches(f file, line int, text string, pattern *regexp.Regexp, what string) []finding {
	var out []finding
	for i, l := range strings.Split(text, "\n") {
		if m := pattern.FindString(l); m != "" {
			out = append(out, finding{f.path, line + i, what + ": " + strings.TrimSpace(m)})
		}
	}
	return out
}

func TestDocComments(t *testing.T) {
	const planted = `package p

func Bare() {}

// Good does good.
func Good() {}

func hidden() {}

type T struct{}

func (t *T) Method() {}

func (t T) hidden() {}

type u struct{}

func (u) Method() {}

// G is generic.
type G[K, V any] struct{}

func (g *G[K, V]) Get() {}

// These are many.
type (
	A int
	// B has its own.
	B int
)

// One comment for a group of values will do.
const (
	C = iota
	D
)

var E, f = 1, 2

var F int // F says it behind.

//go:embed x
var Directive string

// I is an interface.
type I interface {
	Bare()
	// Good is documented.
	Good()
	hidden()
}
`
	want := []string{
		"1: package p has no package comment",
		"3: function Bare",
		"10: type T",
		"12: method T.Method",
		"23: method G.Get",
		"27: type A",
		"38: var E",
		"43: var Directive",
		"47: method I.Bare",
	}
	expect(t, checkDocComments([]source{goFile(t, "expr/p.go", planted)}), want...)
	expect(t, checkDocComments([]source{
		goFile(t, "expr/p.go", planted),
		goFile(t, "expr/doc.go", "// Package p is documented in another file.\npackage p\n"),
	}), want[1:]...)
	expect(t, checkDocComments([]source{
		goFile(t, "expr/p_test.go", planted),
		goFile(t, "expr/internal/p/p.go", planted),
		goFile(t, "internal/p.go", planted),
	}))
	expect(t, checkDocComments([]source{goFile(t, "cmd/c/main.go", "package main\nfunc Bare() {}\n")}), "1: package main has no")
}

func TestPanic(t *testing.T) {
	const planted = `package p

func f(panicked bool) {
	panic("no reason")
	panic("reason behind") // invariant: the parser refuses it
	// invariant: the parser refuses it,
	// which takes two lines to say
	panic("reason above")
	// An invariant: not at the beginning.
	panic("other comment")
	recover()
}
`
	expect(t, checkPanic(goFile(t, "expr/p.go", planted)), "4: panic", "10: panic")
	expect(t, checkPanic(goFile(t, "internal/p.go", planted)), "4: panic", "10: panic")
	expect(t, checkPanic(goFile(t, "expr/p_test.go", planted)))
}

func TestFormat(t *testing.T) {
	expect(t, checkFormat(file{"p.go", []byte("package p\n\nfunc  f() {}\n")}), "0: gofmt")
	expect(t, checkFormat(file{"p.go", []byte("package p\nfunc {")}), "0: expected")
	expect(t, checkFormat(file{"p.go", []byte("package p\n\nfunc f() {}\n")}))
	expect(t, checkFormat(file{"testdata/p.go", []byte("not Go")}))
}

func TestMarkers(t *testing.T) {
	todo, xxx := "TO"+"DO", "XX"+"X"
	expect(t, checkMarkers(file{"p.go", []byte("package p\n\n// " + todo + ": later\nvar a = 1 /* two\nFIX" + "ME lines */\n//" + xxx + " why\n// z " + xxx + ": why\n// " + "hh XX" + "X is a pattern\n")}),
		"3: unfinished", "5: unfinished", "6: unfinished", "7: unfinished")
	expect(t, checkMarkers(file{"p.go", []byte("package p\n\nvar pattern = \"" + todo + " ss" + xxx + "\"\n")}))
	expect(t, checkMarkers(file{"Makefile", []byte("all:\n\t# " + todo + "\n")}), "2: unfinished")
	expect(t, checkMarkers(file{"docs/dates.md", []byte("`ss[." + "SSS][" + xxx + "]` and TODOLIST\n")}))
	expect(t, checkMarkers(file{"a/testdata/b.txt", []byte(todo + "\n")}))
}

func TestPaths(t *testing.T) {
	work, root := "/"+"work/", "/"+"root/"
	expect(t, checkPaths(file{"a.sh", []byte("cd " + work + "x\nX=" + root + ".m2\n\"" + work + "\"\n")}), "1: path", "2: path", "3: path")
	expect(t, checkPaths(file{"a.go", []byte("package a\n\nconst p = \"" + work + "wt\"\n")}), "3: path")
	expect(t, checkPaths(file{"a.sh", []byte("$HOME" + work + " ./a" + root + " example.org" + work + " /" + "workshop/ HOME=/" + "root\n")}))
	expect(t, checkPaths(file{"a.bin", []byte("\x00 " + work)}))
}

func TestReceiver(t *testing.T) {
	s := goFile(t, "p.go", "package p\nfunc (a *(T[K])) m() {}\n")
	if got := receiver(s.ast.Decls[0].(*ast.FuncDecl)).Name; got != "T" {
		t.Errorf("receiver %s", got)
	}
}
