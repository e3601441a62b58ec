SELECT l.o_orderpriority, count(*) AS order_count
FROM (
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
  WHERE o_orderdate >= DATE'1993-07-01'
    AND o_orderdate < DATE'1993-10-01'
) AS l
JOIN (
  SELECT DISTINCT l_orderkey
  FROM lineitem
  WHERE l_commitdate < l_receiptdate
) AS r
  ON l.o_orderkey = r.l_orderkey
GROUP BY l.o_orderpriority
ORDER BY o_orderpriority