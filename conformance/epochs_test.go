package conformance

import (
	"flag"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/streamtest"
)

var (
	randomScripts = flag.Int("scripts", 40, "how many scripts of epochs are compared with the live Spark, those not random first in turn (build tag conformance)")
	scriptsNamed  = flag.String("scriptname", "", "compare only the scripts with this in their names, of all that would be")
	scriptSeed    = flag.Uint64("scriptseed", 1, "the seed of the first random script; each one after it has the next number")
)

var tidyScripts = flag.Int("tidy", 60, "how many random streaming queries are held against the batch of the same rows, each in three cuts")

// Spark's recorded answers are the local engine's: the rows of each epoch, its watermark, its late rows.
func TestLocalEpochs(t *testing.T) {
	t.Parallel()
	have, err := loadEpochs()
	require.NoError(t, err)
	for _, c := range RecordedScripts() {
		want, ok := have.Answers[c.Name]
		if !ok {
			t.Errorf("%s is not recorded: go test -tags conformance -run SparkEpochs -record", c.Name)
			continue
		}
		got, err := AskEpochs(t.Context(), streamtest.Local(local.Parallelism(2)), c)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		switch d, gap := want.differ(got), epochGaps[c.Name]; {
		case d != "" && gap == "":
			t.Errorf("%s: Spark %s and the local engine: %s\n%s", c.Name, have.Spark, d, got.text)
		case d == "" && gap != "":
			t.Errorf("%s: the gap %q has closed", c.Name, gap)
		}
	}
}

// Random scripts are made of their seeds alone, most keep state, and the engine runs each. A query that a rule refuses would be no test.
func TestRandomScripts(t *testing.T) {
	t.Parallel()
	const n = 200
	stateful, errs := 0, 0
	uses := map[string]int{}
	for seed := range uint64(n) {
		c := RandomScript(seed + 1)
		if c.Stateful {
			stateful++
		}
		for _, u := range slices.Compact(slices.Sorted(slices.Values(randomScriptUses(seed + 1)))) {
			uses[u]++
		}
		require.Equal(t, scriptText(t, c), scriptText(t, RandomScript(seed+1)))
		require.NoError(t, c.Table(staticInputs()).Err(), c.Name)
		if seed%4 == 0 {
			a, err := AskEpochs(t.Context(), streamtest.Local(), c)
			require.NoError(t, err, c.Name)
			if a.Error != "" {
				errs++
				t.Errorf("%s: %s", c.Name, a.Error)
			}
		}
	}
	require.GreaterOrEqual(t, stateful*100/n, 70, "of a hundred scripts keep state")
	var seldom []string
	for _, u := range slices.Sorted(maps.Keys(uses)) {
		seldom = append(seldom, fmt.Sprintf("%s %d", u, uses[u]))
	}
	t.Logf("%d of %d keep state; %s", stateful, n, strings.Join(seldom, ", "))
}

// A stream gives the rows of the batch, however its input is cut into epochs, when no row is late and everything is closed in the end.
func TestStreamsAsBatches(t *testing.T) {
	t.Parallel()
	s, err := local.Open(local.Parallelism(2))
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	rows, epochs, uses := 0, 0, map[string]bool{}
	for seed := range uint64(*tidyScripts) {
		var want []string
		for cut := range uint64(3) {
			c := TidyScript(seed+1, cut)
			if cut == 0 {
				tables, err := c.batch()
				require.NoError(t, err)
				want, err = streamtest.BatchRows(t.Context(), s, c.Table(tables))
				require.NoError(t, err, c.Name)
				rows += len(want)
			}
			a, err := AskEpochs(t.Context(), streamtest.Local(local.Parallelism(1+int(cut)), local.BatchRows(1+int(seed%20))), c)
			require.NoError(t, err, c.Name)
			require.Empty(t, a.Error, c.Name)
			var got []string
			for i, e := range a.Epochs {
				if c.Mode == expr.Append || i == len(a.Epochs)-1 {
					got = append(got, e.Rows...)
				}
				if c.Mode == expr.Append {
					require.Zero(t, e.Late, "%s: a late row\n%s", c.Name, a.text)
				}
			}
			slices.Sort(got)
			epochs += len(a.Epochs)
			if !slices.Equal(want, got) {
				t.Fatalf("seed %d: %s: the batch gives\n  %s\nand the stream\n  %s\n%s\n%s", seed+1, c.Name, strings.Join(want, "\n  "), strings.Join(got, "\n  "), scriptText(t, c), a.text)
			}
		}
		for _, u := range tidyUses(seed + 1) {
			uses[u] = true
		}
	}
	t.Logf("%d queries in three cuts each, %d epochs, %d rows of batches, %d kinds of operations", *tidyScripts, epochs, rows, len(uses))
}

func tidyUses(seed uint64) []string {
	m := &streamMaker{r: rand.New(rand.NewPCG(seed, 13)), in: staticInputs(), tidy: true}
	m.makeStream()
	return m.uses
}

// scriptText is a script as a text: its query and its rows.
func scriptText(t *testing.T, c EpochScript) string {
	t.Helper()
	p, err := compiler.CompileWrite(c.Table(streamTables(c)).WriteTo(connectors.Noop()).OutputMode(c.Mode), compiler.Stream, compiler.Target{})
	require.NoError(t, err, c.Name)
	text := p.String()
	for _, in := range c.Inputs {
		for _, rows := range in.Epochs {
			literals, err := expr.RowLiterals(mustFields(in.DDL), rows)
			require.NoError(t, err)
			for _, row := range literals {
				for i, x := range row {
					if n, ok := x.(*big.Int); ok {
						row[i] = n.String()
					}
				}
			}
			text += fmt.Sprintln(in.Name, literals)
		}
	}
	return text
}

// streamTables are streams of a script's columns, to print its query.
func streamTables(c EpochScript) map[string]expr.Table {
	in := map[string]expr.Table{}
	for _, i := range c.Inputs {
		in[i.Name] = expr.Read(i.Name, connectors.FromJSON(i.Name, connectors.RowsDDL(i.DDL)))
	}
	return in
}
