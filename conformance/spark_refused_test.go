//go:build conformance

package conformance

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/window"
)

// What Spoonbill refuses when a query is compiled, the live Spark refuses too: the same expression, forced through. Rules that the types enforce
// cannot be written as a tree at all; their SQL is given instead.
func TestSparkRefuses(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	folder := env.Dir(t)
	require.NoError(t, StreamFiles(folder))
	s := connect(t)
	in := Input(folder)
	e, o := in.Events, in.Other
	wl, wr := e.Watermark("at", time.Second), o.Watermark("at", time.Second)
	memory := connectors.ToMemoryTable().AllModes()
	files := connectors.ToParquet(filepath.Join(folder, "out"))
	redefined := e.Mutate(e.Num("v").Mul(2).As("v"))

	for name, c := range map[string]struct {
		write expr.Write
		mode  compiler.Mode
		// sql stands for what cannot be forced through as a tree: it is run as a batch.
		sql string
	}{
		"aggregation in append mode without a watermark": {write: e.GroupBy("k").Agg(expr.Count().As("n")).WriteTo(memory), mode: compiler.Stream},
		"watermark that is not among the keys":           {write: wl.GroupBy("k").Agg(expr.Count().As("n")).WriteTo(memory), mode: compiler.Stream},
		"window over an INT":                             {write: e.GroupBy(window.Tumbling(e.Num("id"), time.Minute)).Agg(expr.Count()).WriteTo(memory), mode: compiler.Stream, sql: "SELECT count(*) FROM VALUES (1) AS t(id) GROUP BY window(id, '1 minute')"},
		"order by in append mode":                        {write: e.OrderBy("id").WriteTo(memory), mode: compiler.Stream},
		"complete mode without aggregation":              {write: e.WriteTo(memory).OutputMode(expr.Complete), mode: compiler.Stream},
		"limit in update mode":                           {write: e.Limit(3).WriteTo(memory).OutputMode(expr.Update), mode: compiler.Stream},
		"offset":                                         {write: e.Limit(3, 1).WriteTo(memory), mode: compiler.Stream},
		"rate source as a batch":                         {write: expr.Read("r", connectors.Rate(1)).WriteTo(connectors.Noop()), mode: compiler.Batch},
		"started without a streaming source":             {write: in.Labels.WriteTo(memory), mode: compiler.Stream},
		"left join of streams without a bound":           {write: wl.LeftJoin(wr, "k").Select(wl.Num("id")).WriteTo(memory), mode: compiler.Stream},
		"left join of streams without a watermark":       {write: e.LeftJoin(o, "k").Select(e.Num("id")).WriteTo(memory), mode: compiler.Stream},
		"count distinct":                                 {write: e.Agg(expr.CountDistinct(e.Str("k")).As("d")).WriteTo(memory).OutputMode(expr.Complete), mode: compiler.Stream},
		"file sink in update mode":                       {write: e.WriteTo(files).OutputMode(expr.Update).Checkpoint(filepath.Join(folder, "ck")), mode: compiler.Stream},
		"aggregate over a stream outside Agg":            {write: e.Mutate(e.Num("v").Sum().As("s")).WriteTo(memory), mode: compiler.Stream},
		"union of a stream and a static table":           {write: e.Select("k").Union(in.Labels.Select("k")).WriteTo(memory), mode: compiler.Stream},
		"aggregation above an aggregation":               {write: e.GroupBy("k").Agg(expr.Count().As("n")).Agg(expr.Count().As("m")).WriteTo(memory).OutputMode(expr.Complete), mode: compiler.Stream},
		"left join that keeps the static side":           {write: in.Labels.LeftJoin(e, "k").Select(in.Labels.Str("label")).WriteTo(memory), mode: compiler.Stream},
		"no checkpoint":                                  {write: e.WriteTo(files), mode: compiler.Stream},
		"unknown column":                                 {write: e.Select("nothing").WriteTo(memory), mode: compiler.Stream, sql: "SELECT nothing FROM VALUES (1) AS t(id)"},
		"type mismatch":                                  {write: e.Filter(e.Str("k").Eq([]int{1})).WriteTo(memory), mode: compiler.Stream, sql: "SELECT * FROM VALUES ('a') AS t(k) WHERE k = array(1)"},
		"column of an ancestor that was redefined":       {write: redefined.Select(e.Num("v")).WriteTo(memory), mode: compiler.Stream, sql: "SELECT t.v FROM (SELECT v * 2 AS v FROM VALUES (1) AS t(v)) AS u"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := compiler.CompileWrite(c.write, c.mode)
			require.Error(t, err)
			var own *condition.Error
			require.ErrorAs(t, err, &own)
			require.Contains(t, err.Error(), "spark_refused_test.go:", "the place in the user's file")
			require.NotEmpty(t, own.Message)
			require.NotEmpty(t, own.Hint+own.Operator, "the operator or the way out")

			var program *compiler.Program
			if c.sql != "" {
				program = &compiler.Program{Steps: []compiler.Step{compiler.QueryStep{SQL: c.sql}}, Mode: compiler.Batch}
			} else {
				program, err = compiler.Unchecked(c.write, c.mode)
				require.NoError(t, err)
			}
			err = force(ctx, t, program, s)
			require.Error(t, err, "Spark takes it")
			var theirs *condition.Error
			require.ErrorAs(t, err, &theirs)
			t.Logf("ours: %v\nSpark: [%s] %.160s", err, theirs.Condition, theirs.Message)
		})
	}
}
