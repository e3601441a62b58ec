SELECT
  window(at, '1 minute') AS window,
  auction,
  count(*) AS total_bids,
  count_if(price < 10000) AS rank1_bids,
  count_if(price >= 10000 AND price < 1000000) AS rank2_bids,
  count_if(price >= 1000000) AS rank3_bids,
  min(price) AS min_price,
  max(price) AS max_price,
  avg(price) AS avg_price,
  sum(price) AS sum_price
FROM bid
GROUP BY window(at, '1 minute'), auction