package client

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"

	pb "github.com/spoonbill-go/spoonbill/backend/sparkconnect/internal/connectpb"
)

// Spark's text stays as it is, and its trees are found in it. A literal that looks like a branch becomes an operator of the tree, never a failure.
func TestParseExplain(t *testing.T) {
	text := `== Parsed Logical Plan ==
'Sort ['k ASC NULLS FIRST], true
+- 'Join Inner
   :- 'Project [a
+- no branch of a tree
b]
   :  +- 'UnresolvedRelation [t]
   +- 'UnresolvedRelation [u]

== Analyzed Logical Plan ==
k: string, v: int
Project [k, v]
+- Relation [k] json

== Physical Plan ==
* Project (2)
+- Scan json  (1)


(1) Scan json
Output [1]: [k]
`
	e := parseExplain(text)
	require.Equal(t, text, e.String())
	shape := func(i int) string {
		var b strings.Builder
		var visit func(o *backend.PlanOperator)
		visit = func(o *backend.PlanOperator) {
			b.WriteString(o.Text)
			if len(o.Inputs) > 0 {
				b.WriteString("(")
				for i, in := range o.Inputs {
					if i > 0 {
						b.WriteString("; ")
					}
					visit(in)
				}
				b.WriteString(")")
			}
		}
		visit(e.Sections[i].Root)
		return b.String()
	}
	require.Len(t, e.Sections, 3)
	require.Equal(t, "Project [k, v](Relation [k] json)", shape(1))
	require.Equal(t, "* Project (2)(Scan json  (1))", shape(2))
	require.Contains(t, shape(0), "'UnresolvedRelation [u]")

	for _, odd := range []string{"", "\n", "== ", "== x ==", "== Physical Plan ==", "== Physical Plan ==\n\n\n", "== Physical Plan ==\n   +- deep\n+- x\n:  :  :- y", "no section"} {
		require.NotPanics(t, func() { _ = parseExplain(odd).DOT() }, odd)
	}
}

// Each operator names the one that reads it.
func TestExecuted(t *testing.T) {
	metric := func(name, kind string, v int64) *pb.ExecutePlanResponse_Metrics_MetricValue {
		return &pb.ExecutePlanResponse_Metrics_MetricValue{Name: name, Value: v, MetricType: kind}
	}
	object := func(name string, id, up int64, m ...*pb.ExecutePlanResponse_Metrics_MetricValue) *pb.ExecutePlanResponse_Metrics_MetricObject {
		o := &pb.ExecutePlanResponse_Metrics_MetricObject{Name: name, PlanId: id, Parent: up, ExecutionMetrics: map[string]*pb.ExecutePlanResponse_Metrics_MetricValue{}}
		for _, x := range m {
			o.ExecutionMetrics[x.Name] = x
		}
		return o
	}
	root := executed([]*pb.ExecutePlanResponse_Metrics_MetricObject{
		object("Join", 7, 7, metric("number of output rows", "sum", 0), metric("spill size", "size", 0)),
		object("Scan a", 8, 7, metric("scan time", "timing", 12), metric("size of files read", "size", 2048), metric("probes", "average", 15), metric("build", "nsTiming", 2_000_000)),
		object("Scan b", 9, 7),
		object("lost", 10, 99),
	})
	e := backend.Explanation{Sections: []backend.PlanSection{{Root: root}}}
	require.Equal(t, `Join  (number of output rows: 0)
:- Scan a  (build: 2.0 ms, probes: 1.5, scan time: 12.0 ms, size of files read: 2.0 KiB)
:- Scan b
+- lost
`, e.String())
	require.Nil(t, executed(nil))
}
