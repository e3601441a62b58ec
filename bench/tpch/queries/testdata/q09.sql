SELECT nation, o_year, sum(amount) AS sum_profit
FROM (
  SELECT
    nation.n_name AS nation,
    year(l3.o_orderdate) AS o_year,
    l3.l_extendedprice * (1BD - l3.l_discount) - l3.ps_supplycost * l3.l_quantity AS amount
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
      l2.ps_partkey,
      l2.ps_suppkey,
      l2.ps_availqty,
      l2.ps_supplycost,
      l2.ps_comment,
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
        partsupp.ps_partkey,
        partsupp.ps_suppkey,
        partsupp.ps_availqty,
        partsupp.ps_supplycost,
        partsupp.ps_comment
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
            WHERE contains(p_name, 'green')
          ) AS l
          JOIN lineitem
            ON l.p_partkey = lineitem.l_partkey
        ) AS l
        JOIN supplier
          ON l.l_suppkey = supplier.s_suppkey
      ) AS l2
      JOIN partsupp
        ON l2.l_suppkey = partsupp.ps_suppkey AND l2.l_partkey = partsupp.ps_partkey
    ) AS l2
    JOIN orders
      ON l2.l_orderkey = orders.o_orderkey
  ) AS l3
  JOIN nation
    ON l3.s_nationkey = nation.n_nationkey
)
GROUP BY nation, o_year
ORDER BY nation, o_year DESC