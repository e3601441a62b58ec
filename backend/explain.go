package backend

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// ExplainMode is which plans an [Explanation] has.
//
// Source: Spark's ExplainMode.
type ExplainMode uint8

// The modes, under Spark's names.
const (
	// ExplainSimple has the physical plan.
	ExplainSimple ExplainMode = iota
	// ExplainExtended has the plan as it was written, the optimised and the physical one; of the local engine also the rules that changed it.
	ExplainExtended
	// ExplainCodegen has the code that Spark generated. The local engine generates none and refuses.
	ExplainCodegen
	// ExplainCost has the optimised plan with what is guessed of its rows, and the physical one.
	ExplainCost
	// ExplainFormatted has the physical plan with the columns of each operator.
	ExplainFormatted
)

// String gives Spark's word for the mode.
func (m ExplainMode) String() string {
	return [...]string{"simple", "extended", "codegen", "cost", "formatted"}[min(m, ExplainFormatted)]
}

// ExplainOptions say what an [Explanation] has. The zero value is the physical plan, and nothing runs.
type ExplainOptions struct {
	// Mode is which plans are shown.
	Mode ExplainMode
	// Analyze runs the query, throws its rows away, and gives the operators of the physical plan what they did as [PlanOperator.Metrics].
	Analyze bool
}

// Check refuses a mode that there is not; backends call it.
func (o ExplainOptions) Check() error {
	if o.Mode > ExplainFormatted {
		e := condition.Newf(condition.InvalidOption, "There is no mode %d of Explain.", o.Mode)
		e.Hint = "Use backend.ExplainSimple, ExplainExtended, ExplainCodegen, ExplainCost or ExplainFormatted."
		return e
	}
	return nil
}

// Explanation is what a session says about how it runs a query. It prints itself as text, as a Mermaid flow chart and as a DOT graph.
type Explanation struct {
	// Sections are the plans in the order in which they are made.
	Sections []PlanSection
}

// PlanSection is one plan.
type PlanSection struct {
	// Title is "Logical Plan", "Optimized Logical Plan", "Physical Plan" or a title of Spark's.
	Title string
	// Note says something about the whole, such as the columns of the result or the rules that changed the plan; may be empty.
	Note string
	// Root is the operator that gives the result; nil where the section is no tree, such as generated code.
	Root *PlanOperator
	// Text is the section as Spark printed it; empty where Root alone is what there is.
	Text string
}

// PlanOperator is an operator of a plan. One that several read is one pointer.
type PlanOperator struct {
	// Text is the operator with its expressions, such as "HashAggregate keys [k#0 AS k] aggregates [count() AS n]".
	Text string
	// Lines say more: columns with their types and watermarks, guesses of rows.
	Lines []string
	// Metrics are what it did when it ran; nil where nothing ran.
	Metrics []PlanMetric
	// Inputs give it its rows.
	Inputs []*PlanOperator
}

// MetricUnit is what a [PlanMetric] counts.
type MetricUnit uint8

// The units.
const (
	// MetricCount counts rows, batches, files.
	MetricCount MetricUnit = iota
	// MetricBytes are bytes.
	MetricBytes
	// MetricTime are nanoseconds.
	MetricTime
	// MetricTenths are tenths of a mean.
	MetricTenths
)

// The names of the local engine's metrics. Spark's have its own names.
const (
	// MetricRows are the rows that an operator gave.
	MetricRows = "rows"
	// MetricBatches are the batches that they came in.
	MetricBatches = "batches"
	// MetricElapsed is the time in the operator itself, without its inputs and without waiting for others, over all goroutines.
	MetricElapsed = "time"
	// MetricMemory is the greatest number of bytes that it held at once in rows and tables; only operators that hold some have it.
	MetricMemory = "memory"
)

// PlanMetric is a number of an operator that ran.
type PlanMetric struct {
	Name  string
	Value int64
	Unit  MetricUnit
}

// String gives the name and the value in a readable unit.
func (m PlanMetric) String() string { return m.Name + ": " + m.text() }

func (m PlanMetric) text() string {
	switch m.Unit {
	case MetricBytes:
		if m.Value < 1<<10 {
			return strconv.FormatInt(m.Value, 10) + " B"
		}
		v, unit := float64(m.Value)/(1<<10), 0
		for v >= 1<<10 && unit < 3 {
			v, unit = v/(1<<10), unit+1
		}
		return fmt.Sprintf("%.1f %ciB", v, "KMGT"[unit])
	case MetricTime:
		d := time.Duration(m.Value)
		switch {
		case d < time.Millisecond:
			return fmt.Sprintf("%d µs", d.Microseconds())
		case d < time.Second:
			return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
		}
		return fmt.Sprintf("%.2f s", d.Seconds())
	case MetricTenths:
		return fmt.Sprintf("%.1f", float64(m.Value)/10)
	}
	return strconv.FormatInt(m.Value, 10)
}

