package client

import (
	"context"
	"slices"
	"strings"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/expr/condition"

	pb "github.com/spoonbill-go/spoonbill/backend/sparkconnect/internal/connectpb"
)

var explainModes = map[backend.ExplainMode]pb.AnalyzePlanRequest_Explain_ExplainMode{
	backend.ExplainSimple:    pb.AnalyzePlanRequest_Explain_EXPLAIN_MODE_SIMPLE,
	backend.ExplainExtended:  pb.AnalyzePlanRequest_Explain_EXPLAIN_MODE_EXTENDED,
	backend.ExplainCodegen:   pb.AnalyzePlanRequest_Explain_EXPLAIN_MODE_CODEGEN,
	backend.ExplainCost:      pb.AnalyzePlanRequest_Explain_EXPLAIN_MODE_COST,
	backend.ExplainFormatted: pb.AnalyzePlanRequest_Explain_EXPLAIN_MODE_FORMATTED,
}

// Explain gives the server's plans of a relation.
func (c *Client) Explain(ctx context.Context, rel *pb.Relation, mode backend.ExplainMode) (backend.Explanation, error) {
	resp, err := c.analyze(ctx, &pb.AnalyzePlanRequest{Analyze: &pb.AnalyzePlanRequest_Explain_{Explain: &pb.AnalyzePlanRequest_Explain{
		Plan: planOf(rel), ExplainMode: explainModes[mode],
	}}})
	if err != nil {
		return backend.Explanation{}, err
	}
	return parseExplain(resp.GetExplain().GetExplainString()), nil
}

// Explain implements [backend.Query]. Spark's protocol has the modes simple and extended of a stream, and the metrics of batches alone.
func (q *StreamingQuery) Explain(ctx context.Context, o backend.ExplainOptions) (backend.Explanation, error) {
	var refused *condition.Error
	switch {
	case o.Analyze:
		refused = condition.Newf(condition.Unsupported, "Spark Connect sends no metrics of a streaming query's operators, so Explain cannot analyse one.")
		refused.Hint = "LastProgress has the rows, times and state of the last batch. The local engine analyses an epoch."
	case o.Mode != backend.ExplainSimple && o.Mode != backend.ExplainExtended:
		refused = condition.Newf(condition.Unsupported, "Spark Connect has no mode %s of the plan of a streaming query.", o.Mode)
		refused.Hint = "Use backend.ExplainSimple or ExplainExtended."
	}
	if refused != nil {
		refused.Operator = "Explain"
		return backend.Explanation{}, refused
	}
	extended := o.Mode == backend.ExplainExtended
	r, err := q.ask(ctx, &pb.StreamingQueryCommand{Command: &pb.StreamingQueryCommand_Explain{Explain: &pb.StreamingQueryCommand_ExplainCommand{Extended: extended}}}, false)
	if err != nil {
		return backend.Explanation{}, err
	}
	return parseExplain(r.GetExplain().GetResult()), nil
}

// parseExplain reads the sections of Spark's text and the trees in them. The text stays what it is.
func parseExplain(text string) backend.Explanation {
	var e backend.Explanation
	var lines []string
	end := func() {
		if body := strings.Trim(strings.Join(lines, "\n"), "\n"); body != "" || len(e.Sections) > 0 {
			if len(e.Sections) == 0 {
				e.Sections = append(e.Sections, backend.PlanSection{})
			}
			s := &e.Sections[len(e.Sections)-1]
			s.Text = body
			s.Root = parseTree(s.Title, strings.Split(body, "\n"))
		}
		lines = nil
	}
	for l := range strings.SplitSeq(text, "\n") {
		title, ok := strings.CutPrefix(l, "== ")
		if title, closed := strings.CutSuffix(title, " =="); ok && closed {
			end()
			e.Sections = append(e.Sections, backend.PlanSection{Title: title})
			continue
		}
		lines = append(lines, l)
	}
	end()
	return e
}

