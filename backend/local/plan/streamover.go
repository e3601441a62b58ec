package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spoonbill-go/spoonbill/backend/local/exec"
	"github.com/spoonbill-go/spoonbill/compiler/analyze"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// lookBackText is how far back a window expression looks, as a text.
func lookBackText(l analyze.LookBack) string {
	switch {
	case l.Running:
		return "running"
	case l.Valued != nil:
		return fmt.Sprintf("%d values of %s", l.Rows, Text(l.Valued))
	case l.Rows >= 0:
		return fmt.Sprintf("%d rows", l.Rows)
	}
	return "span " + span(l.Span)
}

// overGroup are the window expressions of a stream that keep the same rows: they are of one partitioning and order, and look back equally far.
type overGroup struct {
	analyze.LookBack
	items []int
	// columns of the input are read by the expressions; rows that are kept have no others.
	columns []int
}

// streamOver sorts the expressions of an operator into groups, and finds the event time that orders them all.
func (n *Over) streamOver() (groups []overGroup, time tree.Scalar, err error) {
	known := map[string]int{}
	for i, o := range n.Items {
		back, why := analyze.LooksBack(o)
		if why != "" { // the rules have said so, with the way out
			return nil, nil, unsupported(o.At, "the local engine does not compute %s over a stream. %s", tree.String(o), why)
		}
		t, _ := tree.StripAlias(o.OrderBy[0].Arg)
		if time == nil {
			time = t
		}
		if Text(t) != Text(time) {
			return nil, nil, unsupported(o.At, "window expressions of one projection of a stream are ordered by one event time, not by %s and %s.", Text(time), Text(t))
		}
		text := specText(o) + " " + lookBackText(back)
		k, ok := known[text]
		if !ok {
			k = len(groups)
			known[text] = k
			groups = append(groups, overGroup{LookBack: back})
		}
		groups[k].items = append(groups[k].items, i)
	}
	for k := range groups {
		read := map[int]bool{}
		for _, i := range groups[k].items {
			maps.Copy(read, columnsOf(n.Items[i]))
		}
		groups[k].columns = slices.Sorted(maps.Keys(read))
	}
	return groups, time, nil
}

// specText is the partitioning and the order of a window expression.
func specText(o *tree.Over) string {
	var text strings.Builder
	for _, p := range o.PartitionBy {
		text.WriteString(Text(p) + ", ")
	}
	text.WriteString("ORDER BY ")
	for _, k := range o.OrderBy {
		text.WriteString(keyText(k) + ", ")
	}
	return text.String()
}

// OverState is what some window expressions over a stream keep: of the rows before, in partitions of Keys, the columns that they read; of expressions over all rows so far
// totals instead, and then there are no columns.
type OverState struct {
	Keys    []tree.Scalar
	Columns []int
}

// OverState gives what the state of windows over a stream keeps, in the order of the numbers in its entries.
func (n *Over) OverState() []OverState {
	groups, _, err := n.streamOver()
	if err != nil {
		return nil // Make has refused it
	}
	var out []OverState
	for _, g := range groups {
		of := OverState{Keys: n.Items[g.items[0]].PartitionBy, Columns: g.columns}
		if g.Running {
			of.Columns = nil
		}
		out = append(out, of)
	}
	return out
}

// streamOver makes the operator of window expressions over a stream.
func (b *builder) streamOver(x *Over, in exec.Operator) (exec.Operator, error) {
	groups, time, err := x.streamOver()
	if err != nil {
		return nil, err
	}
	o := &exec.StreamOver{Input: b.gather(in), Task: b.task, Op: x.Op, Marks: b.marks(x.Op), Out: types(x)}
	if o.Time, err = b.compile(time); err != nil {
		return nil, err
	}
	width := x.In.Schema().Len()
	for _, g := range groups {
		out := exec.OverGroup{Columns: g.columns, Running: g.Running, Rows: g.Rows, Span: g.Span}
		if out.OverSpec, err = b.overSpec(x.Items[g.items[0]]); err != nil {
			return nil, err
		}
		if g.Valued != nil {
			if out.Valued, err = b.compile(g.Valued); err != nil {
				return nil, err
			}
		}
		for _, i := range g.items {
			w, err := b.overItem(x.Items[i], width+i)
			if err != nil {
				return nil, err
			}
			out.Items = append(out.Items, w)
		}
		o.Groups = append(o.Groups, out)
	}
	return o, nil
}
