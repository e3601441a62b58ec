package tree

import (
	"math"

	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Scalar is an expression that gives a value per row (or per group, for aggregates). The set is closed.
type Scalar interface {
	// Type is the type of the value; datatype.Invalid while it is unknown (an unbound name, or after an error).
	Type() datatype.Type
	// Nullable tells whether the value may be null, under ANSI mode.
	Nullable() bool
	// Pos is where the user made it.
	Pos() condition.Pos
	isScalar()
}

// Column is a column of a relation, by position. In a finished relation Rel is the direct input (either input of a join); in
// a value that a user holds it may be an ancestor of the table that the value is used on.
type Column struct {
	Rel     Relation
	Ordinal int
	At      condition.Pos
}

// Unbound is a column by name, to be bound to the table whose method receives it.
type Unbound struct {
	Name string
	// Family is the family that the user asked for.
	Family catalog.Family
	// Find, where not nil, makes the value of the table that receives it, which Name then only describes: a condition over the
	// columns that a selector picks.
	Find func(Relation) (Scalar, []*condition.Error)
	At   condition.Pos
}

// Bad stands where an error was reported: a value of unknown type.
type Bad struct{ At condition.Pos }

// Literal is a constant. Value is nil for NULL; int64 for integers, dates (days), time stamps and day–time intervals
// (microseconds), year–month intervals (months) and times (microseconds of the day); float64 for FLOAT and DOUBLE; *big.Int
// for the unscaled digits of a decimal; string; bool; []byte; []any for the elements of an array and the fields of a struct;
// [][2]any for the entries of a map.
type Literal struct {
	Value any
	Typ   datatype.Type
	At    condition.Pos
}

// Call applies a function of the catalogue. Args are already cast to the types that the function computes with.
type Call struct {
	Func *catalog.Function
	Args []Scalar
	// Distinct makes an aggregate look at each different value once.
	Distinct bool
	// Where restricts the rows that an aggregate sees (FILTER (WHERE …)); nil for all.
	Where Scalar
	// IgnoreNulls leaves null values out of FIRST, LAST, NTH_VALUE, LAG and LEAD.
	IgnoreNulls bool
	Typ         datatype.Type
	Null        bool
	At          condition.Pos
}

// Cast changes the type of a value.
type Cast struct {
	Arg Scalar
	To  datatype.Type
	// Try gives null where the cast fails (TRY_CAST).
	Try bool
	// Implicit casts are those that Spark adds by itself; they are not printed.
	Implicit bool
	// Store casts what is written into a table: under every mode a value that does not fit is an error.
	Store bool
	At    condition.Pos
}

// When is one branch of a [Case].
type When struct{ Cond, Then Scalar }

// Case is CASE WHEN … THEN … ELSE … END. All branches have the type of the whole.
type Case struct {
	Whens []When
	Else  Scalar // nil for NULL
	Typ   datatype.Type
	At    condition.Pos
}

// isIf tells that it prints as IF, for which Spark has other rules in places.
func (c *Case) isIf() bool { return len(c.Whens) == 1 && c.Else != nil }

// GetField takes a field out of a struct, by position.
type GetField struct {
	Arg Scalar
	// Ordinal is the field's position; -1 while the struct's type is unknown.
	Ordinal int
	// Key is the name that the user asked for.
	Key string
	At  condition.Pos
}

// Over evaluates an aggregate or window function over rows related to the current one.
type Over struct {
	Func        *Call
	PartitionBy []Scalar
	OrderBy     []SortKey
	Frame       *Frame // nil for the function's default
	At          condition.Pos
}

// Frame bounds the rows of an [Over].
type Frame struct {
	// Rows counts rows; otherwise the bounds are distances of the sort key.
	Rows       bool
	Start, End FrameBound
}

// FrameBound is one end of a [Frame]: unbounded, the current row, or Offset rows or values before or after it.
type FrameBound struct {
	Unbounded bool
	// Offset is a literal from zero up; nil for CURRENT ROW. Of a RANGE frame over numbers it is implicitly cast to the sort key's type.
	Offset    Scalar
	Preceding bool // Offset counts backwards
}

// IsDefault tells whether the frame is the one that the function has without any: of window functions the only one that they take, of
// others the rows up to the current one and its peers, or the whole partition without an order.
func (o *Over) IsDefault() bool {
	f := o.Frame
	switch {
	case f == nil, FrameFixed(o.Func.Func):
		return true
	case len(o.OrderBy) == 0:
		return f.Start.Unbounded && f.End.Unbounded
	}
	return !f.Rows && f.Start.Unbounded && !f.End.Unbounded && f.End.Offset == nil
}

// FrameFixed tells the window functions that take no frame but their own: all but NTH_VALUE.
func FrameFixed(f *catalog.Function) bool { return f.Kind == catalog.Window && f.Name != "nth_value" }

// SortKey is one key of an order. NullsFirst is explicit: Spark's default is first when ascending, last when descending.
type SortKey struct {
	Arg        Scalar
	Descending bool
	NullsFirst bool
}

// Alias names a value.
type Alias struct {
	Arg  Scalar
	Name string
	At   condition.Pos
}

// Lambda is a function of the elements of an array or the entries of a map. It stands only as an argument of a call of a
// higher-order function, and only there its parameters have types.
type Lambda struct {
	Params []*Variable
	Body   Scalar
	At     condition.Pos
}

// Variable is a parameter of the [Lambda] that has this very pointer among its Params: names do not bind, so lambdas may be
// nested and names chosen anew when they are printed.
type Variable struct {
	Name string
	// Family is the family that the user's function takes.
	Family catalog.Family
	// Typ is datatype.Invalid until the call is typed that the lambda is an argument of.
	Typ  datatype.Type
	Null bool
	At   condition.Pos
}

// Type is the type of what the function gives.
func (l *Lambda) Type() datatype.Type { return l.Body.Type() }

// Type implements [Scalar].
func (v *Variable) Type() datatype.Type { return v.Typ }

// Nullable tells whether what the function gives may be null.
func (l *Lambda) Nullable() bool { return l.Body.Nullable() }

// Nullable implements [Scalar].
func (v *Variable) Nullable() bool { return v.Null }

// Pos implements [Scalar].
func (l *Lambda) Pos() condition.Pos { return l.At }

// Pos implements [Scalar].
func (v *Variable) Pos() condition.Pos { return v.At }

func (*Lambda) isScalar()   {}
func (*Variable) isScalar() {}

// Type implements [Scalar].
func (c *Column) Type() datatype.Type { return c.Field().Type }

// Field gives the field that the column stands for.
func (c *Column) Field() Field { return c.Rel.Schema().Field(c.Ordinal) }

// Type implements [Scalar].
func (*Unbound) Type() datatype.Type { return datatype.Invalid }

// Type implements [Scalar].
func (*Bad) Type() datatype.Type { return datatype.Invalid }

// Type implements [Scalar].
func (l *Literal) Type() datatype.Type { return l.Typ }

// Type implements [Scalar].
func (c *Call) Type() datatype.Type { return c.Typ }

// Type implements [Scalar].
func (c *Cast) Type() datatype.Type { return c.To }

// Type implements [Scalar].
func (c *Case) Type() datatype.Type { return c.Typ }

// Type implements [Scalar].
func (g *GetField) Type() datatype.Type {
	if s, ok := g.Arg.Type().(datatype.Struct); ok && g.Ordinal >= 0 && g.Ordinal < len(s.Fields) {
		return s.Fields[g.Ordinal].Type
	}
	return datatype.Invalid
}

// Name gives the field's name as the struct spells it.
func (g *GetField) Name() string {
	if s, ok := g.Arg.Type().(datatype.Struct); ok && g.Ordinal >= 0 && g.Ordinal < len(s.Fields) {
		return s.Fields[g.Ordinal].Name
	}
	return g.Key
}

// Type implements [Scalar].
func (o *Over) Type() datatype.Type { return o.Func.Typ }

// Type implements [Scalar].
func (a *Alias) Type() datatype.Type { return a.Arg.Type() }

// Nullable implements [Scalar].
func (c *Column) Nullable() bool { return c.Field().Nullable }

// Nullable implements [Scalar].
func (*Unbound) Nullable() bool { return true }

// Nullable implements [Scalar].
func (*Bad) Nullable() bool { return true }

// Nullable implements [Scalar].
func (l *Literal) Nullable() bool { return NullableLiteral(l.Value) }

// NullableLiteral tells whether Spark holds a literal to be nullable: a NULL is, and so are NaN and the infinities, which SQL can only write as
// casts of texts.
func NullableLiteral(v any) bool {
	f, ok := v.(float64)
	return v == nil || ok && (math.IsNaN(f) || math.IsInf(f, 0))
}

// Nullable implements [Scalar].
func (c *Call) Nullable() bool { return c.Null }

// Nullable implements [Scalar].
func (c *Cast) Nullable() bool {
	from := c.Arg.Type()
	if c.Try {
		return c.Arg.Nullable() || !datatype.CanUpCast(from, c.To)
	}
	return c.Arg.Nullable() || datatype.CastMayBeNull(from, c.To)
}

// Nullable implements [Scalar].
func (c *Case) Nullable() bool {
	for _, w := range c.Whens {
		if w.Then.Nullable() {
			return true
		}
		// Nothing behind a branch that is always taken counts, but in IF, as which one branch with an ELSE is printed.
		if l, ok := w.Cond.(*Literal); ok && l.Value == true && !c.isIf() {
			return false
		}
	}
	return c.Else == nil || c.Else.Nullable()
}

// Nullable implements [Scalar].
func (g *GetField) Nullable() bool {
	s, ok := g.Arg.Type().(datatype.Struct)
	return !ok || g.Ordinal < 0 || g.Ordinal >= len(s.Fields) || s.Fields[g.Ordinal].Nullable || g.Arg.Nullable()
}

// Nullable implements [Scalar].
func (o *Over) Nullable() bool { return o.Func.Null }

// Nullable implements [Scalar].
func (a *Alias) Nullable() bool { return a.Arg.Nullable() }

// Pos implements [Scalar].
func (c *Column) Pos() condition.Pos { return c.At }

// Pos implements [Scalar].
func (c *Unbound) Pos() condition.Pos { return c.At }

// Pos implements [Scalar].
func (c *Bad) Pos() condition.Pos { return c.At }

// Pos implements [Scalar].
func (l *Literal) Pos() condition.Pos { return l.At }

// Pos implements [Scalar].
func (c *Call) Pos() condition.Pos { return c.At }

// Pos implements [Scalar].
func (c *Cast) Pos() condition.Pos { return c.At }

// Pos implements [Scalar].
func (c *Case) Pos() condition.Pos { return c.At }

// Pos implements [Scalar].
func (g *GetField) Pos() condition.Pos { return g.At }

// Pos implements [Scalar].
func (o *Over) Pos() condition.Pos { return o.At }

// Pos implements [Scalar].
func (a *Alias) Pos() condition.Pos { return a.At }

func (*Column) isScalar()   {}
func (*Unbound) isScalar()  {}
func (*Bad) isScalar()      {}
func (*Literal) isScalar()  {}
func (*Call) isScalar()     {}
func (*Cast) isScalar()     {}
func (*Case) isScalar()     {}
func (*GetField) isScalar() {}
func (*Over) isScalar()     {}
func (*Alias) isScalar()    {}

// Children gives the direct operands of s, in order.
func Children(s Scalar) []Scalar {
	switch x := s.(type) {
	case *Column, *Unbound, *Bad, *Literal, *Outer, *Param, *RawSQL, *Variable:
		return nil
	case *Subquery:
		var out []Scalar
		if x.Arg != nil {
			out = append(out, x.Arg)
		}
		for _, c := range x.Outer {
			out = append(out, c.Value)
		}
		return out
	case *Lambda:
		return []Scalar{x.Body}
	case *Call:
		if x.Where != nil {
			return append(append([]Scalar(nil), x.Args...), x.Where)
		}
		return x.Args
	case *Cast:
		return []Scalar{x.Arg}
	case *Case:
		var out []Scalar
		for _, w := range x.Whens {
			out = append(out, w.Cond, w.Then)
		}
		if x.Else != nil {
			out = append(out, x.Else)
		}
		return out
	case *GetField:
		return []Scalar{x.Arg}
	case *Over:
		out := append([]Scalar{x.Func}, x.PartitionBy...)
		for _, k := range x.OrderBy {
			out = append(out, k.Arg)
		}
		if x.Frame != nil {
			for _, b := range []FrameBound{x.Frame.Start, x.Frame.End} {
				if b.Offset != nil {
					out = append(out, b.Offset)
				}
			}
		}
		return out
	case *Alias:
		return []Scalar{x.Arg}
	}
	return nil
}

// Walk calls f on s and, while f gives true, on everything below it, parents first.
func Walk(s Scalar, f func(Scalar) bool) {
	if s == nil || !f(s) {
		return
	}
	for _, c := range Children(s) {
		Walk(c, f)
	}
}

// Rewrite rebuilds s from the leaves up: f sees each node after its children were rewritten and gives what stands in its place.
// A node none of whose children changed is passed on as it is.
func Rewrite(s Scalar, f func(Scalar) Scalar) Scalar {
	return f(rebuild(s, func(c Scalar) Scalar { return Rewrite(c, f) }))
}

// RewriteDown rebuilds s from the root down: what f gives with true stands in the place of a node and all below it.
// A node none of whose children changed is passed on as it is.
func RewriteDown(s Scalar, f func(Scalar) (Scalar, bool)) Scalar {
	if t, done := f(s); done {
		return t
	}
	return rebuild(s, func(c Scalar) Scalar { return RewriteDown(c, f) })
}

// rebuild gives s with what f gives in the places of its children: s itself where they are the same.
func rebuild(s Scalar, f func(Scalar) Scalar) Scalar {
	list := func(in []Scalar) ([]Scalar, bool) {
		var out []Scalar
		for i, c := range in {
			d := f(c)
			if d != c && out == nil {
				out = append([]Scalar(nil), in...)
			}
			if out != nil {
				out[i] = d
			}
		}
		if out == nil {
			return in, false
		}
		return out, true
	}
	switch x := s.(type) {
	case *Call:
		args, changed := list(x.Args)
		where := x.Where
		if where != nil {
			where = f(where)
		}
		if changed || where != x.Where {
			c := *x
			c.Args, c.Where = args, where
			s = &c
		}
	case *Cast:
		if a := f(x.Arg); a != x.Arg {
			c := *x
			c.Arg = a
			s = &c
		}
	case *Case:
		c, changed := *x, false
		c.Whens = append([]When(nil), x.Whens...)
		for i, w := range c.Whens {
			c.Whens[i] = When{f(w.Cond), f(w.Then)}
			changed = changed || c.Whens[i] != w
		}
		if x.Else != nil {
			c.Else = f(x.Else)
			changed = changed || c.Else != x.Else
		}
		if changed {
			s = &c
		}
	case *GetField:
		if a := f(x.Arg); a != x.Arg {
			c := *x
			c.Arg = a
			s = &c
		}
	case *Over:
		c, changed := *x, false
		if g, ok := f(x.Func).(*Call); ok && g != x.Func {
			c.Func, changed = g, true
		}
		var ch bool
		c.PartitionBy, ch = list(x.PartitionBy)
		changed = changed || ch
		c.OrderBy = append([]SortKey(nil), x.OrderBy...)
		for i, k := range c.OrderBy {
			c.OrderBy[i].Arg = f(k.Arg)
			changed = changed || c.OrderBy[i].Arg != k.Arg
		}
		if changed {
			s = &c
		}
	case *Subquery:
		c, changed := *x, false
		if x.Arg != nil {
			c.Arg = f(x.Arg)
			changed = c.Arg != x.Arg
		}
		c.Outer = append([]OuterColumn(nil), x.Outer...)
		for i, o := range c.Outer {
			c.Outer[i].Value = f(o.Value)
			changed = changed || c.Outer[i].Value != o.Value
		}
		if changed {
			s = &c
		}
	case *Alias:
		if a := f(x.Arg); a != x.Arg {
			c := *x
			c.Arg = a
			s = &c
		}
	case *Lambda:
		if b := f(x.Body); b != x.Body {
			c := *x
			c.Body = b
			s = &c
		}
	}
	return s
}

// Substitute gives a lambda other parameters, one for each of its own, in its body too.
func (l *Lambda) Substitute(params []*Variable) *Lambda {
	to := make(map[*Variable]*Variable, len(params))
	for i, p := range l.Params {
		to[p] = params[i]
	}
	return &Lambda{Params: params, At: l.At, Body: Rewrite(l.Body, func(s Scalar) Scalar {
		if v, ok := s.(*Variable); ok && to[v] != nil {
			return to[v]
		}
		return s
	})}
}

// FreeVariable finds a parameter that no lambda around it has, as when a user keeps one beyond the function that got it; nil for none.
func FreeVariable(s Scalar) *Variable {
	var free *Variable
	bound := map[*Variable]bool{}
	var visit func(s Scalar)
	visit = func(s Scalar) {
		switch x := s.(type) {
		case *Variable:
			if !bound[x] && free == nil {
				free = x
			}
		case *Lambda:
			for _, p := range x.Params {
				bound[p] = true
			}
			visit(x.Body)
			for _, p := range x.Params {
				delete(bound, p)
			}
			return
		}
		for _, c := range Children(s) {
			visit(c)
		}
	}
	if s != nil {
		visit(s)
	}
	return free
}

// StripAlias gives the value below any aliases, and the outermost alias's name ("" for none).
func StripAlias(s Scalar) (Scalar, string) {
	name := ""
	for {
		a, ok := s.(*Alias)
		if !ok {
			return s, name
		}
		if name == "" {
			name = a.Name
		}
		s = a.Arg
	}
}

// StripImplicit takes off the casts that the binder has added to a value.
func StripImplicit(s Scalar) Scalar {
	for {
		c, ok := s.(*Cast)
		if !ok || !c.Implicit {
			return s
		}
		s = c.Arg
	}
}

// TimeWindow gives the call of a window function that s is, under an alias or not, or nil.
func TimeWindow(s Scalar) *Call {
	s, _ = StripAlias(s)
	if c, ok := s.(*Call); ok && c.Func.Kind == catalog.TimeWindow {
		return c
	}
	return nil
}

// EventTimeOf gives the watermark that a value carries: a column under one, a time window of such a column, window_time of such a
// window, or an alias of any of these; nil otherwise. An expression over event time loses it, as in Spark.
func EventTimeOf(s Scalar) *EventTime {
	switch x := s.(type) {
	case *Column:
		return x.Field().Watermark
	case *Alias:
		return EventTimeOf(x.Arg)
	case *Call:
		if (x.Func.Kind == catalog.TimeWindow || x.Func.Name == "window_time") && len(x.Args) > 0 {
			return EventTimeOf(x.Args[0])
		}
	case *Cast:
		if x.Implicit {
			return EventTimeOf(x.Arg)
		}
	}
	return nil
}
