package conformance

import (
	"slices"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/selectors"
	"github.com/spoonbill-go/spoonbill/window"
)

// randomOp is an operation of random trees.
type randomOp struct {
	name   string
	inputs int
	weight int
	// repeats: rows of the input may come more than once.
	repeats bool
	// apply gives the table, what is known of its new columns, and false where the input has nothing for it.
	apply func(g *gen, in []*rel) (expr.Table, map[string]mark, bool)
}

// refused is what an operation gives that its input has nothing for.
func refused() (expr.Table, map[string]mark, bool) { return expr.Table{}, nil, false }

// over makes an operation of one table.
func over(name string, weight int, apply func(g *gen, r *rel) (expr.Table, map[string]mark, bool)) *randomOp {
	return &randomOp{name: name, inputs: 1, weight: weight, apply: func(g *gen, in []*rel) (expr.Table, map[string]mark, bool) { return apply(g, in[0]) }}
}

// multiplying is over for an operation that repeats rows.
func multiplying(name string, weight int, apply func(g *gen, r *rel) (expr.Table, map[string]mark, bool)) *randomOp {
	op := over(name, weight, apply)
	op.repeats = true
	return op
}

// joining makes an operation of two tables.
func joining(name string, weight int, apply func(g *gen, l, r *rel) (expr.Table, map[string]mark, bool)) *randomOp {
	return &randomOp{name: name, inputs: 2, weight: weight, repeats: true, apply: func(g *gen, in []*rel) (expr.Table, map[string]mark, bool) { return apply(g, in[0], in[1]) }}
}

// riskyOp adds a value that may raise to all columns.
var riskyOp = over("value that may raise", 0, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
	g.risky = true
	x, ok := g.anything(r, true)
	if !ok || x.risks == 0 {
		return refused()
	}
	g.use(x.uses...)
	g.risks = x.risks
	return r.t.Mutate(x.v.As(g.fresh())), nil, true
})

// nearOp aggregates by functions whose last digits depend on how the rows are spread.
var nearOp = over("statistics", 0, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
	var aggs []expr.Value
	for range 1 + g.IntN(4) {
		a, ok := g.aggregateOf(r, false, true)
		if !ok {
			return refused()
		}
		g.use(a.uses...)
		aggs = append(aggs, a.v.As(g.fresh()))
	}
	g.near = true
	keys := some(g, r.where(plain), 0, 1)
	return r.t.GroupBy(names(keys)...).Agg(aggs...), nil, true
})

// mutateOp adds values by functions chosen among all.
var mutateOp = over("Mutate", 30, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
	var values []expr.Value
	marks := map[string]mark{}
	for range 1 + g.IntN(3) {
		x, ok := g.anything(r, false)
		if !ok {
			return refused()
		}
		g.use(x.uses...)
		name := g.fresh()
		if g.chance(0.1) {
			name = pickOf(g, r.cols).name
			g.use("column replaced")
		}
		if _, twice := marks[name]; twice {
			return refused()
		}
		marks[name] = x.mark
		values = append(values, x.v.As(name))
	}
	return r.t.Mutate(values...), marks, true
})

// orderOp puts the rows into one order.
var orderOp = over("OrderBy", 0, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
	r, ok := g.tidy(r)
	if !ok {
		return refused()
	}
	g.sorted = true
	return r.t.OrderBy(g.total(r)...), nil, true
})

var randomOps []*randomOp

// randomWeight is the sum of the weights.
var randomWeight int

func init() {
	randomOps = slices.Concat(rowOps(), shapeOps(), joinOps(), setOps(), groupOps(), overOps(), subqueryOps())
	for _, op := range randomOps {
		randomWeight += op.weight
	}
}

