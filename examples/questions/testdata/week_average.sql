-- What is the average delay of each day and the six before it?
SELECT
  month,
  day,
  round(sum(minutes) OVER w / sum(departures) OVER w, 2) AS mean_delay
FROM (
  SELECT month, day, sum(dep_delay) AS minutes, count(dep_delay) AS departures
  FROM flights
  GROUP BY month, day
)
WINDOW w AS (ORDER BY month, day ROWS BETWEEN 6 PRECEDING AND CURRENT ROW)
ORDER BY month, day