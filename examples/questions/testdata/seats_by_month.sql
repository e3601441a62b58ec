-- How many seats left New York each month, as far as they are known?
SELECT
  flights.month,
  sum(planes.seats) AS seats,
  count_if(planes.seats IS NULL) AS flights_of_unknown_planes
FROM flights
LEFT JOIN planes
  ON flights.tailnum = planes.tailnum
GROUP BY flights.month
ORDER BY month