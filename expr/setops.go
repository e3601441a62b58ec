package expr

import (
	"slices"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Union puts the rows of tables with the same columns together; duplicates stay. Columns meet by position, as in SQL, under their
// common type and this table's names; event time is what it is for this table, as in Spark.
func (t Table) Union(others ...Table) Table { return t.union(condition.Here(1), "Union", others) }

// UnionDistinct is [Table.Union] that keeps one of each set of equal rows; null equals null. On a stream it is an aggregation over
// all columns, as [Table.Distinct] is.
func (t Table) UnionDistinct(others ...Table) Table {
	at := condition.Here(1)
	return t.union(at, "UnionDistinct", others).distinct(at, "UnionDistinct")
}

// Intersect keeps the rows that are in every table, one of each set of equal rows; null equals null, NaN equals NaN, and -0.0
// equals 0.0. Columns meet by position under their common type and this table's names. Spark refuses it on streams.
func (t Table) Intersect(others ...Table) Table {
	return t.setOperation(condition.Here(1), "Intersect", tree.IntersectSet, false, others)
}

// IntersectAll is [Table.Intersect] that keeps duplicates: a row comes as often as in the table that has it least often.
func (t Table) IntersectAll(others ...Table) Table {
	return t.setOperation(condition.Here(1), "IntersectAll", tree.IntersectSet, true, others)
}

// Difference keeps the rows of this table that are in none of the others, one of each set of equal rows; rows are compared as
// [Table.Intersect] does.
func (t Table) Difference(others ...Table) Table {
	return t.setOperation(condition.Here(1), "Difference", tree.ExceptSet, false, others)
}

// DifferenceAll is [Table.Difference] that keeps duplicates: each row of another table takes away one equal row of this one.
func (t Table) DifferenceAll(others ...Table) Table {
	return t.setOperation(condition.Here(1), "DifferenceAll", tree.ExceptSet, true, others)
}

func (t Table) union(at condition.Pos, op string, others []Table) Table {
	t = t.ready(at)
	sides, out, all, errs := t.meet(at, op, others)
	if len(errs) > 0 || len(sides) == 1 {
		return Table{rel: t.rel, errs: merge(all, errs)}
	}
	return Table{rel: &tree.Union{Node: tree.Node{Out: out, At: at}, Sides: sides}, errs: all}
}

func (t Table) setOperation(at condition.Pos, op string, kind tree.SetKind, keep bool, others []Table) Table {
	t = t.ready(at)
	sides, out, all, errs := t.meet(at, op, others)
	errs = append(errs, incomparable(at, op, t.rel.Schema())...)
	if len(others) == 0 {
		e := condition.Newf(condition.InvalidValue, "%s needs another table.", op)
		e.Pos, e.Operator = at, op
		errs = append(errs, e)
	}
	if len(errs) > 0 {
		return Table{rel: t.rel, errs: merge(all, errs)}
	}
	left := sides[0]
	for _, right := range sides[1:] {
		fields := slices.Clone(out.Fields())
		for i := range fields {
			// A row that is in both is null only where both may be; what is taken away adds no nulls.
			l, r := left.Schema().Field(i), right.Schema().Field(i)
			fields[i].Nullable = l.Nullable && (r.Nullable || kind == tree.ExceptSet)
			fields[i].Type = l.Type // with what may be null within it: rows are the left side's
		}
		left = &tree.SetOperation{Node: tree.Node{Out: tree.NewSchema(fields), At: at}, Kind: kind, All: keep, Left: left, Right: right}
	}
	return Table{rel: left, errs: all}
}

// meet brings tables under the common types of their columns and this table's names. It gives the sides, the schema of all their
// rows, the mistakes of the tables, and its own.
func (t Table) meet(at condition.Pos, op string, others []Table) (sides []tree.Relation, out *tree.Schema, all, errs []*condition.Error) {
	sides = []tree.Relation{t.rel}
	fields := slices.Clone(t.rel.Schema().Fields())
	all = t.errs
	for k, o := range others {
		o = o.ready(at)
		all = merge(all, o.errs)
		if t.blank() || o.blank() {
			continue
		}
		if n := o.rel.Schema().Len(); n != len(fields) {
			e := condition.Newf(condition.NumColumnsMismatch, "%s needs tables with the same number of columns, but table %d has %d and the first %d.", op, k+2, n, len(fields))
			e.Pos, e.Operator, e.Hint = at, op, "Leave the column out, or turn it into a text by to_json or into a list by map_entries first."
			errs = append(errs, e)
			continue
		}
		for i, f := range o.rel.Schema().Fields() {
			c, ok := datatype.Common(fields[i].Type, f.Type, true)
			if !ok {
				e := condition.Newf(condition.IncompatibleColumnType, "Column %d of table %d, %s, is %s, which does not go with the first table's %s, %s.", i+1, k+2, datatype.QuoteName(f.Name), f.Type, datatype.QuoteName(fields[i].Name), fields[i].Type)
				e.Pos, e.Operator = at, op
				e.Hint = "Columns go together by their places: put them in one order with Select, or Cast one of the two."
				errs = append(errs, e)
				continue
			}
			fields[i].Type = c
			fields[i].Nullable = fields[i].Nullable || f.Nullable
		}
		sides = append(sides, o.rel)
	}
	out = tree.NewSchema(fields)
	if len(errs) == 0 && len(sides) > 1 {
		// Sides whose types differ from the common ones are cast below, so that the operators see one type.
		for k, s := range sides {
			sides[k] = castColumns(s, out, at)
		}
	}
	return sides, out, all, errs
}

func castColumns(r tree.Relation, to *tree.Schema, at condition.Pos) tree.Relation {
	same := true
	cols := make([]tree.Named, to.Len())
	fields := make([]tree.Field, to.Len())
	for i := range cols {
		f := r.Schema().Field(i)
		c := implicit(&tree.Column{Rel: r, Ordinal: i, At: at}, to.Field(i).Type)
		if k, ok := c.(*tree.Cast); ok {
			// The text of a cast has no place for what is never null within: there Spark's own coercion, which keeps it, is left to do the same.
			k.Implicit = !datatype.Equal(k.To, datatype.AsNullable(k.To))
			same = false
		}
		cols[i] = tree.Named{Name: f.Name, Expr: c}
		fields[i] = tree.Field{Name: f.Name, Type: c.Type(), Nullable: f.Nullable, Watermark: f.Watermark}
	}
	if same {
		return r
	}
	return &tree.Project{Node: tree.Node{Out: tree.NewSchema(fields), At: at}, Input: r, Columns: cols}
}

// incomparable refuses columns whose values Spark does not compare.
func incomparable(at condition.Pos, op string, s *tree.Schema) []*condition.Error {
	var errs []*condition.Error
	for _, f := range s.Fields() {
		if k := f.Type.Kind(); k == datatype.KindMap || k == datatype.KindVariant {
			e := condition.Newf("UNSUPPORTED_FEATURE.SET_OPERATION_ON_MAP_TYPE", "%s cannot compare column %s of type %s.", op, datatype.QuoteName(f.Name), f.Type)
			e.Pos, e.Operator = at, op
			errs = append(errs, e)
		}
	}
	return errs
}

// Distinct keeps one of each set of equal rows; null equals null. On a stream it is an aggregation over all columns.
func (t Table) Distinct() Table { return t.distinct(condition.Here(1), "Distinct") }

func (t Table) distinct(at condition.Pos, op string) Table {
	t = t.ready(at)
	if t.blank() {
		return t
	}
	return t.then(incomparable(at, op, t.rel.Schema()), func() tree.Relation {
		return &tree.Distinct{Node: tree.Node{Out: t.rel.Schema(), At: at}, Input: t.rel}
	})
}

// Sample keeps each row with the given probability, from 0 to 1. With a seed, a number from zero up, Spark chooses the same rows again while rows,
// their order and their partitions are the same; without one each run chooses anew. The local engine chooses other rows than
// Spark for the same seed. Spark refuses it on streams.
func (t Table) Sample(fraction float64, seed ...int64) Table {
	at := condition.Here(1)
	t = t.ready(at)
	s := &tree.Sample{Node: tree.Node{Out: t.rel.Schema(), At: at}, Input: t.rel, Fraction: fraction}
	if !(fraction >= 0 && fraction <= 1) || len(seed) > 1 {
		e := condition.Newf(condition.InvalidValue, "Sample takes a probability from 0 to 1, not %v, and at most one seed.", fraction)
		e.Pos, e.Operator, e.Hint = at, "Sample", "Use Limit for a number of rows."
		return t.fail(e)
	}
	if len(seed) == 1 {
		if seed[0] < 0 {
			e := condition.Newf(condition.InvalidValue, "A seed is a number from zero up, not %d.", seed[0])
			e.Pos, e.Operator, e.Hint = at, "Sample", "Spark's SQL has no sign in REPEATABLE."
			return t.fail(e)
		}
		s.Seed = &seed[0]
	}
	return t.then(nil, func() tree.Relation { return s })
}

// DropDuplicates keeps one row for each combination of the given columns, or of all columns without any, and all columns of it; null equals null. On a
// stream the first row that comes is kept; in a batch Spark keeps any. On a stream the state grows with every key, unless event time under a watermark is
// among the columns: then keys leave it when the watermark has passed, and late rows are dropped. For a chosen row of a batch see [Table.DistinctOn].
//
// Source: Spark's Dataset.dropDuplicates.
func (t Table) DropDuplicates(columns ...any) Table {
	return t.deduplicate(condition.Here(1), "DropDuplicates", columns, false)
}

// DropDuplicatesWithinWatermark keeps the first row for each combination of the given columns, or of all columns without any, of a stream. A key is
// remembered from its first row's event time until the watermark is the delay beyond it, so copies that come at most the delay apart are found, and
// the state is bounded without event time among the columns. A row without an event time counts as one of 1970, so its key is soon forgotten. It takes a stream with a watermark,
// and no batch.
//
// Source: Spark's Dataset.dropDuplicatesWithinWatermark, since 3.5.
func (t Table) DropDuplicatesWithinWatermark(columns ...any) Table {
	return t.deduplicate(condition.Here(1), "DropDuplicatesWithinWatermark", columns, true)
}

func (t Table) deduplicate(at condition.Pos, op string, columns []any, within bool) Table {
	t = t.ready(at)
	var keys []int
	var errs []*condition.Error
	if len(columns) > 0 {
		keys, errs = t.ordinals(at, op, columns)
	}
	return t.then(errs, func() tree.Relation {
		return &tree.Deduplicate{Node: tree.Node{Out: t.rel.Schema(), At: at}, Input: t.rel, Keys: keys, WithinWatermark: within}
	})
}
