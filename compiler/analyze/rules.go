package analyze

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// rules is the table. Its order is the order of messages: what is wrong at the sources first, the sink last.
var rules = []Rule{
	{
		ID: "source-stream-only", Mode: Batch, Condition: condition.NotBatch,
		Text:   "A source that only streams cannot be read as a batch",
		WayOut: "Start it as a stream with WriteTo and Start.",
		find: func(q *query) []offence {
			var out []offence
			for _, r := range q.order {
				if x, ok := r.(*tree.Read); ok && !x.Source.Batch {
					out = append(out, offence{"Read", fmt.Sprintf("The %s source %s has no end.", x.Source.Format, datatype.QuoteName(x.Name)), x.At})
				}
			}
			return out
		},
	},
	{
		ID: "names", Both: true, Condition: condition.InvalidValue,
		Text:   "The name of a column is a text in UTF-8",
		WayOut: "Give it another name, as strings.ToValidUTF8 makes one.",
		find:   brokenNames,
	},
	{
		ID: "sink-stream-only", Mode: Batch, Condition: condition.Unsupported,
		Text:   "A batch write needs a sink that takes batches",
		WayOut: "Write to files, Kafka or noop, or start the query as a stream.",
		find: func(q *query) []offence {
			if q.write == nil || q.write.Sink.Batch {
				return nil
			}
			return []offence{{"WriteTo", fmt.Sprintf("The %s sink takes streams only.", q.write.Sink.Format), q.write.At}}
		},
	},
	{
		ID: "insert-mode", Mode: Batch, Condition: condition.InvalidValue,
		Text:   "An insert adds rows to a table or replaces them all",
		WayOut: "Use SaveMode(expr.SaveAppend) or SaveMode(expr.SaveOverwrite).",
		find: func(q *query) []offence {
			if q.write == nil || q.write.Sink.Insert == tree.Save || q.write.Save == tree.SaveAppend || q.write.Save == tree.SaveOverwrite {
				return nil
			}
			return []offence{{"WriteTo", fmt.Sprintf("An insert has no save mode %s.", q.write.Save), q.write.At}}
		},
	},
	{
		ID: "no-streaming-source", Mode: Stream, Condition: condition.NotStreaming,
		Text:   "A started query reads at least one stream",
		WayOut: "Read a source with expr.Read instead of expr.Static, or run the query as a batch with Write.",
		find: func(q *query) []offence {
			if q.streaming[q.root] {
				return nil
			}
			at := q.root.Pos()
			if q.write != nil {
				at = q.write.At
			}
			return []offence{{"Start", "The query reads no stream.", at}}
		},
	},
	{
		ID: "stream-in-subquery", Mode: Stream, Condition: condition.StreamingUnsupported,
		Text:   "A subquery of a streaming query reads tables only",
		WayOut: "Read its source with expr.Static, or join the two streams.",
		find: func(q *query) []offence {
			var out []offence
			for _, r := range q.order {
				for _, s := range tree.Subqueries(tree.Scalars(r)...) {
					if q.streaming[s.Rel] {
						out = append(out, offence{word(r), "The subquery " + tree.String(s) + " reads a stream.", s.At})
					}
				}
			}
			return out
		},
	},
	{
		ID: "append-aggregation", Mode: Stream, Condition: condition.StreamingOutputMode,
		Text:   "In append mode an aggregation groups by event time under a watermark, else no group would ever be final",
		WayOut: "Set a Watermark on the time column before grouping by it or by a window of it, or use OutputMode(expr.Update) or Complete.",
		find: func(q *query) []offence {
			aggs := q.aggregates()
			if q.mode != tree.Append || len(aggs) == 0 {
				return nil
			}
			// Spark looks at one of them only; another would take rows for ever and give none.
			var out []offence
			for _, a := range aggs {
				if keysHaveEventTime(a) {
					continue
				}
				what := "The aggregation has no event time under a watermark among its keys."
				if c := watermarkedElsewhere(a); c != "" {
					what = fmt.Sprintf("The aggregation does not group by event time: the watermark is on column %s, which is not among its keys as it is.", datatype.QuoteName(c))
				}
				out = append(out, offence{word(a), what, a.Pos()})
			}
			return out
		},
	},
	{
		// Source: UnsupportedOperationChecker: session window is not supported in update mode.
		ID: "session-update", Mode: Stream, Condition: condition.StreamingOutputMode,
		Text:   "Sessions of a stream are final or whole, since a session that grows would have to take back what it was",
		WayOut: "Use OutputMode(expr.Append) with a Watermark on the time, or Complete.",
		find: func(q *query) []offence {
			if q.mode != tree.Update {
				return nil
			}
			return sessions(q, func(a *tree.Aggregate, w *tree.Call) (offence, bool) {
				return offence{"Agg", fmt.Sprintf("The aggregation groups by %s in update mode.", tree.String(w)), w.At}, true
			})
		},
	},
	{
		// Source: SparkStrategies: global aggregation with session window in streaming query is not supported.
		ID: "session-alone", Mode: Stream, Condition: condition.StreamingUnsupported,
		Text:   "Sessions of a stream are kept for each value of another grouping key",
		WayOut: "Group by what the sessions are of beside the window, or by a constant column.",
		find: func(q *query) []offence {
			return sessions(q, func(a *tree.Aggregate, w *tree.Call) (offence, bool) {
				return offence{"Agg", fmt.Sprintf("%s is the only key.", tree.String(w)), w.At}, len(a.Keys) == 1
			})
		},
	},
	{
		ID: "complete-without-aggregation", Mode: Stream, Condition: condition.StreamingOutputMode,
		Text:   "Complete mode needs an aggregation, since all rows would have to be kept otherwise",
		WayOut: "Use OutputMode(expr.Append), or aggregate.",
		find: func(q *query) []offence {
			if q.mode != tree.Complete || !q.streaming[q.root] {
				return nil
			}
			for _, a := range q.aggregates() {
				if _, ok := a.(*tree.SetOperation); !ok { // which is none yet where Spark looks
					return nil
				}
			}
			return []offence{{"WriteTo", "The query has no aggregation.", q.position()}}
		},
	},
	{
		ID: "sort", Mode: Stream, Condition: condition.StreamingUnsupported,
		Text:   "A stream has no end, so it cannot be sorted, except above an aggregation in complete mode",
		WayOut: "Sort after collecting, or aggregate and use OutputMode(expr.Complete).",
		find: func(q *query) []offence {
			var out []offence
			for _, s := range streamingOf[*tree.Sort](q) {
				if q.mode == tree.Complete && q.aggregateBelow(s) {
					continue
				}
				out = append(out, offence{"OrderBy", fmt.Sprintf("The stream is sorted by %s.", tree.SortText(s.Keys[0])), s.At})
			}
			return out
		},
	},
	{
		ID: "limit-update", Mode: Stream, Condition: condition.StreamingUnsupported,
		Text:   "LIMIT on a stream does not go with update mode",
		WayOut: "Use OutputMode(expr.Append), or Complete above an aggregation.",
		find: func(q *query) []offence {
			var out []offence
			for _, l := range streamingOf[*tree.Limit](q) {
				if q.mode == tree.Update {
					out = append(out, offence{"Limit", fmt.Sprintf("The stream is limited to %s rows in update mode.", l.CountText()), l.At})
				}
			}
			return out
		},
	},
	{
		ID: "offset", Mode: Stream, Condition: condition.StreamingUnsupported,
		Text:   "OFFSET is not possible in a streaming query",
		WayOut: "Leave the offset out.",
		find: func(q *query) []offence {
			var out []offence
			for _, r := range q.order { // on a static side too, as in Spark
				if l, ok := r.(*tree.Limit); ok && (l.Offset > 0 || l.OffsetOf != nil) {
					out = append(out, offence{"Limit", fmt.Sprintf("%s rows are left out in a streaming query.", l.OffsetText()), l.At})
				}
			}
			return out
		},
	},
	{
		ID: "distinct-aggregate", Mode: Stream, Condition: condition.StreamingUnsupported,
		Text:   "An aggregate over different values only would have to keep all of them",
		WayOut: "Take Distinct first and count then.",
		find: func(q *query) []offence {
			var out []offence
			for _, a := range streamingOf[*tree.Aggregate](q) {
				for _, n := range a.Aggs {
					if c := distinctAggregate(n.Expr); c != nil {
						out = append(out, offence{c.Func.Name + "(DISTINCT)", fmt.Sprintf("%s looks at different values only, on a stream.", tree.String(c)), c.At})
					}
				}
			}
			return out
		},
	},
	{
		ID: "over", Mode: Stream, Condition: condition.NonTimeWindow, Local: Extension,
		Text:   "OVER windows that are not windows of time are not possible on a stream on Spark",
		WayOut: "Aggregate by a time window, compute it in batch, or run the query offline.",
		Words:  []string{"Window function is not supported in"},
		find:   func(q *query) []offence { return overs(q, true) },
	},
	{
		ID: "over-ahead", Mode: Stream, Condition: condition.NonTimeWindow,
		Text:   "An OVER window on a stream looks back in event time, since rows ahead are yet to come",
		WayOut: "Aggregate by a time window, or compute it in batch. Offline, a window may be ordered by the column of a Watermark, ascending, with a frame of rows or time before the row, in append mode.",
		find:   func(q *query) []offence { return overs(q, false) },
	},
	{
		ID: "union-batch", Mode: Stream, Condition: condition.StreamingUnsupported,
		Text:   "A stream cannot be united with a table that is read whole",
		WayOut: "Read both as streams.",
		find: func(q *query) []offence {
			var out []offence
			for _, u := range streamingOf[*tree.Union](q) {
				for _, s := range u.Sides {
					if !q.streaming[s] {
						out = append(out, offence{"Union", "One side is a stream and another is not.", u.At})
						break
					}
				}
			}
			return out
		},
	},
	{
		ID: "intersect", Mode: Stream, Condition: condition.StreamingUnsupported,
		Text:   "Rows that are in two tables cannot be told while a stream of either goes on",
		WayOut: "Join the stream with the table and take Distinct, or compute it in batch.",
		find: func(q *query) []offence {
			var out []offence
			for _, x := range streamingOf[*tree.SetOperation](q) {
				if x.Kind == tree.IntersectSet {
					out = append(out, offence{setWord(x), "A side of the intersection is a stream.", x.At})
				}
			}
			return out
		},
	},
	{
		ID: "except", Mode: Stream, Condition: condition.StreamingUnsupported,
		Text:   "Rows cannot be taken away by a stream that may still bring them",
		WayOut: "Compute the difference in batch, or take away a table that is read whole.",
		find: func(q *query) []offence {
			var out []offence
			for _, x := range streamingOf[*tree.SetOperation](q) {
				if x.Kind == tree.ExceptSet && q.streaming[x.Right] {
					out = append(out, offence{setWord(x), "The rows that are taken away are a stream.", x.At})
				}
			}
			return out
		},
	},
	{
		ID: "except-all", Mode: Stream, Condition: condition.StreamingUnsupported,
		Text:   "A difference that keeps duplicates would count the rows of a stream anew in each epoch: Spark takes it in update mode, and gives rows again and again",
		WayOut: "Use Difference, which gives each row once, or an anti join with the table.",
		find: func(q *query) []offence {
			var out []offence
			for _, x := range streamingOf[*tree.SetOperation](q) {
				if x.Kind == tree.ExceptSet && x.All && !q.streaming[x.Right] {
					out = append(out, offence{setWord(x), "A stream is the left side of a difference that keeps duplicates.", x.At})
				}
			}
			return out
		},
	},
	{
		ID: "dedup-within-batch", Mode: Batch, Condition: condition.NotBatch,
		Text:   "DropDuplicatesWithinWatermark takes streams only",
		WayOut: "Use DropDuplicates or DistinctOn in a batch.",
		find: func(q *query) []offence {
			var out []offence
			for _, r := range q.order {
				if d, ok := r.(*tree.Deduplicate); ok && d.WithinWatermark {
					out = append(out, offence{"DropDuplicatesWithinWatermark", "The query runs as a batch.", d.At})
				}
			}
			return out
		},
	},
	{
		ID: "dedup-within-watermark", Mode: Stream, Condition: condition.StreamingUnsupported,
		Text:   "DropDuplicatesWithinWatermark forgets keys by the watermark of its input",
		WayOut: "Set a Watermark on a time column before, or use DropDuplicates, whose state grows with the keys.",
		find: func(q *query) []offence {
			var out []offence
			for _, d := range streamingOf[*tree.Deduplicate](q) {
				if d.WithinWatermark && !hasEventTime(d.Input) {
					out = append(out, offence{"DropDuplicatesWithinWatermark", "The stream has no watermark.", d.At})
				}
			}
			return out
		},
	},
	{
		ID: "sample", Mode: Stream, Condition: condition.StreamingUnsupported,
		Text:   "A stream cannot be sampled",
		WayOut: "Filter by a condition on a key, or sample what the query has written.",
		find: func(q *query) []offence {
			var out []offence
			for _, x := range streamingOf[*tree.Sample](q) {
				out = append(out, offence{"Sample", fmt.Sprintf("Rows of the stream are kept with probability %v.", x.Fraction), x.At})
			}
			return out
		},
	},
	{
		ID: "chained-aggregation", Mode: Stream, Condition: condition.StreamingOutputMode,
		Text:   "Several stateful operators, one above an aggregation, go with append mode only",
		WayOut: "Use OutputMode(expr.Append), or write the first result out and read it again.",
		find: func(q *query) []offence {
			aggs := q.aggregates()
			if q.mode == tree.Append {
				return nil
			}
			for _, a := range aggs {
				for _, b := range q.stateful() {
					if b != a && below(b, a) {
						return []offence{{word(b), fmt.Sprintf("The operator stands above the one made at %s.", a.Pos()), b.Pos()}}
					}
				}
			}
			return nil
		},
	},
	{
		// Source: Spark's planner, StreamingJoinStrategy: a stream–stream join without an equality predicate is not supported.
		ID: "join-equality", Mode: Stream, Condition: condition.StreamingUnsupported,
		Text:   "Two streams are joined by at least one equality of their columns, else every pair of rows would have to be looked at",
		WayOut: "Add an equality of a column of each side, for example of a window of their times.",
		find: func(q *query) []offence {
			var out []offence
			for _, j := range streamingOf[*tree.Join](q) {
				if q.streaming[j.Left] && q.streaming[j.Right] && !hasEquality(j) {
					out = append(out, offence{j.Kind.String() + " join", "The condition of the join of two streams has no equality between them.", j.At})
				}
			}
			return out
		},
	},
	{
		ID: "join-outer", Mode: Stream, Condition: condition.StreamingUnsupported,
		Text:   "An outer join of two streams needs a watermark and a time bound, else unmatched rows would never be known",
		WayOut: "Set a Watermark on both sides and add a condition such as right.time <= left.time + 1 hour, or join on event time or windows.",
		find: func(q *query) []offence {
			var out []offence
			for _, j := range streamingOf[*tree.Join](q) {
				if !q.streaming[j.Left] || !q.streaming[j.Right] {
					continue
				}
				if eventTimeKeys(j) {
					continue
				}
				left, right := boundsState(j, j.Right, j.Left), boundsState(j, j.Left, j.Right)
				bad, kept, other := "", j.Left, j.Right
				switch j.Kind {
				case tree.LeftJoin, tree.SemiJoin, tree.AntiJoin:
					if !right {
						bad = "right"
					}
				case tree.RightJoin:
					if !left {
						bad, kept, other = "left", j.Right, j.Left
					}
				case tree.FullJoin:
					if !left && !right {
						bad = "right"
					}
				}
				if bad == "" {
					continue
				}
				what := fmt.Sprintf("The %s side of the join of two streams has no watermark.", bad)
				if hasWatermark(other) {
					what = fmt.Sprintf("The join of two streams has no condition that bounds the time: one that says by when, after a row of the kept side, the %s side's partners have come.", bad)
					if !hasWatermark(kept) {
						what += " The kept side has no watermark either."
					}
				}
				out = append(out, offence{j.Kind.String() + " join", what, j.At})
			}
			return out
		},
	},
	{
		ID: "join-static-outer", Mode: Stream, Condition: condition.StreamingUnsupported,
		Text:   "A join cannot keep unmatched rows of a static table when the other side is a stream",
		WayOut: "Put the stream on the side that is kept.",
		find: func(q *query) []offence {
			var out []offence
			for _, j := range streamingOf[*tree.Join](q) {
				l, r := q.streaming[j.Left], q.streaming[j.Right]
				left := !l && r && (j.Kind == tree.LeftJoin || j.Kind == tree.FullJoin || j.Kind == tree.SemiJoin || j.Kind == tree.AntiJoin)
				right := l && !r && (j.Kind == tree.RightJoin || j.Kind == tree.FullJoin)
				if left || right {
					out = append(out, offence{j.Kind.String() + " join", "The join keeps rows of the static side.", j.At})
				}
			}
			return out
		},
	},
	{
		ID: "join-any", Mode: Stream, Condition: condition.StreamingUnsupported,
		Text:   "An any join numbers rows by a window function, which no stream can have",
		WayOut: "Make the keys of a static right side unique with GroupBy and Agg and use Join or LeftJoin, or SemiJoin where no right column is needed.",
		find: func(q *query) []offence {
			var out []offence
			for _, j := range streamingOf[*tree.Join](q) {
				if j.Kind.Any() {
					out = append(out, offence{word(j), "A side of the any join is a stream.", j.At})
				}
			}
			return out
		},
	},
	{
		ID: "join-asof", Mode: Stream, Condition: condition.StreamingUnsupported, Local: Extension,
		Text:   "An as-of join of a stream with a table orders both by a window function, which no stream can have on Spark",
		WayOut: "Use LeftJoin under equal keys and a bound on the time, such as right.time <= left.time and right.time >= left.time - 1 hour, or run the query as a batch, or offline.",
		Words:  []string{"Union between streaming and batch DataFrames/Datasets is not supported"},
		find: func(q *query) []offence {
			return asofs(q, func(j *tree.AsofJoin) bool { return !j.Temporal && !q.streaming[j.Right] }, "The left side of the as-of join is a stream.")
		},
	},
	{
		ID: "join-asof-stream", Mode: Stream, Condition: condition.StreamingUnsupported, Local: Extension,
		Text:   "An as-of join of two streams waits until the nearest row has come, which no join of Spark's does",
		WayOut: "Use Join or LeftJoin under equal keys and a bound on the time, such as right.time <= left.time and right.time >= left.time - 1 hour, or read the right side with expr.Static and run the query offline, or run it as it is as a batch, or offline.",
		Words:  []string{"Window function is not supported in LAST("},
		find: func(q *query) []offence {
			return asofs(q, func(j *tree.AsofJoin) bool { return !j.Temporal && q.streaming[j.Right] && q.unknownNearest(j) == "" }, "The right side of the as-of join is a stream.")
		},
	},
	{
		ID: "join-temporal", Mode: Stream, Condition: condition.StreamingUnsupported, Local: Extension,
		Text:   "A temporal join finds the version at each row's time by a window function in a batch, and on a stream by a state that Spark has no operator for",
		WayOut: "Make of the versions a table with the time until which each is valid, read with expr.Static, and use Join under equal keys with versions.time <= left.time and left.time < versions.until, or run the query as a batch, or offline.",
		Words:  []string{"Window function is not supported in LAST(", "Union between streaming and batch DataFrames/Datasets is not supported"},
		find: func(q *query) []offence {
			return asofs(q, func(j *tree.AsofJoin) bool { return j.Temporal && q.unknownNearest(j) == "" }, "A side of the temporal join is a stream.")
		},
	},
	{
		ID: "join-asof-wait", Mode: Stream, Condition: condition.StreamingUnsupported,
		Text:   "In an as-of or temporal join with a stream on its right side the watermark tells when the nearest row has come",
		WayOut: "Set a Watermark on the times of both sides, which are streams then, join by these columns as they are in append mode, and give AsofTolerance where rows behind the time count; or read the right side with expr.Static, or run the query as a batch.",
		find: func(q *query) []offence {
			var out []offence
			for _, j := range streamingOf[*tree.AsofJoin](q) {
				if why := q.unknownNearest(j); why != "" {
					out = append(out, offence{word(j), why, j.At})
				}
			}
			return out
		},
	},
	{
		ID: "join-complete", Mode: Stream, Condition: condition.StreamingUnsupported,
		Text:   "A join of two streams goes with append mode, an inner one from Spark 4.2 on with update mode too",
		WayOut: "Use OutputMode(expr.Append).",
		find: func(q *query) []offence {
			var out []offence
			for _, j := range streamingOf[*tree.Join](q) {
				if !q.streaming[j.Left] || !q.streaming[j.Right] {
					continue
				}
				if q.mode == tree.Complete || q.mode == tree.Update && j.Kind != tree.InnerJoin {
					out = append(out, offence{j.Kind.String() + " join", fmt.Sprintf("Two streams are joined in %s mode.", q.mode), j.At})
				}
			}
			return out
		},
	},
	{
		ID: "join-update", Mode: Stream, Condition: condition.StreamingUnsupported, Until: Version{4, 2}, Local: Extension,
		Text:   "Before Spark 4.2 a join of two streams goes with append mode only",
		WayOut: "Use OutputMode(expr.Append), or a newer Spark.",
		find: func(q *query) []offence {
			var out []offence
			for _, j := range streamingOf[*tree.Join](q) {
				if q.streaming[j.Left] && q.streaming[j.Right] && q.mode == tree.Update && j.Kind == tree.InnerJoin {
					out = append(out, offence{"Join", "Two streams are joined in update mode.", j.At})
				}
			}
			return out
		},
	},
	{
		ID: "keyed-state", Both: true, Condition: condition.Unsupported, Local: Extension,
		Text:   "A process of Go functions runs in this process, where no Spark server can call it",
		WayOut: "Run the query offline, give the processor its Python source, or write it with aggregations, session windows, joins or DropDuplicatesWithinWatermark.",
		find: func(q *query) []offence {
			var out []offence
			for _, r := range q.order {
				if k, ok := r.(*tree.Keyed); ok && k.Process.Python == nil {
					out = append(out, offence{word(k), fmt.Sprintf("%s is a process of Go functions.", k.Process.Name), k.At})
				}
			}
			return out
		},
	},
	{
		// Source: transformWithState of rows in PySpark came with 4.1; what 4.0 has is over frames of pandas.
		ID: "keyed-python", Both: true, Condition: condition.Unsupported, Local: Extension, Until: Version{4, 1},
		Text:   "Spark runs processors of Python over rows from 4.1 on",
		WayOut: "Use a newer server, or run the query offline.",
		find: func(q *query) []offence {
			var out []offence
			for _, r := range q.order {
				if k, ok := r.(*tree.Keyed); ok && k.Process.Python != nil {
					out = append(out, offence{word(k), fmt.Sprintf("%s is a process of Python source.", k.Process.Name), k.At})
				}
			}
			return out
		},
	},
	{
		ID: "keyed-keys", Both: true, Condition: condition.InvalidValue, Local: Extension,
		Text:   "A process of Python goes by columns of its input",
		WayOut: "Make a column of the key with Mutate, and group by that.",
		find: func(q *query) []offence {
			var out []offence
			for _, r := range q.order {
				k, ok := r.(*tree.Keyed)
				if !ok || k.Process.Python == nil {
					continue
				}
				for _, key := range slices.Concat(k.Keys, k.InitialKeys) {
					if c, ok := key.Expr.(*tree.Column); !ok || c.Rel.Schema().Field(c.Ordinal).Name != key.Name {
						out = append(out, offence{word(k), fmt.Sprintf("The key %s of %s is computed.", datatype.QuoteName(key.Name), k.Process.Name), k.At})
					}
				}
			}
			return out
		},
	},
	{
		ID: "keyed-complete", Mode: Stream, Condition: condition.StreamingOutputMode,
		Text:   "What a process emits is written once, so it has no complete result",
		WayOut: "Use OutputMode(expr.Append) or Update.",
		find: func(q *query) []offence {
			var out []offence
			for _, k := range streamingOf[*tree.Keyed](q) {
				if q.mode == tree.Complete {
					out = append(out, offence{word(k), fmt.Sprintf("%s runs in complete mode.", k.Process.Name), k.At})
				}
			}
			return out
		},
	},
	{
		ID: "keyed-initial-stream", Mode: Stream, Condition: condition.StreamingUnsupported,
		Text:   "An initial state is a table that is read whole, before the first rows",
		WayOut: "Read its source with expr.Static.",
		find: func(q *query) []offence {
			var out []offence
			for _, r := range q.order {
				if k, ok := r.(*tree.Keyed); ok && k.Initial != nil && q.streaming[k.Initial] {
					out = append(out, offence{word(k), fmt.Sprintf("The initial state of %s is a stream.", k.Process.Name), k.At})
				}
			}
			return out
		},
	},
	{
		ID: "pattern", Both: true, Condition: condition.Unsupported, Local: Extension,
		Text:   "Spark has no MATCH_RECOGNIZE",
		WayOut: "Run the query offline; on Spark compare a row with those before it by Lag over a window, in a batch, or join the stream with itself under bounds on the time.",
		find: func(q *query) []offence {
			return patterns(q, false, func(m *tree.Match) string { return "The table looks for the pattern " + m.Pattern.String() + "." })
		},
	},
	{
		ID: "pattern-time", Mode: Stream, Condition: condition.StreamingUnsupported,
		Text:   "A pattern over a stream is in the order of event time, since rows come in any order",
		WayOut: "Set a Watermark on the column that OrderBy names.",
		find: func(q *query) []offence {
			return patterns(q, true, func(m *tree.Match) string {
				if f := m.Input.Schema().Field(m.Time); f.Watermark == nil {
					return fmt.Sprintf("The column %s has no watermark.", datatype.QuoteName(f.Name))
				}
				return ""
			})
		},
	},
	{
		ID: "pattern-within", Mode: Stream, Condition: condition.StreamingUnsupported,
		Text:   "A pattern over a stream is bounded in time, else its rows might be waited for without end",
		WayOut: "Say with Within how long a match may last.",
		find: func(q *query) []offence {
			return patterns(q, true, func(m *tree.Match) string {
				if m.Within > 0 {
					return ""
				}
				return fmt.Sprintf("The pattern %s has no bound.", m.Pattern)
			})
		},
	},
	{
		ID: "pattern-complete", Mode: Stream, Condition: condition.StreamingOutputMode,
		Text:   "A match is written once, when it is decided, so there is no complete result",
		WayOut: "Use OutputMode(expr.Append) or Update.",
		find: func(q *query) []offence {
			return patterns(q, true, func(m *tree.Match) string {
				if q.mode != tree.Complete {
					return ""
				}
				return fmt.Sprintf("The pattern %s is looked for in complete mode.", m.Pattern)
			})
		},
	},
	{
		ID: "sink-mode", Mode: Stream, Condition: condition.StreamingOutputMode,
		Text:   "A sink takes the output modes that it can write",
		WayOut: "Use one of the sink's modes, or another sink.",
		find: func(q *query) []offence {
			if q.write == nil {
				return nil
			}
			s := q.write.Sink
			if !s.Stream {
				return []offence{{"WriteTo", fmt.Sprintf("The %s sink takes no stream.", s.Format), q.write.At}}
			}
			names := make([]string, len(s.Modes))
			for i, m := range s.Modes {
				if m == q.mode {
					return nil
				}
				names[i] = m.String()
			}
			return []offence{{"WriteTo", fmt.Sprintf("The %s sink takes %s mode, not %s.", s.Format, strings.Join(names, " or "), q.mode), q.write.At}}
		},
	},
	{
		ID: "late-rows", Mode: Stream, Condition: condition.StreamingUnsupported, Local: Extension,
		Text:   "Spark drops late rows and counts them only",
		WayOut: "Leave LateRows out and look at numRowsDroppedByWatermark of the progress, or write all rows to files as well and compare, or run the query offline.",
		find: func(q *query) []offence {
			if q.write == nil || q.write.Late == nil {
				return nil
			}
			return []offence{{"LateRows", "Late rows are to go to a sink of their own.", q.write.At}}
		},
	},
	{
		// Source: Spark's KafkaWriteTask, whose producer never begins a transaction.
		ID: "kafka-transactions", Both: true, Condition: condition.Unsupported, Local: Extension,
		Text:   "Spark's Kafka sink writes no transactions",
		WayOut: "Leave ExactlyOnce out and let readers of the topic drop what comes twice, by a key of the rows, or run the query offline.",
		find: func(q *query) []offence {
			if q.write == nil {
				return nil
			}
			id, ok := q.write.Sink.Options.Get(tree.TransactionalID)
			if !ok {
				return nil
			}
			return []offence{{"ExactlyOnce", fmt.Sprintf("The sink is to write under the transactional id %q.", id), q.write.At}}
		},
	},
	{
		ID: "transactional-id", Mode: Stream, Condition: condition.InvalidOption,
		Text:   "Two sinks of a query have two transactional ids: whoever uses one ends the transactions of the other",
		WayOut: "Give connectors.ExactlyOnce of the sink of late rows an id of its own.",
		find: func(q *query) []offence {
			if q.write == nil || q.write.Late == nil {
				return nil
			}
			id, ok := q.write.Sink.Options.Get(tree.TransactionalID)
			if late, too := q.write.Late.Options.Get(tree.TransactionalID); !ok || !too || id != late {
				return nil
			}
			return []offence{{"LateRows", fmt.Sprintf("The rows and the late rows both go under the transactional id %q.", id), q.write.At}}
		},
	},
	{
		ID: "sink-columns", Both: true, Condition: condition.UnresolvedColumn,
		Text:   "The result has every column of the type that the sink's codec was made for",
		WayOut: "Name the columns with As as the type does, or make the codec for another type.",
		find:   missingSinkColumns,
	},
	{
		ID: "sink-types", Both: true, Condition: condition.DatatypeMismatch,
		Text:   "The columns of the result fit the type that the sink's codec was made for",
		WayOut: "Cast the column, or make the codec for another type.",
		find:   misfitSinkColumns,
	},
	{
		ID: "sink-extra", Both: true, Condition: "INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_COLUMNS",
		Text:   "The sink's codec was made for every column of the result",
		WayOut: "Leave the column out with Drop or Select, or make the codec for it too.",
		find:   extraSinkColumns,
	},
	{
		ID: "sink-partitions", Both: true, Condition: condition.UnresolvedColumn,
		Text:   "PartitionBy names columns of the result",
		WayOut: "Name a column that there is, or add it with Mutate.",
		find:   missingPartitions,
	},
	{
		// Source: Spark's HadoopFSUtils.shouldFilterOutPathName, which leaves out names that begin with a point, and with an underscore where no "=" is in them; and
		// PartitioningUtils.parsePartitionColumn, which refuses a folder without a column's name.
		ID: "sink-partition-names", Both: true, Condition: condition.InvalidValue,
		Text:   "A column that names folders has a name, which does not begin with a point: readers of the folder pass over hidden ones",
		WayOut: "Rename the column, as with As.",
		find:   hiddenPartitions,
	},
	{
		ID: "sink-partition-types", Both: true, Condition: condition.InvalidPartitionColumnType,
		Text:   "A column that names folders is a number, a text, a date or a time",
		WayOut: "Partition by a field of it, or by a text made of it.",
		find:   unfitPartitions,
	},
	{
		ID: "sink-all-partitions", Both: true, Condition: condition.AllPartitionColumns,
		Text:   "A file holds a column that names no folder",
		WayOut: "Leave a column out of PartitionBy, or add one to the result.",
		find:   allPartitions,
	},
	{
		ID: "sink-file-types", Both: true, Condition: condition.UnsupportedDataType,
		Text:   "The files' format holds the columns of the result",
		WayOut: "Take fields of it apart with Unpack (of a window Start and End), make a text of it with ToJSON or Cast, or write Parquet or JSON.",
		find:   unfitFileColumns,
	},
	{
		ID: "sink-case", Both: true, Condition: condition.UnresolvedColumn,
		Text:   "Columns are spelt as the fields of the sink's codec are, in the same letters' case: readers of JSON look for exact names",
		WayOut: "Name the column with As as the type's field or tag is, or tag the field with the column's name.",
		find:   otherCase,
	},
	{
		ID: "sink-nulls", Both: true, Condition: "INCOMPATIBLE_DATA_FOR_TABLE.NULLABLE_COLUMN",
		Text:   "A column for a field of the sink's codec that is NOT NULL is never null",
		WayOut: "Replace nulls with Coalesce or leave such rows out with DropNull, or make the codec's field nullable.",
		find:   nullableSinkColumns,
	},
	{
		ID: "checkpoint", Mode: Stream, Condition: "_LEGACY_ERROR_TEMP_1298",
		Text:   "A query keeps its progress in a checkpoint, except into console, memory, noop, ForeachBatch and Foreach",
		WayOut: "Name a folder with Checkpoint.",
		find: func(q *query) []offence {
			if q.write == nil || q.write.Checkpoint != "" {
				return nil
			}
			switch q.write.Sink.Format {
			case "console", "memory", "noop", tree.ForeachBatch, tree.Foreach:
				return nil
			}
			return []offence{{"WriteTo", fmt.Sprintf("The query into the %s sink has no checkpoint.", q.write.Sink.Format), q.write.At}}
		},
	},
	{
		// Spark finds it for tables and plain paths; of a view over files it deletes the files first, and fails when it reads them.
		ID: "overwrite-own-source", Mode: Batch, Condition: "UNSUPPORTED_OVERWRITE.PATH",
		Text:   "A batch cannot overwrite the folder that it reads",
		WayOut: "Write into another folder and rename it afterwards.",
		find: func(q *query) []offence {
			if q.write == nil || q.write.Save != tree.SaveOverwrite || q.write.Sink.Path == "" {
				return nil
			}
			for _, r := range q.order {
				if x, ok := r.(*tree.Read); ok && x.Source.Path != "" && overlap(q.fixedPart(x.Source.Path), q.folder(q.write.Sink.Path)) {
					return []offence{{"WriteTo", fmt.Sprintf("The files of %s are read by source %s, and some of them would be overwritten.", x.Source.Path, datatype.QuoteName(x.Name)), q.write.At}}
				}
			}
			return nil
		},
	},
	{
		// Spark takes it, and its next reader of the folder fails on the checkpoint's files.
		ID: "checkpoint-in-sink", Mode: Stream, Condition: condition.InvalidOption,
		Text:   "The checkpoint and the files that are written do not share a folder",
		WayOut: "Give the checkpoint a folder of its own; one below the sink's whose name begins with an underscore is out of readers' sight.",
		find: func(q *query) []offence {
			if q.write == nil || q.write.Sink.Path == "" || q.write.Checkpoint == "" || q.folder(q.write.Sink.Path) != q.folder(q.write.Checkpoint) {
				return nil
			}
			return []offence{{"WriteTo", fmt.Sprintf("Both are in %s.", q.write.Checkpoint), q.write.At}}
		},
	},
	{
		// Spark takes it, and fails on the checkpoint's files when it reads them.
		ID: "checkpoint-in-source", Mode: Stream, Condition: condition.InvalidOption,
		Text:   "A query does not keep its checkpoint where it reads",
		WayOut: "Give the checkpoint a folder of its own; one below the source's whose name begins with an underscore is out of readers' sight.",
		find: func(q *query) []offence {
			if q.write == nil || q.write.Checkpoint == "" {
				return nil
			}
			var out []offence
			for _, r := range q.order {
				if x, ok := r.(*tree.Read); ok && x.Source.Path != "" && q.reads(x.Source, q.folder(q.write.Checkpoint)) {
					out = append(out, offence{"WriteTo", fmt.Sprintf("Source %s would read the files of the checkpoint %s.", datatype.QuoteName(x.Name), q.write.Checkpoint), q.write.At})
				}
			}
			return out
		},
	},
	{
		// Source: Spark's KafkaSourceProvider: ending offset not valid in streaming queries.
		ID: "ending-offsets", Mode: Stream, Condition: condition.InvalidOption,
		Text:   "A stream has no end, so an end of its offsets is for batches only",
		WayOut: "Leave the option out, or run the query as a batch.",
		find: func(q *query) []offence {
			var out []offence
			for _, r := range q.order {
				x, ok := r.(*tree.Read)
				if !ok || !q.streaming[r] || x.Source.Format != "kafka" {
					continue
				}
				for _, o := range x.Source.Options {
					if k := strings.ToLower(o.Key); strings.HasPrefix(k, "ending") {
						out = append(out, offence{"Read", fmt.Sprintf("Source %s has %s.", datatype.QuoteName(x.Name), o.Key), x.At})
					}
				}
			}
			return out
		},
	},
	{
		// Spark takes it, and the query feeds itself without end.
		ID: "sink-in-source", Mode: Stream, Condition: condition.InvalidOption,
		Text:   "A stream does not write where it reads",
		WayOut: "Write into another folder or topic.",
		find: func(q *query) []offence {
			if q.write == nil {
				return nil
			}
			var out []offence
			for _, r := range q.order {
				x, ok := r.(*tree.Read)
				if !ok || !q.streaming[r] || !q.feeds(q.write.Sink, x.Source) {
					continue
				}
				out = append(out, offence{"WriteTo", fmt.Sprintf("Source %s would read what the query writes.", datatype.QuoteName(x.Name)), q.write.At})
			}
			return out
		},
	},
	{
		ID: "continuous", Mode: Stream, Condition: condition.StreamingUnsupported,
		Text:   "The continuous trigger takes projections and filters only",
		WayOut: "Use expr.ProcessingTime.",
		Words:  []string{"Continuous processing does not support"},
		find: func(q *query) []offence {
			if !q.triggeredBy(tree.Continuous) {
				return nil
			}
			var out []offence
			for _, r := range q.order {
				switch r.(type) {
				case *tree.Read, *tree.Project, *tree.Filter, *tree.View:
				default:
					out = append(out, offence{word(r), "The operator cannot run under the continuous trigger.", r.Pos()})
				}
			}
			return out
		},
	},
	{
		// Source: Spark's UnsupportedOperationChecker.checkForContinuous.
		ID: "continuous-time", Mode: Stream, Condition: condition.StreamingUnsupported,
		Text:   "Under the continuous trigger there is no current time, which is that of an epoch",
		WayOut: "Use expr.ProcessingTime, or a time that the source gives.",
		Words:  []string{"does not support current time"},
		find: func(q *query) []offence {
			if !q.triggeredBy(tree.Continuous) {
				return nil
			}
			var out []offence
			for _, r := range q.order {
				for _, s := range tree.Scalars(r) {
					tree.Walk(s, func(n tree.Scalar) bool {
						if c, ok := n.(*tree.Call); ok && (slices.Contains([]string{"current_timestamp", "current_date", "localtimestamp"}, c.Func.Name) || c.Func.Name == "unix_timestamp" && len(c.Args) == 0) {
							out = append(out, offence{c.Func.Name, "The function gives the time of an epoch.", c.At})
						}
						return true
					})
				}
			}
			return out
		},
	},
	{
		ID: "continuous-source", Mode: Stream, Condition: condition.StreamingUnsupported,
		Text:   "The continuous trigger reads rows as they come, which files and made batches are not",
		WayOut: "Use expr.ProcessingTime.",
		Words:  []string{"does not support continuous processing", "does not support StreamingRelation"},
		find: func(q *query) []offence {
			if !q.triggeredBy(tree.Continuous) {
				return nil
			}
			return q.sourcesOf("The source %s has no continuous form.", "rate-micro-batch", "json", "csv", "parquet", "text", "orc", "avro", "binaryFile", "delta")
		},
	},
	{
		// Source: Spark's DataStreamWriter, and a stream that fails with "Unknown type of trigger" for files.
		ID: "continuous-sink", Mode: Stream, Condition: condition.StreamingUnsupported,
		Text:   "The continuous trigger writes rows as they come, so no sink of batches stands at its end",
		WayOut: "Use expr.ProcessingTime.",
		Words:  []string{"is not supported with continuous trigger", "Unknown type of trigger"},
		find: func(q *query) []offence {
			if !q.triggeredBy(tree.Continuous) || !slices.Contains([]string{tree.ForeachBatch, tree.Foreach, "json", "csv", "parquet", "text", "orc", "avro", "delta"}, q.write.Sink.Format) {
				return nil
			}
			return []offence{{"WriteTo", fmt.Sprintf("The sink %s takes whole batches.", q.write.Sink.Format), q.write.At}}
		},
	},
	{
		// A server of 4.1 has the mode, and passes over the field of the message that asks for it.
		ID: "real-time-version", Mode: Stream, Condition: condition.Unsupported, Until: Version{4, 2},
		Text:   "The real-time trigger over Spark Connect came with Spark 4.2",
		WayOut: "Use expr.ProcessingTime, or a newer server.",
		find: func(q *query) []offence {
			if !q.triggeredBy(tree.RealTime) {
				return nil
			}
			return []offence{{"Trigger", "The server would run micro-batches in its place.", q.write.At}}
		},
	},
	{
		ID: "real-time-mode", Mode: Stream, Condition: "STREAMING_REAL_TIME_MODE.OUTPUT_MODE_NOT_SUPPORTED", From: Version{4, 2},
		Text:   "The real-time trigger writes in update mode only",
		WayOut: "Set OutputMode(expr.Update), which gives of a query without state what append gives.",
		Words:  []string{"The output mode"},
		find: func(q *query) []offence {
			if !q.triggeredBy(tree.RealTime) || q.mode == tree.Update {
				return nil
			}
			return []offence{{"WriteTo", fmt.Sprintf("The output mode is %s.", q.mode), q.write.At}}
		},
	},
	{
		ID: "real-time-source", Mode: Stream, Condition: "STREAMING_REAL_TIME_MODE.INPUT_STREAM_NOT_SUPPORTED", From: Version{4, 2},
		Text:   "The real-time trigger reads from Kafka",
		WayOut: "Use expr.ProcessingTime.",
		Words:  []string{"is not supported in Real-time Mode"},
		find: func(q *query) []offence {
			if !q.triggeredBy(tree.RealTime) {
				return nil
			}
			return q.sourcesOf("The source %s has no real-time form.", "rate", "rate-micro-batch", tree.Socket, "json", "csv", "parquet", "text", "orc", "avro", "binaryFile", "delta")
		},
	},
}

