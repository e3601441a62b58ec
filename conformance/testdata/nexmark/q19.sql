SELECT auction, top_rows.bidder, top_rows.price, top_rows.at, window
FROM (
  SELECT
    window,
    auction,
    explode(slice(array_sort(top_rows, (x, y) -> CASE
      WHEN x.sort_key_1 IS NULL AND y.sort_key_1 IS NOT NULL THEN 1
      WHEN y.sort_key_1 IS NULL AND x.sort_key_1 IS NOT NULL THEN -1
      WHEN x.sort_key_1 < y.sort_key_1 THEN 1
      WHEN x.sort_key_1 > y.sort_key_1 THEN -1
      WHEN x.sort_key_2 IS NULL AND y.sort_key_2 IS NOT NULL THEN -1
      WHEN y.sort_key_2 IS NULL AND x.sort_key_2 IS NOT NULL THEN 1
      WHEN x.sort_key_2 < y.sort_key_2 THEN -1
      WHEN x.sort_key_2 > y.sort_key_2 THEN 1
      WHEN x.sort_key_3 IS NULL AND y.sort_key_3 IS NOT NULL THEN -1
      WHEN y.sort_key_3 IS NULL AND x.sort_key_3 IS NOT NULL THEN 1
      WHEN x.sort_key_3 < y.sort_key_3 THEN -1
      WHEN x.sort_key_3 > y.sort_key_3 THEN 1
      ELSE 0
    END), 1, 10)) AS top_rows
  FROM (
    SELECT
      window(at, '10 seconds') AS window,
      auction,
      collect_list(named_struct('bidder', bidder, 'price', price, 'at', at, 'sort_key_1', price, 'sort_key_2', at, 'sort_key_3', bidder)) AS top_rows
    FROM bid
    GROUP BY window(at, '10 seconds'), auction
  )
)