func rowOps() []*randomOp {
	return []*randomOp{
		over("Filter", 14, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			var conds []expr.BooleanValue
			for range 1 + g.IntN(2) {
				c, ok := g.condition(r)
				if !ok {
					return refused()
				}
				conds = append(conds, c)
			}
			return r.t.Filter(conds...), nil, true
		}),
		mutateOp,
		over("Select", 5, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			out := names(some(g, r.cols, 1, len(r.cols)))
			marks := map[string]mark{}
			if x, ok := g.anything(r, false); ok && g.chance(0.6) {
				g.use(x.uses...)
				name := g.fresh()
				marks[name] = x.mark
				out = append(out, x.v.As(name))
			}
			return r.t.Select(out...), marks, true
		}),
		over("Limit", 4, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			r, ok := g.tidy(r)
			if !ok {
				return refused()
			}
			t := r.t.OrderBy(g.total(r)...)
			g.sorted = true
			switch g.IntN(5) {
			case 0:
				g.use("Offset")
				return t.Limit(g.IntN(6), g.IntN(4)), nil, true
			case 1:
				g.use("Offset")
				return t.Limit(nil, g.IntN(4)), nil, true
			case 2:
				g.use("Limit computed")
				return t.Limit(expr.Lit(g.IntN(4)).AsNumeric().Add(g.IntN(3)), expr.Lit(1).AsNumeric().Mul(g.IntN(2))), nil, true
			case 3:
				g.use("Head")
				return t.Head(), nil, true
			}
			return t.Limit(g.IntN(9)), nil, true
		}),
		over("OrderBy", 3, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) { return orderOp.apply(g, []*rel{r}) }),
		over("OrderBy expression", 2, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			r, ok := g.tidy(r)
			if !ok {
				return refused()
			}
			x, ok := g.anything(r, false)
			if !ok || !datatype.IsOrderable(x.typ) || isMap(x.typ) {
				return refused()
			}
			g.use(x.uses...)
			g.sorted = true
			return r.t.OrderBy(append([]any{g.key(x.v)}, g.total(r)...)...), nil, true
		}),
		over("Distinct", 4, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			cols := some(g, r.where(plain), 1, 3)
			if cols == nil {
				return refused()
			}
			return r.t.Select(names(cols)...).Distinct(), nil, true
		}),
		over("DistinctOn", 6, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			r, ok := g.tidy(r)
			if !ok {
				return refused()
			}
			keep := g.IntN(3)
			g.use([]string{"keep first", "keep last", "keep none"}[keep])
			return r.t.DistinctOn(names(some(g, r.cols, 1, 2))...).OrderBy(g.total(r)...).Keep([]expr.Keep{expr.KeepFirst, expr.KeepLast, expr.KeepNone}[keep]), nil, true
		}),
		over("Limit of groups", 3, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			r, ok := g.tidy(r)
			if !ok {
				return refused()
			}
			return r.t.GroupBy(names(some(g, r.cols, 1, 2))...).OrderBy(g.total(r)...).Limit(1 + g.IntN(3)), nil, true
		}),
		over("Sample", 3, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			// Any other fraction chooses other rows on each backend.
			return r.t.Sample(float64(min(g.IntN(4), 1)), 7), nil, true
		}),
		over("Params", 6, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			cols := r.where(func(c rcol) bool { return c.typ.Kind() == datatype.KindInt || c.typ.Kind() == datatype.KindString })
			if len(cols) == 0 {
				return refused()
			}
			c := pickOf(g, cols)
			var v any = g.IntN(8)
			if c.typ.Kind() == datatype.KindString {
				v = pickOf(g, []string{"a", "SQL", "it's :x"})
			}
			name := g.fresh()
			p := expr.Param(name, c.typ)
			if g.chance(0.4) {
				p = expr.NullableParam(name, c.typ)
				if g.chance(0.5) {
					v = nil
				}
				g.use("NullableParam")
			}
			x := r.t.Col(c.name)
			// A column of a parameter that may be null is nullable before the value is known; Spark, which sees the value, may say that it is not.
			if !slices.Contains(g.uses, "NullableParam") && g.chance(0.5) {
				return r.t.Mutate(fnOf("coalesce", x, p).As(g.fresh())).Bind(expr.Params{name: v}), nil, true
			}
			return r.t.Filter(pickOf(g, []expr.BooleanValue{x.Le(p), x.EqNullSafe(p), x.NotEq(p)})).Bind(expr.Params{name: v}), nil, true
		}),
	}
}

func isKind(kinds ...datatype.Kind) func(c rcol) bool {
	return func(c rcol) bool { return slices.Contains(kinds, c.typ.Kind()) && !c.opaque }
}

