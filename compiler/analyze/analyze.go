// Package analyze holds what Spark refuses of streaming queries as a table of rules, checked when a query is compiled: Spark itself says some
// of it only when the query starts or runs. Each rule has the range of Spark versions that have it and a column for the local engine, which
// either refuses as Spark does or runs the operation as an extension.
//
// Source: Spark's UnsupportedOperationChecker and its Structured Streaming guide; what live servers answered is in the tests.
package analyze

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Mode says whether a query runs once or as a stream.
type Mode uint8

// The modes.
const (
	Batch Mode = iota
	Stream
)

// Version is a Spark version without its patch number.
type Version struct{ Major, Minor int }

// Before tells whether v is older than w.
func (v Version) Before(w Version) bool {
	return v.Major < w.Major || v.Major == w.Major && v.Minor < w.Minor
}

// Target says whose rules apply.
type Target struct {
	Version Version
	// Local asks for the local engine's column.
	Local bool
	// Real gives the folder that a path without wildcards leads to, through links of the file system, so that two ways to one folder are known for what they
	// are; nil where the file system is another machine's.
	Real func(path string) string
}

// Verdict is what the local engine makes of a rule of Spark's.
type Verdict uint8

// The verdicts.
const (
	// Refuse: the local engine refuses as Spark does.
	Refuse Verdict = iota
	// Extension: the local engine runs it; only Spark refuses.
	Extension
)

// Rule is a row of the table.
type Rule struct {
	// ID names the rule in documents and tests.
	ID string
	// Condition is the name of the error: Spark's where it has one.
	Condition string
	// Text is the rule in one sentence.
	Text string
	// WayOut says what the user can do.
	WayOut string
	// Words are parts of what Spark says of such queries, one of them of each, when they are sent to it all the same; nil where it was not asked. Conformance tests hold them
	// against a live server.
	Words []string
	// From and Until bound the Spark versions that have the rule: From ≤ v < Until; zero values leave an end open.
	From, Until Version
	// Local is the local engine's column.
	Local Verdict
	// Mode is the kind of query that the rule is about; with Both it is about either.
	Mode Mode
	Both bool

	find func(q *query) []offence
}

// offence is a place where a rule is broken.
type offence struct {
	operator string
	what     string
	at       condition.Pos
}

// query is what rules look at.
type query struct {
	root  tree.Relation
	write *tree.Write // nil for a query without a sink
	mode  tree.OutputMode
	// streaming tells which relations are fed by a stream.
	streaming map[tree.Relation]bool
	order     []tree.Relation // inputs first
	// real is Target.Real.
	real func(path string) string
}

// Rules gives the table.
func Rules() []Rule { return append([]Rule(nil), rules...) }

// Relation checks a query without a sink: under Stream, as one in append mode.
func Relation(r tree.Relation, mode Mode, t Target) error { return check(r, nil, mode, t) }

// Write checks a query with its sink.
func Write(w *tree.Write, mode Mode, t Target) error { return check(w.Input, w, mode, t) }

func newQuery(r tree.Relation, w *tree.Write, mode Mode, t Target) *query {
	q := &query{root: r, write: w, streaming: map[tree.Relation]bool{}, real: t.Real}
	if w != nil {
		q.mode = w.Mode
	}
	tree.WalkRelations(r, func(x tree.Relation) {
		q.order = append(q.order, x)
		if mode == Stream {
			q.streaming[x] = tree.IsStreaming(x)
		}
	})
	return q
}

func check(r tree.Relation, w *tree.Write, mode Mode, t Target) error {
	q := newQuery(r, w, mode, t)
	var errs []error
	names := map[string]*tree.Read{}
	for _, r := range q.order {
		rd, ok := r.(*tree.Read)
		if !ok {
			continue
		}
		k := datatype.FoldName(rd.Name)
		if other := names[k]; other != nil {
			e := condition.Newf(condition.InvalidValue, "Two sources are named %s: the one made at %s and the one made at %s.", datatype.QuoteName(rd.Name), other.Pos(), rd.Pos())
			e.Pos, e.Operator = rd.Pos(), "Read"
			e.Hint = "Give each source a name of its own; it is its identity in checkpoints. To use one source twice, use one table twice."
			errs = append(errs, e)
		}
		names[k] = rd
	}
	for _, rule := range rules {
		if rule.Mode != mode && !rule.Both || !rule.applies(t) {
			continue
		}
		for _, o := range rule.find(q) {
			e := condition.Newf(rule.Condition, "%s", o.what)
			e.Operator, e.Rule, e.Hint, e.Pos = o.operator, strings.TrimSuffix(rule.Text, "."), rule.WayOut, o.at
			errs = append(errs, e)
		}
	}
	return errors.Join(errs...)
}

