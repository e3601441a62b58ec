SELECT
  auction,
  bidder,
  price * 0.908 AS price,
  CASE
    WHEN hour(at) >= 8 AND hour(at) <= 18 THEN 'dayTime'
    WHEN hour(at) <= 6 OR hour(at) >= 20 THEN 'nightTime'
    ELSE 'otherTime'
  END AS bid_time,
  at,
  extra,
  length(extra) - length(replace(extra, 'c', '')) AS c_counts
FROM bid
WHERE price * 0.908 > 1000000
  AND price * 0.908 < 50000000