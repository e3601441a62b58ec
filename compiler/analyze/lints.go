package analyze

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Lint is a row of the table of what runs, but is seldom meant. Docs/lints.md is made of it.
type Lint struct {
	// Code names the lint in messages and documents: SB1xx is about state, SB2xx about watermarks and time, SB3xx about sources, sinks and triggers,
	// SB4xx about expressions.
	Code string
	// Title is the lint in a few words.
	Title string
	// Text says what happens, and why it hurts.
	Text string
	// Fix says what to do instead.
	Fix string
	// Batch: the lint looks at batch queries too.
	Batch bool
	// Offline: the lint is about what streams have offline only, which Spark is not asked for.
	Offline bool

	find func(q *query) []offence
}

// Finding is a place where a lint applies.
type Finding struct {
	*Lint
	// Operator is the method at the place, What the place's own case in a sentence.
	Operator, What string
	Pos            condition.Pos
}

// String gives the finding in one line: place, code, what was found, and what to do.
func (f Finding) String() string {
	if f.Lint == nil {
		return f.What // it was made by hand
	}
	at := ""
	if !f.Pos.IsZero() {
		at = f.Pos.String() + ": "
	}
	return fmt.Sprintf("%s%s %s: %s %s", at, f.Code, f.Title, f.What, f.Fix)
}

// Lints gives the table.
func Lints() []Lint { return slices.Clone(lints) }

// Findings looks for everything in a write that a rule does not forbid and that is seldom meant. It is for queries that passed the rules.
func Findings(w *tree.Write, mode Mode) []Finding {
	q := newQuery(w.Input, w, mode, Target{})
	var out []Finding
	for i := range lints {
		l := &lints[i]
		if mode == Batch && !l.Batch {
			continue
		}
		for _, o := range l.find(q) {
			out = append(out, Finding{Lint: l, Operator: o.operator, What: o.what, Pos: o.at})
		}
	}
	return out
}

