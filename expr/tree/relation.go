package tree

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Relation is a table expression. The set is closed. Identity is the pointer: two columns are of the same table when their
// Rel is the same pointer, and a relation that is reached twice is shared.
type Relation interface {
	// Schema gives the columns; it is computed once, when the relation is made.
	Schema() *Schema
	// Inputs gives the direct inputs in order.
	Inputs() []Relation
	// Pos is where the user made it.
	Pos() condition.Pos
	isRelation()
}

// Node holds what every relation has.
type Node struct {
	Out *Schema
	At  condition.Pos
}

// Schema implements [Relation].
func (n *Node) Schema() *Schema { return n.Out }

// Pos implements [Relation].
func (n *Node) Pos() condition.Pos { return n.At }

// Inputs implements [Relation] for leaves.
func (*Node) Inputs() []Relation { return nil }

func (*Node) isRelation() {}

// Read reads a source: batch or stream as the terminal call says, always batch when Static.
type Read struct {
	Node
	// Name is the user's name of the source: the view's name in printed programs, and the source's identity in checkpoints.
	Name   string
	Source *Source
	Static bool
}

// Table is a table of the session's catalogue with a declared schema. Name parts are not quoted.
type Table struct {
	Node
	Name []string
	// Stream reads it as a stream under Start; else it is always batch.
	Stream bool
	// Version and Timestamp, of which at most one is set, read the table as it was: a version's number, or a TIMESTAMP.
	Version   *int64
	Timestamp *Literal
}

// AsOf tells whether the table is read as it was at some time.
func (r *Table) AsOf() bool { return r.Version != nil || r.Timestamp != nil }

// Values is a table of literal rows.
type Values struct {
	Node
	// Name is the user's name, which may be empty.
	Name string
	Rows [][]Scalar
}

// Named is a value with its column name.
type Named struct {
	Name string
	Expr Scalar
}

// Project computes columns of each row.
type Project struct {
	Node
	Input   Relation
	Columns []Named
}

// Filter keeps the rows for which Cond is true.
type Filter struct {
	Node
	Input Relation
	Cond  Scalar
}

// Aggregate groups rows by Keys and computes Aggs over each group; without keys there is one group, of an empty input too.
// The output is the keys, then the aggregates.
type Aggregate struct {
	Node
	Input Relation
	Keys  []Named
	Aggs  []Named
	// Sets, when not nil, groups once for each set of ordinals of Keys; a key that a set leaves out is null in the set's rows. An
	// empty input then gives no row, of the empty set neither, as in Spark.
	Sets [][]int
}

// InEverySet tells whether key i is in each of the grouping sets, so that it is never replaced by null.
func (r *Aggregate) InEverySet(i int) bool {
	for _, s := range r.Sets {
		if !slices.Contains(s, i) {
			return false
		}
	}
	return true
}

// JoinKind is the kind of a join.
type JoinKind uint8

// The kinds of joins.
const (
	InnerJoin JoinKind = iota
	LeftJoin
	RightJoin
	FullJoin
	SemiJoin
	AntiJoin
	CrossJoin
	// AnyInnerJoin and AnyLeftJoin give each left row one partner at most: of several, the least by the right columns in order.
	AnyInnerJoin
	AnyLeftJoin
)

var joinNames = [...]string{"INNER", "LEFT OUTER", "RIGHT OUTER", "FULL OUTER", "LEFT SEMI", "LEFT ANTI", "CROSS", "ANY INNER", "ANY LEFT"}

// String gives the words of Spark's SQL, and for the kinds that it lacks those of Ibis.
func (k JoinKind) String() string { return joinNames[k] }

// Any tells the kinds that give a left row one partner at most.
func (k JoinKind) Any() bool { return k == AnyInnerJoin || k == AnyLeftJoin }

// Join pairs rows of two inputs that are different relations. Columns of On have either input as their Rel.
type Join struct {
	Node
	Kind        JoinKind
	Left, Right Relation
	On          Scalar // nil for a cross join
	// Output tells for each output column which input column it is: ordinals of the left input, then of the right.
	Output []JoinColumn
}