func (r Rule) applies(t Target) bool {
	if t.Local {
		return r.Local == Refuse
	}
	return !t.Version.Before(r.From) && (r.Until == Version{} || t.Version.Before(r.Until))
}

// streamingOf gives the relations of type R that are fed by a stream.
func streamingOf[R tree.Relation](q *query) []R {
	var out []R
	for _, r := range q.order {
		if x, ok := r.(R); ok && q.streaming[r] {
			out = append(out, x)
		}
	}
	return out
}

// aggregates gives the streaming aggregations, inputs first: DISTINCT is one over all columns, and so is EXCEPT, which Spark computes as an
// anti join and a DISTINCT.
func (q *query) aggregates() []tree.Relation {
	var out []tree.Relation
	for _, r := range q.order {
		ok := false
		switch x := r.(type) {
		case *tree.Aggregate, *tree.Distinct:
			ok = true
		case *tree.SetOperation:
			ok = x.Kind == tree.ExceptSet && !x.All
		}
		if ok && q.streaming[r] {
			out = append(out, r)
		}
	}
	return out
}

// below tells whether x is r or somewhere below it.
func below(r, x tree.Relation) bool {
	found := false
	tree.WalkRelations(r, func(y tree.Relation) { found = found || y == x })
	return found
}

func hasEventTime(r tree.Relation) bool {
	for _, f := range r.Schema().Fields() {
		if f.Watermark != nil {
			return true
		}
	}
	return false
}

// keysHaveEventTime tells whether an aggregation groups by a watermarked column or a window of one.
func keysHaveEventTime(r tree.Relation) bool {
	switch x := r.(type) {
	case *tree.Aggregate:
		for _, k := range x.Keys {
			if tree.EventTimeOf(k.Expr) != nil {
				return true
			}
		}
	case *tree.Distinct, *tree.SetOperation:
		return hasEventTime(x)
	}
	return false
}

