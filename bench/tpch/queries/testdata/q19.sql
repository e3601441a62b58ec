SELECT sum(lineitem.l_extendedprice * (1 - lineitem.l_discount)) AS revenue
FROM lineitem
JOIN part
  ON lineitem.l_partkey = part.p_partkey
WHERE lineitem.l_shipmode IN ('AIR', 'AIR REG')
  AND lineitem.l_shipinstruct = 'DELIVER IN PERSON'
  AND (part.p_brand = 'Brand#12' AND part.p_container IN ('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG') AND lineitem.l_quantity BETWEEN 1 AND 11 AND part.p_size BETWEEN 1 AND 5
    OR part.p_brand = 'Brand#23' AND part.p_container IN ('MED BAG', 'MED BOX', 'MED PKG', 'MED PACK') AND lineitem.l_quantity BETWEEN 10 AND 20 AND part.p_size BETWEEN 1 AND 10
    OR part.p_brand = 'Brand#34' AND part.p_container IN ('LG CASE', 'LG BOX', 'LG PACK', 'LG PKG') AND lineitem.l_quantity BETWEEN 20 AND 30 AND part.p_size BETWEEN 1 AND 15)