// JoinColumn is an output column of a [Join] or an [AsofJoin].
type JoinColumn struct {
	FromRight bool
	Ordinal   int
}

// AsofDirection says on which side of a left row's time its partner is looked for.
type AsofDirection uint8

// The directions.
const (
	AsofBackward AsofDirection = iota
	AsofForward
	AsofNearest
)

// String gives Ibis's and pandas' word.
func (d AsofDirection) String() string { return [...]string{"backward", "forward", "nearest"}[d] }

// AsofJoin gives each left row once, beside the right row whose time is nearest in a direction among those with equal keys, or nulls.
// Of several right rows of that time the greatest by the right columns in order counts. A null time has no partner.
type AsofJoin struct {
	Node
	Left, Right Relation
	// On are the equalities of keys between the sides, = and <=> joined by AND; nil for none.
	On Scalar
	// LeftTime and RightTime are columns, perhaps below an implicit cast to their common type.
	LeftTime, RightTime Scalar
	Direction           AsofDirection
	// Strict leaves out right rows of the very same time.
	Strict bool
	// Tolerance is the greatest distance between the times: BIGINT for integers, of the times' own type for decimals, DOUBLE, or an
	// interval of days to seconds; nil for any distance.
	Tolerance *Literal
	// Output is as in [Join].
	Output []JoinColumn
	// Temporal tells that the right side are versions: the join was made by TemporalJoin, which messages name.
	Temporal bool
}

// JoinKey is an equality between the two inputs of a join.
type JoinKey struct {
	Left, Right Scalar
	// NullSafe lets nulls meet (<=>).
	NullSafe bool
}

// SplitJoin sorts the conjuncts of a join's condition: equalities of an expression over the left with one over the right, what looks at one
// side alone (constants count for the left), and the rest.
func SplitJoin(on Scalar, left, right Relation) (keys []JoinKey, onLeft, onRight, rest []Scalar) {
	sides := func(s Scalar) (l, r bool) {
		Walk(s, func(x Scalar) bool {
			if c, ok := x.(*Column); ok {
				l, r = l || c.Rel == left, r || c.Rel == right
			}
			return true
		})
		return l, r
	}
	var visit func(Scalar)
	visit = func(s Scalar) {
		s, _ = StripAlias(s)
		c, ok := s.(*Call)
		if ok && c.Func.Name == "and" {
			visit(c.Args[0])
			visit(c.Args[1])
			return
		}
		l, r := sides(s)
		switch {
		case !r:
			onLeft = append(onLeft, s)
			return
		case !l:
			onRight = append(onRight, s)
			return
		case ok && (c.Func.Name == "=" || c.Func.Name == "<=>"):
			a, b := c.Args[0], c.Args[1]
			if _, r := sides(a); r {
				a, b = b, a
			}
			_, ar := sides(a)
			bl, _ := sides(b)
			if !ar && !bl {
				keys = append(keys, JoinKey{Left: a, Right: b, NullSafe: c.Func.Name == "<=>"})
				return
			}
		}
		rest = append(rest, s)
	}
	if on != nil {
		visit(on)
	}
	return keys, onLeft, onRight, rest
}

// Sort orders the rows.
type Sort struct {
	Node
	Input Relation
	Keys  []SortKey
}

// Limit keeps at most Count rows (all when negative) after leaving out Offset.
type Limit struct {
	Node
	Input         Relation
	Count, Offset int64
	// CountOf and OffsetOf, where not nil, compute the numbers instead, when the query runs: INT expressions without columns.
	CountOf, OffsetOf Scalar
}

// Sample keeps each row with probability Fraction, from 0 to 1.
type Sample struct {
	Node
	Input    Relation
	Fraction float64
	// Seed makes the choice repeatable over rows that come in the same order; nil for another choice in each run.
	Seed *int64
}

// Distinct keeps one of each set of equal rows.
type Distinct struct {
	Node
	Input Relation
}

