SELECT window, bid.auction, bid.price, bid.bidder, bid.at
FROM (
  SELECT
    window(at, '10 seconds') AS window,
    max(struct(price, auction, bidder, at)) AS bid
  FROM bid
  GROUP BY window(at, '10 seconds')
)