WITH t1 AS (
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
  WHERE l_receiptdate > l_commitdate
)
SELECT l4.s_name, count(*) AS numwait
FROM (
  SELECT
    l3.s_suppkey,
    l3.s_name,
    l3.s_address,
    l3.s_nationkey,
    l3.s_phone,
    l3.s_acctbal,
    l3.s_comment,
    l3.l_orderkey,
    l3.l_partkey,
    l3.l_suppkey,
    l3.l_linenumber,
    l3.l_quantity,
    l3.l_extendedprice,
    l3.l_discount,
    l3.l_tax,
    l3.l_returnflag,
    l3.l_linestatus,
    l3.l_shipdate,
    l3.l_commitdate,
    l3.l_receiptdate,
    l3.l_shipinstruct,
    l3.l_shipmode,
    l3.l_comment,
    l3.o_orderkey,
    l3.o_custkey,
    l3.o_orderstatus,
    l3.o_totalprice,
    l3.o_orderdate,
    l3.o_orderpriority,
    l3.o_clerk,
    l3.o_shippriority,
    l3.o_comment,
    l3.n_nationkey,
    l3.n_name,
    l3.n_regionkey,
    l3.n_comment,
    r3.all_orderkey
  FROM (
    SELECT
      l2.s_suppkey,
      l2.s_name,
      l2.s_address,
      l2.s_nationkey,
      l2.s_phone,
      l2.s_acctbal,
      l2.s_comment,
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
      l2.o_orderkey,
      l2.o_custkey,
      l2.o_orderstatus,
      l2.o_totalprice,
      l2.o_orderdate,
      l2.o_orderpriority,
      l2.o_clerk,
      l2.o_shippriority,
      l2.o_comment,
      r2.n_nationkey,
      r2.n_name,
      r2.n_regionkey,
      r2.n_comment
    FROM (
      SELECT
        l.s_suppkey,
        l.s_name,
        l.s_address,
        l.s_nationkey,
        l.s_phone,
        l.s_acctbal,
        l.s_comment,
        l.l_orderkey,
        l.l_partkey,
        l.l_suppkey,
        l.l_linenumber,
        l.l_quantity,
        l.l_extendedprice,
        l.l_discount,
        l.l_tax,
        l.l_returnflag,
        l.l_linestatus,
        l.l_shipdate,
        l.l_commitdate,
        l.l_receiptdate,
        l.l_shipinstruct,
        l.l_shipmode,
        l.l_comment,
        r.o_orderkey,
        r.o_custkey,
        r.o_orderstatus,
        r.o_totalprice,
        r.o_orderdate,
        r.o_orderpriority,
        r.o_clerk,
        r.o_shippriority,
        r.o_comment
      FROM (
        SELECT
          supplier.s_suppkey,
          supplier.s_name,
          supplier.s_address,
          supplier.s_nationkey,
          supplier.s_phone,
          supplier.s_acctbal,
          supplier.s_comment,
          t1.l_orderkey,
          t1.l_partkey,
          t1.l_suppkey,
          t1.l_linenumber,
          t1.l_quantity,
          t1.l_extendedprice,
          t1.l_discount,
          t1.l_tax,
          t1.l_returnflag,
          t1.l_linestatus,
          t1.l_shipdate,
          t1.l_commitdate,
          t1.l_receiptdate,
          t1.l_shipinstruct,
          t1.l_shipmode,
          t1.l_comment
        FROM supplier
        JOIN t1
          ON supplier.s_suppkey = t1.l_suppkey
      ) AS l
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
        WHERE o_orderstatus = 'F'
      ) AS r
        ON l.l_orderkey = r.o_orderkey
    ) AS l2
    JOIN (
      SELECT n_nationkey, n_name, n_regionkey, n_comment
      FROM nation
      WHERE n_name = 'SAUDI ARABIA'
    ) AS r2
      ON l2.s_nationkey = r2.n_nationkey
  ) AS l3
  JOIN (
    SELECT l_orderkey AS all_orderkey
    FROM (
      SELECT l_orderkey, min(l_suppkey) AS first_supp, max(l_suppkey) AS last_supp
      FROM lineitem
      GROUP BY l_orderkey
      HAVING min(l_suppkey) <> max(l_suppkey)
    )
  ) AS r3
    ON l3.l_orderkey = r3.all_orderkey
) AS l4
JOIN (
  SELECT l_orderkey AS late_orderkey
  FROM (
    SELECT l_orderkey, min(l_suppkey) AS first_late, max(l_suppkey) AS last_late
    FROM t1
    GROUP BY l_orderkey
    HAVING min(l_suppkey) = max(l_suppkey)
  )
) AS r4
  ON l4.l_orderkey = r4.late_orderkey
GROUP BY l4.s_name
ORDER BY numwait DESC, s_name
LIMIT 100