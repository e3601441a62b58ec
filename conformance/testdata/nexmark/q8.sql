SELECT by_window.id, by_window.name, by_window.window
FROM (
  SELECT window(at, '10 seconds') AS window, id, name
  FROM person
  GROUP BY window(at, '10 seconds'), id, name
) AS by_window
JOIN (
  SELECT window(at, '10 seconds') AS opened, seller
  FROM auction
  GROUP BY window(at, '10 seconds'), seller
) AS by_window_seller
  ON by_window.id = by_window_seller.seller AND by_window.window = by_window_seller.opened