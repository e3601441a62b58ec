-- How many flights had left by the end of each month?
SELECT
  month,
  departures,
  sum(departures) OVER (ORDER BY month ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS so_far
FROM (
  SELECT month, count(dep_time) AS departures
  FROM flights
  GROUP BY month
)
ORDER BY month