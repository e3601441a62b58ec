package sparksql

import (
	"slices"

	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// need finds, for each relation that may print as a derived table or a common table expression, the columns that something above it reads:
// its list has no others. order has the relations below root, inputs first.
func (p *printer) need(root tree.Relation, order []tree.Relation) {
	p.needed = make(map[tree.Relation][]bool, len(order))
	p.all(root)
	for i := len(order) - 1; i >= 0; i-- { // whatever reads a relation comes before it
		p.needOf(order[i])
	}
}

// all marks every column of a relation.
func (p *printer) all(r tree.Relation) {
	marks := p.marks(r)
	for i := range marks {
		marks[i] = true
	}
}

// marks gives the marks of the relation that r prints as.
func (p *printer) marks(r tree.Relation) []bool {
	r = p.skip(r)
	m := p.needed[r]
	if m == nil {
		m = make([]bool, r.Schema().Len())
		p.needed[r] = m
	}
	return m
}

// reads marks the columns that an expression reads, and everything in its subqueries. A text of the user's may read any column of inputs.
func (p *printer) reads(s tree.Scalar, inputs ...tree.Relation) {
	tree.Walk(s, func(n tree.Scalar) bool {
		switch x := n.(type) {
		case *tree.Column:
			if m := p.marks(x.Rel); x.Ordinal < len(m) {
				m[x.Ordinal] = true
			}
		case *tree.Subquery:
			p.all(x.Rel)
		case *tree.RawSQL:
			for _, in := range inputs {
				p.all(in)
			}
		}
		return true
	})
}

// needOf marks what r reads of its inputs, given what is read of r.
func (p *printer) needOf(r tree.Relation) {
	if _, leaf := p.names(r); leaf {
		return
	}
	own := p.marks(r)
	any := false
	for _, m := range own {
		any = any || m
	}
	if !any && len(own) > 0 {
		own[0] = true // a list has a column, and an aggregation without keys an aggregate
	}
	through := func(in tree.Relation) {
		m := p.marks(in)
		for i, needed := range own[:min(len(own), len(m))] {
			m[i] = m[i] || needed
		}
	}
	switch x := r.(type) {
	case *tree.Project:
		whole := slices.ContainsFunc(x.Columns, func(c tree.Named) bool { return tree.TimeWindow(c.Expr) != nil })
		for i, c := range x.Columns {
			if own[i] = own[i] || whole; own[i] {
				p.reads(c.Expr, x.Input)
			}
		}
	case *tree.Filter:
		through(x.Input)
		p.reads(x.Cond, x.Input)
	case *tree.Aggregate:
		for _, k := range x.Keys {
			p.reads(k.Expr, x.Input)
		}
		for i, a := range x.Aggs {
			if own[len(x.Keys)+i] {
				p.reads(a.Expr, x.Input)
			}
		}
	case *tree.Join:
		p.joins(x.Output, own, x.Left, x.Right)
		p.reads(x.On, x.Left, x.Right)
		if x.Kind.Any() {
			p.all(x.Right) // the order of the whole row settles which one counts
		}
	case *tree.AsofJoin:
		p.joins(x.Output, own, x.Left, x.Right)
		p.reads(x.On, x.Left, x.Right)
		p.reads(x.LeftTime, x.Left)
		p.all(x.Right)
	case *tree.Sort:
		through(x.Input)
		for _, k := range x.Keys {
			p.reads(k.Arg, x.Input)
		}
	case *tree.Unnest: // the list of what makes rows is printed whole
		for i := range own {
			own[i] = true
		}
		through(x.Input)
	case *tree.Limit:
		through(x.Input)
		p.reads(x.CountOf)
		p.reads(x.OffsetOf)
	case *tree.Sample:
		through(x.Input)
	default: // rows are compared whole, or by place
		for i := range own {
			own[i] = true
		}
		for _, in := range r.Inputs() {
			p.all(in)
		}
	}
}

func (p *printer) joins(output []tree.JoinColumn, own []bool, left, right tree.Relation) {
	for i, c := range output {
		if !own[i] {
			continue
		}
		side := left
		if c.FromRight {
			side = right
		}
		p.marks(side)[c.Ordinal] = true
	}
}

// listed gives the block with its list written out, without the columns that nothing above it reads: what stands between parentheses. The list of
// DISTINCT and of what makes rows is part of what the rows are, and an order names columns of it.
func (p *printer) listed(b *block) *block {
	if b.body != "" {
		return b
	}
	fields := b.rel.Schema().Fields()
	marks := p.needed[p.skip(b.rel)]
	if b.distinct || b.generator {
		marks = nil
	}
	c := *b
	if b.items == nil {
		for i, f := range fields {
			c.items = append(c.items, item{b.cols[i], f.Name})
		}
	}
	list := c.items
	c.items = nil
	for i, it := range list {
		if i >= len(marks) || marks[i] || slices.Contains(b.ordered, i) || slices.Contains(b.keyed, i) {
			c.items = append(c.items, it)
		}
	}
	if len(c.items) == 0 {
		c.items = list
	}
	return &c
}
