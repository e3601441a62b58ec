package lint

import (
	"strings"
	"testing"
)

// checkBlocks finds blocks of Go in pages that stand in no file under examples, where a test would run them. White space does not count.
func checkBlocks(files []file) []finding {
	flat := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	var code []string
	for _, f := range files {
		if f.isGo() && strings.HasPrefix(f.path, "examples/") {
			code = append(code, flat(string(f.data)))
		}
	}
	var out []finding
	for _, f := range files {
		if !strings.HasSuffix(f.path, ".md") || f.inTestdata() {
			continue
		}
		begin, block := 0, []string(nil)
	lines:
		for i, line := range strings.Split(string(f.data), "\n") {
			switch {
			case begin == 0 && strings.TrimSpace(line) == "```go":
				begin, block = i+1, nil
			case begin > 0 && strings.TrimSpace(line) == "```":
				text := flat(strings.Join(block, "\n"))
				at := begin
				begin = 0
				for _, c := range code {
					if strings.Contains(c, text) {
						continue lines
					}
				}
				out = append(out, finding{f.path, at, "this block of Go stands in no file under examples, so nothing runs it"})
			case begin > 0:
				block = append(block, line)
			}
		}
		if begin > 0 {
			out = append(out, finding{f.path, begin, "this block does not end"})
		}
	}
	return out
}

func TestBlocks(t *testing.T) {
	code := file{"examples/docs/a_test.go", []byte("package docs\n\nfunc f() {\n\tx := 1 // one\n\ty(x)\n}\n")}
	expect(t, checkBlocks([]file{code, {"README.md", []byte("```go\nx := 1  // one\ny(x)\n```\n")}}))
	expect(t, checkBlocks([]file{code, {"README.md", []byte("```go\nx := 2 // one\n```\n\n```\nx := 3\n```\n")}}), "1: this block of Go stands in no file under examples, so nothing runs it")
	expect(t, checkBlocks([]file{code, {"docs/a.md", []byte("text\n```go\nx := 1\n")}}), "2: this block does not end")
}
