SELECT bidder, auction, bid.price, bid.channel, bid.at
FROM (
  SELECT bidder, auction, max(struct(at, price, channel)) AS bid
  FROM bid
  GROUP BY bidder, auction
)