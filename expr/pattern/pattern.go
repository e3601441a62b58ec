// Package pattern finds runs of rows that follow a pattern, per key and in the order of their times: the core of SQL's MATCH_RECOGNIZE, with one row per match.
//
//	start, down, up := pattern.Var("start"), pattern.Var("down"), pattern.Var("up")
//	price, at := ticks.Num("price"), ticks.Timestamp("at")
//
//	dips := pattern.In(ticks.Watermark("at", 10*time.Second)).
//		PartitionBy("symbol").
//		OrderBy("at").
//		Pattern(start, down.OneOrMore(), up.OneOrMore()).
//		Define(down, price.Lt(pattern.Prev(price))).
//		Define(up, price.Gt(pattern.Prev(price))).
//		Within(time.Hour).
//		Measures(pattern.First(start, at).As("since"), pattern.Last(down, price).As("bottom"), pattern.Count(up).As("ups"))
//
// The local engine alone runs it, as a batch and as a stream, with the same matches.
package pattern

import (
	"slices"
	"time"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/internal/absent"
)

// Variable stands for a row of a match. Its condition is given by [Builder.Define]; without one every row will do. The zero value is a variable without a name, which
// is a mistake where it is used.
type Variable struct{ name string }

// Var is a variable of a name, which is told in plans and messages.
func Var(name string) Variable { return Variable{name} }

// Term is a part of a pattern: a variable, a repetition, a sequence or a choice.
type Term interface {
	part() *tree.Pattern
}

// Repeated is a part of a pattern that comes some number of times: as often as it can, or with Reluctant as seldom.
type Repeated struct{ p *tree.Pattern }

// Group is a sequence or a choice: what [Seq] and [Or] give.
type Group struct{ p *tree.Pattern }

func (v Variable) part() *tree.Pattern {
	return &tree.Pattern{Kind: tree.PatternVariable, Variable: v.name}
}

func (r Repeated) part() *tree.Pattern { return r.p }

func (g Group) part() *tree.Pattern { return g.p }

// parts leaves out what is nil or was never made.
func parts(terms []Term) []*tree.Pattern {
	var out []*tree.Pattern
	for _, t := range terms {
		if absent.Is(t) {
			continue
		}
		if p := t.part(); p != nil {
			out = append(out, p)
		}
	}
	return out
}

// Seq is its terms, one behind the other.
func Seq(terms ...Term) Group { return Group{together(tree.PatternSequence, terms)} }

// Or is one of its terms: the first that leads to a match.
func Or(terms ...Term) Group { return Group{together(tree.PatternChoice, terms)} }

func together(kind tree.PatternKind, terms []Term) *tree.Pattern {
	list := parts(terms)
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	return &tree.Pattern{Kind: kind, Parts: list}
}

func repeat(p *tree.Pattern, least, most int) Repeated {
	if p == nil {
		return Repeated{}
	}
	return Repeated{&tree.Pattern{Kind: tree.PatternRepeat, Parts: []*tree.Pattern{p}, Min: least, Max: most}}
}

// between keeps bounds that are none, which MatchRecognize would not see, as an empty range.
func between(p *tree.Pattern, least, most int) Repeated {
	least = max(least, 0)
	return repeat(p, least, max(most, least))
}

// Optional is none or one row: ? in SQL.
func (v Variable) Optional() Repeated { return repeat(v.part(), 0, 1) }

// ZeroOrMore is any number of rows: * in SQL.
func (v Variable) ZeroOrMore() Repeated { return repeat(v.part(), 0, -1) }

// OneOrMore is a row or more: + in SQL.
func (v Variable) OneOrMore() Repeated { return repeat(v.part(), 1, -1) }

// Times is exactly so many rows: {n} in SQL. A number below zero is 0.
func (v Variable) Times(n int) Repeated { return between(v.part(), n, n) }

// Between is at least so many rows and at most so many: {n,m} in SQL. A number below zero is 0, and a greatest number below the least is the least.
func (v Variable) Between(least, most int) Repeated { return between(v.part(), least, most) }

// AtLeast is so many rows or more: {n,} in SQL. A number below zero is 0.
func (v Variable) AtLeast(n int) Repeated { return repeat(v.part(), max(n, 0), -1) }

// Optional is the group once or not at all: ? in SQL.
func (g Group) Optional() Repeated { return repeat(g.p, 0, 1) }

// ZeroOrMore is the group any number of times: * in SQL.
func (g Group) ZeroOrMore() Repeated { return repeat(g.p, 0, -1) }

// OneOrMore is the group once or more: + in SQL.
func (g Group) OneOrMore() Repeated { return repeat(g.p, 1, -1) }

// Times is the group exactly so many times: {n} in SQL. A number below zero is 0.
func (g Group) Times(n int) Repeated { return between(g.p, n, n) }

// Between is the group at least so many times and at most so many: {n,m} in SQL. A number below zero is 0, and a greatest number below the least is the least.
func (g Group) Between(least, most int) Repeated { return between(g.p, least, most) }

// AtLeast is the group so many times or more: {n,} in SQL. A number below zero is 0.
func (g Group) AtLeast(n int) Repeated { return repeat(g.p, max(n, 0), -1) }

