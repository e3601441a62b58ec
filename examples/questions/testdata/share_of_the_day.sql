-- Which part of its airport's flights of the day had an airline on 1 May?
SELECT
  origin,
  carrier,
  round(flights / sum(flights) OVER (PARTITION BY origin), 4) AS share
FROM (
  SELECT origin, carrier, count(*) AS flights
  FROM flights
  WHERE month = 5
    AND day = 1
  GROUP BY origin, carrier
)
ORDER BY origin, share DESC, carrier