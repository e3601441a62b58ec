SELECT sum(lineitem.l_extendedprice) / 7.0 AS avg_yearly
FROM lineitem
JOIN part
  ON lineitem.l_partkey = part.p_partkey
JOIN (
  SELECT l_partkey AS small_partkey, avg(l_quantity) * 0.2 AS small
  FROM lineitem
  GROUP BY l_partkey
) AS by_l_partkey
  ON part.p_partkey = by_l_partkey.small_partkey AND lineitem.l_quantity < by_l_partkey.small
WHERE part.p_brand = 'Brand#23'
  AND part.p_container = 'MED BOX'