SELECT
  nation.n_name,
  sum(lineitem.l_extendedprice * (1 - lineitem.l_discount)) AS revenue
FROM customer
JOIN orders
  ON customer.c_custkey = orders.o_custkey
JOIN lineitem
  ON orders.o_orderkey = lineitem.l_orderkey
JOIN supplier
  ON lineitem.l_suppkey = supplier.s_suppkey AND customer.c_nationkey = supplier.s_nationkey
JOIN nation
  ON supplier.s_nationkey = nation.n_nationkey
JOIN region
  ON nation.n_regionkey = region.r_regionkey
WHERE orders.o_orderdate >= DATE'1994-01-01'
  AND orders.o_orderdate < DATE'1995-01-01'
  AND region.r_name = 'ASIA'
GROUP BY nation.n_name
ORDER BY revenue DESC