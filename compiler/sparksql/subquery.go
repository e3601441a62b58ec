package sparksql

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Marks within texts that are under construction. Outside quotes no other text has them: literals escape control characters, and the user's own
// texts are refused with them.
const (
	// rawBegin and rawEnd stand around a text of the user's, which no indentation may change.
	rawBegin, rawEnd = '\x01', '\x02'
	// printed begins the text of a RawSQL that this package has put in the place of a subquery or a column from outside.
	printed = "\x03"
	// outside stands for the alias of the table outside until it is known which names the subquery has taken.
	outside = '\x04'
)

// finish takes the marks out.
func finish(text string) string {
	if strings.IndexByte(text, rawBegin) < 0 {
		return strings.TrimSuffix(text, "\n")
	}
	text = scan(text, func(b *strings.Builder, c byte, rest string) int {
		if c != rawBegin {
			return 0
		}
		end := strings.IndexByte(rest, rawEnd)
		b.WriteString(rest[1:end])
		return end + 1
	})
	return strings.TrimSuffix(text, "\n")
}

// name puts a table's name in the place of the mark outside.
func name(text, as string) string {
	if strings.IndexByte(text, outside) < 0 {
		return text
	}
	return scan(text, func(b *strings.Builder, c byte, rest string) int {
		switch c {
		case rawBegin:
			end := strings.IndexByte(rest, rawEnd)
			b.WriteString(rest[:end+1])
			return end + 1
		case outside:
			b.WriteString(as)
			return 1
		}
		return 0
	})
}

