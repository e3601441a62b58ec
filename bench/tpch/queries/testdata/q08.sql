SELECT
  year(orders.o_orderdate) AS o_year,
  sum(if(nation_2.n_name = 'BRAZIL', lineitem.l_extendedprice * (1 - lineitem.l_discount), 0)) / sum(lineitem.l_extendedprice * (1 - lineitem.l_discount)) AS mkt_share
FROM part
JOIN lineitem
  ON part.p_partkey = lineitem.l_partkey
JOIN supplier
  ON lineitem.l_suppkey = supplier.s_suppkey
JOIN orders
  ON lineitem.l_orderkey = orders.o_orderkey
JOIN customer
  ON orders.o_custkey = customer.c_custkey
JOIN nation
  ON customer.c_nationkey = nation.n_nationkey
JOIN region
  ON nation.n_regionkey = region.r_regionkey
JOIN nation AS nation_2
  ON supplier.s_nationkey = nation_2.n_nationkey
WHERE part.p_type = 'ECONOMY ANODIZED STEEL'
  AND orders.o_orderdate BETWEEN DATE'1995-01-01' AND DATE'1996-12-31'
  AND region.r_name = 'AMERICA'
GROUP BY year(orders.o_orderdate)
ORDER BY o_year