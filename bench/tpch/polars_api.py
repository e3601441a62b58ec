"""Runs TPC-H in Polars over the Parquet files of a folder, for bench/tpch: the protocol is that of sql.py, the queries are written in Polars' own API.

Arguments: a word that is not looked at, the folder, threads, and perhaps a query to answer before the process ends.
"""
import json
import os
import sys
import time
from datetime import date

folder = sys.argv[2]
os.environ["POLARS_MAX_THREADS"] = sys.argv[3]
import polars as pl  # noqa: E402, it reads the variable

c = pl.col


def scan(table):
    return pl.scan_parquet(os.path.join(folder, table + ".parquet"))


def revenue():
    return c("l_extendedprice") * (1 - c("l_discount"))


def q01():
    return (
        scan("lineitem").filter(c("l_shipdate") <= date(1998, 9, 2)).group_by("l_returnflag", "l_linestatus").agg(
            c("l_quantity").sum().alias("sum_qty"), c("l_extendedprice").sum().alias("sum_base_price"), revenue().sum().alias("sum_disc_price"),
            (revenue() * (1 + c("l_tax"))).sum().alias("sum_charge"), c("l_quantity").mean().alias("avg_qty"), c("l_extendedprice").mean().alias("avg_price"),
            c("l_discount").mean().alias("avg_disc"), pl.len().alias("count_order"))
        .sort("l_returnflag", "l_linestatus")
    )


def q02():
    offers = (
        scan("partsupp").join(scan("supplier"), left_on="ps_suppkey", right_on="s_suppkey").join(scan("nation"), left_on="s_nationkey", right_on="n_nationkey")
        .join(scan("region").filter(c("r_name") == "EUROPE"), left_on="n_regionkey", right_on="r_regionkey")
    )
    parts = scan("part").filter(c("p_size") == 15, c("p_type").str.ends_with("BRASS"))
    x = parts.join(offers, left_on="p_partkey", right_on="ps_partkey")
    least = x.group_by("p_partkey").agg(c("ps_supplycost").min())
    return (
        x.join(least, on=["p_partkey", "ps_supplycost"]).select("s_acctbal", "s_name", "n_name", "p_partkey", "p_mfgr", "s_address", "s_phone", "s_comment")
        .sort("s_acctbal", "n_name", "s_name", "p_partkey", descending=[True, False, False, False]).head(100)
    )


def q03():
    day = date(1995, 3, 15)
    return (
        scan("customer").filter(c("c_mktsegment") == "BUILDING").join(scan("orders").filter(c("o_orderdate") < day), left_on="c_custkey", right_on="o_custkey")
        .join(scan("lineitem").filter(c("l_shipdate") > day), left_on="o_orderkey", right_on="l_orderkey")
        .group_by("o_orderkey", "o_orderdate", "o_shippriority").agg(revenue().sum().alias("revenue"))
        .select("o_orderkey", "revenue", "o_orderdate", "o_shippriority").sort("revenue", "o_orderdate", descending=[True, False]).head(10)
    )


def q04():
    late = scan("lineitem").filter(c("l_commitdate") < c("l_receiptdate"))
    return (
        scan("orders").filter(c("o_orderdate") >= date(1993, 7, 1), c("o_orderdate") < date(1993, 10, 1))
        .join(late, left_on="o_orderkey", right_on="l_orderkey", how="semi").group_by("o_orderpriority").agg(pl.len()).sort("o_orderpriority")
    )


def q05():
    return (
        scan("region").filter(c("r_name") == "ASIA").join(scan("nation"), left_on="r_regionkey", right_on="n_regionkey")
        .join(scan("customer"), left_on="n_nationkey", right_on="c_nationkey")
        .join(scan("orders").filter(c("o_orderdate") >= date(1994, 1, 1), c("o_orderdate") < date(1995, 1, 1)), left_on="c_custkey", right_on="o_custkey")
        .join(scan("lineitem"), left_on="o_orderkey", right_on="l_orderkey")
        .join(scan("supplier"), left_on=["l_suppkey", "n_nationkey"], right_on=["s_suppkey", "s_nationkey"])
        .group_by("n_name").agg(revenue().sum().alias("revenue")).sort("revenue", descending=True)
    )


