SELECT
  l.c_name,
  l.c_custkey,
  l.o_orderkey,
  l.o_orderdate,
  l.o_totalprice,
  sum(l.l_quantity) AS sum_qty
FROM (
  SELECT
    l.c_custkey,
    l.c_name,
    l.c_address,
    l.c_nationkey,
    l.c_phone,
    l.c_acctbal,
    l.c_mktsegment,
    l.c_comment,
    l.o_orderkey,
    l.o_custkey,
    l.o_orderstatus,
    l.o_totalprice,
    l.o_orderdate,
    l.o_orderpriority,
    l.o_clerk,
    l.o_shippriority,
    l.o_comment,
    lineitem.l_orderkey,
    lineitem.l_partkey,
    lineitem.l_suppkey,
    lineitem.l_linenumber,
    lineitem.l_quantity,
    lineitem.l_extendedprice,
    lineitem.l_discount,
    lineitem.l_tax,
    lineitem.l_returnflag,
    lineitem.l_linestatus,
    lineitem.l_shipdate,
    lineitem.l_commitdate,
    lineitem.l_receiptdate,
    lineitem.l_shipinstruct,
    lineitem.l_shipmode,
    lineitem.l_comment
  FROM (
    SELECT
      customer.c_custkey,
      customer.c_name,
      customer.c_address,
      customer.c_nationkey,
      customer.c_phone,
      customer.c_acctbal,
      customer.c_mktsegment,
      customer.c_comment,
      orders.o_orderkey,
      orders.o_custkey,
      orders.o_orderstatus,
      orders.o_totalprice,
      orders.o_orderdate,
      orders.o_orderpriority,
      orders.o_clerk,
      orders.o_shippriority,
      orders.o_comment
    FROM customer
    JOIN orders
      ON customer.c_custkey = orders.o_custkey
  ) AS l
  JOIN lineitem
    ON l.o_orderkey = lineitem.l_orderkey
) AS l
JOIN (
  SELECT l_orderkey AS big_orderkey
  FROM (
    SELECT l_orderkey, sum(l_quantity) AS quantity
    FROM lineitem
    GROUP BY l_orderkey
    HAVING sum(l_quantity) > 300
  )
) AS r2
  ON l.o_orderkey = r2.big_orderkey
GROUP BY l.c_name, l.c_custkey, l.o_orderkey, l.o_orderdate, l.o_totalprice
ORDER BY o_totalprice DESC, o_orderdate
LIMIT 100