SELECT
  customer.c_custkey,
  customer.c_name,
  sum(r2.l_extendedprice * (1BD - r2.l_discount)) AS revenue,
  customer.c_acctbal,
  nation.n_name,
  customer.c_address,
  customer.c_phone,
  customer.c_comment
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
  WHERE o_orderdate >= DATE'1993-10-01'
    AND o_orderdate < DATE'1994-01-01'
) AS r
  ON customer.c_custkey = r.o_custkey
JOIN (
  SELECT
    l_orderkey,
    l_partkey,
    l_suppkey,
    l_linenumber,
    l_quantity,
    l_extendedprice,
    l_discount,
    l_tax,
    l_returnflag,
    l_linestatus,
    l_shipdate,
    l_commitdate,
    l_receiptdate,
    l_shipinstruct,
    l_shipmode,
    l_comment
  FROM lineitem
  WHERE l_returnflag = 'R'
) AS r2
  ON r.o_orderkey = r2.l_orderkey
JOIN nation
  ON customer.c_nationkey = nation.n_nationkey
GROUP BY customer.c_custkey, customer.c_name, customer.c_acctbal, customer.c_phone, nation.n_name, customer.c_address, customer.c_comment
ORDER BY revenue DESC
LIMIT 20