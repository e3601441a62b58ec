package sparksql

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// chain is what a further join of the same FROM must know of the ones before.
type chain struct {
	// taken are the aliases, and sides the relations that they stand for.
	taken []string
	sides []tree.Relation
}

func (p *printer) join(x *tree.Join) *block {
	c := &chain{}
	left := p.flat(x.Left, c, x.Right)
	if x.Kind == tree.FullJoin && left != nil && len(left.where) > 0 {
		left, c = nil, &chain{}
	}
	if left == nil {
		left = p.query(x.Left)
		right := x.Right
		if base, _, ok := p.plain(right); ok {
			right = base
		}
		if left.chains(x, right.Schema()) {
			c.taken, c.sides = append(c.taken, left.joined.taken...), append(c.sides, left.joined.sides...)
		} else {
			left = p.side(left, c, x.Right)
		}
	}
	var right *block
	number, mark := "", ""
	on := parts(x.On)
	// Spark has no anti join of two streams, but an outer one, whose rows without a partner are the same.
	kind := x.Kind
	outer := kind == tree.AntiJoin && p.stream && tree.IsStreaming(x.Left) && tree.IsStreaming(x.Right)
	if outer {
		kind = tree.LeftJoin
	}
	switch {
	case x.Kind.Any():
		right, on, number = p.first(x, c)
	case outer && rightKey(x) < 0:
		var b *block
		b, mark = p.marked(p.query(x.Right))
		right = p.side(b, c, x.Left)
	default:
		before := *c
		right = p.flat(x.Right, c, x.Left)
		if right == nil || x.Kind == tree.FullJoin && len(right.where) > 0 {
			*c = before
			right = p.side(p.query(x.Right), c, x.Left)
		}
	}
	in := func(c *tree.Column) (string, int) {
		if c.Rel == x.Right {
			return right.cols[c.Ordinal], catalog.PrecAtom
		}
		return left.cols[c.Ordinal], catalog.PrecAtom
	}
	texts := make([]string, len(on))
	for i, s := range on {
		texts[i] = scalar(s, in, precAnd)
	}
	if number != "" {
		texts = append(texts, right.alias+"."+number+" = 1")
	}
	// Conditions on a side stand in WHERE, or where the join gives its other rows too, in ON.
	where := left.where
	switch {
	case x.Kind == tree.RightJoin:
		texts, where = append(texts, left.where...), right.where
	case x.Kind == tree.InnerJoin || x.Kind == tree.CrossJoin:
		where = append(where[:len(where):len(where)], right.where...)
	default:
		texts = append(texts, right.where...)
	}
	out := &block{rel: x, from: left.from + "\n" + joinWords(kind) + " " + right.from, simple: true, where: where, joined: c, volatile: left.volatile, hints: append(left.hints[:len(left.hints):len(left.hints)], right.hints...)}
	if len(texts) > 0 {
		text := strings.Join(texts, " AND ")
		if len(texts) > 1 && len(text) > 100 {
			text = strings.Join(texts, "\n    AND ")
		}
		out.from += "\n  ON " + text
	}
	if outer {
		found := right.alias + "." + mark
		if mark == "" {
			found = right.cols[rightKey(x)]
		}
		out.where = append(append([]string(nil), out.where...), found+" IS NULL")
	}
	out.cols, out.items = make([]string, len(x.Output)), make([]item, len(x.Output))
	for i, c := range x.Output {
		side := left
		if c.FromRight {
			side = right
		}
		out.cols[i] = side.cols[c.Ordinal]
		out.items[i] = item{out.cols[i], x.Schema().Field(i).Name}
	}
	return out
}

// marked adds a column to a block that is null in no row.
func (p *printer) marked(b *block) (*block, string) {
	if !b.open() || b.items != nil {
		b = p.nest(b)
	}
	name := "found"
	for len(b.rel.Schema().Lookup(name)) > 0 {
		name = "_" + name
	}
	b = b.as(b.rel)
	for i, f := range b.rel.Schema().Fields() {
		b.items = append(b.items, item{b.cols[i], f.Name})
	}
	b.items = append(b.items, item{"true", name})
	return b, name
}

// rightKey is a column of the right side that is null in no row that has a partner, or -1: one that is equated with something.
func rightKey(x *tree.Join) int {
	for _, s := range parts(x.On) {
		c, ok := s.(*tree.Call)
		if !ok || c.Func.Name != "=" {
			continue
		}
		for _, a := range c.Args {
			if col, ok := a.(*tree.Column); ok && col.Rel == x.Right {
				return col.Ordinal
			}
		}
	}
	return -1
}

