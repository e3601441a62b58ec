-- How many flights left each airport in each six hours of 4 July?
SELECT origin, window.start AS starts, window.`end` AS ends, flights
FROM (
  SELECT origin, window(time_hour, '6 hours') AS window, count(*) AS flights
  FROM flights
  WHERE to_date(time_hour) = DATE'2013-07-04'
  GROUP BY origin, window(time_hour, '6 hours')
)
ORDER BY origin, starts