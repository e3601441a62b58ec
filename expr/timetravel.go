package expr

import (
	"time"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// VersionAsOf is a table of the catalogue ([CatalogTable], or one that a session gave) as it was at a version, from 0 up: VERSION AS OF in SQL. The columns
// are those of this table; where they were others, declare them with CatalogTable. It is read as a batch. Formats that keep their versions have it, such
// as Delta; Spark refuses it of all others (UNSUPPORTED_FEATURE.TIME_TRAVEL), and the local engine, which keeps none, refuses it too.
func (t Table) VersionAsOf(version int64) Table {
	at := condition.Here(1)
	if version < 0 {
		e := condition.Newf(condition.InvalidValue, "A version is a number from zero up, not %d.", version)
		e.Pos, e.Operator = at, "VersionAsOf"
		return t.ready(at).fail(e)
	}
	return t.asOf(at, "VersionAsOf", func(r *tree.Table) { r.Version = &version })
}

// TimestampAsOf is [Table.VersionAsOf] for the version that was the latest at an instant, in microseconds: TIMESTAMP AS OF in SQL.
func (t Table) TimestampAsOf(instant time.Time) Table {
	return t.asOf(condition.Here(1), "TimestampAsOf", func(r *tree.Table) {
		r.Timestamp = &tree.Literal{Value: instant.UnixMicro(), Typ: datatype.Timestamp}
	})
}

func (t Table) asOf(at condition.Pos, op string, set func(*tree.Table)) Table {
	t = t.ready(at)
	x, ok := t.rel.(*tree.Table)
	if !ok || x.AsOf() {
		e := condition.Newf(condition.InvalidValue, "%s is for a table of the catalogue as it is.", op)
		e.Pos, e.Operator, e.Hint = at, op, "Take the table from a session or expr.CatalogTable, and filter and join it after that."
		return t.fail(e)
	}
	old := *x
	old.At, old.Stream = at, false
	set(&old)
	return t.then(nil, func() tree.Relation { return &old })
}
