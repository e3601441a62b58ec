SELECT
  nation.n_name AS nation,
  year(orders.o_orderdate) AS o_year,
  sum(lineitem.l_extendedprice * (1 - lineitem.l_discount) - partsupp.ps_supplycost * lineitem.l_quantity) AS sum_profit
FROM part
JOIN lineitem
  ON part.p_partkey = lineitem.l_partkey
JOIN supplier
  ON lineitem.l_suppkey = supplier.s_suppkey
JOIN partsupp
  ON lineitem.l_suppkey = partsupp.ps_suppkey AND lineitem.l_partkey = partsupp.ps_partkey
JOIN orders
  ON lineitem.l_orderkey = orders.o_orderkey
JOIN nation
  ON supplier.s_nationkey = nation.n_nationkey
WHERE contains(part.p_name, 'green')
GROUP BY nation.n_name, year(orders.o_orderdate)
ORDER BY nation, o_year DESC