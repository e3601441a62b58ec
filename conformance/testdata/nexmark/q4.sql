SELECT window, category, avg(final) AS average
FROM (
  SELECT
    window(bid.at, '10 seconds') AS window,
    auction_2.category,
    max(bid.price) AS final
  FROM auction AS auction_2
  JOIN bid
    ON auction_2.id = bid.auction AND bid.at >= auction_2.at AND bid.at <= auction_2.expires
  GROUP BY window(bid.at, '10 seconds'), auction_2.id, auction_2.category
)
GROUP BY window, category