// Reluctant takes as few as will do, where else as many as can be are taken: a ? behind the quantifier in SQL.
func (r Repeated) Reluctant() Repeated {
	if r.p == nil {
		return r
	}
	p := *r.p
	p.Reluctant = true
	return Repeated{&p}
}

// is tells whether a row stands for the variable.
func (v Variable) is() expr.BooleanValue { return expr.Str(tree.VariableColumn).Eq(v.name) }

// Prev is the value of the row before, or so many rows before, in the match; null where the match begins behind that. So the first row of a match has none.
func Prev[V expr.Family[V]](v V, rows ...int) V {
	n := 1
	if len(rows) > 0 {
		n = rows[0]
	}
	return expr.Call[V]("lag", v, n)
}

// First is the value of the first row of the match that stands for a variable, null where none does. In a condition these are the rows up to the one that is asked.
func First[V expr.Family[V]](of Variable, v V) V { return Of(of, expr.Call[V]("first", v)) }

// Last is the value of the last row of the match that stands for a variable, null where none does. In a condition these are the rows up to the one that is asked.
func Last[V expr.Family[V]](of Variable, v V) V { return Of(of, expr.Call[V]("last", v)) }

// Count is the number of rows of the match that stand for a variable. In a condition these are the rows up to the one that is asked.
func Count(of Variable) expr.NumericValue { return Of(of, expr.Count()) }

// Of restricts an aggregate, such as price.Sum(), to the rows that stand for a variable. An aggregate by itself is over all rows of the match. In a condition these are the rows up
// to the one that is asked, it included.
func Of[V expr.Family[V]](of Variable, aggregate V) V { return expr.Where(aggregate, of.is()) }

// Classifier is the name of the variable that a row stands for: in a measure that of the match's last row.
func Classifier() expr.StringValue { return expr.Str(tree.VariableColumn) }

// Builder gathers what is looked for. It is immutable: every method gives a new one. The zero value is an error where it is used.
type Builder struct {
	table expr.Table
	spec  expr.MatchSpec
}

// In begins the search for a pattern in the rows of a table.
func In(table expr.Table) Builder { return Builder{table: table} }

// PartitionBy looks at the rows of each combination of some columns by itself: names or values. Null equals null. The result begins with them.
func (b Builder) PartitionBy(keys ...any) Builder {
	b.spec.PartitionBy = append(slices.Clip(b.spec.PartitionBy), keys...)
	return b
}

// OrderBy names the time column, TIMESTAMP or TIMESTAMP_NTZ, in whose order the rows are looked at. Rows of one time are in the order in which they came; rows without a time are left out. In a
// stream it is the column with the watermark, and late rows are dropped and counted.
func (b Builder) OrderBy(time any) Builder { b.spec.OrderBy = time; return b }

// Pattern is what a match is: terms one behind the other, for rows one behind the other. Of several matches that begin with a row the one counts that comes first when each choice, in the order
// of the pattern, is taken in its order: greedy repetitions first go on, reluctant ones first end, and [Or] takes its terms in turn.
func (b Builder) Pattern(terms ...Term) Builder {
	b.spec.Pattern = together(tree.PatternSequence, terms)
	return b
}

// Define is the condition of a variable. Columns are those of the row that is asked whether it may stand for the variable; aggregates ([First], [Last], [Count], [Of]) are over the rows of the
// match up to this one, which counts for the variable; [Prev] looks back in the match.
func (b Builder) Define(v Variable, is expr.BooleanValue) Builder {
	b.spec.Define = append(slices.Clip(b.spec.Define), expr.Definition{Variable: v.name, Is: is})
	return b
}

// Within is the greatest time from the first row of a match to its last. A stream needs it: what is waited for is bounded by it and the watermark.
func (b Builder) Within(d time.Duration) Builder { b.spec.Within = d; return b }

// SkipPastLastRow goes on behind the last row of a match: matches have no row in common. It is the default.
func (b Builder) SkipPastLastRow() Builder { return b.skip(tree.SkipPastLastRow, "") }

// SkipToNextRow goes on with the second row of a match.
func (b Builder) SkipToNextRow() Builder { return b.skip(tree.SkipToNextRow, "") }

// SkipToFirst goes on with the first row that stands for a variable; where that is the first row of the match, or there is none, with the second row of the match.
func (b Builder) SkipToFirst(v Variable) Builder { return b.skip(tree.SkipToFirst, v.name) }

// SkipToLast goes on with the last row that stands for a variable; where that is the first row of the match, or there is none, with the second row of the match.
func (b Builder) SkipToLast(v Variable) Builder { return b.skip(tree.SkipToLast, v.name) }

func (b Builder) skip(mode tree.SkipMode, to string) Builder {
	b.spec.Skip, b.spec.SkipTo = mode, to
	return b
}

// Measures is the table of matches: a row for each, with the partition's columns and these values over its rows. A column by itself is that of the last row.
func (b Builder) Measures(values ...expr.Value) expr.Table {
	b.spec.Measures = values
	return b.table.MatchRecognize(b.spec)
}
