package sparksql

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Names gives the text that stands for a relation which is not printed itself: a view that the program made before. ok is false
// where the relation is to be printed.
type Names func(r tree.Relation) (name string, ok bool)

// Relation prints the query that gives r.
func Relation(r tree.Relation, names Names) string {
	p := &printer{names: names, ctes: map[tree.Relation]string{}, taken: map[string]bool{}}
	p.share(r)
	text := p.query(r).text()
	if len(p.with) == 0 {
		return finish(text)
	}
	var b strings.Builder
	b.WriteString("WITH ")
	for i, c := range p.with {
		if i > 0 {
			b.WriteString(",\n")
		}
		b.WriteString(c.name + " AS (\n" + indent(c.text) + "\n)")
	}
	b.WriteString("\n" + text)
	return finish(b.String())
}

type printer struct {
	// used are the names under which FROM clauses were printed, in order; outer are the columns of the outside that the subquery being printed
	// may use.
	used  []string
	outer func(o *tree.Outer) string
	texts []string // the user's own texts, in lower case: names that are made up must not be in them
	names Names
	ctes  map[tree.Relation]string // relations that are shared, with their names
	with  []cte
	taken map[string]bool // names of CTEs and sources, folded
	alias int
}

type cte struct{ name, text string }

// share finds the relations that are reached more than once and prints them as common table expressions, inputs first. Leaves and
// what prints as one are not worth a name.
func (p *printer) share(root tree.Relation) {
	count := map[tree.Relation]int{}
	var visit func(r tree.Relation)
	var order []tree.Relation
	visit = func(r tree.Relation) {
		r = p.skip(r)
		count[r]++
		if count[r] > 1 {
			return
		}
		if name, ok := p.names(r); ok {
			p.taken[datatype.FoldName(name)] = true
			return
		}
		if t, ok := r.(*tree.Table); ok {
			p.taken[datatype.FoldName(t.Name[len(t.Name)-1])] = true
		}
		for _, in := range r.Inputs() {
			visit(in)
		}
		for _, q := range tree.Subqueries(tree.Scalars(r)...) {
			visit(q.Rel)
		}
		p.note(r)
		order = append(order, r)
	}
	visit(root)
	n := 0
	for _, r := range order {
		if _, leaf := p.names(r); leaf || count[r] < 2 || len(tree.FreeOuters(r)) > 0 {
			continue
		}
		if _, table := r.(*tree.Table); table {
			continue
		}
		name := ""
		for name == "" || p.taken[name] || p.inTexts(name) {
			n++
			name = fmt.Sprintf("t%d", n)
		}
		p.taken[name] = true
		text := p.query(r).text()
		p.ctes[r] = name
		p.with = append(p.with, cte{name, text})
	}
}

// skip passes the relations that print as their input.
func (p *printer) skip(r tree.Relation) tree.Relation {
	for {
		if _, ok := p.names(r); ok {
			return r
		}
		switch x := r.(type) {
		case *tree.View:
			r = x.Input
		case *tree.Watermark:
			r = x.Input
		case *tree.Bind:
			r = x.Input
		default:
			return r
		}
	}
}

// block is one SELECT under construction.
type block struct {
	rel   tree.Relation // the relation whose rows it gives
	from  string
	alias string   // the name by which from is known; "" for none
	cols  []string // how each column of rel is written inside this SELECT; for a grouped or selected one, its expression
	items []item   // the select list; nil means every column as it is
	// simple: every column of rel is a column of from, so that WHERE and GROUP BY can name it.
	simple       bool
	where        []string
	group        []string
	grouped      bool
	sets         bool     // of grouping sets
	havingKeys   []string // the keys that HAVING of grouping sets names, which Spark finds in the select list only
	having       []string
	windows      []windowDef // of the WINDOW clause
	under        scope       // of an aggregation: how the columns below it are written
	distinct     bool
	order, limit string
	body         string // a whole query (a set operation) instead of a SELECT
	set          string // the words of the body's set operation; "" for a body of another kind
	// generator: the list has an explode, which makes rows; the list must stay as it is.
	generator bool
	// volatile tells that a condition of where may be another one each time that it is looked at.
	volatile bool
	// told: subqueries within name columns of from by its alias.
	told bool
	// joined is set where from is a chain of joins, to which another may be added.
	joined *chain
	// loose: the columns of from are those of rel by name, but perhaps in another order, so * would not do.
	loose bool
}

