package queries

import (
	"time"

	"github.com/spoonbill-go/spoonbill/expr"
	f "github.com/spoonbill-go/spoonbill/expr/functions"
)

// Q01 is the pricing summary report.
func Q01(t Tables) expr.Table {
	l := t.Lineitem
	l = l.Filter(l.Date("l_shipdate").Le(day(1998, time.September, 2)))
	price := revenue(l)
	return l.GroupBy("l_returnflag", "l_linestatus").
		Agg(l.Num("l_quantity").Sum().As("sum_qty"),
			l.Num("l_extendedprice").Sum().As("sum_base_price"),
			price.Sum().As("sum_disc_price"),
			price.Mul(one.Add(l.Num("l_tax"))).Sum().As("sum_charge"),
			l.Num("l_quantity").Mean().As("avg_qty"),
			l.Num("l_extendedprice").Mean().As("avg_price"),
			l.Num("l_discount").Mean().As("avg_disc"),
			expr.Count().As("count_order")).
		OrderBy("l_returnflag", "l_linestatus")
}

// Q02 finds the supplier of least cost in a region.
func Q02(t Tables) expr.Table {
	offers := func(ps expr.Table) expr.Table {
		x := ps.Join(t.Supplier, ps.Num("ps_suppkey").Eq(t.Supplier.Num("s_suppkey")))
		x = x.Join(t.Nation, x.Num("s_nationkey").Eq(t.Nation.Num("n_nationkey")))
		x = x.Join(t.Region, x.Num("n_regionkey").Eq(t.Region.Num("r_regionkey")))
		return x.Filter(x.Str("r_name").Eq("EUROPE"))
	}
	p := t.Part.Filter(t.Part.Num("p_size").Eq(15), t.Part.Str("p_type").Like("%BRASS"))
	x, all := offers(p.Join(t.PartSupp, p.Num("p_partkey").Eq(t.PartSupp.Num("ps_partkey")))), offers(t.PartSupp.View())
	least := all.Filter(all.Num("ps_partkey").Eq(x.Num("p_partkey"))).Agg(all.Num("ps_supplycost").Min().As("least"))
	return x.Filter(x.Num("ps_supplycost").Eq(least.AsScalar())).
		Select("s_acctbal", "s_name", "n_name", "p_partkey", "p_mfgr", "s_address", "s_phone", "s_comment").
		OrderBy(expr.Desc("s_acctbal"), "n_name", "s_name", "p_partkey").Limit(100)
}

// Q03 lists the unshipped orders of the highest value.
func Q03(t Tables) expr.Table {
	c := t.Customer.Filter(t.Customer.Str("c_mktsegment").Eq("BUILDING"))
	o := t.Orders.Filter(t.Orders.Date("o_orderdate").Lt(day(1995, time.March, 15)))
	l := t.Lineitem.Filter(t.Lineitem.Date("l_shipdate").Gt(day(1995, time.March, 15)))
	x := c.Join(o, c.Num("c_custkey").Eq(o.Num("o_custkey")))
	x = x.Join(l, x.Num("o_orderkey").Eq(l.Num("l_orderkey")))
	return x.GroupBy("l_orderkey", "o_orderdate", "o_shippriority").Agg(revenue(x).Sum().As("revenue")).
		Select("l_orderkey", "revenue", "o_orderdate", "o_shippriority").
		OrderBy(expr.Desc("revenue"), "o_orderdate").Limit(10)
}

// Q04 counts the orders with a late line by priority.
func Q04(t Tables) expr.Table {
	o := t.Orders.Filter(t.Orders.Date("o_orderdate").Ge(day(1993, time.July, 1)), t.Orders.Date("o_orderdate").Lt(day(1993, time.October, 1)))
	late := t.Lineitem.Filter(t.Lineitem.Date("l_commitdate").Lt(t.Lineitem.Date("l_receiptdate"))).Select("l_orderkey").Distinct()
	return o.Join(late, o.Num("o_orderkey").Eq(late.Num("l_orderkey"))).
		GroupBy("o_orderpriority").Agg(expr.Count().As("order_count")).
		OrderBy("o_orderpriority")
}