def q06():
    return (
        scan("lineitem")
        .filter(c("l_shipdate") >= date(1994, 1, 1), c("l_shipdate") < date(1995, 1, 1), c("l_discount") >= pl.lit("0.05").cast(pl.Decimal(15, 2)),
                c("l_discount") <= pl.lit("0.07").cast(pl.Decimal(15, 2)), c("l_quantity") < 24)
        .select((c("l_extendedprice") * c("l_discount")).sum())
    )


def q07():
    two = scan("nation").filter(c("n_name").is_in(["FRANCE", "GERMANY"]))
    return (
        scan("lineitem").filter(c("l_shipdate") >= date(1995, 1, 1), c("l_shipdate") <= date(1996, 12, 31))
        .join(scan("supplier").join(two, left_on="s_nationkey", right_on="n_nationkey").select("s_suppkey", supp_nation="n_name"), left_on="l_suppkey", right_on="s_suppkey")
        .join(scan("orders"), left_on="l_orderkey", right_on="o_orderkey")
        .join(scan("customer").join(two, left_on="c_nationkey", right_on="n_nationkey").select("c_custkey", cust_nation="n_name"), left_on="o_custkey", right_on="c_custkey")
        .filter(c("supp_nation") != c("cust_nation"))
        .group_by("supp_nation", "cust_nation", c("l_shipdate").dt.year().alias("l_year")).agg(revenue().sum().alias("revenue"))
        .sort("supp_nation", "cust_nation", "l_year")
    )


def q08():
    america = scan("nation").join(scan("region").filter(c("r_name") == "AMERICA"), left_on="n_regionkey", right_on="r_regionkey").select("n_nationkey")
    return (
        scan("lineitem").join(scan("part").filter(c("p_type") == "ECONOMY ANODIZED STEEL"), left_on="l_partkey", right_on="p_partkey")
        .join(scan("orders").filter(c("o_orderdate") >= date(1995, 1, 1), c("o_orderdate") <= date(1996, 12, 31)), left_on="l_orderkey", right_on="o_orderkey")
        .join(scan("customer").join(america, left_on="c_nationkey", right_on="n_nationkey"), left_on="o_custkey", right_on="c_custkey")
        .join(scan("supplier").join(scan("nation"), left_on="s_nationkey", right_on="n_nationkey"), left_on="l_suppkey", right_on="s_suppkey")
        .select(c("o_orderdate").dt.year().alias("o_year"), revenue().alias("volume"), c("n_name"))
        .group_by("o_year").agg((c("volume").filter(c("n_name") == "BRAZIL").sum().cast(pl.Float64) / c("volume").sum().cast(pl.Float64)).alias("mkt_share")).sort("o_year")
    )


def q09():
    return (
        scan("lineitem").join(scan("part").filter(c("p_name").str.contains("green", literal=True)), left_on="l_partkey", right_on="p_partkey")
        .join(scan("partsupp"), left_on=["l_partkey", "l_suppkey"], right_on=["ps_partkey", "ps_suppkey"])
        .join(scan("supplier"), left_on="l_suppkey", right_on="s_suppkey").join(scan("nation"), left_on="s_nationkey", right_on="n_nationkey")
        .join(scan("orders"), left_on="l_orderkey", right_on="o_orderkey")
        .group_by("n_name", c("o_orderdate").dt.year().alias("o_year")).agg((revenue() - c("ps_supplycost") * c("l_quantity")).sum().alias("sum_profit"))
        .sort("n_name", "o_year", descending=[False, True])
    )


def q10():
    keys = ["c_custkey", "c_name", "c_acctbal", "c_phone", "n_name", "c_address", "c_comment"]
    return (
        scan("orders").filter(c("o_orderdate") >= date(1993, 10, 1), c("o_orderdate") < date(1994, 1, 1))
        .join(scan("lineitem").filter(c("l_returnflag") == "R"), left_on="o_orderkey", right_on="l_orderkey")
        .join(scan("customer"), left_on="o_custkey", right_on="c_custkey", coalesce=True).rename({"o_custkey": "c_custkey"})
        .join(scan("nation"), left_on="c_nationkey", right_on="n_nationkey")
        .group_by(keys).agg(revenue().sum().alias("revenue"))
        .select("c_custkey", "c_name", "revenue", "c_acctbal", "n_name", "c_address", "c_phone", "c_comment").sort("revenue", descending=True).head(20)
    )


