SELECT window(at, '10 seconds') AS window, bidder, count(*) AS bids
FROM bid
GROUP BY window(at, '10 seconds'), bidder