-- How many flights left each airport with rain reported within the next two hours?
SELECT l.origin, count(r.precip) AS before_rain, count(*) AS flights
FROM (
  SELECT
    l,
    if(unix_micros(r.time_hour) - unix_micros(time) <= 7200000000, r, NULL) AS r
  FROM (
    SELECT
      l,
      time,
      last_value(r) IGNORE NULLS OVER (
        PARTITION BY key1 ORDER BY time DESC NULLS FIRST, side, r
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) AS r
    FROM (
      SELECT
        time_hour AS time,
        origin AS key1,
        1 AS side,
        struct(origin, time_hour) AS l,
        NULL AS r
      FROM flights
      UNION ALL
      SELECT
        time_hour AS time,
        origin AS key1,
        0 AS side,
        NULL AS l,
        struct(origin, time_hour, precip) AS r
      FROM weather
      WHERE precip > 0
        AND time_hour IS NOT NULL
        AND origin IS NOT NULL
    )
  )
  WHERE l IS NOT NULL
)
GROUP BY l.origin
ORDER BY origin