// Q05 is the revenue of local suppliers by nation.
func Q05(t Tables) expr.Table {
	o := t.Orders.Filter(t.Orders.Date("o_orderdate").Ge(day(1994, time.January, 1)), t.Orders.Date("o_orderdate").Lt(day(1995, time.January, 1)))
	r := t.Region.Filter(t.Region.Str("r_name").Eq("ASIA"))
	x := t.Customer.Join(o, t.Customer.Num("c_custkey").Eq(o.Num("o_custkey")))
	x = x.Join(t.Lineitem, x.Num("o_orderkey").Eq(t.Lineitem.Num("l_orderkey")))
	x = x.Join(t.Supplier, x.Num("l_suppkey").Eq(t.Supplier.Num("s_suppkey")), x.Num("c_nationkey").Eq(t.Supplier.Num("s_nationkey")))
	x = x.Join(t.Nation, x.Num("s_nationkey").Eq(t.Nation.Num("n_nationkey")))
	x = x.Join(r, x.Num("n_regionkey").Eq(r.Num("r_regionkey")))
	return x.GroupBy("n_name").Agg(revenue(x).Sum().As("revenue")).OrderBy(expr.Desc("revenue"))
}

// Q06 forecasts the change of revenue without small discounts.
func Q06(t Tables) expr.Table {
	l := t.Lineitem
	l = l.Filter(l.Date("l_shipdate").Ge(day(1994, time.January, 1)), l.Date("l_shipdate").Lt(day(1995, time.January, 1)),
		l.Num("l_discount").Between(expr.Decimal("0.05"), expr.Decimal("0.07")), l.Num("l_quantity").Lt(24))
	return l.Agg(l.Num("l_extendedprice").Mul(l.Num("l_discount")).Sum().As("revenue"))
}

// Q07 is the trade between two nations by year.
func Q07(t Tables) expr.Table {
	n1 := t.Nation.Select(t.Nation.Num("n_nationkey").As("supp_key"), t.Nation.Str("n_name").As("supp_nation"))
	n2 := t.Nation.Select(t.Nation.Num("n_nationkey").As("cust_key"), t.Nation.Str("n_name").As("cust_nation"))
	l := t.Lineitem.Filter(t.Lineitem.Date("l_shipdate").Between(day(1995, time.January, 1), day(1996, time.December, 31)))
	x := t.Supplier.Join(l, t.Supplier.Num("s_suppkey").Eq(l.Num("l_suppkey")))
	x = x.Join(t.Orders, x.Num("l_orderkey").Eq(t.Orders.Num("o_orderkey")))
	x = x.Join(t.Customer, x.Num("o_custkey").Eq(t.Customer.Num("c_custkey")))
	x = x.Join(n1, x.Num("s_nationkey").Eq(n1.Num("supp_key")))
	x = x.Join(n2, x.Num("c_nationkey").Eq(n2.Num("cust_key")))
	pair := func(a, b string) expr.BooleanValue {
		return x.Str("supp_nation").Eq(a).And(x.Str("cust_nation").Eq(b))
	}
	x = x.Filter(pair("FRANCE", "GERMANY").Or(pair("GERMANY", "FRANCE")))
	x = x.Select("supp_nation", "cust_nation", x.Date("l_shipdate").Year().As("l_year"), revenue(x).As("volume"))
	return x.GroupBy("supp_nation", "cust_nation", "l_year").Agg(x.Num("volume").Sum().As("revenue")).OrderBy("supp_nation", "cust_nation", "l_year")
}

