SELECT
  customer.c_name,
  customer.c_custkey,
  orders.o_orderkey,
  orders.o_orderdate,
  orders.o_totalprice,
  sum(lineitem.l_quantity) AS sum_qty
FROM customer
JOIN orders
  ON customer.c_custkey = orders.o_custkey
JOIN lineitem
  ON orders.o_orderkey = lineitem.l_orderkey
JOIN (
  SELECT l_orderkey AS big_orderkey
  FROM lineitem
  GROUP BY l_orderkey
  HAVING sum(l_quantity) > 300
) AS by_l_orderkey
  ON orders.o_orderkey = by_l_orderkey.big_orderkey
GROUP BY customer.c_name, customer.c_custkey, orders.o_orderkey, orders.o_orderdate, orders.o_totalprice
ORDER BY o_totalprice DESC, o_orderdate
LIMIT 100