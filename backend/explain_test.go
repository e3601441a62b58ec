package backend_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/internal/golden"
)

// hostile are names that a column, a table or a literal may have.
var hostile = []string{
	`"]`, `a"] --> b["`, "line\nbreak\r\n", `\n \" \\`, "%%{init: {'theme':'x'}}%%", "#quot;", "&lt;b&gt;", "<script>alert(1)</script>", "`md **b** _i_`", "end", "style x:#f00;", "classDef a fill:#f9f;",
	"\x00\x01\x7f", "\u202eright to left", "\xff\xfe", "{{a}} | b", "subgraph x", "1. list", "- item", "\u2028", "", "😀", "p0n0", "$&", "\\l", `\`,
}

// hostilePlan has all of them as operators, one of which two read, with lines and metrics.
func hostilePlan() backend.Explanation {
	shared := &backend.PlanOperator{Text: "shared", Lines: []string{hostile[1]}, Metrics: []backend.PlanMetric{{Name: hostile[0], Value: 3}, {Name: "time", Value: 1_234_567, Unit: backend.MetricTime}}}
	root := &backend.PlanOperator{Text: "root"}
	for _, h := range hostile {
		root.Inputs = append(root.Inputs, &backend.PlanOperator{Text: h, Lines: []string{h}, Inputs: []*backend.PlanOperator{shared}})
	}
	return backend.Explanation{Sections: []backend.PlanSection{{Title: hostile[1], Note: hostile[2], Root: root}, {Title: "Code", Text: "int x;\nif (a) { }"}}}
}

func TestHostileLabels(t *testing.T) {
	e := hostilePlan()
	golden.Check(t, "testdata/explain/hostile.txt", e.String()+"\n"+e.Mermaid()+"\n"+e.DOT())

	// Each operator and line has a line of its own, whatever its text is.
	require.Equal(t, 1+1+1+2*len(hostile)+len(hostile)+1+4, strings.Count(e.String(), "\n"))

	// Mermaid: every line is one of the few forms, and a label is letters, digits, plain marks and decimal codes.
	label := `"(?:[\pL\pN .,=+\-/()\[\]…]|#[0-9]+;|<br/>)*"`
	forms := regexp.MustCompile(`^(?:flowchart BT|  subgraph p\d+\[` + label + `\]|    p\d+n\d+\[` + label + `\]|    p\d+n\d+ --> p\d+n\d+|  end)$`)
	lines := strings.Split(strings.TrimSuffix(e.Mermaid(), "\n"), "\n")
	require.Len(t, lines, 1+1+(len(hostile)+2)+2*len(hostile)+1)
	for _, l := range lines {
		require.Regexp(t, forms, l)
	}

	// DOT: outside quoted strings there is nothing but the words of the language and identifiers.
	bare := regexp.MustCompile(`"(?:[^"\\\n]|\\["\\l])*"`).ReplaceAllString(e.DOT(), "L")
	for _, l := range strings.Split(strings.TrimSuffix(bare, "\n"), "\n") {
		require.Regexp(t, `^(?:digraph plan \{|  rankdir=BT|  node \[shape=box, fontname=L\]|  subgraph cluster_p\d+ \{|    label=L|    p\d+n\d+ \[label=L\]|    p\d+n\d+ -> p\d+n\d+|  \}|\})$`, l)
	}
	require.NotRegexp(t, `&[^a]`, e.DOT(), "an ampersand is an entity to Graphviz")
}

// Where Graphviz is installed it reads what is written.
func TestGraphviz(t *testing.T) {
	dot, err := exec.LookPath("dot")
	if err != nil {
		t.Log("Graphviz is not installed: the forms of TestHostileLabels are the check.")
		return
	}
	cmd := exec.Command(dot, "-Tplain")
	cmd.Stdin, cmd.Stderr = strings.NewReader(hostilePlan().DOT()), os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	require.Equal(t, len(hostile)+2, strings.Count("\n"+string(out), "\nnode "))
	require.Equal(t, 2*len(hostile), strings.Count("\n"+string(out), "\nedge "))
}

func TestMetricText(t *testing.T) {
	for _, c := range []struct {
		unit  backend.MetricUnit
		value int64
		want  string
	}{
		{backend.MetricCount, 1234567, "m: 1234567"}, {backend.MetricBytes, 1023, "m: 1023 B"}, {backend.MetricBytes, 1536, "m: 1.5 KiB"}, {backend.MetricBytes, 3 << 30, "m: 3.0 GiB"},
		{backend.MetricBytes, 1 << 62, "m: 4194304.0 TiB"}, {backend.MetricTime, 999, "m: 0 µs"}, {backend.MetricTime, 1_500_000, "m: 1.5 ms"}, {backend.MetricTime, 2_340_000_000, "m: 2.34 s"},
		{backend.MetricTenths, 15, "m: 1.5"},
	} {
		require.Equal(t, c.want, backend.PlanMetric{Name: "m", Value: c.value, Unit: c.unit}.String())
	}
}

// A plan needs no session; what two read is one operator.
func TestLogicalPlan(t *testing.T) {
	fields, err := datatype.ParseFields("a INT, b STRING NOT NULL")
	require.NoError(t, err)
	table := expr.MemtableRows("t", fields, [][]any{{1, "x"}})
	s, err := backend.LogicalPlan(table.Filter(table.Num("a").Gt(0)).Union(table))
	require.NoError(t, err)
	require.Equal(t, "a INT NOT NULL, b STRING NOT NULL", s.Note)
	require.Same(t, s.Root.Inputs[0].Inputs[0], s.Root.Inputs[1])
	_, err = backend.LogicalPlan(table.Select("c"))
	require.ErrorContains(t, err, "UNRESOLVED_COLUMN")
}