// Metric gives a metric by its name.
func (o *PlanOperator) Metric(name string) (PlanMetric, bool) {
	if o == nil {
		return PlanMetric{}, false
	}
	for _, m := range o.Metrics {
		if m.Name == name {
			return m, true
		}
	}
	return PlanMetric{}, false
}

// LogicalPlan gives the plan of a table as it was written, with its columns and their watermarks. It asks no session.
func LogicalPlan(t expr.Table) (PlanSection, error) {
	r, err := t.Relation()
	if err != nil {
		return PlanSection{}, err
	}
	return LogicalSection(r), nil
}

// LogicalSection is [LogicalPlan] of a relation.
func LogicalSection(r tree.Relation) PlanSection {
	if r == nil {
		return PlanSection{Title: "Logical Plan"}
	}
	seen := map[tree.Relation]*PlanOperator{}
	var visit func(r tree.Relation) *PlanOperator
	visit = func(r tree.Relation) *PlanOperator {
		if o, ok := seen[r]; ok {
			return o
		}
		o := &PlanOperator{Text: tree.NodeText(r)}
		seen[r] = o
		for _, in := range r.Inputs() {
			o.Inputs = append(o.Inputs, visit(in))
		}
		for _, q := range tree.Subqueries(tree.Scalars(r)...) {
			o.Inputs = append(o.Inputs, &PlanOperator{Text: "Subquery " + tree.String(q), Inputs: []*PlanOperator{visit(q.Rel)}})
		}
		return o
	}
	return PlanSection{Title: "Logical Plan", Note: ColumnsText(r.Schema()), Root: visit(r)}
}

// ColumnsText prints columns on a line: name, type, NOT NULL, and the watermark.
func ColumnsText(s *tree.Schema) string {
	return strings.Join(strings.Split(strings.TrimSuffix(s.String(), "\n"), "\n"), ", ")
}

// number gives the operators of a section, each once, a reader before what it reads, with their places in that list.
func (s PlanSection) number() (list []*PlanOperator, at map[*PlanOperator]int) {
	at = map[*PlanOperator]int{}
	var visit func(o *PlanOperator)
	visit = func(o *PlanOperator) {
		if _, ok := at[o]; ok {
			return
		}
		at[o] = len(list)
		list = append(list, o)
		for _, in := range o.Inputs {
			visit(in)
		}
	}
	if s.Root != nil {
		visit(s.Root)
	}
	return list, at
}

// String prints the plans as trees, an operator a line, in the shape of Spark's: inputs below the operator that reads them. An operator that was printed
// above is named by its number there.
func (e Explanation) String() string {
	var b strings.Builder
	for i, s := range e.Sections {
		if i > 0 {
			b.WriteString("\n")
		}
		if s.Title != "" {
			b.WriteString("== " + s.Title + " ==\n")
		}
		if s.Text != "" {
			b.WriteString(strings.TrimRight(s.Text, "\n") + "\n")
			continue
		}
		if s.Note != "" {
			b.WriteString(oneLine(s.Note) + "\n")
		}
		if s.Root != nil {
			s.write(&b)
		}
	}
	return b.String()
}

// write prints the tree of a section.
func (s PlanSection) write(b *strings.Builder) {
	// Operators that are read more than once have a number, in the order in which they are met.
	readers := map[*PlanOperator]int{}
	list, _ := s.number()
	for _, o := range list {
		for _, in := range o.Inputs {
			readers[in]++
		}
	}
	numbers := map[*PlanOperator]int{}
	var visit func(o *PlanOperator, first, rest string)
	visit = func(o *PlanOperator, first, rest string) {
		b.WriteString(first)
		if n, ok := numbers[o]; ok {
			fmt.Fprintf(b, "as #%d\n", n)
			return
		}
		if readers[o] > 1 {
			numbers[o] = len(numbers) + 1
			fmt.Fprintf(b, "#%d ", numbers[o])
		}
		b.WriteString(oneLine(o.Text))
		if m := o.metrics(); m != "" {
			b.WriteString("  (" + m + ")")
		}
		b.WriteString("\n")
		bar := rest
		if len(o.Inputs) > 0 {
			bar += ":"
		}
		for _, l := range o.Lines {
			b.WriteString(fmt.Sprintf("%-*s%s\n", len(rest)+5, bar, oneLine(l)))
		}
		for i, in := range o.Inputs {
			if i < len(o.Inputs)-1 {
				visit(in, rest+":- ", rest+":  ")
			} else {
				visit(in, rest+"+- ", rest+"   ")
			}
		}
	}
	visit(s.Root, "", "")
}

