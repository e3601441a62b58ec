WITH t1 AS (
  SELECT l_suppkey, sum(l_extendedprice * (1BD - l_discount)) AS total_revenue
  FROM lineitem
  WHERE l_shipdate >= DATE'1996-01-01'
    AND l_shipdate < DATE'1996-04-01'
  GROUP BY l_suppkey
)
SELECT
  supplier.s_suppkey,
  supplier.s_name,
  supplier.s_address,
  supplier.s_phone,
  r.total_revenue
FROM supplier
JOIN (
  SELECT t1.l_suppkey, t1.total_revenue, r.most
  FROM t1
  JOIN (
    SELECT max(total_revenue) AS most
    FROM t1
  ) AS r
    ON t1.total_revenue = r.most
) AS r
  ON supplier.s_suppkey = r.l_suppkey
ORDER BY s_suppkey