-- How many registered planes of each maker flew at all?
SELECT planes.manufacturer, count(*) AS planes
FROM planes
LEFT SEMI JOIN flights
  ON planes.tailnum = flights.tailnum
GROUP BY planes.manufacturer
ORDER BY planes DESC, manufacturer