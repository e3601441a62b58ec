SELECT bid.auction, bid.bidder, bid.price, bid.at, side.value
FROM (
  SELECT auction, bidder, price, at, auction % 10000 AS key
  FROM bid
) AS bid
JOIN side
  ON bid.key = side.key