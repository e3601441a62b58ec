package plan_test

import (
	"github.com/spoonbill-go/spoonbill/conformance"
	"github.com/spoonbill-go/spoonbill/expr"
)

// subqueryCases are the shapes that the rules make joins of, and some that they leave.
func subqueryCases() map[string]expr.Table {
	o, c := conformance.Orders(), conformance.Customers()
	ofCustomer := c.Filter(c.Num("customer").Eq(o.Num("customer")), c.Str("name").NotEq("Cy"))
	known := o.Num("customer").InTable(c.Select("customer"))
	return map[string]expr.Table{
		"scalar":                    o.Filter(o.Num("customer").Gt(c.Num("customer").Min().AsScalar())),
		"in":                        o.Filter(known, o.Num("amount").Gt(2)),
		"not in":                    o.Filter(known.Not()),
		"in or":                     o.Filter(known.Or(o.Num("id").Eq(1))),
		"exists":                    o.Filter(expr.Exists(ofCustomer.Select("since"))),
		"not exists":                o.Filter(expr.Exists(ofCustomer).Not()),
		"exists by inequality":      o.Filter(expr.Exists(c.Filter(c.Num("customer").Lt(o.Num("customer"))))),
		"exists of a group":         o.Filter(expr.Exists(ofCustomer.GroupBy("name").Agg(expr.Count().As("n")).Filter(expr.Num("n").Gt(1)))),
		"count":                     o.Select("id", ofCustomer.Agg(expr.Count().As("n")).AsScalar().As("n")),
		"one row for each stays":    o.Select("id", ofCustomer.Select("name").AsScalar().As("name")),
		"limit stays":               o.Filter(expr.Exists(ofCustomer.Limit(1))),
		"count by inequality stays": o.Select("id", c.Filter(c.Num("customer").Lt(o.Num("customer"))).Agg(expr.Count().As("n")).AsScalar().As("n")),
		"of a left join":            o.Filter(expr.Exists(ofCustomer.LeftJoin(o.View().Select("customer", "note"), "customer"))),
	}
}
