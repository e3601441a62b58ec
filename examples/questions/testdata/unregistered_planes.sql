-- Which planes that flew most are not in the register?
SELECT flights.tailnum, flights.carrier, count(*) AS flights
FROM flights
LEFT ANTI JOIN planes
  ON flights.tailnum = planes.tailnum
WHERE flights.tailnum IS NOT NULL
GROUP BY flights.tailnum, flights.carrier
ORDER BY flights DESC, tailnum, carrier
LIMIT 10