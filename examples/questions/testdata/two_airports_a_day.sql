-- Which planes left from two of the airports on one day?
SELECT flights.tailnum, count(*) AS times
FROM flights
JOIN flights AS flights_2
  ON flights.tailnum = flights_2.tailnum
    AND flights.month = flights_2.month
    AND flights.day = flights_2.day
    AND flights.time_hour < flights_2.time_hour
    AND flights.origin <> flights_2.origin
GROUP BY flights.tailnum
ORDER BY times DESC, tailnum
LIMIT 20