// plain gives the table, or the rows that are written in the query, below a relation that is no more than conditions on its rows and a choice of its columns;
// filtered tells whether there are conditions.
func (p *printer) plain(r tree.Relation) (base tree.Relation, filtered, ok bool) {
	for {
		r = p.skip(r)
		if _, ok := p.names(r); ok || p.ctes[r] != "" {
			return r, filtered, true
		}
		switch x := r.(type) {
		case *tree.Read, *tree.Table:
			return r, filtered, true
		case *tree.Values:
			return r, filtered, len(x.Rows) > 0 && x.Schema().Len() > 0 // else VALUES has no form
		case *tree.Project:
			if !columnsOnly(x.Columns, x.Input) {
				return nil, false, false
			}
			r = x.Input
		case *tree.Filter:
			if !sure(x.Cond) {
				return nil, false, false
			}
			r, filtered = x.Input, true
		default:
			return nil, false, false
		}
	}
}

// sure tells a condition that is the same each time, and may stand in a WHERE beside others.
func sure(s tree.Scalar) bool {
	ok := true
	tree.Walk(s, func(n tree.Scalar) bool {
		switch x := n.(type) {
		case *tree.Over, *tree.Subquery, *tree.RawSQL, *tree.Outer:
			ok = false
		case *tree.Call:
			ok = ok && !x.Func.NonDeterministic
		}
		return ok
	})
	return ok
}

// flat prints a side of a join that is a table with conditions as that table: its columns are qualified, and its conditions are left to the join. It is nil
// for every other side.
func (p *printer) flat(r tree.Relation, c *chain, others ...tree.Relation) *block {
	base, _, ok := p.plain(r)
	if !ok {
		return nil
	}
	before := p.known
	defer func() { p.known = before }()
	p.known.rel, p.known.alias = base, p.sideName(p.title(base), c, append(others, r, base)...)
	b := p.query(r)
	for _, s := range b.strategies {
		b.hints = append(b.hints, s+"("+p.known.alias+")")
	}
	b.strategies = nil
	c.taken, c.sides = append(c.taken, p.known.alias), append(c.sides, base)
	return b
}

// chains tells whether the join x of the block with another table can be put behind the joins that it has. Its WHERE then looks at the rows of the
// whole chain, which is the same unless the join keeps right rows without a partner or the condition is another one each time. right are the columns
// of the other table.
func (b *block) chains(x *tree.Join, right *tree.Schema) bool {
	if b.joined == nil || len(b.strategies) > 0 || !b.open() || !b.simple || b.generator || len(b.where) > 0 && (b.volatile || x.Kind == tree.RightJoin || x.Kind == tree.FullJoin) {
		return false
	}
	for _, alias := range b.joined.taken {
		if len(right.Lookup(unquoted(alias))) > 0 {
			return false // alias.field would mean that column
		}
	}
	return true
}

func joinWords(k tree.JoinKind) string {
	switch k {
	case tree.InnerJoin, tree.AnyInnerJoin:
		return "JOIN"
	case tree.LeftJoin, tree.AnyLeftJoin:
		return "LEFT JOIN"
	case tree.RightJoin:
		return "RIGHT JOIN"
	case tree.FullJoin:
		return "FULL JOIN"
	}
	return k.String() + " JOIN"
}

// side gives an input of a join an alias, by which its columns are qualified. others are inputs that the chain does not have yet.
func (p *printer) side(b *block, c *chain, others ...tree.Relation) *block {
	r := b.rel
	alias := p.sideName(p.title(r), c, append(others, r)...)
	c.taken, c.sides = append(c.taken, alias), append(c.sides, r)
	p.used = append(p.used, unquoted(alias))
	out := &block{rel: r, from: "(\n" + indent(p.listed(b).text()) + "\n) AS " + alias, alias: alias, simple: true}
	for _, s := range b.strategies {
		out.hints = append(out.hints, s+"("+alias+")")
	}
	for _, f := range r.Schema().Fields() {
		out.cols = append(out.cols, alias+"."+Quote(f.Name))
	}
	return out
}

func (c *chain) has(alias string) bool { return hides(c.taken, alias) }

// hides tells whether a name is among some that stand for tables as they are printed.
func hides(names []string, name string) bool {
	for _, n := range names {
		if datatype.FoldName(unquoted(n)) == datatype.FoldName(name) {
			return true
		}
	}
	return false
}

