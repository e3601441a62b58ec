SELECT
  r2.l_orderkey,
  sum(r2.l_extendedprice * (1BD - r2.l_discount)) AS revenue,
  r.o_orderdate,
  r.o_shippriority
FROM (
  SELECT
    c_custkey,
    c_name,
    c_address,
    c_nationkey,
    c_phone,
    c_acctbal,
    c_mktsegment,
    c_comment
  FROM customer
  WHERE c_mktsegment = 'BUILDING'
) AS l
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
  WHERE o_orderdate < DATE'1995-03-15'
) AS r
  ON l.c_custkey = r.o_custkey
JOIN (
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
  WHERE l_shipdate > DATE'1995-03-15'
) AS r2
  ON r.o_orderkey = r2.l_orderkey
GROUP BY r2.l_orderkey, r.o_orderdate, r.o_shippriority
ORDER BY revenue DESC, o_orderdate
LIMIT 10