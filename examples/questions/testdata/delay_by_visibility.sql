-- Do flights leave later when the last observation before them saw less far?
SELECT floor(r.visib) AS miles, count(*) AS flights, avg(l.dep_delay) AS mean_delay
FROM (
  SELECT
    l,
    last_value(r) IGNORE NULLS OVER (
      PARTITION BY key1 ORDER BY time, side, r
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS r
  FROM (
    SELECT
      time_hour AS time,
      origin AS key1,
      1 AS side,
      struct(origin, time_hour, dep_delay) AS l,
      NULL AS r
    FROM flights
    UNION ALL
    SELECT
      time_hour AS time,
      origin AS key1,
      0 AS side,
      NULL AS l,
      struct(origin, time_hour, visib) AS r
    FROM weather
    WHERE time_hour IS NOT NULL
      AND origin IS NOT NULL
  )
)
WHERE l IS NOT NULL
GROUP BY floor(r.visib)
ORDER BY miles