// sideName gives a side of a join a name like the one that it would have, with a number where another side has that, a struct column of one (alias.field
// would mean that), or the FROM around a subquery.
func (p *printer) sideName(name string, c *chain, others ...tree.Relation) string {
	free := func(alias string) bool {
		for _, list := range [][]tree.Relation{others, c.sides} {
			for _, o := range list {
				if len(o.Schema().Lookup(alias)) > 0 {
					return false
				}
			}
		}
		return !c.has(alias) && !hides(p.hidden, alias)
	}
	alias := name
	for n := 2; !free(alias); n++ {
		alias = name + "_" + strconv.Itoa(n)
	}
	return Quote(alias)
}

// title makes up a name for a query by what it gives: that of its first table; by_carrier for groups, total_seats for a sum of everything, top_flights for the
// first rows of an order.
func (p *printer) title(r tree.Relation) string {
	if name, ok := p.names(r); ok {
		return unquoted(name)
	}
	if name, ok := p.ctes[r]; ok {
		return unquoted(name)
	}
	switch x := r.(type) {
	case *tree.Read:
		return x.Name
	case *tree.Table:
		return x.Name[len(x.Name)-1]
	case *tree.Values:
		if x.Name != "" {
			return x.Name
		}
	case *tree.Project:
		if a, ok := p.skip(x.Input).(*tree.Aggregate); ok && len(a.Keys) == 0 && p.ctes[a] == "" {
			return totalOf(x)
		}
	case *tree.Aggregate:
		switch {
		case len(x.Keys) == 0:
			return totalOf(x)
		case len(x.Keys) == 2 && len(x.Keys[0].Name)+len(x.Keys[1].Name) < 20:
			return worded(worded("by", x.Keys[0].Name), x.Keys[1].Name)
		}
		return worded("by", x.Keys[0].Name)
	case *tree.Limit:
		if _, sorted := p.skip(x.Input).(*tree.Sort); sorted {
			return worded("top", p.title(x.Input))
		}
	case *tree.Distinct:
		return worded("distinct", p.title(x.Input))
	case *tree.Join:
		left, right := p.title(x.Left), p.title(x.Right)
		_, _, plain := p.plain(x.Right)
		if plain && x.Kind != tree.SemiJoin && x.Kind != tree.AntiJoin && len(left)+len(right) < 30 {
			return worded(left, right)
		}
		return left
	case *tree.SQL:
		return "query"
	}
	if in := r.Inputs(); len(in) > 0 {
		return p.title(in[0])
	}
	return "t"
}

// totalOf names a table of one row by its first column.
func totalOf(r tree.Relation) string {
	if r.Schema().Len() == 0 || len(r.Schema().Field(0).Name) > 20 {
		return "total"
	}
	return worded("total", r.Schema().Field(0).Name)
}

// worded joins two words to a name that needs no quotes; what is no word is left out.
func worded(a, b string) string {
	if name := a + "_" + b; Quote(name) == name {
		return name
	}
	return a
}

// parts splits a condition at its ANDs; nil has none.
func parts(s tree.Scalar) []tree.Scalar {
	if s == nil {
		return nil
	}
	s, _ = tree.StripAlias(s)
	if c, ok := s.(*tree.Call); ok && c.Func.Name == "and" {
		return append(parts(c.Args[0]), parts(c.Args[1])...)
	}
	return []tree.Scalar{s}
}

// first prints the right side of an any join: its rows, those of each key numbered in order. It gives what is left of the condition for ON,
// and the name of the number. What looks at right rows alone is looked at before they are numbered.
func (p *printer) first(x *tree.Join, c *chain) (right *block, on []tree.Scalar, number string) {
	b := p.query(x.Right)
	if !b.open() || !b.simple {
		b = p.nest(b)
	}
	keys, _, onRight, _ := tree.SplitJoin(x.On, x.Left, x.Right)
	in := b.scope()
	inner := b.as(x.Right)
	inner.items, inner.pure, inner.folded = nil, false, nil
	inner.where = append([]string(nil), b.where...)
	for _, s := range onRight {
		inner.where = append(inner.where, scalar(s, in, precAnd))
	}
	for _, s := range parts(x.On) {
		if !slices.Contains(onRight, s) {
			on = append(on, s)
		}
	}
	read := make([]bool, x.Right.Schema().Len())
	for _, o := range x.Output {
		if o.FromRight {
			read[o.Ordinal] = true
		}
	}
	by := make([]tree.Scalar, len(keys))
	fixed := make([]bool, len(read)) // what is equal throughout a partition need not be sorted by
	for i, k := range keys {
		by[i] = k.Right
		if c, ok := k.Right.(*tree.Column); ok {
			fixed[c.Ordinal] = true
		}
		tree.Walk(k.Right, func(s tree.Scalar) bool {
			if c, ok := s.(*tree.Column); ok {
				read[c.Ordinal] = true
			}
			return true
		})
	}
	for i, f := range x.Right.Schema().Fields() {
		if read[i] {
			inner.items = append(inner.items, item{b.cols[i], f.Name})
		}
	}
	order := orderOf(x.Right, b.cols, fixed)
	if len(order) == 0 {
		order = []string{list(by, in)}
	}
	number = "_row"
	for len(x.Right.Schema().Lookup(number)) > 0 {
		number = "_" + number
	}
	inner.items = append(inner.items, item{"row_number() OVER (PARTITION BY " + list(by, in) + " ORDER BY " + strings.Join(order, ", ") + ")", number})
	return p.side(inner, c, x.Left), on, number
}