func shapeOps() []*randomOp {
	unnest := func(name string, options func(g *gen) []expr.UnnestOption) *randomOp {
		return multiplying(name, 3, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			cols := r.where(isKind(datatype.KindArray))
			t := r.t
			var column string
			if len(cols) > 0 {
				column = pickOf(g, cols).name
			} else {
				x, ok := g.valueOf(r, datatype.Array{Elem: datatype.Int, ContainsNull: true}, 1, false)
				if !ok {
					return refused()
				}
				g.use(x.uses...)
				column = g.fresh()
				t = t.Mutate(x.v.As(column))
			}
			if options == nil {
				return t.UnnestOuter(column), nil, true
			}
			return t.Unnest(column, options(g)...), nil, true
		})
	}
	return []*randomOp{
		over("Drop", 2, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			if len(r.cols) < 2 {
				return refused()
			}
			return r.t.Drop(names(some(g, r.cols, 1, len(r.cols)-1))...), nil, true
		}),
		over("Rename", 2, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			m, marks := map[string]string{}, map[string]mark{}
			for _, c := range some(g, r.cols, 1, 2) {
				n := g.fresh()
				m[n], marks[n] = c.name, c.mark
			}
			return r.t.Rename(m), marks, true
		}),
		over("RenameBy", 2, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			suffix := "_" + g.fresh()
			marks := map[string]mark{}
			for _, c := range r.cols {
				marks[c.name+suffix] = c.mark
			}
			return r.t.RenameBy(func(n string) string { return n + suffix }), marks, true
		}),
		over("Relocate", 2, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			cols := some(g, r.cols, 1, 2)
			to := pickOf(g, r.cols).name
			switch g.IntN(3) {
			case 0:
				return r.t.Relocate(append(names(cols), expr.Before(to))...), nil, true
			case 1:
				return r.t.Relocate(append(names(cols), expr.After(to))...), nil, true
			}
			return r.t.Relocate(names(cols)...), nil, true
		}),
		over("Cast", 3, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			types, marks := map[string]datatype.Type{}, map[string]mark{}
			for _, c := range some(g, r.cols, 1, 2) {
				to := pickOf(g, castTargets)
				if !c.opaque && widens(sv{typ: c.typ, mark: c.mark}, to) {
					types[c.name], marks[c.name] = to, castMark(c, to)
				}
			}
			if len(types) == 0 {
				return refused()
			}
			return r.t.Cast(types), marks, true
		}),
		over("TryCast", 3, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			types, marks := map[string]datatype.Type{}, map[string]mark{}
			for _, c := range some(g, r.cols, 1, 2) {
				to := pickOf(g, castTargets)
				types[c.name], marks[c.name] = to, castMark(c, to)
			}
			return r.t.TryCast(types), marks, true
		}),
		over("FillNull", 3, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			if g.chance(0.5) {
				return r.t.FillNull(pickOf(g, []any{0, "none", 1.5})), nil, true
			}
			fill := map[string]any{}
			for _, c := range some(g, r.where(func(c rcol) bool { return !c.opaque }), 1, 2) {
				l := g.literal(c.typ)
				fill[c.name] = l.v
			}
			return r.t.FillNull(fill), nil, true
		}),
		over("DropNull", 3, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			if g.chance(0.3) {
				return r.t.DropNull(expr.AllNull), nil, true
			}
			return r.t.DropNull(pickOf(g, []expr.How{expr.AnyNull, expr.AllNull}), names(some(g, r.cols, 1, 3))...), nil, true
		}),
		unnest("Unnest", func(*gen) []expr.UnnestOption { return nil }),
		unnest("Unnest with position", func(g *gen) []expr.UnnestOption {
			out := []expr.UnnestOption{expr.WithPosition(g.fresh())}
			if g.chance(0.5) {
				out = append(out, expr.KeepEmpty())
			}
			return out
		}),
		unnest("UnnestOuter", nil),
		over("Unpack", 2, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			if cols := r.where(isKind(datatype.KindStruct)); len(cols) > 0 {
				return r.t.Unpack(pickOf(g, cols).name), nil, true
			}
			x, ok := g.leafOf(r, datatype.String, true)
			if !ok {
				return refused()
			}
			c := g.fresh()
			return r.t.Mutate(fnOf("named_struct", g.fresh(), x.v, g.fresh(), 1).As(c)).Unpack(c), nil, true
		}),
		over("Field of a struct", 2, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			cols := r.where(isKind(datatype.KindStruct))
			if len(cols) == 0 {
				return refused()
			}
			c := pickOf(g, cols)
			f := pickOf(g, c.typ.(datatype.Struct).Fields)
			return r.t.Mutate(r.t.Struct(c.name).Field(f.Name).As(g.fresh())), nil, true
		}),
		over("Across", 3, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			p := "{col}_" + g.fresh()
			switch g.IntN(5) {
			case 0, 4:
				g.use("selector of a type")
				return r.t.Mutate(expr.Across(selectors.OfType(datatype.String), expr.StringValue.Upper, p)), nil, true
			case 1:
				g.use("selector of numbers")
				return r.t.Mutate(expr.Across(selectors.Numeric(), func(v expr.NumericValue) expr.BooleanValue { return v.Gt(1) }, p)), nil, true
			case 2:
				g.use("selector by a condition")
				return r.t.Select(selectors.All(), expr.Across(selectors.Where(func(f selectors.Field) bool { return f.Nullable }), expr.AnyValue.IsNull, p)), nil, true
			}
			g.use("selector of numbers")
			return r.t.Agg(expr.Across(selectors.All(), expr.AnyValue.Count, p)), nil, true
		}),
		over("Select by selectors", 2, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			s := pickOf(g, []selectors.Selector{selectors.Numeric(), selectors.First(), selectors.Last(), selectors.Contains("c"), selectors.StartsWith("c", "s"), selectors.Matches("^[a-z]+$"), selectors.Range(0, 3)})
			if g.chance(0.3) {
				s = s.Not()
			}
			return r.t.Select(s), nil, true
		}),
		over("IfAny, IfAll", 2, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			if g.chance(0.5) {
				return r.t.Filter(expr.IfAny(selectors.All(), expr.AnyValue.NotNull)), nil, true
			}
			return r.t.Filter(expr.IfAll(selectors.Numeric(), func(v expr.NumericValue) expr.BooleanValue { return v.Ge(0) })), nil, true
		}),
		multiplying("PivotLonger", 4, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			cols := some(g, r.where(func(c rcol) bool { return datatype.IsNumeric(c.typ) && !c.opaque }), 1, 3)
			if cols == nil {
				return refused()
			}
			name, value := g.fresh(), g.fresh()
			return r.t.PivotLonger(names(cols), expr.NamesTo(name), expr.ValuesTo(value)), nil, true
		}),
		over("PivotWider", 4, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			from := some(g, r.where(isKind(datatype.KindString, datatype.KindInt, datatype.KindByte, datatype.KindBoolean)), 1, 1)
			values := some(g, r.where(func(c rcol) bool { return datatype.IsNumeric(c.typ) && !c.opaque && !c.inexact && c.mag < 1<<40 }), 1, 1)
			if from == nil || values == nil || from[0].name == values[0].name {
				return refused()
			}
			ids := some(g, r.where(func(c rcol) bool { return plain(c) && c.name != from[0].name && c.name != values[0].name }), 1, 2)
			if ids == nil {
				return refused()
			}
			var given []any
			switch from[0].typ.Kind() {
			case datatype.KindString:
				given = []any{"a", "b", "SQL"}
			case datatype.KindBoolean:
				given = []any{true, false}
			case datatype.KindByte:
				given = []any{int8(1), int8(0)}
			default:
				given = []any{1, 2, 7}
			}
			options := []expr.PivotOption{expr.IDCols(names(ids)...), expr.NamesFrom(from[0].name), expr.ValuesFrom(values[0].name), expr.PivotNames(given...), expr.NamesPrefix(g.fresh())}
			switch g.IntN(3) {
			case 0:
				options = append(options, expr.ValuesAgg(expr.NumericValue.Sum))
			case 1:
				options = append(options, expr.ValuesAgg(expr.AnyValue.Max))
			default:
				options = append(options, expr.ValuesAgg(expr.AnyValue.Count))
			}
			if g.chance(0.4) {
				options = append(options, expr.ValuesFill(0))
			}
			return r.t.PivotWider(options...), nil, true
		}),
		over("Info", 2, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) { return r.t.Info(), nil, true }),
		over("Count", 2, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			if c, ok := g.condition(r); ok && g.chance(0.5) {
				return r.t.Count(c), map[string]mark{"count": {mag: 1e6}}, true
			}
			g.uses = nil
			return r.t.Count(), map[string]mark{"count": {mag: 1e6}}, true
		}),
		over("NUnique", 2, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			return r.t.NUnique(names(some(g, r.where(plain), 1, 3))...), map[string]mark{"nunique": {mag: 1e6}}, true
		}),
		over("ValueCounts", 2, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			return r.t.ValueCounts(names(some(g, r.where(plain), 1, 2))...), map[string]mark{"count": {mag: 1e6}}, true
		}),
		over("TopK", 2, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			cols := some(g, r.where(sortable), 1, 2)
			if cols == nil {
				return refused()
			}
			g.sorted = true
			return r.t.TopK(1+g.IntN(4), names(cols)...), map[string]mark{"count": {mag: 1e6}}, true
		}),
	}
}