def q11():
    x = (
        scan("partsupp").join(scan("supplier"), left_on="ps_suppkey", right_on="s_suppkey")
        .join(scan("nation").filter(c("n_name") == "GERMANY"), left_on="s_nationkey", right_on="n_nationkey")
    )
    value = (c("ps_supplycost") * c("ps_availqty")).sum()
    least = x.select((value.cast(pl.Float64) * 0.0001).alias("least"))
    return (
        x.group_by("ps_partkey").agg(value.alias("value")).join(least, how="cross").filter(c("value").cast(pl.Float64) > c("least"))
        .select("ps_partkey", "value").sort("value", descending=True)
    )


def q12():
    high = c("o_orderpriority").is_in(["1-URGENT", "2-HIGH"])
    return (
        scan("lineitem")
        .filter(c("l_shipmode").is_in(["MAIL", "SHIP"]), c("l_commitdate") < c("l_receiptdate"), c("l_shipdate") < c("l_commitdate"),
                c("l_receiptdate") >= date(1994, 1, 1), c("l_receiptdate") < date(1995, 1, 1))
        .join(scan("orders"), left_on="l_orderkey", right_on="o_orderkey").group_by("l_shipmode").agg(high.sum().alias("high"), (~high).sum().alias("low")).sort("l_shipmode")
    )


def q13():
    orders = scan("orders").filter(~c("o_comment").str.contains("special.*requests"))
    return (
        scan("customer").join(orders, left_on="c_custkey", right_on="o_custkey", how="left").group_by("c_custkey").agg(c("o_orderkey").count().alias("c_count"))
        .group_by("c_count").agg(pl.len().alias("custdist")).select("c_count", "custdist").sort("custdist", "c_count", descending=True)
    )


def q14():
    promo = pl.when(c("p_type").str.starts_with("PROMO")).then(revenue()).otherwise(0)
    return (
        scan("lineitem").filter(c("l_shipdate") >= date(1995, 9, 1), c("l_shipdate") < date(1995, 10, 1)).join(scan("part"), left_on="l_partkey", right_on="p_partkey")
        .select(100 * promo.sum().cast(pl.Float64) / revenue().sum().cast(pl.Float64))
    )


def q15():
    by = (
        scan("lineitem").filter(c("l_shipdate") >= date(1996, 1, 1), c("l_shipdate") < date(1996, 4, 1))
        .group_by("l_suppkey").agg(revenue().sum().alias("total_revenue"))
    )
    return (
        scan("supplier").join(by.filter(c("total_revenue") == c("total_revenue").max()), left_on="s_suppkey", right_on="l_suppkey")
        .select("s_suppkey", "s_name", "s_address", "s_phone", "total_revenue").sort("s_suppkey")
    )


def q16():
    bad = scan("supplier").filter(c("s_comment").str.contains("Customer.*Complaints"))
    return (
        scan("part").filter(c("p_brand") != "Brand#45", ~c("p_type").str.starts_with("MEDIUM POLISHED"), c("p_size").is_in([49, 14, 23, 45, 19, 3, 36, 9]))
        .join(scan("partsupp"), left_on="p_partkey", right_on="ps_partkey").join(bad, left_on="ps_suppkey", right_on="s_suppkey", how="anti")
        .group_by("p_brand", "p_type", "p_size").agg(c("ps_suppkey").n_unique().alias("supplier_cnt"))
        .sort("supplier_cnt", "p_brand", "p_type", "p_size", descending=[True, False, False, False])
    )


def q17():
    x = scan("lineitem").join(scan("part").filter(c("p_brand") == "Brand#23", c("p_container") == "MED BOX"), left_on="l_partkey", right_on="p_partkey")
    small = x.group_by("l_partkey").agg((0.2 * c("l_quantity").cast(pl.Float64).mean()).alias("small"))
    return x.join(small, on="l_partkey").filter(c("l_quantity").cast(pl.Float64) < c("small")).select(c("l_extendedprice").sum().cast(pl.Float64) / 7.0)


def q18():
    big = scan("lineitem").group_by("l_orderkey").agg(c("l_quantity").sum().alias("sum_qty")).filter(c("sum_qty") > 300)
    return (
        scan("orders").join(big, left_on="o_orderkey", right_on="l_orderkey").join(scan("customer"), left_on="o_custkey", right_on="c_custkey")
        .select("c_name", "o_custkey", "o_orderkey", "o_orderdate", "o_totalprice", "sum_qty").sort("o_totalprice", "o_orderdate", descending=[True, False]).head(100)
    )


