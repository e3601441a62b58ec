package expr

import (
	"sort"
	"strings"

	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// resolveCall types a call and casts its arguments implicitly. With an argument of unknown type the call stays unresolved; it is
// tried again when its names are bound.
func resolveCall(c *tree.Call) (tree.Scalar, *condition.Error) {
	out := *c
	out.Args = make([]tree.Scalar, len(c.Args))
	args := make([]catalog.Arg, len(c.Args))
	for i, a := range c.Args {
		a = tree.StripImplicit(a)
		out.Args[i] = a
		args[i] = catalog.Arg{Type: a.Type(), Nullable: a.Nullable()}
		inner, _ := tree.StripAlias(a)
		switch x := inner.(type) {
		case *tree.Literal:
			args[i].Literal, args[i].IsLiteral = x.Value, true
			if list, ok := x.Value.([]any); ok && x.Typ.Kind() == datatype.KindArray {
				for _, v := range list {
					args[i].Elements = append(args[i].Elements, tree.NullableLiteral(v))
				}
			}
		case *tree.Call:
			if x.Func.Name == "array" {
				for _, e := range x.Args {
					args[i].Elements = append(args[i].Elements, e.Nullable())
				}
			}
		case *tree.Column:
			args[i].Name = x.Field().Name
		case *tree.GetField:
			args[i].Name = x.Name()
		case *tree.Lambda:
			args[i] = bodyTyper(x, &out.Args[i])
		}
	}
	t, err := c.Func.Resolve(args, true)
	if err != nil {
		if err.Pos.IsZero() { // else it is of the body of a lambda
			err.Operator = c.Func.Name
			err.Pos = c.At
		}
		return nil, err
	}
	out.Typ, out.Null = t.Result, t.Nullable
	if t.Result.Kind() != datatype.KindInvalid {
		for i, a := range out.Args {
			if _, ok := a.(*tree.Lambda); !ok {
				out.Args[i] = implicit(a, t.Args[i])
			}
		}
	}
	if c.Where != nil && c.Where.Type().Kind() != datatype.KindInvalid && c.Where.Type().Kind() != datatype.KindBoolean {
		e := condition.Newf(condition.FilterNotBoolean, "The filter of %s is %s, not BOOLEAN.", c.Func.Name, c.Where.Type())
		e.Pos = c.At
		return nil, e
	}
	return &out, nil
}

func implicit(s tree.Scalar, t datatype.Type) tree.Scalar {
	if t == nil || t.Kind() == datatype.KindInvalid || datatype.EqualIgnoringNulls(s.Type(), t) {
		return s
	}
	return &tree.Cast{Arg: s, To: t, Implicit: true, At: s.Pos()}
}

// resolveCase gives the branches of a CASE their common type.
func resolveCase(c *tree.Case) (tree.Scalar, *condition.Error) {
	out := *c
	out.Whens = append([]tree.When(nil), c.Whens...)
	var t datatype.Type = datatype.Null
	join := func(s tree.Scalar) *condition.Error {
		u, ok := datatype.Common(t, s.Type(), true)
		if !ok {
			e := condition.Newf("DATATYPE_MISMATCH.DATA_DIFF_TYPES", "The branches of a CASE must have a common type, but %s and %s have none.", t, s.Type())
			e.Operator, e.Pos, e.Hint = "CASE", c.At, "Cast one of them."
			return e
		}
		t = u
		return nil
	}
	unknown := false
	see := func(s tree.Scalar) { unknown = unknown || s.Type().Kind() == datatype.KindInvalid }
	for i, w := range out.Whens {
		w.Then = tree.StripImplicit(w.Then)
		out.Whens[i] = w
		see(w.Then)
		if k := w.Cond.Type().Kind(); k != datatype.KindBoolean && k != datatype.KindInvalid && k != datatype.KindNull {
			e := condition.Newf(condition.DatatypeMismatch, "The condition of a CASE is %s, not BOOLEAN.", w.Cond.Type())
			e.Operator, e.Pos = "CASE", c.At
			return nil, e
		}
	}
	if out.Else != nil {
		out.Else = tree.StripImplicit(out.Else)
		see(out.Else)
	}
	if unknown {
		out.Typ = datatype.Invalid
		return &out, nil
	}
	for _, w := range out.Whens {
		if err := join(w.Then); err != nil {
			return nil, err
		}
	}
	if out.Else != nil {
		if err := join(out.Else); err != nil {
			return nil, err
		}
	}
	out.Typ = t
	for i, w := range out.Whens {
		out.Whens[i].Then = implicit(w.Then, t)
	}
	if out.Else != nil {
		out.Else = implicit(out.Else, t)
	}
	return &out, nil
}

// resolveCast refuses casts that Spark refuses for their types.
func resolveCast(c *tree.Cast) (tree.Scalar, *condition.Error) {
	from := c.Arg.Type()
	if from.Kind() == datatype.KindInvalid || c.Implicit || canCast(from, c.To) {
		return c, nil
	}
	e := condition.Newf(condition.CastWithoutSuggestion, "Cannot cast %s to %s.", from, c.To)
	e.Operator, e.Pos = "CAST", c.At
	return nil, e
}

// canCast is Spark's Cast.canAnsiCast on the types' kinds. An integer as BINARY is for sessions without ANSI only, and not offered.
func canCast(from, to datatype.Type) bool {
	f, t := from.Kind(), to.Kind()
	switch {
	case datatype.EqualIgnoringNulls(from, to), f == datatype.KindNull, datatype.IsString(to) && f != datatype.KindVariant:
		return true
	case datatype.IsString(from):
		return t < datatype.KindArray || t == datatype.KindVariant
	case datatype.IsNumeric(from):
		return datatype.IsNumeric(to) || t == datatype.KindBoolean || t == datatype.KindTimestamp || (datatype.IsIntegral(from) || f == datatype.KindDecimal) && (t == datatype.KindYearMonth || t == datatype.KindDayTime)
	case f == datatype.KindBoolean:
		return datatype.IsNumeric(to)
	case datatype.IsDatetime(from):
		return datatype.IsDatetime(to) || f == datatype.KindTimestamp && datatype.IsNumeric(to)
	case f == datatype.KindYearMonth:
		return t == datatype.KindYearMonth || datatype.IsIntegral(to) || t == datatype.KindDecimal
	case f == datatype.KindDayTime:
		return t == datatype.KindDayTime || datatype.IsIntegral(to) || t == datatype.KindDecimal
	case f == datatype.KindTime:
		return t == datatype.KindTime
	case f == datatype.KindVariant:
		return true
	}
	switch x := from.(type) {
	case datatype.Array:
		y, ok := to.(datatype.Array)
		return ok && canCast(x.Elem, y.Elem)
	case datatype.Map:
		y, ok := to.(datatype.Map)
		return ok && canCast(x.Key, y.Key) && canCast(x.Value, y.Value)
	case datatype.Struct:
		y, ok := to.(datatype.Struct)
		if !ok || len(x.Fields) != len(y.Fields) {
			return false
		}
		for i := range x.Fields {
			if !canCast(x.Fields[i].Type, y.Fields[i].Type) {
				return false
			}
		}
		return true
	}
	return false
}

// lookup finds a free name in a relation's columns.
func lookup(rel tree.Relation, u *tree.Unbound) (tree.Scalar, *condition.Error) {
	found := rel.Schema().Lookup(u.Name)
	switch {
	case len(found) == 0:
		e := condition.Newf(condition.UnresolvedColumn, "There is no column %s.", datatype.QuoteName(u.Name))
		e.Pos = u.At
		names := candidates(u.Name, rel.Schema().Names())
		if len(names) > 0 {
			e.Hint = "Did you mean " + strings.Join(names, ", ") + "?"
		}
		return nil, e
	case len(found) > 1:
		// A name in exactly the user's letters wins over one that differs by case only.
		exact := -1
		for _, i := range found {
			if rel.Schema().Field(i).Name == u.Name {
				if exact >= 0 {
					exact = -2
					break
				}
				exact = i
			}
		}
		if exact < 0 {
			e := condition.Newf(condition.AmbiguousReference, "Column %s occurs %d times.", datatype.QuoteName(u.Name), len(found))
			e.Pos = u.At
			e.Hint = "Rename one of them before they meet."
			return nil, e
		}
		found = []int{exact}
	}
	c := &tree.Column{Rel: rel, Ordinal: found[0], At: u.At}
	if err := checkFamily(u.Family, c); err != nil {
		return nil, err
	}
	return c, nil
}

// candidates gives the names nearest to a wrong one, nearest first: those that a slip of the hand explains, or some of all where none is near; at most five.
func candidates(name string, have []string) []string {
	type near struct {
		name string
		d    int
	}
	var all []near
	for _, h := range have {
		all = append(all, near{datatype.QuoteName(h), distance(datatype.FoldName(name), datatype.FoldName(h))})
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].d < all[j].d })
	var out []string
	for _, n := range all[:min(5, len(all))] {
		if near := all[0].d; near <= (len(name)+1)/3 && n.d > near+1 {
			break
		}
		out = append(out, n.name)
	}
	return out
}

