WITH by_l_suppkey AS (
  SELECT l_suppkey, sum(l_extendedprice * (1 - l_discount)) AS total_revenue
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
  by_l_suppkey.total_revenue
FROM supplier
JOIN (
  SELECT by_l_suppkey.l_suppkey, by_l_suppkey.total_revenue
  FROM by_l_suppkey
  JOIN (
    SELECT max(total_revenue) AS most
    FROM by_l_suppkey
  ) AS total_most
    ON by_l_suppkey.total_revenue = total_most.most
) AS by_l_suppkey
  ON supplier.s_suppkey = by_l_suppkey.l_suppkey
ORDER BY s_suppkey