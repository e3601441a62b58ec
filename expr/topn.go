package expr

import (
	"fmt"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

var (
	fnCollectList = fn("collect_list")
	fnArraySort   = fn("array_sort")
	fnSlice       = fn("slice")
)

// top keeps the first n rows of each group without numbering rows: an aggregation collects the rows of a group, and the array is sorted, cut and
// unnested. Columns that are keys stay keys, so that they keep their event time.
func (g Grouped) top(at condition.Pos, n int) Table {
	t := g.table
	g, errs := g.named()
	if g.sets != nil {
		e := condition.Newf(condition.Unsupported, "Limit of a grouping takes no grouping sets: a row would be in several groups.")
		e.Pos, e.Operator, e.Hint = at, "Limit", "Group by plain keys."
		errs = append(errs, e)
	}
	if len(g.having) > 0 {
		e := condition.Newf(condition.Unsupported, "Limit of a grouping takes no Having.")
		e.Pos, e.Operator, e.Hint = at, "Limit", "Filter before or after."
		errs = append(errs, e)
	}
	if len(errs) > 0 {
		return t.then(errs, nil)
	}
	wrap := func(s tree.Scalar) AnyValue { return AnyValue{value{node: s}} }
	// The names of what is added are none of the table's.
	name := func(wish string) string {
		for len(t.rel.Schema().Lookup(wish)) > 0 {
			wish = "_" + wish
		}
		return wish
	}
	fields := t.rel.Schema().Fields()
	keyOf := make([]int, len(fields)) // the key that a column is, or -1
	var row []any
	for i, f := range fields {
		keyOf[i] = -1
		for k, key := range g.keys {
			if c, ok := key.Expr.(*tree.Column); ok && c.Rel == t.rel && c.Ordinal == i {
				keyOf[i] = k
			}
		}
		if keyOf[i] < 0 {
			row = append(row, f.Name, wrap(&tree.Column{Rel: t.rel, Ordinal: i, At: at}))
		}
	}
	var order []string
	for i, k := range g.window.order {
		order = append(order, name(fmt.Sprintf("sort_key_%d", i+1)))
		row = append(row, order[i], wrap(k.Arg))
	}
	rows := name("top_rows")
	keys := append([]tree.Named(nil), g.keys...)
	for i := range keys {
		keys[i].Name = name(fmt.Sprintf("group_key_%d", i+1))
		if tree.TimeWindow(keys[i].Expr) != nil {
			keys[i].Name = name(g.keys[i].Name)
		}
		for k, f := range fields {
			if keyOf[k] == i {
				keys[i].Name = f.Name
			}
		}
	}
	groups := Grouped{table: t, keys: keys, at: at}.agg(at, []Value{callAt[ArrayValue](at, fnCollectList, callAt[StructValue](at, fnNamedStruct, row...)).As(rows)})
	if len(groups.errs) > 0 {
		return groups
	}
	list := groups.Array(rows)
	if len(order) > 0 {
		list = callAt[ArrayValue](at, fnArraySort, list, func(x, y StructValue) NumericValue { return comparing(x, y, order, g.window.order) })
	}
	out := groups.Mutate(callAt[ArrayValue](at, fnSlice, list, 1, n).As(rows)).unnest(at, rows, nil)
	if len(out.errs) > 0 {
		return out
	}
	first := tree.Scalar(&tree.Column{Rel: out.rel, Ordinal: len(keys), At: at})
	var cols []tree.Named
	for i, f := range fields {
		if keyOf[i] >= 0 {
			cols = append(cols, tree.Named{Name: f.Name, Expr: &tree.Column{Rel: out.rel, Ordinal: keyOf[i], At: at}})
			continue
		}
		s, _ := first.Type().(datatype.Struct)
		for k, sf := range s.Fields {
			if sf.Name == f.Name {
				cols = append(cols, tree.Named{Name: f.Name, Expr: &tree.GetField{Arg: first, Ordinal: k, Key: f.Name, At: at}})
			}
		}
	}
	for i, k := range g.keys {
		if tree.TimeWindow(k.Expr) != nil {
			cols = append(cols, tree.Named{Name: k.Name, Expr: &tree.Column{Rel: out.rel, Ordinal: i, At: at}})
		}
	}
	return out.project(at, "Limit", cols)
}

// comparing gives how two rows are ordered by their sort keys, as array_sort wants it.
func comparing(x, y StructValue, names []string, keys []tree.SortKey) NumericValue {
	c := Case()
	for i, name := range names {
		a, b := x.Field(name), y.Field(name)
		first, last := -1, 1
		if keys[i].Descending {
			first, last = 1, -1
		}
		null := 1
		if keys[i].NullsFirst {
			null = -1
		}
		c = c.When(a.IsNull().And(b.NotNull()), null).When(b.IsNull().And(a.NotNull()), -null).When(a.Lt(b), first).When(a.Gt(b), last)
	}
	return c.Else(0).AsNumeric()
}