// distance is Levenshtein's edit distance by bytes, cut off for very long names.
func distance(a, b string) int {
	a, b = a[:min(len(a), 64)], b[:min(len(b), 64)]
	prev := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		last := prev[0]
		prev[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			last, prev[j] = prev[j], min(prev[j]+1, prev[j-1]+1, last+cost)
		}
	}
	return prev[len(b)]
}

// binder binds values to the relations that an operator reads: one, or the two of a join.
type binder struct {
	inputs []tree.Relation
	// outside lets columns of other tables be: the table may become a subquery of theirs.
	outside bool
	origins map[origin][]place // lazily filled
	errs    []*condition.Error
}

// origin is a column of some relation below an input; place is the input's column that it became.
type origin struct {
	rel tree.Relation
	ord int
}

type place struct{ input, ord int }

// bind gives s over the binder's inputs: names are looked up, columns of ancestors move up, and every call is typed again.
func (b *binder) bind(s tree.Scalar) tree.Scalar {
	if err := strayParameter(s); err != nil {
		b.errs = append(b.errs, err)
		return &tree.Bad{At: s.Pos()}
	}
	return tree.Rewrite(s, func(s tree.Scalar) tree.Scalar {
		var out tree.Scalar
		var err *condition.Error
		switch x := s.(type) {
		case *tree.Unbound:
			out, err = b.name(x)
		case *tree.Column:
			out, err = b.column(x)
		case *tree.Subquery:
			out, err = b.subquery(x)
		default:
			out, err = retype(s)
		}
		if err != nil {
			if n := len(b.errs); n == 0 || b.errs[n-1].Error() != err.Error() {
				b.errs = append(b.errs, err)
			}
			return &tree.Bad{At: s.Pos()}
		}
		return out
	})
}

