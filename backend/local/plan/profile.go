package plan

import (
	"fmt"
	"strings"
	"sync"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local/exec"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Profile is told which operators [Plan.Build] makes, and with Measure what they do. A node that is built again, as a shared part is, counts on.
type Profile struct {
	// Measure counts rows, batches, time and memory.
	Measure bool
	// Columns adds the columns of each operator.
	Columns bool

	mu        sync.Mutex
	root      Node
	operators map[profileKey]*profiled
	// top is the operator that gives a node's rows to its reader: its own, or what gathers them.
	top       map[Node]*backend.PlanOperator
	pipelines int
}

// The roles that operators of one node have: what it is for, the source below a decoding, and the gathering of what several goroutines make of it.
const (
	ownRole    = ""
	sourceRole = "source"
	gatherRole = "gather"
)

// profileKey is an operator of a node in a role.
type profileKey struct {
	node Node
	role string
}

type profiled struct {
	op    *backend.PlanOperator
	meter *exec.Meter
}

// operator gives the operator of a node in a role, made by describe when it is not there yet; p is locked.
func (p *Profile) operator(n Node, role string, describe func() *backend.PlanOperator) *profiled {
	key := profileKey{n, role}
	o := p.operators[key]
	if o == nil {
		if p.operators == nil {
			p.operators, p.top = map[profileKey]*profiled{}, map[Node]*backend.PlanOperator{}
		}
		o = &profiled{op: describe()}
		if p.Measure {
			o.meter = &exec.Meter{}
		}
		p.operators[key] = o
	}
	p.top[n] = o.op
	return o
}

// Physical gives the operators of the last build with what they did so far; nil before one.
func (p *Profile) Physical() *backend.PlanOperator {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, o := range p.operators {
		if o.meter == nil || !o.meter.Ran() {
			continue
		}
		o.op.Metrics = []backend.PlanMetric{
			{Name: backend.MetricRows, Value: o.meter.Rows()}, {Name: backend.MetricBatches, Value: o.meter.Batches()},
			{Name: backend.MetricElapsed, Value: int64(o.meter.Elapsed()), Unit: backend.MetricTime},
		}
		if n, ok := o.meter.Bytes(); ok {
			o.op.Metrics = append(o.op.Metrics, backend.PlanMetric{Name: backend.MetricMemory, Value: n, Unit: backend.MetricBytes})
		}
	}
	return p.top[p.root]
}

// watch tells the run's profile, if it has one, of the operator that was made of a node, and gives the operator that counts for it.
func (b *builder) watch(n Node, role string, op exec.Operator) exec.Operator {
	p := b.in.Profile
	if p == nil {
		return op
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	pipe, isStep := op.(*exec.Pipeline)
	o := p.operator(n, role, func() *backend.PlanOperator {
		d := &backend.PlanOperator{Text: b.physical(n, role, isStep)}
		if isStep {
			// As Spark numbers what it generates one function of.
			d.Text = fmt.Sprintf("*(%d) %s", b.number(pipe), d.Text)
		}
		if p.Columns && role == ownRole {
			d.Lines = columnLines(n)
		}
		switch _, isScan := n.(*Scan); {
		case role == gatherRole:
			d.Inputs = append(d.Inputs, p.top[n])
		case isScan && isStep:
			d.Inputs = append(d.Inputs, p.operators[profileKey{n, sourceRole}].op)
		}
		if role != ownRole {
			return d
		}
		for _, in := range inputs(n) {
			top := p.top[in]
			if top == nil { // of a subquery, which is planned for each row
				top = describe(in, nil)
			}
			d.Inputs = append(d.Inputs, top)
		}
		return d
	})
	if isStep {
		pipe.Steps[len(pipe.Steps)-1].Meter = o.meter
	} else if o.meter != nil {
		scan, isScan := op.(*exec.Scan)
		if isScan {
			scan.Meter = o.meter
		}
		op = &exec.Metered{Operator: op, Meter: o.meter, Waits: isScan || role == gatherRole}
	}
	if b.nodes == nil {
		b.nodes = map[exec.Operator]Node{}
	}
	b.nodes[op] = n
	return op
}

// number counts the pipelines of a profile; p is locked.
func (b *builder) number(pipe *exec.Pipeline) int {
	if b.pipelines == nil {
		b.pipelines = map[*exec.Pipeline]int{}
	}
	if b.pipelines[pipe] == 0 {
		b.in.Profile.pipelines++
		b.pipelines[pipe] = b.in.Profile.pipelines
	}
	return b.pipelines[pipe]
}

// physical describes an operator by what it does of a node.
func (b *builder) physical(n Node, role string, isStep bool) string {
	if role == gatherRole {
		return fmt.Sprintf("Gather from %d goroutines in order", b.task.Parallelism)
	}
	switch x := n.(type) {
	case *Scan:
		if isStep {
			return "Decode " + x.Read.Source.Codec.Format + " " + datatype.QuoteName(x.Read.Source.Codec.Column)
		}
	case *Join:
		if x.Op >= 0 {
			break
		}
		var keys, rest []string
		for _, c := range x.On {
			if _, ok, _ := b.joinKey(x, c, x.Left.Schema().Len()); ok {
				keys = append(keys, Text(c))
			} else {
				rest = append(rest, Text(c))
			}
		}
		out := pick(keys == nil, "NestedLoopJoin ", "HashJoin ") + pick(x.Any, "ANY ", "") + x.Kind.String() + " build right"
		if keys != nil {
			out += " keys [" + strings.Join(keys, ", ") + "]"
		}
		if rest != nil {
			out += " where " + strings.Join(rest, " AND ")
		}
		if len(x.Sieves) > 0 {
			out += fmt.Sprintf(" sieves %d", len(x.Sieves))
		}
		return out
	}
	return line(n)
}

// inputs are those of a node with what it is written to read besides: a shared part, the subquery that runs for each row.
func inputs(n Node) []Node {
	switch x := n.(type) {
	case *Shared:
		return []Node{x.In}
	case *Apply:
		return append(x.Inputs(), x.Plan)
	}
	return n.Inputs()
}

// describe gives the operators of a plan with what more says of each, which may be nil.
func describe(n Node, more func(Node) []string) *backend.PlanOperator {
	seen := map[Node]*backend.PlanOperator{}
	var visit func(n Node) *backend.PlanOperator
	visit = func(n Node) *backend.PlanOperator {
		if o, ok := seen[n]; ok {
			return o
		}
		o := &backend.PlanOperator{Text: line(n)}
		seen[n] = o
		if more != nil {
			o.Lines = more(n)
		}
		for _, in := range inputs(n) {
			o.Inputs = append(o.Inputs, visit(in))
		}
		return o
	}
	return visit(n)
}

// columnLines prints the columns of a node that are read, with their watermarks.
func columnLines(n Node) []string {
	var fields []tree.Field
	for i, f := range n.Schema().Fields() {
		if n.common().needed(i) {
			fields = append(fields, f)
		}
	}
	if fields == nil {
		return []string{"columns: none"}
	}
	return []string{"columns: " + backend.ColumnsText(tree.NewSchema(fields))}
}

// Explain plans a relation and explains what [Make] makes of it, with the operators of a profile as the physical plan; where that is nil, without. note is about the physical plan.
func Explain(r tree.Relation, k Kind, mode backend.ExplainMode, physical *backend.PlanOperator, note string) (backend.Explanation, error) {
	var e backend.Explanation
	if mode == backend.ExplainExtended || mode == backend.ExplainCost {
		var p *Plan
		var before string
		var changed []string
		k.trace = func(rule string, now *Plan) {
			p = now
			text := TreeText(now.Root)
			if rule != "" && text != before {
				changed = append(changed, rule)
			}
			before = text
		}
		if _, err := Make(r, k); err != nil {
			return e, err
		}
		optimised := backend.PlanSection{Title: "Optimized Plan", Note: "rules: " + strings.Join(changed, ", ")}
		if changed == nil {
			optimised.Note += "none changed it"
		}
		if mode == backend.ExplainExtended {
			e.Sections = append(e.Sections, backend.LogicalSection(r))
			optimised.Root = describe(p.Root, nil)
		} else {
			optimised.Root = describe(p.Root, func(n Node) []string {
				if g := p.known.estimate(n); g.known {
					return []string{fmt.Sprintf("about %.0f rows", g.rows)}
				}
				return []string{"rows unknown"}
			})
		}
		e.Sections = append(e.Sections, optimised)
	}
	e.Sections = append(e.Sections, backend.PlanSection{Title: "Physical Plan", Note: note, Root: physical})
	return e, nil
}
