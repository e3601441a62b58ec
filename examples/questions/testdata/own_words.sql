-- How many flights of each airport does SQL of one's own count, and which part of all are they?
SELECT origin, flights, (round(flights / sum(flights) OVER (), 3)) AS share
FROM (
  WITH outbound AS (
    SELECT
      year,
      month,
      day,
      dep_time,
      sched_dep_time,
      dep_delay,
      arr_time,
      sched_arr_time,
      arr_delay,
      carrier,
      flight,
      tailnum,
      origin,
      dest,
      air_time,
      distance,
      hour,
      minute,
      time_hour
    FROM flights
  )
  (
  SELECT origin, count(*) AS flights FROM outbound GROUP BY origin HAVING count(*) > :least
)
)
ORDER BY origin