type item struct{ expr, name string }

func (b *block) text() string {
	if b.body != "" {
		return b.body + b.tail()
	}
	var s strings.Builder
	s.WriteString("SELECT")
	if b.distinct {
		s.WriteString(" DISTINCT")
	}
	if b.items == nil && b.loose {
		for i, f := range b.rel.Schema().Fields() {
			b.items = append(b.items, item{b.cols[i], f.Name})
		}
	}
	if b.items == nil {
		s.WriteString(" *")
	} else {
		lines := make([]string, len(b.items))
		total := 0
		for i, it := range b.items {
			lines[i] = it.String()
			total += len(lines[i]) + 2
		}
		if total <= 80 {
			s.WriteString(" " + strings.Join(lines, ", "))
		} else {
			s.WriteString("\n  " + strings.Join(lines, ",\n  "))
		}
	}
	if b.from != "" {
		s.WriteString("\nFROM " + b.from)
	}
	if len(b.where) > 0 {
		s.WriteString("\nWHERE " + strings.Join(b.where, "\n  AND "))
	}
	if len(b.group) > 0 {
		s.WriteString("\nGROUP BY " + strings.Join(b.group, ", "))
	}
	if len(b.having) > 0 {
		s.WriteString("\nHAVING " + strings.Join(b.having, "\n  AND "))
	}
	clause := "\nWINDOW "
	for _, w := range b.windows {
		// A choice of columns may have left out all that use a window.
		for _, it := range b.items {
			if strings.Contains(it.expr, " OVER "+w.name) {
				s.WriteString(clause + w.name + " AS (" + w.spec + ")")
				clause = ",\n  "
				break
			}
		}
	}
	return s.String() + b.tail()
}

func (b *block) tail() string {
	s := ""
	if b.limit == whole {
		return ""
	}
	if b.order != "" {
		s += "\nORDER BY " + b.order
	}
	return s + b.limit
}

func (i item) String() string {
	if i.expr == Quote(i.name) || strings.HasSuffix(i.expr, "."+Quote(i.name)) && !strings.ContainsAny(strings.TrimSuffix(i.expr, Quote(i.name)), "() ") {
		return i.expr
	}
	return i.expr + " AS " + Quote(i.name)
}

// open tells whether nothing was put on the block yet that fixes its rows: WHERE and GROUP BY may still be added.
func (b *block) open() bool {
	return b.body == "" && !b.grouped && !b.distinct && b.order == "" && b.limit == ""
}

// scope writes the columns of the block's relation. A column of another one, which only a tree that was never checked has, keeps the name of its
// own relation, so that Spark says so instead of taking a column that happens to be there.
func (b *block) scope() scope {
	return func(c *tree.Column) string {
		if c.Rel != b.rel {
			return Quote(tree.Name(c.Rel)) + "." + Quote(c.Field().Name)
		}
		if c.Ordinal < len(b.cols) {
			return b.cols[c.Ordinal]
		}
		return Quote(c.Field().Name)
	}
}

// output writes the columns of the block's relation by their names in the select list, for ORDER BY and HAVING.
func (b *block) output() scope {
	if b.items == nil {
		return b.scope()
	}
	return func(c *tree.Column) string { return Quote(b.items[c.Ordinal].name) }
}

// computed writes the columns of a grouped block by what computes them. Spark looks a name of HAVING up among the columns below the aggregation
// first, so the name of a result may mean something else there.
func (b *block) computed() scope {
	return func(c *tree.Column) string { return atomic(b.items[c.Ordinal].expr) }
}

// atomic puts an expression between parentheses unless it is a name, a literal or one call.
func atomic(text string) string {
	depth, quote := 0, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote == 0 && c == rawBegin:
			i += strings.IndexByte(text[i:], rawEnd)
		case quote == '\'' && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '`' || c == '\'':
			quote = c
		case c == '(':
			depth++
		case c == ')':
			depth--
		case depth == 0 && strings.IndexByte(" +-*/%|&^<>=", c) >= 0:
			return "(" + text + ")"
		}
	}
	return text
}

// source makes a block that reads from a table, view or CTE.
func (p *printer) source(r tree.Relation, name string) *block {
	b := &block{rel: r, from: name, alias: name, simple: true, loose: loose(r)}
	p.used = append(p.used, unquoted(name))
	own := name
	if t, ok := r.(*tree.Table); ok {
		own = Quote(t.Name[len(t.Name)-1])
	}
	for _, f := range r.Schema().Fields() {
		q := Quote(f.Name)
		// A struct column that has the table's name would be read as the table in name.field: say which is meant.
		if datatype.FoldName(q) == datatype.FoldName(own) {
			q = name + "." + q
		}
		b.cols = append(b.cols, q)
	}
	return b
}

