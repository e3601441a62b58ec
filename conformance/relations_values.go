package conformance

import (
	"github.com/spoonbill-go/spoonbill/expr"
)

// writtenRows are joins of rows that are written in the query, which print as VALUES in the FROM: their names, conditions and copies.
func writtenRows() []Case {
	l := expr.MemtableRows("m", mustFields("id INT, k STRING"), [][]any{{1, "a"}, {2, nil}, {3, "b"}, {3, "b"}})
	r := expr.MemtableRows("m", mustFields("k STRING, y DOUBLE"), [][]any{{"a", 1.5}, {"b", nil}, {nil, 2.5}})
	named := expr.MemtableRows("k", mustFields("id INT, m STRING"), [][]any{{1, "x"}, {3, nil}})
	odd := expr.MemtableRows("my rows", mustFields("id INT, `a b` INT"), [][]any{{1, 10}})
	none := expr.MemtableRows("none", mustFields("id INT, z STRING"), nil)
	deep := expr.MemtableRows("m", mustFields("id INT, s STRUCT<id: INT>"), [][]any{{1, []any{7}}})
	v := l.View()
	some := r.Filter(r.Num("y").Gt(1))
	twice := l.Filter(l.Num("id").Gt(1))
	var out []Case
	add := func(name string, t expr.Table) { out = append(out, Case{Name: "values: " + name, Table: t}) }
	add("two of one name", l.Join(r, "k"))
	add("left join", l.LeftJoin(r, "k"))
	add("right join of filtered rows", l.RightJoin(some, "k"))
	add("left join of filtered rows", l.LeftJoin(some, "k"))
	add("outer join of filtered rows", l.OuterJoin(some, "k"))
	add("semi join", l.SemiJoin(some, "k"))
	add("anti join", l.AntiJoin(some, "k"))
	add("cross join", l.CrossJoin(named.Select("m")))
	add("a table called as a column of the other", l.Join(named, "id"))
	add("a table called as a struct of the other", deep.Join(l, "id").Select(deep.Struct("s").Field("id").As("f"), l.Str("k")))
	add("names between quotes", l.LeftJoin(odd, "id"))
	add("no rows on the right", l.LeftJoin(none, "id"))
	add("no rows on the left", none.RightJoin(l, "id"))
	add("a view of itself", l.Join(v, l.Num("id").Eq(v.Num("id"))).Select(l.Num("id"), v.Str("k").As("other")))
	add("filtered rows twice", twice.Join(twice.View(), "id").Select("id"))
	add("a chain of four", l.Join(r, "k").LeftJoin(named, "id").LeftJoin(odd, "id"))
	add("a hint on one side", l.Join(named.Broadcast(), "id"))
	add("chosen and renamed columns", l.Select(l.Num("id").As("m"), "k").Join(r.Select("k"), "k"))
	add("a subquery beside a join", l.Join(named, "id").Filter(expr.Num("id").NotNull(), l.Str("k").InTable(r.Select("k"))))
	return out
}
