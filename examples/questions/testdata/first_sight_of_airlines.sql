-- Does every airline fly? Show a flight of each.
SELECT
  airlines.carrier,
  airlines.name,
  flights.time_hour,
  flights.flight,
  flights.origin,
  flights.dest
FROM airlines
LEFT JOIN (
  SELECT
    carrier,
    time_hour,
    flight,
    origin,
    dest,
    row_number() OVER (PARTITION BY carrier ORDER BY time_hour, flight, origin, dest) AS _row
  FROM flights
) AS flights
  ON airlines.carrier = flights.carrier AND flights._row = 1
ORDER BY carrier