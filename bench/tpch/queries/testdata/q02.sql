SELECT
  supplier.s_acctbal,
  supplier.s_name,
  nation.n_name,
  part.p_partkey,
  part.p_mfgr,
  supplier.s_address,
  supplier.s_phone,
  supplier.s_comment
FROM part
JOIN partsupp
  ON part.p_partkey = partsupp.ps_partkey
JOIN supplier
  ON partsupp.ps_suppkey = supplier.s_suppkey
JOIN nation
  ON supplier.s_nationkey = nation.n_nationkey
JOIN region
  ON nation.n_regionkey = region.r_regionkey
JOIN (
  SELECT partsupp.ps_partkey AS least_partkey, min(partsupp.ps_supplycost) AS least
  FROM partsupp
  JOIN supplier
    ON partsupp.ps_suppkey = supplier.s_suppkey
  JOIN nation
    ON supplier.s_nationkey = nation.n_nationkey
  JOIN region
    ON nation.n_regionkey = region.r_regionkey
  WHERE region.r_name = 'EUROPE'
  GROUP BY partsupp.ps_partkey
) AS by_ps_partkey
  ON part.p_partkey = by_ps_partkey.least_partkey AND partsupp.ps_supplycost = by_ps_partkey.least
WHERE part.p_size = 15
  AND part.p_type LIKE '%BRASS'
  AND region.r_name = 'EUROPE'
ORDER BY s_acctbal DESC, n_name, s_name, p_partkey
LIMIT 100