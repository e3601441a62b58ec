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
WHERE part.p_size = 15
  AND part.p_type LIKE '%BRASS'
  AND region.r_name = 'EUROPE'
  AND partsupp.ps_supplycost = (
    SELECT min(partsupp_2.ps_supplycost)
    FROM partsupp AS partsupp_2
    JOIN supplier AS supplier_2
      ON partsupp_2.ps_suppkey = supplier_2.s_suppkey
    JOIN nation AS nation_2
      ON supplier_2.s_nationkey = nation_2.n_nationkey
    JOIN region AS region_2
      ON nation_2.n_regionkey = region_2.r_regionkey
    WHERE region_2.r_name = 'EUROPE'
      AND partsupp_2.ps_partkey = part.p_partkey
  )
ORDER BY s_acctbal DESC, n_name, s_name, p_partkey
LIMIT 100