package conformance

import (
	"os/exec"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/internal/golden"
)

// The page of what runs where on streams is that of the recorded cases, and names methods that there are.
func TestStreamingPage(t *testing.T) {
	rows, err := StreamingCoverage()
	require.NoError(t, err)
	cases := map[string]bool{}
	for _, c := range Streams() {
		cases["streams/"+c.Name] = true
	}
	table := reflect.TypeFor[expr.Table]()
	for _, r := range rows {
		for _, c := range r.Cases {
			require.True(t, cases[c], "%s names the case %s, which there is not", r.Name, c)
		}
		if kind, test, ok := strings.Cut(r.Note, ": "); ok && (kind == "offline" || kind == "test") {
			test, _, _ = strings.Cut(test, "; ")
			require.Regexp(t, `^Test\w+$`, test, r.Name)
			out, err := exec.Command("git", "grep", "-lE", `^func `+test+`\(t \*testing.T\)`, "--", ":/").Output()
			require.NoError(t, err, "%s names the test %s", r.Name, test)
			require.NotEmpty(t, out)
		}
		for _, m := range regexp.MustCompile(`\bTable\.([A-Z]\w*)`).FindAllStringSubmatch(r.Spoonbill, -1) {
			_, ok := table.MethodByName(m[1])
			require.True(t, ok, "%s names %s, which there is not", r.Name, m[0])
		}
	}
	page, err := StreamingPage()
	require.NoError(t, err)
	golden.Check(t, "../docs/streaming.md", page)
}

// What is said of Ibis's methods is held against the cases, the tests and the API.
func TestIbisCoverage(t *testing.T) {
	rows, err := IbisCoverage()
	require.NoError(t, err)
	cases := map[string]bool{}
	for _, s := range Suites() {
		cases[s.Name+"/*"] = true
		for _, c := range s.Cases {
			cases[s.Name+"/"+c.Name] = true
		}
	}
	for _, c := range CatalogCases() {
		cases["catalog/"+c.Name] = true
	}
	named := regexp.MustCompile(`\b(Table|Grouped)\.([A-Z]\w*)`)
	types := map[string]reflect.Type{"Table": reflect.TypeFor[expr.Table](), "Grouped": reflect.TypeFor[expr.Grouped]()}
	missing := 0
	for _, r := range rows {
		for _, c := range r.Cases {
			require.True(t, cases[c], "%s.%s names the case %s, which there is not", r.Owner, r.Name, c)
		}
		for _, m := range named.FindAllStringSubmatch(r.Spoonbill, -1) {
			_, ok := types[m[1]].MethodByName(m[2])
			require.True(t, ok, "%s.%s names %s, which there is not", r.Owner, r.Name, m[0])
		}
		if _, test, ok := strings.Cut(r.Note, ": "); ok && !r.Missing() {
			out, err := exec.Command("git", "grep", "-lE", `^func `+test+`[A-Za-z]*\(t \*testing.T\)`, "--", ":/").Output()
			require.NoError(t, err, "%s.%s names the test %s", r.Owner, r.Name, test)
			require.NotEmpty(t, out)
		}
		if r.Missing() {
			missing++
			require.Greater(t, len(r.Note), len("missing: "), "%s.%s is missing without a reason", r.Owner, r.Name)
		}
	}
	require.Len(t, rows, 234)
	require.LessOrEqual(t, missing, 15)
}