// loose tells a relation that reads files as they are: Spark puts the columns of partition folders last, and whether there are any shows only when
// the files are looked at.
func loose(r tree.Relation) bool {
	switch x := r.(type) {
	case *tree.Read:
		return x.Source.Path != "" && x.Source.Codec == nil && x.Source.Format != tree.TableFormat
	case *tree.Watermark:
		return loose(x.Input)
	case *tree.View:
		return loose(x.Input)
	case *tree.Bind:
		return loose(x.Input)
	case *tree.Deduplicate:
		return loose(x.Input)
	}
	return false
}

// nest makes the block a derived table of a new one.
func (p *printer) nest(b *block) *block {
	n := &block{rel: b.rel, from: "(\n" + indent(b.text()) + "\n)", simple: true}
	for _, f := range b.rel.Schema().Fields() {
		n.cols = append(n.cols, Quote(f.Name))
	}
	return n
}

// as gives the block under another relation with the same columns.
func (b *block) as(r tree.Relation) *block {
	c := *b
	c.rel = r
	if b.items != nil { // a view of a projection may have been renamed by nothing: names stay
		c.items = append([]item(nil), b.items...)
	}
	return &c
}

func (p *printer) query(r tree.Relation) *block {
	if name, ok := p.names(r); ok {
		return p.source(r, name)
	}
	if name, ok := p.ctes[r]; ok {
		return p.source(r, name)
	}
	switch x := r.(type) {
	case *tree.Read:
		return p.source(r, Quote(x.Name))
	case *tree.Table:
		parts := make([]string, len(x.Name))
		for i, n := range x.Name {
			parts[i] = Quote(n)
		}
		return p.source(r, strings.Join(parts, "."))
	case *tree.Values:
		return p.valuesBlock(x)
	case *tree.View, *tree.Watermark, *tree.Bind:
		return p.query(r.Inputs()[0]).as(r)
	case *tree.SQL:
		return p.sql(x)
	case *tree.Project:
		return p.project(x)
	case *tree.Filter:
		return p.filter(x)
	case *tree.Aggregate:
		return p.aggregate(x)
	case *tree.Join:
		return p.join(x)
	case *tree.AsofJoin:
		return p.asof(x)
	case *tree.Sort:
		b := p.query(x.Input)
		if b.order != "" || b.limit != "" {
			b = p.nest(b)
		}
		b, keys := p.embedKeys(b, x.Keys)
		order := sortKeys(keys, b.output())
		b = b.as(r)
		b.order = order
		return b
	case *tree.Limit:
		b := p.query(x.Input)
		if b.limit != "" {
			b = p.nest(b)
		}
		b = b.as(r)
		switch {
		case x.CountOf != nil:
			b.limit = "\nLIMIT " + scalar(x.CountOf, nil, 0)
		case x.Count >= 0:
			b.limit = fmt.Sprintf("\nLIMIT %d", x.Count)
		}
		switch {
		case x.OffsetOf != nil:
			b.limit += "\nOFFSET " + scalar(x.OffsetOf, nil, 0)
		case x.Offset > 0:
			b.limit += fmt.Sprintf("\nOFFSET %d", x.Offset)
		}
		return b
	case *tree.Sample:
		return p.sample(x)
	case *tree.Distinct:
		if u, ok := p.skip(x.Input).(*tree.Union); ok {
			if _, named := p.names(u); !named && p.ctes[u] == "" {
				return p.setOperation(u.Sides, "UNION").as(r)
			}
		}
		b := p.query(x.Input)
		if b.distinct || b.order != "" || b.limit != "" || b.body != "" {
			b = p.nest(b)
		}
		b = b.as(r)
		b.distinct = true
		return b
	case *tree.Union:
		return p.setOperation(x.Sides, "UNION ALL").as(r)
	case *tree.SetOperation:
		words := x.Kind.String()
		if x.All {
			words += " ALL"
		}
		return p.setOperation([]tree.Relation{x.Left, x.Right}, words).as(r)
	case *tree.Unnest:
		return p.unnest(x)
	case *tree.Deduplicate:
		b := p.nest(p.query(x.Input))
		return b.as(r)
	}
	return &block{rel: r, body: fmt.Sprintf("SELECT NULL /* %T */", r)}
}

