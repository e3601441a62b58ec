-- How many routes are at most 50 miles shorter or longer than each?
SELECT
  origin,
  dest,
  distance,
  count(*) OVER (ORDER BY distance RANGE BETWEEN 50 PRECEDING AND 50 FOLLOWING) - 1 AS alike
FROM (
  SELECT DISTINCT origin, dest, distance
  FROM flights
)
ORDER BY distance, origin, dest
LIMIT 25