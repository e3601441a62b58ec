//go:build conformance

package conformance

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/compiler/analyze"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/functions"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/window"
)

// What Spoonbill refuses when a query is compiled, the live Spark refuses too: the same expression, forced through.
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
	ancestor, err := e.Relation()
	require.NoError(t, err)

	rate := expr.Read("rate", connectors.Rate(1))

	queries := 0
	for name, c := range map[string]struct {
		// spark is in Spark's message, so that it is known to refuse for the same reason.
		spark string
		write expr.Write
		mode  compiler.Mode
		// A slip that is found while the expression is built leaves no tree. sound is the expression without it, and slip puts it into the tree.
		sound expr.Write
		slip  func(tree.Scalar) tree.Scalar
	}{
		"aggregation in append mode without a watermark": {spark: "not supported for streaming aggregations without watermark", write: e.GroupBy("k").Agg(expr.Count().As("n")).WriteTo(memory), mode: compiler.Stream},
		"watermark that is not among the keys":           {spark: "not supported for streaming aggregations without watermark", write: wl.GroupBy("k").Agg(expr.Count().As("n")).WriteTo(memory), mode: compiler.Stream},
		"window over an INT": {spark: "data type mismatch", write: e.GroupBy(window.Tumbling(e.Num("id"), time.Minute)).Agg(expr.Count()).WriteTo(memory), mode: compiler.Stream,
			sound: wl.GroupBy(window.Tumbling(wl.Timestamp("at"), time.Minute)).Agg(expr.Count()).WriteTo(memory), slip: func(n tree.Scalar) tree.Scalar {
				if c, ok := n.(*tree.Column); ok {
					return &tree.Column{Rel: c.Rel, Ordinal: c.Rel.Schema().Lookup("id")[0]}
				}
				return n
			}},
		"order by in append mode":                       {spark: "Sorting is not supported on streaming", write: e.OrderBy("id").WriteTo(memory), mode: compiler.Stream},
		"complete mode without aggregation":             {spark: "not supported for no streaming aggregations", write: e.WriteTo(memory).OutputMode(expr.Complete), mode: compiler.Stream},
		"limit in update mode":                          {spark: "Limits are not supported on streaming", write: e.Limit(3).WriteTo(memory).OutputMode(expr.Update), mode: compiler.Stream},
		"offset":                                        {spark: "Offset is not supported on streaming", write: e.Limit(3, 1).WriteTo(memory), mode: compiler.Stream},
		"rate source as a batch":                        {spark: "rate is not a valid Spark SQL Data Source", write: expr.Read("r", connectors.Rate(1)).WriteTo(connectors.Noop()), mode: compiler.Batch},
		"started without a streaming source":            {spark: "only on streaming Dataset/DataFrame", write: in.Labels.WriteTo(memory), mode: compiler.Stream},
		"left join of streams without a bound":          {spark: "is not supported without a watermark", write: wl.LeftJoin(wr, "k").Select(wl.Num("id")).WriteTo(memory), mode: compiler.Stream},
		"join of streams without an equality":           {spark: "Stream-stream join without equality predicate", write: wl.Join(wr, wl.Num("id").Lt(wr.Num("id"))).Select(wl.Num("id")).WriteTo(memory), mode: compiler.Stream},
		"left join of streams without a watermark":      {spark: "is not supported without a watermark", write: e.LeftJoin(o, "k").Select(e.Num("id")).WriteTo(memory), mode: compiler.Stream},
		"count distinct":                                {spark: "Distinct aggregations are not supported on streaming", write: e.Agg(expr.CountDistinct(e.Str("k")).As("d")).WriteTo(memory).OutputMode(expr.Complete), mode: compiler.Stream},
		"file sink in update mode":                      {spark: "Invalid streaming output mode: update", write: e.WriteTo(files).OutputMode(expr.Update).Checkpoint(filepath.Join(folder, "ck")), mode: compiler.Stream},
		"aggregate over a stream outside Agg":           {spark: "Window function is not supported", write: e.Mutate(e.Num("v").Sum().As("s")).WriteTo(memory), mode: compiler.Stream},
		"union of a stream and a static table":          {spark: "Union between streaming and batch", write: e.Select("k").Union(in.Labels.Select("k")).WriteTo(memory), mode: compiler.Stream},
		"aggregation above an aggregation":              {spark: "'correctness' issue due to global watermark", write: e.GroupBy("k").Agg(expr.Count().As("n")).Agg(expr.Count().As("m")).WriteTo(memory).OutputMode(expr.Complete), mode: compiler.Stream},
		"left join that keeps the static side":          {spark: "streaming DataFrame/Dataset on the right and a static", write: in.Labels.LeftJoin(e, "k").Select(in.Labels.Str("label")).WriteTo(memory), mode: compiler.Stream},
		"right join of streams without a bound":         {spark: "is not supported without a watermark", write: wl.RightJoin(wr, "k").Select(wl.Num("id")).WriteTo(memory), mode: compiler.Stream},
		"outer join of streams without a bound":         {spark: "is not supported without a watermark", write: wl.OuterJoin(wr, "k").Select(wl.Num("id")).WriteTo(memory), mode: compiler.Stream},
		"semi join of streams without a bound":          {spark: "is not supported without a watermark", write: wl.SemiJoin(wr, "k").Select(wl.Num("id")).WriteTo(memory), mode: compiler.Stream},
		"anti join of streams without a bound":          {spark: "is not supported without a watermark", write: wl.AntiJoin(wr, "k").Select(wl.Num("id")).WriteTo(memory), mode: compiler.Stream},
		"sessions in update mode":                       {spark: "not supported for session window streaming aggregations", write: wl.GroupBy("k", window.Session(wl.Timestamp("at"), time.Minute)).Agg(expr.Count().As("n")).WriteTo(memory).OutputMode(expr.Update), mode: compiler.Stream},
		"sessions without another key":                  {spark: "Global aggregation with session window", write: wl.GroupBy(window.Session(wl.Timestamp("at"), time.Minute)).Agg(expr.Count().As("n")).WriteTo(memory), mode: compiler.Stream},
		"dropping duplicates within no watermark":       {spark: "dropDuplicatesWithinWatermark is not supported on streaming DataFrames/DataSets without watermark", write: e.DropDuplicatesWithinWatermark("k").WriteTo(memory), mode: compiler.Stream},
		"dropping duplicates within a watermark, batch": {spark: "dropDuplicatesWithinWatermark is not supported with batch", write: wl.DropDuplicatesWithinWatermark("k").WriteTo(connectors.ToParquet(filepath.Join(folder, "never"))), mode: compiler.Batch},
		"anti join of a static side":                    {spark: "LeftAnti join", write: in.Labels.AntiJoin(e, "k").WriteTo(memory), mode: compiler.Stream},
		"semi join of a static side":                    {spark: "streaming DataFrame/Dataset on the right and a static", write: in.Labels.SemiJoin(e, "k").WriteTo(memory), mode: compiler.Stream},
		"right join that keeps the static side":         {spark: "streaming DataFrame/Dataset on the left and a static", write: e.RightJoin(in.Labels, "k").Select("label").WriteTo(memory), mode: compiler.Stream},
		"outer join with a static side":                 {spark: "FullOuter join", write: e.OuterJoin(in.Labels, "k").Select("label").WriteTo(memory), mode: compiler.Stream},
		"cross join of streams":                         {spark: "Stream-stream join without equality predicate", write: wl.Select("id").CrossJoin(wr.Select("v")).WriteTo(memory), mode: compiler.Stream},
		"any join of streams":                           {spark: "Window function is not supported", write: e.AnyJoin(o, "k").Select(e.Num("id")).WriteTo(memory), mode: compiler.Stream},
		"as-of join of streams":                         {spark: "Window function is not supported", write: wl.AsofJoin(wr, "at", "k").Select(wl.Num("id")).WriteTo(memory), mode: compiler.Stream},
		"as-of join with a static side":                 {spark: "Union between streaming and batch", write: e.AsofJoin(in.Labels.Mutate(expr.Lit(int64(1)).As("id")), "id", "k").Select("label").WriteTo(memory), mode: compiler.Stream},
		"as-of join of streams looking forward":         {spark: "Window function is not supported", write: wl.AsofJoin(wr, "at", "k", expr.AsofForward()).Select(wl.Num("id")).WriteTo(memory), mode: compiler.Stream},
		"temporal join of streams":                      {spark: "Window function is not supported", write: wl.TemporalJoin(wr.Versioned("at", "k"), "at").Select(wl.Num("id")).WriteTo(memory), mode: compiler.Stream},
		"temporal join with a static side":              {spark: "Union between streaming and batch", write: e.TemporalLeftJoin(in.Labels.Mutate(expr.Lit(int64(1)).As("id")).Versioned("id", "k"), "id").Select("label").WriteTo(memory), mode: compiler.Stream},
		"no checkpoint":                                 {spark: "checkpointLocation must be specified", write: e.WriteTo(files), mode: compiler.Stream},
		"row number over a stream":                      {spark: "Window function is not supported", write: e.Mutate(functions.RowNumber().Over(window.Over().OrderBy("id")).As("n")).WriteTo(memory), mode: compiler.Stream},
		"over in the order of event time":               {spark: "Window function is not supported", write: wl.Mutate(wl.Num("id").Lag().Over(window.Over().GroupBy("k").OrderBy("at")).As("n")).WriteTo(memory), mode: compiler.Stream},
		"over that looks ahead in event time":           {spark: "Window function is not supported", write: wl.Mutate(wl.Num("id").Lead().Over(window.Over().OrderBy("at")).As("n")).WriteTo(memory), mode: compiler.Stream},
		"grouped mutate of a stream":                    {spark: "Window function is not supported", write: e.GroupBy("k").Mutate(e.Num("v").Sum().As("n")).WriteTo(memory), mode: compiler.Stream},
		"distinct on of a stream":                       {spark: "Window function is not supported", write: e.DistinctOn("k").Keep(expr.KeepNone).WriteTo(memory), mode: compiler.Stream},
		"first rows of groups of a stream":              {spark: "Window function is not supported", write: e.GroupBy("k").OrderBy("id").Limit(1).WriteTo(memory), mode: compiler.Stream},
		"intersection of two streams":                   {spark: "Intersect of streaming DataFrames/Datasets is not supported", write: e.Select("k").Intersect(o.Select("k")).WriteTo(memory).OutputMode(expr.Update), mode: compiler.Stream},
		"intersection of a stream and a table":          {spark: "Intersect of streaming DataFrames/Datasets is not supported", write: e.Select("k").IntersectAll(in.Labels.Select("k")).WriteTo(memory).OutputMode(expr.Update), mode: compiler.Stream},
		"difference by a stream":                        {spark: "Except on a streaming DataFrame/Dataset on the right", write: in.Labels.Select("k").Difference(e.Select("k")).WriteTo(memory).OutputMode(expr.Update), mode: compiler.Stream},
		"difference of a stream and a table in append":  {spark: "Append output mode not supported for aggregations on streaming", write: e.Select("k").Difference(in.Labels.Select("k")).WriteTo(memory), mode: compiler.Stream},
		"difference of a stream in complete mode":       {spark: "not supported for no streaming aggregations", write: e.Select("k").Difference(in.Labels.Select("k")).WriteTo(memory).OutputMode(expr.Complete), mode: compiler.Stream},
		"sample of a stream":                            {spark: "Sampling is not supported on streaming", write: e.Sample(0.5, 1).WriteTo(memory), mode: compiler.Stream},
		"watermark under the continuous trigger":        {spark: "EventTimeWatermark", write: rate.Watermark("timestamp", time.Second).WriteTo(memory).Trigger(expr.Continuous(time.Second)), mode: compiler.Stream},
		"union under the continuous trigger":            {spark: "Union", write: rate.Union(rate).WriteTo(memory).Trigger(expr.Continuous(time.Second)), mode: compiler.Stream},
		"current time under the continuous trigger":     {spark: "current time", write: rate.Filter(rate.Timestamp("timestamp").Lt(functions.Now())).WriteTo(memory).Trigger(expr.Continuous(time.Second)), mode: compiler.Stream},
		"current date under the continuous trigger":     {spark: "current time", write: rate.Mutate(functions.CurrentDate().As("d")).WriteTo(memory).Trigger(expr.Continuous(time.Second)), mode: compiler.Stream},
		"files under the continuous trigger":            {spark: "StreamingRelation", write: expr.Read("lines", connectors.FromText(folder)).WriteTo(memory).Trigger(expr.Continuous(time.Second)), mode: compiler.Stream},
		"made batches under the continuous trigger":     {spark: "continuous processing", write: expr.Read("r", connectors.RateMicroBatch(1)).WriteTo(memory).Trigger(expr.Continuous(time.Second)), mode: compiler.Stream},
		"files at the end of the continuous trigger":    {spark: "Unknown type of trigger", write: rate.WriteTo(files).Checkpoint(filepath.Join(folder, "ckc")).Trigger(expr.Continuous(time.Second)), mode: compiler.Stream},
		"batches at the end of the continuous trigger":  {spark: "continuous trigger", write: rate.WriteTo(connectors.ForeachBatchSQL("SELECT 1")).Trigger(expr.Continuous(time.Second)), mode: compiler.Stream},
		"append mode under the real-time trigger":       {spark: "The output mode", write: rate.WriteTo(connectors.ToConsole()).Checkpoint(filepath.Join(folder, "ckr")).Trigger(expr.RealTime(5 * time.Second)), mode: compiler.Stream},
		"a rate under the real-time trigger":            {spark: "RateStream", write: rate.WriteTo(connectors.ToConsole()).OutputMode(expr.Update).Checkpoint(filepath.Join(folder, "cks")).Trigger(expr.RealTime(5 * time.Second)), mode: compiler.Stream},
		"unknown column": {spark: "`nothing` cannot be resolved", write: e.Select("nothing").WriteTo(memory), mode: compiler.Stream,
			sound: e.Select("id").WriteTo(memory), slip: func(n tree.Scalar) tree.Scalar { return &tree.Unbound{Name: "nothing"} }},
		"type mismatch": {spark: "data type mismatch", write: e.Filter(e.Str("k").Eq([]int{1})).WriteTo(memory), mode: compiler.Stream,
			sound: e.Filter(e.Str("k").Eq("x")).WriteTo(memory), slip: func(n tree.Scalar) tree.Scalar {
				if _, ok := n.(*tree.Literal); ok {
					return &tree.Literal{Value: []any{int64(1)}, Typ: datatype.Array{Elem: datatype.Int}}
				}
				return n
			}},
		"column of an ancestor that was redefined": {spark: "`events`.`v` cannot be resolved", write: redefined.Select(e.Num("v")).WriteTo(memory), mode: compiler.Stream,
			sound: redefined.Select("v").WriteTo(memory), slip: func(n tree.Scalar) tree.Scalar {
				if c, ok := n.(*tree.Column); ok {
					return &tree.Column{Rel: ancestor, Ordinal: c.Ordinal}
				}
				return n
			}},
	} {
		t.Run(name, func(t *testing.T) {
			queries++
			_, err := compiler.CompileWrite(c.write, c.mode)
			require.Error(t, err)
			var own *condition.Error
			require.ErrorAs(t, err, &own)
			require.Contains(t, err.Error(), "spark_refused_test.go:", "the place in the user's file")
			require.NotEmpty(t, own.Message)
			require.NotEmpty(t, own.Hint+own.Operator, "the operator or the way out")

			if c.slip == nil {
				c.sound = c.write
			}
			// Spark wants a name of a query into the memory sink before it looks at anything else.
			forced, err := c.sound.Name(fmt.Sprintf("refused_%d", queries)).Tree()
			require.NoError(t, err)
			if c.slip != nil {
				forced = slipped(t, forced, c.slip)
			}
			program, err := compiler.Unchecked(forced, c.mode)
			require.NoError(t, err)
			err = force(ctx, t, program, s)
			require.Error(t, err, "Spark takes it")
			var theirs *condition.Error
			require.ErrorAs(t, err, &theirs)
			require.Contains(t, err.Error(), c.spark)
			for _, r := range analyze.Rules() {
				if own.Rule == strings.TrimSuffix(r.Text, ".") && r.Words != nil {
					require.True(t, slices.ContainsFunc(r.Words, func(words string) bool { return strings.Contains(err.Error(), words) }), "%s: %v", r.ID, err)
				}
			}
			t.Logf("%s\nSpark: [%s] %.160s", own.Message, theirs.Condition, theirs.Message)
		})
	}
}

// slipped gives the write with the values of its uppermost operator changed.
func slipped(t *testing.T, w *tree.Write, f func(tree.Scalar) tree.Scalar) *tree.Write {
	t.Helper()
	changed := false
	rewrite := func(in tree.Scalar) tree.Scalar {
		out := tree.Rewrite(in, f)
		changed = changed || out != in
		return out
	}
	named := func(in []tree.Named) []tree.Named {
		out := slices.Clone(in)
		for i := range out {
			out[i].Expr = rewrite(out[i].Expr)
		}
		return out
	}
	copied := *w
	switch x := w.Input.(type) {
	case *tree.Project:
		copied.Input = &tree.Project{Node: x.Node, Input: x.Input, Columns: named(x.Columns)}
	case *tree.Filter:
		copied.Input = &tree.Filter{Node: x.Node, Input: x.Input, Cond: rewrite(x.Cond)}
	case *tree.Aggregate:
		copied.Input = &tree.Aggregate{Node: x.Node, Input: x.Input, Keys: named(x.Keys), Aggs: x.Aggs}
	}
	require.True(t, changed, "no slip was made")
	return &copied
}
