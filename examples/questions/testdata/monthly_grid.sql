-- How many flights did each airline have from each airport, with the pairs that had none?
SELECT
  airlines.carrier,
  distinct_flights.origin,
  coalesce(by_origin_carrier.flights, 0) AS flights
FROM airlines
CROSS JOIN (
  SELECT DISTINCT origin
  FROM flights
) AS distinct_flights
LEFT JOIN (
  SELECT origin, carrier, count(*) AS flights
  FROM flights
  GROUP BY origin, carrier
) AS by_origin_carrier
  ON distinct_flights.origin = by_origin_carrier.origin AND airlines.carrier = by_origin_carrier.carrier
ORDER BY carrier, origin