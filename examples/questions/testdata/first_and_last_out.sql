-- Who left first, second and last from each airport on New Year's Day?
SELECT DISTINCT
  origin,
  first(carrier) OVER w AS first,
  nth_value(carrier, 2) OVER w AS second,
  last(carrier) OVER w AS last
FROM flights
WHERE month = 1
  AND day = 1
  AND dep_time IS NOT NULL
WINDOW w AS (PARTITION BY origin ORDER BY dep_time, carrier, flight ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
ORDER BY origin