// triggeredBy tells whether the query is written under a trigger of this kind.
func (q *query) triggeredBy(k tree.TriggerKind) bool {
	return q.write != nil && q.write.Trigger.Kind == k
}

// sourcesOf gives an offence for each streaming source of one of these formats; what has a verb for its name and format.
func (q *query) sourcesOf(what string, formats ...string) []offence {
	var out []offence
	for _, r := range streamingOf[*tree.Read](q) {
		if slices.Contains(formats, r.Source.Format) {
			out = append(out, offence{"Read", fmt.Sprintf(what, fmt.Sprintf("%s (%s)", datatype.QuoteName(r.Name), r.Source.Format)), r.At})
		}
	}
	return out
}

// folder is a path without the scheme of local files and behind links, so that two spellings of one folder are the same.
func (q *query) folder(p string) string {
	if rest, ok := strings.CutPrefix(p, "file:"); ok {
		p = "/" + strings.TrimLeft(rest, "/")
	}
	if q.real != nil {
		p = q.real(p)
	}
	return path.Clean(p)
}

// fixedPart is the folder below which all files of a path are, whatever its wildcards stand for.
func (q *query) fixedPart(p string) string {
	if i := strings.IndexAny(p, "*?[{"); i >= 0 {
		p = p[:i]
		if j := strings.LastIndexByte(p, '/'); j >= 0 {
			p = p[:j+1]
		} else {
			p = "."
		}
	}
	return q.folder(p)
}

