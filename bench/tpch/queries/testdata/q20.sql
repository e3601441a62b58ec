SELECT supplier.s_name, supplier.s_address
FROM supplier
JOIN (
  SELECT n_nationkey, n_name, n_regionkey, n_comment
  FROM nation
  WHERE n_name = 'CANADA'
) AS r
  ON supplier.s_nationkey = r.n_nationkey
JOIN (
  SELECT DISTINCT partsupp.ps_suppkey
  FROM partsupp
  JOIN (
    SELECT p_partkey
    FROM part
    WHERE startswith(p_name, 'forest')
  ) AS r
    ON partsupp.ps_partkey = r.p_partkey
  JOIN (
    SELECT l_partkey, l_suppkey, sum(l_quantity) * 0.5 AS half
    FROM lineitem
    WHERE l_shipdate >= DATE'1994-01-01'
      AND l_shipdate < DATE'1995-01-01'
    GROUP BY l_partkey, l_suppkey
  ) AS r2
    ON partsupp.ps_partkey = r2.l_partkey AND partsupp.ps_suppkey = r2.l_suppkey AND partsupp.ps_availqty > r2.half
) AS r2
  ON supplier.s_suppkey = r2.ps_suppkey
ORDER BY s_name