// Q08 is the share of a nation in a market by year.
func Q08(t Tables) expr.Table {
	p := t.Part.Filter(t.Part.Str("p_type").Eq("ECONOMY ANODIZED STEEL"))
	o := t.Orders.Filter(t.Orders.Date("o_orderdate").Between(day(1995, time.January, 1), day(1996, time.December, 31)))
	r := t.Region.Filter(t.Region.Str("r_name").Eq("AMERICA"))
	n1 := t.Nation.Select(t.Nation.Num("n_nationkey").As("cust_key"), t.Nation.Num("n_regionkey").As("cust_region"))
	n2 := t.Nation.Select(t.Nation.Num("n_nationkey").As("supp_key"), t.Nation.Str("n_name").As("nation"))
	x := p.Join(t.Lineitem, p.Num("p_partkey").Eq(t.Lineitem.Num("l_partkey")))
	x = x.Join(t.Supplier, x.Num("l_suppkey").Eq(t.Supplier.Num("s_suppkey")))
	x = x.Join(o, x.Num("l_orderkey").Eq(o.Num("o_orderkey")))
	x = x.Join(t.Customer, x.Num("o_custkey").Eq(t.Customer.Num("c_custkey")))
	x = x.Join(n1, x.Num("c_nationkey").Eq(n1.Num("cust_key")))
	x = x.Join(r, x.Num("cust_region").Eq(r.Num("r_regionkey")))
	x = x.Join(n2, x.Num("s_nationkey").Eq(n2.Num("supp_key")))
	x = x.Select(x.Date("o_orderdate").Year().As("o_year"), revenue(x).As("volume"), "nation")
	share := expr.If(x.Str("nation").Eq("BRAZIL"), x.Num("volume"), 0).Sum().Div(x.Num("volume").Sum())
	return x.GroupBy("o_year").Agg(share.As("mkt_share")).OrderBy("o_year")
}

// Q09 is the profit on a line of parts by nation and year.
func Q09(t Tables) expr.Table {
	p := t.Part.Filter(t.Part.Str("p_name").Contains("green"))
	x := p.Join(t.Lineitem, p.Num("p_partkey").Eq(t.Lineitem.Num("l_partkey")))
	x = x.Join(t.Supplier, x.Num("l_suppkey").Eq(t.Supplier.Num("s_suppkey")))
	x = x.Join(t.PartSupp, x.Num("l_suppkey").Eq(t.PartSupp.Num("ps_suppkey")), x.Num("l_partkey").Eq(t.PartSupp.Num("ps_partkey")))
	x = x.Join(t.Orders, x.Num("l_orderkey").Eq(t.Orders.Num("o_orderkey")))
	x = x.Join(t.Nation, x.Num("s_nationkey").Eq(t.Nation.Num("n_nationkey")))
	x = x.Select(x.Str("n_name").As("nation"), x.Date("o_orderdate").Year().As("o_year"),
		revenue(x).Sub(x.Num("ps_supplycost").Mul(x.Num("l_quantity"))).As("amount"))
	return x.GroupBy("nation", "o_year").Agg(x.Num("amount").Sum().As("sum_profit")).OrderBy("nation", expr.Desc("o_year"))
}

// Q10 lists the customers with the most returned revenue.
func Q10(t Tables) expr.Table {
	o := t.Orders.Filter(t.Orders.Date("o_orderdate").Ge(day(1993, time.October, 1)), t.Orders.Date("o_orderdate").Lt(day(1994, time.January, 1)))
	l := t.Lineitem.Filter(t.Lineitem.Str("l_returnflag").Eq("R"))
	x := t.Customer.Join(o, t.Customer.Num("c_custkey").Eq(o.Num("o_custkey")))
	x = x.Join(l, x.Num("o_orderkey").Eq(l.Num("l_orderkey")))
	x = x.Join(t.Nation, x.Num("c_nationkey").Eq(t.Nation.Num("n_nationkey")))
	return x.GroupBy("c_custkey", "c_name", "c_acctbal", "c_phone", "n_name", "c_address", "c_comment").Agg(revenue(x).Sum().As("revenue")).
		Select("c_custkey", "c_name", "revenue", "c_acctbal", "n_name", "c_address", "c_phone", "c_comment").
		OrderBy(expr.Desc("revenue")).Limit(20)
}