// castMark is what is known of a column behind a cast.
func castMark(c rcol, to datatype.Type) mark {
	m := unknown(to)
	if datatype.IsIntegral(c.typ) && datatype.IsIntegral(to) {
		m.mag = min(m.mag, c.mag)
	}
	return m
}

// matching gives a left and a right column whose values can be compared and are likely to meet.
func (g *gen) matching(l, r *rel) (a, b rcol, ok bool) {
	type pair struct{ a, b rcol }
	var good []pair
	for _, a := range l.where(plain) {
		for _, b := range r.where(plain) {
			if _, ok := datatype.Common(a.typ, b.typ, true); ok && catalog.FamilyOf(a.typ) == catalog.FamilyOf(b.typ) {
				good = append(good, pair{a, b})
				if a.typ.Kind() == b.typ.Kind() {
					good = append(good, pair{a, b}, pair{a, b})
				}
			}
		}
	}
	if len(good) == 0 {
		return a, b, false
	}
	p := pickOf(g, good)
	return p.a, p.b, true
}

// on gives the conditions of a join; keysOnly for one that takes equalities alone.
func (g *gen) on(l, r *rel, keysOnly bool) ([]any, bool) {
	var out []any
	for range 1 + g.IntN(2) {
		a, b, ok := g.matching(l, r)
		if !ok {
			return nil, false
		}
		x, y := l.t.Col(a.name), r.t.Col(b.name)
		switch n := g.IntN(10); {
		case n < 5 && a.name == b.name:
			out = append(out, a.name)
		case n < 7 || keysOnly:
			out = append(out, [2]string{a.name, b.name})
		case n == 7:
			g.use("join by EqNullSafe")
			out = append(out, x.EqNullSafe(y))
		case n == 8 || len(out) == 0 && g.chance(0.7):
			out = append(out, x.Eq(y))
		default:
			g.use("join by inequality")
			out = append(out, pickOf(g, []expr.BooleanValue{x.Lt(y), x.Ge(y), x.NotEq(y)}))
		}
	}
	if g.chance(0.2) {
		side := pickOf(g, []*rel{l, r})
		if c, ok := g.condition(side); ok {
			g.use("join by a condition of a side")
			out = append(out, c)
		}
	}
	return append(out, expr.RName("{name}_"+g.fresh())), true
}