// overlap tells whether one of two folders is the other or lies below it.
func overlap(a, b string) bool {
	below := func(x, y string) bool {
		return x == y || y == "." && !strings.HasPrefix(x, "/") && !strings.HasPrefix(x, "..") || strings.HasPrefix(x, strings.TrimSuffix(y, "/")+"/")
	}
	return below(a, b) || below(b, a)
}

// reads tells whether a source of files may read what lies in a folder: its own, one that its wildcards may stand for, or one below its own that it
// goes down to. Names that begin with a point or an underscore are out of its sight.
func (q *query) reads(src *tree.Source, dir string) bool {
	if strings.ContainsAny(src.Path, "*?[{") {
		return overlap(q.fixedPart(src.Path), dir)
	}
	from := q.folder(src.Path)
	if dir == from {
		return true
	}
	rest, ok := strings.CutPrefix(dir, strings.TrimSuffix(from, "/")+"/")
	if !ok {
		return false
	}
	v, _ := src.Options.Get("recursiveFileLookup")
	below := strings.EqualFold(v, "true")
	for _, name := range strings.Split(rest, "/") {
		partition := strings.Contains(name, "=")
		if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") && !partition {
			return false
		}
		// The folder of a partition counts, and all below it.
		if below = below || partition; !below {
			return false
		}
	}
	return true
}

