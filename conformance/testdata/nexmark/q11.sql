SELECT session_window(at, '10 seconds') AS session_window, bidder, count(*) AS bids
FROM bid
GROUP BY session_window(at, '10 seconds'), bidder