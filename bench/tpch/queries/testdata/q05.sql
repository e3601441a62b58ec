SELECT
  nation.n_name,
  sum(lineitem.l_extendedprice * (1BD - lineitem.l_discount)) AS revenue
FROM customer
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
  WHERE o_orderdate >= DATE'1994-01-01'
    AND o_orderdate < DATE'1995-01-01'
) AS r
  ON customer.c_custkey = r.o_custkey
JOIN lineitem
  ON r.o_orderkey = lineitem.l_orderkey
JOIN supplier
  ON lineitem.l_suppkey = supplier.s_suppkey AND customer.c_nationkey = supplier.s_nationkey
JOIN nation
  ON supplier.s_nationkey = nation.n_nationkey
JOIN (
  SELECT r_regionkey, r_name, r_comment
  FROM region
  WHERE r_name = 'ASIA'
) AS r2
  ON nation.n_regionkey = r2.r_regionkey
GROUP BY nation.n_name
ORDER BY revenue DESC