// feeds tells whether a source reads what a sink writes: in a folder, or in the one topic that it names on the same brokers.
func (q *query) feeds(sink *tree.Sink, src *tree.Source) bool {
	if sink.Path != "" && src.Path != "" {
		return q.reads(src, q.folder(sink.Path))
	}
	if sink.Format != "kafka" || src.Format != "kafka" {
		return false
	}
	option := func(o tree.Options, key string) string { v, _ := o.Get(key); return v }
	topic, servers := option(sink.Options, "topic"), option(sink.Options, "kafka.bootstrap.servers")
	if topic == "" || servers != option(src.Options, "kafka.bootstrap.servers") {
		return false
	}
	for _, t := range strings.Split(option(src.Options, "subscribe"), ",") {
		if strings.TrimSpace(t) == topic {
			return true
		}
	}
	return false
}

// asofs gives the as-of joins of streams that are of a kind.
func asofs(q *query, of func(*tree.AsofJoin) bool, what string) []offence {
	var out []offence
	for _, j := range streamingOf[*tree.AsofJoin](q) {
		if of(j) {
			out = append(out, offence{word(j), what, j.At})
		}
	}
	return out
}

// unknownNearest says why the watermark does not tell when the right row of an as-of join with a stream on its right side is known, or "".
func (q *query) unknownNearest(j *tree.AsofJoin) string {
	if !q.streaming[j.Right] {
		return ""
	}
	return StreamAsof{q.streaming[j.Left], j.LeftTime, j.RightTime, j.Direction, j.Tolerance, q.mode}.Unknown()
}

