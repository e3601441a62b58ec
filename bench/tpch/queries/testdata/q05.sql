SELECT l3.n_name, sum(l3.l_extendedprice * (1BD - l3.l_discount)) AS revenue
FROM (
  SELECT
    l2.c_custkey,
    l2.c_name,
    l2.c_address,
    l2.c_nationkey,
    l2.c_phone,
    l2.c_acctbal,
    l2.c_mktsegment,
    l2.c_comment,
    l2.o_orderkey,
    l2.o_custkey,
    l2.o_orderstatus,
    l2.o_totalprice,
    l2.o_orderdate,
    l2.o_orderpriority,
    l2.o_clerk,
    l2.o_shippriority,
    l2.o_comment,
    l2.l_orderkey,
    l2.l_partkey,
    l2.l_suppkey,
    l2.l_linenumber,
    l2.l_quantity,
    l2.l_extendedprice,
    l2.l_discount,
    l2.l_tax,
    l2.l_returnflag,
    l2.l_linestatus,
    l2.l_shipdate,
    l2.l_commitdate,
    l2.l_receiptdate,
    l2.l_shipinstruct,
    l2.l_shipmode,
    l2.l_comment,
    l2.s_suppkey,
    l2.s_name,
    l2.s_address,
    l2.s_nationkey,
    l2.s_phone,
    l2.s_acctbal,
    l2.s_comment,
    nation.n_nationkey,
    nation.n_name,
    nation.n_regionkey,
    nation.n_comment
  FROM (
    SELECT
      l2.c_custkey,
      l2.c_name,
      l2.c_address,
      l2.c_nationkey,
      l2.c_phone,
      l2.c_acctbal,
      l2.c_mktsegment,
      l2.c_comment,
      l2.o_orderkey,
      l2.o_custkey,
      l2.o_orderstatus,
      l2.o_totalprice,
      l2.o_orderdate,
      l2.o_orderpriority,
      l2.o_clerk,
      l2.o_shippriority,
      l2.o_comment,
      l2.l_orderkey,
      l2.l_partkey,
      l2.l_suppkey,
      l2.l_linenumber,
      l2.l_quantity,
      l2.l_extendedprice,
      l2.l_discount,
      l2.l_tax,
      l2.l_returnflag,
      l2.l_linestatus,
      l2.l_shipdate,
      l2.l_commitdate,
      l2.l_receiptdate,
      l2.l_shipinstruct,
      l2.l_shipmode,
      l2.l_comment,
      supplier.s_suppkey,
      supplier.s_name,
      supplier.s_address,
      supplier.s_nationkey,
      supplier.s_phone,
      supplier.s_acctbal,
      supplier.s_comment
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
        lineitem.l_orderkey,
        lineitem.l_partkey,
        lineitem.l_suppkey,
        lineitem.l_linenumber,
        lineitem.l_quantity,
        lineitem.l_extendedprice,
        lineitem.l_discount,
        lineitem.l_tax,
        lineitem.l_returnflag,
        lineitem.l_linestatus,
        lineitem.l_shipdate,
        lineitem.l_commitdate,
        lineitem.l_receiptdate,
        lineitem.l_shipinstruct,
        lineitem.l_shipmode,
        lineitem.l_comment
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
          WHERE o_orderdate >= DATE'1994-01-01'
            AND o_orderdate < DATE'1995-01-01'
        ) AS r
          ON customer.c_custkey = r.o_custkey
      ) AS l
      JOIN lineitem
        ON l.o_orderkey = lineitem.l_orderkey
    ) AS l2
    JOIN supplier
      ON l2.l_suppkey = supplier.s_suppkey AND l2.c_nationkey = supplier.s_nationkey
  ) AS l2
  JOIN nation
    ON l2.s_nationkey = nation.n_nationkey
) AS l3
JOIN (
  SELECT r_regionkey, r_name, r_comment
  FROM region
  WHERE r_name = 'ASIA'
) AS r3
  ON l3.n_regionkey = r3.r_regionkey
GROUP BY l3.n_name
ORDER BY revenue DESC