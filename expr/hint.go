package expr

import (
	"math"
	"slices"
	"strings"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Repartition lays the rows out in n partitions on Spark, by the hashes of some columns (names, values that are columns, or selectors), or in turn
// without any. With n = 0 Spark chooses the number. It is the hint REPARTITION: the rows stay the same, and the local engine passes over it.
//
// Source: Spark's partitioning hints.
func (t Table) Repartition(n int, columns ...any) Table {
	return t.hint(condition.Here(1), "Repartition", tree.RepartitionHint, n, columns)
}

// RepartitionByRange is [Table.Repartition] by ranges of the values of one or more columns: the hint REPARTITION_BY_RANGE.
func (t Table) RepartitionByRange(n int, columns ...any) Table {
	return t.hint(condition.Here(1), "RepartitionByRange", tree.RepartitionByRangeHint, n, columns)
}

// Coalesce puts partitions together on Spark until there are no more than n, without moving rows between machines more than that takes: the hint
// COALESCE. The rows stay the same, and the local engine passes over it.
func (t Table) Coalesce(n int) Table {
	return t.hint(condition.Here(1), "Coalesce", tree.CoalesceHint, n, nil)
}

// Broadcast asks Spark to send this table whole to wherever the other side of its next join is: the hint BROADCAST. The rows stay the same, and the
// local engine passes over it.
func (t Table) Broadcast() Table {
	return t.hint(condition.Here(1), "Broadcast", tree.BroadcastHint, 0, nil)
}

// hintWords are the names that [Table.Hint] takes, Spark's other spellings among them.
var hintWords = map[string]tree.HintKind{
	"COALESCE": tree.CoalesceHint, "REPARTITION": tree.RepartitionHint, "REPARTITION_BY_RANGE": tree.RepartitionByRangeHint, "REBALANCE": tree.RebalanceHint,
	"BROADCAST": tree.BroadcastHint, "BROADCASTJOIN": tree.BroadcastHint, "MAPJOIN": tree.BroadcastHint,
	"MERGE": tree.MergeHint, "SHUFFLE_MERGE": tree.MergeHint, "MERGEJOIN": tree.MergeHint,
	"SHUFFLE_HASH": tree.ShuffleHashHint, "SHUFFLE_REPLICATE_NL": tree.ShuffleReplicateNLHint,
}

// Hint gives Spark's planner a hint by its name, in any letter case. COALESCE, REPARTITION, REPARTITION_BY_RANGE and REBALANCE take a number of
// partitions and columns, as far as they can; BROADCAST, MERGE, SHUFFLE_HASH and SHUFFLE_REPLICATE_NL take nothing and are about the next join of this
// table. No hint changes the rows, and the local engine passes over it. An unknown one, which Spark would ignore with a warning in its log, is
// an error.
func (t Table) Hint(name string, args ...any) Table {
	at := condition.Here(1)
	kind, ok := hintWords[strings.ToUpper(name)]
	if !ok {
		t = t.ready(at)
		known := make([]string, 0, len(hintWords))
		for w := range hintWords {
			known = append(known, w)
		}
		slices.Sort(known)
		e := condition.Newf(condition.InvalidValue, "Spark has no hint %s.", name)
		e.Pos, e.Operator, e.Hint = at, "Hint", "It has "+strings.Join(known, ", ")+"."
		return t.fail(e)
	}
	n := 0
	if len(args) > 0 {
		if first, ok := args[0].(int); ok {
			n, args = first, args[1:]
			if n == 0 {
				n = -1 // a number that is given is no choice of Spark's
			}
		}
	}
	return t.hint(at, "Hint", kind, n, args)
}

func (t Table) hint(at condition.Pos, op string, kind tree.HintKind, n int, columns []any) Table {
	t = t.ready(at)
	bad := func(format string, args ...any) Table {
		e := condition.Newf(condition.InvalidValue, format, args...)
		e.Pos, e.Operator = at, op
		return t.fail(e)
	}
	h := &tree.Hint{Node: tree.Node{Out: t.rel.Schema(), At: at}, Input: t.rel, Kind: kind, Number: int64(n)}
	switch {
	case kind.Joins() && (n != 0 || len(columns) > 0):
		return bad("The hint %s takes nothing.", kind)
	case n < 0 || n > math.MaxInt32 || n == 0 && kind == tree.CoalesceHint:
		return bad("The number of partitions must be from 1 to %d, not %d.", math.MaxInt32, max(n, 0))
	case kind == tree.CoalesceHint && len(columns) > 0:
		return bad("The hint COALESCE takes no columns.")
	case kind == tree.RepartitionByRangeHint && len(columns) == 0:
		return bad("The hint REPARTITION_BY_RANGE takes one column at least.")
	}
	nodes, errs := t.args(at, columns)
	for _, x := range nodes {
		x, _ = tree.StripAlias(x)
		switch c, ok := x.(*tree.Column); {
		case ok:
			h.Columns = append(h.Columns, c.Ordinal)
		case x.Type() != nil: // else it is told already
			e := condition.Newf(condition.InvalidValue, "A hint takes columns, not %s.", tree.String(x))
			e.Pos, e.Operator, e.Hint = at, op, "Make a column of it with Mutate first."
			errs = append(errs, e)
		}
	}
	return t.then(errs, func() tree.Relation { return h })
}