// patterns looks at the patterns of a query, or of its streams alone.
func patterns(q *query, streams bool, look func(m *tree.Match) string) []offence {
	var out []offence
	for _, r := range q.order {
		if m, ok := r.(*tree.Match); ok && (!streams || q.streaming[r]) {
			if what := look(m); what != "" {
				out = append(out, offence{word(m), what, m.At})
			}
		}
	}
	return out
}

// sessions looks at the streaming aggregations with a session window.
func sessions(q *query, look func(a *tree.Aggregate, w *tree.Call) (offence, bool)) []offence {
	var out []offence
	for _, a := range streamingOf[*tree.Aggregate](q) {
		for _, k := range a.Keys {
			if w := tree.TimeWindow(k.Expr); w != nil && w.Func.Name == catalog.SessionWindow {
				if o, bad := look(a, w); bad {
					out = append(out, o)
				}
			}
		}
	}
	return out
}

// position is where the user wrote the query's end.
func (q *query) position() condition.Pos {
	if q.write != nil {
		return q.write.At
	}
	return q.root.Pos()
}

// stateful gives the operators that keep rows from epoch to epoch: aggregations, joins of two streams, deduplications and, offline, windows over rows, processes and patterns.
func (q *query) stateful() []tree.Relation {
	out := q.aggregates()
	for _, j := range streamingOf[*tree.Join](q) {
		if q.streaming[j.Left] && q.streaming[j.Right] {
			out = append(out, j)
		}
	}
	for _, d := range streamingOf[*tree.Deduplicate](q) {
		out = append(out, d)
	}
	for _, j := range streamingOf[*tree.AsofJoin](q) {
		if q.streaming[j.Right] {
			out = append(out, j)
		}
	}
	for _, r := range q.order {
		if q.holdsOver(r) {
			out = append(out, r)
		}
	}
	for _, k := range streamingOf[*tree.Keyed](q) {
		out = append(out, k)
	}
	for _, m := range streamingOf[*tree.Match](q) {
		out = append(out, m)
	}
	return out
}