func (p *printer) valuesBlock(v *tree.Values) *block {
	fields := v.Schema().Fields()
	b := &block{rel: v, simple: true}
	for _, f := range fields {
		b.cols = append(b.cols, Quote(f.Name))
	}
	if len(fields) == 0 {
		b.body = "SELECT 1 WHERE false"
		return b
	}
	if len(v.Rows) == 0 {
		for _, f := range fields {
			b.items = append(b.items, item{"CAST(NULL AS " + f.Type.String() + ")", f.Name})
		}
		b.where = []string{"false"}
		return p.nest(b)
	}
	rows := make([]string, len(v.Rows))
	for i, row := range v.Rows {
		cells := make([]string, len(row))
		for j, c := range row {
			cells[j] = scalar(c, nil, 0)
		}
		rows[i] = "(" + strings.Join(cells, ", ") + ")"
	}
	name := Quote(v.Name)
	if v.Name == "" {
		name = "t"
	}
	b.from = "VALUES " + strings.Join(rows, ", ") + " AS " + name + "(" + strings.Join(b.cols, ", ") + ")"
	if len(b.from) > 100 {
		b.from = "VALUES\n  " + strings.Join(rows, ",\n  ") + "\n  AS " + name + "(" + strings.Join(b.cols, ", ") + ")"
	}
	b.alias = name
	p.used = append(p.used, unquoted(name))
	return b
}

// columnsOnly tells whether each item is a column of the input as it is.
func columnsOnly(cols []tree.Named, input tree.Relation) bool {
	for _, c := range cols {
		e, _ := tree.StripAlias(c.Expr)
		if col, ok := e.(*tree.Column); !ok || col.Rel != input {
			return false
		}
	}
	return true
}

func (p *printer) project(x *tree.Project) *block {
	b := p.query(x.Input)
	pick := columnsOnly(x.Columns, x.Input)
	// A choice of columns can be made in the list that is there, except below DISTINCT, whose rows depend on all of them, and with an
	// order that names a column which the choice leaves out.
	kept := pick && b.keeps(x.Columns)
	switch {
	case b.body != "" || b.distinct || b.order != "" || b.limit != "" || b.generator || len(b.having) > 0 && !kept:
		b = p.nest(b)
	case !b.simple && !pick, b.grouped && !pick:
		b = p.nest(b)
	}
	b, columns := p.embedNamed(b, x.Columns)
	in := b.scope()
	out := b.as(x)
	out.items, out.cols, out.under = nil, nil, nil
	simple := b.simple && !b.grouped
	exprs := make([]tree.Scalar, len(columns))
	for i, c := range columns {
		exprs[i] = c.Expr
	}
	if !pick {
		exprs, out.windows = nameWindows(exprs, in)
	}
	for i, c := range columns {
		e, _ := tree.StripAlias(c.Expr)
		text := ""
		if col, ok := e.(*tree.Column); ok && col.Rel == x.Input && b.items != nil {
			text = b.items[col.Ordinal].expr
		} else {
			text = scalar(exprs[i], in, 0)
		}
		_, isColumn := e.(*tree.Column)
		simple = simple && isColumn
		out.items = append(out.items, item{text, c.Name})
		out.cols = append(out.cols, text)
	}
	out.simple = simple
	return out
}

// keeps tells whether a choice of columns has those that HAVING needs.
func (b *block) keeps(cols []tree.Named) bool {
	for _, key := range b.havingKeys {
		if !slices.ContainsFunc(cols, func(c tree.Named) bool {
			e, _ := tree.StripAlias(c.Expr)
			it := b.items[e.(*tree.Column).Ordinal]
			return it.expr == key && it.name == c.Name
		}) {
			return false
		}
	}
	return true
}

func (p *printer) filter(x *tree.Filter) *block {
	if over := overs(x.Cond); len(over) > 0 && len(tree.Subqueries(x.Cond)) > 0 {
		return p.filterBoth(x, over)
	}
	b, cond := p.embedFilter(p.query(x.Input), x)
	if cond != x.Cond {
		y := *x
		y.Cond = cond
		out := p.filterOn(b, &y)
		out.rel = x
		return out
	}
	return p.filterOn(b, x)
}