func (b *binder) name(u *tree.Unbound) (tree.Scalar, *condition.Error) {
	if u.Find != nil {
		return b.find(u)
	}
	if len(b.inputs) == 1 {
		return lookup(b.inputs[0], u)
	}
	var hit tree.Scalar
	var first *condition.Error
	for _, in := range b.inputs {
		n, err := lookup(in, u)
		if err != nil {
			if first == nil || err.Condition != condition.UnresolvedColumn {
				first = err
			}
			continue
		}
		if hit != nil {
			e := condition.Newf(condition.AmbiguousReference, "Column %s is on both sides of the join.", datatype.QuoteName(u.Name))
			e.Pos = u.At
			e.Hint = "Take it from one table: left.Col(…) or right.Col(…)."
			return nil, e
		}
		hit = n
	}
	if hit == nil {
		return nil, first
	}
	return hit, nil
}

// find makes the value of a selector over the one table that receives it.
func (b *binder) find(u *tree.Unbound) (tree.Scalar, *condition.Error) {
	if len(b.inputs) > 1 {
		e := condition.Newf(condition.Unsupported, "%s picks columns of one table, and a join condition has two.", u.Name)
		e.Pos, e.Operator, e.Hint = u.At, u.Name, "Mutate a column of it before the join, or filter behind it."
		return nil, e
	}
	n, errs := u.Find(b.inputs[0])
	if len(errs) == 0 {
		return n, nil
	}
	b.errs = merge(b.errs, errs[:len(errs)-1])
	return nil, errs[len(errs)-1]
}

