SELECT
  nation.n_name AS supp_nation,
  nation_2.n_name AS cust_nation,
  year(lineitem.l_shipdate) AS l_year,
  sum(lineitem.l_extendedprice * (1 - lineitem.l_discount)) AS revenue
FROM supplier
JOIN lineitem
  ON supplier.s_suppkey = lineitem.l_suppkey
JOIN orders
  ON lineitem.l_orderkey = orders.o_orderkey
JOIN customer
  ON orders.o_custkey = customer.c_custkey
JOIN nation
  ON supplier.s_nationkey = nation.n_nationkey
JOIN nation AS nation_2
  ON customer.c_nationkey = nation_2.n_nationkey
WHERE lineitem.l_shipdate BETWEEN DATE'1995-01-01' AND DATE'1996-12-31'
  AND (nation.n_name = 'FRANCE' AND nation_2.n_name = 'GERMANY'
    OR nation.n_name = 'GERMANY' AND nation_2.n_name = 'FRANCE')
GROUP BY nation.n_name, nation_2.n_name, year(lineitem.l_shipdate)
ORDER BY supp_nation, cust_nation, l_year