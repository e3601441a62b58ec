WITH t1 AS (
  SELECT
    l_orderkey,
    l_partkey,
    l_suppkey,
    l_linenumber,
    l_quantity,
    l_extendedprice,
    l_discount,
    l_tax,
    l_returnflag,
    l_linestatus,
    l_shipdate,
    l_commitdate,
    l_receiptdate,
    l_shipinstruct,
    l_shipmode,
    l_comment
  FROM lineitem
  WHERE l_receiptdate > l_commitdate
)
SELECT supplier.s_name, count(*) AS numwait
FROM supplier
JOIN t1
  ON supplier.s_suppkey = t1.l_suppkey
JOIN (
  SELECT
    o_orderkey,
    o_custkey,
    o_orderstatus,
    o_totalprice,
    o_orderdate,
    o_orderpriority,
    o_clerk,
    o_shippriority,
    o_comment
  FROM orders
  WHERE o_orderstatus = 'F'
) AS r
  ON t1.l_orderkey = r.o_orderkey
JOIN (
  SELECT n_nationkey, n_name, n_regionkey, n_comment
  FROM nation
  WHERE n_name = 'SAUDI ARABIA'
) AS r2
  ON supplier.s_nationkey = r2.n_nationkey
JOIN (
  SELECT l_orderkey AS all_orderkey
  FROM lineitem
  GROUP BY l_orderkey
  HAVING min(l_suppkey) <> max(l_suppkey)
) AS r3
  ON t1.l_orderkey = r3.all_orderkey
JOIN (
  SELECT l_orderkey AS late_orderkey
  FROM t1
  GROUP BY l_orderkey
  HAVING min(l_suppkey) = max(l_suppkey)
) AS r4
  ON t1.l_orderkey = r4.late_orderkey
GROUP BY supplier.s_name
ORDER BY numwait DESC, s_name
LIMIT 100