def q19():
    def kind(brand, low, size, containers):
        return (c("p_brand") == brand) & c("p_container").is_in(containers) & (c("l_quantity") >= low) & (c("l_quantity") <= low + 10) & (c("p_size") >= 1) & (c("p_size") <= size)

    return (
        scan("lineitem").filter(c("l_shipmode").is_in(["AIR", "AIR REG"]), c("l_shipinstruct") == "DELIVER IN PERSON")
        .join(scan("part"), left_on="l_partkey", right_on="p_partkey")
        .filter(kind("Brand#12", 1, 5, ["SM CASE", "SM BOX", "SM PACK", "SM PKG"]) | kind("Brand#23", 10, 10, ["MED BAG", "MED BOX", "MED PKG", "MED PACK"])
                | kind("Brand#34", 20, 15, ["LG CASE", "LG BOX", "LG PACK", "LG PKG"]))
        .select(revenue().sum())
    )


def q20():
    parts = scan("part").filter(c("p_name").str.starts_with("forest"))
    sold = (
        scan("lineitem").filter(c("l_shipdate") >= date(1994, 1, 1), c("l_shipdate") < date(1995, 1, 1))
        .group_by("l_partkey", "l_suppkey").agg((0.5 * c("l_quantity").sum().cast(pl.Float64)).alias("half"))
    )
    much = (
        scan("partsupp").join(parts, left_on="ps_partkey", right_on="p_partkey", how="semi")
        .join(sold, left_on=["ps_partkey", "ps_suppkey"], right_on=["l_partkey", "l_suppkey"]).filter(c("ps_availqty") > c("half"))
    )
    return (
        scan("supplier").join(scan("nation").filter(c("n_name") == "CANADA"), left_on="s_nationkey", right_on="n_nationkey")
        .join(much, left_on="s_suppkey", right_on="ps_suppkey", how="semi").select("s_name", "s_address").sort("s_name")
    )


def q21():
    lines = scan("lineitem")
    late = lines.filter(c("l_receiptdate") > c("l_commitdate"))
    several = lines.group_by("l_orderkey").agg(c("l_suppkey").n_unique().alias("suppliers")).filter(c("suppliers") > 1)
    alone = late.group_by("l_orderkey").agg(c("l_suppkey").n_unique().alias("late")).filter(c("late") == 1)
    return (
        late.join(several, on="l_orderkey").join(alone, on="l_orderkey").join(scan("orders").filter(c("o_orderstatus") == "F"), left_on="l_orderkey", right_on="o_orderkey")
        .join(scan("supplier"), left_on="l_suppkey", right_on="s_suppkey").join(scan("nation").filter(c("n_name") == "SAUDI ARABIA"), left_on="s_nationkey", right_on="n_nationkey")
        .group_by("s_name").agg(pl.len().alias("numwait")).sort("numwait", "s_name", descending=[True, False]).head(100)
    )


def q22():
    customers = scan("customer").with_columns(c("c_phone").str.slice(0, 2).alias("cntrycode")).filter(c("cntrycode").is_in(["13", "31", "23", "29", "30", "18", "17"]))
    mean = customers.filter(c("c_acctbal") > 0).select(c("c_acctbal").cast(pl.Float64).mean().alias("mean"))
    return (
        customers.join(mean, how="cross").filter(c("c_acctbal").cast(pl.Float64) > c("mean")).join(scan("orders"), left_on="c_custkey", right_on="o_custkey", how="anti")
        .group_by("cntrycode").agg(pl.len(), c("c_acctbal").sum()).sort("cntrycode")
    )


def answer(name):
    began, used = time.perf_counter(), time.process_time()
    rows = globals()[name]().collect(engine="streaming").rows()
    seconds, cpu = time.perf_counter() - began, time.process_time() - used
    texts = [[None if v is None else str(v) for v in row] for row in rows]
    print(json.dumps({"seconds": seconds, "cpu": cpu, "rows": texts}), flush=True)


if len(sys.argv) > 4:
    answer(sys.argv[4])
else:
    print(json.dumps({"version": pl.__version__}), flush=True)
    for line in sys.stdin:
        answer(line.strip())