// Q11 finds the stock that matters in a nation.
func Q11(t Tables) expr.Table {
	n := t.Nation.Filter(t.Nation.Str("n_name").Eq("GERMANY"))
	x := t.PartSupp.Join(t.Supplier, t.PartSupp.Num("ps_suppkey").Eq(t.Supplier.Num("s_suppkey")))
	x = x.Join(n, x.Num("s_nationkey").Eq(n.Num("n_nationkey")))
	value := x.Num("ps_supplycost").Mul(x.Num("ps_availqty")).Sum()
	least := x.Agg(value.Mul(expr.Decimal("0.0001")).As("least"))
	return x.GroupBy("ps_partkey").Having(value.Gt(least.AsScalar())).Agg(value.As("value")).OrderBy(expr.Desc("value"))
}

// Q12 counts late lines of two ways of shipping by the priority of their order.
func Q12(t Tables) expr.Table {
	l := t.Lineitem
	l = l.Filter(l.Str("l_shipmode").In("MAIL", "SHIP"), l.Date("l_commitdate").Lt(l.Date("l_receiptdate")), l.Date("l_shipdate").Lt(l.Date("l_commitdate")),
		l.Date("l_receiptdate").Ge(day(1994, time.January, 1)), l.Date("l_receiptdate").Lt(day(1995, time.January, 1)))
	x := t.Orders.Join(l, t.Orders.Num("o_orderkey").Eq(l.Num("l_orderkey")))
	high := x.Str("o_orderpriority").In("1-URGENT", "2-HIGH")
	return x.GroupBy("l_shipmode").Agg(high.CountTrue().As("high_line_count"), high.Not().CountTrue().As("low_line_count")).OrderBy("l_shipmode")
}

// Q13 counts customers by the number of their orders.
func Q13(t Tables) expr.Table {
	o := t.Orders.Filter(t.Orders.Str("o_comment").Like("%special%requests%").Not())
	x := t.Customer.LeftJoin(o, t.Customer.Num("c_custkey").Eq(o.Num("o_custkey")))
	x = x.GroupBy("c_custkey").Agg(x.Num("o_orderkey").Count().As("c_count"))
	return x.GroupBy("c_count").Agg(expr.Count().As("custdist")).OrderBy(expr.Desc("custdist"), expr.Desc("c_count"))
}

// Q14 is the share of promoted parts in the revenue of a month.
func Q14(t Tables) expr.Table {
	l := t.Lineitem.Filter(t.Lineitem.Date("l_shipdate").Ge(day(1995, time.September, 1)), t.Lineitem.Date("l_shipdate").Lt(day(1995, time.October, 1)))
	x := l.Join(t.Part, l.Num("l_partkey").Eq(t.Part.Num("p_partkey")))
	promo := expr.If(x.Str("p_type").StartsWith("PROMO"), revenue(x), 0).Sum()
	return x.Agg(expr.Decimal("100.00").Mul(promo).Div(revenue(x).Sum()).As("promo_revenue"))
}

// Q15 finds the supplier of the highest revenue in a quarter.
func Q15(t Tables) expr.Table {
	l := t.Lineitem.Filter(t.Lineitem.Date("l_shipdate").Ge(day(1996, time.January, 1)), t.Lineitem.Date("l_shipdate").Lt(day(1996, time.April, 1)))
	bySupplier := l.GroupBy("l_suppkey").Agg(revenue(l).Sum().As("total_revenue"))
	most := bySupplier.Agg(bySupplier.Num("total_revenue").Max().As("most"))
	best := bySupplier.Join(most, bySupplier.Num("total_revenue").Eq(most.Num("most")))
	return t.Supplier.Join(best, t.Supplier.Num("s_suppkey").Eq(best.Num("l_suppkey"))).
		Select("s_suppkey", "s_name", "s_address", "s_phone", "total_revenue").OrderBy("s_suppkey")
}

