package plan

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/spoonbill-go/spoonbill/backend/local/exec"
	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// lookBack says which rows before its own a window expression of a stream looks at, which are what its state keeps.
type lookBack struct {
	// running is an expression over all rows so far: of them the state keeps the totals.
	running bool
	// rows is how many rows count, and span how long before the row in microseconds; -1 for the other of the two.
	rows, span int64
	// valued counts only rows in which this is not null; nil counts all.
	valued tree.Scalar
}

func (l lookBack) String() string {
	switch {
	case l.running:
		return "running"
	case l.valued != nil:
		return fmt.Sprintf("%d values of %s", l.rows, Text(l.valued))
	case l.rows >= 0:
		return fmt.Sprintf("%d rows", l.rows)
	}
	return "span " + span(l.span)
}

const day = 86_400_000_000

// looksBack finds how far back a window expression looks. One that looks ahead, or at the whole partition, is refused: the rules of package analyze do so first,
// with the way out.
func looksBack(o *tree.Over) (lookBack, error) {
	refuse := func(why string) (lookBack, error) {
		return lookBack{}, unsupported(o.At, "the local engine does not compute %s over a stream: %s.", tree.String(o), why)
	}
	f := o.Func
	switch f.Func.Name {
	case "row_number", "rank", "dense_rank":
		return lookBack{running: true, rows: -1, span: -1}, nil
	case "lag", "lead":
		n := int64(1)
		if len(f.Args) > 1 {
			l, ok := tree.StripImplicit(f.Args[1]).(*tree.Literal)
			if ok {
				n, ok = l.Value.(int64)
			}
			if !ok {
				return refuse("its offset is no literal")
			}
		}
		if f.Func.Name == "lead" {
			n = -n
		}
		if n < 0 {
			return refuse("it looks ahead")
		}
		out := lookBack{rows: n, span: -1}
		if f.IgnoreNulls && n > 0 {
			out.valued = f.Args[0]
		}
		return out, nil
	}
	if f.Func.Kind == catalog.Window && f.Func.Name != "nth_value" {
		return refuse("it looks at the whole partition")
	}
	if len(o.OrderBy) == 0 {
		return refuse("it has no order")
	}
	if o.Frame == nil {
		return lookBack{running: true, rows: -1, span: -1}, nil
	}
	start, end := o.Frame.Start, o.Frame.End
	if end.Unbounded || end.Offset != nil && !end.Preceding && !zero(end.Offset) {
		return refuse("its frame reaches ahead")
	}
	if start.Unbounded {
		if end.Offset != nil && !zero(end.Offset) {
			return refuse("its frame begins with the partition and ends before the row")
		}
		return lookBack{running: true, rows: -1, span: -1}, nil
	}
	if start.Offset == nil {
		return lookBack{rows: pick[int64](o.Frame.Rows, 0, -1), span: pick[int64](o.Frame.Rows, -1, 0)}, nil
	}
	l, ok := start.Offset.(*tree.Literal)
	if !ok {
		return refuse("the bound of its frame is no literal")
	}
	n, ok := l.Value.(int64)
	if !ok {
		return refuse("the bound of its frame is no literal")
	}
	if o.Frame.Rows {
		return lookBack{rows: max(n, 0), span: -1}, nil
	}
	// Days and months follow the zone's calendar: rows are kept a little longer than they are looked at.
	if l.Typ.Kind() == datatype.KindYearMonth {
		n = min(n, math.MaxInt64/(40*day)) * 31 * day
	}
	if n >= day {
		n = min(n, math.MaxInt64-2*day) + 2*day
	}
	return lookBack{rows: -1, span: n}, nil
}

// zero tells whether a bound of a frame is a distance of nothing.
func zero(s tree.Scalar) bool {
	l, ok := tree.StripImplicit(s).(*tree.Literal)
	return ok && l.Value == int64(0)
}

// overGroup are the window expressions of a stream that keep the same rows: they are of one partitioning and order, and look back equally far.
type overGroup struct {
	lookBack
	items []int
	// columns of the input are read by the expressions; rows that are kept have no others.
	columns []int
}

// streamOver sorts the expressions of an operator into groups, and finds the event time that orders them all.
func (n *Over) streamOver() (groups []overGroup, time tree.Scalar, err error) {
	known := map[string]int{}
	for i, o := range n.Items {
		back, err := looksBack(o)
		if err != nil {
			return nil, nil, err
		}
		t := tree.Scalar(nil)
		if len(o.OrderBy) > 0 {
			t, _ = tree.StripAlias(o.OrderBy[0].Arg)
		}
		if t == nil || tree.EventTimeOf(t) == nil || o.OrderBy[0].Descending {
			return nil, nil, unsupported(o.At, "the local engine computes window expressions over a stream in the order of event time, and %s is not.", tree.String(o))
		}
		if time == nil {
			time = t
		}
		if Text(t) != Text(time) {
			return nil, nil, unsupported(o.At, "window expressions of one projection of a stream are ordered by one event time, not by %s and %s.", Text(time), Text(t))
		}
		text := specText(o) + " " + back.String()
		k, ok := known[text]
		if !ok {
			k = len(groups)
			known[text] = k
			groups = append(groups, overGroup{lookBack: back})
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
		if g.running {
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
		out := exec.OverGroup{Columns: g.columns, Running: g.running, Rows: g.rows, Span: g.span}
		if out.OverSpec, err = b.overSpec(x.Items[g.items[0]]); err != nil {
			return nil, err
		}
		if g.valued != nil {
			if out.Valued, err = b.compile(g.valued); err != nil {
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
