-- How many flights of each airline were the same in January and in December: number, route and minute?
SELECT carrier, count(*) AS flights
FROM (
  SELECT carrier, flight, origin, dest, sched_dep_time
  FROM flights
  WHERE month = 1
  INTERSECT ALL
  SELECT carrier, flight, origin, dest, sched_dep_time
  FROM flights
  WHERE month = 12
)
GROUP BY carrier
ORDER BY carrier