// scan copies a text. Before each character outside quotes it asks f, which may write something else and tells how much of the rest that is for.
func scan(s string, f func(b *strings.Builder, c byte, rest string) int) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		if n := f(&b, c, s[i:]); n > 0 {
			i += n - 1
			continue
		}
		if c == '`' || c == '\'' {
			end := quoted(s, i)
			b.WriteString(s[i:end])
			i = end - 1
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

// quoted gives the end of the name or text that a quote at i begins. A doubled backtick ends a name and begins it again.
func quoted(s string, i int) int {
	quote := s[i]
	for i++; i < len(s); i++ {
		switch {
		case s[i] == quote:
			return i + 1
		case s[i] == '\\' && quote == '\'':
			i++
		}
	}
	return len(s)
}

// raw marks a text of the user's. A comment at its end must not reach further.
func raw(text string) string {
	if strings.Contains(text, "--") && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return string(rawBegin) + text + string(rawEnd)
}

// rawValue prints an expression of the user's, or what this package put in the place of a subquery.
func rawValue(text string) string {
	if strings.HasPrefix(text, printed) {
		return text[len(printed):]
	}
	return "(" + raw(text) + ")"
}

// note keeps the texts of the user's that a relation has.
func (p *printer) note(r tree.Relation) {
	if q, ok := r.(*tree.SQL); ok {
		p.texts = append(p.texts, strings.ToLower(q.Text))
		for _, t := range q.Tables {
			p.taken[datatype.FoldName(t.Name)] = true
		}
	}
	for _, s := range tree.Scalars(r) {
		tree.Walk(s, func(n tree.Scalar) bool {
			if x, ok := n.(*tree.RawSQL); ok {
				p.texts = append(p.texts, strings.ToLower(x.Text))
			}
			return true
		})
	}
}

// inTexts tells whether a text of the user's has a word that may be the name.
func (p *printer) inTexts(name string) bool {
	for _, t := range p.texts {
		if strings.Contains(t, name) {
			return true
		}
	}
	return false
}

// whole is the limit of a block whose text nothing may be added to, so that it is nested: how a query of the user's ends is not known.
const whole = "\n"

// sql prints a query of the user's, below the tables that it names.
func (p *printer) sql(x *tree.SQL) *block {
	var with []string
	for _, t := range x.Tables {
		b := p.query(t.Rel)
		// A table that is known by that name already needs no other.
		if b.items == nil && b.body == "" && b.open() && len(b.where) == 0 && b.from == Quote(t.Name) {
			continue
		}
		with = append(with, Quote(t.Name)+" AS (\n"+indent(p.listed(b).text())+"\n)")
	}
	body := raw(x.Text)
	if len(with) > 0 {
		body = "WITH " + strings.Join(with, ",\n") + "\n(\n" + raw(x.Text+"\n") + ")"
	}
	b := &block{rel: x, body: body, limit: whole}
	for _, f := range x.Schema().Fields() {
		b.cols = append(b.cols, Quote(f.Name))
	}
	return b
}

// natural tells whether every column of the block is written by its own name, so that a text of the user's may use it.
func (b *block) natural() bool {
	if !b.open() || !b.simple || b.items != nil {
		return false
	}
	for i, f := range b.rel.Schema().Fields() {
		if b.cols[i] != Quote(f.Name) {
			return false
		}
	}
	return true
}

// embed prints the subqueries in expressions over a block and puts their texts in their places, as well as the columns from outside, and gives
// the block that the expressions can be printed on: where a subquery uses its columns, it has a name that the subquery does not hide. Where beside is true, a correlated scalar
// subquery goes into the FROM if it can, and its value is a column of it.
func (p *printer) embed(b *block, list []tree.Scalar, beside bool) (*block, []tree.Scalar) {
	queries, texts, outers := false, false, false
	correlated := false
	for _, s := range list {
		tree.Walk(s, func(n tree.Scalar) bool {
			switch x := n.(type) {
			case *tree.Subquery:
				queries = true
				correlated = correlated || len(x.Outer) > 0
			case *tree.RawSQL:
				texts = true
			case *tree.Outer:
				outers = true
			}
			return true
		})
	}
	if !queries && !texts && !outers {
		return b, list
	}
	if texts && !b.natural() {
		b = p.nest(b)
	}
	chained := correlated && b.joined != nil && b.open() && b.simple
	if correlated && !chained && !b.named() {
		b = p.nest(b)
	}
	first := len(p.used)
	hidden := p.hidden
	defer func() { p.hidden = hidden }()
	if chained {
		p.hidden = append(hidden[:len(hidden):len(hidden)], b.joined.taken...)
	}
	own := map[tree.Scalar]bool{} // the texts of this block's subqueries
	var joined []string           // those that go into the FROM
	var columns []string          // of the relations within the subqueries
	text := func(q *tree.Subquery) string {
		before := p.outer
		defer func() { p.outer = before }()
		p.outer = func(o *tree.Outer) string {
			c, ok := q.Bound(o).(*tree.Column)
			if !ok {
				return "NULL /* in error */"
			}
			if chained {
				return b.cols[c.Ordinal]
			}
			return string(outside) + "." + b.cols[c.Ordinal]
		}
		tree.WalkRelations(q.Rel, func(r tree.Relation) {
			for _, f := range r.Schema().Fields() {
				columns = append(columns, f.Name)
			}
		})
		inner := p.query(q.Rel)
		switch {
		case beside && !chained && q.Kind == tree.ScalarSubquery && len(q.Outer) > 0 && oneRow(q.Rel):
			if inner = p.listed(inner); len(inner.items) == 1 && inner.order == "" {
				value := p.valueName(b.rel)
				inner.items[0].name = value
				joined = append(joined, "\nLEFT JOIN LATERAL "+parenthesis(inner.text())+" AS "+value)
				return value
			}
		case q.Kind != tree.ExistsSubquery:
			if inner = p.listed(inner); len(inner.items) == 1 && inner.order == "" {
				inner.items[0].name = ""
			}
		case inner.open() && !inner.generator && inner.from != "": // its columns say nothing
			c := *inner
			c.items, c.loose = nil, false
			inner = &c
		}
		return parenthesis(inner.text())
	}
	out := make([]tree.Scalar, len(list))
	for i, s := range list {
		out[i] = tree.Rewrite(s, func(n tree.Scalar) tree.Scalar {
			switch x := n.(type) {
			case *tree.Outer:
				return &tree.RawSQL{Text: printed + p.outer(x), Typ: x.Type()}
			case *tree.Subquery:
				inner := &tree.RawSQL{Text: printed + text(x), Typ: x.Type()}
				own[inner] = true
				switch x.Kind {
				case tree.InSubquery:
					return &tree.Call{Func: in, Args: []tree.Scalar{x.Arg, inner}, Typ: datatype.Boolean}
				case tree.ExistsSubquery:
					inner.Text = printed + "EXISTS " + inner.Text[len(printed):]
				}
				return inner
			}
			return n
		})
	}
	if !correlated {
		return b, out
	}
	if chained {
		for _, name := range append(columns, p.used[first:]...) {
			if hides(b.joined.taken, name) { // name.field would mean that column, or that table
				p.hidden = hidden
				return p.embed(p.nest(b), list, beside)
			}
		}
		return b, out
	}
	b = p.called(b, p.used[first:], columns)
	told := *b
	told.told = true
	for _, j := range joined {
		told.from += name(j, Quote(unquoted(told.alias)))
		told.lateral = true
	}
	b = &told
	for i, s := range out {
		out[i] = tree.Rewrite(s, func(n tree.Scalar) tree.Scalar {
			if x, ok := n.(*tree.RawSQL); ok && own[n] {
				return &tree.RawSQL{Text: name(x.Text, Quote(unquoted(b.alias))), Typ: x.Typ}
			}
			return n
		})
	}
	return b, out
}

// oneRow tells whether a relation has one row whatever it reads: an aggregation without keys, of which columns may be computed.
func oneRow(r tree.Relation) bool {
	for {
		switch x := r.(type) {
		case *tree.Project:
			r = x.Input
			continue
		case *tree.Aggregate:
			return len(x.Keys) == 0
		}
		return false
	}
}

// topRows tells whether a relation is the first rows of an order, or what is computed of each of them.
//
// Spark 4.2 computes what is projected of these below the limit (PushProjectionThroughLimitAndOffset). A correlated scalar subquery becomes a join there, and no order outlives being
// the side of a join (EliminateSorts), so that the limit takes any rows.
func topRows(r tree.Relation) bool {
	limited := false
	for {
		switch x := r.(type) {
		case *tree.Project, *tree.View, *tree.Watermark, *tree.Bind, *tree.Hint:
			r = r.Inputs()[0]
		case *tree.Limit:
			limited, r = true, x.Input
		case *tree.Sort:
			return limited
		default:
			return false
		}
	}
}

// valueName is a name for the value of a subquery in the FROM beside a relation.
func (p *printer) valueName(r tree.Relation) string {
	for i := 1; ; i++ {
		n := fmt.Sprint("value_", i)
		if len(r.Schema().Lookup(n)) == 0 && !p.taken[n] && !slices.Contains(p.used, n) && !p.inTexts(n) {
			p.used = append(p.used, n)
			return n
		}
	}
}

// in looks for a value in a subquery.
var in = &catalog.Function{Name: "in", SQL: "{0} IN {1}", Prec: catalog.PrecCompare}

// named tells whether the columns of the block are columns of one thing in its FROM, by plain names, so that an alias may stand before them.
func (b *block) named() bool {
	if !b.open() || !b.simple || b.joined != nil || b.lateral {
		return false
	}
	for _, c := range b.cols {
		if Quote(unquoted(c)) != c {
			return false
		}
	}
	return b.from != ""
}

// called gives the block a name by which its columns can be told from those of a subquery: its own, unless a table of the subquery has it or a
// column, whose field could be meant.
func (p *printer) called(b *block, used, columns []string) *block {
	for _, f := range b.rel.Schema().Fields() {
		columns = append(columns, f.Name)
	}
	free := func(name string) bool {
		k := datatype.FoldName(name)
		for _, list := range [][]string{used, columns} {
			for _, u := range list {
				if datatype.FoldName(u) == k {
					return false
				}
			}
		}
		return true
	}
	if b.alias != "" && !strings.Contains(b.alias, ".") && free(unquoted(b.alias)) {
		return b
	}
	if b.told {
		b = p.nest(b) // what names it stays within
	}
	base := worded("outer", p.title(b.rel))
	name := base
	for i := 2; !free(name) || p.taken[datatype.FoldName(name)] || p.inTexts(name+"."); i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	if strings.HasPrefix(b.from, "VALUES") {
		// The name is within the clause, where the columns have theirs.
		c := *b
		c.items, c.where = nil, nil
		n := p.nest(&c)
		n.items, n.where, n.cols = b.items, b.where, b.cols
		b = n
	}
	c := *b
	c.from, c.alias = b.from+" AS "+Quote(name), Quote(name)
	p.used = append(p.used, name)
	return &c
}

func (p *printer) embedNamed(b *block, cols []tree.Named, beside bool) (*block, []tree.Named) {
	list := make([]tree.Scalar, len(cols))
	for i, c := range cols {
		list[i] = c.Expr
	}
	b, list = p.embed(b, list, beside)
	out := make([]tree.Named, len(cols))
	for i, c := range cols {
		out[i] = tree.Named{Name: c.Name, Expr: list[i]}
	}
	return b, out
}

func (p *printer) embedKeys(b *block, keys []tree.SortKey) (*block, []tree.SortKey) {
	list := make([]tree.Scalar, len(keys))
	for i, k := range keys {
		list[i] = k.Arg
	}
	_, list = p.embed(b, list, false)
	out := make([]tree.SortKey, len(keys))
	for i, k := range keys {
		k.Arg = list[i]
		out[i] = k
	}
	return b, out
}

// embedFilter is embed for a filter's condition. The columns of an aggregation are written by what computes them in HAVING, which no subquery
// could name.
func (p *printer) embedFilter(b *block, x *tree.Filter) (*block, tree.Scalar) {
	for _, q := range tree.Subqueries(x.Cond) {
		if len(q.Outer) > 0 && (!b.open() || !b.simple) {
			b = p.nest(b)
		}
	}
	b, list := p.embed(b, []tree.Scalar{x.Cond}, false)
	return b, list[0]
}

// parenthesis puts a query between parentheses, on one line where it is short.
func parenthesis(text string) string {
	if line := oneLine(text); line != "" && len(line) <= 100 {
		return "(" + line + ")"
	}
	return "(\n" + indent(text) + "\n)"
}

// oneLine gives a query without its line breaks, or "" where a text of the user's or a name has some.
func oneLine(text string) string {
	if strings.IndexByte(text, rawBegin) >= 0 {
		return ""
	}
	last := byte('(')
	out := scan(text, func(b *strings.Builder, c byte, rest string) int {
		before := last
		last = c
		if c != '\n' {
			return 0
		}
		n := len(rest) - len(strings.TrimLeft(rest, "\n "))
		if before != '(' && !strings.HasPrefix(rest[n:], ")") {
			b.WriteByte(' ')
		}
		return n
	})
	if strings.Contains(out, "\n") {
		return ""
	}
	return out
}

// filterBoth prints a condition with window functions and subqueries: the window functions become columns first, so that a subquery has a table
// with all columns outside. What needs which columns was found without these relations, so they have theirs here.
func (p *printer) filterBoth(x *tree.Filter, over []*tree.Over) *block {
	wide := &tree.Project{Input: x.Input}
	fields := append([]tree.Field(nil), x.Input.Schema().Fields()...)
	for i, f := range fields {
		wide.Columns = append(wide.Columns, tree.Named{Name: f.Name, Expr: &tree.Column{Rel: x.Input, Ordinal: i}})
	}
	at := map[tree.Scalar]int{}
	for i, o := range over {
		name := fmt.Sprintf("_over_%d", i+1)
		for len(x.Input.Schema().Lookup(name)) > 0 {
			name = "_" + name
		}
		at[o] = len(fields)
		fields = append(fields, tree.Field{Name: name, Type: o.Type(), Nullable: o.Nullable()})
		wide.Columns = append(wide.Columns, tree.Named{Name: name, Expr: o})
	}
	wide.Out = tree.NewSchema(fields)
	cond := tree.Rewrite(x.Cond, func(s tree.Scalar) tree.Scalar {
		if i, ok := at[s]; ok {
			return &tree.Column{Rel: wide, Ordinal: i}
		}
		return s
	})
	cond = tree.Rewrite(cond, func(s tree.Scalar) tree.Scalar {
		if c, ok := s.(*tree.Column); ok && c.Rel == x.Input {
			return &tree.Column{Rel: wide, Ordinal: c.Ordinal}
		}
		return s
	})
	filter := &tree.Filter{Node: tree.Node{Out: wide.Out}, Input: wide, Cond: cond}
	narrow := &tree.Project{Node: tree.Node{Out: x.Out}, Input: filter}
	for i, f := range x.Schema().Fields() {
		narrow.Columns = append(narrow.Columns, tree.Named{Name: f.Name, Expr: &tree.Column{Rel: filter, Ordinal: i}})
	}
	read, computed := slices.Clone(p.marks(x.Input)), make([]bool, len(over))
	for i := range computed {
		computed[i] = true
	}
	p.needed[wide] = append(read, computed...)
	p.needed[filter], p.needed[narrow] = p.needed[wide], p.marks(x)
	return p.query(narrow).as(x)
}
