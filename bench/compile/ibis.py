"""Compiles three queries of TPC-H in Ibis, for bench/compile: the same expressions as bench/tpch/queries has, over unbound tables.

Prints one line of JSON: the version, and for each query the least milliseconds of several runs of to_sql alone, for an expression that is there.
Argument: how often each runs.
"""
import json
import sys
import time

import ibis
from ibis import _
from ibis.config import Config



class Options(Config):
    treat_nan_as_null: bool = False


if ibis.options.pyspark is None:  # made by the backend, which to_sql does without
    ibis.options.pyspark = Options()

D = "decimal(15, 2)"
TABLES = {
    "customer": dict(c_custkey="int64", c_name="string", c_address="string", c_nationkey="int64", c_phone="string", c_acctbal=D, c_mktsegment="string", c_comment="string"),
    "lineitem": dict(l_orderkey="int64", l_partkey="int64", l_suppkey="int64", l_linenumber="int32", l_quantity=D, l_extendedprice=D, l_discount=D, l_tax=D,
                     l_returnflag="string", l_linestatus="string", l_shipdate="date", l_commitdate="date", l_receiptdate="date", l_shipinstruct="string", l_shipmode="string", l_comment="string"),
    "nation": dict(n_nationkey="int64", n_name="string", n_regionkey="int64", n_comment="string"),
    "orders": dict(o_orderkey="int64", o_custkey="int64", o_orderstatus="string", o_totalprice=D, o_orderdate="date", o_orderpriority="string", o_clerk="string", o_shippriority="int32", o_comment="string"),
    "part": dict(p_partkey="int64", p_name="string", p_mfgr="string", p_brand="string", p_type="string", p_size="int32", p_container="string", p_retailprice=D, p_comment="string"),
    "region": dict(r_regionkey="int64", r_name="string", r_comment="string"),
    "supplier": dict(s_suppkey="int64", s_name="string", s_address="string", s_nationkey="int64", s_phone="string", s_acctbal=D, s_comment="string"),
}
T = {name: ibis.table(schema, name=name) for name, schema in TABLES.items()}


def revenue(t):
    return t.l_extendedprice * (1 - t.l_discount)


def q01():
    t = T["lineitem"]
    t = t.filter(t.l_shipdate <= ibis.date("1998-09-02"))
    return t.group_by("l_returnflag", "l_linestatus").agg(
        sum_qty=t.l_quantity.sum(), sum_base_price=t.l_extendedprice.sum(), sum_disc_price=revenue(t).sum(), sum_charge=(revenue(t) * (1 + t.l_tax)).sum(),
        avg_qty=t.l_quantity.mean(), avg_price=t.l_extendedprice.mean(), avg_disc=t.l_discount.mean(), count_order=t.count(),
    ).order_by("l_returnflag", "l_linestatus")


def q08():
    n1 = T["nation"].select(cust_key="n_nationkey", cust_region="n_regionkey")
    n2 = T["nation"].select(supp_key="n_nationkey", nation="n_name")
    x = T["part"].filter(_.p_type == "ECONOMY ANODIZED STEEL")
    x = x.join(T["lineitem"], x.p_partkey == T["lineitem"].l_partkey)
    x = x.join(T["supplier"], x.l_suppkey == T["supplier"].s_suppkey)
    o = T["orders"].filter(_.o_orderdate.between(ibis.date("1995-01-01"), ibis.date("1996-12-31")))
    x = x.join(o, x.l_orderkey == o.o_orderkey)
    x = x.join(T["customer"], x.o_custkey == T["customer"].c_custkey)
    x = x.join(n1, x.c_nationkey == n1.cust_key)
    r = T["region"].filter(_.r_name == "AMERICA")
    x = x.join(r, x.cust_region == r.r_regionkey)
    x = x.join(n2, x.s_nationkey == n2.supp_key)
    x = x.select(o_year=x.o_orderdate.year(), volume=revenue(x), nation=x.nation)
    share = ibis.ifelse(x.nation == "BRAZIL", x.volume, 0).sum() / x.volume.sum()
    return x.group_by("o_year").agg(mkt_share=share).order_by("o_year")


def q21():
    t = T["lineitem"]
    several = t.group_by("l_orderkey").agg(first_supp=t.l_suppkey.min(), last_supp=t.l_suppkey.max())
    several = several.filter(_.first_supp != _.last_supp).select(all_orderkey="l_orderkey")
    late = t.filter(t.l_receiptdate > t.l_commitdate)
    alone = late.group_by("l_orderkey").agg(first_late=late.l_suppkey.min(), last_late=late.l_suppkey.max())
    alone = alone.filter(_.first_late == _.last_late).select(late_orderkey="l_orderkey")
    x = T["supplier"].join(late, T["supplier"].s_suppkey == late.l_suppkey)
    o = T["orders"].filter(_.o_orderstatus == "F")
    x = x.join(o, x.l_orderkey == o.o_orderkey)
    n = T["nation"].filter(_.n_name == "SAUDI ARABIA")
    x = x.join(n, x.s_nationkey == n.n_nationkey)
    x = x.join(several, x.l_orderkey == several.all_orderkey)
    x = x.join(alone, x.l_orderkey == alone.late_orderkey)
    return x.group_by("s_name").agg(numwait=x.count()).order_by(ibis.desc("numwait"), "s_name").limit(100)


answer = {}
for build in (q01, q08, q21):
    expr, least = build(), float("inf")
    for _i in range(int(sys.argv[1])):
        began = time.perf_counter()
        text = ibis.to_sql(expr, dialect="pyspark")
        least = min(least, time.perf_counter() - began)
        assert "FROM" in text
    answer[build.__name__] = least * 1000
print(json.dumps({"version": ibis.__version__, "milliseconds": answer}))
