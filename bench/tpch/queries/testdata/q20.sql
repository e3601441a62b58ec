SELECT l.s_name, l.s_address
FROM (
  SELECT
    supplier.s_suppkey,
    supplier.s_name,
    supplier.s_address,
    supplier.s_nationkey,
    supplier.s_phone,
    supplier.s_acctbal,
    supplier.s_comment,
    r.n_nationkey,
    r.n_name,
    r.n_regionkey,
    r.n_comment
  FROM supplier
  JOIN (
    SELECT n_nationkey, n_name, n_regionkey, n_comment
    FROM nation
    WHERE n_name = 'CANADA'
  ) AS r
    ON supplier.s_nationkey = r.n_nationkey
) AS l
JOIN (
  SELECT DISTINCT l2.ps_suppkey
  FROM (
    SELECT
      partsupp.ps_partkey,
      partsupp.ps_suppkey,
      partsupp.ps_availqty,
      partsupp.ps_supplycost,
      partsupp.ps_comment,
      r2.p_partkey
    FROM partsupp
    JOIN (
      SELECT p_partkey
      FROM part
      WHERE startswith(p_name, 'forest')
    ) AS r2
      ON partsupp.ps_partkey = r2.p_partkey
  ) AS l2
  JOIN (
    SELECT l_partkey, l_suppkey, sum(l_quantity) * 0.5 AS half
    FROM lineitem
    WHERE l_shipdate >= DATE'1994-01-01'
      AND l_shipdate < DATE'1995-01-01'
    GROUP BY l_partkey, l_suppkey
  ) AS r3
    ON l2.ps_partkey = r3.l_partkey AND l2.ps_suppkey = r3.l_suppkey AND l2.ps_availqty > r3.half
) AS r3
  ON l.s_suppkey = r3.ps_suppkey
ORDER BY s_name