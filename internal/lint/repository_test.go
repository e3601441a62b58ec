package lint

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// finding is one breach of a rule. Line is 0 where the whole file is meant.
type finding struct {
	path string
	line int
	text string
}

func (f finding) String() string {
	if f.line == 0 {
		return f.path + ": " + f.text
	}
	return fmt.Sprintf("%s:%d: %s", f.path, f.line, f.text)
}

// file is a file of the module: its slash-separated path from the module's root
// and its content.
type file struct {
	path string
	data []byte
}

func (f file) isGo() bool   { return strings.HasSuffix(f.path, ".go") }
func (f file) isTest() bool { return strings.HasSuffix(f.path, "_test.go") }

// isText tells files that a person reads from those that only a program does.
func (f file) isText() bool {
	return !bytes.ContainsRune(f.data[:min(len(f.data), 8000)], 0)
}

func (f file) inTestdata() bool { return slices.Contains(strings.Split(f.path, "/"), "testdata") }

// source is a parsed Go file.
type source struct {
	file
	fset *token.FileSet
	ast  *ast.File
}

func (s source) at(pos token.Pos, format string, args ...any) finding {
	return finding{s.path, s.fset.Position(pos).Line, fmt.Sprintf(format, args...)}
}

func parse(f file) (source, error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, f.path, f.data, parser.ParseComments|parser.SkipObjectResolution)
	return source{f, fset, tree}, err
}

func TestRepository(t *testing.T) {
	root := moduleRoot(t)
	files := repositoryFiles(t, root)
	var sources []source
	for _, f := range files {
		if !f.isGo() || f.inTestdata() {
			continue
		}
		s, err := parse(f)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		sources = append(sources, s)
	}
	for _, rule := range []struct {
		name string
		run  func(*testing.T) []finding
	}{
		{"Layering", func(t *testing.T) []finding { return checkLayering(layers, listPackages(t, root)) }},
		{"DocComments", func(t *testing.T) []finding { return checkDocComments(sources) }},
		{"Panic", func(t *testing.T) []finding { return forEach(sources, checkPanic) }},
		{"Format", func(t *testing.T) []finding { return forEach(files, checkFormat) }},
		{"Markers", func(t *testing.T) []finding { return forEach(files, checkMarkers) }},
		{"Blocks", func(t *testing.T) []finding { return checkBlocks(files) }},
		{"Paths", func(t *testing.T) []finding { return forEach(files, checkPaths) }},
		{"Generated", func(t *testing.T) []finding { return checkGenerated(generators, files, runIn(root)) }},
	} {
		t.Run(rule.name, func(t *testing.T) {
			for _, f := range rule.run(t) {
				t.Error(f)
			}
		})
	}
}

func forEach[T any](all []T, rule func(T) []finding) []finding {
	var out []finding
	for _, one := range all {
		out = append(out, rule(one)...)
	}
	return out
}

func moduleRoot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(strings.TrimSpace(string(out)))
}

// repositoryFiles is every file that is, or would be, committed. Without git, as
// in a module that was downloaded, it is every file there is.
func repositoryFiles(t *testing.T, root string) []file {
	t.Helper()
	var paths []string
	git := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	git.Dir = root
	if out, err := git.Output(); err == nil {
		paths = strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
		slices.Sort(paths)
		paths = slices.Compact(paths) // a path in conflict is listed once for each side
	} else {
		err := fs.WalkDir(os.DirFS(root), ".", func(p string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				paths = append(paths, p)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	// "go test" repeats an old result while the files and folders that a test
	// opened are unchanged. Those that git opened are not among them, so that a new
	// file would go unseen.
	folders := map[string]bool{}
	for _, p := range paths {
		if dir := path.Dir(p); !folders[dir] {
			folders[dir] = true
			if _, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(dir))); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
		}
	}
	var files []file
	for _, p := range paths {
		name := filepath.Join(root, filepath.FromSlash(p))
		info, err := os.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted, but not yet in a commit
		}
		if err != nil {
			t.Fatal(err)
		}
		if !info.Mode().IsRegular() {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file{p, data})
	}
	return files
}

// goFile and its like make the planted input of the rules' own tests.
func goFile(t *testing.T, name, text string) source {
	t.Helper()
	s, err := parse(file{name, []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// expect compares findings with what a planted fault must give: one "line: part
// of the text" each, in order.
func expect(t *testing.T, got []finding, want ...string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d findings, want %d:\n%v", len(got), len(want), got)
	}
	for i, f := range got {
		line, text, _ := strings.Cut(want[i], ": ")
		if fmt.Sprint(f.line) != line || !strings.Contains(f.text, text) {
			t.Errorf("finding %d is %q, want %q", i, f, want[i])
		}
	}
}

func TestRepositoryFiles(t *testing.T) {
	files := repositoryFiles(t, moduleRoot(t))
	has := func(p string) bool { return slices.ContainsFunc(files, func(f file) bool { return f.path == p }) }
	if !has("go.mod") || !has("internal/lint/doc.go") {
		t.Errorf("%d files, without go.mod or this package", len(files))
	}
	for _, f := range files {
		if path.IsAbs(f.path) || strings.HasPrefix(f.path, ".git/") {
			t.Errorf("%s is no file of the module", f.path)
		}
	}
}
