SELECT supp_nation, cust_nation, l_year, sum(volume) AS revenue
FROM (
  SELECT
    r2.supp_nation,
    r3.cust_nation,
    year(r.l_shipdate) AS l_year,
    r.l_extendedprice * (1BD - r.l_discount) AS volume
  FROM supplier
  JOIN (
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
    WHERE l_shipdate BETWEEN DATE'1995-01-01' AND DATE'1996-12-31'
  ) AS r
    ON supplier.s_suppkey = r.l_suppkey
  JOIN orders
    ON r.l_orderkey = orders.o_orderkey
  JOIN customer
    ON orders.o_custkey = customer.c_custkey
  JOIN (
    SELECT n_nationkey AS supp_key, n_name AS supp_nation
    FROM nation
  ) AS r2
    ON supplier.s_nationkey = r2.supp_key
  JOIN (
    SELECT n_nationkey AS cust_key, n_name AS cust_nation
    FROM nation
  ) AS r3
    ON customer.c_nationkey = r3.cust_key
  WHERE (r2.supp_nation = 'FRANCE' AND r3.cust_nation = 'GERMANY' OR r2.supp_nation = 'GERMANY' AND r3.cust_nation = 'FRANCE')
)
GROUP BY supp_nation, cust_nation, l_year
ORDER BY supp_nation, cust_nation, l_year