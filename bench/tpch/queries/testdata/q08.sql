SELECT o_year, sum(if(nation = 'BRAZIL', volume, 0BD)) / sum(volume) AS mkt_share
FROM (
  SELECT
    year(r.o_orderdate) AS o_year,
    lineitem.l_extendedprice * (1BD - lineitem.l_discount) AS volume,
    r4.nation
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
    WHERE p_type = 'ECONOMY ANODIZED STEEL'
  ) AS l
  JOIN lineitem
    ON l.p_partkey = lineitem.l_partkey
  JOIN supplier
    ON lineitem.l_suppkey = supplier.s_suppkey
  JOIN (
    SELECT
      o_orderkey,
      o_custkey,
      o_orderstatus,
      o_totalprice,
      o_orderdate,
      o_orderpriority,
      o_clerk,
      o_shippriority,
      o_comment
    FROM orders
    WHERE o_orderdate BETWEEN DATE'1995-01-01' AND DATE'1996-12-31'
  ) AS r
    ON lineitem.l_orderkey = r.o_orderkey
  JOIN customer
    ON r.o_custkey = customer.c_custkey
  JOIN (
    SELECT n_nationkey AS cust_key, n_regionkey AS cust_region
    FROM nation
  ) AS r2
    ON customer.c_nationkey = r2.cust_key
  JOIN (
    SELECT r_regionkey, r_name, r_comment
    FROM region
    WHERE r_name = 'AMERICA'
  ) AS r3
    ON r2.cust_region = r3.r_regionkey
  JOIN (
    SELECT n_nationkey AS supp_key, n_name AS nation
    FROM nation
  ) AS r4
    ON supplier.s_nationkey = r4.supp_key
)
GROUP BY o_year
ORDER BY o_year