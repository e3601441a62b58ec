-- How far is the nearest observation of the weather from the hours with a flight?
SELECT
  (unix_seconds(l.time_hour) - unix_seconds(r.time_hour)) div 3600 AS hours_before,
  count(*) AS hours
FROM (
  SELECT
    l,
    if(after IS NULL OR unix_micros(time) - unix_micros(before.time_hour) <= unix_micros(after.time_hour) - unix_micros(time), before, after) AS r
  FROM (
    SELECT
      l,
      time,
      last_value(r) IGNORE NULLS OVER (
        PARTITION BY key1 ORDER BY time, side, r
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) AS before,
      last_value(r) IGNORE NULLS OVER (
        PARTITION BY key1 ORDER BY time DESC NULLS FIRST, side, r
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) AS after
    FROM (
      SELECT
        time_hour AS time,
        origin AS key1,
        1 AS side,
        struct(origin, time_hour) AS l,
        NULL AS r
      FROM (
        SELECT DISTINCT origin, time_hour
        FROM flights
      )
      UNION ALL
      SELECT
        time_hour AS time,
        origin AS key1,
        2 AS side,
        NULL AS l,
        struct(origin, time_hour) AS r
      FROM weather
      WHERE time_hour IS NOT NULL
        AND origin IS NOT NULL
    )
  )
  WHERE l IS NOT NULL
)
GROUP BY (unix_seconds(l.time_hour) - unix_seconds(r.time_hour)) div 3600
ORDER BY hours_before