// Q16 counts the suppliers of parts that have no complaints.
func Q16(t Tables) expr.Table {
	p := t.Part.Filter(t.Part.Str("p_brand").NotEq("Brand#45"), t.Part.Str("p_type").Like("MEDIUM POLISHED%").Not(), t.Part.Num("p_size").In(49, 14, 23, 45, 19, 3, 36, 9))
	bad := t.Supplier.Filter(t.Supplier.Str("s_comment").Like("%Customer%Complaints%")).Select("s_suppkey")
	x := t.PartSupp.Join(p, t.PartSupp.Num("ps_partkey").Eq(p.Num("p_partkey")))
	x = x.Filter(x.Num("ps_suppkey").InTable(bad).Not())
	return x.GroupBy("p_brand", "p_type", "p_size").Agg(expr.CountDistinct(x.Num("ps_suppkey")).As("supplier_cnt")).
		OrderBy(expr.Desc("supplier_cnt"), "p_brand", "p_type", "p_size")
}

// Q17 is the revenue that small orders of a part bring in a year.
func Q17(t Tables) expr.Table {
	p := t.Part.Filter(t.Part.Str("p_brand").Eq("Brand#23"), t.Part.Str("p_container").Eq("MED BOX"))
	small := t.Lineitem.GroupBy("l_partkey").Agg(t.Lineitem.Num("l_quantity").Mean().Mul(expr.Decimal("0.2")).As("small"))
	small = small.Rename(map[string]string{"small_partkey": "l_partkey"})
	x := t.Lineitem.Join(p, t.Lineitem.Num("l_partkey").Eq(p.Num("p_partkey")))
	x = x.Join(small, x.Num("p_partkey").Eq(small.Num("small_partkey")), x.Num("l_quantity").Lt(small.Num("small")))
	return x.Agg(x.Num("l_extendedprice").Sum().Div(expr.Decimal("7.0")).As("avg_yearly"))
}

// Q18 lists the customers of very large orders.
func Q18(t Tables) expr.Table {
	big := t.Lineitem.GroupBy("l_orderkey").Agg(t.Lineitem.Num("l_quantity").Sum().As("quantity"))
	big = big.Filter(big.Num("quantity").Gt(300)).Select(big.Num("l_orderkey").As("big_orderkey"))
	x := t.Customer.Join(t.Orders, t.Customer.Num("c_custkey").Eq(t.Orders.Num("o_custkey")))
	x = x.Join(t.Lineitem, x.Num("o_orderkey").Eq(t.Lineitem.Num("l_orderkey")))
	x = x.Join(big, x.Num("o_orderkey").Eq(big.Num("big_orderkey")))
	return x.GroupBy("c_name", "c_custkey", "o_orderkey", "o_orderdate", "o_totalprice").Agg(x.Num("l_quantity").Sum().As("sum_qty")).
		OrderBy(expr.Desc("o_totalprice"), "o_orderdate").Limit(100)
}

// Q19 is the revenue of three kinds of parts that are shipped by air and handed over in person.
func Q19(t Tables) expr.Table {
	x := t.Lineitem.Join(t.Part, t.Lineitem.Num("l_partkey").Eq(t.Part.Num("p_partkey")))
	kind := func(brand string, low, size int, containers ...any) expr.BooleanValue {
		return x.Str("p_brand").Eq(brand).And(x.Str("p_container").In(containers[0], containers[1:]...)).
			And(x.Num("l_quantity").Between(low, low+10)).And(x.Num("p_size").Between(1, size))
	}
	x = x.Filter(x.Str("l_shipmode").In("AIR", "AIR REG"), x.Str("l_shipinstruct").Eq("DELIVER IN PERSON"),
		kind("Brand#12", 1, 5, "SM CASE", "SM BOX", "SM PACK", "SM PKG").
			Or(kind("Brand#23", 10, 10, "MED BAG", "MED BOX", "MED PKG", "MED PACK")).
			Or(kind("Brand#34", 20, 15, "LG CASE", "LG BOX", "LG PACK", "LG PKG")))
	return x.Agg(revenue(x).Sum().As("revenue"))
}

