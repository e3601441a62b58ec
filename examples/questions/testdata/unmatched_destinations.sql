-- Which destinations are no known airport, and which airports of the Eastern time zone above 2,000 feet are no destination?
SELECT distinct_flights.dest, airports.faa, airports.name
FROM (
  SELECT DISTINCT dest
  FROM flights
) AS distinct_flights
FULL JOIN airports
  ON distinct_flights.dest = airports.faa
WHERE (airports.faa IS NULL
  OR distinct_flights.dest IS NULL AND airports.alt > 2000 AND airports.tzone = 'America/New_York')
ORDER BY dest, faa