package conformance

import (
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spoonbill-go/spoonbill/compiler/analyze"
)

// ibisTable says how each table method and top-level function of Ibis is spelt here, and which cases show it. Columns: owner, name, spelling, cases
// as suite/name ("suite/*" for all of one), note. A note begins with "missing" and gives a reason, is "python" for what Go has no use for, or names
// the test that shows what no case can ("test: …" on both backends, "spark: …" on Spark, where the local engine refuses it by name).
//
//go:embed ibis.tsv
var ibisTable string

// streamingTable says the same of the operations of event time; owner is the heading, and a note may say more of a row that has cases.
//
//go:embed streaming.tsv
var streamingTable string

//go:embed testdata/spark
var recordings embed.FS

// CoverageRow is one method or function of Ibis, or one operation of event time.
type CoverageRow struct {
	Owner, Name, Spoonbill string
	// Cases are suite and name of the cases that show it.
	Cases []string
	Note  string
	// Spark and Local say how far it works on each: "yes" with the version whose answers are recorded, "no", or "–" for what Go has no use for.
	Spark, Local string
}

// Missing tells whether Spoonbill lacks it.
func (r CoverageRow) Missing() bool { return strings.HasPrefix(r.Note, "missing") }

// IbisCoverage gives the table methods and top-level functions of Ibis with their state, which is taken from the recorded answers of the cases and
// from the tables of gaps: a row whose case is not recorded, or has a gap, is not covered. An error is a table that does not fit the recordings.
func IbisCoverage() ([]CoverageRow, error) { return coverage("ibis.tsv", ibisTable) }

// StreamingCoverage gives the operations of event time with their state, as [IbisCoverage] does Ibis's methods.
func StreamingCoverage() ([]CoverageRow, error) { return coverage("streaming.tsv", streamingTable) }

func coverage(file, table string) ([]CoverageRow, error) {
	known := map[string]Recording{}
	var out []CoverageRow
	for i, line := range strings.Split(strings.TrimSuffix(table, "\n"), "\n") {
		cells := strings.Split(line, "\t")
		if len(cells) != 5 {
			return nil, fmt.Errorf("%s, line %d: %d columns", file, i+1, len(cells))
		}
		if i == 0 {
			continue
		}
		r := CoverageRow{Owner: cells[0], Name: cells[1], Spoonbill: cells[2], Note: cells[4]}
		if cells[3] != "" {
			r.Cases = strings.Split(cells[3], "; ")
		}
		switch {
		case r.Note == "python":
			r.Spark, r.Local = "–", "–"
		case r.Missing():
			r.Spark, r.Local = "no", "no"
		case strings.HasPrefix(r.Note, "spark: "):
			r.Spark, r.Local = "yes", "refused by name"
		case strings.HasPrefix(r.Note, "offline: "):
			r.Spark, r.Local = "refused by name", "yes"
		case strings.HasPrefix(r.Note, "test: "):
			r.Spark, r.Local = "yes", "yes"
		case len(r.Cases) == 0:
			return nil, fmt.Errorf("%s, line %d: %s.%s has neither a case nor a note", file, i+1, r.Owner, r.Name)
		}
		for _, c := range r.Cases {
			if err := r.judge(known, c); err != nil {
				return nil, fmt.Errorf("%s, line %d: %w", file, i+1, err)
			}
		}
		out = append(out, r)
	}
	return out, nil
}

// judge takes the state of a row from one of its cases.
func (r *CoverageRow) judge(known map[string]Recording, text string) error {
	suite, name := path.Split(text)
	suite = strings.TrimSuffix(suite, "/")
	have, ok := known[suite]
	if !ok {
		b, err := recordings.ReadFile(path.Join("testdata/spark", suite+".json"))
		if err != nil {
			return err
		}
		if err := json.Unmarshal(b, &have); err != nil {
			return err
		}
		known[suite] = have
	}
	if _, ok := have.Answers[name]; !ok && (name != "*" || len(have.Answers) == 0) {
		return fmt.Errorf("%s is not recorded", text)
	}
	if r.Spark == "" {
		r.Spark, r.Local = "yes, "+have.Spark, "yes"
	}
	for _, g := range localGaps {
		switch {
		case g.Suite != suite:
		case g.Case == name || g.Case == "*":
			r.Local = "no: " + g.Reason
		case name == "*":
			r.Local = "yes, but: " + g.Reason
		}
	}
	return nil
}

// WriteIbisCoverage prints the table of [IbisCoverage] and how many rows are covered and missing.
func WriteIbisCoverage(w io.Writer) error {
	rows, err := IbisCoverage()
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "IBIS\tSPOONBILL\tSPARK\tOFFLINE\tNOTE")
	covered, missing, python := 0, 0, 0
	for _, r := range rows {
		switch {
		case r.Missing():
			missing++
		case r.Note == "python":
			python++
		default:
			covered++
		}
		fmt.Fprintf(t, "%s.%s\t%s\t%s\t%s\t%s\n", r.Owner, r.Name, r.Spoonbill, r.Spark, r.Local, r.Note)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\n%d covered, %d missing, %d that Go has no use for\n", covered, missing, python)
	return err
}

// StreamingPage is the page of [StreamingCoverage] in Markdown.
func StreamingPage() (string, error) {
	rows, err := StreamingCoverage()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("<!-- Made from conformance/streaming.tsv and the recorded cases: go test ./conformance -run StreamingPage -rewrite -->\n\n# Event time: what runs where\n\n" +
		"Each row with a version of Spark is shown by cases that run as a stream and as a batch, on Spark and offline, with the same rows; the others by a test of their own. What is refused is refused by name when the query is compiled. " +
		"[Rules and lints](streaming-rules.md) has what is refused of a query, and what is warned of; [Streams offline](streams-offline.md) how to use what Spark's streams have not.\n")
	heading := ""
	for _, r := range rows {
		if r.Owner != heading {
			heading = r.Owner
			fmt.Fprintf(&b, "\n## %s\n\n| what | how | Spark | offline | |\n|---|---|---|---|---|\n", heading)
		}
		note := r.Note
		if slices.ContainsFunc([]string{"test: ", "spark: ", "offline: "}, func(kind string) bool { return strings.HasPrefix(note, kind) }) {
			_, note, _ = strings.Cut(note, "; ") // behind the test's name
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s |\n", r.Name, strings.ReplaceAll(r.Spoonbill, "; ", "`, `"), r.Spark, r.Local, note)
	}
	b.WriteString("\n## Lints\n\n`compiler.Lint` warns of these when a query is compiled, whatever runs it.\n\n| what | how | Spark | offline | |\n|---|---|---|---|---|\n")
	for _, l := range analyze.Lints() {
		onSpark := "warned of"
		if l.Offline {
			onSpark = "refused by name"
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | warned of | %s |\n", l.Title, l.Code, onSpark, l.Fix)
	}
	return b.String(), nil
}
