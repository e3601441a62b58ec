SELECT
  bid.auction,
  bid.bidder,
  bid.price,
  bid.channel,
  bid.url,
  bid.at,
  auction_2.id,
  auction_2.item,
  auction_2.description,
  auction_2.initial_bid,
  auction_2.reserve,
  auction_2.at AS opened,
  auction_2.expires,
  auction_2.seller,
  auction_2.category
FROM bid
JOIN auction AS auction_2
  ON bid.auction = auction_2.id
WHERE auction_2.category = 10