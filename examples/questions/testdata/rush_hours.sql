-- In which hours did most flights leave an airport within three hours?
SELECT
  origin,
  time_hour,
  departures,
  sum(departures) OVER (PARTITION BY origin ORDER BY time_hour RANGE BETWEEN INTERVAL '0 02:00:00' DAY TO SECOND PRECEDING AND CURRENT ROW) AS in_three_hours
FROM (
  SELECT origin, time_hour, count(*) AS departures
  FROM flights
  GROUP BY origin, time_hour
)
ORDER BY in_three_hours DESC, origin, time_hour
LIMIT 10