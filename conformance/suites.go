package conformance

import (
	"strings"

	"github.com/spoonbill-go/spoonbill/expr/catalog"
)

// Suite is the cases of one recording.
type Suite struct {
	// Name is the recording's file below testdata/spark.
	Name  string
	Cases []Case
	// build makes the cases anew, over fresh tables.
	build func() []Case
}

// Inexact tells whether the last digits of the suite's answers depend on how rows are spread over partitions, goroutines or epochs.
func (s Suite) Inexact() bool { return tolerant[s.Name] }

func suite(name string, build func() []Case) Suite { return Suite{name, build(), build} }

// Suites are all cases: the table operations, the casts, and every function of the catalogue, the latter two under both modes.
func Suites() []Suite {
	out := []Suite{suite("relations", Relations), suite("random", foundCases), suite("found", treeCases), suite("casts", casts), suite("nullability", nullability), suite("temporal", TemporalCases), suite("folds", folds), suite("scopes", scopes), suite("versions", versions), suite("values", writtenRows)}
	for _, f := range catalog.All() {
		s := suite("functions/"+strings.ToLower(f.Go), func() []Case { return bothModes(FunctionCases(f)) })
		if len(s.Cases) > 0 {
			out = append(out, s)
		}
	}
	return out
}

func bothModes(cases []Case) []Case {
	out := cases[:len(cases):len(cases)]
	for _, c := range cases {
		c.Name, c.NoANSI = "ANSI off: "+c.Name, true
		out = append(out, c)
	}
	return out
}

// Gap is a case that a backend does not answer as Spark does, with the reason. A gap that has closed fails the suite.
type Gap struct {
	Suite, Case string
	Reason      string
}

// LocalGaps are those of the local engine.
func LocalGaps() []Gap { return localGaps }

func gapOf(gaps []Gap, suite, name string) *Gap {
	for i, g := range gaps {
		if g.Suite == suite && (g.Case == name || g.Case == "*") {
			return &gaps[i]
		}
	}
	return nil
}
