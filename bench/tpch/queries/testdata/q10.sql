SELECT
  l2.c_custkey,
  l2.c_name,
  sum(l2.l_extendedprice * (1BD - l2.l_discount)) AS revenue,
  l2.c_acctbal,
  nation.n_name,
  l2.c_address,
  l2.c_phone,
  l2.c_comment
FROM (
  SELECT
    l.c_custkey,
    l.c_name,
    l.c_address,
    l.c_nationkey,
    l.c_phone,
    l.c_acctbal,
    l.c_mktsegment,
    l.c_comment,
    l.o_orderkey,
    l.o_custkey,
    l.o_orderstatus,
    l.o_totalprice,
    l.o_orderdate,
    l.o_orderpriority,
    l.o_clerk,
    l.o_shippriority,
    l.o_comment,
    r2.l_orderkey,
    r2.l_partkey,
    r2.l_suppkey,
    r2.l_linenumber,
    r2.l_quantity,
    r2.l_extendedprice,
    r2.l_discount,
    r2.l_tax,
    r2.l_returnflag,
    r2.l_linestatus,
    r2.l_shipdate,
    r2.l_commitdate,
    r2.l_receiptdate,
    r2.l_shipinstruct,
    r2.l_shipmode,
    r2.l_comment
  FROM (
    SELECT
      customer.c_custkey,
      customer.c_name,
      customer.c_address,
      customer.c_nationkey,
      customer.c_phone,
      customer.c_acctbal,
      customer.c_mktsegment,
      customer.c_comment,
      r.o_orderkey,
      r.o_custkey,
      r.o_orderstatus,
      r.o_totalprice,
      r.o_orderdate,
      r.o_orderpriority,
      r.o_clerk,
      r.o_shippriority,
      r.o_comment
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
  ) AS l
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
    ON l.o_orderkey = r2.l_orderkey
) AS l2
JOIN nation
  ON l2.c_nationkey = nation.n_nationkey
GROUP BY l2.c_custkey, l2.c_name, l2.c_acctbal, l2.c_phone, nation.n_name, l2.c_address, l2.c_comment
ORDER BY revenue DESC
LIMIT 20