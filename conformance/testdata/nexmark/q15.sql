SELECT
  window(at, '1 minute') AS window,
  count(*) AS total_bids,
  count_if(price < 10000) AS rank1_bids,
  count_if(price >= 10000 AND price < 1000000) AS rank2_bids,
  count_if(price >= 1000000) AS rank3_bids,
  approx_count_distinct(bidder) AS total_bidders,
  approx_count_distinct(CASE WHEN price < 10000 THEN bidder END) AS rank1_bidders,
  approx_count_distinct(CASE WHEN price >= 10000 AND price < 1000000 THEN bidder END) AS rank2_bidders,
  approx_count_distinct(CASE WHEN price >= 1000000 THEN bidder END) AS rank3_bidders,
  approx_count_distinct(auction) AS total_auctions,
  approx_count_distinct(CASE WHEN price < 10000 THEN auction END) AS rank1_auctions,
  approx_count_distinct(CASE WHEN price >= 10000 AND price < 1000000 THEN auction END) AS rank2_auctions,
  approx_count_distinct(CASE WHEN price >= 1000000 THEN auction END) AS rank3_auctions
FROM bid
GROUP BY window(at, '1 minute')