// Deduplicate keeps one row for each value of the key columns.
type Deduplicate struct {
	Node
	Input Relation
	Keys  []int
	// WithinWatermark forgets a key when the watermark passes its event time plus the delay.
	WithinWatermark bool
}

// Union puts the rows of its inputs together, by position; duplicates stay.
type Union struct {
	Node
	Sides []Relation
}

// SetKind is the kind of a [SetOperation].
type SetKind uint8

// The kinds of set operations.
const (
	IntersectSet SetKind = iota
	ExceptSet
)

var setNames = [...]string{"INTERSECT", "EXCEPT"}

// String gives the word of Spark's SQL.
func (k SetKind) String() string { return setNames[k] }

// SetOperation keeps the rows of Left that are also in Right, or that are not; null equals null. Otherwise each row comes once;
// with All a row comes as often as in the side that has it less often, or as often as Left has it more often than Right.
type SetOperation struct {
	Node
	Kind        SetKind
	All         bool
	Left, Right Relation
}

// Watermark declares column Ordinal as event time that is at most Delay late.
type Watermark struct {
	Node
	Input   Relation
	Ordinal int
	Delay   time.Duration
	// DelayText is the delay as Spark reads it: "10 seconds", "1 month".
	DelayText string
}

// Unnest puts each element of an array column in a row of its own, in the column's place. Rows whose array is empty or null
// disappear, unless KeepEmpty, which gives a null element.
type Unnest struct {
	Node
	Input     Relation
	Ordinal   int
	KeepEmpty bool
	// Position is the name of a further column with the element's position from 0 ("" for none).
	Position string
}

// HintKind is a hint to Spark's planner. No hint changes the rows.
type HintKind uint8

// The hints. The first four say how the rows are laid out in partitions, the others how a join meets its input.
const (
	CoalesceHint HintKind = iota
	RepartitionHint
	RepartitionByRangeHint
	RebalanceHint
	BroadcastHint
	MergeHint
	ShuffleHashHint
	ShuffleReplicateNLHint
)

var hintNames = [...]string{"COALESCE", "REPARTITION", "REPARTITION_BY_RANGE", "REBALANCE", "BROADCAST", "MERGE", "SHUFFLE_HASH", "SHUFFLE_REPLICATE_NL"}

// String gives the word of Spark's SQL.
func (k HintKind) String() string { return hintNames[k] }

// Joins tells the hints about the join that the rows go into.
func (k HintKind) Joins() bool { return k >= BroadcastHint }

// Hint is its input with a hint to Spark's planner.
type Hint struct {
	Node
	Input Relation
	Kind  HintKind
	// Number is that of the partitions, 0 for one that Spark chooses.
	Number int64
	// Columns are the ordinals of the columns by which rows are laid out.
	Columns []int
}

// Text prints the hint as in Spark's SQL, but for the name of the table that a join's hint is about.
func (r *Hint) Text(quote func(name string) string) string {
	var args []string
	if r.Number > 0 {
		args = append(args, strconv.FormatInt(r.Number, 10))
	}
	for _, c := range r.Columns {
		args = append(args, quote(r.Out.Field(c).Name))
	}
	if len(args) == 0 {
		return r.Kind.String()
	}
	return r.Kind.String() + "(" + strings.Join(args, ", ") + ")"
}

// View is its input under another identity, for self-joins.
type View struct {
	Node
	Input Relation
}

// Inputs implements [Relation].
func (r *Project) Inputs() []Relation { return []Relation{r.Input} }

// Inputs implements [Relation].
func (r *Filter) Inputs() []Relation { return []Relation{r.Input} }

// Inputs implements [Relation].
func (r *Aggregate) Inputs() []Relation { return []Relation{r.Input} }

// Inputs implements [Relation].
func (r *Join) Inputs() []Relation { return []Relation{r.Left, r.Right} }

// Inputs implements [Relation].
func (r *AsofJoin) Inputs() []Relation { return []Relation{r.Left, r.Right} }

// Inputs implements [Relation].
func (r *Sort) Inputs() []Relation { return []Relation{r.Input} }