// Q20 lists the suppliers with too much stock of a line of parts.
func Q20(t Tables) expr.Table {
	p := t.Part.Filter(t.Part.Str("p_name").StartsWith("forest")).Select("p_partkey")
	l := t.Lineitem.Filter(t.Lineitem.Date("l_shipdate").Ge(day(1994, time.January, 1)), t.Lineitem.Date("l_shipdate").Lt(day(1995, time.January, 1)))
	sold := l.GroupBy("l_partkey", "l_suppkey").Agg(l.Num("l_quantity").Sum().Mul(expr.Decimal("0.5")).As("half"))
	ps := t.PartSupp.Join(p, t.PartSupp.Num("ps_partkey").Eq(p.Num("p_partkey")))
	ps = ps.Join(sold, ps.Num("ps_partkey").Eq(sold.Num("l_partkey")), ps.Num("ps_suppkey").Eq(sold.Num("l_suppkey")), ps.Num("ps_availqty").Gt(sold.Num("half")))
	keys := ps.Select("ps_suppkey").Distinct()
	n := t.Nation.Filter(t.Nation.Str("n_name").Eq("CANADA"))
	x := t.Supplier.Join(n, t.Supplier.Num("s_nationkey").Eq(n.Num("n_nationkey")))
	return x.Join(keys, x.Num("s_suppkey").Eq(keys.Num("ps_suppkey"))).Select("s_name", "s_address").OrderBy("s_name")
}

// Q21 counts the orders of a nation's suppliers that waited for them alone. Per order, the suppliers are more than one when the least is
// not the greatest, and among the late ones there is no other when the two are the same.
func Q21(t Tables) expr.Table {
	l := t.Lineitem
	all := l.GroupBy("l_orderkey").Agg(l.Num("l_suppkey").Min().As("first_supp"), l.Num("l_suppkey").Max().As("last_supp"))
	all = all.Filter(all.Num("first_supp").NotEq(all.Num("last_supp"))).Select(all.Num("l_orderkey").As("all_orderkey"))
	late := l.Filter(l.Date("l_receiptdate").Gt(l.Date("l_commitdate")))
	alone := late.GroupBy("l_orderkey").Agg(late.Num("l_suppkey").Min().As("first_late"), late.Num("l_suppkey").Max().As("last_late"))
	alone = alone.Filter(alone.Num("first_late").Eq(alone.Num("last_late"))).Select(alone.Num("l_orderkey").As("late_orderkey"))
	o := t.Orders.Filter(t.Orders.Str("o_orderstatus").Eq("F"))
	n := t.Nation.Filter(t.Nation.Str("n_name").Eq("SAUDI ARABIA"))
	x := t.Supplier.Join(late, t.Supplier.Num("s_suppkey").Eq(late.Num("l_suppkey")))
	x = x.Join(o, x.Num("l_orderkey").Eq(o.Num("o_orderkey")))
	x = x.Join(n, x.Num("s_nationkey").Eq(n.Num("n_nationkey")))
	x = x.Join(all, x.Num("l_orderkey").Eq(all.Num("all_orderkey")))
	x = x.Join(alone, x.Num("l_orderkey").Eq(alone.Num("late_orderkey")))
	return x.GroupBy("s_name").Agg(expr.Count().As("numwait")).OrderBy(expr.Desc("numwait"), "s_name").Limit(100)
}

// Q22 counts the customers of some countries who have money and never ordered.
func Q22(t Tables) expr.Table {
	c := t.Customer.Mutate(f.Substring(t.Customer.Str("c_phone"), 1, 2).As("cntrycode"))
	c = c.Filter(c.Str("cntrycode").In("13", "31", "23", "29", "30", "18", "17"))
	rich := c.Filter(c.Num("c_acctbal").Gt(expr.Decimal("0.00")))
	mean := rich.Agg(rich.Num("c_acctbal").Mean().As("mean"))
	x := c.Join(mean, c.Num("c_acctbal").Gt(mean.Num("mean")))
	o := t.Orders.Select("o_custkey").Distinct()
	x = x.LeftJoin(o, x.Num("c_custkey").Eq(o.Num("o_custkey")))
	x = x.Filter(x.Num("o_custkey").IsNull())
	return x.GroupBy("cntrycode").Agg(expr.Count().As("numcust"), x.Num("c_acctbal").Sum().As("totacctbal")).OrderBy("cntrycode")
}