// aggregateBelow tells whether an aggregation of a stream stands below r.
func (q *query) aggregateBelow(r tree.Relation) bool {
	for _, a := range q.aggregates() {
		// DISTINCT does not make a result complete for Spark's rule, although it is an aggregation otherwise.
		if _, ok := a.(*tree.Aggregate); ok && below(r, a) {
			return true
		}
	}
	return false
}

// missingSinkColumns finds fields of a sink's codec, and columns to partition by, that the result lacks.
func missingSinkColumns(q *query) []offence {
	if q.write == nil {
		return nil
	}
	var want []string
	if c := q.write.Sink.Codec; c != nil {
		for _, f := range c.Fields {
			want = append(want, f.Name)
		}
	}
	return missing(q, want)
}

// missing finds names that the result has no column of.
func missing(q *query, want []string) []offence {
	var out []offence
	for _, name := range want {
		if len(q.root.Schema().Lookup(name)) == 0 {
			out = append(out, offence{"WriteTo", fmt.Sprintf("The result has no column %s; it has %s.", datatype.QuoteName(name), strings.Join(q.root.Schema().Names(), ", ")), q.write.At})
		}
	}
	return out
}

// missingPartitions finds columns to partition by that the result lacks.
func missingPartitions(q *query) []offence {
	if q.write == nil {
		return nil
	}
	return missing(q, q.write.Sink.PartitionBy)
}

