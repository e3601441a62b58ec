SELECT supp_nation, cust_nation, l_year, sum(volume) AS revenue
FROM (
  SELECT
    l3.supp_nation,
    r4.cust_nation,
    year(l3.l_shipdate) AS l_year,
    l3.l_extendedprice * (1BD - l3.l_discount) AS volume
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
      l2.c_custkey,
      l2.c_name,
      l2.c_address,
      l2.c_nationkey,
      l2.c_phone,
      l2.c_acctbal,
      l2.c_mktsegment,
      l2.c_comment,
      r3.supp_key,
      r3.supp_nation
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
        customer.c_custkey,
        customer.c_name,
        customer.c_address,
        customer.c_nationkey,
        customer.c_phone,
        customer.c_acctbal,
        customer.c_mktsegment,
        customer.c_comment
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
          orders.o_orderkey,
          orders.o_custkey,
          orders.o_orderstatus,
          orders.o_totalprice,
          orders.o_orderdate,
          orders.o_orderpriority,
          orders.o_clerk,
          orders.o_shippriority,
          orders.o_comment
        FROM (
          SELECT
            supplier.s_suppkey,
            supplier.s_name,
            supplier.s_address,
            supplier.s_nationkey,
            supplier.s_phone,
            supplier.s_acctbal,
            supplier.s_comment,
            r.l_orderkey,
            r.l_partkey,
            r.l_suppkey,
            r.l_linenumber,
            r.l_quantity,
            r.l_extendedprice,
            r.l_discount,
            r.l_tax,
            r.l_returnflag,
            r.l_linestatus,
            r.l_shipdate,
            r.l_commitdate,
            r.l_receiptdate,
            r.l_shipinstruct,
            r.l_shipmode,
            r.l_comment
          FROM supplier
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
            WHERE l_shipdate BETWEEN DATE'1995-01-01' AND DATE'1996-12-31'
          ) AS r
            ON supplier.s_suppkey = r.l_suppkey
        ) AS l
        JOIN orders
          ON l.l_orderkey = orders.o_orderkey
      ) AS l2
      JOIN customer
        ON l2.o_custkey = customer.c_custkey
    ) AS l2
    JOIN (
      SELECT n_nationkey AS supp_key, n_name AS supp_nation
      FROM nation
    ) AS r3
      ON l2.s_nationkey = r3.supp_key
  ) AS l3
  JOIN (
    SELECT n_nationkey AS cust_key, n_name AS cust_nation
    FROM nation
  ) AS r4
    ON l3.c_nationkey = r4.cust_key
  WHERE (l3.supp_nation = 'FRANCE' AND r4.cust_nation = 'GERMANY' OR l3.supp_nation = 'GERMANY' AND r4.cust_nation = 'FRANCE')
)
GROUP BY supp_nation, cust_nation, l_year
ORDER BY supp_nation, cust_nation, l_year