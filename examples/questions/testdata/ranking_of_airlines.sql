-- How do the airlines of each airport rank by flights?
SELECT
  origin,
  carrier,
  flights,
  row_number() OVER w2 AS place,
  rank() OVER w AS rank,
  dense_rank() OVER w AS dense_rank,
  percent_rank() OVER w AS percent_rank,
  cume_dist() OVER w AS cume_dist,
  ntile(4) OVER w2 AS quarter
FROM (
  SELECT origin, carrier, count(*) AS flights
  FROM flights
  GROUP BY origin, carrier
)
WINDOW w AS (PARTITION BY origin ORDER BY flights DESC),
  w2 AS (PARTITION BY origin ORDER BY flights DESC, carrier)
ORDER BY origin, place