// filterOn prints a filter on the block of its input.
func (p *printer) filterOn(b *block, x *tree.Filter) *block {
	if over := overs(x.Cond); len(over) > 0 {
		return p.filterOver(b, x, over)
	}
	if b.grouped && !b.distinct && b.order == "" && b.limit == "" && len(b.group) > 0 {
		below := b
		b = b.as(x)
		cond, in := x.Cond, b.computed()
		if a, ok := x.Input.(*tree.Aggregate); ok && below.under != nil {
			// Straight above an aggregation, the condition is written as the user gave it.
			cond = tree.Rewrite(cond, func(s tree.Scalar) tree.Scalar {
				c, ok := s.(*tree.Column)
				switch {
				case !ok || c.Rel != tree.Relation(a):
					return s
				case c.Ordinal < len(a.Keys):
					if b.sets {
						b.havingKeys = append(b.havingKeys, b.items[c.Ordinal].expr)
					}
					return a.Keys[c.Ordinal].Expr
				}
				agg := a.Aggs[c.Ordinal-len(a.Keys)].Expr
				tree.Walk(agg, func(n tree.Scalar) bool {
					if g, ok := n.(*tree.Call); ok && g.Func.Kind == catalog.Grouping && len(g.Args) > 0 {
						b.havingKeys = append(b.havingKeys, scalar(g.Args[0], below.under, 0))
					}
					return true
				})
				return agg
			})
			in = below.under
		}
		b.having = append(append([]string(nil), b.having...), conjuncts(cond, in)...)
		return b
	}
	if !b.open() || !b.simple {
		b = p.nest(b)
	}
	where := append(append([]string(nil), b.where...), conjuncts(x.Cond, b.scope())...)
	b = b.as(x)
	b.where = where
	tree.Walk(x.Cond, func(s tree.Scalar) bool {
		if c, ok := s.(*tree.Call); ok {
			b.volatile = b.volatile || c.Func.NonDeterministic
		}
		return true
	})
	return b
}

func conjuncts(s tree.Scalar, in scope) []string {
	if c, ok := s.(*tree.Call); ok && c.Func.Name == "and" {
		return append(conjuncts(c.Args[0], in), conjuncts(c.Args[1], in)...)
	}
	return []string{scalar(s, in, precAnd)}
}

// precAnd is what a condition between ANDs must bind as tightly as.
const precAnd = 3

func overs(s tree.Scalar) []*tree.Over {
	var out []*tree.Over
	tree.Walk(s, func(n tree.Scalar) bool {
		if o, ok := n.(*tree.Over); ok {
			out = append(out, o)
			return false
		}
		return true
	})
	return out
}

// filterOver computes window functions in a derived table, since WHERE cannot hold them, and leaves their columns out again.
func (p *printer) filterOver(b *block, x *tree.Filter, over []*tree.Over) *block {
	if !b.open() || !b.simple || b.items != nil {
		b = p.nest(b)
	}
	inner := b.as(b.rel)
	inner.items = nil
	for i, f := range b.rel.Schema().Fields() {
		inner.items = append(inner.items, item{b.cols[i], f.Name})
	}
	names := map[tree.Scalar]string{}
	exprs := make([]tree.Scalar, len(over))
	for i, o := range over {
		exprs[i] = o
	}
	exprs, inner.windows = nameWindows(exprs, b.scope())
	// fields are the input's columns and the computed ones, each named after its function; equal ones are computed once.
	fields := append([]tree.Field(nil), b.rel.Schema().Fields()...)
	byText := map[string]string{}
	for i, o := range over {
		text := scalar(exprs[i], b.scope(), 0)
		if names[o] = byText[text]; names[o] != "" {
			continue
		}
		name := o.Func.Func.Name
		for k := 2; len(tree.NewSchema(fields).Lookup(name)) > 0; k++ {
			name = fmt.Sprintf("%s_%d", o.Func.Func.Name, k)
		}
		names[o], byText[text] = name, name
		fields = append(fields, tree.Field{Name: name, Type: o.Type(), Nullable: o.Nullable()})
		inner.items = append(inner.items, item{text, name})
	}
	out := p.nest(inner)
	// The names of the computed columns are put in by columns of a relation that has them.
	wide := &tree.Values{}
	for _, f := range fields[b.rel.Schema().Len():] {
		out.cols = append(out.cols, Quote(f.Name))
	}
	wide.Out = tree.NewSchema(fields)
	cond := tree.Rewrite(x.Cond, func(s tree.Scalar) tree.Scalar {
		if n, ok := names[s]; ok {
			return &tree.Column{Rel: wide, Ordinal: wide.Out.Lookup(n)[0]}
		}
		return s
	})
	cond = tree.Rewrite(cond, func(s tree.Scalar) tree.Scalar {
		if c, ok := s.(*tree.Column); ok {
			return &tree.Column{Rel: wide, Ordinal: c.Ordinal}
		}
		return s
	})
	out.rel = wide
	out.where = conjuncts(cond, out.scope())
	out.rel = x
	for i, f := range x.Schema().Fields() {
		out.items = append(out.items, item{out.cols[i], f.Name})
	}
	out.cols = out.cols[:x.Schema().Len()]
	return out
}

