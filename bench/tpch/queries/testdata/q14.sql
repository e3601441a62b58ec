SELECT
  100.00 * sum(if(startswith(part.p_type, 'PROMO'), lineitem.l_extendedprice * (1 - lineitem.l_discount), 0)) / sum(lineitem.l_extendedprice * (1 - lineitem.l_discount)) AS promo_revenue
FROM lineitem
JOIN part
  ON lineitem.l_partkey = part.p_partkey
WHERE lineitem.l_shipdate >= DATE'1995-09-01'
  AND lineitem.l_shipdate < DATE'1995-10-01'