// hasWatermark tells whether a relation has a column of event time.
func hasWatermark(r tree.Relation) bool {
	return slices.ContainsFunc(r.Schema().Fields(), func(f tree.Field) bool { return f.Watermark != nil })
}

// brokenNames finds columns and fields whose names are no text, each name once.
func brokenNames(q *query) []offence {
	var out []offence
	seen := map[string]bool{}
	note := func(name string, at condition.Pos) {
		if !utf8.ValidString(name) && !seen[name] {
			seen[name] = true
			out = append(out, offence{"", fmt.Sprintf("The name %q of a column is not valid UTF-8.", name), at})
		}
	}
	var visit func(t datatype.Type, at condition.Pos)
	visit = func(t datatype.Type, at condition.Pos) {
		switch x := t.(type) {
		case datatype.Array:
			visit(x.Elem, at)
		case datatype.Map:
			visit(x.Key, at)
			visit(x.Value, at)
		case datatype.Struct:
			for _, f := range x.Fields {
				note(f.Name, at)
				visit(f.Type, at)
			}
		}
	}
	tree.WalkRelations(q.root, func(r tree.Relation) {
		for _, f := range r.Schema().Fields() {
			note(f.Name, r.Pos())
			visit(f.Type, r.Pos())
		}
	})
	return out
}

// hiddenPartitions finds columns whose folders no reader would look into.
func hiddenPartitions(q *query) []offence {
	if q.write == nil || q.write.Sink.Path == "" {
		return nil
	}
	var out []offence
	for _, name := range q.write.Sink.PartitionBy {
		if name == "" || strings.HasPrefix(name, ".") {
			out = append(out, offence{"WriteTo", fmt.Sprintf("The rows of the column %s would stand in folders named %s=….", datatype.QuoteName(name), name), q.write.At})
		}
	}
	return out
}