// asof prints an as-of join as a window over both tables put together: rows of a key stand in the order of time, each left row behind the right
// rows that it may take (or before them, when it is strict), so that the last right row before it is its partner. Looking forward is the same with
// time running backward. Whole rows travel as the structs l and r, so no name of a column can clash with what this makes up.
func (p *printer) asof(x *tree.AsofJoin) *block {
	keys, _, _, _ := tree.SplitJoin(x.On, x.Left, x.Right)
	leftKeys, rightKeys := make([]tree.Scalar, len(keys)), make([]tree.Scalar, len(keys))
	var by []string
	for i, k := range keys {
		leftKeys[i], rightKeys[i] = k.Left, k.Right
		by = append(by, "key"+strconv.Itoa(i+1))
	}
	left := p.asofSide(x.Left, x.LeftTime, leftKeys, true, 1)
	// A right row without a time or without a key is nobody's partner, but null must not meet null in PARTITION BY.
	rightSide := 0
	if x.Strict {
		rightSide = 2
	}
	right := p.asofSide(x.Right, x.RightTime, rightKeys, false, rightSide)
	in := right.scope()
	needed := []tree.Scalar{x.RightTime}
	for _, k := range keys {
		if !k.NullSafe {
			needed = append(needed, k.Right)
		}
	}
	for _, s := range needed {
		if s.Nullable() {
			right.where = append(right.where[:len(right.where):len(right.where)], scalar(s, in, precAnd+1)+" IS NOT NULL")
		}
	}
	both := left.text() + "\nUNION ALL\n" + right.text()
	// Rows of one time stand in the order of the right columns, as structs compare; where some have no order, the others alone.
	order := []string{"r"}
	for _, f := range x.Right.Schema().Fields() {
		if !datatype.IsOrderable(f.Type) {
			order = nil
		}
	}
	if order == nil {
		names := make([]string, x.Right.Schema().Len())
		for i, f := range x.Right.Schema().Fields() {
			names[i] = "r." + Quote(f.Name)
		}
		order = orderOf(x.Right, names, make([]bool, len(names)))
	}
	last := func(time string) string {
		over := "ORDER BY " + time + ", side"
		for _, o := range order {
			over += ", " + o
		}
		if len(by) > 0 {
			over = "PARTITION BY " + strings.Join(by, ", ") + " " + over
		}
		return "last_value(r) IGNORE NULLS OVER (\n  " + over + "\n  ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW\n)"
	}
	const backward, forward = "time", "time DESC NULLS FIRST" // a left row without a time stands before every right one
	var made []item
	switch x.Direction {
	case tree.AsofBackward:
		made = []item{{last(backward), "r"}}
	case tree.AsofForward:
		made = []item{{last(forward), "r"}}
	case tree.AsofNearest:
		made = []item{{last(backward), "before"}, {last(forward), "after"}}
	}
	items := []item{{"l", "l"}}
	if x.Direction == tree.AsofNearest || x.Tolerance != nil {
		items = append(items, item{"time", "time"})
	}
	windows := &block{from: "(\n" + indent(both) + "\n)", items: append(items, made...)}
	out := &block{rel: x, from: "(\n" + indent(windows.text()) + "\n)", simple: true}
	kept := []string{"l IS NOT NULL"}
	if choice := asofChoice(x); choice == "" {
		out.where = kept
	} else {
		chosen := &block{from: out.from, items: []item{{"l", "l"}, {choice, "r"}}, where: kept}
		out.from = "(\n" + indent(chosen.text()) + "\n)"
	}
	for i, c := range x.Output {
		side, r := "l.", x.Left
		if c.FromRight {
			side, r = "r.", x.Right
		}
		text := side + Quote(r.Schema().Field(c.Ordinal).Name)
		out.cols = append(out.cols, text)
		out.items = append(out.items, item{text, x.Schema().Field(i).Name})
	}
	return out
}

