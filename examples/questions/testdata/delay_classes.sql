-- How are the delays spread?
SELECT
  CASE
    WHEN dep_delay IS NULL THEN 'cancelled'
    WHEN dep_delay <= 0 THEN 'on time'
    WHEN dep_delay <= 60 THEN 'within an hour'
    ELSE 'later'
  END AS class,
  count(*) AS flights,
  count(*) FILTER (WHERE origin = 'JFK') AS from_jfk
FROM flights
GROUP BY CASE
  WHEN dep_delay IS NULL THEN 'cancelled'
  WHEN dep_delay <= 0 THEN 'on time'
  WHEN dep_delay <= 60 THEN 'within an hour'
  ELSE 'later'
END
ORDER BY class