func joinOps() []*randomOp {
	join := func(name string, weight int, keysOnly bool, f func(l, r expr.Table, on ...any) expr.Table) *randomOp {
		return joining(name, weight, func(g *gen, l, r *rel) (expr.Table, map[string]mark, bool) {
			if strings.HasPrefix(name, "Any") {
				// The least partner is fixed only where all columns have an order.
				var ok bool
				if r, ok = g.tidy(r); !ok {
					return refused()
				}
			}
			on, ok := g.on(l, r, keysOnly)
			if !ok {
				return refused()
			}
			return f(l.t, r.t, on...), nil, true
		})
	}
	return []*randomOp{
		join("Join", 10, false, expr.Table.Join), join("LeftJoin", 8, false, expr.Table.LeftJoin), join("RightJoin", 5, false, expr.Table.RightJoin), join("OuterJoin", 5, false, expr.Table.OuterJoin),
		join("SemiJoin", 4, false, expr.Table.SemiJoin), join("AntiJoin", 4, false, expr.Table.AntiJoin), join("AnyJoin", 4, true, expr.Table.AnyJoin), join("AnyLeftJoin", 4, true, expr.Table.AnyLeftJoin),
		joining("CrossJoin", 3, func(g *gen, l, r *rel) (expr.Table, map[string]mark, bool) {
			return l.t.CrossJoin(r.t, expr.RName("{name}_"+g.fresh())), nil, true
		}),
		multiplying("self-join", 4, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			v := &rel{t: r.t.View(), cols: r.cols}
			on, ok := g.on(r, v, false)
			if !ok {
				return refused()
			}
			return pickOf(g, []func(l, r expr.Table, on ...any) expr.Table{expr.Table.Join, expr.Table.LeftJoin, expr.Table.SemiJoin})(r.t, v.t, on...), nil, true
		}),
		multiplying("shared subexpression", 4, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			keys := some(g, r.where(plain), 1, 1)
			if keys == nil {
				return refused()
			}
			n := g.fresh()
			sums := r.t.GroupBy(names(keys)...).Agg(expr.Count().As(n))
			if g.chance(0.5) {
				return r.t.Join(sums, keys[0].name), map[string]mark{n: {mag: 1e6}}, true
			}
			v := sums.View()
			return sums.LeftJoin(v, sums.Num(n).Eq(v.Num(n)), expr.RName("{name}_"+g.fresh())), map[string]mark{n: {mag: 1e6}}, true
		}),
		joining("AsofJoin", 8, func(g *gen, l, r *rel) (expr.Table, map[string]mark, bool) {
			r, ok := g.tidy(r)
			if !ok {
				return refused()
			}
			var on [2]string
			var typ datatype.Type
			more := []any{expr.RName("{name}_" + g.fresh())}
			nearest := false
			switch g.IntN(3) {
			case 0:
				g.use("AsofForward")
				more = append(more, expr.AsofForward())
			case 1:
				g.use("AsofNearest")
				more, nearest = append(more, expr.AsofNearest()), true
			}
			for range 8 {
				a, b, ok := g.matching(l, r)
				if !ok {
					return refused()
				}
				if nearest && typ != nil && datatype.IsIntegral(typ) && !datatype.IsIntegral(a.typ) {
					continue // two are equally near among whole numbers only
				}
				switch catalog.FamilyOf(a.typ) {
				case catalog.NumericFamily, catalog.DateFamily, catalog.TimestampFamily:
					if a.typ.Kind() == b.typ.Kind() {
						on, typ = [2]string{a.name, b.name}, a.typ
					}
				}
			}
			if typ == nil {
				return refused()
			}
			if g.chance(0.3) || nearest && g.chance(0.4) {
				g.use("AsofStrict")
				more = append(more, expr.AsofStrict())
			}
			if g.chance(0.4) {
				g.use("AsofTolerance")
				if datatype.IsNumeric(typ) {
					more = append(more, expr.AsofTolerance(g.IntN(5)))
				} else {
					more = append(more, expr.AsofTolerance(time.Duration(g.IntN(60))*24*time.Hour))
				}
			}
			if a, b, ok := g.matching(l, r); ok && g.chance(0.5) {
				g.use("AsofJoin by a key")
				more = append(more, [2]string{a.name, b.name})
			}
			return l.t.AsofJoin(r.t, on, more...), nil, true
		}),
	}
}

func setOps() []*randomOp {
	// columns gives the left table's columns and as many right ones of the same families.
	columns := func(g *gen, l, r *rel, is func(c rcol) bool) (a, b expr.Table, ok bool) {
		var left, right []any
		for _, c := range some(g, l.where(is), 1, 3) {
			same := r.where(func(d rcol) bool {
				_, ok := datatype.Common(c.typ, d.typ, true)
				return ok && is(d) && catalog.FamilyOf(c.typ) == catalog.FamilyOf(d.typ)
			})
			name := g.fresh()
			left = append(left, l.t.Col(c.name).As(name))
			if len(same) > 0 && g.chance(0.85) {
				right = append(right, r.t.Col(pickOf(g, same).name).As(g.fresh()))
			} else {
				x := g.literal(c.typ)
				right = append(right, x.v.As(g.fresh()))
			}
		}
		return l.t.Select(left...), r.t.Select(right...), len(left) > 0
	}
	set := func(name string, weight int, is func(c rcol) bool, f func(t expr.Table, others ...expr.Table) expr.Table) *randomOp {
		return joining(name, weight, func(g *gen, l, r *rel) (expr.Table, map[string]mark, bool) {
			a, b, ok := columns(g, l, r, is)
			if !ok || l.correlates || r.correlates {
				return refused() // see placed
			}
			return f(a, b), nil, true
		})
	}
	itself := func(name string, f func(t expr.Table, others ...expr.Table) expr.Table) *randomOp {
		return multiplying(name, 2, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			c, ok := g.condition(r)
			cols := names(some(g, r.where(plain), 1, 3))
			if !ok || len(cols) == 0 || r.correlates {
				return refused()
			}
			return f(r.t.Select(cols...), r.t.Filter(c).Select(cols...)), nil, true
		})
	}
	return []*randomOp{
		set("Union", 5, func(c rcol) bool { return !c.opaque }, expr.Table.Union), set("UnionDistinct", 3, plain, expr.Table.UnionDistinct), set("Intersect", 2, plain, expr.Table.Intersect), set("IntersectAll", 2, plain, expr.Table.IntersectAll),
		set("Difference", 2, plain, expr.Table.Difference), set("DifferenceAll", 2, plain, expr.Table.DifferenceAll),
		itself("Union of itself", expr.Table.Union), itself("IntersectAll of itself", expr.Table.IntersectAll), itself("DifferenceAll of itself", expr.Table.DifferenceAll),
		itself("Intersect of itself", expr.Table.Intersect), itself("Difference of itself", expr.Table.Difference),
	}
}