var lints = []Lint{
	{
		Code: "SB101", Title: "an aggregation keeps its groups for ever",
		Text: "In update mode groups without event time among their keys never leave the state: it grows with every new key until memory or disk is full. In append mode such a query is refused.",
		Fix:  "Set a Watermark and group by its column or a window of it; or accept it for keys that are few.",
		find: func(q *query) []offence {
			if q.mode != tree.Update {
				return nil
			}
			var out []offence
			for _, a := range q.aggregates() {
				if x, ok := a.(*tree.Aggregate); ok && len(x.Keys) == 0 {
					continue // one row
				}
				if !keysHaveEventTime(a) {
					out = append(out, offence{word(a), "None of the keys has event time under a watermark.", a.Pos()})
				}
			}
			return out
		},
	},
	{
		Code: "SB102", Title: "a deduplication keeps its keys for ever",
		Text: "DropDuplicates remembers every key that it has seen, unless a column with a watermark is among the keys. A watermark on another column does not bound it.",
		Fix:  "Use DropDuplicatesWithinWatermark, or add the column with the watermark to the keys where copies have equal times.",
		find: func(q *query) []offence {
			var out []offence
			for _, d := range streamingOf[*tree.Deduplicate](q) {
				bounded := d.WithinWatermark
				for i, f := range d.Schema().Fields() {
					bounded = bounded || f.Watermark != nil && (len(d.Keys) == 0 || slices.Contains(d.Keys, i))
				}
				if !bounded {
					out = append(out, offence{"DropDuplicates", "No key has a watermark.", d.At})
				}
			}
			return out
		},
	},
	{
		Code: "SB103", Title: "a join of two streams keeps its rows for ever",
		Text: "An inner join of two streams runs without watermarks and time bounds, but each side's rows then wait for partners without end, and both states grow with the input.",
		Fix:  "Set a Watermark on both sides and join on windows or event time, or add a bound such as right.time <= left.time + 1 hour and right.time >= left.time.",
		find: func(q *query) []offence {
			var out []offence
			for _, j := range streamingOf[*tree.Join](q) {
				if j.Kind != tree.InnerJoin || !q.streaming[j.Left] || !q.streaming[j.Right] || eventTimeKeys(j) {
					continue
				}
				l, r := boundsState(j, j.Left, j.Right), boundsState(j, j.Right, j.Left)
				what := ""
				switch {
				case !l && !r:
					what = "The condition bounds the time of neither side."
				case !l:
					what = "The condition does not bound how long rows of the left side are kept."
				case !r:
					what = "The condition does not bound how long rows of the right side are kept."
				default:
					continue
				}
				out = append(out, offence{"Join", what, j.At})
			}
			return out
		},
	},
	{
		Code: "SB104", Title: "complete mode keeps everything",
		Text: "In complete mode each epoch writes the whole result, and no watermark removes a group: with windows among the keys the state and the output grow for ever.",
		Fix:  "Use OutputMode(expr.Append) or Update.",
		find: func(q *query) []offence {
			if q.mode != tree.Complete {
				return nil
			}
			var out []offence
			for _, a := range streamingOf[*tree.Aggregate](q) {
				for _, k := range a.Keys {
					if tree.TimeWindow(k.Expr) != nil || tree.EventTimeOf(k.Expr) != nil {
						out = append(out, offence{"Agg", fmt.Sprintf("The groups of %s stay, one more for each moment.", datatype.QuoteName(k.Name)), a.At})
						break
					}
				}
			}
			return out
		},
	},
	{
		Code: "SB105", Title: "a value that is another one each time goes into the state",
		Text: "A non-deterministic value (the present moment, a random number) below a stateful operator is computed anew when an epoch runs again after a crash: keys then differ from the ones in the state, and results from those that were sent.",
		Fix:  "Take the value from the source, for example Kafka's timestamp, or compute it behind the stateful operator.",
		find: func(q *query) []offence {
			var out []offence
			seen := map[tree.Relation]bool{}
			for _, s := range q.stateful() {
				tree.WalkRelations(s, func(r tree.Relation) {
					if seen[r] || !q.streaming[r] {
						return
					}
					seen[r] = true
					for _, x := range tree.Scalars(r) {
						tree.Walk(x, func(n tree.Scalar) bool {
							if c, ok := n.(*tree.Call); ok && c.Func.NonDeterministic {
								out = append(out, offence{c.Func.Name, fmt.Sprintf("%s is computed below the %s made at %s.", tree.String(c), word(s), s.Pos()), c.At})
							}
							return true
						})
					}
				})
			}
			return out
		},
	},
	{
		Code: "SB106", Title: "something of every key is kept for ever", Offline: true,
		Text: "Offline, a window over the rows of a stream that counts rows, or begins with the first one, keeps rows or totals of each key of GroupBy, and an as-of join looking back without a tolerance, or a temporal join, the newest right row of each key: the state grows with every new key.",
		Fix:  "Use a Range of time, or give AsofTolerance; or accept it for keys that are few.",
		find: func(q *query) []offence {
			var out []offence
			streamOvers(q, func(_ tree.Relation, o *tree.Over) {
				if len(o.PartitionBy) == 0 {
					return
				}
				if f := o.Frame; tree.FrameFixed(o.Func.Func) || f == nil || f.Rows || f.Start.Unbounded {
					out = append(out, offence{o.Func.Func.Name, fmt.Sprintf("The state has something of each key of %s.", tree.String(o)), o.At})
				}
			})
			for _, j := range streamingOf[*tree.AsofJoin](q) {
				if q.streaming[j.Right] && j.On != nil && j.Tolerance == nil {
					out = append(out, offence{word(j), "The newest right row of each key stays, however old it is.", j.At})
				}
			}
			return out
		},
	},
	{
		Code: "SB107", Title: "a process keeps what it knows for ever", Offline: true,
		Text: "The states of a process have neither a TTL nor timers that could clear them, so a key that comes no more stays in the state.",
		Fix:  "Set Time and let a timer clear the states of a key, or give them a TTL; or accept it for keys that are few.",
		find: func(q *query) []offence {
			var out []offence
			for _, k := range streamingOf[*tree.Keyed](q) {
				bounded := len(k.Process.States) == 0 || k.Functions.HandleExpiredTimer != nil
				for _, s := range k.Process.States {
					bounded = bounded || s.TTL > 0
				}
				if !bounded {
					out = append(out, offence{word(k), fmt.Sprintf("%s keeps %s.", k.Process.Name, k.Process.StatesText()), k.At})
				}
			}
			return out
		},
	},
	{
		Code: "SB201", Title: "a watermark that nothing uses",
		Text: "A watermark drops nothing and closes nothing by itself: only stateful operators over its column do. Where none of them uses it, it costs time and misleads its reader.",
		Fix:  "Group by the column or a window of it, or take the Watermark away.",
		find: func(q *query) []offence {
			var out []offence
			for _, w := range streamingOf[*tree.Watermark](q) {
				if !usesWatermark(q, w) {
					out = append(out, offence{"Watermark", fmt.Sprintf("No stateful operator looks at the event time of %s.", datatype.QuoteName(w.Out.Field(w.Ordinal).Name)), w.At})
				}
			}
			return out
		},
	},
	{
		Code: "SB202", Title: "a delay longer than the window",
		Text: "A window comes out when the watermark has passed its end, so no sooner than the delay. With a delay of many windows results are late and as many windows are open at once.",
		Fix:  "Make the delay as long as rows really are late, or write in update mode to see windows before they close.",
		find: func(q *query) []offence {
			if q.mode != tree.Append {
				return nil
			}
			var out []offence
			for _, a := range streamingOf[*tree.Aggregate](q) {
				for _, k := range a.Keys {
					w, mark := tree.TimeWindow(k.Expr), tree.EventTimeOf(k.Expr)
					if w == nil || mark == nil {
						continue
					}
					size, ok := literalMicros(w.Args[1])
					if d := time.Duration(size) * time.Microsecond; ok && d > 0 && mark.Delay >= 10*d {
						out = append(out, offence{"Watermark", fmt.Sprintf("Windows of %v wait for a delay of %v.", d, mark.Delay), a.At})
					}
				}
			}
			return out
		},
	},
	{
		Code: "SB203", Title: "the last windows of an available-now query stay open",
		Text: "An available-now query ends when it has read what there is. In append mode the windows, and offline the rows that wait in an as-of join or a window over rows, that the watermark has not passed by then are not written; the next run goes on with them.",
		Fix:  "Run it again with more input, use OutputMode(expr.Update), or run the query as a batch for a whole result.",
		find: func(q *query) []offence {
			if q.mode != tree.Append || q.write == nil || q.write.Trigger.Kind != tree.AvailableNow && q.write.Trigger.Kind != tree.Once {
				return nil
			}
			if aggs := q.aggregates(); len(aggs) > 0 {
				return []offence{{word(aggs[0]), "Groups above the last watermark are not in the output when the query ends.", aggs[0].Pos()}}
			}
			for _, r := range q.stateful() {
				if j, ok := r.(*tree.AsofJoin); ok || q.holdsOver(r) {
					at, name := r.Pos(), "Over"
					if ok {
						name = word(j)
					}
					return []offence{{name, "Rows above the last watermark are not in the output when the query ends.", at}}
				}
			}
			return nil
		},
	},
	{
		Code: "SB301", Title: "no checkpoint",
		Text: "Without a checkpoint a query into console, memory, noop, ForeachBatch or Foreach forgets where it was: each start reads its sources from where their options say.",
		Fix:  "Name a folder with Checkpoint where the query is more than a look.",
		find: func(q *query) []offence {
			if q.write == nil || q.write.Checkpoint != "" || len(q.stateful()) == 0 {
				return nil
			}
			return []offence{{"WriteTo", "The query keeps state, and loses it when it stops.", q.write.At}}
		},
	},
	{
		Code: "SB302", Title: "many small files",
		Text: "A file sink writes at least one file for each epoch, and one for each value of its partition columns in it. A trigger of seconds makes tens of thousands a day, which every later reader lists and opens.",
		Fix:  "Use a longer ProcessingTime, or AvailableNow by a scheduler.",
		find: func(q *query) []offence {
			if q.write == nil || q.write.Sink.Path == "" {
				return nil
			}
			t := q.write.Trigger
			every := time.Duration(t.IntervalMillis) * time.Millisecond
			if t.Kind != tree.DefaultTrigger && t.Kind != tree.ProcessingTime || every >= time.Minute {
				return nil
			}
			what := "An epoch starts as soon as the one before has ended."
			if every > 0 {
				what = fmt.Sprintf("An epoch starts every %v.", every)
			}
			if len(q.write.Sink.PartitionBy) > 0 {
				what += " It may write a file for each value of " + strings.Join(q.write.Sink.PartitionBy, ", ") + "."
			}
			return []offence{{"Trigger", what, q.write.At}}
		},
	},
	{
		Code: "SB303", Title: "the once trigger",
		Text: "Once takes everything that is there in one epoch, whatever the sources' limits say, and Spark has deprecated it.",
		Fix:  "Use expr.AvailableNow(), which keeps to the limits.",
		find: func(q *query) []offence {
			if q.write == nil || q.write.Trigger.Kind != tree.Once {
				return nil
			}
			return []offence{{"Trigger", "The query runs once.", q.write.At}}
		},
	},
	{
		Code: "SB304", Title: "no limit on an epoch",
		Text: "A source without a limit gives an epoch all that it has: after a stop, or on the first start, that is the whole backlog, in memory and in one commit.",
		Fix:  "Give the source connectors.MaxFilesPerTrigger or MaxOffsetsPerTrigger.",
		find: func(q *query) []offence {
			limits := map[string][]string{"kafka": {"maxoffsetspertrigger"}, "json": fileLimits, "csv": fileLimits, "parquet": fileLimits, "avro": fileLimits, "text": fileLimits, "orc": fileLimits, "binaryfile": fileLimits}
			if len(q.stateful()) == 0 {
				return nil
			}
			var out []offence
			for _, r := range q.order {
				x, ok := r.(*tree.Read)
				names := []string(nil)
				if ok {
					names = limits[strings.ToLower(x.Source.Format)]
				}
				if !q.streaming[r] || names == nil || slices.ContainsFunc(x.Source.Options, func(o tree.Option) bool { return slices.Contains(names, strings.ToLower(o.Key)) }) {
					continue
				}
				out = append(out, offence{"Read", fmt.Sprintf("Source %s has no limit.", datatype.QuoteName(x.Name)), x.At})
			}
			return out
		},
	},
	{
		Code: "SB305", Title: "Foreach where ForeachBatch would do",
		Text: "On Spark all rows of an epoch come to this process, as one partition and one by one, whatever the cluster has computed them with. A function of a batch leaves them on the server, where it writes, joins or merges them.",
		Fix:  "Use connectors.ForeachBatch, and Collect in it what is small, unless each row is really for this process.",
		find: func(q *query) []offence {
			if q.write == nil {
				return nil
			}
			var out []offence
			for _, s := range []*tree.Sink{q.write.Sink, q.write.Late} {
				if s != nil && s.Format == tree.Foreach {
					out = append(out, offence{"Foreach", "The sink takes row after row.", s.Each.At})
				}
			}
			return out
		},
	},
	{
		Code: "SB401", Title: "a comparison with null", Batch: true,
		Text: "A comparison with NULL is NULL, whatever the other side: as a condition it keeps no row.",
		Fix:  "Use IsNull or NotNull, or EqNullSafe to compare with something that may be null.",
		find: func(q *query) []offence {
			var out []offence
			for _, r := range q.order {
				for _, s := range tree.Scalars(r) {
					tree.Walk(s, func(n tree.Scalar) bool {
						c, ok := n.(*tree.Call)
						if !ok || !slices.Contains([]string{"=", "!=", "<>", "<", "<=", ">", ">="}, c.Func.Name) {
							return true
						}
						for _, a := range c.Args {
							if nullLiteral(a) {
								out = append(out, offence{c.Func.Name, tree.String(c) + " is always NULL.", c.At})
								break
							}
						}
						return true
					})
				}
			}
			return out
		},
	},
	{
		Code: "SB402", Title: "columns of one name that do not meet", Batch: true,
		Text: "Union, Intersect and Difference match columns by position, as in SQL. Tables with the same names in another order put the values of one column under the name of another, and where the types agree nothing fails.",
		Fix:  "Bring the tables into one order first, with Select.",
		find: func(q *query) []offence {
			var out []offence
			for _, r := range q.order {
				var sides []tree.Relation
				switch x := r.(type) {
				case *tree.Union:
					sides = x.Sides
				case *tree.SetOperation:
					sides = []tree.Relation{x.Left, x.Right}
				}
				for _, side := range sides[min(1, len(sides)):] {
					if have, first := namesOf(side), namesOf(sides[0]); !slices.Equal(have, first) && slices.Equal(slices.Sorted(slices.Values(have)), slices.Sorted(slices.Values(first))) {
						out = append(out, offence{word(r), fmt.Sprintf("The columns (%s) meet those of (%s) by position.", strings.Join(have, ", "), strings.Join(first, ", ")), r.Pos()})
					}
				}
			}
			return out
		},
	},
}

