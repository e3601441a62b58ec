SELECT
  r.p_brand,
  r.p_type,
  r.p_size,
  count(DISTINCT partsupp.ps_suppkey) AS supplier_cnt
FROM partsupp
JOIN (
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
  WHERE p_brand <> 'Brand#45'
    AND NOT p_type LIKE 'MEDIUM POLISHED%'
    AND p_size IN (49, 14, 23, 45, 19, 3, 36, 9)
) AS r
  ON partsupp.ps_partkey = r.p_partkey
LEFT JOIN (
  SELECT s_suppkey
  FROM supplier
  WHERE s_comment LIKE '%Customer%Complaints%'
) AS r2
  ON partsupp.ps_suppkey = r2.s_suppkey
WHERE r2.s_suppkey IS NULL
GROUP BY r.p_brand, r.p_type, r.p_size
ORDER BY supplier_cnt DESC, p_brand, p_type, p_size