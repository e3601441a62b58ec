SELECT window, id, item, category, seller, bid.bidder, bid.price, bid.at
FROM (
  SELECT
    window(bid.at, '10 seconds') AS window,
    auction_2.id,
    auction_2.item,
    auction_2.category,
    auction_2.seller,
    max(struct(bid.price, bid.bidder, bid.at)) AS bid
  FROM auction AS auction_2
  JOIN bid
    ON auction_2.id = bid.auction AND bid.at >= auction_2.at AND bid.at <= auction_2.expires
  GROUP BY window(bid.at, '10 seconds'), auction_2.id, auction_2.item, auction_2.category, auction_2.seller
)