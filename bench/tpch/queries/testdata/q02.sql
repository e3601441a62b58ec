WITH t1 AS (
  SELECT r_regionkey, r_name, r_comment
  FROM region
  WHERE r_name = 'EUROPE'
)
SELECT
  supplier.s_acctbal,
  supplier.s_name,
  nation.n_name,
  l.p_partkey,
  l.p_mfgr,
  supplier.s_address,
  supplier.s_phone,
  supplier.s_comment
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
JOIN supplier
  ON partsupp.ps_suppkey = supplier.s_suppkey
JOIN nation
  ON supplier.s_nationkey = nation.n_nationkey
JOIN t1
  ON nation.n_regionkey = t1.r_regionkey
JOIN (
  SELECT partsupp.ps_partkey AS least_partkey, min(partsupp.ps_supplycost) AS least
  FROM partsupp
  JOIN supplier
    ON partsupp.ps_suppkey = supplier.s_suppkey
  JOIN nation
    ON supplier.s_nationkey = nation.n_nationkey
  JOIN t1
    ON nation.n_regionkey = t1.r_regionkey
  GROUP BY partsupp.ps_partkey
) AS r
  ON l.p_partkey = r.least_partkey AND partsupp.ps_supplycost = r.least
ORDER BY s_acctbal DESC, n_name, s_name, p_partkey
LIMIT 100