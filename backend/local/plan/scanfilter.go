package plan

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// filters gives the conditions of a scan in the form that sources take. What cannot be said there is left out, for the filter above stays.
func (b *builder) filters(x *Scan) []connector.Filter {
	var out []connector.Filter
	for _, c := range x.Filters {
		e, err := b.compile(c)
		if err != nil || len(e.Columns) == 0 {
			continue
		}
		cols, width := e.Columns, x.Schema().Len()
		ts := make([]datatype.Type, len(cols))
		for i, k := range cols {
			ts[i] = x.Schema().Field(k).Type
		}
		f := connector.Filter{Columns: cols, True: func(rec arrow.RecordBatch) ([]bool, error) {
			in, err := vec.FromRecord(rec, ts)
			if err != nil {
				return nil, err
			}
			defer in.Release()
			wide := &vec.Batch{Cols: make([]*vec.Vec, width), N: in.N}
			for i, k := range cols {
				wide.Cols[k] = in.Cols[i]
			}
			v, err := e.Eval(wide)
			if err != nil {
				return nil, err
			}
			keep := make([]bool, in.N)
			for i := range keep {
				keep[i] = !v.IsNull(i) && v.Bool[i&v.Mask()]
			}
			return keep, nil
		}}
		if len(cols) == 1 {
			f.Op, f.Values = b.comparison(c)
		}
		out = append(out, f)
	}
	return out
}

// mirrored are the comparisons with their sides changed.
var mirrored = map[string]connector.Comparison{"=": connector.Equal, "<=>": connector.Equal, "<": connector.Greater, "<=": connector.GreaterOrEqual, ">": connector.Less, ">=": connector.LessOrEqual}

// comparison reads a condition as a comparison of a column with literals; the operator is "" for another.
func (b *builder) comparison(s tree.Scalar) (connector.Comparison, []any) {
	c, ok := s.(*tree.Call)
	if !ok {
		return "", nil
	}
	isColumn := func(s tree.Scalar) bool {
		s, _ = tree.StripAlias(s)
		_, ok := s.(*tree.Column)
		return ok
	}
	literal := func(s tree.Scalar) (any, bool) {
		e, err := b.compile(s)
		if err != nil {
			return nil, false
		}
		v, ok := e.Literal()
		return v, ok && v != nil
	}
	switch c.Func.Name {
	case "isnull", "isnotnull":
		if isColumn(c.Args[0]) {
			return map[string]connector.Comparison{"isnull": connector.IsNull, "isnotnull": connector.IsNotNull}[c.Func.Name], nil
		}
	case "=", "<=>", "<", "<=", ">", ">=":
		if v, ok := literal(c.Args[1]); ok && isColumn(c.Args[0]) {
			op := connector.Comparison(c.Func.Name)
			if op == "<=>" {
				op = connector.Equal
			}
			return op, []any{v}
		}
		if v, ok := literal(c.Args[0]); ok && isColumn(c.Args[1]) {
			return mirrored[c.Func.Name], []any{v}
		}
	case "in":
		if !isColumn(c.Args[0]) {
			break
		}
		var values []any
		for _, a := range c.Args[1:] {
			v, ok := literal(a)
			if !ok {
				// NULL in the list makes no row true, and what is no literal may be anything.
				return "", nil
			}
			values = append(values, v)
		}
		return connector.Equal, values
	}
	return "", nil
}
