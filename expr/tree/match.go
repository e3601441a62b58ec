package tree

import (
	"strconv"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// PatternKind is the kind of a part of a pattern.
type PatternKind uint8

// The kinds.
const (
	// PatternVariable is one row that the variable's condition is true for.
	PatternVariable PatternKind = iota
	// PatternSequence is its parts, one behind the other.
	PatternSequence
	// PatternChoice is one of its parts, the first that leads to a match.
	PatternChoice
	// PatternRepeat is its one part again and again.
	PatternRepeat
)

// Pattern is a part of the pattern of a [Match].
type Pattern struct {
	Kind     PatternKind
	Variable string
	Parts    []*Pattern
	// Min and Max bound the times of a repetition; Max is -1 for any number. It takes as many as it can, or with Reluctant as few.
	Min, Max  int
	Reluctant bool
}

// String prints the pattern as SQL does.
func (p *Pattern) String() string { return p.text(false) }

func (p *Pattern) text(inside bool) string {
	parts := make([]string, len(p.Parts))
	for i, x := range p.Parts {
		parts[i] = x.text(true)
	}
	out := ""
	switch p.Kind {
	case PatternVariable:
		return datatype.QuoteName(p.Variable)
	case PatternRepeat:
		out = parts[0]
		switch {
		case p.Min == 0 && p.Max == 1:
			out += "?"
		case p.Min == 0 && p.Max < 0:
			out += "*"
		case p.Min == 1 && p.Max < 0:
			out += "+"
		case p.Min == p.Max:
			out += "{" + strconv.Itoa(p.Min) + "}"
		case p.Max < 0:
			out += "{" + strconv.Itoa(p.Min) + ",}"
		default:
			out += "{" + strconv.Itoa(p.Min) + "," + strconv.Itoa(p.Max) + "}"
		}
		if p.Reluctant {
			out += "?"
		}
		return out
	case PatternChoice:
		out = strings.Join(parts, " | ")
	case PatternSequence:
		out = strings.Join(parts, " ")
	}
	if inside {
		return "(" + out + ")"
	}
	return out
}

// Variables gives the names of a pattern's variables, each once, in the order of the pattern.
func (p *Pattern) Variables() []string {
	var out []string
	seen := map[string]bool{}
	var visit func(*Pattern)
	visit = func(p *Pattern) {
		if p.Kind == PatternVariable && !seen[p.Variable] {
			seen[p.Variable] = true
			out = append(out, p.Variable)
		}
		for _, x := range p.Parts {
			visit(x)
		}
	}
	visit(p)
	return out
}

// SkipMode says where the search goes on behind a match.
type SkipMode uint8

// The modes.
const (
	SkipPastLastRow SkipMode = iota
	SkipToNextRow
	SkipToFirst
	SkipToLast
)

// String gives the words of SQL, without the variable.
func (m SkipMode) String() string {
	return [...]string{"PAST LAST ROW", "TO NEXT ROW", "TO FIRST", "TO LAST"}[m]
}

// VariableColumn is the name of the last column of a [Match]'s input, which has the variable that a row of a match stands for.
const VariableColumn = "(variable)"

// Match finds runs of rows that follow a pattern, per key and in the order of a time: SQL's MATCH_RECOGNIZE with one row per match. The output is the keys, then the measures.
//
// Conditions and measures are over the input. A column in a condition is that of the row that it is asked of, in a measure that of the match's last row. An aggregate is over the rows of
// the match up to there, whose variables are in the input's last column; lag looks back within the match.
type Match struct {
	Node
	// Input has a last column named VariableColumn.
	Input Relation
	Keys  []Named
	// Time is the column by which rows are in order.
	Time    int
	Pattern *Pattern
	// Defines are the conditions by the variables' names; a variable without one is true for every row.
	Defines  []Named
	Measures []Named
	// Within is the greatest time from the first row of a match to its last; 0 for any.
	Within time.Duration
	Skip   SkipMode
	// SkipTo is the variable of SkipToFirst and SkipToLast.
	SkipTo string
}

// Inputs implements [Relation].
func (r *Match) Inputs() []Relation { return []Relation{r.Input} }

// Text prints a match without its keys, with another print of expressions.
func (r *Match) Text(text func(Scalar) string) string {
	out := "PATTERN (" + r.Pattern.String() + ")"
	if r.Within > 0 {
		out += " WITHIN " + r.Within.String()
	}
	out += " SKIP " + r.Skip.String()
	if r.SkipTo != "" {
		out += " " + datatype.QuoteName(r.SkipTo)
	}
	for i, d := range r.Defines {
		out += pickText(i == 0, " DEFINE ", ", ") + datatype.QuoteName(d.Name) + " AS " + text(d.Expr)
	}
	for i, m := range r.Measures {
		out += pickText(i == 0, " MEASURES ", ", ") + text(m.Expr) + " AS " + datatype.QuoteName(m.Name)
	}
	return out
}

func pickText(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}
