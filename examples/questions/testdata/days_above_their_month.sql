-- How many days had more flights than the average day of their month?
WITH by_month_day AS (
  SELECT month, count(*) AS flights
  FROM flights
  GROUP BY month, day
)
SELECT by_month_day.month, count(*) AS days
FROM by_month_day
JOIN (
  SELECT month, avg(flights) AS average
  FROM by_month_day
  GROUP BY month
) AS by_month
  ON by_month_day.month = by_month.month
WHERE by_month_day.flights > by_month.average
GROUP BY by_month_day.month
ORDER BY month