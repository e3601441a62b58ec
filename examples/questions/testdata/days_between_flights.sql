-- How long did the planes that waited longest wait for their next flight from New York?
SELECT
  tailnum,
  time_hour,
  flight,
  carrier,
  datediff(date(time_hour), date(lag(time_hour) OVER w)) AS days,
  lag(dep_delay) IGNORE NULLS OVER w AS delay_before,
  lead(dest, 1, 'none') OVER w AS next
FROM flights
WHERE tailnum IS NOT NULL
WINDOW w AS (PARTITION BY tailnum ORDER BY time_hour, sched_dep_time, flight, carrier)
ORDER BY days DESC, tailnum, time_hour, flight, carrier
LIMIT 15