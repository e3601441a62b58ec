-- On which routes were there more flights in July than in February, and how many?
SELECT origin, dest, count(*) AS more
FROM (
  SELECT origin, dest
  FROM flights
  WHERE month = 7
  EXCEPT ALL
  SELECT origin, dest
  FROM flights
  WHERE month = 2
)
GROUP BY origin, dest
ORDER BY more DESC, origin, dest
LIMIT 15