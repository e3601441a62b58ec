package compiler_test

import (
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/keyed"
	"github.com/spoonbill-go/spoonbill/internal/golden"
)

type (
	person struct {
		ID   int64  `spoonbill:"id"`
		Name string `spoonbill:"name"`
	}
	counted struct {
		Name string    `spoonbill:"name"`
		At   time.Time `spoonbill:"at"`
		N    int64     `spoonbill:"n"`
	}
)

func countsOf(table expr.Grouped, python keyed.Python, change func(*keyed.Processor[string, person, counted])) expr.Table {
	p := keyed.Processor[string, person, counted]{
		Name: "counts", Time: keyed.EventTime, EventTimeColumn: "at", Python: python,
		HandleInputRows: func(*keyed.Context, string, iter.Seq[person], func(counted)) error { return nil },
	}
	if change != nil {
		change(&p)
	}
	return keyed.Transform(table, p)
}

// A process of Python is a step of the program, which prints as the script that does the same; what stands above it is SQL.
func TestStatefulProgram(t *testing.T) {
	in := expr.Read("people", files).Watermark("at", time.Second)
	first := expr.Static("first", files)
	source := "from pyspark.sql.streaming import StatefulProcessor\n\n\nclass Counts(StatefulProcessor):\n    pass\n"
	counts := countsOf(in.GroupBy("name"), keyed.Python{Source: source, Class: "Counts"}, func(p *keyed.Processor[string, person, counted]) {
		p.InitialState = keyed.Initial(first.GroupBy("name"), func(*keyed.Context, string, person) error { return nil })
	})
	w := counts.Filter(counts.Num("n").Gt(1)).WriteTo(toTable).OutputMode(expr.Update).Name("counts")
	p, err := compiler.CompileWrite(w, compiler.Stream)
	require.NoError(t, err)
	golden.Check(t, "testdata/stateful.py", p.String())
}

func TestStatefulRefused(t *testing.T) {
	in := expr.Read("people", files).Watermark("at", time.Second)
	good := keyed.Python{Source: "class Counts(StatefulProcessor):\n    pass", Class: "Counts"}
	by := in.GroupBy("name")
	for name, c := range map[string]struct {
		table     expr.Table
		target    compiler.Target
		condition string
		says      string
	}{
		"Go functions alone":         {countsOf(by, keyed.Python{}, nil), compiler.Target{}, condition.Unsupported, "give the processor its Python source"},
		"an old server":              {countsOf(by, good, nil), compiler.Target{Spark: "4.0.1"}, condition.Unsupported, "from 4.1 on"},
		"a computed key":             {countsOf(in.GroupBy(in.Str("name").Upper().As("name")), good, nil), compiler.Target{}, condition.InvalidValue, "Make a column of the key with Mutate"},
		"a key under another name":   {countsOf(in.GroupBy(in.Str("name").As("who")), good, nil), compiler.Target{}, condition.InvalidValue, "who"},
		"no name of a class":         {countsOf(by, keyed.Python{Source: good.Source, Class: "Counts(); import os"}, nil), compiler.Target{}, condition.InvalidValue, "is no name of a Python class"},
		"no class":                   {countsOf(by, keyed.Python{Source: good.Source}, nil), compiler.Target{}, condition.InvalidValue, "is no name of a Python class"},
		"a class that is not there":  {countsOf(by, keyed.Python{Source: good.Source, Class: "Count"}, nil), compiler.Target{}, condition.InvalidValue, "defines no class Count"},
		"a source that is no text":   {countsOf(by, keyed.Python{Source: good.Source + "\xff", Class: "Counts"}, nil), compiler.Target{}, condition.InvalidValue, "no text of UTF-8"},
		"neither Go nor Python":      {countsOf(by, keyed.Python{}, func(p *keyed.Processor[string, person, counted]) { p.HandleInputRows = nil }), compiler.Target{}, condition.InvalidValue, "HandleInputRows is nil"},
		"a class without its source": {countsOf(by, keyed.Python{Class: "Counts"}, nil), compiler.Target{}, condition.InvalidValue, "defines no class Counts"},
	} {
		_, err := compiler.CompileWrite(c.table.WriteTo(toTable).OutputMode(expr.Update), compiler.Stream, c.target)
		require.Equal(t, c.condition, condition.Of(err), "%s: %v", name, err)
		require.ErrorContains(t, err, c.says, name)
		require.ErrorContains(t, err, "stateful_test.go:", name)
	}
	// The local engine has none of these bounds but those of the source.
	_, err := compiler.CompileWrite(countsOf(in.GroupBy(in.Str("name").Upper().As("name")), good, nil).WriteTo(toTable), compiler.Stream, compiler.Target{Local: true})
	require.NoError(t, err)
}
