SELECT sum(lineitem.l_extendedprice) / 7.0 AS avg_yearly
FROM lineitem
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
  WHERE p_brand = 'Brand#23'
    AND p_container = 'MED BOX'
) AS r
  ON lineitem.l_partkey = r.p_partkey
JOIN (
  SELECT l_partkey AS small_partkey, avg(l_quantity) * 0.2 AS small
  FROM lineitem
  GROUP BY l_partkey
) AS r2
  ON r.p_partkey = r2.small_partkey AND lineitem.l_quantity < r2.small