// parseTree reads a tree in the shape that Spark prints: three characters of lines and branches a level. It ends at the first empty line; nil for what is no tree.
//
// Source: Spark's TreeNode.generateTreeString.
func parseTree(title string, lines []string) *backend.PlanOperator {
	if title == "Analyzed Logical Plan" && len(lines) > 0 {
		lines = lines[1:] // the columns of the result
	}
	if !strings.HasSuffix(title, "Plan") && !strings.HasPrefix(title, "Subtree ") {
		return nil
	}
	var path []*backend.PlanOperator // from the root to the last operator
	for _, l := range lines {
		if l == "" && path != nil {
			break
		}
		depth, rest := 0, l
		for strings.HasPrefix(rest, "   ") || strings.HasPrefix(rest, ":  ") {
			depth, rest = depth+1, rest[3:]
		}
		branch := strings.HasPrefix(rest, "+- ") || strings.HasPrefix(rest, ":- ")
		if branch {
			depth, rest = depth+1, rest[3:]
		}
		if path != nil && (!branch || depth > len(path)) {
			path[len(path)-1].Text += "\n" + l // a name or a literal with a line break in it
			continue
		}
		o := &backend.PlanOperator{Text: rest}
		depth = min(depth, len(path))
		if path = path[:depth]; depth > 0 {
			up := path[depth-1]
			up.Inputs = append(up.Inputs, o)
		}
		path = append(path, o)
	}
	if len(path) == 0 {
		return nil
	}
	return path[0]
}

// Analyzed reads the result to its end and gives the plan that ran, with its metrics.
func (r *Result) Analyzed() (backend.PlanSection, error) {
	s := backend.PlanSection{Title: "Executed Plan"}
	for _, err := range r.Batches() {
		if err != nil {
			return s, err
		}
	}
	if len(r.metrics.GetMetrics()) == 0 {
		e := condition.Newf(condition.ServerError, "the server at %s sent no metrics behind the rows.", r.x.c.remote.Address())
		e.Operator, e.Hint = "Explain", "Explain without Analyze."
		return s, e
	}
	s.Root = executed(r.metrics.GetMetrics())
	return s, nil
}

// metricUnits are the kinds of Spark's SQLMetrics. Times in milliseconds become nanoseconds.
var metricUnits = map[string]struct {
	unit backend.MetricUnit
	in   int64
}{
	"size": {backend.MetricBytes, 1}, "timing": {backend.MetricTime, 1e6}, "nsTiming": {backend.MetricTime, 1}, "average": {backend.MetricTenths, 1},
}

// executed makes a tree of operators with metrics: each names the operator that reads it and comes behind that one. A plan that several read is sent once for each.
//
// Source: Spark Connect's MetricGenerator.
func executed(list []*pb.ExecutePlanResponse_Metrics_MetricObject) *backend.PlanOperator {
	var root *backend.PlanOperator
	at := map[int64]*backend.PlanOperator{}
	for _, m := range list {
		o := &backend.PlanOperator{Text: m.GetName()}
		for _, v := range m.GetExecutionMetrics() {
			if v.GetValue() == 0 && v.GetName() != "number of output rows" {
				continue // of the many metrics that an operator may have it has a few
			}
			u, ok := metricUnits[v.GetMetricType()]
			if !ok {
				u.in = 1
			}
			o.Metrics = append(o.Metrics, backend.PlanMetric{Name: v.GetName(), Value: v.GetValue() * u.in, Unit: u.unit})
		}
		slices.SortFunc(o.Metrics, func(a, b backend.PlanMetric) int { return strings.Compare(a.Name, b.Name) })
		up := at[m.GetParent()]
		at[m.GetPlanId()] = o
		switch {
		case root == nil:
			root = o
		case up != nil:
			up.Inputs = append(up.Inputs, o)
		default:
			root.Inputs = append(root.Inputs, o)
		}
	}
	return root
}