// groupKeys are columns, or values of them, to group by.
func (g *gen) groupKeys(r *rel, least, most int) ([]any, bool) {
	cols := some(g, r.where(plain), least, most)
	if cols == nil && least > 0 {
		return nil, false
	}
	keys := names(cols)
	if len(keys) > 0 && g.chance(0.2) {
		if x, ok := g.anything(r, false); ok && datatype.IsOrderable(x.typ) && !isMap(x.typ) && !x.column {
			g.use(append(x.uses, "group by a value")...)
			keys[0] = x.v.As(g.fresh())
		}
	}
	return keys, true
}

// aggregates are some aggregates of groups.
func (g *gen) aggregates(r *rel) ([]expr.Value, map[string]mark, bool) {
	var out []expr.Value
	marks := map[string]mark{}
	for range 1 + g.IntN(3) {
		name := g.fresh()
		if cols := r.where(plain); len(cols) > 0 && g.chance(0.1) {
			g.use("CountDistinct")
			marks[name] = mark{mag: 1e6}
			out = append(out, expr.CountDistinct(r.t.Col(pickOf(g, cols).name)).As(name))
			continue
		}
		if cols := r.where(sortable); len(cols) > 0 && g.chance(0.08) {
			// A list has no order of its own, so it is sorted.
			g.use("collect_list", "sort_array")
			marks[name] = unknown(datatype.Array{Elem: datatype.Double})
			out = append(out, fnOf("sort_array", fnOf("collect_list", r.t.Col(pickOf(g, cols).name))).As(name))
			continue
		}
		a, ok := g.aggregateOf(r, false, false)
		if !ok {
			return nil, nil, false
		}
		g.use(a.uses...)
		v := a.v
		if g.chance(0.2) {
			if c, ok := g.condition(r); ok {
				g.use("Where")
				v = expr.Where(v, c)
			}
		}
		marks[name] = a.mark
		out = append(out, v.As(name))
	}
	return out, marks, true
}

func groupOps() []*randomOp {
	sets := func(name string, element func(g *gen, keys []any) []any) *randomOp {
		return over(name, 3, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			cols := some(g, r.where(plain), 2, 3)
			aggs, marks, ok := g.aggregates(r)
			if cols == nil || !ok {
				return refused()
			}
			keys := names(cols)
			for _, c := range cols {
				marks[c.name] = mark{c.mag, c.inexact, c.signed, false, false}
			}
			if g.chance(0.5) {
				g.use("Grouping")
				aggs = append(aggs, expr.Grouping(keys[0]).As(g.fresh()))
			}
			if g.chance(0.5) {
				g.use("GroupingID")
				aggs = append(aggs, expr.GroupingID().As(g.fresh()))
			}
			return r.t.GroupBy(element(g, keys)...).Agg(aggs...), marks, true
		})
	}
	return []*randomOp{
		over("GroupBy", 16, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			keys, ok := g.groupKeys(r, 1, 2)
			if !ok {
				return refused()
			}
			aggs, marks, ok := g.aggregates(r)
			if !ok {
				return refused()
			}
			grouped := r.t.GroupBy(keys...)
			if g.chance(0.25) {
				g.use("Having")
				grouped = grouped.Having(expr.Count().Gt(g.IntN(3)))
			}
			return grouped.Agg(aggs...), marks, true
		}),
		over("Agg", 6, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			aggs, marks, ok := g.aggregates(r)
			if !ok {
				return refused()
			}
			return r.t.Agg(aggs...), marks, true
		}),
		sets("Rollup", func(g *gen, keys []any) []any { return []any{expr.Rollup(keys...)} }),
		sets("Cube", func(g *gen, keys []any) []any { return []any{expr.Cube(keys...)} }),
		sets("GroupingSets", func(g *gen, keys []any) []any {
			out := []any{keys[:1], keys, []any{}, keys[1:]}
			return []any{expr.GroupingSets(some(g, out, 1, len(out))...)}
		}),
		multiplying("window of time", 6, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			cols := r.where(isKind(datatype.KindTimestamp, datatype.KindTimestampNTZ))
			aggs, marks, ok := g.aggregates(r)
			if len(cols) == 0 || !ok {
				return refused()
			}
			x := r.t.Timestamp(pickOf(g, cols).name)
			size := pickOf(g, []time.Duration{time.Minute, time.Hour, 24 * time.Hour})
			w := window.Tumbling(x, size)
			if g.chance(0.5) {
				g.use("sliding window")
				w = window.Sliding(x, 2*size, size, size/4)
			} else {
				g.use("tumbling window")
			}
			return r.t.GroupBy(w.As(g.fresh())).Agg(aggs...), marks, true
		}),
	}
}

// spec gives a window of partitions, not ordered yet.
func (g *gen) spec(r *rel) expr.WindowSpec {
	w := window.Over()
	if keys := some(g, r.where(plain), 0, 2); len(keys) > 0 && g.chance(0.8) {
		g.use("PARTITION BY")
		w = w.GroupBy(names(keys)...)
	}
	return w
}

