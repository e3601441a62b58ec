package expr

import (
	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Info tells of each column what its schema says and how many nulls it has, a row a column: name STRING, type STRING, nullable BOOLEAN,
// nulls BIGINT, non_nulls BIGINT, null_frac DOUBLE (null for a table without rows), pos INT from 0. The table is read once.
func (t Table) Info() Table {
	at := condition.Here(1)
	return t.perColumn(at, "Info", func(i int, f tree.Field, c AnyValue) []any {
		all, some := callAt[NumericValue](at, fnCount), callAt[NumericValue](at, fnCount, c)
		nulls := callAt[NumericValue](at, fnMinus, all, some)
		return []any{
			"name", f.Name, "type", f.Type.String(), "nullable", f.Nullable, "nulls", nulls, "non_nulls", some,
			"null_frac", callAt[NumericValue](at, fnDivide, nulls, callAt[NumericValue](at, fnNullIf, all, int64(0))), "pos", i,
		}
	})
}

// Describe sums up each column, a row a column: name STRING, pos INT from 0, type STRING, count BIGINT (rows), nulls BIGINT, unique
// BIGINT (different values that are not null; null for a MAP or VARIANT), and as DOUBLE, null but for numbers, mean (of a BOOLEAN the
// share of true), std, min, p25, p50, p75 and max. std and the quartiles are there when the catalogue has stddev_samp and percentile.
// The table is read once.
func (t Table) Describe() Table {
	at := condition.Here(1)
	return t.perColumn(at, "Describe", func(i int, f tree.Field, c AnyValue) []any {
		all := callAt[NumericValue](at, fnCount)
		none := AnyValue{value{node: &tree.Literal{Typ: datatype.Double, At: at}}}
		k := f.Type.Kind()
		var unique any = AnyValue{value{node: &tree.Literal{Typ: datatype.Long, At: at}}}
		if k != datatype.KindMap && k != datatype.KindVariant {
			d := callAt[NumericValue](at, fnCount, c)
			if n, ok := d.node.(*tree.Call); ok {
				x := *n
				x.Distinct = true
				d.node = &x
			}
			unique = d
		}
		out := []any{"name", f.Name, "pos", i, "type", f.Type.String(), "count", all, "nulls", callAt[NumericValue](at, fnMinus, all, callAt[NumericValue](at, fnCount, c)), "unique", unique}
		double := AnyValue{castTo(at, c, datatype.Double, false)}
		add := func(name, function string, numbersOnly bool, more ...any) {
			fun, ok := catalog.Lookup(function)
			switch {
			case !ok:
			case datatype.IsNumeric(f.Type), k == datatype.KindBoolean && !numbersOnly:
				out = append(out, name, callAt[AnyValue](at, fun, append([]any{double}, more...)...))
			default:
				out = append(out, name, none)
			}
		}
		add("mean", "avg", false)
		add("std", "stddev_samp", true)
		add("min", "min", true)
		add("p25", "percentile", true, 0.25)
		add("p50", "percentile", true, 0.5)
		add("p75", "percentile", true, 0.75)
		add("max", "max", true)
		return out
	})
}

var fnMinus, fnDivide, fnNullIf, fnStruct, fnArray = fn("-"), fn("/"), fn("nullif"), fn("named_struct"), fn("array")

// perColumn aggregates the whole table into a struct per column, whose names and values stats gives in turn, and puts each struct's
// fields in a row.
func (t Table) perColumn(at condition.Pos, op string, stats func(i int, f tree.Field, c AnyValue) []any) Table {
	t = t.ready(at)
	if t.blank() {
		return t
	}
	var rows []any
	for i, f := range t.rel.Schema().Fields() {
		rows = append(rows, callAt[StructValue](at, fnStruct, stats(i, f, AnyValue{value{node: &tree.Column{Rel: t.rel, Ordinal: i, At: at}}})...))
	}
	if len(rows) == 0 {
		e := condition.Newf(condition.InvalidValue, "%s needs a column.", op)
		e.Pos, e.Operator = at, op
		return t.fail(e)
	}
	name := "columns"
	one := Grouped{table: t, at: at}.agg(at, []Value{callAt[ArrayValue](at, fnArray, rows...).As(name)})
	if one.Err() != nil {
		return one
	}
	return one.unnest(at, name, nil).opened(at, op, 0, nil)
}

// opened puts the fields of the struct column i in its place, each under its name in the struct, or the one that names has for it.
func (t Table) opened(at condition.Pos, op string, i int, names []string) Table {
	if t.Err() != nil {
		return t
	}
	var out []tree.Named
	for k, c := range t.columns() {
		s, ok := c.Expr.Type().(datatype.Struct)
		if k != i || !ok {
			out = append(out, c)
			continue
		}
		for j, f := range s.Fields {
			n := tree.Named{Name: f.Name, Expr: &tree.GetField{Arg: c.Expr, Ordinal: j, Key: f.Name, At: at}}
			if names != nil {
				n.Name = names[j]
			}
			out = append(out, n)
		}
	}
	return t.project(at, op, out)
}