func (o *PlanOperator) metrics() string {
	parts := make([]string, len(o.Metrics))
	for i, m := range o.Metrics {
		parts[i] = m.String()
	}
	return strings.Join(parts, ", ")
}

// oneLine keeps a text on its line: names and literals may hold anything.
func oneLine(s string) string {
	plain := func(r rune) bool { return r != unicode.ReplacementChar && (r == ' ' || unicode.IsGraphic(r)) }
	if strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if plain(r) {
			b.WriteRune(r)
			continue
		}
		q := strconv.QuoteRuneToASCII(r)
		b.WriteString(q[1 : len(q)-1])
	}
	return b.String()
}

// longestLabel is how many runes of an operator's text a graph shows: boxes of thousands of columns are no picture.
const longestLabel = 300

// label gives the lines of an operator's box.
func (o *PlanOperator) label() []string {
	var out []string
	for _, l := range append(append([]string{o.Text}, o.Lines...), o.metrics()) {
		if l == "" {
			continue
		}
		l = oneLine(l)
		if r := []rune(l); len(r) > longestLabel {
			l = string(r[:longestLabel]) + "…"
		}
		out = append(out, l)
	}
	return out
}

// Mermaid prints the plans as a flow chart of the Mermaid language, a subgraph a plan, with arrows the way that rows go. Sections that are no tree are in the text alone.
func (e Explanation) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart BT\n")
	e.graph(func(section int, title string) {
		fmt.Fprintf(&b, "  subgraph p%d[\"%s\"]\n", section, mermaidText(title))
	}, func(id string, lines []string) {
		for i, l := range lines {
			lines[i] = mermaidText(l)
		}
		fmt.Fprintf(&b, "    %s[\"%s\"]\n", id, strings.Join(lines, "<br/>"))
	}, func(from, to string) {
		fmt.Fprintf(&b, "    %s --> %s\n", from, to)
	}, func() { b.WriteString("  end\n") })
	return b.String()
}

// DOT prints the plans as a graph of the DOT language, which Graphviz draws: a cluster a plan, with arrows the way that rows go. Sections that are no tree are in the text alone.
func (e Explanation) DOT() string {
	var b strings.Builder
	b.WriteString("digraph plan {\n  rankdir=BT\n  node [shape=box, fontname=\"monospace\"]\n")
	e.graph(func(section int, title string) {
		fmt.Fprintf(&b, "  subgraph cluster_p%d {\n    label=\"%s\"\n", section, dotText(title))
	}, func(id string, lines []string) {
		for i, l := range lines {
			lines[i] = dotText(l) + `\l`
		}
		fmt.Fprintf(&b, "    %s [label=\"%s\"]\n", id, strings.Join(lines, ""))
	}, func(from, to string) {
		fmt.Fprintf(&b, "    %s -> %s\n", from, to)
	}, func() { b.WriteString("  }\n") })
	b.WriteString("}\n")
	return b.String()
}

// graph walks the sections that are trees: operators first, then the edges between them.
func (e Explanation) graph(begin func(section int, title string), node func(id string, lines []string), edge func(from, to string), end func()) {
	for i, s := range e.Sections {
		if s.Root == nil {
			continue
		}
		begin(i, oneLine(s.Title))
		list, at := s.number()
		id := func(k int) string { return fmt.Sprintf("p%dn%d", i, k) }
		for k, o := range list {
			node(id(k), o.label())
		}
		for k, o := range list {
			for _, in := range o.Inputs {
				edge(id(at[in]), id(k))
			}
		}
		end()
	}
}

// mermaidText writes what is no letter, digit or plain mark as a character code: Mermaid looks for quotes, markup, directives and character codes
// within quoted labels too, and takes the end off a code that follows the word style and a colon.
func mermaidText(s string) string {
	if s == "" {
		return " " // no label is empty
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" .,=+-/()[]…", r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}

// dotText escapes what ends a quoted label and what Graphviz reads within one: backslashes and HTML's entities.
var dotEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;")

func dotText(s string) string { return dotEscapes.Replace(s) }
