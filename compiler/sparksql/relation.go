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

// Relation prints the query that gives r, as a batch or, where streams are read, as a stream.
func Relation(r tree.Relation, names Names, stream bool) string {
	p := &printer{names: names, stream: stream, ctes: map[tree.Relation]string{}, taken: map[string]bool{}}
	p.share(r)
	whole := p.query(r)
	if strings.HasPrefix(whole.from, "(") {
		whole = p.listed(whole) // * says nothing of what a derived table gives
	}
	text := whole.text()
	if len(p.with) == 0 {
		return finish(text)
	}
	var b strings.Builder
	b.WriteString("WITH ")
	for i, c := range p.with {
		if i > 0 {
			b.WriteString(",\n")
		}
		b.WriteString(Quote(c.name) + " AS (\n" + indent(c.text) + "\n)")
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
	// stream: sources that stream are read as streams.
	stream bool
	ctes   map[tree.Relation]string // relations that are shared, with their names
	with   []cte
	taken  map[string]bool // names of CTEs and sources, folded
	// needed are the columns of each relation that something above it reads.
	needed map[tree.Relation][]bool
	// known is the source that is printed as a side of a join, and its name there, by which its columns are qualified.
	known struct {
		rel   tree.Relation
		alias string
	}
	// hidden are the names of the FROM outside a correlated subquery.
	hidden []string
	// defined is the number in the last made-up name of a CTE.
	defined int
}

type cte struct{ name, text string }

// share finds the relations that are reached more than once and prints them as common table expressions, inputs first. Leaves and
// what prints as one are not worth a name.
func (p *printer) share(root tree.Relation) {
	count, sides := map[tree.Relation]int{}, map[tree.Relation]int{} // in all, and as the side of a join
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
			if j, ok := r.(*tree.Join); ok && (in == j.Left || !j.Kind.Any()) && j.Kind != tree.FullJoin {
				sides[p.skip(in)]++
			}
		}
		for _, q := range tree.Subqueries(tree.Scalars(r)...) {
			visit(q.Rel)
		}
		p.note(r)
		order = append(order, r)
	}
	visit(root)
	p.need(root, order)
	for _, r := range order {
		if _, leaf := p.names(r); leaf || count[r] < 2 || len(tree.FreeOuters(r)) > 0 {
			continue
		}
		if _, table := r.(*tree.Table); table {
			continue
		}
		// A choice of columns needs no name, and conditions read well in the WHERE of each join of a table.
		if base, filtered, plain := p.plain(r); plain && (!filtered || sides[r] == count[r]) {
			if _, rows := base.(*tree.Values); !rows { // which are written once
				continue
			}
		}
		base := p.title(r)
		if p.taken[datatype.FoldName(base)] {
			base = "selected_" + base
		}
		name := base
		for n := 2; p.taken[datatype.FoldName(name)] || p.inTexts(name); n++ {
			name = fmt.Sprintf("%s_%d", base, n)
		}
		p.taken[datatype.FoldName(name)] = true
		text := p.listed(p.query(r)).text()
		p.ctes[r] = name
		p.with = append(p.with, cte{name, text})
	}
}

