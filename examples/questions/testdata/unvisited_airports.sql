-- How many airports of each time zone does nobody fly to from New York?
SELECT airports.tzone, count(*) AS airports
FROM flights
RIGHT JOIN airports
  ON flights.dest = airports.faa
WHERE flights.dest IS NULL
GROUP BY airports.tzone
ORDER BY airports DESC, tzone