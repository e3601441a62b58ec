SELECT window, hot.auction, hot.bids
FROM (
  SELECT window, max(struct(bids, auction)) AS hot
  FROM (
    SELECT window(at, '10 seconds', '2 seconds') AS window, auction, count(*) AS bids
    FROM bid
    GROUP BY window(at, '10 seconds', '2 seconds'), auction
  )
  GROUP BY window
)