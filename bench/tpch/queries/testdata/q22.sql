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
SELECT t1.cntrycode, count(*) AS numcust, sum(t1.c_acctbal) AS totacctbal
FROM t1
JOIN (
  SELECT avg(c_acctbal) AS mean
  FROM t1
  WHERE c_acctbal > 0.00
) AS r
  ON t1.c_acctbal > r.mean
LEFT JOIN (
  SELECT DISTINCT o_custkey
  FROM orders
) AS r2
  ON t1.c_custkey = r2.o_custkey
WHERE r2.o_custkey IS NULL
GROUP BY t1.cntrycode
ORDER BY cntrycode