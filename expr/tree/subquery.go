package tree

import (
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// SubqueryKind says what a subquery gives as a value.
type SubqueryKind uint8

// The kinds of subqueries.
const (
	// ScalarSubquery is the one value of a table of one column: null without a row, an error with more than one.
	ScalarSubquery SubqueryKind = iota
	// InSubquery tells whether a value is among those of a table of one column.
	InSubquery
	// ExistsSubquery tells whether a table has a row.
	ExistsSubquery
)

// Subquery is a table as a value of a row of another one. The table may use columns of the row's table, which are [Outer] in it: then it is
// correlated, and Outer has what these are on the table that the value is used on.
type Subquery struct {
	Kind SubqueryKind
	Rel  Relation
	// Arg is the value that InSubquery looks for; nil for the other kinds.
	Arg Scalar
	// Outer are the columns of the outside that Rel uses, each once.
	Outer []OuterColumn
	At    condition.Pos
}

// OuterColumn says what a column that a subquery takes from outside is there.
type OuterColumn struct {
	// Rel and Ordinal are the column as the subquery's [Outer] nodes name it.
	Rel     Relation
	Ordinal int
	// Value is the same column on the table that the subquery is used on.
	Value Scalar
}

// Outer is a column of a table outside, within a table that is made to be a subquery of it.
type Outer struct {
	Rel     Relation
	Ordinal int
	At      condition.Pos
	// Unbound is the mistake that it is when no table outside receives the subquery.
	Unbound *condition.Error
}

// Param is a value that is given when the query is compiled or run; it prints as :name.
type Param struct {
	Name string
	Typ  datatype.Type
	// Null allows NULL as its value.
	Null bool
	At   condition.Pos
}

// RawSQL is an expression in Spark's own words, which the library does not look into. It may be null.
type RawSQL struct {
	Text   string
	Typ    datatype.Type
	Params []*Param
	At     condition.Pos
}

// SQL is a query in Spark's own words, with its columns as the user declared them.
type SQL struct {
	Node
	Text string
	// Tables are the tables that the text may name.
	Tables []NamedTable
	Params []*Param
}

// NamedTable is a table under the name that a text has for it.
type NamedTable struct {
	Name string
	Rel  Relation
}

// Bind is its input with values for parameters. They hold for the whole query, in which a parameter has one value.
type Bind struct {
	Node
	Input  Relation
	Values []ParamValue
}

// ParamValue is the value of a parameter.
type ParamValue struct {
	Name  string
	Value *Literal
}

// Type implements [Scalar].
func (s *Subquery) Type() datatype.Type {
	if s.Kind == ScalarSubquery {
		return s.Rel.Schema().Field(0).Type
	}
	return datatype.Boolean
}

// Nullable implements [Scalar]: a scalar subquery may have no row, and IN is as its two sides.
func (s *Subquery) Nullable() bool {
	switch s.Kind {
	case InSubquery:
		return s.Arg.Nullable() || s.Rel.Schema().Field(0).Nullable
	case ExistsSubquery:
		return false
	}
	return true
}

// Pos implements [Scalar].
func (s *Subquery) Pos() condition.Pos { return s.At }

// Field gives the column's description.
func (o *Outer) Field() Field { return o.Rel.Schema().Field(o.Ordinal) }

// Type implements [Scalar].
func (o *Outer) Type() datatype.Type { return o.Field().Type }

// Nullable implements [Scalar].
func (o *Outer) Nullable() bool { return o.Field().Nullable }

// Pos implements [Scalar].
func (o *Outer) Pos() condition.Pos { return o.At }

// Type implements [Scalar].
func (p *Param) Type() datatype.Type { return p.Typ }

// Nullable implements [Scalar].
func (p *Param) Nullable() bool { return p.Null }

// Pos implements [Scalar].
func (p *Param) Pos() condition.Pos { return p.At }

// Type implements [Scalar].
func (r *RawSQL) Type() datatype.Type { return r.Typ }

// Nullable implements [Scalar].
func (*RawSQL) Nullable() bool { return true }

// Pos implements [Scalar].
func (r *RawSQL) Pos() condition.Pos { return r.At }

func (*Subquery) isScalar() {}
func (*Outer) isScalar()    {}
func (*Param) isScalar()    {}
func (*RawSQL) isScalar()   {}

// Inputs implements [Relation].
func (r *SQL) Inputs() []Relation {
	out := make([]Relation, len(r.Tables))
	for i, t := range r.Tables {
		out[i] = t.Rel
	}
	return out
}

// Inputs implements [Relation].
func (r *Bind) Inputs() []Relation { return []Relation{r.Input} }

// Scalars gives the expressions that a relation holds, in order.
func Scalars(r Relation) []Scalar {
	var out []Scalar
	named := func(list []Named) {
		for _, n := range list {
			out = append(out, n.Expr)
		}
	}
	switch x := r.(type) {
	case *Project:
		named(x.Columns)
	case *Filter:
		out = append(out, x.Cond)
	case *Aggregate:
		named(x.Keys)
		named(x.Aggs)
	case *Join:
		if x.On != nil {
			out = append(out, x.On)
		}
	case *AsofJoin:
		if x.On != nil {
			out = append(out, x.On)
		}
		out = append(out, x.LeftTime, x.RightTime)
	case *Match:
		named(x.Keys)
		named(x.Defines)
		named(x.Measures)
	case *Keyed:
		named(x.Keys)
		named(x.InitialKeys)
	case *Sort:
		for _, k := range x.Keys {
			out = append(out, k.Arg)
		}
	case *Limit:
		for _, n := range []Scalar{x.CountOf, x.OffsetOf} {
			if n != nil {
				out = append(out, n)
			}
		}
	}
	return out
}

// Subqueries gives the subqueries in some expressions, in order; those inside them are not among them.
func Subqueries(list ...Scalar) []*Subquery {
	var out []*Subquery
	for _, s := range list {
		Walk(s, func(n Scalar) bool {
			if q, ok := n.(*Subquery); ok {
				out = append(out, q)
			}
			return true
		})
	}
	return out
}

// FreeOuters gives the columns from outside in a relation and everything below it that no subquery within it binds: those of a finished query
// are mistakes. A column that is used twice comes twice.
func FreeOuters(r Relation) []*Outer {
	seen := map[Relation]bool{}
	var out []*Outer
	var visit func(Relation)
	visit = func(r Relation) {
		if seen[r] {
			return
		}
		seen[r] = true
		for _, in := range r.Inputs() {
			visit(in)
		}
		for _, s := range Scalars(r) {
			Walk(s, func(n Scalar) bool {
				switch x := n.(type) {
				case *Outer:
					out = append(out, x)
				case *Subquery:
					out = append(out, x.Free()...)
				}
				return true
			})
		}
	}
	visit(r)
	return out
}

// Free gives the columns from outside in the subquery's table that Outer does not name.
func (s *Subquery) Free() []*Outer {
	var out []*Outer
	for _, o := range FreeOuters(s.Rel) {
		if s.Bound(o) == nil {
			out = append(out, o)
		}
	}
	return out
}

// Bound gives what a column from outside is on the table that the subquery is used on, or nil.
func (s *Subquery) Bound(o *Outer) Scalar {
	for _, c := range s.Outer {
		if c.Rel == o.Rel && c.Ordinal == o.Ordinal {
			return c.Value
		}
	}
	return nil
}

// Params gives the parameters of a relation and everything below it, subqueries included, each name once in the order of their first use.
// Two parameters of one name and of different types both come.
func Params(r Relation) []*Param {
	var out []*Param
	add := func(p *Param) {
		for _, o := range out {
			if o.Name == p.Name && datatype.Equal(o.Typ, p.Typ) && o.Null == p.Null {
				return
			}
		}
		out = append(out, p)
	}
	WalkRelations(r, func(r Relation) {
		if q, ok := r.(*SQL); ok {
			for _, p := range q.Params {
				add(p)
			}
		}
		for _, s := range Scalars(r) {
			Walk(s, func(n Scalar) bool {
				switch x := n.(type) {
				case *Param:
					add(x)
				case *RawSQL:
					for _, p := range x.Params {
						add(p)
					}
				}
				return true
			})
		}
	})
	return out
}

// Bindings gives the values that a relation and what is below it give to parameters, in the order of the tree.
func Bindings(r Relation) []ParamValue {
	var out []ParamValue
	WalkRelations(r, func(r Relation) {
		if b, ok := r.(*Bind); ok {
			out = append(out, b.Values...)
		}
	})
	return out
}
