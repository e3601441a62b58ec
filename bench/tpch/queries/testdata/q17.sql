SELECT sum(l.l_extendedprice) / 7.0 AS avg_yearly
FROM (
  SELECT
    lineitem.l_orderkey,
    lineitem.l_partkey,
    lineitem.l_suppkey,
    lineitem.l_linenumber,
    lineitem.l_quantity,
    lineitem.l_extendedprice,
    lineitem.l_discount,
    lineitem.l_tax,
    lineitem.l_returnflag,
    lineitem.l_linestatus,
    lineitem.l_shipdate,
    lineitem.l_commitdate,
    lineitem.l_receiptdate,
    lineitem.l_shipinstruct,
    lineitem.l_shipmode,
    lineitem.l_comment,
    r.p_partkey,
    r.p_name,
    r.p_mfgr,
    r.p_brand,
    r.p_type,
    r.p_size,
    r.p_container,
    r.p_retailprice,
    r.p_comment
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
) AS l
JOIN (
  SELECT l_partkey AS small_partkey, avg(l_quantity) * 0.2 AS small
  FROM lineitem
  GROUP BY l_partkey
) AS r2
  ON l.p_partkey = r2.small_partkey AND l.l_quantity < r2.small