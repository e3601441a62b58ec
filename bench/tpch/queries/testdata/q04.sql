SELECT orders.o_orderpriority, count(*) AS order_count
FROM orders
JOIN (
  SELECT DISTINCT l_orderkey
  FROM lineitem
  WHERE l_commitdate < l_receiptdate
) AS distinct_lineitem
  ON orders.o_orderkey = distinct_lineitem.l_orderkey
WHERE orders.o_orderdate >= DATE'1993-07-01'
  AND orders.o_orderdate < DATE'1993-10-01'
GROUP BY orders.o_orderpriority
ORDER BY o_orderpriority