package conformance

import (
	"github.com/spoonbill-go/spoonbill/expr"
)

// versions are temporal joins with changes of doubled times, null times and null keys, deletions by a flag and by a null, and orders at, between and before them.
func versions() []Case {
	orders := expr.MemtableRows("orders", mustFields("id INT, currency STRING, shop INT, ordered TIMESTAMP, updated INT"), [][]any{
		{1, "EUR", 1, at("2024-03-10 06:59:59"), 10}, {2, "EUR", 1, at("2024-03-10 07:00:00"), 20}, {3, "EUR", 2, at("2024-03-10 07:30:00"), 30}, {4, "EUR", 1, at("2024-03-10 09:00:00"), nil},
		{5, "USD", 1, at("2024-03-10 07:30:00"), 50}, {6, "USD", 2, at("2024-03-10 08:30:00"), 60}, {7, "GBP", 1, at("2024-03-10 08:00:00"), 70}, {8, nil, 1, at("2024-03-10 08:00:00"), 80}, {9, "EUR", nil, nil, 90},
		{10, "EUR", 2, at("2024-03-10 11:00:00"), 100},
	})
	rates := expr.MemtableRows("rates", mustFields("currency STRING, updated TIMESTAMP, rate DECIMAL(8,2), gone BOOLEAN, shop INT"), [][]any{
		{"EUR", at("2024-03-10 07:00:00"), "114.00", false, 1}, {"EUR", at("2024-03-10 08:00:00"), "116.00", nil, 1}, {"EUR", at("2024-03-10 08:00:00"), "115.00", true, 2}, {"EUR", at("2024-03-10 10:00:00"), nil, true, 1},
		{"USD", at("2024-03-10 07:15:00"), "102.00", false, 1}, {"USD", at("2024-03-10 08:00:00"), nil, false, 2}, {"USD", at("2024-03-10 08:15:00"), "103.00", true, 2},
		{nil, at("2024-03-10 07:00:00"), "1.00", false, 1}, {"EUR", nil, "2.00", false, 1}, {"GBP", at("2024-03-10 08:00:00.000001"), "127.00", false, 1},
	})
	v := rates.Versioned("updated", "currency")
	var out []Case
	add := func(name string, t expr.Table) { out = append(out, Case{Name: "temporal join: " + name, Table: t}) }
	add("by name", orders.TemporalJoin(v, "ordered"))
	add("left", orders.TemporalLeftJoin(v, "ordered"))
	add("of two names", orders.Rename(map[string]string{"money": "currency"}).TemporalJoin(v, "ordered", [2]string{"money", "currency"}, expr.RName("rate_{name}")))
	add("of a value", orders.TemporalLeftJoin(v, orders.Timestamp("ordered"), orders.Str("currency").Eq(rates.Str("currency"))))
	add("with deletions by a flag", orders.TemporalJoin(v.DeletedWhere(rates.Bool("gone")), "ordered"))
	add("left with deletions by a flag", orders.TemporalLeftJoin(v.DeletedWhere(rates.Bool("gone")), "ordered"))
	add("with deletions by a null", orders.TemporalJoin(v.DeletedWhere(rates.Num("rate").IsNull()), "ordered"))
	add("left with deletions of a key", orders.TemporalLeftJoin(v.DeletedWhere(rates.Str("currency").Eq("USD").And(rates.Bool("gone"))), "ordered"))
	add("with a column that is called as the mark", orders.Mutate(orders.Num("id").As("deleted")).TemporalJoin(v.DeletedWhere(rates.Bool("gone")), "ordered").Select("deleted", "rate"))
	add("by two keys", orders.TemporalJoin(rates.Versioned("updated", "currency", "shop"), "ordered"))
	add("with nothing on the right", orders.TemporalLeftJoin(rates.Filter(rates.Num("rate").Lt(0)).Versioned("updated", "currency"), "ordered"))
	add("with nothing on the left", orders.Filter(orders.Num("id").Lt(0)).TemporalJoin(v, "ordered"))
	add("then filter and group", func() expr.Table {
		j := orders.TemporalJoin(v, "ordered")
		return j.Filter(j.Num("rate").Gt(110)).GroupBy("currency").Agg(expr.Count().As("n"), j.Num("rate").Sum().As("sum"))
	}())
	add("of two joins", func() expr.Table {
		j := orders.TemporalLeftJoin(v, "ordered").Select("id", "shop", "ordered", "rate")
		return j.TemporalLeftJoin(rates.View().Versioned("updated", "shop"), "ordered")
	}())
	return out
}
