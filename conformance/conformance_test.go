package conformance

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/catalog"
)

// record is for the live tests; it stands here so that every build of the test binary knows it.
var record = flag.Bool("record", false, "write Spark's answers anew, from the live Spark (build tag conformance)")

// recordingOf reads a file of Spark's answers.
func recordingOf[T any](t *testing.T, path string) (out T) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &out))
	return out
}

// recordAs writes a file of Spark's answers, with the characters < > & as they are.
func recordAs(t *testing.T, path string, answers any) {
	t.Helper()
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "\t")
	require.NoError(t, e.Encode(answers))
	require.NoError(t, os.WriteFile(path, out.Bytes(), 0o666))
}

// Every case builds and prints: a mistake in a case would otherwise pass as an error that both backends give.
func TestCasesBuild(t *testing.T) {
	n := 0
	for _, s := range Suites() {
		seen := map[string]bool{}
		for _, c := range s.Cases {
			require.NoError(t, c.Table.Err(), "%s: %s", s.Name, c.Name)
			_, err := compiler.SQL(c.Table)
			require.NoError(t, err, "%s: %s", s.Name, c.Name)
			require.False(t, seen[c.Name], "%s: %s twice", s.Name, c.Name)
			seen[c.Name] = true
			n++
		}
	}
	t.Logf("%d cases", n)
	require.Greater(t, n, 5000)
}

// Every function of the catalogue has cases, or says why not.
func TestEveryFunctionHasCases(t *testing.T) {
	for _, f := range catalog.All() {
		if excused[f.Name] == "" {
			require.NotEmpty(t, FunctionCases(f), f.Name)
		}
	}
	for name := range excused {
		_, ok := catalog.Lookup(name)
		require.True(t, ok, "%s is excused but not in the catalogue", name)
	}
}

func TestMethodsAndFunctionsAgree(t *testing.T) {
	v := Values()
	for _, pair := range functionsAsMethods(v) {
		a, err := compiler.SQL(v.Select(pair[0], expr.Lit(1).As("x")))
		if err != nil { // aggregates outside Agg among them
			require.NoError(t, err)
		}
		b, err := compiler.SQL(v.Select(pair[1], expr.Lit(1).As("x")))
		require.NoError(t, err)
		require.Equal(t, a, b)
	}
}

// The schema that is found from types alone is the one that Spark finds.
func TestSchemas(t *testing.T) {
	for _, suite := range Suites() {
		have, err := load(suite.Name)
		require.NoError(t, err)
		for _, c := range suite.Cases {
			a, ok := have.Answers[c.Name]
			if !ok {
				t.Errorf("%s: %s is not recorded", suite.Name, c.Name)
				continue
			}
			if a.Error != "" || c.NoANSI {
				continue
			}
			got, gap := schemaLines(c.Table.Schema().Types()), gapOf(schemaGaps, suite.Name, c.Name)
			switch same := slices.Equal(a.Schema, got); {
			case !same && gap == nil:
				t.Errorf("%s: %s: Spark has %v, the types give %v", suite.Name, c.Name, a.Schema, got)
			case same && gap != nil:
				t.Errorf("%s: %s: the gap %q has closed", suite.Name, c.Name, gap.Reason)
			}
		}
	}
}
