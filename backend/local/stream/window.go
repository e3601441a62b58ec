package stream

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/plan"
	"github.com/spoonbill-go/spoonbill/backend/local/statetable"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/internal/absent"
)

// WindowExplanation says why the windows of an event time are open, or that they are closed.
type WindowExplanation struct {
	// At is the event time that was asked for.
	At time.Time
	// Watermark is the query's after its last epoch, the start of 1970 before the first row.
	Watermark time.Time
	// Policy is how it comes of the inputs'.
	Policy expr.WatermarkPolicy
	// Inputs are the watermark operators of the query.
	Inputs []WatermarkInput
	// Windows are the windows of the query's groupings that have the time, a time by which rows are grouped being a window of itself. Groupings of whole tables and by
	// other keys have none.
	Windows []WindowState
}

// WatermarkInput is a watermark operator.
type WatermarkInput struct {
	// Column is the column with event time, and Sources are the names of the sources whose rows have it.
	Column  string
	Sources []string
	Delay   time.Duration
	// Newest is the greatest event time of this run, zero where there was none.
	Newest time.Time
	// Watermark is the input's own. After a restart it begins where the query was.
	Watermark time.Time
	// Holds tells whether the query's watermark is this input's: one that holds it back under the policy min, one that leads under max.
	Holds bool
}

// WindowState is a window of a grouping.
type WindowState struct {
	// Operator is the number of the grouping among the stateful operators.
	Operator int
	// Start and End bound the window. A session has no bounds before its rows are known: its End is the earliest that a row at the time can have, or zero where each row
	// has a gap of its own.
	Start, End time.Time
	Session    bool
	// Closed tells whether the watermark by which the last epoch finished groups has passed the end. Due is a window that the watermark has passed and that the next
	// epoch closes.
	Closed, Due bool
	// Missing is how far the watermark is from the end, zero where it has passed it.
	Missing time.Duration
	// Groups are what the state holds of the window for the keys that were asked for: a JSON object for each group, with its keys and with its aggregates as they would come out now. It is empty where no
	// row of them has come or the window is closed, and nil where no keys were asked for. A session that is found this way has its bounds.
	Groups []string
}

// kept is where a query keeps its state.
type kept struct {
	fs  vfs.FS
	dir string
	env *kernel.Env
}

// eventTimes is what a query knows of its event times behind an epoch.
type eventTimes struct {
	watermark, evicted int64 // milliseconds
	byOperator         []int64
	newest             []int64 // microseconds, MinInt64 for none
	policy             tree.WatermarkPolicy
	ran                bool
	epochs             int64 // how many were committed
}

// see notes the event times of a query for those who ask.
func (d *driver) see() {
	q := d.q
	q.mu.Lock()
	defer q.mu.Unlock()
	q.times = eventTimes{d.watermark, d.evicted, append([]int64(nil), d.byOperator...), append([]int64(nil), d.newest...), d.policy, d.ran, d.epoch}
}