func (p *printer) aggregate(x *tree.Aggregate) *block {
	b := p.query(x.Input)
	if !b.open() || !b.simple {
		b = p.nest(b)
	}
	b, cols := p.embedNamed(b, append(append([]tree.Named(nil), x.Keys...), x.Aggs...))
	in := b.scope()
	out := b.as(x)
	out.items, out.cols, out.grouped, out.simple, out.under = nil, nil, true, false, in
	for _, k := range cols[:len(x.Keys)] {
		text := scalar(k.Expr, in, 0)
		text = notOrdinal(k.Expr, text)
		out.group = append(out.group, text)
		out.items = append(out.items, item{text, k.Name})
		out.cols = append(out.cols, text)
	}
	if x.Sets != nil {
		out.group, out.sets = []string{groupingSets(x.Sets, out.group)}, true
	}
	for _, a := range cols[len(x.Keys):] {
		text := scalar(a.Expr, in, 0)
		out.items = append(out.items, item{text, a.Name})
		out.cols = append(out.cols, text)
	}
	return out
}

// groupingSets writes the sets in the shortest words that mean them.
func groupingSets(sets [][]int, keys []string) string {
	all := strings.Join(keys, ", ")
	rollup, cube := len(sets) == len(keys)+1 && len(keys) > 0, len(keys) > 1 && len(keys) < 16 && len(sets) == 1<<len(keys)
	seen := map[string]bool{}
	texts := make([]string, len(sets))
	for i, set := range sets {
		names := make([]string, len(set))
		for k, key := range set {
			names[k] = keys[key]
			rollup = rollup && key == k
		}
		rollup = rollup && len(set) == len(keys)-i
		id := fmt.Sprint(set)
		cube = cube && !seen[id]
		seen[id] = true
		texts[i] = "(" + strings.Join(names, ", ") + ")"
	}
	switch {
	case rollup:
		return "ROLLUP (" + all + ")"
	case cube:
		return "CUBE (" + all + ")"
	}
	return "GROUPING SETS (" + strings.Join(texts, ", ") + ")"
}

// notOrdinal keeps a constant key from being read as the number of a column: GROUP BY 1 means the first one.
func notOrdinal(s tree.Scalar, text string) string {
	s, _ = tree.StripAlias(s)
	if l, ok := s.(*tree.Literal); ok && l.Typ.Kind() == datatype.KindInt {
		return "CAST(" + text + " AS INT)"
	}
	return text
}

// setOperation puts the words of a set operation between the queries of its sides. INTERSECT binds more tightly than the others, and
// the others group from the left: a side that is a set operation itself stands between parentheses, but for a first one of the same words.
func (p *printer) setOperation(sides []tree.Relation, words string) *block {
	parts := make([]string, len(sides))
	for i, s := range sides {
		b := p.query(s)
		parts[i] = b.text()
		if b.order != "" || b.limit != "" || b.set != "" && (b.set != words || i > 0 && words != "UNION ALL") {
			parts[i] = "(\n" + indent(parts[i]) + "\n)"
		}
	}
	out := &block{rel: sides[0], body: strings.Join(parts, "\n"+words+"\n"), set: words}
	for _, f := range sides[0].Schema().Fields() {
		out.cols = append(out.cols, Quote(f.Name))
	}
	return out
}

