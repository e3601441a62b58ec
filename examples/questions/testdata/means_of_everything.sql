-- What are the means of all times and distances by airport?
SELECT
  origin,
  avg(dep_time) AS mean_dep_time,
  avg(dep_delay) AS mean_dep_delay,
  avg(arr_time) AS mean_arr_time,
  avg(sched_arr_time) AS mean_sched_arr_time,
  avg(arr_delay) AS mean_arr_delay,
  avg(air_time) AS mean_air_time,
  avg(distance) AS mean_distance
FROM flights
GROUP BY origin
ORDER BY origin