// Inputs implements [Relation].
func (r *Limit) Inputs() []Relation { return []Relation{r.Input} }

// Inputs implements [Relation].
func (r *Sample) Inputs() []Relation { return []Relation{r.Input} }

// Inputs implements [Relation].
func (r *SetOperation) Inputs() []Relation { return []Relation{r.Left, r.Right} }

// Inputs implements [Relation].
func (r *Distinct) Inputs() []Relation { return []Relation{r.Input} }

// Inputs implements [Relation].
func (r *Deduplicate) Inputs() []Relation { return []Relation{r.Input} }

// Inputs implements [Relation].
func (r *Union) Inputs() []Relation { return r.Sides }

// Inputs implements [Relation].
func (r *Watermark) Inputs() []Relation { return []Relation{r.Input} }

// Inputs implements [Relation].
func (r *Unnest) Inputs() []Relation { return []Relation{r.Input} }

// Inputs implements [Relation].
func (r *Hint) Inputs() []Relation { return []Relation{r.Input} }

// Inputs implements [Relation].
func (r *View) Inputs() []Relation { return []Relation{r.Input} }

// Origin tells which column of which direct input output column i passes through unchanged (it may have another name), or false
// where it is computed.
func Origin(r Relation, i int) (Relation, int, bool) {
	switch x := r.(type) {
	case *Project:
		return columnOf(x.Input, x.Columns[i].Expr)
	case *Aggregate:
		if i < len(x.Keys) && x.InEverySet(i) {
			return columnOf(x.Input, x.Keys[i].Expr)
		}
	case *Join:
		return x.Output[i].of(x.Left, x.Right)
	case *AsofJoin:
		return x.Output[i].of(x.Left, x.Right)
	case *Unnest:
		if i != x.Ordinal && i < x.Input.Schema().Len() {
			return x.Input, i, true
		}
	case *Filter, *Sort, *Limit, *Sample, *Distinct, *Deduplicate, *Watermark, *Hint, *Bind:
		return r.Inputs()[0], i, true
	}
	// A set operation mixes its sides and a view is a new identity; leaves have no input.
	return nil, 0, false
}

// of gives the input's column that an output column is.
func (c JoinColumn) of(left, right Relation) (Relation, int, bool) {
	if c.FromRight {
		return right, c.Ordinal, true
	}
	return left, c.Ordinal, true
}

func columnOf(input Relation, s Scalar) (Relation, int, bool) {
	s, _ = StripAlias(s)
	if c, ok := s.(*Column); ok && c.Rel == input {
		return input, c.Ordinal, true
	}
	return nil, 0, false
}

// WalkRelations calls f on each relation below r and on r itself, inputs first, each once however often it is reached.
func WalkRelations(r Relation, f func(Relation)) {
	seen := map[Relation]bool{}
	var visit func(Relation)
	visit = func(r Relation) {
		if seen[r] {
			return
		}
		seen[r] = true
		for _, in := range r.Inputs() {
			visit(in)
		}
		for _, q := range Subqueries(Scalars(r)...) {
			visit(q.Rel)
		}
		f(r)
	}
	visit(r)
}

// IsStreaming tells whether r reads a stream when its terminal call is a streaming one.
func IsStreaming(r Relation) bool {
	switch x := r.(type) {
	case *Read:
		return !x.Static && x.Source != nil && x.Source.Stream
	case *Table:
		return x.Stream
	}
	for _, in := range r.Inputs() {
		if IsStreaming(in) {
			return true
		}
	}
	return false
}

// Name gives the user's name of a leaf, or "" for a relation that has none.
func Name(r Relation) string {
	switch x := r.(type) {
	case *Read:
		return x.Name
	case *Table:
		return x.Name[len(x.Name)-1]
	case *Values:
		return x.Name
	}
	return ""
}

// TypesOf gives the types of a relation's columns.
func TypesOf(r Relation) []datatype.Type {
	out := make([]datatype.Type, r.Schema().Len())
	for i := range out {
		out[i] = r.Schema().Field(i).Type
	}
	return out
}
