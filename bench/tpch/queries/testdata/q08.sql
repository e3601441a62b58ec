SELECT o_year, sum(if(nation = 'BRAZIL', volume, 0BD)) / sum(volume) AS mkt_share
FROM (
  SELECT
    year(l5.o_orderdate) AS o_year,
    l5.l_extendedprice * (1BD - l5.l_discount) AS volume,
    r6.nation
  FROM (
    SELECT
      l4.p_partkey,
      l4.p_name,
      l4.p_mfgr,
      l4.p_brand,
      l4.p_type,
      l4.p_size,
      l4.p_container,
      l4.p_retailprice,
      l4.p_comment,
      l4.l_orderkey,
      l4.l_partkey,
      l4.l_suppkey,
      l4.l_linenumber,
      l4.l_quantity,
      l4.l_extendedprice,
      l4.l_discount,
      l4.l_tax,
      l4.l_returnflag,
      l4.l_linestatus,
      l4.l_shipdate,
      l4.l_commitdate,
      l4.l_receiptdate,
      l4.l_shipinstruct,
      l4.l_shipmode,
      l4.l_comment,
      l4.s_suppkey,
      l4.s_name,
      l4.s_address,
      l4.s_nationkey,
      l4.s_phone,
      l4.s_acctbal,
      l4.s_comment,
      l4.o_orderkey,
      l4.o_custkey,
      l4.o_orderstatus,
      l4.o_totalprice,
      l4.o_orderdate,
      l4.o_orderpriority,
      l4.o_clerk,
      l4.o_shippriority,
      l4.o_comment,
      l4.c_custkey,
      l4.c_name,
      l4.c_address,
      l4.c_nationkey,
      l4.c_phone,
      l4.c_acctbal,
      l4.c_mktsegment,
      l4.c_comment,
      l4.cust_key,
      l4.cust_region,
      r5.r_regionkey,
      r5.r_name,
      r5.r_comment
    FROM (
      SELECT
        l3.p_partkey,
        l3.p_name,
        l3.p_mfgr,
        l3.p_brand,
        l3.p_type,
        l3.p_size,
        l3.p_container,
        l3.p_retailprice,
        l3.p_comment,
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
        l3.s_suppkey,
        l3.s_name,
        l3.s_address,
        l3.s_nationkey,
        l3.s_phone,
        l3.s_acctbal,
        l3.s_comment,
        l3.o_orderkey,
        l3.o_custkey,
        l3.o_orderstatus,
        l3.o_totalprice,
        l3.o_orderdate,
        l3.o_orderpriority,
        l3.o_clerk,
        l3.o_shippriority,
        l3.o_comment,
        l3.c_custkey,
        l3.c_name,
        l3.c_address,
        l3.c_nationkey,
        l3.c_phone,
        l3.c_acctbal,
        l3.c_mktsegment,
        l3.c_comment,
        r4.cust_key,
        r4.cust_region
      FROM (
        SELECT
          l3.p_partkey,
          l3.p_name,
          l3.p_mfgr,
          l3.p_brand,
          l3.p_type,
          l3.p_size,
          l3.p_container,
          l3.p_retailprice,
          l3.p_comment,
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
          l3.s_suppkey,
          l3.s_name,
          l3.s_address,
          l3.s_nationkey,
          l3.s_phone,
          l3.s_acctbal,
          l3.s_comment,
          l3.o_orderkey,
          l3.o_custkey,
          l3.o_orderstatus,
          l3.o_totalprice,
          l3.o_orderdate,
          l3.o_orderpriority,
          l3.o_clerk,
          l3.o_shippriority,
          l3.o_comment,
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
            l2.p_partkey,
            l2.p_name,
            l2.p_mfgr,
            l2.p_brand,
            l2.p_type,
            l2.p_size,
            l2.p_container,
            l2.p_retailprice,
            l2.p_comment,
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
            r2.o_orderkey,
            r2.o_custkey,
            r2.o_orderstatus,
            r2.o_totalprice,
            r2.o_orderdate,
            r2.o_orderpriority,
            r2.o_clerk,
            r2.o_shippriority,
            r2.o_comment
          FROM (
            SELECT
              l.p_partkey,
              l.p_name,
              l.p_mfgr,
              l.p_brand,
              l.p_type,
              l.p_size,
              l.p_container,
              l.p_retailprice,
              l.p_comment,
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
              supplier.s_suppkey,
              supplier.s_name,
              supplier.s_address,
              supplier.s_nationkey,
              supplier.s_phone,
              supplier.s_acctbal,
              supplier.s_comment
            FROM (
              SELECT
                l.p_partkey,
                l.p_name,
                l.p_mfgr,
                l.p_brand,
                l.p_type,
                l.p_size,
                l.p_container,
                l.p_retailprice,
                l.p_comment,
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
                  p_partkey,
                  p_name,
                  p_mfgr,
                  p_brand,
                  p_type,
                  p_size,
                  p_container,
                  p_retailprice,
                  p_comment
                FROM part
                WHERE p_type = 'ECONOMY ANODIZED STEEL'
              ) AS l
              JOIN lineitem
                ON l.p_partkey = lineitem.l_partkey
            ) AS l
            JOIN supplier
              ON l.l_suppkey = supplier.s_suppkey
          ) AS l2
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
            WHERE o_orderdate BETWEEN DATE'1995-01-01' AND DATE'1996-12-31'
          ) AS r2
            ON l2.l_orderkey = r2.o_orderkey
        ) AS l3
        JOIN customer
          ON l3.o_custkey = customer.c_custkey
      ) AS l3
      JOIN (
        SELECT n_nationkey AS cust_key, n_regionkey AS cust_region
        FROM nation
      ) AS r4
        ON l3.c_nationkey = r4.cust_key
    ) AS l4
    JOIN (
      SELECT r_regionkey, r_name, r_comment
      FROM region
      WHERE r_name = 'AMERICA'
    ) AS r5
      ON l4.cust_region = r5.r_regionkey
  ) AS l5
  JOIN (
    SELECT n_nationkey AS supp_key, n_name AS nation
    FROM nation
  ) AS r6
    ON l5.s_nationkey = r6.supp_key
)
GROUP BY o_year
ORDER BY o_year