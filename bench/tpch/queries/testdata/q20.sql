SELECT supplier.s_name, supplier.s_address
FROM supplier
JOIN nation
  ON supplier.s_nationkey = nation.n_nationkey
JOIN (
  SELECT DISTINCT partsupp.ps_suppkey
  FROM partsupp
  JOIN part
    ON partsupp.ps_partkey = part.p_partkey
  JOIN (
    SELECT l_partkey, l_suppkey, sum(l_quantity) * 0.5 AS half
    FROM lineitem
    WHERE l_shipdate >= DATE'1994-01-01'
      AND l_shipdate < DATE'1995-01-01'
    GROUP BY l_partkey, l_suppkey
  ) AS by_l_partkey_l_suppkey
    ON partsupp.ps_partkey = by_l_partkey_l_suppkey.l_partkey
      AND partsupp.ps_suppkey = by_l_partkey_l_suppkey.l_suppkey
      AND partsupp.ps_availqty > by_l_partkey_l_suppkey.half
  WHERE startswith(part.p_name, 'forest')
) AS distinct_partsupp_part
  ON supplier.s_suppkey = distinct_partsupp_part.ps_suppkey
WHERE nation.n_name = 'CANADA'
ORDER BY s_name