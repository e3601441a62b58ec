package expr

import (
	"slices"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// MatchSpec is what [Table.MatchRecognize] looks for: package pattern has the words that make one.
type MatchSpec struct {
	// PartitionBy are names or values, each combination of which is looked at by itself; none for the whole table.
	PartitionBy []any
	// OrderBy is the name of the time column, or the column.
	OrderBy any
	Pattern *tree.Pattern
	// Define are the conditions of variables.
	Define []Definition
	// Measures are the columns of the result behind the keys.
	Measures []Value
	// Within bounds a match from its first row to its last; 0 for no bound.
	Within time.Duration
	Skip   tree.SkipMode
	// SkipTo is the variable of the skip modes that have one.
	SkipTo string
}

// Definition is the condition of a variable of a pattern.
type Definition struct {
	Variable string
	Is       BooleanValue
}

// PatternLimit is how many rows a pattern may name when its repetitions are written out.
const PatternLimit = 1000

// MatchRecognize finds runs of rows that follow a pattern: what package pattern builds on. The result has a row for each match, with the keys and the measures. Rows without a time are left
// out, rows of one time are in the order in which they came, and a match without rows is none.
//
// The local engine alone runs it, in batches and streams; a stream needs a watermark on the time and a bound on the match.
func (t Table) MatchRecognize(s MatchSpec) Table {
	at := condition.Here(1)
	t = t.ready(at)
	m := &matcher{at: at}
	g := t.groupBy(at, s.PartitionBy)
	if g.sets != nil {
		m.refuse("Name plain columns.", "PartitionBy has grouping sets.")
	}
	for _, k := range g.keys {
		if tree.TimeWindow(k.Expr) != nil {
			m.refuse("Make a column of the window with Mutate and partition by that.", "PartitionBy has a window.")
		}
	}
	if len(g.table.errs) > 0 {
		return g.table.then(m.errs, func() tree.Relation { return t.rel })
	}
	m.pattern(s)
	rows := t.withVariable(at)
	x := &tree.Match{Node: tree.Node{At: at}, Input: rows.rel, Time: m.time(t, s.OrderBy), Pattern: s.Pattern, Within: s.Within, Skip: s.Skip, SkipTo: s.SkipTo}
	if len(t.rel.Schema().Lookup(tree.VariableColumn)) > 0 {
		m.refuse("Rename it.", "The table has a column named %s, as that of the variables is.", tree.VariableColumn)
	}
	b := &binder{inputs: []tree.Relation{rows.rel}}
	keys := make([]any, len(g.keys))
	for i, k := range g.keys {
		keys[i] = AnyValue{value{node: k.Expr}}
	}
	nodes, errs := rows.bindWith(b, at, keys)
	m.errs = merge(m.errs, errs)
	var fields []tree.Field
	add := func(f tree.Field, pos condition.Pos) {
		if slices.ContainsFunc(fields, func(o tree.Field) bool { return datatype.FoldName(o.Name) == datatype.FoldName(f.Name) }) {
			e := condition.Newf(condition.ColumnAlreadyExists, "The result would have two columns named %s.", datatype.QuoteName(f.Name))
			e.Pos, e.Hint = pos, "Name one of them with As."
			m.report(e)
		}
		fields = append(fields, f)
	}
	for i, n := range nodes {
		x.Keys = append(x.Keys, tree.Named{Name: g.keys[i].Name, Expr: n})
		add(tree.Field{Name: g.keys[i].Name, Type: n.Type(), Nullable: n.Nullable()}, n.Pos())
	}
	for _, d := range s.Define {
		n := m.bind(rows, b, d.Is)
		if k := n.Type().Kind(); k != datatype.KindBoolean && k != datatype.KindNull && k != datatype.KindInvalid {
			e := condition.Newf(condition.FilterNotBoolean, "The condition %s is %s, not BOOLEAN.", tree.String(n), n.Type())
			e.Pos = n.Pos()
			m.report(e)
		}
		x.Defines = append(x.Defines, tree.Named{Name: d.Variable, Expr: n})
	}
	for _, v := range s.Measures {
		n, name := columnName(m.bind(rows, b, v))
		x.Measures = append(x.Measures, tree.Named{Name: name, Expr: n})
		add(tree.Field{Name: name, Type: n.Type(), Nullable: !isCount(n)}, n.Pos())
	}
	if len(fields) == 0 {
		m.refuse("Give Measures a value, such as pattern.First(a, column).", "The result would have no column.")
	}
	for _, d := range append(slices.Clone(x.Defines), x.Measures...) {
		m.check(d.Expr, s.Pattern, rows.rel)
	}
	return t.then(m.errs, func() tree.Relation {
		x.Out = tree.NewSchema(fields)
		return x
	})
}

func isCount(s tree.Scalar) bool {
	c, ok := s.(*tree.Call)
	return ok && c.Func.Name == "count"
}

// withVariable is the table with a last column for the variables of rows.
func (t Table) withVariable(at condition.Pos) Table {
	p := &tree.Project{Node: tree.Node{At: at}, Input: t.rel}
	var fields []tree.Field
	for i, f := range t.rel.Schema().Fields() {
		p.Columns = append(p.Columns, tree.Named{Name: f.Name, Expr: &tree.Column{Rel: t.rel, Ordinal: i, At: at}})
		fields = append(fields, f)
	}
	p.Columns = append(p.Columns, tree.Named{Name: tree.VariableColumn, Expr: &tree.Literal{Value: "", Typ: datatype.String}})
	p.Out = tree.NewSchema(append(fields, tree.Field{Name: tree.VariableColumn, Type: datatype.String}))
	return Table{rel: p}
}

// matcher checks what a pattern was given.
type matcher struct {
	at   condition.Pos
	errs []*condition.Error
}

func (m *matcher) report(e *condition.Error) {
	if e.Pos == (condition.Pos{}) {
		e.Pos = m.at
	}
	e.Operator = "MatchRecognize"
	m.errs = append(m.errs, e)
}

func (m *matcher) refuse(hint, format string, args ...any) {
	e := condition.Newf(condition.InvalidValue, format, args...)
	e.Hint = hint
	m.report(e)
}

// bind binds a condition or a measure.
func (m *matcher) bind(rows Table, b *binder, v Value) tree.Scalar {
	if v == nil {
		m.refuse("Give a value of the table.", "A value of the pattern is nil.")
		return &tree.Bad{At: m.at}
	}
	nodes, errs := rows.bindWith(b, m.at, []any{v})
	m.errs = merge(m.errs, errs)
	if len(nodes) == 0 {
		return &tree.Bad{At: m.at}
	}
	return nodes[0]
}

// time finds the column by which rows are in order.
func (m *matcher) time(t Table, by any) int {
	if by == nil {
		m.refuse("Name the time column in OrderBy.", "The pattern has no order.")
		return -1
	}
	nodes, errs := t.args(m.at, []any{by})
	m.errs = merge(m.errs, errs)
	if len(errs) > 0 || len(nodes) != 1 {
		return -1
	}
	n, _ := tree.StripAlias(nodes[0])
	c, ok := n.(*tree.Column)
	if !ok {
		m.refuse("Make a column of it with Mutate first.", "The order %s is no column.", tree.String(n))
		return -1
	}
	if k := c.Type().Kind(); k != datatype.KindTimestamp && k != datatype.KindTimestampNTZ {
		e := condition.Newf(condition.DatatypeMismatch, "Rows are in the order of a TIMESTAMP or TIMESTAMP_NTZ, and %s is %s.", datatype.QuoteName(c.Field().Name), c.Type())
		e.Hint = "Order by the time of the rows, or cast the column with Mutate first."
		m.report(e)
	}
	return c.Ordinal
}

// pattern checks what needs no table.
func (m *matcher) pattern(s MatchSpec) {
	if s.Pattern == nil {
		m.refuse("Give Pattern variables, such as a, b.OneOrMore().", "The pattern is empty.")
		return
	}
	known := s.Pattern.Variables()
	if slices.Contains(known, "") {
		m.refuse("Name it, as with pattern.Var.", "A variable of the pattern has no name.")
	}
	seen := map[string]bool{}
	for _, d := range s.Define {
		switch {
		case !slices.Contains(known, d.Variable):
			m.refuse("Use it in Pattern, or leave its Define out.", "The variable %s has a condition and is not in the pattern %s.", datatype.QuoteName(d.Variable), s.Pattern)
		case seen[d.Variable]:
			m.refuse("Join them with And.", "The variable %s has two conditions.", datatype.QuoteName(d.Variable))
		}
		seen[d.Variable] = true
	}
	if s.Skip > tree.SkipToLast {
		m.refuse("Use a method of the builder.", "There is no skip mode %d.", s.Skip)
	}
	if to := s.Skip == tree.SkipToFirst || s.Skip == tree.SkipToLast; to && !slices.Contains(known, s.SkipTo) {
		m.refuse("Name a variable of the pattern.", "The search is to skip to %s, which is not in the pattern %s.", datatype.QuoteName(s.SkipTo), s.Pattern)
	}
	if s.Within < 0 || s.Within%time.Microsecond != 0 {
		m.refuse("Give a time.Duration of whole microseconds above zero.", "The bound %v of the match is no such time.", s.Within)
	}
	if n := size(s.Pattern); n > PatternLimit {
		m.refuse("Count the rows with an aggregate in a condition instead.", "The pattern names more than %d rows when its repetitions are written out.", PatternLimit)
	}
}

// size is how many rows a pattern names when its repetitions are written out, at most one more than the limit.
func size(p *tree.Pattern) int {
	n := 0
	if p.Kind == tree.PatternVariable {
		n = 1
	}
	for _, x := range p.Parts {
		n = min(n+size(x), PatternLimit+1)
	}
	if p.Kind == tree.PatternRepeat {
		times := max(p.Min, p.Max, 1)
		if times > PatternLimit {
			return PatternLimit + 1
		}
		if p.Max < 0 {
			times = p.Min + 1
		}
		n = min(n*times, PatternLimit+1)
	}
	return n
}

// check refuses what a condition or measure cannot have.
func (m *matcher) check(s tree.Scalar, p *tree.Pattern, rows tree.Relation) {
	variable := rows.Schema().Len() - 1
	refuse := func(x tree.Scalar, hint, format string, args ...any) {
		e := condition.Newf(condition.Unsupported, format, args...)
		e.Pos, e.Hint = x.Pos(), hint
		m.report(e)
	}
	var visit func(s tree.Scalar, inside bool)
	visit = func(s tree.Scalar, inside bool) {
		switch x := s.(type) {
		case *tree.Over:
			refuse(x, "Use aggregates over a variable's rows, or pattern.Prev; or Mutate before.", "A pattern has no window expression such as %s.", tree.String(x))
			return
		case *tree.Subquery:
			refuse(x, "Join its table before.", "A pattern has no subquery.")
			return
		case *tree.Call:
			m.variable(x, variable, p)
			switch {
			case x.Func.NonDeterministic:
				refuse(x, "Make a column of it before, where it is computed once.", "%s is another value each time it is computed.", tree.String(x))
			case x.Func.Kind == catalog.Aggregate && inside:
				e := condition.Newf(condition.NestedAggregate, "%s stands in an aggregate or in pattern.Prev.", tree.String(x))
				e.Pos, e.Hint = x.At, "Compare it by itself."
				m.report(e)
			case x.Func.Kind == catalog.Window && (inside || x.Func.Name != "lag" || x.IgnoreNulls || !lagged(x)):
				refuse(x, "Use pattern.Prev with a constant number of rows above zero.", "%s is no look back over a fixed number of rows.", tree.String(x))
			case x.Func.Kind == catalog.TimeWindow || x.Func.Kind == catalog.Generator || x.Func.Kind == catalog.Grouping:
				refuse(x, "Make a column of it with Mutate before.", "A pattern has no %s.", strings.ReplaceAll(x.Func.Name, "_", " "))
			}
			inside = inside || x.Func.Kind == catalog.Aggregate || x.Func.Kind == catalog.Window
		}
		for _, c := range tree.Children(s) {
			visit(c, inside)
		}
	}
	visit(s, false)
}

// lagged tells whether a lag's offset is a literal above zero, and its default a literal.
func lagged(x *tree.Call) bool {
	for i, a := range x.Args[1:] {
		for {
			c, ok := a.(*tree.Cast)
			if !ok {
				break
			}
			a = c.Arg
		}
		l, ok := a.(*tree.Literal)
		if !ok {
			return false
		}
		if n, ok := l.Value.(int64); i == 0 && (!ok || n < 1) {
			return false
		}
	}
	return true
}

// variable refuses a comparison of the variables' column with a name that is none.
func (m *matcher) variable(x *tree.Call, column int, p *tree.Pattern) {
	if x.Func.Name != "=" || p == nil {
		return
	}
	for i, a := range x.Args {
		c, ok := a.(*tree.Column)
		l, isLiteral := x.Args[1-i].(*tree.Literal)
		if !ok || !isLiteral || c.Ordinal != column {
			continue
		}
		if name, ok := l.Value.(string); ok && !slices.Contains(p.Variables(), name) {
			m.refuse("Use a variable of the pattern.", "The variable %s is asked for and is not in the pattern %s.", datatype.QuoteName(name), p)
		}
	}
}