// asofSide prints one side of the union below an as-of join: time, keys, the side's number, and the row.
func (p *printer) asofSide(r tree.Relation, time tree.Scalar, keys []tree.Scalar, left bool, number int) *block {
	b := p.query(r)
	if !b.open() || !b.simple {
		b = p.nest(b)
	}
	in := b.scope()
	out := b.as(r)
	out.items = []item{{scalar(explicit(time), in, 0), "time"}}
	for i, k := range keys {
		out.items = append(out.items, item{scalar(explicit(k), in, 0), "key" + strconv.Itoa(i+1)})
	}
	var fields []string
	marks := p.needed[p.skip(r)]
	for i, f := range r.Schema().Fields() {
		if i >= len(marks) || marks[i] {
			fields = append(fields, item{b.cols[i], f.Name}.String())
		}
	}
	row := []item{{"struct(" + strings.Join(fields, ", ") + ")", "l"}, {"NULL", "r"}}
	if !left {
		row = []item{{"NULL", "l"}, {row[0].expr, "r"}}
	}
	out.items = append(append(out.items, item{strconv.Itoa(number), "side"}), row...)
	return out
}

// explicit writes the cast to a common type out: the sides of a union must have the types that the comparison has.
func explicit(s tree.Scalar) tree.Scalar {
	if c, ok := s.(*tree.Cast); ok && c.Implicit {
		e := *c
		e.Implicit = false
		return &e
	}
	return s
}

// asofChoice writes the right row of a window's candidates, "" where the one candidate is it.
func asofChoice(x *tree.AsofJoin) string {
	within := func(distance string) string {
		if x.Tolerance == nil {
			return ""
		}
		return distance + " <= " + asofBound(x)
	}
	switch {
	case x.Direction == tree.AsofNearest:
		before, after := asofDistance(x, "time", "before"), asofDistance(x, "after", "time")
		if x.Tolerance == nil {
			return "if(after IS NULL OR " + before + " <= " + after + ", before, after)"
		}
		return "CASE\n  WHEN " + within(before) + "\n    AND (after IS NULL OR " + before + " <= " + after + ")\n    THEN before\n  WHEN " + within(after) + " THEN after\nEND"
	case x.Tolerance == nil:
		return ""
	case x.Direction == tree.AsofForward:
		return "if(" + within(asofDistance(x, "r", "time")) + ", r, NULL)"
	}
	return "if(" + within(asofDistance(x, "time", "r")) + ", r, NULL)"
}

// asofDistance writes how much later one time is than another, each the left row's time or that of a right row: in elapsed microseconds for time
// stamps, since Spark's own difference of them follows the clocks of the session's zone; in a type that no difference leaves, for integers.
func asofDistance(x *tree.AsofJoin, late, early string) string {
	t := x.LeftTime.Type()
	read := func(from string) string {
		if from == "time" {
			return from
		}
		return scalar(explicit(x.RightTime), func(c *tree.Column) (string, int) { return from + "." + Quote(c.Field().Name), catalog.PrecAtom }, 0)
	}
	late, early = read(late), read(early)
	switch t.Kind() {
	case datatype.KindTimestamp:
		return "unix_micros(" + late + ") - unix_micros(" + early + ")"
	case datatype.KindDate:
		return "datediff(" + late + ", " + early + ")"
	case datatype.KindLong:
		return "CAST(" + late + " AS DECIMAL(20, 0)) - " + early
	case datatype.KindFloat:
		return "if(" + late + " = " + early + ", 0D, CAST(" + late + " AS DOUBLE) - " + early + ")"
	case datatype.KindDouble:
		return "if(" + late + " = " + early + ", 0D, " + late + " - " + early + ")" // infinities and NaN have no difference
	}
	if datatype.IsIntegral(t) {
		return "CAST(" + late + " AS BIGINT) - " + early
	}
	return late + " - " + early
}

// asofBound writes the tolerance in the unit of asofDistance.
func asofBound(x *tree.AsofJoin) string {
	if us, ok := x.Tolerance.Value.(int64); ok {
		switch x.LeftTime.Type().Kind() {
		case datatype.KindTimestamp:
			return strconv.FormatInt(us, 10)
		case datatype.KindDate:
			return strconv.FormatInt(us/86_400_000_000, 10)
		}
	}
	return Literal(x.Tolerance)
}

// orderOf writes the columns of a relation that have an order, but for some: they settle which of several right rows counts.
func orderOf(r tree.Relation, cols []string, without []bool) []string {
	var out []string
	for i, f := range r.Schema().Fields() {
		if datatype.IsOrderable(f.Type) && !without[i] {
			out = append(out, cols[i])
		}
	}
	return out
}
