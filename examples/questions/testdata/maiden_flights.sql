-- Which planes flew first after the summer, and from where?
SELECT origin, month, count(*) AS planes
FROM (
  SELECT
    month,
    sched_dep_time,
    carrier,
    flight,
    tailnum,
    origin,
    time_hour,
    row_number() OVER (PARTITION BY tailnum ORDER BY time_hour, sched_dep_time, flight, carrier) AS row_number
  FROM flights
  WHERE tailnum IS NOT NULL
)
WHERE row_number = 1
  AND month >= 9
GROUP BY origin, month
ORDER BY origin, month