func (b *binder) column(c *tree.Column) (tree.Scalar, *condition.Error) {
	if b.outside && !b.has(c.Rel) {
		return &tree.Outer{Rel: c.Rel, Ordinal: c.Ordinal, At: c.At, Unbound: b.notHere(c, c.Field().Name)}, nil
	}
	for i, in := range b.inputs {
		if c.Rel != in {
			continue
		}
		for _, other := range b.inputs[i+1:] {
			if other == in {
				e := condition.Newf(condition.AmbiguousReference, "Column %s is on both sides of a join of a table with itself.", datatype.QuoteName(c.Field().Name))
				e.Pos, e.Hint = c.At, "Join with t.View(), and take the right side's columns from the view."
				return nil, e
			}
		}
		return c, nil
	}
	if b.origins == nil {
		b.origins = map[origin][]place{}
		for k, in := range b.inputs {
			for i := range in.Schema().Len() {
				rel, ord, ok := tree.Origin(in, i)
				for ok {
					o := origin{rel, ord}
					b.origins[o] = append(b.origins[o], place{k, i})
					rel, ord, ok = tree.Origin(rel, ord)
				}
			}
		}
	}
	name := c.Field().Name
	places := b.origins[origin{c.Rel, c.Ordinal}]
	if len(places) > 1 {
		// The same column under several names: the one that kept its name is meant.
		var same []place
		for _, p := range places {
			if b.inputs[p.input].Schema().Field(p.ord).Name == name {
				same = append(same, p)
			}
		}
		if len(same) != 1 {
			e := condition.Newf(condition.AmbiguousReference, "Column %s of the table made at %s reaches this table in %d columns.", datatype.QuoteName(name), c.Rel.Pos(), len(places))
			e.Pos = c.At
			e.Hint = "Take the column from the table that is used here, under its name there; a self-join needs t.View()."
			return nil, e
		}
		places = same
	}
	if len(places) == 1 {
		p := places[0]
		return &tree.Column{Rel: b.inputs[p.input], Ordinal: p.ord, At: c.At}, nil
	}
	return nil, b.notHere(c, name)
}

// notHere explains why a column of another table is no column of the inputs.
func (b *binder) notHere(c *tree.Column, name string) *condition.Error {
	var ancestor bool
	var at condition.Pos
	var now string
	for _, in := range b.inputs {
		tree.WalkRelations(in, func(r tree.Relation) { ancestor = ancestor || r == c.Rel })
		if i := in.Schema().Lookup(name); len(i) > 0 {
			now = in.Schema().Field(i[0]).Name
		}
		at = in.Pos()
	}
	q := datatype.QuoteName(name)
	var e *condition.Error
	switch {
	case ancestor && now != "":
		e = condition.Newf(condition.UnboundColumn, "Column %s of the table made at %s was redefined: the table made at %s has another column %s.", q, c.Rel.Pos(), at, datatype.QuoteName(now))
		e.Hint = "Take the new one from the table that is used here, or by name with expr.Col."
	case ancestor:
		e = condition.Newf(condition.UnboundColumn, "Column %s of the table made at %s was dropped on the way to the table made at %s.", q, c.Rel.Pos(), at)
		e.Hint = "Keep it in Select, or use it before it is dropped."
	default:
		e = condition.Newf(condition.UnboundColumn, "Column %s belongs to the table made at %s, which the table made at %s does not descend from.", q, c.Rel.Pos(), at)
		e.Hint = "Join the two tables first, or use a column of this one. In the Filter of a subquery it is a column of the table that receives the subquery."
	}
	e.Pos = c.At
	return e
}

// resolveField finds a struct's field by the name that the user gave.
func resolveField(g *tree.GetField) (tree.Scalar, *condition.Error) {
	t := g.Arg.Type()
	if t.Kind() == datatype.KindInvalid {
		return g, nil
	}
	s, ok := t.(datatype.Struct)
	if !ok {
		e := condition.Newf("INVALID_EXTRACT_BASE_FIELD_TYPE", "Field %s cannot be taken from %s, which is no struct.", datatype.QuoteName(g.Key), t)
		e.Pos = g.At
		return nil, e
	}
	at, names := -1, make([]string, len(s.Fields))
	for i, f := range s.Fields {
		names[i] = f.Name
		if datatype.FoldName(f.Name) != datatype.FoldName(g.Key) {
			continue
		}
		if at >= 0 && f.Name != g.Key && s.Fields[at].Name != g.Key {
			e := condition.Newf("AMBIGUOUS_REFERENCE_TO_FIELDS", "Field %s occurs more than once in %s.", datatype.QuoteName(g.Key), t)
			e.Pos = g.At
			return nil, e
		}
		if at < 0 || f.Name == g.Key {
			at = i
		}
	}
	if at < 0 {
		e := condition.Newf(condition.UnresolvedField, "There is no field %s in %s.", datatype.QuoteName(g.Key), t)
		e.Pos = g.At
		if c := candidates(g.Key, names); len(c) > 0 {
			e.Hint = "Did you mean " + strings.Join(c, ", ") + "?"
		}
		return nil, e
	}
	out := *g
	out.Ordinal = at
	return &out, nil
}