// sample puts TABLESAMPLE behind a table's name, or behind a query between parentheses.
func (p *printer) sample(x *tree.Sample) *block {
	b := p.query(x.Input)
	if !b.open() || b.items != nil || len(b.where) > 0 || b.alias == "" || b.from != b.alias {
		b = p.nest(b)
	}
	b = b.as(x)
	// The percentage is the fraction's shortest digits with the point moved: no rounding takes place.
	percent := new(big.Rat).Mul(new(big.Rat).SetFloat64(x.Fraction), big.NewRat(100, 1))
	if r, ok := new(big.Rat).SetString(strconv.FormatFloat(x.Fraction, 'f', -1, 64)); ok {
		percent = r.Mul(r, big.NewRat(100, 1))
	}
	digits, _ := percent.FloatPrec()
	b.from += " TABLESAMPLE (" + percent.FloatString(digits) + " PERCENT)"
	if x.Seed != nil {
		b.from += fmt.Sprintf(" REPEATABLE (%d)", *x.Seed)
	}
	b.alias = ""
	return b
}

func (p *printer) unnest(x *tree.Unnest) *block {
	if x.Position != "" {
		return p.unnestPosition(x)
	}
	b := p.query(x.Input)
	// A computed array is exploded where it is computed, unless over other rows.
	computed := false
	if y, ok := x.Input.(*tree.Project); ok && b.items != nil && !b.generator {
		computed = true
		for _, c := range y.Columns {
			computed = computed && len(overs(c.Expr)) == 0
		}
	}
	if !b.open() || !b.simple && !computed {
		b = p.nest(b)
	}
	in := b.scope()
	out := b.as(x)
	out.items, out.cols, out.simple, out.generator = nil, nil, false, true
	f := "explode"
	if x.KeepEmpty {
		f = "explode_outer"
	}
	for i, field := range x.Schema().Fields() {
		text := in(&tree.Column{Rel: x.Input, Ordinal: i})
		if i == x.Ordinal {
			text = f + "(" + text + ")"
		}
		out.items = append(out.items, item{text, field.Name})
		out.cols = append(out.cols, text)
	}
	return out
}

// unnestPosition writes a lateral view, which gives an element and its position as two columns: in the select list they would stand side
// by side.
func (p *printer) unnestPosition(x *tree.Unnest) *block {
	b := p.query(x.Input)
	// The view's names would be read in a WHERE, and a join may have them on either side.
	if !b.open() || !b.simple || b.items != nil || len(b.where) > 0 || b.alias == "" {
		b = p.nest(b)
	}
	out := b.as(x)
	out.items, out.cols, out.alias, out.loose = nil, nil, "", false
	fields := x.Schema().Fields()
	view := "u"
	for len(x.Schema().Lookup(view)) > 0 || datatype.FoldName(unquoted(b.alias)) == view {
		view = "_" + view
	}
	// The array's own column stays in scope, so the element has another name inside.
	element := "element"
	for len(x.Schema().Lookup(element)) > 0 || len(x.Input.Schema().Lookup(element)) > 0 {
		element = "_" + element
	}
	outer := ""
	if x.KeepEmpty {
		outer = "OUTER "
	}
	out.from += "\nLATERAL VIEW " + outer + "posexplode(" + b.cols[x.Ordinal] + ") " + view + " AS " + Quote(x.Position) + ", " + element
	for i, f := range fields {
		text := ""
		switch {
		case i == x.Ordinal:
			text = element
		case i < len(b.cols):
			text = b.cols[i]
		default:
			text = Quote(f.Name)
		}
		out.cols = append(out.cols, text)
		out.items = append(out.items, item{text, f.Name})
	}
	return out
}

// unquoted gives the name that an identifier stands for.
func unquoted(q string) string {
	if strings.HasPrefix(q, "`") {
		return strings.ReplaceAll(q[1:len(q)-1], "``", "`")
	}
	return q
}

// indent moves a query two columns to the right, except the lines that a name between backticks goes on in: they are part of the name.
func indent(s string) string {
	var b strings.Builder
	b.Grow(len(s) + len(s)/8)
	b.WriteString("  ")
	var quote byte // ` or ' while inside
	for i := 0; i < len(s); i++ {
		c := s[i]
		b.WriteByte(c)
		switch {
		case quote == 0 && c == rawBegin:
			end := i + strings.IndexByte(s[i:], rawEnd)
			b.WriteString(s[i+1 : end+1])
			i = end
		case quote == '\'' && c == '\\':
			i++
			b.WriteByte(s[i])
		case quote != 0:
			if c == quote {
				quote = 0 // a doubled backtick ends the name and begins it again
			}
		case c == '`' || c == '\'':
			quote = c
		case c == '\n':
			b.WriteString("  ")
		}
	}
	return b.String()
}
