SELECT
  100.00 * sum(if(startswith(part.p_type, 'PROMO'), l.l_extendedprice * (1BD - l.l_discount), 0BD)) / sum(l.l_extendedprice * (1BD - l.l_discount)) AS promo_revenue
FROM (
  SELECT
    l_orderkey,
    l_partkey,
    l_suppkey,
    l_linenumber,
    l_quantity,
    l_extendedprice,
    l_discount,
    l_tax,
    l_returnflag,
    l_linestatus,
    l_shipdate,
    l_commitdate,
    l_receiptdate,
    l_shipinstruct,
    l_shipmode,
    l_comment
  FROM lineitem
  WHERE l_shipdate >= DATE'1995-09-01'
    AND l_shipdate < DATE'1995-10-01'
) AS l
JOIN part
  ON l.l_partkey = part.p_partkey