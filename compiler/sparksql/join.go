package sparksql

import (
	"slices"
	"strconv"
	"strings"

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
	left := p.query(x.Left)
	c := &chain{}
	var where []string
	volatile := false
	if left.chains(x) {
		c.taken, c.sides = append(c.taken, left.joined.taken...), append(c.sides, left.joined.sides...)
		where, volatile = left.where, left.volatile
	} else {
		left = p.side(left, "l", c, x.Right)
	}
	var right *block
	number := ""
	on := parts(x.On)
	if x.Kind.Any() {
		right, on, number = p.first(x, c)
	} else {
		right = p.side(p.query(x.Right), "r", c, x.Left)
	}
	in := func(c *tree.Column) string {
		if c.Rel == x.Right {
			return right.cols[c.Ordinal]
		}
		return left.cols[c.Ordinal]
	}
	texts := make([]string, len(on))
	for i, s := range on {
		texts[i] = scalar(s, in, precAnd)
	}
	if number != "" {
		texts = append(texts, right.alias+"."+number+" = 1")
	}
	out := &block{rel: x, from: left.from + "\n" + joinWords(x.Kind) + " " + right.from, simple: true, where: where, joined: c, volatile: volatile, hints: append(left.hints[:len(left.hints):len(left.hints)], right.hints...)}
	if len(texts) > 0 {
		out.from += "\n  ON " + strings.Join(texts, " AND ")
	}
	for i, c := range x.Output {
		side := left
		if c.FromRight {
			side = right
		}
		text := side.cols[c.Ordinal]
		out.cols = append(out.cols, text)
		out.items = append(out.items, item{text, x.Schema().Field(i).Name})
	}
	return out
}

// chains tells whether the join x of the block with another table can be put behind the joins that it has. Its WHERE then looks at the rows of the
// whole chain, which is the same unless the join keeps right rows without a partner or the condition is another one each time.
func (b *block) chains(x *tree.Join) bool {
	if b.joined == nil || len(b.strategies) > 0 || !b.open() || !b.simple || b.generator || len(b.where) > 0 && (b.volatile || x.Kind == tree.RightJoin || x.Kind == tree.FullJoin) {
		return false
	}
	for _, alias := range b.joined.taken {
		if len(x.Right.Schema().Lookup(unquoted(alias))) > 0 {
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
func (p *printer) side(b *block, fallback string, c *chain, others ...tree.Relation) *block {
	r := b.rel
	others = append(append(others, c.sides...), r)
	isColumn := func(alias string) bool {
		for _, o := range others {
			if len(o.Schema().Lookup(alias)) > 0 {
				return true
			}
		}
		return false
	}
	plain := b.open() && b.items == nil && len(b.where) == 0 && b.alias != "" && !strings.HasPrefix(b.from, "VALUES")
	alias := ""
	// A plain table keeps its name, unless a column of any side has it too or it is taken.
	if plain && !strings.Contains(b.alias, ".") && !isColumn(unquoted(b.alias)) && !c.has(b.alias) {
		alias = b.alias
	}
	explicit := alias == ""
	if explicit {
		alias = p.fallback(fallback, c, isColumn)
	}
	c.taken, c.sides = append(c.taken, alias), append(c.sides, r)
	p.used = append(p.used, unquoted(alias))
	out := &block{rel: r, from: b.from, alias: alias, simple: true}
	for _, s := range b.strategies {
		out.hints = append(out.hints, s+"("+alias+")")
	}
	if !plain {
		out.from = "(\n" + indent(b.text()) + "\n)"
	}
	if explicit {
		out.from += " AS " + alias
	}
	for _, f := range r.Schema().Fields() {
		out.cols = append(out.cols, alias+"."+Quote(f.Name))
	}
	return out
}

func (c *chain) has(alias string) bool {
	for _, t := range c.taken {
		if datatype.FoldName(unquoted(t)) == datatype.FoldName(unquoted(alias)) {
			return true
		}
	}
	return false
}

// fallback makes up an alias. Neither another side nor a struct column of one may have the name: alias.field would mean that one.
func (p *printer) fallback(name string, c *chain, isColumn func(string) bool) string {
	p.alias++
	alias := name
	n := 1
	if p.alias > 2 {
		n = (p.alias + 1) / 2
		alias = name + strconv.Itoa(n)
	}
	for c.has(alias) {
		n++
		alias = name + strconv.Itoa(n)
	}
	for isColumn(alias) || c.has(alias) {
		alias = "_" + alias
	}
	return alias
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
	if !b.open() || !b.simple || b.items != nil {
		b = p.nest(b)
	}
	keys, _, onRight, _ := tree.SplitJoin(x.On, x.Left, x.Right)
	in := b.scope()
	inner := b.as(x.Right)
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
	return p.side(inner, "r", c, x.Left), on, number
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
		return "last_value(r) IGNORE NULLS OVER (\n    " + over + "\n    ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW\n  )"
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
	if !b.open() || !b.simple || b.items != nil && b.joined == nil {
		b = p.nest(b)
	}
	in := b.scope()
	out := b.as(r)
	out.items = []item{{scalar(explicit(time), in, 0), "time"}}
	for i, k := range keys {
		out.items = append(out.items, item{scalar(explicit(k), in, 0), "key" + strconv.Itoa(i+1)})
	}
	fields := make([]string, r.Schema().Len())
	for i, f := range r.Schema().Fields() {
		fields[i] = item{b.cols[i], f.Name}.String()
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
		return "CASE\n    WHEN " + within(before) + "\n      AND (after IS NULL OR " + before + " <= " + after + ")\n      THEN before\n    WHEN " + within(after) + " THEN after\n  END"
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
		return scalar(explicit(x.RightTime), func(c *tree.Column) string { return from + "." + Quote(c.Field().Name) }, 0)
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