// unfitPartitions finds columns to partition by that are no names of folders, and partitions that leave the files nothing.
func unfitPartitions(q *query) []offence {
	if q.write == nil || q.write.Sink.Path == "" {
		return nil
	}
	by := q.write.Sink.PartitionBy
	var out []offence
	for _, name := range by {
		for _, i := range q.root.Schema().Lookup(name) {
			if t := q.root.Schema().Field(i).Type; t.Kind() >= datatype.KindCalendarInterval {
				out = append(out, offence{"WriteTo", fmt.Sprintf("Column %s is %s.", datatype.QuoteName(name), t), q.write.At})
			}
		}
	}
	return out
}

// allPartitions finds a sink whose columns all name folders.
func allPartitions(q *query) []offence {
	if q.write == nil || q.write.Sink.Path == "" || len(q.write.Sink.PartitionBy) < q.root.Schema().Len() {
		return nil
	}
	return []offence{{"WriteTo", "Every column names folders, and the files would hold nothing.", q.write.At}}
}

// unfitFileColumns finds columns that the files' format does not hold.
//
// Source: Spark's CSVFileFormat and TextFileFormat, supportDataType and verifySchema.
func unfitFileColumns(q *query) []offence {
	if q.write == nil || q.write.Sink.Codec != nil || q.write.Sink.Path == "" {
		return nil
	}
	var out []offence
	columns := 0
	for _, f := range q.root.Schema().Fields() {
		if slices.ContainsFunc(q.write.Sink.PartitionBy, func(p string) bool { return datatype.FoldName(p) == datatype.FoldName(f.Name) }) {
			continue
		}
		columns++
		bad := false
		switch q.write.Sink.Format {
		case "csv":
			bad = f.Type.Kind() >= datatype.KindCalendarInterval || f.Type.Kind() == datatype.KindNull
		case "text":
			bad = !datatype.IsString(f.Type)
		}
		if bad {
			out = append(out, offence{"WriteTo", fmt.Sprintf("%s files do not hold the column %s of type %s.", q.write.Sink.Format, datatype.QuoteName(f.Name), f.Type), q.write.At})
		}
	}
	if q.write.Sink.Format == "text" && columns > 1 && len(out) == 0 {
		out = append(out, offence{"WriteTo", fmt.Sprintf("text files hold one column, and there are %d.", columns), q.write.At})
	}
	return out
}

// otherCase finds columns, and fields within them, whose letters' case is not that of the codec's: what is written has the column's, and JSON is read
// by exact names.
func otherCase(q *query) []offence {
	if q.write == nil || q.write.Sink.Codec == nil {
		return nil
	}
	var out []offence
	for _, f := range q.write.Sink.Codec.Fields {
		for _, i := range q.root.Schema().Lookup(f.Name) {
			have := q.root.Schema().Field(i)
			if a, b, differ := caseDiffers(have.Name, f.Name, have.Type, f.Type); differ {
				out = append(out, offence{"WriteTo", fmt.Sprintf("The result has %s where the codec has %s.", datatype.QuoteName(a), datatype.QuoteName(b)), q.write.At})
			}
		}
	}
	return out
}

// caseDiffers gives the first names in which two fields differ.
func caseDiffers(a, b string, t, u datatype.Type) (string, string, bool) {
	if a != b {
		return a, b, true
	}
	switch x := t.(type) {
	case datatype.Struct:
		y, ok := u.(datatype.Struct)
		if !ok || len(x.Fields) != len(y.Fields) {
			return "", "", false
		}
		for i, f := range x.Fields {
			if n, m, differ := caseDiffers(f.Name, y.Fields[i].Name, f.Type, y.Fields[i].Type); differ {
				return a + "." + n, b + "." + m, true
			}
		}
	case datatype.Array:
		if y, ok := u.(datatype.Array); ok {
			return caseDiffers(a, b, x.Elem, y.Elem)
		}
	case datatype.Map:
		if y, ok := u.(datatype.Map); ok {
			return caseDiffers(a, b, x.Value, y.Value)
		}
	}
	return "", "", false
}

// misfitSinkColumns finds columns whose values a field of the sink's codec may not hold.
func misfitSinkColumns(q *query) []offence {
	if q.write == nil || q.write.Sink.Codec == nil {
		return nil
	}
	var out []offence
	for _, f := range q.write.Sink.Codec.Fields {
		at := q.root.Schema().Lookup(f.Name)
		if len(at) != 1 {
			continue // missingSinkColumns says so
		}
		if t := q.root.Schema().Field(at[0]).Type; !datatype.CanUpCast(t, f.Type) {
			out = append(out, offence{"WriteTo", fmt.Sprintf("Column %s is %s, and the sink's codec was made for %s.", datatype.QuoteName(f.Name), t, f.Type), q.write.At})
		}
	}
	return out
}

// extraSinkColumns finds columns that the sink's codec has no field for: its reader would not know them.
func extraSinkColumns(q *query) []offence {
	if q.write == nil || q.write.Sink.Codec == nil || len(q.write.Sink.Codec.Fields) == 0 {
		return nil // a codec without fields takes what comes
	}
	known, names := map[string]bool{}, []string{}
	for _, f := range q.write.Sink.Codec.Fields {
		known[datatype.FoldName(f.Name)] = true
		names = append(names, datatype.QuoteName(f.Name))
	}
	var extra []string
	for _, name := range q.root.Schema().Names() {
		if !known[datatype.FoldName(name)] {
			extra = append(extra, datatype.QuoteName(name))
		}
	}
	if len(extra) == 0 {
		return nil
	}
	return []offence{{"WriteTo", fmt.Sprintf("The result has the columns %s beside those of the sink's codec, which are %s.", strings.Join(extra, ", "), strings.Join(names, ", ")), q.write.At}}
}

// nullableSinkColumns finds columns that may be null where the sink's codec says that they are not.
func nullableSinkColumns(q *query) []offence {
	if q.write == nil || q.write.Sink.Codec == nil {
		return nil
	}
	var out []offence
	for _, f := range q.write.Sink.Codec.Fields {
		if at := q.root.Schema().Lookup(f.Name); len(at) == 1 {
			if where := nullIn(q.root.Schema().Types()[at[0]], f); where != "" {
				out = append(out, offence{"WriteTo", fmt.Sprintf("Column %s may be null, and the sink's codec has it NOT NULL.", where), q.write.At})
			}
		}
	}
	return out
}

// nullIn names the place in a column, or the column, that may be null where to may not; "" for none.
func nullIn(from, to datatype.Field) string {
	name := datatype.QuoteName(from.Name)
	if from.Nullable && !to.Nullable {
		return name
	}
	below := func(f, t datatype.Type, nulls, may bool, part string) string {
		if in := nullIn(datatype.Field{Name: part, Type: f, Nullable: nulls}, datatype.Field{Type: t, Nullable: may}); in != "" {
			return name + "." + in
		}
		return ""
	}
	switch f := from.Type.(type) {
	case datatype.Struct:
		t, ok := to.Type.(datatype.Struct)
		for i := 0; ok && i < min(len(f.Fields), len(t.Fields)); i++ {
			if in := nullIn(f.Fields[i], t.Fields[i]); in != "" {
				return name + "." + in
			}
		}
	case datatype.Array:
		if t, ok := to.Type.(datatype.Array); ok {
			return below(f.Elem, t.Elem, f.ContainsNull, t.ContainsNull, "element")
		}
	case datatype.Map:
		if t, ok := to.Type.(datatype.Map); ok {
			return below(f.Value, t.Value, f.ValueContainsNull, t.ValueContainsNull, "value")
		}
	}
	return ""
}