// ExplainWindow says why the windows that have an event time are open, or that they are closed. A query without a grouping by event time under a watermark is
// SPOONBILL_INVALID_VALUE. With keys, which are values of the grouping's other keys in their order, as many as one likes, it tells what the state holds of the windows for these; it reads the whole state for
// that.
func (q *Query) ExplainWindow(ctx context.Context, at time.Time, keys ...any) (WindowExplanation, error) {
	if err := absent.Context(ctx); err != nil {
		return WindowExplanation{}, condition.At(err, condition.Here(0))
	}
	q.mu.Lock()
	t := q.times
	q.mu.Unlock()
	e := WindowExplanation{At: at.UTC(), Watermark: time.UnixMilli(t.watermark).UTC(), Policy: t.policy}
	for i, w := range q.plan.Watermarks {
		in := WatermarkInput{
			Column: w.Schema().Field(w.Ordinal).Name, Sources: sourcesOf(w), Delay: time.Duration(w.Delay) * time.Microsecond, Watermark: e.Watermark,
		}
		if i < len(t.byOperator) {
			in.Watermark = time.UnixMilli(t.byOperator[i]).UTC()
			in.Holds = in.Watermark.Equal(e.Watermark)
			if t.newest[i] != math.MinInt64 {
				in.Newest = time.UnixMicro(t.newest[i]).UTC()
			}
		}
		e.Inputs = append(e.Inputs, in)
	}
	evict := int64(math.MinInt64)
	if t.ran {
		evict = t.evicted * 1000
	}
	now, next := q.plan.Marks(math.MinInt64, evict), q.plan.Marks(math.MinInt64, t.watermark*1000)
	for op, n := range q.plan.Stateful {
		a, ok := n.(*plan.Aggregate)
		if !ok || a.EventKey < 0 {
			continue
		}
		groups, err := q.groups(op, a, t.epochs, keys)
		if err != nil {
			return e, err
		}
		for _, w := range a.WindowsAt(at.UnixMicro()) {
			s := WindowState{Operator: op, Start: time.UnixMicro(w.Start).UTC(), Session: w.Session}
			if !w.Open {
				s.End = time.UnixMicro(w.End).UTC()
				s.Closed = now[op].EvictBefore >= w.End
				s.Due = !s.Closed && next[op].EvictBefore >= w.End
				if !s.Closed && !s.Due {
					s.Missing = s.End.Sub(e.Watermark)
				}
			}
			if keys != nil {
				s.take(groups, at.UnixMicro(), e.Watermark)
			}
			e.Windows = append(e.Windows, s)
		}
	}
	if e.Windows == nil {
		err := condition.Newf(condition.InvalidValue, "The query groups by no event time under a watermark, so it has no windows that close.")
		err.Operator, err.Hint = "ExplainWindow", "Set a Watermark and group by a window of its column."
		return e, err
	}
	return e, nil
}

// group is what the state holds of a window and keys.
type group struct {
	start, end int64
	text       string
}

// take takes the groups of a window.
func (s *WindowState) take(groups []group, at int64, watermark time.Time) {
	s.Groups = []string{}
	for _, g := range groups {
		switch {
		case s.Session && g.start <= at && at < g.end:
			s.Start, s.End = time.UnixMicro(g.start).UTC(), time.UnixMicro(g.end).UTC()
			s.Due, s.Missing = !s.End.After(watermark), max(s.End.Sub(watermark), 0)
		case s.Session || g.start != s.Start.UnixMicro() || g.end != s.End.UnixMicro():
			continue
		}
		s.Groups = append(s.Groups, g.text)
	}
}

// groups gives what the state of a grouping holds for keys behind so many epochs, in the order of the texts.
func (q *Query) groups(op int, a *plan.Aggregate, epochs int64, keys []any) (out []group, err error) {
	if keys == nil {
		return nil, nil
	}
	first, last := a.TimeKeys()
	var others []int
	var names []string
	var fields []datatype.Field
	for i, k := range a.Keys {
		if i < first || i > last {
			others, names = append(others, i), append(names, datatype.QuoteName(k.Name))
			fields = append(fields, datatype.Field{Name: k.Name, Type: k.Expr.Type(), Nullable: true})
		}
	}
	if len(keys) > len(others) {
		e := condition.Newf(condition.InvalidValue, "ExplainWindow has %d keys, and the query groups by %d beside the time: %s.", len(keys), len(others), strings.Join(names, ", "))
		e.Operator, e.Hint = "ExplainWindow", "Give values of these, in this order."
		return nil, e
	}
	others, fields = others[:len(keys)], fields[:len(keys)]
	values, err := expr.RowLiterals(fields, [][]any{keys})
	if err != nil || epochs == 0 {
		return nil, err
	}
	want := make([]*vec.Vec, len(keys))
	for i, x := range values[0] {
		b := vec.NewBuilder(fields[i].Type, 1)
		if err := b.AppendAny(x); err != nil {
			return nil, err
		}
		want[i] = b.Vec()
	}
	b, columns, err := statetable.Rows(q.kept.fs, q.kept.fs.PathJoin(q.kept.dir, "state", strconv.Itoa(op), "0"), epochs, q.kept.env)
	if err != nil {
		return nil, err
	}
	have := make([]*vec.Vec, len(keys))
	for i, k := range others {
		have[i] = b.Cols[k]
	}
	var one, all vec.Rows
	one.Encode(want, 1)
	all.Encode(have, b.N)
	shown := len(columns) - 1 // without the expiry
	e, err := kernel.NewEncoder(columns[:shown], nil, q.kept.env)
	if err != nil {
		return nil, err
	}
	texts, err := e.Encode(vec.NewBatch(b.Cols[:shown], b.N, nil))
	if err != nil {
		return nil, err
	}
	start, end := b.Cols[first].Flat(), b.Cols[last].Flat()
	if start.Kids != nil { // a window that was made below another grouping
		start, end = kernel.Field(start, 0), kernel.Field(end, 1)
	}
	for i := range b.N {
		if bytes.Equal(all.Row(i), one.Row(0)) && !start.IsNull(i) {
			out = append(out, group{start.I64[i], end.I64[i], texts.Str(i)})
		}
	}
	slices.SortFunc(out, func(a, b group) int { return cmp.Compare(a.text, b.text) })
	return out, nil
}

