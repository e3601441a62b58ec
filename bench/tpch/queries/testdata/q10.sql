SELECT
  customer.c_custkey,
  customer.c_name,
  sum(lineitem.l_extendedprice * (1 - lineitem.l_discount)) AS revenue,
  customer.c_acctbal,
  nation.n_name,
  customer.c_address,
  customer.c_phone,
  customer.c_comment
FROM customer
JOIN orders
  ON customer.c_custkey = orders.o_custkey
JOIN lineitem
  ON orders.o_orderkey = lineitem.l_orderkey
JOIN nation
  ON customer.c_nationkey = nation.n_nationkey
WHERE orders.o_orderdate >= DATE'1993-10-01'
  AND orders.o_orderdate < DATE'1994-01-01'
  AND lineitem.l_returnflag = 'R'
GROUP BY
  customer.c_custkey,
  customer.c_name,
  customer.c_acctbal,
  customer.c_phone,
  nation.n_name,
  customer.c_address,
  customer.c_comment
ORDER BY revenue DESC
LIMIT 20