func word(r tree.Relation) string {
	switch x := r.(type) {
	case *tree.Aggregate:
		return "Agg"
	case *tree.Distinct:
		return "Distinct"
	case *tree.Join:
		switch x.Kind {
		case tree.AnyInnerJoin:
			return "AnyJoin"
		case tree.AnyLeftJoin:
			return "AnyLeftJoin"
		}
		return "Join"
	case *tree.Match:
		return "MatchRecognize"
	case *tree.Keyed:
		return "TransformWithState"
	case *tree.AsofJoin:
		if x.Temporal {
			return "TemporalJoin"
		}
	case *tree.Sort:
		return "OrderBy"
	case *tree.Limit:
		return "Limit"
	case *tree.Union:
		return "Union"
	case *tree.SetOperation:
		return setWord(r.(*tree.SetOperation))
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", r), "*tree.")
}

// setWord is the method that makes a set operation.
func setWord(x *tree.SetOperation) string {
	word := "Intersect"
	if x.Kind == tree.ExceptSet {
		word = "Difference"
	}
	if x.All {
		word += "All"
	}
	return word
}

// watermarkedElsewhere names a column that has a watermark although the aggregation does not use it: the mix-up behind many of these errors.
func watermarkedElsewhere(r tree.Relation) string {
	for _, in := range r.Inputs() {
		for _, f := range in.Schema().Fields() {
			if f.Watermark != nil {
				return f.Name
			}
		}
	}
	return ""
}

// distinctAggregate finds an aggregate over different values only.
func distinctAggregate(s tree.Scalar) *tree.Call {
	var found *tree.Call
	tree.Walk(s, func(n tree.Scalar) bool {
		if c, ok := n.(*tree.Call); ok && c.Distinct && found == nil {
			found = c
		}
		return found == nil
	})
	return found
}

func firstOver(s tree.Scalar) *tree.Over {
	var found *tree.Over
	tree.Walk(s, func(n tree.Scalar) bool {
		if o, ok := n.(*tree.Over); ok && found == nil {
			found = o
		}
		return found == nil
	})
	return found
}

// conjuncts splits a condition at its ANDs.
func conjuncts(s tree.Scalar) []tree.Scalar {
	if c, ok := s.(*tree.Call); ok && c.Func.Name == "and" {
		return append(conjuncts(c.Args[0]), conjuncts(c.Args[1])...)
	}
	return []tree.Scalar{s}
}

// eventTimeKeys tells whether an equality of the join's condition is over event time, which bounds the state of both sides.
func eventTimeKeys(j *tree.Join) bool {
	for _, s := range conjuncts(j.On) {
		c, ok := s.(*tree.Call)
		if ok && c.Func.Name == "=" && (tree.EventTimeOf(c.Args[0]) != nil || tree.EventTimeOf(c.Args[1]) != nil) {
			return true
		}
	}
	return false
}

// hasEquality tells whether a conjunct of the condition equates a value of one side with a value of the other.
func hasEquality(j *tree.Join) bool {
	for _, s := range conjuncts(j.On) {
		c, ok := s.(*tree.Call)
		if !ok || c.Func.Name != "=" && c.Func.Name != "<=>" {
			continue
		}
		a, b := onlySide(c.Args[0], j), onlySide(c.Args[1], j)
		if a != nil && b != nil && a != b {
			return true
		}
	}
	return false
}

// onlySide gives the side of a join that all columns of s are of, or nil.
func onlySide(s tree.Scalar, j *tree.Join) tree.Relation {
	var side tree.Relation
	one := true
	tree.Walk(s, func(n tree.Scalar) bool {
		if c, ok := n.(*tree.Column); ok {
			one = one && (side == nil || side == c.Rel)
			side = c.Rel
		}
		return true
	})
	if !one {
		return nil
	}
	return side
}

// boundsState tells whether the condition lets the watermark of one side bound how long rows of the kept side are waited for: an inequality
// that gives the other side's event time an upper bound by a time of the kept side.
func boundsState(j *tree.Join, kept, other tree.Relation) bool {
	for _, s := range conjuncts(j.On) {
		c, ok := s.(*tree.Call)
		if !ok {
			continue
		}
		var cmp []([2]tree.Scalar) // small, great
		switch c.Func.Name {
		case "<", "<=":
			cmp = [][2]tree.Scalar{{c.Args[0], c.Args[1]}}
		case ">", ">=":
			cmp = [][2]tree.Scalar{{c.Args[1], c.Args[0]}}
		case "between":
			cmp = [][2]tree.Scalar{{c.Args[1], c.Args[0]}, {c.Args[0], c.Args[2]}}
		}
		for _, p := range cmp {
			if timeColumn(p[0], other, true) && timeColumn(p[1], kept, false) {
				return true
			}
		}
	}
	return false
}

// timeColumn tells whether s is a time stamp of rel's, shifted by constants at most; with a watermark if asked.
func timeColumn(s tree.Scalar, rel tree.Relation, watermarked bool) bool {
	switch x := s.(type) {
	case *tree.Column:
		f := x.Field()
		return x.Rel == rel && catalog.FamilyOf(f.Type) == catalog.TimestampFamily && (!watermarked || f.Watermark != nil)
	case *tree.Call:
		if x.Func.Name == "timestamp_add" || x.Func.Name == "timestamp_sub" {
			_, constant := x.Args[1].(*tree.Literal)
			return constant && timeColumn(x.Args[0], rel, watermarked)
		}
	case *tree.Cast:
		return x.Implicit && timeColumn(x.Arg, rel, watermarked)
	case *tree.GetField:
		c, ok := x.Arg.(*tree.Column)
		return ok && c.Rel == rel && x.Type().Kind() == datatype.KindTimestamp && (!watermarked || c.Field().Watermark != nil)
	}
	return false
}