// bounds gives the ends of a frame; the distance is of the given kind.
func (g *gen) bounds(distance func() any) (expr.Bound, expr.Bound) {
	bound := func(unbounded bool) expr.Bound {
		switch g.IntN(5) {
		case 0:
			if unbounded {
				return window.Unbounded()
			}
			return window.CurrentRow()
		case 1:
			return window.CurrentRow()
		case 2:
			return window.Following(distance())
		}
		return window.Preceding(distance())
	}
	return bound(true), bound(true)
}

func overOps() []*randomOp {
	windowed := func(name string, weight int, value func(g *gen, r *rel) (expr.AnyValue, mark, bool)) *randomOp {
		return over(name, weight, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			r, ok := g.tidy(r)
			if !ok {
				return refused()
			}
			var out []expr.Value
			marks := map[string]mark{}
			for range 1 + g.IntN(2) {
				v, m, ok := value(g, r)
				if !ok || slices.Contains(g.uses, "positive") {
					return refused() // Spark 4.2 loses a column on the way to a window over positive(column)
				}
				n := g.fresh()
				marks[n] = m
				out = append(out, v.As(n))
			}
			return r.t.Mutate(out...), marks, true
		})
	}
	return []*randomOp{
		windowed("ranking", 8, func(g *gen, r *rel) (expr.AnyValue, mark, bool) {
			fn := pickOf(g, []string{"row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile"})
			g.use(fn)
			w := g.spec(r)
			if fn == "row_number" || fn == "ntile" {
				w = w.OrderBy(g.total(r)...)
			} else {
				w = w.OrderBy(g.keys(some(g, r.cols, 1, 2))...)
			}
			var args []any
			if fn == "ntile" {
				args = []any{1 + g.IntN(4)}
			}
			return fnOf(fn, args...).Over(w), mark{mag: 1e6, inexact: true}, true
		}),
		windowed("values of other rows", 10, func(g *gen, r *rel) (expr.AnyValue, mark, bool) {
			fn := pickOf(g, []string{"lag", "lead", "nth_value", "first", "last", "first_value", "last_value"})
			c := pickOf(g, r.cols)
			args := []any{r.t.Col(c.name)}
			w := g.spec(r).OrderBy(g.total(r)...)
			switch fn {
			case "lag", "lead":
				if g.chance(0.6) {
					args = append(args, g.IntN(4)-1)
					if g.chance(0.5) {
						d, _ := g.leafOf(r, c.typ, true)
						args = append(args, d.v)
					}
				}
			case "nth_value":
				args = append(args, 1+g.IntN(3))
				fallthrough
			default:
				if g.chance(0.6) {
					g.use("frame of rows")
					w = w.Rows(g.bounds(func() any { return g.IntN(4) }))
				}
			}
			v := fnOf(fn, args...)
			if g.chance(0.3) {
				g.use("IgnoreNulls")
				v = expr.IgnoreNulls(v)
			}
			g.use(fn)
			m := unknown(c.typ)
			return v.Over(w), m, true
		}),
		windowed("aggregate over rows", 10, func(g *gen, r *rel) (expr.AnyValue, mark, bool) {
			a, ok := g.aggregateOf(r, true, false)
			if !ok {
				return a.v, a.mark, false
			}
			g.use(append(a.uses, "frame of rows")...)
			w := g.spec(r).OrderBy(g.total(r)...)
			if g.chance(0.85) {
				w = w.Rows(g.bounds(func() any { return g.IntN(4) }))
			}
			return a.v.Over(w), a.mark, true
		}),
		windowed("aggregate over a range", 10, func(g *gen, r *rel) (expr.AnyValue, mark, bool) {
			a, ok := g.aggregateOf(r, false, false)
			if !ok {
				return a.v, a.mark, false
			}
			g.use(append(a.uses, "frame of a range")...)
			cols := r.where(func(c rcol) bool {
				switch catalog.FamilyOf(c.typ) {
				case catalog.NumericFamily, catalog.DateFamily, catalog.TimestampFamily:
					return c.typ.Kind() != datatype.KindByte && c.typ.Kind() != datatype.KindShort && (!datatype.IsIntegral(c.typ) || c.mag < 1<<20)
				}
				return false
			})
			w := g.spec(r)
			if len(cols) == 0 || g.chance(0.15) {
				return a.v.Over(w.OrderBy(g.keys(some(g, r.cols, 1, 2))...)), a.mark, true
			}
			c := pickOf(g, cols)
			distance := func() any { return g.IntN(4) }
			switch k := c.typ.Kind(); {
			case k == datatype.KindTimestamp || k == datatype.KindTimestampNTZ:
				distance = func() any { return pickOf(g, []any{time.Minute, 24 * time.Hour, expr.Months(1), expr.Days(30)}) }
			case k == datatype.KindDate:
				distance = func() any { return pickOf(g, []any{1, 30, expr.Days(40), expr.Months(2)}) }
			case k == datatype.KindDouble || k == datatype.KindFloat:
				distance = func() any { return pickOf(g, []any{1, 1.5}) }
			}
			return a.v.Over(w.OrderBy(g.key(c.name)).Range(g.bounds(distance))), a.mark, true
		}),
		windowed("aggregate over partitions", 5, func(g *gen, r *rel) (expr.AnyValue, mark, bool) {
			a, ok := g.aggregateOf(r, false, false)
			if !ok {
				return a.v, a.mark, false
			}
			g.use(a.uses...)
			return a.v.Over(g.spec(r)), a.mark, true
		}),
		over("Filter by a window", 3, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			r, ok := g.tidy(r)
			if !ok {
				return refused()
			}
			return r.t.Filter(fnOf("row_number").Over(g.spec(r).OrderBy(g.total(r)...)).Le(1 + g.IntN(3))), nil, true
		}),
		over("Mutate of groups", 3, func(g *gen, r *rel) (expr.Table, map[string]mark, bool) {
			keys := some(g, r.where(plain), 1, 2)
			a, ok := g.aggregateOf(r, false, false)
			if keys == nil || !ok || slices.Contains(a.uses, "positive") {
				return refused() // see above
			}
			g.use(a.uses...)
			n := g.fresh()
			return r.t.GroupBy(names(keys)...).Mutate(a.v.As(n)), map[string]mark{n: a.mark}, true
		}),
	}
}

