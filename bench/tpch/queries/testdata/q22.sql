WITH selected_customer AS (
  SELECT c_custkey, c_acctbal, substring(c_phone, 1, 2) AS cntrycode
  FROM customer
  WHERE substring(c_phone, 1, 2) IN ('13', '31', '23', '29', '30', '18', '17')
)
SELECT
  selected_customer.cntrycode,
  count(*) AS numcust,
  sum(selected_customer.c_acctbal) AS totacctbal
FROM selected_customer
JOIN (
  SELECT avg(c_acctbal) AS mean
  FROM selected_customer
  WHERE c_acctbal > 0.00
) AS total_mean
  ON selected_customer.c_acctbal > total_mean.mean
LEFT JOIN (
  SELECT DISTINCT o_custkey
  FROM orders
) AS distinct_orders
  ON selected_customer.c_custkey = distinct_orders.o_custkey
WHERE distinct_orders.o_custkey IS NULL
GROUP BY selected_customer.cntrycode
ORDER BY cntrycode