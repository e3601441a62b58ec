SELECT auction, bidder, price * 0.908 AS price, at, extra
FROM bid