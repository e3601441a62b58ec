WITH t1 AS (
  SELECT *
  FROM (
    SELECT
      c_custkey,
      c_name,
      c_address,
      c_nationkey,
      c_phone,
      c_acctbal,
      c_mktsegment,
      c_comment,
      substring(c_phone, 1, 2) AS cntrycode
    FROM customer
  )
  WHERE cntrycode IN ('13', '31', '23', '29', '30', '18', '17')
)
SELECT l.cntrycode, count(*) AS numcust, sum(l.c_acctbal) AS totacctbal
FROM (
  SELECT
    t1.c_custkey,
    t1.c_name,
    t1.c_address,
    t1.c_nationkey,
    t1.c_phone,
    t1.c_acctbal,
    t1.c_mktsegment,
    t1.c_comment,
    t1.cntrycode,
    r.mean
  FROM t1
  JOIN (
    SELECT avg(c_acctbal) AS mean
    FROM t1
    WHERE c_acctbal > 0.00
  ) AS r
    ON t1.c_acctbal > r.mean
) AS l
LEFT JOIN (
  SELECT DISTINCT o_custkey
  FROM orders
) AS r2
  ON l.c_custkey = r2.o_custkey
WHERE r2.o_custkey IS NULL
GROUP BY l.cntrycode
ORDER BY cntrycode