// define gives a query a name, as a common table expression behind those that there are.
func (p *printer) define(text string) string {
	name := ""
	for name == "" || p.taken[name] || p.inTexts(name) {
		p.defined++
		name = fmt.Sprintf("t%d", p.defined)
	}
	p.taken[name] = true
	p.with = append(p.with, cte{name, text})
	return name
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
		case *tree.Hint:
			if !x.Kind.Joins() {
				return r
			}
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
	simple bool
	// pure: every column of rel is a column of from or an expression over a row of it that may be written in its place; folded, unless nil, has for
	// each how tightly that binds, plain for a column.
	pure    bool
	folded  []int
	where   []string
	group   []string
	grouped bool
	timed   bool  // by a window of time, which Spark finds in the select list only
	sets    bool  // of grouping sets
	keyed   []int // the keys that HAVING of grouping sets names, which Spark finds in the select list only
	// setKeys are the keys of grouping sets as they are written. HAVING cannot speak of one that is not in the select list under its own name, nor of one that is
	// computed: Spark looks there for what it is computed from.
	setKeys []string
	having  []string
	windows []windowDef // of the WINDOW clause
	// under and made are of an aggregation: how the columns below it are written, and the expressions over them that are printed.
	under        scope
	made         []tree.Named
	distinct     bool
	order, limit string
	ordered      []int  // the columns that order names
	body         string // a whole query (a set operation) instead of a SELECT
	set          string // the words of the body's set operation; "" for a body of another kind
	// generator: the list has an explode or a window of time, which make rows; the list must stay as it is.
	generator bool
	// derived are the columns of a derived table or common table expression with very many, in the order of its list: a longer list begins with *.
	derived []string
	// lateral tells that from ends in a lateral view, behind which no alias of the rest can stand.
	lateral bool
	// volatile tells that a condition of where may be another one each time that it is looked at.
	volatile bool
	// told: subqueries within name columns of from by its alias.
	told bool
	// joined is set where from is a chain of joins, to which another may be added.
	joined *chain
	// strategies are the hints about the join that the rows go into, and hints those that the SELECT has.
	strategies, hints []string
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
	if len(b.hints) > 0 {
		s.WriteString(" /*+ " + strings.Join(b.hints, ", ") + " */")
	}
	if b.distinct {
		s.WriteString(" DISTINCT")
	}
	if b.items == nil && b.loose {
		for i, f := range b.rel.Schema().Fields() {
			b.items = append(b.items, item{b.cols[i], f.Name})
		}
	}
	items := b.items
	if items == nil || b.repeats() {
		s.WriteString(" *")
		items = items[min(len(b.derived), len(items)):]
		if len(items) > 0 {
			s.WriteString(",")
		}
	}
	if len(items) > 0 {
		lines := make([]string, len(items))
		total := 0
		for i, it := range items {
			lines[i] = it.String()
			total += len(lines[i]) + 2
			if strings.Contains(lines[i], "\n") {
				lines[i], total = strings.TrimPrefix(indent(lines[i]), "  "), 100
			}
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
		s.WriteString("\nWHERE " + conjunction(b.where))
	}
	if len(b.group) > 0 {
		by := strings.Join(b.group, ", ")
		if len(b.group) > 1 && len(by) > 100 {
			by = "\n  " + strings.Join(b.group, ",\n  ")
			s.WriteString("\nGROUP BY" + by)
		} else {
			s.WriteString("\nGROUP BY " + by)
		}
	}
	if len(b.having) > 0 {
		s.WriteString("\nHAVING " + conjunction(b.having))
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

// repeats tells whether the list begins with all columns of a derived table of very many, in its order.
func (b *block) repeats() bool {
	if len(b.derived) == 0 || len(b.items) < len(b.derived) {
		return false
	}
	for i, name := range b.derived {
		if it := b.items[i]; it.name != name || it.expr != Quote(name) {
			return false
		}
	}
	return true
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

// own tells whether the expression has its name by itself.
func (i item) own() bool {
	return i.expr == Quote(i.name) || strings.HasSuffix(i.expr, "."+Quote(i.name)) && !strings.ContainsAny(strings.TrimSuffix(i.expr, Quote(i.name)), "() ")
}

// String writes the expression under its name; one without a name is alone in its list.
func (i item) String() string {
	if i.own() || i.name == "" {
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
	return func(c *tree.Column) (string, int) {
		switch {
		case c.Rel != b.rel:
			return Quote(tree.Name(c.Rel)) + "." + Quote(c.Field().Name), catalog.PrecAtom
		case c.Ordinal >= len(b.cols):
			return Quote(c.Field().Name), catalog.PrecAtom
		case b.folded != nil:
			return b.cols[c.Ordinal], b.folded[c.Ordinal]
		}
		return b.cols[c.Ordinal], catalog.PrecAtom
	}
}

// output writes the columns of the block's relation by their names in the select list, for ORDER BY and HAVING.
func (b *block) output() scope {
	if b.items == nil {
		return b.scope()
	}
	return func(c *tree.Column) (string, int) { return Quote(b.items[c.Ordinal].name), catalog.PrecAtom }
}

// computed writes the columns of a grouped block by what computes them. Spark looks a name of HAVING up among the columns below the aggregation
// first, so the name of a result may mean something else there.
func (b *block) computed() scope {
	return func(c *tree.Column) (string, int) { return atomic(b.items[c.Ordinal].expr), catalog.PrecAtom }
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
	own := name
	if t, ok := r.(*tree.Table); ok {
		own = Quote(t.Name[len(t.Name)-1])
	}
	alias := p.known.alias
	if p.known.rel != r && hides(p.hidden, unquoted(own)) {
		alias = p.sideName(unquoted(own), &chain{}, r)
	} else if p.known.rel != r {
		alias = ""
	}
	if alias != "" {
		b.alias, b.loose = alias, false
		if alias != own {
			b.from += " AS " + alias
		}
		p.used = append(p.used, unquoted(alias))
		b.cols = make([]string, r.Schema().Len())
		for i, f := range r.Schema().Fields() {
			b.cols[i] = alias + "." + Quote(f.Name)
		}
		return b
	}
	b.cols = make([]string, 0, r.Schema().Len())
	p.used = append(p.used, unquoted(name))
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

// deepest is how many derived tables stand in one another. What is deeper is a common table expression: nobody reads a thousand levels, each moves all lines
// below it to the right, and Spark's parser has a call for each.
const deepest = 16

// veryMany is how many columns of a derived table are not listed again by what adds to them: the list would grow with each level, and nobody reads it.
const veryMany = 100

// nest makes the block a derived table of a new one.
func (p *printer) nest(b *block) *block {
	listed := p.listed(b)
	text := listed.text()
	var derived []string
	if len(listed.items) >= veryMany {
		for _, it := range listed.items {
			derived = append(derived, it.name)
		}
	}
	if strings.Contains(text, "\n"+strings.Repeat("  ", deepest)) {
		// What is in a subquery may speak of the outside, as a common table expression cannot.
		if p.outer == nil || strings.IndexByte(text, outside) < 0 && len(tree.FreeOuters(b.rel)) == 0 {
			n := p.source(b.rel, p.define(text))
			n.strategies, n.derived = b.strategies, derived
			return n
		}
	}
	n := &block{rel: b.rel, from: "(\n" + indent(text) + "\n)", simple: true, strategies: b.strategies, derived: derived}
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
		return p.source(r, Quote(name))
	}
	switch x := r.(type) {
	case *tree.Read:
		return p.source(r, Quote(x.Name))
	case *tree.Table:
		return p.table(x)
	case *tree.Values:
		return p.valuesBlock(x)
	case *tree.View, *tree.Watermark, *tree.Bind:
		return p.query(r.Inputs()[0]).as(r)
	case *tree.Hint:
		return p.hint(x)
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
		b.order, b.ordered = order, nil
		for _, k := range x.Keys {
			tree.Walk(k.Arg, func(s tree.Scalar) bool {
				if c, ok := s.(*tree.Column); ok && !slices.Contains(b.ordered, c.Ordinal) {
					b.ordered = append(b.ordered, c.Ordinal)
				}
				return true
			})
		}
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

// TableName prints the name of a table of the catalogue.
func TableName(parts ...string) string {
	out := make([]string, len(parts))
	for i, n := range parts {
		out[i] = Quote(n)
	}
	return strings.Join(out, ".")
}

// table reads a table of the catalogue, perhaps as it was.
func (p *printer) table(x *tree.Table) *block {
	name := TableName(x.Name...)
	b := p.source(x, name)
	when := ""
	switch {
	case x.Version != nil:
		when = fmt.Sprintf(" VERSION AS OF %d", *x.Version)
	case x.Timestamp != nil:
		when = " TIMESTAMP AS OF " + scalar(x.Timestamp, nil, 0)
	}
	b.from = name + when + strings.TrimPrefix(b.from, name) // an alias stands last
	return b
}

// hint puts a hint into the SELECT that it is about: for one about partitions that of its input, of which nothing else may become a part then; for one
// about a join the one that joins.
func (p *printer) hint(x *tree.Hint) *block {
	b := p.query(x.Input)
	if x.Kind.Joins() {
		b = b.as(x)
		b.strategies = append(b.strategies[:len(b.strategies):len(b.strategies)], x.Kind.String())
		return b
	}
	if b.body != "" || b.order != "" || b.limit != "" {
		b = p.nest(b)
	}
	b = b.as(x)
	b.hints = append([]string{x.Text(Quote)}, b.hints...)
	out := &block{rel: x, body: b.text(), strategies: b.strategies}
	for _, f := range x.Schema().Fields() {
		out.cols = append(out.cols, Quote(f.Name))
	}
	return out
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
	rows := make([]string, len(v.Rows))
	for i, row := range v.Rows {
		cells := make([]string, len(row))
		for j, c := range row {
			cells[j] = scalar(c, nil, 0)
		}
		rows[i] = "(" + strings.Join(cells, ", ") + ")"
	}
	if len(rows) == 0 {
		// A row that is left out again, and not a SELECT of NULLs: Spark computes what is made of constants before it sees that there are no rows, and raises its errors.
		cells := make([]string, len(fields))
		for i, f := range fields {
			cells[i] = "CAST(NULL AS " + f.Type.String() + ")"
		}
		rows = []string{"(" + strings.Join(cells, ", ") + ")"}
		b.where = []string{"false"}
	}
	name := Quote(v.Name)
	switch {
	case p.known.rel == v:
		name = p.known.alias
	case v.Name == "":
		name = "t"
	}
	b.from = "VALUES " + strings.Join(rows, ", ") + " AS " + name + "(" + strings.Join(b.cols, ", ") + ")"
	if len(b.from) > 100 {
		b.from = "VALUES\n  " + strings.Join(rows, ",\n  ") + "\n  AS " + name + "(" + strings.Join(b.cols, ", ") + ")"
	}
	if p.known.rel == v {
		for i, c := range b.cols {
			b.cols[i] = name + "." + c
		}
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
	if pick {
		if out := b.choose(x); out != nil {
			return out
		}
	}
	exprs := make([]tree.Scalar, len(x.Columns))
	for i, c := range x.Columns {
		exprs[i] = c.Expr
	}
	// A choice of columns can be made in the list that is there, except below DISTINCT, whose rows depend on all of them.
	if !b.open() && !(pick && b.grouped && b.keeps(x.Columns) && b.body == "" && !b.distinct && b.order == "" && b.limit == "") || b.generator || !pick && !b.folds(exprs, nil) {
		b = p.nest(b)
	}
	b, columns := p.embedNamed(b, x.Columns, topRows(x.Input))
	in := b.scope()
	out := b.as(x)
	out.items, out.cols, out.under, out.keyed, out.folded = nil, nil, nil, b.moved(columns), make([]int, len(columns))
	simple := b.simple && !b.grouped
	out.pure = b.pure || simple
	for i, c := range columns {
		exprs[i] = c.Expr
	}
	if !pick {
		exprs, out.windows = nameWindows(exprs, in)
	}
	for i, c := range columns {
		text, prec := b.write(exprs[i], in)
		if col, ok := columnOf(exprs[i], x.Input); !ok {
			simple = false
			out.folded[i] = prec
			out.pure = out.pure && ofRow(exprs[i])
		} else if out.folded[i] = plain; b.folded != nil {
			out.folded[i] = b.folded[col.Ordinal]
		}
		out.generator = out.generator || tree.TimeWindow(exprs[i]) != nil
		out.items = append(out.items, item{text, c.Name})
		out.cols = append(out.cols, text)
	}
	out.simple = simple
	return out
}

// hides tells whether a condition is over a key of grouping sets that HAVING cannot speak of.
func (b *block) hides(x *tree.Filter) bool {
	found := false
	tree.Walk(x.Cond, func(s tree.Scalar) bool {
		if c, ok := columnOf(s, b.rel); ok {
			found = found || slices.ContainsFunc(b.setKeys, func(key string) bool {
				return strings.Contains(b.items[c.Ordinal].expr, key) && !slices.ContainsFunc(b.items, func(i item) bool { return i.expr == key && Quote(i.name) == key })
			})
		}
		return true
	})
	return found
}

// keeps tells whether a choice of columns has those that HAVING needs, under their names.
func (b *block) keeps(cols []tree.Named) bool {
	for _, k := range b.keyed {
		if !slices.ContainsFunc(cols, func(n tree.Named) bool {
			c, ok := columnOf(n.Expr, b.rel)
			return ok && c.Ordinal == k && b.items[k].name == n.Name
		}) {
			return false
		}
	}
	return true
}

// moved tells where a choice of columns has those that HAVING needs.
func (b *block) moved(cols []tree.Named) []int {
	var out []int
	for i, n := range cols {
		if c, ok := columnOf(n.Expr, b.rel); ok && slices.Contains(b.keyed, c.Ordinal) {
			out = append(out, i)
		}
	}
	return out
}

// columnOf gives the column of a relation that an expression is.
func columnOf(s tree.Scalar, of tree.Relation) (*tree.Column, bool) {
	s, _ = tree.StripAlias(s)
	c, ok := s.(*tree.Column)
	return c, ok && c.Rel == of
}

// plain is how tightly a column that is written by its own name binds.
const plain = catalog.PrecAtom + 1

// write prints an expression of its own, and tells how tightly it binds: a column of the list as it stands there.
func (b *block) write(s tree.Scalar, in scope) (string, int) {
	if c, ok := columnOf(s, b.rel); ok && b.items != nil {
		return b.items[c.Ordinal].expr, catalog.PrecAtom
	}
	return scalarPrec(s, in)
}

// choose makes the list of a block with an order or a limit shorter, or gives nil where that would change what the order names.
func (b *block) choose(x *tree.Project) *block {
	if b.order == "" && b.limit == "" || b.limit == whole || b.body != "" || b.distinct || b.generator || !b.keeps(x.Columns) {
		return nil
	}
	out := b.as(x)
	out.items, out.cols, out.folded, out.ordered, out.under, out.keyed = nil, nil, nil, nil, nil, b.moved(x.Columns)
	kept := map[int]bool{}
	for i, c := range x.Columns {
		col, _ := columnOf(c.Expr, x.Input)
		it := item{b.cols[col.Ordinal], x.Input.Schema().Field(col.Ordinal).Name}
		if b.items != nil {
			it = b.items[col.Ordinal]
		}
		if it.name == c.Name && slices.Contains(b.ordered, col.Ordinal) {
			kept[col.Ordinal] = true
			out.ordered = append(out.ordered, i)
		}
		it.name = c.Name
		out.items = append(out.items, it)
		out.cols = append(out.cols, b.cols[col.Ordinal])
	}
	for _, o := range b.ordered {
		name := b.rel.Schema().Field(o).Name
		if kept[o] {
			continue
		}
		// A name that the list lacks is looked up below it.
		if !b.simple || b.joined != nil || b.cols[o] != Quote(name) || len(x.Schema().Lookup(name)) > 0 {
			return nil
		}
	}
	return out
}

// ofRow tells whether an expression may be written in the place of a column that it computes: it looks at columns of one row alone and is the same each
// time. A constant may not: Spark gives a literal other types than a column.
func ofRow(s tree.Scalar) bool {
	of, columns := true, false
	tree.Walk(s, func(n tree.Scalar) bool {
		switch x := n.(type) {
		case *tree.Column:
			columns = true
		case *tree.Over, *overNamed, *tree.Subquery, *tree.RawSQL, *tree.Outer:
			of = false
		case *tree.Call:
			of = of && !x.Func.NonDeterministic && x.Func.Kind == catalog.Scalar
		}
		return of
	})
	return of && columns
}

// folds tells whether expressions over the columns of a block can be printed in it. Its computed columns are then written where they are used: that reads
// well, and is cheap, where they are short or used once. shown are expressions that are printed beside those.
func (b *block) folds(exprs []tree.Scalar, shown []int) bool {
	if b.simple && !b.grouped {
		return true
	}
	if !b.pure || b.grouped || b.generator {
		return false
	}
	uses := make([]int, len(b.cols))
	for _, i := range shown {
		uses[i]++
	}
	// A column of another relation, which only a tree that was never checked has, must not find one by its name below.
	named, foreign := false, false
	for _, s := range exprs {
		tree.Walk(s, func(n tree.Scalar) bool {
			switch x := n.(type) {
			case *tree.Column:
				if x.Rel == b.rel {
					uses[x.Ordinal]++
				}
				foreign = foreign || x.Rel != b.rel
			case *tree.Call:
				named = named || x.Func.Name == "arrays_zip" // names fields by the columns that it sees
			}
			return true
		})
	}
	if named || foreign {
		return false
	}
	for i, n := range uses {
		if n > 1 && b.folded != nil && b.folded[i] != plain && len(b.cols[i])*(n-1) > shortEnough {
			return false
		}
	}
	return true
}

// shortEnough is how long what is repeated may be.
const shortEnough = 60

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
	if b.grouped && !b.distinct && b.order == "" && b.limit == "" && len(b.group) > 0 && !(b.timed && ofStructs(x)) && !b.hides(x) {
		below := b
		b = b.as(x)
		cond, in := x.Cond, b.computed()
		if a, ok := x.Input.(*tree.Aggregate); ok && below.under != nil {
			// Straight above an aggregation, the condition is written as the user gave it.
			cond = tree.Rewrite(cond, func(s tree.Scalar) tree.Scalar {
				c, ok := s.(*tree.Column)
				if !ok || c.Rel != tree.Relation(a) {
					return s
				}
				if b.sets && c.Ordinal < len(a.Keys) {
					b.keyed = append(b.keyed[:len(b.keyed):len(b.keyed)], c.Ordinal)
				}
				made := below.made[c.Ordinal].Expr
				tree.Walk(made, func(n tree.Scalar) bool {
					if g, ok := n.(*tree.Call); ok && g.Func.Kind == catalog.Grouping && len(g.Args) > 0 {
						key := scalar(g.Args[0], below.under, 0)
						for i := range a.Keys {
							if below.items[i].expr == key {
								b.keyed = append(b.keyed[:len(b.keyed):len(b.keyed)], i)
							}
						}
					}
					return true
				})
				return made
			})
			in = below.under
		}
		b.having = append(append([]string(nil), b.having...), conjuncts(cond, in)...)
		return b
	}
	var shown []int
	for i, needed := range p.needed[p.skip(x)] {
		if needed {
			shown = append(shown, i)
		}
	}
	if !b.open() || !b.folds([]tree.Scalar{x.Cond}, shown) {
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
	text := scalar(s, in, precAnd)
	if c, ok := s.(*tree.Call); ok && c.Func.Name == "or" && len(text) > 100 {
		text = "(" + strings.Join(disjuncts(s, in), "\n  OR ") + ")"
	}
	return []string{text}
}

// conjunction writes conditions a line each; what goes on in further lines stands below its own.
func conjunction(conds []string) string {
	out := conds[0]
	for _, c := range conds[1:] {
		if strings.Contains(c, "\n") {
			c = strings.TrimPrefix(indent(c), "  ")
		}
		out += "\n  AND " + c
	}
	return out
}

func disjuncts(s tree.Scalar, in scope) []string {
	if c, ok := s.(*tree.Call); ok && c.Func.Name == "or" {
		return append(disjuncts(c.Args[0], in), disjuncts(c.Args[1], in)...)
	}
	return []string{scalar(s, in, catalog.PrecOr+1)}
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
	if !b.open() || !b.folds(tree.Scalars(x), nil) {
		b = p.nest(b)
	}
	var start, sliding string
	for _, k := range x.Keys {
		if cumulative(k) {
			b, start, sliding = p.cumulate(b, x, tree.TimeWindow(k.Expr))
		}
	}
	b, cols := p.embedNamed(b, append(append([]tree.Named(nil), x.Keys...), x.Aggs...), false)
	in := b.scope()
	out := b.as(x)
	out.items, out.cols, out.folded, out.derived, out.grouped, out.simple, out.pure, out.under = nil, nil, nil, nil, true, false, false, in
	out.made = cols
	for _, k := range cols[:len(x.Keys)] {
		out.timed = out.timed || tree.TimeWindow(k.Expr) != nil
		if cumulative(k) {
			text := "named_struct('start', " + start + ", 'end', " + sliding + ".end)"
			out.group = append(out.group, start+", "+sliding)
			out.items = append(out.items, item{text, k.Name})
			out.cols = append(out.cols, text)
			continue
		}
		text, _ := b.write(k.Expr, in)
		text = notOrdinal(k.Expr, text)
		out.group = append(out.group, text)
		out.items = append(out.items, item{text, k.Name})
		out.cols = append(out.cols, text)
	}
	if x.Sets != nil {
		out.setKeys = out.group
		out.group, out.sets = []string{groupingSets(x.Sets, out.group)}, true
	}
	for _, a := range cols[len(x.Keys):] {
		text := scalar(a.Expr, in, 0)
		out.items = append(out.items, item{text, a.Name})
		out.cols = append(out.cols, text)
	}
	return out
}

// ofStructs tells whether the condition of a filter reads a column that is a struct, as windows of time are.
func ofStructs(x *tree.Filter) bool {
	found := false
	tree.Walk(x.Cond, func(s tree.Scalar) bool {
		c, ok := s.(*tree.Column)
		found = found || ok && c.Type().Kind() == datatype.KindStruct
		return !found
	})
	return found
}

// cumulative tells a key that Spark has no function for.
func cumulative(k tree.Named) bool {
	w := tree.TimeWindow(k.Expr)
	return w != nil && w.Func == catalog.CumulativeWindow
}

// cumulate adds to a block what a cumulative window, which Spark lacks, is made of: the start of a row's tumbling window, and those sliding windows
// of it that do not begin behind that: they end where the cumulative ones do. Rows are grouped by both, the second of which has the event time.
func (p *printer) cumulate(b *block, x *tree.Aggregate, w *tree.Call) (out *block, start, sliding string) {
	free := func(name string) string {
		for len(x.Input.Schema().Lookup(name)) > 0 || len(x.Schema().Lookup(name)) > 0 {
			name = "_" + name
		}
		return name
	}
	start, sliding = free("period_start"), free("sliding")
	size, step, offset := w.Args[1], w.Args[2], w.Args[3]
	add := func(text, name string) {
		inner := b.as(b.rel)
		inner.items = nil
		for i, f := range b.rel.Schema().Fields() {
			inner.items = append(inner.items, item{b.cols[i], f.Name})
		}
		if name == sliding {
			inner.items = append(inner.items, item{start, start})
		}
		inner.items = append(inner.items, item{text, name})
		b = p.nest(inner)
	}
	window := func(args ...tree.Scalar) string {
		return timeWindow(&tree.Call{Func: w.Func, Args: append([]tree.Scalar{w.Args[0]}, args...)}, b.scope())
	}
	add(window(size, size, offset)+".start", start)
	add(window(size, step, offset), sliding)
	b.where = []string{sliding + ".start <= " + start}
	return b, start, sliding
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
		b := p.listed(p.query(s))
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
	out.items, out.cols, out.folded, out.simple, out.pure, out.generator = nil, nil, nil, false, false, true
	f := "explode"
	if x.KeepEmpty {
		f = "explode_outer"
	}
	for i, field := range x.Schema().Fields() {
		text, _ := in(&tree.Column{Rel: x.Input, Ordinal: i})
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
	out.items, out.cols, out.folded, out.derived, out.alias, out.loose, out.lateral = nil, nil, nil, nil, "", false, true
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
	if len(q) > 1 && q[0] == '`' && q[len(q)-1] == '`' {
		return strings.ReplaceAll(q[1:len(q)-1], "``", "`")
	}
	return q
}

// indent moves a query two columns to the right, except the lines that a name between backticks goes on in: they are part of the name.
func indent(s string) string {
	var b strings.Builder
	b.Grow(len(s) + len(s)/8)
	b.WriteString("  ")
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case rawBegin:
			end := i + strings.IndexByte(s[i:], rawEnd)
			b.WriteString(s[i : end+1])
			i = end
		case '`', '\'':
			end := quoted(s, i)
			b.WriteString(s[i:end])
			i = end - 1
		case '\n':
			b.WriteString("\n  ")
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
