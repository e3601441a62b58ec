package plan

import (
	"math"
	"math/big"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// estimate is what is guessed of a node's output. It decides about speed alone.
type estimate struct {
	// rows is the number of rows; known is false where a source below said nothing.
	rows  float64
	known bool
	cols  []columnEstimate
}

// columnEstimate is what is guessed of a column.
type columnEstimate struct {
	// distinct is the number of values before filters: keys of two tables meet by it.
	distinct float64
	// ranged tells that the values are integers or dates from least to greatest.
	ranged          bool
	least, greatest float64
}

// The shares of rows that conditions are taken to pass where nothing is known.
const (
	shareEqual = 0.1
	shareRange = 0.3
	shareLike  = 0.1
	shareOther = 0.3
)

// statistics gives what a scan's source knows, if it was asked.
type statistics map[*Scan]connector.Statistics

// estimate guesses the output of a node.
func (s statistics) estimate(n Node) estimate {
	switch x := n.(type) {
	case *Scan:
		st, ok := s[x]
		e := estimate{rows: float64(st.Rows), known: ok, cols: make([]columnEstimate, x.Schema().Len())}
		for i := range e.cols {
			e.cols[i].distinct = e.rows
			if r, ok := st.Ranges[i]; ok && x.Read.Source.Codec == nil {
				c := &e.cols[i]
				c.ranged, c.least, c.greatest = true, float64(r.Min), float64(r.Max)
				c.distinct = min(c.distinct, c.greatest-c.least+1)
			}
		}
		return e
	case *Shared:
		if x.estimated == nil {
			e := s.estimate(x.In)
			x.estimated = &e
		}
		e := *x.estimated
		e.cols = append([]columnEstimate(nil), e.cols...)
		return e
	case *Values:
		e := estimate{rows: float64(len(x.Rows)), known: true, cols: make([]columnEstimate, x.Schema().Len())}
		for i := range e.cols {
			e.cols[i].distinct = e.rows
		}
		return e
	case *Project:
		in := s.estimate(x.In)
		e := estimate{rows: in.rows, known: in.known, cols: make([]columnEstimate, len(x.Exprs))}
		for i, p := range x.Exprs {
			e.cols[i].distinct = in.rows
			if c, ok := plainColumn(p.Expr); ok {
				e.cols[i] = in.cols[c]
			}
		}
		return e
	case *Filter:
		e := s.estimate(x.In)
		e.rows *= e.share(x.Cond)
		return e
	case *Aggregate:
		in := s.estimate(x.In)
		e := estimate{rows: 1, known: in.known, cols: make([]columnEstimate, x.Schema().Len())}
		for i, k := range x.Keys {
			d := in.rows / 2
			if c, ok := plainColumn(k.Expr); ok {
				e.cols[i] = in.cols[c]
				d = in.cols[c].distinct
			}
			e.rows *= max(d, 1)
		}
		e.rows = min(e.rows, max(in.rows, 1))
		for i := range e.cols {
			if i >= len(x.Keys) || e.cols[i].distinct == 0 {
				e.cols[i].distinct = e.rows
			}
		}
		return e
	case *Join:
		l, r := s.estimate(x.Left), s.estimate(x.Right)
		both := append(append([]columnEstimate(nil), l.cols...), r.cols...)
		e := estimate{rows: l.rows * r.rows, known: l.known && r.known}
		width := len(l.cols)
		d := 1.0
		for _, c := range x.On {
			if a, b, ok := columnPair(c, width); ok {
				d *= max(1, min(both[a].distinct, both[b].distinct))
			} else {
				e.rows *= shareOther
			}
		}
		e.rows /= min(d, max(1, min(l.base(), r.base())))
		switch x.Kind {
		case tree.LeftJoin:
			e.rows = max(e.rows, l.rows)
		case tree.FullJoin:
			e.rows = max(e.rows, l.rows+r.rows)
		case tree.SemiJoin, tree.AntiJoin:
			e.rows = l.rows / 2
		}
		for _, o := range x.Output {
			k := o.Ordinal
			if o.FromRight {
				k += width
			}
			e.cols = append(e.cols, both[k])
		}
		return e
	case *Limit:
		e := s.estimate(x.In)
		if x.Count >= 0 {
			e.rows = min(e.rows, float64(x.Count))
		}
		return e
	case *Union:
		e := s.estimate(x.Sides[0])
		for _, side := range x.Sides[1:] {
			f := s.estimate(side)
			e.rows += f.rows
			e.known = e.known && f.known
			for i := range e.cols {
				e.cols[i] = columnEstimate{distinct: e.cols[i].distinct + f.cols[i].distinct}
			}
		}
		return e
	}
	// The rest passes rows and columns on, and may add columns.
	in := n.Inputs()
	if len(in) == 0 {
		return estimate{cols: make([]columnEstimate, n.Schema().Len())}
	}
	e := s.estimate(in[0])
	for len(e.cols) < n.Schema().Len() {
		e.cols = append(e.cols, columnEstimate{distinct: e.rows})
	}
	e.cols = e.cols[:n.Schema().Len()]
	return e
}

// base is about how many rows there were before filters.
func (e estimate) base() float64 {
	n := e.rows
	for _, c := range e.cols {
		n = max(n, c.distinct)
	}
	return n
}

// plainColumn gives the column that an expression just passes on.
func plainColumn(s tree.Scalar) (int, bool) {
	s, _ = tree.StripAlias(s)
	c, ok := s.(*tree.Column)
	if !ok {
		return 0, false
	}
	return c.Ordinal, true
}

// columnPair reads an equality of two columns, one on each side of a join whose left input has width columns.
func columnPair(s tree.Scalar, width int) (left, right int, ok bool) {
	a, b, ok := equalColumns(s)
	if !ok || (a < width) == (b < width) {
		return 0, 0, false
	}
	return min(a, b), max(a, b), true
}

// equalColumns reads an equality of two columns.
func equalColumns(s tree.Scalar) (a, b int, ok bool) {
	c, is := s.(*tree.Call)
	if !is || c.Func.Name != "=" && c.Func.Name != "<=>" {
		return 0, 0, false
	}
	a, ok1 := plainColumn(c.Args[0])
	b, ok2 := plainColumn(c.Args[1])
	return a, b, ok1 && ok2
}

// share guesses the share of rows that pass a condition.
func (e estimate) share(s tree.Scalar) float64 {
	s, _ = tree.StripAlias(s)
	c, ok := s.(*tree.Call)
	if !ok {
		return shareOther
	}
	switch c.Func.Name {
	case "and":
		return e.share(c.Args[0]) * e.share(c.Args[1])
	case "or":
		a, b := e.share(c.Args[0]), e.share(c.Args[1])
		return a + b - a*b
	case "not":
		return 1 - e.share(c.Args[0])
	case "=", "<=>":
		for i := range 2 {
			if k, ok := plainColumn(c.Args[i]); ok && e.cols[k].ranged {
				return 1 / max(1, e.cols[k].distinct)
			}
		}
		return shareEqual
	case "<>", "isnotnull":
		return 1 - shareEqual
	case "isnull":
		return shareEqual
	case "in":
		one := shareEqual / 2
		if k, ok := plainColumn(c.Args[0]); ok && e.cols[k].ranged {
			one = 1 / max(1, e.cols[k].distinct)
		}
		return min(1, one*float64(len(c.Args)-1))
	case "like", "rlike", "startswith", "endswith", "contains":
		return shareLike
	case "<", "<=", ">", ">=":
		a, b := c.Args[0], c.Args[1]
		greater := c.Func.Name[0] == '>'
		if _, ok := plainColumn(b); ok {
			a, b, greater = b, a, !greater
		}
		if below, ok := e.below(a, b); ok {
			if greater {
				return clampShare(1 - below)
			}
			return clampShare(below)
		}
		return shareRange
	case "between":
		low, ok1 := e.below(c.Args[0], c.Args[1])
		high, ok2 := e.below(c.Args[0], c.Args[2])
		if ok1 && ok2 {
			return clampShare(high - low)
		}
		return shareRange * shareRange
	}
	return shareOther
}

func clampShare(x float64) float64 { return min(1, max(0.0005, x)) }

// below guesses the share of a ranged column's values below a literal.
func (e estimate) below(column, bound tree.Scalar) (float64, bool) {
	k, ok := plainColumn(column)
	if !ok || !e.cols[k].ranged {
		return 0, false
	}
	v, ok := numberOf(bound)
	if !ok {
		return 0, false
	}
	c := e.cols[k]
	if c.greatest <= c.least {
		return 0.5, true
	}
	return min(1, max(0, (v-c.least)/(c.greatest-c.least))), true
}

// numberOf reads a literal number, date or time stamp in the unit in which columns hold it.
func numberOf(s tree.Scalar) (float64, bool) {
	s, _ = tree.StripAlias(s)
	if c, ok := s.(*tree.Cast); ok && c.Implicit {
		return numberOf(c.Arg)
	}
	l, ok := s.(*tree.Literal)
	if !ok {
		return 0, false
	}
	switch v := l.Value.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, !math.IsNaN(v)
	case *big.Int:
		f, _ := new(big.Float).SetInt(v).Float64()
		return f, true
	}
	return 0, false
}
