-- On which days of December did airlines cancel a tenth of their flights? Show those without such a day too.
SELECT carrier, explode_outer(day) AS day
FROM (
  SELECT carrier, array_sort(collect_list(day) FILTER (WHERE cancelled >= 0.1D)) AS day
  FROM (
    SELECT carrier, day, count_if(dep_time IS NULL) / count(*) AS cancelled
    FROM flights
    WHERE month = 12
    GROUP BY carrier, day
  )
  GROUP BY carrier
)
ORDER BY carrier, day