// sourcesOf gives the names of the sources below a node.
func sourcesOf(n plan.Node) (names []string) {
	if s, ok := n.(*plan.Scan); ok {
		return []string{s.Read.Name}
	}
	for _, in := range n.Inputs() {
		names = append(names, sourcesOf(in)...)
	}
	return names
}

const clockLayout = "2006-01-02 15:04:05.999999"

// String gives a line for each window and each input.
func (e WindowExplanation) String() string {
	var b strings.Builder
	for _, w := range e.Windows {
		name := fmt.Sprintf("window [%s, %s)", w.Start.Format(clockLayout), w.End.Format(clockLayout))
		if w.Session {
			name = "session of " + e.At.Format(clockLayout)
		}
		switch {
		case w.Closed:
			fmt.Fprintf(&b, "The %s is closed: an epoch ran under a watermark at or behind its end.\n", name)
		case w.Due:
			fmt.Fprintf(&b, "The %s closes in the next epoch: the watermark %s has passed its end.\n", name, e.Watermark.Format(clockLayout))
		case w.End.IsZero():
			fmt.Fprintf(&b, "The %s has an end that its rows tell.\n", name)
		default:
			fmt.Fprintf(&b, "The %s is open: the watermark %s is %s before its end.\n", name, e.Watermark.Format(clockLayout), w.Missing)
		}
		for _, g := range w.Groups {
			fmt.Fprintf(&b, "It holds %s.\n", g)
		}
		if w.Groups != nil && len(w.Groups) == 0 {
			b.WriteString("It holds nothing of these keys.\n")
		}
	}
	for _, in := range e.Inputs {
		fmt.Fprintf(&b, "%s of %s: ", datatype.QuoteName(in.Column), strings.Join(in.Sources, ", "))
		if in.Newest.IsZero() {
			b.WriteString("no row in this run")
		} else {
			fmt.Fprintf(&b, "the newest event time %s", in.Newest.Format(clockLayout))
		}
		fmt.Fprintf(&b, ", less %s gives the watermark %s", in.Delay, in.Watermark.Format(clockLayout))
		if len(e.Inputs) > 1 && in.Holds {
			b.WriteString(map[bool]string{false: ", which holds the query's back", true: ", which is the query's"}[e.Policy == tree.MaxWatermark])
		}
		for _, w := range e.Windows {
			if w.Missing > 0 && in.Watermark.Before(w.End) {
				fmt.Fprintf(&b, "; a row at %s or later lets it pass %s", w.End.Add(in.Delay).Format(clockLayout), w.End.Format(clockLayout))
			}
		}
		b.WriteString(".\n")
	}
	return b.String()
}