func subqueryOps() []*randomOp {
	// correlated gives the rows of another table that go with a row of this one.
	correlated := func(g *gen, l, r *rel) (*rel, bool) {
		a, b, ok := g.matching(l, r)
		if !ok {
			return nil, false
		}
		return &rel{t: r.t.Filter(r.t.Col(b.name).Eq(l.t.Col(a.name))), cols: r.cols}, true
	}
	sub := func(name string, weight int, apply func(g *gen, l, r *rel) (expr.Table, map[string]mark, bool)) *randomOp {
		op := joining(name, weight, apply)
		op.repeats = false
		return op
	}
	// placed puts a condition into a filter or, where a value of it is fixed, into a column: over a UNION Spark 4.2 fails there without a condition.
	placed := func(g *gen, l *rel, c expr.BooleanValue, column bool) expr.Table {
		if column && !l.united && g.chance(0.3) {
			g.use("subquery in a column")
			g.correlates = true
			return l.t.Mutate(c.As(g.fresh()))
		}
		if x, ok := g.condition(l); ok && g.chance(0.3) {
			g.use("subquery beside a condition")
			if g.chance(0.5) {
				return l.t.Filter(c.Or(x))
			}
			return l.t.Filter(x, c)
		}
		return l.t.Filter(c)
	}
	return []*randomOp{
		sub("scalar subquery", 5, func(g *gen, l, r *rel) (expr.Table, map[string]mark, bool) {
			a, ok := g.aggregateOf(r, false, false)
			if !ok {
				return refused()
			}
			g.use(a.uses...)
			n := g.fresh()
			s := r.t.Agg(a.v.As(n)).AsScalar()
			if g.chance(0.5) && datatype.IsOrderable(a.typ) && !isMap(a.typ) && !isUntyped(a.typ) {
				if c, ok := g.leafOf(l, a.typ, false); ok {
					return placed(g, l, c.v.Ge(s), false), nil, true
				}
			}
			return l.t.Mutate(s.As(n)), map[string]mark{n: a.mark}, true
		}),
		sub("correlated scalar subquery", 6, func(g *gen, l, r *rel) (expr.Table, map[string]mark, bool) {
			c, ok := correlated(g, l, r)
			if !ok || l.united {
				return refused() // Spark 4.2 fails without a condition over a UNION
			}
			a, ok := g.aggregateOf(r, false, false)
			if !ok {
				return refused()
			}
			g.use(a.uses...)
			g.correlates = true
			n := g.fresh()
			return l.t.Mutate(c.t.Agg(a.v.As(n)).AsScalar().As(n)), map[string]mark{n: a.mark}, true
		}),
		sub("InTable", 5, func(g *gen, l, r *rel) (expr.Table, map[string]mark, bool) {
			a, b, ok := g.matching(l, r)
			if !ok {
				return refused()
			}
			// A column of IN is false where it is unknown, but a condition that Spark moves down to it sees the unknown (docs/differences.md).
			known := !a.nullable && !b.nullable
			return placed(g, l, l.t.Col(a.name).InTable(r.t.Select(b.name)), known), nil, true
		}),
		sub("not InTable", 4, func(g *gen, l, r *rel) (expr.Table, map[string]mark, bool) {
			a, b, ok := g.matching(l, r)
			if !ok {
				return refused()
			}
			return placed(g, l, l.t.Col(a.name).InTable(r.t.Select(b.name)).Not(), false), nil, true
		}),
		sub("correlated InTable", 3, func(g *gen, l, r *rel) (expr.Table, map[string]mark, bool) {
			a, b, ok := g.matching(l, r)
			c, ok2 := correlated(g, l, r)
			if !ok || !ok2 {
				return refused()
			}
			return placed(g, l, l.t.Col(a.name).InTable(c.t.Select(b.name)), false), nil, true
		}),
		sub("Exists", 2, func(g *gen, l, r *rel) (expr.Table, map[string]mark, bool) {
			return placed(g, l, expr.Exists(r.t), true), nil, true
		}),
		sub("correlated Exists", 5, func(g *gen, l, r *rel) (expr.Table, map[string]mark, bool) {
			c, ok := correlated(g, l, r)
			if !ok {
				return refused()
			}
			x := expr.Exists(c.t)
			if g.chance(0.4) {
				g.use("not Exists")
				x = x.Not()
			}
			return placed(g, l, x, true), nil, true
		}),
	}
}
