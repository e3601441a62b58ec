WITH t1 AS (
  SELECT r_regionkey, r_name, r_comment
  FROM region
  WHERE r_name = 'EUROPE'
)
SELECT
  l3.s_acctbal,
  l3.s_name,
  l3.n_name,
  l3.p_partkey,
  l3.p_mfgr,
  l3.s_address,
  l3.s_phone,
  l3.s_comment
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
    l2.ps_partkey,
    l2.ps_suppkey,
    l2.ps_availqty,
    l2.ps_supplycost,
    l2.ps_comment,
    l2.s_suppkey,
    l2.s_name,
    l2.s_address,
    l2.s_nationkey,
    l2.s_phone,
    l2.s_acctbal,
    l2.s_comment,
    l2.n_nationkey,
    l2.n_name,
    l2.n_regionkey,
    l2.n_comment,
    t1.r_regionkey,
    t1.r_name,
    t1.r_comment
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
      l2.ps_partkey,
      l2.ps_suppkey,
      l2.ps_availqty,
      l2.ps_supplycost,
      l2.ps_comment,
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
        l.p_partkey,
        l.p_name,
        l.p_mfgr,
        l.p_brand,
        l.p_type,
        l.p_size,
        l.p_container,
        l.p_retailprice,
        l.p_comment,
        l.ps_partkey,
        l.ps_suppkey,
        l.ps_availqty,
        l.ps_supplycost,
        l.ps_comment,
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
          partsupp.ps_partkey,
          partsupp.ps_suppkey,
          partsupp.ps_availqty,
          partsupp.ps_supplycost,
          partsupp.ps_comment
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
          WHERE p_size = 15
            AND p_type LIKE '%BRASS'
        ) AS l
        JOIN partsupp
          ON l.p_partkey = partsupp.ps_partkey
      ) AS l
      JOIN supplier
        ON l.ps_suppkey = supplier.s_suppkey
    ) AS l2
    JOIN nation
      ON l2.s_nationkey = nation.n_nationkey
  ) AS l2
  JOIN t1
    ON l2.n_regionkey = t1.r_regionkey
) AS l3
JOIN (
  SELECT l4.ps_partkey AS least_partkey, min(l4.ps_supplycost) AS least
  FROM (
    SELECT
      l3.ps_partkey,
      l3.ps_suppkey,
      l3.ps_availqty,
      l3.ps_supplycost,
      l3.ps_comment,
      l3.s_suppkey,
      l3.s_name,
      l3.s_address,
      l3.s_nationkey,
      l3.s_phone,
      l3.s_acctbal,
      l3.s_comment,
      nation.n_nationkey,
      nation.n_name,
      nation.n_regionkey,
      nation.n_comment
    FROM (
      SELECT
        partsupp.ps_partkey,
        partsupp.ps_suppkey,
        partsupp.ps_availqty,
        partsupp.ps_supplycost,
        partsupp.ps_comment,
        supplier.s_suppkey,
        supplier.s_name,
        supplier.s_address,
        supplier.s_nationkey,
        supplier.s_phone,
        supplier.s_acctbal,
        supplier.s_comment
      FROM partsupp
      JOIN supplier
        ON partsupp.ps_suppkey = supplier.s_suppkey
    ) AS l3
    JOIN nation
      ON l3.s_nationkey = nation.n_nationkey
  ) AS l4
  JOIN t1
    ON l4.n_regionkey = t1.r_regionkey
  GROUP BY l4.ps_partkey
) AS r4
  ON l3.p_partkey = r4.least_partkey AND l3.ps_supplycost = r4.least
ORDER BY s_acctbal DESC, n_name, s_name, p_partkey
LIMIT 100