var fileLimits = []string{"maxfilespertrigger", "maxbytespertrigger"}

// usesWatermark tells whether a stateful operator above w has event time, of w or of what it was passed on to.
func usesWatermark(q *query, w *tree.Watermark) bool {
	for _, r := range q.order {
		if !q.streaming[r] || r == tree.Relation(w) || !below(r, w) {
			continue
		}
		switch x := r.(type) {
		case *tree.Aggregate, *tree.Distinct, *tree.SetOperation:
			if keysHaveEventTime(x) {
				return true
			}
		case *tree.Keyed:
			if hasEventTime(x.Input) {
				return true
			}
		case *tree.Match:
			if x.Input.Schema().Field(x.Time).Watermark != nil {
				return true
			}
		case *tree.Deduplicate:
			for i, f := range x.Schema().Fields() {
				if f.Watermark != nil && (x.WithinWatermark || len(x.Keys) == 0 || slices.Contains(x.Keys, i)) {
					return true
				}
			}
		case *tree.AsofJoin:
			if q.streaming[x.Right] {
				return true
			}
		case *tree.Project, *tree.Filter:
			if q.holdsOver(x) {
				return true
			}
		case *tree.Join:
			if q.streaming[x.Left] && q.streaming[x.Right] && (eventTimeKeys(x) || boundsState(x, x.Left, x.Right) || boundsState(x, x.Right, x.Left)) {
				return true
			}
		}
	}
	return false
}

// literalMicros reads a literal interval of days to seconds.
func literalMicros(s tree.Scalar) (int64, bool) {
	s, _ = tree.StripAlias(s)
	l, ok := s.(*tree.Literal)
	if !ok {
		return 0, false
	}
	n, ok := l.Value.(int64)
	return n, ok
}

func nullLiteral(s tree.Scalar) bool {
	s, _ = tree.StripAlias(s)
	for {
		c, ok := s.(*tree.Cast)
		if !ok {
			break
		}
		s = c.Arg
	}
	l, ok := s.(*tree.Literal)
	return ok && l.Value == nil
}

// namesOf gives the names of a relation's columns as Spark compares them.
func namesOf(r tree.Relation) []string {
	var names []string
	for _, f := range r.Schema().Fields() {
		names = append(names, datatype.FoldName(f.Name))
	}
	return names
}
