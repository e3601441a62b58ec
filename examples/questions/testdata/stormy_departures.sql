-- How many flights left in an hour with gusts of 40 miles an hour?
SELECT origin, count(*) AS flights, avg(dep_delay) AS mean_delay
FROM flights
WHERE EXISTS (SELECT * FROM weather WHERE wind_gust >= 40 AND origin = flights.origin AND time_hour = flights.time_hour)
  AND NOT EXISTS (SELECT * FROM planes WHERE tailnum = flights.tailnum AND engines = 1)
  AND dep_time IS NOT NULL
GROUP BY origin
ORDER BY origin